/* Where boxes are, whether anything could touch within a step, and the contacts that could act in
 * it. */
#include "simulator/spatial/contacts/spatial_contacts_private.h"

/* Points of contact are looked for this much farther away than the speed reaches, m. */
#define MARGIN_M 1e-4
/* Two come nearer at this many times the speed of the fastest at most, with room for rounding. */
#define SPEED_BOUND 2.001

/* ---------------------------------------------------------------- where things are */

/* How fast a box is; returns where it is from its link. */
static struct vec3 move_mover(struct spatial_mover *m)
{
    const struct spatial_tree_link *l = m->link;
    struct vec3 arm = mat3_apply(&l->turned, m->local);
    m->velocity = vec3_add(l->velocity.v, vec3_cross(l->velocity.w, arm));
    m->turning = vec3_length(l->velocity.w) * m->radius;
    return arm;
}

static double speed_of(const struct spatial_mover *m)
{
    return vec3_length(m->velocity) + m->turning;
}

/* Boxes at the tree's pose, with its velocities. */
static void place_movers(struct spatial_contact_body *own)
{
    for (int i = 0; i < own->box_count; i++) {
        struct spatial_mover *m = &own->movers[i];
        struct vec3 arm = move_mover(m);
        struct mat3 turn = mat3_product(&m->link->turned, &m->turn);
        solids_place(&m->solid, vec3_add(m->link->at, arm), &turn, m->half);
        m->solid.is_round = m->is_round;
    }
}

static const struct solid *other_solid(const struct spatial_pair *p)
{
    return p->two ? &p->two->solid : &p->one->body->surfaces->fixed[CONTACT_OBSTACLE - p->b];
}

/* How fast two can come nearer; NULL: what is fixed. */
static double closing_speed(const struct spatial_mover *one, const struct spatial_mover *two)
{
    struct vec3 velocity = one->velocity;
    double turning = one->turning;
    if (two) {
        velocity = vec3_sub(velocity, two->velocity);
        turning += two->turning;
    }
    return vec3_length(velocity) + turning;
}

/* How fast two come nearer that a joint joins, as the cut one sees it: their common motion brings
 * them no nearer. The velocity of a point x of that one against the other is that of its centre c
 * and (w - w') x (x - c). */
static double closing_speed_of_joined(const struct spatial_pair *p)
{
    int is_second = box_half_of(p->meeting).is_second;
    const struct spatial_mover *cut = is_second ? p->two : p->one;
    const struct spatial_mover *other = is_second ? p->one : p->two;
    struct vec3 against = point_velocity(other->link, cut->solid.centre);
    struct vec3 turning = vec3_sub(cut->link->velocity.w, other->link->velocity.w);
    return vec3_length(vec3_sub(cut->velocity, against)) + vec3_length(turning) * cut->radius;
}

static double closing_speed_of(const struct spatial_pair *p)
{
    return p->meeting < PAIR_HALF ? closing_speed(p->one, p->two) : closing_speed_of_joined(p);
}

/* 1 if the sphere around a box and that around a centre are within a margin. */
static int are_within_reach(const struct spatial_mover *one, struct vec3 centre, double radius,
                            double margin)
{
    double reach = one->radius + radius + margin;
    struct vec3 way = vec3_sub(centre, one->solid.centre);
    return vec3_dot(way, way) < reach * reach;
}

static int are_near(const struct spatial_pair *p, double margin)
{
    const struct spatial_mover *one = p->one;
    if (p->b == CONTACT_GROUND)
        return one->solid.centre.y - one->radius < margin;
    const struct solid *other = other_solid(p);
    return are_within_reach(one, other->centre, p->two ? p->two->radius : solids_radius(other),
                            margin);
}

/* The boxes of a pair that meet: the solids themselves, or copies that are cut. */
struct meeting {
    const struct solid *one, *other;
    struct solid cut[2];
};

