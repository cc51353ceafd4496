/* See contacts.h. Rows are spatial vectors about the root's origin, so J v of a row is a dot product
 * with the velocity of a link, and a column of X = M^-1 J' is one impulse through the tree. Typical:
 * 2 to 8 contacts, 4 to 16 rows, a handful of sweeps thanks to warm starts. */
#include "simulator/contacts.h"

#include <math.h>

#include "common/detmath.h"
#include "common/error.h"

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
/* Slower impacts do not bounce. */
#define RESTITUTION_SPEED_M_S 0.2
/* Sweeps stop when no velocity changes by more than this, m/s. */
#define SWEEP_TOLERANCE_M_S 1e-6
/* Sweeps that still change a velocity by this much, m/s, have nothing to converge to. */
#define WEDGED_M_S 1e-3
/* Distance within which a step is not trusted to miss a contact, besides what the speed covers. */
#define CLEARANCE_M     1e-3
#define CLEARANCE_LIMIT 1e-4 /* rad or m */
/* ... and for how many steps the speed is counted. */
#define CLEARANCE_STEPS 1.5
/* Rows less mobile than this, compared with the whole body pushed at its centre, are left alone. */
#define ROW_MOBILITY 1e-6
/* Pushing out may give the body this many times the energy m v^2 of its speed of push-out. */
#define PUSH_OUT_WORK 2.0
#define CONTACTS_MAX  64
#define LIMITS_MAX    64
/* The direct solver: unknowns at most, guesses at most, and how far a velocity may miss its law. */
#define DIRECT_MAX        48
#define GUESSES_MAX       6
#define LAW_TOLERANCE_M_S 1e-7
/* So many sweeps before the direct solver tries again, with fewer guesses; then ever more. */
#define SWEEPS_FIRST  30
#define SWEEPS_GROWTH 4
#define GUESSES_AGAIN 4
/* Rows that say the same (two feet of one rigid part that stick) share the impulse: their diagonal
 * is raised by this share, which costs as much accuracy. */
#define REDUNDANCY 1e-9

/* ---------------------------------------------------------------- creation */

static int take_memory(struct contacts *s, struct arena *arena)
{
    /* one contact a corner and two a pair at most, but no more than a body can use */
    size_t parts = (size_t)s->parts, links = (size_t)s->links, pairs = parts * (parts - 1) / 2;
    size_t walls = (size_t)s->obstacle_room, points = 4 * parts + 2 * pairs + 2 * parts * walls;
    if (points > CONTACTS_MAX)
        points = CONTACTS_MAX;
    size_t rows = 2 * points + links;
    s->room = (int)points;
    s->lower = arena_take(arena, links, sizeof(double));
    s->upper = arena_take(arena, links, sizeof(double));
    s->movers = arena_take(arena, parts, sizeof s->movers[0]);
    s->pairs = arena_take(arena, pairs, sizeof s->pairs[0]);
    s->boxes = arena_take(arena, parts, sizeof s->boxes[0]);
    s->obstacles = arena_take(arena, walls, sizeof s->obstacles[0]);
    s->spans = arena_take(arena, walls, sizeof s->spans[0]);
    s->near = arena_take(arena, walls, sizeof s->near[0]);
    s->list = arena_take(arena, points + links, sizeof s->list[0]);
    s->points = arena_take(arena, points, sizeof s->points[0]);
    s->w = arena_take(arena, rows * rows, sizeof(double));
    s->inverse = arena_take(arena, rows, sizeof(double));
    s->system = arena_take(arena, DIRECT_MAX * (DIRECT_MAX + 1), sizeof(double));
    s->shares = arena_take(arena, rows, sizeof s->shares[0]);
    s->kick_shares = arena_take(arena, links, sizeof(double));
    s->shift = arena_take(arena, (size_t)s->dof, sizeof(double));
    double *shares = arena_take(arena, rows * links, sizeof(double));
    int *joints = arena_take(arena, rows * links, sizeof(int));
    for (size_t i = 0; s->shares && shares && joints && i < rows; i++)
        s->shares[i] =
            (struct tree_row){.joints = joints + i * links, .shares = shares + i * links};
    s->velocity = arena_take(arena, rows, sizeof(double));
    size_t slots = 4 * parts + 2 * pairs + links + 2 * parts * walls;
    s->warm = arena_take(arena, slots, sizeof s->warm[0]);
    int is_complete = s->lower && s->upper && s->movers && s->pairs && s->boxes && s->obstacles &&
                      s->spans && s->near && s->list && s->points && s->w && s->inverse &&
                      s->system && s->shares && s->kick_shares && s->shift && shares && joints &&
                      s->velocity && s->warm;
    return is_complete ? 0 : ERR_MEMORY;
}

static void init_mover(struct contacts *s, int i)
{
    const struct part *part = &s->phenotype->parts[i];
    double width = part->width_m, height = part->height_m;
    struct mover *m = &s->movers[i];
    *m = (struct mover){.link = part->link,
                        .is_fixed = phenotype_is_fixed(s->phenotype, i),
                        .local_x = part->local.x,
                        .local_y = part->local.y};
    det_sincos(part->local_angle_rad, &m->sin, &m->cos);
    m->radius = part->shape == PART_DISK    ? width / 2
                : part->shape == PART_PLANE ? COLLIDE_PLANE_RADIUS_M
                                            : sqrt(width * width + height * height) / 2;
    s->boxes[i] =
        (struct box){.half_width = width / 2, .half_height = height / 2, .shape = part->shape};
}

