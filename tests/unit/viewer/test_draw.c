/* Drawing: what is where, in which colour, on synthetic replays; and the camera. */
#include "viewer/draw/draw.h"

#include "common/math/rotation.h"
#include "tests/unit/viewer_fixture.h"
#include "viewer/draw/eye/camera.h"
#include "viewer/draw/palette.h"

static const struct fixture crawler = {"crawler", 5, 0.7, 0, 0, 4};
static const struct fixture returner = {"left", 4, -0.6, 0, 0, 4};

/* ---- palette and camera, which need no cairo ---- */

static int apart(uint32_t a, uint32_t b)
{
    int sum = 0;
    for (int shift = 0; shift < 24; shift += 8)
        sum += abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
    return sum;
}

/* A replay as a list. */
static const struct replay *const *alone(struct replay *const *replay)
{
    return (const struct replay *const *)replay;
}

TEST(palette_mixes_by_channel)
{
    ck_assert_uint_eq(palette_mix(0x102030, 0xf0e0d0, 0), 0x102030);
    ck_assert_uint_eq(palette_mix(0x102030, 0xf0e0d0, 1), 0xf0e0d0);
    ck_assert_uint_eq(palette_mix(0x000000, 0x204060, 0.5), 0x102030);
    ck_assert_uint_eq(palette_mix(0x102030, 0xf0e0d0, 7), 0xf0e0d0);
    ck_assert_int_eq(palette_part_color(0), COLOR_part_0);
    ck_assert_int_eq(palette_part_color(PALETTE_PARTS + 2), COLOR_part_2);
}

/* Each pair of parts differs by this much in red, green and blue together, on light and on dark
 * pages. */
TEST(parts_have_colors_of_their_own)
{
    for (int i = 0; i < PALETTE_PARTS; i++)
        for (int k = 0; k < i; k++) {
            const struct palette_entry *a = &palette[palette_part_color(i)];
            const struct palette_entry *b = &palette[palette_part_color(k)];
            ck_assert_msg(apart(a->light, b->light) >= 30 && apart(a->dark, b->dark) >= 30,
                          "parts %d and %d", i, k);
        }
}

/* Shadows are seen in both themes: what lies in the deepest is darker by a third, on any ground. */
TEST(shadows_are_darker_than_the_ground)
{
    for (int k = 0; k < 2; k++)
        for (int is_dark = 0; is_dark < 2; is_dark++) {
            const struct palette_entry *of = &palette[k ? COLOR_ground_top : COLOR_ground_bottom];
            const struct palette_entry *shadow = &palette[COLOR_shadow];
            uint32_t ground = is_dark ? of->dark : of->light;
            uint32_t shaded = palette_mix(ground, is_dark ? shadow->dark : shadow->light, 0.68);
            ck_assert_int_lt((int)(shaded >> 8 & 255), (int)(ground >> 8 & 255) * 2 / 3);
        }
}

TEST(camera_follows_without_overshoot)
{
    struct camera camera = {.px_per_m = 100};
    struct camera_aim target = {3, -1, 0};
    double previous = 0;
    for (int i = 0; i < 240; i++) {
        camera_follow(&camera, target, 1.0 / 60);
        ck_assert_double_ge(camera.x_m, previous);
        ck_assert_double_le(camera.x_m, 3);
        previous = camera.x_m;
    }
    ck_assert_double_eq_tol(camera.x_m, 3, 1e-3);
    ck_assert_double_eq_tol(camera.y_m, -1, 1e-3);
    /* exact: one long step is the same as many short ones */
    struct camera once = {.px_per_m = 100}, often = once;
    camera_follow(&once, target, 0.5);
    for (int i = 0; i < 50; i++)
        camera_follow(&often, target, 0.01);
    ck_assert_double_eq_tol(once.x_m, often.x_m, 1e-9);
}

/* A fast creature stays in the middle, at any speed of the replay, and the camera still starts and
 * ends softly. */
TEST_LOOP(camera_keeps_up, 0, 3)
{
    static const struct fixture runner = {"runner", 2, 12, 0, 0, 6};
    static const double speeds[] = {0.25, 1, 4};
    OWNED(replay) *replay = fixture_replay(&runner);
    struct camera camera;
    camera_fit(&camera, alone(&replay), 1, 1280, 720);
    double before_m = camera.x_m, dt_s = 1.0 / 60, lag_m = 0;
    for (double time_s = 0; time_s < 6; time_s += speeds[_i] * dt_s) {
        camera_track(&camera, alone(&replay), 1, time_s, speeds[_i], 720, dt_s);
        double now_m = camera.x_m;
        /* never faster than twice the runner */
        ck_assert_double_le(fabs(now_m - before_m), 2 * 12 * speeds[_i] * dt_s + 1e-9);
        before_m = now_m;
        if (time_s > 4 * speeds[_i] / 6 + 1 && time_s < 6 - 2 * speeds[_i] / 6 - 0.4)
            lag_m = fmax(lag_m, fabs(now_m - camera_smooth_centre(replay, time_s).x));
    }
    ck_assert_msg(lag_m < 0.2 * 1280 / camera.px_per_m, "%g m of %g at speed %g", lag_m,
                  1280 / camera.px_per_m, speeds[_i]);
}

