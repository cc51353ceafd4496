/* HTML: one page that plays the replays in any browser, without a network.
 *
 * Motion is stored as poses at 30 Hz: each channel (x and y of the centre of mass, x, y and angle of
 * every part (of spheres the depth instead), fitness so far, torques, signals of the brain, contacts) as
 * differences of whole multiples of 0.5 mm or 0.5 mrad, zigzag coded in 16 bits, all low bytes before all
 * high bytes, deflated, base64. Differences are taken from what the reader has decoded so far, so that
 * rounding never adds up. About 15 kB for 10 s of a creature. */
#include "viewer/export/export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/html.h"
#include "common/genome/neuron.h"
#include "common/genome/sensor.h"
#include "common/body/sphere_body.h"
#include "viewer/export/export_html_page.inc"
#include "viewer/export/export_html_spheres.inc"
#include "viewer/draw/palette.h"

#define HTML_HZ    30.0
#define HTML_UNIT  0.0005 /* m and rad */
#define DIFFERENCE 32767
/* Torques need no finer steps: a share of the strength in so many. */
#define TORQUE_STEPS 20

/* Text inside a JavaScript string: '<' is escaped too, so that no text can end the script. */
static void write_string(FILE *file, const char *text)
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

static void write_base64(FILE *file, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        unsigned word = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                        (left > 2 ? bytes[i + 2] : 0);
        fputc(digits[word >> 18], file);
        fputc(digits[word >> 12 & 63], file);
        fputc(left > 1 ? digits[word >> 6 & 63] : '=', file);
        fputc(left > 2 ? digits[word & 63] : '=', file);
    }
}

/* ---- motion ---- */

static int html_frame_count(const struct replay *replay)
{
    return (int)(replay_duration(replay) * HTML_HZ + 1e-6) + 1;
}

/* Most nodes of a brain that a page shows; wires of others are left out. */
#define NODES_MAX    192
#define CONTACTS_MAX 8
/* Impulses in steps of a share of what carries the body for a 240th of a second, up to three times that. */
#define IMPULSE_STEPS 20
#define IMPULSE_MOST  3.0

/* What the page's graph of the brain consists of: sensors that are read, neurons, effectors. */
enum node_kind { NODE_SENSOR, NODE_NEURON, NODE_EFFECTOR };
struct node {
    enum node_kind kind;
    int part;  /* -1: the central set */
    int index; /* sensor of the part, neuron, effector */
};
struct page_brain {
    struct node nodes[NODES_MAX];
    int count;
    int contact_count; /* most at once of those that are kept */
};

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
    if (brain->count < NODES_MAX && brain_find(brain, kind, part, index) < 0)
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

static void brain_survey(struct page_brain *brain, const struct replay *replay)
{
    memset(brain, 0, sizeof *brain);
    for (int e = 0; e < replay->effector_count; e++)
        brain_add(brain, NODE_EFFECTOR, replay->links[replay->effectors[e].link].part, e);
    for (int i = 0; i < replay->neuron_count; i++)
        brain_add(brain, NODE_NEURON, replay->neurons[i].part, i);
    for (int e = 0; e < replay->effector_count; e++)
        brain_add_source(brain, &replay->effectors[e].input);
    for (int i = 0; i < replay->neuron_count; i++)
        for (int k = 0; k < count_inputs(replay, i); k++)
            brain_add_source(brain, &replay->neurons[i].inputs[k]);
    for (int f = 0; f < html_frame_count(replay); f++) {
        struct replay_frame frame;
        replay_get_frame(replay, replay_frame_index(replay, f / HTML_HZ), &frame);
        if (frame.contact_count > brain->contact_count)
            brain->contact_count = frame.contact_count;
    }
    if (brain->contact_count > CONTACTS_MAX)
        brain->contact_count = CONTACTS_MAX;
}

/* Channels of a frame: centre of mass, poses, the light if there is one, the fitness so far as a share of
 * its greatest, the torque of each effector as a share of its strength, the signal of each node of the
 * brain, and of each contact place, angle of its normal and impulse (0: there is none). Contacts of spheres
 * have the third coordinate and the three of the impulse instead; then follow the angles of their joints. */
#define CHANNELS_MAX                                                                               \
    (5 + 3 * REPLAY_PARTS_MAX + SPHERE_BONES_MAX + 4 * SPHERE_JOINTS_MAX + NODES_MAX +             \
     6 * CONTACTS_MAX)

