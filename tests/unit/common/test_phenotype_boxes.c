/* common/growth/phenotype_boxes: what genes of boxes grow into. Places on faces, orientation,
 * reflection and images, limits and signs of each joint, links, drives, strength; random bodies
 * obey the rules. */

#include "common/growth/body.h"
#include "common/growth/box_half.h"
#include "common/growth/phenotype_key.h"
#include "common/genome/body_kind.h"
#include "tests/random_genome.h"
#include "tests/unit/grown_fixture.h"
#include "simulator/evaluate/evaluate.h"

static struct phenotype phenotype;
static const struct body *body;

#define EXACT 1e-12

static void set_up(void)
{
    grown_set_up(BODY_BOXES);
}

static struct body_gene *add_box(double x, double y, double z, int joint)
{
    struct body_gene *gene = grown_rectangle(x, y, joint, -0.25, 0.5);
    gene->box.depth_m = z;
    if (joint_types[joint].freedoms > 1) {
        gene->box.lower_2 = joint == JOINT_SPHERICAL ? 0 : -0.75;
        gene->box.upper_2 = 1;
    }
    return gene;
}

/* A trunk with a small box on it, from face to face. */
static struct connection_gene *add_pair(int joint, int face, int child_face)
{
    add_box(0.5, 0.4, 0.3, JOINT_RIGID);
    add_box(0.2, 0.16, 0.12, joint);
    return grown_hang(1, 2, face, child_face);
}

/* A trunk, and a box that a muscle will move against it. */
static struct body_gene *add_muscle(int joint, double strength)
{
    add_box(0.5, 0.4, 0.3, JOINT_RIGID);
    struct body_gene *gene = add_box(0.2, 0.6, 0.1, joint);
    gene->has_effector = 1;
    gene->effector_strength = strength;
    return gene;
}

/* Without any gene. */
static void begin_anew(void)
{
    genome_deinit(&genome);
    genome.kind = BODY_BOXES;
    genome.root = 1;
}

static void express(void)
{
    arena_reset(&arena);
    ck_ok(genome_check(&genome, &error));
    ck_assert_int_eq(phenotype_express(&phenotype, &genome, &params, &arena), VERDICT_OK);
    body = phenotype.body;
    ck_assert_ptr_nonnull(body);
    ck_assert_int_eq(body->box_count, phenotype.part_count);
    phenotype_check(&phenotype);
}

static void assert_near(struct vec3 a, struct vec3 b, const char *what)
{
    ck_assert_msg(vec3_length(vec3_sub(a, b)) < EXACT, "%s: %g %g %g is not %g %g %g", what, a.x,
                  a.y, a.z, b.x, b.y, b.z);
}

/* The outward normal of a face in the part's own frame. */
static struct vec3 normal_of(int face)
{
    static const struct vec3 normals[FACE_COUNT] = {
        [FACE_RIGHT] = {1, 0, 0},   [FACE_TOP] = {0, 1, 0},   [FACE_LEFT] = {-1, 0, 0},
        [FACE_BOTTOM] = {0, -1, 0}, [FACE_FRONT] = {0, 0, 1}, [FACE_BACK] = {0, 0, -1}};
    return normals[face];
}

static struct mat3 turn_of(int part)
{
    return quaternion_matrix(phenotype.parts[part].turn);
}

/* A link's frame in the world at birth, by the way from the root. */
struct pose {
    struct mat3 turn;
    struct vec3 at;
};
static struct pose link_pose(int link)
{
    struct pose pose = {quaternion_matrix(QUATERNION_ONE), {0, 0, 0}};
    if (link == 0)
        return pose;
    const struct body_link *of = &body->links[link];
    struct mat3 own = quaternion_matrix(of->frame);
    pose = link_pose(of->parent);
    return (struct pose){mat3_product(&pose.turn, &own),
                         vec3_add(pose.at, mat3_apply(&pose.turn, of->joint))};
}

/* Boxes on their links are where parts are, and all turns are proper. */
static void check_links(void)
{
    double mass = 0;
    for (int i = 0; i < body->box_count; i++) {
        const struct body_box *box = &body->boxes[i];
        const struct part *part = &phenotype.parts[i];
        struct pose pose = link_pose(box->link);
        struct mat3 on_link = quaternion_matrix(box->turn), own = turn_of(i);
        struct mat3 turn = mat3_product(&pose.turn, &on_link);
        assert_near(vec3_add(pose.at, mat3_apply(&pose.turn, box->centre)), part->centre, "place");
        assert_near(turn.x, own.x, "x axis");
        assert_near(turn.y, own.y, "y axis");
        assert_near(turn.z, own.z, "z axis");
        ck_assert_int_eq(part->link, box->link);
        ck_assert(fabs(quaternion_square(box->turn) - 1) < 1e-15 && box->turn.w >= 0);
        const struct shape *shape = &phenotype.shapes[i];
        ck_assert(shape->kind == SHAPE_BOX && shape->part == i);
        ck_assert(shape->half_m.z == box->size_m.z / 2);
    }
    for (int i = 0; i < body->link_count; i++) {
        const struct body_link *link = &body->links[i];
        ck_assert(i == 0 || (link->parent >= 0 && link->parent < i));
        ck_assert(link->inertia.xx > 0 && link->inertia.yy > 0 && link->inertia.zz > 0);
        mass += link->mass_kg;
    }
    ck_assert_double_eq_tol(mass, phenotype.mass_kg, EXACT * mass);
}

