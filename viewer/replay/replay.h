/* Replays: a creature simulated again by evaluate_list(), recorded, and compared with its record.
 *
 * A replay is what every view and export draws from: shapes of the parts and one row per brain tick
 * with poses, values of the drives, effector signals, neuron outputs, contacts and energies.
 * Coordinates are shifted so that the centre of mass starts at x = 0 (but in contests), and at
 * y = 0 where there is nothing to stand on; those of a creature in space are turned so that it goes
 * along x. Sizes: a row of a ten-part creature is about 1 kB, ten seconds at 60 Hz about 600 rows.
 * Memory is bounded by REPLAY_BYTES_MAX: a longer replay keeps every second, fourth, ... tick. */
#ifndef VIEWER_REPLAY_REPLAY_H
#define VIEWER_REPLAY_REPLAY_H

#include "common/creature/verify.h"
#include "common/genome/genome.h"
#include "common/params/obstacles.h"
#include "simulator/evaluate/evaluate.h"

#define REPLAY_BYTES_MAX    (32u << 20)
#define REPLAY_CONTACTS_MAX 24 /* kept per row */
#define REPLAY_PARTS_MAX    64 /* the upper bound of creature.parts_max */
#define REPLAY_DRIVES_MAX   384
#define REPLAY_CUTS_MAX     64

enum replay_status {
    REPLAY_VERIFIED = RECORD_VERIFIED,
    REPLAY_DIFFERS = RECORD_DIFFERS,
    REPLAY_UNRECORDED = RECORD_UNRECORDED, /* also: replayed by other parameters, or a scene */
    REPLAY_OTHER_VERSION = RECORD_OTHER_VERSION,
    REPLAY_REFUSED = RECORD_REFUSED,
    REPLAY_CHANGED = RECORD_STATUS_COUNT, /* without some neurons or wires: see struct replay_cut */
    REPLAY_STATUS_COUNT
};
extern const char *const replay_status_names[REPLAY_STATUS_COUNT];

/* The visible surroundings of a creature. */
enum replay_medium {
    REPLAY_SKY,   /* over the ground, under gravity or in nothing */
    REPLAY_WATER, /* resists, and carries what is in it */
    REPLAY_AIR,   /* neither ground nor water */
    REPLAY_MEDIUM_COUNT
};
extern const char *const replay_medium_names[REPLAY_MEDIUM_COUNT];

struct replay_part {
    int parent, mirror;
    int body; /* row of the gene it was made of */
    /* the first drive of a joint at one place, on which it hangs on its parent; else -1 */
    int joint;
    struct vec3 anchor; /* that place, in its own frame, m */
    struct vec3 base; /* and in the parent's frame; of a joint that slides: where it slides from */
    uint64_t sensors; /* set of SENSOR_BIT() */
    int color;        /* which of the palette's colours of parts it has */
    int is_head;
};

struct replay_drive {
    int part;
    int axis; /* 1: the second of a joint that has two */
    int is_linear;
    double lower, upper; /* rad; linear: m */
    int effector;        /* or -1 */
    double signal_full;  /* a signal of its effector that is drawn as strong */
    double strength;     /* of its effector: the greatest torque, N m (linear: force, N) */
    int rod;             /* the shape whose length it is, or -1 */
    /* For a joint at one place, else 0: what it slides along or turns about, and where the part is
     * from there, across that, when the value is 0: units. In the parent's frame; of the second and
     * third axes of a joint in the part's, as if their value were 0. */
    struct vec3 way, hand;
};

/* A cut in a brain, which shows its use: all that reads a neuron, one input of
 * a neuron, or the input of an effector, reads 0 instead. */
enum replay_cut_kind { CUT_NONE, CUT_NEURON, CUT_NEURON_INPUT, CUT_EFFECTOR_INPUT };
struct replay_cut {
    enum replay_cut_kind kind;
    int index; /* of the neuron or the effector */
    int input; /* of a neuron */
};

