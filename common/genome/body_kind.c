/* The table of kinds, in the order of enum body_kind, which files keep. */
#include "common/genome/body_kind.h"

#include "common/genome/sensor.h"

const struct body_kind_info body_kinds[BODY_KIND_COUNT] = {
    [BODY_RECTANGLES] = {.name = "rectangles",
                         .body_noun = "body",
                         .connection_noun = "connection",
                         .brace_noun = "connection",
                         .body = rectangle_body_genes,
                         .connection = rectangle_connection_genes,
                         .sensors = SENSORS_OF_RECTANGLES,
                         .format_version = 1},
    [BODY_SPHERES] = {.name = "spheres",
                      .body_noun = "sphere",
                      .connection_noun = "bone",
                      .brace_noun = "brace",
                      .body = sphere_body_genes,
                      .connection = sphere_connection_genes,
                      .sensors = SENSORS_OF_SPHERES,
                      .format_version = 3},
};
