/* The growth of rectangles: places of the parts, and links, drives and shapes of what phenotype.c
 * grows.
 *
 * Size: the gene's sides times the product of the connections' scales on the path; each side is
 * clamped to side_min_m .. side_max_m, then the shorter one is widened to longer / aspect_max.
 *
 * Placement: R(t) is the turn by t, m the mirror flag of a part (gene frame to part frame: y times
 * m), f the face (outward normal at f quarter turns in the gene frame), p, c parent and child:
 *     normal of the parent's face  =  opposite of the child's, turned by angle_rad:
 *     t_c + m_c f_c pi/2  =  t_p + m_p f_p pi/2 + pi + m_c angle_rad
 *     anchor  =  centre_p + R(t_p) diag(1, m_p) point_p  =  centre_c + R(t_c) diag(1, m_c) point_c
 * An angle is kept as a whole number of quarter turns and a rest, so that quarters are exact.
 *
 * Reflection: m_c = -m_p for a reflected connection, else m_c = m_p; everything the child's
 * subtree inherits (turn, child's point, faces, limits) is read with the child's flag.
 *
 * Symmetry: images are mirrored in the parent's gene-frame y axis (x to -x). With D = diag(-1, 1):
 * D R(t) diag(1, m) = R(pi - t) diag(1, -m), so the image has the flag -m_c and the turn pi - t
 * against its parent. The formula above yields that when right and left exchange, the position on
 * the parent is negated and m_c flips: (f_p + f_p') is then 2 (or 6) quarters, and all other
 * terms change sign. The image's descendants follow with both flags flipped: an exact mirror image.
 *
 * Links: a part with a joint that moves, or the root, begins a link; one with a rigid joint belongs
 * to its parent's. Masses and inertias merge by the parallel axis theorem. The axis of a linear
 * joint is the opposite of the normal of the child's attached face: straight out of the parent. A
 * part that stretches is the only one of its link, which follows that of its joint, if that moves;
 * a part that hangs rigidly on it begins a link, too. */
#include <math.h>

#include "common/growth/phenotype_grow.h"
#include "common/growth/body.h"
#include "common/math/rotation.h"
#include "common/math/detmath.h"

/* The state of a part only while the creature grows. */
struct own {
    int quarters; /* world angle = quarters pi/2 + rest_rad */
    double rest_rad;
    struct vec2 axis; /* the part's x axis in the world: cosine and sine of its angle */
    struct vec2 out;  /* straight out of the parent: the axis of a linear joint */
};

static struct own *own_of(const struct grower *grower)
{
    return grower->own;
}

/* ---- parts ---- */

/* A vector of a part's gene frame, turned into the world. */
static struct vec2 gene_to_world(struct vec2 axis, int mirror, struct vec2 v)
{
    double y = mirror * v.y;
    return (struct vec2){axis.x * v.x - axis.y * y, axis.y * v.x + axis.x * y};
}

/* Cosine and sine of quarters pi/2 + rest_rad; exact for rest_rad = 0. */
static struct vec2 axis_of(int quarters, double rest_rad)
{
    double sine, cosine;
    det_sincos(rest_rad, &sine, &cosine);
    const struct vec2 turned[4] = {
        {cosine, sine}, {-sine, cosine}, {-cosine, -sine}, {sine, -cosine}};
    return turned[quarters & 3];
}

static void develop_size(const struct params *params, const struct body_gene *body, double scale,
                         struct part *part)
{
    double low = params->creature_side_min_m;
    double high = params->creature_side_max_m;
    double width = clamp(body->width_m * scale, low, high);
    double height = clamp(body->height_m * scale, low, high);
    double shortest = det_max(width, height) / params->creature_aspect_max;
    part->width_m = det_max(width, shortest);
    part->height_m = det_max(height, shortest);
    part->cross_section_m = det_min(part->width_m, part->height_m);
    part->mass_kg = params->rectangles_density_kg_m2 * part->width_m * part->height_m;
    part->shape = body->is_round ? PART_DISK : PART_BOX;
    if (body->is_round)
        part->mass_kg *= DET_PI / 4;
}

