/* A ladder as a file. A meeting is a row of numbers: a, b, margin, and which of them touched the
 * goal. */
#include "controller/analysis/ladder.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/math/hash.h"
#include "common/system/file.h"
#include "controller/store/run_directory.h"

enum { FORMAT = 1, FILE_BYTES_MAX = 32 << 20 };

/* ---- writing ---- */

static json_t *pack_rungs(const struct ladder *ladder)
{
    json_t *rungs = json_array();
    for (int i = 0; i < ladder->rung_count; i++)
        json_array_append_new(rungs, json_pack("[I, I]", (json_int_t)ladder->rungs[i].generation,
                                               (json_int_t)ladder->rungs[i].champion));
    return rungs;
}

static json_t *pack_meetings(const struct ladder *ladder)
{
    json_t *parts = json_object();
    for (int part = 0; part < LADDER_PART_COUNT; part++)
        json_object_set_new(parts, ladder_part_names[part], json_array());
    for (int i = 0; i < ladder->meeting_count; i++) {
        const struct ladder_meeting *meeting = &ladder->meetings[i];
        json_array_append_new(json_object_get(parts, ladder_part_names[meeting->part]),
                              json_pack("[i, i, f, f, f]", meeting->a, meeting->b, meeting->margin,
                                        meeting->touched[0], meeting->touched[1]));
    }
    return parts;
}

int ladder_write(const struct ladder *ladder, const char *directory, struct error *error)
{
    ladder_check(ladder);
    const struct ladder_settings *settings = &ladder->settings;
    char path[RUN_PATH_SIZE], params[17];
    if (run_directory_path(directory, LADDER_FILE_NAME, path, error))
        return error->code;
    hash_to_text(settings->params, params);
    json_t *root =
        json_pack("{s:i, s:s, s:s, s:i, s:i, s:i, s:i, s:o, s:o}", "format", FORMAT, "simulator",
                  settings->simulator, "params", params, "bouts", settings->bouts, "samples",
                  settings->samples, "panel", settings->panel, "rivals", ladder->rival_count,
                  "rungs", pack_rungs(ladder), "meetings", pack_meetings(ladder));
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    int status = text ? file_replace(path, text, strlen(text), error)
                      : error_set(error, ERR_MEMORY, "%s: out of memory", path);
    free(text);
    json_decref(root);
    return status;
}

/* ---- reading ---- */

/* A whole number of 0 .. most; -1: it is none. */
static int64_t read_whole(const json_t *value, int64_t most)
{
    json_int_t number = json_integer_value(value);
    return json_is_integer(value) && number >= 0 && number <= most ? number : -1;
}

static int read_settings(struct ladder *ladder, const json_t *root)
{
    struct ladder_settings *settings = &ladder->settings;
    const char *simulator = json_string_value(json_object_get(root, "simulator"));
    const char *params = json_string_value(json_object_get(root, "params"));
    if (!simulator || !params || hash_from_text(params, &settings->params) ||
        read_whole(json_object_get(root, "format"), FORMAT) != FORMAT)
        return ERR_FORMAT;
    snprintf(settings->simulator, sizeof settings->simulator, "%s", simulator);
    settings->bouts = (int)read_whole(json_object_get(root, "bouts"), 100);
    settings->samples = (int)read_whole(json_object_get(root, "samples"), LADDER_SAMPLES_MAX);
    settings->panel = (int)read_whole(json_object_get(root, "panel"), LADDER_PANEL_MAX);
    ladder->rival_count = (int)read_whole(json_object_get(root, "rivals"), LADDER_RIVALS_MAX);
    return settings->bouts < 0 || settings->samples < 0 || settings->panel < 0 ||
                   ladder->rival_count < 0
               ? ERR_FORMAT
               : 0;
}

