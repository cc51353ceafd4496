/* Creatures of boxes, and scenes in space, by articulated bodies: creation, and how they meet. */
#include <math.h>

#include "simulator/links/dynamics_space.h"
#include "simulator/spatial/steps/spatial_step.h"

static struct dynamics *create(const struct phenotype *phenotype, const struct world *world,
                               const struct dynamics_settings *settings, struct arena *arena)
{
    struct spatial_world surroundings;
    if (spatial_world_create(&surroundings, phenotype->meetings, world, arena) != 0)
        return NULL;
    struct spatial_state *s =
        spatial_dynamics_create(phenotype->body, &surroundings, settings, arena);
    if (!s)
        return NULL;
    dynamics_space_adopt(s, phenotype);
    return &s->dynamics;
}

struct meeting {
    struct spatial_contacts contacts;
    struct spatial_group group; /* of the step that is taken */
};

static struct meeting *create_meeting(struct dynamics *const *all, int count, struct arena *arena)
{
    ENSURE(count > 0, "a meeting of %d bodies", count);
    size_t room = (size_t)count;
    struct meeting *m = arena_take(arena, 1, sizeof *m);
    struct spatial_contacts **contacts = arena_take(arena, room, sizeof contacts[0]);
    struct spatial_dynamics **some = arena_take(arena, room, sizeof some[0]);
    if (!m || !contacts || !some)
        return NULL;
    for (int k = 0; k < count; k++) {
        contacts[k] = &spatial_dynamics_of(all[k])->contacts;
        contacts[k]->own.creature = all[k]->creature;
    }
    m->group = (struct spatial_group){.all = some, .contacts = &m->contacts};
    int status = spatial_contacts_create_shared(&m->contacts, contacts, count,
                                                &spatial_dynamics_of(all[0])->base.settings, arena);
    return status == 0 ? m : NULL;
}

/* With RK4 alone there are no contacts: low is above high. */
static void sweep(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    struct spatial_dynamics *d = spatial_dynamics_of(dynamics);
    *low = (struct vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    *high = vec3_scale(*low, -1);
    if (d->base.settings.integrator == INTEGRATOR_RK4)
        return;
    spatial_step_set_pose(d);
    spatial_contacts_sweep(&d->contacts, low, high);
}

/* By the midpoint rule, split for all where it has to be for one. */
static void step_together(struct meeting *m, struct dynamics *const *some, int count,
                          int *is_broken)
{
    struct spatial_group *g = &m->group;
    g->count = count;
    for (int k = 0; k < count; k++) {
        struct spatial_dynamics *d = g->all[k] = spatial_dynamics_of(some[k]);
        ENSURE(d->base.settings.dt_s == g->all[0]->base.settings.dt_s,
               "body %d of a step together has steps of %g s, the first one of %g s", k,
               d->base.settings.dt_s, g->all[0]->base.settings.dt_s);
        spatial_contacts_gather(&m->contacts, &d->contacts);
        spatial_step_begin(d);
    }
    spatial_step_advance(g);
    for (int k = 0; k < count; k++) {
        struct spatial_dynamics *d = g->all[k];
        d->operations += m->contacts.cones.work / (uint64_t)count;
        spatial_step_count_work(d);
        is_broken[k] = spatial_step_has_failed(d);
    }
    m->contacts.cones.work = 0;
    spatial_contacts_part(&m->contacts);
}

const struct dynamics_solver dynamics_boxes = {DYNAMICS_SPACE,
                                               .servo = dynamics_space_servo,
                                               .read = &dynamics_space_reader,
                                               .create = create,
                                               .step = spatial_dynamics_step,
                                               .set_state = spatial_dynamics_set_state,
                                               .set_world = spatial_dynamics_set_world,
                                               .set_push_out = spatial_dynamics_set_push_out,
                                               .energy = spatial_dynamics_energy,
                                               .create_meeting = create_meeting,
                                               .sweep = sweep,
                                               .step_together = step_together};
