/* See space_run.h. */
#include "simulator/tools/scenes/space_run.h"

int space_run_start(struct space_run *m, struct space_scene *scene, struct arena *arena,
                    struct error *error)
{
    struct space_body body = {scene->links, scene->body_count, scene->boxes, scene->box_count};
    m->solver = space_solver_of(scene->settings.solver);
    m->state = m->solver->create(&body, &scene->world, &scene->settings, arena);
    if (!m->state)
        return error_set(error, ERR_MEMORY, "out of memory");
    for (int i = 0; i < scene->body_count; i++) {
        const struct space_tree_link *l = &space_run_tree(m)->links[i];
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

int space_run_fail(const struct space_run *m, int result, const struct arena *arena, double time_s,
                   struct error *error)
{
    const struct contact_point *contacts;
    if (arena->is_exhausted || result != DYNAMICS_UNSOLVED)
        return scene_fail_step(arena, time_s, error);
    return error_set(
        error, ERR_RANGE, "contacts have no solution: off by %.3g m/s at %d contacts, at %.9g s",
        m->solver->law_residual(m->state), m->solver->contacts(m->state, &contacts), time_s);
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
    return m->solver->tree(m->state);
}

double space_run_effort(const struct space_run *m, int rate)
{
    return m->solver->effort(m->state, rate);
}

double space_run_value(const struct space_run *m, int rate)
{
    return m->solver->value(m->state, rate);
}

const struct ledger *space_run_ledger(struct space_run *m)
{
    return m->solver->ledger(m->state);
}

int space_run_contacts(const struct space_run *m, const struct contact_point **contacts)
{
    return m->solver->contacts(m->state, contacts);
}

void space_run_step_counts(const struct space_run *m, uint64_t *steps, uint64_t *rk_steps)
{
    m->solver->step_counts(m->state, steps, rk_steps);
}
