/* See pace.h. A pace is measured by what the behaviour pays for. It is never above the greatest
 * distance from the start, which the guard compares with it, so a creature that would survive is
 * above a bar of survivors at its end. */
#include "common/judge/pace.h"

#include <math.h>

#include "common/judge/behaviour.h"

int pace_is_known(const struct params *params)
{
    return behaviours[params->evolution_behaviour].way != NULL;
}

double pace_of(const struct measures *measures, const struct params *params)
{
    double pace;

    if (!pace_is_known(params))
        return 0;
    pace = behaviours[params->evolution_behaviour].way(measures, params) /
           params->simulation_duration_s;
    return isfinite(pace) && pace > 0 ? pace : 0;
}

struct pace_bar pace_make_bar(double pace, const struct params *params)
{
    double bar = params->guard_hopeless_share * pace;

    if (!pace_is_known(params))
        return (struct pace_bar){0, 0};
    if (bar > PACE_MAX)
        bar = PACE_MAX;
    return behaviours[params->evolution_behaviour].is_way_in_sizes ? (struct pace_bar){0, bar}
                                                                   : (struct pace_bar){bar, 0};
}

int pace_has_bar(const struct pace_bar *bar)
{
    return bar->m_s > 0 || bar->sizes_s > 0;
}

void pace_apply_bar(const struct pace_bar *bar, struct params *params)
{
    if (bar->m_s > params->guard_hopeless_m_s)
        params->guard_hopeless_m_s = bar->m_s;
    if (bar->sizes_s > params->guard_hopeless_sizes_s)
        params->guard_hopeless_sizes_s = bar->sizes_s;
}
