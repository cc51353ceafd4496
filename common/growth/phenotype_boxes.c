/* The growth of boxes in space: sizes, places, links, joints and drives of what phenotype.c grows.
 *
 * Placement. Each part has a frame of three unit vectors x, y, z, along its sides as its genes know
 * them; the root's are the world's. A face has a normal n and two directions u, v along it (table
 * `faces`), at right angles and in this order right-handed in the frame; positions go along u and
 * v, -1 .. 1. With roll r, angle a and tilt t the joint's frame is
 *     u' = cos r u + sin r v         x = cos t (cos a n + sin a u') + sin t v'
 *     v' = -sin r u + cos r v        y = -sin a n + cos a u'
 *                                    z = -sin t (cos a n + sin a u') + cos t v'
 * and the child lies there with -n, -u, v of its own face along x, y, z, so that the points of both
 * faces meet. A reflected connection negates v first, an image one axis of the parent's frame,
 * which its gene names; since all descends from these vectors by products and sums, which do not
 * care about the sign of all their terms, images are exact. Frames of images are left-handed; a box
 * has its z axis negated then.
 *
 * Size. Sides scale with the product of the scales on the path and are clamped to creature.*. Then
 * a part much lighter than its parent is enlarged and a much heavier one shrunk, in its own shape,
 * as far as the clamps allow.
 *
 * Room. A part that would overlap another one deeply is not made. Those that may overlap are the
 * parts of one link and of two links that a joint joins. With boxes.neighbours = half the latter
 * collide: of two the smaller is cut halfway back from the joint (Sims 1994), along the axis on
 * which the joint lies farthest out, measured in half sides. Those that overlap at birth even so go
 * on passing through one another.
 *
 * Links. A part with a joint that moves, or the root, begins a link; one with a rigid joint belongs
 * to its parent's. */
#include <math.h>
#include <stdlib.h>

#include "common/growth/body.h"
#include "common/growth/box_half.h"
#include "common/growth/phenotype_grow.h"
#include "common/math/detmath.h"
#include "common/math/solids.h"

/* Known only while the creature grows. */
struct frame {
    struct vec3 axes[3];
};
struct own_part {
    struct frame frame; /* of the part, as the genes know it: left-handed in mirror images */
    struct frame joint; /* likewise */
    double area_m2;     /* of its cross-section */
    int first;          /* of its link: the part whose joint it is */
};
struct own {
    struct body body;
    struct own_part *parts;
};

static struct body *body_of(const struct grower *grower)
{
    return &((struct own *)grower->own)->body;
}

static struct body_box *boxes_of(const struct grower *grower)
{
    return body_of(grower)->boxes;
}

static struct own_part *own_of(const struct grower *grower, int part)
{
    return &((struct own *)grower->own)->parts[part];
}

/* ---- parts ---- */

/* Normal and directions of a face: a number from 1 of the part's axis, negative against it. */
struct face_axes {
    int n, u, v;
};
static const struct face_axes faces[FACE_COUNT] = {
    [FACE_RIGHT] = {1, 2, 3},   [FACE_TOP] = {2, -1, 3},  [FACE_LEFT] = {-1, -2, 3},
    [FACE_BOTTOM] = {-2, 1, 3}, [FACE_FRONT] = {3, 1, 2}, [FACE_BACK] = {-3, -1, 2}};

static struct vec3 axis_of(const struct frame *frame, int number)
{
    struct vec3 axis = frame->axes[abs(number) - 1];
    return number > 0 ? axis : vec3_negate(axis);
}

static void set_axis(struct frame *frame, int number, struct vec3 axis)
{
    frame->axes[abs(number) - 1] = number > 0 ? axis : vec3_negate(axis);
}

/* From a part's centre to a point of a face. */
static struct vec3 face_point(const struct frame *frame, struct vec3 size, int face,
                              double position, double position_2)
{
    const struct face_axes *axes = &faces[face];
    const double half[4] = {0, size.x / 2, size.y / 2, size.z / 2};
    struct vec3 point = vec3_scale(axis_of(frame, axes->n), half[axes->n < 0 ? -axes->n : axes->n]);
    point = vec3_along(point, axis_of(frame, axes->u),
                       position * half[axes->u < 0 ? -axes->u : axes->u]);
    return vec3_along(point, axis_of(frame, axes->v), position_2 * half[axes->v]);
}

