/* Bars for children: who gets on much slower than those it would have to beat is stopped early (verdict
 * hopeless), as Sims did in 1994 with what was clearly worse than the worst survivor of the generation before.
 *
 * Where survivors compete with all children (sims, random) the slowest survivor sets the bar for everybody, but
 * only if fitness fills all places for survivors; before, any score may survive. Where a child competes with
 * its like (archive) there is none: the slowest holder of a cell would be no bar at all, the best one would kill
 * all other kinds, and the slower parent's pace, which was tried, stopped one child in five and gained nothing (a
 * pair of runs of 3000 walkers: 8.9 s and best 23.9 without, 9.1 s and 23.7 with it).
 *
 * Who is stopped has, by then, fitness below that of whoever set the bar, and would have stayed below it had it
 * gone on at that pace. What is lost is who would have started late. */
#include "controller/evolution/search_private.h"

void search_set_bars(const struct params *params, const struct individual *survivors,
                     int survivor_count, int quota, struct individual *children, int count)
{
    double slowest = 0;
    struct pace_bar bar;
    int i;

    if (survivor_count < quota || survivor_count == 0 ||
        !(survivors[survivor_count - 1].fitness > 0))
        return;
    for (i = 0; i < survivor_count; i++) {
        double pace = pace_of(&survivors[i].measures, params);

        if (i == 0 || pace < slowest)
            slowest = pace;
    }
    bar = pace_make_bar(slowest, params);
    for (i = 0; i < count; i++)
        children[i].bar = bar;
}
