/* See scene_trace.h. Both dimensions have the same lines, and columns of their own. */
#include "simulator/tools/scene_trace.h"

#include <string.h>

#include "simulator/tools/trace.h"

static void print_vector(FILE *file, struct vec3 v)
{
    fprintf(file, ",%.17g,%.17g,%.17g", v.x, v.y, v.z);
}

/* The body of a part, or what else it belongs to. */
static const char *part_owner(const struct scene *scene, int part)
{
    int body = part < 0 ? -1 : scene->part_bodies[part];
    return part == CONTACT_GROUND ? "ground" : body < 0 ? "obstacle" : scene->bodies[body].name;
}

/* ---------------------------------------------------------------- in the plane */

static void print_plane_columns(FILE *file, const struct scene *scene, int body)
{
    const char *of = scene->bodies[body].name;
    int is_linear = scene->bodies[body].joint == LINK_LINEAR;
#define X(name, linear, field) fprintf(file, ",%s_%s", of, is_linear ? #linear : #name);
    TRACE_MOTION(X)
    TRACE_JOINT(X)
#undef X
    fprintf(file, ",%s_impulse_x_n_s,%s_impulse_y_n_s", of, of);
}

static void print_plane_whole(const struct scene_trace *t)
{
    struct vec3 centre = dynamics_centre_of_mass(t->dynamics);
    fprintf(t->motion, ",%.17g,%.17g", centre.x, centre.y);
}

static void print_plane_body(const struct scene_trace *t, int i)
{
    const struct scene_impulses *sum = &t->impulses[i];
    struct trace_part row = {.joint = scene_joint_state(t->scene, t->dynamics, i),
                             .contacts = sum->contacts,
                             .normal_n_s = sum->normal_n_s,
                             .friction_n_s = sum->friction_n_s};
    scene_body_state(t->scene, t->dynamics, i, &row.state);
#define X(name, linear, field) fprintf(t->motion, ",%.17g", row.field);
    TRACE_MOTION(X)
    TRACE_JOINT(X)
#undef X
    fprintf(t->motion, ",%.17g,%.17g", sum->x_n_s, sum->y_n_s);
}

static void add_impulse(struct scene_impulses *sum, const struct contact_point *point, double sign)
{
    double normal = sign * point->normal_impulse_n_s;
    double along = sign * point->friction_impulse_n_s;
    struct vec3 n = point->normal;
    sum->contacts++;
    sum->normal_n_s += point->normal_impulse_n_s;
    sum->friction_n_s += point->friction_impulse_n_s;
    sum->x_n_s += normal * n.x + along * n.y;
    sum->y_n_s += normal * n.y - along * n.x;
}

static void add_impulses(struct scene_trace *t)
{
    const struct contact_point *points;
    int count = dynamics_contacts(t->dynamics, &points);
    for (int i = 0; i < t->scene->body_count; i++)
        t->impulses[i].contacts = 0;
    for (int k = 0; k < count; k++) {
        int parts[2] = {points[k].part, points[k].other};
        for (int side = 0; side < 2; side++) {
            int body = parts[side] < 0 ? -1 : t->scene->part_bodies[parts[side]];
            if (body >= 0)
                add_impulse(&t->impulses[body], &points[k], side == 0 ? 1 : -1);
        }
    }
}

static void print_plane_contacts(const struct scene_trace *t, double time_s)
{
    const struct contact_point *points;
    int count = dynamics_contacts(t->dynamics, &points);
    for (int k = 0; k < count; k++) {
        const struct contact_point *p = &points[k];
        fprintf(t->contacts, "%.17g,%s,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", time_s,
                part_owner(t->scene, p->part), part_owner(t->scene, p->other), p->at.x, p->at.y,
                p->normal.x, p->normal.y, p->gap_m, p->normal_impulse_n_s, p->friction_impulse_n_s);
    }
}

/* ---------------------------------------------------------------- in space */

static const struct joint_kind *joint_of(const struct scene *scene, int body)
{
    return &joint_kinds[scene->links[body].kind];
}

static void print_space_columns(FILE *file, const struct scene *scene, int body)
{
    static const char *const columns[] = {"x_m",      "y_m",      "z_m",     "qw",     "qx",
                                          "qy",       "qz",       "vx_m_s",  "vy_m_s", "vz_m_s",
                                          "wx_rad_s", "wy_rad_s", "wz_rad_s"};
    const char *name = scene->bodies[body].name;
    int rates = joint_rates(joint_of(scene, body));
    for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++)
        fprintf(file, ",%s_%s", name, columns[k]);
    for (int k = 0; k < joint_coordinates(joint_of(scene, body)); k++)
        fprintf(file, ",%s_q%d", name, k);
    for (int k = 0; k < rates; k++)
        fprintf(file, ",%s_qd%d", name, k);
    for (int k = 0; k < rates; k++)
        fprintf(file, ",%s_effort%d", name, k);
}

