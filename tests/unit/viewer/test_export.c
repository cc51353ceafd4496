/* Exports: every kind of file is read back and compared with what it was made of; failures leave
 * nothing behind. runs: watched */
#define _GNU_SOURCE /* for memmem */
#include "viewer/export/export.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#ifdef HAVE_GIF
#include <gif_lib.h>
#endif

#include "common/system/file.h"
#include "tests/counts.h"
#include "tests/unit/viewer_fixture.h"
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

static char path[128];
static struct replay *replay;
static struct export_job job;

static void setup(void)
{
    struct fixture crawler = {"crawler", 5, 0.7, 0, 0, 2};
    open_directory();
    replay = fixture_replay(&crawler);
    memset(&error, 0, sizeof error);
    job = (struct export_job){.replays = (const struct replay *const *)&replay,
                              .count = 1,
                              .path = path,
                              .time_s = -1,
                              .width_px = 320,
                              .height_px = 180};
}

static void teardown(void)
{
    unlink(path);
    ck_assert_int_eq(count_files(), 0);
    close_directory();
    replay_destroy(replay);
}

static int export_as(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return export_write(&job, &error);
}

static void export_well(const char *name)
{
    int status = export_as(name);
    ck_assert_msg(status == 0, "%s: %s", name, error.message);
    ck_assert_int_eq(count_files(), 1);
}

/* The exported file with a zero byte behind it, until the next one. */
static char *export_and_read(const char *name, size_t *length)
{
    static char bytes[8u << 20];
    export_well(name);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    *length = fread(bytes, 1, sizeof bytes - 1, file);
    bytes[*length] = 0;
    fclose(file);
    return bytes;
}

/* ---- the table ---- */

TEST(suffixes_choose_the_exporter)
{
    ck_assert_str_eq(export_find("a/b.c/out.PNG")->suffix, "png");
    ck_assert_str_eq(export_find("x.html")->suffix, "html");
    ck_assert_ptr_null(export_find("out"));
    ck_assert_ptr_null(export_find("dir.png/out"));
    ck_assert_ptr_null(export_find("out.bmp"));
    snprintf(path, sizeof path, "%s/out.bmp", directory);
    ck_assert_int_eq(export_check(&job, &error), ERR_USAGE);
    ck_assert(strstr(error.message, ".png") && strstr(error.message, "out.bmp"));
    snprintf(path, sizeof path, "%s/out.html", directory);
    job.time_s = 1;
    ck_assert_int_eq(export_check(&job, &error), ERR_USAGE);
    job.time_s = -1;
    job.is_plain = 1;
    ck_refused(export_check(&job, &error), ERR_USAGE, "--plain");
}

TEST(what_is_left_out_names_its_package)
{
    for (int i = 0; i < exporter_count; i++) {
        if (exporters[i].write)
            continue;
        ck_assert_int_eq(export_as(printed("out.%s", exporters[i].suffix)), ERR_UNAVAILABLE);
        ck_assert_ptr_nonnull(strstr(error.message, exporters[i].package));
    }
}

TEST(failures_leave_nothing_behind)
{
    static const char *const names[] = {"no/out.png", "no/out.svg", "no/out.gif", "no/out.html",
                                        "no/out.frames"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!export_find(names[i])->write)
            continue;
        ck_assert_int_eq(export_as(names[i]), ERR_IO);
        ck_assert_msg(strstr(error.message, names[i]) != NULL, "%s", error.message);
    }
    ck_assert_int_eq(count_files(), 0);
}

/* ---- html ---- */

static int base64_digit(char c)
{
    const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* Decodes text up to the next quote. */
static size_t decode_base64(const char *text, unsigned char *bytes)
{
    size_t length = 0;
    unsigned word = 0;
    for (int bits = 0; base64_digit(*text) >= 0; text++) {
        word = word << 6 | (unsigned)base64_digit(*text);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[length++] = (unsigned char)(word >> bits);
        }
    }
    return length;
}

