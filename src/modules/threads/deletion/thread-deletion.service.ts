import { Injectable } from '@nestjs/common';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { ChangeFeed } from '../../../database/change-feed.js';
import type { UnitOfWork } from '../journal/store/unit-of-work.js';
import type { ThreadDraft } from '../journal/store/thread-draft.js';
import { JournalParticipants } from '../journal/store/journal-participants.service.js';
import { ThreadJournal } from '../journal/thread-journal.service.js';
import { ThreadDeletionRepository } from './thread-deletion.repository.js';
import { ThreadCleanupService } from './thread-cleanup.service.js';
import { threadNotFound } from '../threads.contract.js';

/** Checked under the thread's lock. */
type MayGo = (draft: ThreadDraft, drafts: UnitOfWork) => boolean | Promise<boolean>;

/** Bytes that count for a deletion waiting for the journal. */
const JOB_BYTES = 1_000;
/** Threads hidden from readers together. */
const BATCH = 50;

@Injectable()
export class ThreadDeletionService {
  constructor(
    private readonly journal: ThreadJournal,
    private readonly participants: JournalParticipants,
    private readonly repository: ThreadDeletionRepository,
    private readonly remains: ThreadCleanupService,
    private readonly feed: ChangeFeed,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /**
   * Resolves when everything is deleted. Wakes the thread's streams and waiting requests.
   * @throws DomainError `not_found`; `unavailable` if the storage fails: if the thread is already hidden, a later round deletes the rest
   */
  async delete(threadId: string): Promise<void> {
    if (threadId.includes('\0') || !(await this.deleteIf(threadId, () => true))) throw threadNotFound();
  }

  /** The same, unless `mayGo` refuses under the thread's lock. @returns whether the thread was deleted */
  async deleteIf(threadId: string, mayGo: MayGo): Promise<boolean> {
    const pk = await this.detach(threadId, mayGo);
    if (pk !== null) await this.remains.remove([pk]);
    return pk !== null;
  }

  /**
   * Deletes the thread if it has a run with this trace, and subtracts its runs from the statistics, which otherwise keep those of deleted
   * threads.
   * @returns whether there was such a thread
   */
  async erase(threadId: string, traceId: string): Promise<boolean> {
    return this.deleteIf(threadId, async ({ pk }, drafts) => {
      if (!(await this.repository.hasRun(drafts.reader, pk, traceId))) return false;
      drafts.write(this.repository.forgetSums(pk));
      return true;
    });
  }

  /** Ids of the threads that have a run with one of these traces. */
  async findByRuns(traceIds: readonly string[]): Promise<string[]> {
    return this.repository.findByRuns(traceIds);
  }

  /**
   * Deletes the oldest threads without a change or a newly granted lease since `beforeMs`, whatever their status, except those that wait
   * for a person or have a write effect that never ended. Several processes may do it at once.
   * @returns how many were deleted; not all if the process is shutting down
   */
  async deleteOld(beforeMs: number): Promise<number> {
    const { isWaiting } = this.participants;
    const isOld = async ({ row, isChanged }: ThreadDraft, { reader }: UnitOfWork) => {
      const isDue = !isChanged && row.pending_approvals === 0 && row.updated_at < beforeMs && row.last_fence < beforeMs;
      if (!isDue || row.status === RUN_STATUS.waiting) return false;
      return !(await this.repository.isWaiting(reader, row.pk, isWaiting));
    };
    let deleted = 0;
    while (!this.shutdown.isShuttingDown) {
      const ids = await this.repository.findOld(beforeMs, isWaiting, BATCH);
      const tried = await Promise.allSettled(ids.map((id) => this.detach(id, isOld)));
      const pks = tried.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []));
      if (pks.length > 0) await this.remains.remove(pks);
      deleted += pks.length;
      const failed = tried.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
      if (ids.length < BATCH || pks.length === 0) break;
    }
    return deleted;
  }

  /** Hides the thread from all readers at once. Null if there is none or `mayGo` refuses under its lock. */
  private async detach(threadId: string, mayGo: MayGo): Promise<number | null> {
    const run = async (drafts: UnitOfWork) => {
      const draft = drafts.find(threadId);
      if (!draft || !(await mayGo(draft, drafts))) return null;
      drafts.remove(threadId);
      drafts.write(this.repository.detachScript(draft.row, drafts.nowMs, this.participants.tables));
      drafts.write(...this.participants.statementsForDeletion(threadId, drafts.nowMs));
      return draft.pk;
    };
    const job = { name: 'delete a thread', threadIds: [threadId], bytes: JOB_BYTES, isAlone: true, run };
    const pk = await this.journal.submit(job);
    if (pk !== null) this.feed.publish([pk]);
    return pk;
  }
}
