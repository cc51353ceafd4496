/* See preserve_state.h. The form: an array; the living, eggs and carcasses are arrays of arrays. */
#include "simulator/preserve/preserve_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature/creature.h"
#include "common/formats/pack_stream.h"

#define STATE_VERSION 3

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
    for (int i = 0; i < state->living_count; i++)
        creature_state_deinit(&state->living[i]);
    for (int i = 0; i < state->egg_count; i++)
        creature_state_deinit(&state->eggs[i]);
    free(state->plants);
    free(state->scents);
    free(state->living);
    free(state->eggs);
    free(state->carcasses);
    preserve_state_init(state);
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
    ENSURE(state->without_count >= 0, "%d must not live", state->without_count);
    return is_listed(state->without, state->without_count, id);
}

int preserve_state_is_spared(const struct preserve_state *state, uint64_t id)
{
    ENSURE(state->spared_count >= 0, "%d are spared", state->spared_count);
    return is_listed(state->spared, state->spared_count, id);
}

/* Room for one more row of `size` bytes. Returns the zeroed row, or NULL. */
static void *add_row(void **rows, int *count, int *room, size_t size)
{
    if (*count == *room) {
        int more = *room ? 2 * *room : 16;
        void *larger = realloc(*rows, (size_t)more * size);
        if (!larger)
            return NULL;
        *rows = larger;
        *room = more;
    }
    void *row = (char *)*rows + (size_t)*count * size;
    memset(row, 0, size);
    ++*count;
    return row;
}

struct creature_state *preserve_state_add_living(struct preserve_state *state)
{
    void *rows = state->living;
    void *row = add_row(&rows, &state->living_count, &state->living_room, sizeof state->living[0]);
    state->living = rows;
    return row;
}

struct creature_state *preserve_state_add_egg(struct preserve_state *state)
{
    void *rows = state->eggs;
    void *row = add_row(&rows, &state->egg_count, &state->egg_room, sizeof state->eggs[0]);
    state->eggs = rows;
    return row;
}

