/* Packs several things in one call, for tests that write formats by hand:
 * put(&writer, ARRAY(3), U64(7), TEXT("name"), NIL); */
#ifndef TESTS_PACKED_H
#define TESTS_PACKED_H

#include "common/formats/pack.h"

/* The letter of the function; the end has none. */
struct packed_item {
    char letter;
    uint64_t number;
    double real;
    const char *text;
};

#define ARRAY(count)     ((struct packed_item){'a', (uint64_t)(count), 0, NULL})
#define MAP(count)       ((struct packed_item){'m', (uint64_t)(count), 0, NULL})
#define U64(value)       ((struct packed_item){'u', (value), 0, NULL})
#define I64(value)       ((struct packed_item){'i', (uint64_t)(value), 0, NULL})
#define DOUBLE(value)    ((struct packed_item){'d', 0, (value), NULL})
#define TEXT(value)      ((struct packed_item){'t', 0, 0, (value)})
#define NIL              ((struct packed_item){'n', 0, 0, NULL})
#define put(writer, ...) put_items(writer, (const struct packed_item[]){__VA_ARGS__, {0}})

static inline void put_items(struct pack_writer *writer, const struct packed_item *item)
{
    for (; item->letter; item++)
        if (item->letter == 'a')
            pack_array(writer, (size_t)item->number);
        else if (item->letter == 'm')
            pack_map(writer, (size_t)item->number);
        else if (item->letter == 'u')
            pack_u64(writer, item->number);
        else if (item->letter == 'i')
            pack_i64(writer, (int64_t)item->number);
        else if (item->letter == 'd')
            pack_double(writer, item->real);
        else if (item->letter == 't')
            pack_text(writer, item->text);
        else
            pack_nil(writer);
}

#endif
