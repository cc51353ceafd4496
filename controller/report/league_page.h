/* The page of a league: its table, the margins of all pairs, and links to the pages of duels. */
#ifndef CONTROLLER_REPORT_LEAGUE_PAGE_H
#define CONTROLLER_REPORT_LEAGUE_PAGE_H

#include <stddef.h>

#include "common/error.h"
#include "controller/analysis/league.h"

struct league_page {
    int player_count;
    char *const *names;      /* by player */
    const int *is_out;       /* by player: it takes no part, since it crashes the simulator */
    struct league_row *rows; /* by rank */
    struct league_bout *bouts;
    int bout_count;
    const struct league_triad *triads;
    int triad_count;       /* all; the first ten are listed */
    uint64_t digest;       /* of all contests */
    const char *directory; /* where the page and those of duels are */
};

/* Where the page of the duel of two players is. 0, or ERR_LIMIT if the path is too long. */
int league_page_duel(char *path, size_t size, const char *directory, int a, int b);
int league_page_write(const struct league_page *page, const char *path, struct error *error);

#endif
