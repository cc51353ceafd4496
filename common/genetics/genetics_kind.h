/* The genetics that each kind of body has of its own: how random genes are drawn, which joints
 * count, and mutations beyond those that the table of genes describes (common/genome/gene.h).
 * Everything else is the same for all kinds. */
#ifndef COMMON_GENETICS_GENETICS_KIND_H
#define COMMON_GENETICS_GENETICS_KIND_H

#include "common/genetics/genetics_mutation.h"
#include "common/math/vec3.h"

struct genetics_kind {
    /* 1 if an effector of body `row` would move something. */
    int (*has_mover)(const struct genome *genome, int row);
    /* 1 if the limits of the joint of body `row` count: the joint is in use, and not free. */
    int (*has_limits)(const struct genome *genome, int row);
    /* the effector moves the joint: a body without a moving joint has no effector */
    int is_joint_moved;

    /* Fills an appended row but for its id and what all bodies share. */
    void (*draw_body)(struct body_gene *body, const struct params *params, struct rng *rng);
    /* The root, from which most limbs grow: the larger of the body and a new one. */
    void (*enlarge)(struct body_gene *body, const struct params *params, struct rng *rng);
    /* Fills the last connection, whose id and ends are set. */
    void (*draw_connection)(struct genome *genome, const struct params *params, struct rng *rng);
    /* Joins what has grown; NULL: such bodies have no braces. */
    void (*draw_brace)(struct connection_gene *connection, const struct params *params,
                       struct rng *rng);
    /* Bounds each part by its parent (initial.taper), but for what an ancestor has alike (each may
     * be NULL). 1 if something changed. NULL: such bodies do not taper. */
    int (*taper)(struct genome *genome, const struct genome *a, const struct genome *b,
                 const struct params *params);
    /* A type of joint by the initial.* shares, not `except` (-1: any); -1 where no other has a
     * share. */
    int (*random_joint)(const struct params *params, int except, struct rng *rng);
    /* Another type of joint, with what depends on it. */
    void (*set_joint)(struct body_gene *body, int joint, const struct params *params,
                      struct rng *rng);

    const struct mutation_kind *mutations; /* of its own; ends with a row without a function */
};

/* genetics_boxes.c: what rectangles, which have no depth, share with boxes. */
double genetics_draw_side_m(const struct params *params, struct rng *rng);
void genetics_draw_limits(struct body_gene *body, const struct params *params, struct rng *rng);
/* A point of a part's surface, in its own frame. */
struct vec3 genetics_surface_point(const struct body_gene *body, int face, double position,
                                   double position_2);
/* The distance from a point to the nearest attachment that the part has already: of its own to its
 * parent, or of a child. The last connection, which is being drawn, does not count. */
double genetics_measure_space(const struct genome *genome, const struct body_gene *body,
                              struct vec3 here);
/* One of the two faces, mostly, else any of `face_count`. */
enum face genetics_draw_end(const enum face ends[2], int face_count, struct rng *rng);
double genetics_draw_child_position(struct rng *rng);
double genetics_draw_angle_rad(struct rng *rng);
/* Scale, reflection with that chance, and whether the connection is a terminal one. */
void genetics_draw_flags(struct connection_gene *connection, double reflected, struct rng *rng);

/* The table of kinds, by BODY_*, and what it is made of. */
extern const struct genetics_kind *const genetics_kinds[];
extern const struct genetics_kind genetics_rectangles, genetics_spheres, genetics_boxes;

static inline const struct genetics_kind *genetics_kind_of(const struct genome *genome)
{
    return genetics_kinds[genome->kind];
}

#endif
