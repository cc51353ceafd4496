/* common/creature: exact round trips between memory, MessagePack and JSON; every single-bit flip
 * and every truncation of a file refused; hostile content behind a right checksum; JSON that must
 * fail, with the message; writing that leaves no half file. checks: forked runs: watched */
#include "common/creature/creature.h"
#include "common/creature/creature_codec.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/system/file.h"
#include "common/math/hash.h"
#include "common/version.h"
#include "tests/unit/genome_fixture.h"
#include "tests/quoted.h"
#include "tests/sanitized.h"
#include "tests/packed.h"
#include "tests/plain_fixture.h"
#include "tests/unit/directory_fixture.h"

#define GOLDEN_BINARY "tests/golden/creature-v%d.creature"
#define GOLDEN_JSON   "tests/golden/creature-v%d.json"

static struct creature creature;

/* A claw that slides out of the hand, not in version 1. */
static void make_clawed(struct genome *genome)
{
    fixture_make(genome);
    struct body_gene *claw = fixture_body(genome, 77);
    claw->joint = JOINT_LINEAR;
    claw->lower = -1.0 / 7.0;
    claw->upper = 0.3;
    claw->sensors = SENSOR_BIT(SENSOR_JOINT);
    claw->has_effector = 1;
    claw->effector_input = fixture_sensor(SCOPE_OWN, SENSOR_JOINT, 0, -1.0 / 3.0);
    claw->effector_strength = 0.1;
    fixture_connection(genome, 78, HAND, 77)->child_face = FACE_LEFT;
}

/* Copies lag, not in version 4. */
static void make_lagging(struct genome *genome)
{
    fixture_make_boxes(genome);
    genome->neurons[0].lag_image = 0.5;
    genome->neurons[0].lag_row = 1.0 / 7.0;
}

/* It sees another creature and an object, not in version 5. */
static void make_seeing(struct genome *genome)
{
    make_lagging(genome);
    genome->bodies[0].sensors |= sights[SIGHT_OTHER].sensors | SENSOR_BIT(SENSOR_OBJECT_LEVEL);
}

/* It hears and smells, and makes sound and scent, not in version 6. */
static void make_emitting(struct genome *genome)
{
    make_seeing(genome);
    struct body_gene *body = &genome->bodies[0];
    body->sensors |= sights[SIGHT_SOUND].sensors | sights[SIGHT_SCENT_2].sensors |
                     SENSOR_BIT(SENSOR_PAIN) | SENSOR_BIT(SENSOR_TOUCH_KIND);
    body->emitters[EMITTER_SOUND].is_there = body->emitters[EMITTER_SCENT_2].is_there = 1;
    body->emitters[EMITTER_SOUND].input =
        fixture_sensor(SCOPE_OWN, SENSOR_SCENT_2_LEVEL, 0, 1.0 / 3.0);
    body->emitters[EMITTER_SCENT_2].input =
        (struct input_gene){.kind = INPUT_CONSTANT, .value = 0.1, .weight = 1};
}

static void make_stretching(struct genome *genome)
{
    fixture_make(genome);
    struct body_gene *body = &genome->bodies[0];
    body->emitters[EMITTER_SOUND].is_there = 1;
    body->emitters[EMITTER_SOUND].input = fixture_sensor(SCOPE_OWN, SENSOR_STRETCH, 0, 1.0 / 7.0);
    body->sensors |= SENSOR_BIT(SENSOR_STRETCH);
    body->stretch.limit = 3.0 / 7.0;
    body->stretch.input = fixture_sensor(SCOPE_OWN, SENSOR_STRETCH, 0, -2.0 / 3.0);
}

static void make_mouthed(struct genome *genome)
{
    make_stretching(genome);
    genome->bodies[0].mouth = MOUTH_FLESH;
    genome->bodies[1].mouth = MOUTH_PLANTS;
}

static void make_headed(struct genome *genome)
{
    make_mouthed(genome);
    genome->bodies[1].is_head = 1;
}

/* Everything set, with numbers that need all their digits. */
static void make_creature(struct creature *made)
{
    creature_init(made);
    strcpy(made->name, "t\xc3\xa4ster \"one\" \\ two");
    strcpy(made->note, "uses every feature");
    make_clawed(&made->genome);
    made->id = 12345;
    made->parents[0] = INT64_MAX;
    made->parents[1] = 7;
    made->generation = 12;
    strcpy(made->method, "crossover");
    strcpy(made->mutations, "neuron 3: weight; body 2: size");
    made->has_evaluation = 1;
    made->params.world_preset = PRESET_WATER;
    made->params.world_gravity_m_s2 = 1.0 / 3.0;
    made->params.world_ground = 0;
    made->params.spheres_dimensions = 2;
    made->params.evolution_behaviour = BEHAVIOUR_SWIM;
    made->params.fitness_ahead = 0.7;
    made->params.guard_referee_share = 0.4;
    made->params.guard_score = SCORE_OWN;
    made->params.exam_starts = 9;
    made->seed = UINT64_C(0xfedcba9876543210);
    made->verdict = VERDICT_TOO_FAST;
    made->fitness = 0.1 + 0.2;
    for (int i = 0; i < MEASURE_COUNT; i++)
        measures_set(&made->measures, i, (i % 2 ? -1 : 1) / (3.0 + i));
    measures_set(&made->measures, 0, -0.0);
    made->digest = 1;
    made->genome_hash = UINT64_MAX;
    made->simulator_version = 3;
}

/* It has this genome in place of the one before. */
static void become(void (*make)(struct genome *genome))
{
    genome_deinit(&creature.genome);
    make(&creature.genome);
}

static void setup(void)
{
    memset(&error, 0, sizeof error);
    make_creature(&creature);
}

static void teardown(void)
{
    creature_deinit(&creature);
}

static void assert_equal(const struct creature *a, const struct creature *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_str_eq(a->note, b->note);
    ck_assert_uint_eq(a->id, b->id);
    ck_assert_uint_eq(a->parents[0], b->parents[0]);
    ck_assert_uint_eq(a->parents[1], b->parents[1]);
    ck_assert_int_eq(a->generation, b->generation);
    ck_assert_str_eq(a->method, b->method);
    ck_assert_str_eq(a->mutations, b->mutations);
    ck_assert(genome_is_equal(&a->genome, &b->genome));
    ck_assert_uint_eq(genome_hash(&a->genome), genome_hash(&b->genome));
    ck_assert_int_eq(a->has_evaluation, b->has_evaluation);
    ck_assert_uint_eq(params_evaluation_digest(&a->params), params_evaluation_digest(&b->params));
    ck_assert_int_eq(a->params.world_preset, b->params.world_preset);
    ck_assert_int_eq(a->params.evolution_behaviour, b->params.evolution_behaviour);
    ck_assert(a->params.fitness_ahead == b->params.fitness_ahead);
    ck_assert(a->params.guard_referee_share == b->params.guard_referee_share);
    ck_assert_int_eq(a->params.guard_score, b->params.guard_score);
    ck_assert_int_eq(a->params.exam_starts, b->params.exam_starts);
    ck_assert_uint_eq(a->seed, b->seed);
    ck_assert_int_eq(a->verdict, b->verdict);
    ck_assert_mem_eq(&a->fitness, &b->fitness, sizeof a->fitness);
    ck_assert_mem_eq(&a->measures, &b->measures, sizeof a->measures);
    ck_assert_uint_eq(a->digest, b->digest);
    ck_assert_uint_eq(a->genome_hash, b->genome_hash);
    ck_assert_int_eq(a->simulator_version, b->simulator_version);
}

