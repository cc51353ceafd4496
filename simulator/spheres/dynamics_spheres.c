/* The dynamics of spheres and bones: small steps of stiff bones.
 *
 * Sizes: 12 spheres and 24 bones, 480 substeps a second; a substep takes about 0.4 us.
 *
 * A substep of h, with positions x and velocities v of the same time (Moreau's midpoint, for smooth forces
 * the leapfrog method of Verlet 1967; Hairer, Lubich, Wanner, Geometric Numerical Integration, I.1.4):
 *
 *   X = x + h/2 v;   v+ = v + h g + M^-1 (impulses at X);   x+ = X + h/2 v+
 *
 * Impulses of bones act along the line between their spheres at X, those of joints are made of forces
 * without sum and torque at X, those between spheres are central: with X as the lever, momentum and
 * angular momentum stay what they are to the last bits.
 *
 * Stiffness is the body's. With d from one end of a bone to the other, D = d.d, rest length L, the
 * energy is U = k (D - L^2)^2 / (8 L^2), which is k e^2 / 2 for small extensions e, and the force
 * -k (D - L^2) / (2 L^2) d: no root and no division. Leapfrog is stable while h^2 lambda < 4 for the greatest
 * eigenvalue of M^-1 K. With n bones at a sphere |sum of f|^2 <= n sum of f^2 at each, hence
 * lambda <= max over bones of k (w_a n_a + w_b n_b), w = 1/m. A bone has k = W^2 / (w_a n_a + w_b n_b) with
 * W = 2 pi bone_hz: whatever its shape, no body vibrates faster than W. A step has so many substeps that
 * W h <= PHASE_MOST; more of them converge to the same motion, of the second order but for contacts. A Young's modulus
 * would make small bodies vibrate ten times as fast as large ones, and every step one for the smallest. A bone damps the
 * rate of its length, every other step, one bone after the other: each takes energy only, and exactly known.
 *
 * Tried and lost: bones as stiff as the step allows, k = 1 / (h^2 (w_a n_a + w_b n_b)). Their bodies were others at every
 * step: a spider went 1.04, 0.24, 0.04 m with 2, 4, 8 substeps.
 *
 * Tried and lost: rods of fixed length, |d + h w+| = L, solved by Gauss-Seidel sweeps (SHAKE; one sweep a
 * substep is PBD with small steps, Macklin and others 2019). Unconverged sweeps act as springs whose energy
 * nobody knows: on a spider of 12 spheres and 25 bones in the air the bones gave back 80 % of what they
 * took, with 1 sweep as with 100, and warm starts exploded. A sparse direct solution costs four times as much.
 *
 * Muscles: a bone whose rest length goes towards the one asked for with a bounded rate, and whose force,
 * spring and damping together, is bounded; where that holds it back, the rest length waits for it. The spring
 * gives: as stiff as a bone it swung about its goal at full force, one way and the other, for ever. Beyond
 * their range stops act, as stiff bones do. Viscosity: Stokes' 6 pi eta r v and 8 pi eta r^3 w, or a force of
 * q 2r v^2, in two halves around the substeps of a step.
 *
 * Ledger. Every impulse's work is impulse . (v + v+) / 2, exactly; muscles, motors, contacts, viscosity and
 * damping are booked, the energy of stretched bones counts as potential energy. What does not balance is the
 * error of the integration, the residual: k h^2 (w+^2 - w^2) / 8 of each bone, which cancels in sum as long as
 * velocities change within substeps only: bones damped between them left 1.6 % of an impact's energy. */
#include <float.h>

#include "common/math/detmath.h"
#include "common/math/hash.h"
#include "simulator/spheres/sphere_system.h"

/* Substeps are so short that nothing turns by more than this in its own vibration, rad: leapfrog is stable below 2. */
#define PHASE_MOST 1.0
/* Bones lose the rate of their length at this rate, every other step: more often costs more than it is worth. */
#define BONE_DAMPING_1_S 80
#define DAMPING_STEPS    2
/* Bodies that bend lose some of that motion every eighth step. */
#define BODY_DAMPING_STEPS 8
/* Added to moments of inertia, as a share of their sum: bodies may lie in a line. */
#define LINE_SHARE 1e-13
/* A muscle gives its greatest force when it is off by this share of its length. */
#define MUSCLE_GIVE 0.05
/* Its damping is at most this share of what would stop its spheres in a radian of the fastest vibration. */
#define MUSCLE_DAMPING 0.3
/* A bone's D - L^2 counts up to this many L^2, half as long again: beyond, its force would grow with the cube of
 * its length, and no step is small enough for that. */
#define STRETCH_MOST 1.25
/* Bones shorter than this have no direction, m. */
#define SHORTEST_M 1e-9
#define SUBSTEPS   2
#define BONE_HZ    75

/* Operations of a substep: for each sphere and bone, for each pair of things that may touch, for each that
 * does; and the pieces that a joint makes. */
enum { PIECE_WORK = 40, PAIR_WORK = 2, TOUCH_WORK = 200, JOINT_PIECES = 8 };

static struct sphere_system *system_of(struct dynamics *dynamics)
{
    return dynamics_of(dynamics, &dynamics_spheres);
}

static const struct sphere_system *system_at(const struct dynamics *dynamics)
{
    return dynamics_of(dynamics, &dynamics_spheres);
}

/* ---------------------------------------------------------------- creation */

