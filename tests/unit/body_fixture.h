/* Bodies made by hand for the tests of the dynamics: a few rectangles given by their pose at birth
 * become a phenotype without a genome, and a stage holds what it takes to move one. */
#ifndef TESTS_UNIT_BODY_FIXTURE_H
#define TESTS_UNIT_BODY_FIXTURE_H

#include "common/growth/body.h"
#include "simulator/body/dynamics.h"
#include "tests/readout.h"
#include "tests/suite.h"
#include "simulator/body/forest.h"

/* Sums over all: linear momentum, and angular momentum about the world's origin. */
static inline void forest_momentum(const struct forest *f, struct vec3 *linear,
                                   struct vec3 *angular)
{
    *linear = *angular = (struct vec3){0, 0, 0};
    for (int i = 0; i < f->count; i++) {
        struct vec3 p, l;
        dynamics_momentum(f->all[i], &p, &l);
        *linear = vec3_add(*linear, p);
        *angular = vec3_add(*angular, l);
    }
}

enum {
    BODY_PARTS_MAX = 24,
    BODY_LINKS_MAX = 2 * BODY_PARTS_MAX + 3,
    BODY_DOF_MAX = 2 + BODY_LINKS_MAX
};
#define BODY_PI      3.14159265358979323846
#define BODY_DEGREE  (BODY_PI / 180)
#define BODY_GRAVITY 9.81
/* A joint limit that no test reaches. */
#define BODY_FREE_RAD 1e6

/* A rectangle at birth; the root's centre is the origin. */
struct body_part {
    int parent; /* -1 at the root */
    int is_rigid;
    double x_m, y_m, angle_rad;
    double width_m, height_m, mass_kg;
    double anchor_x_m, anchor_y_m; /* the joint to the parent */
    double inertia_kg_m2;          /* of its link, instead of the rectangles'; 0: of those */
    double lower_rad, upper_rad;   /* both 0: free; linear: m */
    double torque_max_n_m;         /* 0: no effector; linear: N */
    int is_linear;                 /* the joint slides along axis_rad, a world angle at birth */
    double axis_rad;
    double stretch;     /* its limit, either way; 0: the part is rigid */
    double stretch_n_m; /* strength of the stretch's effector */
};

/* Of a part: the root, m and kg; another one at a place of the root's frame; and its joint there. */
#define ROOT(width, height, mass)                                                                  \
    .parent = -1, .width_m = (width), .height_m = (height), .mass_kg = (mass)
#define PART(of, x, y, width, height, mass)                                                        \
    .parent = (of), .x_m = (x), .y_m = (y), .width_m = (width), .height_m = (height),              \
    .mass_kg = (mass)
#define ANCHOR(x, y) .anchor_x_m = (x), .anchor_y_m = (y)

struct test_body {
    struct phenotype phenotype;
    struct body body;
    struct part parts[BODY_PARTS_MAX];
    struct body_link links[BODY_LINKS_MAX];
};

/* A new link of a part, at the link of its parent. */
static inline struct body_link *body_next_link(struct test_body *body, const struct body_part *from,
                                               int part, int kind)
{
    struct body_link *link = &body->links[body->body.link_count];
    *link = (struct body_link){.parent = from->parent < 0 ? -1 : body->parts[from->parent].link,
                               .kind = kind,
                               .frame = QUATERNION_ONE,
                               .part = part,
                               .parent_part = from->parent,
                               .first_drive = body->body.link_count,
                               .sign = {1},
                               .scale = 1};
    if (link->parent >= 0) {
        struct vec3 origin = body->parts[body->links[link->parent].part].anchor;
        link->joint = (struct vec3){from->anchor_x_m - origin.x, from->anchor_y_m - origin.y, 0};
    }
    body->parts[part].link = body->body.link_count++;
    return link;
}

