/* Mating: crossover and grafting.
 *
 * Crossover works on a chromosome of slots: the central set's neurons, then each body gene followed
 * by its connections and its neurons. A slot holds a row of one parent or of both: rows with the
 * same id belong together, and between two such pairs the remaining rows of both sides are paired
 * by position, so that unrelated parents align as well (Sims aligned by position only). Reading
 * starts with parent a and changes sides at each crossing point; a slot that the side being read
 * does not have is left out, and with a body gene all its rows. References are translated by slots
 * (to a gene's partner where the partner was taken) and those that lead nowhere are drawn again.
 *
 * The result is tidied. An attempt that outgrows a table or has nothing but a root left is repeated
 * with other draws; after MATE_TRIES the child is a copy of parent a. */
#include "common/genetics/genetics.h"

#include <string.h>

#include "common/genetics/genetics_random.h"
#include "common/genetics/genetics_wiring.h"

enum {
    MATE_TRIES = 16,
    POINTS_MAX = 16,
    /* Every row of both parents in a slot of its own. */
    SLOTS_MAX = 2 * (GENOME_BODIES_MAX + GENOME_CONNECTIONS_MAX + GENOME_NEURONS_MAX),
    ROWS_MAX = GENOME_NEURONS_MAX /* of the largest table */
};
_Static_assert((int)ROWS_MAX >= (int)GENOME_BODIES_MAX &&
                   (int)ROWS_MAX >= (int)GENOME_CONNECTIONS_MAX,
               "neurons are the largest table");

enum table { TABLE_BODY, TABLE_CONNECTION, TABLE_NEURON, TABLE_COUNT };

static int table_count(const struct genome *genome, enum table table)
{
    return table == TABLE_BODY         ? genome->body_count
           : table == TABLE_CONNECTION ? genome->connection_count
                                       : genome->neuron_count;
}

static gene_id row_id(const struct genome *genome, enum table table, int row)
{
    return table == TABLE_BODY         ? genome->bodies[row].id
           : table == TABLE_CONNECTION ? genome->connections[row].id
                                       : genome->neurons[row].id;
}

static int find_row(const struct genome *genome, enum table table, gene_id id)
{
    return table == TABLE_BODY         ? genome_find_body(genome, id)
           : table == TABLE_CONNECTION ? genome_find_connection(genome, id)
                                       : genome_find_neuron(genome, id);
}

/* The new places of a parent's rows: ids in the child; 0 = not there. */
struct translation {
    const struct genome *parent;
    gene_id ids[TABLE_COUNT][ROWS_MAX]; /* of the rows that the parent has */
};

static void translation_init(struct translation *translation, const struct genome *parent)
{
    int table;

    translation->parent = parent;
    for (table = 0; table < TABLE_COUNT; table++)
        memset(translation->ids[table], 0,
               (size_t)table_count(parent, table) * sizeof translation->ids[table][0]);
}

static gene_id translate(const struct translation *translation, enum table table, gene_id id)
{
    int row = id ? find_row(translation->parent, table, id) : -1;

    return row < 0 ? 0 : translation->ids[table][row];
}

static void translate_input(const struct translation *translation, struct input_gene *input)
{
    if (input->kind == INPUT_NEURON)
        input->source = translate(translation, TABLE_NEURON, input->source);
    if (input->kind != INPUT_CONSTANT && input->scope == SCOPE_CHILD)
        input->via = translate(translation, TABLE_CONNECTION, input->via);
    if (input->kind != INPUT_CONSTANT && input->scope == SCOPE_PART)
        input->via = translate(translation, TABLE_BODY, input->via);
}

/* ---- the chromosome ---- */

struct slot {
    enum table table;
    int rows[2];   /* of parents a and b; -1 = none */
    int body;      /* the slot of the body gene it belongs to; -1 = the central set */
    gene_id child; /* id in the child; 0 = left out */
    int side;      /* number of the parent that it was taken from */
};

