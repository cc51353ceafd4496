/* The reference's law of contacts: random problems, boxes that lie, tower, slide, wedge and jam,
 * mirror images, and groups of contacts that do not feel one another. What the law lacks is
 * computed anew here, from Signorini's and Coulomb's lines themselves, and it is shown to tell
 * wrong impulses. runs: watched */
#include "simulator/reference/contact_law.h"

#include "common/math/detmath.h"
#include "tests/plain_fixture.h"

enum { CONTACTS_MAX = 100, ROWS_MAX = 300, COLUMNS_MAX = 300, BODIES_MAX = 40 };
#define STEP_S (1.0 / 240)
#define G_M_S2 9.81

static struct contact_law s;
static struct rng rng;
static double y[ROWS_MAX][COLUMNS_MAX]; /* W = Y Y' */
static int columns;

struct body {
    double centre[3], mass, inertia[3], v[3], w[3];
};
static struct body bodies[BODIES_MAX];
static int body_count;

static void setup(void)
{
    arena_open(16u << 20);
    s = (struct contact_law){0};
    ck_assert_int_eq(law_reserve(&s, CONTACTS_MAX, ROWS_MAX, &arena), 0);
    rng_init(&rng, 17, 0, 0, 0);
}

/* ---------------------------------------------------------------- problems */

static void clear(int of_columns)
{
    columns = of_columns;
    body_count = 0;
    memset(y, 0, sizeof y);
    contact_law_begin(&s, 0, 0);
}

static int add_contact(int size, double friction, double bound)
{
    int row = s.rows;
    s.contacts[s.count] = (struct contact_law_contact){row, size, bound, friction};
    contact_law_begin(&s, s.count + 1, row + size);
    for (int i = row; i < row + size; i++)
        s.free[i] = 0;
    return row;
}

static void solve(void)
{
    for (int i = 0; i < s.rows; i++)
        for (int k = 0; k <= i; k++) {
            double sum = 0;
            for (int j = 0; j < columns; j++)
                sum += y[i][j] * y[k][j];
            contact_law_row(&s, i)[k] = sum;
        }
    contact_law_solve(&s);
}

static int add_box(double x, double up, double z, double sx, double sy, double sz, double mass)
{
    bodies[body_count] =
        (struct body){{x, up, z},
                      mass,
                      {mass * (sy * sy + sz * sz) / 12, mass * (sx * sx + sz * sz) / 12,
                       mass * (sx * sx + sy * sy) / 12},
                      {0, -G_M_S2 * STEP_S, 0},
                      {0}};
    return body_count++;
}

static void put_row(int row, int body, double sign, const double *e, const double *at)
{
    const struct body *b = &bodies[body];
    double r[3] = {at[0] - b->centre[0], at[1] - b->centre[1], at[2] - b->centre[2]};
    double turn[3] = {r[1] * e[2] - r[2] * e[1], r[2] * e[0] - r[0] * e[2],
                      r[0] * e[1] - r[1] * e[0]};
    for (int k = 0; k < 3; k++) {
        y[row][6 * body + k] += sign * e[k] / sqrt(b->mass);
        y[row][6 * body + 3 + k] += sign * turn[k] / sqrt(b->inertia[k]);
        s.free[row] += sign * (e[k] * b->v[k] + turn[k] * b->w[k]);
    }
}

/* A point of a body on another one, or on the world (-1), with the normal (nx, ny, 0). */
static void touch(int body, int other, double nx, double ny, const double *at, double friction,
                  double bound)
{
    const double e[3][3] = {{nx, ny, 0}, {ny, -nx, 0}, {0, 0, 1}};
    int row = add_contact(3, friction, bound);
    for (int i = 0; i < 3; i++) {
        put_row(row + i, body, 1, e[i], at);
        if (other >= 0)
            put_row(row + i, other, -1, e[i], at);
    }
}

/* The four corners of a face that looks down, of 2 half_x by 2 half_z. */
static void lay(int body, int other, double x, double height, double half_x, double half_z,
                double friction)
{
    for (int k = 0; k < 4; k++) {
        const double at[3] = {x + (k & 1 ? half_x : -half_x), height, k & 2 ? half_z : -half_z};
        touch(body, other, 0, 1, at, friction, 0);
    }
}

