/* controller league: every pair of many creature files meets; a table says how strong each one is.
 *
 * Each pair is a process of `simulator contest`, so that a creature that breaks the simulator
 * breaks one pair only. Some processes of this program run them, each its share of the pairs, and
 * report through one pipe, in records short enough to arrive whole. Results are put together in the
 * order of the pairs: they do not depend on how many run at once. */
#define _GNU_SOURCE /* pipe2() */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/judge/contest.h"
#include "common/math/hash.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "controller/report/page.h"
#include "controller/workers/program.h"

/* Files of a league, words that are handed on, and triads that are named. */
enum { PLAYERS_MAX = 200, WORDS_MAX = 256, TRIADS_SHOWN = 10 };
/* A process that a signal ended has an exit code from here on (program_run()). */
enum { SIGNALLED = 128 };

struct request {
    char **files; /* the creatures', then the parameters' */
    int player_count;
    const char *output, *see;
    struct option_list assignments;
    int64_t jobs;
    char simulator[RUN_PATH_SIZE], viewer[RUN_PATH_SIZE];
};

/* The result of a pair; written to the pipe in one piece. */
struct outcome {
    int pair, a, b; /* its number, and the players' */
    int code;
    int page_code;  /* of the program that made the page of the duel */
    int bout_count; /* 0: both move alike */
    double margins[CONTEST_BOUTS];
    char digest[17];
    char message[256]; /* what is wrong, if a code is not 0 */
};
_Static_assert(sizeof(struct outcome) <= 512, "POSIX's least PIPE_BUF");

/* ---- one pair ---- */

/* Words of a program that knows these options, and before which names end the options; `words` has
 * room for WORDS_MAX. Returns their count. */
static int put_settings(const struct request *request, const char *see, char **words, int count)
{
    if (see) {
        words[count++] = "--see";
        words[count++] = (char *)see;
    }
    for (int i = 0; i < request->assignments.count; i++) {
        words[count++] = "-s";
        words[count++] = (char *)request->assignments.items[i];
    }
    words[count++] = "--";
    return count;
}

/* The object stands on lines of its own, behind what the simulator warns of. */
static void read_reply(const char *reply, struct outcome *outcome)
{
    while (*reply && *reply != '{')
        reply += strcspn(reply, "\n") + (strchr(reply, '\n') != NULL);
    json_t *object = json_loads(reply, 0, NULL);
    json_t *bouts = json_object_get(object, "bouts"), *bout;
    const char *digest = json_string_value(json_object_get(object, "digest"));
    size_t i;
    if (!digest || json_array_size(bouts) > CONTEST_BOUTS) {
        outcome->code = COMMAND_FAILED;
        snprintf(outcome->message, sizeof outcome->message, "the simulator's answer is not one");
    }
    snprintf(outcome->digest, sizeof outcome->digest, "%s", digest ? digest : "");
    if (outcome->code == 0)
        json_array_foreach(bouts, i, bout)
        {
            json_t *first = json_array_get(json_object_get(bout, "sides"), 0);
            outcome->margins[i] = json_number_value(json_object_get(first, "margin"));
            outcome->bout_count++;
        }
    json_decref(object);
}

/* Runs a program for a pair. Its exit code, or a negative ERR_*; in `message` what is wrong. */
static int run_for(struct outcome *outcome, const char *program, char **words, char **reply)
{
    struct error error = {0};
    int code = program_hear(program, words, reply, &error);
    const char *problem = code < 0 ? error.message : *reply;
    if (code != 0)
        snprintf(outcome->message, sizeof outcome->message, "%.*s", (int)strcspn(problem, "\n"),
                 problem);
    return code;
}

static void run_pair(const struct request *request, struct outcome *outcome)
{
    char *reply;
    char *words[WORDS_MAX + 8] = {"simulator", "contest", "--json"};
    int count = put_settings(request, request->see, words, 3);
    words[count++] = request->files[outcome->a];
    words[count++] = request->files[outcome->b];
    words[count] = request->files[request->player_count];
    outcome->code = run_for(outcome, request->simulator, words, &reply);
    if (outcome->code == 0)
        read_reply(reply, outcome);
    free(reply);
}

/* A page of the pair's first bout. */
static void show_pair(const struct request *request, struct outcome *outcome)
{
    char path[RUN_PATH_SIZE], *reply;
    league_page_duel(path, sizeof path, request->output, outcome->a, outcome->b);
    char *words[WORDS_MAX + 12] = {
        "viewer", "--contest", "--params", request->files[request->player_count], "--export", path};
    int count = put_settings(request, request->see, words, 6);
    words[count++] = request->files[outcome->a];
    words[count] = request->files[outcome->b];
    outcome->page_code = run_for(outcome, request->viewer, words, &reply);
    free(reply);
}

/* ---- all pairs ---- */

static int pair_count_of(const struct request *request)
{
    return request->player_count * (request->player_count - 1) / 2;
}

