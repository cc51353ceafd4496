/* Gallery and window of creatures: shelves of a run, what keys and the mouse do, a run that grows while it is
 * watched, cuts in the brain. Everything the window does, without a window. */
#include "viewer/window/contents.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/params/choice.h"
#include "common/math/hash.h"
#include "common/system/file.h"
#include "common/version.h"
#include "tests/unit/directory_fixture.h"
#include "tests/unit/store_fixture.h"
#include "tests/unit/genome_fixture.h"
#include "common/store/favourites.h"
#include "viewer/window/gallery.h"
#include "tests/counts.h"
#include "tests/plain_fixture.h"

/* ---- which champions stand for all ---- */

/* The chosen generations of those whose best creatures these are, as "0 2 5". */
static const char *choose(const int *best_ids, int count, int most, int chosen[64])
{
    struct store_generation generations[64];
    char text[256] = "";
    memset(generations, 0, sizeof generations);
    for (int i = 0; i < count; i++)
        generations[i].best_id = (uint64_t)best_ids[i];
    int kept = gallery_choose_champions(generations, count, most, chosen);
    for (int i = 0; i < kept; i++)
        sprintf(text + strlen(text), "%d ", chosen[i]);
    return printed("%s", text);
}

TEST(champions_are_those_that_are_new)
{
    const int ids[] = {4, 4, 9, 9, 9, 12, 12};
    int chosen[64];
    ck_assert_str_eq(choose(ids, 7, 24, chosen), "0 2 5 ");
    ck_assert_str_eq(choose(ids, 0, 24, chosen), "");
    ck_assert_str_eq(choose(ids, 1, 2, chosen), "0 ");
}

TEST(of_many_champions_a_few_are_chosen_evenly)
{
    int ids[64], chosen[64];
    for (int i = 0; i < 64; i++)
        ids[i] = i + 1;
    for (int most = 2; most <= 64; most++)
        for (int count = 1; count <= 64; count++) {
            int kept = count_text(choose(ids, count, most, chosen), " ");
            ck_assert_int_eq(kept, count < most ? count : most);
            ck_assert(chosen[0] == 0 && chosen[kept - 1] == count - 1);
            for (int i = 1; i < kept; i++) {
                ck_assert_int_gt(chosen[i], chosen[i - 1]);
                ck_assert_int_le(chosen[i] - chosen[i - 1], (count - 1) / (most - 1) + 1);
            }
        }
}

#ifdef HAVE_CAIRO

#include "viewer/window/chooser.h"
#include "viewer/draw/draw_space.h"
#include "viewer/draw/draw.h"
#include "viewer/window/creature_private.h"

#define WIDTH  960
#define HEIGHT 640
/* Middles of the panels below the picture, as creature_draw.c lays them out at this size. */
#define UI         1.0
#define BAR_Y      (HEIGHT - 20 * UI)
#define TIMELINE_Y (HEIGHT - (40 + 29) * UI)
#define STRIP_Y    (HEIGHT - (40 + 58 + 42) * UI)

/* ---- a run of worms, written without the store's code ---- */

static char path[96];
static sqlite3 *database;
static struct gallery *gallery;
static struct creature_window *window;
static cairo_surface_t *surface;

static void run_sql(const char *sql)
{
    store_fixture_run(database, sql);
}

/* Creature `id` is born in generation (id - 1) / 2 of the creature two before. */
static void put_creature(int id)
{
    SCOPED(genome) genome;
    char seed[17];
    fixture_make_worm(&genome, 0.3 + 0.01 * id);
    hash_to_text((uint64_t)id, seed);
    const char *sql =
        printed("INSERT INTO individuals (id, generation, method, parent1, mutations, seed,"
                " branch, verdict, fitness, digest, genome) VALUES"
                " (%d, %d, 'asexual', %s, 'width of body 2', '%s', 1, 'ok', %d, '%s', ?1)",
                id, (id - 1) / 2, id > 2 ? printed("%d", id - 2) : "NULL", seed, id, seed);
    store_fixture_put_genome(database, sql, &genome);
    run_sql(printed("INSERT INTO members VALUES (%d, %d, 1, %d, 1, %d)", (id - 1) / 2, id,
                    id % 2 ? 2 : 1, id));
}

/* Generation n has the creatures 2 n + 1 and 2 n + 2, of which the latter is the better one. */
static void put_generation(int number)
{
    run_sql("BEGIN");
    run_sql(
        printed("INSERT INTO generations (number, branch, closed, evaluations_own, best, median,"
                " best_id) VALUES (%d, 1, 1, 2, %d, 1, %d)",
                number, 2 * number + 2, 2 * number + 2));
    put_creature(2 * number + 1);
    put_creature(2 * number + 2);
    run_sql("COMMIT");
}

