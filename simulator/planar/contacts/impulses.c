/* See impulses.h. Typical: 1 to 6 contacts, 2 to 12 rows; in two of three solves the same contacts
 * press, stick and slide as a step ago, so the first guess mostly holds. Six guesses solve 91 % of
 * the systems of C12 on land and 97 % of C5's. Of the others three rounds of sweeps and guesses,
 * each from where the one before ended, leave 2.2 and 0.6 % to the cones. A solution by cones costs
 * as much as sixty guesses.
 *
 * Tried and lost: more guesses, or one change of state at a time after the third (1.4 % at most);
 * guesses of proximal problems instead of cones (1.5 to 3 times the cost, half of the hard systems
 * stay unsolved); more rounds (2 % of C12's systems stay unsolved after ten); more sweeps in a
 * round, with momentum or without (they come nearer to impulses that redundant contacts share, and
 * fewer guesses hold). Sweeps change all impulses at once: sweeps that change one after the other
 * leave a tenth less unsolved, but have an order, and so had the pivots of Lemke's method: mirror
 * images drift apart. */
#include "simulator/planar/contacts/impulses.h"

#include <math.h>

#include "common/error.h"
#include "common/math/detmath.h"
#include "common/math/pair.h"

/* Unknowns of the direct solver at most, and numbers in a line of its system. */
#define DIRECT_MAX 48
#define LINE       (DIRECT_MAX + 2)
/* Guesses at first, then in each round, and rounds of sweeps and guesses, at most. */
#define GUESSES_FIRST 6
#define GUESSES_MORE  2
#define ROUNDS        3
/* Up to this many unknowns are solved for without pivoting, if no pivot is smaller than that. */
#define FEW_MAX   8
#define PIVOT_MIN 1e-5
/* Rows that say the same (two feet of one rigid part that stick) share the impulse: their diagonal
 * is raised by this share, which costs as much accuracy. */
#define REDUNDANCY 1e-9
/* A velocity may miss its law by the first, plus the error of REDUNDANCY; by the second at most. */
#define LAW_MISS_MAX_M_S 1e-5
/* Operations for each element of W. */
#define ROW_PAIR_WORK 12
/* Sweeps stop when no velocity changes by more than the first, m/s. If one still changes by the
 * second, the sweeps have found no solution. */
#define SWEEP_TOLERANCE_M_S 1e-8
#define WEDGED_M_S          1e-3
#define SWEEP_SHARE         1.8
/* Sweeps before the guesses of a round. */
#define FEW_SWEEPS 4

/* Where a contact stands in the guess. Without friction OPEN or STICK (pressing). */
enum { OPEN, STICK, SLIDE };

int impulses_create(struct impulses *s, int laws, int rows, int rates, int sweeps,
                    struct arena *arena)
{
    *s = (struct impulses){.sweeps = sweeps, .rates = rates, .arena = arena};
    s->system = arena_take(arena, DIRECT_MAX * LINE, sizeof(double));
    s->lines = arena_take(arena, DIRECT_MAX, sizeof s->lines[0]);
    return impulses_extend(s, 0, 0, laws, rows);
}

int impulses_extend(struct impulses *s, int laws_used, int rows_used, int laws, int rows)
{
    size_t even = (size_t)(rows + 1) & ~(size_t)1;
    struct impulses with = *s;
    with.laws = arena_extend(s->arena, s->laws, (size_t)laws_used, (size_t)laws, sizeof s->laws[0]);
    with.free = arena_extend(s->arena, s->free, (size_t)rows_used, even, sizeof(double));
    with.w = arena_take(s->arena, even * even, sizeof(double));
    with.inverse = arena_take(s->arena, even, sizeof(double));
    with.impulse = arena_take(s->arena, even, sizeof(double));
    with.velocity = arena_take(s->arena, even, sizeof(double));
    with.held = arena_take(s->arena, even, sizeof(double));
    with.unknown = arena_take(s->arena, even, sizeof(int));
    with.coupled = arena_take(s->arena, even, sizeof(double));
    with.share = arena_take(s->arena, even, sizeof(double));
    with.islands = arena_take(s->arena, (size_t)laws, sizeof s->islands[0]);
    if (s->arena->is_exhausted)
        return ERR_MEMORY;
    with.law_room = laws;
    with.row_room = rows;
    *s = with;
    return 0;
}

