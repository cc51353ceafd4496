/* libbestiary: evolution by ask and tell. The search is the controller's, and tasks and results are
 * messages between controller and simulator, without their frames. The rows of a run store are
 * kept in memory, for its digest; 3 kB a creature. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/hash.h"
#include "common/preserve/epoch.h"
#include "common/rows.h"
#include "common/version.h"
#include "controller/evolution/search.h"
#include "controller/evolution/contests.h"
#include "controller/evolution/polish.h"
#include "controller/evolution/referee.h"
#include "controller/evolution/run_digest.h"
#include "library/library.h"
#include "proto/message.h"

enum { BEST_KEPT = 10, INDIVIDUAL_COLUMNS = MEASURE_COUNT + 16 };

/* A creature that has a result. */
struct row {
    struct individual i; /* as it was judged last; packed and mutations are its own, no genome */
    int has_referee;
};

struct member {
    struct generation_rank rank;
    int number; /* of the rank, from 1; 0: it was not judged */
};

struct generation {
    int own; /* evaluations */
    uint64_t evaluations;
    double mean, median;
    struct member *members; /* by id */
    int count;
    uint64_t best_id;
    double best;
};

/* A task that was asked for and not told. */
struct asked {
    uint64_t task, creature;
    int purpose;
};

struct bestiary_search {
    struct params params;
    struct search *search;
    struct polish *polish; /* NULL: it has not begun, or is over */
    int is_polished, is_finished;
    struct asked *asked;
    int asked_count, asked_room;
    uint64_t task_count, evaluations;
    struct row *rows; /* by id, at the end */
    int row_count, row_room;
    struct generation *generations; /* the last one is under way */
    int generation_count, generation_room;
    struct bestiary_creature *best[BEST_KEPT];
};

/* ---- tasks ---- */

/* Gives the message that the writer has, without the header of its frame. */
static int give_message(struct pack_writer *writer, struct bestiary_bytes *bytes)
{
    int status = writer->has_failed ? ERR_MEMORY
                                    : library_copy(bytes, writer->buffer.data + FRAME_HEADER_BYTES,
                                                   writer->buffer.size - FRAME_HEADER_BYTES);
    pack_writer_deinit(writer);
    return status;
}

static const struct individual *ask(struct bestiary_search *s, struct trial *trial)
{
    const struct individual *individual = search_ask_referee(s->search);
    if (individual) {
        *trial = referee_trial(individual, individual->referee_trial, &s->params);
        return individual;
    }
    individual = search_ask(s->search);
    return individual || !s->polish ? individual : polish_ask(s->polish, trial);
}

int bestiary_search_ask(struct bestiary_search *s, struct bestiary_bytes *bytes,
                        struct bestiary_error *error)
{
    struct task task = {.id = s->task_count + 1};
    struct pack_writer writer;
    *bytes = (struct bestiary_bytes){NULL, 0};
    struct asked *asked =
        rows_add(&s->asked, &s->asked_count, &s->asked_room, INT_MAX, sizeof *asked);
    if (!asked)
        return library_say(error, ERR_MEMORY, NULL);
    const struct individual *individual = s->is_finished ? NULL : ask(s, &task.trial);
    if (!individual) {
        s->asked_count--;
        return 0;
    }
    task.creature = individual->id;
    task.seed = individual->seed;
    if (task.trial.purpose == TRIAL_FIRST)
        task.bar = individual->bar;
    task.genome = individual->genome; /* lent, as its bytes */
    task.packed = individual->packed;
    s->task_count++;
    *asked = (struct asked){task.id, task.creature, task.trial.purpose};
    pack_writer_init(&writer);
    message_encode(&writer, MESSAGE_TASK, &task);
    return library_say(error, give_message(&writer, bytes), NULL);
}

/* Decodes a message of a type, which nothing but its bytes is known of. */
static int read_message(struct message *message, int type, const void *bytes, size_t length,
                        struct error *error)
{
    uint64_t rejected;
    int status = message_decode(message, bytes, length, &rejected, error);
    if (status || (int)message->type == type)
        return status;
    status =
        error_set(error, ERR_FORMAT, "a message of type %d, expected %d", (int)message->type, type);
    message_deinit(message);
    return status;
}

