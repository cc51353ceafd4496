/* What solvers of bodies in space offer, as a row of functions: what a creature of boxes, a scene
 * and a test ask for is the same, whichever moves them. The functions do what space_dynamics.h says
 * of their namesakes. */
#ifndef SIMULATOR_BOXES_SPACE_SOLVER_H
#define SIMULATOR_BOXES_SPACE_SOLVER_H

#include "simulator/boxes/steps/space_dynamics.h"

struct space_solver {
    void *(*create)(const struct space_body *body, const struct space_world *world,
                    const struct dynamics_settings *settings, struct arena *arena);
    int (*step)(void *state);
    void (*set_servo)(void *state, int rate, const struct servo *servo);
    void (*set_effector)(void *state, int rate, double strength);
    void (*set_target)(void *state, int rate, double target, double change);
    void (*set_effectors)(void *state, enum effector_state effectors);
    void (*set_state)(void *state, const double *q, const double *qd);
    void (*set_world)(void *state, const struct space_world *world);
    void (*set_joint_damping)(void *state, double rate_1_s);
    void (*set_push_out)(void *state, double speed_m_s);
    const double *(*q)(const void *state);
    const double *(*qd)(const void *state);
    const struct space_tree *(*tree)(void *state);
    double (*effort)(const void *state, int rate);
    double (*value)(const void *state, int rate);
    void (*reset_ledger)(void *state);
    const struct ledger *(*ledger)(void *state);
    int (*contacts)(const void *state, const struct contact_point **contacts);
    int (*impulses)(const void *state, struct impulse_sum *impulses);
    double (*penetration)(const void *state);
    double (*law_residual)(const void *state);
    void (*step_counts)(const void *state, uint64_t *steps, uint64_t *rk_steps);
    uint64_t (*work)(const void *state);
};

/* Articulated bodies (space_dynamics.h), and the reference
 * (simulator/reference/space/space_constraint.h). By SOLVER_*. */
extern const struct space_solver space_solver_articulated, space_solver_constraint;
static inline const struct space_solver *space_solver_of(int solver)
{
    return solver == SOLVER_CONSTRAINT ? &space_solver_constraint : &space_solver_articulated;
}

/* Defines the row `row` from the functions of a module whose names begin with `of`, and whose state
 * has a type of its own. */
#define SPACE_SOLVER(row, of)                                                                      \
    static void *of##_any_create(const struct space_body *body, const struct space_world *world,   \
                                 const struct dynamics_settings *settings, struct arena *arena)    \
    {                                                                                              \
        return of##_create(body, world, settings, arena);                                          \
    }                                                                                              \
    static int of##_any_step(void *state)                                                          \
    {                                                                                              \
        return of##_step(state);                                                                   \
    }                                                                                              \
    static void of##_any_set_servo(void *state, int rate, const struct servo *servo)               \
    {                                                                                              \
        of##_set_servo(state, rate, servo);                                                        \
    }                                                                                              \
    static void of##_any_set_effector(void *state, int rate, double strength)                      \
    {                                                                                              \
        of##_set_effector(state, rate, strength);                                                  \
    }                                                                                              \
    static void of##_any_set_target(void *state, int rate, double target, double change)           \
    {                                                                                              \
        of##_set_target(state, rate, target, change);                                              \
    }                                                                                              \
    static void of##_any_set_effectors(void *state, enum effector_state effectors)                 \
    {                                                                                              \
        of##_set_effectors(state, effectors);                                                      \
    }                                                                                              \
    static void of##_any_set_state(void *state, const double *q, const double *qd)                 \
    {                                                                                              \
        of##_set_state(state, q, qd);                                                              \
    }                                                                                              \
    static void of##_any_set_world(void *state, const struct space_world *world)                   \
    {                                                                                              \
        of##_set_world(state, world);                                                              \
    }                                                                                              \
    static void of##_any_set_joint_damping(void *state, double rate_1_s)                           \
    {                                                                                              \
        of##_set_joint_damping(state, rate_1_s);                                                   \
    }                                                                                              \
    static void of##_any_set_push_out(void *state, double speed_m_s)                               \
    {                                                                                              \
        of##_set_push_out(state, speed_m_s);                                                       \
    }                                                                                              \
    static const double *of##_any_q(const void *state)                                             \
    {                                                                                              \
        return of##_q(state);                                                                      \
    }                                                                                              \
    static const double *of##_any_qd(const void *state)                                            \
    {                                                                                              \
        return of##_qd(state);                                                                     \
    }                                                                                              \
    static const struct space_tree *of##_any_tree(void *state)                                     \
    {                                                                                              \
        return of##_tree(state);                                                                   \
    }                                                                                              \
    static double of##_any_effort(const void *state, int rate)                                     \
    {                                                                                              \
        return of##_effort(state, rate);                                                           \
    }                                                                                              \
    static double of##_any_value(const void *state, int rate)                                      \
    {                                                                                              \
        return of##_value(state, rate);                                                            \
    }                                                                                              \
    static void of##_any_reset_ledger(void *state)                                                 \
    {                                                                                              \
        of##_reset_ledger(state);                                                                  \
    }                                                                                              \
    static const struct ledger *of##_any_ledger(void *state)                                       \
    {                                                                                              \
        return of##_ledger(state);                                                                 \
    }                                                                                              \
    static int of##_any_contacts(const void *state, const struct contact_point **contacts)         \
    {                                                                                              \
        return of##_contacts(state, contacts);                                                     \
    }                                                                                              \
    static int of##_any_impulses(const void *state, struct impulse_sum *impulses)                  \
    {                                                                                              \
        return of##_impulses(state, impulses);                                                     \
    }                                                                                              \
    static double of##_any_penetration(const void *state)                                          \
    {                                                                                              \
        return of##_penetration(state);                                                            \
    }                                                                                              \
    static double of##_any_law_residual(const void *state)                                         \
    {                                                                                              \
        return of##_law_residual(state);                                                           \
    }                                                                                              \
    static void of##_any_step_counts(const void *state, uint64_t *steps, uint64_t *rk_steps)       \
    {                                                                                              \
        of##_step_counts(state, steps, rk_steps);                                                  \
    }                                                                                              \
    static uint64_t of##_any_work(const void *state)                                               \
    {                                                                                              \
        return of##_work(state);                                                                   \
    }                                                                                              \
    const struct space_solver row = {                                                              \
        .create = of##_any_create,                                                                 \
        .step = of##_any_step,                                                                     \
        .set_servo = of##_any_set_servo,                                                           \
        .set_effector = of##_any_set_effector,                                                     \
        .set_target = of##_any_set_target,                                                         \
        .set_effectors = of##_any_set_effectors,                                                   \
        .set_state = of##_any_set_state,                                                           \
        .set_world = of##_any_set_world,                                                           \
        .set_joint_damping = of##_any_set_joint_damping,                                           \
        .set_push_out = of##_any_set_push_out,                                                     \
        .q = of##_any_q,                                                                           \
        .qd = of##_any_qd,                                                                         \
        .tree = of##_any_tree,                                                                     \
        .effort = of##_any_effort,                                                                 \
        .value = of##_any_value,                                                                   \
        .reset_ledger = of##_any_reset_ledger,                                                     \
        .ledger = of##_any_ledger,                                                                 \
        .contacts = of##_any_contacts,                                                             \
        .impulses = of##_any_impulses,                                                             \
        .penetration = of##_any_penetration,                                                       \
        .law_residual = of##_any_law_residual,                                                     \
        .step_counts = of##_any_step_counts,                                                       \
        .work = of##_any_work,                                                                     \
    }

#endif
