/* See contacts.h. Rows are spatial vectors about the root's origin, so J v of a row is a dot product
 * with the velocity of a link, and a column of X = M^-1 J' is one impulse through the tree. Typical:
 * 2 to 8 contacts, 4 to 16 rows. */
#include "simulator/plane/contacts.h"

#include <math.h>

#include "common/detmath.h"
#include "common/error.h"
#include "simulator/plane/pair.h"

/* Penetration that is left alone, m: contacts rest within it instead of rattling. */
#define SLOP_M 1e-3
/* Deeper ones are pushed out, this share of the depth a step, no faster than that. */
#define PUSH_OUT_SHARE     0.2
#define PUSH_OUT_SPEED_M_S 0.05
/* The same for the limits of hinges; those of linear joints are as contacts. */
#define LIMIT_SLOP_RAD       2e-3
#define LIMIT_PUSH_OUT_RAD_S 0.5
/* Edges of obstacles are as if rounded by this much: else what rests on one, up to SLOP_M deep, would
 * bump against the next one beside it. */
#define GRAZE_M 2e-3
/* Impacts without restitution have an instant if they are faster, and if what meets turns and goes less in a
 * step: else they are stopped half way. */
#define PLASTIC_SPEED_M_S 0.05
#define PLASTIC_TURN_RAD  0.02
#define PLASTIC_WAY_M     5e-3
/* Slower impacts do not bounce. */
#define RESTITUTION_SPEED_M_S 0.2
/* Distance within which a step is not trusted to miss a contact, besides what the speed covers. */
#define CLEARANCE_M     1e-3
#define CLEARANCE_LIMIT 1e-4 /* rad or m */
/* ... and for how many steps the speed is counted. */
#define CLEARANCE_STEPS 1.5
/* Rows less mobile than this, compared with the whole body pushed at its centre, are left alone. */
#define ROW_MOBILITY 1e-6
/* Pushing out may give the body this many times the energy m v^2 of its speed of push-out. */
#define PUSH_OUT_WORK 2.0
/* Impacts gain energy if they gain more than this share of what they pass on. */
#define GAIN_SHARE   1e-9
#define CONTACTS_MAX 64
/* ... and of bodies that meet. */
#define SHARED_CONTACTS_MAX 192

/* ---------------------------------------------------------------- creation */

static size_t even_of(size_t count)
{
    return (count + 1) & ~(size_t)1;
}

/* What one body needs, with so many points at once. */
static int take_body_memory(struct contact_body *own, struct arena *arena)
{
    size_t parts = (size_t)own->parts, links = (size_t)own->links, pairs = parts * (parts - 1) / 2;
    size_t walls = (size_t)own->obstacle_room, even = even_of(links);
    size_t slots = 4 * parts + 2 * pairs + links + 2 * parts * walls;
    own->lower = arena_take(arena, even, sizeof(double));
    own->upper = arena_take(arena, even, sizeof(double));
    own->movers = arena_take(arena, parts, sizeof own->movers[0]);
    own->pairs = arena_take(arena, pairs, sizeof own->pairs[0]);
    own->obstacles = arena_take(arena, walls, sizeof own->obstacles[0]);
    own->spans = arena_take(arena, walls, sizeof own->spans[0]);
    own->near = arena_take(arena, walls, sizeof own->near[0]);
    own->points = arena_take(arena, (size_t)own->point_room, sizeof own->points[0]);
    own->kick_shares = arena_take(arena, even, sizeof(double));
    own->shift = arena_take(arena, (size_t)own->dof, sizeof(double));
    own->warm = arena_take(arena, slots, sizeof own->warm[0]);
    int is_complete = own->lower && own->upper && own->movers && own->pairs && own->obstacles &&
                      own->spans && own->near && own->points && own->kick_shares && own->shift &&
                      own->warm;
    return is_complete ? 0 : ERR_MEMORY;
}

/* What a system of so many points and limits of the bodies listed needs. */
static int take_memory(struct contacts *s, struct contact_body *const *all, int limits, int sweeps,
                       struct arena *arena)
{
    size_t points = (size_t)s->room, rows = 2 * points + (size_t)limits;
    size_t even_rows = (rows + 2) & ~(size_t)1;
    s->list = arena_take(arena, points + (size_t)limits, sizeof s->list[0]);
    s->start = arena_take(arena, 5 * even_rows, sizeof(double));
    s->shares = arena_take(arena, (size_t)s->body_room, sizeof s->shares[0]);
    s->bodies = arena_take(arena, (size_t)s->body_room, sizeof s->bodies[0]);
    if (!s->list || !s->start || !s->shares || !s->bodies)
        return ERR_MEMORY;
    for (int k = 0; k < s->body_room; k++)
        if (tree_create_rows(all[k]->tree, &s->shares[k], (int)rows, arena) != 0)
            return ERR_MEMORY;
    s->middle = s->start + even_rows;
    s->work = s->middle + even_rows;
    s->loads = s->work + even_rows;
    s->load_changes = s->loads + even_rows;
    return impulses_create(&s->impulses, s->room + limits, (int)rows, sweeps, arena);
}

static void init_mover(struct contact_body *own, int i)
{
    const struct part *part = &own->phenotype->parts[i];
    double width = part->width_m, height = part->height_m;
    struct mover *m = &own->movers[i];
    *m = (struct mover){.link = &own->tree->links[part->link],
                        .is_fixed = phenotype_is_fixed(own->phenotype, i),
                        .local_x = part->local.x,
                        .local_y = part->local.y};
    det_sincos(part->local_angle_rad, &m->sin, &m->cos);
    XY(m->local_across_x) = plane_turn(XY(m->local_x));
    XY(m->across_cos) = plane_turn(XY(m->cos));
    m->radius = part->shape == PART_DISK    ? width / 2
                : part->shape == PART_PLANE ? COLLIDE_PLANE_RADIUS_M
                                            : sqrt(width * width + height * height) / 2;
    m->box = (struct box){.half_width = width / 2, .half_height = height / 2, .shape = part->shape};
}

static void init_obstacle(struct contact_body *own, int i, const struct obstacle *obstacle)
{
    struct span *span = &own->spans[i];
    struct box *box = &own->obstacles[i];
    collide_place_obstacle(obstacle, box);
    double width = fabs(box->cos) * box->half_width + fabs(box->sin) * box->half_height;
    double height = fabs(box->sin) * box->half_width + fabs(box->cos) * box->half_height;
    *span = (struct span){box->x - width, box->y - height, box->x + width, box->y + height};
}

/* One contact a corner and two a pair at most, but no more than a body can use. */
static int point_room(const struct contact_body *own)
{
    int parts = own->parts, walls = own->obstacle_room;
    int points = 4 * parts + parts * (parts - 1) + 2 * parts * walls;
    return points < CONTACTS_MAX ? points : CONTACTS_MAX;
}

static int create_body(struct contact_body *own, struct arena *arena)
{
    const struct phenotype *phenotype = own->phenotype;
    own->point_room = point_room(own);
    if (take_body_memory(own, arena) != 0)
        return ERR_MEMORY;
    for (int i = 0; i < own->links + own->links % 2; i++) {
        int is_joint = i > 0 && i < own->links;
        own->lower[i] = is_joint ? phenotype->links[i].lower : -HUGE_VAL;
        own->upper[i] = is_joint ? phenotype->links[i].upper : HUGE_VAL;
    }
    for (int i = 0; i < own->parts; i++) {
        init_mover(own, i);
        for (int j = 0; j < i; j++)
            if (!phenotype_is_neighbour(phenotype, j, i))
                own->pairs[own->pair_count++] =
                    (struct part_pair){&own->movers[j], &own->movers[i]};
    }
    own->touched_part = -1;
    for (int i = 0; i < own->obstacle_room; i++)
        init_obstacle(own, i, &own->world->obstacles.list[i]);
    return 0;
}

