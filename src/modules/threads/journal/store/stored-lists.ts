import type { SqlReader } from '../../../../database/database.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import { HISTORY, HISTORY_META, type MessageList } from '../../entities/message.entity.js';
import type { Run } from '../../entities/run.entity.js';
import { pieceOf, type Continuation, type ListName } from '../../message-log/continued-lists.js';
import { countPlaces, lastPlaceIn, parseRanges, type Range } from '../../message-log/ranges.js';
import type { JournalRepository } from './journal.repository.js';
import type { SayingRow } from './last-lists.repository.js';
import type { ThreadDraft } from './thread-draft.js';
import { evict, NO_LIST, UNKNOWN_LIST, type RunList, type RunLists, type RunState } from '../rules/thread-state.js';

type ListRow = Pick<Checkpoint, ListName> & Continuation;

interface Thread {
  readonly draft: ThreadDraft;
  readonly sql: SqlReader;
  readonly repository: JournalRepository;
}

export async function elementsAt(
  { draft, sql, repository }: Thread,
  list: MessageList,
  ranges: readonly Range[],
): Promise<{ body: string; digest: string | null }[]> {
  const { newMessages } = draft;
  const elements: { body: string; digest: string | null }[][] = [];
  let waiting: Range[] = [];
  const read = async () => {
    if (waiting.length > 0) elements.push(await repository.elements(sql, draft.pk, list, waiting));
    waiting = [];
  };
  for (const [from, to] of ranges) {
    let stored = to;
    while (stored >= from && newMessages.at(list, stored)) stored -= 1;
    if (stored >= from) waiting.push([from, stored]);
    if (stored === to) continue;
    await read();
    for (let place = stored + 1; place <= to; place++) {
      const { source, index, digest } = newMessages.at(list, place)!;
      elements.push([{ body: source.text(index), digest }]);
    }
  }
  await read();
  return elements.flat();
}

/** A checkpoint's list without its elements: most reports continue all of it and need none of them. */
export async function loadList(thread: Thread, row: Checkpoint | null, list: MessageList): Promise<RunList> {
  const name = nameOf(list);
  if (!row || row[name] === '') return NO_LIST;
  const ranges = await loadRanges(thread, name, row);
  return evict({ list: null, count: countPlaces(ranges), ranges, row: row.seq });
}

export function nameOf(list: MessageList): ListName {
  return list === HISTORY ? 'history' : 'history_meta';
}

/** All ranges of a list, whichever rows of the thread have them, new or stored. */
export async function loadRanges({ draft, sql, repository }: Thread, list: ListName, row: ListRow): Promise<Range[]> {
  const pieces = [row[list]];
  let need = row[`${list}_from_length`] ?? 0;
  let from = row[`${list}_from`];
  while (from !== null && need > 0) {
    const drafted = draftedRow(draft, from);
    if (!drafted) {
      pieces.push(await repository.beginningOfList(sql, draft.pk, list, { row: from, length: need }));
      break;
    }
    const length = drafted[`${list}_from_length`];
    const taken = pieceOf({ text: drafted[list], from: drafted[`${list}_from`], length }, need);
    if (taken.piece !== '') pieces.push(taken.piece);
    [need, from] = [taken.need, drafted[`${list}_from`]];
  }
  return parseRanges(pieces.reverse().join(','));
}

/** A stored, unchanged run. Its lists and last message come from its latest checkpoint only. */
export async function loadRunState(thread: Thread, row: Run): Promise<RunState> {
  const { repository, sql } = thread;
  const latest = await repository.latestOfAttempt(sql, row);
  return {
    row,
    mark: row.mark === null ? null : JSON.parse(row.mark),
    latest,
    highestStepEver: await repository.highestStepEver(sql, row),
    lastSaid: latest?.history ? lastPlaceIn(latest.history) : undefined,
    history: latest?.history ? await loadList(thread, latest, HISTORY) : UNKNOWN_LIST,
    meta: latest?.history_meta ? await loadList(thread, latest, HISTORY_META) : UNKNOWN_LIST,
  };
}

export async function loadListsOfRun(thread: Thread, run: Run): Promise<RunLists> {
  return {
    history: await loadList(thread, await lastWithList(thread, run, 'history'), HISTORY),
    meta: await loadList(thread, await lastWithList(thread, run, 'history_meta'), HISTORY_META),
  };
}

/** The last history that an agent reported and did not replace, with its metadata. */
export async function loadListsOfAgent(thread: Thread, agentId: string, isOwnOnly: boolean): Promise<RunLists> {
  const { draft, sql, repository } = thread;
  const search = { agentId, isOwnOnly, replaced: replacedIn(draft) };
  const drafted = draftedHistoryOf(draft, agentId, isOwnOnly);
  const row = drafted ?? (draft.isNew ? null : await repository.lastLists.ofAgent(sql, draft.pk, search));
  return { history: await loadList(thread, row, HISTORY), meta: await loadList(thread, row, HISTORY_META) };
}

/** The place of the last message in any row of the run; null for none. */
export async function loadLastSaid(
  { draft, sql, repository }: Thread,
  run: Pick<Run, 'thread_pk' | 'run_no'>,
): Promise<number | null> {
  let last: SayingRow | null = draft.isNew ? null : await repository.lastLists.lastSaying(sql, run);
  for (const row of draft.newCheckpoints) {
    if (row.run_no === run.run_no && row.history !== '' && (!last || isBehind(row, last))) last = row;
  }
  return lastPlaceIn(last?.history ?? '');
}

function isBehind(row: SayingRow, other: SayingRow): boolean {
  if (row.attempt !== other.attempt) return row.attempt > other.attempt;
  if (row.step_index !== other.step_index) return row.step_index > other.step_index;
  return row.is_initial === other.is_initial ? row.seq > other.seq : !row.is_initial;
}

async function lastWithList({ draft, sql, repository }: Thread, run: Run, list: ListName): Promise<Checkpoint | null> {
  let last = draft.isNew ? null : await repository.lastLists.ofRun(sql, run, list, replacedIn(draft));
  for (const row of draft.newCheckpoints) {
    if (!row.is_current || row.run_no !== run.run_no || row[list] === '') continue;
    const isBehind =
      !last || row.attempt > last.attempt || (row.attempt === last.attempt && row.step_index >= last.step_index);
    if (isBehind) last = row;
  }
  return last;
}

function replacedIn(draft: ThreadDraft): number[] {
  return [...draft.changedCheckpoints.values()].filter((row) => !row.is_current).map(({ seq }) => seq);
}

function draftedHistoryOf(draft: ThreadDraft, agentId: string, isOwnOnly: boolean): Checkpoint | null {
  let last: Checkpoint | null = null;
  for (const row of draft.newCheckpoints) {
    if (!row.is_current || row.agent_id !== agentId || row.history === '') continue;
    if (isOwnOnly && draft.peek(row.run_no)?.row.agent_id !== agentId) continue;
    if (last === null || row.seq > last.seq) last = row;
  }
  return last;
}

function draftedRow({ newCheckpoints }: ThreadDraft, seq: number): Checkpoint | null {
  for (const row of newCheckpoints) if (row.seq === seq) return row;
  return null;
}
