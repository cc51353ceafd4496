#include "common/creature/creature_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/creature/creature_codec.h"

#define PREFIX "#c=1."

/* The link: version, name, seed, digest, parameters, genome. */
enum { LINK_VERSION = 1, LINK_ITEMS = 6 };

void creature_link_encode(const struct creature *creature, const struct creature_link *link,
                          struct pack_writer *writer)
{
    pack_array(writer, LINK_ITEMS);
    pack_u64(writer, LINK_VERSION);
    pack_text(writer, creature->name);
    pack_u64(writer, link->seed);
    pack_u64(writer, link->digest);
    params_encode_changed(&link->params, writer);
    genome_encode(&creature->genome, writer);
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

static int decode(struct creature *creature, struct creature_link *link, const msgpack_object *root,
                  struct error *error)
{
    const msgpack_object *items = NULL;
    uint64_t version = 0;
    size_t count = 0;
    int rc = pack_get_array(root, LINK_ITEMS, -1, &items, &count, "link", error);
    if (!rc)
        rc = pack_get_u64(count ? &items[0] : NULL, UINT32_MAX, &version, "version", error);
    if (!rc && version != LINK_VERSION)
        return error_set(error, ERR_VERSION, "it is of a later version");
    if (!rc && count != LINK_ITEMS)
        return error_set(error, ERR_FORMAT, "%zu items", count);
    if (rc ||
        (rc = pack_get_text(&items[1], creature->name, sizeof creature->name, "name", error)) ||
        (rc = pack_get_u64(&items[2], UINT64_MAX, &link->seed, "seed", error)) ||
        (rc = pack_get_u64(&items[3], UINT64_MAX, &link->digest, "digest", error)))
        return rc;
    params_set_defaults(&link->params);
    rc = params_decode(&link->params, &items[4], &creature->remark, error);
    if (!rc)
        rc = params_check(&link->params, error);
    return rc ? rc : genome_decode(&creature->genome, &items[5], error);
}

int creature_link_decode(struct creature *creature, struct creature_link *link, const void *bytes,
                         size_t length, struct error *error)
{
    struct pack_reader reader;
    int rc = pack_open(&reader, bytes, length, error);
    if (!rc) {
        rc = decode(creature, link, reader.root, error);
        pack_close(&reader);
    }
    return rc ? error_prefix(error, "link") : 0;
}
