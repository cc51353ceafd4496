/* HTML: one page that shows creatures in any browser, without a network.
 *
 * A page that lives has creatures as files, and the library as a module of WebAssembly: it simulates
 * them again, and says itself whether they are as recorded. Where this build has no module, and for
 * scenes, motion is recorded at 30 Hz: each channel (see page_data.c) as differences of
 * whole multiples of 0.5 mm or 0.5 mrad, zigzag coded in 16 bits, all low bytes before all high
 * bytes, deflated, base64. Differences are taken from what the reader has decoded so far, so that
 * rounding never adds up. A channel that stays 0, as z in the plane, costs no bytes. About 15 kB for
 * 10 s of a creature. */
#include "viewer/export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/formats/html.h"
#include "viewer/export/page_data.h"

#define DIFFERENCE 32767

/* ---- motion ---- */

/* Two planes of channels x frames bytes each, deflated, as a base64 string. 0 or ERR_MEMORY. */
static int write_motion(FILE *file, const struct replay *replay, const struct page_brain *brain)
{
    size_t frames = (size_t)page_frame_count(replay);
    size_t channels = page_channels(replay, brain), plane = channels * frames;
    uLongf packed_length = compressBound((uLong)(2 * plane));
    unsigned char *bytes = malloc(2 * plane), *packed = malloc(packed_length);
    int64_t *decoded = calloc(channels, sizeof *decoded);
    double *values = calloc(channels, sizeof *values);
    for (size_t f = 0; bytes && decoded && values && f < frames; f++) {
        page_read(replay, brain, (double)f / PAGE_HZ, values);
        for (size_t k = 0; k < channels; k++) {
            double wanted = floor(values[k] / PAGE_UNIT + 0.5) - (double)decoded[k];
            int step = (int)fmin(fmax(wanted, -DIFFERENCE), DIFFERENCE);
            unsigned code = step < 0 ? (unsigned)(-step) * 2 - 1 : (unsigned)step * 2;
            decoded[k] += step;
            bytes[k * frames + f] = (unsigned char)code;
            bytes[plane + k * frames + f] = (unsigned char)(code >> 8);
        }
    }
    int is_packed = bytes && decoded && values && packed &&
                    compress2(packed, &packed_length, bytes, (uLong)(2 * plane), 9) == Z_OK;
    if (is_packed) {
        fputc('"', file);
        html_write_base64(file, packed, packed_length);
        fputc('"', file);
    }
    free(decoded);
    free(values);
    free(bytes);
    free(packed);
    return is_packed ? 0 : ERR_MEMORY;
}

/* ---- lives ---- */

/* Those of some scopes that are not the default, as pairs of texts. The preset acts through
 * others. */
static void write_params(FILE *file, const struct params *params, const char *scopes)
{
    int count = 0;
    fputs("\"params\": [", file);
    for (int i = 0; i < param_count; i++) {
        char value[PARAM_TEXT_SIZE];
        if (params_is_default(params, i) || !strchr(scopes, param_table[i].scope) ||
            i == params_find("world.preset"))
            continue;
        params_print_value(params, i, value, sizeof value);
        fprintf(file, "%s[\"%s\", ", count++ ? ", " : "", param_table[i].key);
        page_write_string(file, value);
        fputs("]", file);
    }
    fputs("]", file);
}

/* A creature's file. 0 or ERR_MEMORY. */
static int write_file(FILE *file, const char *name, const struct creature *creature)
{
    struct pack_writer writer;
    pack_writer_init(&writer);
    creature_encode(creature, &writer);
    int status = writer.has_failed ? ERR_MEMORY : 0;
    fprintf(file, "\"%s\": \"", name);
    if (!status)
        html_write_base64(file, (const unsigned char *)writer.buffer.data, writer.buffer.size);
    fputs("\"", file);
    pack_writer_deinit(&writer);
    return status;
}

static void write_order(FILE *file, const struct params *params, uint64_t seed)
{
    fprintf(file, "\"seed\": \"%" PRIu64 "\", ", seed);
    write_params(file, params, "EJ");
    fputs(", ", file);
}

