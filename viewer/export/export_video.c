/* Video: frames are piped to the program ffmpeg, started without a shell.
 *
 * Encoding costs as much as drawing, and both run at once on two cores, for which frames wait in a
 * ring: without it each waited for the other, half as long again; a thread of ffmpeg's own for its
 * input (-thread_queue_size) polls the pipe by sleeping. They are handed over as the encoder wants
 * them (YUV 4:2:0, a third of the time of ffmpeg's own conversion and half the bytes in the pipe),
 * and H.264 is encoded by its quickest preset; the next one, a quarter smaller, takes twice as long.
 * Its constant quality 22 costs no more time than 26 and a third more bytes; at 26 the sky and the
 * water have blots. Ten seconds of 1280x720 take about 0.6 s of processor time here and 0.9 s in
 * ffmpeg; the start of ffmpeg takes 0.08 s of them.
 *
 * Tried and no quicker: other numbers of threads, x264's motion search within fewer pixels, a
 * shorter probe of the input, huge pages for the queue or for ffmpeg, and comparing frames by
 * hashes of their stretches. */
#define _GNU_SOURCE /* for F_SETPIPE_SZ, where there is such a thing */
#include "viewer/export/export.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/system/output.h"

extern char **environ;

/* Longest video, s: a longer one is cut, so that a disk is not filled by accident. */
#define VIDEO_LIMIT_S 600.0
#define OPTIONS_MAX   24
/* Frames that are drawn and not yet written: at 1280x720 20 MB, half a second of video, while an
 * encoder starts. */
enum { FRAMES_WAITING = 16 };
/* Pixels of a row that are converted together; even. */
#define SPAN_PX ((size_t)64)
/* Room for ffmpeg's words; the first line is passed on. */
#define SAID_ALL_MAX 65536
#define SAID_MAX     256

/* How ffmpeg is told to write a kind of file. */
struct format {
    const char *suffix, *library;     /* and what ffmpeg needs for it */
    const char *sound;                /* the encoder of sound */
    const char *options[OPTIONS_MAX]; /* NULL at the end */
};

/* The constant quality of VP9 is on a scale of its own; "realtime" is the only one of its settings
 * that comes near real time. Two tiles for two cores save a twentieth of the time; -static-thresh
 * would save a tenth, but hills that go by slowly become blots. */
static const struct format formats[] = {
    {"mp4",
     "libx264",
     "aac",
     {"-preset", "ultrafast", "-qp", "22", "-movflags", "+faststart", "-f", "mp4"}},
    {"webm",
     "libvpx",
     "libopus",
     {"-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-row-mt", "1",
      "-tile-columns", "1", "-lag-in-frames", "0", "-b:v", "0", "-crf", "33", "-f", "webm"}}};

/* ---- pixels ---- */

/* ITU-R BT.709, as players assume it for pictures of this size: luma 16 .. 235, chroma 16 .. 240,
 * in 256ths. Sums fit 16 bits, so that eight pixels are computed at once. */
static void convert_luma(const uint32_t *restrict pixels, int width, unsigned char *restrict luma)
{
    for (int x = 0; x < width; x++) {
        uint16_t r = pixels[x] >> 16 & 255, g = pixels[x] >> 8 & 255, b = pixels[x] & 255;
        uint16_t sum = (uint16_t)(47 * r + 157 * g + 16 * b + 128);
        luma[x] = (unsigned char)((sum >> 8) + 16);
    }
}

/* Each of the mean of two by two pixels. */
static void convert_chroma(const uint32_t *restrict upper, const uint32_t *restrict lower,
                           int width, unsigned char *restrict blue, unsigned char *restrict red)
{
    for (int x = 0; x < width / 2; x++) {
        uint32_t a = upper[2 * x], b = upper[2 * x + 1], c = lower[2 * x], d = lower[2 * x + 1];
        /* red and blue are summed in the halves of one word */
        uint32_t both = (a & 0xff00ff) + (b & 0xff00ff) + (c & 0xff00ff) + (d & 0xff00ff);
        uint32_t green = (a >> 8 & 255) + (b >> 8 & 255) + (c >> 8 & 255) + (d >> 8 & 255);
        int32_t red_sum = (int32_t)(both >> 16), blue_sum = (int32_t)(both & 0xffff);
        int32_t green_sum = (int32_t)green;
        int32_t u = 112 * blue_sum - 26 * red_sum - 86 * green_sum;
        int32_t v = 112 * red_sum - 102 * green_sum - 10 * blue_sum;
        blue[x] = (unsigned char)((u + (128 << 10) + 512) >> 10);
        red[x] = (unsigned char)((v + (128 << 10) + 512) >> 10);
    }
}

