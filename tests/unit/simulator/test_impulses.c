/* Impulses of contacts: a block on the ground by hand, and Signorini's and Coulomb's laws on random
 * bodies, light and heavy, well and badly conditioned, wedged, and with too many contacts for the
 * direct methods. The checker of the laws is checked by wrong impulses. */
#include "simulator/planar/contacts/impulses.h"

#include "tests/plain_fixture.h"

#define LAWS_MAX 60
#define ROWS_MAX (2 * LAWS_MAX)
#define DOF_MAX  ROWS_MAX

static struct impulses s;
static struct rng rng;

static void setup(void)
{
    arena_open(8u << 20);
    ck_assert_int_eq(impulses_create(&s, LAWS_MAX, ROWS_MAX, ROWS_MAX, 300, &arena), 0);
    rng_init(&rng, 17, 0, 0, 0);
}

static double jacobian[ROWS_MAX][DOF_MAX], mobility[DOF_MAX];

/* W = J M^-1 J'. */
static void set_system(int rows, int dof)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int k = 0; k < dof; k++)
                sum += jacobian[i][k] * jacobian[j][k] * mobility[k];
            s.w[i * s.stride + j] = sum;
        }
        s.inverse[i] = 1 / s.w[i * s.stride + i];
    }
}

/* So many contacts and after them limits, each of them with random rows of J, of `dof` rates with
 * masses 0.1 to 10. */
static void draw_system(int contacts, int limits, int dof)
{
    int rows = 2 * contacts + limits;
    s.count = contacts + limits;
    impulses_begin(&s, rows);
    for (int k = 0; k < dof; k++)
        mobility[k] = pow(10, rng_uniform(&rng, -1, 1));
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < dof; k++)
            jacobian[i][k] = rng_uniform(&rng, -1, 1);
        s.free[i] = rng_uniform(&rng, -1, 1);
        s.impulse[i] = 0;
    }
    set_system(rows, dof);
    for (int i = 0; i < s.count; i++)
        s.laws[i] = (struct impulse_law){.row = i < contacts ? 2 * i : contacts + i,
                                         .has_friction = i < contacts,
                                         .bound = rng_uniform(&rng, -0.5, 0),
                                         .friction = rng_uniform(&rng, 0, 1.2)};
}

/* By how much the laws are broken, m/s. */
static double broken(void)
{
    double most = 0;
    for (int i = 0; i < s.count; i++) {
        const struct impulse_law *law = &s.laws[i];
        double normal = s.impulse[law->row], apart = s.velocity[law->row] - law->bound;
        double tangent = law->has_friction ? s.impulse[law->row + 1] : 0;
        double slip = law->has_friction ? s.velocity[law->row + 1] : 0;
        double bound = law->friction * normal;
        most = fmax(most, -apart);
        most = fmax(most, -normal);
        most = fmax(most, normal > 0 ? fabs(apart) : 0);
        most = fmax(most, law->has_friction ? fabs(tangent) - bound * (1 + 1e-9) : 0);
        if (law->has_friction && fabs(tangent) < bound * (1 - 1e-6))
            most = fmax(most, fabs(slip));
        else if (slip * tangent > 0)
            most = fmax(most, fabs(slip));
    }
    return most;
}

TEST(a_block_on_the_ground)
{
    /* 2 kg, pushed down and sideways: sticks, then slides with less friction, then leaves */
    s.count = 1;
    impulses_begin(&s, 2);
    s.w[0] = s.w[3] = s.inverse[0] = s.inverse[1] = 0.5;
    s.inverse[0] = s.inverse[1] = 2;
    s.w[1] = s.w[2] = 0;
    s.laws[0] = (struct impulse_law){.has_friction = 1, .friction = 0.8};
    s.free[0] = -1;
    s.free[1] = 0.5;
    s.impulse[0] = s.impulse[1] = 0;
    impulses_solve(&s);
    ck_assert_double_eq_tol(s.impulse[0], 2, 1e-8);
    ck_assert_double_eq_tol(s.impulse[1], -1, 1e-8);
    ck_assert_double_eq_tol(s.velocity[1], 0, 1e-8);

    s.laws[0].friction = 0.25;
    impulses_solve(&s);
    ck_assert_double_eq_tol(s.impulse[1], -0.5, 1e-8);
    ck_assert_double_eq_tol(s.velocity[1], 0.25, 1e-8);

    s.free[0] = 0.1;
    impulses_solve(&s);
    ck_assert(s.impulse[0] == 0 && s.impulse[1] == 0);
    ck_assert(s.velocity[0] == 0.1 && s.velocity[1] == 0.5);
}

