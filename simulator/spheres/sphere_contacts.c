/* Contacts of spheres: with one another, the ground, and the obstacles of the world, which reach
 * through the third dimension from minus to plus half of world.depth_m.
 *
 * Sizes: 12 spheres, 66 pairs less the bones, up to 32 obstacles; a handful near, few touching.
 * Near spheres are looked for only when the fastest sphere has gone half of a slack since, and half
 * of what the others were farther apart than that.
 *
 * Contacts are solved once a substep, after the bones, each for its spheres alone: as if no
 * body hung on them; its weight comes with the bones' impulses in the next substep. Signorini with
 * Newton's restitution and Coulomb's cone, as in contacts.h, with the gap of the middle of the
 * substep: vn >= -gap / h.
 *
 * The piece of an obstacle that a sphere may touch is the one nearest to where the sphere would be
 * next: of two obstacles side by side the second is then no step, as it would be seen from afar.
 * Between two spheres the normal is the line of their centres in the middle, so that angular
 * momentum is kept. A sphere that does not turn cannot take the torque of friction: it has no
 * friction against another sphere of its body. */
#include <float.h>

#include "simulator/spheres/sphere_system.h"

/* Nearer than this is touching, m. */
#define TOUCH_M 1e-3
/* Deeper than this is pushed out, at this rate of the depth, at most so fast. */
#define PUSH_OUT_M   1e-3
#define PUSH_OUT_1_S 48
#define PUSH_OUT_M_S 0.05
/* A sphere that goes farther than this share of the slack in a substep is fast: all that it could
 * reach in two is near. */
#define FAST_SHARE 0.25
/* The search for where a fast sphere first touches an obstacle. */
#define SWEEP_PARTS_MAX 40
/* Room for touches between bodies at first; later there is twice as much. */
#define TOUCHES_ROOM 64
/* Shorter lines between centres have no direction, m. */
#define CENTRES_M 1e-9

static int is_joined(const struct sphere_system *s, int a, int b)
{
    for (int i = 0; i < s->rods; i++)
        if ((s->rod[i].a == a && s->rod[i].b == b) || (s->rod[i].a == b && s->rod[i].b == a))
            return 1;
    return 0;
}

int sphere_contacts_create(struct sphere_system *s, struct arena *arena)
{
    ENSURE(s->balls > 0, "contacts of %d spheres", s->balls);
    size_t all = (size_t)s->balls * (size_t)(s->balls - 1) / 2;
    s->arena = s->base.touches.arena = arena;
    s->box_room = s->world.obstacles.count;
    size_t boxes = (size_t)s->balls * (size_t)s->box_room;
    s->touch_room = (int)(all + boxes) + s->balls;
    s->pairs = arena_take(arena, all, sizeof *s->pairs);
    s->near = arena_take(arena, all, sizeof *s->near);
    s->reach_sq = arena_take(arena, all, sizeof *s->reach_sq);
    s->near_boxes = arena_take(arena, boxes, sizeof *s->near_boxes);
    s->touch = arena_take(arena, (size_t)s->touch_room, sizeof *s->touch);
    s->boxes = arena_take(arena, (size_t)s->box_room, sizeof *s->boxes);
    if (!s->pairs || !s->near || !s->reach_sq || !s->near_boxes || !s->touch || !s->boxes)
        return ERR_MEMORY;
    for (int a = 0; a < s->balls; a++) {
        s->slack = det_max(s->slack, s->ball[a].radius);
        for (int b = a + 1; b < s->balls; b++)
            if (!is_joined(s, a, b))
                s->pairs[s->pair_count++] = (struct sphere_pair){a, b};
    }
    for (int i = 0; i < s->pair_count; i++) {
        double reach = s->ball[s->pairs[i].a].radius + s->ball[s->pairs[i].b].radius + 2 * s->slack;
        s->reach_sq[i] = reach * reach;
        s->reach_most = larger(s->reach_most, reach);
    }
    for (int i = 0; i < s->box_room; i++)
        collide_place_obstacle(&s->world.obstacles.list[i], &s->boxes[i]);
    return 0;
}

/* ---------------------------------------------------------------- obstacles */

