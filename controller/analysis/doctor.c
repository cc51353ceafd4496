/* The thresholds below are judgements: good runs of the examples (300 creatures, 50 generations)
 * get no finding. Each finding has the figure that was compared. */
#include "controller/evolution/search.h"
#include "controller/analysis/doctor.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/evolution/cells.h"
#include "controller/evolution/islands.h"

/* Fewer evaluations, or generations, say nothing. */
#define EVALUATIONS_MIN 50
#define GENERATIONS_MIN 10
/* A method of breeding is judged when it has this many children. */
#define CHILDREN_MIN 100

struct examination {
    const struct run_statistics *statistics;
    const struct params *params;
    struct doctor_finding *findings;
    int count;
};

/* ---- findings ---- */

static struct doctor_finding *add_finding(struct examination *x, const char *name)
{
    ENSURE(x->count < DOCTOR_FINDINGS_MAX, "%d findings", x->count);
    struct doctor_finding *finding = &x->findings[x->count++];
    *finding = (struct doctor_finding){.name = name, .state = DOCTOR_FINE};
    return finding;
}

static void say(char *text, size_t size, const char *format, va_list arguments)
{
    vsnprintf(text, size, format, arguments);
}

__attribute__((format(printf, 2, 3))) static void say_figure(struct doctor_finding *finding,
                                                             const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(finding->figure, sizeof finding->figure, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 3, 4))) static void advise(struct doctor_finding *finding,
                                                         enum doctor_state state,
                                                         const char *format, ...)
{
    va_list arguments;
    finding->state = state;
    va_start(arguments, format);
    say(finding->advice, sizeof finding->advice, format, arguments);
    va_end(arguments);
}

__attribute__((format(printf, 2, 3))) static void try_setting(struct doctor_finding *finding,
                                                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(finding->setting, sizeof finding->setting, format, arguments);
    va_end(arguments);
}

/* "31 %", "2.4 %" */
static const char *percent(double share, char text[16])
{
    double value = 100 * share;
    snprintf(text, 16, value >= 9.95 || value == 0 ? "%.0f %%" : "%.1f %%", value);
    return text;
}

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static const struct run_generation *last_generation(const struct examination *x)
{
    int count = x->statistics->generation_count;
    return count > 0 ? &x->statistics->generations[count - 1] : NULL;
}

/* 1 if parents are chosen by hand, which rules some settings out. */
static int is_interactive(const struct examination *x)
{
    return search_is_interactive(x->params);
}

/* 1, and says so, if fewer generations are complete. */
static int is_too_early(const struct examination *x, struct doctor_finding *finding, int least)
{
    if (x->statistics->generation_count >= least)
        return 0;
    finding->state = DOCTOR_UNKNOWN;
    say_figure(finding, "%d generations are complete; to tell takes %d",
               x->statistics->generation_count, least);
    return 1;
}

/* ---- verdicts ---- */

static void halve_step(const struct params *params, struct doctor_finding *finding)
{
    double step_s = params->simulation_dt_s / 2;
    if (step_s >= 0.00001)
        try_setting(finding, "simulation.dt_s=%.6g", step_s);
}

static void treat_overlap(const struct params *params, struct doctor_finding *finding)
{
    if (params->creature_overlap == OVERLAP_REJECT)
        try_setting(finding, "creature.overlap=push");
    else if (params->initial_recursion_max > 1)
        try_setting(finding, "initial.recursion_max=%d", (int)params->initial_recursion_max - 1);
    else if (params->initial_connections > 1)
        try_setting(finding, "initial.connections=1");
}

static void treat_motionless(const struct params *params, struct doctor_finding *finding)
{
    if (params->initial_oscillators < 0.9)
        try_setting(finding, "initial.oscillators=%.3g", (1 + params->initial_oscillators) / 2);
    else if (params->initial_effectors < 1)
        try_setting(finding, "initial.effectors=1");
    else if (params->initial_rigid > 0)
        try_setting(finding, "initial.rigid=0");
    else if (params->rectangles_strength_n * 2 <= 100000)
        try_setting(finding, "rectangles.strength_n=%.6g",
                    fmax(2 * params->rectangles_strength_n, 1));
}