/* Boxes of 1 x 0.5 x 1 m, the highest so many times as heavy as the lowest, of 10 kg. */
static void build_tower(int boxes, double ratio)
{
    clear(6 * boxes);
    for (int i = 0; i < boxes; i++)
        add_box(0, 0.25 + 0.5 * i, 0, 1, 0.5, 1,
                10 * (i > 0 ? det_pow(ratio, i / (boxes - 1.0)) : 1));
}

static void lay_tower(void)
{
    for (int i = 0; i < body_count; i++)
        lay(i, i - 1, 0, 0.5 * i, 0.5, 0.5, 0.5);
}

/* ---------------------------------------------------------------- what the law says */

/* By how much impulses and velocities are off it, as a velocity, line by line. */
static double lack(void)
{
    double worst = 0;
    for (int i = 0; i < s.count; i++) {
        const struct contact_law_contact *c = &s.contacts[i];
        const double *l = s.impulse + c->row, *v = s.velocity + c->row;
        double w = contact_law_row(&s, c->row)[c->row], apart = v[0] - c->bound;
        if (c->bound == -HUGE_VAL || w == 0)
            continue;
        worst = fmax(worst, fmax(-l[0] * w, fmin(apart, fabs(l[0]) * w)));
        worst = fmax(worst, -apart);
        if (c->size == 1)
            continue;
        double force = hypot(l[1], l[2]), slip = hypot(v[1], v[2]), most = c->friction * l[0];
        worst = fmax(worst, (force - most) * w);
        /* what slides is held by all there is, against its way */
        worst = fmax(worst, fmin(slip, hypot(l[1] * slip + most * v[1], l[2] * slip + most * v[2]) /
                                           slip * w));
    }
    return worst;
}

static void check_solved(double enough)
{
    ck_assert_double_le(s.residual, enough);
    ck_assert_double_le(lack(), 1e3 * enough);
}

/* ---------------------------------------------------------------- tests */

/* So many columns and laws of any kind; masses of the columns differ by this power of 10. */
static void set_random(int contacts, int limits, int of_columns, double power)
{
    double root[COLUMNS_MAX];
    clear(of_columns);
    for (int j = 0; j < columns; j++)
        root[j] = det_pow(10, rng_uniform(&rng, -power, power) / 4);
    for (int i = 0; i < contacts + limits; i++) {
        int size = i < contacts ? 3 : 1;
        double friction = size == 3 ? rng_uniform(&rng, 0, 1.2) : 0;
        int row = add_contact(size, friction, rng_uniform(&rng, -0.5, 0));
        for (int k = row; k < row + size; k++) {
            for (int j = 0; j < columns; j++)
                y[k][j] = rng_uniform(&rng, -1, 1) / root[j];
            s.free[k] = rng_uniform(&rng, -1, 1);
        }
    }
}

TEST(random_laws)
{
    int unsolved = 0;
    for (int i = 0; i < 400; i++) {
        int kind = i % 4, contacts = 1 + (int)rng_uniform(&rng, 0, kind == 2 ? 20 : 8);
        int limits = (int)rng_uniform(&rng, 0, 3);
        int of_columns = kind == 0 ? 3 * contacts + limits + 4 : kind == 1 ? 9 : 24;
        set_random(contacts, limits, of_columns, kind == 3 ? 4 : 1);
        solve();
        if (s.residual > 1e-10)
            unsolved++;
        else
            ck_assert_double_le(lack(), 1e-8);
    }
    ck_assert_int_le(unsolved, 3);
}

/* In a plane one tangent says what two do, of which the second moves nothing. */
TEST(one_tangent)
{
    enum { CONTACTS = 6, COLUMNS = 9 };
    for (int round = 0; round < 50; round++) {
        double velocities[2][2 * CONTACTS];
        struct rng again = rng;
        for (int size = 2; size <= 3; size++) {
            rng = again;
            clear(COLUMNS);
            for (int i = 0; i < CONTACTS; i++) {
                int row = add_contact(size, 0.5, 0);
                for (int k = row; k < row + 2; k++) {
                    s.free[k] = rng_uniform(&rng, -1, 1);
                    for (int j = 0; j < COLUMNS; j++)
                        y[k][j] = rng_uniform(&rng, -1, 1);
                }
            }
            solve();
            ck_assert_double_lt(s.residual, 1e-9);
            for (int i = 0; i < CONTACTS; i++)
                for (int k = 0; k < 2; k++)
                    velocities[size - 2][2 * i + k] = s.velocity[size * i + k];
        }
        for (int i = 0; i < 2 * CONTACTS; i++)
            ck_assert_double_eq_tol(velocities[0][i], velocities[1][i], 1e-8);
    }
}

