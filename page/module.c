/* The functions that the page calls in its module: a creature on stage, whose life can be changed;
 * evolution by ask and tell. Numbers and addresses only: bytes and texts are read where an address is given,
 * web_given() has those that a call made. A function that can fail returns 0, NULL or -1, and
 * web_error() says why. A bug traps: the page throws the instance away. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature/creature_link.h"
#include "common/genome/body_kind.h"
#include "page/module.h"
#include "page/plan.h"
#include "viewer/export/page_data.h"

static struct bestiary_error error; /* of the last call */
static struct bestiary_bytes given;
static struct bestiary_params *params;

/* ---- the stage ---- */

static struct bestiary_creature *creature;
static struct replay_live *live;
static struct replay *bout_replay; /* NULL: a life is shown */
static struct page_brain brain;
static struct replay_cut cuts[REPLAY_CUTS_MAX];
static int cut_count, is_grown; /* is_grown: a gene was made larger */
static double *rows;
static uint64_t live_seed;

EXPORT(web_take) void *web_take(size_t size)
{
    return malloc(size);
}

EXPORT(web_free) void web_free(void *taken)
{
    free(taken);
}

EXPORT(web_error) const char *web_error(void)
{
    return error.message;
}

EXPORT(web_given) const void *web_given(void)
{
    return given.data;
}

const struct bestiary_params *module_params(void)
{
    return params;
}

int module_say(int status, const struct error *own)
{
    return library_say(&error, status, own);
}

static int give(int status)
{
    return status ? -1 : (int)given.length;
}

/* A text that is given: it is written between these two. */
static char *text;
static size_t text_size;

static FILE *begin_text(void)
{
    bestiary_bytes_free(&given);
    return open_memstream(&text, &text_size);
}

/* NULL: there was no memory to write in. */
static int give_text(FILE *file, int status)
{
    if (!file)
        return give(library_say(&error, ERR_MEMORY, NULL));
    fclose(file);
    given = (struct bestiary_bytes){(unsigned char *)text, text_size};
    return give(library_say(&error, status, NULL));
}

/* The parameters of all that follows: the defaults. */
EXPORT(web_begin) int web_begin(void)
{
    bestiary_params_free(params);
    return !bestiary_params_make(&params, NULL, &error);
}

EXPORT(web_set) int web_set(const char *key, const char *value)
{
    return !bestiary_params_set(params, key, value, &error);
}

static void leave_stage(void)
{
    replay_live_close(live);
    live = NULL;
    replay_destroy(bout_replay);
    bout_replay = NULL;
    cut_count = is_grown = 0;
}

/* The life or the bout that is shown. */
static const struct replay *shown(void)
{
    return bout_replay ? bout_replay : replay_live_replay(live);
}

static int enter_stage(int status, struct bestiary_creature *next)
{
    if (status)
        return 0;
    leave_stage();
    bestiary_creature_free(creature);
    creature = next;
    return 1;
}

/* Puts the creature of a file on stage. */
EXPORT(web_read) int web_read(const void *bytes, size_t length)
{
    struct bestiary_creature *next;
    int status = bestiary_creature_read(&next, bytes, length, &error);
    return enter_stage(status, next);
}

/* Puts a random creature by the parameters on stage. */
EXPORT(web_random) int web_random(uint64_t seed)
{
    struct bestiary_creature *next;
    int status = bestiary_creature_random(&next, params, seed, &error);
    return enter_stage(status, next);
}

/* Puts a child of the creatures of two files on stage: by crossover, or by graft where the seed is
 * odd, then mutated. b_length 0: a mutant of the first, of one to four mutations. */
EXPORT(web_breed)
int web_breed(const void *a, size_t a_length, const void *b, size_t b_length, uint64_t seed)
{
    struct bestiary_creature *mother = NULL, *father = NULL, *child = NULL;
    int mutations = b_length ? -1 : 1 + (int)(seed % 4);
    int status = bestiary_creature_read(&mother, a, a_length, &error);
    if (!status && b_length)
        status = bestiary_creature_read(&father, b, b_length, &error);
    if (!status)
        status = bestiary_creature_breed(&child, mother, father, (int)(seed % 2), mutations, params,
                                         seed, &error);
    bestiary_creature_free(mother);
    bestiary_creature_free(father);
    return enter_stage(status, child);
}

