#include "distances.h"

#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))
#define CODES                                                                               \
    const uint64_t *codes, size_t count, const uint64_t *query, size_t numbers, size_t tasks,\
        uint16_t weight

ALWAYS int distance(const uint64_t *code, const uint64_t *query, size_t numbers, size_t tasks,
                    int weight) {
    size_t own = numbers - tasks;
    int distance = 0, of_tasks = 0;
    for (size_t j = 0; j < own; j++) distance += __builtin_popcountll(code[j] ^ query[j]);
    for (size_t j = own; j < numbers; j++) of_tasks += __builtin_popcountll(code[j] ^ query[j]);
    return distance + weight * of_tasks;
}

ALWAYS void distances_of(CODES, uint16_t *distances, uint16_t *least) {
    for (size_t i = 0; i < count; i++) {
        distances[i] = (uint16_t)distance(codes + i * numbers, query, numbers, tasks, weight);
    }
    uint16_t min = UINT16_MAX;  // in a separate loop, in which compilers process eight at a time
    for (size_t i = 0; i < count; i++) min = distances[i] < min ? distances[i] : min;
    *least = min;
}

ALWAYS void sums_of(CODES, const uint8_t *masses, const int64_t *levels, int64_t *sums,
                    int64_t *room) {
    // Number of sums side by side, so that no addition waits for the previous ones.
    enum { SIDES = BRRKIT_SIDES };
    size_t size = 64 * (numbers - tasks + tasks * weight) + 1;
    memset(room, 0, SIDES * size * sizeof *room);
#define ADD(side)                                                                           \
    room[(side) * size + (size_t)distance(codes + (i + (side)) * numbers, query, numbers,   \
                                          tasks, weight)] += levels[masses[i + (side)]]
    size_t i = 0;
    for (; i + SIDES <= count; i += SIDES) {
        ADD(0); ADD(1); ADD(2); ADD(3); ADD(4); ADD(5); ADD(6); ADD(7);
    }
    for (; i < count; i++) ADD(0);
#undef ADD
    memcpy(sums, room, size * sizeof *sums);
    for (size_t side = 1; side < SIDES; side++) {
        for (size_t j = 0; j < size; j++) sums[j] += room[side * size + j];
    }
}

// In most callers, `numbers` and `tasks` are constants, so the inner loops are unrolled.
#define WRITTEN_OUT(function, ...)                                                          \
    if (tasks != 0 && weight != 1) {                                                        \
        if (numbers == 2) function(codes, count, query, 2, 1, weight, __VA_ARGS__);         \
        else function(codes, count, query, numbers, tasks, weight, __VA_ARGS__);            \
    } else {                                                                                \
        switch (numbers) {                                                                  \
        case 1: function(codes, count, query, 1, 0, 1, __VA_ARGS__); break;                 \
        case 2: function(codes, count, query, 2, 0, 1, __VA_ARGS__); break;                 \
        case 4: function(codes, count, query, 4, 0, 1, __VA_ARGS__); break;                 \
        default: function(codes, count, query, numbers, 0, 1, __VA_ARGS__);                 \
        }                                                                                   \
    }

#if defined(__x86_64__)
#define POPCNT __attribute__((target("popcnt"))) static

POPCNT void distances_with_popcnt(CODES, uint16_t *distances, uint16_t *least) {
    WRITTEN_OUT(distances_of, distances, least)
}

POPCNT void sums_with_popcnt(CODES, const uint8_t *masses, const int64_t *levels, int64_t *sums,
                             int64_t *room) {
    WRITTEN_OUT(sums_of, masses, levels, sums, room)
}

#define IF_POPCNT(function, ...)                                                            \
    if (__builtin_cpu_supports("popcnt")) {                                                 \
        function(codes, count, query, numbers, tasks, weight, __VA_ARGS__);                 \
        return;                                                                             \
    }
#else
#define IF_POPCNT(...)
#endif

void brrkit_distances(CODES, uint16_t *distances, uint16_t *least) {
    IF_POPCNT(distances_with_popcnt, distances, least)
    WRITTEN_OUT(distances_of, distances, least)
}

void brrkit_sums(CODES, const uint8_t *masses, const int64_t *levels, int64_t *sums,
                 int64_t *room) {
    IF_POPCNT(sums_with_popcnt, masses, levels, sums, room)
    WRITTEN_OUT(sums_of, masses, levels, sums, room)
}