static void init_obstacle(struct contacts *s, int i, const struct obstacle *obstacle)
{
    struct span *span = &s->spans[i];
    struct box *box = &s->obstacles[i];
    collide_place_obstacle(obstacle, box);
    double width = fabs(box->cos) * box->half_width + fabs(box->sin) * box->half_height;
    double height = fabs(box->sin) * box->half_width + fabs(box->cos) * box->half_height;
    *span = (struct span){box->x - width, box->y - height, box->x + width, box->y + height};
}

int contacts_create(struct contacts *s, const struct phenotype *phenotype, struct tree *tree,
                    const struct world *world, const struct dynamics_settings *settings,
                    struct arena *arena)
{
    *s = (struct contacts){.phenotype = phenotype,
                           .tree = tree,
                           .world = world,
                           .dt_s = settings->dt_s,
                           .sweeps = settings->contact_sweeps,
                           .restitution_speed = settings->restitution_speed_m_s > 0
                                                    ? settings->restitution_speed_m_s
                                                    : RESTITUTION_SPEED_M_S,
                           .parts = phenotype->part_count,
                           .links = phenotype->link_count,
                           .obstacle_room = world->obstacles.count,
                           .dof = tree->dof};
    if (take_memory(s, arena) != 0)
        return ERR_MEMORY;
    for (int i = 1; i < s->links; i++) {
        s->lower[i] = phenotype->links[i].lower;
        s->upper[i] = phenotype->links[i].upper;
    }
    for (int i = 0; i < s->parts; i++) {
        init_mover(s, i);
        for (int j = 0; j < i; j++)
            if (!phenotype_is_neighbour(phenotype, j, i))
                s->pairs[s->pair_count++] = (struct part_pair){j, i};
    }
    s->touched_part = -1;
    for (int i = 0; i < s->obstacle_room; i++)
        init_obstacle(s, i, &world->obstacles.list[i]);
    contacts_forget(s);
    return 0;
}

void contacts_forget(struct contacts *s)
{
    s->step += 2;
    s->count = s->point_count = s->near_count = 0;
    s->penetration = 0;
}

/* ---------------------------------------------------------------- geometry */

/* The centre of a part's circle and how fast it moves, from the pose and velocities of the tree. */
static inline void place_mover(const struct contacts *s, struct mover *m)
{
    const struct tree_link *l = &s->tree->links[m->link], *root = &s->tree->links[0];
    double x = l->cos * m->local_x - l->sin * m->local_y;
    double y = l->sin * m->local_x + l->cos * m->local_y;
    m->x = l->px + x;
    m->y = s->tree->root_y + (l->py + y);
    m->vx = l->velocity.x - l->velocity.w * y;
    m->vy = l->velocity.y + l->velocity.w * x;
    m->turn = fabs(l->velocity.w) * m->radius;
    m->speed = fabs(m->vx - root->velocity.x) + fabs(m->vy - root->velocity.y) + m->turn;
}

/* The box of a part, its mover being placed. */
static inline struct box *place_box(const struct contacts *s, int part)
{
    const struct mover *m = &s->movers[part];
    const struct tree_link *l = &s->tree->links[m->link];
    struct box *box = &s->boxes[part];
    box->x = m->x;
    box->y = m->y;
    box->cos = l->cos * m->cos - l->sin * m->sin;
    box->sin = l->sin * m->cos + l->cos * m->sin;
    return box;
}

void contacts_place_box(const struct contacts *s, int part, struct box *box)
{
    place_mover(s, &s->movers[part]);
    *box = *place_box(s, part);
}

static void place_movers(struct contacts *s)
{
    for (int i = 0; i < s->parts; i++)
        place_mover(s, &s->movers[i]);
}

/* How fast two parts may close in, m/s, at most. */
static double closing_speed(const struct mover *a, const struct mover *b)
{
    double dx = a->vx - b->vx, dy = a->vy - b->vy;
    return sqrt(dx * dx + dy * dy) + a->turn + b->turn;
}

static inline int are_circles_apart(const struct mover *a, const struct mover *b, double margin)
{
    double dx = a->x - b->x, dy = a->y - b->y, reach = a->radius + b->radius + margin;
    return dx * dx + dy * dy > reach * reach;
}

/* 0 if two parts cannot meet within h; else *margin is what they may close in by, and more. First by
 * their speeds against the root, which costs no root. */
static inline int can_meet(const struct mover *a, const struct mover *b, double h, double more,
                           double *margin)
{
    if (are_circles_apart(a, b, more + h * (a->speed + b->speed)))
        return 0;
    *margin = more + h * closing_speed(a, b);
    return !are_circles_apart(a, b, *margin);
}

static int obstacle_count(const struct contacts *s)
{
    int count = s->world->obstacles.count;
    ENSURE(count <= s->obstacle_room, "%d obstacles in a world made for %d", count,
           s->obstacle_room);
    return count;
}

/* Lists what obstacles any part could come as close to as `more` within h; the movers are placed. */
static void gather_obstacles(struct contacts *s, double h, double more)
{
    struct span body = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < s->parts; i++) {
        const struct mover *m = &s->movers[i];
        double reach = m->radius + more + h * (fabs(m->vx) + fabs(m->vy) + m->turn);
        if (m->is_fixed)
            continue;
        body.low_x = fmin(body.low_x, m->x - reach);
        body.low_y = fmin(body.low_y, m->y - reach);
        body.high_x = fmax(body.high_x, m->x + reach);
        body.high_y = fmax(body.high_y, m->y + reach);
    }
    s->near_count = 0;
    for (int k = 0; k < obstacle_count(s); k++) {
        const struct span *span = &s->spans[k];
        double low_x = span->low_x - s->tree->root_x, high_x = span->high_x - s->tree->root_x;
        if (body.low_x <= high_x && body.high_x >= low_x && body.low_y <= span->high_y &&
            body.high_y >= span->low_y)
            s->near[s->near_count++] = k;
    }
}

