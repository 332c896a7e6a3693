;; Scans of all codes of a vocabulary, and of their masses, equivalent to plainScan.ts. wat2wasm compiles this file
;; into the module in compiledScan.ts; a test compares them. Addresses are in bytes. The values of a mass's bytes are
;; at 0, the sums at 2048.
(module
  (memory (export "memory") 1)

  ;; Equals `differ` on distances of 0 with a weight of 1, in half the time, because it takes two codes at a time.
  ;; There is room for one more distance.
  (func (export "start")
    (param $code i32) (param $end i32) (param $distance i32)
    (param $width i32) (param $low i32) (param $high i32)
    (local $query i64)
    (local.set $query
      (i64.or
        (i64.extend_i32_u (local.get $low))
        (i64.shl (i64.extend_i32_u (local.get $high)) (i64.const 32))))
    (loop $next
      (i32.store16 (local.get $distance)
        (i32.wrap_i64 (i64.popcnt (i64.xor (i64.load (local.get $code)) (local.get $query)))))
      (local.set $code (i32.add (local.get $code) (local.get $width)))
      (i32.store16 offset=2 (local.get $distance)
        (i32.wrap_i64 (i64.popcnt (i64.xor (i64.load (local.get $code)) (local.get $query)))))
      (local.set $distance (i32.add (local.get $distance) (i32.const 4)))
      (local.set $code (i32.add (local.get $code) (local.get $width)))
      (br_if $next (i32.lt_u (local.get $code) (local.get $end)))))

  ;; Adds to each distance `weight` times the number of bits in which 64 bits of a code differ from `high` and `low`.
  ;; The first code's 64 bits are at `code`, the next code's `width` bytes later, and the last ones before `end`.
  (func (export "differ")
    (param $code i32) (param $end i32) (param $distance i32)
    (param $width i32) (param $low i32) (param $high i32) (param $weight i32)
    (local $query i64)
    (local.set $query
      (i64.or
        (i64.extend_i32_u (local.get $low))
        (i64.shl (i64.extend_i32_u (local.get $high)) (i64.const 32))))
    (loop $next
      (i32.store16 (local.get $distance)
        (i32.add
          (i32.load16_u (local.get $distance))
          (i32.mul
            (local.get $weight)
            (i32.wrap_i64 (i64.popcnt (i64.xor (i64.load (local.get $code)) (local.get $query)))))))
      (local.set $distance (i32.add (local.get $distance) (i32.const 2)))
      (local.set $code (i32.add (local.get $code) (local.get $width)))
      (br_if $next (i32.lt_u (local.get $code) (local.get $end)))))

  ;; Returns the address of the first distance below `limit`, from the one at `distance` on; otherwise `end`.
  (func (export "firstBelow") (param $distance i32) (param $end i32) (param $limit i32) (result i32)
    (block $found
      (loop $next
        (br_if $found (i32.ge_u (local.get $distance) (local.get $end)))
        (br_if $found (i32.lt_u (i32.load16_u (local.get $distance)) (local.get $limit)))
        (local.set $distance (i32.add (local.get $distance) (i32.const 2)))
        (br $next)))
    (local.get $distance))

  ;; Adds the level of each mass to the sum for its word's distance. Masses are the bytes from `mass` to before `end`.
  ;; It takes two words at a time; the masses behind the last word are 0. It has the type of `sum64`.
  (func (export "sum") (param $mass i32) (param $end i32) (param $distance i32) (param i32 i32)
    (local $sum i32)
    (loop $next
      (local.set $sum (i32.shl (i32.load16_u (local.get $distance)) (i32.const 3)))
      (f64.store offset=2048 (local.get $sum)
        (f64.add
          (f64.load offset=2048 (local.get $sum))
          (f64.load (i32.shl (i32.load8_u (local.get $mass)) (i32.const 3)))))
      (local.set $sum (i32.shl (i32.load16_u offset=2 (local.get $distance)) (i32.const 3)))
      (f64.store offset=2048 (local.get $sum)
        (f64.add
          (f64.load offset=2048 (local.get $sum))
          (f64.load (i32.shl (i32.load8_u offset=1 (local.get $mass)) (i32.const 3)))))
      (local.set $distance (i32.add (local.get $distance) (i32.const 4)))
      (local.set $mass (i32.add (local.get $mass) (i32.const 2)))
      (br_if $next (i32.lt_u (local.get $mass) (local.get $end)))))

  ;; Adds the same to the sum for each word's distance from `high` and `low`, for codes of 64 bits. It takes less time
  ;; than `start` and `sum`, because it stores no distances, and takes four words at a time.
  (func (export "sum64")
    (param $mass i32) (param $end i32) (param $code i32) (param $low i32) (param $high i32)
    (local $sum i32)
    (local $query i64)
    (local.set $query
      (i64.or
        (i64.extend_i32_u (local.get $low))
        (i64.shl (i64.extend_i32_u (local.get $high)) (i64.const 32))))
    (loop $next
      (local.set $sum
        (i32.shl
          (i32.wrap_i64 (i64.popcnt (i64.xor (i64.load (local.get $code)) (local.get $query))))
          (i32.const 3)))
      (f64.store offset=2048 (local.get $sum)
        (f64.add
          (f64.load offset=2048 (local.get $sum))
          (f64.load (i32.shl (i32.load8_u (local.get $mass)) (i32.const 3)))))
      (local.set $sum
        (i32.shl
          (i32.wrap_i64 (i64.popcnt (i64.xor (i64.load offset=8 (local.get $code)) (local.get $query))))
          (i32.const 3)))
      (f64.store offset=2048 (local.get $sum)
        (f64.add
          (f64.load offset=2048 (local.get $sum))
          (f64.load (i32.shl (i32.load8_u offset=1 (local.get $mass)) (i32.const 3)))))
      (local.set $sum
        (i32.shl
          (i32.wrap_i64 (i64.popcnt (i64.xor (i64.load offset=16 (local.get $code)) (local.get $query))))
          (i32.const 3)))
      (f64.store offset=2048 (local.get $sum)
        (f64.add
          (f64.load offset=2048 (local.get $sum))
          (f64.load (i32.shl (i32.load8_u offset=2 (local.get $mass)) (i32.const 3)))))
      (local.set $sum
        (i32.shl
          (i32.wrap_i64 (i64.popcnt (i64.xor (i64.load offset=24 (local.get $code)) (local.get $query))))
          (i32.const 3)))
      (f64.store offset=2048 (local.get $sum)
        (f64.add
          (f64.load offset=2048 (local.get $sum))
          (f64.load (i32.shl (i32.load8_u offset=3 (local.get $mass)) (i32.const 3)))))
      (local.set $code (i32.add (local.get $code) (i32.const 32)))
      (local.set $mass (i32.add (local.get $mass) (i32.const 4)))
      (br_if $next (i32.lt_u (local.get $mass) (local.get $end))))))
