/* See preserve_state.h. The form: an array; the living, eggs and carcasses are arrays of arrays. */
#include "simulator/preserve/preserve_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/creature/creature.h"
#include "common/system/file.h"

#define STATE_VERSION 3

/* The greatest size of a file that holds a packed state, in bytes. */
#define FILE_BYTES_MAX (16u << 20)

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

/* A store that holds as much is full: sums of states that nobody has checked cannot overflow. */
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
    return energy >= 0 && energy <= MICROJOULES_MAX;
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
    pack_array(writer, DEATH_COUNT);
    for (int i = 0; i < DEATH_COUNT; i++)
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

/* ---------------------------------------------------------------- reading */

/* Takes elements one after the other; the first error stays. */
struct cursor {
    const msgpack_object *items;
    size_t count, at;
    int rc;
    const char *where;
    struct error *error;
};

static const msgpack_object *next(struct cursor *c)
{
    if (c->rc == 0 && c->at == c->count)
        c->rc = error_set(c->error, ERR_FORMAT, "%s: too few fields", c->where);
    return c->rc == 0 ? &c->items[c->at++] : NULL;
}

static uint64_t next_u64(struct cursor *c)
{
    uint64_t value = 0;
    const msgpack_object *object = next(c);
    if (object)
        c->rc = pack_get_u64(object, INT64_MAX, &value, c->where, c->error);
    return value;
}

static int64_t next_i64(struct cursor *c, int64_t low, int64_t high)
{
    int64_t value = 0;
    const msgpack_object *object = next(c);
    if (object)
        c->rc = pack_get_i64(object, &value, c->where, c->error);
    if (c->rc == 0 && (value < low || value > high))
        c->rc = error_set(c->error, ERR_RANGE, "%s: field %zu is %lld", c->where, c->at,
                          (long long)value);
    return c->rc == 0 ? value : 0;
}

static microjoules next_energy(struct cursor *c)
{
    return next_i64(c, 0, MICROJOULES_MAX);
}

static double next_double(struct cursor *c, double most)
{
    double value = 0;
    const msgpack_object *object = next(c);
    if (object)
        c->rc = pack_get_double(object, &value, c->where, c->error);
    if (c->rc == 0 && fabs(value) > most)
        c->rc = error_set(c->error, ERR_RANGE, "%s: field %zu is %g", c->where, c->at, value);
    return c->rc == 0 ? value : 0;
}

/* The elements of an array of at most `most`, or of exactly `exact` where that is not negative. */
static struct cursor next_array(struct cursor *c, size_t most, int exact, const char *where)
{
    struct cursor inner = {.where = where, .error = c->error};
    const msgpack_object *object = next(c);
    if (object)
        c->rc = pack_get_array(object, most, exact, &inner.items, &inner.count, where, c->error);
    if (c->rc != 0)
        inner.count = 0;
    inner.rc = c->rc;
    return inner;
}

/* What went wrong in an array went wrong in what holds it. */
static void leave_array(struct cursor *c, const struct cursor *inner)
{
    c->rc = c->rc ? c->rc : inner->rc;
}

#define PLACE_MOST_M 1e4
#define NUMBER_MOST  1e12
#define TICK_MOST    (INT64_C(1) << 48)

static void next_numbers(struct cursor *c, struct creature_state *creature)
{
    struct cursor numbers = next_array(c, PRESERVE_NUMBERS_MAX, -1, "motion");
    if (numbers.count > 0) {
        creature->numbers = malloc(numbers.count * sizeof creature->numbers[0]);
        if (!creature->numbers)
            numbers.rc = error_set(c->error, ERR_MEMORY, "motion: %s", error_text(ERR_MEMORY));
        else
            creature->number_count = (int)numbers.count;
    }
    for (int i = 0; i < creature->number_count; i++)
        creature->numbers[i] = next_double(&numbers, NUMBER_MOST);
    leave_array(c, &numbers);
}

/* What emits and what is louder than a full signal is no sound. */
#define STRENGTH_MOST 1.0

static void next_noise(struct cursor *c, struct noise *noise)
{
    struct cursor fields = next_array(c, NOISE_FIELDS, NOISE_FIELDS, "noise");
    noise->at.x = next_double(&fields, PLACE_MOST_M);
    noise->at.y = next_double(&fields, PLACE_MOST_M);
    noise->strength = fabs(next_double(&fields, STRENGTH_MOST));
    noise->body = next_i64(&fields, 0, PRESERVE_LIVING_MAX - 1);
    leave_array(c, &fields);
}

