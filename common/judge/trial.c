/* See trial.h. */
#include "common/judge/trial.h"

#include <stdio.h>
#include <string.h>

#include "common/genome/body_kind.h"
#include "common/text.h"

static const char *const purpose_names[TRIAL_PURPOSE_COUNT] = {[TRIAL_FIRST] = "first",
                                                               [TRIAL_ENTRY] = "entry",
                                                               [TRIAL_CHAMPION] = "champion",
                                                               [TRIAL_POLISH] = "polish"};

static const char *const purpose_words[TRIAL_PURPOSE_COUNT] = {[TRIAL_FIRST] = "first trials",
                                                               [TRIAL_ENTRY] = "referee",
                                                               [TRIAL_CHAMPION] = "exam",
                                                               [TRIAL_POLISH] = "polish"};

/* The exam is not about how a body comes to rest, which takes longer with one solver than with
 * another. */
#define CHAMPION_SETTLE_FACTOR 2.0
/* A quarter of the step costs four times as much, and the reference solver up to a thousand
 * times. */
#define CHAMPION_BUDGET_FACTOR 10.0

void trial_apply(const struct trial *trial, struct params *params)
{
    ENSURE(trial->purpose >= 0 && trial->purpose < TRIAL_PURPOSE_COUNT, "purpose %d",
           trial->purpose);
    ENSURE(trial->perturbation >= 0 && trial->halvings >= 0 && trial->bout >= 0,
           "perturbation %d, %d halvings, bout %d", trial->perturbation, trial->halvings,
           trial->bout);
    params->simulation_perturbation = trial->perturbation;
    params->simulation_dt_s /= (double)(1u << trial->halvings);
    if (trial->purpose == TRIAL_CHAMPION) {
        params->settle_limit_s *= CHAMPION_SETTLE_FACTOR;
        params->guard_budget *= CHAMPION_BUDGET_FACTOR;
    }
    if (trial->has_other_solver)
        params_ask_solver(params, params_other_solver(params->simulation_solver));
}

int trial_other_solver(int body_kind, const struct params *params)
{
    int other = params_other_solver(params->simulation_solver);
    int is_known = (body_kinds[body_kind].solvers & SOLVER_BIT(other)) != 0;
    return params->guard_other_solver && is_known ? other : -1;
}

void trial_to_text(const struct trial *trial, char text[TRIAL_TEXT_SIZE])
{
    ENSURE(trial->purpose >= 0 && trial->purpose < TRIAL_PURPOSE_COUNT, "purpose %d",
           trial->purpose);
    text[0] = '\0';
    text_append(text, TRIAL_TEXT_SIZE, "%s", purpose_names[trial->purpose]);
    if (trial->bout > 0)
        text_append(text, TRIAL_TEXT_SIZE, "+bout-%d", trial->bout);
    if (trial->perturbation > 0)
        text_append(text, TRIAL_TEXT_SIZE, "+perturbed-%d", trial->perturbation);
    if (trial->halvings > 0)
        text_append(text, TRIAL_TEXT_SIZE, "+finer-%d", trial->halvings);
    if (trial->has_other_solver)
        text_append(text, TRIAL_TEXT_SIZE, "+other-solver");
}

/* Whether the text goes on with the word; then moves on behind it. */
static int take_word(const char **text, const char *word)
{
    size_t length = strlen(word);
    int is_there = strncmp(*text, word, length) == 0;
    *text += is_there ? length : 0;
    return is_there;
}

/* The word and a number 1 .. most without zeros in front, if they come next; else *number stays. */
static void take_number(const char **text, const char *word, int most, int *number)
{
    const char *after = *text;
    int value = 0;
    if (!take_word(&after, word) || *after == '0')
        return;
    for (; *after >= '0' && *after <= '9' && value <= most; after++)
        value = 10 * value + (*after - '0');
    if (value < 1 || value > most)
        return;
    *number = value;
    *text = after;
}

int trial_from_text(struct trial *trial, const char *text, struct error *error)
{
    const char *rest = text;
    *trial = (struct trial){.purpose = TRIAL_PURPOSE_COUNT};
    for (int i = 0; i < TRIAL_PURPOSE_COUNT && trial->purpose == TRIAL_PURPOSE_COUNT; i++)
        if (take_word(&rest, purpose_names[i]))
            trial->purpose = i;
    take_number(&rest, "+bout-", TRIAL_BOUT_MAX, &trial->bout);
    take_number(&rest, "+perturbed-", TRIAL_PERTURBATION_MAX, &trial->perturbation);
    take_number(&rest, "+finer-", TRIAL_HALVINGS_MAX, &trial->halvings);
    trial->has_other_solver = take_word(&rest, "+other-solver");
    if (trial->purpose < TRIAL_PURPOSE_COUNT && *rest == '\0')
        return 0;
    return error_set(error, ERR_RANGE,
                     "'%.40s', expected first, entry, champion or polish, then +bout-1 .. %d, "
                     "+perturbed-1 .. %d, +finer-1 .. %d, +other-solver",
                     text, TRIAL_BOUT_MAX, TRIAL_PERTURBATION_MAX, TRIAL_HALVINGS_MAX);
}

void trial_describe(const struct trial *trial, const struct params *params, char *text, size_t size)
{
    text[0] = '\0';
    if (trial->perturbation > 0)
        text_append(text, size, "from perturbed start %d ", trial->perturbation);
    if (trial->halvings > 0)
        text_append(text, size, "at h/%d", 1 << trial->halvings);
    else
        text_append(text, size, "at h");
    if (trial->has_other_solver)
        text_append(text, size, " with solver %s",
                    params_solver_names[params_other_solver(params->simulation_solver)]);
}

void trial_describe_kind(const struct trial *trial, const struct params *params, char *text,
                         size_t size)
{
    char how[TRIAL_TEXT_SIZE];
    struct trial kind = *trial;
    kind.perturbation = 0;
    trial_describe(&kind, params, how, sizeof how);
    snprintf(text, size, "%s %s", purpose_words[trial->purpose], how);
}

int trial_compare_kinds(const struct trial *a, const struct trial *b)
{
    if (a->purpose != b->purpose)
        return a->purpose - b->purpose;
    if (a->has_other_solver != b->has_other_solver)
        return a->has_other_solver - b->has_other_solver;
    return a->halvings - b->halvings;
}
