/* The thresholds below are judgements: good runs of the examples (300 creatures, 50 generations)
 * get no finding. Each finding has the figure that was compared.
 *
 * Rules are rows: what is looked at, the shares from which it is told, advice, and remedies. A
 * row's function says the figure and returns the share that is compared; where one share does not
 * decide, the function gives the advice itself. */
#include "controller/evolution/search.h"
#include "controller/analysis/run_statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rows.h"
#include "common/text.h"
#include "controller/evolution/cells.h"
#include "controller/evolution/islands.h"

/* Fewer evaluations, or generations, say nothing. */
#define EVALUATIONS_MIN 50
#define GENERATIONS_MIN 10
/* A method of breeding is judged when it has this many children. */
#define CHILDREN_MIN 100
/* A change of a number by a smaller share is no remedy. */
#define CHANGE_MIN 0.1

struct look {
    const struct run_statistics *statistics;
    const struct run_generation *generations, *last; /* complete ones; NULL: none is */
    const struct params *params;
    const struct rule *rule;
    struct doctor_finding *finding;
    char percents[2][16];
};

struct rule {
    const char *name;
    int generations_min;                           /* with fewer it is too early to tell */
    int (*is_wanted)(const struct params *params); /* NULL: of every run */
    double note, problem; /* shares from which it is one; 0: never, or the function decides */
    double (*look)(struct look *x); /* NAN: too little to tell */
    const char *advice;
    const char *remedies; /* the first that can be set is proposed: "key*factor+addend, key=word" */
    int verdict;
    const char *words; /* of a verdict: how so many creatures fared */
};

/* ---- remedies ---- */

static int has_cells(const struct params *params)
{
    return search_params_method(params)->has_cells;
}

static int has_parents(const struct params *params)
{
    return search_params_method(params)->has_parents;
}

/* Keys of which more or less changes no purpose, whatever the file sets. */
static const char *const amounts[] = {"evolution.generations", "population.size", "evolution.lag",
                                      "farm.prefetch", "interactive.share"};

/* The number of a row; of a choice 1 if it is that of `other`, else 0. */
static double value_of(const struct params *params, int index, const struct params *other)
{
    char text[PARAM_TEXT_SIZE];
    params_print_value(params, index, text, sizeof text);
    int is_number = param_table[index].type == PARAM_REAL || param_table[index].type == PARAM_INT;
    return is_number ? strtod(text, NULL) : params_is_same(params, other, index);
}

/* Whether a setting undoes what the parameter file sets on purpose, by leading back to the
 * default. */
static int undoes(const struct params *params, const struct params *changed, int index)
{
    struct params usual;
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        if (!strcmp(param_table[index].key, amounts[i]))
            return 0;
    params_set_defaults(&usual);
    double now = value_of(params, index, &usual), to = value_of(&usual, index, &usual);
    return (value_of(changed, index, &usual) - now) * (to - now) > 0;
}

/* Prints a remedy as "key=value"; returns whether that is a change to speak of, within the row's
 * bounds. */
static int print_remedy(const struct params *params, const char *remedy, char *text, size_t size)
{
    char key[64], value[PARAM_TEXT_SIZE], word[24] = "";
    double factor = 0, addend = 0;
    int is_word = sscanf(remedy, "%63[^=*]=%23[^,]", key, word) == 2;
    ENSURE(is_word || sscanf(remedy, "%63[^=*]*%lf%lf", key, &factor, &addend) >= 2, "%s", remedy);
    const struct param_info *info = &param_table[params_find(key)];
    params_print_value(params, params_find(key), value, sizeof value);
    double now = strtod(value, NULL), to = fmin(fmax(factor * now + addend, info->min), info->max);
    if (!is_word)
        snprintf(word, sizeof word, "%.*g", info->type == PARAM_INT ? 12 : 3,
                 info->type == PARAM_INT ? floor(to) : to);
    snprintf(text, size, "%s=%s", key, word);
    return is_word ? strcmp(value, word) != 0 : fabs(to - now) > CHANGE_MIN * fabs(now);
}

