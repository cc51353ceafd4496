/* Actuators. A position servo, tau = kp (q* - q) - kd (q' - q*'), bounded by its strength, is
 * MuJoCo's general actuator with gain kp and bias -kp q - kd q'; its control is q* + kd/kp q*', the
 * target and how it moves in one. A motor, tau = strength u - k q', has gain strength and bias -k
 * q'. Targets move linearly within a brain tick; a line of the table has the control in the middle
 * of the step.
 *
 * A ball has three, along the child's axes. MuJoCo's length of each is a component of the rotation
 * vector of q; ours pull along the rotation vector of target^-1 q. So the control has a shift: the
 * one minus the other minus the target, at the q of our motion at both ends of the tick, and linear
 * in between. */
#include "simulator/tools/mjcf.h"

#include <math.h>
#include <string.h>

#include "common/growth/box_half.h"
#include "common/math/detmath.h"
#include "common/text.h"
#include "simulator/body/physics.h"

/* Half the depth of a part that has none, m. */
#define HALF_DEPTH_M 0.05
/* Half the depth of obstacles that have no end, m. */
#define OBSTACLE_HALF_DEPTH_M 1.0
/* Contacts of the model, see docs/trace.md. MuJoCo's friction is convex: two bodies that slide on
 * one another are driven apart, the harder the faster, and boxes hop. Where the force of a contact
 * grows with the depth from 0 on, they ride a little higher instead. Steps are parts of ours, as
 * stiff contacts want it. */
#define CONTACT_TIME_S      0.005
#define CONTACT_FIRMNESS    0.9
#define CONTACT_SOFT_ZONE_M 0.005
enum { STEP_PARTS = 4, ROOT_RATES_MAX = 6 };
/* Half the size of the ground that is drawn, m. */
#define GROUND_M 100.0
/* Half the size of a ground with relief, m, and how many of its points there are in a wave. */
#define RELIEF_M      8.0
#define RELIEF_POINTS 10.0

/* As in the viewer's palette: parts by their depth in the tree. */
static const unsigned colors[] = {0x3d8093, 0xe3a857, 0xc9695c, 0x7fa166,
                                  0x8a72a8, 0x5d8ac4, 0xb98a6a};
enum { COLOR_COUNT = sizeof colors / sizeof colors[0] };

/* MuJoCo's name of a joint, how many coordinates and rates it has, and along how many axes it is
 * driven. */
static const struct joint_row {
    const char *type;
    int has_axis, coordinates, rates;
} joint_rows[MODEL_JOINT_KINDS] = {[MODEL_SLIDE] = {"slide", 1, 1, 1},
                                   [MODEL_HINGE] = {"hinge", 1, 1, 1},
                                   [MODEL_BALL] = {"ball", 0, 4, 3},
                                   [MODEL_FREE] = {"free", 0, 7, 6}};

struct writer {
    FILE *file;
    const struct mjcf_scene *scene;
    const struct body_model *model;
};

/* ---- numbers ---- */

static struct vec3 to_mujoco(struct vec3 v)
{
    return (struct vec3){v.x, 0 - v.z, v.y};
}

/* Between two texts. */
static void write_vector(const struct writer *writer, const char *before, struct vec3 v,
                         const char *after)
{
    v = to_mujoco(v);
    fprintf(writer->file, "%s%.17g %.17g %.17g%s", before, v.x, v.y, v.z, after);
}

static void write_quaternion(const struct writer *writer, const char *before, struct quaternion q,
                             const char *after)
{
    fprintf(writer->file, "%s%.17g ", before, q.w);
    write_vector(writer, "", (struct vec3){q.x, q.y, q.z}, after);
}

/* Nothing for no turn. */
static void write_turn(const struct writer *writer, struct quaternion q)
{
    if (q.x != 0 || q.y != 0 || q.z != 0)
        write_quaternion(writer, " quat='", q, "'");
}

/* Text that may stand in a comment and in a quoted attribute. */
static void write_name(FILE *file, const char *name)
{
    uint32_t code_point;
    for (size_t left = strlen(name), length; left > 0; name += length, left -= length) {
        length = text_decode(name, left, &code_point);
        int is_plain = length > 0 && text_is_printable(code_point) && !strchr("<>&'\"-", *name);
        length += length == 0;
        if (is_plain)
            fwrite(name, 1, length, file);
        else
            fputc('_', file);
    }
}