/* How many bones and rows of joints pull at each sphere: a bone is as stiff as makes the fastest vibration that these
 * can have with others like it the one that is asked for. */
static void count_shares(struct sphere_system *s)
{
    for (int i = 0; i < s->body->bone_count; i++) {
        s->matter[s->body->bones[i].a].shares++;
        s->matter[s->body->bones[i].b].shares++;
    }
    for (int i = 0; i < s->body->joint_count; i++) {
        const struct sphere_joint *joint = &s->body->joints[i];
        int balls[4] = {joint->sphere, joint->base, joint->end, joint->reference};
        for (int k = 0; k < 4; k++)
            if (balls[k] >= 0)
                s->matter[balls[k]].shares += 2;
    }
}

static void make_rod(struct sphere_system *s, int bone_index, struct rod *rod)
{
    const struct bone *bone = &s->body->bones[bone_index];
    const struct ball *a = &s->ball[bone->a], *b = &s->ball[bone->b];
    double shared =
        a->inverse_mass * s->matter[bone->a].shares + b->inverse_mass * s->matter[bone->b].shares;
    rod->a = bone->a;
    rod->b = bone->b;
    rod->ball_a = &s->ball[bone->a];
    rod->ball_b = &s->ball[bone->b];
    rod->stiffness = s->vibration_rad_s * s->vibration_rad_s / shared;
    rod->length_sq = bone->length_m * bone->length_m;
    rod->least = -STRETCH_MOST * rod->length_sq;
    rod->gain = 0.5 * rod->stiffness * s->h / rod->length_sq;
    rod->gain_a = rod->gain * a->inverse_mass;
    rod->minus_gain_b = -rod->gain * b->inverse_mass;
    rod->damping = s->bone_damping / (rod->length_sq * (a->inverse_mass + b->inverse_mass));
    s->rod_of[bone_index] = (int)(rod - s->rod);
}

/* Fixed bones in rounds, in each of which no sphere has two: damping takes them one after the other, and one that
 * shares a sphere with the last waits for it. The documents' methods take them as they come. */
static void make_fixed_rods(struct sphere_system *s)
{
    const struct sphere_body *body = s->body;
    int fixed = 0;
    for (int i = 0; i < body->bone_count; i++) {
        s->rod_of[i] = -1;
        fixed += !body->bones[i].is_muscle;
    }
    for (int round = 1; s->fixed_rods < fixed; round++) {
        for (int i = 0; i < body->bone_count; i++) {
            const struct bone *bone = &body->bones[i];
            struct ball_matter *a = &s->matter[bone->a], *b = &s->matter[bone->b];
            int is_taken = !s->has_method && (a->round == round || b->round == round);
            if (bone->is_muscle || s->rod_of[i] >= 0 || is_taken)
                continue;
            a->round = b->round = round;
            make_rod(s, i, &s->rod[s->fixed_rods++]);
        }
    }
}

/* Fixed bones first, then muscles. */
static void make_rods(struct sphere_system *s)
{
    const struct sphere_body *body = s->body;
    count_shares(s);
    make_fixed_rods(s);
    for (int i = 0; i < body->bone_count; i++) {
        const struct bone *bone = &body->bones[i];
        if (!bone->is_muscle)
            continue;
        struct rod *rod = &s->rod[s->fixed_rods + s->muscle_count];
        make_rod(s, i, rod);
        /* critically damped with a quarter of the body at its end */
        double stiffness = fmin(bone->strength_n / (MUSCLE_GIVE * bone->length_m), rod->stiffness);
        double damping = sqrt(stiffness * s->phenotype->mass_kg);
        double most = MUSCLE_DAMPING * rod->stiffness / s->vibration_rad_s;
        s->muscle[s->muscle_count++] =
            (struct muscle){.shortest = bone->shortest_m,
                            .longest = bone->longest_m,
                            .shortest_sq = bone->shortest_m * bone->shortest_m,
                            .longest_sq = bone->longest_m * bone->longest_m,
                            .rate = bone->rate_m_s,
                            .strength = bone->strength_n,
                            .stiffness = stiffness,
                            .damping = fmin(damping, most),
                            .reach = bone->strength_n / larger(stiffness, DBL_MIN),
                            .birth = bone->length_m,
                            .length = bone->length_m,
                            .target = bone->length_m};
    }
}

/* Which ends of rods pull at each sphere: of fixed ones, then of muscles. */
static void make_ends(struct sphere_system *s)
{
    int count = 0;
    for (int i = 0; i < s->balls; i++) {
        for (int k = 0; k < s->rods; k++) {
            const struct rod *rod = &s->rod[k];
            int is_fixed = k < s->fixed_rods;
            if (k == s->fixed_rods)
                s->first_end[2 * i + 1] = count;
            if (rod->a == i)
                s->ends[count++] =
                    (struct rod_end){&s->pull[k], is_fixed ? rod->gain_a : s->ball[i].inverse_mass};
            if (rod->b == i)
                s->ends[count++] = (struct rod_end){
                    &s->pull[k], is_fixed ? rod->minus_gain_b : -s->ball[i].inverse_mass};
        }
        if (s->rods == s->fixed_rods)
            s->first_end[2 * i + 1] = count;
        s->first_end[2 * i + 2] = count;
    }
}