static void encode(const struct creature *source, struct pack_writer *writer)
{
    pack_writer_init(writer);
    creature_encode(source, writer);
    ck_assert_int_eq(writer->has_failed, 0);
}

/* Decodes a block of exactly that size, so that a sanitizer sees every step too far. */
static int decode_exact(struct creature *decoded, const void *bytes, size_t length)
{
    FREED char *exact = malloc(length + 1);
    memcpy(exact + 1, bytes, length);
    return creature_decode(decoded, exact + 1, length, "x", &error);
}

static void assert_same_bytes(const struct creature *a, const struct creature *b)
{
    SCOPED(pack_writer) one, other;
    encode(a, &one);
    encode(b, &other);
    ck_assert_uint_eq(one.buffer.size, other.buffer.size);
    ck_assert_mem_eq(one.buffer.data, other.buffer.data, other.buffer.size);
}

/* It goes through bytes, and comes back. */
static void assert_kept_in_bytes(const struct creature *kept)
{
    SCOPED(pack_writer) writer;
    SCOPED(creature) copy;
    encode(kept, &writer);
    ck_ok(decode_exact(&copy, writer.buffer.data, writer.buffer.size));
    assert_equal(kept, &copy);
    assert_same_bytes(kept, &copy);
}

TEST(binary_round_trip)
{
    assert_kept_in_bytes(&creature);
}

/* binary -> JSON -> binary: the same bytes, the sign of zeros included. */
TEST(json_round_trip)
{
    SCOPED(creature) copy;
    FREED char *text = creature_to_json(&creature);
    ck_assert_ptr_nonnull(text);
    ck_ok(decode_exact(&copy, text, strlen(text)));
    assert_equal(&creature, &copy);
    assert_same_bytes(&creature, &copy);
    FREED char *text_again = creature_to_json(&copy);
    ck_assert_str_eq(text, text_again);
}

TEST(without_evaluation)
{
    SCOPED(creature) copy, bare;
    creature_init(&bare);
    fixture_make(&bare.genome);
    assert_kept_in_bytes(&bare);
    FREED char *text = creature_to_json(&bare);
    ck_assert_ptr_null(strstr(text, "evaluation"));
    ck_assert_int_eq(decode_exact(&copy, text, strlen(text)), 0);
    assert_equal(&bare, &copy);
}

TEST(genome_alone)
{
    SCOPED(pack_writer) writer;
    struct genome copy;
    pack_writer_init(&writer);
    genome_encode(&creature.genome, &writer);
    ck_assert_int_eq(genome_decode_bytes(&copy, writer.buffer.data, writer.buffer.size, &error), 0);
    ck_assert(genome_is_equal(&copy, &creature.genome));
    genome_deinit(&copy);
    // damaged: refused, or a genome that passes the check
    for (size_t bit = 0; bit < writer.buffer.size * 8; bit += BIT_STEP) {
        writer.buffer.data[bit / 8] ^= (char)(1 << bit % 8);
        if (genome_decode_bytes(&copy, writer.buffer.data, writer.buffer.size, &error) == 0)
            ck_assert_int_eq(genome_check(&copy, &error), 0);
        else
            ck_assert(copy.body_count == 0 && copy.bodies == NULL && error.message[0] != '\0');
        genome_deinit(&copy);
        writer.buffer.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    for (size_t length = 0; length < writer.buffer.size; length += BYTE_STEP)
        ck_assert_int_lt(genome_decode_bytes(&copy, writer.buffer.data, length, &error), 0);
}

/* The creature goes through JSON, which has these words, and comes back. */
static void assert_kept_in_json(const char *words)
{
    SCOPED(creature) copy;
    FREED char *text = creature_to_json(&creature);
    ck_assert_ptr_nonnull(strstr(text, words));
    ck_ok(creature_decode(&copy, text, strlen(text), "worm", &error));
    assert_equal(&copy, &creature);
}

/* The breeding gene: in both forms where it is set, and nowhere else, so that older files stay as
 * they were. */
TEST(breeding_gene)
{
    uint64_t unset_hash = genome_hash(&creature.genome);
    FREED char *text = creature_to_json(&creature);
    ck_assert_ptr_null(strstr(text, "\"breeding\""));
    for (int gene = BREEDING_ASEXUAL; gene < BREEDING_GENE_COUNT; gene++) {
        creature.genome.breeding = (uint8_t)gene;
        ck_assert(genome_hash(&creature.genome) != unset_hash);
        assert_kept_in_bytes(&creature);
        assert_kept_in_json(breeding_gene_names[gene]);
    }
    // an unset one is not written, and nothing but the three is read
    for (uint64_t gene = 0; gene <= BREEDING_GENE_COUNT; gene += BREEDING_GENE_COUNT) {
        struct genome genome;
        SCOPED(pack_writer) writer;
        creature.genome.breeding = BREEDING_GRAFT;
        pack_writer_init(&writer);
        genome_encode(&creature.genome, &writer);
        writer.buffer.data[writer.buffer.size - 1] = (char)gene;
        ck_refused(genome_decode_bytes(&genome, writer.buffer.data, writer.buffer.size, &error), 0,
                   "breeding: ");
    }
}

TEST(genome_errors_name_the_place)
{
    SCOPED(pack_writer) writer;
    struct genome copy;
    pack_writer_init(&writer);
    put(&writer, ARRAY(4), U64(1), ARRAY(1), ARRAY(3));
    for (int i = 0; i < 3; i++)
        pack_u64(&writer, 1);
    put(&writer, ARRAY(0), ARRAY(0));
    ck_refused_as(genome_decode_bytes(&copy, writer.buffer.data, writer.buffer.size, &error), 0,
                  "bodies[0]: expected 12 elements, not 3");
    pack_writer_deinit(&writer);
    pack_writer_init(&writer);
    put(&writer, ARRAY(4), U64(1), ARRAY(GENOME_BODIES_MAX + 1));
    for (int i = 0; i <= GENOME_BODIES_MAX; i++)
        pack_nil(&writer);
    put(&writer, ARRAY(0), ARRAY(0));
    ck_refused_as(genome_decode_bytes(&copy, writer.buffer.data, writer.buffer.size, &error), 0,
                  "bodies: expected at most 32 elements, not 33");
}

TEST(every_flipped_bit_is_refused)
{
    SCOPED(pack_writer) writer;
    struct creature copy;
    encode(&creature, &writer);
    char *bytes = writer.buffer.data;
    for (size_t bit = 0; bit < writer.buffer.size * 8; bit += BIT_STEP) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        ck_assert_msg(creature_decode(&copy, bytes, writer.buffer.size, "x", &error) < 0,
                      "bit %zu of byte %zu", bit % 8, bit / 8);
        ck_assert(strncmp(error.message, "x: ", 3) == 0);
        ck_assert(copy.genome.body_count == 0 && copy.has_evaluation == 0);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
}

TEST(every_truncation_is_refused)
{
    SCOPED(pack_writer) writer;
    struct creature copy;
    encode(&creature, &writer);
    FREED char *text = creature_to_json(&creature);
    for (size_t length = 0; length < writer.buffer.size; length += BYTE_STEP)
        ck_assert_int_lt(decode_exact(&copy, writer.buffer.data, length), 0);
    // the line feed at the end may be missing
    for (size_t length = 0; length + 2 < strlen(text); length += 3 * BYTE_STEP)
        ck_assert_int_lt(decode_exact(&copy, text, length), 0);
}

TEST(a_longer_file_is_refused)
{
    SCOPED(pack_writer) writer;
    struct creature copy;
    encode(&creature, &writer);
    pack_nil(&writer);
    ck_assert_int_lt(decode_exact(&copy, writer.buffer.data, writer.buffer.size), 0);
    ck_assert_ptr_nonnull(strstr(error.message, "bytes after the end"));
}

/* An envelope with a right checksum round any content. */
static int decode_content(const void *content, size_t length, uint64_t version)
{
    SCOPED(pack_writer) writer;
    SCOPED(creature) copy;
    pack_writer_init(&writer);
    put(&writer, MAP(4), TEXT("format"), TEXT("bestiary-creature"), TEXT("version"), U64(version),
        TEXT("checksum"), U64(hash_bytes(HASH_START, content, length)), TEXT("creature"));
    pack_bytes(&writer, content, length);
    int rc = decode_exact(&copy, writer.buffer.data, writer.buffer.size);
    if (rc == 0)
        ck_assert_int_eq(genome_check(&copy.genome, &error), 0);
    else
        ck_assert_int_eq(copy.genome.body_count, 0);
    return rc;
}

/* The content of the creature's file, every bit of which was flipped, `step` bits at a time, behind
 * a right checksum: many flips only change a number, and many must not pass. The caller frees it.
 * */
static char *flip_content(uint64_t version, size_t step, size_t *size)
{
    SCOPED(pack_writer) writer;
    struct pack_reader file;
    encode(&creature, &writer);
    ck_assert_int_eq(pack_open(&file, writer.buffer.data, writer.buffer.size, &error), 0);
    const msgpack_object_bin *bin = &pack_find(file.root, "creature")->via.bin;
    char *content = malloc(bin->size);
    memcpy(content, bin->ptr, *size = bin->size);
    pack_close(&file);
    int accepted = 0, flips = 0;
    for (size_t bit = 0; bit < *size * 8; bit += step, flips++) {
        content[bit / 8] ^= (char)(1 << bit % 8);
        accepted += decode_content(content, *size, version) == 0;
        content[bit / 8] ^= (char)(1 << bit % 8);
    }
    ck_assert_int_gt(accepted, flips / 10);
    ck_assert_int_lt(accepted, flips * 9 / 10);
    return content;
}

TEST(hostile_content_behind_a_right_checksum)
{
    size_t size;
    FREED char *content = flip_content(1, 3 * BIT_STEP, &size);
    ck_assert_int_eq(decode_content(content, size, 1), 0);
    for (size_t length = 0; length < size; length += 7 * BYTE_STEP)
        ck_assert_int_lt(decode_content(content, length, 1), 0);
    ck_assert_int_eq(decode_content(content, size, 2), 0);
    ck_assert_int_eq(decode_content(content, size, 3), ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "damaged: version 3 with content of version 2"));
    for (uint64_t version = 0; version < UINT64_C(1) << 60;
         version = version ? version * 5 : CREATURE_FORMAT_VERSION + 1) {
        ck_assert_int_eq(decode_content(content, size, version), ERR_VERSION);
        ck_assert_ptr_nonnull(strstr(error.message, " is not supported (this program reads 1 to "));
    }
}

