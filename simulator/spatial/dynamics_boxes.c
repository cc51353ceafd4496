/* See dynamics_boxes.h. */
#include "simulator/spatial/dynamics_boxes.h"

#include <math.h>

#include "common/math/hash.h"
#include "simulator/body/space/dynamics_space.h"
#include "simulator/spatial/steps/space_meeting.h"

struct boxes {
    struct dynamics_space on;
    const struct body *body;
    double *q, *still; /* scratch: coordinates; rates, all 0 */
};

static struct boxes *boxes_of(const struct dynamics *dynamics)
{
    return (struct boxes *)dynamics_space_of(dynamics);
}

struct space_state *dynamics_boxes_state(const struct dynamics *dynamics)
{
    return dynamics_space_of(dynamics)->space;
}

const struct space_tree *dynamics_boxes_tree(const struct dynamics *dynamics)
{
    struct space_state *s = dynamics_boxes_state(dynamics);
    return s->solver->tree(s);
}

/* ---------------------------------------------------------------- creation */

/* Freedoms without muscles have effectors without strength, for their damping; those of free links
 * have none. */
static void make_drives(struct boxes *s)
{
    const struct space_tree *tree = s->on.space->solver->tree(s->on.space);
    for (int i = 0; i < tree->count; i++)
        for (int k = 0; k < tree->links[i].rates && s->body->links[i].kind != LINK_FREE; k++) {
            int rate = tree->links[i].rate + k, drive = rate - s->on.phenotype->root_rates;
            space_state_set_effector(s->on.space, rate, s->on.phenotype->drives[drive].strength);
        }
    ENSURE(tree->rates == s->on.phenotype->root_rates + s->on.phenotype->drive_count,
           "%d drives of %d rates", s->on.phenotype->drive_count, tree->rates);
}

static struct dynamics *create(const struct dynamics_solver *row, const struct space_solver *solver,
                               const struct phenotype *phenotype, const struct world *world,
                               const struct dynamics_settings *settings, struct arena *arena)
{
    struct boxes *s = arena_take(arena, 1, sizeof *s);
    if (!s || space_world_create(&s->on.world, phenotype->meetings, world, arena) != 0)
        return NULL;
    s->on.base.solver = row;
    s->on.phenotype = phenotype;
    s->body = phenotype->body;
    s->on.space = solver->create(s->body, &s->on.world, settings, arena);
    if (!s->on.space)
        return NULL;
    const struct space_tree *tree = s->on.space->solver->tree(s->on.space);
    s->q = arena_take(arena, (size_t)tree->coordinates, sizeof s->q[0]);
    s->still = arena_take(arena, (size_t)tree->rates, sizeof s->still[0]);
    s->on.arena = arena;
    if (!s->q || !s->still)
        return NULL;
    make_drives(s);
    return &s->on.base;
}

static struct dynamics *boxes_create(const struct phenotype *phenotype, const struct world *world,
                                     const struct dynamics_settings *settings, struct arena *arena)
{
    return create(&dynamics_boxes, &space_solver_articulated, phenotype, world, settings, arena);
}

static struct dynamics *create_by_constraint(const struct phenotype *phenotype,
                                             const struct world *world,
                                             const struct dynamics_settings *settings,
                                             struct arena *arena)
{
    return create(&dynamics_boxes_constraint, &space_solver_constraint, phenotype, world, settings,
                  arena);
}

/* ---------------------------------------------------------------- effectors and world */

static void boxes_set_world(struct dynamics *dynamics, const struct world *world)
{
    struct boxes *s = boxes_of(dynamics);
    space_world_set(&s->on.world, world);
    s->on.space->solver->set_world(s->on.space, &s->on.world);
}

/* ---------------------------------------------------------------- several bodies */

struct meeting {
    struct space_meeting *space;
    struct space_dynamics **some; /* of the step */
};

static struct meeting *boxes_create_meeting(struct dynamics *const *all, int count,
                                            struct arena *arena)
{
    struct meeting *m = arena_take(arena, 1, sizeof *m);
    int *numbers = arena_take(arena, (size_t)count, sizeof numbers[0]);
    if (!m || !numbers || !(m->some = arena_take(arena, (size_t)count, sizeof m->some[0])))
        return NULL;
    for (int k = 0; k < count; k++) {
        m->some[k] = space_dynamics_of(boxes_of(all[k])->on.space);
        numbers[k] = all[k]->creature;
    }
    m->space = space_meeting_create(m->some, numbers, count, arena);
    return m->space ? m : NULL;
}

static void boxes_sweep(struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    space_meeting_sweep(space_dynamics_of(boxes_of(dynamics)->on.space), low, high);
}

static void boxes_step_together(struct meeting *m, struct dynamics *const *some, int count,
                                int *is_broken)
{
    for (int k = 0; k < count; k++)
        m->some[k] = space_dynamics_of(boxes_of(some[k])->on.space);
    space_meeting_step(m->space, m->some, count, is_broken);
    for (int k = 0; k < count; k++)
        some[k]->work = boxes_of(some[k])->on.space->solver->work(boxes_of(some[k])->on.space);
}

