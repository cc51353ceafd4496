/* One genome that a test fills with genes, and what it takes to grow and evaluate it. Body genes
 * have ids from 1, the first is the root; connections from 101. */
#ifndef TESTS_UNIT_GROWN_FIXTURE_H
#define TESTS_UNIT_GROWN_FIXTURE_H

#include <check.h>

#include "common/genome/genome.h"
#include "simulator/evaluate/evaluate.h"
#include "tests/plain_fixture.h"

static struct genome genome;

/* An empty genome of that kind, whose root will be the body gene 1, and default parameters. */
static inline void grown_set_up(int kind)
{
    genome_init(&genome);
    genome.kind = kind;
    genome.root = 1;
    params_set_defaults(&params);
    arena_open(EVALUATE_ARENA_BYTES);
}

static inline void grown_tear_down(void)
{
    genome_deinit(&genome);
}

/* A body gene of any kind; nothing of it is set but its id, and that it occurs once. */
static inline struct body_gene *grown_body(int joint)
{
    struct body_gene *body = genome_add(&genome, GENOME_BODIES);
    ck_assert_ptr_nonnull(body);
    body->id = (gene_id)genome.body_count;
    body->joint = (uint8_t)joint;
    body->recursive_limit = 1;
    return body;
}

/* A rectangle on a joint between two limits. */
static inline struct body_gene *grown_rectangle(double width_m, double height_m, int joint,
                                                double lower, double upper)
{
    struct body_gene *body = grown_body(joint);
    body->width_m = width_m;
    body->height_m = height_m;
    body->lower = lower;
    body->upper = upper;
    return body;
}

/* A connection of any kind. */
static inline struct connection_gene *grown_connection(gene_id from, gene_id to)
{
    struct connection_gene *connection = genome_add(&genome, GENOME_CONNECTIONS);
    ck_assert_ptr_nonnull(connection);
    connection->id = 100 + (gene_id)genome.connection_count;
    connection->from = from;
    connection->to = to;
    connection->scale = 1;
    return connection;
}

/* From the middle of one face to that of another. */
static inline struct connection_gene *grown_hang(gene_id from, gene_id to, int parent_face,
                                                 int child_face)
{
    struct connection_gene *connection = grown_connection(from, to);
    connection->parent_face = (uint8_t)parent_face;
    connection->child_face = (uint8_t)child_face;
    return connection;
}

#endif
