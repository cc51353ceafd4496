/* The body as one eye sees it, its shadows, the light, and the way of the centre of mass.
 *
 * The body is a skin, or its true shapes with their joints (skin.h); it has a depth of its own.
 * Solids, as their faces, and pieces of the trail are drawn before it, from the farthest to the
 * nearest (order.h): faces are cut where they run into one another, so that touching solids
 * are right; they are lit by their normal and have the soft shadows of everything else (shade.h).
 * Faces nearer than the body cover it. In flat pictures one shadow lies below the whole
 * body. */
#include "viewer/draw/draw_space.h"
#include "viewer/draw/eye/eye.h"
#include "viewer/draw/eye/shade.h"
#include "viewer/draw/eye/skin.h"

#include <math.h>
#include <stdlib.h>

#include "common/math/rotation.h"

/* The colour that ghosts fade to; how dark the outlines of solids are. */
#define GHOST_COLOR COLOR_sky_bottom
#define OUTLINE     0.3
/* How dark shadows on faces are. */
#define FACE_DARKNESS 0.8
/* Pieces of a cut face overlap at the seam by this, px of the picture. */
#define SEAM_PX 0.7
/* And by no more than this share of the body's size. */
#define SEAM_MOST 0.02
/* Planes that are nearer to one another than this share of the body's size are one. */
#define SLACK_SHARE 1e-4
/* The greatest number of pieces of a trail in space. */
#define TRAIL_MAX 160
/* Points nearer than this to the one before, px, are left out of trails. */
#define TRAIL_STEP_PX 2.5

static uint32_t fade(const struct scene *scene, uint32_t color, double share)
{
    return palette_mix(color, palette[GHOST_COLOR].light, scene->ghost * share);
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
    draw_fill(cr, COLOR_shadow, 0.22 * share * (1 - scene->ghost));
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
        draw_fill(cr, COLOR_light, ring ? 0.12 : 1);
    }
    cairo_arc(cr, spot.x, spot.y, radius, 0, 2 * DRAW_PI);
    draw_stroke(cr, COLOR_joint_line, 0.6, scene->ui);
}

/* ---- what is in the picture ---- */

/* The body at a moment. */
struct body {
    struct scene scene;
    struct skin *skin;
    struct caster *casters; /* by shape */
};

/* One body or several moments of it, of which the last counts for what there is once: solids and
 * pieces of the trail, which are sorted together; the former are owners from 0 on, then the
 * latter. */
struct picture {
    struct body *bodies;
    int count;
    const struct scene *scene;
    struct order *order;
    struct caster *solids;
    int solid_count;
    struct vec3 trail[TRAIL_MAX + 1];
    unsigned char is_over[TRAIL_MAX]; /* pieces that lie before a body */
    int trail_count;
};

static void cover_bodies(void *context, const struct vec3 corners[4])
{
    const struct picture *picture = context;
    for (int i = 0; i < picture->count; i++)
        skin_add_cover(picture->bodies[i].skin, corners, 4);
}

/* The six sides of a solid, which also hide the bodies. */
static void add_solid(struct picture *picture, int index)
{
    struct replay_solid solid = replay_get_solid(picture->scene->replay, index);
    struct mat3 axes = quaternion_matrix(solid.turn);
    struct vec3 halves[3] = {vec3_scale(axes.x, solid.half_m.x), vec3_scale(axes.y, solid.half_m.y),
                             vec3_scale(axes.z, solid.half_m.z)};
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            struct vec3 u = vec3_scale(halves[(axis + 1) % 3], side), v = halves[(axis + 2) % 3];
            struct vec3 centre = vec3_along(solid.at_m, halves[axis], side), corners[4];
            for (int i = 0; i < 4; i++) {
                corners[i] = vec3_along(centre, u, i == 1 || i == 2 ? 1 : -1);
                corners[i] = vec3_along(corners[i], v, i >= 2 ? 1 : -1);
            }
            order_add_polygon(picture->order, index, corners, 4);
            cover_bodies(picture, corners);
        }
    picture->solids[index] = shade_box(-1 - index, solid.at_m, halves[0], halves[1], halves[2]);
}

static int is_before_a_body(const struct picture *picture, struct vec3 at)
{
    int is_before = 0;
    for (int i = 0; i < picture->count; i++) {
        int side = skin_side(picture->bodies[i].skin, at);
        if (side > 0)
            return 0;
        is_before |= side < 0;
    }
    return is_before;
}

