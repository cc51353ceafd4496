#include "common/creature/creature_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/creature/creature_codec.h"
#include "common/formats/pack_fields.h"

#define PREFIX "#c=1."

/* The link: version, name, seed, digest, parameters, genome. */
enum { LINK_VERSION = 1, LINK_ITEMS = 6 };

static void visit_link(struct pack_fields *f, struct creature *creature, struct creature_link *link)
{
    int count = LINK_ITEMS;
    uint64_t version = LINK_VERSION;
    struct pack_fields in = pack_fields_list(f, "link", &count, INT32_MAX);
    if (count > 0)
        pack_fields_u64(&in, "version", &version, UINT32_MAX);
    if (version != LINK_VERSION)
        pack_fields_fail(&in, ERR_VERSION, NULL, "it is of a later version");
    if (count != LINK_ITEMS)
        pack_fields_fail(&in, ERR_FORMAT, NULL, "%d items", count);
    pack_fields_text(&in, "name", creature->name, sizeof creature->name);
    pack_fields_u64(&in, "seed", &link->seed, UINT64_MAX);
    pack_fields_u64(&in, "digest", &link->digest, UINT64_MAX);
    const msgpack_object *params = pack_fields_next(&in, NULL);
    if (in.writer)
        params_encode_changed(&link->params, in.writer);
    if (params)
        pack_fields_note(&in, NULL,
                         params_decode(&link->params, params, &creature->remark, in.error));
    genome_visit(&in, NULL, &creature->genome);
    pack_fields_close(f, &in);
}

/* Visiting changes nothing of what is written. */
void creature_link_encode(const struct creature *creature, const struct creature_link *link,
                          struct pack_writer *writer)
{
    visit_link(&(struct pack_fields){.writer = writer}, (struct creature *)creature,
               (struct creature_link *)link);
}

/* Without a header, as CompressionStream('deflate-raw') does. NULL: out of memory. */
static unsigned char *deflate_raw(const void *bytes, size_t length, size_t *packed_length)
{
    z_stream stream = {.zalloc = NULL};
    if (deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    uLong most = deflateBound(&stream, (uLong)length);
    unsigned char *packed = malloc(most);
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)length;
    stream.next_out = packed;
    stream.avail_out = (uInt)most;
    int is_done = packed && deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *packed_length = most - stream.avail_out;
    deflateEnd(&stream);
    if (!is_done)
        free(packed);
    return is_done ? packed : NULL;
}

/* base64url (RFC 4648) without padding; `text` has room for 4 characters for each 3 bytes. */
static void write_base64url(char *text, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned word = 0;
    int bits = 0;
    for (size_t i = 0; i < length; i++) {
        word = (word & 0xff) << 8 | bytes[i];
        for (bits += 8; bits >= 6; bits -= 6)
            *text++ = digits[word >> (bits - 6) & 63];
    }
    if (bits)
        *text++ = digits[word << (6 - bits) & 63];
    *text = '\0';
}

char *creature_link_text(const struct creature *creature, const struct creature_link *link)
{
    struct pack_writer writer;
    size_t length = 0;
    char *text = NULL;
    pack_writer_init(&writer);
    creature_link_encode(creature, link, &writer);
    unsigned char *packed =
        writer.has_failed ? NULL : deflate_raw(writer.buffer.data, writer.buffer.size, &length);
    if (packed && (text = malloc(sizeof PREFIX + length / 3 * 4 + 4))) {
        memcpy(text, PREFIX, sizeof PREFIX);
        write_base64url(text + strlen(PREFIX), packed, length);
    }
    free(packed);
    pack_writer_deinit(&writer);
    return text;
}

int creature_link_decode(struct creature *creature, struct creature_link *link, const void *bytes,
                         size_t length, struct error *error)
{
    struct pack_reader reader;
    if (pack_open(&reader, bytes, length, error))
        return error_prefix(error, "link");
    struct pack_fields f = {.is_reading = 1, .elements = reader.root, .left = 1, .error = error};
    visit_link(&f, creature, link);
    pack_close(&reader);
    return f.rc;
}
