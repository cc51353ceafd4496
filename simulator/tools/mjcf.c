/* Actuators. A position servo, tau = kp (q* - q) - kd (q' - q*'), bounded by its strength, is MuJoCo's
 * general actuator with gain kp and bias -kp q - kd q'; its control is q* + kd/kp q*', the target and how
 * it moves in one. A motor, tau = strength u - k q', has gain strength and bias -k q'. Targets move
 * linearly within a brain tick; a line of the table has the control in the middle of the step. */
#include "simulator/tools/mjcf.h"

#include <math.h>
#include <string.h>

#include "simulator/body/servo.h"
#include "simulator/plane/tree.h"

/* Half the depth of a part across the plane, m. */
#define HALF_DEPTH_M 0.05
/* Contacts of the model, see docs/trace.md. MuJoCo's friction is convex: what slides is driven apart from
 * what it slides on, the harder the faster, and boxes hop. Where the force of a contact grows with the depth
 * from 0 on, they ride a little higher instead. Steps are parts of ours, as stiff contacts want it. */
#define CONTACT_TIME_S      0.005
#define CONTACT_FIRMNESS    0.9
#define CONTACT_SOFT_ZONE_M 0.005
enum { STEP_PARTS = 4 };
/* Half the size of the ground that is drawn, m. */
#define GROUND_M 100.0

/* As in the viewer's palette: parts by their depth in the tree. */
static const unsigned colors[] = {0x3d8093, 0xe3a857, 0xc9695c, 0x7fa166,
                                  0x8a72a8, 0x5d8ac4, 0xb98a6a};
enum { COLOR_COUNT = sizeof colors / sizeof colors[0] };

struct writer {
    FILE *file;
    const struct evaluate_view *view;
    const struct params *params;
    struct world world;
    double inertia[MJCF_EFFECTORS_MAX + 1]; /* that each link's joint feels at birth */
    int order[MJCF_EFFECTORS_MAX + 1];      /* links in the order of the file */
    int order_count;
};

/* Steps of the model; ours as in evaluate(). */
static double steps_per_tick(const struct params *params)
{
    double steps = ceil(1 / params->simulation_brain_hz / params->simulation_dt_s - 1e-6);
    return STEP_PARTS * (steps < 1 ? 1 : steps);
}

/* ---- the servos ---- */

/* What a joint feels when the whole body floats, as in the solvers. 0 or ERR_MEMORY. */
static int find_inertia(struct writer *writer)
{
    const struct phenotype *p = writer->view->phenotype;
    double q[MJCF_EFFECTORS_MAX + 3] = {0};
    struct tree_rows rows;
    struct arena arena;
    struct tree tree;
    int status = arena_init(&arena, 1u << 20);
    if (status)
        return status;
    status = tree_create(&tree, p, 0, &arena);
    if (!status)
        status = tree_create_rows(&tree, &rows, 1, &arena);
    if (!status) {
        tree_set_pose(&tree, q);
        tree_factor(&tree);
    }
    for (int i = 1; i < p->link_count && !status; i++)
        writer->inertia[i] = 1 / tree_joint_mobility(&tree, i, &rows);
    arena_deinit(&arena);
    return status;
}

static void make_servo(const struct writer *writer, int link, struct servo *servo)
{
    const struct params *params = writer->params;
    struct dynamics_settings settings = {.servo_rad_s = params->creature_servo_rad_s,
                                         .joint_speed_rad_s = params->creature_joint_speed_rad_s,
                                         .joint_speed_m_s = params->creature_joint_speed_m_s};
    memset(servo, 0, sizeof *servo);
    servo_init(servo, &writer->view->phenotype->links[link], writer->inertia[link], &settings,
               params->creature_joint_damping_1_s);
}

/* ---- the body ---- */

/* Text that may stand in a comment and in a quoted attribute. */
static void write_name(FILE *file, const char *name)
{
    for (; *name; name++)
        fputc(strchr("<>&'\"-", *name) || (unsigned char)*name < 0x20 || *name == 0x7f ? '_'
                                                                                       : *name,
              file);
}

static void write_geom(const struct writer *writer, int part)
{
    const struct part *p = &writer->view->phenotype->parts[part];
    unsigned color = colors[p->depth % COLOR_COUNT];
    fprintf(writer->file,
            "<geom name='part%d' type='box' pos='%.17g 0 %.17g' euler='0 %.17g 0' "
            "size='%.17g %g %.17g' rgba='%.3f %.3f %.3f 1'/>\n",
            part, p->local.x, p->local.y, 0 - p->local_angle_rad, p->width_m / 2, HALF_DEPTH_M,
            p->height_m / 2, (color >> 16) / 255.0, (color >> 8 & 255) / 255.0,
            (color & 255) / 255.0);
}

