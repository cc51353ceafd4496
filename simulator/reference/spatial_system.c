/* See spatial_system.h: places, forces, and the rows of joints. A joint between a parent p and a
 * child c has d, the way from the joint's place on the parent to that on the child, and a frame f
 * that stands fixed in the parent. Two kinds of rows close it:
 *
 *   place along e, an axis of f:      D = d.e           D' = d'.e + d.(wp x e)
 *       D'' = (Jc, Jp).(accelerations) + e.(wc x (wc x rc) - wp x (wp x rp)) + 2 d'.(wp x e) + d.(wp x (wp x e))
 *       with Jc = (e, rc x e),  Jp = -(e, (rp + d) x e)
 *   turn: u, an axis of f, stays across a, an axis of the child:     D = u.a     D' = (a x u).(wc - wp)
 *       D'' = (a x u).(alpha_c - alpha_p) + ((wc x a) x u + a x (wp x u)).(wc - wp)
 *
 * A joint without a slide has the places along three axes, one with a slide those across it; one
 * without a turn has three turn rows, one that turns about k has two (the child's k across f's
 * others), one with two axes has one: they stay across each other. A ball has no turn row, a free
 * root no row at all. A prescribed motion is a row along its freedom. In the plane the places along z
 * and the turns about other axes than z have no rows: nothing moves or turns that way.
 *
 * A rectangle may stretch: it gets longer and thinner with a coordinate e of its own, width exp(e),
 * height exp(-e), about its centre of mass. With s = J r, J the mirror in the line along the width,
 * a place at the arm r of it has
 *
 *   r. = v + w x r + e' s        r.. = a + alpha x r + e'' s + w x (w x r) + 2 e' w x s + e'^2 r
 *
 * so that a force f there has a part f.s along e, and the J of rows a column of it. Within the body
 * such a motion has no momentum and no spin, and its energy is I e'^2 / 2 with the inertia
 * I = m (width^2 + height^2) / 12, whose change is I' = m (width^2 - height^2) / 6. Lagrange:
 *
 *   m a = f     I alpha = moment - I' e' w     I e'' = sum of f.s + effort + I' (w^2 - e'^2) / 2
 *
 * A slide's place on the parent moves with its parent's stretch, but not the way that it slid. */
#include "simulator/reference/spatial_system.h"

#include <math.h>

#include "common/math/detmath.h"

/* Operations of an evaluation for each body, and for each face and box that may hide it. */
enum { BODY_WORK = 2000, FACE_WORK = 300 };

/* ---------------------------------------------------------------- bodies that stretch */

/* Multiplies by these in the plane along a unit vector and across it, and by one besides. */
static struct sym3 along_and_across(struct vec3 axis, double along, double across, double besides)
{
    return (struct sym3){along * axis.x * axis.x + across * axis.y * axis.y,
                         (along - across) * axis.x * axis.y,
                         0,
                         along * axis.y * axis.y + across * axis.x * axis.x,
                         0,
                         besides};
}

/* L' of a = L L'. */
static struct sym3 root_of(const struct sym3 *a)
{
    struct sym3 l = {.xx = sqrt(a->xx)};
    l.xy = a->xy / l.xx;
    l.xz = a->xz / l.xx;
    l.yy = sqrt(a->yy - l.xy * l.xy);
    l.yz = (a->yz - l.xy * l.xz) / l.yy;
    l.zz = sqrt(a->zz - l.xz * l.xz - l.yz * l.yz);
    return l;
}

static void set_inertia(struct rigid *b, const struct sym3 *inertia)
{
    b->inertia = *inertia;
    b->inverse_inertia = sym3_inverse(inertia);
    b->root = root_of(inertia);
}