static void set_viscosity(struct sphere_system *s)
{
    double linear = s->world.drag_law == DRAG_LAW_LINEAR ? s->world.viscosity_pa_s : 0;
    for (int i = 0; i < s->balls; i++) {
        double r = s->ball[i].radius;
        s->matter[i].drag = 6 * DET_PI * linear * r;
        s->matter[i].spin_drag = 8 * DET_PI * linear * r * r * r;
    }
}

static void make_balls(struct sphere_system *s)
{
    for (int i = 0; i < s->balls; i++) {
        const struct sphere *sphere = &s->body->spheres[i];
        s->ball[i] = (struct ball){.at = sphere->centre,
                                   .mass = sphere->mass_kg,
                                   .inverse_mass = 1 / sphere->mass_kg,
                                   .radius = sphere->radius_m};
        s->matter[i] = (struct ball_matter){
            .inertia = sphere->inertia_kg_m2,
            .inverse_inertia = sphere->inertia_kg_m2 > 0 ? 1 / sphere->inertia_kg_m2 : 0,
            .friction = sphere->friction,
            .elasticity = sphere->elasticity};
        s->has_spin |= sphere->inertia_kg_m2 > 0;
    }
}

static int take_memory(struct sphere_system *s, struct arena *arena)
{
    const struct sphere_body *body = s->body;
    size_t balls = (size_t)body->sphere_count, rods = (size_t)body->bone_count;
    s->balls = body->sphere_count;
    s->rods = body->bone_count;
    s->ball = arena_take(arena, balls, sizeof *s->ball);
    s->matter = arena_take(arena, balls, sizeof *s->matter);
    s->rod = arena_take(arena, rods, sizeof *s->rod);
    s->muscle = arena_take(arena, rods, sizeof *s->muscle);
    s->q = arena_take(arena, balls, sizeof *s->q);
    s->qd = arena_take(arena, balls, sizeof *s->qd);
    s->rod_of = arena_take(arena, rods, sizeof *s->rod_of);
    s->pull = arena_take(arena, rods, sizeof *s->pull);
    s->ends = arena_take(arena, 2 * rods, sizeof *s->ends);
    s->first_end = arena_take(arena, 2 * balls + 1, sizeof *s->first_end);
    return s->ball && s->matter && s->rod && s->muscle && s->q && s->qd && s->rod_of && s->pull &&
                   s->ends && s->first_end
               ? 0
               : ERR_MEMORY;
}

/* Positions and velocities as they are seen from outside. Returns whether they are finite: what is infinite or no
 * number has made the places so as well, and their sum. */
static int publish(struct sphere_system *s)
{
    struct lanes sum = {{0, 0}, 0};
    for (int i = 0; i < s->balls; i++) {
        const struct ball *ball = &s->ball[i];
        sum = lanes_add(sum, lanes_of(&ball->at));
        s->q[i] = ball->at;
        s->qd[i] = ball->velocity;
    }
    return (sum.xy[0] + sum.xy[1] + sum.z) * 0 == 0;
}

/* Touches are remembered as the last step left them: the senses want them at the start. */
static void forget(struct sphere_system *s)
{
    sphere_contacts_report(s);
    s->point_count = s->touch_count = 0;
    s->is_reported = 1;
    s->penetration = 0;
    s->travel = HUGE_VAL;
    publish(s);
}

/* As many substeps as are asked for, or as the stiffness needs. The documents' methods know neither. */
static void set_step(struct sphere_system *s)
{
    const struct dynamics_settings *settings = &s->settings;
    double damped = BONE_DAMPING_1_S * DAMPING_STEPS * settings->dt_s;
    s->vibration_rad_s = 2 * DET_PI * (settings->bone_hz > 0 ? settings->bone_hz : BONE_HZ);
    s->bone_damping = damped / (1 + 0.5 * damped);
    int asked = settings->substeps > 0 ? settings->substeps : SUBSTEPS;
    int needed = (int)ceil(s->vibration_rad_s * settings->dt_s / PHASE_MOST - 1e-9);
    s->substeps = s->has_method ? 1 : needed > asked ? needed : asked;
    s->h = settings->dt_s / s->substeps;
}

static struct dynamics *spheres_create(const struct phenotype *phenotype, const struct world *world,
                                       const struct dynamics_settings *settings,
                                       struct arena *arena)
{
    struct sphere_system *s = arena_take(arena, 1, sizeof *s);
    if (!s)
        return NULL;
    s->base.solver = &dynamics_spheres;
    s->phenotype = phenotype;
    s->body = sphere_body_of(phenotype);
    s->world = *world;
    s->settings = *settings;
    s->has_method = settings->solver == SOLVER_REJECTION || settings->solver == SOLVER_NUDGE;
    set_step(s);
    s->steps_1_s = 1 / settings->dt_s;
    if (take_memory(s, arena) != 0)
        return NULL;
    make_balls(s);
    make_rods(s);
    make_ends(s);
    set_viscosity(s);
    if (sphere_contacts_create(s, arena) != 0 || sphere_joints_create(s, arena) != 0 ||
        (s->has_method && sphere_methods_create(s, arena) != 0))
        return NULL;
    forget(s);
    return &s->base;
}

/* ---------------------------------------------------------------- a substep */

static inline struct lanes rod_vector(const struct rod *rod)
{
    return lanes_sub(lanes_of(&rod->ball_a->at), lanes_of(&rod->ball_b->at));
}