static void print_space_whole(const struct scene_trace *t)
{
    struct vec3 linear, angular;
    dynamics_momentum(t->dynamics, &linear, &angular);
    print_vector(t->motion, dynamics_centre_of_mass(t->dynamics));
    print_vector(t->motion, linear);
    print_vector(t->motion, angular);
}

static void print_space_body(const struct scene_trace *t, int body)
{
    const double *q = t->dynamics->q, *qd = t->dynamics->qd;
    struct quaternion turn = dynamics_link_turn(t->dynamics, body);
    int rates = joint_rates(joint_of(t->scene, body)), first = 0;
    struct part_state s;
    for (int i = 0; i < body; i++) {
        q += joint_coordinates(joint_of(t->scene, i));
        first += joint_rates(joint_of(t->scene, i));
    }
    dynamics_link_state(t->dynamics, body, &s);
    print_vector(t->motion, s.at_m);
    fprintf(t->motion, ",%.17g,%.17g,%.17g,%.17g", turn.w, turn.x, turn.y, turn.z);
    print_vector(t->motion, s.velocity_m_s);
    print_vector(t->motion, s.spin_rad_s);
    for (int k = 0; k < joint_coordinates(joint_of(t->scene, body)); k++)
        fprintf(t->motion, ",%.17g", q[k]);
    for (int k = 0; k < rates; k++)
        fprintf(t->motion, ",%.17g", qd[first + k]);
    for (int k = 0; k < rates; k++) {
        struct drive_state drive;
        dynamics_drive_state(t->dynamics, first + k, &drive);
        fprintf(t->motion, ",%.17g", drive.effort);
    }
}

/* A line for each two that touch: how a face shares its load among its corners is not determined,
 * so only sums are. Points of two boxes follow one another. */
static void print_space_contacts(const struct scene_trace *t, double time_s)
{
    const struct contact_point *points;
    int count = dynamics_contacts(t->dynamics, &points);
    for (int i = 0; i < count;) {
        const struct contact_point *first = &points[i];
        double gap = first->gap_m, normal = 0, friction = 0;
        int from = i;
        for (; i < count && points[i].part == first->part && points[i].other == first->other; i++) {
            gap = points[i].gap_m < gap ? points[i].gap_m : gap;
            normal += points[i].normal_impulse_n_s;
            friction += points[i].friction_impulse_n_s;
        }
        fprintf(t->contacts, "%.17g,%s,%s,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", time_s,
                part_owner(t->scene, first->part), part_owner(t->scene, first->other), i - from,
                first->normal.x, first->normal.y, first->normal.z, gap, normal, friction);
    }
}

/* ---------------------------------------------------------------- the files */

/* By whether the scene is in space. */
static const struct trace_form {
    const char *motion_columns, *contacts_columns;
    void (*print_columns)(FILE *file, const struct scene *scene, int body);
    void (*print_whole)(const struct scene_trace *t);
    void (*print_body)(const struct scene_trace *t, int body);
    void (*print_contacts)(const struct scene_trace *t, double time_s);
} forms[] = {{"time_s,com_x_m,com_y_m",
              "time_s,body,other,x_m,y_m,normal_x,normal_y,gap_m,normal_n_s,friction_n_s\n",
              print_plane_columns, print_plane_whole, print_plane_body, print_plane_contacts},
             {"time_s,com_x_m,com_y_m,com_z_m,px_n_s,py_n_s,pz_n_s,lx_n_m_s,ly_n_m_s,lz_n_m_s",
              "time_s,body,other,points,normal_x,normal_y,normal_z,gap_m,normal_n_s,friction_n_s\n",
              print_space_columns, print_space_whole, print_space_body, print_space_contacts}};

static const struct trace_form *form_of(const struct scene_trace *t)
{
    return &forms[scene_is_in_space(t->scene)];
}

static void print_header(const struct scene_trace *t)
{
    fputs(form_of(t)->motion_columns, t->motion);
#define X(field) fputs("," #field, t->motion);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < t->scene->body_count; i++)
        form_of(t)->print_columns(t->motion, t->scene, i);
    fputc('\n', t->motion);
}

static void print_line(struct scene_trace *t, double time_s)
{
    const struct ledger *ledger = dynamics_ledger(t->dynamics);
    fprintf(t->motion, "%.17g", time_s);
    form_of(t)->print_whole(t);
#define X(field) fprintf(t->motion, ",%.17g", ledger->field);
    TRACE_LEDGER(X)
#undef X
    for (int i = 0; i < t->scene->body_count; i++)
        form_of(t)->print_body(t, i);
    fputc('\n', t->motion);
    memset(t->impulses, 0, sizeof t->impulses);
}

void scene_trace_begin(struct scene_trace *t)
{
    if (t->contacts)
        fputs(form_of(t)->contacts_columns, t->contacts);
    if (!t->motion)
        return;
    print_header(t);
    print_line(t, 0);
}

void scene_trace_step(struct scene_trace *t, double time_s, int has_line)
{
    add_impulses(t);
    if (t->contacts)
        form_of(t)->print_contacts(t, time_s);
    if (t->motion && has_line)
        print_line(t, time_s);
}
