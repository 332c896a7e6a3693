// Hamming distances of many codes from one, in C. On x86-64 (simulators, servers), Swift can use
// the instruction that counts bits only with a flag that packages must not set.

#ifndef BRRKIT_DISTANCES_H
#define BRRKIT_DISTANCES_H

#include <stddef.h>
#include <stdint.h>

/// Writes the distance of each code from the query, and the smallest distance.
///
/// A code is `numbers` numbers of 64 bits, from 1 to 8; codes has `count` of them, one after the other.
/// Each bit in the last `tasks` of its numbers counts `weight` times, up to 16.
void brrkit_distances(const uint64_t *codes, size_t count, const uint64_t *query, size_t numbers,
                      size_t tasks, uint16_t weight, uint16_t *distances, uint16_t *least);

/// Size of the buffer for `brrkit_sums`, in multiples of the sums' size.
#define BRRKIT_SIDES 8

/// Writes the sum of the codes' levels at each distance from the query, from 0 to the largest
/// possible one.
///
/// A code's level is that of its mass. The codes have the form above.
void brrkit_sums(const uint64_t *codes, size_t count, const uint64_t *query, size_t numbers,
                 size_t tasks, uint16_t weight, const uint8_t *masses, const int64_t *levels,
                 int64_t *sums, int64_t *room);

#endif
