/* See spatial_system.h: the equation of constraint forces.
 *
 * A touch that presses has its normal row, and the two across it where it sticks. Where it slides
 * the force goes along normal - friction x direction of sliding, which is not the row's own way:
 * the equations are not symmetric then.
 *
 * With W = J M^-1 G' of all rows, those of joints j are eliminated first, W_jj = L L': touches t
 * are left W_tt - (L^-1 W_jt)' (L^-1 W_jt). Touches may say the same several times over, joints do
 * not. */
#include "simulator/reference/spatial_system.h"

#include <math.h>

#include "common/error.h"
#include "common/math/islands.h"

/* Smaller entries count as 0 beside the first of the factor's diagonal. */
#define RANK_TOLERANCE 1e-12
/* The direction of sliding is smoothed by this share of the speed that counts as rest. */
#define SMOOTHING 1e-2
/* Closing loops: steps at most, the longest of one, m or rad, and what is closed, at once or where
 * steps get no nearer. */
#define CLOSE_STEPS  200
#define CLOSE_WAY    0.2
#define CLOSE_ENOUGH 1e-14
#define CLOSE_NEAR   1e-10
/* Operations of an evaluation for each row. */
enum { ROW_WORK = 400 };

/* ---------------------------------------------------------------- creation */

static double *take_numbers(struct arena *arena, int rows, int columns)
{
    return arena_take(arena, (size_t)rows * (size_t)columns, sizeof(double));
}

int spatial_equation_extend(struct spatial_constraint *c, int touches)
{
    ENSURE(touches >= 0, "room for %d touches", touches);
    ENSURE(c->count > 0 || c->rates == 0, "%d rates of %d bodies", c->rates, c->count);
    struct spatial_constraint with = *c;
    int joints = JOINT_ROWS_MAX * (c->count + c->loop_count), laws = 3 * touches;
    int all = joints + laws;
    int quadratures = c->rates + LOSSES + laws;
    with.along = take_numbers(c->arena, laws, joints);
    with.against = take_numbers(c->arena, laws, joints);
    with.w = take_numbers(c->arena, laws, laws);
    with.right = take_numbers(c->arena, laws, 1);
    with.pressing = take_numbers(c->arena, laws, 1);
    with.scale = take_numbers(c->arena, all, 1);
    with.lambda = take_numbers(c->arena, all, 1);
    with.reference = take_numbers(c->arena, all, 1);
    with.dy = take_numbers(c->arena, STATE_SIZE * c->count + quadratures, 1);
    with.touches = arena_take(c->arena, (size_t)touches, sizeof c->touches[0]);
    with.rows = arena_take(c->arena, (size_t)all, sizeof c->rows[0]);
    with.members = arena_take(c->arena, (size_t)laws, sizeof c->members[0]);
    if (qr_create(&with.qr, laws, laws, c->arena) != 0 ||
        dormand_prince_extend(&with.rk, quadratures, c->arena) != 0)
        return ERR_MEMORY;
    with.touch_room = touches;
    *c = with;
    return 0;
}

int spatial_equation_create(struct spatial_constraint *c)
{
    int joints = JOINT_ROWS_MAX * (c->count + c->loop_count);
    c->joints = take_numbers(c->arena, joints, joints);
    c->inverse = take_numbers(c->arena, joints, 1);
    c->first = arena_take(c->arena, (size_t)joints, sizeof c->first[0]);
    c->island = arena_take(c->arena, (size_t)c->count, sizeof c->island[0]);
    return c->arena->is_exhausted ? ERR_MEMORY : spatial_equation_extend(c, c->touch_room);
}

/* ---------------------------------------------------------------- rows of touches */