/* First, middle and last of a race, of which one goes left, stay in the picture; they are as
 * large as alone while they are together, and zooming by hand still acts. */
TEST(races_stay_in_the_picture)
{
    static const struct fixture runners[] = {
        {"first", 2, 6, 0, 0, 6}, {"second", 2, -2, 0, 0, 6}, {"last", 2, 0.5, 0, 0, 6}};
    const struct replay *replays[3];
    struct camera camera;
    for (int i = 0; i < 3; i++)
        replays[i] = fixture_replay(&runners[i]);
    camera_fit(&camera, replays, 3, 960, 180);
    ck_assert_double_eq(camera_scale(&camera), camera.px_per_m);
    for (int i = 0; i <= 180; i++) {
        double time_s = i / 30.0;
        camera_track(&camera, replays, 3, time_s, 1, 180, 1 / 30.0);
        for (int k = 0; k < 3; k++) {
            double x = camera_flip(replays[k]) * camera_smooth_centre(replays[k], time_s).x;
            double far_px =
                (fabs(x - camera.x_m) + replays[k]->width_m / 2) * camera_scale(&camera);
            ck_assert_msg(far_px < 480, "%s at %g s: %g px", runners[k].name, time_s, far_px);
        }
    }
    double scale = camera_scale(&camera);
    camera_zoom(&camera, 1.5, 0, 0);
    ck_assert_double_eq_tol(camera_scale(&camera), 1.5 * scale, 1e-9);
    for (int i = 0; i < 3; i++)
        replay_destroy((struct replay *)replays[i]);
}

TEST(camera_snaps_to_whole_pixels)
{
    struct camera camera = {.x_m = 1.2345, .y_m = -0.777, .vx_m_s = 1, .px_per_m = 130};
    struct camera snapped = camera_snap(&camera);
    ck_assert_double_eq_tol(snapped.x_m * 130, 160, 1e-9);
    ck_assert_double_eq_tol(snapped.y_m * 130, -101, 1e-9);
    ck_assert_double_eq(snapped.vx_m_s, 1);
}

TEST(camera_zooms_around_a_point)
{
    struct camera camera = {.x_m = 2, .y_m = 1, .px_per_m = 100};
    double x = camera.x_m + 50 / camera.px_per_m, y = camera.y_m - 30 / camera.px_per_m;
    camera_zoom(&camera, 1.7, 50, 30);
    ck_assert_double_eq_tol(camera.x_m + 50 / camera.px_per_m, x, 1e-12);
    ck_assert_double_eq_tol(camera.y_m - 30 / camera.px_per_m, y, 1e-12);
    for (int i = 0; i < 1000; i++)
        camera_zoom(&camera, 0.1, 0, 0);
    ck_assert(camera.px_per_m > 0 && isfinite(camera.x_m));
}

TEST(camera_fits_and_flips)
{
    OWNED(replay) *right = fixture_replay(&crawler), *left = fixture_replay(&returner);
    const struct replay *replays[] = {right, left};
    struct camera camera;
    camera_fit(&camera, replays, 2, 960, 270);
    ck_assert_double_lt(right->width_m * camera.px_per_m, 960);
    ck_assert_double_lt(right->height_m * camera.px_per_m, 270);
    ck_assert_int_eq(camera_flip(right), 1);
    ck_assert_int_eq(camera_flip(left), -1);
}

#ifdef HAVE_CAIRO
#include "tests/unit/picture_fixture.h"

FIXTURE(NULL, close_picture)

/* ---- pictures ---- */

static const struct fixture swimmer = {"swimmer", 6, -0.3, 0, 0.6, 4};
static const struct fixture hopper = {"hopper", 3, 0.01, 0.6, 0, 4};
static const struct fixture still = {"still", 1, 0, 0, 0, 0};

/* A hash of the whole picture. */
static uint64_t picture_hash(void)
{
    cairo_surface_flush(surface);
    size_t size = (size_t)cairo_image_surface_get_stride(surface) *
                  (size_t)cairo_image_surface_get_height(surface);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < size; i++)
        if (i % 4 != 3) /* the unused byte */
            hash = (hash ^ data[i]) * 1099511628211u;
    return hash;
}

static struct draw_view view_of(double x_m, double y_m)
{
    return (struct draw_view){0, 0, 400, 300, x_m, y_m, 200, 1, {0, 0}, 1, 0, 0, 0, 0};
}

TEST(parts_are_where_they_belong)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    struct replay_frame frame = frame_at(replay, 100);
    for (int flip = -1; flip <= 1; flip += 2) {
        struct draw_view view = view_of(frame.centre.x, frame.centre.y);
        view.flip = flip;
        open_picture(400, 300);
        draw_creature(cr, &view, replay, frame.time_s, 0, DRAW_BOXES);
        for (int p = 0; p < replay->part_count; p++) {
            int x = (int)draw_view_x(&view, frame.poses[p].x_m);
            int y = (int)draw_view_y(&view, frame.poses[p].y_m);
            ck_assert_uint_eq(pixel(x, y), palette[palette_part_color(p)].light);
        }
        ck_assert_uint_eq(pixel(2, 2), 0); /* nothing is drawn beside it */
    }
}