static void setup(void)
{
    memset(&error, 0, sizeof error);
    open_directory();
    snprintf(path, sizeof path, "%s/run.db", directory);
    ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
    store_fixture_make_tables(database);
    run_sql(printed("INSERT INTO branches VALUES (1, 0, %d, 'digest')", SIMULATOR_VERSION));
    run_sql("INSERT INTO branch_parameters VALUES (1, 1, 'name', 'worm'),"
            " (1, 2, 'simulation.duration_s', '1.5')");
    surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
}

static void teardown(void)
{
    player_destroy(&window->player);
    gallery_destroy(gallery);
    window = NULL;
    gallery = NULL;
    cairo_surface_destroy(surface);
    sqlite3_close(database);
    close_directory();
}

static void open_window(void)
{
    struct gallery_options options = {.top = 8, .is_ranks = 1, .champions_most = 24};
    gallery = gallery_create(&options);
    ck_assert_ptr_nonnull(gallery);
    ck_ok(gallery_open_run(gallery, directory, &error));
    if (gallery->generation_count)
        ck_ok(gallery_show_generation(gallery, -1, &error));
    window = (struct creature_window *)creatures_create(gallery, 1);
    ck_assert_ptr_nonnull(window);
    player_resize(&window->player, WIDTH, HEIGHT);
}

static void open_run_of(int generations)
{
    for (int i = 0; i < generations; i++)
        put_generation(i);
    open_window();
}

static void press(const char *keys)
{
    for (; *keys; keys++)
        player_press_key(&window->player, *keys);
}

static void click(double x, double y)
{
    player_move_mouse(&window->player, x, y);
    player_press_mouse(&window->player, x, y);
    player_release_mouse(&window->player);
}

static uint64_t draw(void)
{
    uint64_t hash = HASH_START;
    /* edges between pixels mix with what was there */
    memset(cairo_image_surface_get_data(surface), 0,
           (size_t)cairo_image_surface_get_stride(surface) * HEIGHT);
    cairo_surface_mark_dirty(surface);
    player_draw(&window->player, surface);
    cairo_surface_flush(surface);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint32_t pixel;
            memcpy(&pixel, data + y * cairo_image_surface_get_stride(surface) + 4 * x, 4);
            hash = hash_u64(hash, pixel & 0xffffff);
        }
    return hash;
}

static const struct specimen *current(void)
{
    return gallery_specimen(gallery, window->current);
}

/* What the window shows, as "2:6 of 2": generation, creature and how many stand beside it; further
 * the shelf, if it is not a generation, and the view, if it is not of a single creature. */
static const char *shown(void)
{
    static const char *const shelves[] = {" files", "", " champions", " lineage"};
    static const char *const views[] = {"", " race", " cells", " pair"};
    if (gallery->shown.count == 0)
        return "nothing";
    return printed("%d:%d of %d%s%s", (int)gallery->generation, (int)current()->creature.id,
                   gallery->shown.count, shelves[gallery->kind], views[window->view]);
}

/* After these keys. */
static void expect(const char *keys, const char *state)
{
    press(keys);
    ck_assert_str_eq(shown(), state);
}

static void press_end(const char *state)
{
    player_press_key(&window->player, KEY_END);
    expect("", state);
}

/* There is news at this time. */
static void expect_news(double time_s, const char *state)
{
    player_look_for_news(&window->player, time_s);
    expect("", state);
}

static void expect_time(double time_s)
{
    ck_assert_double_eq_tol(window->player.time_s, time_s, 1e-9);
}

static void advance(double step_s, int count)
{
    for (int i = 0; i < count; i++)
        player_advance(&window->player, step_s);
}

FIXTURE(setup, teardown)

/* ---- playing ---- */

TEST(plays_pauses_steps_and_scrubs)
{
    open_run_of(1);
    ck_assert_int_eq(window->player.is_playing, 1);
    advance(1.0 / 60, 30);
    expect_time(0.5);
    press(" ");
    advance(0.1, 1);
    expect_time(0.5);
    press("..,");
    expect_time(0.5 + 1.0 / 60);
    player_press_key(&window->player, KEY_RIGHT);
    expect_time(1 + 1.0 / 60);
    /* the bar: its middle is half of the time, and dragging goes on beside it */
    click(52 + (WIDTH - 202) / 2.0, BAR_Y);
    ck_assert_double_eq_tol(window->player.time_s, 0.75, 0.01);
    player_press_mouse(&window->player, 300, BAR_Y);
    player_move_mouse(&window->player, 5000, 10);
    expect_time(1.5);
    player_release_mouse(&window->player);
    click(26, BAR_Y);
    ck_assert_int_eq(window->player.is_playing, 1);
    press("++");
    player_seek(&window->player, 0);
    advance(0.1, 1);
    expect_time(0.4);
    /* the end is shown for a second, then it starts over */
    press("--");
    advance(0.1, 22);
    ck_assert_double_lt(window->player.time_s, 0.3);
}

