#include "controller/run/deeds.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/store/run_reader.h"
#include "common/system/file.h"
#include "common/text.h"
#include "controller/evolution/seeding.h"

enum { WORDS_MAX = 6, LINE_SIZE = 4096 };
#define FILE_BYTES_MAX (1u << 20)

/* Where a creature without a given place is put: the water's upper third is light. */
#define PUT_HEIGHT_SHARE (2.0 / 3)

struct words {
    char text[LINE_SIZE];
    char *words[WORDS_MAX];
    int count;
};

/* 0, or ERR_FORMAT: a quote is not closed. */
static int split(struct words *words, const char *line)
{
    char *rest = words->text, *word;
    int found = 1;
    snprintf(words->text, sizeof words->text, "%s", line);
    words->text[strcspn(words->text, "\r\n")] = '\0';
    words->count = 0;
    while (words->count < WORDS_MAX && (found = text_cut_word(&rest, &word)) == 1)
        words->words[words->count++] = word;
    return found < 0 ? found : 0;
}

/* ---- words to numbers ---- */

static int read_real(const char *word, double least, double most, double *value)
{
    char *end;
    *value = strtod(word, &end);
    return end == word || *end || !(*value >= least && *value <= most) ? ERR_USAGE : 0;
}

static int read_place(char **words, const struct params *params, struct epoch_deed *deed)
{
    int status = read_real(words[0], 0, params->preserve_width_m, &deed->x_m);
    return status ? status : read_real(words[1], 0, params->preserve_height_m, &deed->y_m);
}

static int read_life(const char *word, struct epoch_deed *deed)
{
    char end;
    return sscanf(word, "%19" SCNu64 "%c", &deed->life, &end) == 1 && deed->life > 0 &&
                   deed->life <= INT64_MAX
               ? 0
               : ERR_USAGE;
}

/* ---- deeds ---- */

static int read_creature(const char *name, const struct params *params, struct epoch_deed *deed,
                         struct error *error)
{
    struct creature creature;
    int status = run_reader_read_creature(name, &creature, error);
    if (!status)
        status = seeding_fit(params, name, &creature.genome, error);
    deed->genome = status ? NULL : malloc(sizeof *deed->genome);
    if (!status && !deed->genome)
        status = error_memory(error);
    if (!status) {
        *deed->genome = creature.genome;
        genome_init(&creature.genome);
    }
    creature_deinit(&creature);
    return status;
}

/* The arguments of each deed: c a creature, l a life, e an energy, p a place, which is two words. A
 * creature may go without its place. */
static const char *const arguments[DEED_COUNT] = {
    [DEED_put] = "cp",   [DEED_feed] = "pe",   [DEED_move] = "lp",
    [DEED_remove] = "l", [DEED_protect] = "l", [DEED_expose] = "l"};

/* ERR_USAGE without a message: they are not understood. */
static int read_arguments(char **words, int count, const struct params *params,
                          struct epoch_deed *deed, struct error *error)
{
    const char *kind = arguments[deed->kind];
    double energy_j = 0;
    int status = 0;
    if (deed->kind == DEED_put && count == 1) {
        deed->x_m = params->preserve_width_m / 2;
        deed->y_m = params->preserve_height_m * PUT_HEIGHT_SHARE;
    } else if (count != (int)strlen(kind) + (strchr(kind, 'p') != NULL)) {
        return ERR_USAGE;
    }
    for (char **end = words + count; words < end && !status; words += *kind++ == 'p' ? 2 : 1)
        status = *kind == 'c'   ? read_creature(*words, params, deed, error)
                 : *kind == 'l' ? read_life(*words, deed)
                 : *kind == 'p'
                     ? read_place(words, params, deed)
                     : read_real(*words, 0, 1e-6 * (double)DEED_ENERGY_MAX_UJ, &energy_j);
    deed->energy_uj = (int64_t)(1e6 * energy_j);
    return status;
}

