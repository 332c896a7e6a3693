/** Waiting frames: those of the open day, and those of past days. */

import { hex } from "./bytes.js";
import { placeOf } from "./daySample.js";
import { systemRandom, uniformBelow, type RandomSource } from "./randomness.js";
import type { Reported, ReportSource } from "./report.js";
import type { Frames } from "./setting.js";

const MOST_DAYS = 7; // that are over

/** A fixed number of privatized words, in the order of their release. */
export type Frame = readonly string[];

/**
 * A day of frames. It has all its frames from the beginning.
 *
 * It begins with frames of fillers, which are releases of unknown words. Each frame of typed text replaces a frame or
 * is dropped (reservoir sampling: Vitter 1985, algorithm R). The result has the same distribution as a sample drawn at
 * the day's end. Immutable, and plain data.
 */
export interface FrameDay {
  readonly source: ReportSource;
  readonly shape: Frames;
  /** In UTC, since 1970. */
  readonly day: number;
  /** Number of the day's frames of typed text so far. */
  readonly seen: number;
  readonly frames: readonly Frame[];
}

/** A frame of a past day. It is sent alone. */
export interface FrameBatch extends Reported {
  readonly words: Frame;
}

/** All frames of a device. Methods change it in place. */
export interface WaitingFrames {
  open: FrameDay | null;
  /** The last closed day. Its frames may have been sent. */
  day: number;
  /** The oldest day's first. */
  waiting: FrameBatch[];
}

/**
 * Returns a day after a frame of typed text.
 *
 * Proof: `docs/explanation/proofs.md`, "Frames".
 */
export function withFrame(day: FrameDay, frame: Frame, random: RandomSource): FrameDay {
  const seen = day.seen + 1;
  const place = placeOf(seen, day.frames.length, random);
  return { ...day, seen, frames: day.frames.map((other, at) => (at === place ? frame : other)) };
}

/** Closes a past day. Sorting its frames hides which were typed, and when. */
export function closeDay(frames: WaitingFrames, today: number): void {
  const { open } = frames;
  if (!open || open.day >= today) return;
  const { source, day } = open;
  frames.waiting.push(...[...open.frames].sort().map((words) => ({ id: hex(systemRandom(16)), source, day, words })));
  frames.open = null;
  frames.day = day;
}

/** Deletes whole days, the oldest first, if there are too many. Returns the number of deleted frames. */
export function dropDays(frames: WaitingFrames): number {
  const before = frames.waiting.length;
  const days = [...new Set(frames.waiting.map(({ day }) => day))];
  const kept = days.slice(-MOST_DAYS);
  frames.waiting = frames.waiting.filter(({ day }) => kept.includes(day));
  return before - frames.waiting.length;
}

/** Returns a random frame of a past day, each with the same probability; null without any. */
export const anyFrame = ({ waiting }: WaitingFrames): FrameBatch | null =>
  waiting.length > 0 ? waiting[uniformBelow(waiting.length, systemRandom)]! : null;