static int read_rungs(struct ladder *ladder, const json_t *rows)
{
    size_t count = json_array_size(rows);
    if (count < 1 || count > LADDER_RUNGS_MAX)
        return ERR_FORMAT;
    for (size_t i = 0; i < count; i++) {
        json_int_t generation, champion;
        if (json_unpack(json_array_get(rows, i), "[I, I]", &generation, &champion) ||
            generation < 0 || generation > UINT32_MAX || champion < 0 ||
            (i > 0 && generation <= (int64_t)ladder->rungs[i - 1].generation))
            return ERR_FORMAT;
        ladder->rungs[i] = (struct ladder_rung){(uint32_t)generation, (uint64_t)champion};
    }
    ladder->rung_count = (int)count;
    return 0;
}

static int read_meeting(struct ladder *ladder, int part, json_t *row)
{
    struct ladder_meeting *meeting = &ladder->meetings[ladder->meeting_count];
    int others[LADDER_PART_COUNT] = {ladder->rung_count, ladder->rung_count, ladder->rung_count,
                                     ladder->rival_count, ladder->settings.panel};
    json_int_t a, b;
    double margin, touched[2];
    if (json_unpack(row, "[I, I, F, F, F]", &a, &b, &margin, &touched[0], &touched[1]) || a < 0 ||
        a >= ladder->rung_count || b < 0 || b >= others[part] || !(margin >= -1 && margin <= 1) ||
        !(touched[0] >= 0 && touched[0] <= 1) || !(touched[1] >= 0 && touched[1] <= 1))
        return ERR_FORMAT;
    *meeting = (struct ladder_meeting){part, (int)a, (int)b, margin, {touched[0], touched[1]}};
    ladder->meeting_count++;
    return 0;
}

static int read_meetings(struct ladder *ladder, const json_t *parts)
{
    size_t count = 0;
    int status = 0;
    for (int part = 0; part < LADDER_PART_COUNT; part++)
        count += json_array_size(json_object_get(parts, ladder_part_names[part]));
    if (count > LADDER_MEETINGS_MAX)
        return ERR_LIMIT;
    ladder->meetings = calloc(count + 1, sizeof *ladder->meetings);
    if (!ladder->meetings)
        return ERR_MEMORY;
    for (int part = 0; part < LADDER_PART_COUNT && !status; part++) {
        const json_t *rows = json_object_get(parts, ladder_part_names[part]);
        for (size_t i = 0; i < json_array_size(rows) && !status; i++)
            status = read_meeting(ladder, part, json_array_get(rows, i));
    }
    return status;
}

/* The file's text as JSON; NULL with a message. */
static json_t *load(const char *directory, const char *path, struct error *error)
{
    struct stat info;
    json_error_t problem;
    json_t *root = NULL;
    int descriptor;
    if (file_open_within(directory, LADDER_FILE_NAME, O_RDONLY, &descriptor, error))
        return NULL;
    if (fstat(descriptor, &info) || info.st_size > FILE_BYTES_MAX)
        error_set(error, ERR_LIMIT, "%s: larger than %d bytes", path, FILE_BYTES_MAX);
    else if ((root = json_loadfd(descriptor, JSON_REJECT_DUPLICATES, &problem)) == NULL)
        error_set(error, ERR_FORMAT, "%s: line %d: %s", path, problem.line, problem.text);
    close(descriptor);
    return root;
}

int ladder_read(struct ladder *ladder, const char *directory, struct error *error)
{
    char path[RUN_PATH_SIZE];
    memset(ladder, 0, sizeof *ladder);
    if (run_directory_path(directory, LADDER_FILE_NAME, path, error))
        return error->code;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return error_set(error, ERR_MISSING, "%s: does not exist", path);
    json_t *root = load(directory, path, error);
    if (!root)
        return error->code;
    int status = read_settings(ladder, root);
    if (!status)
        status = read_rungs(ladder, json_object_get(root, "rungs"));
    if (!status)
        status = read_meetings(ladder, json_object_get(root, "meetings"));
    json_decref(root);
    if (!status) {
        ladder_check(ladder);
        return 0;
    }
    ladder_deinit(ladder);
    memset(ladder, 0, sizeof *ladder);
    return error_set(error, status, "%s: %s, not what controller progress writes", path,
                     error_text(status));
}
