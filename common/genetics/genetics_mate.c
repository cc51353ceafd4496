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

/* The body gene that a row belongs to; 0 of a body gene, and in the central set. */
static gene_id home_of(const struct genome *genome, enum genome_table table, int row)
{
    return table == GENOME_BODIES        ? 0
           : table == GENOME_CONNECTIONS ? genome->connections[row].from
                                         : genome->neurons[row].owner;
}

/* The new places of a parent's rows: ids in the child; 0 = not there. */
struct translation {
    const struct genome *parent;
    gene_id ids[GENOME_TABLE_COUNT][ROWS_MAX]; /* of the rows that the parent has */
};

static void translation_init(struct translation *translation, const struct genome *parent)
{
    translation->parent = parent;
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        memset(translation->ids[table], 0,
               (size_t)parent->counts[table] * sizeof translation->ids[table][0]);
}

static gene_id translate(const struct translation *translation, enum genome_table table, gene_id id)
{
    int row = id ? genome_find(translation->parent, table, id) : -1;
    return row < 0 ? 0 : translation->ids[table][row];
}

static void translate_input(const struct translation *translation, struct input_gene *input)
{
    if (input->kind == INPUT_NEURON)
        input->source = translate(translation, GENOME_NEURONS, input->source);
    if (input->kind != INPUT_CONSTANT && input->scope == SCOPE_CHILD)
        input->via = translate(translation, GENOME_CONNECTIONS, input->via);
    if (input->kind != INPUT_CONSTANT && input->scope == SCOPE_PART)
        input->via = translate(translation, GENOME_BODIES, input->via);
}

/* ---- the chromosome ---- */