/* Proposes the first remedy that the run can take; where that would undo a purpose, the finding
 * says so instead. */
static void treat(struct look *x, const char *remedies)
{
    struct doctor_finding *finding = x->finding;
    for (; *remedies; remedies += strcspn(remedies, ","), remedies += strspn(remedies, ", ")) {
        char setting[sizeof finding->setting], key[64], value[PARAM_TEXT_SIZE];
        struct params changed = *x->params;
        struct error error;
        snprintf(key, sizeof key, "%.*s", (int)strcspn(remedies, "=*"), remedies);
        int index = params_find(key);
        int is_of_archive = !strncmp(key, "archive.", 8) || !strcmp(key, "evolution.lag");
        if ((is_of_archive && !has_cells(x->params)) ||
            !print_remedy(x->params, remedies, setting, sizeof setting) ||
            params_set_assignment(&changed, setting, &error) || params_check(&changed, &error))
            continue;
        params_print_value(x->params, index, value, sizeof value);
        if (undoes(x->params, &changed, index))
            text_append(finding->advice, sizeof finding->advice,
                        " %s=%.40s is set on purpose, so no other value is proposed.", key, value);
        else
            memcpy(finding->setting, setting, sizeof setting);
        return;
    }
}

#define SAY(x, ...) snprintf((x)->finding->figure, sizeof(x)->finding->figure, __VA_ARGS__)

static void advise(struct look *x, enum doctor_state state, const char *advice)
{
    x->finding->state = state;
    snprintf(x->finding->advice, sizeof x->finding->advice, "%s", advice);
}

/* "31 %", "2.4 %" */
static const char *percent(struct look *x, int which, double share)
{
    double value = 100 * share;
    snprintf(x->percents[which], sizeof x->percents[which],
             value >= 9.95 || value == 0 ? "%.0f %%" : "%.1f %%", value);
    return x->percents[which];
}

static double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* `archive` breeds without a break and cannot wait for choices. */
static void try_other_search(struct look *x)
{
    if (!search_is_interactive(x->params))
        treat(x, "evolution.search=archive, archive.pressure*0.5, population.size*2");
    else if (run_has_goal(x->params) && x->params->interactive_share > 0.05)
        treat(x, "interactive.share*0.5");
}

/* ---- verdicts, referee, exam ---- */

static double look_at_verdict(struct look *x)
{
    int evaluated = x->statistics->evaluated, count = x->statistics->verdicts[x->rule->verdict];
    double share = share_of(count, evaluated);
    SAY(x, "%s %s (%d of %d)", percent(x, 0, share), x->rule->words, count, evaluated);
    return evaluated < EVALUATIONS_MIN ? NAN : share;
}

static double look_at_referee(struct look *x)
{
    int seen = x->statistics->seen, refused = x->statistics->refused;
    SAY(x, "the referee refused %s of those it saw (%d of %d)",
        percent(x, 0, share_of(refused, seen)), refused, seen);
    return seen < 20 ? NAN : share_of(refused, seen);
}

static double look_at_champion(struct look *x)
{
    const struct store_champion *champion = &x->statistics->champion;
    if (champion->id)
        SAY(x, "creature %" PRIu64 ": %s", champion->id, champion->words);
    else
        SAY(x, "no creature has sat the champion's exam");
    return champion->id ? !champion->holds : NAN;
}

/* ---- the course of the score ---- */

static double best_at(struct look *x, int index)
{
    return x->generations[index].fitness.best;
}

/* The generation after which the best rose by less than 1 %. */
static int last_rise(struct look *x)
{
    int last = x->statistics->generation_count - 1, index = last;
    while (index > 0 && best_at(x, index - 1) > 0.99 * best_at(x, last))
        index--;
    return index;
}