/* Of what is recorded first, cairo draws all rows itself. clips: none, one between pixels, one within
 * them. */
static cairo_surface_t *paint_world(const struct replay *replay, double horizon_m, int is_recorded,
                                    int clips)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 233, 170);
    cairo_surface_t *record = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
    cairo_t *to = cairo_create(is_recorded ? record : image);
    struct draw_view view = {.left_px = 17,
                             .top_px = 9,
                             .width_px = 190,
                             .height_px = 140,
                             .x_m = 3.3,
                             .y_m = horizon_m,
                             .px_per_m = 97,
                             .flip = 1,
                             .ui = 1};
    cairo_set_source_rgb(to, 0.2, 0.4, 0.6);
    cairo_paint(to);
    if (clips) {
        cairo_rectangle(to, 17, 9, clips == 1 ? 100 : 100.5, 130);
        cairo_clip(to);
    }
    draw_world(to, &view, replay, 1.5, 0);
    cairo_destroy(to);
    if (is_recorded) {
        to = cairo_create(image);
        cairo_set_source_surface(to, record, 0, 0);
        cairo_paint(to);
        cairo_destroy(to);
    }
    cairo_surface_destroy(record);
    cairo_surface_flush(image);
    return image;
}

/* Gradients repeated across are those that cairo draws, to the bit, wherever bands begin and
 * end. */
TEST(rows_are_what_cairo_draws)
{
    struct replay *replays[2] = {fixture_replay(&crawler), fixture_replay(&swimmer)};
    for (int i = 0; i < 24; i++) {
        double horizon_m = -1.2 + 0.0973 * i;
        int clips = i / 2 % 3;
        cairo_surface_t *fast = paint_world(replays[i % 2], horizon_m, 0, clips);
        cairo_surface_t *slow = paint_world(replays[i % 2], horizon_m, 1, clips);
        size_t bytes = (size_t)cairo_image_surface_get_stride(fast) * 170;
        const uint32_t *a = (const void *)cairo_image_surface_get_data(fast);
        const uint32_t *b = (const void *)cairo_image_surface_get_data(slow);
        for (size_t k = 0; k < bytes / 4; k++)
            ck_assert_msg((a[k] & 0xffffff) == (b[k] & 0xffffff), "world %d, pixel %zu: %06x, %06x",
                          i, k, a[k] & 0xffffff, b[k] & 0xffffff);
        cairo_surface_destroy(fast);
        cairo_surface_destroy(slow);
    }
    replay_destroy(replays[0]);
    replay_destroy(replays[1]);
}

/* A rail from the base on the parent to the part; with its limits, a line to both
 * ends of its range. */
TEST(a_linear_joint_has_a_rail)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    const struct vec3 way = {0, 1, 0};
    const struct replay_place parent = {{0, 0, 0}, QUATERNION_ONE},
                              own = {{0, 0.3, 0}, QUATERNION_ONE};
    replay->drives[1].is_linear = 1;
    replay_hang(replay, 1, 1, 1, &way, (struct vec3){-0.14, 0.3, 0}, parent, own);
    replay->drives[1].lower = -2;
    replay->drives[1].upper = 0.5;
    ck_assert_int_eq(replay->shape_count, replay->part_count + 1);
    struct replay_frame frame = frame_at(replay, 100);
    struct vec3 from = replay_pose_place(&frame.poses[0], replay->parts[1].base);
    struct vec3 to = replay_pose_place(&frame.poses[1], replay->parts[1].anchor);
    double angle = replay_pose_angle(&frame.poses[0]) + DRAW_PI / 2;
    for (int flip = -1; flip <= 1; flip += 2) {
        struct draw_view view = view_of(frame.centre.x, frame.centre.y);
        view.flip = flip;
        int x = (int)draw_view_x(&view, (from.x + to.x) / 2);
        int y = (int)draw_view_y(&view, (from.y + to.y) / 2);
        int end_x = (int)draw_view_x(&view, from.x + 0.99 * 0.5 * cos(angle));
        int end_y = (int)draw_view_y(&view, from.y + 0.99 * 0.5 * sin(angle));
        open_picture(400, 300);
        draw_creature(cr, &view, replay, frame.time_s, 0, DRAW_BOXES);
        ck_assert_int_lt(apart(pixel(x, y), palette[COLOR_joint].light), 60);
        ck_assert_uint_eq(pixel(end_x, end_y), 0);
        draw_overlays(cr, &view, replay, frame.time_s, DRAW_LIMITS);
        uint32_t line = 0;
        for (int k = 0; k < 9; k++)
            line |= pixel(end_x + k % 3 - 1, end_y + k / 3 - 1);
        ck_assert_uint_ne(line, 0);
    }
}

