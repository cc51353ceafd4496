/* The growth of spheres and bones: places, bones, joints and drives of what phenotype.c grows.
 *
 * Placement. Each part has a frame of three unit vectors: ahead (the direction of the bone that
 * leads to it), up and side; the root's are x, y, z. With a = angle_rad and t = tilt_rad of the
 * connection and F, U, S the parent's frame, the child's is
 *     ahead = cos t (cos a F + sin a U) + sin t S
 *     up    = -sin a F + cos a U
 *     side  = -sin t (cos a F + sin a U) + cos t S
 * and its centre lies ahead of the parent's by the bone's length. A reflected connection negates S
 * first, an image one axis that its gene names; since all descends from these vectors by products
 * and sums, which do not care about the sign of all their terms, images are exact, bit for bit. In
 * a world of two dimensions there is no tilt and the image to the other side is one to the back.
 *
 * Size. Radii and bones scale with the product of the scales on the path and are clamped to
 * creature.*.
 *
 * Bones. Bone i - 1 leads to part i. Braces follow, part by part in the order of their genes; they
 * are as long as their ends have come to lie apart. Work is bounded: at most 64 parts times 96
 * connections times 64 candidates, in practice some hundreds.
 *
 * Joints. The bone of a part is held against its parent's bone; those of the root's children
 * against the bone of the root's first child. For directions across that bone the joint has a
 * reference: the sphere that bones hold best against sphere and base, and that lies least in line
 * with them. */
#include <math.h>

#include "common/growth/phenotype_grow.h"
#include "common/growth/sphere_body.h"
#include "common/math/detmath.h"

/* A reference lies so far off the line of the base bone at least: the sine of the angle. */
#define REFERENCE_SINE 0.1

/* Known only while the creature grows. */
struct own {
    struct sphere_body body;
    struct frame *frames; /* by part */
};
/* Ahead (the direction of the bone to the part), up and sideways; left-handed in mirror images. */
struct frame {
    struct vec3 ahead, up, side;
};

static struct sphere_body *body_of(const struct grower *grower)
{
    return &((struct own *)grower->own)->body;
}

static struct frame *frame_of(const struct grower *grower, int part)
{
    return &((struct own *)grower->own)->frames[part];
}

/* ---- vectors ---- */

static double distance(const struct sphere_body *body, int a, int b)
{
    struct vec3 way = vec3_sub(body->spheres[b].centre, body->spheres[a].centre);
    return sqrt(vec3_dot(way, way));
}

/* ---- parts ---- */

/* The connection whose numbers a part's bone has. */
static const struct connection_gene *bone_gene_of(const struct grower *grower, int part)
{
    int row = grower->growths[part].connection_row;
    return &grower->genome->connections[grower->branches[row].placement_row];
}

static int begin(struct grower *grower, struct arena *arena)
{
    size_t parts = (size_t)grower->parts_max;
    struct own *own = arena_take(arena, 1, sizeof *own);
    if (!own)
        return ERR_MEMORY;
    struct sphere_body *body = &own->body;
    own->frames = arena_take(arena, parts, sizeof *own->frames);
    body->spheres = arena_take(arena, parts, sizeof *body->spheres);
    body->bones = arena_take(arena, SPHERE_BONES_MAX, sizeof *body->bones);
    body->joints = arena_take(arena, SPHERE_JOINTS_MAX, sizeof *body->joints);
    body->drives =
        arena_take(arena, SPHERE_BONES_MAX + 2 * SPHERE_JOINTS_MAX, sizeof *body->drives);
    if (!own->frames || !body->spheres || !body->bones || !body->joints || !body->drives)
        return ERR_MEMORY;
    grower->own = own;
    grower->phenotype->detail = body;
    return 0;
}

/* The parent's frame as the child sees it: mirrored where the connection is reflected or an
 * image. */
