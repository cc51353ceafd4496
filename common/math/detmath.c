/* Elementary functions from + - x / alone, in a fixed order of operations.
 *
 * Each function reduces its argument to a small interval and evaluates there a polynomial or
 * rational approximation, with the rounding error of the reduction carried along as a second double
 * where it matters; the approximations are the well-known ones of fdlibm (Sun 1993), tanh is a Padé
 * approximant. Requirements: IEEE 754 doubles evaluated as doubles (asserted), rounding to nearest,
 * no contraction to fused multiply-add (-ffp-contract=off), no -ffast-math. The unit test holds a
 * digest of results that any compiler and optimisation level must reproduce.
 *
 * Greatest errors met in millions of random arguments, in units of the last place: sin 0.79, cos
 * 0.76, exp 0.89 (1 where the result is subnormal), log 0.82, atan 0.77, atan2 1.45, tanh 1.04.
 * Costs at about 3 GHz: sincos 10 ns below pi/4, 20 ns up to 1.6e6, 60 ns beyond; exp, log, tanh,
 * atan 9 to 14 ns. det_sincos is in the innermost loop of the dynamics: its polynomials are
 * evaluated in pairs (Estrin), about 10 % faster than Horner's order and no less accurate.
 */
#include "common/math/detmath.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/math/pair.h"

_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be evaluated as doubles");
_Static_assert(DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, "doubles must be IEEE 754 binary64");

#define SIGN_BIT      (UINT64_C(1) << 63)
#define MANTISSA_MASK ((UINT64_C(1) << 52) - 1)

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double absolute(double x)
{
    return double_of(bits_of(x) & ~SIGN_BIT);
}

static double with_sign_of(double magnitude, double sign)
{
    return double_of(bits_of(magnitude) | (bits_of(sign) & SIGN_BIT));
}

/* 2^exponent for -1022 <= exponent <= 1023. */
static double power_of_two(int exponent)
{
    return double_of((uint64_t)(exponent + 1023) << 52);
}

/* ---- sine and cosine ---- */

/* A reduced argument: x = quadrant pi/2 + head + tail, |head| a little above pi/4 at most. */
struct reduced {
    double head, tail;
    unsigned quadrant; /* modulo 4 */
};

#define PI_4        0x1.921fb54442d18p-1
#define PI_2_HEAD   0x1.921fb54442d18p+0 /* pi/2 = head + tail to 107 bits */
#define PI_2_TAIL   0x1.1a62633145c07p-54
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
/* pi/2 in parts of 33, 33 and 53 bits: whole multiples up to 2^20 of the first two are exact. */
#define PI_2_PART_1       0x1.921fb54400000p+0
#define PI_2_PART_2       0x1.0b4611a600000p-34
#define PI_2_PART_3       0x1.3198a2e037073p-69
#define REDUCE_QUICK_MAX  1.6e6   /* below 2^20 pi/2 */
#define REDUCE_CANCEL_MIN 0x1p-40 /* a smaller difference has lost too many bits in three parts */

/* The binary digits of 2/pi after the point in words of 32 bits, after 64 leading zeros; enough for
 * the largest double (exponent 971 of its last bit, a window of 192 bits). */
#define TWO_OVER_PI_ZEROS 64
static const uint32_t two_over_pi[] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599,
    0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
    0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639,
    0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f,
    0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7,
    0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
};

/* 32 digits of 2/pi from a place of the table on. */
static uint32_t digits_at(unsigned place)
{
    uint64_t words = (uint64_t)two_over_pi[place / 32] << 32 | two_over_pi[place / 32 + 1];
    return (uint32_t)(words >> (32 - place % 32));
}

/* product = mantissa x 192 digits of 2/pi, modulo 2^192, most significant word first. Digits before
 * `place` would only add whole turns. */