TEST(other_files_are_no_creatures)
{
    static const char *const others[] = {"", "\n", "seed = 1\n", "[1]", "\x81\xa1\x61\x01", "\x80"};
    struct creature copy;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ck_assert_int_lt(decode_exact(&copy, others[i], strlen(others[i])), 0);
        ck_assert_msg(strstr(error.message, "x: not a creature file"), "%s", error.message);
    }
}

/* ---- JSON written by hand ---- */

#define HEAD   "{'format': 'bestiary-creature', 'version': 1, "
#define BODY   "{'id': 1, 'width_m': 0.5, 'height_m': 0.2}"
#define BODIES "'bodies': [" BODY "]"
#define LINEAR "{'id': 1, 'width_m': 0.3, 'height_m': 0.7, 'joint': 'linear'"

static int decode_text(const char *text, struct creature *decoded)
{
    FREED char *json = quoted(text);
    return creature_decode(decoded, json, strlen(json), "worm.json", &error);
}

/* The text is refused, with a message that begins with these words. */
static void refuse_text(const char *text, const char *words)
{
    struct creature decoded;
    ck_assert_msg(decode_text(text, &decoded) < 0, "accepted: %s", text);
    ck_assert_msg(strncmp(error.message, "worm.json: ", 11) == 0 &&
                      strncmp(error.message + 11, words, strlen(words)) == 0,
                  "%s: %s", text, error.message);
    ck_assert_int_eq(decoded.genome.body_count, 0);
}

TEST(shortest_json)
{
    SCOPED(creature) decoded;
    ck_ok(decode_text(" \n" HEAD BODIES "}", &decoded));
    const struct body_gene *body = &decoded.genome.bodies[0];
    ck_assert_uint_eq(decoded.genome.root, 1);
    ck_assert_int_eq(body->joint, JOINT_ROTARY);
    ck_assert(body->lower == -1 && body->upper == 1);
    ck_assert_int_eq(body->recursive_limit, 1);
    ck_assert(!body->is_symmetric && body->sensors == 0 && !body->has_effector);
    ck_assert_int_eq(decoded.has_evaluation, 0);
}

/* By default a linear joint moves half the part's longer side either way. */
TEST(linear_joints_in_json)
{
    SCOPED(creature) decoded;
    ck_ok(decode_text(HEAD "'bodies': [" LINEAR "}]}", &decoded));
    ck_assert_int_eq(decoded.genome.bodies[0].joint, JOINT_LINEAR);
    ck_assert(decoded.genome.bodies[0].lower == -0.35 && decoded.genome.bodies[0].upper == 0.35);
    char *text = creature_to_json(&decoded);
    ck_assert_ptr_nonnull(strstr(text, "\"limits_m\""));
    ck_assert_ptr_null(strstr(text, "\"limits_rad\""));
    /* files carry the lowest version that has all they need */
    ck_assert_ptr_nonnull(strstr(text, "\"version\": 2"));
    decoded.genome.bodies[0].joint = JOINT_ROTARY;
    free(text);
    text = creature_to_json(&decoded);
    ck_assert_ptr_nonnull(strstr(text, "\"version\": 1"));
    free(text);
    creature_deinit(&decoded);
    ck_ok(decode_text(HEAD "'bodies': [" LINEAR ", 'limits_m': [-0.0625, 0]}]}", &decoded));
    ck_assert(decoded.genome.bodies[0].lower == -0.0625 && decoded.genome.bodies[0].upper == 0);
}

