/* The content of a window: a stage (stage.h) or a shore (shore.h), by its actions. The
 * window hands it what SDL gives; px of the picture, y down. */
#ifndef VIEWER_STAGE_SCENE_H
#define VIEWER_STAGE_SCENE_H

#ifdef HAVE_CAIRO

#include <cairo.h>

/* Keys that are no characters; the others are given as the ASCII character they print. Capital
 * letters that mean nothing are taken for small ones. */
enum stage_key {
    STAGE_KEY_ENTER = '\r',
    STAGE_KEY_LEFT = 256,
    STAGE_KEY_RIGHT,
    STAGE_KEY_UP,
    STAGE_KEY_DOWN,
    STAGE_KEY_HOME,
    STAGE_KEY_END,
    STAGE_KEY_TAB,
    STAGE_KEY_BACKTAB,
    STAGE_KEY_ESCAPE,
    STAGE_KEY_F1,
    STAGE_KEY_F11,
};

struct scene_acts {
    void (*begin)(void *scene); /* the window has its size: before the first key */
    void (*resize)(void *scene, int width_px, int height_px);
    void (*press_key)(void *scene, int key);
    void (*press_mouse)(void *scene, double x, double y);
    void (*press_pan)(void *scene, double x, double y);    /* the middle button */
    void (*press_choice)(void *scene, double x, double y); /* the right button */
    void (*move_mouse)(void *scene, double x, double y);
    void (*release_mouse)(void *scene);
    void (*turn_wheel)(void *scene, double clicks, double x, double y);
    void (*seek)(void *scene, double time_s);
    double (*time)(const void *scene);
    void (*advance)(void *scene, double dt_s);
    /* Also while nothing moves; now_s is a clock that never goes back. */
    void (*look_for_news)(void *scene, double now_s);
    int (*is_still)(const void *scene); /* the next picture is the last one */
    void (*draw)(void *scene, cairo_surface_t *surface);
    int (*is_quitting)(const void *scene);
    int (*is_fullscreen)(const void *scene);
    const char *(*title)(void *scene); /* good until the next call */
    void (*destroy)(void *scene);
};

#endif
#endif