static void treat_unexpressed(const struct params *params, struct doctor_finding *finding)
{
    if (params->creature_parts_min > 1)
        try_setting(finding, "creature.parts_min=%d", (int)params->creature_parts_min - 1);
    else if (params->creature_neurons_max < 4096)
        try_setting(finding, "creature.neurons_max=%d",
                    (int)fmin(4096, 2 * (double)params->creature_neurons_max + 16));
}

static void treat_unsettled(const struct params *params, struct doctor_finding *finding)
{
    if (params->settle_limit_s < 60)
        try_setting(finding, "settle.limit_s=%.6g", fmin(60, 2 * params->settle_limit_s + 1));
    else if (params->settle_required)
        try_setting(finding, "settle.required=no");
}

static void treat_strength(const struct params *params, struct doctor_finding *finding)
{
    if (params->rectangles_strength_n > 0)
        try_setting(finding, "rectangles.strength_n=%.6g", params->rectangles_strength_n / 2);
}

static void treat_budget(const struct params *params, struct doctor_finding *finding)
{
    if (params->simulation_rtol < 0.001)
        try_setting(finding, "simulation.rtol=%.3g", params->simulation_rtol * 10);
    else if (params->guard_budget <= 2.5e5)
        try_setting(finding, "guard.budget=%.6g", 4 * params->guard_budget);
}

static void treat_vibration(const struct params *params, struct doctor_finding *finding)
{
    if (params->creature_effector_filter_s <= 0.5)
        try_setting(finding, "creature.effector_filter_s=%.3g",
                    fmax(2 * params->creature_effector_filter_s, 0.04));
}

static void treat_imbalance(const struct params *params, struct doctor_finding *finding)
{
    double least_m = 1.5 * params->initial_side_min_m;
    if (least_m < params->initial_side_max_m)
        try_setting(finding, "initial.side_min_m=%.3g", least_m);
}

/* Which share of a verdict is too much, what it means, and what helps. */
static const struct complaint {
    int verdict;
    double share;
    const char *name, *what, *advice;
    void (*treat)(const struct params *params, struct doctor_finding *finding);
} complaints[] = {
    {VERDICT_OVERLAP, 0.10, "overlap at birth", "of the bodies were rejected for overlap",
     "Their evaluations are lost. Parts can be pushed apart instead, or random bodies made "
     "simpler.",
     treat_overlap},
    {VERDICT_MOTIONLESS, 0.15, "motionless", "were motionless",
     "Nothing drives them, or they are too weak: give more of the first ones drives of their own.",
     treat_motionless},
    {VERDICT_NOT_EXPRESSED, 0.10, "not expressed", "had no body within the bounds",
     "They have too few parts or too many neurons for creature.*: widen these bounds.",
     treat_unexpressed},
    {VERDICT_UNSETTLED, 0.10, "unsettled", "did not come to rest before the start",
     "Give them more time to settle, or do without.", treat_unsettled},
    {VERDICT_NOT_FINITE, 0.01, "not finite", "had a state that became infinite",
     "That should hardly ever happen: a smaller step helps.", halve_step},
    {VERDICT_TOO_FAST, 0.05, "too fast", "exceeded the speed limit",
     "Their muscles are too strong for their mass, or the step is too large.", treat_strength},
    {VERDICT_SPINNING, 0.05, "spinning", "turned too fast for the step",
     "A smaller step lets them turn; it takes longer.", halve_step},
    {VERDICT_PENETRATION, 0.05, "penetration", "sank into what they touched",
     "A smaller step keeps contacts apart; it takes longer.", halve_step},
    {VERDICT_ENERGY, 0.05, "energy", "gained energy from nowhere",
     "Evolution presses on an error of the integration: a smaller step makes it smaller.",
     halve_step},
    {VERDICT_UNSTABLE_DRAG, 0.10, "drag", "were too thin for this viscosity and step",
     "A smaller step carries thinner parts.", halve_step},
    {VERDICT_BUDGET, 0.02, "step budget", "used up their step budget",
     "The solver takes too many steps for its tolerance: allow a larger one.", treat_budget},
    {VERDICT_VIBRATION, 0.05, "vibration", "moved by vibrating",
     "Slower muscles make vibration useless.", treat_vibration},
    {VERDICT_UNBALANCED, 0.05, "balance of masses", "had joints of too different masses",
     "Let random parts differ less in size.", treat_imbalance},
    {VERDICT_JOINT_SPEED, 0.05, "joint speed", "moved a joint faster than muscles can",
     "Weaker muscles are slower, too.", treat_strength},
    {VERDICT_MOMENTUM, 0.05, "momentum", "gained momentum from nowhere",
     "A smaller step keeps the balance better.", halve_step},
};

