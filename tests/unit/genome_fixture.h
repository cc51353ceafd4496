/* A genome that uses every feature of the format: for the tests of genome, codec and files.
 * The golden files hold it too: a feature to come gets a fixture of its own. */
#ifndef TESTS_UNIT_GENOME_FIXTURE_H
#define TESTS_UNIT_GENOME_FIXTURE_H

#include <stdlib.h>

#include "common/genome/genome.h"

/* Ids of the rows, chosen so that no two tables use the same. */
enum {
    TRUNK = 1,
    ARM = 2,
    HAND = (1 << 20) + 3,
    TO_ARM_LEFT = 11,
    TO_ARM_RIGHT = 12,
    ARM_TO_ARM = 13,
    ARM_TO_HAND = 14,
    CENTRAL_CLOCK = 100,
    CENTRAL_WATCH = 101,
    CENTRAL_FEEL = 102,
    TRUNK_SUM = 103,
    ARM_FIRST = 200, /* one neuron of each function from here on */
};

static inline struct input_gene fixture_constant(double value, double weight)
{
    return (struct input_gene){.kind = INPUT_CONSTANT, .value = value, .weight = weight};
}

static inline struct input_gene fixture_neuron(int scope, gene_id source, gene_id via,
                                               double weight)
{
    return (struct input_gene){.kind = INPUT_NEURON,
                               .scope = (uint8_t)scope,
                               .source = source,
                               .via = via,
                               .weight = weight};
}

static inline struct input_gene fixture_sensor(int scope, int sensor, gene_id via, double weight)
{
    return (struct input_gene){.kind = INPUT_SENSOR,
                               .scope = (uint8_t)scope,
                               .sensor = (uint8_t)sensor,
                               .via = via,
                               .weight = weight};
}

static inline struct body_gene *fixture_body(struct genome *genome, gene_id id)
{
    struct body_gene *body = genome_add(genome, GENOME_BODIES);
    body->id = id;
    body->width_m = 0.1 + 0.1 / (double)id; /* digits that need all 17 places */
    body->height_m = 0.2;
    body->joint = JOINT_ROTARY;
    body->lower = -1.0 / 3.0;
    body->upper = 7.5;
    body->recursive_limit = 1;
    return body;
}

static inline struct connection_gene *fixture_connection(struct genome *genome, gene_id id,
                                                         gene_id from, gene_id to)
{
    struct connection_gene *connection = genome_add(genome, GENOME_CONNECTIONS);
    connection->id = id;
    connection->from = from;
    connection->to = to;
    connection->scale = 1;
    return connection;
}

static inline struct neuron_gene *fixture_neuron_row(struct genome *genome, gene_id id,
                                                     gene_id owner, int function)
{
    struct neuron_gene *neuron = genome_add(genome, GENOME_NEURONS);
    neuron->id = id;
    neuron->owner = owner;
    neuron->function = (uint8_t)function;
    return neuron;
}

/* Two segments, the joint waved by an oscillator. */
static inline void fixture_make_worm(struct genome *genome, double width_m)
{
    genome_init(genome);
    genome->root = 1;
    for (gene_id id = 1; id <= 2; id++) {
        struct body_gene *body = fixture_body(genome, id);
        body->width_m = width_m;
        body->height_m = 0.1;
        body->lower = -0.9;
        body->upper = 0.8;
    }
    struct connection_gene *connection = fixture_connection(genome, 11, 1, 2);
    connection->parent_face = FACE_RIGHT;
    connection->child_face = FACE_LEFT;
    struct neuron_gene *neuron = fixture_neuron_row(genome, 21, 2, NEURON_OSCILLATE_WAVE);
    neuron->inputs[0] = fixture_constant(1.5, 1);
    neuron->inputs[1] = fixture_constant(0.7, 1);
    neuron->inputs[2] = fixture_constant(0.3, 1); /* so that it goes somewhere */
    genome->bodies[1].has_effector = 1;
    genome->bodies[1].effector_strength = 1;
    genome->bodies[1].effector_input = fixture_neuron(SCOPE_OWN, 21, 0, 1);
}

static inline void fixture_add_bodies(struct genome *genome)
{
    struct body_gene *trunk = fixture_body(genome, TRUNK);
    trunk->sensors = SENSOR_BIT(SENSOR_CONTACT_BOTTOM + 1) - 1;
    struct body_gene *arm = fixture_body(genome, ARM);
    arm->recursive_limit = 3;
    arm->is_symmetric = 1;
    arm->sensors = SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_CONTACT_LEFT);
    arm->has_effector = 1;
    arm->effector_input = fixture_neuron(SCOPE_OWN, ARM_FIRST, 0, -0.7);
    arm->effector_strength = 0.25;
    struct body_gene *hand = fixture_body(genome, HAND);
    hand->joint = JOINT_RIGID;
    hand->has_effector = 1;
    hand->effector_input = fixture_sensor(SCOPE_PARENT, SENSOR_JOINT, 0, 1.0 / 7.0);
    hand->effector_strength = 1;
}

