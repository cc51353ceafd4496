/* Shared by the files of the stage: its state, and functions of one for the others.
 *
 *   stage.c         time, camera, which creature and generation is shown, a run that goes on
 *   stage_layout.c  what is shown, and where it is in the window
 *   stage_draw.c    the picture and what surrounds it
 *   stage_keys.c    what each key does, and the help, which lists them
 *   stage_mouse.c   pressing, dragging, clicking, the wheel
 *   stage_scene.c   the stage as a scene of the window
 *   stage_choose.c  choosing by hand: marks, buttons, what was said of them */
#ifndef VIEWER_STAGE_STAGE_PRIVATE_H
#define VIEWER_STAGE_STAGE_PRIVATE_H

#ifdef HAVE_CAIRO

#include "viewer/stage/chooser.h"
#include "viewer/draw/draw_panels.h"
#include "viewer/stage/stage.h"

/* px at ui 1 */
#define BAR_HEIGHT_PX 40.0
#define BAR_LEFT_PX   52.0
#define CHOICES_PX    38.0
/* Right of the bar of time stand the speed, the creature's place and the help, each to be
 * clicked. */
#define WORDS_PX 150.0
enum bar_word { WORD_SPEED, WORD_PLACE, WORD_HELP, WORD_COUNT };
#define ZOOM_STEP 1.15 /* of a key, and of a click of the wheel */

enum drag { DRAG_NONE, DRAG_PAN, DRAG_SHIFT, DRAG_SCRUB, DRAG_TIMELINE };

struct stage {
    struct gallery *gallery;
    struct chooser *chooser; /* NULL: there is nothing to choose */
    int width, height;

    /* what is ready of the gallery's shelf, in its order */
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int index_of[GALLERY_SHOWN_MAX];
    int ready_count;

    enum stage_view view;
    int current; /* index in the gallery */
    int is_playing, is_help, is_quitting, is_changed, is_fullscreen, is_live, has_news;
    int is_strip, is_movie;
    int64_t home_generation; /* to go back to from a line of descent */
    double time_s, speed, cells_zoom, strip_s;
    unsigned overlays;
    struct camera camera;
    /* before the brain took width from the picture, or gave it back: the camera, and what it
     * became */
    struct camera left_camera, left_at;
    int left_width;
    double left_time_s;
    struct replay_cut pointed;

    enum drag drag;
    double mouse_x, mouse_y, press_x, press_y;
    int is_click;

    cairo_surface_t *strip_picture; /* as it was drawn last, or NULL */
    uint64_t strip_hash;

    double next_news_s;
    char toast[480], title[256];
    double toast_s; /* left */
};

/* ---- stage_layout.c ---- */

void stage_collect_ready(struct stage *stage);
/* The place of a creature among those that are ready, or -1. */
int stage_ready_place(const struct stage *stage, int index);
const struct replay *stage_current_replay(const struct stage *stage);
/* The replays that are played: of a pair the parent first. */
int stage_shown(const struct stage *stage, const struct replay **replays);
double stage_shown_duration(const struct stage *stage);
int stage_has_run(const struct stage *stage);
double stage_ui_scale(const struct stage *stage);
/* A low window keeps its room for the picture. */
int stage_has_strip(const struct stage *stage);
int stage_has_descent(const struct stage *stage);
int stage_scene_left(const struct stage *stage);
/* Width of what is between that and the right edge: the creature, and beside it its brain. */
int stage_room_width(const struct stage *stage);
int stage_has_brain(const struct stage *stage);
int stage_scene_width(const struct stage *stage);
/* Height of the picture above the panels. */
int stage_scene_height(const struct stage *stage);
double stage_lane_height(const struct stage *stage);
struct draw_view stage_brain_view(const struct stage *stage);
struct draw_scrub stage_scrub_of(const struct stage *stage, const struct replay **replays);
/* Where a word is; px from the window's left edge. */
void stage_word_box(const struct stage *stage, enum bar_word word, double *left, double *width);
struct draw_timeline stage_timeline_of(const struct stage *stage);
struct draw_strip stage_strip_of(const struct stage *stage, struct draw_thumb *thumbs);
struct draw_descent stage_descent_of(const struct stage *stage, struct draw_step *steps);

/* ---- stage.c ---- */

void stage_refit(struct stage *stage);
void stage_rescale(struct stage *stage, int width_before);
void stage_start_over(struct stage *stage);
void stage_set_toast(struct stage *stage, const char *text);
void stage_select_creature(struct stage *stage, int index);
void stage_show_creature(struct stage *stage, int index);
/* After the shelf has changed. */
void stage_show_shelf(struct stage *stage, int index);
void stage_show_generation(struct stage *stage, int64_t generation);
/* The generation `steps` after the one that is shown. */
void stage_step_generation(struct stage *stage, int steps);
void stage_show_newest(struct stage *stage);

/* ---- stage_draw.c ---- */

void stage_draw_scene(const struct stage *stage, cairo_surface_t *surface);

/* ---- stage_choose.c ---- */

/* Whether there is a bar for choosing. */
int stage_has_choices(const struct stage *stage);
/* For the creature that is marked: a choice, or what it was without it. */
void stage_choose(struct stage *stage, int choice);
/* From one choice to the next, for one of the gallery. */
void stage_change_choice(struct stage *stage, int index);
void stage_breed_next(struct stage *stage);
/* Looks what has become of choices. */
void stage_poll_choices(struct stage *stage);
void stage_draw_choices(cairo_t *cr, const struct stage *stage);
void stage_draw_marks(cairo_t *cr, const struct stage *stage);
/* 1 if it was on the bar. */
int stage_press_choices(struct stage *stage, double x, double y);

/* ---- stage_keys.c ---- */

void stage_act_play(struct stage *stage);
void stage_act_word(struct stage *stage, enum bar_word word);
void stage_zoom(struct stage *stage, double factor, double dx, double dy);
void stage_draw_help(cairo_t *cr, const struct stage *stage);

#endif
#endif
