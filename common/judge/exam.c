/* See exam.h. */
#include "common/judge/exam.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void exam_begin(struct exam *exam, double own, int body_kind, const struct params *params)
{
    *exam = (struct exam){.share = params->guard_referee_share,
                          .own = own,
                          .solver = trial_other_solver(body_kind, params)};
}

static int solver_count(const struct exam *exam)
{
    return exam->solver >= 0 ? EXAM_SOLVER_RUNS : 0;
}

static int is_enough(const struct exam *exam, double score)
{
    return score >= exam->share * exam->own;
}

/* Number of trials that may be asked for by now. */
static int count_due(const struct exam *exam)
{
    int count = solver_count(exam);

    if (exam->told < count || !is_enough(exam, exam_solver_least(exam)))
        return count;
    return count + EXAM_FINE_RUNS;
}

int exam_ask(struct exam *exam, struct trial *trial)
{
    int number = exam->asked, count = solver_count(exam);

    if (number == count_due(exam))
        return 0;
    exam->asked++;
    *trial = number < count ? (struct trial){.purpose = TRIAL_CHAMPION,
                                             .perturbation = number + 1,
                                             .has_other_solver = 1}
                            : (struct trial){.purpose = TRIAL_CHAMPION,
                                             .perturbation = number - count + 1,
                                             .halvings = TRIAL_FINE_HALVINGS};
    return 1;
}

void exam_tell(struct exam *exam, const struct trial *trial, double score)
{
    double *scores = trial->has_other_solver ? exam->solver_scores : exam->fine_scores;

    ENSURE(exam->told < exam->asked, "trial %d of %d", exam->told, exam->asked);
    scores[trial->perturbation - 1] = score;
    exam->told++;
}

int exam_is_over(const struct exam *exam)
{
    return exam->told == count_due(exam);
}

int exam_holds(const struct exam *exam)
{
    return exam->own > 0 && is_enough(exam, exam_solver_least(exam)) &&
           is_enough(exam, exam_fine_median(exam));
}

double exam_solver_least(const struct exam *exam)
{
    double least = exam->own;

    for (int i = 0; i < solver_count(exam); i++)
        least = i == 0 ? exam->solver_scores[i] : fmin(least, exam->solver_scores[i]);
    return least;
}

double exam_fine_median(const struct exam *exam)
{
    double sorted[EXAM_FINE_RUNS] = {0};

    for (int i = 0; i < EXAM_FINE_RUNS; i++) {
        int at = i;

        for (; at > 0 && sorted[at - 1] > exam->fine_scores[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = exam->fine_scores[i];
    }
    return 0.5 * (sorted[(EXAM_FINE_RUNS - 1) / 2] + sorted[EXAM_FINE_RUNS / 2]);
}

void exam_describe(const struct exam *exam, char text[EXAM_WORDS_SIZE])
{
    int count = solver_count(exam), is_short = exam->told <= count;
    int used = snprintf(text, EXAM_WORDS_SIZE, "%.4g at h; from perturbed starts", exam->own);

    if (!is_short)
        used += snprintf(text + used, EXAM_WORDS_SIZE - (size_t)used,
                         " %.4g at h/%d (median of %d)%s", exam_fine_median(exam),
                         1 << TRIAL_FINE_HALVINGS, EXAM_FINE_RUNS, count > 0 ? "," : "");
    if (count > 0)
        snprintf(text + used, EXAM_WORDS_SIZE - (size_t)used, " %.4g with solver %s (least of %d)",
                 exam_solver_least(exam), params_solver_names[exam->solver], count);
}