static void next_heard(struct cursor *c, struct creature_state *creature)
{
    struct cursor rows = next_array(c, 2 * PRESERVE_HEARD_MAX, -1, "heard");
    size_t count = rows.count / 2;
    if (count > 0) {
        creature->heard = malloc(count * sizeof creature->heard[0]);
        if (!creature->heard)
            rows.rc = error_set(c->error, ERR_MEMORY, "heard: %s", error_text(ERR_MEMORY));
        else
            creature->heard_count = (int)count;
    }
    for (int i = 0; i < creature->heard_count; i++) {
        creature->heard[i] = (struct heard){.tick = next_i64(&rows, 0, TICK_MOST)};
        next_noise(&rows, &creature->heard[i].noise);
    }
    leave_array(c, &rows);
}

static void next_foods(struct cursor *c, microjoules eaten[FOOD_COUNT])
{
    struct cursor foods = next_array(c, FOOD_COUNT, FOOD_COUNT, "eaten");
    for (int i = 0; i < FOOD_COUNT; i++)
        eaten[i] = next_i64(&foods, 0, INT64_MAX);
    leave_array(c, &foods);
}

static void decode_creature(struct cursor *list, struct creature_state *creature)
{
    struct cursor c = next_array(list, CREATURE_FIELDS, CREATURE_FIELDS, "creature");
    creature->descent.id = next_u64(&c);
    creature->descent.mother = next_u64(&c);
    creature->descent.father = next_u64(&c);
    creature->descent.family = (int)next_i64(&c, 0, INT32_MAX);
    creature->descent.generation = (int)next_i64(&c, 0, INT32_MAX);
    const msgpack_object *genome = next(&c);
    if (genome)
        c.rc = genome_decode(&creature->genome, genome, c.error);
    creature->reserve = next_energy(&c);
    creature->body = next_energy(&c);
    creature->born_tick = next_i64(&c, -TICK_MOST, TICK_MOST);
    creature->x_m = next_double(&c, PLACE_MOST_M);
    creature->y_m = next_double(&c, PLACE_MOST_M);
    creature->body_whole = next_energy(&c);
    creature->bitten = next_energy(&c);
    creature->starved = next_energy(&c);
    creature->owed_j = next_double(&c, 1);
    creature->children = (int)next_i64(&c, 0, INT32_MAX);
    next_foods(&c, creature->gained);
    creature->way_m = next_double(&c, NUMBER_MOST);
    creature->from_x_m = next_double(&c, PLACE_MOST_M);
    creature->from_y_m = next_double(&c, PLACE_MOST_M);
    creature->met = next_u64(&c);
    creature->met_tick = next_i64(&c, -TICK_MOST, TICK_MOST);
    next_numbers(&c, creature);
    creature->turn_rad = next_double(&c, NUMBER_MOST);
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

/* Cells of a grid, on the heap. */
static void decode_cells(struct cursor *c, microjoules **energies, int *count, const char *where)
{
    struct cursor cells = next_array(c, UINT32_MAX, -1, where);
    if (cells.count > 0) {
        *energies = malloc(cells.count * sizeof **energies);
        if (!*energies)
            cells.rc = error_set(c->error, ERR_MEMORY, "%s: %s", where, error_text(ERR_MEMORY));
        else
            *count = (int)cells.count;
    }
    for (int i = 0; i < *count; i++)
        (*energies)[i] = next_energy(&cells);
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
        carcass->energy = next_energy(&fields);
        carcass->x_m = next_double(&fields, PLACE_MOST_M);
        carcass->y_m = next_double(&fields, PLACE_MOST_M);
        carcass->radius_m = next_double(&fields, PLACE_MOST_M);
        leave_array(&list, &fields);
    }
    leave_array(c, &list);
}

static void decode_counts(struct cursor *c, struct preserve_counts *counts)
{
    counts->births = next_u64(c);
    struct cursor deaths = next_array(c, DEATH_COUNT, DEATH_COUNT, "deaths");
    for (int i = 0; i < DEATH_COUNT; i++)
        counts->deaths[i] = next_u64(&deaths);
    leave_array(c, &deaths);
    next_foods(c, counts->eaten);
}

