#include "common/judge/milestones.h"

#include "common/error.h"

static double gain_of(const double *fitness, size_t stride_bytes, int index)
{
    const char *own = (const char *)fitness + (size_t)index * stride_bytes;
    return *(const double *)(const void *)own - *(const double *)(const void *)(own + stride_bytes);
}

int milestones_choose(const double *fitness, size_t stride_bytes, int count, int most, int *chosen)
{
    ENSURE(count >= 0 && most >= 2, "%d of %d creatures", most, count);
    int chosen_count = 0;
    for (int i = count - 1; i >= 0; i--) {
        /* how many in between gained more; ties: the younger one */
        int is_end = i == 0 || i == count - 1, better = 0;
        double gain = is_end ? 0 : gain_of(fitness, stride_bytes, i);
        for (int k = 1; k < count - 1 && !is_end; k++) {
            double other = gain_of(fitness, stride_bytes, k);
            better += other > gain || (k < i && !(other < gain));
        }
        if (is_end || better < most - 2)
            chosen[chosen_count++] = i;
    }
    return chosen_count;
}
