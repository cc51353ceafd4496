/* Scenes with depth: shapes in alone(), pictures, pages and the camera, and what is where in
 * perspective. */
#include "viewer/draw/draw.h"

#include <unistd.h>

#include "common/math/rotation.h"
#include "common/creature/creature.h"
#include "common/system/file.h"
#include "tests/unit/pose_fixture.h"
#include "viewer/export/export.h"
#include "viewer/window/contents.h"
#include "tests/counts.h"
#include "tests/plain_fixture.h"

static struct replay *replay;

static void drop_replay(void)
{
    replay_destroy(replay);
    replay = NULL;
}

/* The replay as a list. */
static const struct replay *const *alone(void)
{
    return (const struct replay *const *)&replay;
}

static void drop_rows(void)
{
    free(replay->rows);
    replay->rows = NULL;
    replay->frame_count = 0;
    replay->row_floats = 0;
}

/* A creature and a world of the examples, with one parameter. The joints of one body gene (-1: of
 * none) are made to slide. */
static void make_in(const char *name, const char *world, const char *change, int sliding)
{
    drop_replay();
    SCOPED(creature) creature;
    ck_ok(creature_read(&creature, printed("examples/creatures/%s.json", name), &error));
    params_set_defaults(&params);
    ck_ok(params_read_file(&params, printed("examples/%s.ini", world), &error));
    if (sliding >= 0) {
        struct body_gene *gene = &creature.genome.bodies[sliding];
        gene->joint = JOINT_LINEAR;
        gene->lower = -0.05;
        gene->upper = 0.25;
    }
    set(change);
    ck_ok(replay_create(&replay, &creature, &params, 1, 0, NULL, 0, &error));
}

/* In the world that is named like the creature, or where boxes walk. */
static void make_changed(const char *name, int sliding)
{
    int has_own = access(printed("examples/%s.ini", name), F_OK) == 0;
    make_in(name, has_own ? name : "walk3d", "simulation.duration_s=2", sliding);
}

static void make_replay(const char *name)
{
    make_changed(name, -1);
}

/* ---- the replay ---- */

TEST(replays_hold_shapes_and_drives)
{
    make_replay("spider");
    ck_assert_int_eq(replay->has_depth, 1);
    ck_assert_int_eq(replay->part_count, 12);
    ck_assert_int_eq(replay->shape_count, 12 + 24);
    ck_assert_int_eq(replay->drive_count, replay->effector_count);
    int muscles = 0, moved = 0;
    struct replay_frame frame = frame_at(replay, replay->frame_count - 1);
    for (int i = replay->part_count; i < replay->shape_count; i++) {
        const struct shape *rod = &replay->shapes[i];
        double birth = 2 * rod->half_m.x;
        double length = vec3_length(vec3_sub(replay_pose_centre(&frame.poses[rod->part]),
                                             replay_pose_centre(&frame.poses[rod->other])));
        ck_assert_int_eq(rod->kind, SHAPE_ROD);
        if (rod->drive < 0) {
            // bones hold
            ck_assert_double_eq_tol(length, birth, 0.05 * birth);
            continue;
        }
        muscles++;
        ck_assert_int_eq(replay->drives[rod->drive].rod, i);
        ck_assert_double_eq_tol(length, (double)frame.values[rod->drive], 1e-5);
        moved += fabs(length - birth) > 0.01;
    }
    ck_assert_int_eq(muscles, 10);
    ck_assert_int_gt(moved, 2);
    ck_assert(frame.poses[5].z_m != 0 && frame.centre.z != 0);
}

/* ---- joints of boxes ---- */

/* A place of a part at a moment, and a direction. */
static struct vec3 place_of(const struct replay_frame *frame, int part, struct vec3 at)
{
    return replay_pose_place(&frame->poses[part], at);
}

static struct vec3 turned(const struct replay_frame *frame, int part, struct vec3 way)
{
    return replay_pose_turn(&frame->poses[part], way);
}

static void check_near(struct vec3 a, struct vec3 b, double tolerance)
{
    ck_assert_double_le(vec3_length(vec3_sub(a, b)), tolerance);
}

/* By an angle about a unit across it. */
static struct vec3 about(struct vec3 way, struct vec3 v, double angle)
{
    return vec3_along(vec3_scale(v, cos(angle)), vec3_cross(way, v), sin(angle));
}

/* Joint by joint: the part is where its base, its way and its value say, and its hand points where
 * the value says. Returns how many freedoms were looked at. */
static int check_joints(const struct replay_frame *frame)
{
    int freedoms = 0;
    for (int p = 0; p < replay->part_count; p++) {
        const struct replay_part *part = &replay->parts[p];
        if (part->joint < 0)
            continue;
        const struct replay_drive *drive = &replay->drives[part->joint];
        struct vec3 base = place_of(frame, part->parent, part->base);
        struct vec3 way = turned(frame, part->parent, drive->way);
        double value = (double)frame->values[part->joint];
        ck_assert_double_eq_tol(vec3_length(drive->way), 1, 1e-9);
        ck_assert_double_eq_tol(vec3_length(drive->hand), 1, 1e-9);
        ck_assert_double_eq_tol(vec3_dot(drive->way, drive->hand), 0, 1e-9);
        if (drive->is_linear)
            base = vec3_along(base, way, value);
        check_near(place_of(frame, p, part->anchor), base, 2e-4);
        int is_last = part->joint + 1 == replay->drive_count || drive[1].axis == 0;
        if (drive->is_linear) {
            freedoms++;
        } else if (is_last) {
            /* one axis: the hand at the value leads to the part, across the way */
            struct vec3 arm = vec3_sub(replay_pose_centre(&frame->poses[p]), base);
            struct vec3 hand = about(way, turned(frame, part->parent, drive->hand), value);
            arm = vec3_along(arm, way, -vec3_dot(arm, way));
            if (vec3_length(arm) > 0.01)
                check_near(vec3_scale(arm, 1 / vec3_length(arm)), hand, 2e-4);
            freedoms++;
        } else if (drive[1].axis == 1 &&
                   (part->joint + 2 == replay->drive_count || drive[2].axis == 0)) {
            /* two axes: the second one is turned by the first, and is the part's own */
            struct vec3 second = turned(frame, p, drive[1].way);
            ck_assert_double_eq_tol(vec3_dot(second, way), 0, 2e-4);
            freedoms += 2;
        }
    }
    return freedoms;
}