/* ---------------------------------------------------------------- state */

static int boxes_dof(const struct dynamics *dynamics)
{
    return dynamics_boxes_tree(dynamics)->rates;
}

static const double *boxes_q(const struct dynamics *dynamics)
{
    return dynamics_boxes_state(dynamics)->q;
}

static const double *boxes_qd(const struct dynamics *dynamics)
{
    return dynamics_boxes_state(dynamics)->qd;
}

static void boxes_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    const struct boxes *s = boxes_of(dynamics);
    s->on.space->solver->set_state(s->on.space, q, qd);
}

static void boxes_shift(struct dynamics *dynamics, struct vec3 by_m)
{
    struct boxes *s = boxes_of(dynamics);
    const double by[] = {by_m.x, by_m.y, by_m.z};
    for (int i = 0; i < dynamics_boxes_tree(dynamics)->coordinates; i++)
        s->q[i] = boxes_q(dynamics)[i] + (i < 3 ? by[i] : 0);
    boxes_set_state(dynamics, s->q, boxes_qd(dynamics));
}

static void boxes_stop(struct dynamics *dynamics)
{
    boxes_set_state(dynamics, boxes_q(dynamics), boxes_of(dynamics)->still);
}

/* ---------------------------------------------------------------- what others read */

/* Where a box is: its centre from its link's origin. */
static struct vec3 arm_of(const struct boxes *s, const struct space_tree_link *link, int part)
{
    return mat3_apply(&link->turned, s->body->boxes[part].centre);
}

static struct mat3 turn_of(const struct boxes *s, const struct space_tree_link *link, int part)
{
    struct mat3 own = quaternion_matrix(s->body->boxes[part].turn);
    return mat3_product(&link->turned, &own);
}

static const struct space_tree_link *link_of(const struct dynamics *dynamics, int part)
{
    return &dynamics_boxes_tree(dynamics)->links[boxes_of(dynamics)->body->boxes[part].link];
}

static void boxes_part_state(const struct dynamics *dynamics, int part, struct part_state *state)
{
    const struct space_tree_link *link = link_of(dynamics, part);
    struct vec3 arm = arm_of(boxes_of(dynamics), link, part), w = link->velocity.w;
    *state = (struct part_state){.at_m = vec3_add(link->at, arm),
                                 .velocity_m_s = vec3_add(link->velocity.v, vec3_cross(w, arm)),
                                 .spin_rad_s = w};
}

static void boxes_link_state(const struct dynamics *dynamics, int link, struct part_state *state)
{
    const struct space_tree_link *l = &dynamics_boxes_tree(dynamics)->links[link];
    *state = (struct part_state){.at_m = space_tree_centre(l),
                                 .velocity_m_s = space_tree_centre_velocity(l),
                                 .spin_rad_s = l->velocity.w};
}

static struct quaternion boxes_link_turn(const struct dynamics *dynamics, int link)
{
    return quaternion_of(&dynamics_boxes_tree(dynamics)->links[link].turned);
}

static struct quaternion boxes_part_turn(const struct dynamics *dynamics, int part)
{
    struct mat3 turn = turn_of(boxes_of(dynamics), link_of(dynamics, part), part);
    return quaternion_of(&turn);
}

static uint64_t boxes_hash_part(const struct dynamics *dynamics, int part, uint64_t hash)
{
    struct quaternion turn = boxes_part_turn(dynamics, part);
    struct part_state s;
    boxes_part_state(dynamics, part, &s);
    hash = hash_vec3(hash, s.at_m);
    hash = hash_double(hash_double(hash, turn.w), turn.x);
    hash = hash_double(hash_double(hash, turn.y), turn.z);
    return hash_vec3(hash_vec3(hash, s.velocity_m_s), s.spin_rad_s);
}

static void boxes_drive_state(const struct dynamics *dynamics, int drive, struct drive_state *state)
{
    const struct boxes *s = boxes_of(dynamics);
    int rate = s->on.phenotype->root_rates + drive;
    *state = (struct drive_state){.value = space_state_value(s->on.space, rate),
                                  .rate = s->on.space->qd[rate],
                                  .effort = s->on.space->torque[rate]};
}

static const double *boxes_drive_rates(const struct dynamics *dynamics)
{
    return boxes_qd(dynamics) + boxes_of(dynamics)->on.phenotype->root_rates;
}

static struct vec3 boxes_centre_of_mass(const struct dynamics *dynamics)
{
    return space_tree_centre_of_mass(dynamics_boxes_tree(dynamics));
}

static void boxes_momentum(const struct dynamics *dynamics, struct vec3 *linear,
                           struct vec3 *angular)
{
    space_tree_momentum(dynamics_boxes_tree(dynamics), linear, angular);
}

