/* Steps of spheres and bones: small steps of stiff bones.
 *
 * Sizes: 12 spheres and 24 bones, 480 substeps a second; a substep takes about 0.4 us.
 *
 * A substep of h, with positions x and velocities v of the same time (Moreau's midpoint, for smooth
 * forces the leapfrog method of Verlet 1967; Hairer, Lubich, Wanner, Geometric Numerical
 * Integration, I.1.4):
 *
 *   X = x + h/2 v;   v+ = v + h g + M^-1 (impulses at X);   x+ = X + h/2 v+
 *
 * Impulses of bones act along the line between their spheres at X, those of joints are made of
 * forces without sum and torque at X, those between spheres are central: with X as the lever,
 * momentum and angular momentum stay what they are to the last bits.
 *
 * Stiffness is the body's. With d from one end of a bone to the other, D = d.d, rest length L, the
 * energy is U = k (D - L^2)^2 / (8 L^2), which is k e^2 / 2 for small extensions e, and the force
 * -k (D - L^2) / (2 L^2) d: no root and no division. Leapfrog is stable while h^2 lambda < 4 for
 * the greatest eigenvalue of M^-1 K. With n bones at a sphere |sum of f|^2 <= n sum of f^2 at each,
 * hence lambda <= max over bones of k (w_a n_a + w_b n_b), w = 1/m. A bone has k = W^2 / (w_a n_a +
 * w_b n_b) with W = 2 pi bone_hz: whatever its shape, no body vibrates faster than W. A step has so
 * many substeps that W h <= PHASE_MOST; more of them converge to the same motion, of the second
 * order but for contacts. A Young's modulus would make small bodies vibrate ten times as fast as
 * large ones, and every step one for the smallest. A bone damps the rate of its length, every other
 * step, one bone after the other: each takes energy only, and exactly known.
 *
 * Tried and lost: bones as stiff as the step allows, k = 1 / (h^2 (w_a n_a + w_b n_b)). Their
 * bodies were others at every step: a spider went 1.04, 0.24, 0.04 m with 2, 4, 8 substeps.
 *
 * Tried and lost: rods of fixed length, |d + h w+| = L, solved by Gauss-Seidel sweeps (SHAKE; one
 * sweep a substep is PBD with small steps, Macklin and others 2019). Unconverged sweeps act as
 * springs of unknown energy: on a spider of 12 spheres and 25 bones in the air the bones gave back
 * 80 % of what they took, with 1 sweep as with 100, and warm starts exploded. A sparse direct
 * solution costs four times as much.
 *
 * Muscles: a bone whose rest length goes towards the one asked for with a bounded rate, and whose
 * force, spring and damping together, is bounded; where that holds it back, the rest length waits
 * for it. The spring gives: as stiff as a bone it swung about its goal at full force, one way and
 * the other, for ever. Beyond their range stops act, as stiff bones do. Viscosity: Stokes' 6 pi eta
 * r v and 8 pi eta r^3 w, or a force of q 2r v^2, in two halves around the substeps of a step.
 *
 * Ledger. Every impulse's work is impulse . (v + v+) / 2, exactly; muscles, motors, contacts,
 * viscosity and damping are booked, the energy of stretched bones counts as potential energy. The
 * rest of the balance is the error of the integration, the residual: k h^2 (w+^2 - w^2) / 8 of each
 * bone, which cancels in sum as long as velocities change within substeps only: bones damped
 * between them left 1.6 % of an impact's energy. */
#include "simulator/spheres/sphere_system.h"

/* Bodies that bend lose some of that motion every eighth step. */
#define BODY_DAMPING_STEPS 8
/* Added to moments of inertia, as a share of their sum: bodies may lie in a line. */
#define LINE_SHARE 1e-13

/* Operations of a substep: for each sphere and bone, for each pair of things that may touch, for
 * each that does; and the pieces that a joint makes. */
enum { PIECE_WORK = 40, PAIR_WORK = 2, TOUCH_WORK = 200, JOINT_PIECES = 8 };

/* Positions and velocities as they are seen from outside. Returns whether they are finite: an
 * infinite value, or no number, has made the places so as well, and their sum. */