/* Where a point is against an obstacle: distance (negative inside), and the normal towards it. */
static double nearest_side(const struct sphere_system *s, int obstacle, struct vec3 at,
                           struct vec3 *normal)
{
    const struct box *box = &s->boxes[obstacle];
    double half[3] = {box->half_width, box->half_height, s->world.half_depth_m};
    double x = at.x - box->x, y = at.y - box->y;
    double local[3] = {x * box->cos + y * box->sin, y * box->cos - x * box->sin, at.z}, out[3];
    double distance = solids_distance(local, half, out), size = distance > 0 ? 1 / distance : 1;
    *normal = (struct vec3){(out[0] * box->cos - out[1] * box->sin) * size,
                            (out[0] * box->sin + out[1] * box->cos) * size, out[2] * size};
    return distance;
}

/* ---------------------------------------------------------------- what is near */

/* How far the fastest went in the last substep, m; 0 if that is not far. */
static double fast_way(const struct sphere_system *s)
{
    return s->way > FAST_SHARE * s->slack ? s->way : 0;
}

/* How far beyond the slack all others are is found without a root for each pair: if the squares of
 * distance and reach differ by `least` or more in each pair, and no reach is more than R, then each
 * is at least sqrt(R^2 + least) - R beyond its reach. */
/* Looks anew for what is near. */
static void sphere_contacts_look(struct sphere_system *s)
{
    double least = DBL_MAX, beyond, more = 2 * fast_way(s);
    ENSURE(s->world.obstacles.count <= s->box_room, "%d obstacles in a world made for %d",
           s->world.obstacles.count, s->box_room);
    s->near_count = s->near_box_count = 0;
    for (int i = 0; i < s->pair_count; i++) {
        const struct sphere_pair two = s->pairs[i];
        struct lanes d = lanes_sub(lanes_of(&s->ball[two.a].at), lanes_of(&s->ball[two.b].at));
        double reach_sq = s->reach_sq[i];
        if (more > 0)
            reach_sq += more * (2 * sqrt(reach_sq) + more);
        double far = lanes_dot(d, d) - reach_sq;
        if (far < 0)
            s->near[s->near_count++] = two;
        else
            least = smaller(least, far);
    }
    double most = s->reach_most + more;
    beyond = 0.5 * (sqrt(most * most + least) - most);
    for (int i = 0; i < s->balls; i++) {
        for (int k = 0; k < s->world.obstacles.count; k++) {
            struct vec3 normal;
            double far =
                nearest_side(s, k, s->ball[i].at, &normal) - s->ball[i].radius - s->slack - more;
            if (far < 0)
                s->near_boxes[s->near_box_count++] = (struct sphere_pair){i, k};
            else
                beyond = smaller(beyond, far);
        }
    }
    ENSURE(s->near_count <= s->pair_count && s->near_box_count <= s->balls * s->box_room,
           "%d pairs of %d are near, and %d obstacles", s->near_count, s->pair_count,
           s->near_box_count);
    s->travel = 0;
    s->range = 0.5 * (s->slack + more) + beyond;
}

/* ---------------------------------------------------------------- one contact */

/* The part that is pushed on the other side. */
static inline struct ball *ball_b(const struct touch *touch)
{
    return &touch->of_b->ball[touch->b];
}

static inline struct ball_matter *matter_b(const struct touch *touch)
{
    return &touch->of_b->matter[touch->b];
}

/* Velocity of a's surface against b's where they touch: now, or at the start of the substep. */
static inline struct vec3 slip_of(const struct sphere_system *s, const struct touch *touch,
                                  int is_at_start)
{
    const struct ball *a = &s->ball[touch->a];
    const struct ball_matter *m = &s->matter[touch->a];
    struct vec3 slip = is_at_start ? a->start : a->velocity;
    /* a's lever is -arm normal, b's +arm normal */
    struct vec3 turn = vec3_scale(is_at_start ? m->spin_start : m->spin, -touch->arm_a);
    if (touch->b >= 0) {
        const struct ball *b = ball_b(touch);
        m = matter_b(touch);
        slip = vec3_sub(slip, is_at_start ? b->start : b->velocity);
        turn = vec3_along(turn, is_at_start ? m->spin_start : m->spin, -touch->arm_b);
    }
    return vec3_add(slip, vec3_cross(turn, touch->normal));
}

/* The normal velocity that the contact must not fall below, by the one at the start of the
 * substep. */
