/* Favourites of a run: they are found by their names, in order, and what is no creature is left
 * out. runs: watched */
#include "common/store/favourites.h"

#include <sys/stat.h>
#include <unistd.h>
#include "common/system/file.h"
#include "tests/plain_fixture.h"

static char directory[] = "/tmp/test_favourites.XXXXXX";

static void setup(void)
{
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void teardown(void)
{
    static const char *const names[] = {"/favourites/b.creature", "/favourites/a.creature",
                                        "/favourites/broken.creature"};
    char path[96];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", directory, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/favourites", directory);
    rmdir(path);
    ck_assert_int_eq(rmdir(directory), 0);
}

TEST(favourites_are_found_by_their_names)
{
    struct favourite favourites[FAVOURITES_MAX];
    struct creature fish;
    char name[96], path[160];
    ck_assert_int_eq(favourites_read(directory, favourites), 0);
    ck_ok(creature_read(&fish, "examples/creatures/fish.json", &error));
    fish.id = 7;
    ck_assert_int_eq(favourites_keep(directory, &fish, "b", &error), 0);
    ck_assert_int_eq(favourites_keep(directory, &fish, "b", &error), 0);
    fish.id = 8;
    ck_assert_int_eq(favourites_keep(directory, &fish, "b", &error), ERR_EXISTS);
    ck_assert_int_eq(favourites_keep(directory, &fish, "a", &error), 0);
    ck_assert_int_eq(favourites_keep(directory, &fish, "12", &error), ERR_USAGE);
    static const char *const no_names[] = {"", "../b", "a b", "best", "first", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof no_names / sizeof no_names[0]; i++)
        ck_assert_int_eq(favourites_keep(directory, &fish, no_names[i], &error), ERR_USAGE);
    ck_assert_str_eq(fish.name, "a");
    snprintf(path, sizeof path, "%s/favourites/broken.creature", directory);
    ck_ok(file_write(path, "", 0, &error));
    ck_assert_int_lt(favourites_keep(directory, &fish, "broken", &error), 0);
    creature_deinit(&fish);
    ck_assert_int_eq(favourites_read(directory, favourites), 2);
    ck_assert_str_eq(favourites[0].name, "a");
    ck_assert_uint_eq(favourites[0].id, 8);
    ck_assert_uint_eq(favourites[1].id, 7);
    snprintf(name, sizeof name, "%s:b", directory);
    ck_assert_ptr_eq(favourites_find(name, path, sizeof path), path);
    ck_assert_int_eq(access(path, R_OK), 0);
    snprintf(name, sizeof name, "%s:c", directory);
    ck_assert_ptr_eq(favourites_find(name, path, sizeof path), name);
    ck_assert_str_eq(favourites_find("b", path, sizeof path), "b");
    ck_assert_str_ne(favourites_find(name, path, 4), path);
}

SUITE("favourites", 0, setup, teardown)