/* Without jumps: which way it goes is hard to foretell, and a wrong guess costs more than all of it. */
static inline double clamp(double value, double low, double high)
{
    value = high < value ? high : value;
    return low > value ? low : value;
}

/* d . w of a rod's spheres, now or at the start of the substep. */
static inline double rod_rate(const struct rod *rod, struct lanes d)
{
    return lanes_dot(d,
                     lanes_sub(lanes_of(&rod->ball_a->velocity), lanes_of(&rod->ball_b->velocity)));
}

static inline double rod_rate_at_start(const struct rod *rod, struct lanes d)
{
    return lanes_dot(d, lanes_sub(lanes_of(&rod->ball_a->start), lanes_of(&rod->ball_b->start)));
}

/* Once a step: the rest length goes towards the goal, and not farther than the force reaches; and what the
 * muscle does in the substeps of the step. */
static void advance_muscle(const struct sphere_system *s, struct muscle *muscle,
                           const struct rod *rod)
{
    struct lanes d = rod_vector(rod);
    double now = larger(sqrt(lanes_dot(d, d)), SHORTEST_M), before = muscle->length;
    double goal = s->effectors == EFFECTORS_HOLD ? muscle->birth : muscle->target;
    double dt = s->settings.dt_s, most = muscle->rate * dt;
    goal = clamp(goal, muscle->shortest, muscle->longest);
    double rest = before + clamp(goal - before, -most, most);
    rest = larger(clamp(rest, now - muscle->reach, now + muscle->reach), SHORTEST_M);
    muscle->target += muscle->target_rate * dt;
    muscle->rest_rate = clamp((rest - before) * s->steps_1_s, -muscle->rate, muscle->rate);
    muscle->length = rest;

    int is_slack = s->effectors == EFFECTORS_SLACK;
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

/* What a muscle does in this substep: its own pull, and with its stops. */
static void tense_muscles(struct sphere_system *s, double share)
{
    const struct rod *rod = s->rod + s->fixed_rods;
    struct pull *to = s->pull + s->fixed_rods;
    for (struct muscle *muscle = s->muscle, *end = muscle + s->muscle_count; muscle < end;
         muscle++, rod++, to++) {
        struct lanes d = rod_vector(rod);
        double dd = lanes_dot(d, d), rate = rod_rate_at_start(rod, d);
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
    return (struct lanes){{s->h * s->world.gravity_x_m_s2, -s->h * s->world.gravity_m_s2}, 0};
}

/* Gravity acts, and all springs: fixed rods, joints, muscles. Without joints between them rods of both kinds pull
 * in one go. */
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
    s->ledger.work_effector_j += sum;
    s->ledger.work_effector_positive_j += 0.5 * twice_positive;
}

static double muscle_force(const struct sphere_system *s, const struct muscle *muscle)
{
    return muscle->pull / (s->h * muscle->inverse_length);
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

/* What the body would do at the start of the substep if it moved as one, with the momentum and angular momentum
 * that it has: velocity at the centre of mass, which is given as well, and spin. */
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

/* Every sphere, and every one's spin, goes a share of the way to what moving as one would be. Momentum and
 * angular momentum are kept (Mueller, Heidelberger, Hennix, Ratcliff, Position Based Dynamics, 2007, 3.5). It is
 * what friction at pivots and in tissue does to a body, and costs the same whatever its shape. The
 * velocities are those before the substep, since only they are none where weight, bones and ground balance. */
static void damp_body(struct sphere_system *s)
{
    double rate = s->settings.body_damping_1_s * s->settings.dt_s * BODY_DAMPING_STEPS;
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

/* Bones, and where the settings ask for it muscles and joints; between two halves of the springs, which both do the
 * same. */
static void damp(struct sphere_system *s)
{
    struct lanes fall = fall_of(s);
    for (int i = 0; i < s->balls; i++) {
        s->matter[i].damped = lanes_of(&s->ball[i].velocity);
        s->matter[i].spin_damped = (struct vec3){0, 0, 0};
    }
    if (s->settings.body_damping_1_s > 0 && s->steps % BODY_DAMPING_STEPS == 0)
        damp_body(s);
    double share = fmin(s->damping_1_s * s->settings.dt_s * DAMPING_STEPS, 1);
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

/* Where something struck in the same substep, damping may have pushed the wrong way: that is unearned. */
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
    *(work > 0 ? &s->ledger.gain_limit_j : &s->ledger.loss_damping_j) += fabs(work);
}

/* From one middle to the next; at the end positions are h / 2 ahead of velocities. Damping acts between two
 * halves of the springs: there, of all places, the energy that leapfrog keeps has the plain kinetic energy in
 * it, v^2 / 2 + x K (1 - h^2 K / 4) x / 2, so that slowing down takes energy. After the springs it can give
 * some, and exploded. Muscles are among the springs: without them what is in balance has a rate there, and damping
 * it was a push every other step, which fed what lay at rest. */
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
    s->travel += sqrt(fastest_sq) * h;
}

/* ---------------------------------------------------------------- between substeps */

/* Exactly what the law of viscosity takes in a time, at the mean velocity: m (v+ - v) = -t c (v + v+) / 2. */
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
        s->ledger.loss_drag_j += 0.5 * ball->mass * v_sq * (1 - left * left) +
                                 0.5 * matter->inertia * vec3_dot(matter->spin, matter->spin) *
                                     (1 - turn_left * turn_left);
        ball->velocity = vec3_scale(ball->velocity, left);
        matter->spin = vec3_scale(matter->spin, turn_left);
    }
}

