/* See flight.h, and tree.c for the algorithm and the names. */
#include "simulator/flight.h"

#include <stddef.h>

#include "common/detmath.h"
#include "common/error.h"

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t pair_bits __attribute__((vector_size(16), aligned(8), may_alias));

/* Turns within a step up to which the series will do, rad. */
#define SMALL_TURN_RAD 0.2

/* How the parents of two links lie. */
enum parents { PARENTS_STRAIGHT, PARENTS_SAME, PARENTS_APART };

/* A lane without a link hangs on a pair of its own, which stays as it is: without mass and at rest. */
struct flight_pair {
    char *parent[2]; /* the pairs of the parents, as many bytes ahead as their lanes */
    enum parents parents;
    /* constant */
    pair joint_x, joint_y, moment_x, moment_y, mass, inertia;
    pair kp, kd, damping, most;
    pair drag_nn, drag_nx, drag_ny, drag_xx, drag_xy, drag_yy; /* in the links' frames */
    /* of a step */
    pair aim[3];
    pair q0, v0, q, v, sine0, cosine0, angle0;
    pair sum_q, sum_v, work, lost, apart, lost_apart, torque, acceleration;
    /* of a stage */
    pair turn, sine, cosine, rx, ry, w, vx, vy, bx, by; /* turn: of the links since the start */
    pair nn, nx, ny, xx, xy, yy;                        /* articulated inertia */
    pair pn, px, py;                                    /* and bias force */
    pair tau, ux, uy, u;
    pair aw, ax, ay;
};

/* A field of the two parents, and adding to it. */
#define OF_PARENTS(p, field)         of_parents(p, offsetof(struct flight_pair, field))
#define ADD_TO_PARENTS(p, field, to) add_to_parents(p, offsetof(struct flight_pair, field), to)

static inline pair of_parents(const struct flight_pair *p, size_t field)
{
    if (p->parents == PARENTS_STRAIGHT)
        return *(const pair *)(p->parent[0] + field);
    return (pair){*(const double *)(p->parent[0] + field), *(const double *)(p->parent[1] + field)};
}

static inline void add_to_parents(struct flight_pair *p, size_t field, pair to)
{
    double *first = (double *)(p->parent[0] + field), *second = (double *)(p->parent[1] + field);
    if (p->parents == PARENTS_STRAIGHT) {
        *(pair *)first += to;
    } else if (p->parents == PARENTS_SAME) {
        *first += to[0] + to[1];
    } else {
        *first += to[0];
        *second += to[1];
    }
}