static int do_task(const struct task *task, const struct params *params,
                   struct bestiary_bytes *bytes, struct error *error)
{
    const struct genome *genomes[1 + TASK_RIVALS_MAX] = {&task->genome, &task->rivals[0].genome};
    struct evaluation evaluations[1 + TASK_RIVALS_MAX];
    struct params own = *params;
    struct pack_writer writer;
    const struct evaluate_order order = {.genomes = genomes,
                                         .count = 1 + task->rival_count,
                                         .params = &own,
                                         .trial = &task->trial,
                                         .seed = task->seed};
    if (task->epoch)
        return error_set(error, ERR_FORMAT, "an epoch is no task of a search");
    int status = evaluate_list_check(&order, error);
    early_stop_apply_bar(&task->bar, &own);
    if (!status)
        status = library_evaluate(&order, evaluations);
    if (status)
        return status;
    struct result result = {.id = task->id,
                            .creature = task->creature,
                            .verdict = evaluations[0].verdict,
                            .measures = evaluations[0].measures,
                            .digest = evaluations[0].digest,
                            .pace_least_m_s = evaluations[0].pace_least_m_s};
    pack_writer_init(&writer);
    message_encode(&writer, MESSAGE_RESULT, &result);
    return give_message(&writer, bytes);
}

int bestiary_task(const struct bestiary_params *params, const void *task, size_t length,
                  struct bestiary_bytes *result, struct bestiary_error *error)
{
    struct error own = {0};
    struct message message;
    *result = (struct bestiary_bytes){NULL, 0};
    int status = params_check(&params->p, &own);
    if (!status)
        status = read_message(&message, MESSAGE_TASK, task, length, &own);
    if (!status) {
        status = do_task(&message.as.task, &params->p, result, &own);
        message_deinit(&message);
    }
    return library_say(error, status, &own);
}

/* ---- rows ---- */

static struct row *find_row(const struct bestiary_search *s, uint64_t id)
{
    for (int i = s->row_count; i-- > 0;)
        if (s->rows[i].i.id == id)
            return &s->rows[i];
    return NULL;
}

/* The result of an individual, which may have had another one before. 0 or ERR_MEMORY. */
static int keep_row(struct bestiary_search *s, const struct individual *individual)
{
    struct row *row = find_row(s, individual->id);
    struct packed_bytes packed = row ? row->i.packed : (struct packed_bytes){NULL, 0};
    if (!row) {
        struct pack_writer scratch;
        pack_writer_init(&scratch);
        int status = individual->packed.bytes ? packed_bytes_set(&packed, individual->packed.bytes,
                                                                 individual->packed.length)
                                              : genome_pack(&packed, &individual->genome, &scratch);
        pack_writer_deinit(&scratch);
        if (!status)
            row = rows_add(&s->rows, &s->row_count, &s->row_room, INT_MAX, sizeof *row);
        if (!row) {
            packed_bytes_deinit(&packed);
            return ERR_MEMORY;
        }
    }
    row->i = *individual;
    row->i.genome = (struct genome){0}; /* it is the search's */
    row->i.packed = packed;
    return 0;
}

static void keep_words(struct bestiary_search *s)
{
    const struct individual *individual;
    while ((individual = search_take_refereed(s->search)) != NULL) {
        struct row *row = find_row(s, individual->id);
        ENSURE(row, "the referee judges a creature without a result");
        row->i.fitness = individual->fitness;
        row->i.referee_fitness = individual->referee_fitness;
        memcpy(row->i.referee_words, individual->referee_words, sizeof row->i.referee_words);
        row->has_referee = 1;
    }
}

/* ---- generations ---- */

static int open_generation(struct bestiary_search *s)
{
    const struct population *population = search_population(s->search);
    struct generation *generation = rows_add(&s->generations, &s->generation_count,
                                             &s->generation_room, INT_MAX, sizeof *generation);
    if (!generation)
        return ERR_MEMORY;
    generation->own = population->due;
    for (int i = 0; !population->due && i < population->count; i++)
        generation->own += !population->individuals[i].has_result;
    return 0;
}

/* A creature with its last evaluation as its record. It takes the genome. NULL: out of memory. */
static struct bestiary_creature *make_judged(const struct bestiary_search *s,
                                             const struct individual *judged, struct genome *genome)
{
    struct bestiary_creature *creature = library_creature_make();
    if (!creature) {
        genome_deinit(genome);
        return NULL;
    }
    struct creature *c = &creature->c;
    c->genome = *genome;
    c->id = judged->id;
    memcpy(c->parents, judged->parents, sizeof c->parents);
    c->generation = judged->generation;
    strcpy(c->method, breeding_method_names[judged->method]);
    memcpy(c->mutations, judged->mutations, sizeof c->mutations);
    c->has_evaluation = 1;
    c->params = s->params;
    if (judged->verdict == VERDICT_HOPELESS)
        early_stop_apply_bar(&judged->bar, &c->params);
    c->seed = judged->seed;
    c->verdict = judged->verdict;
    c->fitness = judged->fitness;
    c->measures = judged->measures;
    c->digest = judged->digest;
    c->genome_hash = genome_hash(genome);
    c->simulator_version = SIMULATOR_VERSION;
    return creature;
}