void spatial_system_init_body(struct rigid *b, const struct body_link *link)
{
    const struct joint_kind *joint = &joint_kinds[link->kind];
    *b = (struct rigid){.parent = link->parent,
                        .link = link,
                        .joint = joint,
                        .rates = joint_rates(joint),
                        .plain = joint->slides + joint->turns + joint->stretches,
                        .stretch = joint_rates(joint) - joint->stretches,
                        .mass = link->mass_kg,
                        .inverse_mass = 1 / link->mass_kg,
                        .sides = {1, 1, 1},
                        .grown = {1, 0, 0, 1, 0, 1},
                        .shrunk = {1, 0, 0, 1, 0, 1}};
    set_inertia(b, &link->inertia);
}

void spatial_system_form(struct rigid *b)
{
    const struct body_link *l = b->link;
    if (!spatial_system_stretches(b))
        return;
    double grow = det_exp(b->place.stretch), shrink = det_exp(-b->place.stretch);
    double width = l->half_m.x * grow, height = l->half_m.y * shrink;
    double inertia = b->mass * (width * width + height * height) / 3;
    set_inertia(b, &(struct sym3){inertia, 0, 0, inertia, 0, inertia});
    b->sides = (struct vec3){grow, shrink, 1};
    b->stretch_mass = inertia;
    b->inverse_stretch_mass = 1 / inertia;
    b->inertia_rate = b->mass * (width * width - height * height) * 2 / 3;
    b->grown = along_and_across(l->axis, grow, shrink, 1);
    b->shrunk = along_and_across(l->axis, shrink, grow, 1);
    struct sym3 mirror = along_and_across(l->axis, 1, -1, 0);
    b->spread = sym3_turned(&mirror, &b->turned);
}

/* ---------------------------------------------------------------- places */

static const struct rigid *parent_of(const struct spatial_constraint *c, const struct rigid *b)
{
    return spatial_system_body(c, b->parent);
}

struct spatial_place spatial_system_place_at(const double *y)
{
    return (struct spatial_place){{y[0], y[1], y[2]},
                                  {y[3], y[4], y[5], y[6]},
                                  {y[7], y[8], y[9]},
                                  {y[10], y[11], y[12]},
                                  y[13],
                                  y[14]};
}

void spatial_system_put(double *y, const struct spatial_place *p)
{
    const double from[STATE_SIZE] = {p->centre.x,   p->centre.y,   p->centre.z,    p->turn.w,
                                     p->turn.x,     p->turn.y,     p->turn.z,      p->velocity.x,
                                     p->velocity.y, p->velocity.z, p->spin.x,      p->spin.y,
                                     p->spin.z,     p->stretch,    p->stretch_rate};
    for (int i = 0; i < STATE_SIZE; i++)
        y[i] = from[i];
}

void spatial_system_keep(struct spatial_constraint *c)
{
    for (int i = 0; i < c->count; i++)
        spatial_system_put(c->y + STATE_SIZE * i, &c->bodies[i].place);
    spatial_system_place(c, c->y);
}

/* The axes of the freedoms in the world: of slides and the first turn the frame's, then the
 * child's. */
void spatial_system_find_axes(struct rigid *b)
{
    int k = 0;
    for (; k < b->joint->slides; k++)
        b->axes[k] = spatial_system_axis(&b->hinge.f, k);
    for (int i = 0; i < b->joint->turns; i++)
        b->axes[k++] = spatial_system_axis(i == 0 ? &b->hinge.f : &b->turned, b->joint->axes[i]);
    for (int i = 0; k < b->stretch; i++)
        b->axes[k++] = spatial_system_axis(&b->turned, i);
}

/* The turn nearest to `near` that has this sine and cosine, up to a common factor. */
static double turn_near(double near, double sine, double cosine)
{
    double off = det_atan2(sine, cosine) - near;
    return near + off - 2 * DET_PI * floor((off + DET_PI) / (2 * DET_PI));
}

/* Angles of the joint, from axes across those it turns about: the second axis, which the first one
 * moves, and the first one, seen from the second. */
