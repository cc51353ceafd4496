/* Spheres and bones behind dynamics.h: state, momentum, ledger, contacts. They are made ready in
 * sphere_build.c and move in sphere_step.c. */
#include "common/math/hash.h"
#include "simulator/spheres/sphere_system.h"

/* ---------------------------------------------------------------- what dynamics.h asks for */

static void spheres_set_target(struct dynamics *dynamics, int drive, double target, double rate)
{
    struct sphere_system *s = sphere_system_of(dynamics);
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

static void spheres_set_world(struct dynamics *dynamics, const struct world *world)
{
    struct sphere_system *s = sphere_system_of(dynamics);
    s->world = *world;
    sphere_system_set_viscosity(s);
    s->travel = HUGE_VAL;
}

static void spheres_set_joint_damping(struct dynamics *dynamics, double rate_1_s)
{
    sphere_system_of(dynamics)->damping_1_s = rate_1_s;
}

static void spheres_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    struct sphere_system *s = sphere_system_of(dynamics);
    for (int i = 0; i < s->balls; i++) {
        s->ball[i].at = (struct vec3){q[3 * i], q[3 * i + 1], q[3 * i + 2]};
        s->ball[i].velocity = (struct vec3){qd[3 * i], qd[3 * i + 1], qd[3 * i + 2]};
    }
    sphere_system_forget(s);
}

static void spheres_stop(struct dynamics *dynamics)
{
    struct sphere_system *s = sphere_system_of(dynamics);
    for (int i = 0; i < s->balls; i++)
        s->ball[i].velocity = s->matter[i].spin = (struct vec3){0, 0, 0};
    sphere_system_forget(s);
}

/* Spheres have no angle. */
static void spheres_part_state(const struct dynamics *dynamics, int part, struct part_state *state)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    ENSURE(part >= 0 && part < s->balls, "sphere %d of %d", part, s->balls);
    const struct ball *ball = &s->ball[part];
    *state = (struct part_state){
        .at_m = ball->at, .velocity_m_s = ball->velocity, .spin_rad_s = s->matter[part].spin};
}

static uint64_t spheres_hash_part(const struct dynamics *dynamics, int part, uint64_t hash)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    const struct ball *ball = &s->ball[part];
    return hash_vec3(hash_vec3(hash_vec3(hash, ball->at), ball->velocity), s->matter[part].spin);
}

static struct vec3 spheres_centre_of_mass(const struct dynamics *dynamics)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
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
    const struct sphere_system *s = sphere_system_of(dynamics);
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

/* With S_j the sum of the contacts' impulses P in the substeps up to j, and n substeps of h,
 * gravity g acts in the middle of substep k on a centre of mass that has moved by
 *     (k - 1/2) h v + h (S_1 + ... + S_k-1) / m + (something along g)
 * since the step began. Its impulse is m g h each time, so that its moment about where the centre
 * was is
 *     (n h)^2 / 2 m v x g + h^2 (sum over k of (S_1 + ... + S_k-1)) x g.
 * Drag acts before the first substep, which changes v, and after the last. */
static int spheres_impulses(const struct dynamics *dynamics, struct vec3 centre,
                            struct vec3 velocity, struct impulse_sum *impulses)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    struct vec3 g = world_gravity(&s->world);
    double mass = s->phenotype->mass_kg, dt = s->settings.dt_s;
    double lever = 0.5 * dt * dt * mass;
    struct vec3 v = vec3_along(velocity, s->slowed, 1 / mass);
    struct vec3 arms = vec3_along(vec3_scale(v, lever), s->given_sums_of_sums, s->h * s->h);
    struct impulse_sum sum = s->given;
    sum.angular = vec3_add(sum.angular, vec3_cross(arms, g));
    sum.angular = vec3_sub(sum.angular, vec3_cross(centre, s->given.linear));
    sum.linear = vec3_along(sum.linear, g, mass * dt);
    sum.size += vec3_length(g) * mass * dt;
    *impulses = sum;
    return 1;
}

static void spheres_bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    vec3_no_bounds(low, high);
    for (int i = 0; i < s->balls; i++) {
        double radius = s->ball[i].radius;
        vec3_widen_bounds(low, high, s->ball[i].at, (struct vec3){radius, radius, radius});
    }
}

/* Energy U of the fixed bones' and the stops' springs, less h^2 w.H w / 8 with H the second
 * derivatives of U and w the velocity of one end against the other: that is what leapfrog keeps
 * (its modified energy; Hairer, Lubich, Wanner, IX.1). Impulses at X work -h U'(X) (w + w+) / 2,
 * while U goes from X - h/2 w to X + h/2 w+, and by Taylor the difference is h^2 (w+.H w+ - w.H w)
 * / 8. Right after an impact bones swing so fast that this is a twentieth of all energy; it is gone
 * when they have come to rest, and neither came from anywhere. */
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

