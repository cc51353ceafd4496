/* The stage as a scene of the window. */
#include "viewer/stage/stage_private.h"

#ifdef HAVE_CAIRO

#define DO(act)                                                                                    \
    static void do_##act(void *scene)                                                              \
    {                                                                                              \
        stage_##act(scene);                                                                        \
    }
#define DO_AT(act)                                                                                 \
    static void do_##act(void *scene, double x, double y)                                          \
    {                                                                                              \
        stage_##act(scene, x, y);                                                                  \
    }
#define ASK(type, what)                                                                            \
    static type ask_##what(const void *scene)                                                      \
    {                                                                                              \
        return stage_##what(scene);                                                                \
    }

DO(release_mouse)
DO(destroy)
DO_AT(press_mouse)
DO_AT(press_pan)
DO_AT(press_choice)
DO_AT(move_mouse)
ASK(double, time)
ASK(int, is_still)
ASK(int, is_quitting)
ASK(int, is_fullscreen)

/* As large as the window is, and then seen from the start. */
static void do_begin(void *scene)
{
    stage_refit(scene);
}

static void do_resize(void *scene, int width_px, int height_px)
{
    stage_resize(scene, width_px, height_px);
}

static void do_press_key(void *scene, int key)
{
    stage_press_key(scene, key);
}

static void do_turn_wheel(void *scene, double clicks, double x, double y)
{
    stage_turn_wheel(scene, clicks, x, y);
}

static void do_seek(void *scene, double time_s)
{
    stage_seek(scene, time_s);
}

static void do_advance(void *scene, double dt_s)
{
    stage_advance(scene, dt_s);
}

static void do_look_for_news(void *scene, double now_s)
{
    stage_look_for_news(scene, now_s);
}

static void do_draw(void *scene, cairo_surface_t *surface)
{
    stage_draw(scene, surface);
}

static const char *ask_title(void *scene)
{
    return stage_title(scene);
}

const struct scene_acts stage_acts = {.begin = do_begin,
                                      .resize = do_resize,
                                      .press_key = do_press_key,
                                      .press_mouse = do_press_mouse,
                                      .press_pan = do_press_pan,
                                      .press_choice = do_press_choice,
                                      .move_mouse = do_move_mouse,
                                      .release_mouse = do_release_mouse,
                                      .turn_wheel = do_turn_wheel,
                                      .seek = do_seek,
                                      .time = ask_time,
                                      .advance = do_advance,
                                      .look_for_news = do_look_for_news,
                                      .is_still = ask_is_still,
                                      .draw = do_draw,
                                      .is_quitting = ask_is_quitting,
                                      .is_fullscreen = ask_is_fullscreen,
                                      .title = ask_title,
                                      .destroy = do_destroy};

#endif