TEST(ghosts_are_paler)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    int to_solid = -1;
    struct replay_frame frame = frame_at(replay, 0);
    struct draw_view view = view_of(frame.poses[0].x_m, frame.poses[0].y_m);
    for (int i = 0; i <= 4; i++) {
        open_picture(400, 300);
        draw_creature(cr, &view, replay, 0, i / 4.0, 0);
        int away = apart(pixel(200, 150), palette[COLOR_part_0].light);
        ck_assert_int_gt(away, to_solid);
        to_solid = away;
    }
}

TEST(ground_lies_at_height_zero)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    struct draw_view view = view_of(0.3, 0.2);
    open_picture(400, 300);
    draw_world(cr, &view, replay, 0, DRAW_FLAT | DRAW_UNMARKED);
    int y = (int)draw_view_y(&view, 0);
    ck_assert_int_eq(y, 190);
    ck_assert_uint_eq(pixel(7, y + 1), palette[COLOR_ground_line].light);
    ck_assert_uint_eq(pixel(7, y + 20), palette_mix(palette[COLOR_ground_top].light,
                                                    palette[COLOR_ground_bottom].light, 0.4));
    ck_assert_uint_eq(pixel(7, 3), palette_mix(palette[COLOR_sky_top].light,
                                               palette[COLOR_sky_bottom].light, 0.4));
}

/* Rows and columns of the picture's edge below the ground's line that are not as the ground is,
 * and, in `inside`, pixels away from it. */
static int count_cut_pixels(int width, int height, int line_y, int *inside)
{
    uint32_t ground =
        palette_mix(palette[COLOR_ground_top].light, palette[COLOR_ground_bottom].light, 0.4);
    int cut = 0, ticks = line_y + 11;
    *inside = 0;
    for (int y = ticks; y < height; y++) {
        cut += pixel(0, y) != ground || pixel(width - 1, y) != ground;
        for (int x = 1; x < width - 1; x++)
            *inside += pixel(x, y) != ground;
    }
    for (int x = 0; x < width && ticks < height; x++)
        cut += pixel(x, height - 1) != ground;
    return cut;
}

TEST(no_label_is_cut)
{
    static const int heights[] = {300, 58, 40, 25};
    OWNED(replay) *replay = fixture_replay(&crawler);
    for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++)
        for (int step = 0; step < 24; step++) {
            int inside, height = heights[h];
            struct draw_view view = {0, 0,      400, height, 0.03 * step, 0, 200,
                                     1, {0, 0}, 1,   0,      0,           0, 0};
            view.y_m = (0.5 - (h == 0 ? 0.23 : 0.4)) * height / view.px_per_m;
            open_picture(400, height);
            draw_world(cr, &view, replay, 0, DRAW_FLAT);
            int cut = count_cut_pixels(400, height, (int)draw_view_y(&view, 0), &inside);
            ck_assert_msg(cut == 0, "height %d, step %d: %d pixels", height, step, cut);
            ck_assert_msg(h >= 2 || inside > 30, "height %d, step %d: no labels", height, step);
        }
}

/* In lanes of a race that are low the body makes room for the labels below it. */
TEST(low_lanes_have_ground)
{
    OWNED(replay) *a = fixture_replay(&crawler), *b = fixture_replay(&returner);
    const struct replay *replays[] = {a, b};
    struct camera camera;
    const double lane = 58;
    camera_fit(&camera, replays, 2, 1120, lane);
    struct camera_aim target = camera_target(&camera, replays, 2, 0.5, lane);
    double below_px = lane / 2 - target.y_m * camera.px_per_m;
    ck_assert_msg(below_px > 18, "%g", below_px);
}

/* A body that rises by 4 m leaves the ground, never the picture, and comes to the middle. */
TEST(flyers_are_in_the_middle)
{
    struct fixture flyer = crawler;
    flyer.hop_m = 4;
    OWNED(replay) *replay = fixture_replay(&flyer);
    struct camera camera;
    camera_fit(&camera, alone(&replay), 1, 640, 360);
    double height_m = 360 / camera.px_per_m, target_m = camera.y_m, centre_m = 0;
    ck_assert_double_lt(target_m, 0.3 * height_m);
    for (int i = 0; i <= 70; i++) {
        double before_m = target_m;
        target_m = camera_target(&camera, alone(&replay), 1, 0.01 * i, 360).y_m;
        centre_m = camera_smooth_centre(replay, 0.01 * i).y;
        ck_assert_double_ge(target_m, before_m);
        ck_assert_double_le(centre_m + replay->height_m / 2 - target_m, 0.43 * height_m);
    }
    ck_assert_double_eq_tol(target_m, centre_m, 1e-9);
}

