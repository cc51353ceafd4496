#include "simulator/spatial/tree/spatial_limits.h"
#include "simulator/spatial/tree/spatial_tree_forces.h"

#include <math.h>

#include "common/error.h"

/* Rows that begin to act, at most, by the number of rows. */
enum { STEPS_MAX = 4, PROJECTIONS_MAX = 4 };
/* Below its bound by so much, rad/s or m/s, a row is at it; and a row depends on others if it
 * yields no more than this share besides. */
#define SETTLED   1e-12
#define DEPENDENT 1e-12
/* Gaps, rad or m, that impulses on other rows may close. */
#define GAP_NEAR 0.1
/* Gaps that count as 0, rad or m. */
#define GAP_ROUNDING 1e-12
/* A ball's gradients, which are of length 1, are to change by no more in a part of a step; how fast
 * they do is seen over this share of it. */
#define TURN_MAX    0.1
#define SHORT_SHARE (1.0 / 256)
/* A joint that is slower than this, rad/s or m/s, leans on a limit; a faster one hits it. */
#define HIT_RATE 0.5

static int is_free(const struct spatial_tree_link *l)
{
    return l->slides == 3;
}

int spatial_limits_create(struct spatial_limits *limits, const struct spatial_tree *tree,
                          const struct body_link *links, struct arena *arena)
{
    *limits = (struct spatial_limits){.links = links};
    for (int i = 0; i < tree->count; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        /* of slides and turns; of a ball its twist's */
        int intervals = l->slides + l->joint->turns + l->joint->has_ball;
        for (int k = 0; k < intervals && !is_free(l); k++)
            limits->row_max += isfinite(links[i].lower[k]) + isfinite(links[i].upper[k]);
        limits->row_max += l->joint->has_ball && !is_free(l) && isfinite(links[i].cone_rad);
        limits->has_turning |= l->joint->has_ball && !is_free(l);
    }
    size_t rates = (size_t)tree->rates, rows = (size_t)limits->row_max;
    limits->rows = arena_take(arena, rows, sizeof limits->rows[0]);
    limits->given = arena_take(arena, rows, sizeof limits->given[0]);
    limits->push = arena_take(arena, rates, sizeof limits->push[0]);
    limits->before = arena_take(arena, rates, sizeof limits->before[0]);
    limits->acting = arena_take(arena, rows, sizeof limits->acting[0]);
    limits->lacking = arena_take(arena, rows, sizeof(double));
    limits->sought = arena_take(arena, rows, sizeof(double));
    limits->yields = arena_take(arena, rows * rows, sizeof(double));
    limits->factor = arena_take(arena, rows * rows, sizeof(double));
    double *responses = arena_take(arena, rows * rates, sizeof responses[0]);
    if (arena->is_exhausted)
        return ERR_MEMORY;
    for (size_t i = 0; i < rows; i++)
        limits->rows[i].response = responses + i * rates;
    return 0;
}

/* Invariants of the rows that were found. */
static void check(const struct spatial_limits *limits, const struct spatial_tree *tree)
{
    ENSURE(limits->count >= 0 && limits->count <= limits->row_max, "%d limits of at most %d",
           limits->count, limits->row_max);
    for (int i = 0; i < limits->count; i++) {
        const struct spatial_limit *row = &limits->rows[i];
        ENSURE(row->id >= 0 && row->id < limits->row_max, "limit %d is number %d of %d", i, row->id,
               limits->row_max);
        ENSURE(row->link >= 0 && row->link < tree->count, "limit %d is of link %d of %d", i,
               row->link, tree->count);
        const struct spatial_tree_link *l = &tree->links[row->link];
        ENSURE(row->rate >= l->rate && row->rate + row->count <= l->rate + l->rates,
               "limit %d is of rates %d to %d, its link has %d to %d", i, row->rate,
               row->rate + row->count, l->rate, l->rate + l->rates);
        ENSURE((row->turning != NULL) == (row->count == 3), "limit %d of %d rates, of a ball: %d",
               i, row->count, row->turning != NULL);
    }
}

/* Writes a row like `of`; the next one goes into the next place. */
static void add_row(struct spatial_limits *limits, const struct spatial_limit *of, double gap,
                    const double *g, double sign)
{
    struct spatial_limit *row = &limits->rows[limits->count];
    double *response = row->response;
    *row = *of;
    row->id = limits->count++;
    row->response = response;
    row->gap = gap;
    row->sign = sign;
    for (int k = 0; k < row->count; k++)
        row->gradient[k] = sign * g[k];
}

