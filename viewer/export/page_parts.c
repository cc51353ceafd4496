/* Files that the assembler puts into the program; the Makefile makes them and names their folder,
 * and the module where there is one. */
#include "viewer/export/page_data.h"

#define FILE_BYTES(name, path)                                                                     \
    __asm__(".section .rodata\n"                                                                   \
            "page_" #name "_first: .incbin \"" path "\"\n"                                         \
            "page_" #name "_end: .byte 0\n"                                                        \
            ".previous\n");                                                                        \
    extern const unsigned char page_##name##_first[], page_##name##_end[];

FILE_BYTES(start, PAGE_FOLDER "/start")
FILE_BYTES(head, PAGE_FOLDER "/head")
FILE_BYTES(middle, PAGE_FOLDER "/middle")
FILE_BYTES(tail, PAGE_FOLDER "/tail")
#ifdef PAGE_MODULE
FILE_BYTES(module, PAGE_MODULE)
#endif

struct page_part page_part(enum page_part_name name)
{
    static const unsigned char *const ends[][2] = {
        [PAGE_START] = {page_start_first, page_start_end},
        [PAGE_HEAD] = {page_head_first, page_head_end},
        [PAGE_MIDDLE] = {page_middle_first, page_middle_end},
        [PAGE_TAIL] = {page_tail_first, page_tail_end},
#ifdef PAGE_MODULE
        [PAGE_MODULE_PACKED] = {page_module_first, page_module_end},
#else
        [PAGE_MODULE_PACKED] = {NULL, NULL},
#endif
    };
    const unsigned char *first = ends[name][0];
    return (struct page_part){first, first ? (size_t)(ends[name][1] - first) : 0};
}
