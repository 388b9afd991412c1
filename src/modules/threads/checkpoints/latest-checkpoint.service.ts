import { Injectable } from '@nestjs/common';
import { digestOf } from '../../../common/digest.js';
import { DomainError } from '../../../common/domain-error.js';
import { Database } from '../../../database/database.js';
import { Reporter } from '../bindings/reporter.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import type { ListName } from '../message-log/continued-lists.js';
import { formatRanges } from '../message-log/ranges.js';
import { amendedExtra } from '../journal/rules/extra-members.js';
import { threadNotFound, type ExtraMember, type LatestFilter } from '../threads.contract.js';
import { ThreadJournal } from '../journal/thread-journal.service.js';
import {
  currentAgentOf,
  runsOfTrace,
  type RunList,
  type RunState,
  type ThreadState,
} from '../journal/rules/thread-state.js';
import { checkpointPieces, checkpointWithoutLists, type CheckpointRecord } from './checkpoint.json.js';
import { LatestRepository } from './latest.repository.js';
import { ListTextsRepository, type ListTexts } from '../message-log/list-texts.repository.js';
import { VisibleLatest } from './visible-latest.js';

/** Which checkpoints without a history get an earlier one: `with_metadata` selects those with metadata, which waiting clients report. */
export type ResumeMode = 'with_metadata' | 'all' | 'none';

type Version = 'thread_pk' | 'seq' | 'rev';

export interface LatestCheckpoint {
  threadPk: number;
  /** Changes whenever the response changes. */
  etag: string;
  /** The response's JSON in pieces, to avoid copying it. */
  body: () => Promise<readonly Buffer[]>;
  /** The same with empty lists and `history_length`. */
  bodyWithoutLists: () => readonly Buffer[] | Promise<readonly Buffer[]>;
  /** When the response changes by itself; null for never. */
  dueMs: number | null;
}

export interface ResumedCheckpoint extends Pick<CheckpointRecord, 'thread_pk' | 'run_no' | 'trace_id' | 'agent_id'> {
  /** Without the quotes. */
  version: string;
  /** Its history as JSON without the brackets. */
  history: () => Promise<string | Buffer>;
  /** The response's JSON with further members, which replace reported ones of the same name. */
  bodyWith: (members: readonly ExtraMember[], isWithoutLists: boolean) => Promise<readonly Buffer[]>;
}

/** Finds the latest checkpoint of a thread: in memory if that is current, otherwise in the database. */
@Injectable()
export class LatestCheckpointService {
  /** Earlier responses, cached as long as their row. Their lists are the journal's, not copies. */
  private readonly rendered = new WeakMap<Checkpoint, { parent: string | null; body: readonly Buffer[] }>();

  constructor(
    private readonly journal: ThreadJournal,
    private readonly repository: LatestRepository,
    private readonly texts: ListTextsRepository,
    private readonly visible: VisibleLatest,
    private readonly database: Database,
  ) {}

  /**
   * @param resume whether to replace an empty history by the run's last non-empty one
   * @param allowedAgents the agents that the caller may speak for: it sees only their runs and the sub-runs below; null for all
   * @param isWhole true to read the body together with the row
   * @throws DomainError `not_found` for an unknown thread, or if no checkpoint passes the filter
   */
  async get(
    threadId: string,
    filter: LatestFilter,
    resume: ResumeMode,
    allowedAgents: readonly string[] | null,
    isWhole = false,
  ): Promise<LatestCheckpoint> {
    const reporter = new Reporter(allowedAgents);
    const remembered = await this.remembered(threadId, filter, reporter);
    if (remembered && !lacksHistory(remembered.record, resume)) return remembered.answer;
    const isOfThread = filter.traceId === null && filter.agentId === null && !reporter.isBound;
    const whole = isWhole && isOfThread ? await this.repository.findWithLists(threadId) : null;
    if (whole && !lacksHistory(whole.record, resume)) return answerOf(whole);
    const record = await this.find(threadId, filter, reporter);
    const source = lacksHistory(record, resume) ? await this.repository.lastWithHistory(record) : null;
    return {
      threadPk: record.thread_pk,
      etag: etagOf(record, record.parent_trace_id, source),
      body: async () => this.render(record, source),
      bodyWithoutLists: () => bytesOf(checkpointWithoutLists(record)),
      dueMs: null,
    };
  }