static void write_joint_name(const struct writer *writer, const char *attribute,
                             const struct model_joint *joint)
{
    if (joint->name)
        fprintf(writer->file, " %s='%s'", attribute, joint->name);
    else
        fprintf(writer->file, " %s='joint%d'", attribute, joint->rate - writer->model->root_rates);
}

/* The joint to which a rate belongs. */
static const struct model_joint *joint_of(const struct body_model *model, int rate)
{
    for (int i = 0; i < model->joint_count; i++) {
        const struct model_joint *joint = &model->joints[i];
        if (rate >= joint->rate && rate < joint->rate + joint_rows[joint->kind].rates)
            return joint;
    }
    ENSURE(0, "no joint has the rate %d", rate);
    return NULL;
}

/* ---- the body ---- */

static double least_damping(const struct body_model *model, const struct model_joint *joint)
{
    double least = model->servos[joint->rate].damping;
    for (int k = 1; k < joint_rows[joint->kind].rates; k++)
        least = det_min(least, model->servos[joint->rate + k].damping);
    return least;
}

/* A ball is at most so far from where it is at birth: cos(turn / 2) = cos(swing / 2) cos(twist /
 * 2). */
static double greatest_turn(const struct model_joint *ball)
{
    double twist = det_max(-ball->lower, ball->upper);
    return 2 * acos(cos(det_min(ball->cone_rad, DET_PI) / 2) * cos(det_min(twist, DET_PI) / 2));
}

static void write_joint(const struct writer *writer, const struct model_joint *joint)
{
    FILE *file = writer->file;
    const struct joint_row *row = &joint_rows[joint->kind];
    double lower = row->has_axis ? joint->lower : 0;
    double upper = row->has_axis ? joint->upper : greatest_turn(joint);
    int is_limited = row->has_axis ? lower > -HUGE_VAL || upper < HUGE_VAL : upper < DET_PI - 1e-6;
    fputs("<joint", file);
    write_joint_name(writer, "name", joint);
    fprintf(file, " type='%s'", row->type);
    if (row->has_axis)
        write_vector(writer, " axis='", joint->axis, "'");
    if (joint->kind != MODEL_FREE && is_limited)
        fprintf(file, " limited='true' range='%.17g %.17g'", lower, upper);
    if (least_damping(writer->model, joint) > 0)
        fprintf(file, " damping='%.17g'", least_damping(writer->model, joint));
    fputs("/>\n", file);
}

/* The ball of a link whose swing a cone bounds; NULL: there is none. */
static const struct model_joint *cone_of(const struct body_model *model, int link)
{
    const struct model_link *l = &model->links[link];
    for (int k = l->first_joint; k < l->first_joint + l->joint_count; k++)
        if (model->joints[k].kind == MODEL_BALL && model->joints[k].cone_rad < DET_PI)
            return &model->joints[k];
    return NULL;
}

/* The end of the tendons of cones on a link, or on the world: those of its own ball, and of its
 * children's. */
static void write_sites(const struct writer *writer, int link)
{
    const struct body_model *model = writer->model;
    for (int i = 0; i < model->link_count; i++) {
        const struct model_link *l = &model->links[i];
        struct mat3 turn = quaternion_matrix(l->turn);
        if (!cone_of(model, i) || (i != link && l->parent != link))
            continue;
        fprintf(writer->file, "<site name='cone%d%s'", i, i == link ? "" : "_parent");
        write_vector(writer, " pos='", i == link ? (struct vec3){1, 0, 0} : vec3_add(l->at, turn.x),
                     "'/>\n");
    }
}

/* Place and size of a part's box, or of a box in it. */
static void write_box(const struct writer *writer, int index, struct vec3 at, struct vec3 half)
{
    const struct model_part *part = &writer->model->parts[index];
    const struct shape *shape = &writer->scene->phenotype->shapes[index];
    struct mat3 turn = quaternion_matrix(part->turn);
    double depth = half.z > 0 ? half.z : HALF_DEPTH_M;
    write_vector(writer, " pos='", vec3_add(part->centre, mat3_apply(&turn, at)), "'");
    write_turn(writer, quaternion_product(part->turn, shape->turn));
    fprintf(writer->file, " size='%.17g %.17g %.17g'", half.x, depth, half.y);
}

