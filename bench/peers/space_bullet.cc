/* Bullet's multibodies (reduced coordinates) behind space_peers.h, in single precision as Debian builds it. A universal
 * joint is two hinges with a link of 1 g between them. The servo's torque is that of the step's start. Solver: 10 sweeps, its
 * default. */
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>
#include <math.h>
#include <stdio.h>

#include <memory>
#include <vector>

#include "bench/peers/space_peers.h"

namespace
{

const double kMiddleMass = 0.001, kMiddleInertia = 1e-6;

btVector3 vector_of(const double *v)
{
    return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

btQuaternion turn_of(const double *q)
{
    return btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0]));
}

void put(const btVector3 &v, double *to)
{
    for (int k = 0; k < 3; k++)
        to[k] = v[k];
}

/* Bodies that a joint joins do not collide, even with a link between them. */
struct Neighbours : btOverlapFilterCallback {
    bool pairs[PEER_BODIES_MAX + 1][PEER_BODIES_MAX + 1] = {};
    bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override
    {
        auto number = [](const btBroadphaseProxy *proxy) {
            return static_cast<btCollisionObject *>(proxy->m_clientObject)->getUserIndex();
        };
        return !pairs[number(a)][number(b)];
    }
};

struct World {
    const peer_scene *scene;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    Neighbours neighbours;
    std::unique_ptr<btMultiBody> body;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btCollisionObject>> objects;
    std::vector<std::unique_ptr<btMultiBodyConstraint>> constraints;
    int links[PEER_BODIES_MAX];     /* of bodies; -1: the base */
    int hinges[PEER_BODIES_MAX][2]; /* links of joints' axes */
    double dt_s;

    ~World()
    {
        for (auto &constraint : constraints)
            world.removeMultiBodyConstraint(constraint.get());
        for (auto &object : objects)
            world.removeCollisionObject(object.get());
        world.removeMultiBody(body.get());
    }
};

const double no_turn[4] = {1, 0, 0, 0};

/* From the parent's centre to the joint, in the parent's frame. */
btVector3 to_joint(const peer_scene *scene, const peer_joint *joint)
{
    double way[3], seen[3];
    for (int k = 0; k < 3; k++)
        way[k] = joint->at_m[k] - (joint->parent < 0 ? 0 : scene->bodies[joint->parent].at_m[k]);
    space_peer_rotate_back(joint->parent < 0 ? no_turn : scene->bodies[joint->parent].turn, way,
                           seen);
    return vector_of(seen);
}

btVector3 from_joint(const peer_joint *joint, const peer_body *body)
{
    double way[3], seen[3];
    for (int k = 0; k < 3; k++)
        way[k] = body->at_m[k] - joint->at_m[k];
    space_peer_rotate_back(body->turn, way, seen);
    return vector_of(seen);
}

/* The child's links; returns the next free one. Those between have the child's axes. */
int add_joint(World *w, int i, int link)
{
    const peer_joint *joint = &w->scene->joints[i];
    const peer_body *body = &w->scene->bodies[joint->child];
    const double *parent_turn = joint->parent < 0 ? no_turn : w->scene->bodies[joint->parent].turn;
    int parent = joint->parent < 0 ? -1 : w->links[joint->parent];
    double seen[4], axis[2][3];
    space_peer_relative(body->turn, parent_turn, seen);
    for (int k = 0; k < 2; k++)
        space_peer_rotate_back(body->turn, joint->axes[k], axis[k]);
    btVector3 in = to_joint(w->scene, joint), out = from_joint(joint, body), none(0, 0, 0);
    btScalar mass = btScalar(body->mass_kg);
    btVector3 inertia = vector_of(body->inertia_kg_m2);
    btQuaternion turn = turn_of(seen);
    if (joint->kind == PEER_BALL) {
        w->body->setupSpherical(link, mass, inertia, parent, turn, in, out, true);
    } else if (joint->kind == PEER_HINGE) {
        w->body->setupRevolute(link, mass, inertia, parent, turn, vector_of(axis[0]), in, out,
                               true);
        w->hinges[i][0] = link;
    } else {
        btScalar little = btScalar(kMiddleInertia);
        w->body->setupRevolute(link, btScalar(kMiddleMass), btVector3(little, little, little),
                               parent, turn, vector_of(axis[0]), in, none, true);
        w->body->setupRevolute(link + 1, mass, inertia, link, btQuaternion::getIdentity(),
                               vector_of(axis[1]), none, out, true);
        w->hinges[i][0] = link;
        w->hinges[i][1] = ++link;
    }
    w->links[joint->child] = link;
    return link + 1;
}