/* The parent's frame as the child sees it: mirrored where the connection is an image. */
static struct frame look_from_parent(const struct grower *grower, int index)
{
    const struct part *part = &grower->phenotype->parts[index];
    struct frame seen = own_of(grower, part->parent)->frame;
    int symmetry = gene_of(grower, index)->is_symmetric;
    if (grower->growths[index].is_image) {
        int axis = symmetry == SYMMETRY_SIDES ? 2 : symmetry == SYMMETRY_ENDS ? 0 : 1;
        seen.axes[axis] = vec3_negate(seen.axes[axis]);
    }
    return seen;
}

/* The joint's frame on a face of the parent. */
static struct frame make_joint(const struct frame *parent, const struct connection_gene *gene)
{
    const struct face_axes *axes = &faces[gene->parent_face];
    double sin_r, cos_r, sin_a, cos_a, sin_t, cos_t;
    det_sincos(gene->mount.roll_rad, &sin_r, &cos_r);
    det_sincos(gene->angle_rad, &sin_a, &cos_a);
    det_sincos(gene->mount.tilt_rad, &sin_t, &cos_t);
    struct vec3 n = axis_of(parent, axes->n), u = axis_of(parent, axes->u);
    struct vec3 v = axis_of(parent, axes->v);
    if (gene->is_reflected)
        v = vec3_negate(v);
    struct vec3 u_turned = vec3_mix(cos_r, u, sin_r, v);
    struct vec3 v_turned = vec3_mix(-sin_r, u, cos_r, v);
    struct vec3 out = vec3_mix(cos_a, n, sin_a, u_turned);
    return (struct frame){{vec3_mix(cos_t, out, sin_t, v_turned),
                           vec3_mix(-sin_a, n, cos_a, u_turned),
                           vec3_mix(-sin_t, out, cos_t, v_turned)}};
}

/* Sets mirror, frames, anchor and centre of a child whose size and parent are known. */
static void place_child(struct grower *grower, int index)
{
    const struct branch *branch = &grower->branches[grower->growths[index].connection_row];
    const struct connection_gene *gene = &grower->genome->connections[branch->placement_row];
    struct part *part = &grower->phenotype->parts[index];
    const struct part *parent = &grower->phenotype->parts[part->parent];
    struct own_part *own = own_of(grower, index);
    const struct body_box *boxes = boxes_of(grower);
    struct frame seen = look_from_parent(grower, index);
    int is_turned_over = (gene->is_reflected != 0) != grower->growths[index].is_image;
    part->mirror = is_turned_over ? -parent->mirror : parent->mirror;
    own->joint = make_joint(&seen, gene);
    const struct face_axes *face = &faces[gene->child_face];
    set_axis(&own->frame, face->n, vec3_negate(own->joint.axes[0]));
    set_axis(&own->frame, face->u, vec3_negate(own->joint.axes[1]));
    set_axis(&own->frame, face->v, own->joint.axes[2]);
    part->anchor =
        vec3_add(parent->centre, face_point(&seen, boxes[part->parent].size_m, gene->parent_face,
                                            gene->parent_position, gene->mount.parent_position_2));
    part->centre =
        vec3_sub(part->anchor, face_point(&own->frame, boxes[index].size_m, gene->child_face,
                                          gene->child_position, gene->mount.child_position_2));
}

static double longest_of(struct vec3 size)
{
    return det_max(size.x, det_max(size.y, size.z));
}

static double volume_of(struct vec3 size)
{
    return size.x * size.y * size.z;
}

static struct vec3 clamp_sides(const struct params *params, struct vec3 size)
{
    double low = params->creature_side_min_m, high = params->creature_side_max_m;
    struct vec3 clamped = {clamp(size.x, low, high), clamp(size.y, low, high),
                           clamp(size.z, low, high)};
    double least = longest_of(clamped) / params->creature_aspect_max;
    return (struct vec3){det_max(clamped.x, least), det_max(clamped.y, least),
                         det_max(clamped.z, least)};
}

/* What a part's sides are multiplied by so that its mass comes to a share of its parent's that
 * bodies may have. */