/* Also of joints that slide, which have a rail from where they slide from to the part. */
TEST(joints_of_boxes_are_where_they_turn)
{
    static const struct {
        const char *name;
        int sliding, rails;
    } cases[] = {{"quadruped", -1, 0}, {"snake", -1, 0}, {"ray", -1, 0}, {"quadruped", 3, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int freedoms = 0, rails = 0;
        make_changed(cases[i].name, cases[i].sliding);
        for (int k = 0; k < replay->frame_count; k += 10) {
            struct replay_frame frame = frame_at(replay, k);
            freedoms += check_joints(&frame);
        }
        for (int k = replay->part_count; k < replay->shape_count; k++) {
            const struct shape *rail = &replay->shapes[k];
            const struct replay_part *part = &replay->parts[rail->part];
            ck_assert_int_eq(rail->kind, SHAPE_ROD);
            ck_assert(rail->other == part->parent && rail->drive == -1);
            ck_assert_int_eq(replay->drives[part->joint].is_linear, 1);
            ck_assert_int_eq(replay->drives[part->joint].rod, -1);
            rails++;
        }
        ck_assert_int_eq(rails, cases[i].rails);
        ck_assert_msg(freedoms > 0, "%s", cases[i].name);
    }
}

/* How much of the picture a body takes with a camera: of the width, of the height. */
static double share_of_width(const struct camera *camera)
{
    return camera_body_width(replay) * camera->px_per_m / 960;
}

static double share_of_height(const struct camera *camera)
{
    return replay->height_m * camera->px_per_m / 540;
}

/* A walker is large in the picture, near its middle, and seen from a low place, so that its feet
 * show. */
TEST(walkers_fill_the_picture)
{
    struct camera camera;
    make_replay("quadruped");
    camera_fit(&camera, alone(), 1, 960, 540);
    double ground_px = 270 + camera.y_m * camera.px_per_m;
    double share = fmax(share_of_width(&camera) / 0.38, share_of_height(&camera) / 0.46);
    ck_assert_double_eq_tol(share, 1, 1e-9);
    /* the ground before it takes a third or, below one so tall, a little less */
    ck_assert(ground_px >= 540 * 0.64 - 1e-6 && ground_px <= 540 * 0.7);
    ck_assert_double_le(camera.orbit.pitch_rad, 0.15);
}

/* A long low one takes a fifth of the height, as long as it has room; of more than three none is
 * enlarged. */
TEST(low_bodies_are_seen)
{
    struct camera camera;
    make_replay("snake");
    const struct replay *const replays[] = {replay, replay, replay, replay};
    camera_fit(&camera, replays, 1, 960, 540);
    double share = fmax(share_of_width(&camera) / 0.62, share_of_height(&camera) / 0.22);
    ck_assert_double_eq_tol(share, 1, 1e-9);
    ck_assert_double_gt(share_of_width(&camera), 0.38);
    camera_fit(&camera, replays, 4, 960, 135);
    ck_assert_double_le(share_of_width(&camera), 0.38 + 1e-9);
}

/* The light of a replay is where that of the evaluation was, also in depth. */
TEST(the_light_has_a_depth)
{
    double farthest = 0;
    make_in("quadruped", "seek-land3d", "simulation.duration_s=4", -1);
    for (int i = 0; i < replay->frame_count; i++) {
        struct replay_frame frame = frame_at(replay, i);
        farthest = fmax(farthest, fabs(frame.light.z));
    }
    ck_assert_double_gt(farthest, 0.1);
}

/* Stiff bones that chatter, the more the finer the step, are no reversals of their muscles. */
TEST(chatter_is_no_reversal)
{
    make_in("hopper", "hopper", "simulation.dt_s=0.00104166", -1);
    // 15 by the rates at an instant
    ck_assert_double_lt(replay->measures.reversals_max_hz, 12);
    ck_assert_double_gt(replay->measures.reversals_max_hz, 1);
}

TEST(the_camera_turns_within_bounds)
{
    struct camera camera = {0};
    camera_turn(&camera, 0.5, -9);
    ck_assert(camera.orbit.yaw_rad == 0.5 && camera.orbit.pitch_rad == CAMERA_PITCH_MIN);
    camera_turn(&camera, -0.5, 9);
    ck_assert(camera.orbit.pitch_rad == CAMERA_PITCH_MAX);
    camera_turn(&camera, 0, -CAMERA_PITCH_MAX);
    // never flat again
    ck_assert(camera.orbit.pitch_rad != 0);
}

#ifdef HAVE_CAIRO

#include <cairo-svg.h>
#include "tests/unit/picture_fixture.h"
#include "viewer/draw/draw_space.h"
#include "viewer/draw/eye/shade.h"

static void drop_both(void)
{
    drop_replay();
    close_picture();
}

FIXTURE(NULL, drop_both)

static void open_white_picture(void)
{
    open_picture(400, 300);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
}

/* The creature alone, at its beginning; what of the picture it takes. */
static struct drawn show(struct draw_view view, double fade, unsigned flags)
{
    open_white_picture();
    draw_creature(cr, &view, replay, 0, fade, flags);
    return drawn_box(0xffffff);
}

static struct drawn show_overlays(struct draw_view view, double time_s, unsigned flags)
{
    open_white_picture();
    draw_overlays(cr, &view, replay, time_s, flags);
    return drawn_box(0xffffff);
}

static int red(uint32_t color)
{
    return (int)(color >> 16 & 255);
}

static int blue(uint32_t color)
{
    return (int)(color & 255);
}

/* Both at the place that views look at. */
static const double middle[2][3] = {{0, 0.2, 0}, {0, 0.2, 0}};

static struct draw_view view_from(double yaw, double pitch)
{
    return (struct draw_view){0, 0, 400, 300, 0, 0.2, 100, 1, {yaw, pitch}, 1, 0, 0, 0, 0};
}

static struct replay_row new_row(void)
{
    struct replay_row row;
    ck_assert_int_eq(replay_append(replay, &row), 0);
    return row;
}

/* A moment with the parts at places, and not turned. */
static struct replay_row new_row_at(const double at[2][3])
{
    struct replay_row row = new_row();
    for (int i = 0; i < replay->part_count; i++)
        row.poses[i] = replay_pose_of((struct vec3){at[i][0], at[i][1], at[i][2]}, QUATERNION_ONE);
    return row;
}

/* Two spheres and a bone; at is where they are. */
static void make_pair(const double at[2][3])
{
    drop_replay();
    replay = calloc(1, sizeof *replay);
    replay->has_depth = 1;
    replay->part_count = 2;
    replay->shape_count = 3;
    replay->frame_s = 1;
    replay->parts = calloc(2, sizeof *replay->parts);
    replay->shapes = calloc(3, sizeof *replay->shapes);
    replay->drives = calloc(1, sizeof *replay->drives);
    replay->shapes[2] =
        (struct shape){.kind = SHAPE_ROD, .other = 1, .drive = -1, .half_m = {0.5, 0, 0}};
    for (int i = 0; i < 2; i++) {
        replay->parts[i].joint = -1;
        replay->shapes[i] = (struct shape){.kind = SHAPE_BALL,
                                           .part = i,
                                           .other = -1,
                                           .drive = -1,
                                           .turn.w = 1,
                                           .half_m = {0.1, 0.1, 0.1}};
    }
    new_row_at(at);
}

/* A box of one part, in place of the pair. */
static void make_single(double x, double y, double z, double angle, struct vec3 half_m)
{
    make_pair(middle);
    replay->part_count = replay->shape_count = 1;
    replay->shapes[0].kind = SHAPE_BOX;
    replay->shapes[0].half_m = half_m;
    drop_rows();
    new_row().poses[0] = replay_pose_flat(x, y, angle);
    ((struct replay_pose *)(replay->rows + 6))[0].z_m = (float)z;
}

/* From the front a pair along x is as wide as it is, and one along z hides itself; from the side
 * the other way round. */
TEST_LOOP(the_orbit_turns_the_eye, 0, 4)
{
    static const double along[2][2][3] = {{{-0.5, 0.2, 0}, {0.5, 0.2, 0}},
                                          {{0, 0.2, -0.5}, {0, 0.2, 0.5}}};
    int is_aside = _i % 2, is_along_z = _i / 2;
    make_pair(along[is_along_z]);
    struct drawn box = show(view_from(is_aside ? acos(-1) / 2 : 0, is_aside ? 0 : 1e-6), 0, 0);
    if (is_aside == is_along_z)
        ck_assert(abs(box.left - 140) <= 3 && abs(box.right - 260) <= 3);
    else /* the nearer one is larger than 20 px, and covers the other */
        ck_assert(box.width >= 21 && box.width <= 28);
    ck_assert_int_le(abs((box.top + box.bottom) / 2 - 150), 2);
}

/* The middle of the picture is as large as the view says, whatever the orbit; nearer is larger. */
TEST_LOOP(the_middle_keeps_its_scale, 0, 6)
{
    make_pair(middle);
    replay->shape_count = 2;
    struct drawn box = show(view_from(0.9 * _i, 0.25 * _i - 0.1), 0, DRAW_BOXES);
    ck_assert_int_le(abs(box.width - 20), 2);
    ck_assert_int_le(abs(box.height - 20), 2);
    // from the front lit from the upper left, dark to the lower right
    if (_i == 0)
        ck_assert_int_gt(blue(pixel(196, 146)), blue(pixel(204, 154)));
}

/* A muscle's colour says whether it is short or long. */
TEST(muscles_show_their_drive)
{
    static const double at[2][3] = {{-0.5, 0.2, 0}, {0.5, 0.2, 0}};
    int bluer[3];
    for (int i = 0; i < 3; i++) {
        make_pair(at);
        drop_rows();
        replay->effectors = calloc(1, sizeof *replay->effectors);
        replay->drive_count = replay->effector_count = 1;
        replay->drives[0].signal_full = 1;
        replay->shapes[2].drive = i < 2 ? 0 : -1;
        struct replay_row row = new_row_at(at);
        row.values[0] = i ? 1.2F : 0.8F;
        row.signals[0] = 1;
        show(view_from(0, 1e-6), 0, DRAW_BOXES);
        bluer[i] = blue(pixel(200, 150)) - red(pixel(200, 150));
    }
    ck_assert_int_gt(bluer[0], 40); /* blue, orange, cream */
    ck_assert_int_lt(bluer[1], -40);
    ck_assert_int_le(abs(bluer[2]), 40);
}

/* The same but for what is near to it, which takes a little light. */
static int is_like(uint32_t a, uint32_t b, int most)
{
    for (int shift = 0; shift < 24; shift += 8)
        if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > most)
            return 0;
    return 1;
}

