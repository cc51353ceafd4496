/* The body: shapes at poses, as one eye sees them, with the joints that are at one place, shadows,
 * the light, and the way of the centre of mass.
 *
 * Everything is drawn from the farthest to the nearest (order.h): boxes in space as their faces,
 * which are cut where they run into one another, so that whatever touches is right; balls, rods,
 * joints, rectangles and pieces of the trail as spots; in flat scenes all are equally far, and the
 * last part comes first. Faces are lit by their normal and have the soft shadows of everything else
 * (shade.h), balls are lit from the upper left; rods that a drive moves are coloured by what their
 * effector asks for. In flat pictures one shadow lies below the whole body. */
#include "viewer/draw/draw_space.h"
#include "viewer/draw/eye/scene.h"
#include "viewer/draw/eye/shade.h"
#include "viewer/draw/eye/skin.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdlib.h>

#include "common/math/rotation.h"

/* What ghosts fade to, and what shade and outlines are mixed with. */
#define GHOST_COLOR COLOR_sky_bottom
#define SHADE       0x14202a
/* Rods are at least so thick, px at ui 1. */
#define ROD_PX 1.2
/* Rods begin this share of the end's half from its centre. */
#define SUNK    0.85
#define OUTLINE 0.3
/* Pieces of a cut face overlap at the seam by this, px of the picture. */
#define SEAM_PX 0.7
/* And by no more than this share of the body's size. */
#define SEAM_MOST 0.02
/* Faces are darker below this share of the body's size above the ground, by so much at most. */
#define DIM_SHARE 0.3
#define DIM_MOST  0.26
/* Planes that are nearer to one another than this share of the body's size are one. */
#define SLACK_SHARE 1e-4
/* The greatest number of pieces of a trail in space. */
#define TRAIL_MAX   160
#define CASTERS_MAX 512
#define ITEMS_MAX   1024
/* Pixels of an image in a drawing, by one of the drawing's, where it has no more than so many to a
 * side. */
#define FINE        3.0
#define FINE_PX_MAX 8192
/* Points nearer than this to the one before, px, are left out of trails. */
#define TRAIL_STEP_PX 2.5

static uint32_t fade(const struct scene *scene, uint32_t color, double share)
{
    return palette_mix(color, palette[GHOST_COLOR].light, scene->ghost * share);
}

/* ---- boxes ---- */

static double line_width(const struct scene *scene)
{
    double px = 0.02 * scene->replay->size_m * scene->eye.view->px_per_m;
    return fmin(fmax(px, 0.9 * scene->ui), 2.4 * scene->ui);
}

/* Axes of a shape in the world. */
static struct mat3 shape_axes(const struct scene *scene, const struct shape *shape)
{
    const struct replay_pose *pose = &scene->moment.poses[shape->part];
    struct quaternion turn = {(double)pose->turn_w, (double)pose->turn_x, (double)pose->turn_y,
                              (double)pose->turn_z};
    return quaternion_matrix(quaternion_product(turn, shape->turn));
}

/* A rectangle from the front has round corners. */
static void draw_flat_box(const struct scene *scene, const struct shape *shape, uint32_t fill)
{
    cairo_t *cr = scene->cr;
    struct spot spot = scene_spot(scene, shape->part, shape->at_m);
    struct mat3 axes = shape_axes(scene, shape);
    double width = 2 * shape->half_m.x * spot.scale, height = 2 * shape->half_m.y * spot.scale;
    double line = line_width(scene);

    cairo_save(cr);
    cairo_translate(cr, spot.x, spot.y);
    cairo_scale(cr, scene->eye.view->flip, -1);
    cairo_rotate(cr, atan2(axes.x.y, axes.x.x));
    draw_rounded(cr, -width / 2 + line / 2, -height / 2 + line / 2, fmax(width - line, 0.5),
                 fmax(height - line, 0.5), fmin(0.32 * fmin(width, height), 9 * scene->ui));
    draw_set_color(cr, fade(scene, fill, 0.85), 1);
    cairo_fill_preserve(cr);
    draw_set_color(cr, fade(scene, palette_mix(fill, SHADE, 0.45), 0.8), 1);
    cairo_set_line_width(cr, line);
    cairo_stroke(cr);
    cairo_restore(cr);
}

