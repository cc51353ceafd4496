#include "viewer/draw/eye/skin.h"

#include <math.h>
#include <stdlib.h>

#include "viewer/draw/eye/raster.h"
#include "viewer/draw/eye/shade.h"

/* Bellies of animals: their colour, and how much of it they have. */
#define BELLY_COLOR 0xf3e9d2
#define BELLY       0.7
/* Samples along a side of a pixel; pixels of an image in a drawing, by one of the drawing's, where
 * it has no more than so many to a side. */
enum { SAMPLES = 2, SAMPLES_COARSE = 1 };
#define FINE        3.0
#define FINE_PX_MAX 8192
/* Of the outline: its width, px at ui 1 at most, by the size of the body, and in the plane by a
 * limb's thinnest half at most; how much farther is what lies beside, by the size of the body. */
#define LINE_MOST_PX 1.6
#define LINE_SIZE    0.012
#define LINE_THIN    0.4
#define LINE_DEPTH   0.04
/* Rows of a net on a round edge of a limb and of a neck, by their size, and between edges. */
enum { EDGE_MOST = 12, MIDDLE_MOST = 8, ROWS_MAX = 2 * EDGE_MOST + MIDDLE_MOST };
#define EDGE_PX 10.0
#define NECK_PX 14.0
/* Of a box its outer rows, for its shading, by its thinnest half. */
#define BOX_ROWS 0.5
/* Steps towards the surface, which ends so near to it by the limb's thinnest half. */
enum { STEPS = 8 };
#define TOLERANCE 0.01
/* Where the way to a neck's surface grazes it by less than this sine, it sinks, by so much of the
 * net's radius. */
#define GRAZING 0.6
#define SINK    0.2
/* Corners that look away from the eye by more than this cosine are left out. */
#define AWAY -0.6
/* A limb with a round shadow is less wide than so many times its thickness; the share that edges
 * take from the shadows of others, of their radius. */
#define ROUND_MOST 1.6
#define EDGE_SHADE 0.2
/* Steps of the light, those of what is near, by the body's size; lines of a corner in the plane. */
enum { SUN_STEPS = 10, OPEN_STEPS = 2, ARC_LINES = 6 };
#define OPEN_STEP 0.04

struct skin {
    const struct scene *scene;
    struct raster *raster; /* NULL: in the plane, or nothing is seen */
    double fine;           /* pixels a px */
    int is_coarse;         /* half as fine, in edges and in shape */
    struct limbs *limbs;
};

/* A corner of a net. */
struct corner {
    struct vec3 at, normal;
    struct spot spot;
    double facing; /* the eye: the cosine */
    uint32_t color;
};

/* A closed net around a limb, or, around its joint, over the ball and the neck. The former is drawn
 * tight over the limb alone, so that there are no holes, and lies under the latter near joints. */
struct net {
    const struct limb *limb;
    int is_neck, is_box;
    struct vec3 centre;
    double half[3], core[3]; /* corners move from a box towards the core, a smaller one */
    double edge;             /* the radius of its edges */
    int edge_rows;
};

static uint32_t fade(const struct skin *skin, uint32_t color)
{
    return palette_mix(color, palette[COLOR_sky_bottom].light, 0.85 * skin->scene->ghost);
}

/* ---- in space: light ---- */

/* How much of the sun comes there: 0 .. 1, soft by how near its way leads past the body. */
static double sun_at(const struct skin *skin, struct vec3 at, double size)
{
    double open = 1, way = 0.03 * size;
    struct vec3 sun = shade_sun();
    for (int i = 0; i < SUN_STEPS && way < size; i++) {
        double clear = limbs_clearance(skin->limbs, vec3_along(at, sun, way), 0.2 * size);
        open = fmin(open, 8 * clear / way);
        if (open <= 0)
            return 0;
        way += fmax(clear, 0.03 * size);
    }
    return open;
}

/* How much of what is around is free: 1 .. about 0. */
static double open_at(const struct skin *skin, struct vec3 at, struct vec3 normal, double size)
{
    double open = 1;
    for (int i = 1; i <= OPEN_STEPS; i++) {
        double step = OPEN_STEP * i * size;
        double clear = limbs_clearance(skin->limbs, vec3_along(at, normal, step), step);
        open -= 0.45 / i * fmax(step - clear, 0) / step;
    }
    return fmax(open, 0);
}

