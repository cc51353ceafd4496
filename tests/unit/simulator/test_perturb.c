/* Perturbed starts: eight of the exam are eight conditions, in every kind of body, and what is
 * measured from the start is measured from where the body was at rest. */
#include "common/creature/creature.h"
#include "common/genome/body_kind.h"
#include "common/judge/trial.h"
#include "simulator/evaluate/run.h"
#include "simulator/evaluate/terrain.h"
#include "tests/plain_fixture.h"
#include "tests/quoted.h"
#include "simulator/evaluate/evaluate.h"

enum { STARTS = TRIAL_RUN_STARTS, FIRST = TRIAL_RUN_STARTS + 1 };

/* Creatures of each kind that stand, in the plane and in space; the last without a floor. A sphere
 * has no turn of its own. */
static const struct {
    const char *creature, *params;
    int is_flat, has_floor;
} examples[] = {{"biped", "walk", 1, 1},
                {"biped3d", "walk3d", 0, 1},
                {"caterpillar", "caterpillar", 1, 1},
                {"tripod", "tripod", 0, 1},
                {"fish", "swim", 1, 0}};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

static struct creature creature;
static struct evaluation result;

/* What a start was. */
struct start_seen {
    double resistance; /* friction, or the drag */
    double drop_m, lowest_m;
    struct vec3 gravity;
    struct quaternion root;
    struct vec3 part; /* the second part's centre, from the root's */
    struct relief relief;
    double height_m; /* above it */
};

static void set_up(void)
{
    creature_deinit(&creature);
    arena_open(EVALUATE_ARENA_BYTES);
}

static void load(int example)
{
    const char *path = printed("examples/%s.ini", examples[example].params);
    params_set_defaults(&params);
    ck_ok(params_read_file(&params, path, &error));
    path = printed("examples/creatures/%s.json", examples[example].creature);
    ck_ok(creature_read(&creature, path, &error));
}

static struct vec3 centre_of(const struct dynamics *dynamics, int part)
{
    struct part_state state;
    dynamics_part_state(dynamics, part, &state);
    return state.at_m;
}

static int look(void *context, const struct evaluate_view *view)
{
    struct start_seen *seen = context;
    struct vec3 high, low;
    if (view->phase != PHASE_SCORE)
        return 0;
    const struct world *world = &view->run->world;
    dynamics_bounds(view->dynamics, &low, &high);
    *seen = (struct start_seen){.resistance = world->friction / params.world_friction,
                                .drop_m = view->run->drop_m,
                                .lowest_m = low.y,
                                .gravity = world_gravity(world),
                                .root = dynamics_part_turn(view->dynamics, 0)};
    seen->relief = world->relief;
    seen->height_m = terrain_height(world, view->phenotype, view->dynamics);
    if (params.world_viscosity_pa_s > 0)
        seen->resistance = world->viscosity_pa_s / params.world_viscosity_pa_s;
    seen->part = vec3_sub(centre_of(view->dynamics, 1), centre_of(view->dynamics, 0));
    return 1;
}

static struct start_seen start(int perturbation, uint64_t seed)
{
    struct start_seen seen = {.resistance = NAN};
    params.simulation_perturbation = perturbation;
    evaluate(&creature.genome, &params, seed, &arena, look, &seen, &result);
    ck_assert(!isnan(seen.resistance));
    return seen;
}

/* Along the ground: (cos, 0, sin) of a slope's way, or of the way that a turn tilts to; and by how
 * much. */
static double way_of_slope(const struct start_seen *seen, struct vec3 *way)
{
    double level = hypot(seen->gravity.x, seen->gravity.z);
    *way = (struct vec3){seen->gravity.x / level, 0, seen->gravity.z / level};
    return atan2(level, -seen->gravity.y);
}

static double way_of_tilt(const struct start_seen *seen, const struct start_seen *born,
                          struct vec3 *way)
{
    struct quaternion back = {born->root.w, -born->root.x, -born->root.y, -born->root.z};
    struct vec3 turn = quaternion_log(quaternion_product(seen->root, back));
    double angle = vec3_length(turn);
    ck_assert_double_eq_tol(turn.y, 0, 1e-9);
    *way = (struct vec3){-turn.z / angle, 0, turn.x / angle};
    return angle;
}

/* Two ways, or eight that are spread evenly; each as often as every other. */
static void expect_ways(const struct vec3 *ways, int is_flat)
{
    struct vec3 sum = {0, 0, 0};
    double apart = is_flat ? 2 : 2 * sin(3.141592653589793 / 8);
    for (int i = 0; i < STARTS; i++) {
        sum = vec3_add(sum, ways[i]);
        for (int k = 0; k < i; k++) {
            double distance = vec3_length(vec3_sub(ways[i], ways[k]));
            ck_assert_msg(distance > apart - 1e-6 || (is_flat && distance < 1e-6), "%d and %d: %g",
                          k, i, distance);
        }
    }
    ck_assert_double_lt(vec3_length(sum), 1e-6);
}