static int compare_members(const void *a, const void *b)
{
    uint64_t x = ((const struct member *)a)->rank.id, y = ((const struct member *)b)->rank.id;
    return (x > y) - (x < y);
}

static int compare_rows(const void *a, const void *b)
{
    uint64_t x = ((const struct row *)a)->i.id, y = ((const struct row *)b)->i.id;
    return (x > y) - (x < y);
}

static int close_generation(struct bestiary_search *s)
{
    const struct population *ranked = search_population(s->search);
    struct generation *g = &s->generations[s->generation_count - 1];
    struct generation_closing closing;
    int status = generation_closing_init(&closing, ranked, search_survivor_count(s->search));
    if (status)
        return status;
    g->members = calloc((size_t)ranked->count, sizeof *g->members);
    g->count = g->members ? ranked->count : 0;
    /* those that were bred and not judged are members, too */
    for (int i = 0; i < g->count; i++)
        g->members[i] = i < closing.count ? (struct member){closing.ranks[i], i + 1}
                                          : (struct member){{.id = ranked->individuals[i].id}, 0};
    if (g->count)
        qsort(g->members, (size_t)g->count, sizeof g->members[0], compare_members);
    g->own += closing.more;
    g->mean = closing.mean;
    g->median = closing.median;
    g->best_id = closing.ranks[0].id;
    g->best = closing.ranks[0].fitness;
    for (int i = 0; i < s->generation_count; i++)
        g->evaluations += (uint64_t)s->generations[i].own;
    status = g->members ? 0 : ERR_MEMORY;
    for (int i = 0; !status && i < BEST_KEPT && i < closing.count; i++) {
        const struct individual *best = &ranked->individuals[i];
        struct genome genome;
        struct bestiary_creature *kept =
            genome_copy(&genome, &best->genome) ? NULL : make_judged(s, best, &genome);
        if (kept) {
            bestiary_creature_free(s->best[i]);
            s->best[i] = kept;
        }
        status = kept ? 0 : ERR_MEMORY;
    }
    generation_closing_deinit(&closing);
    return status;
}

/* Whether the last generation is polished now, as in every run; negative: ERR_MEMORY. */
static int is_polishing(struct bestiary_search *s)
{
    if (s->is_polished || s->polish || !search_is_finished(s->search))
        return s->polish != NULL;
    int status = 0;
    if (search_has_referee(s->search) && search_count_added(s->search) == 0)
        status = polish_create(&s->polish, &s->params, search_population(s->search),
                               search_next_id(s->search) - 1);
    s->is_polished = !s->polish;
    return status ? status : !s->is_polished;
}

/* Goes on as far as the results lead. 0 or ERR_MEMORY. */
static int advance(struct bestiary_search *s)
{
    int status = 0;
    while (!status && !s->is_finished) {
        const struct individual *newborn;
        int is_complete = search_is_complete(s->search);
        keep_words(s);
        do
            status = search_take_newborn(s->search, &newborn);
        while (!status && newborn);
        if (status || !is_complete || (status = is_polishing(s)) != 0)
            break;
        search_select(s->search);
        status = close_generation(s);
        s->is_finished = !status && search_is_finished(s->search);
        if (!status && !s->is_finished)
            status = search_advance(s->search);
        if (!status && !s->is_finished)
            status = open_generation(s);
    }
    if (s->is_finished)
        qsort(s->rows, (size_t)s->row_count, sizeof s->rows[0], compare_rows);
    return status < 0 ? status : 0;
}

static int take_result(struct bestiary_search *s, int purpose, const struct result *result)
{
    int status = 0;
    if (purpose == TRIAL_FIRST) {
        const struct individual *individual = search_tell(
            s->search, result->creature, result->verdict, &result->measures, result->digest);
        status = individual ? keep_row(s, individual) : 0;
    } else if (purpose == TRIAL_POLISH) {
        status = polish_tell(s->polish, result->creature, result->verdict, &result->measures);
        if (!status && polish_is_over(s->polish)) {
            struct individual children[POLISH_MOST];
            int count = polish_take_children(s->polish, search_generation(s->search), children);
            polish_destroy(s->polish);
            s->polish = NULL;
            s->is_polished = 1;
            status = count > 0 ? search_add(s->search, children, count) : count;
        }
    } else {
        search_tell_referee(s->search, result->creature, result->verdict, &result->measures);
    }
    return status ? status : advance(s);
}