struct chromosome {
    const struct genome *parents[2];
    struct slot slots[SLOTS_MAX];
    int count;
};

/* Leaves the slots as they are, since SLOTS_MAX is far above what a genome needs. */
static void chromosome_init(struct chromosome *chromosome, const struct genome *a,
                            const struct genome *b)
{
    chromosome->parents[0] = a;
    chromosome->parents[1] = b;
    chromosome->count = 0;
}

/* Row numbers of one table of both parents, to be aligned. */
struct rows {
    int list[2][ROWS_MAX];
    int count[2];
};

static void add_slot(struct chromosome *chromosome, enum table table, int row_a, int row_b,
                     int body)
{
    ENSURE(chromosome->count < SLOTS_MAX, "slot %d of %d", chromosome->count, SLOTS_MAX);
    ENSURE(row_a >= 0 || row_b >= 0, "slot %d is of neither parent", chromosome->count);
    chromosome->slots[chromosome->count++] =
        (struct slot){.table = table, .rows = {row_a, row_b}, .body = body};
}

/* The first pair of equal ids at or after positions i and j: moves them there, or to the ends. */
static void find_pair(const struct chromosome *chromosome, enum table table,
                      const struct rows *rows, int *i, int *j)
{
    int a, b;

    for (a = *i; a < rows->count[0]; a++)
        for (b = *j; b < rows->count[1]; b++)
            if (row_id(chromosome->parents[0], table, rows->list[0][a]) ==
                row_id(chromosome->parents[1], table, rows->list[1][b])) {
                *i = a;
                *j = b;
                return;
            }
    *i = rows->count[0];
    *j = rows->count[1];
}

/* Adds the slots of one group of rows. */
static void align(struct chromosome *chromosome, enum table table, const struct rows *rows,
                  int body)
{
    int i = 0, j = 0;

    while (i < rows->count[0] || j < rows->count[1]) {
        int pair_i = i, pair_j = j;

        find_pair(chromosome, table, rows, &pair_i, &pair_j);
        while (i < pair_i || j < pair_j) {
            int row_a = i < pair_i ? rows->list[0][i++] : -1;
            int row_b = j < pair_j ? rows->list[1][j++] : -1;

            add_slot(chromosome, table, row_a, row_b, body);
        }
        if (i < rows->count[0] && j < rows->count[1])
            add_slot(chromosome, table, rows->list[0][i++], rows->list[1][j++], body);
    }
}

/* The rows of a table that belong to a body gene (its id in each parent; 0 = the central set). The
 * list is empty where has_body is 0. */
static void list_group(const struct chromosome *chromosome, enum table table,
                       const gene_id bodies[2], const int has_body[2], struct rows *rows)
{
    int side, row;

    for (side = 0; side < 2; side++) {
        const struct genome *parent = chromosome->parents[side];

        rows->count[side] = 0;
        for (row = 0; has_body[side] && row < table_count(parent, table); row++) {
            gene_id body = table == TABLE_CONNECTION ? parent->connections[row].from
                                                     : parent->neurons[row].owner;

            if (body == bodies[side])
                rows->list[side][rows->count[side]++] = row;
        }
    }
}

static void add_group(struct chromosome *chromosome, int body)
{
    const struct slot *slot = body < 0 ? NULL : &chromosome->slots[body];
    gene_id bodies[2] = {0, 0};
    int has_body[2] = {1, 1}, side;
    struct rows rows;

    for (side = 0; slot && side < 2; side++) {
        has_body[side] = slot->rows[side] >= 0;
        bodies[side] = has_body[side] ? chromosome->parents[side]->bodies[slot->rows[side]].id : 0;
    }
    if (slot) {
        list_group(chromosome, TABLE_CONNECTION, bodies, has_body, &rows);
        align(chromosome, TABLE_CONNECTION, &rows, body);
    }
    list_group(chromosome, TABLE_NEURON, bodies, has_body, &rows);
    align(chromosome, TABLE_NEURON, &rows, body);
}