/* An obstacle as the parts' boxes are: x relative to the root's origin. */
static struct box obstacle_box(const struct contacts *s, int obstacle)
{
    struct box box = s->obstacles[obstacle];
    box.x -= s->tree->root_x;
    return box;
}

/* 0 if a part cannot reach an obstacle within h; else *margin is what it may come closer by, and more. */
static int can_reach(const struct mover *m, const struct box *obstacle, double h, double more,
                     double *margin)
{
    *margin = more + h * (sqrt(m->vx * m->vx + m->vy * m->vy) + m->turn);
    return !m->is_fixed && !collide_is_beyond(obstacle, m->x, m->y, m->radius + *margin);
}

double contacts_overlap(const struct contacts *s)
{
    /* within one link nothing can be pushed apart, but it is overlap all the same */
    double deepest = 0;
    for (int i = 0; i < s->parts; i++)
        for (int j = 0; j < i; j++) {
            const struct part *parts = s->phenotype->parts;
            if (parts[i].parent == j || parts[j].parent == i)
                continue;
            struct box a, b;
            contacts_place_box(s, i, &a);
            contacts_place_box(s, j, &b);
            deepest = fmax(deepest, -collide_separation(&a, &b));
        }
    return deepest;
}

/* How far a joint is from its limits, and whether it could reach them within h. */
static inline double limit_gap(const struct contacts *s, int i, const double *q)
{
    double to_lower = q[2 + i] - s->lower[i], to_upper = s->upper[i] - q[2 + i];
    return to_lower < to_upper ? to_lower : to_upper;
}

/* What could come of one thing: a clearance, of which the worst counts. */
static void examine_limit(const struct contacts *s, int i, const double *q, const double *qd,
                          double h, struct clearance *clearance)
{
    double gap = limit_gap(s, i, q);
    clearance->is_violated |= gap < 0;
    clearance->may_touch |= gap < CLEARANCE_LIMIT + h * fabs(qd[2 + i]);
}

static void examine_ground(const struct contacts *s, int i, double h, struct clearance *clearance)
{
    const struct mover *m = &s->movers[i];
    double margin = CLEARANCE_M + h * (fabs(m->vy) + m->turn);
    if (m->is_fixed || m->y - m->radius > margin)
        return;
    double gap = collide_lowest(place_box(s, i));
    clearance->is_violated |= gap < 0;
    clearance->may_touch |= gap < margin;
}

static void examine_obstacles(const struct contacts *s, int i, double h,
                              struct clearance *clearance)
{
    for (int k = 0; k < s->near_count; k++) {
        struct box obstacle = obstacle_box(s, s->near[k]);
        double margin;
        if (!can_reach(&s->movers[i], &obstacle, h, CLEARANCE_M, &margin))
            continue;
        double gap = collide_separation(place_box(s, i), &obstacle);
        clearance->is_violated |= gap < 0;
        clearance->may_touch |= gap < margin;
    }
}

static inline int has_surroundings(const struct contacts *s)
{
    return s->world->has_ground || s->world->obstacles.count > 0;
}

static inline void examine_surroundings(const struct contacts *s, int i, double h,
                                        struct clearance *clearance)
{
    if (s->world->has_ground)
        examine_ground(s, i, h, clearance);
    if (s->world->obstacles.count > 0)
        examine_obstacles(s, i, h, clearance);
}

static void examine_pair(const struct contacts *s, int k, double h, struct clearance *clearance)
{
    int a = s->pairs[k].a, b = s->pairs[k].b;
    double margin;
    if (!can_meet(&s->movers[a], &s->movers[b], h, CLEARANCE_M, &margin))
        return;
    double gap = collide_separation(place_box(s, a), place_box(s, b));
    clearance->is_violated |= gap < 0;
    clearance->may_touch |= gap < margin;
}

struct clearance contacts_examine(struct contacts *s, const double *q, const double *qd)
{
    double h = s->dt_s * CLEARANCE_STEPS;
    struct clearance clearance = {0, 0};
    for (int i = 1; i < s->links; i++)
        examine_limit(s, i, q, qd, h, &clearance);
    if (clearance.is_violated)
        return (struct clearance){1, 1};
    place_movers(s);
    if (s->world->obstacles.count > 0)
        gather_obstacles(s, h, CLEARANCE_M);
    for (int i = 0; i < s->parts && has_surroundings(s); i++)
        examine_surroundings(s, i, h, &clearance);
    for (int k = 0; k < s->pair_count && !clearance.is_violated; k++)
        examine_pair(s, k, h, &clearance);
    clearance.may_touch |= clearance.is_violated;
    return clearance;
}

/* What touched last is looked at first: mostly it still does. */
static int may_still_touch(struct contacts *s, const double *q, const double *qd, double h)
{
    struct clearance clearance = {0, 0};
    if (s->touched_limit > 0)
        examine_limit(s, s->touched_limit, q, qd, h, &clearance);
    if (s->touched_part >= 0 && has_surroundings(s) && !clearance.may_touch) {
        place_mover(s, &s->movers[s->touched_part]);
        examine_surroundings(s, s->touched_part, h, &clearance);
    }
    return clearance.may_touch;
}