/* What the page's script does, in C. */
static void check_motion(const char *page)
{
    /* the nodes of the brain: 4 effectors, then 5 neurons; one contact */
    size_t poses_end = 3 + 6 * 5, nodes = poses_end + 1 + 4, contact = nodes + 9,
           values = contact + 6;
    size_t frames = 61, channels = values + 5;
    static unsigned char packed[1 << 20], bytes[1 << 20];
    const char *data = strstr(page, "\n\"data\": \"");
    ck_assert_ptr_nonnull(data);
    ck_assert_ptr_nonnull(strstr(page, "\"frames\": 61,"));
    uLongf length = sizeof bytes;
    size_t packed_length = decode_base64(data + 10, packed);
    ck_assert_int_eq(uncompress(bytes, &length, packed, packed_length), Z_OK);
    ck_assert_uint_eq(length, 2 * channels * frames);
    for (size_t k = 0; k < channels; k++) {
        int sum = 0;
        for (size_t f = 0; f < frames; f++) {
            struct replay_moment moment;
            int code = bytes[k * frames + f] | bytes[(channels + k) * frames + f] << 8;
            sum += (code >> 1) ^ -(code & 1);
            replay_get_moment(replay, (double)f / 30, &moment);
            struct replay_frame frame =
                frame_at(replay, replay_frame_index(replay, (double)f / 30));
            if (k >= values) {
                ck_assert_double_eq_tol(sum * 0.0005, (double)moment.values[k - values], 0.00026);
                continue;
            }
            if (k >= contact) {
                double weights = fmin(0.02 / (0.2 * 9.81 / 240), 3);
                double place[6] = {(double)frame.contacts[0].x_m, 0, 0, 0, weights, 0};
                ck_assert_double_eq_tol(sum * 0.0005, place[k - contact], 0.026);
                continue;
            }
            if (k >= nodes) {
                size_t n = k - nodes;
                double signal = n < 4 ? frame.signals[n] / replay->drives[n + 1].signal_full
                                      : frame.neurons[n - 4];
                ck_assert_double_eq_tol(sum * 0.0005, signal, 0.026);
                continue;
            }
            if (k > poses_end) {
                ck_assert_double_eq_tol(sum * 0.0005, frame.torques[k - poses_end - 1], 0.026);
                continue;
            }
            const struct replay_pose *pose =
                &moment.poses[k < 3 || k == poses_end ? 0 : (k - 3) / 6];
            double own[6] = {(double)pose->x_m,      (double)pose->y_m, 0, 0, 0,
                             replay_pose_angle(pose)};
            const double first[3] = {moment.frame.centre.x, moment.frame.centre.y, 0};
            double value = k < 3 ? first[k] : own[(k - 3) % 6];
            if (k == poses_end)
                value = frame.fitness / replay->fitness_most;
            ck_assert_double_eq_tol(sum * 0.0005, value, 0.00026);
        }
    }
}

TEST(html_holds_the_motion)
{
    size_t length;
    char *page = export_and_read("out.html", &length);
    ck_assert_uint_lt(length, 250000);
    check_motion(page);
    ck_assert_ptr_null(strstr(page, "unsafe-inline"));
    ck_assert_ptr_null(strstr(page, "http://"));
    ck_assert_ptr_null(strstr(page, "https://"));
    ck_assert_ptr_nonnull(strstr(page, "default-src 'none'"));
}

TEST(html_holds_the_obstacles)
{
    size_t length;
    char *page = export_and_read("bare.html", &length);
    ck_assert_ptr_nonnull(strstr(page, "\"obstacles\": [],\n"));
    remove(path);
    replay->obstacles =
        (struct obstacles){2, {{1.5, -0.25, 3, 0.5, 0}, {-1, 0.123456789, 0.01, 1000, -0.5}}};
    page = export_and_read("rocks.html", &length);
    ck_assert_ptr_nonnull(strstr(
        page, "\"obstacles\": [[1.5, -0.25, 3, 0.5, 0], [-1, 0.123457, 0.01, 1000, -0.5]],\n"));
}