TEST(every_key_draws_and_overlays_toggle)
{
    static const struct {
        char key;
        unsigned overlay;
    } overlays[] = {{'k', DRAW_BOXES},  {'t', DRAW_TRAIL},    {'c', DRAW_CONTACTS},
                    {'j', DRAW_LIMITS}, {'u', DRAW_TORQUES},  {'i', DRAW_SENSORS},
                    {'o', DRAW_LIGHT},  {'m', DRAW_UNMARKED}, {'b', DRAW_BRAIN},
                    {'l', DRAW_LEDGER}};
    open_run_of(3);
    press(" ");
    player_seek(&window->player, 1.1); /* it has gone far enough for a trail */
    for (size_t i = 0; i < sizeof overlays / sizeof overlays[0]; i++) {
        unsigned before = window->overlays;
        uint64_t picture = draw();
        player_press_key(&window->player, overlays[i].key);
        ck_assert_uint_eq(window->overlays, before ^ overlays[i].overlay);
        /* there is no light to be seen, and no sensor to feel */
        if (!strchr("oi", overlays[i].key))
            ck_assert_msg(draw() != picture, "%c shows nothing", overlays[i].key);
        player_press_key(&window->player, overlays[i].key);
        ck_assert_msg(draw() == picture, "%c leaves something", overlays[i].key);
    }
    /* what stands in the column beside the brain covers nothing of the creature */
    creatures_set_overlays(&window->player, DRAW_BRAIN);
    uint64_t beside = draw();
    creatures_set_overlays(&window->player, DRAW_BRAIN | DRAW_LEDGER);
    ck_assert(draw() != beside);
    creatures_set_overlays(&window->player, DRAW_TRAIL);
    /* whatever is pressed, it draws and stays alive; s, N and F would save, q would quit */
    for (int round = 0; round < 3; round++)
        for (int key = 0; key < 300; key++) {
            if (key == KEY_ESCAPE || (key < 128 && strchr("sSqQNF", key)))
                continue;
            player_press_key(&window->player, key);
            player_advance(&window->player, 1.0 / 60);
            if (key > 32 && key < 128)
                draw();
        }
    ck_assert_int_eq(window->player.is_quitting, 0);
    press("hq"); /* the help was open */
    ck_assert_int_eq(window->player.is_quitting, 1);
}

TEST(a_still_window_costs_nothing)
{
    open_run_of(1);
    while (gallery_work(gallery))
        ;
    ck_assert_int_eq(player_is_still(&window->player), 0);
    press(" ");
    draw();
    ck_assert_int_eq(player_is_still(&window->player), 1);
    player_move_mouse(&window->player, 40, 40);
    ck_assert_int_eq(player_is_still(&window->player), 1);
    press("h");
    ck_assert_int_eq(player_is_still(&window->player), 0);
    uint64_t help = draw();
    player_press_key(&window->player, KEY_ESCAPE);
    ck_assert_uint_ne(draw(), help);
    ck_assert_int_eq(window->player.is_quitting, 0);
}

/* ---- creatures and generations ---- */

/* Beside the bar: the speed, the creature's place, the help. */
TEST(words_beside_the_bar_are_buttons)
{
    open_run_of(3);
    click(WIDTH - 80, BAR_Y);
    expect("", "2:5 of 2");
    click(WIDTH - 80, BAR_Y);
    expect("", "2:6 of 2");
    uint64_t before = draw();
    click(WIDTH - 30, BAR_Y);
    ck_assert(draw() != before);
    click(WIDTH - 30, BAR_Y);
    ck_assert(draw() == before);
    player_seek(&window->player, 0);
    click(WIDTH - 125, BAR_Y);
    advance(0.1, 1);
    expect_time(0.2);
    click(WIDTH - 125, BAR_Y);
    click(WIDTH - 125, BAR_Y);
    advance(0.1, 1);
    expect_time(0.225);
}

TEST(a_resized_window_comes_back)
{
    open_run_of(1);
    press(" 0");
    uint64_t before = draw();
    player_resize(&window->player, WIDTH / 2, HEIGHT);
    player_resize(&window->player, WIDTH, HEIGHT / 2);
    player_resize(&window->player, WIDTH, HEIGHT);
    press("0");
    ck_assert(draw() == before);
}

TEST(steps_through_creatures_and_generations)
{
    open_run_of(3);
    expect("", "2:6 of 2");
    expect("n", "2:5 of 2");
    expect("n", "2:6 of 2");
    expect("[", "1:4 of 2");
    expect("[[[", "0:2 of 2");
    expect("]", "1:4 of 2");
    press_end("2:6 of 2");
    /* the timeline from its left end to its right one, and the strip's first champion */
    click(60, TIMELINE_Y);
    expect("", "0:2 of 2");
    click(WIDTH - 110, TIMELINE_Y);
    expect("", "2:6 of 2");
    click(40, STRIP_Y);
    expect("", "0:2 of 2");
}

