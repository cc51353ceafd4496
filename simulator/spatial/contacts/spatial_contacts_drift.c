/* The gain of the velocities of contacts in half a step by turning alone.
 *
 * The rows are those of the pose in the middle. At the end of the step things have turned on, and
 * the law is to hold for the velocities there: those of the rows and h/2 times what these gain at
 * the rates in the middle, without the accelerations of joints. With a0, a1 such accelerations of
 * the two points of matter that touch, u = v0 - v1 their relative velocity, n' the rate of the
 * normal and p' the velocity of the place where they touch, to which other points get:
 *
 *   u' = a0 - a1 + w0 x (p' - v0) - w1 x (p' - v1)
 *   (n.u)' = n.u' + n'.u,   (t.u)' = t.u'        u has no part along n while two touch
 *
 * A corner on a face that turns by w:                 n' = w x n,   p' = the corner's velocity
 *
 * Two edges, along e0 and e1: the place wanders along both until u + x e0 - y e1 is along n, and n'
 * keeps n across both:
 *
 *   n'.e0 = (w0 x n).e0,   n'.e1 = (w1 x n).e1,         p' = v0 + x e0
 *
 * A ball of radius r around c, whose velocity is c': p' = c' - r n'. On a face n' = w x n. From a
 * point, which moves by v, as that of a corner or another ball's centre, at the distance d, n' is
 * what c' - v has across n, divided by d; and of an edge that along it is (w x n).e, as above.
 *
 * So a ball that rolls on the level gains nothing: it is not matter that touches. */
#include "simulator/spatial/contacts/spatial_contacts_private.h"

/* The normal of edges and of what is round turns by no more than this in half a step, rad, against
 * the faster of the two: a body that passes another faster than that leaves it. */
#define TURNED_MOST_RAD 0.5
/* Two faces lie on one another if the cosine of their angle is greater. */
#define FLAT_COSINE (1 - 1e-9)

/* A side of a contact: the velocity there of its matter, and what that gains; of what is fixed
 * nothing. */
struct side {
    struct vec3 spin, velocity, gain;
};

static struct side side_at(const struct spatial_mover *m, struct vec3 at)
{
    struct side s = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (!m)
        return s;
    const struct spatial_tree_link *l = m->link;
    struct vec3 arm = vec3_sub(at, l->at), turn = vec3_cross(l->velocity.w, arm);
    s.spin = l->velocity.w;
    s.velocity = vec3_add(l->velocity.v, turn);
    turn = vec3_add(vec3_cross(l->bias_sum.w, arm), vec3_cross(s.spin, turn));
    s.gain = vec3_add(l->bias_sum.v, turn);
    return s;
}

/* How the normal turns, and how fast the place where two touch moves. */
struct rolling {
    struct vec3 turning, velocity;
};

/* A rate of the normal, not too fast for a step: the share of it that is left. */
static double bounded(struct vec3 turning, double dt_s)
{
    double turned = dt_s / 2 * vec3_length(turning);
    return turned > TURNED_MOST_RAD ? TURNED_MOST_RAD / turned : 1;
}

static const struct solid *solid_of(const struct spatial_contact *c, int side)
{
    const struct spatial_pair *p = c->pair;
    const struct spatial_mover *m = side_of(c, side);
    return m ? &m->solid : &p->one->body->surfaces->fixed[CONTACT_OBSTACLE - p->b];
}

static struct rolling roll_edges(const struct spatial_contact *c, const struct side s[2],
                                 double dt_s)
{
    const struct solid_manifold *m = &c->pair->found;
    int of_first = (m->axis - SOLIDS_FACES) / 3, of_second = (m->axis - SOLIDS_FACES) % 3;
    struct vec3 e0 = solid_of(c, 0)->axes[m->is_swapped ? of_second : of_first];
    struct vec3 e1 = solid_of(c, 1)->axes[m->is_swapped ? of_first : of_second], n = c->normal;
    struct vec3 u = vec3_sub(s[0].velocity, s[1].velocity);
    double cosine = vec3_dot(e0, e1), square = 1 - cosine * cosine;
    double u0 = vec3_dot(u, e0), u1 = vec3_dot(u, e1);
    double x = (cosine * u1 - u0) / square, y = (u1 - cosine * u0) / square;
    /* n' = e0 (n'.e0 - cosine n'.e1) / square + e1 (n'.e1 - cosine n'.e0) / square */
    double n0 = vec3_dot(vec3_cross(s[0].spin, n), e0), n1 = vec3_dot(vec3_cross(s[1].spin, n), e1);
    struct vec3 turning = vec3_scale(e0, (n0 - cosine * n1) / square);
    turning = vec3_along(turning, e1, (n1 - cosine * n0) / square);
    double share = bounded(turning, dt_s);
    /* half way between the places on either */
    struct vec3 velocity = vec3_along(vec3_add(s[0].velocity, s[1].velocity), e0, share * x);
    velocity = vec3_along(velocity, e1, share * y);
    return (struct rolling){vec3_scale(turning, share), vec3_scale(velocity, 0.5)};
}

/* The motion of a ball's centre at c against the nearest feature of the other solid, a point or an
 * edge; n is towards the ball, and v the other's velocity where it is touched. */
