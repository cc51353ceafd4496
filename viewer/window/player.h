/* All that windows have in common, without a window: time that is played, the table of keys and the
 * help that comes from it, the bar of time, the mouse, and words that come and go. A content
 * (contents.h) has the picture, the panels, and keys of its own.
 *
 * The window hands a player what SDL gives, so that tests can press every key without a display.
 * Coordinates: px of the picture, y down. */
#ifndef VIEWER_WINDOW_PLAYER_H
#define VIEWER_WINDOW_PLAYER_H

#include <cairo.h>
#include <stddef.h>

#include "viewer/draw/draw_panels.h"

/* px at ui 1 */
#define BAR_HEIGHT_PX 40.0
#define ZOOM_STEP     1.15 /* of a key, and of a click of the wheel */

enum { PLAYER_CURVES_MAX = 256 };

/* Keys that are no characters; the others are given as the ASCII character they print. Capital
 * letters that mean nothing are taken for small ones. */
enum player_key {
    KEY_ENTER = '\r',
    KEY_BACKSPACE = '\b',
    KEY_LEFT = 256,
    KEY_RIGHT,
    KEY_UP,
    KEY_DOWN,
    KEY_HOME,
    KEY_END,
    KEY_TAB,
    KEY_BACKTAB,
    KEY_ESCAPE,
    KEY_F1,
    KEY_F11,
};

/* The mouse drags the picture, the picture with shift or the middle button, the bar of time, a
 * panel of the content, or a body. */
enum drag { DRAG_NONE, DRAG_PICTURE, DRAG_SHIFT, DRAG_SCRUB, DRAG_PANEL, DRAG_BODY };

struct player;
struct creature_window;
struct preserve_window;

/* A key does the one or the other thing, with that value. */
struct key_row {
    int keys[2];
    const char *label, *help;
    void (*act)(struct player *player, int value);
    void (*on_creatures)(struct creature_window *window, int value);
    void (*on_preserve)(struct preserve_window *window, int value);
    int value;
    int is_choice; /* only where creatures are chosen by hand */
};

struct content {
    const struct key_row *keys; /* besides those of all windows */
    int key_count;
    const char *help_title;
    const char *const *help_lines;
    int help_line_count;
    double speed_most;          /* times real time */
    double speed_most_by_click; /* then it is slow */
    int starts_over;            /* play at the end begins anew */
    double foot_px;             /* of the picture, at ui 1: messages stand above it */

    void (*begin)(struct player *); /* the window has its size: before the first key */
    void (*resize)(struct player *, int width_px, int height_px); /* sets both; NULL: just that */
    int (*turn_key)(struct player *, const struct key_row *);     /* 0: it means nothing here */
    double (*duration)(const struct player *);
    double (*tick)(const struct player *);             /* s; 0: there is nothing to step */
    void (*seek)(struct player *, double time_s);      /* within the duration; NULL: just that */
    void (*restart)(struct player *);                  /* besides; NULL: nothing more */
    void (*step_creature)(struct player *, int steps); /* to the next one, or back */
    enum drag (*press)(struct player *, double x, double y);
    void (*press_choice)(struct player *, double x, double y); /* the right button; or NULL */
    void (*point)(struct player *);                            /* the mouse moves; or NULL */
    void (*drag)(struct player *, double dx, double dy);       /* the picture or a panel */
    void (*click)(struct player *, double x, double y);        /* a press that did not move */
    void (*let_go)(struct player *);                           /* of a body; or NULL */
    void (*answer)(struct player *, const char *text);         /* to player_ask(); or NULL */
    void (*turn_wheel)(struct player *, double clicks, double x, double y);
    void (*advance)(struct player *, double dt_s);
    void (*look_for_news)(struct player *, double now_s); /* now_s never goes back */
    int (*is_still)(const struct player *);
    struct draw_box (*scene_box)(const struct player *); /* the picture's, in the window */
    void (*draw_scene)(const struct player *, cairo_t *);
    void (*draw_panels)(struct player *, cairo_t *); /* around it; or NULL */
    /* What the bar of time shows besides, at most PLAYER_CURVES_MAX, and its second word; or
     * NULL. */
    void (*fill_scrub)(const struct player *, struct draw_scrub *, const struct replay **replays);
    void (*tell_place)(const struct player *, char *text, size_t size);
    void (*press_place)(struct player *); /* that word; NULL: to the next creature */
    void (*tell_title)(const struct player *, char *text, size_t size);
    void (*name_picture)(const struct player *, char *text, size_t size);
    void (*destroy)(struct player *);
};

/* The first field of a content's state. */
struct player {
    const struct content *content;
    int width, height;
    int is_playing, is_help, is_quitting, is_changed, is_fullscreen;
    double time_s, speed;
    double fine;    /* of pictures that move, see player_fineness() */
    double frame_s; /* what its pictures take of late */
    enum drag drag;
    double mouse_x, mouse_y, press_x, press_y;
    int is_click;
    char toast[480]; /* shown for toast_s still */
    double toast_s;
    char waiting[480];    /* shown while there is no other word */
    const char *question; /* NULL: keys are keys; else they type the answer */
    char answer[40];
    char title[256];
};

void player_init(struct player *player, const struct content *content);
void player_destroy(struct player *player); /* NULL is allowed */

void player_resize(struct player *player, int width_px, int height_px);
void player_seek(struct player *player, double time_s);

/* The user's actions. */
void player_press_key(struct player *player, int key);
void player_press_mouse(struct player *player, double x, double y);
/* The middle button, or the left one with shift: moves the picture also where dragging turns it. */
void player_press_pan(struct player *player, double x, double y);
/* The right button: from one choice to the next. */
void player_press_choice(struct player *player, double x, double y);
void player_move_mouse(struct player *player, double x, double y);
void player_release_mouse(struct player *player);
void player_turn_wheel(struct player *player, double clicks, double x, double y);

/* Time goes on by dt_s. */
void player_advance(struct player *player, double dt_s);
/* Call it also while nothing moves; now_s is a clock that never goes back. */
void player_look_for_news(struct player *player, double now_s);
/* 1 while the next picture would be the same as the last that was drawn. */
int player_is_still(const struct player *player);
void player_draw(struct player *player, cairo_surface_t *surface);
/* Pixels of the picture across one of the window: 1, or less while pictures move and come late. The
 * surface that is drawn on has this as its device scale. */
double player_fineness(const struct player *player);
/* Tells how long the last picture took: those that move get fewer pixels where that is more than a
 * thirtieth of a second, and more again where it is far less. */
void player_pace(struct player *player, double spent_s);
/* For the window's frame; good until the next call. */
const char *player_title(struct player *player);

/* For contents. */
void player_say(struct player *player, const char *text);
void player_wait(struct player *player, const char *text);
/* Asks for a word: Enter gives it to the content, Esc ends without one. The question is kept. */
void player_ask(struct player *player, const char *question);
double player_ui(const struct player *player);
/* Where the bar of time has the time. */
struct draw_box player_time_box(const struct player *player);
void player_jump(struct player *player, int milliseconds);
/* Turns over the flag, an int, at that offset of a content's state; and the rest of a key's row. */
void player_toggle(struct player *player, int offset);
#define KEY_FLAG(type, member) .act = player_toggle, .value = offsetof(struct type, member)
/* The part of a name that can stand in a file's. */
void player_clean_name(const char *from, char *name, size_t size);

#endif
