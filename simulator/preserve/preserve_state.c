/* See preserve_state.h. */
#include "simulator/preserve/preserve_state.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature/creature.h"
#include "common/formats/pack_fields.h"
#include "common/math/hash.h"
#include "common/rows.h"

/* 4: depth and first draws of creatures, which states of version 3 lack. */
#define STATE_VERSION        4
#define STATE_VERSION_OLDEST 3

_Static_assert((int)DEATH_COUNT == (int)EPOCH_CAUSE_COUNT, "causes of death have names");
_Static_assert((int)FOOD_COUNT == (int)EPOCH_FOOD_COUNT, "so have foods");

void creature_state_deinit(struct creature_state *creature)
{
    genome_deinit(&creature->genome);
    free(creature->numbers);
    free(creature->heard);
    creature->numbers = NULL;
    creature->heard = NULL;
    creature->number_count = creature->heard_count = 0;
}

void preserve_state_init(struct preserve_state *state)
{
    *state = (struct preserve_state){.next_id = 1};
}

void preserve_state_deinit(struct preserve_state *state)
{
    for (int i = 0; i < preserve_state_count(state); i++)
        creature_state_deinit(preserve_state_creature(state, i));
    free(state->plants);
    free(state->scents);
    free(state->living);
    free(state->eggs);
    free(state->carcasses);
    preserve_state_init(state);
}

int preserve_state_find_living(const struct preserve_state *state, uint64_t id)
{
    for (int i = 0; i < state->living_count; i++)
        if (state->living[i].descent.id == id)
            return i;
    return -1;
}

static int is_listed(const uint64_t *ids, int count, uint64_t id)
{
    for (int i = 0; i < count; i++)
        if (ids[i] == id)
            return 1;
    return 0;
}

int preserve_state_is_without(const struct preserve_state *state, uint64_t id)
{
    return state->order && is_listed(state->order->without, state->order->without_count, id);
}

int preserve_state_is_spared(const struct preserve_state *state, uint64_t id)
{
    return state->order && is_listed(state->order->spared, state->order->spared_count, id);
}

struct creature_state *preserve_state_add_living(struct preserve_state *state)
{
    return rows_add(&state->living, &state->living_count, &state->living_room, INT_MAX,
                    sizeof state->living[0]);
}

struct creature_state *preserve_state_add_egg(struct preserve_state *state)
{
    return rows_add(&state->eggs, &state->egg_count, &state->egg_room, PRESERVE_EGGS_MAX,
                    sizeof state->eggs[0]);
}

void preserve_state_remove_egg(struct preserve_state *state, int i)
{
    memmove(&state->eggs[i], &state->eggs[i + 1],
            (size_t)(state->egg_count - i - 1) * sizeof state->eggs[0]);
    state->egg_count--;
}

struct carcass *preserve_state_add_carcass(struct preserve_state *state)
{
    return rows_add(&state->carcasses, &state->carcass_count, &state->carcass_room,
                    PRESERVE_EGGS_MAX, sizeof state->carcasses[0]);
}

/* A store that holds as much is full: sums of unchecked states cannot overflow. */
#define STORE_MOST (INT64_MAX / 8)
static void fill(microjoules *store, microjoules energy)
{
    if (*store < STORE_MOST)
        *store += energy;
}

void preserve_state_stores(const struct preserve_state *state, microjoules stores[STORE_COUNT])
{
    memset(stores, 0, STORE_COUNT * sizeof stores[0]);
    for (int i = 0; i < state->plant_count; i++)
        fill(&stores[STORE_PLANTS], state->plants[i]);
    for (int i = 0; i < state->living_count; i++) {
        fill(&stores[STORE_RESERVES], state->living[i].reserve);
        fill(&stores[STORE_BODIES], state->living[i].body);
    }
    for (int i = 0; i < state->egg_count; i++)
        fill(&stores[STORE_EGGS], state->eggs[i].reserve + state->eggs[i].body);
    for (int i = 0; i < state->carcass_count; i++)
        fill(&stores[STORE_CARCASSES], state->carcasses[i].energy);
    for (int i = 0; i < state->scent_count; i++)
        fill(&stores[STORE_SCENT], state->scents[i]);
}

microjoules preserve_state_total(const struct preserve_state *state)
{
    microjoules stores[STORE_COUNT], total = 0;
    preserve_state_stores(state, stores);
    for (int i = 0; i < STORE_COUNT; i++)
        total += stores[i];
    return total;
}

