/* Parameter files: INI, read with inih and written from the table.
 *
 * inih takes lines from a reader of ours, which counts them for the messages and removes blanks in
 * front (inih takes an indented line for more of the value above it; that is how lines that are too
 * long for it reach it in pieces). The first error ends the reading. */
#include "common/params/params.h"

#include <ini.h>
#include <string.h>

#define KEYS_MAX       320
#define LINE_MAX_BYTES (PARAM_TEXT_LENGTH_MAX + 200)

struct ini_state {
    struct params *params;
    const char *name;               /* of the file, for messages */
    const char *rest;               /* what is not read yet */
    int line;                       /* the line being read, from 1 */
    const char *piece;              /* what inih has not had of that line */
    size_t left;                    /* its length */
    int is_further;                 /* what inih reads now goes on with a value */
    char value[LINE_MAX_BYTES + 1]; /* of that line, as far as it is known */
    struct error *error;
    int error_line; /* 0 while all is well */
    char is_set[KEYS_MAX];
    int has_world_rows; /* rows that a preset would overwrite */
};

/* Keeps the first error and ends the reading. */
static int fail_line(struct ini_state *state, int code)
{
    state->error_line = state->line;
    error_prefix(state->error, "%s:%d", state->name, state->line);
    state->error->code = code;
    return 0;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next line becomes the piece: without blanks in front, without comments. */
static void begin_line(struct ini_state *state)
{
    size_t length = strcspn(state->rest, "\n");
    const char *start = state->rest + strspn(state->rest, " \t");
    size_t kept = start < state->rest + length ? (size_t)(state->rest + length - start) : 0;
    state->line++;
    if (kept > 0 && strchr("#;", *start))
        kept = 1; // the text of a comment is dropped
    for (size_t i = 1; i < kept; i++)
        if (start[i] == ';' && is_blank(start[i - 1]))
            kept = i;
    state->piece = start;
    state->left = kept;
    state->rest += length + (state->rest[length] == '\n');
}

/* How much of the piece goes into one line for inih: cut where no blank is lost, and no comment
 * begins. */
static size_t piece_length(const struct ini_state *state, size_t room)
{
    const char *piece = state->piece;
    size_t at = room;
    if (state->left <= room)
        return state->left;
    while (at > 1 && (is_blank(piece[at]) || is_blank(piece[at - 1]) || strchr("#;", piece[at])))
        at--;
    return at;
}

/* inih would leave out what stands behind the ] of a section. 0, or ERR_FORMAT. */
static int check_section(struct ini_state *state)
{
    const char *end = memchr(state->piece, ']', state->left);
    if (state->left == 0 || state->piece[0] != '[' || !end)
        return 0;
    size_t rest = state->left - (size_t)(end + 1 - state->piece);
    if (strspn(end + 1, " \t\r") >= rest)
        return 0;
    error_set(state->error, ERR_FORMAT, "text behind %.*s: a section stands on a line of its own",
              (int)(end + 1 - state->piece), state->piece);
    fail_line(state, ERR_FORMAT);
    return ERR_FORMAT;
}

/* A line, or an indented piece that goes on with it, like fgets(); NULL at the end and after an
 * error. */
static char *read_line(char *buffer, int size, void *context)
{
    struct ini_state *state = context;
    state->is_further = state->left > 0;
    if (state->error_line || (!state->is_further && *state->rest == '\0'))
        return NULL;
    if (!state->is_further)
        begin_line(state);
    if (!state->is_further && check_section(state))
        return NULL;
    if (state->left > LINE_MAX_BYTES) {
        error_set(state->error, ERR_LIMIT, "the line is longer than %d characters", LINE_MAX_BYTES);
        fail_line(state, ERR_LIMIT);
        return NULL;
    }
    size_t length = piece_length(state, (size_t)size - 3);
    snprintf(buffer, (size_t)size, "%s%.*s\n", state->is_further ? " " : "", (int)length,
             state->piece);
    state->piece += length;
    state->left -= length;
    return buffer;
}

/* inih's handler: 1 goes on, 0 is an error. */
static int take_value(void *context, const char *section, const char *name, const char *piece)
{
    struct ini_state *state = context;
    if (state->error_line)
        return 0;
    char key[160];
    snprintf(key, sizeof(key), "%s%s%s", section, section[0] ? "." : "", name);
    size_t used = state->is_further ? strlen(state->value) : 0;
    snprintf(state->value + used, sizeof state->value - used, "%s", piece);
    int index = params_find(key);
    if (index >= 0 && !state->is_further && state->is_set[index]) {
        error_set(state->error, ERR_EXISTS, "%s is set a second time", key);
        return fail_line(state, ERR_EXISTS);
    }
    int is_preset = strcmp(key, "world.preset") == 0;
    if (is_preset && state->has_world_rows) {
        error_set(state->error, ERR_USAGE, "world.preset must come before the other world keys");
        return fail_line(state, ERR_USAGE);
    }
    int rc = params_set(state->params, key, state->value, state->error);
    if (rc != 0)
        return fail_line(state, rc);
    if (index >= 0)
        state->is_set[index] = 1;
    if (!is_preset && strncmp(key, "world.", 6) == 0)
        state->has_world_rows = 1;
    return 1;
}

int params_read_text(struct params *params, const char *text, const char *name, struct error *error)
{
    struct ini_state state = {.params = params, .name = name, .rest = text, .error = error};
    ENSURE(param_count <= KEYS_MAX, "%d parameters", param_count);
    int bad_line = ini_parse_stream(read_line, &state, take_value, &state);
    // a line that is no assignment reaches no handler; only its number comes back
    if (bad_line > 0 && (!state.error_line || bad_line < state.error_line))
        return error_set(error, ERR_FORMAT, "%s:%d: expected [section] or key = value", name,
                         bad_line);
    if (bad_line < 0)
        return error_set(error, ERR_MEMORY, "%s: out of memory", name);
    return state.error_line ? error->code : 0;
}

/* ---- writing ---- */

static void write_help(const struct param_info *info, int index, FILE *file)
{
    static const char scopes[] = "EJSF";
    static const char *const effects[] = {"evaluations", "judging", "search", "work"};
    struct params defaults;
    char range[200], preset[PARAM_TEXT_SIZE];
    params_set_defaults(&defaults);
    params_print_value(&defaults, index, preset, sizeof(preset));
    params_print_range(index, range, sizeof(range));
    const char *effect = effects[strchr(scopes, info->scope) - scopes];
    const char *word = info->type == PARAM_CHOICE ? "one of " : "";
    fprintf(file, "\n# %s\n# default %s; %s%s; %s\n", info->help, preset[0] ? preset : "empty",
            word, range, effect);
}

static void write_head(FILE *file)
{
    fputs("# Parameters: [section], key = value; a '#' starts a comment line, ' ;' one behind a "
          "value.\n# On a command line: -s section.key=value\n"
          "# Each affects evaluations, how they are judged, only the search, or only how the "
          "work is done.\n",
          file);
}

static void write_row(const struct params *params, int index, int has_help, const char **section,
                      FILE *file)
{
    const struct param_info *info = &param_table[index];
    char value[PARAM_TEXT_SIZE];
    if (strcmp(info->section, *section) != 0) {
        *section = info->section;
        fprintf(file, "\n[%s]\n", *section);
    }
    if (has_help)
        write_help(info, index, file);
    params_print_value(params, index, value, sizeof(value));
    fprintf(file, "%s =%s%s\n", info->name, value[0] ? " " : "", value);
}

static int end_writing(FILE *file)
{
    return fflush(file) != 0 || ferror(file) ? ERR_IO : 0;
}

int params_write(const struct params *params, FILE *file, int has_help)
{
    const char *section = "run";
    if (has_help)
        write_head(file);
    for (int i = 0; i < param_count; i++)
        write_row(params, i, has_help, &section, file);
    return end_writing(file);
}

int params_write_shown(const struct params *params, FILE *file)
{
    const char *section = "run";
    int left_out = 0;
    write_head(file);
    for (int i = 0; i < param_count; i++)
        if (params_is_shown(params, i))
            write_row(params, i, 1, &section, file);
        else
            left_out++;
    fprintf(file,
            "\n# %d more keep their defaults: this run does without, or they are hardly ever "
            "set. With --all they are\n# printed, too; docs/parameters.md has them.\n",
            left_out);
    return end_writing(file);
}
