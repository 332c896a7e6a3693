// SHA-256 (FIPS 180-4) where CryptoKit isn't, which is on no phone. In C for the reason that
// distances.h has: x86-64's instructions for it.

#ifndef BRRKIT_SHA256_H
#define BRRKIT_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Mixes `count` blocks of 64 bytes into a state of 8 numbers, the fastest way that there is.
void brrkit_sha256(uint32_t *state, const uint8_t *blocks, size_t count);

/// Does the same, on every processor. For tests.
void brrkit_sha256_portable(uint32_t *state, const uint8_t *blocks, size_t count);

/// Whether this processor has instructions that `brrkit_sha256` uses.
bool brrkit_sha256_has_instructions(void);

#endif
