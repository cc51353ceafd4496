/* Bars for children: a child much slower than those it has to beat is stopped early (verdict
 * hopeless). Sims did so in 1994 with creatures clearly worse than the worst survivor of the
 * generation before.
 *
 * Where survivors compete with all children (sims, random) the slowest survivor sets the bar for
 * all, but only if fitness fills all places for survivors; before, any score may survive.
 * Where a child competes with its like (archive) there is no bar: the pace of the slowest holder
 * would stop no creature, that of the best would kill all other kinds, and that of the slower
 * parent stopped one child in five and gained nothing (3000 walkers: 8.9 s and best 23.9 without,
 * 9.1 s and 23.7 with it).
 *
 * A stopped child has less fitness than the creature that set the bar, and would stay below it
 * at that pace. A creature that only gets going late is stopped too. */
#include "controller/evolution/search_private.h"

void search_set_bars(const struct params *params, const struct individual *survivors,
                     int survivor_count, int quota, struct individual *children, int count)
{
    ENSURE(survivor_count >= 0 && count >= 0, "%d survivors, %d children", survivor_count, count);
    double slowest = 0;

    if (survivor_count < quota || survivor_count == 0 ||
        !(survivors[survivor_count - 1].fitness > 0))
        return;
    for (int i = 0; i < survivor_count; i++) {
        double pace = early_stop_of(&survivors[i].measures, params);

        if (i == 0 || pace < slowest)
            slowest = pace;
    }
    struct early_stop_bar bar = early_stop_make_bar(slowest, params);
    for (int i = 0; i < count; i++)
        children[i].bar = bar;
}
