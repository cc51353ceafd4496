/* The door to standard output: printf()'s conversions, cleaned texts, and output without a reader.
 */
#include "common/system/output.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "common/formats/json_text.h"
#include "tests/suite.h"

#define HOSTILE                                                                                    \
    "a\033[2J\n\xe2\x80\xa8\xff"                                                                   \
    "b"
#define CLEANED "a [2J ??b"

static char *text;
static size_t length;
static FILE *file;

static void setup(void)
{
    file = open_memstream(&text, &length);
}

static void teardown(void)
{
    free(text);
}

/* What was printed since setup(). */
static const char *output(void)
{
    ck_assert_int_eq(fclose(file), 0);
    return text;
}

/* As the C library prints it. */
#define CHECK_LIKE_PRINTF(...)                                                                     \
    do {                                                                                           \
        char expected[4096];                                                                       \
        snprintf(expected, sizeof expected, __VA_ARGS__);                                          \
        setup();                                                                                   \
        output_print(file, __VA_ARGS__);                                                           \
        ck_assert_str_eq(output(), expected);                                                      \
        teardown();                                                                                \
    } while (0)

TEST(test_numbers_are_printed_like_printf)
{
    CHECK_LIKE_PRINTF("plain, 100 %%");
    CHECK_LIKE_PRINTF("%d %i|%5d|%-5d|%05d|%+d|% d|%.3d|%d", 7, -7, 7, 7, 7, 7, 7, 7, INT32_MIN);
    CHECK_LIKE_PRINTF("%*d|%-*d|%*d|%.*d|%.*d", 6, 1, 6, 2, -6, 3, 4, 5, -1, 6);
    CHECK_LIKE_PRINTF("%ld %lld %jd %zu", LONG_MIN, LLONG_MAX, INTMAX_MIN, SIZE_MAX);
    CHECK_LIKE_PRINTF("%u %lu %llu %ju %hhu", UINT32_MAX, ULONG_MAX, ULLONG_MAX, UINTMAX_MAX,
                      (unsigned char)9);
    CHECK_LIKE_PRINTF("%x %#x %X %o %08" PRIx64 " %" PRId64 " %" PRIu32, 255u, 255u, 255u, 8u,
                      UINT64_C(0xdeadbeefcafe), INT64_MIN, UINT32_MAX);
    CHECK_LIKE_PRINTF("%g|%10.4f|%-10.3e|%.0f|%G|%.17g|%+g|%g|%g", 0.1, 1.5, DBL_MAX, 2.5, 1e-300,
                      1.0 / 3, 2.0, (double)INFINITY, -0.0);
    CHECK_LIKE_PRINTF("%p", (void *)&file);
}

TEST(test_clean_texts_are_printed_like_printf)
{
    CHECK_LIKE_PRINTF("%s|%10s|%-10s|%.2s|%10.2s|%*s|%-*s|%.*s|%c|%3c", "abc", "abc", "abc", "abc",
                      "abc", 6, "abc", 6, "abc", 1, "abc", 'x', 'y');
    CHECK_LIKE_PRINTF("%s%s", "", "h\xc3\xb6hle");
}

FIXTURE(setup, teardown)

/* The format is printed as it is. Only what is put into it is cleaned. */
TEST(test_texts_are_cleaned)
{
    const char *volatile nothing = NULL;
    output_print(file, "\033[H%s|%12s|%-12s|%.3s|%c\n", HOSTILE, HOSTILE, HOSTILE, HOSTILE, '\033');
    output_print(file, "%s.", nothing);
    ck_assert_str_eq(output(), "\033[H" CLEANED "|   " CLEANED "|" CLEANED "   |a [| \n.");
}

TEST(test_lines_keep_their_ends)
{
    output_lines(file, "one\n" HOSTILE "\n");
    ck_assert_str_eq(output(), "one\na [2J\n??b\n");
}

/* ---- JSON ---- */

/* Both printers escape what must not be seen, and what is read back is the same. */
TEST(test_json_is_escaped)
{
    static const char dirty[] =
        "a\001\n\x7f\xc2\x9b\xe2\x80\xae\xef\xbb\xbf\xf3\xa0\x81\x81\xc3\xb6";
    static const char escaped[] = "a\\u0001\\n\\u007f\\u009b\\u202e\\ufeff\\udb40\\udc41\xc3\xb6";
    json_t *object = json_pack("{s:s}", "key", dirty);
    struct json_stream stream = {.file = file, .is_compact = 1};
    json_stream_put(&stream, NULL, json_incref(object));
    char expected[128], *own = json_text_dump(object);
    snprintf(expected, sizeof expected, "{\"key\":\"%s\"}", escaped);
    ck_assert_str_eq(output(), expected);
    json_t *back = json_loads(text, 0, NULL), *own_back = json_loads(own, 0, NULL);
    ck_assert(json_equal(object, back));
    ck_assert(json_equal(object, own_back));
    ck_assert_ptr_nonnull(strstr(own, "\\u202e\\ufeff\\udb40\\udc41\xc3\xb6"));
    free(own);
    json_decref(object);
    json_decref(back);
    json_decref(own_back);
}

FIXTURE(NULL, NULL)

TEST(test_what_is_no_text_becomes_one)
{
    json_t *value = json_text_make("a\xff\n\033");
    ck_assert_str_eq(json_string_value(value), "a?\n ");
    json_decref(value);
}

/* ---- output without a reader ---- */

/* Few lines leave at the end, many before. */
static const int line_counts[] = {1, 20000};

/* The exit code of a program that prints `count` lines into a descriptor, and what it says on
 * standard error. */
static int print_into(int descriptor, int count, char *said, size_t size)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(descriptor, STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        output_begin();
        for (int i = 0; i < count; i++)
            output_print(stdout, "line %d\n", i);
        _exit(output_finish("tester") == 0 ? 0 : 1);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], said, size - 1);
    said[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* A reader that goes away and a full disk are failures, and what is taken is none. */
TEST_LOOP(test_only_what_is_lost_is_a_failure, 0, 6)
{
    static const struct {
        const char *path, *said;
    } outputs[] = {{NULL, "tester: standard output: Broken pipe\n"},
                   {"/dev/full", "tester: standard output: No space left on device\n"},
                   {"/dev/null", ""}};
    const char *path = outputs[_i / 2].path, *expected = outputs[_i / 2].said;
    char said[256];
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[0]);
    int descriptor = path ? open(path, O_WRONLY) : ends[1];
    if (descriptor < 0)
        return;
    ck_assert_int_eq(print_into(descriptor, line_counts[_i % 2], said, sizeof said),
                     expected[0] != '\0');
    ck_assert_str_eq(said, expected);
}

/* No file that is opened later is taken for standard output. */
TEST(test_closed_descriptors_are_taken)
{
    pid_t child = fork();
    if (child == 0) {
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        output_begin();
        int next = open("/dev/null", O_WRONLY);
        output_print(stdout, "lost\n");
        _exit(next > STDERR_FILENO && output_finish("tester") ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

SUITE("output", 0, NULL, NULL)
