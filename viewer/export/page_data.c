/* A replay as a page shows it: its text, and its motion as channels of numbers. */
#include "viewer/export/page_data.h"

#include "common/genome/sensor.h"
#include "common/math/neuron.h"
#include "common/math/rotation.h"
#include "viewer/draw/eye/camera.h"
#include "viewer/draw/palette.h"

#define PI 3.14159265358979323846
/* Torques need no finer steps: a share of the strength in so many. */
#define TORQUE_STEPS 20
/* Impulses in steps of a share of what carries the body for a 240th of a second, up to three times
 * that. */
#define IMPULSE_STEPS 20
#define IMPULSE_MOST  3.0

/* A text of JSON: '<' is escaped too, so that no text can end the element that it is in. */
void page_write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        /* the line separators U+2028 and U+2029 once ended a line of JavaScript */
        if (c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9)) {
            fprintf(file, "\\u20%x", c[2] - 0x80);
            c += 2;
        } else if (*c < 0x20 || *c == '"' || *c == '\\' || *c == '<' || *c == '>' || *c == '&') {
            fprintf(file, "\\u%04x", *c);
        } else {
            fputc(*c, file);
        }
    }
    fputc('"', file);
}

int page_frame_count(const struct replay *replay)
{
    return (int)(replay_duration(replay) * PAGE_HZ + 1e-6) + 1;
}

static int brain_find(const struct page_brain *brain, enum node_kind kind, int part, int index)
{
    for (int i = 0; i < brain->count; i++)
        if (brain->nodes[i].kind == kind && brain->nodes[i].index == index &&
            (kind != NODE_SENSOR || brain->nodes[i].part == part))
            return i;
    return -1;
}

static void brain_add(struct page_brain *brain, enum node_kind kind, int part, int index)
{
    if (brain->count < PAGE_NODES_MAX && brain_find(brain, kind, part, index) < 0)
        brain->nodes[brain->count++] = (struct node){kind, part, index};
}

static void brain_add_source(struct page_brain *brain, const struct wire *wire)
{
    if (wire->kind == WIRE_SENSOR)
        brain_add(brain, NODE_SENSOR, wire->index, wire->sensor);
}

static int count_inputs(const struct replay *replay, int neuron)
{
    return neuron_functions[replay->neurons[neuron].function].input_count;
}

void page_survey(struct page_brain *brain, const struct replay *replay, int has_sound)
{
    memset(brain, 0, sizeof *brain);
    brain->voice_count = has_sound ? replay->voice_count : 0;
    for (int e = 0; e < replay->effector_count; e++)
        brain_add(brain, NODE_EFFECTOR, replay->drives[replay->effectors[e].drive].part, e);
    for (int i = 0; i < replay->neuron_count; i++)
        brain_add(brain, NODE_NEURON, replay->neurons[i].part, i);
    for (int e = 0; e < replay->effector_count; e++)
        brain_add_source(brain, &replay->effectors[e].input);
    for (int i = 0; i < replay->neuron_count; i++)
        for (int k = 0; k < count_inputs(replay, i); k++)
            brain_add_source(brain, &replay->neurons[i].inputs[k]);
    for (int f = 0; f < page_frame_count(replay); f++) {
        int count = replay_frame_at(replay, f / PAGE_HZ).contact_count;
        count = count < PAGE_CONTACTS_MAX ? count : PAGE_CONTACTS_MAX;
        brain->contact_count = count > brain->contact_count ? count : brain->contact_count;
    }
}

/* Channels of a frame: the centre of mass, place and turn (as a rotation vector) of each part, the
 * light if there is one, the fitness so far as a share of its greatest, the effort of each effector
 * as a share of its strength, the signal of each node of the brain, place and impulse of each
 * contact (0: there is none), the value of each drive but the rods, whose length is seen, call and
 * blow of each voice that is to be heard. */
enum { PLACE_CHANNELS = 3, POSE_CHANNELS = 6, CONTACT_CHANNELS = 6, VOICE_CHANNELS = 2 };

size_t page_channels(const struct replay *replay, const struct page_brain *brain)
{
    size_t drives = 0;
    for (int i = 0; i < replay->drive_count; i++)
        drives += replay->drives[i].rod < 0;
    return PLACE_CHANNELS + POSE_CHANNELS * (size_t)replay->part_count +
           (replay->has_light ? PLACE_CHANNELS : 0) + 1 + (size_t)replay->effector_count +
           (size_t)brain->count + CONTACT_CHANNELS * (size_t)brain->contact_count + drives +
           VOICE_CHANNELS * (size_t)brain->voice_count;
}

