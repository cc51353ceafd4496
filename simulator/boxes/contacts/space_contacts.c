/* See space_contacts.h. A contact has three rows of Y = J L^-T, with M = L L' the factors of the mass matrix: what unit
 * impulses along its normal and tangents give, from both sides (space_tree_whiten()). Velocities of contacts are those of
 * points of links. Typical: 4 to 24 contacts, 12 to 72 rows, 10 to 30 rates. */
#include "simulator/boxes/contacts/space_contacts.h"

#include <math.h>

#include "common/error.h"

/* Penetration that is left alone, m: contacts rest within it instead of rattling. */
#define SLOP_M 1e-3
/* Deeper ones are pushed out, this share of the depth a step, no faster than that. */
#define PUSH_OUT_SHARE     0.2
#define PUSH_OUT_SPEED_M_S 0.05
/* Slower impacts do not bounce. */
#define RESTITUTION_SPEED_M_S 0.2
/* Impacts without restitution have an instant if they are faster. */
#define PLASTIC_SPEED_M_S 0.05
/* Impacts farther from where they act, by their speed, have the step taken in two, m; parts are not shorter than
 * this share of the step. */
#define SPLIT_M     2e-4
#define SPLIT_SHARE 0.02
/* Points of contact are looked for this much farther away than the speed reaches, m. */
#define MARGIN_M 1e-4
/* Distance within which a step is not trusted to miss a contact, besides what the speed covers, and for how
 * many steps the speed is counted. */
#define CLEARANCE_M     1e-3
#define CLEARANCE_STEPS 1.5
/* Rows less mobile than this, compared with the whole mass, are left alone. */
#define ROW_MOBILITY 1e-6
/* Pushing out may give this many times the energy m v^2 of its speed. */
#define PUSH_OUT_WORK 2.0
/* Impulses go on changing if they changed by more than this share of them. */
#define CHANGE_SHARE 1e-3
/* Impacts gain energy if they gain more than this share of what they pass on. */
#define GAIN_SHARE 1e-9

/* ---------------------------------------------------------------- creation */

/* The first link of what hangs together rigidly; the world, if it cannot move. */
static const struct space_tree_link *piece_of(const struct space_contact_body *own, int box)
{
    const struct space_tree_link *l = own->movers[box].link;
    while (l != &own->tree->world && l->rates == 0)
        l = l->up;
    return l;
}

static int is_mobile(const struct space_contact_body *own, int box)
{
    return piece_of(own, box) != &own->tree->world;
}

/* Whether boxes a < b may ever collide: not within a rigid piece, nor where a joint joins their links. */
static int may_collide(const struct space_contact_body *own, int a, int b)
{
    const struct space_tree_link *one = own->movers[a].link, *two = own->movers[b].link;
    const unsigned char *passes = own->surfaces->passes;
    if (passes && passes[a * own->box_count + b])
        return 0;
    return piece_of(own, a) != piece_of(own, b) && one->up != two && two->up != one;
}

static void list_pair(struct space_contact_body *own, int a, int b)
{
    struct space_mover *two = b >= 0 ? &own->movers[b] : NULL;
    own->pairs[own->pair_count++] =
        (struct space_pair){.one = &own->movers[a], .two = two, .a = a, .b = b};
}

static void list_pairs(struct space_contact_body *own)
{
    for (int a = 0; a < own->box_count; a++) {
        int is_moving = is_mobile(own, a);
        if (is_moving && own->surfaces->has_ground)
            list_pair(own, a, CONTACT_GROUND);
        for (int k = 0; k < own->surfaces->fixed_count && is_moving; k++)
            list_pair(own, a, CONTACT_OBSTACLE - k);
        for (int b = a + 1; b < own->box_count; b++)
            if (may_collide(own, a, b))
                list_pair(own, a, b);
    }
}

static void init_mover(struct space_contact_body *own, int i, const struct space_box *box)
{
    struct space_mover *m = &own->movers[i];
    m->body = own;
    m->link = &own->tree->links[box->link];
    m->turn = quaternion_matrix(quaternion_normalised(box->turn));
    m->local = box->centre;
    m->half = vec3_scale(box->size_m, 0.5);
    m->radius = vec3_length(m->half);
}

/* Columns of a body; an even number. */
static int column_count(const struct space_contact_body *body)
{
    return (body->tree->rates + 1) & ~1;
}

/* What a system of `room` contacts and so many limits and rates needs. */
static int take_memory(struct space_contacts *s, int limits, int rates, struct arena *arena)
{
    size_t room = (size_t)s->room, rows = 3 * room + (size_t)limits;
    s->bodies = arena_take(arena, (size_t)s->body_room, sizeof s->bodies[0]);
    s->list = arena_take(arena, room, sizeof s->list[0]);
    s->change = arena_take(arena, (size_t)rates, sizeof(double));
    s->start = arena_take(arena, rows, sizeof(double));
    s->work = arena_take(arena, rows, sizeof(double));
    s->drift = arena_take(arena, rows, sizeof(double));
    if (!s->bodies || !s->list || !s->change || !s->start || !s->work || !s->drift)
        return ERR_MEMORY;
    return cones_create(&s->cones, s->room + limits, (int)rows, rates, arena);
}

static double bouncing_speed(const struct dynamics_settings *settings)
{
    double given = settings->restitution_speed_m_s;
    return given > 0 ? given : RESTITUTION_SPEED_M_S;
}

