/* See contact_solver.h. Typical: 4 to 24 contacts, 12 to 72 rows, 16 columns. The contacts that pressed
 * before solve many problems, and a sweep one contact alone; a body that lies flat on the ground,
 * whose corners say the same several times over, takes some three systems of equations
 * (contact_solver_newton.c, contact_solver_system.c).
 *
 * Nothing depends on the order of laws, but for rounding: a body that is its own mirror image stays
 * so. Sweeps of Gauss-Seidel, which solve one law after the other, solved more problems alone; but
 * their errors in loads that several contacts share favour the first ones, step by step: a body
 * that walks straight leaves its line. */
#include "simulator/contact/contact_solver_private.h"

#include "common/error.h"

/* The default of cones.enough, m/s. */
#define ENOUGH_M_S 5e-6
/* This share of a block's diagonal is added to it. So it is not singular where a contact cannot
 * move in all directions. */
#define REDUNDANCY 1e-12
/* The search for the direction in which a contact slides. */
#define SLIDE_STEPS_MAX 60
#define SLIDE_TOLERANCE 1e-10
/* Sweeps before the first round of proximal steps, where few laws press: others are hardly ever
 * solved by it. Laws that are solved already are swept, too: a body at rest would keep what it
 * misses as a velocity, and sink. Before each of the other rounds; rounds at most. */
#define SWEEPS_FIRST 1
#define SWEEPS_LAWS  2
#define SWEEPS_MORE  4
#define ROUNDS_MAX   30
/* Rounds where something is to be pushed out: an impossible system is not solved by any number, and
 * stop_push_outs() is next. */
#define ROUNDS_PUSH_OUT 2
/* Proximal steps: the weight at first and at least as shares of the mean diagonal of W, what it is
 * multiplied by when a step has ended and when it has not, and their number at most in a round. The
 * weight has no upper bound: where friction couples many contacts Newton's method may end only from
 * ten or a hundred times the mean diagonal on. */
#define PROXIMAL_FIRST 3e-3
#define PROXIMAL_LEAST 1e-7
#define PROXIMAL_FALL  0.3
#define PROXIMAL_RISE  10
#define PROXIMAL_MAX   12
/* A step that leaves this share of what was missing is stuck. So many of them end the search. */
#define STUCK_SHARE 0.9
#define STUCK_STEPS 3
/* Steps that take no new system, at most, while each leaves this share of what was missing at most;
 * and the share of what may be missing that ends them. */
#define REPEATS_MAX  6
#define REPEAT_SHARE 0.1
#define REPEATED     0.1

int contact_solver_create(struct contact_solver *s, int laws, int rows, int columns,
                          struct arena *arena)
{
    size_t width = (size_t)quad_width(0, columns + 4), side = (size_t)block_width(columns + 1);
    *s = (struct contact_solver){.enough = ENOUGH_M_S, .columns = columns};
    s->stride = (int)width;
    s->side = block_width(columns + 1);
    double **of_columns[] = {&s->whole, &s->right, &s->shares};
    for (size_t i = 0; i < sizeof of_columns / sizeof of_columns[0]; i++)
        *of_columns[i] = arena_take(arena, width, sizeof(double));
    s->reached = arena_take(arena, side, sizeof s->reached[0]);
    s->pivots = arena_take(arena, side, sizeof s->pivots[0]);
    /* the last line's quads reach beyond it */
    s->system = arena_take(arena, side * side + BLOCK, sizeof(double));
    s->factors = arena_take(arena, side * side, sizeof(double));
    return contact_solver_extend(s, laws, rows, arena);
}

