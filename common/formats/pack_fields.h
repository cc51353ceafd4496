/* The fields of a form in MessagePack, one after the other: one function describes the form, and
 * writes it, reads it or looks at its bounds.
 *
 *     static void visit_point(struct pack_fields *f, struct point *point)
 *     {
 *         struct pack_fields in = pack_fields_record(f, "point", 2);
 *         pack_fields_real(&in, "x_m", &point->x_m, -PLACE_MOST_M, PLACE_MOST_M);
 *         pack_fields_real(&in, "y_m", &point->y_m, -PLACE_MOST_M, PLACE_MOST_M);
 *         pack_fields_close(f, &in);
 *     }
 *
 * The first error stays, and names the field ("point.x_m: ..."); after it every call does nothing,
 * and what was to be read keeps its value. Writing and checking do not change the values. */
#ifndef COMMON_FORMATS_PACK_FIELDS_H
#define COMMON_FORMATS_PACK_FIELDS_H

#include "common/formats/pack.h"

/* Writes where it has a writer, reads where it is reading, else checks. */
struct pack_fields {
    struct pack_writer *writer;
    int is_reading;                 /* from the stream; without one: */
    const msgpack_object *elements; /* the first is the next one */
    struct pack_stream *stream;
    size_t left;               /* elements of the array that are still to be read */
    const char *const *keys;   /* of a map: those of its further fields; NULL: of an array */
    const msgpack_object *map; /* that is read */
    int may_end;               /* the array may lack its later fields: see pack_fields_grown() */
    size_t *memory_left;       /* for callers: bytes that reading may take */
    const char *where;         /* in front of the fields' names */
    int rc;                    /* the first error */
    struct error *error;
};

/* Keeps the first error: "`where`.`name`: ...", or without the name where that is NULL. */
void pack_fields_fail(struct pack_fields *f, int code, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Keeps the error of a decoder of a field, if rc is one, behind the same words. */
void pack_fields_note(struct pack_fields *f, const char *name, int rc);

/* Values that are read or checked must be within their bounds: ERR_RANGE. */
void pack_fields_u64(struct pack_fields *f, const char *name, uint64_t *value, uint64_t most);
void pack_fields_u8(struct pack_fields *f, const char *name, uint8_t *value, uint8_t most);
void pack_fields_u32(struct pack_fields *f, const char *name, uint32_t *value, uint32_t most);
void pack_fields_i64(struct pack_fields *f, const char *name, int64_t *value, int64_t least,
                     int64_t most);
void pack_fields_int(struct pack_fields *f, const char *name, int *value, int least, int most);
void pack_fields_real(struct pack_fields *f, const char *name, double *value, double least,
                      double most);
void pack_fields_bool(struct pack_fields *f, const char *name, int *value);
void pack_fields_text(struct pack_fields *f, const char *name, char *text, size_t size);

/* The next object that is read; NULL after an error, and where nothing is read. `room` is for that
 * of a stream; NULL where there is none. */
const msgpack_object *pack_fields_next(struct pack_fields *f, msgpack_object *room);

/* Of a stream that is read: the bytes of the next object with all that is in it, which stay until
 * the next call. Returns 0 after an error, and where nothing is read. */
int pack_fields_whole(struct pack_fields *f, const unsigned char **bytes, size_t *length);

/* An array of so many fields, whose messages begin with `where`. */
struct pack_fields pack_fields_record(struct pack_fields *f, const char *where, size_t count);
/* The same, of fields that older versions lack behind the first `oldest`: an array that ends earlier is
 * read, and the fields that it lacks keep their value. */
struct pack_fields pack_fields_grown(struct pack_fields *f, const char *where, size_t count,
                                     size_t oldest);
/* An array of *count elements; where it is read, *count becomes that of the array (0 on an error),
 * `most` at most. */
struct pack_fields pack_fields_list(struct pack_fields *f, const char *where, int *count, int most);
/* A map of exactly these keys (NULL behind the last), with a field for each in their order. */
struct pack_fields pack_fields_map(struct pack_fields *f, const char *where,
                                   const char *const *keys);
/* A field without a value. */
void pack_fields_nil(struct pack_fields *f);
/* Ends an array or a map: an error in it is one of its owner. */
void pack_fields_close(struct pack_fields *f, const struct pack_fields *array);

/* Zeroed memory on the heap for elements that are read; NULL where there is none of them, on an
 * error, and where nothing is read. */
void *pack_fields_memory(struct pack_fields *f, int count, size_t size);

#endif
