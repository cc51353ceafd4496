/* See spatial_system.h: impulses, and what presses.
 *
 * Impacts, and the choice of what presses, sticks and slides, are the law of contacts (contact_law.h): of
 * velocities at an instant, and of accelerations, with W = J M^-1 J' of the touches after the
 * joints have been eliminated. */
#include "simulator/reference/spatial_system.h"

#include <math.h>
#include <string.h>

#include "simulator/contact/contact_rules.h"

/* A touch that comes near no faster does not collide, m/s or rad/s. */
#define RESTING 1e-10
/* Contacts have no solution if the best misses the law by more than these shares of the greatest
 * velocity or acceleration along normals and of all, and velocities also by more than this, m/s:
 * 0.04 um in a step. */
#define MISS_SHARE    1e-8
#define MISS_ROUNDING 1e-12
#define MISS_M_S      1e-5
/* Sliding stops if the forces need no longer than this, s; and no faster sliding than this, m/s^2
 * times 1 s, makes a difference to that. */
#define STOP_S       1e-8
#define SLIDING_M_S2 1e6
/* A touch that accelerates less sticks, m/s^2; and less than this share of what the force could, if
 * it can be held: where joints hold a touch across its way, the law tells them apart by
 * rounding. */
#define STICKING_M_S2  1e-8
#define STICKING_SHARE 1e-6
/* A touch that slides faster has the direction of its velocity, m/s, else that of friction. */
#define SLIDING_M_S 1e-6
/* A touch that leaves faster, m/s or rad/s, does not press. */
#define LEAVING 1e-9
/* Sliding has turned round if it is slower than before by this share of the speed that counts as
 * rest. */
#define TURN 0.1
/* Touches press if they take more than this share of all forces. */
#define PRESSING_SHARE 1e-12
/* Steps of impulses look for touches as far as the fastest gets in them, and this much farther,
 * m. */
#define MARGIN_M 1e-4
/* A body that is parted at birth stretches no more in a step. */
#define PART_STRETCH 0.02

/* ---------------------------------------------------------------- touches alone */

/* L' of the inertia's Cholesky factors L L', times a vector in the body's axes: as long as the
 * square root of twice the energy of that angular velocity. */
static struct vec3 whiten(const struct rigid *b, struct vec3 w)
{
    const struct sym3 *l = &b->root;
    return (struct vec3){l->xx * w.x + l->xy * w.y + l->xz * w.z, l->yy * w.y + l->yz * w.z,
                         l->zz * w.z};
}

static struct vec3 unwhiten(const struct rigid *b, struct vec3 y)
{
    const struct sym3 *l = &b->root;
    struct vec3 w = {0, 0, y.z / l->zz};
    w.y = (y.y - l->yz * w.z) / l->yy;
    w.x = (y.x - l->xy * w.y - l->xz * w.z) / l->xx;
    return w;
}

/* A row of Y: the change of all velocities, times the square root of the masses, by a unit impulse
 * along a row, and what joints add to stay closed. With joints eliminated W = J M^-1 J' is Y Y' of
 * these. */
static void set_response(struct spatial_constraint *c, struct row *row, double *y)
{
    spatial_equation_respond(c, row);
    for (int i = 0; i < c->count; i++, y += BODY_RATES) {
        const struct rigid *b = &c->bodies[i];
        struct vec3 v = vec3_scale(b->free.v, sqrt(b->mass));
        struct vec3 w = whiten(b, mat3_back(&b->turned, b->free.w));
        const double from[BODY_RATES] = {
            v.x, v.y, v.z, w.x, w.y, w.z, sqrt(b->stretch_mass) * b->free.stretch};
        memcpy(y, from, sizeof from);
    }
}

static double *response_of(const struct spatial_constraint *c, int row)
{
    return c->responses + (size_t)row * (size_t)(BODY_RATES * c->count);
}