/* Outward normal of a face in the gene frame. */
static struct vec2 face_normal(int face)
{
    static const struct vec2 normals[FACE_FLAT_COUNT] = {
        [FACE_RIGHT] = {1, 0}, [FACE_TOP] = {0, 1}, [FACE_LEFT] = {-1, 0}, [FACE_BOTTOM] = {0, -1}};
    return normals[face];
}

/* Sets mirror, angle, anchor and centre of a child whose size and parent are known. */
static void place_child(struct grower *grower, int child, const struct branch *branch)
{
    const struct connection_gene *gene = &grower->genome->connections[branch->placement_row];
    struct part *c = &grower->phenotype->parts[child];
    const struct part *p = &grower->phenotype->parts[c->parent];
    struct own *cg = &own_of(grower)[child];
    const struct own *pg = &own_of(grower)[c->parent];
    int face = gene->parent_face;
    double position = gene->parent_position;
    c->mirror = gene->is_reflected ? -p->mirror : p->mirror;
    if (grower->growths[child].is_image) {
        c->mirror = -c->mirror;
        position = -position;
        face = face == FACE_RIGHT ? FACE_LEFT : face == FACE_LEFT ? FACE_RIGHT : face;
    }

    /* Quarter turns against the parent, -1 .. 2 as seen in the child's gene frame: mirror images
     * get opposite numbers. */
    int turn = c->mirror * (p->mirror * face + 2) - gene->child_face;
    cg->quarters = pg->quarters + c->mirror * (((turn + 1) & 3) - 1);
    cg->rest_rad = pg->rest_rad + c->mirror * gene->angle_rad;
    cg->axis = axis_of(cg->quarters, cg->rest_rad);
    c->angle_rad = cg->quarters * (0.5 * DET_PI) + cg->rest_rad;

    /* Both face points meet at the anchor. */
    struct vec3 half_p = {p->width_m / 2, p->height_m / 2, 0};
    struct vec3 half_c = {c->width_m / 2, c->height_m / 2, 0};
    struct vec2 out =
        gene_to_world(pg->axis, p->mirror, vec3_flat(face_place(half_p, face, position, 0)));
    struct vec2 in =
        gene_to_world(cg->axis, c->mirror,
                      vec3_flat(face_place(half_c, gene->child_face, gene->child_position, 0)));
    c->anchor = (struct vec3){p->centre.x + out.x, p->centre.y + out.y, 0};
    c->centre = (struct vec3){c->anchor.x - in.x, c->anchor.y - in.y, 0};

    struct vec2 back = gene_to_world(cg->axis, c->mirror, face_normal(gene->child_face));
    cg->out = (struct vec2){0.0 - back.x, 0.0 - back.y};
}

/* How far a part stretches, either way; 0: it is rigid. */
static double stretch_limit(const struct grower *grower, int index)
{
    const struct body_gene *body = gene_of(grower, index);
    return det_min(body->stretch.limit, grower->params->creature_stretch_max);
}

static int begin(struct grower *grower, struct arena *arena)
{
    grower->own = arena_take(arena, (size_t)grower->parts_max, sizeof(struct own));
    return grower->own ? 0 : ERR_MEMORY;
}

static void place(struct grower *grower, int index)
{
    const struct growth *growth = &grower->growths[index];
    const struct body_gene *body = gene_of(grower, index);
    struct part *part = &grower->phenotype->parts[index];
    own_of(grower)[index].axis = (struct vec2){1.0, 0.0};
    develop_size(grower->params, body, growth->scale, part);
    if (part->parent >= 0)
        place_child(grower, index, &grower->branches[growth->connection_row]);
    part->turn = quaternion_about((struct vec3){0, 0, 1}, part->angle_rad);

    /* Only a joint that moves can be felt. */
    part->sensors = body->sensors;
    if (stretch_limit(grower, index) <= 0)
        part->sensors &= ~SENSOR_BIT(SENSOR_STRETCH);
    if (part->parent < 0 || body->joint == JOINT_RIGID)
        part->sensors &= ~(SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_RATE));
}