/* The direction of sliding: of the velocity, and past its end still the one at the start. */
static void find_sliding(const struct spatial_constraint *c, const struct touch *t, double *one,
                         double *two)
{
    double x = t->rows[1].rate, y = t->rows[2].rate;
    double way_x = vec3_dot(t->way, t->directions[1]), way_y = vec3_dot(t->way, t->directions[2]);
    if (!(x * way_x + y * way_y > 0))
        x = y = 0;
    double more = SMOOTHING * c->slip_m_s + t->steadying;
    x += more * way_x;
    y += more * way_y;
    double size = sqrt(x * x + y * y);
    *one = x / size;
    *two = y / size;
}

/* The touches that press: the gap stays, and no velocity across it where it sticks. */
static void add_touch_rows(struct spatial_constraint *c, struct touch *t)
{
    struct row *row = &c->rows[c->row_count];
    double one, two;
    spatial_touch_update(c, t);
    *row = t->rows[0];
    row->deviation -= t->rest;
    c->reference[c->row_count++] = c->has_reference ? t->reference[0] : 0;
    if (t->kind == TOUCH_LIMIT || t->friction == 0)
        return;
    if (t->mode == TOUCH_SLIDES) {
        find_sliding(c, t, &one, &two);
        row->is_askew = 1;
        for (int k = 0; k < 2; k++) {
            row->g[k] = wrench_along(row->g[k], &t->rows[1].j[k], -t->friction * one);
            row->g[k] = wrench_along(row->g[k], &t->rows[2].j[k], -t->friction * two);
        }
        return;
    }
    for (int i = 1; i < t->size; i++) {
        c->reference[c->row_count] = c->has_reference ? t->reference[i] : 0;
        c->rows[c->row_count++] = t->rows[i];
    }
}

/* Forces of the last solution along the directions of each touch. */
static void read_forces(struct spatial_constraint *c)
{
    const double *force = c->lambda + c->joint_rows;
    for (int i = 0; i < c->touch_count; i++) {
        struct touch *t = &c->touches[i];
        double one, two;
        t->force[0] = *force++;
        t->force[1] = t->force[2] = 0;
        if (t->kind == TOUCH_LIMIT || t->friction == 0)
            continue;
        if (t->mode == TOUCH_SLIDES) {
            find_sliding(c, t, &one, &two);
            t->force[1] = -t->friction * t->force[0] * one;
            t->force[2] = -t->friction * t->force[0] * two;
            continue;
        }
        for (int k = 1; k < t->size; k++)
            t->force[k] = *force++;
    }
}

/* ---------------------------------------------------------------- the equation */

/* J M^-1 G' of two rows; yields: M^-1 G' of the second. */
static double couple(const struct row *r, const struct row *s, const struct wrench yields[2])
{
    double sum = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (r->bodies[i] == s->bodies[k] && r->bodies[i] >= 0)
                sum += wrench_dot(&r->j[i], &yields[k]);
    return sum;
}

/* M^-1 of a row's own way, or of that of its force. */
static void find_yields(const struct spatial_constraint *c, const struct row *row,
                        const struct wrench *way, struct wrench yields[2])
{
    for (int k = 0; k < 2; k++) {
        const struct rigid *b = spatial_system_body(c, row->bodies[k]);
        yields[k] = (struct wrench){vec3_scale(way[k].v, b->inverse_mass),
                                    sym3_apply(&b->inverse, way[k].w),
                                    b->inverse_stretch_mass * way[k].stretch};
    }
}

double spatial_equation_row_mass(const struct spatial_constraint *c, const struct row *row)
{
    struct wrench yields[2];
    find_yields(c, row, row->j, yields);
    double mobility = couple(row, row, yields);
    return mobility > 0 ? 1 / mobility : 0;
}

/* A row's acceleration by those of its bodies. */
double spatial_equation_acceleration_of(const struct spatial_constraint *c, const struct row *row)
{
    double sum = row->curvature;
    for (int k = 0; k < 2; k++)
        sum += wrench_dot(&row->j[k], &spatial_system_body(c, row->bodies[k])->free);
    return sum;
}

