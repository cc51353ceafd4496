/* Expression: hand-made genomes with structure, geometry, masses and wiring worked out by hand, and
 * random genomes against an independent statement of the rules (matrices, not angles). */
#include "common/genome/body_kind.h"
#include "common/growth/phenotype.h"
#include "common/growth/body.h"

#include "tests/unit/grown_fixture.h"

#define EPSILON 1e-12
#define QUARTER (3.14159265358979323846 / 2.0)

static struct phenotype phenotype;

/* Wide bounds, so that a test meets only those it sets. */
static void setup(void)
{
    grown_set_up(BODY_RECTANGLES);
    set("creature.parts_min=1", "creature.parts_max=64", "creature.depth_max=64",
        "creature.side_min_m=0.01", "creature.side_max_m=10", "creature.aspect_max=1000",
        "rectangles.density_kg_m2=1");
}

/* ---- making genomes ---- */

/* A body gene; the first one made has id 1 and is the root. */
static struct body_gene *add_body(double width, double height, int recursive_limit)
{
    struct body_gene *body = grown_rectangle(width, height, JOINT_ROTARY, -1, 1);
    body->recursive_limit = (uint8_t)recursive_limit;
    return body;
}

/* A connection from the middle of the right face to the middle of the left face; ids from 101. */
static struct connection_gene *connect(gene_id from, gene_id to)
{
    return grown_hang(from, to, FACE_RIGHT, FACE_LEFT);
}

static struct connection_gene *connect_at(gene_id from, gene_id to, int parent_face,
                                          double parent_position, int child_face,
                                          double child_position, double angle)
{
    struct connection_gene *connection = grown_hang(from, to, parent_face, child_face);
    connection->parent_position = parent_position;
    connection->child_position = child_position;
    connection->angle_rad = angle;
    return connection;
}

/* Bodies from wide to narrow, so that one can be told from the other; the first is the root. */
static void add_bodies(int count)
{
    for (int i = 0; i < count; i++)
        add_body(0.4 - 0.1 * i, i ? 0.1 : 0.2, 1);
}

/* A sum neuron; ids from 1001. */
static struct neuron_gene *add_neuron(gene_id owner)
{
    struct neuron_gene *neuron = genome_add(&genome, GENOME_NEURONS);
    ck_assert_ptr_nonnull(neuron);
    neuron->id = 1000 + (gene_id)genome.neuron_count;
    neuron->owner = owner;
    neuron->function = NEURON_SUM;
    return neuron;
}

static struct input_gene reads_neuron(int scope, gene_id source, gene_id via)
{
    return (struct input_gene){
        .kind = INPUT_NEURON, .scope = (uint8_t)scope, .source = source, .via = via, .weight = 0.5};
}

static struct input_gene reads_sensor(int scope, int sensor, gene_id via)
{
    return (struct input_gene){.kind = INPUT_SENSOR,
                               .scope = (uint8_t)scope,
                               .sensor = (uint8_t)sensor,
                               .via = via,
                               .weight = -0.25};
}

static void express_expecting(int verdict)
{
    ck_ok(genome_check(&genome, &error));
    ck_assert_int_eq(phenotype_express(&phenotype, &genome, &params, &arena), verdict);
}

/* Every part is a flat box, and nothing else is to be seen. */
static void check_shapes(void)
{
    ck_assert_int_eq(phenotype.shape_count, phenotype.part_count);
    for (int i = 0; i < phenotype.shape_count; i++) {
        const struct shape *shape = &phenotype.shapes[i];
        ck_assert(shape->kind == SHAPE_BOX && shape->part == i);
        ck_assert(shape->half_m.x == phenotype.parts[i].width_m / 2 &&
                  shape->half_m.y == phenotype.parts[i].height_m / 2 && shape->half_m.z == 0);
    }
}

/* The ends of a drive's range, asked for by signals, are the limits of its link. */
static void check_drives(void)
{
    ck_assert_int_eq(phenotype.drive_count, phenotype.body->link_count);
    for (int i = 1; i < phenotype.drive_count; i++) {
        const struct drive *drive = &phenotype.drives[i];
        const struct body_link *link = &phenotype.body->links[i];
        double least = drive->rest + drive->unit * drive->least;
        double most = drive->rest + drive->unit * drive->most;
        ck_assert_int_eq(drive->part, link->part);
        ck_assert_int_eq(drive->is_linear, link->kind == LINK_LINEAR);
        ck_assert(drive->strength == link->strength && drive->least <= drive->most);
        if (params.creature_effector_mode == EFFECTOR_TORQUE)
            continue;
        ck_assert_double_eq_tol(link->sign[0] > 0 ? least : most, link->lower[0], EPSILON);
        ck_assert_double_eq_tol(link->sign[0] > 0 ? most : least, link->upper[0], EPSILON);
    }
}

static void express(void)
{
    express_expecting(VERDICT_OK);
    check_shapes();
    check_drives();
}

/* The parts' genes and parents as one line, for example "1 2<0 2<1". */
static const char *tree(void)
{
    static char text[4096];
    size_t length = 0;
    text[0] = 0;
    for (int i = 0; i < phenotype.part_count; i++) {
        const struct part *part = &phenotype.parts[i];
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%d", i ? " " : "",
                                   (int)part->body);
        if (part->parent >= 0)
            length += (size_t)snprintf(text + length, sizeof text - length, "<%d", part->parent);
    }
    return text;
}

static void assert_pose(int part, double x, double y, double angle)
{
    const struct part *p = &phenotype.parts[part];
    ck_assert_xy(p->centre, x, y, EPSILON);
    ck_assert_double_eq_tol(p->angle_rad, angle, EPSILON);
}

static void assert_limits(int link, double lower, double upper)
{
    ck_assert_double_eq_tol(phenotype.body->links[link].lower[0], lower, EPSILON);
    ck_assert_double_eq_tol(phenotype.body->links[link].upper[0], upper, EPSILON);
}

static void assert_sides(int part, double width_m, double height_m)
{
    ck_assert_double_eq_tol(phenotype.parts[part].width_m, width_m, EPSILON);
    ck_assert_double_eq_tol(phenotype.parts[part].height_m, height_m, EPSILON);
}

/* ---- traversal ---- */

TEST(too_few_parts_are_not_expressed)
{
    add_bodies(1);
    params.creature_parts_min = 2;
    express_expecting(VERDICT_NOT_EXPRESSED);
    connect(1, 1); /* its limit of 1 is used up by the root */
    express_expecting(VERDICT_NOT_EXPRESSED);
    genome.bodies[0].recursive_limit = 2;
    express_expecting(VERDICT_OK);
}

/* Body genes by their recursive limits, connections in their order ("1>2!": only at the end of a
 * limb), and the tree that grows; further the connections by which two parts come. */
static const struct traversal {
    const char *limits, *connections;
    int parts_max, depth_max;
    const char *tree;
    int vias[2][2]; /* part, id of a connection; 0: none */
} traversals[] = {
    {"4", "1>1", 64, 64, "1 1<0 1<1 1<2", {{0}}},
    /* limits count along a path only */
    {"3", "1>1 1>1", 64, 64, "1 1<0 1<1 1<1 1<0 1<4 1<4", {{3, 102}, {5, 101}}},
    /* two genes in a cycle */
    {"23", "1>2 2>1", 64, 64, "1 2<0 1<1 2<2", {{0}}},
    /* in the order of the table, depth first */
    {"111", "1>3 3>2 1>2 2>3", 64, 64, "1 3<0 2<1 2<0 3<3", {{0}}},
    {"31", "1>2! 1>1", 64, 64, "1 1<0 1<1 2<2", {{3, 101}}},
    /* a gene without ordinary connections is exhausted */
    {"11", "1>2! 1>2!", 64, 64, "1 2<0 2<0", {{0}}},
    /* at the last 1 the way to 1 is closed, but the one to 3 is open: no hand */
    {"211", "1>1 1>2! 1>3", 64, 64, "1 1<0 3<1 3<0", {{0}}},
    /* a connection of the end obeys its target's limit */
    {"2", "1>1!", 64, 64, "1 1<0", {{0}}},
    /* parts beyond the bound are not made */
    {"3", "1>1 1>1", 5, 64, "1 1<0 1<1 1<1 1<0", {{0}}},
    {"3", "1>1 1>1", 1, 64, "1", {{0}}},
    /* depth ends the limb, but that is no exhaustion: no hands */
    {"91", "1>1 1>2!", 64, 3, "1 1<0 1<1", {{0}}},
    {"91", "1>1 1>2!", 64, 1, "1", {{0}}},
};

