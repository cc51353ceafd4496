/* How creatures begin that face one another: each settles by itself at the origin, then is put
 * behind its line.
 *
 * In space the second one stands as the first would after half a turn about the vertical, which is
 * exact: so two equal creatures have equal chances, and two that change sides have the same
 * contest. A mirror image would permute the corners of a box, and with them the order of contacts.
 * In the plane there is no such turn: the second one is a mirror image whose corners keep their
 * order (collide.h), and grows as one before it settles. */
#include "simulator/evaluate/run.h"

#include "common/math/rotation.h"
#include "simulator/body/present_shape.h"

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
