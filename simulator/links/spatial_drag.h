/* Drag of a viscous medium on the faces of boxes: exact integrals over each face.
 *
 * A piece dA of a face with the outward normal n that moves with the normal velocity vn feels
 * -k(vn) vn n dA:
 *
 *   linear      k(vn) = k            Pa s / m
 *   quadratic   k(vn) = k |vn|       kg / m^3
 *
 * on all faces, or on the leading pieces, vn > 0, alone. With g = (r x n, n) a link feels the
 * wrench  -B V, B = sum over faces of the integral of k(vn) g g' dA: symmetric and never negative,
 * so drag never gives energy. Linear drag on all faces has one B for all times in the link's axes,
 * unless boxes hide faces of one another. */
#ifndef SIMULATOR_LINKS_SPATIAL_DRAG_H
#define SIMULATOR_LINKS_SPATIAL_DRAG_H

#include "common/system/arena.h"
#include "simulator/links/exposure.h"
#include "simulator/links/spatial_tree.h"

struct spatial_drag_law {
    double coefficient; /* 0: no drag */
    int is_quadratic;
    int is_leading;   /* only pieces that move outward */
    int has_exposure; /* only pieces that no other box of the body covers or faces; exposure.h */
};

/* A link's pose, and its tensor there where the velocity does not change it. */
struct spatial_drag_pose {
    struct mat3 turned;
    struct vec3 at;
    struct spatial_tensor tensor;
};

/* The hidden pieces of a face, EXPOSURE_ALL_HIDDEN or so many from the first on, if they are
 * known. */
struct spatial_drag_face {
    int is_known, first, count;
};

/* The hidden pieces of faces where the boxes were placed last, as far as there is room for them. */
struct spatial_drag_hidden {
    struct spatial_drag_face *faces; /* six of each box */
    struct exposure_piece *pieces;
    int count, room; /* room is left for EXPOSURE_PIECES_MAX more, which are not kept */
};

/* Which solid a box is, and the solids of its body: `count` from `first` on. */
struct spatial_drag_place {
    int solid, first, count;
};

/* A box whose faces move in its own axes, as those of the reference in the plane: with its rate
 * they go outward at spread, of either end of each axis. g ends with that then, and B V with its
 * column for the rate, which also says what acts on the stretch. */
struct spatial_drag_stretch {
    double rate;
    struct vec3 spread;
    struct vec3 moment, force; /* the column: in the world's axes, about the link's origin */
    double own;
};

struct spatial_drag {
    struct spatial_drag_law law; /* only spatial_drag_set_law() changes it */
    const struct body_box *boxes;
    int box_count, link_count;
    int axes; /* faces across the first so many axes of boxes feel it: 3, or the caller's 2 */
    struct spatial_tensor
        *own; /* per link, in its axes, about its origin: of linear drag on all faces */
    struct spatial_drag_place *places; /* per box */
    struct solid *solids;
    struct mat3 *turns;              /* per box, in its link */
    struct exposure_other *others;   /* how the boxes lie to the one in hand */
    struct spatial_drag_pose *poses; /* per link: where the solids were placed last */
    struct spatial_drag_hidden *hidden;
    /* per box, the caller's: spatial_drag_set() fills the columns, and the boxes may have other sides
     * and places at each; NULL: none stretches */
    struct spatial_drag_stretch *stretches;
};

/* The boxes must outlive it. With exposure those of one body, which hang on one root, hide one
 * another; links NULL: all do. ERR_MEMORY when the arena is full. */
int spatial_drag_create(struct spatial_drag *drag, const struct spatial_drag_law *law,
                        const struct body_box *boxes, int box_count, const struct body_link *links,
                        int link_count, struct arena *arena);
/* From now on by another law. */
void spatial_drag_set_law(struct spatial_drag *drag, const struct spatial_drag_law *law);
/* 1 if the velocity does not change the tensors. */
int spatial_drag_is_constant(const struct spatial_drag_law *law);
/* Puts the tensors, for the pose and the velocity, into all links of the tree. */
void spatial_drag_set(const struct spatial_drag *drag, struct spatial_tree *tree);

/* + the integrals of k(vn) times 1, s, t, s^2, s t, t^2 over a piece of a face, without the law's
 * coefficient; vn = v0 + s vs + t vt. */
void spatial_drag_integrate(const struct spatial_drag_law *law, const struct exposure_piece *piece,
                            double v0, double vs, double vt, double integrals[6]);

#endif
