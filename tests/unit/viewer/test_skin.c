/* Skins: where they are, what hides them, which colours they have; and that they change nothing. */
#include "common/creature/creature.h"
#include "common/math/hash.h"
#include "viewer/draw/draw.h"
#include "tests/plain_fixture.h"

#ifdef HAVE_CAIRO

#include "viewer/draw/eye/skin.h"
#include "viewer/draw/eye/limbs.h"
#include "viewer/draw/eye/raster.h"

enum { WIDTH = 320, HEIGHT = 240 };

static struct replay *replay;

static void drop_replay(void)
{
    replay_destroy(replay);
    replay = NULL;
}

FIXTURE(NULL, drop_replay)

/* A creature of the examples, by its own parameters or by those of a file; sizes are multiplied. */
static void make_replay(const char *name, const char *params_name, double sizes)
{
    SCOPED(creature) creature;
    char path[100];
    drop_replay();
    snprintf(path, sizeof path, "examples/creatures/%s", name);
    ck_ok(creature_read(&creature, path, &error));
    if (params_name) {
        snprintf(path, sizeof path, "examples/%s.ini", params_name);
        ck_ok(creature_choose_params(&creature, path, (const char *[]){"simulation.duration_s=1"},
                                     1, &params, &error));
    } else
        params = creature.params;
    for (int i = 0; i < creature.genome.body_count; i++)
        creature.genome.bodies[i].width_m *= sizes;
    ck_ok(replay_create(&replay, &creature, &params,
                        params_name ? 1 : creature_choose_seed(&creature, &params), !params_name,
                        NULL, 0, &error));
}

static struct draw_view view_at(double time_s, double yaw_rad, double pitch_rad)
{
    struct replay_moment moment;
    replay_get_moment(replay, time_s, &moment);
    return (struct draw_view){.width_px = WIDTH,
                              .height_px = HEIGHT,
                              .x_m = moment.frame.centre.x,
                              .y_m = moment.frame.centre.y,
                              .px_per_m = 120 / replay->size_m,
                              .flip = 1,
                              .orbit = {yaw_rad, pitch_rad},
                              .ui = 1};
}

static cairo_surface_t *surface;
static cairo_t *cr;

static void open_picture(void)
{
    surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
    cr = cairo_create(surface);
}

/* How much of each pixel is covered. */
static void close_picture(unsigned char *covered)
{
    cairo_surface_flush(surface);
    const unsigned char *bytes = cairo_image_surface_get_data(surface);
    for (int i = 0; covered && i < WIDTH * HEIGHT; i++) {
        uint32_t pixel;
        memcpy(&pixel, bytes + i / WIDTH * cairo_image_surface_get_stride(surface) + i % WIDTH * 4,
               4);
        covered[i] = (unsigned char)(pixel >> 24);
    }
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
}

/* Whether a pixel is beside a covered one, or that. */
static int is_near(const unsigned char *covered, int x, int y)
{
    for (int k = 0; k < 9; k++) {
        int column = x + k % 3 - 1, row = y + k / 3 - 1;
        if (column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT &&
            covered[row * WIDTH + column])
            return 1;
    }
    return 0;
}

/* Whether it is at a joint, where the ball and the neck are, or at an eye. */
static int is_at_joint(const struct scene *scene, const struct limbs *limbs, double x, double y)
{
    for (int i = 0; i < limbs->count; i++) {
        const struct limb *limb = &limbs->list[i];
        struct spot spot = eye_project(&scene->eye, limb->joint);
        if (limb->parent >= 0 && hypot(x - spot.x, y - spot.y) < 1.5 * limb->ball * spot.scale + 2)
            return 1;
    }
    for (int i = limbs->count; i < limbs->count + limbs->eye_count; i++) {
        struct spot spot = eye_project(&scene->eye, limbs->list[i].centre);
        if (hypot(x - spot.x, y - spot.y) < limbs->list[i].reach * spot.scale + 2)
            return 1;
    }
    return 0;
}