static double balance_factor(struct vec3 size, struct vec3 parent, double most)
{
    double ratio = volume_of(size) / volume_of(parent);
    double wanted = clamp(ratio, 1 / most, most);
    return wanted == ratio ? 1 : det_pow(wanted / ratio, 1.0 / 3);
}

static void develop_size(struct grower *grower, int index)
{
    const struct params *params = grower->params;
    const struct body_gene *gene = gene_of(grower, index);
    double scale = grower->growths[index].scale, most = params->boxes_mass_ratio_max;
    int parent = grower->phenotype->parts[index].parent;
    struct body_box *boxes = boxes_of(grower);
    struct vec3 *size = &boxes[index].size_m;
    *size = clamp_sides(params, (struct vec3){gene->width_m * scale, gene->height_m * scale,
                                              gene->box.depth_m * scale});
    if (parent < 0 || most <= 0)
        return;
    double factor = balance_factor(*size, boxes[parent].size_m, det_max(most, 1));
    *size = clamp_sides(params, vec3_scale(*size, factor));
}

static int begin(struct grower *grower, struct arena *arena)
{
    size_t parts = (size_t)grower->parts_max;
    struct own *own = arena_take(arena, 1, sizeof *own);
    if (!own)
        return ERR_MEMORY;
    own->parts = arena_take(arena, parts, sizeof *own->parts);
    own->body.boxes = arena_take(arena, parts, sizeof *own->body.boxes);
    own->body.links = arena_take(arena, parts, sizeof *own->body.links);
    if (!own->parts || !own->body.boxes || !own->body.links)
        return ERR_MEMORY;
    grower->own = own;
    grower->phenotype->body = &own->body;
    grower->phenotype->root_rates = JOINT_RATES_MAX;
    return 0;
}