static uint32_t limb_color(const struct skin *skin, const struct limb *limb,
                           const struct corner *corner)
{
    double below = -vec3_dot(corner->normal, skin->limbs->up);
    int has_belly = skin->limbs->is_animal && limb->is_single;
    return palette_mix(limb->color, BELLY_COLOR,
                       has_belly ? BELLY * fmin(2 * fmax(below, 0), 1) : 0);
}

static uint32_t light_corner(const struct skin *skin, const struct net *net,
                             const struct corner *corner)
{
    const struct limb *limb = net->limb;
    double size = skin->scene->replay->size_m;
    uint32_t color = limb_color(skin, limb, corner);
    if (net->is_neck)
        color = palette_mix(limb_color(skin, &skin->limbs->list[limb->parent], corner), color,
                            limbs_neck_share(skin->limbs, limb, corner->at));
    double sun = fmax(vec3_dot(corner->normal, shade_sun()), 0);
    if (sun > 0)
        sun *= sun_at(skin, corner->at, size);
    double lit = -0.50 + 1.05 * sun + 0.30 * corner->normal.y -
                 0.8 * (1 - open_at(skin, corner->at, corner->normal, size));
    lit -= 1.1 * fmax(0.4 - corner->facing, 0); /* edges turn away */
    if (skin->scene->replay->has_ground)
        lit -= 0.25 * fmin(fmax(1 - corner->at.y / (0.25 * size), 0), 1);
    return fade(skin, shade_color(color, fmin(fmax(lit, -1.25), 1)));
}

/* ---- in space: nets ---- */

/* Where row i of `rows` is along a side, -1 .. 1: more of them where the edge is round. */
static double row_place(const struct net *net, int axis, int i, int rows)
{
    int edge = net->edge_rows, middle = rows - 2 * edge;
    double core = net->core[axis] / net->half[axis];
    if (i < edge)
        return -1 + (1 - core) * i / edge;
    if (i > rows - edge)
        return 1 - (1 - core) * (rows - i) / edge;
    return core * (2.0 * (i - edge) / middle - 1);
}

/* How many rows a side has: where it is flat one for the thickness of the limb, or so. */
static int count_rows(const struct net *net, int axis)
{
    double middle = ceil(2 * net->core[axis] / fmax(net->edge, 1e-9));
    return 2 * net->edge_rows + (int)fmin(fmax(middle, 1), MIDDLE_MOST);
}

static double net_distance(const struct skin *skin, const struct net *net, struct vec3 at)
{
    return net->is_neck ? limbs_neck_distance(skin->limbs, net->limb, at)
                        : limb_distance(net->limb, at);
}

static struct vec3 normal_at(const struct skin *skin, const struct net *net, struct vec3 at)
{
    static const struct vec3 ways[] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    double step = 0.02 * net->edge;
    struct vec3 normal = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        normal =
            vec3_along(normal, ways[i], net_distance(skin, net, vec3_along(at, ways[i], step)));
    double length = vec3_length(normal);
    return length > 0 ? vec3_scale(normal, 1 / length) : (struct vec3){0, 1, 0};
}

/* Moves a corner along its way until it is on the surface; 0: of a neck, it begins in a limb. */
static int move_corner(const struct skin *skin, const struct net *net, struct corner *corner,
                       struct vec3 way, double length)
{
    struct vec3 from = corner->at;
    double done = net->is_neck ? length - net->limb->neck_reach : 0, left = 0; /* on a ball */
    for (int i = 0; i < STEPS; i++) {
        corner->at = vec3_along(from, way, done);
        left = net_distance(skin, net, corner->at);
        if (net->is_neck && i == 0 && left < 0)
            return 0;
        if (left < TOLERANCE * net->edge)
            break;
        done = fmin(done + left, length);
    }
    corner->normal = normal_at(skin, net, corner->at);
    if (net->is_neck) { /* where the way grazes it, the surface is still ahead */
        corner->at = vec3_along(corner->at, corner->normal, -left);
        corner->normal = normal_at(skin, net, corner->at);
    }
    return 1;
}