static size_t contact_channels(const struct replay *replay)
{
    return replay->is_spheres ? 6 : 4;
}

/* Drives of spheres that are no muscles. */
static int is_joint(const struct replay *replay, int link)
{
    for (int i = 0; i < replay->bone_count; i++)
        if (replay->bones[i].link == link)
            return 0;
    return replay->is_spheres;
}

static int count_joints(const struct replay *replay)
{
    int count = 0;
    for (int i = 0; i < replay->link_count; i++)
        count += is_joint(replay, i);
    return count;
}

static size_t count_channels(const struct replay *replay, const struct page_brain *brain)
{
    return 2 + 3 * (size_t)replay->part_count + (replay->has_light ? 2 : 0) + 1 +
           (size_t)replay->effector_count + (size_t)brain->count +
           contact_channels(replay) * (size_t)brain->contact_count + (size_t)count_joints(replay);
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
    double full = replay->links[replay->effectors[node->index].link].signal_full;
    return full > 0 ? frame->signals[node->index] / full : 0;
}

static double round_impulse(double share)
{
    return floor(share * IMPULSE_STEPS + 0.5) / IMPULSE_STEPS;
}

/* Where there is no contact, place and angle stay as they were: that costs no bytes. */
static void read_contact(const struct replay *replay, const struct replay_frame *frame, int index,
                         double *values)
{
    values[3] = 0;
    if (replay->is_spheres)
        values[4] = values[5] = 0;
    if (index >= frame->contact_count)
        return;
    const struct replay_contact *contact = &frame->contacts[index];
    double weight = fmax(replay->measures.mass_kg, 1e-6) * fmax(replay->gravity_m_s2, 1) / 240;
    double share = fmin(contact->impulse_n_s / weight, IMPULSE_MOST);
    values[0] = contact->x_m;
    values[1] = contact->y_m;
    share = fmax(round_impulse(share), 1.0 / IMPULSE_STEPS);
    if (replay->is_spheres) {
        values[2] = contact->z_m;
        values[3] = round_impulse(share * (double)contact->normal_x);
        values[4] = round_impulse(share * (double)contact->normal_y);
        values[5] = round_impulse(share * (double)contact->normal_z);
        return;
    }
    values[2] = floor(atan2(contact->normal_y, contact->normal_x) * 100 + 0.5) / 100;
    values[3] = share;
}

/* values: those of the frame before. */
static void read_channels(const struct replay *replay, const struct page_brain *brain,
                          double time_s, double values[CHANNELS_MAX])
{
    struct replay_pose poses[REPLAY_PARTS_MAX];
    struct vec2 centre;
    struct replay_frame frame;
    size_t at = 0;
    float depths[REPLAY_PARTS_MAX];
    replay_sample(replay, time_s, poses, &centre);
    replay_sample_depths(replay, time_s, depths);
    replay_get_frame(replay, replay_frame_index(replay, time_s), &frame);
    values[at++] = centre.x;
    values[at++] = centre.y;
    for (int p = 0; p < replay->part_count; p++) {
        values[at++] = poses[p].x_m;
        values[at++] = poses[p].y_m;
        values[at++] = replay->is_spheres ? depths[p] : poses[p].angle_rad;
    }
    if (replay->has_light) {
        values[at++] = frame.light.x;
        values[at++] = frame.light.y;
    }
    values[at++] = replay->fitness_most > 0 ? frame.fitness / replay->fitness_most : 0;
    for (int e = 0; e < replay->effector_count; e++) {
        double strength = replay->links[replay->effectors[e].link].strength;
        values[at++] = round_share(strength > 0 ? frame.torques[e] / strength : 0);
    }
    for (int i = 0; i < brain->count; i++)
        values[at++] = round_share(node_signal(replay, &frame, &brain->nodes[i]));
    for (int i = 0; i < brain->contact_count; i++, at += contact_channels(replay))
        read_contact(replay, &frame, i, values + at);
    for (int i = 0; i < replay->link_count; i++)
        if (is_joint(replay, i))
            values[at++] = frame.joints_rad[i];
}