int deeds_read(const char *line, const struct params *params, uint32_t *world,
               struct epoch_deed *deed, struct error *error)
{
    struct words words;
    char end;
    int kind = 0, status = ERR_USAGE;
    if (strlen(line) >= LINE_SIZE)
        return error_set(error, ERR_LIMIT, "'%.100s...': longer than %d bytes", line,
                         LINE_SIZE - 1);
    *deed = (struct epoch_deed){.genome = NULL};
    if (split(&words, line))
        return error_set(error, ERR_USAGE, "'%.100s': a quote is not closed", line);
    if (words.count < 2 || sscanf(words.words[0], "%9" SCNu32 "%c", world, &end) != 1 ||
        *world >= params->preserve_worlds)
        return error_set(error, ERR_USAGE,
                         "'%.100s': a world, 0 .. %" PRId64 ", and a deed are expected", line,
                         params->preserve_worlds - 1);
    while (kind < DEED_COUNT && strcmp(epoch_deed_names[kind], words.words[1]) != 0)
        kind++;
    error->code = 0;
    deed->kind = kind;
    if (kind < DEED_COUNT)
        status = read_arguments(words.words + 2, words.count - 2, params, deed, error);
    if (status && !error->code)
        error_set(error, status,
                  "'%.100s': expected put CREATURE [X Y], feed X Y JOULES, move LIFE X Y, "
                  "remove LIFE, protect LIFE or expose LIFE",
                  line);
    return status;
}

/* ---- into the store ---- */

int deeds_put(struct store *store, const struct params *params, const char *line, uint32_t epoch,
              char *text, size_t size, struct error *error)
{
    struct epoch_deed deed;
    uint32_t world;
    int64_t lived = -1;
    int status = deeds_read(line, params, &world, &deed, error);
    if (!status && store)
        status = store_get_last_epoch(store, world, &lived, error);
    /* epoch 0 founds the world; no creature lives in it */
    uint32_t next = (uint32_t)(lived < 0 ? 1 : lived + 1);
    epoch = epoch ? epoch : next;
    if (!status && epoch < next)
        status = error_set(error, ERR_RANGE, "'%.100s': world %" PRIu32 " has lived that already",
                           line, world);
    if (!status && epoch >= params->evolution_generations)
        status = error_set(error, ERR_RANGE,
                           "'%.100s': the run is over before; more: controller resume RUN_DIR "
                           "--generations N",
                           line);
    if (!status && store)
        status = store_put_deed(store, world, epoch, &deed, error);
    if (!status)
        snprintf(text, size, "%s in world %" PRIu32 " at %d:%02d", epoch_deed_names[deed.kind],
                 world, (int)((epoch - 1) * EPOCH_S) / 60, (int)((epoch - 1) * EPOCH_S) % 60);
    epoch_deed_deinit(&deed);
    return status;
}

static int put_timed(struct store *store, const struct params *params, const char *line,
                     struct error *error)
{
    int minutes, seconds, used = 0;
    char text[80];
    if (sscanf(line, "%6d:%2d %n", &minutes, &seconds, &used) != 2 || used == 0 || minutes < 0 ||
        seconds < 0)
        return error_set(error, ERR_USAGE, "'%.100s': expected M:SS WORLD DEED", line);
    uint32_t epoch = (uint32_t)ceil((60.0 * minutes + seconds) / EPOCH_S) + 1;
    return deeds_put(store, params, line + used, epoch, text, sizeof text, error);
}

int deeds_put_file(struct store *store, const struct params *params, const char *path,
                   struct error *error)
{
    char *text, *next;
    size_t length;
    int status = file_read(path, FILE_BYTES_MAX, &text, &length, error);
    if (status)
        return status;
    if (strlen(text) < length)
        status = error_set(error, ERR_FORMAT, "%s: not a text", path);
    char *line = text;
    for (int number = 1; !status && line; number++, line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, ";#")] = '\0';
        if (line[strspn(line, " \t\r")] == '\0')
            continue;
        status = put_timed(store, params, line, error);
        if (status)
            error_prefix(error, "%s:%d", path, number);
    }
    free(text);
    return status;
}