/* A box in space shows the sides that look at the eye, the upper one lighter than the right one;
 * turned by a quarter about z it is as high as it was wide. */
TEST_LOOP(boxes_have_sides, 0, 2)
{
    make_single(0, 0.2, 0, _i ? acos(-1) / 2 : 0, (struct vec3){0.3, 0.1, 0.2});
    struct drawn box = show(view_from(0, 1e-6), 0, DRAW_BOXES);
    /* nearer than the middle it is a little larger */
    ck_assert_int_le(abs((_i ? box.height : box.width) - 62), 4);
    ck_assert_int_le(abs((_i ? box.width : box.height) - 21), 4);
    box = show(view_from(0.6, 0.6), 0, DRAW_BOXES);
    int counts[2] = {0, 0};
    uint32_t upper = pixel((box.left + box.right) / 2, box.top + box.height / 5);
    uint32_t lower = pixel(box.right - box.width / 12, 160);
    ck_assert_int_gt(blue(upper), blue(lower));
    for (int y = 0; y < 300; y++)
        for (int x = 0; x < 400; x++) {
            counts[0] += is_like(pixel(x, y), upper, 15);
            counts[1] += is_like(pixel(x, y), lower, 15);
        }
    ck_assert(counts[0] > 120 && counts[1] > 120);
}

/* A box between the eye and a sphere hides it, from whichever side one looks; one behind does
 * not. */
TEST_LOOP(boxes_hide_what_is_behind, 0, 4)
{
    struct draw_view view = view_from(_i % 2 ? -acos(-1) / 2 : acos(-1) / 2, 0.01);
    make_pair(middle);
    replay->shape_count = 2;
    replay->obstacle_depth_m = 1;
    replay->obstacles.count = 1;
    // a wall of one metre beside the sphere
    replay->obstacles.list[0] =
        (struct obstacle){.x_m = _i < 2 ? 0.7 : -0.7, .y_m = 0.2, .width_m = 0.2, .height_m = 1};
    show(view, 0, 0);
    uint32_t before = pixel(200, 150);
    replay->obstacles.count = 0;
    draw_creature(cr, &view, replay, 0, 0, 0);
    // the eye of a positive yaw stands at positive x
    if ((_i < 2) == (_i % 2 == 0))
        ck_assert_uint_ne(before, pixel(200, 150));
    else
        ck_assert_uint_eq(before, pixel(200, 150));
}

/* A body of 2 kg touches in the middle, with its weight; along y, or z. */
static void make_contact(int is_along_y)
{
    make_pair(middle);
    drop_rows();
    replay->measures.mass_kg = 2;
    replay->gravity_m_s2 = 10;
    struct replay_row row = new_row();
    *row.contact_count = 1;
    row.contacts[0] = (struct replay_contact){0, 0.2F, 0, 0, is_along_y, !is_along_y, 20.0F / 240};
}

/* The arrow of a contact leads along its normal, in all three directions, and is one weight
 * long. */
TEST_LOOP(contacts_are_arrows_in_space, 0, 3)
{
    // upwards and along z, seen from the front; along z from the side
    struct draw_view view = view_from(_i == 2 ? acos(-1) / 2 : 0, _i == 2 ? 0 : 1e-6);
    make_contact(_i == 0);
    struct drawn box = show_overlays(view, 0, DRAW_CONTACTS);
    // a point of 3 px, an arrow of 26 and its head of 5
    ck_assert_int_le(abs(150 - box.top - (_i == 0 ? 31 : 3)), _i == 0 ? 3 : 5);
    ck_assert_int_le(abs(box.width - (_i == 2 ? 34 : 6)), 6);
}

/* The angle of a joint is shown in the plane that it turns in: what the eye looks at has an
 * area, what it sees from the side is a line. Also of the second axis of a joint, which the part
 * carries. */
TEST_LOOP(limits_lie_in_the_plane_of_the_joint, 0, 8)
{
    static const double at[2][3] = {{0, 0.2, 0}, {0.5, 0.2, 0}};
    const struct replay_place parent = {{0, 0, 0}, QUATERNION_ONE};
    const struct replay_place own = {{0.5, 0, 0}, QUATERNION_ONE};
    const struct vec3 seen = {0, 0, 1}, hidden = {0, 1, 0};
    int k = _i / 4, is_seen = _i % 2;
    const struct vec3 ways[2] = {k == 0 && is_seen ? seen : hidden, is_seen ? seen : hidden};
    make_pair(at);
    drop_rows();
    free(replay->drives);
    replay->drives = calloc(2, sizeof *replay->drives);
    replay->effectors = calloc(1, sizeof *replay->effectors);
    replay->drive_count = 2;
    replay->effector_count = 1;
    for (int d = 0; d < 2; d++)
        replay->drives[d] = (struct replay_drive){.part = 1, .axis = d, .effector = -1, .rod = -1};
    replay->drives[k].effector = 0;
    replay->drives[k].lower = -1;
    replay->drives[k].upper = replay->drives[k].strength = 1;
    replay->shapes[0].kind = replay->shapes[1].kind = SHAPE_BOX;
    replay_hang(replay, 1, 0, 2, ways, (struct vec3){0.25, 0, 0}, parent, own);
    new_row_at(at).torques[0] = 1;
    struct drawn box =
        show_overlays(view_from(0, 1e-6), 0, _i / 2 % 2 ? DRAW_TORQUES : DRAW_LIMITS);
    ck_assert_int_ge(box.width, 10);
    ck_assert(is_seen ? box.height >= 20 : box.height <= 11);
}