static void examine_verdicts(struct examination *x)
{
    int evaluated = x->statistics->evaluated;
    char text[16];
    for (size_t i = 0; i < sizeof complaints / sizeof complaints[0]; i++) {
        const struct complaint *complaint = &complaints[i];
        struct doctor_finding *finding = add_finding(x, complaint->name);
        double share = share_of(x->statistics->verdicts[complaint->verdict], evaluated);
        say_figure(finding, "%s %s (%d of %d)", percent(share, text), complaint->what,
                   x->statistics->verdicts[complaint->verdict], evaluated);
        if (evaluated < EVALUATIONS_MIN)
            finding->state = DOCTOR_UNKNOWN;
        else if (share >= complaint->share) {
            advise(finding, share >= 2 * complaint->share ? DOCTOR_PROBLEM : DOCTOR_NOTE, "%s",
                   complaint->advice);
            complaint->treat(x->params, finding);
        }
    }
}

static void examine_referee(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "the referee");
    int seen = x->statistics->seen, refused = x->statistics->refused;
    double share = share_of(refused, seen);
    char text[16];
    say_figure(finding, "the referee refused %s of those it saw (%d of %d)", percent(share, text),
               refused, seen);
    if (seen < 20) {
        finding->state = DOCTOR_UNKNOWN;
    } else if (share >= 0.15) {
        advise(finding, share >= 0.4 ? DOCTOR_PROBLEM : DOCTOR_NOTE,
               "At a finer step, or from a slightly other start, their scores do not hold: what is "
               "bred is partly an error of integration. A smaller step leaves less of it to find.");
        halve_step(x->params, finding);
    }
}

static void examine_champion(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "the champion");
    const struct store_champion *champion = &x->statistics->champion;
    if (!champion->id) {
        finding->state = DOCTOR_UNKNOWN;
        say_figure(finding, "no creature has sat the champion's exam");
        return;
    }
    say_figure(finding, "creature %" PRIu64 ": %s", champion->id, champion->words);
    if (champion->holds)
        return;
    advise(
        finding, DOCTOR_NOTE,
        "From other starts, at a finer step or by an independent method the best does something "
        "else, and so do those behind it. Either their motion is touchy, or it lives on an error "
        "of the step: watch it, and try a smaller one.");
    halve_step(x->params, finding);
}

/* ---- the course of the score ---- */

static double best_at(const struct examination *x, int index)
{
    return x->statistics->generations[index].fitness.best;
}

/* The generation after which the best rose by less than 1 %. */
static int last_rise(const struct examination *x)
{
    int last = x->statistics->generation_count - 1, index = last;
    while (index > 0 && best_at(x, index - 1) > 0.99 * best_at(x, last))
        index--;
    return index;
}

static int is_stagnant(const struct examination *x)
{
    int count = x->statistics->generation_count, still = count - 1 - last_rise(x);
    return count >= GENERATIONS_MIN && still >= 8 && 3 * still >= count;
}

