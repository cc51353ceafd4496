/* Bodies of spheres and bones made by hand, for tests and benchmarks. */
#ifndef TESTS_SPHERE_FIXTURE_H
#define TESTS_SPHERE_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/spheres/dynamics_spheres.h"

#define FIXTURE_SPHERES 64
#define FIXTURE_BONES   SPHERE_BONES_MAX

/* A part's state as vectors. */
struct sphere_state {
    struct vec3 at_m, velocity_m_s, spin_rad_s;
};

static inline void read_sphere(const struct dynamics *dynamics, int sphere,
                               struct sphere_state *state)
{
    struct part_state s;
    dynamics_part_state(dynamics, sphere, &s);
    *state = (struct sphere_state){s.at_m, s.velocity_m_s, s.spin_rad_s};
}

static inline void place_sphere(struct dynamics *dynamics, int sphere,
                                const struct sphere_state *state)
{
    struct part_state s = {
        .at_m = state->at_m, .velocity_m_s = state->velocity_m_s, .spin_rad_s = state->spin_rad_s};
    dynamics_place_sphere(dynamics, sphere, &s);
}

struct sphere_fixture {
    struct phenotype phenotype;
    struct sphere_body body;
    struct sphere spheres[FIXTURE_SPHERES];
    struct part parts[FIXTURE_SPHERES];
    struct bone bones[FIXTURE_BONES];
    struct sphere_joint joints[SPHERE_JOINTS_MAX];
    struct sphere_drive drives[FIXTURE_BONES];
    struct world world;
    struct dynamics_settings settings;
    struct arena arena;
    struct dynamics *dynamics;
};

/* Nothing yet, on the ground of the defaults, at the default step. */
static void fixture_init(struct sphere_fixture *f)
{
    struct arena arena = f->arena;
    memset(f, 0, sizeof *f);
    f->arena = arena;
    f->world = (struct world){.gravity_m_s2 = 9.81,
                              .has_ground = 1,
                              .friction = 0.8,
                              .own_friction = 0.8,
                              .half_depth_m = 1};
    f->settings = (struct dynamics_settings){.dt_s = 1.0 / 240, .spheres.substeps = 2};
}

static int fixture_add_sphere(struct sphere_fixture *f, double radius_m, double mass_kg, double x,
                              double y, double z)
{
    int i = f->body.sphere_count++;
    f->spheres[i] = (struct sphere){
        .radius_m = radius_m, .mass_kg = mass_kg, .friction = 1, .centre = {x, y, z}};
    f->parts[i] = (struct part){.parent = i > 0 ? 0 : -1,
                                .mirror = 1,
                                .width_m = 2 * radius_m,
                                .height_m = 2 * radius_m,
                                .mass_kg = mass_kg,
                                .shape = PART_DISK};
    f->phenotype.part_count++;
    f->phenotype.mass_kg += mass_kg;
    return i;
}

/* A solid sphere that turns. */
static inline int fixture_add_ball(struct sphere_fixture *f, double radius_m, double mass_kg,
                                   double x, double y, double z)
{
    int i = fixture_add_sphere(f, radius_m, mass_kg, x, y, z);
    f->spheres[i].inertia_kg_m2 = 0.4 * mass_kg * radius_m * radius_m;
    return i;
}

static inline int fixture_add_bone(struct sphere_fixture *f, int a, int b)
{
    const struct vec3 *p = &f->spheres[a].centre, *q = &f->spheres[b].centre;
    int i = f->body.bone_count++;
    double x = p->x - q->x, y = p->y - q->y, z = p->z - q->z;
    f->bones[i] = (struct bone){.a = a, .b = b, .length_m = sqrt(x * x + y * y + z * z)};
    return i;
}

/* Range: `share` of its length either way. Its drive has the returned number. */
static inline int fixture_add_muscle(struct sphere_fixture *f, int a, int b, double share,
                                     double rate_m_s, double strength_n)
{
    int i = fixture_add_bone(f, a, b), drive = f->body.drive_count++;
    struct bone *bone = &f->bones[i];
    bone->is_muscle = 1;
    bone->shortest_m = (1 - share) * bone->length_m;
    bone->longest_m = (1 + share) * bone->length_m;
    bone->rate_m_s = rate_m_s;
    bone->strength_n = strength_n;
    f->drives[drive] = (struct sphere_drive){.kind = SPHERE_DRIVE_BONE,
                                             .index = i,
                                             .rest = bone->length_m,
                                             .unit = bone->length_m,
                                             .low = bone->shortest_m,
                                             .high = bone->longest_m};
    return drive;
}

static void fixture_start(struct sphere_fixture *f)
{
    f->body.spheres = f->spheres;
    f->body.bones = f->bones;
    f->body.joints = f->joints;
    f->body.drives = f->drives;
    f->phenotype.parts = f->parts;
    f->phenotype.kind = BODY_SPHERES;
    f->phenotype.detail = &f->body;
    if (!f->arena.base && arena_init(&f->arena, 4u << 20) != 0)
        abort();
    arena_reset(&f->arena);
    f->dynamics = dynamics_create(&f->phenotype, &f->world, &f->settings, &f->arena);
    if (!f->dynamics)
        abort();
    dynamics_reset_ledger(f->dynamics);
}

/* The common workload: a head, a trunk of three spheres, four legs of two; 24 bones, eight of them
 * muscles. */
static inline void fixture_make_spider(struct sphere_fixture *f)
{
    static const double knees[4][2] = {{0.45, 0.35}, {-0.45, 0.35}, {0, -0.6}, {0.1, 0.7}};
    fixture_init(f);
    int head = fixture_add_sphere(f, 0.1, 0.4, 0, 0.5, 0), trunk[4];
    trunk[0] = fixture_add_sphere(f, 0.06, 0.1, 0.25, 0.45, 0.25);
    trunk[1] = fixture_add_sphere(f, 0.06, 0.1, -0.25, 0.45, 0.25);
    trunk[2] = fixture_add_sphere(f, 0.06, 0.1, 0, 0.45, -0.3);
    trunk[3] = trunk[0];
    for (int i = 0; i < 3; i++) {
        fixture_add_bone(f, head, trunk[i]);
        fixture_add_bone(f, trunk[i], trunk[(i + 1) % 3]);
    }
    for (int i = 0; i < 4; i++) {
        double x = knees[i][0], z = knees[i][1];
        int knee = fixture_add_sphere(f, 0.06, 0.1, x, 0.4, z);
        int foot = fixture_add_sphere(f, 0.06, 0.1, 1.5 * x, 0.06, 1.5 * z);
        fixture_add_bone(f, knee, trunk[i]);
        fixture_add_bone(f, knee, foot);
        fixture_add_muscle(f, knee, head, 0.3, 1, 40);
        fixture_add_muscle(f, foot, head, 0.3, 1, 40);
        if (f->body.bone_count < 24)
            fixture_add_bone(f, foot, trunk[(i + 1) % 3]);
    }
}

#endif