/* A slab at y = 0.2 and a turned one; one so large that cairo could not count its corners. */
TEST(obstacles_are_where_they_belong)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    replay->has_ground = 0;
    replay->obstacles = (struct obstacles){
        3, {{0.5, 0.1, 0.4, 0.2, 0}, {-0.3, 0.3, 0.4, 0.1, 0.5}, {500.9, -499.5, 1000, 1000, 0}}};
    for (int flip = -1; flip <= 1; flip += 2) {
        struct draw_view view = view_of(0.1, 0.2);
        uint32_t fill = palette[COLOR_ground_bottom].light;
        view.flip = flip;
        open_picture(400, 300);
        draw_world(cr, &view, replay, 0, DRAW_FLAT | DRAW_UNMARKED);
        static const double places[][3] = {/* x, y, is it inside */
                                           {0.34, 0.1, 1},  {0.26, 0.1, 0},   {0.5, 0.16, 1},
                                           {0.5, 0.24, 0},  {-0.3, 0.3, 1},   {-0.17, 0.37, 1},
                                           {-0.17, 0.3, 0}, {-0.43, 0.23, 1}, {-0.43, 0.3, 0},
                                           {0.95, 0.4, 1},  {0.85, 0.4, 0},   {0.95, 0.6, 0}};
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            int x = (int)draw_view_x(&view, places[i][0]);
            int y = (int)draw_view_y(&view, places[i][1]);
            ck_assert_msg((pixel(x, y) == fill) == (places[i][2] > 0), "flip %d, place %zu", flip,
                          i);
        }
    }
    /* the shadow lies on the slab */
    double height;
    ck_assert_int_eq(replay_find_surface(replay, 0.5, 1, &height), 1);
    ck_assert_double_eq_tol(height, 0.2, 1e-12);
    ck_assert_int_eq(replay_find_surface(replay, 0.5, 0.1, &height), 0);
    ck_assert_int_eq(replay_find_surface(replay, 0.2, 1, &height), 0);
    replay->has_ground = 1;
    ck_assert_int_eq(replay_find_surface(replay, 0.2, 1, &height), 1);
    ck_assert_double_eq(height, 0);

    /* stills of those that go and of those that stay, at all sizes */
    for (int size = 40; size <= 640; size *= 4)
        for (int is_still = 0; is_still <= 1; is_still++) {
            OWNED(replay) *other = fixture_replay(is_still ? &hopper : &crawler);
            const struct replay *replays[] = {other};
            open_picture(size * 2, size);
            draw_strobe(cr, size * 2, size, replays, 1, 0);
            uint64_t bare = picture_hash();
            other->obstacles = replay->obstacles;
            draw_strobe(cr, size * 2, size, replays, 1, 0);
            ck_assert_msg(picture_hash() != bare, "%d px, still: %d", size, is_still);
        }
}

TEST(each_overlay_changes_the_picture)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    struct camera camera;
    replay->has_light = 1;
    camera_fit(&camera, alone(&replay), 1, 960, 540);
    uint64_t plain = 0;
    for (unsigned overlay = 0; overlay <= DRAW_LIGHT; overlay = overlay ? overlay * 2 : 1) {
        open_picture(960, 540);
        draw_frame(cr, 960, 540, alone(&replay), 1, &camera, 1.5, overlay);
        if (overlay == 0)
            plain = picture_hash();
        else
            ck_assert_msg(picture_hash() != plain, "overlay %u shows nothing", overlay);
    }
    /* the same twice is the same picture */
    open_picture(960, 540);
    draw_frame(cr, 960, 540, alone(&replay), 1, &camera, 1.5, 0);
    ck_assert_uint_eq(picture_hash(), plain);
}

/* Where the ledger is, in a picture as wide as that. */
static struct drawn find_ledger(const struct draw_view *view, const struct replay *replay,
                                double taken_px, int width)
{
    open_picture(width, (int)view->height_px);
    draw_ledger(cr, view, replay, 1, taken_px);
    return drawn_box(0);
}

/* The ledger leaves most of a small picture free, keeps to its side, and below a brain to its
 * column. */
TEST(the_ledger_leaves_room)
{
    static const int sizes[][2] = {{364, 334}, {640, 334}, {976, 477}, {1952, 954}, {120, 60}};
    OWNED(replay) *replay = fixture_replay(&crawler);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int width = sizes[i][0], height = sizes[i][1];
        struct draw_view view = {.width_px = width, .height_px = height, .px_per_m = 1, .flip = 1};
        view.ui = draw_ui_scale(width, height);
        struct drawn box = find_ledger(&view, replay, 0, width);
        struct drawn left = find_ledger(&view, replay, 1, width);
        ck_assert_int_ge(box.right, 0);
        ck_assert_int_eq(left.height, box.height);
        if (i == 4) /* this is unreadable, but does no harm */
            continue;
        ck_assert_int_ge(box.top, (int)(30 * view.ui));     /* the title is seen */
        ck_assert_int_lt(box.bottom, (int)(0.75 * height)); /* and what is on the ground */
        ck_assert_int_gt(box.left, left.left);
        ck_assert_int_gt(box.width, (int)(200 * view.ui));
        ck_assert_int_lt(box.right, width - (int)(11 * view.ui));
        open_picture(width, height);
        int is_beside = draw_ledger_below_brain(cr, &view, replay, 1, height);
        box = drawn_box(0);
        ck_assert_int_eq(draw_ledger_below_brain(NULL, &view, replay, 1, height), is_beside);
        ck_assert_int_eq(is_beside, box.right >= 0);
        if (is_beside) {
            ck_assert_int_ge(box.left, (int)(width - draw_brain_width(&view, replay)));
            ck_assert_int_ge(box.top, (int)draw_brain_bottom(&view, replay));
            ck_assert_int_lt(box.bottom, height);
        }
        ck_assert(is_beside || i < 2);
    }
}

