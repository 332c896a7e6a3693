#include "distances.h"

// In each caller, `numbers` is a constant, and the inner loop is written out.
static inline __attribute__((always_inline)) uint16_t scan(const uint64_t *codes, size_t count,
                                                           const uint64_t *query, size_t numbers,
                                                           uint16_t *distances) {
    for (size_t i = 0; i < count; i++) {
        int distance = 0;
        for (size_t j = 0; j < numbers; j++) {
            distance += __builtin_popcountll(codes[i * numbers + j] ^ query[j]);
        }
        distances[i] = (uint16_t)distance;
    }
    uint16_t least = UINT16_MAX;  // in a loop of its own, which compilers do eight at a time
    for (size_t i = 0; i < count; i++) least = distances[i] < least ? distances[i] : least;
    return least;
}

static inline __attribute__((always_inline)) uint16_t scan_of(const uint64_t *codes, size_t count,
                                                              const uint64_t *query,
                                                              size_t numbers,
                                                              uint16_t *distances) {
    switch (numbers) {
    case 1: return scan(codes, count, query, 1, distances);
    case 2: return scan(codes, count, query, 2, distances);
    case 4: return scan(codes, count, query, 4, distances);
    default: return scan(codes, count, query, numbers, distances);
    }
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static uint16_t with_popcnt(const uint64_t *codes, size_t count,
                                                              const uint64_t *query,
                                                              size_t numbers,
                                                              uint16_t *distances) {
    return scan_of(codes, count, query, numbers, distances);
}
#endif

uint16_t brrkit_distances(const uint64_t *codes, size_t count, const uint64_t *query,
                          size_t numbers, uint16_t *distances) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt")) {
        return with_popcnt(codes, count, query, numbers, distances);
    }
#endif
    return scan_of(codes, count, query, numbers, distances);
}