static void write_joint(const struct writer *writer, int i)
{
    const struct link *link = &writer->view->phenotype->links[i];
    struct servo servo;
    make_servo(writer, i, &servo);
    if (link->joint_kind == LINK_LINEAR)
        fprintf(writer->file, "<joint name='joint%d' type='slide' axis='%.17g 0 %.17g'", i,
                link->axis.x, link->axis.y);
    else
        fprintf(writer->file, "<joint name='joint%d' type='hinge' axis='0 -1 0'", i);
    fprintf(writer->file, " limited='true' range='%.17g %.17g' damping='%.17g'/>\n", link->lower,
            link->upper, servo.damping);
}

static void write_link(struct writer *writer, int i)
{
    const struct phenotype *p = writer->view->phenotype;
    const struct link *link = &p->links[i];
    FILE *file = writer->file;
    writer->order[writer->order_count++] = i;
    fprintf(file, "<body name='link%d' pos='%.17g 0 %.17g'>\n", i, link->joint.x, link->joint.y);
    fprintf(file, "<inertial pos='%.17g 0 %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
            link->centre.x, link->centre.y, link->mass_kg, link->inertia_kg_m2, link->inertia_kg_m2,
            link->inertia_kg_m2);
    if (i == 0)
        fputs("<joint name='root_x' type='slide' axis='1 0 0'/>\n"
              "<joint name='root_y' type='slide' axis='0 0 1'/>\n"
              "<joint name='root_angle' type='hinge' axis='0 -1 0'/>\n",
              file);
    else
        write_joint(writer, i);
    for (int k = 0; k < p->part_count; k++)
        if (p->parts[k].link == i)
            write_geom(writer, k);
    for (int child = i + 1; child < p->link_count; child++)
        if (p->links[child].parent == i)
            write_link(writer, child);
    fputs("</body>\n", file);
}

static void write_world(const struct writer *writer)
{
    const struct world *world = &writer->world;
    FILE *file = writer->file;
    fputs("<light pos='0 -3 6' dir='0 0.4 -1' directional='true'/>\n", file);
    if (world->has_ground)
        fprintf(file,
                "<geom name='ground' type='plane' size='%g %g 0.1' friction='%.17g 0.005 0.0001' "
                "priority='1' rgba='0.78 0.72 0.6 1'/>\n",
                GROUND_M, GROUND_M, world->friction);
    for (int i = 0; i < world->obstacles.count; i++) {
        const struct obstacle *o = &world->obstacles.list[i];
        fprintf(file,
                "<geom name='obstacle%d' type='box' pos='%.17g 0 %.17g' euler='0 %.17g 0' "
                "size='%.17g 1 %.17g' friction='%.17g 0.005 0.0001' priority='1' "
                "rgba='0.55 0.5 0.4 1'/>\n",
                i + 1, o->x_m, o->y_m, 0 - o->angle_rad, o->width_m / 2, o->height_m / 2,
                world->friction);
    }
}

static void write_actuators(const struct writer *writer)
{
    const struct phenotype *p = writer->view->phenotype;
    int is_position = writer->params->creature_effector_mode == EFFECTOR_POSITION;
    fputs("<actuator>\n", writer->file);
    for (int i = 0; i < p->effector_count; i++) {
        int link = p->effectors[i].drive;
        struct servo servo;
        make_servo(writer, link, &servo);
        fprintf(writer->file,
                "<general name='muscle%d' joint='joint%d' gaintype='fixed' biastype='affine' "
                "gainprm='%.17g' biasprm='0 %.17g %.17g' forcelimited='true' "
                "forcerange='%.17g %.17g'/>\n",
                link, link, is_position ? servo.kp : servo.torque_max, is_position ? -servo.kp : 0,
                is_position ? -servo.kd : -servo.motor_kd, -servo.torque_max, servo.torque_max);
    }
    fputs("</actuator>\n", writer->file);
}

/* The pose at the settled start. */
static void write_keyframe(const struct writer *writer)
{
    const double *q = dynamics_q(writer->view->dynamics);
    fprintf(writer->file, "<keyframe>\n<key name='start' qpos='%.17g %.17g", q[0], q[1]);
    for (int i = 0; i < writer->order_count; i++)
        fprintf(writer->file, " %.17g", q[2 + writer->order[i]]);
    fputs("'/>\n</keyframe>\n", writer->file);
}