/* The corner that belongs to a place of the box, of shares of its halves. */
static struct corner place_corner(const struct skin *skin, const struct net *net, int axis,
                                  const double shares[3])
{
    const struct limb *limb = net->limb;
    const struct eye *eye = &skin->scene->eye;
    struct vec3 from = net->centre, to = net->centre;
    int along = net->is_neck ? -1 : limb->along;
    double scale = 1;
    if (along >= 0)
        scale = 1 - limb->taper * (1 - limb->sign * shares[along]) / 2;
    for (int k = 0; k < 3; k++) {
        double out = shares[k] * net->half[k] * (k == along ? 1 : scale);
        double most = net->core[k] * (k == along ? 1 : scale);
        from = vec3_along(from, limb->axes[k], out);
        to = vec3_along(to, limb->axes[k], fmin(fmax(out, -most), most));
    }
    struct vec3 way = vec3_sub(to, from);
    double length = vec3_length(way);
    way = vec3_scale(way, 1 / fmax(length, 1e-12));
    struct corner corner = {.at = from};
    if (net->is_box)
        corner.normal = vec3_scale(limb->axes[axis], shares[axis]);
    else if (!move_corner(skin, net, &corner, way, length))
        return (struct corner){.facing = -1};
    struct vec3 to_eye = eye_is_flat(eye) ? eye->back : vec3_sub(eye_position(eye), corner.at);
    corner.facing = vec3_dot(corner.normal, to_eye) / vec3_length(to_eye);
    if (corner.facing >= AWAY)
        corner.color = light_corner(skin, net, &corner);
    /* necks sink into the limbs that they grow out of */
    double graze = GRAZING + vec3_dot(way, corner.normal);
    if (net->is_neck && graze > 0)
        corner.at = vec3_along(corner.at, corner.normal, -SINK * graze * net->edge);
    corner.spot = eye_project(eye, corner.at);
    return corner;
}

static struct raster_corner raster_corner(const struct skin *skin, struct spot spot, uint32_t color)
{
    return (struct raster_corner){
        spot.x,
        spot.y,
        raster_near(&skin->scene->eye, spot),
        {(float)(color >> 16), (float)(color >> 8 & 255), (float)(color & 255)}};
}

static void draw_triangle(struct skin *skin, const struct corner *a, const struct corner *b,
                          const struct corner *c)
{
    const struct corner *const corners[3] = {a, b, c};
    struct raster_corner points[3];
    int is_seen = fmax(a->facing, fmax(b->facing, c->facing)) > 0;
    for (int i = 0; i < 3; i++) {
        is_seen &= corners[i]->facing >= AWAY && corners[i]->spot.is_seen;
        points[i] = raster_corner(skin, corners[i]->spot, corners[i]->color);
    }
    if (is_seen)
        raster_add(skin->raster, points, 0);
}

static void draw_face(struct skin *skin, const struct net *net, int axis, int side)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    int columns = count_rows(net, u), rows = count_rows(net, v);
    struct corner corners[2][ROWS_MAX + 1];
    for (int row = 0; row <= rows; row++) {
        struct corner *now = corners[row % 2], *before = corners[1 - row % 2];
        for (int i = 0; i <= columns; i++) {
            double shares[3];
            shares[axis] = side;
            shares[u] = row_place(net, u, i, columns);
            shares[v] = row_place(net, v, row, rows);
            now[i] = place_corner(skin, net, axis, shares);
            if (i == 0 || row == 0)
                continue;
            draw_triangle(skin, &before[i - 1], &before[i], &now[i]);
            draw_triangle(skin, &before[i - 1], &now[i], &now[i - 1]);
        }
    }
}

static void draw_net(struct skin *skin, const struct limb *limb, int is_neck)
{
    struct net net = {.limb = limb, .is_neck = is_neck};
    net.is_box = !is_neck && !(limb->round[limb->thin] > 0);
    net.centre = is_neck ? limb->neck_at : limb->centre;
    for (int k = 0; k < 3; k++) {
        net.half[k] = is_neck ? limb->neck_reach : limb->half[k];
        net.core[k] = is_neck ? 0 : fmax(limb->half[k] - limb->round[k], 0);
        if (net.is_box) /* for the sake of its rows */
            net.core[k] = limb->half[k] - BOX_ROWS * limb->half[limb->thin];
    }
    net.edge = is_neck ? limb->neck_reach : limb->half[limb->thin];
    double edge_px = net.edge * eye_project(&skin->scene->eye, net.centre).scale * skin->fine;
    double edge_rows = fmin(1.7 + edge_px / (is_neck ? NECK_PX : EDGE_PX), EDGE_MOST);
    net.edge_rows = (int)fmax(edge_rows / (skin->is_coarse ? 2 : 1), fmin(edge_rows, 2));
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2)
            draw_face(skin, &net, axis, side);
}

/* Makes a box around a limb and its neck in the picture: everything, if it comes too near to the
 * eye. */