TEST_LOOP(eight_starts_are_eight_conditions, 0, EXAMPLES)
{
    struct vec3 tilts[STARTS];
    int more = 0;
    load(_i);
    struct start_seen born = start(0, 7);
    for (int i = 0; i < STARTS; i++) {
        struct start_seen seen = start(FIRST + i, 7);
        more += seen.resistance > 1;
        ck_assert_double_eq_tol(fabs(seen.resistance - 1), 0.1, 1e-12);
        ck_assert_double_gt(vec3_length(vec3_sub(seen.part, born.part)), 1e-5);
        if (creature.genome.kind != BODY_SPHERES)
            ck_assert_double_eq_tol(way_of_tilt(&seen, &born, &tilts[i]), params.exam_turn_rad,
                                    1e-9);
    }
    ck_assert_int_eq(more, STARTS / 2);
    if (creature.genome.kind != BODY_SPHERES)
        expect_ways(tilts, examples[_i].is_flat);
}

TEST_LOOP(a_floor_slopes_and_is_dropped_on, 0, EXAMPLES - 1)
{
    struct vec3 slopes[STARTS];
    int eighths = 0, conditions = 0;
    load(_i);
    struct start_seen born = start(0, 7);
    for (int i = 0; i < STARTS; i++) {
        struct start_seen seen = start(FIRST + i, 7);
        struct vec3 tilt;
        ck_assert_double_eq_tol(way_of_slope(&seen, &slopes[i]), params.exam_slope_rad, 1e-9);
        ck_assert_double_eq_tol(seen.lowest_m, born.lowest_m + seen.drop_m, 1e-6);
        ck_assert(seen.drop_m >= 0 && seen.drop_m < params.exam_drop_m);
        eighths |= 1 << (int)(STARTS * seen.drop_m / params.exam_drop_m);
        way_of_tilt(&seen, &born, &tilt);
        conditions |= 1 << ((seen.resistance > 1) + 2 * (tilt.x > 0) + 4 * (slopes[i].x > 0));
    }
    expect_ways(slopes, examples[_i].is_flat);
    ck_assert_int_eq(eighths, (1 << STARTS) - 1);
    if (examples[_i].is_flat && creature.genome.kind != BODY_SPHERES)
        ck_assert_int_eq(conditions, (1 << STARTS) - 1);
}

/* Each start has waves of its own, and the body is as high above them as it would be without. */
TEST_LOOP(a_floor_has_relief, 0, EXAMPLES - 1)
{
    double phases[STARTS];
    load(_i);
    if (!body_kinds[creature.genome.kind].has_relief)
        return;
    struct start_seen born = start(0, 7);
    ck_assert_double_eq(start(FIRST, 7).relief.depth_m, 0);
    params.exam_relief_m = 0.04;
    ck_assert_double_eq(start(1, 7).relief.depth_m, 0.04);
    for (int i = 0; i < STARTS; i++) {
        struct start_seen seen = start(FIRST + i, 7);
        ck_assert_double_eq(seen.relief.depth_m, 0.04);
        ck_assert_double_eq_tol(seen.height_m, born.lowest_m + seen.drop_m, 1e-6);
        phases[i] = seen.relief.waves[0].phase_rad;
        for (int k = 0; k < i; k++)
            ck_assert(phases[k] != phases[i]);
    }
    params.world_relief_m = 0.06;
    params.settle_required = 0;
    ck_assert_double_eq(start(FIRST, 7).relief.depth_m, 0.06);
    ck_assert_double_eq(start(0, 7).relief.depth_m, 0.06);
    ck_assert_double_ge(start(0, 7).height_m, -1e-3);
}

TEST(without_a_floor_nothing_falls)
{
    load(EXAMPLES - 1);
    for (int i = 0; i < STARTS; i++) {
        struct start_seen seen = start(FIRST + i, 7);
        ck_assert_double_eq(seen.drop_m, 0);
        ck_assert_double_eq(vec3_length(seen.gravity), 0);
    }
}

/* A run's own starts are of the exam's kinds, and none of them is one of the exam's; another seed
 * has other heights. Starts k and 9 - k are off in opposite ways. */