/* A force along g changes the bodies' accelerations; or an impulse velocities, if they stand
 * there. */
static void apply(struct spatial_constraint *c, const struct row *row, double force)
{
    for (int k = 0; k < 2; k++) {
        struct rigid *b = spatial_system_moved(c, row->bodies[k]);
        b->free = wrench_along(b->free, &row->yields[k], force);
    }
}

/* W = J M^-1 J' of the joints, scaled so that each row alone has 1, is L L'. A joint shares bodies
 * with its neighbours only, so a row of L begins late. Of rows that say the same, the later ones
 * are left out. */
void spatial_equation_factor_joints(struct spatial_constraint *c)
{
    int m = c->joint_rows;
    for (int i = 0; i < m; i++) {
        struct row *row = &c->rows[i];
        double *l = c->joints + i * m;
        int first = i;
        find_yields(c, row, row->g, row->yields);
        double own = couple(row, row, row->yields);
        c->scale[i] = own > 0 ? sqrt(1 / own) : 0;
        l[i] = c->scale[i] * c->scale[i] * own;
        for (int j = i - 1; j >= 0; j--) {
            l[j] = c->scale[i] * c->scale[j] * couple(&c->rows[j], row, row->yields);
            first = l[j] != 0 ? j : first;
        }
        for (int j = first; j < i; j++) {
            const double *others = c->joints + j * m;
            int from = first > c->first[j] ? first : c->first[j];
            l[j] =
                c->inverse[j] * (l[j] - spatial_system_product(l + from, others + from, j - from));
        }
        l[i] -= spatial_system_product(l + first, l + first, i - first);
        c->first[i] = first;
        c->inverse[i] = l[i] > RANK_TOLERANCE ? 1 / sqrt(l[i]) : 0;
        c->work += (uint64_t)(i - first + 10) * (uint64_t)(i - first + 10);
    }
}

/* b becomes L^-1 b. */
static void solve_down(const struct spatial_constraint *c, double *b)
{
    for (int i = 0; i < c->joint_rows; i++) {
        const double *l = c->joints + i * c->joint_rows;
        for (int k = c->first[i]; k < i; k++)
            b[i] -= l[k] * b[k];
        b[i] *= c->inverse[i];
    }
}

/* b becomes L'^-1 b. */
static void solve_up(const struct spatial_constraint *c, double *b)
{
    for (int i = c->joint_rows - 1; i >= 0; i--) {
        const double *l = c->joints + i * c->joint_rows;
        b[i] *= c->inverse[i];
        for (int k = c->first[i]; k < i; k++)
            b[k] -= l[k] * b[i];
    }
}

/* The products of a touch's row with those of joints, by its own way or that of its force. */
static void set_beside(struct spatial_constraint *c, int i, const struct wrench yields[2],
                       double *beside)
{
    for (int k = 0; k < c->joint_rows; k++)
        beside[k] = c->scale[k] * c->scale[i] * couple(&c->rows[k], &c->rows[i], yields);
    solve_down(c, beside);
}

static void join(struct spatial_constraint *c, int one, int two)
{
    if (one >= 0 && two >= 0)
        islands_join(c->island, one, two);
}

/* Bodies that feel one another's touches. */
static void find_islands(struct spatial_constraint *c)
{
    for (int i = 0; i < c->count; i++)
        c->island[i] = i;
    for (int i = 0; i < c->count; i++)
        join(c, i, c->bodies[i].parent);
    for (int i = 0; i < c->loop_count; i++)
        join(c, c->loops[i].child, c->loops[i].parent);
    for (int i = c->joint_rows; i < c->row_count; i++)
        join(c, c->rows[i].bodies[0], c->rows[i].bodies[1]);
}

