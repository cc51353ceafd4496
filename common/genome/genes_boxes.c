/* The genes of boxes in space: three sides, a joint of up to three freedoms, and connections from a
 * place on the parent's faces to one on the child's. */
#include "common/genome/gene_rows.h"

#define JOINTS_OF_BOXES                                                                            \
    (JOINT_BIT(JOINT_RIGID) | JOINT_BIT(JOINT_LINEAR) | JOINT_BIT(JOINT_REVOLUTE) |                \
     JOINT_BIT(JOINT_TWIST) | JOINT_BIT(JOINT_UNIVERSAL) | JOINT_BIT(JOINT_BEND_TWIST) |           \
     JOINT_BIT(JOINT_TWIST_BEND) | JOINT_BIT(JOINT_SPHERICAL))

_Static_assert(offsetof(struct box_gene, upper_2) ==
                   offsetof(struct box_gene, lower_2) + sizeof(double),
               "GENE_LIMITS is two doubles one after the other");

/* A cone has one limit. */
static struct gene_range narrow_limits_2(const void *gene)
{
    int joint = ((const struct body_gene *)gene)->joint;
    double most = genome_limit_max(joint); /* 0: no joint has this number */
    if (most == 0 || joint_types[joint].freedoms < 2)
        return (struct gene_range){0, 0};
    return (struct gene_range){joint == JOINT_SPHERICAL ? 0 : 0 - most, most};
}

const struct gene_field box_body_genes[] = {
    GENE_ROW_ID(GENE_BODY(id)),
    GENE_ROW_SIDE("width_m", "width", width_m),
    GENE_ROW_SIDE("height_m", "height", height_m),
    GENE_ROW_SIDE("depth_m", "depth", box.depth_m),
    GENE_ROW_JOINT(JOINT_RIGID, JOINT_SPHERICAL, JOINT_REVOLUTE, JOINTS_OF_BOXES),
    GENE_ROW_FLAT_LIMITS,
    GENE_ROW_SECOND_LIMITS(box.lower_2, narrow_limits_2),
    GENE_ROWS_GROWTH(SYMMETRY_COUNT - 1),
    GENE_ROW("further effector input", "further effector", GENE_INPUTS, GENE_WRITTEN | GENE_BRAIN,
             .key = "further_inputs", .group = "effector", GENE_BODY(drives),
             .narrow = gene_narrow_drives),
    GENE_ROWS_EMITTERS,
    GENE_ROW_HEAD(GENE_HEAD),
    GENE_END,
};

const struct gene_field box_connection_genes[] = {
    GENE_ROWS_ENDS,
    GENE_ROW_FACE("parent_face", "parent face", parent_face, FACE_COUNT, FACE_RIGHT),
    GENE_ROW_POSITION("parent_position", "parent position", parent_position),
    GENE_ROW_POSITION("parent_position_2", "second parent position", mount.parent_position_2),
    GENE_ROW_FACE("child_face", "child face", child_face, FACE_COUNT, FACE_LEFT),
    GENE_ROW_POSITION("child_position", "child position", child_position),
    GENE_ROW_POSITION("child_position_2", "second child position", mount.child_position_2),
    GENE_ROW_ANGLE("roll_rad", "roll", mount.roll_rad, GENOME_ANGLE_MAX_RAD),
    GENE_ROW_ANGLE("angle_rad", "angle", angle_rad, GENOME_ANGLE_MAX_RAD),
    GENE_ROW_ANGLE("tilt_rad", "tilt", mount.tilt_rad, GENOME_ANGLE_MAX_RAD / 4),
    GENE_ROWS_SUBTREE(NULL),
    GENE_END,
};