/* A row that hardly anything moves is 0 altogether. */
static void drop_immobile(struct spatial_constraint *c, struct contact_law_contact *contact)
{
    int columns = BODY_RATES * c->count;
    for (int i = contact->row; i < contact->row + contact->size; i++) {
        double *y = response_of(c, i);
        if (spatial_system_product(y, y, columns) * c->mass > ROW_MOBILITY)
            continue;
        if (i == contact->row)
            contact->bound = -HUGE_VAL;
        for (int k = 0; k < columns; k++)
            y[k] = 0;
    }
}

static int rows_of_found(const struct spatial_constraint *c)
{
    int rows = 0;
    for (int i = 0; i < c->found_count; i++)
        rows += c->found[i].size;
    return rows;
}

/* Room for found[], and a quarter more. Where memory is out nothing has been found, and the step
 * fails. */
static void make_room_for_laws(struct spatial_constraint *c)
{
    int rows = rows_of_found(c), room = rows + rows / 4;
    if (c->found_count <= c->law.contacts_max && rows <= c->law.rows_max)
        return;
    double *before = arena_take(c->arena, (size_t)room, sizeof before[0]);
    double *responses =
        arena_take(c->arena, (size_t)room * BODY_RATES * (size_t)c->count, sizeof responses[0]);
    if (!before || !responses || law_reserve(&c->law, room, room, c->arena) != 0) {
        c->found_count = 0;
        return;
    }
    c->before = before;
    c->responses = responses;
}

/* The laws of found[], but for their velocities and bounds. Accelerations of bodies are lost. */
static void reduce(struct spatial_constraint *c, double ahead)
{
    int n = 0, columns = BODY_RATES * c->count;
    make_room_for_laws(c);
    spatial_system_list_joints(c, ahead);
    spatial_equation_factor_joints(c);
    contact_law_begin(&c->law, c->found_count, rows_of_found(c));
    for (int i = 0; i < c->found_count; i++) {
        struct touch *t = &c->found[i];
        struct contact_law_contact *contact = &c->law.contacts[i];
        *contact = (struct contact_law_contact){n, t->size, 0, t->friction};
        for (int k = 0; k < contact->size; k++)
            set_response(c, &t->rows[k], response_of(c, n++));
        drop_immobile(c, contact);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++)
            contact_law_row(&c->law, i)[k] =
                spatial_system_product(response_of(c, i), response_of(c, k), columns);
}

/* 1 if the impulses are no solution: they miss the law by more than `enough`, by more than a share
 * of what comes together, and by more than rounding. */
static int is_unsolved(const struct spatial_constraint *c, double enough)
{
    double normal = 0, most = 0;
    for (int i = 0; i < c->law.count; i++)
        normal = det_max(normal, fabs(c->law.free[c->law.contacts[i].row]));
    for (int i = 0; i < c->law.rows; i++)
        most = det_max(most, fabs(c->law.free[i]));
    return !(c->law.residual <=
             det_max(enough, det_max(MISS_SHARE * normal, MISS_ROUNDING * most)));
}

/* The impulses, and the joints' answers, change the bodies' velocities. */
static void apply_impulses(struct spatial_constraint *c)
{
    for (int i = 0; i < c->count; i++) {
        struct rigid *b = &c->bodies[i];
        double y[BODY_RATES] = {0};
        for (int row = 0; row < c->law.rows; row++)
            for (int k = 0; k < BODY_RATES; k++)
                y[k] += response_of(c, row)[BODY_RATES * i + k] * c->law.impulse[row];
        struct vec3 w = unwhiten(b, (struct vec3){y[3], y[4], y[5]});
        b->place.velocity =
            vec3_along(b->place.velocity, (struct vec3){y[0], y[1], y[2]}, 1 / sqrt(b->mass));
        b->place.spin = vec3_add(b->place.spin, mat3_apply(&b->turned, w));
        b->place.stretch_rate += sqrt(b->inverse_stretch_mass) * y[6];
    }
}

