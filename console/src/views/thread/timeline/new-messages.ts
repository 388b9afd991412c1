import type { MessagePlace } from '../data/message-store.js';
import type { Step } from '../data/steps.js';

type Range = readonly [from: number, to: number];

/**
 * The messages that each step added, by the step's index: those that no earlier step of its run had. Compares lists as ranges, because
 * those of a long run name millions of places together.
 */
export function newMessages(steps: readonly Step[]): MessagePlace[][] {
  const known = new Map<string, { highest: number; metas: readonly Range[] }>();
  return steps.map(({ trace_id, history_places, history_meta_places }) => {
    const run = known.get(trace_id) ?? { highest: -1, metas: [] };
    // An empty list means that the agent left it out.
    const metas = history_meta_places === '' ? run.metas : rangesOf(history_meta_places);
    const found: MessagePlace[] = [];
    let [before, highest] = [0, run.highest];
    for (const [from, to] of rangesOf(history_places)) {
      for (let place = Math.max(from, run.highest + 1); place <= to; place++)
        found.push({ place, metaPlace: placeAt(metas, before + place - from) });
      highest = Math.max(highest, to);
      before += to - from + 1;
    }
    known.set(trace_id, { highest, metas });
    return found;
  });
}

function rangesOf(text: string): Range[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const [from, to] = part.split('-').map(Number);
    return [from!, to ?? from!];
  });
}

/** The place at an index of the list; -1 after its end. */
function placeAt(ranges: readonly Range[], index: number): number {
  let before = 0;
  for (const [from, to] of ranges) {
    const length = to - from + 1;
    if (index < before + length) return from + index - before;
    before += length;
  }
  return -1;
}