int space_contacts_create(struct space_contacts *s, const struct space_contact_body *body,
                          const struct space_box *boxes, int box_count,
                          const struct dynamics_settings *settings, struct arena *arena)
{
    struct space_contact_body *own = &s->own;
    size_t n = (size_t)box_count, pairs = n * (n + 1 + (size_t)body->surfaces->fixed_count);
    *s = (struct space_contacts){.dt_s = settings->dt_s,
                                 .restitution_speed = bouncing_speed(settings),
                                 .body_room = 1,
                                 .own = *body};
    own->box_count = box_count;
    own->movers = arena_take(arena, n, sizeof own->movers[0]);
    own->pairs = arena_take(arena, pairs, sizeof own->pairs[0]);
    if (!own->movers || !own->pairs)
        return ERR_MEMORY;
    for (int i = 0; i < box_count; i++)
        init_mover(own, i, &boxes[i]);
    list_pairs(own);
    s->room = SOLIDS_POINTS_MAX * own->pair_count;
    s->room = s->room < SPACE_CONTACTS_MAX ? s->room : SPACE_CONTACTS_MAX;
    own->point_room = s->room;
    own->points = arena_take(arena, (size_t)s->room, sizeof own->points[0]);
    if (!own->points || take_memory(s, own->limits->row_max, own->tree->rates, arena) != 0)
        return ERR_MEMORY;
    space_contacts_gather(s, s);
    return 0;
}

int space_contacts_create_shared(struct space_contacts *s, struct space_contacts *const *all,
                                 int count, const struct dynamics_settings *settings,
                                 struct arena *arena)
{
    int limits = 0, columns = 0;
    *s = (struct space_contacts){
        .dt_s = settings->dt_s, .restitution_speed = bouncing_speed(settings), .body_room = count};
    for (int k = 0; k < count; k++) {
        struct space_contact_body *own = &all[k]->own;
        /* others can touch it all over */
        own->point_room = SPACE_CONTACTS_MAX;
        own->points = arena_take(arena, SPACE_CONTACTS_MAX, sizeof own->points[0]);
        if (!own->points)
            return ERR_MEMORY;
        s->room += SPACE_CONTACTS_MAX;
        limits += own->limits->row_max;
        columns += column_count(own);
    }
    s->room = s->room < SPACE_SHARED_MAX ? s->room : SPACE_SHARED_MAX;
    s->met_room = 2 * s->room;
    s->met = arena_take(arena, (size_t)s->met_room, sizeof s->met[0]);
    return s->met ? take_memory(s, limits, columns, arena) : ERR_MEMORY;
}

void space_contacts_gather(struct space_contacts *s, struct space_contacts *body)
{
    struct space_contact_body *own = &body->own;
    ENSURE(s->body_count < s->body_room, "more than the %d bodies that share contacts",
           s->body_room);
    own->column = s->columns;
    s->push_out_speed = body->push_out_speed;
    s->bodies[s->body_count++] = own;
    s->columns += column_count(own);
    s->links += own->tree->count;
    s->mass += own->tree->mass;
}

void space_contacts_part(struct space_contacts *s)
{
    for (int k = 0; k < s->body_count; k++)
        s->bodies[k]->column = 0;
    s->body_count = s->columns = s->links = 0;
    s->mass = 0;
}

void space_contacts_set_surfaces(struct space_contacts *s)
{
    s->own.pair_count = s->own.touched = 0;
    list_pairs(&s->own);
    space_contacts_forget(s);
}

void space_contacts_forget(struct space_contacts *s)
{
    struct space_contact_body *own = &s->own;
    own->step += 2;
    s->count = own->point_count = 0;
    own->penetration = 0;
}

int space_contacts_has_pairs(const struct space_contacts *s)
{
    return s->body_count > 1 || s->bodies[0]->pair_count > 0;
}

/* ---------------------------------------------------------------- where things are */

/* Boxes at the tree's pose, with its velocities. */
static void place_movers(struct space_contact_body *own)
{
    for (int i = 0; i < own->box_count; i++) {
        struct space_mover *m = &own->movers[i];
        const struct space_tree_link *l = m->link;
        struct vec3 arm = mat3_apply(&l->turned, m->local);
        struct mat3 turn = mat3_product(&l->turned, &m->turn);
        solids_place(&m->solid, vec3_add(l->at, arm), &turn, m->half);
        m->velocity = vec3_add(l->velocity.v, vec3_cross(l->velocity.w, arm));
        m->turning = vec3_length(l->velocity.w) * m->radius;
    }
}

static const struct solid *other_solid(const struct space_pair *p)
{
    return p->two ? &p->two->solid : &p->one->body->surfaces->fixed[CONTACT_OBSTACLE - p->b];
}

static double radius_of(const struct solid *solid)
{
    const double *h = solid->half;
    return sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
}

/* How fast two can come nearer; NULL: what is fixed. */
static double closing_speed(const struct space_mover *one, const struct space_mover *two)
{
    struct vec3 velocity = one->velocity;
    double turning = one->turning;
    if (two) {
        velocity = vec3_sub(velocity, two->velocity);
        turning += two->turning;
    }
    return vec3_length(velocity) + turning;
}

/* 1 if the sphere around a box and that around a centre are within a margin. */
static int are_within_reach(const struct space_mover *one, struct vec3 centre, double radius,
                            double margin)
{
    double reach = one->radius + radius + margin;
    struct vec3 way = vec3_sub(centre, one->solid.centre);
    return vec3_dot(way, way) < reach * reach;
}

static int are_near(const struct space_pair *p, double margin)
{
    const struct space_mover *one = p->one;
    if (p->b == CONTACT_GROUND)
        return one->solid.centre.y - one->radius < margin;
    const struct solid *other = other_solid(p);
    return are_within_reach(one, other->centre, p->two ? p->two->radius : radius_of(other), margin);
}

static double separation(const struct space_pair *p)
{
    const struct solid *a = &p->one->solid;
    if (p->b == CONTACT_GROUND)
        return a->centre.y - solids_reach(a, (struct vec3){0, 1, 0});
    return solids_separation(a, other_solid(p));
}