static unsigned char meeting_of(const struct writer *writer, int a, int b)
{
    return pair_meeting(writer->scene->phenotype->meetings, writer->model->part_count, a, b);
}

/* The halves of a part that meet others, which touch nothing else. */
static void write_halves(const struct writer *writer, int index)
{
    const struct shape *shape = &writer->scene->phenotype->shapes[index];
    for (int a = 0; a < writer->model->part_count; a++)
        for (int b = a + 1; b < writer->model->part_count; b++) {
            unsigned char meeting = meeting_of(writer, a, b);
            if (meeting < PAIR_HALF || (box_half_of(meeting).is_second ? b : a) != index)
                continue;
            struct solid both[2] = {{.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                     .half = {shape->half_m.x, shape->half_m.y, shape->half_m.z}}};
            both[1] = both[0];
            box_half_cut(meeting, &both[0], &both[1]);
            const struct solid *half = &both[index == b];
            fprintf(writer->file, "<geom name='half%d_%d' type='box'", a, b);
            write_box(writer, index, half->centre,
                      (struct vec3){half->half[0], half->half[1], half->half[2]});
            fputs(" contype='0' conaffinity='0' group='3'/>\n", writer->file);
        }
}

static void write_geom(const struct writer *writer, int index)
{
    const struct shape *shape = &writer->scene->phenotype->shapes[index];
    unsigned color = colors[writer->scene->phenotype->parts[index].depth % COLOR_COUNT];
    fprintf(writer->file, "<geom name='part%d' type='box'", index);
    write_box(writer, index, shape->at_m, shape->half_m);
    fprintf(writer->file, " rgba='%.3f %.3f %.3f 1'/>\n", (color >> 16) / 255.0,
            (color >> 8 & 255) / 255.0, (color & 255) / 255.0);
    write_halves(writer, index);
}

/* Turns two axes so that their product of inertia vanishes: columns i and j of `axes`. */
static void turn_axes(double a[3][3], double axes[3][3], int i, int j)
{
    double angle = atan2(2 * a[i][j], a[i][i] - a[j][j]) / 2, c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; k++) {
        double x = a[k][i], y = a[k][j];
        a[k][i] = c * x + s * y;
        a[k][j] = c * y - s * x;
        x = axes[k][i], y = axes[k][j];
        axes[k][i] = c * x + s * y;
        axes[k][j] = c * y - s * x;
    }
    for (int k = 0; k < 3; k++) {
        double x = a[i][k], y = a[j][k];
        a[i][k] = c * x + s * y;
        a[j][k] = c * y - s * x;
    }
}

/* Principal moments, and where the principal axes are; by Jacobi's turns. MuJoCo's own are exact to
 * 1e-8 only. */
static struct vec3 find_principal(const struct sym3 *of, struct quaternion *turn)
{
    double a[3][3] = {{of->xx, of->xy, of->xz}, {of->xy, of->yy, of->yz}, {of->xz, of->yz, of->zz}};
    double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double rounding = 1e-16 * (of->xx + of->yy + of->zz);
    for (int sweep = 0; sweep < 10; sweep++)
        for (int i = 0; i < 2; i++)
            for (int j = i + 1; j < 3; j++)
                if (fabs(a[i][j]) > rounding)
                    turn_axes(a, axes, i, j);
    *turn = quaternion_of(&(struct mat3){{axes[0][0], axes[1][0], axes[2][0]},
                                         {axes[0][1], axes[1][1], axes[2][1]},
                                         {axes[0][2], axes[1][2], axes[2][2]}});
    return (struct vec3){a[0][0], a[1][1], a[2][2]};
}

static void write_inertia(const struct writer *writer, const struct model_link *link)
{
    struct quaternion turn;
    struct vec3 moments = find_principal(&link->inertia, &turn);
    fputs("<inertial", writer->file);
    write_vector(writer, " pos='", link->centre, "'");
    write_turn(writer, turn);
    fprintf(writer->file, " mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n", link->mass_kg,
            moments.x, moments.z, moments.y);
}

