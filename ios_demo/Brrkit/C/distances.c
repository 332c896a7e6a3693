#include "distances.h"

#define PARAMETERS                                                                          \
    const uint64_t *codes, size_t count, const uint64_t *query, size_t numbers, size_t tasks,\
        uint16_t weight, uint16_t *distances

// In most callers, `numbers` and `tasks` are constants, and the inner loops are written out.
static inline __attribute__((always_inline)) uint16_t scan(PARAMETERS) {
    size_t own = numbers - tasks;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *code = codes + i * numbers;
        int distance = 0, of_tasks = 0;
        for (size_t j = 0; j < own; j++) distance += __builtin_popcountll(code[j] ^ query[j]);
        for (size_t j = own; j < numbers; j++) of_tasks += __builtin_popcountll(code[j] ^ query[j]);
        distances[i] = (uint16_t)(distance + weight * of_tasks);
    }
    uint16_t least = UINT16_MAX;  // in a loop of its own, which compilers do eight at a time
    for (size_t i = 0; i < count; i++) least = distances[i] < least ? distances[i] : least;
    return least;
}

static inline __attribute__((always_inline)) uint16_t scan_of(PARAMETERS) {
    if (tasks == 0 || weight == 1) {
        switch (numbers) {
        case 1: return scan(codes, count, query, 1, 0, 1, distances);
        case 2: return scan(codes, count, query, 2, 0, 1, distances);
        case 4: return scan(codes, count, query, 4, 0, 1, distances);
        default: return scan(codes, count, query, numbers, 0, 1, distances);
        }
    }
    if (numbers == 2) return scan(codes, count, query, 2, 1, weight, distances);
    return scan(codes, count, query, numbers, tasks, weight, distances);
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static uint16_t with_popcnt(PARAMETERS) {
    return scan_of(codes, count, query, numbers, tasks, weight, distances);
}
#endif

uint16_t brrkit_distances(PARAMETERS) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt")) {
        return with_popcnt(codes, count, query, numbers, tasks, weight, distances);
    }
#endif
    return scan_of(codes, count, query, numbers, tasks, weight, distances);
}