int contact_solver_extend(struct contact_solver *s, int laws, int rows, struct arena *arena)
{
    size_t n = (size_t)rows, width = (size_t)s->stride, side = (size_t)s->side;
    struct contact_solver with = *s;
    double **of_rows[] = {&with.free, &with.impulse, &with.velocity, &with.best, &with.centre};
    for (size_t i = 0; i < sizeof of_rows / sizeof of_rows[0]; i++)
        *of_rows[i] = arena_take(arena, n, sizeof(double));
    with.laws = arena_take(arena, (size_t)laws, sizeof s->laws[0]);
    with.blocks = arena_take(arena, (size_t)laws, sizeof s->blocks[0]);
    with.yields = arena_take(arena, (size_t)laws, sizeof s->yields[0]);
    with.yields_next = arena_take(arena, (size_t)laws, sizeof s->yields[0]);
    with.order = arena_take(arena, (size_t)laws, sizeof s->order[0]);
    with.y = arena_take(arena, n * width + side, sizeof(double));
    with.lines = arena_take(arena, n, sizeof s->lines[0]);
    with.slips = arena_take(arena, n * width + side, sizeof(double));
    if (arena->is_exhausted)
        return ERR_MEMORY;
    *s = with;
    return 0;
}

void contact_solver_begin(struct contact_solver *s, int rows)
{
    double *y = s->y;
    s->rows = rows;
    for (int i = 0, end = rows * s->stride; i < end; i += 4)
        QUAD(y, i) = (quad){0};
    /* columns of no group stay as they are */
    for (int i = 0; i < s->stride; i++)
        s->whole[i] = 0;
}

/* ---------------------------------------------------------------- rows and columns */

static void set_law_velocity(struct contact_solver *s, const struct cone_law *c)
{
    double by[3];
    const double *free = s->free + c->row;
    double *v = s->velocity + c->row;
    multiply_law(s, c, s->whole, by);
    v[0] = free[0] + by[0];
    if (c->size == 1)
        return;
    v[1] = free[1] + by[1];
    v[2] = free[2] + by[2];
}

/* Sets the velocities of the group's laws from their impulses. */
static void set_velocities(struct contact_solver *s)
{
    clear_columns(s, s->whole);
    for (int i = 0; i < s->group.count; i++)
        add_law(s, law_of(s, i), s->impulse + law_of(s, i)->row, s->whole);
    for (int i = 0; i < s->group.count; i++)
        set_law_velocity(s, law_of(s, i));
}

static void set_block(struct contact_solver *s, int law)
{
    const struct cone_law *c = &s->laws[law];
    const double *y = contact_solver_row(s, c->row) + c->from, *y1 = y + s->stride,
                 *y2 = y1 + s->stride;
    int width = even_width(c->from, c->to);
    pair nn = {0, 0}, n1 = {0, 0}, n2 = {0, 0}, aa = {0, 0}, ab = {0, 0}, bb = {0, 0};
    for (int k = 0; k < width && c->size == 1; k += 2)
        nn += PAIR(y, k) * PAIR(y, k);
    for (int k = 0; k < width && c->size == 3; k += 2) {
        pair n = PAIR(y, k), a = PAIR(y1, k), b = PAIR(y2, k);
        nn += n * n;
        n1 += n * a;
        n2 += n * b;
        aa += a * a;
        ab += a * b;
        bb += b * b;
    }
    s->blocks[law] = (struct cone_block){pair_sum(nn), pair_sum(n1), pair_sum(n2),
                                         pair_sum(aa), pair_sum(ab), pair_sum(bb)};
}

/* ---------------------------------------------------------------- the residual */

/* The laws as projections: l = P(l - v / w), whatever w > 0 is. The missing impulse, times w, is a
 * velocity. */
double contact_solver_miss(const struct contact_solver *s, int law)
{
    const struct cone_law *c = &s->laws[law];
    const struct cone_block *b = &s->blocks[law];
    const double *l = s->impulse + c->row, *v = s->velocity + c->row;
    if (is_inert(s, law))
        return 0;
    double weight = b->nn, apart = v[0] - c->bound;
    double normal = fabs(apart < weight * l[0] ? apart : weight * l[0]);
    if (c->size == 1 || !((weight = tangent_weight(b)) > 0))
        return normal;
    double x = weight * l[1] - v[1], y = weight * l[2] - v[2];
    double size = sqrt(x * x + y * y), most = weight * c->friction * (l[0] > 0 ? l[0] : 0);
    double share = size > most ? most / size : 1;
    double dx = weight * l[1] - share * x, dy = weight * l[2] - share * y;
    double tangent = sqrt(dx * dx + dy * dy);
    return normal > tangent ? normal : tangent;
}

