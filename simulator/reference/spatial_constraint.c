/* See spatial_constraint.h. Each dt_s is taken in adaptive steps:
 *
 *   step -> what went wrong within it?   nothing: go on
 *                                        something comes nearer than it may: bisect for the
 *                                        instant, impulses on all that touches there a touch pulls,
 *                                        slips, stops sliding or leaves its face: bisect for the
 *                                        instant; find out anew what presses, sticks and slides
 *
 * After too many events (feet that chatter, what is wedged), and where it cannot be told what
 * presses, small steps of first order with impulses are taken. They fail only where contacts have
 * no solution. */
#include <math.h>

#include "common/math/detmath.h"
#include "common/error.h"
#include "simulator/links/dynamics_space.h"
#include "simulator/reference/spatial_system.h"

/* Touches are looked for within this at the end of a step, m or rad. */
#define LOOK_NEAR 1e-6
/* A touch that does not press may be so deep, m or rad, and come nearer so fast, per s. */
#define PIERCE      1e-10
#define PIERCE_RATE 1e-8
/* Sliding that slow may stop at once: m/s for a tolerance of 1. */
#define SLIP_M_S 1e4
/* Friction turns the direction of sliding no faster than in this time, s for a tolerance of 1. */
#define TURNING_S 3e3
/* A touch that slides faster has a direction, m/s. */
#define SURE_M_S 1e-8
/* Instants of events are found to this, s, or to this many times the tolerance of a step of its
 * length. */
#define EVENT_S     1e-12
#define EVENT_SHARE 10
/* Forces are errors if they are smaller than this share of all forces, or if they accelerate a
 * touch's bodies by less than that, m/s^2 or rad/s^2. */
#define FORCE_SHARE        1e-9
#define ACCELERATION_ERROR 1e-7
/* More events than this in one dt_s, or so many in a row with less than CROWDED_S between them, are
 * left to steps by impulses. */
#define EVENTS_MAX  8
#define CROWD_COUNT 6
#define CROWDED_S   1e-7
/* A step that says nothing about the next length is followed by one so many times as long. */
#define FAILED_FACTOR 0.1
/* Steps tried in a dt_s, at most; the rest of it goes by impulses. */
#define TRIES_MAX 2000
/* Steps by impulses in a dt_s. */
#define IMPULSE_STEPS 16
/* A gap that is reported to sensors, m. */
#define NEAR_M 1e-3

/* ---------------------------------------------------------------- creation */

static int take_memory(struct spatial_constraint *c, struct arena *arena)
{
    int width = STATE_SIZE * c->count;
    c->effector_work = arena_take(arena, (size_t)c->rates, sizeof(double));
    c->turned_to = arena_take(arena, (size_t)c->coordinates, sizeof(double));
    c->y = arena_take(arena, (size_t)width, sizeof(double));
    c->rk = (struct dormand_prince){
        .derive = spatial_equation_derive, .system = c, .rtol = c->base.settings.rtol};
    if (!c->effector_work || !c->turned_to || !c->y)
        return ERR_MEMORY;
    return dormand_prince_create(&c->rk, width, 0, arena);
}

static void init_body(struct spatial_constraint *c, int i, const struct body_link *link)
{
    struct rigid *b = &c->bodies[i];
    struct vec3 from = link->parent < 0 ? none : c->bodies[link->parent].link->centre;
    spatial_system_init_body(b, link);
    b->coordinate = c->coordinates;
    b->rate = c->rates;
    b->hinge = (struct hinge){.child = i,
                              .parent = link->parent,
                              .joint = b->joint,
                              .frame = quaternion_matrix(quaternion_normalised(link->frame)),
                              .own = vec3_negated(link->centre),
                              .parents = vec3_sub(link->joint, from)};
    c->mass += b->mass;
    c->coordinates += joint_coordinates(b->joint);
    c->rates += b->rates;
}

/* In the plane the faces that feel drag are those of rectangles that move, and all hide one
 * another. */