/* Bones are damped in the last substep of a step, every other step. */
static int is_damping(const struct sphere_system *s, int substep)
{
    return substep == s->substeps && s->steps % DAMPING_STEPS == 0;
}

static void take_substeps(struct sphere_system *s)
{
    advance_muscles(s);
    set_out(s);
    for (int i = 1; i <= s->substeps; i++) {
        pull_and_damp(s, is_damping(s, i));
        sphere_contacts_solve(s);
        book_substep(s, is_damping(s, i));
        go_on(s, i == s->substeps);
    }
}

static void begin_step(struct sphere_system *s)
{
    s->penetration = 0;
    s->given = (struct impulse_sum){.size = 0};
    s->given_sums = s->given_sums_of_sums = (struct vec3){0, 0, 0};
    if (world_has_drag(&s->world))
        slow_down(s, 0.5 * s->settings.dt_s);
}

/* 1 if the state is not finite. */
static int end_step(struct sphere_system *s)
{
    if (world_has_drag(&s->world))
        slow_down(s, 0.5 * s->settings.dt_s);
    s->is_reported = 0;
    s->base.work +=
        (uint64_t)s->substeps *
        (uint64_t)(PIECE_WORK * (s->balls + s->rods + JOINT_PIECES * s->body->joint_count) +
                   PAIR_WORK * s->balls * (s->balls + s->world.obstacles.count) +
                   TOUCH_WORK * s->touch_count);
    s->steps++;
    return !publish(s);
}

static int spheres_step(struct dynamics *dynamics)
{
    struct sphere_system *s = system_of(dynamics);
    begin_step(s);
    if (s->has_method)
        sphere_step_by_method(s);
    else
        take_substeps(s);
    return end_step(s);
}

/* ---------------------------------------------------------------- several bodies */

/* Touches between two bodies at once, for each body. */
enum { MEETING_TOUCHES = 64 };
/* How much farther than it goes by its speed a sphere is expected to get in a step, m, and by what share. */
#define SWEEP_M     0.01
#define SWEEP_STEPS 1.5

struct meeting {
    struct sphere_touches touches;
};

static struct meeting *spheres_create_meeting(struct dynamics *const *all, int count,
                                              struct arena *arena)
{
    struct meeting *meeting = arena_take(arena, 1, sizeof *meeting);
    int room = MEETING_TOUCHES * count;
    if (!meeting)
        return NULL;
    meeting->touches = (struct sphere_touches){
        .room = room,
        .list = arena_take(arena, (size_t)room, sizeof(struct touch)),
        .of_a = arena_take(arena, (size_t)room, sizeof(struct sphere_system *))};
    int is_complete = meeting->touches.list && meeting->touches.of_a;
    for (int k = 0; k < count; k++) {
        struct sphere_system *s = system_of(all[k]);
        s->point_room = s->touch_room + MEETING_TOUCHES;
        s->points = arena_take(arena, (size_t)s->point_room, sizeof *s->points);
        is_complete &= s->points != NULL;
    }
    return is_complete ? meeting : NULL;
}

static void spheres_begin_meeting(struct meeting *meeting)
{
}

/* The documents' methods know no other bodies: where those move it, it is nowhere. */
static void spheres_sweep(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    const struct sphere_system *s = system_of(dynamics);
    double time_s = SWEEP_STEPS * s->settings.dt_s;
    *low = (struct vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    *high = vec3_scale(*low, -1);
    for (int i = 0; i < s->balls && !s->has_method; i++) {
        const struct ball *ball = &s->ball[i];
        double reach = ball->radius + SWEEP_M + time_s * vec3_length(ball->velocity);
        low->x = smaller(low->x, ball->at.x - reach);
        low->y = smaller(low->y, ball->at.y - reach);
        low->z = smaller(low->z, ball->at.z - reach);
        high->x = larger(high->x, ball->at.x + reach);
        high->y = larger(high->y, ball->at.y + reach);
        high->z = larger(high->z, ball->at.z + reach);
    }
}

/* One substep of all: bones, then what the bodies do to one another, then what else touches. */
static void substep_together(struct meeting *meeting, struct dynamics *const *some, int count,
                             int substep)
{
    struct sphere_touches *touches = &meeting->touches;
    touches->count = 0;
    for (int k = 0; k < count; k++)
        pull_and_damp(system_of(some[k]), is_damping(system_of(some[k]), substep));
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++)
            sphere_contacts_meet(system_of(some[a]), system_of(some[b]), touches);
    for (int k = 0; k < count; k++)
        sphere_contacts_solve(system_of(some[k]));
    sphere_contacts_book_meeting(touches);
    for (int k = 0; k < count; k++)
        book_substep(system_of(some[k]), is_damping(system_of(some[k]), substep));
    for (int k = 0; k < count; k++)
        go_on(system_of(some[k]), substep == system_of(some[k])->substeps);
}

static void spheres_step_together(struct meeting *meeting, struct dynamics *const *some, int count,
                                  int *is_broken)
{
    for (int k = 0; k < count; k++) {
        begin_step(system_of(some[k]));
        advance_muscles(system_of(some[k]));
        set_out(system_of(some[k]));
    }
    for (int i = 1; i <= system_of(some[0])->substeps; i++)
        substep_together(meeting, some, count, i);
    for (int k = 0; k < count; k++) {
        is_broken[k] = end_step(system_of(some[k]));
        sphere_contacts_report(system_of(some[k]));
    }
    sphere_contacts_report_meeting(&meeting->touches);
}

