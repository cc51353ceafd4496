/* Shared by the files of the window of creatures: its state, and functions of one for the others.
 *
 *   creature_window.c   time, camera, which creature and generation is shown, a run that goes on;
 *                       the table of keys, and all that a player calls
 *   creature_draw.c     what is shown and where, the picture and what surrounds it; choosing by hand
 *   creature_mouse.c    pressing, dragging, clicking, the wheel; pulling a creature or its light */
#ifndef VIEWER_WINDOW_CREATURE_PRIVATE_H
#define VIEWER_WINDOW_CREATURE_PRIVATE_H

#include "viewer/window/chooser.h"
#include "viewer/draw/draw_panels.h"
#include "viewer/window/contents.h"

#define CHOICES_PX 38.0 /* at ui 1 */

enum creature_view { VIEW_SINGLE, VIEW_RACE, VIEW_CELLS, VIEW_PAIR };

/* From a tick on: the pull, m/s2, or the place of the light, m. */
struct deed {
    int tick, is_light;
    struct vec3 value;
};
/* The part that the mouse holds, or the light. */
enum { GRIP_NONE = -1, GRIP_LIGHT = -2 };
struct grip {
    struct replay_live *live; /* NULL: nothing is held */
    int part, tick;           /* part: its index, or GRIP_* */
    double aside_x, aside_y;  /* of the mouse from the middle of what is held, px */
    double tick_s, owed_s;    /* owed_s: time that has yet to be lived */
    double duration_s;        /* of the life before */
    const void *of;           /* the life that was held last, and its deeds */
    struct deed *deeds;
    int count, room;
};

struct creature_window {
    struct player player;
    struct gallery *gallery;
    struct chooser *chooser; /* NULL: there is nothing to choose */

    /* what is ready of the gallery's shelf, in its order */
    const struct replay *replays[GALLERY_SHOWN_MAX];
    int index_of[GALLERY_SHOWN_MAX];
    int ready_count;

    enum creature_view view;
    int current; /* index in the gallery */
    int is_live, has_news, is_strip, is_movie, has_ghost;
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
    struct grip grip;

    cairo_surface_t *strip_picture; /* as it was drawn last, or NULL */
    uint64_t strip_hash;

    double next_news_s;
};

/* ---- creature_draw.c ---- */

void creatures_collect_ready(struct creature_window *window);
/* The place of a creature among those that are ready, or -1. */
int creatures_ready_place(const struct creature_window *window, int index);
const struct replay *creatures_current_replay(const struct creature_window *window);
/* The replays that are played: of a pair the parent first. */
int creatures_shown(const struct creature_window *window, const struct replay **replays);
int creatures_has_run(const struct creature_window *window);
/* A low window keeps its room for the picture. */
int creatures_has_strip(const struct creature_window *window);
int creatures_has_descent(const struct creature_window *window);
int creatures_scene_left(const struct creature_window *window);
int creatures_has_brain(const struct creature_window *window);
int creatures_scene_width(const struct creature_window *window);
/* Height of the picture above the panels. */
int creatures_scene_height(const struct creature_window *window);
double creatures_lane_height(const struct creature_window *window);
struct draw_view creatures_brain_view(const struct creature_window *window);
struct draw_timeline creatures_timeline_of(const struct creature_window *window);
struct draw_strip creatures_strip_of(const struct creature_window *window,
                                     struct draw_thumb *thumbs);
struct draw_descent creatures_descent_of(const struct creature_window *window,
                                         struct draw_step *steps);

/* Whether there is a bar for choosing. */
int creatures_has_choices(const struct creature_window *window);
/* For the creature that is marked: a choice, or what it was without it. */
void creatures_choose(struct creature_window *window, int choice);
/* From one choice to the next, for one of the gallery. */
void creatures_change_choice(struct creature_window *window, int index);
void creatures_breed_next(struct creature_window *window, int unused);
/* Looks what has become of choices. */
void creatures_poll_choices(struct creature_window *window);
/* 1 if it was on the bar. */
int creatures_press_choices(struct creature_window *window, double x, double y);

/* ---- creature_window.c ---- */

void creatures_refit(struct creature_window *window, int unused);
void creatures_select_creature(struct creature_window *window, int index);
void creatures_show_creature(struct creature_window *window, int index);
void creatures_show_generation(struct creature_window *window, int64_t generation);
void creatures_zoom(struct creature_window *window, double factor, double dx, double dy);

/* ---- creature_mouse.c ---- */

/* 1 if a part of a creature that can be played with is there: it is the one to be held. */
int creatures_press_body(struct creature_window *window, double x, double y);
/* The spring of the part that is held pulls for dt_s. */
void creatures_pull(struct creature_window *window, double dt_s);

/* ---- what a content does (player.h) ---- */

double creatures_duration(const struct player *player);
enum drag creatures_press(struct player *player, double x, double y);
void creatures_press_choice(struct player *player, double x, double y);
void creatures_point(struct player *player);
void creatures_drag(struct player *player, double dx, double dy);
void creatures_let_go(struct player *player);
void creatures_click(struct player *player, double x, double y);
void creatures_turn_wheel(struct player *player, double clicks, double x, double y);
struct draw_box creatures_scene_box(const struct player *player);
void creatures_draw_scene(const struct player *player, cairo_t *cr);
void creatures_draw_panels(struct player *player, cairo_t *cr);
void creatures_fill_scrub(const struct player *player, struct draw_scrub *scrub,
                          const struct replay **replays);
void creatures_tell_place(const struct player *player, char *text, size_t size);

#endif
