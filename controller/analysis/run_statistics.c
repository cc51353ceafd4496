#define _GNU_SOURCE /* strptime(), timegm() */
#include "controller/analysis/run_statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/math/hash.h"

/* As in farm.workers. */
#define WORKERS_MAX 1024

/* ---- reading ---- */

int run_facts_read(struct run_facts *facts, struct store *store, struct error *error)
{
    memset(facts, 0, sizeof *facts);
    int has_failed = store_get_params(store, &facts->params, error) ||
                     store_get_status(store, &facts->status, error) ||
                     store_get_facts(store, &facts->facts, &facts->fact_count, error) ||
                     store_get_members(store, &facts->members, &facts->member_count, error) ||
                     stored_get_generations(store_database(store), 0, &facts->generations,
                                            &facts->generation_count, error) ||
                     stored_get_choices(store_database(store), -1, &facts->choices,
                                        &facts->choice_count, error) ||
                     store_get_events(store, &facts->events, &facts->event_count, error) ||
                     store_get_quarantine(store, RUN_QUARANTINE_MOST, &facts->quarantined,
                                          &facts->quarantined_count, error) ||
                     store_get_spent(store, &facts->spent, &facts->spent_count, error) ||
                     (preserve_is_wanted(&facts->params) &&
                      (store_get_epochs(store, 0, &facts->epochs, &facts->epoch_count, error) ||
                       store_get_lives(store, &facts->lives, &facts->life_count, error)));
    if (has_failed)
        run_facts_deinit(facts);
    return has_failed ? error->code : 0;
}

void run_facts_deinit(struct run_facts *facts)
{
    free(facts->facts);
    free(facts->members);
    free(facts->generations);
    free(facts->choices);
    free(facts->spent);
    free(facts->epochs);
    free(facts->lives);
    store_free_events(facts->events, facts->event_count);
    store_free_quarantine(facts->quarantined, facts->quarantined_count);
    memset(facts, 0, sizeof *facts);
}

const struct store_fact *run_facts_find(const struct run_facts *facts, uint64_t id)
{
    return rows_find_id(facts->facts, facts->fact_count, sizeof *facts->facts, id);
}

/* Its place in facts->facts, or -1. */
static int find_fact(const struct run_facts *facts, uint64_t id)
{
    const struct store_fact *fact = run_facts_find(facts, id);
    return fact ? (int)(fact - facts->facts) : -1;
}

ROW_ORDER(compare_choices, struct store_choice,
          2 * ORDER(a->generation, b->generation) + ORDER(a->id, b->id));

int run_facts_choice(const struct run_facts *facts, uint32_t generation, uint64_t id)
{
    const struct store_choice key = {.generation = generation, .id = id}, *found = NULL;
    if (facts->choice_count > 0)
        found =
            bsearch(&key, facts->choices, (size_t)facts->choice_count, sizeof key, compare_choices);
    return found ? found->choice : CHOICE_NONE;
}

const struct store_life *run_facts_mother(const struct run_facts *facts,
                                          const struct store_life *life)
{
    const struct store_life *mother = NULL;
    if (life->mother)
        mother = rows_find_id(facts->lives, facts->life_count, sizeof *mother, life->mother);
    return mother && mother->generation < life->generation ? mother : NULL;
}

int run_facts_has_body(const struct run_facts *facts, const struct store_life *life)
{
    double span_s = EPOCH_S * (double)facts->params.preserve_kept;
    return life->generation == 0 || !life->is_dead ||
           floor(life->born_s / span_s) < floor(life->died_s / span_s);
}

int run_has_goal(const struct params *params)
{
    return params->evolution_behaviour != BEHAVIOUR_INTERACTIVE && !preserve_is_wanted(params);
}

/* ---- small sums ---- */

int compare_doubles(const void *a, const void *b)
{
    return ORDER(*(const double *)a, *(const double *)b);
}

/* Linear between the ranks of sorted values. */
static double quantile(const double *sorted, int count, double share)
{
    ENSURE(count > 0, "a share of no values");
    double at = share * (count - 1);
    int below = (int)at;
    if (below >= count - 1)
        return sorted[count - 1];
    return sorted[below] * (1 - (at - below)) + sorted[below + 1] * (at - below);
}

