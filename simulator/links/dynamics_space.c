/* See dynamics_space.h. */
#include "simulator/links/dynamics_space.h"

#include "common/growth/box_half.h"
#include "common/math/hash.h"

struct spatial_state *spatial_state_of(const struct dynamics *dynamics)
{
    ENSURE(dynamics->solver->set_servo == dynamics_space_set_servo, "dynamics of another solver");
    return (struct spatial_state *)dynamics;
}

static const struct spatial_tree *tree_of(const struct dynamics *dynamics)
{
    return spatial_state_tree(spatial_state_of(dynamics));
}

/* ---------------------------------------------------------------- effectors and world */

static int rate_of(const struct spatial_state *s, int drive)
{
    int rate = s->phenotype->root_rates + drive;
    int at = s->rate_of ? s->rate_of[rate] : rate;
    ENSURE(drive >= 0 && at < s->form->rates, "drive %d has rate %d of %d", drive, at,
           s->form->rates);
    return at;
}

void dynamics_space_set_target(struct dynamics *dynamics, int drive, double target, double rate)
{
    struct spatial_state *s = spatial_state_of(dynamics);
    int at = rate_of(s, drive);
    if (at < 0)
        return;
    s->servos[at].target = target;
    s->servos[at].rate = rate;
}

void dynamics_space_set_servo(struct dynamics *dynamics, int drive, const struct servo *servo)
{
    struct spatial_state *s = spatial_state_of(dynamics);
    spatial_state_set_servo(s, rate_of(s, drive), servo);
}

const struct servo *dynamics_space_servo(const struct dynamics *dynamics, int drive)
{
    const struct spatial_state *s = spatial_state_of(dynamics);
    return &s->servos[rate_of(s, drive)];
}

void dynamics_space_set_joint_damping(struct dynamics *dynamics, double rate_1_s)
{
    struct spatial_state *s = spatial_state_of(dynamics);
    for (int i = 0; i < s->form->rates; i++) {
        const struct spatial_tree_link *l = &s->form->links[s->link_of[i]];
        /* nothing holds a root, but its stretch is held as any other */
        int is_free = l->joint->is_root && i - l->rate < l->rates - l->joint->stretches;
        s->servos[i].damping = is_free ? 0 : rate_1_s * 2 * s->birth_inertia[i];
    }
    dynamics_heed_servos(dynamics);
}

/* Freedoms without muscles have effectors without strength, for their damping; those of free links
 * have none. */
static void adopt(struct spatial_state *s, const struct phenotype *phenotype)
{
    ENSURE(s->form->rates == phenotype->root_rates + phenotype->drive_count,
           "%d drives of %d rates", phenotype->drive_count, s->form->rates);
    s->phenotype = phenotype;
    s->dynamics.drive_rates = s->qd + phenotype->root_rates;
    for (int i = 0; i < s->form->count; i++) {
        const struct spatial_tree_link *link = &s->form->links[i];
        for (int k = 0; k < link->rates && !link->joint->is_root; k++) {
            int rate = link->rate + k, drive = rate - phenotype->root_rates;
            spatial_state_set_effector(s, rate, phenotype->drives[drive].strength);
        }
    }
}

struct dynamics *dynamics_space_create(spatial_state_creator *create,
                                       const struct phenotype *phenotype, const struct world *world,
                                       const struct dynamics_settings *settings,
                                       struct arena *arena)
{
    struct spatial_world *around = arena_take(arena, 1, sizeof *around);
    if (!around || spatial_world_create(around, phenotype->meetings, world, arena) != 0)
        return NULL;
    struct spatial_state *s = create(phenotype->body, around, settings, arena);
    if (!s)
        return NULL;
    adopt(s, phenotype);
    return &s->dynamics;
}

/* ---------------------------------------------------------------- what others read */

/* Where a box is: its centre from its link's origin. */
static struct vec3 arm_of(const struct spatial_state *s, const struct spatial_tree_link *link,
                          int part)
{
    return mat3_apply(&link->turned, s->boxes[part].centre);
}

static struct mat3 turn_of(const struct spatial_state *s, const struct spatial_tree_link *link,
                           int part)
{
    struct mat3 own = quaternion_matrix(s->boxes[part].turn);
    return mat3_product(&link->turned, &own);
}

static const struct spatial_tree_link *link_of(const struct dynamics *dynamics, int part)
{
    return &tree_of(dynamics)->links[spatial_state_of(dynamics)->boxes[part].link];
}

static void part_state(const struct dynamics *dynamics, int part, struct part_state *state)
{
    const struct spatial_tree_link *link = link_of(dynamics, part);
    struct vec3 arm = arm_of(spatial_state_of(dynamics), link, part), w = link->velocity.w;
    *state = (struct part_state){.at_m = vec3_add(link->at, arm),
                                 .velocity_m_s = vec3_add(link->velocity.v, vec3_cross(w, arm)),
                                 .spin_rad_s = w};
}

