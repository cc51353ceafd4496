/* See planar_step_private.h. Joints whose motion is given by a signal: only scenes have them. */
#include "simulator/planar/steps/planar_step_private.h"

void drives_follow_signals(struct planar_step *d, double ahead, double *q, double *qd)
{
    for (int i = 1; i < d->links; i++) {
        if (!d->tree.links[i].is_driven)
            continue;
        struct signal_value signal = signal_at(d->servos[i].signal, d->servos[i].time_s + ahead);
        d->tree.links[i].drive = signal.acceleration;
        if (q)
            q[2 + i] = signal.value;
        if (qd)
            qd[2 + i] = signal.rate;
    }
}

double drives_pull(struct planar_step *d, double ahead, double *qd)
{
    struct tree *tree = &d->tree;
    double gravity_x = tree->gravity_x, work = 0;
    int has_drag = tree->has_drag;
    for (int i = 1; i < d->links; i++) {
        if (tree->links[i].is_driven)
            tree->links[i].drive =
                signal_at(d->servos[i].signal, d->servos[i].time_s + ahead).rate - qd[2 + i];
    }
    tree->gravity_x = tree->has_drag = 0;
    tree_set_velocity(tree, d->still);
    tree_accelerate(tree, d->still, d->still, 0, 0, d->answer);
    tree->gravity_x = gravity_x;
    tree->has_drag = has_drag;
    for (int i = 0; i < d->dof; i++)
        qd[i] += d->answer[i];
    for (int i = 1; i < d->links; i++)
        if (tree->links[i].is_driven)
            work += tree_drive_effort(tree, i) * (qd[2 + i] - d->answer[2 + i] / 2);
    return work;
}

void drives_take_efforts(struct planar_step *d)
{
    for (int i = 1; i < d->links; i++)
        if (d->tree.links[i].is_driven) {
            d->effector_tau[2 + i] = tree_drive_effort(&d->tree, i);
            d->effector_extra[2 + i] = 0;
        }
}
