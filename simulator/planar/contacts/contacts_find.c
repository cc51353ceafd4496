/* See contacts.h. The contacts and limits that could act in a step: with the ground, obstacles, own
 * parts, other bodies, each with its forces about the origins of the links, and with the impulses
 * that are remembered of it. */
#include "simulator/planar/contacts/contacts_private.h"

#include <math.h>

#include "common/error.h"

/* Edges of obstacles are as if rounded by this much. Else a part that rests on one, up to SLOP_M
 * deep, would bump against the next one beside it. */
#define GRAZE_M 2e-3
/* Parts that are as near act though they do not come nearer by themselves, m: others may push one.
 * A stack would sink else, when its lowest box is stopped. A body near the ground falls onto it by
 * itself. */
#define NEAR_M     1e-4
#define ROUNDING_M 1e-9
/* Operations, roughly: to look at a pair of parts, and at a point that is remembered. */
#define PAIR_WORK 60
#define MET_WORK  4

/* Unit forces along the normal, (nx, ny), and the tangent, (ny, -nx), at a point (from the root's
 * origin) of a link. */
static inline void set_forces(struct force_pair *f, const struct tree_link *l, double x, double y,
                              double nx, double ny)
{
    const pair fx = {nx, ny}, fy = {ny, -nx};
    PAIR(f->n, 0) = (x - l->px) * fy - (y - l->py) * fx;
    PAIR(f->x, 0) = fx;
    PAIR(f->y, 0) = fy;
    if (l->stretch) {
        struct vec2 s = tree_stretch_way(l, (struct vec2){x - l->px, y - l->py});
        PAIR(f->stretch, 0) = s.x * fx + s.y * fy;
    }
}

/* How deep one of two may be in the other and still be pushed out where it came in. */
static inline double safe_depth(const struct box *a, const struct box *b)
{
    return (thin_of(a) + thin_of(b)) / 2;
}

/* A part of a body, and what it touches: a part of a body, or of_b = -1 and CONTACT_GROUND or an
 * obstacle. Bodies are numbered by their places. */
struct touching {
    int of_a, part, of_b, other;
};

/* Adds a contact of two that touch if it could act in this step; the trees have the velocities v*.
 * The manifold is as seen from the root of the first body. */
static void add_contact(struct contacts *s, struct touching t, const struct manifold *m,
                        const struct manifold_point *p, struct warm_start *warm, double depth_max)
{
    if (s->count >= s->room && contacts_make_room(s, 2 * s->room) != 0)
        return; /* the step fails */
    const struct contact_body *own = s->bodies[t.of_a];
    const struct mover *mover = &own->movers[t.part];
    struct contact *c = &s->list[s->count];
    double rx = p->x, ry = p->y - own->tree->root_y, nx = m->normal_x, ny = m->normal_y;
    c->a = mover->link;
    c->b = NULL;
    c->gap = p->gap;
    c->radius[0] = m->radius[0];
    c->radius[1] = m->radius[1];
    c->is_bouncing = 0;
    c->has_slip = t.of_b >= 0 || c->radius[0] > 0 || c->a->stretch ||
                  (t.other == CONTACT_GROUND && s->world->relief.depth_m > 0);
    s->has_slip |= c->has_slip;
    set_forces(&c->on_a, c->a, rx, ry, nx, ny);
    int is_own = 0;
    if (t.of_b >= 0) {
        const struct contact_body *others = s->bodies[t.of_b];
        c->b = others->movers[t.other].link;
        is_own = !mover->is_fixed && !others->movers[t.other].is_fixed;
        if (t.of_b != t.of_a) {
            rx += root_offset(own, others);
            ry = p->y - others->tree->root_y;
        }
        set_forces(&c->on_b, c->b, rx, ry, -nx, -ny);
    }
    pair free = contact_velocity(c);
    if (c->gap > (t.of_b >= 0 ? NEAR_M : 0) && c->gap >= s->dt_s * fabs(free[0]))
        return;
    c->of_a = t.of_a;
    c->of_b = t.of_b;
    c->part = t.part;
    c->other = t.other;
    c->depth_max = depth_max;
    c->elasticity = is_own ? s->world->own_elasticity : s->world->elasticity;
    c->warm = warm;
    c->feature = p->feature;
    c->at = (struct vec2){own->tree->root_x + p->x, p->y};
    c->normal = (struct vec2){nx, ny};
    c->first_row = s->rows;
    PAIR(s->impulses.free, s->rows) = free;
    s->impulses.laws[s->count] =
        (struct impulse_law){.row = s->rows,
                             .has_friction = 1,
                             .friction = is_own ? s->world->own_friction : s->world->friction};
    s->rows += 2;
    s->count++;
}

/* The memory of a part's lowest point over the ground: that of the last step, else one that is
 * free. */