/* ---------------------------------------------------------------- what dynamics.h asks for */

static void spheres_set_target(struct dynamics *dynamics, int drive, double target, double rate)
{
    struct sphere_system *s = system_of(dynamics);
    const struct sphere_drive *d = &s->body->drives[drive];
    if (d->kind == SPHERE_DRIVE_BONE) {
        struct muscle *muscle = &s->muscle[s->rod_of[d->index] - s->fixed_rods];
        muscle->target = target;
        muscle->target_rate = rate;
    } else {
        s->angle[d->index].target[d->axis] = target;
        s->angle[d->index].target_rate[d->axis] = rate;
    }
}

/* Scenes have no spheres with bones. */
static void spheres_set_servo(struct dynamics *dynamics, int link, const struct servo *servo)
{
}

static void spheres_set_effectors(struct dynamics *dynamics, enum effector_state state)
{
    system_of(dynamics)->effectors = state;
}

static void spheres_set_world(struct dynamics *dynamics, const struct world *world)
{
    struct sphere_system *s = system_of(dynamics);
    s->world = *world;
    set_viscosity(s);
    s->travel = HUGE_VAL;
}

static void spheres_set_joint_damping(struct dynamics *dynamics, double rate_1_s)
{
    system_of(dynamics)->damping_1_s = rate_1_s;
}

static void spheres_set_push_out(struct dynamics *dynamics, double speed_m_s)
{
    system_of(dynamics)->push_out_m_s = speed_m_s;
}

static int spheres_dof(const struct dynamics *dynamics)
{
    return 3 * system_at(dynamics)->balls;
}

static const double *spheres_q(const struct dynamics *dynamics)
{
    return &system_at(dynamics)->q->x;
}

static const double *spheres_qd(const struct dynamics *dynamics)
{
    return &system_at(dynamics)->qd->x;
}

static void spheres_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    struct sphere_system *s = system_of(dynamics);
    for (int i = 0; i < s->balls; i++) {
        s->ball[i].at = (struct vec3){q[3 * i], q[3 * i + 1], q[3 * i + 2]};
        s->ball[i].velocity = (struct vec3){qd[3 * i], qd[3 * i + 1], qd[3 * i + 2]};
    }
    forget(s);
}

static void spheres_reset_ledger(struct dynamics *dynamics);

static void spheres_stop(struct dynamics *dynamics)
{
    struct sphere_system *s = system_of(dynamics);
    for (int i = 0; i < s->balls; i++)
        s->ball[i].velocity = s->matter[i].spin = (struct vec3){0, 0, 0};
    forget(s);
    spheres_reset_ledger(dynamics);
}

/* Spheres have no angle. */
static void spheres_part_state(const struct dynamics *dynamics, int part, struct part_state *state)
{
    const struct sphere_system *s = system_at(dynamics);
    const struct ball *ball = &s->ball[part];
    const struct vec3 *spin = &s->matter[part].spin;
    *state = (struct part_state){.x_m = ball->at.x,
                                 .y_m = ball->at.y,
                                 .z_m = ball->at.z,
                                 .vx_m_s = ball->velocity.x,
                                 .vy_m_s = ball->velocity.y,
                                 .vz_m_s = ball->velocity.z,
                                 .omega_rad_s = spin->z,
                                 .omega_x_rad_s = spin->x,
                                 .omega_y_rad_s = spin->y};
}

static uint64_t hash_vec3(uint64_t hash, struct vec3 v)
{
    return hash_double(hash_double(hash_double(hash, v.x), v.y), v.z);
}

static uint64_t spheres_hash_part(const struct dynamics *dynamics, int part, uint64_t hash)
{
    const struct sphere_system *s = system_at(dynamics);
    const struct ball *ball = &s->ball[part];
    return hash_vec3(hash_vec3(hash_vec3(hash, ball->at), ball->velocity), s->matter[part].spin);
}

static struct vec3 spheres_centre_of_mass(const struct dynamics *dynamics)
{
    const struct sphere_system *s = system_at(dynamics);
    struct vec3 sum = {0, 0, 0};
    double mass = 0;
    for (int i = 0; i < s->balls; i++) {
        sum = vec3_along(sum, s->ball[i].at, s->ball[i].mass);
        mass += s->ball[i].mass;
    }
    return vec3_scale(sum, 1 / mass);
}

static void spheres_momentum(const struct dynamics *dynamics, struct vec3 *linear,
                             struct vec3 *angular)
{
    const struct sphere_system *s = system_at(dynamics);
    struct vec3 p = {0, 0, 0}, l = {0, 0, 0};
    for (int i = 0; i < s->balls; i++) {
        struct vec3 momentum = vec3_scale(s->ball[i].velocity, s->ball[i].mass);
        p = vec3_add(p, momentum);
        l = vec3_add(l, vec3_cross(s->ball[i].at, momentum));
        if (s->has_spin)
            l = vec3_along(l, s->matter[i].spin, s->matter[i].inertia);
    }
    *linear = p;
    *angular = l;
}