struct carcass *preserve_state_add_carcass(struct preserve_state *state)
{
    void *rows = state->carcasses;
    void *row =
        add_row(&rows, &state->carcass_count, &state->carcass_room, sizeof state->carcasses[0]);
    state->carcasses = rows;
    return row;
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

static void check_creature(const struct creature_state *c)
{
    unsigned long long id = (unsigned long long)c->descent.id;
    ENSURE(c->descent.generation >= 0 && c->children >= 0, "creature %llu: generation %d", id,
           c->descent.generation);
    ENSURE(isfinite(c->x_m) && isfinite(c->y_m), "creature %llu is at %g, %g", id, c->x_m, c->y_m);
    ENSURE((c->number_count > 0) == (c->numbers != NULL) && c->number_count <= PRESERVE_NUMBERS_MAX,
           "creature %llu has %d numbers", id, c->number_count);
}

static void check_all(const struct preserve_state *state)
{
    ENSURE(state->living_count >= 0 && state->living_count <= state->living_room, "%d of %d live",
           state->living_count, state->living_room);
    ENSURE(state->egg_count >= 0 && state->egg_count <= state->egg_room, "%d of %d eggs",
           state->egg_count, state->egg_room);
    ENSURE(state->carcass_count >= 0 && state->carcass_count <= state->carcass_room,
           "%d of %d carcasses", state->carcass_count, state->carcass_room);
    for (int i = 0; i < state->living_count; i++)
        check_creature(&state->living[i]);
    for (int i = 0; i < state->egg_count; i++)
        check_creature(&state->eggs[i]);
    for (int i = 0; i < state->scent_count; i++)
        ENSURE(is_energy(state->scents[i]), "cell %d smells of %lld uJ", i,
               (long long)state->scents[i]);
    for (int i = 0; i < state->plant_count; i++)
        ENSURE(is_energy(state->plants[i]), "cell %d holds %lld uJ", i,
               (long long)state->plants[i]);
    for (int i = 0; i < state->egg_count; i++)
        ENSURE(is_energy(state->eggs[i].reserve) && is_energy(state->eggs[i].body),
               "egg %d holds %lld and %lld uJ", i, (long long)state->eggs[i].reserve,
               (long long)state->eggs[i].body);
}

void preserve_state_check(const struct preserve_state *state)
{
    const struct energy_ledger *l = &state->ledger;
    microjoules stored = preserve_state_total(state);
    CHECK_DEARLY(check_all(state));
    for (int i = 0; i < state->living_count; i++)
        ENSURE(is_energy(state->living[i].reserve) && is_energy(state->living[i].body),
               "creature %llu holds %lld and %lld uJ",
               (unsigned long long)state->living[i].descent.id, (long long)state->living[i].reserve,
               (long long)state->living[i].body);
    for (int i = 0; i < state->carcass_count; i++)
        ENSURE(is_energy(state->carcasses[i].energy), "carcass %d", i);
    ENSURE(energy_ledger_error(l, stored) == 0,
           "tick %lld: the stores hold %lld uJ; by start %lld, sun %lld, heat %lld, arrivals %lld, "
           "departures %lld it is %lld",
           (long long)state->tick, (long long)stored, (long long)l->start, (long long)l->sun,
           (long long)l->heat, (long long)l->arrivals, (long long)l->departures,
           (long long)(stored - energy_ledger_error(l, stored)));
}

/* ---------------------------------------------------------------- writing */

enum { CREATURE_FIELDS = 26, CARCASS_FIELDS = 4, NOISE_FIELDS = 4, STATE_FIELDS = 18 };

static void encode_noise(const struct noise *noise, struct pack_writer *writer)
{
    pack_array(writer, NOISE_FIELDS);
    pack_double(writer, noise->at.x);
    pack_double(writer, noise->at.y);
    pack_double(writer, noise->strength);
    pack_i64(writer, noise->body);
}

/* Ticks and noises in turn. */
static void encode_heard(const struct creature_state *c, struct pack_writer *writer)
{
    pack_array(writer, 2 * (size_t)c->heard_count);
    for (int i = 0; i < c->heard_count; i++) {
        pack_i64(writer, c->heard[i].tick);
        encode_noise(&c->heard[i].noise, writer);
    }
}

static void encode_energies(const microjoules *energies, int count, struct pack_writer *writer)
{
    pack_array(writer, (size_t)count);
    for (int i = 0; i < count; i++)
        pack_i64(writer, energies[i]);
}

static void encode_creature(const struct creature_state *c, struct pack_writer *writer)
{
    pack_array(writer, CREATURE_FIELDS);
    pack_u64(writer, c->descent.id);
    pack_u64(writer, c->descent.mother);
    pack_u64(writer, c->descent.father);
    pack_i64(writer, c->descent.family);
    pack_i64(writer, c->descent.generation);
    genome_encode(&c->genome, writer);
    pack_i64(writer, c->reserve);
    pack_i64(writer, c->body);
    pack_i64(writer, c->born_tick);
    pack_double(writer, c->x_m);
    pack_double(writer, c->y_m);
    pack_i64(writer, c->body_whole);
    pack_i64(writer, c->bitten);
    pack_i64(writer, c->starved);
    pack_double(writer, c->owed_j);
    pack_i64(writer, c->children);
    encode_energies(c->gained, FOOD_COUNT, writer);
    pack_double(writer, c->way_m);
    pack_double(writer, c->from_x_m);
    pack_double(writer, c->from_y_m);
    pack_u64(writer, c->met);
    pack_i64(writer, c->met_tick);
    pack_array(writer, (size_t)c->number_count);
    for (int i = 0; i < c->number_count; i++)
        pack_double(writer, c->numbers[i]);
    pack_double(writer, c->turn_rad);
    encode_noise(&c->ear, writer);
    encode_heard(c, writer);
}

static void encode_creatures(const struct creature_state *creatures, int count,
                             struct pack_writer *writer)
{
    pack_array(writer, (size_t)count);
    for (int i = 0; i < count; i++)
        encode_creature(&creatures[i], writer);
}

void preserve_state_encode(const struct preserve_state *s, struct pack_writer *writer)
{
    pack_array(writer, STATE_FIELDS);
    pack_u64(writer, STATE_VERSION);
    pack_u64(writer, s->seed);
    pack_i64(writer, s->tick);
    pack_u64(writer, s->next_id);
    pack_i64(writer, s->ledger.start);
    pack_i64(writer, s->ledger.sun);
    pack_i64(writer, s->ledger.heat);
    pack_i64(writer, s->ledger.arrivals);
    pack_i64(writer, s->ledger.departures);
    pack_u64(writer, s->counts.births);
    int causes = s->counts.deaths[DEATH_STRAIN] > 0 ? DEATH_COUNT : DEATH_STRAIN;
    pack_array(writer, (size_t)causes);
    for (int i = 0; i < causes; i++)
        pack_u64(writer, s->counts.deaths[i]);
    encode_energies(s->counts.eaten, FOOD_COUNT, writer);
    encode_energies(s->plants, s->plant_count, writer);
    encode_energies(s->scents, s->scent_count, writer);
    encode_creatures(s->living, s->living_count, writer);
    encode_creatures(s->eggs, s->egg_count, writer);
    pack_array(writer, (size_t)s->carcass_count);
    for (int i = 0; i < s->carcass_count; i++) {
        pack_array(writer, CARCASS_FIELDS);
        pack_i64(writer, s->carcasses[i].energy);
        pack_double(writer, s->carcasses[i].x_m);
        pack_double(writer, s->carcasses[i].y_m);
        pack_double(writer, s->carcasses[i].radius_m);
    }
    pack_nil(writer); /* room for fields of later versions */
}

/* ---------------------------------------------------------------- bounds */

/* A world's own ids are below 2^47. A gene's id has a creature's in its upper bits. */
#define ID_MOST (INT64_C(1) << 52)
/* Generations and children, whose counts are ints. */
#define NUMBER_MOST 1000000000
/* Of a rate, an angle, a way. */
#define MOTION_MOST 1e12
/* A louder call is no sound of an emitter. */
#define STRENGTH_MOST 1.0

/* Looks at numbers in turn; the first one out of its bounds stays. */
struct bounds {
    const char *where;
    uint64_t id;
    int rc;
    struct error *error;
};

static void bound_whole(struct bounds *b, const char *what, int64_t value, int64_t low,
                        int64_t high)
{
    if (b->rc == 0 && (value < low || value > high))
        b->rc = error_set(b->error, ERR_RANGE,
                          "%s %" PRIu64 ": %s %" PRId64 ", expected %" PRId64 " to %" PRId64,
                          b->where, b->id, what, value, low, high);
}

static void bound_real(struct bounds *b, const char *what, double value, double most)
{
    if (b->rc == 0 && !(fabs(value) <= most))
        b->rc = error_set(b->error, ERR_RANGE, "%s %" PRIu64 ": %s %g, expected %g at most",
                          b->where, b->id, what, value, most);
}

static void bound_noise(struct bounds *b, const struct noise *noise)
{
    bound_real(b, "a sound's x", noise->at.x, PRESERVE_PLACE_MOST_M);
    bound_real(b, "a sound's y", noise->at.y, PRESERVE_PLACE_MOST_M);
    bound_real(b, "a sound's strength", noise->strength, STRENGTH_MOST);
    bound_whole(b, "a sound's creature", noise->body, 0, PRESERVE_LIVING_MAX - 1);
}

/* The first two coordinates of a motion are its place; each is followed by its rate. */
static void bound_motion(struct bounds *b, const struct creature_state *c)
{
    for (int i = 0; i < c->number_count; i++)
        bound_real(b, "motion", c->numbers[i],
                   i == 0 || i == 2 ? PRESERVE_PLACE_MOST_M : MOTION_MOST);
}

static void bound_creature(struct bounds *b, const struct creature_state *c, int64_t tick)
{
    b->id = c->descent.id;
    bound_whole(b, "id", (int64_t)c->descent.id, 0, ID_MOST);
    bound_whole(b, "mother", (int64_t)c->descent.mother, 0, ID_MOST);
    bound_whole(b, "father", (int64_t)c->descent.father, 0, ID_MOST);
    bound_whole(b, "family", c->descent.family, 0, INT32_MAX);
    bound_whole(b, "generation", c->descent.generation, 0, NUMBER_MOST);
    bound_whole(b, "children", c->children, 0, NUMBER_MOST);
    /* founders that hatch at once are laid for the first tick */
    bound_whole(b, "born_tick", c->born_tick, -EPOCH_TICK_MOST, tick + 1);
    bound_whole(b, "met", (int64_t)c->met, 0, ID_MOST);
    bound_whole(b, "met_tick", c->met_tick, -EPOCH_TICK_MOST, EPOCH_TICK_MOST);
    bound_whole(b, "reserve_uj", c->reserve, 0, MICROJOULES_MAX);
    bound_whole(b, "body_whole_uj", c->body_whole, 0, MICROJOULES_MAX);
    bound_whole(b, "body_uj", c->body, 0, c->body_whole);
    bound_whole(b, "bitten_uj", c->bitten, 0, ENERGY_SUM_MAX);
    bound_whole(b, "starved_uj", c->starved, 0, ENERGY_SUM_MAX);
    for (int i = 0; i < FOOD_COUNT; i++)
        bound_whole(b, "gained_uj", c->gained[i], 0, ENERGY_SUM_MAX);
    bound_real(b, "owed_j", c->owed_j, OWED_MOST_J);
    bound_real(b, "x_m", c->x_m, PRESERVE_PLACE_MOST_M);
    bound_real(b, "y_m", c->y_m, PRESERVE_PLACE_MOST_M);
    bound_real(b, "from_x_m", c->from_x_m, PRESERVE_PLACE_MOST_M);
    bound_real(b, "from_y_m", c->from_y_m, PRESERVE_PLACE_MOST_M);
    bound_real(b, "way_m", c->way_m, MOTION_MOST);
    bound_real(b, "turn_rad", c->turn_rad, MOTION_MOST);
    bound_motion(b, c);
    bound_noise(b, &c->ear);
    for (int i = 0; i < c->heard_count; i++) {
        bound_whole(b, "hears at tick", c->heard[i].tick, 0, EPOCH_TICK_MOST);
        bound_noise(b, &c->heard[i].noise);
    }
}

static void bound_counts(struct bounds *b, const struct preserve_state *s)
{
    const struct energy_ledger *l = &s->ledger;
    bound_whole(b, "tick", s->tick, 0, EPOCH_TICK_MOST);
    bound_whole(b, "next_id", (int64_t)s->next_id, 0, ID_MOST);
    bound_whole(b, "births", (int64_t)s->counts.births, 0, EPOCH_COUNT_MOST);
    for (int i = 0; i < DEATH_COUNT; i++)
        bound_whole(b, "deaths", (int64_t)s->counts.deaths[i], 0, EPOCH_COUNT_MOST);
    for (int i = 0; i < FOOD_COUNT; i++)
        bound_whole(b, "eaten_uj", s->counts.eaten[i], 0, ENERGY_SUM_MAX);
    bound_whole(b, "start_uj", l->start, 0, ENERGY_SUM_MAX);
    bound_whole(b, "sun_uj", l->sun, 0, ENERGY_SUM_MAX);
    bound_whole(b, "heat_uj", l->heat, 0, ENERGY_SUM_MAX);
    bound_whole(b, "arrivals_uj", l->arrivals, 0, ENERGY_SUM_MAX);
    bound_whole(b, "departures_uj", l->departures, 0, ENERGY_SUM_MAX);
}

static void bound_things(struct bounds *b, const struct preserve_state *s)
{
    for (int i = 0; i < s->plant_count; i++)
        bound_whole(b, "a cell of plants", s->plants[i], 0, MICROJOULES_MAX);
    for (int i = 0; i < s->scent_count; i++)
        bound_whole(b, "a cell of scent", s->scents[i], 0, ENERGY_SUM_MAX);
    for (int i = 0; i < s->carcass_count; i++) {
        const struct carcass *c = &s->carcasses[i];
        bound_whole(b, "a carcass", c->energy, 0, ENERGY_SUM_MAX);
        bound_real(b, "a carcass's x", c->x_m, PRESERVE_PLACE_MOST_M);
        bound_real(b, "a carcass's y", c->y_m, PRESERVE_PLACE_MOST_M);
        bound_real(b, "a carcass's radius", c->radius_m, PRESERVE_PLACE_MOST_M);
    }
}

int preserve_state_bound(const struct preserve_state *s, struct error *error)
{
    struct bounds b = {.where = "world", .error = error};
    bound_counts(&b, s);
    bound_things(&b, s);
    b.where = "living";
    for (int i = 0; i < s->living_count; i++)
        bound_creature(&b, &s->living[i], s->tick);
    b.where = "egg";
    for (int i = 0; i < s->egg_count; i++)
        bound_creature(&b, &s->eggs[i], s->tick);
    b.where = "world";
    b.id = 0;
    if (b.rc == 0)
        bound_whole(&b, "all energy, uJ", preserve_state_total(s), 0, ENERGY_SUM_MAX);
    return b.rc;
}

/* ---------------------------------------------------------------- reading */

/* The memory that a state may take besides the cells of its water, for each of its bytes, and
 * besides that. A body is at least as long in a state as it is in memory, but related bodies pack
 * well. */
#define MEMORY_FACTOR      10
#define MEMORY_LEAST_BYTES (16u << 20)

/* Takes elements one after the other; the first error stays. */
struct cursor {
    struct pack_stream *stream;
    size_t count, at;
    msgpack_object object; /* the last one */
    size_t *memory_left;   /* bytes */
    int rc;
    const char *where;
    struct error *error;
};

/* Whether there is an element more. */
static int has_next(struct cursor *c)
{
    if (c->rc == 0 && c->at == c->count)
        c->rc = error_set(c->error, ERR_FORMAT, "%s: too few fields", c->where);
    c->at++;
    return c->rc == 0;
}

static const msgpack_object *next(struct cursor *c)
{
    if (has_next(c))
        c->rc = pack_stream_take(c->stream, &c->object, c->error);
    return c->rc == 0 ? &c->object : NULL;
}

static uint64_t next_u64(struct cursor *c)
{
    uint64_t value = 0;
    const msgpack_object *object = next(c);
    if (object)
        c->rc = pack_get_u64(object, INT64_MAX, &value, c->where, c->error);
    return value;
}

static int64_t next_i64(struct cursor *c)
{
    int64_t value = 0;
    const msgpack_object *object = next(c);
    if (object)
        c->rc = pack_get_i64(object, &value, c->where, c->error);
    return value;
}

static int next_int(struct cursor *c)
{
    int64_t value = next_i64(c);
    if (c->rc == 0 && value != (int)value)
        c->rc = error_set(c->error, ERR_RANGE, "%s: field %zu is %" PRId64, c->where, c->at, value);
    return c->rc == 0 ? (int)value : 0;
}

static double next_double(struct cursor *c)
{
    double value = 0;
    const msgpack_object *object = next(c);
    if (object)
        c->rc = pack_get_double(object, &value, c->where, c->error);
    return value;
}

/* The elements of an array of at most `most`, or of exactly `exact` where that is not negative. */
static struct cursor next_array(struct cursor *c, size_t most, int exact, const char *where)
{
    struct cursor inner = *c;
    const msgpack_object *elements, *object = next(c);
    inner.where = where;
    inner.at = inner.count = 0;
    if (object)
        c->rc = pack_get_array(object, most, exact, &elements, &inner.count, where, c->error);
    if (c->rc != 0)
        inner.count = 0;
    inner.rc = c->rc;
    return inner;
}

/* An error in an array is one in its owner. */
static void leave_array(struct cursor *c, const struct cursor *inner)
{
    ENSURE(inner->rc || inner->at == inner->count, "%s: %zu of %zu elements", inner->where,
           inner->at, inner->count);
    c->rc = c->rc ? c->rc : inner->rc;
}

/* Whether there is memory for so many bytes more. */
static int charge(struct cursor *c, size_t bytes)
{
    if (c->rc == 0 && bytes > *c->memory_left)
        c->rc = error_set(c->error, ERR_LIMIT,
                          "%s: a state takes %d times its size and %u MB of memory at most",
                          c->where, MEMORY_FACTOR, MEMORY_LEAST_BYTES >> 20);
    *c->memory_left -= c->rc == 0 ? bytes : 0;
    return c->rc == 0;
}

/* Memory for all elements of an array that is not empty; NULL where it is, or on an error. */
static void *take_memory(struct cursor *c, size_t count, size_t size)
{
    void *memory = c->rc == 0 && count > 0 ? malloc(count * size) : NULL;
    if (c->rc == 0 && count > 0 && !memory)
        c->rc = error_set(c->error, ERR_MEMORY, "%s: %s", c->where, error_text(ERR_MEMORY));
    return memory;
}

static void next_numbers(struct cursor *c, struct creature_state *creature)
{
    struct cursor numbers = next_array(c, PRESERVE_NUMBERS_MAX, -1, "motion");
    charge(&numbers, numbers.count * sizeof creature->numbers[0]);
    creature->numbers = take_memory(&numbers, numbers.count, sizeof creature->numbers[0]);
    creature->number_count = creature->numbers ? (int)numbers.count : 0;
    for (int i = 0; i < creature->number_count; i++)
        creature->numbers[i] = next_double(&numbers);
    leave_array(c, &numbers);
}

static void next_noise(struct cursor *c, struct noise *noise)
{
    struct cursor fields = next_array(c, NOISE_FIELDS, NOISE_FIELDS, "noise");
    noise->at.x = next_double(&fields);
    noise->at.y = next_double(&fields);
    noise->strength = fabs(next_double(&fields));
    noise->body = next_int(&fields);
    leave_array(c, &fields);
}

static void next_heard(struct cursor *c, struct creature_state *creature)
{
    struct cursor rows = next_array(c, 2 * PRESERVE_HEARD_MAX, -1, "heard");
    if (rows.rc == 0 && rows.count % 2 != 0)
        rows.rc = error_set(c->error, ERR_FORMAT, "heard: a tick without a noise");
    charge(&rows, rows.count / 2 * sizeof creature->heard[0]);
    creature->heard = take_memory(&rows, rows.count / 2, sizeof creature->heard[0]);
    creature->heard_count = creature->heard ? (int)rows.count / 2 : 0;
    for (int i = 0; i < creature->heard_count; i++) {
        creature->heard[i] = (struct heard){.tick = next_i64(&rows)};
        next_noise(&rows, &creature->heard[i].noise);
    }
    leave_array(c, &rows);
}

static void next_foods(struct cursor *c, microjoules eaten[FOOD_COUNT])
{
    struct cursor foods = next_array(c, FOOD_COUNT, FOOD_COUNT, "eaten");
    for (int i = 0; i < FOOD_COUNT; i++)
        eaten[i] = next_i64(&foods);
    leave_array(c, &foods);
}

static void next_genome(struct cursor *c, struct genome *genome)
{
    const unsigned char *bytes;
    size_t length = 0;
    if (has_next(c))
        c->rc = pack_stream_take_whole(c->stream, &bytes, &length, c->error);
    if (charge(c, length))
        c->rc = genome_decode_bytes(genome, bytes, length, c->error);
}

static void decode_creature(struct cursor *list, struct creature_state *creature)
{
    struct cursor c = next_array(list, CREATURE_FIELDS, CREATURE_FIELDS, "creature");
    charge(&c, sizeof *creature);
    creature->descent.id = next_u64(&c);
    creature->descent.mother = next_u64(&c);
    creature->descent.father = next_u64(&c);
    creature->descent.family = next_int(&c);
    creature->descent.generation = next_int(&c);
    next_genome(&c, &creature->genome);
    creature->reserve = next_i64(&c);
    creature->body = next_i64(&c);
    creature->born_tick = next_i64(&c);
    creature->x_m = next_double(&c);
    creature->y_m = next_double(&c);
    creature->body_whole = next_i64(&c);
    creature->bitten = next_i64(&c);
    creature->starved = next_i64(&c);
    creature->owed_j = next_double(&c);
    creature->children = next_int(&c);
    next_foods(&c, creature->gained);
    creature->way_m = next_double(&c);
    creature->from_x_m = next_double(&c);
    creature->from_y_m = next_double(&c);
    creature->met = next_u64(&c);
    creature->met_tick = next_i64(&c);
    next_numbers(&c, creature);
    creature->turn_rad = next_double(&c);
    next_noise(&c, &creature->ear);
    next_heard(&c, creature);
    leave_array(list, &c);
}

static void decode_creatures(struct cursor *c, struct preserve_state *state, size_t most,
                             const char *where,
                             struct creature_state *(*add)(struct preserve_state *state))
{
    struct cursor list = next_array(c, most, -1, where);
    for (size_t i = 0; list.rc == 0 && i < list.count; i++) {
        struct creature_state *creature = add(state);
        if (creature)
            decode_creature(&list, creature);
        else
            list.rc = error_set(c->error, ERR_MEMORY, "%s: %s", where, error_text(ERR_MEMORY));
        if (list.rc != 0)
            error_prefix(c->error, "%s %zu", where, i);
    }
    leave_array(c, &list);
}

/* Cells of a grid, on the heap: as many as the water has. */
static void decode_cells(struct cursor *c, int most, microjoules **energies, int *count,
                         const char *where)
{
    struct cursor cells = next_array(c, (size_t)most, -1, where);
    *energies = take_memory(&cells, cells.count, sizeof **energies);
    *count = *energies ? (int)cells.count : 0;
    for (int i = 0; i < *count; i++)
        (*energies)[i] = next_i64(&cells);
    leave_array(c, &cells);
}

static void decode_carcasses(struct cursor *c, struct preserve_state *state)
{
    struct cursor list = next_array(c, PRESERVE_EGGS_MAX, -1, "carcasses");
    for (size_t i = 0; list.rc == 0 && i < list.count; i++) {
        struct cursor fields = next_array(&list, CARCASS_FIELDS, CARCASS_FIELDS, "carcass");
        struct carcass *carcass = preserve_state_add_carcass(state);
        if (!carcass) {
            list.rc = error_set(c->error, ERR_MEMORY, "carcasses: %s", error_text(ERR_MEMORY));
            break;
        }
        carcass->energy = next_i64(&fields);
        carcass->x_m = next_double(&fields);
        carcass->y_m = next_double(&fields);
        carcass->radius_m = next_double(&fields);
        leave_array(&list, &fields);
    }
    leave_array(c, &list);
}

static void decode_counts(struct cursor *c, struct preserve_counts *counts)
{
    counts->births = next_u64(c);
    struct cursor deaths = next_array(c, DEATH_COUNT, -1, "deaths");
    for (size_t i = 0; i < deaths.count; i++)
        counts->deaths[i] = next_u64(&deaths);
    leave_array(c, &deaths);
    next_foods(c, counts->eaten);
}

static void decode_fields(struct cursor *c, struct preserve_state *s,
                          const struct preserve_cells *most)
{
    uint64_t version = next_u64(c);
    if (c->rc == 0 && version != STATE_VERSION)
        c->rc = error_set(c->error, ERR_VERSION, "state of version %llu, not %d",
                          (unsigned long long)version, STATE_VERSION);
    s->seed = next_u64(c);
    s->tick = next_i64(c);
    s->next_id = next_u64(c);
    s->ledger.start = next_i64(c);
    s->ledger.sun = next_i64(c);
    s->ledger.heat = next_i64(c);
    s->ledger.arrivals = next_i64(c);
    s->ledger.departures = next_i64(c);
    decode_counts(c, &s->counts);
    decode_cells(c, most->plants, &s->plants, &s->plant_count, "plants");
    decode_cells(c, most->scents, &s->scents, &s->scent_count, "scent");
    decode_creatures(c, s, PRESERVE_LIVING_MAX, "living", preserve_state_add_living);
    decode_creatures(c, s, PRESERVE_EGGS_MAX, "eggs", preserve_state_add_egg);
    decode_carcasses(c, s);
    const msgpack_object *later = next(c);
    if (later && later->type != MSGPACK_OBJECT_NIL)
        c->rc = error_set(c->error, ERR_FORMAT, "state: fields of a later version");
}

/* Each energy is within its range; together they must add up. An egg has no motion. */
static int check_whole(const struct preserve_state *s, struct error *error)
{
    int rc = preserve_state_bound(s, error);
    for (int i = 0; rc == 0 && i < s->egg_count; i++)
        if (s->eggs[i].number_count > 0 || s->eggs[i].heard_count > 0)
            rc = error_set(error, ERR_FORMAT, "egg %" PRIu64 " moves", s->eggs[i].descent.id);
    if (rc == 0 && energy_ledger_error(&s->ledger, preserve_state_total(s)) != 0)
        rc = error_set(error, ERR_FORMAT, "ledger: stores and flows differ");
    return rc;
}

/* Of so many bytes as they are kept. Closes the stream. */
static int decode_stream(struct preserve_state *state, struct pack_stream *stream, size_t length,
                         const struct preserve_cells *most, struct error *error)
{
    size_t memory_left = MEMORY_FACTOR * length + MEMORY_LEAST_BYTES;
    struct cursor whole = {.stream = stream,
                           .count = 1,
                           .memory_left = &memory_left,
                           .where = "state",
                           .error = error};
    preserve_state_init(state);
    struct cursor fields = next_array(&whole, STATE_FIELDS, STATE_FIELDS, "state");
    decode_fields(&fields, state, most);
    leave_array(&whole, &fields);
    int rc = whole.rc ? whole.rc : pack_stream_end(stream, error);
    rc = rc ? rc : check_whole(state, error);
    pack_stream_close(stream);
    if (rc != 0)
        preserve_state_deinit(state);
    return rc;
}

/* Of the largest water. */
static const struct preserve_cells most_cells = {PLANTS_CELLS_MAX, SCENT_CHANNELS *SCENT_CELLS_MAX};

int preserve_state_decode(struct preserve_state *state, const void *bytes, size_t length,
                          struct error *error)
{
    struct pack_stream stream;
    pack_stream_open(&stream, bytes, length);
    return decode_stream(state, &stream, length, &most_cells, error);
}

/* ---------------------------------------------------------------- as it travels */

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
    pack_array(&writer, 1);
    encode_creatures(egg, 1, &writer);
    int rc = packed_bytes_compress(packed, &writer);
    pack_writer_deinit(&writer);
    return rc;
}

