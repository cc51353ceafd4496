/* SDL2 gives the window, the clock and the events; the player (player.h) draws every frame with cairo
 * into an image, which is uploaded as one texture, so that what one sees is what an export would
 * write. */
#include "viewer/window/contents.h"

#ifndef HAVE_SDL

int window_check(struct error *error)
{
    return error_set(error, ERR_UNAVAILABLE,
                     "the window is left out of this build: install the packages libsdl2-dev and "
                     "libcairo2-dev and build again, or use --export");
}

int window_run(struct player *player, const struct window_options *options, struct error *error)
{
    return window_check(error);
}

#else

#include <SDL.h>
#include <math.h>
#include <string.h>

#include "common/system/process.h"
#include "common/system/file.h"
#include "viewer/window/player.h"

#define WINDOW_WIDTH    1120
#define WINDOW_HEIGHT   680
/* Dots to an inch of a usual screen; denser ones get a larger window, in which all is larger. */
#define USUAL_DPI       96.0
#define SCALE_MAX       4.0
/* A window takes at most this share of the screen. */
#define SCREEN_SHARE    0.94
#define FRAME_MS        16
#define FRAME_S         (1.0 / 60)
/* Time for a click of a wheel sideways, and clicks for two fingers that part by the window's
 * size. */
#define WHEEL_S         0.1
#define PINCH_CLICKS    20.0
/* Waiting for events while nothing moves. */
#define IDLE_MS         250
/* Longest step of the replay for one frame: after a stall it does not jump. */
#define FRAME_LONGEST_S 0.1

struct window {
    const struct window_options *options;
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    cairo_surface_t *surface;
    int width, height;      /* px */
    double fine;            /* of the surface: see player_fineness() */
    double pixels_per_unit; /* of the mouse's coordinates */
    struct player *player;
    int is_quitting, is_fullscreen;
};

/* ---- the picture ---- */

static void present(struct window *window)
{
    uint64_t start = SDL_GetPerformanceCounter();
    player_draw(window->player, window->surface);
    uint64_t spent = SDL_GetPerformanceCounter() - start;
    if (!window->options->frame_limit)
        player_pace(window->player, (double)spent / (double)SDL_GetPerformanceFrequency());
    SDL_UpdateTexture(window->texture, NULL, cairo_image_surface_get_data(window->surface),
                      cairo_image_surface_get_stride(window->surface));
    SDL_RenderClear(window->renderer);
    SDL_RenderCopy(window->renderer, window->texture, NULL, NULL);
    SDL_RenderPresent(window->renderer);
}

/* Makes texture and image as large as the window is now, or smaller for pictures that come late; 0 or
 * ERR_IO. */
static int fit_to_window(struct window *window)
{
    int width, height, units, unused;
    if (SDL_GetRendererOutputSize(window->renderer, &width, &height))
        return ERR_IO;
    SDL_GetWindowSize(window->window, &units, &unused);
    window->pixels_per_unit = units > 0 ? (double)width / units : 1;
    double fine = player_fineness(window->player);
    int is_resized = width != window->width || height != window->height;
    if (window->texture && !is_resized && fine == window->fine)
        return 0;
    if (window->texture)
        SDL_DestroyTexture(window->texture);
    cairo_surface_destroy(window->surface);
    window->width = width;
    window->height = height;
    window->fine = fine;
    int columns = (int)ceil(fine * width), rows = (int)ceil(fine * height);
    window->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows);
    cairo_surface_set_device_scale(window->surface, fine, fine);
    window->texture = SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_RGB888,
                                        SDL_TEXTUREACCESS_STREAMING, columns, rows);
    if (!window->texture || cairo_surface_status(window->surface) != CAIRO_STATUS_SUCCESS)
        return ERR_IO;
    if (is_resized)
        player_resize(window->player, width, height);
    return 0;
}

/* ---- events ---- */

