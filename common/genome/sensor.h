/* The sensors of a part: one table; a body gene carries a set of them as bits. Their values come
 * from the physics of each kind of body (feel() in simulator/NAMES/physics_NAMES.c); those that are
 * alike in all parts, from feel_alike() in simulator/mind/senses.c. */
#ifndef COMMON_GENOME_SENSOR_H
#define COMMON_GENOME_SENSOR_H

#include "common/math/vec3.h"
#include "common/params/params.h"

/* Faces of a part in its own frame: those of a rectangle counter-clockwise from +x, then those of a
 * box at +z and -z. In a mirrored part (see phenotype.h) `top` and `bottom` of a rectangle, `front`
 * and `back` of a box are exchanged in the world, so that genes keep their meaning. */
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

/* A row of the sensors: name in files; kinds of bodies that have it (R rectangles, B boxes, S
 * spheres); version of creature files from which on; parameter that switches it on; meaning. */
#define SENSORS(X)                                                                                 \
    X(JOINT, "joint", RBS, 1, sensor_joint,                                                        \
      "angle of the joint to the parent, rad (mirrored parts: sign reversed)")                     \
    X(CONTACT_RIGHT, "contact-right", RB, 1, sensor_contact,                                       \
      "1 while the right face touches anything, else -1")                                          \
    X(CONTACT_TOP, "contact-top", RB, 1, sensor_contact,                                           \
      "1 while the top face touches anything, else -1")                                            \
    X(CONTACT_LEFT, "contact-left", RB, 1, sensor_contact,                                         \
      "1 while the left face touches anything, else -1")                                           \
    X(CONTACT_BOTTOM, "contact-bottom", RB, 1, sensor_contact,                                     \
      "1 while the bottom face touches anything, else -1")                                         \
    X(JOINT_RATE, "joint-rate", RBS, 1, sensor_joint_rate,                                         \
      "rate of the joint, rad/s (mirrored parts: sign reversed)")                                  \
    X(ACCELERATION_ALONG, "acceleration-along", RB, 1, sensor_acceleration,                        \
      "acceleration of the part's centre less gravity, along its width, in 9.81 m/s2")             \
    X(ACCELERATION_ACROSS, "acceleration-across", RB, 1, sensor_acceleration,                      \
      "the same, along its height")                                                                \
    X(LIGHT_ALONG, "light-along", RBS, 1, sensor_light,                                            \
      "direction of the light: its cosine to the part's width")                                    \
    X(LIGHT_ACROSS, "light-across", RBS, 1, sensor_light,                                          \
      "direction of the light: its cosine to the part's height")                                   \
    X(LIGHT_LEVEL, "light-level", RBS, 1, sensor_light,                                            \
      "brightness / (1 + distance squared) of the light, m")                                       \
    X(BONE, "bone", S, 3, spheres_sensor_bone,                                                     \
      "length of the bone to the parent, less that at birth, by that at birth")                    \
    X(BONE_RATE, "bone-rate", S, 3, spheres_sensor_bone,                                           \
      "rate of that length, lengths at birth per second")                                          \
    X(JOINT_2, "joint-2", BS, 3, sensor_joint, "angle of the joint about its second axis, rad")    \
    X(TOUCH, "touch", S, 3, sensor_contact, "1 while the part touches anything, else -1")          \
    X(HEIGHT, "height", BS, 3, sensor_height, "height of the part's centre, m")                    \
    X(CONTACT_FRONT, "contact-front", B, 4, sensor_contact,                                        \
      "1 while the front face touches anything, else -1")                                          \
    X(CONTACT_BACK, "contact-back", B, 4, sensor_contact,                                          \
      "1 while the back face touches anything, else -1")                                           \
    X(JOINT_RATE_2, "joint-rate-2", B, 4, sensor_joint_rate,                                       \
      "rate of the joint's second freedom, rad/s")                                                 \
    X(JOINT_3, "joint-3", B, 4, sensor_joint, "the joint's third freedom, rad")                    \
    X(JOINT_RATE_3, "joint-rate-3", B, 4, sensor_joint_rate,                                       \
      "rate of the joint's third freedom, rad/s")                                                  \
    X(ACCELERATION_THROUGH, "acceleration-through", B, 4, sensor_acceleration,                     \
      "acceleration along the part's depth")                                                       \
    X(LIGHT_THROUGH, "light-through", B, 4, sensor_light,                                          \
      "direction of the light: its cosine to the part's depth")                                    \
    X(OTHER_ALONG, "other-along", RB, 6, sensor_other,                                             \
      "direction of the nearest other creature: cosine to the width")                              \
    X(OTHER_ACROSS, "other-across", RB, 6, sensor_other,                                           \
      "the same: its cosine to the part's height")                                                 \
    X(OTHER_THROUGH, "other-through", B, 6, sensor_other,                                          \
      "the same: its cosine to the part's depth")                                                  \
    X(OTHER_LEVEL, "other-level", RB, 6, sensor_other, "1 / (1 + distance squared) of it, m")      \
    X(OBJECT_ALONG, "object-along", RB, 6, sensor_object,                                          \
      "direction of the contest's object: cosine to the width")                                    \
    X(OBJECT_ACROSS, "object-across", RB, 6, sensor_object,                                        \
      "the same: its cosine to the part's height")                                                 \
    X(OBJECT_THROUGH, "object-through", B, 6, sensor_object,                                       \
      "the same: its cosine to the part's depth")                                                  \
    X(OBJECT_LEVEL, "object-level", RB, 6, sensor_object, "1 / (1 + distance squared) of it, m")   \
    X(SOUND_ALONG, "sound-along", RB, 7, sensor_sound,                                             \
      "direction of the loudest sound of others: cosine to the width")                             \
    X(SOUND_ACROSS, "sound-across", RB, 7, sensor_sound,                                           \
      "the same: its cosine to the part's height")                                                 \
    X(SOUND_THROUGH, "sound-through", B, 7, sensor_sound,                                          \
      "the same: its cosine to the part's depth")                                                  \
    X(SOUND_LEVEL, "sound-level", RB, 7, sensor_sound,                                             \
      "strength / (1 + distance squared) of it, m")                                                \
    X(SCENT_1_ALONG, "scent-1-along", RB, 7, sensor_scent,                                         \
      "direction to more of the first scent: cosine to the width")                                 \
    X(SCENT_1_ACROSS, "scent-1-across", RB, 7, sensor_scent,                                       \
      "the same: its cosine to the part's height")                                                 \
    X(SCENT_1_THROUGH, "scent-1-through", B, 7, sensor_scent,                                      \
      "the same: its cosine to the part's depth")                                                  \
    X(SCENT_1_LEVEL, "scent-1-level", RB, 7, sensor_scent,                                         \
      "how much of it there is at the part, 0 to 1")                                               \
    X(SCENT_2_ALONG, "scent-2-along", RB, 7, sensor_scent,                                         \
      "direction to more of the second scent: as scent-1-along")                                   \
    X(SCENT_2_ACROSS, "scent-2-across", RB, 7, sensor_scent,                                       \
      "the same: its cosine to the part's height")                                                 \
    X(SCENT_2_THROUGH, "scent-2-through", B, 7, sensor_scent,                                      \
      "the same: its cosine to the part's depth")                                                  \
    X(SCENT_2_LEVEL, "scent-2-level", RB, 7, sensor_scent,                                         \
      "how much of it there is at the part, 0 to 1")                                               \
    X(PAIN, "pain", RB, 7, sensor_pain, "preserve: what mouths took of late, 0 to 1")              \
    X(RESERVE, "reserve", RB, 7, sensor_reserve,                                                   \
      "preserve: reserve of energy, as a share of the most it can hold")                           \
    X(TOUCH_KIND, "touch-kind", RB, 7, sensor_touch_kind,                                          \
      "1 while the part touches another creature, 0.5 if of its family, else 0")                   \
    X(STRETCH, "stretch", R, 8, creature_stretch_max,                                              \
      "how long the part is: from -1, shortest, to 1, longest; 0 at birth")

