/* Overlays on spheres, in perspective as they are: contacts with the arrows of their impulses, the ranges of
 * muscles and driven joints, their forces and torques, what is felt, the way to the light.
 *
 * Arrows have a length in the picture's middle; farther away they are smaller. A joint has no plane of its own
 * in the picture: its angle is shown by a dial beside its bone, zero upwards. */
#include "viewer/draw/draw_spheres.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>

#include "common/genome/sensor.h"

/* A body's weight in one step, px at ui 1, and the most of it. */
#define WEIGHT_PX     26.0
#define WEIGHTS_MOST  3.0
#define HEAD_PX       5.0
#define TICK_PX       5.0
#define DIAL_PX       11.0
#define EFFORT_PX     30.0
#define EFFORT_LEAST  0.01
#define LIMIT_RAD     0.01
#define LIMIT_SHARE_M 0.002

struct scene {
    cairo_t *cr;
    struct eye eye;
    const struct replay *replay;
    struct body body;
    double ui;
};

static struct vec3 between(struct vec3 a, struct vec3 b, double share)
{
    return (struct vec3){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y),
                         a.z + share * (b.z - a.z)};
}

static struct vec3 beyond(struct vec3 at, struct vec3 way, double length)
{
    return (struct vec3){at.x + length * way.x, at.y + length * way.y, at.z + length * way.z};
}

/* From a to b, with a head unless it is shorter than that. */
static void draw_arrow(const struct scene *scene, struct vec3 a, struct vec3 b)
{
    cairo_t *cr = scene->cr;
    struct spot from = draw_eye_project(&scene->eye, a), to = draw_eye_project(&scene->eye, b);
    double angle = atan2(to.y - from.y, to.x - from.x), size = HEAD_PX * scene->ui;
    if (!from.is_seen || !to.is_seen)
        return;
    cairo_move_to(cr, from.x, from.y);
    cairo_line_to(cr, to.x, to.y);
    cairo_stroke(cr);
    if (hypot(to.x - from.x, to.y - from.y) < 0.8 * size)
        return;
    cairo_move_to(cr, to.x + size * cos(angle), to.y + size * sin(angle));
    cairo_line_to(cr, to.x + size * cos(angle + 2.5), to.y + size * sin(angle + 2.5));
    cairo_line_to(cr, to.x + size * cos(angle - 2.5), to.y + size * sin(angle - 2.5));
    cairo_close_path(cr);
    cairo_fill(cr);
}

/* ---- contacts ---- */

/* Where a contact of a tick is a little later: the sphere that it is on takes it along. */
static struct vec3 carry_contact(const struct scene *scene, const struct replay_contact *contact)
{
    const struct replay_frame *then = &scene->body.frame;
    struct vec3 at = {(double)contact->x_m, (double)contact->y_m, (double)contact->z_m},
                carried = at;
    double nearest = INFINITY;
    for (int p = 0; p < scene->replay->part_count; p++) {
        const struct vec3 *now = &scene->body.at[p];
        double x = at.x - then->poses[p].x_m, y = at.y - then->poses[p].y_m;
        double z = at.z - then->depths_m[p];
        double away = fabs(hypot(hypot(x, y), z) - scene->replay->parts[p].width_m / 2);
        if (away >= nearest)
            continue;
        nearest = away;
        carried = (struct vec3){now->x + x, now->y + y, now->z + z};
    }
    return carried;
}

static void draw_touches(const struct scene *scene)
{
    const struct replay *replay = scene->replay;
    const struct replay_frame *frame = &scene->body.frame;
    double weight = fmax(replay->measures.mass_kg, 1e-6) * fmax(replay->gravity_m_s2, 1) / 240;
    double per_weight_m = WEIGHT_PX * scene->ui / scene->eye.view->px_per_m;
    cairo_set_line_width(scene->cr, 2 * scene->ui);
    draw_set_color(scene->cr, palette[COLOR_contact].light, 0.9);
    for (int i = 0; i < frame->contact_count; i++) {
        const struct replay_contact *contact = &frame->contacts[i];
        struct vec3 at = carry_contact(scene, contact);
        struct vec3 normal = {(double)contact->normal_x, (double)contact->normal_y,
                              (double)contact->normal_z};
        double share = fmin((double)contact->impulse_n_s / weight, WEIGHTS_MOST);
        struct spot spot = draw_eye_project(&scene->eye, at);
        if (!spot.is_seen)
            continue;
        draw_arrow(scene, at, beyond(at, normal, per_weight_m * share));
        cairo_arc(scene->cr, spot.x, spot.y, 3 * scene->ui, 0, 2 * DRAW_PI);
        cairo_fill(scene->cr);
    }
}

