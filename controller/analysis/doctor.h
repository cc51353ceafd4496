/* The run doctor: findings in words, each with the figure it was seen from and the
 * setting to try.
 *
 * A pure function of a run's statistics and parameters. One function for each rule. Rules that
 * find nothing are listed as well, with their figures. */
#ifndef CONTROLLER_ANALYSIS_DOCTOR_H
#define CONTROLLER_ANALYSIS_DOCTOR_H

#include "controller/analysis/run_statistics.h"

enum doctor_state {
    DOCTOR_PROBLEM, /* holds the run back */
    DOCTOR_NOTE,    /* worth knowing, or worth a try */
    DOCTOR_FINE,
    DOCTOR_UNKNOWN, /* too little is there to tell */
};

struct doctor_finding {
    const char *name; /* of what was looked at: "overlap at birth" */
    enum doctor_state state;
    char figure[240]; /* what was measured */
    char advice[320]; /* what it means and what to try; empty if it is fine */
    char setting[96]; /* "section.key=value", which parameters take; or empty */
};

#define DOCTOR_FINDINGS_MAX 40

/* Fills findings, the gravest first, and returns how many there are. */
int doctor_examine(const struct run_statistics *statistics, const struct params *params,
                   struct doctor_finding findings[DOCTOR_FINDINGS_MAX]);

#endif