TEST(towers_stand)
{
    for (int boxes = 1; boxes <= 16; boxes *= 4) {
        build_tower(boxes, 1);
        lay_tower();
        solve();
        check_solved(1e-11);
        for (int i = 0; i < s.rows; i++)
            ck_assert_double_le(fabs(s.velocity[i]), 1e-10);
        /* the four corners of a face share alike */
        for (int i = 0; i < s.count; i++) {
            double load = 10 * G_M_S2 * STEP_S * (boxes - i / 4);
            ck_assert_double_eq_tol(s.impulse[3 * i], load / 4, 1e-7 * load);
        }
    }
}

TEST(masses_differ)
{
    build_tower(12, 1e4);
    lay_tower();
    solve();
    check_solved(1e-11);
    build_tower(2, 1e4);
    lay_tower();
    solve();
    check_solved(1e-11);
    ck_assert_double_eq_tol(s.impulse[0], 100010 * G_M_S2 * STEP_S / 4, 1e-2);
}

TEST(top_strikes)
{
    build_tower(12, 1);
    bodies[11].v[1] = -3;
    bodies[11].w[2] = 1;
    lay_tower();
    solve();
    check_solved(1e-11);
}

/* On an incline that is 1e-3 less or more steep than friction holds. */
TEST(incline)
{
    const double mu = 0.5;
    for (int k = -1; k <= 1; k += 2) {
        double angle = det_atan2(mu * (1 + k * 1e-3), 1), sine, cosine;
        det_sincos(angle, &sine, &cosine);
        clear(6);
        int box = add_box(0, 0.25, 0, 1, 0.5, 1, 10);
        bodies[box].v[0] = G_M_S2 * STEP_S * sine;
        bodies[box].v[1] = -G_M_S2 * STEP_S * cosine;
        lay(box, -1, 0, 0, 0.5, 0.5, mu);
        solve();
        check_solved(1e-11);
        double exact = k < 0 ? 0 : G_M_S2 * STEP_S * (sine - mu * cosine);
        for (int i = 0; i < 4; i++) {
            ck_assert_double_eq_tol(s.velocity[3 * i + 1], exact, 1e-11);
            ck_assert_double_eq_tol(s.velocity[3 * i + 2], 0, 1e-11);
        }
    }
}

static void slide_and_spin(double side)
{
    clear(6);
    int box = add_box(0, 0.05, 0, 0.6, 0.1, 0.4, 1);
    bodies[box].v[0] = 2;
    bodies[box].v[2] = side * 0.3;
    bodies[box].w[1] = side * -8;
    lay(box, -1, 0, 0, 0.3, 0.2, 0.5);
    solve();
    check_solved(1e-11);
}

TEST(mirror_images)
{
    double normals[4], across[4];
    slide_and_spin(1);
    for (int i = 0; i < 4; i++) {
        normals[i] = s.impulse[3 * i];
        across[i] = s.impulse[3 * i + 2];
    }
    ck_assert_double_gt(fabs(normals[0] - normals[1]), 1e-4);
    slide_and_spin(-1);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(s.impulse[3 * (i ^ 2)], normals[i], 1e-8);
        ck_assert_double_eq_tol(s.impulse[3 * (i ^ 2) + 2], -across[i], 1e-8);
    }
}