static void look_from_parent(const struct grower *grower, int index, struct frame *seen,
                             int *mirror)
{
    const struct part *part = &grower->phenotype->parts[index];
    int symmetry = gene_of(grower, index)->is_symmetric;
    *seen = *frame_of(grower, part->parent);
    *mirror = grower->phenotype->parts[part->parent].mirror;
    if (bone_gene_of(grower, index)->is_reflected) {
        seen->side = vec3_negate(seen->side);
        *mirror = -*mirror;
    }
    if (!grower->growths[index].is_image)
        return;
    if (symmetry == SYMMETRY_SIDES && grower->params->spheres_dimensions == 2)
        symmetry = SYMMETRY_ENDS;
    struct vec3 *axis = symmetry == SYMMETRY_SIDES  ? &seen->side
                        : symmetry == SYMMETRY_ENDS ? &seen->ahead
                                                    : &seen->up;
    *axis = vec3_negate(*axis);
    *mirror = -*mirror;
}

/* Frame and centre of a part with a parent. */
static void place_child(struct grower *grower, int index)
{
    const struct params *params = grower->params;
    struct part *part = &grower->phenotype->parts[index];
    struct frame *frame = frame_of(grower, index), from;
    const struct connection_gene *gene = bone_gene_of(grower, index);
    double tilt_rad = params->spheres_dimensions == 2 ? 0 : gene->bone.tilt_rad;
    double length = clamp(gene->bone.length_m * grower->growths[index].scale,
                          params->spheres_bone_min_m, params->spheres_bone_max_m);
    double sin_a, cos_a, sin_t, cos_t;
    look_from_parent(grower, index, &from, &part->mirror);
    det_sincos(gene->angle_rad, &sin_a, &cos_a);
    det_sincos(tilt_rad, &sin_t, &cos_t);
    struct vec3 turned = vec3_mix(cos_a, from.ahead, sin_a, from.up);
    frame->ahead = vec3_mix(cos_t, turned, sin_t, from.side);
    frame->up = vec3_mix(-sin_a, from.ahead, cos_a, from.up);
    frame->side = vec3_mix(-sin_t, turned, cos_t, from.side);
    body_of(grower)->spheres[index].centre =
        vec3_mix(1, body_of(grower)->spheres[part->parent].centre, length, frame->ahead);
}