/* Aligned body slots first, at the front of a list of their own; then each with its group. */
static void build_chromosome(struct chromosome *chromosome, const struct genome *a,
                             const struct genome *b)
{
    struct chromosome bodies;
    struct rows rows;
    int i;

    chromosome_init(&bodies, a, b);
    rows.count[0] = a->body_count;
    rows.count[1] = b->body_count;
    for (i = 0; i < GENOME_BODIES_MAX; i++)
        rows.list[0][i] = rows.list[1][i] = i;
    align(&bodies, TABLE_BODY, &rows, -1);

    chromosome_init(chromosome, a, b);
    add_group(chromosome, -1);
    for (i = 0; i < bodies.count; i++) {
        int body = chromosome->count;

        add_slot(chromosome, TABLE_BODY, bodies.slots[i].rows[0], bodies.slots[i].rows[1], body);
        add_group(chromosome, body);
    }
}

/* ---- taking slots ---- */

/* Marks 1 to points_max different places between slots where reading changes sides. */
static void draw_points(char is_point[SLOTS_MAX], int count, const struct params *params,
                        struct rng *rng)
{
    int most = (int)params->breeding_crossover_points_max;
    int i, points;

    memset(is_point, 0, SLOTS_MAX);
    if (count < 2)
        return;
    points = 1 + (int)rng_below(rng, (uint32_t)(most < POINTS_MAX ? most : POINTS_MAX));
    if (points > count - 1)
        points = count - 1;
    while (points > 0) {
        i = 1 + (int)rng_below(rng, (uint32_t)count - 1);
        points -= !is_point[i];
        is_point[i] = 1;
    }
}

/* 1 if a slot before has brought that id into the child's table. A gene that both parents have in
 * different bodies (after crossovers of unrelated ones) would come twice: the second is left
 * out. */
static int is_taken(const struct chromosome *chromosome, int end, enum table table, gene_id id)
{
    int i;

    for (i = 0; i < end; i++)
        if (chromosome->slots[i].table == table && chromosome->slots[i].child == id)
            return 1;
    return 0;
}

static void take_slots(struct chromosome *chromosome, const char *is_point)
{
    int i, side = 0;

    for (i = 0; i < chromosome->count; i++) {
        struct slot *slot = &chromosome->slots[i];
        int is_body = slot->table == TABLE_BODY, has_body;
        gene_id id;

        side ^= is_point[i];
        slot->side = side;
        slot->child = 0;
        has_body = is_body || slot->body < 0 || chromosome->slots[slot->body].child;
        if (slot->rows[side] < 0 || !has_body)
            continue;
        id = row_id(chromosome->parents[side], slot->table, slot->rows[side]);
        if (!is_taken(chromosome, i, slot->table, id))
            slot->child = id;
    }
}

static void build_translations(const struct chromosome *chromosome,
                               struct translation translations[2])
{
    int i, side;

    for (side = 0; side < 2; side++) {
        const struct genome *parent = chromosome->parents[side];

        translation_init(&translations[side], parent);
        for (i = 0; i < chromosome->count; i++) {
            const struct slot *slot = &chromosome->slots[i];
            int row = slot->rows[side];
            gene_id own = row < 0 ? 0 : row_id(parent, slot->table, row);

            /* A gene that came in another slot is there all the same; else its partner stands
             * in. */
            if (row >= 0)
                translations[side].ids[slot->table][row] =
                    is_taken(chromosome, chromosome->count, slot->table, own) ? own : slot->child;
        }
    }
}

/* ---- writing the child ---- */

