/* Measures of an evaluation, and its verdicts: one table each.
 *
 * The simulator fills them, the wire carries them, the run store has a column for each, fitness is
 * computed from them. All are doubles in SI units; distances are from the creature's own settled
 * start, heights above the ground (or above y = 0 where there is none). */
#ifndef COMMON_JUDGE_MEASURES_H
#define COMMON_JUDGE_MEASURES_H

#include <stdint.h>

/* Displacement is projected per window on the line from start to end: see swim. */
#define MEASURE_WINDOWS 8

/* name, unit in the name, meaning */
#define MEASURES(X)                                                                                \
    X(parts, "parts of the phenotype")                                                             \
    X(links, "bodies that move on their own (rigid joints merged)")                                \
    X(neurons, "neurons in the compiled brain")                                                    \
    X(mass_kg, "mass")                                                                             \
    X(size_m, "diagonal of the bounding box at the settled start")                                 \
    X(time_s, "scored time simulated")                                                             \
    X(settle_s, "time spent pushing apart and settling")                                           \
    X(distance_m, "horizontal distance of the centre of mass at the end")                          \
    X(displacement_m, "straight distance of the centre of mass at the end")                        \
    X(distance_max_m, "greatest straight distance of the centre of mass")                          \
    X(path_m, "length of the path of the centre of mass")                                          \
    X(window_1_m, "progress from start towards end in the first eighth of the time; see swim")     \
    X(window_2_m, "the same, second eighth")                                                       \
    X(window_3_m, "the same, third eighth")                                                        \
    X(window_4_m, "the same, fourth eighth")                                                       \
    X(window_5_m, "the same, fifth eighth")                                                        \
    X(window_6_m, "the same, sixth eighth")                                                        \
    X(window_7_m, "the same, seventh eighth")                                                      \
    X(window_8_m, "the same, last eighth")                                                         \
    X(lowest_start_m, "height of the body's lowest point at the settled start")                    \
    X(lowest_max_m, "greatest height of the body's lowest point")                                  \
    X(height_start_m, "height of the centre of mass at the settled start")                         \
    X(height_mean_m, "mean height of the centre of mass")                                          \
    X(height_max_m, "greatest height of the centre of mass")                                       \
    X(contact_share, "share of the time with any contact to the ground")                           \
    X(work_in_j, "work of the effectors, positive parts (energy used)")                            \
    X(work_net_j, "work of the effectors")                                                         \
    X(cost_of_transport,                                                                           \
      "energy used and fallen / (mass, 9.81 m/s2, straight distance); 0: no way")                  \
    X(loss_friction_j, "energy lost to friction of contacts")                                      \
    X(loss_impact_j, "energy lost in normal contact (ground, self)")                               \
    X(loss_limit_j, "energy lost at joint limits")                                                 \
    X(loss_drag_j, "energy lost to the viscosity of the world")                                    \
    X(loss_damping_j, "energy lost in joint damping")                                              \
    X(gain_unearned_j, "positive work of contacts and limits: push-out, impact, limit")            \
    X(energy_start_j, "kinetic and potential energy at the settled start")                         \
    X(energy_end_j, "the same at the end")                                                         \
    X(residual_j, "energy that does not balance over the scored time (signed)")                    \
    X(residual_share, "(|residual| + mended + unearned gain) / (work in + losses + 1e-3 m g H)")   \
    X(speed_max_m_s, "greatest speed of any part's centre")                                        \
    X(joint_speed_max_rad_s, "greatest rate of any joint that turns")                              \
    X(penetration_max_m, "deepest contact penetration")                                            \
    X(rk4_share, "share of the steps taken with RK4 (the others: Moreau midpoint)")                \
    X(reach_m, "greatest horizontal way of the centre of mass with a floor below it")              \
    X(fell, "1 if it fell off what it stood on (its mass centre 0.1 m below it), else 0")          \
    X(head_start_m, "height of the head's centre at the settled start")                            \
    X(head_mean_m, "mean height of the head")                                                      \
    X(head_max_m, "greatest height of the head")                                                   \
    X(follow_share, "1 - distance to the light / that of a still body; mean over the trials")      \
    X(light_distance_m, "mean distance to the light (horizontal where there is a ground)")         \
    X(joint_speed_max_m_s, "greatest rate of any linear joint")                                    \
    X(way_x_m, "where the centre of mass is at the end, from the start: to the right")             \
    X(way_y_m, "the same, upwards")                                                                \
    X(reversals_max_hz, "reversals per second of the joint that has most")                         \
    X(way_z_m, "the same, sideways")                                                               \
    X(lowest_mean_m, "mean height of the body's lowest point")                                     \
    X(power_w_kg, "energy used by time and mass: the muscles' mean power")                         \
    X(power_max_w_kg, "the same over the tenth of a second that has most")                         \
    X(size_max_m, "greatest distance between two points of the body, while it moves")              \
    X(clearance_mean_m, "mean height of the body's lowest point; 0 while something touches")       \
    X(slip_share,                                                                                  \
      "energy lost to friction / (friction, weight, way along the ground): 1 slides all the way")  \
    X(belly_share, "share of the load that parts bear which are not last segments of limbs")       \
    X(stride_hz, "full swings per second of the driven joint in the middle of those that swing")   \
    X(stride_m, "way along the ground in such a swing; 0: nothing swings")                         \
    X(feet,                                                                                        \
      "last segments of limbs that bear a twentieth of the load and are off the ground for a "     \
      "sixth of the time")                                                                         \
    X(pairs, "pairs of parts that are mirror images")                                              \
    X(head_first,                                                                                  \
      "cosine between its way and the direction from its middle to its head, mean over the path: " \
      "1 goes head first, -1 tail first")                                                          \
    X(idle_share,                                                                                  \
      "share of its parts that neither bear load, nor swing, nor feel, nor carry such parts or "   \
      "the head")                                                                                  \
    X(contests, "contests it has had, bouts counted; of all that follow the means over them")      \
    X(contest_margin, "by how much it won, -1 .. 1")                                               \
    X(contest_won, "share that it won")                                                            \
    X(contest_touched, "share in which it touched what it contended for")                          \
    X(contest_approach, "how much of the way to it, at the start, it came nearer; 1 if it "        \
                        "touched")