/* Keys of SDL are the characters they print, but for these. */
static int translate_key(const SDL_Keysym *key)
{
    static const struct {
        SDL_Keycode from;
        int to;
    } keys[] = {
        {SDLK_LEFT, KEY_LEFT}, {SDLK_RIGHT, KEY_RIGHT},    {SDLK_UP, KEY_UP},
        {SDLK_PAGEUP, KEY_UP}, {SDLK_DOWN, KEY_DOWN},      {SDLK_PAGEDOWN, KEY_DOWN},
        {SDLK_HOME, KEY_HOME}, {SDLK_END, KEY_END},        {SDLK_ESCAPE, KEY_ESCAPE},
        {SDLK_F1, KEY_F1},     {SDLK_F11, KEY_F11},        {SDLK_KP_PLUS, '+'},
        {SDLK_KP_MINUS, '-'},  {SDLK_KP_ENTER, KEY_ENTER},
    };
    if (key->sym == SDLK_TAB)
        return key->mod & KMOD_SHIFT ? KEY_BACKTAB : KEY_TAB;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].from == key->sym)
            return keys[i].to;
    if (key->sym >= 'a' && key->sym <= 'z' && key->mod & KMOD_SHIFT)
        return (int)key->sym - 'a' + 'A';
    return key->sym > 0 && key->sym < 128 ? (int)key->sym : 0;
}

/* Up and down zooms, sideways (a touchpad's other way) goes through time. */
static void turn_wheel(struct window *window, const SDL_MouseWheelEvent *wheel)
{
    double scale = window->pixels_per_unit, across = (double)wheel->preciseX;
    int x, y;
    SDL_GetMouseState(&x, &y);
    if (wheel->preciseY != 0)
        player_turn_wheel(window->player, (double)wheel->preciseY, x * scale, y * scale);
    if (across != 0)
        player_seek(window->player, window->player->time_s + across * WHEEL_S);
}

static void handle_event(struct window *window, const SDL_Event *event)
{
    double scale = window->pixels_per_unit;
    switch (event->type) {
    case SDL_QUIT:
        window->is_quitting = 1;
        break;
    case SDL_KEYDOWN:
        player_press_key(window->player, translate_key(&event->key.keysym));
        break;
    case SDL_MOUSEBUTTONDOWN:
        if (event->button.button == SDL_BUTTON_MIDDLE ||
            (event->button.button == SDL_BUTTON_LEFT && SDL_GetModState() & KMOD_SHIFT))
            player_press_pan(window->player, event->button.x * scale, event->button.y * scale);
        else if (event->button.button == SDL_BUTTON_LEFT)
            player_press_mouse(window->player, event->button.x * scale, event->button.y * scale);
        else if (event->button.button == SDL_BUTTON_RIGHT)
            player_press_choice(window->player, event->button.x * scale, event->button.y * scale);
        break;
    case SDL_MOUSEBUTTONUP:
        player_release_mouse(window->player);
        break;
    case SDL_MOUSEMOTION:
        player_move_mouse(window->player, event->motion.x * scale, event->motion.y * scale);
        break;
    case SDL_MOUSEWHEEL:
        turn_wheel(window, &event->wheel);
        break;
    case SDL_MULTIGESTURE:
        /* two fingers that part; places and distances are shares of the window's */
        player_turn_wheel(window->player, PINCH_CLICKS * (double)event->mgesture.dDist,
                          (double)event->mgesture.x * window->width,
                          (double)event->mgesture.y * window->height);
        break;
    case SDL_WINDOWEVENT:
        /* uncovered or moved to another screen: the picture is wanted again */
        player_seek(window->player, window->player->time_s);
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
        if (!SDL_WaitEventTimeout(&event, IDLE_MS))
            return 0;
        handle_event(window, &event);
    }
    while (!window->is_quitting && SDL_PollEvent(&event))
        handle_event(window, &event);
    return 1;
}

/* ---- the loop ---- */