static double least_speed_from(const struct sphere_system *s, struct touch *touch, double start)
{
    double least = 0;
    double threshold = dynamics_bouncing_speed(&s->settings);
    if (touch->gap > 0) {
        least = -touch->gap / s->h;
    } else if (s->base.push_out_m_s > 0 && touch->b >= 0) {
        least = s->base.push_out_m_s;
    } else if (touch->gap < -PUSH_OUT_M) {
        least = det_min(PUSH_OUT_1_S * (-touch->gap - PUSH_OUT_M), PUSH_OUT_M_S);
    }
    touch->is_push_out = least > 0;
    if (touch->elasticity > 0 && start < -threshold && touch->gap + s->h * start < 0)
        least = larger(least, -touch->elasticity * start);
    return least;
}

static void push(struct sphere_system *s, const struct touch *touch, struct vec3 impulse)
{
    struct ball *a = &s->ball[touch->a];
    ball_push(a, lanes_from(impulse), a->inverse_mass);
    if (touch->b >= 0) {
        struct ball *b = ball_b(touch);
        ball_push(b, lanes_from(impulse), -b->inverse_mass);
    }
}

/* Changes the spins by a moment on a, and one on b, these many times the vector. */
static inline void twist(struct sphere_system *s, const struct touch *touch, struct vec3 moment,
                         double times_a, double times_b)
{
    struct ball_matter *a = &s->matter[touch->a];
    a->spin = vec3_along(a->spin, moment, a->inverse_inertia * times_a);
    if (touch->b >= 0) {
        struct ball_matter *b = matter_b(touch);
        b->spin = vec3_along(b->spin, moment, b->inverse_inertia * times_b);
    }
}

/* How a contact gives way: its slip to an impulse of friction, slip and spin to each other's
 * impulse, spin to one of torque. */
struct yielding {
    double slip, both, spin;
};

static struct yielding yielding_of(const struct sphere_system *s, const struct touch *touch,
                                   double inverse_mass)
{
    double a = s->matter[touch->a].inverse_inertia;
    double b = touch->b >= 0 ? matter_b(touch)->inverse_inertia : 0;
    return (struct yielding){.slip = inverse_mass + touch->arm_a * touch->arm_a * a +
                                     touch->arm_b * touch->arm_b * b,
                             .both = touch->arm_a * a - touch->arm_b * b,
                             .spin = a + b};
}

/* Spin of a against that of b: now, or at the start of the substep. */
static inline struct vec3 spin_of(const struct sphere_system *s, const struct touch *touch,
                                  int is_at_start)
{
    const struct ball_matter *a = &s->matter[touch->a], *b;
    struct vec3 spin = is_at_start ? a->spin_start : a->spin;
    if (touch->b < 0)
        return spin;
    b = matter_b(touch);
    return vec3_sub(spin, is_at_start ? b->spin_start : b->spin);
}

static struct vec3 within(struct vec3 v, double most)
{
    double size_sq = vec3_dot(v, v);
    return size_sq > most * most ? vec3_scale(v, most / sqrt(size_sq)) : v;
}

/* Friction within Coulomb's cone, and torque against rolling and against spinning about the normal.
 *
 * With p the impulse of friction, t that of torque, q = t x n, w the spin, and `yielding` A, C, B,
 * nothing slips nor rolls afterwards if
 *     A p - C q = -slip        -C p + B q = -w x n
 * What rolling resistance may not hold it brakes, and friction is then what stops the slip beside
 * it; beyond friction it slides, and the torque is that of the rolling. Solved one after the other,
 * a ball at rest on a slope would creep at 2.5 g h. */