/* Skins lie in the shapes but for joints, and cover most of them. */
TEST(skins_lie_in_their_shapes)
{
    static const char *const names[][2] = {
        {"quadruped.json", "walk3d"}, {"snake.json", "walk3d"}, {"ray.json", "swim3d"},
        {"spider.json", "spider"},    {"biped.json", "walk"},   {"earthworm.json", "worm"},
        {"hopper.json", "hopper"},
    };
    static unsigned char boxes[WIDTH * HEIGHT], skin[WIDTH * HEIGHT];
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        make_replay(names[n][0], names[n][1], 1);
        for (int i = 0; i < 4; i++) {
            double time_s = 0.2 * i;
            struct draw_view view = view_at(time_s, replay->has_depth ? 0.7 * i + 0.1 : 0,
                                            replay->has_depth ? 0.2 * i : 0);
            struct scene scene;
            int counts[2] = {0, 0};
            replay->has_ground = 0; /* no shadows */
            open_picture();
            draw_creature(cr, &view, replay, time_s, 0, DRAW_BOXES);
            close_picture(boxes);
            open_picture();
            scene_place(&scene, cr, &view, replay, time_s);
            FREED struct limbs *limbs = limbs_create(&scene, SKIN_COAT);
            ck_assert_ptr_nonnull(limbs);
            draw_creature(cr, &view, replay, time_s, 0, 0);
            close_picture(skin);
            for (int k = 0; k < WIDTH * HEIGHT; k++) {
                int x = k % WIDTH, y = k / WIDTH;
                counts[0] += boxes[k] > 127;
                counts[1] += skin[k] > 127;
                ck_assert_msg(skin[k] < 64 || is_near(boxes, x, y) ||
                                  is_at_joint(&scene, limbs, x + 0.5, y + 0.5),
                              "%s: eye %d: %d, %d", names[n][0], i, x, y);
            }
            ck_assert_int_gt(counts[1], counts[0] / 2);
        }
    }
}

/* What is nearer hides the skin, and is seen to be nearer; what is farther does not. */
TEST(covers_hide_skins)
{
    static unsigned char covered[3][WIDTH * HEIGHT];
    make_replay("quadruped.json", "walk3d", 1);
    struct draw_view view = view_at(0.5, 0.4, 0.2);
    for (int i = 0; i < 3; i++) {
        struct scene scene;
        open_picture();
        scene_place(&scene, cr, &view, replay, 0.5);
        struct skin *skin = skin_create(&scene, SKIN_COAT);
        ck_assert_ptr_nonnull(skin);
        /* none; before the left half of the body; behind it */
        struct vec3 at = vec3_along(scene.eye.middle, scene.eye.back, i == 1 ? 1 : -1);
        struct vec3 left = vec3_along(at, scene.eye.right, -5);
        const struct vec3 corners[4] = {
            vec3_along(at, scene.eye.up, -5), vec3_along(at, scene.eye.up, 5),
            vec3_along(left, scene.eye.up, 5), vec3_along(left, scene.eye.up, -5)};
        if (i > 0)
            skin_add_cover(skin, corners, 4);
        skin_draw(skin);
        struct vec3 trunk = scene_at(&scene, 0, (struct vec3){0, 0, 0});
        if (i != 1) {
            ck_assert_int_eq(skin_side(skin, vec3_along(trunk, scene.eye.back, 0.5)), -1);
            ck_assert_int_eq(skin_side(skin, trunk), 1);
            ck_assert_int_eq(skin_side(skin, vec3_along(trunk, scene.eye.up, 2)), 0);
        }
        skin_destroy(skin);
        close_picture(covered[i]);
    }
    int seen = 0;
    for (int k = 0; k < WIDTH * HEIGHT; k++) {
        int is_left = k % WIDTH<WIDTH / 2 - 1, is_right = k % WIDTH> WIDTH / 2 + 1;
        seen += is_left && covered[0][k];
        ck_assert_int_eq(covered[2][k], covered[0][k]);
        ck_assert(!is_left || !covered[1][k]);
        ck_assert(!is_right || covered[1][k] == covered[0][k]);
    }
    ck_assert_int_gt(seen, 200);
}

