import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ChangeFeed } from '../../../../database/change-feed.js';
import { Database, type BoundStatement } from '../../../../database/database.js';
import { JournalParticipants } from '../../../threads/journal/store/journal-participants.service.js';
import type { JournalParticipant } from '../../../threads/threads.contract.js';
import { WakeSignal } from '../../../../queue/wake-signal.js';
import { ServerThreadsService } from '../../../threads/bindings/server-threads.service.js';
import { DispatchRepository } from './dispatch.repository.js';

/** Other instances may commit often, and about any thread. */
const PAUSE_MS = 100;

/**
 * Wakes a session when something happens to its thread: a statement in the same transaction, and a call after the commit that wakes the
 * workers. Tells the recording which threads are sessions, so that their chats are asked about approvals.
 */
@Injectable()
export class ThreadWakesService implements JournalParticipant, OnModuleInit, OnModuleDestroy {
  readonly tables = [];
  private timer: NodeJS.Timeout | null = null;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly participants: JournalParticipants,
    private readonly repository: DispatchRepository,
    private readonly feed: ChangeFeed,
    private readonly work: WakeSignal,
    private readonly database: Database,
    private readonly threads: ServerThreadsService,
  ) {}

  onModuleInit(): void {
    this.participants.add(this);
    this.threads.setAgents((threadIds) => this.repository.agentsOfSessions(threadIds));
    if (this.database.isShared) this.unsubscribe = this.feed.subscribeToAll(() => this.noteCommit());
  }

  onModuleDestroy(): void {
    this.unsubscribe();
    if (this.timer) clearTimeout(this.timer);
  }

  statementsForCommit(threads: readonly { id: string }[], nowMs: number): readonly BoundStatement[] {
    const ids = threads.map(({ id }) => id);
    return [this.repository.wakeStatement(ids, nowMs)];
  }

  statementsForDeletion(threadId: string, nowMs: number): readonly BoundStatement[] {
    return [this.repository.wakeStatement([threadId], nowMs), this.repository.forgetTurnStatement(threadId)];
  }

  committed(): void {
    this.work.notify();
  }

  /** A commit on any instance, so it says little. */
  private noteCommit(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.work.notify();
    }, PAUSE_MS).unref();
  }
}
