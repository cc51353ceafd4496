/* Progress: the words of its line; where there is no terminal, plain lines only. */
#include "controller/run/progress.h"
#include "tests/suite.h"

#include <unistd.h>

static const struct progress_state state = {.generation = 12,
                                            .last_generation = 49,
                                            .evaluated = 150,
                                            .members = 300,
                                            .evaluations_left = 7460,
                                            .has_best = 1,
                                            .best = 3.21449,
                                            .median = 1.875};

static const char *line_of(const struct progress_state *of, double rate)
{
    static char line[256];
    progress_format(of, rate, 0, line, sizeof line);
    return line;
}

TEST(test_line)
{
    ck_assert_str_eq(line_of(&state, 100), "generation 12/49   50%  best 3.214  median 1.875"
                                           "  100 evaluations/s  1:15 left");
    ck_assert_ptr_nonnull(strstr(line_of(&state, 1.5), "1.5 evaluations/s  1:22:53 left"));
}

/* In a run of islands the best of a start may be less than that of one before. */
TEST(test_line_of_islands)
{
    struct progress_state island = state;
    strcpy(island.start, "start 2 of 8");
    island.best = 0.198;
    island.best_so_far = 1.839;
    ck_assert_str_eq(line_of(&island, 0), "generation 12/49   50%  start 2 of 8, best 0.198"
                                          " (so far 1.839)  median 1.875");
    island.best = 1.839;
    ck_assert_str_eq(line_of(&island, 0),
                     "generation 12/49   50%  start 2 of 8, best 1.839  median 1.875");
    island.has_best = 0;
    ck_assert_str_eq(line_of(&island, 0), "generation 12/49   50%  start 2 of 8 (so far 1.839)");
}

/* No time that is left is guessed from evaluations where other things are done, or nothing. */
TEST(test_line_of_exam_and_rest)
{
    struct progress_state other = state;
    other.generation = 49;
    other.exam_candidate = 1;
    other.exam_trial = 5;
    other.exam_trials = 12;
    ck_assert_str_eq(line_of(&other, 100), "generation 49/49  best 3.214  median 1.875"
                                           "  judging the champion: trial 5 of 12");
    other.exam_candidate = 3;
    ck_assert_ptr_nonnull(strstr(line_of(&other, 100), "  judging candidate 3: trial 5 of 12"));
    other = state;
    other.is_paused = 1;
    ck_assert_str_eq(line_of(&other, 0.001),
                     "generation 12/49   50%  best 3.214  median 1.875  paused");
}

TEST(test_line_without_knowledge)
{
    char line[256];
    struct progress_state first = {.last_generation = 9};
    ck_assert_str_eq(line_of(&first, 0), "generation 0/9    0%");
    ck_assert_ptr_nonnull(strstr(line_of(&state, 1e-300), " left"));
    progress_format(&state, 100.0, 1, line, 20);
    ck_assert_uint_eq(strlen(line), 19);
}

/* An hour for which the process is stopped is no time in which it was slow; one in which it runs
 * is. */
TEST(test_a_stop_is_no_running_time)
{
    enum { HOUR_MS = 3600 * 1000 };
    struct progress progress;
    progress_init(&progress, STDERR_FILENO);
    for (int i = 0; i < 100; i++)
        progress_count(&progress);
    progress.read_ms -= HOUR_MS;
    /* 2 s count at most, and what the test takes */
    double rate = progress_rate(&progress);
    ck_assert_double_gt(rate, 100.0 / 600);
    ck_assert_int_lt(progress.clock_ms, HOUR_MS / 6);
    /* a pause is none either, however often it is looked at */
    struct progress_state paused = state;
    paused.is_paused = 1;
    int64_t before = progress.clock_ms;
    for (int second = 0; second < 600; second++) {
        progress.read_ms -= 1000;
        progress_show(&progress, &paused, 0);
    }
    ck_assert_int_lt(progress.clock_ms - before, 60 * 1000);
    /* read every second */
    for (int second = 0; second < HOUR_MS / 1000; second++) {
        progress.read_ms -= 1000;
        progress_rate(&progress);
    }
    ck_assert_int_ge(progress.clock_ms, HOUR_MS);
    ck_assert_double_lt(progress_rate(&progress), 101.0 / 3600);
}

TEST(test_plain_lines)
{
    int ends[2];
    char text[1024];
    struct progress progress;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(setenv("TERM", "xterm", 1), 0);
    progress_init(&progress, ends[1]);
    ck_assert_int_eq(progress.is_terminal, 0);
    progress_show(&progress, &state, 1);
    progress_show(&progress, &state, 0); /* too soon for another */
    progress_show(&progress, &state, 1);
    progress_print(&progress, "creature %d", 7);
    progress_end(&progress);
    close(ends[1]);
    ssize_t length = read(ends[0], text, sizeof text - 1);
    ck_assert_int_gt(length, 0);
    text[length] = '\0';
    close(ends[0]);

    int lines = 0;
    for (const char *at = text; *at; at++) {
        ck_assert_int_ne(*at, '\r');
        ck_assert_int_ne(*at, '\033');
        lines += *at == '\n';
    }
    ck_assert_int_eq(lines, 3);
    ck_assert_ptr_nonnull(strstr(text, "\ncreature 7\n"));
}

TEST(test_many_counts)
{
    struct progress progress;
    progress_init(&progress, STDERR_FILENO);
    for (int i = 0; i < 100000; i++) {
        progress.samples[progress.sample_count - 1].time_ms -= i % 100 ? 0 : 1000;
        progress_count(&progress);
    }
    ck_assert_int_eq(progress.done, 100000);
    ck_assert_int_le(progress.sample_count, PROGRESS_SAMPLES);
    ck_assert(progress_rate(&progress) >= 0.0);
}

SUITE("progress", 0, NULL, NULL)
