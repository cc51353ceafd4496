/* Adaptive steps of the second solver: the method of the proposal of 1995, slow and independent of
 * the first.
 *
 * Absolute coordinates for every link; the forces that hold joints and resting contacts come from
 * the constraint-force equation (Barzel, Barr 1988) by least squares, with terms that let
 * deviations decay; Dormand and Prince's Runge-Kutta method of order 5 with an error estimate of
 * order 4 and a step size chosen by a PI rule (Hairer, Norsett, Wanner, Solving Ordinary
 * Differential Equations I, sections II.4 and II.5; Gustafsson 1991). Powers are integrated along
 * as quadratures: the ledger.
 *
 *   step -> what went wrong within it?   nothing: go on
 *                                        something penetrates: bisect until nothing does and a pair
 *                                        of those is within epsilon; impulses on all that touches
 *                                        a contact pulls, slips or stops sliding: bisect for the
 *                                        instant; find out anew what presses, sticks and slides
 *
 * After too many events (feet that chatter, parts wedged into one another) the body takes a few
 * small steps of first order with impulses, which always succeed. dynamics_step() takes as many
 * adaptive steps as settings.dt_s needs, and never more than it.
 *
 * Expected: 10 to 30 rows, some 20 us an evaluation, 10 s of a walking creature in some seconds. */
#include <math.h>

#include "common/math/detmath.h"
#include "simulator/reference/plane/constraint.h"

/* A touch that does not press penetrates if it is deeper than this share of epsilon, and than this,
 * m. */
#define PIERCE_SHARE 1e-3
#define PIERCE_M     1e-10
/* Instants of events are found to this, s. */
#define EVENT_S 1e-10
/* ... and instants of collisions to this, s, if nothing is within epsilon after EVENT_S. */
#define COLLISION_S 1e-16
/* Forces are errors if they are smaller than this share of all forces, or if they accelerate a
 * touch's links by less than that, m/s^2 or rad/s^2. */
#define FORCE_SHARE        1e-8
#define ACCELERATION_ERROR 1e-6
/* More events than this in one step of settings.dt_s, or so many in a row with less than CROWDED_S
 * between them, are left to steps by impulses. */
#define EVENTS_MAX  20
#define CROWD_COUNT 6
#define CROWDED_S   1e-6
/* Steps by impulses in a dt_s. */
#define IMPULSE_STEPS 16
/* Times that modes are mended before giving up. */
#define MENDS_MAX 12
/* A gap that is reported to sensors, m. */
#define NEAR_M 1e-3

void constraint_derive(void *system, const double *y, double ahead, double *k)
{
    struct constraint *c = system;
    int width = 3 * c->links;
    double drag = 0, damping = 0, *power = k + 2 * width;
    system_accelerate(c, y, ahead);
    for (int i = 0; i < width; i++) {
        k[i] = y[width + i];
        k[width + i] = c->acceleration[i];
        drag -= c->drag[i] * y[width + i];
    }
    for (int i = 1; i < c->links; i++) {
        power[i] = c->torque[i] * c->rate[i];
        damping -= c->damping_torque[i] * c->rate[i];
    }
    power += c->links;
    *power++ = drag;
    *power++ = damping;
    for (int i = 0; i < c->touch_count; i++) {
        const struct touch *t = &c->touches[i];
        for (int n = 0; n < 2; n++) {
            *power++ = t->force[n];
            *power++ = t->force[n] * t->rows[n].rate;
        }
    }
}

/* The state moves on by the step just tried. */
static void accept_step(struct constraint *c, double h)
{
    int at = 6 * c->links, kept = 0;
    for (int i = 1; i < c->links; i++)
        c->effector_work[i] += dormand_prince_integral(&c->rk, at + i, h);
    at += c->links;
    c->ledger.loss_drag_j += dormand_prince_integral(&c->rk, at++, h);
    c->ledger.loss_damping_j += dormand_prince_integral(&c->rk, at++, h);
    for (int i = 0; i < c->touch_count; i++, at += 4) {
        double impulse[2] = {dormand_prince_integral(&c->rk, at, h),
                             dormand_prince_integral(&c->rk, at + 2, h)};
        double work[2] = {dormand_prince_integral(&c->rk, at + 1, h),
                          dormand_prince_integral(&c->rk, at + 3, h)};
        system_book_touch(c, &c->touches[i], impulse, work, 0);
    }
    system_keep_forces(c);
    for (int i = 0; i < c->touch_count; i++)
        if (touch_is_on_face(c, &c->touches[i]))
            c->touches[kept++] = c->touches[i];
    c->is_stale |= kept < c->touch_count;
    c->touch_count = kept;
    dormand_prince_accept(&c->rk, &c->y);
}