TEST(json_defaults)
{
    SCOPED(creature) decoded;
    const char *text =
        HEAD "'root': 2, 'bodies': [" BODY ", {'id': 2, 'width_m': 1, 'height_m': 1,"
             " 'sensors': ['joint', 'contact-top'], 'limits_rad': [-3, 0],"
             " 'effector': {'input': {'neuron': 5}}}],"
             "'connections': [{'id': 9, 'from': 2, 'to': 1}, {'id': 8, 'from': 2, 'to': "
             "2}],"
             "'neurons': [{'id': 5, 'in': 2, 'function': 'sum', 'inputs':"
             " [{'sensor': 'contact-top'}, {'neuron': 6, 'of': 'central', 'weight': -2},"
             "  {'neuron': 5, 'of': 'child', 'via': 8}]},"
             " {'id': 6, 'in': 'central', 'function': 'product',"
             "  'inputs': [{'neuron': 6}, {'sensor': 'joint', 'via': 2}]},"
             " {'id': 7, 'in': 'central', 'function': 'if', 'inputs': [0.5]}]}";
    ck_ok(decode_text(text, &decoded));
    const struct genome *genome = &decoded.genome;
    ck_assert_uint_eq(genome->root, 2);
    ck_assert(genome->bodies[1].effector_strength == 1);
    ck_assert_uint_eq(genome->bodies[1].sensors,
                      SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_CONTACT_TOP));
    const struct connection_gene *connection = &genome->connections[0];
    ck_assert_int_eq(connection->parent_face, FACE_RIGHT);
    ck_assert_int_eq(connection->child_face, FACE_LEFT);
    ck_assert(connection->scale == 1 && connection->angle_rad == 0);
    ck_assert(!connection->is_reflected && !connection->is_terminal_only);
    const struct input_gene *inputs = genome->neurons[0].inputs;
    ck_assert(inputs[0].kind == INPUT_SENSOR && inputs[0].scope == SCOPE_OWN);
    ck_assert(inputs[0].weight == 1);
    ck_assert(inputs[1].scope == SCOPE_CENTRAL && inputs[1].weight == -2);
    ck_assert(inputs[2].scope == SCOPE_CHILD && inputs[2].via == 8);
    ck_assert_int_eq(genome->neurons[1].inputs[0].scope, SCOPE_CENTRAL);
    ck_assert_int_eq(genome->neurons[1].inputs[1].scope, SCOPE_PART);
    inputs = genome->neurons[2].inputs;
    ck_assert(inputs[0].value == 0.5 && inputs[0].weight == 1);
    ck_assert(inputs[1].value == 0 && inputs[1].weight == 0);
}

#define SIZED(rest) HEAD "'bodies': [{" rest ", 'height_m': 1}]}"
#define PART(rest)  HEAD "'bodies': [{'id': 1, 'width_m': 1, 'height_m': 1, " rest "}]}"
#define SLIDE(rest) HEAD "'bodies': [" LINEAR rest "}]}"
#define WIRED(rest) HEAD BODIES ", 'connections': [{'id': 1, 'from': 1, " rest "}]}"
#define NEURON(inputs)                                                                             \
    HEAD BODIES ", 'neurons': [{'id': 1, 'in': 1, 'function': 'abs', 'inputs': " inputs "}]}"
#define EVALUATION(more)                                                                           \
    HEAD BODIES ", 'evaluation': {'simulator_version': 1, 'seed': '0123456789abcdef',"             \
                "'verdict': 'ok', 'fitness': 1, 'digest': '0123456789abcdef',"                     \
                "'genome_hash': '0123456789abcdef', " more "}}"

static const struct {
    const char *text, *message;
} bad_json[] = {
    {"{", "line 1, column 1: string or '}' expected"},
    {"{\n 'format': bestiary}", "line 2, column 19: invalid token near 'bestiary'"},
    {"{}", "not a creature file: \"format\" is not"},
    {"{'format': 'other'}", "not a creature file"},
    {"{'format': 'bestiary-creature'}", "version: missing"},
    {"{'format': 'bestiary-creature', 'version': 1000}",
     "format version 1000 is not supported (this program reads 1 to "},
    {"{'format': 'bestiary-creature', 'version': 0}",
     "format version 0 is not supported (this program reads 1 to "},
    {"{'format': 'bestiary-creature', 'version': -1}", "version: -1 is not within"},
    {"{'format': 'bestiary-creature', 'version': 1.0}", "version: expected a whole number"},
    {HEAD "'bodies': []}", "0 bodies are not within 1 .. 32"},
    {HEAD "'name': 'x'}", "bodies: missing"},
    {HEAD BODIES ", 'boddies': []}", "boddies: unknown key (did you mean bodies?)"},
    {HEAD BODIES ", 'quite different': []}", "quite different: unknown key"},
    {HEAD BODIES "," BODIES "}", "line 1, column"},
    {HEAD "'bodies': [" BODY ", " BODY "]}", "body 1 (id 1): another body has the same id"},
    {SIZED("'id': 1, 'widht_m': 1"), "bodies[0].widht_m: unknown key (did you mean width_m?)"},
    {HEAD "'bodies': [" BODY ", {'id': 2, 'height_m': 1}]}", "bodies[1].width_m: missing"},
    {SIZED("'id': 1, 'width_m': '1'"), "bodies[0].width_m: expected a number"},
    {SIZED("'id': 1, 'width_m': 0"), "body 0 (id 1): width_m 0 is not within 0.01 .. 10"},
    {SIZED("'id': 0, 'width_m': 1"), "bodies[0].id: 0 is not within 1 .. 9223372036854775807"},
    {SIZED("'id': -1, 'width_m': 1"), "bodies[0].id: -1 is not within"},
    {SIZED("'id': 1.5, 'width_m': 1"), "bodies[0].id: expected a whole number"},
    {HEAD "'bodies': [7]}", "bodies[0]: expected an object"},
    {HEAD "'bodies': {}}", "bodies: expected an array"},
    {PART("'joint': 'ball'"),
     "bodies[0].joint: unknown name \"ball\"; there are rigid, rotary, linear"},
    {PART("'joint': 1"), "bodies[0].joint: expected a name"},
    {PART("'limits_rad': [1]"), "bodies[0].limits_rad: expected [lower, upper]"},
    {PART("'limits_rad': [1, 2]"), "body 0 (id 1): lower_rad 1 is not within"},
    {PART("'limits_m': [-1, 2]"), "bodies[0].limits_m: this joint has limits_rad"},
    {SLIDE(", 'limits_rad': [-1, 1]"), "bodies[0].limits_rad: this joint has limits_m"},
    {SLIDE(", 'limits_m': [-1]"), "bodies[0].limits_m: expected [lower, upper]"},
    {SLIDE(", 'limits_m': [-1, 'far']"), "bodies[0].limits_m: expected a number"},
    {SLIDE(", 'limits_m': [-0.1, 11]"), "body 0 (id 1): upper_m 11 is not within 0 .. 10"},
    {PART("'recursive_limit': 300"), "bodies[0].recursive_limit: 300 is not within 1 .. 16"},
    {PART("'symmetric': 1"), "bodies[0].symmetric: expected true or false"},
    {PART("'sensors': ['smell']"), "bodies[0].sensors: unknown name \"smell\"; there are joint, "},
    {PART("'sensors': ['joint', 'joint']"), "bodies[0].sensors: joint stands twice"},
    {PART("'effector': {}"), "bodies[0].effector.input: missing"},
    {PART("'effector': {'input': {'neuron': 4}}"),
     "body 0 (id 1), effector input: names a neuron that does not exist"},
    {PART("'effector': {'input': {'sensor': 'joint', 'off': 'own'}}"),
     "bodies[0].effector.input.off: unknown key (did you mean of?)"},
    {WIRED("'to': 1, 'scale': 100"), "connection 0 (id 1): scale 100 is not within 0.1 .. 10"},
    {WIRED("'to': 2"), "connection 0 (id 1): to: no body has the id 2"},
    {WIRED("'to': 1, 'child_face': 'up'"),
     "connections[0].child_face: unknown name \"up\"; there are right, top, left, "
     "bottom"},
    {HEAD BODIES ", 'root': 2}", "root: no body has the id 2"},
    {HEAD BODIES ", 'neurons': [{'id': 1, 'in': 'centre', 'function': 'abs'}]}",
     "neurons[0].in: expected a body's id or \"central\""},
    {HEAD BODIES ", 'neurons': [{'id': 1, 'in': 1, 'function': 'tan'}]}",
     "neurons[0].function: unknown name \"tan\"; there are sum, product, divide, "},
    {NEURON("[1, 2]"), "neurons[0].inputs: abs has at most 1, not 2"},
    {NEURON("1"), "neurons[0].inputs: expected an array"},
    {NEURON("['x']"), "neurons[0].inputs[0]: expected an object"},
    {NEURON("[{}]"), "neurons[0].inputs[0]: expected one of constant, neuron and sensor"},
    {NEURON("[{'constant': 1, 'neuron': 1}]"), "neurons[0].inputs[0]: expected one"},
    {NEURON("[{'constant': 1, 'of': 'own'}]"),
     "neurons[0].inputs[0]: a constant has neither of nor via"},
    {NEURON("[{'neuron': 1, 'via': 1}]"), "neurons[0].inputs[0].via: is for"},
    {NEURON("[{'neuron': 1, 'of': 'child'}]"), "neurons[0].inputs[0].via: missing"},
    {NEURON("[{'neuron': 1, 'of': 'sister'}]"),
     "neurons[0].inputs[0].of: unknown name \"sister\"; there are own, parent, child, "
     "central, part"},
    {NEURON("[{'sensor': 'joint'}]"),
     "neuron 0 (id 1), input 0: the body it reads has no such sensor"},
    {NEURON("[1e999]"), "line 1, column"},
    {NEURON("[1000]"), "neuron 0 (id 1), input 0: value 1000 is not within"},
    {HEAD BODIES ", 'name': '0123456789012345678901234567890123456789012345678901234567890123'}",
     "name: longer than 63 bytes"},
    {HEAD BODIES ", 'name': 'a\\u001b[31m'}", "name: has control or invisible characters"},
    {HEAD BODIES ", 'name': 'a\\u0000b'}", "line 1, column"},
    {HEAD BODIES ", 'parents': [1, 2, 3]}", "parents: expected an array of at most 2"},
    {HEAD BODIES ", 'parents': 1}", "parents: expected an array of at most 2"},
    {HEAD BODIES ", 'evaluation': {}}", "evaluation.simulator_version: missing"},
    {EVALUATION("'parameters': {}"), "evaluation.measures: missing"},
    {EVALUATION("'parameters': {'world.gravity': 1}, 'measures': {}"),
     "evaluation.parameters: unknown key world.gravity"},
    {EVALUATION("'parameters': {'world.friction': 11}, 'measures': {}"),
     "evaluation.parameters: world.friction: 11 is not within 0 .. 10"},
    {EVALUATION("'parameters': {'world.friction': null}, 'measures': {}"),
     "evaluation.parameters.world.friction: expected a number, true, false or"},
    {EVALUATION("'parameters': {'creature.parts_min': 60}, 'measures': {}"),
     "evaluation.parameters: creature.parts_min 60 is above creature.parts_max 16"},
    {EVALUATION("'parameters': [], 'measures': {}"), "evaluation.parameters: expected an object"},
    {EVALUATION("'parameters': {}, 'measures': {'luck': 1}"),
     "evaluation.measures.luck: unknown measure"},
    {EVALUATION("'parameters': {}, 'measures': {'mass_kg': '1'}"),
     "evaluation.measures.mass_kg: expected a number"},
    {HEAD BODIES ", 'evaluation': {'simulator_version': 1, 'seed': 1}}",
     "evaluation.seed: expected a text of 16 hexadecimal digits"},
    {HEAD BODIES ", 'evaluation': {'simulator_version': 1, 'seed': '0123456789abcdef',"
                 "'verdict': 'good'}}",
     "evaluation.verdict: unknown name \"good\"; there are ok, motionless, "},
};