void impulses_begin(struct impulses *s, int rows)
{
    s->rows = rows;
    s->stride = (rows + 1) & ~1;
    s->work += (uint64_t)(ROW_PAIR_WORK * s->stride * s->stride);
    if (s->stride == rows)
        return;
    for (int i = 0; i < rows; i++)
        s->w[i * s->stride + rows] = 0;
    s->free[rows] = s->impulse[rows] = 0;
}

/* to += factor * line, `width` numbers, which is even, both from an even place on: lines begin at
 * 16 bytes. */
static inline void add_line(double *to_line, double factor, const double *from_line, int width)
{
    pair_aligned *to = (pair_aligned *)to_line;
    const pair_aligned *line = (const pair_aligned *)from_line;
    const pair f = pair_of(factor);
    int j = 0, halves = width / 2;
    for (; j + 1 < halves; j += 2) {
        to[j] += f * line[j];
        to[j + 1] += f * line[j + 1];
    }
    if (j < halves)
        to[j] += f * line[j];
}

/* Four velocities at a time, which stay in registers while the impulses go by. */
void impulses_set_velocities(struct impulses *s)
{
    const double *free = s->free, *impulse = s->impulse;
    int rows = s->rows, stride = s->stride;
    for (int j = 0; j < stride; j += 4) {
        /* the second two are the first ones again where there are only two */
        int k = j + 2 < stride ? j + 2 : j;
        const double *w = s->w;
        pair first = PAIR(free, j), second = PAIR(free, k);
        for (int i = 0; i < rows; i++, w += stride) {
            pair f = pair_of(impulse[i]);
            first += f * *(const pair_aligned *)(w + j);
            second += f * *(const pair_aligned *)(w + k);
        }
        PAIR(s->velocity, j) = first;
        PAIR(s->velocity, k) = second;
    }
}

/* How far a velocity may miss its law. */
static inline double contact_law_miss(const struct impulses *s, int row)
{
    double given = s->impulse[row] * s->w[row * s->stride + row];
    double miss = IMPULSES_ENOUGH_M_S + 2 * REDUNDANCY * fabs(given);
    return miss < LAW_MISS_MAX_M_S ? miss : LAW_MISS_MAX_M_S;
}

static int are_coupled(const struct impulses *s, const struct impulse_law *a,
                       const struct impulse_law *b)
{
    for (int i = a->row; i < a->row + impulse_rows(a); i++)
        for (int j = b->row; j < b->row + impulse_rows(b); j++)
            if (s->w[i * s->stride + j] != 0)
                return 1;
    return 0;
}

void impulses_find_islands(struct impulses *s, int are_pressing)
{
    int *island = s->islands;
    for (int i = 0; i < s->count; i++) {
        island[i] = i;
        for (int j = i - 1; j >= 0; j--) {
            int from = island[i], to = island[j];
            if (from == to || (are_pressing && (s->impulse[s->laws[i].row] <= 0 ||
                                                s->impulse[s->laws[j].row] <= 0)))
                continue;
            if (!are_coupled(s, &s->laws[i], &s->laws[j]))
                continue;
            int low = from < to ? from : to, high = from + to - low;
            for (int k = 0; k <= i; k++)
                island[k] = island[k] == high ? low : island[k];
        }
    }
}

/* ---------------------------------------------------------------- guesses */

/* The guess that belongs to the impulses that stand. */
static void guess_states(struct impulses *s)
{
    for (int i = 0; i < s->count; i++) {
        struct impulse_law *c = &s->laws[i];
        double normal = s->impulse[c->row];
        c->state = normal > 0 && c->bound > -HUGE_VAL ? STICK : OPEN;
        c->has_turned = 0;
        if (!c->has_friction || c->state == OPEN)
            continue;
        double tangent = s->impulse[c->row + 1];
        if (fabs(tangent) >= c->friction * normal * (1 - 1e-9)) {
            c->state = SLIDE;
            c->slide = tangent < 0 ? -1 : 1;
        }
    }
}

