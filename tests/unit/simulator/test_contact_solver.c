/* Impulses of contacts with friction in space: one contact by hand, Signorini's and Coulomb's laws
 * on random systems and on chains of boxes that lie flat, where four corners a face say the same;
 * that the tangents' axes do not matter; what is wedged. The checker of the laws, which knows
 * nothing of the solver's projections, is checked by wrong impulses. */
#include "simulator/contact/contact_solver.h"

#include "common/error.h"
#include "tests/plain_fixture.h"

#define LAWS_MAX 40
#define ROWS_MAX (3 * LAWS_MAX)
#define DOF_MAX  48

static struct contact_solver s;
static struct rng rng;

static void setup(void)
{
    arena_open(1u << 20);
    ck_assert_int_eq(contact_solver_create(&s, LAWS_MAX, ROWS_MAX, DOF_MAX, &arena), 0);
    rng_init(&rng, 17, 0, 0, 0);
}

static double jacobian[ROWS_MAX][DOF_MAX], mass[DOF_MAX][DOF_MAX];

/* In place: the lower triangle of a matrix whose product with its transpose it was. */
static void factor_mass(int dof)
{
    for (int i = 0; i < dof; i++)
        for (int j = 0; j <= i; j++) {
            double sum = mass[i][j];
            for (int k = 0; k < j; k++)
                sum -= mass[i][k] * mass[j][k];
            mass[i][j] = i == j ? sqrt(sum) : sum / mass[j][j];
        }
}

/* Y = J L^-T of `rows` rows of the jacobian, so that W = Y Y' = J M^-1 J'. */
static void set_system(int rows, int dof)
{
    contact_solver_begin(&s, rows);
    factor_mass(dof);
    for (int i = 0; i < rows; i++) {
        double *solved = contact_solver_row(&s, i);
        for (int k = 0; k < dof; k++) {
            double sum = jacobian[i][k];
            for (int j = 0; j < k; j++)
                sum -= mass[k][j] * solved[j];
            solved[k] = sum / mass[k][k];
        }
        s.impulse[i] = 0;
    }
}

/* A diagonal element of W. */
static double weight_of(int row)
{
    double sum = 0;
    for (int k = 0; k < DOF_MAX; k++)
        sum += contact_solver_row(&s, row)[k] * contact_solver_row(&s, row)[k];
    return sum;
}

/* So many contacts and after them limits, with random rows of J, of `dof` rates with masses 0.1 to
 * 10. */
static void draw_system(int contacts, int limits, int dof)
{
    int rows = 3 * contacts + limits;
    for (int k = 0; k < dof; k++)
        for (int j = 0; j < dof; j++)
            mass[k][j] = k == j ? pow(10, rng_uniform(&rng, -1, 1)) : 0;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < dof; k++)
            jacobian[i][k] = rng_uniform(&rng, -1, 1);
        s.free[i] = rng_uniform(&rng, -1, 1);
    }
    set_system(rows, dof);
    s.count = contacts + limits;
    for (int i = 0; i < s.count; i++)
        s.laws[i] = (struct cone_law){.row = i < contacts ? 3 * i : 2 * contacts + i,
                                      .size = i < contacts ? 3 : 1,
                                      .to = dof,
                                      .bound = rng_uniform(&rng, -0.5, 0),
                                      .friction = rng_uniform(&rng, 0, 1.2)};
}

