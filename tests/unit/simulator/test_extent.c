/* The extent: the same whichever way a body is turned, of rectangles, boxes and balls, and never
 * less than it was. */
#include "simulator/evaluate/extent.h"

#include "common/math/rotation.h"
#include "tests/random_genome.h"
#include "tests/unit/grown_fixture.h"
#include "simulator/evaluate/evaluate.h"

static double most_m, rough_m;

/* By brute force, over points on the shapes of the first view. */
static struct vec3 place(const struct evaluate_view *view, const struct shape *shape,
                         struct vec3 own)
{
    struct part_state state;
    struct quaternion turn = dynamics_part_turn(view->dynamics, shape->part);
    struct mat3 part = quaternion_matrix(turn), inner = quaternion_matrix(shape->turn);
    dynamics_part_state(view->dynamics, shape->part, &state);
    struct vec3 at = vec3_add(shape->at_m, mat3_apply(&inner, own));
    return vec3_add(state.at_m, mat3_apply(&part, at));
}

/* Point number i of 26 on a shape. */
static struct vec3 own_point(const struct shape *shape, int i)
{
    struct vec3 way = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    if (shape->kind == SHAPE_BALL)
        return vec3_scale(way, shape->half_m.x / fmax(vec3_length(way), 1));
    return (struct vec3){way.x * shape->half_m.x, way.y * shape->half_m.y, way.z * shape->half_m.z};
}

static int look(void *context, const struct evaluate_view *view)
{
    const struct phenotype *phenotype = view->phenotype;
    int points = 27 * phenotype->part_count;
    struct vec3 middles[64];
    (void)context;
    ck_assert_int_le(phenotype->part_count, 64);
    if (view->phase != PHASE_SCORE)
        return 0;
    most_m = extent_grow(phenotype, view->dynamics, middles, 0);
    ck_assert_double_eq(extent_grow(phenotype, view->dynamics, middles, most_m), most_m);
    ck_assert_double_eq(extent_grow(phenotype, view->dynamics, middles, 2 * most_m), 2 * most_m);
    rough_m = 0;
    for (int i = 0; i < points; i++)
        for (int k = 0; k < i; k++) {
            const struct shape *one = &phenotype->shapes[i / 27],
                               *other = &phenotype->shapes[k / 27];
            struct vec3 a = place(view, one, own_point(one, i % 27));
            struct vec3 b = place(view, other, own_point(other, k % 27));
            rough_m = fmax(rough_m, vec3_length(vec3_sub(a, b)));
        }
    return 1;
}

/* Random creatures of a kind: corners are among the points looked at; of balls they are rough. */
TEST_LOOP(it_is_the_greatest_distance, 0, BODY_KIND_COUNT)
{
    int looked = 0;
    params.creature_body = _i;
    for (uint64_t id = 1; id <= 40; id++) {
        struct evaluation result;
        genome_deinit(&genome);
        random_genome(&genome, &params, RNG_RANDOM_GENOME, 3, id);
        most_m = rough_m = 0;
        evaluate(&genome, &params, 1, &arena, look, NULL, &result);
        if (most_m == 0)
            continue;
        looked++;
        ck_assert_double_le(rough_m, most_m + 1e-12);
        ck_assert_double_ge(rough_m, (_i == BODY_SPHERES ? 0.9 : 1) * most_m - 1e-12);
    }
    ck_assert_int_gt(looked, 10);
}

static void set_up(void)
{
    grown_set_up(BODY_RECTANGLES);
}

SUITE("extent", 0, set_up, grown_tear_down)
