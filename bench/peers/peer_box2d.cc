// Box2D 2.4 behind peers.h: 8 velocity and 3 position iterations, as its manual recommends; no sleeping.
#include <box2d/box2d.h>

#include <cstdio>

#include "bench/peers/peers.h"

namespace
{

struct world {
    b2World box2d;
    const peer_scene *scene;
    float step_s;
    b2Body *bodies[PEER_BODIES_MAX];
    b2RevoluteJoint *joints[PEER_BODIES_MAX];

    world(const peer_scene *from, double hz)
        : box2d(b2Vec2(0, -static_cast<float>(from->gravity_m_s2))), scene(from),
          step_s(static_cast<float>(1 / hz))
    {
        box2d.SetAllowSleeping(false);
    }
};

b2Vec2 vector(double x, double y)
{
    return b2Vec2(static_cast<float>(x), static_cast<float>(y));
}

b2Body *add_body(world *w, const peer_body &from)
{
    b2BodyDef definition;
    definition.type = b2_dynamicBody;
    definition.position = vector(from.x_m, from.y_m);
    definition.linearVelocity = vector(from.vx_m_s, from.vy_m_s);
    definition.angularVelocity = static_cast<float>(from.omega_rad_s);
    b2Body *body = w->box2d.CreateBody(&definition);
    if (from.width_m > 0) {
        b2PolygonShape box;
        box.SetAsBox(static_cast<float>(from.width_m / 2), static_cast<float>(from.height_m / 2));
        b2FixtureDef fixture;
        fixture.shape = &box;
        fixture.density = static_cast<float>(from.mass_kg / (from.width_m * from.height_m));
        fixture.friction = static_cast<float>(FIXED_FRICTION);
        body->CreateFixture(&fixture);
    }
    b2MassData mass;
    mass.mass = static_cast<float>(from.mass_kg);
    mass.I = static_cast<float>(from.inertia_kg_m2);
    mass.center = b2Vec2(0, 0);
    body->SetMassData(&mass);
    return body;
}

void *create(const peer_scene *scene, double hz)
{
    world *w = new world(scene, hz);
    b2BodyDef nowhere;
    b2Body *ground = w->box2d.CreateBody(&nowhere);
    if (scene->has_ground) {
        b2EdgeShape line;
        line.SetTwoSided(b2Vec2(-500, 0), b2Vec2(500, 0));
        b2FixtureDef fixture;
        fixture.shape = &line;
        fixture.friction = static_cast<float>(FIXED_FRICTION);
        ground->CreateFixture(&fixture);
    }
    for (int i = 0; i < scene->body_count; i++)
        w->bodies[i] = add_body(w, scene->bodies[i]);
    for (int i = 0; i < scene->joint_count; i++) {
        const peer_joint &from = scene->joints[i];
        b2RevoluteJointDef definition;
        definition.Initialize(from.parent < 0 ? ground : w->bodies[from.parent],
                              w->bodies[from.child], vector(from.x_m, from.y_m));
        definition.enableLimit = scene->has_limits;
        definition.lowerAngle = -static_cast<float>(FIXED_LIMIT_RAD);
        definition.upperAngle = static_cast<float>(FIXED_LIMIT_RAD);
        definition.enableMotor = scene->has_motors;
        definition.maxMotorTorque = static_cast<float>(FIXED_STRENGTH_N_M);
        w->joints[i] = static_cast<b2RevoluteJoint *>(w->box2d.CreateJoint(&definition));
    }
    return w;
}

void step(void *self, const double (*targets)[2], const double (*rates)[2])
{
    world *w = static_cast<world *>(self);
    for (int i = 0; w->scene->has_motors && i < w->scene->joint_count; i++)
        w->joints[i]->SetMotorSpeed(static_cast<float>(
            peer_motor_speed(targets[i][0], rates[i][0], w->joints[i]->GetJointAngle())));
    w->box2d.Step(w->step_s, 8, 3);
}

void read(void *self, peer_state *states)
{
    world *w = static_cast<world *>(self);
    for (int i = 0; i < w->scene->body_count; i++) {
        const b2Body *body = w->bodies[i];
        states[i] = {
            body->GetPosition().x,       body->GetPosition().y,       body->GetAngle(),
            body->GetLinearVelocity().x, body->GetLinearVelocity().y, body->GetAngularVelocity()};
    }
}

void destroy(void *self)
{
    delete static_cast<world *>(self);
}

const char *version()
{
    static char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", b2_version.major, b2_version.minor,
             b2_version.revision);
    return text;
}

} // namespace

const peer_engine peer_box2d = {"Box2D", "8/3 iterations", version, create, step, read, destroy};
