/* SDL2 gives the window, the clock and the events; every frame is drawn by cairo into an image, which
 * is uploaded as one texture, so that what one sees is what an export would write. Keys, their help
 * and their actions stand in one table. */
#include "viewer/window.h"

#ifndef HAVE_SDL

int window_check(struct error *error)
{
    return error_set(error, ERR_UNAVAILABLE,
                     "the window is left out of this build: install the packages libsdl2-dev and "
                     "libcairo2-dev and build again, or use --export");
}

int window_run(const struct window_options *options, struct error *error)
{
    return window_check(error);
}

#else

#include <SDL.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "viewer/draw.h"

#define WINDOW_WIDTH    1120
#define WINDOW_HEIGHT   630
#define FRAME_MS        16
#define FRAME_S         (1.0 / 60)
#define SPEED_MIN       0.0625
#define SPEED_MAX       16.0
#define BAR_HEIGHT_PX   40.0
#define BAR_LEFT_PX     52.0
#define BAR_RIGHT_PX    150.0
#define END_PAUSE_S     1.0 /* shows the end for this long, then starts over */
#define TOAST_MS        3000
#define ZOOM_STEP       1.15
/* Longest step of the replay for one frame: after a stall it does not jump. */
#define FRAME_LONGEST_S 0.1

enum drag { DRAG_NONE, DRAG_PAN, DRAG_SCRUB };

struct window {
    const struct window_options *options;
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    cairo_surface_t *surface;
    int width, height;      /* px, the bar included */
    double pixels_per_unit; /* of the mouse's coordinates */

    int current, is_race, is_playing, is_help, is_quitting, is_changed;
    double time_s, speed;
    unsigned overlays;
    struct camera camera;
    enum drag drag;
    char toast[320];
    uint32_t toast_until_ms;
};

/* ---- what is shown ---- */

/* Height of the picture above the bar. */
static int scene_height(const struct window *window)
{
    double bar = BAR_HEIGHT_PX * draw_ui_scale(window->width, window->height);
    return (int)fmax(window->height - bar, 1);
}

static const struct replay *const *shown(const struct window *window, int *count)
{
    *count = window->is_race ? window->options->count : 1;
    return window->options->replays + (window->is_race ? 0 : window->current);
}

static double shown_duration(const struct window *window)
{
    int count;
    const struct replay *const *replays = shown(window, &count);
    double duration = 0;
    for (int i = 0; i < count; i++)
        duration = fmax(duration, replay_duration(replays[i]));
    return duration;
}

static void look_at_target(struct window *window, int is_jump, double dt_s)
{
    int count;
    const struct replay *const *replays = shown(window, &count);
    struct vec2 target = camera_target(&window->camera, replays, count, window->time_s,
                                       draw_lane_height(scene_height(window), count));
    if (is_jump)
        camera_jump(&window->camera, target);
    else if (window->camera.is_following)
        camera_follow(&window->camera, target, dt_s);
}

static void refit(struct window *window)
{
    int count;
    const struct replay *const *replays = shown(window, &count);
    camera_fit(&window->camera, replays, count, window->width,
               draw_lane_height(scene_height(window), count));
    look_at_target(window, 1, 0);
}

static void set_title(struct window *window)
{
    char title[256];
    const struct replay *replay = window->options->replays[window->current];
    if (window->is_race)
        snprintf(title, sizeof title, "race of %d - Bestiary", window->options->count);
    else
        snprintf(title, sizeof title, "%s - %s - %s - Bestiary", replay->name, replay->score,
                 replay_status_names[replay->status]);
    SDL_SetWindowTitle(window->window, title);
}

static void show_creature(struct window *window, int index)
{
    int count = window->options->count;
    window->current = (index + count) % count;
    window->time_s = 0;
    refit(window);
    set_title(window);
}

static void set_toast(struct window *window, const char *text)
{
    snprintf(window->toast, sizeof window->toast, "%s", text);
    window->toast_until_ms = SDL_GetTicks() + TOAST_MS;
}

static void seek(struct window *window, double time_s)
{
    window->time_s = fmin(fmax(time_s, 0), shown_duration(window));
}

/* ---- actions ---- */