static void decode_fields(struct cursor *c, struct preserve_state *s)
{
    uint64_t version = next_u64(c);
    if (c->rc == 0 && version != STATE_VERSION)
        c->rc = error_set(c->error, ERR_VERSION, "state of version %llu, not %d",
                          (unsigned long long)version, STATE_VERSION);
    s->seed = next_u64(c);
    s->tick = next_i64(c, 0, TICK_MOST);
    s->next_id = next_u64(c);
    s->ledger.start = next_i64(c, 0, INT64_MAX);
    s->ledger.sun = next_i64(c, 0, INT64_MAX);
    s->ledger.heat = next_i64(c, 0, INT64_MAX);
    s->ledger.arrivals = next_i64(c, 0, INT64_MAX);
    s->ledger.departures = next_i64(c, 0, INT64_MAX);
    decode_counts(c, &s->counts);
    decode_cells(c, &s->plants, &s->plant_count, "plants");
    decode_cells(c, &s->scents, &s->scent_count, "scent");
    decode_creatures(c, s, PRESERVE_LIVING_MAX, "living", preserve_state_add_living);
    decode_creatures(c, s, PRESERVE_EGGS_MAX, "eggs", preserve_state_add_egg);
    decode_carcasses(c, s);
}

/* Each energy is within its range; together they must add up. */
static int check_ledger(const struct preserve_state *s, struct error *error)
{
    const struct energy_ledger *l = &s->ledger;
    double flows = (double)l->start + (double)l->sun + (double)l->heat + (double)l->arrivals +
                   (double)l->departures;
    if (flows > 0.4 * (double)INT64_MAX || preserve_state_total(s) >= STORE_MOST)
        return error_set(error, ERR_RANGE, "ledger: more than can be counted");
    if (energy_ledger_error(l, preserve_state_total(s)) != 0)
        return error_set(error, ERR_FORMAT, "ledger: stores and flows differ");
    return 0;
}

int preserve_state_decode(struct preserve_state *state, const void *bytes, size_t length,
                          struct error *error)
{
    struct pack_reader reader;
    struct cursor c = {.where = "state", .error = error};
    preserve_state_init(state);
    int rc = pack_open(&reader, bytes, length, error);
    if (rc != 0)
        return rc;
    c.rc =
        pack_get_array(reader.root, STATE_FIELDS, STATE_FIELDS, &c.items, &c.count, "state", error);
    decode_fields(&c, state);
    rc = c.rc ? c.rc : check_ledger(state, error);
    pack_close(&reader);
    if (rc != 0)
        preserve_state_deinit(state);
    return rc;
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

int preserve_state_unpack(struct preserve_state *state, const struct packed_bytes *packed,
                          struct error *error)
{
    unsigned char *bytes;
    size_t length = 0;
    preserve_state_init(state);
    int rc = packed_bytes_uncompress(packed, &bytes, &length, error);
    if (rc == 0)
        rc = preserve_state_decode(state, bytes, length, error);
    free(bytes);
    return rc;
}

int preserve_state_read(const char *path, struct preserve_state *state, struct error *error)
{
    struct packed_bytes packed;
    char *bytes;
    preserve_state_init(state);
    int status = file_read(path, FILE_BYTES_MAX, &bytes, &packed.length, error);
    if (status)
        return status;
    packed.bytes = (unsigned char *)bytes;
    status = preserve_state_unpack(state, &packed, error);
    if (status)
        error_prefix(error, "%s", path);
    free(bytes);
    return status;
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

int preserve_egg_unpack(struct preserve_state *state, const struct packed_bytes *packed,
                        struct error *error)
{
    unsigned char *bytes;
    size_t length = 0;
    struct pack_reader reader;
    struct cursor c = {.where = "traveller", .error = error};
    int rc = packed_bytes_uncompress(packed, &bytes, &length, error);
    if (rc == 0)
        rc = pack_open(&reader, bytes, length, error);
    if (rc == 0) {
        c.rc = pack_get_array(reader.root, 1, 1, &c.items, &c.count, c.where, error);
        decode_creatures(&c, state, 1, c.where, preserve_state_add_egg);
        rc = c.rc;
        pack_close(&reader);
    }
    free(bytes);
    return rc;
}