static double bouncing_speed(const struct dynamics_settings *settings)
{
    return settings->restitution_speed_m_s > 0 ? settings->restitution_speed_m_s
                                               : RESTITUTION_SPEED_M_S;
}

int contacts_create(struct contacts *s, const struct phenotype *phenotype, struct tree *tree,
                    const struct world *world, const struct dynamics_settings *settings,
                    struct arena *arena)
{
    *s = (struct contacts){.world = world,
                           .dt_s = settings->dt_s,
                           .restitution_speed = bouncing_speed(settings),
                           .own = {.phenotype = phenotype,
                                   .tree = tree,
                                   .world = world,
                                   .dt_s = settings->dt_s,
                                   .parts = phenotype->part_count,
                                   .links = phenotype->link_count,
                                   .obstacle_room = world->obstacles.count,
                                   .dof = tree->dof},
                           .body_count = 1,
                           .body_room = 1,
                           .mass = tree->mass};
    struct contact_body *own = &s->own;
    if (create_body(own, arena) != 0)
        return ERR_MEMORY;
    s->room = own->point_room;
    if (take_memory(s, &own, own->links, settings->contact_sweeps, arena) != 0)
        return ERR_MEMORY;
    s->bodies[0] = own;
    contacts_forget(s);
    return 0;
}

int contacts_create_shared(struct contacts *s, struct contacts *const *all, int count,
                           const struct dynamics_settings *settings, struct arena *arena)
{
    int limits = 0;
    *s = (struct contacts){
        .dt_s = settings->dt_s, .restitution_speed = bouncing_speed(settings), .body_room = count};
    struct contact_body **bodies = arena_take(arena, (size_t)count, sizeof bodies[0]);
    if (!bodies)
        return ERR_MEMORY;
    for (int k = 0; k < count; k++) {
        bodies[k] = &all[k]->own;
        /* a body can be touched by others all over */
        bodies[k]->point_room = CONTACTS_MAX;
        bodies[k]->points = arena_take(arena, CONTACTS_MAX, sizeof bodies[k]->points[0]);
        s->room += CONTACTS_MAX;
        limits += bodies[k]->links;
        if (!bodies[k]->points)
            return ERR_MEMORY;
    }
    s->room = s->room < SHARED_CONTACTS_MAX ? s->room : SHARED_CONTACTS_MAX;
    if (take_memory(s, bodies, limits, settings->contact_sweeps, arena) != 0)
        return ERR_MEMORY;
    size_t rows = even_of(2 * (size_t)s->room + (size_t)limits);
    s->block = arena_take(arena, rows * rows, sizeof(double));
    s->met = arena_take(arena, (size_t)s->room, sizeof s->met[0]);
    s->meeting = arena_take(arena, (size_t)s->room, sizeof s->meeting[0]);
    return s->block && s->met && s->meeting ? 0 : ERR_MEMORY;
}

void contacts_begin_step(struct contacts *s)
{
    struct met *met = s->met;
    s->met = s->meeting;
    s->met_count = s->meeting_count;
    s->meeting = met;
    s->meeting_count = 0;
}

void contacts_part(struct contacts *s)
{
    s->body_count = 0;
    s->mass = 0;
}

void contacts_gather(struct contacts *s, const struct contacts *body)
{
    ENSURE(s->body_count < s->body_room, "more than the %d bodies that share contacts",
           s->body_room);
    s->world = body->world;
    s->push_out_speed = body->push_out_speed;
    s->bodies[s->body_count++] = body->bodies[0];
    s->mass += body->mass;
}

void contacts_forget(struct contacts *s)
{
    struct contact_body *own = &s->own;
    own->step += 2;
    s->count = own->point_count = own->near_count = 0;
    own->penetration = own->law_miss_m = 0;
}

/* ---------------------------------------------------------------- geometry */

/* Where a part is and how fast it moves, from the pose and velocities of the tree, whose root is so far
 * from the ground (-0.0, y) and has this velocity; h: time for which it reaches. */
static inline void put_mover(struct mover *m, pair root, pair root_velocity, double h)
{
    const struct tree_link *l = m->link;
    double w = l->velocity.w, turn = fabs(w) * m->radius;
    pair cos = pair_of(l->cos), sin = pair_of(l->sin);
    pair at = cos * XY(m->local_x) + sin * XY(m->local_across_x);
    pair along = cos * XY(m->cos) + sin * XY(m->across_cos);
    pair v = XY(l->velocity.x) + w * plane_turn(at);
    pair against_root = pair_absolute(v - root_velocity);
    at = root + (XY(l->px) + at);
    m->turn = turn;
    m->reach = m->radius + h * (pair_sum(against_root) + turn);
    XY(m->box.x) = at;
    XY(m->box.cos) = along;
    XY(m->vx) = v;
}

/* x - 0 is x, even where that is -0. */
static inline pair root_place(const struct contact_body *own)
{
    return (pair){-0.0, own->tree->root_y};
}

static void place_mover(const struct contact_body *own, struct mover *m, double h)
{
    put_mover(m, root_place(own), XY(own->tree->links[0].velocity.x), h);
}

void contacts_place_box(const struct contact_body *own, int part, struct box *box)
{
    place_mover(own, &own->movers[part], 0);
    *box = own->movers[part].box;
}

static void place_movers(struct contact_body *own, double h)
{
    struct mover *movers = own->movers;
    const pair root = root_place(own), root_velocity = XY(own->tree->links[0].velocity.x);
    for (int i = 0, parts = own->parts; i < parts; i++)
        put_mover(&movers[i], root, root_velocity, h);
}

/* How fast two parts may close in, m/s, at most. */
static double closing_speed(const struct mover *a, const struct mover *b)
{
    double dx = a->vx - b->vx, dy = a->vy - b->vy;
    return sqrt(dx * dx + dy * dy) + a->turn + b->turn;
}

/* Whether the centres are farther apart. */
static inline int are_apart(const struct mover *a, const struct mover *b, double distance)
{
    double dx = a->box.x - b->box.x, dy = a->box.y - b->box.y;
    return dx * dx + dy * dy > distance * distance;
}

/* 0 if two parts cannot meet within h; else *margin is what they may close in by, and more. First by
 * their speeds against the root, which costs no root; for that h they are placed. */
static inline int can_meet(const struct mover *a, const struct mover *b, double h, double more,
                           double *margin)
{
    if (are_apart(a, b, a->reach + b->reach + more))
        return 0;
    *margin = more + h * closing_speed(a, b);
    return !are_apart(a, b, a->radius + b->radius + *margin);
}

static int obstacle_count(const struct contact_body *own)
{
    int count = own->world->obstacles.count;
    ENSURE(count <= own->obstacle_room, "%d obstacles in a world made for %d", count,
           own->obstacle_room);
    return count;
}

