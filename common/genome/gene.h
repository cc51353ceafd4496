/* Genes in a table: what a body gene and a connection gene of each kind of body are made of.
 *
 * A row says where a field lies in the struct, what it may be and how it is called. Equality, hash,
 * check, both file formats, differences in words and numeric mutation walk the rows, so a field is
 * named here and nowhere else but where it grows into a body. The order of the rows is that of the
 * binary form and of the hash. Fields of other kinds are zero and have no row. */
#ifndef COMMON_GENOME_GENE_H
#define COMMON_GENOME_GENE_H

#include <stddef.h>
#include <stdint.h>

enum gene_type {
    GENE_ID,      /* gene_id */
    GENE_REAL,    /* double */
    GENE_LIMITS,  /* two doubles one after the other, lower <= 0 <= upper */
    GENE_COUNT,   /* uint8_t: a whole number */
    GENE_FLAG,    /* uint8_t: 0 or 1 */
    GENE_CHOICE,  /* uint8_t: one of `names` */
    GENE_SENSORS, /* uint64_t: a set of SENSOR_BIT() */
    GENE_INPUT,   /* struct input_gene */
    GENE_INPUTS,  /* GENOME_DRIVES_MAX of them; the range's high says how many are used */
};

/* The range of a field, both ends included. GENE_LIMITS: the lowest lower one and the highest upper
 * one. 0 .. 0: the field is not used in this gene, and is 0. */
struct gene_range {
    double low, high;
};

enum {
    GENE_REQUIRED = 1, /* text must have it, where it is used */
    GENE_WRITTEN = 2,  /* text has it always, where it is used, else only if it is not as assumed */
    GENE_GATE = 4,     /* its group exists where it is not 0 */
    GENE_ABOVE = 8,    /* above the range's low */
    GENE_BOOLEAN = 16, /* of a choice: text may say false and true for the first two names */
    GENE_BRAIN = 32,   /* belongs to the brain: bodies that differ only here are alike */
    GENE_LINK = 64,    /* an id: of the gene itself, or of one that it leads to */
    /* later versions added it, at the table's end: see gene_without() */
    GENE_LATE = 128,  /* format 7 */
    GENE_LATER = 256, /* format 8 */
    GENE_LAST = 512,  /* format 9 */
    GENE_HEAD = 1024, /* format 10 */
    GENE_ANY_LATE = GENE_LATE | GENE_LATER | GENE_LAST | GENE_HEAD,
};

/* The forms that limits have in text: by the unit of the joint. */
struct gene_limit_form {
    const char *key;           /* "limits_rad" */
    const char *lower, *upper; /* "lower_rad", "upper_rad" */
    const char *unit;          /* "rad" */
};

/* Which kind of mutation (mutation.KIND) changes a number or choice, and how. */
enum gene_change {
    CHANGE_NONE, /* by a function of its own, or not at all */
    CHANGE_SIZE,
    CHANGE_SYMMETRY,
    CHANGE_LIMITS,
    CHANGE_AXIS,
    CHANGE_LENGTH,
    CHANGE_MUSCLE,
    CHANGE_PLACEMENT,
    CHANGE_SCALE,
    CHANGE_FLAGS,
    CHANGE_MOUTH,
};
struct gene_mutation {
    enum gene_change change;
    double least;           /* scale of a change of a value near 0 */
    int is_signed;          /* the sign may turn */
    int digits;             /* behind the point, in words */
    size_t lowest, highest; /* parameters that bound it, too: offsets in struct params; 0: none */
};

struct gene_field {
    const char *name;  /* "radius_m": in errors and, where key is NULL, in text */
    const char *key;   /* in text; "": the group says it */
    const char *words; /* in sentences: "radius" */
    const char *unit;  /* behind numbers in sentences: "m"; NULL: none */
    const char *group; /* text has it in an object of this name; NULL: in the gene's own */
    enum gene_type type;
    unsigned flags;
    size_t offset;
    struct gene_range range;
    const char *const *names; /* GENE_CHOICE: of 0 .. range.high */
    uint32_t choices;         /* GENE_CHOICE: those of the range that it may be, as bits; 0: all */
    double assumed;           /* what text need not say; of limits either way */
    /* GENE_LIMITS: which of the forms this gene has */
    const struct gene_limit_form *forms;
    int form_count;
    int (*form)(const void *gene);                 /* NULL: the first */
    double (*assume)(const void *gene);            /* instead of `assumed`; NULL: that */
    struct gene_range (*narrow)(const void *gene); /* instead of `range`; NULL: that */
    int (*is_absent)(const void *gene);            /* then it is `absent`; NULL: it never is */
    struct gene_range absent;
    struct gene_mutation mutation;
};

/* A table ends with a row whose name is NULL. */

struct input_gene;

/* The field's place in a gene. */
static inline void *gene_at(void *gene, const struct gene_field *field)
{
    return (char *)gene + field->offset;
}
static inline const void *gene_at_const(const void *gene, const struct gene_field *field)
{
    return (const char *)gene + field->offset;
}

/* The range of the field in this gene: 0 .. 0 where its group does not exist. */
struct gene_range gene_range_of(const struct gene_field *table, const struct gene_field *field,
                                const void *gene);
static inline int gene_is_used(struct gene_range range)
{
    return range.low != 0 || range.high != 0;
}
/* 1 if a number in the range is one of the choices. */
static inline int gene_is_choice(const struct gene_field *field, int number)
{
    return !field->choices || (field->choices >> number & 1);
}
/* The field's value in text that does not name it: a number; of limits that much either way. */
double gene_assumed(const struct gene_field *field, const void *gene);
/* The number in a field of type REAL, COUNT, FLAG or CHOICE. */
double gene_number(const struct gene_field *field, const void *gene);
void gene_set_number(const struct gene_field *field, void *gene, double number);
const struct gene_limit_form *gene_form(const struct gene_field *field, const void *gene);

/* Values of a field or of all fields are the same; doubles by value. */
int gene_is_equal(const struct gene_field *table, const void *a, const void *b);
int gene_is_equal_field(const struct gene_field *field, const void *a, const void *b);
int gene_is_equal_input(const struct input_gene *a, const struct input_gene *b);
/* The flags of the late fields that hash and binary row leave out, as not one of that version nor
 * of a later one is used: they are then those of the versions before. */
unsigned gene_without(const struct gene_field *table, const void *gene);
/* Order-dependent; `without`: fields with any of these flags are left out. */
uint64_t gene_hash(const struct gene_field *table, const void *gene, unsigned without,
                   uint64_t hash);
uint64_t gene_hash_input(const struct input_gene *input, uint64_t hash);

#endif
