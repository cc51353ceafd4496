/* See constraint.h. Which touches press, and whether they stick or slide: read off the forces that
 * reduced_solve() finds for all that rest. */
#include <math.h>

#include "simulator/reference/plane/constraint.h"

/* A touch that slides no faster may stick, m/s. */
#define STICK_SPEED 2e-5
/* Accelerations smaller than this share are errors. */
#define ACCELERATION_SHARE 1e-5
/* A touch presses if its force is at least this share of all forces. */
#define PRESS_SHARE 1e-9

/* found[] becomes: all within epsilon, and all that press. */
void system_gather(struct constraint *c, double margin)
{
    touch_find(c, margin);
    for (int i = 0; i < c->touch_count; i++) {
        int at = 0;
        while (at < c->found_count && c->found[at].key != c->touches[i].key)
            at++;
        if (at == c->found_count && c->found_count >= c->touch_room) {
            arena_refuse(c->arena);
            continue;
        }
        c->found[at] = c->touches[i];
        touch_update(c, &c->found[at]);
        c->found_count += at == c->found_count && touch_is_on_face(c, &c->found[at]) &&
                          c->found[at].rows[0].deviation < margin;
    }
}

/* Depth at which a new touch rests. */
static double depth_left_alone(const struct touch *t)
{
    double depth = -t->rows[0].deviation;
    return depth < 0 ? 0 : depth > SLOP ? SLOP : depth;
}

int system_wants_to_press(const struct constraint *c, const struct touch *t)
{
    const struct row *row = &t->rows[0];
    if (fabs(row->rate) > TOUCH_REST_SPEED)
        return 0;
    double acceleration = system_row_rate(row, c->acceleration) + row->curvature;
    double least = system_touch_acceleration(c, t, row->deviation + depth_left_alone(t), row->rate);
    double size = 1 + fabs(row->curvature);
    for (int k = 0; k < 3; k++) {
        size += fabs(row->ja[k] * c->acceleration[3 * row->a + k]);
        if (row->b >= 0)
            size += fabs(row->jb[k] * c->acceleration[3 * row->b + k]);
    }
    return acceleration < least - ACCELERATION_SHARE * size;
}

/* Drops touches that do not rest: they come apart, or are not close enough yet. */
static void keep_resting(struct constraint *c)
{
    int kept = 0;
    for (int i = 0; i < c->found_count; i++) {
        struct touch *t = &c->found[i];
        int is_pressing = t->mode != TOUCH_FREE;
        if (!is_pressing && fabs(t->rows[0].rate) > TOUCH_REST_SPEED)
            continue;
        if (!is_pressing) {
            t->slop = depth_left_alone(t);
            t->anchor = t->rows[1].deviation;
        }
        c->found[kept++] = *t;
    }
    c->found_count = kept;
}

/* Takes over what presses, after reduced_solve(). */
static void take_modes(struct constraint *c)
{
    const struct reduced *r = &c->reduced;
    double least = 0;
    int row = 0;
    for (int i = 0; i < r->count; i++)
        least += PRESS_SHARE * fabs(r->impulse[i]);
    c->touch_count = 0;
    for (int i = 0; i < c->found_count; i++) {
        struct touch *t = &c->found[i];
        int n = row, along = row + 1;
        row += touch_row_count(t);
        if (r->impulse[n] <= least)
            continue;
        int stuck = t->mode == TOUCH_STICKS;
        double most = r->friction[n] * r->impulse[n];
        t->reference[0] = r->impulse[n];
        t->reference[1] = 0;
        t->mode = TOUCH_STICKS;
        if (t->part >= 0) {
            double force = t->reference[1] = r->impulse[along];
            if (r->slide[along] != 0 || r->is_stiff[along] || fabs(force) >= most * (1 - 1e-9)) {
                t->mode = TOUCH_SLIDES;
                t->direction = r->slide[along] != 0 ? r->slide[along] : force > 0 ? -1 : 1;
                if (r->is_stiff[along])
                    t->direction = 0;
                t->floor = fmin(0, t->rows[1].rate * t->direction) - c->turn_speed_m_s;
            } else if (!stuck) {
                t->anchor = t->rows[1].deviation;
            }
        }
        c->touches[c->touch_count++] = *t;
    }
}

/* The forces of the joints that go with those of the touches just chosen. */
static void refer_joints(struct constraint *c)
{
    system_set_free_acceleration(c);
    int count = system_set_rows(c), row = c->joints;
    for (int i = 0; i < c->touch_count; i++) {
        const struct touch *t = &c->touches[i];
        system_push(c, &c->rows[row++], t->reference[0], c->acceleration);
        if (row < count && t->mode == TOUCH_STICKS && t->part >= 0)
            system_push(c, &c->rows[row++], t->reference[1], c->acceleration);
    }
    for (int i = 0; i < c->joints; i++) {
        c->scale[i] = system_row_scale(c, &c->rows[i]);
        c->right[i] =
            -c->scale[i] * (system_row_rate(&c->rows[i], c->acceleration) + c->rows[i].bias);
    }
    qr_solve(&c->joints_qr, c->right, c->right);
    for (int i = 0; i < c->joints; i++)
        c->reference[i] = c->scale[i] * c->right[i];
}

/* Sets the targets of the rows of found[]. */
static void set_targets(struct constraint *c)
{
    struct reduced *r = &c->reduced;
    int row = 0;
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        for (int k = 0; k < touch_row_count(t); k++, row++) {
            const struct row *at = &t->rows[k];
            double deviation = k == 0 ? at->deviation + t->slop : at->deviation - t->anchor;
            r->free[row] = system_row_rate(at, c->acceleration) + at->curvature;
            r->slide[row] = k == 0 || fabs(at->rate) <= STICK_SPEED ? 0 : at->rate > 0 ? 1 : -1;
            if (k == 1 && t->mode != TOUCH_STICKS)
                deviation = 0;
            r->target[row] = system_touch_acceleration(c, t, deviation, at->rate);
        }
    }
}

int system_choose_modes(struct constraint *c, double ahead)
{
    touch_place(c, c->y);
    system_gather(c, c->epsilon_m);
    keep_resting(c);
    c->touch_count = 0;
    c->is_wedged = 0;
    if (c->found_count == 0)
        return 0;
    system_accelerate(c, c->y, ahead);
    reduced_build(c);
    set_targets(c);
    if (reduced_solve(c) != 0) {
        /* touches that cannot all be pushed out at once are only kept from going deeper */
        c->is_wedged = 1;
        set_targets(c);
        if (reduced_solve(c) != 0)
            return 1;
    }
    take_modes(c);
    refer_joints(c);
    return 0;
}
