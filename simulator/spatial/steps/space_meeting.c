/* See space_meeting.h. Sizes: groups of two or three, of some hundred at most. */
#include "simulator/spatial/steps/space_meeting.h"

#include <math.h>

#include "common/error.h"
#include "simulator/spatial/steps/space_step.h"

struct space_meeting {
    struct space_contacts contacts;
    struct space_group group; /* of the step that is taken */
};

struct space_meeting *space_meeting_create(struct space_dynamics *const *all, const int *numbers,
                                           int count, struct arena *arena)
{
    ENSURE(count > 0, "a meeting of %d bodies", count);
    size_t room = (size_t)count;
    struct space_meeting *m = arena_take(arena, 1, sizeof *m);
    struct space_contacts **contacts = arena_take(arena, room, sizeof contacts[0]);
    struct space_dynamics **some = arena_take(arena, room, sizeof some[0]);
    if (!m || !contacts || !some)
        return NULL;
    for (int k = 0; k < count; k++) {
        contacts[k] = &all[k]->contacts;
        contacts[k]->own.creature = numbers[k];
    }
    if (space_contacts_create_shared(&m->contacts, contacts, count, &all[0]->base.settings,
                                     arena) != 0)
        return NULL;
    m->group = (struct space_group){.all = some, .contacts = &m->contacts};
    return m;
}

/* With RK4 alone there are no contacts. */
void space_meeting_sweep(struct space_dynamics *d, struct vec3 *low, struct vec3 *high)
{
    *low = (struct vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    *high = vec3_scale(*low, -1);
    if (d->base.settings.integrator == INTEGRATOR_RK4)
        return;
    space_step_set_pose(d);
    space_contacts_sweep(&d->contacts, low, high);
}

void space_meeting_step(struct space_meeting *m, struct space_dynamics *const *some, int count,
                        int *is_broken)
{
    struct space_group *g = &m->group;
    g->count = count;
    for (int k = 0; k < count; k++) {
        ENSURE(some[k]->base.settings.dt_s == some[0]->base.settings.dt_s,
               "body %d of a step together has steps of %g s, the first one of %g s", k,
               some[k]->base.settings.dt_s, some[0]->base.settings.dt_s);
        g->all[k] = some[k];
        space_contacts_gather(&m->contacts, &some[k]->contacts);
        space_step_begin(some[k]);
    }
    space_step_advance(g);
    for (int k = 0; k < count; k++) {
        some[k]->operations += m->contacts.cones.work / (uint64_t)count;
        space_step_count_work(some[k]);
        is_broken[k] = space_step_has_failed(some[k]);
    }
    m->contacts.cones.work = 0;
    space_contacts_part(&m->contacts);
}