static int is_energy(microjoules energy)
{
    return energy >= 0 && energy <= ENERGY_SUM_MAX;
}

/* Flows may be beyond the bounds of a state that is read: a world that is at them lives on. */
static void check_all(const struct preserve_state *state)
{
    ENSURE(state->living_count <= state->living_room && state->egg_count <= state->egg_room &&
               state->carcass_count <= state->carcass_room,
           "%d live, %d eggs, %d carcasses", state->living_count, state->egg_count,
           state->carcass_count);
    for (int i = 0; i < preserve_state_count(state); i++) {
        const struct creature_state *c = preserve_state_creature(state, i);
        ENSURE(c->descent.generation >= 0 && c->children >= 0 && isfinite(c->x_m) &&
                   isfinite(c->y_m) && (c->number_count > 0) == (c->numbers != NULL) &&
                   is_energy(c->reserve) && is_energy(c->body),
               "creature %" PRIu64 " of generation %d is at %g, %g with %d numbers", c->descent.id,
               c->descent.generation, c->x_m, c->y_m, c->number_count);
    }
    for (int i = 0; i < state->scent_count; i++)
        ENSURE(is_energy(state->scents[i]), "cell %d smells of %" PRId64 " uJ", i,
               state->scents[i]);
    for (int i = 0; i < state->plant_count; i++)
        ENSURE(is_energy(state->plants[i]), "cell %d holds %" PRId64 " uJ", i, state->plants[i]);
}

void preserve_state_check(const struct preserve_state *state)
{
    const struct energy_ledger *l = &state->ledger;
    microjoules stored = preserve_state_total(state);
    CHECK_DEARLY(check_all(state));
    for (int i = 0; i < state->living_count; i++)
        ENSURE(is_energy(state->living[i].reserve) && is_energy(state->living[i].body),
               "creature %" PRIu64 " holds %" PRId64 " and %" PRId64 " uJ",
               state->living[i].descent.id, state->living[i].reserve, state->living[i].body);
    for (int i = 0; i < state->carcass_count; i++)
        ENSURE(is_energy(state->carcasses[i].energy), "carcass %d", i);
    ENSURE(energy_ledger_error(l, stored) == 0,
           "tick %" PRId64 ": the stores hold %" PRId64 " uJ; by start %" PRId64 ", sun %" PRId64
           ", heat %" PRId64 ", arrivals %" PRId64 ", departures %" PRId64 " it is %" PRId64,
           (int64_t)state->tick, stored, l->start, l->sun, l->heat, l->arrivals, l->departures,
           stored - energy_ledger_error(l, stored));
}

/* ---------------------------------------------------------------- the form */

enum {
    CREATURE_FIELDS = 30,
    CREATURE_FIELDS_OLDEST = 26,
    CARCASS_FIELDS = 4,
    NOISE_FIELDS = 4,
    STATE_FIELDS = 18
};

/* A world's own ids are below 2^47. A gene's id has a creature's in its upper bits. */
#define ID_MOST (UINT64_C(1) << 52)
/* Generations and children, whose counts are ints. */
#define NUMBER_MOST 1000000000
/* Of a rate, an angle, a way. */
#define MOTION_MOST 1e12
/* A louder call is no sound of an emitter. */
#define STRENGTH_MOST 1.0

/* The memory that a state may take besides the cells of its water, for each of its bytes, and
 * besides that. A body is at least as long in a state as it is in memory, but related bodies pack
 * well. */
#define MEMORY_FACTOR      10
#define MEMORY_LEAST_BYTES (16u << 20)

/* Takes the bytes out of the memory that the state may still take. */
static void charge(struct pack_fields *f, size_t bytes)
{
    if (f->rc != 0 || !f->is_reading)
        return;
    if (bytes > *f->memory_left)
        pack_fields_fail(f, ERR_LIMIT, NULL,
                         "a state takes %d times its size and %u MB of memory at most",
                         MEMORY_FACTOR, MEMORY_LEAST_BYTES >> 20);
    else
        *f->memory_left -= bytes;
}

static void visit_energy(struct pack_fields *f, const char *name, microjoules *energy)
{
    pack_fields_i64(f, name, energy, 0, ENERGY_SUM_MAX);
}

static void visit_place(struct pack_fields *f, const char *name, double *m)
{
    pack_fields_real(f, name, m, -PRESERVE_PLACE_MOST_M, PRESERVE_PLACE_MOST_M);
}