static int publish(struct sphere_system *s)
{
    struct vec3 *q = (struct vec3 *)s->base.q, *qd = (struct vec3 *)s->base.qd;
    struct lanes sum = {{0, 0}, 0};
    for (int i = 0; i < s->balls; i++) {
        const struct ball *ball = &s->ball[i];
        sum = lanes_add(sum, lanes_of(&ball->at));
        q[i] = ball->at;
        qd[i] = ball->velocity;
    }
    return (sum.xy[0] + sum.xy[1] + sum.z) * 0 == 0;
}

/* Touches are remembered as the last step left them: the senses want them at the start. */
void sphere_system_forget(struct sphere_system *s)
{
    sphere_contacts_report(&s->base);
    s->base.touches.count = s->touch_count = 0;
    s->is_reported = 1;
    s->base.touches.penetration_m = 0;
    s->travel = HUGE_VAL;
    publish(s);
}

/* ---------------------------------------------------------------- a substep */

/* Once a step: the rest length goes towards the goal, and not farther than the force reaches; and
 * what the muscle does in the substeps of the step. */
static void advance_muscle(const struct sphere_system *s, struct muscle *muscle,
                           const struct rod *rod)
{
    struct lanes d = rod_vector(rod);
    double now = larger(sqrt(lanes_dot(d, d)), ROD_SHORTEST_M), before = muscle->length;
    double goal = s->base.effectors == EFFECTORS_HOLD ? muscle->birth : muscle->target;
    double dt = s->settings.dt_s, most = muscle->rate * dt;
    goal = clamp(goal, muscle->shortest, muscle->longest);
    double rest = before + clamp(goal - before, -most, most);
    rest = larger(clamp(rest, now - muscle->reach, now + muscle->reach), ROD_SHORTEST_M);
    muscle->target += muscle->target_rate * dt;
    muscle->rest_rate = clamp((rest - before) * (1 / dt), -muscle->rate, muscle->rate);
    muscle->length = rest;

    int is_slack = s->base.effectors == EFFECTORS_SLACK;
    double inverse = 1 / now, shorter = s->h * inverse * inverse;
    muscle->length_sq = rest * rest;
    muscle->spring = muscle->stiffness * shorter * now / (now + rest);
    muscle->damper = muscle->damping * shorter;
    muscle->pushed = now * muscle->rest_rate;
    muscle->inverse_length = inverse;
    muscle->most = is_slack ? 0 : muscle->strength * s->h * inverse;
}

static void advance_muscles(struct sphere_system *s)
{
    for (int i = 0; i < s->muscle_count; i++)
        advance_muscle(s, &s->muscle[i], &s->rod[s->fixed_rods + i]);
}

static void stretch_fixed_rods(struct sphere_system *s, double share)
{
    struct pull *pull = s->pull;
    for (const struct rod *rod = s->rod, *end = rod + s->fixed_rods; rod < end; rod++, pull++) {
        pull->d = rod_vector(rod);
        pull->number = larger(rod->length_sq - lanes_dot(pull->d, pull->d), rod->least) * share;
    }
}

/* The action of a muscle in this substep: its own pull, and with its stops. */
static void tense_muscles(struct sphere_system *s, double share)
{
    const struct rod *rod = s->rod + s->fixed_rods;
    struct pull *to = s->pull + s->fixed_rods;
    for (struct muscle *muscle = s->muscle, *end = muscle + s->muscle_count; muscle < end;
         muscle++, rod++, to++) {
        struct lanes d = rod_vector(rod);
        struct lanes w = lanes_sub(lanes_of(&rod->ball_a->start), lanes_of(&rod->ball_b->start));
        double dd = lanes_dot(d, d), rate = lanes_dot(d, w);
        double pull =
            muscle->spring * (muscle->length_sq - dd) + muscle->damper * (muscle->pushed - rate);
        pull = clamp(pull, -muscle->most, muscle->most);
        muscle->rate_start = rate;
        muscle->pull = pull;
        if (dd > muscle->longest_sq)
            pull += rod->gain * larger(muscle->longest_sq - dd, rod->least);
        else if (dd < muscle->shortest_sq)
            pull += rod->gain * (muscle->shortest_sq - dd);
        to->d = d;
        to->number = pull * share;
    }
}

/* A velocity after the ends of rods from one number to another have pulled. */
static inline struct lanes pulled(const struct rod_end *ends, int from, int to,
                                  struct lanes velocity)
{
    for (const struct rod_end *end = ends + from, *stop = ends + to; end < stop; end++)
        velocity = lanes_along(velocity, end->pull->d, end->pull->number * end->factor);
    return velocity;
}

