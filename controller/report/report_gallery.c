#include "controller/report/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/system/file.h"
#include "controller/workers/program.h"
#include "controller/workers/extract.h"

#define PAGE_BYTES_MAX    (64u << 20)
#define PICTURE_BYTES_MAX (4u << 20)
/* Pixels of a picture by its size in the page. */
#define FINE 2

/* A temporary directory and the program. */
struct studio {
    struct scratch scratch;
    char viewer[RUN_PATH_SIZE];
    struct sigaction old[3];
};

/* Signals that end the report. Each is only noted, or ends viewer, so that the folder is
 * removed. */
static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t is_interrupted;

static void note_signal(int number)
{
    is_interrupted = 1;
}

/* ID.suffix in the directory. */
static void studio_path(const struct studio *studio, uint64_t id, const char *suffix,
                        char path[RUN_PATH_SIZE])
{
    char name[40];
    snprintf(name, sizeof name, "%" PRIu64 ".%s", id, suffix);
    scratch_path(&studio->scratch, name, path);
}

static void studio_ignore_no_more(const struct studio *studio)
{
    for (int i = 0; i < 3; i++)
        sigaction(endings[i], &studio->old[i], NULL);
}

static int studio_open(struct studio *studio, struct error *error)
{
    if (program_find("viewer", studio->viewer, error))
        return error->code;
    is_interrupted = 0;
    for (int i = 0; i < 3; i++)
        sigaction(endings[i], &(struct sigaction){.sa_handler = note_signal}, &studio->old[i]);
    int status = scratch_open(&studio->scratch, "report", error);
    if (status)
        studio_ignore_no_more(studio);
    return status;
}

/* ---- viewer ---- */

/* The last line that viewer printed becomes the gallery's problem, if it has none. */
static void note_problem(struct report_gallery *gallery, const char *output)
{
    if (gallery->problem[0])
        return;
    size_t length = strlen(output);
    while (length > 0 && isspace((unsigned char)output[length - 1]))
        length--;
    size_t start = length;
    while (start > 0 && output[start - 1] != '\n')
        start--;
    snprintf(gallery->problem, sizeof gallery->problem, "%.*s", (int)(length - start),
             length > start ? output + start : "viewer failed");
}

/* Runs viewer with what it prints going to a string (from malloc; NULL on error). 0 if it ended
 * well. */
static int run_viewer(struct studio *studio, char *const *argv, char **output, struct error *error)
{
    int result = program_hear(studio->viewer, argv, output, error);
    for (int i = 0; i < 3; i++)
        is_interrupted |= result == 128 + endings[i];
    return result > 0 ? ERR_UNAVAILABLE : result;
}

/* A still of one creature, whose file is there. */
static int make_picture(struct studio *studio, struct report_gallery *gallery,
                        struct report_picture *picture, struct error *error)
{
    char creature[RUN_PATH_SIZE], png_path[RUN_PATH_SIZE], size[32];
    char *output = NULL;
    studio_path(studio, picture->id, "creature", creature);
    studio_path(studio, picture->id, "png", png_path);
    snprintf(size, sizeof size, "%dx%d", FINE * REPORT_PICTURE_WIDTH, FINE * REPORT_PICTURE_HEIGHT);
    char *argv[] = {"viewer", "--export", png_path, "--plain", "--size",
                    size,     "--",       creature, NULL};
    int status = run_viewer(studio, argv, &output, error);
    if (!status) {
        /* the word of the comparison stands before two blanks in the first line */
        const char *end = strstr(output, "  ");
        if (end && end - output < (ptrdiff_t)sizeof picture->status - 1)
            snprintf(picture->status, sizeof picture->status, "%.*s", (int)(end - output), output);
        status = file_read(png_path, PICTURE_BYTES_MAX, &picture->png, &picture->png_bytes, error);
    }
    if (status)
        note_problem(gallery, output ? output : error->message);
    free(output);
    return status;
}

