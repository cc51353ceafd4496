/* C5 and C12 of fixed.h as bodies of our own dynamics, without a genome, and the gaits that move
 * them. */
#ifndef TESTS_BENCH_FIXED_DYNAMICS_H
#define TESTS_BENCH_FIXED_DYNAMICS_H

#include <math.h>

#include "common/growth/body.h"
#include "common/math/detmath.h"
#include "simulator/body/dynamics.h"
#include "tests/bench/fixed.h"

/* How often the joints get new targets. */
enum { FIXED_TICKS_HZ = 60 };

/* The defaults at 240 Hz: each joint has a position servo, bounded to FIXED_STRENGTH_N_M. */
static inline struct dynamics_settings fixed_settings(void)
{
    struct params defaults;
    params_set_defaults(&defaults);
    return (struct dynamics_settings){.dt_s = 1.0 / 240,
                                      .integrator = INTEGRATOR_AUTO,
                                      .servo_rad_s = defaults.creature_servo_rad_s,
                                      .joint_speed_rad_s = defaults.creature_joint_speed_rad_s,
                                      .joint_speed_m_s = defaults.creature_joint_speed_m_s,
                                      .effector_mode = EFFECTOR_POSITION,
                                      .constraint_tau_s = defaults.simulation_constraint_tau_s,
                                      .rtol = defaults.simulation_rtol};
}

/* One rectangle and its link; the phenotype's origin is the root's centre. */
static inline void fixed_place_part(struct phenotype *phenotype,
                                    const struct fixed_creature *creature, int i)
{
    const struct fixed_body *body = &creature->bodies[i], *root = &creature->bodies[0];
    const struct fixed_joint *joint = i > 0 ? &creature->joints[i - 1] : NULL;
    struct vec2 centre = {body->x_m - root->x_m, body->y_m - root->y_m}, anchor = centre;
    if (joint)
        anchor = (struct vec2){joint->x_m - root->x_m, joint->y_m - root->y_m};
    double mass_kg = FIXED_DENSITY_KG_M2 * body->width_m * body->height_m;
    double square_m2 = body->width_m * body->width_m + body->height_m * body->height_m;
    struct part *part = &phenotype->parts[i];
    *part = (struct part){.body = (gene_id)i + 1,
                          .parent = joint ? joint->parent : -1,
                          .depth = joint ? phenotype->parts[joint->parent].depth + 1 : 0,
                          .mirror = 1,
                          .link = i,
                          .width_m = body->width_m,
                          .height_m = body->height_m,
                          .mass_kg = mass_kg,
                          .centre = {centre.x, centre.y, 0},
                          .anchor = {anchor.x, anchor.y, 0},
                          .local = {centre.x - anchor.x, centre.y - anchor.y},
                          .cross_section_m = fmin(body->width_m, body->height_m)};
    phenotype->body->links[i] = (struct body_link){.parent = part->parent,
                                                   .part = i,
                                                   .parent_part = part->parent,
                                                   .mass_kg = mass_kg,
                                                   .centre = vec3_of_plane(part->local),
                                                   .inertia.zz = mass_kg * square_m2 / 12,
                                                   .lower = {-FIXED_LIMIT_RAD},
                                                   .upper = {FIXED_LIMIT_RAD},
                                                   .kind = i > 0 ? LINK_REVOLUTE : LINK_PLANAR,
                                                   .frame = QUATERNION_ONE,
                                                   .sign = {1},
                                                   .strength = i > 0 ? FIXED_STRENGTH_N_M : 0};
    if (joint) {
        struct vec3 origin = phenotype->parts[joint->parent].anchor;
        phenotype->body->links[i].joint =
            (struct vec3){anchor.x - origin.x, anchor.y - origin.y, 0};
    }
    phenotype->mass_kg += mass_kg;
}

/* Makes the creature, its feet 1 m above the ground. NULL: no memory. */
static inline struct dynamics *fixed_create(const struct fixed_creature *creature,
                                            const struct world *world,
                                            const struct dynamics_settings *settings,
                                            struct arena *arena)
{
    size_t count = (size_t)creature->body_count;
    struct phenotype *phenotype = arena_take(arena, 1, sizeof *phenotype);
    if (!phenotype)
        return NULL;
    phenotype->parts = arena_take(arena, count, sizeof *phenotype->parts);
    phenotype->body = arena_take(arena, 1, sizeof *phenotype->body);
    struct body_link *links = arena_take(arena, count, sizeof *links);
    if (!phenotype->parts || !phenotype->body || !links)
        return NULL;
    *phenotype->body = (struct body){.links = links, .link_count = creature->body_count};
    phenotype->part_count = creature->body_count;
    phenotype->root_rates = PLANE_ROOT_RATES;
    for (int i = 0; i < creature->body_count; i++)
        fixed_place_part(phenotype, creature, i);
    struct dynamics *dynamics = dynamics_create(phenotype, world, settings, arena);
    if (!dynamics)
        return NULL;
    double q[2 + FIXED_BODIES_MAX] = {creature->bodies[0].x_m, creature->bodies[0].y_m},
                 qd[2 + FIXED_BODIES_MAX] = {0};
    dynamics_set_state(dynamics, q, qd);
    return dynamics;
}

/* Moves it through ticks of a gait: in each, every joint gets the next stretch of a polygon along
 * its sine, and then come so many steps. 0, or -1 when the state is no longer finite. */
static inline int fixed_move(struct dynamics *dynamics, const struct fixed_creature *creature,
                             int gait, double amplitude_rad, int ticks, int steps_per_tick)
{
    double last[FIXED_BODIES_MAX];
    for (int tick = 0; tick <= ticks; tick++) {
        double t_s = (double)tick / FIXED_TICKS_HZ;
        for (int i = 1; i < creature->body_count; i++) {
            double target = amplitude_rad * det_sin(fixed_phase(creature, gait, i - 1, t_s));
            if (tick > 0)
                dynamics_set_target(dynamics, i, last[i], (target - last[i]) * FIXED_TICKS_HZ);
            last[i] = target;
        }
        for (int k = 0; tick > 0 && k < steps_per_tick; k++)
            if (dynamics_step(dynamics) != 0)
                return -1;
    }
    return 0;
}

#endif
