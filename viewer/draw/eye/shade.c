#include "viewer/draw/eye/shade.h"

#include <math.h>

/* The sun stands at the upper left, before the picture. */
#define SUN          ((struct vec3){-0.60, 0.72, 0.28})
#define SUN_DARKNESS 0.40 /* of its shadow */
#define SUN_WIDTH    0.10 /* tangent of its half angle */
/* Directions of the sun and of the sky; of pictures without a world, where the ground has no
 * colours of its own between which the edges of single shadows are lost, as many as make whole
 * 255ths of the darkness, rounded down by cairo: 3 and 1. */
#define SUN_DIRECTIONS 10
#define SUN_FINE       33
#define SKY_DARKNESS   0.28
#define SKY_WIDTH      0.8 /* sine of the angle from straight above */
#define SKY_DIRECTIONS 16
#define SKY_FINE       71
#define DIRECTIONS_MAX (SUN_FINE + SKY_FINE)
#define BALL_POINTS    14
/* Light that comes flatter than that along a plane casts nothing on it. */
#define GRAZING 0.06

struct direction {
    struct vec3 from;
    double darkness;
    int is_sun;
};

/* Any two directions that make a right-handed system with the third. */
static void across(struct vec3 way, struct vec3 *u, struct vec3 *v)
{
    struct vec3 other = fabs(way.x) < 0.7 ? (struct vec3){1, 0, 0} : (struct vec3){0, 0, 1};
    *u = eye_unit(vec3_cross(other, way));
    *v = vec3_cross(way, *u);
}

/* Points of a sunflower, spread evenly over a disc: the sun's, and the sky's, seen from below. */
static int list_directions(struct direction *list, int is_fine)
{
    const double turn = DRAW_PI * (3 - sqrt(5));
    int count = 0, suns = is_fine ? SUN_FINE : SUN_DIRECTIONS;
    int skies = is_fine ? SKY_FINE : SKY_DIRECTIONS;
    struct vec3 u, v, sun = eye_unit(SUN);
    across(sun, &u, &v);
    for (int i = 0; i < suns; i++) {
        double radius = SUN_WIDTH * sqrt((i + 0.5) / suns), angle = i * turn;
        struct vec3 from =
            vec3_along(vec3_along(sun, u, radius * cos(angle)), v, radius * sin(angle));
        list[count++] = (struct direction){eye_unit(from), SUN_DARKNESS / suns, 1};
    }
    for (int i = 0; i < skies; i++) {
        double radius = SKY_WIDTH * sqrt((i + 0.5) / skies), angle = i * turn + 1;
        struct vec3 from = {radius * cos(angle), sqrt(1 - radius * radius), radius * sin(angle)};
        list[count++] = (struct direction){from, SKY_DARKNESS / skies, 0};
    }
    return count;
}

struct vec3 shade_sun(void)
{
    return eye_unit(SUN);
}

double shade_face(struct vec3 normal)
{
    double sun = fmax(vec3_dot(normal, shade_sun()), 0);
    return fmin(fmax(-0.62 + 1.15 * sun + 0.30 * normal.y, -1), 1);
}

uint32_t shade_color(uint32_t color, double lit)
{
    return lit > 0 ? palette_mix(color, 0xffffff, 0.42 * lit)
                   : palette_mix(color, SHADE, -0.52 * lit);
}

/* ---- casters ---- */

struct caster shade_box(int owner, struct vec3 middle, struct vec3 x, struct vec3 y, struct vec3 z)
{
    struct caster caster = {.owner = owner, .is_box = 1, .middle = middle};
    for (int i = 0; i < 8; i++) {
        struct vec3 at = vec3_along(middle, x, i & 1 ? 1 : -1);
        at = vec3_along(at, y, i & 2 ? 1 : -1);
        caster.corners[i] = vec3_along(at, z, i & 4 ? 1 : -1);
    }
    caster.reach = vec3_length(vec3_sub(caster.corners[7], middle));
    return caster;
}

struct caster shade_balls(int owner, struct vec3 a, double radius_a, struct vec3 b, double radius_b)
{
    ENSURE(radius_a >= 0 && radius_b >= 0, "balls of %g and %g m", radius_a, radius_b);
    struct vec3 way = vec3_sub(b, a);
    return (struct caster){.owner = owner,
                           .ends = {a, b},
                           .radii = {radius_a, radius_b},
                           .middle = vec3_along(a, way, 0.5),
                           .reach = vec3_length(way) / 2 + fmax(radius_a, radius_b)};
}