/* Its genome is packed and comes back; the caller frees what is packed. */
static struct packed_bytes assert_kept_packed(void)
{
    struct packed_bytes packed = {NULL, 0};
    SCOPED(genome) copy;
    SCOPED(pack_writer) scratch;
    pack_writer_init(&scratch);
    ck_assert_int_eq(genome_pack(&packed, &creature.genome, &scratch), 0);
    ck_ok(genome_decode_bytes(&copy, packed.bytes, packed.length, &error));
    ck_assert(genome_is_equal(&copy, &creature.genome));
    return packed;
}

/* Where these bytes begin for the first time. */
static size_t find_bytes(const struct packed_bytes *packed, const void *bytes, size_t size)
{
    for (size_t i = 1; i + size <= packed->length; i++)
        if (memcmp(packed->bytes + i, bytes, size) == 0)
            return i;
    ck_abort_msg("no such bytes");
    return 0;
}

static void refuse_packed(const struct packed_bytes *packed, const char *message)
{
    struct genome copy;
    ck_refused_as(genome_decode_bytes(&copy, packed->bytes, packed->length, &error), ERR_FORMAT,
                  message);
}

/* Lags are written where there are any, and raise the version; nothing else of the file differs. */
TEST(lags_are_kept)
{
    for (int is_row = 0; is_row < 2; is_row++) {
        become(make_lagging);
        struct neuron_gene *wave = &creature.genome.neurons[0];
        *(is_row ? &wave->lag_row : &wave->lag_image) = 0;
        ck_assert_int_eq(creature_format_version(&creature), 5);
        assert_kept_in_bytes(&creature);
        assert_kept_in_json("");
    }
    creature.genome.neurons[0].lag_image = creature.genome.neurons[0].lag_row = 0;
    ck_assert_int_eq(creature_format_version(&creature), 4);
}

/* So are emitters and late sensors. */
TEST(emitters_are_kept)
{
    become(make_emitting);
    struct body_gene *body = &creature.genome.bodies[0];
    ck_assert_int_eq(creature_format_version(&creature), 7);
    assert_kept_in_json("\"scent_2\": {");
    memset(body->emitters, 0, sizeof body->emitters);
    ck_assert_int_eq(creature_format_version(&creature), 7);
    body->sensors = SENSOR_BIT(SENSOR_OBJECT_LEVEL);
    ck_assert_int_eq(creature_format_version(&creature), 6);
    body->sensors = 0;
    ck_assert_int_eq(creature_format_version(&creature), 5);
}

/* A stretch is kept, with emitters and without, and is what makes a file one of version 8. */
TEST_LOOP(stretches_are_kept, 0, 2)
{
    become(make_stretching);
    struct body_gene *body = &creature.genome.bodies[0];
    if (_i)
        memset(body->emitters, 0, sizeof body->emitters);
    else
        body->emitters[EMITTER_SOUND].input =
            (struct input_gene){.kind = INPUT_CONSTANT, .value = 0.1, .weight = 1};
    ck_assert_int_eq(creature_format_version(&creature), 8);
    assert_kept_in_json("\"stretch\": {");
    struct packed_bytes packed = assert_kept_packed();
    /* a limit of 0, whose input must not be there */
    static const unsigned char limit[] = {0xcb, 0x3f, 0xdb, 0x6d, 0xb6, 0xdb, 0x6d, 0xb6, 0xdb};
    memset(packed.bytes + find_bytes(&packed, limit, sizeof limit) + 1, 0, sizeof limit - 1);
    refuse_packed(&packed, "bodies[0]: stretches of 0 are not written");
    packed_bytes_deinit(&packed);
    memset(&body->stretch, 0, sizeof body->stretch);
    ck_assert_int_eq(creature_format_version(&creature), 8);
    body->sensors &= ~SENSOR_BIT(SENSOR_STRETCH);
    ck_assert_int_eq(creature_format_version(&creature), _i ? 1 : 7);
}

