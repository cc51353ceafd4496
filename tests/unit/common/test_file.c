/* Whole files: read with a limit, replaced as a whole or not at all, and never put in the place of
 * a device, pipe or link. */
#include "common/system/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

static char path[128];

static void set_up(void)
{
    open_directory();
    snprintf(path, sizeof path, "%s/it", directory);
}

static void tear_down(void)
{
    remove(path);
    ck_assert_int_eq(count_files(), 0); /* nothing else was left behind */
    close_directory();
}

static void assert_content(const char *expected)
{
    FREED char *bytes;
    size_t length;
    ck_ok(file_read(path, 100, &bytes, &length, &error));
    ck_assert_uint_eq(length, strlen(expected));
    ck_assert_str_eq(bytes, expected);
}

TEST(test_a_file_is_written_and_replaced)
{
    ck_assert_int_eq(file_write(path, "one", 3, &error), 0);
    assert_content("one");
    ck_assert_int_eq(file_write(path, "", 0, &error), 0);
    assert_content("");
    ck_assert_int_eq(file_write(path, "three", 5, &error), 0);
    assert_content("three");
}

TEST(test_a_byte_order_mark_is_left_out)
{
    ck_assert_int_eq(file_write(path, "\xef\xbb\xbf{}", 5, &error), 0);
    assert_content("{}");
    ck_assert_int_eq(file_write(path, "\xef\xbb\xbf", 3, &error), 0);
    assert_content("");
    ck_assert_int_eq(file_write(path, "\xef\xbb", 2, &error), 0);
    assert_content("\xef\xbb");
}

TEST(test_a_long_file_is_an_error_that_names_it)
{
    char *bytes;
    size_t length;
    ck_assert_int_eq(file_write(path, "0123456789", 10, &error), 0);
    ck_assert_int_eq(file_read(path, 10, &bytes, &length, &error), 0);
    free(bytes);
    ck_assert_int_eq(file_read(path, 9, &bytes, &length, &error), ERR_LIMIT);
    ck_assert_ptr_null(bytes);
    ck_assert_ptr_nonnull(strstr(error.message, path));
}

TEST(test_what_cannot_be_written_leaves_nothing)
{
    const char *deeper = printed("%s/no/it", directory);
    ck_refused(file_write(deeper, "x", 1, &error), ERR_MISSING, deeper);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    ck_refused(file_write(path, "x", 1, &error), ERR_IO, path);
}

TEST(test_a_pipe_gets_the_bytes_and_stays)
{
    char text[8] = "";
    struct stat info;
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    ck_assert_int_ge(reader, 0);
    ck_assert(file_is_special(path));
    ck_assert_int_eq(file_write(path, "bytes", 5, &error), 0);
    ck_assert_int_eq(read(reader, text, sizeof text), 5);
    ck_assert_str_eq(text, "bytes");
    close(reader);
    ck_assert(stat(path, &info) == 0 && S_ISFIFO(info.st_mode));
}

/* The pipe has no writer, and the device no end: both are refused at once. */
TEST(test_what_is_no_file_is_refused_by_name)
{
    const struct {
        const char *path, *word;
    } cases[] = {{path, "a named pipe"}, {directory, "a directory"}, {"/dev/zero", "a device"}};
    char *bytes;
    size_t length;
    ck_assert_int_eq(mkfifo(path, 0666), 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(file_read(cases[i].path, 100, &bytes, &length, &error), ERR_FORMAT);
        ck_assert_ptr_null(bytes);
        ck_assert_ptr_nonnull(strstr(error.message, cases[i].path));
        ck_assert_ptr_nonnull(strstr(error.message, cases[i].word));
    }
}

/* As a shell's <(...) gives it. */
TEST(test_a_pipe_of_an_own_descriptor_is_read)
{
    char name[32], *bytes;
    size_t length;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "bytes", 5), 5);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    ck_ok(file_read(name, 100, &bytes, &length, &error));
    ck_assert_str_eq(bytes, "bytes");
    free(bytes);
    close(ends[0]);
}

TEST(test_what_may_be_replaced)
{
    ck_assert(file_is_special("/dev/null"));
    ck_assert(!file_is_special(directory));
    ck_assert(!file_is_special(path));
    ck_assert_int_eq(file_write(path, "", 0, &error), 0);
    ck_assert(!file_is_special(path));
}

/* What a directory of a stranger may hold: each is refused at once, and what it leads to is not
 * touched. */
TEST(test_only_files_of_their_own_are_opened_within)
{
    int file;
    ck_assert_int_eq(file_write(path, "mine", 4, &error), 0);
    ck_assert_int_eq(mkdir(within("folder"), 0777), 0);
    ck_assert_int_eq(symlink(directory, within("door")), 0);
    ck_assert_int_eq(symlink(path, within("link")), 0);
    ck_assert_int_eq(symlink("/dev/null", within("device")), 0);
    ck_assert_int_eq(symlink("nowhere", within("loose")), 0);
    ck_assert_int_eq(mkfifo(within("pipe"), 0666), 0);
    static const char *const refused[] = {"folder", "link",    "device", "loose",
                                          "pipe",   "door/it", "it/it"};
    static const int flags[] = {O_RDONLY, O_RDWR | O_CREAT, O_WRONLY | O_APPEND | O_CREAT};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        for (int k = 0; k < 3; k++) {
            ck_assert_msg(file_open_within(directory, refused[i], flags[k], &file, &error) < 0,
                          "%s is opened", refused[i]);
            ck_assert_ptr_nonnull(strstr(error.message, refused[i]));
        }
    ck_assert_int_eq(file_open_within(directory, "none", O_RDONLY, &file, &error), ERR_MISSING);
    ck_assert_int_eq(file_open_within(directory, "folder/new", flags[2], &file, &error), 0);
    close(file);
    ck_assert_int_eq(file_open_plain(path, O_RDWR, &file, &error), 0);
    close(file);
    ck_assert_int_eq(link(path, within("second")), 0);
    ck_assert_int_eq(file_open_plain(path, O_RDWR, &file, &error), ERR_FORMAT);
    ck_assert_int_eq(file_open_plain(path, O_RDONLY, &file, &error), 0);
    close(file);
    assert_content("mine");
    /* the directory itself may be behind a link: the user names it */
    ck_assert_int_eq(file_open_within(within("door"), "it", O_RDONLY, &file, &error), 0);
    close(file);

    static const char *const all[] = {"folder/new", "folder", "door", "link",
                                      "device",     "loose",  "pipe", "second"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        ck_assert_int_eq(remove(within(all[i])), 0);
}

/* Whatever has the name, what it leads to stays. */
TEST(test_a_link_is_replaced_not_followed)
{
    ck_assert_int_eq(file_write(path, "mine", 4, &error), 0);
    ck_assert_int_eq(symlink(path, within("link")), 0);
    ck_assert_int_eq(mkfifo(within("pipe"), 0666), 0);
    ck_assert_int_eq(file_replace(within("link"), "new", 3, &error), 0);
    ck_assert_int_eq(file_replace(within("pipe"), "new", 3, &error), 0);
    assert_content("mine");
    ck_assert(!file_is_special(within("pipe")));
    unlink(within("link"));
    unlink(within("pipe"));
}

SUITE("file", 0, set_up, tear_down)
