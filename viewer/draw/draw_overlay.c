/* Overlays: what one cannot see of a creature. Contacts, the ranges of drives, their efforts, what
 * is felt and the way to the light, in the world and seen by the same eye as the body.
 *
 * Arrows have a length in the picture's middle; farther away they are smaller. A joint at one place
 * shows its angle there, on a disc in the plane that it turns in, and slides along its way. Other
 * joints have no plane: a dial beside the part shows their angle, zero upwards.
 *
 * Lines have a pale edge, and pale lines a dark one: a part may have their own colour. */
#include "viewer/draw/eye/eye.h"

#include <math.h>
#include <stdio.h>

#include "common/genome/sensor.h"

/* The arrow of an impulse: its length for the body's weight in one step, px at ui 1, and the
 * longest one in such lengths. */
#define WEIGHT_PX    26.0
#define WEIGHTS_MOST 3.0
#define HEAD_PX      5.0
#define TICK_PX      5.0
#define DIAL_PX      11.0
#define EFFORT_PX    30.0
#define EFFORT_LEAST 0.01
/* How wide the edge of a line is; a line paler than that (the sum of its three shares) has a dark
 * one. */
#define EDGE_PX   0.9
#define PALE_FROM 2.0
/* Pieces of an arc. */
#define ARC_POINTS 40
/* The share of a face that the frame or bar of a sensor takes. */
#define FACE_SHARE 0.7
/* A drive that is this near to a limit counts as at it: rad; linear: m; rods: share of their length
 * at birth. */
#define LIMIT_RAD   0.01
#define LIMIT_M     0.002
#define LIMIT_SHARE 0.002

/* Strokes the path, and fills a head of so many px at its end, both over an edge. */
static void stroke_edged(const struct scene *scene, struct spot end, double angle, double head_px)
{
    cairo_t *cr = scene->cr;
    double width = cairo_get_line_width(cr), edge = 2 * EDGE_PX * scene->ui, r, g, b, alpha;
    cairo_path_t *line = cairo_copy_path(cr);
    cairo_pattern_t *color = cairo_pattern_reference(cairo_get_source(cr));
    cairo_pattern_get_rgba(color, &r, &g, &b, &alpha);
    draw_stroke(cr, r + g + b > PALE_FROM ? COLOR_joint_line : COLOR_panel, 0.9 * alpha,
                width + edge);
    cairo_set_line_width(cr, edge);
    scene_trace_head(scene, end, angle, head_px * scene->ui);
    cairo_stroke(cr);
    cairo_set_source(cr, color);
    cairo_set_line_width(cr, width);
    cairo_append_path(cr, line);
    cairo_stroke(cr);
    scene_trace_head(scene, end, angle, head_px * scene->ui);
    cairo_fill(cr);
    cairo_path_destroy(line);
    cairo_pattern_destroy(color);
}

static void stroke_line(const struct scene *scene)
{
    stroke_edged(scene, (struct spot){0}, 0, 0);
}

/* From a to b, with a head unless it is shorter than that. */
static void draw_arrow(const struct scene *scene, struct vec3 a, struct vec3 b, double head_px)
{
    cairo_t *cr = scene->cr;
    struct spot from = eye_project(&scene->eye, a), to = eye_project(&scene->eye, b);
    double length = hypot(to.x - from.x, to.y - from.y);
    if (!from.is_seen || !to.is_seen)
        return;
    draw_line(cr, from.x, from.y, to.x, to.y);
    stroke_edged(scene, to, atan2(to.y - from.y, to.x - from.x),
                 length >= 0.8 * head_px * scene->ui ? head_px : 0);
}

/* A length of px at ui 1 in the middle of the picture, m. */
static double middle_m(const struct scene *scene, double px)
{
    return px * scene->ui / scene->eye.view->px_per_m;
}

static void set_line(const struct scene *scene, enum palette_color color, double alpha, double px)
{
    draw_set_color(scene->cr, palette[color].light, alpha);
    cairo_set_line_width(scene->cr, px * scene->ui);
}

/* ---- contacts ---- */