struct slot {
    enum genome_table table;
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

static void add_slot(struct chromosome *chromosome, enum genome_table table, int row_a, int row_b,
                     int body)
{
    ENSURE(chromosome->count < SLOTS_MAX, "slot %d of %d", chromosome->count, SLOTS_MAX);
    ENSURE(row_a >= 0 || row_b >= 0, "slot %d is of neither parent", chromosome->count);
    chromosome->slots[chromosome->count++] =
        (struct slot){.table = table, .rows = {row_a, row_b}, .body = body};
}

/* The first pair of equal ids at or after positions i and j: moves them there, or to the ends. */
static void find_pair(const struct chromosome *chromosome, enum genome_table table,
                      const struct rows *rows, int *i, int *j)
{
    for (int a = *i; a < rows->count[0]; a++)
        for (int b = *j; b < rows->count[1]; b++)
            if (genome_row_id(chromosome->parents[0], table, rows->list[0][a]) ==
                genome_row_id(chromosome->parents[1], table, rows->list[1][b])) {
                *i = a;
                *j = b;
                return;
            }
    *i = rows->count[0];
    *j = rows->count[1];
}

/* Adds the slots of one group of rows. */
static void align(struct chromosome *chromosome, enum genome_table table, const struct rows *rows,
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

/* Adds the slots of the rows that belong to the body gene of slot `body`; -1: to none, as body
 * genes and the central set do. */
static void add_group(struct chromosome *chromosome, enum genome_table table, int body)
{
    struct rows rows;
    for (int side = 0; side < 2; side++) {
        const struct genome *parent = chromosome->parents[side];
        int body_row = body < 0 ? -1 : chromosome->slots[body].rows[side];
        gene_id home = body_row < 0 ? 0 : parent->bodies[body_row].id;

        rows.count[side] = 0;
        for (int row = 0; (body < 0 || home) && row < parent->counts[table]; row++)
            if (home_of(parent, table, row) == home)
                rows.list[side][rows.count[side]++] = row;
    }
    align(chromosome, table, &rows, body);
}

/* Aligned body slots first, in a list of their own; then each with its group. */
static void build_chromosome(struct chromosome *chromosome, const struct genome *a,
                             const struct genome *b)
{
    struct chromosome bodies;
    chromosome_init(&bodies, a, b);
    add_group(&bodies, GENOME_BODIES, -1);
    chromosome_init(chromosome, a, b);
    add_group(chromosome, GENOME_NEURONS, -1);
    for (int i = 0; i < bodies.count; i++) {
        int body = chromosome->count;

        add_slot(chromosome, GENOME_BODIES, bodies.slots[i].rows[0], bodies.slots[i].rows[1], body);
        add_group(chromosome, GENOME_CONNECTIONS, body);
        add_group(chromosome, GENOME_NEURONS, body);
    }
}

/* ---- taking slots ---- */

/* Marks 1 to points_max different places between slots where reading changes sides. */
static void draw_points(char is_point[SLOTS_MAX], int count, const struct params *params,
                        struct rng *rng)
{
    int most = (int)params->breeding_crossover_points_max;
    memset(is_point, 0, SLOTS_MAX);
    if (count < 2)
        return;
    int points = 1 + (int)rng_below(rng, (uint32_t)(most < POINTS_MAX ? most : POINTS_MAX));
    points = points < count ? points : count - 1;
    while (points > 0) {
        int i = 1 + (int)rng_below(rng, (uint32_t)count - 1);
        points -= !is_point[i];
        is_point[i] = 1;
    }
}

/* 1 if a slot before has brought that id into the child's table. A gene that both parents have in
 * different bodies (after crossovers of unrelated ones) would come twice: the second is left
 * out. */
static int is_taken(const struct chromosome *chromosome, int end, enum genome_table table,
                    gene_id id)
{
    for (int i = 0; i < end; i++)
        if (chromosome->slots[i].table == table && chromosome->slots[i].child == id)
            return 1;
    return 0;
}

static void take_slots(struct chromosome *chromosome, const char *is_point)
{
    int side = 0;
    for (int i = 0; i < chromosome->count; i++) {
        struct slot *slot = &chromosome->slots[i];
        side ^= is_point[i];
        slot->side = side;
        slot->child = 0;
        if (slot->rows[side] < 0 || (slot->table != GENOME_BODIES && slot->body >= 0 &&
                                     !chromosome->slots[slot->body].child))
            continue;
        gene_id id = genome_row_id(chromosome->parents[side], slot->table, slot->rows[side]);
        if (!is_taken(chromosome, i, slot->table, id))
            slot->child = id;
    }
}

static void build_translations(const struct chromosome *chromosome,
                               struct translation translations[2])
{
    for (int side = 0; side < 2; side++) {
        const struct genome *parent = chromosome->parents[side];

        translation_init(&translations[side], parent);
        for (int i = 0; i < chromosome->count; i++) {
            const struct slot *slot = &chromosome->slots[i];
            int row = slot->rows[side];
            gene_id own = row < 0 ? 0 : genome_row_id(parent, slot->table, row);

            /* A gene that came in another slot is there all the same; else its partner stands
             * in. */
            if (row >= 0)
                translations[side].ids[slot->table][row] =
                    is_taken(chromosome, chromosome->count, slot->table, own) ? own : slot->child;
        }
    }
}

/* ---- writing the child ---- */

/* Appends a parent's row; its id in the child, and that of the body gene it belongs to. */
static int append_row(struct genome *child, const struct translation *translation,
                      enum genome_table table, int row, gene_id id, gene_id home)
{
    void *added = genome_add(child, table);
    struct input_gene *input;
    if (!added)
        return genome_refusal(child, table);
    memcpy(added, genome_row(translation->parent, table, row), genome_tables[table].size);
    if (table == GENOME_BODIES) {
        struct body_gene *body = added;
        body->id = id;
        for (int k = 0; (input = genome_body_input(body, k)); k++)
            translate_input(translation, input);
    } else if (table == GENOME_CONNECTIONS) {
        struct connection_gene *connection = added;
        connection->id = id;
        connection->from = home;
        connection->to = translate(translation, GENOME_BODIES, connection->to);
    } else {
        struct neuron_gene *neuron = added;
        neuron->id = id;
        neuron->owner = home;
        for (int k = 0; k < neuron_functions[neuron->function].input_count; k++)
            translate_input(translation, &neuron->inputs[k]);
    }
    return 0;
}

/* Appends the taken slots of a table by their row numbers in the parent they come from (a before
 * b), so that rows keep their order: crossing a genome with itself gives it back. */
static int append_table(struct genome *child, const struct chromosome *chromosome,
                        enum genome_table table, const struct translation translations[2])
{
    int count_a = chromosome->parents[0]->counts[table];
    int count_b = chromosome->parents[1]->counts[table], status = 0;
    for (int row = 0; !status && row < (count_a > count_b ? count_a : count_b); row++)
        for (int i = 0; !status && i < chromosome->count; i++) {
            const struct slot *slot = &chromosome->slots[i];
            gene_id home = slot->body < 0 ? 0 : chromosome->slots[slot->body].child;

            if (slot->table == table && slot->child && slot->rows[slot->side] == row)
                status =
                    append_row(child, &translations[slot->side], table, row, slot->child, home);
        }
    return status;
}

/* ---- crossover ---- */

static void redraw_targets(struct genome *genome, struct rng *rng)
{
    for (int i = 0; i < genome->connection_count; i++)
        if (genome->connections[i].to == 0)
            genome->connections[i].to =
                genome->bodies[rng_below(rng, (uint32_t)genome->body_count)].id;
}

/* 1: the child is tidied and has more than a root (or no parent had); else it is empty: 0 or
 * ERR_MEMORY. */
static int finish(struct maker *maker, int status, const struct genome *a, const struct genome *b)
{
    struct genome *child = maker->genome;
    if (!status && child->body_count > 0) {
        if (genome_find_body(child, child->root) < 0)
            child->root = child->bodies[0].id;
        redraw_targets(child, maker->rng);
        genetics_taper(maker, a, b);
        wiring_tidy(maker);
        CHECK_DEARLY(genetics_check(child));
        if (child->connection_count > 0 || a->connection_count == 0)
            return 1;
    }
    genome_deinit(child);
    return status == ERR_MEMORY ? ERR_MEMORY : 0;
}

/* 1: the child is made; else it is empty: 0 or ERR_MEMORY. */
static int try_crossover(struct maker *maker, struct chromosome *chromosome)
{
    struct genome *child = maker->genome;
    const struct genome *a = chromosome->parents[0], *b = chromosome->parents[1];
    struct translation translations[2];
    char is_point[SLOTS_MAX];
    int status = 0;
    genome_init(child);
    child->kind = a->kind;
    draw_points(is_point, chromosome->count, maker->params, maker->rng);
    take_slots(chromosome, is_point);
    build_translations(chromosome, translations);
    for (int table = 0; !status && table < GENOME_TABLE_COUNT; table++)
        status = append_table(child, chromosome, table, translations);
    child->root = translate(&translations[0], GENOME_BODIES, a->root);
    if (!child->root)
        child->root = translate(&translations[1], GENOME_BODIES, b->root);
    child->breeding = a->breeding;
    if (a->breeding != b->breeding && rng_chance(maker->rng, 0.5))
        child->breeding = b->breeding;
    return finish(maker, status, a, b);
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
    int is_same = a->kind == b->kind && a->root == b->root;
    for (int table = 0; table < GENOME_NEURONS; table++) {
        is_same = is_same && a->counts[table] == b->counts[table];
        for (int i = 0; is_same && i < a->counts[table]; i++)
            is_same = genome_row_id(a, table, i) == genome_row_id(b, table, i);
    }
    return is_same;
}

int genetics_crossover(struct genome *child, const struct genome *a, const struct genome *b,
                       const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    struct maker maker = {.genome = child, .params = params, .rng = rng, .ids = ids};
    struct chromosome chromosome;
    /* Bodies of two kinds have nothing to exchange, nor of two plans that are to be kept. */
    if (a->kind != b->kind || (params->mutation_plan == PLAN_KEEP && !has_plan_of(a, b)))
        return copy_parent(child, a);
    build_chromosome(&chromosome, a, b);
    for (int tries = 0; tries < MATE_TRIES; tries++) {
        int result = try_crossover(&maker, &chromosome);

        if (result)
            return result < 0 ? result : 0;
    }
    return copy_parent(child, a);
}

/* ---- grafting ---- */

/* Ids in the child for the section's rows. The whole central set comes along; what of it feeds
 * nothing is collected afterwards. */
static void translate_section(struct translation *section, const struct genome *child,
                              const char *is_reached, struct gene_counter *ids)
{
    const struct genome *b = section->parent;
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        for (int i = 0; i < b->counts[table]; i++) {
            gene_id id = genome_row_id(b, table, i), home = home_of(b, table, i);
            int comes = table == GENOME_BODIES ? is_reached[i]
                                               : !home || translate(section, GENOME_BODIES, home);
            if (comes)
                section->ids[table][i] =
                    genome_find(child, table, id) < 0 ? id : gene_counter_next(ids);
        }
}

static int append_section(struct genome *child, const struct translation *section)
{
    const struct genome *b = section->parent;
    int status = 0;
    for (int table = 0; table < GENOME_TABLE_COUNT; table++)
        for (int i = 0; !status && i < b->counts[table]; i++)
            if (section->ids[table][i])
                status = append_row(child, section, table, i, section->ids[table][i],
                                    translate(section, GENOME_BODIES, home_of(b, table, i)));
    return status;
}

/* Leads a random connection of parent a to the grafted body. It is no brace, since braces grow
 * nothing. A genome without connections gets one. */
static int lead_to_graft(struct maker *maker, int connection_count, gene_id top)
{
    struct genome *child = maker->genome;
    int growing[GENOME_CONNECTIONS_MAX], count = 0;
    for (int i = 0; i < connection_count; i++)
        if (!child->connections[i].brace)
            growing[count++] = i;
    if (count == 0)
        return genetics_random_connection(maker, child->root, top, 0);
    child->connections[growing[maker_below(maker, count)]].to = top;
    return 0;
}

/* 1: the child is made; else it is empty: 0 or ERR_MEMORY. */
static int try_graft(struct maker *maker, const struct genome *a, const struct genome *b)
{
    struct genome *child = maker->genome;
    struct translation section;
    char is_reached[GENOME_BODIES_MAX];
    int top = maker_below(maker, b->body_count), status;
    if (genome_copy(child, a))
        return ERR_MEMORY;
    genome_mark_reached(b, top, is_reached);
    translation_init(&section, b);
    translate_section(&section, child, is_reached, maker->ids);
    status = append_section(child, &section);
    if (!status)
        status = lead_to_graft(maker, a->connection_count, section.ids[GENOME_BODIES][top]);
    return finish(maker, status, a, b);
}

int genetics_graft(struct genome *child, const struct genome *a, const struct genome *b,
                   const struct params *params, struct rng *rng, struct gene_counter *ids)
{
    struct maker maker = {.genome = child, .params = params, .rng = rng, .ids = ids};
    gene_counter_avoid(ids, a, b);
    const struct gene_counter ids_before = *ids;

    if (a->kind != b->kind)
        return copy_parent(child, a);
    /* A graft makes another body: where that is not wanted, brains are crossed. */
    if (!params->mutation_body || params->mutation_plan == PLAN_KEEP)
        return genetics_crossover(child, a, b, params, rng, ids);
    for (int tries = 0; tries < MATE_TRIES; tries++) {
        int result = try_graft(&maker, a, b);

        if (result)
            return result < 0 ? result : 0;
        *ids = ids_before;
    }
    return copy_parent(child, a);
}
