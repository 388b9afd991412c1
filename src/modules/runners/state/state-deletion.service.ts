import { Injectable } from '@nestjs/common';
import { speaksFor } from '../../../common/bound-agents.js';
import type { Principal } from '../../../common/principal.js';
import { Database, type SqlReader } from '../../../database/database.js';
import { ThreadCleanupService } from '../../threads/deletion/thread-cleanup.service.js';
import { ThreadJournal, type UnitOfWork } from '../../threads/journal/thread-journal.service.js';
import { ThreadRunsService } from '../../threads/journal/thread-runs.service.js';
import { StateClearingRepository, type ClearingStage } from './state-clearing.repository.js';
import { StateDeletionRepository, takenOf, type ValueSize } from './state-deletion.repository.js';
import { assertStateIds, assertStateName, type StateAddress, type StateName } from './state-identity.js';
import type { StateScope } from './state-scope.js';
import { agentNotAllowed, notOfTokensThread } from './state.errors.js';

/** Of one agent, or of all that the caller may speak for. */
type StateOwner = Pick<StateAddress, 'threadId' | 'agentId'>;

/** Memory that a job holds. */
const JOB_BYTES = 4_000;

/** Deletes the states of graphs piece by piece. Where it fails, some may be gone: the same again deletes the others. */
@Injectable()
export class StateDeletionService {
  constructor(
    private readonly clearing: StateClearingRepository,
    private readonly deletion: StateDeletionRepository,
    private readonly database: Database,
    private readonly journal: ThreadJournal,
    private readonly runs: ThreadRunsService,
    private readonly cleanup: ThreadCleanupService,
  ) {}

  /**
   * Deletes all states of the owner in the thread, and nothing else of it. Nothing happens where there are none.
   * @throws DomainError `forbidden`; `invalid`
   */
  async clear(owner: StateOwner, caller: Principal): Promise<void> {
    assertMayDelete(owner, caller);
    let stage: ClearingStage = 'states';
    while (stage !== 'done') {
      const now: ClearingStage = stage;
      const next = await this.change(owner, caller, async (drafts, scope) => {
        const piece = await this.clearing.piece(drafts.reader, now, scope);
        drafts.write(...piece.statements);
        this.runs.noteKept(drafts, owner.threadId);
        return piece.next;
      });
      stage = next ?? 'done';
    }
    this.cleanup.reclaimSoon();
  }

  /**
   * Deletes these checkpoints, each with all its writes at one moment, and then the values that none is left to name.
   * @throws DomainError `forbidden`; `invalid`
   */
  async delete(owner: StateOwner, names: readonly StateName[], caller: Principal): Promise<void> {
    assertMayDelete(owner, caller);
    for (const [at, name] of names.entries()) assertStateName(name, `checkpoints[${at}].`);
    if (names.length === 0) return;
    const places = await this.change(owner, caller, async ({ reader }, scope) => ({
      scope,
      left: await this.deletion.placesOf(reader, scope, names),
    }));
    if (places === null) return;
    for (let { left } = places; left.length > 0;) {
      const taken = await this.change(owner, caller, async (drafts, { threadPk }) => {
        const piece = await this.deletion.take(drafts.reader, threadPk, left);
        drafts.write(...piece.statements);
        if (piece.statements.length > 0) this.runs.noteKept(drafts, owner.threadId);
        return piece.taken;
      });
      left = left.slice(taken ?? left.length);
    }
    await this.freeValues(owner, caller, places.scope);
    this.cleanup.reclaimSoon();
  }

  /** Looks for them beside the writers of the thread, and asks again under its lock: a checkpoint may name one of them by then. */
  private async freeValues(owner: StateOwner, caller: Principal, scope: StateScope): Promise<void> {
    const reader: SqlReader = { query: (sql, params) => this.database.read(sql, params) };
    let after: ValueSize | null = null;
    for (;;) {
      const values: ValueSize[] = await this.deletion.values(reader, scope, after);
      if (values.length === 0) return;
      let left = await this.deletion.unnamed(reader, scope, values);
      while (left.length > 0) {
        const piece = left.slice(
          0,
          takenOf(left, ({ bytes }) => bytes),
        );
        await this.change(owner, caller, async (drafts, now) => {
          const gone = await this.deletion.unnamed(drafts.reader, now, piece);
          if (gone.length > 0) drafts.write(this.deletion.valuesStatement(now.threadPk, gone));
        });
        left = left.slice(piece.length);
      }
      after = values.at(-1)!;
    }
  }

  /** Null where there is no such thread. */
  private change<T>(
    { threadId, agentId }: StateOwner,
    { agentIds }: Principal,
    work: (drafts: UnitOfWork, scope: StateScope) => Promise<T>,
  ): Promise<T | null> {
    return this.journal.submit({
      ...{ threadIds: [threadId], bytes: JOB_BYTES, isWriting: true },
      work: async (drafts) => {
        const threadPk = this.runs.pkOf(drafts, threadId);
        return threadPk === null ? null : work(drafts, { threadPk, agent: agentId, agents: agentIds });
      },
    });
  }
}

function assertMayDelete({ threadId, agentId }: StateOwner, { agentIds, run }: Principal): void {
  assertStateIds({ threadId, agentId });
  if (agentIds !== null && agentId !== null && !speaksFor(agentIds, agentId)) throw agentNotAllowed(agentId);
  if (run !== null && run.threadId !== threadId) throw notOfTokensThread();
}