static void place(struct grower *grower, int index)
{
    const struct params *params = grower->params;
    const struct body_gene *gene = gene_of(grower, index);
    struct part *part = &grower->phenotype->parts[index];
    struct sphere *sphere = &body_of(grower)->spheres[index];
    double radius = clamp(gene->sphere.radius_m * grower->growths[index].scale,
                          params->spheres_radius_min_m, params->spheres_radius_max_m);
    sphere->radius_m = radius;
    sphere->mass_kg =
        params->creature_density_kg_m3 * (4.0 / 3.0 * DET_PI) * radius * radius * radius;
    sphere->inertia_kg_m2 = gene->sphere.is_rolling ? 0.4 * sphere->mass_kg * radius * radius : 0;
    sphere->friction = gene->sphere.friction;

    *frame_of(grower, index) = (struct frame){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (part->parent >= 0)
        place_child(grower, index);

    part->shape = PART_DISK;
    part->turn.w = 1;
    part->width_m = part->height_m = part->cross_section_m = 2 * radius;
    part->mass_kg = sphere->mass_kg;
    part->centre = sphere->centre;
    part->sensors = gene->sensors;
}

/* ---- bones ---- */

static int is_bonded(const struct sphere_body *body, int a, int b)
{
    for (int i = 0; i < body->bone_count; i++)
        if ((body->bones[i].a == a && body->bones[i].b == b) ||
            (body->bones[i].a == b && body->bones[i].b == a))
            return 1;
    return 0;
}

static struct sphere_drive *add_drive(struct grower *grower)
{
    return &body_of(grower)->drives[body_of(grower)->drive_count++];
}

static void add_bone(struct grower *grower, int a, int b, const struct bone_gene *gene, int owner)
{
    const struct params *params = grower->params;
    struct sphere_body *body = body_of(grower);
    const struct body_gene *actor = gene_of(grower, owner);
    int index = body->bone_count++;
    struct bone *bone = &body->bones[index];
    double larger = det_max(body->spheres[a].radius_m, body->spheres[b].radius_m);
    *bone = (struct bone){.a = a, .b = b, .length_m = distance(body, a, b)};
    bone->shortest_m = bone->longest_m = bone->length_m;
    if (gene->gain == 0 || !actor->has_effector)
        return;

    bone->is_muscle = 1;
    bone->shortest_m = gene->shortest * bone->length_m;
    bone->longest_m = gene->longest * bone->length_m;
    bone->rate_m_s = clamp(gene->rate_1_s * bone->length_m, 0, params->spheres_muscle_speed_m_s);
    bone->strength_n =
        params->spheres_muscle_strength_n_m * (2 * larger) * actor->effector_strength;
    double way = 1 - gene->shortest > gene->longest - 1 ? 1 - gene->shortest : gene->longest - 1;
    *add_drive(grower) = (struct sphere_drive){.kind = SPHERE_DRIVE_BONE,
                                               .index = index,
                                               .rest = bone->length_m,
                                               .unit = gene->gain * way * bone->length_m,
                                               .low = bone->shortest_m,
                                               .high = bone->longest_m};
}

/* 1 if b is a's image: grown the same way, but for one connection that is the image of the
 * other. */
static int is_twin(const struct grower *grower, int a, int b)
{
    const struct part *parts = grower->phenotype->parts;
    while (a != b && parts[a].parent >= 0 && parts[b].parent >= 0) {
        const struct growth *one = &grower->growths[a], *other = &grower->growths[b];
        const struct branch *branches = grower->branches;
        if (one->is_image != other->is_image)
            return parts[a].parent == parts[b].parent &&
                   branches[one->connection_row].placement_row ==
                       branches[other->connection_row].placement_row;
        if (one->connection_row != other->connection_row)
            return 0;
        a = parts[a].parent;
        b = parts[b].parent;
    }
    return 0;
}

/* The nearest part of a gene on the path to the root that no bone joins yet, or -1. */
static int find_ancestor(const struct grower *grower, int part, int row)
{
    const struct part *parts = grower->phenotype->parts;
    int other = parts[part].parent;
    while (other >= 0 &&
           (grower->growths[other].body_row != row || is_bonded(body_of(grower), part, other)))
        other = parts[other].parent;
    return other;
}

/* The next part of that gene with the same parent, after the last the first. */
static int find_sibling(const struct grower *grower, int part, int row)
{
    const struct phenotype *phenotype = grower->phenotype;
    for (int k = 1; k < phenotype->part_count; k++) {
        int other = (part + k) % phenotype->part_count;
        if (grower->growths[other].body_row == row &&
            phenotype->parts[other].parent == phenotype->parts[part].parent)
            return other;
    }
    return -1;
}

static int find_twin(const struct grower *grower, int part, int row)
{
    for (int other = 0; other < grower->phenotype->part_count; other++)
        if (grower->growths[other].body_row == row && is_twin(grower, part, other))
            return other;
    return -1;
}

static int find_nearest(const struct grower *grower, int part, int row)
{
    int nearest = -1;
    double least = 0;
    for (int other = 0; other < grower->phenotype->part_count; other++) {
        if (other == part || grower->growths[other].body_row != row ||
            is_bonded(body_of(grower), part, other))
            continue;
        double apart = distance(body_of(grower), part, other);
        if (nearest < 0 || apart < least) {
            nearest = other;
            least = apart;
        }
    }
    return nearest;
}

static int (*const find_brace_end[BRACE_COUNT])(const struct grower *, int part,
                                                int row) = {[BRACE_ANCESTOR] = find_ancestor,
                                                            [BRACE_SIBLING] = find_sibling,
                                                            [BRACE_TWIN] = find_twin,
                                                            [BRACE_NEAREST] = find_nearest};

static void add_braces(struct grower *grower, int part)
{
    const struct genome *genome = grower->genome;
    const struct params *params = grower->params;
    const struct sphere_body *body = body_of(grower);
    for (int i = 0; i < genome->connection_count && body->bone_count < params->spheres_bones_max;
         i++) {
        const struct connection_gene *gene = &genome->connections[i];
        const struct branch *branch = &grower->branches[i];
        if (gene->brace == BRACE_NONE || branch->from_row != grower->growths[part].body_row)
            continue;
        int end = find_brace_end[gene->brace](grower, part, branch->to_row);
        double length = end >= 0 ? distance(body, part, end) : 0;
        if (end >= 0 && !is_bonded(body, part, end) && length >= params->spheres_bone_min_m &&
            length <= params->spheres_bone_max_m)
            add_bone(grower, part, end, &gene->bone, part);
    }
}

/* ---- joints ---- */

/* The sphere whose bone to `sphere` a joint is held against, or -1. */
static int find_base(const struct phenotype *phenotype, int end)
{
    int sphere = phenotype->parts[end].parent;
    if (sphere > 0)
        return phenotype->parts[sphere].parent;
    return end > 1 ? 1 : -1;
}

/* 1 if a part is `top` or hangs on it. */
static int hangs_on(const struct phenotype *phenotype, int part, int top)
{
    while (part >= 0 && part != top)
        part = phenotype->parts[part].parent;
    return part >= 0;
}

/* The square of the sine of the angle at `sphere` between base and another sphere. */
static double off_line(const struct sphere_body *body, int sphere, int base, int other)
{
    struct vec3 a = vec3_sub(body->spheres[base].centre, body->spheres[sphere].centre);
    struct vec3 b = vec3_sub(body->spheres[other].centre, body->spheres[sphere].centre);
    double both = vec3_dot(a, a) * vec3_dot(b, b), product = vec3_dot(a, b);
    return both > 0 ? 1 - product * product / both : 0;
}

static int find_reference(const struct grower *grower, int sphere, int base, int end)
{
    const struct sphere_body *body = body_of(grower);
    int best = -1;
    double most = 0;
    for (int other = 0; other < body->sphere_count; other++) {
        int bonds = is_bonded(body, other, sphere) + is_bonded(body, other, base);
        if (other == sphere || other == base || bonds == 0 ||
            hangs_on(grower->phenotype, other, end))
            continue;
        double off = off_line(body, sphere, base, other);
        if (off >= REFERENCE_SINE * REFERENCE_SINE && bonds + off > most) {
            best = other;
            most = bonds + off;
        }
    }
    return best;
}

static void add_joint_drives(struct grower *grower, int index, const struct body_gene *gene)
{
    struct sphere_joint *joint = &body_of(grower)->joints[index];
    for (int axis = 0; axis < genome_drive_count(gene); axis++)
        *add_drive(grower) = (struct sphere_drive){.kind = SPHERE_DRIVE_JOINT,
                                                   .index = index,
                                                   .axis = axis,
                                                   .unit = 1,
                                                   .low = joint->lower[axis],
                                                   .high = joint->upper[axis]};
}

/* The joint by which a part's bone is held, if it is and there is one to hold it against. In mirror
 * images the axis, about which turns change their sense, is negated besides being mirrored. */
static void add_joint(struct grower *grower, int end)
{
    const struct params *params = grower->params;
    const struct body_gene *gene = gene_of(grower, end);
    struct sphere_body *body = body_of(grower);
    const struct frame *frame = frame_of(grower, end);
    int base = find_base(grower->phenotype, end), sphere = grower->phenotype->parts[end].parent;
    double sine, cosine, mirror = grower->phenotype->parts[end].mirror;
    if (gene->joint == JOINT_FREE || base < 0)
        return;

    int index = body->joint_count++;
    struct sphere_joint *joint = &body->joints[index];
    det_sincos(gene->sphere.axis_rad, &sine, &cosine);
    *joint = (struct sphere_joint){
        .sphere = sphere,
        .base = base,
        .end = end,
        .reference = find_reference(grower, sphere, base, end),
        .kind = gene->joint == JOINT_BALL    ? SPHERE_BALL
                : gene->joint == JOINT_HINGE ? SPHERE_HINGE
                                             : SPHERE_SADDLE,
        .axis = vec3_mix(mirror * cosine, frame->side, mirror * sine, frame->up),
        .lower = {gene->lower, gene->sphere.lower_2},
        .upper = {gene->upper, gene->sphere.upper_2}};
    // in the plane there is one axis
    if (params->spheres_dimensions == 2)
        joint->axis = (struct vec3){0, 0, mirror * frame->side.z};
    if (genome_drive_count(gene) == 0)
        return;
    double radius = det_max(body->spheres[sphere].radius_m, body->spheres[end].radius_m);
    joint->strength_n_m = params->spheres_drive_strength_n * (2 * radius) * gene->drive_strength;
    joint->rate_rad_s = params->spheres_drive_speed_rad_s;
    add_joint_drives(grower, index, gene);
}

/* A part feels its joint where there is one, and a bone where one leads to it. */
static void mask_sensors(struct grower *grower)
{
    const struct sphere_body *body = body_of(grower);
    struct part *parts = grower->phenotype->parts;
    uint64_t felt[SPHERE_JOINTS_MAX + 1] = {0};
    for (int i = 0; i < body->joint_count; i++)
        felt[body->joints[i].end] =
            SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_RATE) |
            (body->joints[i].kind == SPHERE_SADDLE ? SENSOR_BIT(SENSOR_JOINT_2) : 0);
    parts[0].sensors &= ~(SENSOR_BIT(SENSOR_BONE) | SENSOR_BIT(SENSOR_BONE_RATE));
    for (int i = 0; i < body->sphere_count; i++)
        parts[i].sensors &= felt[i] | ~(SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_RATE) |
                                        SENSOR_BIT(SENSOR_JOINT_2));
}