static int append_body(struct genome *child, const struct translation *translation, int row,
                       gene_id id)
{
    struct body_gene *body;
    struct input_gene *input;
    int k;

    if (child->body_count == GENOME_BODIES_MAX)
        return ERR_LIMIT;
    body = genome_add_body(child);
    if (!body)
        return ERR_MEMORY;
    *body = translation->parent->bodies[row];
    body->id = id;
    for (k = 0; (input = genome_body_input(body, k)); k++)
        translate_input(translation, input);
    return 0;
}

static int append_connection(struct genome *child, const struct translation *translation, int row,
                             gene_id id, gene_id from)
{
    struct connection_gene *connection;

    if (child->connection_count == GENOME_CONNECTIONS_MAX)
        return ERR_LIMIT;
    connection = genome_add_connection(child);
    if (!connection)
        return ERR_MEMORY;
    *connection = translation->parent->connections[row];
    connection->id = id;
    connection->from = from;
    connection->to = translate(translation, TABLE_BODY, connection->to);
    return 0;
}

static int append_neuron(struct genome *child, const struct translation *translation, int row,
                         gene_id id, gene_id owner)
{
    struct neuron_gene *neuron;
    int k;

    if (child->neuron_count == GENOME_NEURONS_MAX)
        return ERR_LIMIT;
    neuron = genome_add_neuron(child);
    if (!neuron)
        return ERR_MEMORY;
    *neuron = translation->parent->neurons[row];
    neuron->id = id;
    neuron->owner = owner;
    for (k = 0; k < neuron_functions[neuron->function].input_count; k++)
        translate_input(translation, &neuron->inputs[k]);
    return 0;
}

static int append_slot(struct genome *child, const struct chromosome *chromosome,
                       const struct slot *slot, const struct translation translations[2])
{
    const struct translation *translation = &translations[slot->side];
    gene_id body = slot->body < 0 ? 0 : chromosome->slots[slot->body].child;
    int row = slot->rows[slot->side];

    switch (slot->table) {
    case TABLE_BODY:
        return append_body(child, translation, row, slot->child);
    case TABLE_CONNECTION:
        return append_connection(child, translation, row, slot->child, body);
    default:
        return append_neuron(child, translation, row, slot->child, body);
    }
}

/* Appends the taken slots of a table by their row numbers in the parent they come from (a before
 * b), so that rows keep their order: crossing a genome with itself gives it back. */
static int append_table(struct genome *child, const struct chromosome *chromosome, enum table table,
                        const struct translation translations[2])
{
    int count_a = table_count(chromosome->parents[0], table);
    int count_b = table_count(chromosome->parents[1], table);
    int row, i, status = 0;

    for (row = 0; !status && row < (count_a > count_b ? count_a : count_b); row++)
        for (i = 0; !status && i < chromosome->count; i++) {
            const struct slot *slot = &chromosome->slots[i];

            if (slot->table == table && slot->child && slot->rows[slot->side] == row)
                status = append_slot(child, chromosome, slot, translations);
        }
    return status;
}

/* ---- crossover ---- */

static void redraw_targets(struct genome *genome, struct rng *rng)
{
    int i;

    for (i = 0; i < genome->connection_count; i++)
        if (genome->connections[i].to == 0)
            genome->connections[i].to =
                genome->bodies[rng_below(rng, (uint32_t)genome->body_count)].id;
}

/* 1 if the genome is tidied and has more than a root (or no parent had). */
static int finish(struct genome *child, const struct genome *a, const struct genome *b,
                  const struct params *params, struct rng *rng)
{
    if (child->body_count == 0)
        return 0;
    if (genome_find_body(child, child->root) < 0)
        child->root = child->bodies[0].id;
    redraw_targets(child, rng);
    genetics_taper(child, a, b, params);
    wiring_tidy(child, rng);
    CHECK_DEARLY(genetics_check(child));
    return child->connection_count > 0 || a->connection_count == 0;
}

