/* The genes of boxes in space: three sides, a joint of up to three freedoms, and connections from a place on the parent's
 * faces to one on the child's. */
#include "common/genome/gene_rows.h"

#define LEAST_POSITION 0.5

#define JOINTS_OF_BOXES                                                                            \
    (JOINT_BIT(JOINT_RIGID) | JOINT_BIT(JOINT_LINEAR) | JOINT_BIT(JOINT_REVOLUTE) |                \
     JOINT_BIT(JOINT_TWIST) | JOINT_BIT(JOINT_UNIVERSAL) | JOINT_BIT(JOINT_BEND_TWIST) |           \
     JOINT_BIT(JOINT_TWIST_BEND) | JOINT_BIT(JOINT_SPHERICAL))

_Static_assert(offsetof(struct box_gene, upper_2) ==
                   offsetof(struct box_gene, lower_2) + sizeof(double),
               "GENE_LIMITS is two doubles one after the other");

static const struct gene_limit_form limit_forms[] = {GENE_LIMITS_RAD, GENE_LIMITS_M};
static const struct gene_limit_form limit_form_2 = GENE_LIMITS_2;

static int limit_form(const void *gene)
{
    return ((const struct body_gene *)gene)->joint == JOINT_LINEAR;
}

static double assume_limit(const void *gene)
{
    return limit_form(gene) ? genome_reach_m(gene) : GENE_ASSUMED_LIMIT_RAD;
}

static struct gene_range narrow_limits(const void *gene)
{
    double most = genome_limit_max(((const struct body_gene *)gene)->joint);
    return (struct gene_range){-most, most};
}

/* A cone has one limit. */
static struct gene_range narrow_limits_2(const void *gene)
{
    int joint = ((const struct body_gene *)gene)->joint;
    double most = genome_limit_max(joint); /* 0: no joint has this number */
    if (most == 0 || joint_types[joint].freedoms < 2)
        return (struct gene_range){0, 0};
    return (struct gene_range){joint == JOINT_SPHERICAL ? 0 : 0 - most, most};
}

static struct gene_range narrow_further_inputs(const void *gene)
{
    return (struct gene_range){0, genome_drive_count(gene)};
}

#define SIDE                                                                                       \
    .unit = "m", .type = GENE_REAL, .flags = GENE_REQUIRED | GENE_WRITTEN,                         \
    GENE_BETWEEN(GENOME_SIDE_MIN_M, GENOME_SIDE_MAX_M),                                            \
    .mutation = {.change = CHANGE_SIZE,                                                            \
                 .digits = 3,                                                                      \
                 .lowest = offsetof(struct params, creature_side_min_m),                           \
                 .highest = offsetof(struct params, creature_side_max_m)}

const struct gene_field box_body_genes[] = {
    GENE_ROW_ID(GENE_BODY(id)),
    {.name = "width_m", .words = "width", GENE_BODY(width_m), SIDE},
    {.name = "height_m", .words = "height", GENE_BODY(height_m), SIDE},
    {.name = "depth_m", .words = "depth", GENE_BODY(box.depth_m), SIDE},
    {.name = "joint",
     .words = "joint",
     .type = GENE_CHOICE,
     .flags = GENE_WRITTEN,
     GENE_BODY(joint),
     GENE_BETWEEN(JOINT_RIGID, JOINT_SPHERICAL),
     .names = joint_type_names,
     .choices = JOINTS_OF_BOXES,
     .assumed = JOINT_REVOLUTE},
    {.name = "limits",
     .words = "limit",
     .type = GENE_LIMITS,
     .flags = GENE_WRITTEN,
     GENE_BODY(lower),
     .forms = limit_forms,
     .form_count = 2,
     .form = limit_form,
     .assume = assume_limit,
     .narrow = narrow_limits,
     .mutation = {.change = CHANGE_LIMITS, .least = GENE_LEAST_LIMIT_RAD, .digits = 2}},
    {.name = "limits_2",
     .words = "second limit",
     .type = GENE_LIMITS,
     .flags = GENE_WRITTEN,
     GENE_BODY(box.lower_2),
     .forms = &limit_form_2,
     .form_count = 1,
     .assumed = GENE_ASSUMED_LIMIT_RAD,
     .narrow = narrow_limits_2,
     .mutation = {.change = CHANGE_LIMITS, .least = GENE_LEAST_LIMIT_RAD, .digits = 2}},
    GENE_ROWS_GROWTH(SYMMETRY_COUNT - 1),
    {.name = "further effector input",
     .key = "further_inputs",
     .words = "further effector",
     .group = "effector",
     .type = GENE_INPUTS,
     .flags = GENE_WRITTEN | GENE_BRAIN,
     GENE_BODY(drives),
     .narrow = narrow_further_inputs},
    GENE_END,
};

#define FACE                                                                                       \
    .type = GENE_CHOICE, .flags = GENE_WRITTEN, GENE_BETWEEN(0, FACE_COUNT - 1),                   \
    .names = face_names, .mutation = {.change = CHANGE_PLACEMENT}
#define POSITION                                                                                   \
    .type = GENE_REAL, GENE_BETWEEN(-1, 1),                                                        \
    .mutation = {.change = CHANGE_PLACEMENT, .least = LEAST_POSITION, .is_signed = 1, .digits = 2}
#define ANGLE(most)                                                                                \
    .unit = "rad", .type = GENE_REAL, GENE_BETWEEN(-(most), most),                                 \
    .mutation = {                                                                                  \
        .change = CHANGE_PLACEMENT, .least = GENE_LEAST_ANGLE_RAD, .is_signed = 1, .digits = 2}

const struct gene_field box_connection_genes[] = {
    GENE_ROWS_ENDS,
    {.name = "parent_face",
     .words = "parent face",
     GENE_CONNECTION(parent_face),
     .assumed = FACE_RIGHT,
     FACE},
    {.name = "parent_position",
     .words = "parent position",
     GENE_CONNECTION(parent_position),
     POSITION},
    {.name = "parent_position_2",
     .words = "second parent position",
     GENE_CONNECTION(mount.parent_position_2),
     POSITION},
    {.name = "child_face",
     .words = "child face",
     GENE_CONNECTION(child_face),
     .assumed = FACE_LEFT,
     FACE},
    {.name = "child_position",
     .words = "child position",
     GENE_CONNECTION(child_position),
     POSITION},
    {.name = "child_position_2",
     .words = "second child position",
     GENE_CONNECTION(mount.child_position_2),
     POSITION},
    {.name = "roll_rad",
     .words = "roll",
     GENE_CONNECTION(mount.roll_rad),
     ANGLE(GENOME_ANGLE_MAX_RAD)},
    {.name = "angle_rad",
     .words = "angle",
     GENE_CONNECTION(angle_rad),
     ANGLE(GENOME_ANGLE_MAX_RAD)},
    {.name = "tilt_rad",
     .words = "tilt",
     GENE_CONNECTION(mount.tilt_rad),
     ANGLE(GENOME_ANGLE_MAX_RAD / 4)},
    GENE_ROWS_SUBTREE(NULL, NULL),
    GENE_END,
};