/* Half sides in the world. */
static void box_halves(const struct scene *scene, const struct shape *shape, struct vec3 halves[3])
{
    struct mat3 axes = shape_axes(scene, shape);
    halves[0] = vec3_scale(axes.x, shape->half_m.x);
    halves[1] = vec3_scale(axes.y, shape->half_m.y);
    halves[2] = vec3_scale(axes.z, shape->half_m.z);
}

static void draw_box(const struct scene *scene, const struct shape *shape, uint32_t fill)
{
    draw_flat_box(scene, shape, fill);
}

/* ---- balls and rods ---- */

static void draw_ball(const struct scene *scene, const struct shape *shape, uint32_t fill)
{
    cairo_t *cr = scene->cr;
    struct spot spot = scene_spot(scene, shape->part, shape->at_m);
    double radius = fmax(shape->half_m.x * spot.scale, 1);
    const uint32_t colors[3] = {fade(scene, palette_mix(fill, 0xffffff, 0.55), 0.8),
                                fade(scene, fill, 0.8),
                                fade(scene, palette_mix(fill, SHADE, 0.42), 0.8)};
    const double stops[3] = {0, 0.45, 1};
    if (!spot.is_seen)
        return;
    cairo_pattern_t *pattern = cairo_pattern_create_radial(
        spot.x - 0.35 * radius, spot.y - 0.4 * radius, 0.05 * radius, spot.x, spot.y, radius);
    for (int i = 0; i < 3; i++)
        cairo_pattern_add_color_stop_rgb(pattern, stops[i], (colors[i] >> 16 & 255) / 255.0,
                                         (colors[i] >> 8 & 255) / 255.0, (colors[i] & 255) / 255.0);
    cairo_arc(cr, spot.x, spot.y, radius, 0, 2 * DRAW_PI);
    cairo_set_source(cr, pattern);
    cairo_fill(cr);
    cairo_pattern_destroy(pattern);
}

/* Moves both ends towards each other, by the lengths of the rod that lie inside the shapes. */
static void shorten(struct spot *a, struct spot *b, double depth_a_m, double depth_b_m)
{
    double x = b->x - a->x, y = b->y - a->y, near = (b->near - a->near) * (a->scale + b->scale) / 2;
    double length = sqrt(x * x + y * y + near * near);
    double from = SUNK * depth_a_m * a->scale, to = SUNK * depth_b_m * b->scale;
    if (length <= from + to)
        return;
    a->x += x * from / length;
    a->y += y * from / length;
    b->x -= x * to / length;
    b->y -= y * to / length;
}