/* ---- outlines ---- */

/* How far before the plane. */
static double height(const struct plane *plane, struct vec3 at)
{
    return vec3_dot(plane->normal, vec3_sub(at, plane->at));
}

/* Where what is at a height casts its shadow. */
static struct vec3 fall(const struct plane *plane, struct vec3 at, struct vec3 from)
{
    return vec3_along(at, from, -height(plane, at) / vec3_dot(plane->normal, from));
}

/* The corners before the plane, and where edges go through it. */
static int cast_box(const struct caster *caster, const struct plane *plane, struct vec3 from,
                    struct vec3 *points)
{
    int count = 0;
    double heights[8];
    for (int i = 0; i < 8; i++) {
        heights[i] = height(plane, caster->corners[i]);
        if (heights[i] >= 0)
            points[count++] = fall(plane, caster->corners[i], from);
    }
    for (int i = 0; i < 8; i++)
        for (int bit = 1; bit < 8; bit *= 2) {
            int k = i | bit;
            if (i == k || (heights[i] >= 0) == (heights[k] >= 0))
                continue;
            double share = heights[i] / (heights[i] - heights[k]);
            struct vec3 way = vec3_sub(caster->corners[k], caster->corners[i]);
            points[count++] = vec3_along(caster->corners[i], way, share);
        }
    return count;
}

/* Discs across the light; of one that is partly beyond the plane what is before it. */
static int cast_balls(const struct caster *caster, const struct plane *plane, struct vec3 from,
                      struct vec3 *points)
{
    int count = 0;
    struct vec3 u, v;
    across(from, &u, &v);
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < BALL_POINTS; i++) {
            double angle = 2 * DRAW_PI * i / BALL_POINTS;
            struct vec3 at = vec3_along(caster->ends[end], u, caster->radii[end] * cos(angle));
            at = vec3_along(at, v, caster->radii[end] * sin(angle));
            if (height(plane, caster->ends[end]) >= 0)
                points[count++] = fall(plane, at, from);
        }
    return count;
}

struct flat {
    double x, y;
    int index;
};

/* One side of the hull, of points sorted by x: Andrew, Another efficient algorithm for convex hulls
 * in two dimensions, Information Processing Letters 9(5), 1979. */
static int add_chain(const struct flat *points, int count, int step, struct flat *hull, int base)
{
    int used = base;
    for (int i = 0; i < count; i++) {
        const struct flat *c = &points[step > 0 ? i : count - 1 - i];
        for (; used > base + 1; used--) {
            const struct flat *a = &hull[used - 2], *b = &hull[used - 1];
            if ((b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x) > 0)
                break;
        }
        hull[used++] = *c;
    }
    return used - 1; /* the last one begins the other side */
}