TEST(html_escapes_names)
{
    size_t length;
    char *page = export_and_read("out.html", &length);
    int scripts = count_text(page, "</script"), tags = count_text(page, "<b>");
    snprintf(replay->name, sizeof replay->name, "</script><b>\"'\\&\xe2\x80\xa8<!--");
    page = export_and_read("out.html", &length);
    ck_assert_int_eq(count_text(page, "</script"), scripts);
    ck_assert_int_eq(count_text(page, "<b>"), tags);
    ck_assert_ptr_null(strstr(page, "<!--"));
    ck_assert_ptr_nonnull(strstr(
        page, "\"name\": \"\\u003c/script\\u003e\\u003cb\\u003e\\u0022'\\u005c\\u0026\\u2028"));
}

#ifdef HAVE_CAIRO

/* ---- stills ---- */

/* Of that size; height 0: any. The caller destroys. */
static cairo_surface_t *read_picture(const char *name, int width, int height)
{
    cairo_surface_t *picture = cairo_image_surface_create_from_png(name);
    ck_assert_int_eq(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
    ck_assert_int_eq(cairo_image_surface_get_width(picture), width);
    if (height)
        ck_assert_int_eq(cairo_image_surface_get_height(picture), height);
    return picture;
}

TEST_LOOP(png_has_its_size, 0, 2)
{
    job.time_s = _i ? 1.0 : -1;
    export_well("out.png");
    cairo_surface_destroy(read_picture(path, 320, 180));
}

TEST(png_chooses_its_size)
{
    const struct replay *three[] = {replay, replay, replay};
    int heights[2];
    job.width_px = job.height_px = 0;
    for (int i = 0; i < 2; i++) {
        job.replays = three;
        job.count = i ? 3 : 1;
        export_well("out.png");
        cairo_surface_t *picture = read_picture(path, 1600, 0);
        heights[i] = cairo_image_surface_get_height(picture);
        cairo_surface_destroy(picture);
    }
    ck_assert_int_ge(heights[1], 3 * heights[0] - 3);
}

/* Share of the picture's columns (or rows) from `from` to `to` where anything is drawn. */
static double drawn_share(cairo_surface_t *picture, int from, int to, int is_row)
{
    int width = cairo_image_surface_get_width(picture), drawn = 0;
    int height = cairo_image_surface_get_height(picture);
    for (int k = from; k < to; k++) {
        int is_drawn = 0;
        for (int i = 0; i < (is_row ? width : height); i++) {
            uint32_t pixel;
            memcpy(&pixel,
                   cairo_image_surface_get_data(picture) +
                       (size_t)(is_row ? k : i) * (size_t)cairo_image_surface_get_stride(picture) +
                       4 * (size_t)(is_row ? i : k),
                   4);
            is_drawn |= pixel >> 24 != 0;
        }
        drawn += is_drawn;
    }
    return (double)drawn / (to - from);
}

/* The creature alone fills the picture's width or height, and around it nothing is drawn. */
TEST(plain_is_the_creature_alone)
{
    job.is_plain = 1;
    export_well("out.png");
    cairo_surface_t *picture = read_picture(path, 320, 180);
    ck_assert_int_eq(cairo_image_surface_get_format(picture), CAIRO_FORMAT_ARGB32);
    ck_assert(drawn_share(picture, 0, 320, 0) > 0.8 || drawn_share(picture, 0, 180, 1) > 0.8);
    ck_assert(drawn_share(picture, 0, 10, 0) == 0 && drawn_share(picture, 310, 320, 0) == 0);
    ck_assert(drawn_share(picture, 0, 5, 1) == 0 && drawn_share(picture, 175, 180, 1) == 0);
    cairo_surface_destroy(picture);

    job.width_px = job.height_px = 0;
    export_well("out.png");
    cairo_surface_destroy(read_picture(path, 480, 300));
}

/* Five stand in a grid of three by two, each in its cell. */
TEST(plain_ones_stand_in_a_grid)
{
    const struct replay *five[5] = {replay, replay, replay, replay, replay};
    job.is_plain = 1;
    job.replays = five;
    job.count = 5;
    export_well("out.png");
    cairo_surface_t *picture = read_picture(path, 320, 180);
    for (int cell = 0; cell < 3; cell++) {
        ck_assert(drawn_share(picture, cell * 320 / 3 + 10, (cell + 1) * 320 / 3 - 10, 0) > 0.7);
        ck_assert(
            drawn_share(picture, cell * 320 / 3 - 2 + 2 * (cell == 0), cell * 320 / 3 + 2, 0) == 0);
    }
    ck_assert(drawn_share(picture, 88, 92, 1) == 0);
    cairo_surface_destroy(picture);
}

TEST(svg_is_a_drawing)
{
    size_t length;
    const char *text = export_and_read("out.svg", &length);
    ck_assert_ptr_nonnull(strstr(text, "<svg"));
    ck_assert_ptr_nonnull(strstr(text, "</svg>"));
    ck_assert_int_gt(count_text(text, "<path"), 50);
}

/* ---- video ---- */

static int has_ffmpeg(const char *encoder)
{
    return system(printed("ffmpeg -hide_banner -encoders 2>&1 | grep -q '%s'", encoder)) == 0;
}

/* The file as frames of RGB bytes, decoded by ffmpeg; the caller frees. */
static unsigned char *decode_video(size_t frame_bytes, int *count)
{
    char command[400];
    size_t room = 80 * frame_bytes;
    unsigned char *bytes = malloc(room);
    snprintf(command, sizeof command,
             "ffmpeg -v error -i '%s' -sws_flags accurate_rnd+full_chroma_int "
             "-pix_fmt rgb24 -f rawvideo pipe:1",
             path);
    FILE *pipe = popen(command, "r");
    ck_assert_ptr_nonnull(pipe);
    size_t length = fread(bytes, 1, room, pipe);
    ck_assert_int_eq(pclose(pipe), 0);
    ck_assert_uint_lt(length, room);
    ck_assert_uint_eq(length % frame_bytes, 0);
    *count = (int)(length / frame_bytes);
    return bytes;
}

/* Mean difference of the channels of a decoded frame and the drawn one. */
static double frame_difference(const struct export_film *film, const unsigned char *rgb)
{
    int width = film->job->width_px, height = film->job->height_px;
    double sum = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 3; c++)
                sum +=
                    abs((int)(film->pixels[(size_t)y * film->stride + (size_t)x] >> (16 - 8 * c) &
                              255) -
                        *rgb++);
    return sum / (3.0 * width * height);
}

