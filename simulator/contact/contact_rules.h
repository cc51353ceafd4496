/* The rules of contacts and limits that all engines of links keep: how far ahead they look, how
 * what overlaps leaves, which rows count, and how energy from nothing is known. */
#ifndef SIMULATOR_CONTACT_CONTACT_RULES_H
#define SIMULATOR_CONTACT_CONTACT_RULES_H

/* Room for contacts at first; where more are found there is twice as much, until memory is out. */
enum { CONTACTS_ROOM = 64 };

/* Distance within which a step is not trusted to miss a contact, besides what the speed covers, and
 * for how many steps the speed is counted. */
#define CLEARANCE_M     1e-3
#define CLEARANCE_STEPS 1.5
/* Two that come nearer by more than this share of the sum of their thinnest half sides could pass
 * one another; parts of a step in which that does not happen are this share of it at least. */
#define STRIDE_SHARE 0.5
#define STRIDE_LEAST (1.0 / 1024)

/* Impacts without restitution have an instant if they are faster. */
#define PLASTIC_SPEED_M_S 0.05
/* Rows less mobile than this, compared with the whole mass pushed at its centre, are left alone. */
#define ROW_MOBILITY 1e-6

/* Penetration that is left alone, m: contacts rest within it instead of rattling. */
#define SLOP_M 1e-3
/* Deeper ones are pushed out by this share of the depth in a step, but no faster than the speed. */
#define PUSH_OUT_SHARE     0.2
#define PUSH_OUT_SPEED_M_S 0.05
/* Pushing out may give this many times the energy m v^2 of its speed. */
#define PUSH_OUT_WORK 2.0
/* Impacts gain energy if they gain more than this share of what they pass on. */
#define GAIN_SHARE 1e-9

/* The least normal velocity after a step of h, s, for a gap (negative: penetration); more than 0
 * pushes out. Two that are apart may use up their gap within the step; two that overlap leave slowly
 * (Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972), by velocities, and bounded). Gap, slop and
 * fastest are in m and m/s, or rad and rad/s. */
static inline double push_out_bound(double gap, double h, double slop, double fastest)
{
    if (gap > 0)
        return -gap / h;
    double speed = -gap > slop ? PUSH_OUT_SHARE * (-gap - slop) / h : 0;
    return speed < fastest ? speed : fastest;
}

/* The same of two that touch. push_out_speed: 0, or that of dynamics_set_push_out(), m/s. */
static inline double contact_bound(double gap_m, double h, double push_out_speed)
{
    return push_out_speed > 0 ? push_out_bound(gap_m, h, 0, push_out_speed)
                              : push_out_bound(gap_m, h, SLOP_M, PUSH_OUT_SPEED_M_S);
}

/* The most that pushing out may give, J: a body that can hardly move takes impulses without end to
 * be pushed out, which the whole gets as energy. */
static inline double push_out_work_most(double mass_kg, double push_out_speed)
{
    double speed = push_out_speed > 0 ? push_out_speed : PUSH_OUT_SPEED_M_S;
    return PUSH_OUT_WORK * mass_kg * speed * speed;
}

/* Whether contacts gain energy by more than rounding, and than velocities that miss the law by
 * `enough`, m/s, as those of a solution may. size: what they pass on, J; impulses: their sum, N s. */
static inline int is_work_gained(double work, double size, double impulses, double enough)
{
    return work > GAIN_SHARE * size + enough * impulses;
}

/* The shares of gains and of losses that count.
 *
 * Impulses that act together pass energy from one contact to another (a limb that lands swings the
 * next one up): the gain of one is the loss of another, so gains and losses of a step are set off
 * in proportion. The work of push-out is not: it is always gained. */
struct work_shares {
    double gains, losses;
};

static inline struct work_shares work_shares_of(double gains, double losses)
{
    return (struct work_shares){.gains = gains > losses ? (gains - losses) / gains : 0,
                                .losses = losses > gains ? (losses - gains) / losses : 0};
}

#endif