/* Adds the interval of freedom k of the link. */
static void add_interval(struct spatial_limits *limits, const struct spatial_limit *of, int k,
                         double value, const double *g)
{
    const struct body_link *link = &limits->links[of->link];
    if (isfinite(link->lower[k]))
        add_row(limits, of, value - link->lower[k], g, 1);
    if (isfinite(link->upper[k]))
        add_row(limits, of, link->upper[k] - value, g, -1);
}

static struct quaternion ball_of(const struct spatial_tree_link *l, const double *q)
{
    return quaternion_read(q + l->coordinate + spatial_tree_plain(l));
}

static void measure_ball(struct spatial_limits *limits, const struct spatial_tree_link *l, int i,
                         struct quaternion ball)
{
    const struct body_link *link = &limits->links[i];
    struct spatial_limit turn = {.link = i, .rate = l->rate + spatial_tree_plain(l), .count = 3};
    struct spatial_limit swing = turn;
    struct vec3 across = joint_swing_gradient(ball), along = joint_twist_gradient(ball);
    double g[3] = {along.x, along.y, along.z}, s[3] = {across.x, across.y, across.z};
    turn.turning = joint_twist_gradient;
    swing.turning = joint_swing_gradient;
    add_interval(limits, &turn, spatial_tree_plain(l), joint_twist(ball), g);
    if (isfinite(link->cone_rad))
        add_row(limits, &swing, link->cone_rad - joint_swing(ball), s, -1);
}

/* All rows. */
static void measure(struct spatial_limits *limits, const struct spatial_tree *tree, const double *q)
{
    const double one = 1;
    limits->count = 0;
    for (int i = 0; i < tree->count && limits->row_max > 0; i++) {
        const struct spatial_tree_link *l = &tree->links[i];
        for (int k = 0; k < spatial_tree_plain(l) && !is_free(l); k++) {
            const struct spatial_limit plain = {.link = i, .rate = l->rate + k, .count = 1};
            add_interval(limits, &plain, k, q[l->coordinate + k], &one);
        }
        if (l->joint->has_ball && !is_free(l))
            measure_ball(limits, l, i, ball_of(l, q));
    }
}

double spatial_limits_gap(struct spatial_limits *limits, const struct spatial_tree *tree,
                          const double *q)
{
    double least = HUGE_VAL;
    measure(limits, tree, q);
    for (int i = 0; i < limits->count; i++)
        least = limits->rows[i].gap < least ? limits->rows[i].gap : least;
    return least;
}

/* Rows that stay, in their order; their places and responses change hands. */
static void keep(struct spatial_limits *limits, int *kept, int i)
{
    struct spatial_limit row = limits->rows[*kept];
    limits->rows[*kept] = limits->rows[i];
    limits->rows[i] = row;
    ++*kept;
}

/* How much faster a gap opens at rates some time later, as a ball's gradients turn with it. */
static double drift_of(const struct spatial_limit *row, const struct spatial_tree *tree,
                       const double *q, const double *rates, double time_s)
{
    if (!row->turning)
        return 0;
    struct vec3 w = {rates[row->rate], rates[row->rate + 1], rates[row->rate + 2]};
    struct quaternion ball = ball_of(&tree->links[row->link], q);
    ball = quaternion_product(ball, quaternion_exp(vec3_scale(w, time_s)));
    return row->sign * vec3_dot(row->turning(ball), w) - spatial_limits_rate(row, rates);
}

/* A joint that slides along a limit is to move along it at the end of the step: rates that are
 * along it in the middle leave it until then, to be stopped anew, which is like friction. In the
 * middle it is half_s * drift / 2 off; one that is farther off may come nearer. */
int spatial_limits_find(struct spatial_limits *limits, const struct spatial_tree *tree,
                        const double *q, const double *middle, const double *end, double half_s,
                        int are_pushed)
{
    int kept = 0, closed = are_pushed;
    double time_s = are_pushed ? 2 * half_s : half_s;
    ENSURE(half_s > 0, "half a step of %g s", half_s);
    measure(limits, tree, q);
    for (int i = 0; i < limits->count; i++) {
        struct spatial_limit *row = &limits->rows[i];
        double drift = drift_of(row, tree, q, middle, half_s);
        double last = row->gap + time_s * (spatial_limits_rate(row, end) + drift / 2);
        row->bound = det_min((half_s * drift / 2 - row->gap) / time_s, 0) - drift;
        closed += row->gap <= GAP_ROUNDING || last < 0;
        if (row->gap <= GAP_ROUNDING || last < GAP_NEAR)
            keep(limits, &kept, i);
    }
    limits->count = closed > 0 ? kept : 0;
    return limits->count;
}

