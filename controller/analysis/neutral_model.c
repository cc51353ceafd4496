/* See neutral_model.h. */
#include "controller/analysis/neutral_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/math/detmath.h"
#include "common/math/rng.h"
#include "controller/analysis/run_statistics.h"

/* Kinds: up to so many parts, and half octaves of area from 2^-12 m2 up. */
enum { PARTS_MOST = 31, OCTAVES = 32, KIND_COUNT = (PARTS_MOST + 1) * OCTAVES * 2 };
#define PARTS_SANE   1e6
#define OCTAVE_LEAST (-24)
#define LN_2         0.69314718055994531

const struct neutral_row neutral_rows[SHADOW_FACT_COUNT] = {
    {"body", " m2", "geometric mean of the living at the end", SHADOW_AREA, 0, 3},
    {"parts", "", "mean of the living at the end", SHADOW_PARTS, 0, 2},
    {"hunters", "", "share of the living at the end", SHADOW_HUNTERS, 0, 3},
    {"families", "", "of a world at the end", SHADOW_FAMILIES, 0, 2},
    {"way", " m/s", "mean of the last twelfth's dead", SHADOW_WAY, 0, 4},
    {"food", " W", "mean of the last twelfth's dead", SHADOW_FOOD, 0, 3},
    {"change", "", "kinds of the persistent that were not there before", SHADOW_CHANGE, 1, 2},
    {"novelty", "", "those of them that were never there", SHADOW_NOVELTY, 1, 2},
    {"complexity", "", "most parts of a kind of the persistent", SHADOW_COMPLEXITY, 1, 2},
    {"ecology", " bits", "entropy of kinds of the persistent", SHADOW_ECOLOGY, 1, 2}};

/* ---- a play ---- */

/* Whether times and sizes of a life can be counted with. */
static int is_sane(const struct store_life *life)
{
    return life->born_s >= 0 && life->born_s < 1e9 && life->area_m2 > 0 && life->area_m2 < 1e9 &&
           (!life->is_dead || (life->died_s >= life->born_s && life->died_s < 1e9));
}

static int find_mother(const struct store_life *lives, int count, const struct store_life *life)
{
    const struct store_life *mother =
        life->mother ? rows_find_id(lives, count, sizeof *lives, life->mother) : NULL;
    return mother && is_sane(mother) && mother->born_s < life->born_s ? (int)(mother - lives) : -1;
}

/* By time; births before deaths, and in the order of ids. */
ROW_ORDER(compare_events, struct neutral_event,
          4 * ORDER(a->at_s, b->at_s) + 2 * ORDER(b->is_birth, a->is_birth) +
              ORDER(a->who, b->who));

static void add_events(struct neutral_play *play)
{
    for (int i = 0; i < play->count; i++) {
        const struct store_life *life = &play->lives[i];
        play->mothers[i] = find_mother(play->lives, play->count, life);
        if (!is_sane(life) || life->world >= (uint32_t)play->world_count)
            continue;
        play->events[play->event_count++] = (struct neutral_event){life->born_s, 1, i};
        if (life->is_dead)
            play->events[play->event_count++] = (struct neutral_event){life->died_s, 0, i};
    }
    qsort(play->events, (size_t)play->event_count, sizeof play->events[0], compare_events);
    if (play->event_count > 0)
        play->end_s = play->events[play->event_count - 1].at_s;
}

int neutral_play_make(struct neutral_play *play, const struct store_life *lives, int count,
                      int world_count)
{
    ENSURE(count >= 0 && world_count > 0, "%d lives in %d worlds", count, world_count);
    size_t rows = (size_t)count + 1;
    *play = (struct neutral_play){.count = count,
                                  .world_count = world_count,
                                  .lives = lives,
                                  .events = calloc(2 * rows, sizeof *play->events),
                                  .mothers = calloc(rows, sizeof *play->mothers)};
    if (!play->events || !play->mothers) {
        neutral_play_free(play);
        return ERR_MEMORY;
    }
    add_events(play);
    return 0;
}

void neutral_play_free(struct neutral_play *play)
{
    free(play->events);
    free(play->mothers);
    *play = (struct neutral_play){.count = 0};
}