static struct warm_start *relief_memory(const struct contact_body *own, int part, int name,
                                        unsigned *taken)
{
    struct warm_start *own_memory = own->relief_warm + RELIEF_POINTS_MAX * part;
    int place = -1;
    for (int k = 0; k < RELIEF_POINTS_MAX; k++) {
        int is_known = own_memory[k].step == own->step && own_memory[k].feature == name;
        if (!(*taken >> k & 1) && (place < 0 || is_known))
            place = k;
    }
    *taken |= 1u << place;
    return &own_memory[place];
}

static void find_relief_contacts(struct contacts *s, int of, int part, double margin)
{
    struct contact_body *own = s->bodies[of];
    struct solid solid = collide_solid(&own->movers[part].box, own->tree->root_x);
    struct relief_points points;
    unsigned taken = 0;
    relief_meet(&s->world->relief, &solid, margin, &points);
    for (int k = 0; k < points.count; k++) {
        const struct relief_point *at = &points.list[k];
        struct manifold m = {.normal_x = at->normal.x,
                             .normal_y = at->normal.y,
                             .radius = {0, HUGE_VAL},
                             .count = 1};
        m.points[0] = (struct manifold_point){
            .x = at->at.x - own->tree->root_x, .y = at->at.y, .gap = at->gap, .feature = at->name};
        add_contact(s, (struct touching){of, part, -1, CONTACT_GROUND}, &m, &m.points[0],
                    relief_memory(own, part, at->name, &taken), HUGE_VAL);
    }
}

static void find_ground_contacts(struct contacts *s, int of)
{
    struct contact_body *own = s->bodies[of];
    double h = s->dt_s;
    for (int i = 0; i < own->parts; i++) {
        const struct mover *mover = &own->movers[i];
        double margin = h * (fabs(mover->vy) + mover->turn) + ROUNDING_M;
        if (mover->is_fixed || mover->box.y - mover->radius > margin)
            continue;
        struct manifold m;
        if (s->world->relief.depth_m > 0) {
            find_relief_contacts(s, of, i, margin);
            continue;
        }
        collide_ground(&mover->box, margin, &m);
        for (int k = 0; k < m.count; k++)
            add_contact(s, (struct touching){of, i, -1, CONTACT_GROUND}, &m, &m.points[k],
                        own->warm + 4 * i + m.points[k].feature, HUGE_VAL);
    }
}

static void find_obstacle_contacts(struct contacts *s, int of)
{
    struct contact_body *own = s->bodies[of];
    struct warm_start *warm = own->warm + 4 * own->parts + 2 * own->pair_count + own->links;
    contacts_gather_obstacles(own, s->dt_s, ROUNDING_M);
    for (int n = 0; n < own->near_count; n++) {
        int k = own->near[n];
        struct box obstacle = obstacle_box(own, k);
        for (int i = 0; i < own->parts; i++) {
            double margin;
            if (!can_reach(&own->movers[i], &obstacle, s->dt_s, ROUNDING_M, &margin))
                continue;
            const struct box *box = &own->movers[i].box;
            s->may_pass |= margin - ROUNDING_M > safe_way(own->movers[i].thin, thin_of(&obstacle));
            if (collide_is_graze(&obstacle, box, GRAZE_M))
                continue;
            struct manifold m;
            collide_boxes(box, &obstacle, margin, &m);
            for (int p = 0; p < m.count; p++)
                add_contact(s, (struct touching){of, i, -1, CONTACT_OBSTACLE - k}, &m, &m.points[p],
                            warm + 2 * (k * own->parts + i) + p, safe_depth(box, &obstacle));
        }
    }
}

static void find_self_contacts(struct contacts *s, int of)
{
    const struct contact_body *own = s->bodies[of];
    const struct part_pair *pairs = own->pairs;
    double h = s->dt_s;
    for (int k = 0, pair_count = own->pair_count; k < pair_count; k++) {
        const struct mover *a = pairs[k].a, *b = pairs[k].b;
        double margin;
        if (!can_meet(a, b, h, NEAR_M, &margin))
            continue;
        s->may_pass |= margin - NEAR_M > safe_way(a->thin, b->thin);
        struct manifold m;
        collide_boxes(&a->box, &b->box, margin, &m);
        const struct touching t = {of, (int)(a - own->movers), of, (int)(b - own->movers)};
        for (int i = 0; i < m.count; i++)
            add_contact(s, t, &m, &m.points[i], own->warm + 4 * own->parts + 2 * k + i,
                        safe_depth(&a->box, &b->box));
    }
}

/* Where a point between two bodies is remembered: where it was the last time, or else where one is
 * that was not found in the tick before. NULL: memory is out, and the step fails. */