static inline void fixture_add_connections(struct genome *genome)
{
    struct connection_gene *left = fixture_connection(genome, TO_ARM_LEFT, TRUNK, ARM);
    left->parent_face = FACE_TOP;
    left->parent_position = -0.3;
    left->child_face = FACE_BOTTOM;
    left->child_position = 1;
    left->angle_rad = -6.2;
    struct connection_gene *right = fixture_connection(genome, TO_ARM_RIGHT, TRUNK, ARM);
    right->is_reflected = 1;
    right->parent_position = -0.0;
    fixture_connection(genome, ARM_TO_ARM, ARM, ARM)->scale = 0.8;
    fixture_connection(genome, ARM_TO_HAND, ARM, HAND)->is_terminal_only = 1;
}

/* In the arm, one neuron of each function; their inputs cycle through every kind and scope. */
static inline void fixture_add_arm_neurons(struct genome *genome)
{
    const struct input_gene kinds[] = {
        fixture_constant(0.1, 1),
        fixture_constant(-100, 100),
        fixture_constant(0, 0),
        fixture_neuron(SCOPE_OWN, ARM_FIRST + 5, 0, 2),
        fixture_neuron(SCOPE_PARENT, TRUNK_SUM, 0, 1e-300),
        fixture_neuron(SCOPE_PARENT, ARM_FIRST + 1, 0, 1),
        fixture_neuron(SCOPE_CHILD, ARM_FIRST + 2, ARM_TO_ARM, -1),
        fixture_neuron(SCOPE_CENTRAL, CENTRAL_CLOCK, 0, 0.3),
        fixture_sensor(SCOPE_OWN, SENSOR_CONTACT_LEFT, 0, 3),
        fixture_sensor(SCOPE_PARENT, SENSOR_CONTACT_TOP, 0, 0.5),
        fixture_sensor(SCOPE_CHILD, SENSOR_JOINT, ARM_TO_ARM, 4),
    };
    size_t next = 0;
    for (int function = 0; function < NEURON_FUNCTION_COUNT; function++) {
        struct neuron_gene *neuron =
            fixture_neuron_row(genome, (gene_id)(ARM_FIRST + function), ARM, function);
        for (int i = 0; i < neuron_functions[function].input_count; i++)
            neuron->inputs[i] = kinds[next++ % (sizeof(kinds) / sizeof(kinds[0]))];
        // all of them are live: each feeds the one before it
        if (function + 1 < NEURON_FUNCTION_COUNT)
            neuron->inputs[0] =
                fixture_neuron(SCOPE_OWN, (gene_id)(ARM_FIRST + function + 1), 0, 1);
        if (function == NEURON_OSCILLATE_WAVE || function == NEURON_OSCILLATE_SAW)
            neuron->initial = 1.0 / 3.0;
    }
}

/* Passes genome_check() and has no garbage. */
static inline void fixture_make(struct genome *genome)
{
    genome_init(genome);
    genome->root = TRUNK;
    fixture_add_bodies(genome);
    fixture_add_connections(genome);
    struct neuron_gene *clock = fixture_neuron_row(genome, CENTRAL_CLOCK, 0, NEURON_OSCILLATE_SAW);
    clock->inputs[0] = fixture_constant(1.5, 1);
    clock->inputs[1] = fixture_neuron(SCOPE_CENTRAL, CENTRAL_WATCH, 0, 1);
    clock->inputs[2] = fixture_neuron(SCOPE_CENTRAL, CENTRAL_FEEL, 0, 1);
    fixture_neuron_row(genome, CENTRAL_WATCH, 0, NEURON_ABS)->inputs[0] =
        fixture_neuron(SCOPE_PART, ARM_FIRST, ARM, 1);
    fixture_neuron_row(genome, CENTRAL_FEEL, 0, NEURON_SIN)->inputs[0] =
        fixture_sensor(SCOPE_PART, SENSOR_CONTACT_RIGHT, TRUNK, 1);
    fixture_neuron_row(genome, TRUNK_SUM, TRUNK, NEURON_SUM)->inputs[1] =
        fixture_neuron(SCOPE_CHILD, ARM_FIRST, TO_ARM_RIGHT, 1);
    fixture_add_arm_neurons(genome);
}

/* A creature of spheres and bones, for what only they have. */
enum { BALL_ROOT = 1, BALL_LEG = 2, BALL_FOOT = 3, BALL_TAIL = 4, BALL_WAVE = 50 };

