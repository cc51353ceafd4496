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
static const struct space_tree_link *piece_of(const struct space_contacts *s, int box)
{
    const struct space_tree_link *l = s->movers[box].link;
    while (l != &s->tree->world && l->rates == 0)
        l = l->up;
    return l;
}

static int is_mobile(const struct space_contacts *s, int box)
{
    return piece_of(s, box) != &s->tree->world;
}

/* Whether boxes a < b may ever collide: not within a rigid piece, nor where a joint joins their links. */
static int may_collide(const struct space_contacts *s, int a, int b)
{
    const struct space_tree_link *one = s->movers[a].link, *two = s->movers[b].link;
    if (s->surfaces->passes && s->surfaces->passes[a * s->box_count + b])
        return 0;
    return piece_of(s, a) != piece_of(s, b) && one->up != two && two->up != one;
}

static void list_pairs(struct space_contacts *s)
{
    for (int a = 0; a < s->box_count; a++) {
        int is_moving = is_mobile(s, a);
        if (is_moving && s->surfaces->has_ground)
            s->pairs[s->pair_count++] = (struct space_pair){.a = a, .b = CONTACT_GROUND};
        for (int k = 0; k < s->surfaces->fixed_count && is_moving; k++)
            s->pairs[s->pair_count++] = (struct space_pair){.a = a, .b = CONTACT_OBSTACLE - k};
        for (int b = a + 1; b < s->box_count; b++)
            if (may_collide(s, a, b))
                s->pairs[s->pair_count++] = (struct space_pair){.a = a, .b = b};
    }
}

static void init_mover(struct space_contacts *s, int i, const struct space_box *box)
{
    struct space_mover *m = &s->movers[i];
    m->link = &s->tree->links[box->link];
    m->turn = quaternion_matrix(quaternion_normalised(box->turn));
    m->local = box->centre;
    m->half = vec3_scale(box->size_m, 0.5);
    m->radius = vec3_length(m->half);
}

int space_contacts_create(struct space_contacts *s, struct space_tree *tree,
                          struct space_limits *limits, const struct space_box *boxes, int box_count,
                          const struct space_surfaces *surfaces,
                          const struct dynamics_settings *settings, struct arena *arena)
{
    size_t n = (size_t)box_count, rates = (size_t)tree->rates;
    size_t pairs = n * (n + 1 + (size_t)surfaces->fixed_count);
    *s = (struct space_contacts){.tree = tree,
                                 .limits = limits,
                                 .surfaces = surfaces,
                                 .dt_s = settings->dt_s,
                                 .box_count = box_count};
    s->restitution_speed = settings->restitution_speed_m_s > 0 ? settings->restitution_speed_m_s
                                                               : RESTITUTION_SPEED_M_S;
    s->movers = arena_take(arena, n, sizeof s->movers[0]);
    s->pairs = arena_take(arena, pairs, sizeof s->pairs[0]);
    if (!s->movers || !s->pairs)
        return ERR_MEMORY;
    for (int i = 0; i < box_count; i++)
        init_mover(s, i, &boxes[i]);
    list_pairs(s);
    s->room = SOLIDS_POINTS_MAX * s->pair_count;
    s->room = s->room < SPACE_CONTACTS_MAX ? s->room : SPACE_CONTACTS_MAX;
    size_t room = (size_t)s->room, rows = 3 * room + (size_t)limits->row_max;
    s->list = arena_take(arena, room, sizeof s->list[0]);
    s->points = arena_take(arena, room, sizeof s->points[0]);
    s->change = arena_take(arena, rates, sizeof(double));
    s->start = arena_take(arena, rows, sizeof(double));
    s->work = arena_take(arena, rows, sizeof(double));
    s->drift = arena_take(arena, rows, sizeof(double));
    if (!s->list || !s->points || !s->change || !s->start || !s->work || !s->drift)
        return ERR_MEMORY;
    return cones_create(&s->cones, s->room + limits->row_max, (int)rows, tree->rates, arena);
}

void space_contacts_set_surfaces(struct space_contacts *s)
{
    s->pair_count = s->touched = 0;
    list_pairs(s);
    space_contacts_forget(s);
}

void space_contacts_forget(struct space_contacts *s)
{
    s->step += 2;
    s->count = s->point_count = 0;
    s->penetration = 0;
}

/* ---------------------------------------------------------------- where things are */

/* Boxes at the tree's pose, with its velocities. */
static void place_movers(struct space_contacts *s)
{
    for (int i = 0; i < s->box_count; i++) {
        struct space_mover *m = &s->movers[i];
        const struct space_tree_link *l = m->link;
        struct vec3 arm = mat3_apply(&l->turned, m->local);
        struct mat3 turn = mat3_product(&l->turned, &m->turn);
        solids_place(&m->solid, vec3_add(l->at, arm), &turn, m->half);
        m->velocity = vec3_add(l->velocity.v, vec3_cross(l->velocity.w, arm));
        m->turning = vec3_length(l->velocity.w) * m->radius;
    }
}

