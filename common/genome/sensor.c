/* The sensors' table and the names of faces; a few rows, searched in order. */
#include "common/genome/sensor.h"

#include <string.h>

#include "common/genome/body_kind.h"

const struct sensor_info sensors[SENSOR_COUNT] = {
#define X(id, text_name, kinds, version, field, text)                                              \
    {text_name, text, version, offsetof(struct params, field)},
    SENSORS(X)
#undef X
};

const char *const face_names[FACE_COUNT] = {"right", "top", "left", "bottom", "front", "back"};
const enum sensor face_sensors[FACE_COUNT] = {SENSOR_CONTACT_RIGHT, SENSOR_CONTACT_TOP,
                                              SENSOR_CONTACT_LEFT,  SENSOR_CONTACT_BOTTOM,
                                              SENSOR_CONTACT_FRONT, SENSOR_CONTACT_BACK};

struct vec3 face_place(struct vec3 half, int face, double position, double position_2)
{
    switch (face) {
    case FACE_RIGHT:
        return (struct vec3){half.x, position * half.y, position_2 * half.z};
    case FACE_TOP:
        return (struct vec3){-position * half.x, half.y, position_2 * half.z};
    case FACE_LEFT:
        return (struct vec3){-half.x, -position * half.y, position_2 * half.z};
    case FACE_BOTTOM:
        return (struct vec3){position * half.x, -half.y, position_2 * half.z};
    case FACE_FRONT:
        return (struct vec3){position * half.x, position_2 * half.y, half.z};
    default:
        return (struct vec3){-position * half.x, position_2 * half.y, -half.z};
    }
}

#define SIGHT(text_name, what)                                                                     \
    {                                                                                              \
        .name = text_name, .along = SENSOR_##what##_ALONG, .across = SENSOR_##what##_ACROSS,       \
        .through = SENSOR_##what##_THROUGH, .level = SENSOR_##what##_LEVEL,                        \
        .sensors = SENSORS_OF_SIGHT(what)                                                          \
    }
const struct sight_info sights[SIGHT_COUNT] = {
    [SIGHT_LIGHT] = SIGHT("light", LIGHT),       [SIGHT_OTHER] = SIGHT("other", OTHER),
    [SIGHT_OBJECT] = SIGHT("object", OBJECT),    [SIGHT_SOUND] = SIGHT("sound", SOUND),
    [SIGHT_SCENT_1] = SIGHT("scent-1", SCENT_1), [SIGHT_SCENT_2] = SIGHT("scent-2", SCENT_2),
};
#undef SIGHT

/* A body gene keeps its set of sensors in 64 bits. */
_Static_assert(SENSOR_COUNT <= 64, "more sensors than bits");

static int find_sight(const char *name, size_t length)
{
    for (int i = 0; i < SIGHT_COUNT; i++)
        if (strlen(sights[i].name) == length && !strncmp(sights[i].name, name, length))
            return i;
    return -1;
}

int sights_read_exchange(const char *text, void *field, struct error *error)
{
    struct sight_exchange *exchange = field;
    size_t length = strcspn(text, ":");
    const char *second = text[length] ? text + length + 1 : "";
    int from = find_sight(text, length), to = find_sight(second, strlen(second));
    if (from < 0 || to < 0 || from == to)
        return error_set(error, ERR_USAGE,
                         "'%s' is not two of light, other, object, sound, scent-1, scent-2, as "
                         "in light:object",
                         text);
    *exchange = (struct sight_exchange){1, {(enum sight_kind)from, (enum sight_kind)to}};
    return 0;
}

int sight_of(int sensor)
{
    ENSURE(sensor >= 0 && sensor < SENSOR_COUNT, "sensor %d", sensor);
    for (int i = 0; i < SIGHT_COUNT; i++)
        if (sights[i].sensors & SENSOR_BIT(sensor))
            return i;
    return -1;
}

int sight_sensor_of(int sensor, enum sight_kind from, enum sight_kind to)
{
    const struct sight_info *a = &sights[from], *b = &sights[to];
    const int own[] = {(int)a->along, (int)a->across, (int)a->through, (int)a->level};
    const int others[] = {(int)b->along, (int)b->across, (int)b->through, (int)b->level};
    for (int i = 0; i < 4; i++)
        if (sensor == own[i])
            return others[i];
    return sensor;
}

uint64_t sensors_drawn(int kind, const struct params *params)
{
    uint64_t of_one = SENSOR_BIT(SENSOR_OTHER_ALONG) - 1;
    return body_kinds[kind].sensors & (sensors_switched_on(params) | of_one);
}