static void find_turns(const struct rigid *b, const double *near, double *q)
{
    int first = b->joint->axes[0], second = b->joint->axes[1];
    if (b->joint->turns == 1)
        second = (first + 1) % 3;
    struct vec3 a = spatial_system_axis(&b->hinge.f, first),
                zero = spatial_system_axis(&b->hinge.f, second);
    struct vec3 moved = spatial_system_axis(&b->turned, second);
    q[0] = turn_near(near[0], vec3_dot(moved, vec3_cross(a, zero)), vec3_dot(moved, zero));
    if (b->joint->turns < 2)
        return;
    struct vec3 own = spatial_system_axis(&b->turned, first);
    q[1] = turn_near(near[1], -vec3_dot(a, vec3_cross(moved, own)), vec3_dot(a, own));
}

static void find_coordinates(struct spatial_constraint *c, const struct rigid *b)
{
    const struct rigid *p = parent_of(c, b);
    double *q = c->base.q + b->coordinate, *qd = c->base.qd + b->rate;
    struct vec3 spin = vec3_sub(b->place.spin, p->place.spin);
    int k = 0;
    for (; k < b->joint->slides; k++) {
        q[k] = vec3_dot(b->hinge.d, b->axes[k]);
        qd[k] = vec3_dot(b->hinge.d_rate, b->axes[k]) +
                vec3_dot(b->hinge.d, vec3_cross(p->place.spin, b->axes[k]));
    }
    if (b->joint->turns > 0)
        find_turns(b, c->turned_to + b->coordinate + k, q + k);
    for (; k < b->stretch; k++)
        qd[k] = vec3_dot(b->axes[k], spin);
    if (spatial_system_stretches(b)) {
        q[b->stretch] = b->place.stretch;
        qd[b->stretch] = b->place.stretch_rate;
    }
    if (b->joint->has_ball) {
        struct quaternion from =
            quaternion_product(p->place.turn, quaternion_normalised(b->link->frame));
        quaternion_write(q + b->plain, quaternion_product(quaternion_back(from), b->place.turn));
    }
}

static void place_hinge(const struct spatial_constraint *c, struct hinge *h)
{
    const struct rigid *b = spatial_system_body(c, h->child),
                       *p = spatial_system_body(c, h->parent);
    h->f = mat3_product(&p->turned, &h->frame);
    h->rc = mat3_apply(&b->turned, spatial_system_grown(b, h->own));
    h->rp = mat3_apply(&p->turned, spatial_system_grown(p, h->parents));
    h->d = vec3_sub(vec3_add(b->place.centre, h->rc), vec3_add(p->place.centre, h->rp));
    h->sc = spatial_system_spread(b, h->rc);
    h->sp = spatial_system_spread(p, h->rp);
    h->d_rate = vec3_sub(spatial_system_velocity(b, h->rc, h->sc),
                         spatial_system_velocity(p, h->rp, h->sp));
    h->inward =
        vec3_sub(spatial_system_inward(b, h->rc, h->sc), spatial_system_inward(p, h->rp, h->sp));
}

/* Rounding tilts bodies of the plane and moves them out of it. No row of a joint resists that, and a
 * tilt may grow. Faces of bodies lie in the plane or, turned over, against it. */
static void hold_in_plane(struct spatial_place *place)
{
    struct quaternion *turn = &place->turn;
    int is_over = turn->x * turn->x + turn->y * turn->y > turn->w * turn->w + turn->z * turn->z;
    *(is_over ? &turn->w : &turn->x) = *(is_over ? &turn->z : &turn->y) = 0;
    place->velocity.z = place->spin.x = place->spin.y = 0;
}

