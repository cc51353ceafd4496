/* See tree.h. A rectangle that gets longer and thinner, its area kept, moves every point r
 * of its, seen from the origin, by e' s with s = J r, J the mirror in the line along the width.
 * With o = the rate of turning, P the quarter turn, J J = 1 and a the origin's acceleration:
 *
 *   r. = v + o P r + e' s         r.. = a + o. P r - o^2 r + e'' s + 2 o e' P s + e'^2 r
 *
 * Integrated over the rectangle of mass m, centre c, h = m c, sides w and h, inertia
 * I = m (w^2 + h^2) / 12 + m c^2 about the origin, half of whose change with e is
 * i = m (w^2 - h^2) / 12 + m c.Jc, and n = m c x Jc:
 *
 *   force   m a + o. P h - o^2 h + e'' J h + 2 o e' P J h + e'^2 h
 *   moment  h x a + I o. + n e'' + 2 o e' i
 *   stretch J h.a + n o. + I e'' + (e'^2 - o^2) i     = F, what acts on the stretch
 *
 * A link that hangs on it, whose origin is at r, hands on f = X a_k + p there; with a_k from above
 * its s.f joins the last line, and f joins the first two with e'' X s. So the stretch is one more
 * freedom between the link's origin and all it carries, with
 *
 *   U = (n, J h) + sum of X s, and their moments      D = I + sum of s.X s
 *
 * which is taken out as a joint is (tree_accelerate.c). Impulses likewise: of one at r the share of
 * the stretch is its product with s. (Checked against Lagrange's equations of the whole body.) */
#include "simulator/planar/tree/tree_private.h"

#include "common/error.h"
#include "common/math/detmath.h"

int stretch_create(struct tree_link *l, const struct body_link *from, struct arena *arena)
{
    struct tree_stretch *stretch = arena_take(arena, 1, sizeof *stretch);
    if (!stretch)
        return ERR_MEMORY;
    *stretch = (struct tree_stretch){.axis_x = from->axis.x,
                                     .axis_y = from->axis.y,
                                     .centre_x = from->centre.x,
                                     .centre_y = from->centre.y,
                                     .birth_half_width = from->half_m.x,
                                     .birth_half_height = from->half_m.y};
    l->stretch = stretch;
    return 0;
}

/* A place or direction in the link's frame along the width and across it. */
static inline pair to_sides(const struct tree_stretch *s, pair at)
{
    pair axis = XY(s->axis_x);
    return (pair){plane_dot(axis, at), plane_cross(axis, at)};
}

static inline pair from_sides(const struct tree_stretch *s, pair sides)
{
    pair axis = XY(s->axis_x);
    return sides[0] * axis + sides[1] * plane_turn(axis);
}

/* Where a place at birth is now. */
static inline pair stretched(const struct tree_stretch *s, pair at)
{
    return from_sides(s, to_sides(s, at) * (pair){s->grow, s->shrink});
}

/* J at. */
static inline pair mirrored(const struct tree_stretch *s, pair at)
{
    return from_sides(s, to_sides(s, at) * (pair){1, -1});
}

static inline pair turned(double sine, double cosine, pair at)
{
    return cosine * at + sine * plane_turn(at);
}

void stretch_set(struct tree_link *l, double e, double sine, double cosine)
{
    struct tree_stretch *s = l->stretch;
    s->grow = det_exp(e);
    s->shrink = det_exp(-e);
    s->half_width = s->birth_half_width * s->grow;
    s->half_height = s->birth_half_height * s->shrink;
    pair centre = stretched(s, XY(s->centre_x)), drift = mirrored(s, centre);
    double width2 = s->half_width * s->half_width, height2 = s->half_height * s->half_height;
    XY(l->centre_x) = centre;
    XY(l->moment_x) = l->mass * centre;
    XY(l->moment_across_x) = plane_turn(l->mass * centre);
    l->own_inertia = l->mass * (width2 + height2) / 3;
    l->inertia = l->own_inertia + l->mass * plane_dot(centre, centre);
    s->slope = l->mass * (width2 - height2) / 3 + l->mass * plane_dot(centre, drift);
    s->n = l->mass * plane_cross(centre, drift);
    XY(s->hx) = turned(sine, cosine, l->mass * drift);
}