/* ---- places ---- */

/* Each face of the child on each of the parent: faces look at each other, and their middles
 * meet. */
TEST(faces_meet)
{
    struct connection_gene *gene = add_pair(JOINT_REVOLUTE, 0, 0);
    for (int face = 0; face < FACE_COUNT; face++)
        for (int child_face = 0; child_face < FACE_COUNT; child_face++) {
            gene->parent_face = (uint8_t)face;
            gene->child_face = (uint8_t)child_face;
            express();
            check_links();
            struct vec3 normal = normal_of(face), of_child = normal_of(child_face);
            struct mat3 turn = turn_of(1);
            struct vec3 half = phenotype.shapes[0].half_m, child_half = phenotype.shapes[1].half_m;
            double way = fabs(vec3_dot(normal, half)) + fabs(vec3_dot(of_child, child_half));
            assert_near(mat3_apply(&turn, of_child), vec3_scale(normal, -1), "child's normal");
            assert_near(phenotype.parts[1].centre, vec3_scale(normal, way), "centre");
            struct pose joint = link_pose(1);
            assert_near(joint.turn.x, normal, "joint's x");
            assert_near(joint.at, vec3_scale(normal, fabs(vec3_dot(normal, half))), "joint");
        }
}

/* Opposite faces do not turn the child. Around z the joint bends in the plane of x and y; of front
 * and back in that of z and x. */
TEST(straight_out_is_not_turned)
{
    static const int opposite[FACE_COUNT] = {FACE_LEFT, FACE_BOTTOM, FACE_RIGHT,
                                             FACE_TOP,  FACE_BACK,   FACE_FRONT};
    struct connection_gene *gene = add_pair(JOINT_REVOLUTE, 0, 0);
    for (int face = 0; face < FACE_COUNT; face++) {
        gene->parent_face = (uint8_t)face;
        gene->child_face = (uint8_t)opposite[face];
        express();
        struct mat3 turn = turn_of(1);
        assert_near(turn.x, (struct vec3){1, 0, 0}, "x");
        assert_near(turn.y, (struct vec3){0, 1, 0}, "y");
        struct vec3 axis = face < FACE_FLAT_COUNT ? (struct vec3){0, 0, 1} : (struct vec3){0, 1, 0};
        assert_near(link_pose(1).turn.z, axis, "axis of bending");
    }
}

TEST(positions_run_along_the_faces)
{
    static const struct {
        int face;
        double position, position_2;
        struct vec3 at;
    } rows[] = {{FACE_RIGHT, 0.5, 0.25, {0.25, 0.1, 0.0375}},
                {FACE_TOP, 0.5, 0.25, {-0.125, 0.2, 0.0375}},
                {FACE_LEFT, 0.5, 0.25, {-0.25, -0.1, 0.0375}},
                {FACE_BOTTOM, 0.5, 0.25, {0.125, -0.2, 0.0375}},
                {FACE_FRONT, 0.5, 0.25, {0.125, 0.05, 0.15}},
                {FACE_BACK, 0.5, 0.25, {-0.125, 0.05, -0.15}}};
    struct connection_gene *gene = add_pair(JOINT_TWIST, 0, FACE_LEFT);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gene->parent_face = (uint8_t)rows[i].face;
        gene->parent_position = rows[i].position;
        gene->mount.parent_position_2 = rows[i].position_2;
        express();
        assert_near(link_pose(1).at, rows[i].at, "joint");
        /* and on the child: its left face, whose first direction is -y */
        gene->child_position = 1;
        gene->mount.child_position_2 = -1;
        express();
        struct mat3 turn = turn_of(1);
        struct vec3 point = {-0.1, -0.08, -0.06};
        assert_near(vec3_add(phenotype.parts[1].centre, mat3_apply(&turn, point)), rows[i].at,
                    "child's point");
        gene->child_position = gene->mount.child_position_2 = 0;
    }
}

/* Roll about the normal, then bend, then tilt: the same by quaternions. Joint z goes towards the
 * side as the tilt does. */
