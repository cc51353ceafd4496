/* Before the scored time: parts that overlap are pushed apart, the body comes to rest on its
 * surface. */
#include "simulator/evaluate/run.h"

#include <math.h>

#include "common/math/rotation.h"
#include "simulator/body/present_shape.h"
#include "simulator/evaluate/terrain.h"

/* Overlap at birth up to this, m, is ignored, and pushing apart aims at it. Contacts push out only
 * more than that, so no body starts with energy from there. */
#define OVERLAP_TOLERANCE_M 1e-3
#define OVERLAP_AIM_M       5e-4
/* Parts are pushed apart at this speed, with this passive damping of the joints. */
#define PUSH_APART_SPEED_M_S 0.5
#define SETTLE_DAMPING_1_S   3.0
/* While settling there is no friction for this long, so that limbs slide into place. */
#define SETTLE_SLIDE_S 2.0
/* For this long at most: 0.25 m of way, more than half the longest side that random bodies have.
 * Parts that still overlap then are a heap that no time parts. */
#define PUSH_APART_S 0.5
/* A heap is wedged if its deepest overlap stays the same, within this many m, for so many ticks.
 * Each tick begins at rest and is the last one again, so no further one parts the heap. */
#define WEDGED_M     1e-12
#define WEDGED_TICKS 2
/* At rest: for SETTLE_REST_S the kinetic energy is below this share of m g size and the centre of
 * mass keeps its height within REST_HEIGHT_M. A body that stands on an edge and topples has left
 * both behind by then. */
#define REST_ENERGY_SHARE 1e-4
#define REST_HEIGHT_M     1e-3

/* Steps through one tick of a phase before the start. */
static int settle_tick(struct run *run)
{
    int verdict;
    for (int i = 0; i < run->steps_per_tick; i++)
        if ((verdict = run_step(run)) != VERDICT_OK)
            return verdict;
    run->time_s += run->tick_s;
    run_observe(run);
    return VERDICT_OK;
}

int run_push_apart(struct run *run)
{
    double overlap_m = dynamics_overlap(run->dynamics), begin_s = run->time_s;
    if (overlap_m <= OVERLAP_TOLERANCE_M)
        return VERDICT_OK;
    struct world empty = run->world;
    empty.gravity_m_s2 = empty.friction = empty.elasticity = 0;
    empty.own_friction = empty.own_elasticity = 0;
    empty.has_ground = empty.obstacles.count = 0;
    dynamics_set_world(run->dynamics, &empty);
    dynamics_set_effectors(run->dynamics, physics_of(&run->phenotype)->effectors_apart);
    dynamics_set_joint_damping(run->dynamics, SETTLE_DAMPING_1_S);
    dynamics_set_push_out(run->dynamics, PUSH_APART_SPEED_M_S);
    run->phase = PHASE_PUSH_APART;
    for (int same = 0; overlap_m > OVERLAP_AIM_M && run->time_s - begin_s < PUSH_APART_S;) {
        /* every tick starts at rest: a pile that cannot come apart must not gather speed */
        int verdict = settle_tick(run);
        if (verdict != VERDICT_OK)
            return verdict == VERDICT_BUDGET ? verdict : VERDICT_OVERLAP;
        dynamics_stop(run->dynamics);
        double now_m = dynamics_overlap(run->dynamics);
        same = fabs(now_m - overlap_m) <= WEDGED_M ? same + 1 : 0;
        overlap_m = now_m;
        if (same == WEDGED_TICKS && overlap_m > OVERLAP_TOLERANCE_M)
            break;
    }
    if (overlap_m > OVERLAP_TOLERANCE_M)
        return VERDICT_OVERLAP;
    dynamics_set_push_out(run->dynamics, 0);
    dynamics_set_world(run->dynamics, &run->world);
    dynamics_stop(run->dynamics);
    return VERDICT_OK;
}

int run_part_newborn(struct run *run)
{
    int is_refused = run->params->creature_overlap == OVERLAP_REJECT &&
                     dynamics_overlap(run->dynamics) > OVERLAP_TOLERANCE_M;
    return is_refused ? VERDICT_OVERLAP : run_push_apart(run);
}

/* Puts the body's lowest point at a height. */
static void put_at(struct run *run, double height_m)
{
    double from_m = terrain_height(&run->world, &run->phenotype, run->dynamics);
    dynamics_shift(run->dynamics, (struct vec3){0, height_m - from_m, 0});
}

static void lift_off_obstacles(struct run *run)
{
    double lift_m = terrain_lift(&run->world, &run->phenotype, run->dynamics);
    if (lift_m > 0)
        dynamics_shift(run->dynamics, (struct vec3){0, lift_m, 0});
}

void run_put_at(struct run *run, double height_m)
{
    put_at(run, height_m);
    lift_off_obstacles(run);
}

/* Puts the body where it begins: on the surface or above it, and not into an obstacle. */
static void place(struct run *run, int is_standing)
{
    double drop_m = run->params->settle_drop_m,
           base_m = terrain_start_height(&run->world, run->start_at.x);
    struct vec3 centre = dynamics_centre_of_mass(run->dynamics);
    if (run->world.obstacles.count > 0)
        dynamics_shift(run->dynamics,
                       (struct vec3){run->start_at.x - centre.x, 0, run->start_at.z - centre.z});
    if (drop_m > 0 || is_standing)
        put_at(run, base_m + drop_m);
    lift_off_obstacles(run);
}

