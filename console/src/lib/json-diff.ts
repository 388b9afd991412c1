import { diffArrays } from 'diff';
import { stringifyExact } from '../../../src/common/exact-number.js';

/** A line of a difference; `fold` stands for hidden equal lines. */
export type DiffLine =
  { kind: 'same' | 'added' | 'removed'; text: string } | { kind: 'fold'; lines: readonly string[] };

/** Equal lines shown around each difference. */
const CONTEXT = 3;
/** Largest number of edits to look for; texts that differ more share nothing useful. */
const MAX_EDITS = 2_000;
const TIMEOUT_MS = 150;

/** Compares two JSON values line by line, with exact numbers. */
export function diffJson(before: unknown, after: unknown): DiffLine[] {
  return diffTexts(stringifyExact(before, 2), stringifyExact(after, 2));
}

/** Compares two texts line by line; long equal parts are folded. */
export function diffTexts(before: string, after: string): DiffLine[] {
  const [left, right] = [before.split('\n'), after.split('\n')];
  const start = commonStart(left, right);
  const end = commonEnd(left, right, start);
  const [oldLines, newLines] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  return folded([
    ...left.slice(0, start).map(same),
    ...changes(oldLines, newLines),
    ...left.slice(left.length - end).map(same),
  ]);
}

export function differs(lines: readonly DiffLine[]): boolean {
  return lines.some(({ kind }) => kind === 'added' || kind === 'removed');
}

function changes(before: string[], after: string[]): DiffLine[] {
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS });
  if (!parts) return [...before.map(removed), ...after.map(added)];
  return parts.flatMap(({ value, added: isAdded, removed: isRemoved }) =>
    value.map(isAdded ? added : isRemoved ? removed : same),
  );
}

function folded(lines: DiffLine[]): DiffLine[] {
  const result: DiffLine[] = [];
  for (let from = 0; from < lines.length;) {
    let to = from;
    while (to < lines.length && lines[to]!.kind === 'same') to += 1;
    if (to === from) {
      result.push(lines[from]!);
      from += 1;
      continue;
    }
    const [head, tail] = [from === 0 ? 0 : CONTEXT, to === lines.length ? 0 : CONTEXT];
    const hidden = to - from - head - tail;
    // A fold takes a line too.
    if (hidden > 1) {
      const texts = lines.slice(from + head, to - tail).map((line) => (line.kind === 'fold' ? '' : line.text));
      for (const line of lines.slice(from, from + head)) result.push(line);
      result.push({ kind: 'fold', lines: texts });
      for (const line of lines.slice(to - tail, to)) result.push(line);
    } else for (const line of lines.slice(from, to)) result.push(line);
    from = to;
  }
  return result;
}

function commonStart(left: readonly string[], right: readonly string[]): number {
  let at = 0;
  while (at < left.length && at < right.length && left[at] === right[at]) at += 1;
  return at;
}

function commonEnd(left: readonly string[], right: readonly string[], start: number): number {
  let count = 0;
  const most = Math.min(left.length, right.length) - start;
  while (count < most && left.at(-1 - count) === right.at(-1 - count)) count += 1;
  return count;
}

function same(text: string): DiffLine {
  return { kind: 'same', text };
}

function added(text: string): DiffLine {
  return { kind: 'added', text };
}

function removed(text: string): DiffLine {
  return { kind: 'removed', text };
}