/* Lists the impulses that the guess leaves open with the velocities that they shall give, and
 * returns how many: more than DIRECT_MAX if there are too many. A sliding contact's tangent impulse
 * is mu times its normal one. */
static int list_unknowns(struct impulses *s, double *target)
{
    int size = 0, *unknown = s->unknown;
    double *coupled = s->coupled;
    for (int i = 0; i < s->count; i++) {
        const struct impulse_law *c = &s->laws[i];
        if (c->state == OPEN)
            continue;
        if (size > DIRECT_MAX - 2)
            return DIRECT_MAX + 1;
        unknown[size] = c->row;
        target[size] = c->bound;
        coupled[size++] = c->state == SLIDE ? c->slide * c->friction : 0;
        if (c->state == STICK && c->has_friction) {
            unknown[size] = c->row + 1;
            target[size] = 0;
            coupled[size++] = 0;
        }
    }
    return size;
}

/* Each unknown's own row shall have its target's velocity, which is in the last column. */
static void fill_system(struct impulses *s, int size, int width, const double *target)
{
    const int *unknown = s->unknown;
    const double *coupled = s->coupled;
    for (int i = 0; i < size; i++) {
        int row = unknown[i];
        const double *w = s->w + row * s->stride;
        double *line = s->lines[i] = s->system + i * width;
        for (int j = 0; j < size; j++) {
            const double *at = w + unknown[j];
            line[j] = coupled[j] != 0 ? at[0] + coupled[j] * at[1] : at[0];
        }
        line[i] += REDUNDANCY * w[row];
        line[width - 1] = 0;
        line[size] = target[i] - s->free[row];
    }
}

/* The line from k on with the largest number in column k. */
static inline int find_pivot(double **lines, int k, int size)
{
    int pivot = k;
    double most = fabs(lines[k][k]);
    for (int i = k + 1; i < size; i++) {
        double other = fabs(lines[i][k]);
        if (other > most) {
            most = other;
            pivot = i;
        }
    }
    return pivot;
}

/* Gaussian elimination with partial pivoting. 0 if singular. */
static int eliminate(double **lines, int size, int width, double *solution)
{
    for (int k = 0; k < size; k++) {
        int pivot = find_pivot(lines, k, size), from = k & ~1;
        double *line = lines[pivot];
        if (fabs(line[k]) < 1e-30)
            return 0;
        lines[pivot] = lines[k];
        lines[k] = line;
        double inverse = 1 / line[k];
        for (int i = k + 1; i < size; i++) {
            double *other = lines[i], factor = other[k] * inverse;
            if (factor != 0)
                add_line(other + from, -factor, line + from, width - from);
        }
        line[k] = inverse;
    }
    for (int k = size - 1; k >= 0; k--) {
        const double *line = lines[k];
        double sum = line[size];
        for (int j = k + 1; j < size; j++)
            sum -= line[j] * solution[j];
        solution[k] = sum * line[k];
    }
    return 1;
}

/* Solves the system with few unknowns, without pivoting. 0 if a pivot is less than PIVOT_MIN
 * of its diagonal. */
__attribute__((always_inline)) static inline int solve_few(const struct impulses *s, int size,
                                                           double *solution)
{
    double m[FEW_MAX][FEW_MAX + 1];
    const int *unknown = s->unknown;
    const double *coupled = s->coupled;
    int next[FEW_MAX]; /* the coupled row; without one the row itself, times 0 */
    for (int j = 0; j < size; j++)
        next[j] = unknown[j] + (coupled[j] != 0);
    for (int i = 0; i < size; i++) {
        const double *w = s->w + unknown[i] * s->stride;
        for (int j = 0; j < size; j++)
            m[i][j] = w[unknown[j]] + coupled[j] * w[next[j]];
        m[i][i] += REDUNDANCY * w[unknown[i]];
        m[i][size] = solution[i] - s->free[unknown[i]];
    }
    for (int k = 0; k < size; k++) {
        if (!(m[k][k] > PIVOT_MIN * s->w[unknown[k] * s->stride + unknown[k]]))
            return 0;
        double inverse = m[k][k] = 1 / m[k][k];
        for (int i = k + 1; i < size; i++) {
            double factor = m[i][k] * inverse;
            for (int j = k + 1; j <= size; j++)
                m[i][j] -= factor * m[k][j];
        }
    }
    for (int k = size - 1; k >= 0; k--) {
        double sum = m[k][size];
        for (int j = k + 1; j < size; j++)
            sum -= m[k][j] * solution[j];
        solution[k] = sum * m[k][k];
    }
    return 1;
}