/* `archive` breeds without a break, so a person cannot be asked. */
static void try_other_search(const struct examination *x, struct doctor_finding *finding)
{
    if (is_interactive(x)) {
        if (!run_has_no_goal(x->params) && x->params->interactive_share > 0.05)
            try_setting(finding, "interactive.share=%.3g", x->params->interactive_share / 2);
    } else if (!search_params_method(x->params)->has_cells)
        try_setting(finding, "evolution.search=archive");
    else if (x->params->archive_pressure > 0)
        try_setting(finding, "archive.pressure=%d", (int)x->params->archive_pressure / 2);
    else if (x->params->population_size <= 500000)
        try_setting(finding, "population.size=%d", 2 * (int)x->params->population_size);
}

static void examine_stagnation(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "progress");
    if (is_too_early(x, finding, GENERATIONS_MIN))
        return;
    int last = x->statistics->generation_count - 1, rise = last_rise(x);
    char start[ISLANDS_TEXT_SIZE];
    islands_name_start(x->params, x->statistics->generations[last].number, start);
    if (*start) {
        finding->state = DOCTOR_UNKNOWN;
        say_figure(finding, "%s is under way: to tell takes generations after all starts", start);
        return;
    }
    int span = last / 5 > 2 ? last / 5 : 2;
    double before = best_at(x, last - span), now = best_at(x, last);
    double gain = before > 0 ? now / before - 1 : now > 0 ? 1 : 0;
    char text[16];
    if (!(now > 0)) {
        say_figure(finding, "after %d generations the best score is 0", last + 1);
        advise(finding, DOCTOR_PROBLEM,
               "Nothing to select from: begin with more, or with creatures that do something "
               "similar already (evolution.seeds).");
        if (x->params->population_size <= 500000)
            try_setting(finding, "population.size=%d", 2 * (int)x->params->population_size);
    } else if (is_stagnant(x)) {
        say_figure(finding, "the best score has not risen by 1 %% since generation %d (of %d)",
                   (int)x->statistics->generations[rise].number,
                   (int)x->statistics->generations[last].number);
        advise(finding, DOCTOR_PROBLEM, "%s",
               is_interactive(x) ? "More of the same will not help much: choose creatures of other "
                                   "kinds, or leave more of the next generation to the goal."
                                 : "More of the same will not help much: try another seed, or keep "
                                   "more kinds alive.");
        try_other_search(x, finding);
    } else {
        say_figure(finding, "the best score rose by %s in the last %d generations",
                   percent(gain, text), span);
        if (gain >= 0.05 && x->params->evolution_generations <= 500000) {
            advise(finding, DOCTOR_NOTE,
                   "It still rises: go on (controller resume RUN_DIR -s ...).");
            try_setting(finding, "evolution.generations=%d",
                        2 * (int)x->params->evolution_generations);
        }
    }
}

/* Mean over three generations from `first` on. */
static void mean_best(const struct examination *x, int first, double *score, double *size_m)
{
    *score = *size_m = 0;
    for (int i = first; i < first + 3; i++) {
        *score += x->statistics->generations[i].fitness.best / 3;
        *size_m += x->statistics->generations[i].size_m.best / 3;
    }
}

static void examine_size(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "score and size");
    if (is_too_early(x, finding, GENERATIONS_MIN))
        return;
    double score, size_m, first_score, first_size_m;
    mean_best(x, 0, &first_score, &first_size_m);
    mean_best(x, x->statistics->generation_count - 3, &score, &size_m);
    if (!(first_score > 0) || !(first_size_m > 0)) {
        finding->state = DOCTOR_UNKNOWN;
        say_figure(finding, "the first champions have no score to compare with");
        return;
    }
    double by_score = score / first_score, by_size = size_m / first_size_m;
    say_figure(
        finding,
        "the best score became %.3g times as high, the best's size %.3g times (%.3g to %.3g m)",
        by_score, by_size, first_size_m, size_m);
    if (by_score >= 1.2 && by_size >= 1.2 && by_score <= 1.1 * by_size) {
        advise(finding, DOCTOR_PROBLEM,
               "The score grows by size only: champions are larger, not better. Bound the size, or "
               "divide by it in a fitness of your own (evolution.behaviour = custom).");
        double side_m = 0.7 * x->params->creature_side_max_m;
        if (side_m > x->params->creature_side_min_m)
            try_setting(finding, "creature.side_max_m=%.3g", side_m);
    }
}