static int may_pair_touch(const struct space_contacts *s, const struct space_pair *p)
{
    double margin = CLEARANCE_M + CLEARANCE_STEPS * s->dt_s * closing_speed(p->one, p->two);
    return are_near(p, margin) && separation(p) < margin;
}

int space_contacts_may_touch(struct space_contacts *s)
{
    struct space_contact_body *own = &s->own;
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

void space_contacts_sweep(struct space_contacts *s, struct vec3 *low, struct vec3 *high)
{
    double time_s = CLEARANCE_STEPS * s->dt_s;
    *low = (struct vec3){HUGE_VAL, HUGE_VAL, HUGE_VAL};
    *high = vec3_scale(*low, -1);
    place_movers(&s->own);
    for (int i = 0; i < s->own.box_count; i++) {
        const struct space_mover *m = &s->own.movers[i];
        double reach = m->radius + CLEARANCE_M + time_s * (vec3_length(m->velocity) + m->turning);
        struct vec3 at = m->solid.centre;
        *low = (struct vec3){fmin(low->x, at.x - reach), fmin(low->y, at.y - reach),
                             fmin(low->z, at.z - reach)};
        *high = (struct vec3){fmax(high->x, at.x + reach), fmax(high->y, at.y + reach),
                              fmax(high->z, at.z + reach)};
    }
}

/* ---------------------------------------------------------------- contacts */

/* Where there is no room the deepest stay. */
static struct space_contact *new_contact(struct space_contacts *s, double gap)
{
    if (s->count < s->room)
        return &s->list[s->count++];
    int farthest = 0;
    for (int i = 1; i < s->count; i++)
        farthest = s->list[i].gap > s->list[farthest].gap ? i : farthest;
    return s->list[farthest].gap > gap ? &s->list[farthest] : NULL;
}

static void add_contact(struct space_contacts *s, struct space_pair *p, int point)
{
    const struct solid_point *at = &p->found.points[point];
    struct space_contact *c = new_contact(s, at->gap);
    struct vec3 n = p->found.normal;
    struct vec3 aside = fabs(n.x) < 0.7 ? (struct vec3){1, 0, 0} : (struct vec3){0, 0, 1};
    if (!c)
        return;
    *c = (struct space_contact){
        .pair = p, .point = point, .at = at->at, .normal = n, .gap = at->gap};
    c->tangents[0] = vec3_cross(n, aside);
    c->tangents[0] = vec3_scale(c->tangents[0], 1 / vec3_length(c->tangents[0]));
    c->tangents[1] = vec3_cross(n, c->tangents[0]);
    const struct space_surfaces *surfaces = p->one->body->surfaces;
    c->elasticity = p->two ? surfaces->own_elasticity : surfaces->elasticity;
}

/* Whether the manifold and the impulses of a pair are those of the last step. */
static int is_held(const struct space_pair *p)
{
    return p->step == p->one->body->step;
}

static void find_pair(struct space_contacts *s, struct space_pair *p)
{
    double margin = MARGIN_M + s->dt_s * closing_speed(p->one, p->two);
    const struct solid_manifold *held = is_held(p) ? &p->held : NULL;
    const struct solid *a = &p->one->solid;
    p->found.count = 0;
    if (!are_near(p, margin))
        return;
    if (p->b == CONTACT_GROUND)
        solids_meet_plane(a, (struct vec3){0, 1, 0}, 0, margin, held, &p->found);
    else
        solids_meet(a, other_solid(p), margin, held, &p->found);
    for (int i = 0; i < p->found.count; i++)
        add_contact(s, p, i);
}

/* What is remembered of two boxes of two bodies, or else a place for it: one that nothing is kept in any longer, if
 * there is one. NULL: this search needs all of them. */
static struct space_pair *met_pair(struct space_contacts *s, struct space_mover *one,
                                   struct space_mover *two)
{
    struct space_pair *place = NULL;
    for (int i = 0; i < s->met_room; i++) {
        struct space_pair *p = &s->met[i];
        if (p->one == one && p->two == two)
            return p;
        int is_free = !p->one || !is_held(p);
        if (p->search != s->search && (!place || (is_free && place->one && is_held(place))))
            place = p;
    }
    if (place)
        *place = (struct space_pair){.one = one,
                                     .two = two,
                                     .a = (int)(one - one->body->movers),
                                     .b = (int)(two - two->body->movers)};
    return place;
}

/* What touches of two bodies. */
static void find_meetings(struct space_contacts *s, const struct space_contact_body *a,
                          const struct space_contact_body *b)
{
    for (int i = 0; i < a->box_count; i++)
        for (int k = 0; k < b->box_count; k++) {
            struct space_mover *one = &a->movers[i], *two = &b->movers[k];
            double margin = MARGIN_M + s->dt_s * closing_speed(one, two);
            if (!are_within_reach(one, two->solid.centre, two->radius, margin))
                continue;
            struct space_pair *p = met_pair(s, one, two);
            if (!p)
                continue;
            find_pair(s, p);
            if (p->found.count > 0)
                p->search = s->search;
        }
}

/* Velocities of all links, of the rates at a moment of the step. */
static void set_velocities(struct space_contacts *s, enum space_moment moment)
{
    for (int k = 0; k < s->body_count; k++)
        space_tree_set_velocity(s->bodies[k]->tree, s->bodies[k]->rates[moment]);
}

int space_contacts_find(struct space_contacts *s)
{
    s->count = s->cones.count = 0;
    s->search++;
    if (!space_contacts_has_pairs(s))
        return 0;
    set_velocities(s, SPACE_END);
    for (int k = 0; k < s->body_count; k++) {
        struct space_contact_body *own = s->bodies[k];
        place_movers(own);
        for (int i = 0; i < own->pair_count; i++)
            find_pair(s, &own->pairs[i]);
    }
    for (int a = 0; a < s->body_count; a++)
        for (int b = a + 1; b < s->body_count; b++)
            find_meetings(s, s->bodies[a], s->bodies[b]);
    return s->count;
}

/* ---------------------------------------------------------------- rows */

static struct vec3 way_of(const struct space_contact *c, int k)
{
    return k == 0 ? c->normal : c->tangents[k - 1];
}

/* The two sides of a contact; NULL: ground and what is fixed. */
static const struct space_mover *side_of(const struct space_contact *c, int side)
{
    return side == 0 ? c->pair->one : c->pair->two;
}

/* 1 if two bodies touch there. */
static int is_between_bodies(const struct space_contact *c)
{
    return c->pair->two && c->pair->two->body != c->pair->one->body;
}

static int is_of_body(const struct space_contact *c, const struct space_contact_body *body)
{
    return c->pair->one->body == body || (c->pair->two && c->pair->two->body == body);
}

/* Velocity of the point of a link that is somewhere. */
static struct vec3 point_velocity(const struct space_tree_link *l, struct vec3 at)
{
    return vec3_add(l->velocity.v, vec3_cross(l->velocity.w, vec3_sub(at, l->at)));
}

/* Velocities of the rows, of the trees' and of the rates at that moment, which are the same. */
static void measure_rows(const struct space_contacts *s, enum space_moment moment,
                         double *velocities)
{
    for (int i = 0; i < s->count; i++) {
        const struct space_contact *c = &s->list[i];
        struct vec3 v = {0, 0, 0};
        for (int side = 0; side < 2; side++) {
            const struct space_mover *m = side_of(c, side);
            if (m)
                v = vec3_along(v, point_velocity(m->link, c->at), side == 0 ? 1 : -1);
        }
        for (int k = 0; k < 3; k++)
            velocities[3 * i + k] = vec3_dot(v, way_of(c, k));
    }
    for (int b = 0; b < s->body_count; b++) {
        const struct space_contact_body *own = s->bodies[b];
        const double *rates = own->rates[moment];
        for (int i = 0; i < own->limits->count; i++) {
            const struct space_limit *limit = &own->limits->rows[i];
            double sum = 0;
            for (int k = 0; k < limit->count; k++)
                sum += limit->gradient[k] * rates[limit->rate + k];
            velocities[3 * s->count + own->first_limit + i] = sum;
        }
    }
}

/* The rows are those of the pose in the middle. At the end of the step things have turned on, so that the velocities
 * of the points that touch are others by half a step of their accelerations at the rates in the middle: the law is to
 * hold for those. Limits turn with their joints. A part of a split step has no drift: after an impact the rates in the
 * middle say little of the end, and its energy would not balance. */
static void measure_drifts(struct space_contacts *s)
{
    for (int i = 0; i < s->rows; i++)
        s->drift[i] = 0;
    if (!s->is_whole)
        return;
    set_velocities(s, SPACE_MIDDLE);
    for (int k = 0; k < s->body_count; k++)
        space_tree_sum_biases(s->bodies[k]->tree);
    for (int i = 0; i < s->count; i++) {
        const struct space_contact *c = &s->list[i];
        struct vec3 a = {0, 0, 0};
        for (int side = 0; side < 2; side++) {
            if (!side_of(c, side))
                continue;
            const struct space_tree_link *l = side_of(c, side)->link;
            struct vec3 arm = vec3_sub(c->at, l->at), w = l->velocity.w;
            struct vec3 turn =
                vec3_add(vec3_cross(l->bias_sum.w, arm), vec3_cross(w, vec3_cross(w, arm)));
            a = vec3_along(a, vec3_add(l->bias_sum.v, turn), side == 0 ? 1 : -1);
        }
        for (int k = 0; k < 3; k++)
            s->drift[3 * i + k] = s->dt_s / 2 * vec3_dot(a, way_of(c, k));
    }
}

/* Rows that nothing moves are 0. */
static void leave_immobile(struct space_contacts *s, const struct cone_law *law)
{
    for (int k = law->row; k < law->row + law->size; k++) {
        double *row = cones_row(&s->cones, k), sum = 0;
        for (int i = law->from; i < law->to; i++)
            sum += row[i] * row[i];
        for (int i = law->from; i < law->to && !(sum * s->mass > ROW_MOBILITY); i++)
            row[i] = 0;
    }
}

/* The rates from .. to - 1 of a body join the columns of a law. */
static void join_columns(struct cone_law *law, const struct space_contact_body *body, int from,
                         int to)
{
    int first = body->column + from, end = body->column + to;
    if (to == 0)
        return;
    law->from = law->to == 0 || first < law->from ? first : law->from;
    law->to = end > law->to ? end : law->to;
}

static void set_contact_rows(struct space_contacts *s, int i)
{
    const struct space_contact *c = &s->list[i];
    struct cone_law *law = &s->cones.laws[i];
    *law = (struct cone_law){.row = 3 * i, .size = 3};
    for (int side = 0; side < 2; side++) {
        const struct space_mover *m = side_of(c, side);
        struct space_wrench on[3];
        int from = 0, to = 0;
        if (!m)
            continue;
        for (int k = 0; k < 3; k++) {
            struct vec3 force = vec3_scale(way_of(c, k), side == 0 ? 1 : -1);
            on[k] = (struct space_wrench){vec3_cross(vec3_sub(c->at, m->link->at), force), force};
        }
        space_tree_whiten(m->body->tree, (int)(m->link - m->body->tree->links), on, 3,
                          cones_row(&s->cones, law->row) + m->body->column, s->cones.stride, &from,
                          &to);
        join_columns(law, m->body, from, to);
    }
    leave_immobile(s, law);
}

static void set_limit_rows(struct space_contacts *s, const struct space_contact_body *own, int i)
{
    const struct space_limit *limit = &own->limits->rows[i];
    const struct space_tree_link *l = &own->tree->links[limit->link];
    struct cone_law *law = &s->cones.laws[s->count + own->first_limit + i];
    double joint[SPACE_RATES_MAX] = {0};
    int from = 0, to = 0;
    for (int k = 0; k < limit->count; k++)
        joint[limit->rate - l->rate + k] = limit->gradient[k];
    *law = (struct cone_law){
        .row = 3 * s->count + own->first_limit + i, .size = 1, .bound = limit->bound};
    space_tree_whiten_joint(own->tree, limit->link, joint,
                            cones_row(&s->cones, law->row) + own->column, &from, &to);
    join_columns(law, own, from, to);
    leave_immobile(s, law);
    s->cones.impulse[law->row] = 0;
}

/* An impact happens when with the velocity v0 of the start the gap at the start is used up, and acts in the middle
 * of the step, with the velocity there; after it the acceleration a goes on:
 *
 *   t = gap0 / -v0,   vi = v0 + a h/2,   vn at the end >= -e vi + a h/2, and >= 0
 *
 * What is not reached in this step is left to the next one. A step whose first impact is not in the middle is taken
 * again in two, so that it is: space_contacts_split(). */
static void set_impact(struct space_contacts *s, struct space_contact *c, struct cone_law *law,
                       double v0, double a, double drift)
{
    double h = s->dt_s, t = (c->gap - h / 2 * v0) / -v0;
    law->is_push_out = 0;
    if (t > h) {
        law->bound = -2 * c->gap / h;
        return;
    }
    double rebound = -c->elasticity * (v0 + a * h / 2) + a * h / 2 + drift;
    c->is_impact = 1;
    law->bound = rebound > 0 ? rebound : 0;
    if (fabs(t - h / 2) * -v0 > SPLIT_M && t < s->instant)
        s->instant = t;
}

/* The least normal velocity after the step. The pose is that in the middle, and the next one's is a step of this
 * velocity away: what is apart by a gap may use it up until then. */
static void set_law(struct space_contacts *s, int i)
{
    struct space_contact *c = &s->list[i];
    double v = s->start[3 * i], h = s->dt_s, slop = s->push_out_speed > 0 ? 0 : SLOP_M;
    double fastest = s->push_out_speed > 0 ? s->push_out_speed : PUSH_OUT_SPEED_M_S;
    struct cone_law *law = &s->cones.laws[i];
    const struct space_surfaces *surfaces = c->pair->one->body->surfaces;
    law->friction = c->pair->two ? surfaces->own_friction : surfaces->friction;
    if (c->gap > 0) {
        law->bound = -c->gap / h;
    } else {
        double speed = -c->gap > slop ? PUSH_OUT_SHARE * (-c->gap - slop) / h : 0;
        law->bound = speed < fastest ? speed : fastest;
        law->is_push_out = law->bound > 0;
    }
    double slow = c->elasticity > 0 ? s->restitution_speed : PLASTIC_SPEED_M_S;
    if (v < -slow && s->push_out_speed == 0)
        set_impact(s, c, law, v, (s->cones.free[3 * i] - s->drift[3 * i] - v) / h, s->drift[3 * i]);
}

/* The point of the last manifold with a feature; -1: no such point. */
static int held_point(const struct space_pair *p, int feature)
{
    for (int k = 0; k < p->held.count; k++)
        if (p->held.points[k].feature == feature)
            return k;
    return -1;
}

/* As if impulses went on changing as they did. */
static void take_warm_start(struct space_contacts *s, int i)
{
    const struct space_contact *c = &s->list[i];
    const struct space_pair *p = c->pair;
    double *l = s->cones.impulse + 3 * i;
    int k = is_held(p) ? held_point(p, p->found.points[c->point].feature) : -1;
    l[0] = k < 0 ? 0 : vec3_dot(p->expected[k], c->normal);
    l[1] = l[0] > 0 ? vec3_dot(p->expected[k], c->tangents[0]) : 0;
    l[2] = l[0] > 0 ? vec3_dot(p->expected[k], c->tangents[1]) : 0;
    l[0] = l[0] > 0 ? l[0] : 0;
}

static int is_immobile(const struct space_contacts *s, const struct cone_law *law)
{
    const double *row = cones_row(&s->cones, law->row);
    double sum = 0;
    for (int i = law->from; i < law->to; i++)
        sum += row[i] * row[i];
    return !(sum > 0);
}

static void prepare(struct space_contacts *s)
{
    struct cones *system = &s->cones;
    int limits = 0;
    for (int k = 0; k < s->body_count; k++) {
        s->bodies[k]->first_limit = limits;
        limits += s->bodies[k]->limits->count;
    }
    s->rows = 3 * s->count + limits;
    s->instant = HUGE_VAL;
    system->count = s->count + limits;
    cones_begin(system, s->rows);
    measure_rows(s, SPACE_END, system->free);
    measure_drifts(s);
    for (int i = 0; i < s->rows; i++)
        system->free[i] += s->drift[i];
    set_velocities(s, SPACE_START);
    measure_rows(s, SPACE_START, s->start);
    for (int i = 0; i < s->count; i++) {
        struct space_contact *c = &s->list[i];
        set_contact_rows(s, i);
        set_law(s, i);
        take_warm_start(s, i);
        if (is_between_bodies(c))
            c->velocity_two = point_velocity(c->pair->two->link, c->at);
    }
    for (int k = 0; k < s->body_count; k++)
        for (int i = 0; i < s->bodies[k]->limits->count; i++)
            set_limit_rows(s, s->bodies[k], i);
    for (int i = 0; i < system->count; i++)
        if (is_immobile(s, &system->laws[i]))
            system->laws[i].bound = -HUGE_VAL;
    system->work += (uint64_t)s->rows * (uint64_t)(60 * s->links);
    CHECK_DEARLY(space_contacts_check(s));
}

/* ---------------------------------------------------------------- energy */

/* Work of a row: impulse times the mean of the velocities at the start and the end of the step, in the pose in the
 * middle, exactly. */
static double row_work(const struct space_contacts *s, int row)
{
    return s->cones.impulse[row] * 0.5 * (s->start[row] + s->cones.velocity[row] - s->drift[row]);
}

static double work_of(const struct space_contacts *s, int law)
{
    double work = 0;
    for (int k = 0; k < s->cones.laws[law].size; k++)
        work += row_work(s, s->cones.laws[law].row + k);
    return work;
}

/* Solves again, from nothing, with slower push-out; share 0: penetrations are only kept from growing. */
static void slow_push_outs(struct space_contacts *s, double share)
{
    for (int i = 0; i < s->count; i++) {
        struct cone_law *law = &s->cones.laws[i];
        if (law->is_push_out)
            law->bound *= share;
        law->is_push_out &= share > 0;
    }
    for (int i = 0; i < s->rows; i++)
        s->cones.impulse[i] = 0;
    cones_solve(&s->cones);
}

/* What can hardly move takes impulses without end to be pushed out, which the whole gets as energy: that is
 * bounded. */
static void take_back_gaining_push_outs(struct space_contacts *s)
{
    double speed = s->push_out_speed > 0 ? s->push_out_speed : PUSH_OUT_SPEED_M_S;
    double most = PUSH_OUT_WORK * s->mass * speed * speed;
    for (int pass = 0; pass < 2; pass++) {
        double work = 0;
        int has_push_out = 0;
        for (int i = 0; i < s->count; i++) {
            work += work_of(s, i);
            has_push_out |= s->cones.laws[i].is_push_out;
        }
        if (!has_push_out || work <= (pass == 0 ? 1 : 1.5) * most)
            return;
        slow_push_outs(s, pass == 0 ? sqrt(most / work) : 0);
    }
}

/* Whether two laws feel each other's impulses. */
static int are_coupled(const struct space_contacts *s, int a, int b)
{
    const struct cone_law *one = &s->cones.laws[a], *two = &s->cones.laws[b];
    return one->from < two->to && two->from < one->to;
}

/* Numbers the islands of contacts that press and are coupled, one through another. */
static void find_islands(struct space_contacts *s)
{
    struct space_contact *list = s->list;
    for (int i = 0; i < s->count; i++) {
        list[i].island = i;
        for (int j = 0; j < i; j++) {
            int from = list[j].island;
            if (from == list[i].island || s->cones.impulse[3 * i] <= 0 ||
                s->cones.impulse[3 * j] <= 0 || !are_coupled(s, i, j))
                continue;
            for (int k = 0; k < i; k++)
                list[k].island = list[k].island == from ? list[i].island : list[k].island;
        }
    }
}

/* Whether the contacts of an island gain energy, push-out apart, by more than rounding. */
static int is_gaining(const struct space_contacts *s, int island)
{
    double work = 0, size = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->list[i].island != island || s->cones.laws[i].is_push_out)
            continue;
        work += work_of(s, i);
        for (int k = 0; k < 3; k++)
            size += fabs(s->cones.impulse[3 * i + k] * s->start[3 * i + k]);
    }
    return work > GAIN_SHARE * size;
}

