/* See tree.h: what impulses do. An impulse on a link goes down to the root; each joint on the way
 * takes its share, by the factors of tree_factor(). Both rows of a contact go side by side
 * (pair.h). */
#include "simulator/planar/tree/tree.h"

#include "common/error.h"
#include "common/math/pair.h"

int tree_create_rows(const struct tree *tree, struct tree_rows *rows, int count,
                     struct arena *arena)
{
    size_t stride = ((size_t)tree->count + 1) & ~(size_t)1, even = ((size_t)count + 2) & ~(size_t)1;
    double *shares = arena_take(arena, 2 * even * stride, sizeof(double));
    double *roots = arena_take(arena, 6 * even, sizeof(double));
    if (!shares || !roots)
        return ERR_MEMORY;
    *rows = (struct tree_rows){.stride = (int)stride,
                               .shares = shares,
                               .rates = shares + even * stride,
                               .n = roots,
                               .x = roots + even,
                               .y = roots + 2 * even,
                               .response_w = roots + 3 * even,
                               .response_x = roots + 4 * even,
                               .response_y = roots + 5 * even};
    return 0;
}

void tree_clear_rows(struct tree_rows *rows, int count)
{
    double *shares = rows->shares, *rates = rows->rates;
    for (int i = 0, end = (count + 1) / 2 * 2 * rows->stride; i < end; i += 4)
        QUAD(shares, i) = QUAD(rates, i) = (quad){0};
    rows->n[count] = rows->x[count] = rows->y[count] = 0;
    rows->response_w[count] = rows->response_x[count] = rows->response_y[count] = 0;
}

void tree_leave_rows(struct tree_rows *rows, int row, int count)
{
    for (int i = row; i < row + count; i++) {
        rows->n[i] = rows->x[i] = rows->y[i] = 0;
        rows->response_w[i] = rows->response_x[i] = rows->response_y[i] = 0;
    }
}

/* Two impulses side by side, and two motions. */
struct two_forces {
    pair n, x, y, stretch;
};
struct two_motions {
    pair w, x, y;
};

static inline struct two_forces load_forces(const struct force_pair *f)
{
    return (struct two_forces){PAIR(f->n, 0), PAIR(f->x, 0), PAIR(f->y, 0), PAIR(f->stretch, 0)};
}

static inline struct two_forces add_forces(struct two_forces f, struct two_forces g)
{
    return (struct two_forces){f.n + g.n, f.x + g.x, f.y + g.y, f.stretch + g.stretch};
}

/* As solver_solve(). */
static inline struct two_motions solve_two(const struct solver *s, struct two_forces f)
{
    const struct tensor *t = &s->t;
    pair w = (f.n * s->det - (f.x * s->kx + f.y * s->ky)) * s->inverse_all;
    pair x = f.x - t->nx * w, y = f.y - t->ny * w;
    return (struct two_motions){w, (t->yy * x - t->xy * y) * s->inverse_det,
                                (t->xx * y - t->xy * x) * s->inverse_det};
}

/* The effect of impulses at the origin of a link on the stretch of its parent. */
static inline pair share_of_parent(const struct tree_link *l, struct two_forces f)
{
    return l->up->stretch ? f.x * l->drift_x + f.y * l->drift_y : pair_of(0);
}

/* Takes a joint's share out of impulses on its link and moves the rest to the parent's origin;
 * `stretch` then is their share of the parent's. */
ALWAYS_INLINE static inline struct two_forces pass_joint(const struct tree_link *l,
                                                         struct two_forces f, pair *share,
                                                         int are_hinges)
{
    if (are_hinges || (!l->is_linear && !l->is_driven && !l->stretch)) {
        *share = f.n;
        f.n = pair_of(0);
    } else {
        *share = l->is_driven ? pair_of(0) : l->stretch ? f.stretch : f.x * l->sx + f.y * l->sy;
        f.n -= l->fn * *share;
    }
    f.x -= l->fx * *share;
    f.y -= l->fy * *share;
    pair moment = l->rx * f.y - l->ry * f.x;
    f.n = are_hinges ? moment : f.n + moment;
    if (!are_hinges)
        f.stretch = share_of_parent(l, f);
    return f;
}

/* Past a joint, of which the shares and rates of both rows are kept at `row`; returns the next one
 * on the way. */
