/* Bodies in the plane, moved by the reference in space: the links of a phenotype as links that turn
 * about z, its parts as boxes of depth 1 m, on a root whose joint is `planar`. A link without mass
 * is the joint of what stretches on it, and with that one link in space, or a slide of the free
 * body that hangs on it; fixed bodies belong to the world, whose frame is then that of link 0. */
#include <math.h>

#include "common/growth/body.h"
#include "common/math/detmath.h"
#include "common/math/hash.h"
#include "simulator/body/present_shape.h"
#include "simulator/links/dynamics_space.h"
#include "simulator/reference/spatial_system.h"

/* Coordinates of a body that nothing holds: where it is, and its angle. */
enum { FREE_X, FREE_Y, FREE_ANGLE, FREE_RATES };
enum { NOWHERE = -1 };

struct flat {
    struct spatial_constraint c;
    const struct body *plane;
    struct body body;
    struct body_link *links;
    struct body_box *boxes;
    unsigned char *shapes, *meetings;
    struct solid *fixed;
    int fixed_room;
    int *link_of;           /* per link of the phenotype: that in space, or NOWHERE */
    int *whole_of;          /* ... the link that has its mass */
    double *turned;         /* per link of the phenotype: its frame in space against its own, rad */
    int *rate_of;           /* per coordinate: that in space, or NOWHERE */
    double *q, *qd, *still; /* of the phenotype; still: zeros */
    double *space_q, *space_qd; /* scratch */
};

static struct flat *flat_of(const struct dynamics *dynamics)
{
    return dynamics_of(dynamics, &dynamics_constraint);
}

static int flat_dof(const struct flat *f)
{
    return PLANE_ROOT_RATES + f->plane->link_count;
}

static struct quaternion about_z(double angle)
{
    return quaternion_about((struct vec3){0, 0, 1}, angle);
}

/* A place of the link's frame in its frame in space. */
static struct vec3 in_space(const struct flat *f, int link, struct vec2 at)
{
    return vec3_of_plane(vec2_turned(-f->turned[link], at));
}

/* ---------------------------------------------------------------- creation */

static int is_fixed(const struct phenotype *p, int link)
{
    return link == 0 && body_is_fixed(p->body);
}

/* The link whose joint a link with mass has: itself, or if it stretches the one before. */
static int joint_of(const struct phenotype *p, int link)
{
    const struct body_link *l = &p->body->links[link];
    int is_moved = l->kind == LINK_STRETCH && !(p->body->links[l->parent].mass_kg > 0);
    return is_moved ? l->parent : link;
}

/* 1 if nothing holds the link: the root, or what hangs on the world by links without mass. */
static int is_free(const struct phenotype *p, int link)
{
    int parent = p->body->links[joint_of(p, link)].parent;
    return parent < 0 || (!is_fixed(p, parent) && !(p->body->links[parent].mass_kg > 0));
}

/* Which coordinates are those of a link; its rates in space begin at `rate`. Returns their
 * number. */
static int map_rates(struct flat *f, int i, int rate)
{
    const struct body_link *links = f->plane->links;
    const struct joint_kind *joint = &joint_kinds[f->links[f->link_of[i]].kind];
    int link = joint_of(f->c.base.phenotype, i), *of = f->rate_of + PLANE_ROOT_RATES;
    if (joint->stretches)
        of[i] = rate + joint_rates(joint) - 1;
    if (!is_free(f->c.base.phenotype, i)) {
        if (joint->slides + joint->turns > 0)
            of[link] = rate;
    } else if (link == 0) {
        for (int k = 0; k < FREE_RATES; k++)
            f->rate_of[k] = rate + k;
    } else {
        int along_y = links[link].parent, along_x = links[along_y].parent;
        ENSURE(links[along_x].axis.x == 1 && links[along_y].axis.y == 1 &&
                   is_fixed(f->c.base.phenotype, links[along_x].parent),
               "link %d has no mass", along_y);
        of[along_x] = rate + FREE_X;
        of[along_y] = rate + FREE_Y;
        of[link] = rate + FREE_ANGLE;
    }
    return joint_rates(joint);
}