static void multiply_digits(uint64_t mantissa, unsigned place, uint64_t product[3])
{
    uint64_t low = mantissa & UINT32_MAX, high = mantissa >> 32;
    uint32_t words[6]; /* least significant first */
    uint64_t carry = 0, previous = 0;
    for (unsigned i = 0; i < 6; i++) {
        /* Column i: low x digit i + high x digit i-1 + carry, in sums below 2^64. */
        uint64_t digit = digits_at(place + 32 * (5 - i));
        uint64_t sum = low * digit + (carry & UINT32_MAX);
        uint64_t upper = high * previous;
        uint64_t column = (sum & UINT32_MAX) + (upper & UINT32_MAX);
        words[i] = (uint32_t)column;
        carry = (carry >> 32) + (sum >> 32) + (upper >> 32) + (column >> 32);
        previous = digit;
    }
    for (int i = 0; i < 3; i++)
        product[i] = (uint64_t)words[5 - 2 * i] << 32 | words[4 - 2 * i];
}

static void shift_left_one(uint64_t words[3])
{
    words[0] = words[0] << 1 | words[1] >> 63;
    words[1] = words[1] << 1 | words[2] >> 63;
    words[2] <<= 1;
}

static void negate(uint64_t words[3])
{
    words[2] = ~words[2] + 1;
    words[1] = ~words[1] + (words[2] == 0);
    words[0] = ~words[0] + (words[1] == 0 && words[2] == 0);
}

/* The sum of a and b and the rounding error of it (Dekker 1971), |a| >= |b|. */
static double quick_sum(double a, double b, double *error)
{
    double sum = a + b;
    *error = b - (sum - a);
    return sum;
}

/* The product of a and b and the rounding error of it (Dekker 1971). */
static double exact_product(double a, double b, double *error)
{
    double a_wide = a * 0x1.0000002p27, b_wide = b * 0x1.0000002p27;
    double a_head = a_wide - (a_wide - a), a_tail = a - a_head;
    double b_head = b_wide - (b_wide - b), b_tail = b - b_head;
    double product = a * b;
    *error = a_tail * b_tail - (((product - a_head * b_head) - a_tail * b_head) - a_head * b_tail);
    return product;
}

/* Payne and Hanek 1983: the fraction of x 2/pi in integers, for any finite x >= pi/4. With
 * x = m 2^e, the digits of 2/pi from weight 2^(1-e) on decide x 2/pi modulo 4; 192 of them leave an
 * error of 2^-137, while no double comes nearer than about 2^-62 to a multiple of pi/2. */
static struct reduced reduce_slowly(double x)
{
    uint64_t bits = bits_of(x), words[3];
    int exponent = (int)(bits >> 52) - 1075;
    uint64_t mantissa = (bits & MANTISSA_MASK) | (UINT64_C(1) << 52);
    multiply_digits(mantissa, (unsigned)(exponent - 2 + TWO_OVER_PI_ZEROS), words);

    /* Two digits of the quadrant, then the fraction, taken to the nearest quadrant. */
    struct reduced reduced = {.quadrant = (unsigned)(words[0] >> 62)};
    shift_left_one(words);
    shift_left_one(words);
    int is_negative = words[0] >> 63 != 0;
    if (is_negative) {
        reduced.quadrant = (reduced.quadrant + 1) % 4;
        negate(words);
    }

    /* 106 bits of it as two doubles. */
    int shift = 0;
    for (; shift < 128 && !(words[0] >> 63); shift++)
        shift_left_one(words);
    double head = (double)(words[0] >> 11) * power_of_two(-53 - shift);
    double tail = (double)((words[0] & 0x7ff) << 42 | words[1] >> 22) * power_of_two(-106 - shift);

    /* Times pi/2. */
    double error;
    double product = exact_product(head, PI_2_HEAD, &error);
    error += head * PI_2_TAIL + tail * PI_2_HEAD;
    reduced.head = quick_sum(product, error, &reduced.tail);
    if (is_negative) {
        reduced.head = -reduced.head;
        reduced.tail = -reduced.tail;
    }
    return reduced;
}

/* Two arguments at once, for any compiler that knows vectors of two doubles (and in halves on
 * machines without them). sin(x + tail) for |x| <= pi/4: x + x^3 S(x^2), first order in the tail. */
