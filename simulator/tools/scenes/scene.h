/* A scene: bodies, joints and a world written as JSON by a person, and their motion: the physics
 * alone, without genomes and brains. docs/scenes.md describes the format.
 *
 * A scene becomes a phenotype (links, parts, no neurons), so that every solver of dynamics.h takes
 * it. The angle of a joint is 0 where the frames of its two bodies are parallel. One tree with a
 * free body has that body as its root. In all other scenes link 0 is the world (body_is_fixed()),
 * with what is fixed in it as its parts, and a free body hangs on it by two linear joints, along x
 * and along y, whose links have no mass, and a rotary one. Some tens of bodies at most, 200 KB, no
 * memory of its own.
 *
 * In three dimensions every body is a link, in the order of the file; a body
 * that is rigidly joined is one, too. A free body hangs on the world by a joint of six freedoms. */
#ifndef SIMULATOR_TOOLS_SCENES_SCENE_H
#define SIMULATOR_TOOLS_SCENES_SCENE_H

#include "common/growth/body.h"
#include "common/error.h"
#include "simulator/body/dynamics.h"
#include "simulator/body/servo.h"
#include "simulator/body/signal.h"

enum { SCENE_BODIES_MAX = 31, SCENE_SHAPES_MAX = 64, SCENE_LOOPS_MAX = 16, SCENE_NAME_MAX = 31 };
enum { SCENE_OBSTACLES_MAX = 32, SCENE_RATES_MAX = JOINT_RATES_MAX * SCENE_BODIES_MAX };
enum { SCENE_TABLE_NUMBERS = 4 * SIGNAL_POINTS_MAX };
enum { SCENE_LINKS_MAX = 3 * SCENE_BODIES_MAX + 1, SCENE_COORDINATES_MAX = SCENE_RATES_MAX + 31 };
/* Memory that scene_start() takes at most. */
#define SCENE_ARENA_BYTES (64u << 20)

/* Times, values and bends of tables. */
struct scene_tables {
    double numbers[SCENE_TABLE_NUMBERS];
    int used;
};

/* A freedom of a joint: where it is at the start, its limits and what drives it. drive.signal or
 * drive.push, if it has one, points to `signal`. */
struct scene_freedom {
    double start, rate;
    double lower, upper;
    struct servo drive;
    struct signal signal;
};

/* A body as the format has it; its frame is where its author likes it. In space only what is named
 * first: the rest is in its link. */
struct scene_body {
    char name[SCENE_NAME_MAX + 1];
    int passes; /* it touches nothing */
    /* in the plane LINK_PLANAR, LINK_REVOLUTE, LINK_LINEAR or LINK_RIGID */
    enum link_joint joint;
    int parent;           /* an earlier body, or -1: the world */
    struct vec2 at;       /* the joint in the parent's frame; of a free body the origin's place */
    struct vec2 own_at;   /* the joint in the own frame */
    double angle_rad;     /* of a free body, or of a joint that does not turn */
    double rate_rad_s;    /* of a free body, as is ... */
    struct vec2 velocity; /* ... that of its origin */
    double axis_rad;      /* of a linear joint */
    struct scene_freedom freedom; /* of a rotary or linear joint, rad or m */
    double mass_kg, inertia_kg_m2;
    struct vec2 centre; /* of mass, in the own frame */

    /* made when the scene is built: the link it belongs to, and the own frame in the link's */
    int link;
    struct vec2 offset;
    double offset_rad;
};

/* A joint that closes a loop, between two bodies of which b may be the world, -1. */
struct scene_loop {
    enum link_joint joint;
    int a, b;
    struct vec2 at_a, at_b;
    double angle_rad, axis_rad;
};

/* The further parts of a scene in three dimensions: bodies and their motion at the start. */
struct scene_space {
    struct body_box boxes[SCENE_SHAPES_MAX];
    int box_count, coordinates, rates;
    struct scene_freedom freedoms[SCENE_RATES_MAX]; /* by rate */
    struct solid obstacles[SCENE_OBSTACLES_MAX];

    /* made when the scene is built: drives are the freedoms, by rate; effectors move those that have an
     * effort of their own */
    struct drive drives[SCENE_RATES_MAX];
    struct effector effectors[SCENE_RATES_MAX];
    struct shape shapes[SCENE_SHAPES_MAX];
};

struct scene_form;
extern const struct scene_form scene_in_plane, scene_in_space;

/* Not to be copied: it points into itself. */
struct scene {
    const struct scene_form *form; /* the differences between the plane and space: scene_text.h */
    struct scene_body bodies[SCENE_BODIES_MAX];
    int body_count;
    struct scene_loop loops[SCENE_LOOPS_MAX];
    int loop_count;
    struct part parts[SCENE_SHAPES_MAX]; /* centre and angle_rad: in the frame of ... */
    int part_bodies[SCENE_SHAPES_MAX];   /* ... this body, or -1: of the world */
    int part_count;
    struct world world;
    struct dynamics_settings settings;
    double until_s, interval_s;
    struct scene_tables tables;
    struct scene_space space;

    /* made when the scene is built; in space the state at the start is read */
    struct phenotype phenotype;
    struct vec2 origin; /* of link 0 in the world, where that is the world */
    struct body body;
    struct body_link links[SCENE_LINKS_MAX]; /* of it; in space read, one for each of bodies[] */
    struct closure closures[SCENE_LOOPS_MAX];
    unsigned char passes[SCENE_SHAPES_MAX * SCENE_SHAPES_MAX];
    double q[SCENE_COORDINATES_MAX], qd[SCENE_COORDINATES_MAX];
};

/* A file, or a text whose name stands in messages. 0, or an ERR_ code and what is wrong where. */
int scene_read_file(struct scene *scene, const char *path, struct error *error);
int scene_read_text(struct scene *scene, const char *text, size_t length, const char *name,
                    struct error *error);

/* The motion at its start; builds the scene as it is now, which must outlive the motion unchanged.
 * ERR_UNAVAILABLE if the solver cannot move the scene, ERR_MEMORY if memory is out, ERR_RANGE if a
 * loop cannot close. */
int scene_start(struct scene *scene, struct arena *arena, struct dynamics **dynamics,
                struct error *error);

int scene_is_in_space(const struct scene *scene);

/* The message about a step that returned `result` and ended at time_s. Returns the code. */
int scene_fail_step(const struct scene *scene, const struct dynamics *dynamics, int result,
                    const struct arena *arena, double time_s, struct error *error);

/* In the plane. Centre of mass of a body, its angle, and their rates. */
void scene_body_state(const struct scene *scene, const struct dynamics *dynamics, int body,
                      struct part_state *state);
/* Where a point of a body's frame is in the world. */
struct vec2 scene_body_point(const struct scene *scene, const struct dynamics *dynamics, int body,
                             struct vec2 point);
/* The drive of a body's joint; 0 where it is rigid or free. */
struct drive_state scene_joint_state(const struct scene *scene, const struct dynamics *dynamics,
                                     int body);
/* The body of that name, or -1. */
int scene_find_body(const struct scene *scene, const char *name);

#endif