TEST_LOOP(connections_are_followed, 0, sizeof traversals / sizeof traversals[0])
{
    const struct traversal *t = &traversals[_i];
    for (const char *limit = t->limits; *limit; limit++)
        add_body(limit == t->limits ? 0.4 : 0.2, limit == t->limits ? 0.2 : 0.1, *limit - '0');
    for (const char *at = t->connections; (at = strchr(at, '>')); at++)
        connect((gene_id)(at[-1] - '0'), (gene_id)(at[1] - '0'))->is_terminal_only = at[2] == '!';
    params.creature_parts_max = t->parts_max;
    params.creature_depth_max = t->depth_max;
    express();
    ck_assert_str_eq(tree(), t->tree);
    for (int i = 1; i < phenotype.part_count; i++)
        ck_assert_int_eq(phenotype.parts[i].depth,
                         phenotype.parts[phenotype.parts[i].parent].depth + 1);
    for (int i = 0; i < 2; i++)
        if (t->vias[i][1] > 0)
            ck_assert_int_eq((int)phenotype.parts[t->vias[i][0]].via, t->vias[i][1]);
}

/* ---- size ---- */

TEST(scale_applies_to_the_subtree_and_sides_are_clamped)
{
    static const double sides[][2] = {
        {0.4, 0.2}, {0.2, 0.1}, {0.1, 0.05}, {0.05, 0.03}, {0.03, 0.03}};
    add_body(0.4, 0.2, 5);
    connect(1, 1)->scale = 0.5;
    params.creature_side_min_m = 0.03;
    express();
    for (int i = 0; i < 5; i++) {
        assert_sides(i, sides[i][0], sides[i][1]);
        ck_assert_double_eq_tol(phenotype.parts[i].cross_section_m, sides[i][1], EPSILON);
        ck_assert_double_eq_tol(phenotype.parts[i].mass_kg, sides[i][0] * sides[i][1], EPSILON);
    }
    genome.connections[0].scale = 3.0;
    params.creature_side_max_m = 1.0;
    express();
    assert_sides(1, 1, 0.6);
    assert_sides(4, 1, 1);
}

TEST(thin_parts_are_widened)
{
    add_body(1.0, 0.02, 1);
    add_body(0.02, 0.8, 1);
    add_body(0.1, 0.5, 1);
    connect(1, 2);
    connect_at(1, 3, FACE_TOP, 0, FACE_LEFT, 0, 0);
    set("creature.aspect_max=10", "rectangles.density_kg_m2=3");
    express();
    assert_sides(0, 1, 0.1);
    assert_sides(1, 0.08, 0.8);
    assert_sides(2, 0.1, 0.5);
    ck_assert_double_eq_tol(phenotype.mass_kg, 3.0 * (0.1 + 0.064 + 0.05), EPSILON);
}

/* ---- placement ---- */

TEST(placement_by_hand)
{
    add_bodies(2);
    connect(1, 2);
    connect_at(1, 2, FACE_TOP, 0.5, FACE_LEFT, 0, 0);
    connect_at(1, 2, FACE_RIGHT, 0, FACE_LEFT, 0, QUARTER / 3);
    connect_at(1, 2, FACE_LEFT, 1, FACE_BOTTOM, -0.5, 0);
    connect_at(1, 2, FACE_BOTTOM, 0.5, FACE_RIGHT, 1, 0);
    express();
    assert_pose(0, 0, 0, 0);
    /* Straight on. */
    assert_pose(1, 0.35, 0.0, 0.0);
    ck_assert_xy(phenotype.parts[1].anchor, 0.2, 0.0, 0);
    /* Upwards, from a point to the left of the middle (counter-clockwise). */
    assert_pose(2, -0.1, 0.25, QUARTER);
    ck_assert_xy(phenotype.parts[2].anchor, -0.1, 0.1, EPSILON);
    /* Straight on, then up by 30 degrees. */
    assert_pose(3, 0.2 + 0.15 * sqrt(0.75), 0.075, QUARTER / 3);
    /* Its bottom on the lower left corner. */
    assert_pose(4, -0.25, -0.025, QUARTER);
    /* Its right face on the bottom: point (0.15, 0.05) of the child, turned by 90 degrees, at
     * (0.1, -0.1) of the parent. */
    assert_pose(5, 0.1 + 0.05, -0.1 - 0.15, QUARTER);
}

/* Turns by whole quarters are exact: nothing of the sine of pi. */
TEST(quarter_turns_are_exact)
{
    for (int i = 0; i < 3; i++)
        add_body(0.5, 0.25, 1);
    connect_at(1, 2, FACE_TOP, 0, FACE_LEFT, 0, 0);
    connect_at(2, 3, FACE_TOP, 0, FACE_LEFT, 0, 0);
    express();
    ck_assert(phenotype.parts[1].centre.x == 0.0 && phenotype.parts[1].centre.y == 0.375);
    ck_assert(phenotype.parts[2].centre.x == -0.375 && phenotype.parts[2].centre.y == 0.375);
    ck_assert_double_eq(phenotype.parts[2].angle_rad, 2.0 * QUARTER);
}

TEST(a_reflected_subtree_is_mirrored_about_its_attachment)
{
    double third = QUARTER / 3;
    add_bodies(3);
    genome.bodies[1].lower = -0.2;
    genome.bodies[1].upper = 0.5;
    genome.bodies[2].lower = 0.0;
    genome.bodies[2].upper = 2.0;
    connect_at(1, 2, FACE_RIGHT, 0.5, FACE_LEFT, 0.5, third)->is_reflected = 1;
    connect_at(2, 3, FACE_TOP, 0, FACE_LEFT, 0, 0);
    express();

    /* The parent's point keeps its place, all else is reversed. */
    ck_assert_int_eq(phenotype.parts[1].mirror, -1);
    ck_assert_xy(phenotype.parts[1].anchor, 0.2, 0.05, EPSILON);
    double c = sqrt(0.75), s = -0.5;
    assert_pose(1, 0.2 + c * 0.15 + s * 0.025, 0.05 + s * 0.15 - c * 0.025, -third);

    /* The child's top is below; the grandchild hangs down from it. */
    ck_assert_int_eq(phenotype.parts[2].mirror, -1);
    double x = phenotype.parts[1].centre.x + s * 0.05, y = phenotype.parts[1].centre.y - c * 0.05;
    ck_assert_xy(phenotype.parts[2].anchor, x, y, EPSILON);
    assert_pose(2, x + s * 0.1, y - c * 0.1, -third - QUARTER);

    /* Limits are exchanged and negated. */
    assert_limits(1, -0.5, 0.2);
    assert_limits(2, -2, 0);
    ck_assert_int_eq(phenotype.body->links[1].sign[0], -1);
}

/* ---- linear joints ---- */

static void make_linear(struct body_gene *body, double lower, double upper)
{
    body->joint = JOINT_LINEAR;
    body->lower = lower;
    body->upper = upper;
}

static struct vec2 normal_of(int face)
{
    static const struct vec2 normals[FACE_FLAT_COUNT] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    return normals[face];
}