/* Where a contact of the last tick is now: it moves along with the part that it is on. */
static struct vec3 carry_contact(const struct scene *scene, const struct replay_frame *then,
                                 const struct replay_contact *contact)
{
    struct vec3 at = {(double)contact->x_m, (double)contact->y_m, (double)contact->z_m};
    struct vec3 carried = at;
    double nearest = INFINITY;
    for (int p = 0; p < scene->replay->part_count; p++) {
        struct vec3 local = replay_place_now(scene->replay, p, then->values,
                                             replay_pose_back(&then->poses[p], at), 1);
        /* how far it is from the shape's surface; within a box 0 */
        const struct shape *shape = &scene->replay->shapes[p];
        struct vec3 way = vec3_sub(local, shape->at_m), half = shape->half_m;
        struct vec3 out = {fmax(fabs(way.x) - half.x, 0), fmax(fabs(way.y) - half.y, 0),
                           fmax(fabs(way.z) - half.z, 0)};
        double distance =
            shape->kind == SHAPE_BALL ? fabs(vec3_length(way) - half.x) : vec3_length(out);
        if (distance >= nearest)
            continue;
        nearest = distance;
        carried = scene_at(scene, p, local);
    }
    return carried;
}

static void draw_contacts(const struct scene *scene, double time_s)
{
    const struct replay *replay = scene->replay;
    struct replay_frame frame = replay_frame_at(replay, time_s);
    double weight = fmax(replay->measures.mass_kg, 1e-6) * fmax(replay->gravity_m_s2, 1) / 240;
    for (int i = 0; i < frame.contact_count; i++) {
        const struct replay_contact *contact = &frame.contacts[i];
        struct vec3 at = carry_contact(scene, &frame, contact);
        struct vec3 normal = {(double)contact->normal_x, (double)contact->normal_y,
                              (double)contact->normal_z};
        double share = fmin((double)contact->impulse_n_s / weight, WEIGHTS_MOST);
        struct spot spot = eye_project(&scene->eye, at);
        if (!spot.is_seen)
            continue;
        set_line(scene, COLOR_contact, 0.9, 2);
        draw_arrow(scene, at, vec3_along(at, normal, share * middle_m(scene, WEIGHT_PX)), HEAD_PX);
        set_line(scene, COLOR_contact, 0.9, 3);
        cairo_arc(scene->cr, spot.x, spot.y, 1.5 * scene->ui, 0, 2 * DRAW_PI);
        stroke_line(scene);
    }
}

/* ---- drives ---- */

static double drive_value(const struct scene *scene, int index)
{
    return (double)scene->moment.values[index];
}

static int is_at_limit(const struct scene *scene, int index, double slack)
{
    const struct replay_drive *drive = &scene->replay->drives[index];
    double value = drive_value(scene, index);
    return value < drive->lower + slack || value > drive->upper - slack;
}

/* Colour and width of what shows where a drive is. */
static void set_pointer(const struct scene *scene, int at_limit)
{
    set_line(scene, at_limit ? COLOR_contact : COLOR_joint_line, 0.9, at_limit ? 2.4 : 1.4);
}

static struct vec3 between(struct vec3 a, struct vec3 b, double share)
{
    return vec3_along(a, vec3_sub(b, a), share);
}

/* ---- ranges ---- */

static void trace_tick(const struct scene *scene, struct vec3 at, double angle, double length_px)
{
    struct spot spot = eye_project(&scene->eye, at);
    double x = length_px * scene->ui * cos(angle), y = length_px * scene->ui * sin(angle);
    if (!spot.is_seen)
        return;
    draw_line(scene->cr, spot.x - x, spot.y - y, spot.x + x, spot.y + y);
}

/* Where a rod's end would be at its shortest and its longest, seen from the other end. */
static void draw_rod_range(const struct scene *scene, int index)
{
    const struct replay_drive *drive = &scene->replay->drives[index];
    double length = drive_value(scene, index);
    double birth = 2 * scene->replay->shapes[drive->rod].half_m.x;
    struct vec3 ends[2];
    scene_rod_ends(scene, &scene->replay->shapes[drive->rod], ends);
    struct spot from = eye_project(&scene->eye, ends[0]), to = eye_project(&scene->eye, ends[1]);
    double across = atan2(to.y - from.y, to.x - from.x) + DRAW_PI / 2;
    if (!(length > 0))
        return;
    set_line(scene, COLOR_limit, 0.9, 1.4);
    trace_tick(scene, between(ends[0], ends[1], drive->lower / length), across, TICK_PX);
    trace_tick(scene, between(ends[0], ends[1], drive->upper / length), across, TICK_PX);
    stroke_line(scene);
    set_pointer(scene, is_at_limit(scene, index, LIMIT_SHARE * birth));
    trace_tick(scene, ends[1], across, 1.4 * TICK_PX);
    stroke_line(scene);
}