/* Lists the rows of touches of an island, without those of joints; returns their number. */
static int list_members(struct spatial_constraint *c, int island)
{
    int count = 0;
    for (int i = c->joint_rows; i < c->row_count; i++) {
        const int *bodies = c->rows[i].bodies;
        int body = bodies[0] >= 0 ? bodies[0] : bodies[1];
        if (body >= 0 && islands_root(c->island, body) == island)
            c->members[count++] = i - c->joint_rows;
    }
    return count;
}

/* Row i of touches with the joints eliminated: its way, or if that is another one that of its
 * force. */
static const double *against_of(const struct spatial_constraint *c, int i)
{
    int m = c->joint_rows;
    return (c->rows[m + i].is_askew ? c->against : c->along) + i * m;
}

/* W of the island's rows and its right side, less what the reference gives. */
static void fill_island(struct spatial_constraint *c, int count, const double *free)
{
    int m = c->joint_rows;
    for (int i = 0; i < count; i++)
        c->right[i] = c->lambda[m + c->members[i]] -
                      spatial_system_product(against_of(c, c->members[i]), free, m);
    for (int j = 0; j < count; j++) {
        int of = c->members[j];
        double scale = c->scale[m + of], before = scale > 0 ? c->reference[m + of] / scale : 0;
        const struct wrench *yields = c->rows[m + of].yields;
        for (int i = 0; i < count; i++) {
            int k = c->members[i];
            double w = c->scale[m + k] * scale * couple(&c->rows[m + k], &c->rows[m + of], yields) -
                       spatial_system_product(against_of(c, k), c->along + of * m, m);
            c->w[i * count + j] = w;
            c->right[i] -= w * before;
        }
    }
}

static void solve_island(struct spatial_constraint *c, int count, double *free)
{
    int m = c->joint_rows;
    fill_island(c, count, free);
    qr_factor(&c->qr, c->w, count, count, RANK_TOLERANCE);
    qr_solve(&c->qr, c->right, c->pressing);
    for (int i = 0; i < count; i++) {
        int at = c->members[i];
        double scale = c->scale[m + at];
        c->lambda[m + at] = c->pressing[i] + (scale > 0 ? c->reference[m + at] / scale : 0);
        for (int k = 0; k < m; k++)
            free[k] -= c->along[at * m + k] * c->lambda[m + at];
    }
    c->work += (uint64_t)count * (uint64_t)(count + 10) * (uint64_t)(m + 2 * count + 10);
}

/* The equation of touches after joints are eliminated, island by island; of many solutions it is
 * the nearest to the reference. `free`: the solution of joints alone, as L' times it, which changes
 * into that with the touches. */
static void solve_touches(struct spatial_constraint *c, double *free)
{
    int m = c->joint_rows;
    for (int i = 0; i < c->row_count - m; i++) {
        struct wrench yields[2];
        const struct row *row = &c->rows[m + i];
        set_beside(c, m + i, row->yields, c->along + i * m);
        if (!row->is_askew)
            continue;
        find_yields(c, row, row->j, yields);
        set_beside(c, m + i, yields, c->against + i * m);
    }
    find_islands(c);
    for (int island = 0; island < c->count; island++) {
        int count = c->island[island] == island ? list_members(c, island) : 0;
        if (count > 0)
            solve_island(c, count, free);
    }
}

/* The forces of all rows, which are then in the accelerations. */
static void solve_rows(struct spatial_constraint *c)
{
    double tau = c->base.settings.constraint_tau_s > 0 ? c->base.settings.constraint_tau_s
                                                       : c->base.settings.dt_s;
    spatial_equation_factor_joints(c);
    c->work += (uint64_t)(ROW_WORK * c->row_count);
    for (int i = 0; i < c->row_count; i++) {
        struct row *r = &c->rows[i];
        if (i >= c->joint_rows) {
            c->scale[i] = sqrt(spatial_equation_row_mass(c, r));
            find_yields(c, r, r->g, r->yields);
        }
        c->lambda[i] = -c->scale[i] * (spatial_equation_acceleration_of(c, r) + 2 / tau * r->rate +
                                       r->deviation / (tau * tau));
    }
    solve_down(c, c->lambda);
    if (c->row_count > c->joint_rows)
        solve_touches(c, c->lambda);
    solve_up(c, c->lambda);
    for (int i = 0; i < c->row_count; i++) {
        const struct row *r = &c->rows[i];
        c->lambda[i] *= c->scale[i];
        apply(c, r, c->lambda[i]);
        if (r->driven >= 0)
            c->base.torque[r->driven] = c->lambda[i];
    }
}