TEST(linear_limits_go_by_the_scale)
{
    static const double limits[][3] = {
        {-0.025, 0.15, 0.5}, {-0.2, 1.2, 4}, {-1.5, 1.5, 32} /* the longest side, either way */};
    add_bodies(1);
    make_linear(add_body(0.3, 0.1, 3), -0.05, 0.3);
    connect(1, 2)->scale = 0.5;
    connect(2, 2)->scale = 8;
    params.creature_side_max_m = 1.5;
    express();
    ck_assert_int_eq(phenotype.body->link_count, 4);
    for (int i = 0; i < 3; i++) {
        assert_limits(1 + i, limits[i][0], limits[i][1]);
        ck_assert_double_eq_tol(phenotype.body->links[1 + i].scale, limits[i][2], 1e-9);
    }
}

/* A piston has a rod no longer than the longer of what it joins, whatever the genes say. */
TEST(linear_limits_go_by_the_sides)
{
    add_bodies(1);
    make_linear(add_body(0.1, 0.3, 1), -2, 5);
    make_linear(add_body(0.25, 0.1, 1), -0.125, 5);
    connect(1, 2);
    connect(2, 3);
    express();
    assert_limits(1, -0.4, 0.4);
    assert_limits(2, -0.125, 0.3);
    params.creature_extension_max = 0.5;
    express();
    assert_limits(1, -0.2, 0.2);
    assert_limits(2, -0.125, 0.15);
    set("creature.extension_max=0", "creature.side_max_m=3");
    express();
    assert_limits(1, -2, 3);
}

/* A mirrored part slides out as any other: nothing but the axis is mirrored. */
TEST(a_mirrored_linear_joint_has_its_axis_mirrored)
{
    add_bodies(1);
    struct body_gene *body = add_body(0.3, 0.1, 1);
    make_linear(body, -0.05, 0.25);
    body->is_symmetric = 1;
    make_linear(add_body(0.2, 0.1, 1), -0.1, 0);
    connect_at(1, 2, FACE_RIGHT, 0.25, FACE_LEFT, 0.5, 0.4);
    connect(1, 2);
    connect_at(2, 3, FACE_TOP, 0.5, FACE_LEFT, 0, -0.7)->is_reflected = 1;
    express();
    ck_assert_int_eq(phenotype.body->link_count, 5);
    for (int i = 1; i <= 2; i++) {
        const struct body_link *a = &phenotype.body->links[i], *b = &phenotype.body->links[i + 2];
        ck_assert_int_eq(phenotype.parts[a->part].mirror, -phenotype.parts[b->part].mirror);
        ck_assert_xy(a->axis, -b->axis.x, b->axis.y, 0);
        ck_assert(a->lower[0] == b->lower[0] && a->upper[0] == b->upper[0]);
        ck_assert(a->sign[0] == 1 && b->sign[0] == 1);
    }
}

/* In N, by the larger cross-section. */
TEST(strength_of_linear_joints)
{
    add_bodies(1);
    struct body_gene *body = add_body(0.3, 0.1, 1);
    make_linear(body, -0.05, 0.25);
    body->has_effector = 1;
    body->effector_strength = 0.5;
    body->sensors = SENSOR_BIT(SENSOR_JOINT);
    connect(1, 2);
    set("rectangles.strength_n=1000", "rectangles.linear_strength_n_m=40");
    express();
    ck_assert_int_eq(phenotype.effector_count, 1);
    ck_assert_double_eq_tol(phenotype.body->links[1].strength, 40 * 0.2 * 0.5, EPSILON);
    ck_assert_uint_eq(phenotype.parts[1].sensors, SENSOR_BIT(SENSOR_JOINT));
    genome.bodies[1].width_m = genome.bodies[1].height_m = 0.3;
    express();
    ck_assert_double_eq_tol(phenotype.body->links[1].strength, 40 * 0.3 * 0.5, EPSILON);
}

/* ---- symmetry ---- */

/* A limb of three joints, bent everywhere, as a symmetric gene with two connections. */
static void make_symmetric_limbs(void)
{
    struct body_gene *body = add_body(0.4, 0.3, 1);
    body = add_body(0.3, 0.1, 3);
    body->is_symmetric = 1;
    body->lower = -0.3;
    body->upper = 0.7;
    add_body(0.11, 0.07, 1);
    connect_at(1, 2, FACE_RIGHT, 0.25, FACE_LEFT, 0.5, 0.4);
    connect_at(2, 2, FACE_TOP, 0.75, FACE_LEFT, -0.5, -0.3)->scale = 0.8;
    connect_at(1, 2, FACE_BOTTOM, -0.6, FACE_TOP, 0.1, 1.0)->scale = 0.3;
    connect_at(2, 3, FACE_BOTTOM, 0.3, FACE_RIGHT, 0.2, 0.6)->is_reflected = 1;
}

TEST(symmetric_limbs_are_exact_mirror_images)
{
    make_symmetric_limbs();
    express();
    ck_assert_str_eq(tree(), "1 2<0 2<1 2<2 3<3 3<2 3<1 2<0 2<7 2<8 3<9 3<8 3<7");
    for (int i = 1; i <= 6; i++) {
        const struct part *a = &phenotype.parts[i], *b = &phenotype.parts[i + 6];
        const struct body_link *la = &phenotype.body->links[a->link];
        const struct body_link *lb = &phenotype.body->links[b->link];
        ck_assert_int_eq(a->mirror, -b->mirror);
        ck_assert(a->width_m == b->width_m && a->height_m == b->height_m);
        ck_assert_xy(a->centre, -b->centre.x, b->centre.y, 0);
        ck_assert_xy(a->anchor, -b->anchor.x, b->anchor.y, 0);
        ck_assert(la->lower[0] == -lb->upper[0] && la->upper[0] == -lb->lower[0]);
        /* Angles are t and pi - t, up to whole turns. */
        double turns = (a->angle_rad + b->angle_rad - 2.0 * QUARTER) / (4.0 * QUARTER);
        ck_assert_double_eq_tol(turns, floor(turns + 0.5), 1e-14);
    }
    /* The image keeps the id of its own connection, and nothing else of it. */
    ck_assert(phenotype.parts[1].via == 101 && phenotype.parts[7].via == 103);
}

/* The limbs' oscillator begins later in the image, and by more from part to part of a row. */
TEST(copies_take_turns)
{
    static const double lags[] = {0,   0.75, 0.5,
                                  0.5, 0.25, 0}; /* three of a limb, three of its image */
    make_symmetric_limbs();
    struct neuron_gene *wave = genome_add(&genome, GENOME_NEURONS);
    *wave = (struct neuron_gene){.id = 50,
                                 .owner = 2,
                                 .function = NEURON_OSCILLATE_WAVE,
                                 .initial = 0.25,
                                 .lag_image = 0.5,
                                 .lag_row = 0.75};
    struct body_gene *limb = &genome.bodies[1];
    limb->has_effector = 1;
    limb->effector_strength = 1;
    limb->effector_input = (struct input_gene){.kind = INPUT_NEURON, .source = 50, .weight = 1};
    express();
    ck_assert_int_eq(phenotype.neuron_count, 6);
    for (int i = 0; i < 6; i++) {
        const struct neuron *neuron = &phenotype.neurons[i];
        ck_assert_int_eq(phenotype.parts[neuron->part].mirror, i < 3 ? 1 : -1);
        ck_assert_double_eq(neuron->lag_turns, lags[i]);
        ck_assert_double_eq(neuron->initial, lags[i] > 0.25 ? 1.25 - lags[i] : 0.25 - lags[i]);
    }
}

/* ---- links ---- */