/* ---- drives ---- */

static void draw_tick(const struct scene *scene, struct vec3 at, double angle, double length)
{
    struct spot spot = draw_eye_project(&scene->eye, at);
    double x = length * cos(angle), y = length * sin(angle);
    if (!spot.is_seen)
        return;
    cairo_move_to(scene->cr, spot.x - x, spot.y - y);
    cairo_line_to(scene->cr, spot.x + x, spot.y + y);
    cairo_stroke(scene->cr);
}

/* Where a muscle's end would be at its shortest and its longest, seen from the other end. */
static void draw_muscle_range(const struct scene *scene, const struct replay_bone *bone)
{
    const struct replay_link *link = &scene->replay->links[bone->link];
    double length = (double)scene->body.frame.joints_rad[bone->link], ui = scene->ui;
    double slack = LIMIT_SHARE_M * bone->length_m;
    int at_limit = length < link->lower + slack || length > link->upper - slack;
    struct vec3 a = scene->body.at[bone->a], b = scene->body.at[bone->b];
    struct spot from = draw_eye_project(&scene->eye, a), to = draw_eye_project(&scene->eye, b);
    double across = atan2(to.y - from.y, to.x - from.x) + DRAW_PI / 2;
    if (!(length > 0))
        return;
    draw_set_color(scene->cr, palette[COLOR_limit].light, 0.9);
    cairo_set_line_width(scene->cr, 1.4 * ui);
    draw_tick(scene, between(a, b, link->lower / length), across, TICK_PX * ui);
    draw_tick(scene, between(a, b, link->upper / length), across, TICK_PX * ui);
    draw_set_color(scene->cr, palette[at_limit ? COLOR_contact : COLOR_joint_line].light, 0.9);
    cairo_set_line_width(scene->cr, (at_limit ? 2.4 : 1.4) * ui);
    draw_tick(scene, b, across, 1.4 * TICK_PX * ui);
}

/* Which end of its muscle a drive's part is says nothing of joints: their dials stand beside that part. */
static int is_muscle(const struct replay *replay, int link)
{
    for (int i = 0; i < replay->bone_count; i++)
        if (replay->bones[i].link == link)
            return 1;
    return 0;
}

static struct spot dial_spot(const struct scene *scene, int link)
{
    int part = scene->replay->links[link].part;
    struct spot spot = draw_eye_project(&scene->eye, scene->body.at[part]);
    double beside = scene->replay->parts[part].width_m / 2 * spot.scale + DIAL_PX * scene->ui;
    /* a saddle's second axis stands on the other side */
    int is_second = link > 0 && scene->replay->links[link - 1].part == part &&
                    !is_muscle(scene->replay, link - 1);
    spot.x += is_second ? -beside : beside;
    return spot;
}

static void draw_dial(const struct scene *scene, int index)
{
    const struct replay_link *link = &scene->replay->links[index];
    double angle = (double)scene->body.frame.joints_rad[index], radius = DIAL_PX * scene->ui;
    int at_limit = angle < link->lower + LIMIT_RAD || angle > link->upper - LIMIT_RAD;
    struct spot spot = dial_spot(scene, index);
    cairo_t *cr = scene->cr;
    if (!spot.is_seen)
        return;
    cairo_move_to(cr, spot.x, spot.y);
    cairo_arc(cr, spot.x, spot.y, radius, -DRAW_PI / 2 + link->lower, -DRAW_PI / 2 + link->upper);
    cairo_close_path(cr);
    draw_set_color(cr, palette[COLOR_limit].light, 0.25);
    cairo_fill_preserve(cr);
    draw_set_color(cr, palette[COLOR_limit].light, 0.9);
    cairo_set_line_width(cr, scene->ui);
    cairo_stroke(cr);
    cairo_move_to(cr, spot.x, spot.y);
    cairo_line_to(cr, spot.x + 1.12 * radius * sin(angle), spot.y - 1.12 * radius * cos(angle));
    draw_set_color(cr, palette[at_limit ? COLOR_contact : COLOR_joint_line].light, 0.9);
    cairo_set_line_width(cr, (at_limit ? 2.4 : 1.4) * scene->ui);
    cairo_stroke(cr);
}