static void spheres_energy(struct dynamics *dynamics, double *kinetic_j, double *potential_j)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    struct vec3 gravity = world_gravity(&s->world);
    *kinetic_j = 0;
    *potential_j = stretch_energy(s) + sphere_joints_energy(s);
    for (int i = 0; i < s->balls; i++) {
        const struct ball *ball = &s->ball[i];
        const struct ball_matter *m = &s->matter[i];
        *kinetic_j += 0.5 * (ball->mass * vec3_dot(ball->velocity, ball->velocity) +
                             m->inertia * vec3_dot(m->spin, m->spin));
        *potential_j -= ball->mass * vec3_dot(gravity, ball->at);
    }
}

/* ------------------------------------------------------------ what dynamics_spheres.h asks for */

void dynamics_place_sphere(struct dynamics *dynamics, int sphere, const struct part_state *state)
{
    struct sphere_system *s = sphere_system_of(dynamics);
    ENSURE(sphere >= 0 && sphere < s->balls, "sphere %d of %d is placed", sphere, s->balls);
    s->ball[sphere].at = state->at_m;
    s->ball[sphere].velocity = state->velocity_m_s;
    s->matter[sphere].spin = state->spin_rad_s;
    sphere_system_forget(s);
}

static void spheres_shift(struct dynamics *dynamics, struct vec3 by_m)
{
    struct sphere_system *s = sphere_system_of(dynamics);
    for (int i = 0; i < s->balls; i++)
        s->ball[i].at = vec3_add(s->ball[i].at, by_m);
    sphere_system_forget(s);
}

void dynamics_bone_state(const struct dynamics *dynamics, int bone, double *length_m,
                         double *rate_m_s)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    ENSURE(bone >= 0 && bone < s->rods, "bone %d of %d", bone, s->rods);
    const struct rod *rod = &s->rod[s->rod_of[bone]];
    struct lanes d = rod_vector(rod);
    *length_m = sqrt(lanes_dot(d, d));
    *rate_m_s = rod_rate(rod, d) / det_max(*length_m, ROD_SHORTEST_M);
}

void dynamics_sphere_joint_state(const struct dynamics *dynamics, int joint, int axis,
                                 double *angle_rad, double *rate_rad_s)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    ENSURE(joint >= 0 && joint < s->angles, "joint %d of %d", joint, s->angles);
    sphere_joint_state(s, &s->angle[joint], axis, angle_rad, rate_rad_s);
}

/* Force of a muscle, torque of a motor. */
static void spheres_drive_state(const struct dynamics *dynamics, int drive,
                                struct drive_state *state)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    ENSURE(drive >= 0 && drive < s->phenotype->drive_count, "drive %d of %d", drive,
           s->phenotype->drive_count);
    const struct sphere_drive *d = &s->body->drives[drive];
    if (d->kind == SPHERE_DRIVE_BONE) {
        ENSURE(s->rod_of[d->index] >= s->fixed_rods, "drive %d moves bone %d, which is no muscle",
               drive, d->index);
        dynamics_bone_state(dynamics, d->index, &state->value, &state->rate);
        const struct muscle *muscle = &s->muscle[s->rod_of[d->index] - s->fixed_rods];
        state->effort = muscle->pull / (s->h * muscle->inverse_length);
        return;
    }
    dynamics_sphere_joint_state(dynamics, d->index, d->axis, &state->value, &state->rate);
    state->effort = s->angle[d->index].rows[d->axis].torque;
}

int dynamics_sphere_touches(const struct dynamics *dynamics, int sphere)
{
    const struct sphere_system *s = sphere_system_of(dynamics);
    ENSURE(sphere >= 0 && sphere < s->balls, "touches of sphere %d of %d", sphere, s->balls);
    sphere_contacts_report(dynamics);
    return s->matter[sphere].is_touching;
}

static const struct dynamics_reader spheres_reader = {
    .part_state = spheres_part_state,
    .link_state = spheres_part_state,
    .drive_state = spheres_drive_state,
    .centre_of_mass = spheres_centre_of_mass,
    .momentum = spheres_momentum,
    .impulses = spheres_impulses,
    .bounds = spheres_bounds,
    .hash_part = spheres_hash_part,
    .overlap = sphere_contacts_overlap,
};

const struct dynamics_solver dynamics_spheres = {
    .create = sphere_system_create,
    .step = sphere_step,
    .create_meeting = sphere_create_meeting,
    .sweep = sphere_sweep,
    .step_together = sphere_step_together,
    .set_target = spheres_set_target,
    .set_world = spheres_set_world,
    .set_joint_damping = spheres_set_joint_damping,
    .set_state = spheres_set_state,
    .shift = spheres_shift,
    .stop = spheres_stop,
    .read = &spheres_reader,
    .energy = spheres_energy,
    .report = sphere_contacts_report,
};