/* Sorts the values. */
static struct run_spread make_spread(double *values, int count, double best)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return (struct run_spread){.q1 = quantile(values, count, 0.25),
                               .median = quantile(values, count, 0.5),
                               .q3 = quantile(values, count, 0.75),
                               .best = best};
}

/* Sorts the hashes; counts the different ones, and the commonest. */
static int count_different(uint64_t *hashes, int count, int *commonest)
{
    int different = 0, run = 0, most = 0;
    qsort(hashes, (size_t)count, sizeof *hashes, rows_compare_ids);
    for (int i = 0; i < count; i++) {
        int is_new = i == 0 || hashes[i] != hashes[i - 1];
        different += is_new;
        run = is_new ? 1 : run + 1;
        most = run > most ? run : most;
    }
    *commonest = most;
    return different;
}

/* ---- generations ---- */

/* Numbers of a creature whose spread is told, and hashes of which the different ones are counted.
 * */
enum { SPREADS = 4, HASHES = 3 };

/* Room for the members of the largest generation, and everyone's first ancestor. */
struct workspace {
    uint64_t *founders; /* by place in facts */
    double *values[SPREADS];
    uint64_t *hashes[HASHES];
};

static int make_workspace(struct workspace *work, const struct run_facts *facts)
{
    size_t most = 1, run = 0;
    for (int i = 0; i < facts->member_count; i++) {
        int is_new = i == 0 || facts->members[i].generation != facts->members[i - 1].generation;
        run = is_new ? 1 : run + 1;
        most = run > most ? run : most;
    }
    work->founders = calloc((size_t)facts->fact_count + 1, sizeof *work->founders);
    work->values[0] = calloc(SPREADS * most, sizeof *work->values[0]);
    work->hashes[0] = calloc(HASHES * most, sizeof *work->hashes[0]);
    if (!work->founders || !work->values[0] || !work->hashes[0])
        return ERR_MEMORY;
    for (int i = 1; i < SPREADS; i++)
        work->values[i] = work->values[i - 1] + most;
    for (int i = 1; i < HASHES; i++)
        work->hashes[i] = work->hashes[i - 1] + most;
    return 0;
}

/* Parents are born before their children, so one pass does. */
static void find_founders(struct workspace *work, const struct run_facts *facts)
{
    for (int i = 0; i < facts->fact_count; i++) {
        const struct store_fact *fact = &facts->facts[i];
        int parent = fact->parents[0] ? find_fact(facts, fact->parents[0]) : -1;
        work->founders[i] = parent >= 0 && parent < i ? work->founders[parent] : fact->id;
    }
}

/* A last generation is not bred from; without a goal it has no survivors. */
static int is_bred_from(const struct run_facts *facts, int first, int end)
{
    if (end < facts->member_count || run_has_goal(&facts->params))
        return 1;
    for (int i = first; i < end; i++)
        if (facts->members[i].survived)
            return 1;
    return 0;
}

/* The members first .. end - 1, which are of one generation. */
static void sum_members(struct run_generation *generation, const struct run_facts *facts, int first,
                        int end, struct workspace *work)
{
    struct run_spread *const spreads[SPREADS] = {&generation->fitness, &generation->parts,
                                                 &generation->neurons, &generation->size_m};
    int count = 0, survivors = 0, everyone = !is_bred_from(facts, first, end), unused;
    double best[SPREADS] = {0};
    for (int i = first; i < end; i++) {
        const struct store_member *member = &facts->members[i];
        int index = find_fact(facts, member->id);
        if (index < 0)
            continue;
        const struct store_fact *fact = &facts->facts[index];
        double values[SPREADS] = {member->fitness, fact->parts, fact->neurons, fact->size_m};
        if (member->id == generation->best_id)
            memcpy(best, values, sizeof best);
        for (int k = 0; k < SPREADS; k++)
            work->values[k][count] = values[k];
        if (member->survived || everyone) {
            uint64_t founder = work->founders[index], kind = hash_u64(HASH_START, founder);
            work->hashes[0][survivors] = founder;
            work->hashes[1][survivors] = hash_double(hash_double(kind, fact->parts), fact->links);
            work->hashes[2][survivors++] = fact->motion;
        }
        generation->scored += member->fitness > 0;
        generation->at_parts_max += fact->parts >= (double)facts->params.creature_parts_max;
        generation->at_neurons_max += fact->neurons >= (double)facts->params.creature_neurons_max;
        count++;
    }
    generation->members = count;
    for (int k = 0; k < SPREADS; k++)
        *spreads[k] = make_spread(work->values[k], count, best[k]);
    generation->survivors = survivors;
    generation->families = count_different(work->hashes[0], survivors, &generation->largest_family);
    generation->kinds = count_different(work->hashes[1], survivors, &generation->commonest_kind);
    generation->motions = count_different(work->hashes[2], survivors, &unused);
}

