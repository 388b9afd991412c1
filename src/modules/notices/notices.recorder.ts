import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isoTime, isoTimeOrNull } from '../../common/clock.js';
import { ApprovalsConfig } from '../../config/approvals.config.js';
import type { BoundStatement } from '../../database/database.js';
import { askedCalls } from '../approvals/approvals.contract.js';
import { JournalParticipants } from '../threads/journal/store/journal-participants.service.js';
import type { JournalParticipant, ThreadFact, ThreadFacts } from '../threads/threads.contract.js';
import { ConsoleAddress } from './console-address.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { eventOfEnd } from './notice-events.js';
import { dataOfRun, figuresOf, idOfFact, shortError, type News } from './notice-news.js';
import { NoticeWakesService } from './sending/notice-wakes.service.js';

type FactOf<Name extends ThreadFact['fact']> = Extract<ThreadFact, { fact: Name }>;

const NEWS = new Set(['run_ended', 'budget_warned', 'calls_opened'] as const);

/** Stores messages in the transaction that they report: a crash right after it loses nothing, and a replay sends nothing. */
@Injectable()
export class NoticesRecorder implements JournalParticipant, OnModuleInit {
  readonly tables = [];

  constructor(
    private readonly participants: JournalParticipants,
    private readonly deliveries: DeliveriesRepository,
    private readonly wakes: NoticeWakesService,
    private readonly address: ConsoleAddress,
    private readonly approvals: ApprovalsConfig,
  ) {}

  onModuleInit(): void {
    this.participants.add(this);
  }

  get interests(): JournalParticipant['interests'] {
    return this.wakes.mayTell ? NEWS : undefined;
  }

  async statementsForJob({ thread, facts, nowMs }: ThreadFacts): Promise<readonly BoundStatement[]> {
    const news = facts.map((fact) => this.newsOf(thread.id, fact, nowMs)).filter((one) => one !== null);
    return news.map((one) => this.deliveries.insertStatement(one));
  }

  committed(): void {
    this.wakes.wake();
  }

  private newsOf(threadId: string, fact: ThreadFact, atMs: number): News | null {
    switch (fact.fact) {
      case 'run_ended':
        return this.newsOfEnd(threadId, fact, atMs);
      case 'budget_warned':
        return this.newsOfWarning(threadId, fact, atMs);
      case 'calls_opened':
        return fact.supersededBy === null ? this.newsOfCalls(threadId, fact, atMs) : null;
      default:
        return null;
    }
  }

  private newsOfEnd(threadId: string, { run, checkpoint, seq }: FactOf<'run_ended'>, atMs: number): News | null {
    const type = eventOfEnd(run.status);
    if (type === null || run.parent_trace_id !== null) return null;
    const data = { ...figuresOf(checkpoint), ended_at: isoTime(atMs), error: shortError(run.error) };
    return this.newsOfRun({ type, threadId, run, atMs }, data, ['end', seq, atMs]);
  }

  /** Once per attempt, however often the agent warns. */
  private newsOfWarning(threadId: string, { run, checkpoint }: FactOf<'budget_warned'>, atMs: number): News {
    return this.newsOfRun({ type: 'budget_warning', threadId, run, atMs }, figuresOf(checkpoint), [
      ...['budget', run.attempt, Number(run.started_at)],
    ]);
  }

  private newsOfCalls(threadId: string, fact: FactOf<'calls_opened'>, atMs: number): News {
    const { run, checkpoint, callsDigest } = fact;
    const { tools, expiresAtMs } = askedCalls(threadId, fact, atMs, this.approvals.timeoutSeconds);
    const data = {
      ...{ step_index: checkpoint.step_index, tools, opened_at: isoTime(atMs) },
      expires_at: isoTimeOrNull(expiresAtMs),
    };
    const key = ['calls', checkpoint.attempt, checkpoint.step_index, callsDigest, atMs];
    return this.newsOfRun({ type: 'approval_waiting', threadId, run, atMs }, data, key);
  }

  private newsOfRun(
    { type, threadId, run, atMs }: Pick<News, 'type' | 'atMs'> & { threadId: string; run: FactOf<'run_ended'>['run'] },
    data: Record<string, unknown>,
    fact: readonly (string | number)[],
  ): News {
    const url = this.address.ofThread(threadId);
    return {
      id: idOfFact(run.thread_pk, run.run_no, ...fact),
      ...{ type, threadId, traceId: run.trace_id, agentId: run.agent_id, atMs },
      data: { ...dataOfRun(threadId, run, url), ...data },
    };
  }
}
