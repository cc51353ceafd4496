/* The sensors of a part: one table; a body gene carries a set of them as bits. */
#ifndef COMMON_GENOME_SENSOR_H
#define COMMON_GENOME_SENSOR_H

#include "common/params/params.h"

/* Faces of a part in its own frame: those of a rectangle counter-clockwise from +x, then those of a box at +z and -z.
 * In a mirrored part (see phenotype.h) `top` and `bottom` of a rectangle, `front` and `back` of a box are exchanged in the
 * world, so that genes keep their meaning. */
enum face {
    FACE_RIGHT,
    FACE_TOP,
    FACE_LEFT,
    FACE_BOTTOM,
    FACE_FLAT_COUNT, /* of a rectangle */
    FACE_FRONT = FACE_FLAT_COUNT,
    FACE_BACK,
    FACE_COUNT
};

#define SENSORS(X)                                                                                 \
    X(JOINT, "joint", "angle of the joint to the parent, rad (mirrored parts: sign reversed)")     \
    X(CONTACT_RIGHT, "contact-right", "1 while the right face touches anything, else -1")          \
    X(CONTACT_TOP, "contact-top", "1 while the top face touches anything, else -1")                \
    X(CONTACT_LEFT, "contact-left", "1 while the left face touches anything, else -1")             \
    X(CONTACT_BOTTOM, "contact-bottom", "1 while the bottom face touches anything, else -1")       \
    X(JOINT_RATE, "joint-rate", "rate of the joint, rad/s (mirrored parts: sign reversed)")        \
    X(ACCELERATION_ALONG, "acceleration-along",                                                    \
      "acceleration of the part's centre less gravity, along its width, in 9.81 m/s2")             \
    X(ACCELERATION_ACROSS, "acceleration-across", "the same, along its height")                    \
    X(LIGHT_ALONG, "light-along", "direction of the light: its cosine to the part's width")        \
    X(LIGHT_ACROSS, "light-across", "direction of the light: its cosine to the part's height")     \
    X(LIGHT_LEVEL, "light-level", "brightness / (1 + distance squared) of the light, m")           \
    X(BONE, "bone", "length of the bone to the parent, less that at birth, by that at birth")      \
    X(BONE_RATE, "bone-rate", "rate of that length, lengths at birth per second")                  \
    X(JOINT_2, "joint-2", "angle of the joint about its second axis, rad")                         \
    X(TOUCH, "touch", "1 while the part touches anything, else -1")                                \
    X(HEIGHT, "height", "height of the part's centre, m")                                          \
    X(CONTACT_FRONT, "contact-front", "1 while the front face touches anything, else -1")          \
    X(CONTACT_BACK, "contact-back", "1 while the back face touches anything, else -1")             \
    X(JOINT_RATE_2, "joint-rate-2", "rate of the joint's second freedom, rad/s")                   \
    X(JOINT_3, "joint-3", "the joint's third freedom, rad")                                        \
    X(JOINT_RATE_3, "joint-rate-3", "rate of the joint's third freedom, rad/s")                    \
    X(ACCELERATION_THROUGH, "acceleration-through", "acceleration along the part's depth")         \
    X(LIGHT_THROUGH, "light-through", "direction of the light: its cosine to the part's depth")

enum sensor {
#define X(id, name, text) SENSOR_##id,
    SENSORS(X)
#undef X
        SENSOR_COUNT
};

#define SENSOR_BIT(sensor) (1u << (sensor))
#define SENSORS_OF_LIGHT                                                                           \
    (SENSOR_BIT(SENSOR_LIGHT_ALONG) | SENSOR_BIT(SENSOR_LIGHT_ACROSS) |                            \
     SENSOR_BIT(SENSOR_LIGHT_THROUGH) | SENSOR_BIT(SENSOR_LIGHT_LEVEL))

struct sensor_info {
    const char *name;
    const char *meaning;
};

extern const struct sensor_info sensors[SENSOR_COUNT];

/* The sensor with that name, or -1. */
int sensor_find(const char *name);
/* The set of the sensors that the world's parameters switch on (section sensor). */
uint32_t sensors_switched_on(const struct params *params);
extern const char *const face_names[FACE_COUNT];   /* right, top, left, bottom, front, back */
extern const enum sensor face_sensors[FACE_COUNT]; /* of contact */
int face_find(const char *name);

#endif