/* ---- links ---- */

/* Kind and limits of a part's joint. A mirrored part turns the other way, but slides out as any
 * other. */
static void set_joint(const struct grower *grower, struct body_link *link, int index)
{
    const struct body_gene *body = gene_of(grower, index);
    if (body->joint == JOINT_LINEAR) {
        const struct part *part = &grower->phenotype->parts[index];
        const struct part *parent = &grower->phenotype->parts[part->parent];

        link->kind = LINK_LINEAR;
        link->axis = vec3_of_plane(own_of(grower)[index].out);
        grow_slide_limits(grower, link,
                          det_max(det_max(part->width_m, part->height_m),
                                  det_max(parent->width_m, parent->height_m)));
        return;
    }
    link->sign[0] = grower->phenotype->parts[index].mirror;
    grow_turn_limits(link, 0, body->lower, body->upper);
}

/* The greatest torque or force of a part's joint, in proportion to the larger cross-section. */
static double joint_strength(const struct grower *grower, const struct body_link *link,
                             const struct body_gene *body)
{
    const struct part *part = &grower->phenotype->parts[link->part];
    const struct part *parent = &grower->phenotype->parts[link->parent_part];
    double section = det_max(part->cross_section_m, parent->cross_section_m);
    double strength = link->kind == LINK_LINEAR ? grower->params->rectangles_linear_strength_n_m
                                                : grower->params->rectangles_strength_n;
    return strength * section * body->effector_strength;
}

/* Begins a link of a part, at the parent's. */
static struct body_link *begin_link(struct grower *grower, int index, enum link_joint kind)
{
    struct phenotype *phenotype = grower->phenotype;
    struct part *part = &phenotype->parts[index];
    struct body_link *link = &phenotype->body->links[phenotype->body->link_count];
    part->link = phenotype->body->link_count++;
    *link =
        (struct body_link){.parent = part->parent < 0 ? -1 : phenotype->parts[part->parent].link,
                           .kind = kind,
                           .frame = QUATERNION_ONE,
                           .cone_rad = HUGE_VAL,
                           .part = index,
                           .parent_part = part->parent,
                           .first_drive = part->link,
                           .sign = {1},
                           .scale = 1};
    return link;
}

/* The link of a part's stretch, which follows that of its joint, if there is one. */
static void add_stretch(struct grower *grower, int index, double limit)
{
    struct phenotype *phenotype = grower->phenotype;
    struct part *part = &phenotype->parts[index];
    int joint = part->link;
    struct body_link *link = begin_link(grower, index, LINK_STRETCH);
    if (joint >= 0) {
        link->parent = joint;
        link->parent_part = index;
    }
    link->axis = vec3_of_plane(own_of(grower)[index].axis);
    link->half_m = (struct vec3){part->width_m / 2, part->height_m / 2, 0};
    link->scale = link->upper[0] = limit;
    link->lower[0] = 0.0 - limit;
    link->strength = grower->params->rectangles_strength_n * part->cross_section_m;
    phenotype->effector_count++;
}

/* Begins the link of a part with a joint: its limits and strength. */
static void add_link(struct grower *grower, int index)
{
    struct phenotype *phenotype = grower->phenotype;
    struct body_link *link = begin_link(grower, index, index == 0 ? LINK_PLANAR : LINK_REVOLUTE);
    if (link->parent < 0)
        return;

    const struct body_gene *body = gene_of(grower, index);
    set_joint(grower, link, index);
    if (body->has_effector) {
        link->strength = joint_strength(grower, link, body);
        phenotype->effector_count++;
    }
}

/* World position at birth of a link's origin: the anchor of its first part (the root's is its
 * centre, the world's origin). */
static struct vec3 link_origin(const struct phenotype *phenotype, int link)
{
    return phenotype->parts[phenotype->body->links[link].part].anchor;
}

