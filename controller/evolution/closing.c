#include "controller/evolution/search.h"

#include <stdlib.h>
#include <string.h>

/* Mean in rank order and median of the ranked fitness; no sum is greater than what is summed. */
static void summarise(struct generation_closing *closing)
{
    const struct generation_rank *ranks = closing->ranks;
    int count = closing->count;
    for (int i = 0; i < count; i++)
        closing->mean += ranks[i].fitness / count;
    closing->median = count % 2
                          ? ranks[count / 2].fitness
                          : 0.5 * ranks[count / 2 - 1].fitness + 0.5 * ranks[count / 2].fitness;
}

int generation_closing_init(struct generation_closing *closing, const struct population *ranked,
                            int survivor_count)
{
    int count = ranked->count - ranked->unjudged;
    ENSURE(count > 0 && survivor_count >= 0, "%d ranked, %d unjudged, %d survivors", ranked->count,
           ranked->unjudged, survivor_count);
    closing->count = 0;
    closing->mean = closing->median = 0;
    closing->unjudged = ranked->unjudged;
    closing->more = ranked->more;
    closing->ranks = calloc((size_t)count, sizeof *closing->ranks);
    if (!closing->ranks)
        return ERR_MEMORY;
    for (; closing->count < count; closing->count++) {
        const struct individual *individual = &ranked->individuals[closing->count];
        closing->ranks[closing->count] =
            (struct generation_rank){.id = individual->id,
                                     .fitness = individual->fitness,
                                     .survived = closing->count < survivor_count ||
                                                 individual->cell || individual->is_selected,
                                     .cell = individual->cell,
                                     .trials = individual->trials,
                                     .is_waiting = individual->is_waiting};
    }
    summarise(closing);
    return 0;
}

void generation_closing_deinit(struct generation_closing *closing)
{
    free(closing->ranks);
    memset(closing, 0, sizeof *closing);
}