/* Newton's restitution with Coulomb friction can create energy: the impacts of such an island are to be solved
 * again without restitution. Returns 1 if there was one. */
static int take_back_gaining_impacts(struct space_contacts *s)
{
    int has_impact = 0, has_gained = 0;
    for (int i = 0; i < s->count; i++)
        has_impact |= s->list[i].is_impact && s->list[i].elasticity > 0;
    if (!has_impact)
        return 0;
    find_islands(s);
    for (int i = 0; i < s->count; i++) {
        struct space_contact *c = &s->list[i];
        c->is_gaining = c->is_impact && c->elasticity > 0 && is_gaining(s, c->island);
        has_gained |= c->is_gaining;
    }
    for (int i = 0; i < s->count; i++)
        if (s->list[i].is_gaining)
            s->list[i].elasticity = s->cones.laws[i].bound = 0;
    return has_gained;
}

static struct vec3 impulse_of(const struct space_contacts *s, int i)
{
    const struct space_contact *c = &s->list[i];
    const double *l = s->cones.impulse + 3 * i;
    struct vec3 sum = vec3_scale(c->normal, l[0]);
    return vec3_along(vec3_along(sum, c->tangents[0], l[1]), c->tangents[1], l[2]);
}

/* What of the work of a contact of two bodies is work on the second. */
static void part_work(struct space_contacts *s)
{
    set_velocities(s, SPACE_END);
    for (int i = 0; i < s->count; i++) {
        struct space_contact *c = &s->list[i];
        if (!is_between_bodies(c))
            continue;
        struct vec3 end = point_velocity(c->pair->two->link, c->at);
        c->work_two = -0.5 * vec3_dot(impulse_of(s, i), vec3_add(c->velocity_two, end));
    }
}