/* Work of the impulses of a group, which its first contact names, or of all: of contacts along and
 * across normals, of limits. */
enum { ALL_GROUPS = -1 };
struct works {
    double normal, tangent, limit, size;
};

static struct works work_of(const struct spatial_constraint *c, int group)
{
    struct works sum = {0, 0, 0, 0};
    for (int i = 0; i < c->found_count; i++)
        for (int k = 0; k < c->found[i].size; k++) {
            int row = c->law.contacts[i].row + k;
            double l = c->law.impulse[row];
            double *to = c->found[i].kind == TOUCH_LIMIT ? &sum.limit
                         : k == 0                        ? &sum.normal
                                                         : &sum.tangent;
            if (group != ALL_GROUPS && c->law.leaders[i] != group)
                break;
            *to += l * 0.5 * (c->before[row] + c->law.velocity[row]);
            sum.size += fabs(l * c->before[row]);
        }
    return sum;
}

/* The gain of one is the loss of another; the rest of the sum is booked. */
static void book_works(struct spatial_constraint *c, struct works w)
{
    double sum = w.normal + w.tangent + w.limit;
    double losses = det_min(w.normal, 0) + det_min(w.tangent, 0) + det_min(w.limit, 0);
    if (sum > 0) {
        c->base.dynamics.ledger.gain_impact_j += sum;
        return;
    }
    double share = losses < 0 ? sum / losses : 0;
    c->base.dynamics.ledger.loss_impact_j -= share * det_min(w.normal, 0);
    c->base.dynamics.ledger.loss_friction_j -= share * det_min(w.tangent, 0);
    c->base.dynamics.ledger.loss_limit_j -= share * det_min(w.limit, 0);
}

void spatial_impulses_mark(struct spatial_constraint *c, const struct touch *t, struct vec3 impulse)
{
    double sign = t->is_swapped ? -1 : 1;
    int at = 0;
    if (t->kind == TOUCH_LIMIT)
        return;
    while (at < c->mark_count &&
           (c->marks[at].pair != t->pair || c->marks[at].feature != t->feature))
        at++;
    if (at == c->mark_room) {
        size_t room = 2 * (size_t)at + TOUCHES_ROOM;
        struct touch_mark *marks =
            arena_extend(c->arena, c->marks, (size_t)at, room, sizeof marks[0]);
        if (!marks)
            return;
        c->marks = marks;
        c->mark_room = (int)room;
    }
    struct touch_mark *mark = &c->marks[at];
    if (at == c->mark_count) {
        const struct touch_pair *p = &c->pairs[t->pair];
        *mark = (struct touch_mark){.pair = t->pair, .feature = t->feature};
        int creature = c->base.dynamics.creature;
        mark->point = (struct contact_point){.creature = creature,
                                             .part = p->a,
                                             .other = p->b,
                                             .other_creature = p->b < 0 ? -1 : creature};
        c->mark_count++;
    }
    double normal = vec3_dot(impulse, t->directions[0]);
    struct vec3 across = vec3_along(impulse, t->directions[0], -normal);
    mark->point.at = t->at;
    mark->point.normal = vec3_scale(t->directions[0], sign);
    mark->point.gap_m = t->rows[0].deviation;
    mark->point.normal_impulse_n_s += normal;
    mark->point.friction_impulse_n_s +=
        c->shapes ? across.x * mark->point.normal.y - across.y * mark->point.normal.x
                  : vec3_length(across);
}

/* Bounds above 0 are given up in groups that gain energy, or in all. Returns 1 if there were
 * any. */
static int give_up_bounds(struct spatial_constraint *c, int is_all)
{
    int has_changed = 0;
    for (int i = 0; i < c->found_count; i++) {
        struct contact_law_contact *contact = &c->law.contacts[i];
        if (!(contact->bound > 0))
            continue;
        struct works works = work_of(c, c->law.leaders[i]);
        double gain = works.normal + works.tangent + works.limit;
        if (is_all || gain > GAIN_SHARE * works.size) {
            contact->bound = 0;
            has_changed = 1;
        }
    }
    return has_changed;
}