static void act_play(struct window *window)
{
    window->is_playing = !window->is_playing;
    if (window->is_playing && window->time_s >= shown_duration(window)) {
        window->time_s = 0;
        look_at_target(window, 1, 0);
    }
}

static void step(struct window *window, int direction)
{
    double frame_s = window->options->replays[window->current]->frame_s;
    window->is_playing = 0;
    seek(window, (floor(window->time_s / frame_s + 0.5) + direction) * frame_s);
}

static void act_step(struct window *window)
{
    step(window, 1);
}

static void act_step_back(struct window *window)
{
    step(window, -1);
}

static void act_forward(struct window *window)
{
    seek(window, window->time_s + 0.5);
}

static void act_backward(struct window *window)
{
    seek(window, window->time_s - 0.5);
}

static void act_faster(struct window *window)
{
    window->speed = fmin(window->speed * 2, SPEED_MAX);
}

static void act_slower(struct window *window)
{
    window->speed = fmax(window->speed / 2, SPEED_MIN);
}

static void act_restart(struct window *window)
{
    window->time_s = 0;
    window->is_playing = 1;
    look_at_target(window, 1, 0);
}

static void act_next(struct window *window)
{
    window->is_race = 0;
    show_creature(window, window->current + 1);
}

static void act_previous(struct window *window)
{
    window->is_race = 0;
    show_creature(window, window->current - 1);
}

static void act_race(struct window *window)
{
    window->is_race = !window->is_race && window->options->count > 1;
    seek(window, window->time_s);
    refit(window);
    set_title(window);
}

static void act_follow(struct window *window)
{
    window->camera.is_following = !window->camera.is_following;
    window->camera.vx_m_s = window->camera.vy_m_s = 0;
}

static void act_refit(struct window *window)
{
    refit(window);
}

static void act_zoom_in(struct window *window)
{
    camera_zoom(&window->camera, ZOOM_STEP, 0, 0);
}

static void act_zoom_out(struct window *window)
{
    camera_zoom(&window->camera, 1 / ZOOM_STEP, 0, 0);
}

static void act_trail(struct window *window)
{
    window->overlays ^= DRAW_TRAIL;
}

static void act_contacts(struct window *window)
{
    window->overlays ^= DRAW_CONTACTS;
}

static void act_limits(struct window *window)
{
    window->overlays ^= DRAW_LIMITS;
}

static void act_brain(struct window *window)
{
    window->overlays ^= DRAW_BRAIN;
}

static void act_ledger(struct window *window)
{
    window->overlays ^= DRAW_LEDGER;
}

static void act_help(struct window *window)
{
    window->is_help = !window->is_help;
}

static void act_quit(struct window *window)
{
    if (window->is_help)
        window->is_help = 0;
    else
        window->is_quitting = 1;
}

/* A file name that does not exist yet, from the creature's name and the time. */
static void choose_file_name(const struct window *window, char *path, size_t size)
{
    char name[64];
    const char *from = window->is_race ? "race" : window->options->replays[window->current]->name;
    size_t used = 0;
    for (; *from && used + 1 < sizeof name; from++)
        name[used++] =
            strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *from)
                ? *from
                : '_';
    name[used] = 0;
    snprintf(path, size, "%s-%.2fs.png", name, window->time_s);
    for (int k = 2; access(path, F_OK) == 0 && k < 1000; k++)
        snprintf(path, size, "%s-%.2fs-%d.png", name, window->time_s, k);
}

static void draw_scene(const struct window *window, cairo_surface_t *surface)
{
    int count;
    const struct replay *const *replays = shown(window, &count);
    cairo_t *cr = cairo_create(surface);
    draw_frame(cr, window->width, scene_height(window), replays, count, &window->camera,
               window->time_s, window->overlays);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
}

static void act_save(struct window *window)
{
    char path[128], text[300];
    choose_file_name(window, path, sizeof path);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, window->width, scene_height(window));
    draw_scene(window, surface);
    cairo_status_t status = cairo_surface_write_to_png(surface, path);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        snprintf(text, sizeof text, "saved %s", path);
    else
        snprintf(text, sizeof text, "%s: %s", path, cairo_status_to_string(status));
    set_toast(window, text);
}

struct binding {
    SDL_Keycode keys[3];
    const char *label, *help; /* NULL label: not in the help */
    void (*act)(struct window *window);
};