double space_contacts_solve(struct space_contacts *s)
{
    prepare(s);
    cones_solve(&s->cones);
    take_back_gaining_push_outs(s);
    if (take_back_gaining_impacts(s))
        cones_solve(&s->cones);
    for (int i = 0; i < s->rows; i++)
        s->work[i] = row_work(s, i);
    for (int b = 0; b < s->body_count; b++) {
        const struct space_contact_body *own = s->bodies[b];
        space_tree_unwhiten(own->tree, s->cones.whole + own->column, s->change);
        for (int k = 0; k < own->tree->rates; k++)
            own->rates[SPACE_END][k] += s->change[k];
    }
    if (s->body_count > 1)
        part_work(s);
    return s->cones.residual;
}

int space_contacts_had_impact(const struct space_contacts *s, const struct space_contact_body *body)
{
    for (int i = 0; i < s->count; i++)
        if (s->list[i].is_impact && s->cones.impulse[s->cones.laws[i].row] > 0 &&
            is_of_body(&s->list[i], body))
            return 1;
    return 0;
}

double space_contacts_split(const struct space_contacts *s)
{
    double h = s->dt_s, t = s->instant, first = t < h / 2 ? 2 * t : 2 * t - h;
    if (s->count == 0 || t > h || first < SPLIT_SHARE * h || first > (1 - SPLIT_SHARE) * h)
        return 0;
    return first;
}

