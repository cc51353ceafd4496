/* Viscosity in all its variants: which pieces of a body's edges the world's medium can reach, and
 * the drag tensor of each link that follows. Both solvers use it.
 *
 * A piece ds of an edge with outward normal n and normal velocity vn feels -k vn n ds (linear law)
 * or -k |vn| vn n ds (quadratic law); on all faces, or only where vn > 0: leading. Written with the
 * row g = (r x n, n) of a point r, vn = g . V for the velocity V = (w, vx, vy) of the link, and
 *
 *   force = -B V,      B = sum over exposed pieces of k integral g g' ds        (linear)
 *                                                     k integral |vn| g g' ds   (quadratic)
 *
 * of a link that stretches g = (r x n, n, s.n) and V ends with the rate of its stretch, s being
 * what that moves r by: s.n is the same all along an edge. B is a symmetric 3 x 3 (4 x 4) tensor,
 * positive semidefinite whatever the law: drag never does work on a body. All integrals are exact,
 * edges being split where vn changes its sign. B depends on V in the quadratic law and on leading
 * faces, else on the pose only.
 *
 * Exposed is a point of an edge from which the ray along n, itself included, meets no other own
 * part: it is neither covered by one nor faces one, at any distance. Another rectangle hides one
 * interval of an edge: the shadow of its share in front of the edge. Shadows among the parts of
 * one link are found once; the others by drag_expose(), once a step.
 *
 * Sizes: 2 to 16 parts, 4 edges each; nothing is allocated after drag_create(). */
#ifndef SIMULATOR_PLANAR_STEPS_DRAG_H
#define SIMULATOR_PLANAR_STEPS_DRAG_H

#include "simulator/contact/collide.h"
#include "simulator/planar/tree/tree.h"
#include "simulator/world/world.h"

/* The needs of the law, in order of cost: nothing, a constant tensor, one for each step, one for
 * each velocity or, where parts stretch, each pose. */
enum drag_kind { DRAG_NONE, DRAG_PLAIN, DRAG_EXPOSED, DRAG_MOVING };

struct drag_edge {
    double nx, ny; /* outward normal in the link's frame */
    double arm;    /* r x n of its middle; r x n = arm - s at s */
    double half_length;
    double spread; /* along the normal, by the rate of the part's stretch: the same all along */
};

/* A piece of an edge, from its middle, counter-clockwise. */
struct drag_piece {
    double from, to;
};

struct drag_part {
    double cos, sin; /* in its link */
    double half_width, half_height, radius;
    int link, is_fixed, is_stretching;
    enum part_shape shape;
    struct vec2 local;
};

/* Integrals of 1, p and p^2 over the exposed pieces of an edge, r x n = p. */
struct drag_moments {
    double m0, m1, m2;
};

/* Two parts, with numbers for either direction: of a, which b may hide, and of b, which a may. */
struct drag_pair {
    int a, b;
    double half_width[2], half_height[2];
    double by_half_width[2], by_half_height[2], by_round[2]; /* a disk is round alone */
};

struct drag {
    enum drag_kind kind;
    double coefficient; /* of the law */
    int is_quadratic, is_leading, has_exposure, has_stretch;
    int part_count, link_count;
    struct drag_part *parts;
    struct vec2 *centres; /* of mass, in the link's frame */
    double *mass, *inertia;
    struct drag_edge *edges;        /* 4 a part, as in enum face */
    struct drag_piece *rest_pieces; /* `part_count` an edge: exposed among the parts of the link */
    struct drag_piece *pieces;      /* the same of this step */
    int *rest_counts, *counts;
    int *is_shaded;            /* edges that have pieces of their own in this step */
    struct drag_moments *rest; /* per edge: of rest_pieces */
    struct drag_pair *pairs;   /* parts of different links */
    int pair_count;
    struct motion *velocity; /* per link, about its origin in its frame: to be set by the caller */
    double *rates;           /* per link: of its stretch, likewise */
    struct tensor *tensors;  /* per link, likewise: of the last drag_update() */
    struct tree_column *columns; /* the fourth column of B, of links that stretch */
};

/* Takes everything from the arena; ERR_MEMORY when it is full. */
int drag_create(struct drag *drag, const struct phenotype *phenotype, const struct world *world,
                struct arena *arena);
/* Takes over the world's law; until drag_expose() only links shade their own parts. */
void drag_set_world(struct drag *drag, const struct world *world);
/* The present sides of a part that stretches. */
void drag_set_sides(struct drag *drag, int part, const struct tree_sides *sides);
/* Finds out what is exposed where the parts are; boxes[part]. */
void drag_expose(struct drag *drag, const struct box *boxes);
/* Makes tensors[] from velocity[] (which matters for DRAG_MOVING only). */
void drag_update(struct drag *drag);
/* The fastest rate at which drag slows a link, 1/s, judged by the last tensors: explicit steps need
 * h x rate well below 2. */
double drag_rate(const struct drag *drag);

#endif