static void write_link(const struct writer *writer, int i)
{
    const struct body_model *model = writer->model;
    const struct model_link *link = &model->links[i];
    fprintf(writer->file, "<body name='link%d'", i);
    write_vector(writer, " pos='", link->at, "'");
    write_turn(writer, link->turn);
    fputs(">\n", writer->file);
    write_inertia(writer, link);
    for (int k = 0; k < link->joint_count; k++)
        write_joint(writer, &model->joints[link->first_joint + k]);
    for (int k = 0; k < model->part_count; k++)
        if (model->parts[k].link == i)
            write_geom(writer, k);
    write_sites(writer, i);
    for (int child = i + 1; child < model->link_count; child++)
        if (model->links[child].parent == i)
            write_link(writer, child);
    fputs("</body>\n", writer->file);
}

static void write_cones(const struct writer *writer)
{
    for (int i = 0; i < writer->model->link_count; i++) {
        const struct model_joint *joint = cone_of(writer->model, i);
        if (joint)
            fprintf(writer->file,
                    "<tendon>\n<spatial limited='true' range='0 %.17g'><site site='cone%d'/>"
                    "<site site='cone%d_parent'/></spatial>\n</tendon>\n",
                    2 * sin(joint->cone_rad / 2), i, i);
    }
}

/* ---- relief ---- */

static int has_relief(const struct mjcf_scene *scene)
{
    return scene->world->has_ground && scene->world->relief.depth_m > 0;
}

/* In the plane all rows are alike. */
static int row_count(const struct relief *relief, int columns)
{
    for (int i = 0; i < RELIEF_WAVES; i++)
        if (relief->waves[i].z != 0)
            return columns;
    return 2;
}

/* Points in a row, and what they are apart, m. */
static int column_count(const struct relief *relief, double *cell_m)
{
    int half = (int)ceil(RELIEF_M * RELIEF_POINTS / relief->wavelength_m);
    *cell_m = RELIEF_M / half;
    return 2 * half + 1;
}

static double row_height(const struct relief *relief, int columns, double cell_m, int row, int at)
{
    int middle = (columns - 1) / 2;
    return relief_height(relief, (at - middle) * cell_m, (row - middle) * cell_m);
}

/* Heights from 0 to 1 of the highest, from the row with the least z on: MuJoCo wants them so.
 * Returns the lowest, m. */
static double write_relief(const struct writer *writer)
{
    const struct relief *relief = &writer->scene->world->relief;
    double cell_m, low = 0, high = -relief->depth_m;
    int columns = column_count(relief, &cell_m), rows = row_count(relief, columns);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            double height = row_height(relief, columns, cell_m, i, k);
            low = det_min(low, height);
            high = det_max(high, height);
        }
    fprintf(writer->file,
            "<asset>\n<hfield name='relief' nrow='%d' ncol='%d' size='%g %g %.17g 0.1' elevation='",
            rows, columns, RELIEF_M, RELIEF_M, high - low);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            fprintf(writer->file, "%s%.5f", k ? " " : "\n",
                    (row_height(relief, columns, cell_m, i, k) - low) / (high - low));
    fputs("'/>\n</asset>\n", writer->file);
    return low;
}

/* ---- the world ---- */

static void write_ground(const struct writer *writer, double lowest_m)
{
    if (has_relief(writer->scene))
        fprintf(writer->file, "<geom name='ground' type='hfield' hfield='relief' pos='0 0 %.17g'",
                lowest_m);
    else
        fprintf(writer->file, "<geom name='ground' type='plane' size='%g %g 0.1'", GROUND_M,
                GROUND_M);
    fprintf(writer->file, " friction='%.17g 0.005 0.0001' priority='1' rgba='0.78 0.72 0.6 1'/>\n",
            writer->scene->world->friction);
}

static void write_obstacle(const struct writer *writer, int index, struct vec3 centre,
                           struct quaternion turn, struct vec3 half_m)
{
    fprintf(writer->file, "<geom name='obstacle%d' type='box'", index + 1);
    write_vector(writer, " pos='", centre, "'");
    write_turn(writer, turn);
    fprintf(writer->file,
            " size='%.17g %.17g %.17g' friction='%.17g 0.005 0.0001' priority='1' "
            "rgba='0.55 0.5 0.4 1'/>\n",
            half_m.x, half_m.z, half_m.y, writer->scene->world->friction);
}