int contacts_may_touch(struct contacts *s, const double *q, const double *qd)
{
    double h = s->dt_s * CLEARANCE_STEPS;
    if (may_still_touch(s, q, qd, h))
        return 1;
    struct clearance clearance = {0, 0};
    for (int i = 1; i < s->links && !clearance.may_touch; i++) {
        examine_limit(s, i, q, qd, h, &clearance);
        s->touched_limit = i;
    }
    if (clearance.may_touch)
        return 1;
    s->touched_limit = 0;
    place_movers(s);
    if (s->world->obstacles.count > 0)
        gather_obstacles(s, h, CLEARANCE_M);
    for (int i = 0; i < s->parts && has_surroundings(s) && !clearance.may_touch; i++) {
        examine_surroundings(s, i, h, &clearance);
        s->touched_part = i;
    }
    if (clearance.may_touch)
        return 1;
    s->touched_part = -1;
    for (int k = 0; k < s->pair_count && !clearance.may_touch; k++)
        examine_pair(s, k, h, &clearance);
    return clearance.may_touch;
}

/* ---------------------------------------------------------------- what could act */

static double row_velocity(struct force row, struct motion v)
{
    return row.n * v.w + row.x * v.x + row.y * v.y;
}

/* Relative velocity along a row of a contact for the velocities of the tree. */
static double link_velocity(const struct contacts *s, const struct contact *c, int row)
{
    double velocity = row_velocity(c->on_a[row], s->tree->links[c->a].velocity);
    if (c->b >= 0)
        velocity += row_velocity(c->on_b[row], s->tree->links[c->b].velocity);
    return velocity;
}

/* A unit force at a point (from the root's origin) of a link. */
static struct force force_at(const struct contacts *s, int link, double x, double y, double fx,
                             double fy)
{
    const struct tree_link *l = &s->tree->links[link];
    return (struct force){(x - l->px) * fy - (y - l->py) * fx, fx, fy};
}

/* A contact has a normal and a tangent row, a limit only one. */
static int row_count(const struct contact *c)
{
    return c->part < 0 ? 1 : 2;
}

/* Adds a contact if it could act in this step; the tree has the velocities v*. */
static void add_contact(struct contacts *s, int part, int other, const struct manifold *m,
                        const struct manifold_point *p, int warm)
{
    if (s->count >= s->room)
        return;
    const struct part *parts = s->phenotype->parts;
    struct contact *c = &s->list[s->count];
    double rx = p->x, ry = p->y - s->tree->root_y;
    int is_own = other >= 0 && !s->movers[part].is_fixed && !s->movers[other].is_fixed;
    *c = (struct contact){.part = part,
                          .other = other,
                          .a = parts[part].link,
                          .b = other >= 0 ? parts[other].link : -1,
                          .gap = p->gap,
                          .friction = is_own ? s->world->own_friction : s->world->friction,
                          .elasticity = is_own ? s->world->own_elasticity : s->world->elasticity,
                          .warm = warm,
                          .feature = p->feature};
    double nx = m->normal_x, ny = m->normal_y, tx = ny, ty = -nx;
    c->on_a[0] = force_at(s, c->a, rx, ry, nx, ny);
    c->on_a[1] = force_at(s, c->a, rx, ry, tx, ty);
    if (c->b >= 0) {
        c->on_b[0] = force_at(s, c->b, rx, ry, -nx, -ny);
        c->on_b[1] = force_at(s, c->b, rx, ry, -tx, -ty);
    }
    c->free[0] = link_velocity(s, c, 0);
    if (c->gap > 0 && c->gap >= s->dt_s * fabs(c->free[0]))
        return;
    c->free[1] = link_velocity(s, c, 1);
    c->at = (struct vec2){s->tree->root_x + p->x, p->y};
    c->normal = (struct vec2){nx, ny};
    s->count++;
}

static void find_ground_contacts(struct contacts *s)
{
    double h = s->dt_s;
    for (int i = 0; i < s->parts; i++) {
        const struct mover *mover = &s->movers[i];
        double margin = h * (fabs(mover->vy) + mover->turn) + 1e-9;
        if (mover->is_fixed || mover->y - mover->radius > margin)
            continue;
        struct manifold m;
        collide_ground(place_box(s, i), margin, &m);
        for (int k = 0; k < m.count; k++)
            add_contact(s, i, -1, &m, &m.points[k], 4 * i + m.points[k].feature);
    }
}

static void find_obstacle_contacts(struct contacts *s)
{
    int warm = 4 * s->parts + 2 * s->pair_count + s->links;
    gather_obstacles(s, s->dt_s, 1e-9);
    for (int n = 0; n < s->near_count; n++) {
        int k = s->near[n];
        struct box obstacle = obstacle_box(s, k);
        for (int i = 0; i < s->parts; i++) {
            double margin;
            if (!can_reach(&s->movers[i], &obstacle, s->dt_s, 1e-9, &margin))
                continue;
            const struct box *box = place_box(s, i);
            if (collide_is_graze(&obstacle, box, GRAZE_M))
                continue;
            struct manifold m;
            collide_boxes(box, &obstacle, margin, &m);
            for (int p = 0; p < m.count; p++)
                add_contact(s, i, CONTACT_OBSTACLE - k, &m, &m.points[p],
                            warm + 2 * (k * s->parts + i) + p);
        }
    }
}