static int is_stagnant(struct look *x)
{
    int count = x->statistics->generation_count, still = count - 1 - last_rise(x);
    return count >= GENERATIONS_MIN && still >= 8 && 3 * still >= count;
}

static void tell_rise(struct look *x)
{
    int last = x->statistics->generation_count - 1, span = last / 5 > 2 ? last / 5 : 2;
    double before = best_at(x, last - span), gain = before > 0 ? best_at(x, last) / before - 1 : 1;
    SAY(x, "the best score rose by %s in the last %d generations", percent(x, 0, gain), span);
    if (gain < 0.05)
        return;
    advise(x, DOCTOR_NOTE, "It still rises: go on (controller resume RUN_DIR -s ...).");
    treat(x, "evolution.generations*2");
}

static double look_at_progress(struct look *x)
{
    const struct run_generation *generations = x->generations;
    int last = x->statistics->generation_count - 1;
    char start[ISLANDS_TEXT_SIZE];
    islands_name_start(x->params, generations[last].number, start);
    if (*start) {
        SAY(x, "%s is under way: to tell takes generations after all starts", start);
        return NAN;
    }
    if (!(best_at(x, last) > 0)) {
        SAY(x, "after %d generations the best score is 0", last + 1);
        return 1;
    }
    if (!is_stagnant(x)) {
        tell_rise(x);
        return 0;
    }
    SAY(x, "the best score has not risen by 1 %% since generation %" PRIu32 " (of %" PRIu32 ")",
        generations[last_rise(x)].number, generations[last].number);
    advise(x, DOCTOR_PROBLEM,
           search_is_interactive(x->params)
               ? "More of the same will not help much: choose creatures of other kinds, or leave "
                 "more of the next generation to the goal."
               : "More of the same will not help much: try another seed, or keep more kinds "
                 "alive.");
    try_other_search(x);
    return 0;
}

/* Mean over three generations from `first` on. */
static void mean_best(struct look *x, int first, double *score, double *size_m)
{
    *score = *size_m = 0;
    for (int i = first; i < first + 3; i++) {
        *score += x->generations[i].fitness.best / 3;
        *size_m += x->generations[i].size_m.best / 3;
    }
}

static double look_at_size(struct look *x)
{
    double score, size_m, first_score, first_size_m;
    mean_best(x, 0, &first_score, &first_size_m);
    mean_best(x, x->statistics->generation_count - 3, &score, &size_m);
    if (!(first_score > 0) || !(first_size_m > 0)) {
        SAY(x, "the first champions have no score to compare with");
        return NAN;
    }
    double by_score = score / first_score, by_size = size_m / first_size_m;
    SAY(x, "the best score became %.3g times as high, the best's size %.3g times (%.3g to %.3g m)",
        by_score, by_size, first_size_m, size_m);
    return by_score >= 1.2 && by_size >= 1.2 && by_score <= 1.1 * by_size;
}

static double look_at_start(struct look *x)
{
    const struct run_generation *first = &x->generations[0];
    double share = share_of(first->scored, first->members);
    SAY(x, "%s of the first generation scored at all (%d of %d)", percent(x, 0, share),
        first->scored, first->members);
    return 1 - share;
}

static double look_at_children(struct look *x)
{
    int count = x->statistics->generation_count, judged = 0, scored = 0;
    for (int i = count - count / 3; i < count; i++) {
        judged += x->generations[i].judged;
        scored += x->generations[i].judged_scored;
    }
    double lost = 1 - share_of(scored, judged);
    if (judged == 0) {
        SAY(x, "no children in the last third of the run");
        return NAN;
    }
    SAY(x, "%s of the children in the last third of the run score nothing", percent(x, 0, lost));
    return has_parents(x->params) ? lost : 0;
}

/* ---- variety ---- */