static struct lanes fall_of(const struct sphere_system *s)
{
    return lanes_from(vec3_scale(world_gravity(&s->world), s->h));
}

/* Gravity acts, and all springs: fixed rods, joints, muscles. Without joints between them rods of
 * both kinds pull in one go. */
static void pull_all(struct sphere_system *s, double share)
{
    struct lanes fall = fall_of(s);
    const struct rod_end *ends = s->ends;
    const int *first = s->first_end;
    int kinds = s->angles > 0 ? 1 : 2;
    for (struct ball *ball = s->ball, *stop = ball + s->balls; ball < stop; ball++, first += 2) {
        struct lanes velocity = lanes_add(lanes_of(&ball->start), fall);
        lanes_store(pulled(ends, first[0], first[kinds], velocity), &ball->velocity);
    }
    if (s->angles == 0)
        return;
    sphere_joints_act(s, share);
    first = s->first_end + 1;
    for (struct ball *ball = s->ball, *stop = ball + s->balls; ball < stop; ball++, first += 2)
        lanes_store(pulled(ends, first[0], first[1], lanes_of(&ball->velocity)), &ball->velocity);
}

static void book_muscles(struct sphere_system *s)
{
    double sum = 0, twice_positive = 0;
    for (int i = 0; i < s->muscle_count; i++) {
        const struct muscle *muscle = &s->muscle[i];
        double rate = rod_rate(&s->rod[s->fixed_rods + i], s->pull[s->fixed_rods + i].d);
        double work = 0.5 * muscle->pull * (muscle->rate_start + rate);
        sum += work;
        twice_positive += work + fabs(work);
    }
    s->base.ledger.work_effector_j += sum;
    s->base.ledger.work_effector_positive_j += 0.5 * twice_positive;
}

/* A rod loses a share of its rate; `damping` = share / (L^2 inverse masses). */
static inline void damp_rod(const struct sphere_system *s, int i, double damping)
{
    const struct rod *rod = &s->rod[i];
    struct lanes d = s->pull[i].d;
    double number = damping * rod_rate(rod, d);
    ball_push(rod->ball_a, d, -number * rod->ball_a->inverse_mass);
    ball_push(rod->ball_b, d, number * rod->ball_b->inverse_mass);
}

/* The motion of the body at the start of the substep if it moved as one, with its momentum and
 * angular momentum: velocity at the centre of mass, which is given as well, and spin. */
struct as_one {
    struct vec3 centre, velocity, spin;
};

/* w of inertia w = momentum; `inertia` xx yy zz xy xz yz, by Cholesky's factors. */
static struct vec3 solve_spin(const double inertia[6], struct vec3 l)
{
    double a = sqrt(inertia[0]), d = inertia[3] / a, e = inertia[4] / a;
    double b = sqrt(inertia[1] - d * d), g = (inertia[5] - d * e) / b;
    double c = sqrt(inertia[2] - e * e - g * g);
    double x = l.x / a, y = (l.y - d * x) / b, z = (l.z - e * x - g * y) / c / c;
    y = (y - g * z) / b;
    return (struct vec3){(x - d * y - e * z) / a, y, z};
}

static struct as_one move_as_one(const struct sphere_system *s)
{
    struct as_one one = {.centre = {0, 0, 0}};
    double mass = 0, inertia[6] = {0};
    struct vec3 angular = {0, 0, 0};
    for (int i = 0; i < s->balls; i++) {
        mass += s->ball[i].mass;
        one.centre = vec3_along(one.centre, s->ball[i].at, s->ball[i].mass);
        one.velocity = vec3_along(one.velocity, s->ball[i].start, s->ball[i].mass);
    }
    one.centre = vec3_scale(one.centre, 1 / mass);
    one.velocity = vec3_scale(one.velocity, 1 / mass);
    for (int i = 0; i < s->balls; i++) {
        const struct ball_matter *m = &s->matter[i];
        struct vec3 r = vec3_sub(s->ball[i].at, one.centre);
        double mass_i = s->ball[i].mass, mx = mass_i * r.x, my = mass_i * r.y, mz = mass_i * r.z;
        angular = vec3_along(angular, vec3_cross(r, s->ball[i].start), mass_i);
        angular = vec3_along(angular, m->spin_start, m->inertia);
        inertia[0] += my * r.y + mz * r.z + m->inertia;
        inertia[1] += mx * r.x + mz * r.z + m->inertia;
        inertia[2] += mx * r.x + my * r.y + m->inertia;
        inertia[3] -= mx * r.y;
        inertia[4] -= mx * r.z;
        inertia[5] -= my * r.z;
    }
    double least = LINE_SHARE * (inertia[0] + inertia[1] + inertia[2]);
    for (int i = 0; i < 3; i++)
        inertia[i] += least;
    if (least > 0)
        one.spin = solve_spin(inertia, angular);
    return one;
}

