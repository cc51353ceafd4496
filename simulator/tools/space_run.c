/* See space_run.h. A row for each solver. */
#include "simulator/tools/space_run.h"

#include <stdio.h>

struct space_run_solver {
    void *(*create)(const struct space_body *body, const struct space_world *world,
                    const struct dynamics_settings *settings, struct arena *arena);
    void (*set_servo)(void *state, int rate, const struct servo *servo);
    void (*set_state)(void *state, const double *q, const double *qd);
    int (*step)(void *state);
    const double *(*q)(const void *state);
    const double *(*qd)(const void *state);
    double (*effort)(const void *state, int rate);
    const struct ledger *(*ledger)(void *state);
    int (*contacts)(const void *state, const struct contact_point **contacts);
    double (*law_residual)(const void *state);
    void (*describe_steps)(const void *state, char *text, size_t size);
};

/* Functions of a solver with its own type of state as functions of any. */
#define SOLVER(name)                                                                               \
    static void *name##_create_any(const struct space_body *body, const struct space_world *world, \
                                   const struct dynamics_settings *settings, struct arena *arena)  \
    {                                                                                              \
        return name##_create(body, world, settings, arena);                                        \
    }                                                                                              \
    static void name##_set_servo_any(void *state, int rate, const struct servo *servo)             \
    {                                                                                              \
        name##_set_servo(state, rate, servo);                                                      \
    }                                                                                              \
    static void name##_set_state_any(void *state, const double *q, const double *qd)               \
    {                                                                                              \
        name##_set_state(state, q, qd);                                                            \
    }                                                                                              \
    static int name##_step_any(void *state)                                                        \
    {                                                                                              \
        return name##_step(state);                                                                 \
    }                                                                                              \
    static const double *name##_q_any(const void *state)                                           \
    {                                                                                              \
        return name##_q(state);                                                                    \
    }                                                                                              \
    static const double *name##_qd_any(const void *state)                                          \
    {                                                                                              \
        return name##_qd(state);                                                                   \
    }                                                                                              \
    static double name##_effort_any(const void *state, int rate)                                   \
    {                                                                                              \
        return name##_effort(state, rate);                                                         \
    }                                                                                              \
    static const struct ledger *name##_ledger_any(void *state)                                     \
    {                                                                                              \
        return name##_ledger(state);                                                               \
    }                                                                                              \
    static int name##_contacts_any(const void *state, const struct contact_point **contacts)       \
    {                                                                                              \
        return name##_contacts(state, contacts);                                                   \
    }                                                                                              \
    static double name##_law_residual_any(const void *state)                                       \
    {                                                                                              \
        return name##_law_residual(state);                                                         \
    }                                                                                              \
    static const struct space_run_solver name##_solver = {                                         \
        name##_create_any,   name##_set_servo_any,    name##_set_state_any, name##_step_any,       \
        name##_q_any,        name##_qd_any,           name##_effort_any,    name##_ledger_any,     \
        name##_contacts_any, name##_law_residual_any, name##_describe_steps};

static void space_dynamics_describe_steps(const void *state, char *text, size_t size)
{
    uint64_t steps, rk4_steps;
    space_dynamics_step_counts(state, &steps, &rk4_steps);
    snprintf(text, size, "%llu of them by RK4", (unsigned long long)rk4_steps);
}

static void space_constraint_describe_steps(const void *state, char *text, size_t size)
{
    uint64_t events, impulse_steps;
    space_constraint_event_counts(state, &events, &impulse_steps);
    snprintf(text, size, "taken in %llu, with %llu events, and %llu by impulses",
             (unsigned long long)space_constraint_step_count(state), (unsigned long long)events,
             (unsigned long long)impulse_steps);
}

SOLVER(space_dynamics)
SOLVER(space_constraint)

static const struct space_run_solver *const solvers[] = {
    [SOLVER_ARTICULATED] = &space_dynamics_solver, [SOLVER_CONSTRAINT] = &space_constraint_solver};

int space_run_start(struct space_run *m, struct space_scene *scene, struct arena *arena,
                    struct error *error)
{
    struct space_body body = {scene->links, scene->body_count, scene->boxes, scene->box_count};
    m->solver = solvers[scene->settings.solver];
    m->state = m->solver->create(&body, &scene->world, &scene->settings, arena);
    if (!m->state || space_tree_create(&m->tree, scene->links, scene->body_count,
                                       scene->world.gravity_m_s2, arena) != 0)
        return error_set(error, ERR_MEMORY, "out of memory");
    for (int i = 0; i < scene->body_count; i++) {
        const struct space_tree_link *l = &m->tree.links[i];
        for (int k = 0; k < l->rates && scene->links[i].kind != SPACE_FREE; k++)
            m->solver->set_servo(m->state, l->rate + k, &scene->freedoms[l->rate + k].drive);
    }
    m->solver->set_state(m->state, scene->q, scene->qd);
    return 0;
}

int space_run_step(struct space_run *m)
{
    return m->solver->step(m->state);
}

const double *space_run_q(const struct space_run *m)
{
    return m->solver->q(m->state);
}

const double *space_run_qd(const struct space_run *m)
{
    return m->solver->qd(m->state);
}

const struct space_tree *space_run_tree(struct space_run *m)
{
    space_tree_set_pose(&m->tree, space_run_q(m));
    space_tree_set_velocity(&m->tree, space_run_qd(m));
    return &m->tree;
}

double space_run_effort(const struct space_run *m, int rate)
{
    return m->solver->effort(m->state, rate);
}

double space_run_value(const struct space_run *m, int rate)
{
    const struct space_tree_link *l = m->tree.links;
    while (rate >= l->rate + l->rates)
        l++;
    int plain = l->slides + l->joint->turns, k = rate - l->rate;
    const double *q = space_run_q(m) + l->coordinate;
    if (k < plain)
        return q[k];
    struct vec3 turn =
        quaternion_log((struct quaternion){q[plain], q[plain + 1], q[plain + 2], q[plain + 3]});
    return k == plain ? turn.x : k == plain + 1 ? turn.y : turn.z;
}

const struct ledger *space_run_ledger(struct space_run *m)
{
    return m->solver->ledger(m->state);
}

int space_run_contacts(const struct space_run *m, const struct contact_point **contacts)
{
    return m->solver->contacts(m->state, contacts);
}

double space_run_law_residual(const struct space_run *m)
{
    return m->solver->law_residual(m->state);
}

void space_run_describe_steps(const struct space_run *m, char *text, size_t size)
{
    m->solver->describe_steps(m->state, text, size);
}