static struct creature_link link;

/* Puts the creature of a link on stage, and its parameters; web_link_seed() and web_link_digest()
 * have the rest. */
EXPORT(web_open_link) int web_open_link(const void *bytes, size_t length)
{
    struct error own = {0};
    struct bestiary_creature *next = library_creature_make();
    int status =
        next ? creature_link_decode(&next->c, &link, bytes, length, &own) : BESTIARY_ERROR_MEMORY;
    if (!web_begin() || !enter_stage(library_creature_give(&next, status, &own, &error), next))
        return 0;
    params->p = link.params;
    return 1;
}

EXPORT(web_link_seed) uint64_t web_link_seed(void)
{
    return link.seed;
}

EXPORT(web_link_digest) uint64_t web_link_digest(void)
{
    return link.digest;
}

/* A link to the creature on stage as it lived last. Returns the number of bytes that are given. */
EXPORT(web_link) int web_link(void)
{
    struct pack_writer writer;
    link.params = params->p;
    link.seed = live_seed;
    link.digest = replay_live_replay(live)->digest;
    bestiary_bytes_free(&given);
    pack_writer_init(&writer);
    creature_link_encode(&creature->c, &link, &writer);
    int status = writer.has_failed ? BESTIARY_ERROR_MEMORY
                                   : library_copy(&given, writer.buffer.data, writer.buffer.size);
    pack_writer_deinit(&writer);
    return give(library_say(&error, status, NULL));
}

/* Its file, 0: binary, 1: JSON. Returns the number of bytes that are given. */
EXPORT(web_write) int web_write(int form)
{
    bestiary_bytes_free(&given);
    return give(bestiary_creature_write(creature, (enum bestiary_form)form, &given, &error));
}

static int open_life(uint64_t seed, enum replay_origin origin, size_t arena_bytes)
{
    struct error own = {0};
    replay_live_close(live);
    int status = replay_live_open(&live, &creature->c, &params->p, seed, origin, cuts, cut_count,
                                  arena_bytes, &own);
    return library_say(&error, status, &own);
}

/* Lives its life by the parameters, in little memory first. It is compared with its record if that
 * is by these parameters and this seed. */
EXPORT(web_live) int web_live(uint64_t seed, int has_sound)
{
    const struct creature *c = &creature->c;
    int is_recorded = c->has_evaluation && seed == c->seed &&
                      params_evaluation_digest(&params->p) == params_evaluation_digest(&c->params);
    enum replay_origin origin = is_grown      ? REPLAY_PLAYED
                                : is_recorded ? REPLAY_RECORDED
                                              : REPLAY_UNKNOWN;
    int status = open_life(seed, origin, LIBRARY_ARENA_BYTES);
    if (!status && replay_live_replay(live)->verdict == VERDICT_MEMORY)
        status = open_life(seed, origin, EVALUATE_ARENA_BYTES);
    if (status)
        return 0;
    live_seed = seed;
    page_survey(&brain, replay_live_replay(live), has_sound);
    return 1;
}

/* Lets the creature on stage meet the one of a file, in a bout of a contest by the parameters.
 * follow: as in struct replay_bout. */
EXPORT(web_meet)
int web_meet(const void *bytes, size_t length, uint64_t seed, int number, int follow, int has_sound)
{
    struct bestiary_creature *rival;
    struct error own = {0};
    if (bestiary_creature_read(&rival, bytes, length, &error))
        return 0;
    leave_stage();
    struct replay_bout bout = {.creatures = {creature->c, rival->c},
                               .params = params->p,
                               .seed = seed,
                               .number = number,
                               .follow = follow};
    int status = replay_create_bout(&bout_replay, &bout, &own);
    bestiary_creature_free(rival);
    if (library_say(&error, status, &own))
        return 0;
    page_survey(&brain, bout_replay, has_sound);
    return 1;
}

/* The dials of a player: name, parameter, value now, greatest value. Resistance is viscosity, by
 * length in the plane and by area in space. */