/* Two rows of a frame as rows of its planes, the pixels from `left` on. */
static void convert_rows(const struct export_film *film, const uint32_t *rows, size_t left,
                         size_t width, unsigned char *luma, unsigned char *blue, unsigned char *red)
{
    const uint32_t *upper = rows + left, *lower = upper + film->stride;
    convert_luma(upper, (int)width, luma + left);
    convert_luma(lower, (int)width, luma + film->job->width_px + left);
    convert_chroma(upper, lower, (int)width, blue + left / 2, red + left / 2);
}

/* Converts the rows where they are not as in the frame before. The picture is mostly flat: even
 * where it scrolls most of it stays as it is. */
static void convert_changes(const struct export_film *film, const uint32_t *rows,
                            const uint32_t *before, unsigned char *luma, unsigned char *blue,
                            unsigned char *red)
{
    size_t width = (size_t)film->job->width_px;
    if (!memcmp(rows, before, (film->stride + width) * sizeof *rows))
        return;
    for (size_t left = 0, span; left < width; left += span) {
        span = width - left < SPAN_PX ? width - left : SPAN_PX;
        const uint32_t *at = rows + left, *was = before + left;
        if (memcmp(at, was, span * sizeof *at) ||
            memcmp(at + film->stride, was + film->stride, span * sizeof *at))
            convert_rows(film, rows, left, span, luma, blue, red);
    }
}

/* A frame as planes: luma, then both chroma at half the sides, which are even. before: the planes
 * of the frame before, or NULL. */
static void convert_frame(const struct export_film *film, const unsigned char *before,
                          unsigned char *planes)
{
    size_t width = (size_t)film->job->width_px, height = (size_t)film->job->height_px;
    unsigned char *blue = planes + width * height, *red = blue + width * height / 4;
    if (before)
        memcpy(planes, before, width * height * 3 / 2);
    for (size_t y = 0; y < height / 2; y++) {
        const uint32_t *rows = film->pixels + 2 * y * film->stride;
        unsigned char *luma = planes + 2 * y * width, *u = blue + y * width / 2,
                      *v = red + y * width / 2;
        if (before)
            convert_changes(film, rows, film->before + 2 * y * film->stride, luma, u, v);
        else
            convert_rows(film, rows, 0, width, luma, u, v);
    }
}

/* ---- ffmpeg ---- */

struct encoder {
    pid_t pid;
    int input;   /* where it reads frames */
    int said;    /* its messages: a pipe, since a disk that is full has no room for them either */
    FILE *sound; /* a file without a name, or NULL */
};

/* Where ffmpeg reads sound. */
#define SOUND_DESCRIPTOR 3
#define SOUND_INPUT      "pipe:3"

static void append(const char *list[], int *count, const char *const *words)
{
    while (*words)
        list[(*count)++] = *words++;
    list[*count] = NULL;
}

/* The whole command line, NULL at its end. */
static void list_arguments(const struct format *format, int has_sound, const char *size,
                           const char *rate, const char *target, const char *list[])
{
    static const char *const input[] = {
        "ffmpeg",   "-hide_banner", "-loglevel", "level+error",      "-y",    "-f",
        "rawvideo", "-pix_fmt",     "yuv420p",   "-colorspace",      "bt709", "-color_trc",
        "bt709",    "-color_range", "tv",        "-color_primaries", "bt709", NULL};
    static const char *const output[] = {
        "-pix_fmt",     "yuv420p", "-colorspace",      "bt709", "-color_trc", "bt709",
        "-color_range", "tv",      "-color_primaries", "bt709", NULL};
    const char *const silence[] = {"-an", NULL};
    const char *const sound[] = {"-f", "wav", "-i", SOUND_INPUT, "-c:a", format->sound, NULL};
    const char *const frames[] = {"-s", size, "-r", rate, "-i", "pipe:0", NULL};
    int count = 0;
    append(list, &count, input);
    append(list, &count, frames);
    append(list, &count, has_sound ? sound : silence);
    append(list, &count, output);
    append(list, &count, format->options);
    append(list, &count, (const char *const[]){target, NULL});
}