/* The joint of a link that stretches on it. */
static void add_stretch(struct flat *f, int i, struct body_link *to)
{
    static const enum link_joint with_stretch[LINK_JOINT_COUNT] = {
        [LINK_STRETCH] = LINK_STRETCH,
        [LINK_REVOLUTE] = LINK_REVOLUTE_STRETCH,
        [LINK_LINEAR] = LINK_LINEAR_STRETCH,
        [LINK_PLANAR] = LINK_PLANAR_STRETCH};
    const struct body_link *l = &f->plane->links[i];
    to->kind = with_stretch[to->kind];
    to->half_m = l->half_m;
    to->axis = in_space(f, i, vec3_flat(l->axis));
    int at = joint_rates(&joint_kinds[to->kind]) - 1;
    to->lower[at] = l->lower[0];
    to->upper[at] = l->upper[0];
}

static void set_link(struct flat *f, int i, struct body_link *to)
{
    const struct phenotype *p = f->c.base.phenotype;
    const struct body_link *whole = &p->body->links[i], *l = &p->body->links[joint_of(p, i)];
    int is_held = !is_free(p, i), is_linear = is_held && l->kind == LINK_LINEAR;
    double before = is_held ? f->turned[l->parent] : 0;
    f->turned[i] = is_linear ? det_atan2(l->axis.y, l->axis.x) : 0;
    *to = body_link_unlimited(is_held ? f->link_of[l->parent] : NOWHERE,
                              is_held ? l->kind : LINK_PLANAR);
    to->frame = about_z(f->turned[i] - before);
    to->mass_kg = whole->mass_kg;
    to->centre = in_space(f, i, vec3_flat(whole->centre));
    to->inertia = (struct sym3){whole->inertia.zz, 0, 0, whole->inertia.zz, 0, whole->inertia.zz};
    if (is_held) {
        to->joint = in_space(f, l->parent, vec3_flat(l->joint));
        to->lower[0] = l->lower[0];
        to->upper[0] = l->upper[0];
    }
    if (whole->kind == LINK_STRETCH)
        add_stretch(f, i, to);
}

static void set_links(struct flat *f)
{
    int rate = 0;
    for (int i = 0; i < flat_dof(f); i++)
        f->rate_of[i] = NOWHERE;
    for (int i = 0; i < f->plane->link_count; i++) {
        f->link_of[i] = NOWHERE;
        f->whole_of[i] = i;
        if (is_fixed(f->c.base.phenotype, i) || !(f->plane->links[i].mass_kg > 0))
            continue;
        set_link(f, i, &f->links[f->body.link_count]);
        f->whole_of[joint_of(f->c.base.phenotype, i)] = i;
        f->link_of[i] = f->body.link_count++;
        rate += map_rates(f, i, rate);
    }
}

static void set_part(struct flat *f, int i)
{
    const struct phenotype *p = f->c.base.phenotype;
    const struct part *part = &p->parts[i];
    int is_plane = part->shape == PART_PLANE;
    double width = is_plane ? COLLIDE_PLANE_RADIUS_M : part->width_m;
    double height = is_plane ? COLLIDE_PLANE_RADIUS_M : part->height_m;
    f->boxes[i] = (struct body_box){.link = f->link_of[part->link],
                                    .centre = in_space(f, part->link, part->local),
                                    .turn = about_z(part->local_angle_rad - f->turned[part->link]),
                                    .size_m = {width, height, 1}};
    f->shapes[i] = (unsigned char)part->shape;
    for (int k = 0; k < p->part_count; k++)
        f->meetings[i * p->part_count + k] =
            phenotype_is_neighbour(p, i, k) ? PAIR_PASS : PAIR_MEET;
}

static void set_world(struct flat *f, const struct world *world)
{
    ENSURE(world->obstacles.count <= f->fixed_room, "%d obstacles in a world made for %d",
           world->obstacles.count, f->fixed_room);
    for (int i = 0; i < world->obstacles.count; i++) {
        struct box box;
        collide_place_obstacle(&world->obstacles.list[i], &box);
        f->fixed[i] = collide_solid(&box, 0);
    }
    spatial_world_set(&f->c.base.world, world);
    int is_quadratic = world->drag_law == DRAG_LAW_QUADRATIC;
    f->c.base.world.drag.coefficient =
        is_quadratic ? world->quadratic_drag_kg_m2 : world->viscosity_pa_s;
    f->c.base.world.surfaces.fixed = f->fixed;
    f->c.base.world.surfaces.fixed_count = world->obstacles.count;
    f->c.base.world.surfaces.meetings = f->meetings;
    f->c.base.world.surfaces.shapes = f->shapes;
}

