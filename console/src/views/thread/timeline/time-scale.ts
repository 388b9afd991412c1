/** An idle stretch, drawn shorter than it was. */
export interface TimeGap {
  from: number;
  to: number;
  /** Its position, from 0 to 1. */
  unitFrom: number;
  unitTo: number;
}

interface Piece {
  from: number;
  to: number;
  unitFrom: number;
  unitTo: number;
  isGap: boolean;
}

/** Shorter ones are never compressed. */
const LEAST_GAP_MS = 10_000;
/** A gap takes at most this part of the working time. */
const GAP_PART = 0.25;
/** All gaps together take at most this part of it. */
const ALL_GAPS_PART = 0.6;

/** Maps times to 0…1 and back, with long idle stretches compressed. */
export class TimeScale {
  readonly gaps: readonly TimeGap[];

  private constructor(private readonly pieces: readonly Piece[]) {
    this.gaps = pieces.filter(({ isGap }) => isGap);
  }

  /** @param busy stretches of work, in any order; a moment is a stretch without length */
  static over(start: number, end: number, busy: readonly { from: number; to: number }[]): TimeScale {
    const last = Math.max(end, start + 1);
    const idle = idleBetween(start, last, busy);
    const idleMs = idle.reduce((sum, { from, to }) => sum + to - from, 0);
    const limit = Math.max(LEAST_GAP_MS, GAP_PART * (last - start - idleMs));
    const gaps = idle.filter(({ from, to }) => to - from > limit);
    const cutMs = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
    const shownMs = last - start - cutMs;
    const gapMs = Math.min(limit, Math.max(shownMs, LEAST_GAP_MS) * (ALL_GAPS_PART / Math.max(1, gaps.length)));
    return new TimeScale(piecesOf(start, last, gaps, gapMs, shownMs + gapMs * gaps.length));
  }

  toUnit(ms: number): number {
    const piece = this.pieces[firstWhere(this.pieces, ({ to }) => ms <= to)]!;
    const part = (Math.min(Math.max(ms, piece.from), piece.to) - piece.from) / (piece.to - piece.from);
    return piece.unitFrom + part * (piece.unitTo - piece.unitFrom);
  }

  toTime(unit: number): number {
    const piece = this.pieces[firstWhere(this.pieces, ({ unitTo }) => unit <= unitTo)]!;
    const part =
      (Math.min(Math.max(unit, piece.unitFrom), piece.unitTo) - piece.unitFrom) / (piece.unitTo - piece.unitFrom);
    return piece.from + part * (piece.to - piece.from);
  }

  /** The stretches drawn to scale. */
  stretches(): readonly TimeGap[] {
    return this.pieces.filter(({ isGap }) => !isGap);
  }
}

/** The first item that satisfies a monotonic condition (false, then true); otherwise the last. */
function firstWhere<Item>(items: readonly Item[], isTrue: (item: Item) => boolean): number {
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrue(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function idleBetween(start: number, end: number, busy: readonly { from: number; to: number }[]) {
  const idle: { from: number; to: number }[] = [];
  let reached = start;
  for (const { from, to } of [...busy].sort((one, other) => one.from - other.from)) {
    if (from > reached) idle.push({ from: reached, to: Math.min(from, end) });
    reached = Math.max(reached, Math.min(to, end));
  }
  if (end > reached) idle.push({ from: reached, to: end });
  return idle;
}

function piecesOf(
  start: number,
  end: number,
  gaps: readonly { from: number; to: number }[],
  gapMs: number,
  wholeMs: number,
): Piece[] {
  const pieces: Piece[] = [];
  let [at, unit] = [start, 0];
  const add = (to: number, shownMs: number, isGap: boolean) => {
    if (to <= at) return;
    const unitTo = Math.min(1, unit + shownMs / wholeMs);
    pieces.push({ from: at, to, unitFrom: unit, unitTo, isGap });
    [at, unit] = [to, unitTo];
  };
  for (const { from, to } of gaps) {
    add(from, from - at, false);
    add(to, gapMs, true);
  }
  add(end, end - at, false);
  pieces.at(-1)!.unitTo = 1;
  return pieces;
}
