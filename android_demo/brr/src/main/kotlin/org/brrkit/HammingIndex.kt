package org.brrkit

import java.lang.Long.bitCount
import java.nio.LongBuffer
import java.util.Arrays

/**
 * Exact Hamming search over the mapped codes.
 *
 * Safe to share between threads. A scan allocates nothing, except its scratch space once per thread.
 *
 * @param taskBits number of a code's last bits that are task bits.
 * @param taskWeight weight of a differing task bit in a distance.
 */
internal class HammingIndex(
    private val codes: Codes,
    taskBits: Int = 0,
    private val taskWeight: Int = 1,
) {
    private class Scratch(val source: LongBuffer, longs: Int, largest: Int) {
        val codes = LongArray(longs)
        val distances = IntArray(STEP)
        val masses = ByteArray(STEP)
        val sums = LongArray(LANES * (largest + 1))
    }

    /** The largest distance between two codes. */
    val largest: Int = codes.bits + (taskWeight - 1) * taskBits

    /** Number of codes per block: a multiple of a step. */
    private val blockSize = (codes.size + BLOCKS * STEP - 1) / (BLOCKS * STEP) * STEP

    private val wordLongs = (codes.bits - taskBits) / Long.SIZE_BITS
    private val scratch = ThreadLocal<Scratch>()

    /**
     * Returns the ids of the [k] codes nearest to [query]; ties go to the lower rank.
     *
     * Each number is a distance, shifted left by 32, plus an id.
     */
    fun nearest(query: LongArray, k: Int): LongArray {
        val found = LongArray(k) { Long.MAX_VALUE }
        scan(query) { start, scratch, count ->
            val distances = distances(query, scratch, count)
            // Ids ascend, so among equals, the earlier one stays.
            var i = -1
            while (true) {
                i = firstBelow((found[k - 1] ushr 32).toInt(), distances, i + 1, count)
                if (i == count) break
                insert(found, (distances[i].toLong() shl 32) + start + i)
            }
            true
        }
        return found
    }

    /** Returns the sums of a [measure] over the codes at each distance from [query], 0 to [largest]. */
    fun sums(query: LongArray, measure: Measure): Sums {
        val upTo = Array(BLOCKS) { LongArray(largest + 1) } // the same for any number of codes
        val lanes = scratch(query).sums
        val source = measure.words.duplicate()
        val size = largest + 1
        Arrays.fill(lanes, 0)
        var place = measure.begin
        scan(query) { start, scratch, count ->
            source.get(scratch.masses, 0, count)
            if (query.size == 1) {
                add64(query[0], scratch.codes, scratch.masses, count, measure.levels, lanes)
            } else {
                add(distances(query, scratch, count), scratch.masses, count, measure.levels, lanes, size)
            }
            while (place < measure.end) {
                val i = measure.after(place) - start
                if (i >= count) break
                lanes[distance(query, scratch.codes, i)] += measure.gain(place++)
            }
            val end = start + count
            if (end % blockSize == 0 || end == codes.size) addUp(lanes, upTo[start / blockSize])
            true
        }
        return Sums(upTo, (codes.size - 1) / blockSize)
    }

    /**
     * Returns the id of the first code at [distance] from [query] up to which the [measure] of the codes there
     * sums to more than [number]. [number] is below the sum over all of them.
     *
     * @param sums sums of the measure. Only the block in which they exceed the number is scanned.
     */
    fun idAt(query: LongArray, distance: Int, number: Long, measure: Measure, sums: Sums): Int {
        val block = sums.block(distance, number)
        var left = number - sums.before(block, distance)
        var place = measure.begin
        var id = -1
        scan(query, block * blockSize) { start, scratch, count ->
            val distances = distances(query, scratch, count)
            var i = firstAt(distance, distances, 0, count)
            while (i < count) {
                left -= measure.mass(start + i)
                while (place < measure.end && measure.after(place) < start + i) place++
                if (place < measure.end && measure.after(place) == start + i) {
                    left -= measure.gain(place)
                }
                if (left < 0) {
                    id = start + i
                    break
                }
                i = firstAt(distance, distances, i + 1, count)
            }
            id < 0
        }
        return id
    }

    /** Returns this thread's scratch space for a [query]. */
    private fun scratch(query: LongArray): Scratch = scratch.get()
        ?: Scratch(codes.duplicate(), STEP * query.size, largest).also(scratch::set)

    /**
     * Passes the codes from the id [from] on to [take], one step at a time, until it returns false. Its arguments
     * are the first code's id, the scratch space with the codes, and their number.
     */
    private inline fun scan(query: LongArray, from: Int = 0, take: (Int, Scratch, Int) -> Boolean) {
        val scratch = scratch(query)
        scratch.source.moveTo(from * query.size)
        var start = from
        while (start < codes.size) {
            val count = minOf(STEP, codes.size - start)
            scratch.source.get(scratch.codes, 0, count * query.size)
            if (!take(start, scratch, count)) return
            start += count
        }
    }

    /** Returns the distance of one of the [codes]. */
    private fun distance(query: LongArray, codes: LongArray, at: Int): Int {
        var sum = 0
        for ((place, long) in query.withIndex()) {
            val times = if (place < wordLongs) 1 else taskWeight
            sum += times * bitCount(codes[at * query.size + place] xor long)
        }
        return sum
    }

    /** Returns the distances of the first [count] codes, in the [scratch] space. */
    private fun distances(query: LongArray, scratch: Scratch, count: Int): IntArray {
        val codes = scratch.codes
        val into = scratch.distances
        val alike = taskWeight == 1
        when {
            query.size == 1 -> distances64(query[0], codes, into, count)
            query.size == 2 && alike -> distances128(query[0], query[1], codes, into, count)
            query.size == 2 -> weighted128(query[0], query[1], taskWeight, codes, into, count)
            query.size == 4 && alike -> distances256(query, codes, into, count)
            else -> {
                into.fill(0)
                for ((place, long) in query.withIndex()) {
                    val times = if (place < wordLongs) 1 else taskWeight
                    addDistances(long, place, query.size, times, codes, into, count)
                }
            }
        }
        return into
    }

    private companion object {
        /** Number of codes per step: 32 KB at 256 bits, which stay in the cache. */
        const val STEP = 1024

        /** Largest number of blocks with separate sums. */
        const val BLOCKS = 8

        /** Number of sums side by side, so that no addition waits for the previous one. */
        const val LANES = 4

        /** Number of sums per lane if a code is one number of 64 bits. */
        const val SUMS_64 = 65

        // Each loop is a separate method without an inner loop, which compilers optimize best.

        fun distances64(query: Long, codes: LongArray, into: IntArray, count: Int) {
            for (i in 0 until count) into[i] = bitCount(codes[i] xor query)
        }

        fun distances128(
            first: Long,
            second: Long,
            codes: LongArray,
            into: IntArray,
            count: Int,
        ) {
            for (i in 0 until count) {
                into[i] = bitCount(codes[2 * i] xor first) + bitCount(codes[2 * i + 1] xor second)
            }
        }

        fun distances256(query: LongArray, codes: LongArray, into: IntArray, count: Int) {
            val (first, second, third, fourth) = query
            for (i in 0 until count) {
                into[i] = bitCount(codes[4 * i] xor first) + bitCount(codes[4 * i + 1] xor second) +
                    bitCount(codes[4 * i + 2] xor third) + bitCount(codes[4 * i + 3] xor fourth)
            }
        }

        /** The second number of a code contains its task bits. Each counts [weight] times. */
        fun weighted128(
            first: Long,
            second: Long,
            weight: Int,
            codes: LongArray,
            into: IntArray,
            count: Int,
        ) {
            for (i in 0 until count) {
                into[i] = bitCount(codes[2 * i] xor first) +
                    weight * bitCount(codes[2 * i + 1] xor second)
            }
        }

        /** Adds the distances of the numbers at a [place] among the [longs] of each code, [times] times. */
        fun addDistances(
            query: Long,
            place: Int,
            longs: Int,
            times: Int,
            codes: LongArray,
            into: IntArray,
            count: Int,
        ) {
            for (i in 0 until count) into[i] += times * bitCount(codes[longs * i + place] xor query)
        }

        /** Returns the first place from [start] on with a distance below [limit], or [end]. */
        fun firstBelow(limit: Int, distances: IntArray, start: Int, end: Int): Int {
            for (i in start until end) if (distances[i] < limit) return i
            return end
        }

        /** Returns the first place from [start] on with exactly [distance], or [end]. */
        fun firstAt(distance: Int, distances: IntArray, start: Int, end: Int): Int {
            for (i in start until end) if (distances[i] == distance) return i
            return end
        }

        /**
         * Adds the levels of the first [count] masses to [lanes] of [size] sums each, at the distance of each.
         */
        fun add(
            distances: IntArray,
            masses: ByteArray,
            count: Int,
            levels: LongArray,
            lanes: LongArray,
            size: Int,
        ) {
            val rounds = count - count % LANES
            var i = 0
            while (i < rounds) { // one lane after the other, because no compiler generates this
                lanes[distances[i]] += levels[masses[i].toInt() and 0xFF]
                lanes[size + distances[i + 1]] += levels[masses[i + 1].toInt() and 0xFF]
                lanes[2 * size + distances[i + 2]] += levels[masses[i + 2].toInt() and 0xFF]
                lanes[3 * size + distances[i + 3]] += levels[masses[i + 3].toInt() and 0xFF]
                i += LANES
            }
            while (i < count) lanes[distances[i]] += levels[masses[i++].toInt() and 0xFF]
        }

        /** The same for codes of 64 bits, whose distances needn't be stored. */
        fun add64(
            query: Long,
            codes: LongArray,
            masses: ByteArray,
            count: Int,
            levels: LongArray,
            lanes: LongArray,
        ) {
            val rounds = count - count % LANES
            var i = 0
            while (i < rounds) {
                lanes[bitCount(codes[i] xor query)] += levels[masses[i].toInt() and 0xFF]
                lanes[SUMS_64 + bitCount(codes[i + 1] xor query)] += levels[masses[i + 1].toInt() and 0xFF]
                lanes[2 * SUMS_64 + bitCount(codes[i + 2] xor query)] += levels[masses[i + 2].toInt() and 0xFF]
                lanes[3 * SUMS_64 + bitCount(codes[i + 3] xor query)] += levels[masses[i + 3].toInt() and 0xFF]
                i += LANES
            }
            while (i < count) {
                lanes[bitCount(codes[i] xor query)] += levels[masses[i].toInt() and 0xFF]
                i++
            }
        }

        /** Adds up all [lanes] in [into]. */
        fun addUp(lanes: LongArray, into: LongArray) {
            for (lane in 0 until LANES) {
                for (distance in into.indices) into[distance] += lanes[lane * into.size + distance]
            }
        }

        /** Inserts [entry] into the ascending [found], and drops the last one. */
        fun insert(found: LongArray, entry: Long) {
            var place = found.size - 1
            while (place > 0 && found[place - 1] > entry) {
                found[place] = found[place - 1]
                place--
            }
            found[place] = entry
        }
    }
}

/**
 * The sums of a measure at each distance from a code.
 *
 * @property upTo sums over a block of codes and all earlier blocks, by block and distance.
 * @property last last block.
 */
internal class Sums(private val upTo: Array<LongArray>, private val last: Int) {
    /** Returns the sum over all codes at a [distance]. */
    operator fun get(distance: Int): Long = upTo[last][distance]

    /** Returns the sum over the codes at a [distance] in all blocks before [block]. */
    fun before(block: Int, distance: Int): Long = if (block == 0) 0 else upTo[block - 1][distance]

    /** Returns the first block up to which the codes at a [distance] sum to more than [number]. */
    fun block(distance: Int, number: Long): Int {
        var block = 0
        while (upTo[block][distance] <= number) block++
        return block
    }
}