static void find_self_contacts(struct contacts *s)
{
    for (int k = 0; k < s->pair_count; k++) {
        int a = s->pairs[k].a, b = s->pairs[k].b;
        double margin;
        if (!can_meet(&s->movers[a], &s->movers[b], s->dt_s, 1e-9, &margin))
            continue;
        struct manifold m;
        collide_boxes(place_box(s, a), place_box(s, b), margin, &m);
        for (int i = 0; i < m.count; i++)
            add_contact(s, a, b, &m, &m.points[i], 4 * s->parts + 2 * k + i);
    }
}

static void find_limits(struct contacts *s, const double *q, const double *vs)
{
    double h = s->dt_s;
    int warm = 4 * s->parts + 2 * s->pair_count;
    for (int i = 1; i < s->links; i++) {
        double to_lower = q[2 + i] - s->lower[i], to_upper = s->upper[i] - q[2 + i];
        double sign = to_lower <= to_upper ? 1 : -1, gap = fmin(to_lower, to_upper);
        double rate = sign * vs[2 + i];
        if (gap > 0 && gap >= h * fabs(rate))
            continue;
        s->list[s->count++] = (struct contact){.part = -1,
                                               .other = -1,
                                               .a = -1,
                                               .b = -1,
                                               .joint = i,
                                               .sign = sign,
                                               .gap = gap,
                                               .free = {rate, 0},
                                               .warm = warm + i,
                                               .feature = sign > 0};
    }
}

/* An impact that bounces happens at an instant t of the step, when with a constant acceleration a the
 * gap at the start g0 is used up; after it, until the end of the step, the acceleration goes on:
 *
 *   g0 + v0 t + a t^2/2 = 0,   vi = v0 + a t,   vn at the end >= -e vi + a (h - t)
 *
 * With t in the middle and v0 for vi, the simplest form of the rule, a ball's bounces come too early or
 * too late by up to half a step each, which adds up: 10 ms after six of them at 240 Hz. What is not
 * reached in this step is left to the next one. */
static void set_rebound(struct contacts *s, struct contact *c)
{
    double h = s->dt_s, v = c->start[0], a = (c->free[0] - v) / h, gap = c->gap - h / 2 * v;
    double root = v * v - 2 * a * gap, instant = 0;
    if (gap > 0)
        instant = root > 0 ? 2 * gap / (sqrt(root) - v) : h;
    if (!s->has_instants) {
        instant = h / 2;
        a = 0;
    }
    if (instant >= h) {
        s->is_waiting = 1;
        c->bound = -HUGE_VAL;
        c->is_push_out = 0;
        return;
    }
    double rebound = -c->elasticity * (v + a * instant) + a * (h - instant);
    if (rebound > c->bound) {
        c->bound = rebound;
        c->is_impact = 1;
        c->is_push_out = 0;
        c->late = instant - h / 2;
    }
}

/* The least normal velocity after the step. */
static void set_bound(struct contacts *s, struct contact *c)
{
    double h = s->dt_s;
    int is_limit = c->part < 0, is_angle = is_limit && !s->tree->links[c->joint].is_linear;
    double slop = is_angle ? LIMIT_SLOP_RAD : SLOP_M;
    double fastest = is_angle ? LIMIT_PUSH_OUT_RAD_S : PUSH_OUT_SPEED_M_S;
    if (!is_limit && s->push_out_speed > 0) {
        slop = 0;
        fastest = s->push_out_speed;
    }
    c->is_push_out = c->is_impact = 0;
    if (c->gap > 0) {
        c->bound = -c->gap / h;
    } else {
        double speed = -c->gap > slop ? PUSH_OUT_SHARE * (-c->gap - slop) / h : 0;
        c->bound = speed < fastest ? speed : fastest;
        c->is_push_out = c->bound > 0;
    }
    c->late = 0;
    if (!is_limit && c->elasticity > 0 && c->start[0] < -s->restitution_speed)
        set_rebound(s, c);
}

/* The shares of the rows and the matrix W = J M^-1 J'. */
static void build_system(struct contacts *s)
{
    int rows = 0;
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        c->first_row = rows;
        for (int k = 0; k < row_count(c); k++, rows++)
            if (c->part < 0)
                tree_carry_joint(s->tree, c->joint, c->sign, &s->shares[rows]);
            else
                tree_carry(s->tree, c->a, c->on_a[k], c->b, c->on_b[k], &s->shares[rows]);
    }
    s->rows = rows;

    /* W is symmetric: the lower half, and its mirror image */
    for (int row = 0; row < rows; row++) {
        for (int col = 0; col <= row; col++)
            s->w[row * rows + col] = s->w[col * rows + row] =
                tree_couple(s->tree, &s->shares[row], &s->shares[col]);
        double w = s->w[row * rows + row];
        s->inverse[row] = w * s->tree->mass > ROW_MOBILITY ? 1 / w : 0;
    }
}

/* Changes one impulse and all velocities with it; returns the change of its own velocity. */
static double change_impulse(struct contacts *s, int row, double *impulse, double to)
{
    double change = to - *impulse;
    if (change == 0)
        return 0;
    *impulse = to;
    int rows = s->rows;
    const double *w = s->w + row * rows;
    for (int i = 0; i < rows; i++)
        s->velocity[i] += w[i] * change;
    return fabs(change * w[row]);
}