static void find_box(const struct skin *skin, const struct limb *limb, double box[4])
{
    box[0] = box[1] = INFINITY;
    box[2] = box[3] = -INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        struct vec3 at = limb->centre;
        for (int k = 0; k < 3; k++)
            at = vec3_along(at, limb->axes[k],
                            (corner >> k & 1 ? 1 : -1) * (limb->half[k] + 1.5 * limb->ball));
        struct spot spot = eye_project(&skin->scene->eye, at);
        box[0] = spot.is_seen ? fmin(box[0], spot.x) : -INFINITY;
        box[1] = spot.is_seen ? fmin(box[1], spot.y) : -INFINITY;
        box[2] = spot.is_seen ? fmax(box[2], spot.x) : INFINITY;
        box[3] = spot.is_seen ? fmax(box[3], spot.y) : INFINITY;
    }
}

/* 0: no memory. */
static int draw_nets(struct skin *skin)
{
    const struct draw_view *view = skin->scene->eye.view;
    const double all[4] = {view->left_px, view->top_px, view->left_px + view->width_px,
                           view->top_px + view->height_px};
    double box[4] = {all[2], all[3], all[0], all[1]}, own[4], margin = 2 + 4 * view->ui;
    for (int i = 0; i < skin->limbs->count; i++) {
        find_box(skin, &skin->limbs->list[i], own);
        for (int k = 0; k < 2; k++) {
            box[k] = floor(fmax(fmin(box[k], own[k] - margin), all[k]));
            box[k + 2] = ceil(fmin(fmax(box[k + 2], own[k + 2] + margin), all[k + 2]));
        }
    }
    if (!(box[0] < box[2] && box[1] < box[3]))
        return 1;
    skin->raster = raster_create(box, skin->fine, skin->is_coarse ? SAMPLES_COARSE : SAMPLES);
    int count = skin->limbs->count + skin->limbs->eye_count;
    for (int i = 0; i < count && skin->raster; i++) {
        const struct limb *limb = &skin->limbs->list[i];
        find_box(skin, limb, own);
        if (own[0] > box[2] || own[1] > box[3] || own[2] < box[0] || own[3] < box[1])
            continue;
        draw_net(skin, limb, 0);
        if (limb->parent >= 0)
            draw_net(skin, limb, 1);
    }
    return skin->raster != NULL;
}

void skin_add_cover(struct skin *skin, const struct vec3 *corners, int count)
{
    struct spot spots[2 * EYE_CORNERS_MAX];
    int kept = skin->raster ? eye_cut_polygon(&skin->scene->eye, corners, count, spots) : 0;
    for (int i = 1; i + 1 < kept; i++) {
        const struct raster_corner points[3] = {raster_corner(skin, spots[0], 0),
                                                raster_corner(skin, spots[i], 0),
                                                raster_corner(skin, spots[i + 1], 0)};
        raster_add(skin->raster, points, 1);
    }
}

int skin_side(const struct skin *skin, struct vec3 at)
{
    struct spot spot = eye_project(&skin->scene->eye, at);
    double near = raster_near(&skin->scene->eye, spot);
    return skin->raster ? raster_side(skin->raster, spot.x, spot.y, near) : 0;
}

/* Limbs as wide as they are thick are round, others are boxes without their edges. */
struct caster skin_caster(const struct skin *skin, int shape)
{
    const struct limb *limb = &skin->limbs->list[shape];
    int long_axis = limb->half[limb->a] > limb->half[limb->b] ? limb->a : limb->b;
    double thin = limb->half[limb->thin], wide = limb->half[3 - limb->thin - long_axis];
    double radii[2] = {(thin + wide) / 2, (thin + wide) / 2};
    struct vec3 ends[2], halves[3];
    if (limb->along == long_axis)
        radii[limb->sign > 0 ? 0 : 1] *= 1 - limb->taper;
    for (int i = 0; i < 2; i++)
        ends[i] = vec3_along(limb->centre, limb->axes[long_axis],
                             (i ? 1 : -1) * fmax(limb->half[long_axis] - radii[i], 0));
    for (int k = 0; k < 3; k++)
        halves[k] = vec3_scale(limb->axes[k], limb->half[k] - EDGE_SHADE * limb->round[k]);
    struct caster caster = wide < ROUND_MOST * thin && limb->round[limb->thin] > thin / 2
                               ? shade_balls(shape, ends[0], radii[0], ends[1], radii[1])
                               : shade_box(shape, limb->centre, halves[0], halves[1], halves[2]);
    caster.is_thin = skin->scene->replay->shapes[shape].kind == SHAPE_ROD;
    return caster;
}

/* ---- in the plane ---- */