/* For each number of unknowns its own code, without loops. */
static int solve_system(struct impulses *s, int size, double *solution)
{
#define SOLVE(n)                                                                                   \
    case n:                                                                                        \
        return solve_few(s, n, solution);
    switch (size) {
    case 0:
        return 1;
        SOLVE(1)
        SOLVE(2)
        SOLVE(3)
        SOLVE(4)
        SOLVE(5)
        SOLVE(6)
        SOLVE(7)
        SOLVE(8)
    default:
        return 0;
    }
#undef SOLVE
}

/* Solves the system with pivoting and any number of unknowns. */
static int solve_many(struct impulses *s, int size, double *solution)
{
    int width = (size + 2) & ~1;
    fill_system(s, size, width, solution);
    return eliminate(s->lines, size, width, solution);
}

/* Impulses that make the guess true; 0 if there are none, or too many unknowns. */
static int solve_guess(struct impulses *s)
{
    double solution[DIRECT_MAX];
    int size = list_unknowns(s, solution);
    s->work += (uint64_t)(size * size * size + s->stride * s->stride);
    if (size > DIRECT_MAX || (!solve_system(s, size, solution) && !solve_many(s, size, solution)))
        return 0;
    const int *unknown = s->unknown;
    const double *coupled = s->coupled;
    double *impulse = s->impulse;
    for (int i = 0, stride = s->stride; i < stride; i += 2)
        PAIR(impulse, i) = pair_of(0);
    for (int i = 0; i < size; i++) {
        int row = unknown[i];
        impulse[row] = solution[i];
        if (coupled[i] != 0)
            impulse[row + 1] = coupled[i] * solution[i];
    }
    return 1;
}

/* Compares impulses and velocities with the laws and changes the states that break them; returns
 * how many did. */