/* In -1 .. 1, in steps. */
static double round_share(double share)
{
    return floor(fmin(fmax(share, -1), 1) * TORQUE_STEPS + 0.5) / TORQUE_STEPS;
}

static double node_signal(const struct replay *replay, const struct replay_frame *frame,
                          const struct node *node)
{
    if (node->kind == NODE_SENSOR)
        return frame->sensors[node->part * SENSOR_COUNT + node->index];
    if (node->kind == NODE_NEURON)
        return frame->neurons[node->index];
    double full = replay->drives[replay->effectors[node->index].drive].signal_full;
    return full > 0 ? frame->signals[node->index] / full : 0;
}

static double round_impulse(double share)
{
    return floor(share * IMPULSE_STEPS + 0.5) / IMPULSE_STEPS;
}

static double *put(double *at, struct vec3 value)
{
    at[0] = value.x;
    at[1] = value.y;
    at[2] = value.z;
    return at + 3;
}

/* Where there is no contact, the place stays as it was: that costs no bytes. */
static void read_contact(const struct replay *replay, const struct replay_frame *frame, int index,
                         double values[CONTACT_CHANNELS])
{
    if (index >= frame->contact_count) {
        put(values + 3, (struct vec3){0, 0, 0});
        return;
    }
    const struct replay_contact *contact = &frame->contacts[index];
    double weight = fmax(replay->measures.mass_kg, 1e-6) * fmax(replay->gravity_m_s2, 1) / 240;
    double share = fmin((double)contact->impulse_n_s / weight, IMPULSE_MOST);
    share = fmax(round_impulse(share), 1.0 / IMPULSE_STEPS);
    put(values, (struct vec3){(double)contact->x_m, (double)contact->y_m, (double)contact->z_m});
    put(values + 3, (struct vec3){round_impulse(share * (double)contact->normal_x),
                                  round_impulse(share * (double)contact->normal_y),
                                  round_impulse(share * (double)contact->normal_z)});
}

/* The turn as a rotation vector, of those that are the same turn the one nearest to that of the
 * frame before. */
static struct vec3 read_turn(const struct replay_pose *pose, const double before[3])
{
    struct vec3 vector = quaternion_log(quaternion_normalised(replay_pose_quaternion(pose)));
    struct vec3 last = {before[0], before[1], before[2]};
    double angle = vec3_length(vector);
    if (angle < 1e-6)
        vector = vec3_length(last) > 0 ? vec3_scale(last, 1e-9 / vec3_length(last)) : vector;
    angle = vec3_length(vector);
    if (!(angle > 0))
        return vector;
    double along = vec3_dot(last, vector) / angle;
    double turns = floor((along - angle) / (2 * PI) + 0.5);
    return vec3_scale(vector, (angle + 2 * PI * turns) / angle);
}

/* The loudest of what a voice gives off until the next frame of the page. */
static void read_sound(const struct replay *replay, int voice, double time_s,
                       double values[VOICE_CHANNELS])
{
    double call = 0, blow = 0;
    int last = replay_frame_index(replay, time_s + 1 / PAGE_HZ - replay->frame_s / 2);
    for (int i = replay_frame_index(replay, time_s); i <= last; i++) {
        struct replay_sound sound = replay_get_frame(replay, i).sounds[voice];
        call = fmax(call, (double)sound.call);
        blow = fmax(blow, (double)sound.blow);
    }
    values[0] = round_share(call);
    values[1] = round_share(blow);
}

/* values: those of the frame before. */
void page_read(const struct replay *replay, const struct page_brain *brain, double time_s,
               double *values)
{
    struct replay_moment moment;
    replay_get_moment(replay, time_s, &moment);
    values = put(values, moment.frame.centre);
    for (int p = 0; p < replay->part_count; p++) {
        values = put(values, replay_pose_centre(&moment.poses[p]));
        values = put(values, read_turn(&moment.poses[p], values));
    }
    if (replay->has_light)
        values = put(values, moment.frame.light);
    *values++ = replay->fitness_most > 0 ? moment.frame.fitness / replay->fitness_most : 0;
    for (int e = 0; e < replay->effector_count; e++) {
        double strength = replay->drives[replay->effectors[e].drive].strength;
        *values++ = round_share(strength > 0 ? (double)moment.frame.torques[e] / strength : 0);
    }
    for (int i = 0; i < brain->count; i++)
        *values++ = round_share(node_signal(replay, &moment.frame, &brain->nodes[i]));
    for (int i = 0; i < brain->contact_count; i++, values += CONTACT_CHANNELS)
        read_contact(replay, &moment.frame, i, values);
    for (int i = 0; i < replay->drive_count; i++)
        if (replay->drives[i].rod < 0)
            *values++ = (double)moment.values[i];
    for (int i = 0; i < brain->voice_count; i++, values += VOICE_CHANNELS)
        read_sound(replay, i, time_s, values);
}

