/* Live progress. Each line or redraw is one write(2), so that it does not mix with other output. */
#include "controller/run/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text.h"
#include "common/system/file.h"
#include "common/system/output.h"
#include "common/system/process.h"

/* Redrawn at most this often; plain lines this seldom. */
#define REDRAW_MS 100
#define PLAIN_MS  5000
#define SAMPLE_MS 500
/* While the process runs, the clock is read more often than this (evolve.c redraws five times a
 * second). If a reading comes later, the process was stopped or the machine asleep, and the
 * excess does not count. */
#define GAP_MS 2000

#define LINE_SIZE 512

#define BOLD  "\033[1m"
#define PLAIN "\033[0m"

/* Running time since progress_init(). */
static int64_t read_clock(struct progress *progress)
{
    int64_t now = (int64_t)clock_ms(CLOCK_MONOTONIC), step = now - progress->read_ms;
    progress->clock_ms += step < GAP_MS ? step : GAP_MS;
    progress->read_ms = now;
    return progress->clock_ms;
}

/* Progress that cannot be written is dropped. */
static void write_text(const struct progress *progress, const char *text)
{
    file_write_all(progress->descriptor, text, strlen(text));
}

void progress_init(struct progress *progress, int descriptor)
{
    ENSURE(descriptor >= 0, "descriptor %d", descriptor);
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    memset(progress, 0, sizeof *progress);
    progress->descriptor = descriptor;
    progress->is_terminal = isatty(descriptor) && term && *term && strcmp(term, "dumb") != 0;
    progress->has_colour = progress->is_terminal && !(no_color && *no_color);
    progress->read_ms = (int64_t)clock_ms(CLOCK_MONOTONIC);
    progress->sample_count = 1;
}

void progress_count(struct progress *progress)
{
    ENSURE(progress->sample_count >= 0 && progress->sample_count <= PROGRESS_SAMPLES, "%d samples",
           progress->sample_count);
    int64_t now = read_clock(progress);
    progress->done++;
    if (now - progress->samples[progress->sample_count - 1].time_ms < SAMPLE_MS)
        return;
    if (progress->sample_count == PROGRESS_SAMPLES) {
        memmove(progress->samples, progress->samples + 1,
                sizeof progress->samples - sizeof progress->samples[0]);
        progress->sample_count--;
    }
    progress->samples[progress->sample_count].time_ms = now;
    progress->samples[progress->sample_count].done = progress->done;
    progress->sample_count++;
}

double progress_rate(struct progress *progress)
{
    int64_t span_ms = read_clock(progress) - progress->samples[0].time_ms;
    int64_t done = progress->done - progress->samples[0].done;
    return span_ms > 0 ? 1000.0 * (double)done / (double)span_ms : 0.0;
}

void progress_format_duration(double seconds, char *buffer, int size)
{
    long total = seconds < 1e9 ? (long)(seconds + 0.5) : 999999999;
    if (total >= 3600)
        snprintf(buffer, (size_t)size, "%ld:%02ld:%02ld", total / 3600, total / 60 % 60,
                 total % 60);
    else
        snprintf(buffer, (size_t)size, "%ld:%02ld", total / 60, total % 60);
}

/* Nothing is evaluated by order, or for want of choices: one line has said so. */
static int is_at_rest(const struct progress_state *state)
{
    return state->is_waiting || state->is_paused;
}

/* The present work: the speed of the generation, or the trial to wait for. */
static void format_work(const struct progress_state *state, double rate, char *buffer, size_t size)
{
    char duration[48], who[32] = "the champion";
    if (state->exam_candidate > 1)
        snprintf(who, sizeof who, "candidate %d", state->exam_candidate);
    progress_format_duration((double)state->evaluations_left / rate, duration, sizeof duration);
    buffer[0] = '\0';
    if (is_at_rest(state))
        snprintf(buffer, size, "  %s", state->is_paused ? "paused" : "waits for choices");
    else if (state->polish_count)
        snprintf(buffer, size, "  polishing the best: %d of %d", state->polish_done,
                 state->polish_count);
    else if (state->exam_candidate)
        snprintf(buffer, size, "  judging %s: trial %d of %d", who, state->exam_trial,
                 state->exam_trials);
    else if (rate > 0.0)
        snprintf(buffer, size, "  %.*f %s/s  %s left", rate < 10.0, rate,
                 state->is_preserve ? "worlds" : "evaluations", duration);
}