static void write_knobs(FILE *file)
{
    int is_flat = body_kinds[creature->c.genome.kind].is_flat;
    const struct {
        const char *name, *key;
        double most;
    } knobs[] = {
        {"gravity", "world.gravity_m_s2", 25},
        {"friction", "world.friction", 2},
        {"water", is_flat ? "world.viscosity_pa_s" : "world.viscosity_pa_s_m", is_flat ? 2 : 300}};
    fputs(", \"knobs\": [", file);
    for (int i = 0; i < 3; i++) {
        char value[PARAM_TEXT_SIZE];
        params_print_value(&params->p, params_find(knobs[i].key), value, sizeof value);
        fprintf(file, "%s[\"%s\", \"%s\", \"%s\", %g]", i ? ", " : "", knobs[i].name, knobs[i].key,
                value, knobs[i].most);
    }
    fputs("]", file);
}

/* The life in words and tables: an object of JSON. Returns the number of bytes that are given. */
EXPORT(web_describe) int web_describe(void)
{
    const struct replay *replay = shown();
    FILE *file = begin_text();
    if (!file)
        return give(library_say(&error, ERR_MEMORY, NULL));
    fputs("{", file);
    page_write_creature(file, replay, &brain);
    write_knobs(file);
    fprintf(file, ", \"digest\": \"%016" PRIx64 "\", \"tick\": %.17g}", replay->digest,
            1 / params->p.simulation_brain_hz);
    return give_text(file, 0);
}

/* Its motion: numbers by frame and channel, and how many frames there are. */
EXPORT(web_frames) int web_frames(void)
{
    return page_frame_count(shown());
}

EXPORT(web_channel_count) int web_channel_count(void)
{
    return (int)page_channels(shown(), &brain);
}

EXPORT(web_rows) const double *web_rows(void)
{
    const struct replay *replay = shown();
    size_t channels = page_channels(replay, &brain), frames = (size_t)page_frame_count(replay);
    free(rows);
    rows = calloc(channels * frames, sizeof *rows);
    for (size_t f = 0; rows && f < frames; f++) {
        if (f)
            memcpy(rows + f * channels, rows + (f - 1) * channels, channels * sizeof *rows);
        page_read(replay, &brain, (double)f / PAGE_HZ, rows + f * channels);
    }
    return rows;
}

/* ---- the editor ---- */

/* The parts that grow of the creature on stage, the fields of one of its genes, and the functions
 * of neurons: texts of plan.h. Each returns the number of bytes that are given. */
EXPORT(web_plan) int web_plan(void)
{
    FILE *file = begin_text();
    return give_text(file, file ? plan_write(file, &creature->c.genome, &params->p) : 0);
}

EXPORT(web_fields) int web_fields(int is_connection, int row)
{
    const struct genome *genome = &creature->c.genome;
    int count = is_connection ? genome->connection_count : genome->body_count;
    FILE *file = row >= 0 && row < count ? begin_text() : NULL;
    if (!file)
        return give(library_say(&error, ERR_RANGE, NULL));
    plan_write_fields(file, genome, is_connection, row);
    return give_text(file, 0);
}

EXPORT(web_functions) int web_functions(void)
{
    FILE *file = begin_text();
    if (file)
        plan_write_functions(file);
    return give_text(file, 0);
}

/* Makes its evaluation by the parameters and a seed its record. */
EXPORT(web_record) int web_record(uint64_t seed)
{
    struct bestiary_result result;
    return !bestiary_record(creature, params, seed, &result, &error);
}

/* ---- changes ---- */

/* Makes the parts of a gene larger along their longest side, or balls as a whole, from the next life
 * on. */
EXPORT(web_lengthen) int web_lengthen(int body, double factor)
{
    struct genome *genome = &creature->c.genome;
    if (body < 0 || body >= genome->body_count)
        return 0;
    struct body_gene *gene = &genome->bodies[body];
    double *longest = gene->width_m > gene->height_m ? &gene->width_m : &gene->height_m;
    if (gene->box.depth_m > *longest)
        longest = &gene->box.depth_m;
    *(gene->sphere.radius_m > 0 ? &gene->sphere.radius_m : longest) *= factor;
    is_grown = 1;
    return 1;
}

