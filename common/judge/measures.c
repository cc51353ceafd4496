/* The tables of measures and verdicts.
 *
 * struct measures holds doubles only, one per row, so that a row's number is its place in it
 * (asserted below). Verdicts are looked up by number or name; both tables are short. */
#include "common/judge/measures.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/error.h"

const struct measure_info measure_table[MEASURE_COUNT] = {
#define X(id, text) {.name = #id, .meaning = text},
    MEASURES(X)
#undef X
};

#define X(name, text)                                                                              \
    _Static_assert(offsetof(struct measures, name) == MEASURE_##name * sizeof(double),             \
                   "a measure's number is its place");
MEASURES(X)
#undef X
_Static_assert(sizeof(struct measures) == MEASURE_COUNT * sizeof(double), "measures are doubles");

int measure_find(const char *name)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        if (!strcmp(measure_table[i].name, name))
            return i;
    return -1;
}

double measures_get(const struct measures *measures, int index)
{
    ENSURE(index >= 0 && index < MEASURE_COUNT, "measure %d of %d", index, MEASURE_COUNT);
    return ((const double *)measures)[index];
}

void measures_set(struct measures *measures, int index, double value)
{
    ENSURE(index >= 0 && index < MEASURE_COUNT, "measure %d of %d", index, MEASURE_COUNT);
    ((double *)measures)[index] = value;
}

static double most_of(int index)
{
    return index >= MEASURE_contest_margin && index <= MEASURE_contest_approach ? 1 : MEASURE_MOST;
}

int measures_find_fault(const struct measures *measures)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        if (!(fabs(measures_get(measures, i)) <= most_of(i)))
            return i;
    return -1;
}

int measures_find_difference(const struct measures *one, const struct measures *other)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        if (measures_get(one, i) != measures_get(other, i))
            return i;
    return -1;
}

int measures_move_alike(const struct measures *one, const struct measures *other)
{
    struct measures alike = *other;
    alike.neurons = one->neurons;
    return measures_find_difference(one, &alike) < 0;
}

int measures_are_one_kind(const struct measures *one, const struct measures *other)
{
    return one->parts == other->parts && one->links == other->links;
}

static const struct verdict_info {
    int number;
    const char *name;
    const char *words;
    const char *reason;
} verdict_table[] = {
#define X(id, verdict_number, text_name, short_words, text)                                        \
    {.number = verdict_number, .name = text_name, .words = short_words, .reason = text},
    VERDICTS(X)
#undef X
};

#define VERDICT_ROWS ((int)(sizeof verdict_table / sizeof verdict_table[0]))

static const struct verdict_info *find_verdict(int number)
{
    for (int i = 0; i < VERDICT_ROWS; i++)
        if (verdict_table[i].number == number)
            return &verdict_table[i];
    return NULL;
}

const char *verdict_name(int verdict)
{
    const struct verdict_info *info = find_verdict(verdict);
    return info ? info->name : "unknown";
}

const char *verdict_words(int verdict)
{
    const struct verdict_info *info = find_verdict(verdict);
    return info ? info->words : "unknown";
}

const char *verdict_reason(int verdict)
{
    const struct verdict_info *info = find_verdict(verdict);
    return info ? info->reason : "a verdict that this version does not know";
}

int verdict_find(const char *name)
{
    for (int i = 0; i < VERDICT_ROWS; i++)
        if (!strcmp(verdict_table[i].name, name))
            return verdict_table[i].number;
    return -1;
}

int verdict_is_scored(int verdict)
{
    return verdict == VERDICT_OK || verdict == VERDICT_MOTIONLESS || verdict == VERDICT_HOPELESS ||
           verdict == VERDICT_LANDED || verdict == VERDICT_FELL;
}