/* The way of the centre of mass until now, as pieces that are sorted one by one. */
static void add_trail(struct picture *picture)
{
    const struct scene *scene = picture->scene;
    const struct replay *replay = scene->replay;
    int last = replay_frame_index(replay, scene->moment.frame.time_s);
    int count = last < TRAIL_MAX ? last : TRAIL_MAX;
    for (int i = 0; i <= count && last > 0; i++) {
        int frame = (int)((int64_t)i * last / count);
        picture->trail[picture->trail_count++] =
            i < count ? replay_get_frame(replay, frame).centre : scene->moment.frame.centre;
    }
    for (int i = 0; i + 1 < picture->trail_count; i++) {
        struct vec3 a = picture->trail[i], b = picture->trail[i + 1];
        struct vec3 middle = vec3_along(a, vec3_sub(b, a), 0.5);
        picture->is_over[i] = (unsigned char)is_before_a_body(picture, middle);
        order_add_spot(picture->order, picture->solid_count + i, middle,
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

/* A face with the shadows of all bodies and solids that fall on it. */
static void draw_face(const struct picture *picture, const struct order_piece *piece, int owner,
                      uint32_t fill)
{
    const struct scene *scene = picture->scene;
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
    for (int i = 0; i < picture->count; i++)
        shade_cast(cr, &scene->eye, picture->bodies[i].casters, scene->replay->shape_count, &plane,
                   reach, owner, FACE_DARKNESS * (1 - picture->bodies[i].scene.ghost));
    shade_cast(cr, &scene->eye, picture->solids, picture->solid_count, &plane, reach, owner,
               FACE_DARKNESS);
    cairo_restore(cr);
    outline_face(scene, piece);
}

static void paint_piece(const struct picture *picture, int index)
{
    const struct scene *scene = picture->scene;
    eye_trace_line(scene->cr, &scene->eye, picture->trail[index], picture->trail[index + 1]);
    draw_stroke(scene->cr, COLOR_trail, 0.55, 1.5 * scene->ui);
}

/* Pieces of the trail that lie before a body are drawn after it. */
static void paint(void *context, const struct order_piece *piece)
{
    const struct picture *picture = context;
    const struct scene *scene = picture->scene;
    int trail = piece->owner - picture->solid_count;
    if (trail >= 0 && !picture->is_over[trail])
        paint_piece(picture, trail);
    if (trail >= 0)
        return;
    uint32_t fill =
        palette_mix(palette[COLOR_ground_top].light, palette[COLOR_sky_bottom].light, 0.25);
    double away = scene->eye.distance_m - eye_project(&scene->eye, piece->corners[0]).near;
    fill = shade_color(fill, shade_face(piece->normal));
    draw_face(picture, piece, -1 - piece->owner,
              draw_hazed(scene->replay, fill, eye_haze(&scene->eye, away)));
}

/* The ground; one with relief as the plane that touches it below the body. */
static struct plane ground_below(const struct scene *scene)
{
    const struct relief *relief = &scene->replay->relief;
    struct vec3 at = scene->moment.frame.centre;
    struct relief_shape shape;
    if (!(relief->depth_m > 0))
        return (struct plane){{0, 0, 0}, {0, 1, 0}};
    relief_shape_at(relief, at.x, at.z, &shape);
    return (struct plane){{at.x, shape.height, at.z}, relief_normal(&shape)};
}

/* Of all that stands on the ground and moves over it. */
static void draw_ground_shadows(const struct picture *picture)
{
    const struct scene *scene = picture->scene;
    struct plane ground = ground_below(scene);
    int count = scene->replay->shape_count, none = count;
    shade_cast(scene->cr, &scene->eye, picture->solids, picture->solid_count, &ground, INFINITY,
               none, 1);
    for (int i = 0; i < picture->count; i++) {
        const struct body *body = &picture->bodies[i];
        ground = ground_below(&body->scene);
        shade_cast(scene->cr, &scene->eye, body->casters, count, &ground, INFINITY, none,
                   1 - body->scene.ghost);
    }
}

/* ---- joints ---- */

/* The core of a driven joint glows with the effector's signal. */
static void draw_joint(const struct body *body, int index)
{
    const struct scene *scene = &body->scene;
    cairo_t *cr = scene->cr;
    const struct replay *replay = scene->replay;
    const struct replay_part *part = &replay->parts[index];
    if (part->joint < 0)
        return;
    const struct replay_drive *drive = &replay->drives[part->joint];
    double side = 2 * fmin(scene_half_least(&replay->shapes[index]),
                           scene_half_least(&replay->shapes[part->parent]));
    struct vec3 at = scene_at(scene, part->parent, part->base);
    struct spot spot = eye_project(&scene->eye, at);
    double radius = fmin(fmax(0.26 * side * spot.scale, 1.6 * scene->ui), 6.5 * scene->ui);
    uint32_t core = palette[COLOR_joint].light;
    uint32_t line = fade(scene, palette[COLOR_joint_line].light, 0.75);
    /* it is seen where the thinner part alone covers it */
    if (!spot.is_seen || skin_side(body->skin, vec3_along(at, scene->eye.back, 0.7 * side)) > 0)
        return;
    if (drive->effector >= 0) {
        double signal = fabs((double)scene->moment.frame.signals[drive->effector]);
        double strength = fmin(signal / drive->signal_full, 1);
        core = palette_mix(core, palette[COLOR_effector].light, 0.25 + 0.75 * strength);
    }
    cairo_arc(cr, spot.x, spot.y, radius, 0, 2 * DRAW_PI);
    draw_set_color(cr, fade(scene, core, 0.8), 1);
    cairo_fill_preserve(cr);
    draw_set_color(cr, line, 1);
    cairo_set_line_width(cr, fmax(0.28 * radius, 0.8 * scene->ui));
    cairo_stroke(cr);
}

/* ---- the whole ---- */

/* 0: no memory. */
static int begin_body(struct body *body, cairo_t *cr, const struct draw_view *view,
                      const struct replay *replay, const struct draw_moment *moment,
                      unsigned overlays)
{
    enum skin_style style = overlays & (DRAW_BRAIN | DRAW_PARTS) ? SKIN_PARTS : SKIN_COAT;
    scene_place(&body->scene, cr, view, replay, moment->time_s);
    body->scene.ghost = moment->ghost;
    body->skin = skin_create(&body->scene, overlays & DRAW_BOXES ? SKIN_BOXES : style);
    body->casters = calloc((size_t)replay->shape_count, sizeof *body->casters);
    for (int i = 0; i < replay->shape_count && body->skin && body->casters; i++)
        body->casters[i] = skin_caster(body->skin, i);
    return body->skin && body->casters;
}

/* 0: no memory. */
static int begin_picture(struct picture *picture, unsigned overlays)
{
    const struct scene *scene = picture->scene = &picture->bodies[picture->count - 1].scene;
    picture->solid_count = scene->is_spatial ? replay_solid_count(scene->replay) : 0;
    picture->solids = calloc((size_t)picture->solid_count + 1, sizeof *picture->solids);
    picture->order = order_create(eye_order(&scene->eye), SLACK_SHARE * scene->replay->size_m);
    if (!picture->solids || !picture->order)
        return 0;
    for (int i = 0; i < picture->solid_count; i++)
        add_solid(picture, i);
    if (scene->is_spatial)
        draw_space_relief(&scene->eye, scene->replay, cover_bodies, picture);
    if (overlays & DRAW_TRAIL && scene->is_spatial)
        add_trail(picture);
    return 1;
}

static void draw_picture(const struct picture *picture, unsigned overlays)
{
    const struct scene *scene = picture->scene;
    const struct replay *replay = scene->replay;
    if (overlays & DRAW_TRAIL && !scene->is_spatial)
        draw_trail(scene->cr, scene->eye.view, replay, scene->moment.frame.time_s);
    if (replay->has_light && scene->ghost == 0)
        draw_light(scene);
    for (int i = 0; i < picture->count && !scene->is_spatial && replay_has_floor(replay); i++)
        draw_flat_shadow(&picture->bodies[i].scene);
    if (replay->has_ground && scene->is_spatial)
        draw_ground_shadows(picture);
    order_walk(picture->order, paint, (void *)picture);
    for (int i = 0; i < picture->count; i++) {
        skin_draw(picture->bodies[i].skin);
        for (int k = 0; k < replay->part_count && overlays & DRAW_BOXES; k++)
            draw_joint(&picture->bodies[i], k);
    }
    for (int i = 0; i + 1 < picture->trail_count; i++)
        if (picture->is_over[i])
            paint_piece(picture, i);
}

void draw_moments(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                  const struct draw_moment *moments, int count, unsigned overlays)
{
    ENSURE(count > 0, "%d moments", count);
    ENSURE(view->flip == 1 || view->flip == -1, "a view with the flip %d", view->flip);
    struct picture picture = {.bodies = calloc((size_t)count, sizeof *picture.bodies),
                              .count = count};
    int is_ready = picture.bodies != NULL;
    for (int i = 0; i < count && is_ready; i++)
        is_ready = begin_body(&picture.bodies[i], cr, view, replay, &moments[i], overlays);
    if (is_ready && begin_picture(&picture, overlays))
        draw_picture(&picture, overlays);
    for (int i = 0; i < count && picture.bodies; i++) {
        skin_destroy(picture.bodies[i].skin);
        free(picture.bodies[i].casters);
    }
    order_destroy(picture.order);
    free(picture.solids);
    free(picture.bodies);
}

void draw_creature(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                   double time_s, double ghost, unsigned overlays)
{
    draw_moments(cr, view, replay, &(struct draw_moment){time_s, ghost}, 1, overlays);
}

void draw_trail(cairo_t *cr, const struct draw_view *view, const struct replay *replay, double to_s)
{
    struct replay_moment moment;
    struct eye eye = eye_place(view, replay, to_s);
    int last = replay_frame_index(replay, to_s);
    double left = view->left_px - view->width_px, right = view->left_px + 2 * view->width_px;
    double last_x = INFINITY, last_y = 0;
    for (int i = 0; i <= last; i++) {
        struct replay_frame frame = replay_get_frame(replay, i);
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
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    draw_stroke(cr, COLOR_trail, 0.55, 1.5 * view->ui);
}