static void visit_motion(struct pack_fields *f, const char *name, double *number)
{
    pack_fields_real(f, name, number, -MOTION_MOST, MOTION_MOST);
}

/* The first two coordinates of a motion are its place; each is followed by its rate. */
static void visit_numbers(struct pack_fields *f, struct creature_state *c)
{
    int count = c->number_count;
    struct pack_fields in = pack_fields_list(f, "motion", &count, PRESERVE_NUMBERS_MAX);
    charge(&in, (size_t)count * sizeof c->numbers[0]);
    if (f->is_reading) {
        c->numbers = pack_fields_memory(&in, count, sizeof c->numbers[0]);
        c->number_count = c->numbers ? count : 0;
    }
    for (int i = 0; i < c->number_count; i++)
        (i == 0 || i == 2 ? visit_place : visit_motion)(&in, "number", &c->numbers[i]);
    pack_fields_close(f, &in);
}

static void visit_noise(struct pack_fields *f, struct noise *noise)
{
    struct pack_fields in = pack_fields_record(f, "sound", NOISE_FIELDS);
    visit_place(&in, "x", &noise->at.x);
    visit_place(&in, "y", &noise->at.y);
    pack_fields_real(&in, "strength", &noise->strength, -STRENGTH_MOST, STRENGTH_MOST);
    if (f->is_reading)
        noise->strength = fabs(noise->strength);
    pack_fields_i64(&in, "creature", &noise->body, 0, PRESERVE_LIVING_MAX - 1);
    pack_fields_close(f, &in);
}

/* Ticks and noises in turn. */
static void visit_heard(struct pack_fields *f, struct creature_state *c)
{
    int count = 2 * c->heard_count;
    struct pack_fields in = pack_fields_list(f, "heard", &count, 2 * PRESERVE_HEARD_MAX);
    if (count % 2 != 0)
        pack_fields_fail(&in, ERR_FORMAT, NULL, "a tick without a noise");
    charge(&in, (size_t)count / 2 * sizeof c->heard[0]);
    if (f->is_reading) {
        c->heard = pack_fields_memory(&in, count / 2, sizeof c->heard[0]);
        c->heard_count = c->heard ? count / 2 : 0;
    }
    for (int i = 0; i < c->heard_count; i++) {
        pack_fields_i64(&in, "tick", &c->heard[i].tick, 0, EPOCH_TICK_MOST);
        visit_noise(&in, &c->heard[i].noise);
    }
    pack_fields_close(f, &in);
}

static void visit_foods(struct pack_fields *f, microjoules eaten[FOOD_COUNT])
{
    struct pack_fields in = pack_fields_record(f, "eaten", FOOD_COUNT);
    for (int i = 0; i < FOOD_COUNT; i++)
        visit_energy(&in, "energy_uj", &eaten[i]);
    pack_fields_close(f, &in);
}

static void visit_genome(struct pack_fields *f, struct genome *genome)
{
    const unsigned char *bytes;
    size_t length = 0;
    if (f->writer)
        genome_encode(genome, f->writer);
    if (!pack_fields_whole(f, &bytes, &length))
        return;
    charge(f, length);
    if (f->rc == 0)
        f->rc = genome_decode_bytes(genome, bytes, length, f->error);
}