static struct vec3 turning_about(const struct solid *ball, const struct solid *other,
                                 struct vec3 velocity, const struct side *s, struct vec3 n,
                                 double dt_s)
{
    struct vec3 edge, carried = vec3_cross(s->spin, n);
    double reach = ball->half[0] + (other->is_round ? other->half[0] : 0);
    int kind = solids_nearest_to_ball(ball, other, &edge);
    if (kind == SOLIDS_FACE)
        return carried;
    struct vec3 at =
        other->is_round ? vec3_scale(carried, -other->half[0]) : (struct vec3){0, 0, 0};
    struct vec3 u = vec3_sub(velocity, vec3_add(s->velocity, at));
    struct vec3 turning = vec3_scale(vec3_along(u, n, -vec3_dot(u, n)), 1 / reach);
    if (kind == SOLIDS_EDGE)
        turning = vec3_along(turning, edge, vec3_dot(vec3_sub(carried, turning), edge));
    return vec3_scale(turning, bounded(turning, dt_s));
}

static struct rolling roll_ball(const struct spatial_contact *c, const struct side s[2],
                                double dt_s)
{
    int ball = !c->pair->one->is_round;
    const struct spatial_mover *m = side_of(c, ball);
    struct vec3 n = vec3_scale(c->normal, ball ? -1 : 1), turning = {0, 0, 0};
    struct vec3 velocity = point_velocity(m->link, m->solid.centre);
    if (c->pair->b != CONTACT_GROUND)
        turning = turning_about(&m->solid, solid_of(c, !ball), velocity, &s[!ball], n, dt_s);
    return (struct rolling){vec3_scale(turning, ball ? -1 : 1),
                            vec3_along(velocity, turning, -m->half.x)};
}

/* 1 if a face of a box lies flat on the normal's plane. */
static int is_flat(const struct solid *solid, struct vec3 normal)
{
    int is = 0;
    for (int k = 0; k < 3; k++)
        is |= fabs(vec3_dot(solid->axes[k], normal)) > FLAT_COSINE;
    return is;
}

/* A face that lies on a face turns with either, whichever of them is asked. */
static struct rolling roll_face(const struct spatial_contact *c, const struct side s[2])
{
    const struct solid_manifold *m = &c->pair->found;
    int face = (m->axis >= 3) != m->is_swapped;
    double share = is_flat(solid_of(c, !face), c->normal) ? 0.5 : 1;
    struct vec3 spin = vec3_scale(s[face].spin, share), at = vec3_scale(s[!face].velocity, share);
    spin = vec3_along(spin, s[!face].spin, 1 - share);
    return (struct rolling){vec3_cross(spin, c->normal),
                            vec3_along(at, s[face].velocity, 1 - share)};
}

/* Adds what the second side gains, and both by other points that get there; returns what the
 * turning of the normal gives along it. */
static double add_rolling(const struct spatial_contact *c, const struct side *one, double dt_s,
                          struct vec3 *gain)
{
    const struct spatial_pair *p = c->pair;
    const struct side s[2] = {*one, side_at(p->two, c->at)};
    int has_ball = p->one->is_round || (p->two && p->two->is_round);
    struct rolling r = has_ball                        ? roll_ball(c, s, dt_s)
                       : p->found.axis >= SOLIDS_FACES ? roll_edges(c, s, dt_s)
                                                       : roll_face(c, s);
    struct vec3 by0 = vec3_cross(s[0].spin, vec3_sub(r.velocity, s[0].velocity));
    struct vec3 by1 = vec3_cross(s[1].spin, vec3_sub(r.velocity, s[1].velocity));
    *gain = vec3_add(vec3_sub(*gain, s[1].gain), vec3_sub(by0, by1));
    return vec3_dot(r.turning, vec3_sub(s[0].velocity, s[1].velocity));
}

/* The gain of a contact with a ground that has relief, in its normal, by the bend of the ground. */
static double turning_on_relief(const struct spatial_contact *c, double dt_s)
{
    const struct spatial_mover *m = c->pair->one;
    const struct spatial_tree_link *l = m->link;
    struct relief_shape shape;
    struct relief_feature f = relief_feature_of(&m->solid, c->pair->found.points[c->point].feature);
    const struct relief *relief = &m->body->surfaces->relief;
    double fastest = RELIEF_WANDER_SHARE * relief->wavelength_m / dt_s;
    relief_shape_at(relief, c->at.x, c->at.z, &shape);
    return relief_motion_of(&shape, &f, point_velocity(l, c->at), l->velocity.w, fastest).turning;
}

static void measure_drift(const struct spatial_contact *c, double dt_s, double *drift)
{
    const struct side one = side_at(c->pair->one, c->at);
    struct vec3 gain = one.gain;
    double along = 0;
    /* a corner stands on the ground, which has no other way */
    if (c->pair->normals)
        along = turning_on_relief(c, dt_s);
    else if (c->pair->b != CONTACT_GROUND || c->pair->one->is_round)
        along = add_rolling(c, &one, dt_s, &gain);
    drift[0] = dt_s / 2 * (vec3_dot(gain, c->normal) + along);
    for (int k = 0; k < 2; k++)
        drift[1 + k] = dt_s / 2 * vec3_dot(gain, c->tangents[k]);
}

/* Limits turn with their joints. A part of a split step has no drift: after an impact the rates in
 * the middle say little of the end, and its energy would not balance. */
void spatial_contacts_measure_drifts(struct spatial_contacts *s)
{
    for (int i = 0; i < s->rows; i++)
        s->drift[i] = 0;
    if (!s->is_whole)
        return;
    set_velocities(s, SPACE_MIDDLE);
    for (int k = 0; k < s->body_count; k++)
        spatial_tree_sum_biases(s->bodies[k]->tree);
    for (int i = 0; i < s->count; i++)
        measure_drift(&s->list[i], s->dt_s, &s->drift[3 * i]);
}