/* From about the world's origin to about the centre. */
static int boxes_impulses(const struct dynamics *dynamics, struct vec3 centre, struct vec3 velocity,
                          struct impulse_sum *impulses)
{
    const struct space_state *s = dynamics_boxes_state(dynamics);
    *impulses = s->given;
    impulses->angular = vec3_sub(impulses->angular, vec3_cross(centre, impulses->linear));
    return s->is_given;
}

static void place(const struct dynamics *dynamics, int part, struct solid *solid)
{
    const struct boxes *s = boxes_of(dynamics);
    const struct space_tree_link *link = link_of(dynamics, part);
    struct mat3 turn = turn_of(s, link, part);
    solids_place(solid, vec3_add(link->at, arm_of(s, link, part)), &turn,
                 vec3_scale(s->body->boxes[part].size_m, 0.5));
    solid->is_round = s->body->boxes[part].is_round;
}

static void boxes_part_bounds(const struct dynamics *dynamics, int part, struct vec3 *low,
                              struct vec3 *high)
{
    struct solid solid;
    place(dynamics, part, &solid);
    struct vec3 reach = {solids_reach(&solid, (struct vec3){1, 0, 0}),
                         solids_reach(&solid, (struct vec3){0, 1, 0}),
                         solids_reach(&solid, (struct vec3){0, 0, 1})};
    *low = vec3_sub(solid.centre, reach);
    *high = vec3_add(solid.centre, reach);
}

static void boxes_bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    boxes_part_bounds(dynamics, 0, low, high);
    for (int i = 1; i < boxes_of(dynamics)->body->box_count; i++) {
        struct vec3 l, h;
        boxes_part_bounds(dynamics, i, &l, &h);
        *low = (struct vec3){fmin(low->x, l.x), fmin(low->y, l.y), fmin(low->z, l.z)};
        *high = (struct vec3){fmax(high->x, h.x), fmax(high->y, h.y), fmax(high->z, h.z)};
    }
}

/* Whether two boxes may overlap: as contacts have it, those of one link and of two that a joint
 * joins. */
static int may_overlap(const struct boxes *s, int a, int b)
{
    int one = s->body->boxes[a].link, two = s->body->boxes[b].link;
    const unsigned char *meetings = s->on.phenotype->meetings;
    return one == two || s->body->links[one].parent == two || s->body->links[two].parent == one ||
           (meetings && meetings[a * s->body->box_count + b] == PAIR_PASS);
}

static double boxes_overlap(const struct dynamics *dynamics)
{
    const struct boxes *s = boxes_of(dynamics);
    double deepest = 0;
    for (int a = 0; a < s->body->box_count; a++)
        for (int b = a + 1; b < s->body->box_count; b++) {
            struct solid one, two;
            if (may_overlap(s, a, b))
                continue;
            place(dynamics, a, &one);
            place(dynamics, b, &two);
            deepest = fmax(deepest, -solids_separation(&one, &two));
        }
    return deepest;
}

/* The two differ in what moves the body, and in whether bodies can meet. */
#define BOXES(creation)                                                                            \
    .create = creation, .step = dynamics_space_step, .set_target = dynamics_space_set_target,      \
    .set_servo = dynamics_space_set_servo, .servo = dynamics_space_servo,                          \
    .set_effectors = dynamics_space_set_effectors, .set_world = boxes_set_world,                   \
    .set_joint_damping = dynamics_space_set_joint_damping,                                         \
    .set_push_out = dynamics_space_set_push_out, .dof = boxes_dof, .q = boxes_q, .qd = boxes_qd,   \
    .set_state = boxes_set_state, .shift = boxes_shift, .stop = boxes_stop,                        \
    .part_state = boxes_part_state, .part_turn = boxes_part_turn,                                  \
    .part_bounds = boxes_part_bounds, .link_state = boxes_link_state,                              \
    .link_turn = boxes_link_turn, .drive_state = boxes_drive_state,                                \
    .drive_rates = boxes_drive_rates, .centre_of_mass = boxes_centre_of_mass,                      \
    .momentum = boxes_momentum, .impulses = boxes_impulses, .bounds = boxes_bounds,                \
    .hash_part = boxes_hash_part, .overlap = boxes_overlap,                                        \
    .reset_ledger = dynamics_space_reset_ledger, .ledger = dynamics_space_ledger,                  \
    .contacts = dynamics_space_contacts, .penetration = dynamics_space_penetration,                \
    .law_miss = dynamics_space_law_miss, .step_counts = dynamics_space_step_counts

const struct dynamics_solver dynamics_boxes = {
    BOXES(boxes_create),
    .create_meeting = boxes_create_meeting,
    .sweep = boxes_sweep,
    .step_together = boxes_step_together,
};
const struct dynamics_solver dynamics_boxes_constraint = {BOXES(create_by_constraint)};