static double look_at_variety(struct look *x)
{
    const struct run_generation *generations = x->generations;
    int last = x->statistics->generation_count - 1, since = last + 1;
    while (since > 0 &&
           share_of(generations[since - 1].commonest_kind, generations[since - 1].survivors) >= 0.9)
        since--;
    const struct run_generation *end = &generations[last];
    percent(x, 0, share_of(end->commonest_kind, end->survivors));
    if (since > last - 2) {
        SAY(x, "%d kinds of %d families survive at last; the commonest has %s of them", end->kinds,
            end->families, x->percents[0]);
        return 0;
    }
    SAY(x,
        "the population is one clone since generation %d: %s of the last survivors have "
        "the same first ancestor and as many parts and joints",
        (int)generations[since].number, x->percents[0]);
    if (!run_has_goal(x->params))
        advise(x, DOCTOR_NOTE,
               "You breed one body. To see others, keep or breed some of another kind beside it.");
    else
        advise(x, is_stagnant(x) ? DOCTOR_PROBLEM : DOCTOR_NOTE,
               "It tunes one body. To find others, keep different kinds alive, or let more "
               "survive.");
    try_other_search(x);
    return 0;
}

static double look_at_copies(struct look *x)
{
    double share = share_of(x->statistics->copies, x->statistics->children);
    SAY(x, "%s of the children move exactly as their first parent (%d of %d)", percent(x, 0, share),
        x->statistics->copies, x->statistics->children);
    return x->statistics->children < EVALUATIONS_MIN ? NAN : share;
}

static double look_at_cells(struct look *x)
{
    const struct run_statistics *statistics = x->statistics;
    struct cell_grid grid;
    struct error ignored;
    if (cell_grid_parse(&grid, x->params->archive_cells, &ignored))
        return NAN;
    int64_t cells = statistics->generations[statistics->generation_count - 1].cells;
    double share = share_of((double)cells, grid.count);
    SAY(x, "%d of %d cells of the archive are filled (%s)", (int)cells, grid.count,
        percent(x, 0, share));
    return 1 - share;
}

/* ---- choosing by hand ---- */

static double look_at_choices(struct look *x)
{
    const struct run_statistics *statistics = x->statistics;
    if (statistics->asked == 0) {
        SAY(x, "no choice has been asked for yet");
        return NAN;
    }
    SAY(x, "in %d of %d generations something was chosen: %d to breed, %d to keep, %d banned",
        statistics->answered, statistics->asked, statistics->bred, statistics->kept,
        statistics->banned);
    if (2 * statistics->answered >= statistics->asked)
        return 0;
    if (run_has_goal(x->params))
        return 1;
    advise(x, DOCTOR_NOTE,
           "Without choices all creatures breed, good or bad, and earlier gains are "
           "lost again: mark a few in each generation (controller view RUN_DIR).");
    return 0;
}

/* ---- bounds that hold back ---- */

static double look_at_parts(struct look *x)
{
    double share = share_of(x->last->at_parts_max, x->last->members);
    SAY(x, "%s of the last generation have as many parts as creature.parts_max allows",
        percent(x, 0, share));
    return share;
}

static double look_at_neurons(struct look *x)
{
    double share = x->params->creature_neurons_max > 0
                       ? share_of(x->last->at_neurons_max, x->last->members)
                       : 0;
    SAY(x, "%s of the last generation have as many neurons as are allowed", percent(x, 0, share));
    return share;
}

static double look_at_cost(struct look *x)
{
    const struct run_generation *generations = x->generations;
    double first_ms = generations[0].cpu_ms;
    double last_ms = generations[x->statistics->generation_count - 1].cpu_ms;
    SAY(x, "an evaluation took %.3g ms of processor time at first, %.3g ms at last", first_ms,
        last_ms);
    return share_of(last_ms, first_ms);
}

/* ---- breeding and the farm ---- */

