// Sums the masses of random codes at each distance from a query, as `exponential` does for each word. Answers each line
// of standard input after SUMS sums.
//
//     kernel SUMS WORDS NUMBERS TASKS      NUMBERS: of 64 bits, to a code; TASKS: the last of them

#include <stdio.h>
#include <stdlib.h>

#include "distances.h"
#include "numbers.h"

static void *room_for(size_t count, size_t size) {
    void *room = calloc(count, size);
    if (room == NULL) exit(1);
    return room;
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    size_t times = strtoul(arguments[1], NULL, 10), words = strtoul(arguments[2], NULL, 10);
    size_t numbers = strtoul(arguments[3], NULL, 10), tasks = strtoul(arguments[4], NULL, 10);
    size_t size = 64 * numbers + 1;
    uint64_t *codes = room_for(words * numbers, sizeof *codes), query[8];
    uint8_t *masses = room_for(words, sizeof *masses);
    int64_t levels[256], *sums = room_for(size, sizeof *sums);
    int64_t *room = room_for(size * BRRKIT_SIDES, sizeof *room);
    for (size_t i = 0; i < words * numbers; i++) codes[i] = next();
    for (size_t i = 0; i < words; i++) masses[i] = (uint8_t)next();
    for (size_t i = 0; i < 256; i++) levels[i] = (int64_t)(next() >> 30);
    puts("0");
    fflush(stdout);
    while (getchar() != EOF) {
        int64_t read = 0;
        for (size_t i = 0; i < times; i++) {
            for (size_t j = 0; j < numbers; j++) query[j] = next();
            brrkit_sums(codes, words, query, numbers, tasks, 1, masses, levels, sums, room);
            read += sums[size / 2];
        }
        while (getchar() != '\n') {}
        printf("%d\n", read == 0);
        fflush(stdout);
    }
}