int bestiary_search_tell(struct bestiary_search *s, const void *bytes, size_t length,
                         struct bestiary_error *error)
{
    struct error own = {0};
    struct message message;
    int at = 0, status = read_message(&message, MESSAGE_RESULT, bytes, length, &own);
    if (status)
        return library_say(error, status, &own);
    const struct result *result = &message.as.result;
    while (at < s->asked_count &&
           (s->asked[at].task != result->id || s->asked[at].creature != result->creature))
        at++;
    if (at == s->asked_count) {
        status = error_set(&own, ERR_MISSING, "the result of a task that was not asked for");
    } else {
        int purpose = s->asked[at].purpose;
        s->asked[at] = s->asked[--s->asked_count];
        s->evaluations++;
        status = take_result(s, purpose, result);
    }
    message_deinit(&message);
    return library_say(error, status, &own);
}

/* ---- the whole ---- */

int bestiary_search_make(struct bestiary_search **search, const struct bestiary_params *params,
                         struct bestiary_error *error)
{
    struct error own = {0};
    const struct params *p = &params->p;
    *search = NULL;
    int status = params_check(p, &own);
    if (!status)
        status = search_check_params(p, &own);
    if (!status && (contests_are_wanted(p) || search_is_interactive(p) || preserve_is_wanted(p)))
        status =
            error_set(&own, ERR_USAGE, "a search has no contests, preserves or choices by hand");
    if (!status && !(*search = calloc(1, sizeof **search)))
        status = ERR_MEMORY;
    if (status)
        return library_say(error, status, &own);
    (*search)->params = *p;
    (*search)->search = search_create(&(*search)->params, NULL);
    status = (*search)->search ? open_generation(*search) : ERR_MEMORY;
    if (status) {
        bestiary_search_free(*search);
        *search = NULL;
    }
    return library_say(error, status, &own);
}

void bestiary_search_progress(const struct bestiary_search *s, struct bestiary_progress *progress)
{
    int last = s->generation_count - 1 - !s->is_finished;
    *progress = (struct bestiary_progress){.generation = search_generation(s->search),
                                           .is_finished = s->is_finished,
                                           .evaluations = s->evaluations};
    search_get_progress(s->search, &progress->done, &progress->needed);
    if (last < 0)
        return;
    progress->best = s->generations[last].best;
    progress->median = s->generations[last].median;
}

int bestiary_search_creature(const struct bestiary_search *s, int rank,
                             struct bestiary_creature **creature, struct bestiary_error *error)
{
    struct error own;
    *creature = NULL;
    if (rank < 0 || rank >= BEST_KEPT || !s->best[rank])
        return library_say(error, error_set(&own, ERR_MISSING, "there is no rank %d yet", rank),
                           &own);
    struct bestiary_bytes bytes;
    int status = bestiary_creature_write(s->best[rank], BESTIARY_BINARY, &bytes, error);
    if (!status)
        status = bestiary_creature_read(creature, bytes.data, bytes.length, error);
    bestiary_bytes_free(&bytes);
    return status;
}

int bestiary_search_parent(const struct bestiary_search *s, int rank,
                           struct bestiary_creature **creature, struct bestiary_error *error)
{
    struct error own = {0};
    struct genome genome;
    int is_kept = rank >= 0 && rank < BEST_KEPT && s->best[rank];
    const struct row *row = is_kept ? find_row(s, s->best[rank]->c.parents[0]) : NULL;
    *creature = NULL;
    if (!row)
        return library_say(error, error_set(&own, ERR_MISSING, "rank %d has no parent", rank),
                           &own);
    int status = genome_decode_bytes(&genome, row->i.packed.bytes, row->i.packed.length, &own);
    if (!status && !(*creature = make_judged(s, &row->i, &genome)))
        status = error_memory(&own);
    return library_say(error, status, &own);
}

void bestiary_search_free(struct bestiary_search *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->row_count; i++)
        packed_bytes_deinit(&s->rows[i].i.packed);
    for (int i = 0; i < s->generation_count; i++)
        free(s->generations[i].members);
    for (int i = 0; i < BEST_KEPT; i++)
        bestiary_creature_free(s->best[i]);
    free(s->rows);
    free(s->generations);
    free(s->asked);
    polish_destroy(s->polish);
    search_destroy(s->search);
    free(s);
}

/* ---- the digest: rows as the store has them, with the columns of run_digest.c ---- */

static struct run_value whole(uint64_t value)
{
    return (struct run_value){.type = RUN_WHOLE, .whole = (int64_t)value};
}