static void place(struct grower *grower, int index)
{
    const struct params *params = grower->params;
    struct part *part = &grower->phenotype->parts[index];
    struct own_part *own = own_of(grower, index);
    struct vec3 *size = &boxes_of(grower)[index].size_m;
    develop_size(grower, index);
    own->frame = own->joint = (struct frame){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (part->parent >= 0)
        place_child(grower, index);
    part->width_m = size->x;
    part->height_m = size->y;
    part->cross_section_m = det_min(size->x, det_min(size->y, size->z));
    part->mass_kg = params->creature_density_kg_m3 * volume_of(*size);
    part->shape = gene_of(grower, index)->is_round ? PART_DISK : PART_BOX;
    boxes_of(grower)[index].is_round = gene_of(grower, index)->is_round;
    if (boxes_of(grower)[index].is_round)
        part->mass_kg *= DET_PI / 6;
    own->area_m2 = volume_of(*size) / longest_of(*size);
    part->sensors = gene_of(grower, index)->sensors;
    own->first = part->parent >= 0 && gene_of(grower, index)->joint == JOINT_RIGID
                     ? own_of(grower, part->parent)->first
                     : index;
}

/* ---- room ---- */

static struct solid solid_of(const struct grower *grower, int part)
{
    const struct vec3 *axes = own_of(grower, part)->frame.axes;
    struct vec3 size = boxes_of(grower)[part].size_m;
    return (struct solid){.centre = grower->phenotype->parts[part].centre,
                          .axes = {axes[0], axes[1], axes[2]},
                          .half = {size.x / 2, size.y / 2, size.z / 2}};
}

/* The first part of the link that a part's link hangs on; -1 of the root's. */
static int find_link_above(const struct grower *grower, int part)
{
    int parent = grower->phenotype->parts[own_of(grower, part)->first].parent;
    return parent < 0 ? -1 : own_of(grower, parent)->first;
}

static int has_room(const struct grower *grower, int index)
{
    double most = grower->params->boxes_overlap_max_m;
    struct solid own = solid_of(grower, index);
    int first = own_of(grower, index)->first, above = find_link_above(grower, index);
    for (int i = 0; i < index && most > 0; i++) {
        int other = own_of(grower, i)->first;
        int may_overlap = other == first || other == above || find_link_above(grower, i) == first;
        struct solid one = solid_of(grower, i);
        if (!may_overlap && -solids_separation(&one, &own) > most)
            return 0;
    }
    return 1;
}

/* ---- links ---- */

/* What a joint turns about, freedom by freedom: 0, 1, 2 for x, y, z. A linear one slides along
 * x. */
static const unsigned char freedom_axes[JOINT_TYPE_COUNT][GENOME_FREEDOMS_MAX] = {
    [JOINT_REVOLUTE] = {2},      [JOINT_TWIST] = {0},         [JOINT_UNIVERSAL] = {2, 1},
    [JOINT_BEND_TWIST] = {2, 0}, [JOINT_TWIST_BEND] = {0, 2}, [JOINT_SPHERICAL] = {0, 1, 2}};

/* A right-handed frame: that of the genes with z negated in mirrored parts. */
static struct mat3 turn_of(const struct frame *frame, int mirror)
{
    return (struct mat3){frame->axes[0], frame->axes[1],
                         mirror > 0 ? frame->axes[2] : vec3_negate(frame->axes[2])};
}

/* At birth, in the world. */
static struct mat3 link_turn(const struct grower *grower, int link)
{
    int part = body_of(grower)->links[link].part;
    return turn_of(&own_of(grower, part)->joint, grower->phenotype->parts[part].mirror);
}

static struct vec3 link_origin(const struct grower *grower, int link)
{
    return grower->phenotype->parts[body_of(grower)->links[link].part].anchor;
}

/* A turn of the world as the other one sees it. */
static struct mat3 seen_from(const struct mat3 *from, const struct mat3 *turn)
{
    return (struct mat3){mat3_back(from, turn->x), mat3_back(from, turn->y),
                         mat3_back(from, turn->z)};
}

static void set_limits(const struct grower *grower, struct body_link *link)
{
    const struct body_gene *gene = gene_of(grower, link->part);
    const double limits[2][2] = {{gene->lower, gene->upper},
                                 {gene->box.lower_2, gene->box.upper_2}};
    const struct body_box *boxes = boxes_of(grower);
    int intervals = body_freedoms(link);
    if (link->kind == LINK_LINEAR) {
        grow_slide_limits(grower, link,
                          det_max(longest_of(boxes[link->part].size_m),
                                  longest_of(boxes[link->parent_part].size_m)));
        return;
    }
    if (link->kind == LINK_SPHERICAL) {
        link->cone_rad = gene->box.upper_2;
        intervals = 1;
    }
    for (int k = 0; k < intervals; k++)
        grow_turn_limits(link, k, limits[k][0], limits[k][1]);
}

/* The joints of the genes in the physics' table; boxes of a rigid joint are of one link. */
static const enum link_joint link_joints[] = {
    [JOINT_REVOLUTE] = LINK_REVOLUTE,     [JOINT_TWIST] = LINK_TWIST,
    [JOINT_UNIVERSAL] = LINK_UNIVERSAL,   [JOINT_BEND_TWIST] = LINK_BEND_TWIST,
    [JOINT_TWIST_BEND] = LINK_TWIST_BEND, [JOINT_SPHERICAL] = LINK_SPHERICAL,
    [JOINT_LINEAR] = LINK_LINEAR};

/* The greatest torque or force of a joint, in proportion to the larger cross-section (Sims 1994,
 * section 3.3). */
static double joint_strength(const struct grower *grower, const struct body_link *link)
{
    const struct body_gene *gene = gene_of(grower, link->part);
    double area =
        det_max(own_of(grower, link->part)->area_m2, own_of(grower, link->parent_part)->area_m2);
    if (!gene->has_effector)
        return 0;
    return area * gene->effector_strength *
           (link->kind == LINK_LINEAR ? grower->params->boxes_linear_strength_n_m2
                                      : grower->params->boxes_strength_n_m);
}

/* Begins the link of a part. */
static void add_link(struct grower *grower, int index)
{
    struct body *body = body_of(grower);
    struct phenotype *phenotype = grower->phenotype;
    struct part *part = &phenotype->parts[index];
    const struct body_gene *gene = gene_of(grower, index);
    struct body_link *link = &body->links[body->link_count];
    int is_root = part->parent < 0;
    part->link = body->link_count++;
    *link = body_link_unlimited(is_root ? -1 : phenotype->parts[part->parent].link,
                                is_root ? LINK_FREE : link_joints[gene->joint]);
    link->part = index;
    link->parent_part = part->parent;
    link->gene_joint = gene->joint;
    link->first_drive = phenotype->drive_count;
    if (is_root)
        return;
    int freedoms = body_freedoms(link);
    for (int k = 0; k < freedoms; k++) {
        int is_same =
            part->mirror > 0 || gene->joint == JOINT_LINEAR || freedom_axes[gene->joint][k] == 2;
        link->sign[k] = is_same ? 1 : -1;
    }
    set_limits(grower, link);
    link->strength = joint_strength(grower, link);
    phenotype->drive_count += freedoms;
    if (gene->has_effector)
        phenotype->effector_count += freedoms;

    struct mat3 from = link_turn(grower, link->parent), turn = link_turn(grower, part->link);
    struct mat3 seen = seen_from(&from, &turn);
    link->frame = quaternion_of(&seen);
    link->joint = mat3_back(
        &from, vec3_sub(link_origin(grower, part->link), link_origin(grower, link->parent)));
}

/* Puts a part on its link. */
static void mount_part(struct grower *grower, int index)
{
    struct part *part = &grower->phenotype->parts[index];
    struct body_box *box = &boxes_of(grower)[index];
    struct mat3 from = link_turn(grower, part->link);
    struct mat3 turn = turn_of(&own_of(grower, index)->frame, part->mirror);
    struct mat3 seen = seen_from(&from, &turn);
    box->link = part->link;
    box->turn = quaternion_of(&seen);
    part->turn = quaternion_of(&turn);
    box->centre = mat3_back(&from, vec3_sub(part->centre, link_origin(grower, part->link)));
}

/* A box's inertia about a point at `from` its centre, in the axes of its link. */
static struct sym3 inertia_of(const struct body_box *box, double mass, struct vec3 from)
{
    double xx = box->size_m.x * box->size_m.x, yy = box->size_m.y * box->size_m.y;
    double zz = box->size_m.z * box->size_m.z, share = mass / 12;
    struct sym3 own = {.xx = share * (yy + zz), .yy = share * (xx + zz), .zz = share * (xx + yy)};
    if (box->is_round)
        own.xx = own.yy = own.zz = mass / 10 * xx;
    struct mat3 turn = quaternion_matrix(box->turn);
    struct sym3 turned = sym3_turned(&own, &turn);
    return sym3_moved(&turned, from, mass);
}

/* Mass, centre and inertia of all links from their boxes. */
static void weigh_links(struct grower *grower)
{
    const struct body *body = body_of(grower);
    struct body_link *links = body->links;
    const struct part *parts = grower->phenotype->parts;
    for (int i = 0; i < body->box_count; i++) {
        struct body_link *link = &links[body->boxes[i].link];
        link->mass_kg += parts[i].mass_kg;
        link->centre = vec3_along(link->centre, body->boxes[i].centre, parts[i].mass_kg);
    }
    for (int i = 0; i < body->link_count; i++)
        links[i].centre = vec3_scale(links[i].centre, 1 / links[i].mass_kg);
    for (int i = 0; i < body->box_count; i++) {
        struct body_link *link = &links[body->boxes[i].link];
        struct sym3 inertia = inertia_of(&body->boxes[i], parts[i].mass_kg,
                                         vec3_sub(body->boxes[i].centre, link->centre));
        link->inertia = sym3_add(&link->inertia, &inertia);
    }
}

/* ---- how parts meet ---- */

/* Two that overlap by more at birth, though one is cut, pass through one another, m. */
#define BORN_INSIDE_M 1e-3

static struct solid turned_solid_of(const struct grower *grower, int part)
{
    const struct part *p = &grower->phenotype->parts[part];
    struct mat3 turn = turn_of(&own_of(grower, part)->frame, p->mirror);
    struct solid solid;
    solids_place(&solid, p->centre, &turn, vec3_scale(boxes_of(grower)[part].size_m, 0.5));
    return solid;
}

/* The smaller one is cut, across the axis on which the joint is farthest out. */
static struct box_half find_half(const struct solid *first, const struct solid *second,
                                 struct vec3 joint)
{
    double one = first->half[0] * first->half[1] * first->half[2];
    double two = second->half[0] * second->half[1] * second->half[2], farthest = -1;
    struct box_half half = {.is_second = !(one < two)};
    const struct solid *cut = half.is_second ? second : first;
    for (int k = 0; k < 3; k++) {
        double out = vec3_dot(vec3_sub(joint, cut->centre), cut->axes[k]) / cut->half[k];
        if (fabs(out) > farthest) {
            farthest = fabs(out);
            half.axis = k;
            half.sign = out > 0 ? -1 : 1;
        }
    }
    return half;
}

/* How parts a < b meet. */
static unsigned char find_meeting(const struct grower *grower, int a, int b)
{
    const struct phenotype *phenotype = grower->phenotype;
    const struct body_link *links = body_of(grower)->links;
    int one = phenotype->parts[a].link, two = phenotype->parts[b].link;
    int child = links[two].parent == one ? two : links[one].parent == two ? one : -1;
    if (child < 0)
        return PAIR_USUAL;
    struct solid first = turned_solid_of(grower, a), second = turned_solid_of(grower, b);
    unsigned char meeting =
        box_half_meeting(find_half(&first, &second, link_origin(grower, child)));
    box_half_cut(meeting, &first, &second);
    return solids_separation(&first, &second) < -BORN_INSIDE_M ? PAIR_USUAL : meeting;
}

static int make_meetings(struct grower *grower, struct arena *arena)
{
    int count = grower->phenotype->part_count;
    if (grower->params->boxes_neighbours == NEIGHBOURS_PASS)
        return 0;
    unsigned char *meetings = arena_take(arena, (size_t)count * (size_t)count, 1);
    if (!meetings)
        return ERR_MEMORY;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++)
            meetings[a * count + b] = find_meeting(grower, a, b);
    grower->phenotype->meetings = meetings;
    return 0;
}