static int write_model(const struct mjcf *mjcf, const struct evaluate_view *view)
{
    struct writer writer = {.file = mjcf->model, .view = view, .params = mjcf->params};
    FILE *file = mjcf->model;
    double step_s = 1 / (mjcf->params->simulation_brain_hz * steps_per_tick(mjcf->params));
    int status = find_inertia(&writer);
    if (status)
        return status;
    world_init(&writer.world, mjcf->params);
    fputs("<mujoco model='", file);
    write_name(file, mjcf->name[0] ? mjcf->name : "creature");
    fputs("'>\n<!-- Written by Bestiary. The control of each actuator is the requested angle (or "
          "extension) plus its rate times 2/frequency,\n     or the share of the strength. ",
          file);
    if (world_has_drag(&writer.world))
        fputs("The world's viscosity is not in this file. ", file);
    if (writer.world.elasticity > 0 || writer.world.own_elasticity > 0)
        fputs("The elasticity of contacts is not in this file. ", file);
    if (mjcf->params->creature_hill_curvature > 0)
        fputs("The muscles' loss of force with speed is not in this file. ", file);
    fprintf(
        file,
        "-->\n<compiler angle='radian' inertiafromgeom='false'/>\n"
        "<option timestep='%.17g' gravity='0 0 %.17g'/>\n"
        "<default><geom friction='%.17g 0.005 0.0001' solref='%g 1' solimp='0.0001 %g %g 0.5 2'/>"
        "</default>\n<worldbody>\n",
        step_s, -writer.world.gravity_m_s2, writer.world.own_friction, CONTACT_TIME_S,
        CONTACT_FIRMNESS, CONTACT_SOFT_ZONE_M);
    write_world(&writer);
    write_link(&writer, 0);
    fputs("</worldbody>\n", file);
    if (view->phenotype->effector_count > 0)
        write_actuators(&writer);
    write_keyframe(&writer);
    fputs("</mujoco>\n", file);
    return 0;
}

/* ---- the signals ---- */

/* Of the filtered signal of an effector in the world's sign and unit. */
static double signal_unit(const struct mjcf *mjcf, const struct link *link)
{
    int is_position = mjcf->params->creature_effector_mode == EFFECTOR_POSITION;
    return link->mirror * (is_position ? link->scale : 1);
}

static void write_header(const struct mjcf *mjcf, const struct phenotype *p)
{
    fputs("time_s", mjcf->signals);
    for (int i = 0; i < p->effector_count; i++)
        fprintf(mjcf->signals, ",muscle%d", p->effectors[i].drive);
    fputc('\n', mjcf->signals);
}

/* The steps of the tick that has just passed. */
static void write_signals(struct mjcf *mjcf, const struct evaluate_view *view)
{
    const struct params *params = mjcf->params;
    const struct phenotype *p = view->phenotype;
    int is_position = params->creature_effector_mode == EFFECTOR_POSITION;
    double steps = steps_per_tick(params), step_s = 1 / (params->simulation_brain_hz * steps);
    for (int k = 0; k < (int)steps; k++) {
        fprintf(mjcf->signals, "%.17g", mjcf->row_count++ * step_s);
        for (int i = 0; i < p->effector_count; i++) {
            const struct link *link = &p->links[p->effectors[i].drive];
            double unit = signal_unit(mjcf, link), to = unit * view->signals[i];
            double from = unit * mjcf->signal[i], rate = (to - from) / (steps * step_s);
            double control = from + rate * (k + 0.5) * step_s;
            if (is_position)
                control += rate * 2 / params->creature_servo_rad_s;
            fprintf(mjcf->signals, ",%.17g", control);
        }
        fputc('\n', mjcf->signals);
    }
}

int mjcf_observe(void *context, const struct evaluate_view *view)
{
    struct mjcf *mjcf = context;
    int count = view->phenotype->effector_count;
    if (view->phase != PHASE_SCORE || count > MJCF_EFFECTORS_MAX ||
        view->phenotype->link_count > MJCF_EFFECTORS_MAX)
        return 0;
    if (!mjcf->has_begun) {
        mjcf->has_begun = 1;
        mjcf->status = mjcf->model ? write_model(mjcf, view) : 0;
        if (mjcf->signals)
            write_header(mjcf, view->phenotype);
    } else if (mjcf->signals) {
        write_signals(mjcf, view);
    }
    for (int i = 0; i < count; i++)
        mjcf->signal[i] = view->signals[i];
    return mjcf->status;
}