static const struct binding bindings[] = {
    {{SDLK_SPACE}, "space", "play, pause", act_play},
    {{SDLK_PERIOD}, ".", "one tick on", act_step},
    {{SDLK_COMMA}, ",", "one tick back", act_step_back},
    {{SDLK_RIGHT}, "right", "half a second on", act_forward},
    {{SDLK_LEFT}, "left", "half a second back", act_backward},
    {{SDLK_PLUS, SDLK_EQUALS, SDLK_KP_PLUS}, "+", "twice as fast", act_faster},
    {{SDLK_MINUS, SDLK_KP_MINUS}, "-", "half as fast", act_slower},
    {{SDLK_r, SDLK_HOME}, "r", "start again", act_restart},
    {{SDLK_n, SDLK_TAB}, "n, tab", "next survivor", act_next},
    {{SDLK_p}, "p", "previous survivor", act_previous},
    {{SDLK_g}, "g", "race of all, or one", act_race},
    {{SDLK_f}, "f", "camera follows, or stays", act_follow},
    {{SDLK_UP, SDLK_PAGEUP}, "up, wheel", "zoom in", act_zoom_in},
    {{SDLK_DOWN, SDLK_PAGEDOWN}, "down, wheel", "zoom out", act_zoom_out},
    {{SDLK_0}, "0", "zoom and place anew", act_refit},
    {{SDLK_t}, "t", "trail of the centre of mass", act_trail},
    {{SDLK_c}, "c", "contacts", act_contacts},
    {{SDLK_j}, "j", "joint limits", act_limits},
    {{SDLK_b}, "b", "the living brain", act_brain},
    {{SDLK_l}, "l", "energy ledger", act_ledger},
    {{SDLK_s}, "s", "save this picture as png", act_save},
    {{SDLK_h, SDLK_F1}, "h, F1", "this help", act_help},
    {{SDLK_q, SDLK_ESCAPE}, "q, Esc", "quit", act_quit},
};
#define BINDING_COUNT   ((int)(sizeof bindings / sizeof bindings[0]))

static void press_key(struct window *window, SDL_Keycode key, int is_shifted)
{
    if (key == SDLK_TAB && is_shifted)
        key = SDLK_p;
    for (int i = 0; i < BINDING_COUNT; i++)
        for (int k = 0; k < 3; k++)
            if (bindings[i].keys[k] && bindings[i].keys[k] == key) {
                bindings[i].act(window);
                return;
            }
}

/* ---- the picture ---- */

static double bar_left(double ui)
{
    return BAR_LEFT_PX * ui;
}

static double bar_width(const struct window *window, double ui)
{
    return window->width - (BAR_LEFT_PX + BAR_RIGHT_PX) * ui;
}

static void draw_play_button(cairo_t *cr, const struct window *window, double x, double y,
                             double ui)
{
    double r = 7 * ui;
    draw_set_color(cr, palette[COLOR_text].light, 1);
    if (window->is_playing) {
        cairo_rectangle(cr, x - r * 0.8, y - r, r * 0.6, 2 * r);
        cairo_rectangle(cr, x + r * 0.2, y - r, r * 0.6, 2 * r);
    } else {
        cairo_move_to(cr, x - r * 0.7, y - r);
        cairo_line_to(cr, x + r, y);
        cairo_line_to(cr, x - r * 0.7, y + r);
        cairo_close_path(cr);
    }
    cairo_fill(cr);
}