/* From nothing and from the solution of a neighbouring problem. */
TEST(laws_hold_on_random_bodies)
{
    int pressing = 0, sliding = 0;
    for (int i = 0; i < 4000; i++) {
        int contacts = 1 + (int)rng_below(&rng, 6), limits = (int)rng_below(&rng, 4);
        draw_system(contacts, limits, 2 * contacts + limits + (int)rng_below(&rng, 4));
        for (int again = 0; again < 2; again++) {
            impulses_solve(&s);
            ck_assert_double_le(broken(), 1e-5);
            for (int k = 0; k < s.count; k++) {
                pressing += s.impulse[s.laws[k].row] > 0;
                sliding += s.laws[k].has_friction && fabs(s.velocity[s.laws[k].row + 1]) > 1e-3;
            }
            for (int k = 0; k < s.rows; k++)
                s.free[k] += rng_uniform(&rng, -0.05, 0.05);
        }
    }
    ck_assert_int_gt(pressing, 10000);
    ck_assert_int_gt(sliding, 10000);
}

/* More rows than rates: what several contacts say together is shared among them. */
TEST(laws_hold_where_rows_depend_on_one_another)
{
    for (int i = 0; i < 2000; i++) {
        int contacts = 3 + (int)rng_below(&rng, 4);
        draw_system(contacts, 0, 3);
        /* velocities that a motion could have, so that 0 is no contradiction */
        for (int k = 0; k < s.rows; k++)
            s.free[k] *= 0.1 * (k % 2);
        for (int k = 0; k < s.count; k++)
            s.laws[k].bound = -0.1;
        impulses_solve(&s);
        ck_assert_double_le(broken(), 1e-5);
    }
}

/* Contacts that say nearly the same as the one before, as those of what lies almost flat: the cones
 * have W to rounding. */
TEST(contact_solver_have_the_whole_system)
{
    double most = 0;
    for (int i = 0; i < 500; i++) {
        draw_system(6, 0, 9);
        for (int k = 2; k < s.rows; k += k % 4 == 3 ? 3 : 1)
            for (int rate = 0; rate < 9; rate++)
                jacobian[k][rate] = jacobian[k - 2][rate] + rng_uniform(&rng, -1e-7, 1e-7);
        set_system(s.rows, 9);
        for (int k = 0; k < s.stride; k++)
            s.held[k] = 0;
        impulses_solve_cones(&s);
        for (int k = 0; k < s.rows * s.stride; k++) {
            const double *a = contact_solver_row(&s.cones, s.place[k / s.stride]);
            const double *b = contact_solver_row(&s.cones, s.place[k % s.stride]);
            double sum = 0;
            for (int column = 0; column < s.cones.columns; column++)
                sum += a[column] * b[column];
            most = fmax(most, fabs(sum - s.w[k]));
        }
    }
    ck_assert_double_lt(most, 1e-11);
}

/* Two rows that are opposites cannot both be pushed out: penetrations are kept from growing. */
TEST(what_is_wedged_is_left_in_peace)
{
    s.count = 2;
    impulses_begin(&s, 4);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            s.w[i * 4 + j] = i % 2 == j % 2 ? (i == j ? 1 : -1) : 0;
        s.free[i] = s.impulse[i] = 0;
        s.inverse[i] = 1;
    }
    for (int i = 0; i < 2; i++)
        s.laws[i] = (struct impulse_law){
            .row = 2 * i, .has_friction = 1, .is_push_out = 1, .bound = 0.05, .friction = 0.5};
    impulses_solve(&s);
    for (int i = 0; i < 4; i++)
        ck_assert(fabs(s.impulse[i]) < 1e-3 && fabs(s.velocity[i]) < 1e-6);
    ck_assert(!s.laws[0].is_push_out && s.laws[1].bound == 0);
}

/* 60 contacts are too many for Lemke's method. Sweeps came within 1e-3. */
TEST(many_contacts_are_solved)
{
    for (int i = 0; i < 5; i++) {
        draw_system(LAWS_MAX, 0, DOF_MAX);
        for (int k = 0; k < s.rows; k++) /* mobile enough to converge */
            s.w[k * s.stride + k] *= 3;
        for (int k = 0; k < s.rows; k++)
            s.inverse[k] = 1 / s.w[k * s.stride + k];
        impulses_solve(&s);
        ck_assert_double_le(broken(), 1e-7);
    }
}

TEST(what_may_not_act_does_not)
{
    draw_system(2, 0, 4);
    s.laws[0].bound = -HUGE_VAL;
    s.impulse[0] = 1; /* as it did a step ago */
    s.free[2] = -1;
    impulses_solve(&s);
    ck_assert(s.impulse[0] == 0 && s.impulse[1] == 0);
    ck_assert_double_gt(s.impulse[2], 0);
    for (int i = 0; i < s.rows; i++)
        ck_assert(isfinite(s.velocity[i]));
}

/* Each wrong in one way, and seen by the checker above. */
TEST(wrong_impulses_are_seen)
{
    for (int i = 0; i < 200; i++) {
        int row = 0;
        draw_system(3, 1, 8);
        s.free[0] = -1;
        impulses_solve(&s);
        for (int k = 0; k < 3; k++)
            row = s.impulse[2 * k] > s.impulse[row] ? 2 * k : row;
        ck_assert_double_gt(s.impulse[row], 0);
        s.impulse[row + i % 2] += 0.01;
        impulses_set_velocities(&s);
        ck_assert_double_gt(broken(), 1e-4);
    }
}

SUITE("impulses", 0, setup, NULL)
