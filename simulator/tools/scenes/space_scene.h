/* A scene in three dimensions, "dimensions": 3: boxes, joints and a world written as JSON by a
 * person, moved by either solver (space_run.h). docs/scenes.md describes the format.
 *
 * Every body is a link, in the order of the file; a body that is rigidly joined is one, too. A free
 * body hangs on the world by a joint of six freedoms. */
#ifndef SIMULATOR_TOOLS_SCENES_SPACE_SCENE_H
#define SIMULATOR_TOOLS_SCENES_SPACE_SCENE_H

#include "simulator/boxes/steps/space_dynamics.h"
#include "simulator/tools/scenes/scene.h"

enum {
    SPACE_SCENE_BODIES_MAX = 31,
    SPACE_SCENE_BOXES_MAX = 64,
    SPACE_SCENE_OBSTACLES_MAX = 32,
    SPACE_SCENE_RATES_MAX = SPACE_RATES_MAX * SPACE_SCENE_BODIES_MAX,
    SPACE_SCENE_COORDINATES_MAX = (SPACE_RATES_MAX + 1) * SPACE_SCENE_BODIES_MAX
};

/* Not to be copied: it points into itself. */
struct space_scene {
    char names[SPACE_SCENE_BODIES_MAX][SCENE_NAME_MAX + 1];
    struct space_link links[SPACE_SCENE_BODIES_MAX];
    int body_count;
    struct space_box boxes[SPACE_SCENE_BOXES_MAX];
    int box_count;
    struct scene_freedom freedoms[SPACE_SCENE_RATES_MAX]; /* by rate */
    double q[SPACE_SCENE_COORDINATES_MAX], qd[SPACE_SCENE_RATES_MAX];
    int coordinates, rates;
    struct solid obstacles[SPACE_SCENE_OBSTACLES_MAX];
    int is_passing[SPACE_SCENE_BODIES_MAX]; /* the body touches no other body */
    unsigned char passes[SPACE_SCENE_BOXES_MAX * SPACE_SCENE_BOXES_MAX]; /* nor do two boxes */
    struct space_world world;
    struct dynamics_settings settings;
    double until_s, interval_s;
    struct scene_tables tables;
};

/* A file, or a text whose name stands in messages. 0, or an ERR_ code and what is wrong where. */
int space_scene_read_file(struct space_scene *scene, const char *path, struct error *error);
int space_scene_read_text(struct space_scene *scene, const char *text, size_t length,
                          const char *name, struct error *error);

#endif