static void draw_rod(const struct scene *scene, const struct shape *rod, uint32_t unused)
{
    cairo_t *cr = scene->cr;
    const struct shape *one = &scene->replay->shapes[rod->part];
    const struct shape *other = &scene->replay->shapes[rod->other];
    struct spot a = scene_spot(scene, rod->part, rod->at_m);
    struct spot b = scene_spot(scene, rod->other, rod->other_m);
    double width = fmax(scene_rod_width(scene, rod) * (a.scale + b.scale) / 2, ROD_PX * scene->ui);
    uint32_t color = fade(scene, scene_rod_color(scene, rod), 0.8);
    if (!a.is_seen || !b.is_seen)
        return;
    /* from surface to surface */
    shorten(&a, &b, scene_depth_in(one, rod->at_m), scene_depth_in(other, rod->other_m));
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_move_to(cr, a.x, a.y);
    cairo_line_to(cr, b.x, b.y);
    draw_set_color(cr, palette_mix(color, SHADE, 0.5), 1);
    cairo_set_line_width(cr, width + 1.4 * scene->ui);
    cairo_stroke_preserve(cr);
    draw_set_color(cr, color, 1);
    cairo_set_line_width(cr, width);
    cairo_stroke(cr);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

static void draw_shape(const struct scene *scene, int index)
{
    static void (*const painters[])(const struct scene *, const struct shape *, uint32_t) = {
        [SHAPE_BOX] = draw_box, [SHAPE_BALL] = draw_ball, [SHAPE_ROD] = draw_rod};
    const struct shape shape = replay_shape_now(scene->replay, index, scene->moment.values);
    uint32_t fill = palette[palette_part_color(scene->replay->parts[shape.part].color)].light;
    painters[shape.kind](scene, &shape, fill);
}

/* ---- joints ---- */

/* The path of a small disc or, of a linear joint, of a sleeve where it slides from. */
static void trace_joint(const struct scene *scene, int index, struct spot at, double radius)
{
    cairo_t *cr = scene->cr;
    const struct replay_part *part = &scene->replay->parts[index];
    const struct replay_drive *drive = &scene->replay->drives[part->joint];
    if (!drive->is_linear) {
        cairo_arc(cr, at.x, at.y, radius, 0, 2 * DRAW_PI);
        return;
    }
    cairo_save(cr);
    cairo_translate(cr, at.x, at.y);
    cairo_rotate(cr, scene_angle(scene, part->parent, part->base, drive->way));
    draw_rounded(cr, -1.3 * radius, -0.9 * radius, 2.6 * radius, 1.8 * radius, 0.4 * radius);
    cairo_restore(cr);
}

/* The core of a driven joint glows with the effector's signal. */
static void draw_joint(const struct scene *scene, int index)
{
    cairo_t *cr = scene->cr;
    const struct replay *replay = scene->replay;
    const struct replay_part *part = &replay->parts[index];
    const struct replay_drive *drive = &replay->drives[part->joint];
    double side = 2 * fmin(scene_half_least(&replay->shapes[index]),
                           scene_half_least(&replay->shapes[part->parent]));
    struct spot spot = scene_spot(scene, part->parent, part->base);
    double radius = fmin(fmax(0.26 * side * spot.scale, 1.6 * scene->ui), 6.5 * scene->ui);
    uint32_t core = palette[COLOR_joint].light;
    uint32_t line = fade(scene, palette[COLOR_joint_line].light, 0.75);
    if (!spot.is_seen)
        return;
    if (drive->effector >= 0) {
        double signal = fabs((double)scene->moment.frame.signals[drive->effector]);
        double strength = fmin(signal / drive->signal_full, 1);
        core = palette_mix(core, palette[COLOR_effector].light, 0.25 + 0.75 * strength);
    }
    trace_joint(scene, index, spot, radius);
    draw_set_color(cr, fade(scene, core, 0.8), 1);
    cairo_fill_preserve(cr);
    draw_set_color(cr, line, 1);
    cairo_set_line_width(cr, fmax(0.28 * radius, 0.8 * scene->ui));
    cairo_stroke(cr);
}

/* ---- shadows and the light ---- */

/* A soft shadow on what is below the whole body: smaller and paler the higher it is. */
static void draw_flat_shadow(const struct scene *scene)
{
    cairo_t *cr = scene->cr;
    const struct replay *replay = scene->replay;
    const struct draw_view *view = scene->eye.view;
    double bounds[4], floor_m;
    replay_get_bounds(replay, scene->moment.poses, scene->moment.values, bounds);
    if (!replay_find_surface(replay, (bounds[0] + bounds[2]) / 2, bounds[3], &floor_m))
        return;
    double lift = fmax(bounds[1] - floor_m, 0) / fmax(replay->size_m, 1e-3);
    double share = 1 / (1 + 2.5 * lift);
    double half = 0.5 * (bounds[2] - bounds[0]) * view->px_per_m * (0.6 + 0.4 * share);
    cairo_save(cr);
    cairo_translate(cr, draw_view_x(view, (bounds[0] + bounds[2]) / 2),
                    draw_view_y(view, floor_m) + 3 * view->ui);
    cairo_scale(cr, fmax(half, 1), 3.2 * view->ui);
    cairo_arc(cr, 0, 0, 1, 0, 2 * DRAW_PI);
    cairo_restore(cr);
    draw_set_color(cr, palette[COLOR_shadow].light, 0.22 * share * (1 - scene->ghost));
    cairo_fill(cr);
}

static void draw_light(const struct scene *scene)
{
    cairo_t *cr = scene->cr;
    struct spot spot = eye_project(&scene->eye, scene->moment.frame.light);
    double radius = 7 * scene->ui;
    if (!spot.is_seen)
        return;
    for (int ring = 3; ring >= 0; ring--) {
        cairo_arc(cr, spot.x, spot.y, radius * (1 + ring), 0, 2 * DRAW_PI);
        draw_set_color(cr, palette[COLOR_light].light, ring ? 0.12 : 1);
        cairo_fill(cr);
    }
    cairo_arc(cr, spot.x, spot.y, radius, 0, 2 * DRAW_PI);
    draw_set_color(cr, palette[COLOR_joint_line].light, 0.6);
    cairo_set_line_width(cr, scene->ui);
    cairo_stroke(cr);
}

/* ---- in space ---- */

enum item_kind { ITEM_SHAPE, ITEM_FACE, ITEM_JOINT, ITEM_SOLID, ITEM_TRAIL };

/* A shape, a face of a shape, a joint by the index of its part, a face of a solid, a piece of the
 * trail. */
struct item {
    enum item_kind kind;
    int index;
};

/* What is sorted together, and the pictures whose casters throw shadows on it: itself; on solids
 * that are drawn once, those of all moments. */
struct picture {
    struct scene scene;
    struct order *order;
    struct skin *skin; /* NULL: the shapes themselves are drawn */
    const struct picture *shading;
    int shading_count;
    int is_over_solids; /* the solids are drawn already, and only hide what is behind them */
    struct item items[ITEMS_MAX];
    int count;
    struct caster casters[CASTERS_MAX];
    int caster_count;
    struct vec3 trail[TRAIL_MAX + 1];
    unsigned char is_over_skin[TRAIL_MAX]; /* pieces */
    int trail_count;
};

static int add_item(struct picture *picture, enum item_kind kind, int index)
{
    if (picture->count == ITEMS_MAX)
        return -1;
    picture->items[picture->count] = (struct item){kind, index};
    return picture->count++;
}

static void add_caster(struct picture *picture, struct caster caster)
{
    if (picture->caster_count < CASTERS_MAX)
        picture->casters[picture->caster_count++] = caster;
}

/* The six sides of a box; of a solid, they hide the skin. */
static void add_sides(struct picture *picture, int item, struct vec3 middle,
                      const struct vec3 halves[3])
{
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            struct vec3 u = vec3_scale(halves[(axis + 1) % 3], side), v = halves[(axis + 2) % 3];
            struct vec3 centre = vec3_along(middle, halves[axis], side), corners[4];
            for (int i = 0; i < 4; i++) {
                corners[i] = vec3_along(centre, u, i == 1 || i == 2 ? 1 : -1);
                corners[i] = vec3_along(corners[i], v, i >= 2 ? 1 : -1);
            }
            order_add_polygon(picture->order, item, corners, 4);
            if (picture->skin)
                skin_add_cover(picture->skin, corners, 4);
        }
}