/* The drives as all kinds have them; each has an effector. */
static void make_drives(struct phenotype *phenotype, const struct sphere_body *body)
{
    for (int i = 0; i < body->drive_count; i++) {
        const struct sphere_drive *from = &body->drives[i];
        int is_bone = from->kind == SPHERE_DRIVE_BONE;
        double at_low = (from->low - from->rest) / from->unit;
        double at_high = (from->high - from->rest) / from->unit;
        phenotype->drives[i] = (struct drive){
            .part = is_bone ? body->bones[from->index].b : body->joints[from->index].end,
            .axis = from->axis,
            .is_linear = is_bone,
            .lower = from->low,
            .upper = from->high,
            .strength = is_bone ? body->bones[from->index].strength_n
                                : body->joints[from->index].strength_n_m,
            .rest = from->rest,
            .unit = from->unit,
            .least = det_min(at_low, at_high),
            .most = det_max(at_low, at_high)};
        phenotype->effectors[i].drive = i;
    }
}

/* Balls, and bones as rods. */
static void make_shapes(struct phenotype *phenotype, const struct sphere_body *body)
{
    struct shape *rods = phenotype->shapes + body->sphere_count;
    for (int i = 0; i < body->sphere_count; i++) {
        double radius = body->spheres[i].radius_m;
        phenotype_make_shape(phenotype, i, (struct vec3){radius, radius, radius});
    }
    for (int i = 0; i < body->bone_count; i++)
        rods[i] = (struct shape){.kind = SHAPE_ROD,
                                 .part = body->bones[i].a,
                                 .other = body->bones[i].b,
                                 .drive = -1,
                                 .turn.w = 1,
                                 .half_m = {body->bones[i].length_m / 2, 0, 0}};
    for (int i = 0; i < body->drive_count; i++)
        if (body->drives[i].kind == SPHERE_DRIVE_BONE)
            rods[body->drives[i].index].drive = i;
}