/* Everything that follows from a state but accelerations. */
void spatial_system_place(struct spatial_constraint *c, const double *y)
{
    for (int i = 0; i < c->count; i++) {
        struct rigid *b = &c->bodies[i];
        b->place = spatial_system_place_at(y + STATE_SIZE * i);
        if (c->room->turns < 3)
            hold_in_plane(&b->place);
        b->place.turn = quaternion_normalised(b->place.turn);
        b->turned = quaternion_matrix(b->place.turn);
        spatial_system_form(b);
        b->inverse = sym3_turned(&b->inverse_inertia, &b->turned);
        place_hinge(c, &b->hinge);
        b->hinge.turned = b->turned;
        spatial_system_find_axes(b);
        find_coordinates(c, b);
    }
    for (int i = 0; i < c->loop_count; i++) {
        struct hinge *h = &c->loops[i];
        place_hinge(c, h);
        h->turned = mat3_product(&spatial_system_body(c, h->child)->turned, &h->own_frame);
    }
}

double spatial_system_kinetic_energy(const struct spatial_constraint *c)
{
    double sum = 0;
    for (int i = 0; i < c->count; i++) {
        const struct rigid *b = &c->bodies[i];
        struct vec3 w = mat3_back(&b->turned, b->place.spin);
        sum += b->mass * vec3_dot(b->place.velocity, b->place.velocity) +
               vec3_dot(w, sym3_apply(&b->inertia, w)) +
               b->stretch_mass * b->place.stretch_rate * b->place.stretch_rate;
    }
    return sum / 2;
}

double spatial_system_top_speed(const struct spatial_constraint *c)
{
    double top = 0;
    for (int i = 0; i < c->box_count; i++) {
        const struct rigid *b = spatial_system_body(c, c->boxes[i].link);
        double reach = vec3_length(vec3_add(c->boxes[i].centre, b->hinge.own)) +
                       vec3_length(spatial_touch_size_m(c, i)) / 2;
        top = det_max(top, vec3_length(b->place.velocity) +
                               (vec3_length(b->place.spin) + fabs(b->place.stretch_rate)) * reach);
    }
    return top;
}

/* ---------------------------------------------------------------- forces */

/* An effort along a freedom: on the child, and back on the parent, which a slide pushes where the
 * child is. */
void spatial_system_push(struct spatial_constraint *c, struct rigid *b, int k, double effort)
{
    struct rigid *p = spatial_system_moved(c, b->parent);
    if (k == b->stretch) {
        b->push.stretch += effort;
        return;
    }
    struct vec3 e = vec3_scale(b->axes[k], effort), rp = vec3_add(b->hinge.rp, b->hinge.d);
    struct wrench own = {e, vec3_cross(b->hinge.rc, e), vec3_dot(e, b->hinge.sc)};
    struct wrench back = {e, vec3_cross(rp, e), vec3_dot(e, b->hinge.sp)};
    if (k >= b->joint->slides) {
        b->push.w = vec3_add(b->push.w, e);
        p->push.w = vec3_sub(p->push.w, e);
        return;
    }
    b->push = wrench_along(b->push, &own, 1);
    p->push = wrench_along(p->push, &back, -1);
}

static double find_effort(const struct spatial_constraint *c, const struct servo *s, double way,
                          double change, double v, double ahead)
{
    int mode = c->base.settings.effector_mode;
    double kp, kd;
    if (s->torque_max <= 0 || c->base.dynamics.effectors == EFFECTORS_SLACK ||
        s->law == SERVO_MOTION)
        return 0;
    servo_gains(s, c->base.dynamics.effectors, mode, &kp, &kd);
    double torque =
        servo_is_torque(s, c->base.dynamics.effectors, mode)
            ? servo_aim(s, c->base.dynamics.effectors, mode, 0, 0, ahead) - kd * v
            : kp * way + kd * (change - v) + servo_push(s, c->base.dynamics.effectors, ahead);
    return servo_bound(s, torque, v);
}