static int create_drag(struct spatial_constraint *c, const struct body *body, struct arena *arena)
{
    const struct body_box *boxes = body->boxes;
    int count = body->box_count;
    if (c->shapes) {
        if (!(c->wet = arena_take(arena, (size_t)count, sizeof c->wet[0])))
            return ERR_MEMORY;
        boxes = c->wet;
        count = 0;
        for (int i = 0; i < body->box_count; i++)
            if (c->shapes[i] == PART_BOX && body->boxes[i].link != WORLD)
                c->wet[count++] = body->boxes[i];
    }
    if (spatial_drag_create(&c->drag, &c->base.world.drag, boxes, count,
                            c->shapes ? NULL : body->links, c->count, arena))
        return ERR_MEMORY;
    c->drag.axes = c->room->moves;
    int has_stretch = 0;
    for (int i = 0; i < c->count; i++)
        has_stretch |= spatial_system_stretches(&c->bodies[i]);
    if (!has_stretch)
        return 0;
    c->drag.stretches = arena_take(arena, (size_t)count, sizeof c->drag.stretches[0]);
    return c->drag.stretches ? 0 : ERR_MEMORY;
}

struct spatial_constraint *spatial_constraint_of(const struct dynamics *dynamics)
{
    ENSURE(dynamics->solver == &dynamics_constraint ||
               dynamics->solver == &dynamics_constraint_space,
           "motion of another solver");
    return (struct spatial_constraint *)dynamics;
}

static const struct spatial_tree *find_tree(struct spatial_state *s)
{
    struct spatial_constraint *c = spatial_constraint_of(&s->dynamics);
    if (!c->is_tree_placed) {
        spatial_tree_set_pose(&c->carriers, c->base.q);
        spatial_tree_set_velocity(&c->carriers, c->base.qd);
        c->is_tree_placed = 1;
    }
    return &c->carriers;
}

/* Bodies in the order of the tree, the numbers of their joints one behind the other. */
static void check_bodies(const struct spatial_constraint *c)
{
    int coordinates = 0, rates = 0;
    for (int i = 0; i < c->count; i++) {
        const struct rigid *b = &c->bodies[i];
        ENSURE(b->parent >= WORLD && b->parent < i, "body %d hangs on body %d", i, b->parent);
        ENSURE(b->hinge.child == i && b->hinge.parent == b->parent,
               "the joint of body %d joins %d with %d", i, b->hinge.child, b->hinge.parent);
        ENSURE(b->coordinate == coordinates && b->rate == rates,
               "body %d begins at coordinate %d and rate %d instead of %d and %d", i, b->coordinate,
               b->rate, coordinates, rates);
        coordinates += joint_coordinates(b->joint);
        rates += b->rates;
    }
    ENSURE(c->coordinates == coordinates && c->rates == rates,
           "%d coordinates and %d rates, of the bodies %d and %d", c->coordinates, c->rates,
           coordinates, rates);
    ENSURE(c->carriers.coordinates == coordinates && c->carriers.rates == rates,
           "a tree of %d coordinates and %d rates for %d and %d", c->carriers.coordinates,
           c->carriers.rates, coordinates, rates);
}

/* The invariants between two steps. */
static void check(const struct spatial_constraint *c)
{
    ENSURE(c->touch_count >= 0 && c->touch_count <= c->touch_room, "%d touches press, room for %d",
           c->touch_count, c->touch_room);
    ENSURE(c->found_count >= 0 && c->found_count <= c->found_room, "%d touches, room for %d",
           c->found_count, c->found_room);
    ENSURE(c->mark_count >= 0 && c->mark_count <= c->mark_room, "%d marks, room for %d",
           c->mark_count, c->mark_room);
    for (int i = 0; i < c->touch_count; i++) {
        const struct touch *t = &c->touches[i];
        ENSURE(t->size >= 1 && t->size <= 3, "touch %d has %d rows", i, t->size);
        ENSURE((t->kind == TOUCH_LIMIT) == (t->pair < 0), "touch %d of kind %d is of pair %d", i,
               t->kind, t->pair);
        ENSURE(t->pair < c->pair_count, "touch %d is of pair %d of %d", i, t->pair, c->pair_count);
        ENSURE(t->kind != TOUCH_LIMIT || (t->feature >= 0 && t->feature < c->limit_count),
               "touch %d is at limit %d of %d", i, t->feature, c->limit_count);
        ENSURE(t->mode >= TOUCH_FREE && t->mode <= TOUCH_SLIDES, "touch %d is in mode %d", i,
               t->mode);
        ENSURE(t->bodies[0] >= WORLD && t->bodies[0] < c->count && t->bodies[1] >= WORLD &&
                   t->bodies[1] < c->count && t->bodies[0] != t->bodies[1],
               "touch %d is of bodies %d and %d of %d", i, t->bodies[0], t->bodies[1], c->count);
    }
}

