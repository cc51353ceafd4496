/* controller random, mutate, breed: genetics by hand, on creature files.
 *
 * The same functions as in a run, with their streams of random numbers named by --seed and by the
 * creature's number. That number is made of the seed, the command and the parents' genomes, so that
 * genes made by hand get ids that no other creature has: runs count from 1, by hand it is one of
 * 2^24 numbers above 2^24. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/math/hash.h"
#include "common/system/output.h"
#include "controller/commands/commands.h"
#include "common/genetics/genetics.h"

#define NUMBER_BIT UINT64_C(0x1000000)

/* Most mutations that --count takes; how often mutating is tried until something has changed. */
enum { COUNT_MAX = 64, TRIES = 100 };

#define COMMON_HELP                                                                                \
    "      --seed N         repeats a result; default: another each time, which is printed\n"      \
    "      --params FILE    settings from a parameter file (sections mutation, breeding, "         \
    "initial)\n"                                                                                   \
    "  -s, --set KEY=VALUE  set a parameter, over the file; may be repeated\n"                     \
    "      --text           readable JSON instead of the binary form\n"                            \
    "      --force          overwrite the file if it exists\n"                                     \
    "  -h, --help\n"

static const char random_help[] =
    "usage: controller random [option]...\n"
    "Writes a creature with a random genome, as in the first generation of a run.\n"
    "\n"
    "  -o, --output FILE    default: random.creature\n" COMMON_HELP;

static const char mutate_help[] =
    "usage: controller mutate A [option]...\n"
    "Writes a mutant of creature A (a file, or RUN_DIR:ID) and says what was changed.\n"
    "\n"
    "  -o, --output FILE    default: mutant.creature\n"
    "      --count N        so many mutations, 0 .. 64; default: drawn as in a run, but at least "
    "one\n"
    "      --see FROM:TO    what A sees of one thing from afar (light, other, object) it sees of\n"
    "                       the other; without --count nothing else changes\n" COMMON_HELP;

static const char breed_help[] =
    "usage: controller breed A B --method crossover|graft [option]...\n"
    "Writes a child of creatures A and B (files, or RUN_DIR:ID). Crossover takes the genes of one\n"
    "and the other in turn; graft puts a part of B with all that hangs on it in the place of one "
    "of "
    "A.\n"
    "\n"
    "  -m, --method NAME    crossover or graft\n"
    "  -o, --output FILE    default: child.creature\n"
    "      --count N        mutations of the child, 0 .. 64; default 0\n" COMMON_HELP;

/* What was on the command line. Assignments point into argv. */
struct request {
    const char *command, *help;
    const char *output, *params_path, *seed, *method, *count, *see;
    const char **assignments;
    int assignment_count;
    int is_text, is_forced, is_help;
    struct params params;
    int64_t mutation_count; /* -1: to be drawn */
    int64_t seed_number;
    enum sight_kind sights[2]; /* that are exchanged, where `see` is given */
};

/* ---- the command line ---- */

static int parse_options(int argc, char **argv, struct request *request)
{
    enum { OPTION_TEXT = 256, OPTION_FORCE, OPTION_SEED, OPTION_PARAMS, OPTION_COUNT, OPTION_SEE };
    static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                            {"set", required_argument, NULL, 's'},
                                            {"text", no_argument, NULL, OPTION_TEXT},
                                            {"force", no_argument, NULL, OPTION_FORCE},
                                            {"seed", required_argument, NULL, OPTION_SEED},
                                            {"params", required_argument, NULL, OPTION_PARAMS},
                                            {"help", no_argument, NULL, 'h'},
                                            {"count", required_argument, NULL, OPTION_COUNT},
                                            {"see", required_argument, NULL, OPTION_SEE},
                                            {"method", required_argument, NULL, 'm'},
                                            {NULL, 0, NULL, 0}};
    int answer;

    opterr = 0;
    while ((answer = getopt_long(argc, argv, ":o:s:hm:", options, NULL)) != -1)
        switch (answer) {
        case 'o':
            request->output = optarg;
            break;
        case 's':
            request->assignments[request->assignment_count++] = optarg;
            break;
        case 'm':
            request->method = optarg;
            break;
        case 'h':
            request->is_help = 1;
            break;
        case OPTION_TEXT:
            request->is_text = 1;
            break;
        case OPTION_FORCE:
            request->is_forced = 1;
            break;
        case OPTION_SEED:
            request->seed = optarg;
            break;
        case OPTION_PARAMS:
            request->params_path = optarg;
            break;
        case OPTION_COUNT:
            request->count = optarg;
            break;
        case OPTION_SEE:
            request->see = optarg;
            break;
        default:
            return command_bad_option(argv, options, answer);
        }
    return 0;
}