/* All worms are of one kind, of which the best is shown. */
TEST(the_best_of_each_kind)
{
    open_run_of(3);
    expect("[y", "1:4 of 1");
    expect("[", "0:2 of 1");
    expect("y", "0:2 of 2");
    /* champions and ancestors stay what they are */
    expect("]w", "1:4 of 2 lineage");
    expect("y", "1:4 of 2 lineage");
}

TEST(race_grid_and_clicks)
{
    open_run_of(1);
    gallery_work(gallery);
    advance(0, 1);
    expect("g", "0:2 of 2 race");
    uint64_t race = draw();
    expect("a", "0:2 of 2 cells");
    ck_assert_uint_ne(draw(), race);
    /* two cells: a click marks the other one, a second click opens it */
    double scene = HEIGHT - (40 + 58 + 84) * UI;
    double x[2] = {WIDTH / 4.0, 3 * WIDTH / 4.0}, y[2] = {scene / 2, scene / 2};
    if (draw_cells_pick(WIDTH, (int)scene, 2, x[1], y[1]) != 1) {
        x[0] = x[1] = WIDTH / 2.0;
        y[0] = scene / 4;
        y[1] = 3 * scene / 4;
    }
    click(x[1], y[1]);
    expect("", "0:1 of 2 cells");
    click(x[1], y[1]);
    expect("", "0:1 of 2");
}

/* Creatures come into a race one by one, as they are simulated: it is placed anew for each. */
TEST(races_grow)
{
    open_run_of(2);
    press(" g[");
    advance(0, 20);
    uint64_t grown = draw();
    press("0");
    ck_assert_uint_eq(draw(), grown);
}

TEST(line_of_descent_and_parent)
{
    open_run_of(4);
    expect("w", "3:8 of 4 lineage");
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(gallery_specimen(gallery, i)->creature.id, 8 - 2 * (uint64_t)i);
    draw();
    click(100, 30 + 92 * 1.5); /* the second step */
    expect("", "3:6 of 4 lineage");
    expect("d", "3:6 of 4 lineage pair");
    ck_assert_ptr_nonnull(gallery_specimen(gallery, 2)->replay);
    uint64_t pair = draw();
    expect("n", "3:4 of 4 lineage pair");
    ck_assert_uint_ne(draw(), pair);
    expect("w", "3:8 of 2");
    /* the parent's ghost changes the picture, and the creature's stays when it goes */
    expect("G", "3:8 of 4 lineage");
    while (gallery_work(gallery))
        continue;
    press("G");
    uint64_t alone = draw();
    press("G");
    ck_assert_uint_ne(draw(), alone);
    press("G");
    ck_assert_uint_eq(draw(), alone);
    press("w");
    /* from elsewhere d opens the line of descent, too */
    expect("d", "3:8 of 4 lineage pair");
}

TEST(a_line_has_milestones_and_captions)
{
    open_run_of(5);
    run_sql("UPDATE individuals SET fitness = 20, parent2 = 3 WHERE id = 6");
    ck_assert_int_eq(gallery_show_lineage(gallery, CREATURE_BEST, 99, 3, &error), 0);
    ck_assert_int_eq(gallery->shown.count, 3);
    static const uint64_t ids[] = {10, 6, 2};
    static const char *const captions[] = {
        "generation 4, child of one, fitness 10 (parent 8): another size",
        "generation 2, child of two, fitness 20 (parent 4): another size",
        "generation 0, the first of its line, fitness 2"};
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(gallery_specimen(gallery, i)->creature.id, ids[i]);
        ck_assert_str_eq(gallery_specimen(gallery, i)->caption, captions[i]);
    }
    ck_assert_int_eq(gallery_show_lineage(gallery, 9, 4, 256, &error), 0);
    ck_assert_int_eq(gallery->shown.count, 4);
    ck_assert_int_eq(gallery_show_lineage(gallery, 99, 4, 3, &error), ERR_MISSING);
    ck_assert_int_eq(gallery->shown.count, 4);
}

TEST(evolution_in_a_minute)
{
    uint64_t last = 0;
    double time_s = 0;
    open_run_of(4);
    expect("e", "-1:2 of 4 champions");
    while (current()->creature.id != 8 && time_s < 60) {
        ck_assert_uint_ge(current()->creature.id, last);
        last = current()->creature.id;
        advance(0.1, 1);
        time_s += 0.1;
    }
    ck_assert_double_lt(time_s, 60);
    ck_assert_uint_eq(last, 6);
    expect("e", "3:8 of 2");
}

/* ---- a run under way ---- */

TEST(waits_for_a_run_and_follows_it)
{
    open_window();
    expect("", "nothing");
    uint64_t waiting = draw();
    press("wdeag[]nx");
    advance(0.1, 1);
    player_look_for_news(&window->player, 0);
    put_generation(0);
    expect_news(0.5, "nothing"); /* too early to look again */
    expect_news(1.5, "0:2 of 2");
    ck_assert_uint_ne(draw(), waiting);
    put_generation(1);
    put_generation(2);
    expect_news(3, "2:6 of 2");
}

