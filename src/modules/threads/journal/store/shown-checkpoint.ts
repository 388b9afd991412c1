import type { SqlReader } from '../../../../database/database.js';
import { RunKinship } from '../../bindings/run-kinship.js';
import { isThreadsOwn } from '../../bindings/standing.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import { HISTORY } from '../../entities/message.entity.js';
import type { Run } from '../../entities/run.entity.js';
import { parseRanges, type Range } from '../../message-log/ranges.js';
import { lastMessageOf } from '../../shapes/last-message.js';
import type { CallerRow, JournalRepository } from './journal.repository.js';
import { chainLinkOf, shownRun, type HeadLink, type RunHead } from '../rules/shown-run.js';
import type { RunAncestry } from './run-ancestry.js';
import { loadLastSaid } from './stored-lists.js';
import type { ThreadDraft } from './thread-draft.js';
import { lastPlaceOf, NO_LIST, type RunList, type RunState } from '../rules/thread-state.js';

/** Only a few elements in a row have no message, such as session titles. */
const MOST_LOOKED_AT = 20;

/** Finds what a changed thread shows of its runs. Reads runs that are not in memory without their texts. */
export class ShownCheckpoints {
  constructor(
    private readonly reader: SqlReader,
    private readonly repository: JournalRepository,
    private readonly ancestryOf: (draft: ThreadDraft) => RunAncestry,
  ) {}

  /** The checkpoint that the thread's readers see; null while there is none. */
  of(draft: ThreadDraft): Promise<Checkpoint | null> | Checkpoint | null {
    const current = draft.peek(draft.row.current_run);
    // Most current runs have no caller: the thread shows them without a lookup.
    return current?.row.parent_trace_id === null ? current.latest : this.find(draft);
  }

  /** What lists show of the shown run's last message; looked up only if another run is shown than before. */
  lastMessageOf(draft: ThreadDraft, shown: Checkpoint | null): Promise<string | null> | string | null {
    if (!shown || shown.seq === draft.row.latest_seq) return draft.row.last_message;
    if (shown.is_initial && shown.history === '') return null;
    const run = draft.peek(shown.run_no);
    if (run?.lastSaid === undefined) return this.loadLastMessage(draft, shown, run);
    return this.lastSaid(draft, run.lastSaid, run.history, shown);
  }

  private async find(draft: ThreadDraft): Promise<Checkpoint | null> {
    const ancestry = this.ancestryOf(draft);
    const kinship = new RunKinship<CallerRow>((traceId) => ancestry.rowsOf(traceId));
    // A run must not be shown in place of others just because it took the trace they name as their parent.
    const ownParentOf = async (run: Run) => {
      const parent = await kinship.parentOf(run);
      return parent && isThreadsOwn(parent.began_by, draft.agents.values()) ? parent : null;
    };
    const linkOf = async (runNo: number): Promise<HeadLink | null> => {
      const head = await this.headOf(draft, runNo);
      return head && chainLinkOf(head, ownParentOf);
    };
    const current = draft.row.run_count === 0 ? null : await linkOf(draft.row.current_run);
    const shown = current && (await shownRun<number, HeadLink>(current, linkOf));
    return shown?.head.latest ?? null;
  }

  /** A run that has said nothing leaves the last message unchanged. */
  private lastSaid(
    draft: ThreadDraft,
    place: number | null,
    history: RunList,
    shown: Checkpoint,
  ): Promise<string | null> | string | null {
    if (place === null) return draft.row.last_message;
    const { list } = history;
    const added = list && place === lastPlaceOf(history) ? list.text(list.count - 1) : addedAt(draft, place);
    const last = added === null ? null : lastMessageOf(added);
    return last ? JSON.stringify(last) : this.saidBefore(draft, place, history, shown);
  }

  private async loadLastMessage(draft: ThreadDraft, shown: Checkpoint, run: RunState | null): Promise<string | null> {
    const { reader: sql, repository } = this;
    const place = await loadLastSaid({ draft, sql, repository }, shown);
    // Only the draft's own runs may be changed.
    if (run && draft.runs.has(shown.run_no)) run.lastSaid = place;
    return this.lastSaid(draft, place, run?.history ?? NO_LIST, shown);
  }

  /** Searches backwards past elements that are no messages. */
  private async saidBefore(
    draft: ThreadDraft,
    place: number,
    { ranges }: RunList,
    shown: Checkpoint,
  ): Promise<string | null> {
    const own = [ranges, parseRanges(shown.history)].find((one) => one.at(-1)?.[1] === place) ?? [[place, place]];
    const back = lastPlacesIn(own, MOST_LOOKED_AT);
    for (const at of back) {
      const text = addedAt(draft, at) ?? (await this.textAt(draft, at));
      const said = text === null ? null : lastMessageOf(text);
      if (said) return JSON.stringify(said);
    }
    return draft.row.last_message;
  }

  private async textAt({ pk }: ThreadDraft, place: number): Promise<string | null> {
    const [element] = await this.repository.elements(this.reader, pk, HISTORY, [[place, place]]);
    return element?.body ?? null;
  }

  private async headOf(draft: ThreadDraft, runNo: number): Promise<RunHead | null> {
    return draft.peek(runNo) ?? (draft.isNew ? null : this.repository.headOfRun(this.reader, draft.pk, runNo));
  }
}

function addedAt(draft: ThreadDraft, place: number): string | null {
  const added = draft.newMessages.at(HISTORY, place);
  return added ? added.source.text(added.index) : null;
}

function lastPlacesIn(ranges: readonly Range[], most: number): number[] {
  const places: number[] = [];
  for (const [from, to] of [...ranges].reverse()) {
    for (let place = to; place >= from && places.length < most; place -= 1) places.push(place);
  }
  return places;
}