/* A part's centre and its turn, a unit quaternion. */
struct replay_pose {
    float x_m, y_m, z_m;
    float turn_w, turn_x, turn_y, turn_z;
};

struct replay_contact {
    float x_m, y_m, z_m, normal_x, normal_y, normal_z, impulse_n_s;
};

/* The sounds of a creature in a tick, each 0 .. 1: the loudest of its emitters of sound,
 * and what it hit since the row before, as loud as other creatures hear it. */
struct replay_sound {
    float call, blow;
};
/* The creatures of a contest. */
#define REPLAY_VOICES_MAX 2

/* A box that stands in the world: centre, half sides, turn. */
struct replay_solid {
    struct vec3 at_m, half_m;
    struct quaternion turn;
};

/* The figures of the energy ledger, J: name, words, and what it is of struct ledger *l. */
#define REPLAY_ENERGIES(X)                                                                         \
    X(kinetic_j, "kinetic", l->kinetic_j)                                                          \
    X(potential_j, "potential", l->potential_j)                                                    \
    X(work_j, "work of effectors", l->work_effector_j)                                             \
    X(friction_j, "lost to friction", l->loss_friction_j)                                          \
    X(impact_j, "lost to impacts", l->loss_impact_j)                                               \
    X(limit_j, "lost at limits", l->loss_limit_j)                                                  \
    X(drag_j, "lost to the medium", l->loss_drag_j)                                                \
    X(damping_j, "lost to damping", l->loss_damping_j)                                             \
    X(unearned_j, "unearned gain", l->gain_push_out_j + l->gain_impact_j + l->gain_limit_j)        \
    X(residual_j, "residual", l->residual_j)
enum replay_energy {
#define X(name, text, value) ENERGY_##name,
    REPLAY_ENERGIES(X)
#undef X
        ENERGY_COUNT
};
extern const char *const replay_energy_names[ENERGY_COUNT];

/* One moment; the pointers lead into the replay. */
struct replay_frame {
    double time_s;
    struct vec3 centre; /* of mass */
    struct vec3 light;  /* where replay.has_light */
    const struct replay_pose *poses;
    const float *values;               /* by drive, rad; linear: m */
    const float *signals;              /* by effector */
    const float *torques;              /* by effector, N m; linear drives: N */
    const float *neurons;              /* by neuron */
    const float *sensors;              /* by part and enum sensor: SENSOR_COUNT for each part */
    const float *energies;             /* by enum replay_energy */
    double fitness;                    /* it would have if the scored time ended here */
    const struct replay_sound *sounds; /* by voice */
    const struct replay_contact *contacts;
    int contact_count;
};

struct replay {
    char name[64]; /* clean UTF-8, as all texts here */
    /* "fitness 1.83"; where the record is the least over trials "fitness 1.8 (this start: 1.83)",
     * where it is wrong "fitness 1.83, recorded 99"; or what it did where no fitness is known or
     * there is no goal; "champion, " before it where it passed the exam of its run */
    char score[96];
    enum replay_status status;
    char detail[RECORD_DETAIL_SIZE]; /* why it differs, or empty */
    /* what of its genes, of a contest one after the other, the parameters switch off; or empty */
    char off[2 * (GENE_SWITCH_TEXT_SIZE + 8)];
    int verdict;
    struct measures measures; /* of this simulation */
    uint64_t digest;
    int has_goal;                       /* 0: parents are chosen by hand, and the fitness is 1 */
    double fitness;                     /* of this simulation */
    double fitness_most, fitness_least; /* of its frames; least: at most 0 */
    uint64_t id;                        /* 0: not known */
    struct replay_cut cuts[REPLAY_CUTS_MAX];
    int cut_count;