static int mend_states(struct impulses *s)
{
    int broken = 0;
    for (int i = 0; i < s->count; i++) {
        struct impulse_law *c = &s->laws[i];
        int n = c->row, state = c->state;
        if (state == OPEN) {
            if (s->velocity[n] < c->bound - IMPULSES_ENOUGH_M_S)
                c->state = STICK;
        } else if (s->impulse[n] < 0) {
            c->state = OPEN;
        } else if (!c->has_friction) {
            continue;
        } else if (state == STICK) {
            double tangent = s->impulse[n + 1];
            if (fabs(tangent) > c->friction * s->impulse[n] * (1 + 1e-9)) {
                c->state = SLIDE;
                c->slide = tangent < 0 ? -1 : 1;
            }
        } else if (c->friction > 0 && c->slide * s->velocity[n + 1] > IMPULSES_ENOUGH_M_S) {
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

/* 0 if rows contradict one another: a pressing row does not reach its bound. */
static int is_reached(const struct impulses *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct impulse_law *c = &s->laws[i];
        if (c->state != OPEN && fabs(s->velocity[c->row] - c->bound) > contact_law_miss(s, c->row))
            return 0;
    }
    return 1;
}

/* 1 if a guess was found that holds: the impulses are then exact. */
static int solve_directly(struct impulses *s, int guesses)
{
    guess_states(s);
    for (int i = 0; i < guesses; i++) {
        if (!solve_guess(s))
            return 0;
        impulses_set_velocities(s);
        if (mend_states(s) == 0)
            return is_reached(s);
    }
    return 0;
}

double impulses_miss(const struct impulses *s, int i)
{
    const struct impulse_law *law = &s->laws[i];
    double apart = s->velocity[law->row] - law->bound;
    if (s->is_exact || s->inverse[law->row] == 0 || (apart > 0 && s->impulse[law->row] <= 0))
        return 0;
    return fabs(apart);
}

/* Whether velocities and impulses obey a law, but for rounding. */
static int is_lawful(const struct impulses *s, const struct impulse_law *law)
{
    int n = law->row, t = n + 1;
    double apart = s->velocity[n] - law->bound, miss = contact_law_miss(s, n);
    if (apart < -miss || (s->impulse[n] > 0 && apart > miss))
        return 0;
    if (!law->has_friction || fabs(s->velocity[t]) <= contact_law_miss(s, t))
        return 1;
    double most = law->friction * s->impulse[n];
    return fabs(s->impulse[t] + (s->velocity[t] > 0 ? most : -most)) <= 1e-6 * most;
}

static int are_lawful(const struct impulses *s)
{
    for (int i = 0; i < s->count; i++) {
        const struct impulse_law *law = &s->laws[i];
        int is_mobile =
            s->inverse[law->row] != 0 && (!law->has_friction || s->inverse[law->row + 1] != 0);
        if (is_mobile && !is_lawful(s, law))
            return 0;
    }
    return 1;
}

/* ---------------------------------------------------------------- sweeps */

/* The share of each row's miss by which a sweep changes its impulse: with less than 2 of the row's sum
 * sweeps of contacts without friction end. */
static void set_shares(struct impulses *s)
{
    for (int i = 0; i < s->rows; i++) {
        const double *w = s->w + i * s->stride;
        double sum = 0;
        for (int k = 0; k < s->rows; k++)
            sum += fabs(w[k]);
        s->share[i] = s->inverse[i] != 0 ? SWEEP_SHARE / sum : 0;
    }
}

/* Changes one impulse; returns by how much that changes its own velocity. */
static double change_impulse(struct impulses *s, int row, double to)
{
    double change = to - s->impulse[row];
    s->impulse[row] = to;
    return fabs(change * s->w[row * s->stride + row]);
}

/* Moves all impulses at once towards their laws, from velocities that are theirs; returns the
 * largest change of a velocity by its own impulse. */
static double sweep(struct impulses *s)
{
    double largest = 0;
    s->work += (uint64_t)(2 * s->stride * s->stride);
    for (int i = 0; i < s->count; i++) {
        const struct impulse_law *c = &s->laws[i];
        int n = c->row, t = n + 1;
        double to = s->impulse[n] + (c->bound - s->velocity[n]) * s->share[n];
        largest = det_max(largest, change_impulse(s, n, to > 0 ? to : 0));
        if (!c->has_friction)
            continue;
        double most = c->friction * s->impulse[n];
        to = s->impulse[t] - s->velocity[t] * s->share[t];
        to = to > most ? most : to < -most ? -most : to;
        largest = det_max(largest, change_impulse(s, t, to));
    }
    impulses_set_velocities(s);
    return largest;
}

/* Sweeps from the impulses that stand until nothing changes, so many times at most; returns the last
 * change, m/s. */
static double sweep_impulses(struct impulses *s, int most)
{
    double change = HUGE_VAL;
    impulses_set_velocities(s);
    for (int i = 0; i < most && !(change < SWEEP_TOLERANCE_M_S); i++)
        change = sweep(s);
    return change;
}

/* ---------------------------------------------------------------- solving */

static void take_held(struct impulses *s)
{
    for (int i = 0; i < s->stride; i++)
        s->impulse[i] = s->held[i];
}

void impulses_solve(struct impulses *s)
{
    for (int i = 0; i < s->stride; i++)
        s->held[i] = s->impulse[i];
    s->is_exact = 1;
    if (solve_directly(s, GUESSES_FIRST))
        return;
    take_held(s);
    set_shares(s);
    for (int i = 0; i < ROUNDS; i++) {
        sweep_impulses(s, FEW_SWEEPS);
        if (solve_directly(s, GUESSES_MORE))
            return;
    }
    double residual = impulses_solve_cones(s);
    s->is_exact = are_lawful(s);
    if (residual < WEDGED_M_S)
        return;
    take_held(s);
    if (sweep_impulses(s, s->sweeps) < WEDGED_M_S)
        return;
    for (int i = 0; i < s->stride; i++)
        s->impulse[i] = 0;
    sweep_impulses(s, s->sweeps);
}