static int read_params(struct request *request)
{
    struct error error = {0};
    int i, status = 0;

    params_set_defaults(&request->params);
    if (request->params_path && params_read_file(&request->params, request->params_path, &error))
        return command_fail(&error);
    for (i = 0; !status && i < request->assignment_count; i++)
        status = params_set_assignment(&request->params, request->assignments[i], &error);
    if (status)
        return command_usage(request->command, "%s", error.message);
    return params_check(&request->params, &error) ? command_fail(&error) : 0;
}

/* Short, since people type it again. */
static int64_t draw_seed(void)
{
    uint32_t bytes = 0;
    ssize_t length = getrandom(&bytes, sizeof bytes, 0);

    ENSURE(length == sizeof bytes, "%zd bytes from getrandom()", length);
    return bytes;
}

/* Options that this command does not have, numbers, parameters. Returns 0 or an exit code. */
static int check_options(struct request *request, int operand_count)
{
    struct error error;
    int result = 0;

    if (request->method && operand_count < 2)
        return command_usage(request->command, "there is no --method here");
    if (request->count && operand_count < 1)
        return command_usage(request->command, "there is no --count here");
    if (request->see && operand_count != 1)
        return command_usage(request->command, "there is no --see here");
    if (request->see && sights_read_pair(request->see, request->sights, &error))
        return command_usage(request->command, "--see %s", error.message);
    if (operand_count == 2 && !request->method)
        return command_usage(request->command, "--method crossover or --method graft is missing");
    if (request->method && strcmp(request->method, "crossover") != 0 &&
        strcmp(request->method, "graft") != 0)
        return command_usage(request->command, "--method '%s' is neither crossover nor graft",
                             request->method);
    if (request->count)
        result = command_parse_number(request->command, "--count", request->count, 0, COUNT_MAX,
                                      &request->mutation_count);
    else if (request->see)
        request->mutation_count = 0;
    if (!request->seed)
        request->seed_number = draw_seed();
    else if (!result)
        result = command_parse_number(request->command, "--seed", request->seed, 0, INT64_MAX,
                                      &request->seed_number);
    return result ? result : read_params(request);
}

/* Returns 0, or an exit code with is_done set. */
static int parse_request(int argc, char **argv, int operand_count, struct request *request,
                         int *is_done)
{
    int result;

    *is_done = 1;
    request->command = argv[0];
    request->seed_number = 1;
    request->assignments = calloc((size_t)argc, sizeof *request->assignments);
    if (!request->assignments)
        return command_fail(&(struct error){.message = "out of memory"});
    result = parse_options(argc, argv, request);
    if (result)
        return result;
    if (request->is_help) {
        output_lines(stdout, request->help);
        return command_finish_output();
    }
    result = command_check_operands(argc, argv, operand_count, operand_count,
                                    argc == optind ? "A (a creature)" : "B (another creature)");
    if (!result)
        result = check_options(request, operand_count);
    if (result)
        return result;
    if (!request->is_forced && access(request->output, F_OK) == 0) {
        struct error error;

        error_set(&error, ERR_EXISTS, "%s: exists already (overwrite it with --force)",
                  request->output);
        return command_fail(&error);
    }
    *is_done = 0;
    return 0;
}

/* ---- numbers of creatures ---- */

static int has_genes_of(const struct genome *genome, uint64_t number)
{
    int i;

    for (i = 0; i < genome->body_count; i++)
        if (genome->bodies[i].id >> 10 == number)
            return 1;
    for (i = 0; i < genome->connection_count; i++)
        if (genome->connections[i].id >> 10 == number)
            return 1;
    for (i = 0; i < genome->neuron_count; i++)
        if (genome->neurons[i].id >> 10 == number)
            return 1;
    return 0;
}

/* A number of which no parent has a gene. */
static uint64_t draw_number(const struct request *request, const struct creature *parents,
                            int parent_count)
{
    uint64_t hash = hash_bytes(HASH_START, request->command, strlen(request->command)), number;
    int i, is_used = 1;

    for (i = 0; i < parent_count; i++)
        hash = hash_u64(hash, genome_hash(&parents[i].genome));
    if (request->method)
        hash = hash_bytes(hash, request->method, strlen(request->method));
    number = NUMBER_BIT | rng_mix_seed((uint64_t)request->seed_number, hash) % NUMBER_BIT;
    while (is_used) {
        is_used = 0;
        for (i = 0; i < parent_count; i++)
            is_used |= has_genes_of(&parents[i].genome, number);
        number += (uint64_t)is_used;
    }
    return number;
}

/* ---- making ---- */

/* The streams of a creature made by hand. */
static struct rng make_stream(const struct request *request, enum rng_purpose purpose,
                              uint64_t number)
{
    struct rng rng;

    rng_init(&rng, (uint64_t)request->seed_number, purpose, 0, number);
    return rng;
}