double spatial_limits_stride(struct spatial_limits *limits, const struct spatial_tree *tree,
                             const double *q, const double *rates, double time_s, double least_s)
{
    /* how fast a ball's gradient changes, 1/s, is found over a short time */
    double fastest = 0, short_s = time_s * SHORT_SHARE;
    if (!limits->has_turning)
        return time_s;
    measure(limits, tree, q);
    for (int i = 0; i < limits->count; i++) {
        const struct spatial_limit *row = &limits->rows[i];
        struct vec3 w = {rates[row->rate], rates[row->rate + 1], rates[row->rate + 2]};
        if (!row->turning || row->gap > time_s * vec3_length(w))
            continue;
        struct quaternion ball = ball_of(&tree->links[row->link], q);
        struct quaternion then = quaternion_product(ball, quaternion_exp(vec3_scale(w, short_s)));
        struct vec3 turned = vec3_sub(row->turning(then), row->turning(ball));
        fastest = det_max(fastest, vec3_length(turned) / short_s);
    }
    double parts = ceil(time_s * fastest / TURN_MAX);
    return parts > 1 ? det_max(time_s / parts, det_min(least_s, time_s)) : time_s;
}

/* When g + r t + a t^2 / 2 comes to 0 from above, fast enough; else HUGE_VAL. */
static double hit_time(double g, double r, double a)
{
    double square = r * r - 2 * a * g, denominator = sqrt(det_max(square, 0)) - r;
    if (g <= GAP_ROUNDING)
        return r < -HIT_RATE ? 0 : HUGE_VAL;
    return square >= HIT_RATE * HIT_RATE && denominator > 0 ? 2 * g / denominator : HUGE_VAL;
}

double spatial_limits_hit(struct spatial_limits *limits, const struct spatial_tree *tree,
                          const double *q, const double *rates, const double *qdd)
{
    double first = HUGE_VAL;
    measure(limits, tree, q);
    for (int i = 0; i < limits->count; i++) {
        const struct spatial_limit *row = &limits->rows[i];
        double t =
            hit_time(row->gap, spatial_limits_rate(row, rates), spatial_limits_rate(row, qdd));
        first = t < first ? t : first;
    }
    return first;
}

int spatial_limits_find_hit(struct spatial_limits *limits, const struct spatial_tree *tree,
                            const double *q, const double *rates, double time_s)
{
    int kept = 0;
    measure(limits, tree, q);
    for (int i = 0; i < limits->count; i++) {
        struct spatial_limit *row = &limits->rows[i];
        row->bound = 0;
        if (row->gap + time_s * det_min(spatial_limits_rate(row, rates), 0) <= GAP_ROUNDING)
            keep(limits, &kept, i);
    }
    limits->count = kept;
    return kept;
}

/* The effect of a row's impulse on all rates, and on the gaps of all rows. */
static void find_response(struct spatial_limits *limits, struct spatial_tree *tree, int i)
{
    struct spatial_limit *row = &limits->rows[i];
    for (int k = 0; k < row->count; k++)
        limits->push[row->rate + k] = row->gradient[k];
    spatial_tree_respond(tree, limits->push, NULL, row->response);
    for (int k = 0; k < row->count; k++)
        limits->push[row->rate + k] = 0;
    for (int k = 0; k < limits->count; k++)
        limits->yields[k * limits->row_max + i] =
            spatial_limits_rate(&limits->rows[k], row->response);
}

/* Impulses with which the first `count` of the rows that act are at their bounds, by Cholesky's
 * factors, into limits->sought. 0 if the last row depends on the others. */
static int seek(struct spatial_limits *limits, int count)
{
    double *l = limits->factor, *x = limits->sought;
    int room = limits->row_max;
    for (int i = 0; i < count; i++, l += room) {
        const double *yields = limits->yields + limits->acting[i] * room;
        double sum = yields[limits->acting[i]], least = DEPENDENT * sum;
        x[i] = limits->lacking[limits->acting[i]];
        for (int k = 0; k < i; k++) {
            const double *of_k = limits->factor + k * room;
            double entry = yields[limits->acting[k]];
            for (int m = 0; m < k; m++)
                entry -= l[m] * of_k[m];
            l[k] = entry / of_k[k];
            sum -= l[k] * l[k];
            x[i] -= l[k] * x[k];
        }
        if (!(sum > least))
            return 0;
        l[i] = sqrt(sum);
        x[i] /= l[i];
    }
    for (int i = count - 1; i >= 0; i--) {
        x[i] /= limits->factor[i * room + i];
        for (int k = 0; k < i; k++)
            x[k] -= limits->factor[i * room + k] * x[i];
    }
    return 1;
}

