/* The Runge-Kutta method of Dormand and Prince (1980): order 5, with an error estimate of order 4.
 * The last stage is the first of the next step. A state has `width` numbers. A derivative has those
 * and, after them, the rates of quadratures, which the state does not contain. */
#ifndef SIMULATOR_REFERENCE_DORMAND_PRINCE_H
#define SIMULATOR_REFERENCE_DORMAND_PRINCE_H

#include "common/system/arena.h"

enum { DORMAND_PRINCE_STAGES = 7 };
/* Steps do not shrink below this, s, whatever their error. */
#define DORMAND_PRINCE_LEAST_S 1e-9

struct dormand_prince {
    /* dy/dt at y, so long after the start of the time step, s */
    void (*derive)(void *system, const double *y, double ahead, double *dy);
    void *system;
    int width;
    double rtol;                      /* of errors, which are absolute of numbers below 1 */
    double *k[DORMAND_PRINCE_STAGES]; /* derivatives: the first one is the caller's to make */
    double *y1;                       /* after: the state at the end of the step that was tried */
    double *stage;                    /* a state within the step */
};

/* Takes memory for `width` numbers and that many quadratures; the rest of *steps is the caller's.
 * ERR_MEMORY when the arena is full. */
int dormand_prince_create(struct dormand_prince *steps, int width, int quadratures,
                          struct arena *arena);
/* Another number of quadratures; derivatives are gone. ERR_MEMORY: as before. */
int dormand_prince_extend(struct dormand_prince *steps, int quadratures, struct arena *arena);
/* Tries a step of h from y, k[0] being there: sets y1 and k. Returns the error, 1 being what is
 * allowed. */
double dormand_prince_try(struct dormand_prince *steps, const double *y, double ahead, double h);
/* The gain of quadrature `at`, numbered on from the state, in the step of h. */
double dormand_prince_integral(const struct dormand_prince *steps, int at, double h);
/* Sets `stage` to the state at a share of the step of h from y, to order 4. */
void dormand_prince_look_inside(struct dormand_prince *steps, const double *y, double h,
                                double share);
/* Makes the step: *y and y1 change places, and the last stage becomes the first. */
void dormand_prince_accept(struct dormand_prince *steps, double **y);
/* The longest step that may be tried, s, of the time that is left: about h_s, and so short that
 * what moves at top_m_s goes through nothing that is thinnest_m thick. No tiny last step is left
 * over. */
double dormand_prince_longest(double h_s, double top_m_s, double thinnest_m, double left_s);

#endif