static double look_at_methods(struct look *x)
{
    static const char *const keys[METHOD_COUNT] = {[METHOD_ASEXUAL] = "breeding.asexual*0.5",
                                                   [METHOD_CROSSOVER] = "breeding.crossover*0.5",
                                                   [METHOD_GRAFT] = "breeding.graft*0.5"};
    const struct run_method *methods = x->statistics->methods;
    int best = -1, worst = -1, judged = 0;
    double shares[METHOD_COUNT] = {0};
    for (int i = 0; i < METHOD_COUNT; i++) {
        if (!keys[i] || methods[i].born < CHILDREN_MIN)
            continue;
        judged++;
        shares[i] = share_of(methods[i].survived, methods[i].born);
        best = best < 0 || shares[i] > shares[best] ? i : best;
        worst = worst < 0 || shares[i] < shares[worst] ? i : worst;
    }
    if (judged < 2) {
        SAY(x, "fewer than two methods have %d children", CHILDREN_MIN);
        return NAN;
    }
    SAY(x, "of %s children %s survived their first generation, of %s ones %s",
        breeding_method_names[best], percent(x, 0, shares[best]), breeding_method_names[worst],
        percent(x, 1, shares[worst]));
    if (shares[worst] >= shares[best] / 4)
        return 0;
    advise(x, DOCTOR_NOTE, "Evaluations are better spent on the other methods.");
    if (x->params->breeding_choice == CHOICE_PERCENTAGE)
        treat(x, keys[worst]);
    return 0;
}

static double look_at_workers(struct look *x)
{
    const struct run_statistics *statistics = x->statistics;
    double busy_s = 0;
    for (int i = 0; i < statistics->worker_count; i++)
        busy_s += statistics->workers[i].busy_s + statistics->workers[i].referee_s;
    double share = fmin(1, share_of(busy_s, statistics->worker_s));
    SAY(x, "the workers were busy %s of their time (%d of them, %.0f s)", percent(x, 0, share),
        statistics->worker_count, statistics->working_s);
    return statistics->working_s < 20 || statistics->evaluated < EVALUATIONS_MIN ? NAN : 1 - share;
}

static double look_at_losses(struct look *x)
{
    int64_t repeated = 0;
    for (int i = 0; i < x->statistics->worker_count; i++)
        repeated += x->statistics->workers[i].repeated;
    SAY(x, "%" PRId64 " of %d evaluations were repeated after a worker was lost", repeated,
        x->statistics->evaluated);
    return x->statistics->evaluated < EVALUATIONS_MIN
               ? 0
               : share_of((double)repeated, x->statistics->evaluated);
}

static double look_at_crashes(struct look *x)
{
    int crashed = x->statistics->verdicts[VERDICT_QUARANTINED];
    SAY(x, "%d creatures crashed their simulator", crashed);
    return crashed;
}

/* ---- all of it ---- */

#define RULE(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__, 0, NULL                                                                       \
    }
#define VERDICT_RULE(name, verdict, share, words, advice, remedies)                                \
    {                                                                                              \
        name, 0, NULL, share, 2 * share, look_at_verdict, advice, remedies, VERDICT_##verdict,     \
            words                                                                                  \
    }

