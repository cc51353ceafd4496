/* The genes of spheres and bones: radius and surface of a sphere, a joint that holds its bone
 * against the parent's bone and may be driven; bones, which may be muscles, and braces, which join
 * what has grown. */
#include "common/genome/gene_rows.h"

#define ASSUMED_FRICTION 1.0
#define ASSUMED_SHORTEST 0.75
#define ASSUMED_LONGEST  1.25
#define ASSUMED_RATE_1_S 4.0
#define LEAST_SHARE      0.2 /* of a muscle's length */
#define LEAST_RATE_1_S   1.0

_Static_assert(offsetof(struct sphere_gene, upper_2) ==
                   offsetof(struct sphere_gene, lower_2) + sizeof(double),
               "GENE_LIMITS is two doubles one after the other");

static const struct gene_limit_form limit_form = GENE_LIMITS_RAD;

static int joint_of(const void *gene)
{
    return ((const struct body_gene *)gene)->joint;
}

static struct gene_range either_way(double most)
{
    return (struct gene_range){-most, most};
}

/* A cone has one limit. */
static struct gene_range narrow_limits(const void *gene)
{
    struct gene_range range = either_way(genome_limit_max(joint_of(gene)));
    if (joint_of(gene) == JOINT_BALL)
        range.low = 0;
    return range;
}

static struct gene_range narrow_limits_2(const void *gene)
{
    return either_way(joint_of(gene) == JOINT_SADDLE ? genome_limit_max(JOINT_SADDLE) : 0);
}

static struct gene_range narrow_axis(const void *gene)
{
    return either_way(joint_of(gene) >= JOINT_HINGE ? GENOME_ANGLE_MAX_RAD : 0);
}

static struct gene_range narrow_drive_strength(const void *gene)
{
    return (struct gene_range){0, joint_of(gene) >= JOINT_HINGE ? 1 : 0};
}

static struct gene_range narrow_drives(const void *gene)
{
    return (struct gene_range){0, genome_drive_count(gene)};
}

const struct gene_field sphere_body_genes[] = {
    GENE_ROW_ID(GENE_BODY(id)),
    {.name = "radius_m",
     .words = "radius",
     .unit = "m",
     .type = GENE_REAL,
     .flags = GENE_REQUIRED | GENE_WRITTEN,
     GENE_BODY(sphere.radius_m),
     GENE_BETWEEN(GENOME_RADIUS_MIN_M, GENOME_RADIUS_MAX_M),
     .mutation = {.change = CHANGE_SIZE,
                  .digits = 3,
                  .lowest = offsetof(struct params, spheres_radius_min_m),
                  .highest = offsetof(struct params, spheres_radius_max_m)}},
    {.name = "friction",
     .words = "friction",
     .type = GENE_REAL,
     .flags = GENE_WRITTEN,
     GENE_BODY(sphere.friction),
     GENE_BETWEEN(0, GENOME_FRICTION_MAX),
     .assumed = ASSUMED_FRICTION},
    {.name = "is_rolling",
     .key = "rolling",
     .words = "rolling",
     .type = GENE_FLAG,
     GENE_BODY(sphere.is_rolling),
     GENE_BETWEEN(0, 1)},
    GENE_ROW_HEAD(0),
    {.name = "joint",
     .words = "joint",
     .type = GENE_CHOICE,
     .flags = GENE_WRITTEN,
     GENE_BODY(joint),
     GENE_BETWEEN(JOINT_FREE, JOINT_SADDLE),
     .names = joint_type_names,
     .assumed = JOINT_FREE},
    {.name = "limits",
     .words = "limit",
     .type = GENE_LIMITS,
     .flags = GENE_WRITTEN,
     GENE_BODY(lower),
     .forms = &limit_form,
     .form_count = 1,
     .assumed = GENE_ASSUMED_LIMIT_RAD,
     .narrow = narrow_limits,
     .mutation = {.change = CHANGE_LIMITS, .least = GENE_LEAST_LIMIT_RAD, .digits = 2}},
    GENE_ROW_SECOND_LIMITS(sphere.lower_2, narrow_limits_2),
    {.name = "axis_rad",
     .words = "axis",
     .unit = "rad",
     .type = GENE_REAL,
     GENE_BODY(sphere.axis_rad),
     .narrow = narrow_axis,
     .mutation =
         {.change = CHANGE_AXIS, .least = GENE_LEAST_ANGLE_RAD, .is_signed = 1, .digits = 2}},
    GENE_ROWS_GROWTH(SYMMETRY_COUNT - 1),
    {.name = "drive_strength",
     .key = "strength",
     .words = "drive strength",
     .group = "drive",
     .type = GENE_REAL,
     .flags = GENE_GATE | GENE_WRITTEN | GENE_BRAIN,
     GENE_BODY(drive_strength),
     .assumed = 1,
     .narrow = narrow_drive_strength},
    {.name = "drive input",
     .key = "inputs",
     .words = "drive",
     .group = "drive",
     .type = GENE_INPUTS,
     .flags = GENE_REQUIRED | GENE_WRITTEN | GENE_BRAIN,
     GENE_BODY(drives),
     .narrow = narrow_drives},
    GENE_END,
};