static const struct solid *other_solid(const struct space_contacts *s, const struct space_pair *p)
{
    return p->b >= 0 ? &s->movers[p->b].solid : &s->surfaces->fixed[CONTACT_OBSTACLE - p->b];
}

static double radius_of(const struct solid *solid)
{
    const double *h = solid->half;
    return sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
}

/* How fast two can come nearer. */
static double closing_speed(const struct space_contacts *s, const struct space_pair *p)
{
    const struct space_mover *a = &s->movers[p->a];
    struct vec3 velocity = a->velocity;
    double turning = a->turning;
    if (p->b >= 0) {
        velocity = vec3_sub(velocity, s->movers[p->b].velocity);
        turning += s->movers[p->b].turning;
    }
    return vec3_length(velocity) + turning;
}

/* 1 if the spheres around two are within a margin. */
static int are_near(const struct space_contacts *s, const struct space_pair *p, double margin)
{
    const struct space_mover *a = &s->movers[p->a];
    if (p->b == CONTACT_GROUND)
        return a->solid.centre.y - a->radius < margin;
    const struct solid *b = other_solid(s, p);
    double reach = a->radius + (p->b >= 0 ? s->movers[p->b].radius : radius_of(b)) + margin;
    struct vec3 way = vec3_sub(b->centre, a->solid.centre);
    return vec3_dot(way, way) < reach * reach;
}

static double separation(const struct space_contacts *s, const struct space_pair *p)
{
    const struct solid *a = &s->movers[p->a].solid;
    if (p->b == CONTACT_GROUND)
        return a->centre.y - solids_reach(a, (struct vec3){0, 1, 0});
    return solids_separation(a, other_solid(s, p));
}

static int may_pair_touch(const struct space_contacts *s, const struct space_pair *p)
{
    double margin = CLEARANCE_M + CLEARANCE_STEPS * s->dt_s * closing_speed(s, p);
    return are_near(s, p, margin) && separation(s, p) < margin;
}

int space_contacts_may_touch(struct space_contacts *s)
{
    if (s->pair_count == 0)
        return 0;
    place_movers(s);
    if (may_pair_touch(s, &s->pairs[s->touched]))
        return 1;
    for (int i = 0; i < s->pair_count; i++)
        if (may_pair_touch(s, &s->pairs[i])) {
            s->touched = i;
            return 1;
        }
    return 0;
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
    c->elasticity = p->b >= 0 ? s->surfaces->own_elasticity : s->surfaces->elasticity;
}

static void find_pair(struct space_contacts *s, struct space_pair *p)
{
    double margin = MARGIN_M + s->dt_s * closing_speed(s, p);
    const struct solid_manifold *held = p->step == s->step ? &p->held : NULL;
    const struct solid *a = &s->movers[p->a].solid;
    p->found.count = 0;
    if (!are_near(s, p, margin))
        return;
    if (p->b == CONTACT_GROUND)
        solids_meet_plane(a, (struct vec3){0, 1, 0}, 0, margin, held, &p->found);
    else
        solids_meet(a, other_solid(s, p), margin, held, &p->found);
    for (int i = 0; i < p->found.count; i++)
        add_contact(s, p, i);
}

int space_contacts_find(struct space_contacts *s, const double *rates)
{
    s->count = s->cones.count = 0;
    if (s->pair_count == 0)
        return 0;
    space_tree_set_velocity(s->tree, rates);
    place_movers(s);
    for (int i = 0; i < s->pair_count; i++)
        find_pair(s, &s->pairs[i]);
    return s->count;
}

/* ---------------------------------------------------------------- rows */

static struct vec3 way_of(const struct space_contact *c, int k)
{
    return k == 0 ? c->normal : c->tangents[k - 1];
}

/* The two sides of a contact; NULL: ground and what is fixed. */
static const struct space_tree_link *side_of(const struct space_contacts *s,
                                             const struct space_contact *c, int side)
{
    int box = side == 0 ? c->pair->a : c->pair->b;
    return box >= 0 ? s->movers[box].link : NULL;
}

