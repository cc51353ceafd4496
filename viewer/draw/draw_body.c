/* The body: shapes at poses, as one eye sees them, with the joints that are at one place, shadows, the light, and
 * the way of the centre of mass.
 *
 * Shapes and joints are drawn from the farthest to the nearest (at most 64 parts, 192 rods and 64 joints: sorted by
 * insertion; in flat scenes all are equally far, and the last part comes first). Boxes and balls are lit from the
 * upper left; rods that a drive moves are coloured by what their effector asks for. In perspective shadows fall
 * straight down from each part, in flat pictures one lies below the whole body. */
#include "viewer/draw/draw_space.h"
#include "viewer/draw/scene.h"

#ifdef HAVE_CAIRO

#include <math.h>

#include "common/body/rotation.h"

/* What ghosts fade to, and what shade and outlines are mixed with. */
#define GHOST_COLOR COLOR_sky_bottom
#define SHADE       0x14202a
/* Thickness of rods, by the thinner end's half of the shortest side; px at ui 1 at least. */
#define ROD_SHARE    0.38
#define MUSCLE_SHARE 0.55
#define ROD_PX       1.2
/* Rods begin this share of the end's half from its centre. */
#define SUNK 0.85
/* A part is beyond a face of an obstacle when its centre is so many of its halves. */
#define BEYOND    0.5
#define CORNERS   24 /* of a shadow's outline */
#define ITEMS_MAX (2 * REPLAY_PARTS_MAX + REPLAY_DRIVES_MAX)
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

/* Of a shape in the world. */
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

/* The side that `out` leads to from the middle; u and v lead to its edges, and u x v along `out`. */
static void draw_box_side(const struct scene *scene, struct vec3 middle, struct vec3 out,
                          struct vec3 u, struct vec3 v, uint32_t fill)
{
    const struct eye *eye = &scene->eye;
    struct vec3 centre = vec3_add(middle, out), normal = vec3_cross(u, v);
    struct vec3 light = vec3_add(vec3_along(eye->up, eye->right, -0.6), vec3_scale(eye->back, 0.8));
    double size = vec3_length(normal) * vec3_length(light);
    double lit = size > 0 ? vec3_dot(normal, light) / size : 0;
    struct vec3 corners[4];
    for (int i = 0; i < 4; i++) {
        int right = i == 1 || i == 2 ? 1 : -1, up = i >= 2 ? 1 : -1;
        corners[i] = vec3_along(vec3_along(centre, u, right), v, up);
    }
    uint32_t color =
        lit > 0 ? palette_mix(fill, 0xffffff, 0.35 * lit) : palette_mix(fill, SHADE, -0.55 * lit);
    draw_side(scene->cr, eye, corners, fade(scene, color, 0.85),
              fade(scene, palette_mix(fill, SHADE, 0.45), 0.8));
}