void add_limits(World *w, int i)
{
    const peer_joint *joint = &w->scene->joints[i];
    for (int k = 0; joint->kind != PEER_BALL && k < int(joint->kind); k++) {
        btScalar limit = btScalar(PEER_LIMIT_RAD);
        if (w->scene->has_limits)
            w->constraints.emplace_back(
                new btMultiBodyJointLimitConstraint(w->body.get(), w->hinges[i][k], -limit, limit));
    }
}

/* Friction is the product of both: that of each is the root. */
void add_object(World *w, btCollisionObject *object, btCollisionShape *shape, int number,
                bool is_fixed)
{
    w->shapes.emplace_back(shape);
    w->objects.emplace_back(object);
    object->setCollisionShape(shape);
    object->setFriction(btScalar(sqrt(PEER_FRICTION)));
    object->setUserIndex(number);
    w->world.addCollisionObject(object, is_fixed ? 2 : 1, is_fixed ? 1 : 3);
}

void add_shapes(World *w)
{
    const peer_scene *scene = w->scene;
    for (int i = 0; i < scene->joint_count; i++) {
        int a = scene->joints[i].parent, b = scene->joints[i].child;
        if (a >= 0)
            w->neighbours.pairs[a][b] = w->neighbours.pairs[b][a] = true;
    }
    for (int i = 0; i < scene->body_count; i++) {
        if (scene->bodies[i].size_m[0] <= 0)
            continue;
        auto *collider = new btMultiBodyLinkCollider(w->body.get(), w->links[i]);
        auto *box = new btBoxShape(vector_of(scene->bodies[i].size_m) * btScalar(0.5));
        collider->setWorldTransform(
            btTransform(turn_of(scene->bodies[i].turn), vector_of(scene->bodies[i].at_m)));
        add_object(w, collider, box, i, false);
        if (w->links[i] < 0)
            w->body->setBaseCollider(collider);
        else
            w->body->getLink(w->links[i]).m_collider = collider;
    }
    if (scene->has_ground)
        add_object(w, new btCollisionObject, new btStaticPlaneShape(btVector3(0, 1, 0), 0),
                   PEER_BODIES_MAX, true);
}

void start(World *w, int i)
{
    const peer_body *body = &w->scene->bodies[i];
    int joint = space_peer_joint_of(w->scene, i);
    double spin[3], seen[3];
    if (joint < 0) {
        w->body->setBaseVel(vector_of(body->v_m_s));
        w->body->setBaseOmega(vector_of(body->w_rad_s));
        return;
    }
    space_peer_spin(w->scene, joint, spin);
    if (w->scene->joints[joint].kind == PEER_BALL) {
        space_peer_rotate_back(body->turn, spin, seen);
        btScalar rates[3] = {btScalar(seen[0]), btScalar(seen[1]), btScalar(seen[2])};
        w->body->setJointVelMultiDof(w->links[i], rates);
        return;
    }
    for (int k = 0; k < int(w->scene->joints[joint].kind); k++)
        w->body->setJointVel(w->hinges[joint][k],
                             btScalar(space_peer_dot(spin, w->scene->joints[joint].axes[k])));
}