/* In a process of its own. */
static void work(const struct request *request, const struct outcome *outcomes, int first,
                 int output)
{
    for (int pair = first; pair < pair_count_of(request); pair += (int)request->jobs) {
        struct outcome outcome = outcomes[pair];
        run_pair(request, &outcome);
        if (request->output && outcome.code == 0 && outcome.bout_count > 0)
            show_pair(request, &outcome);
        if (write(output, &outcome, sizeof outcome) != (ssize_t)sizeof outcome)
            _exit(1);
    }
    _exit(0);
}

/* Outcomes by pair. A pair whose process did not answer has the code that it begins with. */
static int run_pairs(const struct request *request, struct outcome *outcomes, struct error *error)
{
    struct outcome outcome;
    int ends[2], done = 0, started = 0;
    if (pipe2(ends, O_CLOEXEC))
        return error_set(error, ERR_IO, "no pipe");
    output_flush();
    for (int i = 0; i < request->jobs; i++) {
        pid_t child = fork();
        if (child == 0)
            work(request, outcomes, i, ends[1]);
        started += child > 0;
    }
    close(ends[1]);
    while (read(ends[0], &outcome, sizeof outcome) == (ssize_t)sizeof outcome) {
        outcomes[outcome.pair] = outcome;
        if (++done % 50 == 0)
            output_print(stderr, "%d of %d pairs\n", done, pair_count_of(request));
    }
    close(ends[0]);
    while (wait(NULL) > 0)
        continue;
    return started == request->jobs ? 0 : error_set(error, ERR_IO, "no more processes");
}

/* Whether a creature breaks the simulator by itself. */
static int is_culprit(const struct request *request, int player)
{
    struct outcome alone;
    char *words[WORDS_MAX + 8] = {"simulator", "evaluate", "--json"}, *reply;
    int count = put_settings(request, NULL, words, 3);
    words[count++] = request->files[player];
    words[count] = request->files[request->player_count];
    int code = run_for(&alone, request->simulator, words, &reply);
    free(reply);
    return code >= SIGNALLED;
}

/* Finds the culprit of a pair whose process crashed. A player that crashes alone is out; if
 * neither does, only the pair is. */
static void blame(const struct request *request, const struct outcome *outcome, int *is_out)
{
    int a = outcome->a, b = outcome->b;
    if (!is_out[a] && !is_out[b]) {
        is_out[a] = is_culprit(request, a);
        is_out[b] = is_culprit(request, b);
    }
    if (!is_out[a] && !is_out[b])
        output_print(stderr, "controller: %s and %s: the simulator crashed, with neither alone\n",
                     request->files[a], request->files[b]);
}

/* A pair that fails without a crash means that the request is wrong. */
static int refuse(const struct request *request, const struct outcome *outcome, struct error *error)
{
    return error_set(error, ERR_USAGE, "%s and %s: %s", request->files[outcome->a],
                     request->files[outcome->b], outcome->message);
}

/* Bouts of all pairs that count. */
static int collect(const struct request *request, const struct outcome *outcomes, int *is_out,
                   struct league_page *page, struct error *error)
{
    for (int i = 0; i < pair_count_of(request); i++) {
        if (outcomes[i].code >= SIGNALLED)
            blame(request, &outcomes[i], is_out);
        else if (outcomes[i].code != 0)
            return refuse(request, &outcomes[i], error);
    }
    for (int i = 0; i < pair_count_of(request); i++) {
        int a = outcomes[i].a, b = outcomes[i].b;
        if (is_out[a] || is_out[b] || outcomes[i].code != 0)
            continue;
        page->digest = hash_bytes(page->digest, outcomes[i].digest, strlen(outcomes[i].digest));
        for (int k = 0; k < CONTEST_BOUTS; k++)
            page->bouts[page->bout_count++] = (struct league_bout){a, b, outcomes[i].margins[k]};
    }
    return 0;
}

/* ---- output ---- */

static void print_table(const struct league_page *page)
{
    char digest[17];
    hash_to_text(page->digest, digest);
    output_print(stdout, "rank  rating      90 %%        won drawn lost   margin  creature\n");
    for (int i = 0; i < page->player_count; i++) {
        const struct league_row *row = &page->rows[i];
        output_print(stdout, "%4d  %+6.0f  %+5.0f .. %+5.0f  %4d %5d %4d   %+6.3f  %s%s\n", i + 1,
                     row->rating, row->low, row->high, row->wins, row->draws, row->losses,
                     row->margin, page->names[row->player],
                     page->is_out[row->player] ? "  (crashed the simulator: out)" : "");
    }
    int triples = page->player_count * (page->player_count - 1) * (page->player_count - 2) / 6;
    output_print(stdout, "\ncyclic triads: %d of %d (by chance %.1f)\n", page->triad_count, triples,
                 triples / 4.0);
    for (int i = 0; i < page->triad_count && i < TRIADS_SHOWN; i++) {
        const struct league_triad *t = &page->triads[i];
        output_print(stdout, "  %s beats %s beats %s\n", page->names[t->a], page->names[t->b],
                     page->names[t->c]);
    }
    output_print(stdout, "digest  %s\n", digest);
}

/* ---- the whole ---- */