/* Without a goal scores are all alike, and no referee comes. */
static const struct rule rules[] = {
    RULE("progress", GENERATIONS_MIN, run_has_goal, 1, 1, look_at_progress,
         "Nothing to select from: begin with more, or with creatures that do something similar "
         "already (evolution.seeds).",
         "population.size*2"),
    RULE("score and size", GENERATIONS_MIN, run_has_goal, 1, 1, look_at_size,
         "The score grows by size only: champions are larger, not better. Bound the parts, or "
         "divide "
         "by the size in a fitness of your own (evolution.behaviour = custom).",
         "creature.parts_max*0.7"),
    RULE("the first generation", 1, run_has_goal, 0.97, 1, look_at_start,
         "So few are little to choose from: begin with more creatures, or with some that can do "
         "something already (evolution.seeds).",
         "population.size*2"),
    RULE("children", GENERATIONS_MIN, run_has_goal, 0.5, 0.75, look_at_children,
         "Breeding destroys more than it makes: smaller mutations keep more of what works.",
         "mutation.step*0.5"),
    RULE("the referee", 0, run_has_goal, 0.15, 0.4, look_at_referee,
         "At a finer step, or from a slightly other start, their scores do not hold: their motion "
         "is partly an error of integration. A smaller step leaves less of it to find.",
         "simulation.dt_s*0.5"),
    RULE("the champion", 0, run_has_goal, 1, 0, look_at_champion,
         "From other starts, at a finer step or by an independent method the best does something "
         "else, and so do those behind it. Either their motion is touchy, or it lives on an error "
         "of the step: watch it, and try a smaller one.",
         "simulation.dt_s*0.5"),
    RULE("variety", GENERATIONS_MIN, NULL, 0, 0, look_at_variety, NULL, NULL),
    RULE("copies", 0, NULL, 0.25, 0, look_at_copies,
         "Their evaluations tell nothing new: mutate more of them, or let mutations be larger "
         "(mutation.step).",
         "mutation.none*0.5, mutation.step*2"),
    RULE("choices", 0, search_is_interactive, 1, 0, look_at_choices,
         "Without choices the goal decides alone: it could ask less often.", "interactive.every*2"),
    VERDICT_RULE("overlap at birth", OVERLAP, 0.10, "of the bodies were rejected for overlap",
                 "Their evaluations are lost. Parts can be pushed apart instead, or random bodies "
                 "made simpler.",
                 "creature.overlap=push, initial.recursion_max*1-1, initial.connections=1"),
    VERDICT_RULE("motionless", MOTIONLESS, 0.15, "were motionless",
                 "Nothing drives them, or they are too weak: give more of the first ones drives of "
                 "their own.",
                 "initial.oscillators*0.5+0.5, initial.effectors=1, initial.rigid=0, "
                 "rectangles.strength_n*2+1"),
    VERDICT_RULE("not expressed", NOT_EXPRESSED, 0.10, "had no body within the bounds",
                 "They have too few parts or too many neurons for creature.*: widen these bounds.",
                 "creature.parts_min*1-1, creature.neurons_max*2+16"),
    VERDICT_RULE("unsettled", UNSETTLED, 0.10, "did not come to rest before the start",
                 "Give them more time to settle, or do without.",
                 "settle.limit_s*2+1, settle.required=no"),
    VERDICT_RULE("not finite", NOT_FINITE, 0.01, "had a state that became infinite",
                 "That should hardly ever happen: a smaller step helps.", "simulation.dt_s*0.5"),
    VERDICT_RULE("too fast", TOO_FAST, 0.05, "exceeded the speed limit",
                 "Their muscles are too strong for their mass, or the step is too large.",
                 "rectangles.strength_n*0.5"),
    VERDICT_RULE("spinning", SPINNING, 0.05, "turned too fast for the step",
                 "A smaller step lets them turn; it takes longer.", "simulation.dt_s*0.5"),
    VERDICT_RULE("penetration", PENETRATION, 0.05, "sank into what they touched",
                 "A smaller step keeps contacts apart; it takes longer.", "simulation.dt_s*0.5"),
    VERDICT_RULE("energy", ENERGY, 0.05, "gained energy from nowhere",
                 "Evolution presses on an error of the integration: a smaller step makes it "
                 "smaller.",
                 "simulation.dt_s*0.5"),
    VERDICT_RULE("drag", UNSTABLE_DRAG, 0.10, "were too thin for this viscosity and step",
                 "A smaller step carries thinner parts.", "simulation.dt_s*0.5"),
    VERDICT_RULE("step budget", BUDGET, 0.02, "used up their step budget",
                 "The solver takes too many steps: allow more.", "guard.budget*4"),
    VERDICT_RULE("vibration", VIBRATION, 0.05, "moved by vibrating",
                 "Slower muscles make vibration useless.", "creature.effector_filter_s*2+0.02"),
    VERDICT_RULE("balance of masses", UNBALANCED, 0.05, "had joints of too different masses",
                 "Let random parts differ less in size.", "initial.side_min_m*1.5"),
    VERDICT_RULE("joint speed", JOINT_SPEED, 0.05, "moved a joint faster than muscles can",
                 "Weaker muscles are slower, too.", "rectangles.strength_n*0.5"),
    VERDICT_RULE("momentum", MOMENTUM, 0.05, "gained momentum from nowhere",
                 "A smaller step keeps the balance better.", "simulation.dt_s*0.5"),
    RULE("bound of parts", 1, NULL, 0.5, 0, look_at_parts,
         "Bodies have grown up to the bound: allow more, or mind the time.",
         "creature.parts_max*1.5+1, mutation.add_body*0.5"),
    RULE("bound of neurons", 1, NULL, 0.5, 0, look_at_neurons,
         "Brains have grown up to the bound creature.neurons_max.",
         "creature.neurons_max*2, mutation.add_neuron*0.5"),
    RULE("time of an evaluation", GENERATIONS_MIN, NULL, 4, 0, look_at_cost,
         "Bodies or brains have become expensive: bound their parts.", "creature.parts_max*0.75"),
    RULE(
        "cells of the archive", GENERATIONS_MIN, has_cells, 0.85, 0, look_at_cells,
        "Few kinds were found. Let also weak holders of cells breed, or choose archive.cells whose "
        "bounds lie where the creatures are.",
        "archive.pressure*0.5"),
    RULE("breeding methods", 0, NULL, 0, 0, look_at_methods, NULL, NULL),
    RULE("workers", 0, NULL, 0.3, 0, look_at_workers,
         "They wait for tasks: let each hold more at once, or judge more creatures in a "
         "generation.",
         "evolution.lag*2, farm.prefetch*2"),
    RULE("lost workers", 0, NULL, 0.01, 0, look_at_losses,
         "The result is the same, but it takes longer: controller logs RUN_DIR --level warn says "
         "why they ended.",
         ""),
    RULE("crashes", 0, NULL, 1, 1, look_at_crashes,
         "They are in quarantine and the run went on. Each is a bug of the simulator: the commands "
         "that show them again are listed below.",
         "")};