static const struct room in_space = {3, 3}, in_plane = {2, 1};

int spatial_constraint_init(struct spatial_constraint *c, const struct dynamics_solver *solver,
                            const struct body *body, const struct spatial_world *world,
                            const struct dynamics_settings *settings, struct arena *arena)
{
    if (!(c->bodies = arena_take(arena, (size_t)body->link_count, sizeof c->bodies[0])))
        return ERR_MEMORY;
    c->arena = c->base.dynamics.touches.arena = arena;
    c->base.world = *world;
    c->slip_m_s = SLIP_M_S * settings->rtol;
    c->turning_s = det_min(TURNING_S * settings->rtol, settings->dt_s);
    c->count = body->link_count;
    c->boxes = c->base.boxes = body->boxes;
    c->box_count = c->base.box_count = body->box_count;
    c->shapes = world->surfaces.shapes;
    c->room = c->shapes ? &in_plane : &in_space;
    c->ground.parent = WORLD;
    c->ground.place.turn = QUATERNION_ONE;
    c->ground.turned = quaternion_matrix(QUATERNION_ONE);
    c->ground.sides = (struct vec3){1, 1, 1};
    c->ground.grown = c->ground.shrunk = (struct sym3){1, 0, 0, 1, 0, 1};
    for (int i = 0; i < c->count; i++)
        init_body(c, i, &body->links[i]);
    if (spatial_tree_create(&c->carriers, body->links, c->count, world->gravity_m_s2, arena) != 0 ||
        spatial_state_init(&c->base, solver, find_tree, &c->carriers, settings, arena) != 0)
        return ERR_MEMORY;
    if (spatial_touch_create(c, arena) != 0 || take_memory(c, arena) != 0 ||
        spatial_equation_create(c) != 0 || create_drag(c, body, arena) != 0)
        return ERR_MEMORY;
    check_bodies(c);
    c->h_s = settings->dt_s;
    spatial_constraint_set_state(&c->base.dynamics, c->base.q, c->base.qd);
    spatial_equation_weigh_freedoms(c);
    dynamics_space_set_joint_damping(&c->base.dynamics, settings->joint_damping_1_s);
    return 0;
}

struct spatial_state *spatial_constraint_create(const struct body *body,
                                                const struct spatial_world *world,
                                                const struct dynamics_settings *settings,
                                                struct arena *arena)
{
    struct spatial_constraint *c = arena_take(arena, 1, sizeof *c);
    if (!c ||
        spatial_constraint_init(c, &dynamics_constraint_space, body, world, settings, arena) != 0)
        return NULL;
    return &c->base;
}

/* ---------------------------------------------------------------- steps */

/* The places at y are those of joints; turns are unwrapped from there. */
static void settle_state(struct spatial_constraint *c)
{
    for (int i = 0; i < c->count; i++) {
        double *at = c->y + STATE_SIZE * i;
        struct spatial_place place = spatial_system_place_at(at);
        place.turn = quaternion_normalised(place.turn);
        spatial_system_put(at, &place);
    }
    spatial_system_place(c, c->y);
    for (int i = 0; i < c->coordinates; i++)
        c->turned_to[i] = c->base.q[i];
}