/* Lists what obstacles any part could come as close to as `more` within h; the movers are placed. */
static void gather_obstacles(struct contact_body *own, double h, double more)
{
    struct span body = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < own->parts; i++) {
        const struct mover *m = &own->movers[i];
        double reach = m->radius + more + h * (fabs(m->vx) + fabs(m->vy) + m->turn);
        if (m->is_fixed)
            continue;
        body.low_x = fmin(body.low_x, m->box.x - reach);
        body.low_y = fmin(body.low_y, m->box.y - reach);
        body.high_x = fmax(body.high_x, m->box.x + reach);
        body.high_y = fmax(body.high_y, m->box.y + reach);
    }
    own->near_count = 0;
    for (int k = 0; k < obstacle_count(own); k++) {
        const struct span *span = &own->spans[k];
        double low_x = span->low_x - own->tree->root_x, high_x = span->high_x - own->tree->root_x;
        if (body.low_x <= high_x && body.high_x >= low_x && body.low_y <= span->high_y &&
            body.high_y >= span->low_y)
            own->near[own->near_count++] = k;
    }
}

/* An obstacle as the parts' boxes are: x relative to the root's origin. */
static struct box obstacle_box(const struct contact_body *own, int obstacle)
{
    struct box box = own->obstacles[obstacle];
    box.x -= own->tree->root_x;
    return box;
}

/* 0 if a part cannot reach an obstacle within h; else *margin is what it may come closer by, and more. */
static int can_reach(const struct mover *m, const struct box *obstacle, double h, double more,
                     double *margin)
{
    *margin = more + h * (sqrt(m->vx * m->vx + m->vy * m->vy) + m->turn);
    return !m->is_fixed && !collide_is_beyond(obstacle, m->box.x, m->box.y, m->radius + *margin);
}

double contacts_overlap(const struct contact_body *own)
{
    /* within one link nothing can be pushed apart, but it is overlap all the same */
    double deepest = 0;
    for (int i = 0; i < own->parts; i++)
        for (int j = 0; j < i; j++) {
            const struct part *parts = own->phenotype->parts;
            if (parts[i].parent == j || parts[j].parent == i)
                continue;
            struct box a, b;
            contacts_place_box(own, i, &a);
            contacts_place_box(own, j, &b);
            deepest = fmax(deepest, -collide_separation(&a, &b));
        }
    return deepest;
}

/* How far a joint is from its limits, and whether it could reach them within h. */
static inline double limit_gap(const struct contact_body *own, int i, const double *q)
{
    double to_lower = q[2 + i] - own->lower[i], to_upper = own->upper[i] - q[2 + i];
    return to_lower < to_upper ? to_lower : to_upper;
}

/* What could come of one thing: a clearance, of which the worst counts. */
static void examine_limit(const struct contact_body *own, int i, const double *q, const double *qd,
                          double h, struct clearance *clearance)
{
    double gap = limit_gap(own, i, q);
    clearance->is_violated |= gap < 0;
    clearance->may_touch |= gap < CLEARANCE_LIMIT + h * fabs(qd[2 + i]);
}

static void examine_ground(const struct contact_body *own, int i, double h,
                           struct clearance *clearance)
{
    const struct mover *m = &own->movers[i];
    double margin = CLEARANCE_M + h * (fabs(m->vy) + m->turn);
    if (m->is_fixed || m->box.y - m->radius > margin)
        return;
    double gap = collide_lowest(&own->movers[i].box);
    clearance->is_violated |= gap < 0;
    clearance->may_touch |= gap < margin;
}

static void examine_obstacles(const struct contact_body *own, int i, double h,
                              struct clearance *clearance)
{
    for (int k = 0; k < own->near_count; k++) {
        struct box obstacle = obstacle_box(own, own->near[k]);
        double margin;
        if (!can_reach(&own->movers[i], &obstacle, h, CLEARANCE_M, &margin))
            continue;
        double gap = collide_separation(&own->movers[i].box, &obstacle);
        clearance->is_violated |= gap < 0;
        clearance->may_touch |= gap < margin;
    }
}

static inline int has_surroundings(const struct contact_body *own)
{
    return own->world->has_ground || own->world->obstacles.count > 0;
}

static inline void examine_surroundings(const struct contact_body *own, int i, double h,
                                        struct clearance *clearance)
{
    if (own->world->has_ground)
        examine_ground(own, i, h, clearance);
    if (own->world->obstacles.count > 0)
        examine_obstacles(own, i, h, clearance);
}

static void examine_pair(const struct contact_body *own, int k, double h,
                         struct clearance *clearance)
{
    const struct mover *a = own->pairs[k].a, *b = own->pairs[k].b;
    double margin;
    if (!can_meet(a, b, h, CLEARANCE_M, &margin))
        return;
    double gap = collide_separation(&a->box, &b->box);
    clearance->is_violated |= gap < 0;
    clearance->may_touch |= gap < margin;
}

struct clearance contacts_examine(struct contact_body *own, const double *q, const double *qd)
{
    double h = own->dt_s * CLEARANCE_STEPS;
    struct clearance clearance = {0, 0};
    for (int i = 1; i < own->links; i++)
        examine_limit(own, i, q, qd, h, &clearance);
    if (clearance.is_violated)
        return (struct clearance){1, 1};
    place_movers(own, h);
    if (own->world->obstacles.count > 0)
        gather_obstacles(own, h, CLEARANCE_M);
    for (int i = 0; i < own->parts && has_surroundings(own); i++)
        examine_surroundings(own, i, h, &clearance);
    for (int k = 0; k < own->pair_count && !clearance.is_violated; k++)
        examine_pair(own, k, h, &clearance);
    clearance.may_touch |= clearance.is_violated;
    return clearance;
}

/* What touched last is looked at first: mostly it still does. */
static int may_still_touch(struct contact_body *own, const double *q, const double *qd, double h)
{
    struct clearance clearance = {0, 0};
    if (own->touched_limit > 0)
        examine_limit(own, own->touched_limit, q, qd, h, &clearance);
    if (own->touched_part >= 0 && has_surroundings(own) && !clearance.may_touch) {
        place_mover(own, &own->movers[own->touched_part], h);
        examine_surroundings(own, own->touched_part, h, &clearance);
    }
    return clearance.may_touch;
}

int contacts_may_touch(struct contact_body *own, const double *q, const double *qd)
{
    double h = own->dt_s * CLEARANCE_STEPS;
    if (may_still_touch(own, q, qd, h))
        return 1;
    struct clearance clearance = {0, 0};
    for (int i = 1; i < own->links && !clearance.may_touch; i++) {
        examine_limit(own, i, q, qd, h, &clearance);
        own->touched_limit = i;
    }
    if (clearance.may_touch)
        return 1;
    own->touched_limit = 0;
    place_movers(own, h);
    if (own->world->obstacles.count > 0)
        gather_obstacles(own, h, CLEARANCE_M);
    for (int i = 0; i < own->parts && has_surroundings(own) && !clearance.may_touch; i++) {
        examine_surroundings(own, i, h, &clearance);
        own->touched_part = i;
    }
    if (clearance.may_touch)
        return 1;
    own->touched_part = -1;
    for (int k = 0; k < own->pair_count && !clearance.may_touch; k++)
        examine_pair(own, k, h, &clearance);
    return clearance.may_touch;
}