/* 1: `child` is made; else it is empty: 0 or ERR_MEMORY. */
static int try_crossover(struct genome *child, struct chromosome *chromosome,
                         const struct params *params, struct rng *rng)
{
    const struct genome *a = chromosome->parents[0], *b = chromosome->parents[1];
    struct translation translations[2];
    char is_point[SLOTS_MAX];
    int table, status = 0;

    genome_init(child);
    child->kind = a->kind;
    draw_points(is_point, chromosome->count, params, rng);
    take_slots(chromosome, is_point);
    build_translations(chromosome, translations);
    for (table = 0; !status && table < TABLE_COUNT; table++)
        status = append_table(child, chromosome, (enum table)table, translations);
    child->root = translate(&translations[0], TABLE_BODY, a->root);
    if (!child->root)
        child->root = translate(&translations[1], TABLE_BODY, b->root);
    child->breeding = a->breeding;
    if (a->breeding != b->breeding && rng_chance(rng, 0.5))
        child->breeding = b->breeding;
    if (!status && finish(child, a, b, params, rng))
        return 1;
    genome_deinit(child);
    return status == ERR_MEMORY ? ERR_MEMORY : 0;
}

/* The last resort. */
static int copy_parent(struct genome *child, const struct genome *a)
{
    int status = genome_copy(child, a);

    if (!status)
        genome_collect_garbage(child);
    return status;
}

/* 1 if the same genes hang together: crossover of the two changes no plan. */
static int has_plan_of(const struct genome *a, const struct genome *b)
{
    int i, is_same = a->kind == b->kind && a->root == b->root && a->body_count == b->body_count &&
                     a->connection_count == b->connection_count;

    for (i = 0; is_same && i < a->body_count; i++)
        is_same = a->bodies[i].id == b->bodies[i].id;
    for (i = 0; is_same && i < a->connection_count; i++)
        is_same = a->connections[i].id == b->connections[i].id;
    return is_same;
}

int genetics_crossover(struct genome *child, const struct genome *a, const struct genome *b,
                       const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    struct chromosome chromosome;
    int tries;

    /* Bodies of two kinds have nothing to exchange, nor of two plans that are to be kept. */
    if (a->kind != b->kind || (params->mutation_plan == PLAN_KEEP && !has_plan_of(a, b)))
        return copy_parent(child, a);
    build_chromosome(&chromosome, a, b);
    for (tries = 0; tries < MATE_TRIES; tries++) {
        int result = try_crossover(child, &chromosome, params, rng);

        if (result)
            return result < 0 ? result : 0;
    }
    return copy_parent(child, a);
}

/* ---- grafting ---- */

/* The bodies that `top` reaches along connections: is_reached per body row. */
static void mark_reached(const struct genome *genome, int top, char is_reached[GENOME_BODIES_MAX])
{
    int todo[GENOME_BODIES_MAX], count = 0, i;

    memset(is_reached, 0, GENOME_BODIES_MAX);
    ENSURE(top >= 0 && top < genome->body_count, "body %d of %d is grafted", top,
           genome->body_count);
    is_reached[top] = 1;
    todo[count++] = top;
    while (count > 0) {
        gene_id from = genome->bodies[todo[--count]].id;

        for (i = 0; i < genome->connection_count; i++) {
            int to = genome_find_body(genome, genome->connections[i].to);

            ENSURE(to >= 0, "connection %d leads to gene %llu, which is no body", i,
                   (unsigned long long)genome->connections[i].to);
            if (genome->connections[i].from == from && !is_reached[to] &&
                !genome->connections[i].brace) {
                is_reached[to] = 1;
                todo[count++] = to;
            }
        }
    }
}

static gene_id graft_id(const struct genome *child, enum table table, gene_id id,
                        struct gene_counter *ids)
{
    return find_row(child, table, id) < 0 ? id : gene_counter_next(ids);
}

/* Ids in the child for the section's rows. The whole central set comes along; what of it feeds
 * nothing is collected afterwards. */