/* tick: of the state. */
static void visit_creature(struct pack_fields *f, struct creature_state *c, int64_t tick)
{
    struct pack_fields in =
        pack_fields_grown(f, "creature", CREATURE_FIELDS, CREATURE_FIELDS_OLDEST);
    charge(&in, sizeof *c);
    pack_fields_u64(&in, "id", &c->descent.id, ID_MOST);
    pack_fields_u64(&in, "mother", &c->descent.mother, ID_MOST);
    pack_fields_u64(&in, "father", &c->descent.father, ID_MOST);
    pack_fields_int(&in, "family", &c->descent.family, 0, INT32_MAX);
    pack_fields_int(&in, "generation", &c->descent.generation, 0, NUMBER_MOST);
    visit_genome(&in, &c->genome);
    pack_fields_i64(&in, "reserve_uj", &c->reserve, 0, MICROJOULES_MAX);
    pack_fields_i64(&in, "body_uj", &c->body, 0, MICROJOULES_MAX);
    /* founders that hatch at once are laid for the first tick */
    pack_fields_i64(&in, "born_tick", &c->born_tick, -EPOCH_TICK_MOST, tick + 1);
    visit_place(&in, "x_m", &c->x_m);
    visit_place(&in, "y_m", &c->y_m);
    pack_fields_i64(&in, "body_whole_uj", &c->body_whole, 0, MICROJOULES_MAX);
    if (!f->writer && c->body > c->body_whole)
        pack_fields_fail(&in, ERR_RANGE, "body_uj", "expected at most %" PRId64 ", not %" PRId64,
                         c->body_whole, c->body);
    visit_energy(&in, "bitten_uj", &c->bitten);
    visit_energy(&in, "starved_uj", &c->starved);
    pack_fields_real(&in, "owed_j", &c->owed_j, -OWED_MOST_J, OWED_MOST_J);
    pack_fields_int(&in, "children", &c->children, 0, NUMBER_MOST);
    visit_foods(&in, c->gained);
    visit_motion(&in, "way_m", &c->way_m);
    visit_place(&in, "from_x_m", &c->from_x_m);
    visit_place(&in, "from_y_m", &c->from_y_m);
    pack_fields_u64(&in, "met", &c->met, ID_MOST);
    pack_fields_i64(&in, "met_tick", &c->met_tick, -EPOCH_TICK_MOST, EPOCH_TICK_MOST);
    visit_numbers(&in, c);
    visit_motion(&in, "turn_rad", &c->turn_rad);
    visit_noise(&in, &c->ear);
    visit_heard(&in, c);
    visit_motion(&in, "depth_sum_m", &c->depth_sum_m);
    pack_fields_int(&in, "depth_steps", &c->depth_steps, 0, NUMBER_MOST);
    visit_motion(&in, "drawn_m2", &c->drawn.area_m2);
    pack_fields_int(&in, "drawn_parts", &c->drawn.parts, 0, NUMBER_MOST);
    pack_fields_close(f, &in);
}

/* Those of a state, or for one that reads those that it adds to it. */
static void visit_creatures(struct pack_fields *f, const char *where, struct preserve_state *s,
                            struct creature_state *rows, int count, int most, int64_t tick)
{
    int are_living = strcmp(where, "living") == 0;
    struct pack_fields in = pack_fields_list(f, where, &count, most);
    for (int i = 0; in.rc == 0 && i < count; i++) {
        struct creature_state *c = !f->is_reading ? &rows[i]
                                   : are_living   ? preserve_state_add_living(s)
                                                  : preserve_state_add_egg(s);
        if (c)
            visit_creature(&in, c, tick);
        else
            pack_fields_fail(&in, ERR_MEMORY, NULL, "%s", error_text(ERR_MEMORY));
        if (in.rc != 0)
            error_prefix(f->error, "%s %d, id %" PRIu64, where, i, c ? c->descent.id : 0);
    }
    pack_fields_close(f, &in);
}

/* Cells of a grid: as many as the water has. */
static void visit_cells(struct pack_fields *f, const char *where, microjoules **energies,
                        int *cell_count, int most, microjoules energy_most)
{
    int count = *cell_count;
    struct pack_fields in = pack_fields_list(f, where, &count, most);
    if (f->is_reading) {
        *energies = pack_fields_memory(&in, count, sizeof **energies);
        *cell_count = *energies ? count : 0;
    }
    for (int i = 0; i < *cell_count; i++)
        pack_fields_i64(&in, "energy_uj", &(*energies)[i], 0, energy_most);
    pack_fields_close(f, &in);
}

static void visit_carcasses(struct pack_fields *f, struct preserve_state *s)
{
    int count = s->carcass_count;
    struct pack_fields list = pack_fields_list(f, "carcasses", &count, PRESERVE_EGGS_MAX);
    for (int i = 0; list.rc == 0 && i < count; i++) {
        struct carcass *c = f->is_reading ? preserve_state_add_carcass(s) : &s->carcasses[i];
        if (!c) {
            pack_fields_fail(&list, ERR_MEMORY, NULL, "%s", error_text(ERR_MEMORY));
            break;
        }
        struct pack_fields in = pack_fields_record(&list, "carcass", CARCASS_FIELDS);
        visit_energy(&in, "energy_uj", &c->energy);
        visit_place(&in, "x_m", &c->x_m);
        visit_place(&in, "y_m", &c->y_m);
        visit_place(&in, "radius_m", &c->radius_m);
        pack_fields_close(&list, &in);
    }
    pack_fields_close(f, &list);
}

