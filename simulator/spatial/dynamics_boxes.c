/* Creatures of boxes, and scenes in space, by articulated bodies: creation, state, settings, and how
 * they meet. simulator/spatial/steps moves them. */

#include "simulator/links/dynamics_space.h"
#include "simulator/spatial/steps/spatial_step.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"

/* Operations of a step for each link, each pair that may touch, and each face in drag and what may
 * hide it. */
enum { LINK_WORK = 4000, PAIR_WORK = 30, FACE_WORK = 300 };

/* ---------------------------------------------------------------- creation */

static int take_memory(struct spatial_dynamics *d, struct arena *arena)
{
    double **of_coordinates[] = {&d->q0, &d->qm, &d->q_stage, &d->q_rate, &d->q_sum, &d->q_from};
    double **of_rates[] = {&d->qd0,   &d->vm,      &d->qdd,      &d->qdd_last,     &d->tau,
                           &d->extra, &d->zero,    &d->effort,   &d->effort_extra, &d->work,
                           &d->v_sum, &d->pressed, &d->expected, &d->carried,      &d->qd_from};
    for (size_t i = 0; i < sizeof of_coordinates / sizeof of_coordinates[0]; i++)
        *of_coordinates[i] = arena_take(arena, (size_t)d->coordinates, sizeof(double));
    for (size_t i = 0; i < sizeof of_rates / sizeof of_rates[0]; i++)
        *of_rates[i] = arena_take(arena, (size_t)d->rates, sizeof(double));
    d->clamped = arena_take(arena, (size_t)d->rates, sizeof d->clamped[0]);
    d->roots = arena_take(arena, (size_t)d->tree.count, sizeof d->roots[0]);
    d->momenta = arena_take(arena, (size_t)d->tree.count, sizeof d->momenta[0]);
    d->kept = arena_take(arena, (size_t)d->tree.count, sizeof d->kept[0]);
    d->dragged = arena_take(arena, (size_t)d->tree.count, sizeof d->dragged[0]);
    return arena->is_exhausted ? ERR_MEMORY : 0;
}

/* The inertia of each freedom at birth while the whole floats. */
static void weigh_freedoms(struct spatial_dynamics *d)
{
    spatial_step_set_pose(d);
    spatial_tree_factor(&d->tree, d->zero, 0);
    for (int i = 0; i < d->rates; i++) {
        d->tau[i] = 1;
        spatial_tree_respond(&d->tree, d->tau, NULL, d->qdd);
        d->base.birth_inertia[i] = 1 / d->qdd[i];
        d->tau[i] = 0;
        d->qdd[i] = 0;
    }
    for (int i = 0; i < d->rates; i++)
        d->qdd[i] = 0;
}

/* The operations of a midpoint step before its contacts are solved. */
static void count_operations(struct spatial_dynamics *d)
{
    uint64_t boxes = (uint64_t)d->drag.box_count;
    d->step_operations =
        LINK_WORK * (uint64_t)d->tree.count + PAIR_WORK * (uint64_t)d->contacts.own.pair_count;
    if (d->has_drag)
        d->step_operations += FACE_WORK * 6 * boxes * (d->drag.law.has_exposure ? boxes : 1);
}

/* Invariants after creation. */
static void check(const struct spatial_dynamics *d)
{
    ENSURE(d->coordinates == d->tree.coordinates && d->rates == d->tree.rates,
           "%d coordinates and %d rates of a tree with %d and %d", d->coordinates, d->rates,
           d->tree.coordinates, d->tree.rates);
    ENSURE(d->root_count >= 0 && d->root_count <= d->tree.count, "%d free roots of %d links",
           d->root_count, d->tree.count);
    for (int i = 0; i < d->tree.count; i++)
        ENSURE(!d->tree.links[i].joint->stretches, "link %d stretches, in space", i);
    for (int i = 0; i < d->root_count; i++) {
        ENSURE(i == 0 || d->roots[i] > d->roots[i - 1], "root %d comes after root %d", d->roots[i],
               d->roots[i - 1]);
        ENSURE(d->tree.links[d->roots[i]].parent < 0, "free link %d hangs on link %d", d->roots[i],
               d->tree.links[d->roots[i]].parent);
    }
}

static const struct spatial_tree *find_tree(struct spatial_state *s)
{
    struct spatial_dynamics *d = spatial_dynamics_of(&s->dynamics);
    spatial_step_set_pose(d);
    return &d->tree;
}

static void heed_servos(struct dynamics *dynamics)
{
    spatial_step_judge_servos(spatial_dynamics_of(dynamics));
}

