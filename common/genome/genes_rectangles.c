/* The genes of rectangles: two sides, a joint that is rigid, turns or slides, and connections from
 * a place on the parent's outline to one on the child's. */
#include "common/genome/gene_rows.h"

const struct gene_field rectangle_body_genes[] = {
    GENE_ROW_ID(GENE_BODY(id)),
    GENE_ROW_SIDE("width_m", "width", width_m),
    GENE_ROW_SIDE("height_m", "height", height_m),
    GENE_ROW_JOINT(JOINT_RIGID, JOINT_LINEAR, JOINT_ROTARY, 0),
    GENE_ROW_FLAT_LIMITS,
    GENE_ROWS_GROWTH(SYMMETRY_SIDES),
    GENE_ROWS_EMITTERS,
    GENE_ROW("stretch_limit", "stretch", GENE_REAL, GENE_GATE | GENE_WRITTEN | GENE_LATER,
             .key = "limit", .group = "stretch", GENE_BODY(stretch.limit),
             GENE_BETWEEN(0, GENOME_STRETCH_MAX), .assumed = GENOME_STRETCH_MAX),
    GENE_ROW_INPUT("stretch", GENE_LATER, stretch.input),
    GENE_ROW("mouth", "mouth", GENE_CHOICE, GENE_LAST, GENE_BODY(mouth),
             GENE_BETWEEN(MOUTH_NONE, MOUTH_FLESH), .names = mouth_names,
             .mutation = {.change = CHANGE_MOUTH}),
    GENE_ROW_HEAD(GENE_HEAD),
    GENE_END,
};

const struct gene_field rectangle_connection_genes[] = {
    GENE_ROWS_ENDS,
    GENE_ROW_FACE("parent_face", "parent face", parent_face, FACE_FLAT_COUNT, FACE_RIGHT),
    GENE_ROW_POSITION("parent_position", "parent position", parent_position),
    GENE_ROW_FACE("child_face", "child face", child_face, FACE_FLAT_COUNT, FACE_LEFT),
    GENE_ROW_POSITION("child_position", "child position", child_position),
    GENE_ROW_ANGLE("angle_rad", "angle", angle_rad, GENOME_ANGLE_MAX_RAD),
    GENE_ROWS_SUBTREE(NULL),
    GENE_END,
};