/* Strain, the last cause, is written where there were such deaths. */
static void visit_counts(struct pack_fields *f, struct preserve_counts *counts)
{
    int count = !f->writer || counts->deaths[DEATH_STRAIN] > 0 ? DEATH_COUNT : DEATH_STRAIN;
    pack_fields_u64(f, "births", &counts->births, EPOCH_COUNT_MOST);
    struct pack_fields in = pack_fields_list(f, "deaths", &count, DEATH_COUNT);
    for (int i = 0; i < count; i++)
        pack_fields_u64(&in, epoch_cause_names[i], &counts->deaths[i], EPOCH_COUNT_MOST);
    pack_fields_close(f, &in);
    visit_foods(f, counts->eaten);
}

static void visit_version(struct pack_fields *f)
{
    uint64_t version = STATE_VERSION;
    pack_fields_u64(f, "version", &version, UINT64_MAX);
    if (version < STATE_VERSION_OLDEST || version > STATE_VERSION)
        pack_fields_fail(f, ERR_VERSION, NULL, "state of version %" PRIu64 ", not %d to %d",
                         version, STATE_VERSION_OLDEST, STATE_VERSION);
}

/* Room for fields of later versions. */
static void visit_later(struct pack_fields *f)
{
    msgpack_object room;
    const msgpack_object *object = pack_fields_next(f, &room);
    if (f->writer)
        pack_nil(f->writer);
    if (object && object->type != MSGPACK_OBJECT_NIL)
        pack_fields_fail(f, ERR_FORMAT, NULL, "fields of a later version");
}

/* An array; the living, eggs and carcasses are arrays of arrays. */
static void visit_state(struct pack_fields *f, struct preserve_state *s,
                        const struct preserve_cells *most)
{
    struct pack_fields in = pack_fields_record(f, "state", STATE_FIELDS);
    visit_version(&in);
    pack_fields_u64(&in, "seed", &s->seed, INT64_MAX);
    pack_fields_i64(&in, "tick", &s->tick, 0, EPOCH_TICK_MOST);
    pack_fields_u64(&in, "next_id", &s->next_id, ID_MOST);
    visit_energy(&in, "start_uj", &s->ledger.start);
    visit_energy(&in, "sun_uj", &s->ledger.sun);
    visit_energy(&in, "heat_uj", &s->ledger.heat);
    visit_energy(&in, "arrivals_uj", &s->ledger.arrivals);
    visit_energy(&in, "departures_uj", &s->ledger.departures);
    visit_counts(&in, &s->counts);
    visit_cells(&in, "plants", &s->plants, &s->plant_count, most->plants, MICROJOULES_MAX);
    visit_cells(&in, "scent", &s->scents, &s->scent_count, most->scents, ENERGY_SUM_MAX);
    visit_creatures(&in, "living", s, s->living, s->living_count, PRESERVE_LIVING_MAX, s->tick);
    visit_creatures(&in, "eggs", s, s->eggs, s->egg_count, PRESERVE_EGGS_MAX, s->tick);
    visit_carcasses(&in, s);
    visit_later(&in);
    pack_fields_close(f, &in);
}

/* Of the largest water. */
static const struct preserve_cells most_cells = {PLANTS_CELLS_MAX, SCENT_CHANNELS *SCENT_CELLS_MAX};

/* Writing and checking change nothing of the state. */
void preserve_state_encode(const struct preserve_state *state, struct pack_writer *writer)
{
    struct pack_fields fields = {.writer = writer};
    visit_state(&fields, (struct preserve_state *)state, &most_cells);
}

uint64_t preserve_digest(const struct preserve_state *state)
{
    struct pack_writer writer;
    pack_writer_init(&writer);
    preserve_state_encode(state, &writer);
    ENSURE(!writer.has_failed, "out of memory");
    uint64_t digest = hash_bytes(HASH_START, writer.buffer.data, writer.buffer.size);
    pack_writer_deinit(&writer);
    return digest;
}

int preserve_state_bound(const struct preserve_state *state, struct error *error)
{
    struct pack_fields fields = {.error = error};
    visit_state(&fields, (struct preserve_state *)state, &most_cells);
    microjoules all = fields.rc == 0 ? preserve_state_total(state) : 0;
    pack_fields_i64(&fields, "all energy, uJ", &all, 0, ENERGY_SUM_MAX);
    return fields.rc;
}

/* ---------------------------------------------------------------- reading */

