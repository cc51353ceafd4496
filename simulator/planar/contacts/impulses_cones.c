/* See impulses.h. The laws as those of contacts in space, whose second tangent nothing moves. W is
 * factored as Y Y', island by island, by Cholesky's method with pivoting (Higham 2002, section
 * 10.3): contacts that say the same several times over, as those of stacks and of what lies flat,
 * leave few columns. */
#include "simulator/planar/contacts/impulses.h"

#include <math.h>

#include "common/error.h"

/* The residual at which a solution is one, m/s. */
#define ENOUGH_M_S 1e-8
/* Rows of W of which less than this share is left are sums of others. */
#define FACTORED 1e-11

static int take_memory(struct impulses *s)
{
    int rows = 3 * s->law_room;
    if (s->cone_laws >= s->law_room)
        return 0;
    s->left = arena_take(s->arena, (size_t)s->row_room, sizeof s->left[0]);
    s->place = arena_take(s->arena, (size_t)s->row_room, sizeof s->place[0]);
    s->member = arena_take(s->arena, (size_t)s->row_room, sizeof s->member[0]);
    if (s->arena->is_exhausted)
        return ERR_MEMORY;
    int status = s->cone_laws > 0
                     ? contact_solver_extend(&s->cones, s->law_room, rows, s->arena)
                     : contact_solver_create(&s->cones, s->law_room, rows, 2 * s->rates, s->arena);
    s->cone_laws = status == 0 ? s->law_room : s->cone_laws;
    return status;
}

/* The laws of the cones, and where rows of w are in them. */
static void list_laws(struct impulses *s)
{
    int row = 0;
    s->cones.count = s->count;
    for (int i = 0; i < s->count; i++) {
        const struct impulse_law *law = &s->laws[i];
        int size = law->has_friction ? 3 : 1;
        s->cones.laws[i] = (struct cone_law){.row = row,
                                             .size = size,
                                             .is_push_out = law->is_push_out,
                                             .bound = law->bound,
                                             .friction = law->friction};
        for (int k = 0; k < impulse_rows(law); k++)
            s->place[law->row + k] = row + k;
        row += size;
    }
    contact_solver_begin(&s->cones, row);
    for (int i = 0; i < row; i++)
        s->cones.free[i] = s->cones.impulse[i] = 0;
}

/* The rows of an island that impulses move; returns their number. */
static int list_members(struct impulses *s, int island)
{
    int count = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < impulse_rows(&s->laws[i]) && s->islands[i] == island; k++) {
            int row = s->laws[i].row + k;
            s->left[row] = s->inverse[row] != 0 ? s->w[row * s->stride + row] : 0;
            if (s->left[row] > 0)
                s->member[count++] = row;
        }
    return count;
}

/* Takes the row of which most is left from the members; -1: there is nothing left to factor. */
static int take_pivot(struct impulses *s, int *count)
{
    int place = -1;
    double most = FACTORED;
    for (int i = 0; i < *count; i++) {
        int row = s->member[i];
        double share = s->left[row] * s->inverse[row];
        if (share > most) {
            most = share;
            place = i;
        }
    }
    if (place < 0)
        return -1;
    int pivot = s->member[place];
    s->member[place] = s->member[--*count];
    return pivot;
}

/* The next column of an island whose columns begin at `from`. Of rows of which nothing is left but
 * rounding the column still has its share, which is a root of that: W would be off by 1e-7. */
static void add_column(struct impulses *s, int count, int pivot, int from, int column)
{
    double *top = contact_solver_row(&s->cones, s->place[pivot]);
    double root = top[column] = sqrt(s->left[pivot]), inverse = 1 / root;
    for (int i = 0; i < count; i++) {
        int row = s->member[i];
        double *y = contact_solver_row(&s->cones, s->place[row]),
               sum = s->w[pivot * s->stride + row];
        for (int k = from; k < column; k++)
            sum -= y[k] * top[k];
        y[column] = sum * inverse;
        s->left[row] -= y[column] * y[column];
    }
}

static void factor(struct impulses *s)
{
    int column = 0;
    for (int island = 0; island < s->count; island++) {
        int from = column, pivot;
        if (s->islands[island] != island)
            continue;
        int count = list_members(s, island), left = count;
        while (column < s->cones.columns && (pivot = take_pivot(s, &left)) >= 0)
            add_column(s, left, pivot, from, column++);
        s->work += (uint64_t)count * (uint64_t)((column - from) * (column - from));
        for (int i = island; i < s->count; i++)
            if (s->islands[i] == island) {
                s->cones.laws[i].from = from;
                s->cones.laws[i].to = column;
            }
        column += (column - from) & 1;
    }
}

double impulses_solve_cones(struct impulses *s)
{
    if (take_memory(s) != 0)
        return HUGE_VAL;
    impulses_find_islands(s, 0);
    list_laws(s);
    factor(s);
    for (int row = 0; row < s->rows; row++) {
        s->cones.free[s->place[row]] = s->free[row];
        s->cones.impulse[s->place[row]] = s->held[row];
    }
    s->cones.enough = ENOUGH_M_S;
    contact_solver_solve(&s->cones);
    for (int row = 0; row < s->stride; row++)
        s->impulse[row] = row < s->rows ? s->cones.impulse[s->place[row]] : 0;
    for (int i = 0; i < s->count; i++) {
        s->laws[i].bound = s->cones.laws[i].bound;
        s->laws[i].is_push_out = s->cones.laws[i].is_push_out;
    }
    impulses_set_velocities(s);
    s->work += s->cones.work;
    s->cones.work = 0;
    return s->cones.residual;
}