static struct warm_start *find_met(struct contacts *s, const struct contact_body *own, int part,
                                   const struct contact_body *others, int other, int point)
{
    int a = own->dynamics->creature, b = others->dynamics->creature;
    struct met now = {a, part, b, other, point, s->tick, {0}};
    int place = s->met_count;
    for (int i = 0; i < s->met_count; i++) {
        struct met *met = &s->met[i];
        if (met->creature == now.creature && met->part == part &&
            met->other_creature == now.other_creature && met->other == other &&
            met->point == point) {
            met->tick = s->tick;
            s->impulses.work += (uint64_t)(MET_WORK * (i + 1));
            return &met->warm;
        }
        if (met->tick + 1 < s->tick && place == s->met_count)
            place = i;
    }
    s->impulses.work += (uint64_t)(MET_WORK * s->met_count);
    if (place == s->met_room && contacts_extend_met(s) != 0)
        return NULL;
    s->met_count += place == s->met_count;
    s->met[place] = now;
    return &s->met[place].warm;
}

static void find_part_meetings(struct contacts *s, int of_a, int part, int of_b)
{
    const struct contact_body *own = s->bodies[of_a], *others = s->bodies[of_b];
    const struct mover *a = &own->movers[part];
    double offset = root_offset(others, own);
    s->impulses.work += (uint64_t)(PAIR_WORK * others->parts);
    for (int j = 0; j < others->parts; j++) {
        struct mover b;
        double margin;
        if (!can_meet_another(a, &others->movers[j], offset, s->dt_s, NEAR_M, &b, &margin))
            continue;
        s->may_pass |= margin - NEAR_M > safe_way(a->thin, b.thin);
        struct manifold m;
        collide_boxes(&a->box, &b.box, margin, &m);
        for (int k = 0; k < m.count; k++) {
            struct warm_start *warm = find_met(s, own, part, others, j, k);
            if (warm)
                add_contact(s, (struct touching){of_a, part, of_b, j}, &m, &m.points[k], warm,
                            safe_depth(&a->box, &b.box));
        }
    }
}

/* Contacts between bodies of the step. */
static void find_meetings(struct contacts *s)
{
    for (int a = 0; a < s->body_count; a++)
        for (int b = a + 1; b < s->body_count; b++)
            for (int i = 0; i < s->bodies[a]->parts; i++)
                find_part_meetings(s, a, i, b);
}

/* A joint's limit, if it could act in this step. */
static void find_limit(struct contacts *s, int of, int joint)
{
    const struct contact_body *own = s->bodies[of];
    const double *q = own->q_middle, *vs = own->rates[PLANE_FREE];
    double to_lower = q[2 + joint] - own->lower[joint], to_upper = own->upper[joint] - q[2 + joint];
    int is_lower = to_lower <= to_upper;
    double gap = is_lower ? to_lower : to_upper;
    if (gap > 0 && gap >= s->dt_s * fabs(vs[2 + joint]))
        return;
    struct contact *c = &s->list[s->count];
    c->part = c->other = c->of_b = -1;
    c->of_a = of;
    c->a = c->b = NULL;
    c->joint = joint;
    c->sign = is_lower ? 1 : -1;
    c->gap = gap;
    c->warm = own->warm + 4 * own->parts + 2 * own->pair_count + joint;
    c->feature = is_lower;
    c->first_row = s->rows;
    s->impulses.laws[s->count++] = (struct impulse_law){.row = s->rows};
    s->impulses.free[s->rows++] = c->sign * vs[2 + joint];
}

/* Two joints are looked at at a time. Beside the first one stands the root, whose limits are
 * infinite. */
static void find_limits(struct contacts *s, int of)
{
    const struct contact_body *own = s->bodies[of];
    const double *q = own->q_middle, *vs = own->rates[PLANE_FREE];
    const double *lower = own->lower, *upper = own->upper;
    double h = s->dt_s;
    for (int i = 0, links = own->links; i < links; i += 2) {
        pair at = PAIR(q, 2 + i), way = h * pair_absolute(PAIR(vs, 2 + i));
        pair to_lower = at - PAIR(lower, i), to_upper = PAIR(upper, i) - at;
        pair near = pair_lesser(to_lower, to_upper);
        if (pair_mask(pair_is_less(pair_of(0), near) & pair_is_at_most(way, near)) == 3)
            continue;
        if (i > 0)
            find_limit(s, of, i);
        if (i + 1 < links)
            find_limit(s, of, i + 1);
    }
}

void contacts_find(struct contacts *s)
{
    s->count = s->rows = s->may_pass = s->has_slip = 0;
    for (int of = 0; of < s->body_count; of++) {
        struct contact_body *own = s->bodies[of];
        tree_set_velocity(own->tree, own->rates[PLANE_FREE]);
        contacts_place_movers(own, s->dt_s);
        if (s->world->has_ground)
            find_ground_contacts(s, of);
        if (s->world->obstacles.count > 0)
            find_obstacle_contacts(s, of);
        find_self_contacts(s, of);
        find_limits(s, of);
    }
    if (s->body_count > 1)
        find_meetings(s);
    CHECK_DEARLY(contacts_check(s));
}