/* ---- variety ---- */

static void examine_clone(struct examination *x)
{
    const double threshold = 0.9;
    struct doctor_finding *finding = add_finding(x, "variety");
    if (is_too_early(x, finding, GENERATIONS_MIN))
        return;
    int last = x->statistics->generation_count - 1, since = last + 1;
    while (since > 0) {
        const struct run_generation *generation = &x->statistics->generations[since - 1];
        if (share_of(generation->commonest_kind, generation->survivors) < threshold)
            break;
        since--;
    }
    const struct run_generation *end = &x->statistics->generations[last];
    char text[16];
    percent(share_of(end->commonest_kind, end->survivors), text);
    if (since > last - 2) {
        say_figure(finding, "%d kinds of %d families survive at last; the commonest has %s of them",
                   end->kinds, end->families, text);
        return;
    }
    say_figure(
        finding,
        "the population is one clone since generation %d: %s of those who survive at last have "
        "the same first ancestor and as many parts and joints",
        (int)x->statistics->generations[since].number, text);
    if (run_has_no_goal(x->params))
        advise(finding, DOCTOR_NOTE,
               "You breed one body. To see others, keep or breed some of another kind beside it.");
    else
        advise(finding, is_stagnant(x) ? DOCTOR_PROBLEM : DOCTOR_NOTE,
               "It tunes one body. To find others, keep different kinds alive, or let more "
               "survive.");
    try_other_search(x, finding);
}

static void examine_copies(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "copies");
    double share = share_of(x->statistics->copies, x->statistics->children);
    char text[16];
    say_figure(finding, "%s of the children move exactly as their first parent (%d of %d)",
               percent(share, text), x->statistics->copies, x->statistics->children);
    if (x->statistics->children < EVALUATIONS_MIN) {
        finding->state = DOCTOR_UNKNOWN;
    } else if (share >= 0.25) {
        advise(finding, DOCTOR_NOTE,
               "Their evaluations tell nothing new: mutate more of them, or let mutations be "
               "larger (mutation.step).");
        if (x->params->mutation_none > 0.05)
            try_setting(finding, "mutation.none=%.3g", x->params->mutation_none / 2);
        else if (x->params->mutation_step <= 5)
            try_setting(finding, "mutation.step=%.3g", 2 * x->params->mutation_step);
    }
}

static void examine_start(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "the first generation");
    if (is_too_early(x, finding, 1))
        return;
    const struct run_generation *first = &x->statistics->generations[0];
    double share = share_of(first->scored, first->members);
    char text[16];
    say_figure(finding, "%s of the first generation scored at all (%d of %d)", percent(share, text),
               first->scored, first->members);
    if (share < 0.03) {
        advise(finding, share > 0 ? DOCTOR_NOTE : DOCTOR_PROBLEM,
               "So few are little to choose from: begin with more creatures, or with some that can "
               "do something already (evolution.seeds).");
        if (x->params->population_size <= 500000)
            try_setting(finding, "population.size=%d", 2 * (int)x->params->population_size);
    }
}

static void examine_children(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "children");
    if (is_too_early(x, finding, GENERATIONS_MIN))
        return;
    int count = x->statistics->generation_count, judged = 0, scored = 0;
    for (int i = count - count / 3; i < count; i++) {
        judged += x->statistics->generations[i].judged;
        scored += x->statistics->generations[i].judged_scored;
    }
    double lost = 1 - share_of(scored, judged);
    char text[16];
    if (judged == 0) {
        finding->state = DOCTOR_UNKNOWN;
        say_figure(finding, "no children in the last third of the run");
        return;
    }
    say_figure(finding, "%s of the children in the last third of the run score nothing",
               percent(lost, text));
    if (lost >= 0.5 && search_params_method(x->params)->has_parents) {
        advise(finding, lost >= 0.75 ? DOCTOR_PROBLEM : DOCTOR_NOTE,
               "Breeding destroys more than it makes: smaller mutations keep more of what works.");
        if (x->params->mutation_step >= 0.002)
            try_setting(finding, "mutation.step=%.3g", x->params->mutation_step / 2);
    }
}