/* A head alone, of rectangles and of boxes. */
TEST_LOOP(heads_are_kept, 0, 2)
{
    become(_i ? fixture_make_boxes : fixture_make);
    uint64_t without = genome_hash(&creature.genome);
    creature.genome.bodies[1].is_head = 1;
    ck_assert(genome_hash(&creature.genome) != without);
    ck_assert_int_eq(creature_format_version(&creature), 10);
    assert_kept_in_json("\"head\": true");
    SCOPED(packed_bytes) packed = assert_kept_packed();
}

/* A mouth alone, without emitters and stretch, is kept in both forms. */
TEST(mouths_are_kept)
{
    struct genome copy;
    uint64_t without = genome_hash(&creature.genome);
    creature.genome.bodies[1].mouth = MOUTH_FLESH;
    ck_assert(genome_hash(&creature.genome) != without);
    ck_assert_int_eq(creature_format_version(&creature), 9);
    assert_kept_in_json("\"mouth\": \"flesh\"");
    SCOPED(packed_bytes) packed = assert_kept_packed();
    /* no mouth, in a row that has room for one: the last byte of the row, behind a stretch of 0 */
    static const unsigned char there[] = {0xcb, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    unsigned char *mouth = packed.bytes + find_bytes(&packed, there, sizeof there) + 9;
    *mouth = 0;
    refuse_packed(&packed, "bodies[1]: mouths of 0 are not written");
    *mouth = MOUTH_COUNT;
    ck_assert_int_ne(genome_decode_bytes(&copy, packed.bytes, packed.length, &error), 0);
}

/* Equal genomes have equal bytes: a genome without emitters has no fields of emitters. */
TEST(emitters_that_must_fail)
{
    become(make_emitting);
    struct body_gene *body = &creature.genome.bodies[0];
    memset(&body->emitters[EMITTER_SOUND], 0, sizeof body->emitters[0]);
    body->emitters[EMITTER_SCENT_2].input = body->emitters[EMITTER_SOUND].input;
    SCOPED(packed_bytes) packed = assert_kept_packed();
    /* behind two flags of 0 the second scent's flag and its input, whose first field is after the
     * array's mark */
    static const unsigned char there[] = {0, 0, 1, 0x97, 0, 0, 0, 0, 0, 0xcb};
    packed.bytes[find_bytes(&packed, there, sizeof there) + 2] = 0;
    refuse_packed(&packed, "bodies[0]: emitters of 0 are not written");
}

/* Equal genomes have equal bytes: lags of 0 have none, and no byte of those that are there can be
 * missing. */
TEST(lags_that_must_fail)
{
    static const unsigned char halves[] = {0xcb, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0,
                                           0xcb, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0};
    struct genome copy;
    become(make_lagging);
    creature.genome.neurons[0].lag_row = 0.5;
    SCOPED(packed_bytes) packed = assert_kept_packed();
    size_t at = find_bytes(&packed, halves, sizeof halves);
    for (size_t length = at; length < packed.length; length++) {
        ck_assert_int_lt(genome_decode_bytes(&copy, packed.bytes, length, &error), 0);
        genome_deinit(&copy);
    }
    memset(packed.bytes + at + 1, 0, 8);
    ck_ok(genome_decode_bytes(&copy, packed.bytes, packed.length, &error));
    ck_assert(copy.neurons[0].lag_image == 0 && copy.neurons[0].lag_row == 0.5);
    genome_deinit(&copy);
    memset(packed.bytes + at + 10, 0, 8);
    refuse_packed(&packed, "neurons[0]: lags of 0 are not written");
}

TEST(json_that_must_fail)
{
    for (size_t i = 0; i < sizeof bad_json / sizeof bad_json[0]; i++)
        refuse_text(bad_json[i].text, bad_json[i].message);
}

TEST(json_preset_comes_first)
{
    SCOPED(creature) decoded;
    ck_ok(decode_text(EVALUATION("'parameters': {'world.friction': 0.3,"
                                 "'world.preset': 'water'}, 'measures': {}"),
                      &decoded));
    ck_assert(decoded.params.world_friction == 0.3);
    ck_assert(decoded.params.world_gravity_m_s2 == 0);
}

TEST(too_many_rows)
{
    struct creature decoded;
    FREED char *text = malloc(100000);
    int length = sprintf(text, HEAD "'bodies': [");
    for (int i = 0; i <= GENOME_BODIES_MAX; i++)
        length += sprintf(text + length, "%s{'id': %d, 'width_m': 1, 'height_m': 1}", i ? "," : "",
                          i + 1);
    strcpy(text + length, "]}");
    ck_assert_int_lt(decode_text(text, &decoded), 0);
    ck_assert_str_eq(error.message, "worm.json: bodies: at most 32, not 33");
    // nesting without end
    memset(text, '[', 99999);
    text[99999] = '\0';
    memcpy(text, "{'format':", 10);
    ck_assert_int_lt(decode_text(text, &decoded), 0);
}

/* Damaged JSON is refused or gives a creature that can be written and read again. */
TEST(damaged_json_never_crashes)
{
    struct creature decoded, again;
    FREED char *text = creature_to_json(&creature);
    size_t length = strlen(text);
    int accepted = 0;
    struct rng rng = test_rng(1, 0, 0);
    for (int round = 0; round < (TESTS_ARE_SANITIZED ? 600 : 4000); round++) {
        FREED char *damaged = malloc(length);
        memcpy(damaged, text, length);
        size_t at = rng_below(&rng, (uint32_t)length);
        static const char likely[] = "0123456789-.e,:{}[]\" truefalse";
        damaged[at] = round % 2 ? likely[rng_below(&rng, sizeof likely - 1)] : (char)rng_u32(&rng);
        if (decode_exact(&decoded, damaged, length) == 0) {
            accepted++;
            ck_assert_int_eq(genome_check(&decoded.genome, &error), 0);
            FREED char *written = creature_to_json(&decoded);
            ck_ok(decode_exact(&again, written, strlen(written)));
            assert_equal(&decoded, &again);
            creature_deinit(&again);
            creature_deinit(&decoded);
        }
    }
    ck_assert_int_gt(accepted, TESTS_ARE_SANITIZED ? 15 : 100);
}

/* ---- parameters and measures in messages ---- */

TEST_LOOP(params_travel, 0, 2)
{
    SCOPED(pack_writer) writer;
    struct pack_reader reader;
    struct params decoded;
    struct params_remark remark;
    creature.params.population_size = 77;
    pack_writer_init(&writer);
    params_encode(&creature.params, _i, &writer);
    ck_assert_int_eq(pack_open(&reader, writer.buffer.data, writer.buffer.size, &error), 0);
    ck_ok(params_decode(&decoded, reader.root, &remark, &error));
    ck_assert_uint_eq(params_evaluation_digest(&decoded),
                      params_evaluation_digest(&creature.params));
    ck_assert_int_eq(decoded.population_size, _i ? 77 : 300);
    pack_close(&reader);
}

static const char *params_message(const char *key, double value)
{
    SCOPED(pack_writer) writer;
    struct pack_reader reader;
    struct params decoded;
    struct params_remark remark;
    pack_writer_init(&writer);
    put(&writer, MAP(1), TEXT(key), DOUBLE(value));
    ck_assert_int_eq(pack_open(&reader, writer.buffer.data, writer.buffer.size, &error), 0);
    ck_assert_int_lt(params_decode(&decoded, reader.root, &remark, &error), 0);
    pack_close(&reader);
    return error.message;
}

TEST(bad_params_in_messages)
{
    ck_assert_str_eq(params_message("world.friction", 11),
                     "world.friction: 11 is not within 0 .. 10");
    ck_assert_str_eq(params_message("world.friction", NAN),
                     "world.friction: expected a finite number");
    ck_assert_str_eq(params_message("world.ground", 1), "world.ground: expected true or false");
    ck_assert_str_eq(params_message("population.size", 3.5),
                     "population.size: expected a whole number");
    ck_assert_str_eq(params_message("evolution.search", 1), "evolution.search: expected a text");
    ck_assert_str_eq(params_message("no.such", 1), "unknown key no.such");
    ck_assert_str_eq(params_message("simulation.dt_s", 0.05),
                     "simulation.dt_s 0.05 is longer than a brain tick (simulation.brain_hz 60)");
}

/* Measures that are encoded and decoded; the decoder's status. */
static int send_measures(struct measures *decoded)
{
    SCOPED(pack_writer) writer;
    struct pack_reader reader;
    pack_writer_init(&writer);
    measures_encode(&creature.measures, &writer);
    ck_assert_int_eq(pack_open(&reader, writer.buffer.data, writer.buffer.size, &error), 0);
    int status = measures_decode(decoded, reader.root, &error);
    pack_close(&reader);
    return status;
}

TEST(measures_travel)
{
    struct measures decoded;
    ck_ok(send_measures(&decoded));
    ck_assert_mem_eq(&decoded, &creature.measures, sizeof decoded);
    creature.measures.mass_kg = NAN;
    ck_assert_int_lt(send_measures(&decoded), 0);
    ck_assert_str_eq(error.message, "mass_kg: expected a finite number");
}

/* ---- files ---- */

static void make_directory(void)
{
    setup();
    open_directory();
}

static void remove_directory(void)
{
    teardown();
    close_directory();
}

FIXTURE(make_directory, remove_directory)

/* By a file, by its evaluation, or by neither; then assignments; and the seed that belongs to
 * it. */
TEST(simulated_again_by_what_is_known)
{
    static const char *const assignments[] = {"world.gravity_m_s2=7", "world.no_such=1"};
    SCOPED(creature) wanted;
    creature_init(&wanted);
    wanted.id = 5;
    ck_assert_int_eq(creature_choose_params(&wanted, NULL, NULL, 0, &params, &error), 0);
    ck_assert_double_eq(params.world_gravity_m_s2, wanted.params.world_gravity_m_s2);
    params.run_seed = 3;
    ck_assert_uint_eq(creature_choose_seed(&wanted, &params), rng_mix_seed(3, 5));
    wanted.has_evaluation = 1;
    wanted.seed = 99;
    wanted.params.world_gravity_m_s2 = 2;
    wanted.params.world_friction = 0.25;
    ck_assert_int_eq(creature_choose_params(&wanted, NULL, assignments, 1, &params, &error), 0);
    ck_assert_double_eq(params.world_gravity_m_s2, 7);
    ck_assert_double_eq(params.world_friction, 0.25);
    ck_assert_uint_eq(creature_choose_seed(&wanted, &params), 99);
    ck_refused(creature_choose_params(&wanted, NULL, assignments, 2, &params, &error), 0,
               "-s world.no_such=1");
    ck_assert_int_ne(creature_choose_params(&wanted, "no.ini", NULL, 0, &params, &error), 0);
}

TEST(written_and_read)
{
    struct creature copy;
    const char *path = within("a.creature");
    for (int is_text = 0; is_text < 2; is_text++) {
        ck_ok(creature_write(&creature, path, is_text, &error));
        ck_ok(creature_read(&copy, path, &error));
        assert_equal(&creature, &copy);
        creature_deinit(&copy);
    }
    ck_assert_int_eq(count_files(), 1);
    unlink(path);
    ck_refused(creature_read(&copy, path, &error), ERR_MISSING, "a.creature: No such file");
}

TEST(failed_writes_leave_nothing)
{
    const char *path = printed("%s/none/a.creature", directory);
    ck_refused(creature_write(&creature, path, 0, &error), ERR_MISSING,
               "/none/a.creature: No such file");
    // a directory stands in the way of the rename
    path = printed("%s/a.creature", directory);
    const char *inner = printed("%s/x", path);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(mkdir(inner, 0700), 0);
    ck_assert_int_lt(creature_write(&creature, path, 1, &error), 0);
    ck_assert_int_eq(count_files(), 1);
    rmdir(inner);
    rmdir(path);
    // what is no genome is not written
    creature.genome.root = 99;
    ck_refused(creature_write(&creature, path, 0, &error), 0,
               "a.creature: not written: root: no body has");
    ck_assert_int_eq(count_files(), 0);
}

TEST(huge_files_are_refused)
{
    struct creature copy;
    const char *path = printed("%s/huge", directory);
    FILE *file = fopen(path, "w");
    ck_assert_int_eq(ftruncate(fileno(file), CREATURE_FILE_BYTES_MAX + 1), 0);
    fclose(file);
    ck_refused(creature_read(&copy, path, &error), ERR_LIMIT, "huge: larger than 4194304 bytes");
    unlink(path);
}

FIXTURE(setup, teardown)

/* Spheres and boxes come back from both forms, and from neither when their bytes are damaged;
 * behind a right checksum nothing comes that genome_check() would refuse, nor under an older
 * version. */
TEST_LOOP(other_kinds_travel, 0, 2)
{
    static void (*const make[])(struct genome * genome) = {fixture_make_spheres,
                                                           fixture_make_boxes};
    uint64_t version = 3 + (uint64_t)_i;
    size_t size;
    become(make[_i]);
    ck_ok(genome_check(&creature.genome, &error));
    assert_kept_in_bytes(&creature);
    assert_kept_in_json("");
    FREED char *content = flip_content(version, 5 * BIT_STEP, &size);
    ck_assert_int_eq(decode_content(content, size, version - 1), ERR_FORMAT);
}

#define BALL "[{'id': 1, 'radius_m': 1"
#define ROD  BALL "}], 'connections': [{'id': 1, 'from': 1, 'to': 1"
struct bad_rows {
    const char *rows, *message;
};
static const struct bad_rows bad_spheres[] = {
    {"[{'id': 1, 'width_m': 1}]", "bodies[0].width_m: unknown key"},
    {"[{'id': 1}]", "bodies[0].radius_m: missing"},
    {"[{'id': 1, 'radius_m': 6}]", "body 0 (id 1): radius_m 6 is not within"},
    {BALL ", 'joint': 'rotary'}]", "bodies[0].joint: unknown name \"rotary\""},
    {BALL ", 'symmetric': 'round'}]", "bodies[0].symmetric: unknown name \"round\""},
    {BALL ", 'limits_rad': [0, 1]}]", "body 0 (id 1): upper_rad 1 is not within 0 .. 0"},
    {BALL ", 'joint': 'hinge', 'drive': {'inputs': [1, 2]}}]",
     "bodies[0].drive.inputs: expected an array of at most 1"},
    {BALL ", 'drive': {'inputs': []}}]", "body 0 (id 1): drive_strength 1 is not within 0 .. 0"},
    {BALL ", 'sensors': ['contact-top']}]",
     "body 0 (id 1): sensors 4 is not a set of those of spheres"},
    {ROD "}]", "connections[0].length_m: missing"},
    {ROD ", 'brace': 'cousin'}]", "connections[0].brace: unknown name \"cousin\""},
    {ROD ", 'brace': 'twin', 'length_m': 1}]",
     "connection 0 (id 1): length_m 1 is not within 0 .. 0"},
    {ROD ", 'length_m': 1, 'muscle': {'gain': 0}}]",
     "connections[0].muscle.gain: 0 makes it no muscle"},
    {ROD ", 'length_m': 1, 'muscle': {'longest': 0.9}}]",
     "connection 0 (id 1): longest 0.9 is not within 1 .. 3"},
};

#define BOX   "[{'id': 1, 'width_m': 1, 'height_m': 1, 'depth_m': 1"
#define GLUED BOX "}], 'connections': [{'id': 1, 'from': 1, 'to': 1"
static const struct bad_rows bad_boxes[] = {
    {"[{'id': 1, 'width_m': 1, 'height_m': 1}]", "bodies[0].depth_m: missing"},
    {"[{'id': 1, 'radius_m': 1}]", "bodies[0].radius_m: unknown key"},
    {BOX ", 'joint': 'rotary'}]", "bodies[0].joint: unknown name \"rotary\"; "
                                  "there are rigid, linear, revolute, twist, "
                                  "universal, bend-twist, twist-bend, spherical"},
    {BOX ", 'limits_2_rad': [-1, 1]}]", "body 0 (id 1): lower_2_rad -1 is not within 0 .. 0"},
    {BOX ", 'joint': 'spherical', 'limits_2_rad': [-1, 1]}]",
     "body 0 (id 1): lower_2_rad -1 is not within 0 .. 0"},
    {BOX ", 'joint': 'spherical', 'limits_rad': [-1, 2]}]",
     "body 0 (id 1): upper_rad 2 is not within 0 .. 1.57"},
    {BOX ", 'joint': 'linear', 'limits_rad': [-1, 1]}]",
     "bodies[0].limits_rad: this joint has limits_m"},
    {BOX ", 'effector': {'input': 1, 'further_inputs': [1]}}]",
     "bodies[0].effector.further_inputs: expected an array of at most 0"},
    {BOX ", 'joint': 'universal', 'effector': {'input': 1, 'further_inputs': [1, 1]}}]",
     "bodies[0].effector.further_inputs: expected an array of at most 1"},
    {BOX ", 'sensors': ['touch']}]", "body 0 (id 1): sensors 16384 is not a set of those of boxes"},
    {GLUED ", 'parent_face': 'side'}]",
     "connections[0].parent_face: unknown name \"side\"; there are right, top, left, "
     "bottom, front, back"},
    {GLUED ", 'tilt_rad': 2}]", "connection 0 (id 1): tilt_rad 2 is not within -1.57"},
    {GLUED ", 'child_position_2': 2}]",
     "connection 0 (id 1): child_position_2 2 is not within -1 .. 1"},
};

static void assert_refused(int version, const char *body, const struct bad_rows *row)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{'format': 'bestiary-creature', 'version': %d, 'body': '%s', 'bodies': %s}", version,
             body, row->rows);
    refuse_text(text, row->message);
}

