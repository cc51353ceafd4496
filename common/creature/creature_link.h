/* A creature as a link carries it: enough to simulate it again and to see that it moves the
 * same. Its genome, the parameters that are not the defaults, by name, seed and digest; deflated
 * about 1 kB. A page's address has it behind "#c=1.", deflated without a header, in base64url. */
#ifndef COMMON_CREATURE_CREATURE_LINK_H
#define COMMON_CREATURE_CREATURE_LINK_H

#include "common/creature/creature.h"

struct creature_link {
    struct params params; /* of evaluation and judgement */
    uint64_t seed, digest;
};

void creature_link_encode(const struct creature *creature, const struct creature_link *link,
                          struct pack_writer *writer);
/* "#c=1.", and all that in the form that a page reads; the caller frees it. NULL: out of memory. */
char *creature_link_text(const struct creature *creature, const struct creature_link *link);
/* The bytes are untrusted. Fills name and genome of a creature that is initialised. 0, or ERR_*
 * with a message. */
int creature_link_decode(struct creature *creature, struct creature_link *link, const void *bytes,
                         size_t length, struct error *error);

#endif