struct span contacts_sweep(struct contact_body *own)
{
    double h = own->dt_s * CLEARANCE_STEPS, root_x = own->tree->root_x;
    struct span swept = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    place_movers(own, h);
    for (int i = 0; i < own->parts; i++) {
        const struct mover *m = &own->movers[i];
        double reach = m->radius + CLEARANCE_M + h * m->turn;
        double reach_x = reach + h * fabs(m->vx), reach_y = reach + h * fabs(m->vy);
        swept.low_x = fmin(swept.low_x, root_x + m->box.x - reach_x);
        swept.low_y = fmin(swept.low_y, m->box.y - reach_y);
        swept.high_x = fmax(swept.high_x, root_x + m->box.x + reach_x);
        swept.high_y = fmax(swept.high_y, m->box.y + reach_y);
    }
    return swept;
}

/* ---------------------------------------------------------------- what could act */

/* Velocities along both forces of a point. */
static inline pair forces_velocity(const struct force_pair *f, const struct motion *v)
{
    return PAIR(f->n, 0) * v->w + PAIR(f->x, 0) * v->x + PAIR(f->y, 0) * v->y;
}

/* Relative velocities along both rows of a contact for the velocities of the trees. */
static inline pair contact_velocity(const struct contact *c)
{
    pair velocity = forces_velocity(&c->on_a, &c->a->velocity);
    if (c->b)
        velocity += forces_velocity(&c->on_b, &c->b->velocity);
    return velocity;
}

/* Unit forces along the normal, (nx, ny), and the tangent, (ny, -nx), at a point (from the root's origin)
 * of a link. */
static inline void set_forces(struct force_pair *f, const struct tree_link *l, double x, double y,
                              double nx, double ny)
{
    const pair fx = {nx, ny}, fy = {ny, -nx};
    PAIR(f->n, 0) = (x - l->px) * fy - (y - l->py) * fx;
    PAIR(f->x, 0) = fx;
    PAIR(f->y, 0) = fy;
}

/* A contact has a normal and a tangent row, a limit only one. */
static int row_count(const struct contact *c)
{
    return c->part < 0 ? 1 : 2;
}

/* How deep one of two may be in the other and still be pushed out where it came in. */
static inline double safe_depth(const struct box *a, const struct box *b)
{
    double thin_a = a->half_width < a->half_height ? a->half_width : a->half_height;
    double thin_b = b->half_width < b->half_height ? b->half_width : b->half_height;
    return (thin_a + thin_b) / 2;
}

/* How far the root of one body is to the right of another's: what is added to places from the former. */
static double root_offset(const struct contact_body *from, const struct contact_body *to)
{
    return from->tree->root_x - to->tree->root_x;
}

/* Adds a contact if it could act in this step, of a part of a body and what is beside it; the trees have the
 * velocities v*. The manifold is as seen from the body's root. */