struct measures {
#define X(name, text) double name;
    MEASURES(X)
#undef X
};

/* No measure is beyond this, in either direction: sums of squares over all creatures stay finite.
 * Light has a speed of 3e8 m/s. */
#define MEASURE_MOST 1e30

enum {
#define X(name, text) MEASURE_##name,
    MEASURES(X)
#undef X
        MEASURE_COUNT
};

struct measure_info {
    const char *name;
    const char *meaning;
};
extern const struct measure_info measure_table[MEASURE_COUNT];

/* The measure with that name, or -1. */
int measure_find(const char *name);
/* Access by number, 0 <= index < MEASURE_COUNT. */
double measures_get(const struct measures *measures, int index);
void measures_set(struct measures *measures, int index, double value);
/* The first measure that is not finite, or beyond what it can be, or -1: the shares of a contest
 * are within -1 .. 1, all others within MEASURE_MOST. */
int measures_find_fault(const struct measures *measures);
/* 1 if both move exactly alike: all measures are the same but the number of neurons, which may do
 *   nothing. */
int measures_move_alike(const struct measures *one, const struct measures *other);
/* 1 if the bodies are of one kind: they have as many parts and links. */
int measures_are_one_kind(const struct measures *one, const struct measures *other);
/* The first measure that is not the same number in both, or -1. */
int measures_find_difference(const struct measures *one, const struct measures *other);

/* Verdicts: why an evaluation ended as it did. `ok`, `motionless`, `hopeless`, `landed` and `fell`
 * have a score; the others are disqualified (fitness 0), keep their measures, and say why in words.
 * Numbers are stored and sent: never reuse one. */
#define VERDICTS(X)                                                                                \
    X(OK, 0, "ok", "ok", "ran to the end")                                                         \
    X(MOTIONLESS, 1, "motionless", "motionless", "stopped early: it did not move")                 \
    X(NOT_EXPRESSED, 2, "not-expressed", "no body",                                                \
      "no body within the bounds could be expressed")                                              \
    X(OVERLAP, 3, "overlap", "overlap", "parts that are not neighbours overlap at birth")          \
    X(UNSETTLED, 4, "unsettled", "restless", "did not come to rest before the start")              \
    X(NOT_FINITE, 5, "not-finite", "not finite", "a state became infinite or not a number")        \
    X(TOO_FAST, 6, "too-fast", "too fast", "a part exceeded the speed limit")                      \
    X(SPINNING, 7, "spinning", "spinning", "a part turned too fast for the step")                  \
    X(PENETRATION, 8, "penetration", "sunk in", "a contact was violated for too long")             \
    X(ENERGY, 9, "energy", "energy", "energy came from nowhere, or vanished")                      \
    X(UNSTABLE_DRAG, 10, "unstable-drag", "too thin", "too thin for this viscosity and step")      \
    X(BUDGET, 11, "budget", "too costly", "its simulation took too much work")                     \
    X(VIBRATION, 12, "vibration", "vibration", "joints reversed faster than muscles can")          \
    X(QUARANTINED, 13, "quarantined", "crashed", "its simulation crashed repeatedly")              \
    X(LANDED, 14, "landed", "landed", "its flight ended when it touched the ground")               \
    X(FELL, 15, "fell", "fell", "it fell off what it stood on")                                    \
    X(UNBALANCED, 16, "unbalanced", "unbalanced", "a joint's bodies differ too much in mass")      \
    X(MOMENTUM, 17, "momentum", "momentum", "momentum came from nowhere, or vanished")             \
    X(HOPELESS, 18, "hopeless", "too slow", "stopped early: it was too slow")                      \
    X(JOINT_SPEED, 19, "joint-speed", "joint speed", "a joint moved faster than muscles can")      \
    X(BROKEN, 20, "broken", "broken", "its bones gave way under their load")                       \
    X(MEMORY, 21, "memory", "too large", "its body or its contacts did not fit into memory")       \
    X(UNSOLVED, 22, "unsolved", "unsolved", "its contacts have no solution")

enum verdict {
#define X(id, number, name, words, text) VERDICT_##id = number,
    VERDICTS(X)
#undef X
};

const char *verdict_name(int verdict);   /* "ok", "overlap", ...; "unknown" outside the table */
const char *verdict_words(int verdict);  /* for tables, ten letters or so: "too slow" */
const char *verdict_reason(int verdict); /* in a sentence */
int verdict_find(const char *name);      /* number, or -1 */
int verdict_is_scored(int verdict);      /* ok, motionless, hopeless, landed, fell */

#endif