static int make_league(const struct request *request, struct outcome *outcomes, int *is_out,
                       struct league_page *page, struct error *error)
{
    struct league_triad triads[TRIADS_SHOWN];
    if (run_pairs(request, outcomes, error) || collect(request, outcomes, is_out, page, error))
        return error->code;
    if (league_rate(page->bouts, page->bout_count, page->player_count, 1, page->rows))
        return error_memory(error);
    page->triads = triads;
    page->triad_count =
        league_find_triads(page->bouts, page->bout_count, page->player_count, triads, TRIADS_SHOWN);
    print_table(page);
    if (!request->output)
        return 0;
    char path[RUN_PATH_SIZE];
    for (int i = 0; i < pair_count_of(request); i++)
        if (outcomes[i].page_code != 0)
            return refuse(request, &outcomes[i], error);
    snprintf(path, sizeof path, "%s/index.html", request->output);
    int status = league_page_write(page, path, error);
    if (!status)
        output_print(stdout, "%s\n", path);
    return status;
}

/* Removes the files that this league has made, and nothing else. */
static void remove_output(const struct request *request)
{
    char path[RUN_PATH_SIZE];
    for (int b = 1; b < request->player_count; b++)
        for (int a = 0; a < b; a++)
            if (!league_page_duel(path, sizeof path, request->output, a, b))
                unlink(path);
    snprintf(path, sizeof path, "%s/index.html", request->output);
    unlink(path);
    rmdir(request->output);
}

static int run_league(const struct request *request, struct error *error)
{
    size_t pairs = (size_t)pair_count_of(request), players = (size_t)request->player_count;
    struct outcome *outcomes = calloc(pairs, sizeof *outcomes);
    int *is_out = calloc(players, sizeof *is_out);
    struct league_page page = {.player_count = request->player_count,
                               .names = request->files,
                               .is_out = is_out,
                               .digest = HASH_START,
                               .rows = calloc(players, sizeof *page.rows),
                               .bouts = calloc(CONTEST_BOUTS * pairs, sizeof *page.bouts),
                               .directory = request->output};
    int status = outcomes && is_out && page.rows && page.bouts ? 0 : error_memory(error);
    for (int a = 0, pair = 0; a < request->player_count && !status; a++)
        for (int b = a + 1; b < request->player_count; b++, pair++)
            outcomes[pair] = (struct outcome){.pair = pair, .a = a, .b = b, .code = SIGNALLED};
    if (!status)
        status = make_league(request, outcomes, is_out, &page, error);
    if (status && request->output)
        remove_output(request);
    free(outcomes);
    free(is_out);
    free(page.rows);
    free(page.bouts);
    return status;
}

static int check_request(struct request *request, int argc, char **argv, struct error *error)
{
    request->files = argv + optind;
    request->player_count = argc - optind - 1;
    if (request->player_count < 2)
        return command_usage(argv[0], "expected two creatures or more, and PARAMS.ini");
    if (request->player_count > PLAYERS_MAX)
        return command_usage(argv[0], "more than %d creatures", PLAYERS_MAX);
    if (2 * request->assignments.count + 2 > WORDS_MAX)
        return command_usage(argv[0], "more than %d settings", WORDS_MAX / 2 - 1);
    if (program_find("simulator", request->simulator, error) ||
        (request->output && program_find("viewer", request->viewer, error)))
        return command_fail(error);
    if (request->output && strlen(request->output) + sizeof "/duel-999-999.html" > RUN_PATH_SIZE)
        return command_usage(argv[0], "-o: the path is too long");
    if (request->output && mkdir(request->output, 0777)) {
        error_set(error, ERR_EXISTS, "%s: cannot be made, or exists already", request->output);
        return command_fail(error);
    }
    return 0;
}

static int command_league(int argc, char **argv)
{
    struct request request = {.jobs = program_core_count()};
    struct error error = {0};
    int result = command_parse(&league_command, argc, argv, &request);
    if (result < 0)
        result = check_request(&request, argc, argv, &error);
    if (!result && request.files)
        result = run_league(&request, &error) ? command_fail(&error) : command_finish_output();
    free(request.assignments.items);
    return result;
}

static const struct option_row options[] = {
    {"output", 'o', "DIR", "makes this folder: the table as index.html, and a page for each duel",
     OPTION_AT(TEXT, request, output)},
    {"jobs", 'j', "N", "processes at once; default: one for each core",
     OPTION_AT(WHOLE, request, jobs), .min = 1, .max = 1024},
    {"see", 0, "FROM:TO",
     "creatures that see the one, and nothing of the other, see that instead: light:object, "
     "light:other, light:sound, light:scent-1",
     OPTION_AT(TEXT, request, see)},
    {"set", 's', "KEY=VALUE", "set a parameter, over the file; may be repeated",
     OPTION_AT(LIST, request, assignments)},
    {.name = NULL}};
COMMAND(league, "CREATURE... PARAMS.ini", "every pair has a contest: a table of ratings", options,
        "Every pair of the creature files has a contest (docs/contests.md): a table of "
        "ratings. PARAMS.ini holds the parameters, or is the name of an example.");