static int join(struct grower *grower, struct arena *arena)
{
    struct phenotype *phenotype = grower->phenotype;
    struct sphere_body *body = body_of(grower);
    int count = body->sphere_count = grower->phenotype->part_count;
    for (int i = 1; i < count; i++)
        add_bone(grower, grower->phenotype->parts[i].parent, i, &bone_gene_of(grower, i)->bone, i);
    for (int i = 0; i < count; i++)
        add_braces(grower, i);
    for (int i = 1; i < count; i++)
        add_joint(grower, i);
    mask_sensors(grower);
    if (phenotype_take_tables(phenotype, arena, body->drive_count, body->drive_count,
                              count + body->bone_count))
        return ERR_MEMORY;
    make_drives(phenotype, body);
    make_shapes(phenotype, body);
    phenotype->piece_count = count;
    return 0;
}

/* The part whose gene's effector or drive moves that: of a brace the part it comes from. */
static int find_actor(const struct sphere_body *body, const struct sphere_drive *drive)
{
    if (drive->kind == SPHERE_DRIVE_JOINT)
        return body->joints[drive->index].end;
    return drive->index < body->sphere_count - 1 ? body->bones[drive->index].b
                                                 : body->bones[drive->index].a;
}

static const struct input_gene *find_input(const struct grower *grower, int drive, int *reader)
{
    const struct sphere_drive *from = &body_of(grower)->drives[drive];
    *reader = find_actor(body_of(grower), from);
    const struct body_gene *gene = gene_of(grower, *reader);
    return from->kind == SPHERE_DRIVE_JOINT ? &gene->drives[from->axis] : &gene->effector_input;
}

