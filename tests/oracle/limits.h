/* Reference cases of joints at limits, of space/closed-forms.json: balls that turn until they are
 * stopped, and a hinge that is driven to its stop. */
#ifndef TESTS_ORACLE_LIMITS_H
#define TESTS_ORACLE_LIMITS_H

#include "tests/links.h"

#define DEGREE (3.14159265358979323846 / 180)

/* Of 1 kg and 0.02 kg m^2 in all directions, thrown with a rate in the world's axes. */
static const struct ball_case {
    const char *name;
    double cone_rad, twist_rad; /* either way; 0: free */
    struct quaternion q;
    struct vec3 w_world;
} ball_cases[] = {
    {"spherical-cone-touch", 50 * DEGREE, 0, {1, 0, 0, 0}, {0.5, 1, 2}},
    {"spherical-cone-limit",
     60 * DEGREE,
     0,
     {0.93969262078590838405, 0, 0, 0.34202014332566873304},
     {1, -1.9, 1.4}},
    /* about its own x axis */
    {"spherical-twist-limit",
     60 * DEGREE,
     40 * DEGREE,
     {0.96592582628906828675, 0, 0, 0.25881904510252076235},
     {2.59807621135331594, 1.5, 0}},
};
enum { BALL_CASES = sizeof ball_cases / sizeof ball_cases[0] };

static inline struct body_link ball_link(const struct ball_case *c)
{
    struct body_link link =
        link_with(-1, LINK_SPHERICAL, 1, (struct sym3){0.02, 0, 0, 0.02, 0, 0.02});
    link.cone_rad = c->cone_rad;
    if (c->twist_rad > 0) {
        link.lower[0] = -c->twist_rad;
        link.upper[0] = c->twist_rad;
    }
    return link;
}

/* At the start, in the link's axes. */
static inline struct vec3 ball_rate(const struct ball_case *c)
{
    struct mat3 r = quaternion_matrix(c->q);
    return mat3_back(&r, c->w_world);
}

/* A box of 2 kg on a hinge along (1, 2, 2) / 3 through its centre: the joint's frame takes z there,
 * the link's frame is that of the joint, and the box is turned back in it. */
static const struct vec3 hinge_axis = {1.0 / 3, 2.0 / 3, 2.0 / 3};
static const struct sym3 hinge_box = {2 * (0.04 + 0.09) / 12, 0, 0,
                                      2 * (0.16 + 0.09) / 12, 0, 2 * (0.16 + 0.04) / 12};
static const struct servo hinge_drive = {.law = SERVO_TORQUE, .torque_max = 0.5, .target = 1};

static inline struct body_link hinge_link(void)
{
    struct vec3 across = vec3_cross((struct vec3){0, 0, 1}, hinge_axis);
    struct quaternion frame =
        quaternion_about(vec3_scale(across, 1 / vec3_length(across)), acos(hinge_axis.z));
    struct mat3 back = quaternion_matrix(quaternion_back(frame));
    struct body_link link = link_with(-1, LINK_REVOLUTE, 2, sym3_turned(&hinge_box, &back));
    link.frame = frame;
    link.lower[0] = -200 * DEGREE;
    link.upper[0] = 250 * DEGREE;
    return link;
}

/* Torque across the axis before the stop, at that rate: J w' + w x J w without the part along the
 * axis; w' = n tau / I. */
static inline double hinge_bend(double rate_rad_s, double inertia_kg_m2)
{
    struct vec3 l = sym3_apply(&hinge_box, hinge_axis), w = vec3_scale(hinge_axis, rate_rad_s);
    struct vec3 bend = vec3_cross(w, vec3_scale(l, rate_rad_s));
    bend = vec3_along(bend, l, hinge_drive.torque_max / inertia_kg_m2);
    return vec3_length(vec3_along(bend, hinge_axis, -vec3_dot(bend, hinge_axis)));
}

#endif