/* One projected Gauss-Seidel sweep; returns the largest change of a velocity. */
static double sweep(struct contacts *s)
{
    double largest = 0;
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        int n = c->first_row, t = n + 1;
        double to = c->impulse[0] + (c->bound - s->velocity[n]) * s->inverse[n];
        double change = change_impulse(s, n, &c->impulse[0], to > 0 ? to : 0);
        largest = change > largest ? change : largest;
        if (c->part < 0)
            continue;
        double most = c->friction * c->impulse[0];
        to = c->impulse[1] - s->velocity[t] * s->inverse[t];
        change = change_impulse(s, t, &c->impulse[1], to > most ? most : to < -most ? -most : to);
        largest = change > largest ? change : largest;
    }
    return largest;
}

/* Sweeps until nothing changes, `most` times at most; returns the last change, m/s. */
static double sweep_impulses(struct contacts *s, int most)
{
    double change = 0;
    for (int i = 0; i < most; i++) {
        change = sweep(s);
        if (change < SWEEP_TOLERANCE_M_S)
            break;
    }
    return change;
}

/* Row velocities under the impulses that stand. */
static void set_velocities(struct contacts *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++)
            s->velocity[c->first_row + k] = c->free[k];
    }
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++) {
            const double *w = s->w + (c->first_row + k) * s->rows;
            for (int j = 0; j < s->rows && c->impulse[k] != 0; j++)
                s->velocity[j] += w[j] * c->impulse[k];
        }
    }
}

/* ---- the direct solver: which contacts press, stick and slide is guessed, and mended until it holds */

/* Where a contact stands in the guess. Limits are OPEN or STICK (pressing). */
enum { OPEN, STICK, SLIDE };

/* The guess that belongs to the impulses that stand. */
static void guess_states(struct contacts *s)
{
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        double most = c->friction * c->impulse[0];
        c->state = c->impulse[0] > 0 ? STICK : OPEN;
        c->has_turned = 0;
        if (c->part >= 0 && c->state == STICK && fabs(c->impulse[1]) >= most * (1 - 1e-9)) {
            c->state = SLIDE;
            c->slide = c->impulse[1] < 0 ? -1 : 1;
        }
    }
}

/* Fills row `at` of the system: velocity of `row` under the unknown impulses = target. A sliding
 * contact's tangent impulse is mu times its normal one, so its column joins that of the normal. */
static void fill_equation(struct contacts *s, int at, int size, int row, double target)
{
    double *equation = s->system + at * (size + 1);
    const double *w = s->w + row * s->rows;
    int column = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        if (c->state == OPEN)
            continue;
        int n = c->first_row;
        equation[column] = w[n];
        if (c->state == SLIDE)
            equation[column] += c->slide * c->friction * w[n + 1];
        if (n == row)
            equation[column] += REDUNDANCY * w[n];
        column++;
        if (c->state == STICK && c->part >= 0) {
            equation[column] = w[n + 1] + (n + 1 == row ? REDUNDANCY * w[n + 1] : 0);
            column++;
        }
    }
    equation[size] = target;
}

/* Gaussian elimination with partial pivoting; the solution replaces the last column. 0 if singular. */
static int eliminate(double *system, int size)
{
    int width = size + 1;
    for (int k = 0; k < size; k++) {
        int pivot = k;
        for (int i = k + 1; i < size; i++)
            if (fabs(system[i * width + k]) > fabs(system[pivot * width + k]))
                pivot = i;
        if (fabs(system[pivot * width + k]) < 1e-30)
            return 0;
        for (int j = k; j < width && pivot != k; j++) {
            double held = system[k * width + j];
            system[k * width + j] = system[pivot * width + j];
            system[pivot * width + j] = held;
        }
        for (int i = k + 1; i < size; i++) {
            double factor = system[i * width + k] / system[k * width + k];
            for (int j = k + 1; j < width && factor != 0; j++)
                system[i * width + j] -= factor * system[k * width + j];
        }
    }
    for (int k = size - 1; k >= 0; k--) {
        double sum = system[k * width + size];
        for (int j = k + 1; j < size; j++)
            sum -= system[k * width + j] * system[j * width + size];
        system[k * width + size] = sum / system[k * width + k];
    }
    return 1;
}

/* Impulses that make the guess true; 0 if there are none, or too many unknowns. */
static int solve_guess(struct contacts *s)
{
    int size = 0, at = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        size += c->state == OPEN ? 0 : c->state == STICK ? row_count(c) : 1;
    }
    if (size > DIRECT_MAX)
        return 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        if (c->state == OPEN)
            continue;
        fill_equation(s, at++, size, c->first_row, c->bound - c->free[0]);
        if (c->state == STICK && c->part >= 0)
            fill_equation(s, at++, size, c->first_row + 1, -c->free[1]);
    }
    if (!eliminate(s->system, size))
        return 0;
    at = 0;
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        c->impulse[0] = c->impulse[1] = 0;
        if (c->state == OPEN)
            continue;
        c->impulse[0] = s->system[at++ * (size + 1) + size];
        if (c->state == SLIDE)
            c->impulse[1] = c->slide * c->friction * c->impulse[0];
        else if (c->part >= 0)
            c->impulse[1] = s->system[at++ * (size + 1) + size];
    }
    set_velocities(s);
    return 1;
}

/* Compares impulses and velocities with the laws of contact and changes the states that break them;
 * returns how many did. */