/* Two planes of channels x frames bytes each; the caller frees. NULL: out of memory. */
static unsigned char *encode_motion(const struct replay *replay, const struct page_brain *brain,
                                    size_t *length)
{
    size_t frames = (size_t)html_frame_count(replay);
    size_t channels = count_channels(replay, brain), plane = channels * frames;
    unsigned char *bytes = malloc(2 * plane);
    int64_t decoded[CHANNELS_MAX] = {0};
    double values[CHANNELS_MAX] = {0};
    ENSURE(channels <= CHANNELS_MAX, "%zu channels", channels);
    if (!bytes)
        return NULL;
    for (size_t f = 0; f < frames; f++) {
        read_channels(replay, brain, (double)f / HTML_HZ, values);
        for (size_t k = 0; k < channels; k++) {
            double wanted = floor(values[k] / HTML_UNIT + 0.5) - (double)decoded[k];
            int step = (int)fmin(fmax(wanted, -DIFFERENCE), DIFFERENCE);
            unsigned code = step < 0 ? (unsigned)(-step) * 2 - 1 : (unsigned)step * 2;
            decoded[k] += step;
            bytes[k * frames + f] = (unsigned char)code;
            bytes[plane + k * frames + f] = (unsigned char)(code >> 8);
        }
    }
    *length = 2 * plane;
    return bytes;
}

/* Deflates and writes as a base64 string. 0 or ERR_MEMORY. */
static int write_motion(FILE *file, const struct replay *replay, const struct page_brain *brain)
{
    size_t length = 0;
    unsigned char *bytes = encode_motion(replay, brain, &length);
    uLongf packed_length = compressBound((uLong)length);
    unsigned char *packed = malloc(packed_length);
    int is_packed =
        bytes && packed && compress2(packed, &packed_length, bytes, (uLong)length, 9) == Z_OK;
    if (is_packed) {
        fputc('"', file);
        write_base64(file, packed, packed_length);
        fputc('"', file);
    }
    free(bytes);
    free(packed);
    return is_packed ? 0 : ERR_MEMORY;
}

/* ---- the page ---- */

static void write_palette(FILE *file, const char *name, int is_dark)
{
    fprintf(file, "%s: {", name);
    for (int i = 0; i < COLOR_COUNT; i++)
        fprintf(file, "%s%s: \"#%06x\"", i ? ", " : "", palette[i].name,
                (unsigned)(is_dark ? palette[i].dark : palette[i].light));
    fputs("},\n", file);
}

/* The angle of a part against its parent when its joint is at 0. */
static double rest_angle(const struct replay *replay, const struct replay_part *part, int index)
{
    struct replay_frame frame;
    replay_get_frame(replay, 0, &frame);
    double turned = part->is_linear ? 0 : (double)frame.joints_rad[part->link];
    return (double)frame.poses[index].angle_rad - (double)frame.poses[part->parent].angle_rad -
           turned;
}

/* Width, height, row of the body gene, parent, joint (0 none, 1 hinge, 2 linear), effector (-1: none), anchor x and
 * y, base x and y; of those with a joint its limits, angle at rest, and of linear ones the axis' angle. */
static void write_parts(FILE *file, const struct replay *replay)
{
    fputs("parts: [", file);
    for (int i = 0; i < replay->part_count; i++) {
        const struct replay_part *part = &replay->parts[i];
        const struct replay_link *link = &replay->links[part->link];
        int joint = part->is_linear ? 2 : part->is_hinged;
        fprintf(file, "%s[%.4g, %.4g, %d, %d, %d, %d, %.4g, %.4g, %.4g, %.4g", i ? ", " : "",
                part->width_m, part->height_m, part->body, part->parent, joint,
                joint ? link->effector : -1, part->anchor.x, part->anchor.y, part->base.x,
                part->base.y);
        if (joint)
            fprintf(file, ", %.4g, %.4g, %.4g, %.4g", link->lower, link->upper,
                    rest_angle(replay, part, i), atan2(link->axis.y, link->axis.x));
        fputs("]", file);
    }
    fputs("],\n", file);
}

/* Of spheres: ends, length at birth, effector (-1: none) and limits of each bone; part, effector, limits and
 * side (-1: a saddle's second axis, left) of each joint. */
