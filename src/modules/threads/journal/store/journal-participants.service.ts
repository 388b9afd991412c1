import { Injectable } from '@nestjs/common';
import type { BoundStatement, SqlRow } from '../../../../database/database.js';
import { LARGE_THREAD_TABLES } from '../../entities/thread-tables.js';
import type { JournalParticipant, LargeTable, ThreadFacts } from '../../threads.contract.js';
import type { CallsDecider, OpenedCalls } from './calls-decider.contract.js';
import type { ThreadDraft } from './thread-draft.js';
import type { UnitOfWork } from './unit-of-work.js';

/** The modules that write their own rows in the journal's transactions. */
@Injectable()
export class JournalParticipants {
  private readonly all: JournalParticipant[] = [];
  private decider: CallsDecider | null = null;

  add(participant: JournalParticipant): void {
    this.all.push(participant);
  }

  /** Sets the only decider. */
  decideWith(decider: CallsDecider): void {
    this.decider = decider;
  }

  /** Lets the decider act on the tool calls that a job opened; null without a decider. */
  decideOpened(unitOfWork: UnitOfWork, opened: readonly OpenedCalls[]): Promise<void> | null {
    return this.decider?.decide(unitOfWork, opened) ?? null;
  }

  get tables(): readonly string[] {
    return this.all.flatMap(({ tables }) => tables);
  }

  /** All tables, threads' own included, that may have many rows of one thread. */
  get largeTables(): readonly LargeTable[] {
    return [...LARGE_THREAD_TABLES, ...this.all.flatMap(({ largeTables }) => largeTables ?? [])];
  }

  /** SQL: whether a thread `t` waits for a person because of another module. */
  get isWaiting(): string {
    const conditions = this.all.flatMap(({ isWaiting }) => isWaiting ?? []);
    return conditions.length === 0 ? '1 = 0' : conditions.join(' OR ');
  }

  /** Describes what is wrong with an imported row of their tables; null if nothing is. */
  importFault(table: string, row: SqlRow): string | null {
    const owner = this.all.find(
      ({ tables, largeTables }) => tables.includes(table) || largeTables?.some((large) => large.table === table),
    );
    return owner?.importFault?.(row, table) ?? null;
  }

  statementsForDeletion(threadId: string, nowMs: number): readonly BoundStatement[] {
    return this.all.flatMap((participant) => participant.statementsForDeletion?.(threadId, nowMs) ?? []);
  }

  /** Their statements for the facts that a job created in a thread; null if none of them is interested. */
  statementsForJob(draft: ThreadDraft): Promise<BoundStatement[]> | null {
    const facts = draft.facts.ofJob();
    if (facts.length === 0) return null;
    const interested = this.all.filter(({ interests }) => facts.some(({ fact }) => interests?.has(fact)));
    return interested.length === 0 ? null : this.statementsFor(interested, draft, facts);
  }

  private async statementsFor(
    interested: readonly JournalParticipant[],
    draft: ThreadDraft,
    facts: ThreadFacts['facts'],
  ): Promise<BoundStatement[]> {
    const tell: ThreadFacts['tell'] = (type, data, runNo, stepIndex) =>
      draft.addEvent({ kind: 'approval', type, data, run_no: runNo, step_index: stepIndex });
    const changes = { thread: draft.row, facts, nowMs: draft.nowMs, tell };
    const statements: BoundStatement[] = [];
    for (const participant of interested) statements.push(...((await participant.statementsForJob?.(changes)) ?? []));
    return statements;
  }

  /** Their statements for all threads of a commit that have facts. */
  statementsForCommit(drafts: readonly ThreadDraft[]): readonly BoundStatement[] {
    const changed = drafts.filter(({ facts }) => facts.all.length > 0);
    if (changed.length === 0) return [];
    const threads = changed.map(({ row }) => row);
    return this.all.flatMap((participant) => participant.statementsForCommit?.(threads, changed[0]!.nowMs) ?? []);
  }

  /** Call this after a commit that created facts or deleted a thread. */
  tellCommitted(): void {
    for (const participant of this.all) participant.committed?.();
  }
}