/* Energy beyond that of contacts is the work of prescribed motions. */
static void book_motions(struct spatial_constraint *c, double work)
{
    int has_motion = 0;
    for (int i = 0; i < c->rates; i++)
        has_motion |= c->base.servos[i].law == SERVO_MOTION;
    if (!has_motion)
        return;
    c->base.dynamics.ledger.work_effector_j += work;
    c->base.dynamics.ledger.work_effector_positive_j += det_max(work, 0);
}

/* Solves what found[] is subject to, with velocities `before`, and again without restitution where
 * that gains energy or if it has no solution. Returns 1 and changes nothing if that has none
 * either. */
static int solve_impacts(struct spatial_constraint *c)
{
    double energy = spatial_system_kinetic_energy(c);
    contact_law_solve(&c->law);
    if (give_up_bounds(c, is_unsolved(c, MISS_M_S)))
        contact_law_solve(&c->law);
    if (is_unsolved(c, MISS_M_S))
        return 1;
    struct works works = work_of(c, ALL_GROUPS);
    c->base.law_residual = det_max(c->base.law_residual, c->law.residual);
    book_works(c, works);
    for (int i = 0; i < c->found_count; i++) {
        const double *l = c->law.impulse + c->law.contacts[i].row;
        if (l[0] > 0)
            spatial_impulses_mark(c, &c->found[i], spatial_touch_force(&c->found[i], l));
    }
    apply_impulses(c);
    energy = spatial_system_kinetic_energy(c) - energy;
    book_motions(c, energy - works.normal - works.tangent - works.limit);
    return 0;
}

int spatial_impulses_collide(struct spatial_constraint *c, double ahead)
{
    int is_needed = 0;
    double bouncing = dynamics_bouncing_speed(&c->base.settings);
    spatial_system_place(c, c->y);
    spatial_touch_find(c, TOUCH_NEAR);
    for (int i = 0; i < c->found_count; i++)
        is_needed |= c->found[i].rows[0].rate < -RESTING;
    if (!is_needed)
        return 0;
    reduce(c, ahead);
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        struct contact_law_contact *law = &c->law.contacts[i];
        for (int k = 0; k < t->size; k++)
            c->law.free[law->row + k] = c->before[law->row + k] = t->rows[k].rate;
        if (!contact_law_is_inert(law))
            law->bound = t->rows[0].rate < -bouncing ? -t->elasticity * t->rows[0].rate : 0;
    }
    if (solve_impacts(c))
        return 1;
    spatial_system_keep(c);
    return 0;
}

static int does_press(const struct spatial_constraint *c, const struct contact_law_contact *l)
{
    return c->law.impulse[l->row] > PRESSING_SHARE * c->pressing_n;
}

/* The greatest sum of a row across the normal with all of them, of whatever presses. */
static double mobility_across(const struct spatial_constraint *c,
                              const struct contact_law_contact *of)
{
    double most = 0;
    for (int row = of->row + 1; row < of->row + of->size; row++) {
        double sum = 0;
        for (int i = 0; i < c->found_count; i++) {
            const struct contact_law_contact *l = &c->law.contacts[i];
            for (int k = l->row + 1; k < l->row + l->size && does_press(c, l); k++)
                sum += fabs(contact_law_element(&c->law, k, row));
        }
        most = det_max(most, sum);
    }
    return most;
}

