/* See flight.h; tree_accelerate.c has the algorithm and the names.
 *
 * Some values depend on angles alone: sines, ways and moments in the world's axes, articulated
 * inertias and their reciprocals. The angles of a stage follow from the rates of the stage before,
 * so these values are found one stage ahead. Each pass does the work of several stages:
 *   outward   accelerations of this stage, velocities of the next, the pose of the one after
 *   inward    forces of this stage, inertias of the next
 * Forces and inertias do not depend on one another, so the processor computes them side by side.
 * Either alone would be a chain of dependent operations, from the root to the leaves and back. The
 * last stage leaves the pose at the end of the step, with which the next step begins.
 *
 * Sines are turned from those of a base angle, which is renewed when a link is too far from it. */
#include "simulator/planar/steps/flight.h"

#include <math.h>
#include <stddef.h>

#include "common/math/detmath.h"
#include "common/error.h"
#include "simulator/planar/tree/turn.h"

/* Turns at the end of a step from which the base is renewed, which leaves room for 12 rad/s at 240
 * Hz; rad. */
#define BASE_TURN_RAD 0.15

/* How the parents of two links lie: both in one pair and in the same lanes as they, both the same
 * link, or otherwise. */
enum parents { PARENTS_STRAIGHT, PARENTS_SAME, PARENTS_APART };

/* The value from which a sum of a pair's articulated inertia starts: zero, without children; the
 * nearest child pair's, which lies straight; the pair's own. */
enum sums { SUMS_NONE, SUMS_BY_CHILDREN, SUMS_OWN };

/* The terms that depend on angles alone. */
struct pose {
    pair sine, cosine, rx, ry;
    pair own_nx, own_ny; /* the links' own moment: -hy and hx of tree_accelerate.c */
    pair nn, nx, ny, xx, xy,
        yy; /* articulated inertia; in the end xx, xy, yy without the hinge's share */
    pair g, gx, gy;
};

/* A lane without a link is without mass and at rest. Both lanes of the first pair are the root,
 * whose mass is in the first alone: so children in any lane lie straight. */
struct flight_pair {
    int link[2];     /* -1: none; of the root's pair the second */
    char *parent[2]; /* the pairs of the parents, as many bytes ahead as their lanes */
    enum parents parents;
    enum sums sums;
    int is_first;   /* it begins its parents' sums */
    int last_child; /* the pair; 0: none */
    /* constant */
    pair joint_x, joint_y, moment_x, moment_y, less_moment_x, mass, inertia;
    pair kp, kd, damping, most, least;
    pair hill_sum, hill_n_m, hill_s_rad;                       /* sum: of most and the next */
    pair drag_nn, drag_nx, drag_ny, drag_xx, drag_xy, drag_yy; /* in the links' frames; negative */
    /* angles of the links, and the base of their sines */
    pair angle, base_angle, base_sine, base_cosine;
    /* of a step */
    pair aim[3];
    pair q0, v0, w0, turn0; /* turn0: from the base */
    pair rate[4], spin[4];  /* of joints, and accelerations of links, at the stages */
    pair power[4], lost[4];
    /* at its end */
    pair q1, sum_spin, work, acceleration, torque;
    /* of a stage */
    pair px, py;                          /* from the root's origin, where there is drag */
    pair turn, w, square, vx, vy, bx, by; /* b: inward, where tree_accelerate.c has it outward */
    pair tau, fn, fx, fy, u; /* f: force and moment, p of tree_accelerate.c with the other sign */
    pair ax, ay;
    struct pose poses[2]; /* of even and odd stages */
};

/* Where a field is in a pair, and one of a pose. */
#define AT(field) offsetof(struct flight_pair, field)
#define AT_POSE(slot, field)                                                                       \
    (AT(poses) + (size_t)(slot) * sizeof(struct pose) + offsetof(struct pose, field))

/* A field of the parents. */
static inline pair of_parents(const struct flight_pair *p, size_t at, enum parents parents)
{
    if (parents == PARENTS_STRAIGHT)
        return *(const pair *)(const void *)(p->parent[0] + at);
    return (pair){*(const double *)(const void *)(p->parent[0] + at),
                  *(const double *)(const void *)(p->parent[1] + at)};
}

