/* Shapes as they are now: parts that stretch have other sides than at birth. */
#ifndef SIMULATOR_BODY_PRESENT_SHAPE_H
#define SIMULATOR_BODY_PRESENT_SHAPE_H

#include "common/math/detmath.h"
#include "simulator/body/dynamics.h"

/* Half the sides of a part's shape. */
static inline struct vec3 present_half(const struct dynamics *dynamics, const struct shape *shape)
{
    if (shape->drive < 0)
        return shape->half_m;
    double stretch = dynamics_part_stretch(dynamics, shape->part);
    return (struct vec3){shape->half_m.x * det_exp(stretch), shape->half_m.y * det_exp(-stretch),
                         shape->half_m.z};
}

#endif
