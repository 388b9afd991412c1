import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '../../../common/domain-error.js';
import { isLockTimeout } from '../../../database/database-fault.js';
import { Database } from '../../../database/database.js';
import { WakeSignal } from '../../../queue/wake-signal.js';
import { inboxFull } from '../accounts/channels.errors.js';
import type { InboxDelivery } from './inbox-delivery.js';
import { InboxWriter } from './inbox-writer.js';

interface Waiting {
  deliveries: readonly InboxDelivery[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

const MAX_WAITING = 2000;
const MAX_GROUP = 64;
/** How long a group waits for rows that others hold locked, and then each of it: platforms deliver again what was not taken in. */
const LOCK_TIMEOUT_MS = 2_000;
const ALONE_LOCK_TIMEOUT_MS = 200;

/**
 * Takes in what platforms deliver. What arrives while a transaction is under way shares the next one, so that many small requests cost one
 * sync of the disk. Everything is stored once, however often and by whichever instance it is taken in.
 */
@Injectable()
export class InboxService implements OnApplicationShutdown {
  private waiting: Waiting[] = [];
  private worker: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly writer: InboxWriter,
    private readonly work: WakeSignal,
  ) {}

  /**
   * Stores what belongs together in one transaction and resolves when it is durable; then wakes who works it off.
   * @throws DomainError `unavailable`, `storage_full` when it is not stored; what `inSameTransaction` throws
   */
  store(deliveries: readonly InboxDelivery[]): Promise<void> {
    if (this.waiting.length >= MAX_WAITING) return Promise.reject(inboxFull());
    return new Promise((resolve, reject) => {
      this.waiting.push({ deliveries, resolve, reject });
      this.worker ??= this.drain();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker;
  }

  private async drain(): Promise<void> {
    // The requests that arrived in the same turn of the event loop belong together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) await this.runGroup(this.waiting.splice(0, MAX_GROUP), LOCK_TIMEOUT_MS);
    this.worker = null;
  }

  private async runGroup(group: readonly Waiting[], lockTimeoutMs: number): Promise<void> {
    try {
      const all = group.flatMap(({ deliveries }) => deliveries);
      const hasWork = await this.database.transaction((session) => this.writer.write(session, all), {
        lockTimeoutMs,
      });
      for (const { resolve } of group) resolve();
      if (hasWork) this.work.notify();
    } catch (error) {
      // Where the storage is at fault all would fail alike; else the one that is at fault must not take the others with it.
      if (group.length === 1 || isOfStorage(error)) for (const { reject } of group) reject(error);
      else for (const one of group) await this.runGroup([one], ALONE_LOCK_TIMEOUT_MS);
    }
  }
}

function isOfStorage(error: unknown): boolean {
  if (isLockTimeout(error)) return false;
  return error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'storage_full');
}
