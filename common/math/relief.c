/* See relief.h. Edges and faces are sampled in steps well below the shortest wave; Newton's method
 * goes on from samples that no neighbour is below. Most of a body is left out before: by its
 * height, as the ground is never above 0; by how it is tilted, as the ground is nowhere steeper
 * than slope_max; and by its height over the ground at one place. On a line, or on rows of a grid,
 * the phase of a wave grows by the same in each step, so that its sine and cosine are turned on
 * rather than found anew. Typical: a box that lies there has 4 corners, 4 edges and a face to look
 * at. */
#include "common/math/relief.h"

#include <math.h>

#include "common/math/detmath.h"
#include "common/math/rng.h"

/* Samples are at most this share of the shortest wave apart. The most that is missed between two,
 * where a crest is about to become none, is 1e-3 of the depth. */
#define SPACING_SHARE 0.1
/* Intervals of a piece of an edge or face that is sampled at once, along each side. */
enum { PIECE_MAX = 12 };
/* Newton's method ends with a step below this, m, or after so many. */
#define STEP_M 1e-13
enum { STEPS_MAX = 30 };
/* A point that still moves by more than this, m, is no lowest one. */
#define FOUND_M 1e-9
/* A point that gets this share of a spacing beyond its side is the neighbour's. */
#define OVER_SHARE 0.25
/* A point this near to the end of a side is the neighbour's, m. */
#define END_M 1e-9

static const double wave_numbers[RELIEF_WAVES] = {1, 0.85, 0.7};

/* ---------------------------------------------------------------- the ground */

static double sum_of_powers(int power)
{
    double sum = 0;
    for (int i = 0; i < RELIEF_WAVES; i++)
        sum += power == 1 ? wave_numbers[i] : wave_numbers[i] * wave_numbers[i];
    return sum;
}

/* The height of each wave from its middle. */
static double amplitude(const struct relief *r)
{
    return r->depth_m / (2 * RELIEF_WAVES);
}

double relief_steepest(double depth_m, double wavelength_m)
{
    return depth_m / (2 * RELIEF_WAVES) * (2 * DET_PI / wavelength_m) * sum_of_powers(1);
}

void relief_init(struct relief *r, double depth_m, double wavelength_m, uint64_t seed, int is_plane)
{
    double k = 2 * DET_PI / wavelength_m;
    struct rng rng;
    rng_init(&rng, seed, RNG_RELIEF, 0, 0);
    double first_rad = is_plane ? 0 : rng_uniform(&rng, 0, 2 * DET_PI);
    *r = (struct relief){.depth_m = depth_m,
                         .wavelength_m = wavelength_m,
                         .slope_max = relief_steepest(depth_m, wavelength_m)};
    r->bend_max = amplitude(r) * k * k * sum_of_powers(2);
    for (int i = 0; i < RELIEF_WAVES; i++) {
        double sine = 0, cosine = 1;
        if (!is_plane)
            det_sincos(first_rad + i * DET_PI / RELIEF_WAVES, &sine, &cosine);
        r->waves[i] = (struct relief_wave){.x = k * wave_numbers[i] * cosine,
                                           .z = k * wave_numbers[i] * sine,
                                           .phase_rad = rng_uniform(&rng, 0, 2 * DET_PI)};
    }
}

static double phase_of(const struct relief_wave *w, double x, double z)
{
    return w->x * x + w->z * z + w->phase_rad;
}

void relief_shift(struct relief *r, double x)
{
    for (int i = 0; i < RELIEF_WAVES; i++)
        r->waves[i].phase_rad += r->waves[i].x * x;
}

double relief_height(const struct relief *r, double x, double z)
{
    double sum = -RELIEF_WAVES;
    for (int i = 0; i < RELIEF_WAVES && r->depth_m > 0; i++)
        sum += det_sin(phase_of(&r->waves[i], x, z));
    return amplitude(r) * sum;
}