TEST(rigid_joints_merge)
{
    static const int links[] = {0, 0, 1, 1};
    add_body(0.4, 0.2, 1);
    add_body(0.2, 0.2, 1)->joint = JOINT_RIGID;
    add_body(0.3, 0.1, 1);
    add_body(0.1, 0.3, 1)->joint = JOINT_RIGID;
    connect(1, 2);
    connect(2, 3);
    connect_at(3, 4, FACE_TOP, 0, FACE_LEFT, 0, 0);
    params.rectangles_density_kg_m2 = 100.0;
    express();
    ck_assert_int_eq(phenotype.body->link_count, 2);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(phenotype.parts[i].link, links[i]);

    /* Link 0: 8 kg at 0 and 4 kg at 0.3: centre 0.1; 8 (0.16 + 0.04) / 12 + 8 0.01
     * + 4 (0.04 + 0.04) / 12 + 4 0.04. */
    const struct body_link *root = &phenotype.body->links[0];
    ck_assert(root->parent == -1 && root->parent_part == -1);
    ck_assert_double_eq_tol(root->mass_kg, 12.0, EPSILON);
    ck_assert_xy(root->centre, 0.1, 0.0, EPSILON);
    ck_assert_double_eq_tol(root->inertia.zz, 1.6 / 12.0 + 0.08 + 0.32 / 12.0 + 0.16, EPSILON);

    /* Link 1 hangs on part 1 at 0.4: 3 kg at (0.15, 0), and 3 kg at (0.15, 0.1), on its side. */
    const struct body_link *limb = &phenotype.body->links[1];
    ck_assert(limb->parent == 0 && limb->part == 2 && limb->parent_part == 1);
    ck_assert_xy(limb->joint, 0.4, 0.0, EPSILON);
    ck_assert_double_eq_tol(phenotype.parts[2].local.x, 0.15, EPSILON);
    ck_assert_xy(phenotype.parts[3].local, 0.15, 0.1, EPSILON);
    ck_assert_double_eq_tol(phenotype.parts[3].local_angle_rad, QUARTER, EPSILON);
    ck_assert_double_eq_tol(limb->mass_kg, 6.0, EPSILON);
    ck_assert_xy(limb->centre, 0.15, 0.05, EPSILON);
    ck_assert_double_eq_tol(limb->inertia.zz, 2.0 * (3.0 * 0.1 / 12.0 + 3.0 * 0.0025), EPSILON);
    ck_assert_double_eq_tol(phenotype.mass_kg, 18.0, EPSILON);
}

TEST(neighbours_never_collide)
{
    /* Parent and child, or one link; siblings, cousins and grandparents do collide. */
    static const char *const expected[] = {"nn..n.", "nnn...", ".nnn..",
                                           "..nn..", "n...nn", "....nn"};
    add_body(0.4, 0.2, 1);
    add_body(0.2, 0.2, 1)->joint = JOINT_RIGID;
    add_body(0.3, 0.1, 2);
    connect(1, 2);
    connect(2, 3);
    connect(3, 3);
    connect_at(1, 3, FACE_LEFT, 0, FACE_LEFT, 0, 0);
    express();
    ck_assert_str_eq(tree(), "1 2<0 3<1 3<2 3<0 3<4");
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            ck_assert_int_eq(phenotype_is_neighbour(&phenotype, a, b), expected[a][b] == 'n');
}

/* ---- effectors, sensors, neurons ---- */

TEST(effectors_sit_at_rotary_joints)
{
    for (int i = 0; i < 3; i++) {
        struct body_gene *body = add_body(0.4 - 0.1 * i, 0.2 - 0.05 * i, 1);
        body->has_effector = 1;
        body->effector_strength = 0.5;
        body->effector_input =
            (struct input_gene){.kind = INPUT_CONSTANT, .value = 3.0, .weight = 0.25 * i};
    }
    genome.bodies[1].joint = JOINT_RIGID;
    connect(1, 2);
    connect(2, 3);
    params.rectangles_strength_n = 10.0;
    express();
    const struct effector *effector = &phenotype.effectors[0];
    ck_assert(phenotype.effector_count == 1 && effector->drive == 1);
    ck_assert(effector->input.kind == WIRE_CONSTANT && effector->input.value == 1.5);
    ck_assert_int_eq(phenotype.body->links[0].strength > 0, 0);
    /* 0.15 m is the larger of the sections 0.15 and 0.1. */
    ck_assert_double_eq_tol(phenotype.body->links[1].strength, 10.0 * 0.15 * 0.5, EPSILON);
    /* The strength is the same when the child is the thicker one. */
    genome.bodies[2].height_m = 0.25;
    express();
    ck_assert_double_eq_tol(phenotype.body->links[1].strength, 10.0 * 0.2 * 0.5, EPSILON);
}

/* A part that stretches has a link without mass at its joint and one of its own; what hangs rigidly
 * on it begins a link. Its effector reads the input of the stretch. Where the world lets nothing
 * stretch it is rigid. */
TEST(a_stretch_is_a_link_of_its_own)
{
    static const int kinds[] = {LINK_PLANAR, LINK_STRETCH, LINK_RIGID, LINK_STRETCH, LINK_RIGID};
    for (int i = 0; i < 4; i++)
        add_body(0.4, 0.2, 1)->joint = JOINT_RIGID;
    connect(1, 2);
    connect(2, 3);
    connect(3, 4);
    genome.bodies[0].stretch.limit = genome.bodies[2].stretch.limit = 0.4;
    genome.bodies[2].stretch.input = (struct input_gene){.value = 0.25, .weight = 1};
    express();
    ck_assert(phenotype.body->link_count == 1 && phenotype.effector_count == 0);

    params.creature_stretch_max = 0.3;
    express();
    ck_assert_int_eq(phenotype.body->link_count, 5);
    for (int i = 0; i < 5; i++) {
        const struct body_link *link = &phenotype.body->links[i];
        ck_assert((int)link->kind == kinds[i] && link->parent == i - 1);
        if (kinds[i] == LINK_STRETCH) {
            assert_limits(i, -0.3, 0.3);
            ck_assert_double_eq_tol(link->strength, params.rectangles_strength_n * 0.2, EPSILON);
            ck_assert_double_eq_tol(link->half_m.x, 0.2, EPSILON);
        }
    }
    ck_assert_double_eq(phenotype.body->links[0].mass_kg, 0);
    ck_assert(phenotype.parts[0].link == 1 && phenotype.parts[2].link == 3);
    ck_assert_int_eq(phenotype_find_drive(&phenotype, 2, 1), 3);
    ck_assert_int_eq(phenotype_find_drive(&phenotype, 1, 1), -1);
    ck_assert(phenotype.effector_count == 2 && phenotype.effectors[1].drive == 3);
    ck_assert_double_eq(phenotype.effectors[1].input.value, 0.25);
    ck_assert(phenotype.drives[3].unit == 0.3 && phenotype.drives[3].most == 1);
}

TEST(a_joint_that_cannot_turn_is_not_felt)
{
    uint64_t all = body_kinds[BODY_RECTANGLES].sensors & ~SENSOR_BIT(SENSOR_STRETCH);
    uint64_t of_joints = SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_RATE);
    for (int i = 0; i < 3; i++)
        add_body(0.4, 0.2, 1)->sensors = all;
    genome.bodies[1].joint = JOINT_RIGID;
    connect(1, 2);
    connect(2, 3);
    express();
    ck_assert_uint_eq(phenotype.parts[0].sensors, all & ~of_joints);
    ck_assert_uint_eq(phenotype.parts[1].sensors, all & ~of_joints);
    ck_assert_uint_eq(phenotype.parts[2].sensors, all);
}

/* The wires of a neuron, for example "n3 - s1.0": of neuron 3, of nothing, of part 1's sensor 0. */
static const char *wires_of(int neuron)
{
    char words[NEURON_INPUTS_MAX][32];
    for (int k = 0; k < NEURON_INPUTS_MAX; k++) {
        const struct wire *wire = &phenotype.neurons[neuron].inputs[k];
        if (wire->kind == WIRE_NEURON)
            ck_assert(sprintf(words[k], "n%d", wire->index) && wire->weight == 0.5);
        else if (wire->kind == WIRE_SENSOR)
            ck_assert(sprintf(words[k], "s%d.%d", wire->index, wire->sensor) &&
                      wire->weight == -0.25);
        else if (wire->value != 0)
            sprintf(words[k], "%g", wire->value);
        else
            ck_assert(strcpy(words[k], "-") && wire->index == 0);
    }
    return printed("%s %s %s", words[0], words[1], words[2]);
}