/* Takes the points of touches as they are now. A touch that is gone is let go. */
static void renew_touches(struct spatial_constraint *c)
{
    int kept = 0;
    for (int i = 0; i < c->touch_count; i++) {
        struct touch *t = &c->touches[i];
        const struct touch *found = spatial_touch_match(c, t);
        if (!found)
            continue;
        struct touch now = *found;
        now.mode = t->mode;
        now.way = t->way;
        now.rest = now.rows[0].deviation - (t->rows[0].deviation - t->rest);
        for (int k = 0; k < 3; k++)
            now.reference[k] = t->force[k];
        double x = now.rows[1].rate, y = now.rows[2].rate, speed = sqrt(x * x + y * y);
        now.floor = speed > 2 * c->slip_m_s ? c->slip_m_s : t->floor;
        if (now.mode == TOUCH_SLIDES) {
            now.mobility = t->mobility;
            now.steadying = spatial_touch_steadying(c, &now, speed, t->force[0]);
            x += now.steadying * vec3_dot(now.way, now.directions[1]);
            y += now.steadying * vec3_dot(now.way, now.directions[2]);
            speed = sqrt(x * x + y * y);
        }
        if (now.mode == TOUCH_SLIDES && speed > SURE_M_S)
            now.way =
                vec3_along(vec3_scale(now.directions[1], x / speed), now.directions[2], y / speed);
        c->touches[kept++] = now;
    }
    c->is_stale |= kept < c->touch_count;
    c->touch_count = kept;
}

/* Books what the step of h just tried adds to quadratures. */
static void integrate(struct spatial_constraint *c, double h)
{
    int at = STATE_SIZE * c->count;
    for (int i = 0; i < c->rates; i++)
        c->effector_work[i] += dormand_prince_integral(&c->rk, at++, h);
    for (int i = 0; i < LOSSES; i++)
        c->losses[i] += dormand_prince_integral(&c->rk, at++, h);
    for (int i = 0; i < c->touch_count; i++, at += 3) {
        double impulse[3];
        for (int k = 0; k < 3; k++)
            impulse[k] = dormand_prince_integral(&c->rk, at + k, h);
        spatial_impulses_mark(c, &c->touches[i], (struct vec3){impulse[0], impulse[1], impulse[2]});
    }
}

/* The state moves on by the step of h just tried and judged. */
static void accept_step(struct spatial_constraint *c, double h)
{
    integrate(c, h);
    dormand_prince_accept(&c->rk, &c->y);
    settle_state(c);
    spatial_touch_hold(c);
    renew_touches(c);
    c->base.dynamics.steps++;
    c->base.dynamics.rk4_steps++;
}

/* ---------------------------------------------------------------- events */

/* 1 if a touch that presses does what it may not: pull, stick beyond the cone, slide backwards. */
static int is_wrong(const struct spatial_constraint *c, const struct touch *t, double error)
{
    error += ACCELERATION_ERROR * spatial_equation_row_mass(c, &t->rows[0]);
    if (t->force[0] < -error)
        return 1;
    if (t->kind == TOUCH_LIMIT || t->friction == 0)
        return 0;
    if (t->mode == TOUCH_SLIDES)
        return t->rows[1].rate * vec3_dot(t->way, t->directions[1]) +
                   t->rows[2].rate * vec3_dot(t->way, t->directions[2]) <
               t->floor;
    double across = sqrt(t->force[1] * t->force[1] + t->force[2] * t->force[2]);
    return across > t->friction * t->force[0] + error;
}

/* A smaller force is an error. */
static double force_error(const struct spatial_constraint *c)
{
    double sum = 0;
    for (int i = 0; i < c->touch_count; i++)
        for (int k = 0; k < c->touches[i].size; k++)
            sum += fabs(c->touches[i].force[k]);
    return FORCE_SHARE * sum;
}

/* 1 if the step just tried, at whose end bodies are placed, ends with something that may not be. */
static int is_bad_end(struct spatial_constraint *c)
{
    double error = force_error(c);
    spatial_touch_find(c, LOOK_NEAR);
    for (int i = 0; i < c->touch_count; i++) {
        struct touch *found = spatial_touch_match(c, &c->touches[i]);
        if (!found || is_wrong(c, &c->touches[i], error))
            return 1;
        found->mode = c->touches[i].mode;
    }
    for (int i = 0; i < c->found_count; i++) {
        const struct row *row = &c->found[i].rows[0];
        if (c->found[i].mode == TOUCH_FREE && row->deviation < -PIERCE && row->rate < -PIERCE_RATE)
            return 1;
    }
    return 0;
}

