/* The state of the second solver: links from joint coordinates, and joint coordinates from
 * links. */
#include <math.h>

#include "common/math/detmath.h"
#include "simulator/reference/plane/constraint.h"

void constraint_set_energies(struct constraint *c)
{
    struct ledger *l = &c->ledger;
    l->kinetic_j = l->potential_j = 0;
    for (int i = 0; i < c->links; i++) {
        const struct body *b = &c->bodies[i];
        const double *at = c->y + 3 * i, *v = c->y + 3 * (c->links + i);
        l->kinetic_j += (b->mass * (v[0] * v[0] + v[1] * v[1]) + b->inertia * (v[2] * v[2])) / 2;
        l->potential_j +=
            b->mass * (c->world.gravity_m_s2 * at[1] - c->world.gravity_x_m_s2 * at[0]);
    }
}

/* The extensions of the two linear joints of a free body, which have no mass: the way of its own
 * joint from the root's origin along each. */
static void set_free_coordinates(struct constraint *c, int i)
{
    const struct body *b = &c->bodies[i];
    const double *at = c->y + 3 * i, *v = c->y + 3 * (c->links + i);
    double sine, cosine;
    det_sincos(at[2], &sine, &cosine);
    double rx = cosine * b->own.x - sine * b->own.y, ry = sine * b->own.x + cosine * b->own.y;
    double x = at[0] + rx - c->q[0], y = at[1] + ry - c->q[1];
    double vx = v[0] - v[2] * ry, vy = v[1] + v[2] * rx;
    for (int link = b->parent; link > 0; link = c->bodies[link].parent) {
        struct vec2 axis = c->phenotype->links[link].axis;
        c->q[2 + link] = axis.x * x + axis.y * y;
        c->qd[2 + link] = axis.x * vx + axis.y * vy;
    }
}

void constraint_set_coordinates(struct constraint *c)
{
    const struct body *root = &c->bodies[0];
    const double *at = c->y, *v = c->y + 3 * c->links;
    double sine, cosine;
    det_sincos(at[2], &sine, &cosine);
    double rx = cosine * root->own.x - sine * root->own.y;
    double ry = sine * root->own.x + cosine * root->own.y;
    c->q[0] = at[0] + rx;
    c->q[1] = at[1] + ry;
    c->q[2] = at[2];
    c->qd[0] = v[0] - v[2] * ry;
    c->qd[1] = v[1] + v[2] * rx;
    c->qd[2] = v[2];
    for (int i = 1; i < c->links; i++) {
        struct row row;
        touch_set_joint_row(c, i, &row);
        c->q[2 + i] = row.deviation;
        c->qd[2 + i] = row.rate;
    }
    for (int i = 1; i < c->links; i++)
        if (!c->bodies[i].has_joint && c->bodies[i].mass > 0)
            set_free_coordinates(c, i);
}

void constraint_forget_touches(struct constraint *c)
{
    c->touch_count = c->point_count = c->mark_count = 0;
    c->penetration_m = 0;
    c->stiff_count = 0;
    c->is_stale = 1;
    c->h_s = c->settings.dt_s;
    c->last_error = 1;
    for (int i = 0; i < c->joints_max; i++)
        c->reference[i] = 0;
}

/* All links from joint coordinates. */
static void set_links(struct constraint *c, const double *q, const double *qd)
{
    for (int i = 0; i < c->links; i++) {
        const struct body *b = &c->bodies[i];
        double *at = c->y + 3 * i, *v = c->y + 3 * (c->links + i), sine, cosine;
        double x = q[0], y = q[1], vx = qd[0], vy = qd[1];
        struct vec2 slide = {0, 0};
        at[2] = q[2 + i];
        v[2] = qd[2 + i];
        if (i > 0) {
            /* the joint moves with the parent, and along it */
            const double *p = c->y + 3 * b->parent, *u = c->y + 3 * (c->links + b->parent);
            det_sincos(p[2], &sine, &cosine);
            double rx = cosine * b->parents.x - sine * b->parents.y;
            double ry = sine * b->parents.x + cosine * b->parents.y;
            if (b->is_linear) {
                double ex = cosine * b->axis.x - sine * b->axis.y;
                double ey = sine * b->axis.x + cosine * b->axis.y;
                rx += q[2 + i] * ex;
                ry += q[2 + i] * ey;
                slide.x = qd[2 + i] * ex;
                slide.y = qd[2 + i] * ey;
                at[2] = v[2] = 0;
            }
            at[2] += p[2];
            v[2] += u[2];
            x = p[0] + rx;
            y = p[1] + ry;
            vx = u[0] - u[2] * ry + slide.x;
            vy = u[1] + u[2] * rx + slide.y;
        }
        det_sincos(at[2], &sine, &cosine);
        double sx = -(cosine * b->own.x - sine * b->own.y);
        double sy = -(sine * b->own.x + cosine * b->own.y);
        at[0] = x + sx;
        at[1] = y + sy;
        v[0] = vx - v[2] * sy;
        v[1] = vy + v[2] * sx;
    }
    /* without mass nothing moves by itself */
    for (int i = 3 * c->links; i < 6 * c->links; i++)
        if (c->bodies[i / 3 - c->links].mass <= 0)
            c->y[i] = 0;
    touch_place(c, c->y);
}

void constraint_set_state(struct dynamics *dynamics, const double *q, const double *qd)
{
    struct constraint *c = constraint_of(dynamics);
    set_links(c, q, qd);
    constraint_forget_touches(c);
    for (int i = 0; i < c->dof; i++) {
        c->q[i] = q[i];
        c->qd[i] = qd[i];
    }
    if (c->phenotype->closure_count > 0 || c->has_motions) {
        system_close(c);
        constraint_set_coordinates(c);
    }
    system_forgive_rounding(c);
}
