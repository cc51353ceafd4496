/* viewer/draw/palette: families of a preserve can be told apart, by eye and without cones for red or
 * green. */
#include "viewer/draw/palette.h"

#include "tests/suite.h"

enum { SIGHTS = 3 };
/* What eyes see: all cones, none for red, none for green (Machado, Oliveira, Fernandes 2009). */
static const double eyes[SIGHTS][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                          {{0.152286, 1.052583, -0.204868},
                                           {0.114503, 0.786281, 0.099216},
                                           {-0.003882, -0.048116, 1.051998}},
                                          {{0.367322, 0.860646, -0.227968},
                                           {0.280085, 0.672501, 0.047413},
                                           {-0.011820, 0.042940, 0.968881}}};
/* Linear sRGB to cones, and cube roots of cones to OKLab (Ottosson 2020). */
static const double to_cones[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                      {0.2119034982, 0.6806995451, 0.1073969566},
                                      {0.0883024619, 0.2817188376, 0.6299787005}};
static const double to_lab[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                    {1.9779984951, -2.4285922050, 0.4505937099},
                                    {0.0259040371, 0.7827717662, -0.8086757660}};

static void multiply(const double m[3][3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
}

static double linear_of(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void see(uint32_t color, int eye, double lab[3])
{
    double rgb[3], seen[3], cones[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = linear_of((color >> (16 - 8 * i) & 255) / 255.0);
    multiply(eyes[eye], rgb, seen);
    for (int i = 0; i < 3; i++)
        seen[i] = fmin(fmax(seen[i], 0), 1);
    multiply(to_cones, seen, cones);
    for (int i = 0; i < 3; i++)
        cones[i] = cbrt(cones[i]);
    multiply(to_lab, cones, lab);
}

/* How far apart the nearest two of the first `count` families are. */
static double least_distance(int count, int eye)
{
    double least = HUGE_VAL, a[3], b[3];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            see(palette_family_color(i), eye, a);
            see(palette_family_color(k), eye, b);
            least = fmin(least, hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]));
        }
    return least;
}

/* 0.02 is what can just be seen side by side. */
TEST(families_can_be_told_apart)
{
    static const struct {
        int count;
        double least[SIGHTS];
    } bounds[] = {
        {6, {0.24, 0.17, 0.17}}, {12, {0.14, 0.1, 0.1}}, {PALETTE_FAMILIES, {0.07, 0.043, 0.043}}};
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        for (int eye = 0; eye < SIGHTS; eye++)
            ck_assert_double_gt(least_distance(bounds[i].count, eye), bounds[i].least[eye]);
    ck_assert_uint_eq(palette_family_color(0), palette_family_color(PALETTE_FAMILIES));
    ck_assert_uint_eq(palette_family_color(INT32_MAX),
                      palette_family_color(INT32_MAX % PALETTE_FAMILIES));
}

/* Black and white are as far apart as OKLab has it: 1. */
TEST(the_distance_is_that_of_oklab)
{
    double black[3], white[3];
    for (int eye = 0; eye < SIGHTS; eye++) {
        see(0, eye, black);
        see(0xffffff, eye, white);
        ck_assert_double_eq_tol(white[0] - black[0], 1, 1e-3);
    }
}

SUITE("palette", 0, NULL, NULL)