/* The error of the worst law; the impulses are remembered if they are the best so far. */
static double judge(struct contact_solver *s)
{
    double residual = worst_miss(s);
    if (residual < s->best_residual) {
        s->best_residual = residual;
        for (int i = 0; i < s->group.count; i++)
            for (int k = law_of(s, i)->row; k < law_of(s, i)->row + law_of(s, i)->size; k++)
                s->best[k] = s->impulse[k];
    }
    return residual;
}

/* ---------------------------------------------------------------- one contact */

/* The impulses l with W l = right, if the tangents slide by -hold lt. */
static inline void solve_block(const struct cone_block *w, double hold, const double right[3],
                               double l[3])
{
    double a = w->a + hold, c = w->c + hold, inverse = 1 / (a * c - w->b * w->b);
    double x = (c * w->n1 - w->b * w->n2) * inverse, y = (a * w->n2 - w->b * w->n1) * inverse;
    l[0] = (right[0] - x * right[1] - y * right[2]) / (w->nn - w->n1 * x - w->n2 * y);
    l[1] = (c * right[1] - w->b * right[2]) * inverse - x * l[0];
    l[2] = (a * right[2] - w->b * right[1]) * inverse - y * l[0];
}

/* A contact that slides has vt = -hold lt with hold > 0 and |lt| = mu ln. |lt| - mu ln is positive
 * where it would stick, at hold = 0, and negative without friction, where hold is endless: a root
 * lies between. Newton's steps, kept between what has been seen. */
static void solve_sliding(const struct cone_block *w, const double right[3], double friction,
                          double *start, double l[3])
{
    double low = 0, high = HUGE_VAL, hold = *start, size = 0;
    for (int i = 0; i < SLIDE_STEPS_MAX; i++) {
        double change[3];
        solve_block(w, hold, right, l);
        size = sqrt(l[1] * l[1] + l[2] * l[2]);
        double over = size - friction * l[0];
        if (fabs(over) <= SLIDE_TOLERANCE * size)
            break;
        if (over > 0)
            low = hold;
        else
            high = hold;
        const double pull[3] = {0, -l[1], -l[2]};
        solve_block(w, hold, pull, change);
        double slope = (l[1] * change[1] + l[2] * change[2]) / size - friction * change[0];
        double next = hold - over / slope;
        if (!(next > low && next < high))
            next = high < HUGE_VAL ? 0.5 * (low + high) : 2 * low + (w->a + w->c);
        if (next == hold)
            break;
        hold = next;
    }
    double most = friction * l[0], share = size > 0 ? most / size : 0;
    l[1] *= share;
    l[2] *= share;
    *start = hold;
}

void contact_solver_solve_one(const struct cone_block *w, const double free[3], double bound,
                              double friction, double *hold, double l[3])
{
    l[0] = l[1] = l[2] = 0;
    if (free[0] >= bound)
        return;
    if (friction == 0) {
        l[0] = (bound - free[0]) / w->nn;
        return;
    }
    double raised = REDUNDANCY * (w->nn + w->a + w->c);
    const struct cone_block block = {w->nn + raised, w->n1, w->n2,
                                     w->a + raised,  w->b,  w->c + raised};
    const double right[3] = {bound - free[0], -free[1], -free[2]};
    solve_block(&block, 0, right, l);
    if (l[0] > 0 && l[1] * l[1] + l[2] * l[2] <= friction * friction * l[0] * l[0])
        return;
    solve_sliding(&block, right, friction, hold, l);
}

/* ---------------------------------------------------------------- sweeps */

/* The impulse of a law for those of the others as they are, into s->centre; returns by how much
 * that changes its velocity. */