/* A linear joint's range: a line along its way with ends, and where the part is on it. */
static void draw_way_range(const struct scene *scene, int index)
{
    const struct replay_drive *drive = &scene->replay->drives[index];
    const struct replay_part *part = &scene->replay->parts[drive->part];
    double across = scene_angle(scene, part->parent, part->base, drive->way) + DRAW_PI / 2;
    struct vec3 ends[2] = {
        scene_at(scene, part->parent, vec3_along(part->base, drive->way, drive->lower)),
        scene_at(scene, part->parent, vec3_along(part->base, drive->way, drive->upper))};
    set_line(scene, COLOR_limit, 0.7, 1);
    eye_trace_line(scene->cr, &scene->eye, ends[0], ends[1]);
    trace_tick(scene, ends[0], across, 6);
    trace_tick(scene, ends[1], across, 6);
    stroke_line(scene);
    set_pointer(scene, is_at_limit(scene, index, LIMIT_M));
    trace_tick(scene, scene_at(scene, drive->part, part->anchor), across, 1.4 * 6);
    stroke_line(scene);
}

/* ---- discs ---- */

/* Where angles of a drive are shown: along `zero` and `quarter` from the middle those of 0 and 90
 * degrees. */
struct disc {
    struct vec3 middle, zero, quarter; /* m */
};

/* In the plane that a joint turns in; the hand leads towards the middle of the part. */
static struct disc joint_disc(const struct scene *scene, int index, double radius_m)
{
    const struct replay_drive *drive = &scene->replay->drives[index];
    const struct replay_part *part = &scene->replay->parts[drive->part];
    int is_own = drive->axis > 0; /* whose frame it is in */
    const struct replay_pose *pose = &scene->moment.poses[is_own ? drive->part : part->parent];
    struct vec3 hand = replay_pose_turn(pose, drive->hand);
    struct vec3 across = vec3_cross(replay_pose_turn(pose, drive->way), hand);
    double back = is_own ? -drive_value(scene, index) : 0;
    double c = radius_m * cos(back), s = radius_m * sin(back);
    return (struct disc){scene_at(scene, part->parent, part->base),
                         vec3_along(vec3_scale(hand, c), across, s),
                         vec3_along(vec3_scale(across, c), hand, -s)};
}

/* Facing the eye: zero upwards, positive angles clockwise. */
static struct disc dial_disc(const struct scene *scene, int index, double radius_px)
{
    const struct replay_drive *drive = &scene->replay->drives[index];
    const struct shape *shape = &scene->replay->shapes[drive->part];
    const struct draw_view *view = scene->eye.view;
    struct spot spot = scene_spot(scene, drive->part, shape->at_m);
    double beside = scene_half_most(shape) * spot.scale + DIAL_PX * scene->ui;
    /* a second axis stands on the other side */
    spot.x += drive->axis == 1 ? -beside : beside;
    double x = spot.x - view->left_px - view->width_px / 2;
    double y = view->top_px + view->height_px / 2 - spot.y, radius_m = radius_px / spot.scale;
    struct vec3 right = vec3_scale(scene->eye.right, view->flip);
    struct vec3 middle = vec3_along(scene->eye.middle, right, x / spot.scale);
    middle = vec3_along(middle, scene->eye.up, y / spot.scale);
    return (struct disc){vec3_along(middle, scene->eye.back, spot.near),
                         vec3_scale(scene->eye.up, radius_m), vec3_scale(right, radius_m)};
}

static struct vec3 disc_at(const struct disc *disc, double angle, double reach)
{
    struct vec3 at = vec3_along(disc->middle, disc->zero, reach * cos(angle));
    return vec3_along(at, disc->quarter, reach * sin(angle));
}

/* From one angle to another; returns the end's spot, and the angle in the picture in which it
 * arrives. */
static struct spot trace_arc(const struct scene *scene, const struct disc *disc, double from,
                             double to, double *arrival)
{
    struct spot spot = {0}, before = {0};
    for (int i = 0; i <= ARC_POINTS; i++) {
        before = spot;
        spot = eye_project(&scene->eye, disc_at(disc, from + (to - from) * i / ARC_POINTS, 1));
        cairo_line_to(scene->cr, spot.x, spot.y);
    }
    *arrival = atan2(spot.y - before.y, spot.x - before.x);
    return spot;
}