/* Books one law's work, of which the share counts. */
static void book_law(const struct space_contacts *s, int i, double share, struct ledger *l)
{
    const struct cone_law *law = &s->cones.laws[i];
    const double *works = s->work + law->row;
    int is_limit = i >= s->count;
    double normal = share * works[0], tangent = is_limit ? 0 : share * (works[1] + works[2]);
    ledger_book_touch(l, is_limit, law->is_push_out, normal, tangent);
}

static double booked_work(const struct space_contacts *s, int i)
{
    const double *works = s->work + s->cones.laws[i].row;
    return works[0] + (i < s->count ? works[1] + works[2] : 0);
}

/* The share of a law's work that a body books: half where two touch. */
static double part_of(const struct space_contacts *s, int i, const struct space_contact_body *body)
{
    int limit = i - s->count - body->first_limit;
    if (i >= s->count)
        return limit >= 0 && limit < body->limits->count;
    if (!is_of_body(&s->list[i], body))
        return 0;
    return is_between_bodies(&s->list[i]) ? 0.5 : 1;
}

/* Work of a law on a body that it is of. */
static double work_on(const struct space_contacts *s, int i, const struct space_contact_body *body)
{
    double work = booked_work(s, i);
    if (i >= s->count || !is_between_bodies(&s->list[i]))
        return work;
    const struct space_contact *c = &s->list[i];
    return c->pair->two->body == body ? c->work_two : work - c->work_two;
}