TEST(the_exam_has_starts_of_its_own)
{
    load(0);
    struct start_seen born = start(0, 7);
    for (int i = 1; i <= TRIAL_RUN_STARTS; i++) {
        struct vec3 tilt, slope, opposite;
        struct start_seen seen = start(i, 7), other = start(TRIAL_RUN_STARTS + 1 - i, 7);
        ck_assert(seen.drop_m > 0 && seen.drop_m < params.exam_drop_m);
        ck_assert_double_eq_tol(way_of_tilt(&seen, &born, &tilt), params.exam_turn_rad, 1e-9);
        ck_assert_double_eq_tol(way_of_slope(&seen, &slope), params.exam_slope_rad, 1e-9);
        way_of_slope(&other, &opposite);
        ck_assert_double_eq(slope.x, -opposite.x);
        way_of_tilt(&other, &born, &opposite);
        ck_assert_double_eq_tol(tilt.x, -opposite.x, 1e-9);
        ck_assert((seen.resistance > 1) != (other.resistance > 1));
        for (int k = 0; k < STARTS; k++)
            ck_assert(start(FIRST + k, 7).drop_m != seen.drop_m);
    }
    ck_assert(start(FIRST, 7).drop_m != start(FIRST, 8).drop_m);
    ck_assert(start(FIRST, 7).drop_m != start(FIRST + STARTS, 7).drop_m);
    params.exam_drop_m = params.exam_slope_rad = params.exam_turn_rad = 0;
    params.exam_friction_share = 0;
    ck_assert_double_eq(start(FIRST, 7).lowest_m, born.lowest_m);
}

/* The guards of energy and momentum know slopes and drops; a dropped creature has not jumped. */
TEST_LOOP(a_dropped_body_keeps_its_books, 0, EXAMPLES - 1)
{
    load(_i);
    params.simulation_duration_s = 1;
    params.guard_motionless_s = 0;
    params.creature_effectors = 0;
    params.exam_drop_m = 0.1;
    params.simulation_dt_s /= 4;
    for (int i = 0; i < STARTS; i++) {
        params.simulation_perturbation = FIRST + i;
        evaluate(&creature.genome, &params, 7, &arena, NULL, NULL, &result);
        ck_assert_msg(result.verdict == VERDICT_OK, "%s", verdict_name(result.verdict));
        ck_assert_double_lt(result.measures.residual_share, 8e-3);
        ck_assert_double_lt(result.measures.lowest_max_m - result.measures.lowest_start_m, 5e-3);
        ck_assert_double_lt(fabs(result.measures.lowest_start_m), 2e-3);
    }
}

/* Two plates on a block, one over the other, which slide up and down: in the plane on one another,
 * in space the lower one on the middle of the block as well. Turned joints would put them into one
 * another, or the block, by up to 49 mm. */
static const char stack[] =
    "{'format': 'bestiary-creature', 'version': %s, 'bodies': [{'id': 1, 'width_m': 0.12, "
    "'height_m': 0.12%s}, {'id': 2, 'width_m': 0.6, 'height_m': 0.05%s, 'joint': 'linear', "
    "'limits_m': [-0.2, 0.2]}, {'id': 3, 'width_m': 0.6, 'height_m': 0.05%s, 'joint': 'linear', "
    "'limits_m': [-0.2, 0.2]}], 'connections': [{'id': 1, 'from': 1, 'to': 2, 'parent_face': "
    "'top', 'child_face': 'bottom'}, {'id': 2, 'from': 1, 'to': 3, 'parent_face': 'top', "
    "'child_face': 'bottom'}]}";

/* Measured: gains of 0.16 mJ at most, where a start without pushing apart had 36 mJ. */
TEST_LOOP(parts_are_apart_at_the_start, 0, 2)
{
    const char *kind = _i ? "4, 'body': 'boxes'" : "2", *depth = _i ? ", 'depth_m': 0.3" : "";
    FREED char *json = quoted(printed(stack, kind, _i ? ", 'depth_m': 0.12" : "", depth, depth));
    params_set_defaults(&params);
    ck_ok(params_read_file(&params, _i ? "examples/walk3d.ini" : "examples/walk.ini", &error));
    ck_ok(creature_decode(&creature, json, strlen(json), "stack", &error));
    params.creature_parts_min = 1;
    params.exam_turn_rad = 0.05;
    params.guard_hopeless_m_s = params.guard_hopeless_sizes_s = params.guard_motionless_s = 0;
    for (int i = 0; i < 2 * STARTS; i++) {
        int is_slow = i >= STARTS;
        params.simulation_solver = is_slow ? SOLVER_CONSTRAINT : SOLVER_ARTICULATED;
        params.simulation_duration_s = is_slow ? 0.1 : 0.5;
        params.simulation_perturbation = FIRST + i % STARTS;
        evaluate(&creature.genome, &params, 7, &arena, NULL, NULL, &result);
        ck_assert_msg(result.verdict == VERDICT_OK, "start %d: %s", i,
                      verdict_name(result.verdict));
        ck_assert_double_lt(result.measures.penetration_max_m, 2e-3);
        ck_assert_double_lt(result.measures.gain_unearned_j, 3e-4);
    }
}

SUITE("perturb", 0, set_up, NULL)