/* Velocities of the rows, of the tree's and of the rates, which are the same. */
static void measure_rows(const struct space_contacts *s, const double *rates, double *velocities)
{
    for (int i = 0; i < s->count; i++) {
        const struct space_contact *c = &s->list[i];
        struct vec3 v = {0, 0, 0};
        for (int side = 0; side < 2; side++) {
            const struct space_tree_link *l = side_of(s, c, side);
            if (!l)
                continue;
            struct vec3 turn = vec3_cross(l->velocity.w, vec3_sub(c->at, l->at));
            v = vec3_along(v, vec3_add(l->velocity.v, turn), side == 0 ? 1 : -1);
        }
        for (int k = 0; k < 3; k++)
            velocities[3 * i + k] = vec3_dot(v, way_of(c, k));
    }
    for (int i = 0; i < s->limits->count; i++) {
        const struct space_limit *limit = &s->limits->rows[i];
        double sum = 0;
        for (int k = 0; k < limit->count; k++)
            sum += limit->gradient[k] * rates[limit->rate + k];
        velocities[3 * s->count + i] = sum;
    }
}

/* The rows are those of the pose in the middle. At the end of the step things have turned on, so that the velocities
 * of the points that touch are others by half a step of their accelerations at these rates: the law is to hold for
 * those. Limits turn with their joints. A part of a split step has no drift: after an impact the rates in the middle
 * say little of the end, and its energy would not balance. */