/* Adds to a field of the parents. */
static inline void add_to_parents(struct flight_pair *p, size_t at, pair to, enum parents parents)
{
    double *first = (double *)(void *)(p->parent[0] + at),
           *second = (double *)(void *)(p->parent[1] + at);
    if (parents == PARENTS_STRAIGHT) {
        *(pair *)first += to;
    } else if (parents == PARENTS_SAME) {
        *first += to[0] + to[1];
    } else {
        *first += to[0];
        *second += to[1];
    }
}

int flight_suits(const struct tree *tree)
{
    for (int i = 1; i < tree->count; i++)
        if (tree->links[i].is_linear || tree->links[i].is_driven || tree->links[i].stretch)
            return 0;
    return 1;
}

/* ---------------------------------------------------------------- creation */

/* The links below a link, on the longest way. */
static int height_of(const struct tree *tree, int link)
{
    int height = 0;
    for (int i = link + 1; i < tree->count; i++)
        if (tree->links[i].parent == link) {
            int h = 1 + height_of(tree, i);
            height = h > height ? h : height;
        }
    return height;
}

/* The link with the longest way below it among those whose parents are in pairs before this one;
 * -1: none. Of equals one that would lie straight in the lane; lane -1: any. */
static int next_link(const struct flight *f, const struct tree *tree, int lane)
{
    int best = -1, best_rank = 0;
    for (int i = 1; i < tree->count; i++) {
        int parent = f->place[tree->links[i].parent];
        if (f->place[i] >= 0 || parent < 0 || parent / 2 >= f->count)
            continue;
        int is_straight = lane < 0 || parent == 0 || parent % 2 == lane;
        int rank = 2 * height_of(tree, i) + is_straight + 1;
        if (rank > best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

static void set_parent(struct flight *f, struct flight_pair *p, int lane, int parent_pair,
                       int parent_lane)
{
    p->parent[lane] = (char *)&f->pairs[parent_pair] + (size_t)parent_lane * sizeof(double);
}

static void take_lane(struct flight *f, const struct tree *tree, int link, int lane)
{
    struct flight_pair *p = &f->pairs[f->count];
    const struct tree_link *l = &tree->links[link];
    f->place[link] = 2 * f->count + lane;
    p->link[lane] = link;
    f->lanes[link] = (char *)p + (size_t)lane * sizeof(double);
    if (link > 0) {
        int parent = f->place[l->parent];
        set_parent(f, p, lane, parent / 2, parent == 0 ? lane : parent % 2);
    }
    p->joint_x[lane] = l->joint_x;
    p->joint_y[lane] = l->joint_y;
    p->moment_x[lane] = l->moment_x;
    p->moment_y[lane] = l->moment_y;
    p->less_moment_x[lane] = -l->moment_x;
    p->mass[lane] = l->mass;
    p->inertia[lane] = l->inertia;
}

/* The next pair: a link and whatever else is ready. */
static void take_pair(struct flight *f, const struct tree *tree, int link)
{
    struct flight_pair *p = &f->pairs[f->count];
    int parent = f->place[tree->links[link].parent], lane = parent % 2;
    p->inertia = (pair){1, 1};
    p->link[!lane] = -1;
    take_lane(f, tree, link, lane);
    int other = next_link(f, tree, !lane);
    if (other >= 0)
        take_lane(f, tree, other, !lane);
    else
        set_parent(f, p, !lane, parent / 2, !lane);
    p->parents = p->parent[1] == p->parent[0] + sizeof(double) ? PARENTS_STRAIGHT
                 : p->parent[1] == p->parent[0]                ? PARENTS_SAME
                                                               : PARENTS_APART;
    f->count++;
}

/* Finds the beginner of each pair's sums: passes inward come to the last of its children first. */
static void find_sums(struct flight *f)
{
    for (int i = 1; i < f->count; i++)
        for (int lane = 0; lane < 2; lane++) {
            size_t ahead = (size_t)(f->pairs[i].parent[lane] - (char *)f->pairs);
            f->pairs[ahead / sizeof f->pairs[0]].last_child = i;
        }
    for (int i = 0; i < f->count; i++) {
        struct flight_pair *p = &f->pairs[i], *child = &f->pairs[p->last_child];
        if (p->last_child > 0)
            p->sums = child->parents == PARENTS_STRAIGHT ? SUMS_BY_CHILDREN : SUMS_OWN;
        child->is_first = p->sums == SUMS_BY_CHILDREN;
    }
}

int flight_create(struct flight *f, const struct tree *tree, struct arena *arena)
{
    size_t links = (size_t)tree->count;
    *f = (struct flight){.links = tree->count, .is_root_fixed = tree->is_root_fixed};
    f->place = arena_take(arena, links, sizeof f->place[0]);
    f->lanes = arena_take(arena, links, sizeof f->lanes[0]);
    f->pairs = arena_take(arena, links, sizeof f->pairs[0]);
    if (!f->place || !f->lanes || !f->pairs)
        return ERR_MEMORY;
    for (int i = 0; i < tree->count; i++)
        f->place[i] = -1;
    take_lane(f, tree, 0, 0);
    f->pairs[0].link[1] = -1;
    f->count = 1;
    for (int link = next_link(f, tree, -1); link >= 0; link = next_link(f, tree, -1))
        take_pair(f, tree, link);
    find_sums(f);
    flight_set_world(f, tree);
    return 0;
}

void flight_forget(struct flight *f)
{
    f->is_ready = 0;
}

void flight_set_law(struct flight *f, int link, const struct flight_law *law)
{
    struct flight_pair *p = &f->pairs[f->place[link] / 2];
    int lane = f->place[link] % 2;
    p->kp[lane] = law->kp;
    p->kd[lane] = law->kd;
    p->damping[lane] = law->damping;
    p->most[lane] = law->most;
    p->least[lane] = -law->most;
    p->hill_sum[lane] = law->most + law->hill_n_m;
    p->hill_n_m[lane] = law->hill_n_m;
    p->hill_s_rad[lane] = law->hill_s_rad;
    f->has_damping |= law->damping > 0;
    f->has_curve |= law->hill_s_rad > 0;
}

void flight_set_world(struct flight *f, const struct tree *tree)
{
    f->gravity_x = tree->gravity_x;
    f->has_drag = tree->has_drag;
    static const struct tensor none;
    for (int i = 0; i < f->count && f->has_drag; i++) {
        struct flight_pair *p = &f->pairs[i];
        const struct tensor *a = p->link[0] >= 0 ? &tree->links[p->link[0]].drag : &none;
        const struct tensor *b = p->link[1] >= 0 ? &tree->links[p->link[1]].drag : &none;
        p->drag_nn = -(pair){a->nn, b->nn};
        p->drag_nx = -(pair){a->nx, b->nx};
        p->drag_ny = -(pair){a->ny, b->ny};
        p->drag_xx = -(pair){a->xx, b->xx};
        p->drag_xy = -(pair){a->xy, b->xy};
        p->drag_yy = -(pair){a->yy, b->yy};
    }
}

/* ---------------------------------------------------------------- poses */

/* Sines and cosines of the links' angles, which are so much ahead of the base; returns the
 * square. */
static inline pair turn_links(struct flight_pair *p, int slot, pair turn)
{
    struct pose *pose = &p->poses[slot];
    pair s, c, square = turn * turn;
    turn_sines(turn, square, &s, &c);
    p->turn = turn;
    pose->sine = p->base_sine * c + p->base_cosine * s;
    pose->cosine = p->base_cosine * c - p->base_sine * s;
    return square;
}

/* Own moments and, of two links whose parents have their sines, the way to them. */
static inline void place_pair(struct flight_pair *p, int slot, enum parents parents, int is_root)
{
    struct pose *pose = &p->poses[slot];
    pair s = pose->sine, c = pose->cosine;
    pair nx = s * p->less_moment_x - c * p->moment_y, ny = c * p->moment_x - s * p->moment_y;
    pose->own_nx = nx;
    pose->own_ny = ny;
    if (p->sums == SUMS_OWN) {
        pose->nn = p->inertia;
        pose->nx = nx;
        pose->ny = ny;
        pose->xx = pose->yy = p->mass;
        pose->xy = (pair){0, 0};
    }
    if (is_root)
        return;
    pair ps = of_parents(p, AT_POSE(slot, sine), parents);
    pair pc = of_parents(p, AT_POSE(slot, cosine), parents);
    pose->rx = pc * p->joint_x - ps * p->joint_y;
    pose->ry = ps * p->joint_x + pc * p->joint_y;
}

/* The articulated inertia of two links whose children have theirs. */
static inline struct inertia {
    pair nn, nx, ny, xx, xy, yy;
} inertia_of(const struct flight_pair *p, const struct pose *pose)
{
    if (p->sums == SUMS_NONE)
        return (struct inertia){p->inertia, pose->own_nx, pose->own_ny,
                                p->mass,    (pair){0, 0}, p->mass};
    return (struct inertia){pose->nn, pose->nx, pose->ny, pose->xx, pose->xy, pose->yy};
}

/* Takes two hinges out of their inertias and hands on what is left. */
static inline void factor_pair(struct flight_pair *p, int slot, enum parents parents)
{
    struct pose *pose = &p->poses[slot];
    struct inertia i = inertia_of(p, pose);
    pair g = 1.0 / i.nn, gx = i.nx * g, gy = i.ny * g;
    pair xx = i.xx - i.nx * gx, xy = i.xy - i.nx * gy, yy = i.yy - i.ny * gy;
    pair rx = pose->rx, ry = pose->ry;
    pair tx = xy * rx - xx * ry, ty = yy * rx - xy * ry, tn = rx * ty - ry * tx;
    pose->g = g;
    pose->gx = gx;
    pose->gy = gy;
    pose->xx = xx;
    pose->xy = xy;
    pose->yy = yy;
    if (parents == PARENTS_STRAIGHT && p->is_first) {
        struct flight_pair *to = (struct flight_pair *)p->parent[0];
        struct pose *sums = &to->poses[slot];
        sums->nn = to->inertia + tn;
        sums->nx = sums->own_nx + tx;
        sums->ny = sums->own_ny + ty;
        sums->xx = to->mass + xx;
        sums->xy = xy;
        sums->yy = to->mass + yy;
        return;
    }
    add_to_parents(p, AT_POSE(slot, xx), xx, parents);
    add_to_parents(p, AT_POSE(slot, xy), xy, parents);
    add_to_parents(p, AT_POSE(slot, yy), yy, parents);
    add_to_parents(p, AT_POSE(slot, nx), tx, parents);
    add_to_parents(p, AT_POSE(slot, ny), ty, parents);
    add_to_parents(p, AT_POSE(slot, nn), tn, parents);
}

static inline void factor_root(struct flight *f, int slot)
{
    struct inertia i = inertia_of(&f->pairs[0], &f->pairs[0].poses[slot]);
    struct tensor sum = {i.nn[0] + i.nn[1], i.nx[0] + i.nx[1], i.ny[0] + i.ny[1],
                         i.xx[0] + i.xx[1], i.xy[0] + i.xy[1], i.yy[0] + i.yy[1]};
    solver_init(&f->root[slot], &sum);
}

/* All links are placed, from the turns that they have. With a base that is too far away: `most`
 * says how far it may be. At the end of a step it is renewed. */
static void place_anew(struct flight *f, int slot, double most, int is_end)
{
    for (int i = 0; i < f->count; i++) {
        struct flight_pair *p = &f->pairs[i];
        struct pose *pose = &p->poses[slot];
        if (pair_mask(pair_is_less(pair_of(most), pair_absolute(p->turn)))) {
            pair angle = is_end ? p->angle : p->base_angle + p->turn;
            det_sincos_all((const double *)&angle, 2, (double *)&pose->sine,
                           (double *)&pose->cosine);
            if (is_end) {
                p->base_angle = angle;
                p->base_sine = pose->sine;
                p->base_cosine = pose->cosine;
                p->turn = (pair){0, 0};
            }
        }
        place_pair(p, slot, p->parents, i == 0);
    }
}

/* ---------------------------------------------------------------- a stage */

/* The drag on the links of a stage, about the root's origin. */
struct drag_sum {
    pair n, x, y;
};

/* The values shared by all pairs of a stage. */
struct stage {
    int k, slot;           /* from 0 on; of its pose */
    double ahead, further; /* how far it and the next one are ahead of the start, s */
    double sixth;          /* of the step, s */
    int has_drag, has_damping, has_curve;
    struct drag_sum *sum;
};

/* A step's sum of what has a figure at each stage; sixth: of the step, s. */
static inline pair sum_stages(const pair *of, double sixth)
{
    return sixth * ((of[0] + of[3]) + 2.0 * (of[1] + of[2]));
}

/* Accelerations of two links at a stage, whose parents have theirs. */
static inline void unfold_pair(struct flight_pair *p, int k, int slot, enum parents parents)
{
    const struct pose *pose = &p->poses[slot];
    pair w = of_parents(p, AT(spin) + (size_t)k * sizeof(pair), parents);
    p->ax = of_parents(p, AT(ax), parents) - (p->bx + w * pose->ry);
    p->ay = of_parents(p, AT(ay), parents) - (p->by - w * pose->rx);
    p->spin[k] = p->u - (pose->gx * p->ax + pose->gy * p->ay);
}

/* Adds drag to the forces; returns its power, which is negative. */
static inline pair drag_pair(struct flight_pair *p, const struct pose *pose, struct drag_sum *sum)
{
    pair c = pose->cosine, s = pose->sine;
    pair x = c * p->vx + s * p->vy, y = c * p->vy - s * p->vx;
    pair n = p->drag_nn * p->w + (p->drag_nx * x + p->drag_ny * y);
    pair fx = p->drag_nx * p->w + (p->drag_xx * x + p->drag_xy * y);
    pair fy = p->drag_ny * p->w + (p->drag_xy * x + p->drag_yy * y);
    pair wx = c * fx - s * fy, wy = s * fx + c * fy;
    p->fn = n;
    p->fx += wx;
    p->fy += wy;
    sum->n += n + (p->px * wy - p->py * wx);
    sum->x += wx;
    sum->y += wy;
    return n * p->w + fx * x + fy * y;
}

/* The turns of the next stage, or those at the end of the step. */
static inline pair next_turn(struct flight_pair *p, const struct stage *stage, enum parents parents,
                             int is_root)
{
    if (stage->slot == 0 || stage->k < 3)
        return p->turn0 + stage->further * p->w;
    p->q1 = p->q0 + sum_stages(p->rate, stage->sixth);
    p->angle = is_root ? p->q1 : of_parents(p, AT(angle), parents) + p->q1;
    return p->angle - p->base_angle;
}

/* A torque no greater than muscle_most() of the rate towards which it acts. */
static inline pair bound_by_rate(const struct flight_pair *p, pair torque, pair rate)
{
    pair along = (pair)((pair_bits)pair_absolute(rate) & pair_is_less(pair_of(0), torque * rate));
    pair left = p->hill_sum / (1.0 + along * p->hill_s_rad) - p->hill_n_m;
    pair most = pair_greater(left, (pair){0, 0});
    return pair_greater(pair_lesser(torque, most), -most);
}

/* Velocities and torques of two links at a stage, whose parents have theirs, and what they come to
 * as forces; returns the power of drag. */
static inline pair begin_pair(struct flight_pair *p, const struct stage *stage,
                              enum parents parents)
{
    int k = stage->k, last = (k + 3) & 3;
    const struct pose *pose = &p->poses[stage->slot];
    pair wp = of_parents(p, AT(w), parents), square = of_parents(p, AT(square), parents);
    pair w = p->w0 + stage->ahead * p->spin[last], v = w - wp;
    pair q = p->q0 + stage->ahead * p->rate[last];
    pair torque = p->aim[(k + 1) >> 1] - p->kp * q - p->kd * v;
    torque = stage->has_curve ? bound_by_rate(p, torque, v)
                              : pair_greater(pair_lesser(torque, p->most), p->least);
    p->w = w;
    p->square = w * w;
    p->rate[k] = v;
    p->torque = torque;
    p->power[k] = torque * v;
    if (stage->has_damping) {
        pair damping = p->damping * v;
        p->lost[k] = damping * v;
        torque -= damping;
    }
    p->tau = torque;
    pair bx = square * pose->rx, by = square * pose->ry;
    p->bx = bx;
    p->by = by;
    p->fn = (pair){0, 0};
    p->fx = p->square * pose->own_ny + (pose->xx * bx + pose->xy * by);
    p->fy = (pose->xy * bx + pose->yy * by) - p->square * pose->own_nx;
    if (!stage->has_drag)
        return (pair){0, 0};
    p->vx = of_parents(p, AT(vx), parents) - wp * pose->ry;
    p->vy = of_parents(p, AT(vy), parents) + wp * pose->rx;
    p->px = of_parents(p, AT(px), parents) + pose->rx;
    p->py = of_parents(p, AT(py), parents) + pose->ry;
    return drag_pair(p, pose, stage->sum);
}

/* Begins with the root, whose origin has a velocity of its own. */
static inline pair begin_root(struct flight_pair *p, const struct stage *stage, pair velocity)
{
    int k = stage->k;
    const struct pose *pose = &p->poses[stage->slot];
    p->w = p->w0 + stage->ahead * p->spin[(k + 3) & 3];
    p->square = p->w * p->w;
    p->rate[k] = p->w;
    p->fn = (pair){0, 0};
    p->fx = p->square * pose->own_ny;
    p->fy = -(p->square * pose->own_nx);
    if (!stage->has_drag)
        return (pair){0, 0};
    p->vx = (pair){velocity[0], velocity[0]};
    p->vy = (pair){velocity[1], velocity[1]};
    p->px = p->py = (pair){0, 0};
    return drag_pair(p, pose, stage->sum);
}

/* Hands the forces on. */
static inline void fold_pair(struct flight_pair *p, int slot, enum parents parents)
{
    const struct pose *pose = &p->poses[slot];
    pair u = p->tau + p->fn;
    pair fx = p->fx - pose->gx * u, fy = p->fy - pose->gy * u;
    p->u = pose->g * u;
    add_to_parents(p, AT(fx), fx, parents);
    add_to_parents(p, AT(fy), fy, parents);
    add_to_parents(p, AT(fn), (pose->rx * fy - pose->ry * fx) - p->tau, parents);
}

/* Finds of two links the accelerations of the last stage, velocities and forces of this one, pose
 * of the next. Returns the power of drag; is_far: lanes that need other sines. */
static inline pair pass_outward(struct flight_pair *p, const struct stage *stage,
                                enum parents parents, double most, pair_bits *is_far)
{
    int next = !stage->slot;
    if (stage->slot == 1 || stage->k > 0)
        unfold_pair(p, stage->k - 1, next, parents);
    pair power = begin_pair(p, stage, parents);
    pair turn = next_turn(p, stage, parents, 0);
    *is_far |= pair_is_less(pair_of(most * most), turn_links(p, next, turn));
    place_pair(p, next, parents, 0);
    return power;
}

static inline pair root_outward(struct flight *f, const struct stage *stage, pair velocity,
                                double most, pair_bits *is_far)
{
    struct flight_pair *root = &f->pairs[0];
    int next = !stage->slot;
    pair power = begin_root(root, stage, velocity);
    pair turn = next_turn(root, stage, PARENTS_STRAIGHT, 1);
    *is_far |= pair_is_less(pair_of(most * most), turn_links(root, next, turn));
    place_pair(root, next, PARENTS_STRAIGHT, 1);
    return power;
}

/* The pass outward; returns the power of drag. */
__attribute__((always_inline)) static inline double go_outward(struct flight *f,
                                                               const struct stage *stage,
                                                               pair velocity)
{
    double most = stage->k == 3 ? BASE_TURN_RAD : TURN_MAX_RAD;
    pair_bits is_far = {0, 0};
    pair power = root_outward(f, stage, velocity, most, &is_far);
    for (int i = 1; i < f->count; i++) {
        struct flight_pair *p = &f->pairs[i];
        if (p->parents == PARENTS_STRAIGHT)
            power += pass_outward(p, stage, PARENTS_STRAIGHT, most, &is_far);
        else
            power += pass_outward(p, stage, p->parents, most, &is_far);
    }
    if (pair_mask(is_far))
        place_anew(f, !stage->slot, most, stage->k == 3);
    return power[0] + power[1];
}

/* The pass inward, and the root's acceleration, seen from free fall. */
__attribute__((always_inline)) static inline struct motion go_inward(struct flight *f, int k,
                                                                     int slot, double gravity_m_s2)
{
    int next = !slot;
    for (int i = f->count - 1; i > 0; i--) {
        struct flight_pair *p = &f->pairs[i];
        if (p->parents == PARENTS_STRAIGHT) {
            fold_pair(p, slot, PARENTS_STRAIGHT);
            factor_pair(p, next, PARENTS_STRAIGHT);
        } else {
            fold_pair(p, slot, p->parents);
            factor_pair(p, next, p->parents);
        }
    }
    struct flight_pair *root = &f->pairs[0];
    struct motion a = {0, -f->gravity_x, gravity_m_s2};
    if (!f->is_root_fixed) {
        a = solver_solve(&f->root[slot],
                         (struct force){root->fn[0] + root->fn[1], root->fx[0] + root->fx[1],
                                        root->fy[0] + root->fy[1]});
        factor_root(f, next);
    }
    root->spin[k] = (pair){a.w, a.w};
    root->ax = (pair){a.x, a.x};
    root->ay = (pair){a.y, a.y};
    return a;
}

/* ---------------------------------------------------------------- a step */

/* The pose at angles with which no step has ended. */
static void set_pose(struct flight *f)
{
    for (int i = 0; i < f->count; i++) {
        struct flight_pair *p = &f->pairs[i];
        p->angle = i == 0 ? p->q0 : of_parents(p, AT(angle), p->parents) + p->q0;
        p->base_angle = p->angle;
        det_sincos_all((const double *)&p->angle, 2, (double *)&p->base_sine,
                       (double *)&p->base_cosine);
        turn_links(p, 0, (pair){0, 0});
        place_pair(p, 0, p->parents, i == 0);
        p->spin[3] = p->rate[3] = (pair){0, 0};
    }
    for (int i = f->count - 1; i > 0; i--)
        factor_pair(&f->pairs[i], 0, f->pairs[i].parents);
    if (!f->is_root_fixed)
        factor_root(f, 0);
}

/* A field of a link. */
static inline double *of_link(const struct flight *f, int link, size_t at)
{
    return (double *)(void *)(f->lanes[link] + at);
}

/* The state, unless the last step ended with it; the root may turn at another rate since. */
static void take_state(struct flight *f, const struct flight_step *step)
{
    struct flight_pair *root = &f->pairs[0];
    int is_ready = f->is_ready && root->q1[0] == step->from_q[2];
    for (int i = 1; i < f->links && is_ready; i++)
        is_ready = *of_link(f, i, AT(q1)) == step->from_q[2 + i] &&
                   *of_link(f, i, AT(v0)) == step->from_qd[2 + i];
    if (is_ready) {
        for (int i = 0; i < f->count; i++)
            f->pairs[i].q0 = f->pairs[i].q1;
        root->v0 = (pair){step->from_qd[2], step->from_qd[2]};
        return;
    }
    /* lanes without a link: their turns, too, decide when sines begin anew */
    for (int i = 0; i < f->count; i++)
        f->pairs[i].q0 = f->pairs[i].v0 = (pair){0, 0};
    for (int i = 0; i < f->links; i++) {
        *of_link(f, i, AT(q0)) = step->from_q[2 + i];
        *of_link(f, i, AT(v0)) = step->from_qd[2 + i];
    }
    root->q0[1] = root->q0[0];
    root->v0[1] = root->v0[0];
    set_pose(f);
}

static void begin_step(struct flight *f, const struct flight_step *step)
{
    take_state(f, step);
    f->pairs[0].w0 = f->pairs[0].v0;
    f->pairs[0].turn0 = f->pairs[0].turn;
    for (int i = 1; i < f->count; i++) {
        struct flight_pair *p = &f->pairs[i];
        /* a lane without a link has no torque, whatever the aim */
        int a = 2 + (p->link[0] > 0 ? p->link[0] : 1), b = 2 + (p->link[1] > 0 ? p->link[1] : 1);
        p->w0 = of_parents(p, AT(w0), p->parents) + p->v0;
        p->turn0 = p->turn;
        for (int k = 0; k < 3; k++)
            p->aim[k] = (pair){step->aim[k][a], step->aim[k][b]};
    }
}

/* The sums of a pair over the stages, and what they come to for the ledger. */
static inline void end_pair(struct flight_pair *p, const struct flight *f, double sixth, pair *lost)
{
    pair up = of_parents(p, AT(sum_spin), p->parents);
    pair last = of_parents(p, AT(spin[3]), p->parents);
    p->sum_spin = sum_stages(p->spin, sixth);
    p->v0 += p->sum_spin - up;
    p->acceleration = p->spin[3] - last;
    p->work = sum_stages(p->power, sixth);
    if (f->has_damping)
        *lost += sum_stages(p->lost, sixth);
}

/* After the last stage: its accelerations, sums over the stages, and the pose for the tree. */
static void end_step(struct flight *f, struct tree *tree, struct flight_step *step)
{
    double sixth = step->h_s / 6;
    pair lost = {0, 0};
    struct flight_pair *root = &f->pairs[0];
    root->sum_spin = sum_stages(root->spin, sixth);
    root->v0 += root->sum_spin;
    root->acceleration = root->spin[3];
    for (int i = 1; i < f->count; i++) {
        struct flight_pair *p = &f->pairs[i];
        unfold_pair(p, 3, 1, p->parents);
        end_pair(p, f, sixth, &lost);
    }
    for (int i = 0; i < f->links; i++) {
        int at = 2 + i;
        step->q[at] = *of_link(f, i, AT(q1));
        step->qd[at] = *of_link(f, i, AT(v0));
        step->acceleration[at] = *of_link(f, i, AT(acceleration));
        tree->angle[i] = *of_link(f, i, AT(angle));
        tree->sine[i] = *of_link(f, i, AT_POSE(0, sine));
        tree->cosine[i] = *of_link(f, i, AT_POSE(0, cosine));
        step->work[at] += *of_link(f, i, AT(work));
        step->torque[i] = *of_link(f, i, AT(torque));
    }
    step->work[WORK_DAMPING] += lost[0] + lost[1];
    f->is_ready = 1;
}

/* The sums of a step's stages for the root's origin, and the power of drag. */
struct root_motion {
    pair start, v[4], a[4];
    double power[4];
    struct force drag[4];
};

/* About where the root's origin was at the start: it is `way` farther now. */
static inline struct force drag_about_start(const struct drag_sum *sum, pair way)
{
    double x = sum->x[0] + sum->x[1], y = sum->y[0] + sum->y[1];
    return (struct force){sum->n[0] + sum->n[1] + (way[0] * y - way[1] * x), x, y};
}

static inline double sum_of_stages(double first, double second, double third, double fourth)
{
    return (first + fourth) + 2 * (second + third);
}

__attribute__((always_inline)) static inline void do_stage(struct flight *f,
                                                           const struct flight_step *step, int k,
                                                           int slot, int has_drag,
                                                           struct root_motion *root)
{
    double h = step->h_s;
    const double ahead[4] = {0, h / 2, h / 2, h}, next[4] = {h / 2, h / 2, h, 0};
    struct drag_sum sum = {{0, 0}, {0, 0}, {0, 0}};
    const struct stage stage = {k,        slot,           ahead[k],     next[k], h / 6,
                                has_drag, f->has_damping, f->has_curve, &sum};
    /* cppcheck-suppress arrayIndexOutOfBoundsCond */
    root->v[k] = k > 0 ? root->start + ahead[k] * root->a[k - 1] : root->start;
    root->power[k] = go_outward(f, &stage, root->v[k]);
    if (has_drag)
        root->drag[k] = drag_about_start(&sum, k > 0 ? ahead[k] * root->v[k - 1] : (pair){0, 0});
    struct motion a = go_inward(f, k, slot, step->gravity_m_s2);
    root->a[k] = (pair){a.x + f->gravity_x, a.y - step->gravity_m_s2};
}

static inline void advance(struct flight *f, struct flight_step *step, int has_drag)
{
    struct root_motion root = {.start = {step->from_qd[0], step->from_qd[1]}};
    double sixth = step->h_s / 6;
    for (int k = 0; k < 4; k += 2) {
        do_stage(f, step, k, 0, has_drag, &root);
        do_stage(f, step, k + 1, 1, has_drag, &root);
    }
    pair q = sum_stages(root.v, sixth), qd = root.start + sum_stages(root.a, sixth);
    for (int i = 0; i < 2; i++) {
        step->q[i] = step->from_q[i] + q[i];
        step->qd[i] = qd[i];
        step->acceleration[i] = root.a[3][i];
    }
    const double *power = root.power;
    step->work[WORK_DRAG] -= sixth * sum_of_stages(power[0], power[1], power[2], power[3]);
    const struct force *d = root.drag;
    if (has_drag)
        step->drag = (struct force){sixth * sum_of_stages(d[0].n, d[1].n, d[2].n, d[3].n),
                                    sixth * sum_of_stages(d[0].x, d[1].x, d[2].x, d[3].x),
                                    sixth * sum_of_stages(d[0].y, d[1].y, d[2].y, d[3].y)};
}

void flight_advance(struct flight *f, struct tree *tree, struct flight_step *step)
{
    begin_step(f, step);
    if (f->has_drag)
        advance(f, step, 1);
    else
        advance(f, step, 0);
    end_step(f, tree, step);
}