static void set_meeting(struct meeting *m, const struct spatial_pair *p)
{
    m->one = &p->one->solid;
    m->other = other_solid(p);
    if (p->meeting < PAIR_HALF)
        return;
    m->cut[0] = *m->one;
    m->cut[1] = *m->other;
    box_half_cut(p->meeting, &m->cut[0], &m->cut[1]);
    m->one = &m->cut[0];
    m->other = &m->cut[1];
}

static double separation(const struct spatial_pair *p)
{
    const struct solid *a = &p->one->solid;
    struct meeting m;
    if (p->b == CONTACT_GROUND)
        return a->centre.y - solids_reach(a, (struct vec3){0, 1, 0});
    set_meeting(&m, p);
    return solids_separation(m.one, m.other);
}

static int may_pair_touch(const struct spatial_contacts *s, const struct spatial_pair *p)
{
    double margin = CLEARANCE_M + CLEARANCE_STEPS * s->dt_s * closing_speed_of(p);
    if (!are_near(p, margin) || !(separation(p) < margin))
        return 0;
    const struct relief *relief = &p->one->body->surfaces->relief;
    return !p->normals || relief_may_touch(relief, &p->one->solid, margin);
}

int spatial_contacts_may_touch(struct spatial_contacts *s)
{
    struct spatial_contact_body *own = &s->own;
    if (own->pair_count == 0)
        return 0;
    place_movers(own);
    if (may_pair_touch(s, &own->pairs[own->touched]))
        return 1;
    for (int i = 0; i < own->pair_count; i++)
        if (may_pair_touch(s, &own->pairs[i])) {
            own->touched = i;
            return 1;
        }
    return 0;
}

/* ---------------------------------------------------------------- what is thinner than its way */

static double thinnest(const double *half)
{
    return det_min(half[0], det_min(half[1], half[2]));
}

/* A solid, and how its link moves it; NULL: it is fixed. */
struct moving {
    const struct solid *solid;
    struct vec3 velocity, turning;
};

static struct moving moving_of(const struct solid *solid, const struct spatial_mover *mover)
{
    struct moving m = {.solid = solid};
    if (mover) {
        m.velocity = point_velocity(mover->link, solid->centre);
        m.turning = mover->link->velocity.w;
    }
    return m;
}

/* How long `one` takes, as `other` sees it, to come `apart` nearer along a direction from it that
 * turns with the other: with its velocity, its turning, and what that bends its way by. */
static double time_to_close(const struct moving *one, const struct moving *other,
                            struct vec3 normal, double apart)
{
    struct vec3 way = vec3_sub(one->solid->centre, other->solid->centre);
    struct vec3 carried = vec3_add(other->velocity, vec3_cross(other->turning, way));
    struct vec3 against = vec3_sub(one->velocity, carried);
    struct vec3 turning = vec3_sub(one->turning, other->turning);
    double radius = solids_radius(one->solid), turn = vec3_length(turning);
    double speed = vec3_length(vec3_cross(turning, normal)) * radius - vec3_dot(against, normal);
    double bend = turn * (vec3_length(against) + turn * radius);
    double root = sqrt(speed * speed + 2 * bend * apart);
    return speed + root > 0 ? 2 * apart / (speed + root) : HUGE_VAL;
}

/* How long two can move on, s, such that contacts found in the middle of that time have them on the
 * right side of one another: until they could touch, or a share of their thickness along. Never
 * less than least. */
static double stride_of_pair(const struct spatial_pair *p, double time_s, double least)
{
    struct meeting m;
    struct vec3 normal;
    set_meeting(&m, p);
    double speed = closing_speed_of(p), way = speed * time_s;
    double allowed = STRIDE_SHARE * (thinnest(m.one->half) + thinnest(m.other->half));
    if (way <= allowed || !are_near(p, way))
        return time_s;
    double apart = solids_separation_along(m.one, m.other, &normal) - MARGIN_M;
    double room = det_max(apart, allowed);
    struct moving one = moving_of(m.one, p->one), other = moving_of(m.other, p->two);
    double stride = det_max(time_to_close(&one, &other, normal, room),
                            time_to_close(&other, &one, vec3_negated(normal), room));
    stride = det_max(det_max(stride, room / speed), least);
    return det_min(time_s, stride);
}

