/* A quantity that a scene gives as a function of time: a torque, a target, the motion of a
 * joint. */
#ifndef SIMULATOR_BODY_SIGNAL_H
#define SIMULATOR_BODY_SIGNAL_H

/* Points of a table, at most. */
enum { SIGNAL_POINTS_MAX = 1024 };

/* A line between two points, or a cubic spline that is at rest at both ends of the table. */
enum signal_table { SIGNAL_LINES, SIGNAL_SPLINE };

struct signal {
    /* offset + slope t + amplitude sin(rate t + phase) */
    double offset, slope, amplitude, rate_rad_s, phase_rad;
    /* and a table over time, which holds its ends; count 0: none. The arrays are the caller's */
    int count;
    enum signal_table table;
    const double *times_s, *values;
    double *bends; /* second derivatives of a spline, made by signal_bend() */
};

struct signal_value {
    double value, rate, acceleration;
};

/* Computes the bends of a spline; scratch holds count numbers. Times rise. */
void signal_bend(struct signal *signal, double *scratch);
/* Value and derivatives by time. A table of lines has no acceleration. */
struct signal_value signal_at(const struct signal *signal, double time_s);

#endif