/* Starts it with its input connected, and its messages going into a pipe. 0 or an errno. */
static int spawn(struct encoder *encoder, const char *const *arguments, int messages)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe(ends))
        return errno;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#ifdef F_SETPIPE_SZ
    /* most of a frame fits: drawing need not wait for reading; refused, it is only slower */
    fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
#endif
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, messages, 2);
    if (ends[0] != 0) {
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
    }
    if (encoder->sound)
        posix_spawn_file_actions_adddup2(&actions, fileno(encoder->sound), SOUND_DESCRIPTOR);
    int failure =
        posix_spawnp(&encoder->pid, "ffmpeg", &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    encoder->input = ends[1];
    if (failure)
        close(ends[1]);
    return failure;
}

/* ERR_MISSING when ffmpeg is not installed. */
static int encoder_start(struct encoder *encoder, const struct format *format,
                         const struct export_job *job, const char *path, struct error *error)
{
    char size[32], rate[32], target[4200];
    const char *arguments[48 + OPTIONS_MAX];
    snprintf(size, sizeof size, "%dx%d", job->width_px, job->height_px);
    snprintf(rate, sizeof rate, "%.6g", job->fps);
    snprintf(target, sizeof target, "file:%s", path);
    list_arguments(format, encoder->sound != NULL, size, rate, target, arguments);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return error_set(error, ERR_IO, "a pipe: %s", strerror(errno));
    /* read at the end: text that does not fit is lost, and holds up no writer */
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    encoder->said = ends[0];
    int failure = spawn(encoder, arguments, ends[1]);
    close(ends[1]);
    if (!failure)
        return 0;
    close(encoder->said);
    if (failure == ENOENT)
        return error_set(error, ERR_MISSING,
                         "%s: the program ffmpeg is not installed: install the package ffmpeg",
                         job->path);
    return error_set(error, ERR_IO, "ffmpeg: %s", strerror(failure));
}

/* Reads the lines that were said. The first of ffmpeg's own, which bear their level, goes to
 * `fault`; the first of others (of the loader of a library, say) goes to `aside`. Empty: there is
 * none. */
static void read_said(int descriptor, char fault[SAID_MAX], char aside[SAID_MAX])
{
    static const char *const levels[] = {"[error] ", "[fatal] ", "[panic] "};
    static char said[SAID_ALL_MAX];
    ssize_t length = read(descriptor, said, sizeof said - 1);
    char *rest = said, *line;
    said[length > 0 ? length : 0] = fault[0] = aside[0] = '\0';
    while ((line = strtok_r(rest, "\r\n", &rest)) != NULL) {
        const char *own = NULL;
        for (size_t i = 0; i < sizeof levels / sizeof levels[0] && !own; i++)
            if ((own = strstr(line, levels[i])) != NULL)
                own += strlen(levels[i]);
        char *to = own ? fault : aside;
        if (to[0] == '\0')
            snprintf(to, SAID_MAX, "%s", own ? own : line);
    }
}

/* Waits; fails where it did. Its own words are errors, and it exits with 0 after some of them: when
 * the disk is full at the end of a file, for one. */
static int encoder_finish(struct encoder *encoder, const struct format *format,
                          const struct export_job *job, struct error *error)
{
    int status;
    char fault[SAID_MAX], aside[SAID_MAX];
    close(encoder->input);
    while (waitpid(encoder->pid, &status, 0) < 0)
        if (errno != EINTR)
            break;
    read_said(encoder->said, fault, aside);
    close(encoder->said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !fault[0]) {
        if (aside[0])
            output_print(stderr, "viewer: beside ffmpeg was said: %s\n", aside);
        return 0;
    }
    const char *said = fault[0] ? fault : aside[0] ? aside : "it does not say why";
    if (strstr(said, "Unknown encoder"))
        return error_set(error, ERR_MISSING,
                         "%s: the ffmpeg of this machine is built without %s, which %s needs",
                         job->path, format->library, format->suffix);
    return error_set(error, ERR_IO, "%s: ffmpeg failed: %s", job->path, said);
}