/* 0, ERR_MEMORY, or ERR_MISSING if there are to be mutations and none can be made. */
static int mutate(const struct request *request, struct creature *child, int is_mated,
                  struct gene_counter *ids)
{
    struct rng rng = make_stream(request, RNG_MUTATION, child->id);
    int count = (int)request->mutation_count, status = 0, tries = TRIES;

    if (count < 0) {
        count = genetics_mutation_count(&request->params, is_mated, &rng);
        count = count ? count : 1;
    }
    while (count && !status && !child->mutations[0]) {
        if (tries-- == 0)
            return ERR_MISSING;
        status = genetics_mutate(&child->genome, count, &request->params, &rng, ids,
                                 child->mutations, sizeof child->mutations);
    }
    return status;
}

/* Fills `child` from so many parents. 0, or as mutate(). */
static int make_child(const struct request *request, const struct creature *parents,
                      int parent_count, struct creature *child)
{
    struct gene_counter ids = {.creature = draw_number(request, parents, parent_count)};
    const struct params *params = &request->params;
    struct rng rng;
    int i, status;

    child->id = ids.creature;
    for (i = 0; i < parent_count; i++)
        child->parents[i] = parents[i].id;
    if (parent_count == 0) {
        snprintf(child->method, sizeof child->method, "random");
        rng = make_stream(request, RNG_RANDOM_GENOME, child->id);
        return genetics_random(&child->genome, params, &rng, &ids);
    }
    snprintf(child->method, sizeof child->method, "%s",
             parent_count == 2 ? request->method : "asexual");
    rng = make_stream(request, RNG_BREEDING, child->id);
    if (parent_count == 1)
        status = genome_copy(&child->genome, &parents[0].genome);
    else if (!strcmp(request->method, "crossover"))
        status = genetics_crossover(&child->genome, &parents[0].genome, &parents[1].genome, params,
                                    &rng, &ids);
    else
        status = genetics_graft(&child->genome, &parents[0].genome, &parents[1].genome, params,
                                &rng, &ids);
    if (!status && request->see)
        genome_exchange_sights(&child->genome, request->sights[0], request->sights[1]);
    return status ? status : mutate(request, child, parent_count == 2, &ids);
}

static void print_child(const struct request *request, const struct creature *child,
                        char **operands, int parent_count)
{
    output_print(stdout, "%s: creature %" PRIu64 " (%s), %d bodies, %d connections, %d neurons\n",
                 request->output, child->id, child->method, child->genome.body_count,
                 child->genome.connection_count, child->genome.neuron_count);
    if (!request->seed)
        output_print(stdout, "repeat it:   --seed %" PRId64 "\n", request->seed_number);
    if (parent_count > 0)
        output_print(stdout, "mutations:   %s\n", child->mutations[0] ? child->mutations : "none");
    if (parent_count > 0)
        output_print(stdout, "compare:     controller diff %s %s\n", operands[0], request->output);
    output_print(stdout, "watch it:    viewer %s\n", request->output);
}

static int write_child(const struct request *request, char **operands, int parent_count,
                       struct error *error)
{
    struct creature parents[2], child;
    int i, status = 0;

    creature_init(&child);
    creature_init(&parents[0]);
    creature_init(&parents[1]);
    for (i = 0; !status && i < parent_count; i++)
        status = command_read_creature(operands[i], &parents[i], error);
    if (!status) {
        status = make_child(request, parents, parent_count, &child);
        if (status)
            error_set(error, status, "%s",
                      status == ERR_MISSING ? "no mutation is possible with these parameters"
                                            : error_text(status));
    }
    if (!status)
        status = creature_write(&child, request->output, request->is_text, error);
    if (!status)
        print_child(request, &child, operands, parent_count);
    creature_deinit(&parents[0]);
    creature_deinit(&parents[1]);
    creature_deinit(&child);
    return status;
}

static int run_command(int argc, char **argv, int operand_count, struct request *request)
{
    struct error error = {0};
    int is_done, result = parse_request(argc, argv, operand_count, request, &is_done);

    if (!is_done)
        result = write_child(request, argv + optind, operand_count, &error)
                     ? command_fail(&error)
                     : command_finish_output();
    free(request->assignments);
    return result;
}

int command_random(int argc, char **argv)
{
    struct request request = {.help = random_help, .output = "random.creature"};

    return run_command(argc, argv, 0, &request);
}

int command_mutate(int argc, char **argv)
{
    struct request request = {
        .help = mutate_help, .output = "mutant.creature", .mutation_count = -1};

    return run_command(argc, argv, 1, &request);
}

int command_breed(int argc, char **argv)
{
    struct request request = {.help = breed_help, .output = "child.creature"};

    return run_command(argc, argv, 2, &request);
}