static void draw_bar(cairo_t *cr, const struct window *window, double ui)
{
    double duration = shown_duration(window), left = bar_left(ui), width = bar_width(window, ui);
    double top = scene_height(window), middle = top + BAR_HEIGHT_PX * ui / 2;
    double share = duration > 0 ? fmin(window->time_s / duration, 1) : 0;
    char text[64], position[32];
    draw_set_color(cr, palette[COLOR_panel].light, 1);
    cairo_rectangle(cr, 0, top, window->width, window->height - top);
    cairo_fill(cr);
    draw_play_button(cr, window, 26 * ui, middle, ui);

    draw_rounded(cr, left, middle - 2.5 * ui, fmax(width, ui), 5 * ui, 2.5 * ui);
    draw_set_color(cr, palette[COLOR_grid].light, 0.3);
    cairo_fill(cr);
    draw_rounded(cr, left, middle - 2.5 * ui, fmax(width * share, ui), 5 * ui, 2.5 * ui);
    draw_set_color(cr, palette[COLOR_part_0].light, 1);
    cairo_fill(cr);
    cairo_arc(cr, left + width * share, middle, 7 * ui, 0, 2 * DRAW_PI);
    cairo_fill(cr);

    position[0] = 0;
    if (window->options->count > 1 && !window->is_race)
        snprintf(position, sizeof position, "   %d/%d", window->current + 1,
                 window->options->count);
    if (window->speed >= 1)
        snprintf(text, sizeof text, "x%g%s   h: help", window->speed, position);
    else
        snprintf(text, sizeof text, "x1/%g%s   h: help", 1 / window->speed, position);
    draw_text(cr, text, window->width - 14 * ui, middle + 4.5 * ui, 12 * ui, 0, DRAW_RIGHT,
              COLOR_text_soft);
}

static void draw_help(cairo_t *cr, const struct window *window, double ui)
{
    int rows = (BINDING_COUNT + 1) / 2;
    double row = 22 * ui, column = 300 * ui, width = 2 * column + 20 * ui;
    double height = rows * row + 84 * ui;
    double x = (window->width - width) / 2, y = (window->height - height) / 2;
    draw_panel(cr, x, y, width, height, ui);
    draw_text(cr, "Bestiary viewer", x + 22 * ui, y + 32 * ui, 16 * ui, 1, DRAW_LEFT, COLOR_text);
    for (int i = 0; i < BINDING_COUNT; i++) {
        double left = x + 22 * ui + (i / rows) * column, line = y + 60 * ui + (i % rows) * row;
        draw_text(cr, bindings[i].label, left, line, 12.5 * ui, 1, DRAW_LEFT, COLOR_part_0);
        draw_text(cr, bindings[i].help, left + 104 * ui, line, 12.5 * ui, 0, DRAW_LEFT, COLOR_text);
    }
    draw_text(cr, "Mouse: drag the picture to pan, the bar to scrub, the wheel zooms.", x + 22 * ui,
              y + height - 16 * ui, 12 * ui, 0, DRAW_LEFT, COLOR_text_soft);
}

static void draw_toast(cairo_t *cr, const struct window *window, double ui)
{
    double width = draw_text_width(cr, window->toast, 13 * ui, 0) + 28 * ui;
    double x = (window->width - width) / 2;
    double y = window->height - (BAR_HEIGHT_PX + 48) * ui;
    draw_panel(cr, x, y, width, 32 * ui, ui);
    draw_text(cr, window->toast, x + 14 * ui, y + 21 * ui, 13 * ui, 0, DRAW_LEFT, COLOR_text);
}

static void draw_controls(struct window *window)
{
    double ui = draw_ui_scale(window->width, window->height);
    cairo_t *cr = cairo_create(window->surface);
    draw_bar(cr, window, ui);
    if (window->is_help)
        draw_help(cr, window, ui);
    if (window->toast[0])
        draw_toast(cr, window, ui);
    cairo_destroy(cr);
    cairo_surface_flush(window->surface);
}

static void present(struct window *window)
{
    draw_scene(window, window->surface);
    draw_controls(window);
    SDL_UpdateTexture(window->texture, NULL, cairo_image_surface_get_data(window->surface),
                      cairo_image_surface_get_stride(window->surface));
    SDL_RenderClear(window->renderer);
    SDL_RenderCopy(window->renderer, window->texture, NULL, NULL);
    SDL_RenderPresent(window->renderer);
}

/* Makes texture and image as large as the window is now; 0 or ERR_IO. */
static int fit_to_window(struct window *window)
{
    int width, height, units, unused, old_height = window->height;
    if (SDL_GetRendererOutputSize(window->renderer, &width, &height))
        return ERR_IO;
    SDL_GetWindowSize(window->window, &units, &unused);
    window->pixels_per_unit = units > 0 ? (double)width / units : 1;
    if (window->texture && width == window->width && height == window->height)
        return 0;
    if (window->texture)
        SDL_DestroyTexture(window->texture);
    if (window->surface)
        cairo_surface_destroy(window->surface);
    window->width = width;
    window->height = height;
    window->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    window->texture = SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_RGB888,
                                        SDL_TEXTUREACCESS_STREAMING, width, height);
    if (!window->texture || cairo_surface_status(window->surface) != CAIRO_STATUS_SUCCESS)
        return ERR_IO;
    if (old_height > 0)
        window->camera.px_per_m *= (double)height / old_height;
    return 0;
}