/* Impulses that act together pass energy from one contact to another: what one does another has lost, so gains
 * and losses of a step are set off in proportion. Push-out is not: what it does is always gained. The rest of the work
 * on a body is from the others. */
void space_contacts_book(const struct space_contacts *s, const struct space_contact_body *body,
                         struct ledger *l)
{
    double gains = 0, losses = 0;
    for (int i = 0; i < s->cones.count; i++) {
        double work = booked_work(s, i);
        if (work <= 0)
            losses -= work;
        else if (!s->cones.laws[i].is_push_out)
            gains += work;
    }
    double share_gains = gains > losses ? (gains - losses) / gains : 0;
    double share_losses = losses > gains ? (losses - gains) / losses : 0;
    for (int i = 0; i < s->cones.count; i++) {
        double work = booked_work(s, i), part = part_of(s, i, body);
        int is_push_out = s->cones.laws[i].is_push_out;
        double share = part * (work <= 0 ? share_losses : is_push_out ? 1 : share_gains);
        if (part == 0)
            continue;
        book_law(s, i, share, l);
        if (s->body_count > 1)
            l->exchange_j += work_on(s, i, body) - share * work;
    }
}

/* ---------------------------------------------------------------- what is left */

static int is_of_root(const struct space_mover *m, const struct space_contact_body *body, int root)
{
    if (!m || m->body != body)
        return 0;
    const struct space_tree_link *l = m->link;
    while (l->up != &body->tree->world)
        l = l->up;
    return l == &body->tree->links[root];
}

void space_contacts_impulse(const struct space_contacts *s, const struct space_contact_body *body,
                            int root, struct vec3 about, struct vec3 *linear, struct vec3 *angular)
{
    *linear = *angular = (struct vec3){0, 0, 0};
    for (int i = 0; i < s->count; i++) {
        const struct space_contact *c = &s->list[i];
        int sign = is_of_root(c->pair->one, body, root) - is_of_root(c->pair->two, body, root);
        struct vec3 impulse = vec3_scale(impulse_of(s, i), sign);
        *linear = vec3_add(*linear, impulse);
        *angular = vec3_add(*angular, vec3_cross(vec3_sub(c->at, about), impulse));
    }
}

/* The manifold of this step takes the place of that of the last one. */
static void hold_manifold(struct space_pair *p)
{
    uint64_t step = p->one->body->step;
    struct vec3 before[SOLIDS_POINTS_MAX];
    for (int k = 0; k < p->found.count; k++) {
        int old = p->step == step - 1 ? held_point(p, p->found.points[k].feature) : -1;
        before[k] = old < 0 ? (struct vec3){0, 0, 0} : p->impulses[old];
    }
    for (int k = 0; k < p->found.count; k++) {
        p->impulses[k] = (struct vec3){0, 0, 0};
        p->expected[k] = before[k];
    }
    p->held = p->found;
    p->step = step;
}

/* Twice this impulse less that of the step before, if both pressed and differ by more than what rest leaves. */
static struct vec3 expect(struct vec3 now, struct vec3 before)
{
    struct vec3 change = vec3_sub(now, before);
    double size = vec3_dot(now, now), least = CHANGE_SHARE * CHANGE_SHARE * size;
    if (vec3_dot(before, before) == 0 || size == 0 || vec3_dot(change, change) <= least)
        return now;
    return vec3_add(now, change);
}