/* The player's wishes of the window. */
static void obey(struct window *window)
{
    const char *title = player_title(window->player);
    if (strcmp(title, SDL_GetWindowTitle(window->window)) != 0)
        SDL_SetWindowTitle(window->window, title);
    if (window->player->is_fullscreen == window->is_fullscreen)
        return;
    window->is_fullscreen = !window->is_fullscreen;
    SDL_SetWindowFullscreen(window->window,
                            window->is_fullscreen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
}

static int loop(struct window *window, struct error *error)
{
    const struct window_options *options = window->options;
    uint32_t last_ms = SDL_GetTicks();
    for (long frame = 0; !window->is_quitting && !window->player->is_quitting;) {
        uint32_t start_ms = SDL_GetTicks();
        double dt_s = options->frame_limit ? FRAME_S : (start_ms - last_ms) / 1000.0;
        last_ms = start_ms;
        player_look_for_news(window->player, start_ms / 1000.0);
        if (!handle_events(window, player_is_still(window->player) && !options->frame_limit))
            continue;
        if (fit_to_window(window))
            return error_set(error, ERR_IO, "window: %s", SDL_GetError());
        player_advance(window->player, fmin(dt_s, FRAME_LONGEST_S));
        obey(window);
        present(window);
        if (options->frame_limit && ++frame >= options->frame_limit)
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
    struct atomic_file draft;
    int status = atomic_file_begin(&draft, window->options->screenshot, error);
    if (status)
        return status;
    cairo_status_t written = cairo_surface_write_to_png(window->surface, draft.name);
    if (written != CAIRO_STATUS_SUCCESS)
        status = error_set(error, ERR_IO, "%s: %s", draft.path, cairo_status_to_string(written));
    return atomic_file_end(&draft, status, error);
}

/* Where there is nothing to look at SDL would open an invisible window, for ever. A driver
 * that was asked for by name is taken at its word. */
static int open_video(void)
{
    static const char *const unseen[] = {"offscreen", "dummy", "evdev"};
    if (SDL_getenv("SDL_VIDEODRIVER"))
        return SDL_Init(SDL_INIT_VIDEO) ? ERR_IO : 0;
    /* asked first, since trying to connect makes libraries write to standard error */
    if (!display_may_exist())
        return ERR_IO;
    if (SDL_Init(SDL_INIT_VIDEO))
        return ERR_IO;
    for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++)
        if (!strcmp(SDL_GetCurrentVideoDriver(), unseen[i]))
            return ERR_IO;
    return 0;
}

/* How many pixels a desktop wants for one where windows are measured in pixels (X11; elsewhere SDL
 * knows): what other programs are told, or else the screen's density. */
static double find_scale(void)
{
    const char *told = SDL_getenv("GDK_SCALE"), *driver = SDL_GetCurrentVideoDriver();
    float dpi = 0;
    double scale = told ? SDL_atof(told) : 0;
    if (!driver || strcmp(driver, "x11") != 0)
        return 1;
    if (!(scale > 0) && !SDL_GetDisplayDPI(0, NULL, &dpi, NULL))
        scale = floor((double)dpi / USUAL_DPI * 2 + 0.5) / 2;
    return fmin(fmax(scale, 1), SCALE_MAX);
}

/* The usual size for that screen, but no larger than it has room for. */
static void choose_size(int *width, int *height)
{
    SDL_Rect room;
    double scale = find_scale();
    if (!SDL_GetDisplayUsableBounds(0, &room) && room.w > 0 && room.h > 0)
        scale = fmin(scale, fmin(SCREEN_SHARE * room.w / WINDOW_WIDTH,
                                 SCREEN_SHARE * room.h / WINDOW_HEIGHT));
    *width = (int)fmax(scale * WINDOW_WIDTH, 320);
    *height = (int)fmax(scale * WINDOW_HEIGHT, 240);
}

static int open_window(struct window *window, struct error *error)
{
    const struct window_options *options = window->options;
    int width = options->width_px, height = options->height_px;
    if (open_video())
        return error_set(error, ERR_IO, "there is no display to open a window on; use --export");
    if (!width)
        choose_size(&width, &height);
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

int window_run(struct player *player, const struct window_options *options, struct error *error)
{
    struct window window = {.options = options, .player = player};
    int status = open_window(&window, error);
    if (!status) {
        player->content->begin(player);
        for (const char *key = options->keys; key && *key; key++)
            player_press_key(player, *key);
        if (options->time_s >= 0)
            player_seek(player, options->time_s);
        status = loop(&window, error);
    }
    if (!status && options->screenshot)
        status = write_screenshot(&window, error);
    close_window(&window);
    player_destroy(player);
    return status;
}

#endif
