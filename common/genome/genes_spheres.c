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

static int has_no_axis(const void *gene)
{
    return joint_of(gene) < JOINT_HINGE;
}

const struct gene_field sphere_body_genes[] = {
    GENE_ROW_ID(GENE_BODY(id)),
    GENE_ROW("radius_m", "radius", GENE_REAL, GENE_REQUIRED | GENE_WRITTEN, .unit = "m",
             GENE_BODY(sphere.radius_m), GENE_BETWEEN(GENOME_RADIUS_MIN_M, GENOME_RADIUS_MAX_M),
             GENE_CHANGE_LENGTH(CHANGE_SIZE, spheres_radius_min_m, spheres_radius_max_m)),
    GENE_ROW("friction", "friction", GENE_REAL, GENE_WRITTEN, GENE_BODY(sphere.friction),
             GENE_BETWEEN(0, GENOME_FRICTION_MAX), .assumed = ASSUMED_FRICTION),
    GENE_ROW("is_rolling", "rolling", GENE_FLAG, 0, .key = "rolling", GENE_BODY(sphere.is_rolling),
             GENE_BETWEEN(0, 1)),
    GENE_ROW_HEAD(0),
    GENE_ROW_JOINT(JOINT_FREE, JOINT_SADDLE, JOINT_FREE, 0),
    GENE_ROW("limits", "limit", GENE_LIMITS, GENE_WRITTEN, GENE_BODY(lower),
             .forms = gene_flat_limit_forms, .form_count = 1, .assumed = GENE_ASSUMED_LIMIT_RAD,
             .narrow = narrow_limits, GENE_CHANGE_LIMITS),
    GENE_ROW_SECOND_LIMITS(sphere.lower_2, narrow_limits_2),
    GENE_ROW("axis_rad", "axis", GENE_REAL, 0, GENE_BODY(sphere.axis_rad),
             GENE_BETWEEN(-GENOME_ANGLE_MAX_RAD, GENOME_ANGLE_MAX_RAD), .is_absent = has_no_axis,
             GENE_CHANGE_ANGLE(CHANGE_AXIS)),
    GENE_ROWS_GROWTH(SYMMETRY_COUNT - 1),
    GENE_ROW("drive_strength", "drive strength", GENE_REAL, GENE_GATE | GENE_WRITTEN | GENE_BRAIN,
             .key = "strength", .group = "drive", GENE_BODY(drive_strength), GENE_BETWEEN(0, 1),
             .assumed = 1, .is_absent = has_no_axis),
    GENE_ROW("drive input", "drive", GENE_INPUTS, GENE_REQUIRED | GENE_WRITTEN | GENE_BRAIN,
             .key = "inputs", .group = "drive", GENE_BODY(drives), .narrow = gene_narrow_drives),
    GENE_END,
};

/* A brace is as long as its ends lie apart, and grows nothing: no length, angles, scale and
 * flags. */
static int is_brace(const void *gene)
{
    return ((const struct connection_gene *)gene)->brace != BRACE_NONE;
}

#define MUSCLE_ROW(its_name, its_words, its_flags, member, least_change, turns, ...)               \
    GENE_ROW(its_name, its_words, GENE_REAL, its_flags, .group = "muscle",                         \
             GENE_CONNECTION(bone.member), __VA_ARGS__,                                            \
             .mutation = {                                                                         \
                 .change = CHANGE_MUSCLE, .least = least_change, .is_signed = turns, .digits = 2})

const struct gene_field sphere_connection_genes[] = {
    GENE_ROWS_ENDS,
    GENE_ROW("brace", "brace", GENE_CHOICE, 0, GENE_CONNECTION(brace),
             GENE_BETWEEN(0, BRACE_COUNT - 1), .names = brace_names),
    GENE_ROW("length_m", "length", GENE_REAL, GENE_REQUIRED | GENE_WRITTEN, .unit = "m",
             GENE_CONNECTION(bone.length_m), GENE_BETWEEN(GENOME_BONE_MIN_M, GENOME_BONE_MAX_M),
             .is_absent = is_brace,
             GENE_CHANGE_LENGTH(CHANGE_LENGTH, spheres_bone_min_m, spheres_bone_max_m)),
    GENE_ROW("angle_rad", "angle", GENE_REAL, 0, GENE_CONNECTION(angle_rad),
             GENE_BETWEEN(-GENOME_ANGLE_MAX_RAD, GENOME_ANGLE_MAX_RAD), .is_absent = is_brace,
             GENE_CHANGE_ANGLE(CHANGE_PLACEMENT)),
    GENE_ROW("tilt_rad", "tilt", GENE_REAL, 0, GENE_CONNECTION(bone.tilt_rad),
             GENE_BETWEEN(-GENOME_ANGLE_MAX_RAD / 4, GENOME_ANGLE_MAX_RAD / 4),
             .is_absent = is_brace, GENE_CHANGE_ANGLE(CHANGE_PLACEMENT)),
    MUSCLE_ROW("gain", "gain", GENE_GATE | GENE_WRITTEN, gain, LEAST_SHARE, 1, GENE_BETWEEN(-1, 1),
               .assumed = 1),
    MUSCLE_ROW("shortest", "shortest", GENE_WRITTEN, shortest, LEAST_SHARE, 0,
               GENE_BETWEEN(GENOME_MUSCLE_SHARE_MIN, 1), .assumed = ASSUMED_SHORTEST),
    MUSCLE_ROW("longest", "longest", GENE_WRITTEN, longest, LEAST_SHARE, 0,
               GENE_BETWEEN(1, GENOME_MUSCLE_SHARE_MAX), .assumed = ASSUMED_LONGEST),
    MUSCLE_ROW("rate_1_s", "rate", GENE_WRITTEN, rate_1_s, LEAST_RATE_1_S, 0, .unit = "1/s",
               GENE_BETWEEN(0, GENOME_MUSCLE_RATE_1_S), .assumed = ASSUMED_RATE_1_S),
    GENE_ROWS_SUBTREE(is_brace),
    GENE_END,
};