/* Every frame is there and shows what was drawn, in the same colours. */
static void check_video(void)
{
    const double tolerance = 2;
    SCOPED(export_film) film;
    struct export_job even = job;
    int count;
    even.width_px = 322;
    even.height_px = 182;
    size_t frame_bytes = (size_t)even.width_px * (size_t)even.height_px * 3;
    FREED unsigned char *frames = decode_video(frame_bytes, &count);
    ck_assert_int_eq(count, 61);
    ck_assert_int_eq(export_film_init(&film, &even, 30, 600, 0, &error), 0);
    ck_assert_int_eq(film.frame_count, 61);
    for (int i = 0; i < count; i++) {
        export_film_draw(&film, i);
        double difference = frame_difference(&film, frames + (size_t)i * frame_bytes);
        ck_assert_msg(difference < tolerance, "frame %d: %g", i, difference);
        /* a planted fault: the first frame is not the last */
        if (i == count - 1)
            ck_assert_double_gt(frame_difference(&film, frames), 1.5 * tolerance);
    }
}

static void draw_film(struct export_film *film)
{
    for (int i = 0; i < film->frame_count; i++)
        export_film_draw(film, i);
}

/* A long film reports its progress at times, a short one nothing. */
TEST(films_tell_how_far_they_are)
{
    SCOPED(export_film) film;
    job.path = "out.gif";
    ck_ok(export_film_init(&film, &job, 20, 10, 0, &error));
    export_film_draw(&film, 0);
    ck_assert(film.told_ms > 0);
    film.told_ms -= EXPORT_TELL_MS;
    int64_t before = film.told_ms;
    export_film_draw(&film, 1);
    ck_assert(film.told_ms >= before + EXPORT_TELL_MS);
}