TEST(orientation)
{
    static const struct vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    struct connection_gene *gene = add_pair(JOINT_UNIVERSAL, FACE_RIGHT, FACE_LEFT);
    gene->mount.roll_rad = 0.7;
    gene->angle_rad = -1.2;
    gene->mount.tilt_rad = 0.4;
    express();
    check_links();
    struct quaternion turn =
        quaternion_product(quaternion_about(x, 0.7), quaternion_product(quaternion_about(z, -1.2),
                                                                        quaternion_about(y, -0.4)));
    struct mat3 expected = quaternion_matrix(turn), own = turn_of(1);
    assert_near(own.x, expected.x, "x");
    assert_near(own.z, expected.z, "z");
    assert_near(link_pose(1).turn.x, expected.x, "joint's x");
    assert_near(vec3_sub(phenotype.parts[1].centre, (struct vec3){0.25, 0, 0}),
                vec3_scale(expected.x, 0.1), "centre");
}

/* ---- mirrors ---- */

static const int mirror_axes[] = {[SYMMETRY_SIDES] = 2, [SYMMETRY_ENDS] = 0, [SYMMETRY_LEVELS] = 1};

static struct vec3 mirrored(struct vec3 v, int axis)
{
    return (struct vec3){axis == 0 ? -v.x : v.x, axis == 1 ? -v.y : v.y, axis == 2 ? -v.z : v.z};
}

/* A limb of two parts, askew in all ways. */
static void add_limb(int symmetry, int joint)
{
    set("boxes.overlap_max_m=off"); /* of some limbs the images meet */
    add_box(0.5, 0.4, 0.3, JOINT_RIGID);
    struct body_gene *limb = add_box(0.2, 0.16, 0.12, joint);
    limb->is_symmetric = (uint8_t)symmetry;
    limb->recursive_limit = 2;
    limb->has_effector = 1;
    limb->effector_strength = 1;
    struct connection_gene *gene = grown_hang(1, 2, FACE_TOP, FACE_LEFT);
    gene->parent_position = 0.5;
    gene->mount.parent_position_2 = 0.75;
    gene->child_position = 0.25;
    gene->mount.child_position_2 = -0.5;
    gene->mount.roll_rad = 0.3;
    gene->angle_rad = 0.5;
    gene->mount.tilt_rad = -0.6;
    grown_hang(1, 2, FACE_LEFT, FACE_BACK); /* its image: its own placement does not count */
    gene = grown_hang(2, 2, FACE_RIGHT, FACE_BOTTOM);
    gene->mount.tilt_rad = 0.2;
    gene->mount.roll_rad = -0.9;
    gene->scale = 0.75;
}

/* Images are exact: places to the bit, own axes but for z, which changes its sign besides. */
TEST_LOOP(images_are_exact, 0, 3)
{
    int symmetry = SYMMETRY_SIDES + _i, axis = mirror_axes[symmetry];
    add_limb(symmetry, JOINT_BEND_TWIST);
    express();
    check_links();
    ck_assert_int_eq(phenotype.part_count, 5);
    for (int i = 1; i < 3; i++) {
        const struct part *one = &phenotype.parts[i], *other = &phenotype.parts[i + 2];
        struct vec3 image = mirrored(one->centre, axis);
        ck_assert(image.x == other->centre.x && image.y == other->centre.y &&
                  image.z == other->centre.z);
        ck_assert_int_eq(one->mirror, 1);
        ck_assert_int_eq(other->mirror, -1);
        ck_assert(one->mass_kg == other->mass_kg);
        struct mat3 own = turn_of(i), others = turn_of(i + 2);
        assert_near(mirrored(own.x, axis), others.x, "x");
        assert_near(mirrored(own.y, axis), others.y, "y");
        assert_near(mirrored(own.z, axis), vec3_scale(others.z, -1), "z");
    }
}

/* Ahead of the root lie a pair and, not as far, a single part: that is the head, unless a gene says
 * another one; of several the first. Of a pair alone the root is. */
TEST(the_head_is_the_single_part_ahead)
{
    gene_id root = add_box(0.4, 0.1, 0.1, JOINT_RIGID)->id;
    gene_id nose = add_box(0.1, 0.1, 0.1, JOINT_RIGID)->id;
    gene_id tail = add_box(0.3, 0.1, 0.1, JOINT_RIGID)->id;
    struct body_gene *arm = add_box(0.5, 0.05, 0.05, JOINT_RIGID);
    arm->is_symmetric = SYMMETRY_SIDES;
    set("creature.twins=yes");
    grown_hang(root, tail, FACE_LEFT, FACE_RIGHT);
    grown_hang(root, arm->id, FACE_RIGHT, FACE_LEFT)->mount.parent_position_2 = 1;
    grown_hang(root, nose, FACE_RIGHT, FACE_LEFT);
    express();
    ck_assert_int_eq(phenotype.part_count, 5);
    ck_assert_int_eq(phenotype.head, 4);
    genome.bodies[2].is_head = 1;
    express();
    ck_assert_int_eq(phenotype.head, 1);
    genome.bodies[1].is_head = 1;
    express();
    ck_assert_int_eq(phenotype.head, 1);
    genome.bodies[1].is_head = genome.bodies[2].is_head = 0;
    genome_remove(&genome, GENOME_CONNECTIONS, 2);
    express();
    ck_assert_int_eq(phenotype.head, 0);
}