/* In a picture as high as a phone the ledger and the brain do not lie over each other, and a narrow
 * column has all of the numbers. */
TEST(the_ledger_is_narrow_on_a_phone)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    struct draw_view view = {
        .width_px = 390, .height_px = 844, .px_per_m = 1, .flip = 1, .ui = 0.8};
    double taken = draw_brain_width(&view, replay);
    struct drawn box = find_ledger(&view, replay, taken, 390);
    ck_assert_int_lt(box.right, 390 - (int)taken);
    open_picture(390, 844);
    ck_assert(draw_ledger_below_brain(cr, &view, replay, 1, 844));
    box = drawn_box(0);
    ck_assert_int_ge(box.left, 390 - (int)taken);
    ck_assert_int_lt(box.right, 390);
    view.width_px = 166; /* of a narrow window beside its brain */
    box = find_ledger(&view, replay, 0, 200);
    ck_assert_int_lt(box.right, 166);
}

/* Terms that stay near 0 are left out where all would be too high. */
TEST(the_ledger_shows_what_matters)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    struct draw_view view = {
        .width_px = 640, .height_px = 334, .px_per_m = 1, .flip = 1, .ui = 0.8};
    struct drawn whole = find_ledger(&view, replay, 0, 640);
    struct replay_frame last = frame_at(replay, replay->frame_count - 1);
    float *energies = (float *)last.energies;
    for (int i = ENERGY_friction_j; i < ENERGY_COUNT; i++)
        energies[i] = 0;
    struct drawn folded = find_ledger(&view, replay, 0, 640);
    ck_assert_int_lt(folded.height, whole.height * 2 / 3);
    ck_assert_int_eq(folded.top, whole.top);
}

/* A bar inside each sensed face, on the right side of mirrored parts, too: lit where it touches. */
TEST_LOOP(a_touch_is_lit_at_its_face, 0, 2)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    struct replay_frame frame = frame_at(replay, 100);
    const struct replay_part *part = &replay->parts[_i];
    struct draw_view view = view_of(frame.centre.x, frame.centre.y);
    double inset = 3.2 / view.px_per_m, side = part->mirror < 0 ? 1 : -1;
    struct vec3 at = replay_pose_place(
        &frame.poses[_i], (struct vec3){0, side * (replay->shapes[_i].half_m.y - inset), 0});
    int x = (int)draw_view_x(&view, at.x), y = (int)draw_view_y(&view, at.y);
    open_picture(400, 300);
    draw_overlays(cr, &view, replay, frame.time_s, DRAW_SENSORS);
    if (_i == 1)
        ck_assert_int_lt(apart(pixel(x, y), palette[COLOR_light].light), 40);
    else
        ck_assert_int_lt(apart(pixel(x, y), 0), 120);
    ck_assert_uint_ne(pixel(x, y), 0);
}

/* In slow motion, between ticks: what is drawn at a part stays on it. */
TEST_LOOP(overlays_go_with_the_parts, 0, 4)
{
    static const struct fixture runner = {"runner", 2, 12, 0, 0, 2};
    OWNED(replay) *replay = fixture_replay(&runner);
    struct replay_moment moment;
    struct replay_frame frame = frame_at(replay, 100);
    double time_s = (100 + 0.25 * _i) * replay->frame_s;
    replay_get_moment(replay, time_s, &moment);
    struct draw_view view = view_of(frame.centre.x, frame.centre.y);
    const struct replay_pose *then = &frame.poses[0], *now = &moment.poses[0];
    double turn = replay_pose_angle(now) - replay_pose_angle(then), below = then->y_m;
    /* the contact is straight below the first part, on the ground */
    struct vec2 at = {now->x_m + below * sin(turn), now->y_m - below * cos(turn)};
    struct vec3 joint = replay_pose_place(&moment.poses[1], replay->parts[1].anchor);
    open_picture(400, 300);
    draw_overlays(cr, &view, replay, time_s, DRAW_CONTACTS);
    ck_assert_int_lt(apart(pixel((int)draw_view_x(&view, at.x), (int)draw_view_y(&view, at.y)),
                           palette[COLOR_contact].light),
                     60);
    if (_i)
        ck_assert_uint_eq(pixel((int)draw_view_x(&view, then->x_m), (int)draw_view_y(&view, 0)), 0);
    open_picture(400, 300);
    draw_overlays(cr, &view, replay, time_s, DRAW_LIMITS);
    ck_assert_uint_ne(pixel((int)draw_view_x(&view, joint.x), (int)draw_view_y(&view, joint.y)), 0);
}