void *create(const peer_scene *scene, double hz)
{
    World *w = new World;
    bool is_hung = scene->joint_count == scene->body_count;
    const peer_body *root = &scene->bodies[0];
    int links = 0, next = 0;
    w->scene = scene;
    w->dt_s = 1 / hz;
    for (int i = 0; i < scene->joint_count; i++)
        links += scene->joints[i].kind == PEER_UNIVERSAL ? 2 : 1;
    w->world.setGravity(btVector3(0, btScalar(-scene->gravity_m_s2), 0));
    w->world.getSolverInfo().m_numIterations = 10;
    w->broadphase.getOverlappingPairCache()->setOverlapFilterCallback(&w->neighbours);
    w->body.reset(new btMultiBody(links, is_hung ? 0 : btScalar(root->mass_kg),
                                  is_hung ? btVector3(0, 0, 0) : vector_of(root->inertia_kg_m2),
                                  is_hung, false));
    w->body->setBasePos(is_hung ? btVector3(0, 0, 0) : vector_of(root->at_m));
    w->body->setWorldToBaseRot(is_hung ? btQuaternion::getIdentity()
                                       : turn_of(root->turn).inverse());
    w->links[0] = -1;
    for (int i = 0; i < scene->joint_count; i++)
        next = add_joint(w, i, next);
    w->body->finalizeMultiDof();
    w->body->setLinearDamping(0);
    w->body->setAngularDamping(0);
    w->body->setUseGyroTerm(true);
    w->body->setCanSleep(false);
    w->body->setHasSelfCollision(true);
    w->body->setMaxCoordinateVelocity(1e6f);
    w->world.addMultiBody(w->body.get());
    for (int i = 0; i < scene->joint_count; i++)
        add_limits(w, i);
    for (auto &constraint : w->constraints) {
        w->world.addMultiBodyConstraint(constraint.get());
        constraint->finalizeMultiDof();
    }
    for (int i = 0; i < scene->body_count; i++)
        start(w, i);
    add_shapes(w);
    return w;
}

void step(void *self, const double (*targets)[2], const double (*rates)[2])
{
    World *w = static_cast<World *>(self);
    for (int i = 0; w->scene->has_motors && i < w->scene->joint_count; i++)
        for (int k = 0; k < int(w->scene->joints[i].kind); k++) {
            int link = w->hinges[i][k];
            w->body->addJointTorque(
                link, btScalar(space_peer_torque(w->scene, i, k, targets[i][k], rates[i][k],
                                                 w->body->getJointPos(link),
                                                 w->body->getJointVel(link))));
        }
    w->world.stepSimulation(btScalar(w->dt_s), 0);
}

void read_states(void *self, peer_state *states)
{
    World *w = static_cast<World *>(self);
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places, spins, speeds;
    spins.resize(w->body->getNumLinks() + 1);
    speeds.resize(w->body->getNumLinks() + 1);
    w->body->forwardKinematics(turns, places);
    w->body->compTreeLinkVelocities(&spins[0], &speeds[0]);
    for (int i = 0; i < w->scene->body_count; i++) {
        int link = w->links[i];
        btTransform at = link < 0 ? w->body->getBaseWorldTransform()
                                  : w->body->getLink(link).m_cachedWorldTransform;
        btQuaternion turn = at.getRotation();
        put(at.getOrigin(), states[i].at_m);
        states[i].turn[0] = turn.w();
        states[i].turn[1] = turn.x();
        states[i].turn[2] = turn.y();
        states[i].turn[3] = turn.z();
        put(at.getBasis() * spins[link + 1], states[i].w_rad_s);
        put(at.getBasis() * speeds[link + 1], states[i].v_m_s);
    }
}

void destroy(void *self)
{
    delete static_cast<World *>(self);
}

const char *version(void)
{
    static char text[16];
    snprintf(text, sizeof text, "%d.%02d", BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100);
    return text;
}

} // namespace

extern "C" {
extern const peer_engine space_peer_bullet = {"Bullet", "multibody", version, create,
                                              step,     read_states, destroy};
}