/* With creature.twins one connection grows what two do otherwise: first both parts, then what hangs
 * on them. */
TEST_LOOP(twins_grow_by_one_connection, 0, 3)
{
    static const int order[] = {0, 1, 4, 2,
                                3, 5, 6}; /* among the parts that two connections grow */
    struct vec3 centres[7];
    add_limb(SYMMETRY_SIDES + _i, JOINT_BEND_TWIST);
    set("creature.twins=yes"); /* two connections are a pair as before; the limbs fork */
    express();
    ck_assert_int_eq(phenotype.part_count, 7);
    for (int i = 0; i < 7; i++)
        centres[i] = phenotype.parts[i].centre;
    genome_remove(&genome, GENOME_CONNECTIONS, 1);
    express();
    check_links();
    ck_assert_int_eq(phenotype.part_count, 7);
    for (int i = 0; i < 7; i++) {
        struct vec3 centre = centres[order[i]], own = phenotype.parts[i].centre;
        ck_assert(centre.x == own.x && centre.y == own.y && centre.z == own.z);
        ck_assert_int_eq(phenotype.parts[i].mirror, i == 2 || i == 4 || i == 5 ? -1 : 1);
    }
    ck_assert_int_eq(phenotype.parts[3].parent, 1);
    ck_assert_int_eq(phenotype.parts[5].parent, 2);
    set("creature.parts_max=2"); /* no room for the twin */
    express();
    ck_assert_int_eq(phenotype.part_count, 2);
    set("creature.twins=no", "creature.parts_max=5");
    express();
    ck_assert_int_eq(phenotype.part_count, 3);
}

/* The turn of a joint of the child's frame against the one at birth, and how far it slides. */
static struct quaternion joint_turn(int joint, const double *values)
{
    static const struct vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    switch (joint) {
    case JOINT_REVOLUTE:
        return quaternion_about(axes[2], values[0]);
    case JOINT_TWIST:
        return quaternion_about(axes[0], values[0]);
    case JOINT_UNIVERSAL:
        return quaternion_product(quaternion_about(axes[2], values[0]),
                                  quaternion_about(axes[1], values[1]));
    case JOINT_BEND_TWIST:
        return quaternion_product(quaternion_about(axes[2], values[0]),
                                  quaternion_about(axes[0], values[1]));
    case JOINT_TWIST_BEND:
        return quaternion_product(quaternion_about(axes[0], values[0]),
                                  quaternion_about(axes[2], values[1]));
    case JOINT_SPHERICAL:
        return quaternion_exp((struct vec3){values[0], values[1], values[2]});
    default:
        return QUATERNION_ONE;
    }
}

/* Where the tip of a limb is in the world, if its two joints have taken what the same signals ask
 * for. */
static struct vec3 moved_tip(int link, const double *signals)
{
    struct pose pose = {quaternion_matrix(QUATERNION_ONE), {0, 0, 0}};
    for (int i = link; i < link + 2; i++) {
        const struct body_link *of = &body->links[i];
        double values[GENOME_FREEDOMS_MAX] = {0}, slide = 0;
        for (int k = 0; k < body_freedoms(of); k++) {
            const struct drive *drive = &phenotype.drives[of->first_drive + k];
            ck_assert(signals[k] >= drive->least && signals[k] <= drive->most);
            values[k] = drive->rest + drive->unit * signals[k];
        }
        if (of->kind == LINK_LINEAR)
            slide = values[0];
        struct mat3 at_birth = quaternion_matrix(of->frame);
        struct mat3 turn = quaternion_matrix(joint_turn(of->gene_joint, values));
        pose.at = vec3_add(pose.at, mat3_apply(&pose.turn, of->joint));
        pose.turn = mat3_product(&pose.turn, &at_birth);
        pose.at = vec3_along(pose.at, pose.turn.x, slide);
        pose.turn = mat3_product(&pose.turn, &turn);
    }
    return vec3_add(pose.at,
                    mat3_apply(&pose.turn, body->boxes[body->links[link + 1].part].centre));
}

/* A limb and its image that get the same signals move as mirror images. So do their limits. It
 * holds for every joint and every mirror. */