static uint32_t color_of(int part, enum skin_style style)
{
    struct draw_view view = view_at(0, 0.4, 0.2);
    struct scene scene;
    open_picture();
    scene_place(&scene, cr, &view, replay, 0);
    struct limbs *limbs = limbs_create(&scene, style);
    ck_assert_ptr_nonnull(limbs);
    uint32_t color = limbs->list[part].color;
    free(limbs);
    close_picture(NULL);
    return color;
}

/* One coat for all sizes of a plan, and another one for another plan; the colours of parts on
 * demand; where there are several bodies, each has its own. */
TEST(kin_have_one_coat)
{
    make_replay("quadruped.json", "walk3d", 1);
    uint32_t coat = color_of(0, SKIN_COAT);
    ck_assert_uint_eq(color_of(2, SKIN_PARTS), palette[palette_part_color(2)].light);
    replay->parts[3].parent = -1;
    ck_assert_uint_eq(color_of(0, SKIN_COAT), palette[palette_part_color(0)].light);
    ck_assert_uint_eq(color_of(3, SKIN_COAT), palette[palette_part_color(3)].light);
    make_replay("quadruped.json", "walk3d", 1.1);
    ck_assert_uint_eq(color_of(0, SKIN_COAT), coat);
    make_replay("ray.json", "swim3d", 1);
    ck_assert_uint_ne(color_of(0, SKIN_COAT), coat);
}

static uint64_t hash_rows(void)
{
    return hash_bytes(HASH_START, replay->rows,
                      (size_t)replay->frame_count * replay->row_floats * sizeof(float));
}

/* Eyes sit on the head alone, two in space and one in the plane, each a ball and a pupil before it,
 * on the surface and in its front half; true shapes have none. */
TEST_LOOP(eyes_sit_on_the_head, 0, 2)
{
    static const char *const names[][2] = {{"quadruped.json", "walk3d"}, {"inchworm.json", "walk"}};
    make_replay(names[_i][0], names[_i][1], 1);
    struct draw_view view = view_at(0, 0.4, 0.2);
    struct scene scene;
    int head = 0;
    while (!replay->parts[head].is_head)
        head++;
    open_picture();
    scene_place(&scene, cr, &view, replay, 0);
    for (int style = SKIN_COAT; style <= SKIN_BOXES; style++) {
        FREED struct limbs *limbs = limbs_create(&scene, (enum skin_style)style);
        ck_assert_ptr_nonnull(limbs);
        ck_assert_int_eq(limbs->eye_count, style == SKIN_BOXES ? 0 : _i ? 2 : 4);
        for (int i = limbs->count; i < limbs->count + limbs->eye_count; i++) {
            const struct limb *ball = &limbs->list[i], *on = &limbs->list[head];
            double ahead = vec3_dot(vec3_sub(ball->centre, on->centre), on->axes[0]);
            ck_assert_double_lt(fabs(limb_distance(on, ball->centre)), ball->reach);
            ck_assert_double_gt(ahead, 0);
        }
    }
    replay->parts[head].is_head = 0;
    struct limbs *limbs = limbs_create(&scene, SKIN_COAT);
    ck_assert_int_eq(limbs->eye_count, 0);
    free(limbs);
    close_picture(NULL);
}

/* A skin is a picture only: a replay that is drawn stays what it was, and is simulated again with
 * the same bits. */
TEST_LOOP(skins_change_no_bit, 0, 2)
{
    static const char *const names[] = {"walker-1.creature", "land-seeker-1.creature"};
    make_replay(names[_i], NULL, 1);
    uint64_t digest = replay->digest, rows = hash_rows();
    ck_assert_int_eq(replay->status, REPLAY_VERIFIED);
    for (int i = 0; i < 6; i++) {
        struct draw_view view =
            view_at(i, replay->has_depth ? 0.5 : 0, replay->has_depth ? 0.2 : 0);
        open_picture();
        draw_creature(cr, &view, replay, i, 0, i % 3 ? DRAW_TRAIL : DRAW_TRAIL | DRAW_BOXES);
        close_picture(NULL);
    }
    ck_assert_uint_eq(hash_rows(), rows);
    make_replay(names[_i], NULL, 1);
    ck_assert_int_eq(replay->status, REPLAY_VERIFIED);
    ck_assert_uint_eq(replay->digest, digest);
    ck_assert_uint_eq(hash_rows(), rows);
}