static int mend_states(struct contacts *s)
{
    int broken = 0;
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        int n = c->first_row, state = c->state;
        double most = c->friction * c->impulse[0];
        if (state == OPEN) {
            if (s->velocity[n] < c->bound - LAW_TOLERANCE_M_S)
                c->state = STICK;
        } else if (c->impulse[0] < 0) {
            c->state = OPEN;
        } else if (fabs(s->velocity[n] - c->bound) > LAW_TOLERANCE_M_S) {
            return s->count + 1; /* rows that contradict one another */
        } else if (c->part >= 0 && state == STICK && fabs(c->impulse[1]) > most * (1 + 1e-9)) {
            c->state = SLIDE;
            c->slide = c->impulse[1] < 0 ? -1 : 1;
        } else if (state == SLIDE && c->slide * s->velocity[n + 1] > LAW_TOLERANCE_M_S) {
            /* friction along the motion: it slides the other way, or if that failed too, sticks */
            c->state = c->has_turned ? STICK : SLIDE;
            c->slide = -c->slide;
            c->has_turned = 1;
            broken++;
            continue;
        }
        broken += c->state != state;
    }
    return broken;
}

/* 1 if a guess was found that holds: the impulses are then exact. */
static int solve_directly(struct contacts *s, int most)
{
    guess_states(s);
    for (int i = 0; i < most; i++) {
        if (!solve_guess(s))
            return 0;
        int broken = mend_states(s);
        if (broken == 0)
            return 1;
        if (broken > s->count)
            return 0;
    }
    return 0;
}

/* Tries the direct solver; the impulses stay as they are where it fails. */
static int try_directly(struct contacts *s, int most)
{
    double held[CONTACTS_MAX + LIMITS_MAX][2];
    for (int i = 0; i < s->count; i++) {
        held[i][0] = s->list[i].impulse[0];
        held[i][1] = s->list[i].impulse[1];
    }
    if (solve_directly(s, most))
        return 1;
    for (int i = 0; i < s->count; i++) {
        s->list[i].impulse[0] = held[i][0];
        s->list[i].impulse[1] = held[i][1];
    }
    set_velocities(s);
    return 0;
}

/* Sweeps, and after ever longer whiles the direct solver from what they found; 1 if it found its way.
 * *change: how much the last sweep did. */
static int sweep_and_try(struct contacts *s, double *change)
{
    int left = s->sweeps, most = SWEEPS_FIRST;
    do {
        *change = sweep_impulses(s, most < left ? most : left);
        left -= most;
        most *= SWEEPS_GROWTH;
        if (try_directly(s, GUESSES_AGAIN))
            return 1;
    } while (left > 0 && *change >= SWEEP_TOLERANCE_M_S);
    return 0;
}

/* First directly, from what pressed, stuck and slid in the last step; where no guess holds, by
 * sweeps from the same impulses, and directly from what they found. Rows that cannot all be pushed
 * out at once (a part wedged between two, or against a joint limit) would load one another without
 * end: then penetrations are only kept from growing. */
static void solve_impulses(struct contacts *s)
{
    double change;
    if (try_directly(s, GUESSES_MAX) || sweep_and_try(s, &change) || change < WEDGED_M_S)
        return;
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        c->impulse[0] = c->impulse[1] = 0;
        if (c->is_push_out) {
            c->bound = 0;
            c->is_push_out = 0;
        }
    }
    set_velocities(s);
    sweep_and_try(s, &change);
}

/* How much further the velocity of a row is at the instant of the contact than in the middle. */
static double late_velocity(const struct contacts *s, const struct contact *c, int k)
{
    return c->late * (c->free[k] - c->start[k]) / s->dt_s;
}

/* Work of one row: impulse times the mean of the velocities before and after it, exactly. */
static double row_work(const struct contacts *s, const struct contact *c, int k)
{
    double change = s->velocity[c->first_row + k] - c->free[k], before = c->middle[k];
    if (c->late != 0)
        before += late_velocity(s, c, k);
    return c->impulse[k] * (before + change / 2);
}

double contacts_work(const struct contacts *s)
{
    double work = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < row_count(&s->list[i]); k++)
            work += row_work(s, &s->list[i], k);
    return work;
}

/* Solves again with slower push-out; share 0: penetrations are only kept from growing. */
static void slow_push_outs(struct contacts *s, double share)
{
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        c->impulse[0] = c->impulse[1] = 0;
        if (c->is_push_out)
            c->bound *= share;
        c->is_push_out &= share > 0;
    }
    set_velocities(s);
    solve_impulses(s);
}

/* What can hardly move takes impulses without end to be pushed out, which the whole body gets as
 * energy: that is bounded. */
static void take_back_gaining_push_outs(struct contacts *s)
{
    double speed = s->push_out_speed > 0 ? s->push_out_speed : PUSH_OUT_SPEED_M_S;
    double most = PUSH_OUT_WORK * s->tree->mass * speed * speed, work;
    int has_push_out = 0;
    for (int i = 0; i < s->count; i++)
        has_push_out |= s->list[i].is_push_out;
    if (!has_push_out || (work = contacts_work(s)) <= most)
        return;
    slow_push_outs(s, sqrt(most / work));
    if (contacts_work(s) > 1.5 * most)
        slow_push_outs(s, 0);
}

/* Newton's restitution with Coulomb friction can create energy: such an impact is solved again
 * without restitution. */
static void take_back_gaining_impacts(struct contacts *s)
{
    int has_impact = 0;
    for (int i = 0; i < s->count; i++)
        has_impact |= s->list[i].is_impact;
    if (!has_impact || contacts_work(s) <= 0)
        return;
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        if (c->is_impact) {
            c->is_impact = 0;
            c->late = 0;
            c->bound = c->gap > 0 ? -c->gap / s->dt_s : 0;
        }
    }
    solve_impulses(s);
}