TEST_LOOP(signals_move_images_alike, 0, 7)
{
    static const int joints[] = {JOINT_REVOLUTE,   JOINT_TWIST,      JOINT_UNIVERSAL,
                                 JOINT_BEND_TWIST, JOINT_TWIST_BEND, JOINT_SPHERICAL,
                                 JOINT_LINEAR};
    static const double signals[] = {0.2, -0.15, 0.3};
    int joint = joints[_i];
    for (int symmetry = SYMMETRY_SIDES; symmetry < SYMMETRY_COUNT; symmetry++) {
        begin_anew();
        add_limb(symmetry, joint);
        express();
        ck_assert_int_eq(body->link_count, 5);
        ck_assert_int_eq(phenotype.drive_count, 4 * joint_types[joint].freedoms);
        assert_near(mirrored(moved_tip(1, signals), mirror_axes[symmetry]), moved_tip(3, signals),
                    "tip");
        /* it moved */
        static const double rest[GENOME_FREEDOMS_MAX] = {0};
        ck_assert(vec3_length(vec3_sub(moved_tip(1, signals), moved_tip(1, rest))) > 1e-3);
        for (int k = 0; k < joint_types[joint].freedoms; k++) {
            const struct drive *one = &phenotype.drives[body->links[1].first_drive + k];
            const struct drive *other = &phenotype.drives[body->links[3].first_drive + k];
            ck_assert(one->least == other->least && one->most == other->most);
            ck_assert(one->lower <= 0 && one->upper >= 0 && other->lower <= 0 && other->upper >= 0);
        }
    }
}

/* Reflected: as the image in the plane through the anchor that holds the face's normal and first
 * direction. */
TEST(reflection_is_about_the_face)
{
    struct vec3 centres[3];
    add_limb(SYMMETRY_NONE, JOINT_REVOLUTE);
    genome_remove(&genome, GENOME_CONNECTIONS, 1);
    express();
    struct vec3 anchor = link_pose(1).at;
    for (int i = 1; i < 3; i++)
        centres[i] = phenotype.parts[i].centre;
    genome.connections[0].is_reflected = 1;
    express();
    check_links();
    for (int i = 1; i < 3; i++) {
        struct vec3 arm = mirrored(vec3_sub(centres[i], anchor), 2);
        assert_near(phenotype.parts[i].centre, vec3_add(anchor, arm), "centre");
        ck_assert_int_eq(phenotype.parts[i].mirror, -1);
    }
    /* twice is not at all */
    genome.connections[1].is_reflected = 1;
    express();
    ck_assert_int_eq(phenotype.parts[1].mirror, -1);
    ck_assert_int_eq(phenotype.parts[2].mirror, 1);
}

/* ---- sizes, links, drives ---- */

TEST(sizes_are_clamped)
{
    set("creature.side_max_m=0.8", "creature.aspect_max=10", "boxes.mass_ratio_max=off");
    add_box(1.5, 0.2, 0.04, JOINT_RIGID);
    add_box(0.1, 0.1, 0.1, JOINT_REVOLUTE);
    grown_hang(1, 2, FACE_RIGHT, FACE_LEFT)->scale = 0.2;
    express();
    ck_assert(body->boxes[0].size_m.x == 0.8 && body->boxes[0].size_m.y == 0.2);
    ck_assert(body->boxes[0].size_m.z == 0.08); /* a tenth of the longest side */
    ck_assert(body->boxes[1].size_m.x == 0.03);
    ck_assert_double_eq_tol(phenotype.parts[0].mass_kg, 150 * 0.8 * 0.2 * 0.08, EXACT);
    ck_assert(phenotype.parts[0].cross_section_m == 0.08);
}

/* A light part is enlarged and a heavy one shrunk, in its own shape, to a fortieth and forty times
 * its parent's mass; as far as the bounds of sides allow. */
TEST(neighbours_are_of_like_mass)
{
    add_box(0.4, 0.4, 0.2, JOINT_RIGID);
    struct body_gene *child = add_box(0.1, 0.05, 0.04, JOINT_REVOLUTE);
    grown_hang(1, 2, FACE_RIGHT, FACE_LEFT);
    express();
    ck_assert_double_eq_tol(phenotype.parts[1].mass_kg * 40, phenotype.parts[0].mass_kg, 1e-9);
    ck_assert_double_eq_tol(body->boxes[1].size_m.x, 0.1 * cbrt(4), 1e-9);
    ck_assert_double_eq_tol(body->boxes[1].size_m.y / body->boxes[1].size_m.z, 1.25, 1e-9);
    set("boxes.mass_ratio_max=160");
    express();
    ck_assert(body->boxes[1].size_m.x == 0.1); /* to the bit, where nothing is to be done */
    set("boxes.mass_ratio_max=2");
    child->width_m = child->height_m = child->box.depth_m = 0.8;
    express();
    ck_assert_double_eq_tol(phenotype.parts[1].mass_kg, 2 * phenotype.parts[0].mass_kg, 1e-9);
    set("creature.side_max_m=0.25");
    child->width_m = 0.03;
    set("boxes.mass_ratio_max=1");
    express();
    ck_assert(body->boxes[1].size_m.y == 0.25);
}