/* ---------------------------------------------------------------- events */

/* 1 if a touch does what it may not: pull, stick beyond the cone, slide backwards. */
static int is_touch_wrong(const struct constraint *c, const struct touch *t, double error)
{
    error += ACCELERATION_ERROR * system_row_mass(c, &t->rows[0]);
    if (t->force[0] < -error)
        return 1;
    if (t->part < 0 || touch_friction(c, t) == 0)
        return 0;
    if (t->mode == TOUCH_SLIDES)
        return t->rows[1].rate * t->direction < t->floor;
    return fabs(t->force[1]) > touch_friction(c, t) * t->force[0] + error;
}

static double force_error(const struct constraint *c)
{
    double sum = 0;
    for (int i = 0; i < c->touch_count; i++)
        sum += fabs(c->touches[i].force[0]) + fabs(c->touches[i].force[1]);
    return FORCE_SHARE * sum;
}

static int has_wrong_touch(const struct constraint *c)
{
    double error = force_error(c);
    for (int i = 0; i < c->touch_count; i++)
        if (is_touch_wrong(c, &c->touches[i], error))
            return 1;
    return 0;
}

/* 1 if something that rests without pressing should press, at the placed state. Fills found[]. */
static int has_new_touch(struct constraint *c)
{
    touch_find(c, c->epsilon_m);
    for (int i = 0; i < c->found_count; i++)
        if (!touch_pressing(c, c->found[i].key) && !system_is_stiff(c, c->found[i].key) &&
            system_wants_to_press(c, &c->found[i]))
            return 1;
    return 0;
}

/* Lists what penetrates at the placed state, among found[], and does not press: the proposal's
 * I. */
static int find_pierced(struct constraint *c)
{
    double depth = fmax(PIERCE_SHARE * c->epsilon_m, PIERCE_M);
    int count = 0;
    for (int i = 0; i < c->found_count; i++) {
        const struct row *row = &c->found[i].rows[0];
        if (row->deviation < -depth && row->rate < -TOUCH_REST_SPEED &&
            !touch_pressing(c, c->found[i].key) && !system_is_stiff(c, c->found[i].key))
            c->found[count++].key = c->found[i].key;
    }
    return count;
}

static void keep_pierced(struct constraint *c, int count)
{
    c->pierced_count = count;
    for (int i = 0; i < count; i++)
        c->pierced[i] = c->found[i].key;
}

/* 1 if one of the pairs that penetrate later is within epsilon at the placed state. */
static int is_pierced_near(struct constraint *c)
{
    touch_find(c, c->epsilon_m);
    for (int i = 0; i < c->found_count; i++)
        for (int j = 0; j < c->pierced_count; j++)
            if (c->found[i].key == c->pierced[j])
                return 1;
    return 0;
}

enum step_end { STEP_FREE, STEP_COLLIDES, STEP_CHANGES };

/* What is wrong at the end of the step just tried. */
static enum step_end judge_step(struct constraint *c)
{
    int is_changed = has_new_touch(c) || has_wrong_touch(c);
    int count = find_pierced(c);
    if (!is_changed && count == 0)
        return STEP_FREE;
    keep_pierced(c, count);
    return is_changed ? STEP_CHANGES : STEP_COLLIDES;
}

/* The step just tried, of h, ends badly: bisects for the first instant at which it does, and takes
 * the step to there. Returns its length; 0 if there is no such instant. */