static void add_contact(struct contacts *s, int of_a, int part, int of_b, int other,
                        const struct manifold *m, const struct manifold_point *p,
                        struct warm_start *warm, double depth_max)
{
    if (s->count >= s->room)
        return;
    const struct contact_body *own = s->bodies[of_a];
    const struct mover *mover = &own->movers[part];
    struct contact *c = &s->list[s->count];
    double rx = p->x, ry = p->y - own->tree->root_y, nx = m->normal_x, ny = m->normal_y;
    c->a = mover->link;
    c->b = NULL;
    c->gap = p->gap;
    set_forces(&c->on_a, c->a, rx, ry, nx, ny);
    int is_own = 0;
    if (of_b >= 0) {
        const struct contact_body *others = s->bodies[of_b];
        c->b = others->movers[other].link;
        is_own = !mover->is_fixed && !others->movers[other].is_fixed;
        if (of_b != of_a) {
            rx += root_offset(own, others);
            ry = p->y - others->tree->root_y;
        }
        set_forces(&c->on_b, c->b, rx, ry, -nx, -ny);
    }
    pair free = contact_velocity(c);
    if (c->gap > 0 && c->gap >= s->dt_s * fabs(free[0]))
        return;
    c->of_a = of_a;
    c->of_b = of_b;
    c->part = part;
    c->other = other;
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

static void find_ground_contacts(struct contacts *s, int of)
{
    struct contact_body *own = s->bodies[of];
    double h = s->dt_s;
    for (int i = 0; i < own->parts; i++) {
        const struct mover *mover = &own->movers[i];
        double margin = h * (fabs(mover->vy) + mover->turn) + 1e-9;
        if (mover->is_fixed || mover->box.y - mover->radius > margin)
            continue;
        struct manifold m;
        collide_ground(&mover->box, margin, &m);
        for (int k = 0; k < m.count; k++)
            add_contact(s, of, i, -1, CONTACT_GROUND, &m, &m.points[k],
                        own->warm + 4 * i + m.points[k].feature, HUGE_VAL);
    }
}

static void find_obstacle_contacts(struct contacts *s, int of)
{
    struct contact_body *own = s->bodies[of];
    struct warm_start *warm = own->warm + 4 * own->parts + 2 * own->pair_count + own->links;
    gather_obstacles(own, s->dt_s, 1e-9);
    for (int n = 0; n < own->near_count; n++) {
        int k = own->near[n];
        struct box obstacle = obstacle_box(own, k);
        for (int i = 0; i < own->parts; i++) {
            double margin;
            if (!can_reach(&own->movers[i], &obstacle, s->dt_s, 1e-9, &margin))
                continue;
            const struct box *box = &own->movers[i].box;
            if (collide_is_graze(&obstacle, box, GRAZE_M))
                continue;
            struct manifold m;
            collide_boxes(box, &obstacle, margin, &m);
            for (int p = 0; p < m.count; p++)
                add_contact(s, of, i, -1, CONTACT_OBSTACLE - k, &m, &m.points[p],
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
        if (!can_meet(a, b, h, 1e-9, &margin))
            continue;
        struct manifold m;
        collide_boxes(&a->box, &b->box, margin, &m);
        for (int i = 0; i < m.count; i++)
            add_contact(s, of, (int)(a - own->movers), of, (int)(b - own->movers), &m, &m.points[i],
                        own->warm + 4 * own->parts + 2 * k + i, safe_depth(&a->box, &b->box));
    }
}

/* Where a point between two bodies is remembered, with what is from the last step; NULL if there is no more
 * room. */
static struct warm_start *find_meeting(struct contacts *s, const struct contact_body *own, int part,
                                       const struct contact_body *others, int other, int point)
{
    if (s->meeting_count >= s->room)
        return NULL;
    struct met *now = &s->meeting[s->meeting_count++];
    *now = (struct met){own->creature, part, others->creature, other, point, {0}};
    for (int i = 0; i < s->met_count; i++) {
        const struct met *met = &s->met[i];
        if (met->creature == now->creature && met->part == part &&
            met->other_creature == now->other_creature && met->other == other &&
            met->point == point)
            now->warm = met->warm;
    }
    return &now->warm;
}

static void find_part_meetings(struct contacts *s, int of_a, int part, int of_b)
{
    const struct contact_body *own = s->bodies[of_a], *others = s->bodies[of_b];
    const struct mover *a = &own->movers[part];
    double offset = root_offset(others, own);
    for (int j = 0; j < others->parts; j++) {
        struct mover b = others->movers[j];
        b.box.x += offset;
        double margin = 1e-9 + s->dt_s * closing_speed(a, &b);
        if ((a->is_fixed && b.is_fixed) || are_apart(a, &b, a->radius + b.radius + margin))
            continue;
        struct manifold m;
        collide_boxes(&a->box, &b.box, margin, &m);
        for (int k = 0; k < m.count; k++) {
            struct warm_start *warm = find_meeting(s, own, part, others, j, k);
            if (warm)
                add_contact(s, of_a, part, of_b, j, &m, &m.points[k], warm,
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
static void find_limit(struct contacts *s, int of, int joint, const double *q, const double *vs)
{
    const struct contact_body *own = s->bodies[of];
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

/* Two joints at a time are looked at, with the root, whose limits are infinite, beside the first one. */
static void find_limits(struct contacts *s, int of, const double *q, const double *vs)
{
    const double *lower = s->bodies[of]->lower, *upper = s->bodies[of]->upper;
    double h = s->dt_s;
    for (int i = 0, links = s->bodies[of]->links; i < links; i += 2) {
        pair at = PAIR(q, 2 + i), way = h * pair_absolute(PAIR(vs, 2 + i));
        pair to_lower = at - PAIR(lower, i), to_upper = PAIR(upper, i) - at;
        pair near = pair_lesser(to_lower, to_upper);
        if (pair_mask(pair_is_less(pair_of(0), near) & pair_is_at_most(way, near)) == 3)
            continue;
        if (i > 0)
            find_limit(s, of, i, q, vs);
        if (i + 1 < links)
            find_limit(s, of, i + 1, q, vs);
    }
}

/* An impact happens at an instant t of the step, when with a constant acceleration a, that of the loads that
 * lasted until then, the gap at the start g0 is used up; after it, until the end of the step, the
 * acceleration goes on:
 *
 *   g0 + v0 t + a t^2/2 = 0,   vi = v0 + a t,   vn at the end >= -e vi + a (h - t), and >= 0
 *
 * With t in the middle and v0 for vi, the simplest form of the rule, a ball's bounces come too early or
 * too late by up to half a step each, which adds up: 10 ms after six of them at 240 Hz. What is not
 * reached in this step is left to the next one, unless it would be too deep there. */
static void set_impact(struct contacts *s, struct contact *c, struct impulse_law *law, double a)
{
    double h = s->dt_s, v = s->start[c->first_row];
    double gap = c->gap - h / 2 * v, root = v * v - 2 * a * gap, instant = 0;
    if (gap > 0)
        instant = root > 0 ? 2 * gap / (sqrt(root) - v) : h;
    law->is_push_out = 0;
    if (instant >= h && c->gap + h * (v + a * h) > -c->depth_max) {
        s->is_waiting = 1;
        c->is_impact = 0;
        law->bound = -2 * c->gap / h;
        return;
    }
    instant = instant < h ? instant : h;
    double rebound = -c->elasticity * (v + a * instant) + a * (h - instant);
    law->bound = rebound > 0 ? rebound : 0;
    c->late = instant - h / 2;
    s->instants += instant;
    s->impact_count++;
}

/* Impacts, after the loads that last without them. */
static void set_impacts(struct contacts *s)
{
    struct impulses *system = &s->impulses;
    const double *impulse = system->impulse, *velocity = system->velocity, *free = system->free;
    double *loads = s->loads, *changes = s->load_changes;
    for (int i = 0; i < s->count; i++)
        if (s->list[i].is_impact)
            system->laws[i].bound = -HUGE_VAL;
    impulses_solve(system);
    for (int i = 0, rows = s->rows; i < rows; i += 2) {
        PAIR(loads, i) = PAIR(impulse, i);
        PAIR(changes, i) = PAIR(velocity, i) - PAIR(free, i);
    }
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        int row = c->first_row;
        if (c->is_impact)
            set_impact(s, c, &system->laws[i], (velocity[row] - s->start[row]) / s->dt_s);
    }
}

/* The same in the middle of the step, of what bounces. */
static void set_rebound(struct contacts *s, struct contact *c, struct impulse_law *law)
{
    double rebound = -c->elasticity * s->start[c->first_row];
    c->is_impact = rebound > law->bound;
    if (c->is_impact) {
        law->bound = rebound;
        law->is_push_out = 0;
    }
}

/* How fast the links of a contact turn. */
static double turning_of(const struct contact *c)
{
    return fabs(c->a->velocity.w) + (c->b ? fabs(c->b->velocity.w) : 0);
}

/* Whether it is the limit of a hinge. */
static int is_limit_of_angle(const struct contacts *s, const struct contact *c)
{
    return c->part < 0 && !s->bodies[c->of_a]->tree->links[c->joint].is_linear;
}

/* The least normal velocity after the step. */
static void set_bound(struct contacts *s, int i)
{
    struct contact *c = &s->list[i];
    struct impulse_law *law = &s->impulses.laws[i];
    double h = s->dt_s;
    int is_limit = c->part < 0, is_angle = is_limit_of_angle(s, c);
    double slop = is_angle ? LIMIT_SLOP_RAD : SLOP_M;
    double fastest = is_angle ? LIMIT_PUSH_OUT_RAD_S : PUSH_OUT_SPEED_M_S;
    if (!is_limit && s->push_out_speed > 0) {
        slop = 0;
        fastest = s->push_out_speed;
    }
    law->is_push_out = c->is_impact = 0;
    if (c->gap > 0) {
        law->bound = -c->gap / h;
    } else {
        double speed = -c->gap > slop ? PUSH_OUT_SHARE * (-c->gap - slop) / h : 0;
        law->bound = speed < fastest ? speed : fastest;
        law->is_push_out = law->bound > 0;
    }
    c->late = 0;
    double slow = c->elasticity > 0 ? s->restitution_speed : PLASTIC_SPEED_M_S;
    c->is_impact = !is_limit && s->start[c->first_row] < -slow;
    if (c->is_impact && c->elasticity <= 0)
        c->is_impact =
            h * turning_of(c) < PLASTIC_TURN_RAD && h * -s->start[c->first_row] < PLASTIC_WAY_M;
    if (c->is_impact && !s->has_instants)
        set_rebound(s, c, law);
}

static int is_between_bodies(const struct contact *c)
{
    return c->of_b >= 0 && c->of_b != c->of_a;
}

/* What a body's tree has of a contact; rows that do not touch it are 0. */
ALWAYS_INLINE static inline void carry(const struct tree *tree, struct tree_rows *rows, int of,
                                       const struct contact *c, int is_alone)
{
    int row = c->first_row, is_of_a = is_alone || c->of_a == of;
    int has_b = is_alone ? c->b != NULL : c->of_b == of;
    if (is_of_a && c->part < 0)
        tree_carry_joint(tree, c->joint, c->sign, rows, row);
    else if (is_of_a)
        tree_carry(tree, c->a->index, &c->on_a, has_b ? c->b->index : -1, &c->on_b, rows, row);
    else if (c->of_b == of)
        tree_carry(tree, c->b->index, &c->on_b, -1, NULL, rows, row);
    else
        tree_leave_rows(rows, row, row_count(c));
}

/* The shares of the rows and the matrix W = J M^-1 J': the sum of what each body gives to it. */
ALWAYS_INLINE static inline void build_system(struct contacts *s, int count)
{
    struct impulses *system = &s->impulses;
    impulses_begin(system, s->rows);
    for (int of = 0; of < count; of++) {
        double *block = of > 0 ? s->block : system->w;
        tree_clear_rows(&s->shares[of], s->rows);
        for (int i = 0; i < s->count; i++)
            carry(s->bodies[of]->tree, &s->shares[of], of, &s->list[i], count == 1);
        tree_couple(s->bodies[of]->tree, &s->shares[of], s->rows, system->stride, block);
        for (int i = 0; of > 0 && i < system->stride * system->stride; i++)
            system->w[i] += block[i];
    }
    double mass = s->mass;
    for (int row = 0, rows = s->rows; row < rows; row++) {
        double w = system->w[row * system->stride + row];
        system->inverse[row] = w * mass > ROW_MOBILITY ? 1 / w : 0;
    }
}

ALWAYS_INLINE static inline void set_velocities(const struct contacts *s, double *const *rates,
                                                int count)
{
    for (int of = 0; of < count; of++)
        tree_set_velocity(s->bodies[of]->tree, rates[of]);
}

/* How much further the velocity of a row is at the instant of the contact than in the middle. */
static double late_velocity(const struct contacts *s, const struct contact *c, int k)
{
    int row = c->first_row + k;
    return c->late * (s->impulses.free[row] - s->start[row]) / s->dt_s;
}

/* Work of one row: impulse times the mean of the velocities before and after it, exactly. */
static double row_work(const struct contacts *s, const struct contact *c, int k)
{
    int row = c->first_row + k;
    double before = s->middle[row], change = s->impulses.velocity[row] - s->impulses.free[row];
    if (c->late != 0)
        before += late_velocity(s, c, k);
    return s->impulses.impulse[row] * (before + change / 2);
}

double contacts_work(const struct contacts *s)
{
    double work = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < row_count(&s->list[i]); k++)
            work += row_work(s, &s->list[i], k);
    return work;
}

/* Solves again, from nothing, with slower push-out; share 0: penetrations are only kept from growing. */
static void slow_push_outs(struct contacts *s, double share)
{
    for (int i = 0; i < s->count; i++) {
        struct impulse_law *law = &s->impulses.laws[i];
        if (law->is_push_out)
            law->bound *= share;
        law->is_push_out &= share > 0;
    }
    for (int i = 0; i < s->rows; i++)
        s->impulses.impulse[i] = 0;
    impulses_solve(&s->impulses);
}

/* What can hardly move takes impulses without end to be pushed out, which the whole body gets as
 * energy: that is bounded. */
static void take_back_gaining_push_outs(struct contacts *s)
{
    double speed = s->push_out_speed > 0 ? s->push_out_speed : PUSH_OUT_SPEED_M_S;
    double most = PUSH_OUT_WORK * s->mass * speed * speed, work;
    int has_push_out = 0;
    for (int i = 0; i < s->count; i++)
        has_push_out |= s->impulses.laws[i].is_push_out;
    if (!has_push_out || (work = contacts_work(s)) <= most)
        return;
    slow_push_outs(s, sqrt(most / work));
    if (contacts_work(s) > 1.5 * most)
        slow_push_outs(s, 0);
}

/* Whether two contacts feel each other's impulses. */
static int are_coupled(const struct contacts *s, const struct contact *a, const struct contact *b)
{
    const struct impulses *system = &s->impulses;
    for (int i = a->first_row; i < a->first_row + row_count(a); i++)
        for (int j = b->first_row; j < b->first_row + row_count(b); j++)
            if (system->w[i * system->stride + j] != 0)
                return 1;
    return 0;
}

/* Numbers the islands of contacts that press and are coupled, one through another. */
static void find_islands(struct contacts *s)
{
    struct contact *list = s->list;
    for (int i = 0; i < s->count; i++) {
        list[i].island = i;
        for (int j = 0; j < i; j++) {
            int from = list[j].island;
            if (from == list[i].island || s->impulses.impulse[list[i].first_row] <= 0 ||
                s->impulses.impulse[list[j].first_row] <= 0 || !are_coupled(s, &list[i], &list[j]))
                continue;
            for (int k = 0; k < i; k++)
                list[k].island = list[k].island == from ? list[i].island : list[k].island;
        }
    }
}

/* Whether the contacts of an island gain energy, push-out apart, by more than rounding. */
static int is_gaining(const struct contacts *s, int island)
{
    double work = 0, size = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++) {
            if (c->island != island || s->impulses.laws[i].is_push_out)
                continue;
            work += row_work(s, c, k);
            size += fabs(s->impulses.impulse[c->first_row + k] * s->start[c->first_row + k]);
        }
    }
    return work > GAIN_SHARE * size;
}

/* Newton's restitution with Coulomb friction can create energy: the impacts of such an island are solved
 * again without restitution. Returns 1 if there was one. */
static int take_back_gaining_impacts(struct contacts *s)
{
    int has_impact = 0, has_gained = 0;
    for (int i = 0; i < s->count; i++)
        has_impact |= s->list[i].is_impact && s->list[i].elasticity > 0;
    if (!has_impact)
        return 0;
    find_islands(s);
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        c->is_gaining = c->is_impact && c->elasticity > 0 && is_gaining(s, c->island);
        has_gained |= c->is_gaining;
    }
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        if (!c->is_gaining)
            continue;
        c->elasticity = 0;
        s->impulses.laws[i].bound = c->gap > 0 && c->late == 0 ? -c->gap / s->dt_s : 0;
    }
    return has_gained;
}

/* Books one contact's work, of which the share counts. */
static inline void book_contact(const struct contacts *s, int i, double share, struct ledger *l)
{
    const struct contact *c = &s->list[i];
    const double *row_works = s->work + c->first_row;
    double normal = share * row_works[0];
    double tangent = c->part < 0 ? 0 : share * row_works[1];
    double work = normal + tangent;
    if (work > 0) {
        if (c->part < 0)
            l->gain_limit_j += work;
        else if (s->impulses.laws[i].is_push_out)
            l->gain_push_out_j += work;
        else
            l->gain_impact_j += work;
    } else if (c->part < 0) {
        l->loss_limit_j -= work;
    } else if (normal > 0) {
        l->loss_friction_j -= work;
    } else if (tangent > 0) {
        l->loss_impact_j -= work;
    } else {
        l->loss_impact_j -= normal;
        l->loss_friction_j -= tangent;
    }
}

/* The work of all rows, as row_work() has it. */
static void find_work(const struct contacts *s)
{
    const double *middle = s->middle, *velocity = s->impulses.velocity, *free = s->impulses.free;
    const double *impulse = s->impulses.impulse;
    double *work = s->work;
    for (int i = 0, rows = s->rows; i < rows; i += 2)
        PAIR(work, i) =
            PAIR(impulse, i) * (PAIR(middle, i) + 0.5 * (PAIR(velocity, i) - PAIR(free, i)));
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c) && c->late != 0; k++)
            work[c->first_row + k] = row_work(s, c, k);
    }
}