/* An arrow can be seen on what has its own colour: it has a pale edge all around. */
TEST(arrows_have_an_edge)
{
    struct draw_view view = view_from(0, 1e-6);
    uint32_t red = palette[COLOR_contact].light;
    make_contact(1);
    open_picture(400, 300);
    draw_set_color(cr, red, 1);
    cairo_paint(cr);
    draw_overlays(cr, &view, replay, 0, DRAW_CONTACTS);
    for (int y = 130; y <= 150; y++) { /* along the shaft and beside its foot */
        int sides = 0;
        for (int x = 190; x <= 210; x++)
            if ((int)(pixel(x, y) & 0xff) > (int)(red & 0xff) + 40)
                sides |= x < 200 ? 1 : 2;
        ck_assert_msg(sides == 3, "row %d: %d", y, sides);
    }
}

/* Each overlay shows something of a creature that moves, and none shows nothing. */
TEST(overlays_show_something)
{
    static const unsigned overlays[] = {DRAW_CONTACTS, DRAW_LIMITS, DRAW_TORQUES, DRAW_SENSORS,
                                        DRAW_LIGHT};
    struct draw_view view = view_from(-0.5, 0.3);
    make_replay("spider");
    view.px_per_m = 200;
    for (size_t i = 0; i < sizeof overlays / sizeof overlays[0]; i++)
        ck_assert_msg((show_overlays(view, 1.5, overlays[i]).right < 0) == (i == 4), "overlay %u",
                      overlays[i]);
}

/* A box in the air, and what is around. */
static void make_box(double x, double y)
{
    make_single(x, y, 0, 0.3, (struct vec3){0.2, 0.1, 0.15});
    replay->size_m = 0.5;
    replay->has_ground = 1;
}

static double area_of(const struct vec3 *outline, int count)
{
    struct vec3 sum = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(outline[i], outline[0]),
                                       vec3_sub(outline[i + 1], outline[0])));
    return vec3_length(sum) / 2;
}

/* The outline of a shadow: of light from above a box's footprint, of a ball a disc, of two a
 * capsule; what is partly below a plane casts with what is above; what is below, or grazed, casts
 * nothing. */
TEST(shadows_have_their_outline)
{
    struct plane ground = {{0, 0, 0}, {0, 1, 0}};
    struct vec3 outline[SHADE_POINTS_MAX], up = {0, 1, 0}, x = {0.3, 0, 0}, y = {0, 0.1, 0},
                                           z = {0, 0, 0.2};
    struct vec3 slanted = {-0.6, 0.8, 0};
    struct caster box = shade_box(0, (struct vec3){1, 0.5, 2}, x, y, z);
    int count = shade_outline(&box, &ground, up, outline);
    ck_assert_int_eq(count, 4);
    ck_assert_double_eq_tol(area_of(outline, count), 0.6 * 0.4, 1e-12);
    for (int i = 0; i < count; i++)
        ck_assert_double_eq_tol(outline[i].y, 0, 1e-12);
    /* as long as it is wide and, by the slope, high: 0.6 + 0.2 * 0.6 / 0.8 */
    count = shade_outline(&box, &ground, slanted, outline);
    ck_assert_double_eq_tol(area_of(outline, count), (0.6 + 0.15) * 0.4, 1e-12);
    box = shade_box(0, (struct vec3){1, 0, 2}, x, y, z);
    count = shade_outline(&box, &ground, slanted, outline);
    ck_assert_double_eq_tol(area_of(outline, count), (0.6 + 0.075) * 0.4, 1e-12);
    box = shade_box(0, (struct vec3){1, -0.5, 2}, x, y, z);
    ck_assert_int_eq(shade_outline(&box, &ground, up, outline), 0);
    ck_assert_int_eq(shade_outline(&box, &ground, (struct vec3){1, 0, 0}, outline), 0);
    struct caster ball = shade_balls(0, (struct vec3){0, 1, 0}, 0.2, (struct vec3){0, 1, 0}, 0.2);
    count = shade_outline(&ball, &ground, up, outline);
    ck_assert_double_eq_tol(area_of(outline, count), acos(-1) * 0.04, 0.006);
    struct caster rod = shade_balls(0, (struct vec3){0, 1, 0}, 0.1, (struct vec3){1, 1, 0}, 0.1);
    count = shade_outline(&rod, &ground, up, outline);
    ck_assert_double_eq_tol(area_of(outline, count), 0.2 + acos(-1) * 0.01, 0.006);
}

static int brightness(int x, int y)
{
    uint32_t color = pixel(x, y);
    return (int)(color >> 16 & 255) + (int)(color >> 8 & 255) + (int)(color & 255);
}

/* A box lies on its shadow; higher up the shadow is farther off, and softer. Ghosts cast less. */
TEST(shadows_lie_on_the_ground)
{
    int dark[3];
    for (int i = 0; i < 3; i++) {
        make_box(0, i == 1 ? 1.2 : 0.15);
        show(view_from(0, 0.9), i == 2 ? 0.7 : 0, 0);
        dark[i] = 765;
        /* to the right, where the sun is not */
        for (int y = 100; y < 260; y++)
            for (int x = 226; x < 399; x++)
                if (brightness(x, y) < dark[i] && red(pixel(x, y)) >= 0x60)
                    dark[i] = brightness(x, y);
    }
    ck_assert_int_lt(dark[0], 600);
    ck_assert(dark[1] > dark[0] && dark[2] > dark[0]);
}

/* The ground is a checker near by, one colour far away, and haze at the horizon, above which is the
 * sky. */
TEST(the_ground_fades_into_haze)
{
    struct draw_view view = view_from(-0.5, 0.18);
    int contrasts[2] = {0, 0};
    make_box(0, 0.15);
    open_white_picture();
    draw_world(cr, &view, replay, 0, DRAW_UNMARKED);
    int horizon = (int)(150 - 1.1 * 400 * tan(0.18));
    for (int i = 0; i < 2; i++) {
        int row = i ? 290 : horizon + 4, least = 765, most = 0;
        for (int x = 0; x < 400; x++) {
            least = brightness(x, row) < least ? brightness(x, row) : least;
            most = brightness(x, row) > most ? brightness(x, row) : most;
        }
        contrasts[i] = most - least;
    }
    ck_assert_int_le(contrasts[0], 6);
    ck_assert_int_ge(contrasts[1], 25);
    ck_assert_int_gt(brightness(200, horizon + 2), brightness(200, 290) + 60);
}