static void draw_box(const struct scene *scene, const struct shape *shape, uint32_t fill)
{
    if (eye_is_flat(&scene->eye) && shape->half_m.z == 0) {
        draw_flat_box(scene, shape, fill);
        return;
    }
    struct mat3 axes = shape_axes(scene, shape);
    struct vec3 middle = scene_at(scene, shape->part, shape->at_m);
    struct vec3 x = vec3_scale(axes.x, shape->half_m.x), y = vec3_scale(axes.y, shape->half_m.y),
                z = vec3_scale(axes.z, shape->half_m.z);
    for (int side = -1; side <= 1; side += 2) {
        draw_box_side(scene, middle, vec3_scale(x, side), vec3_scale(y, side), z, fill);
        draw_box_side(scene, middle, vec3_scale(y, side), vec3_scale(z, side), x, fill);
        draw_box_side(scene, middle, vec3_scale(z, side), vec3_scale(x, side), y, fill);
    }
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

/* Length now by length at birth; 1 where nothing changes it. */
static double rod_stretch(const struct scene *scene, const struct shape *rod)
{
    return rod->drive < 0 || !(rod->half_m.x > 0)
               ? 1
               : (double)scene->moment.values[rod->drive] / (2 * rod->half_m.x);
}

/* Cream where it is fixed; a muscle is blue when it is asked to be short and orange when long. */
static uint32_t rod_color(const struct scene *scene, const struct shape *rod)
{
    if (rod->drive < 0)
        return palette[COLOR_joint].light;
    const struct replay_drive *drive = &scene->replay->drives[rod->drive];
    double signal = drive->effector < 0 ? 0 : (double)scene->moment.frame.signals[drive->effector];
    double share = fabs(signal) / drive->signal_full;
    uint32_t aim = palette[rod_stretch(scene, rod) < 1 ? COLOR_negative : COLOR_positive].light;
    return palette_mix(palette[COLOR_part_2].light, aim, fmin(0.25 + 0.75 * share, 1));
}

/* Moves both ends towards each other by what of the rod lies inside of the shapes. */
static void shorten(struct spot *a, struct spot *b, double half_a_m, double half_b_m)
{
    double x = b->x - a->x, y = b->y - a->y, near = (b->near - a->near) * (a->scale + b->scale) / 2;
    double length = sqrt(x * x + y * y + near * near);
    double from = SUNK * half_a_m * a->scale, to = SUNK * half_b_m * b->scale;
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
    const struct shape *shapes = scene->replay->shapes;
    struct spot a = scene_spot(scene, rod->part, shapes[rod->part].at_m);
    struct spot b = scene_spot(scene, rod->other, shapes[rod->other].at_m);
    double half_a = scene_half_least(&shapes[rod->part]);
    double half_b = scene_half_least(&shapes[rod->other]);
    /* a muscle that is short is thick */
    double share =
        rod->drive < 0 ? ROD_SHARE : MUSCLE_SHARE / sqrt(fmax(rod_stretch(scene, rod), 0.2));
    double width = fmax(share * fmin(half_a, half_b) * (a.scale + b.scale) / 2, ROD_PX * scene->ui);
    uint32_t color = fade(scene, rod_color(scene, rod), 0.8);
    if (!a.is_seen || !b.is_seen)
        return;
    /* from surface to surface */
    shorten(&a, &b, half_a, half_b);
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
    const struct shape *shape = &scene->replay->shapes[index];
    painters[shape->kind](scene, shape, palette[palette_part_color(shape->part)].light);
}

/* ---- joints ---- */

/* The path of a small disc or, of a linear joint, of a sleeve on a rail that leads from the parent to
 * the part; the rail is drawn. */
static void trace_joint(const struct scene *scene, int index, double radius, uint32_t line)
{
    cairo_t *cr = scene->cr;
    const struct replay_part *part = &scene->replay->parts[index];
    const struct replay_drive *drive = &scene->replay->drives[part->joint];
    struct spot to = scene_spot(scene, index, part->anchor);
    if (!drive->is_linear) {
        cairo_arc(cr, to.x, to.y, radius, 0, 2 * DRAW_PI);
        return;
    }
    struct spot from = scene_spot(scene, part->parent, part->base);
    cairo_move_to(cr, from.x, from.y);
    cairo_line_to(cr, to.x, to.y);
    draw_set_color(cr, line, 1);
    cairo_set_line_width(cr, fmax(0.9 * radius, 1.2 * scene->ui));
    cairo_stroke(cr);
    cairo_save(cr);
    cairo_translate(cr, from.x, from.y);
    cairo_rotate(cr, scene_angle(scene, index, part->anchor, drive->along));
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
    struct spot spot = scene_spot(scene, index, part->anchor);
    double radius = fmin(fmax(0.26 * side * spot.scale, 1.6 * scene->ui), 6.5 * scene->ui);
    uint32_t core = palette[COLOR_joint].light;
    uint32_t line = fade(scene, palette[COLOR_joint_line].light, 0.75);
    if (!spot.is_seen || !scene_spot(scene, part->parent, part->base).is_seen)
        return;
    if (drive->effector >= 0) {
        double signal = fabs((double)scene->moment.frame.signals[drive->effector]);
        double strength = fmin(signal / drive->signal_full, 1);
        core = palette_mix(core, palette[COLOR_effector].light, 0.25 + 0.75 * strength);
    }
    trace_joint(scene, index, radius, line);
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
    replay_get_bounds(replay, scene->moment.poses, bounds);
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
    draw_set_color(cr, palette[COLOR_joint_line].light, 0.22 * share * (1 - scene->ghost));
    cairo_fill(cr);
}

/* Beneath a part, on what is below it: its outline from above, paler the higher it is. */
static void draw_part_shadow(const struct scene *scene, int part)
{
    const struct replay *replay = scene->replay;
    const struct replay_pose *pose = &scene->moment.poses[part];
    const struct shape *shape = &replay->shapes[part];
    struct vec3 at = replay_pose_place(pose, shape->at_m), corners[CORNERS];
    double floor_m = 0;
    int is_beside = fabs(at.z) > replay->obstacle_depth_m;
    if (is_beside ? !replay->has_ground : !replay_find_surface(replay, at.x, at.y, &floor_m))
        return;
    double below = at.y - replay_shape_reach(shape, pose, (struct vec3){0, -1, 0}).y;
    double lift = fmax(at.y - below - floor_m, 0), share = 1 / (1 + 1.5 * lift / fmax(below, 1e-6));
    for (int i = 0; i < CORNERS; i++) {
        double angle = 2 * DRAW_PI * i / CORNERS;
        struct vec3 reach =
            replay_shape_reach(shape, pose, (struct vec3){cos(angle), 0, sin(angle)});
        corners[i] = vec3_along(at, vec3_sub(reach, at), 0.7 + 0.3 * share);
        corners[i].y = floor_m;
    }
    if (!eye_trace_polygon(scene->cr, &scene->eye, corners, CORNERS))
        return;
    draw_set_color(scene->cr, palette[COLOR_joint_line].light, 0.30 * share * (1 - scene->ghost));
    cairo_fill(scene->cr);
}

static void draw_shadows(const struct scene *scene)
{
    if (!replay_has_floor(scene->replay))
        return;
    if (eye_is_flat(&scene->eye))
        draw_flat_shadow(scene);
    for (int i = 0; i < scene->replay->part_count && !eye_is_flat(&scene->eye); i++)
        draw_part_shadow(scene, i);
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

/* ---- the whole ---- */

/* A shape by its index, or a joint by the index of its part. */
struct item {
    int is_joint, index;
    double near;
    int is_hidden; /* behind an obstacle */
};

static int comes_before(const struct item *a, const struct item *b)
{
    if (a->near != b->near)
        return a->near < b->near;
    return a->is_joint != b->is_joint ? a->is_joint < b->is_joint : a->index > b->index;
}

static int add_item(struct item *items, int count, struct item item)
{
    int k = count;
    for (; k > 0 && comes_before(&item, &items[k - 1]); k--)
        items[k] = items[k - 1];
    items[k] = item;
    return count + 1;
}

static double part_nearness(const struct scene *scene, int part)
{
    return scene_spot(scene, part, scene->replay->shapes[part].at_m).near;
}

/* All there is to draw, the nearest last. */
static int collect_items(const struct scene *scene, const int *is_hidden,
                         struct item items[ITEMS_MAX])
{
    const struct replay *replay = scene->replay;
    int count = 0;
    for (int i = 0; i < replay->shape_count && count < ITEMS_MAX; i++) {
        const struct shape *shape = &replay->shapes[i];
        int other = shape->other < 0 ? shape->part : shape->other;
        double near = (part_nearness(scene, shape->part) + part_nearness(scene, other)) / 2;
        count = add_item(items, count,
                         (struct item){0, i, near, is_hidden[shape->part] && is_hidden[other]});
    }
    for (int i = 0; i < replay->part_count && count < ITEMS_MAX; i++)
        if (replay->parts[i].joint >= 0)
            count = add_item(items, count,
                             (struct item){1, i, scene_spot(scene, i, replay->parts[i].anchor).near,
                                           is_hidden[i]});
    return count;
}

/* 1 if an obstacle is between a place and the eye: beyond one of its six faces is the place, but not the eye. */
static int is_behind(const struct scene *scene, int obstacle, struct vec3 at, double half)
{
    struct vec2 c[4];
    struct vec3 from = eye_position(&scene->eye);
    double depth = scene->replay->obstacle_depth_m, least = BEYOND * half;
    if ((at.z > depth + least && from.z < depth) || (at.z < -depth - least && from.z > -depth))
        return 1;
    replay_get_obstacle(scene->replay, obstacle, c);
    for (int i = 0; i < 4; i++) {
        struct vec2 a = c[i], b = c[(i + 1) % 4];
        double length = hypot(b.x - a.x, b.y - a.y);
        double out_x = (b.y - a.y) / length, out_y = (a.x - b.x) / length;
        if (out_x * (at.x - a.x) + out_y * (at.y - a.y) > least &&
            out_x * (from.x - a.x) + out_y * (from.y - a.y) < 0)
            return 1;
    }
    return 0;
}

/* Marks the parts that an obstacle hides, and adds those obstacles to is_before. */
static void find_hidden(const struct scene *scene, int is_hidden[REPLAY_PARTS_MAX],
                        int is_before[OBSTACLES_MAX])
{
    const struct replay *replay = scene->replay;
    for (int i = 0; i < replay->part_count; i++)
        for (int k = 0; k < replay->obstacles.count; k++) {
            const struct shape *shape = &replay->shapes[i];
            if (is_behind(scene, k, scene_at(scene, i, shape->at_m), scene_half_most(shape)))
                is_hidden[i] = is_before[k] = 1;
        }
}

void draw_creature(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                   double time_s, double ghost)
{
    struct scene scene;
    struct item items[ITEMS_MAX];
    int is_hidden[REPLAY_PARTS_MAX] = {0}, is_before[OBSTACLES_MAX] = {0};
    scene_place(&scene, cr, view, replay, time_s);
    scene.ghost = ghost;
    int is_flat = eye_is_flat(&scene.eye);
    if (replay->has_light && ghost == 0)
        draw_light(&scene);
    draw_shadows(&scene);
    if (!is_flat)
        find_hidden(&scene, is_hidden, is_before);
    int count = collect_items(&scene, is_hidden, items);
    /* what obstacles hide, those obstacles once more, and the rest */
    for (int pass = 1; pass >= 0; pass--) {
        for (int i = 0; i < count; i++)
            if (items[i].is_hidden == pass)
                (items[i].is_joint ? draw_joint : draw_shape)(&scene, items[i].index);
        if (pass && !is_flat)
            draw_obstacles(cr, &scene.eye, replay, is_before);
    }
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