static int take_memory(struct flat *f, struct arena *arena)
{
    size_t links = (size_t)f->plane->link_count, parts = (size_t)f->c.base.phenotype->part_count;
    double **numbers[] = {&f->q, &f->qd, &f->still, &f->space_q, &f->space_qd};
    f->links = arena_take(arena, links, sizeof f->links[0]);
    f->boxes = arena_take(arena, parts, sizeof f->boxes[0]);
    f->shapes = arena_take(arena, parts, 1);
    f->meetings = arena_take(arena, parts * parts, 1);
    f->fixed = arena_take(arena, (size_t)f->fixed_room, sizeof f->fixed[0]);
    f->link_of = arena_take(arena, links, sizeof f->link_of[0]);
    f->whole_of = arena_take(arena, links, sizeof f->whole_of[0]);
    f->turned = arena_take(arena, links, sizeof f->turned[0]);
    f->rate_of = arena_take(arena, links + PLANE_ROOT_RATES, sizeof f->rate_of[0]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i] = arena_take(arena, links + PLANE_ROOT_RATES, sizeof(double));
    return arena->is_exhausted ? ERR_MEMORY : 0;
}

/* Axes of a joint that closes a loop in its two links: x is the way of a linear one. */
static struct spatial_loop loop_of(const struct flat *f, const struct closure *c)
{
    int is_linear = c->kind == LINK_LINEAR;
    double way = is_linear ? det_atan2(-c->across.x, c->across.y) : 0;
    return (struct spatial_loop){
        .kind = c->kind,
        .links = {f->link_of[c->a], f->link_of[c->b]},
        .at = {in_space(f, c->a, c->at_a), in_space(f, c->b, c->at_b)},
        .turns = {about_z(way - c->angle_rad - f->turned[c->a]), about_z(way - f->turned[c->b])}};
}

static int close_loops(struct flat *f, struct arena *arena)
{
    int count = f->plane->closure_count;
    struct spatial_loop *loops = arena_take(arena, (size_t)count, sizeof loops[0]);
    if (!loops)
        return ERR_MEMORY;
    for (int i = 0; i < count; i++)
        loops[i] = loop_of(f, &f->plane->closures[i]);
    return spatial_constraint_close(&f->c, loops, count);
}

static struct dynamics *create(const struct phenotype *p, const struct world *world,
                               const struct dynamics_settings *settings, struct arena *arena)
{
    struct flat *f = arena_take(arena, 1, sizeof *f);
    if (!f)
        return NULL;
    f->c.base.dynamics.solver = &dynamics_constraint;
    f->c.base.phenotype = p;
    f->plane = p->body;
    f->fixed_room = world->obstacles.count;
    if (take_memory(f, arena) != 0)
        return NULL;
    f->c.base.rate_of = f->rate_of;
    f->body = (struct body){.links = f->links, .boxes = f->boxes, .box_count = p->part_count};
    set_links(f);
    for (int i = 0; i < p->part_count; i++)
        set_part(f, i);
    set_world(f, world);
    if (spatial_constraint_init(&f->c, &dynamics_constraint, &f->body, &f->c.base.world, settings,
                                arena) != 0 ||
        (p->body->closure_count > 0 && close_loops(f, arena) != 0))
        return NULL;
    struct dynamics *dynamics = &f->c.base.dynamics;
    dynamics->dof = flat_dof(f);
    dynamics->root_slides = 2;
    dynamics->q = f->q;
    dynamics->qd = f->qd;
    dynamics->still = f->still;
    dynamics->drive_rates = f->qd + PLANE_ROOT_RATES;
    for (int i = 1; i < p->body->link_count; i++)
        if (f->rate_of[PLANE_ROOT_RATES + i] != NOWHERE &&
            (p->body->links[i].kind == LINK_STRETCH || !is_free(p, i)))
            spatial_state_set_effector(&f->c.base, f->rate_of[PLANE_ROOT_RATES + i],
                                       p->body->links[i].strength);
    return dynamics;
}

/* ---------------------------------------------------------------- the state */

/* The coordinates in space are those of the phenotype. */
static void read_state(struct flat *f)
{
    const double *q = f->c.base.q, *qd = f->c.base.qd;
    for (int i = 0; i < flat_dof(f); i++) {
        if (f->rate_of[i] == NOWHERE)
            continue;
        f->q[i] = q[f->rate_of[i]];
        f->qd[i] = qd[f->rate_of[i]];
    }
}