static void assert_wire(const struct wire *wire, int kind, int index)
{
    ck_assert_int_eq(wire->kind, kind);
    ck_assert_int_eq(wire->index, index);
    ck_assert_double_eq(kind == WIRE_CONSTANT ? wire->value : wire->weight,
                        kind == WIRE_NEURON   ? 0.5
                        : kind == WIRE_SENSOR ? -0.25
                                              : 0);
}

/* Body 1 (twice in a row), then two 2 on the second 1; neurons in all, and in the centre:
 * parts 0: 1, 1: 1, 2: 2 by 102, 3: 2 by 103. Instances: 0, 1 central; part 0: 2, 3; part 1: 4, 5;
 * part 2: 6; part 3: 7. */
static void make_wired(void)
{
    add_body(0.4, 0.2, 2)->sensors = SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_CONTACT_TOP);
    add_body(0.2, 0.1, 1)->sensors = SENSOR_BIT(SENSOR_CONTACT_LEFT);
    connect_at(1, 1, FACE_RIGHT, 0, FACE_LEFT, 0, 0);
    connect_at(1, 2, FACE_TOP, 0.5, FACE_LEFT, 0, 0)->is_terminal_only = 1;
    connect_at(1, 2, FACE_BOTTOM, 0.5, FACE_LEFT, 0, 0)->is_terminal_only = 1;

    add_neuron(1); /* 1001 */
    add_neuron(0); /* 1002 */
    add_neuron(2); /* 1003 */
    add_neuron(0); /* 1004 */
    add_neuron(1); /* 1005 */
}

TEST(neurons_in_order_and_references_by_scope)
{
    /* 1001 in part 0 has no parent and no child by 103, in part 1 both; 1005 in part 0 reads part 1,
     * in part 1 no child came by 101; both 2 read their parent; the centre reads the first part of a
     * gene; constants are weighted */
    static const struct {
        int gene, part;
        const char *wires;
    } instances[] = {{1002, -1, "n3 n6 n1"}, {1004, -1, "-2 - -"},  {1001, 0, "n3 - -"},
                     {1005, 0, "n4 n1 n3"},  {1001, 1, "n5 n3 n7"}, {1005, 1, "- n1 n5"},
                     {1003, 2, "n4 - -"},    {1003, 3, "n4 - -"}};
    make_wired();
    struct neuron_gene *n = genome.neurons;
    n[0].inputs[0] = reads_neuron(SCOPE_OWN, 1005, 0);
    n[0].inputs[1] = reads_neuron(SCOPE_PARENT, 1005, 0);
    n[0].inputs[2] = reads_neuron(SCOPE_CHILD, 1003, 103);
    n[4].inputs[0] = reads_neuron(SCOPE_CHILD, 1001, 101);
    n[4].inputs[1] = reads_neuron(SCOPE_CENTRAL, 1004, 0);
    n[4].inputs[2] = reads_neuron(SCOPE_OWN, 1005, 0);
    n[2].inputs[0] = reads_neuron(SCOPE_PARENT, 1001, 0);
    n[1].inputs[0] = reads_neuron(SCOPE_PART, 1005, 1);
    n[1].inputs[1] = reads_neuron(SCOPE_PART, 1003, 2);
    n[1].inputs[2] = reads_neuron(SCOPE_CENTRAL, 1004, 0);
    n[3].inputs[0] = (struct input_gene){.kind = INPUT_CONSTANT, .value = 4.0, .weight = -0.5};
    express();
    ck_assert_str_eq(tree(), "1 1<0 2<1 2<1");
    ck_assert_int_eq(phenotype.neuron_count, 8);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq((int)phenotype.neurons[i].gene, instances[i].gene);
        ck_assert_int_eq(phenotype.neurons[i].part, instances[i].part);
        ck_assert_int_eq(phenotype.neurons[i].function, NEURON_SUM);
        ck_assert_str_eq(wires_of(i), instances[i].wires);
    }
}

/* What a gene emits all its parts emit, if that is switched on. */
TEST(emitters_grow_where_they_are_on)
{
    make_wired();
    struct emitter_gene *emitters = genome.bodies[1].emitters;
    emitters[EMITTER_SOUND].is_there = emitters[EMITTER_SCENT_1].is_there = 1;
    emitters[EMITTER_SOUND].input = reads_neuron(SCOPE_OWN, 1003, 0);
    emitters[EMITTER_SCENT_1].input = reads_sensor(SCOPE_OWN, SENSOR_CONTACT_LEFT, 0);
    express();
    ck_assert_int_eq(phenotype.emitter_count, 0);
    params.sensor_scent = 1;
    express();
    const struct emitter *grown = phenotype.emitters;
    ck_assert(phenotype.emitter_count == 2 && grown[0].kind == EMITTER_SCENT_1);
    params.sensor_sound = 1;
    express();
    grown = phenotype.emitters;
    ck_assert(phenotype.emitter_count == 4 && grown[0].kind == EMITTER_SOUND);
    ck_assert_uint_eq(phenotype.parts[grown[1].part].body, 2);
    ck_assert_int_eq(grown[0].input.kind, WIRE_NEURON);
    ck_assert_int_eq(phenotype.neurons[grown[0].input.index].part, grown[1].part);
    assert_wire(&grown[1].input, WIRE_SENSOR, grown[1].part);
    phenotype_check(&phenotype);
}

TEST(neurons_beyond_the_bound_are_not_made)
{
    make_wired();
    genome.neurons[0].inputs[0] = reads_neuron(SCOPE_OWN, 1005, 0);
    genome.neurons[1].inputs[0] = reads_neuron(SCOPE_PART, 1003, 2);
    genome.bodies[1].has_effector = 1;
    genome.bodies[1].effector_strength = 1.0;
    genome.bodies[1].effector_input = reads_neuron(SCOPE_OWN, 1003, 0);

    params.creature_neurons_max = 5;
    express();
    ck_assert_int_eq(phenotype.neuron_count, 5);
    ck_assert_str_eq(wires_of(2), "n3 - -");
    ck_assert_str_eq(wires_of(4), "- - -");
    ck_assert_str_eq(wires_of(0), "- - -");
    ck_assert_int_eq(phenotype.effector_count, 2);
    assert_wire(&phenotype.effectors[0].input, WIRE_CONSTANT, 0);

    params.creature_neurons_max = 7;
    express();
    ck_assert_str_eq(wires_of(0), "n6 - -");
    assert_wire(&phenotype.effectors[0].input, WIRE_NEURON, 6);
    assert_wire(&phenotype.effectors[1].input, WIRE_CONSTANT, 0);

    params.creature_neurons_max = 0;
    express();
    ck_assert_int_eq(phenotype.neuron_count, 0);
}

/* ---- the manual ---- */