/* The trail goes on behind a box and before it. */
TEST(boxes_hide_the_trail)
{
    struct draw_view view = view_from(0, 1e-6);
    make_box(0, 0.2);
    drop_rows();
    /* first beyond the box, then before it */
    for (int i = 0; i <= 8; i++) {
        struct replay_row row = new_row();
        row.poses[0] = replay_pose_flat(0, 0.2, 0);
        row.centre[0] = i < 5 ? -0.4F + 0.2F * (float)i : 0.4F - 0.2F * (float)(i - 4);
        row.centre[1] = i < 5 ? 0.22F : 0.18F;
        row.centre[2] = i < 5 ? -1 : 1;
    }
    open_white_picture();
    draw_creature(cr, &view, replay, 8, 0, 0);
    uint32_t hidden[16];
    for (int y = 142; y < 158; y++)
        hidden[y - 142] = pixel(200, y);
    draw_creature(cr, &view, replay, 8, 0, DRAW_TRAIL);
    int changed_above = 0, changed_below = 0;
    for (int y = 142; y < 158; y++)
        if (pixel(200, y) != hidden[y - 142])
            *(y < 150 ? &changed_above : &changed_below) += 1;
    ck_assert_int_eq(changed_above, 0);
    ck_assert_int_gt(changed_below, 0);
}

/* A box whose pieces are cut by another one has no seams: within its upper face all pixels are
 * alike. */
TEST_LOOP(cut_faces_have_no_seams, 0, 8)
{
    /* a plate, and a leg whose top ends a little below it: the leg's side planes cut the plate */
    static const struct vec3 halves[] = {{0.6, 0.05, 0.5}, {0.05, 0.2, 0.05}};
    make_pair(middle);
    drop_rows();
    replay->shape_count = 2;
    replay->size_m = 1;
    struct replay_row row = new_row();
    for (int i = 0; i < 2; i++) {
        replay->shapes[i].kind = SHAPE_BOX;
        replay->shapes[i].half_m = halves[i];
    }
    row.poses[0] = replay_pose_flat(0, 0.4, 0);
    row.poses[1] = replay_pose_flat(0.1, 0.17, 0.5);
    struct draw_view view = view_from(-1 + 0.3 * _i, 0.9);
    view.px_per_m = 200;
    show(view, 0, DRAW_BOXES);
    uint32_t color = pixel(200, 120);
    struct eye eye = eye_place(&view, replay, 0);
    int others = 0, seen = 0;
    for (double x = -0.5; x < 0.5; x += 0.01)
        for (double z = -0.4; z < 0.4; z += 0.01) {
            struct spot spot = eye_project(&eye, (struct vec3){x, 0.45, z});
            if (spot.x < 2 || spot.x > 397 || spot.y < 2 || spot.y > 297)
                continue;
            seen++;
            others += !is_like(color, pixel((int)spot.x, (int)spot.y), 3);
        }
    ck_assert_int_gt(seen, 3000);
    ck_assert_msg(others == 0, "eye %d: %d of %d", _i, others, seen);
}

static void make_box_without_rows(void)
{
    make_box(0, 0.2);
    drop_rows();
}

/* A box that goes so far along x, y and z, and jumps so high at the fifth of eleven moments. */
static void make_goer(double x_m, double y_m, double z_m, double jump_m)
{
    make_box_without_rows();
    for (int i = 0; i <= 10; i++) {
        double share = 0.1 * i, y = 0.1 + share * y_m + (i == 4 ? jump_m : 0);
        const double at[2][3] = {{share * x_m, y, share * z_m}};
        struct replay_row row = new_row_at(at);
        for (int k = 0; k < 3; k++)
            row.centre[k] = (float)at[0][k];
    }
    replay_finish(replay);
}

/* First and last of a race are seen whole all the time, also in perspective. */
TEST(races_in_space_stay_in_the_picture)
{
    struct replay *racers[2];
    struct camera camera;
    const double ends_m[] = {0.6, 4};
    for (int i = 0; i < 2; i++) {
        make_goer(ends_m[i], 0, 0, 0);
        racers[i] = replay;
        replay = NULL;
    }
    const struct replay *const replays[] = {racers[0], racers[1]};
    camera_fit(&camera, replays, 2, 400, 150);
    double together = camera_scale(&camera);
    for (int i = 0; i <= 300; i++) {
        double time_s = i / 30.0;
        camera_track(&camera, replays, 2, time_s, 1, 150, 1 / 30.0);
        /* the replays have a moment each second */
        for (int k = 0; k < 2 && i % 30 == 0; k++) {
            struct draw_view view = {.width_px = 400,
                                     .height_px = 150,
                                     .x_m = camera.x_m,
                                     .y_m = camera.y_m,
                                     .px_per_m = camera_scale(&camera),
                                     .flip = 1,
                                     .ui = 1,
                                     .orbit = camera.orbit};
            struct replay_moment moment;
            struct eye eye = eye_place(&view, racers[k], time_s);
            replay_get_moment(racers[k], time_s, &moment);
            double left = -draw_reach_px(&eye, racers[k]->shapes, moment.poses, DRAW_PI);
            double right = draw_reach_px(&eye, racers[k]->shapes, moment.poses, 0);
            ck_assert_msg(left > 0 && right < 400, "%g s: %g to %g px", time_s, left, right);
        }
    }
    ck_assert_double_lt(camera_scale(&camera), 0.5 * together);
    replay_destroy(racers[0]);
    replay_destroy(racers[1]);
}

static void show_strobe(void)
{
    open_white_picture();
    draw_strobe(cr, 400, 300, alone(), 1, DRAW_UNMARKED);
}

/* A strobe picture in perspective: what comes later is farther to the right and larger; a dancer
 * stands in cells. */
TEST_LOOP(strobes_stand_in_perspective, 0, 2)
{
    /* towards where one does not look from the front */
    make_goer(0, 0, _i ? 0 : 5, 0);
    const struct draw_view picture = {.width_px = 400, .height_px = 300, .flip = 1, .ui = 1};
    struct draw_strobe_moments moments = draw_strobe_choose(&picture, replay);
    ck_assert_int_eq(moments.is_strip, _i);
    ck_assert_int_ge(moments.count, 4);
    ck_assert_double_ge(draw_strobe_height(replay, 400, 300), 100);
    show_strobe();
    /* teal is what the box is: how wide all are, and how high each column of it is */
    int left = 400, right = -1, heights[400] = {0};
    for (int x = 0; x < 400; x++)
        for (int y = 60; y < 300; y++) {
            if (blue(pixel(x, y)) < red(pixel(x, y)) + 12)
                continue;
            left = x < left ? x : left;
            right = x > right ? x : right;
            heights[x]++;
        }
    ck_assert(left < 90 && right > 310);
    int first = 0, last = 0;
    for (int i = 0; i < 20; i++) {
        first = heights[left + i] > first ? heights[left + i] : first;
        last = heights[right - i] > last ? heights[right - i] : last;
    }
    ck_assert(_i || last > first);
}

/* How many pixels between the rows have the body's colour. */
static int body_pixels(int top, int bottom, int bluer)
{
    int seen = 0;
    for (int y = top; y < bottom; y++)
        for (int x = 0; x < 400; x++)
            seen += blue(pixel(x, y)) >= red(pixel(x, y)) + bluer;
    return seen;
}