/* ---- a stage: the creatures that live now ---- */

struct crowd {
    int *rows, count;
};

struct stage {
    const struct neutral_play *play;
    struct rng *rng;      /* NULL: all is as it was */
    struct crowd *crowds; /* by world; rows of lives */
    int *rows;            /* the memory of the crowds and of the next three */
    int *places;          /* of a row in its crowd */
    int *mothers;
    int *marks; /* of rows: the last step that counted it */
    struct neutral_traits *traits;
    unsigned char *was_there, *was_ever; /* kinds of the persistent; one piece of memory */
    struct {
        double way_m_s, food_w;
        int count;
    } dead; /* sums since the last step, of those whose rates are known */
};

static void stage_free(struct stage *s)
{
    free(s->crowds);
    free(s->rows);
    free(s->traits);
    free(s->was_there);
}

static int stage_make(struct stage *s, const struct neutral_play *play, struct rng *rng)
{
    size_t rows = (size_t)play->count + 1;
    *s = (struct stage){.play = play,
                        .rng = rng,
                        .crowds = calloc((size_t)play->world_count + 1, sizeof *s->crowds),
                        .rows = calloc((3 + (size_t)play->world_count) * rows, sizeof *s->rows),
                        .traits = calloc(rows, sizeof *s->traits),
                        .was_there = calloc(2 * KIND_COUNT, 1)};
    if (!s->crowds || !s->rows || !s->traits || !s->was_there) {
        stage_free(s);
        return ERR_MEMORY;
    }
    s->places = s->rows;
    s->mothers = s->places + rows;
    s->marks = s->mothers + rows;
    for (int i = 0; i < play->world_count; i++)
        s->crowds[i].rows = s->marks + (1 + (size_t)i) * rows;
    s->was_ever = s->was_there + KIND_COUNT;
    return 0;
}

/* Impossible values are brought into range: the store is not trusted. */
static struct neutral_traits traits_of(const struct store_life *life)
{
    double parts = fmin(fmax((double)life->part_count, 1), PARTS_SANE), food_uj = 0;
    double age_s = life->is_dead ? life->died_s - life->born_s : 0;
    for (int i = 0; i < EPOCH_FOOD_COUNT; i++)
        food_uj += (double)life->gained_uj[i];
    return (struct neutral_traits){.log_area = det_log(life->area_m2),
                                   .parts = parts,
                                   .way_m_s = age_s > 0 ? life->way_m / age_s : NAN,
                                   .food_w = age_s > 0 ? 1e-6 * food_uj / age_s : NAN,
                                   .is_hunter = life->is_hunter != 0,
                                   .family = life->family};
}

/* A trait that is not known of a child is its mother's. */
static double shift_rate(double new, double own, double was)
{
    if (!isfinite(new))
        return own;
    return isfinite(own) && isfinite(was) ? fmax(new + own - was, 0) : new;
}

/* The child differs from its new mother as it differed from its own. In a shadow its body differs as
 * that of the first mutant did that was drawn for it: to refuse mutants before birth is selection. */
static struct neutral_traits inherit(const struct stage *s, int child, int mother)
{
    const struct store_life *life = &s->play->lives[child];
    struct neutral_traits own = traits_of(life);
    if (s->play->mothers[child] < 0 || mother < 0)
        return own;
    if (s->rng && life->drawn_m2 > 0 && life->drawn_parts > 0) {
        own.log_area = det_log(life->drawn_m2);
        own.parts = fmin((double)life->drawn_parts, PARTS_SANE);
    }
    struct neutral_traits was = traits_of(&s->play->lives[s->play->mothers[child]]);
    const struct neutral_traits *new = &s->traits[mother];
    return (struct neutral_traits){.log_area = new->log_area + own.log_area - was.log_area,
                                   .parts = fmax(new->parts + own.parts - was.parts, 1),
                                   .way_m_s = shift_rate(new->way_m_s, own.way_m_s, was.way_m_s),
                                   .food_w = shift_rate(new->food_w, own.food_w, was.food_w),
                                   .is_hunter = new->is_hunter ^ own.is_hunter ^ was.is_hunter,
                                   .family = new->family};
}