static inline void body_add_link(struct test_body *body, const struct body_part *from, int part)
{
    int is_free = from->lower_rad == 0 && from->upper_rad == 0;
    struct body_link *link = body_next_link(body, from, part,
                                            from->parent < 0  ? LINK_PLANAR
                                            : from->is_linear ? LINK_LINEAR
                                                              : LINK_REVOLUTE);
    link->lower[0] = is_free ? -BODY_FREE_RAD : from->lower_rad;
    link->upper[0] = is_free ? BODY_FREE_RAD : from->upper_rad;
    link->strength = from->torque_max_n_m;
    if (from->is_linear)
        link->axis = (struct vec3){cos(from->axis_rad), sin(from->axis_rad), 0};
}

/* The stretch of a part: at its joint, or in its place where that is rigid. */
static inline void body_add_stretch(struct test_body *body, const struct body_part *from, int part)
{
    int joint = body->parts[part].link;
    struct body_link *link = body_next_link(body, from, part, LINK_STRETCH);
    if (part == 0 || !from->is_rigid) {
        link->parent = joint;
        link->joint = (struct vec3){0, 0, 0};
    }
    link->axis = (struct vec3){cos(from->angle_rad), sin(from->angle_rad), 0};
    link->half_m = (struct vec3){from->width_m / 2, from->height_m / 2, 0};
    link->lower[0] = -from->stretch;
    link->upper[0] = from->stretch;
    link->strength = from->stretch_n_m;
}

static inline int body_hangs_on_stretch(const struct test_body *body, const struct body_part *from)
{
    return body->links[body->parts[from->parent].link].kind == LINK_STRETCH;
}

/* Masses, centres and inertias of the links, about their centres. */
static inline void body_weigh(struct test_body *body, const struct body_part *from)
{
    struct phenotype *p = &body->phenotype;
    for (int i = 0; i < p->part_count; i++) {
        struct body_link *link = &body->links[body->parts[i].link];
        link->mass_kg += body->parts[i].mass_kg;
        link->centre.x += body->parts[i].mass_kg * body->parts[i].local.x;
        link->centre.y += body->parts[i].mass_kg * body->parts[i].local.y;
        p->mass_kg += body->parts[i].mass_kg;
    }
    for (int i = 0; i < body->body.link_count; i++) {
        double mass_kg = body->links[i].mass_kg > 0 ? body->links[i].mass_kg : 1;
        body->links[i].centre.x /= mass_kg;
        body->links[i].centre.y /= mass_kg;
    }
    for (int i = 0; i < p->part_count; i++) {
        const struct part *part = &body->parts[i];
        struct body_link *link = &body->links[part->link];
        double x = part->local.x - link->centre.x, y = part->local.y - link->centre.y;
        double square = part->width_m * part->width_m + part->height_m * part->height_m;
        link->inertia.zz += part->mass_kg * (square / 12 + x * x + y * y);
    }
    for (int i = 0; i < p->part_count; i++)
        if (from[i].inertia_kg_m2 > 0)
            body->links[body->parts[i].link].inertia.zz = from[i].inertia_kg_m2;
}

static inline void body_init(struct test_body *body, const struct body_part *from, int count)
{
    *body = (struct test_body){.phenotype = {.part_count = count, .root_rates = PLANE_ROOT_RATES}};
    body->phenotype.parts = body->parts;
    body->body = (struct body){.links = body->links};
    body->phenotype.body = &body->body;
    for (int i = 0; i < count; i++) {
        struct part *part = &body->parts[i];
        struct vec2 centre = {from[i].x_m, from[i].y_m};
        *part = (struct part){.body = (gene_id)i + 1,
                              .parent = from[i].parent,
                              .mirror = 1,
                              .width_m = from[i].width_m,
                              .height_m = from[i].height_m,
                              .mass_kg = from[i].mass_kg,
                              .centre = {centre.x, centre.y, 0},
                              .angle_rad = from[i].angle_rad,
                              .anchor = {from[i].anchor_x_m, from[i].anchor_y_m, 0},
                              .local_angle_rad = from[i].angle_rad,
                              .cross_section_m = fmin(from[i].width_m, from[i].height_m)};
        if (i == 0)
            part->anchor = part->centre;
        else
            part->depth = body->parts[from[i].parent].depth + 1;
        if (i == 0 || !from[i].is_rigid)
            body_add_link(body, &from[i], i);
        else if (!(from[i].stretch > 0) && body_hangs_on_stretch(body, &from[i]))
            body_next_link(body, &from[i], i, LINK_RIGID);
        else
            part->link = body->parts[from[i].parent].link;
        if (from[i].stretch > 0)
            body_add_stretch(body, &from[i], i);
        struct vec3 origin = body->parts[body->links[part->link].part].anchor;
        part->local = (struct vec2){centre.x - origin.x, centre.y - origin.y};
    }
    body_weigh(body, from);
}