/* Cuts a muscle, or all that reads a neuron, from the next life on; -1: nothing is cut. */
EXPORT(web_cut) int web_cut(int index, int is_neuron)
{
    if (index < 0)
        cut_count = 0;
    else if (cut_count < REPLAY_CUTS_MAX)
        cuts[cut_count++] =
            (struct replay_cut){is_neuron ? CUT_NEURON : CUT_EFFECTOR_INPUT, index, 0};
    return cut_count;
}

/* Back to the last snapshot at or before a tick; its tick. */
EXPORT(web_back) int web_back(int tick)
{
    int at = replay_live_back(live, tick);
    return at < 0 ? library_say(&error, at, NULL) : at;
}

EXPORT(web_go) int web_go(int tick)
{
    return !library_say(&error, replay_live_go(live, tick), NULL);
}

EXPORT(web_change) int web_change(const char *key, const char *value)
{
    struct error own = {0};
    return !library_say(&error, replay_live_change(live, key, value, &own), &own);
}

EXPORT(web_pull) void web_pull(double x, double y, double z)
{
    replay_live_pull(live, (struct vec3){x, y, z});
}

EXPORT(web_hold_light) void web_hold_light(double x, double y, double z)
{
    replay_live_hold_light(live, (struct vec3){x, y, z});
}

EXPORT(web_finish) void web_finish(void)
{
    replay_live_finish(live);
}

/* ---- evaluations without a stage ---- */

/* Writes the digest of the creature's evaluation as 16 digits, and gives its status. */
EXPORT(web_evaluate) int web_evaluate(uint64_t seed, char *digits)
{
    struct bestiary_result result;
    if (bestiary_evaluate(creature, params, seed, &result, &error))
        return -1;
    snprintf(digits, 17, "%016" PRIx64, result.digest);
    return (int)result.status;
}

/* Its record's seed, and its parameters instead of those that were set. */
EXPORT(web_use_record) uint64_t web_use_record(void)
{
    struct bestiary_record record;
    bestiary_creature_record(creature, &record);
    bestiary_params_free(params);
    return bestiary_params_of(&params, creature, &error) ? 0 : record.seed;
}

EXPORT(web_fingerprint) uint64_t web_fingerprint(void)
{
    return bestiary_fingerprint();
}

/* ---- evolution ---- */

static struct bestiary_search *search;

EXPORT(web_search) int web_search(void)
{
    bestiary_search_free(search);
    return !bestiary_search_make(&search, params, &error);
}

EXPORT(web_ask) int web_ask(void)
{
    bestiary_bytes_free(&given);
    return give(bestiary_search_ask(search, &given, &error));
}

EXPORT(web_task) int web_task(const void *task, size_t length)
{
    bestiary_bytes_free(&given);
    return give(bestiary_task(params, task, length, &given, &error));
}

/* Takes a result, and writes generation, done, needed, best, median, 1 if it is finished,
 * evaluations. */
EXPORT(web_tell) int web_tell(const void *result, size_t length, double *to)
{
    struct bestiary_progress p;
    if (bestiary_search_tell(search, result, length, &error))
        return 0;
    bestiary_search_progress(search, &p);
    double values[] = {p.generation,         p.done, p.needed, p.best, p.median, p.is_finished,
                       (double)p.evaluations};
    memcpy(to, values, sizeof values);
    return 1;
}

/* The file of a creature of the last complete generation by its rank, or of its first parent. */
EXPORT(web_best) int web_best(int rank, int is_parent)
{
    struct bestiary_creature *best;
    bestiary_bytes_free(&given);
    if ((is_parent ? bestiary_search_parent : bestiary_search_creature)(search, rank, &best,
                                                                        &error))
        return -1;
    int status = bestiary_creature_write(best, BESTIARY_BINARY, &given, &error);
    bestiary_creature_free(best);
    return give(status);
}

EXPORT(web_digest) uint64_t web_digest(void)
{
    return bestiary_search_digest(search);
}
