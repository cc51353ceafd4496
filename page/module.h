/* Functions and state that the files of the page's module share. */
#ifndef PAGE_MODULE_H
#define PAGE_MODULE_H

#include "library/library.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* Those that web_set() set; NULL before web_begin(). */
const struct bestiary_params *module_params(void);
/* Puts an error into what web_error() says, as library_say() does. */
int module_say(int status, const struct error *own);

#endif
