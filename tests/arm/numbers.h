// Numbers that are the same on every machine, for programs that try the C part of the Swift package.

#include <stdint.h>

static uint64_t state = 1;

static uint64_t next(void) {  // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
