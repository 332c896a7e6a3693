// Hamming distances of many codes from one, in C: Swift can't use the instruction that counts bits on
// x86-64 (a simulator's, a server's) without a flag that no package may have.

#ifndef BRRKIT_DISTANCES_H
#define BRRKIT_DISTANCES_H

#include <stddef.h>
#include <stdint.h>

/// Writes the distance of each code from the query, and the least of them.
///
/// A code is `numbers` numbers of 64 bits, from 1 to 8; codes has `count` of them, one after the other.
/// Each bit in the last `tasks` of its numbers counts `weight` times, up to 16.
void brrkit_distances(const uint64_t *codes, size_t count, const uint64_t *query, size_t numbers,
                      size_t tasks, uint16_t weight, uint16_t *distances, uint16_t *least);

/// How many times as long as the sums the room for `brrkit_sums` is.
#define BRRKIT_SIDES 8

/// Writes the sum of the codes' levels at each distance from the query, from 0 to the largest that there can
/// be.
///
/// A code's level is that of its mass. The codes are as above.
void brrkit_sums(const uint64_t *codes, size_t count, const uint64_t *query, size_t numbers,
                 size_t tasks, uint16_t weight, const uint8_t *masses, const int64_t *levels,
                 int64_t *sums, int64_t *room);

#endif