/* A rectangle with round corners, thinner away from the joint, wider by grow_m, on the path. */
static void trace_flat(const struct skin *skin, const struct limb *limb, double grow_m)
{
    const struct scene *scene = skin->scene;
    for (int corner = 0; corner < 4; corner++) {
        double signs[2] = {corner == 0 || corner == 3 ? 1 : -1, corner < 2 ? 1 : -1};
        double scale = 1;
        if (limb->along >= 0 && signs[limb->along] != limb->sign)
            scale -= limb->taper;
        double round = fmax(scale * fmin(limb->round[0], limb->round[1]) + grow_m, 0);
        for (int i = 0; i <= ARC_LINES; i++) {
            double angle = DRAW_PI / 2 * (i + corner * ARC_LINES) / ARC_LINES;
            const double way[2] = {cos(angle), sin(angle)};
            struct vec3 at = limb->centre;
            for (int k = 0; k < 2; k++) {
                double half = limb->half[k] * (k == limb->along ? 1 : scale) + grow_m;
                at = vec3_along(at, limb->axes[k], signs[k] * (half - round) + way[k] * round);
            }
            struct spot spot = eye_project(&scene->eye, at);
            (corner + i ? cairo_line_to : cairo_move_to)(scene->cr, spot.x, spot.y);
        }
    }
    cairo_close_path(scene->cr);
}

/* A limb and the ball of its joint, wider by grow_m. */
static void fill_flat(const struct skin *skin, const struct limb *limb, double grow_m,
                      uint32_t color)
{
    cairo_t *cr = skin->scene->cr;
    struct spot joint = eye_project(&skin->scene->eye, limb->joint);
    draw_set_color(cr, fade(skin, color), 1);
    trace_flat(skin, limb, grow_m);
    cairo_fill(cr);
    if (limb->parent < 0)
        return;
    cairo_arc(cr, joint.x, joint.y, fmax(limb->ball + grow_m, 0) * joint.scale, 0, 2 * DRAW_PI);
    cairo_fill(cr);
}

/* All outlines of a body, then all of it, so that one line goes around it. */
static void draw_flat_body(const struct skin *skin, int root, double line_m)
{
    for (int is_inside = 0; is_inside < 2; is_inside++)
        for (int i = skin->limbs->count - 1; i >= 0; i--) {
            const struct limb *limb = &skin->limbs->list[i];
            if (limb->root == root)
                fill_flat(skin, limb,
                          is_inside ? -fmin(line_m, LINE_THIN * limb->half[limb->thin]) : 0,
                          is_inside ? limb->color : palette_mix(limb->color, SHADE, 0.6));
        }
    for (int i = 0; i < skin->limbs->eye_count; i++) {
        const struct limb *eye = &skin->limbs->list[skin->limbs->count + i];
        if (eye->root == root)
            fill_flat(skin, eye, 0, eye->color);
    }
}

/* ---- both ---- */

struct skin *skin_create(const struct scene *scene, enum skin_style style)
{
    const struct draw_view *view = scene->eye.view;
    struct skin *skin = calloc(1, sizeof *skin);
    double fine_y;
    if (!skin)
        return NULL;
    skin->scene = scene;
    skin->limbs = limbs_create(scene, style);
    skin->is_coarse = cairo_get_antialias(scene->cr) == CAIRO_ANTIALIAS_FAST;
    skin->fine = fmin(FINE, FINE_PX_MAX / fmax(view->width_px, view->height_px));
    if (draw_is_image(scene->cr))
        cairo_surface_get_device_scale(cairo_get_target(scene->cr), &skin->fine, &fine_y);
    if (skin->limbs && (!scene->replay->has_depth || draw_nets(skin)))
        return skin;
    skin_destroy(skin);
    return NULL;
}

void skin_destroy(struct skin *skin)
{
    if (!skin)
        return;
    raster_destroy(skin->raster);
    free(skin->limbs);
    free(skin);
}

void skin_draw(const struct skin *skin)
{
    const struct scene *scene = skin->scene;
    const struct replay *replay = scene->replay;
    const struct draw_view *view = scene->eye.view;
    double line = fmin(fmax(LINE_SIZE * replay->size_m * view->px_per_m, 0.8 * view->ui),
                       LINE_MOST_PX * view->ui);
    if (skin->raster) {
        struct spot middle = eye_project(&scene->eye, skin->limbs->list[0].centre);
        raster_paint(scene->cr, skin->raster, line,
                     raster_step(&scene->eye, middle, LINE_DEPTH * replay->size_m));
    } else if (!replay->has_depth)
        for (int i = skin->limbs->count - 1; i >= 0; i--)
            if (skin->limbs->list[i].root == i)
                draw_flat_body(skin, i, line / view->px_per_m);
}
