/* Live progress on standard error: one line that is redrawn on a terminal, a plain line every few
 * seconds and for each generation elsewhere. NO_COLOR is honoured; TERM=dumb counts as no
 * terminal. */
#ifndef CONTROLLER_RUN_PROGRESS_H
#define CONTROLLER_RUN_PROGRESS_H

#include <stdint.h>

#define PROGRESS_SAMPLES 24

struct progress_state {
    uint32_t generation, last_generation; /* numbers from 0 */
    int evaluated, members;               /* of the generation under way */
    int64_t evaluations_left;             /* of the whole run */
    int is_waiting;                       /* for choices by hand */
    int is_paused;
    int polish_done, polish_count; /* evaluations of the polish at the end; 0, 0: there is none */
    int exam_candidate;            /* the one in the exam at the end, from 1; 0: none yet */
    int exam_trial, exam_trials;   /* of that one: from 1, and all */
    int is_preserve;               /* then a generation is an epoch, and its members are worlds: */
    int64_t living;                /* in all of them */
    int has_best;                  /* some generation, of islands of this start, is complete */
    double best, median;           /* of the last complete generation */
    char start[40];                /* of a run of islands: "start 2 of 8"; empty after the merger */
    double best_so_far;            /* of all complete generations */
};

struct progress {
    int descriptor;
    int is_terminal, has_colour;
    int is_line_drawn; /* a redrawn line stands on the terminal */
    int64_t last_drawn_ms;
    int64_t done; /* evaluations counted by progress_count() */
    /* running time, without what the process was stopped for, and when it was read last */
    int64_t clock_ms, read_ms;
    /* (running time, done), one every half second, for the rate of the last ten seconds */
    struct {
        int64_t time_ms, done;
    } samples[PROGRESS_SAMPLES];
    int sample_count;
};

/* Decides by `descriptor` and the environment how to show. */
void progress_init(struct progress *progress, int descriptor);
/* One evaluation is done. */
void progress_count(struct progress *progress);
/* Evaluations per second over the last ten seconds in which the process ran; 0 = not yet known. */
double progress_rate(struct progress *progress);
/* Shows the state if it is time to; always if is_forced (a generation is complete). */
void progress_show(struct progress *progress, const struct progress_state *state, int is_forced);
/* Prints a line of its own, above the redrawn one. */
void progress_print(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Takes the redrawn line away. */
void progress_end(struct progress *progress);

/* The state as one line of text, for example
 * "generation 12/49  best 3.214  median 1.87  812 evaluations/s  0:42 left". */
void progress_format(const struct progress_state *state, double rate, int has_colour, char *buffer,
                     int size);

/* "0:42", "1:03:20". */
void progress_format_duration(double seconds, char *buffer, int size);

#endif