ALWAYS_INLINE static inline int carry_past(const struct tree *tree, int at, struct two_forces *f,
                                           double *shares, double *rates, int stride,
                                           int are_hinges)
{
    const struct tree_link *l = &tree->links[at];
    int next = l->parent;
    pair share, inverse = pair_of(l->inverse);
    *f = pass_joint(l, *f, &share, are_hinges);
    pair rate = share * inverse;
    shares[at] = share[0];
    shares[stride + at] = share[1];
    rates[at] = rate[0];
    rates[stride + at] = rate[1];
    return next;
}

/* Down to the root, as one from where the ways of both links meet. */
ALWAYS_INLINE static inline struct two_forces carry_down(const struct tree *tree, int a,
                                                         struct two_forces f, int b,
                                                         struct two_forces g,
                                                         const struct tree_rows *rows, int row,
                                                         int are_hinges)
{
    int stride = rows->stride;
    double *shares = rows->shares + row * stride, *rates = rows->rates + row * stride;
    while (a != b)
        if (a > b)
            a = carry_past(tree, a, &f, shares, rates, stride, are_hinges);
        else
            b = carry_past(tree, b, &g, shares, rates, stride, are_hinges);
    if (a > 0) {
        f = add_forces(f, g);
        g = (struct two_forces){pair_of(0), pair_of(0), pair_of(0), pair_of(0)};
    }
    while (a > 0)
        a = carry_past(tree, a, &f, shares, rates, stride, are_hinges);
    return add_forces(f, g);
}

/* At the root. */
static inline void arrive(const struct tree *tree, struct two_forces f, struct tree_rows *rows,
                          int row)
{
    struct two_motions v = {pair_of(0), pair_of(0), pair_of(0)};
    if (!tree->is_root_fixed)
        v = solve_two(&tree->root, f);
    PAIR(rows->n, row) = f.n;
    PAIR(rows->x, row) = f.x;
    PAIR(rows->y, row) = f.y;
    PAIR(rows->response_w, row) = v.w;
    PAIR(rows->response_x, row) = v.x;
    PAIR(rows->response_y, row) = v.y;
}

void tree_carry(const struct tree *tree, int a, const struct force_pair *on_a, int b,
                const struct force_pair *on_b, struct tree_rows *rows, int row)
{
    static const struct force_pair none;
    struct two_forces f = load_forces(on_a), g = load_forces(b < 0 ? &none : on_b);
    b = b < 0 ? 0 : b;
    if (tree->are_hinges)
        f = carry_down(tree, a, f, b, g, rows, row, 1);
    else
        f = carry_down(tree, a, f, b, g, rows, row, 0);
    arrive(tree, f, rows, row);
}

static inline void keep_share(const struct tree *tree, struct tree_rows *rows, int row, int at,
                              double share)
{
    rows->shares[row * rows->stride + at] = share;
    rows->rates[row * rows->stride + at] = share * tree->links[at].inverse;
}

void tree_carry_joint(const struct tree *tree, int joint, double sign, struct tree_rows *rows,
                      int row)
{
    /* +1 on the link, -1 on its parent: the joint's own share is all of it */
    const struct tree_link *l = &tree->links[joint];
    pair share = {sign, 0};
    struct two_forces f = {-share, -l->fx * share, -l->fy * share, {0, 0}};
    keep_share(tree, rows, row, joint, sign);
    if (l->is_linear || l->is_driven || l->stretch)
        f.n = -l->fn * share;
    f.n += l->rx * f.y - l->ry * f.x;
    f.stretch = share_of_parent(l, f);
    for (int at = l->parent; at > 0; at = tree->links[at].parent) {
        f = pass_joint(&tree->links[at], f, &share, tree->are_hinges);
        keep_share(tree, rows, row, at, share[0]);
    }
    arrive(tree, f, rows, row);
}

/* The couplings of two rows with two others. Sums over the joints are those over even and over odd
 * places first. */
struct couplings {
    pair first, second;
};