struct spatial_state *spatial_dynamics_create(const struct body *body,
                                              const struct spatial_world *world,
                                              const struct dynamics_settings *settings,
                                              struct arena *arena)
{
    struct spatial_dynamics *d = arena_take(arena, 1, sizeof *d);
    if (!d || spatial_tree_create(&d->tree, body->links, body->link_count, world->gravity_m_s2,
                                  arena) != 0)
        return NULL;
    d->links = body->links;
    d->base.boxes = body->boxes;
    d->base.box_count = body->box_count;
    d->base.world = *world;
    d->coordinates = d->tree.coordinates;
    d->rates = d->tree.rates;
    d->has_drag = world->drag.coefficient > 0;
    d->surfaces = world->surfaces;
    if (spatial_state_init(&d->base, &dynamics_boxes, find_tree, &d->tree, settings, arena) != 0 ||
        take_memory(d, arena) != 0)
        return NULL;
    const struct spatial_contact_body own = {.tree = &d->tree,
                                             .limits = &d->limits,
                                             .surfaces = &d->surfaces,
                                             .rates = {d->qd0, d->vm, d->base.qd},
                                             .dynamics = &d->base.dynamics};
    if (spatial_limits_create(&d->limits, &d->tree, body->links, arena) != 0 ||
        spatial_drag_create(&d->drag, &world->drag, body->boxes, body->box_count, body->links,
                            body->link_count, arena) != 0 ||
        spatial_contacts_create(&d->contacts, &own, body->boxes, body->box_count, settings,
                                arena) != 0)
        return NULL;
    d->self = d;
    d->alone = (struct spatial_group){.all = &d->self, .count = 1, .contacts = &d->contacts};
    for (int i = 0; i < d->tree.count; i++)
        if (body->links[i].kind == LINK_FREE)
            d->roots[d->root_count++] = i;
    check(d);
    weigh_freedoms(d);
    dynamics_space_set_joint_damping(&d->base.dynamics, settings->joint_damping_1_s);
    count_operations(d);
    dynamics_reset_ledger(&d->base.dynamics);
    return &d->base;
}

static struct dynamics *create(const struct phenotype *phenotype, const struct world *world,
                               const struct dynamics_settings *settings, struct arena *arena)
{
    return dynamics_space_create(spatial_dynamics_create, phenotype, world, settings, arena);
}

/* ---------------------------------------------------------------- the state */

static void set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    struct spatial_dynamics *d = spatial_dynamics_of(dynamics);
    spatial_step_copy(d, q, qd, d->base.q, d->base.qd);
    spatial_tree_normalise(&d->tree, d->base.q);
    spatial_step_follow_signals(d, 0, d->base.q, d->base.qd);
    d->is_posed = d->known = d->is_pressing = d->has_momenta = d->has_energy = 0;
    d->are_limits_alone = 0;
    spatial_contacts_forget(&d->contacts);
    dynamics_reset_ledger(dynamics);
}

static void set_world(struct dynamics *dynamics, const struct world *to)
{
    struct spatial_dynamics *d = spatial_dynamics_of(dynamics);
    const struct spatial_world *world = &d->base.world;
    spatial_world_set(&d->base.world, to);
    d->tree.gravity = world->gravity_m_s2;
    d->surfaces = world->surfaces;
    d->has_drag = world->drag.coefficient > 0;
    spatial_drag_set_law(&d->drag, &world->drag);
    spatial_contacts_set_surfaces(&d->contacts);
    d->known = d->is_pressing = d->has_momenta = d->has_energy = d->are_limits_alone = 0;
    for (int i = 0; i < d->root_count; i++)
        d->dragged[i] = (struct impulse_sum){.size = 0};
    count_operations(d);
}

static void read_energy(struct dynamics *dynamics, double *kinetic_j, double *potential_j)
{
    struct spatial_dynamics *d = spatial_dynamics_of(dynamics);
    spatial_step_set_pose(d);
    *kinetic_j = spatial_tree_kinetic_energy(&d->tree);
    *potential_j = spatial_tree_potential_energy(&d->tree);
}

/* ---------------------------------------------------------------- steps */

/* 1 if the state is not finite, or what it needs does not fit into memory. */
static int has_failed(const struct spatial_dynamics *d)
{
    double sum = 0;
    for (int i = 0; i < d->coordinates; i++)
        sum += d->base.q[i] * 0;
    for (int i = 0; i < d->rates; i++)
        sum += d->base.qd[i] * 0;
    return sum != 0 || d->contacts.arena->is_exhausted;
}

/* Says in the state how much work there was so far. */
static void count_work(struct spatial_dynamics *d)
{
    d->base.dynamics.work = d->operations + d->contacts.cones.work;
}

static int step(struct dynamics *dynamics)
{
    struct spatial_dynamics *d = spatial_dynamics_of(dynamics);
    spatial_step_alone(d);
    count_work(d);
    int is_broken = has_failed(d);
    if (!is_broken)
        spatial_tree_check_coordinates(&d->tree, d->base.q);
    return is_broken;
}

/* ---------------------------------------------------------------- several bodies */

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
    for (int k = 0; k < count; k++)
        contacts[k] = &spatial_dynamics_of(all[k])->contacts;
    m->group = (struct spatial_group){.all = some, .contacts = &m->contacts};
    int status = spatial_contacts_create_shared(&m->contacts, contacts, count,
                                                &spatial_dynamics_of(all[0])->base.settings, arena);
    return status == 0 ? m : NULL;
}

/* With RK4 alone there are no contacts. */
static void sweep(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    struct spatial_dynamics *d = spatial_dynamics_of(dynamics);
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
    }
    spatial_step_together(g);
    for (int k = 0; k < count; k++) {
        struct spatial_dynamics *d = g->all[k];
        d->operations += m->contacts.cones.work / (uint64_t)count;
        count_work(d);
        is_broken[k] = has_failed(d);
    }
    m->contacts.cones.work = 0;
    spatial_contacts_part(&m->contacts);
}

const struct dynamics_solver dynamics_boxes = {DYNAMICS_SPACE,
                                               .servo = dynamics_space_servo,
                                               .heed_servos = heed_servos,
                                               .read = &dynamics_space_reader,
                                               .create = create,
                                               .step = step,
                                               .set_state = set_state,
                                               .set_world = set_world,
                                               .energy = read_energy,
                                               .create_meeting = create_meeting,
                                               .sweep = sweep,
                                               .step_together = step_together};