static inline double found_work(const struct contacts *s, const struct contact *c)
{
    const double *work = s->work + c->first_row;
    return work[0] + (c->part < 0 ? 0 : work[1]);
}

/* Impulses that act together pass energy from one contact to another (a limb that lands swings the
 * next one up): what one does another has lost, so gains and losses of a step are set off in
 * proportion. Push-out is not: what it does is always gained. */
/* What bodies that meet lose together each books half of. The rest of what a contact does to a body is from the
 * others. */
static void book_shared(const struct contacts *s, int i, double share,
                        struct ledger *const *ledgers)
{
    const struct contact *c = &s->list[i];
    const double *impulse = s->impulses.impulse + c->first_row;
    double work = found_work(s, c);
    if (!is_between_bodies(c)) {
        book_contact(s, i, share, ledgers[c->of_a]);
        ledgers[c->of_a]->exchange_j += (1 - share) * work;
        return;
    }
    double half = share / 2;
    double work_a = pair_sum(SINGLES(impulse, 0) * forces_velocity(&c->on_a, &c->a->velocity));
    book_contact(s, i, half, ledgers[c->of_a]);
    book_contact(s, i, half, ledgers[c->of_b]);
    ledgers[c->of_a]->exchange_j += work_a - half * work;
    ledgers[c->of_b]->exchange_j += work - work_a - half * work;
}