static void draw_ranges(const struct scene *scene)
{
    const struct replay *replay = scene->replay;
    for (int i = 0; i < replay->bone_count; i++)
        if (replay->bones[i].link >= 0)
            draw_muscle_range(scene, &replay->bones[i]);
    for (int i = 0; i < replay->link_count; i++)
        if (!is_muscle(replay, i))
            draw_dial(scene, i);
}

/* Share of the strength that a drive uses: positive where it makes longer or turns on. Sets the colour; 0:
 * too weak to be shown. */
static double set_effort(const struct scene *scene, int index)
{
    const struct replay_link *link = &scene->replay->links[index];
    double share = link->strength > 0 && link->effector >= 0
                       ? (double)scene->body.frame.torques[link->effector] / link->strength
                       : 0;
    share = fmin(fmax(share, -1), 1);
    draw_set_color(scene->cr, palette[share < 0 ? COLOR_negative : COLOR_positive].light, 0.95);
    cairo_set_line_width(scene->cr, (1.5 + 2 * fabs(share)) * scene->ui);
    return fabs(share) < EFFORT_LEAST ? 0 : share;
}

/* From a muscle's middle outwards where it pushes; from its ends inwards where it pulls. */
static void draw_muscle_effort(const struct scene *scene, const struct replay_bone *bone)
{
    double share = set_effort(scene, bone->link);
    struct vec3 a = scene->body.at[bone->a], b = scene->body.at[bone->b];
    double length = (double)scene->body.frame.joints_rad[bone->link];
    double arrow =
        fabs(share) * fmin(EFFORT_PX * scene->ui / scene->eye.view->px_per_m / length, 0.4);
    if (share == 0 || !(length > 0))
        return;
    for (int side = -1; side <= 1; side += 2) {
        double from = share > 0 ? 0.5 : 0.5 + side * arrow,
               to = share > 0 ? 0.5 + side * arrow : 0.5;
        draw_arrow(scene, between(a, b, from), between(a, b, to));
    }
}

/* About the dial's middle, three quarters of a turn at full strength, from above. */
static void draw_joint_effort(const struct scene *scene, int index)
{
    double share = set_effort(scene, index), radius = 0.75 * DIAL_PX * scene->ui;
    struct spot spot = dial_spot(scene, index);
    double begin = -DRAW_PI / 2, end = begin + 1.5 * DRAW_PI * share;
    if (share == 0 || !spot.is_seen)
        return;
    if (share < 0)
        cairo_arc_negative(scene->cr, spot.x, spot.y, radius, begin, end);
    else
        cairo_arc(scene->cr, spot.x, spot.y, radius, begin, end);
    cairo_stroke(scene->cr);
}

static void draw_efforts(const struct scene *scene)
{
    const struct replay *replay = scene->replay;
    for (int i = 0; i < replay->bone_count; i++)
        if (replay->bones[i].link >= 0)
            draw_muscle_effort(scene, &replay->bones[i]);
    for (int i = 0; i < replay->link_count; i++)
        if (!is_muscle(replay, i))
            draw_joint_effort(scene, i);
}

/* ---- what is felt ---- */

/* A ring about a place in the picture; the stronger the feeling, the clearer it is. */
static void draw_ring(const struct scene *scene, struct vec3 at, double radius_m, double felt)
{
    struct spot spot = draw_eye_project(&scene->eye, at);
    if (!spot.is_seen)
        return;
    cairo_arc(scene->cr, spot.x, spot.y, radius_m * spot.scale + 2.5 * scene->ui, 0, 2 * DRAW_PI);
    draw_set_color(scene->cr, palette[felt < 0 ? COLOR_negative : COLOR_positive].light,
                   0.2 + 0.8 * fmin(fabs(felt), 1));
    cairo_set_line_width(scene->cr, 2.4 * scene->ui);
    cairo_stroke(scene->cr);
}