static void rub(struct sphere_system *s, struct touch *touch, double inverse_mass)
{
    struct yielding y = yielding_of(s, touch, inverse_mass);
    struct vec3 n = touch->normal, slip = slip_of(s, touch, 0), q = {0, 0, 0};
    slip = vec3_along(slip, n, -vec3_dot(slip, n));
    double radius =
        touch->b >= 0 ? touch->arm_a * touch->arm_b / (touch->arm_a + touch->arm_b) : touch->arm_a;
    double load = radius * touch->impulse, most = touch->friction * touch->impulse;
    double brake = s->settings.spheres.rolling_resistance * load;
    struct vec3 p = vec3_scale(slip, -1 / y.slip);
    if (brake > 0 && y.spin > 0) {
        struct vec3 roll = vec3_cross(spin_of(s, touch, 0), n);
        double scale = -1 / (y.slip * y.spin - y.both * y.both);
        q = vec3_scale(vec3_add(vec3_scale(roll, y.slip), vec3_scale(slip, y.both)), scale);
        q = within(q, brake);
        p = vec3_scale(vec3_along(slip, q, -y.both), -1 / y.slip);
        p = within(p, most);
        q = within(vec3_scale(vec3_along(roll, p, -y.both), -1 / y.spin), brake);
    }
    touch->rub = within(p, most);
    touch->brake = vec3_cross(n, q);
    push(s, touch, touch->rub);
    twist(s, touch, vec3_cross(touch->rub, n), touch->arm_a, touch->arm_b);
    double drill = 2.0 / 3.0 * touch->friction * s->settings.spheres.spin_resistance * load;
    if (drill > 0 && y.spin > 0)
        touch->brake = vec3_along(
            touch->brake, n, clamp(-vec3_dot(spin_of(s, touch, 0), n) / y.spin, -drill, drill));
    twist(s, touch, touch->brake, 1, -1);
}

static void solve_touch(struct sphere_system *s, struct touch *touch)
{
    const struct ball *a = &s->ball[touch->a];
    double inverse_mass = a->inverse_mass;
    struct vec3 approach = a->velocity;
    if (touch->b >= 0) {
        inverse_mass += ball_b(touch)->inverse_mass;
        approach = vec3_sub(approach, ball_b(touch)->velocity);
    }
    double speed = vec3_dot(approach, touch->normal),
           least = least_speed_from(s, touch, vec3_dot(slip_of(s, touch, 1), touch->normal));
    if (speed >= least)
        return;
    touch->impulse = (least - speed) / inverse_mass;
    push(s, touch, vec3_scale(touch->normal, touch->impulse));
    int can_rub = touch->b < 0 || (s->matter[touch->a].inertia > 0 && matter_b(touch)->inertia > 0);
    if (can_rub && touch->friction > 0)
        rub(s, touch, inverse_mass);
}

/* ---------------------------------------------------------------- all contacts of a substep */

/* 1 if spheres of one body or two touch; fills the touch, but for what it gives. */
static int are_touching(const struct sphere_system *s, int ia, struct sphere_system *of_b, int ib,
                        struct touch *touch)
{
    const struct ball *a = &s->ball[ia], *b = &of_b->ball[ib];
    const struct ball_matter *ma = &s->matter[ia], *mb = &of_b->matter[ib];
    struct vec3 d = vec3_sub(a->at, b->at), w = vec3_sub(a->velocity, b->velocity);
    double radii = a->radius + b->radius, dd = vec3_dot(d, d);
    double reach = radii + TOUCH_M, closing = -vec3_dot(d, w);
    if (dd > reach * reach && closing <= 0)
        return 0;
    double distance = sqrt(dd), gap = distance - radii;
    if (!(distance > CENTRES_M) || (gap > TOUCH_M && gap * distance > s->h * closing))
        return 0;
    /* spheres apart, or overlapping, touch at one point nevertheless: else angular momentum is
     * lost */
    double share = distance / radii;
    *touch = (struct touch){.a = ia,
                            .b = ib,
                            .of_b = of_b,
                            .normal = vec3_scale(d, 1 / distance),
                            .gap = gap,
                            .arm_a = a->radius * share,
                            .arm_b = b->radius * share};
    touch->friction = s->world.own_friction * sqrt(ma->friction * mb->friction);
    touch->elasticity = larger(s->world.own_elasticity, larger(ma->elasticity, mb->elasticity));
    return 1;
}

/* Friction and elasticity of a sphere on the world. */
static void surface_of(const struct sphere_system *s, int index, struct touch *touch)
{
    const struct ball_matter *m = &s->matter[index];
    touch->friction = m->friction == 1 ? s->world.friction : s->world.friction * sqrt(m->friction);
    touch->elasticity = larger(s->world.elasticity, m->elasticity);
}

/* Where a sphere will be: at the end of the substep, or where it first touches the obstacle, if it
 * goes farther than it is thick until then. */