/* ---- text ---- */

static void write_vectors(FILE *file, struct vec3 a, struct vec3 b)
{
    fprintf(file, "[%.4g, %.4g, %.4g], [%.4g, %.4g, %.4g]", a.x, a.y, a.z, b.x, b.y, b.z);
}

static void write_turn(FILE *file, struct quaternion turn)
{
    fprintf(file, ", [%.6g, %.6g, %.6g, %.6g]", turn.w, turn.x, turn.y, turn.z);
}

/* Row of the body gene, parent, drive of a joint at one place (-1: none), where that is and where
 * it slides from, colour, side, whether it is no pair, whether it is the head. */
static void write_parts(FILE *file, const struct replay *replay)
{
    fputs("\"parts\": [", file);
    for (int i = 0; i < replay->part_count; i++) {
        const struct replay_part *part = &replay->parts[i];
        fprintf(file, "%s[%d, %d, %d, ", i ? ", " : "", part->body, part->parent, part->joint);
        write_vectors(file, part->anchor, part->base);
        fprintf(file, ", %d, %d, %d, %d]", part->color, part->mirror, !replay_has_twin(replay, i),
                part->is_head);
    }
    fprintf(file, "], \"coat\": \"#%06x\",\n", (unsigned)palette_coat(replay_plan(replay)));
}

/* Kind, part, other end and drive of a rod (else -1), half its sides, place and turn in the part's
 * frame, of a rod the place of its other end. */
static void write_shapes(FILE *file, const struct replay *replay)
{
    static const char *const names[] = {
        [SHAPE_BOX] = "box", [SHAPE_BALL] = "ball", [SHAPE_ROD] = "rod"};
    fprintf(file, "\"deep\": %d, \"depth\": %.6g, \"shapes\": [", replay->has_depth,
            replay->obstacle_depth_m);
    for (int i = 0; i < replay->shape_count; i++) {
        const struct shape *shape = &replay->shapes[i];
        fprintf(file, "%s[\"%s\", %d, %d, %d, ", i ? ", " : "", names[shape->kind], shape->part,
                shape->other, shape->drive);
        write_vectors(file, shape->half_m, shape->at_m);
        write_turn(file, shape->turn);
        fprintf(file, ", [%.4g, %.4g, %.4g]]", shape->other_m.x, shape->other_m.y,
                shape->other_m.z);
    }
    fputs("],\n", file);
}

/* Part, axis, 1 if linear, limits, effector and rod (-1: none), and of joints at one place way and
 * hand. */
static void write_drives(FILE *file, const struct replay *replay)
{
    fputs("\"drives\": [", file);
    for (int i = 0; i < replay->drive_count; i++) {
        const struct replay_drive *drive = &replay->drives[i];
        fprintf(file, "%s[%d, %d, %d, %.5g, %.5g, %d, %d, ", i ? ", " : "", drive->part,
                drive->axis, drive->is_linear, drive->lower, drive->upper, drive->effector,
                drive->rod);
        write_vectors(file, drive->way, drive->hand);
        fputs("]", file);
    }
    fputs("],\n", file);
}

/* Centre, sides and angle of each obstacle. */
static void write_obstacles(FILE *file, const struct replay *replay)
{
    fputs("\"obstacles\": [", file);
    for (int i = 0; i < replay->obstacles.count; i++) {
        const struct obstacle *o = &replay->obstacles.list[i];
        fprintf(file, "%s[%.6g, %.6g, %.6g, %.6g, %.6g]", i ? ", " : "", o->x_m, o->y_m, o->width_m,
                o->height_m, o->angle_rad);
    }
    fputs("],\n", file);
}

/* Writes for scenes in depth: centre, half sides and turn of what stands there. */
static void write_solids(FILE *file, const struct replay *replay)
{
    fputs("\"solids\": [", file);
    for (int i = 0; i < replay_solid_count(replay) && replay->has_depth; i++) {
        struct replay_solid solid = replay_get_solid(replay, i);
        fputs(i ? ", [" : "[", file);
        write_vectors(file, solid.at_m, solid.half_m);
        write_turn(file, solid.turn);
        fputs("]", file);
    }
    fputs("],\n", file);
}