/* What may be deeply in another part is only what a joint or nothing moves against it. */
TEST(parts_without_room_are_not_made)
{
    add_box(0.5, 0.2, 0.2, JOINT_RIGID);
    struct body_gene *near = add_box(0.1, 0.3, 0.1, JOINT_REVOLUTE);
    add_box(0.1, 0.3, 0.1, JOINT_REVOLUTE)->is_symmetric = SYMMETRY_ENDS;
    add_box(0.1, 0.1, 0.1, JOINT_TWIST);
    grown_hang(1, 2, FACE_TOP, FACE_BOTTOM);
    grown_hang(1, 3, FACE_TOP, FACE_BOTTOM)->parent_position = -0.3;
    grown_hang(1, 3, FACE_TOP, FACE_BOTTOM);
    grown_hang(3, 4, FACE_TOP, FACE_BOTTOM);
    /* the second one at x = 0.075 overlaps the first one by 25 mm, and its image likewise: with
     * what hangs on them */
    express();
    ck_assert_int_eq(phenotype.part_count, 2);
    ck_assert_double_eq_tol(phenotype.mass_kg, 150 * (0.02 + 0.003), EXACT);
    set("boxes.overlap_max_m=0.03");
    express();
    ck_assert_int_eq(phenotype.part_count, 6);
    set("boxes.overlap_max_m=off");
    express();
    ck_assert_int_eq(phenotype.part_count, 6);
    set("boxes.overlap_max_m=0.001");
    near->width_m = near->box.depth_m = 0.04;
    express();
    ck_assert_int_eq(phenotype.part_count, 6);
    /* what is rigid may overlap in one link */
    genome.bodies[2].joint = near->joint = JOINT_RIGID;
    near->width_m = near->box.depth_m = 0.1;
    express();
    ck_assert_int_eq(phenotype.part_count, 6);
    ck_assert_int_eq(body->link_count, 3);
}

/* A rigid part belongs to its parent's link: mass, centre and inertia are those of both, seen from
 * the joint. */
TEST(rigid_parts_are_one_link)
{
    add_box(0.5, 0.4, 0.3, JOINT_RIGID);
    add_box(0.2, 0.1, 0.1, JOINT_REVOLUTE);
    add_box(0.1, 0.3, 0.1, JOINT_RIGID);
    grown_hang(1, 2, FACE_TOP, FACE_LEFT);
    grown_hang(2, 3, FACE_RIGHT, FACE_BOTTOM);
    express();
    check_links();
    ck_assert_int_eq(body->link_count, 2);
    ck_assert_int_eq(phenotype.piece_count, 2);
    ck_assert_int_eq(phenotype.drive_count, 1);
    ck_assert_int_eq(phenotype.effector_count, 0);
    ck_assert(phenotype.drives[0].strength == 0 && phenotype.drives[0].unit == 1);
    const struct body_link *link = &body->links[1];
    double near = 150 * 0.002, far = 150 * 0.003;
    ck_assert_double_eq_tol(link->mass_kg, near + far, EXACT);
    double x = (near * 0.1 + far * 0.35) / (near + far);
    assert_near(link->centre, (struct vec3){x, 0, 0}, "centre of mass");
    ck_assert_double_eq_tol(link->inertia.xx, near / 12 * 0.02 + far / 12 * 0.02, EXACT);
    double across = near / 12 * 0.05 + far / 12 * 0.1 + near * (x - 0.1) * (x - 0.1) +
                    far * (0.35 - x) * (0.35 - x);
    ck_assert_double_eq_tol(link->inertia.yy, across, EXACT);
    ck_assert_double_eq_tol(link->inertia.zz, across, EXACT);
    ck_assert(fabs(link->inertia.xy) < EXACT && fabs(link->inertia.yz) < EXACT);
}

/* Off the axes: the tensor of two boxes against the sum over many small pieces. */
TEST(inertia_is_that_of_the_matter)
{
    enum { PIECES = 24 };
    add_box(0.3, 0.2, 0.1, JOINT_RIGID);
    add_box(0.2, 0.12, 0.16, JOINT_RIGID);
    struct connection_gene *gene = grown_hang(1, 2, FACE_FRONT, FACE_LEFT);
    gene->parent_position = 0.5;
    gene->mount.roll_rad = 0.8;
    gene->angle_rad = 0.6;
    gene->mount.tilt_rad = 0.3;
    express();
    struct sym3 sum = {0};
    const struct body_link *link = &body->links[0];
    for (int i = 0; i < 2; i++)
        for (int n = 0; n < PIECES * PIECES * PIECES; n++) {
            const struct vec3 *size = &body->boxes[i].size_m;
            struct vec3 point = {((n % PIECES + 0.5) / PIECES - 0.5) * size->x,
                                 ((n / PIECES % PIECES + 0.5) / PIECES - 0.5) * size->y,
                                 ((n / PIECES / PIECES + 0.5) / PIECES - 0.5) * size->z};
            struct mat3 turn = turn_of(i);
            double mass = phenotype.parts[i].mass_kg / (PIECES * PIECES * PIECES);
            struct vec3 arm = vec3_sub(
                vec3_add(phenotype.parts[i].centre, mat3_apply(&turn, point)), link->centre);
            double square = vec3_dot(arm, arm);
            struct sym3 all = {.xx = mass * square, .yy = mass * square, .zz = mass * square};
            all = sym3_along(&all, arm, -mass);
            sum = sym3_add(&sum, &all);
        }
    const double *exact = &link->inertia.xx, *found = &sum.xx;
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol(exact[i], found[i], 3e-3 * link->inertia.xx);
    ck_assert(fabs(link->inertia.xy) > 1e-3 * link->inertia.xx);
}

