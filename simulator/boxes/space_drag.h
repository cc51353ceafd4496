/* Drag of a viscous medium on the faces of boxes: exact integrals over each face.
 *
 * A piece dA of a face with the outward normal n that moves with the normal velocity vn feels  -k(vn) vn n dA:
 *
 *   linear      k(vn) = k            Pa s / m
 *   quadratic   k(vn) = k |vn|       kg / m^3
 *
 * on all faces, or on the leading pieces, vn > 0, alone. With g = (r x n, n) a link feels the wrench  -B V,
 * B = sum over faces of the integral of k(vn) g g' dA: symmetric and never negative, so drag never gives energy.
 * Linear drag on all faces has one B for all times in the link's axes. */
#ifndef SIMULATOR_BOXES_SPACE_DRAG_H
#define SIMULATOR_BOXES_SPACE_DRAG_H

#include "common/arena.h"
#include "simulator/boxes/space_tree.h"

/* A box on a link; in its own axes it is size_m wide. */
struct space_box {
    int link;
    struct vec3 centre; /* in the link's frame, as is ... */
    struct quaternion turn;
    struct vec3 size_m;
    int is_dry; /* it feels no drag */
};

struct space_drag_law {
    double coefficient; /* 0: no drag */
    int is_quadratic;
    int is_leading; /* only pieces that move outward */
};

struct space_drag {
    struct space_drag_law law;
    const struct space_box *boxes;
    int box_count;
    struct space_tensor
        *own; /* per link, in its axes, about its origin: of linear drag on all faces */
};

/* The boxes must outlive it. ERR_MEMORY when the arena is full. */
int space_drag_create(struct space_drag *drag, const struct space_drag_law *law,
                      const struct space_box *boxes, int box_count, int link_count,
                      struct arena *arena);
/* Puts the tensors, for the pose and the velocity, into all links of the tree. */
void space_drag_set(const struct space_drag *drag, struct space_tree *tree);

/* Integral of k(vn) g g' over a rectangle: its centre from the origin, its outward normal, half its sides as
 * vectors; v: the motion of the origin. Added to the tensor. */
void space_drag_add_face(struct space_tensor *tensor, const struct space_drag_law *law,
                         struct vec3 centre, struct vec3 normal, struct vec3 half_s,
                         struct vec3 half_t, const struct space_motion *v);

#endif