/* A sector from lower to upper and a hand at the value. */
static void draw_sector(const struct scene *scene, int index, const struct disc *disc, double alpha)
{
    const struct replay_drive *drive = &scene->replay->drives[index];
    cairo_t *cr = scene->cr;
    struct spot middle = eye_project(&scene->eye, disc->middle);
    struct spot hand = eye_project(&scene->eye, disc_at(disc, drive_value(scene, index), 1.12));
    double arrival;
    if (!middle.is_seen || !(drive->lower < drive->upper))
        return;
    cairo_move_to(cr, middle.x, middle.y);
    trace_arc(scene, disc, fmax(drive->lower, -DRAW_PI), fmin(drive->upper, DRAW_PI), &arrival);
    cairo_close_path(cr);
    draw_set_color(cr, palette[COLOR_limit].light, alpha);
    cairo_fill_preserve(cr);
    set_line(scene, COLOR_limit, alpha < 0.2 ? 0.7 : 0.9, 1);
    stroke_line(scene);
    draw_line(cr, middle.x, middle.y, hand.x, hand.y);
    set_pointer(scene, is_at_limit(scene, index, LIMIT_RAD));
    stroke_line(scene);
}

/* How large a joint's disc is, m: px are at ui 1, and a share of the way to the middle of the
 * part. */
static double joint_radius(const struct scene *scene, int index, double share, double least_px,
                           double most_px)
{
    const struct replay_part *part = &scene->replay->parts[scene->replay->drives[index].part];
    double scale = scene_spot(scene, part->parent, part->base).scale;
    double length_px = vec3_length(part->anchor) * scale;
    return fmin(fmax(share * length_px, least_px * scene->ui), most_px * scene->ui) / scale;
}

static void draw_joint_range(const struct scene *scene, int index)
{
    if (scene->replay->drives[index].is_linear) {
        draw_way_range(scene, index);
        return;
    }
    struct disc disc = joint_disc(scene, index, joint_radius(scene, index, 0.7, 8, 46));
    draw_sector(scene, index, &disc, 0.16);
}

static void draw_dial_range(const struct scene *scene, int index)
{
    struct disc disc = dial_disc(scene, index, DIAL_PX * scene->ui);
    draw_sector(scene, index, &disc, 0.25);
}

/* ---- efforts ---- */

/* Share of the strength that a drive uses: positive where it makes longer or turns on. Sets the
 * colour; 0: too weak to be shown. */
static double set_effort(const struct scene *scene, int index)
{
    const struct replay_drive *drive = &scene->replay->drives[index];
    double share = drive->strength > 0 && drive->effector >= 0
                       ? (double)scene->moment.frame.torques[drive->effector] / drive->strength
                       : 0;
    share = fmin(fmax(share, -1), 1);
    set_line(scene, share < 0 ? COLOR_negative : COLOR_positive, 0.95, 1.5 + 2 * fabs(share));
    return fabs(share) < EFFORT_LEAST ? 0 : share;
}

/* From a rod's middle outwards where it pushes; from its ends inwards where it pulls. */
static void draw_rod_effort(const struct scene *scene, int index)
{
    double share = set_effort(scene, index), length = drive_value(scene, index);
    double arrow = fabs(share) * fmin(middle_m(scene, EFFORT_PX) / length, 0.4);
    struct vec3 ends[2];
    scene_rod_ends(scene, &scene->replay->shapes[scene->replay->drives[index].rod], ends);
    if (share == 0 || !(length > 0))
        return;
    for (int side = -1; side <= 1; side += 2) {
        double from = share > 0 ? 0.5 : 0.5 + side * arrow;
        double to = share > 0 ? 0.5 + side * arrow : 0.5;
        draw_arrow(scene, between(ends[0], ends[1], from), between(ends[0], ends[1], to), HEAD_PX);
    }
}

/* An arc, three quarters of a turn at full strength. */
static void draw_arc_effort(const struct scene *scene, const struct disc *disc, double begin,
                            double turn, int has_head)
{
    double arrival;
    if (turn == 0 || !eye_project(&scene->eye, disc->middle).is_seen)
        return;
    struct spot end = trace_arc(scene, disc, begin, begin + 1.5 * DRAW_PI * turn, &arrival);
    stroke_edged(scene, end, arrival, has_head ? HEAD_PX : 0);
}