static double step_to_event(struct constraint *c, double ahead, double h, enum step_end *end)
{
    double low = 0, high = h, tried = h;
    while (high - low > (*end == STEP_COLLIDES ? COLLISION_S : EVENT_S)) {
        tried = (low + high) / 2;
        dormand_prince_try(&c->rk, c->y, ahead, tried);
        enum step_end found = judge_step(c);
        if (found != STEP_FREE) {
            high = tried;
            *end = found;
            continue;
        }
        low = tried;
        if (*end == STEP_COLLIDES && is_pierced_near(c))
            break;
    }
    double to = *end == STEP_COLLIDES ? low : high;
    if (to == 0)
        return 0;
    if (to != tried)
        dormand_prince_try(&c->rk, c->y, ahead, to);
    accept_step(c, to);
    return to;
}

/* Frees touches that pull; those that hold too much slide. */
static void mend_modes(struct constraint *c)
{
    double error = force_error(c);
    int kept = 0;
    for (int i = 0; i < c->touch_count; i++) {
        struct touch *t = &c->touches[i];
        if (is_touch_wrong(c, t, error)) {
            if (t->force[0] < 0)
                continue;
            t->direction = t->mode == TOUCH_SLIDES ? -t->direction : t->force[1] > 0 ? -1 : 1;
            t->floor = fmin(0, t->rows[1].rate * t->direction) - c->turn_speed_m_s;
            t->mode = TOUCH_SLIDES;
        }
        c->touches[kept++] = *t;
    }
    c->touch_count = kept;
}

/* Makes the first stage, with touches that do what they may. Returns 0, or 1 if that fails. */
static int start_step(struct constraint *c, double ahead)
{
    int is_chosen = 0;
    for (int i = 0; i < MENDS_MAX; i++) {
        if (c->is_stale) {
            if (system_choose_modes(c, ahead) != 0)
                return 1;
            c->is_stale = 0;
            is_chosen = 1;
        }
        constraint_derive(c, c->y, ahead, c->rk.k[0]);
        if (!has_wrong_touch(c) && !has_new_touch(c))
            return 0;
        if (is_chosen)
            mend_modes(c);
        else
            c->is_stale = 1;
    }
    c->is_stale = 1;
    return 1;
}

/* ---------------------------------------------------------------- steps */

/* The next step's length from the error of one of length h. */
static double next_length(struct constraint *c, double h, double error)
{
    error = error > 1e-10 ? error : 1e-10;
    double factor = 0.9 * det_pow(error, -0.14) * det_pow(c->last_error, 0.08);
    c->last_error = error > 1e-4 ? error : 1e-4;
    factor = factor > 5 ? 5 : factor < 0.2 ? 0.2 : factor;
    return h * factor;
}

/* The longest step that may be tried. */
static double longest_step(const struct constraint *c, double remaining)
{
    int is_checked = c->settings.integrator != INTEGRATOR_RK4;
    return dormand_prince_longest(c->h_s, touch_top_speed(c), is_checked ? c->thinnest_m : HUGE_VAL,
                                  remaining);
}

/* Moves on by at most `remaining`, the first stage being made; returns how far. *is_event: ended by
 * one. */
static double advance(struct constraint *c, double ahead, double remaining, int *is_event)
{
    *is_event = 0;
    for (;;) {
        double h = longest_step(c, remaining), error = dormand_prince_try(&c->rk, c->y, ahead, h);
        if (!(error <= 1) && h > DORMAND_PRINCE_LEAST_S) {
            double factor = isfinite(error) ? 0.9 * det_pow(error, -0.2) : 0.1;
            c->h_s = h * (factor > 0.1 ? factor : 0.1);
            continue;
        }
        if (!isfinite(error)) {
            /* nothing to be done: the caller sees a state that is not finite */
            accept_step(c, h);
            return remaining;
        }
        enum step_end end = judge_step(c);
        if (end == STEP_FREE) {
            double next = next_length(c, h, error);
            if (h == remaining && next < c->h_s)
                next = error > 0.5 ? next : c->h_s;
            c->h_s = next < c->settings.dt_s ? next : c->settings.dt_s;
            accept_step(c, h);
            return h;
        }
        *is_event = 1;
        h = step_to_event(c, ahead, h, &end);
        if (end == STEP_COLLIDES)
            system_collide(c);
        c->is_stale = 1;
        return h;
    }
}