/* A mother for a child, -1: it has none. A shadow draws her in the world of its own mother: an egg
 * that drifted in is of another one. */
static int find_parent(const struct stage *s, int child)
{
    int mother = s->play->mothers[child];
    if (mother < 0 || !s->rng)
        return mother;
    uint32_t world = s->play->lives[mother].world;
    const struct crowd *crowd =
        &s->crowds[world < (uint32_t)s->play->world_count ? world : s->play->lives[child].world];
    if (crowd->count == 0)
        crowd = &s->crowds[s->play->lives[child].world];
    return crowd->count ? crowd->rows[rng_below(s->rng, (uint32_t)crowd->count)] : -1;
}

static void bear(struct stage *s, int child)
{
    ENSURE(child >= 0 && child < s->play->count, "life %d of %d", child, s->play->count);
    struct crowd *crowd = &s->crowds[s->play->lives[child].world];
    int mother = find_parent(s, child);
    s->mothers[child] = mother;
    s->traits[child] = inherit(s, child, mother);
    s->places[child] = crowd->count;
    crowd->rows[crowd->count++] = child;
}

static void bury(struct stage *s, int who)
{
    ENSURE(who >= 0 && who < s->play->count, "life %d of %d", who, s->play->count);
    struct crowd *crowd = &s->crowds[s->play->lives[who].world];
    int place = s->rng ? (int)rng_below(s->rng, (uint32_t)crowd->count) : s->places[who];
    const struct neutral_traits *traits = &s->traits[crowd->rows[place]];
    if (isfinite(traits->way_m_s + traits->food_w)) {
        s->dead.way_m_s += traits->way_m_s;
        s->dead.food_w += traits->food_w;
        s->dead.count++;
    }
    int last = crowd->rows[--crowd->count];
    crowd->rows[place] = last;
    s->places[last] = place;
}

/* ---- what is measured ---- */

ROW_ORDER(compare_families, int64_t, ORDER(*a, *b));

static int count_families(const struct stage *s, const struct crowd *crowd, int64_t *families)
{
    int count = 0;
    for (int i = 0; i < crowd->count; i++)
        families[i] = s->traits[crowd->rows[i]].family;
    qsort(families, (size_t)crowd->count, sizeof families[0], compare_families);
    for (int i = 0; i < crowd->count; i++)
        count += i == 0 || families[i] != families[i - 1];
    return count;
}

static int measure_traits(struct stage *s, double facts[SHADOW_FACT_COUNT])
{
    int64_t *families = calloc((size_t)s->play->count + 1, sizeof *families);
    double log_area = 0, count = 0;
    if (!families)
        return ERR_MEMORY;
    for (int w = 0; w < s->play->world_count; w++) {
        const struct crowd *crowd = &s->crowds[w];
        for (int i = 0; i < crowd->count; i++) {
            const struct neutral_traits *traits = &s->traits[crowd->rows[i]];
            log_area += traits->log_area;
            facts[SHADOW_PARTS] += traits->parts;
            facts[SHADOW_HUNTERS] += traits->is_hunter;
        }
        count += crowd->count;
        facts[SHADOW_FAMILIES] += (double)count_families(s, crowd, families) / s->play->world_count;
    }
    facts[SHADOW_AREA] = count > 0 ? det_exp(log_area / count) : NAN;
    facts[SHADOW_PARTS] /= count;
    facts[SHADOW_HUNTERS] /= count;
    facts[SHADOW_WAY] = s->dead.count > 0 ? s->dead.way_m_s / s->dead.count : NAN;
    facts[SHADOW_FOOD] = s->dead.count > 0 ? s->dead.food_w / s->dead.count : NAN;
    memset(&s->dead, 0, sizeof s->dead);
    free(families);
    return 0;
}

static int kind_of(const struct neutral_traits *traits)
{
    int octave = (int)floor(2 * traits->log_area / LN_2) - OCTAVE_LEAST;
    octave = octave < 0 ? 0 : octave >= OCTAVES ? OCTAVES - 1 : octave;
    int parts = traits->parts < PARTS_MOST ? (int)traits->parts : PARTS_MOST;
    return (parts * OCTAVES + octave) * 2 + traits->is_hunter;
}

