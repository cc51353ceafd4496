/* MuJoCo behind space_peers.h, with its own soft contacts. The servo is the workload's to the
 * letter; its last term is a joint damping, which the integrator Euler takes implicitly. The model
 * is compiled from its XML once for each scene, and that is not measured. Its world has our axes:
 * gravity is along -y. */
#include <stdlib.h>

#include "bench/peers/mujoco_xml.h"
#include "bench/peers/space_peers.h"

struct world {
    const struct peer_scene *scene;
    mjData *data;
};

/* The last model that was compiled, and of what. */
static struct {
    struct peer_scene scene;
    mjModel *model;
} kept;

static void add_joint(struct xml *xml, const struct peer_scene *scene, int i, const double *turn)
{
    const struct peer_joint *joint = &scene->joints[i];
    if (joint->kind == PEER_BALL) {
        xml_add(xml, "<joint type='ball'/>\n");
        return;
    }
    for (int k = 0; k < (int)joint->kind; k++) {
        double axis[3];
        space_peer_rotate_back(turn, joint->axes[k], axis);
        xml_add(xml, "<joint name='j%d_%d' type='hinge' axis='%.17g %.17g %.17g'", i, k, axis[0],
                axis[1], axis[2]);
        if (scene->has_limits)
            xml_add(xml, " limited='true' range='%.17g %.17g'", -PEER_LIMIT_RAD, PEER_LIMIT_RAD);
        if (scene->has_motors)
            xml_add(xml, " damping='%.17g'", joint->kv_n_m_s[k]);
        xml_add(xml, "/>\n");
    }
}

/* A body's frame has its origin at its joint, that of a free one at its centre, and the body's
 * axes. */
static void add_body(struct xml *xml, const struct peer_scene *scene, int i, const double *from,
                     const double *from_turn)
{
    const struct peer_body *body = &scene->bodies[i];
    int joint = space_peer_joint_of(scene, i);
    const double *origin = joint < 0 ? body->at_m : scene->joints[joint].at_m;
    double way[3], pos[3], centre[3], quat[4];
    for (int k = 0; k < 3; k++)
        way[k] = origin[k] - from[k];
    space_peer_rotate_back(from_turn, way, pos);
    for (int k = 0; k < 3; k++)
        way[k] = body->at_m[k] - origin[k];
    space_peer_rotate_back(body->turn, way, centre);
    space_peer_relative(from_turn, body->turn, quat);
    xml_add(xml, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>\n", i,
            pos[0], pos[1], pos[2], quat[0], quat[1], quat[2], quat[3]);
    xml_add(xml,
            "<inertial pos='%.17g %.17g %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
            centre[0], centre[1], centre[2], body->mass_kg, body->inertia_kg_m2[0],
            body->inertia_kg_m2[1], body->inertia_kg_m2[2]);
    if (joint < 0)
        xml_add(xml, "<joint type='free'/>\n");
    else
        add_joint(xml, scene, joint, body->turn);
    if (body->size_m[0] > 0)
        xml_add(xml, "<geom type='box' pos='%.17g %.17g %.17g' size='%.17g %.17g %.17g'/>\n",
                centre[0], centre[1], centre[2], body->size_m[0] / 2, body->size_m[1] / 2,
                body->size_m[2] / 2);
    for (int k = 0; k < scene->joint_count; k++)
        if (scene->joints[k].parent == i)
            add_body(xml, scene, scene->joints[k].child, origin, body->turn);
    xml_add(xml, "</body>\n");
}

static void write_xml(struct xml *xml, const struct peer_scene *scene)
{
    static const double nowhere[3] = {0, 0, 0}, no_turn[4] = {1, 0, 0, 0};
    xml_add(xml,
            "<mujoco><compiler angle='radian' coordinate='local' inertiafromgeom='false'/>\n"
            "<option gravity='0 %.17g 0'/>\n"
            "<default><geom friction='%g 0 0'/></default><worldbody>\n",
            -scene->gravity_m_s2, PEER_FRICTION);
    if (scene->has_ground)
        xml_add(xml, "<geom type='plane' size='500 500 1' zaxis='0 1 0'/>\n");
    for (int i = 0; i < scene->body_count; i++) {
        int joint = space_peer_joint_of(scene, i);
        if (joint < 0 || scene->joints[joint].parent < 0)
            add_body(xml, scene, i, nowhere, no_turn);
    }
    xml_add(xml, "</worldbody><actuator>\n");
    for (int i = 0; scene->has_motors && i < scene->joint_count; i++)
        for (int k = 0; k < (int)scene->joints[i].kind; k++) {
            double kv = scene->joints[i].kv_n_m_s[k], most = scene->torque_max_n_m;
            xml_add(xml,
                    "<general joint='j%d_%d' gainprm='%.17g' biastype='affine' biasprm='0 %.17g 0' "
                    "forcelimited='true' forcerange='%g %g'/>\n",
                    i, k, kv, -10 * kv, -most, most);
        }
    xml_add(xml, "</actuator></mujoco>\n");
}