TEST(the_same_champion_goes_on_where_it_is)
{
    open_run_of(1);
    player_seek(&window->player, 0.8);
    run_sql(
        "INSERT INTO generations (number, branch, closed, evaluations_own, best, median, best_id)"
        " VALUES (1, 1, 1, 2, 2, 1, 2)");
    run_sql("INSERT INTO members VALUES (1, 2, 1, 1, 1, 2)");
    const struct replay *before = current()->replay;
    expect_news(5, "1:2 of 1");
    ck_assert_ptr_eq(current()->replay, before); /* not simulated again */
    ck_assert_double_eq(window->player.time_s, 0.8);
}

TEST(who_looks_at_the_past_is_left_there)
{
    open_run_of(2);
    press("[");
    put_generation(2);
    expect_news(5, "0:2 of 2");
    press_end("2:6 of 2");
    put_generation(3);
    expect_news(10, "3:8 of 2");
    /* a store that breaks is told, and what is shown stays */
    run_sql("PRAGMA foreign_keys = OFF; DROP TABLE generations");
    expect_news(15, "3:8 of 2");
    draw();
}

/* ---- the brain ---- */

/* Moves the mouse over the picture until it points at such a thing. */
static int find_cut(enum replay_cut_kind kind, double *x, double *y)
{
    for (*y = 40; *y < 300; *y += 3)
        for (*x = WIDTH / 2.0; *x < WIDTH; *x += 3) {
            player_move_mouse(&window->player, *x, *y);
            if (window->pointed.kind == kind)
                return 1;
        }
    return 0;
}

/* The current creature's record, and whether its digest is this one. */
static void expect_replay(enum replay_status status, uint64_t digest, int is_equal)
{
    ck_assert_int_eq(current()->replay->status, status);
    ck_assert_int_eq(current()->replay->digest == digest, is_equal);
}

TEST(a_click_cuts_and_another_one_puts_back)
{
    static const enum replay_cut_kind kinds[] = {CUT_NEURON, CUT_EFFECTOR_INPUT};
    double x, y;
    open_run_of(1);
    press(" b");
    player_seek(&window->player, 1);
    uint64_t digest = current()->replay->digest;
    expect_replay(REPLAY_DIFFERS, digest, 1); /* the record is made up */
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(find_cut(kinds[i], &x, &y), "nothing of kind %d to point at", kinds[i]);
        uint64_t whole = draw();
        click(x, y);
        expect_replay(REPLAY_CHANGED, digest, 0);
        ck_assert_double_eq(window->player.time_s, 1);
        ck_assert_uint_ne(draw(), whole);
        click(x, y);
        expect_replay(REPLAY_DIFFERS, digest, 1);
        ck_assert_uint_eq(draw(), whole);
    }
    click(x, y);
    expect_replay(REPLAY_CHANGED, digest, 0);
    press("x");
    expect_replay(REPLAY_DIFFERS, digest, 1);
    /* the cut one is not taken for the whole one elsewhere */
    click(x, y);
    press("w");
    ck_assert_uint_eq(current()->replay->digest, digest);
}

TEST(dragging_the_picture_is_no_click)
{
    double x, y;
    open_run_of(1);
    press("b");
    ck_assert(find_cut(CUT_NEURON, &x, &y));
    player_press_mouse(&window->player, x, y);
    player_move_mouse(&window->player, x + 50, y + 5);
    player_move_mouse(&window->player, x, y);
    player_release_mouse(&window->player);
    ck_assert_int_ne(current()->replay->status, REPLAY_CHANGED);
}

/* A name that is typed makes a favourite, which is found by it, and has it when it is seen again. */
TEST(a_named_creature_is_a_favourite)
{
    SCOPED(creature) creature;
    open_run_of(1);
    press("Nbob-\b\b\b\bJane 7\r"); /* without a blank */
    ck_assert_ptr_null(window->player.question);
    ck_assert(strstr(window->player.toast, "Jane7"));
    ck_assert_str_eq(current()->replay->name, "Jane7");
    uint64_t id = current()->creature.id;
    ck_ok(run_reader_read_creature(printed("%s:Jane7", directory), &creature, &error));
    ck_assert_uint_eq(creature.id, id);
    ck_assert_str_eq(creature.name, "Jane7");
    /* another one cannot have it, nor may a name be one of the run's */
    press("nNJane7\r");
    ck_assert(strstr(window->player.toast, "has the name Jane7 already"));
    press("Nbest\r");
    ck_assert(strstr(window->player.toast, "is no name"));
    press("Nx");
    draw();
    player_press_key(&window->player, KEY_ESCAPE);
    ck_assert(!window->player.is_quitting);
    press("pF"); /* once more by its name */
    ck_assert(strstr(window->player.toast, "Jane7"));
    player_destroy(&window->player);
    gallery_destroy(gallery);
    open_window();
    while (window->current + 1 < gallery->shown.count && current()->creature.id != id)
        press("n");
    ck_assert_str_eq(current()->replay->name, "Jane7");
    struct favourite favourites[FAVOURITES_MAX];
    ck_assert_int_eq(favourites_read(directory, favourites), 1);
    ck_assert_uint_eq(favourites[0].id, id);
    ck_assert_int_eq(access(within("favourites/Jane7.creature"), F_OK), 0);
}