TEST(other_kinds_in_json_that_must_fail)
{
    for (size_t i = 0; i < sizeof bad_spheres / sizeof bad_spheres[0]; i++)
        assert_refused(3, "spheres", &bad_spheres[i]);
    for (size_t i = 0; i < sizeof bad_boxes / sizeof bad_boxes[0]; i++)
        assert_refused(4, "boxes", &bad_boxes[i]);
    assert_refused(4, "boxing", &(struct bad_rows){"[]", "body: unknown name \"boxing\""});
}

FIXTURE(make_directory, remove_directory)

/* Files of every version stay readable; see docs/creature-format.md. */
TEST_LOOP(golden_files_are_read, 0, CREATURE_FORMAT_VERSION)
{
    static void (*const make[CREATURE_FORMAT_VERSION])(struct genome * genome) = {
        fixture_make, make_clawed,   fixture_make_spheres, fixture_make_boxes, make_lagging,
        make_seeing,  make_emitting, make_stretching,      make_mouthed,       make_headed};
    SCOPED(creature) binary, text;
    SCOPED(genome) expected;
    int version = 1 + _i;
    const char *path = printed(GOLDEN_BINARY, version);
    ck_ok(creature_read(&binary, path, &error));
    path = printed(GOLDEN_JSON, version);
    ck_ok(creature_read(&text, path, &error));
    assert_equal(&binary, &text);
    make[_i](&expected);
    /* files of versions without the key mean what they did */
    ck_assert_int_eq(text.params.boxes_neighbours, version < 5 ? NEIGHBOURS_PASS : NEIGHBOURS_AUTO);
    ck_assert_int_eq(binary.params.boxes_neighbours, text.params.boxes_neighbours);
    ck_assert(genome_is_equal(&text.genome, &expected));
    ck_assert_str_eq(text.name, creature.name);
    ck_assert_uint_eq(text.parents[0], INT64_MAX);
    ck_assert_uint_eq(text.seed, UINT64_C(0xfedcba9876543210));
    ck_assert_int_eq(text.verdict, VERDICT_TOO_FAST);
    ck_assert(text.params.world_gravity_m_s2 == 1.0 / 3.0);
    ck_assert(text.measures.mass_kg == -1.0 / 6.0);
}