int flight_suits(const struct tree *tree)
{
    for (int i = 1; i < tree->count; i++)
        if (tree->links[i].is_linear || tree->links[i].is_driven)
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

/* The link with the longest way below it among those whose parents are in pairs before this one; -1:
 * none. Of equals one whose parent has the same lane. */
static int next_link(const struct flight *f, const struct tree *tree, int place)
{
    int best = -1, best_rank = 0;
    for (int i = 1; i < tree->count; i++) {
        int parent = f->place[tree->links[i].parent];
        if (f->place[i] >= 0 || parent < 0 || parent / 2 >= place / 2)
            continue;
        int rank = 2 * height_of(tree, i) + (parent % 2 == place % 2) + 1;
        if (rank > best_rank) {
            best = i;
            best_rank = rank;
        }
    }
    return best;
}

static void take_lane(struct flight *f, const struct tree *tree, int link, int place)
{
    struct flight_pair *p = &f->pairs[place / 2];
    const struct tree_link *l = &tree->links[link];
    int lane = place % 2;
    f->place[link] = place;
    if (link > 0) {
        int parent = f->place[l->parent];
        p->parent[lane] = (char *)&f->pairs[parent / 2] + (size_t)(parent % 2) * sizeof(double);
    }
    p->joint_x[lane] = l->joint_x;
    p->joint_y[lane] = l->joint_y;
    p->moment_x[lane] = l->moment_x;
    p->moment_y[lane] = l->moment_y;
    p->mass[lane] = l->mass;
    p->inertia[lane] = l->inertia;
}

int flight_create(struct flight *f, const struct tree *tree, struct arena *arena)
{
    size_t links = (size_t)tree->count;
    *f = (struct flight){.links = tree->count, .is_root_fixed = tree->is_root_fixed};
    f->place = arena_take(arena, links, sizeof f->place[0]);
    f->pairs = arena_take(arena, links + 1, sizeof f->pairs[0]);
    if (!f->place || !f->pairs)
        return ERR_MEMORY;
    for (int i = 0; i < tree->count; i++)
        f->place[i] = -1;
    for (int i = 0; i <= tree->count; i++) {
        struct flight_pair *p = &f->pairs[i];
        p->parent[0] = p->parent[1] = (char *)&f->pairs[tree->count];
        p->inertia = (pair){1, 1};
    }

    /* the root alone, then whatever is ready */
    take_lane(f, tree, 0, 0);
    f->count = 1;
    for (int link = next_link(f, tree, 2); link >= 0; link = next_link(f, tree, 2 * f->count)) {
        struct flight_pair *p = &f->pairs[f->count];
        take_lane(f, tree, link, 2 * f->count);
        link = next_link(f, tree, 2 * f->count + 1);
        if (link >= 0)
            take_lane(f, tree, link, 2 * f->count + 1);
        p->parents = p->parent[1] == p->parent[0] + sizeof(double) ? PARENTS_STRAIGHT
                     : p->parent[1] == p->parent[0]                ? PARENTS_SAME
                                                                   : PARENTS_APART;
        f->count++;
    }
    flight_set_world(f, tree);
    return 0;
}

void flight_set_law(struct flight *f, int link, const struct flight_law *law)
{
    struct flight_pair *p = &f->pairs[f->place[link] / 2];
    int lane = f->place[link] % 2;
    p->kp[lane] = law->kp;
    p->kd[lane] = law->kd;
    p->damping[lane] = law->damping;
    p->most[lane] = law->most;
}

void flight_set_world(struct flight *f, const struct tree *tree)
{
    f->gravity_x = tree->gravity_x;
    f->has_drag = tree->has_drag;
    for (int i = 0; i < f->links && f->has_drag; i++) {
        struct flight_pair *p = &f->pairs[f->place[i] / 2];
        const struct tensor *drag = &tree->links[i].drag;
        int lane = f->place[i] % 2;
        p->drag_nn[lane] = drag->nn;
        p->drag_nx[lane] = drag->nx;
        p->drag_ny[lane] = drag->ny;
        p->drag_xx[lane] = drag->xx;
        p->drag_xy[lane] = drag->xy;
        p->drag_yy[lane] = drag->yy;
    }
}

/* ---------------------------------------------------------------- a stage */

static inline pair bounded(pair x, pair most)
{
    pair_bits above = x > most, below = x < -most;
    return (pair)((above & (pair_bits)most) | (below & (pair_bits)-most) |
                  (~(above | below) & (pair_bits)x));
}

/* Adds drag to the bias force; returns its power, which is negative. */
static inline pair drag_pair(struct flight_pair *p)
{
    pair c = p->cosine, s = p->sine;
    pair x = c * p->vx + s * p->vy, y = c * p->vy - s * p->vx;
    pair n = p->drag_nn * p->w + (p->drag_nx * x + p->drag_ny * y);
    pair fx = p->drag_nx * p->w + (p->drag_xx * x + p->drag_xy * y);
    pair fy = p->drag_ny * p->w + (p->drag_xy * x + p->drag_yy * y);
    p->pn += n;
    p->px += c * fx - s * fy;
    p->py += s * fx + c * fy;
    return -(n * p->w + fx * x + fy * y);
}

/* Own inertia and bias force at the links' angles and velocities. */
static inline void start_inertia(struct flight_pair *p)
{
    pair hx = p->cosine * p->moment_x - p->sine * p->moment_y;
    pair hy = p->sine * p->moment_x + p->cosine * p->moment_y;
    pair square = p->w * p->w;
    p->nn = p->inertia;
    p->nx = -hy;
    p->ny = hx;
    p->xx = p->yy = p->mass;
    p->xy = p->pn = (pair){0, 0};
    p->px = -square * hx;
    p->py = -square * hy;
}

/* Sine and cosine of small angles by their series: errors are below 1e-17. */
static inline void small_sines(pair x, pair *sine, pair *cosine)
{
    pair z = x * x, w = z * z;
    pair odd = (-1.0 / 6 + z * (1.0 / 120)) +
               w * ((-1.0 / 5040 + z * (1.0 / 362880)) + w * (-1.0 / 39916800));
    pair even = (1.0 / 24 + z * (-1.0 / 720)) +
                w * ((1.0 / 40320 + z * (-1.0 / 3628800)) + w * (1.0 / 479001600));
    *sine = x + x * (z * odd);
    *cosine = 1.0 - (0.5 * z - w * even);
}

/* Sines and cosines of the links' angles, which are a little further than at the start of the step. */
static inline void set_sines(struct flight_pair *p)
{
    pair_bits is_far = (p->turn > SMALL_TURN_RAD) | (p->turn < -SMALL_TURN_RAD);
    if (is_far[0] | is_far[1]) {
        pair angle = p->angle0 + p->turn;
        det_sincos_all((const double *)&angle, 2, (double *)&p->sine, (double *)&p->cosine);
        return;
    }
    pair s, c;
    small_sines(p->turn, &s, &c);
    p->sine = p->sine0 * c + p->cosine0 * s;
    p->cosine = p->cosine0 * c - p->sine0 * s;
}

/* Pose, velocity, own inertia and torques of two links, whose parents have theirs. */
static inline void start_pair(struct flight_pair *p, int has_drag, int has_sines, pair aim)
{
    pair c = OF_PARENTS(p, cosine), s = OF_PARENTS(p, sine), w = OF_PARENTS(p, w);
    pair rx = c * p->joint_x - s * p->joint_y, ry = s * p->joint_x + c * p->joint_y;
    pair square = w * w;
    p->turn = OF_PARENTS(p, turn) + (p->q - p->q0);
    if (!has_sines)
        set_sines(p);
    p->rx = rx;
    p->ry = ry;
    p->bx = -square * rx;
    p->by = -square * ry;
    p->w = w + p->v;
    if (has_drag) {
        p->vx = OF_PARENTS(p, vx) - w * ry;
        p->vy = OF_PARENTS(p, vy) + w * rx;
    }
    start_inertia(p);
    p->torque = bounded(aim - p->kp * p->q - p->kd * p->v, p->most);
    p->tau = p->torque - p->damping * p->v;
}

/* Takes two hinges' accelerations out and hands on what is left. */
static inline void fold_pair(struct flight_pair *p)
{
    pair nx = p->nx, ny = p->ny, g = 1.0 / p->nn;
    pair gx = nx * g, gy = ny * g, gu = g * (p->tau - p->pn);
    pair xx = p->xx - nx * gx, xy = p->xy - nx * gy, yy = p->yy - ny * gy;
    pair fx = p->px + nx * gu + (xx * p->bx + xy * p->by);
    pair fy = p->py + ny * gu + (xy * p->bx + yy * p->by);
    pair tx = xy * p->rx - xx * p->ry, ty = yy * p->rx - xy * p->ry;
    p->ux = gx;
    p->uy = gy;
    p->u = gu;
    ADD_TO_PARENTS(p, xx, xx);
    ADD_TO_PARENTS(p, xy, xy);
    ADD_TO_PARENTS(p, yy, yy);
    ADD_TO_PARENTS(p, nx, tx);
    ADD_TO_PARENTS(p, ny, ty);
    ADD_TO_PARENTS(p, nn, p->rx * ty - p->ry * tx);
    ADD_TO_PARENTS(p, px, fx);
    ADD_TO_PARENTS(p, py, fy);
    ADD_TO_PARENTS(p, pn, p->tau + (p->rx * fy - p->ry * fx));
}

static inline void unfold_pair(struct flight_pair *p)
{
    pair w = OF_PARENTS(p, aw);
    p->ax = OF_PARENTS(p, ax) + (p->bx - w * p->ry);
    p->ay = OF_PARENTS(p, ay) + (p->by + w * p->rx);
    p->aw = p->u - (p->ux * p->ax + p->uy * p->ay);
    p->acceleration = p->aw - w;
}

/* What the sums of a stage are multiplied by, and how far ahead of the start the next stage is. */
struct stage {
    double share, side, ahead;
};

/* Adds a stage to the sums and goes on to the next. */
static inline void sum_pair(struct flight_pair *p, const struct stage *stage)
{
    pair power = p->torque * p->v, lost = p->damping * p->v * p->v;
    p->sum_q += stage->share * p->v;
    p->sum_v += stage->share * p->acceleration;
    p->work += stage->share * power;
    p->lost += stage->share * lost;
    p->apart += stage->side * power;
    p->lost_apart += stage->side * lost;
    p->q = p->q0 + stage->ahead * p->v;
    p->v = p->v0 + stage->ahead * p->acceleration;
}

/* The accelerations at a stage; returns the drag's power. `root`: velocity and acceleration of its
 * origin. */
static inline double accelerate(struct flight *f, int stage, int has_drag, int has_sines,
                                double gravity_m_s2, pair velocity, pair *acceleration)
{
    struct flight_pair *root = &f->pairs[0];
    pair power = {0, 0};
    root->turn = root->q - root->q0;
    root->w = root->v;
    if (!has_sines)
        set_sines(root);
    start_inertia(root);
    if (has_drag) {
        root->vx = (pair){velocity[0], 0};
        root->vy = (pair){velocity[1], 0};
        power += drag_pair(root);
    }
    for (int i = 1; i < f->count; i++) {
        struct flight_pair *p = &f->pairs[i];
        start_pair(p, has_drag, has_sines, p->aim[stage]);
        if (has_drag)
            power += drag_pair(p);
    }
    for (int i = f->count - 1; i > 0; i--)
        fold_pair(&f->pairs[i]);

    struct motion a = {0, -f->gravity_x, gravity_m_s2};
    if (!f->is_root_fixed) {
        struct tensor inertia = {root->nn[0], root->nx[0], root->ny[0],
                                 root->xx[0], root->xy[0], root->yy[0]};
        a = tree_solve(&inertia, (struct force){-root->pn[0], -root->px[0], -root->py[0]});
    }
    root->aw = root->acceleration = (pair){a.w, 0};
    root->ax = (pair){a.x, 0};
    root->ay = (pair){a.y, 0};
    *acceleration = (pair){a.x + f->gravity_x, a.y - gravity_m_s2};
    for (int i = 1; i < f->count; i++)
        unfold_pair(&f->pairs[i]);
    return power[0] + power[1];
}

/* ---------------------------------------------------------------- a step */

static void begin_step(struct flight *f, const struct tree *tree, const struct flight_step *step)
{
    for (int i = 0; i < f->links; i++) {
        struct flight_pair *p = &f->pairs[f->place[i] / 2];
        int lane = f->place[i] % 2;
        p->q0[lane] = p->q[lane] = step->from_q[2 + i];
        p->v0[lane] = p->v[lane] = step->from_qd[2 + i];
        p->sine[lane] = p->sine0[lane] = tree->sine[i];
        p->cosine[lane] = p->cosine0[lane] = tree->cosine[i];
        p->angle0[lane] = tree->angle[i];
        for (int k = 0; k < 3 && i > 0; k++)
            p->aim[k][lane] = step->aim[k][2 + i];
    }
    for (int i = 0; i < f->count; i++) {
        struct flight_pair *p = &f->pairs[i];
        p->sum_q = p->sum_v = p->work = p->lost = p->apart = p->lost_apart = (pair){0, 0};
    }
}

static void end_step(struct flight *f, const struct flight_step *step)
{
    pair lost = {0, 0}, lost_apart = {0, 0};
    for (int i = 0; i < f->links; i++) {
        const struct flight_pair *p = &f->pairs[f->place[i] / 2];
        int lane = f->place[i] % 2, at = 2 + i;
        step->q[at] = p->q0[lane] + p->sum_q[lane];
        step->qd[at] = p->v0[lane] + p->sum_v[lane];
        step->acceleration[at] = p->acceleration[lane];
        if (i == 0)
            continue;
        step->work[at] += p->work[lane];
        step->apart[at] = p->apart[lane];
        step->torque[i] = p->torque[lane];
    }
    for (int i = 1; i < f->count; i++) {
        lost += f->pairs[i].lost;
        lost_apart += f->pairs[i].lost_apart;
    }
    step->work[1] += lost[0] + lost[1];
    step->apart[1] = lost_apart[0] + lost_apart[1];
    step->apart[2] = 0;
}

static inline void advance(struct flight *f, const struct flight_step *step, int has_drag)
{
    double h = step->h_s;
    const struct stage stages[4] = {
        {h / 6, 0, h / 2}, {h / 3, 1, h / 2}, {h / 3, -1, h}, {h / 6, 0, 0}};
    pair v0 = {step->from_qd[0], step->from_qd[1]}, v = v0;
    pair sum_q = {0, 0}, sum_v = {0, 0}, a = {0, 0};
    double drag = 0, drag_apart = 0;
    for (int k = 0; k < 4; k++) {
        const struct stage *stage = &stages[k];
        double power = accelerate(f, (k + 1) / 2, has_drag, k == 0, step->gravity_m_s2, v, &a);
        drag -= stage->share * power;
        drag_apart -= stage->side * power;
        for (int i = 0; i < f->count; i++)
            sum_pair(&f->pairs[i], stage);
        sum_q += stage->share * v;
        sum_v += stage->share * a;
        v = v0 + stage->ahead * a;
    }
    for (int i = 0; i < 2; i++) {
        step->q[i] = step->from_q[i] + sum_q[i];
        step->qd[i] = v0[i] + sum_v[i];
        step->acceleration[i] = a[i];
    }
    step->work[0] += drag;
    step->apart[0] = drag_apart;
}

void flight_advance(struct flight *f, const struct tree *tree, const struct flight_step *step)
{
    begin_step(f, tree, step);
    if (f->has_drag)
        advance(f, step, 1);
    else
        advance(f, step, 0);
    end_step(f, step);
}
