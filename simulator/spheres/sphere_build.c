/* A body of spheres and bones made ready to move: what each bone and muscle is stiff by, in which
 * order bones are taken, and how many substeps a step needs. Why bones have the stiffness that they
 * have: sphere_step.c. */
#include <float.h>

#include "common/math/detmath.h"
#include "simulator/spheres/sphere_system.h"

/* Substeps are so short that nothing turns by more than this in its own vibration, rad: leapfrog is
 * stable below 2. */
#define PHASE_MOST 1.0
/* Bones lose the rate of their length at this rate. */
#define BONE_DAMPING_1_S 80
/* A muscle gives its greatest force when it is off by this share of its length. */
#define MUSCLE_GIVE 0.05
/* Its damping is at most this share of what would stop its spheres in a radian of the fastest
 * vibration. */
#define MUSCLE_DAMPING 0.3
/* A bone's D - L^2 counts up to this many L^2, half as long again: beyond, its force would grow
 * with the cube of its length, and no step is small enough for that. */
#define STRETCH_MOST 1.25
#define SUBSTEPS     2
/* The fastest vibration of bones and joints: at a step of 1/240 s it needs the two substeps that
 * there are by default, and no more. */
#define BONE_HZ 75

/* How many bones and rows of joints pull at each sphere: a bone is as stiff as makes the fastest
 * vibration that these can have with others like it the one that is asked for. */
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
    rod->damping = s->bone_damping / (rod->length_sq * (a->inverse_mass + b->inverse_mass));
    s->rod_of[bone_index] = (int)(rod - s->rod);
}

/* Fixed bones in rounds, in each of which no sphere has two: damping takes them one after the
 * other, and one that shares a sphere with the last waits for it. */
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
            int is_taken = a->round == round || b->round == round;
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
        double stiffness =
            det_min(bone->strength_n / (MUSCLE_GIVE * bone->length_m), rod->stiffness);
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
                            .damping = det_min(damping, most),
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
            double factor = (k < s->fixed_rods ? rod->gain : 1) * s->ball[i].inverse_mass;
            if (k == s->fixed_rods)
                s->first_end[2 * i + 1] = count;
            if (rod->a == i)
                s->ends[count++] = (struct rod_end){&s->pull[k], factor};
            if (rod->b == i)
                s->ends[count++] = (struct rod_end){&s->pull[k], -factor};
        }
        if (s->rods == s->fixed_rods)
            s->first_end[2 * i + 1] = count;
        s->first_end[2 * i + 2] = count;
    }
}

void sphere_system_set_viscosity(struct sphere_system *s)
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
    s->base.dof = 3 * s->balls;
    s->base.q = arena_take(arena, 3 * balls, sizeof(double));
    s->base.qd = arena_take(arena, 3 * balls, sizeof(double));
    s->rod_of = arena_take(arena, rods, sizeof *s->rod_of);
    s->pull = arena_take(arena, rods, sizeof *s->pull);
    s->ends = arena_take(arena, 2 * rods, sizeof *s->ends);
    s->first_end = arena_take(arena, 2 * balls + 1, sizeof *s->first_end);
    return arena->is_exhausted ? ERR_MEMORY : 0;
}

/* As many substeps as are asked for, or as the stiffness needs. */
static void set_step(struct sphere_system *s)
{
    const struct dynamics_settings *settings = &s->settings;
    double damped = BONE_DAMPING_1_S * ROD_DAMPING_STEPS * settings->dt_s;
    s->vibration_rad_s = 2 * DET_PI * BONE_HZ;
    s->bone_damping = damped / (1 + 0.5 * damped);
    int asked = settings->spheres.substeps > 0 ? settings->spheres.substeps : SUBSTEPS;
    int needed = (int)ceil(s->vibration_rad_s * settings->dt_s / PHASE_MOST - 1e-9);
    s->base.substeps = needed > asked ? needed : asked;
    s->h = settings->dt_s / s->base.substeps;
}

/* Joints are of spheres of the body, with a bone to another on either side. */
static void check_joint(const struct sphere_system *s, int i)
{
    const struct sphere_joint *joint = &s->body->joints[i];
    const int balls[] = {joint->sphere, joint->base, joint->end};
    for (int k = 0; k < 3; k++)
        ENSURE(balls[k] >= 0 && balls[k] < s->body->sphere_count, "joint %d is of sphere %d of %d",
               i, balls[k], s->body->sphere_count);
    ENSURE(joint->reference >= -1 && joint->reference < s->body->sphere_count,
           "joint %d turns against sphere %d of %d", i, joint->reference, s->body->sphere_count);
    ENSURE(joint->sphere != joint->base && joint->sphere != joint->end,
           "joint %d at sphere %d is between spheres %d and %d", i, joint->sphere, joint->base,
           joint->end);
}