static void draw_joint_effort(const struct scene *scene, int index)
{
    const struct replay_drive *drive = &scene->replay->drives[index];
    const struct replay_part *part = &scene->replay->parts[drive->part];
    double share = set_effort(scene, index);
    if (drive->is_linear) {
        struct vec3 from = scene_at(scene, drive->part, part->anchor);
        struct vec3 way = replay_pose_turn(&scene->moment.poses[part->parent], drive->way);
        if (share != 0)
            draw_arrow(scene, from, vec3_along(from, way, share * middle_m(scene, 34)), HEAD_PX);
        return;
    }
    struct disc disc = joint_disc(scene, index, joint_radius(scene, index, 0.35, 12, 24));
    draw_arc_effort(scene, &disc, drive_value(scene, index), share, 1);
}

static void draw_dial_effort(const struct scene *scene, int index)
{
    double share = set_effort(scene, index);
    struct disc disc = dial_disc(scene, index, 0.75 * DIAL_PX * scene->ui);
    /* by the root of the share, so that a small one can be seen */
    draw_arc_effort(scene, &disc, 0, copysign(sqrt(fabs(share)), share), 0);
}

/* Ranges, or efforts, of all drives: on a rod, at a joint at one place, or on a dial; the root's
 * drive is nowhere. */
static void draw_drives(const struct scene *scene, int is_effort)
{
    for (int i = 0; i < scene->replay->drive_count; i++) {
        const struct replay_drive *drive = &scene->replay->drives[i];
        if (drive->rod >= 0)
            (is_effort ? draw_rod_effort : draw_rod_range)(scene, i);
        else if (vec3_length(drive->way) > 0)
            (is_effort ? draw_joint_effort : draw_joint_range)(scene, i);
        else if (drive->lower < drive->upper)
            (is_effort ? draw_dial_effort : draw_dial_range)(scene, i);
    }
}

/* ---- what is felt ---- */

/* A ring; the stronger the feeling, the clearer it is. */
static void draw_ring(const struct scene *scene, struct spot spot, double radius, double felt)
{
    if (!spot.is_seen)
        return;
    cairo_arc(scene->cr, spot.x, spot.y, radius, 0, 2 * DRAW_PI);
    set_line(scene, felt < 0 ? COLOR_negative : COLOR_positive, 0.2 + 0.8 * fmin(fabs(felt), 1),
             2.5);
    cairo_stroke(scene->cr);
}

/* Yellow where something touches, else dark. */
static void set_touch(const struct scene *scene, double felt)
{
    set_line(scene, felt > 0 ? COLOR_light : COLOR_joint_line, felt > 0 ? 1 : 0.4, 3);
}

/* Out of a face of the genes, in the part's frame: what a mirrored part reverses, y in the plane
 * and z in space, is reversed here. */
static struct vec3 face_way(const struct scene *scene, int part, int face)
{
    static const struct vec3 ways[FACE_COUNT] = {
        [FACE_RIGHT] = {1, 0, 0},   [FACE_TOP] = {0, 1, 0},   [FACE_LEFT] = {-1, 0, 0},
        [FACE_BOTTOM] = {0, -1, 0}, [FACE_FRONT] = {0, 0, 1}, [FACE_BACK] = {0, 0, -1}};
    int side = scene->replay->parts[part].mirror < 0 ? -1 : 1;
    int is_flat = !(scene->replay->shapes[part].half_m.z > 0);
    return (struct vec3){ways[face].x, ways[face].y * (is_flat ? side : 1),
                         ways[face].z * (is_flat ? 1 : side)};
}