ROW_ORDER(compare_generations, struct run_generation, ORDER(a->number, b->number));

static struct run_generation *find_generation(struct run_statistics *statistics, uint32_t number)
{
    const struct run_generation key = {.number = number};
    return bsearch(&key, statistics->generations, (size_t)statistics->generation_count, sizeof key,
                   compare_generations);
}

static void sum_generations(struct run_statistics *statistics, const struct run_facts *facts,
                            struct workspace *work)
{
    for (int i = 0; i < facts->generation_count; i++) {
        const struct store_generation *from = &facts->generations[i];
        statistics->generations[i] = (struct run_generation){.number = from->generation,
                                                             .evaluations = from->evaluations,
                                                             .best_id = from->best_id,
                                                             .cells = (int)from->cells};
    }
    statistics->generation_count = facts->generation_count;
    for (int first = 0, end; first < facts->member_count; first = end) {
        uint32_t number = facts->members[first].generation;
        struct run_generation *generation = find_generation(statistics, number);
        for (end = first + 1; end < facts->member_count; end++)
            if (facts->members[end].generation != number)
                break;
        if (generation)
            sum_members(generation, facts, first, end, work);
    }
}

/* ---- choices ---- */

/* At the end of that generation the run waits for choices. */
static int is_asked_in(const struct params *params, uint32_t generation)
{
    int64_t next = (int64_t)generation + 1, every = params->interactive_every;
    return search_is_interactive(params) && next < params->evolution_generations && every > 0 &&
           next % every == 0;
}

/* Marks of the members; each method's chosen ones are counted once. */
static int sum_choices(struct run_statistics *statistics, const struct run_facts *facts)
{
    unsigned char *is_counted = calloc((size_t)facts->fact_count + 1, 1);
    if (!is_counted)
        return ERR_MEMORY;
    for (int i = 0; i < facts->choice_count; i++) {
        const struct store_choice *choice = &facts->choices[i];
        struct run_generation *generation = find_generation(statistics, choice->generation);
        int index = find_fact(facts, choice->id);
        if (index < 0 || !generation)
            continue;
        generation->bred += choice->choice == CHOICE_BREED;
        generation->kept += choice->choice == CHOICE_KEEP;
        generation->banned += choice->choice == CHOICE_BAN;
        if (choice->choice >= CHOICE_KEEP && !is_counted[index])
            statistics->methods[facts->facts[index].method].chosen++;
        is_counted[index] |= choice->choice >= CHOICE_KEEP;
    }
    free(is_counted);
    for (int i = 0; i < statistics->generation_count; i++) {
        const struct run_generation *generation = &statistics->generations[i];
        int is_answered = generation->bred + generation->kept + generation->banned > 0;
        statistics->bred += generation->bred;
        statistics->kept += generation->kept;
        statistics->banned += generation->banned;
        statistics->asked += is_answered || is_asked_in(&facts->params, generation->number);
        statistics->answered += is_answered;
    }
    return 0;
}

/* ---- births: verdicts, the referee, copies ---- */

static void sum_births(struct run_statistics *statistics, const struct run_facts *facts)
{
    for (int i = 0; i < facts->fact_count; i++) {
        const struct store_fact *fact = &facts->facts[i];
        struct run_generation open = {0}, *generation; /* open: it is not complete */
        if (!(generation = find_generation(statistics, fact->generation)))
            generation = &open;
        generation->born++;
        generation->unevaluated += fact->verdict < 0;
        if (fact->verdict < 0 || fact->verdict >= RUN_VERDICTS_MAX)
            continue;
        statistics->evaluated++;
        statistics->verdicts[fact->verdict]++;
        statistics->seen += fact->has_referee;
        statistics->refused += fact->has_referee && !(fact->fitness > 0);
        statistics->reused += fact->cost.reused > 0;
        const struct store_fact *parent = run_facts_find(facts, fact->parents[0]);
        if (parent && verdict_is_scored(parent->verdict)) {
            statistics->children++;
            statistics->copies +=
                verdict_is_scored(fact->verdict) && parent->motion == fact->motion;
        }
        generation->verdicts[fact->verdict]++;
        generation->cpu_ms += fact->cost.task.cpu_ms;
        generation->simulations += (double)fact->cost.simulations;
    }
    for (int i = 0; i < statistics->generation_count; i++) {
        struct run_generation *generation = &statistics->generations[i];
        if (generation->simulations > 0)
            generation->cpu_ms /= generation->simulations;
    }
}