static void flat_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    struct flat *f = flat_of(dynamics);
    for (int i = 0; i < flat_dof(f); i++) {
        f->q[i] = q[i];
        f->qd[i] = qd[i];
        if (f->rate_of[i] == NOWHERE)
            continue;
        f->space_q[f->rate_of[i]] = q[i];
        f->space_qd[f->rate_of[i]] = qd[i];
    }
    if (body_is_fixed(f->plane))
        f->c.ground.place.centre = (struct vec3){q[0], q[1], 0};
    spatial_constraint_set_state(dynamics, f->space_q, f->space_qd);
    if (f->plane->closure_count > 0)
        read_state(f);
}

static int flat_step(struct dynamics *dynamics)
{
    struct flat *f = flat_of(dynamics);
    int is_broken = spatial_constraint_step(dynamics);
    read_state(f);
    return is_broken;
}

/* ---------------------------------------------------------------- effectors and world */

static void flat_set_world(struct dynamics *dynamics, const struct world *world)
{
    struct flat *f = flat_of(dynamics);
    set_world(f, world);
    spatial_constraint_heed_world(&f->c);
}

/* ---------------------------------------------------------------- what others read */

/* Its turn since birth. */
static double angle_of(const struct flat *f, int link)
{
    const struct phenotype *p = f->c.base.phenotype;
    double sum = f->q[2];
    for (int i = link; i > 0; i = p->body->links[i].parent)
        sum += joint_kinds[p->body->links[i].kind].turns ? f->q[PLANE_ROOT_RATES + i] : 0;
    return sum;
}

static const struct rigid *body_of(const struct flat *f, int link)
{
    return spatial_system_body(&f->c, f->link_of[f->whole_of[link]]);
}

static struct spatial_place place_of(const struct flat *f, int link)
{
    const struct rigid *b = body_of(f, link);
    if (b != &f->c.ground)
        return b->place;
    struct vec3 centre = f->plane->links[0].centre;
    return (struct spatial_place){.centre = {f->q[0] + centre.x, f->q[1] + centre.y, 0}};
}

/* Where something is that was there from the centre of mass at birth. */
static struct vec2 arm_of(const struct flat *f, int link, struct vec2 at)
{
    const struct rigid *b = body_of(f, link);
    if (!spatial_system_stretches(b))
        return vec2_turned(angle_of(f, link), at);
    struct vec3 own = in_space(f, f->whole_of[link], at);
    return vec3_flat(mat3_apply(&b->turned, sym3_apply(&b->grown, own)));
}

/* How a place of a link's frame at birth moves. */
static struct part_state state_at(const struct flat *f, int link, struct vec2 at)
{
    struct spatial_place place = place_of(f, link);
    struct vec3 centre = f->plane->links[f->whole_of[link]].centre;
    struct vec2 arm = arm_of(f, link, (struct vec2){at.x - centre.x, at.y - centre.y});
    struct vec3 spread = sym3_apply(&body_of(f, link)->spread, vec3_of_plane(arm));
    struct vec3 velocity = {place.velocity.x - place.spin.z * arm.y,
                            place.velocity.y + place.spin.z * arm.x, 0};
    return (struct part_state){.at_m = {place.centre.x + arm.x, place.centre.y + arm.y, 0},
                               .angle_rad = angle_of(f, link),
                               .velocity_m_s = vec3_along(velocity, spread, place.stretch_rate),
                               .spin_rad_s = {0, 0, place.spin.z}};
}

static void flat_part_state(const struct dynamics *dynamics, int part, struct part_state *state)
{
    const struct flat *f = flat_of(dynamics);
    const struct part *p = &f->c.base.phenotype->parts[part];
    *state = state_at(f, p->link, p->local);
    state->angle_rad += p->local_angle_rad;
}

static double flat_part_stretch(const struct dynamics *dynamics, int part)
{
    const struct flat *f = flat_of(dynamics);
    return body_of(f, f->c.base.phenotype->parts[part].link)->place.stretch;
}

static uint64_t flat_hash_part(const struct dynamics *dynamics, int part, uint64_t hash)
{
    hash = dynamics_hash_flat_part(dynamics, part, hash);
    return flat_of(dynamics)->c.drag.stretches
               ? hash_double(hash, flat_part_stretch(dynamics, part))
               : hash;
}

