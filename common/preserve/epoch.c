#include "common/preserve/epoch.h"

#include <string.h>
#include <stdio.h>

/* A body as founders have it, and the least that a preserve is to favour, m2: below that bodies
 * become smaller and smaller, since a small mother cannot pay for a larger child. */
#define FOUNDER_M2 0.3
#define LEAST_M2   0.25
/* Where a mother so small can breed, these measures, of larger bodies, say nothing. */
#define SMALL_M2 0.02
/* The power of muscles, W by the square metre, and the life of creatures, s, as measured. */
#define MUSCLES_W_M2 15.0
#define LIFE_S       250.0
/* Side of a cell of plants, m; the share of plants that is digested; the cost of breeding alone, by
 * the child's body; the further cost of an egg, J. */
#define CELL_M   0.5
#define DIGESTED 0.8
#define ALONE    1.2
/* Cells that the body of a founder is over, each of which may have a mouth in it. */
#define CELLS_OVER 4

const char *const epoch_fact_names[EPOCH_FACT_COUNT] = {
#define X(name) #name,
    EPOCH_FACTS(X)
#undef X
};

const char *const epoch_first_names[FIRST_COUNT] = {"predation", "topology", "trophic-level"};

static int find_first(const char *name, size_t length)
{
    for (int i = 0; i < FIRST_COUNT; i++)
        if (strlen(epoch_first_names[i]) == length && !strncmp(epoch_first_names[i], name, length))
            return i;
    return -1;
}

int epoch_parse_firsts(const char *text, unsigned *firsts, struct error *error)
{
    static const char gaps[] = " ,", none[] = "none";
    *firsts = 0;
    for (const char *at = text; *(at += strspn(at, gaps));) {
        size_t length = strcspn(at, gaps);
        int first = find_first(at, length);
        if (first >= 0)
            *firsts |= 1u << first;
        else if (length != strlen(none) || strncmp(at, none, length) != 0)
            return error_set(error, ERR_USAGE,
                             "preserve.pause: '%.*s' is not one of none, predation, topology, "
                             "trophic-level",
                             (int)length, at);
        at += length;
    }
    return 0;
}

const char *const epoch_deed_names[DEED_COUNT] = {
#define X(name) #name,
    EPOCH_DEEDS(X)
#undef X
};
const char *const epoch_cause_names[EPOCH_CAUSE_COUNT] = {"hunger", "age",     "bitten",
                                                          "guard",  "removed", "strain"};

int64_t epoch_imbalance(const int64_t facts[EPOCH_FACT_COUNT])
{
    uint64_t sum = 0;
    for (int i = EPOCH_plants_uj; i <= EPOCH_scent_uj; i++)
        sum += (uint64_t)facts[i];
    return (int64_t)(sum - (uint64_t)facts[EPOCH_start_uj] - (uint64_t)facts[EPOCH_sun_uj] +
                     (uint64_t)facts[EPOCH_heat_uj] - (uint64_t)facts[EPOCH_arrivals_uj] +
                     (uint64_t)facts[EPOCH_departures_uj]);
}

int preserve_warn(const struct params *params, char *text, size_t size)
{
    const struct params *p = params;
    double still_w =
        DIGESTED * p->preserve_growth_1_s * p->preserve_plants_j_m2 * CELL_M * CELL_M / 4;
    double rest_w = p->preserve_rest_w_m2 * FOUNDER_M2;
    double best_m2 =
        (p->preserve_mouth_w + p->preserve_egg_j / LIFE_S) /
        (p->preserve_rest_w_m2 + MUSCLES_W_M2 + ALONE * p->preserve_body_j_m2 / LIFE_S);
    double child_j_m2 = ALONE * p->preserve_body_j_m2 + p->preserve_egg_j / FOUNDER_M2;
    double spare_j_m2 =
        (1 - p->preserve_give) * p->preserve_reserve_j_m2 - ALONE * p->preserve_body_j_m2;
    if (p->preserve_egg_j < SMALL_M2 * spare_j_m2)
        return 0;
    if (CELLS_OVER * (still_w - p->preserve_mouth_w) >= rest_w)
        snprintf(text, size,
                 "a mouth that never moves gets up to %.2g W where there is light, of which "
                 "mouth_w takes %.2g W, and the upkeep of a body of %g m2 is %.2g W: moving need "
                 "not pay",
                 still_w, p->preserve_mouth_w, FOUNDER_M2, rest_w);
    else if (best_m2 < LEAST_M2)
        snprintf(text, size,
                 "a body of %.2g m2 fares best, with this preserve.mouth_w, egg_j, rest_w_m2 "
                 "and body_j_m2: bodies will shrink",
                 best_m2);
    else if (child_j_m2 > (1 - p->preserve_give) * p->preserve_reserve_j_m2)
        snprintf(text, size,
                 "a creature whose reserve is full cannot pay for a child like itself: 1.2 "
                 "body_j_m2, with what an egg costs, is above (1 - give) reserve_j_m2");
    else
        return 0;
    return 1;
}