void relief_shape_at(const struct relief *r, double x, double z, struct relief_shape *shape)
{
    double size = amplitude(r);
    *shape = (struct relief_shape){.height = -RELIEF_WAVES * size};
    for (int i = 0; i < RELIEF_WAVES; i++) {
        const struct relief_wave *w = &r->waves[i];
        double sine, cosine;
        det_sincos(phase_of(w, x, z), &sine, &cosine);
        sine *= size;
        cosine *= size;
        shape->height += sine;
        shape->slope_x += w->x * cosine;
        shape->slope_z += w->z * cosine;
        shape->bend_xx -= w->x * w->x * sine;
        shape->bend_xz -= w->x * w->z * sine;
        shape->bend_zz -= w->z * w->z * sine;
    }
}

struct vec3 relief_normal(const struct relief_shape *s)
{
    double size = sqrt(1 + s->slope_x * s->slope_x + s->slope_z * s->slope_z);
    return (struct vec3){-s->slope_x / size, 1 / size, -s->slope_z / size};
}

/* How the slope along a changes along b, 1/m. */
static double relief_bend(const struct relief_shape *s, struct vec3 a, struct vec3 b)
{
    return s->bend_xx * a.x * b.x + s->bend_xz * (a.x * b.z + a.z * b.x) + s->bend_zz * a.z * b.z;
}

/* How fast f rises along a way. */
static double relief_rise(const struct relief_shape *s, struct vec3 way)
{
    return way.y - s->slope_x * way.x - s->slope_z * way.z;
}

/* ---------------------------------------------------------------- the lowest place near by */

struct vec3 relief_place(const struct relief_feature *f, const double s[2])
{
    struct vec3 at = f->at;
    for (int k = 0; k < f->sides; k++)
        at = vec3_along(at, f->along[k], s[k]);
    return at;
}

static int is_inside(const struct relief_feature *f, const double s[2])
{
    for (int k = 0; k < f->sides; k++)
        if (!(s[k] > END_M && s[k] < f->length[k] - END_M))
            return 0;
    return 1;
}

/* Newton's step to where f no longer rises along the sides; down the slope where f is not
 * hollow. */
static void find_step(const struct relief_feature *f, const struct relief_shape *shape,
                      double limit, double step[2])
{
    double rise[2] = {0, 0}, a = 1, b = 0, c = 1;
    for (int k = 0; k < f->sides; k++)
        rise[k] = relief_rise(shape, f->along[k]);
    a = -relief_bend(shape, f->along[0], f->along[0]);
    if (f->sides > 1) {
        b = -relief_bend(shape, f->along[0], f->along[1]);
        c = -relief_bend(shape, f->along[1], f->along[1]);
    }
    double determinant = a * c - b * b;
    if (a > 0 && determinant > 0) {
        step[0] = -(c * rise[0] - b * rise[1]) / determinant;
        step[1] = -(a * rise[1] - b * rise[0]) / determinant;
    } else {
        step[0] = -limit * rise[0];
        step[1] = -limit * rise[1];
    }
    double size = sqrt(step[0] * step[0] + step[1] * step[1]);
    for (int k = 0; k < 2 && size > limit; k++)
        step[k] *= limit / size;
}

/* Steps become shorter where they turn back, so that none goes to and fro across a bend. */
int relief_descend(const struct relief *r, const struct relief_feature *f, double s[2])
{
    double spacing = SPACING_SHARE * r->wavelength_m, limit = spacing, size = f->sides > 0;
    double step[2] = {0, 0};
    for (int i = 0; i < STEPS_MAX && size > STEP_M; i++) {
        const double before[2] = {step[0], step[1]};
        struct vec3 at = relief_place(f, s);
        struct relief_shape shape;
        relief_shape_at(r, at.x, at.z, &shape);
        find_step(f, &shape, limit, step);
        if (step[0] * before[0] + step[1] * before[1] < 0)
            limit /= 2;
        for (int k = 0; k < f->sides; k++) {
            s[k] += step[k];
            if (s[k] < -OVER_SHARE * spacing || s[k] > f->length[k] + OVER_SHARE * spacing)
                return 0;
        }
        size = fabs(step[0]) + fabs(step[1]);
    }
    return size <= FOUND_M && is_inside(f, s);
}