/* Contacts of the step, and things that are near, for sensors and traces. */
static void report_touches(struct constraint *c)
{
    touch_place(c, c->y);
    touch_find(c, NEAR_M);
    c->point_count = 0;
    c->penetration_m = 0;
    for (int i = 0; i < c->mark_count; i++)
        if (c->marks[i].point.normal_impulse_n_s > 0)
            c->points[c->point_count++] = c->marks[i].point;
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        int at = 0;
        if (t->part < 0)
            continue;
        c->penetration_m = fmax(c->penetration_m, -t->rows[0].deviation);
        while (at < c->mark_count &&
               (c->marks[at].key != t->key || c->marks[at].point.normal_impulse_n_s <= 0))
            at++;
        if (at == c->mark_count)
            c->points[c->point_count++] =
                (struct contact_point){.part = t->part,
                                       .other_creature = t->other < 0 ? -1 : 0,
                                       .other = t->other,
                                       .at = vec3_of_plane(t->at),
                                       .normal = vec3_of_plane(t->normal),
                                       .gap_m = t->rows[0].deviation};
    }
}

static void book_effectors(struct constraint *c)
{
    for (int i = 1; i < c->links; i++) {
        c->ledger.work_effector_j += c->effector_work[i];
        if (c->effector_work[i] > 0)
            c->ledger.work_effector_positive_j += c->effector_work[i];
        c->effector_work[i] = 0;
    }
}

static int is_spent(const struct constraint *c)
{
    return c->arena->is_exhausted ||
           (c->settings.work_max > 0 && c->base.work > c->settings.work_max);
}

/* All of one dt_s; returns the number of steps by impulses that it took. */
static int advance_all(struct constraint *c)
{
    double dt = c->settings.dt_s, done = 0, short_step = dt / IMPULSE_STEPS;
    int events = 0, crowd = 0, impulse_steps = 0;
    while (done < dt && !is_spent(c)) {
        double remaining = dt - done;
        if (events > EVENTS_MAX || crowd > CROWD_COUNT || start_step(c, done) != 0) {
            double h = remaining < 1.01 * short_step ? remaining : short_step;
            system_step_by_impulses(c, done, h);
            done = h == remaining ? dt : done + h;
            crowd = 0;
            impulse_steps++;
            continue;
        }
        int is_event;
        if (is_spent(c))
            break;
        double h = advance(c, done, remaining, &is_event);
        done = h == remaining ? dt : done + h;
        events += is_event;
        crowd = is_event && h < CROWDED_S ? crowd + 1 : 0;
    }
    return impulse_steps;
}

/* Pushing parts apart at birth is no motion of the creature but part of its making. It is left to
 * the other solver, so that both start from the same pose. */
static int push_apart(struct constraint *c)
{
    const struct dynamics_solver *solver = c->pusher->solver;
    uint64_t before = c->pusher->work;
    int status = solver->step(c->pusher);
    c->base.work += c->pusher->work - before;
    if (status != 0)
        return 1;
    constraint_set_state(&c->base, solver->q(c->pusher), solver->qd(c->pusher));
    report_touches(c);
    return 0;
}

/* Finds what is exposed to drag until the next dt_s, as in the other solver. */
static void expose_drag(struct constraint *c)
{
    touch_place(c, c->y);
    for (int i = 0; i < c->parts; i++)
        touch_place_box(c, i, &c->boxes[i]);
    drag_expose(&c->viscosity, c->boxes);
}

int constraint_step(struct dynamics *dynamics)
{
    struct constraint *c = constraint_of(dynamics);
    if (c->is_pushing)
        return push_apart(c);
    if (c->viscosity.kind >= DRAG_EXPOSED && c->viscosity.has_exposure)
        expose_drag(c);
    c->mark_count = 0;
    c->steps++;
    c->free_steps += advance_all(c) == 0;
    book_effectors(c);
    touch_place(c, c->y);
    constraint_set_coordinates(c);
    report_touches(c);
    for (int i = 1; i < c->links; i++)
        servo_advance(&c->servos[i], c->settings.dt_s);
    double sum = 0;
    for (int i = 0; i < 6 * c->links; i++)
        sum += fabs(c->y[i]);
    return isfinite(sum) ? c->arena->is_exhausted : 1;
}
