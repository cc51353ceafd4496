/* The pictures of a ladder, for the run's report: each with the sentence that says what it
 * means. */
#ifndef CONTROLLER_REPORT_LADDER_PAGE_H
#define CONTROLLER_REPORT_LADDER_PAGE_H

#include <stdio.h>

#include "controller/analysis/ladder.h"

void ladder_page_write(const struct ladder *ladder, FILE *file);

#endif