/* The step just tried, of h, ends badly: finds the first instant at which it does, and takes the
 * step to there. By bisection of what is between the stages; as steps are more exact than that, a
 * step to there may end well, and then goes on by little. Returns its length; 0 if it is not exact:
 * h was too long to tell. */
static double step_to_event(struct spatial_constraint *c, double ahead, double h)
{
    double low = 0, high = h, fine = det_max(EVENT_S, EVENT_SHARE * c->base.settings.rtol * h);
    while (high - low > fine) {
        double middle = (low + high) / 2, share = middle / h;
        dormand_prince_look_inside(&c->rk, c->y, h, share);
        spatial_equation_derive(c, c->rk.stage, ahead + share * h, c->dy);
        if (is_bad_end(c))
            high = middle;
        else
            low = middle;
    }
    for (double more = fine;; more *= 4) {
        double error = dormand_prince_try(&c->rk, c->y, ahead, high);
        c->tries++;
        if (!(error <= 1) && high > DORMAND_PRINCE_LEAST_S)
            return 0;
        if (is_bad_end(c) || high >= h)
            break;
        high = det_min(high + more, h);
    }
    accept_step(c, high);
    return high;
}

/* The mode of touches of which the law does not tell whether they stick. Returns their number. */
static int set_doubtful(struct spatial_constraint *c, enum touch_mode mode)
{
    int count = 0;
    for (int i = 0; i < c->touch_count; i++)
        if (c->touches[i].may_stick) {
            c->touches[i].mode = mode;
            count++;
        }
    return count;
}

/* 1 if with the least forces a touch does at the start of the step what it may not. */
static int is_wrong_at_start(struct spatial_constraint *c, double ahead)
{
    c->has_reference = 0;
    spatial_equation_derive(c, c->y, ahead, c->rk.k[0]);
    double error = force_error(c);
    for (int i = 0; i < c->touch_count; i++)
        if (is_wrong(c, &c->touches[i], error))
            return 1;
    return 0;
}

/* The touches that press are known, and those that come together have collided. How touches share a
 * load may not be determined: the least forces are taken, if they are possible ones, else those
 * that were found with the modes. Returns 1 if there is no telling: the law has no solution. */
static int start_step(struct spatial_constraint *c, double ahead)
{
    if (!c->is_stale)
        return 0;
    if (spatial_impulses_collide(c, ahead) || spatial_impulses_choose_modes(c, ahead))
        return 1;
    c->is_stale = 0;
    if (set_doubtful(c, TOUCH_STICKS) && !is_wrong_at_start(c, ahead))
        return 0;
    set_doubtful(c, TOUCH_SLIDES);
    c->has_reference = is_wrong_at_start(c, ahead);
    return 0;
}

/* Moves on by at most `left`; returns how far, and 0 if the state is not finite. */
static double advance(struct spatial_constraint *c, double ahead, double left, int *is_event)
{
    double thinnest_m = c->base.settings.integrator != INTEGRATOR_RK4 ? c->thinnest_m : HUGE_VAL;
    *is_event = 0;
    spatial_equation_derive(c, c->y, ahead, c->rk.k[0]);
    for (;; c->tries++) {
        double h = dormand_prince_longest(c->h_s, spatial_system_top_speed(c), thinnest_m, left);
        double error = dormand_prince_try(&c->rk, c->y, ahead, h);
        double factor = isfinite(error) ? 0.9 * det_pow(det_max(error, 1e-5), -0.2) : FAILED_FACTOR;
        int is_good = error <= 1 || (h <= DORMAND_PRINCE_LEAST_S && isfinite(error));
        if (!is_good && h <= DORMAND_PRINCE_LEAST_S)
            return 0;
        if (is_good && is_bad_end(c)) {
            double to = step_to_event(c, ahead, h);
            if (to > 0) {
                *is_event = c->is_stale = 1;
                return to;
            }
            is_good = 0;
            factor = FAILED_FACTOR;
        }
        if (is_good)
            accept_step(c, h);
        /* the rest of dt_s says little about the next length */
        if (h < left || factor < 1)
            c->h_s = det_max(DORMAND_PRINCE_LEAST_S,
                             det_min(c->base.settings.dt_s, h * det_min(5, det_max(0.1, factor))));
        if (is_good)
            return h;
    }
}