/* Triangles that share a side leave no gap; the nearest is seen, and holes are holes. */
TEST(triangles_have_depth)
{
    static unsigned char covered[WIDTH * HEIGHT];
    static const double at[4][2] = {{20.3, 10.1}, {200.7, 40.2}, {150.2, 190.6}, {30.9, 160.5}};
    const double box[4] = {0, 0, WIDTH, HEIGHT};
    struct raster *raster = raster_create(box, 1, 2);
    ck_assert_ptr_nonnull(raster);
    for (int i = 0; i < 4; i++) {
        int next = (i + 1) % 4;
        struct raster_corner corners[3] = {{at[i][0], at[i][1], 1, {200, 0, 0}},
                                           {at[next][0], at[next][1], 1, {200, 0, 0}},
                                           {100, 100, 1, {200, 0, 0}}};
        raster_add(raster, corners, 0);
    }
    struct raster_corner hole[3] = {{60, 60, 2, {0}}, {80, 60, 2, {0}}, {60, 80, 2, {0}}}, far[3];
    for (int i = 0; i < 3; i++) {
        far[i] = hole[i];
        far[i].x += 60;
        far[i].near = 0;
    }
    raster_add(raster, hole, 1);
    raster_add(raster, far, 1);
    ck_assert_int_eq(raster_side(raster, 100, 100, 1.5), -1);
    ck_assert_int_eq(raster_side(raster, 100, 100, 0.5), 1);
    ck_assert_int_eq(raster_side(raster, 65, 65, 3), 0);
    ck_assert_int_eq(raster_side(raster, 65, 65, 1), 1);
    ck_assert_int_eq(raster_side(raster, 5, 5, 3), 0);
    ck_assert_int_eq(raster_side(raster, -5, 1e9, 3), 0);
    open_picture();
    raster_paint(cr, raster, 1, 0.1);
    close_picture(covered);
    for (int y = 90; y < 110; y++)
        for (int x = 80; x < 120; x++)
            ck_assert_msg(covered[y * WIDTH + x] == 255, "%d, %d", x, y);
    ck_assert_uint_eq(covered[65 * WIDTH + 65], 0);
    ck_assert_uint_eq(covered[65 * WIDTH + 125], 255);
    raster_destroy(raster);
}

static void add_quad(struct raster *raster, double top_px, double top_near, double bottom_px,
                     double bottom_near)
{
    struct raster_corner corners[4] = {{20, top_px, top_near, {200, 0, 0}},
                                       {180, top_px, top_near, {200, 0, 0}},
                                       {20, bottom_px, bottom_near, {200, 0, 0}},
                                       {180, bottom_px, bottom_near, {200, 0, 0}}};
    raster_add(raster, corners, 0);
    raster_add(raster, corners + 1, 0);
}

/* Over a face a back is seen from low, far longer than its height in the picture: no line goes
 * between the two, nor beside that around the back. Where the back begins farther behind, one
 * does. */
TEST_LOOP(backs_have_no_creases, 0, 2)
{
    const double box[4] = {0, 0, WIDTH, HEIGHT};
    int dark = 0;
    struct raster *raster = raster_create(box, 1, 1);
    ck_assert_ptr_nonnull(raster);
    add_quad(raster, 60, 10, 100, 10);
    add_quad(raster, 40, 2, 60, _i ? 8 : 10);
    open_picture();
    raster_paint(cr, raster, 2, 0.1);
    cairo_surface_flush(surface);
    for (int y = 43; y < 97; y++) {
        uint32_t pixel;
        memcpy(&pixel,
               cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface) +
                   100 * 4,
               4);
        dark += (pixel & 0xffffff) != 0xc80000;
    }
    close_picture(NULL);
    ck_assert_int_eq(dark, _i ? 2 : 0);
    raster_destroy(raster);
}

#endif

SUITE("skin", 60, NULL, NULL)