static void write_world(const struct writer *writer, double lowest_m)
{
    const struct world *world = writer->scene->world;
    double half_depth_m = det_min(world->half_depth_m, OBSTACLE_HALF_DEPTH_M);
    fputs("<light pos='0 -3 6' dir='0 0.4 -1' directional='true'/>\n", writer->file);
    if (world->has_ground)
        write_ground(writer, lowest_m);
    for (int i = 0; i < world->obstacles.count; i++) {
        const struct obstacle *o = &world->obstacles.list[i];
        write_obstacle(writer, i, (struct vec3){o->x_m, o->y_m, 0},
                       quaternion_about((struct vec3){0, 0, 1}, o->angle_rad),
                       (struct vec3){o->width_m / 2, o->height_m / 2, half_depth_m});
    }
    for (int i = 0; i < world->solid_count; i++) {
        const struct solid *solid = &world->solids[i];
        struct mat3 axes = {solid->axes[0], solid->axes[1], solid->axes[2]};
        write_obstacle(writer, world->obstacles.count + i, solid->centre, quaternion_of(&axes),
                       (struct vec3){solid->half[0], solid->half[1], solid->half[2]});
    }
}

/* 1 if parts of two links pass through one another. */
static int passes_through(const struct writer *writer, int a, int b)
{
    const struct body_model *model = writer->model;
    for (int i = 0; i < model->part_count; i++)
        for (int k = 0; k < model->part_count; k++)
            if (model->parts[i].link == a && model->parts[k].link == b &&
                meeting_of(writer, i, k) == PAIR_PASS)
                return 1;
    return 0;
}

static void write_exclusions(const struct writer *writer)
{
    int count = writer->scene->phenotype->meetings ? writer->model->link_count : 0;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++)
            if (passes_through(writer, a, b))
                fprintf(writer->file,
                        "<contact>\n<exclude body1='link%d' body2='link%d'/>\n</contact>\n", a, b);
}

/* Boxes that a joint joins, of which one is half there. */
static void write_half_pairs(const struct writer *writer)
{
    double friction = writer->scene->world->own_friction;
    for (int a = 0; a < writer->model->part_count; a++)
        for (int b = a + 1; b < writer->model->part_count; b++) {
            unsigned char meeting = meeting_of(writer, a, b);
            if (meeting >= PAIR_HALF)
                fprintf(writer->file,
                        "<contact>\n<pair geom1='half%d_%d' geom2='part%d' "
                        "friction='%.17g %.17g 0.005 0.0001 0.0001'/>\n</contact>\n",
                        a, b, box_half_of(meeting).is_second ? a : b, friction, friction);
        }
}

/* ---- muscles ---- */

/* The effort of a control of 1. */
static double gain_of(const struct servo *servo, int mode)
{
    double kp, kd, gain;
    servo_gains(servo, EFFECTORS_ON, mode, &kp, &kd);
    gain = servo_is_torque(servo, EFFECTORS_ON, mode) ? servo->torque_max : kp;
    return gain > 0 && gain < HUGE_VAL ? gain : 1;
}

/* Without strength it is slack. */
static void write_actuator(const struct writer *writer, int drive)
{
    int mode = writer->scene->effector_mode, rate = writer->model->root_rates + drive;
    const struct model_joint *joint = joint_of(writer->model, rate);
    const struct servo *servo = &writer->model->servos[rate];
    double kp, kd, most = servo->torque_max, is_on = most > 0;
    servo_gains(servo, EFFECTORS_ON, mode, &kp, &kd);
    kd = is_on * kd + servo->damping - least_damping(writer->model, joint);
    fprintf(writer->file, "<general name='muscle%d'", drive);
    write_joint_name(writer, "joint", joint);
    if (!joint_rows[joint->kind].has_axis) {
        const struct vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        write_vector(writer, " gear='", axes[rate - joint->rate], "'");
    }
    fprintf(writer->file,
            " gaintype='fixed' biastype='affine' gainprm='%.17g' biasprm='0 %.17g %.17g'",
            is_on * gain_of(servo, mode), 0 - is_on * kp, 0 - kd);
    if (is_on && most < HUGE_VAL)
        fprintf(writer->file, " forcelimited='true' forcerange='%.17g %.17g'", -most, most);
    fputs("/>\n", writer->file);
}

static void write_actuators(const struct writer *writer)
{
    const struct phenotype *p = writer->scene->phenotype;
    if (p->effector_count == 0)
        return;
    fputs("<actuator>\n", writer->file);
    for (int i = 0; i < p->effector_count; i++)
        write_actuator(writer, p->effectors[i].drive);
    fputs("</actuator>\n", writer->file);
}

