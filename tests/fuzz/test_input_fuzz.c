/* Everything that is read from outside, fed with damaged input: frames, messages in both
 * directions, creatures in both forms, parameter files, scenes, expressions, cell grids, run
 * stores, states of a preserve, files of deeds, links.
 *
 * Each target has seeds, good input that is made here or lies in the tree, which are mutated:
 * bits, bytes, extreme numbers, pieces cut, doubled and taken from another seed. A reader may
 * refuse, with a message; what it accepts has to be sound (a creature must come back from its own
 * encoding, and so on). Crashes are found best in a build with SAN=address,undefined.
 *
 *   test_input_fuzz                          the tests, a few thousand inputs for each target
 *   test_input_fuzz TARGET SECONDS [SEED]    one target for as long as that
 *   test_input_fuzz --seeds TARGET DIR       writes the seeds, as a corpus for libFuzzer
 *
 * With -DFUZZ_LIBFUZZER it is libFuzzer's, the target named by FUZZ_TARGET; see scripts/fuzz. An
 * input that once was a finding is kept in tests/fuzz/findings/TARGET-*, and is a seed from then
 * on. */
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "common/creature/creature_link.h"
#include "common/judge/expression.h"
#include "common/system/log.h"
#include "controller/evolution/cells.h"
#include "controller/evolution/search.h"
#include "include/bestiary.h"
#include "controller/store/store.h"
#include "proto/message.h"
#include "simulator/tools/scenes/scene.h"
#include "common/store/run_reader.h"
#include "controller/run/deeds.h"
#include "tests/chain_genome.h"
#include "tests/fuzz/hostile_state.h"
#include "tests/suite.h"

enum { CORPUS_MAX = 128, INPUT_MAX = 1 << 20, MUTATIONS_MAX = 8 };

struct input {
    unsigned char *bytes;
    size_t length;
};

struct corpus {
    struct input inputs[CORPUS_MAX];
    int count;
};

static void corpus_add(struct corpus *corpus, const void *bytes, size_t length)
{
    ENSURE(corpus->count < CORPUS_MAX && length <= INPUT_MAX, "%d seeds, %zu bytes", corpus->count,
           length);
    struct input *input = &corpus->inputs[corpus->count++];
    input->bytes = malloc(length + 1);
    ENSURE(input->bytes, "out of memory");
    memcpy(input->bytes, bytes, length);
    input->length = length;
}

static void corpus_add_text(struct corpus *corpus, const char *text)
{
    corpus_add(corpus, text, strlen(text));
}