/* ---- the key of a motion ---- */

static void put_sphere(struct key_hasher *hasher, const struct sphere *sphere)
{
    KEY_PUT_DOUBLES(hasher, sphere->radius_m, sphere->mass_kg, sphere->inertia_kg_m2,
                    sphere->friction, sphere->elasticity);
    key_put_vec3(hasher, sphere->centre);
}

static void put_bone(struct key_hasher *hasher, const struct bone *bone)
{
    KEY_PUT_INTS(hasher, bone->a, bone->b, bone->is_muscle);
    KEY_PUT_DOUBLES(hasher, bone->length_m, bone->shortest_m, bone->longest_m, bone->rate_m_s,
                    bone->strength_n);
}

static void put_sphere_joint(struct key_hasher *hasher, const struct sphere_joint *joint)
{
    KEY_PUT_INTS(hasher, joint->sphere, joint->base, joint->end, joint->reference, joint->kind);
    key_put_vec3(hasher, joint->axis);
    for (int i = 0; i < 2; i++) {
        KEY_PUT_DOUBLES(hasher, joint->lower[i], joint->upper[i]);
    }
    KEY_PUT_DOUBLES(hasher, joint->strength_n_m, joint->rate_rad_s);
}

static void put_sphere_drive(struct key_hasher *hasher, const struct sphere_drive *drive)
{
    KEY_PUT_INTS(hasher, drive->kind, drive->index, drive->axis);
    KEY_PUT_DOUBLES(hasher, drive->rest, drive->unit, drive->low, drive->high);
}

static void put_detail(struct key_hasher *hasher, const struct phenotype *phenotype)
{
    const struct sphere_body *body = sphere_body_of(phenotype);
    key_put_int(hasher, body->sphere_count);
    for (int i = 0; i < body->sphere_count; i++)
        put_sphere(hasher, &body->spheres[i]);
    key_put_int(hasher, body->bone_count);
    for (int i = 0; i < body->bone_count; i++)
        put_bone(hasher, &body->bones[i]);
    key_put_int(hasher, body->joint_count);
    for (int i = 0; i < body->joint_count; i++)
        put_sphere_joint(hasher, &body->joints[i]);
    key_put_int(hasher, body->drive_count);
    for (int i = 0; i < body->drive_count; i++)
        put_sphere_drive(hasher, &body->drives[i]);
}

const struct body_growth growth_spheres = {.begin = begin,
                                           .place = place,
                                           .join = join,
                                           .find_input = find_input,
                                           .put_detail = put_detail};