/* The quadratures since the sums were cleared. */
static void book(struct spatial_constraint *c)
{
    double *work = c->effector_work, *losses = c->losses;
    for (int i = 0; i < c->rates; i++) {
        c->base.dynamics.ledger.work_effector_j += work[i];
        c->base.dynamics.ledger.work_effector_positive_j += work[i] > 0 ? work[i] : 0;
        work[i] = 0;
    }
    /* one weight of the method is negative, which shows where there is nothing to lose */
    c->base.dynamics.ledger.loss_damping_j += det_max(losses[0], 0);
    c->base.dynamics.ledger.loss_drag_j += det_max(losses[1], 0);
    c->base.dynamics.ledger.loss_friction_j += det_max(losses[2], 0);
    for (int i = 0; i < LOSSES; i++)
        losses[i] = 0;
}

static int is_before(const struct touch_mark *a, const struct touch_mark *b)
{
    return a->pair < b->pair || (a->pair == b->pair && a->feature < b->feature);
}

/* Contacts of the step, and things that are near, for sensors and traces: those of two boxes follow
 * one another. */
static void report_touches(struct spatial_constraint *c)
{
    struct touches *touches = &c->base.dynamics.touches;
    spatial_touch_find(c, NEAR_M);
    touches_clear(touches);
    for (int i = 0; i < c->found_count; i++)
        spatial_impulses_mark(c, &c->found[i], none);
    for (int i = 0; i < c->mark_count; i++) {
        struct touch_mark mark = c->marks[i];
        int at = i;
        for (; at > 0 && is_before(&mark, &c->marks[at - 1]); at--)
            c->marks[at] = c->marks[at - 1];
        c->marks[at] = mark;
    }
    for (int i = 0; i < c->mark_count; i++) {
        const struct contact_point *point = &c->marks[i].point;
        touches->penetration_m = det_max(touches->penetration_m, -point->gap_m);
        if (point->normal_impulse_n_s <= 0 && point->gap_m >= NEAR_M)
            continue;
        struct contact_point *to = touches_add(touches);
        if (to)
            *to = *point;
    }
}

/* Coordinates and rates are numbers. */
static int is_finite(const struct spatial_constraint *c)
{
    double sum = 0;
    for (int i = 0; i < STATE_SIZE * c->count; i++)
        sum += fabs(c->y[i]);
    return isfinite(sum);
}

/* The joint coordinates of where boxes have come close the joints again. */
static int push_apart(struct spatial_constraint *c)
{
    spatial_impulses_part(c, c->base.dynamics.push_out_m_s);
    for (int i = 0; i < c->rates; i++)
        c->base.qd[i] = 0;
    spatial_constraint_set_state(&c->base.dynamics, c->base.q, c->base.qd);
    report_touches(c);
    return is_finite(c) && !c->arena->is_exhausted ? 0 : DYNAMICS_BROKEN;
}

static int take_step(struct spatial_constraint *c)
{
    if (c->base.dynamics.push_out_m_s > 0)
        return push_apart(c);
    check(c);
    double dt = c->base.settings.dt_s, done = 0, short_step = dt / IMPULSE_STEPS;
    int events = 0, crowd = 0, is_event;
    c->mark_count = c->tries = 0;
    c->base.law_residual = 0;
    c->is_tree_placed = 0;
    uint64_t most = c->base.settings.work_max > 0 ? c->base.settings.work_max : UINT64_MAX;
    while (done < dt && !c->arena->is_exhausted && c->work <= most) {
        double left = dt - done, h;
        int is_crowded = events > EVENTS_MAX || crowd > CROWD_COUNT || c->tries > TRIES_MAX;
        if (is_crowded || start_step(c, done)) {
            h = left < 1.01 * short_step ? left : short_step;
            if (spatial_impulses_step(c, done, h)) {
                report_touches(c);
                return DYNAMICS_UNSOLVED;
            }
            settle_state(c);
            spatial_touch_hold(c);
            crowd = 0;
        } else {
            h = advance(c, done, left, &is_event);
            if (h == 0)
                return DYNAMICS_BROKEN;
            events += is_event;
            crowd = is_event && h < CROWDED_S ? crowd + 1 : 0;
        }
        ENSURE(h > 0 && h <= left, "a part of %g s of the %g s that are left", h, left);
        done = h == left ? dt : done + h;
    }
    book(c);
    report_touches(c);
    for (int i = 0; i < c->rates; i++)
        servo_advance(&c->base.servos[i], dt);
    return is_finite(c) && !c->arena->is_exhausted ? 0 : DYNAMICS_BROKEN;
}