/* With S_j the sum of the contacts' impulses P in the substeps up to j, and n substeps of h, gravity g acts in the
 * middle of substep k on a centre of mass that has moved by
 *     (k - 1/2) h v + h (S_1 + ... + S_k-1) / m + (something along g)
 * since the step began. Its impulse is m g h each time, so that its moment about where the centre was is
 *     (n h)^2 / 2 m v x g + h^2 (sum over k of (S_1 + ... + S_k-1)) x g.
 * The documents' methods push everything before it moves. */
static int spheres_impulses(const struct dynamics *dynamics, struct vec3 centre,
                            struct vec3 velocity, struct impulse_sum *impulses)
{
    const struct sphere_system *s = system_at(dynamics);
    struct vec3 g = {s->world.gravity_x_m_s2, -s->world.gravity_m_s2, 0};
    double mass = s->phenotype->mass_kg, dt = s->settings.dt_s;
    double lever = s->has_method ? 0 : 0.5 * dt * dt * mass;
    struct vec3 arms = vec3_along(vec3_scale(velocity, lever), s->given_sums_of_sums, s->h * s->h);
    struct impulse_sum sum = s->given;
    if (world_has_drag(&s->world))
        return 0;
    sum.angular = vec3_add(sum.angular, vec3_cross(arms, g));
    sum.angular = vec3_sub(sum.angular, vec3_cross(centre, s->given.linear));
    sum.linear = vec3_along(sum.linear, g, mass * dt);
    sum.size += vec3_length(g) * mass * dt;
    *impulses = sum;
    return 1;
}

static void spheres_bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    const struct sphere_system *s = system_at(dynamics);
    *low = (struct vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    *high = vec3_scale(*low, -1);
    for (int i = 0; i < s->balls; i++) {
        const struct ball *ball = &s->ball[i];
        low->x = fmin(low->x, ball->at.x - ball->radius);
        low->y = fmin(low->y, ball->at.y - ball->radius);
        low->z = fmin(low->z, ball->at.z - ball->radius);
        high->x = fmax(high->x, ball->at.x + ball->radius);
        high->y = fmax(high->y, ball->at.y + ball->radius);
        high->z = fmax(high->z, ball->at.z + ball->radius);
    }
}

static double spheres_overlap(const struct dynamics *dynamics)
{
    return sphere_contacts_overlap(system_at(dynamics));
}

/* Energy U of the fixed bones' and the stops' springs, less h^2 w.H w / 8 with H the second derivatives of U and w
 * the velocity of one end against the other: that is what leapfrog keeps (its modified energy; Hairer, Lubich,
 * Wanner, IX.1). Impulses at X work -h U'(X) (w + w+) / 2, while U goes from X - h/2 w to X + h/2 w+, and by
 * Taylor the difference is h^2 (w+.H w+ - w.H w) / 8. Right after an impact bones swing so fast that this is a
 * twentieth of all energy; it is gone when they have come to rest, and neither came from anywhere. */
static double stretch_energy(const struct sphere_system *s)
{
    double sum = 0;
    for (int i = 0; i < s->rods; i++) {
        const struct rod *rod = &s->rod[i];
        struct lanes d = rod_vector(rod);
        struct lanes w =
            lanes_sub(lanes_of(&rod->ball_a->velocity), lanes_of(&rod->ball_b->velocity));
        double dd = lanes_dot(d, d), off = dd - rod->length_sq, rate = lanes_dot(d, w);
        if (i >= s->fixed_rods) {
            const struct muscle *muscle = &s->muscle[i - s->fixed_rods];
            off = larger(dd - muscle->longest_sq, 0) - larger(muscle->shortest_sq - dd, 0);
        }
        if (off != 0)
            sum += rod->gain *
                   (off * off / (4 * s->h) - s->h / 8 * (off * lanes_dot(w, w) + 2 * rate * rate));
    }
    return sum;
}

static void measure_energy(const struct sphere_system *s, double *kinetic_j, double *potential_j)
{
    *kinetic_j = 0;
    *potential_j = s->has_method ? 0 : stretch_energy(s) + sphere_joints_energy(s);
    for (int i = 0; i < s->balls; i++) {
        const struct ball *ball = &s->ball[i];
        const struct ball_matter *m = &s->matter[i];
        *kinetic_j += 0.5 * (ball->mass * vec3_dot(ball->velocity, ball->velocity) +
                             m->inertia * vec3_dot(m->spin, m->spin));
        *potential_j += ball->mass *
                        (s->world.gravity_m_s2 * ball->at.y - s->world.gravity_x_m_s2 * ball->at.x);
    }
}

static void spheres_reset_ledger(struct dynamics *dynamics)
{
    struct sphere_system *s = system_of(dynamics);
    double kinetic, potential;
    measure_energy(s, &kinetic, &potential);
    s->ledger = (struct ledger){.energy_start_j = kinetic + potential};
}

static const struct ledger *spheres_ledger(struct dynamics *dynamics)
{
    struct sphere_system *s = system_of(dynamics);
    struct ledger *l = &s->ledger;
    measure_energy(s, &l->kinetic_j, &l->potential_j);
    double losses = l->loss_friction_j + l->loss_impact_j + l->loss_limit_j + l->loss_drag_j +
                    l->loss_damping_j;
    double gains = l->gain_push_out_j + l->gain_impact_j + l->gain_limit_j;
    l->residual_j = l->kinetic_j + l->potential_j - l->energy_start_j - l->work_effector_j -
                    l->exchange_j + losses - gains;
    return l;
}