static inline pair sine_kernel(pair x, pair tail)
{
    pair z = x * x;
    pair cube = z * x;
    pair w = z * z;
    pair rest = (8.33333333332248946124e-03 + z * -1.98412698298579493134e-04) +
                w * ((2.75573137070700676789e-06 + z * -2.50507602534068634195e-08) +
                     w * 1.58969099521155010221e-10);
    return x - ((z * (0.5 * tail - cube * rest) - tail) + cube * 1.66666666666666324348e-01);
}

/* cos(x + tail) for |x| <= pi/4: 1 - x^2/2 + x^4 C(x^2), the rounding error of 1 - x^2/2 kept. */
static inline pair cosine_kernel(pair x, pair tail)
{
    pair z = x * x;
    pair w = z * z;
    pair low = 4.16666666666666019037e-02 + z * -1.38888888888741095749e-03;
    pair middle = 2.48015872894767294178e-05 + z * -2.75573143513906633035e-07;
    pair high = 2.08757232129817482790e-09 + z * -1.13596475577881948265e-11;
    pair rest = z * (low + w * (middle + w * high));
    pair half = 0.5 * z;
    pair head = 1.0 - half;
    return head + (((1.0 - head) - half) + (z * rest - x * tail));
}

/* det_sincos() of two arguments by the quick reduction, that of Cody and Waite (1980) with three
 * parts of pi/2; 0 if one of them needs more. */
static inline int sincos_pair(pair argument, pair *sines, pair *cosines)
{
    const pair_bits sign_bit = {INT64_MIN, INT64_MIN};
    const pair magic = {0x1.8p52, 0x1.8p52};
    pair_bits sign = (pair_bits)argument & sign_bit;
    pair size = (pair)((pair_bits)argument ^ sign);

    /* below pi/4 it subtracts 0, exactly; a is exact, and the difference of a and b keeps its error
     * (Knuth's two-sum) */
    pair shifted = size * TWO_OVER_PI + magic;
    pair turns = shifted - magic;
    pair a = size - turns * PI_2_PART_1;
    pair b = turns * PI_2_PART_2;
    pair difference = a - b;
    pair b_kept = a - difference;
    pair error = (a - (difference + b_kept)) - (b - b_kept);
    pair rest = error - turns * PI_2_PART_3;
    pair head = difference + rest;
    pair tail = rest - (head - difference);
    pair_bits usual = pair_is_at_most(size, pair_of(REDUCE_QUICK_MAX)) &
                      (pair_is_equal(turns, pair_of(0)) |
                       pair_is_at_most(pair_of(REDUCE_CANCEL_MIN), pair_absolute(difference)));
    if (pair_mask(usual) != 3)
        return 0;

    /* odd quadrants exchange sine and cosine; the last bits of `shifted` are the quadrant */
    pair_bits quadrant = (pair_bits)shifted, odd = -(quadrant & 1);
    pair_bits s = (pair_bits)sine_kernel(head, tail);
    pair_bits c = (pair_bits)cosine_kernel(head, tail);
    pair_bits exchanged = (s ^ c) & odd;
    s ^= exchanged ^ sign ^ ((quadrant & 2) << 62);
    c ^= exchanged ^ (((quadrant + 1) & 2) << 62);
    *sines = (pair)s;
    *cosines = (pair)c;
    return 1;
}

void det_sincos(double x, double *sine, double *cosine)
{
    double size = absolute(x);
    pair sines, cosines;
    if (size <= PI_4) {
        *sine = sine_kernel(pair_of(x), pair_of(0))[0];
        *cosine = cosine_kernel(pair_of(x), pair_of(0))[0];
        return;
    }
    if (sincos_pair(pair_of(x), &sines, &cosines)) {
        *sine = sines[0];
        *cosine = cosines[0];
        return;
    }
    if (!(size <= DBL_MAX)) {
        *sine = 0.0;
        *cosine = 1.0;
        return;
    }

    /* Reduced for |x|, so that the symmetries are exact. */
    struct reduced reduced = reduce_slowly(size);
    pair head = pair_of(reduced.head), tail = pair_of(reduced.tail);
    double s = sine_kernel(head, tail)[0], c = cosine_kernel(head, tail)[0];
    double sine_of_size = reduced.quadrant & 1 ? c : s;
    double cosine_of_size = reduced.quadrant & 1 ? s : c;
    int is_sine_negative = (reduced.quadrant & 2) != 0;
    int is_cosine_negative = ((reduced.quadrant + 1) & 2) != 0;
    *sine = is_sine_negative != (x < 0.0) ? -sine_of_size : sine_of_size;
    *cosine = is_cosine_negative ? -cosine_of_size : cosine_of_size;
}