static double solve_law(struct contact_solver *s, int law)
{
    struct cone_law *c = &s->laws[law];
    const struct cone_block *b = &s->blocks[law];
    const double *l = s->impulse + c->row, *v = s->velocity + c->row;
    double free[3] = {v[0] - b->nn * l[0], 0, 0}, to[3], largest = 0;
    if (c->size == 3) {
        free[0] -= b->n1 * l[1] + b->n2 * l[2];
        free[1] = v[1] - (b->n1 * l[0] + b->a * l[1] + b->b * l[2]);
        free[2] = v[2] - (b->n2 * l[0] + b->b * l[1] + b->c * l[2]);
    }
    contact_solver_solve_one(b, free, c->bound, c->size == 3 ? c->friction : 0, &c->hold, to);
    const double weights[3] = {b->nn, b->a, b->c};
    for (int i = 0; i < c->size; i++) {
        double change = fabs((to[i] - l[i]) * weights[i]);
        s->centre[c->row + i] = to[i];
        largest = change > largest ? change : largest;
    }
    return largest;
}

/* Sweeps until one changes little. Each law is solved for what the others were, and all go the same
 * share of the way, of which one alone needs no more: their order does not matter. 1 if that solved
 * it. */
static int sweep(struct contact_solver *s, int sweeps)
{
    double share = 1.0 / s->group.count, largest = HUGE_VAL;
    for (int k = 0; k < sweeps && largest > s->enough; k++) {
        largest = 0;
        for (int i = 0; i < s->group.count; i++) {
            double change = solve_law(s, s->group.laws[i]);
            largest = change > largest ? change : largest;
        }
        for (int i = 0; i < s->group.count; i++)
            for (int r = law_of(s, i)->row; r < law_of(s, i)->row + law_of(s, i)->size; r++)
                s->impulse[r] += share * (s->centre[r] - s->impulse[r]);
        s->work += (uint64_t)(s->group.count * (6 * (s->group.to - s->group.from) + 60));
        set_velocities(s);
    }
    return judge(s) <= s->enough;
}

/* ---------------------------------------------------------------- proximal steps */

/* Puts impulses onto their cones, which Newton's method leaves by rounding. */
static void put_on_cones(struct contact_solver *s)
{
    for (int i = 0; i < s->group.count; i++) {
        const struct cone_law *c = law_of(s, i);
        double *l = s->impulse + c->row;
        if (!(l[0] > 0)) {
            for (int k = 0; k < c->size; k++)
                l[k] = 0;
            continue;
        }
        if (c->size == 1)
            continue;
        double size = sqrt(l[1] * l[1] + l[2] * l[2]), most = c->friction * l[0];
        double share = size > most ? most / size : 1;
        l[1] *= share;
        l[2] *= share;
    }
}

static double mean_weight(const struct contact_solver *s)
{
    double sum = 0;
    int rows = 0;
    for (int i = 0; i < s->group.count; i++) {
        const struct cone_block *b = &s->blocks[s->group.laws[i]];
        sum += b->nn;
        if (law_of(s, i)->size == 3)
            sum += b->a + b->c;
        rows += law_of(s, i)->size;
    }
    return rows > 0 ? sum / rows : 0;
}

/* Impulses of the group: what was best, or 0. */
static void put_impulses(struct contact_solver *s, const double *from)
{
    for (int i = 0; i < s->group.count; i++)
        for (int k = law_of(s, i)->row; k < law_of(s, i)->row + law_of(s, i)->size; k++)
            s->impulse[k] = from ? from[k] : 0;
    set_velocities(s);
}

/* Proximal steps with the system that there is, as long as each comes much nearer. 1 if that solved
 * it. */
static int repeat(struct contact_solver *s, double weight)
{
    double now = judge(s), before = HUGE_VAL;
    for (int k = 0; k < REPEATS_MAX && now > REPEATED * s->enough && now <= REPEAT_SHARE * before;
         k++) {
        before = now;
        contact_solver_repeat_proximal(s, weight);
        put_on_cones(s);
        set_velocities(s);
        now = judge(s);
    }
    if (now <= before)
        return now <= s->enough;
    put_impulses(s, s->centre);
    return before <= s->enough;
}

/* Proximal steps until one does not end. Loads that redundant contacts share shift by what is
 * missing / weight in each, so that the weight falls. 1 if that solved it. `stuck` counts steps,
 * one after another, that ended and left as much missing as the step before. Contacts that contradict
 * one another do so, as those of a body that is wedged in itself: their impulses grow without
 * end. */