/* The page that plays. Creatures whose picture failed are left out, unless all pictures failed. */
static void make_player(struct studio *studio, struct report_gallery *gallery, int player_count,
                        struct error *error)
{
    int count = player_count < gallery->count ? player_count : gallery->count, pictured = 0;
    char **argv = calloc((size_t)count + 5, sizeof *argv);
    char(*paths)[RUN_PATH_SIZE] = calloc((size_t)count + 1, sizeof *paths);
    char *output = NULL;
    size_t length;
    int used = 4, number = 0, status = argv && paths ? 0 : ERR_MEMORY;
    for (int i = 0; i < count; i++)
        pictured += gallery->pictures[i].status[0] != '\0';
    for (int i = 0; i < count && !status; i++) {
        if (gallery->pictures[i].is_missing || (pictured && !gallery->pictures[i].status[0]))
            continue;
        studio_path(studio, gallery->pictures[i].id, "creature", paths[i]);
        argv[used++] = paths[i];
        gallery->pictures[i].number = number++;
    }
    if (!status && number > 0) {
        studio_path(studio, 0, "html", paths[count]);
        argv[0] = "viewer";
        argv[1] = "--export";
        argv[2] = paths[count];
        argv[3] = "--";
        status = run_viewer(studio, argv, &output, error);
        if (!status)
            status = file_read(paths[count], PAGE_BYTES_MAX, &gallery->player, &length, error);
    }
    if (status)
        note_problem(gallery, output ? output : error_text(status));
    for (int i = 0; !gallery->player && i < count; i++)
        gallery->pictures[i].number = -1;
    free(output);
    free(paths);
    free(argv);
}

/* ---- the gallery ---- */

static int write_creature(const struct studio *studio, struct store *store, uint64_t id,
                          struct error *error)
{
    char path[RUN_PATH_SIZE];
    struct creature creature;
    if (extract_get_creature(store, id, &creature, error))
        return error->code;
    studio_path(studio, id, "creature", path);
    int status = creature_write(&creature, path, 0, error);
    creature_deinit(&creature);
    return status;
}

int report_gallery_make(struct report_gallery *gallery, struct store *store, const uint64_t *ids,
                        int count, int player_count, struct error *error)
{
    struct studio studio = {0};
    memset(gallery, 0, sizeof *gallery);
    gallery->pictures = calloc((size_t)count + 1, sizeof *gallery->pictures);
    if (!gallery->pictures)
        return error_memory(error);
    if (studio_open(&studio, error)) {
        snprintf(gallery->problem, sizeof gallery->problem, "%s", error->message);
        return 0;
    }
    int status = 0, is_useless = 0;
    for (int i = 0; i < count && !status && !is_interrupted; i++) {
        struct report_picture *picture = &gallery->pictures[gallery->count++];
        *picture = (struct report_picture){.id = ids[i], .number = -1};
        status = write_creature(&studio, store, ids[i], error);
        if (status && status != ERR_MEMORY) { /* no body was kept, or it cannot be read */
            note_problem(gallery, error->message);
            picture->is_missing = 1;
            status = 0;
            continue;
        }
        if (!status && !is_useless && make_picture(&studio, gallery, picture, error))
            is_useless = strstr(gallery->problem, "left out of this build") != NULL;
    }
    if (!status && !is_interrupted)
        make_player(&studio, gallery, player_count, error);
    if (!status && is_interrupted)
        status = error_set(error, ERR_UNAVAILABLE, "interrupted; no report was written");
    scratch_close(&studio.scratch);
    studio_ignore_no_more(&studio);
    if (status)
        report_gallery_deinit(gallery);
    return status;
}

void report_gallery_deinit(struct report_gallery *gallery)
{
    for (int i = 0; i < gallery->count; i++)
        free(gallery->pictures[i].png);
    free(gallery->pictures);
    free(gallery->player);
    memset(gallery, 0, sizeof *gallery);
}

const struct report_picture *report_gallery_find(const struct report_gallery *gallery, uint64_t id)
{
    for (int i = 0; i < gallery->count; i++)
        if (gallery->pictures[i].id == id)
            return &gallery->pictures[i];
    return NULL;
}