void det_sincos_all(const double *x, int count, double *sine, double *cosine)
{
    for (int i = 0; i < count; i += 2) {
        /* an odd last one is done twice */
        int last = i + 1 < count ? i + 1 : i;
        pair sines, cosines;
        if (!sincos_pair((pair){x[i], x[last]}, &sines, &cosines)) {
            det_sincos(x[i], &sine[i], &cosine[i]);
            det_sincos(x[last], &sine[last], &cosine[last]);
            continue;
        }
        sine[last] = sines[1];
        cosine[last] = cosines[1];
        sine[i] = sines[0];
        cosine[i] = cosines[0];
    }
}

double det_sin(double x)
{
    double sine, cosine;
    det_sincos(x, &sine, &cosine);
    return sine;
}

double det_cos(double x)
{
    double sine, cosine;
    det_sincos(x, &sine, &cosine);
    return cosine;
}

/* ---- exponential, logarithm, power ---- */

#define LN2_HEAD      6.93147180369123816490e-01 /* 33 bits: whole multiples below 2^20 are exact */
#define LN2_TAIL      1.90821492927058770002e-10
#define ONE_OVER_LN2  1.44269504088896338700e+00
#define EXP_OVERFLOW  709.782712893383973096   /* the largest x with a finite exponential */
#define EXP_UNDERFLOW (-745.13321910194110842) /* below it the result rounds to 0 */