struct relief_motion relief_motion_of(const struct relief_shape *shape,
                                      const struct relief_feature *f, struct vec3 u,
                                      struct vec3 spin, double fastest)
{
    double b[2] = {0, 0}, f00 = 1, f01 = 0, f11 = 1;
    struct relief_motion motion = {.turning = -relief_bend(shape, u, u)};
    for (int i = 0; i < f->sides; i++)
        b[i] =
            relief_rise(shape, vec3_cross(spin, f->along[i])) - relief_bend(shape, u, f->along[i]);
    if (f->sides > 0)
        f00 = -relief_bend(shape, f->along[0], f->along[0]);
    if (f->sides > 1) {
        f01 = -relief_bend(shape, f->along[0], f->along[1]);
        f11 = -relief_bend(shape, f->along[1], f->along[1]);
    }
    double determinant = f00 * f11 - f01 * f01;
    double rates[2] = {f01 * b[1] - f11 * b[0], f01 * b[0] - f00 * b[1]};
    double size = sqrt(rates[0] * rates[0] + rates[1] * rates[1]);
    int is_hollow = f00 > 0 && determinant > 0;
    for (int i = 0; i < f->sides && is_hollow; i++) {
        rates[i] *= det_min(1 / determinant, size > 0 ? fastest / size : 0);
        motion.turning += b[i] * rates[i];
        motion.wandering = vec3_along(motion.wandering, f->along[i], rates[i]);
    }
    motion.turning *= relief_normal(shape).y;
    return motion;
}

/* ---------------------------------------------------------------- points */

static void add_point(const struct relief *r, const struct relief_feature *f, const double s[2],
                      double margin, struct relief_points *points)
{
    struct relief_shape shape;
    struct relief_point point = {.at = relief_place(f, s), .s = {s[0], s[1]}, .name = f->name};
    relief_shape_at(r, point.at.x, point.at.z, &shape);
    point.normal = relief_normal(&shape);
    point.gap = (point.at.y - shape.height) * point.normal.y;
    if (!(point.gap < margin))
        return;
    int place = points->count;
    for (int i = 0; i < points->count; i++) {
        const struct relief_point *p = &points->list[i];
        if (p->name % RELIEF_NAMES != f->name)
            continue;
        double apart = fabs(p->s[0] - s[0]) + fabs(p->s[1] - s[1]);
        if (apart < RELIEF_SAME_SHARE * r->wavelength_m)
            return;
        point.name = p->name >= point.name ? p->name + RELIEF_NAMES : point.name;
    }
    if (place == RELIEF_POINTS_MAX) {
        place = 0;
        for (int i = 1; i < points->count; i++)
            place = points->list[i].gap > points->list[place].gap ? i : place;
        if (points->list[place].gap <= point.gap)
            return;
    } else {
        points->count++;
    }
    points->list[place] = point;
}

/* ---------------------------------------------------------------- samples of an edge or face */

/* A piece of a feature: from .. from + count step along each side. */
struct piece {
    double from[2], step[2];
    int count[2];
};