static struct run_value real(double value)
{
    return (struct run_value){.type = RUN_REAL, .real = value};
}

static struct run_value text(const char *value)
{
    return (struct run_value){.type = RUN_TEXT, .bytes = value, .length = strlen(value)};
}

static struct run_value known(int is_known, struct run_value value)
{
    return is_known ? value : (struct run_value){.type = RUN_NOTHING};
}

static struct run_value id(uint64_t value)
{
    return known(value != 0, whole(value));
}

/* A row of the values that are listed. */
#define HASH_ROW(hash, ...)                                                                        \
    run_digest_row(hash, (const struct run_value[]){__VA_ARGS__},                                  \
                   sizeof((const struct run_value[]){__VA_ARGS__}) / sizeof(struct run_value))

static void hash_individual(uint64_t *hash, const struct row *row)
{
    const struct individual *i = &row->i;
    char seed[17], digest[17];
    hash_to_text(i->seed, seed);
    hash_to_text(i->digest, digest);
    struct run_value values[INDIVIDUAL_COLUMNS] = {
        whole(i->id),
        whole(i->generation),
        text(breeding_method_names[i->method]),
        id(i->parents[0]),
        id(i->parents[1]),
        text(i->mutations),
        text(seed),
        id(i->body),
        known(i->is_trial, whole((uint64_t)i->born_trials)),
        whole(1), /* the branch */
        text(verdict_name(i->verdict)),
        real(i->fitness),
        known(row->has_referee, real(i->referee_fitness)),
        known(row->has_referee, text(i->referee_words)),
        text(digest)};
    for (int k = 0; k < MEASURE_COUNT; k++)
        values[15 + k] = real(measures_get(&i->measures, k));
    values[INDIVIDUAL_COLUMNS - 1] =
        (struct run_value){.type = RUN_BYTES, .bytes = i->packed.bytes, .length = i->packed.length};
    run_digest_row(hash, values, INDIVIDUAL_COLUMNS);
}

static void hash_bar(uint64_t *hash, const struct row *row)
{
    if (early_stop_has_bar(&row->i.bar))
        HASH_ROW(hash, whole(row->i.id), real(row->i.bar.m_s), real(row->i.bar.sizes_s));
}

static void hash_member(uint64_t *hash, const struct member *m)
{
    HASH_ROW(hash, whole(m->rank.id), known(m->number, whole((uint64_t)m->number)),
             known(m->number, whole((uint64_t)m->rank.survived)),
             known(m->number, real(m->rank.fitness)));
}

static void hash_archived(uint64_t *hash, int64_t generation, const struct generation_rank *r)
{
    if (r->cell || r->trials || r->is_waiting)
        HASH_ROW(hash, whole((uint64_t)generation), whole(r->id), id((uint64_t)r->cell),
                 whole((uint64_t)r->trials), whole((uint64_t)r->is_waiting));
}

/* Rows of creatures are walked through once. */
struct walk {
    const struct bestiary_search *search;
    int at[RUN_TABLES];
};

static int hash_rows(void *context, enum run_table table, int64_t generation, uint64_t *hash,
                     struct error *error)
{
    struct walk *walk = context;
    const struct bestiary_search *s = walk->search;
    const struct generation *g = &s->generations[generation];
    if (table == RUN_GENERATIONS)
        HASH_ROW(hash, whole((uint64_t)generation), whole(1), whole(1), whole((uint64_t)g->own),
                 whole(g->evaluations), real(g->best), real(g->median), real(g->mean),
                 whole(g->best_id));
    if (table == RUN_INDIVIDUALS || table == RUN_BARS)
        for (int *at = &walk->at[table];
             *at < s->row_count && (int64_t)s->rows[*at].i.generation <= generation; ++*at)
            (table == RUN_BARS ? hash_bar : hash_individual)(hash, &s->rows[*at]);
    for (int i = 0; i < g->count; i++) {
        if (table == RUN_MEMBERS)
            hash_member(hash, &g->members[i]);
        if (table == RUN_ARCHIVE)
            hash_archived(hash, generation, &g->members[i].rank);
    }
    return 0;
}

uint64_t bestiary_search_digest(const struct bestiary_search *s)
{
    struct walk walk = {.search = s};
    struct error error;
    uint64_t hash = HASH_START, own;
    if (!s->is_finished)
        return 0;
    run_digest_params(&hash, &s->params);
    for (int i = 0; i < s->generation_count; i++) {
        run_digest_generation(hash_rows, &walk, i, &own, &error);
        hash = hash_u64(hash, own);
    }
    return hash;
}
