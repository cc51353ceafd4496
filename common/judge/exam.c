/* See exam.h. */
#include "common/judge/exam.h"
#include "common/math/detmath.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>

/* By steps: a quarter of the step takes four times as many, and one by the reference solver is
 * worth a hundred (29 to 118 on the creatures of examples/, 10 s). */
#define FINE_COST   (1 << TRIAL_FINE_HALVINGS)
#define SOLVER_COST 100

void exam_begin(struct exam *exam, double own, int body_kind, const struct params *params)
{
    ENSURE(own >= 0, "a score of %g", own);
    int solver = trial_other_solver(body_kind, params), starts = (int)params->exam_starts;

    *exam = (struct exam){.share = params->guard_referee_share,
                          .own = own,
                          .solver = solver,
                          .starts = starts,
                          .pass = (int)params->exam_pass};
    if (solver >= 0)
        exam->solver_count = starts < EXAM_SOLVER_RUNS ? starts : EXAM_SOLVER_RUNS;
}

double exam_cost(const struct exam *exam)
{
    return FINE_COST * exam->starts + SOLVER_COST * exam->solver_count;
}

void exam_cut(struct exam *exam, double evaluations)
{
    ENSURE(evaluations >= 0 && exam->asked == 0, "cut to %g evaluations after %d trials",
           evaluations, exam->asked);
    int failing = exam->starts - exam->pass;
    double starts = det_min(exam->starts, det_max(1, floor(evaluations / FINE_COST)));
    double solver = floor((evaluations - FINE_COST * starts) / SOLVER_COST);

    ENSURE(exam->asked == 0, "%d trials are asked for", exam->asked);
    solver = det_min(exam->solver_count, det_max(0, solver));
    exam->is_cut = starts < exam->starts || solver < exam->solver_count;
    exam->pass = (int)starts - (int)(failing * starts / exam->starts);
    exam->starts = (int)starts;
    exam->solver_count = (int)solver;
}

int exam_trial_count(const struct exam *exam)
{
    return exam->solver_count + exam->starts;
}

/* How many of the first scores of a row pass. */
static int count_passed(const struct exam *exam, const double *scores, int count)
{
    int passed = 0;
    for (int i = 0; i < count; i++)
        passed += scores[i] > 0 && scores[i] >= exam->share * exam->own;
    return passed;
}

/* Whether no more of a row have failed than may: of a row that was cut to fewer than
 * EXAM_SOLVER_RUNS not one may fail. */
static int holds(const struct exam *exam, int passed, int count)
{
    int failing = exam->is_cut && count < EXAM_SOLVER_RUNS ? 0 : exam->starts - exam->pass;
    return count - passed <= failing;
}

int exam_fine_told(const struct exam *exam)
{
    return exam->told < exam->starts ? exam->told : exam->starts;
}

static int fine_holds(const struct exam *exam)
{
    return holds(exam, exam_fine_passed(exam), exam_fine_told(exam));
}

/* Number of trials that may be asked for by now: half of the first row, all of it, both. */
static int count_due(const struct exam *exam)
{
    const int ends[] = {(exam->starts + 1) / 2, exam->starts, exam_trial_count(exam)};
    for (int i = 0; i < 2; i++)
        if (exam->told < ends[i] || (exam->told == ends[i] && !fine_holds(exam)))
            return ends[i];
    return ends[2];
}

int exam_ask(struct exam *exam, struct trial *trial)
{
    int number = exam->asked, has_solver = number >= exam->starts;
    int start = has_solver ? number - exam->starts : number;
    if (number == count_due(exam))
        return 0;
    exam->asked++;
    *trial = (struct trial){.purpose = TRIAL_CHAMPION,
                            .perturbation = TRIAL_RUN_STARTS + 1 + start,
                            .halvings = has_solver ? 0 : TRIAL_FINE_HALVINGS,
                            .has_other_solver = has_solver};
    return 1;
}

void exam_tell(struct exam *exam, const struct trial *trial, double score)
{
    double *scores = trial->has_other_solver ? exam->solver_scores : exam->fine_scores;
    int start = trial->perturbation - TRIAL_RUN_STARTS - 1;
    ENSURE(exam->told < exam->asked, "trial %d of %d", exam->told, exam->asked);
    ENSURE(start >= 0 && start < exam->starts, "start %d of %d", start, exam->starts);
    scores[start] = score;
    exam->told++;
}

double exam_spent(const struct exam *exam)
{
    int fine = exam_fine_told(exam);
    return FINE_COST * fine + SOLVER_COST * (exam->told - fine);
}

int exam_is_over(const struct exam *exam)
{
    return exam->told == count_due(exam);
}

int exam_holds(const struct exam *exam)
{
    ENSURE(exam_is_over(exam), "an exam of which %d of %d trials are told", exam->told,
           exam_trial_count(exam));
    return exam->own > 0 && fine_holds(exam) &&
           holds(exam, exam_solver_passed(exam), exam->solver_count);
}

double exam_solver_least(const struct exam *exam)
{
    double least = exam->own;
    for (int i = 0; i < exam->solver_count; i++)
        least = i == 0 ? exam->solver_scores[i] : det_min(least, exam->solver_scores[i]);
    return least;
}

double exam_fine_median(const struct exam *exam)
{
    double sorted[EXAM_STARTS_MAX] = {0};
    int count = exam_fine_told(exam);
    for (int i = 0; i < count; i++) {
        int at = i;

        for (; at > 0 && sorted[at - 1] > exam->fine_scores[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = exam->fine_scores[i];
    }
    return count > 0 ? 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]) : 0;
}

int exam_solver_passed(const struct exam *exam)
{
    return count_passed(exam, exam->solver_scores, exam->solver_count);
}

int exam_fine_passed(const struct exam *exam)
{
    return count_passed(exam, exam->fine_scores, exam_fine_told(exam));
}

void exam_describe(const struct exam *exam, char text[EXAM_WORDS_SIZE])
{
    snprintf(text, EXAM_WORDS_SIZE,
             "%.4g at h; from perturbed starts %.4g at h/%d (median of %d, passed %d of "
             "%d)",
             exam->own, exam_fine_median(exam), 1 << TRIAL_FINE_HALVINGS, exam_fine_told(exam),
             exam_fine_passed(exam), exam_fine_told(exam));
    if (exam->told > exam->starts)
        text_append(text, EXAM_WORDS_SIZE, ", %.4g with solver %s (least of %d, passed %d of %d)",
                    exam_solver_least(exam), params_solver_names[exam->solver], exam->solver_count,
                    exam_solver_passed(exam), exam->solver_count);
    if (exam->is_cut)
        text_append(text, EXAM_WORDS_SIZE, "; cut to what the run cost");
}