/* Mass, centre and inertia of all links from their parts. */
static void weigh_links(struct phenotype *phenotype)
{
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        struct body_link *link = &phenotype->body->links[part->link];
        link->mass_kg += part->mass_kg;
        link->centre.x += part->mass_kg * part->local.x;
        link->centre.y += part->mass_kg * part->local.y;
    }
    for (int i = 0; i < phenotype->body->link_count; i++) {
        struct body_link *link = &phenotype->body->links[i];
        double mass_kg = link->mass_kg > 0 ? link->mass_kg : 1;
        link->centre.x /= mass_kg;
        link->centre.y /= mass_kg;
    }
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        struct body_link *link = &phenotype->body->links[part->link];
        double w = part->width_m;
        double h = part->height_m;
        double x = part->local.x - link->centre.x;
        double y = part->local.y - link->centre.y;
        double square = part->shape == PART_DISK ? w * w / 8 : (w * w + h * h) / 12.0;
        link->inertia.zz += part->mass_kg * (square + (x * x + y * y));
    }
    for (int i = 0; i < phenotype->body->link_count; i++) {
        struct body_link *link = &phenotype->body->links[i];
        link->inertia.xx = link->inertia.yy = link->inertia.zz;
    }
}

/* The links of a part. */
static void add_links(struct grower *grower, int index)
{
    struct phenotype *phenotype = grower->phenotype;
    struct part *part = &phenotype->parts[index];
    const struct body_gene *body = gene_of(grower, index);
    double limit = stretch_limit(grower, index);
    part->link = -1;
    if (index == 0 || body->joint != JOINT_RIGID)
        add_link(grower, index);
    if (limit > 0)
        add_stretch(grower, index, limit);
    if (part->link >= 0)
        return;
    part->link = phenotype->parts[part->parent].link;
    if (phenotype->body->links[part->link].kind == LINK_STRETCH)
        begin_link(grower, index, LINK_RIGID);
}

static void build_links(struct grower *grower)
{
    struct phenotype *phenotype = grower->phenotype;
    for (int i = 0; i < phenotype->part_count; i++) {
        struct part *part = &phenotype->parts[i];
        add_links(grower, i);

        struct vec3 origin = link_origin(phenotype, part->link);
        part->local = (struct vec2){part->centre.x - origin.x, part->centre.y - origin.y};
        part->local_angle_rad = part->angle_rad;
    }
    for (int i = 1; i < phenotype->body->link_count; i++) {
        struct body_link *link = &phenotype->body->links[i];
        struct vec3 at = link_origin(phenotype, i);
        struct vec3 origin = link_origin(phenotype, link->parent);
        link->joint = (struct vec3){at.x - origin.x, at.y - origin.y, 0};
    }
    weigh_links(phenotype);
}

/* What a link's joint turns about, or slides along; the root has none. */
static struct vec3 joint_way(const struct body_link *link)
{
    if (link->kind == LINK_LINEAR)
        return link->axis;
    return (struct vec3){0, 0, link->kind == LINK_REVOLUTE};
}

/* A part that stretches always has one for that. */
static int has_effector(const struct grower *grower, const struct body_link *link)
{
    const struct body_gene *body = gene_of(grower, link->part);
    return link->kind == LINK_STRETCH ||
           (link->parent >= 0 && link->kind != LINK_RIGID && body->has_effector);
}

/* One drive a link, since the solver counts so. A part's own frame turns with its mirror, but a
 * slide goes by the scale: the gene's signal times both is the angle or extension in the world. */
