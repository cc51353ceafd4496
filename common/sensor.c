/* The sensors' table and the names of faces; a few rows, searched in order. */
#include "common/sensor.h"

#include <string.h>

const struct sensor_info sensors[SENSOR_COUNT] = {
#define X(id, text_name, text) {.name = text_name, .meaning = text},
    SENSORS(X)
#undef X
};

const char *const face_names[FACE_COUNT] = {"right", "top", "left", "bottom"};

/* A body gene keeps its set of sensors in 32 bits. */
_Static_assert(SENSOR_COUNT <= 32, "more sensors than bits");

int sensor_find(const char *name)
{
    for (int i = 0; i < SENSOR_COUNT; i++)
        if (!strcmp(sensors[i].name, name))
            return i;
    return -1;
}

int face_find(const char *name)
{
    for (int i = 0; i < FACE_COUNT; i++)
        if (!strcmp(face_names[i], name))
            return i;
    return -1;
}