/* The highest place above which a body is there. */
static double find_body(double x)
{
    double y = 20;
    while (y < HEIGHT && !creatures_press_body(window, x, y))
        y++;
    ck_assert_msg(y < HEIGHT, "no part is in the middle");
    return y;
}

/* The mouse pulls the part that it holds: x puts the recorded life back. */
TEST(a_part_that_is_dragged_is_pulled)
{
    enum { MIDDLE_X = WIDTH / 2, MOMENTS = 40 };
    open_run_of(1);
    press(" ");
    player_seek(&window->player, 0.5);
    creatures_refit(window, 0);
    uint64_t digest = current()->replay->digest;
    double duration_s = replay_duration(current()->replay), y = find_body(MIDDLE_X);
    /* a click pulls nothing */
    click(MIDDLE_X, y);
    ck_assert_int_eq(current()->replay->status, REPLAY_DIFFERS);
    for (int again = 0; again < 2; again++) {
        player_press_mouse(&window->player, MIDDLE_X, y);
        ck_assert_int_eq(window->player.drag, DRAG_BODY);
        double height_m = 0;
        for (int k = 0; k < MOMENTS; k++) {
            player_move_mouse(&window->player, MIDDLE_X, y - 150);
            player_advance(&window->player, 1 / 60.0);
            const struct replay *replay = current()->replay;
            struct replay_frame frame = replay_get_frame(replay, replay->frame_count - 1);
            height_m = frame.centre.y > height_m ? frame.centre.y : height_m;
        }
        ck_assert_double_gt(height_m, 0.1);
        ck_assert_double_eq_tol(window->player.time_s, 0.5 + MOMENTS / 60.0, 0.05);
        player_release_mouse(&window->player);
        ck_assert_int_eq(current()->replay->status, REPLAY_CHANGED);
        ck_assert_double_eq_tol(replay_duration(current()->replay), duration_s, 1e-9);
        draw();
        /* from the same moment again, before that pull */
        player_seek(&window->player, 0.5);
        y = find_body(MIDDLE_X);
    }
    press("x");
    ck_assert_uint_eq(current()->replay->digest, digest);
    ck_assert_int_eq(current()->replay->status, REPLAY_DIFFERS);
    /* what leaves the shelf while it is held is let go */
    player_press_mouse(&window->player, MIDDLE_X, y);
    player_move_mouse(&window->player, MIDDLE_X, y - 150);
    press("n");
    player_advance(&window->player, 0.1);
    player_release_mouse(&window->player);
    draw();
}

/* Mean of the surface's pixels, by colour. */
static void mean_color(cairo_surface_t *of, double mean[3])
{
    cairo_surface_flush(of);
    const unsigned char *data = cairo_image_surface_get_data(of);
    int width = cairo_image_surface_get_width(of), height = cairo_image_surface_get_height(of);
    mean[0] = mean[1] = mean[2] = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int k = 0; k < 3; k++)
                mean[k] += data[y * cairo_image_surface_get_stride(of) + 4 * x + k] /
                           ((double)width * height);
}

/* Pictures that come late have half of the pixels across while they move, and show the same. */
TEST(late_pictures_are_coarse_while_they_move)
{
    open_run_of(1);
    ck_assert_double_eq(player_fineness(&window->player), 1);
    for (int i = 0; i < 20; i++)
        player_pace(&window->player, 0.1);
    ck_assert_double_eq(player_fineness(&window->player), 0.5);
    double fine[3], coarse[3];
    cairo_surface_t *half = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH / 2, HEIGHT / 2);
    cairo_surface_set_device_scale(half, 0.5, 0.5);
    draw();
    player_draw(&window->player, half);
    mean_color(surface, fine);
    mean_color(half, coarse);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(fine[k], coarse[k], 2);
    cairo_surface_destroy(half);
    press(" ");
    ck_assert_double_eq(player_fineness(&window->player), 1);
    press(" ");
    for (int i = 0; i < 5; i++)
        player_pace(&window->player, 0.02);
    ck_assert_double_eq(player_fineness(&window->player), 0.5);
    for (int i = 0; i < 40; i++)
        player_pace(&window->player, 0.002);
    ck_assert_double_eq(player_fineness(&window->player), 1);
}