/* Sims: in proportion to the larger cross-section, which lies across the longest side. */
TEST(strength_goes_by_the_cross_section)
{
    struct body_gene *gene = add_muscle(JOINT_UNIVERSAL, 0.5);
    grown_hang(1, 2, FACE_TOP, FACE_BOTTOM);
    express();
    ck_assert_int_eq(phenotype.effector_count, 2);
    for (int k = 0; k < 2; k++)
        ck_assert_double_eq_tol(phenotype.drives[k].strength, 700 * 0.4 * 0.3 * 0.5, 1e-10);
    gene->joint = JOINT_LINEAR;
    gene->box.lower_2 = gene->box.upper_2 = 0;
    express();
    ck_assert_int_eq(phenotype.effector_count, 1);
    ck_assert_double_eq_tol(phenotype.drives[0].strength, 3500 * 0.4 * 0.3 * 0.5, 1e-10);
    ck_assert_int_eq(phenotype.drives[0].is_linear, 1);
}

/* Twist and swing of a ball; torques know no limits and no scale. */
TEST(drives_of_a_spherical_joint)
{
    add_muscle(JOINT_SPHERICAL, 1);
    grown_hang(1, 2, FACE_TOP, FACE_BOTTOM)->is_reflected = 1;
    express();
    const struct drive *drives = phenotype.drives;
    const struct body_link *link = &body->links[1];
    ck_assert_int_eq(phenotype.drive_count, 3);
    ck_assert(link->lower[0] == -0.5 && link->upper[0] == 0.25 && link->cone_rad == 1);
    ck_assert(drives[0].lower == -0.5 && drives[0].upper == 0.25);
    ck_assert(drives[0].unit == -1 && drives[1].unit == -1 && drives[2].unit == 1);
    ck_assert(drives[0].least == -0.25 && drives[0].most == 0.5);
    for (int k = 1; k < 3; k++)
        ck_assert(drives[k].lower == -1 && drives[k].upper == 1 && drives[k].axis == k);
    set("creature.effector_mode=torque");
    express();
    ck_assert(phenotype.drives[1].least == -1 && phenotype.drives[1].most == 1);
}

/* Extensions scale with the part, and are as long as sides allow. */
TEST(extensions_are_bounded)
{
    set("creature.extension_max=0.5");
    add_box(0.5, 0.4, 0.3, JOINT_RIGID);
    struct body_gene *gene = add_box(0.2, 0.2, 0.2, JOINT_LINEAR);
    gene->lower = -0.1;
    gene->upper = 1;
    gene->has_effector = 1;
    gene->effector_strength = 1;
    grown_hang(1, 2, FACE_TOP, FACE_BOTTOM)->scale = 0.5;
    express();
    ck_assert(phenotype.drives[0].lower == -0.05 && phenotype.drives[0].upper == 0.25);
    ck_assert(phenotype.drives[0].unit == 0.5);
    ck_assert(phenotype.drives[0].least == -0.1 && phenotype.drives[0].most == 0.5);
}

/* Each freedom has an input of its own; only freedoms that are there are felt. */
TEST(inputs_and_sensors_of_freedoms)
{
    struct body_gene *gene = add_muscle(JOINT_SPHERICAL, 1);
    genome.bodies[0].sensors = SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_HEIGHT);
    gene->effector_input = (struct input_gene){.value = 0.25, .weight = 1};
    gene->drives[0] = (struct input_gene){.value = 0.5, .weight = 1};
    gene->drives[1] =
        (struct input_gene){.kind = INPUT_SENSOR, .sensor = SENSOR_JOINT_3, .weight = 0.75};
    gene->sensors = body_kinds[BODY_BOXES].sensors;
    grown_hang(1, 2, FACE_TOP, FACE_BOTTOM);
    express();
    ck_assert_int_eq(phenotype.effector_count, 3);
    ck_assert(phenotype.effectors[0].input.value == 0.25);
    ck_assert(phenotype.effectors[1].input.value == 0.5);
    ck_assert_int_eq(phenotype.effectors[2].input.kind, WIRE_SENSOR);
    ck_assert_uint_eq(phenotype.parts[0].sensors, SENSOR_BIT(SENSOR_HEIGHT));
    ck_assert_uint_eq(phenotype.parts[1].sensors, body_kinds[BODY_BOXES].sensors);
    gene->joint = JOINT_TWIST_BEND;
    gene->box.lower_2 = -1;
    memset(&gene->drives[1], 0, sizeof gene->drives[1]);
    express();
    ck_assert(!(phenotype.parts[1].sensors & SENSOR_BIT(SENSOR_JOINT_3)));
    ck_assert(phenotype.parts[1].sensors & SENSOR_BIT(SENSOR_JOINT_RATE_2));
    /* nor at a rigid joint, whose effector moves nothing */
    gene->joint = JOINT_RIGID;
    gene->box.lower_2 = gene->box.upper_2 = 0;
    memset(gene->drives, 0, sizeof gene->drives);
    express();
    ck_assert_int_eq(phenotype.effector_count, 0);
    ck_assert(
        !(phenotype.parts[1].sensors & (SENSOR_BIT(SENSOR_JOINT) | SENSOR_BIT(SENSOR_JOINT_2))));
}