static void translate_section(struct translation *section, const struct genome *child,
                              const char *is_reached, struct gene_counter *ids)
{
    const struct genome *b = section->parent;
    int i;

    for (i = 0; i < b->body_count; i++)
        if (is_reached[i])
            section->ids[TABLE_BODY][i] = graft_id(child, TABLE_BODY, b->bodies[i].id, ids);
    for (i = 0; i < b->connection_count; i++)
        if (translate(section, TABLE_BODY, b->connections[i].from))
            section->ids[TABLE_CONNECTION][i] =
                graft_id(child, TABLE_CONNECTION, b->connections[i].id, ids);
    for (i = 0; i < b->neuron_count; i++)
        if (!b->neurons[i].owner || translate(section, TABLE_BODY, b->neurons[i].owner))
            section->ids[TABLE_NEURON][i] = graft_id(child, TABLE_NEURON, b->neurons[i].id, ids);
}

static int append_section(struct genome *child, const struct translation *section)
{
    const struct genome *b = section->parent;
    int i, status = 0;

    for (i = 0; !status && i < b->body_count; i++)
        if (section->ids[TABLE_BODY][i])
            status = append_body(child, section, i, section->ids[TABLE_BODY][i]);
    for (i = 0; !status && i < b->connection_count; i++)
        if (section->ids[TABLE_CONNECTION][i])
            status = append_connection(child, section, i, section->ids[TABLE_CONNECTION][i],
                                       translate(section, TABLE_BODY, b->connections[i].from));
    for (i = 0; !status && i < b->neuron_count; i++)
        if (section->ids[TABLE_NEURON][i])
            status = append_neuron(child, section, i, section->ids[TABLE_NEURON][i],
                                   translate(section, TABLE_BODY, b->neurons[i].owner));
    return status;
}

/* Leads a random connection of parent a to the grafted body. It is no brace, since braces grow
 * nothing. A genome without connections gets one. */
static int lead_to_graft(struct genome *child, int connection_count, gene_id top,
                         const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    int growing[GENOME_CONNECTIONS_MAX], count = 0, i;

    for (i = 0; i < connection_count; i++)
        if (!child->connections[i].brace)
            growing[count++] = i;
    if (count == 0)
        return genetics_random_connection(child, child->root, top, params, rng, ids);
    child->connections[growing[rng_below(rng, (uint32_t)count)]].to = top;
    return 0;
}

/* 1: `child` is made; else it is empty: 0 or ERR_MEMORY. */
static int try_graft(struct genome *child, const struct genome *a, const struct genome *b,
                     const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    struct translation section;
    char is_reached[GENOME_BODIES_MAX];
    int top = (int)rng_below(rng, (uint32_t)b->body_count), status;

    if (genome_copy(child, a))
        return ERR_MEMORY;
    mark_reached(b, top, is_reached);
    translation_init(&section, b);
    translate_section(&section, child, is_reached, ids);
    status = append_section(child, &section);
    if (!status)
        status = lead_to_graft(child, a->connection_count, section.ids[TABLE_BODY][top], params,
                               rng, ids);
    if (!status && finish(child, a, b, params, rng))
        return 1;
    genome_deinit(child);
    return status == ERR_MEMORY ? ERR_MEMORY : 0;
}

int genetics_graft(struct genome *child, const struct genome *a, const struct genome *b,
                   const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    gene_counter_avoid(ids, a, b);
    const struct gene_counter ids_before = *ids;
    int tries;

    if (a->kind != b->kind)
        return copy_parent(child, a);
    /* A graft makes another body: where that is not wanted, brains are crossed. */
    if (!params->mutation_body || params->mutation_plan == PLAN_KEEP)
        return genetics_crossover(child, a, b, params, rng, ids);
    for (tries = 0; tries < MATE_TRIES; tries++) {
        int result = try_graft(child, a, b, params, rng, ids);

        if (result)
            return result < 0 ? result : 0;
        *ids = ids_before;
    }
    return copy_parent(child, a);
}