/* Servos and passive damping; efforts without it are kept. */
static void push_joints(struct spatial_constraint *c, double ahead)
{
    for (int i = 0; i < c->count; i++) {
        struct rigid *b = &c->bodies[i];
        double way[JOINT_RATES_MAX], change[JOINT_RATES_MAX];
        spatial_state_find_ways(&c->base, &c->carriers.links[i], b->link, c->base.q, ahead, way,
                                change);
        for (int k = 0; k < b->rates; k++) {
            int at = b->rate + k;
            c->base.torque[at] =
                find_effort(c, &c->base.servos[at], way[k], change[k], c->base.qd[at], ahead);
            spatial_system_push(c, b, k,
                                c->base.torque[at] - c->base.servos[at].damping * c->base.qd[at]);
        }
    }
}

/* A disk in the plane feels the integral of k(vn) vn n around its rim: turning moves no piece of it
 * along its normal, and those of cos^2 and |cos|^3 are pi and 8/3. Returns its power. */
static double push_disk(struct spatial_constraint *c, int i)
{
    const struct spatial_drag_law *law = &c->base.world.drag;
    const struct body_box *box = &c->boxes[i];
    struct rigid *b = &c->bodies[box->link];
    struct vec3 arm = mat3_apply(&b->turned, vec3_add(box->centre, b->hinge.own));
    struct vec3 v = vec3_add(b->place.velocity, vec3_cross(b->place.spin, arm));
    double rim = law->is_quadratic ? 8.0 / 3 * vec3_length(v) : DET_PI;
    double share = (law->is_leading ? 0.5 : 1) * law->coefficient * box->size_m.x / 2;
    struct vec3 force = vec3_scale(v, -share * rim);
    b->push = wrench_along(b->push, &(struct wrench){force, vec3_cross(arm, force), 0}, 1);
    return vec3_dot(force, v);
}

/* Boxes of what stretches as they are now. */
static void form_wet_boxes(struct spatial_constraint *c)
{
    for (int i = 0; c->drag.stretches && i < c->drag.box_count; i++) {
        const struct rigid *b = &c->bodies[c->wet[i].link];
        struct vec3 half = {b->link->half_m.x * b->sides.x, b->link->half_m.y * b->sides.y, 0};
        if (!spatial_system_stretches(b))
            continue;
        c->drag.stretches[i].rate = b->place.stretch_rate;
        c->drag.stretches[i].spread = (struct vec3){half.x, -half.y, 0};
        c->wet[i].size_m = (struct vec3){2 * half.x, 2 * half.y, c->wet[i].size_m.z};
        c->wet[i].centre = vec3_negated(sym3_apply(&b->grown, b->hinge.own));
    }
}

/* The drag of faces that stretch; returns its power. */
static double push_stretches(struct spatial_constraint *c)
{
    double power = 0;
    for (int i = 0; c->drag.stretches && i < c->drag.box_count; i++) {
        struct rigid *b = &c->bodies[c->wet[i].link];
        const struct spatial_drag_stretch *s = &c->drag.stretches[i];
        const struct spatial_motion *v = &c->carriers.links[c->wet[i].link].velocity;
        double by_motion = vec3_dot(s->moment, v->w) + vec3_dot(s->force, v->v);
        struct vec3 moment = vec3_add(s->moment, vec3_cross(b->hinge.rc, s->force));
        b->push = wrench_along(b->push, &(struct wrench){s->force, moment, 0}, -s->rate);
        b->push.stretch -= by_motion + s->own * s->rate;
        power -= (2 * by_motion + s->own * s->rate) * s->rate;
    }
    return power;
}

/* Its integrals over faces are those of simulator/spatial, on links that stand and move as ours.
 * Returns its power, 0 or less. */
