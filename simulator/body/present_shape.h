/* Shapes as they are now: parts that stretch have other sides than at birth. */
#ifndef SIMULATOR_BODY_PRESENT_SHAPE_H
#define SIMULATOR_BODY_PRESENT_SHAPE_H

#include "common/math/detmath.h"
#include "simulator/body/dynamics.h"
#include "simulator/contact/collide.h"

/* Half the sides of a part's shape. */
static inline struct vec3 present_half(const struct dynamics *dynamics, const struct shape *shape)
{
    if (shape->drive < 0)
        return shape->half_m;
    double stretch = dynamics_part_stretch(dynamics, shape->part);
    return (struct vec3){shape->half_m.x * det_exp(stretch), shape->half_m.y * det_exp(-stretch),
                         shape->half_m.z};
}

/* The rectangle of a part in the plane, with these half sides. */
static inline struct box present_box(const struct dynamics *dynamics, int part, double half_width,
                                     double half_height)
{
    struct part_state state;
    dynamics_part_state(dynamics, part, &state);
    struct box box = {
        .x = state.at_m.x, .y = state.at_m.y, .half_width = half_width, .half_height = half_height};
    det_sincos(state.angle_rad, &box.sin, &box.cos);
    return box;
}

#endif