/* The mouse drags the light, which stays where it was left. */
TEST(the_light_is_dragged)
{
    run_sql("INSERT INTO branch_parameters VALUES (1, 3, 'light.kind', 'still'),"
            " (1, 4, 'light.x_m', '0.8'), (1, 5, 'light.y_m', '0.6')");
    open_run_of(1);
    press(" ");
    player_seek(&window->player, 0.5);
    creatures_refit(window, 0);
    const struct replay *replay = current()->replay;
    struct replay_frame frame = replay_get_frame(replay, 0);
    struct draw_view view;
    draw_single_view(&view, creatures_scene_width(window), creatures_scene_height(window), replay,
                     &window->camera, 0.5, window->overlays);
    struct eye eye = eye_place(&view, replay, 0.5);
    struct spot spot = eye_project(&eye, frame.light);
    double x = spot.x + creatures_scene_left(window), y = spot.y;
    player_press_mouse(&window->player, x + 5, y);
    ck_assert_int_eq(window->player.drag, DRAG_BODY);
    for (int k = 0; k < 10; k++) {
        player_move_mouse(&window->player, x + 5 - 60, y + 20);
        player_advance(&window->player, 1 / 60.0);
    }
    player_release_mouse(&window->player);
    struct vec3 before = frame.light;
    replay = current()->replay;
    frame = replay_get_frame(replay, replay->frame_count - 1);
    ck_assert_int_eq(replay->status, REPLAY_CHANGED);
    ck_assert_xy(frame.light, before.x - 60 / spot.scale, before.y - 20 / spot.scale,
                 5 / spot.scale);
    draw();
    press("x");
    ck_assert_int_eq(current()->replay->status, REPLAY_DIFFERS);
}

/* ---- choosing by hand ---- */

/* In place of the controller: notes how it is called, and refuses creature 3. */
static void make_controller(char *log, size_t size)
{
    const char *program = printed("%s/controller", directory);
    snprintf(log, size, "%s/orders", directory);
    const char *script =
        printed("#!/bin/sh\necho \"$@\" >>%s\n"
                "case $4 in 3) echo 'controller: not that one' >&2; exit 1;; esac\necho done\n",
                log);
    ck_ok(file_write(program, script, strlen(script), &error));
    ck_assert_int_eq(chmod(program, 0755), 0);
    setenv("PATH", directory, 1);
}