/* The creature of docs/genotype.md grows as the page says. */
TEST(the_example_of_the_manual)
{
    add_body(0.4, 0.2, 1);
    struct body_gene *arm = add_body(0.3, 0.1, 2);
    arm->is_symmetric = 1;
    arm->has_effector = 1;
    arm->effector_strength = 0.5;
    add_body(0.1, 0.1, 1)->joint = JOINT_RIGID;
    connect(1, 2);
    connect(1, 2);
    connect_at(2, 2, FACE_TOP, -0.8, FACE_LEFT, 0, 0)->scale = 0.5;
    connect(2, 3)->is_terminal_only = 1;
    add_neuron(0);
    struct neuron_gene *neuron = add_neuron(2);
    neuron->inputs[0] = reads_neuron(SCOPE_CENTRAL, 1001, 0);
    neuron->inputs[1] = reads_neuron(SCOPE_PARENT, 1002, 0);
    genome.bodies[1].effector_input = reads_neuron(SCOPE_OWN, 1002, 0);
    express();

    ck_assert_str_eq(tree(), "1 2<0 2<1 3<2 2<0 2<4 3<5");
    assert_pose(1, 0.35, 0.0, 0.0);
    assert_pose(2, 0.47, 0.125, QUARTER);
    assert_pose(3, 0.47, 0.225, QUARTER);
    assert_pose(4, -0.35, 0.0, -2.0 * QUARTER);
    assert_pose(5, -0.47, 0.125, -3.0 * QUARTER);
    assert_pose(6, -0.47, 0.225, -3.0 * QUARTER);
    ck_assert_double_eq_tol(phenotype.parts[2].width_m, 0.15, EPSILON);
    ck_assert_double_eq_tol(phenotype.parts[3].width_m, 0.05, EPSILON);
    ck_assert_int_eq(phenotype.body->link_count, 5);
    ck_assert_int_eq(phenotype.effector_count, 4);
    ck_assert_int_eq(phenotype.neuron_count, 5);
    for (int i = 1; i < 5; i++)
        ck_assert_str_eq(wires_of(i), i % 2 ? "n0 - -" : printed("n0 n%d -", i - 1));
}

/* ---- random genomes ---- */

/* A neuron that a reader (a body gene, 0 = the central set) can reach by some scope; a constant if
 * the one drawn is out of reach. */
static struct input_gene random_neuron_input(struct rng *rng, gene_id reader)
{
    const struct neuron_gene *neuron =
        &genome.neurons[rng_below(rng, (uint32_t)genome.neuron_count)];
    gene_id owner = neuron->owner;
    struct input_gene input = {.kind = INPUT_CONSTANT};
    if (owner == 0)
        return reads_neuron(SCOPE_CENTRAL, neuron->id, 0);
    if (reader == 0)
        return reads_neuron(SCOPE_PART, neuron->id, owner);
    if (owner == reader && rng_below(rng, 2))
        return reads_neuron(SCOPE_OWN, neuron->id, 0);
    for (int i = 0; i < genome.connection_count; i++) {
        const struct connection_gene *connection = &genome.connections[i];
        if (connection->from == reader && connection->to == owner && rng_below(rng, 2))
            input = reads_neuron(SCOPE_CHILD, neuron->id, connection->id);
        if (connection->from == owner && connection->to == reader && rng_below(rng, 2))
            input = reads_neuron(SCOPE_PARENT, neuron->id, 0);
    }
    return input;
}

/* Any input; what it refers to may not exist. */
static struct input_gene random_input(struct rng *rng, gene_id reader)
{
    if (genome.neuron_count && rng_below(rng, 5))
        return random_neuron_input(rng, reader);
    if (rng_below(rng, 3) == 0)
        return (struct input_gene){.kind = INPUT_CONSTANT,
                                   .value = rng_uniform(rng, -2, 2),
                                   .weight = rng_uniform(rng, -2, 2)};
    int scope = reader ? (int)rng_below(rng, 3) : SCOPE_PART;
    gene_id via = scope == SCOPE_PART ? 1 + rng_below(rng, (uint32_t)genome.body_count) : 0;
    if (scope == SCOPE_CHILD)
        via = 101 + rng_below(rng, (uint32_t)genome.connection_count + 1);
    return reads_sensor(scope, (int)rng_below(rng, SENSOR_LIGHT_LEVEL + 1), via);
}

/* Any genome at all, up to the given numbers of rows; what refers to nothing is repaired. */
static void random_genome(struct rng *rng, int bodies, int connections, int neurons)
{
    genome_deinit(&genome);
    genome_init(&genome);
    genome.root = 1;
    for (int i = 0; i < bodies; i++) {
        double width = rng_uniform(rng, 0.01, 1.0);
        double height = rng_uniform(rng, 0.01, 1.0);
        struct body_gene *body =
            add_body(width, height, 1 + (int)rng_below(rng, GENOME_RECURSION_MAX));
        body->joint = (uint8_t)rng_below(rng, JOINT_LINEAR + 1);
        body->lower = -rng_uniform(rng, 0, 3);
        body->upper = rng_uniform(rng, 0, 3);
        body->is_symmetric = (uint8_t)rng_below(rng, 2);
        body->sensors = rng_u64(rng) & body_kinds[BODY_RECTANGLES].sensors;
        body->has_effector = rng_below(rng, 4) > 0;
        body->effector_strength = body->has_effector ? rng_uniform(rng, 0.1, 1) : 0.0;
    }
    for (int i = 0; i < connections; i++) {
        gene_id from = 1 + rng_below(rng, (uint32_t)bodies);
        struct connection_gene *connection = connect(from, 1 + rng_below(rng, (uint32_t)bodies));
        connection->parent_face = (uint8_t)rng_below(rng, FACE_FLAT_COUNT);
        connection->parent_position = rng_uniform(rng, -1, 1);
        connection->child_face = (uint8_t)rng_below(rng, FACE_FLAT_COUNT);
        connection->child_position = rng_uniform(rng, -1, 1);
        connection->angle_rad = rng_below(rng, 2) ? rng_uniform(rng, -3, 3) : 0.0;
        connection->scale = rng_uniform(rng, 0.2, 1.8);
        connection->is_reflected = (uint8_t)rng_below(rng, 2);
        connection->is_terminal_only = rng_below(rng, 4) == 0;
    }
    for (int i = 0; i < neurons; i++) {
        struct neuron_gene *neuron = add_neuron(rng_below(rng, (uint32_t)bodies + 1));
        neuron->function = (uint8_t)rng_below(rng, NEURON_FUNCTION_COUNT);
    }
    for (int i = 0; i < neurons; i++)
        for (int k = 0; k < neuron_functions[genome.neurons[i].function].input_count; k++)
            genome.neurons[i].inputs[k] = random_input(rng, genome.neurons[i].owner);
    for (int i = 0; i < bodies; i++)
        if (genome.bodies[i].has_effector)
            genome.bodies[i].effector_input = random_input(rng, genome.bodies[i].id);
    genome_collect_garbage(&genome);
}

/* A plane map: v -> at + (x column) v.x + (y column) v.y. */
struct map {
    struct vec2 at, x, y;
};

static struct vec2 apply(const struct map *map, struct vec2 v)
{
    return (struct vec2){map->at.x + map->x.x * v.x + map->y.x * v.y,
                         map->at.y + map->x.y * v.x + map->y.y * v.y};
}

/* From a part's gene frame to the world. */
static struct map part_map(const struct part *part)
{
    double c = cos(part->angle_rad), s = sin(part->angle_rad);
    return (struct map){
        {part->centre.x, part->centre.y}, {c, s}, {-s * part->mirror, c * part->mirror}};
}

static struct vec2 point_on(const struct part *part, int face, double position)
{
    struct vec2 n = normal_of(face), t = {-n.y, n.x};
    double w = 0.5 * part->width_m, h = 0.5 * part->height_m;
    return (struct vec2){w * (n.x + position * t.x), h * (n.y + position * t.y)};
}

/* The parent's map that a connection is read in: for images, after x -> -x. Sets *row to the
 * connection whose placement counts. */
static struct map reading_map(const struct part *part, const struct part *parent, int *row)
{
    struct map map = part_map(parent);
    int seen = 0, last = -1;
    for (int i = 0; genome.connections[i].id != part->via; i++)
        if (genome.connections[i].from == parent->body && genome.connections[i].to == part->body) {
            seen++;
            last = i;
        }
    *row = genome_find_connection(&genome, part->via);
    if (seen % 2 && genome.bodies[genome_find_body(&genome, part->body)].is_symmetric) {
        *row = last;
        map.x = (struct vec2){-map.x.x, -map.x.y};
    }
    return map;
}

static void assert_near(struct vec2 a, struct vec2 b)
{
    ck_assert_xy(a, b.x, b.y, 1e-9);
}