static inline struct couplings couple_two(const struct tree_rows *rows, int row, int other,
                                          int halves)
{
    int stride = rows->stride;
    const double *shares = rows->shares + row * stride, *rates = rows->rates + other * stride;
    pair a = {0, 0}, b = {0, 0}, c = {0, 0}, d = {0, 0};
    for (int i = 0; i < 2 * halves; i += 2) {
        pair share = PAIR(shares, i), next_share = PAIR(shares, stride + i);
        pair rate = PAIR(rates, i), next_rate = PAIR(rates, stride + i);
        a += share * rate;
        b += share * next_rate;
        c += next_share * rate;
        d += next_share * next_rate;
    }
    const double *n = rows->n + row, *x = rows->x + row, *y = rows->y + row;
    pair rw = PAIR(rows->response_w, other), rx = PAIR(rows->response_x, other),
         ry = PAIR(rows->response_y, other);
    pair first = n[0] * rw + x[0] * rx + y[0] * ry, second = n[1] * rw + x[1] * rx + y[1] * ry;
    return (struct couplings){first + ((pair){a[0], b[0]} + (pair){a[1], b[1]}),
                              second + ((pair){c[0], d[0]} + (pair){c[1], d[1]})};
}

/* The lower half, and its mirror image. Always in line, so that sums of common lengths, 2 * halves,
 * are code without loops. */
ALWAYS_INLINE static inline void couple_rows(const struct tree_rows *rows, int count, int stride,
                                             double *to, int halves)
{
    for (int row = 0; row < count; row += 2) {
        double *line = to + row * stride;
        for (int other = 0; other <= row; other += 2) {
            struct couplings c = couple_two(rows, row, other, halves);
            double *mirror = to + other * stride + row;
            PAIR(line, other) = c.first;
            PAIR(line, stride + other) = c.second;
            PAIR(mirror, 0) = (pair){c.first[0], c.second[0]};
            if (other < row)
                PAIR(mirror, stride) = (pair){c.first[1], c.second[1]};
        }
    }
}

void tree_couple(const struct tree *tree, const struct tree_rows *rows, int count, int stride,
                 double *couplings)
{
    int halves = (tree->count + 1) / 2;
    switch (halves) {
    case 2:
        couple_rows(rows, count, stride, couplings, 2);
        break;
    case 3:
        couple_rows(rows, count, stride, couplings, 3);
        break;
    case 4:
        couple_rows(rows, count, stride, couplings, 4);
        break;
    case 5:
        couple_rows(rows, count, stride, couplings, 5);
        break;
    case 6:
        couple_rows(rows, count, stride, couplings, 6);
        break;
    default:
        couple_rows(rows, count, stride, couplings, halves);
    }
}

double tree_joint_mobility(const struct tree *tree, int joint, struct tree_rows *rows)
{
    double couplings[4];
    tree_clear_rows(rows, 1);
    tree_carry_joint(tree, joint, 1, rows, 0);
    tree_couple(tree, rows, 1, 2, couplings);
    return couplings[0];
}

static inline void respond_links(const struct tree *tree, const double *shares, double *dqd,
                                 int are_hinges)
{
    struct motion *change = tree->change;
    for (int k = 1, count = tree->count; k < count; k++) {
        const struct tree_link *l = tree->order[k];
        const struct motion *p = &change[l->parent];
        int i = l->index;
        double wp = p->w, w = wp;
        pair xy = XY(p->x) + wp * XY(l->across_x);
        if (!are_hinges && l->up->stretch)
            xy += dqd[2 + l->parent] * XY(l->drift_x);
        double rate = shares[i] * l->inverse - plane_dot(XY(l->fx), xy);
        if (!are_hinges && l->stretch) {
            rate -= l->fn * wp;
        } else if (are_hinges || !l->is_linear) {
            rate -= are_hinges || !l->is_driven ? wp : 0;
            w += rate;
        } else {
            rate -= l->is_driven ? 0 : l->fn * wp;
            xy += rate * XY(l->sx);
        }
        dqd[2 + i] = rate;
        change[i].w = w;
        XY(change[i].x) = xy;
    }
}

void tree_respond(const struct tree *tree, const double *shares, struct force root, double *dqd)
{
    struct motion *change = tree->change;
    struct motion first = {0, 0, 0};
    if (!tree->is_root_fixed)
        first = solver_solve(&tree->root, root);
    change[0].w = first.w;
    XY(change[0].x) = (pair){first.x, first.y};
    dqd[0] = first.x;
    dqd[1] = first.y;
    dqd[2] = first.w;
    if (tree->are_hinges)
        respond_links(tree, shares, dqd, 1);
    else
        respond_links(tree, shares, dqd, 0);
}