/* The state of a touch that presses with these forces. */
static void start_pressing(struct spatial_constraint *c, int law)
{
    const struct contact_law_contact *l = &c->law.contacts[law];
    double force[3] = {0}, after[3] = {0};
    struct touch *t = &c->touches[c->touch_count++];
    *t = c->found[law];
    t->rest = t->rows[0].deviation;
    t->mode = TOUCH_SLIDES;
    for (int k = 0; k < l->size; k++) {
        t->reference[k] = force[k] = c->law.impulse[l->row + k];
        after[k] = c->law.velocity[l->row + k];
    }
    if (l->size == 1 || t->friction == 0)
        return;
    double x = t->rows[1].rate, y = t->rows[2].rate, speed = sqrt(x * x + y * y);
    double across = sqrt(force[1] * force[1] + force[2] * force[2]);
    t->mobility = mobility_across(c, l);
    double sliding = sqrt(after[1] * after[1] + after[2] * after[2]);
    if (sliding < STICKING_M_S2) {
        t->mode = TOUCH_STICKS;
        return;
    }
    t->may_stick = sliding < STICKING_SHARE * t->mobility * force[0];
    t->steadying = spatial_touch_steadying(c, t, speed, force[0]);
    if (!(speed > det_max(SLIDING_M_S, 2 * c->slip_m_s))) {
        x = -force[1];
        y = -force[2];
        speed = across;
    }
    t->way = vec3_along(vec3_scale(t->directions[1], x / speed), t->directions[2], y / speed);
    double along = (t->rows[1].rate * x + t->rows[2].rate * y) / speed;
    t->floor = along > 2 * c->slip_m_s ? c->slip_m_s : det_min(along, 0) - TURN * c->slip_m_s;
}

int spatial_impulses_choose_modes(struct spatial_constraint *c, double ahead)
{
    spatial_system_place(c, c->y);
    spatial_touch_find(c, TOUCH_NEAR);
    /* touches that leave have no part in what presses */
    int kept = 0;
    for (int i = 0; i < c->found_count; i++)
        if (c->found[i].rows[0].rate < LEAVING)
            c->found[kept++] = c->found[i];
    c->found_count = kept;
    c->touch_count = 0;
    if (c->found_count == 0)
        return 0;
    if (c->found_count > c->touch_room && spatial_equation_extend(c, c->found_room) != 0)
        c->found_count = c->touch_room;
    reduce(c, ahead);
    spatial_system_push_all(c, ahead);
    spatial_equation_accelerate(c, ahead, 0);
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        double *free = c->law.free + c->law.contacts[i].row;
        for (int k = 0; k < t->size; k++)
            free[k] = spatial_equation_acceleration_of(c, &t->rows[k]);
        if (t->kind == TOUCH_LIMIT)
            continue;
        double x = t->rows[1].rate, y = t->rows[2].rate, speed = sqrt(x * x + y * y);
        for (int k = 1; k < t->size && speed > 2 * c->slip_m_s; k++)
            free[k] += det_min(1 / STOP_S, SLIDING_M_S2 / speed) * t->rows[k].rate;
    }
    contact_law_solve(&c->law);
    if (is_unsolved(c, STICKING_M_S2))
        return 1;
    c->pressing_n = 0;
    for (int i = 0; i < c->found_count; i++)
        c->pressing_n += c->law.impulse[c->law.contacts[i].row];
    for (int i = 0; i < c->found_count; i++)
        if (does_press(c, &c->law.contacts[i]))
            start_pressing(c, i);
    return 0;
}

/* ---------------------------------------------------------------- steps of impulses */

/* Half a step of the velocities that bodies have. */
static void drift(struct spatial_constraint *c, double time_s)
{
    for (int i = 0; i < c->count; i++) {
        struct spatial_place *p = &c->bodies[i].place;
        struct quaternion turn = quaternion_exp(vec3_scale(p->spin, time_s));
        p->centre = vec3_along(p->centre, p->velocity, time_s);
        p->turn = quaternion_normalised(quaternion_product(turn, p->turn));
        p->stretch += p->stretch_rate * time_s;
    }
}

/* The least velocity along the normal at the end of a step of h, at whose middle the gap is
 * this. */