static void write_bones(FILE *file, const struct replay *replay)
{
    if (!replay->is_spheres)
        return;
    fprintf(file, "depth: %.6g, bones: [", replay->obstacle_depth_m);
    for (int i = 0; i < replay->bone_count; i++) {
        const struct replay_bone *bone = &replay->bones[i];
        const struct replay_link *link = bone->link < 0 ? NULL : &replay->links[bone->link];
        fprintf(file, "%s[%d, %d, %.5g, %d, %.5g, %.5g]", i ? ", " : "", bone->a, bone->b,
                bone->length_m, link ? link->effector : -1, link ? link->lower : 0,
                link ? link->upper : 0);
    }
    fputs("],\njoints: [", file);
    for (int i = 0, count = 0; i < replay->link_count; i++) {
        const struct replay_link *link = &replay->links[i];
        if (!is_joint(replay, i))
            continue;
        int is_second = i > 0 && is_joint(replay, i - 1) && replay->links[i - 1].part == link->part;
        fprintf(file, "%s[%d, %d, %.4g, %.4g, %d]", count++ ? ", " : "", link->part, link->effector,
                link->lower, link->upper, is_second ? -1 : 1);
    }
    fputs("],\n", file);
}

/* Centre, sides and angle of each obstacle. */
static void write_obstacles(FILE *file, const struct replay *replay)
{
    fputs("obstacles: [", file);
    for (int i = 0; i < replay->obstacles.count; i++) {
        const struct obstacle *o = &replay->obstacles.list[i];
        fprintf(file, "%s[%.6g, %.6g, %.6g, %.6g, %.6g]", i ? ", " : "", o->x_m, o->y_m, o->width_m,
                o->height_m, o->angle_rad);
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
    fprintf(file, "contacts: %d, nodes: [", brain->contact_count);
    for (int i = 0; i < brain->count; i++) {
        const struct node *node = &brain->nodes[i];
        const char *name = node->kind == NODE_SENSOR ? sensors[node->index].name
                           : node->kind == NODE_NEURON
                               ? neuron_functions[replay->neurons[node->index].function].name
                               : "effector";
        fprintf(file, "%s[%d, %d, \"%s\"]", i ? ", " : "", (int)node->kind, node->part, name);
    }
    fputs("],\nwires: [", file);
    for (int i = 0; i < brain->count; i++) {
        const struct node *node = &brain->nodes[i];
        if (node->kind == NODE_EFFECTOR)
            write_wire(file, brain, &replay->effectors[node->index].input, i, &count);
        for (int k = 0; node->kind == NODE_NEURON && k < count_inputs(replay, node->index); k++)
            write_wire(file, brain, &replay->neurons[node->index].inputs[k], i, &count);
    }
    fputs("],\n", file);
}

static int write_creature(FILE *file, const struct replay *replay)
{
    struct page_brain brain;
    brain_survey(&brain, replay);
    fputs("{name: ", file);
    write_string(file, replay->name);
    fputs(", score: ", file);
    write_string(file, replay->score);
    fputs(", detail: ", file);
    write_string(file, replay->detail);
    fprintf(file,
            ", status: \"%s\", verdict: \"%s\",\nmedium: \"%s\", ground: %d, light: %d, "
            "width: %.4g, height: %.4g, frames: %d, effectors: %d, most: %.4g,\n",
            replay_status_names[replay->status], verdict_name(replay->verdict),
            replay_medium_names[replay->medium], replay->has_ground, replay->has_light,
            replay->width_m, replay->height_m, html_frame_count(replay), replay->effector_count,
            replay->fitness_most);
    write_parts(file, replay);
    write_obstacles(file, replay);
    write_bones(file, replay);
    write_brain(file, replay, &brain);
    fputs("data: ", file);
    int status = write_motion(file, replay, &brain);
    fputs("},\n", file);
    return status;
}

int export_html(const struct export_job *job, const char *path, struct error *error)
{
    FILE *file = fopen(path, "w");
    int status = 0;
    if (!file)
        return error_set(error, ERR_IO, "%s: %s", job->path, strerror(errno));
    fputs(page_start, file);
    html_write(file, job->replays[0]->name);
    fputs(" - Bestiary", file);
    fputs(page_style, file);
    fprintf(file, "{hz: %g, metres: %g, radians: %g,\n", HTML_HZ, HTML_UNIT, HTML_UNIT);
    write_palette(file, "light", 0);
    write_palette(file, "dark", 1);
    fputs("creatures: [\n", file);
    for (int i = 0; i < job->count && !status; i++)
        status = write_creature(file, job->replays[i]);
    fputs("]}", file);
    fputs(page_spheres, file);
    fputs(page_script, file);
    int is_written = !ferror(file) && !fflush(file);
    is_written &= !fclose(file);
    if (status)
        return error_set(error, status, "%s: %s", job->path, error_text(status));
    if (!is_written)
        return error_set(error, ERR_IO, "%s: cannot be written", job->path);
    return 0;
}
