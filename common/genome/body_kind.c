/* The table of kinds, in the order of enum body_kind, which files keep. */
#include "common/genome/body_kind.h"

#include "common/genome/sensor.h"

/* The letters of kinds in the rows of SENSORS, as sets of kinds. */
enum {
    SENSOR_OF_R = 1 << BODY_RECTANGLES,
    SENSOR_OF_B = 1 << BODY_BOXES,
    SENSOR_OF_S = 1 << BODY_SPHERES,
    SENSOR_OF_RB = SENSOR_OF_R | SENSOR_OF_B,
    SENSOR_OF_BS = SENSOR_OF_B | SENSOR_OF_S,
    SENSOR_OF_RBS = SENSOR_OF_RB | SENSOR_OF_S,
};
/* A row's part of the expression that is a kind's set of sensors: "| bit", or "| 0". */
#define OF(kind, id, kinds)                 | (SENSOR_OF_##kinds >> (kind)&1 ? SENSOR_BIT(SENSOR_##id) : 0)
#define OF_RECTANGLES(id, name, kinds, ...) OF(BODY_RECTANGLES, id, kinds)
#define OF_SPHERES(id, name, kinds, ...)    OF(BODY_SPHERES, id, kinds)
#define OF_BOXES(id, name, kinds, ...)      OF(BODY_BOXES, id, kinds)

int body_kind_check_params(int kind, const struct params *params, struct error *error)
{
    const char *key = params->world_relief_m > 0  ? "world.relief_m"
                      : params->exam_relief_m > 0 ? "exam.relief_m"
                                                  : NULL;
    if (params->creature_stretch_max > 0 && !body_kinds[kind].can_stretch)
        return error_set(error, ERR_RANGE,
                         "creature.stretch_max: creature.body %s has no parts that stretch",
                         body_kinds[kind].name);
    if (!key || body_kinds[kind].has_relief)
        return 0;
    return error_set(error, ERR_RANGE,
                     "%s: creature.body %s has no contacts with a ground that has waves", key,
                     body_kinds[kind].name);
}

const int body_kind_count = BODY_KIND_COUNT;
const struct body_kind_info body_kinds[BODY_KIND_COUNT] = {
    [BODY_RECTANGLES] = {.name = "rectangles",
                         .body_noun = "body",
                         .connection_noun = "connection",
                         .brace_noun = "connection",
                         .body = rectangle_body_genes,
                         .connection = rectangle_connection_genes,
                         .sensors = 0 SENSORS(OF_RECTANGLES),
                         .growth = &growth_rectangles,
                         .solvers = SOLVER_BIT(SOLVER_ARTICULATED) | SOLVER_BIT(SOLVER_CONSTRAINT),
                         .can_contend = 1,
                         .has_relief = 1,
                         .can_stretch = 1,
                         .is_flat = 1,
                         .format_version = 1},
    [BODY_SPHERES] = {.name = "spheres",
                      .body_noun = "sphere",
                      .connection_noun = "bone",
                      .brace_noun = "brace",
                      .body = sphere_body_genes,
                      .connection = sphere_connection_genes,
                      .sensors = 0 SENSORS(OF_SPHERES),
                      .growth = &growth_spheres,
                      .solvers = SOLVER_BIT(SOLVER_ARTICULATED),
                      .format_version = 3},
    [BODY_BOXES] = {.name = "boxes",
                    .body_noun = "box",
                    .connection_noun = "connection",
                    .brace_noun = "connection",
                    .body = box_body_genes,
                    .connection = box_connection_genes,
                    .sensors = 0 SENSORS(OF_BOXES),
                    .growth = &growth_boxes,
                    .solvers = SOLVER_BIT(SOLVER_ARTICULATED) | SOLVER_BIT(SOLVER_CONSTRAINT),
                    .can_contend = 1,
                    .has_relief = 1,
                    .format_version = 4},
};
