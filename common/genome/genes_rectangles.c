/* The genes of rectangles: two sides, a joint that is rigid, turns or slides, and connections from
 * a place on the parent's outline to one on the child's. */
#include "common/genome/gene_rows.h"

const struct gene_field rectangle_body_genes[] = {
    GENE_ROW_ID(GENE_BODY(id)),
    {.name = "width_m", .words = "width", GENE_BODY(width_m), GENE_SIDE},
    {.name = "height_m", .words = "height", GENE_BODY(height_m), GENE_SIDE},
    {.name = "joint",
     .words = "joint",
     .type = GENE_CHOICE,
     .flags = GENE_WRITTEN,
     GENE_BODY(joint),
     GENE_BETWEEN(JOINT_RIGID, JOINT_LINEAR),
     .names = joint_type_names,
     .assumed = JOINT_ROTARY},
    GENE_ROW_FLAT_LIMITS,
    GENE_ROWS_GROWTH(SYMMETRY_SIDES),
    GENE_ROWS_EMITTERS,
    GENE_END,
};

const struct gene_field rectangle_connection_genes[] = {
    GENE_ROWS_ENDS,
    {.name = "parent_face",
     .words = "parent face",
     GENE_CONNECTION(parent_face),
     .assumed = FACE_RIGHT,
     GENE_FACE(FACE_FLAT_COUNT)},
    {.name = "parent_position",
     .words = "parent position",
     GENE_CONNECTION(parent_position),
     GENE_POSITION},
    {.name = "child_face",
     .words = "child face",
     GENE_CONNECTION(child_face),
     .assumed = FACE_LEFT,
     GENE_FACE(FACE_FLAT_COUNT)},
    {.name = "child_position",
     .words = "child position",
     GENE_CONNECTION(child_position),
     GENE_POSITION},
    {.name = "angle_rad",
     .words = "angle",
     GENE_CONNECTION(angle_rad),
     GENE_ANGLE(GENOME_ANGLE_MAX_RAD)},
    GENE_ROWS_SUBTREE(NULL, NULL),
    GENE_END,
};