static void cross(const double *a, const double *b, double *to)
{
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

/* A chain of boxes on ball joints, flat on the ground: rates are the first box's velocity and the
 * boxes' angular velocities. Each has its four lower corners as contacts. It moves at random, and
 * falls for a step. */
static void draw_flat_chain(int boxes, double gaps_m)
{
    const double half[3] = {0.2, 0.05, 0.1}, kg = 8, h = 1.0 / 240;
    int dof = 3 + 3 * boxes, rows = 12 * boxes;
    double rates[DOF_MAX], fall[DOF_MAX] = {0};
    memset(jacobian, 0, sizeof jacobian);
    memset(mass, 0, sizeof mass);
    for (int k = 0; k < dof; k++)
        rates[k] = rng_uniform(&rng, -1, 1);
    for (int b = 0; b < boxes; b++) {
        /* five points of a box: its centre and corners, as velocities of all rates */
        for (int p = 0; p < 5; p++) {
            double rows_of[3][DOF_MAX] = {{0}};
            for (int i = 0; i < 3; i++)
                rows_of[i][i] = 1;
            for (int link = 0; link <= b; link++) {
                /* from the link's joint to its next one, or to the point */
                double r[3] = {link == 0 ? half[0] : 2 * half[0], 0, 0};
                if (link == b) {
                    r[0] -= half[0];
                    if (p > 0) {
                        r[0] += p % 2 ? half[0] : -half[0];
                        r[1] = -half[1];
                        r[2] = p < 3 ? half[2] : -half[2];
                    }
                }
                for (int axis = 0; axis < 3; axis++) {
                    double e[3] = {0, 0, 0}, v[3];
                    e[axis] = 1;
                    cross(e, r, v);
                    for (int i = 0; i < 3; i++)
                        rows_of[i][3 + 3 * link + axis] = v[i];
                }
            }
            for (int i = 0; i < 3 && p > 0; i++) /* normal first */
                memcpy(jacobian[12 * b + 3 * (p - 1) + i], rows_of[(i + 1) % 3], sizeof rows_of[0]);
            for (int i = 0; i < 3 && p == 0; i++)
                for (int j = 0; j < dof; j++) {
                    for (int k = 0; k < dof; k++)
                        mass[j][k] += kg * rows_of[i][j] * rows_of[i][k];
                    fall[j] -= i == 1 ? kg * 9.81 * h * rows_of[i][j] : 0;
                }
        }
        for (int axis = 0; axis < 3; axis++) {
            double x = half[(axis + 1) % 3], z = half[(axis + 2) % 3];
            mass[3 + 3 * b + axis][3 + 3 * b + axis] += kg * (x * x + z * z) / 3;
        }
    }
    set_system(rows, dof);
    /* the fall: M^-1 of the impulse, by the factor */
    for (int k = 0; k < dof; k++) {
        for (int j = 0; j < k; j++)
            fall[k] -= mass[k][j] * fall[j];
        fall[k] /= mass[k][k];
    }
    for (int k = dof - 1; k >= 0; k--) {
        for (int j = k + 1; j < dof; j++)
            fall[k] -= mass[j][k] * fall[j];
        fall[k] /= mass[k][k];
    }
    for (int i = 0; i < rows; i++) {
        s.free[i] = 0;
        for (int k = 0; k < dof; k++)
            s.free[i] += jacobian[i][k] * (rates[k] + fall[k]);
    }
    s.count = 4 * boxes;
    for (int i = 0; i < s.count; i++)
        s.laws[i] = (struct cone_law){.row = 3 * i,
                                      .size = 3,
                                      .to = dof,
                                      .bound = -rng_uniform(&rng, 0, gaps_m) / h,
                                      .friction = 0.8};
}

/* By how much the laws are broken, m/s; where a contact sticks or slides is read from its impulse.
 * The direction of a small friction says little where it slides fast. */
static double broken(void)
{
    double most = 0;
    for (int i = 0; i < s.count; i++) {
        const struct cone_law *law = &s.laws[i];
        const double *l = s.impulse + law->row, *v = s.velocity + law->row;
        double apart = v[0] - law->bound, weight = weight_of(law->row);
        most = fmax(most, -apart);
        most = fmax(most, -l[0] * weight);
        most = fmax(most, fmin(fabs(apart), l[0] * weight));
        if (law->size == 1)
            continue;
        double size = hypot(l[1], l[2]), speed = hypot(v[1], v[2]), edge = law->friction * l[0];
        weight = (weight_of(law->row + 1) + weight_of(law->row + 2)) / 2;
        most = fmax(most, (size - edge) * weight);
        if (size < edge * (1 - 1e-6) && (edge - size) * weight > 1e-5)
            most = fmax(most, speed);
        else if (size * weight > 1e-4) /* what is across the impulse, or along it */
            most = fmax(most, hypot(v[1] + speed * l[1] / size, v[2] + speed * l[2] / size) *
                                  fmin(1, size * weight / speed));
    }
    return most;
}

TEST(a_block_on_the_ground)
{
    /* 2 kg, pushed down and askew: sticks, then slides with less friction, then leaves */
    s.count = 1;
    contact_solver_begin(&s, 3);
    for (int i = 0; i < 3; i++)
        contact_solver_row(&s, i)[i] = sqrt(0.5);
    s.laws[0] = (struct cone_law){.size = 3, .to = 3, .friction = 0.8};
    s.free[0] = -1;
    s.free[1] = 0.3;
    s.free[2] = -0.4;
    s.impulse[0] = s.impulse[1] = s.impulse[2] = 0;
    contact_solver_solve(&s);
    ck_assert_double_eq_tol(s.impulse[0], 2, 1e-9);
    ck_assert_double_eq_tol(s.impulse[1], -0.6, 1e-9);
    ck_assert_double_eq_tol(s.impulse[2], 0.8, 1e-9);

    s.laws[0].friction = 0.25;
    contact_solver_solve(&s);
    ck_assert_double_eq_tol(s.impulse[1], -0.3, 1e-9);
    ck_assert_double_eq_tol(s.impulse[2], 0.4, 1e-9);
    ck_assert_double_eq_tol(s.velocity[1], 0.15, 1e-9);
    ck_assert_double_eq_tol(s.velocity[2], -0.2, 1e-9);

    s.free[0] = 0.1;
    contact_solver_solve(&s);
    ck_assert(s.impulse[0] == 0 && s.impulse[1] == 0 && s.impulse[2] == 0);
    ck_assert(s.velocity[0] == 0.1 && s.velocity[1] == 0.3);
}

/* The solution of one contact obeys the law to rounding, whatever its block is. */
TEST(one_contact_is_exact)
{
    int sliding = 0;
    for (int i = 0; i < 20000; i++) {
        draw_system(1, 0, 5 + (int)rng_below(&rng, 4));
        s.free[0] -= 0.5;
        contact_solver_set_velocities(&s);
        contact_solver_solve_one(&s.blocks[0], s.free, s.laws[0].bound, s.laws[0].friction,
                                 &s.laws[0].hold, s.impulse);
        contact_solver_set_velocities(&s);
        ck_assert_double_le(contact_solver_miss(&s, 0), 1e-8);
        ck_assert_double_le(broken(), 1e-8);
        sliding += hypot(s.velocity[1], s.velocity[2]) > 1e-3;
    }
    ck_assert_int_gt(sliding, 5000);
    ck_assert_int_lt(sliding, 19000);
}

/* From nothing and from the solution of a neighbouring problem. */
TEST(laws_hold_on_random_systems)
{
    int pressing = 0, sliding = 0;
    for (int i = 0; i < 2000; i++) {
        int contacts = 1 + (int)rng_below(&rng, 6), limits = (int)rng_below(&rng, 4);
        draw_system(contacts, limits, 3 * contacts + limits + (int)rng_below(&rng, 4));
        for (int again = 0; again < 2; again++) {
            contact_solver_solve(&s);
            ck_assert_double_le(s.residual, 1e-5);
            ck_assert_double_le(broken(), 5e-4);
            for (int k = 0; k < s.count; k++) {
                const double *v = s.velocity + s.laws[k].row;
                pressing += s.impulse[s.laws[k].row] > 0;
                sliding += s.laws[k].size == 3 && hypot(v[1], v[2]) > 1e-3;
            }
            for (int k = 0; k < s.rows; k++)
                s.free[k] += rng_uniform(&rng, -0.05, 0.05);
        }
    }
    ck_assert_int_gt(pressing, 5000);
    ck_assert_int_gt(sliding, 5000);
}

/* Newton's method ends in some of these only where the weights of proximal steps are ten or a
 * hundred times the diagonal of W; four stayed unsolved while a tenth of it was the bound. */
TEST(laws_hold_where_friction_couples_contacts)
{
    for (int i = 0; i < 2000; i++) {
        draw_system(4, 0, 12);
        for (int k = 0; k < s.count; k++)
            s.laws[k].friction = 1.2;
        contact_solver_solve(&s);
        ck_assert_msg(s.residual <= s.enough, "system %d misses %g m/s", i, s.residual);
    }
}

TEST(laws_hold_on_flat_chains)
{
    int unsolved = 0, count = 200;
    for (int i = 0; i < count; i++) {
        draw_flat_chain(1 + (int)rng_below(&rng, 5), i % 2 ? 1e-3 : 0);
        contact_solver_solve(&s);
        unsolved += !(s.residual <= 1e-5);
        if (s.residual <= 1e-5)
            ck_assert_double_le(broken(), 1e-3);
    }
    ck_assert_int_le(unsolved, count / 100);
}

/* The tangents' axes are turned by an angle of their own at each contact: velocities and sizes
 * stay. */
TEST(tangents_may_be_turned)
{
    static double held[ROWS_MAX];
    for (int i = 0; i < 300; i++) {
        int contacts = 1 + (int)rng_below(&rng, 5);
        double cosines[LAWS_MAX], sines[LAWS_MAX];
        draw_system(contacts, 0, 3 * contacts + 2);
        s.enough = 1e-10;
        contact_solver_solve(&s);
        memcpy(held, s.impulse, sizeof held);
        for (int k = 0; k < contacts; k++) {
            double angle = rng_uniform(&rng, 0, 6);
            cosines[k] = cos(angle), sines[k] = sin(angle);
        }
        for (int k = 0; k < contacts; k++) {
            int t = 3 * k + 1;
            for (int j = 0; j < DOF_MAX; j++) {
                double *x = &contact_solver_row(&s, t)[j], *y = &contact_solver_row(&s, t + 1)[j],
                       x0 = *x;
                *x = cosines[k] * x0 + sines[k] * *y;
                *y = cosines[k] * *y - sines[k] * x0;
            }
            double x0 = s.free[t];
            s.free[t] = cosines[k] * x0 + sines[k] * s.free[t + 1];
            s.free[t + 1] = cosines[k] * s.free[t + 1] - sines[k] * x0;
        }
        for (int k = 0; k < s.rows; k++)
            s.impulse[k] = 0;
        contact_solver_solve(&s);
        for (int k = 0; k < contacts; k++) {
            const double *l = s.impulse + 3 * k, *old = held + 3 * k;
            ck_assert_double_eq_tol(l[0], old[0], 1e-6);
            ck_assert_double_eq_tol(cosines[k] * l[1] - sines[k] * l[2], old[1], 1e-6);
            ck_assert_double_eq_tol(sines[k] * l[1] + cosines[k] * l[2], old[2], 1e-6);
        }
    }
}

/* A system that was drawn and solved. */
struct part {
    int rows, dof, count;
    double y[9][DOF_MAX], free[9], impulse[9];
    struct cone_law laws[3];
};

static void keep_part(struct part *part, int dof)
{
    *part = (struct part){.rows = s.rows, .dof = dof, .count = s.count};
    memcpy(part->laws, s.laws, sizeof part->laws);
    contact_solver_solve(&s);
    for (int k = 0; k < s.rows; k++) {
        memcpy(part->y[k], contact_solver_row(&s, k), (size_t)dof * sizeof(double));
        part->free[k] = s.free[k];
        part->impulse[k] = s.impulse[k];
    }
}

/* What happens in other columns changes nothing, to the bit: two systems alone, and both in one,
 * where the laws of the second come first. */
TEST(what_shares_no_columns_is_solved_apart)
{
    for (int i = 0; i < 100; i++) {
        struct part parts[2];
        int row = 0, law = 0;
        for (int k = 0; k < 2; k++) {
            int contacts = 1 + (int)rng_below(&rng, 3), dof = 3 * contacts + 1;
            draw_system(contacts, 0, dof);
            keep_part(&parts[k], dof);
        }
        contact_solver_begin(&s, parts[0].rows + parts[1].rows);
        s.count = parts[0].count + parts[1].count;
        for (int k = 1; k >= 0; k--) {
            const struct part *part = &parts[k];
            int first = k == 0 ? 0 : parts[0].dof;
            for (int j = 0; j < part->count; j++, law++) {
                s.laws[law] = part->laws[j];
                s.laws[law].row += row;
                s.laws[law].from = first;
                s.laws[law].to = first + part->dof;
            }
            for (int j = 0; j < part->rows; j++, row++) {
                memcpy(contact_solver_row(&s, row) + first, part->y[j],
                       (size_t)part->dof * sizeof(double));
                s.free[row] = part->free[j];
                s.impulse[row] = 0;
            }
        }
        contact_solver_solve(&s);
        for (int j = 0; j < parts[1].rows; j++)
            ck_assert(s.impulse[j] == parts[1].impulse[j]);
        for (int j = 0; j < parts[0].rows; j++)
            ck_assert(s.impulse[parts[1].rows + j] == parts[0].impulse[j]);
    }
}

/* Two contacts that are opposites cannot both be pushed out: penetrations are kept from growing. */
TEST(what_is_wedged_is_left_in_peace)
{
    s.count = 2;
    contact_solver_begin(&s, 6);
    for (int i = 0; i < 6; i++) {
        contact_solver_row(&s, i)[i % 3] = i < 3 ? 1 : -1;
        s.free[i] = s.impulse[i] = 0;
    }
    for (int i = 0; i < 2; i++)
        s.laws[i] = (struct cone_law){
            .row = 3 * i, .size = 3, .to = 3, .is_push_out = 1, .bound = 0.05, .friction = 0.5};
    contact_solver_solve(&s);
    for (int i = 0; i < 6; i++)
        ck_assert(fabs(s.impulse[i]) < 1e-3 && fabs(s.velocity[i]) < 1e-6);
    ck_assert(!s.laws[0].is_push_out && s.laws[1].bound == 0);
    ck_assert_double_le(s.residual, s.enough);
}

TEST(what_may_not_act_does_not)
{
    draw_system(2, 0, 6);
    s.laws[0].bound = -HUGE_VAL;
    s.impulse[0] = 1; /* as it did a step ago */
    s.free[3] = -1;
    contact_solver_solve(&s);
    ck_assert(s.impulse[0] == 0 && s.impulse[1] == 0 && s.impulse[2] == 0);
    ck_assert_double_gt(s.impulse[3], 0);
    for (int i = 0; i < s.rows; i++)
        ck_assert(isfinite(s.velocity[i]));
}

/* Each wrong in one way, and seen by the solver's own residual and by the checker above. */
TEST(wrong_impulses_are_seen)
{
    for (int i = 0; i < 300; i++) {
        int row = 0;
        draw_system(3, 1, 12);
        s.free[0] = -1;
        contact_solver_solve(&s);
        for (int k = 0; k < 3; k++)
            row = s.impulse[3 * k] > s.impulse[row] ? 3 * k : row;
        ck_assert_double_gt(s.impulse[row], 0);
        s.impulse[row + i % 3] += 0.01;
        contact_solver_set_velocities(&s);
        ck_assert_double_gt(contact_solver_miss(&s, row / 3), 1e-5);
        ck_assert_double_gt(broken(), 1e-5);
    }
}

/* Where memory is out the step goes on with the room that there was, and fails after it. */
TEST(room_that_does_not_fit_leaves_all_as_it_was)
{
    struct contact_solver before = s;
    for (int laws = LAWS_MAX; !arena.is_exhausted; laws *= 2) {
        before = s;
        int status = contact_solver_extend(&s, laws, 3 * laws, &arena);
        ck_assert_int_eq(status, arena.is_exhausted ? ERR_MEMORY : 0);
    }
    ck_assert_mem_eq(&s, &before, sizeof s);
}

SUITE("cones", 120, setup, NULL)
