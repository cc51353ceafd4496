/* Overlays: what one cannot see of a creature. Contacts, joint limits, torques, sensors and the light's
 * distance are drawn in the world, the energy ledger as a panel. */
#include "viewer/draw/draw.h"

#ifdef HAVE_CAIRO

#include <math.h>
#include <stdio.h>

#include "common/genome/sensor.h"

/* ---- in the world ---- */

/* An arrow's head at x, y that points along an angle (picture, y down). */
static void draw_arrow_head(cairo_t *cr, double x, double y, double angle, double size)
{
    cairo_move_to(cr, x + size * cos(angle), y + size * sin(angle));
    cairo_line_to(cr, x + size * cos(angle + 2.5), y + size * sin(angle + 2.5));
    cairo_line_to(cr, x + size * cos(angle - 2.5), y + size * sin(angle - 2.5));
    cairo_close_path(cr);
    cairo_fill(cr);
}

/* How far a point of the world is from a part, m; 0 within. local: the point in the part's frame. */
static double part_distance(const struct replay_part *part, const struct replay_pose *pose,
                            const struct replay_contact *contact, struct vec2 *local)
{
    double c = cos(pose->angle_rad), s = sin(pose->angle_rad);
    double x = contact->x_m - pose->x_m, y = contact->y_m - pose->y_m;
    *local = (struct vec2){c * x + s * y, c * y - s * x};
    return hypot(fmax(fabs(local->x) - part->width_m / 2, 0),
                 fmax(fabs(local->y) - part->height_m / 2, 0));
}

/* Where a contact of a tick is a little later: the part that it is on takes it along. */
static struct vec2 carry_contact(const struct replay *replay, const struct replay_contact *contact,
                                 const struct replay_pose *then, const struct replay_pose *now)
{
    struct vec2 local, at = {contact->x_m, contact->y_m};
    double nearest = INFINITY;
    for (int p = 0; p < replay->part_count; p++) {
        double distance = part_distance(&replay->parts[p], &then[p], contact, &local);
        if (distance >= nearest)
            continue;
        nearest = distance;
        at = draw_place(&now[p], local);
    }
    return at;
}

void draw_contacts(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                   double time_s)
{
    struct replay_frame frame;
    struct replay_moment moment;
    replay_get_frame(replay, replay_frame_index(replay, time_s), &frame);
    replay_get_moment(replay, time_s, &moment);
    double weight = fmax(replay->measures.mass_kg, 1e-6) * fmax(replay->gravity_m_s2, 1) / 240;
    cairo_set_line_width(cr, 2 * view->ui);
    draw_set_color(cr, palette[COLOR_contact].light, 0.9);
    for (int i = 0; i < frame.contact_count; i++) {
        const struct replay_contact *contact = &frame.contacts[i];
        struct vec2 at = carry_contact(replay, contact, frame.poses, moment.poses);
        double x = draw_view_x(view, at.x), y = draw_view_y(view, at.y);
        /* the body's weight in one step is 26 px */
        double length = 26 * view->ui * fmin(contact->impulse_n_s / weight, 3);
        cairo_move_to(cr, x, y);
        cairo_line_to(cr, x + view->flip * contact->normal_x * length,
                      y - contact->normal_y * length);
        cairo_stroke(cr);
        if (length > 4 * view->ui)
            draw_arrow_head(
                cr, x + view->flip * contact->normal_x * length, y - contact->normal_y * length,
                atan2(-contact->normal_y, view->flip * contact->normal_x), 5 * view->ui);
        cairo_arc(cr, x, y, 3 * view->ui, 0, 2 * DRAW_PI);
        cairo_fill(cr);
    }
}