/* Books one contact's work, of which the share counts. */
static void book_contact(const struct contacts *s, const struct contact *c, double share,
                         struct ledger *l)
{
    double normal = share * row_work(s, c, 0);
    double tangent = c->part < 0 ? 0 : share * row_work(s, c, 1);
    double work = normal + tangent;
    if (work > 0) {
        if (c->part < 0)
            l->gain_limit_j += work;
        else if (c->is_push_out)
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

/* Impulses that act together pass energy from one contact to another (a limb that lands swings the
 * next one up): what one does another has lost, so gains and losses of a step are set off in
 * proportion. Push-out is not: what it does is always gained. */
void contacts_book(const struct contacts *s, struct ledger *l)
{
    double gains = 0, losses = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        double work = row_work(s, c, 0) + (c->part < 0 ? 0 : row_work(s, c, 1));
        if (work <= 0)
            losses -= work;
        else if (!c->is_push_out)
            gains += work;
    }
    double share_gains = gains > losses ? (gains - losses) / gains : 0;
    double share_losses = losses > gains ? (losses - gains) / losses : 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        double work = row_work(s, c, 0) + (c->part < 0 ? 0 : row_work(s, c, 1));
        book_contact(s, c, work <= 0 ? share_losses : c->is_push_out ? 1 : share_gains, l);
    }
}

int contacts_keep(struct contacts *s)
{
    int is_pressing = 0;
    s->step++;
    s->point_count = 0;
    s->penetration = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        struct warm_start *w = &s->warm[c->warm];
        *w = (struct warm_start){s->step, c->feature, {c->impulse[0], c->impulse[1]}};
        is_pressing |= c->impulse[0] > 0;
        if (c->part < 0)
            continue;
        if (-c->gap > s->penetration)
            s->penetration = -c->gap;
        if (c->impulse[0] > 0 || c->gap < SLOP_M)
            s->points[s->point_count++] =
                (struct contact_point){.part = c->part,
                                       .other = c->other,
                                       .at = c->at,
                                       .normal = c->normal,
                                       .gap_m = c->gap,
                                       .normal_impulse_n_s = c->impulse[0],
                                       .friction_impulse_n_s = c->impulse[1]};
    }
    return is_pressing;
}

void contacts_find(struct contacts *s, const double *q, const double *vs)
{
    tree_set_velocity(s->tree, vs);
    place_movers(s);
    s->count = 0;
    if (s->world->has_ground)
        find_ground_contacts(s);
    if (s->world->obstacles.count > 0)
        find_obstacle_contacts(s);
    find_self_contacts(s);
    find_limits(s, q, vs);
}

/* Velocity of a row for the rates `rates`, which the tree has. */
static double rate_velocity(const struct contacts *s, const struct contact *c, int row,
                            const double *rates)
{
    return c->part < 0 ? c->sign * rates[2 + c->joint] : link_velocity(s, c, row);
}

/* Starts from the impulses of the last step where the features are the same. */
static void take_warm_starts(struct contacts *s)
{
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        const struct warm_start *w = &s->warm[c->warm];
        int is_same = w->step == s->step && w->feature == c->feature;
        c->impulse[0] = is_same ? w->impulse[0] : 0;
        c->impulse[1] = is_same ? w->impulse[1] : 0;
    }
}

void contacts_prepare(struct contacts *s, const double *start, const double *middle,
                      int has_instants)
{
    s->has_instants = has_instants;
    s->is_waiting = 0;
    tree_set_velocity(s->tree, start);
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++)
            c->start[k] = rate_velocity(s, c, k, start);
        set_bound(s, c);
    }
    tree_set_velocity(s->tree, middle);
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++)
            c->middle[k] = rate_velocity(s, c, k, middle);
    }
    take_warm_starts(s);
    tree_factor(s->tree);
    build_system(s);
}

void contacts_set_free(struct contacts *s, const double *vs)
{
    tree_set_velocity(s->tree, vs);
    for (int i = 0; i < s->count; i++) {
        struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++)
            c->free[k] = rate_velocity(s, c, k, vs);
    }
}

/* The change of the rates under all impulses, or these times how late each is. */
static void respond(const struct contacts *s, int is_late, double *change)
{
    struct force root = {0, 0, 0};
    for (int i = 0; i < s->links; i++)
        s->kick_shares[i] = 0;
    for (int i = 0; i < s->count; i++) {
        const struct contact *c = &s->list[i];
        for (int k = 0; k < row_count(c); k++) {
            const struct tree_row *row = &s->shares[c->first_row + k];
            double impulse = is_late ? c->late * c->impulse[k] : c->impulse[k];
            for (int j = 0; j < row->count && impulse != 0; j++)
                s->kick_shares[row->joints[j]] += impulse * row->shares[row->joints[j]];
            root.n += impulse * row->root.n;
            root.x += impulse * row->root.x;
            root.y += impulse * row->root.y;
        }
    }
    tree_respond(s->tree, s->kick_shares, root, change);
}

void contacts_solve(struct contacts *s, double *kick)
{
    solve_impulses(s);
    take_back_gaining_push_outs(s);
    take_back_gaining_impacts(s);
    respond(s, 0, kick);
}

void contacts_shift(const struct contacts *s, double *q)
{
    int has_late = 0;
    for (int i = 0; i < s->count; i++)
        has_late |= s->list[i].late != 0;
    if (!has_late)
        return;
    respond(s, 1, s->shift);
    for (int i = 0; i < s->dof; i++)
        q[i] -= s->shift[i];
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
            work += c->impulse[k] * late_velocity(s, c, k);
            *size += fabs(c->impulse[k] * c->start[k]);
        }
    }
    return work;
}
