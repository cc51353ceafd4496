/* A world of a preserve as the window shows it, without a window: playing, jumps, other worlds, who
 * is followed from egg to carcass, and a run that grows while it is watched. */
#include "viewer/window/contents.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef HAVE_CAIRO

#include <sqlite3.h>

#include "common/store/run_reader.h"
#include "common/system/file.h"
#include "controller/store/store.h"
#include "simulator/preserve/preserve_epoch.h"
#include "viewer/draw/draw_preserve.h"
#include "tests/plain_fixture.h"

#define WIDTH  640
#define HEIGHT 400
enum { WORLDS = 2, EPOCHS = 3 };

static char directory[64], path[96];
static struct player *window;

/* ---- a run of two small worlds ---- */

static void hear(void *context, const struct preserve_event *event)
{
    struct epoch_life life;
    if (preserve_epoch_life(event, &life))
        ck_assert_int_eq(epoch_end_add_life(context, &life), 0);
}

/* Lives through an epoch of a world and stores it. */
static void live(struct store *store, struct preserve_memory *memory, struct epoch_order *order)
{
    SCOPED(preserve_state) state;
    struct epoch_end *end = epoch_end_create();
    struct preserve_watcher watcher = {.hear = hear, .context = end};
    ck_ok(preserve_epoch_begin(&state, &params, 5, order, memory, NULL, &error));
    ck_ok(preserve_epoch_live(&state, &params, order, &watcher, memory, &end->traveller, &error));
    preserve_epoch_facts(&state, end->facts);
    ck_assert_int_eq(preserve_state_pack(&state, &end->state), 0);
    struct store_epoch epoch = {.world = order->world,
                                .epoch = order->epoch,
                                .digest = preserve_digest(&state),
                                .order = order,
                                .end = end,
                                .drifted_to = -1,
                                .tick_s = 1 / params.simulation_brain_hz};
    ck_ok(store_put_epoch(store, &epoch, 1, &error));
    epoch_end_destroy(end);
}

static void add_epochs(struct store *store, uint32_t first, uint32_t last)
{
    SCOPED(preserve_memory) memory;
    SCOPED(creature) fish;
    ck_ok(creature_read(&fish, "examples/creatures/fish.json", &error));
    ck_assert_int_eq(preserve_memory_init(&memory), 0);
    for (uint32_t epoch = first; epoch <= last; epoch++)
        for (uint32_t world = 0; world < WORLDS; world++) {
            struct epoch_order *order = epoch_order_create();
            order->world = world;
            order->epoch = epoch;
            if (epoch == 0) {
                order->founders = calloc(1, sizeof order->founders[0]);
                order->founder_count = 1;
                ck_assert_int_eq(genome_copy(&order->founders[0], &fish.genome), 0);
            } else {
                ck_ok(stored_epoch_fill_order(store_database(store), order, &error));
            }
            live(store, &memory, order);
            epoch_order_destroy(order);
        }
    ck_ok(store_commit(store, &error));
}

static void make_run(void)
{
    struct store *store;
    snprintf(directory, sizeof directory, "/tmp/test_preserve_window.%ld", (long)getpid());
    snprintf(path, sizeof path, "%s/run.db", directory);
    ck_assert_int_eq(mkdir(directory, 0700), 0);
    params_set_defaults(&params);
    set("world.preset=water", "evolution.behaviour=preserve", "preserve.founders=3",
        "preserve.width_m=8", "preserve.height_m=5");
    set("preserve.mouth_w=200"); // a creature starves soon
    preserve_apply(&params);
    ck_ok(store_create(&store, path, &params, NULL, NULL, NULL, &error));
    add_epochs(store, 0, EPOCHS);
    store_close(store);
}

static void remove_run(void)
{
    unlink(path);
    rmdir(directory);
}

/* ---- the window ---- */

static void open_window(struct preserve_window_request request)
{
    request.run_directory = directory;
    request.is_patient = 1;
    ck_ok(preserve_window_create(&window, &request, &error));
    player_resize(window, WIDTH, HEIGHT);
}

static void teardown(void)
{
    player_destroy(window);
    window = NULL;
}

static void press(int key)
{
    player_press_key(window, key);
}

static void pass(double time_s)
{
    player_advance(window, time_s);
}

static double now_s(void)
{
    return window->time_s;
}

static void draw(void)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    player_draw(window, surface);
    ck_assert_int_eq(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    cairo_surface_destroy(surface);
}

static void click(double x, double y)
{
    player_press_mouse(window, x, y);
    player_release_mouse(window);
}