/* A bar inside the face of a rectangle; of a box that looks at the eye a frame on it. */
static void draw_touched_face(const struct scene *scene, int part, int face, double felt)
{
    const struct shape *shape = &scene->replay->shapes[part];
    int is_flat = !(shape->half_m.z > 0);
    double inset = is_flat ? middle_m(scene, 3.2) : 0;
    struct vec3 way = face_way(scene, part, face);
    struct vec3 half = {fmax(shape->half_m.x - inset, 0), fmax(shape->half_m.y - inset, 0),
                        shape->half_m.z};
    struct vec3 middle = {way.x * half.x, way.y * half.y, way.z * half.z};
    /* the two directions along the face */
    struct vec3 u = way.x != 0 ? (struct vec3){0, half.y, 0} : (struct vec3){half.x, 0, 0};
    struct vec3 v = way.z != 0 ? (struct vec3){0, half.y, 0} : (struct vec3){0, 0, half.z};
    struct vec3 corners[4];
    for (int i = 0; i < 4; i++) {
        corners[i] = vec3_along(middle, u, i == 1 || i == 2 ? FACE_SHARE : -FACE_SHARE);
        corners[i] =
            scene_at(scene, part, vec3_along(corners[i], v, i >= 2 ? FACE_SHARE : -FACE_SHARE));
    }
    if (is_flat) {
        eye_trace_line(scene->cr, &scene->eye, corners[0], corners[1]);
    } else {
        struct order_eye eye = eye_order(&scene->eye);
        struct vec3 out =
            vec3_sub(scene_at(scene, part, middle), scene_at(scene, part, (struct vec3){0, 0, 0}));
        if (vec3_dot(out, eye.is_parallel ? eye.at : vec3_sub(eye.at, corners[0])) <= 0)
            return;
        eye_trace_polygon(scene->cr, &scene->eye, corners, 4);
    }
    set_touch(scene, felt);
    cairo_set_line_cap(scene->cr, CAIRO_LINE_CAP_ROUND);
    cairo_stroke(scene->cr);
    cairo_set_line_cap(scene->cr, CAIRO_LINE_CAP_BUTT);
}

/* The whole part's edge. */
static void draw_touch(const struct scene *scene, int part, double felt)
{
    const struct shape *shape = &scene->replay->shapes[part];
    struct spot spot = scene_spot(scene, part, shape->at_m);
    if (!spot.is_seen)
        return;
    cairo_arc(scene->cr, spot.x, spot.y, 0.85 * scene_half_least(shape) * spot.scale, 0,
              2 * DRAW_PI);
    set_touch(scene, felt);
    cairo_stroke(scene->cr);
}

/* The angle of a joint: about its place, or about the part. */
static void draw_felt_joint(const struct scene *scene, int part, double felt)
{
    const struct shape *shape = &scene->replay->shapes[part];
    if (scene->replay->parts[part].joint >= 0) {
        draw_ring(scene, scene_spot(scene, part, scene->replay->parts[part].anchor),
                  8.5 * scene->ui, felt / 1.2);
        return;
    }
    struct spot spot = scene_spot(scene, part, shape->at_m);
    if (felt != 0)
        draw_ring(scene, spot, scene_half_least(shape) * spot.scale + 2.5 * scene->ui, felt);
}

/* The length of the rod to the parent: about its middle. */
static void draw_felt_rod(const struct scene *scene, int part, double felt)
{
    const struct shape *shapes = scene->replay->shapes;
    int parent = scene->replay->parts[part].parent;
    if (parent < 0)
        return;
    struct vec3 a = scene_at(scene, part, shapes[part].at_m);
    struct vec3 b = scene_at(scene, parent, shapes[parent].at_m);
    struct spot spot = eye_project(&scene->eye, between(a, b, 0.5));
    draw_ring(scene, spot, 0.3 * scene_half_least(&shapes[part]) * spot.scale + 2.5 * scene->ui,
              4 * felt);
}

/* A small arrow from the part's centre; `felt` is along the genes' axes. */
static void draw_felt_direction(const struct scene *scene, int part, struct vec3 felt,
                                enum palette_color color)
{
    struct vec3 up = face_way(scene, part, FACE_TOP), front = face_way(scene, part, FACE_FRONT);
    struct vec3 way = {felt.x, felt.y * up.y, felt.z * front.z};
    double length = middle_m(scene, 20) / fmax(vec3_length(way), 1);
    struct vec3 from = scene_at(scene, part, (struct vec3){0, 0, 0});
    struct vec3 to = scene_at(scene, part, vec3_scale(way, length));
    set_line(scene, color, 1, 1.6);
    if (vec3_length(vec3_sub(to, from)) > middle_m(scene, 2))
        draw_arrow(scene, from, to, 4);
}