/* ---- the state ---- */

static struct vec3 vector_of(const double *numbers)
{
    return (struct vec3){numbers[0], numbers[1], numbers[2]};
}

/* Coordinates, or their rates. MuJoCo has a free body's place and turn in the world, the velocity
 * there, and the angular velocity in the own axes. */
static void write_joint_state(const struct writer *writer, const struct model_link *link,
                              const struct model_joint *joint, int is_rate)
{
    const double *of =
        is_rate ? writer->scene->qd + joint->rate : writer->scene->q + joint->coordinate;
    struct mat3 turn = quaternion_matrix(link->turn);
    if (joint->kind == MODEL_FREE) {
        struct vec3 v = mat3_apply(&turn, vector_of(of));
        write_vector(writer, " ", is_rate ? v : vec3_add(link->at, v), "");
        of += 3;
    }
    if (joint->kind != MODEL_FREE && joint->kind != MODEL_BALL)
        fprintf(writer->file, " %.17g", *of);
    else if (is_rate)
        write_vector(writer, " ", vector_of(of), "");
    else if (joint->kind == MODEL_BALL)
        write_quaternion(writer, " ", quaternion_read(of), "");
    else
        write_quaternion(writer, " ", quaternion_product(link->turn, quaternion_read(of)), "");
}

/* The state of all that hang on a link, or on the world, -1, in the file's order. */
static void write_state(const struct writer *writer, int parent, int is_rate)
{
    const struct body_model *model = writer->model;
    for (int i = parent + 1; i < model->link_count; i++) {
        const struct model_link *link = &model->links[i];
        if (link->parent != parent)
            continue;
        for (int k = 0; k < link->joint_count; k++)
            write_joint_state(writer, link, &model->joints[link->first_joint + k], is_rate);
        write_state(writer, i, is_rate);
    }
}

static void write_keyframe(const struct writer *writer)
{
    fputs("<keyframe>\n<key name='start' qpos='", writer->file);
    write_state(writer, -1, 0);
    fputs("' qvel='", writer->file);
    write_state(writer, -1, 1);
    fputs("'/>\n</keyframe>\n", writer->file);
}

/* ---- the file ---- */

static int is_twist_limited(const struct body_model *model)
{
    int count = 0;
    for (int i = 0; i < model->joint_count; i++) {
        const struct model_joint *joint = &model->joints[i];
        count += joint->kind == MODEL_BALL && (joint->lower > -DET_PI || joint->upper < DET_PI);
    }
    return count > 0;
}

static void write_head(const struct writer *writer)
{
    const struct mjcf_scene *scene = writer->scene;
    struct vec3 gravity = to_mujoco(world_gravity(scene->world));
    FILE *file = writer->file;
    fputs("<mujoco model='", file);
    write_name(file, scene->name[0] ? scene->name : "creature");
    fputs("'>\n<!-- Written by Bestiary. The control of each actuator is the requested angle (or "
          "extension) plus its rate times 2/frequency,\n     or the share of the strength. ",
          file);
    if (writer->model->medium_kg_m3 > 0)
        fputs("Drag is that of a box for each link, of which nothing is hidden. ", file);
    else if (scene->has_drag)
        fputs("The world's viscosity is not in this file. ", file);
    if (scene->world->elasticity > 0 || scene->world->own_elasticity > 0)
        fputs("The elasticity of contacts is not in this file. ", file);
    if (scene->has_weaker_muscles)
        fputs("The muscles' loss of force with speed is not in this file. ", file);
    if (scene->has_motions)
        fputs("Prescribed motions are not in this file: their joints are free. ", file);
    if (is_twist_limited(writer->model))
        fputs("The limits of a ball's twist are only within that of its whole turn. ", file);
    fprintf(
        file,
        "-->\n<compiler angle='radian' inertiafromgeom='false'/>\n"
        "<option timestep='%.17g' gravity='%.17g %.17g %.17g' density='%.17g'/>\n"
        "<default><geom friction='%.17g 0.005 0.0001' solref='%g 1' solimp='0.0001 %g %g 0.5 2'/>"
        "<pair solref='%g 1' solimp='0.0001 %g %g 0.5 2'/></default>\n",
        scene->step_s, gravity.x, gravity.y, gravity.z, writer->model->medium_kg_m3,
        scene->world->own_friction, CONTACT_TIME_S, CONTACT_FIRMNESS, CONTACT_SOFT_ZONE_M,
        CONTACT_TIME_S, CONTACT_FIRMNESS, CONTACT_SOFT_ZONE_M);
}