/* The velocity and the spin of each sphere go a share of the way to those of a rigid body. Momentum
 * and angular momentum are kept (Mueller, Heidelberger, Hennix, Ratcliff, Position Based Dynamics,
 * 2007, 3.5). It is what friction at pivots and in tissue does to a body, and costs the same
 * whatever its shape. The velocities are those before the substep: only these are 0 where weight,
 * bones and ground balance. */
static void damp_body(struct sphere_system *s)
{
    double rate = s->settings.spheres.body_damping_1_s * s->settings.dt_s * BODY_DAMPING_STEPS;
    double share = rate / (1 + 0.5 * rate);
    struct as_one one = move_as_one(s);
    for (int i = 0; i < s->balls; i++) {
        struct ball *ball = &s->ball[i];
        struct ball_matter *m = &s->matter[i];
        struct vec3 r = vec3_sub(ball->at, one.centre);
        struct vec3 rigid = vec3_add(one.velocity, vec3_cross(one.spin, r));
        ball_push(ball, lanes_from(vec3_sub(rigid, ball->start)), share);
        if (!(m->inertia > 0))
            continue;
        m->spin_damped = vec3_scale(vec3_sub(one.spin, m->spin_start), share);
        m->spin = vec3_add(m->spin, m->spin_damped);
    }
}

/* Bones, and where the settings ask for it muscles and joints; between two halves of the springs,
 * which both do the same. */
static void damp(struct sphere_system *s)
{
    struct lanes fall = fall_of(s);
    for (int i = 0; i < s->balls; i++) {
        s->matter[i].damped = lanes_of(&s->ball[i].velocity);
        s->matter[i].spin_damped = (struct vec3){0, 0, 0};
    }
    if (s->settings.spheres.body_damping_1_s > 0 && s->base.steps % BODY_DAMPING_STEPS == 0)
        damp_body(s);
    double share = det_min(s->damping_1_s * s->settings.dt_s * ROD_DAMPING_STEPS, 1);
    for (int i = 0; i < s->fixed_rods; i++)
        damp_rod(s, i, s->rod[i].damping);
    for (int i = s->fixed_rods; i < s->rods && share > 0; i++)
        damp_rod(s, i, s->rod[i].damping * share / s->bone_damping);
    sphere_joints_damp(s, share);
    for (int i = 0; i < s->balls; i++) {
        struct ball *ball = &s->ball[i];
        struct lanes before = s->matter[i].damped, after = lanes_of(&ball->velocity);
        struct lanes half = lanes_sub(before, lanes_add(lanes_of(&ball->start), fall));
        s->matter[i].damped = lanes_sub(after, before);
        lanes_store(lanes_add(after, half), &ball->velocity);
    }
}

/* Where something struck in the same substep, damping may have pushed the wrong way: that is
 * unearned. */
static void book_damping(struct sphere_system *s)
{
    double work = 0;
    for (int i = 0; i < s->balls; i++) {
        const struct ball *ball = &s->ball[i];
        const struct ball_matter *m = &s->matter[i];
        struct lanes twice = lanes_add(lanes_of(&ball->start), lanes_of(&ball->velocity));
        work += 0.5 * ball->mass * lanes_dot(m->damped, twice);
        if (m->inertia > 0)
            work += 0.5 * m->inertia * vec3_dot(m->spin_damped, vec3_add(m->spin_start, m->spin));
    }
    *(work > 0 ? &s->base.ledger.gain_limit_j : &s->base.ledger.loss_damping_j) += fabs(work);
}

/* From one middle to the next; at the end positions are h / 2 ahead of velocities. Damping acts
 * between two halves of the springs: there, of all places, the energy that leapfrog keeps has the
 * plain kinetic energy in it, v^2 / 2 + x K (1 - h^2 K / 4) x / 2, so that slowing down takes
 * energy. After the springs it can give some, and exploded. Muscles are among the springs: without
 * them what is in balance has a rate there, and damping it was a push every other step, which fed
 * what lay at rest. */