/* ---- events ---- */

static void scrub_to(struct window *window, double x_px)
{
    double ui = draw_ui_scale(window->width, window->height);
    double share = (x_px - bar_left(ui)) / fmax(bar_width(window, ui), 1);
    seek(window, fmin(fmax(share, 0), 1) * shown_duration(window));
}

static void press_button(struct window *window, const SDL_MouseButtonEvent *event)
{
    double ui = draw_ui_scale(window->width, window->height);
    double x = event->x * window->pixels_per_unit, y = event->y * window->pixels_per_unit;
    if (event->button != SDL_BUTTON_LEFT && event->button != SDL_BUTTON_MIDDLE)
        return;
    if (window->is_help) {
        window->is_help = 0;
    } else if (y < window->height - BAR_HEIGHT_PX * ui) {
        window->drag = DRAG_PAN;
    } else if (x < bar_left(ui) - 8 * ui) {
        act_play(window);
    } else {
        window->drag = DRAG_SCRUB;
        scrub_to(window, x);
    }
}

static void move_mouse(struct window *window, const SDL_MouseMotionEvent *event)
{
    double scale = window->pixels_per_unit;
    if (window->drag == DRAG_SCRUB)
        scrub_to(window, event->x * scale);
    if (window->drag != DRAG_PAN)
        return;
    window->camera.is_following = 0;
    camera_pan(&window->camera, event->xrel * scale, event->yrel * scale);
}

static void turn_wheel(struct window *window, int clicks)
{
    int x, y;
    SDL_GetMouseState(&x, &y);
    double dx = x * window->pixels_per_unit - window->width / 2.0;
    double dy = y * window->pixels_per_unit - scene_height(window) / 2.0;
    if (window->camera.is_following || window->is_race)
        dx = dy = 0;
    camera_zoom(&window->camera, pow(ZOOM_STEP, clicks), dx, dy);
}

static void handle_event(struct window *window, const SDL_Event *event)
{
    window->is_changed = 1;
    switch (event->type) {
    case SDL_QUIT:
        window->is_quitting = 1;
        break;
    case SDL_KEYDOWN:
        press_key(window, event->key.keysym.sym, (event->key.keysym.mod & KMOD_SHIFT) != 0);
        break;
    case SDL_MOUSEBUTTONDOWN:
        press_button(window, &event->button);
        break;
    case SDL_MOUSEBUTTONUP:
        window->drag = DRAG_NONE;
        break;
    case SDL_MOUSEMOTION:
        move_mouse(window, &event->motion);
        break;
    case SDL_MOUSEWHEEL:
        turn_wheel(window, event->wheel.y);
        break;
    default:
        break;
    }
}

/* Waits while nothing moves, so that a paused viewer costs nothing. 0 if nothing has happened. */
static int handle_events(struct window *window, int is_idle)
{
    SDL_Event event;
    if (is_idle) {
        if (!SDL_WaitEventTimeout(&event, 500))
            return 0;
        handle_event(window, &event);
    }
    while (!window->is_quitting && SDL_PollEvent(&event))
        handle_event(window, &event);
    return 1;
}

/* ---- the loop ---- */

static void advance(struct window *window, double dt_s)
{
    double duration = shown_duration(window);
    if (window->is_playing && window->drag != DRAG_SCRUB) {
        window->time_s += dt_s * window->speed;
        if (window->time_s > duration + END_PAUSE_S * window->speed) {
            window->time_s = 0;
            look_at_target(window, window->camera.is_following, 0);
        }
    }
    look_at_target(window, 0, dt_s);
    if (window->toast[0] && SDL_GetTicks() > window->toast_until_ms)
        window->toast[0] = 0;
}