  /**
   * The checkpoint that an agent continues from. Without a filter, that is the topmost run's, even while a run below it waits.
   * @param allowedAgents as above
   * @throws DomainError as above
   */
  async toResume(
    threadId: string,
    filter: LatestFilter,
    allowedAgents: readonly string[] | null,
  ): Promise<ResumedCheckpoint> {
    const reporter = new Reporter(allowedAgents);
    const found = await this.find(threadId, filter, reporter);
    const isFiltered = filter.traceId !== null || filter.agentId !== null;
    const record = isFiltered ? found : await this.visible.topOf(found, reporter);
    const source = lacksHistory(record, 'all') ? await this.repository.lastWithHistory(record) : null;
    const { thread_pk, run_no, trace_id, agent_id } = record;
    let lists: Promise<ListTexts> | null = null;
    const listsOnce = () => (lists ??= this.listsOf(record, source));
    return {
      ...{ thread_pk, run_no, trace_id, agent_id },
      version: etagOf(record, record.parent_trace_id, source).slice(1, -1),
      history: async () => (await listsOnce()).history,
      bodyWith: async (members, isWithoutLists) => {
        const amended = { ...record, extra: amendedExtra(record.extra, members) };
        if (isWithoutLists) return bytesOf(checkpointWithoutLists(amended));
        return bytesOf(checkpointPieces(amended, await listsOnce()));
      },
    };
  }

  /** The runs among these that the caller sees. */
  runsSeen(threadPk: number, runNos: readonly number[], allowedAgents: readonly string[] | null): Promise<Set<number>> {
    return this.visible.runsSeen(threadPk, runNos, new Reporter(allowedAgents));
  }

  private async find(threadId: string, filter: LatestFilter, reporter: Reporter): Promise<CheckpointRecord> {
    const record = reporter.isBound
      ? await this.visible.find(threadId, filter, reporter)
      : await this.repository.find(threadId, filter);
    if (record) return record;
    throw reporter.isBound ? checkpointNotFound() : await this.notFound(threadId);
  }

  private async render(record: CheckpointRecord, source: CheckpointRecord | null): Promise<readonly Buffer[]> {
    return bytesOf(checkpointPieces(record, await this.listsOf(record, source)));
  }

  private async listsOf(record: CheckpointRecord, source: CheckpointRecord | null): Promise<ListTexts> {
    const own = await this.textsOf(record);
    if (!source) return own;
    const earlier = await this.textsOf(source);
    // Waiting clients report metadata without messages; if a report has neither, both come from the same checkpoint.
    const historyMeta = record.history_meta === '' ? earlier.historyMeta : own.historyMeta;
    return { history: earlier.history, historyMeta };
  }

  private async textsOf(record: CheckpointRecord): Promise<ListTexts> {
    const texts = await this.texts.of(record);
    if (texts === null) throw threadNotFound();
    return texts;
  }

  private async remembered(
    threadId: string,
    filter: LatestFilter,
    reporter: Reporter,
  ): Promise<{ record: Checkpoint; answer: LatestCheckpoint } | null> {
    const state = this.journal.remembered(threadId);
    const run = state && runFor(state, filter, reporter);
    if (!run?.latest || !(await this.isCurrent(state!))) return null;
    const row = run.latest;
    const body = async () => this.renderRemembered(state!, run, row);
    const bodyWithoutLists = () => bytesOf(checkpointWithoutLists(recordOf(state!, run, row)));
    return {
      record: row,
      answer: {
        threadPk: row.thread_pk,
        etag: etagOf(row, run.row.parent_trace_id, null),
        body,
        bodyWithoutLists,
        dueMs: null,
      },
    };
  }

  private async renderRemembered(state: ThreadState, run: RunState, row: Checkpoint): Promise<readonly Buffer[]> {
    const { parent_trace_id } = run.row;
    const known = this.rendered.get(row);
    if (known?.parent === parent_trace_id) return known.body;
    const lists = rememberedLists(run, row);
    const record = recordOf(state, run, row);
    if (!lists) return this.render(record, null);
    const body = bytesOf(checkpointPieces(record, lists));
    this.rendered.set(row, { parent: parent_trace_id, body });
    return body;
  }

  /** With a single process, its memory is current; otherwise the number of the last change tells. */
  private async isCurrent({ row }: ThreadState): Promise<boolean> {
    if (!this.database.isShared) return true;
    const version = await this.repository.version(row.id);
    return version?.pk === row.pk && version.last_seq === row.last_seq;
  }

