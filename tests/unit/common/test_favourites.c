/* Favourites of a run: they are found by their names, in order, and what is no creature is left
 * out. runs: watched */
#include "common/store/favourites.h"

#include <sys/stat.h>
#include <unistd.h>
#include "common/system/file.h"
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

TEST(favourites_are_found_by_their_names)
{
    struct favourite favourites[FAVOURITES_MAX];
    struct creature fish;
    char path[160];
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
    ck_ok(file_write(within("favourites/broken.creature"), "", 0, &error));
    ck_assert_int_lt(favourites_keep(directory, &fish, "broken", &error), 0);
    creature_deinit(&fish);
    ck_assert_int_eq(favourites_read(directory, favourites), 2);
    ck_assert_str_eq(favourites[0].name, "a");
    ck_assert_uint_eq(favourites[0].id, 8);
    ck_assert_uint_eq(favourites[1].id, 7);
    const char *known = printed("%s:b", directory), *unknown = printed("%s:c", directory);
    ck_assert_ptr_eq(favourites_find(known, path, sizeof path), path);
    ck_assert_int_eq(access(path, R_OK), 0);
    ck_assert_ptr_eq(favourites_find(unknown, path, sizeof path), unknown);
    ck_assert_str_eq(favourites_find("b", path, sizeof path), "b");
    ck_assert_str_ne(favourites_find(unknown, path, 4), path);
}

SUITE("favourites", 0, open_directory, close_directory)