/* Invariants of a body before it is made ready. */
static void check_input(const struct sphere_system *s)
{
    int spheres = s->phenotype->part_count;
    ENSURE(s->base.substeps > 0 && s->h > 0, "%d substeps of %g s", s->base.substeps, s->h);
    for (int i = 0; i < s->body->bone_count; i++) {
        int a = s->body->bones[i].a, b = s->body->bones[i].b;
        ENSURE(a >= 0 && a < spheres && b >= 0 && b < spheres, "bone %d joins spheres %d and %d", i,
               a, b);
        ENSURE(a != b, "bone %d leads from sphere %d to itself", i, a);
    }
    ENSURE(s->body->sphere_count == spheres, "%d spheres in a body of %d parts",
           s->body->sphere_count, spheres);
    for (int i = 0; i < s->body->joint_count; i++)
        check_joint(s, i);
}

/* The ends of rods at sphere i, of fixed ones and then of muscles. */
static void check_ends(const struct sphere_system *s, int i)
{
    const int *first = &s->first_end[2 * i];
    ENSURE(first[0] <= first[1] && first[1] <= first[2], "ends of sphere %d from %d, %d, to %d", i,
           first[0], first[1], first[2]);
    for (int k = first[0]; k < first[2]; k++) {
        long rod = s->ends[k].pull - s->pull;
        ENSURE((rod < s->fixed_rods) == (k < first[1]), "end %d of sphere %d is of rod %ld", k, i,
               rod);
        ENSURE(s->rod[rod].a == i || s->rod[rod].b == i, "rod %ld does not end at sphere %d", rod,
               i);
    }
}

/* Invariants of a body from its creation on. */
static void check(const struct sphere_system *s)
{
    ENSURE(s->fixed_rods + s->muscle_count == s->rods, "%d fixed bones and %d muscles of %d bones",
           s->fixed_rods, s->muscle_count, s->rods);
    for (int i = 0; i < s->rods; i++) {
        int at = s->rod_of[i];
        ENSURE(at >= 0 && at < s->rods, "bone %d is rod %d of %d", i, at, s->rods);
        ENSURE((at >= s->fixed_rods) == !!s->body->bones[i].is_muscle,
               "bone %d is rod %d, of which %d are fixed", i, at, s->fixed_rods);
        ENSURE(s->rod[at].a == s->body->bones[i].a && s->rod[at].b == s->body->bones[i].b,
               "bone %d is rod %d between spheres %d and %d", i, at, s->rod[at].a, s->rod[at].b);
    }
    ENSURE(s->first_end[0] == 0 && s->first_end[2 * s->balls] == 2 * s->rods,
           "ends %d to %d of %d rods", s->first_end[0], s->first_end[2 * s->balls], s->rods);
    for (int i = 0; i < s->balls; i++)
        check_ends(s, i);
    for (int i = 0; i < s->pair_count; i++)
        ENSURE(s->pairs[i].a >= 0 && s->pairs[i].a < s->pairs[i].b && s->pairs[i].b < s->balls,
               "spheres %d and %d of %d may touch", s->pairs[i].a, s->pairs[i].b, s->balls);
    ENSURE(s->pair_count + s->balls + s->balls * s->box_room <= s->touch_room,
           "room for %d touches of %d pairs", s->touch_room, s->pair_count);
}

struct dynamics *sphere_system_create(const struct phenotype *phenotype, const struct world *world,
                                      const struct dynamics_settings *settings, struct arena *arena)
{
    struct sphere_system *s = arena_take(arena, 1, sizeof *s);
    if (!s)
        return NULL;
    s->base.solver = &dynamics_spheres;
    s->phenotype = phenotype;
    s->body = sphere_body_of(phenotype);
    s->world = *world;
    s->settings = *settings;
    set_step(s);
    check_input(s);
    if (take_memory(s, arena) != 0)
        return NULL;
    make_balls(s);
    make_rods(s);
    make_ends(s);
    sphere_system_set_viscosity(s);
    if (sphere_contacts_create(s, arena) != 0 || sphere_joints_create(s, arena) != 0)
        return NULL;
    check(s);
    sphere_system_forget(s);
    return &s->base;
}
