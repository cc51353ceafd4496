/* The physics of all kinds of body, in the order of enum body_kind. */
#include "simulator/body/physics_kinds.h"

const struct body_physics *const body_physics[BODY_KIND_COUNT] = {
    [BODY_RECTANGLES] = &physics_rectangles,
    [BODY_SPHERES] = &physics_spheres,
    [BODY_BOXES] = &physics_boxes,
};