/* What counts of gains and of losses. */
struct shares {
    double gains, losses;
};

static inline double share_of(const struct contacts *s, int i, struct shares shares)
{
    double work = found_work(s, &s->list[i]);
    return work <= 0 ? shares.losses : s->impulses.laws[i].is_push_out ? 1 : shares.gains;
}

void contacts_book(const struct contacts *s, double *const *rates, struct ledger *const *ledgers)
{
    double gains = 0, losses = 0;
    find_work(s);
    for (int i = 0; i < s->count; i++) {
        double work = found_work(s, &s->list[i]);
        if (work <= 0)
            losses -= work;
        else if (!s->impulses.laws[i].is_push_out)
            gains += work;
    }
    struct shares shares = {.gains = gains > losses ? (gains - losses) / gains : 0,
                            .losses = losses > gains ? (losses - gains) / losses : 0};
    if (s->body_count == 1) {
        for (int i = 0; i < s->count; i++)
            book_contact(s, i, share_of(s, i, shares), ledgers[0]);
        return;
    }
    set_velocities(s, rates, s->body_count);
    for (int i = 0; i < s->count; i++)
        book_shared(s, i, share_of(s, i, shares), ledgers);
}

struct force contacts_outer_impulse(const struct contacts *s, int of, struct vec2 *late)
{
    const struct tree_link *l;
    struct force sum = {0, 0, 0};
    *late = (struct vec2){0, 0};
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        const double *impulse = s->impulses.impulse + c->first_row;
        if (c->part < 0 || c->of_a == c->of_b || (c->of_a != of && c->of_b != of))
            continue;
        const struct force_pair *on = c->of_a == of ? &c->on_a : &c->on_b;
        l = c->of_a == of ? c->a : c->b;
        double x = on->x[0] * impulse[0] + on->x[1] * impulse[1];
        double y = on->y[0] * impulse[0] + on->y[1] * impulse[1];
        double n = on->n[0] * impulse[0] + on->n[1] * impulse[1];
        sum.n += n + (l->px * y - l->py * x);
        sum.x += x;
        sum.y += y;
        late->x += c->late * x;
        late->y += c->late * y;
    }
    return sum;
}

/* Where a contact acts: for one that is late, as far along its tangent as gives the moment that its
 * impulse has about the centre of mass, which goes on until then. */
static struct vec2 acting_point(const struct contact *c, const double *impulse,
                                struct vec2 velocity)
{
    if (c->late == 0 || impulse[0] == 0)
        return c->at;
    double tx = c->normal.y, ty = -c->normal.x;
    double x = c->normal.x * impulse[0] + tx * impulse[1];
    double y = c->normal.y * impulse[0] + ty * impulse[1];
    double way = c->late * (velocity.x * y - velocity.y * x) / (tx * y - ty * x);
    return (struct vec2){c->at.x + way * tx, c->at.y + way * ty};
}

/* Impacts happen where the gap is used up, wherever it is in the middle of the step. */
static double acting_gap(const struct contact *c)
{
    return c->late != 0 && c->gap < 0 ? 0 : c->gap;
}

/* As seen from a side of it. */
static inline void set_point(struct contact_point *point, const struct contact *c,
                             const double *impulse, struct vec2 velocity, double gap_m, int is_b)
{
    double sign = is_b ? -1 : 1;
    point->part = is_b ? c->other : c->part;
    point->other = is_b ? c->part : c->other;
    point->at = vec3_of_plane(acting_point(c, impulse, velocity));
    point->normal = (struct vec3){sign * c->normal.x, sign * c->normal.y, 0};
    point->gap_m = gap_m;
    point->normal_impulse_n_s = impulse[0];
    point->friction_impulse_n_s = impulse[1];
}

int contacts_keep(struct contacts *s, int of, struct vec2 velocity)
{
    struct contact_body *own = s->bodies[of];
    int is_pressing = 0;
    own->law_miss_m = 0;
    own->step++;
    own->point_count = 0;
    own->penetration = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        const double *impulse = s->impulses.impulse + c->first_row;
        if (c->of_a == of) {
            double friction = c->part < 0 ? 0 : impulse[1];
            *c->warm = (struct warm_start){own->step, c->feature, {impulse[0], friction}};
        } else if (c->of_b != of) {
            continue;
        }
        is_pressing |= impulse[0] > 0;
        if (c->part < 0)
            continue;
        double gap = acting_gap(c), miss = s->dt_s * impulses_miss(&s->impulses, i);
        if (!(miss <= own->law_miss_m))
            own->law_miss_m = miss;
        if (-gap > own->penetration)
            own->penetration = -gap;
        if (!(impulse[0] > 0 || gap < SLOP_M) || own->point_count >= own->point_room)
            continue;
        int is_b = c->of_a != of, others = is_b ? c->of_a : c->of_b;
        struct contact_point *point = &own->points[own->point_count++];
        set_point(point, c, impulse, velocity, gap, is_b);
        point->creature = own->creature;
        point->other_creature = others < 0 ? -1 : s->bodies[others]->creature;
    }
    return is_pressing;
}

static void check_body(const struct contacts *s, int of)
{
    const struct contact_body *own = s->bodies[of];
    ENSURE(own->tree->count == own->links && own->links == own->phenotype->link_count,
           "a tree of %d links for contacts of %d", own->tree->count, own->links);
    ENSURE(own->point_count <= own->point_room, "%d points where there is room for %d",
           own->point_count, own->point_room);
    ENSURE(s->shares[of].stride >= own->links, "shares of %d links in lines of %d", own->links,
           s->shares[of].stride);
}

static void check_contact(const struct contacts *s, const struct contact *c)
{
    ENSURE(c->of_a >= 0 && c->of_a < s->body_count && c->of_b >= -1 && c->of_b < s->body_count,
           "a contact of bodies %d and %d of %d", c->of_a, c->of_b, s->body_count);
    const struct contact_body *own = s->bodies[c->of_a];
    ENSURE(c->part >= -1 && c->part < own->parts, "a contact of part %d of %d", c->part,
           own->parts);
    ENSURE(c->warm != NULL, "a contact that nothing remembers");
    if (c->part < 0) {
        ENSURE(c->joint > 0 && c->joint < own->links, "a limit of joint %d of %d", c->joint,
               own->links);
        return;
    }
    ENSURE(c->a == own->movers[c->part].link, "part %d is pushed at another link", c->part);
    ENSURE((c->b == NULL) == (c->of_b < 0), "a contact with the world has another link");
    double size = c->normal.x * c->normal.x + c->normal.y * c->normal.y;
    ENSURE(!(fabs(size - 1) > 1e-9), "a normal of length^2 %g", size);
    for (int k = 0; k < 2 && c->b; k++)
        ENSURE(!(c->on_a.x[k] + c->on_b.x[k] != 0 || c->on_a.y[k] + c->on_b.y[k] != 0),
               "action and reaction are not opposite");
}