/* Heights over the ground at the samples of a piece. */
static void sample(const struct relief *r, const struct relief_feature *f, const struct piece *p,
                   double heights[PIECE_MAX + 1][PIECE_MAX + 1])
{
    struct vec3 at = relief_place(f, p->from), ways[2];
    double size = amplitude(r);
    for (int k = 0; k < 2; k++)
        ways[k] = vec3_scale(f->along[k], p->step[k]);
    for (int j = 0; j <= p->count[1]; j++)
        for (int i = 0; i <= p->count[0]; i++)
            heights[j][i] = at.y + i * ways[0].y + j * ways[1].y + RELIEF_WAVES * size;
    for (int w = 0; w < RELIEF_WAVES; w++) {
        const struct relief_wave *wave = &r->waves[w];
        double sine[2] = {0, 0}, cosine[2] = {1, 1}, s, c;
        det_sincos(phase_of(wave, at.x, at.z), &s, &c);
        for (int k = 0; k < f->sides; k++)
            det_sincos(wave->x * ways[k].x + wave->z * ways[k].z, &sine[k], &cosine[k]);
        for (int j = 0; j <= p->count[1]; j++) {
            double row_s = s, row_c = c, before;
            for (int i = 0; i <= p->count[0]; i++) {
                heights[j][i] -= size * row_s;
                before = row_s;
                row_s = row_s * cosine[0] + row_c * sine[0];
                row_c = row_c * cosine[0] - before * sine[0];
            }
            before = s;
            s = s * cosine[1] + c * sine[1];
            c = c * cosine[1] - before * sine[1];
        }
    }
}

/* 1 if no neighbour of a sample is below it. */
static int is_lowest(const struct piece *p, const double heights[PIECE_MAX + 1][PIECE_MAX + 1],
                     int i, int j)
{
    for (int m = j > 0 ? j - 1 : 0; m <= j + 1 && m <= p->count[1]; m++)
        for (int n = i > 0 ? i - 1 : 0; n <= i + 1 && n <= p->count[0]; n++)
            if (heights[m][n] < heights[j][i])
                return 0;
    return 1;
}

static void search_piece(const struct relief *r, const struct relief_feature *f,
                         const struct piece *p, double margin, struct relief_points *points)
{
    double heights[PIECE_MAX + 1][PIECE_MAX + 1];
    /* f is at most this much lower between samples */
    double between = (p->step[0] * p->step[0] + p->step[1] * p->step[1]) / 8 * r->bend_max;
    double most = margin * sqrt(1 + r->slope_max * r->slope_max) + between;
    sample(r, f, p, heights);
    for (int j = 0; j <= p->count[1]; j++)
        for (int i = 0; i <= p->count[0]; i++) {
            double s[2] = {p->from[0] + i * p->step[0], p->from[1] + j * p->step[1]};
            if (heights[j][i] < most && is_lowest(p, heights, i, j) && relief_descend(r, f, s))
                add_point(r, f, s, margin, points);
        }
}

/* 1 if a part of a feature is higher than the margin everywhere, by its height in the middle. */
static int is_high(const struct relief *r, const struct relief_feature *f, const double from[2],
                   const double length[2], double margin)
{
    double middle[2] = {from[0] + length[0] / 2, from[1] + length[1] / 2}, fall = 0;
    struct vec3 at = relief_place(f, middle);
    for (int k = 0; k < f->sides; k++) {
        struct vec3 way = f->along[k];
        fall += length[k] / 2 * (fabs(way.y) + r->slope_max * sqrt(way.x * way.x + way.z * way.z));
    }
    double most = margin * sqrt(1 + r->slope_max * r->slope_max) + fall;
    return at.y > most || at.y - relief_height(r, at.x, at.z) > most;
}

/* Halves what is too long to be sampled at once. */
static void search(const struct relief *r, const struct relief_feature *f, const double from[2],
                   const double length[2], double margin, struct relief_points *points)
{
    double spacing = SPACING_SHARE * r->wavelength_m;
    struct piece p = {.from = {from[0], from[1]}};
    if (is_high(r, f, from, length, margin))
        return;
    for (int k = 0; k < f->sides; k++) {
        double count = ceil(length[k] / spacing);
        if (count > PIECE_MAX) {
            double half[2] = {length[0], length[1]}, second[2] = {from[0], from[1]};
            half[k] /= 2;
            second[k] += half[k];
            search(r, f, from, half, margin, points);
            search(r, f, second, half, margin, points);
            return;
        }
        p.count[k] = count > 1 ? (int)count : 1;
        p.step[k] = length[k] / p.count[k];
    }
    search_piece(r, f, &p, margin, points);
}