static int solve_round(struct contact_solver *s, double mean, double *weight, int *stuck)
{
    double before = HUGE_VAL;
    for (int k = 0; k < PROXIMAL_MAX && *stuck < STUCK_STEPS; k++) {
        int has_ended = contact_solver_solve_proximal(s, *weight);
        put_on_cones(s);
        set_velocities(s);
        if (has_ended ? repeat(s, *weight) : judge(s) <= s->enough)
            return 1;
        double now = worst_miss(s);
        *stuck = has_ended && now > STUCK_SHARE * before ? *stuck + 1 : 0;
        before = now;
        *weight *= has_ended ? PROXIMAL_FALL : PROXIMAL_RISE;
        *weight = *weight > PROXIMAL_LEAST * mean ? *weight : PROXIMAL_LEAST * mean;
        if (!has_ended)
            break;
    }
    if (!(worst_miss(s) < HUGE_VAL))
        put_impulses(s, s->best);
    return 0;
}

/* ---------------------------------------------------------------- solving */

static int comes_before(const struct cone_law *a, const struct cone_law *b)
{
    return a->is_idle != b->is_idle ? b->is_idle : a->to > b->to;
}

/* Those that are awake come first, of them those that reach farthest. */
static void sort_group(struct contact_solver *s)
{
    struct cone_group *g = &s->group;
    int *order = g->laws;
    for (int i = 1; i < g->all; i++) {
        int law = order[i], k = i;
        for (; k > 0 && comes_before(&s->laws[law], &s->laws[order[k - 1]]); k--)
            order[k] = order[k - 1];
        order[k] = law;
    }
    g->count = 0;
    while (g->count < g->all && !law_of(s, g->count)->is_idle)
        g->count++;
}

static int rounds_of(const struct contact_solver *s)
{
    for (int i = 0; i < s->group.count; i++)
        if (law_of(s, i)->is_push_out || law_of(s, i)->bound > 0)
            return ROUNDS_PUSH_OUT;
    return ROUNDS_MAX;
}

/* The laws that are awake; their velocities are known. */
static int solve_awake(struct contact_solver *s)
{
    int is_near = worst_miss(s) <= s->enough;
    int first = s->group.count <= SWEEPS_LAWS || is_near ? SWEEPS_FIRST : 0;
    double mean = mean_weight(s), weight = PROXIMAL_FIRST * mean;
    int rounds = rounds_of(s), stuck = 0;
    s->best_residual = s->group.count > 0 ? HUGE_VAL : 0;
    for (int k = 0; k < rounds && s->best_residual > s->enough && stuck < STUCK_STEPS; k++)
        if (sweep(s, k > 0 ? SWEEPS_MORE : first) || solve_round(s, mean, &weight, &stuck))
            return 1;
    put_impulses(s, s->best);
    return s->best_residual <= s->enough;
}

/* Laws that pressed on nothing are idle: they are solved for only when they would have to press.
 * Most near pairs do not touch, and a contact that did not press in the last step hardly ever
 * does. */
static void find_idle(struct contact_solver *s)
{
    struct cone_group *g = &s->group;
    g->count = g->all;
    set_velocities(s);
    for (int i = 0; i < g->all; i++)
        law_of(s, i)->is_idle = s->impulse[law_of(s, i)->row] == 0;
    sort_group(s);
}

/* 1 if there was one that would have to press. */
static int wake(struct contact_solver *s)
{
    struct cone_group *g = &s->group;
    int has_woken = 0;
    for (int i = g->count; i < g->all; i++) {
        set_law_velocity(s, law_of(s, i));
        double miss = contact_solver_miss(s, g->laws[i]);
        if (miss > s->enough) {
            has_woken = 1;
            law_of(s, i)->is_idle = 0;
        } else if (miss > s->best_residual) {
            s->best_residual = miss;
        }
    }
    if (has_woken)
        sort_group(s);
    return has_woken;
}

