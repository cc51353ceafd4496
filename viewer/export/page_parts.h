/* The texts that pages are made of (page/assemble), and the module that lives in them. */
#ifndef VIEWER_EXPORT_PAGE_PARTS_H
#define VIEWER_EXPORT_PAGE_PARTS_H

#include <stddef.h>

/* In the order in which they stand in a page; between them come the title, the data, and the
 * module: WebAssembly, packed by gzip, of length 0 where this build has none. */
enum page_part_name { PAGE_START, PAGE_HEAD, PAGE_MIDDLE, PAGE_MODULE_PACKED, PAGE_TAIL };
struct page_part {
    const unsigned char *bytes;
    size_t length;
};
struct page_part page_part(enum page_part_name name);

#endif