/* ---------------------------------------------------------------- boxes */

enum { FIRST_EDGE = 8, FIRST_FACE = 20, FEATURES = 26 };

struct relief_feature relief_feature_of(const struct solid *box, int name)
{
    int of = name % RELIEF_NAMES, corner = of, sides = 0, axes[2] = {0, 0};
    struct relief_feature f = {.name = of};
    if (of >= FIRST_FACE) {
        int axis = (of - FIRST_FACE) / 2;
        axes[0] = (axis + 1) % 3;
        axes[1] = (axis + 2) % 3;
        corner = (of & 1) << axis;
        sides = 2;
    } else if (of >= FIRST_EDGE) {
        int axis = axes[0] = (of - FIRST_EDGE) / 4, bits = (of - FIRST_EDGE) % 4;
        corner = (bits & 1) << (axis + 1) % 3 | bits >> 1 << (axis + 2) % 3;
        sides = 1;
    }
    f.at = solids_corner(box, corner);
    f.sides = sides;
    for (int k = 0; k < sides; k++) {
        f.along[k] = box->axes[axes[k]];
        f.length[k] = 2 * box->half[axes[k]];
    }
    return f;
}

/* 1 if a side with this outward normal can look at the ground somewhere. */
static int may_look_down(const struct relief *r, struct vec3 normal)
{
    double level = sqrt(normal.x * normal.x + normal.z * normal.z);
    return normal.y <= r->slope_max * level;
}

/* 1 if a box has this edge, and it can touch the ground between its ends. */
static int has_edge(const struct relief *r, const struct solid *box, int axis, int bits)
{
    struct vec3 way = box->axes[axis];
    if (box->half[axis] == 0 || fabs(way.y) > r->slope_max * sqrt(way.x * way.x + way.z * way.z))
        return 0;
    for (int k = 0; k < 2; k++) {
        int side = (axis + 1 + k) % 3, is_positive = bits >> k & 1;
        if (box->half[side] == 0 && is_positive)
            return 0;
        if (box->half[side] > 0 &&
            !may_look_down(r, vec3_scale(box->axes[side], is_positive ? 1 : -1)))
            return 0;
    }
    return 1;
}

/* 1 if a face can be parallel to the ground, and is on its side of the box. */
static int has_face(const struct relief *r, const struct solid *box, int axis, int is_positive)
{
    struct vec3 normal = vec3_scale(box->axes[axis], is_positive ? 1 : -1);
    double level = sqrt(normal.x * normal.x + normal.z * normal.z);
    return -normal.y * r->slope_max >= level;
}

void relief_meet(const struct relief *r, const struct solid *box, double margin,
                 struct relief_points *points)
{
    static const double start[2] = {0, 0};
    points->count = 0;
    for (int name = 0; name < FEATURES; name++) {
        int edge = name - FIRST_EDGE, face = name - FIRST_FACE;
        if (face >= 0 ? !has_face(r, box, face / 2, face % 2)
                      : edge >= 0 && !has_edge(r, box, edge / 4, edge % 4))
            continue;
        struct relief_feature f = relief_feature_of(box, name);
        if (edge >= 0)
            search(r, &f, start, f.length, margin, points);
        else if ((name < 4 || box->half[2] > 0) && f.at.y < margin)
            add_point(r, &f, start, margin, points);
    }
}

int relief_may_touch(const struct relief *r, const struct solid *box, double margin)
{
    struct relief_points points;
    for (int corner = 0; corner < 8; corner++) {
        struct vec3 at = solids_corner(box, corner);
        if (at.y < margin && at.y - relief_height(r, at.x, at.z) < margin)
            return 1;
    }
    relief_meet(r, box, margin, &points);
    return points.count > 0;
}

double relief_least_gap(const struct relief_points *points)
{
    double least = HUGE_VAL;
    for (int i = 0; i < points->count; i++)
        least = det_min(least, points->list[i].gap);
    return least;
}