static inline struct body_gene *fixture_sphere(struct genome *genome, gene_id id, int joint)
{
    struct body_gene *body = genome_add(genome, GENOME_BODIES);
    body->id = id;
    body->joint = (uint8_t)joint;
    body->recursive_limit = 1;
    body->sphere.radius_m = 0.05 + 0.1 / (double)(id + 2);
    body->sphere.friction = 1.0 / 3.0;
    return body;
}

static inline struct connection_gene *fixture_bone(struct genome *genome, gene_id id, gene_id from,
                                                   gene_id to)
{
    struct connection_gene *connection = fixture_connection(genome, id, from, to);
    connection->bone.length_m = 0.3 + 0.1 / (double)id;
    return connection;
}

static inline struct connection_gene *fixture_brace(struct genome *genome, gene_id id, gene_id from,
                                                    gene_id to, int brace)
{
    struct connection_gene *connection = fixture_connection(genome, id, from, to);
    connection->brace = (uint8_t)brace;
    return connection;
}

static inline void fixture_make_muscle(struct connection_gene *connection, double gain)
{
    connection->bone.gain = gain;
    connection->bone.shortest = 2.0 / 3.0;
    connection->bone.longest = 1.25;
    connection->bone.rate_1_s = 1.0 / 0.3;
}

static inline void fixture_make_spheres(struct genome *genome)
{
    genome_init(genome);
    genome->kind = BODY_SPHERES;
    genome->root = BALL_ROOT;
    genome->breeding = BREEDING_GRAFT;
    fixture_sphere(genome, BALL_ROOT, JOINT_FREE)->sensors =
        SENSOR_BIT(SENSOR_HEIGHT) | SENSOR_BIT(SENSOR_TOUCH);
    struct body_gene *leg = fixture_sphere(genome, BALL_LEG, JOINT_SADDLE);
    leg->is_symmetric = SYMMETRY_ENDS;
    leg->lower = -1.0 / 3.0;
    leg->upper = 0.5;
    leg->sphere.lower_2 = -0.25;
    leg->sphere.upper_2 = 1.0 / 7.0;
    leg->sphere.axis_rad = -0.1;
    leg->drive_strength = 0.6;
    leg->drives[0] = fixture_neuron(SCOPE_CHILD, BALL_WAVE, 13, 0.7);
    leg->drives[1] = fixture_sensor(SCOPE_OWN, SENSOR_JOINT_2, 0, -0.7);
    leg->sensors = SENSOR_BIT(SENSOR_JOINT_2) | SENSOR_BIT(SENSOR_JOINT);
    struct body_gene *foot = fixture_sphere(genome, BALL_FOOT, JOINT_HINGE);
    foot->lower = -0.2;
    foot->sensors = SENSOR_BIT(SENSOR_BONE) | SENSOR_BIT(SENSOR_BONE_RATE);
    foot->has_effector = 1;
    foot->effector_strength = 0.9;
    foot->effector_input = fixture_neuron(SCOPE_OWN, BALL_WAVE, 0, 1);
    struct body_gene *tail = fixture_sphere(genome, BALL_TAIL, JOINT_BALL);
    tail->upper = 0.8;
    tail->recursive_limit = 3;
    tail->is_symmetric = SYMMETRY_LEVELS;
    tail->is_head = tail->sphere.is_rolling = 1;
    fixture_bone(genome, 11, BALL_ROOT, BALL_LEG)->angle_rad = -1.1;
    fixture_bone(genome, 12, BALL_ROOT, BALL_LEG)->is_terminal_only = 0;
    struct connection_gene *shin = fixture_bone(genome, 13, BALL_LEG, BALL_FOOT);
    shin->bone.tilt_rad = 0.4;
    shin->is_reflected = 1;
    fixture_make_muscle(shin, -0.5);
    fixture_bone(genome, 14, BALL_ROOT, BALL_TAIL)->angle_rad = 2.5;
    fixture_bone(genome, 15, BALL_TAIL, BALL_TAIL)->scale = 0.8;
    fixture_make_muscle(fixture_brace(genome, 16, BALL_FOOT, BALL_ROOT, BRACE_ANCESTOR), 1);
    fixture_brace(genome, 17, BALL_FOOT, BALL_FOOT, BRACE_TWIN);
    fixture_brace(genome, 18, BALL_LEG, BALL_LEG, BRACE_SIBLING);
    fixture_brace(genome, 19, BALL_TAIL, BALL_LEG, BRACE_NEAREST);
    struct neuron_gene *wave =
        fixture_neuron_row(genome, BALL_WAVE, BALL_FOOT, NEURON_OSCILLATE_WAVE);
    wave->inputs[0] = fixture_constant(1.5, 1);
    wave->inputs[1] = fixture_constant(1, 1);
    wave->inputs[2] = fixture_sensor(SCOPE_OWN, SENSOR_BONE, 0, 0.1);
}