static void flat_link_state(const struct dynamics *dynamics, int link, struct part_state *state)
{
    const struct flat *f = flat_of(dynamics);
    *state = state_at(f, link, vec3_flat(f->plane->links[link].centre));
}

static void flat_drive_state(const struct dynamics *dynamics, int drive, struct drive_state *state)
{
    const struct flat *f = flat_of(dynamics);
    int at = PLANE_ROOT_RATES + drive, rate = f->rate_of[at];
    *state =
        (struct drive_state){f->q[at], f->qd[at], rate == NOWHERE ? 0 : f->c.base.torque[rate]};
}

static struct vec3 flat_centre_of_mass(const struct dynamics *dynamics)
{
    const struct flat *f = flat_of(dynamics);
    struct vec3 sum = {0, 0, 0};
    double mass = 0;
    for (int i = 0; i < f->plane->link_count; i++) {
        double own = f->plane->links[i].mass_kg;
        sum = vec3_along(sum, place_of(f, i).centre, own);
        mass += own;
    }
    return (struct vec3){sum.x / mass, sum.y / mass, 0};
}

static void flat_momentum(const struct dynamics *dynamics, struct vec3 *linear,
                          struct vec3 *angular)
{
    const struct flat *f = flat_of(dynamics);
    *linear = *angular = (struct vec3){0, 0, 0};
    for (int i = 0; i < f->body.link_count; i++) {
        struct spatial_place place = f->c.bodies[i].place;
        struct vec3 at = place.centre, v = place.velocity;
        double mass = f->links[i].mass_kg;
        linear->x += mass * v.x;
        linear->y += mass * v.y;
        angular->z += f->c.bodies[i].inertia.zz * place.spin.z + mass * (at.x * v.y - at.y * v.x);
    }
}

static struct box place_box(const struct flat *f, int part)
{
    const struct part *p = &f->c.base.phenotype->parts[part];
    struct vec3 sides = body_of(f, p->link)->sides;
    struct box box =
        present_box(&f->c.base.dynamics, part, p->width_m / 2 * sides.x, p->height_m / 2 * sides.y);
    box.shape = p->shape;
    return box;
}

static void flat_bounds(const struct dynamics *dynamics, struct vec3 *low, struct vec3 *high)
{
    const struct flat *f = flat_of(dynamics);
    vec3_no_bounds(low, high);
    for (int i = 0; i < f->c.base.phenotype->part_count; i++) {
        struct box b = place_box(f, i);
        struct vec3 reach = {fabs(b.cos) * b.half_width + fabs(b.sin) * b.half_height,
                             fabs(b.sin) * b.half_width + fabs(b.cos) * b.half_height, 0};
        vec3_widen_bounds(low, high, (struct vec3){b.x, b.y, 0}, reach);
    }
}

static double flat_overlap(const struct dynamics *dynamics)
{
    const struct flat *f = flat_of(dynamics);
    const struct part *parts = f->c.base.phenotype->parts;
    double deepest = 0;
    for (int i = 0; i < f->c.base.phenotype->part_count; i++)
        for (int k = 0; k < i; k++) {
            if (parts[i].parent == k || parts[k].parent == i)
                continue;
            struct box a = place_box(f, i), b = place_box(f, k);
            deepest = det_max(deepest, -collide_separation(&a, &b));
        }
    return deepest;
}

/* Scenes may give a mass to what is fixed. */
static void flat_energy(struct dynamics *dynamics, double *kinetic_j, double *potential_j)
{
    const struct flat *f = flat_of(dynamics);
    spatial_constraint_energy(dynamics, kinetic_j, potential_j);
    if (body_is_fixed(f->plane))
        *potential_j -= f->plane->links[0].mass_kg *
                        vec3_dot(f->c.base.world.gravity_m_s2, place_of(f, 0).centre);
}

static const struct dynamics_reader flat_reader = {
    .part_state = flat_part_state,
    .part_stretch = flat_part_stretch,
    .link_state = flat_link_state,
    .drive_state = flat_drive_state,
    .centre_of_mass = flat_centre_of_mass,
    .momentum = flat_momentum,
    .bounds = flat_bounds,
    .hash_part = flat_hash_part,
    .overlap = flat_overlap,
};

const struct dynamics_solver dynamics_constraint = {
    .create = create,
    .step = flat_step,
    DYNAMICS_SPACE,
    .set_world = flat_set_world,
    .read = &flat_reader,
    .set_state = flat_set_state,
    .energy = flat_energy,
};
