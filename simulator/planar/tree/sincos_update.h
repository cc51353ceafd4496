/* Sines and cosines of angles that have changed little, two at a time: turned from those of a base
 * angle, by a series. A third of what sines of any angle cost, and as exact. */
#ifndef SIMULATOR_PLANAR_TREE_SINCOS_UPDATE_H
#define SIMULATOR_PLANAR_TREE_SINCOS_UPDATE_H

#include "common/math/pair.h"

/* Turns up to which the series will do, rad. */
#define SINCOS_UPDATE_MAX_RAD 0.2

/* Sine and cosine of angles x up to SINCOS_UPDATE_MAX_RAD, z = x x: (sin x / x - 1) / x^2 and (cos x - 1 +
 * x^2 / 2) / x^4 interpolated at Chebyshev's four points of x^2; errors are below 5e-18. */
static inline void sincos_update(pair x, pair z, pair *sine, pair *cosine)
{
    pair w = z * z;
    pair odd = (-0x1.5555555555543p-3 + z * 0x1.11111110d8aedp-7) +
               w * (-0x1.a019fabe07951p-13 + z * 0x1.719963b18b037p-19);
    pair even = (0x1.5555555555543p-5 + z * -0.0013888888888555005) +
                w * (2.480158312788733e-05 + z * -2.754062286452967e-07);
    *sine = x + x * (z * odd);
    *cosine = 1.0 - (0.5 * z - w * even);
}

#endif