/* Anchors coincide, normals are opposite but for the turn, handedness follows the flags. */
static void check_placement(const struct part *part)
{
    const struct part *parent = &phenotype.parts[part->parent];
    int row;
    struct map from = reading_map(part, parent, &row);
    struct map to = part_map(part);
    const struct connection_gene *gene = &genome.connections[row];
    struct vec2 anchor = {part->anchor.x, part->anchor.y};
    assert_near(apply(&from, point_on(parent, gene->parent_face, gene->parent_position)), anchor);
    assert_near(apply(&to, point_on(part, gene->child_face, gene->child_position)), anchor);

    /* The child's face looks back along the parent's normal, turned in the child's own sense. */
    from.at = to.at = (struct vec2){0, 0};
    struct vec2 out = apply(&from, normal_of(gene->parent_face));
    struct vec2 back = apply(&to, normal_of(gene->child_face));
    double c = cos(gene->angle_rad), s = sin(gene->angle_rad) * part->mirror;
    assert_near(back, (struct vec2){-(c * out.x - s * out.y), -(s * out.x + c * out.y)});
    if (genome.bodies[genome_find_body(&genome, part->body)].joint == JOINT_LINEAR)
        assert_near(vec3_flat(phenotype.body->links[part->link].axis),
                    (struct vec2){-back.x, -back.y});

    double from_hand = from.x.x * from.y.y - from.x.y * from.y.x;
    double to_hand = to.x.x * to.y.y - to.x.y * to.y.x;
    ck_assert_double_eq_tol(to_hand, gene->is_reflected ? -from_hand : from_hand, 1e-9);
}

static int count_on_path(int part, gene_id body)
{
    int count = 0;
    for (; part >= 0; part = phenotype.parts[part].parent)
        count += phenotype.parts[part].body == body;
    return count;
}

static void check_parts(void)
{
    double low = params.creature_side_min_m, high = params.creature_side_max_m;
    double aspect = params.creature_aspect_max;
    ck_assert_int_ge(phenotype.part_count, 1);
    ck_assert_int_le(phenotype.part_count, (int)params.creature_parts_max);
    for (int i = 0; i < phenotype.part_count; i++) {
        const struct part *part = &phenotype.parts[i];
        const struct body_gene *body = &genome.bodies[genome_find_body(&genome, part->body)];
        ck_assert(part->width_m >= low && part->width_m <= high);
        ck_assert(part->height_m >= low && part->height_m <= high);
        ck_assert(part->width_m <= part->height_m * aspect * (1 + 1e-12));
        ck_assert(part->height_m <= part->width_m * aspect * (1 + 1e-12));
        ck_assert(part->parent < i && (part->parent >= 0) == (i > 0));
        ck_assert(part->mirror == 1 || part->mirror == -1);
        ck_assert_int_lt(part->depth, (int)params.creature_depth_max);
        ck_assert_int_le(count_on_path(i, part->body), body->recursive_limit);
        ck_assert_uint_eq(part->sensors & ~body->sensors, 0);
        ck_assert(isfinite(part->centre.x) && isfinite(part->centre.y));
        if (i > 0) {
            ck_assert_int_eq(part->depth, phenotype.parts[part->parent].depth + 1);
            check_placement(part);
        }
    }
}

/* A part's gene that is not at its bounds has a child for each ordinary connection that is open, or
 * for each terminal-only one that is, if no ordinary one is. */
static void check_traversal(void)
{
    if (phenotype.part_count == params.creature_parts_max)
        return;
    for (int i = 0; i < phenotype.part_count; i++) {
        const struct part *part = &phenotype.parts[i];
        int open[2] = {0, 0}, children = 0;
        for (int k = 0; k < genome.connection_count; k++) {
            const struct connection_gene *gene = &genome.connections[k];
            int limit = genome.bodies[genome_find_body(&genome, gene->to)].recursive_limit;
            if (gene->from == part->body)
                open[gene->is_terminal_only] += count_on_path(i, gene->to) < limit;
        }
        for (int k = 0; k < phenotype.part_count; k++)
            children += phenotype.parts[k].parent == i;
        if (part->depth + 1 == params.creature_depth_max)
            ck_assert_int_eq(children, 0);
        else
            ck_assert_int_eq(children, open[0] ? open[0] : open[1]);
    }
}

static void check_links(void)
{
    double mass = 0.0;
    ck_assert_int_le(phenotype.body->link_count, phenotype.part_count);
    for (int i = 0; i < phenotype.body->link_count; i++) {
        const struct body_link *link = &phenotype.body->links[i];
        ck_assert(link->parent < i && (link->parent >= 0) == (i > 0));
        ck_assert(link->mass_kg > 0 && link->inertia.zz > 0);
        int row = genome_find_body(&genome, phenotype.parts[link->part].body);
        int is_linear = genome.bodies[row].joint == JOINT_LINEAR;
        ck_assert(link->lower[0] <= 0 && link->upper[0] >= 0);
        ck_assert(i == 0 || (link->kind == LINK_LINEAR) == is_linear);
        ck_assert(link->scale > 0 && (is_linear ? link->sign[0] == 1 : link->scale == 1));
        ck_assert(!(link->strength > 0) || i > 0);
        mass += link->mass_kg;
    }
    ck_assert_double_eq_tol(mass, phenotype.mass_kg, 1e-9);
    for (int i = 0; i < phenotype.part_count; i++) {
        const struct part *part = &phenotype.parts[i];
        struct vec2 world = part->local;
        for (int link = part->link; link > 0; link = phenotype.body->links[link].parent) {
            world.x += phenotype.body->links[link].joint.x;
            world.y += phenotype.body->links[link].joint.y;
        }
        assert_near(world, (struct vec2){part->centre.x, part->centre.y});
    }
}

/* Whether a part stands to a reader's part as the scope says. */
static int is_in_scope(const struct input_gene *gene, int reader, int part)
{
    const struct part *parts = phenotype.parts;
    switch (gene->scope) {
    case SCOPE_OWN:
        return part == reader;
    case SCOPE_PARENT:
        return part >= 0 && reader >= 0 && parts[reader].parent == part;
    case SCOPE_CHILD:
        return part >= 0 && parts[part].parent == reader && parts[part].via == gene->via;
    case SCOPE_CENTRAL:
        return part == -1;
    default:
        for (int i = 0; i < part; i++)
            if (parts[i].body == gene->via)
                return 0;
        return part >= 0 && parts[part].body == gene->via;
    }
}

/* 1 if an instance or a sensor matches the gene: then the wire leads there, else it is 0. */
static int check_wire(const struct wire *wire, const struct input_gene *gene, int reader)
{
    struct wire expected = {.kind = WIRE_CONSTANT};
    if (gene->kind == INPUT_CONSTANT)
        expected.value = gene->value * gene->weight;
    for (int i = 0; gene->kind == INPUT_NEURON && i < phenotype.neuron_count; i++)
        if (phenotype.neurons[i].gene == gene->source &&
            is_in_scope(gene, reader, phenotype.neurons[i].part))
            expected = (struct wire){.kind = WIRE_NEURON, .index = i, .weight = gene->weight};
    for (int i = 0; gene->kind == INPUT_SENSOR && i < phenotype.part_count; i++)
        if (phenotype.parts[i].sensors & SENSOR_BIT(gene->sensor) && is_in_scope(gene, reader, i))
            expected = (struct wire){
                .kind = WIRE_SENSOR, .index = i, .sensor = gene->sensor, .weight = gene->weight};

    ck_assert_int_eq(wire->kind, expected.kind);
    ck_assert_int_eq(wire->index, expected.index);
    ck_assert_int_eq(wire->sensor, expected.sensor);
    ck_assert_double_eq(wire->value, expected.value);
    ck_assert_double_eq(wire->weight, expected.weight);
    return wire->kind != WIRE_CONSTANT;
}