static void pull_and_damp(struct sphere_system *s, int is_damping)
{
    double share = is_damping ? 0.5 : 1;
    sphere_joints_place(s);
    stretch_fixed_rods(s, share);
    tense_muscles(s, share);
    pull_all(s, share);
    if (is_damping)
        damp(s);
}

static void book_substep(struct sphere_system *s, int is_damping)
{
    if (is_damping)
        book_damping(s);
    book_muscles(s);
    sphere_joints_book(s);
    sphere_contacts_book(s);
}

static void begin_spins(struct sphere_system *s)
{
    for (int i = 0; i < s->balls && s->has_spin; i++)
        s->matter[i].spin_start = s->matter[i].spin;
}

/* From where velocities are known to the first middle. */
static void set_out(struct sphere_system *s)
{
    for (struct ball *ball = s->ball, *end = ball + s->balls; ball < end; ball++) {
        struct lanes velocity = lanes_of(&ball->velocity);
        lanes_store(lanes_along(lanes_of(&ball->at), velocity, 0.5 * s->h), &ball->at);
        lanes_store(velocity, &ball->start);
    }
    begin_spins(s);
}

/* From one middle to the next; after the last, back to where velocities are. */
static void go_on(struct sphere_system *s, int is_last)
{
    double h = s->h, fastest_sq = 0;
    for (struct ball *ball = s->ball, *end = ball + s->balls; ball < end; ball++) {
        struct lanes velocity = lanes_of(&ball->velocity);
        struct lanes at = lanes_along(lanes_of(&ball->at), velocity, h);
        fastest_sq = larger(fastest_sq, lanes_dot(velocity, velocity));
        if (is_last)
            at = lanes_along(at, velocity, -0.5 * h);
        else
            lanes_store(velocity, &ball->start);
        lanes_store(at, &ball->at);
    }
    if (!is_last)
        begin_spins(s);
    s->way = sqrt(fastest_sq) * h;
    s->travel += s->way;
}

/* ---------------------------------------------------------------- between substeps */

/* The impulse of the medium on a sphere that loses these shares of its velocity and spin, both
 * below 0. */
static void book_slowing(struct sphere_system *s, int i, double share, double spin_share)
{
    const struct ball *ball = &s->ball[i];
    const struct ball_matter *matter = &s->matter[i];
    struct vec3 impulse = vec3_scale(ball->velocity, share * ball->mass);
    struct vec3 twist = vec3_scale(matter->spin, s->has_spin ? spin_share * matter->inertia : 0);
    struct vec3 moment = vec3_add(vec3_cross(ball->at, impulse), twist);
    s->given.linear = vec3_add(s->given.linear, impulse);
    s->given.angular = vec3_add(s->given.angular, moment);
    s->given.size += vec3_length(impulse);
}

/* Exactly what the law of viscosity takes in a time, at the mean velocity: m (v+ - v) = -t c (v +
 * v+) / 2. */
static void slow_down(struct sphere_system *s, double time_s)
{
    int is_quadratic = s->world.drag_law == DRAG_LAW_QUADRATIC;
    for (int i = 0; i < s->balls; i++) {
        struct ball *ball = &s->ball[i];
        struct ball_matter *matter = &s->matter[i];
        double c = matter->drag, v_sq = vec3_dot(ball->velocity, ball->velocity);
        if (is_quadratic)
            c = s->world.quadratic_drag_kg_m2 * 2 * ball->radius * sqrt(v_sq);
        double half = 0.5 * time_s * c * ball->inverse_mass, left = (1 - half) / (1 + half);
        double turn = 0.5 * time_s * matter->spin_drag * matter->inverse_inertia;
        double turn_left = (1 - turn) / (1 + turn);
        s->base.ledger.loss_drag_j += 0.5 * ball->mass * v_sq * (1 - left * left) +
                                      0.5 * matter->inertia * vec3_dot(matter->spin, matter->spin) *
                                          (1 - turn_left * turn_left);
        book_slowing(s, i, left - 1, turn_left - 1);
        ball->velocity = vec3_scale(ball->velocity, left);
        matter->spin = vec3_scale(matter->spin, turn_left);
    }
}

/* Bones are damped in the last substep of a step, every other step. */
static int is_damping(const struct sphere_system *s, int substep)
{
    return substep == s->base.substeps && s->base.steps % ROD_DAMPING_STEPS == 0;
}