/* Of so many bytes as they are kept. */
static struct pack_fields fields_of(struct pack_stream *stream, size_t length, size_t *memory_left,
                                    const char *where, struct error *error)
{
    *memory_left = MEMORY_FACTOR * length + MEMORY_LEAST_BYTES;
    return (struct pack_fields){.is_reading = 1,
                                .stream = stream,
                                .left = 1,
                                .memory_left = memory_left,
                                .where = where,
                                .error = error};
}

/* An egg must not. */
static int moves(const struct creature_state *egg)
{
    return egg->number_count > 0 || egg->heard_count > 0;
}

/* Each energy is within its range; together they must add up. */
static int check_whole(const struct preserve_state *s, struct error *error)
{
    int rc = preserve_state_bound(s, error);
    for (int i = 0; rc == 0 && i < s->egg_count; i++)
        if (moves(&s->eggs[i]))
            rc = error_set(error, ERR_FORMAT, "egg %" PRIu64 " moves", s->eggs[i].descent.id);
    if (rc == 0 && energy_ledger_error(&s->ledger, preserve_state_total(s)) != 0)
        rc = error_set(error, ERR_FORMAT, "ledger: stores and flows differ");
    return rc;
}

/* Of so many bytes as they are kept. Closes the stream. */
static int decode_stream(struct preserve_state *state, struct pack_stream *stream, size_t length,
                         const struct preserve_cells *most, struct error *error)
{
    size_t memory_left;
    struct pack_fields fields = fields_of(stream, length, &memory_left, "state", error);
    preserve_state_init(state);
    visit_state(&fields, state, most);
    int rc = fields.rc ? fields.rc : pack_stream_end(stream, error);
    rc = rc ? rc : check_whole(state, error);
    pack_stream_close(stream);
    if (rc != 0)
        preserve_state_deinit(state);
    return rc;
}

int preserve_state_decode(struct preserve_state *state, const void *bytes, size_t length,
                          struct error *error)
{
    struct pack_stream stream;
    pack_stream_open(&stream, bytes, length);
    return decode_stream(state, &stream, length, &most_cells, error);
}

/* ---------------------------------------------------------------- as it travels */

#define TRAVELLER "traveller"

int preserve_state_pack(const struct preserve_state *state, struct packed_bytes *packed)
{
    struct pack_writer writer;
    pack_writer_init(&writer);
    preserve_state_encode(state, &writer);
    int rc = packed_bytes_compress(packed, &writer);
    pack_writer_deinit(&writer);
    return rc;
}

int preserve_state_unpack_of(struct preserve_state *state, const struct packed_bytes *packed,
                             const struct preserve_cells *most, struct error *error)
{
    struct pack_stream stream;
    preserve_state_init(state);
    int rc = packed_bytes_open(packed, &stream, error);
    return rc ? rc : decode_stream(state, &stream, packed->length, most, error);
}

int preserve_state_unpack(struct preserve_state *state, const struct packed_bytes *packed,
                          struct error *error)
{
    return preserve_state_unpack_of(state, packed, &most_cells, error);
}

int preserve_egg_pack(const struct creature_state *egg, struct packed_bytes *packed)
{
    struct pack_writer writer;
    pack_writer_init(&writer);
    struct pack_fields whole = {.writer = &writer};
    struct pack_fields list = pack_fields_record(&whole, TRAVELLER, 1);
    visit_creatures(&list, TRAVELLER, NULL, (struct creature_state *)egg, 1, 1, EPOCH_TICK_MOST);
    int rc = packed_bytes_compress(packed, &writer);
    pack_writer_deinit(&writer);
    return rc;
}

int preserve_egg_unpack(struct preserve_state *state, const struct packed_bytes *packed,
                        struct error *error)
{
    struct pack_stream stream;
    size_t memory_left;
    int before = state->egg_count, rc = packed_bytes_open(packed, &stream, error);
    if (rc != 0)
        return rc;
    struct pack_fields whole = fields_of(&stream, packed->length, &memory_left, TRAVELLER, error);
    struct pack_fields list = pack_fields_record(&whole, TRAVELLER, 1);
    visit_creatures(&list, TRAVELLER, state, NULL, 0, 1, EPOCH_TICK_MOST);
    pack_fields_close(&whole, &list);
    rc = whole.rc ? whole.rc : pack_stream_end(&stream, error);
    if (rc == 0 && state->egg_count == before)
        rc = error_set(error, ERR_FORMAT, TRAVELLER ": there is none");
    if (rc == 0 && moves(&state->eggs[before]))
        rc = error_set(error, ERR_FORMAT, TRAVELLER ": an egg moves");
    pack_stream_close(&stream);
    return rc;
}