/* ---- drives, senses, shapes ---- */

static void make_drives(struct grower *grower, const struct body_link *link)
{
    struct phenotype *phenotype = grower->phenotype;
    int is_torque = grower->params->creature_effector_mode == EFFECTOR_TORQUE;
    const struct mat3 turn = link_turn(grower, (int)(link - body_of(grower)->links));
    const struct vec3 axes[3] = {turn.x, turn.y, turn.z};
    int joint = gene_of(grower, link->part)->joint;
    for (int k = 0; k < body_freedoms(link); k++) {
        int is_swing = link->kind == LINK_SPHERICAL && k > 0;
        double lower = is_swing ? -link->cone_rad : link->lower[k];
        double upper = is_swing ? link->cone_rad : link->upper[k];
        double unit = link->sign[k] * (is_torque ? 1 : link->scale);
        phenotype->drives[link->first_drive + k] =
            (struct drive){.part = link->part,
                           .axis = k,
                           .is_linear = link->kind == LINK_LINEAR,
                           .lower = lower,
                           .upper = upper,
                           .strength = link->strength,
                           .unit = unit,
                           .least = is_torque ? -1 : det_min(lower / unit, upper / unit),
                           .most = is_torque ? 1 : det_max(lower / unit, upper / unit),
                           .way = axes[freedom_axes[joint][k]]};
    }
}