/* A linear joint's range: a line along its axis with ends, and where the part is on it. */
static void draw_range(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                       const struct replay_frame *frame, int index)
{
    const struct replay_link *link = &replay->links[index];
    const struct replay_part *part = &replay->parts[link->part];
    const struct replay_pose *pose = &frame->poses[link->part];
    double extension = frame->joints_rad[index], tick = 6 * view->ui;
    struct vec2 at = draw_place(pose, part->anchor);
    int at_limit = extension < link->lower + 0.002 || extension > link->upper - 0.002;

    cairo_save(cr);
    cairo_translate(cr, draw_view_x(view, at.x), draw_view_y(view, at.y));
    cairo_scale(cr, view->flip, -1);
    cairo_rotate(cr, pose->angle_rad + atan2(link->axis.y, link->axis.x));
    draw_set_color(cr, palette[COLOR_limit].light, 0.7);
    cairo_set_line_width(cr, view->ui);
    const double ends[2] = {(link->lower - extension) * view->px_per_m,
                            (link->upper - extension) * view->px_per_m};
    cairo_move_to(cr, ends[0], 0);
    cairo_line_to(cr, ends[1], 0);
    for (int i = 0; i < 2; i++) {
        cairo_move_to(cr, ends[i], -tick);
        cairo_line_to(cr, ends[i], tick);
    }
    cairo_stroke(cr);
    cairo_move_to(cr, 0, -1.4 * tick);
    cairo_line_to(cr, 0, 1.4 * tick);
    draw_set_color(cr, palette[at_limit ? COLOR_contact : COLOR_joint_line].light, 0.9);
    cairo_set_line_width(cr, (at_limit ? 2.4 : 1.4) * view->ui);
    cairo_stroke(cr);
    cairo_restore(cr);
}

void draw_limits(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                 double time_s)
{
    struct replay_moment moment;
    replay_get_moment(replay, time_s, &moment);
    for (int i = 1; i < replay->link_count; i++) {
        const struct replay_link *link = &replay->links[i];
        const struct replay_part *part = &replay->parts[link->part];
        if (part->is_linear) {
            draw_range(cr, view, replay, &moment.frame, i);
            continue;
        }
        const struct replay_pose *pose = &moment.poses[link->part];
        double c = cos(pose->angle_rad), s = sin(pose->angle_rad);
        double ax = c * part->anchor.x - s * part->anchor.y;
        double ay = s * part->anchor.x + c * part->anchor.y;
        double toward = atan2(-ay, -ax), rest = toward - moment.frame.joints_rad[i];
        double length = hypot(ax, ay) * view->px_per_m;
        double radius = fmin(fmax(0.7 * length, 8 * view->ui), 46 * view->ui);
        int at_limit = moment.frame.joints_rad[i] < link->lower + 0.01 ||
                       moment.frame.joints_rad[i] > link->upper - 0.01;

        cairo_save(cr);
        cairo_translate(cr, draw_view_x(view, pose->x_m + ax), draw_view_y(view, pose->y_m + ay));
        cairo_scale(cr, view->flip, -1);
        cairo_move_to(cr, 0, 0);
        cairo_arc(cr, 0, 0, radius, rest + link->lower, rest + link->upper);
        cairo_close_path(cr);
        draw_set_color(cr, palette[COLOR_limit].light, 0.16);
        cairo_fill_preserve(cr);
        draw_set_color(cr, palette[COLOR_limit].light, 0.7);
        cairo_set_line_width(cr, view->ui);
        cairo_stroke(cr);
        cairo_move_to(cr, 0, 0);
        cairo_line_to(cr, radius * 1.12 * cos(toward), radius * 1.12 * sin(toward));
        draw_set_color(cr, palette[at_limit ? COLOR_contact : COLOR_joint_line].light, 0.9);
        cairo_set_line_width(cr, (at_limit ? 2.4 : 1.4) * view->ui);
        cairo_stroke(cr);
        cairo_restore(cr);
    }
}

/* ---- torques, sensors, light ---- */

