/* MP4: frames are piped, as raw RGB, to the program ffmpeg, started without a shell. */
#include "viewer/export.h"

#ifdef HAVE_CAIRO

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "viewer/draw.h"

extern char **environ;

/* Longest video, s: what is longer is cut, so that a disk is not filled by accident. */
#define MP4_LIMIT_S 600.0

/* Starts ffmpeg, which reads frames from *input. Encoding takes most of the time: the preset halves it, and
 * files of such flat pictures are hardly larger for it. ERR_MISSING when it is not installed. */
static int ffmpeg_start(const struct export_job *job, const char *path, pid_t *pid, int *input,
                        struct error *error)
{
    char size[32], rate[32], target[4200];
    int ends[2];
    posix_spawn_file_actions_t actions;
    snprintf(size, sizeof size, "%dx%d", job->width_px, job->height_px);
    snprintf(rate, sizeof rate, "%.6g", job->fps);
    snprintf(target, sizeof target, "file:%s", path);
    char *arguments[] = {
        "ffmpeg",     "-hide_banner", "-loglevel", "error",    "-y",       "-f",      "rawvideo",
        "-pix_fmt",   "rgb24",        "-s",        size,       "-r",       rate,      "-i",
        "pipe:0",     "-an",          "-preset",   "veryfast", "-pix_fmt", "yuv420p", "-movflags",
        "+faststart", "-f",           "mp4",       target,     NULL};

    if (pipe(ends))
        return error_set(error, ERR_IO, "pipe: %s", strerror(errno));
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_init(&actions);
    if (ends[0] != 0) {
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
    }
    int failure = posix_spawnp(pid, "ffmpeg", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *input = ends[1];
    if (!failure)
        return 0;
    close(ends[1]);
    if (failure == ENOENT)
        return error_set(error, ERR_MISSING,
                         "%s: the program ffmpeg is not installed: install the package ffmpeg",
                         job->path);
    return error_set(error, ERR_IO, "ffmpeg: %s", strerror(failure));
}

static int write_all(int descriptor, const unsigned char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return ERR_IO;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Waits; 0 if it ended well. */
static int ffmpeg_finish(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return ERR_IO;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ERR_IO;
}

/* yuv420p halves both sides. */
static int make_even(int side)
{
    return side + (side & 1);
}

int export_mp4(const struct export_job *request, const char *path, struct error *error)
{
    struct export_job job = *request;
    struct export_film film;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    pid_t pid;
    int input = -1;
    job.width_px = make_even(job.width_px);
    job.height_px = make_even(job.height_px);
    int status = export_film_init(&film, &job, job.fps, MP4_LIMIT_S, 0, error);
    if (!status)
        status = ffmpeg_start(&job, path, &pid, &input, error);
    if (status) {
        export_film_deinit(&film);
        return status;
    }

    sigaction(SIGPIPE, &ignore, &before);
    for (int i = 0; i < film.frame_count && !status; i++) {
        export_film_draw(&film, i);
        status = write_all(input, film.rgb, (size_t)job.width_px * (size_t)job.height_px * 3);
    }
    close(input);
    sigaction(SIGPIPE, &before, NULL);
    export_film_deinit(&film);
    if (ffmpeg_finish(pid) || status)
        return error_set(error, ERR_IO, "%s: ffmpeg failed; it says why above", job.path);
    return 0;
}

#endif