void mjcf_write(FILE *file, const struct mjcf_scene *scene)
{
    const struct writer writer = {file, scene, scene->model};
    write_head(&writer);
    double lowest_m = has_relief(scene) ? write_relief(&writer) : 0;
    fputs("<worldbody>\n", file);
    write_world(&writer, lowest_m);
    write_sites(&writer, -1);
    for (int i = 0; i < scene->model->link_count; i++)
        if (scene->model->links[i].parent < 0)
            write_link(&writer, i);
    fputs("</worldbody>\n", file);
    write_exclusions(&writer);
    write_half_pairs(&writer);
    write_cones(&writer);
    write_actuators(&writer);
    write_keyframe(&writer);
    fputs("</mujoco>\n", file);
}

/* Steps of the model; ours as in evaluations. */
static double steps_per_tick(const struct params *params)
{
    double steps = ceil(1 / params->simulation_brain_hz / params->simulation_dt_s - 1e-6);
    return STEP_PARTS * (steps < 1 ? 1 : steps);
}

static int begin(struct mjcf *mjcf, const struct evaluate_view *view)
{
    const struct params *params = mjcf->params;
    const struct dynamics_settings settings = dynamics_settings_of(params);
    struct world world;
    world_init(&world, params, view->phenotype->kind);
    int status = arena_init(&mjcf->arena, EVALUATE_ARENA_BYTES);
    if (!status)
        status = physics_of(view->phenotype)
                     ->model(view->phenotype, &world, &settings, &mjcf->body, &mjcf->arena);
    if (status || !mjcf->model)
        return status;
    mjcf_write(
        mjcf->model,
        &(struct mjcf_scene){.name = mjcf->name,
                             .model = &mjcf->body,
                             .phenotype = view->phenotype,
                             .world = &world,
                             .q = view->dynamics->q,
                             .qd = view->dynamics->qd,
                             .step_s = 1 / (params->simulation_brain_hz * steps_per_tick(params)),
                             .effector_mode = params->creature_effector_mode,
                             .has_drag = world_has_drag(&world),
                             .has_weaker_muscles = params->creature_hill_curvature > 0});
    return 0;
}

/* ---- the signals ---- */

/* The correction of a target of a ball's component; see above. */
static double find_shift(const struct model_joint *ball, const double *q, const double *targets,
                         int rate)
{
    struct quaternion at = quaternion_read(q + ball->coordinate);
    struct quaternion aim = quaternion_exp(vector_of(targets + ball->rate));
    struct vec3 here = quaternion_log(at);
    struct vec3 off = quaternion_log(quaternion_product(quaternion_back(aim), at));
    struct vec3 shift = vec3_sub(vec3_sub(here, off), vector_of(targets + ball->rate));
    return (const double[]){shift.x, shift.y, shift.z}[rate - ball->rate];
}

/* Targets and shifts at a tick; rates without an effector have the target 0. */
static void find_controls(const struct mjcf *mjcf, const struct evaluate_view *view, double *target,
                          double *shift)
{
    double targets[MJCF_EFFECTORS_MAX + ROOT_RATES_MAX] = {0};
    int is_position = mjcf->params->creature_effector_mode == EFFECTOR_POSITION;
    for (int i = 0; i < view->phenotype->effector_count; i++) {
        int at = view->phenotype->effectors[i].drive;
        const struct drive *drive = &view->phenotype->drives[at];
        targets[mjcf->body.root_rates + at] = drive->rest + drive->unit * view->signals[i];
    }
    for (int i = 0; i < view->phenotype->effector_count; i++) {
        int rate = mjcf->body.root_rates + view->phenotype->effectors[i].drive;
        const struct model_joint *joint = joint_of(&mjcf->body, rate);
        target[i] = targets[rate];
        shift[i] = is_position && joint->kind == MODEL_BALL
                       ? find_shift(joint, view->dynamics->q, targets, rate)
                       : 0;
    }
}