/* Touch: the sphere's edge, yellow while it touches. Bones: a ring about the middle of the bone to the parent.
 * Joints: a ring about the sphere. */
static void draw_feelings(const struct scene *scene)
{
    const struct replay *replay = scene->replay;
    for (int i = 0; i < replay->part_count; i++) {
        const struct replay_part *part = &replay->parts[i];
        const float *felt = scene->body.frame.sensors + i * SENSOR_COUNT;
        struct vec3 at = scene->body.at[i];
        double radius = part->width_m / 2;
        if (part->sensors & SENSOR_BIT(SENSOR_TOUCH)) {
            struct spot spot = draw_eye_project(&scene->eye, at);
            int is_felt = felt[SENSOR_TOUCH] > 0;
            cairo_new_path(scene->cr);
            if (spot.is_seen)
                cairo_arc(scene->cr, spot.x, spot.y, 0.85 * radius * spot.scale, 0, 2 * DRAW_PI);
            draw_set_color(scene->cr, palette[is_felt ? COLOR_light : COLOR_joint_line].light,
                           is_felt ? 1 : 0.4);
            cairo_set_line_width(scene->cr, 2.4 * scene->ui);
            cairo_stroke(scene->cr);
        }
        if (part->sensors & SENSOR_BIT(SENSOR_JOINT))
            draw_ring(scene, at, radius, (double)felt[SENSOR_JOINT]);
        if (part->sensors & SENSOR_BIT(SENSOR_BONE) && part->parent >= 0)
            draw_ring(scene, between(at, scene->body.at[part->parent], 0.5), 0.3 * radius,
                      4 * (double)felt[SENSOR_BONE]);
    }
}

/* Third coordinate of the centre of mass: all spheres have one density. */
static double centre_depth(const struct scene *scene)
{
    double sum = 0, mass = 0;
    for (int i = 0; i < scene->replay->part_count; i++) {
        double width = scene->replay->parts[i].width_m;
        sum += width * width * width * scene->body.at[i].z;
        mass += width * width * width;
    }
    return sum / mass;
}

static void draw_light_way(const struct scene *scene)
{
    static const double dashes[] = {3, 5};
    const struct replay *replay = scene->replay;
    const struct replay_frame *frame = &scene->body.frame;
    char text[32];
    if (!replay->has_light)
        return;
    double dx = frame->light.x - frame->centre.x;
    double dy = replay->has_ground ? 0 : frame->light.y - frame->centre.y;
    double z = centre_depth(scene);
    struct spot from =
        draw_eye_project(&scene->eye, (struct vec3){frame->centre.x, frame->centre.y, z});
    struct spot to =
        draw_eye_project(&scene->eye, (struct vec3){frame->light.x, frame->light.y, 0});
    if (!from.is_seen || !to.is_seen)
        return;
    cairo_set_dash(scene->cr, dashes, 2, 0);
    cairo_move_to(scene->cr, from.x, from.y);
    cairo_line_to(scene->cr, to.x, to.y);
    draw_set_color(scene->cr, palette[COLOR_warn].light, 0.8);
    cairo_set_line_width(scene->cr, 1.4 * scene->ui);
    cairo_stroke(scene->cr);
    cairo_set_dash(scene->cr, NULL, 0, 0);
    snprintf(text, sizeof text, "%.2f m", sqrt(dx * dx + dy * dy + z * z));
    draw_text(scene->cr, text, (from.x + to.x) / 2, (from.y + to.y) / 2 - 6 * scene->ui,
              11.5 * scene->ui, 1, DRAW_CENTRE, COLOR_warn);
}

void draw_spheres_overlays(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                           double time_s, unsigned overlays)
{
    struct scene scene = {
        .cr = cr, .eye = draw_eye_place(view, replay, time_s), .replay = replay, .ui = view->ui};
    draw_body_take(replay, time_s, &scene.body);
    if (overlays & DRAW_LIMITS)
        draw_ranges(&scene);
    if (overlays & DRAW_SENSORS)
        draw_feelings(&scene);
    if (overlays & DRAW_TORQUES)
        draw_efforts(&scene);
    if (overlays & DRAW_LIGHT)
        draw_light_way(&scene);
    if (overlays & DRAW_CONTACTS)
        draw_touches(&scene);
}

#endif
