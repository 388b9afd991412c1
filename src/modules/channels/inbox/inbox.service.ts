import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import { isLockTimeout } from '../../../database/database-fault.js';
import { Database, type SqlSession } from '../../../database/database.js';
import { CommitQueue } from '../../../queue/commit-queue.js';
import { WakeSignal } from '../../../queue/wake-signal.js';
import { inboxFull } from '../accounts/channels.errors.js';
import type { InboxDelivery } from './inbox-delivery.js';
import { InboxWriter } from './inbox-writer.js';

/** Stored in one transaction. */
type Deliveries = readonly InboxDelivery[];

const MAX_WAITING = 2000;
/** How long a group waits for locked rows, and then each of its members: platforms repeat what was not accepted. */
const LOCK_TIMEOUT_MS = 2_000;
const ALONE_LOCK_TIMEOUT_MS = 200;

/** Stores what platforms deliver, once, however often and on whichever instance it arrives. */
@Injectable()
export class InboxService implements OnApplicationShutdown {
  private readonly queue = new CommitQueue<Deliveries, void>({
    commit: (group, isRetry) => this.commit(group, isRetry),
    failsAlike: isOfStorage,
  });

  constructor(
    private readonly database: Database,
    private readonly writer: InboxWriter,
    private readonly work: WakeSignal,
  ) {}

  /**
   * Stores the deliveries in one transaction, wakes the workers and resolves once they are durable.
   * @throws DomainError `unavailable`, `storage_full` if they are not stored; errors of `inSameTransaction`
   */
  store(deliveries: Deliveries): Promise<void> {
    return this.queue.length >= MAX_WAITING ? Promise.reject(inboxFull()) : this.queue.add(deliveries);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queue.idle();
  }

  private async commit(group: readonly Deliveries[], isRetry: boolean): Promise<void[]> {
    const lockTimeoutMs = isRetry ? ALONE_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS;
    const write = (session: SqlSession) => this.writer.write(session, group.flat());
    if (await this.database.transaction(write, { lockTimeoutMs })) this.work.notify();
    return group.map(() => undefined);
  }
}

function isOfStorage(error: unknown): boolean {
  if (isLockTimeout(error)) return false;
  return error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'storage_full');
}
