/* The genetics that each kind of body has of its own: how random genes are drawn, which joints
 * count, and mutations beyond those that the table of genes describes (common/genome/gene.h).
 * Everything else is the same for all kinds. */
#ifndef COMMON_GENETICS_GENETICS_KIND_H
#define COMMON_GENETICS_GENETICS_KIND_H

#include "common/genetics/genetics_mutation.h"

struct genetics_kind {
    /* 1 if an effector of body `row` would move something. */
    int (*has_mover)(const struct genome *genome, int row);
    /* 1 if the limits of the joint of body `row` count: the joint is in use, and not free. */
    int (*has_limits)(const struct genome *genome, int row);
    /* the effector moves the joint: a body without a moving joint has no effector */
    int is_joint_moved;

    /* Fills an appended row but for its id and what all bodies share. */
    void (*draw_body)(struct maker *maker, struct body_gene *body);
    /* The root, from which most limbs grow: the larger of the body and a new one. */
    void (*enlarge)(struct maker *maker, struct body_gene *body);
    /* Fills the last connection, whose id and ends are set. */
    void (*draw_connection)(struct maker *maker, struct connection_gene *connection);
    /* Joins what has grown; NULL: such bodies have no braces. */
    void (*draw_brace)(struct maker *maker, struct connection_gene *connection);
    /* Bounds each part by its parent (initial.taper), but for what an ancestor has alike (each may
     * be NULL). 1 if something changed. NULL: such bodies do not taper. */
    int (*taper)(struct maker *maker, const struct genome *a, const struct genome *b);
    /* A type of joint by the initial.* shares, not `except` (-1: any); -1 where no other has a
     * share. */
    int (*random_joint)(struct maker *maker, int except);
    /* Another type of joint, with what depends on it. */
    void (*set_joint)(struct maker *maker, struct body_gene *body, int joint);

    const struct mutation_kind *mutations; /* of its own; ends with a row without sites;
                                              * NULL: it has none */
};

/* The table of kinds, by BODY_*, and what it is made of. */
extern const struct genetics_kind *const genetics_kinds[];
extern const struct genetics_kind genetics_spheres, genetics_boxes;

/* Draws the scale of a connection (so many are not scaled), whether it is reflected, and whether it
 * is a terminal one. */
void genetics_draw_flags(struct connection_gene *connection, double unscaled, double reflected,
                         struct rng *rng);

static inline const struct genetics_kind *genetics_kind_of(const struct genome *genome)
{
    return genetics_kinds[genome->kind];
}

#endif