static void measure_drifts(struct space_contacts *s, const double *middle)
{
    for (int i = 0; i < s->rows; i++)
        s->drift[i] = 0;
    if (!s->is_whole)
        return;
    space_tree_set_velocity(s->tree, middle);
    space_tree_sum_biases(s->tree);
    for (int i = 0; i < s->count; i++) {
        const struct space_contact *c = &s->list[i];
        struct vec3 a = {0, 0, 0};
        for (int side = 0; side < 2; side++) {
            const struct space_tree_link *l = side_of(s, c, side);
            if (!l)
                continue;
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
        for (int i = law->from; i < law->to && !(sum * s->tree->mass > ROW_MOBILITY); i++)
            row[i] = 0;
    }
}

static void set_contact_rows(struct space_contacts *s, int i)
{
    const struct space_contact *c = &s->list[i];
    struct cone_law *law = &s->cones.laws[i];
    *law = (struct cone_law){.row = 3 * i, .size = 3};
    for (int side = 0; side < 2; side++) {
        const struct space_tree_link *l = side_of(s, c, side);
        struct space_wrench on[3];
        for (int k = 0; k < 3 && l; k++) {
            struct vec3 force = vec3_scale(way_of(c, k), side == 0 ? 1 : -1);
            on[k] = (struct space_wrench){vec3_cross(vec3_sub(c->at, l->at), force), force};
        }
        if (l)
            space_tree_whiten(s->tree, (int)(l - s->tree->links), on, 3,
                              cones_row(&s->cones, law->row), s->cones.stride, &law->from,
                              &law->to);
    }
    leave_immobile(s, law);
}

static void set_limit_rows(struct space_contacts *s, int i)
{
    const struct space_limit *limit = &s->limits->rows[i];
    const struct space_tree_link *l = &s->tree->links[limit->link];
    struct cone_law *law = &s->cones.laws[s->count + i];
    double joint[SPACE_RATES_MAX] = {0};
    for (int k = 0; k < limit->count; k++)
        joint[limit->rate - l->rate + k] = limit->gradient[k];
    *law = (struct cone_law){.row = 3 * s->count + i, .size = 1, .bound = limit->bound};
    space_tree_whiten_joint(s->tree, limit->link, joint, cones_row(&s->cones, law->row), &law->from,
                            &law->to);
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
    law->friction = c->pair->b >= 0 ? s->surfaces->own_friction : s->surfaces->friction;
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

/* The point of the last manifold with a feature; -1: none. */
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
    int k = p->step == s->step ? held_point(p, p->found.points[c->point].feature) : -1;
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

static void prepare(struct space_contacts *s, const double *start, const double *middle,
                    const double *rates)
{
    struct cones *system = &s->cones;
    s->rows = 3 * s->count + s->limits->count;
    s->instant = HUGE_VAL;
    system->count = s->count + s->limits->count;
    cones_begin(system, s->rows);
    measure_rows(s, rates, system->free);
    measure_drifts(s, middle);
    for (int i = 0; i < s->rows; i++)
        system->free[i] += s->drift[i];
    space_tree_set_velocity(s->tree, start);
    measure_rows(s, start, s->start);
    for (int i = 0; i < s->count; i++) {
        set_contact_rows(s, i);
        set_law(s, i);
        take_warm_start(s, i);
    }
    for (int i = 0; i < s->limits->count; i++)
        set_limit_rows(s, i);
    for (int i = 0; i < system->count; i++)
        if (is_immobile(s, &system->laws[i]))
            system->laws[i].bound = -HUGE_VAL;
    system->work += (uint64_t)s->rows * (uint64_t)(60 * s->tree->count);
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
    double most = PUSH_OUT_WORK * s->tree->mass * speed * speed;
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

double space_contacts_solve(struct space_contacts *s, const double *start, const double *middle,
                            double *rates)
{
    prepare(s, start, middle, rates);
    cones_solve(&s->cones);
    take_back_gaining_push_outs(s);
    if (take_back_gaining_impacts(s))
        cones_solve(&s->cones);
    for (int i = 0; i < s->rows; i++)
        s->work[i] = row_work(s, i);
    space_tree_unwhiten(s->tree, s->cones.whole, s->change);
    for (int k = 0; k < s->tree->rates; k++)
        rates[k] += s->change[k];
    return s->cones.residual;
}

int space_contacts_had_impact(const struct space_contacts *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->list[i].is_impact && s->cones.impulse[s->cones.laws[i].row] > 0)
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

/* Impulses that act together pass energy from one contact to another: what one does another has lost, so gains
 * and losses of a step are set off in proportion. Push-out is not: what it does is always gained. */
void space_contacts_book(const struct space_contacts *s, struct ledger *l)
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
        double work = booked_work(s, i);
        int is_push_out = s->cones.laws[i].is_push_out;
        book_law(s, i, work <= 0 ? share_losses : is_push_out ? 1 : share_gains, l);
    }
}

/* ---------------------------------------------------------------- what is left */

static struct vec3 impulse_of(const struct space_contacts *s, int i)
{
    const struct space_contact *c = &s->list[i];
    const double *l = s->cones.impulse + 3 * i;
    struct vec3 sum = vec3_scale(c->normal, l[0]);
    return vec3_along(vec3_along(sum, c->tangents[0], l[1]), c->tangents[1], l[2]);
}

static int is_of_root(const struct space_contacts *s, int box, int root)
{
    if (box < 0)
        return 0;
    const struct space_tree_link *l = s->movers[box].link;
    while (l->up != &s->tree->world)
        l = l->up;
    return l == &s->tree->links[root];
}

void space_contacts_impulse(const struct space_contacts *s, int root, struct vec3 about,
                            struct vec3 *linear, struct vec3 *angular)
{
    *linear = *angular = (struct vec3){0, 0, 0};
    for (int i = 0; i < s->count; i++) {
        const struct space_contact *c = &s->list[i];
        int sign = is_of_root(s, c->pair->a, root) - is_of_root(s, c->pair->b, root);
        struct vec3 impulse = vec3_scale(impulse_of(s, i), sign);
        *linear = vec3_add(*linear, impulse);
        *angular = vec3_add(*angular, vec3_cross(vec3_sub(c->at, about), impulse));
    }
}

/* The manifold of this step takes the place of that of the last one. */
static void hold_manifold(const struct space_contacts *s, struct space_pair *p)
{
    struct vec3 before[SOLIDS_POINTS_MAX];
    for (int k = 0; k < p->found.count; k++) {
        int old = p->step == s->step - 1 ? held_point(p, p->found.points[k].feature) : -1;
        before[k] = old < 0 ? (struct vec3){0, 0, 0} : p->impulses[old];
    }
    for (int k = 0; k < p->found.count; k++) {
        p->impulses[k] = (struct vec3){0, 0, 0};
        p->expected[k] = before[k];
    }
    p->held = p->found;
    p->step = s->step;
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

int space_contacts_keep(struct space_contacts *s)
{
    int is_pressing = 0;
    s->step++;
    s->point_count = 0;
    s->penetration = 0;
    for (int i = 0; i < s->pair_count; i++) {
        struct space_pair *p = &s->pairs[i];
        if (p->found.count > 0)
            hold_manifold(s, p);
    }
    for (int i = 0; i < s->count; i++) {
        const struct space_contact *c = &s->list[i];
        const double *l = s->cones.impulse + 3 * i;
        struct vec3 *expected = &c->pair->expected[c->point];
        c->pair->impulses[c->point] = impulse_of(s, i);
        *expected = expect(c->pair->impulses[c->point], *expected);
        is_pressing |= l[0] > 0;
        if (-c->gap > s->penetration)
            s->penetration = -c->gap;
        if (l[0] > 0 || c->gap < SLOP_M)
            s->points[s->point_count++] =
                (struct contact_point){.part = c->pair->a,
                                       .other = c->pair->b,
                                       .at = c->at,
                                       .normal = c->normal,
                                       .gap_m = c->gap,
                                       .normal_impulse_n_s = l[0],
                                       .friction_impulse_n_s = sqrt(l[1] * l[1] + l[2] * l[2])};
    }
    for (int i = s->count; i < s->cones.count; i++)
        is_pressing |= s->cones.impulse[s->cones.laws[i].row] > 0;
    return is_pressing;
}
