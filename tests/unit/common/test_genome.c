/* common/genome: tables, equality, digest, the check (each rule broken once) and the garbage
 * collector (on broken genomes made at random: what it leaves must pass the check). */
#include "common/genome/genome.h"

#include "common/genome/body_kind.h"
#include "common/system/file.h"
#include "tests/unit/genome_fixture.h"
#include "tests/plain_fixture.h"

static struct genome genome;

static void setup(void)
{
    memset(&error, 0, sizeof error);
    fixture_make(&genome);
}

static void teardown(void)
{
    genome_deinit(&genome);
}

static struct neuron_gene *neuron_row(gene_id id)
{
    return &genome.neurons[genome_find_neuron(&genome, id)];
}

TEST(fixture_passes)
{
    ck_ok(genome_check(&genome, &error));
    ck_assert_int_eq(genome.body_count, 3);
    ck_assert_int_eq(genome.connection_count, 4);
    ck_assert_int_eq(genome.neuron_count, 4 + NEURON_FUNCTION_COUNT);
}

TEST(names_are_complete)
{
    ck_assert_str_eq(joint_type_names[JOINT_ROTARY], "rotary");
    ck_assert_str_eq(joint_type_names[JOINT_LINEAR], "linear");
    ck_assert_str_eq(input_scope_names[SCOPE_PART], "part");
}

TEST(rows_are_found_and_removed_in_order)
{
    ck_assert_int_eq(genome_find_body(&genome, HAND), 2);
    ck_assert_int_eq(genome_find_connection(&genome, ARM_TO_ARM), 2);
    ck_assert_int_eq(genome_find_neuron(&genome, TRUNK_SUM), 3);
    ck_assert_int_eq(genome_find_body(&genome, 77), -1);
    ck_assert_int_eq(genome_find_connection(&genome, 77), -1);
    ck_assert_int_eq(genome_find_neuron(&genome, 0), -1);
    genome_remove(&genome, GENOME_CONNECTIONS, 1);
    ck_assert_int_eq(genome.connection_count, 3);
    ck_assert_uint_eq(genome.connections[1].id, ARM_TO_ARM);
    genome_remove(&genome, GENOME_BODIES, 2);
    genome_remove(&genome, GENOME_NEURONS, 0);
    ck_assert_uint_eq(genome.neurons[0].id, CENTRAL_WATCH);
    ck_assert_int_eq(genome.body_count, 2);
}

TEST(tables_have_maxima)
{
    while (genome.body_count < GENOME_BODIES_MAX)
        ck_assert_ptr_nonnull(genome_add(&genome, GENOME_BODIES));
    while (genome.connection_count < GENOME_CONNECTIONS_MAX)
        ck_assert_ptr_nonnull(genome_add(&genome, GENOME_CONNECTIONS));
    while (genome.neuron_count < GENOME_NEURONS_MAX)
        ck_assert_ptr_nonnull(genome_add(&genome, GENOME_NEURONS));
    ck_assert_ptr_null(genome_add(&genome, GENOME_BODIES));
    ck_assert_ptr_null(genome_add(&genome, GENOME_CONNECTIONS));
    ck_assert_ptr_null(genome_add(&genome, GENOME_NEURONS));
    ck_assert_uint_eq(genome.bodies[GENOME_BODIES_MAX - 1].id, 0);
    ck_assert_uint_eq(genome.bodies[0].id, TRUNK);
}

TEST(a_removed_row_is_reused_zeroed)
{
    genome_remove(&genome, GENOME_BODIES, 2);
    const struct body_gene *body = genome_add(&genome, GENOME_BODIES);
    ck_assert_uint_eq(body->id, 0);
    ck_assert(body->width_m == 0 && body->effector_input.weight == 0);
}

TEST(copies_are_equal_and_independent)
{
    struct genome copy, empty, empty_copy;
    ck_assert_int_eq(genome_copy(&copy, &genome), 0);
    ck_assert(genome_is_equal(&genome, &copy));
    ck_assert_uint_eq(genome_hash(&genome), genome_hash(&copy));
    ck_assert_ptr_nonnull(genome_add(&copy, GENOME_NEURONS));
    ck_assert(!genome_is_equal(&genome, &copy));
    ck_assert_uint_ne(genome_hash(&genome), genome_hash(&copy));
    genome_deinit(&copy);
    genome_init(&empty);
    ck_assert_int_eq(genome_copy(&empty_copy, &empty), 0);
    ck_assert(genome_is_equal(&empty, &empty_copy));
    ck_assert_int_lt(genome_check(&empty, &error), 0);
}

/* Each assignment changes what is no field of a body or a connection (those are changed in
 * test_genome_diff.c): equality and digest must see it. */
