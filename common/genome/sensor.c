/* The sensors' table and the names of faces; a few rows, searched in order. */
#include "common/genome/sensor.h"

#include <string.h>

const struct sensor_info sensors[SENSOR_COUNT] = {
#define X(id, text_name, text) {.name = text_name, .meaning = text},
    SENSORS(X)
#undef X
};

const char *const face_names[FACE_COUNT] = {"right", "top", "left", "bottom", "front", "back"};
const enum sensor face_sensors[FACE_COUNT] = {SENSOR_CONTACT_RIGHT, SENSOR_CONTACT_TOP,
                                              SENSOR_CONTACT_LEFT,  SENSOR_CONTACT_BOTTOM,
                                              SENSOR_CONTACT_FRONT, SENSOR_CONTACT_BACK};

/* A body gene keeps its set of sensors in 32 bits. */
_Static_assert(SENSOR_COUNT <= 32, "more sensors than bits");

int sensor_find(const char *name)
{
    for (int i = 0; i < SENSOR_COUNT; i++)
        if (!strcmp(sensors[i].name, name))
            return i;
    return -1;
}

uint32_t sensors_switched_on(const struct params *params)
{
    uint32_t set = 0;
    if (params->sensor_joint)
        set |= SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_2) | SENSOR_BIT(SENSOR_JOINT_3);
    if (params->sensor_contact) {
        for (int face = 0; face < FACE_COUNT; face++)
            set |= SENSOR_BIT(face_sensors[face]);
        set |= SENSOR_BIT(SENSOR_TOUCH);
    }
    if (params->sensor_joint_rate)
        set |= SENSOR_BIT(SENSOR_JOINT_RATE) | SENSOR_BIT(SENSOR_JOINT_RATE_2) |
               SENSOR_BIT(SENSOR_JOINT_RATE_3);
    if (params->sensor_acceleration)
        set |= SENSOR_BIT(SENSOR_ACCELERATION_ALONG) | SENSOR_BIT(SENSOR_ACCELERATION_ACROSS) |
               SENSOR_BIT(SENSOR_ACCELERATION_THROUGH);
    if (params->sensor_light)
        set |= SENSORS_OF_LIGHT;
    if (params->sensor_bone)
        set |= SENSOR_BIT(SENSOR_BONE) | SENSOR_BIT(SENSOR_BONE_RATE);
    if (params->sensor_height)
        set |= SENSOR_BIT(SENSOR_HEIGHT);
    return set;
}

int face_find(const char *name)
{
    for (int i = 0; i < FACE_COUNT; i++)
        if (!strcmp(face_names[i], name))
            return i;
    return -1;
}