static double way_time(const struct sphere_system *s, const struct ball *ball, int obstacle)
{
    double speed = vec3_length(ball->velocity), time_s = 0;
    struct vec3 normal;
    if (s->h * speed <= ball->radius)
        return s->h;
    for (int i = 0; i < SWEEP_PARTS_MAX && time_s < s->h; i++) {
        struct vec3 at = vec3_along(ball->at, ball->velocity, time_s);
        double gap = nearest_side(s, obstacle, at, &normal) - ball->radius;
        if (gap < TOUCH_M / 2)
            return time_s;
        time_s += gap / speed;
    }
    return s->h;
}

static void meet_obstacle(struct sphere_system *s, struct sphere_pair two)
{
    const struct ball *ball = &s->ball[two.a];
    double time_s = way_time(s, ball, two.b);
    struct vec3 next = vec3_along(ball->at, ball->velocity, time_s), normal;
    double gap_next = nearest_side(s, two.b, next, &normal) - ball->radius;
    if (gap_next >= TOUCH_M)
        return;
    struct touch *touch = &s->touch[s->touch_count++];
    *touch = (struct touch){.a = two.a,
                            .b = CONTACT_OBSTACLE - two.b,
                            .normal = normal,
                            .gap = gap_next - time_s * vec3_dot(ball->velocity, normal)};
    surface_of(s, two.a, touch);
    touch->arm_a = ball->radius;
    solve_touch(s, touch);
}

/* As solve_touch() and the booking, for spheres that do not turn on the ground: nearly all there
 * is. Nothing changes their velocities afterwards. Of the touch it fills what the report reads. */
static void stand(struct sphere_system *s, int index, double gap, struct touch *touch)
{
    struct touch surface;
    struct ball *ball = &s->ball[index];
    struct vec3 start = ball->start, v = ball->velocity;
    touch->a = index;
    touch->b = CONTACT_GROUND;
    touch->normal = (struct vec3){0, 1, 0};
    touch->gap = gap;
    touch->impulse = 0;
    touch->rub = (struct vec3){0, 0, 0};
    touch->is_booked = 1;
    surface_of(s, index, &surface);
    touch->elasticity = surface.elasticity;
    double least = least_speed_from(s, touch, start.y);
    if (v.y >= least)
        return;
    double up = least - v.y, work = 0.5 * up * ball->mass * (start.y + least);
    touch->impulse = up * ball->mass;
    if (work != 0)
        *(work < 0             ? &s->base.ledger.loss_impact_j
          : touch->is_push_out ? &s->base.ledger.gain_push_out_j
                               : &s->base.ledger.gain_impact_j) += fabs(work);
    v.y = least;
    double most = surface.friction * up;
    if (most > 0) {
        double slip_sq = v.x * v.x + v.z * v.z;
        double share = slip_sq > most * most ? most / sqrt(slip_sq) : 1;
        touch->rub = (struct vec3){-share * ball->mass * v.x, 0, -share * ball->mass * v.z};
        v.x -= share * v.x;
        v.z -= share * v.z;
        double rubbed = 0.5 * (touch->rub.x * (start.x + v.x) + touch->rub.z * (start.z + v.z));
        *(rubbed < 0 ? &s->base.ledger.loss_friction_j : &s->base.ledger.gain_impact_j) +=
            fabs(rubbed);
    }
    lanes_store(lanes_from(v), &ball->velocity);
}

static void meet_ground(struct sphere_system *s)
{
    double h = s->h;
    for (int i = 0; i < s->balls; i++) {
        const struct ball *ball = &s->ball[i];
        double gap = ball->at.y - ball->radius;
        if (smaller(gap, gap + h * ball->velocity.y) >= TOUCH_M)
            continue;
        struct touch *touch = &s->touch[s->touch_count++];
        if (!(s->matter[i].inertia > 0)) {
            stand(s, i, gap, touch);
            continue;
        }
        *touch = (struct touch){.a = i, .b = CONTACT_GROUND, .normal = {0, 1, 0}, .gap = gap};
        surface_of(s, i, touch);
        touch->arm_a = ball->radius;
        solve_touch(s, touch);
    }
}