/* Whether in a time no two of the bodies, or of what is fixed, go as far as the thinnest of all
 * allows. */
static int are_all_slow(struct spatial_contacts *s, double time_s)
{
    double thin = HUGE_VAL, fastest = 0;
    for (int k = 0; k < s->body_count; k++) {
        const struct spatial_contact_body *own = s->bodies[k];
        for (int i = 0; i < own->box_count; i++) {
            struct spatial_mover *m = &own->movers[i];
            move_mover(m);
            fastest = det_max(fastest, speed_of(m));
            thin = m->thin < thin ? m->thin : thin;
        }
        for (int i = 0; i < own->surfaces->fixed_count; i++)
            thin = det_min(thin, thinnest(own->surfaces->fixed[i].half));
    }
    return fastest * time_s <= STRIDE_SHARE * thin;
}

double spatial_contacts_stride(struct spatial_contacts *s, double time_s, double least_s)
{
    double stride = time_s;
    if (are_all_slow(s, time_s))
        return time_s;
    for (int k = 0; k < s->body_count; k++) {
        struct spatial_contact_body *own = s->bodies[k];
        place_movers(own);
        for (int i = 0; i < own->pair_count; i++) {
            const struct spatial_pair *p = &own->pairs[i];
            if (p->b != CONTACT_GROUND)
                stride = stride_of_pair(p, stride, least_s);
        }
    }
    for (int k = 0; k < s->body_count; k++)
        for (int j = k + 1; j < s->body_count; j++)
            for (int a = 0; a < s->bodies[k]->box_count; a++)
                for (int b = 0; b < s->bodies[j]->box_count; b++) {
                    const struct spatial_pair pair = {.one = &s->bodies[k]->movers[a],
                                                      .two = &s->bodies[j]->movers[b],
                                                      .a = a,
                                                      .b = b};
                    stride = stride_of_pair(&pair, stride, least_s);
                }
    return stride;
}

/* ---------------------------------------------------------------- sweeps */

void spatial_contacts_sweep(struct spatial_contacts *s, struct vec3 *low, struct vec3 *high)
{
    double time_s = CLEARANCE_STEPS * s->dt_s;
    place_movers(&s->own);
    for (int i = 0; i < s->own.box_count; i++) {
        const struct spatial_mover *m = &s->own.movers[i];
        double reach = m->radius + CLEARANCE_M + time_s * speed_of(m);
        vec3_widen_bounds(low, high, m->solid.centre, (struct vec3){reach, reach, reach});
    }
}

/* ---------------------------------------------------------------- contacts */

static void add_contact(struct spatial_contacts *s, struct spatial_pair *p, int point)
{
    const struct solid_point *at = &p->found.points[point];
    if (s->count == s->room && spatial_contacts_extend(s) != 0)
        return; /* the step fails */
    struct spatial_contact *c = &s->list[s->count++];
    struct vec3 n = p->normals ? p->normals[point] : p->found.normal;
    struct vec3 aside = fabs(n.x) < 0.7 ? (struct vec3){1, 0, 0} : (struct vec3){0, 0, 1};
    *c = (struct spatial_contact){
        .pair = p, .point = point, .at = at->at, .normal = n, .gap = at->gap};
    c->tangents[0] = vec3_cross(n, aside);
    c->tangents[0] = vec3_scale(c->tangents[0], 1 / vec3_length(c->tangents[0]));
    c->tangents[1] = vec3_cross(n, c->tangents[0]);
    const struct spatial_surfaces *surfaces = p->one->body->surfaces;
    c->elasticity = p->two ? surfaces->own_elasticity : surfaces->elasticity;
}

/* The manifold of a ground with relief; its points have normals of their own. */
static void meet_relief(struct spatial_pair *p, double margin)
{
    struct relief_points points;
    struct solid_manifold *found = &p->found;
    relief_meet(&p->one->body->surfaces->relief, &p->one->solid, margin, &points);
    found->count = points.count;
    for (int i = 0; i < points.count; i++) {
        const struct relief_point *at = &points.list[i];
        found->points[i] =
            (struct solid_point){vec3_along(at->at, at->normal, -at->gap / 2), at->gap, at->name};
        p->normals[i] = at->normal;
    }
}