/* ---- choosing by hand ---- */

static void examine_choices(struct examination *x)
{
    const struct run_statistics *statistics = x->statistics;
    if (!is_interactive(x))
        return;
    struct doctor_finding *finding = add_finding(x, "choices");
    if (statistics->asked == 0) {
        finding->state = DOCTOR_UNKNOWN;
        say_figure(finding, "no choice has been asked for yet");
        return;
    }
    say_figure(finding,
               "in %d of %d generations something was chosen: %d to breed, %d to keep, %d banned",
               statistics->answered, statistics->asked, statistics->bred, statistics->kept,
               statistics->banned);
    if (2 * statistics->answered >= statistics->asked)
        return;
    if (run_has_no_goal(x->params)) {
        advise(finding, DOCTOR_NOTE,
               "Without choices all creatures breed, good or bad, and earlier gains are "
               "lost again: mark a few in each generation (controller view RUN_DIR).");
        return;
    }
    advise(finding, DOCTOR_NOTE,
           "Without choices the goal decides alone: it could ask less often.");
    if (x->params->interactive_every <= 500000)
        try_setting(finding, "interactive.every=%d", 2 * (int)x->params->interactive_every);
}

/* ---- bounds that hold back ---- */

static void examine_bounds(struct examination *x)
{
    struct doctor_finding *parts = add_finding(x, "bound of parts");
    struct doctor_finding *neurons = add_finding(x, "bound of neurons");
    const struct run_generation *last = last_generation(x);
    char text[16];
    if (is_too_early(x, parts, 1) | is_too_early(x, neurons, 1))
        return;
    double share = share_of(last->at_parts_max, last->members);
    say_figure(parts, "%s of the last generation have as many parts as creature.parts_max allows",
               percent(share, text));
    if (share >= 0.5) {
        advise(parts, DOCTOR_NOTE,
               "Bodies have grown up to the bound: allow more, or mind the time.");
        if (x->params->creature_parts_max < 64)
            try_setting(parts, "creature.parts_max=%d",
                        (int)fmin(64, 1.5 * (double)x->params->creature_parts_max + 1));
        else
            try_setting(parts, "mutation.add_body=%.3g", x->params->mutation_add_body / 2);
    }
    share = x->params->creature_neurons_max > 0 ? share_of(last->at_neurons_max, last->members) : 0;
    say_figure(neurons, "%s of the last generation have as many neurons as are allowed",
               percent(share, text));
    if (share >= 0.5) {
        advise(neurons, DOCTOR_NOTE, "Brains have grown up to the bound creature.neurons_max.");
        if (x->params->creature_neurons_max < 4096)
            try_setting(neurons, "creature.neurons_max=%d",
                        (int)fmin(4096, 2 * (double)x->params->creature_neurons_max));
        else
            try_setting(neurons, "mutation.add_neuron=%.3g", x->params->mutation_add_neuron / 2);
    }
}

static void examine_cost(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "time of an evaluation");
    if (is_too_early(x, finding, GENERATIONS_MIN))
        return;
    double first_ms = x->statistics->generations[0].cpu_ms, last_ms = last_generation(x)->cpu_ms;
    say_figure(finding, "an evaluation took %.3g ms of processor time at first, %.3g ms at last",
               first_ms, last_ms);
    if (first_ms > 0 && last_ms >= 4 * first_ms) {
        advise(finding, DOCTOR_NOTE, "Bodies or brains have become expensive: bound their parts.");
        if (x->params->creature_parts_max * 3 / 4 > x->params->creature_parts_min)
            try_setting(finding, "creature.parts_max=%d",
                        (int)x->params->creature_parts_max * 3 / 4);
    }
}

