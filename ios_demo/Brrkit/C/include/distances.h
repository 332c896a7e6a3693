// Hamming distances of many codes from one, in C: Swift can't use the instruction that counts bits on
// x86-64 (a simulator's, a server's) without a flag that no package may have.

#ifndef BRRKIT_DISTANCES_H
#define BRRKIT_DISTANCES_H

#include <stddef.h>
#include <stdint.h>

/// Writes the distance of each code from the query; returns the least.
///
/// A code is `numbers` numbers of 64 bits, from 1 to 8; codes has `count` of them, one after the other.
/// Each bit in the last `tasks` of its numbers counts `weight` times, up to 16.
uint16_t brrkit_distances(const uint64_t *codes, size_t count, const uint64_t *query,
                          size_t numbers, size_t tasks, uint16_t weight, uint16_t *distances);

#endif