/* Painleve's rod, which friction presses into the ground that it slides on. */
TEST_LOOP(rods_jam, 0, 9)
{
    static const double speeds[] = {1, 1e6, -1e6}, frictions[] = {0.5, 1.4, 3};
    double sine, cosine;
    det_sincos(1.1, &sine, &cosine);
    const double at[3] = {-cosine, -sine, 0};
    clear(6);
    int rod = add_box(0, 0, 0, 2, 0.02, 0.02, 1);
    bodies[rod].v[0] = speeds[_i / 3];
    touch(rod, -1, 0, 1, at, frictions[_i % 3], 0);
    solve();
    ck_assert_double_le(s.residual, 1e-13 * fmax(1e2, fabs(speeds[_i / 3])));
}

/* A box between two steep walls: it is solved; with bounds that ask it away from both there is no
 * solution, and that is told. */
TEST_LOOP(wedge, 0, 2)
{
    double sine, cosine;
    det_sincos(1.3, &sine, &cosine);
    clear(6);
    int box = add_box(0, 0, 0, 1, 1, 1, 10);
    bodies[box].v[1] = -2;
    bodies[box].w[2] = 3;
    for (int i = 0; i < 4; i++) {
        const double at[3] = {i & 1 ? -0.5 : 0.5, i & 2 ? -0.5 : 0.3, 0.1 * i};
        touch(box, -1, i & 1 ? sine : -sine, cosine, at, 1.5, _i);
    }
    solve();
    if (_i) {
        ck_assert_double_gt(s.residual, 1e-3);
        ck_assert_double_gt(lack(), 1e-3);
    } else {
        check_solved(1e-11);
    }
}

/* Contacts that do not feel one another have the impulses that they have alone, to the last bit. */
TEST(groups)
{
    double alone[12];
    slide_and_spin(1);
    memcpy(alone, s.impulse, sizeof alone);
    clear(18);
    for (int i = 0; i < 3; i++) {
        int box = add_box(3 * i, 0.05, 0, 0.6, 0.1, 0.4, 1);
        bodies[box].v[0] = 2;
        bodies[box].v[2] = 0.3;
        bodies[box].w[1] = -8;
    }
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) {
            const double at[3] = {3 * i + (k & 1 ? 0.3 : -0.3), 0, k & 2 ? 0.2 : -0.2};
            touch(i, -1, 0, 1, at, 0.5, 0);
        }
    solve();
    check_solved(1e-11);
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < 3; t++)
            ck_assert_double_eq(s.impulse[9 * k + t], alone[3 * k + t]);
}

/* What cannot move, or may have no impulse, gets none. */
TEST(inert)
{
    build_tower(1, 1);
    lay_tower();
    s.contacts[0].bound = -HUGE_VAL;
    int row = add_contact(3, 1, 0);
    s.free[row] = -1;
    solve();
    check_solved(1e-11);
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq(s.impulse[k], 0);
        ck_assert_double_eq(s.impulse[row + k], 0);
    }
}

/* The certificate, and this file's own, tell every wrong impulse. */
TEST_LOOP(wrong_impulses, 0, 5)
{
    slide_and_spin(1);
    double *l = s.impulse + 3, right = s.residual;
    if (_i == 0) /* adhesion */
        l[0] = -1e-3;
    else if (_i == 1) /* more than it takes */
        l[0] *= 1.01;
    else if (_i == 2) /* out of the cone */
        l[1] *= 1.01;
    else if (_i == 3) { /* friction not against sliding */
        double x = l[1];
        l[1] = 0.99 * x - 0.1410673597966588 * l[2];
        l[2] = 0.1410673597966588 * x + 0.99 * l[2];
    } else /* slides and is not held */
        l[1] = l[2] = 0;
    contact_law_set_velocities(&s);
    double worst = 0;
    for (int i = 0; i < s.count; i++)
        worst = fmax(worst, contact_law_miss(&s, i));
    ck_assert_double_le(right, 1e-11);
    ck_assert_msg(worst > 1e-5 && lack() > 1e-5, "%d: %g, %g", _i, worst, lack());
}

TEST(no_room)
{
    SCOPED(arena) small;
    struct contact_law law = {0};
    ck_assert_int_eq(arena_init(&small, 100000), 0);
    ck_assert_int_eq(law_reserve(&law, 4, 12, &small), 0);
    ck_assert_int_ne(law_reserve(&law, 100, 300, &small), 0);
    ck_assert_int_eq(law.rows_max, 12);
}

SUITE("law", 60, setup, NULL)