static int is_deep_box(const struct shape *shape)
{
    return shape->kind == SHAPE_BOX && shape->half_m.z > 0;
}

/* Adds a shape: of those that are equally near the last comes first, and joints after shapes. */
static void add_shape(struct picture *picture, int index)
{
    const struct scene *scene = &picture->scene;
    const struct shape *shapes = scene->replay->shapes, *shape = &shapes[index];
    struct vec3 at = scene_at(scene, shape->part, shape->at_m), ends[2] = {at, at}, halves[3];
    if (is_deep_box(shape)) {
        box_halves(scene, shape, halves);
        add_sides(picture, add_item(picture, ITEM_FACE, index), at, halves);
        add_caster(picture, shade_box(index, at, halves[0], halves[1], halves[2]));
        return;
    }
    if (shape->kind == SHAPE_ROD)
        scene_rod_ends(scene, shape, ends);
    struct vec3 middle = vec3_along(ends[0], vec3_sub(ends[1], ends[0]), 0.5);
    order_add_spot(picture->order, add_item(picture, ITEM_SHAPE, index), middle,
                   eye_project(&scene->eye, middle).near, -index - ITEMS_MAX);
    if (shape->kind == SHAPE_BALL)
        add_caster(picture, shade_balls(index, at, shape->half_m.x, at, shape->half_m.x));
    if (shape->kind == SHAPE_ROD) {
        double radius = scene_rod_width(scene, shape) / 2;
        struct caster caster = shade_balls(index, ends[0], radius, ends[1], radius);
        caster.is_thin = 1;
        add_caster(picture, caster);
    }
}

static void add_joint(struct picture *picture, int part)
{
    const struct scene *scene = &picture->scene;
    const struct replay_part *hung = &scene->replay->parts[part];
    if (hung->joint >= 0)
        order_add_spot(picture->order, add_item(picture, ITEM_JOINT, part),
                       scene_at(scene, hung->parent, hung->base),
                       scene_spot(scene, hung->parent, hung->base).near, -part);
}

static void add_solid(struct picture *picture, int index)
{
    struct replay_solid solid = replay_get_solid(picture->scene.replay, index);
    struct mat3 axes = quaternion_matrix(solid.turn);
    struct vec3 halves[3] = {vec3_scale(axes.x, solid.half_m.x), vec3_scale(axes.y, solid.half_m.y),
                             vec3_scale(axes.z, solid.half_m.z)};
    int item = add_item(picture, ITEM_SOLID, index);
    add_sides(picture, item, solid.at_m, halves);
    add_caster(picture, shade_box(-1 - index, solid.at_m, halves[0], halves[1], halves[2]));
}