/* By what it is simulated again. 0 or ERR_MEMORY. */
static int write_life(FILE *file, const struct export_life *life)
{
    const struct replay_bout *bout = life->bout;
    if (!bout) {
        write_order(file, &life->params, life->seed);
        return write_file(file, "bytes", life->creature);
    }
    write_order(file, &bout->params, bout->seed);
    fprintf(file, "\"bout\": [%d, %d], ", bout->number, bout->follow);
    if (bout->is_recorded)
        fprintf(file, "\"proof\": \"%016" PRIx64 "\", ", bout->digest);
    int status = write_file(file, "bytes", &bout->creatures[0]);
    fputs(", ", file);
    return status ? status : write_file(file, "rival", &bout->creatures[1]);
}

/* ---- the page ---- */

/* Whether the page simulates it itself. */
static int lives(const struct export_job *job, int index)
{
    const struct export_life *life = job->lives ? &job->lives[index] : NULL;
    return life && (life->bout || life->creature) && !job->is_recorded &&
           page_part(PAGE_MODULE_PACKED).length;
}

static int write_creature(FILE *file, const struct export_job *job, int index)
{
    const struct replay *replay = job->replays[index];
    struct page_brain brain;
    page_survey(&brain, replay, job->has_sound);
    fputs(index ? ",\n{" : "{", file);
    page_write_creature(file, replay, &brain);
    fputs(",\n", file);
    int status;
    if (lives(job, index)) {
        status = write_life(file, &job->lives[index]);
    } else {
        fputs("\"data\": ", file);
        status = write_motion(file, replay, &brain);
    }
    fputs("}", file);
    return status;
}

/* A world of a preserve as a creature of the page: its sides, m, its cells, and its epochs. */
static void write_world(FILE *file, const struct preserve_replay *waters, uint64_t followed)
{
    const struct params *params = &waters->params;
    fprintf(file,
            "{\"name\": \"world %d\", \"score\": \"from %g s\", \"off\": \"\", \"detail\": \"\", "
            "\"status\": \"\", \"verdict\": \"ok\", \"deep\": 0, \"ground\": 0, \"light\": 0, "
            "\"most\": 0, \"voices\": [], \"parts\": [], \"nodes\": [],\n"
            "\"from\": %.17g, \"to\": %.17g, \"world\": %d, \"follow\": \"%" PRIu64 "\", "
            "\"width\": %.17g, \"height\": %.17g, ",
            waters->world, waters->from_s, waters->from_s, waters->to_s, waters->world, followed,
            params->preserve_width_m, params->preserve_height_m);
    write_params(file, params, "EJS");
    fputs(",\n\"epochs\": [", file);
    for (int i = 0; i < waters->epoch_count; i++) {
        fprintf(file, "%s[\"%016" PRIx64 "\", \"", i ? ",\n" : "", waters->epochs[i].digest);
        html_write_base64(file, waters->epochs[i].order.bytes, waters->epochs[i].order.length);
        fputs("\"]", file);
    }
    fputs("]}", file);
}

static void write_part(FILE *file, enum page_part_name name)
{
    struct page_part part = page_part(name);
    fwrite(part.bytes, 1, part.length, file);
}

int export_html(const struct export_job *job, const char *path, struct error *error)
{
    FILE *file = fopen(path, "w");
    int status = 0, is_alive = job->waters != NULL;
    if (!file)
        return error_set(error, ERR_IO, "%s: %s", job->path, strerror(errno));
    write_part(file, PAGE_START);
    html_write(file, job->waters ? "a world" : job->replays[0]->name);
    fputs(" - Bestiary", file);
    write_part(file, PAGE_HEAD);
    fputs("{", file);
    page_write_constants(file);
    fputs(",\n\"creatures\": [\n", file);
    for (int i = 0; i < job->count && !status; i++) {
        status = write_creature(file, job, i);
        is_alive |= lives(job, i);
    }
    if (job->waters)
        write_world(file, job->waters, job->followed);
    fputs("]}", file);
    write_part(file, PAGE_MIDDLE);
    if (is_alive) {
        struct page_part module = page_part(PAGE_MODULE_PACKED);
        fputs("<script type='text/plain' id='module'>", file);
        html_write_base64(file, module.bytes, module.length);
        fputs("</script>\n", file);
    }
    write_part(file, PAGE_TAIL);
    int is_written = !ferror(file) && !fflush(file);
    is_written &= !fclose(file);
    if (status)
        return error_set(error, status, "%s: %s", job->path, error_text(status));
    if (!is_written)
        return error_set(error, ERR_IO, "%s: cannot be written", job->path);
    return 0;
}
