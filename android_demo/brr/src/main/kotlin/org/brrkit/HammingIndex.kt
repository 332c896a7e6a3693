package org.brrkit

import java.lang.Long.bitCount
import java.nio.LongBuffer

/**
 * Exact Hamming search over the codes where they are mapped.
 *
 * Safe to share between threads. A scan allocates nothing but, once per thread, its scratch space.
 *
 * @param taskBits how many of a code's last bits are task bits.
 * @param taskWeight how many times each of them counts in a distance.
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

    /** The largest distance that two codes can have. */
    val largest: Int = codes.bits + (taskWeight - 1) * taskBits

    private val wordLongs = (codes.bits - taskBits) / Long.SIZE_BITS
    private val scratch = ThreadLocal<Scratch>()

    /**
     * Returns the ids of the [k] codes nearest to [query]; ties go to the lower rank.
     *
     * Each number is a distance, shifted left by 32, plus an id.
     */
    fun nearest(query: LongArray, k: Int): LongArray {
        val found = LongArray(k) { Long.MAX_VALUE }
        scan(query) { start, distances, count ->
            // Ids ascend: among equals, the one that is there stays.
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

    /** Returns the sum of a [measure] over the codes at each distance from [query], 0 to [largest]. */
    fun sums(query: LongArray, measure: Measure): LongArray {
        val masses = scratch(query).masses
        val lanes = scratch(query).sums
        val source = measure.words.duplicate()
        val size = largest + 1
        lanes.fill(0)
        var place = measure.begin
        scan(query) { start, distances, count ->
            source.get(masses, 0, count)
            add(distances, masses, count, measure.levels, lanes, size)
            while (place < measure.end) {
                val i = measure.after(place) - start
                if (i >= count) break
                lanes[distances[i]] += measure.gain(place++)
            }
            true
        }
        return LongArray(size) { distance ->
            var sum = 0L
            for (lane in 0 until LANES) sum += lanes[lane * size + distance]
            sum
        }
    }

    /**
     * Returns the id of the first code at [distance] from [query] up to which the [measure] of those
     * there sums to more than [number].
     */
    fun idAt(query: LongArray, distance: Int, number: Long, measure: Measure): Int {
        var left = number
        var place = measure.begin
        var id = -1
        scan(query) { start, distances, count ->
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

    /** Passes the distances of all codes to [take], a block at a time, until it returns false. */
    private inline fun scan(query: LongArray, take: (Int, IntArray, Int) -> Boolean) {
        val scratch = scratch(query)
        scratch.source.restart()
        var start = 0
        while (start < codes.size) {
            val count = minOf(STEP, codes.size - start)
            scratch.source.get(scratch.codes, 0, count * query.size)
            distances(query, scratch.codes, scratch.distances, count)
            if (!take(start, scratch.distances, count)) return
            start += count
        }
    }

    /** Puts the distances of the first [count] codes into [into]. */
    private fun distances(query: LongArray, codes: LongArray, into: IntArray, count: Int) {
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
    }

    private companion object {
        /** Codes per step: 32 KB at 256 bits, which stay in the cache. */
        const val STEP = 1024

        /** Sums side by side: an addition needn't wait for the one before to be stored. */
        const val LANES = 4

        // Each loop is a method of its own and has no other in it: that is what compilers do best.

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

        /** The second number of a code is its task bits, each of which counts [weight] times. */
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

        /** Adds [times] the distances of the numbers at a [place] among the [longs] of each code. */
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

        /** Returns the first place from [start] on with less than [limit], or [end]. */
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
         * Adds the levels of the first [count] masses to [lanes], at each one's distance. A lane has
         * [size] sums, and the next one comes at a time.
         */
        fun add(
            distances: IntArray,
            masses: ByteArray,
            count: Int,
            levels: LongArray,
            lanes: LongArray,
            size: Int,
        ) {
            for (i in 0 until count) {
                lanes[(i and LANES - 1) * size + distances[i]] += levels[masses[i].toInt() and 0xFF]
            }
        }

        /** Puts [entry] into the ascending [found], whose last one goes. */
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