int spatial_constraint_step(struct dynamics *dynamics)
{
    struct spatial_constraint *c = spatial_constraint_of(dynamics);
    int result = take_step(c);
    dynamics->work = c->work;
    dynamics->touches.law_miss_m = c->base.law_residual * c->base.settings.dt_s;
    return result;
}

/* ---------------------------------------------------------------- the interface */

/* The turn and stretch of a body, and their rates, whose parent has its own. */
static void turn_body(struct rigid *b, const struct rigid *p, const double *at, const double *rate)
{
    struct spatial_place *place = &b->place;
    struct quaternion turn =
        quaternion_product(p->place.turn, quaternion_normalised(b->link->frame));
    int k = b->joint->slides;
    *place = (struct spatial_place){.spin = p->place.spin};
    b->hinge.f = mat3_product(&p->turned, &b->hinge.frame);
    for (int j = 0; j < b->joint->turns; j++) {
        double unit[3] = {0, 0, 0};
        unit[b->joint->axes[j]] = 1;
        turn = quaternion_product(
            turn, quaternion_about((struct vec3){unit[0], unit[1], unit[2]}, at[k + j]));
    }
    if (b->joint->has_ball)
        turn = quaternion_product(turn, quaternion_normalised(quaternion_read(at + b->plain)));
    place->turn = quaternion_normalised(turn);
    b->turned = quaternion_matrix(place->turn);
    spatial_system_find_axes(b);
    for (; k < b->stretch; k++)
        place->spin = vec3_along(place->spin, b->axes[k], rate[k]);
    if (spatial_system_stretches(b)) {
        place->stretch = at[b->stretch];
        place->stretch_rate = rate[b->stretch];
    }
    spatial_system_form(b);
}

/* Its centre and the velocity of that. */
static void move_body(struct rigid *b, const struct rigid *p, const double *at, const double *rate)
{
    struct hinge *h = &b->hinge;
    struct spatial_place *place = &b->place;
    h->rc = mat3_apply(&b->turned, sym3_apply(&b->grown, h->own));
    h->rp = mat3_apply(&p->turned, sym3_apply(&p->grown, h->parents));
    struct vec3 way = h->rp, slid = none;
    for (int k = 0; k < b->joint->slides; k++) {
        way = vec3_along(way, b->axes[k], at[k]);
        slid = vec3_along(slid, b->axes[k], rate[k]);
    }
    place->centre = vec3_sub(vec3_add(p->place.centre, way), h->rc);
    place->velocity =
        vec3_sub(vec3_add(vec3_add(p->place.velocity, vec3_cross(p->place.spin, way)), slid),
                 vec3_cross(place->spin, h->rc));
    struct vec3 spread = vec3_scale(sym3_apply(&p->spread, h->rp), p->place.stretch_rate);
    spread = vec3_along(spread, sym3_apply(&b->spread, h->rc), -place->stretch_rate);
    place->velocity = vec3_add(place->velocity, spread);
}