    struct replay_part *parts;
    /* shapes[i] is that of parts[i]; then rods, of which rails of joints that slide are the last */
    struct shape *shapes;
    struct replay_drive *drives;
    struct neuron *neurons;
    struct effector *effectors;
    int part_count, shape_count, drive_count, neuron_count, effector_count;
    double voice_hz[REPLAY_VOICES_MAX]; /* how high each creature calls */
    int voice_count;
    double ring_m;           /* radius of a contest's ring around its middle; 0: there is none */
    int keeps_place;         /* x is that of the world: a contest's middle is 0 */
    int has_depth;           /* some shape is not flat: the scene can be seen from all sides */
    double obstacle_depth_m; /* in depth obstacles reach so far to either side of z = 0 */
    int has_ground, has_light, is_torque_mode;
    struct relief relief;        /* of the ground; shifted as the coordinates are */
    struct obstacles obstacles;  /* shifted as the coordinates are */
    struct replay_solid *solids; /* of scenes in depth, which have no obstacles; likewise */
    int own_solid_count;
    enum replay_medium medium;
    double gravity_m_s2;
    /* Greatest extents over all frames of the body, or of those of its parts that the camera is to
     * frame; the larger of width and height. */
    double width_m, height_m, depth_m, size_m;
    int framed_first, framed_count; /* these parts; 0: all */
    /* How rows stand to the world: turned, then shifted back by so much; see replay_place_row(). */
    struct quaternion turned;
    float shifted_x_m, shifted_y_m;
    int is_placed;

    double frame_s; /* time from row to row */
    int frame_count;
    float *rows;
    size_t row_floats;
};

/* Simulates and records, without some of its brain: at most REPLAY_CUTS_MAX cuts; those that point
 * nowhere are left out. With any, the status is REPLAY_CHANGED. is_recorded: params and seed are
 * those of the creature's recorded evaluation, so that the result can be compared. Fails with a
 * message where nothing can be shown. */
int replay_create(struct replay **replay, const struct creature *creature,
                  const struct params *params, uint64_t seed, int is_recorded,
                  const struct replay_cut *cuts, int cut_count, struct error *error);
/* A scene in three dimensions (docs/scenes.md), from its start to its end; status:
 * REPLAY_UNRECORDED. */
int replay_create_scene(struct replay **replay, const char *path, struct error *error);
/* A bout of a contest (common/judge/contest.h): all that its replay depends on. It owns its
 * creatures. */
struct replay_bout {
    struct creature creatures[2]; /* the first is drawn blue, the second red */
    struct params params;         /* after contest_apply() */
    uint64_t seed;
    int number;      /* of contest_make_bout(), from 1 */
    int follow;      /* the camera follows the first (0), the second (1), or both (-1) */
    int is_recorded; /* it has a digest */
    uint64_t digest;
};
/* Shows the bodies of both and of the object. Fails with a message if such creatures cannot meet. */
int replay_create_bout(struct replay **replay, const struct replay_bout *bout, struct error *error);
/* Its creatures' memory. */
void replay_bout_deinit(struct replay_bout *bout);
/* Sets the world by the parameters, without obstacles. For recording. */
void replay_describe_world(struct replay *replay, const struct params *params);
/* The invariants of a replay. */
void replay_check(const struct replay *replay);
void replay_destroy(struct replay *replay); /* NULL is allowed */

/* A replay of a life that can be changed on its way: from a tick on it is lived and recorded anew.
 * The camera's sizes and the places of all rows stay those of the life that was not changed. */
struct replay_live;
/* How a life is compared: with nothing; with its record; with nothing, because the creature or its
 * brain was changed, and then no guard ends the life. */
enum replay_origin { REPLAY_UNKNOWN, REPLAY_RECORDED, REPLAY_PLAYED };
/* As replay_create(), in an arena of so many bytes; the creature must outlive it. With cuts it is
 * played with. */
int replay_live_open(struct replay_live **live, const struct creature *creature,
                     const struct params *params, uint64_t seed, enum replay_origin origin,
                     const struct replay_cut *cuts, int cut_count, size_t arena_bytes,
                     struct error *error);
const struct replay *replay_live_replay(const struct replay_live *live);
void replay_live_close(struct replay_live *live); /* NULL is allowed */
/* Goes back to the last snapshot at or before a tick, which is its result: changes at that
 * tick or later are undone, and the rows behind it are gone. ERR_MISSING: it never had a body. */