/* ---- breeding methods ---- */

static int is_better_than_parents(const struct run_facts *facts, const struct store_fact *fact)
{
    for (int k = 0; k < 2; k++) {
        const struct store_fact *parent = run_facts_find(facts, fact->parents[k]);
        if (parent && !(fact->fitness > parent->fitness))
            return 0;
    }
    return 1;
}

static void sum_methods(struct run_statistics *statistics, const struct run_facts *facts)
{
    for (int i = 0; i < facts->member_count; i++) {
        const struct store_member *member = &facts->members[i];
        const struct store_fact *fact = run_facts_find(facts, member->id);
        if (!fact || fact->generation != member->generation)
            continue;
        struct run_method *method = &statistics->methods[fact->method];
        struct run_generation *generation = find_generation(statistics, member->generation);
        if (generation) {
            generation->judged++;
            generation->judged_scored += member->fitness > 0;
        }
        method->born++;
        method->survived += member->survived != 0;
        if (run_facts_find(facts, fact->parents[0])) {
            method->had_parent++;
            method->improved += is_better_than_parents(facts, fact);
        }
    }
    for (int i = 0; i < facts->generation_count; i++) {
        const struct store_fact *best = run_facts_find(facts, facts->generations[i].best_id);
        if (best && (i == 0 || best->id != facts->generations[i - 1].best_id))
            statistics->methods[best->method].champions++;
    }
}

/* ---- workers ---- */

double run_parse_time(const char *utc)
{
    struct tm parts = {0};
    double second;
    int used = 0;
    const char *rest = strptime(utc, "%Y-%m-%dT%H:%M:", &parts);
    if (!rest || sscanf(rest, "%6lfZ%n", &second, &used) != 1 || used == 0 || rest[used] ||
        parts.tm_year < 70)
        return -1;
    return (double)timegm(&parts) + second;
}

static int is_start(const struct store_event *event)
{
    return !strcmp(event->event, "run") || !strcmp(event->event, "resume");
}

/* When the next session after this event began; far in the future without one. */
static double next_start(const struct run_facts *facts, int event)
{
    for (int i = event + 1; i < facts->event_count; i++)
        if (is_start(&facts->events[i]) && run_parse_time(facts->events[i].time_utc) > 0)
            return run_parse_time(facts->events[i].time_utc);
    return HUGE_VAL;
}

static int is_between(double time_s, double from_s, double until_s)
{
    return time_s > from_s && time_s <= until_s;
}

static int is_in(const struct store_fact *fact, double from_s, double until_s)
{
    return fact->has_cost && is_between(fact->cost.time_s, from_s, until_s);
}

/* How long a session waited for choices: from the last result of a generation to the first one of
 * the next. Ids are given in the order of generations. */
static double sum_waiting(const struct run_facts *facts, double from_s, double until_s)
{
    double waited_s = 0, last_s = HUGE_VAL;
    for (int i = 0, end; i < facts->fact_count; i = end) {
        uint32_t number = facts->facts[i].generation;
        double first_s = HUGE_VAL, latest_s = -HUGE_VAL;
        for (end = i; end < facts->fact_count && facts->facts[end].generation == number; end++)
            if (is_in(&facts->facts[end], from_s, until_s)) {
                first_s = fmin(first_s, facts->facts[end].cost.time_s);
                latest_s = fmax(latest_s, facts->facts[end].cost.time_s);
            }
        if (latest_s < first_s)
            continue;
        if (number > 0 && is_asked_in(&facts->params, number - 1))
            waited_s += fmax(0, first_s - last_s);
        last_s = latest_s;
    }
    return waited_s;
}

/* A session lasts from its event to the last result before the next one: so neither pauses nor the
 * time after a crash count. */