/* Returns the number of wires that lead somewhere. */
static int check_brain(void)
{
    const struct input_gene none = {.kind = INPUT_CONSTANT};
    int effectors = 0, wires = 0;
    ck_assert_int_le(phenotype.neuron_count, (int)params.creature_neurons_max);
    for (int i = 0; i < phenotype.neuron_count; i++) {
        const struct neuron *neuron = &phenotype.neurons[i];
        const struct neuron_gene *gene = &genome.neurons[genome_find_neuron(&genome, neuron->gene)];
        ck_assert(i == 0 || neuron->part >= phenotype.neurons[i - 1].part);
        ck_assert_uint_eq(gene->owner, neuron->part < 0 ? 0 : phenotype.parts[neuron->part].body);
        for (int k = 0; k < NEURON_INPUTS_MAX; k++)
            wires += check_wire(&neuron->inputs[k],
                                k < neuron_functions[gene->function].input_count ? &gene->inputs[k]
                                                                                 : &none,
                                neuron->part);
    }
    for (int i = 0; i < phenotype.body->link_count; i++)
        effectors += phenotype.body->links[i].strength > 0;
    ck_assert_int_eq(effectors, phenotype.effector_count);
    for (int i = 0; i < phenotype.effector_count; i++) {
        const struct effector *effector = &phenotype.effectors[i];
        int part = phenotype.body->links[effector->drive].part;
        int row = genome_find_body(&genome, phenotype.parts[part].body);
        wires += check_wire(&effector->input, &genome.bodies[row].effector_input, part);
        ck_assert_int_eq(phenotype.body->links[effector->drive].strength > 0, 1);
        ck_assert(i == 0 || effector->drive > phenotype.effectors[i - 1].drive);
    }
    return wires;
}

/* Whole bodies mirrored: parts at -x, of the other handedness, joints that turn the other way, to
 * the bit; the same brain. */
TEST(whole_bodies_are_mirrored)
{
    struct phenotype mirrored;
    long parts = 0;
    struct rng rng = test_rng(1, 0, 7);
    for (int i = 0; i < 200; i++) {
        random_genome(&rng, 1 + (int)rng_below(&rng, 6), (int)rng_below(&rng, 10),
                      (int)rng_below(&rng, 30));
        arena_reset(&arena);
        express();
        phenotype_express_mirrored(&mirrored, &genome, &params, &arena);
        phenotype_check(&mirrored);
        ck_assert_int_eq(mirrored.part_count, phenotype.part_count);
        ck_assert_int_eq(mirrored.neuron_count, phenotype.neuron_count);
        for (int k = 0; k < phenotype.part_count; k++) {
            const struct part *a = &phenotype.parts[k], *b = &mirrored.parts[k];
            ck_assert_int_eq(b->mirror, -a->mirror);
            ck_assert(b->is_reversed && b->angle_rad == -a->angle_rad);
            ck_assert(b->centre.x == -a->centre.x && b->centre.y == a->centre.y);
        }
        for (int k = 0; k < phenotype.neuron_count; k++)
            ck_assert(mirrored.neurons[k].lag_turns == phenotype.neurons[k].lag_turns);
        for (int k = 1; k < phenotype.body->link_count; k++) {
            const struct body_link *a = &phenotype.body->links[k], *b = &mirrored.body->links[k];
            int is_turned = a->kind != LINK_LINEAR;
            ck_assert_double_eq_tol(b->lower[0], is_turned ? -a->upper[0] : a->lower[0], 1e-12);
            ck_assert_double_eq_tol(b->upper[0], is_turned ? -a->lower[0] : a->upper[0], 1e-12);
        }
        parts += phenotype.part_count;
    }
    ck_assert_int_gt(parts, 500);
}

TEST(random_genomes_obey_the_rules)
{
    int bodies, largest = 0;
    long wires = 0;
    struct rng rng = test_rng(1, 0, 3);
    for (int i = 0; i < 1000; i++) {
        bodies = 1 + (int)rng_below(&rng, 6);
        int connections = (int)rng_below(&rng, 10);
        random_genome(&rng, bodies, connections, (int)rng_below(&rng, 30));
        params.creature_parts_max = 1 + rng_below(&rng, 64);
        params.creature_depth_max = 1 + rng_below(&rng, 12);
        params.creature_neurons_max = rng_below(&rng, 200);
        params.creature_side_min_m = rng_uniform(&rng, 0.01, 0.1);
        params.creature_side_max_m = rng_uniform(&rng, 0.1, 3.0);
        params.creature_aspect_max = rng_uniform(&rng, 1, 30);
        arena_reset(&arena);
        express();
        check_parts();
        check_traversal();
        check_links();
        wires += check_brain();
        largest = phenotype.part_count > largest ? phenotype.part_count : largest;
    }
    ck_assert_int_ge(largest, 60);
    ck_assert_int_ge(wires, 1000 * 10);
}

/* The largest genomes there are: all tables full, deepest recursion, every bound at its maximum. */
TEST(adversarial_genomes_are_bounded)
{
    struct rng rng = test_rng(1, 0, 4);
    params.creature_neurons_max = 4096;
    for (int i = 0; i < 20; i++) {
        random_genome(&rng, GENOME_BODIES_MAX, GENOME_CONNECTIONS_MAX, GENOME_NEURONS_MAX);
        arena_reset(&arena);
        express();
        check_parts();
        check_links();
        check_brain();
    }

    /* One body that is its own child 96 times over. */
    random_genome(&rng, 1, GENOME_CONNECTIONS_MAX, 64);
    genome.bodies[0].recursive_limit = GENOME_RECURSION_MAX;
    for (int i = 0; i < genome.connection_count; i++)
        genome.connections[i].is_terminal_only = 0;
    arena_reset(&arena);
    express();
    ck_assert_int_eq(phenotype.part_count, 64);
    check_parts();
}

TEST(expression_is_pure)
{
    struct phenotype first;
    SCOPED(arena) other;
    struct rng rng = test_rng(1, 0, 5);
    ck_assert_int_eq(arena_init(&other, 8u << 20), 0);
    for (int i = 0; i < 50; i++) {
        random_genome(&rng, 5, 8, 10);
        arena_reset(&other);
        memset(other.base, 0xa5, other.size_bytes);
        express();
        first = phenotype;
        ck_assert_int_eq(phenotype_express(&phenotype, &genome, &params, &other), VERDICT_OK);
        ck_assert_int_eq(phenotype.part_count, first.part_count);
        ck_assert_int_eq(phenotype.body->link_count, first.body->link_count);
        ck_assert_int_eq(phenotype.neuron_count, first.neuron_count);
        ck_assert_int_eq(phenotype.effector_count, first.effector_count);
        for (int k = 0; k < first.part_count; k++) {
            ck_assert_xy(phenotype.parts[k].centre, first.parts[k].centre.x,
                         first.parts[k].centre.y, 0);
            ck_assert_double_eq(phenotype.parts[k].angle_rad, first.parts[k].angle_rad);
        }
        for (int k = 0; k < first.neuron_count; k++)
            ck_assert_int_eq(phenotype.neurons[k].inputs[0].index,
                             first.neurons[k].inputs[0].index);
        arena_reset(&arena);
    }
}

TEST(a_full_arena_is_not_expressed)
{
    int failures = 0;
    make_wired();
    express();
    size_t needed = arena.used_bytes;
    for (size_t size = 16; size <= needed; size += size < needed - 8192 ? 1024 : 16) {
        SCOPED(arena) small;
        size_t bytes = size > needed ? needed : size;
        ck_assert_int_eq(arena_init(&small, bytes), 0);
        int verdict = phenotype_express(&phenotype, &genome, &params, &small);
        if (verdict != VERDICT_OK) {
            ck_assert_int_eq(verdict, VERDICT_MEMORY);
            ck_assert_int_eq(phenotype.part_count, 0);
            ck_assert_ptr_null(phenotype.body);
            failures++;
        }
        ck_assert_int_eq(verdict == VERDICT_OK, bytes >= needed);
    }
    ck_assert_int_gt(failures, 10);
}

SUITE("phenotype", 60, setup, grown_tear_down)
