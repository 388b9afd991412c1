import { DomainError } from '../../../../common/domain-error.js';
import { TextList, type ListBeginning } from '../../../../common/text-list.js';
import type { Reporter } from '../../bindings/reporter.js';
import { UNKNOWN_AGENT } from '../../bindings/run-matching.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import { HISTORY, HISTORY_META, type MessageList } from '../../entities/message.entity.js';
import { commonPlaces, countPlaces, firstPlaces, parseRanges, type Range } from '../../message-log/ranges.js';
import type { HistoryBase, LatestReport, ListsOfReport, ReportedEvent } from '../../threads.contract.js';
import { storedDigestOf } from '../rules/event-digests.js';
import type { ReportOfEvent } from '../store/journal.repository.js';
import { nearer } from './list-mapper.js';
import { loadRanges, nameOf } from '../store/stored-lists.js';
import type { ThreadDraft } from '../store/thread-draft.js';
import type { Readable, ThreadReader } from '../store/thread-reader.js';
import type { RunList, RunLists, RunState } from '../rules/thread-state.js';

const NO_BEGINNING: BaseBeginning = { list: TextList.EMPTY, count: 0, ranges: [] };
/** Bases with fewer ranges are not compared. */
const MANY_RANGES = 128;

/**
 * Completes reports that carry only what follows an earlier report. A list that continues its run's whole previous list stays as it is: the
 * log needs only the digest and places of the earlier elements.
 */
export class DeltaResolver {
  /** The last beginning of each kind: events of a batch often continue the same report. */
  private readonly beginnings = new Map<MessageList, KnownBeginning>();
  /** The last looked-up reports; stored ones do not change during the transaction. */
  private reports: { key: string; found: readonly ReportOfEvent[] } | null = null;

  constructor(
    private readonly draft: ThreadDraft,
    private readonly reader: ThreadReader,
    private readonly reporter: Reporter,
  ) {}

  /**
   * The lists of a checkpoint.
   * @param before the previous lists
   * @throws DomainError `base_mismatch`
   */
  of(event: ReportedEvent, run: RunState | null, before: RunLists): Readable<WholeReport> {
    const { base } = event;
    return !base || base.id === null ? event : this.resolve(event, run, before, base.id);
  }

  private async resolve(
    event: ReportedEvent,
    run: RunState | null,
    before: RunLists,
    id: string,
  ): Promise<WholeReport> {
    const base = event.base!;
    const report = await this.reportOf(id, event.fields.agent_id ?? run?.row.agent_id ?? UNKNOWN_AGENT);
    if (!report || report.history_length < base.length) throw baseMismatch(base, run?.latest ?? null);
    const ofHistory = { report, ranges: await this.rangesOf(HISTORY, report) };
    const ofMeta = { report, ranges: await this.rangesOf(HISTORY_META, report) };
    const historyBefore = digestBefore(HISTORY, ofHistory, base.length, before.history);
    const metaBefore = digestBefore(HISTORY_META, ofMeta, base.length, before.meta);
    const lists: WholeReport = { history: event.history, historyMeta: event.historyMeta, historyBefore, metaBefore };
    lists.bases = {};
    if (historyBefore === undefined) {
      const { beginning, compared } = await this.beginningOf(HISTORY, ofHistory, base.length, before.history);
      lists.history = TextList.append(startOf(beginning), event.history);
      lists.bases.history = compared;
    }
    if (metaBefore === undefined) {
      const { beginning, compared } = await this.beginningOf(HISTORY_META, ofMeta, base.length, before.meta);
      lists.historyMeta = TextList.append(startOf(beginning), event.historyMeta);
      lists.bases.meta = compared;
    }
    return lists;
  }

  /** Looks in memory first: most reports continue the previous one. */
  private async reportOf(id: string, agentId: string): Promise<ReportOfEvent | null> {
    const { draft, reporter } = this;
    const isIt = (row: Checkpoint | null) => row?.event_id === id && row.agent_id === agentId;
    for (const { row, latest } of runsInMemory(draft)) {
      if (isIt(latest) && reporter.maySpeakFor(row.agent_id)) return { ...latest!, run_agent: row.agent_id };
    }
    const drafted = [...draft.newCheckpoints].filter(isIt).map((row) => {
      return { ...row, run_agent: draft.peek(row.run_no)!.row.agent_id };
    });
    const isSeen = ({ run_agent }: ReportOfEvent) => reporter.maySpeakFor(run_agent);
    return drafted.find(isSeen) ?? (await this.storedReports(id, agentId)).find(isSeen) ?? null;
  }

  private async storedReports(id: string, agentId: string): Promise<readonly ReportOfEvent[]> {
    const { draft, reader } = this;
    if (draft.isNew) return [];
    const key = `${id.length} ${id} ${agentId}`;
    if (this.reports?.key === key) return this.reports.found;
    const found = await reader.repository.reportsOfEvent(reader.sql, draft.pk, id, agentId);
    this.reports = { key, found };
    return found;
  }

