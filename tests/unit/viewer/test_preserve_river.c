/* The river of forms: counts at the middles of spans against counts by hand, trees without a band
 * of their own, the picture, and what a click on it hits. */
#include "viewer/replay/preserve_replay.h"

#include <unistd.h>

#include "controller/store/store.h"
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

/* A span is a tick, which takes 1 s. */
#define END_S ((double)PRESERVE_SPANS)

static char path[96];
static struct epoch_end *end;
static struct preserve_river river;

static void setup(void)
{
    open_directory();
    snprintf(path, sizeof path, "%s/run.db", directory);
    end = epoch_end_create();
    ck_assert_int_eq(packed_bytes_set(&end->state, "state", 5), 0);
    memset(&error, 0, sizeof error);
}

static void teardown(void)
{
    epoch_end_destroy(end);
    close_directory();
}

/* died_s -1: it lives. */
static void put(uint64_t topology, int born_s, int died_s)
{
    struct epoch_life life = {.id = (uint64_t)end->life_count + 1,
                              .part_count = 1,
                              .topology = topology,
                              .born_tick = born_s,
                              .died_tick = died_s,
                              .cause = died_s < 0 ? -1 : 0,
                              .preyed_tick = -1};
    ck_assert_int_eq(epoch_end_add_life(end, &life), 0);
}

static void read_river(void)
{
    struct store *store;
    struct epoch_order *order = epoch_order_create();
    struct store_epoch epoch = {
        .world = 2, .epoch = 0, .order = order, .end = end, .drifted_to = -1, .tick_s = 1};
    params_set_defaults(&params);
    ck_ok(store_create(&store, path, &params, NULL, NULL, NULL, &error));
    ck_ok(store_put_epoch(store, &epoch, 1, &error));
    ck_ok(store_commit(store, &error));
    store_close(store);
    epoch_order_destroy(order);
    ck_ok(preserve_river_read(&river, directory, 2, END_S, &error));
}

TEST(counts_are_those_of_the_middles_of_spans)
{
    put(7, 10, 20);
    put(7, 15, -1);
    put(UINT64_C(3) << 32 | 5, 0, 12);
    put(0, 0, -1);   // its tree is not known
    put(7, 300, -1); // after the end
    read_river();
    ck_assert_int_eq(river.count, 2);
    ck_assert_int_eq(river.bands[0].form, 5);
    ck_assert_int_eq(river.bands[1].form, 7);
    ck_assert_int_eq(river.most, 2);
    for (int k = 0; k < PRESERVE_SPANS; k++) {
        ck_assert_int_eq(river.bands[0].counts[k], k < 12);
        ck_assert_int_eq(river.bands[1].counts[k], (k >= 10 && k < 20) + (k >= 15));
    }
    ck_assert_double_eq(river.bands[1].lived_s, 10 + END_S - 15);
    ck_assert_int_eq(preserve_river_find(&river, 7), 1);
    ck_assert_int_eq(preserve_river_find(&river, 8), -1);
    /* other worlds have nothing */
    ck_assert_int_eq(preserve_river_read(&river, directory, 1, END_S, &error), 0);
    ck_assert_int_eq(river.count, 0);
    ck_assert_int_eq(preserve_river_read(&river, "/nowhere", 1, END_S, &error), ERR_MISSING);
}

/* The trees that lived least share the last band, wherever they come. */
TEST(small_trees_share_a_band)
{
    enum { TREES = 2 * PRESERVE_BANDS_MAX };
    for (int i = 1; i <= TREES; i++)
        put((uint64_t)i, i, i + (i % 2 ? 1 : 100));
    read_river();
    ck_assert_int_eq(river.count, PRESERVE_BANDS_MAX);
    ck_assert_int_eq(river.bands[river.count - 1].form, PRESERVE_FORM_OTHERS);
    for (int i = 0; i + 1 < river.count; i++)
        ck_assert_int_eq(river.bands[i].form % 2, 0);
    ck_assert_int_eq(preserve_river_find(&river, 3), river.count - 1);
    int all = 0;
    for (int i = 0; i < river.count; i++)
        all += river.bands[i].counts[TREES];
    ck_assert_int_eq(all, PRESERVE_BANDS_MAX);
}

#ifdef HAVE_CAIRO
#include "viewer/draw/draw_panels.h"

/* Two bands of equal height around the middle, in the first half of the time. */
TEST(a_click_hits_the_band_that_is_drawn)
{
    put(1, 0, -1);
    put(2, 0, -1);
    read_river();
    struct draw_river d = {{0, 0, 400, 100, 1}, &river, END_S, 2 * END_S};
    ck_assert_int_eq(draw_river_pick(&d, 100, 30), 0);
    ck_assert_int_eq(draw_river_pick(&d, 100, 70), 1);
    ck_assert_int_eq(draw_river_pick(&d, 100, 1), -1);
    ck_assert_int_eq(draw_river_pick(&d, 300, 30), -1);
    ck_assert_int_eq(draw_river_pick(&d, 100, 130), -1);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 400, 100);
    cairo_t *cr = cairo_create(surface);
    draw_river(cr, &d);
    cairo_destroy(cr);
    cairo_surface_flush(surface);
    for (int i = 0; i < 2; i++) {
        const unsigned char *row = cairo_image_surface_get_data(surface) +
                                   (30 + 40 * i) * cairo_image_surface_get_stride(surface);
        uint32_t color;
        memcpy(&color, row + 4 * 100, sizeof color);
        ck_assert_uint_eq(color & 0xffffff, palette_family_color(1 + i));
    }
    cairo_surface_destroy(surface);
}

#endif

SUITE("preserve_river", 0, setup, teardown)