/* From the root outward: the joint's coordinates make each link's pose, its rates the motion. */
void spatial_constraint_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    struct spatial_constraint *c = spatial_constraint_of(dynamics);
    for (int i = 0; i < c->coordinates; i++)
        c->turned_to[i] = q[i];
    for (int i = 0; i < c->count; i++) {
        struct rigid *b = &c->bodies[i];
        const struct rigid *p = spatial_system_body(c, b->parent);
        turn_body(b, p, q + b->coordinate, qd + b->rate);
        move_body(b, p, q + b->coordinate, qd + b->rate);
        spatial_system_put(c->y + STATE_SIZE * i, &b->place);
    }
    for (int i = 0; i < c->rates; i++)
        c->effector_work[i] = 0;
    for (int i = 0; i < LOSSES; i++)
        c->losses[i] = 0;
    c->touch_count = c->base.dynamics.touches.count = c->mark_count = 0;
    c->is_tree_placed = 0;
    c->is_stale = 1;
    c->h_s = c->base.settings.dt_s;
    for (int i = 0; i < c->pair_count; i++)
        c->pairs[i].held.axis = -1;
    spatial_system_place(c, c->y);
    if (c->loop_count > 0) {
        spatial_equation_close(c);
        settle_state(c);
    }
    dynamics_reset_ledger(&c->base.dynamics);
}

static struct hinge hinge_of(const struct spatial_constraint *c, const struct spatial_loop *loop)
{
    return (struct hinge){
        .child = loop->links[0],
        .parent = loop->links[1],
        .joint = &joint_kinds[loop->kind],
        .frame = quaternion_matrix(loop->turns[1]),
        .own_frame = quaternion_matrix(loop->turns[0]),
        .own = vec3_add(loop->at[0], spatial_system_body(c, loop->links[0])->hinge.own),
        .parents = vec3_add(loop->at[1], spatial_system_body(c, loop->links[1])->hinge.own)};
}

int spatial_constraint_close(struct spatial_constraint *c, const struct spatial_loop *loops,
                             int count)
{
    ENSURE(count >= 0 && c->loop_count == 0, "%d loops after %d", count, c->loop_count);
    for (int i = 0; i < count; i++)
        ENSURE(loops[i].links[0] >= 0 && loops[i].links[0] < c->count &&
                   loops[i].links[1] >= WORLD && loops[i].links[1] < c->count,
               "loop %d joins links %d and %d of %d", i, loops[i].links[0], loops[i].links[1],
               c->count);
    if (!(c->loops = arena_take(c->arena, (size_t)count, sizeof c->loops[0])))
        return ERR_MEMORY;
    c->loop_count = count;
    for (int i = 0; i < count; i++)
        c->loops[i] = hinge_of(c, &loops[i]);
    return spatial_equation_create(c);
}

void spatial_constraint_energy(struct dynamics *dynamics, double *kinetic_j, double *potential_j)
{
    const struct spatial_constraint *c = spatial_constraint_of(dynamics);
    *kinetic_j = spatial_system_kinetic_energy(c);
    *potential_j = 0;
    for (int i = 0; i < c->count; i++)
        *potential_j -=
            c->bodies[i].mass * vec3_dot(c->base.world.gravity_m_s2, c->bodies[i].place.centre);
}

/* ---------------------------------------------------------------- what changes on the way */

void spatial_constraint_heed_world(struct spatial_constraint *c)
{
    spatial_drag_set_law(&c->drag, &c->base.world.drag);
    spatial_touch_list_pairs(c);
    c->touch_count = 0;
    c->is_stale = 1;
}

/* ---------------------------------------------------------------- creatures of boxes */

static struct dynamics *create(const struct phenotype *phenotype, const struct world *world,
                               const struct dynamics_settings *settings, struct arena *arena)
{
    return dynamics_space_create(spatial_constraint_create, phenotype, world, settings, arena);
}

static void set_world(struct dynamics *dynamics, const struct world *world)
{
    struct spatial_constraint *c = spatial_constraint_of(dynamics);
    spatial_world_set(&c->base.world, world);
    spatial_constraint_heed_world(c);
}

const struct dynamics_solver dynamics_constraint_space = {DYNAMICS_SPACE,
                                                          .servo = dynamics_space_servo,
                                                          .read = &dynamics_space_reader,
                                                          .create = create,
                                                          .step = spatial_constraint_step,
                                                          .set_state = spatial_constraint_set_state,
                                                          .set_world = set_world,
                                                          .energy = spatial_constraint_energy};