/* A chain along x: `count` equal links, hinged end to end; a torque above 0 gives effectors. */
static inline void body_init_driven_chain(struct test_body *body, int count, double length_m,
                                          double thickness_m, double mass_kg, double torque_n_m)
{
    struct body_part parts[BODY_PARTS_MAX] = {{0}};
    for (int i = 0; i < count; i++)
        parts[i] =
            (struct body_part){PART(i - 1, i * length_m, 0, length_m, thickness_m, mass_kg),
                               ANCHOR((i - 0.5) * length_m, 0), .torque_max_n_m = torque_n_m};
    body_init(body, parts, count);
}

static inline void body_init_chain(struct test_body *body, int count, double length_m,
                                   double thickness_m, double mass_kg)
{
    body_init_driven_chain(body, count, length_m, thickness_m, mass_kg, 0);
}

static inline void body_init_box(struct test_body *body, double width_m, double height_m,
                                 double mass_kg)
{
    struct body_part box = {
        .parent = -1, .width_m = width_m, .height_m = height_m, .mass_kg = mass_kg};
    body_init(body, &box, 1);
}

/* Hangs a body that is free on the world instead: by a linear joint along x, one along y, both
 * without mass, and a hinge. q = (0, 0, 0, x, y, angle, joints ...); it must move as before. */
static inline void body_hang_free(struct test_body *body)
{
    enum { ADDED = 3 };
    struct phenotype *p = &body->phenotype;
    for (int i = body->body.link_count - 1; i >= 0; i--) {
        body->links[i + ADDED] = body->links[i];
        body->links[i + ADDED].parent += ADDED;
    }
    for (int i = 0; i < ADDED; i++)
        body->links[i] = (struct body_link){.parent = i - 1,
                                            .part = -1,
                                            .kind = LINK_LINEAR,
                                            .frame = QUATERNION_ONE,
                                            .axis = {i == 1, i == 2, 0},
                                            .lower = {-HUGE_VAL},
                                            .upper = {HUGE_VAL},
                                            .sign = {1},
                                            .scale = 1};
    body->links[0].kind = LINK_RIGID;
    body->links[ADDED].kind = LINK_REVOLUTE;
    body->links[ADDED].lower[0] = -HUGE_VAL;
    body->links[ADDED].upper[0] = HUGE_VAL;
    for (int i = 0; i < p->part_count; i++)
        body->parts[i].link += ADDED;
    body->body.link_count += ADDED;
}

/* Two wheels on one axle: their joint feels the constant inertia 0.08 x 0.02 / 0.1 = 0.016. */
static inline void body_init_wheels(struct test_body *body, double torque_max_n_m, double lower_rad,
                                    double upper_rad)
{
    const struct body_part wheels[] = {
        {.parent = -1, .width_m = 1, .height_m = 0.2, .mass_kg = 4, .inertia_kg_m2 = 0.08},
        {PART(0, 0, 0, 0.3, 0.3, 1), .inertia_kg_m2 = 0.02, .lower_rad = lower_rad,
         .upper_rad = upper_rad, .torque_max_n_m = torque_max_n_m}};
    body_init(body, wheels, 2);
}

