/* The functions histogram_of and lowest_of of Certified.v, for codes of 64-bit words. This is not
   proven; tests/proofs compares it with those definitions. */

#include <stdint.h>
#include <string.h>
#include <caml/bigarray.h>
#include <caml/mlvalues.h>

typedef struct {
  const uint64_t *codes; /* own words, then task words, of each vocabulary word */
  long count, own, tasks, weight, last;
} vocabulary;

static vocabulary vocabulary_of(value codes, value shape) {
  long own = Long_val(Field(shape, 0)), tasks = Long_val(Field(shape, 1));
  vocabulary v = { Caml_ba_data_val(codes), Caml_ba_array_val(codes)->dim[0] / (own + tasks), own, tasks,
                   Long_val(Field(shape, 2)), 64 * (own + Long_val(Field(shape, 2)) * tasks) };
  return v;
}

static long distance(const vocabulary *v, long x, long y) {
  const uint64_t *a = v->codes + x * (v->own + v->tasks), *b = v->codes + y * (v->own + v->tasks);
  long own = 0, tasks = 0;
  for (long i = 0; i < v->own; i++) own += __builtin_popcountll(a[i] ^ b[i]);
  for (long i = v->own; i < v->own + v->tasks; i++) tasks += __builtin_popcountll(a[i] ^ b[i]);
  return own + v->weight * tasks;
}

/*
 * found[k]: the sum of the numbers of words at distance k. The caller ensures that no sum
 * overflows.
 */
value brr_histogram(value codes, value shape, value numbers, value x, value found) {
  vocabulary v = vocabulary_of(codes, shape);
  const uint64_t *number = Caml_ba_data_val(numbers);
  uint64_t *sum = Caml_ba_data_val(found);
  memset(sum, 0, (v.last + 1) * sizeof *sum);
  for (long y = 0; y < v.count; y++) sum[distance(&v, Long_val(x), y)] += number[y];
  return Val_unit;
}

/* found[k]: the smallest number of a word at distance k; 0 without one. */
value brr_lowest(value codes, value shape, value numbers, value x, value found) {
  vocabulary v = vocabulary_of(codes, shape);
  const uint64_t *number = Caml_ba_data_val(numbers);
  uint64_t *low = Caml_ba_data_val(found);
  memset(low, 0, (v.last + 1) * sizeof *low);
  for (long y = 0; y < v.count; y++) {
    uint64_t *here = low + distance(&v, Long_val(x), y);
    if (*here == 0 || number[y] < *here) *here = number[y];
  }
  return Val_unit;
}