/* The best of a start may be less than that of another one before. */
static void format_fitness(const struct progress_state *state, int has_colour, char *buffer,
                           size_t size)
{
    char best[48] = "", so_far[32] = "", median[32] = "";
    if (state->has_best) {
        snprintf(best, sizeof best, "%sbest %s%.4g%s", *state->start ? ", " : "",
                 has_colour ? BOLD : "", state->best, has_colour ? PLAIN : "");
        snprintf(median, sizeof median, "  median %.4g", state->median);
    }
    if (*state->start && state->best_so_far > (state->has_best ? state->best : 0))
        snprintf(so_far, sizeof so_far, " (so far %.4g)", state->best_so_far);
    if (*state->start || state->has_best)
        snprintf(buffer, size, "  %s%s%s%s", state->start, best, so_far, median);
}

void progress_format(const struct progress_state *state, double rate, int has_colour, char *buffer,
                     int size)
{
    ENSURE(size > 0 && rate >= 0, "%d bytes, %g/s", size, rate);
    char fitness[160] = "", share[16] = "", work[128];
    format_fitness(state, has_colour, fitness, sizeof fitness);
    if (state->is_preserve)
        snprintf(fitness, sizeof fitness, "  living %s%lld%s", has_colour ? BOLD : "",
                 (long long)state->living, has_colour ? PLAIN : "");
    if (!state->exam_candidate && !state->polish_count)
        snprintf(share, sizeof share, "  %3d%%",
                 state->members ? (int)(100.0 * state->evaluated / state->members) : 0);
    format_work(state, rate, work, sizeof work);
    snprintf(buffer, (size_t)size, "%s %u/%u%s%s%s", state->is_preserve ? "epoch" : "generation",
             (unsigned)state->generation, (unsigned)state->last_generation, share, fitness, work);
}

static void draw_line(struct progress *progress, const struct progress_state *state)
{
    char line[LINE_SIZE], output[LINE_SIZE + 16];
    int width = output_columns(progress->descriptor) - 1; /* no line wraps */
    progress_format(state, progress_rate(progress), 0, line, sizeof line);
    /* a line that must be cut has no colour, since the cut might fall into an escape sequence */
    if (width < (int)strlen(line))
        line[width] = '\0';
    else
        progress_format(state, progress_rate(progress), progress->has_colour, line, sizeof line);
    snprintf(output, sizeof output, "\r%s\033[K", line);
    write_text(progress, output);
    progress->is_line_drawn = 1;
}

void progress_show(struct progress *progress, const struct progress_state *state, int is_forced)
{
    ENSURE(state->evaluated >= 0 && state->members >= 0, "%d of %d evaluated", state->evaluated,
           state->members);
    int64_t now = (int64_t)clock_ms(CLOCK_MONOTONIC);
    int64_t pause_ms = progress->is_terminal ? REDRAW_MS : PLAIN_MS;
    /* rest is no running time */
    if (is_at_rest(state))
        progress->read_ms = now;
    read_clock(progress);
    if (is_at_rest(state) && !progress->is_terminal)
        return;
    if (now - progress->last_drawn_ms < pause_ms && !(is_forced && !progress->is_terminal))
        return;
    progress->last_drawn_ms = now;
    if (progress->is_terminal) {
        draw_line(progress, state);
    } else {
        char line[LINE_SIZE];
        progress_format(state, progress_rate(progress), 0, line, sizeof line - 1);
        strcat(line, "\n");
        write_text(progress, line);
    }
}

void progress_end(struct progress *progress)
{
    if (progress->is_line_drawn)
        write_text(progress, "\r\033[K");
    progress->is_line_drawn = 0;
}

void progress_print(struct progress *progress, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    strcat(text_clean(line, ""), "\n");
    progress_end(progress);
    write_text(progress, line);
}