/* A part of a film in slow motion, from near: so many frames, and the last one shows more of the
 * body than that of the whole film at the same time. A part that begins after the end is none. */
TEST(films_are_cut_and_aimed)
{
    SCOPED(export_film) film;
    uint32_t *near;
    job.path = "out.gif";
    job.shot = (struct export_shot){.from_s = 0.5, .to_s = 1.5, .speed = 0.25, .zoom = 3};
    ck_ok(export_film_init(&film, &job, 20, 10, 0, &error));
    ck_assert_int_eq(film.frame_count, 81);
    draw_film(&film);
    size_t bytes = film.stride * (size_t)job.height_px * sizeof near[0];
    ck_assert_ptr_nonnull(near = malloc(bytes));
    memcpy(near, film.pixels, bytes);
    export_film_deinit(&film);
    job.shot = (struct export_shot){.to_s = 1.5};
    ck_ok(export_film_init(&film, &job, 20, 10, 0, &error));
    ck_assert_int_eq(film.frame_count, 31);
    draw_film(&film);
    ck_assert(memcmp(near, film.pixels, bytes) != 0);
    export_film_deinit(&film);
    free(near);
    job.shot = (struct export_shot){.from_s = 1e3};
    ck_assert_int_eq(export_film_init(&film, &job, 20, 10, 0, &error), ERR_USAGE);
}

/* The rows from `from` on of a frame differ from those of another, which has rows of the same
 * length. */
static int differs_from(const struct export_film *film, const uint32_t *other, int from)
{
    size_t first = film->stride * (size_t)from, end = film->stride * (size_t)film->job->height_px;
    return memcmp(film->pixels + first, other + first, (end - first) * sizeof *other) != 0;
}

/* Each has as many frames as the longest, its own camera, and its caption. */
TEST(films_show_a_family_in_turn)
{
    struct fixture swimmer = {"swimmer", 3, 0.2, 0, 2, 1}, runner = {"runner", 3, 0.7, 0, 0, 9};
    OWNED(replay) *second = fixture_replay(&swimmer), *longer = fixture_replay(&runner);
    const struct replay *const family[] = {replay, second};
    const char *const captions[] = {"the first of its line", "its child"};
    SCOPED(export_film) film, alone, last;
    job.path = "out.mp4";
    job.replays = family;
    job.count = 2;
    job.captions = captions;
    job.is_in_turn = 1;
    ck_ok(export_film_init(&film, &job, 20, 10, 0, &error));
    ck_assert_int_eq(film.frame_count, 2 * 41);
    for (int i = 0; i < 42; i++)
        export_film_draw(&film, i);
    /* the second one's first frame is that of a film of its own, but for the caption at its foot */
    struct export_job other = job;
    other.replays = family + 1;
    other.count = 1;
    other.is_in_turn = 0;
    ck_assert_int_eq(export_film_init(&alone, &other, 20, 10, 0, &error), 0);
    export_film_draw(&alone, 0);
    ck_assert_int_eq(memcmp(film.pixels, alone.pixels,
                            film.stride * (size_t)(job.height_px / 2) * sizeof *film.pixels),
                     0);
    ck_assert(differs_from(&film, alone.pixels, job.height_px / 2));
    /* five seconds of longer ones */
    job.replays = (const struct replay *const[]){longer};
    job.count = 1;
    ck_ok(export_film_init(&last, &job, 20, 10, 0, &error));
    ck_assert_int_eq(last.frame_count, 101);
}

