/* A child's mutations in the words of a newcomer: "a new wire in the brain" for "input 1 of neuron 6
 * (min) now reads neuron 4 (oscillate-wave, own)". */
#ifndef COMMON_GENETICS_MUTATION_WORDS_H
#define COMMON_GENETICS_MUTATION_WORDS_H

#include <stddef.h>

/* Shortens the text of genetics_mutate(): each kind of change once, in the order of the text, with
 * its number where it came several times. A change that the table does not know stays as it is. */
void mutation_words_shorten(const char *mutations, char *text, size_t size);

#endif