/* Makes the convex hull of places of a plane in place; returns its size. */
static int make_hull(const struct plane *plane, struct vec3 *points, int count)
{
    struct flat sorted[SHADE_POINTS_MAX], hull[2 * SHADE_POINTS_MAX];
    struct vec3 u, v, kept[SHADE_POINTS_MAX];
    across(plane->normal, &u, &v);
    for (int i = 0; i < count; i++) {
        struct vec3 way = vec3_sub(points[i], plane->at);
        struct flat flat = {vec3_dot(way, u), vec3_dot(way, v), i};
        int k = i;
        for (; k > 0 && (sorted[k - 1].x > flat.x ||
                         (sorted[k - 1].x == flat.x && sorted[k - 1].y > flat.y));
             k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = flat;
    }
    int size = add_chain(sorted, count, 1, hull, 0);
    size = add_chain(sorted, count, -1, hull, size);
    for (int i = 0; i < size; i++)
        kept[i] = points[hull[i].index];
    for (int i = 0; i < size; i++)
        points[i] = kept[i];
    return size;
}

int shade_outline(const struct caster *caster, const struct plane *plane, struct vec3 from,
                  struct vec3 *outline)
{
    if (vec3_dot(plane->normal, from) < GRAZING)
        return 0;
    int count = (caster->is_box ? cast_box : cast_balls)(caster, plane, from, outline);
    if (count < 3)
        return 0;
    count = make_hull(plane, outline, count);
    return count < 3 ? 0 : count;
}

/* 0 if the shadow cannot fall on a ball of radius reach around the plane's place. */
static int may_fall(const struct caster *caster, const struct plane *plane, struct vec3 from,
                    double reach)
{
    struct vec3 way = vec3_sub(caster->middle, plane->at);
    double along = vec3_dot(way, from), most = reach + caster->reach;
    if (vec3_dot(plane->normal, way) < -caster->reach)
        return 0;
    return isinf(reach) || (along > -most && vec3_dot(way, way) - along * along < most * most);
}

/* The shadows for one direction as the current path; 0: there are none. */
static int trace_shadows(cairo_t *cr, const struct eye *eye, const struct caster *casters,
                         int count, const struct plane *plane, double reach, int owner,
                         const struct direction *direction)
{
    int is_any = 0;
    for (int k = 0; k < count; k++) {
        struct vec3 outline[SHADE_POINTS_MAX];
        if (casters[k].owner == owner || (casters[k].is_thin && !direction->is_sun) ||
            !may_fall(&casters[k], plane, direction->from, reach))
            continue;
        int corners = shade_outline(&casters[k], plane, direction->from, outline);
        is_any |= corners && eye_trace_polygon(cr, eye, outline, corners);
    }
    return is_any;
}

struct shadows {
    cairo_path_t *paths[DIRECTIONS_MAX];
    double darkness[DIRECTIONS_MAX];
    int count;
    double box[4]; /* around all: left, top, right, bottom */
};

static void keep_path(cairo_t *cr, struct shadows *shadows, double darkness)
{
    double *box = shadows->box, b[4];
    cairo_path_extents(cr, &b[0], &b[1], &b[2], &b[3]);
    for (int i = 0; i < 4; i++)
        if (!shadows->count || (i < 2 ? b[i] < box[i] : b[i] > box[i]))
            box[i] = b[i];
    shadows->darkness[shadows->count] = darkness;
    shadows->paths[shadows->count++] = cairo_copy_path(cr);
}

/* Adds all up in a mask: laid over one another they would be rounded to 8 bits each time, and take
 * on a colour. */
static cairo_pattern_t *make_mask(cairo_t *cr, struct shadows *shadows)
{
    cairo_push_group_with_content(cr, CAIRO_CONTENT_ALPHA);
    cairo_set_operator(cr, CAIRO_OPERATOR_ADD);
    for (int i = 0; i < shadows->count; i++) {
        cairo_new_path(cr);
        cairo_append_path(cr, shadows->paths[i]);
        cairo_path_destroy(shadows->paths[i]);
        cairo_set_source_rgba(cr, 0, 0, 0, shadows->darkness[i]);
        cairo_fill(cr);
    }
    return cairo_pop_group(cr);
}

void shade_cast(cairo_t *cr, const struct eye *eye, const struct caster *casters, int count,
                const struct plane *plane, double reach, int owner, double strength)
{
    ENSURE(count >= 0 && strength >= 0 && strength <= 1, "%d casters, strength %g", count,
           strength);
    struct direction list[DIRECTIONS_MAX];
    struct shadows shadows = {.count = 0};
    int directions = list_directions(list, eye->view->is_fine);
    for (int i = 0; i < directions; i++) {
        cairo_new_path(cr);
        if (trace_shadows(cr, eye, casters, count, plane, reach, owner, &list[i]))
            keep_path(cr, &shadows, list[i].darkness);
    }
    cairo_new_path(cr);
    if (!shadows.count)
        return;
    /* in a drawing, which has no operator that adds, they lie over one another */
    for (int i = 0; i < shadows.count && !draw_is_image(cr); i++) {
        cairo_append_path(cr, shadows.paths[i]);
        cairo_path_destroy(shadows.paths[i]);
        draw_fill(cr, COLOR_shadow, strength * shadows.darkness[i]);
    }
    if (!draw_is_image(cr))
        return;
    draw_clip(cr, floor(shadows.box[0]), floor(shadows.box[1]),
              ceil(shadows.box[2]) - floor(shadows.box[0]),
              ceil(shadows.box[3]) - floor(shadows.box[1]));
    cairo_pattern_t *mask = make_mask(cr, &shadows);
    draw_set_color(cr, palette[COLOR_shadow].light, strength);
    cairo_mask(cr, mask);
    cairo_pattern_destroy(mask);
    cairo_restore(cr);
}