/* The one that came last. */
static int check_traveller(const struct preserve_state *state, struct error *error)
{
    struct bounds b = {.where = "traveller", .error = error};
    const struct creature_state *egg = &state->eggs[state->egg_count - 1];
    bound_creature(&b, egg, EPOCH_TICK_MOST);
    if (b.rc == 0 && (egg->number_count > 0 || egg->heard_count > 0))
        b.rc = error_set(error, ERR_FORMAT, "traveller: an egg moves");
    return b.rc;
}

int preserve_egg_unpack(struct preserve_state *state, const struct packed_bytes *packed,
                        struct error *error)
{
    struct pack_stream stream;
    size_t memory_left = MEMORY_FACTOR * packed->length + MEMORY_LEAST_BYTES;
    struct cursor whole = {.stream = &stream,
                           .count = 1,
                           .memory_left = &memory_left,
                           .where = "traveller",
                           .error = error};
    int before = state->egg_count, rc = packed_bytes_open(packed, &stream, error);
    if (rc != 0)
        return rc;
    struct cursor list = next_array(&whole, 1, 1, whole.where);
    decode_creatures(&list, state, 1, whole.where, preserve_state_add_egg);
    leave_array(&whole, &list);
    rc = whole.rc ? whole.rc : pack_stream_end(&stream, error);
    if (rc == 0 && state->egg_count == before)
        rc = error_set(error, ERR_FORMAT, "traveller: there is none");
    rc = rc ? rc : check_traveller(state, error);
    pack_stream_close(&stream);
    return rc;
}
