/* Quaternions, their exponential map, and the small matrices of bodies in space. */
#include "common/math/rotation.h"
#include "tests/vectors.h"
#include "tests/suite.h"

/* a + s b, not a unit. */
static struct quaternion quaternion_along(struct quaternion a, struct quaternion b, double s)
{
    return (struct quaternion){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

#define SAMPLES 20000

static struct rng rng;

static void setup(void)
{
    rng_init(&rng, 1, RNG_TEST, 0, 0);
}

static double any(double size)
{
    return rng_uniform(&rng, -size, size);
}

static struct vec3 any_vector(double size)
{
    return (struct vec3){any(size), any(size), any(size)};
}

static struct quaternion any_turn(void)
{
    return quaternion_exp(any_vector(3));
}

static long double error_of_length(struct quaternion q)
{
    long double w = q.w, x = q.x, y = q.y, z = q.z;
    return fabsl(sqrtl(w * w + x * x + y * y + z * z) - 1);
}

/* Against sine and cosine in long double, over the border between the series and det_sincos()
 * too. */
TEST(exponential_is_exact)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct vec3 v = any_vector(exp(rng_uniform(&rng, log(1e-9), log(20))));
        struct quaternion q = quaternion_exp(v);
        long double x = v.x, y = v.y, z = v.z, a = sqrtl(x * x + y * y + z * z) / 2;
        long double ratio = sinl(a) / a / 2;
        double bound = 5e-16 * (1 + (double)a);
        ck_assert_double_le(fabsl(q.w - cosl(a)), bound);
        ck_assert_double_le(fabsl(q.x - ratio * x), bound);
        ck_assert_double_le(fabsl(q.y - ratio * y), bound);
        ck_assert_double_le(fabsl(q.z - ratio * z), bound);
        ck_assert_double_le(error_of_length(q), 2 * 2.220446049250313e-16);
    }
}

/* A turn made of many stays a unit, and one that nothing turns stays the same to the bit. */
TEST(turns_stay_units)
{
    struct quaternion q = any_turn();
    for (int i = 0; i < SAMPLES; i++) {
        q = quaternion_normalised(quaternion_product(q, quaternion_exp(any_vector(0.1))));
        ck_assert_double_le(error_of_length(q), 2 * 2.220446049250313e-16);
    }
    for (int i = 0; i < SAMPLES; i++) {
        struct quaternion once = quaternion_normalised(any_turn());
        struct quaternion still = quaternion_normalised(once);
        ck_assert(once.w == still.w && once.x == still.x && once.y == still.y && once.z == still.z);
    }
}

TEST(logarithm_inverts)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct vec3 v = any_vector(1.8);
        struct quaternion q = quaternion_exp(v), other = {-q.w, -q.x, -q.y, -q.z};
        if (vec3_length(v) < 3.1)
            ck_assert_double_le(vec3_distance(quaternion_log(q), v), 1e-14);
        ck_assert_double_le(vec3_distance(quaternion_log(q), quaternion_log(other)), 0);
    }
}

/* The matrix of a product is the product of the matrices; columns are orthonormal; signs do not
 * matter. */
TEST(matrices_agree)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct quaternion p = any_turn(), q = any_turn(), other = {-q.w, -q.x, -q.y, -q.z};
        struct mat3 a = quaternion_matrix(p), b = quaternion_matrix(q), c = mat3_product(&a, &b);
        struct mat3 d = quaternion_matrix(quaternion_product(p, q)), e = quaternion_matrix(other);
        struct vec3 v = any_vector(1);
        struct quaternion again = quaternion_of(&a);
        struct mat3 same = quaternion_matrix(again);
        ck_assert_double_ge(again.w, 0);
        ck_assert_double_le(vec3_distance(mat3_apply(&a, v), mat3_apply(&same, v)), 1e-14);
        ck_assert_double_le(vec3_distance(mat3_apply(&c, v), mat3_apply(&d, v)), 1e-14);
        ck_assert_double_le(vec3_distance(mat3_back(&a, mat3_apply(&a, v)), v), 1e-14);
        ck_assert_double_le(vec3_distance(vec3_cross(a.x, a.y), a.z), 1e-14);
        ck_assert_double_le(vec3_distance(mat3_apply(&b, v), mat3_apply(&e, v)), 0);
    }
}

/* d/dt of exp(w t) from the right is what quaternion_rate() says. */
TEST(rates_are_derivatives)
{
    for (int i = 0; i < 1000; i++) {
        struct quaternion q = any_turn();
        struct vec3 w = any_vector(1);
        double h = 1e-5;
        struct quaternion there = quaternion_product(q, quaternion_exp(vec3_scale(w, h)));
        struct quaternion back = quaternion_product(q, quaternion_exp(vec3_scale(w, -h)));
        struct quaternion rate = quaternion_rate(q, w);
        struct quaternion change = quaternion_along(there, back, -1);
        ck_assert_double_le(fabs(change.w / (2 * h) - rate.w), 1e-9);
        ck_assert_double_le(fabs(change.x / (2 * h) - rate.x), 1e-9);
        ck_assert_double_le(fabs(change.y / (2 * h) - rate.y), 1e-9);
        ck_assert_double_le(fabs(change.z / (2 * h) - rate.z), 1e-9);
    }
}

TEST(symmetric_matrices)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct vec3 u = any_vector(1), v = any_vector(1), w = any_vector(1), x = any_vector(1);
        struct sym3 zero = {0, 0, 0, 0, 0, 0}, a = sym3_along(&zero, u, 1);
        a = sym3_along(&a, v, 2);
        a = sym3_along(&a, w, 3);
        a = sym3_along(&a, (struct vec3){1, 0, 0}, 0.1);
        a = sym3_along(&a, (struct vec3){0, 1, 0}, 0.1);
        a = sym3_along(&a, (struct vec3){0, 0, 1}, 0.1);
        struct sym3 inverse = sym3_inverse(&a);
        ck_assert_double_le(vec3_distance(sym3_apply(&inverse, sym3_apply(&a, x)), x), 1e-12);
        struct mat3 r = quaternion_matrix(any_turn());
        struct sym3 turned = sym3_turned(&a, &r);
        struct vec3 there = mat3_apply(&r, sym3_apply(&a, mat3_back(&r, x)));
        ck_assert_double_le(vec3_distance(sym3_apply(&turned, x), there), 1e-13);
    }
}

SUITE("boxes_rotation", 60, setup, NULL)