enum { RULE_COUNT = sizeof rules / sizeof rules[0] };
_Static_assert(RULE_COUNT <= DOCTOR_FINDINGS_MAX, "findings have no room");

static void examine(struct look *x, const struct rule *rule)
{
    int count = x->statistics->generation_count;
    x->rule = rule;
    *x->finding = (struct doctor_finding){.name = rule->name, .state = DOCTOR_FINE};
    if (count < rule->generations_min) {
        x->finding->state = DOCTOR_UNKNOWN;
        SAY(x, "%d generations are complete; to tell takes %d", count, rule->generations_min);
        return;
    }
    double share = rule->look(x);
    if (isnan(share))
        x->finding->state = DOCTOR_UNKNOWN;
    if (!(rule->note > 0 && share >= rule->note))
        return;
    advise(x, rule->problem > 0 && share >= rule->problem ? DOCTOR_PROBLEM : DOCTOR_NOTE,
           rule->advice);
    treat(x, rule->remedies);
}

ROW_ORDER(compare_findings, struct doctor_finding,
          a->state != b->state ? ORDER(a->state, b->state) : strcmp(a->name, b->name));

int doctor_examine(const struct run_statistics *statistics, const struct params *params,
                   struct doctor_finding findings[DOCTOR_FINDINGS_MAX])
{
    const struct run_generation *generations = statistics->generations;
    int last = statistics->generation_count - 1, count = 0;
    struct look x = {.statistics = statistics,
                     .generations = generations,
                     .last = last >= 0 ? &generations[last] : NULL,
                     .params = params};
    for (int i = 0; i < RULE_COUNT; i++)
        if (!rules[i].is_wanted || rules[i].is_wanted(params)) {
            x.finding = &findings[count++];
            examine(&x, &rules[i]);
        }
    qsort(findings, (size_t)count, sizeof *findings, compare_findings);
    return count;
}