/* A creature of boxes: a trunk with a pair of legs, feet at their ends, a tail that recurs, and a
 * head. */
enum { BOX_TRUNK = 1, BOX_LEG = 2, BOX_FOOT = 3, BOX_TAIL = 4, BOX_HEAD = 5, BOX_WAVE = 50 };

static inline struct body_gene *fixture_box(struct genome *genome, gene_id id, int joint)
{
    struct body_gene *body = genome_add(genome, GENOME_BODIES);
    body->id = id;
    body->joint = (uint8_t)joint;
    body->recursive_limit = 1;
    body->width_m = 0.2 + 0.1 / (double)(id + 2);
    body->height_m = 0.1 + 0.1 / (double)(id + 3);
    body->box.depth_m = 0.05 + 0.1 / (double)(id + 4);
    body->lower = -1.0 / 3.0;
    body->upper = 0.5;
    if (joint_types[joint].freedoms > 1) {
        body->box.lower_2 = joint == JOINT_SPHERICAL ? 0 : -0.25;
        body->box.upper_2 = 1.0 / 7.0;
    }
    return body;
}

static inline void fixture_make_boxes(struct genome *genome)
{
    genome_init(genome);
    genome->kind = BODY_BOXES;
    genome->root = BOX_TRUNK;
    fixture_box(genome, BOX_TRUNK, JOINT_RIGID)->sensors =
        SENSOR_BIT(SENSOR_CONTACT_BACK) | SENSOR_BIT(SENSOR_LIGHT_THROUGH);
    struct body_gene *leg = fixture_box(genome, BOX_LEG, JOINT_UNIVERSAL);
    leg->is_symmetric = SYMMETRY_SIDES;
    leg->has_effector = 1;
    leg->effector_strength = 0.6;
    leg->effector_input = fixture_neuron(SCOPE_CHILD, BOX_WAVE, 13, 0.7);
    leg->drives[0] = fixture_sensor(SCOPE_OWN, SENSOR_JOINT_2, 0, -0.7);
    leg->sensors = SENSOR_BIT(SENSOR_JOINT_2) | SENSOR_BIT(SENSOR_JOINT);
    struct body_gene *foot = fixture_box(genome, BOX_FOOT, JOINT_LINEAR);
    foot->sensors = SENSOR_BIT(SENSOR_CONTACT_FRONT);
    foot->has_effector = 1;
    foot->effector_strength = 0.9;
    foot->effector_input = fixture_neuron(SCOPE_OWN, BOX_WAVE, 0, 1);
    struct body_gene *tail = fixture_box(genome, BOX_TAIL, JOINT_SPHERICAL);
    tail->recursive_limit = 3;
    tail->is_symmetric = SYMMETRY_LEVELS;
    tail->has_effector = 1;
    tail->effector_strength = 1;
    tail->effector_input = fixture_constant(0.5, 1);
    tail->drives[0] = fixture_sensor(SCOPE_PARENT, SENSOR_CONTACT_BACK, 0, 0.5);
    tail->drives[1] = fixture_constant(0.25, -1);
    fixture_box(genome, BOX_HEAD, JOINT_RIGID);
    struct connection_gene *hip = fixture_connection(genome, 11, BOX_TRUNK, BOX_LEG);
    hip->parent_face = FACE_FRONT;
    hip->parent_position = 0.5;
    hip->mount.parent_position_2 = -0.5;
    hip->child_face = FACE_RIGHT;
    hip->child_position = 0.125;
    hip->mount.child_position_2 = 0.25;
    hip->mount.roll_rad = -0.4;
    hip->angle_rad = -1.1;
    hip->mount.tilt_rad = 0.3;
    fixture_connection(genome, 12, BOX_TRUNK, BOX_LEG);
    struct connection_gene *ankle = fixture_connection(genome, 13, BOX_LEG, BOX_FOOT);
    ankle->child_face = FACE_BACK;
    ankle->is_reflected = 1;
    fixture_connection(genome, 14, BOX_TRUNK, BOX_TAIL)->parent_face = FACE_LEFT;
    fixture_connection(genome, 15, BOX_TAIL, BOX_TAIL)->scale = 0.8;
    struct connection_gene *neck = fixture_connection(genome, 16, BOX_TRUNK, BOX_HEAD);
    neck->parent_face = FACE_TOP;
    neck->child_face = FACE_BOTTOM;
    neck->mount.roll_rad = 0.2;
    struct neuron_gene *wave =
        fixture_neuron_row(genome, BOX_WAVE, BOX_FOOT, NEURON_OSCILLATE_WAVE);
    wave->inputs[0] = fixture_constant(1.5, 1);
    wave->inputs[1] = fixture_constant(1, 1);
    wave->inputs[2] = fixture_sensor(SCOPE_OWN, SENSOR_CONTACT_FRONT, 0, 0.1);
}

#endif
