// SHA-256 (FIPS 180-4) for systems without CryptoKit, which every phone has. It is in C to use
// instructions of x86-64, as in distances.h.

#ifndef BRRKIT_SHA256_H
#define BRRKIT_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Mixes `count` blocks of 64 bytes into a state of 8 numbers, in the fastest available way.
void brrkit_sha256(uint32_t *state, const uint8_t *blocks, size_t count);

/// Does the same on every processor. For tests.
void brrkit_sha256_portable(uint32_t *state, const uint8_t *blocks, size_t count);

/// Whether this processor has the instructions that `brrkit_sha256` uses.
bool brrkit_sha256_has_instructions(void);

#endif
