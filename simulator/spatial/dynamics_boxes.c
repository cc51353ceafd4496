/* Creatures of boxes, and scenes in space, by articulated bodies: creation, and how they meet. */
#include "simulator/links/dynamics_space.h"
#include "simulator/spatial/steps/space_meeting.h"

static struct dynamics *create(const struct phenotype *phenotype, const struct world *world,
                               const struct dynamics_settings *settings, struct arena *arena)
{
    struct space_world surroundings;
    if (space_world_create(&surroundings, phenotype->meetings, world, arena) != 0)
        return NULL;
    struct space_state *s = space_dynamics_create(phenotype->body, &surroundings, settings, arena);
    if (!s)
        return NULL;
    dynamics_space_adopt(s, phenotype);
    return &s->dynamics;
}

struct meeting {
    struct space_meeting *space;
    struct space_dynamics **some; /* of the step */
};

static struct meeting *create_meeting(struct dynamics *const *all, int count, struct arena *arena)
{
    struct meeting *m = arena_take(arena, 1, sizeof *m);
    int *numbers = arena_take(arena, (size_t)count, sizeof numbers[0]);
    if (!m || !numbers || !(m->some = arena_take(arena, (size_t)count, sizeof m->some[0])))
        return NULL;
    for (int k = 0; k < count; k++) {
        m->some[k] = space_dynamics_of(all[k]);
        numbers[k] = all[k]->creature;
    }
    m->space = space_meeting_create(m->some, numbers, count, arena);
    return m->space ? m : NULL;
}

static void sweep(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    space_meeting_sweep(space_dynamics_of(dynamics), low, high);
}

static void step_together(struct meeting *m, struct dynamics *const *some, int count,
                          int *is_broken)
{
    for (int k = 0; k < count; k++)
        m->some[k] = space_dynamics_of(some[k]);
    space_meeting_step(m->space, m->some, count, is_broken);
}

const struct dynamics_solver dynamics_boxes = {DYNAMICS_SPACE,
                                               .servo = dynamics_space_servo,
                                               .read = &dynamics_space_reader,
                                               .create = create,
                                               .step = space_dynamics_step,
                                               .set_state = space_dynamics_set_state,
                                               .set_world = space_dynamics_set_world,
                                               .set_push_out = space_dynamics_set_push_out,
                                               .energy = space_dynamics_energy,
                                               .create_meeting = create_meeting,
                                               .sweep = sweep,
                                               .step_together = step_together};