void sphere_contacts_solve(struct sphere_system *s)
{
    s->touch_count = 0;
    if (!(s->travel + fast_way(s) <= s->range))
        sphere_contacts_look(s);
    for (int i = 0; i < s->near_count; i++)
        if (are_touching(s, s->near[i].a, s, s->near[i].b, &s->touch[s->touch_count]))
            solve_touch(s, &s->touch[s->touch_count++]);
    for (int i = 0; i < s->near_box_count; i++)
        meet_obstacle(s, s->near_boxes[i]);
    if (s->world.has_ground)
        meet_ground(s);
    for (int i = 0; i < s->touch_count; i++)
        s->base.touches.penetration_m = larger(s->base.touches.penetration_m, -s->touch[i].gap);
}

/* A sphere that does not turn is pushed at its centre, wherever it is rubbed. `sign`: +1 for a, -1
 * for b. */
static void book_impulse(struct sphere_system *s, int index, const struct touch *touch, double sign,
                         double arm)
{
    const struct ball *ball = &s->ball[index];
    struct vec3 impulse = vec3_scale(vec3_along(touch->rub, touch->normal, touch->impulse), sign);
    struct impulse_sum *given = &s->given;
    given->linear = vec3_add(given->linear, impulse);
    given->angular = vec3_add(given->angular, vec3_cross(ball->at, impulse));
    given->size += touch->impulse + fabs(touch->rub.x) + fabs(touch->rub.y) + fabs(touch->rub.z);
    if (!(s->matter[index].inertia > 0))
        return;
    struct vec3 turned = vec3_cross(touch->rub, touch->normal);
    given->angular = vec3_along(vec3_along(given->angular, touch->brake, sign), turned, arm);
}

/* The work of a touch: along the normal, and of friction. */
struct touch_work {
    double normal, rubbed;
};

static struct touch_work work_of(const struct sphere_system *s, const struct touch *touch)
{
    struct vec3 slip = vec3_scale(vec3_add(slip_of(s, touch, 1), slip_of(s, touch, 0)), 0.5);
    struct vec3 spin = vec3_scale(vec3_add(spin_of(s, touch, 1), spin_of(s, touch, 0)), 0.5);
    return (struct touch_work){touch->impulse * vec3_dot(slip, touch->normal),
                               vec3_dot(touch->rub, slip) + vec3_dot(touch->brake, spin)};
}

/* A share of it. */
static void book_work(struct ledger *l, const struct touch *touch, struct touch_work work,
                      double share)
{
    double normal = share * work.normal, rubbed = share * work.rubbed;
    if (normal > 0)
        *(touch->is_push_out ? &l->gain_push_out_j : &l->gain_impact_j) += normal;
    else
        l->loss_impact_j -= normal;
    if (rubbed > 0)
        l->gain_impact_j += rubbed;
    else
        l->loss_friction_j -= rubbed;
}

void sphere_contacts_book(struct sphere_system *s)
{
    s->given_sums_of_sums = vec3_add(s->given_sums_of_sums, s->given_sums);
    for (int i = 0; i < s->touch_count; i++) {
        const struct touch *touch = &s->touch[i];
        if (touch->impulse > 0 && touch->b < 0)
            book_impulse(s, touch->a, touch, 1, touch->arm_a);
        if (!touch->is_booked && touch->impulse > 0)
            book_work(&s->base.ledger, touch, work_of(s, touch), 1);
    }
    s->given_sums = vec3_add(s->given_sums, vec3_sub(s->given.linear, s->slowed));
}

/* Adds a touch to what a body reports, as seen from it: from a, or from b. Where memory is out the
 * step fails. */
static void add_point(struct sphere_system *s, const struct sphere_system *others,
                      const struct touch *touch, int is_b)
{
    const struct ball *a = is_b ? &others->ball[touch->a] : &s->ball[touch->a];
    struct contact_point *to = touches_add(&s->base.touches);
    int part = is_b ? touch->b : touch->a;
    s->matter[part].is_touching = 1;
    if (to)
        *to = (struct contact_point){.creature = s->base.creature,
                                     .part = part,
                                     .other_creature = others ? others->base.creature : -1,
                                     .other = is_b ? touch->a : touch->b,
                                     .at = vec3_along(a->at, touch->normal, -a->radius),
                                     .normal = vec3_scale(touch->normal, is_b ? -1 : 1),
                                     .gap_m = touch->gap,
                                     .normal_impulse_n_s = touch->impulse,
                                     .friction_impulse_n_s = vec3_length(touch->rub)};
}