/* Around a hinge an arc, three quarters of a turn at full strength; along a linear joint an arrow. */
static void draw_effort(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                        const struct replay_frame *frame, int effector)
{
    const struct replay_link *link = &replay->links[replay->effectors[effector].link];
    const struct replay_part *part = &replay->parts[link->part];
    const struct replay_pose *pose = &frame->poses[link->part];
    double share = link->strength > 0 ? frame->torques[effector] / link->strength : 0;
    struct vec2 at = draw_place(pose, part->anchor);
    double x = draw_view_x(view, at.x), y = draw_view_y(view, at.y), ui = view->ui;
    share = fmin(fmax(share, -1), 1);
    if (fabs(share) < 0.01)
        return;
    draw_set_color(cr, palette[share < 0 ? COLOR_negative : COLOR_positive].light, 0.95);
    cairo_set_line_width(cr, (1.5 + 2 * fabs(share)) * ui);
    if (part->is_linear) {
        double angle = pose->angle_rad + atan2(link->axis.y, link->axis.x);
        double length = 34 * ui * share;
        double end_x = x + view->flip * length * cos(angle), end_y = y - length * sin(angle);
        cairo_move_to(cr, x, y);
        cairo_line_to(cr, end_x, end_y);
        cairo_stroke(cr);
        draw_arrow_head(cr, end_x, end_y, atan2(end_y - y, end_x - x), 5 * ui);
        return;
    }
    /* counter-clockwise in the world is against the picture's angles, unless it is mirrored */
    double radius = 12 * ui, turn = -view->flip * share * 1.5 * DRAW_PI;
    double begin = -view->flip * pose->angle_rad, end = begin + turn;
    if (turn < 0)
        cairo_arc_negative(cr, x, y, radius, begin, end);
    else
        cairo_arc(cr, x, y, radius, begin, end);
    cairo_stroke(cr);
    draw_arrow_head(cr, x + radius * cos(end), y + radius * sin(end),
                    end + (turn < 0 ? -DRAW_PI / 2 : DRAW_PI / 2), 5 * ui);
}

void draw_torques(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                  double time_s)
{
    struct replay_moment moment;
    replay_get_moment(replay, time_s, &moment);
    for (int i = 0; i < replay->effector_count; i++)
        draw_effort(cr, view, replay, &moment.frame, i);
}

/* A bar inside the face, dark where nothing touches. */
static void draw_touch(cairo_t *cr, const struct draw_view *view, const struct replay_part *part,
                       const struct replay_pose *pose, int face, double felt)
{
    double ui = view->ui, inset = 3.2 * ui / view->px_per_m;
    double half_x = fmax(part->width_m / 2 - inset, 0),
           half_y = fmax(part->height_m / 2 - inset, 0);
    double along = 0.7;
    /* top and bottom of the genes are exchanged in a mirrored part */
    double side = (face == FACE_TOP ? 1 : -1) * (part->mirror < 0 ? -1 : 1);
    struct vec2 a, b;
    if (face == FACE_RIGHT || face == FACE_LEFT) {
        double x = face == FACE_RIGHT ? half_x : -half_x;
        a = draw_place(pose, (struct vec2){x, -along * half_y});
        b = draw_place(pose, (struct vec2){x, along * half_y});
    } else {
        a = draw_place(pose, (struct vec2){-along * half_x, side * half_y});
        b = draw_place(pose, (struct vec2){along * half_x, side * half_y});
    }
    cairo_move_to(cr, draw_view_x(view, a.x), draw_view_y(view, a.y));
    cairo_line_to(cr, draw_view_x(view, b.x), draw_view_y(view, b.y));
    cairo_set_line_width(cr, 3 * ui);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    if (felt > 0)
        draw_set_color(cr, palette[COLOR_light].light, 1);
    else
        draw_set_color(cr, palette[COLOR_joint_line].light, 0.4);
    cairo_stroke(cr);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
}

/* A small arrow from the part's centre in its own frame, y reversed in mirrored parts. */
static void draw_felt_direction(cairo_t *cr, const struct draw_view *view,
                                const struct replay_part *part, const struct replay_pose *pose,
                                double along, double across, enum palette_color color)
{
    double length = 20 * view->ui / view->px_per_m, most = fmax(hypot(along, across), 1);
    struct vec2 from = {pose->x_m, pose->y_m};
    struct vec2 to =
        draw_place(pose, (struct vec2){length * along / most,
                                       length * across / most * (part->mirror < 0 ? -1 : 1)});
    double x = draw_view_x(view, to.x), y = draw_view_y(view, to.y);
    double from_x = draw_view_x(view, from.x), from_y = draw_view_y(view, from.y);
    if (hypot(x - from_x, y - from_y) < 2 * view->ui)
        return;
    draw_set_color(cr, palette[color].light, 1);
    cairo_set_line_width(cr, 1.6 * view->ui);
    cairo_move_to(cr, from_x, from_y);
    cairo_line_to(cr, x, y);
    cairo_stroke(cr);
    draw_arrow_head(cr, x, y, atan2(y - from_y, x - from_x), 4 * view->ui);
}

