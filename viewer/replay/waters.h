/* A world of a run of a preserve, simulated again over some of its time and recorded, to be drawn.
 *
 * A moment is as it looks: places and turns of parts, what plants hold, eggs, carcasses. 40
 * creatures are some 8 kB; what would take more than WATERS_BYTES_MAX is refused. */
#ifndef VIEWER_REPLAY_WATERS_H
#define VIEWER_REPLAY_WATERS_H

#include "common/params/params.h"
#include "common/error.h"

#define WATERS_BYTES_MAX (1u << 30)

struct waters_part {
    float x_m, y_m, angle_rad, width_m, height_m;
};
struct waters_creature {
    unsigned long long id;
    int family, is_hunter, generation, children;
    int is_eating; /* FOOD_*, or -1 */
    float fullness, age_s, x_m, y_m, mouth_x_m, mouth_y_m, mouth_m;
    int first_part, part_count;
};
struct waters_thing {
    float x_m, y_m, radius_m;
    float share; /* of an egg: of its time until it hatches */
    int family;
};
/* Somebody who died a short time ago. */
struct waters_death {
    double time_s;
    float x_m, y_m;
    int cause;
};
struct waters_moment {
    double time_s, daylight;
    struct waters_creature *creatures;
    struct waters_part *parts;
    struct waters_thing *eggs, *carcasses;
    unsigned char *plants; /* share of the most that a cell holds, 0 .. 255 */
    int creature_count, part_count, egg_count, carcass_count;
};
struct waters {
    char name[64];
    struct params params;
    int world, columns, rows;
    double from_s, to_s;
    struct waters_moment *moments;
    int moment_count, moment_room;
    struct waters_death *deaths;
    int death_count, death_room;
    size_t bytes;
    int verified, recorded; /* epochs that came out as recorded; and how many are recorded */
};

struct waters_request {
    const char *run_directory;
    int world;
    double from_s, to_s, step_s; /* a moment every step_s */
};
/* Simulates from the state before on that is kept. Fails with a message. */
int waters_create(struct waters **waters, const struct waters_request *request,
                  struct error *error);
void waters_destroy(struct waters *waters); /* NULL is allowed */

#endif
