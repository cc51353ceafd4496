/* The census: a noted creature is known, creatures that move alike are the same, and it grows
 * beyond its first room. Breeding by it: a child that repeats one is drawn again, and not for
 * ever. */

#include "controller/evolution/breeding.h"
#include "tests/plain_fixture.h"

static struct census *census;

static void set_up(void)
{
    params_set_defaults(&params);
    census = census_create();
    ck_assert_ptr_nonnull(census);
}

static void tear_down(void)
{
    census_destroy(census);
}

/* Keys that begin alike stand in each other's way. */
static struct individual make_individual(uint64_t number)
{
    return (struct individual){.key = {{number / 4 * 4096, 1 + number}}};
}

static int is_new(uint64_t number)
{
    struct individual individual = make_individual(number);
    int answer = -1;
    ck_assert_int_eq(census_note(census, &params, &individual, &answer), 0);
    return answer;
}

TEST(who_was_noted_is_known)
{
    enum { MANY = 5000 };

    for (uint64_t i = 0; i < MANY; i++)
        ck_assert_int_eq(is_new(i), 1);
    for (uint64_t i = 0; i < MANY; i++)
        ck_assert_int_eq(is_new(i), 0);
    ck_assert_int_eq(is_new(MANY), 1);
    census_clear(census);
    ck_assert_int_eq(is_new(7), 1);
}

/* Always the same random creature, unless the draw is `good`. */
struct maker {
    int good, made;
};

static int make(void *context, struct individual *child)
{
    struct maker *maker = context;
    struct individual like = {.id = 1, .generation = child->draw == maker->good};
    maker->made++;
    ck_assert_ptr_null(child->genome.bodies);
    genome_init(&like.genome);
    ck_assert_int_eq(breeding_make_random(&params, &like), 0);
    child->genome = like.genome;
    return 0;
}

static int draw(struct maker *maker, struct census *known)
{
    SCOPED(individual) child = {.id = 2};
    maker->made = 0;
    genome_init(&child.genome);
    ck_assert_int_eq(breeding_draw(&params, known, &child, make, maker), 0);
    ck_assert_int_eq(child.draw, maker->made - 1);
    ck_assert_ptr_nonnull(child.genome.bodies);
    return maker->made;
}

TEST(a_child_that_repeats_is_drawn_again)
{
    struct maker maker = {.good = -1};
    ck_assert_int_eq(draw(&maker, census), 1);
    ck_assert_int_eq(draw(&maker, census), (int)params.breeding_draws);
    ck_assert_int_eq(draw(&maker, NULL), 1);
    maker.good = 3;
    ck_assert_int_eq(draw(&maker, census), 4);
    ck_assert_int_eq(draw(&maker, census), (int)params.breeding_draws);
    params.breeding_draws = 1;
    ck_assert_int_eq(draw(&maker, census), 1);
}

/* Draws have streams of their own, and the first is the one of old. */
TEST(draws_have_streams_of_their_own)
{
    struct individual child = {.id = 9, .generation = 3};
    struct rng first, second, plain;
    breeding_init_stream(&first, &params, RNG_MUTATION, &child);
    rng_init(&plain, (uint64_t)params.run_seed, RNG_MUTATION, 3, 9);
    child.draw = 1;
    breeding_init_stream(&second, &params, RNG_MUTATION, &child);
    uint64_t number = rng_u64(&first);
    ck_assert_uint_eq(number, rng_u64(&plain));
    ck_assert_uint_ne(number, rng_u64(&second));
}

SUITE("census", 0, set_up, tear_down)