void contacts_check(const struct contacts *s)
{
    int rows = 0;
    ENSURE(s->body_count >= 1 && s->body_count <= s->body_room, "%d bodies of %d", s->body_count,
           s->body_room);
    for (int of = 0; of < s->body_count; of++)
        check_body(s, of);
    for (int i = 0; i < s->count; i++) {
        ENSURE(s->list[i].first_row == rows && s->impulses.laws[i].row == rows,
               "contact %d has row %d instead of %d", i, s->list[i].first_row, rows);
        check_contact(s, &s->list[i]);
        rows += row_count(&s->list[i]);
    }
    ENSURE(s->rows == rows, "%d rows of %d contacts, that have %d", s->rows, s->count, rows);
}

void contacts_find(struct contacts *s, double *const *q, double *const *vs)
{
    s->count = s->rows = 0;
    for (int of = 0; of < s->body_count; of++) {
        struct contact_body *own = s->bodies[of];
        tree_set_velocity(own->tree, vs[of]);
        place_movers(own, s->dt_s);
        if (s->world->has_ground)
            find_ground_contacts(s, of);
        if (s->world->obstacles.count > 0)
            find_obstacle_contacts(s, of);
        find_self_contacts(s, of);
        find_limits(s, of, q[of], vs[of]);
    }
    if (s->body_count > 1)
        find_meetings(s);
    CHECK_DEARLY(contacts_check(s));
}

/* Starts from the impulses of the last step where the features are the same. */
static void take_warm_starts(struct contacts *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        const struct warm_start *w = c->warm;
        int is_same = w->step == s->bodies[c->of_a]->step && w->feature == c->feature;
        for (int k = 0; k < row_count(c); k++)
            s->impulses.impulse[c->first_row + k] = is_same ? w->impulse[k] : 0;
    }
}

/* Velocities of the rows for the rates given, at the trees' poses. */
ALWAYS_INLINE static inline void set_row_velocities(struct contacts *s, double *const *rates,
                                                    double *velocities, int bodies)
{
    set_velocities(s, rates, bodies);
    for (int i = 0, count = s->count; i < count; i++) {
        const struct contact *c = &s->list[i];
        if (c->part < 0)
            velocities[c->first_row] = c->sign * rates[c->of_a][2 + c->joint];
        else
            PAIR(velocities, c->first_row) = contact_velocity(c);
    }
}

ALWAYS_INLINE static inline void prepare(struct contacts *s, double *const *start,
                                         double *const *middle, int has_instants, int bodies)
{
    int has_impact = 0;
    s->has_instants = has_instants;
    s->is_waiting = s->impact_count = 0;
    s->instants = 0;
    s->impulses.count = s->count;
    set_row_velocities(s, start, s->start, bodies);
    if (middle)
        set_row_velocities(s, middle, s->middle, bodies);
    double *at_middle = s->middle;
    const double *at_start = s->start, *free = s->impulses.free;
    for (int i = 0, rows = middle ? 0 : s->rows; i < rows; i += 2)
        PAIR(at_middle, i) = 0.5 * (PAIR(at_start, i) + PAIR(free, i));
    for (int i = 0; i < s->count; i++) {
        set_bound(s, i);
        has_impact |= s->list[i].is_impact;
    }
    take_warm_starts(s);
    for (int of = 0; of < bodies; of++)
        tree_factor(s->bodies[of]->tree);
    build_system(s, bodies);
    if (has_impact && has_instants)
        set_impacts(s);
}

void contacts_prepare(struct contacts *s, double *const *start, double *const *middle,
                      int has_instants)
{
    if (s->body_count == 1)
        prepare(s, start, middle, has_instants, 1);
    else
        prepare(s, start, middle, has_instants, s->body_count);
}

void contacts_set_free(struct contacts *s, double *const *vs)
{
    set_row_velocities(s, vs, s->impulses.free, s->body_count);
}

/* The change of a body's rates under impulses, two rows at a time. */
static void respond(const struct contacts *s, int of, const double *impulses, double *change)
{
    const struct contact_body *own = s->bodies[of];
    const struct tree_rows *rows = &s->shares[of];
    struct force root = {0, 0, 0};
    double *sums = own->kick_shares;
    int links = own->links, stride = rows->stride;
    for (int i = 0; i < links; i++)
        sums[i] = 0;
    for (int row = 0; row < s->rows; row += 2) {
        const double *shares = rows->shares + row * stride;
        double a = impulses[row], b = impulses[row + 1];
        if (a == 0 && b == 0)
            continue;
        for (int i = 0; i < links; i += 2)
            PAIR(sums, i) = PAIR(sums, i) + a * PAIR(shares, i) + b * PAIR(shares, stride + i);
        root.n = root.n + a * rows->n[row] + b * rows->n[row + 1];
        root.x = root.x + a * rows->x[row] + b * rows->x[row + 1];
        root.y = root.y + a * rows->y[row] + b * rows->y[row + 1];
    }
    tree_respond(own->tree, sums, root, change);
}

/* Impacts meet what the loads until then have left, and what comes after them adds to the loads' share. */
static void solve_impacts(struct contacts *s)
{
    struct impulses *system = &s->impulses;
    double share = s->instants / (s->impact_count * s->dt_s);
    double *free = system->free, *impulse = system->impulse;
    const double *loads = s->loads, *changes = s->load_changes;
    for (int i = 0, rows = s->rows; i < rows; i += 2)
        PAIR(free, i) += share * PAIR(changes, i);
    impulses_solve(system);
    for (int i = 0, rows = s->rows; i < rows; i += 2) {
        PAIR(free, i) -= share * PAIR(changes, i);
        PAIR(impulse, i) += share * PAIR(loads, i);
    }
    impulses_set_velocities(system);
}

static void solve(struct contacts *s)
{
    if (s->impact_count > 0)
        solve_impacts(s);
    else
        impulses_solve(&s->impulses);
}

void contacts_solve(struct contacts *s, double *const *kick)
{
    solve(s);
    take_back_gaining_push_outs(s);
    if (take_back_gaining_impacts(s))
        solve(s);
    for (int of = 0; of < s->body_count; of++)
        respond(s, of, s->impulses.impulse, kick[of]);
}

void contacts_shift(const struct contacts *s, double *const *q)
{
    int has_late = 0;
    for (int i = 0; i < s->count; i++)
        has_late |= s->list[i].late != 0;
    if (!has_late)
        return;
    double *lates = s->work;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++)
            lates[c->first_row + k] = s->impulses.impulse[c->first_row + k] * c->late;
    }
    lates[s->rows] = 0;
    for (int of = 0; of < s->body_count; of++) {
        const struct contact_body *own = s->bodies[of];
        respond(s, of, lates, own->shift);
        for (int i = 0; i < own->dof; i++)
            q[of][i] -= own->shift[i];
    }
}

int contacts_has_instants(const struct contacts *s)
{
    int has = s->is_waiting;
    for (int i = 0; i < s->count; i++)
        has |= s->list[i].late != 0;
    return has;
}

double contacts_instant_work(const struct contacts *s, double *size)
{
    double work = 0;
    *size = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++) {
            double impulse = s->impulses.impulse[c->first_row + k];
            work += impulse * late_velocity(s, c, k);
            *size += fabs(impulse * s->start[c->first_row + k]);
        }
    }
    return work;
}