/* A brace is as long as its ends lie apart, and grows nothing: no length, angles, scale and
 * flags. */
static int is_brace(const void *gene)
{
    return ((const struct connection_gene *)gene)->brace != BRACE_NONE;
}

static struct gene_range narrow_length(const void *gene)
{
    static const struct gene_range all = {GENOME_BONE_MIN_M, GENOME_BONE_MAX_M};
    return is_brace(gene) ? (struct gene_range){0, 0} : all;
}

static struct gene_range narrow_angle(const void *gene)
{
    return either_way(is_brace(gene) ? 0 : GENOME_ANGLE_MAX_RAD);
}

static struct gene_range narrow_tilt(const void *gene)
{
    return either_way(is_brace(gene) ? 0 : GENOME_ANGLE_MAX_RAD / 4);
}

static struct gene_range narrow_scale(const void *gene)
{
    static const struct gene_range all = {GENOME_SCALE_MIN, GENOME_SCALE_MAX};
    return is_brace(gene) ? (struct gene_range){1, 1} : all;
}

static struct gene_range narrow_flag(const void *gene)
{
    return (struct gene_range){0, is_brace(gene) ? 0 : 1};
}

#define MUSCLE .group = "muscle", .type = GENE_REAL
#define MUSCLE_CHANGE(least_change, turns)                                                         \
    .mutation = {.change = CHANGE_MUSCLE, .least = least_change, .is_signed = turns, .digits = 2}

const struct gene_field sphere_connection_genes[] = {
    GENE_ROWS_ENDS,
    {.name = "brace",
     .words = "brace",
     .type = GENE_CHOICE,
     GENE_CONNECTION(brace),
     GENE_BETWEEN(0, BRACE_COUNT - 1),
     .names = brace_names},
    {.name = "length_m",
     .words = "length",
     .unit = "m",
     .type = GENE_REAL,
     .flags = GENE_REQUIRED | GENE_WRITTEN,
     GENE_CONNECTION(bone.length_m),
     .narrow = narrow_length,
     .mutation = {.change = CHANGE_LENGTH,
                  .digits = 3,
                  .lowest = offsetof(struct params, spheres_bone_min_m),
                  .highest = offsetof(struct params, spheres_bone_max_m)}},
    {.name = "angle_rad",
     .words = "angle",
     .unit = "rad",
     .type = GENE_REAL,
     GENE_CONNECTION(angle_rad),
     .narrow = narrow_angle,
     .mutation =
         {.change = CHANGE_PLACEMENT, .least = GENE_LEAST_ANGLE_RAD, .is_signed = 1, .digits = 2}},
    {.name = "tilt_rad",
     .words = "tilt",
     .unit = "rad",
     .type = GENE_REAL,
     GENE_CONNECTION(bone.tilt_rad),
     .narrow = narrow_tilt,
     .mutation =
         {.change = CHANGE_PLACEMENT, .least = GENE_LEAST_ANGLE_RAD, .is_signed = 1, .digits = 2}},
    {.name = "gain",
     .words = "gain",
     .flags = GENE_GATE | GENE_WRITTEN,
     GENE_CONNECTION(bone.gain),
     GENE_BETWEEN(-1, 1),
     .assumed = 1,
     MUSCLE,
     MUSCLE_CHANGE(LEAST_SHARE, 1)},
    {.name = "shortest",
     .words = "shortest",
     .flags = GENE_WRITTEN,
     GENE_CONNECTION(bone.shortest),
     GENE_BETWEEN(GENOME_MUSCLE_SHARE_MIN, 1),
     .assumed = ASSUMED_SHORTEST,
     MUSCLE,
     MUSCLE_CHANGE(LEAST_SHARE, 0)},
    {.name = "longest",
     .words = "longest",
     .flags = GENE_WRITTEN,
     GENE_CONNECTION(bone.longest),
     GENE_BETWEEN(1, GENOME_MUSCLE_SHARE_MAX),
     .assumed = ASSUMED_LONGEST,
     MUSCLE,
     MUSCLE_CHANGE(LEAST_SHARE, 0)},
    {.name = "rate_1_s",
     .words = "rate",
     .unit = "1/s",
     .flags = GENE_WRITTEN,
     GENE_CONNECTION(bone.rate_1_s),
     GENE_BETWEEN(0, GENOME_MUSCLE_RATE_1_S),
     .assumed = ASSUMED_RATE_1_S,
     MUSCLE,
     MUSCLE_CHANGE(LEAST_RATE_1_S, 0)},
    GENE_ROWS_SUBTREE(narrow_scale, narrow_flag),
    GENE_END,
};