  private async beginningOf(
    list: MessageList,
    base: Base,
    length: number,
    before: RunList,
  ): Promise<{ beginning: BaseBeginning; compared: RunList }> {
    const { seq } = base.report;
    const known = this.beginnings.get(list);
    // Log entries never change.
    const isKnown = known?.seq === seq && known.length === length;
    const ranges = firstPlaces(base.ranges, length);
    const found = isKnown ? { beginning: known.beginning, before } : await this.findBeginning(list, ranges, before);
    const { beginning } = found;
    this.beginnings.set(list, { seq, length, beginning });
    return { beginning, compared: nearer(found.before, runListOf(beginning, base.report)) };
  }

  /** From memory if a run's last list starts with it. */
  private async findBeginning(list: MessageList, ranges: readonly Range[], before: RunList): Promise<FoundBeginning> {
    const count = countPlaces(ranges);
    if (count === 0) return { beginning: NO_BEGINNING, before };
    for (const run of runsInMemory(this.draft)) {
      const runList = listIn(run, list);
      if (runList.list && commonPlaces(runList.ranges, ranges) === count) {
        return { beginning: { ...wholeOf({ list: runList.list, count }), ranges }, before };
      }
    }
    // Load the whole previous list: it is compared next.
    const isOfBefore = commonPlaces(before.ranges, ranges) === count;
    const loaded = await this.reader.elementsAt(list, isOfBefore ? before.ranges : ranges);
    const beginning = { ...wholeOf({ list: loaded, count }), ranges };
    return { beginning, before: isOfBefore ? { ...before, list: loaded } : before };
  }

  private rangesOf(list: MessageList, report: ReportOfEvent): Readable<readonly Range[]> {
    const name = nameOf(list);
    if (report[`${name}_from`] === null) return parseRanges(report[name]);
    for (const run of runsInMemory(this.draft)) {
      const { row, ranges, isEvicted } = listIn(run, list);
      if (row === report.seq && !isEvicted) return ranges;
    }
    return loadRanges(this.reader, name, report);
  }
}

/**
 * Call this for a report that is not stored yet.
 * @throws DomainError `base_mismatch` if the report must follow its run's latest checkpoint but names another one
 */
export function assertFollowsLatest({ base }: ReportedEvent, run: RunState | null): void {
  const latest = run?.latest ?? null;
  if (base?.isLatest && eventIdOf(latest) !== base.id) throw baseMismatch(base, latest);
}

/**
 * The digest of the previous list if the report continues all of it and none of its elements are in memory. Undefined if the whole list is
 * needed, as when a search of the log may find earlier elements.
 */
function digestBefore(
  list: MessageList,
  { report, ranges }: Base,
  length: number,
  before: RunList,
): string | undefined {
  if (before.list !== null || before.count > length) return undefined;
  if (countPlaces(ranges) !== before.count || commonPlaces(before.ranges, ranges) !== before.count) return undefined;
  const last = ranges.at(-1)![1];
  if (list === HISTORY_META && ranges.some(([, to]) => to > last)) return undefined;
  return storedDigestOf(report, list) ?? undefined;
}

function listIn(run: RunState, list: MessageList): RunList {
  return list === HISTORY ? run.history : run.meta;
}

interface KnownBeginning {
  seq: number;
  length: number;
  beginning: BaseBeginning;
}

interface BaseBeginning extends ListBeginning {
  ranges: readonly Range[];
}

interface FoundBeginning {
  beginning: BaseBeginning;
  /** The previous list, with its elements if they were read. */
  before: RunList;
}

export interface WholeReport extends ListsOfReport {
  bases?: { history?: RunList; meta?: RunList };
}

interface Base {
  report: ReportOfEvent;
  ranges: readonly Range[];
}

/** Drops the ranges: the new list keeps a reference to its beginning. */
function startOf({ list, count }: BaseBeginning): ListBeginning {
  return { list, count };
}

/** Undefined for a list with few ranges. */
function runListOf({ list, count, ranges }: BaseBeginning, { seq }: ReportOfEvent): RunList | undefined {
  return ranges.length < MANY_RANGES ? undefined : { list, count, ranges, row: seq };
}

/** A list that ends where the beginning does, so that a continuation can extend its digest. */
function wholeOf({ list, count }: ListBeginning): ListBeginning {
  return { list: list.count === count ? list : TextList.append({ list, count }, TextList.EMPTY), count };
}

/** Changed runs first, then unchanged ones. */
function* runsInMemory({ runs, known }: ThreadDraft): Generator<RunState> {
  yield* runs.values();
  for (const [runNo, run] of known) if (!runs.has(runNo)) yield run;
}

function baseMismatch({ id, length, isLatest }: HistoryBase, latest: Checkpoint | null): DomainError {
  const report: LatestReport | null = latest && {
    id: latest.event_id,
    step_index: latest.step_index,
    length: latest.history_length,
  };
  const message = mismatchOf({ id, length, isLatest }, eventIdOf(latest));
  return new DomainError('conflict', 'base_mismatch', message, { extensions: { latest: report } });
}

function mismatchOf({ id, length, isLatest }: HistoryBase, latestId: string | null): string {
  if (!isLatest || latestId === id)
    return `The thread has no checkpoint of this agent with the event id ${id} and at least ${length} messages.`;
  if (id === null) return `The run has a checkpoint already; the event id of its latest is ${latestId}.`;
  return `The event ${id} is not the latest checkpoint of the run.`;
}

function eventIdOf(latest: Checkpoint | null): string | null {
  return latest?.event_id ?? null;
}
