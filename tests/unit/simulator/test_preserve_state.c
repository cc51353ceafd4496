/* States of a preserve that a stranger wrote: numbers out of their bounds, and at them; bytes that
 * unpack to much more; worlds that take more work than any. runs: watched */
#include <sys/resource.h>
#include <zlib.h>

#include "common/system/file.h"
#include "tests/sanitized.h"
#include "tests/unit/simulator/preserve_fixture.h"

/* One that finds no room. */
static void add_egg(uint64_t id)
{
    struct creature_state *egg = preserve_state_add_egg(&state);
    ck_assert_int_eq(genome_copy(&egg->genome, &creatures[0].genome), 0);
    egg->descent.id = id;
    egg->born_tick = -6000;
    egg->x_m = egg->y_m = -100;
}

/* A small water in which some live, some wait in eggs, and some have died. */
static void setup(void)
{
    preserve_set_up();
    set("preserve.founders=4", "sensor.scent=yes", "sensor.sound=yes");
    founders.count = 1;
    found();
    ck_ok(preserve_run(&state, &params, 130, NULL, &memory, &error));
    ck_assert_msg(state.living_count >= 2, "%d live, %d eggs, %d died by guards, %d carcasses",
                  state.living_count, state.egg_count, (int)state.counts.deaths[DEATH_GUARD],
                  state.carcass_count);
    *preserve_state_add_carcass(&state) = (struct carcass){0, 1, 1, 0.2};
    add_egg(1000);
}

/* What a stranger would do so that the sums are right. */
static void mend_ledger(struct preserve_state *s)
{
    int64_t lacks = energy_ledger_error(&s->ledger, preserve_state_total(s));
    if (lacks > 0)
        s->ledger.start += lacks;
    else
        s->ledger.heat -= lacks;
}

/* A small water after two epochs, as version 0.28 kept it: states of version 3 lack the later fields
 * of creatures. */
TEST(a_state_of_an_older_version_is_read)
{
    SCOPED(packed_bytes) packed = {NULL, 0};
    FREED char *bytes;
    size_t length;
    ck_ok(file_read("tests/golden/preserve-v3.state", 1 << 16, &bytes, &length, &error));
    ck_assert_int_eq(packed_bytes_set(&packed, bytes, length), 0);
    SCOPED(preserve_state) old, copy;
    ck_ok(preserve_state_unpack(&old, &packed, &error));
    ck_assert_int_eq(old.living_count, 5);
    ck_assert(old.living[0].depth_steps == 0 && old.living[0].drawn.parts == 0);
    ck_assert_uint_eq(old.living[0].descent.id, 1);
    ck_assert_double_gt(old.living[0].way_m, 0);
    old.living[0].depth_steps = 7;
    ck_ok(through_bytes(&old, &copy));
    ck_assert_int_eq(copy.living[0].depth_steps, 7);
    ck_assert_double_eq(copy.living[0].way_m, old.living[0].way_m);
}

/* ---- numbers ---- */

/* A field and the greatest number that it may hold. */
#define WHOLE_FIELDS(X)                                                                            \
    X(s->tick, INT64_C(1) << 48)                                                                   \
    X(s->next_id, INT64_C(1) << 52)                                                                \
    X(s->ledger.sun, ENERGY_SUM_MAX)                                                               \
    X(s->ledger.arrivals, ENERGY_SUM_MAX)                                                          \
    X(s->counts.births, INT64_C(1) << 53)                                                          \
    X(s->counts.deaths[DEATH_AGE], INT64_C(1) << 53)                                               \
    X(s->counts.deaths[DEATH_STRAIN], INT64_C(1) << 53)                                            \
    X(s->counts.eaten[FOOD_PLANT], ENERGY_SUM_MAX)                                                 \
    X(s->plants[3], MICROJOULES_MAX)                                                               \
    X(s->scents[3], ENERGY_SUM_MAX)                                                                \
    X(s->carcasses[0].energy, ENERGY_SUM_MAX)                                                      \
    X(s->living[0].descent.id, INT64_C(1) << 52)                                                   \
    X(s->living[0].descent.mother, INT64_C(1) << 52)                                               \
    X(s->eggs[0].descent.father, INT64_C(1) << 52)                                                 \
    X(s->living[0].descent.generation, 1000000000)                                                 \
    X(s->living[0].children, 1000000000)                                                           \
    X(s->living[0].reserve, MICROJOULES_MAX)                                                       \
    X(s->living[0].body, s->living[0].body_whole)                                                  \
    X(s->living[0].body_whole, MICROJOULES_MAX)                                                    \
    X(s->eggs[0].body, s->eggs[0].body_whole)                                                      \
    X(s->living[0].bitten, ENERGY_SUM_MAX)                                                         \
    X(s->living[0].starved, ENERGY_SUM_MAX)                                                        \
    X(s->living[0].gained[FOOD_LIVING], ENERGY_SUM_MAX)                                            \
    X(s->living[0].born_tick, s->tick + 1)                                                         \
    X(s->eggs[0].born_tick, s->tick + 1)                                                           \
    X(s->living[0].met, INT64_C(1) << 52)                                                          \
    X(s->living[0].met_tick, INT64_C(1) << 48)