/* x = k ln 2 + r, |r| <= ln 2 / 2; with c = r - r^2 P(r^2), e^r = 1 + r + r c / (2 - c). */
double det_exp(double x)
{
    if (x != x)
        return x;
    if (x > EXP_OVERFLOW)
        return HUGE_VAL;
    if (x < EXP_UNDERFLOW)
        return 0.0;
    /* the nearest whole number for |x| < 2^51: adding 1.5 2^52 leaves no room for a fraction */
    double k = (x * ONE_OVER_LN2 + 0x1.8p52) - 0x1.8p52;
    double head = x - k * LN2_HEAD;
    double tail = k * LN2_TAIL;
    double r = head - tail;
    double z = r * r;
    double c =
        r - z * (1.66666666666666019037e-01 +
                 z * (-2.77777777770155933842e-03 +
                      z * (6.61375632143793436117e-05 +
                           z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
    double result = 1.0 - ((tail - r * c / (2.0 - c)) - head);

    /* Times 2^k in two steps, of which only the last may round (to a subnormal). */
    int exponent = (int)k;
    if (exponent > 1023)
        return result * power_of_two(exponent - 1) * 2.0;
    if (exponent < -1022)
        return result * power_of_two(exponent + 1000) * power_of_two(-1000);
    return result * power_of_two(exponent);
}

/* x = 2^k (1 + f), sqrt(1/2) < 1 + f < sqrt(2); with s = f / (2 + f), ln(1 + f) = 2 artanh s =
 * f - f^2/2 + s (f^2/2 + R(s^2)). */
double det_log(double x)
{
    if (x == 0.0)
        return -HUGE_VAL;
    if (x < 0.0)
        return NAN;
    if (!(x <= DBL_MAX))
        return x;
    int k = 0;
    if (x < DBL_MIN) {
        x *= 0x1p54;
        k = -54;
    }
    uint64_t bits = bits_of(x);
    k += (int)(bits >> 52) - 1023;
    double m = double_of((bits & MANTISSA_MASK) | bits_of(1.0));
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        k++;
    }
    double f = m - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double w = z * z;
    double even = w * (3.999999999940941908e-01 +
                       w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    double odd = z * (6.666666666666735130e-01 +
                      w * (2.857142874366239149e-01 +
                           w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    double half_square = 0.5 * f * f;
    double rest = s * (half_square + (even + odd)) + k * LN2_TAIL;
    return k * LN2_HEAD - ((half_square - rest) - f);
}

double det_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    return det_exp(y * det_log(x));
}

/* ---- hyperbolic tangent ---- */

/* Below 0.75: tanh x = x / (1 + z/(3 + z/(5 + z/(7 + ...)))), z = x^2 (Lambert); cut after 19 and
 * written as x - x z B(z) / A(z) its error is below 1e-19. Beyond: 1 - 2 / (e^2x + 1), which is 1
 * from 20 on. */
double det_tanh(double x)
{
    double size = absolute(x);
    if (size < 0.75) {
        double z = x * x;
        double b = 218243025.0 + z * (16081065.0 + z * (289575.0 + z * (1430.0 + z)));
        double a =
            654729075.0 + z * (310134825.0 + z * (18918900.0 + z * (315315.0 + z * (1485.0 + z))));
        return x - x * (z * b / a);
    }
    if (x != x)
        return x;
    double result = size < 20.0 ? 1.0 - 2.0 / (det_exp(2.0 * size) + 1.0) : 1.0;
    return with_sign_of(result, x);
}

/* ---- arc tangent ---- */

/* x - x^3 T(x^2) for |x| < 7/16, as the part to be subtracted from x. */
static double arc_tangent_rest(double x)
{
    double z = x * x;
    double w = z * z;
    double odd =
        z * (3.33333333333329318027e-01 +
             w * (1.42857142725034663711e-01 +
                  w * (9.09088713343650656196e-02 +
                       w * (6.66107313738753120669e-02 +
                            w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
    double even =
        w * (-1.99999999998764832476e-01 +
             w * (-1.11111104054623557880e-01 +
                  w * (-7.69187620504482999495e-02 +
                       w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
    return x * (odd + even);
}

/* atan x = atan p + atan((x - p) / (1 + p x)) with p = 1/2, 1, 3/2 or infinity, whose arc tangents
 * are given to more than double precision. */
double det_atan(double x)
{
    double size = absolute(x);
    if (size < 0.4375)
        return x - arc_tangent_rest(x);
    double head, tail, t;
    if (size < 0.6875) {
        head = 4.63647609000806093515e-01;
        tail = 2.26987774529616870924e-17;
        t = (2.0 * size - 1.0) / (2.0 + size);
    } else if (size < 1.1875) {
        head = 7.85398163397448278999e-01;
        tail = 3.06161699786838301793e-17;
        t = (size - 1.0) / (size + 1.0);
    } else if (size < 2.4375) {
        head = 9.82793723247329054082e-01;
        tail = 1.39033110312309984516e-17;
        t = (size - 1.5) / (1.0 + 1.5 * size);
    } else {
        head = 1.57079632679489655800e+00;
        tail = 6.12323399573676603587e-17;
        t = -1.0 / size;
    }
    return with_sign_of(head - ((arc_tangent_rest(t) - tail) - t), x);
}

/* The angle of the quotient of the sizes, then the quadrant. Never divides by zero; a quotient that
 * overflows or vanishes gives the right limit. */
double det_atan2(double y, double x)
{
    if (x != x || y != y)
        return NAN;
    double across = absolute(x), up = absolute(y);
    double angle;
    if (up == 0.0)
        angle = 0.0;
    else if (across == 0.0)
        angle = PI_2_HEAD;
    else if (across > DBL_MAX && up > DBL_MAX)
        angle = PI_4;
    else
        angle = det_atan(up / across);
    if (x < 0.0)
        angle = 2.0 * PI_2_HEAD - (angle - 2.0 * PI_2_TAIL);
    return y < 0.0 ? -angle : angle;
}

/* ---- whole numbers ---- */

double det_floor(double x)
{
    /* From 2^52 on every double is whole; infinities and NaN are left as they are. */
    if (!(absolute(x) < 0x1p52))
        return x;
    double whole = (double)(int64_t)x;
    if (whole == x)
        return x;
    return whole > x ? whole - 1.0 : whole;
}