static void make_effectors(struct grower *grower)
{
    const struct phenotype *phenotype = grower->phenotype;
    struct effector *effector = phenotype->effectors;
    for (int i = 0; i < phenotype->drive_count; i++)
        if (gene_of(grower, phenotype->drives[i].part)->has_effector)
            (effector++)->drive = i;
}

/* Only freedoms can be felt. */
static void mask_sensors(struct grower *grower, int index)
{
    static const uint64_t of_freedoms[GENOME_FREEDOMS_MAX] = {
        SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_RATE),
        SENSOR_BIT(SENSOR_JOINT_2) | SENSOR_BIT(SENSOR_JOINT_RATE_2),
        SENSOR_BIT(SENSOR_JOINT_3) | SENSOR_BIT(SENSOR_JOINT_RATE_3)};
    struct part *part = &grower->phenotype->parts[index];
    const struct body_link *link = &body_of(grower)->links[part->link];
    for (int k = link->part == index ? body_freedoms(link) : 0; k < GENOME_FREEDOMS_MAX; k++)
        part->sensors &= ~of_freedoms[k];
}

static int join(struct grower *grower, struct arena *arena)
{
    struct phenotype *phenotype = grower->phenotype;
    struct body *body = body_of(grower);
    int count = body->box_count = phenotype->part_count;
    for (int i = 0; i < count; i++) {
        if (i == 0 || gene_of(grower, i)->joint != JOINT_RIGID)
            add_link(grower, i);
        else
            phenotype->parts[i].link = phenotype->parts[phenotype->parts[i].parent].link;
        mount_part(grower, i);
        mask_sensors(grower, i);
    }
    weigh_links(grower);
    if (make_meetings(grower, arena))
        return ERR_MEMORY;
    if (phenotype_take_tables(phenotype, arena, phenotype->drive_count, phenotype->effector_count,
                              count))
        return ERR_MEMORY;
    for (int i = 0; i < body->link_count; i++)
        make_drives(grower, &body->links[i]);
    make_effectors(grower);
    for (int i = 0; i < count; i++)
        phenotype_make_shape(phenotype, i, vec3_scale(body->boxes[i].size_m, 0.5));
    phenotype->piece_count = body->link_count;
    return 0;
}