/* The way of the centre of mass until now, as pieces that are sorted one by one. */
static void add_trail(struct picture *picture)
{
    const struct scene *scene = &picture->scene;
    const struct replay *replay = scene->replay;
    int last = replay_frame_index(replay, scene->moment.frame.time_s);
    int count = last < TRAIL_MAX ? last : TRAIL_MAX;
    for (int i = 0; i <= count && last > 0; i++) {
        struct replay_frame frame;
        replay_get_frame(replay, (int)((int64_t)i * last / count), &frame);
        picture->trail[picture->trail_count++] =
            i < count ? frame.centre : scene->moment.frame.centre;
    }
    for (int i = 0; i + 1 < picture->trail_count; i++) {
        struct vec3 a = picture->trail[i], b = picture->trail[i + 1];
        struct vec3 middle = vec3_along(a, vec3_sub(b, a), 0.5);
        picture->is_over_skin[i] = picture->skin && skin_is_behind(picture->skin, middle);
        order_add_spot(picture->order, add_item(picture, ITEM_TRAIL, i), middle,
                       eye_project(&scene->eye, middle).near, 1);
    }
}

/* ---- painting what is sorted ---- */

/* How far a side that leads from a to b moves in the picture, across itself, when its place moves
 * along `out`: px a m. */
static double shift_px(const struct scene *scene, struct vec3 a, struct vec3 b, struct vec3 out)
{
    double step = 1e-3 * scene->replay->size_m;
    struct spot from = eye_project(&scene->eye, a), to = eye_project(&scene->eye, b);
    struct spot moved = eye_project(&scene->eye, vec3_along(a, out, step));
    double x = to.x - from.x, y = to.y - from.y, length = hypot(x, y);
    return length > 0 && step > 0
               ? fabs(x * (moved.y - from.y) - y * (moved.x - from.x)) / length / step
               : 0;
}

/* A piece. Its cut sides reach a little over the seam, which smoothed edges would show
 * otherwise. */
static struct order_piece over_seams(const struct scene *scene, const struct order_piece *piece)
{
    struct order_piece wide = *piece;
    double most_m = SEAM_MOST * scene->replay->size_m;
    for (int i = 0; i < piece->count; i++) {
        int k = (i + 1) % piece->count;
        struct vec3 a = piece->corners[i], b = piece->corners[k];
        struct vec3 out = vec3_cross(vec3_sub(b, a), piece->normal);
        double size = vec3_length(out);
        if (!(piece->cuts >> i & 1) || !(size > 0))
            continue;
        out = vec3_scale(out, 1 / size);
        double shift_m = fmin(SEAM_PX / fmax(shift_px(scene, a, b, out), 1e-9), most_m);
        wide.corners[i] = vec3_along(wide.corners[i], out, shift_m);
        wide.corners[k] = vec3_along(wide.corners[k], out, shift_m);
    }
    return wide;
}

