/* The genes of rectangles: two sides, a joint that is rigid, turns or slides, and connections from a place on
 * the parent's outline to one on the child's. */
#include "common/genome/gene_rows.h"

#define LEAST_POSITION 0.5

_Static_assert(offsetof(struct body_gene, upper) ==
                   offsetof(struct body_gene, lower) + sizeof(double),
               "GENE_LIMITS is two doubles one after the other");

static const struct gene_limit_form limit_forms[] = {GENE_LIMITS_RAD, GENE_LIMITS_M};

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

#define SIDE                                                                                       \
    .unit = "m", .type = GENE_REAL, .flags = GENE_REQUIRED | GENE_WRITTEN,                         \
    GENE_BETWEEN(GENOME_SIDE_MIN_M, GENOME_SIDE_MAX_M),                                            \
    .mutation = {.change = CHANGE_SIZE,                                                            \
                 .digits = 3,                                                                      \
                 .lowest = offsetof(struct params, creature_side_min_m),                           \
                 .highest = offsetof(struct params, creature_side_max_m)}

const struct gene_field rectangle_body_genes[] = {
    GENE_ROW_ID(GENE_BODY(id)),
    {.name = "width_m", .words = "width", GENE_BODY(width_m), SIDE},
    {.name = "height_m", .words = "height", GENE_BODY(height_m), SIDE},
    {.name = "joint",
     .words = "joint",
     .type = GENE_CHOICE,
     .flags = GENE_WRITTEN,
     GENE_BODY(joint),
     GENE_BETWEEN(JOINT_RIGID, JOINT_LINEAR),
     .names = joint_type_names,
     .assumed = JOINT_ROTARY},
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
    GENE_ROWS_GROWTH(SYMMETRY_SIDES),
    GENE_END,
};

#define FACE                                                                                       \
    .type = GENE_CHOICE, .flags = GENE_WRITTEN, GENE_BETWEEN(0, FACE_FLAT_COUNT - 1),              \
    .names = face_names, .mutation = {.change = CHANGE_PLACEMENT}
#define POSITION                                                                                   \
    .type = GENE_REAL, GENE_BETWEEN(-1, 1),                                                        \
    .mutation = {.change = CHANGE_PLACEMENT, .least = LEAST_POSITION, .is_signed = 1, .digits = 2}

const struct gene_field rectangle_connection_genes[] = {
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
    {.name = "child_face",
     .words = "child face",
     GENE_CONNECTION(child_face),
     .assumed = FACE_LEFT,
     FACE},
    {.name = "child_position",
     .words = "child position",
     GENE_CONNECTION(child_position),
     POSITION},
    {.name = "angle_rad",
     .words = "angle",
     .unit = "rad",
     .type = GENE_REAL,
     GENE_CONNECTION(angle_rad),
     GENE_BETWEEN(-GENOME_ANGLE_MAX_RAD, GENOME_ANGLE_MAX_RAD),
     .mutation =
         {.change = CHANGE_PLACEMENT, .least = GENE_LEAST_ANGLE_RAD, .is_signed = 1, .digits = 2}},
    GENE_ROWS_SUBTREE(NULL, NULL),
    GENE_END,
};