static void corpus_add_file(struct corpus *corpus, const char *path)
{
    static unsigned char bytes[INPUT_MAX];
    FILE *file = fopen(path, "rb");
    ENSURE(file, "%s", path);
    corpus_add(corpus, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
}

/* All files of a directory whose names begin and end so; a directory may be missing. */
static void corpus_add_files(struct corpus *corpus, const char *directory, const char *head,
                             const char *tail)
{
    DIR *stream = opendir(directory);
    const struct dirent *entry;
    while (stream && (entry = readdir(stream))) {
        size_t length = strlen(entry->d_name), end = strlen(tail);
        char path[1024];
        if (entry->d_name[0] == '.' || strncmp(entry->d_name, head, strlen(head)) != 0 ||
            length < end || strcmp(entry->d_name + length - end, tail) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        corpus_add_file(corpus, path);
    }
    if (stream)
        closedir(stream);
}

static void corpus_deinit(struct corpus *corpus)
{
    for (int i = 0; i < corpus->count; i++)
        free(corpus->inputs[i].bytes);
    corpus->count = 0;
}

/* The error of the last call; empty before each. */
static struct error error;

/* A refusal has a code and words, success neither. */
static int check_error(int status)
{
    ENSURE(status <= 0 && error.code == status && (error.message[0] != '\0') == (status != 0),
           "status %d, code %d, \"%s\"", status, error.code, error.message);
    error = (struct error){0};
    return status;
}

/* The bytes as a text of at most PARAM_TEXT_SIZE. */
static const char *text_of(const unsigned char *bytes, size_t length)
{
    static char text[PARAM_TEXT_SIZE];
    if (length >= sizeof text)
        length = sizeof text - 1;
    memcpy(text, bytes, length);
    text[length] = '\0';
    return text;
}

/* ---- the targets ---- */

static void make_genome(struct genome *genome)
{
    chain_genome_make(genome, 2);
    *(struct neuron_gene *)genome_add(genome, GENOME_NEURONS) =
        (struct neuron_gene){.id = 4, .owner = 1};
    *(struct neuron_gene *)genome_add(genome, GENOME_NEURONS) = (struct neuron_gene){
        .id = 5, .owner = 1, .function = NEURON_OSCILLATE_WAVE, .lag_image = 0.5, .lag_row = 0.25};
}

/* One frame of each message. */
static void write_messages(struct pack_writer *writer, struct corpus *corpus)
{
    SCOPED(task) task = {.id = 7,
                         .creature = 8,
                         .seed = 9,
                         .trial = {TRIAL_CHAMPION, 3, 2, 1, 2},
                         .rivals = {{.creature = 9}},
                         .rival_count = 1};
    struct result result = {
        .id = 7, .creature = 8, .digest = 1, .cost = {1, 1, 4096}, .rival_count = 1};
    SCOPED(task) epoch = {.id = 7, .epoch = epoch_order_create()};
    struct result end = {.id = 7, .epoch = epoch_end_create()};
    struct epoch_life life = {.id = 1, .died_tick = -1, .cause = -1};
    struct params params;
    struct hello hello;
    size_t at = 0;
    ENSURE(epoch.epoch && end.epoch && epoch_end_add_life(end.epoch, &life) == 0 &&
               packed_bytes_set(&epoch.epoch->state, "abc", 3) == 0 &&
               packed_bytes_set(&end.epoch->state, "abcd", 4) == 0,
           "out of memory");
    epoch.epoch->epoch = 1;
    hello_init(&hello, 4711);
    params_set_defaults(&params);
    make_genome(&task.genome);
    make_genome(&task.rivals[0].genome);
    for (int i = 0; i < 9; i++) {
        if (i == 0)
            message_encode(writer, MESSAGE_HELLO, &hello);
        else if (i == 1)
            message_encode_setup(writer, &params);
        else if (i == 2)
            message_encode(writer, MESSAGE_TASK, &task);
        else if (i == 3)
            message_encode(writer, MESSAGE_STOP, NULL);
        else if (i == 4)
            message_encode(writer, MESSAGE_READY, &(struct ready){12345});
        else if (i == 5)
            message_encode(writer, MESSAGE_RESULT, &result);
        else if (i == 6)
            message_encode(writer, MESSAGE_EPOCH, &epoch);
        else if (i == 7)
            message_encode(writer, MESSAGE_EPOCH_END, &end);
        else
            message_encode_rejected(writer, 7, "no root");
        if (corpus)
            corpus_add(corpus, writer->buffer.data + at + FRAME_HEADER_BYTES,
                       writer->buffer.size - at - FRAME_HEADER_BYTES);
        at = writer->buffer.size;
    }
    epoch_end_destroy(end.epoch);
}

static void message_seeds(struct corpus *corpus)
{
    SCOPED(pack_writer) writer;
    pack_writer_init(&writer);
    write_messages(&writer, corpus);
}

static void message_take(const unsigned char *bytes, size_t length)
{
    struct message message;
    uint64_t rejected_id;
    int status = check_error(message_decode(&message, bytes, length, &rejected_id, &error));
    if (status != 0)
        return;
    if (message.type == MESSAGE_TASK)
        ENSURE(genome_check(&message.as.task.genome, &error) == 0, "%s", error.message);
    for (int i = 0; message.type == MESSAGE_TASK && i < message.as.task.rival_count; i++)
        ENSURE(genome_check(&message.as.task.rivals[i].genome, &error) == 0, "%s", error.message);
    message_deinit(&message);
}

static void frame_seeds(struct corpus *corpus)
{
    SCOPED(pack_writer) writer;
    pack_writer_init(&writer);
    write_messages(&writer, NULL);
    corpus_add(corpus, writer.buffer.data, writer.buffer.size);
}

/* In pieces whose sizes come from the bytes, too. */
static void frame_take(const unsigned char *bytes, size_t length)
{
    SCOPED(frame_reader) reader;
    int status = 0;
    frame_reader_init(&reader);
    for (size_t at = 0; at < length && status >= 0;) {
        size_t piece = 1 + bytes[at] * (size_t)7 % 1000;
        if (piece > length - at)
            piece = length - at;
        ENSURE(frame_reader_feed(&reader, bytes + at, piece) == 0, "out of memory");
        at += piece;
        const unsigned char *payload;
        size_t payload_length;
        while ((status = frame_reader_next(&reader, &payload, &payload_length, &error)) == 1) {
            ENSURE(payload_length > 0 && payload_length <= FRAME_PAYLOAD_MAX, "%zu",
                   payload_length);
            message_take(payload, payload_length);
        }
    }
    ENSURE(status <= 0 && (status == 0) == (error.message[0] == '\0'), "%s", error.message);
    ENSURE(reader.bytes.buffer.alloc <= 4 * (FRAME_PAYLOAD_MAX + 1000), "%zu bytes of room",
           reader.bytes.buffer.alloc);
}

static void creature_seeds(struct corpus *corpus)
{
    corpus_add_files(corpus, "tests/golden", "creature-", ".creature");
    corpus_add_files(corpus, "tests/golden", "creature-", ".json");
    corpus_add_files(corpus, "examples/creatures", "", ".json");
}

/* What is accepted comes back from both of its forms. */
static void creature_take(const unsigned char *bytes, size_t length)
{
    struct creature creature, again;
    struct pack_writer writer;
    int status = check_error(creature_decode(&creature, bytes, length, "input", &error));
    if (status == 0) {
        pack_writer_init(&writer);
        creature_encode(&creature, &writer);
        status = creature_decode(&again, writer.buffer.data, writer.buffer.size, "again", &error);
        ENSURE(status == 0, "%s", error.message);
        ENSURE(genome_is_equal(&creature.genome, &again.genome), "another genome");
        creature_deinit(&again);
        pack_writer_deinit(&writer);
        FREED char *text = creature_to_json(&creature);
        ENSURE(text, "out of memory");
        status = creature_decode(&again, text, strlen(text), "text", &error);
        ENSURE(status == 0, "%s", error.message);
        ENSURE(genome_is_equal(&creature.genome, &again.genome), "another genome as text");
        creature_deinit(&again);
    }
    creature_deinit(&creature);
}

/* What is accepted is within all ranges: each value can be set from its own text. */
static void params_take(const unsigned char *bytes, size_t length)
{
    struct params params;
    FREED char *text = malloc(length + 1);
    ENSURE(text, "out of memory");
    memcpy(text, bytes, length);
    text[length] = '\0';
    params_set_defaults(&params);
    int status = check_error(params_read_text(&params, text, "input", &error));
    for (int i = 0; status == 0 && i < param_count; i++) {
        struct params copy = params;
        char value[PARAM_TEXT_SIZE];
        params_print_value(&params, i, value, sizeof value);
        status = params_set(&copy, param_table[i].key, value, &error);
        ENSURE(status == 0, "%s", error.message);
    }
}

static void scene_take(const unsigned char *bytes, size_t length)
{
    static struct scene scene;
    int status = check_error(scene_read_text(&scene, (const char *)bytes, length, "input", &error));
    for (int i = 0; status == 0 && i < SCENE_COORDINATES_MAX; i++)
        ENSURE(isfinite(scene.q[i]) && isfinite(scene.qd[i]), "coordinate %d", i);
}

/* What is accepted can be moved, or is no longer finite. */
static void space_scene_take(const unsigned char *bytes, size_t length)
{
    static struct scene scene;
    int status = check_error(scene_read_text(&scene, (const char *)bytes, length, "input", &error));
    for (int i = 0; status == 0 && i < scene.space.rates; i++)
        ENSURE(isfinite(scene.q[i]) && isfinite(scene.qd[i]), "coordinate %d", i);
    struct arena arena;
    struct dynamics *run;
    if (status != 0 || arena_init(&arena, 1 << 20) != 0)
        return;
    status = check_error(scene_start(&scene, &arena, &run, &error));
    for (int i = 0; status == 0 && i < 3; i++)
        status = dynamics_step(run);
    arena_deinit(&arena);
}

static void expression_take(const unsigned char *bytes, size_t length)
{
    struct measures measures = {.distance_m = 2, .size_m = 1};
    const char *text = text_of(bytes, length);
    check_error(expression_check(text, &error));
    double first = expression_evaluate(text, &measures),
           second = expression_evaluate(text, &measures);
    ENSURE(memcmp(&first, &second, sizeof first) == 0 || (isnan(first) && isnan(second)), "%s",
           text);
}

static void cells_seeds(struct corpus *corpus)
{
    struct params params;
    params_set_defaults(&params);
    corpus_add_text(corpus, params.archive_cells);
    corpus_add_text(corpus, "links:2,3,5 size_m:0.5,1,2 contact_share:0.1,0.5");
}

static void cells_take(const unsigned char *bytes, size_t length)
{
    static const struct measures measures;
    struct cell_grid grid;
    const char *text = text_of(bytes, length);
    int status = check_error(cell_grid_parse(&grid, text, &error));
    if (status == 0)
        ENSURE(cell_grid_find(&grid, &measures) <= grid.count, "a cell beyond %d", grid.count);
}

/* ---- states of a preserve: as bytes, and by their numbers ---- */

static void state_seeds(struct corpus *corpus)
{
    SCOPED(pack_writer) writer;
    hostile_encode(hostile_make_good(), &writer);
    corpus_add(corpus, writer.buffer.data, writer.buffer.size);
}

static void state_take(const unsigned char *bytes, size_t length)
{
    hostile_live(bytes, length, 4);
}

static void world_seeds(struct corpus *corpus)
{
    unsigned char bytes[30];
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned k = 0; k < sizeof bytes; k++)
            bytes[k] = (unsigned char)(37 * i + 11 * k + k * k);
        corpus_add(corpus, bytes, sizeof bytes);
    }
}

