/* Tools for readers of scenes. Strict: a key that is unknown, missing, of the wrong type or out of
 * range is an error that names the file and the place, such as "pendulum.json:
 * bodies[1].joint.at_m". Every value is taken out of its object when it is read; keys that are left
 * in the end are unknown. */
#ifndef SIMULATOR_TOOLS_SCENES_SCENE_TEXT_H
#define SIMULATOR_TOOLS_SCENES_SCENE_TEXT_H

#include <jansson.h>

#include "simulator/tools/scenes/scene.h"

/* Scenes are written by hand. */
#define SCENE_BYTES_MAX (1u << 20)
/* Bounds that keep arithmetic finite. */
#define SCENE_NUMBER_MAX 1e9
#define SCENE_GAIN_MAX   1e15
#define SCENE_LENGTH_MIN 1e-12

struct scene_reader {
    struct scene *scene;
    const char *name;
    struct error *error;
    int is_failed;
};

/* An object and where it stands; object is NULL where there is none. */
struct scene_spot {
    struct scene_reader *reader;
    json_t *object;
    char place[96];
};

void scene_fail(const struct scene_spot *spot, int code, const char *key, const char *text);
/* The value under the key, out of the object, to be released by the caller; NULL where there is
 * none. */
json_t *spot_take(const struct scene_spot *spot, const char *key);
int spot_has(const struct scene_spot *spot, const char *key);
double spot_number(const struct scene_spot *spot, const char *key, double fallback, double least,
                   double most);
/* Any number; without it 0. */
double spot_any(const struct scene_spot *spot, const char *key);
/* A number that must be there. */
double spot_need_number(const struct scene_spot *spot, const char *key, double least, double most);
/* An array of numbers; where the key is missing they stay what they are. */
void spot_numbers(const struct scene_spot *spot, const char *key, double *numbers, size_t count);
/* [x, y]; without it (0, 0). */
struct vec2 spot_vector(const struct scene_spot *spot, const char *key);
int spot_flag(const struct scene_spot *spot, const char *key);
/* One of the words, or 0 where there is none; words end with NULL. */
int spot_choice(const struct scene_spot *spot, const char *key, const char *const *words);
struct scene_spot spot_open(const struct scene_spot *in, const char *key);
/* Member i of an array that stands at a key of `in`. */
struct scene_spot spot_member(const struct scene_spot *in, const char *key, json_t *array,
                              size_t i);
/* The objects of an array that stands at a key:
 *
 *   struct scene_list list = spot_list(spot, key, NULL);
 *   while (spot_next(&list))
 *       read(&list.spot, ...);
 *
 * needed: the message where it is missing or empty; NULL: it may be. Keys that are left in an
 * object when the next one is taken are unknown. */
struct scene_list {
    const struct scene_spot *in;
    const char *key;
    json_t *array;
    size_t next;
    struct scene_spot spot;
};
struct scene_list spot_list(const struct scene_spot *in, const char *key, const char *needed);
/* 0 at the end, or after an error. */
int spot_next(struct scene_list *list);
/* Refuses keys that are still in the object: they have no meaning there. */
void spot_close(struct scene_spot *spot);

/* Coordinate, limits and drive of a freedom of a joint. Where a motion prescribes them, they are
 * left unread. */
void scene_read_freedom(const struct scene_spot *joint, int is_linear,
                        struct scene_freedom *freedom);

/* "world", -1, or the name of a body that has been read. */
int scene_read_to(const struct scene_spot *joint, const struct scene *scene);
/* The relief of a world's ground, if there is one. */
void scene_read_relief(const struct scene_spot *world, int has_ground, int is_plane,
                       struct relief *relief);

typedef void scene_body_reader(struct scene_spot *spot, struct scene *scene, int body);
typedef void scene_part_reader(struct scene_spot *spot, struct scene *scene);

/* The differences between the plane and space. */
struct scene_form {
    int dimensions;
    double constraint_tau_s;       /* where the scene says nothing */
    scene_part_reader *read_world; /* drag, ground and obstacles */
    scene_body_reader *read_shapes;
    scene_body_reader *read_joint, *read_free; /* one of them: how the body moves */
    scene_part_reader *read_rest;              /* of the whole file; NULL: there is no more */
    /* Makes the phenotype of what has been read. */
    int (*build)(struct scene *scene, struct error *error);
    /* Changes what the solver could not move as it is, or refuses it; NULL: all is well. */
    int (*suit_solver)(struct scene *scene, struct error *error);
    void (*drive)(const struct scene *scene, struct dynamics *dynamics); /* sets the servos */
    /* Refuses what cannot start there; NULL: all can. */
    int (*check_start)(const struct scene *scene, const struct dynamics *dynamics,
                       struct error *error);
};

/* For the row of the plane. */
scene_part_reader scene_plane_read_world, scene_plane_read_rest;
scene_body_reader scene_plane_read_shapes, scene_plane_read_joint, scene_plane_read_free;

#endif