/* 1 while the next picture would be the same as the last. */
static int is_still(const struct window *window)
{
    return !window->is_playing && !window->is_changed && !window->toast[0] &&
           !window->options->frame_limit &&
           hypot(window->camera.vx_m_s, window->camera.vy_m_s) < 1e-3;
}

static int loop(struct window *window, struct error *error)
{
    const struct window_options *options = window->options;
    uint32_t last_ms = SDL_GetTicks();
    for (long frame = 0; !window->is_quitting; frame++) {
        uint32_t start_ms = SDL_GetTicks();
        double dt_s = options->frame_limit ? FRAME_S : (start_ms - last_ms) / 1000.0;
        last_ms = start_ms;
        if (!handle_events(window, is_still(window)))
            continue;
        if (fit_to_window(window))
            return error_set(error, ERR_IO, "window: %s", SDL_GetError());
        advance(window, fmin(dt_s, FRAME_LONGEST_S));
        window->is_changed = 0;
        present(window);
        if (options->frame_limit && frame + 1 >= options->frame_limit)
            break;
        /* where the display does not set the pace */
        uint32_t spent_ms = SDL_GetTicks() - start_ms;
        if (!options->frame_limit && spent_ms < FRAME_MS)
            SDL_Delay(FRAME_MS - spent_ms);
    }
    return 0;
}

static int write_screenshot(const struct window *window, struct error *error)
{
    const char *path = window->options->screenshot;
    cairo_status_t status = cairo_surface_write_to_png(window->surface, path);
    if (status == CAIRO_STATUS_SUCCESS)
        return 0;
    return error_set(error, ERR_IO, "%s: %s", path, cairo_status_to_string(status));
}

/* Where there is nothing to look at SDL would open a window that nobody sees, for ever. A driver that
 * was asked for by name is taken at its word. */
static int open_video(void)
{
    static const char *const unseen[] = {"offscreen", "dummy", "evdev"};
    if (SDL_getenv("SDL_VIDEODRIVER"))
        return SDL_Init(SDL_INIT_VIDEO) ? ERR_IO : 0;
#ifdef __linux__
    /* asked first, since trying to connect makes libraries write to standard error */
    const char *x11 = SDL_getenv("DISPLAY"), *wayland = SDL_getenv("WAYLAND_DISPLAY");
    if (!(x11 && *x11) && !(wayland && *wayland))
        return ERR_IO;
#endif
    if (SDL_Init(SDL_INIT_VIDEO))
        return ERR_IO;
    for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++)
        if (!strcmp(SDL_GetCurrentVideoDriver(), unseen[i]))
            return ERR_IO;
    return 0;
}

static int open_window(struct window *window, struct error *error)
{
    const struct window_options *options = window->options;
    int width = options->width_px ? options->width_px : WINDOW_WIDTH;
    int height = options->width_px ? options->height_px : WINDOW_HEIGHT;
    if (open_video())
        return error_set(error, ERR_IO, "there is no display to open a window on; use --export");
    window->window =
        SDL_CreateWindow("Bestiary", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, width,
                         height, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!window->window)
        return error_set(error, ERR_IO, "window: %s", SDL_GetError());
    window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (!window->renderer)
        window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_SOFTWARE);
    if (!window->renderer || fit_to_window(window))
        return error_set(error, ERR_IO, "window: %s", SDL_GetError());
    return 0;
}

static void close_window(struct window *window)
{
    if (window->surface)
        cairo_surface_destroy(window->surface);
    if (window->texture)
        SDL_DestroyTexture(window->texture);
    if (window->renderer)
        SDL_DestroyRenderer(window->renderer);
    if (window->window)
        SDL_DestroyWindow(window->window);
    SDL_Quit();
}

int window_check(struct error *error)
{
    return 0;
}

int window_run(const struct window_options *options, struct error *error)
{
    struct window window = {
        .options = options, .speed = 1, .is_playing = 1, .is_changed = 1, .overlays = DRAW_TRAIL};
    int status = open_window(&window, error);
    if (!status) {
        show_creature(&window, 0);
        seek(&window, options->time_s);
        look_at_target(&window, 1, 0);
        status = loop(&window, error);
    }
    if (!status && options->screenshot)
        status = write_screenshot(&window, error);
    close_window(&window);
    return status;
}

#endif