static void sum_session(struct run_statistics *statistics, const struct run_facts *facts,
                        double from_s, double until_s)
{
    unsigned char is_there[WORKERS_MAX + 1] = {0};
    int workers = 0;
    double last_s = from_s;
    for (int i = 0; i < facts->fact_count; i++) {
        const struct store_cost *cost = &facts->facts[i].cost;
        if (!is_in(&facts->facts[i], from_s, until_s))
            continue;
        last_s = fmax(last_s, cost->time_s);
        if (cost->worker >= 0 && cost->worker <= WORKERS_MAX && !is_there[cost->worker]) {
            is_there[cost->worker] = 1;
            workers++;
        }
    }
    for (int i = 0; i < facts->spent_count; i++)
        if (is_between(facts->spent[i].last_s, from_s, until_s))
            last_s = fmax(last_s, facts->spent[i].last_s);
    double working_s = fmax(0, last_s - from_s - sum_waiting(facts, from_s, until_s));
    statistics->working_s += working_s;
    statistics->worker_s += workers * working_s;
}

static void sum_sessions(struct run_statistics *statistics, const struct run_facts *facts)
{
    for (int i = 0; i < facts->event_count; i++) {
        double from_s = run_parse_time(facts->events[i].time_utc);
        if (is_start(&facts->events[i]) && from_s >= 0)
            sum_session(statistics, facts, from_s, next_start(facts, i));
    }
}

static struct run_worker *find_worker(struct run_statistics *statistics, int worker)
{
    for (int i = 0; i < statistics->worker_count; i++)
        if (statistics->workers[i].worker == worker)
            return &statistics->workers[i];
    struct run_worker *added = rows_add(&statistics->workers, &statistics->worker_count,
                                        &statistics->worker_room, WORKERS_MAX + 1, sizeof *added);
    if (added)
        added->worker = worker;
    return added;
}

ROW_ORDER(compare_workers, struct run_worker, ORDER(a->worker, b->worker));

/* Of one worker, all trials of a kind. */
static int sum_spent(struct run_statistics *statistics, const struct store_spent *spent)
{
    if (spent->worker < 0 || spent->worker > WORKERS_MAX)
        return 0;
    struct run_worker *worker = find_worker(statistics, spent->worker);
    if (!worker)
        return ERR_MEMORY;
    if (spent->trial.purpose == TRIAL_FIRST) {
        worker->repeated += spent->repeated;
        worker->evaluations += spent->simulated;
        worker->busy_s += spent->wall_ms / 1000;
    } else
        worker->referee_s += spent->wall_ms / 1000;
    return 0;
}

static int sum_workers(struct run_statistics *statistics, const struct run_facts *facts)
{
    int status = 0;
    statistics->kinds = calloc((size_t)facts->spent_count + 1, sizeof *statistics->kinds);
    if (!statistics->kinds)
        return ERR_MEMORY;
    sum_sessions(statistics, facts);
    for (int i = 0; i < facts->spent_count && !status; i++) {
        statistics->kinds[i] = facts->spent[i];
        status = sum_spent(statistics, &facts->spent[i]);
    }
    statistics->kind_count = store_sum_spent(statistics->kinds, facts->spent_count);
    if (!status && statistics->worker_count > 0)
        qsort(statistics->workers, (size_t)statistics->worker_count, sizeof *statistics->workers,
              compare_workers);
    return status;
}

int run_statistics_make(struct run_statistics *statistics, const struct run_facts *facts)
{
    struct workspace work = {0};
    memset(statistics, 0, sizeof *statistics);
    statistics->champion = facts->status.champion;
    statistics->generations =
        calloc((size_t)facts->generation_count + 1, sizeof *statistics->generations);
    int status = statistics->generations ? make_workspace(&work, facts) : ERR_MEMORY;
    if (!status) {
        find_founders(&work, facts);
        sum_generations(statistics, facts, &work);
        sum_births(statistics, facts);
        sum_methods(statistics, facts);
        status = sum_choices(statistics, facts) || sum_workers(statistics, facts) ? ERR_MEMORY : 0;
    }
    free(work.founders);
    free(work.values[0]);
    free(work.hashes[0]);
    if (status)
        run_statistics_deinit(statistics);
    return status;
}

void run_statistics_deinit(struct run_statistics *statistics)
{
    free(statistics->generations);
    free(statistics->workers);
    free(statistics->kinds);
    memset(statistics, 0, sizeof *statistics);
}