static void examine_archive(struct examination *x)
{
    struct cell_grid grid;
    struct error ignored;
    if (!search_params_method(x->params)->has_cells ||
        cell_grid_parse(&grid, x->params->archive_cells, &ignored))
        return;
    struct doctor_finding *finding = add_finding(x, "cells of the archive");
    if (is_too_early(x, finding, GENERATIONS_MIN))
        return;
    double share = share_of((double)last_generation(x)->cells, grid.count);
    char text[16];
    say_figure(finding, "%d of %d cells of the archive are filled (%s)",
               (int)last_generation(x)->cells, grid.count, percent(share, text));
    if (share < 0.15) {
        advise(
            finding, DOCTOR_NOTE,
            "Few kinds were found. Let also weak holders of cells breed, or choose archive.cells "
            "whose bounds lie where the creatures are.");
        if (x->params->archive_pressure > 0)
            try_setting(finding, "archive.pressure=%d", (int)x->params->archive_pressure / 2);
    }
}

/* ---- breeding and the farm ---- */

static void examine_methods(struct examination *x)
{
    static const char *const keys[METHOD_COUNT] = {
        [METHOD_ASEXUAL] = "asexual", [METHOD_CROSSOVER] = "crossover", [METHOD_GRAFT] = "graft"};
    const double weights[METHOD_COUNT] = {[METHOD_ASEXUAL] = x->params->breeding_asexual,
                                          [METHOD_CROSSOVER] = x->params->breeding_crossover,
                                          [METHOD_GRAFT] = x->params->breeding_graft};
    struct doctor_finding *finding = add_finding(x, "breeding methods");
    const struct run_method *methods = x->statistics->methods;
    int best = -1, worst = -1, judged = 0;
    double shares[METHOD_COUNT] = {0};
    for (int i = 0; i < METHOD_COUNT; i++) {
        if (!keys[i] || methods[i].born < CHILDREN_MIN)
            continue;
        judged++;
        shares[i] = share_of(methods[i].survived, methods[i].born);
        if (best < 0 || shares[i] > shares[best])
            best = i;
        if (worst < 0 || shares[i] < shares[worst])
            worst = i;
    }
    if (judged < 2) {
        finding->state = DOCTOR_UNKNOWN;
        say_figure(finding, "fewer than two methods have %d children", CHILDREN_MIN);
        return;
    }
    char text[16], more[16];
    say_figure(finding, "of %s children %s survived their first generation, of %s ones %s",
               breeding_method_names[best], percent(shares[best], text),
               breeding_method_names[worst], percent(shares[worst], more));
    if (shares[worst] < shares[best] / 4) {
        advise(finding, DOCTOR_NOTE, "Evaluations are better spent on the other methods.");
        if (x->params->breeding_choice == CHOICE_PERCENTAGE && weights[worst] > 0)
            try_setting(finding, "breeding.%s=%.3g", keys[worst], weights[worst] / 2);
    }
}

static void examine_workers(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "workers");
    double busy_s = 0, referee_s = 0, all_s = x->statistics->worker_s;
    for (int i = 0; i < x->statistics->worker_count; i++) {
        busy_s += x->statistics->workers[i].busy_s;
        referee_s += x->statistics->workers[i].referee_s;
    }
    double share = fmin(1, share_of(busy_s + referee_s, all_s));
    char text[16];
    say_figure(finding, "the workers were busy %s of their time (%d of them, %.0f s)",
               percent(share, text), x->statistics->worker_count, x->statistics->working_s);
    if (x->statistics->working_s < 20 || x->statistics->evaluated < EVALUATIONS_MIN ||
        x->statistics->has_only_firsts) {
        finding->state = DOCTOR_UNKNOWN;
    } else if (share < 0.7) {
        advise(finding, DOCTOR_NOTE,
               "They wait for tasks: let each hold more at once, or judge more creatures in a "
               "generation.");
        if (search_params_method(x->params)->lagged && x->params->evolution_lag <= 50000)
            try_setting(finding, "evolution.lag=%d", 2 * (int)x->params->evolution_lag);
        else if (x->params->farm_prefetch <= 32)
            try_setting(finding, "farm.prefetch=%d", 2 * (int)x->params->farm_prefetch);
    }
}

