/* What people do to a preserve, in words: what is understood, what is refused, and what the store
 * makes of it for the epochs that follow. runs: watched */
#include "controller/run/deeds.h"

#include <unistd.h>

#include "common/store/run_reader.h"
#include "tests/plain_fixture.h"

static char path[64];

static void setup(void)
{
    params_set_defaults(&params);
    ck_assert_int_eq(set_param(&params, "preserve.worlds=2", &error), 0);
    ck_assert_int_eq(set_param(&params, "evolution.generations=9", &error), 0);
    snprintf(path, sizeof path, "/tmp/test_deeds.%ld.db", (long)getpid());
    unlink(path);
}

static void teardown(void)
{
    unlink(path);
}

TEST(words_become_deeds)
{
    struct epoch_deed deed;
    uint32_t world = 7;
    ck_assert_int_eq(deeds_read("1 feed 2.5 3 40.5", &params, &world, &deed, &error), 0);
    ck_assert(world == 1 && deed.kind == DEED_feed && deed.x_m == 2.5 && deed.y_m == 3);
    ck_assert(deed.energy_uj == 40500000 && !deed.genome);
    ck_ok(deeds_read("0 put examples/creatures/fish.json", &params, &world, &deed, &error));
    ck_assert(deed.genome && deed.x_m == params.preserve_width_m / 2);
    epoch_deed_deinit(&deed);
    ck_assert_int_eq(deeds_read(" 0  move 1099511627777 4 5 ", &params, &world, &deed, &error), 0);
    ck_assert(deed.kind == DEED_move && deed.life == 1099511627777 && deed.y_m == 5);
}

TEST(what_is_no_deed_is_refused)
{
    static const char *const lines[] = {"",
                                        "0",
                                        "2 feed 1 1 1",
                                        "-1 feed 1 1 1",
                                        "x feed 1 1 1",
                                        "0 dance 4",
                                        "0 feed 1 1",
                                        "0 feed 1 1 -1",
                                        "0 feed 1 nan 1",
                                        "0 feed 1e9 1 1",
                                        "0 feed 1 1 1 1",
                                        "0 move 5 1",
                                        "0 move x 1 1",
                                        "0 remove 0",
                                        "0 remove -3",
                                        "0 protect",
                                        "0 put",
                                        "0 put none.json",
                                        "0 put examples/creatures/fish.json 1",
                                        "0 put examples/creatures/snake.json"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct epoch_deed deed;
        uint32_t world;
        error.message[0] = '\0';
        ck_assert_msg(deeds_read(lines[i], &params, &world, &deed, &error) < 0, "%s", lines[i]);
        ck_assert_msg(error.message[0] != '\0', "%s", lines[i]);
        ck_assert_ptr_null(deed.genome);
    }
}

/* The order of an epoch, as the store has it. */
static struct epoch_order *get_order(struct store *store, uint32_t world, uint32_t epoch)
{
    struct epoch_order *order = epoch_order_create();
    order->world = world;
    order->epoch = epoch;
    ck_ok(stored_epoch_fill_order(store_database(store), order, &error));
    return order;
}

TEST(an_epoch_has_its_deeds)
{
    static const struct {
        const char *line;
        uint32_t epoch;
    } deeds[] = {{"0 feed 1 1 5", 2}, {"0 put examples/creatures/fish.json", 2},
                 {"0 protect 7", 2},  {"0 protect 8", 3},
                 {"0 expose 7", 4},   {"1 protect 9", 2}};
    struct store *store;
    char text[160];
    ck_ok(store_create(&store, path, &params, NULL, NULL, NULL, &error));
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++)
        ck_ok(deeds_put(store, &params, deeds[i].line, deeds[i].epoch, text, sizeof text, &error));
    ck_assert_str_eq(text, "protect in world 1 at 0:30");
    ck_assert_int_eq(deeds_put(store, &params, "0 feed 1 1 5", 9, text, sizeof text, &error),
                     ERR_RANGE);
    ck_assert_int_eq(store_commit(store, &error), 0);

    struct epoch_order *order = get_order(store, 0, 2);
    ck_assert(order->deed_count == 3 && order->deeds[0].energy_uj == 5000000);
    ck_assert(order->deeds[1].genome && order->deeds[1].genome->body_count > 0);
    ck_assert(order->spared_count == 1 && order->spared[0] == 7);
    epoch_order_destroy(order);
    order = get_order(store, 0, 3);
    ck_assert(order->deed_count == 1 && order->spared_count == 2);
    epoch_order_destroy(order);
    order = get_order(store, 0, 5);
    ck_assert(order->deed_count == 0 && order->spared_count == 1 && order->spared[0] == 8);
    epoch_order_destroy(order);
    store_close(store);
}

SUITE("tending", 0, setup, teardown)