  private async notFound(threadId: string): Promise<DomainError> {
    const isKnown = await this.repository.version(threadId);
    return isKnown ? checkpointNotFound() : threadNotFound({ isExpected: true });
  }
}

function answerOf({ record, lists }: { record: CheckpointRecord; lists: ListTexts }): LatestCheckpoint {
  return {
    threadPk: record.thread_pk,
    etag: etagOf(record, record.parent_trace_id, null),
    body: () => Promise.resolve(bytesOf(checkpointPieces(record, lists))),
    bodyWithoutLists: () => bytesOf(checkpointWithoutLists(record)),
    dueMs: null,
  };
}

function recordOf(state: ThreadState, run: RunState, row: Checkpoint): CheckpointRecord {
  const { trace_id, parent_trace_id } = run.row;
  return { ...row, thread_id: state.row.id, trace_id, parent_trace_id };
}

/** Agents ask for a checkpoint before there is one. */
function checkpointNotFound(): DomainError {
  const message = 'The thread has no such checkpoint.';
  return new DomainError('not_found', 'checkpoint_not_found', message, { isExpected: true });
}

function lacksHistory({ history, history_meta }: Checkpoint, resume: ResumeMode): boolean {
  if (history !== '' || resume === 'none') return false;
  return resume === 'all' || history_meta !== '';
}

/** The run that the filter means, if memory alone can tell. */
function runFor(state: ThreadState, { traceId, agentId }: LatestFilter, reporter: Reporter): RunState | null {
  if (traceId === null && agentId === null) return shownRunOf(state, reporter);
  const runs = traceId === null ? lastRunOf(state, agentId!) : runsOfTrace(state.runs, traceId);
  const [run, another] = runs.filter(({ row }) => reporter.maySpeakFor(row.agent_id));
  if (!run || another || (agentId !== null && run.latest?.agent_id !== agentId)) return null;
  return run;
}

function lastRunOf({ agents, runs }: ThreadState, agentId: string): RunState[] {
  const run = runs.get(agents.get(agentId)?.latest_run ?? 0);
  return run ? [run] : [];
}

function shownRunOf({ row, agents, runs }: ThreadState, reporter: Reporter): RunState | null {
  if (reporter.isBound) {
    const run = runs.get(currentAgentOf(agents.values(), reporter)?.own_run ?? 0);
    return run?.row.parent_trace_id === null ? run : null;
  }
  for (const run of runs.values()) if (run.latest?.seq === row.latest_seq) return run;
  return null;
}

/** The row's lists, if the run remembers the same ones. */
function rememberedLists(run: RunState, row: Checkpoint): ListTexts | null {
  const isHistoryThere = row.history === '' || isListOf(row, 'history', run.history);
  const isMetaThere = row.history_meta === '' || isListOf(row, 'history_meta', run.meta);
  if (!isHistoryThere || !isMetaThere) return null;
  const history = row.history === '' ? '' : run.history.list?.bytes;
  const historyMeta = row.history_meta === '' ? '' : run.meta.list?.bytes;
  return history === undefined || historyMeta === undefined ? null : { history, historyMeta };
}

function isListOf(row: Checkpoint, list: ListName, { ranges, row: seq }: RunList): boolean {
  return seq === row.seq || (row[`${list}_from`] === null && row[list] === formatRanges(ranges));
}

/** Covers the run's parent, which a later report may be the first to name. */
function etagOf(
  row: Pick<CheckpointRecord, Version>,
  parentTraceId: string | null,
  source: CheckpointRecord | null,
): string {
  const parent = parentTraceId === null ? '' : `-${digestOf(parentTraceId).slice(0, 8)}`;
  const own = `${row.thread_pk}-${row.seq}-${row.rev}${parent}`;
  return source ? `"${own}-${source.seq}-${source.rev}"` : `"${own}"`;
}

/** Joins adjacent texts: copying them costs less than a write for each. */
function bytesOf(pieces: readonly (string | Buffer)[]): Buffer[] {
  const joined: Buffer[] = [];
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
    } else if (piece.length > 0) {
      if (text !== '') joined.push(Buffer.from(text));
      joined.push(piece);
      text = '';
    }
  }
  if (text !== '') joined.push(Buffer.from(text));
  return joined;
}
