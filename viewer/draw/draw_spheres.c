/* Spheres and bones, seen in perspective: the eye stands at a distance from the middle of the picture,
 * turned about it by the view's orbit, and looks at it. What lies in the middle is as large as in flat
 * pictures, so that the camera's following, zooming and panning serve both.
 *
 * Spheres and bones are drawn from the farthest to the nearest (at most 64 and 192: sorted by insertion),
 * shaded as if lit from the upper left; muscles are coloured by what their effector asks for. Shadows fall
 * straight down on what is below. Without an orbit the picture is flat, as strobe pictures are. */
#include "viewer/draw/draw_spheres.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>

/* The eye's distance, by the larger side of the picture in the middle plane. */
#define EYE_DISTANCE 1.3
/* What is nearer to the eye than this share of its distance is left out. */
#define NEAREST_SHARE 0.08
/* Thickness of bones and muscles, by the radius of the thinner end; px at ui 1 at least. */
#define BONE_SHARE   0.38
#define MUSCLE_SHARE 0.55
#define BONE_PX      1.2
/* Bones begin this share of the radius from the centre. */
#define SUNK 0.85
/* The ground's grid reaches so many lines from the middle, about as far apart as marks. */
#define GRID_LINES 14
#define GRID_PX    70.0
/* A sphere is beyond a face of a box when its centre is so many radii. */
#define BEYOND    0.5
#define CORNERS   24 /* of a shadow's outline */
#define ITEMS_MAX (REPLAY_PARTS_MAX + SPHERE_BONES_MAX)
/* The middle follows the depth of the body's mean over so many moments, this far apart. */
#define DEPTH_MOMENTS 7
#define DEPTH_STEP_S  0.1

/* ---- projection ---- */