#define REAL_FIELDS(X)                                                                             \
    X(s->living[0].x_m, 1e4)                                                                       \
    X(s->living[0].from_y_m, 1e4)                                                                  \
    X(s->living[0].owed_j, OWED_MOST_J)                                                            \
    X(s->living[0].way_m, 1e12)                                                                    \
    X(s->living[0].drawn.area_m2, 1e12)                                                            \
    X(s->living[0].depth_sum_m, 1e12)                                                              \
    X(s->living[0].numbers[0], 1e4)                                                                \
    X(s->living[0].numbers[1], 1e12)                                                               \
    X(s->living[0].numbers[2], 1e4)                                                                \
    X(s->living[0].ear.at.x, 1e4)                                                                  \
    X(s->living[0].ear.strength, 1.0)                                                              \
    X(s->carcasses[0].radius_m, 1e4)

/* Sets the field with this number to its bound, or beyond. */
static const char *set_field(struct preserve_state *s, int number, int is_beyond)
{
    int at = 0;
#define X(field, most)                                                                             \
    if (number == at++) {                                                                          \
        field = most;                                                                              \
        field += is_beyond ? 1 : 0;                                                                \
        return #field;                                                                             \
    }
    WHOLE_FIELDS(X)
#undef X
#define X(field, most)                                                                             \
    if (number == at++) {                                                                          \
        field = (most) * (is_beyond ? 1.001 : 1);                                                  \
        return #field;                                                                             \
    }
    REAL_FIELDS(X)
#undef X
    return NULL;
}

#define X(field, most) +1
enum { FIELD_COUNT = 0 WHOLE_FIELDS(X) REAL_FIELDS(X) };
#undef X

TEST_LOOP(a_number_out_of_its_bounds_is_refused_by_name, 0, FIELD_COUNT)
{
    struct preserve_state copy;
    const char *name = set_field(&state, _i, 1);
    mend_ledger(&state);
    ck_assert_msg(through_bytes(&state, &copy) == ERR_RANGE, "%s", name);
    ck_assert_msg(strstr(error.message, "expected"), "%s: %s", name, error.message);
}

/* A world whose number is at its bound is refused with words, or lives; then its end can be
 * read. */
TEST_LOOP(a_number_at_its_bound_lives_or_is_refused, 0, FIELD_COUNT)
{
    struct preserve_state copy, again;
    const char *name = set_field(&state, _i, 0);
    mend_ledger(&state);
    int rc = through_bytes(&state, &copy);
    if (rc == 0) {
        rc = preserve_run(&copy, &params, 90, NULL, &memory, &error);
        if (rc == 0) {
            ck_assert_msg(through_bytes(&copy, &again) == 0, "%s: %s", name, error.message);
            preserve_state_deinit(&again);
        }
        preserve_state_deinit(&copy);
    }
    ck_assert_msg(rc == 0 || error.message[0] != '\0', "%s", name);
}

/* Where eggs hatch at once. */
TEST(founders_that_hatch_at_once_are_a_state)
{
    SCOPED(preserve_state) copy;
    set("preserve.hatch_s=0");
    preserve_state_deinit(&state);
    found();
    ck_ok(through_bytes(&state, &copy));
}

/* All cells are empty, below their seeds: none eats missing plants. */
TEST(bare_ground_grows_again)
{
    SCOPED(preserve_state) copy;
    memset(state.plants, 0, (size_t)state.plant_count * sizeof state.plants[0]);
    mend_ledger(&state);
    ck_assert_int_eq(through_bytes(&state, &copy), 0);
    ck_assert_int_eq(preserve_run(&copy, &params, 90, NULL, &memory, &error), 0);
    ck_assert(copy.plants[0] > 0);
}

