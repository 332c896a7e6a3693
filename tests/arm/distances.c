// Prints what the C part of the Swift package makes of numbers that are the same on every machine.

#include <inttypes.h>
#include <stdio.h>

#include "distances.h"
#include "numbers.h"
#include "sha256.h"

enum { COUNT = 1001, MOST = 8, LARGEST = 64 * MOST * 16 + 1 };

static uint64_t digest = 0xcbf29ce484222325;

static void add(uint64_t number) {  // FNV-1a, of 64 bits at a time
    digest = (digest ^ number) * 0x100000001b3;
}

static uint64_t codes[COUNT * MOST], query[MOST];
static uint8_t masses[COUNT], blocks[64 * 32];
static uint16_t distances[COUNT];
static int64_t levels[256], sums[LARGEST], room[LARGEST * BRRKIT_SIDES];

int main(void) {
    for (size_t i = 0; i < COUNT * MOST; i++) codes[i] = next();
    for (size_t i = 0; i < MOST; i++) query[i] = next();
    for (size_t i = 0; i < COUNT; i++) masses[i] = (uint8_t)next();
    for (size_t i = 0; i < 256; i++) levels[i] = (int64_t)(next() >> 30);
    for (size_t i = 0; i < sizeof blocks; i++) blocks[i] = (uint8_t)next();
    for (size_t numbers = 1; numbers <= MOST; numbers++) {
        for (size_t tasks = 0; tasks < numbers; tasks++) {
            for (uint16_t weight = 0; weight <= 16; weight++) {
                for (size_t count = COUNT - 9; count <= COUNT; count++) {
                    uint16_t least;
                    brrkit_distances(codes, count, query, numbers, tasks, weight, distances, &least);
                    for (size_t i = 0; i < count; i++) add(distances[i]);
                    add(least);
                    brrkit_sums(codes, count, query, numbers, tasks, weight, masses, levels, sums,
                                room);
                    size_t size = 64 * (numbers - tasks + tasks * weight) + 1;
                    for (size_t i = 0; i < size; i++) add((uint64_t)sums[i]);
                }
            }
        }
        printf("%zu numbers: %016" PRIx64 "\n", numbers, digest);
    }
    for (size_t count = 0; count <= 32; count++) {
        uint32_t one[8] = {1, 2, 3, 4, 5, 6, 7, 8}, other[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        brrkit_sha256(one, blocks, count);
        brrkit_sha256_portable(other, blocks, count);
        for (size_t i = 0; i < 8; i++) {
            if (one[i] != other[i]) return 1;
            add(one[i]);
        }
    }
    printf("sha256: %016" PRIx64 "\n", digest);
    return 0;
}
