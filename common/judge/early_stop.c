/* See early_stop.h. A pace is measured along the way that the behaviour pays for. It is never above the
 * greatest distance from the start, which the guard compares with it, so a creature that would
 * survive is above a bar of survivors at its end. */
#include "common/judge/early_stop.h"

#include <math.h>

#include "common/judge/behaviour.h"
#include "common/math/detmath.h"

/* Whether the behaviour of the parameters pays for getting on at all. */
static int pace_is_known(const struct params *params)
{
    return behaviours[params->evolution_behaviour].way != NULL;
}

double early_stop_of(const struct measures *measures, const struct params *params)
{
    double pace;
    if (!pace_is_known(params))
        return 0;
    pace = behaviours[params->evolution_behaviour].way(measures, params) /
           params->simulation_duration_s;
    return isfinite(pace) && pace > 0 ? pace : 0;
}

struct early_stop_bar early_stop_make_bar(double pace, const struct params *params)
{
    ENSURE(pace >= 0, "a pace of %g", pace);
    double bar = params->guard_hopeless_share * pace;

    if (!pace_is_known(params))
        return (struct early_stop_bar){0, 0};
    if (bar > EARLY_STOP_MAX)
        bar = EARLY_STOP_MAX;
    return behaviours[params->evolution_behaviour].is_way_in_sizes
               ? (struct early_stop_bar){0, bar}
               : (struct early_stop_bar){bar, 0};
}

int early_stop_has_bar(const struct early_stop_bar *bar)
{
    return bar->m_s > 0 || bar->sizes_s > 0;
}

/* The speed that the guard compares with, m/s. */
static double find_bar(const struct early_stop_bar *bar, double size_m, const struct params *params)
{
    double m_s = det_max(bar->m_s, params->guard_hopeless_m_s);
    return det_max(m_s, det_max(bar->sizes_s, params->guard_hopeless_sizes_s) * size_m);
}

int early_stop_is_same(const struct early_stop_bar *held, const struct early_stop_bar *bar,
                       int verdict, const struct measures *measures, double pace_least_m_s,
                       const struct params *params)
{
    double before = find_bar(held, measures->size_m, params);
    double now = find_bar(bar, measures->size_m, params);
    if (now == before || measures->time_s < params->guard_hopeless_s)
        return 1;
    if (verdict == VERDICT_HOPELESS)
        return now < before && now > pace_least_m_s;
    return now <= pace_least_m_s;
}

void early_stop_apply_bar(const struct early_stop_bar *bar, struct params *params)
{
    ENSURE(bar->m_s >= 0 && bar->sizes_s >= 0, "bars of %g and %g", bar->m_s, bar->sizes_s);
    if (bar->m_s > params->guard_hopeless_m_s)
        params->guard_hopeless_m_s = bar->m_s;
    if (bar->sizes_s > params->guard_hopeless_sizes_s)
        params->guard_hopeless_sizes_s = bar->sizes_s;
}
