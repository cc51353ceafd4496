/* See contacts.h. The gain of a contact's velocities in half a step by turning alone.
 *
 * The rows J of a contact are those of the pose in the middle of the step. At its end things have
 * turned on, so that the law is to hold for J v + h/2 J'v. With a the accelerations of the two
 * points of matter that touch, but for those of joints, V their relative velocity and W the turning
 * of the normal n, which is t = z x n times W per second; wa, wb those of the bodies; and p' the
 * velocity of the place where they touch:
 *
 *   V'   = a_a - a_b + wa x (p' - v_a) - wb x (p' - v_b)       since other points get to that place
 *   J'v  = n.V' + W t.V   along the normal,   t.(a_a - a_b)   along the tangent
 *
 * where V has no part along n, as it is while two touch. The places move along the surfaces: with
 * p' - v_a = s t and p' - v_b = (s + t.V) t,
 *
 *   n.V' = n.(a_a - a_b) - wa s + wb (s + t.V)
 *
 * Of a surface with the radius of curvature r (corner: 0, face: without end) the centre is fixed in
 * its body, so that s = ra (wa - W) and s + t.V = -rb (wb - W). A face carries the normal along:
 *
 *   face of b          W = wb                                    s = ra (wa - W)
 *   face of a          W = wa                                    s = -t.V - rb (wb - W)
 *   a face of either   W = (wa + wb) / 2                         s = -t.V / 2
 *   no face            W = (t.V + ra wa + rb wb) / (ra + rb)     s = ra (wa - W)
 *
 * So a corner on a face has n.(a_a - a_b) + 2 W t.V, and a disk that rolls on the level nothing.
 * Without that a face that turns while it slides over an edge sinks by h W t.V per second, and
 * loses energy in the first order. A stretching face moves a body that slides on it, too: along t,
 * where that decides nothing, and it is left out. */
#include "simulator/planar/contacts/contacts_private.h"

#include <math.h>

/* The normal of what is round turns by no more than this in half a step, rad: a body that passes a
 * corner faster than that leaves it. */
#define TURNED_MOST_RAD 0.5

/* How the normal turns, and how fast the place where two touch moves along the first, along t. */
struct rolling {
    double turning_rad_s, along_m_s;
};

static struct rolling rolling_of(const struct contact *c, double slip_m_s, double dt_s)
{
    const double *radius = c->radius;
    int is_face_a = radius[0] == HUGE_VAL, is_face_b = radius[1] == HUGE_VAL;
    double wa = c->a->velocity.w, wb = c->b ? c->b->velocity.w : 0;
    if (is_face_a && is_face_b)
        return (struct rolling){(wa + wb) / 2, -slip_m_s / 2};
    if (is_face_b)
        return (struct rolling){wb, radius[0] * (wa - wb)};
    if (is_face_a)
        return (struct rolling){wa, -slip_m_s - radius[1] * (wb - wa)};
    double both = radius[0] + radius[1], most = 2 * TURNED_MOST_RAD / dt_s;
    double turning = (slip_m_s + radius[0] * wa + radius[1] * wb) / both;
    turning = det_max(-most, det_min(most, turning));
    return (struct rolling){turning, radius[0] * (wa - turning)};
}

/* Accelerations along both forces of a point of a link, but for those of joints: with r from the
 * link's origin, s = J r of what stretches (tree_stretch.c) and P the quarter turn
 *
 *   sum of b - w^2 r + 2 w e' P s + e'^2 r
 *
 * of which the forces n and t' = -P n have r.n = -(r x t'), r.t' = r x n: what PAIR(f->n) is,
 * turned by a right angle; and so for P s. Of what is rigid, at the velocity of the last
 * tree_accelerate(): */
static inline pair bias_along(const struct force_pair *f, const struct tree_link *l)
{
    struct vec2 b = tree_bias(l);
    return PAIR(f->x, 0) * b.x + PAIR(f->y, 0) * b.y - plane_turn(l->turn * PAIR(f->n, 0));
}

/* The share of a stretch. */
static pair stretch_along(const struct force_pair *f, const struct tree_link *l)
{
    double rate = l->rate;
    if (!l->stretch)
        return pair_of(0);
    return plane_turn(rate * (rate * PAIR(f->n, 0) - 2 * l->velocity.w * PAIR(f->stretch, 0)));
}

/* The share of a ground that has relief, by its bend, see relief.h; `velocity`: of the contact. */
static double turning_on_relief(const struct contacts *s, const struct contact *c, pair velocity)
{
    const struct contact_body *own = s->bodies[c->of_a];
    const struct relief *relief = &s->world->relief;
    struct solid solid = collide_solid(&own->movers[c->part].box, own->tree->root_x);
    struct relief_feature feature = relief_feature_of(&solid, c->feature);
    pair n = XY(c->normal.x), u = velocity[0] * n - velocity[1] * plane_turn(n);
    struct relief_shape shape;
    relief_shape_at(relief, c->at.x, 0, &shape);
    double fastest = RELIEF_WANDER_SHARE * relief->wavelength_m / s->dt_s;
    return relief_motion_of(&shape, &feature, (struct vec3){u[0], u[1], 0},
                            (struct vec3){0, 0, c->a->velocity.w}, fastest)
        .turning;
}

/* The share of turning normals and of places that wander along the normal. */
static double turning_of_faces(const struct contacts *s, const struct contact *c, pair velocity)
{
    double slip = -velocity[1], wa = c->a->velocity.w, wb = c->b ? c->b->velocity.w : 0;
    struct rolling r = rolling_of(c, slip, s->dt_s);
    return r.turning_rad_s * slip + wb * (slip + r.along_m_s) - wa * r.along_m_s;
}

/* The share of J'v of all but the rigid motion of the first link. */
static __attribute__((noinline)) pair turning_by_slip(const struct contacts *s,
                                                      const struct contact *c)
{
    pair turning = stretch_along(&c->on_a, c->a), velocity = contact_velocity(c);
    if (c->b)
        turning += bias_along(&c->on_b, c->b) + stretch_along(&c->on_b, c->b);
    if (c->other == CONTACT_GROUND && s->world->relief.depth_m > 0)
        turning[0] += turning_on_relief(s, c, velocity);
    else
        turning[0] += turning_of_faces(s, c, velocity);
    return turning;
}

/* A contact that bounces has its law right after the hit, in the middle. */
void contacts_add_drifts(struct contacts *s)
{
    double half = s->dt_s / 2, *drift = s->drift, *free = s->impulses.free;
    if (s->has_slip)
        set_velocities(s, PLANE_MIDDLE, s->body_count);
    for (int i = 0, count = s->count; i < count; i++) {
        const struct contact *c = &s->list[i];
        int row = c->first_row;
        if (c->part < 0 || c->is_bouncing) {
            drift[row] = 0;
            drift[row + row_count(c) - 1] = 0;
            continue;
        }
        pair change = bias_along(&c->on_a, c->a);
        if (c->has_slip)
            change += turning_by_slip(s, c);
        change *= half;
        PAIR(drift, row) = change;
        PAIR(free, row) += change;
    }
}