/* Source, goal and weight. */
static void write_wire(FILE *file, const struct page_brain *brain, const struct wire *wire, int to,
                       int *count)
{
    int from = -1;
    if (wire->kind == WIRE_SENSOR)
        from = brain_find(brain, NODE_SENSOR, wire->index, wire->sensor);
    else if (wire->kind == WIRE_NEURON)
        from = brain_find(brain, NODE_NEURON, 0, wire->index);
    if (from >= 0 && to >= 0)
        fprintf(file, "%s[%d, %d, %.3g]", (*count)++ ? ", " : "", from, to, wire->weight);
}

/* Kind, part, and what it is; then what is wired to what. */
static void write_brain(FILE *file, const struct replay *replay, const struct page_brain *brain)
{
    int count = 0;
    fprintf(file, "\"contacts\": %d, \"nodes\": [", brain->contact_count);
    for (int i = 0; i < brain->count; i++) {
        const struct node *node = &brain->nodes[i];
        const char *name = node->kind == NODE_SENSOR ? sensors[node->index].name
                           : node->kind == NODE_NEURON
                               ? neuron_functions[replay->neurons[node->index].function].name
                               : "effector";
        fprintf(file, "%s[%d, %d, \"%s\"]", i ? ", " : "", (int)node->kind, node->part, name);
    }
    fputs("],\n\"wires\": [", file);
    for (int i = 0; i < brain->count; i++) {
        const struct node *node = &brain->nodes[i];
        if (node->kind == NODE_EFFECTOR)
            write_wire(file, brain, &replay->effectors[node->index].input, i, &count);
        for (int k = 0; node->kind == NODE_NEURON && k < count_inputs(replay, node->index); k++)
            write_wire(file, brain, &replay->neurons[node->index].inputs[k], i, &count);
    }
    fputs("],\n", file);
}

/* Its waves: rad/m along x and z, phase. */
static void write_relief(FILE *file, const struct replay *replay)
{
    const struct relief *relief = &replay->relief;
    if (!replay->has_ground || relief->depth_m == 0)
        return;
    fprintf(file, "\"relief\": {\"depth\": %.6g, \"length\": %.6g, \"waves\": [", relief->depth_m,
            relief->wavelength_m);
    for (int i = 0; i < RELIEF_WAVES; i++)
        fprintf(file, "%s[%.9g, %.9g, %.9g]", i ? ", " : "", relief->waves[i].x, relief->waves[i].z,
                relief->waves[i].phase_rad);
    fputs("]},\n", file);
}

void page_write_creature(FILE *file, const struct replay *replay, const struct page_brain *brain)
{
    fputs("\"name\": ", file);
    page_write_string(file, replay->name);
    fputs(", \"score\": ", file);
    page_write_string(file, replay->score);
    fputs(", \"detail\": ", file);
    page_write_string(file, replay->detail);
    fputs(", \"off\": ", file);
    page_write_string(file, replay->off);
    fprintf(file,
            ", \"status\": \"%s\", \"verdict\": \"%s\",\n\"medium\": \"%s\", \"ground\": %d, "
            "\"ring\": %.6g, \"light\": %d, \"width\": %.4g, \"height\": %.4g, \"frames\": %d, "
            "\"effectors\": %d, \"most\": %.4g,\n",
            replay_status_names[replay->status], verdict_name(replay->verdict),
            replay_medium_names[replay->medium], replay->has_ground, replay->ring_m,
            replay->has_light, camera_body_width(replay), replay->height_m,
            page_frame_count(replay), replay->effector_count, replay->fitness_most);
    write_relief(file, replay);
    write_parts(file, replay);
    write_shapes(file, replay);
    write_drives(file, replay);
    write_obstacles(file, replay);
    write_solids(file, replay);
    write_brain(file, replay, brain);
    fputs("\"voices\": [", file);
    for (int i = 0; i < brain->voice_count; i++)
        fprintf(file, "%s%.5g", i ? ", " : "", replay->voice_hz[i]);
    fputs("]", file);
}

static void write_palette(FILE *file, const char *name, int is_dark)
{
    fprintf(file, ", \"%s\": {", name);
    for (int i = 0; i < COLOR_COUNT; i++)
        fprintf(file, "%s\"%s\": \"#%06x\"", i ? ", " : "", palette[i].name,
                (unsigned)(is_dark ? palette[i].dark : palette[i].light));
    fputs("}", file);
}

void page_write_constants(FILE *file)
{
    fprintf(file, "\"hz\": %g, \"unit\": %g", PAGE_HZ, PAGE_UNIT);
    write_palette(file, "light", 0);
    write_palette(file, "dark", 1);
}
