/* The table of kinds, in the order of enum body_kind, which files keep. */
#include "common/genome/body_kind.h"

#include "common/genome/sensor.h"

/* Rectangles have the first ones; spheres those that need no faces. */
#define SENSORS_OF_MANY                                                                            \
    (SENSORS_OF_SIGHT(OTHER) | SENSORS_OF_SIGHT(OBJECT) | SENSORS_OF_SIGHT(SOUND) |                \
     SENSORS_OF_SIGHT(SCENT_1) | SENSORS_OF_SIGHT(SCENT_2) | SENSOR_BIT(SENSOR_PAIN) |             \
     SENSOR_BIT(SENSOR_RESERVE) | SENSOR_BIT(SENSOR_TOUCH_KIND))
#define SENSORS_THROUGH                                                                            \
    (SENSOR_BIT(SENSOR_ACCELERATION_THROUGH) | SENSOR_BIT(SENSOR_LIGHT_THROUGH) |                  \
     SENSOR_BIT(SENSOR_OTHER_THROUGH) | SENSOR_BIT(SENSOR_OBJECT_THROUGH) |                        \
     SENSOR_BIT(SENSOR_SOUND_THROUGH) | SENSOR_BIT(SENSOR_SCENT_1_THROUGH) |                       \
     SENSOR_BIT(SENSOR_SCENT_2_THROUGH))
#define SENSORS_OF_FACES                                                                           \
    ((SENSOR_BIT(SENSOR_LIGHT_LEVEL + 1) - 1) | (SENSORS_OF_MANY & ~SENSORS_THROUGH))
#define SENSORS_OF_RECTANGLES (SENSORS_OF_FACES | SENSOR_BIT(SENSOR_STRETCH))
#define SENSORS_OF_SPHERES                                                                         \
    (SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_RATE) | SENSOR_BIT(SENSOR_LIGHT_ALONG) |   \
     SENSOR_BIT(SENSOR_LIGHT_ACROSS) | SENSOR_BIT(SENSOR_LIGHT_LEVEL) | SENSOR_BIT(SENSOR_BONE) |  \
     SENSOR_BIT(SENSOR_BONE_RATE) | SENSOR_BIT(SENSOR_JOINT_2) | SENSOR_BIT(SENSOR_TOUCH) |        \
     SENSOR_BIT(SENSOR_HEIGHT))

/* Those of rectangles, which stretch alone, and what the third dimension adds. */
#define SENSORS_OF_BOXES                                                                           \
    (SENSORS_OF_FACES | SENSOR_BIT(SENSOR_JOINT_2) | SENSOR_BIT(SENSOR_JOINT_3) |                  \
     SENSOR_BIT(SENSOR_JOINT_RATE_2) | SENSOR_BIT(SENSOR_JOINT_RATE_3) |                           \
     SENSOR_BIT(SENSOR_CONTACT_FRONT) | SENSOR_BIT(SENSOR_CONTACT_BACK) | SENSORS_THROUGH |        \
     SENSOR_BIT(SENSOR_HEIGHT))

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
                         .sensors = SENSORS_OF_RECTANGLES,
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
                      .sensors = SENSORS_OF_SPHERES,
                      .growth = &growth_spheres,
                      .solvers = SOLVER_BIT(SOLVER_ARTICULATED),
                      .format_version = 3},
    [BODY_BOXES] = {.name = "boxes",
                    .body_noun = "box",
                    .connection_noun = "connection",
                    .brace_noun = "connection",
                    .body = box_body_genes,
                    .connection = box_connection_genes,
                    .sensors = SENSORS_OF_BOXES,
                    .growth = &growth_boxes,
                    .solvers = SOLVER_BIT(SOLVER_ARTICULATED) | SOLVER_BIT(SOLVER_CONSTRAINT),
                    .can_contend = 1,
                    .has_relief = 1,
                    .format_version = 4},
};