static int solve(struct contact_solver *s)
{
    int is_solved;
    find_idle(s);
    do {
        is_solved = solve_awake(s);
    } while (wake(s));
    return is_solved;
}

/* Rows that cannot all be pushed out at once would load one another without end: then penetrations
 * are only kept from growing. So would what is wedged and is to rebound, which no impulse moves
 * that way. */
static int stop_push_outs(struct contact_solver *s)
{
    int has_stopped = 0;
    for (int i = 0; i < s->group.all; i++) {
        struct cone_law *c = law_of(s, i);
        has_stopped |= c->is_push_out || c->bound > 0;
        c->bound = c->bound > 0 ? 0 : c->bound;
        c->is_push_out = 0;
    }
    return has_stopped;
}

static void solve_group(struct contact_solver *s)
{
    for (int i = 0; i < s->group.all; i++)
        for (int k = 0; k < law_of(s, i)->size && is_inert(s, s->group.laws[i]); k++)
            s->impulse[law_of(s, i)->row + k] = 0;
    if (!solve(s) && stop_push_outs(s)) {
        put_impulses(s, NULL);
        solve(s);
    }
    if (!(s->best_residual <= s->residual))
        s->residual = s->best_residual;
}

/* The laws by their first column, of them those first that reach farthest; from the last law on, as
 * that is how most reach. */
static void sort_laws(struct contact_solver *s)
{
    for (int i = s->count - 1; i >= 0; i--) {
        const struct cone_law *c = &s->laws[i], *before;
        int k = s->count - 1 - i;
        for (; k > 0 && (before = &s->laws[s->order[k - 1]])->from >= c->from; k--) {
            if (before->from == c->from && before->to > c->to)
                break;
            s->order[k] = s->order[k - 1];
        }
        s->order[k] = i;
    }
}

/* Takes the laws from `first` on, in their order, that share columns one with another. */
static void take_group(struct contact_solver *s, int first)
{
    struct cone_group *g = &s->group;
    const struct cone_law *c = &s->laws[s->order[first]];
    *g = (struct cone_group){.laws = s->order + first, .from = c->from, .to = c->to};
    while (first + ++g->all < s->count) {
        c = &s->laws[g->laws[g->all]];
        if (c->from >= g->to)
            break;
        g->to = c->to > g->to ? c->to : g->to;
    }
    for (int i = 0; i < g->all; i++)
        law_of(s, i)->is_idle = 0;
    sort_group(s);
}

/* Checks the caller's input. */
static void check(const struct contact_solver *s)
{
    ENSURE(s->count >= 0 && s->rows >= s->count, "%d laws of %d rows", s->count, s->rows);
    ENSURE(s->columns >= 0 && s->stride >= s->columns, "%d columns, %d apart", s->columns,
           s->stride);
    ENSURE(s->enough > 0, "a residual of %g is enough", s->enough);
    for (int i = 0; i < s->count; i++) {
        const struct cone_law *c = &s->laws[i];
        ENSURE(c->size == 1 || c->size == 3, "law %d has %d rows", i, c->size);
        ENSURE(c->row >= 0 && c->row + c->size <= s->rows, "law %d: row %d of %d", i, c->row,
               s->rows);
        ENSURE(c->from >= 0 && c->to <= s->columns, "law %d: columns %d to %d of %d", i, c->from,
               c->to, s->columns);
        ENSURE(c->friction >= 0, "law %d: friction %g", i, c->friction);
    }
}

void contact_solver_set_velocities(struct contact_solver *s)
{
    sort_laws(s);
    for (int i = 0; i < s->count; i++)
        set_block(s, i);
    for (int i = 0; i < s->count; i += s->group.all) {
        take_group(s, i);
        set_velocities(s);
    }
}

void contact_solver_solve(struct contact_solver *s)
{
    CHECK_DEARLY(check(s));
    s->residual = 0;
    sort_laws(s);
    for (int i = 0; i < s->count; i++)
        set_block(s, i);
    for (int i = 0; i < s->count; i += s->group.all) {
        take_group(s, i);
        solve_group(s);
    }
    ENSURE(!(s->residual < 0), "a residual of %g", s->residual);
}