/* Its ancestor, or itself, that was born before a time; -1: there is none. */
static int ancestor_of(const struct stage *s, int row, double before_s)
{
    while (row >= 0 && s->play->lives[row].born_s > before_s)
        row = s->mothers[row];
    return row;
}

/* Counts the persistent by kind; each ancestor counts once. Returns how many there are. */
static int count_kinds(struct stage *s, double before_s, int mark, int counts[KIND_COUNT])
{
    int all = 0;
    for (int w = 0; w < s->play->world_count; w++)
        for (int i = 0; i < s->crowds[w].count; i++) {
            int row = ancestor_of(s, s->crowds[w].rows[i], before_s);
            if (row < 0 || s->marks[row] == mark)
                continue;
            s->marks[row] = mark;
            counts[kind_of(&s->traits[row])]++;
            all++;
        }
    return all;
}

static void measure_kinds(struct stage *s, double at_s, int step, double facts[SHADOW_FACT_COUNT])
{
    int counts[KIND_COUNT] = {0};
    int all = count_kinds(s, at_s - SHADOW_FILTER_S, step + 1, counts);
    for (int k = 0; k < KIND_COUNT; k++) {
        if (counts[k] > 0) {
            double share = (double)counts[k] / all;
            facts[SHADOW_CHANGE] += !s->was_there[k];
            facts[SHADOW_NOVELTY] += !s->was_ever[k];
            facts[SHADOW_COMPLEXITY] = fmax(facts[SHADOW_COMPLEXITY], k / 2 / OCTAVES);
            facts[SHADOW_ECOLOGY] -= share * det_log(share) / LN_2;
        }
        s->was_there[k] = counts[k] > 0;
        s->was_ever[k] |= s->was_there[k];
    }
}

static int measure(struct stage *s, double at_s, int step, double facts[SHADOW_FACT_COUNT])
{
    for (int i = 0; i < SHADOW_FACT_COUNT; i++)
        facts[i] = 0;
    int status = measure_traits(s, facts);
    for (int i = SHADOW_CHANGE; i < SHADOW_FACT_COUNT && at_s < SHADOW_FILTER_S; i++)
        facts[i] = NAN;
    if (at_s >= SHADOW_FILTER_S)
        measure_kinds(s, at_s, step, facts);
    return status;
}

int neutral_play_run(const struct neutral_play *play, int copy, int step_count,
                     double (*facts)[SHADOW_FACT_COUNT])
{
    ENSURE(copy >= 0 && step_count > 0, "copy %d in %d steps", copy, step_count);
    ENSURE(play->event_count >= 0 && play->world_count > 0, "%d events in %d worlds",
           play->event_count, play->world_count);
    struct stage stage;
    struct rng rng;
    int at = 0;
    rng_init(&rng, 1, RNG_PRESERVE, 7, (uint64_t)copy);
    int status = stage_make(&stage, play, copy > 0 ? &rng : NULL);
    if (status)
        return status;
    for (int step = 0; step < step_count && !status; step++) {
        double until_s = play->end_s * (step + 1) / step_count;
        for (;
             at < play->event_count && (play->events[at].at_s <= until_s || step == step_count - 1);
             at++) {
            if (play->events[at].is_birth)
                bear(&stage, play->events[at].who);
            else
                bury(&stage, play->events[at].who);
        }
        status = measure(&stage, until_s, step, facts[step]);
    }
    stage_free(&stage);
    return status;
}

/* ---- the run beside its shadows ---- */

/* values[0] is the run's, the others are the shadows'. Numbers that are none are left out. */
static struct shadow_band band_of(double values[SHADOW_COPIES + 1])
{
    struct shadow_band band = {values[0], NAN, NAN, NAN};
    int count = 0;
    for (int i = 1; i <= SHADOW_COPIES; i++)
        if (isfinite(values[i]))
            values[1 + count++] = values[i];
    qsort(values + 1, (size_t)count, sizeof values[0], compare_doubles);
    if (count == 0)
        return band;
    int out = (int)(0.025 * count);
    band.low = values[1 + out];
    band.middle = values[1 + count / 2];
    band.high = values[count - out];
    return band;
}