/* Until all orders have been answered. */
static void give_orders(void)
{
    for (int i = 0; i < 3000 && chooser_is_busy(window->chooser); i++) {
        player_look_for_news(&window->player, 0);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    ck_assert(!chooser_is_busy(window->chooser));
}

/* The choices for the first two that are shown. */
static void expect_choices(int first, int second)
{
    ck_assert_int_eq(gallery_choice(gallery, 0), first);
    ck_assert_int_eq(gallery_choice(gallery, 1), second);
}

static void expect_orders(const char *log, const char *const *orders, int count)
{
    char line[256];
    FILE *file = fopen(log, "r");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < count; i++) {
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        const char *expected = printed(orders[i], directory);
        line[strcspn(line, "\n")] = 0;
        ck_assert_str_eq(line, expected);
    }
    ck_assert_ptr_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void open_interactive_run(int generations)
{
    run_sql("INSERT INTO branch_parameters VALUES (1, 3, 'evolution.behaviour', 'interactive'),"
            " (1, 4, 'evolution.generations', '3')");
    open_run_of(generations);
    player_look_for_news(&window->player, 0);
    while (gallery_work(gallery))
        ;
    advance(0, 1);
}

TEST(keys_choose)
{
    static const char *const orders[] = {
        "choose -- %s 4 breed", "choose -- %s 4 none", "choose -- %s 4 keep",
        "choose -- %s 3 ban",   "choose --next -- %s",
    };
    char log[96];
    make_controller(log, sizeof log);
    open_interactive_run(2);
    expect("", "1:4 of 2 cells");
    ck_assert_int_eq((int)gallery->choosing.waiting, 1);
    uint64_t without = draw();
    press("B");
    expect_choices(CHOICE_BREED, CHOICE_NONE);
    ck_assert_int_eq(gallery_count_choices(gallery, CHOICE_BREED), 1);
    ck_assert_int_eq(player_is_still(&window->player), 0);
    ck_assert_uint_ne(draw(), without);
    press("B");
    expect_choices(CHOICE_NONE, CHOICE_NONE);
    ck_assert_uint_eq(draw(), without);
    press("KnX");
    expect_choices(CHOICE_KEEP, CHOICE_BAN);
    player_press_key(&window->player, KEY_ENTER);
    run_sql("INSERT INTO choices VALUES (1, 4, 'keep')"); /* as the controller would */
    give_orders();
    /* what it refused is taken back */
    expect_choices(CHOICE_KEEP, CHOICE_NONE);
    expect_orders(log, orders, 5);
}

TEST(buttons_and_the_right_one_choose)
{
    static const char *const orders[] = {"choose -- %s 4 breed", "choose -- %s 4 keep",
                                         "choose -- %s 4 ban", "choose -- %s 4 none",
                                         "choose --next -- %s"};
    const double bar_y = HEIGHT - (40 + 58 + 19) * UI;
    char log[96];
    make_controller(log, sizeof log);
    open_interactive_run(2);
    for (int i = 0; i < 4; i++) {
        player_press_choice(&window->player, 60, 60);
        player_release_mouse(&window->player);
    }
    ck_assert_int_eq(gallery_choice(gallery, 0), CHOICE_NONE);
    /* the last button, from the right, breeds; the words on the left do nothing */
    click(WIDTH - 40, bar_y);
    click(20, bar_y);
    give_orders();
    expect_orders(log, orders, 5);
    /* once the next generation is bred nothing more can be chosen in this one */
    run_sql("INSERT INTO generations (number, branch, closed, evaluations_own)"
            " VALUES (2, 1, 0, 2)");
    player_look_for_news(&window->player, 100);
    ck_assert_int_eq((int)gallery->choosing.waiting, -1);
    press("B");
    click(WIDTH - 40, bar_y);
    ck_assert(!chooser_is_busy(window->chooser));
    ck_assert_int_eq(gallery_choice(gallery, 0), CHOICE_NONE);
}

TEST(the_past_shows_what_was_chosen)
{
    open_interactive_run(1);
    run_sql("INSERT INTO choices VALUES (0, 2, 'breed')");
    put_generation(1);
    expect_news(5, "1:4 of 2 cells");
    expect_choices(CHOICE_NONE, CHOICE_NONE);
    press("[");
    expect_choices(CHOICE_BREED, CHOICE_NONE);
    press("B");
    expect_choices(CHOICE_BREED, CHOICE_NONE);
    ck_assert(!chooser_is_busy(window->chooser));
    /* the last generation */
    put_generation(2);
    player_press_key(&window->player, KEY_END);
    player_look_for_news(&window->player, 10);
    ck_assert(gallery->choosing.is_over);
    ck_assert_int_eq((int)gallery->choosing.waiting, -1);
    draw();
}

/* Nowhere the fitness, which is 1 for all: numbers instead, and what was done by hand. */
TEST(without_a_goal_no_fitness_is_shown)
{
    struct draw_thumb thumbs[GALLERY_SHOWN_MAX];
    struct draw_step steps[GALLERY_LINEAGE_MAX];
    open_run_of(1);
    ck_assert_int_eq(creatures_timeline_of(window).has_no_goal, 0);
    ck_assert_str_eq((creatures_strip_of(window, thumbs), thumbs[0].text), "2");
    teardown();
    setup();
    run_sql("INSERT INTO choices VALUES (0, 2, 'breed')");
    open_interactive_run(1);
    ck_assert_int_eq(creatures_timeline_of(window).has_no_goal, 1);
    ck_assert_ptr_nonnull(strstr(current()->replay->score, "went "));
    struct draw_strip strip = creatures_strip_of(window, thumbs);
    ck_assert_int_ge(strip.count, 1);
    ck_assert_str_eq(thumbs[0].text, "no. 2");
    press("w");
    ck_assert_int_eq((int)gallery->kind, SHELF_LINEAGE);
    ck_assert_int_ge(creatures_descent_of(window, steps).count, 1);
    ck_assert_ptr_nonnull(strstr(steps[0].thumb.text, "no. "));
    draw();
}

TEST(where_nobody_chooses_capitals_are_small)
{
    open_run_of(2);
    ck_assert_ptr_null(window->chooser);
    press("B");
    ck_assert_uint_eq(window->overlays, DRAW_TRAIL | DRAW_BRAIN);
    press("B");
    player_press_key(&window->player, KEY_ENTER);
    player_press_choice(&window->player, 60, 60);
    ck_assert_int_eq(gallery_choice(gallery, 0), CHOICE_NONE);
    draw();
}

/* A file may ask for hours. A replay within the bound is shown, and one's own word counts. */
TEST_LOOP(what_takes_too_long_is_refused, 0, 3)
{
    static const struct {
        double budget; /* billions of operations */
        int code;
    } cases[] = {{1e-6, ERR_LIMIT}, {100, 0}, {0, 0}};
    put_generation(0);
    struct gallery_options options = {.top = 8, .budget = cases[_i].budget};
    gallery = gallery_create(&options);
    ck_assert_ptr_nonnull(gallery);
    ck_assert_int_eq(gallery_open_run(gallery, directory, &error), 0);
    ck_assert_int_eq(gallery_show_generation(gallery, -1, &error), 0);
    ck_assert_int_eq(gallery_simulate(gallery, 0, &error), cases[_i].code);
    ck_assert(!cases[_i].code || strstr(error.message, "--anyway"));
    ck_assert((gallery_specimen(gallery, 0)->replay == NULL) == (cases[_i].code != 0));
}

#endif

SUITE("creature_window", 240, NULL, NULL)
