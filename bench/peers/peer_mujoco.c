/* MuJoCo behind peers.h, planar by slides and hinges, with its own soft contacts. The servo is the
 * workload's to the letter: 1 N m s/rad (10/s (q* - q) + q*' - q'); its last term is a joint
 * damping, which the integrator Euler takes implicitly. Making the model from its XML is part of
 * making a creature. */
#include <stdlib.h>

#include "bench/peers/mujoco_xml.h"
#include "bench/peers/peers.h"

struct world {
    const struct peer_scene *scene;
    mjModel *model;
    mjData *data;
    int bodies[PEER_BODIES_MAX], actuators[PEER_BODIES_MAX];
    double angles[PEER_BODIES_MAX]; /* of the joints, summed along the tree, when read */
};

/* The joint that carries a body, or -1. */
static int joint_of(const struct peer_scene *scene, int body)
{
    for (int i = 0; i < scene->joint_count; i++)
        if (scene->joints[i].child == body)
            return i;
    return -1;
}

/* A body's frame has its origin at its joint, that of a free one at its centre. */
static void add_body(struct xml *xml, const struct peer_scene *scene, int i, double from_x,
                     double from_y)
{
    const struct peer_body *body = &scene->bodies[i];
    int joint = joint_of(scene, i);
    double x = joint < 0 ? body->x_m : scene->joints[joint].x_m;
    double y = joint < 0 ? body->y_m : scene->joints[joint].y_m;
    xml_add(xml, "<body name='b%d' pos='%.17g 0 %.17g'>\n", i, x - from_x, y - from_y);
    xml_add(xml, "<inertial pos='%.17g 0 %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
            body->x_m - x, body->y_m - y, body->mass_kg, body->inertia_kg_m2, body->inertia_kg_m2,
            body->inertia_kg_m2);
    if (joint < 0)
        xml_add(xml, "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>\n");
    xml_add(xml, "<joint name='j%d' type='hinge' axis='0 -1 0'", joint);
    if (joint >= 0 && scene->has_limits)
        xml_add(xml, " limited='true' range='%.17g %.17g'", -FIXED_LIMIT_RAD, FIXED_LIMIT_RAD);
    if (joint >= 0 && scene->has_motors)
        xml_add(xml, " damping='1'");
    xml_add(xml, "/>\n");
    if (body->width_m > 0)
        xml_add(xml, "<geom type='box' pos='%.17g 0 %.17g' size='%.17g 0.05 %.17g'/>\n",
                body->x_m - x, body->y_m - y, body->width_m / 2, body->height_m / 2);
    for (int k = 0; k < scene->joint_count; k++)
        if (scene->joints[k].parent == i)
            add_body(xml, scene, scene->joints[k].child, x, y);
    xml_add(xml, "</body>\n");
}

static void write_xml(struct xml *xml, const struct peer_scene *scene, double hz,
                      const char *integrator)
{
    xml_add(xml,
            "<mujoco><compiler angle='radian' coordinate='local' inertiafromgeom='false'/>\n"
            "<option integrator='%s' timestep='%.17g' gravity='0 0 %.17g'/>\n"
            "<default><geom friction='%g 0 "
            "0'/></default><worldbody>\n",
            integrator, 1 / hz, -scene->gravity_m_s2, FIXED_FRICTION);
    if (scene->has_ground)
        xml_add(xml, "<geom type='plane' size='500 1 1'/>\n");
    for (int i = 0; i < scene->body_count; i++) {
        int joint = joint_of(scene, i);
        if (joint < 0 || scene->joints[joint].parent < 0)
            add_body(xml, scene, i, 0, 0);
    }
    xml_add(xml, "</worldbody><actuator>\n");
    for (int i = 0; scene->has_motors && i < scene->joint_count; i++)
        xml_add(xml,
                "<general name='a%d' joint='j%d' gainprm='1' biastype='affine' biasprm='0 -10 0' "
                "forcelimited='true' forcerange='%g %g'/>\n",
                i, i, -FIXED_STRENGTH_N_M, FIXED_STRENGTH_N_M);
    xml_add(xml, "</actuator></mujoco>\n");
}

static void *create(const struct peer_scene *scene, double hz, const char *integrator)
{
    static struct xml xml;
    struct world *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    xml.size = 0;
    mju_user_warning = mujoco_ignore_warning;
    write_xml(&xml, scene, hz, integrator);
    w->scene = scene;
    w->model = xml_load(&xml);
    w->data = w->model ? mj_makeData(w->model) : NULL;
    if (!w->data)
        return NULL;
    for (int i = 0; i < scene->body_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        w->bodies[i] = mj_name2id(w->model, mjOBJ_BODY, name);
        snprintf(name, sizeof name, "a%d", i);
        w->actuators[i] = mj_name2id(w->model, mjOBJ_ACTUATOR, name);
    }
    if (joint_of(scene, 0) < 0) {
        w->data->qvel[0] = scene->bodies[0].vx_m_s;
        w->data->qvel[1] = scene->bodies[0].vy_m_s;
        w->data->qvel[2] = scene->bodies[0].omega_rad_s;
    }
    return w;
}

static void *create_euler(const struct peer_scene *scene, double hz)
{
    return create(scene, hz, "Euler");
}

static void *create_rk4(const struct peer_scene *scene, double hz)
{
    return create(scene, hz, "RK4");
}

static void step(void *self, const double (*targets)[2], const double (*rates)[2])
{
    struct world *w = self;
    for (int i = 0; w->scene->has_motors && i < w->scene->joint_count; i++)
        w->data->ctrl[w->actuators[i]] = 10 * targets[i][0] + rates[i][0];
    mj_step(w->model, w->data);
}

static void read_states(void *self, struct peer_state *states)
{
    struct world *w = self;
    mj_kinematics(w->model, w->data);
    mj_comPos(w->model, w->data);
    mj_comVel(w->model, w->data);
    for (int i = 0; i < w->scene->body_count; i++) {
        int id = w->bodies[i], joint = joint_of(w->scene, i);
        const double *at = w->data->xipos + 3 * id;
        double v[6];
        mj_objectVelocity(w->model, w->data, mjOBJ_BODY, id, v, 0);
        int address = w->model->body_jntadr[id] + w->model->body_jntnum[id] - 1;
        double angle = w->data->qpos[w->model->jnt_qposadr[address]];
        int parent = joint < 0 ? -1 : w->scene->joints[joint].parent;
        w->angles[i] = angle + (parent < 0 ? 0 : w->angles[parent]);
        states[i] = (struct peer_state){at[0], at[2], w->angles[i], v[3], v[5], -v[1]};
    }
}

static void destroy(void *self)
{
    struct world *w = self;
    mj_deleteData(w->data);
    mj_deleteModel(w->model);
    free(w);
}

const struct peer_engine peer_mujoco_euler = {"MuJoCo", "Euler",     mujoco_version, create_euler,
                                              step,     read_states, destroy};
const struct peer_engine peer_mujoco_rk4 = {"MuJoCo", "RK4",       mujoco_version, create_rk4,
                                            step,     read_states, destroy};
