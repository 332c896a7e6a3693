/** Frames that wait: those of the day that is open, and those of days that are over. */

import { hex } from "./bytes.js";
import { placeOf } from "./daySample.js";
import { systemRandom, uniformBelow, type RandomSource } from "./randomness.js";
import type { Reported, ReportSource } from "./report.js";
import type { Frames } from "./setting.js";

const MOST_DAYS = 7; // that are over

/** A fixed number of privatized words, in the order in which they were released. */
export type Frame = readonly string[];

/**
 * A day of frames: as many as it will have, from its first moment on.
 *
 * It begins with releases of unknown words, and each frame of typed text takes the place of one or is dropped (Vitter
 * 1985, algorithm R), as it would if all had been chosen at the day's end. Immutable, and plain data.
 */
export interface FrameDay {
  readonly source: ReportSource;
  readonly shape: Frames;
  /** In UTC, since 1970. */
  readonly day: number;
  /** How many frames of typed text there were. */
  readonly seen: number;
  readonly frames: readonly Frame[];
}

/** A frame whose day is over. It is sent alone. */
export interface FrameBatch extends Reported {
  readonly words: Frame;
}

/** All frames of a device. It is changed in place. */
export interface WaitingFrames {
  open: FrameDay | null;
  /** The last day that was closed: its frames may have been sent. */
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

/** Closes a day that is over: its frames are sorted, so that nothing tells which were typed, or when. */
export function closeDay(frames: WaitingFrames, today: number): void {
  const { open } = frames;
  if (!open || open.day >= today) return;
  const { source, day } = open;
  frames.waiting.push(...[...open.frames].sort().map((words) => ({ id: hex(systemRandom(16)), source, day, words })));
  frames.open = null;
  frames.day = day;
}

/** Lets whole days go where there are too many, the oldest first; returns how many frames went. */
export function dropDays(frames: WaitingFrames): number {
  const before = frames.waiting.length;
  const days = [...new Set(frames.waiting.map(({ day }) => day))];
  const kept = days.slice(-MOST_DAYS);
  frames.waiting = frames.waiting.filter(({ day }) => kept.includes(day));
  return before - frames.waiting.length;
}

/** Returns one of the frames whose days are over, each with the same probability: not the oldest one; null without any. */
export const anyFrame = ({ waiting }: WaitingFrames): FrameBatch | null =>
  waiting.length > 0 ? waiting[uniformBelow(waiting.length, systemRandom)]! : null;