TEST(frames_are_numbered_files)
{
    job.fps = 4;
    export_well("out.frames");
    const char *folder = printed("%s", path);
    for (int i = 1; i <= 9; i++) {
        const char *name = printed("%s/%05d.png", folder, i);
        cairo_surface_destroy(read_picture(name, 320, 180));
        if (i == 9)
            ck_assert_int_eq(export_as("out.frames"), ERR_USAGE);
        unlink(name);
    }
    ck_assert_ptr_nonnull(strstr(error.message, "is there already"));
    ck_assert_int_eq(rmdir(folder), 0);
}

TEST_LOOP(videos_show_every_frame, 0, 2)
{
    static const struct {
        const char *name, *encoder, *magic;
        int at;
    } videos[] = {{"out.mp4", "libx264", "ftyp", 4},
                  {"out.webm", "libvpx-vp9", "\x1a\x45\xdf\xa3", 0}};
    size_t length;
    if (!has_ffmpeg(videos[_i].encoder))
        return;
    /* odd sides are made even */
    job.width_px = 321;
    job.height_px = 181;
    job.fps = 30;
    const char *bytes = export_and_read(videos[_i].name, &length);
    ck_assert_uint_gt(length, 1000);
    ck_assert_int_eq(memcmp(bytes + videos[_i].at, videos[_i].magic, 4), 0);
    check_video();
}

/* Of a replay with voices; a scene has none. */
TEST(films_and_pages_can_be_heard)
{
    static const char *const names[][2] = {
        {"out.mp4", "mp4a"}, {"out.webm", "A_OPUS"}, {"out.html", "\"voices\": [440, 220]"}};
    size_t length;
    struct fixture crawler = {"crawler", 5, 0.7, 0, 0, 2};
    job.has_sound = 1;
    if (has_ffmpeg("libx264")) {
        ck_assert_int_eq(export_as("out.mp4"), ERR_USAGE);
        ck_assert_str_eq(error.message, "--sound: there is no creature to be heard");
    }
    replay_destroy(replay);
    replay = fixture_replay_with(&crawler, 2);
    for (int i = 0; i < 3; i++) {
        if (i < 2 && !has_ffmpeg(i ? "libvpx-vp9" : "libx264"))
            continue;
        const char *bytes = export_and_read(names[i][0], &length);
        ck_assert_ptr_nonnull(memmem(bytes, length, names[i][1], strlen(names[i][1])));
        unlink(path);
    }
    ck_assert_int_eq(export_as("out.gif"), ERR_USAGE);
    ck_assert_str_eq(error.message, "--sound is for mp4, webm and html, not for gif");
}

TEST(video_says_what_to_install)
{
    ck_assert_int_eq(setenv("PATH", "/nonexistent", 1), 0);
    ck_assert_int_eq(export_as("out.mp4"), ERR_MISSING);
    ck_assert_msg(strstr(error.message, "install the package ffmpeg") != NULL, "%s", error.message);
    ck_assert_int_eq(export_as("out.webm"), ERR_MISSING);
}

/* A program of that name that says something and ends without reading. */
static void check_failing_ffmpeg(const char *script, int status, const char *message)
{
    const char *before = printed("%s", getenv("PATH"));
    const char *program = printed("%s/ffmpeg", directory);
    ck_ok(file_write(program, script, strlen(script), &error));
    ck_assert_int_eq(chmod(program, 0755), 0);
    ck_assert_int_eq(setenv("PATH", directory, 1), 0);
    ck_assert_int_eq(export_as("out.webm"), status);
    ck_assert_msg(strstr(error.message, message) != NULL, "%s", error.message);
    ck_assert_ptr_null(strchr(error.message, '\n'));
    setenv("PATH", before, 1);
    unlink(program);
    ck_assert_int_eq(count_files(), 0);
}

