/* Random search, the control: every child is a fresh random genome, or where bodies do not mutate a
 * new brain in the body of a survivor, each in turn. Survivors are kept, as in the other methods,
 * so that a run shows its best so far and costs as many evaluations. */
#include "controller/evolution/breeding.h"

static int next(const struct params *params, uint32_t generation, const struct population *ranked,
                int survivor_count, struct individual *children, int count)
{
    int bodies = survivor_count > 0 ? survivor_count : 1, status = 0;

    for (int i = 0; !status && i < count; i++)
        status = breeding_make_fresh(params, ranked->census, &ranked->individuals[i % bodies],
                                     &children[i]);
    return status;
}

const struct search_method search_random = {
    .name = "random",
    .help = "fresh random creatures in every generation; the control",
    .first = breeding_make_first,
    .next = next,
};