void stretch_place(struct tree_link *l)
{
    const struct tree_link *up = l->up;
    pair joint = stretched(up->stretch, XY(l->birth_x));
    XY(l->joint_x) = joint;
    XY(l->joint_across_x) = plane_turn(joint);
    XY(l->out_x) = turned(up->sin, up->cos, joint);
    XY(l->drift_x) = turned(up->sin, up->cos, mirrored(up->stretch, joint));
}

struct vec2 tree_stretch_way(const struct tree_link *l, struct vec2 at)
{
    pair own = turned(-l->sin, l->cos, (pair){at.x, at.y});
    pair way = turned(l->sin, l->cos, mirrored(l->stretch, own));
    return (struct vec2){way[0], way[1]};
}

struct vec2 tree_drift(const struct tree_link *l, struct vec2 at)
{
    struct vec2 way = {0, 0};
    if (l->stretch)
        way = tree_stretch_way(l, at);
    return (struct vec2){l->rate * way.x, l->rate * way.y};
}

struct tree_sides tree_sides(const struct tree_link *l)
{
    return (struct tree_sides){
        l->stretch->half_width, l->stretch->half_height, {l->centre_x, l->centre_y}};
}

/* ---------------------------------------------------------------- accelerations and impulses */

void stretch_start_inertia(struct tree_link *l)
{
    struct tree_stretch *s = l->stretch;
    s->sum = (struct tree_column){s->n, s->hx, s->hy, l->inertia};
}

void stretch_start_force(struct tree_link *l)
{
    struct tree_stretch *s = l->stretch;
    double o = l->velocity.w, rate = l->rate;
    l->pa.n += 2 * o * rate * s->slope;
    XY(l->pa.x) += rate * rate * XY(l->hx) + 2 * o * rate * plane_turn(XY(s->hx));
    s->bias = (rate * rate - o * o) * s->slope;
}

pair stretch_bias(const struct tree_link *l)
{
    double o = l->up->velocity.w, rate = l->up->rate;
    return rate * rate * XY(l->out_x) + 2 * o * rate * plane_turn(XY(l->drift_x));
}

void stretch_add_inertia(struct tree_link *l, pair n, pair x, pair y)
{
    struct tree_column *sum = &l->up->stretch->sum;
    pair s = XY(l->drift_x), f = x * s[0] + y * s[1];
    sum->n += plane_dot(n, s) + plane_cross(XY(l->rx), f);
    XY(sum->x) += f;
    sum->d += plane_dot(s, f);
}

/* ---------------------------------------------------------------- drag */

double stretch_drag_now(const struct tree_link *l, struct motion v, double rate,
                        struct force *force)
{
    const struct tree_column *drag = &l->stretch->world_drag;
    force->n += drag->n * rate;
    force->x += drag->x * rate;
    force->y += drag->y * rate;
    return drag->n * v.w + drag->x * v.x + drag->y * v.y + drag->d * rate;
}

/* Adds the force of that, which is returned, to the bias. */
static struct force add_drag(struct tree_link *l, struct motion v, double rate)
{
    struct force force = {0, 0, 0};
    struct tree_stretch *s = l->stretch;
    pair turned_drag = turned(l->sin, l->cos, XY(s->drag.x));
    s->world_drag = (struct tree_column){s->drag.n, turned_drag[0], turned_drag[1], s->drag.d};
    s->drag_force = stretch_drag_now(l, v, rate, &force);
    s->bias += s->drag_force;
    l->pa.n += force.n;
    l->pa.x += force.x;
    l->pa.y += force.y;
    return force;
}

void stretch_drag_explicitly(struct tree_link *l)
{
    struct force force = add_drag(l, l->velocity, l->rate);
    l->drag_force.n += force.n;
    l->drag_force.x += force.x;
    l->drag_force.y += force.y;
}

void stretch_drag_implicitly(struct tree_link *l, double half_step)
{
    struct tree_stretch *s = l->stretch;
    struct motion known = {l->start.w, l->start.x - half_step * l->bias.x,
                           l->start.y - half_step * l->bias.y};
    add_drag(l, known, s->start_rate);
    s->sum.n += half_step * s->world_drag.n;
    s->sum.x += half_step * s->world_drag.x;
    s->sum.y += half_step * s->world_drag.y;
    s->sum.d += half_step * s->world_drag.d;
}