static uint64_t brain_hash(const struct draw_view *view, const struct replay *replay,
                           const struct replay_cut *pointed)
{
    open_picture(960, 540);
    draw_brain(cr, view, replay, 1, pointed);
    return picture_hash();
}

/* Every neuron of the panel can be pointed at; what is drawn there is lit. */
TEST(the_brain_can_be_pointed_at)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    struct draw_view view = {0, 0, 960, 540, 0, 0, 1, 1, {0, 0}, 1, 0, 0, 0, 0};
    int neurons = 0, wires = 0, found[5] = {0};
    for (int y = 30; y < 400; y += 2)
        for (int x = 400; x < 960; x += 2) {
            struct replay_cut cut = draw_brain_pick(&view, replay, x, y);
            if (cut.kind == CUT_NONE)
                continue;
            ck_assert(y < draw_brain_bottom(&view, replay));
            neurons += cut.kind == CUT_NEURON && !found[cut.index]++;
            wires += cut.kind == CUT_EFFECTOR_INPUT || cut.kind == CUT_NEURON_INPUT;
        }
    ck_assert_int_eq(neurons, 5);
    ck_assert_int_gt(wires, 0);
    const struct replay_cut pointed = {CUT_NEURON, 2, 0};
    uint64_t plain = brain_hash(&view, replay, NULL);
    uint64_t named = brain_hash(&view, replay, &pointed);
    ck_assert_uint_ne(named, plain);
    /* it says that a copy lags */
    replay->neurons[2].lag_turns = 0.5;
    ck_assert_uint_ne(brain_hash(&view, replay, &pointed), named);
    /* cut ones are crossed out */
    replay->cuts[0] = pointed;
    replay->cut_count = 1;
    ck_assert_uint_ne(brain_hash(&view, replay, NULL), plain);
}

TEST(cells_are_found_where_they_are_drawn)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    const struct replay *replays[7];
    for (int i = 0; i < 7; i++)
        replays[i] = replay;
    for (int count = 1; count <= 7; count++) {
        int seen = 0, last = -1;
        for (int y = 1; y < 400; y += 7)
            for (int x = 1; x < 600; x += 7) {
                int cell = draw_cells_pick(600, 400, count, x, y);
                ck_assert_int_lt(cell, count);
                if (cell > last) {
                    ck_assert_int_eq(cell, last + 1);
                    last = cell;
                    seen++;
                }
            }
        ck_assert_int_eq(seen, count);
        ck_assert_int_eq(draw_cells_pick(600, 400, count, -1, 5), -1);
        open_picture(600, 400);
        draw_cells(cr, 600, 400, &(struct draw_cells){replays, NULL, count, 0, 1}, 1, DRAW_TRAIL);
        ck_assert_uint_ne(pixel(20, 60), 0);
    }
}

TEST(long_texts_are_broken_and_cut)
{
    const char *text =
        "width of body 2 0.310 -> 0.352 m; added a neuron sin to body 3; "
        "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc removed it again";
    open_picture(400, 300);
    ck_assert_int_eq(draw_text_lines(cr, text, 10, 20, 2000, 12, 5, COLOR_text), 1);
    int lines = draw_text_lines(cr, text, 10, 20, 160, 12, 50, COLOR_text);
    ck_assert_int_gt(lines, 3);
    ck_assert_int_eq(draw_text_lines(cr, text, 10, 20, 160, 12, 2, COLOR_text), 2);
    /* narrower than a character: one on each line, none lost, and an end */
    ck_assert_int_gt(draw_text_lines(cr, text, 10, 20, 1, 12, 500, COLOR_text), 80);
    ck_assert_int_eq(draw_text_lines(cr, "", 10, 20, 160, 12, 2, COLOR_text), 0);
}

/* A picture's width before the first column that is left as it was, from the right. */
static int painted_width(int width, int height)
{
    for (int x = width; x > 0; x--)
        for (int y = 0; y < height; y++)
            if (pixel(x - 1, y) != 0)
                return x;
    return 0;
}

/* However little room there is: words are left out, but what is wrong is said. */
TEST_LOOP(titles_keep_to_their_room, REPLAY_VERIFIED, REPLAY_DIFFERS + 1)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    replay->status = (enum replay_status)_i;
    replay->verdict = VERDICT_MOTIONLESS;
    snprintf(replay->score, sizeof replay->score, "went 0.00 m in 2 s");
    for (int room = 120; room <= 320; room += 40) {
        open_picture(400, 30);
        draw_title(cr, replay, 0, room, 20, 14, 0);
        int used = painted_width(400, 30);
        ck_assert_msg(used <= room, "%d of %d px", used, room);
        ck_assert_int_gt(used, 60);
    }
}

