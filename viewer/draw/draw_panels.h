/* Panels around the picture: the bar of time with the fitness that accumulates, the timeline of a
 * run's generations, the strip of its champions, the line of descent. Each is a plain struct that
 * says where it is and what it shows; drawing and looking up a point read the same struct. Px of
 * the surface. */
#ifndef VIEWER_DRAW_DRAW_PANELS_H
#define VIEWER_DRAW_DRAW_PANELS_H

#include "viewer/draw/draw.h"
#include "viewer/replay/preserve_replay.h"

struct draw_box {
    double x, y, width, height, ui;
};
int draw_box_contains(const struct draw_box *box, double x, double y);

/* Time from left to right; behind it the fitness of each replay as it would be if it ended
 * there. */
struct draw_scrub {
    struct draw_box box;
    const struct replay *const *replays;
    int count, marked; /* marked: the one whose curve is filled */
    double time_s, duration_s;
};
void draw_scrub(cairo_t *cr, const struct draw_scrub *scrub);

/* Best and median fitness by generation, and which generation is shown. */
struct draw_timeline {
    struct draw_box box;
    const struct store_generation *generations;
    int count;
    int64_t shown;   /* its number; -1: none */
    int is_live;     /* follows what comes */
    int has_no_goal; /* generations alone, without their fitness */
};
void draw_timeline(cairo_t *cr, const struct draw_timeline *timeline);
/* The index of a generation; -1 if there are none. */
int draw_timeline_pick(const struct draw_timeline *timeline, double x);

/* A small picture of a creature, with a line of text on either side of it. replay NULL: not known
 * yet. */
struct draw_thumb {
    const struct replay *replay;
    char title[48], text[48];
};

/* Thumbs side by side, as many as there is room for, evenly chosen with the first and the last. */
struct draw_strip {
    struct draw_box box;
    const struct draw_thumb *thumbs;
    int count, marked; /* -1: none */
    double time_s;
};
void draw_strip(cairo_t *cr, const struct draw_strip *strip);
int draw_strip_pick(const struct draw_strip *strip, double x,
                    double y); /* index of a thumb, or -1 */

/* Ancestors one below the other, youngest first, with what made each of its parent. Scrolls so that
 * the marked one is seen. */
struct draw_step {
    struct draw_thumb thumb;
    const char *change; /* in words; clean UTF-8 */
};
struct draw_descent {
    struct draw_box box;
    const struct draw_step *steps;
    int count, marked;
    double time_s;
};
void draw_descent(cairo_t *cr, const struct draw_descent *descent);
int draw_descent_pick(const struct draw_descent *descent, double x, double y);

/* The river of forms of a world of a preserve: bands over time, in the colours of forms. */
struct draw_river {
    struct draw_box box; /* its width is that of the duration */
    const struct preserve_river *river;
    double time_s, duration_s; /* what comes after time_s is pale */
};
void draw_river(cairo_t *cr, const struct draw_river *river);
/* The band at a point; -1: there is none. */
int draw_river_pick(const struct draw_river *river, double x, double y);

#endif
