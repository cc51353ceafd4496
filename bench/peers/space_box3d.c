/* Box3D behind space_peers.h, in single precision and one thread, with four substeps a step, as it
 * advises, or one. It has no universal joint: here that is a ball whose twist is held at what a
 * universal joint has at the same two angles, set anew each step, and whose cone is the limit of
 * both. The servo's torque is that of the step's start. */
#include <box3d/box3d.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/peers/space_peers.h"

/* Half the side of the ground, and its thickness. */
#define GROUND_REACH_M 500.0f
#define GROUND_DEPTH_M 1.0f

/* A joint's first two axes and their product, as both bodies see them. */
struct axes {
    b3Vec3 in_parent[3], in_child[3];
};

struct world {
    const struct peer_scene *scene;
    b3WorldId box3d;
    b3BodyId ground, bodies[PEER_BODIES_MAX];
    b3JointId joints[PEER_BODIES_MAX];
    struct axes axes[PEER_BODIES_MAX];
    float dt_s;
};

static b3Vec3 vector_of(const double *v)
{
    return (b3Vec3){(float)v[0], (float)v[1], (float)v[2]};
}

static b3Quat turn_of(const double *q)
{
    return (b3Quat){vector_of(q + 1), (float)q[0]};
}

static void put(b3Vec3 v, double *to)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

/* ---------------------------------------------------------------- scenes */

static void add_box(b3BodyId body, float a, float b, float c, b3Vec3 centre)
{
    const b3BoxHull hull = b3MakeOffsetBoxHull(a, b, c, centre);
    b3ShapeDef def = b3DefaultShapeDef();
    def.baseMaterial.friction = (float)PEER_FRICTION;
    def.baseMaterial.restitution = 0;
    b3CreateHullShape(body, &def, &hull.base);
}

static void add_ground(struct world *w)
{
    const b3BodyDef def = b3DefaultBodyDef();
    w->ground = b3CreateBody(w->box3d, &def);
    if (w->scene->has_ground)
        add_box(w->ground, GROUND_REACH_M, GROUND_DEPTH_M / 2, GROUND_REACH_M,
                (b3Vec3){0, -GROUND_DEPTH_M / 2, 0});
}

static b3BodyId add_body(struct world *w, const struct peer_body *from)
{
    const double *size = from->size_m;
    b3Vec3 inertia = vector_of(from->inertia_kg_m2);
    b3BodyDef def = b3DefaultBodyDef();
    def.type = b3_dynamicBody;
    def.position = vector_of(from->at_m);
    def.rotation = turn_of(from->turn);
    def.linearVelocity = vector_of(from->v_m_s);
    def.angularVelocity = vector_of(from->w_rad_s);
    b3BodyId body = b3CreateBody(w->box3d, &def);
    if (size[0] > 0)
        add_box(body, (float)size[0] / 2, (float)size[1] / 2, (float)size[2] / 2,
                (b3Vec3){0, 0, 0});
    b3Body_SetMassData(
        body, (b3MassData){.mass = (float)from->mass_kg,
                           .inertia = {{inertia.x, 0, 0}, {0, inertia.y, 0}, {0, 0, inertia.z}}});
    return body;
}

static b3BodyId parent_of(const struct world *w, int joint)
{
    int parent = w->scene->joints[joint].parent;
    return parent < 0 ? w->ground : w->bodies[parent];
}

/* A hinge has any second axis across its first. */
static void set_axes(struct world *w, int i)
{
    const struct peer_joint *joint = &w->scene->joints[i];
    b3Vec3 first = vector_of(joint->axes[0]), second = vector_of(joint->axes[1]);
    if (joint->kind == PEER_HINGE)
        second = b3Normalize(b3Cross(first, (b3Vec3){-first.z, first.x, first.y}));
    const b3Vec3 all[3] = {first, second, b3Cross(first, second)};
    for (int k = 0; k < 3; k++) {
        w->axes[i].in_parent[k] = b3Body_GetLocalVector(parent_of(w, i), all[k]);
        w->axes[i].in_child[k] = b3Body_GetLocalVector(w->bodies[joint->child], all[k]);
    }
}

/* Both frames lie alike at the start: z along a hinge's axis, and along the axis of a universal
 * joint's twist. */
static void set_frames(struct world *w, int i, b3JointDef *base)
{
    const struct peer_joint *joint = &w->scene->joints[i];
    b3Quat turn = b3Quat_identity;
    b3Vec3 at = vector_of(joint->at_m);
    base->bodyIdA = parent_of(w, i);
    base->bodyIdB = w->bodies[joint->child];
    if (joint->kind != PEER_BALL) {
        set_axes(w, i);
        b3Vec3 axis = w->axes[i].in_child[joint->kind == PEER_HINGE ? 0 : 2];
        turn = b3ComputeQuatBetweenUnitVectors(
            b3Vec3_axisZ, b3RotateVector(b3Body_GetRotation(base->bodyIdB), axis));
    }
    base->localFrameA = (b3Transform){b3Body_GetLocalPoint(base->bodyIdA, at),
                                      b3InvMulQuat(b3Body_GetRotation(base->bodyIdA), turn)};
    base->localFrameB = (b3Transform){b3Body_GetLocalPoint(base->bodyIdB, at),
                                      b3InvMulQuat(b3Body_GetRotation(base->bodyIdB), turn)};
}