TEST(examples_are_read)
{
    static const char *const names[] = {"inchworm",  "biped", "fish", "tail", "pusher",
                                        "quadruped", "snake", "ray",  "arm",  "earthworm"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        SCOPED(creature) copy;
        SCOPED(genome) collected;
        ck_ok(creature_read(&copy, printed("examples/creatures/%s.json", names[i]), &error));
        ck_assert_str_eq(copy.name, names[i]);
        ck_assert_int_eq(genome_copy(&collected, &copy.genome), 0);
        genome_collect_garbage(&collected);
        ck_assert_msg(genome_is_equal(&collected, &copy.genome), "%s has garbage", names[i]);
    }
}

/* Every whole creature in a ```json block of the manual. */
TEST(examples_in_the_manual_are_read)
{
    static const char *const paths[] = {"docs/creature-format.md", "docs/genotype.md",
                                        "docs/spheres.md", "docs/boxes.md"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        FREED char *page;
        size_t length;
        int count = 0;
        ck_ok(file_read(paths[i], 1 << 20, &page, &length, &error));
        for (char *block = page; (block = strstr(block, "```json\n"));) {
            block += strlen("```json\n");
            char *end = strstr(block, "\n```");
            struct creature copy;
            ck_assert_ptr_nonnull(end);
            *end = '\0';
            if (strstr(block, "\"format\"")) {
                ck_assert_msg(creature_decode(&copy, block, strlen(block), "worm.json", &error) ==
                                  0,
                              "%s: %s", paths[i], error.message);
                creature_deinit(&copy);
                count++;
            }
            block = end + 1;
        }
        ck_assert_int_gt(count, 0);
    }
}

/* With --make-golden: writes the golden files of the current format, once for each version. */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--make-golden") == 0) {
        make_creature(&creature);
        become(make_headed);
        const char *binary = printed(GOLDEN_BINARY, CREATURE_FORMAT_VERSION);
        const char *text = printed(GOLDEN_JSON, CREATURE_FORMAT_VERSION);
        return creature_write(&creature, binary, 0, &error) != 0 ||
               creature_write(&creature, text, 1, &error) != 0;
    }
    return run_defined_tests("creature", 120, setup, teardown);
}