static double push_drag(struct spatial_constraint *c)
{
    double power = 0;
    if (!(c->base.world.drag.coefficient > 0))
        return 0;
    for (int i = 0; c->shapes && i < c->box_count; i++)
        if (c->shapes[i] == PART_DISK && c->boxes[i].link != WORLD)
            power += push_disk(c, i);
    c->work += (uint64_t)(FACE_WORK * 6 * c->box_count) *
               (uint64_t)(c->base.world.drag.has_exposure ? c->box_count : 1);
    for (int i = 0; i < c->count; i++) {
        struct spatial_tree_link *l = &c->carriers.links[i];
        const struct rigid *b = &c->bodies[i];
        l->turned = b->turned;
        l->at = vec3_add(b->place.centre, b->hinge.rc);
        l->velocity.w = b->place.spin;
        l->velocity.v = vec3_add(b->place.velocity, vec3_cross(b->place.spin, b->hinge.rc));
    }
    form_wet_boxes(c);
    spatial_drag_set(&c->drag, &c->carriers);
    for (int i = 0; i < c->count; i++) {
        struct rigid *b = &c->bodies[i];
        const struct spatial_motion *v = &c->carriers.links[i].velocity;
        struct spatial_wrench f = spatial_tensor_apply(&c->carriers.links[i].drag, v);
        struct vec3 moment = vec3_add(f.n, vec3_cross(b->hinge.rc, f.f));
        power -= vec3_dot(f.n, v->w) + vec3_dot(f.f, v->v);
        b->push = wrench_along(b->push, &(struct wrench){f.f, moment, 0}, -1);
    }
    return power + push_stretches(c);
}

/* Gravity is all that acts. */
void spatial_system_clear_forces(struct spatial_constraint *c, struct vec3 gravity)
{
    c->ground.push = (struct wrench){none, none, 0};
    for (int i = 0; i < c->count; i++)
        c->bodies[i].push = (struct wrench){vec3_scale(gravity, c->bodies[i].mass), none, 0};
}

/* All forces but those of rows; returns the power of drag. */
double spatial_system_push_all(struct spatial_constraint *c, double ahead)
{
    c->work += (uint64_t)(BODY_WORK * c->count);
    spatial_system_clear_forces(c, c->base.world.gravity_m_s2);
    double power = push_drag(c);
    push_joints(c, ahead);
    return power;
}

/* ---------------------------------------------------------------- rows of joints */

void spatial_system_set_row(const struct spatial_constraint *c, struct row *row, int one, int two,
                            struct wrench j_one, struct wrench j_two)
{
    *row =
        (struct row){.bodies = {one, two}, .j = {j_one, j_two}, .g = {j_one, j_two}, .driven = -1};
    for (int k = 0; k < 2; k++) {
        const struct spatial_place *p = &spatial_system_body(c, row->bodies[k])->place;
        struct wrench motion = {p->velocity, p->spin, p->stretch_rate};
        row->rate += wrench_dot(&row->j[k], &motion);
    }
}

/* D = d.e, see above. */
static void set_place_row(const struct spatial_constraint *c, const struct hinge *h, int axis,
                          struct row *row)
{
    struct vec3 e = spatial_system_axis(&h->f, axis);
    struct vec3 wp = spatial_system_body(c, h->parent)->place.spin, turned = vec3_cross(wp, e);
    struct wrench own = {e, vec3_cross(h->rc, e), vec3_dot(e, h->sc)};
    struct wrench parents = {vec3_negated(e), vec3_negated(vec3_cross(vec3_add(h->rp, h->d), e)),
                             -vec3_dot(e, h->sp)};
    spatial_system_set_row(c, row, h->child, h->parent, own, parents);
    row->deviation = vec3_dot(h->d, e);
    row->curvature = vec3_dot(e, h->inward) + 2 * vec3_dot(h->d_rate, turned) +
                     vec3_dot(h->d, vec3_cross(wp, turned));
}

void spatial_system_set_turn_row(const struct spatial_constraint *c, const struct hinge *h,
                                 struct vec3 g, struct vec3 change, struct row *row)
{
    const struct rigid *b = spatial_system_body(c, h->child),
                       *p = spatial_system_body(c, h->parent);
    spatial_system_set_row(c, row, h->child, h->parent, (struct wrench){none, g, 0},
                           (struct wrench){none, vec3_negated(g), 0});
    row->curvature = vec3_dot(change, vec3_sub(b->place.spin, p->place.spin));
}