/* ---- run stores ---- */

static char store_directory[64], store_path[96];

static void make_store_place(void)
{
    if (store_directory[0] != '\0')
        return;
    snprintf(store_directory, sizeof store_directory, "%s/test_input_fuzz.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    ENSURE(mkdtemp(store_directory), "%s", store_directory);
    snprintf(store_path, sizeof store_path, "%s/run.db", store_directory);
}

static void remove_store_place(void)
{
    char command[128];
    if (store_directory[0] == '\0')
        return;
    snprintf(command, sizeof command, "rm -rf '%s'", store_directory);
    ENSURE(system(command) == 0, "%s", command);
    store_directory[0] = '\0';
}

/* A finished generation and one under way. */
static void store_seeds(struct corpus *corpus)
{
    struct params params;
    struct store *store;
    struct generation_closing closing;
    const struct individual *individual;
    make_store_place();
    params_set_defaults(&params);
    params.population_size = 6;
    params.guard_referee_top = 0;
    struct search *search = search_create(&params, NULL);
    ENSURE(search && store_create(&store, store_path, &params, NULL, NULL, NULL, &error) == 0 &&
               store_put_generation(store, 0, search_population(search), NULL, &error) == 0,
           "%s", error.message);
    while ((individual = search_ask(search)) != NULL) {
        struct measures measures = {.distance_m = 1};
        individual = search_tell(search, individual->id, VERDICT_OK, &measures, 1);
        ENSURE(store_put_result(store, individual, &error) == 0, "%s", error.message);
    }
    ENSURE(search_is_complete(search) &&
               generation_closing_init(&closing, search_population(search),
                                       search_survivor_count(search)) == 0 &&
               search_advance(search) == 0 &&
               store_put_generation(store, 1, search_population(search), &closing, &error) == 0,
           "%s", error.message);
    generation_closing_deinit(&closing);
    search_destroy(search);
    store_close(store);
    corpus_add_file(corpus, store_path);
}

static void read_as_controller(void)
{
    struct store *store;
    struct store_status status;
    struct population population;
    struct store_entry *entries = NULL;
    struct store_quarantine *quarantine = NULL;
    struct store_digest *digests = NULL;
    struct params params;
    uint32_t generation;
    uint64_t whole;
    int count;
    if (store_open(&store, store_path, 1, &error) != 0)
        return;
    store_get_params(store, &params, &error);
    if (store_get_status(store, &status, &error) == 0 && status.has_generation &&
        store_get_population(store, status.generation, &population, &error) == 0) {
        for (int i = 0; i < population.count; i++)
            individual_deinit(&population.individuals[i]);
        free(population.individuals);
    }
    if (store_get_best(store, -1, STORE_RANKS, 100, &entries, &count, &generation, &error) == 0)
        free(entries);
    if (store_get_quarantine(store, 10, &quarantine, &count, &error) == 0)
        store_free_quarantine(quarantine, count);
    if (store_get_digests(store, &whole, &digests, &count, &error) == 0)
        free(digests);
    store_close(store);
}

static void store_take(const unsigned char *bytes, size_t length)
{
    struct creature *creatures;
    int64_t generation;
    int count;
    make_store_place();
    FILE *file = fopen(store_path, "wb");
    ENSURE(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0, "%s", store_path);
    int status = check_error(run_reader_get_top(store_directory, -1, RUN_ORDER_KINDS, 100,
                                                &creatures, &count, &generation, &error));
    if (status == 0)
        run_reader_free(creatures, count);
    read_as_controller();
}

/* Without a store: lines are only understood. */
static void tend_take(const unsigned char *bytes, size_t length)
{
    struct params params;
    make_store_place();
    params_set_defaults(&params);
    FILE *file = fopen(store_path, "wb");
    ENSURE(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0, "%s", store_path);
    check_error(deeds_put_file(NULL, &params, store_path, &error));
}

/* ---- links ---- */

static void encode_link(const struct creature *creature, const struct creature_link *link,
                        struct pack_writer *writer)
{
    pack_writer_init(writer);
    creature_link_encode(creature, link, writer);
    ENSURE(!writer->has_failed, "out of memory");
}

static void link_seeds(struct corpus *corpus)
{
    static const char *const names[] = {"walker-1.creature", "land-seeker-2.creature",
                                        "swimmer-1.creature", "spider.json", "inchworm.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        SCOPED(creature) creature;
        struct creature_link link = {.seed = i, .digest = UINT64_MAX};
        SCOPED(pack_writer) writer;
        char path[128];
        snprintf(path, sizeof path, "examples/creatures/%s", names[i]);
        ENSURE(creature_read(&creature, path, &error) == 0, "%s", error.message);
        link.params = creature.params;
        if (!creature.has_evaluation)
            params_set_defaults(&link.params);
        encode_link(&creature, &link, &writer);
        corpus_add(corpus, writer.buffer.data, writer.buffer.size);
    }
}

/* A link that is accepted is written again, and the new link is read as the same creature. */
static void link_take(const unsigned char *bytes, size_t length)
{
    SCOPED(creature) creature, again;
    struct creature_link link, read;
    creature_init(&creature);
    creature_init(&again);
    int status = check_error(creature_link_decode(&creature, &link, bytes, length, &error));
    if (status == 0) {
        SCOPED(pack_writer) writer;
        ENSURE(genome_check(&creature.genome, &error) == 0, "%s", error.message);
        encode_link(&creature, &link, &writer);
        ENSURE(creature_link_decode(&again, &read, writer.buffer.data, writer.buffer.size,
                                    &error) == 0,
               "%s", error.message);
        ENSURE(genome_is_equal(&again.genome, &creature.genome) && read.seed == link.seed &&
                   read.digest == link.digest &&
                   params_evaluation_digest(&read.params) == params_evaluation_digest(&link.params),
               "another creature");
    }
}

/* ---- the library's readers ---- */

static void library_seeds(struct corpus *corpus)
{
    creature_seeds(corpus);
    message_seeds(corpus);
    SCOPED(pack_writer) writer;
    SCOPED(packed_bytes) packed = {NULL, 0};
    hostile_encode(hostile_make_good(), &writer);
    ENSURE(packed_bytes_compress(&packed, &writer) == 0, "out of memory");
    corpus_add(corpus, packed.bytes, packed.length);
}

/* As check_error(), of the library. */
static int check_library(int status, struct bestiary_error *said)
{
    ENSURE(status <= 0 && said->code == status && (said->message[0] != '\0') == (status != 0),
           "status %d, code %d, \"%s\"", status, said->code, said->message);
    *said = (struct bestiary_error){0, ""};
    return status;
}

static void library_take(const unsigned char *bytes, size_t length)
{
    struct bestiary_error said = {0, ""};
    struct bestiary_params *params;
    struct bestiary_creature *creature;
    struct bestiary_world *world;
    struct bestiary_search *search;
    struct bestiary_bytes written;
    ENSURE(bestiary_params_make(&params, "[population]\nsize = 4\n[simulation]\nduration_s = 0.1\n",
                                NULL) == 0,
           "no parameters");
    if (!check_library(bestiary_creature_read(&creature, bytes, length, &said), &said)) {
        ENSURE(bestiary_creature_write(creature, BESTIARY_BINARY, &written, NULL) == 0,
               "unwritten");
        bestiary_bytes_free(&written);
    }
    bestiary_creature_free(creature);
    if (!check_library(bestiary_search_make(&search, params, &said), &said))
        check_library(bestiary_search_tell(search, bytes, length, &said), &said);
    bestiary_search_free(search);
    if (!check_library(bestiary_task(params, bytes, length, &written, &said), &said))
        bestiary_bytes_free(&written);
    bestiary_params_free(params);
    ENSURE(bestiary_params_make(&params, "[world]\npreset = water\n", NULL) == 0, "no water");
    check_library(bestiary_world_read(&world, params, bytes, length, &said), &said);
    bestiary_world_free(world);
    bestiary_params_free(params);
}

static const struct target {
    const char *name;
    void (*seeds)(struct corpus *corpus);
    void (*take)(const unsigned char *bytes, size_t length);
    int tested; /* inputs in the tests */
    /* without a function: all files of this ending in a folder, or texts */
    const char *folder, *ending, *texts[3];
} targets[] = {
    {"frame", frame_seeds, .take = frame_take, .tested = 3000},
    {"message", message_seeds, .take = message_take, .tested = 12000},
    {"creature", creature_seeds, .take = creature_take, .tested = 2000},
    {"params", NULL, params_take, 2000, "examples", ".ini", {NULL}},
    {"scene", NULL, scene_take, 3000, "examples/scenes", ".json", {NULL}},
    {"space-scene", NULL, space_scene_take, 3000, "examples/scenes/space", ".json", {NULL}},
    {"expression", NULL, expression_take, 12000,
     .texts = {"distance_m / size_m", "max(0, distance_m) ^ 2 - abs(work_in_j) * 1e-3",
               "if(fell > 0.5, 0, min(height_max_m, 3) + -(path_m - 1) / (2 + parts))"}},
    {"cells", cells_seeds, .take = cells_take, .tested = 12000},
    {"store", store_seeds, .take = store_take, .tested = 150},
    {"state", state_seeds, .take = state_take, .tested = 1000},
    {"world", world_seeds, .take = hostile_take, .tested = 150},
    {"tend", NULL, tend_take, 2000,
     .texts = {"0:30 0 feed 8 6 500 ; more\n# none\n1:00 1 move 12 3.5 4\n",
               "2:05 0 remove 7\n2:05 0 protect 8\n3:00 0 expose 8\n",
               "0:00 2 put examples/creatures/fish.json 5 4\n\n0:30 0 put no/file\n"}},
    {"link", link_seeds, .take = link_take, .tested = 3000},
    {"library", library_seeds, .take = library_take, .tested = 500},
};
enum { TARGET_COUNT = sizeof targets / sizeof targets[0] };

static void make_corpus(const struct target *target, struct corpus *corpus)
{
    char head[32];
    corpus->count = 0;
    if (target->seeds)
        target->seeds(corpus);
    if (target->folder)
        corpus_add_files(corpus, target->folder, "", target->ending);
    for (int i = 0; i < 3 && target->texts[i]; i++)
        corpus_add_text(corpus, target->texts[i]);
    snprintf(head, sizeof head, "%s-", target->name);
    corpus_add_files(corpus, "tests/fuzz/findings", head, "");
    ENSURE(corpus->count > 0, "no seeds for %s: run it in the project's directory", target->name);
}

static void take(const struct target *target, const unsigned char *bytes, size_t length)
{
    error = (struct error){0};
    target->take(bytes, length);
}

static const struct target *find_target(const char *name)
{
    for (int i = 0; i < TARGET_COUNT; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

#ifdef FUZZ_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const struct target *target;
    if (!target)
        target = find_target(getenv("FUZZ_TARGET") ? getenv("FUZZ_TARGET") : "message");
    ENSURE(target, "FUZZ_TARGET names no target");
    take(target, bytes, length);
    return 0;
}

#else

/* ---- mutations ---- */

/* A place for a piece of up to `most` bytes within `length`. */
static void pick_piece(struct rng *rng, size_t length, size_t most, size_t *at, size_t *size)
{
    *at = length ? rng_below(rng, (uint32_t)length) : 0;
    *size = length ? 1 + rng_below(rng, (uint32_t)most) : 0;
    if (*size > length - *at)
        *size = length - *at;
}

/* Puts a piece in at a place. */
static void insert_piece(struct input *input, size_t at, const unsigned char *piece, size_t size)
{
    if (input->length + size > INPUT_MAX)
        return;
    memmove(input->bytes + at + size, input->bytes + at, input->length - at);
    memmove(input->bytes + at, piece, size);
    input->length += size;
}

static void mutate_once(struct input *input, const struct corpus *corpus, struct rng *rng)
{
    static const unsigned char extremes[] = {0,    1,    0x7f, 0x80, 0xff, 0x0f, 0x90, 0xc1, 0xcf,
                                             0xdd, 0xdf, 0xca, 0xcb, '"',  '{',  '[',  '-',  '9'};
    static unsigned char piece[4096];
    size_t at, size;
    pick_piece(rng, input->length, 16, &at, &size);
    switch (rng_below(rng, 8)) {
    case 0:
        if (size)
            input->bytes[at] ^= (unsigned char)(1u << rng_below(rng, 8));
        break;
    case 1:
        if (size)
            input->bytes[at] = extremes[rng_below(rng, sizeof extremes)];
        break;
    case 2: /* an extreme number */
        memset(input->bytes + at, rng_below(rng, 2) ? 0xff : 0, size > 8 ? 8 : size);
        break;
    case 3: /* cut out */
        memmove(input->bytes + at, input->bytes + at + size, input->length - at - size);
        input->length -= size;
        break;
    case 4: /* doubled */
        memcpy(piece, input->bytes + at, size);
        insert_piece(input, at, piece, size);
        break;
    case 5: { /* from another seed */
        const struct input *other = &corpus->inputs[rng_below(rng, (uint32_t)corpus->count)];
        size_t from, length;
        pick_piece(rng, other->length, 256, &from, &length);
        memcpy(piece, other->bytes + from, length);
        insert_piece(input, at, piece, length);
        break;
    }
    case 6: /* the end is missing */
        if (rng_below(rng, 4) == 0)
            input->length = at;
        break;
    default:
        if (size)
            input->bytes[at] = (unsigned char)rng_below(rng, 256);
    }
}

/* Says which input a bug ended the program at. */
static char in_hand[96];
static void on_abort(int signal_number)
{
    ssize_t ignored = write(STDERR_FILENO, in_hand, strlen(in_hand));
    (void)ignored;
}

/* Input number `number` of a seed; 0 is a good one as it is. Ends in a block of its exact size, so
 * that reading beyond it is seen. */
static void take_one(const struct target *target, const struct corpus *corpus, uint64_t seed,
                     uint64_t number)
{
    static unsigned char bytes[INPUT_MAX + 4096];
    struct rng rng = test_rng(seed, 0, number);
    const struct input *base = &corpus->inputs[rng_below(&rng, (uint32_t)corpus->count)];
    struct input input = {bytes, base->length};
    memcpy(bytes, base->bytes, base->length);
    for (uint32_t i = number ? 1 + rng_below(&rng, MUTATIONS_MAX) : 0; i > 0; i--)
        mutate_once(&input, corpus, &rng);
    FREED unsigned char *exact = malloc(input.length ? input.length : 1);
    ENSURE(exact, "out of memory");
    memcpy(exact, bytes, input.length);
    snprintf(in_hand, sizeof in_hand, "target %s seed %" PRIu64 " input %" PRIu64 "\n",
             target->name, seed, number);
    take(target, exact, input.length);
    in_hand[0] = 0;
}

/* ---- by hand ---- */

static int run_by_hand(const struct target *target, double seconds, uint64_t seed)
{
    struct corpus corpus;
    uint64_t number = 0;
    make_corpus(target, &corpus);
    while ((double)clock() / CLOCKS_PER_SEC < seconds)
        take_one(target, &corpus, seed, number++);
    corpus_deinit(&corpus);
    remove_store_place();
    printf("%s: %" PRIu64 " inputs of seed %" PRIu64 " in %.0f s of processor time\n", target->name,
           number, seed, seconds);
    return EXIT_SUCCESS;
}

static int write_seeds(const struct target *target, const char *directory)
{
    struct corpus corpus;
    make_corpus(target, &corpus);
    for (int i = 0; i < corpus.count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/seed-%02d", directory, i);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(corpus.inputs[i].bytes, 1, corpus.inputs[i].length, file) !=
                         corpus.inputs[i].length) {
            perror(path);
            return EXIT_FAILURE;
        }
        fclose(file);
    }
    corpus_deinit(&corpus);
    remove_store_place();
    return EXIT_SUCCESS;
}

/* ---- tests ---- */

TEST_LOOP(damaged_input, 0, TARGET_COUNT)
{
    const struct target *target = &targets[_i];
    struct corpus corpus;
    make_corpus(target, &corpus);
    for (int i = 0; i < corpus.count; i++)
        take(target, corpus.inputs[i].bytes, corpus.inputs[i].length);
    for (int number = 0; number < target->tested; number++)
        take_one(target, &corpus, 1, (uint64_t)number);
    corpus_deinit(&corpus);
    remove_store_place();
}

/* The mutations reach both sides: much is refused, something is still accepted. */
TEST(mutations_are_neither_tame_nor_wild)
{
    struct corpus corpus;
    struct rng rng;
    int accepted = 0;
    make_corpus(find_target("message"), &corpus);
    for (int i = 0; i < 2000; i++) {
        static unsigned char bytes[INPUT_MAX + 4096];
        struct message message;
        uint64_t rejected_id;
        rng_init(&rng, 2, RNG_TEST, 0, (uint64_t)i);
        const struct input *base = &corpus.inputs[rng_below(&rng, (uint32_t)corpus.count)];
        struct input input = {bytes, base->length};
        memcpy(bytes, base->bytes, base->length);
        mutate_once(&input, &corpus, &rng);
        if (message_decode(&message, bytes, input.length, &rejected_id, &error) != 0)
            continue;
        accepted++;
        message_deinit(&message);
    }
    corpus_deinit(&corpus);
    ck_assert_int_gt(accepted, 100);
    ck_assert_int_lt(accepted, 1600);
}

int main(int argc, char **argv)
{
    log_set(STDERR_FILENO, LOG_ERROR);
    signal(SIGABRT, on_abort);
    const struct target *target =
        argc > 2 ? find_target(argv[argc > 3 && argv[1][0] == '-' ? 2 : 1]) : NULL;
    if (argc > 1 && !target) {
        fprintf(stderr, "usage: test_input_fuzz [TARGET SECONDS [SEED] | --seeds TARGET DIR]\n");
        return 2;
    }
    if (target && argv[1][0] == '-')
        return write_seeds(target, argv[3]);
    if (target)
        return run_by_hand(target, atof(argv[2]), argc > 3 ? strtoull(argv[3], NULL, 10) : 1);

    return run_defined_tests("input_fuzz", 60, NULL, NULL);
}

#endif