/* A contact as one of its sides sees it. */
static struct contact_point point_of(const struct space_contacts *s, int i, int side)
{
    const struct space_contact *c = &s->list[i];
    const double *l = s->cones.impulse + 3 * i;
    const struct space_mover *one = side_of(c, side), *other = side_of(c, !side);
    return (struct contact_point){.creature = one->body->creature,
                                  .part = side == 0 ? c->pair->a : c->pair->b,
                                  .other_creature = other ? other->body->creature : -1,
                                  .other = side == 0 ? c->pair->b : c->pair->a,
                                  .at = c->at,
                                  .normal = vec3_scale(c->normal, side == 0 ? 1 : -1),
                                  .gap_m = c->gap,
                                  .normal_impulse_n_s = l[0],
                                  .friction_impulse_n_s = sqrt(l[1] * l[1] + l[2] * l[2])};
}

/* For the next step, what a contact gave in this one. */
static void keep_impulse(const struct space_contacts *s, int i)
{
    const struct space_contact *c = &s->list[i];
    struct vec3 *expected = &c->pair->expected[c->point];
    c->pair->impulses[c->point] = impulse_of(s, i);
    *expected = expect(c->pair->impulses[c->point], *expected);
}

int space_contacts_keep(struct space_contacts *s, struct space_contact_body *own)
{
    int is_pressing = 0;
    own->step++;
    own->point_count = 0;
    own->penetration = 0;
    for (int i = 0; i < own->pair_count; i++)
        if (own->pairs[i].found.count > 0)
            hold_manifold(&own->pairs[i]);
    for (int i = 0; i < s->met_room; i++)
        if (s->met[i].search == s->search && s->met[i].one->body == own)
            hold_manifold(&s->met[i]);
    for (int i = 0; i < s->count; i++) {
        const struct space_contact *c = &s->list[i];
        int is_pressed = s->cones.impulse[3 * i] > 0, side = c->pair->one->body != own;
        if (!is_of_body(c, own))
            continue;
        if (side == 0)
            keep_impulse(s, i);
        is_pressing |= is_pressed;
        if (-c->gap > own->penetration)
            own->penetration = -c->gap;
        if ((is_pressed || c->gap < SLOP_M) && own->point_count < own->point_room)
            own->points[own->point_count++] = point_of(s, i, side);
    }
    for (int i = s->count; i < s->cones.count; i++)
        is_pressing |= part_of(s, i, own) > 0 && s->cones.impulse[s->cones.laws[i].row] > 0;
    return is_pressing;
}

/* ---------------------------------------------------------------- invariants */

static void check_body(const struct space_contacts *s, const struct space_contact_body *own,
                       int column)
{
    ENSURE(own->column == column && column + own->tree->rates <= s->cones.columns,
           "rates of a body begin in column %d of %d, not in %d", own->column, s->cones.columns,
           column);
    ENSURE(own->point_count <= own->point_room, "%d points where there is room for %d",
           own->point_count, own->point_room);
    ENSURE(own->pair_count == 0 || own->touched < own->pair_count, "pair %d of %d may touch",
           own->touched, own->pair_count);
    for (int i = 0; i < own->box_count; i++)
        ENSURE(own->movers[i].body == own, "box %d of a body is another's", i);
}

static int is_in_step(const struct space_contacts *s, const struct space_mover *m)
{
    for (int k = 0; k < s->body_count; k++)
        if (s->bodies[k] == m->body)
            return 1;
    return 0;
}

static void check_contact(const struct space_contacts *s, int i)
{
    const struct space_contact *c = &s->list[i];
    const struct cone_law *law = &s->cones.laws[i];
    int has_two = c->pair->two != NULL;
    double size = vec3_dot(c->normal, c->normal);
    ENSURE(is_in_step(s, c->pair->one) && (!has_two || is_in_step(s, c->pair->two)),
           "contact %d of a body that is not in the step", i);
    ENSURE(has_two == (c->pair->b >= 0), "contact %d with %d has %d boxes", i, c->pair->b,
           1 + has_two);
    ENSURE(c->pair->one == &c->pair->one->body->movers[c->pair->a], "contact %d of another box", i);
    ENSURE(c->point < c->pair->found.count, "contact %d of point %d of %d", i, c->point,
           c->pair->found.count);
    ENSURE(!(fabs(size - 1) > 1e-9), "contact %d has a normal of length^2 %g", i, size);
    ENSURE(law->row == 3 * i && law->size == 3, "contact %d has %d rows from %d on", i, law->size,
           law->row);
    for (int side = 0; side < 1 + has_two; side++) {
        const struct space_contact_body *own = side_of(c, side)->body;
        ENSURE(law->from < own->column + own->tree->rates && law->to > own->column,
               "contact %d, of columns %d to %d, does not move its body, of %d to %d", i, law->from,
               law->to, own->column, own->column + own->tree->rates);
    }
}

void space_contacts_check(const struct space_contacts *s)
{
    int column = 0, limits = 0;
    ENSURE(s->body_count >= 1 && s->body_count <= s->body_room, "%d bodies of %d", s->body_count,
           s->body_room);
    for (int k = 0; k < s->body_count; k++) {
        check_body(s, s->bodies[k], column);
        column += column_count(s->bodies[k]);
        limits += s->bodies[k]->limits->count;
    }
    ENSURE(s->count <= s->room, "%d contacts where there is room for %d", s->count, s->room);
    for (int i = 0; i < s->count; i++)
        check_contact(s, i);
    ENSURE(s->rows == 3 * s->count + limits, "%d rows of %d contacts and %d limits", s->rows,
           s->count, limits);
}
