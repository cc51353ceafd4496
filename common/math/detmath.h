/* Elementary functions with the same bits on every machine.
 *
 * The C library's sin, exp or tanh choose code by CPU (FMA or not) and differ in the last bit; runs
 * that must repeat bit for bit therefore use these, made of + - x / sqrt in a fixed order and
 * compiled with -ffp-contract=off. fdlibm-style kernels: error below 1 ulp where tested. All are
 * total: a non-finite argument gives a finite or NaN result by the rule noted, never a trap. */
#ifndef COMMON_MATH_DETMATH_H
#define COMMON_MATH_DETMATH_H

#define DET_PI 3.14159265358979323846

/* Accurate for any finite x, fastest below 1.6e6 in size; inf and NaN count as 0 (sine 0, cosine
 * 1). */
void det_sincos(double x, double *sine, double *cosine);
/* Sines and cosines of many arguments: the bits of det_sincos(), at about half its cost each. */
void det_sincos_all(const double *x, int count, double *sine, double *cosine);
double det_sin(double x);
double det_cos(double x);
/* NaN gives NaN in all that follow. */
double det_exp(double x);  /* overflow gives HUGE_VAL, underflow 0 */
double det_log(double x);  /* x > 0; 0 gives -HUGE_VAL, negative NaN */
double det_tanh(double x); /* odd, |result| <= 1 */
double det_atan(double x); /* odd */
/* [-pi, pi], -0 like 0: y = 0, x < 0 gives pi, det_atan2(0, 0) = 0. */
double det_atan2(double y, double x);
double det_pow(double x, double y); /* x > 0, by exp(y log x): about 1e-13 relative */
double det_floor(double x);         /* largest whole number not above x, exact */

/* The lesser and the greater one; of a number and a NaN the number. Of equal ones the second:
 * compilers exchange the arguments of fmin() and fmax(), and 0 and -0 are other bits. */
static inline double det_min(double a, double b)
{
    return a < b || b != b ? a : b;
}

static inline double det_max(double a, double b)
{
    return a > b || b != b ? a : b;
}

#endif