/* The feeling of a joint: a ring about it, blue or orange as in the brain. */
static void draw_felt_joint(cairo_t *cr, const struct draw_view *view,
                            const struct replay_part *part, const struct replay_pose *pose,
                            double angle)
{
    struct vec2 at = draw_place(pose, part->anchor);
    double share = fmin(fabs(angle) / 1.2, 1);
    cairo_arc(cr, draw_view_x(view, at.x), draw_view_y(view, at.y), 8.5 * view->ui, 0, 2 * DRAW_PI);
    draw_set_color(cr, palette[angle < 0 ? COLOR_negative : COLOR_positive].light,
                   0.2 + 0.8 * share);
    cairo_set_line_width(cr, 2.6 * view->ui);
    cairo_stroke(cr);
}

void draw_sensors(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                  double time_s)
{
    struct replay_moment moment;
    replay_get_moment(replay, time_s, &moment);
    for (int i = 0; i < replay->part_count; i++) {
        const struct replay_part *part = &replay->parts[i];
        const struct replay_pose *pose = &moment.poses[i];
        const float *felt = moment.frame.sensors + i * SENSOR_COUNT;
        for (int face = 0; face < FACE_COUNT; face++)
            if (part->sensors & SENSOR_BIT(SENSOR_CONTACT_RIGHT + face))
                draw_touch(cr, view, part, pose, face, felt[SENSOR_CONTACT_RIGHT + face]);
        if (part->sensors & SENSOR_BIT(SENSOR_JOINT) && (part->is_hinged || part->is_linear))
            draw_felt_joint(cr, view, part, pose, felt[SENSOR_JOINT]);
        if (part->sensors &
            (SENSOR_BIT(SENSOR_ACCELERATION_ALONG) | SENSOR_BIT(SENSOR_ACCELERATION_ACROSS)))
            draw_felt_direction(cr, view, part, pose, felt[SENSOR_ACCELERATION_ALONG],
                                felt[SENSOR_ACCELERATION_ACROSS], COLOR_joint);
        if (part->sensors & (SENSOR_BIT(SENSOR_LIGHT_ALONG) | SENSOR_BIT(SENSOR_LIGHT_ACROSS)))
            draw_felt_direction(cr, view, part, pose, felt[SENSOR_LIGHT_ALONG],
                                felt[SENSOR_LIGHT_ACROSS], COLOR_light);
    }
}

void draw_light_distance(cairo_t *cr, const struct draw_view *view, const struct replay *replay,
                         double time_s)
{
    static const double dashes[] = {3, 5};
    struct replay_moment moment;
    char text[32];
    if (!replay->has_light)
        return;
    replay_get_moment(replay, time_s, &moment);
    double dx = moment.frame.light.x - moment.frame.centre.x;
    double dy = replay->has_ground ? 0 : moment.frame.light.y - moment.frame.centre.y;
    double x = draw_view_x(view, moment.frame.light.x), y = draw_view_y(view, moment.frame.light.y);
    double from_x = draw_view_x(view, moment.frame.centre.x),
           from_y = draw_view_y(view, moment.frame.centre.y);
    cairo_set_dash(cr, dashes, 2, 0);
    cairo_move_to(cr, from_x, from_y);
    cairo_line_to(cr, x, y);
    draw_set_color(cr, palette[COLOR_warn].light, 0.8);
    cairo_set_line_width(cr, 1.4 * view->ui);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    snprintf(text, sizeof text, "%.2f m", hypot(dx, dy));
    /* beside the way; above the light where there is little of it */
    int is_near = hypot(x - from_x, y - from_y) < 90 * view->ui;
    draw_text(cr, text, is_near ? x : (x + from_x) / 2,
              is_near ? y - 32 * view->ui : (y + from_y) / 2 - 6 * view->ui, 11.5 * view->ui, 1,
              DRAW_CENTRE, COLOR_warn);
}

#endif