/* Goes from the impulses of the rows that act towards those that were sought, as far as none pulls;
 * one that would pull acts no more. Returns how many act. */
static int approach(struct spatial_limits *limits, int count)
{
    int kept = 0, first = -1;
    double share = 1;
    for (int i = 0; i < count; i++) {
        double from = limits->rows[limits->acting[i]].impulse, to = limits->sought[i];
        if (to <= 0 && from / (from - to) < share) {
            share = from / (from - to);
            first = i;
        }
    }
    for (int i = 0; i < count; i++) {
        double *impulse = &limits->rows[limits->acting[i]].impulse;
        *impulse += share * (limits->sought[i] - *impulse);
        if (i == first || !(*impulse > 0))
            *impulse = 0;
        else
            limits->acting[kept++] = limits->acting[i];
    }
    return kept;
}

/* The row that is farthest below its bound, of those that neither act nor were refused; -1: none
 * is. */
static int find_worst(const struct spatial_limits *limits, int count)
{
    int worst = -1;
    double most = SETTLED;
    for (int i = 0; i < limits->count; i++) {
        const double *yields = limits->yields + i * limits->row_max;
        double miss = limits->lacking[i];
        if (limits->rows[i].is_refused || limits->rows[i].impulse > 0)
            continue;
        for (int k = 0; k < count; k++)
            miss -= yields[limits->acting[k]] * limits->rows[limits->acting[k]].impulse;
        if (miss > most) {
            most = miss;
            worst = i;
        }
    }
    return worst;
}

/* The least impulses, none of which pulls, that bring all rows to their bounds (Lawson and Hanson
 * 1974, chapter 23): one row after the other acts, the worst first. A row that yields nothing but
 * what others do is refused, as is one that would pull at once. */
static void solve_rows(struct spatial_limits *limits, struct spatial_tree *tree, double *rates)
{
    int acting = 0, worst;
    for (int i = 0; i < limits->count; i++) {
        struct spatial_limit *row = &limits->rows[i];
        limits->lacking[i] = row->bound - spatial_limits_rate(row, rates);
        row->impulse = row->is_refused = 0;
    }
    for (int left = STEPS_MAX * limits->count;
         left > 0 && (worst = find_worst(limits, acting)) >= 0; left--) {
        limits->acting[acting] = worst;
        find_response(limits, tree, worst);
        limits->rows[worst].is_refused = !seek(limits, acting + 1);
        if (limits->rows[worst].is_refused)
            continue;
        for (int before = acting++; before != acting && acting > 0; seek(limits, acting)) {
            before = acting;
            acting = approach(limits, acting);
        }
        limits->rows[worst].is_refused = !(limits->rows[worst].impulse > 0);
    }
    for (int i = 0; i < acting; i++)
        for (int k = 0; k < tree->rates; k++)
            rates[k] += limits->rows[limits->acting[i]].impulse *
                        limits->rows[limits->acting[i]].response[k];
}

double spatial_limits_solve(struct spatial_limits *limits, struct spatial_tree *tree,
                            const double *middle, double *rates)
{
    double work = 0;
    check(limits, tree);
    double *before = limits->before;
    for (int k = 0; k < tree->rates; k++)
        before[k] = rates[k];
    solve_rows(limits, tree, rates);
    for (int i = 0; i < limits->count; i++) {
        const struct spatial_limit *row = &limits->rows[i];
        double kick = spatial_limits_rate(row, rates) - spatial_limits_rate(row, before);
        work += row->impulse * (spatial_limits_rate(row, middle) + kick / 2);
    }
    return work;
}

void spatial_limits_project(struct spatial_limits *limits, struct spatial_tree *tree, double *q,
                            double *way)
{
    for (int i = 0; i < PROJECTIONS_MAX; i++) {
        int kept = 0, passed = 0;
        measure(limits, tree, q);
        for (int k = 0; k < limits->count; k++) {
            passed += limits->rows[k].gap < -GAP_ROUNDING;
            if (limits->rows[k].gap < GAP_NEAR)
                keep(limits, &kept, k);
        }
        limits->count = kept;
        if (passed == 0)
            return;
        /* found as rates are: each gap is to open by what it lacks */
        double *step = limits->before;
        for (int k = 0; k < tree->rates; k++)
            step[k] = 0;
        for (int k = 0; k < kept; k++)
            limits->rows[k].bound = -limits->rows[k].gap;
        solve_rows(limits, tree, step);
        spatial_tree_advance(tree, q, step, 1, q);
        for (int k = 0; k < tree->rates; k++)
            way[k] += step[k];
    }
}