/* The outline of a face where it is not cut. */
static void outline_face(const struct scene *scene, const struct order_piece *piece)
{
    cairo_t *cr = scene->cr;
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_width(cr, 0.9 * scene->ui);
    for (int i = 0; i < piece->count; i++)
        if (!(piece->cuts >> i & 1))
            eye_trace_line(cr, &scene->eye, piece->corners[i],
                           piece->corners[(i + 1) % piece->count]);
    /* darker than the face, also where that is in the shadow */
    draw_set_color(cr, SHADE, OUTLINE * (1 - 0.8 * scene->ghost));
    cairo_stroke(cr);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

/* Darker towards the ground, which takes light from what is near to it. */
static void dim_near_ground(const struct scene *scene, const struct order_piece *piece)
{
    cairo_t *cr = scene->cr;
    struct vec3 level = vec3_cross(piece->normal, (struct vec3){0, 1, 0}), low = piece->corners[0],
                high = low;
    double reach = DIM_SHARE * scene->replay->size_m;
    for (int i = 1; i < piece->count; i++) {
        low = piece->corners[i].y < low.y ? piece->corners[i] : low;
        high = piece->corners[i].y > high.y ? piece->corners[i] : high;
    }
    if (!scene->replay->has_ground || low.y > reach || vec3_length(level) < 0.2 ||
        !(high.y > low.y))
        return;
    /* lines of equal height run along `level`, and the gradient across them */
    struct spot a = eye_project(&scene->eye, low), b = eye_project(&scene->eye, high);
    struct spot c = eye_project(&scene->eye, vec3_along(low, level, 0.1 * scene->replay->size_m));
    double x = c.y - a.y, y = a.x - c.x, size = hypot(x, y);
    if (!(size > 0) || !a.is_seen || !b.is_seen || !c.is_seen)
        return;
    double rise = ((b.x - a.x) * x + (b.y - a.y) * y) / (size * size) / (high.y - low.y);
    double from = rise * (0 - low.y), to = rise * (reach - low.y);
    cairo_pattern_t *pattern =
        cairo_pattern_create_linear(a.x + from * x, a.y + from * y, a.x + to * x, a.y + to * y);
    for (int i = 0; i <= 2; i++)
        cairo_pattern_add_color_stop_rgba(pattern, i / 2.0, (SHADE >> 16) / 255.0,
                                          (SHADE >> 8 & 255) / 255.0, (SHADE & 255) / 255.0,
                                          DIM_MOST * (2 - i) * (2 - i) / 4 * (1 - scene->ghost));
    cairo_set_source(cr, pattern);
    cairo_paint(cr);
    cairo_pattern_destroy(pattern);
}

/* The shadows of all pictures that shade this one. */
static void cast_on(const struct picture *picture, const struct plane *plane, double reach,
                    int owner, double strength)
{
    for (int i = 0; i < picture->shading_count; i++) {
        const struct picture *by = &picture->shading[i];
        shade_cast(picture->scene.cr, &picture->scene.eye, by->casters, by->caster_count, plane,
                   reach, owner, strength * (1 - by->scene.ghost));
    }
}

/* A face with the shadows that fall on it. */
static void draw_face(const struct picture *picture, const struct order_piece *piece, int owner,
                      uint32_t fill)
{
    const struct scene *scene = &picture->scene;
    cairo_t *cr = scene->cr;
    struct plane plane = {{0, 0, 0}, piece->normal};
    double reach = 0;
    struct order_piece wide = over_seams(scene, piece);
    if (!eye_trace_polygon(cr, &scene->eye, wide.corners, wide.count)) {
        cairo_new_path(cr);
        return;
    }
    for (int i = 0; i < piece->count; i++)
        plane.at = vec3_along(plane.at, piece->corners[i], 1.0 / piece->count);
    for (int i = 0; i < piece->count; i++)
        reach = fmax(reach, vec3_length(vec3_sub(piece->corners[i], plane.at)));
    draw_set_color(cr, fill, 1);
    cairo_fill_preserve(cr);
    cairo_save(cr);
    cairo_clip(cr);
    if (owner >= 0)
        dim_near_ground(scene, piece);
    cast_on(picture, &plane, reach, owner, 0.8);
    cairo_restore(cr);
    outline_face(scene, piece);
}

static void paint_shape(const struct picture *picture, const struct order_piece *piece, int index)
{
    (void)piece;
    draw_shape(&picture->scene, index);
}

static void paint_face(const struct picture *picture, const struct order_piece *piece, int index)
{
    const struct replay *replay = picture->scene.replay;
    uint32_t fill =
        palette[palette_part_color(replay->parts[replay->shapes[index].part].color)].light;
    draw_face(picture, piece, index,
              fade(&picture->scene, shade_color(fill, shade_face(piece->normal)), 0.85));
}

static void paint_joint(const struct picture *picture, const struct order_piece *piece, int index)
{
    (void)piece;
    draw_joint(&picture->scene, index);
}

static void paint_solid(const struct picture *picture, const struct order_piece *piece, int index)
{
    const struct scene *scene = &picture->scene;
    if (picture->is_over_solids) {
        cairo_set_operator(scene->cr, CAIRO_OPERATOR_CLEAR);
        if (eye_trace_polygon(scene->cr, &scene->eye, piece->corners, piece->count))
            cairo_fill(scene->cr);
        cairo_new_path(scene->cr);
        cairo_set_operator(scene->cr, CAIRO_OPERATOR_OVER);
        return;
    }
    uint32_t fill =
        palette_mix(palette[COLOR_ground_top].light, palette[COLOR_sky_bottom].light, 0.25);
    double away = scene->eye.distance_m - eye_project(&scene->eye, piece->corners[0]).near;
    fill = shade_color(fill, shade_face(piece->normal));
    draw_face(picture, piece, -1 - index,
              draw_hazed(scene->replay, fill, eye_haze(&scene->eye, away)));
}

static void draw_piece(const struct scene *scene, struct vec3 a, struct vec3 b)
{
    eye_trace_line(scene->cr, &scene->eye, a, b);
    cairo_set_line_width(scene->cr, 1.5 * scene->ui);
    draw_set_color(scene->cr, palette[COLOR_trail].light, 0.55);
    cairo_stroke(scene->cr);
}

/* What lies before the skin is drawn after it. */
static void paint_trail(const struct picture *picture, const struct order_piece *piece, int index)
{
    (void)piece;
    if (!picture->is_over_skin[index])
        draw_piece(&picture->scene, picture->trail[index], picture->trail[index + 1]);
}

static void paint(void *context, const struct order_piece *piece)
{
    static void (*const painters[])(const struct picture *, const struct order_piece *, int) = {
        [ITEM_SHAPE] = paint_shape, [ITEM_FACE] = paint_face,   [ITEM_JOINT] = paint_joint,
        [ITEM_SOLID] = paint_solid, [ITEM_TRAIL] = paint_trail,
    };
    const struct picture *picture = context;
    if (piece->owner >= 0)
        painters[picture->items[piece->owner].kind](picture, piece,
                                                    picture->items[piece->owner].index);
}

/* The shadows on the ground, of all that stands on it and moves over it; on one with relief they
 * fall on the plane that touches it below the body. */
static void draw_ground_shadows(const struct picture *picture)
{
    const struct relief *relief = &picture->scene.replay->relief;
    struct plane ground = {{0, 0, 0}, {0, 1, 0}};
    if (relief->depth_m > 0) {
        struct vec3 at = picture->scene.moment.frame.centre;
        struct relief_shape shape;
        relief_shape_at(relief, at.x, at.z, &shape);
        ground = (struct plane){{at.x, shape.height, at.z}, relief_normal(&shape)};
    }
    if (picture->scene.replay->has_ground && picture->scene.is_spatial)
        cast_on(picture, &ground, INFINITY, CASTERS_MAX, 1);
}

/* With the shapes; 0: no memory. */
static int begin_picture(struct picture *picture, cairo_t *cr, const struct draw_view *view,
                         const struct replay *replay, const struct draw_moment *moment,
                         unsigned overlays)
{
    scene_place(&picture->scene, cr, view, replay, moment->time_s);
    picture->scene.ghost = moment->ghost;
    picture->shading = picture;
    picture->shading_count = 1;
    picture->order = order_create(eye_order(&picture->scene.eye), SLACK_SHARE * replay->size_m);
    if (!(overlays & DRAW_BOXES)) {
        picture->skin = skin_create(&picture->scene, overlays & (DRAW_BRAIN | DRAW_PARTS));
        if (!picture->skin)
            return 0;
    }
    for (int i = 0; i < replay->shape_count && picture->order; i++)
        if (picture->skin)
            add_caster(picture, skin_caster(picture->skin, i));
        else
            add_shape(picture, i);
    return picture->order != NULL;
}

static void add_solids(struct picture *picture)
{
    for (int i = 0; i < replay_solid_count(picture->scene.replay) && picture->scene.is_spatial; i++)
        add_solid(picture, i);
}

/* In an image of its own, as what solids hide is cleared from it. On a drawing that is one, too,
 * but finer. */
static void walk_over_solids(struct picture *picture)
{
    cairo_t *target = picture->scene.cr;
    const struct draw_view *view = picture->scene.eye.view;
    double most = FINE_PX_MAX / fmax(view->width_px, view->height_px);
    double fine = draw_is_image(target) ? 1 : fmin(FINE, most);
    cairo_surface_t *image = cairo_image_surface_create(
        CAIRO_FORMAT_ARGB32, (int)ceil(view->width_px * fine), (int)ceil(view->height_px * fine));
    cairo_surface_set_device_scale(image, fine, fine);
    cairo_surface_set_device_offset(image, -view->left_px * fine, -view->top_px * fine);
    picture->scene.cr = cairo_create(image);
    order_walk(picture->order, paint, picture);
    cairo_destroy(picture->scene.cr);
    picture->scene.cr = target;
    cairo_set_source_surface(target, image, 0, 0);
    cairo_paint(target);
    cairo_surface_destroy(image);
}

static void cover_skin(void *skin, const struct vec3 corners[4])
{
    skin_add_cover(skin, corners, 4);
}

static void draw_picture(struct picture *picture, unsigned overlays)
{
    const struct scene *scene = &picture->scene;
    const struct replay *replay = scene->replay;
    for (int i = 0; i < replay->part_count && !picture->skin; i++)
        add_joint(picture, i);
    add_solids(picture);
    if (picture->skin && scene->is_spatial)
        draw_space_relief(&scene->eye, replay, cover_skin, picture->skin);
    if (overlays & DRAW_TRAIL && scene->is_spatial)
        add_trail(picture);
    else if (overlays & DRAW_TRAIL)
        draw_trail(scene->cr, scene->eye.view, replay, 0, scene->moment.frame.time_s);
    if (replay->has_light && scene->ghost == 0)
        draw_light(scene);
    if (!scene->is_spatial && replay_has_floor(replay))
        draw_flat_shadow(scene);
    if (picture->is_over_solids)
        walk_over_solids(picture);
    else {
        draw_ground_shadows(picture);
        order_walk(picture->order, paint, picture);
    }
    if (!picture->skin)
        return;
    skin_draw(picture->skin);
    for (int i = 0; i + 1 < picture->trail_count; i++)
        if (picture->is_over_skin[i])
            draw_piece(scene, picture->trail[i], picture->trail[i + 1]);
}

/* Solids and ground with the shadows of all pictures before this one, which do not draw them any
 * more. */
static int draw_solids(struct picture *all, int count)
{
    struct picture *solids = &all[count];
    solids->scene = all[0].scene;
    solids->scene.ghost = 0;
    solids->order =
        order_create(eye_order(&solids->scene.eye), SLACK_SHARE * solids->scene.replay->size_m);
    if (!solids->order)
        return 0;
    solids->shading = all;
    solids->shading_count = count + 1;
    add_solids(solids);
    draw_ground_shadows(solids);
    order_walk(solids->order, paint, solids);
    for (int i = 0; i < count; i++)
        all[i].is_over_solids = 1;
    return 1;
}

void draw_moments(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                  const struct draw_moment *moments, int count, unsigned overlays)
{
    ENSURE(count > 0, "%d moments", count);
    ENSURE(view->flip == 1 || view->flip == -1, "a view with the flip %d", view->flip);
    int room = count + (count > 1); /* the last one for solids */
    struct picture *all = calloc((size_t)room, sizeof *all);
    int is_ready = all != NULL;
    for (int i = 0; i < count && is_ready; i++)
        is_ready = begin_picture(&all[i], cr, view, replay, &moments[i], overlays);
    if (is_ready && count > 1 && all[0].scene.is_spatial && replay_solid_count(replay) > 0)
        is_ready = draw_solids(all, count);
    for (int i = 0; i < count && is_ready; i++)
        draw_picture(&all[i], i == count - 1 ? overlays : 0);
    for (int i = 0; all && i < room; i++) {
        order_destroy(all[i].order);
        skin_destroy(all[i].skin);
    }
    free(all);
}

void draw_creature(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                   double time_s, double ghost, unsigned overlays)
{
    draw_moments(cr, view, replay, &(struct draw_moment){time_s, ghost}, 1, overlays);
}

void draw_trail(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                double from_s, double to_s)
{
    struct replay_frame frame;
    struct replay_moment moment;
    struct eye eye = eye_place(view, replay, to_s);
    int first = replay_frame_index(replay, from_s), last = replay_frame_index(replay, to_s);
    double left = view->left_px - view->width_px, right = view->left_px + 2 * view->width_px;
    double last_x = INFINITY, last_y = 0;
    for (int i = first; i <= last; i++) {
        replay_get_frame(replay, i, &frame);
        struct spot spot = eye_project(&eye, frame.centre);
        int is_near = fabs(spot.x - last_x) + fabs(spot.y - last_y) < TRAIL_STEP_PX;
        if ((is_near && i < last) || spot.x < left || spot.x > right || !spot.is_seen)
            continue;
        cairo_line_to(cr, spot.x, spot.y);
        last_x = spot.x;
        last_y = spot.y;
    }
    replay_get_moment(replay, to_s, &moment);
    struct spot end = eye_project(&eye, moment.frame.centre);
    if (end.is_seen)
        cairo_line_to(cr, end.x, end.y);
    cairo_set_line_width(cr, 1.5 * view->ui);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    draw_set_color(cr, palette[COLOR_trail].light, 0.55);
    cairo_stroke(cr);
}

#endif
