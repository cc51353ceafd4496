/* A scene: bodies, joints and a world written as JSON by a person, and their motion: the physics alone,
 * without genomes and brains. docs/scenes.md describes the format.
 *
 * A scene becomes a phenotype (links, parts, no neurons), so that every solver of dynamics.h takes it.
 * The angle of a joint is 0 where the frames of its two bodies are parallel. What hangs on the world
 * makes link 0 the world (is_root_fixed). Some tens of bodies at most, 30 KB, no memory of its own. */
#ifndef SIMULATOR_SCENE_H
#define SIMULATOR_SCENE_H

#include "common/error.h"
#include "simulator/dynamics.h"
#include "simulator/servo.h"

enum { SCENE_BODIES_MAX = 31, SCENE_RECTANGLES_MAX = 64, SCENE_NAME_MAX = 31 };
enum { SCENE_LINKS_MAX = SCENE_BODIES_MAX + 1, SCENE_DOF_MAX = 2 + SCENE_LINKS_MAX };
/* Memory that scene_start() takes at most. */
#define SCENE_ARENA_BYTES (32u << 20)

enum scene_joint { SCENE_FREE, SCENE_ROTARY, SCENE_RIGID };

/* What the format says of a body; its frame is where its author likes it. */
struct scene_body {
    char name[SCENE_NAME_MAX + 1];
    enum scene_joint joint;
    int parent;         /* an earlier body, or -1: the world */
    struct vec2 at;     /* the joint in the parent's frame; of a free body the origin's place */
    struct vec2 own_at; /* the joint in the own frame */
    double angle_rad;   /* of the joint, or of the free body */
    double rate_rad_s;
    struct vec2 velocity; /* of a free body's origin */
    double lower_rad, upper_rad;
    struct servo drive;
    double mass_kg, inertia_kg_m2;
    struct vec2 centre; /* of mass, in the own frame */

    /* made by scene_build(): the link it belongs to, and the own frame in the link's */
    int link;
    struct vec2 offset;
    double offset_rad;
};

/* Not to be copied: it points into itself. */
struct scene {
    struct scene_body bodies[SCENE_BODIES_MAX];
    int body_count;
    struct part parts[SCENE_RECTANGLES_MAX]; /* centre and angle_rad: in the frame of ... */
    int part_bodies[SCENE_RECTANGLES_MAX];   /* ... this body */
    struct world world;
    struct dynamics_settings settings;
    double until_s, interval_s;

    /* made by scene_build() */
    struct phenotype phenotype;
    struct link links[SCENE_LINKS_MAX];
    unsigned char passes[SCENE_RECTANGLES_MAX * SCENE_RECTANGLES_MAX];
    double q[SCENE_DOF_MAX], qd[SCENE_DOF_MAX];
};

/* A file, or a text whose name stands in messages. 0, or an ERR_ code and what is wrong where. */
int scene_read_file(struct scene *scene, const char *path, struct error *error);
int scene_read_text(struct scene *scene, const char *text, size_t length, const char *name,
                    struct error *error);
/* Makes links, parts and the state at the start of the bodies; the readers have done so. */
int scene_build(struct scene *scene, struct error *error);

/* The motion at its start, from the scene as it is now, which must outlive it. What the solver cannot
 * move is ERR_UNAVAILABLE, too little memory ERR_MEMORY. */
int scene_start(const struct scene *scene, struct arena *arena, struct dynamics **dynamics,
                struct error *error);

/* Centre of mass of a body, its angle, and their rates. */
void scene_body_state(const struct scene *scene, const struct dynamics *dynamics, int body,
                      struct part_state *state);
/* Where a point of a body's frame is in the world. */
struct vec2 scene_body_point(const struct scene *scene, const struct dynamics *dynamics, int body,
                             struct vec2 point);
/* The body of that name, or -1. */
int scene_find_body(const struct scene *scene, const char *name);

#endif