static int spheres_contacts(const struct dynamics *dynamics, const struct contact_point **contacts)
{
    struct sphere_system *s = dynamics_of(dynamics, &dynamics_spheres);
    sphere_contacts_report(s);
    *contacts = s->points;
    return s->point_count;
}

static double spheres_penetration(const struct dynamics *dynamics)
{
    return system_at(dynamics)->penetration;
}

static void spheres_step_counts(const struct dynamics *dynamics, uint64_t *steps,
                                uint64_t *rk4_steps)
{
    *steps = system_at(dynamics)->steps;
    *rk4_steps = 0;
}

/* ---------------------------------------------------------------- what dynamics_spheres.h asks for */

void dynamics_place_sphere(struct dynamics *dynamics, int sphere, const struct part_state *state)
{
    struct sphere_system *s = system_of(dynamics);
    s->ball[sphere].at = (struct vec3){state->x_m, state->y_m, state->z_m};
    s->ball[sphere].velocity = (struct vec3){state->vx_m_s, state->vy_m_s, state->vz_m_s};
    s->matter[sphere].spin =
        (struct vec3){state->omega_x_rad_s, state->omega_y_rad_s, state->omega_rad_s};
    forget(s);
}

static void spheres_shift(struct dynamics *dynamics, struct vec3 by_m)
{
    struct sphere_system *s = system_of(dynamics);
    for (int i = 0; i < s->balls; i++)
        s->ball[i].at = vec3_add(s->ball[i].at, by_m);
    forget(s);
}

void dynamics_bone_state(const struct dynamics *dynamics, int bone, double *length_m,
                         double *rate_m_s)
{
    const struct sphere_system *s = system_at(dynamics);
    const struct rod *rod = &s->rod[s->rod_of[bone]];
    struct lanes d = rod_vector(rod);
    *length_m = sqrt(lanes_dot(d, d));
    *rate_m_s = rod_rate(rod, d) / fmax(*length_m, SHORTEST_M);
}

double dynamics_bone_force(const struct dynamics *dynamics, int bone)
{
    const struct sphere_system *s = system_at(dynamics);
    int index = s->rod_of[bone];
    const struct rod *rod = &s->rod[index];
    struct lanes d = rod_vector(rod);
    if (index >= s->fixed_rods)
        return muscle_force(s, &s->muscle[index - s->fixed_rods]);
    double off = larger(rod->length_sq - lanes_dot(d, d), rod->least);
    return rod->gain / s->h * off * sqrt(lanes_dot(d, d));
}

void dynamics_sphere_joint_state(const struct dynamics *dynamics, int joint, int axis,
                                 double *angle_rad, double *rate_rad_s)
{
    const struct sphere_system *s = system_at(dynamics);
    sphere_joint_state(s, &s->angle[joint], axis, angle_rad, rate_rad_s);
}

/* Force of a muscle, torque of a motor. */
static void spheres_drive_state(const struct dynamics *dynamics, int drive,
                                struct drive_state *state)
{
    const struct sphere_system *s = system_at(dynamics);
    const struct sphere_drive *d = &s->body->drives[drive];
    if (d->kind == SPHERE_DRIVE_BONE) {
        dynamics_bone_state(dynamics, d->index, &state->value, &state->rate);
        state->effort = muscle_force(s, &s->muscle[s->rod_of[d->index] - s->fixed_rods]);
        return;
    }
    dynamics_sphere_joint_state(dynamics, d->index, d->axis, &state->value, &state->rate);
    state->effort = s->angle[d->index].rows[d->axis].torque;
}

static int spheres_substeps(const struct dynamics *dynamics)
{
    return system_at(dynamics)->substeps;
}

int dynamics_sphere_touches(const struct dynamics *dynamics, int sphere)
{
    struct sphere_system *s = dynamics_of(dynamics, &dynamics_spheres);
    sphere_contacts_report(s);
    return s->matter[sphere].is_touching;
}

const struct dynamics_solver dynamics_spheres = {
    .create = spheres_create,
    .step = spheres_step,
    .create_meeting = spheres_create_meeting,
    .begin_meeting = spheres_begin_meeting,
    .sweep = spheres_sweep,
    .step_together = spheres_step_together,
    .set_target = spheres_set_target,
    .set_servo = spheres_set_servo,
    .set_effectors = spheres_set_effectors,
    .set_world = spheres_set_world,
    .set_joint_damping = spheres_set_joint_damping,
    .set_push_out = spheres_set_push_out,
    .dof = spheres_dof,
    .q = spheres_q,
    .qd = spheres_qd,
    .set_state = spheres_set_state,
    .shift = spheres_shift,
    .stop = spheres_stop,
    .part_state = spheres_part_state,
    .link_state = spheres_part_state,
    .drive_state = spheres_drive_state,
    .centre_of_mass = spheres_centre_of_mass,
    .momentum = spheres_momentum,
    .impulses = spheres_impulses,
    .bounds = spheres_bounds,
    .hash_part = spheres_hash_part,
    .overlap = spheres_overlap,
    .reset_ledger = spheres_reset_ledger,
    .ledger = spheres_ledger,
    .contacts = spheres_contacts,
    .penetration = spheres_penetration,
    .substeps = spheres_substeps,
    .step_counts = spheres_step_counts,
};