int replay_live_back(struct replay_live *live, int tick);
/* Goes on to a tick, as far as there are any. 0 or ERR_MEMORY. */
int replay_live_go(struct replay_live *live, int tick);
/* Changes the world from now on: a parameter of the section `world`, or a pull, along the replay's
 * axes. */
int replay_live_change(struct replay_live *live, const char *key, const char *value,
                       struct error *error);
void replay_live_pull(struct replay_live *live, struct vec3 pull_m_s2);
/* Puts the light at a place of the replay, where it stays from now on; without a light it has no
 * effect. */
void replay_live_hold_light(struct replay_live *live, struct vec3 at_m);
/* Lives on to the end. A life without changes compares with its record again. */
void replay_live_finish(struct replay_live *live);

int replay_is_same_cut(const struct replay_cut *a, const struct replay_cut *b);
/* 1 if that is cut. */
int replay_is_cut(const struct replay *replay, const struct replay_cut *cut);

double replay_duration(const struct replay *replay); /* time of the last frame, s */
/* 0 <= index < frame_count. */
struct replay_frame replay_get_frame(const struct replay *replay, int index);
/* The last frame at or before the time (clamped to the replay). */
int replay_frame_index(const struct replay *replay, double time_s);
struct replay_frame replay_frame_at(const struct replay *replay, double time_s);
/* A moment between two frames: poses, drives and the centre of mass are as they are then;
 * values by ticks, such as signals and contacts, are those of the frame before. */
struct replay_moment {
    struct replay_frame frame; /* points to the arrays below: do not copy the struct */
    struct replay_pose poses[REPLAY_PARTS_MAX];
    float values[REPLAY_DRIVES_MAX];
};
void replay_get_moment(const struct replay *replay, double time_s, struct replay_moment *moment);

struct replay_pose replay_pose_of(struct vec3 at_m, struct quaternion turn);
struct vec3 replay_pose_centre(const struct replay_pose *pose);
struct quaternion replay_pose_quaternion(const struct replay_pose *pose);
/* A direction of a part's frame in the world; and a place. */
struct vec3 replay_pose_turn(const struct replay_pose *pose, struct vec3 way);
struct vec3 replay_pose_place(const struct replay_pose *pose, struct vec3 at);
/* A place of the world in the part's frame. */
struct vec3 replay_pose_back(const struct replay_pose *pose, struct vec3 at);
/* 1 if there is something to stand on: ground or obstacles. */
int replay_has_floor(const struct replay *replay);
/* Things in a world with depth: obstacles, which reach to both sides, and solids. */
int replay_solid_count(const struct replay *replay);
struct replay_solid replay_get_solid(const struct replay *replay, int index);
/* The corners of an obstacle, counter-clockwise. */
void replay_get_obstacle(const struct replay *replay, int index, struct vec2 corners[4]);
/* Height of the surface below a point: the ground's or an obstacle's; 0 if there is none (returns
 * 0). */
int replay_find_surface(const struct replay *replay, double x_m, double y_m, double *height_m);
/* A shape as it is at a moment, with its values by drive: a box that stretches has other sides. */
struct shape replay_shape_now(const struct replay *replay, int index, const float *values);
/* A place of a part's frame at birth, where it is now in that frame; `back`: the other way. */
struct vec3 replay_place_now(const struct replay *replay, int part, const float *values,
                             struct vec3 at, int back);
/* Where a ball or box reaches farthest in a direction of the world. */
struct vec3 replay_shape_reach(const struct shape *shape, const struct replay_pose *pose,
                               struct vec3 way);
/* min x, min y, max x, max y of the parts, m. */
void replay_get_bounds(const struct replay *replay, const struct replay_pose *poses,
                       const float *values, double bounds[4]);

/* Adds to `off` what of a genome the parameters switch off, behind "who"; where all is on,
 * nothing. */
void replay_put_off(struct replay *replay, const struct genome *genome, const struct params *params,
                    const char *who);