static void take_substeps(struct sphere_system *s)
{
    advance_muscles(s);
    set_out(s);
    for (int i = 1; i <= s->base.substeps; i++) {
        pull_and_damp(s, is_damping(s, i));
        sphere_contacts_solve(s);
        book_substep(s, is_damping(s, i));
        go_on(s, i == s->base.substeps);
    }
}

static void begin_step(struct sphere_system *s)
{
    s->base.touches.penetration_m = 0;
    s->given = (struct impulse_sum){.size = 0};
    s->given_sums = s->given_sums_of_sums = (struct vec3){0, 0, 0};
    if (world_has_drag(&s->world))
        slow_down(s, 0.5 * s->settings.dt_s);
    s->slowed = s->given.linear;
}

/* 1 if the state is not finite, or memory is out. */
static int end_step(struct sphere_system *s)
{
    if (world_has_drag(&s->world))
        slow_down(s, 0.5 * s->settings.dt_s);
    s->is_reported = 0;
    s->base.work +=
        (uint64_t)s->base.substeps *
        (uint64_t)(PIECE_WORK * (s->balls + s->rods + JOINT_PIECES * s->body->joint_count) +
                   PAIR_WORK * s->balls * (s->balls + s->world.obstacles.count) +
                   TOUCH_WORK * s->touch_count);
    s->base.steps++;
    return !publish(s) || s->arena->is_exhausted;
}

int sphere_step(struct dynamics *dynamics)
{
    struct sphere_system *s = sphere_system_of(dynamics);
    begin_step(s);
    take_substeps(s);
    return end_step(s);
}

/* ---------------------------------------------------------------- several bodies */

/* How much farther than it goes by its speed a sphere is expected to get in a step, m, and by what
 * share. */
#define SWEEP_M     0.01
#define SWEEP_STEPS 1.5

struct meeting *sphere_create_meeting(struct dynamics *const *all, int count, struct arena *arena)
{
    struct meeting *meeting = arena_take(arena, 1, sizeof *meeting);
    if (meeting)
        meeting->arena = arena;
    return meeting;
}

void sphere_sweep(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    double time_s = SWEEP_STEPS * s->settings.dt_s;
    for (int i = 0; i < s->balls; i++) {
        const struct ball *ball = &s->ball[i];
        double reach = ball->radius + SWEEP_M + time_s * vec3_length(ball->velocity);
        vec3_widen_bounds(low, high, ball->at, (struct vec3){reach, reach, reach});
    }
}

/* One substep of all: bones, then what the bodies do to one another, then what else touches. */
static void substep_together(struct meeting *meeting, struct dynamics *const *some, int count,
                             int substep)
{
    meeting->count = 0;
    for (int k = 0; k < count; k++)
        pull_and_damp(sphere_system_of(some[k]), is_damping(sphere_system_of(some[k]), substep));
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++)
            sphere_contacts_meet(sphere_system_of(some[a]), sphere_system_of(some[b]), meeting);
    for (int k = 0; k < count; k++)
        sphere_contacts_solve(sphere_system_of(some[k]));
    sphere_contacts_book_meeting(meeting);
    for (int k = 0; k < count; k++)
        book_substep(sphere_system_of(some[k]), is_damping(sphere_system_of(some[k]), substep));
    for (int k = 0; k < count; k++)
        go_on(sphere_system_of(some[k]), substep == sphere_system_of(some[k])->base.substeps);
}

void sphere_step_together(struct meeting *meeting, struct dynamics *const *some, int count,
                          int *is_broken)
{
    for (int k = 0; k < count; k++) {
        ENSURE(sphere_system_of(some[k])->base.substeps == sphere_system_of(some[0])->base.substeps,
               "body %d takes %d substeps, the first one %d", k,
               sphere_system_of(some[k])->base.substeps, sphere_system_of(some[0])->base.substeps);
        begin_step(sphere_system_of(some[k]));
        advance_muscles(sphere_system_of(some[k]));
        set_out(sphere_system_of(some[k]));
    }
    for (int i = 1; i <= sphere_system_of(some[0])->base.substeps; i++)
        substep_together(meeting, some, count, i);
    for (int k = 0; k < count; k++) {
        is_broken[k] = end_step(sphere_system_of(some[k]));
        sphere_contacts_report(some[k]);
    }
    sphere_contacts_report_meeting(meeting);
}