static inline int body_draw_mixed(struct body_part *parts, int most, double linear, struct rng *rng)
{
    int count = 1 + (int)rng_below(rng, (uint32_t)most);
    for (int i = 0; i < count; i++) {
        parts[i] = (struct body_part){
            PART(i ? (int)rng_below(rng, (uint32_t)i) : -1, 0, 0, rng_uniform(rng, 0.05, 0.8),
                 rng_uniform(rng, 0.05, 0.4), 0),
            .is_rigid = rng_chance(rng, 0.3), .angle_rad = i ? rng_uniform(rng, -3, 3) : 0};
        parts[i].mass_kg = rng_uniform(rng, 0.5, 20) * parts[i].width_m * parts[i].height_m;
        if (i == 0)
            continue;
        const struct body_part *parent = &parts[parts[i].parent];
        parts[i].anchor_x_m = parent->x_m + rng_uniform(rng, -0.5, 0.5);
        parts[i].anchor_y_m = parent->y_m + rng_uniform(rng, -0.5, 0.5);
        parts[i].x_m = parts[i].anchor_x_m + rng_uniform(rng, -0.4, 0.4);
        parts[i].y_m = parts[i].anchor_y_m + rng_uniform(rng, -0.4, 0.4);
        parts[i].is_linear = linear > 0 && rng_chance(rng, linear);
        parts[i].axis_rad = linear > 0 ? rng_uniform(rng, -3, 3) : 0;
    }
    return count;
}

/* A random tree of 1 to `most` parts, every third on average rigid, and of the joints the share
 * given linear. Limits out of reach. */
static inline void body_init_mixed(struct test_body *body, int most, double linear, struct rng *rng)
{
    struct body_part parts[BODY_PARTS_MAX] = {{0}};
    int count = body_draw_mixed(parts, most, linear, rng);
    body_init(body, parts, count);
}

/* The same, of whose parts about half stretch, at least one. */
static inline void body_init_stretching(struct test_body *body, int most, struct rng *rng)
{
    struct body_part parts[BODY_PARTS_MAX] = {{0}};
    int count = body_draw_mixed(parts, most, 0.3, rng);
    int first = (int)rng_below(rng, (uint32_t)count);
    for (int i = 0; i < count; i++)
        parts[i].stretch = i == first || rng_chance(rng, 0.5) ? BODY_FREE_RAD : 0;
    body_init(body, parts, count);
}

static inline void body_init_random(struct test_body *body, int most, struct rng *rng)
{
    body_init_mixed(body, most, 0, rng);
}

/* ---------------------------------------------------------------- the stage */

/* Ground and bodies are of one stuff. */
static inline struct world land_of(double friction, double elasticity)
{
    return (struct world){.gravity_m_s2 = BODY_GRAVITY,
                          .has_ground = 1,
                          .friction = friction,
                          .own_friction = friction,
                          .elasticity = elasticity,
                          .own_elasticity = elasticity};
}

struct stage {
    struct arena arena;
    struct test_body body;
    struct world world;
    struct dynamics_settings settings;
    struct dynamics *dynamics;
};

static inline struct dynamics_settings stage_default_settings(void)
{
    struct params params;
    params_set_defaults(&params);
    return (struct dynamics_settings){.dt_s = 1.0 / 240,
                                      .integrator = INTEGRATOR_AUTO,
                                      .servo_rad_s = params.creature_servo_rad_s,
                                      .joint_speed_rad_s = 1e9,
                                      .joint_speed_m_s = 1e9,
                                      .effector_mode = EFFECTOR_POSITION};
}

/* Empty space and default settings, in place of what a stage with static storage had. */
static inline void stage_open(struct stage *stage)
{
    arena_deinit(&stage->arena);
    *stage = (struct stage){.settings = stage_default_settings()};
    ck_assert_int_eq(arena_init(&stage->arena, 4u << 20), 0);
}

/* Makes the dynamics of the body, world and settings as they are now, at rest at birth. */
static inline void stage_build(struct stage *stage)
{
    arena_reset(&stage->arena);
    stage->dynamics =
        dynamics_create(&stage->body.phenotype, &stage->world, &stage->settings, &stage->arena);
    ck_assert_ptr_nonnull(stage->dynamics);
}

static inline void stage_set(struct stage *stage, const double *q, const double *qd)
{
    dynamics_set_state(stage->dynamics, q, qd);
    dynamics_reset_ledger(stage->dynamics);
}

static inline void stage_start(struct stage *stage, const double *q, const double *qd)
{
    stage_build(stage);
    stage_set(stage, q, qd);
}

