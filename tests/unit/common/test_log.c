/* common/system/log: logfmt lines, one write each, whatever the fields hold.
 *
 * The lines go through a datagram socket, on which every write(2) arrives as one message. */
#include "common/system/log.h"
#include "tests/suite.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static int sockets[2];
static char line[8192];

static void setup(void)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
    log_set(sockets[1], LOG_INFO);
}

static void teardown(void)
{
    log_set(2, LOG_INFO);
    close(sockets[0]);
    close(sockets[1]);
}

/* The next message without its newline, which must be its only one; "" if there is none. */
static const char *receive(void)
{
    ssize_t length = recv(sockets[0], line, sizeof line - 1, MSG_DONTWAIT);
    if (length <= 0)
        return "";
    line[length] = 0;
    ck_assert_ptr_eq(strchr(line, '\n'), line + length - 1);
    line[length - 1] = 0;
    return line;
}

TEST(a_line_has_time_level_event_and_fields)
{
    log_event(LOG_INFO, "task_done", "task=%d verdict=%s", 17, "ok");
    const char *text = receive();

    /* time=2026-01-31T12:34:56.789Z */
    const char *pattern = "time=dddd-dd-ddTdd:dd:dd.dddZ ";
    for (size_t i = 0; pattern[i]; i++) {
        if (pattern[i] == 'd')
            ck_assert(text[i] >= '0' && text[i] <= '9');
        else
            ck_assert_int_eq(text[i], pattern[i]);
    }
    ck_assert_str_eq(text + strlen(pattern), "level=info event=task_done task=17 verdict=ok");
}

TEST(each_event_is_one_write)
{
    for (int i = 0; i < 5; i++)
        log_event(LOG_WARN, "count", "i=%d", i);
    for (int i = 0; i < 5; i++) {
        const char *expected = printed(" i=%d", i);
        const char *text = receive();
        ck_assert_str_eq(text + strlen(text) - strlen(expected), expected);
    }
    ck_assert_str_eq(receive(), "");
}

TEST(levels_below_the_lowest_are_dropped)
{
    log_event(LOG_DEBUG, "detail", "a=1");
    ck_assert_str_eq(receive(), "");
    log_set(sockets[1], LOG_ERROR);
    log_event(LOG_WARN, "careful", "a=1");
    ck_assert_str_eq(receive(), "");
    log_event(LOG_ERROR, "broken", "a=1");
    ck_assert_ptr_nonnull(strstr(receive(), " level=error event=broken a=1"));
    log_set(sockets[1], LOG_DEBUG);
    log_event(LOG_DEBUG, "detail", "a=1");
    ck_assert_ptr_nonnull(strstr(receive(), " level=debug event=detail a=1"));
}

TEST(no_fields_no_blank_at_the_end)
{
    const char *empty = "";
    log_event(LOG_INFO, "start", empty, 0);
    const char *text = receive();
    ck_assert_str_eq(strstr(text, " event="), " event=start");
}

TEST(control_characters_cannot_break_a_line)
{
    log_event(LOG_INFO, "odd", "a=%s", "x\ny\rz\x1b");
    ck_assert_ptr_nonnull(strstr(receive(), " a=x y z "));
}

TEST(long_lines_are_cut_and_marked)
{
    static char text[6000];
    for (size_t length = 1900; length < 2200; length++) {
        memset(text, 'x', length);
        text[length] = 0;
        log_event(LOG_INFO, "long", "a=%s", text);
        const char *got = receive();
        ck_assert_uint_lt(strlen(got), 2048);
        const char *mark = strstr(got, " cut=true");
        if (length < 1950)
            ck_assert_ptr_null(mark);
        if (length > 2000)
            ck_assert_str_eq(mark, " cut=true");
    }
}

/* A cut inside a quoted value leaves balanced quotes and no half escape, wherever it falls. */
TEST(a_cut_closes_quotes)
{
    static char text[3000], quoted[6100];
    for (size_t start = 0; start < 8; start++) {
        memset(text, 'x', start);
        memset(text + start, '"', sizeof text - start);
        text[sizeof text - 1] = 0;
        log_quote(text, quoted, sizeof quoted);
        log_event(LOG_INFO, "long", "a=%s", quoted);
        const char *got = receive();
        int is_open = 0;
        for (const char *at = got; *at; at++) {
            if (*at == '"')
                is_open = !is_open;
            else if (*at == '\\')
                at++;
        }
        ck_assert_int_eq(is_open, 0);
        ck_assert_str_eq(got + strlen(got) - 10, "\" cut=true");
    }
}

TEST(a_dead_descriptor_is_no_error)
{
    log_set(-1, LOG_INFO);
    errno = ENOENT;
    log_event(LOG_ERROR, "lost", "a=1");
    ck_assert_int_eq(errno, ENOENT);
}

TEST(values_are_quoted_where_needed)
{
    static const char *const pairs[][2] = {
        {"plain", "plain"},
        {"a-b_c.d/e:9", "a-b_c.d/e:9"},
        {"", "\"\""},
        {"two words", "\"two words\""},
        {"a=b", "\"a=b\""},
        {"say \"hi\"", "\"say \\\"hi\\\"\""},
        {"back\\slash", "\"back\\\\slash\""},
        {"a\nb\tc\rd", "\"a\\nb\\tc\\rd\""},
        {"\x01\x7f\xc3\xa4", "\"\\x01\\x7f\\xc3\\xa4\""},
    };
    char buffer[64];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        ck_assert_ptr_eq(log_quote(pairs[i][0], buffer, sizeof buffer), buffer);
        ck_assert_str_eq(buffer, pairs[i][1]);
    }
    ck_assert_str_eq(log_quote(NULL, buffer, sizeof buffer), "\"\"");
}

/* Into every size of buffer: never beyond it, always a value that is complete in itself. */
TEST(values_are_cut_to_fit)
{
    static const char *const texts[] = {"plain-and-long", "with \"quotes\" and \n", "\xff\xff\xff"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int size = 1; size < 40; size++) {
            char buffer[48];
            memset(buffer, '~', sizeof buffer);
            log_quote(texts[i], buffer, size);
            size_t length = strlen(buffer);
            ck_assert_uint_lt(length, (size_t)size);
            for (size_t j = (size_t)size; j < sizeof buffer; j++)
                ck_assert_int_eq(buffer[j], '~');
            if (buffer[0] == '"') {
                ck_assert_uint_ge(length, 2);
                ck_assert_int_eq(buffer[length - 1], '"');
            }
        }
    char untouched = '~';
    log_quote("x", &untouched, 0);
    ck_assert_int_eq(untouched, '~');
}

SUITE("log", 0, setup, teardown)
