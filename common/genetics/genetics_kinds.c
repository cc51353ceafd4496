/* The genetics of all kinds of body, in the order of enum body_kind. */
#include "common/genetics/genetics_kind.h"

const struct genetics_kind *const genetics_kinds[BODY_KIND_COUNT] = {
    [BODY_RECTANGLES] = &genetics_boxes,
    [BODY_SPHERES] = &genetics_spheres,
    [BODY_BOXES] = &genetics_boxes,
};