/* Steps for a time that is a whole number of steps. */
static inline void stage_run(struct stage *stage, double seconds)
{
    int steps = (int)(seconds / stage->settings.dt_s + 0.5);
    for (int i = 0; i < steps; i++)
        ck_assert_int_eq(dynamics_step(stage->dynamics), 0);
}

static inline struct part_state stage_part(const struct stage *stage, int part)
{
    struct part_state state;
    dynamics_part_state(stage->dynamics, part, &state);
    return state;
}

static inline void stage_read_parts(const struct stage *stage, struct part_state *parts, int count)
{
    for (int i = 0; i < count; i++)
        parts[i] = stage_part(stage, i);
}

/* Parts stand where others stood. */
static inline void stage_check_parts(const struct stage *stage, const struct part_state *parts,
                                     int count, double tolerance)
{
    for (int i = 0; i < count; i++) {
        struct part_state part = stage_part(stage, i);
        ck_assert_xy(part.at_m, parts[i].at_m.x, parts[i].at_m.y, tolerance);
        ck_assert_double_eq_tol(part.angle_rad, parts[i].angle_rad, tolerance);
    }
}

/* How far coordinates end from those at a 16th of the step; `start` builds and starts the body. */
static inline double stage_step_error(struct stage *stage, void (*start)(void), double dt_s,
                                      double seconds)
{
    double end[2][BODY_DOF_MAX], error = 0;
    for (int fine = 0; fine < 2; fine++) {
        stage->settings.dt_s = fine ? dt_s / 16 : dt_s;
        start();
        stage_run(stage, seconds);
        memcpy(end[fine], stage->dynamics->q, (size_t)stage->dynamics->dof * sizeof(double));
    }
    for (int i = 0; i < stage->dynamics->dof; i++)
        error = fmax(error, fabs(end[0][i] - end[1][i]));
    return error;
}

/* By how much halving the step divides that error. */
static inline double stage_order(struct stage *stage, void (*start)(void), double dt_s,
                                 double seconds)
{
    double coarse = stage_step_error(stage, start, dt_s, seconds);
    return coarse / stage_step_error(stage, start, dt_s / 2, seconds);
}

/* Momentum in a step: its gain beyond those that the body names of contacts, medium and gravity,
 * the size of these, and the size of the momenta; rounding is a share of those. */
struct stage_gain {
    double off, given, size;
};
static inline struct stage_gain stage_step_gain(struct stage *stage)
{
    double before[3], after[3], mass = stage->body.phenotype.mass_kg;
    struct vec3 centre = dynamics_centre_of_mass(stage->dynamics);
    struct impulse_sum given;
    read_momentum(stage->dynamics, before);
    ck_assert_int_eq(dynamics_step(stage->dynamics), 0);
    read_momentum(stage->dynamics, after);
    struct vec3 velocity = {before[0] / mass, before[1] / mass, 0};
    ck_assert_int_eq(dynamics_impulses(stage->dynamics, centre, velocity, &given), 1);
    double x = after[0] - before[0], y = after[1] - before[1];
    double turn = after[2] - before[2] - (centre.x * y - centre.y * x);
    double off = fabs(x - given.linear.x) + fabs(y - given.linear.y) + fabs(turn - given.angular.z);
    return (struct stage_gain){off, given.size,
                               fabs(before[0]) + fabs(before[1]) + fabs(before[2])};
}

static inline double stage_energy(struct stage *stage)
{
    const struct ledger *ledger = dynamics_ledger(stage->dynamics);
    return ledger->kinetic_j + ledger->potential_j;
}

static inline int stage_is_all_rk4(const struct stage *stage)
{
    return stage->dynamics->steps == stage->dynamics->rk4_steps;
}

/* ---------------------------------------------------------------- small statistics */

static inline int stage_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which `share` of the sorted values lie. */
static inline double stage_quantile(double *values, int count, double share)
{
    qsort(values, (size_t)count, sizeof values[0], stage_compare);
    int at = (int)(share * (count - 1) + 0.5);
    return values[at];
}

#endif
