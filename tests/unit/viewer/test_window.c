/* Events that no pointer of a virtual display sends: two fingers that part or meet, and wheels of a
 * touchpad. They are put into SDL's queue before the window opens on SDL's own display without a
 * screen; its pictures are compared. */
#include "viewer/window/contents.h"
#include "viewer/window/contents.h"

#ifdef HAVE_SDL
#include <SDL.h>
#include <unistd.h>
#include "tests/plain_fixture.h"

/* Long enough for the replay and both frames. */
#define TIMEOUT_S 60

static struct gallery *gallery;
static char path[64];

static void setup(void)
{
    struct gallery_options options = {.top = 1};
    gallery = gallery_create(&options);
    ck_assert_ptr_nonnull(gallery);
    ck_assert_int_eq(gallery_add_file(gallery, "examples/creatures/pusher.json", &error), 0);
    ck_assert_int_eq(gallery_simulate(gallery, 0, &error), 0);
    snprintf(path, sizeof path, "/tmp/test_window.%ld.png", (long)getpid());
}

static void teardown(void)
{
    gallery_destroy(gallery);
    unlink(path);
}

static SDL_Event pinch(double apart, double x, double y)
{
    SDL_Event event = {.mgesture = {.type = SDL_MULTIGESTURE,
                                    .dDist = (float)apart,
                                    .x = (float)x,
                                    .y = (float)y,
                                    .numFingers = 2}};
    return event;
}

static SDL_Event wheel(double across, double up)
{
    SDL_Event event = {.wheel = {.type = SDL_MOUSEWHEEL,
                                 .x = (int)across,
                                 .y = (int)up,
                                 .preciseX = (float)across,
                                 .preciseY = (float)up}};
    return event;
}

/* The bytes of a screenshot after these events; to be freed. Nothing moves. */
static char *show(const SDL_Event *events, int count, size_t *length)
{
    struct window_options options = {
        .width_px = 320,
        .height_px = 240,
        .time_s = 0.5,
        .keys = " f", /* a camera that stays, so that it zooms around a place */
        .frame_limit = 2,
        .screenshot = path};
    ck_assert_int_eq(SDL_Init(SDL_INIT_EVENTS), 0);
    for (int i = 0; i < count; i++) {
        SDL_Event event = events[i];
        ck_assert_int_eq(SDL_PushEvent(&event), 1);
    }
    ck_ok(window_run(creatures_create(gallery, 0), &options, &error));
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    ck_assert(file && bytes);
    *length = fread(bytes, 1, 1 << 20, file);
    ck_assert_uint_gt(*length, 1000);
    fclose(file);
    return bytes;
}

static int is_same(const SDL_Event *a, int a_count, const SDL_Event *b, int b_count)
{
    size_t a_length, b_length;
    FREED char *left = show(a, a_count, &a_length), *right = show(b, b_count, &b_length);
    return a_length == b_length && !memcmp(left, right, a_length);
}

TEST(two_fingers_zoom)
{
    /* a twentieth of the window is a click of the wheel; the mouse is at the corner */
    SDL_Event apart = pinch(0.05, 0, 0), click = wheel(0, 1);
    ck_assert(is_same(NULL, 0, NULL, 0));
    ck_assert(!is_same(NULL, 0, &apart, 1));
    ck_assert(is_same(&click, 1, &apart, 1));
    /* around the place between them */
    SDL_Event elsewhere = pinch(0.05, 0.9, 0.4);
    ck_assert(!is_same(&apart, 1, &elsewhere, 1));
    SDL_Event there_and_back[] = {pinch(0.05, 0.9, 0.4), pinch(-0.05, 0.9, 0.4)};
    ck_assert(!is_same(there_and_back, 1, there_and_back, 2));
}

TEST(a_touchpad_goes_through_time)
{
    SDL_Event on = wheel(1, 0), both[] = {wheel(1, 0), wheel(-1, 0)};
    ck_assert(!is_same(NULL, 0, &on, 1));
    ck_assert(is_same(NULL, 0, both, 2));
}
#endif

int main(void)
{
#ifdef HAVE_SDL
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    setenv("SDL_RENDER_DRIVER", "software", 1);
    return run_defined_tests("window", TIMEOUT_S, setup, teardown);
#else
    return 0;
#endif
}