/* Rows, from top to bottom, in which the strobe picture has a box. */
static int rows_with_box(int rows)
{
    int found = 0;
    for (int row = 0; row < rows; row++)
        found += body_pixels(42 + row * 260 / rows, 38 + (row + 1) * 260 / rows, 12) > 20;
    return found;
}

/* A long way is parted into rows, and each shows a part of it; a short one is not. What goes
 * steeply stands in cells. */
TEST(long_ways_stand_in_rows)
{
    const struct draw_view picture = {.width_px = 400, .height_px = 260, .flip = 1, .ui = 1};
    const struct {
        double x_m, y_m, z_m;
        int rows, is_strip;
    } goers[] = {{0.5, 0, 0, 1, 0}, {9, 0, 0, 3, 0}, {0, 0, -9, 3, 0}, {5, 2, 5, 1, 1}};
    for (size_t i = 0; i < sizeof goers / sizeof goers[0]; i++) {
        make_goer(goers[i].x_m, goers[i].y_m, goers[i].z_m, 0);
        struct draw_strobe_moments m = draw_strobe_choose(&picture, replay);
        ck_assert_int_eq(m.rows, goers[i].rows);
        ck_assert_int_eq(m.is_strip, goers[i].is_strip);
        ck_assert_int_ge(m.count, 4 * m.rows);
        ck_assert_double_eq(m.times_s[m.count - 1], replay_duration(replay));
        show_strobe();
        ck_assert_int_eq(rows_with_box(m.rows), m.rows);
    }
}

/* One that jumps is seen at the top of its jump. */
TEST_LOOP(jumpers_are_seen_at_the_top, 0, 2)
{
    const struct draw_view picture = {.width_px = 400, .height_px = 260, .flip = 1, .ui = 1};
    make_goer(_i ? 2 : 0, 0, 0, 1);
    int seen = 0;
    struct draw_strobe_moments m = draw_strobe_choose(&picture, replay);
    ck_assert_int_eq(m.is_strip, !_i);
    for (int i = 0; i < m.count; i++)
        seen += replay_frame_index(replay, m.times_s[i]) == 4;
    ck_assert_int_eq(seen, 1);
}

/* What a goer stands on hides it at no moment; a block that it is in does at all. */
TEST(obstacles_hide_what_is_behind)
{
    const struct obstacle list[] = {
        {.y_m = -1, .width_m = 20, .height_m = 2},
        {.x_m = 1, .y_m = 0.5, .width_m = 3, .height_m = 1},
    };
    int seen[3];
    make_goer(2, 0, 0, 0);
    replay->has_ground = 0;
    for (int i = 0; i < 3; i++) {
        replay->obstacles.count = i > 0;
        replay->obstacles.list[0] = list[i == 2];
        replay->obstacle_depth_m = i == 2 ? 0.5 : 4;
        show_strobe();
        seen[i] = body_pixels(60, 300, 32);
    }
    ck_assert_int_gt(seen[0], 1000);
    ck_assert_int_gt(seen[1], seen[0] * 9 / 10);
    ck_assert_int_lt(seen[2], 100);
}

/* Alone on nothing a body fills its cell, however deep it is. */
TEST_LOOP(plain_bodies_fill_their_cell, 0, 3)
{
    const double depths_m[] = {0.05, 0.4, 1.5};
    make_box(0, 0.1);
    replay->has_ground = 0;
    replay->shapes[0].half_m.z = depths_m[_i];
    replay->size_m = fmax(2 * depths_m[_i], 0.4);
    open_white_picture();
    draw_plain(cr, 400, 300, alone(), 1, 0, DRAW_BOXES);
    struct drawn box = drawn_box(0xffffff);
    ck_assert(box.left >= 10 && box.top >= 8 && box.right < 390 && box.bottom < 292);
    ck_assert(box.width > 330 || box.height > 245);
}

/* Soft shadows on nothing: no step from pixel to pixel beside the body, away from the sun's
 * shadow, is one that shows. */
TEST(plain_shadows_are_smooth)
{
    int steepest = 0, darkest = 255;
    make_box(0, 0.25);
    open_white_picture();
    draw_plain(cr, 400, 300, alone(), 1, 0, 0);
    for (int x = 1; x < 60; x++)
        for (int y = 200; y < 300; y++) {
            int here = (int)(pixel(x, y) >> 8 & 255), before = (int)(pixel(x - 1, y) >> 8 & 255);
            steepest = abs(here - before) > steepest ? abs(here - before) : steepest;
            darkest = here < darkest ? here : darkest;
        }
    ck_assert_msg(steepest <= 2, "%d", steepest);
    ck_assert_int_lt(darkest, 250);
}

static char drawing[1 << 22];
static size_t drawing_bytes;

static cairo_status_t keep_drawing(void *closure, const unsigned char *data, unsigned int length)
{
    (void)closure;
    ck_assert_uint_lt(drawing_bytes + length, sizeof drawing);
    memcpy(drawing + drawing_bytes, data, length);
    drawing_bytes += length;
    return CAIRO_STATUS_SUCCESS;
}

/* A drawing has an image for the body at each moment, but no other: cairo makes dark images of what
 * svg has no operator for. */
TEST(drawings_have_images_of_bodies_alone)
{
    make_goer(2, 0, 0, 0);
    cairo_surface_t *svg = cairo_svg_surface_create_for_stream(keep_drawing, NULL, 400, 300);
    cairo_t *own = cairo_create(svg);
    drawing_bytes = 0;
    draw_strobe(own, 400, 300, alone(), 1, 0);
    cairo_destroy(own);
    cairo_surface_destroy(svg);
    drawing[drawing_bytes] = 0;
    ck_assert_uint_gt(drawing_bytes, 1000);
    struct draw_view picture = {.width_px = 400, .height_px = 300, .flip = 1, .ui = 1};
    ck_assert_int_eq(count_text(drawing, "<image"), draw_strobe_choose(&picture, replay).count);
}

static struct draw_view still_view(double yaw, double pitch)
{
    struct draw_view view = view_from(yaw, pitch);
    view.px_per_m = 65;
    view.y_m = 0.5;
    view.is_still = 1;
    return view;
}

/* Marks of distance stand along the way, wherever that leads. */
TEST_LOOP(marks_stand_along_the_way, 0, 4)
{
    const struct vec3 ends[] = {{0, 0, -5}, {4, 0, 3}, {-5, 0, 0}, {0.02, 0, -0.05}};
    const struct vec3 along[] = {{0, 0, -1}, {0.8, 0, 0.6}, {-1, 0, 0}, {1, 0, 0}};
    const struct draw_view view = still_view(0.5, 0.6);
    uint32_t with[2], without[2];
    make_goer(ends[_i].x, ends[_i].y, ends[_i].z, 0);
    struct eye eye = eye_place(&view, replay, 0);
    /* one mark at a metre from the start along the way, none at a metre across */
    const struct spot spots[2] = {eye_project(&eye, along[_i]),
                                  eye_project(&eye, (struct vec3){along[_i].z, 0, -along[_i].x})};
    for (int marked = 0; marked < 2; marked++) {
        open_white_picture();
        draw_world(cr, &view, replay, 0, 0);
        if (marked)
            draw_space_marks(cr, &view, replay, &(struct draw_moment){.time_s = 0}, 1);
        for (int k = 0; k < 2; k++)
            (marked ? with : without)[k] = pixel((int)spots[k].x, (int)spots[k].y);
    }
    ck_assert_uint_ne(with[0], without[0]);
    ck_assert_uint_eq(with[1], without[1]);
}

