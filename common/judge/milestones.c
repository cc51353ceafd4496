#include "common/judge/milestones.h"

#include "common/error.h"

struct line {
    const double *fitness;
    size_t stride_bytes;
};

static double fitness_of(const struct line *line, int index)
{
    return *(const double *)(const void *)((const char *)line->fitness +
                                           (size_t)index * line->stride_bytes);
}

static double gain_of(const struct line *line, int index)
{
    return fitness_of(line, index) - fitness_of(line, index + 1);
}

int milestones_choose(const double *fitness, size_t stride_bytes, int count, int most, int *chosen)
{
    ENSURE(count >= 0 && most >= 2, "%d of %d creatures", most, count);
    const struct line line = {fitness, stride_bytes};
    int chosen_count = 0;
    for (int i = count - 1; i >= 0; i--) {
        /* how many in between gained more; ties: the younger one */
        int is_end = i == 0 || i == count - 1, better = 0;
        for (int k = 1; k < count - 1 && !is_end; k++)
            better += gain_of(&line, k) > gain_of(&line, i) ||
                      (k < i && !(gain_of(&line, k) < gain_of(&line, i)));
        if (is_end || better < most - 2)
            chosen[chosen_count++] = i;
    }
    return chosen_count;
}