void spatial_system_set_freedom_row(const struct spatial_constraint *c, int i, int k,
                                    struct row *row)
{
    const struct rigid *b = &c->bodies[i], *p = parent_of(c, b);
    int is_parents = k == b->joint->slides;
    struct vec3 w = is_parents ? p->place.spin : b->place.spin;
    if (k < b->joint->slides)
        set_place_row(c, &b->hinge, k, row);
    else if (k == b->stretch)
        spatial_system_set_row(c, row, i, b->parent, (struct wrench){none, none, 1},
                               (struct wrench){none, none, 0});
    else
        spatial_system_set_turn_row(c, &b->hinge, b->axes[k], vec3_cross(w, b->axes[k]), row);
    row->deviation = c->base.q[b->coordinate + k];
}

/* D = u.a, see above. */
static void set_across_row(const struct spatial_constraint *c, const struct hinge *h, int parents,
                           int own, struct row *row)
{
    const struct rigid *b = spatial_system_body(c, h->child),
                       *p = spatial_system_body(c, h->parent);
    struct vec3 u = spatial_system_axis(&h->f, parents), a = spatial_system_axis(&h->turned, own);
    struct vec3 wc = b->place.spin, wp = p->place.spin;
    struct vec3 change =
        vec3_add(vec3_cross(vec3_cross(wc, a), u), vec3_cross(a, vec3_cross(wp, u)));
    spatial_system_set_turn_row(c, h, vec3_cross(a, u), change, row);
    row->deviation = vec3_dot(u, a);
}

/* The freedom k of a body goes as its signal says. */
static void set_driven_row(const struct spatial_constraint *c, int i, int k, double ahead,
                           struct row *row)
{
    const struct rigid *b = &c->bodies[i];
    const struct servo *s = &c->base.servos[b->rate + k];
    struct signal_value signal = signal_at(s->signal, s->time_s + ahead);
    spatial_system_set_freedom_row(c, i, k, row);
    row->driven = b->rate + k;
    row->deviation -= signal.value;
    row->rate -= signal.rate;
    row->curvature -= signal.acceleration;
}

static struct row *next_row(struct spatial_constraint *c)
{
    return &c->rows[c->row_count++];
}

/* The rows that close a joint in the room that there is. */
static void add_hinge_rows(struct spatial_constraint *c, const struct hinge *h)
{
    int first = h->joint->axes[0], second = h->joint->axes[1];
    for (int axis = h->joint->slides; axis < c->room->moves; axis++)
        set_place_row(c, h, axis, next_row(c));
    if (h->joint->turns == 2) {
        set_across_row(c, h, first, second, next_row(c));
    } else if (h->joint->turns == 1) {
        for (int k = 1; k < c->room->turns; k++)
            set_across_row(c, h, (first + k) % 3, first, next_row(c));
    } else if (!h->joint->has_ball) {
        for (int axis = 0; axis < c->room->turns; axis++)
            set_across_row(c, h, axis, (axis + 1) % 3, next_row(c));
    }
}

void spatial_system_list_joints(struct spatial_constraint *c, double ahead)
{
    c->row_count = 0;
    for (int i = 0; i < c->count; i++) {
        const struct rigid *b = &c->bodies[i];
        add_hinge_rows(c, &b->hinge);
        for (int k = 0; k < b->plain; k++)
            if (c->base.servos[b->rate + k].law == SERVO_MOTION)
                set_driven_row(c, i, k, ahead, next_row(c));
    }
    for (int i = 0; i < c->loop_count; i++)
        add_hinge_rows(c, &c->loops[i]);
    c->joint_rows = c->row_count;
}
