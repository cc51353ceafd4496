/* A step of RK4: see space_step.h. */
#include "simulator/boxes/steps/space_step.h"

/* Accelerations at the coordinates and rates, `ahead` after the start, and their part of the step in the sums. */
static void add_stage(struct space_dynamics *d, double *q, double *qd, double ahead, double share)
{
    struct space_tree *tree = &d->tree;
    space_step_follow_signals(d, ahead, q, qd);
    space_tree_set_pose(tree, q);
    space_tree_set_velocity(tree, qd);
    space_step_set_torques(d, q, qd, ahead, 0);
    space_step_set_drag(d, qd, 0);
    space_tree_factor(tree, d->zero, 0);
    space_tree_accelerate(tree, d->tau, d->qdd);
    space_step_set_drive_efforts(d);
    space_tree_coordinate_rates(tree, q, qd, d->q_rate);
    for (int i = 0; i < d->coordinates; i++)
        d->q_sum[i] += share * d->q_rate[i];
    for (int i = 0; i < d->rates; i++) {
        d->v_sum[i] += share * d->qdd[i];
        d->work[i] += share * d->effort[i] * qd[i];
        d->torque[i] = d->effort[i];
        d->ledger.loss_damping_j += share * d->servos[i].damping * qd[i] * qd[i];
    }
    if (d->has_drag)
        d->ledger.loss_drag_j -= share * space_step_drag_power(d, qd, qd);
}

/* The state of the next stage: from the start along the last one's rates. */
static void go_along(struct space_dynamics *d, double time_s)
{
    for (int i = 0; i < d->coordinates; i++)
        d->q_stage[i] = d->q0[i] + time_s * d->q_rate[i];
    for (int i = 0; i < d->rates; i++)
        d->vm[i] = d->qd0[i] + time_s * d->qdd[i];
}

void space_step_rk4(struct space_dynamics *d)
{
    double h = d->settings.dt_s;
    d->operations += 2 * d->step_operations;
    d->is_posed = d->has_energy = 0;
    for (int i = 0; i < d->coordinates; i++)
        d->q_sum[i] = 0;
    for (int i = 0; i < d->rates; i++)
        d->v_sum[i] = d->work[i] = 0;
    add_stage(d, d->q, d->qd, 0, h / 6);
    go_along(d, h / 2);
    add_stage(d, d->q_stage, d->vm, h / 2, h / 3);
    go_along(d, h / 2);
    add_stage(d, d->q_stage, d->vm, h / 2, h / 3);
    go_along(d, h);
    add_stage(d, d->q_stage, d->vm, h, h / 6);
    for (int i = 0; i < d->coordinates; i++)
        d->q[i] = d->q0[i] + d->q_sum[i];
    for (int i = 0; i < d->rates; i++)
        d->qd[i] = d->qd0[i] + d->v_sum[i];
    space_tree_normalise(&d->tree, d->q);
    space_step_follow_signals(d, h, d->q, d->qd);
    d->known = 0;
    space_step_book_work(d);
}