static void make_drives(struct grower *grower)
{
    const struct phenotype *phenotype = grower->phenotype;
    struct effector *effector = phenotype->effectors;
    int is_torque = grower->params->creature_effector_mode == EFFECTOR_TORQUE;
    for (int i = 0; i < phenotype->body->link_count; i++) {
        const struct body_link *link = &phenotype->body->links[i];
        double unit = link->sign[0] * (is_torque ? 1 : link->scale);
        double at_lower = is_torque ? -1 : link->lower[0] / unit;
        double at_upper = is_torque ? 1 : link->upper[0] / unit;
        phenotype->drives[i] = (struct drive){.part = link->part,
                                              .is_linear = link->kind == LINK_LINEAR,
                                              .is_stretch = link->kind == LINK_STRETCH,
                                              .lower = link->lower[0],
                                              .upper = link->upper[0],
                                              .strength = link->strength,
                                              .unit = unit,
                                              .least = det_min(at_lower, at_upper),
                                              .most = det_max(at_lower, at_upper),
                                              .way = joint_way(link)};
        if (has_effector(grower, link))
            (effector++)->drive = i;
    }
}

static void make_shapes(struct phenotype *phenotype)
{
    for (int i = 0; i < phenotype->part_count; i++) {
        const struct part *part = &phenotype->parts[i];
        double depth_m = part->shape == PART_DISK ? part->width_m : 0;
        phenotype_make_shape(phenotype, i,
                             (struct vec3){part->width_m / 2, part->height_m / 2, depth_m / 2});
    }
}

static int join(struct grower *grower, struct arena *arena)
{
    struct phenotype *phenotype = grower->phenotype;
    phenotype->body = arena_take(arena, 1, sizeof *phenotype->body);
    struct body_link *links = arena_take(arena, 2 * (size_t)phenotype->part_count, sizeof *links);
    if (!phenotype->body || !links)
        return ERR_MEMORY;
    phenotype->body->links = links;
    build_links(grower);
    if (phenotype_take_tables(phenotype, arena, phenotype->body->link_count,
                              phenotype->effector_count, phenotype->part_count))
        return ERR_MEMORY;
    make_drives(grower);
    make_shapes(phenotype);
    phenotype->first_drive = 1;
    phenotype->root_rates = PLANE_ROOT_RATES;
    phenotype->piece_count = phenotype->body->link_count;
    return 0;
}

static const struct input_gene *find_input(const struct grower *grower, int drive, int *reader)
{
    const struct drive *moved = &grower->phenotype->drives[drive];
    *reader = moved->part;
    const struct body_gene *body = gene_of(grower, *reader);
    return moved->is_stretch ? &body->stretch.input : &body->effector_input;
}

/* ---- the whole as its mirror image ---- */

static double opposite(double value)
{
    return 0.0 - value;
}

static void mirror_part(struct part *part)
{
    part->centre.x = opposite(part->centre.x);
    part->anchor.x = opposite(part->anchor.x);
    part->local.x = opposite(part->local.x);
    part->angle_rad = opposite(part->angle_rad);
    part->local_angle_rad = opposite(part->local_angle_rad);
    part->turn.z = opposite(part->turn.z);
    part->mirror = -part->mirror;
    part->is_reversed = 1;
}

static void mirror_limits(double *lower, double *upper)
{
    double before = *lower;
    *lower = opposite(*upper);
    *upper = opposite(before);
}

/* A hinge turns the other way; a part that slides or stretches does so along the mirrored axis. */
static void mirror_link(struct body_link *link, struct drive *drive)
{
    link->joint.x = opposite(link->joint.x);
    link->centre.x = opposite(link->centre.x);
    link->axis.x = opposite(link->axis.x);
    drive->way.x = opposite(drive->way.x);
    if (link->kind != LINK_REVOLUTE)
        return;
    mirror_limits(&link->lower[0], &link->upper[0]);
    mirror_limits(&drive->lower, &drive->upper);
    link->sign[0] = opposite(link->sign[0]);
    drive->unit = opposite(drive->unit);
}

static void mirror(struct phenotype *phenotype)
{
    for (int i = 0; i < phenotype->part_count; i++)
        mirror_part(&phenotype->parts[i]);
    for (int i = 0; i < phenotype->body->link_count; i++)
        mirror_link(&phenotype->body->links[i], &phenotype->drives[i]);
}

const struct body_growth growth_rectangles = {
    .begin = begin, .place = place, .join = join, .find_input = find_input, .mirror = mirror};