#define FIELDS(X)                                                                                  \
    X(genome.root = ARM)                                                                           \
    X(genome.bodies[1].id++)                                                                       \
    X(genome.connections[1].id++)                                                                  \
    X(genome.connections[1].from = ARM)                                                            \
    X(genome.connections[1].to = HAND)                                                             \
    X(genome.neurons[2].id += 500)                                                                 \
    X(genome.neurons[2].owner = TRUNK)                                                             \
    X(genome.neurons[2].function = NEURON_COS)                                                     \
    X(genome.neurons[0].lag_image = 0.5)                                                           \
    X(genome.neurons[0].lag_row = 0.5)                                                             \
    X(genome.neurons[2].initial = 0.5)                                                             \
    X(genome.neurons[2].inputs[0].kind = INPUT_NEURON)                                             \
    X(genome.neurons[2].inputs[0].scope = SCOPE_OWN)                                               \
    X(genome.neurons[2].inputs[0].sensor = SENSOR_JOINT)                                           \
    X(genome.neurons[2].inputs[0].source = 1)                                                      \
    X(genome.neurons[2].inputs[0].via = ARM)                                                       \
    X(genome.neurons[2].inputs[0].value = 1)                                                       \
    X(genome.neurons[2].inputs[0].weight = 2)                                                      \
    X(genome.neurons[2].inputs[2].weight = 2)                                                      \
    X(genome.neuron_count--)                                                                       \
    X(genome.connection_count--)                                                                   \
    X(genome.body_count--)