/* In a lane the title stands before ground and trail. */
TEST_LOOP(a_plate_sets_words_off, 0, 2)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    uint32_t behind = palette[COLOR_trail].light;
    open_picture(400, 30);
    draw_set_color(cr, behind, 1);
    cairo_paint(cr);
    draw_title(cr, replay, 20, 390, 20, 14, _i);
    cairo_surface_flush(surface);
    uint32_t expected = _i ? palette_mix(behind, palette[COLOR_panel].light, 0.8) : behind;
    ck_assert_int_lt(apart(pixel(17, 15), expected), 6);
    ck_assert_uint_eq(pixel(398, 15), behind);
}

/* The first column in which a part is seen, and the last, from a row on. */
static void find_parts(const struct replay *replay, unsigned overlays, int top, int columns[2])
{
    struct camera camera;
    camera_fit(&camera, &replay, 1, 640, 360);
    camera_jump(&camera, camera_target(&camera, &replay, 1, 1, 360));
    open_picture(640, 360);
    draw_frame(cr, 640, 360, &replay, 1, &camera, 1, overlays | DRAW_FLAT);
    columns[0] = columns[1] = -1;
    for (int x = 0; x < 640; x++)
        for (int y = top; y < 320; y++)
            for (int p = 0; p < 2; p++)
                if (apart(pixel(x, y), palette[palette_part_color(p)].light) < 12) {
                    columns[0] = columns[0] < 0 ? x : columns[0];
                    columns[1] = x;
                }
}

TEST(the_brain_covers_nobody)
{
    OWNED(replay) *replay = fixture_replay(&crawler);
    struct draw_view view = {.width_px = 640, .height_px = 360, .px_per_m = 1, .flip = 1};
    int alone[2], beside[2];
    view.ui = draw_ui_scale(640, 360);
    int top = (int)draw_brain_bottom(&view, replay) + 1;
    find_parts(replay, DRAW_BOXES, top, alone);
    find_parts(replay, DRAW_BOXES | DRAW_BRAIN, top, beside);
    ck_assert_int_ge(alone[0], 0);
    ck_assert_int_eq(beside[1] - beside[0], alone[1] - alone[0]);
    ck_assert_int_lt(beside[0], alone[0]);
    ck_assert_int_le(beside[1], (int)(640 - draw_brain_width(&view, replay)));
}

TEST(races_have_a_lane_for_each)
{
    OWNED(replay) *a = fixture_replay(&crawler), *b = fixture_replay(&swimmer);
    const struct replay *replays[] = {a, b};
    struct camera camera;
    camera_fit(&camera, replays, 2, 600, 200);
    open_picture(600, 400);
    draw_frame(cr, 600, 400, replays, 2, &camera, 1, DRAW_FLAT);
    ck_assert_uint_eq(pixel(5, 60), palette_mix(palette[COLOR_sky_top].light,
                                                palette[COLOR_sky_bottom].light, 0.4));
    ck_assert_int_lt(apart(pixel(590, 262), palette_mix(palette[COLOR_water_top].light,
                                                        palette[COLOR_water_bottom].light, 0.4)),
                     60);
}

/* Colours of parts in columns of the picture: the strobe picture shows a body all along the way. */
static int columns_with_parts(int width, int height)
{
    int columns = 0;
    for (int x = 0; x < width; x++) {
        int has_part = 0;
        for (int y = 70; y < height && !has_part; y++)
            for (int p = 0; p < 5; p++)
                has_part |= apart(pixel(x, y), palette[palette_part_color(p)].light) < 12;
        columns += has_part;
    }
    return columns;
}

TEST_LOOP(strobe_shows_the_whole_way, 0, 5)
{
    const struct fixture *all[] = {&crawler, &returner, &swimmer, &hopper, &still};
    OWNED(replay) *replay = fixture_replay(all[_i]);
    open_picture(1600, 600);
    draw_strobe(cr, 1600, 600, alone(&replay), 1, DRAW_BOXES);
    ck_assert_msg(columns_with_parts(1600, 600) > 40, "%s: nothing to see", replay->name);
    double height = draw_strobe_height(replay, 1600, 600);
    ck_assert_double_ge(height, 360);
    ck_assert_double_le(height, 600);
}

TEST(extremes_do_no_harm)
{
    struct fixture tall = crawler;
    tall.parts = 40;
    OWNED(replay) *replay = fixture_replay(&tall);
    const struct replay *replays[] = {replay, replay, replay};
    struct camera camera;
    replay->status = REPLAY_OTHER_VERSION;
    replay->verdict = VERDICT_NOT_EXPRESSED;
    memset(replay->name, 'W', sizeof replay->name - 1);
    /* a smallest picture, far away, out of time, with every overlay */
    camera_fit(&camera, replays, 3, 16, 5);
    open_picture(16, 16);
    for (int i = 0; i < 2; i++)
        draw_frame(cr, 16, 16, replays, 3, &camera, 1e9, i ? ~0u : ~(unsigned)DRAW_BOXES);
    draw_strobe(cr, 16, 16, replays, 3, 0);
    camera_fit(&camera, replays, 1, 960, 540);
    camera.x_m = 1e7;
    open_picture(960, 540);
    draw_frame(cr, 960, 540, replays, 1, &camera, -1, ~0u);
}

#endif

SUITE("draw", 120, NULL, NULL)