static void write_header(FILE *file, const struct phenotype *p)
{
    fputs("time_s", file);
    for (int i = 0; i < p->effector_count; i++)
        fprintf(file, ",muscle%d", p->effectors[i].drive);
    fputc('\n', file);
}

/* The controls by the servos' own targets, in the middle of each step of the model from its start:
 * a table as `signals` below. Of a ball whose target is not 0 they are those for small turns. */
static void mjcf_write_controls(FILE *file, const struct mjcf_scene *scene, uint64_t steps)
{
    const struct phenotype *p = scene->phenotype;
    write_header(file, p);
    for (uint64_t step = 0; step < steps; step++) {
        double at_s = ((double)step + 0.5) * scene->step_s;
        fprintf(file, "%.17g", (double)step * scene->step_s);
        for (int i = 0; i < p->effector_count; i++) {
            int rate = scene->model->root_rates + p->effectors[i].drive;
            const struct model_joint *joint = joint_of(scene->model, rate);
            const struct servo *servo = &scene->model->servos[rate];
            double aim = servo_aim(servo, EFFECTORS_ON, scene->effector_mode, joint->lower,
                                   joint->upper, at_s);
            fprintf(file, ",%.17g", aim / gain_of(servo, scene->effector_mode));
        }
        fputc('\n', file);
    }
}

int mjcf_write_scene(const struct scene *scene, const char *name, FILE *model_file, FILE *signals,
                     uint64_t steps, struct arena *arena)
{
    const struct phenotype *p = &scene->phenotype;
    const struct world *world = &scene->world;
    int is_quadratic = world->drag_law == DRAG_LAW_QUADRATIC;
    struct body_model model;
    struct mjcf_scene to = {
        .name = name,
        .model = &model,
        .phenotype = p,
        .world = world,
        .q = scene->q,
        .qd = scene->qd,
        .step_s = scene->settings.dt_s,
        .has_drag = (is_quadratic ? world->quadratic_drag_kg_m3 : world->viscosity_pa_s_m) > 0};
    if (physics_of(p)->model(p, world, &scene->settings, &model, arena) != 0)
        return ERR_MEMORY;
    for (int i = 0; i < model.rate_count; i++) {
        model.servos[i] = scene->space.freedoms[i].drive;
        to.has_motions |= model.servos[i].law == SERVO_MOTION;
    }
    if (model_file)
        mjcf_write(model_file, &to);
    if (signals)
        mjcf_write_controls(signals, &to, steps);
    return 0;
}

/* The steps of the tick that has just passed. */
static void write_signals(struct mjcf *mjcf, int count, const double *target, const double *shift)
{
    const struct params *params = mjcf->params;
    int is_position = params->creature_effector_mode == EFFECTOR_POSITION;
    double steps = steps_per_tick(params), step_s = 1 / (params->simulation_brain_hz * steps);
    for (int k = 0; k < (int)steps; k++) {
        double share = (k + 0.5) / steps;
        fprintf(mjcf->signals, "%.17g", mjcf->row_count++ * step_s);
        for (int i = 0; i < count; i++) {
            double way = target[i] - mjcf->target[i];
            double control = mjcf->target[i] + share * way + mjcf->shift[i] +
                             share * (shift[i] - mjcf->shift[i]);
            if (is_position)
                control += way / (steps * step_s) * 2 / params->creature_servo_rad_s;
            fprintf(mjcf->signals, ",%.17g", control);
        }
        fputc('\n', mjcf->signals);
    }
}

int mjcf_observe(void *context, const struct evaluate_view *view)
{
    struct mjcf *mjcf = context;
    int count = view->phenotype->effector_count, is_first = !mjcf->has_begun;
    double target[MJCF_EFFECTORS_MAX], shift[MJCF_EFFECTORS_MAX];
    if (view->phase != PHASE_SCORE)
        return 0;
    if (is_first) {
        mjcf->has_begun = 1;
        mjcf->status = begin(mjcf, view);
    }
    if (mjcf->status || !mjcf->signals)
        return mjcf->status;
    find_controls(mjcf, view, target, shift);
    if (is_first)
        write_header(mjcf->signals, view->phenotype);
    else
        write_signals(mjcf, count, target, shift);
    memcpy(mjcf->target, target, (size_t)count * sizeof target[0]);
    memcpy(mjcf->shift, shift, (size_t)count * sizeof shift[0]);
    return 0;
}