/* ---- how parts meet ---- */

/* A limb that leads out of a trunk, smaller or larger than it: the smaller one is cut next to the
 * joint, and what is left touches nothing at birth. One that leads across the trunk would be born
 * in it. */
TEST(of_joined_boxes_half_is_there)
{
    for (int is_large = 0; is_large < 2; is_large++) {
        double side = is_large ? 0.8 : 0.1;
        grown_tear_down();
        set_up();
        add_box(0.4, 0.3, 0.2, JOINT_RIGID);
        add_box(side, side, side, JOINT_REVOLUTE);
        grown_hang(1, 2, FACE_RIGHT, FACE_BOTTOM);
        express();
        const unsigned char *meetings = phenotype.meetings;
        ck_assert_ptr_nonnull(meetings);
        ck_assert_int_ge(meetings[1], PAIR_HALF);
        struct box_half half = box_half_of(meetings[1]);
        ck_assert_int_eq(half.is_second, !is_large);
        ck_assert_int_eq(half.axis, is_large ? 0 : 1);
        ck_assert_int_eq(half.sign, is_large ? -1 : 1);
    }
    struct connection_gene *gene = &genome.connections[0];
    gene->angle_rad = 3;
    express();
    ck_assert_int_eq(phenotype.meetings[1], PAIR_USUAL);
    set("boxes.neighbours=pass");
    express();
    ck_assert_ptr_null(phenotype.meetings);
}

/* ---- random bodies ---- */

/* The simulator, which measures overlap by its own means, finds as little of it as growth
 * leaves. */
TEST(random_bodies_are_clear_of_themselves)
{
    int grown = 0, crowded = 0;
    params.creature_body = BODY_BOXES;
    set("creature.overlap=reject", "simulation.duration_s=0.1", "settle.drop_m=5");
    for (uint64_t id = 1; id <= 200; id++)
        for (int is_let = 0; is_let < 2; is_let++) {
            struct evaluation result;
            genome_deinit(&genome);
            random_genome(&genome, &params, RNG_TEST, 12, id);
            set(is_let ? "boxes.overlap_max_m=off" : "boxes.overlap_max_m=0.001");
            arena_reset(&arena);
            evaluate(&genome, &params, 1, &arena, NULL, NULL, &result);
            ck_assert(is_let || result.verdict != VERDICT_OVERLAP);
            grown += !is_let && result.verdict != VERDICT_NOT_EXPRESSED;
            crowded += result.verdict == VERDICT_OVERLAP;
        }
    ck_assert_int_gt(grown, 180);
    ck_assert_int_gt(crowded, 30); /* where growth does not mind */
}

TEST(random_bodies_obey_the_rules)
{
    int freedoms = 0, mirrored_parts = 0;
    for (uint64_t id = 1; id <= 300; id++) {
        struct phenotype again;
        genome_deinit(&genome);
        params.creature_body = BODY_BOXES;
        random_genome(&genome, &params, RNG_TEST, 11, id);
        ck_ok(genome_check(&genome, &error));
        arena_reset(&arena);
        if (phenotype_express(&phenotype, &genome, &params, &arena) != VERDICT_OK)
            continue;
        body = phenotype.body;
        phenotype_check(&phenotype);
        check_links();
        for (int i = 0; i < phenotype.part_count; i++)
            mirrored_parts += phenotype.parts[i].mirror < 0;
        freedoms += phenotype.drive_count;
        /* a pure function */
        ck_assert_int_eq(phenotype_express(&again, &genome, &params, &arena), VERDICT_OK);
        struct phenotype_key key, other;
        struct trial first = {.purpose = TRIAL_FIRST};
        ck_assert_int_eq(phenotype_key_make(&key, &phenotype, &params, &first, 1, &arena), 0);
        ck_assert_int_eq(phenotype_key_make(&other, &again, &params, &first, 1, &arena), 0);
        ck_assert_int_eq(phenotype_key_is_equal(&key, &other), 1);
    }
    ck_assert_int_gt(freedoms, 900);
    ck_assert_int_gt(mirrored_parts, 100);
}

SUITE("phenotype_boxes", 0, set_up, grown_tear_down)