/* The scene's model; the same as last time, if it is the same scene. */
static mjModel *compile(const struct peer_scene *scene)
{
    static struct xml xml;
    if (kept.model && memcmp(&kept.scene, scene, sizeof *scene) == 0)
        return kept.model;
    if (kept.model)
        mj_deleteModel(kept.model);
    xml.size = 0;
    write_xml(&xml, scene);
    kept.model = xml_load(&xml);
    memcpy(&kept.scene, scene, sizeof *scene);
    return kept.model;
}

static void start(const struct world *w, int i)
{
    const struct peer_body *body = &w->scene->bodies[i];
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    int id = mj_name2id(kept.model, mjOBJ_BODY, name);
    double *qd = w->data->qvel + kept.model->body_dofadr[id], spin[3];
    int joint = space_peer_joint_of(w->scene, i);
    if (joint < 0) {
        memcpy(qd, body->v_m_s, sizeof body->v_m_s);
        space_peer_rotate_back(body->turn, body->w_rad_s, qd + 3);
        return;
    }
    space_peer_spin(w->scene, joint, spin);
    if (w->scene->joints[joint].kind == PEER_BALL)
        space_peer_rotate_back(body->turn, spin, qd);
    else
        for (int k = 0; k < (int)w->scene->joints[joint].kind; k++)
            qd[k] = space_peer_dot(spin, w->scene->joints[joint].axes[k]);
}

static void *create(const struct peer_scene *scene, double hz, int integrator)
{
    struct world *w = calloc(1, sizeof *w);
    mju_user_warning = mujoco_ignore_warning;
    if (!w || !compile(scene))
        return NULL;
    kept.model->opt.timestep = 1 / hz;
    kept.model->opt.integrator = integrator;
    w->scene = scene;
    w->data = mj_makeData(kept.model);
    if (!w->data)
        return NULL;
    for (int i = 0; i < scene->body_count; i++)
        start(w, i);
    return w;
}

static void *create_euler(const struct peer_scene *scene, double hz)
{
    return create(scene, hz, mjINT_EULER);
}

static void *create_rk4(const struct peer_scene *scene, double hz)
{
    return create(scene, hz, mjINT_RK4);
}

static void step(void *self, const double (*targets)[2], const double (*rates)[2])
{
    struct world *w = self;
    double *control = w->data->ctrl;
    for (int i = 0; w->scene->has_motors && i < w->scene->joint_count; i++)
        for (int k = 0; k < (int)w->scene->joints[i].kind; k++)
            *control++ = 10 * targets[i][k] + rates[i][k];
    mj_step(kept.model, w->data);
}

static void read_states(void *self, struct peer_state *states)
{
    struct world *w = self;
    mj_kinematics(kept.model, w->data);
    mj_comPos(kept.model, w->data);
    mj_comVel(kept.model, w->data);
    for (int i = 0; i < w->scene->body_count; i++) {
        char name[16];
        double v[6];
        snprintf(name, sizeof name, "b%d", i);
        int id = mj_name2id(kept.model, mjOBJ_BODY, name);
        mj_objectVelocity(kept.model, w->data, mjOBJ_BODY, id, v, 0);
        memcpy(states[i].at_m, w->data->xipos + 3 * id, sizeof states[i].at_m);
        memcpy(states[i].turn, w->data->xquat + 4 * id, sizeof states[i].turn);
        memcpy(states[i].w_rad_s, v, sizeof states[i].w_rad_s);
        memcpy(states[i].v_m_s, v + 3, sizeof states[i].v_m_s);
    }
}

static void destroy(void *self)
{
    struct world *w = self;
    mj_deleteData(w->data);
    free(w);
}

const struct peer_engine space_peer_mujoco_euler = {
    "MuJoCo", "Euler", mujoco_version, create_euler, step, read_states, destroy};
const struct peer_engine space_peer_mujoco_rk4 = {"MuJoCo", "RK4",       mujoco_version, create_rk4,
                                                  step,     read_states, destroy};