/* A number of a body's plan: which gene grows on which, and which are pairs. Kin have the same one,
 * whatever their sizes. */
uint64_t replay_plan(const struct replay *replay);
/* Whether another part is the mirror image of a part. */
int replay_has_twin(const struct replay *replay, int part);
/* Copies a text of foreign origin as printable UTF-8: control characters, quotes' escapes and
 * malformed bytes become '?'. */
void replay_clean_text(const char *text, char *clean, size_t size);

/* The next row of a replay whose tables are filled, with its frame's parts to be written by the
 * caller; NULL when memory is out. For recording, and for tests that make replays by hand. */
struct replay_row {
    float *centre; /* x, y, z */
    float *light;  /* x, y, z */
    struct replay_pose *poses;
    float *values, *signals, *torques, *neurons, *sensors, *energies;
    float *fitness, *contact_count;
    struct replay_sound *sounds;
    struct replay_contact *contacts;
};
int replay_append(struct replay *replay, struct replay_row *row);
/* Keeps every second row, twice as long after one another, of a replay that is full; 1 if it was.
 * */
int replay_thin_full(struct replay *replay);
/* Takes the tables of as many parts, drives ... as are counted; shapes have room for rails. 0,
 * ERR_LIMIT or ERR_MEMORY. */
int replay_make_tables(struct replay *replay);
/* Where a part is at birth. */
struct replay_place {
    struct vec3 at_m;
    struct quaternion turn;
};
/* Hangs a part on its parent by a joint at one place: the first of its drives, how many, and what
 * each turns about or slides along; all in one frame, in which parent and part are at birth. A
 * joint that slides gets a rail, for which the shapes must have room. */
void replay_hang(struct replay *replay, int part, int first_drive, int count,
                 const struct vec3 *ways, struct vec3 anchor, struct replay_place parent,
                 struct replay_place own);
size_t replay_row_bytes(const struct replay *replay);
/* Drives and joints of a body, whose parts and drives begin at these rows; both and the shapes are
 * counted already. */
void replay_put_joints(struct replay *replay, const struct phenotype *phenotype, int first_part,
                       int first_drive);
/* How high a creature of that mass calls, Hz. */
double replay_voice_hz(double mass_kg);
/* The sounds of one creature. lost_before_j: what blows had taken at the row before, J;
 * negative: there is none. */
void replay_put_sound(struct replay_sound *sound, const struct evaluate_view *view,
                      const struct params *params, double *lost_before_j);
/* Three numbers of a row: its centre of mass, its light. */
void replay_put_vector(float *to, struct vec3 vector);
/* Poses, values and efforts of a body whose parts and drives begin at these. */
void replay_put_body(const struct replay *replay, struct replay_row *row,
                     const struct dynamics *dynamics, const struct phenotype *phenotype,
                     int first_part, int first_drive);
void replay_put_ledger(struct replay_row *row, const struct ledger *ledger);
/* The first of them; impulses are multiplied by per_step. */
void replay_put_contacts(struct replay_row *row, const struct contact_point *points, int count,
                         double per_step);
/* The look of a medium that resists so much (Pa s or kg/m^2; in space Pa s/m or kg/m^3) under
 * that gravity. */
enum replay_medium replay_choose_medium(double drag, double gravity_m_s2, int has_ground);
/* The direction of the level way of the centre of mass from start to end, a unit; along x where
 * that is shorter than 10 cm. There must be a row. */
struct vec3 replay_level_way(const struct replay *replay);
/* Turns all rows of a scene with depth about the vertical, so that this way leads along x; not
 * where something stands in the world. After the last row. */
void replay_turn_to_way(struct replay *replay);
/* Brings a row of the world to where those of the replay are, once these are placed. */
void replay_place_row(const struct replay *replay, struct replay_row *row);
/* Shifts all rows so that the first centre of mass is the origin (see the head of this file) and
 * computes size_m. Call once, after that. */
void replay_finish(struct replay *replay);

#endif