static double least_rate(const struct spatial_constraint *c, const struct touch *t, double h)
{
    double gap = t->rows[0].deviation, rate = t->rows[0].rate;
    if (!(gap > 0) && rate < -dynamics_bouncing_speed(&c->base.settings) && t->elasticity > 0)
        return -t->elasticity * rate;
    return contact_bound(gap, h, 0);
}

int spatial_impulses_step(struct spatial_constraint *c, double ahead, double h)
{
    c->touch_count = 0;
    c->is_stale = 1;
    spatial_system_place(c, c->y);
    drift(c, h / 2);
    spatial_system_keep(c);
    spatial_touch_find(c, MARGIN_M + 2 * h * spatial_system_top_speed(c));
    reduce(c, ahead + h / 2);
    c->losses[1] -= h * spatial_system_push_all(c, ahead + h / 2);
    spatial_equation_accelerate(c, ahead + h / 2, 0);
    for (int i = 0; i < c->rates; i++) {
        c->effector_work[i] += h * c->base.torque[i] * c->base.qd[i];
        c->losses[0] += h * c->base.servos[i].damping * c->base.qd[i] * c->base.qd[i];
    }
    for (int i = 0; i < c->found_count; i++) {
        const struct touch *t = &c->found[i];
        struct contact_law_contact *law = &c->law.contacts[i];
        for (int k = 0; k < t->size; k++) {
            c->before[law->row + k] = t->rows[k].rate;
            c->law.free[law->row + k] =
                t->rows[k].rate + h * spatial_equation_acceleration_of(c, &t->rows[k]);
        }
        if (!contact_law_is_inert(law))
            law->bound = least_rate(c, t, h);
    }
    for (int i = 0; i < c->count; i++) {
        struct rigid *b = &c->bodies[i];
        b->place.velocity = vec3_along(b->place.velocity, b->free.v, h);
        b->place.spin = vec3_along(b->place.spin, b->free.w, h);
        b->place.stretch_rate += h * b->free.stretch;
    }
    if (c->law.rows > 0 && solve_impacts(c)) {
        c->base.law_residual = c->law.residual;
        return 1;
    }
    drift(c, h / 2);
    spatial_system_keep(c);
    c->base.dynamics.steps++;
    return 0;
}

/* ---------------------------------------------------------------- apart */

/* Moves bodies for h, or until a stretch has changed by PART_STRETCH; none leaves its limits. */
static void move_apart(struct spatial_constraint *c, double h)
{
    double most = 0;
    for (int i = 0; i < c->count; i++)
        most = det_max(most, fabs(c->bodies[i].place.stretch_rate));
    drift(c, most * h > PART_STRETCH ? PART_STRETCH / most : h);
    for (int i = 0; i < c->count; i++) {
        const struct rigid *b = &c->bodies[i];
        double *e = &c->bodies[i].place.stretch;
        if (spatial_system_stretches(b))
            *e = det_min(det_max(*e, b->link->lower[b->stretch]), b->link->upper[b->stretch]);
    }
}

void spatial_impulses_part(struct spatial_constraint *c, double speed)
{
    double h = c->base.settings.dt_s;
    for (int i = 0; i < c->count; i++) {
        struct spatial_place *p = &c->bodies[i].place;
        p->velocity = p->spin = (struct vec3){0, 0, 0};
        p->stretch_rate = 0;
    }
    spatial_system_keep(c);
    spatial_touch_find(c, MARGIN_M + 2 * h * speed);
    reduce(c, 0);
    for (int i = 0; i < c->law.rows; i++)
        c->law.free[i] = 0;
    for (int i = 0; i < c->found_count; i++)
        if (!contact_law_is_inert(&c->law.contacts[i]))
            c->law.contacts[i].bound = det_min(-c->found[i].rows[0].deviation / h, speed);
    contact_law_solve(&c->law);
    apply_impulses(c);
    move_apart(c, h);
    spatial_system_keep(c);
}