const char *neutral_verdict(const struct shadow_band *band)
{
    ENSURE(!(band->low > band->high), "from %g to %g", band->low, band->high);
    if (!isfinite(band->run) || !isfinite(band->low))
        return "too early";
    return band->run < band->low || band->run > band->high ? "selection" : "drift";
}

/* The mean over the second half of the steps. */
static double mean_of(double (*facts)[SHADOW_FACT_COUNT], int fact)
{
    double sum = 0;
    for (int step = SHADOW_STEPS / 2; step < SHADOW_STEPS; step++)
        sum += facts[step][fact];
    return sum / (SHADOW_STEPS - SHADOW_STEPS / 2);
}

typedef double neutral_facts[SHADOW_STEPS][SHADOW_FACT_COUNT];

static void fill_bands(struct neutral_report *report, neutral_facts *all)
{
    double values[SHADOW_COPIES + 1];
    for (int fact = 0; fact < SHADOW_FACT_COUNT; fact++) {
        for (int step = 0; step < SHADOW_STEPS; step++) {
            for (int i = 0; i <= SHADOW_COPIES; i++)
                values[i] = all[i][step][fact];
            report->bands[step][fact] = band_of(values);
        }
        for (int i = 0; i <= SHADOW_COPIES; i++)
            values[i] = mean_of(all[i], fact);
        report->means[fact] = band_of(values);
    }
}

/* Price's equation, over the dead: cov(children, log area) / mean children; and the mean difference
 * of children from their mothers. */
static void split_change(struct neutral_report *report, const struct neutral_play *play)
{
    double count = 0, children = 0, log_area = 0, product = 0, born = 0;
    for (int i = 0; i < play->count; i++) {
        const struct store_life *life = &play->lives[i];
        if (!is_sane(life))
            continue;
        double own = det_log(life->area_m2);
        if (life->is_dead) {
            count++;
            children += (double)life->children;
            log_area += own;
            product += own * (double)life->children;
        }
        if (play->mothers[i] >= 0) {
            report->inherited += own - det_log(play->lives[play->mothers[i]].area_m2);
            born++;
        }
    }
    report->selected = children > 0 ? (product - log_area * children / count) / children : 0;
    report->inherited = born > 0 ? report->inherited / born : 0;
}

/* The time that all have lived, by the time that a world was there, is its mean number. */
static void expect_families(struct neutral_report *report, const struct neutral_play *play)
{
    double lived_s = 0, births = 0;
    for (int i = 0; i < play->count; i++) {
        const struct store_life *life = &play->lives[i];
        if (!is_sane(life))
            continue;
        lived_s += (life->is_dead ? life->died_s : play->end_s) - life->born_s;
        births += play->mothers[i] >= 0;
    }
    double n = lived_s / play->end_s / play->world_count;
    report->drift_families = n > 0 ? n * n / (n + births / play->world_count) : 0;
}

int neutral_report_make(struct neutral_report *report, const struct store_life *lives, int count,
                        int world_count)
{
    struct neutral_play play;
    *report = (struct neutral_report){.step_count = 0};
    int status = neutral_play_make(&play, lives, count, world_count);
    if (status)
        return status;
    neutral_facts *all = calloc(SHADOW_COPIES + 1, sizeof *all);
    status = all ? 0 : ERR_MEMORY;
    for (int i = 0; i <= SHADOW_COPIES && !status && play.end_s > 0; i++)
        status = neutral_play_run(&play, i, SHADOW_STEPS, all[i]);
    if (!status && play.end_s > 0) {
        report->step_count = SHADOW_STEPS;
        for (int i = 0; i < SHADOW_STEPS; i++)
            report->times_s[i] = play.end_s * (i + 1) / SHADOW_STEPS;
        fill_bands(report, all);
        split_change(report, &play);
        expect_families(report, &play);
    }
    free(all);
    neutral_play_free(&play);
    return status;
}