int run_settle(struct run *run)
{
    const struct params *p = run->params;
    const struct body_physics *physics = physics_of(&run->phenotype);
    int is_standing =
        p->settle_drop_m <= 0 && p->settle_limit_s > 0 && terrain_can_carry(&run->world);
    place(run, is_standing);
    // nothing comes to rest on a surface that nothing presses it on
    if (!is_standing || run->world.gravity_m_s2 == 0)
        return VERDICT_OK;
    struct world slippery = run->world;
    slippery.friction = slippery.own_friction = 0;
    if (physics->thicken)
        physics->thicken(&run->phenotype, SETTLE_DAMPING_1_S, &slippery);
    dynamics_set_world(run->dynamics, &slippery);
    dynamics_set_joint_damping(run->dynamics, SETTLE_DAMPING_1_S);
    dynamics_set_effectors(run->dynamics,
                           p->settle_effectors == SETTLE_HOLD && p->creature_effectors
                               ? EFFECTORS_HOLD
                               : EFFECTORS_SLACK);
    run->phase = PHASE_SETTLE;
    double begin_s = run->time_s, rest_since_s = run->time_s;
    double scale_j = run->phenotype.mass_kg * run->world.gravity_m_s2 * run_size(run);
    double rest_height = dynamics_centre_of_mass(run->dynamics).y;
    int is_slippery = 1, verdict = VERDICT_UNSETTLED;
    while (verdict == VERDICT_UNSETTLED && run->time_s - begin_s < p->settle_limit_s &&
           !run_has_fallen(run)) {
        int failure = settle_tick(run);
        if (failure != VERDICT_OK)
            return failure;
        if (is_slippery && run->time_s - begin_s >= SETTLE_SLIDE_S) {
            slippery.friction = run->world.friction;
            slippery.own_friction = run->world.own_friction;
            dynamics_set_world(run->dynamics, &slippery);
            is_slippery = 0;
        }
        double height = dynamics_centre_of_mass(run->dynamics).y;
        double kinetic_j = dynamics_ledger(run->dynamics)->kinetic_j;
        if (fabs(height - rest_height) > REST_HEIGHT_M || kinetic_j > REST_ENERGY_SHARE * scale_j) {
            rest_height = height;
            rest_since_s = run->time_s;
        }
        if (run->time_s - rest_since_s >= SETTLE_REST_S)
            verdict = VERDICT_OK;
    }
    dynamics_set_world(run->dynamics, &run->world);
    return p->settle_required ? verdict : VERDICT_OK;
}

/* ---------------------------------------------------------------- creatures that face one another
 *
 * Each settles by itself at the origin, then is put behind its line.
 *
 * In space the second one stands as the first would after half a turn about the vertical, which is
 * exact: so two equal creatures have equal chances, and two that change sides have the same
 * contest. A mirror image would permute the corners of a box, and with them the order of contacts.
 * In the plane there is no such turn: the second one is a mirror image whose corners keep their
 * order (collide.h), and grows as one before it settles. */
/* The line's slope, x over y. */
#define LINE_LEAN 1.0

void run_turn(struct run *run)
{
    const struct body_physics *physics = physics_of(&run->phenotype);
    struct rng rng = {.used = 0}; /* nothing is drawn from it that moves a joint */
    if (run->stance.heading_rad == 0 || !physics->half_turn)
        return;
    physics->perturb(run->dynamics, &run->phenotype, (struct vec3){0, run->stance.heading_rad, 0},
                     &rng, 0);
}

/* How far the corners of a body reach towards x = 0 from its side, less where the line leans
 * away. */
static double reach_of(const struct run *run, double lean)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < run->phenotype.part_count; i++) {
        const struct vec3 half = present_half(run->dynamics, &run->phenotype.shapes[i]);
        struct mat3 axes = quaternion_matrix(dynamics_part_turn(run->dynamics, i));
        struct part_state state;
        dynamics_part_state(run->dynamics, i, &state);
        double x = (0 - run->stance.side) * state.at_m.x + lean * state.at_m.y;
        /* the corner that reaches farthest along (-side, lean, 0) */
        x += half.x * fabs((0 - run->stance.side) * axes.x.x + lean * axes.x.y);
        x += half.y * fabs((0 - run->stance.side) * axes.y.x + lean * axes.y.y);
        x += half.z * fabs((0 - run->stance.side) * axes.z.x + lean * axes.z.y);
        most = det_max(most, x);
    }
    return most;
}

void run_face(struct run *run)
{
    const struct body_physics *physics = physics_of(&run->phenotype);
    int side = run->stance.side;
    if (side == 0)
        return;
    if (side > 0 && physics->half_turn)
        physics->half_turn(run->dynamics);
    double by_m = run->stance.line_m + reach_of(run, run->world.gravity_m_s2 > 0 ? LINE_LEAN : 0);
    struct vec3 centre = dynamics_centre_of_mass(run->dynamics);
    dynamics_shift(run->dynamics, (struct vec3){side * by_m, 0, 0 - centre.z});
}
