import type { SqlReader } from '../../../database/database.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { HISTORY, HISTORY_META } from '../entities/message.entity.js';
import { countPlaces, parseRanges, type Range } from '../message-log/ranges.js';
import type { JournalRepository } from './journal.repository.js';
import type { ThreadDraft } from './thread-draft.js';
import { NO_TAIL, type ListTail, type ListTails } from './thread-state.js';

type List = typeof HISTORY | typeof HISTORY_META;

/** A thread under change, and where its rows are stored. */
interface Thread {
  readonly draft: ThreadDraft;
  readonly reader: SqlReader;
  readonly repository: JournalRepository;
}

/** Elements of one list that are stored, and those that the transaction adds behind them. */
export async function elementsAt(
  { draft, reader, repository }: Thread,
  list: List,
  ranges: readonly Range[],
): Promise<{ body: string; digest: string | null }[]> {
  const { newMessages } = draft;
  const elements = [];
  for (const [from, to] of ranges) {
    let stored = to;
    while (stored >= from && newMessages.at(list, stored)) stored -= 1;
    if (stored >= from) elements.push(await repository.elements(reader, draft.pk, list, [[from, stored]]));
    for (let place = stored + 1; place <= to; place++) {
      const { source, index, digest } = newMessages.at(list, place)!;
      elements.push([{ body: source.text(index), digest }]);
    }
  }
  return elements.flat();
}

/** A list of a checkpoint, without its elements: most reports go on from all of it, and need none of them. */
export function tailOf(row: Checkpoint | null, list: List): ListTail {
  const text = list === HISTORY ? row?.history : row?.history_meta;
  if (!text) return NO_TAIL;
  const ranges = parseRanges(text);
  return { list: null, count: countPlaces(ranges), ranges };
}

/**
 * The last non-empty history that an agent has reported and not replaced, with its metadata.
 * @param drafted the one in the transaction, if there is one
 */
export async function loadTails(
  thread: Thread,
  agentId: string,
  isOwnOnly: boolean,
  drafted: Checkpoint | null,
): Promise<ListTails> {
  const { draft, reader, repository } = thread;
  const replaced = [...draft.changedCheckpoints.values()].filter((row) => !row.is_current).map(({ seq }) => seq);
  const search = { agentId, isOwnOnly, replaced };
  const row = drafted ?? (await repository.lastHistoryOfAgent(reader, draft.pk, search));
  return { history: tailOf(row, HISTORY), meta: tailOf(row, HISTORY_META) };
}

/** The last history that an agent has reported in this transaction and not replaced. */
export function draftedHistoryOf(draft: ThreadDraft, agentId: string, isOwnOnly: boolean): Checkpoint | null {
  let last: Checkpoint | null = null;
  for (const row of draft.newCheckpoints) {
    if (!row.is_current || row.agent_id !== agentId || row.history === '') continue;
    if (isOwnOnly && draft.peek(row.run_no)?.row.agent_id !== agentId) continue;
    if (last === null || row.seq > last.seq) last = row;
  }
  return last;
}