/* ---- the whole ---- */

/* 4:2:0 halves both sides. */
static int make_even(int side)
{
    return side + (side & 1);
}

static int finish_write(struct aiocb *write)
{
    const struct aiocb *const list[] = {write};
    while (aio_error(write) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    return aio_return(write) == (ssize_t)write->aio_nbytes ? 0 : ERR_IO;
}

/* Frames wait in a ring while the next ones are drawn; glibc has a thread that writes those of one
 * descriptor one after the other. */
static int write_frames(struct export_film *film, const struct encoder *encoder)
{
    size_t length = (size_t)film->job->width_px * (size_t)film->job->height_px * 3 / 2;
    unsigned char *ring = malloc(FRAMES_WAITING * length), *before = NULL;
    struct aiocb writes[FRAMES_WAITING];
    int status = ring ? 0 : ERR_MEMORY, drawn = 0, written = 0;
    while (!status && written < film->frame_count) {
        if (drawn == film->frame_count || drawn - written == FRAMES_WAITING) {
            status = finish_write(&writes[written++ % FRAMES_WAITING]);
            continue;
        }
        unsigned char *planes = ring + (size_t)(drawn % FRAMES_WAITING) * length;
        struct aiocb *write = &writes[drawn % FRAMES_WAITING];
        export_film_draw(film, drawn);
        convert_frame(film, before, planes);
        before = planes;
        *write =
            (struct aiocb){.aio_fildes = encoder->input, .aio_buf = planes, .aio_nbytes = length};
        if (aio_write(write))
            status = ERR_LIMIT; /* no thread can be had */
        drawn += !status;
    }
    while (written < drawn)
        finish_write(&writes[written++ % FRAMES_WAITING]);
    free(ring);
    return status;
}

/* Sound is made as a whole before the first frame is drawn. */
static int make_sound(FILE **file, const struct export_film *film, struct error *error)
{
    const struct export_job *job = film->job;
    if (!job->has_sound)
        return 0;
    int voice_count = 0;
    for (int i = 0; i < job->count; i++)
        voice_count += job->replays[i]->voice_count;
    if (!voice_count)
        return error_set(error, ERR_USAGE, "--sound: there is no creature to be heard");
    *file = tmpfile();
    int status =
        *file ? film_sound_write(*file, job->replays, job->count, film->frame_count / film->fps)
              : ERR_IO;
    if (!status)
        rewind(*file);
    return status ? error_set(error, status, "the film's sound, in a temporary file: %s",
                              status == ERR_IO ? strerror(errno) : error_text(status))
                  : 0;
}

int export_video(const struct export_job *request, const char *path, struct error *error)
{
    const struct format *format = &formats[!strcmp(export_find(request->path)->suffix, "webm")];
    struct export_job job = *request;
    struct export_film film;
    struct encoder encoder = {.sound = NULL};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    job.width_px = make_even(job.width_px);
    job.height_px = make_even(job.height_px);
    int status = export_film_init(&film, &job, job.fps, VIDEO_LIMIT_S, 0, error);
    if (!status)
        status = make_sound(&encoder.sound, &film, error);
    if (!status)
        status = encoder_start(&encoder, format, &job, path, error);
    if (encoder.sound)
        fclose(encoder.sound);
    if (status) {
        export_film_deinit(&film);
        return status;
    }
    sigaction(SIGPIPE, &ignore, &before);
    int written = write_frames(&film, &encoder);
    status = encoder_finish(&encoder, format, &job, error);
    sigaction(SIGPIPE, &before, NULL);
    export_film_deinit(&film);
    if (!status && written)
        status = error_set(error, written, "%s: %s", job.path, error_text(written));
    return status;
}