/* The margin of two that come nearer as fast as any can, but those that a joint joins. */
static double widest_margin(const struct spatial_contacts *s,
                            const struct spatial_contact_body *own)
{
    double fastest = 0;
    for (int i = 0; i < own->box_count; i++)
        fastest = det_max(fastest, speed_of(&own->movers[i]));
    return MARGIN_M + SPEED_BOUND * s->dt_s * fastest;
}

/* widest: boxes farther apart are not looked at. */
static void find_pair(struct spatial_contacts *s, struct spatial_pair *p, double widest)
{
    const struct solid_manifold *held = is_held(p) ? &p->held : NULL;
    struct meeting m;
    p->found.count = 0;
    if (p->meeting < PAIR_HALF && !are_near(p, widest))
        return;
    double margin = MARGIN_M + s->dt_s * closing_speed_of(p);
    if (!are_near(p, margin))
        return;
    if (p->normals) {
        meet_relief(p, margin);
    } else if (p->b == CONTACT_GROUND) {
        solids_meet_plane(&p->one->solid, (struct vec3){0, 1, 0}, 0, margin, &p->found);
    } else {
        set_meeting(&m, p);
        solids_meet(m.one, m.other, margin, held, &p->found);
    }
    for (int i = 0; i < p->found.count; i++)
        add_contact(s, p, i);
}

/* The memory of two boxes of two bodies, or else a place for it: one that nothing is kept in any
 * longer, if there is one. NULL: this search needs all of them, and memory is out. */
static struct spatial_pair *met_pair(struct spatial_contacts *s, struct spatial_mover *one,
                                     struct spatial_mover *two)
{
    struct spatial_pair *place = NULL;
    for (int i = 0; i < s->met_room; i++) {
        struct spatial_pair *p = &s->met[i];
        if (p->one == one && p->two == two)
            return p;
        int is_free = !p->one || !is_held(p);
        if (p->search != s->search && (!place || (is_free && place->one && is_held(place))))
            place = p;
    }
    int room = s->met_room;
    if (!place && spatial_contacts_extend_met(s) == 0)
        place = &s->met[room];
    if (place)
        *place = (struct spatial_pair){.one = one,
                                       .two = two,
                                       .a = (int)(one - one->body->movers),
                                       .b = (int)(two - two->body->movers)};
    return place;
}

/* The touches of two bodies. */
static void find_meetings(struct spatial_contacts *s, const struct spatial_contact_body *a,
                          const struct spatial_contact_body *b)
{
    for (int i = 0; i < a->box_count; i++)
        for (int k = 0; k < b->box_count; k++) {
            struct spatial_mover *one = &a->movers[i], *two = &b->movers[k];
            double margin = MARGIN_M + s->dt_s * closing_speed(one, two);
            if (!are_within_reach(one, two->solid.centre, two->radius, margin))
                continue;
            struct spatial_pair *p = met_pair(s, one, two);
            if (!p)
                continue;
            find_pair(s, p, HUGE_VAL);
            if (p->found.count > 0)
                p->search = s->search;
        }
}

int spatial_contacts_find(struct spatial_contacts *s)
{
    s->count = s->cones.count = 0;
    s->search++;
    if (!spatial_contacts_has_pairs(s))
        return 0;
    set_velocities(s, SPACE_END);
    for (int k = 0; k < s->body_count; k++) {
        struct spatial_contact_body *own = s->bodies[k];
        place_movers(own);
        double widest = widest_margin(s, own);
        for (int i = 0; i < own->pair_count; i++)
            find_pair(s, &own->pairs[i], widest);
    }
    for (int a = 0; a < s->body_count; a++)
        for (int b = a + 1; b < s->body_count; b++)
            find_meetings(s, s->bodies[a], s->bodies[b]);
    return s->count;
}