/* How many pixels the number below a mark changes. */
static int mark_pixels(const struct draw_view *view, struct spot mark, double time_s)
{
    uint32_t before[24 * 12];
    int changed = 0;
    for (int marked = 0; marked < 2; marked++) {
        open_white_picture();
        if (marked)
            draw_space_marks(cr, view, replay, &(struct draw_moment){.time_s = time_s}, 1);
        for (int i = 0; i < 24 * 12; i++) {
            uint32_t now = pixel((int)mark.x - 12 + i % 24, (int)mark.y + 5 + i / 24);
            changed += marked && now != before[i];
            before[i] = now;
        }
    }
    return changed;
}

/* A number that a body would hide in part is left out; the others stand. */
TEST(bodies_cut_no_marks)
{
    const struct draw_view view = still_view(0, 0.3);
    make_goer(2, 0, 0.25, 0);
    replay->shapes[0].half_m.y = 0.5;
    double end_s = replay_duration(replay);
    struct eye eye = eye_place(&view, replay, 0);
    const struct spot marks[] = {eye_project(&eye, (struct vec3){-2, 0, 0}),
                                 eye_project(&eye, vec3_scale(replay_level_way(replay), 2))};
    ck_assert_int_gt(mark_pixels(&view, marks[0], 0), 20);
    ck_assert_int_gt(mark_pixels(&view, marks[1], 0), 20);
    /* at the end the body stands there */
    ck_assert_int_gt(mark_pixels(&view, marks[0], end_s), 20);
    ck_assert_int_eq(mark_pixels(&view, marks[1], end_s), 0);
}

/* A box that looks where it goes, with a contact before it, after a light over where it ends. */
static void make_seeker(struct vec3 end)
{
    struct quaternion turn = quaternion_about((struct vec3){0, 1, 0}, -atan2(end.z, end.x));
    make_box_without_rows();
    for (int i = 0; i <= 10; i++) {
        struct vec3 at = vec3_scale(end, 0.1 * i);
        double way = hypot(end.x, end.z);
        struct replay_row row = new_row();
        row.poses[0] = replay_pose_of(at, turn);
        row.centre[0] = (float)at.x;
        row.centre[2] = (float)at.z;
        row.light[0] = (float)end.x;
        row.light[1] = 1;
        row.light[2] = (float)end.z;
        row.contacts[0] = (struct replay_contact){(float)(at.x + 0.2 * end.x / way),
                                                  0.1F,
                                                  (float)(at.z + 0.2 * end.z / way),
                                                  (float)(-end.x / way),
                                                  0,
                                                  (float)(-end.z / way),
                                                  0.5F};
        *row.contact_count = 1;
    }
}

/* What has depth is seen as if it went to the right, with all that is around it; among obstacles it
 * stays as it is. */
TEST_LOOP(ways_lead_to_the_right, 0, 8)
{
    const struct vec3 ends[] = {{3, 0, 4}, {0, 0, -5}, {-5, 0, 0}, {0.03, 0, 0.04}};
    struct vec3 end = ends[_i % 4];
    make_seeker(end);
    replay->obstacles.count = _i / 4;
    if (_i < 3)
        end = (struct vec3){5, 0, 0};
    replay_turn_to_way(replay);
    replay_finish(replay);
    struct replay_frame frame = frame_at(replay, 10);
    struct vec3 way = vec3_scale(end, 1 / vec3_length(end));
    const struct replay_contact *c = frame.contacts;
    check_near(frame.centre, end, 1e-5);
    check_near(replay_pose_centre(frame.poses), end, 1e-5);
    check_near(replay_pose_turn(frame.poses, (struct vec3){1, 0, 0}), way, 1e-5);
    check_near(frame.light, vec3_add(end, (struct vec3){0, 1, 0}), 1e-5);
    check_near((struct vec3){(double)c->x_m, (double)c->y_m, (double)c->z_m},
               (struct vec3){end.x + 0.2 * way.x, 0.1, end.z + 0.2 * way.z}, 1e-5);
    ck_assert_double_eq_tol((double)c->normal_x, -way.x, 1e-5);
    ck_assert_double_eq_tol((double)c->normal_z, -way.z, 1e-5);
}

/* An end that is nowhere has no direction: all before it stays as it was. */
TEST(ways_to_nowhere_turn_nothing)
{
    make_goer(0, 0, 5, 0);
    replay->rows[10 * replay->row_floats + 2] = NAN;
    struct replay_frame frame = frame_at(replay, 10);
    ck_assert(isnan(frame.centre.z));
    replay_turn_to_way(replay);
    frame = replay_get_frame(replay, 8);
    ck_assert_double_eq_tol(frame.centre.x, 0, 1e-6);
    ck_assert_double_gt(frame.centre.z, 3);
}

/* A creature goes to the right, too. */
TEST(creatures_go_to_the_right)
{
    make_replay("quadruped");
    struct replay_frame first = replay_get_frame(replay, 0);
    struct replay_frame last = replay_get_frame(replay, replay->frame_count - 1);
    ck_assert_double_gt(last.centre.x, first.centre.x + 0.2);
    ck_assert_double_eq_tol(last.centre.z, first.centre.z, 1e-5);
}

/* Side and top take a third of the picture; only of what has depth. */
TEST(side_and_top_stand_beside)
{
    struct camera camera;
    uint32_t pixels[2][3];
    make_box(0, 0.2);
    replay_finish(replay);
    camera_fit(&camera, alone(), 1, 400, 300);
    for (int i = 0; i < 2; i++) {
        open_white_picture();
        draw_frame(cr, 400, 300, alone(), 1, &camera, 0, i ? DRAW_SPLIT : 0);
        pixels[i][0] = pixel(340, 200 - 100);
        pixels[i][1] = pixel(335, 230);
    }
    ck_assert_uint_ne(pixels[0][0], pixels[1][0]);
    /* from above the box is in the middle of its pane */
    ck_assert_int_gt((int)(pixels[1][1] & 255), (int)(pixels[1][1] >> 16 & 255) + 20);
}

/* Beside a brain the ledger has its column, and covers nothing at the left. */
TEST(the_ledger_stands_below_the_brain)
{
    struct camera camera;
    uint32_t before[300];
    make_replay("quadruped");
    camera_fit(&camera, alone(), 1, 1000, 750);
    for (int i = 0; i < 2; i++) {
        open_white_picture();
        cairo_scale(cr, 0.4, 0.4);
        draw_frame(cr, 1000, 750, alone(), 1, &camera, 1, DRAW_BRAIN | (i ? DRAW_LEDGER : 0));
        for (int y = 0; y < 300; y++) {
            ck_assert_msg(!i || before[y] == pixel(40, y), "row %d is covered", y);
            before[y] = pixel(40, y);
        }
    }
}

/* A ledger and a split view on one side stand one below the other: what was seen of the panel stays
 * as it was. */