/* It is the only part of its gene. */
static int is_single(const struct phenotype *phenotype, int index)
{
    for (int i = 0; i < phenotype->part_count; i++)
        if (i != index && phenotype->parts[i].body == phenotype->parts[index].body)
            return 0;
    return 1;
}

/* Ahead is x. */
static int find_head(const struct phenotype *phenotype)
{
    int head = 0;
    for (int i = 1; i < phenotype->part_count; i++)
        if (phenotype->parts[i].centre.x > phenotype->parts[head].centre.x &&
            is_single(phenotype, i))
            head = i;
    return head;
}

static const struct input_gene *find_input(const struct grower *grower, int drive, int *reader)
{
    const struct drive *of = &grower->phenotype->drives[drive];
    *reader = of->part;
    const struct body_gene *gene = gene_of(grower, of->part);
    return of->axis == 0 ? &gene->effector_input : &gene->drives[of->axis - 1];
}

/* ---- the key of a motion ---- */

static void put_link(struct key_hasher *hasher, const struct body_link *link)
{
    KEY_PUT_INTS(hasher, link->parent, (int)link->kind);
    key_put_vec3(hasher, link->joint);
    key_put_turn(hasher, link->frame);
    key_put_double(hasher, link->mass_kg);
    key_put_vec3(hasher, link->centre);
    key_put_vec3(hasher, (struct vec3){link->inertia.xx, link->inertia.xy, link->inertia.xz});
    key_put_vec3(hasher, (struct vec3){link->inertia.yy, link->inertia.yz, link->inertia.zz});
    for (int k = 0; k < GENOME_FREEDOMS_MAX; k++) {
        KEY_PUT_DOUBLES(hasher, link->lower[k], link->upper[k]);
    }
    key_put_double(hasher, link->cone_rad);
    KEY_PUT_INTS(hasher, link->part, link->parent_part, link->gene_joint, body_freedoms(link),
                 link->first_drive);
    for (int k = 0; k < GENOME_FREEDOMS_MAX; k++)
        key_put_double(hasher, link->sign[k]);
    key_put_double(hasher, link->scale);
}

static void put_box(struct key_hasher *hasher, const struct body_box *box)
{
    key_put_int(hasher, box->link);
    key_put_vec3(hasher, box->centre);
    key_put_turn(hasher, box->turn);
    key_put_vec3(hasher, box->size_m);
}

static void put_detail(struct key_hasher *hasher, const struct phenotype *phenotype)
{
    const struct body *body = phenotype->body;
    key_put_int(hasher, body->link_count);
    for (int i = 0; i < body->link_count; i++)
        put_link(hasher, &body->links[i]);
    key_put_int(hasher, body->box_count);
    for (int i = 0; i < body->box_count; i++)
        put_box(hasher, &body->boxes[i]);
    for (int i = 0; phenotype->meetings && i < body->box_count * body->box_count; i++)
        key_put_int(hasher, phenotype->meetings[i]);
}

const struct body_growth growth_boxes = {.begin = begin,
                                         .place = place,
                                         .has_room = has_room,
                                         .join = join,
                                         .find_input = find_input,
                                         .find_head = find_head,
                                         .put_detail = put_detail};