static double dot(struct vec3 a, struct vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

int draw_is_spatial(const struct draw_view *view, const struct replay *replay)
{
    return replay->is_spheres && (view->orbit.yaw_rad != 0 || view->orbit.pitch_rad != 0);
}

static double middle_depth(const struct replay *replay, double time_s)
{
    float depths[REPLAY_PARTS_MAX];
    double sum = 0;
    for (int i = 0; i < DEPTH_MOMENTS; i++)
        sum +=
            replay_sample_depths(replay, time_s + (i - DEPTH_MOMENTS / 2) * DEPTH_STEP_S, depths);
    return sum / DEPTH_MOMENTS;
}

struct eye draw_eye_place(const struct draw_view *view, const struct replay *replay, double time_s)
{
    double sy = sin(view->orbit.yaw_rad), cy = cos(view->orbit.yaw_rad);
    double sp = sin(view->orbit.pitch_rad), cp = cos(view->orbit.pitch_rad);
    double side = fmax(view->width_px, view->height_px) / view->px_per_m;
    return (struct eye){.view = view,
                        .middle = {view->x_m, view->y_m, middle_depth(replay, time_s)},
                        .right = {cy, 0, -sy},
                        .up = {-sy * sp, cp, -cy * sp},
                        .back = {sy * cp, sp, cy * cp},
                        .distance_m =
                            draw_is_spatial(view, replay) ? EYE_DISTANCE * side : INFINITY};
}

struct spot draw_eye_project(const struct eye *eye, struct vec3 at)
{
    const struct draw_view *view = eye->view;
    struct vec3 way = {at.x - eye->middle.x, at.y - eye->middle.y, at.z - eye->middle.z};
    struct spot spot = {.near = dot(way, eye->back), .is_seen = 1, .scale = view->px_per_m};
    if (isfinite(eye->distance_m)) {
        double left = eye->distance_m - spot.near;
        spot.is_seen = left > NEAREST_SHARE * eye->distance_m;
        spot.scale *= eye->distance_m / fmax(left, NEAREST_SHARE * eye->distance_m);
    }
    spot.x = view->left_px + view->width_px / 2 + view->flip * spot.scale * dot(way, eye->right);
    spot.y = view->top_px + view->height_px / 2 - spot.scale * dot(way, eye->up);
    return spot;
}

/* The end of a line that begins at `from`, cut where it comes too near to the eye. 0 if nothing is left. */
static int cut_line(const struct eye *eye, struct vec3 from, struct vec3 *to)
{
    struct spot a = draw_eye_project(eye, from), b = draw_eye_project(eye, *to);
    double most = (1 - NEAREST_SHARE) * eye->distance_m - 1e-9;
    if (b.is_seen || !a.is_seen)
        return a.is_seen;
    double share = (most - a.near) / (b.near - a.near);
    *to = (struct vec3){from.x + share * (to->x - from.x), from.y + share * (to->y - from.y),
                        from.z + share * (to->z - from.z)};
    return 1;
}

static void trace_line(cairo_t *cr, const struct eye *eye, struct vec3 a, struct vec3 b)
{
    if (!draw_eye_project(eye, a).is_seen) {
        struct vec3 c = a;
        a = b;
        b = c;
    }
    if (!cut_line(eye, a, &b))
        return;
    struct spot from = draw_eye_project(eye, a), to = draw_eye_project(eye, b);
    cairo_move_to(cr, from.x, from.y);
    cairo_line_to(cr, to.x, to.y);
}

/* ---- the world ---- */

static void fill_rows(cairo_t *cr, const struct draw_view *view, double top, double bottom,
                      enum palette_color from, enum palette_color to)
{
    cairo_pattern_t *pattern = cairo_pattern_create_linear(0, top, 0, bottom);
    uint32_t a = palette[from].light, b = palette[to].light;
    cairo_pattern_add_color_stop_rgb(pattern, 0, (a >> 16 & 255) / 255.0, (a >> 8 & 255) / 255.0,
                                     (a & 255) / 255.0);
    cairo_pattern_add_color_stop_rgb(pattern, 1, (b >> 16 & 255) / 255.0, (b >> 8 & 255) / 255.0,
                                     (b & 255) / 255.0);
    cairo_set_source(cr, pattern);
    cairo_rectangle(cr, view->left_px, top, view->width_px, fmax(bottom - top, 0));
    cairo_fill(cr);
    cairo_pattern_destroy(pattern);
}

/* 1, 2 or 5 times a power of ten metres. */
static double grid_step(const struct draw_view *view)
{
    double least = GRID_PX * view->ui / view->px_per_m, step = pow(10, floor(log10(least)));
    return step >= least       ? step
           : 2 * step >= least ? 2 * step
           : 5 * step >= least ? 5 * step
                               : 10 * step;
}

static void draw_grid_lines(cairo_t *cr, const struct eye *eye, double height_m, double alpha)
{
    double step = grid_step(eye->view), reach = GRID_LINES * step;
    double x0 = floor(eye->middle.x / step) * step, z0 = floor(eye->middle.z / step) * step;
    cairo_set_line_width(cr, 0.8 * eye->view->ui);
    for (int i = -GRID_LINES; i <= GRID_LINES; i++) {
        double fade = 1 - fabs((double)i) / (GRID_LINES + 1);
        double x = x0 + i * step, z = z0 + i * step;
        trace_line(cr, eye, (struct vec3){x, height_m, z0 - reach},
                   (struct vec3){x, height_m, z0 + reach});
        trace_line(cr, eye, (struct vec3){x0 - reach, height_m, z},
                   (struct vec3){x0 + reach, height_m, z});
        draw_set_color(cr, palette[COLOR_ground_line].light, alpha * fade);
        cairo_stroke(cr);
    }
}

/* Distances along the line that leads to the right from the start. */
static void draw_marks(cairo_t *cr, const struct eye *eye)
{
    const struct draw_view *view = eye->view;
    double step = grid_step(view), first = floor(eye->middle.x / step);
    for (int i = -GRID_LINES / 2; i <= GRID_LINES / 2; i++) {
        char text[32];
        double x = (first + i) * step;
        struct spot spot = draw_eye_project(eye, (struct vec3){x, 0, 0});
        if (!spot.is_seen || spot.x < view->left_px || spot.x > view->left_px + view->width_px)
            continue;
        cairo_arc(cr, spot.x, spot.y, 2 * view->ui, 0, 2 * DRAW_PI);
        draw_set_color(cr, palette[COLOR_ground_line].light, 0.9);
        cairo_fill(cr);
        snprintf(text, sizeof text, "%.4g m", x == 0 ? 0 : view->flip * x);
        /* none that the picture's edge would cut */
        double half = draw_text_width(cr, text, 9.5 * view->ui, 0) / 2 + 2;
        if (spot.x - half < view->left_px || spot.x + half > view->left_px + view->width_px ||
            spot.y + 4 * view->ui < view->top_px ||
            spot.y + 15 * view->ui > view->top_px + view->height_px)
            continue;
        draw_text(cr, text, spot.x, spot.y + 13 * view->ui, 9.5 * view->ui, 0, DRAW_CENTRE,
                  COLOR_text_soft);
    }
}

/* A side of a box by its corners, if it looks at the eye. */
static void draw_side(cairo_t *cr, const struct eye *eye, const struct vec3 corners[4],
                      uint32_t color)
{
    struct spot spots[4];
    double area = 0;
    for (int i = 0; i < 4; i++) {
        spots[i] = draw_eye_project(eye, corners[i]);
        if (!spots[i].is_seen)
            return;
    }
    for (int i = 0; i < 4; i++) {
        const struct spot *a = &spots[i], *b = &spots[(i + 1) % 4];
        area += a->x * b->y - b->x * a->y;
    }
    if (area * eye->view->flip >= 0)
        return;
    for (int i = 0; i < 4; i++)
        cairo_line_to(cr, spots[i].x, spots[i].y);
    cairo_close_path(cr);
    draw_set_color(cr, color, 1);
    cairo_fill_preserve(cr);
    draw_set_color(cr, palette[COLOR_ground_line].light, 0.8);
    cairo_set_line_width(cr, eye->view->ui);
    cairo_stroke(cr);
}

/* A box: a rectangle of the x-y plane that reaches to both sides. The corners are counter-clockwise. */
static void draw_box(cairo_t *cr, const struct eye *eye, const struct replay *replay, int index)
{
    struct vec2 c[4];
    double depth = replay->obstacle_depth_m;
    uint32_t top = palette[COLOR_ground_top].light, dark = palette[COLOR_ground_bottom].light;
    replay_get_obstacle(replay, index, c);
    for (int i = 0; i < 4; i++) {
        struct vec2 a = c[i], b = c[(i + 1) % 4];
        struct vec3 side[4] = {
            {a.x, a.y, depth}, {a.x, a.y, -depth}, {b.x, b.y, -depth}, {b.x, b.y, depth}};
        // lighter the more it looks up: outward is to the right of a to b
        double length = hypot(b.x - a.x, b.y - a.y), up = length > 0 ? (a.x - b.x) / length : 0;
        draw_side(cr, eye, side, palette_mix(dark, top, 0.5 + 0.5 * up));
    }
    struct vec3 front[4] = {{c[0].x, c[0].y, depth},
                            {c[1].x, c[1].y, depth},
                            {c[2].x, c[2].y, depth},
                            {c[3].x, c[3].y, depth}};
    struct vec3 behind[4] = {{c[3].x, c[3].y, -depth},
                             {c[2].x, c[2].y, -depth},
                             {c[1].x, c[1].y, -depth},
                             {c[0].x, c[0].y, -depth}};
    draw_side(cr, eye, front, palette_mix(dark, 0x14202a, 0.12));
    draw_side(cr, eye, behind, palette_mix(dark, 0x14202a, 0.12));
}

static double box_nearness(const struct eye *eye, const struct replay *replay, int index)
{
    const struct obstacle *obstacle = &replay->obstacles.list[index];
    return draw_eye_project(eye, (struct vec3){obstacle->x_m, obstacle->y_m, 0}).near;
}

/* From the farthest to the nearest; is_drawn: NULL stands for all. */
static void draw_boxes(cairo_t *cr, const struct eye *eye, const struct replay *replay,
                       const int *is_drawn)
{
    int order[OBSTACLES_MAX], count = replay->obstacles.count;
    for (int i = 0; i < count; i++) {
        int k = i;
        double nearness = box_nearness(eye, replay, i);
        for (; k > 0 && box_nearness(eye, replay, order[k - 1]) > nearness; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = 0; i < count; i++)
        if (!is_drawn || is_drawn[order[i]])
            draw_box(cr, eye, replay, order[i]);
}

void draw_spheres_world(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                        double time_s, unsigned overlays)
{
    struct eye eye = draw_eye_place(view, replay, time_s);
    double top = view->top_px, bottom = top + view->height_px;
    double horizon =
        top + view->height_px / 2 - view->px_per_m * eye.distance_m * tan(view->orbit.pitch_rad);
    double edge = replay->has_ground ? fmin(fmax(horizon, top), bottom) : bottom;
    if (replay->medium == REPLAY_WATER)
        fill_rows(cr, view, top, bottom, COLOR_water_top, COLOR_water_bottom);
    else
        fill_rows(cr, view, top, edge, replay->has_ground ? COLOR_sky_top : COLOR_air_top,
                  replay->has_ground ? COLOR_sky_bottom : COLOR_air_bottom);
    if (replay->has_ground) {
        fill_rows(cr, view, edge, bottom, COLOR_ground_top, COLOR_ground_bottom);
        if (!(overlays & DRAW_UNMARKED)) {
            draw_grid_lines(cr, &eye, 0, 0.55);
            draw_marks(cr, &eye);
        }
    }
    draw_boxes(cr, &eye, replay, NULL);
}

/* ---- the creature ---- */

void draw_body_take(const struct replay *replay, double time_s, struct body *body)
{
    struct replay_pose poses[REPLAY_PARTS_MAX];
    float depths[REPLAY_PARTS_MAX];
    struct vec2 centre;
    replay_get_frame(replay, replay_frame_index(replay, time_s), &body->frame);
    replay_sample(replay, time_s, poses, &centre);
    replay_sample_depths(replay, time_s, depths);
    for (int i = 0; i < replay->part_count; i++)
        body->at[i] = (struct vec3){(double)poses[i].x_m, (double)poses[i].y_m, (double)depths[i]};
}

/* Beneath a sphere, on what is below it: paler the higher it is. */
static void draw_sphere_shadow(cairo_t *cr, const struct eye *eye, const struct replay *replay,
                               struct vec3 at, double radius, double ghost)
{
    double floor_m = 0;
    int is_beside = fabs(at.z) > replay->obstacle_depth_m;
    if (is_beside ? !replay->has_ground : !replay_find_surface(replay, at.x, at.y, &floor_m))
        return;
    double lift = fmax(at.y - radius - floor_m, 0), share = 1 / (1 + 1.5 * lift / radius);
    for (int i = 0; i < CORNERS; i++) {
        double angle = 2 * DRAW_PI * i / CORNERS, r = radius * (0.7 + 0.3 * share);
        struct spot spot = draw_eye_project(
            eye, (struct vec3){at.x + r * cos(angle), floor_m, at.z + r * sin(angle)});
        if (!spot.is_seen) {
            cairo_new_path(cr);
            return;
        }
        cairo_line_to(cr, spot.x, spot.y);
    }
    cairo_close_path(cr);
    draw_set_color(cr, palette[COLOR_joint_line].light, 0.30 * share * (1 - ghost));
    cairo_fill(cr);
}

static void draw_sphere(cairo_t *cr, const struct eye *eye, const struct replay *replay, int index,
                        struct vec3 at, double ghost)
{
    const struct replay_part *part = &replay->parts[index];
    struct spot spot = draw_eye_project(eye, at);
    double radius = fmax(part->width_m / 2 * spot.scale, 1);
    uint32_t background = palette[COLOR_sky_bottom].light;
    uint32_t color = palette[palette_part_color(index)].light;
    uint32_t lit = palette_mix(palette_mix(color, 0xffffff, 0.55), background, ghost * 0.8);
    uint32_t dark = palette_mix(palette_mix(color, 0x14202a, 0.42), background, ghost * 0.8);
    color = palette_mix(color, background, ghost * 0.8);
    if (!spot.is_seen)
        return;
    cairo_pattern_t *pattern = cairo_pattern_create_radial(
        spot.x - 0.35 * radius, spot.y - 0.4 * radius, 0.05 * radius, spot.x, spot.y, radius);
    const uint32_t colors[3] = {lit, color, dark};
    const double stops[3] = {0, 0.45, 1};
    for (int i = 0; i < 3; i++)
        cairo_pattern_add_color_stop_rgb(pattern, stops[i], (colors[i] >> 16 & 255) / 255.0,
                                         (colors[i] >> 8 & 255) / 255.0, (colors[i] & 255) / 255.0);
    cairo_arc(cr, spot.x, spot.y, radius, 0, 2 * DRAW_PI);
    cairo_set_source(cr, pattern);
    cairo_fill(cr);
    cairo_pattern_destroy(pattern);
}

/* Cream where it is fixed; a muscle is blue when it is asked to be short and orange when long. */
static uint32_t bone_color(const struct replay *replay, const struct replay_frame *frame,
                           const struct replay_bone *bone)
{
    if (bone->link < 0)
        return palette[COLOR_joint].light;
    const struct replay_link *link = &replay->links[bone->link];
    double asked = (double)frame->joints_rad[bone->link] / bone->length_m - 1;
    double drive = fabs((double)frame->signals[link->effector]) / link->signal_full;
    uint32_t aim = palette[asked < 0 ? COLOR_negative : COLOR_positive].light;
    return palette_mix(palette[COLOR_part_2].light, aim, fmin(0.25 + 0.75 * drive, 1));
}

/* Moves both ends towards each other by what of the bone lies inside of the spheres. */
static void shorten(struct spot *a, struct spot *b, double radius_a_m, double radius_b_m)
{
    double x = b->x - a->x, y = b->y - a->y, near = (b->near - a->near) * (a->scale + b->scale) / 2;
    double length = sqrt(x * x + y * y + near * near);
    double from = SUNK * radius_a_m * a->scale, to = SUNK * radius_b_m * b->scale;
    if (length <= from + to)
        return;
    a->x += x * from / length;
    a->y += y * from / length;
    b->x -= x * to / length;
    b->y -= y * to / length;
}

static void draw_bone(cairo_t *cr, const struct eye *eye, const struct replay *replay,
                      const struct body *body, int index, double ghost)
{
    const struct replay_bone *bone = &replay->bones[index];
    struct spot a = draw_eye_project(eye, body->at[bone->a]),
                b = draw_eye_project(eye, body->at[bone->b]);
    double thin = fmin(replay->parts[bone->a].width_m, replay->parts[bone->b].width_m) / 2;
    double share = bone->link < 0 ? BONE_SHARE : MUSCLE_SHARE;
    // a muscle that is short is thick
    if (bone->link >= 0)
        share *= sqrt(bone->length_m /
                      fmax((double)body->frame.joints_rad[bone->link], 0.2 * bone->length_m));
    double width = fmax(share * thin * (a.scale + b.scale) / 2, BONE_PX * eye->view->ui);
    uint32_t background = palette[COLOR_sky_bottom].light;
    uint32_t color = palette_mix(bone_color(replay, &body->frame, bone), background, ghost * 0.8);
    if (!a.is_seen || !b.is_seen)
        return;
    // from surface to surface
    shorten(&a, &b, replay->parts[bone->a].width_m / 2, replay->parts[bone->b].width_m / 2);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_move_to(cr, a.x, a.y);
    cairo_line_to(cr, b.x, b.y);
    draw_set_color(cr, palette_mix(color, 0x14202a, 0.5), 1);
    cairo_set_line_width(cr, width + 1.4 * eye->view->ui);
    cairo_stroke_preserve(cr);
    draw_set_color(cr, color, 1);
    cairo_set_line_width(cr, width);
    cairo_stroke(cr);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

/* Spheres by their number, bones after them; sorted so that the nearest comes last. */
static int sort_items(const struct eye *eye, const struct replay *replay, const struct body *body,
                      int order[ITEMS_MAX])
{
    double near[ITEMS_MAX];
    int count = replay->part_count + replay->bone_count;
    for (int i = 0; i < count; i++) {
        const struct replay_bone *bone = &replay->bones[i - replay->part_count];
        near[i] = i < replay->part_count ? draw_eye_project(eye, body->at[i]).near
                                         : (draw_eye_project(eye, body->at[bone->a]).near +
                                            draw_eye_project(eye, body->at[bone->b]).near) /
                                               2;
        int k = i;
        for (; k > 0 && near[order[k - 1]] > near[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    return count;
}

/* 1 if a box is between a sphere and the eye: beyond one of its six faces is the sphere, but not the eye. */
static int is_behind_box(const struct eye *eye, const struct replay *replay, int box,
                         struct vec3 at, double radius)
{
    struct vec2 c[4];
    struct vec3 from = {eye->middle.x + eye->distance_m * eye->back.x,
                        eye->middle.y + eye->distance_m * eye->back.y,
                        eye->middle.z + eye->distance_m * eye->back.z};
    double depth = replay->obstacle_depth_m, least = BEYOND * radius;
    if ((at.z > depth + least && from.z < depth) || (at.z < -depth - least && from.z > -depth))
        return 1;
    replay_get_obstacle(replay, box, c);
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

/* Marks the spheres that a box hides, then the bones both of whose ends are; those boxes are added to
 * is_before. */
static void find_hidden(const struct eye *eye, const struct replay *replay, const struct body *body,
                        int is_hidden[ITEMS_MAX], int is_before[OBSTACLES_MAX])
{
    for (int i = 0; i < replay->part_count; i++)
        for (int k = 0; k < replay->obstacles.count; k++)
            if (is_behind_box(eye, replay, k, body->at[i], replay->parts[i].width_m / 2))
                is_hidden[i] = is_before[k] = 1;
    for (int i = 0; i < replay->bone_count; i++) {
        const struct replay_bone *bone = &replay->bones[i];
        is_hidden[replay->part_count + i] = is_hidden[bone->a] && is_hidden[bone->b];
    }
}

void draw_spheres_body(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       double time_s, double ghost)
{
    struct eye eye = draw_eye_place(view, replay, time_s);
    struct body body;
    int order[ITEMS_MAX], is_hidden[ITEMS_MAX] = {0}, is_before[OBSTACLES_MAX] = {0};
    int is_spatial = isfinite(eye.distance_m);
    draw_body_take(replay, time_s, &body);
    if (is_spatial)
        find_hidden(&eye, replay, &body, is_hidden, is_before);
    for (int i = 0; i < replay->part_count && is_spatial; i++)
        draw_sphere_shadow(cr, &eye, replay, body.at[i], replay->parts[i].width_m / 2, ghost);
    int count = sort_items(&eye, replay, &body, order);
    // what boxes hide, those boxes once more, and the rest
    for (int pass = 1; pass >= 0; pass--) {
        for (int i = 0; i < count; i++)
            if (is_hidden[order[i]] != pass)
                continue;
            else if (order[i] < replay->part_count)
                draw_sphere(cr, &eye, replay, order[i], body.at[order[i]], ghost);
            else
                draw_bone(cr, &eye, replay, &body, order[i] - replay->part_count, ghost);
        if (pass && is_spatial)
            draw_boxes(cr, &eye, replay, is_before);
    }
}

/* The mean of the spheres stands for the centre's depth. */
void draw_spheres_trail(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                        double from_s, double to_s)
{
    struct eye eye = draw_eye_place(view, replay, to_s);
    float depths[REPLAY_PARTS_MAX];
    int first = replay_frame_index(replay, from_s), last = replay_frame_index(replay, to_s);
    for (int i = first; i <= last; i++) {
        struct replay_frame frame;
        replay_get_frame(replay, i, &frame);
        double depth = replay_sample_depths(replay, frame.time_s, depths);
        struct spot spot =
            draw_eye_project(&eye, (struct vec3){frame.centre.x, frame.centre.y, depth});
        if (spot.is_seen)
            cairo_line_to(cr, spot.x, spot.y);
    }
    cairo_set_line_width(cr, 1.5 * view->ui);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    draw_set_color(cr, palette[COLOR_trail].light, 0.55);
    cairo_stroke(cr);
}

#endif