static void link_state(const struct dynamics *dynamics, int link, struct part_state *state)
{
    const struct spatial_tree_link *l = &tree_of(dynamics)->links[link];
    *state = (struct part_state){.at_m = spatial_tree_centre(l),
                                 .velocity_m_s = spatial_tree_centre_velocity(l),
                                 .spin_rad_s = l->velocity.w};
}

static struct quaternion link_turn(const struct dynamics *dynamics, int link)
{
    return quaternion_of(&tree_of(dynamics)->links[link].turned);
}

static struct quaternion part_turn(const struct dynamics *dynamics, int part)
{
    struct mat3 turn = turn_of(spatial_state_of(dynamics), link_of(dynamics, part), part);
    return quaternion_of(&turn);
}

static uint64_t hash_part(const struct dynamics *dynamics, int part, uint64_t hash)
{
    struct quaternion turn = part_turn(dynamics, part);
    struct part_state s;
    part_state(dynamics, part, &s);
    hash = hash_vec3(hash, s.at_m);
    hash = hash_double(hash_double(hash, turn.w), turn.x);
    hash = hash_double(hash_double(hash, turn.y), turn.z);
    return hash_vec3(hash_vec3(hash, s.velocity_m_s), s.spin_rad_s);
}

static void drive_state(const struct dynamics *dynamics, int drive, struct drive_state *state)
{
    const struct spatial_state *s = spatial_state_of(dynamics);
    int rate = s->phenotype->root_rates + drive;
    *state = (struct drive_state){
        .value = spatial_state_value(s, rate), .rate = s->qd[rate], .effort = s->torque[rate]};
}

static struct vec3 centre_of_mass(const struct dynamics *dynamics)
{
    return spatial_tree_centre_of_mass(tree_of(dynamics));
}

static void momentum(const struct dynamics *dynamics, struct vec3 *linear, struct vec3 *angular)
{
    spatial_tree_momentum(tree_of(dynamics), linear, angular);
}

/* From about the world's origin to about the centre. */
static int impulses(const struct dynamics *dynamics, struct vec3 centre, struct vec3 velocity,
                    struct impulse_sum *impulses)
{
    const struct spatial_state *s = spatial_state_of(dynamics);
    *impulses = s->given;
    impulses->angular = vec3_sub(impulses->angular, vec3_cross(centre, impulses->linear));
    return s->is_given;
}

static void place(const struct dynamics *dynamics, int part, struct solid *solid)
{
    const struct spatial_state *s = spatial_state_of(dynamics);
    const struct spatial_tree_link *link = link_of(dynamics, part);
    struct mat3 turn = turn_of(s, link, part);
    solids_place(solid, vec3_add(link->at, arm_of(s, link, part)), &turn,
                 vec3_scale(s->boxes[part].size_m, 0.5));
    solid->is_round = s->boxes[part].is_round;
}

static void widen_bounds(const struct dynamics *dynamics, int part, struct vec3 *low,
                         struct vec3 *high)
{
    struct solid solid;
    place(dynamics, part, &solid);
    struct vec3 reach = {solids_reach(&solid, (struct vec3){1, 0, 0}),
                         solids_reach(&solid, (struct vec3){0, 1, 0}),
                         solids_reach(&solid, (struct vec3){0, 0, 1})};
    vec3_widen_bounds(low, high, solid.centre, reach);
}

static void part_bounds(const struct dynamics *dynamics, int part, struct vec3 *low,
                        struct vec3 *high)
{
    vec3_no_bounds(low, high);
    widen_bounds(dynamics, part, low, high);
}

static void bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    vec3_no_bounds(low, high);
    for (int i = 0; i < spatial_state_of(dynamics)->box_count; i++)
        widen_bounds(dynamics, i, low, high);
}

/* As contacts have it: usually boxes of one link and of two that a joint joins pass through one
 * another. */
static double overlap(const struct dynamics *dynamics)
{
    const struct spatial_state *s = spatial_state_of(dynamics);
    const struct spatial_tree_link *links = s->form->links;
    double deepest = 0;
    for (int a = 0; a < s->box_count; a++)
        for (int b = a + 1; b < s->box_count; b++) {
            int link_a = s->boxes[a].link, link_b = s->boxes[b].link;
            int are_joined = links[link_a].parent == link_b || links[link_b].parent == link_a;
            unsigned char meeting = pair_meeting(s->phenotype->meetings, s->box_count, a, b);
            struct solid one, two;
            if (link_a == link_b || meeting == PAIR_PASS || (meeting == PAIR_USUAL && are_joined))
                continue;
            place(dynamics, a, &one);
            place(dynamics, b, &two);
            box_half_cut(meeting, &one, &two);
            deepest = det_max(deepest, -solids_separation(&one, &two));
        }
    return deepest;
}

const struct dynamics_reader dynamics_space_reader = {
    .part_state = part_state,
    .part_turn = part_turn,
    .part_bounds = part_bounds,
    .link_turn = link_turn,
    .link_state = link_state,
    .drive_state = drive_state,
    .centre_of_mass = centre_of_mass,
    .momentum = momentum,
    .impulses = impulses,
    .bounds = bounds,
    .hash_part = hash_part,
    .overlap = overlap,
};
