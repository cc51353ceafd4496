/* A trace: an evaluation as a CSV file, a line for each brain tick; docs/trace.md lists the
 * columns. */
#ifndef SIMULATOR_TOOLS_TRACE_H
#define SIMULATOR_TOOLS_TRACE_H

#include <stdio.h>

#include "simulator/evaluate/evaluate.h"

/* Columns of the ledger, fields of struct ledger; in every kind of trace. */
#define TRACE_LEDGER(X)                                                                            \
    X(kinetic_j)                                                                                   \
    X(potential_j)                                                                                 \
    X(work_effector_j)                                                                             \
    X(work_effector_positive_j)                                                                    \
    X(loss_friction_j)                                                                             \
    X(loss_impact_j)                                                                               \
    X(loss_limit_j)                                                                                \
    X(loss_drag_j)                                                                                 \
    X(loss_damping_j)                                                                              \
    X(gain_push_out_j)                                                                             \
    X(gain_impact_j)                                                                               \
    X(gain_limit_j)                                                                                \
    X(residual_j)

struct trace {
    FILE *file; /* the caller's */
    int has_header;
};

/* The observer to give to evaluate_list(), with the trace as its context. */
evaluate_observer trace_observe;

#endif