TEST(every_field_counts)
{
    SCOPED(genome) original;
    ck_assert_int_eq(genome_copy(&original, &genome), 0);
#define X(change)                                                                                  \
    change;                                                                                        \
    ck_assert_msg(!genome_is_equal(&genome, &original), "%s", #change);                            \
    ck_assert_msg(genome_hash(&genome) != genome_hash(&original), "%s", #change);                  \
    genome_deinit(&genome);                                                                        \
    fixture_make(&genome);
    FIELDS(X)
#undef X
    ck_assert(genome_is_equal(&genome, &original));
}

TEST(order_counts)
{
    uint64_t hash = genome_hash(&genome);
    struct connection_gene first = genome.connections[0];
    genome.connections[0] = genome.connections[1];
    genome.connections[1] = first;
    ck_assert_int_eq(genome_check(&genome, &error), 0);
    ck_assert_uint_ne(genome_hash(&genome), hash);
}

static void make_linear(double lower, double upper)
{
    genome.bodies[0].joint = JOINT_LINEAR;
    genome.bodies[0].lower = lower;
    genome.bodies[0].upper = upper;
}

TEST(limits_are_in_the_unit_of_the_joint)
{
    /* two full turns are too far for an extension, and 10 m are within two turns */
    genome.bodies[0].upper = GENOME_LIMIT_MAX_RAD;
    ck_assert_int_eq(genome_check(&genome, &error), 0);
    genome.bodies[0].joint = JOINT_LINEAR;
    ck_assert_int_eq(genome_check(&genome, &error), ERR_RANGE);
    make_linear(-GENOME_LIMIT_MAX_M, GENOME_LIMIT_MAX_M);
    ck_assert_int_eq(genome_check(&genome, &error), 0);
    ck_assert(genome_limit_max(JOINT_LINEAR) == GENOME_LIMIT_MAX_M);
    ck_assert(genome_limit_max(JOINT_ROTARY) == GENOME_LIMIT_MAX_RAD);
    genome.bodies[0].width_m = 0.2;
    genome.bodies[0].height_m = 0.7;
    ck_assert(genome_reach_m(&genome.bodies[0]) == 0.35);
}

TEST(zeros_of_both_signs_are_equal)
{
    uint64_t hash = genome_hash(&genome);
    SCOPED(genome) copy;
    ck_assert_int_eq(genome_copy(&copy, &genome), 0);
    genome.connections[2].angle_rad = -0.0;
    ck_assert(genome_is_equal(&genome, &copy));
    ck_assert_uint_eq(genome_hash(&genome), hash);
}

/* Every rule, broken once; the message begins with the row. */
#define RULES(X)                                                                                   \
    X(genome.root = 99, "root: no body has the id 99")                                             \
    X(genome.root = 0, "root: ")                                                                   \
    X(genome.body_count = 0, "0 bodies are not within 1 .. 32")                                    \
    X(genome.bodies[1].id = 0, "body 1 (id 0): an id is not 0")                                    \
    X(genome.bodies[2].id = UINT64_MAX, "body 2 (id 18446744073709551615): an id is at most")      \
    X(genome.bodies[2].id = TRUNK, "body 2 (id 1): another body has the same id")                  \
    X(genome.bodies[0].width_m = 0, "body 0 (id 1): width_m 0 is not within 0.01 .. 10")           \
    X(genome.bodies[0].width_m = NAN, "body 0 (id 1): width_m nan is not within")                  \
    X(genome.bodies[0].height_m = INFINITY, "body 0 (id 1): height_m inf is not within")           \
    X(genome.bodies[0].height_m = 10.001, "body 0 (id 1): height_m 10.001 is not within")          \
    X(genome.bodies[0].joint = JOINT_TYPE_COUNT, "body 0 (id 1): joint 13 is not within 0 .. 2")   \
    X(make_linear(0.1, 1), "body 0 (id 1): lower_m 0.1 is not within -10 .. 0")                    \
    X(make_linear(-10.1, 1), "body 0 (id 1): lower_m -10.1 is not within")                         \
    X(make_linear(NAN, 1), "body 0 (id 1): lower_m nan is not within")                             \
    X(make_linear(-1, -0.1), "body 0 (id 1): upper_m -0.1 is not within 0 .. 10")                  \
    X(make_linear(-1, 10.1), "body 0 (id 1): upper_m 10.1 is not within")                          \
    X(genome.bodies[0].lower = 0.1, "body 0 (id 1): lower_rad 0.1 is not within")                  \
    X(genome.bodies[0].lower = -12.6, "body 0 (id 1): lower_rad -12.6 is not within")              \
    X(genome.bodies[0].upper = -0.1, "body 0 (id 1): upper_rad -0.1 is not within 0 ..")           \
    X(genome.bodies[0].upper = 12.6, "body 0 (id 1): upper_rad 12.6 is not within")                \
    X(genome.bodies[0].recursive_limit = 0, "body 0 (id 1): recursive_limit 0 is not within 1")    \
    X(genome.bodies[0].recursive_limit = 17, "body 0 (id 1): recursive_limit 17 is not")           \
    X(genome.bodies[0].is_symmetric = 2, "body 0 (id 1): is_symmetric 2")                          \
    X(genome.bodies[0].sensors = SENSOR_BIT(SENSOR_BONE), "body 0 (id 1): sensors 2048 is not")    \
    X(genome.bodies[0].has_effector = 2, "body 0 (id 1): has_effector 2")                          \
    X(genome.bodies[0].effector_strength = 1,                                                      \
      "body 0 (id 1): effector_strength 1 is not within 0 .. 0")                                   \
    X(genome.bodies[0].effector_input.weight = 1, "body 0 (id 1), effector input: not zero")       \
    X(genome.bodies[1].effector_strength = 0, "body 1 (id 2): effector_strength 0 is not above")   \
    X(genome.bodies[1].effector_strength = 1.5, "body 1 (id 2): effector_strength 1.5 is not")     \
    X(genome.bodies[1].effector_strength = NAN, "body 1 (id 2): effector_strength nan is not")     \
    X(genome.bodies[1].effector_input.weight = 101,                                                \
      "body 1 (id 2), effector input: weight 101 is not within -100 .. 100")                       \
    X(genome.bodies[1].effector_input.kind = INPUT_KIND_COUNT, "body 1 (id 2), effector input: k") \
    X(genome.bodies[1].effector_input.source = 7,                                                  \
      "body 1 (id 2), effector input: names a neuron that does not exist")                         \
    X(genome.connections[0].id = 0, "connection 0 (id 0): an id is not 0")                         \
    X(genome.connections[3].id = TO_ARM_LEFT, "connection 3 (id 11): another connection")          \
    X(genome.connections[0].from = 5, "connection 0 (id 11): from: no body has the id 5")          \
    X(genome.connections[0].to = 5, "connection 0 (id 11): to: no body has the id 5")              \
    X(genome.connections[0].parent_face = 4, "connection 0 (id 11): parent_face 4 is not")         \
    X(genome.connections[0].child_face = 200, "connection 0 (id 11): child_face 200 is not")       \
    X(genome.connections[0].parent_position = -1.1, "connection 0 (id 11): parent_position -1.1")  \
    X(genome.connections[0].child_position = NAN, "connection 0 (id 11): child_position nan")      \
    X(genome.connections[0].angle_rad = 6.3, "connection 0 (id 11): angle_rad 6.3 is not within")  \
    X(genome.connections[0].scale = 0.09, "connection 0 (id 11): scale 0.09 is not within 0.1")    \
    X(genome.connections[0].scale = 10.1, "connection 0 (id 11): scale 10.1 is not within")        \
    X(genome.connections[0].is_reflected = 3, "connection 0 (id 11): is_reflected 3")              \
    X(genome.connections[0].is_terminal_only = 3, "connection 0 (id 11): is_terminal_only 3")      \
    X(genome.neurons[0].id = 0, "neuron 0 (id 0): an id is not 0")                                 \
    X(fixture_neuron_row(&genome, CENTRAL_CLOCK, 0, NEURON_SIN), "neuron 27 (id 100): another")    \
    X(genome.neurons[0].owner = 50, "neuron 0 (id 100): lives in body 50, which does not exist")   \
    X(genome.neurons[0].function = NEURON_FUNCTION_COUNT, "neuron 0 (id 100): function 23")        \
    X(genome.neurons[0].initial = 1, "neuron 0 (id 100): initial 1 is not within 0 .. 0.99999")    \
    X(genome.neurons[0].initial = -0.1, "neuron 0 (id 100): initial -0.1 is not")                  \
    X(genome.neurons[1].initial = 0.1, "neuron 1 (id 101): initial 0.1 is not within 0 .. 0")      \
    X(genome.neurons[0].lag_image = 1,                                                             \
      "neuron 0 (id 100): lag_image 1 is not within 0 .. 0.99999")                                 \
    X(genome.neurons[1].lag_row = 0.1, "neuron 1 (id 101): lag_row 0.1 is not within 0 .. 0")      \
    X(genome.neurons[1].inputs[1].weight = 1, "neuron 1 (id 101), input 1: not zero, but abs has") \
    X(genome.breeding = BREEDING_GENE_COUNT, "breeding: 4 is not within 0 .. 3")                   \
    X(genome.neurons[0].inputs[0].value = 101, "neuron 0 (id 100), input 0: value 101 is not")     \
    X(genome.neurons[0].inputs[0].value = NAN, "neuron 0 (id 100), input 0: value nan is not")     \
    X(genome.neurons[0].inputs[0].weight = -INFINITY, "neuron 0 (id 100), input 0: weight -inf")   \
    X(genome.neurons[0].inputs[0].scope = SCOPE_CENTRAL, "neuron 0 (id 100), input 0: a constant") \
    X(genome.neurons[0].inputs[0].scope = SCOPE_COUNT, "neuron 0 (id 100), input 0: scope 5")      \
    X(genome.neurons[0].inputs[0].via = 1, "neuron 0 (id 100), input 0: via is for scopes")        \
    X(genome.neurons[0].inputs[0].source = 1, "neuron 0 (id 100), input 0: only a neuron's input") \
    X(genome.neurons[0].inputs[0].sensor = 1, "neuron 0 (id 100), input 0: only a sensor's input") \
    X(genome.neurons[0].inputs[1].value = 1, "neuron 0 (id 100), input 1: only a constant has")    \
    X(genome.neurons[2].inputs[0].sensor = SENSOR_COUNT, "neuron 2 (id 102), input 0: sensor 47")  \
    X(genome.bodies[0].stretch.limit = 0.7,                                                        \
      "body 0 (id 1): stretch_limit 0.7 is not within 0 .. ")                                      \
    X(genome.bodies[0].stretch.input.weight = 1, "body 0 (id 1), stretch input: not zero")         \
    X(genome.bodies[0].emitters[0].is_there = 2,                                                   \
      "body 0 (id 1): has_sound 2 is not within 0 .. 1")                                           \
    X(genome.bodies[0].emitters[1].input.weight = 1,                                               \
      "body 0 (id 1), scent_1 input: not zero, but 0 of 1 are used")                               \
    X((genome.bodies[0].emitters[2].is_there = 1,                                                  \
       genome.bodies[0].emitters[2].input.weight = 101),                                           \
      "body 0 (id 1), scent_2 input: weight 101 is not within -100 .. 100")

/* The manual has every key of every gene, and every gene has a place in its struct of its own. */
static void check_manual(const struct gene_field *table, const char *manual)
{
    for (const struct gene_field *field = table; field->name; field++) {
        const char *key = field->form_count ? field->forms[0].key
                          : field->key      ? field->key
                                            : field->name;
        key = key[0] ? key : field->group;
        ck_assert_msg(strstr(manual, key) != NULL, "docs/creature-format.md has no %s", key);
        for (const struct gene_field *other = table; other < field; other++)
            ck_assert_msg(other->offset != field->offset, "%s and %s", other->name, field->name);
    }
}

TEST(the_manual_has_every_gene)
{
    size_t length;
    FREED char *manual = NULL;
    ck_assert_int_eq(file_read("docs/creature-format.md", 1 << 20, &manual, &length, &error), 0);
    for (int kind = 0; kind < BODY_KIND_COUNT; kind++) {
        check_manual(body_kinds[kind].body, manual);
        check_manual(body_kinds[kind].connection, manual);
    }
}

TEST(every_rule_is_checked)
{
#define X(change, expected)                                                                        \
    genome_deinit(&genome);                                                                        \
    fixture_make(&genome);                                                                         \
    change;                                                                                        \
    ck_assert_msg(genome_check(&genome, &error) < 0, "accepted: %s", #change);                     \
    ck_assert_msg(strncmp(error.message, expected, strlen(expected)) == 0, "%s: %s", #change,      \
                  error.message);
    RULES(X)
#undef X
}

/* What boxes have of their own. */
#define BOX_RULES(X)                                                                               \
    X(leg->joint = JOINT_BALL, "body 1 (id 2): joint ball is not one of this kind")                \
    X(leg->joint = JOINT_TYPE_COUNT, "body 1 (id 2): joint 13 is not within 0 .. 12")              \
    X(leg->box.depth_m = 0, "body 1 (id 2): depth_m 0 is not within 0.01 .. 10")                   \
    X(leg->box.upper_2 = 4, "body 1 (id 2): upper_2_rad 4 is not within 0 .. 3.14")                \
    X(leg->joint = JOINT_REVOLUTE, "body 1 (id 2): lower_2_rad -0.25 is not within 0 .. 0")        \
    X(leg->sphere.radius_m = 1, "body 1 (id 2): radius_m is not a gene of boxes")                  \
    X(leg->drive_strength = 1, "body 1 (id 2)")                                                    \
    X(leg->drives[1].weight = 1, "body 1 (id 2), further effector input: not zero, but 1 of 2")    \
    X(leg->drives[0].sensor = SENSOR_HEIGHT, "body 1 (id 2), further effector input: ")            \
    X(leg->sensors = SENSOR_BIT(SENSOR_BONE), "body 1 (id 2): sensors 2048 is not a set of")       \
    X(genome.bodies[3].box.lower_2 = -1, "body 3 (id 4): lower_2_rad -1 is not within 0 .. 0")     \
    X(genome.bodies[3].upper = 2, "body 3 (id 4): upper_rad 2 is not within 0 .. 1.57")            \
    X(hip->parent_face = FACE_COUNT, "connection 0 (id 11): parent_face 6 is not within 0 .. 5")   \
    X(hip->mount.child_position_2 = NAN, "connection 0 (id 11): child_position_2 nan")             \
    X(hip->mount.tilt_rad = 1.6, "connection 0 (id 11): tilt_rad 1.6 is not within -1.57")         \
    X(hip->bone.length_m = 1, "connection 0 (id 11): length_m is not a gene of boxes")

TEST(every_rule_of_boxes_is_checked){
#define X(change, expected)                                                                        \
    {                                                                                              \
        genome_deinit(&genome);                                                                    \
        fixture_make_boxes(&genome);                                                               \
        ck_ok(genome_check(&genome, &error));                                                      \
        struct body_gene *leg = &genome.bodies[1];                                                 \
        struct connection_gene *hip = &genome.connections[0];                                      \
        change;                                                                                    \
        ck_assert_msg(leg->id && hip->id && genome_check(&genome, &error) < 0, "accepted: %s",     \
                      #change);                                                                    \
        ck_assert_msg(strncmp(error.message, expected, strlen(expected)) == 0, "%s: %s", #change,  \
                      error.message);                                                              \
    }
    BOX_RULES(X)
#undef X
}

/* An effector has an input for each freedom; without one there are none, and none is left over. */
TEST(inputs_of_freedoms)
{
    genome_deinit(&genome);
    fixture_make_boxes(&genome);
    static const int counts[] = {
        [JOINT_RIGID] = 1,     [JOINT_LINEAR] = 1,     [JOINT_REVOLUTE] = 1,
        [JOINT_UNIVERSAL] = 2, [JOINT_TWIST_BEND] = 2, [JOINT_SPHERICAL] = 3};
    struct body_gene *leg = &genome.bodies[1];
    for (int joint = 0; joint <= JOINT_SPHERICAL; joint++) {
        if (!counts[joint])
            continue;
        leg->joint = (uint8_t)joint;
        int count = 0;
        while (genome_body_input(leg, count))
            count++;
        ck_assert_int_eq(count, counts[joint]);
        ck_assert_int_eq(genome_effector_count(leg), counts[joint]);
    }
    ck_assert_ptr_eq(genome_body_input(leg, 2), &leg->drives[1]);
    /* as a damaged file has it */
    leg->joint = JOINT_TYPE_COUNT;
    ck_assert_int_eq(genome_drive_count(leg), 0);
    ck_assert(genome_limit_max(255) == 0);
    leg->joint = JOINT_SPHERICAL;
    leg->has_effector = 0;
    ck_assert_ptr_null(genome_body_input(leg, 0));
    genome_collect_garbage(&genome);
    leg = &genome.bodies[genome_find_body(&genome, BOX_LEG)];
    ck_assert(leg->drives[0].weight == 0 && leg->effector_strength == 0);
}

/* Emitters come after the joint's inputs; a genome without them has the hash that it always had. */
TEST(inputs_of_emitters)
{
    struct body_gene *arm = &genome.bodies[1];
    uint64_t before = genome_hash(&genome);
    SCOPED(genome) copy;
    arm->emitters[EMITTER_SOUND].input.weight = 1;
    ck_assert_uint_eq(genome_hash(&genome), before); /* which genome_check() refuses */
    genome_collect_garbage(&genome);
    arm = &genome.bodies[genome_find_body(&genome, ARM)];
    ck_assert(arm->emitters[EMITTER_SOUND].input.weight == 0);
    before = genome_hash(&genome);
    ck_assert_int_eq(genome_copy(&copy, &genome), 0);
    arm->emitters[EMITTER_SCENT_2].is_there = 1;
    arm->emitters[EMITTER_SCENT_2].input = arm->effector_input;
    ck_assert_ptr_eq(genome_body_input(arm, 1), &arm->emitters[EMITTER_SCENT_2].input);
    ck_assert_ptr_eq(genome_body_input_const(arm, 1), &arm->emitters[EMITTER_SCENT_2].input);
    ck_assert_ptr_null(genome_body_input(arm, 2));
    ck_assert_int_eq(genome_check(&genome, &error), 0);
    ck_assert_uint_ne(genome_hash(&genome), before);
    ck_assert(!genome_is_equal(&genome, &copy));
    /* what only an emitter reads stays */
    int neurons = genome.neuron_count;
    arm->has_effector = 0;
    genome_collect_garbage(&genome);
    ck_assert_int_eq(genome.neuron_count, neurons);
    arm = &genome.bodies[genome_find_body(&genome, ARM)];
    arm->emitters[EMITTER_SCENT_2].is_there = 0;
    genome_collect_garbage(&genome);
    ck_assert_int_lt(genome.neuron_count, neurons);
}

/* Sensors beyond number 31 make a difference, too. */
TEST(late_sensors_are_compared)
{
    SCOPED(genome) copy;
    genome.bodies[0].sensors |= SENSOR_BIT(SENSOR_SCENT_1_LEVEL);
    ck_assert_int_eq(genome_copy(&copy, &genome), 0);
    ck_assert(genome_is_equal(&copy, &genome));
    copy.bodies[0].sensors ^= SENSOR_BIT(SENSOR_SCENT_1_LEVEL);
    ck_assert(!genome_is_equal(&copy, &genome) && !genome_is_equal(&genome, &copy));
}

/* An input in place of the arm's effector's, of a neuron in the trunk, of one in the central
 * set. */
static const char *message_in_arm(struct input_gene input)
{
    genome.bodies[1].effector_input = input;
    return genome_check(&genome, &error) < 0 ? error.message : "";
}

static const char *message_in_trunk(struct input_gene input)
{
    neuron_row(TRUNK_SUM)->inputs[0] = input;
    return genome_check(&genome, &error) < 0 ? error.message : "";
}

static const char *message_in_centre(struct input_gene input)
{
    neuron_row(CENTRAL_WATCH)->inputs[0] = input;
    return genome_check(&genome, &error) < 0 ? error.message : "";
}

#define assert_says(message, part)                                                                 \
    do {                                                                                           \
        const char *said = message;                                                                \
        ck_assert_msg(strstr(said, part) != NULL, "\"%s\" without \"%s\"", said, part);            \
    } while (0)

TEST(references_of_parts)
{
    const char *not_there = "does not live in the body it reads";
    assert_says(message_in_arm(fixture_neuron(SCOPE_OWN, TRUNK_SUM, 0, 1)), not_there);
    assert_says(message_in_arm(fixture_neuron(SCOPE_CHILD, ARM_FIRST, ARM_TO_HAND, 1)), not_there);
    assert_says(message_in_arm(fixture_neuron(SCOPE_OWN, CENTRAL_CLOCK, 0, 1)),
                "without scope central");
    assert_says(message_in_arm(fixture_neuron(SCOPE_CENTRAL, ARM_FIRST, 0, 1)),
                "not in the central set");
    assert_says(message_in_arm(fixture_neuron(SCOPE_CHILD, ARM_FIRST, TO_ARM_LEFT, 1)),
                "does not start at the reader's body");
    assert_says(message_in_arm(fixture_neuron(SCOPE_CHILD, ARM_FIRST, 999, 1)),
                "a connection that does not exist");
    assert_says(message_in_arm(fixture_neuron(SCOPE_PART, ARM_FIRST, ARM, 1)),
                "scope part is for readers in the central set");
    assert_says(message_in_arm(fixture_neuron(SCOPE_OWN, ARM_FIRST, ARM, 1)), "via is for");
    assert_says(message_in_arm(fixture_sensor(SCOPE_OWN, SENSOR_CONTACT_TOP, 0, 1)),
                "no such sensor");
    assert_says(message_in_arm(fixture_sensor(SCOPE_CENTRAL, SENSOR_JOINT, 0, 1)),
                "the central set has no sensors");
    assert_says(message_in_arm(fixture_sensor(SCOPE_CHILD, SENSOR_JOINT, ARM_TO_HAND, 1)),
                "no such sensor");
    // the trunk hangs on nothing, the hand on the arm only
    genome_deinit(&genome);
    fixture_make(&genome);
    assert_says(message_in_trunk(fixture_neuron(SCOPE_PARENT, ARM_FIRST, 0, 1)),
                "in no possible parent");
    genome_deinit(&genome);
    fixture_make(&genome);
    genome.bodies[2].effector_input = fixture_sensor(SCOPE_PARENT, SENSOR_CONTACT_TOP, 0, 1);
    ck_assert_int_lt(genome_check(&genome, &error), 0);
    assert_says(error.message, "body 2 (id 1048579), effector input: the body it reads has no");
}

TEST(references_of_the_central_set)
{
    assert_says(message_in_centre(fixture_neuron(SCOPE_OWN, CENTRAL_CLOCK, 0, 1)), "no own part");
    assert_says(message_in_centre(fixture_neuron(SCOPE_PARENT, TRUNK_SUM, 0, 1)), "no parent part");
    assert_says(message_in_centre(fixture_neuron(SCOPE_CHILD, ARM_FIRST, TO_ARM_LEFT, 1)),
                "no child parts");
    assert_says(message_in_centre(fixture_neuron(SCOPE_PART, ARM_FIRST, TRUNK, 1)),
                "does not live in the body");
    assert_says(message_in_centre(fixture_neuron(SCOPE_PART, ARM_FIRST, 999, 1)),
                "a body that does not exist");
    assert_says(message_in_centre(fixture_sensor(SCOPE_PART, SENSOR_JOINT, HAND, 1)),
                "no such sensor");
    assert_says(message_in_centre(fixture_sensor(SCOPE_CENTRAL, SENSOR_JOINT, 0, 1)),
                "the central set has no sensors");
    ck_assert_str_eq(message_in_centre(fixture_sensor(SCOPE_PART, SENSOR_JOINT, ARM, 1)), "");
}

/* ---- garbage ---- */

static void assert_collected(void)
{
    SCOPED(genome) again;
    ck_ok(genome_check(&genome, &error));
    ck_assert_int_eq(genome_copy(&again, &genome), 0);
    genome_collect_garbage(&again);
    ck_assert_msg(genome_is_equal(&again, &genome), "a second collection changes something");
}

TEST(nothing_to_collect)
{
    SCOPED(genome) original;
    ck_assert_int_eq(genome_copy(&original, &genome), 0);
    genome_collect_garbage(&genome);
    ck_assert(genome_is_equal(&genome, &original));
}

TEST(unreached_bodies_go)
{
    // two bodies that reach each other but are reached by nothing
    fixture_body(&genome, 50);
    fixture_body(&genome, 51);
    fixture_connection(&genome, 60, 50, 51);
    fixture_connection(&genome, 61, 51, 50);
    fixture_connection(&genome, 62, 51, ARM);
    fixture_neuron_row(&genome, 70, 50, NEURON_SUM);
    genome.bodies[3].has_effector = 1;
    genome.bodies[3].effector_strength = 1;
    genome.bodies[3].effector_input = fixture_neuron(SCOPE_OWN, 70, 0, 1);
    ck_assert_int_eq(genome_check(&genome, &error), 0);
    genome_collect_garbage(&genome);
    SCOPED(genome) original;
    fixture_make(&original);
    ck_assert(genome_is_equal(&genome, &original));
}

TEST(idle_neurons_go_cycles_included)
{
    fixture_neuron_row(&genome, 70, ARM, NEURON_ABS)->inputs[0] =
        fixture_neuron(SCOPE_OWN, 71, 0, 1);
    fixture_neuron_row(&genome, 71, ARM, NEURON_ABS)->inputs[0] =
        fixture_neuron(SCOPE_OWN, 70, 0, 1);
    fixture_neuron_row(&genome, 72, 0, NEURON_ABS)->inputs[0] =
        fixture_neuron(SCOPE_CENTRAL, CENTRAL_CLOCK, 0, 1);
    genome_collect_garbage(&genome);
    ck_assert_int_eq(genome_find_neuron(&genome, 70), -1);
    ck_assert_int_eq(genome_find_neuron(&genome, 71), -1);
    ck_assert_int_eq(genome_find_neuron(&genome, 72), -1);
    ck_assert_int_eq(genome.neuron_count, 4 + NEURON_FUNCTION_COUNT);
    assert_collected();
}

TEST(without_effectors_no_neuron_stays)
{
    for (int i = 0; i < genome.body_count; i++)
        genome.bodies[i].has_effector = 0;
    genome_collect_garbage(&genome);
    ck_assert_int_eq(genome.neuron_count, 0);
    ck_assert(genome.bodies[1].effector_strength == 0);
    assert_collected();
}

TEST(dangling_references_become_zero)
{
    // the arm loses its sensor, a parent and a connection: readers of each must be repaired
    genome.bodies[1].sensors = 0;
    genome_remove(&genome, GENOME_CONNECTIONS, genome_find_connection(&genome, ARM_TO_ARM));
    genome_remove(&genome, GENOME_NEURONS, genome_find_neuron(&genome, CENTRAL_FEEL));
    ck_assert_int_lt(genome_check(&genome, &error), 0);
    genome_collect_garbage(&genome);
    assert_collected();
    static const struct input_gene zero;
    const struct input_gene *repaired = &neuron_row(CENTRAL_CLOCK)->inputs[2];
    ck_assert_mem_eq(repaired, &zero, sizeof zero);
    ck_assert_mem_eq(&genome.bodies[2].effector_input, &zero, sizeof zero);
}

/* What saw the light sees another thing, in sensors and wherever one is read, and again the
 * light. */
TEST(sights_are_exchanged_and_exchanged_back)
{
    SCOPED(genome) before;
    genome.bodies[0].sensors |= SENSOR_BIT(SENSOR_LIGHT_ALONG) | SENSOR_BIT(SENSOR_OTHER_LEVEL);
    genome.bodies[1].sensors |= SENSOR_BIT(SENSOR_LIGHT_LEVEL);
    genome.bodies[1].effector_input =
        (struct input_gene){.kind = INPUT_SENSOR, .sensor = SENSOR_LIGHT_LEVEL, .weight = 1};
    neuron_row(TRUNK_SUM)->inputs[0] =
        (struct input_gene){.kind = INPUT_SENSOR, .sensor = SENSOR_LIGHT_ALONG, .weight = 1};
    ck_ok(genome_check(&genome, &error));
    ck_assert_int_eq(genome_copy(&before, &genome), 0);
    genome_exchange_sights(&genome, SIGHT_LIGHT, SIGHT_OTHER);
    ck_ok(genome_check(&genome, &error));
    ck_assert_uint_eq(genome.bodies[0].sensors ^ before.bodies[0].sensors,
                      SENSOR_BIT(SENSOR_LIGHT_ALONG) | SENSOR_BIT(SENSOR_OTHER_ALONG) |
                          SENSOR_BIT(SENSOR_LIGHT_LEVEL) | SENSOR_BIT(SENSOR_OTHER_LEVEL));
    ck_assert_int_eq(genome.bodies[1].effector_input.sensor, SENSOR_OTHER_LEVEL);
    ck_assert_int_eq(neuron_row(TRUNK_SUM)->inputs[0].sensor, SENSOR_OTHER_ALONG);
    genome_exchange_sights(&genome, SIGHT_LIGHT, SIGHT_OTHER);
    ck_assert(genome_is_equal(&genome, &before));
    /* to see it instead is for creatures that do not see it yet */
    ck_assert_int_eq(genome_see_instead(&genome, SIGHT_LIGHT, SIGHT_OBJECT), 1);
    ck_assert_int_eq(neuron_row(TRUNK_SUM)->inputs[0].sensor, SENSOR_OBJECT_ALONG);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(genome_see_instead(&genome, SIGHT_LIGHT, SIGHT_OBJECT), 0);
        ck_assert_int_eq(genome_see_instead(&genome, SIGHT_SOUND, SIGHT_OTHER), 0);
        ck_assert_int_eq(neuron_row(TRUNK_SUM)->inputs[0].sensor, SENSOR_OBJECT_ALONG);
        genome.bodies[0].sensors |= SENSOR_BIT(SENSOR_LIGHT_ALONG);
    }
}

TEST(a_lost_root_is_replaced)
{
    genome_remove(&genome, GENOME_BODIES, 0);
    genome_collect_garbage(&genome);
    ck_assert_uint_eq(genome.root, ARM);
    assert_collected();
    genome_deinit(&genome);
    genome_collect_garbage(&genome); /* empty: nothing happens */
    ck_assert_int_eq(genome.body_count, 0);
}

/* An input with random references, most of them wrong, and numbers in range. */
static struct input_gene random_input(struct rng *rng)
{
    static const gene_id ids[] = {0,           TRUNK,      ARM,           HAND,
                                  TO_ARM_LEFT, ARM_TO_ARM, ARM_TO_HAND,   CENTRAL_CLOCK,
                                  TRUNK_SUM,   ARM_FIRST,  CENTRAL_WATCH, ARM_FIRST + 4,
                                  999};
    struct input_gene input = {0};
    input.kind = (uint8_t)rng_below(rng, INPUT_KIND_COUNT);
    input.scope = (uint8_t)rng_below(rng, SCOPE_COUNT);
    input.sensor = (uint8_t)rng_below(rng, SENSOR_COUNT);
    input.source = ids[rng_below(rng, sizeof ids / sizeof ids[0])];
    input.via = ids[rng_below(rng, sizeof ids / sizeof ids[0])];
    input.value = rng_uniform(rng, -100, 100);
    input.weight = rng_uniform(rng, -100, 100);
    return input;
}

static void damage(struct rng *rng)
{
    switch (rng_below(rng, 9)) {
    case 0:
        genome_remove(&genome, GENOME_NEURONS, (int)rng_below(rng, (uint32_t)genome.neuron_count));
        break;
    case 1:
        genome_remove(&genome, GENOME_CONNECTIONS,
                      (int)rng_below(rng, (uint32_t)genome.connection_count));
        break;
    case 2:
        genome_remove(&genome, GENOME_BODIES, (int)rng_below(rng, (uint32_t)genome.body_count));
        break;
    case 3:
        genome.bodies[rng_below(rng, (uint32_t)genome.body_count)].sensors =
            rng_u64(rng) & body_kinds[BODY_RECTANGLES].sensors;
        break;
    case 4:
        genome.bodies[rng_below(rng, (uint32_t)genome.body_count)].effector_input =
            random_input(rng);
        break;
    case 5:
        genome.connections[rng_below(rng, (uint32_t)genome.connection_count)].to =
            1 + rng_below(rng, 2);
        break;
    case 6:
        genome.neurons[rng_below(rng, (uint32_t)genome.neuron_count)].function =
            (uint8_t)rng_below(rng, NEURON_FUNCTION_COUNT);
        break;
    default:
        genome.neurons[rng_below(rng, (uint32_t)genome.neuron_count)].inputs[rng_below(rng, 3)] =
            random_input(rng);
    }
}

TEST(whatever_is_damaged_is_repaired)
{
    struct rng rng = test_rng(1, 0, 0);
    int broken = 0;
    for (int round = 0; round < 20000; round++) {
        int damages = 1 + (int)rng_below(&rng, 6);
        for (int i = 0; i < damages; i++)
            if (genome.body_count > 1 && genome.connection_count > 0 && genome.neuron_count > 0)
                damage(&rng);
        broken += genome_check(&genome, &error) < 0;
        genome_collect_garbage(&genome);
        assert_collected();
        genome_deinit(&genome);
        fixture_make(&genome);
    }
    // the damage must really be damage
    ck_assert_int_gt(broken, 10000);
}

SUITE("genome", 60, setup, teardown)