static void examine_losses(struct examination *x)
{
    struct doctor_finding *finding = add_finding(x, "lost workers");
    struct doctor_finding *crashes = add_finding(x, "crashes");
    int64_t repeated = 0;
    for (int i = 0; i < x->statistics->worker_count; i++)
        repeated += x->statistics->workers[i].repeated;
    say_figure(finding, "%" PRId64 " of %d evaluations were repeated after a worker was lost",
               repeated, x->statistics->evaluated);
    if (x->statistics->evaluated >= EVALUATIONS_MIN &&
        share_of((double)repeated, x->statistics->evaluated) >= 0.01)
        advise(finding, DOCTOR_NOTE,
               "The result is the same, but it takes longer: controller logs RUN_DIR --level warn "
               "says why they ended.");
    int crashed = x->statistics->verdicts[VERDICT_QUARANTINED];
    say_figure(crashes, "%d creatures crashed their simulator", crashed);
    if (crashed > 0)
        advise(crashes, DOCTOR_PROBLEM,
               "They are in quarantine and the run went on. Each is a bug of the simulator: the "
               "commands that show them again are listed below.");
}

/* ---- what is set on purpose ---- */

/* Keys of which more or less changes no purpose, whatever the file sets. */
static const char *const amounts[] = {"evolution.generations", "population.size", "evolution.lag",
                                      "farm.prefetch", "interactive.share"};

/* The number of a row; of a choice 1 if it is that of `other`, else 0. */
static double value_of(const struct params *params, int index, const struct params *other)
{
    char text[PARAM_TEXT_SIZE], same[PARAM_TEXT_SIZE];
    params_print_value(params, index, text, sizeof text);
    params_print_value(other, index, same, sizeof same);
    int is_number = param_table[index].type == PARAM_REAL || param_table[index].type == PARAM_INT;
    return is_number ? strtod(text, NULL) : !strcmp(text, same);
}

/* A setting that leads back to the default undoes what the parameter file sets on purpose: the
 * finding says so instead. */
static void keep_what_is_set(const struct params *params, struct doctor_finding *finding)
{
    char key[sizeof finding->setting], value[PARAM_TEXT_SIZE];
    struct params usual, changed = *params;
    struct error error;
    snprintf(key, sizeof key, "%.*s", (int)strcspn(finding->setting, "="), finding->setting);
    int index = params_find(key);
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        if (!strcmp(key, amounts[i]))
            return;
    if (index < 0 || params_set_assignment(&changed, finding->setting, &error))
        return;
    params_set_defaults(&usual);
    double now = value_of(params, index, &usual), to = value_of(&usual, index, &usual);
    if (!((value_of(&changed, index, &usual) - now) * (to - now) > 0))
        return;
    params_print_value(params, index, value, sizeof value);
    size_t used = strlen(finding->advice);
    snprintf(finding->advice + used, sizeof finding->advice - used,
             " %s=%.40s is set on purpose, so no other value is proposed.", key, value);
    finding->setting[0] = '\0';
}

/* ---- all of it ---- */

static int compare_findings(const void *a, const void *b)
{
    const struct doctor_finding *left = a, *right = b;
    return left->state != right->state ? (int)left->state - (int)right->state
                                       : strcmp(left->name, right->name);
}

int doctor_examine(const struct run_statistics *statistics, const struct params *params,
                   struct doctor_finding findings[DOCTOR_FINDINGS_MAX])
{
    struct examination x = {.statistics = statistics, .params = params, .findings = findings};
    /* what asks for scores; without a goal they are all alike, and no referee comes */
    if (!run_has_no_goal(params)) {
        examine_stagnation(&x);
        examine_size(&x);
        examine_start(&x);
        examine_children(&x);
        examine_referee(&x);
        examine_champion(&x);
    }
    examine_clone(&x);
    examine_copies(&x);
    examine_choices(&x);
    examine_verdicts(&x);
    examine_bounds(&x);
    examine_cost(&x);
    examine_archive(&x);
    examine_methods(&x);
    examine_workers(&x);
    examine_losses(&x);
    for (int i = 0; i < x.count; i++)
        keep_what_is_set(params, &findings[i]);
    qsort(findings, (size_t)x.count, sizeof *findings, compare_findings);
    return x.count;
}
