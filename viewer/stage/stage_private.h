/* Shared by the files of the stage: its state, and functions of one for the others.
 *
 *   stage.c         time, camera, which creature and generation is shown, a run that goes on
 *   stage_layout.c  what is shown, and where it is in the window
 *   stage_draw.c    the picture and what surrounds it
 *   stage_keys.c    the table of keys, and the stage as the content of a player
 *   stage_mouse.c   pressing, dragging, clicking, the wheel
 *   stage_choose.c  choosing by hand: marks, buttons, what was said of them */
#ifndef VIEWER_STAGE_STAGE_PRIVATE_H
#define VIEWER_STAGE_STAGE_PRIVATE_H

#ifdef HAVE_CAIRO

#include "viewer/stage/chooser.h"
#include "viewer/draw/draw_panels.h"
#include "viewer/stage/stage.h"

#define CHOICES_PX 38.0 /* at ui 1 */

enum stage_view { VIEW_SINGLE, VIEW_RACE, VIEW_CELLS, VIEW_PAIR };

struct stage {
    struct player player;
    struct gallery *gallery;
    struct chooser *chooser; /* NULL: there is nothing to choose */

    /* what is ready of the gallery's shelf, in its order */
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int index_of[GALLERY_SHOWN_MAX];
    int ready_count;

    enum stage_view view;
    int current; /* index in the gallery */
    int is_live, has_news, is_strip, is_movie;
    int64_t home_generation; /* to go back to from a line of descent */
    double cells_zoom, strip_s;
    unsigned overlays;
    struct camera camera;
    /* before the brain took width from the picture, or gave it back: the camera, and what it
     * became */
    struct camera left_camera, left_at;
    int left_width;
    double left_time_s;
    struct replay_cut pointed;

    cairo_surface_t *strip_picture; /* as it was drawn last, or NULL */
    uint64_t strip_hash;

    double next_news_s;
};

/* ---- stage_layout.c ---- */

void stage_collect_ready(struct stage *stage);
/* The place of a creature among those that are ready, or -1. */
int stage_ready_place(const struct stage *stage, int index);
const struct replay *stage_current_replay(const struct stage *stage);
/* The replays that are played: of a pair the parent first. */
int stage_shown(const struct stage *stage, const struct replay **replays);
int stage_has_run(const struct stage *stage);
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
struct draw_timeline stage_timeline_of(const struct stage *stage);
struct draw_strip stage_strip_of(const struct stage *stage, struct draw_thumb *thumbs);
struct draw_descent stage_descent_of(const struct stage *stage, struct draw_step *steps);

/* ---- stage.c ---- */

void stage_refit(struct stage *stage);
void stage_rescale(struct stage *stage, int width_before);
void stage_select_creature(struct stage *stage, int index);
void stage_show_creature(struct stage *stage, int index);
/* After the shelf has changed. */
void stage_show_shelf(struct stage *stage, int index);
void stage_show_generation(struct stage *stage, int64_t generation);
/* The generation `steps` after the one that is shown. */
void stage_step_generation(struct stage *stage, int steps);
void stage_show_newest(struct stage *stage);

/* ---- stage_choose.c ---- */

/* Whether there is a bar for choosing. */
int stage_has_choices(const struct stage *stage);
/* For the creature that is marked: a choice, or what it was without it. */
void stage_choose(struct stage *stage, int choice);
/* From one choice to the next, for one of the gallery. */
void stage_change_choice(struct stage *stage, int index);
void stage_breed_next(struct stage *stage, int unused);
/* Looks what has become of choices. */
void stage_poll_choices(struct stage *stage);
void stage_draw_choices(cairo_t *cr, const struct stage *stage);
void stage_draw_marks(cairo_t *cr, const struct stage *stage);
/* 1 if it was on the bar. */
int stage_press_choices(struct stage *stage, double x, double y);

/* ---- stage_keys.c ---- */

void stage_zoom(struct stage *stage, double factor, double dx, double dy);

/* ---- what a content does (player.h) ---- */

extern const struct content stage_content;
void stage_begin(struct player *player);
void stage_resize(struct player *player, int width_px, int height_px);
double stage_duration(const struct player *player);
double stage_tick(const struct player *player);
void stage_seek(struct player *player, double time_s);
void stage_restart(struct player *player);
void stage_step_creature(struct player *player, int steps);
enum drag stage_press(struct player *player, double x, double y);
void stage_press_choice(struct player *player, double x, double y);
void stage_point(struct player *player);
void stage_drag(struct player *player, double dx, double dy);
void stage_click(struct player *player, double x, double y);
void stage_turn_wheel(struct player *player, double clicks, double x, double y);
void stage_advance(struct player *player, double dt_s);
void stage_look_for_news(struct player *player, double now_s);
int stage_is_still(const struct player *player);
struct draw_box stage_scene_box(const struct player *player);
void stage_draw_scene(const struct player *player, cairo_t *cr);
void stage_draw_panels(struct player *player, cairo_t *cr);
void stage_fill_scrub(const struct player *player, struct draw_scrub *scrub,
                      const struct replay **replays);
void stage_tell_place(const struct player *player, char *text, size_t size);
void stage_tell_title(const struct player *player, char *text, size_t size);
void stage_name_picture(const struct player *player, char *text, size_t size);
void stage_destroy(struct player *player);

#endif
#endif
