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

/* Columns of a part in the plane: its motion, and its joint and contacts. Name of the column, that
 * of a part on a linear joint, its value in a struct trace_part. */
#define TRACE_MOTION(X)                                                                            \
    X(x_m, x_m, state.at_m.x)                                                                      \
    X(y_m, y_m, state.at_m.y)                                                                      \
    X(angle_rad, angle_rad, state.angle_rad)                                                       \
    X(vx_m_s, vx_m_s, state.velocity_m_s.x)                                                        \
    X(vy_m_s, vy_m_s, state.velocity_m_s.y)                                                        \
    X(omega_rad_s, omega_rad_s, state.spin_rad_s.z)
#define TRACE_JOINT(X)                                                                             \
    X(joint_rad, joint_m, joint.value)                                                             \
    X(joint_rad_s, joint_m_s, joint.rate)                                                          \
    X(torque_n_m, force_n, joint.effort)                                                           \
    X(contacts, contacts, contacts)                                                                \
    X(normal_n_s, normal_n_s, normal_n_s)                                                          \
    X(friction_n_s, friction_n_s, friction_n_s)

struct trace_part {
    struct part_state state;
    struct drive_state joint; /* rad, rad/s, N m; of a linear joint m, m/s, N */
    double contacts, normal_n_s, friction_n_s;
};

struct trace {
    FILE *file; /* the caller's */
    int has_header;
};

/* The observer to give to evaluate_list(), with the trace as its context. */
evaluate_observer trace_observe;

#endif