static void clear_accelerations(struct spatial_constraint *c)
{
    for (int i = 0; i < c->count; i++)
        c->bodies[i].free = (struct wrench){none, none, 0};
}

void spatial_equation_respond(struct spatial_constraint *c, struct row *row)
{
    int m = c->joint_rows;
    clear_accelerations(c);
    find_yields(c, row, row->g, row->yields);
    for (int k = 0; k < m; k++)
        c->lambda[k] = -c->scale[k] * couple(&c->rows[k], row, row->yields);
    solve_down(c, c->lambda);
    solve_up(c, c->lambda);
    apply(c, row, 1);
    for (int k = 0; k < m; k++)
        apply(c, &c->rows[k], c->scale[k] * c->lambda[k]);
}

/* From the forces that are there to accelerations, without rows. */
static void accelerate_freely(struct spatial_constraint *c)
{
    for (int i = 0; i < c->count; i++) {
        struct rigid *b = &c->bodies[i];
        struct vec3 w = b->place.spin;
        struct vec3 turning =
            mat3_apply(&b->turned, sym3_apply(&b->inertia, mat3_back(&b->turned, w)));
        struct vec3 moment = vec3_sub(b->push.w, vec3_cross(w, turning));
        double rate = b->place.stretch_rate, swing = vec3_dot(w, w) - rate * rate;
        moment = vec3_along(moment, w, -b->inertia_rate * rate);
        b->free = (struct wrench){
            vec3_scale(b->push.v, b->inverse_mass), sym3_apply(&b->inverse, moment),
            b->inverse_stretch_mass * (b->push.stretch + b->inertia_rate * swing / 2)};
    }
}

/* ... with the first `touches` of those that press. */
void spatial_equation_accelerate(struct spatial_constraint *c, double ahead, int touches)
{
    accelerate_freely(c);
    spatial_system_list_joints(c, ahead);
    for (int i = 0; i < touches; i++)
        add_touch_rows(c, &c->touches[i]);
    if (c->row_count > 0)
        solve_rows(c);
    if (touches > 0)
        read_forces(c);
}

void spatial_equation_derive(void *system, const double *y, double ahead, double *dy)
{
    struct spatial_constraint *c = system;
    double *power = dy + STATE_SIZE * c->count, *losses = power + c->rates, *at = losses + LOSSES;
    spatial_system_place(c, y);
    losses[0] = losses[2] = 0;
    losses[1] = -spatial_system_push_all(c, ahead);
    spatial_equation_accelerate(c, ahead, c->touch_count);
    for (int i = 0; i < c->count; i++) {
        const struct rigid *b = &c->bodies[i];
        struct quaternion half = {0, b->place.spin.x / 2, b->place.spin.y / 2, b->place.spin.z / 2};
        struct spatial_place change = {
            b->place.velocity,
            quaternion_product(half, quaternion_read(y + STATE_SIZE * i + 3)),
            b->free.v,
            b->free.w,
            b->place.stretch_rate,
            b->free.stretch};
        spatial_system_put(dy + STATE_SIZE * i, &change);
    }
    for (int i = 0; i < c->rates; i++) {
        power[i] = c->base.torque[i] * c->base.qd[i];
        losses[0] += c->base.servos[i].damping * c->base.qd[i] * c->base.qd[i];
    }
    for (int i = 0; i < c->touch_count; i++) {
        const struct touch *t = &c->touches[i];
        struct vec3 force = spatial_touch_force(t, t->force);
        for (int k = 1; k < 3; k++)
            losses[2] -= t->force[k] * t->rows[k].rate;
        *at++ = force.x;
        *at++ = force.y;
        *at++ = force.z;
    }
}