TEST(video_survives_a_failing_ffmpeg)
{
    check_failing_ffmpeg("#!/bin/sh\nexit 3\n", ERR_IO, "ffmpeg failed: it does not say why");
    check_failing_ffmpeg("#!/bin/sh\necho 'No space left' >&2\necho more >&2\nexit 1\n", ERR_IO,
                         "ffmpeg failed: No space left");
    check_failing_ffmpeg(
        "#!/bin/sh\necho loader >&2\necho '[mp4 @ 0x1] [error] full' >&2\nexit 0\n", ERR_IO,
        "ffmpeg failed: full");
    check_failing_ffmpeg("#!/bin/sh\necho \"Unknown encoder 'libvpx-vp9'\" >&2\nexit 1\n",
                         ERR_MISSING, "built without libvpx");
}

#ifdef HAVE_GIF

/* ---- gif ---- */

/* Puts an image of the file onto the canvas, as a browser does. */
static void compose(const GifFileType *gif, int index, unsigned char *canvas, int *delay_cs)
{
    const SavedImage *image = &gif->SavedImages[index];
    const GifImageDesc *area = &image->ImageDesc;
    GraphicsControlBlock control;
    ck_assert_int_eq(DGifSavedExtensionToGCB((GifFileType *)gif, index, &control), GIF_OK);
    *delay_cs = control.DelayTime;
    for (int y = 0; y < area->Height; y++)
        for (int x = 0; x < area->Width; x++) {
            int value = image->RasterBits[y * area->Width + x];
            if (value != control.TransparentColor)
                canvas[(area->Top + y) * gif->SWidth + area->Left + x] = (unsigned char)value;
        }
}

TEST(gif_plays_and_loops)
{
    int failure, delay_cs;
    job.fps = 20;
    export_well("out.gif");
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_int_eq(info.st_mode & 0400, 0400);
    GifFileType *gif = DGifOpenFileName(path, &failure);
    ck_assert_ptr_nonnull(gif);
    ck_assert_int_eq(DGifSlurp(gif), GIF_OK);
    ck_assert_int_eq(gif->SWidth, 320);
    ck_assert_int_eq(gif->SHeight, 180);
    ck_assert_int_eq(gif->ImageCount, 41);
    ck_assert_int_eq(gif->SavedImages[0].ExtensionBlocks[0].Function, APPLICATION_EXT_FUNC_CODE);
    ck_assert_int_eq(memcmp(gif->SavedImages[0].ExtensionBlocks[0].Bytes, "NETSCAPE2.0", 11), 0);

    /* composed frames are the drawn ones, within the palette's error */
    SCOPED(export_film) film;
    FREED unsigned char *canvas = calloc(320, 180);
    ck_assert_int_eq(export_film_init(&film, &job, 20, 10, 1 | 32, &error), 0);
    for (int i = 0; i < gif->ImageCount; i++) {
        compose(gif, i, canvas, &delay_cs);
        ck_assert_int_eq(delay_cs, 5);
        export_film_draw(&film, i);
        double sum = 0;
        for (size_t k = 0; k < 320 * 180; k++) {
            const GifColorType *color = &gif->SColorMap->Colors[canvas[k]];
            uint32_t pixel = film.pixels[k / 320 * film.stride + k % 320];
            sum += abs(color->Red - (int)(pixel >> 16 & 255)) +
                   abs(color->Green - (int)(pixel >> 8 & 255)) +
                   abs(color->Blue - (int)(pixel & 255));
        }
        ck_assert_double_lt(sum / (320 * 180 * 3), 2.5);
    }
    DGifCloseFile(gif, &failure);
}

TEST(gif_ends_after_ten_seconds)
{
    struct fixture longer = {"longer", 2, 0.1, 0, 0, 14};
    int failure;
    replay_destroy(replay);
    replay = fixture_replay(&longer);
    job.width_px = job.height_px = 32;
    job.fps = 10;
    export_well("out.gif");
    GifFileType *gif = DGifOpenFileName(path, &failure);
    ck_assert_int_eq(DGifSlurp(gif), GIF_OK);
    ck_assert_int_eq(gif->ImageCount, 101);
    DGifCloseFile(gif, &failure);
}

#endif
#endif

SUITE("export", 120, setup, teardown)