void sphere_contacts_report(const struct dynamics *dynamics)
{
    struct sphere_system *s = sphere_system_of(dynamics);
    if (s->is_reported)
        return;
    ENSURE(s->touch_count <= s->touch_room, "%d touches, room for %d", s->touch_count,
           s->touch_room);
    s->is_reported = 1;
    for (int i = 0; i < s->balls; i++)
        s->matter[i].is_touching = 0;
    s->base.touches.count = 0;
    for (int i = 0; i < s->touch_count; i++) {
        const struct touch *touch = &s->touch[i];
        if (touch->impulse <= 0 && touch->gap >= TOUCH_M)
            continue;
        if (touch->b >= 0)
            s->matter[touch->b].is_touching = 1;
        add_point(s, touch->b >= 0 ? s : NULL, touch, 0);
    }
}

double sphere_contacts_overlap(const struct dynamics *dynamics)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    double deepest = 0;
    for (int i = 0; i < s->pair_count; i++) {
        const struct ball *a = &s->ball[s->pairs[i].a], *b = &s->ball[s->pairs[i].b];
        deepest = det_max(deepest, a->radius + b->radius - vec3_length(vec3_sub(a->at, b->at)));
    }
    return deepest;
}

/* ---------------------------------------------------------------- between bodies */

/* NULL: memory is out, and the step fails. */
static struct touch *room_for_touch(struct meeting *touches)
{
    if (touches->count < touches->room)
        return &touches->list[touches->count];
    size_t used = (size_t)touches->count, room = 2 * used + TOUCHES_ROOM;
    struct touch *list = arena_extend(touches->arena, touches->list, used, room, sizeof list[0]);
    struct sphere_system **of_a =
        arena_extend(touches->arena, touches->of_a, used, room, sizeof of_a[0]);
    if (!list || !of_a)
        return NULL;
    touches->list = list;
    touches->of_a = of_a;
    touches->room = (int)room;
    return &touches->list[touches->count];
}

void sphere_contacts_meet(struct sphere_system *s, struct sphere_system *others,
                          struct meeting *touches)
{
    ENSURE(s != others, "creature %d meets itself", s->base.creature);
    for (int a = 0; a < s->balls; a++)
        for (int b = 0; b < others->balls; b++) {
            struct touch *touch = room_for_touch(touches);
            if (!touch || !are_touching(s, a, others, b, touch))
                continue;
            touches->of_a[touches->count++] = s;
            solve_touch(s, touch);
            s->base.touches.penetration_m = larger(s->base.touches.penetration_m, -touch->gap);
            others->base.touches.penetration_m =
                larger(others->base.touches.penetration_m, -touch->gap);
        }
}

/* Each books half of their common loss; the rest of the work on one is from the other. */
void sphere_contacts_book_meeting(const struct meeting *touches)
{
    for (int i = 0; i < touches->count; i++) {
        const struct touch *touch = &touches->list[i];
        struct sphere_system *a = touches->of_a[i], *b = touch->of_b;
        if (touch->impulse <= 0)
            continue;
        struct touch alone = *touch; /* for the work on a alone */
        alone.b = CONTACT_GROUND;
        struct touch_work work = work_of(a, touch), of_a = work_of(a, &alone);
        double sum = work.normal + work.rubbed, on_a = of_a.normal + of_a.rubbed;
        book_impulse(a, touch->a, touch, 1, touch->arm_a);
        book_impulse(b, touch->b, touch, -1, touch->arm_b);
        book_work(&a->base.ledger, touch, work, 0.5);
        book_work(&b->base.ledger, touch, work, 0.5);
        a->base.ledger.exchange_j += on_a - sum / 2;
        b->base.ledger.exchange_j += sum / 2 - on_a;
    }
}

void sphere_contacts_report_meeting(const struct meeting *touches)
{
    for (int i = 0; i < touches->count; i++) {
        const struct touch *touch = &touches->list[i];
        struct sphere_system *a = touches->of_a[i], *b = touch->of_b;
        if (touch->impulse <= 0 && touch->gap >= TOUCH_M)
            continue;
        add_point(a, b, touch, 0);
        add_point(b, a, touch, 1);
    }
}