/* The motion of all bodies by the least impulses that take away the deviations of joints, or their
 * rates. Returns the greatest of these before. */
static double find_closing(struct spatial_constraint *c, int is_rate)
{
    double most = 0;
    clear_accelerations(c);
    spatial_system_list_joints(c, 0);
    spatial_equation_factor_joints(c);
    for (int i = 0; i < c->joint_rows; i++) {
        double off = is_rate ? c->rows[i].rate : c->rows[i].deviation;
        most = det_max(most, fabs(off));
        c->lambda[i] = -c->scale[i] * off;
    }
    solve_down(c, c->lambda);
    solve_up(c, c->lambda);
    for (int i = 0; i < c->joint_rows; i++)
        apply(c, &c->rows[i], c->scale[i] * c->lambda[i]);
    return most;
}

/* Moves all places along the motion found, no farther than CLOSE_WAY. */
static void move_closer(struct spatial_constraint *c)
{
    double longest = 0;
    for (int i = 0; i < c->count; i++)
        longest = det_max(
            longest, det_max(vec3_length(c->bodies[i].free.v), vec3_length(c->bodies[i].free.w)));
    double share = longest > CLOSE_WAY ? CLOSE_WAY / longest : 1;
    for (int i = 0; i < c->count; i++) {
        struct rigid *b = &c->bodies[i];
        struct quaternion turn = quaternion_exp(vec3_scale(b->free.w, share));
        b->place.centre = vec3_along(b->place.centre, b->free.v, share);
        b->place.turn = quaternion_product(turn, b->place.turn);
    }
    spatial_system_keep(c);
}

void spatial_equation_close(struct spatial_constraint *c)
{
    double best = HUGE_VAL;
    for (int step = 0; step < CLOSE_STEPS; step++) {
        double off = find_closing(c, 0);
        if (off <= CLOSE_ENOUGH || (off < CLOSE_NEAR && off > 0.5 * best))
            break;
        best = det_min(best, off);
        move_closer(c);
    }
    find_closing(c, 1);
    for (int i = 0; i < c->count; i++) {
        struct rigid *b = &c->bodies[i];
        b->place.velocity = vec3_add(b->place.velocity, b->free.v);
        b->place.spin = vec3_add(b->place.spin, b->free.w);
    }
    spatial_system_keep(c);
}

/* How a freedom accelerates with its bodies, which are at rest. */
static double acceleration_of_freedom(const struct rigid *b, const struct rigid *p, int k)
{
    if (k == b->stretch)
        return b->free.stretch;
    if (k >= b->joint->slides)
        return vec3_dot(b->axes[k], vec3_sub(b->free.w, p->free.w));
    struct vec3 point = vec3_sub(vec3_add(b->free.v, vec3_cross(b->free.w, b->hinge.rc)),
                                 vec3_add(p->free.v, vec3_cross(p->free.w, b->hinge.rp)));
    point = vec3_along(point, b->hinge.sc, b->free.stretch);
    point = vec3_along(point, b->hinge.sp, -p->free.stretch);
    return vec3_dot(b->axes[k], point);
}

void spatial_equation_weigh_freedoms(struct spatial_constraint *c)
{
    for (int i = 0; i < c->rates; i++) {
        struct rigid *b = &c->bodies[c->base.link_of[i]];
        const struct rigid *p = spatial_system_body(c, b->parent);
        int k = i - b->rate;
        spatial_system_clear_forces(c, none);
        spatial_system_push(c, b, k, 1);
        spatial_equation_accelerate(c, 0, 0);
        c->base.birth_inertia[i] = 1 / acceleration_of_freedom(b, p, k);
    }
}