/* ---- memory ---- */

static long memory_kb(void)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* Packs bytes that need not be a state. */
static void pack_bomb(struct packed_bytes *packed, const unsigned char *head, size_t head_length,
                      int filling, size_t length)
{
    uLongf room = compressBound((uLong)length);
    FREED unsigned char *bytes = malloc(length);
    packed->bytes = malloc(4 + room);
    ck_assert(bytes && packed->bytes);
    memset(bytes, filling, length);
    memcpy(bytes, head, head_length);
    for (int i = 0; i < 4; i++)
        packed->bytes[i] = (unsigned char)(length >> (24 - 8 * i));
    ck_assert_int_eq(compress2(packed->bytes + 4, &room, bytes, (uLong)length, 1), Z_OK);
    packed->length = 4 + room;
}

/* Bombs of 48 MB: an array where a state should be; a state with so many cells of plants; a state
 * in which each thing in turn is an endless array. */
TEST(a_bomb_takes_no_memory)
{
    static const unsigned char array[] = {0xdd, 2, 0xff, 0xff, 0xfb};
    unsigned char fields[] = {0xdc, 0, 18, 4, 0, 0,    0, 0, 0, 0,    0, 0,    0, 0x95,
                              0,    0, 0,  0, 0, 0x93, 0, 0, 0, 0xdd, 2, 0xf0, 0, 0};
    enum { LENGTH = 48 << 20 };
    const struct preserve_cells most = preserve_cells_of(&params);
    struct packed_bytes bombs[2];
    struct preserve_state copy;
    pack_bomb(&bombs[0], array, sizeof array, 0, LENGTH);
    pack_bomb(&bombs[1], fields, sizeof fields, 0, LENGTH);
    long before_kb = memory_kb();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_ne(preserve_state_unpack_of(&copy, &bombs[i], &most, &error), 0);
        ck_assert_int_ne(preserve_state_unpack(&copy, &bombs[i], &error), 0);
        packed_bytes_deinit(&bombs[i]);
    }
    ck_assert_msg(strstr(error.message, "plants"), "%s", error.message);
    if (!TESTS_ARE_SANITIZED)
        ck_assert_int_lt(memory_kb() - before_kb, 4096);
}

/* Each of the living and the eggs holds as much motion as may be, all zeros, which pack well. */
TEST(motion_that_packs_well_is_bounded)
{
    SCOPED(packed_bytes) packed = {NULL, 0};
    struct preserve_state copy;
    for (int i = 0; i < state.living_count; i++) {
        free(state.living[i].numbers);
        state.living[i].numbers = calloc(PRESERVE_NUMBERS_MAX, sizeof(double));
        state.living[i].number_count = PRESERVE_NUMBERS_MAX;
    }
    while (state.living_count < 60) {
        struct creature_state *c = preserve_state_add_living(&state);
        ck_assert_int_eq(genome_copy(&c->genome, &creatures[0].genome), 0);
        c->numbers = calloc(PRESERVE_NUMBERS_MAX, sizeof(double));
        c->number_count = PRESERVE_NUMBERS_MAX;
    }
    ck_assert_int_eq(preserve_state_pack(&state, &packed), 0);
    ck_refused(preserve_state_unpack(&copy, &packed, &error), ERR_LIMIT, "memory");
}

TEST(an_egg_that_moves_is_refused)
{
    struct preserve_state copy;
    state.eggs[0].numbers = calloc(1, sizeof(double));
    state.eggs[0].number_count = 1;
    ck_refused(through_bytes(&state, &copy), ERR_FORMAT, "moves");
}

/* ---- work ---- */

TEST(a_world_of_too_much_work_ends_with_words)
{
    memory.work_max = 1e6;
    ck_refused(preserve_run(&state, &params, 1800, NULL, &memory, &error), ERR_LIMIT,
               "billion operations");
}

/* Eggs that find no room are work: each is grown, once a second. */
TEST(eggs_that_wait_are_work)
{
    for (int i = 1; i < 500; i++)
        add_egg(1000 + (uint64_t)i);
    memory.work_max = 5e8;
    ck_assert_int_eq(preserve_run(&state, &params, 180, NULL, &memory, &error), ERR_LIMIT);
    ck_assert_int_le(state.tick, 180);
}

SUITE("preserve_state", 60, setup, preserve_tear_down)
