/* Steps of RK4, in as many parts as their energies ask for, but for INTEGRATOR_RK4: see
 * spatial_step.h. Parts are of use where limbs whirl, or where a light chain that carries something
 * heavy trembles faster than a step can follow. */
#include <math.h>

#include "simulator/spatial/steps/spatial_step.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"

/* A part is halved while its energy is off by more than this share of what moves within the body
 * and of what the part turned over, times the square of the part's length, in steps of RK4_STEP_S:
 * so finer steps are the better for it. Energies are known to ROUNDING. (With ten times this share
 * a light chain that carries 10^4 times its weight drifts by 0.3 % of what moves in 10 s.) */
#define RK4_UNBALANCED 1e-5
#define RK4_STEP_S     (1.0 / 240)
#define ROUNDING       1e-12
/* The shortest parts: this many of them are a step. A power of 2. A chain that is pulled straight
 * by something 10^4 times as heavy jerks within a few of them. */
enum { RK4_PARTS = 65536 };

/* Energy, that of the motion which a part is judged by, and what rounding may add. */
struct balance {
    double energy_j, size_j, rounding_j;
};

/* The turnover of a part, besides the work of servos in d->work, J. */
struct part_losses {
    double damping_j, drag_j;
};

/* At the tree's pose and velocities. The links move, seen from the centres of free roots. */
static struct balance take_balance(const struct spatial_dynamics *d)
{
    const struct spatial_tree *tree = &d->tree;
    double kinetic = spatial_tree_kinetic_energy(tree),
           potential = spatial_tree_potential_energy(tree);
    double twice = 0;
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        const struct spatial_tree_link *root = &tree->links[l->root];
        struct vec3 w = l->velocity.w, v = l->velocity.v;
        if (root->slides == 3)
            v = vec3_sub(v, spatial_tree_centre_velocity(root));
        twice += l->mass * vec3_dot(v, v) + 2 * vec3_dot(v, vec3_cross(w, l->h)) +
                 vec3_dot(w, sym3_apply(&l->world_inertia, w));
    }
    return (struct balance){kinetic + potential, twice / 2, ROUNDING * (kinetic + fabs(potential))};
}

/* Written so that it is so if a number is not finite. */
static int is_unbalanced(const struct spatial_dynamics *d, struct balance from, struct balance to,
                         const struct part_losses *losses, double part_s)
{
    double lost = losses->damping_j + losses->drag_j;
    double error = to.energy_j - from.energy_j + lost, size = from.size_j + to.size_j + fabs(lost);
    for (int i = 0; i < d->rates; i++) {
        error -= d->work[i];
        size += fabs(d->work[i]);
    }
    double length = part_s / RK4_STEP_S, allowed = RK4_UNBALANCED * length * length * size;
    return !(fabs(error) <= allowed + from.rounding_j + to.rounding_j);
}

/* Accelerations at the coordinates and rates, `ahead` after the start, and their part of the step
 * in the sums. */
static void add_stage(struct spatial_dynamics *d, double *q, double *qd, double ahead, double share,
                      struct part_losses *losses)
{
    struct spatial_tree *tree = &d->tree;
    spatial_step_follow_signals(d, ahead, q, qd);
    if (!d->is_posed)
        spatial_tree_set_pose(tree, q);
    d->is_posed = 0;
    spatial_tree_set_velocity(tree, qd);
    spatial_step_set_torques(d, q, qd, ahead, 0);
    spatial_step_set_drag(d, qd, 0);
    spatial_tree_factor(tree, d->zero, 0);
    spatial_tree_accelerate(tree, d->tau, d->qdd);
    spatial_step_set_drive_efforts(d);
    spatial_tree_coordinate_rates(tree, q, qd, d->q_rate);
    for (int i = 0; i < d->coordinates; i++)
        d->q_sum[i] += share * d->q_rate[i];
    for (int i = 0; i < d->rates; i++) {
        d->v_sum[i] += share * d->qdd[i];
        d->work[i] += share * d->effort[i] * qd[i];
        d->base.torque[i] = d->effort[i];
        losses->damping_j += share * d->base.servos[i].damping * qd[i] * qd[i];
    }
    if (d->has_drag)
        losses->drag_j -= share * spatial_step_drag_power(d, qd, qd);
}

/* The state of the next stage: from the start of the part along the last one's rates. */
static void go_along(struct spatial_dynamics *d, double time_s)
{
    for (int i = 0; i < d->coordinates; i++)
        d->q_stage[i] = d->q_from[i] + time_s * d->q_rate[i];
    for (int i = 0; i < d->rates; i++)
        d->vm[i] = d->qd_from[i] + time_s * d->qdd[i];
}

/* From (q_from, qd_from), `past` after the start of the step, to (q, qd). */
static void advance_part(struct spatial_dynamics *d, double past, double h,
                         struct part_losses *losses)
{
    *losses = (struct part_losses){0};
    d->operations += 2 * d->step_operations;
    for (int i = 0; i < d->coordinates; i++)
        d->q_sum[i] = 0;
    for (int i = 0; i < d->rates; i++)
        d->v_sum[i] = d->work[i] = 0;
    add_stage(d, d->q_from, d->qd_from, past, h / 6, losses);
    go_along(d, h / 2);
    add_stage(d, d->q_stage, d->vm, past + h / 2, h / 3, losses);
    go_along(d, h / 2);
    add_stage(d, d->q_stage, d->vm, past + h / 2, h / 3, losses);
    go_along(d, h);
    add_stage(d, d->q_stage, d->vm, past + h, h / 6, losses);
    for (int i = 0; i < d->coordinates; i++)
        d->base.q[i] = d->q_from[i] + d->q_sum[i];
    for (int i = 0; i < d->rates; i++)
        d->base.qd[i] = d->qd_from[i] + d->v_sum[i];
    spatial_tree_normalise(&d->tree, d->base.q);
    spatial_step_follow_signals(d, past + h, d->base.q, d->base.qd);
    spatial_step_set_pose(d);
}

void spatial_step_rk4(struct spatial_dynamics *d)
{
    double h = d->base.settings.dt_s / RK4_PARTS;
    int may_part = d->base.settings.integrator != INTEGRATOR_RK4;
    struct part_losses losses;
    spatial_step_set_pose(d);
    struct balance from = take_balance(d);
    spatial_step_copy(d, d->base.q, d->base.qd, d->q_from, d->qd_from);
    d->has_energy = d->known = d->are_limits_alone = 0;
    for (int done = 0, part = RK4_PARTS; done < RK4_PARTS;) {
        advance_part(d, done * h, part * h, &losses);
        struct balance to = take_balance(d);
        if (part > 1 && may_part && is_unbalanced(d, from, to, &losses, part * h)) {
            d->is_posed = 0;
            part /= 2;
            continue;
        }
        from = to;
        /* the next part begins where this one ended */
        spatial_step_copy(d, d->base.q, d->base.qd, d->q_from, d->qd_from);
        d->base.dynamics.ledger.loss_damping_j += losses.damping_j;
        d->base.dynamics.ledger.loss_drag_j += losses.drag_j;
        spatial_step_book_work(d);
        done += part;
        while (done % (2 * part) == 0 && part < RK4_PARTS)
            part *= 2;
    }
}