static void draw_feelings(const struct scene *scene, int part)
{
    static const struct {
        enum sensor sensors[3]; /* along the genes' x, y and z */
        enum palette_color color;
    } directions[] = {
        {{SENSOR_ACCELERATION_ALONG, SENSOR_ACCELERATION_ACROSS, SENSOR_ACCELERATION_THROUGH},
         COLOR_joint},
        {{SENSOR_LIGHT_ALONG, SENSOR_LIGHT_ACROSS, SENSOR_LIGHT_THROUGH}, COLOR_light},
        {{SENSOR_OTHER_ALONG, SENSOR_OTHER_ACROSS, SENSOR_OTHER_THROUGH}, COLOR_contact},
        {{SENSOR_OBJECT_ALONG, SENSOR_OBJECT_ACROSS, SENSOR_OBJECT_THROUGH}, COLOR_good}};
    enum { DIRECTIONS = sizeof directions / sizeof directions[0] };
    const float *felt = scene->moment.frame.sensors + part * SENSOR_COUNT;
    uint64_t own = scene->replay->parts[part].sensors;
    for (int face = 0; face < FACE_COUNT; face++)
        if (own & SENSOR_BIT(face_sensors[face]))
            draw_touched_face(scene, part, face, (double)felt[face_sensors[face]]);
    if (own & SENSOR_BIT(SENSOR_TOUCH))
        draw_touch(scene, part, (double)felt[SENSOR_TOUCH]);
    if (own & SENSOR_BIT(SENSOR_JOINT))
        draw_felt_joint(scene, part, (double)felt[SENSOR_JOINT]);
    if (own & SENSOR_BIT(SENSOR_BONE))
        draw_felt_rod(scene, part, (double)felt[SENSOR_BONE]);
    /* a ball does not show how its frame is turned */
    for (int i = 0; i < DIRECTIONS && scene->replay->shapes[part].kind == SHAPE_BOX; i++) {
        const enum sensor *s = directions[i].sensors;
        if (own & (SENSOR_BIT(s[0]) | SENSOR_BIT(s[1]) | SENSOR_BIT(s[2])))
            draw_felt_direction(
                scene, part,
                (struct vec3){(double)felt[s[0]], (double)felt[s[1]], (double)felt[s[2]]},
                directions[i].color);
    }
}

/* ---- the light ---- */

/* The distance that counts is horizontal where there is a ground. */
static void draw_light_way(const struct scene *scene)
{
    static const double dashes[] = {3, 5};
    const struct replay_frame *frame = &scene->moment.frame;
    cairo_t *cr = scene->cr;
    char text[32];
    struct vec3 way = vec3_sub(frame->light, frame->centre);
    struct spot from = eye_project(&scene->eye, frame->centre);
    struct spot to = eye_project(&scene->eye, frame->light);
    if (!scene->replay->has_light || !from.is_seen || !to.is_seen)
        return;
    if (scene->replay->has_ground)
        way.y = 0;
    cairo_set_dash(cr, dashes, 2, 0);
    draw_line(cr, from.x, from.y, to.x, to.y);
    set_line(scene, COLOR_warn, 0.8, 1.4);
    stroke_line(scene);
    cairo_set_dash(cr, NULL, 0, 0);
    snprintf(text, sizeof text, "%.2f m", vec3_length(way));
    /* beside the way; above the light where there is little of it */
    int is_near = hypot(to.x - from.x, to.y - from.y) < 90 * scene->ui;
    double size = 11.5 * scene->ui, width = draw_text_width(cr, text, size, 1);
    double x = (is_near ? to.x : (to.x + from.x) / 2) - width / 2;
    double y = is_near ? to.y - 32 * scene->ui : (to.y + from.y) / 2 - 9 * scene->ui;
    draw_plate(cr, x, y, width, size);
    draw_text(cr, text, x, y, size, 1, DRAW_LEFT, COLOR_warn);
}

void draw_overlays(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                   double time_s, unsigned overlays)
{
    struct scene scene;
    scene_place(&scene, cr, view, replay, time_s);
    if (overlays & DRAW_LIMITS)
        draw_drives(&scene, 0);
    for (int i = 0; i < replay->part_count && overlays & DRAW_SENSORS; i++)
        draw_feelings(&scene, i);
    if (overlays & DRAW_TORQUES)
        draw_drives(&scene, 1);
    if (overlays & DRAW_LIGHT)
        draw_light_way(&scene);
    if (overlays & DRAW_CONTACTS)
        draw_contacts(&scene, time_s);
}