static void run_sql(const char *sql)
{
    sqlite3 *database;
    ck_assert_int_eq(sqlite3_open(path, &database), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}

/* Epochs that another version of the simulator recorded are simulated, and not compared. */
TEST(another_version_is_said)
{
    run_sql("UPDATE branches SET simulator_version = simulator_version - 1;"
            "INSERT INTO generations (number, branch, closed, evaluations_own)"
            " SELECT DISTINCT epoch, (SELECT branch FROM branches), 1, 0 FROM epochs");
    open_window((struct preserve_window_request){.from_s = 20});
    pass(1);
    const struct preserve_replay *waters = preserve_window_look(window).waters;
    ck_assert(waters->verified == 0 && waters->recorded == 0 && waters->moment_count > 0);
    ck_assert_str_eq(preserve_replay_verdict(waters), "other version");
    ck_assert_ptr_nonnull(strstr(player_title(window), "other version"));
    teardown();
    run_sql("UPDATE branches SET simulator_version = simulator_version + 1;"
            "DELETE FROM generations");
}

/* A run keeps the states of some epochs only: those before the wanted one are lived through unseen.
 * */
TEST(an_epoch_without_a_state_before_it_is_reached)
{
    run_sql("UPDATE states SET epoch = -epoch WHERE epoch IN (1, 2)");
    open_window((struct preserve_window_request){.from_s = 2 * EPOCH_S + 1});
    pass(0);
    const struct preserve_replay *waters = preserve_window_look(window).waters;
    ck_assert_double_eq(waters->from_s, 2 * EPOCH_S);
    ck_assert_int_eq(waters->verified, 1);
    teardown();
    run_sql("UPDATE states SET epoch = -epoch WHERE epoch < 0");
}

TEST(it_plays_pauses_and_jumps)
{
    open_window((struct preserve_window_request){.from_s = 20});
    ck_assert_ptr_null(preserve_window_look(window).waters);
    pass(1);
    ck_assert_double_eq_tol(now_s(), 21, 1e-9);
    ck_assert_int_eq(preserve_window_look(window).waters->verified, 1);
    press('+');
    pass(1);
    ck_assert_double_eq_tol(now_s(), 23, 1e-9);
    press(' ');
    pass(1);
    ck_assert_double_eq_tol(now_s(), 23, 1e-9);
    ck_assert(strstr(player_title(window), "world 0 at 0:23 - verified"));
    press('.');
    press('.');
    press(',');
    ck_assert_double_eq_tol(now_s(), 23 + 1.0 / 30, 1e-9);
    press(KEY_RIGHT);
    ck_assert_double_eq_tol(now_s(), 28 + 1.0 / 30, 1e-9);
    press(']');
    pass(0);
    ck_assert_double_ge(now_s(), 30);
    /* far on and back, by the bar and by a key */
    click(WIDTH / 2.0, HEIGHT - 10);
    double half_s = now_s();
    ck_assert(half_s > 20 && half_s < 70);
    press('r');
    pass(0);
    ck_assert_double_eq_tol(now_s(), 0, 1e-9);
    ck_assert(fabs(preserve_window_look(window).waters->from_s) < 1e-9);
    /* to the end of what is recorded, and no further */
    player_seek(window, 1e6);
    ck_assert_double_eq_tol(now_s(), EPOCHS * EPOCH_S, 1e-9);
    press('h');
    draw();
    press('q');
    ck_assert(!window->is_quitting);
    press('q');
    ck_assert(window->is_quitting);
}

TEST(other_worlds_have_a_key)
{
    open_window((struct preserve_window_request){.from_s = 5});
    pass(0);
    uint64_t first = preserve_window_look(window).waters->moments[0].creatures[0].id;
    press('w');
    pass(0);
    ck_assert_int_eq(preserve_window_look(window).world, 1);
    ck_assert(preserve_window_look(window).waters->moments[0].creatures[0].id != first);
    press('w'); // there is no third one
    ck_assert_int_eq(preserve_window_look(window).world, 1);
    press('v');
    pass(0);
    ck_assert_int_eq(preserve_window_look(window).world, 0);
    teardown();
    struct preserve_window_request strange = {.run_directory = directory, .world = 7};
    ck_assert_int_eq(preserve_window_create(&window, &strange, &error), ERR_MISSING);
    strange = (struct preserve_window_request){.run_directory = directory, .from_s = 1e4};
    ck_assert_int_eq(preserve_window_create(&window, &strange, &error), ERR_MISSING);
}

TEST(who_is_clicked_is_followed)
{
    open_window((struct preserve_window_request){.from_s = 2});
    press(' ');
    pass(0);
    const struct preserve_replay *w = preserve_window_look(window).waters;
    struct preserve_camera view = preserve_camera_of(w, 0);
    int moment = preserve_replay_moment_at(w, now_s());
    const struct preserve_replay_creature *c = &w->moments[moment].creatures[0];
    double low_x, low_y, high_x, high_y;
    int height = HEIGHT - 40 * HEIGHT / 540;
    preserve_camera_place(&view, WIDTH, height, w, 0, 0, &low_x, &high_y);
    preserve_camera_place(&view, WIDTH, height, w, WIDTH, height, &high_x, &low_y);
    double x = ((double)c->x_m - low_x) / (high_x - low_x) * WIDTH;
    double y = (high_y - (double)c->y_m) / (high_y - low_y) * height;
    ck_assert(preserve_camera_pick(&view, WIDTH, height, w, moment, x, y) == c->id);
    ck_assert(preserve_camera_pick(&view, WIDTH, height, w, moment, -50, -50) == 0);
    click(x, y);
    ck_assert(preserve_window_look(window).followed == c->id);
    draw();
    press('n');
    ck_assert(preserve_window_look(window).followed == w->moments[moment].creatures[1].id);
    press('p');
    ck_assert(preserve_window_look(window).followed == c->id);
    click(WIDTH / 2.0, 1);
    ck_assert(preserve_window_look(window).followed == 0);
}

/* A window that is large enough has the river of forms above its bar. */
TEST(a_band_that_is_clicked_leads_to_one_of_its_form)
{
    enum { LARGE_WIDTH = 960, LARGE_HEIGHT = 540, RIVER_Y = LARGE_HEIGHT - 40 - 38 };
    open_window((struct preserve_window_request){.from_s = 2});
    player_resize(window, LARGE_WIDTH, LARGE_HEIGHT);
    press(' ');
    pass(0);
    draw();
    click(60, RIVER_Y); // near the beginning, in the middle of the river
    uint64_t first = preserve_window_look(window).followed;
    const struct preserve_replay *w = preserve_window_look(window).waters;
    const struct preserve_replay_moment *m = &w->moments[preserve_replay_moment_at(w, now_s())];
    ck_assert_ptr_nonnull(preserve_replay_find_living(m, first));
    ck_assert_double_eq_tol(now_s(), 2, 1e-9);
    /* again: the next one of it, if there is one */
    click(60, RIVER_Y);
    uint64_t second = preserve_window_look(window).followed;
    ck_assert_int_eq(preserve_replay_find_living(m, second)->form,
                     preserve_replay_find_living(m, first)->form);
    /* beside the bands it goes to that time */
    click(LARGE_WIDTH / 2.0, LARGE_HEIGHT - 40 - 75);
    double half_s = now_s();
    ck_assert(half_s > 20 && half_s < 70);
    pass(0);
    press('b'); // without the river a click there is one on the legend
    click(60, RIVER_Y);
    ck_assert_double_eq_tol(now_s(), half_s, 1e-9);
    ck_assert(preserve_window_look(window).followed == 0);
    press('b');
    press('w');
    draw();
}

/* The state that is kept is seen at once, and changes nothing of what follows. */
TEST(a_glimpse_comes_first)
{
    struct preserve_feed *feed;
    struct preserve_replay_request wanted = {.run_directory = directory, .step_s = 1};
    ck_ok(preserve_feed_create(&feed, &wanted, &error));
    preserve_feed_wait(feed);
    struct preserve_replay *w = preserve_feed_take(feed, &error);
    ck_assert(w->is_glimpse);
    ck_assert_int_eq(w->moment_count, 1);
    ck_assert_int_gt(w->moments[0].creature_count, 0);
    ck_assert_int_eq(w->verified, 0);
    preserve_replay_destroy(w);
    preserve_feed_wait(feed);
    w = preserve_feed_take(feed, &error);
    ck_assert_int_eq(w->verified, 1);
    ck_assert(w->from_s == 0 && w->to_s == EPOCH_S);
    preserve_replay_destroy(w);
    preserve_feed_destroy(feed);
    /* what is seen is no film yet: its title says so */
    struct preserve_window_request request = {.run_directory = directory, .from_s = EPOCH_S + 1};
    ck_ok(preserve_window_create(&window, &request, &error));
    for (int k = 0; k < 3000 && !preserve_window_look(window).waters; k++) {
        player_look_for_news(window, 0);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    const struct preserve_replay *first = preserve_window_look(window).waters;
    ck_assert_ptr_nonnull(first);
    ck_assert(!first->is_glimpse == !strstr(player_title(window), "simulating"));
    draw();
}

/* From its egg, or as a founder from the beginning, to its carcass. */
TEST(a_life_has_an_end)
{
    struct run_reader *reader;
    struct run_life life = {.died_s = NAN};
    uint64_t id = 0;
    int world;
    double from_s, to_s, x_m, y_m;
    ck_ok(run_reader_open(&reader, directory, &error));
    for (uint64_t i = 1; i < 20 && isnan(life.died_s); i++)
        if (run_reader_get_life(reader, i, &life, &error) == 0)
            id = i;
    run_reader_close(reader);
    ck_assert_msg(!isnan(life.died_s), "nobody died");
    ck_ok(preserve_replay_find_life(directory, id, &world, &from_s, &to_s, &error));
    ck_assert(from_s <= life.born_s && to_s > life.died_s && world == 0);
    struct preserve_replay_request request = {
        .run_directory = directory, .world = world, .from_s = from_s, .to_s = to_s, .step_s = 0.5};
    struct preserve_replay *w;
    ck_ok(preserve_replay_create(&w, &request, &error));
    int died = preserve_replay_moment_at(w, life.died_s) + 1;
    ck_assert_int_eq(
        preserve_replay_find(w, preserve_replay_moment_at(w, life.died_s - 1), id, &x_m, &y_m),
        WATERS_LIVING);
    ck_assert_int_eq(preserve_replay_find(w, died, id, &x_m, &y_m), WATERS_CARCASS);
    const struct preserve_replay_event *death = preserve_replay_find_event(w, id, 1);
    ck_assert(death && fabs(death->time_s - life.died_s) < 1e-6);
    struct preserve_camera view = preserve_camera_of(w, id);
    preserve_camera_follow(&view, w, died, -1);
    ck_assert_double_eq_tol(view.x_m, x_m, 1e-9);
    preserve_replay_destroy(w);
    ck_assert_int_eq(preserve_replay_find_life(directory, 999999, &world, &from_s, &to_s, &error),
                     ERR_MISSING);

    open_window((struct preserve_window_request){.world = world, .from_s = from_s, .follow = id});
    pass(0);
    ck_assert(preserve_window_look(window).followed == id);
    for (int k = 0; k < 6 && now_s() < life.died_s + 1; k++) {
        pass(1);
        player_seek(window, now_s() + 20);
        pass(0);
        draw();
    }
}

/* The newest epoch, and the next one when the run has come so far. */
TEST(a_run_is_followed_while_it_goes_on)
{
    struct store *store;
    open_window((struct preserve_window_request){.is_live = 1});
    pass(0);
    ck_assert_double_eq_tol(preserve_window_look(window).waters->from_s, (EPOCHS - 1) * EPOCH_S,
                            1e-9);
    press('+');
    for (int k = 0; k < 20; k++)
        pass(1);
    ck_assert_double_eq_tol(now_s(), EPOCHS * EPOCH_S, 0.1);
    ck_ok(store_open(&store, path, 0, &error));
    add_epochs(store, EPOCHS + 1, EPOCHS + 1);
    store_close(store);
    player_look_for_news(window, 10);
    pass(0);
    ck_assert_double_eq_tol(preserve_window_look(window).waters->from_s, EPOCHS * EPOCH_S, 1e-9);
    ck_assert_int_eq(preserve_window_look(window).waters->verified, 1);
}

/* Keys of the gardener go to `controller tend`, here a script that says what it was told. */
TEST(deeds_are_handed_to_the_controller)
{
    static const char *const notes[] = {
        "click a creature first", "0 feed 4.", "0 protect ", "0 expose ", "0 move ", "0 remove "};
    static const char keys[] = "xgkumx";
    const char *program = printed("%s/controller", directory);
    const char script[] = "#!/bin/sh\nshift 3\necho did \"$@\"\n";
    ck_ok(file_write(program, script, strlen(script), &error));
    ck_assert_int_eq(chmod(program, 0755), 0);
    setenv("PATH", directory, 1);
    open_window((struct preserve_window_request){.from_s = 2});
    press(' ');
    pass(0);
    player_move_mouse(window, WIDTH / 2.0, HEIGHT / 3.0);
    for (int i = 0; keys[i]; i++) {
        if (i == 2)
            press('n');
        press(keys[i]);
        for (int k = 0; k < 1000 && !strstr(window->toast, notes[i]); k++) {
            player_look_for_news(window, 0);
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        }
        ck_assert_msg(strstr(window->toast, notes[i]), "%s: %s", notes[i], window->toast);
    }
    unlink(program);
}

int main(void)
{
    Suite *suite = suite_create("preserve_window");
    TCase *tests = add_defined_tests(suite, "preserve_window", 60, NULL, teardown);
    tcase_add_unchecked_fixture(tests, make_run, remove_run);
    return run_suite_or_table(suite, 0);
}

#else

int main(void)
{
    return 0;
}

#endif