enum sensor {
#define X(id, ...) SENSOR_##id,
    SENSORS(X)
#undef X
        SENSOR_COUNT
};

#define SENSOR_BIT(sensor) (UINT64_C(1) << (sensor))
#define SENSORS_OF_SIGHT(what)                                                                     \
    (SENSOR_BIT(SENSOR_##what##_ALONG) | SENSOR_BIT(SENSOR_##what##_ACROSS) |                      \
     SENSOR_BIT(SENSOR_##what##_THROUGH) | SENSOR_BIT(SENSOR_##what##_LEVEL))

struct sensor_info {
    const char *name;
    const char *meaning;
    int since;        /* version of creature files */
    size_t switch_at; /* of the parameter that switches it on, in struct params */
};

extern const struct sensor_info sensors[SENSOR_COUNT];

/* Things sensed from afar, by four sensors each: the light, the nearest other creature (the centre
 * of its mass), the object of a contest, the loudest sound, two scents. */
enum sight_kind {
    SIGHT_LIGHT,
    SIGHT_OTHER,
    SIGHT_OBJECT,
    SIGHT_SOUND,
    SIGHT_SCENT_1,
    SIGHT_SCENT_2,
    SIGHT_COUNT
};
struct sight_info {
    const char *name; /* light, other, object, sound, scent-1, scent-2 */
    enum sensor along, across, through, level;
    uint64_t sensors; /* the set of the four */
};
extern const struct sight_info sights[SIGHT_COUNT];
/* The sight that a sensor belongs to, or -1. */
int sight_of(int sensor);
/* Returns what `sensor`, if it is one of sight `from`, is called in sight `to`. Other sensors are
 * returned as they are. */
int sight_sensor_of(int sensor, enum sight_kind from, enum sight_kind to);

/* Reads "light:object": two different sights. ERR_USAGE with a message. */
struct sight_exchange {
    int is_given;
    enum sight_kind sights[2];
};
int sights_read_exchange(const char *text, void *exchange, struct error *error);

/* The set of the sensors that the world's parameters switch on (gene_switch.c). */
uint64_t sensors_switched_on(const struct params *params);
/* The sensors among which random genomes and mutations draw: those of the kind, switched off or
 * not, but those of worlds of several creatures only where they are on. So worlds of one draw what
 * they always drew. */
uint64_t sensors_drawn(int kind, const struct params *params);
/* A place on a face of a box with these half sides, in its own frame; positions are -1 .. 1 along
 * the face. */
struct vec3 face_place(struct vec3 half, int face, double position, double position_2);
extern const char *const face_names[FACE_COUNT];   /* right, top, left, bottom, front, back */
extern const enum sensor face_sensors[FACE_COUNT]; /* of contact */

/* Emissions of parts besides motion: one table. An emitter is an effector of a body gene with one
 * input; its signal, within 0 .. 1, is how loud or how much. Sensors of it by sound.h and scent.h
 * of simulator/world/. A new one is a row here and one in GENE_ROWS_EMITTERS. */
enum emitter_kind { EMITTER_SOUND, EMITTER_SCENT_1, EMITTER_SCENT_2, EMITTER_COUNT };

extern const char *const emitter_names[EMITTER_COUNT]; /* "sound", "scent_1", "scent_2" */

#define EMITTER_BIT(emitter) (1u << (emitter))

/* The set of those that the parameters switch on (gene_switch.c): with the sensors of what they
 * emit. */
uint32_t emitters_switched_on(const struct params *params);
/* Whether such emitters grow, and whether mutations and random genomes have them. */
int emitter_is_on(int emitter, const struct params *params);
/* How many are on. */
int emitter_count_on(const struct params *params);

#endif