TEST(the_ledger_stands_above_the_split_view)
{
    struct camera camera;
    struct draw_view view = {.width_px = 400, .height_px = 300, .ui = draw_ui_scale(400, 300)};
    make_box(0, 0.2);
    replay_finish(replay);
    camera_fit(&camera, alone(), 1, 400, 300);
    int bottom = (int)draw_ledger_bottom(&view, replay), seen = 0;
    ck_assert_int_gt(bottom, 70);
    ck_assert_int_lt(bottom, 250);
    for (int y = 40; y < bottom; y++) {
        uint32_t pixels[2];
        for (int i = 0; i < 2; i++) {
            open_white_picture();
            /* the eye looks away: nothing else is there */
            camera.x_m = 1e3;
            draw_frame(cr, 400, 300, alone(), 1, &camera, 0,
                       DRAW_BRAIN | (i ? DRAW_LEDGER | DRAW_SPLIT : 0));
            if (i == 0)
                draw_ledger(cr, &view, replay, 0, draw_brain_width(&view, replay));
            pixels[i] = pixel(100, y);
        }
        seen += pixels[0] != pixels[1];
    }
    ck_assert_int_eq(seen, 0);
}

/* A joint of two freedoms has two effectors, side by side. */
TEST(effectors_of_a_joint_stand_side_by_side)
{
    struct draw_view view = {.width_px = 3000, .height_px = 2000, .px_per_m = 100, .ui = 1};
    make_in("quadruped", "walk3d", "simulation.duration_s=1", -1);
    ck_assert_int_eq(replay->effector_count, 12);
    double both = draw_brain_width(&view, replay);
    int first = 0;
    for (int i = 0; i < replay->effector_count; i++)
        if (replay->drives[replay->effectors[i].drive].axis == 0)
            replay->effectors[first++] = replay->effectors[i];
    ck_assert_int_eq(first, 8);
    replay->effector_count = first;
    ck_assert_double_gt(both, draw_brain_width(&view, replay) + 20);
}

/* The eye does not go below the ground, however it is turned. */
TEST(the_eye_stays_above_the_ground)
{
    make_box(0, 0.2);
    for (int i = 0; i < 3; i++) {
        struct draw_view view = view_from(0.3 * i, CAMERA_PITCH_MIN);
        struct eye eye = eye_place(&view, replay, 0);
        ck_assert_double_gt(eye_position(&eye).y, 0.1);
        ck_assert_double_lt(eye_horizon(&eye), 170);
    }
    replay->has_ground = 0;
    struct draw_view view = view_from(0.3, CAMERA_PITCH_MIN);
    struct eye eye = eye_place(&view, replay, 0);
    ck_assert_double_lt(eye_position(&eye).y, 0.2);
}

static uint64_t window_picture(struct player *player)
{
    cairo_surface_t *window = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 640, 400);
    uint64_t hash = 0;
    player_draw(player, window);
    cairo_surface_flush(window);
    const unsigned char *data = cairo_image_surface_get_data(window);
    int length = 400 * cairo_image_surface_get_stride(window);
    for (int i = 0; i < length; i++)
        hash = hash * 31 + data[i];
    cairo_surface_destroy(window);
    return hash;
}

/* Dragging turns the eye, and back; the camera goes on following. */
TEST(dragging_turns_the_picture)
{
    struct gallery_options options = {.params_path = "examples/spider.ini", .champions_most = 2};
    struct gallery *gallery = gallery_create(&options);
    ck_ok(gallery_add_file(gallery, "examples/creatures/spider.json", &error));
    struct player *window = creatures_create(gallery, 0);
    player_resize(window, 640, 400);
    for (int i = 0; i < 3; i++)
        player_advance(window, 0);
    player_press_key(window, ' ');
    player_seek(window, 1);
    uint64_t before = window_picture(window);
    ck_assert_uint_eq(window_picture(window), before);
    player_press_mouse(window, 320, 150);
    player_move_mouse(window, 420, 180);
    ck_assert_uint_ne(window_picture(window), before);
    player_move_mouse(window, 320, 150);
    player_release_mouse(window);
    uint64_t turned_back = window_picture(window);
    player_press_pan(window, 320, 150);
    player_move_mouse(window, 380, 190);
    ck_assert_uint_ne(window_picture(window), turned_back);
    player_move_mouse(window, 320, 150);
    player_release_mouse(window);
    /* until the hint that the camera stays is gone */
    for (int i = 0; i < 100; i++)
        player_advance(window, 0.1);
    ck_assert_uint_eq(window_picture(window), turned_back);
    player_destroy(window);
    gallery_destroy(gallery);
}

/* Pictures of whole creatures from all sides, on ground and on a platform: nothing breaks. */
TEST_LOOP(worlds_are_drawn_from_all_sides, 0, 4)
{
    static const char *const names[] = {"spider", "hopper", "caterpillar", "tripod"};
    make_replay(names[_i]);
    for (int i = 0; i < 12; i++) {
        struct draw_view view = view_from(0.55 * i, 0.13 * i - 0.1);
        view.px_per_m = i % 3 ? 120 : 3000; // also from within
        open_white_picture();
        draw_world(cr, &view, replay, 0.5, i % 2 ? DRAW_UNMARKED : 0);
        draw_trail(cr, &view, replay, 1);
        draw_creature(cr, &view, replay, 0.5, i % 4 ? 0 : 0.5, 0);
    }
}

#endif

/* The page has the rods, and motions within what its coding can hold. */
TEST(pages_hold_rods)
{
    char path[] = "/tmp/bestiary-spheres-XXXXXX";
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    make_replay("spider");
    struct export_job job = {.replays = alone(), .count = 1, .path = path, .time_s = -1};
    ck_ok(export_html(&job, path, &error));
    FREED char *text = NULL;
    size_t length;
    ck_ok(file_read(path, 1 << 18, &text, &length, &error));
    ck_assert_ptr_nonnull(strstr(text, "\"deep\": 1, "));
    ck_assert_ptr_nonnull(strstr(text, "[\"rod\", 0, 1, -1, [0.125, 0, 0]"));
    /* what the overlays show: limits and effectors of the drives, contacts */
    const char *drives = strstr(text, "\"drives\": [["), *contacts = strstr(text, "\"contacts\": ");
    ck_assert(drives && contacts);
    int part, axis, is_linear, effector, rod, count = 0, rods = 0;
    double lower, upper;
    for (const char *at = drives + 11; sscanf(at, "[%d, %d, %d, %lf, %lf, %d, %d, [", &part, &axis,
                                              &is_linear, &lower, &upper, &effector, &rod) == 7;
         at = strstr(at, "]]") + 2, at += strspn(at, ", "), count++) {
        ck_assert(part >= 0 && part < replay->part_count);
        ck_assert(effector >= 0 && effector < replay->effector_count);
        ck_assert(lower < upper && (axis == 0 || axis == 1));
        rods += rod >= 0;
    }
    ck_assert_int_eq(count, replay->drive_count);
    ck_assert_int_eq(rods, 10);
    /* as a number: among packed bytes such letters may stand */
    static const char *const no_numbers[] = {": nan", ", nan", "[nan", ": -nan", ", -nan", "[-nan"};
    for (size_t i = 0; i < sizeof no_numbers / sizeof no_numbers[0]; i++)
        ck_assert_ptr_null(strstr(text, no_numbers[i]));
    unlink(path);
}

SUITE("draw_space", 120, NULL, drop_replay)