static b3JointId add_joint(struct world *w, int i)
{
    int has_limits = w->scene->has_limits;
    float limit = (float)PEER_LIMIT_RAD;
    if (w->scene->joints[i].kind == PEER_HINGE) {
        b3RevoluteJointDef def = b3DefaultRevoluteJointDef();
        set_frames(w, i, &def.base);
        def.enableLimit = has_limits;
        def.lowerAngle = -limit;
        def.upperAngle = limit;
        return b3CreateRevoluteJoint(w->box3d, &def);
    }
    b3SphericalJointDef def = b3DefaultSphericalJointDef();
    set_frames(w, i, &def.base);
    def.enableTwistLimit = w->scene->joints[i].kind == PEER_UNIVERSAL;
    def.enableConeLimit = has_limits && def.enableTwistLimit;
    def.coneAngle = limit;
    def.lowerTwistAngle = def.upperTwistAngle = 0;
    return b3CreateSphericalJoint(w->box3d, &def);
}

static void *create(const struct peer_scene *scene, double hz)
{
    struct world *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    b3WorldDef def = b3DefaultWorldDef();
    def.gravity = (b3Vec3){0, (float)-scene->gravity_m_s2, 0};
    def.enableSleep = false;
    w->scene = scene;
    w->dt_s = (float)(1 / hz);
    w->box3d = b3CreateWorld(&def);
    add_ground(w);
    for (int i = 0; i < scene->body_count; i++)
        w->bodies[i] = add_body(w, &scene->bodies[i]);
    for (int i = 0; i < scene->joint_count; i++)
        w->joints[i] = add_joint(w, i);
    return w;
}

/* ---------------------------------------------------------------- motions */

/* The two angles, from what the child is turned by: about the first axis, then about the second. */
static void read_angles(const struct axes *axes, b3Quat parent, b3Quat child, double *angles)
{
    b3Quat turn = b3InvMulQuat(parent, child);
    const b3Vec3 *in_parent = axes->in_parent, *in_child = axes->in_child;
    b3Vec3 second = b3RotateVector(turn, in_child[1]),
           first = b3InvRotateVector(turn, in_parent[0]);
    angles[0] = atan2(b3Dot(second, in_parent[2]), b3Dot(second, in_parent[1]));
    angles[1] = atan2(b3Dot(first, in_child[2]), b3Dot(first, in_child[0]));
}

/* The servo's torques, and the twist that a universal joint has. */
static void pull(struct world *w, int i, const double *targets, const double *rates)
{
    const struct peer_joint *joint = &w->scene->joints[i];
    b3BodyId parent = parent_of(w, i), child = w->bodies[joint->child];
    b3Quat from = b3Body_GetRotation(parent), to = b3Body_GetRotation(child);
    b3Vec3 spin = b3Sub(b3Body_GetAngularVelocity(child), b3Body_GetAngularVelocity(parent));
    const b3Vec3 axes[2] = {b3RotateVector(from, w->axes[i].in_parent[0]),
                            b3RotateVector(to, w->axes[i].in_child[1])};
    double angles[2];
    b3Vec3 torque = {0, 0, 0};
    read_angles(&w->axes[i], from, to, angles);
    for (int k = 0; w->scene->has_motors && k < (int)joint->kind; k++)
        torque = b3MulAdd(torque,
                          (float)space_peer_torque(w->scene, i, k, targets[k], rates[k], angles[k],
                                                   b3Dot(spin, axes[k])),
                          axes[k]);
    if (w->scene->has_motors) {
        b3Body_ApplyTorque(child, torque, true);
        b3Body_ApplyTorque(parent, b3Neg(torque), true);
    }
    if (joint->kind == PEER_UNIVERSAL) {
        float twist = (float)(2 * atan(tan(angles[0] / 2) * tan(angles[1] / 2)));
        b3SphericalJoint_SetTwistLimits(w->joints[i], twist, twist);
    }
}

static void move(struct world *w, const double (*targets)[2], const double (*rates)[2],
                 int substeps)
{
    for (int i = 0; i < w->scene->joint_count; i++)
        if (w->scene->joints[i].kind != PEER_BALL)
            pull(w, i, targets[i], rates[i]);
    b3World_Step(w->box3d, w->dt_s, substeps);
}

static void step_in_four(void *self, const double (*targets)[2], const double (*rates)[2])
{
    move(self, targets, rates, 4);
}

static void step_in_one(void *self, const double (*targets)[2], const double (*rates)[2])
{
    move(self, targets, rates, 1);
}

static void read_states(void *self, struct peer_state *states)
{
    struct world *w = self;
    for (int i = 0; i < w->scene->body_count; i++) {
        b3Quat turn = b3Body_GetRotation(w->bodies[i]);
        put(b3Body_GetPosition(w->bodies[i]), states[i].at_m);
        states[i].turn[0] = turn.s;
        put(turn.v, states[i].turn + 1);
        put(b3Body_GetLinearVelocity(w->bodies[i]), states[i].v_m_s);
        put(b3Body_GetAngularVelocity(w->bodies[i]), states[i].w_rad_s);
    }
}

static void destroy(void *self)
{
    struct world *w = self;
    b3DestroyWorld(w->box3d);
    free(w);
}

static const char *version(void)
{
    static char text[32];
    b3Version v = b3GetVersion();
    snprintf(text, sizeof text, "%d.%d.%d", v.major, v.minor, v.revision);
    return text;
}

const struct peer_engine space_peer_box3d = {"Box3D",      "4 substeps", version, create,
                                             step_in_four, read_states,  destroy};
const struct peer_engine space_peer_box3d_one = {"Box3D",     "1 substep", version, create,
                                                 step_in_one, read_states, destroy};
