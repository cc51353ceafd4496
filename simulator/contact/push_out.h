/* The least normal velocity of a contact or limit after a step, by both articulated engines. Two
 * that are apart may use up their gap within the step; two that overlap leave slowly (Baumgarte,
 * Comput. Methods Appl. Mech. Eng. 1 (1972), by velocities, and bounded). */
#ifndef SIMULATOR_WORLD_PUSH_OUT_H
#define SIMULATOR_WORLD_PUSH_OUT_H

/* Penetration that is left alone, m: contacts rest within it instead of rattling. */
#define SLOP_M 1e-3
/* Deeper ones are pushed out by this share of the depth in a step, but no faster than the speed. */
#define PUSH_OUT_SHARE     0.2
#define PUSH_OUT_SPEED_M_S 0.05

/* The bound for a gap (negative: penetration) and a step of h, s; more than 0 pushes out. Gap, slop
 * and fastest are in m and m/s, or rad and rad/s. */
static inline double push_out_bound(double gap, double h, double slop, double fastest)
{
    if (gap > 0)
        return -gap / h;
    double speed = -gap > slop ? PUSH_OUT_SHARE * (-gap - slop) / h : 0;
    return speed < fastest ? speed : fastest;
}

#endif
