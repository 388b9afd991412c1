import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { agentNotAllowed, speaksFor } from '../../common/bound-agents.js';
import type { Principal } from '../../common/principal.js';
import { ThreadCleanupService } from '../threads/deletion/thread-cleanup.service.js';
import { ThreadJournal, type UnitOfWork } from '../threads/journal/thread-journal.service.js';
import { ThreadRunsService } from '../threads/journal/thread-runs.service.js';
import { StateClearingRepository, type ClearingStage } from './state-clearing.repository.js';
import { StateDeletionRepository } from './state-deletion.repository.js';
import { assertStateIds, assertStateName, type StateAddress, type StateName } from './state-identity.js';
import { LEFTOVERS_AT_ONCE, StateLeftoversRepository, takenOf } from './state-leftovers.repository.js';
import type { StateScope } from './state-scope.js';
import { notOfTokensThread } from './state.errors.js';

/** One agent, or all that the caller may speak for. */
type StateOwner = Pick<StateAddress, 'threadId' | 'agentId'>;

const JOB_BYTES = 4_000;

/** Deletes graph states piece by piece. After a failure some may be gone; repeat the deletion for the rest. */
@Injectable()
export class StateDeletionService {
  constructor(
    private readonly clearing: StateClearingRepository,
    private readonly deletion: StateDeletionRepository,
    private readonly leftovers: StateLeftoversRepository,
    private readonly journal: ThreadJournal,
    private readonly runs: ThreadRunsService,
    private readonly cleanup: ThreadCleanupService,
  ) {}

  /**
   * Deletes the owner's states in the thread and nothing else. Does nothing if there are none.
   * @throws DomainError `forbidden`; `invalid`
   */
  async clear(owner: StateOwner, caller: Principal): Promise<void> {
    assertMayDelete(owner, caller);
    const begun = await this.change(owner, caller, (_, scope) => Promise.resolve(scope));
    if (begun === null) return;
    let stage: ClearingStage = 'states';
    while (stage !== 'done') {
      const now: ClearingStage = stage;
      const next = await this.changeIn(begun, owner, caller, async (drafts, scope) => {
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
   * Deletes these checkpoints, each together with its writes, and then the values that no checkpoint names any longer. If it is
   * interrupted, the agent's next deletion in the thread removes the rest, even if it finds no checkpoint.
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
    const mark = randomUUID();
    for (let { left } = places; left.length > 0;) {
      const taken = await this.changeIn(places.scope, owner, caller, async (drafts, { threadPk }) => {
        const piece = await this.deletion.take(drafts.reader, threadPk, left, mark);
        drafts.write(...piece.statements);
        if (piece.statements.length > 0) this.runs.noteKept(drafts, owner.threadId);
        return piece.taken;
      });
      left = left.slice(taken ?? left.length);
    }
    await this.freeLeftovers(owner, caller, places.scope, mark);
    this.cleanup.reclaimSoon();
  }

  /**
   * Searches for checkpoints that name the leftovers, without blocking the thread's writers. Whoever stores one meanwhile removes the
   * value's note, and whoever deletes one marks it again; either way the value stays for now.
   */
  private async freeLeftovers(owner: StateOwner, caller: Principal, scope: StateScope, mark: string): Promise<void> {
    for (let isMore = true; isMore;) {
      const values = await this.changeIn(scope, owner, caller, async (drafts) => {
        const adopted = await this.leftovers.adopt(drafts.reader, scope, mark);
        drafts.write(...adopted.statements);
        return adopted.values;
      });
      if (values === null || values.length === 0) return;
      const named = await this.leftovers.named(scope, values);
      const unnamed = values.filter((value) => !named.has(value));
      if (named.size > 0) {
        await this.changeIn(scope, owner, caller, async (drafts, { threadPk }) =>
          drafts.write(...this.leftovers.forgetStatements(threadPk, [...named], mark)),
        );
      }
      let left = await this.leftovers.sizesOf(scope.threadPk, unnamed);
      while (left.length > 0) {
        const piece = left.slice(
          0,
          takenOf(left, ({ bytes }) => bytes),
        );
        await this.changeIn(scope, owner, caller, async (drafts, { threadPk }) =>
          drafts.write(...this.leftovers.freeStatements(threadPk, piece, mark)),
        );
        left = left.slice(piece.length);
      }
      isMore = values.length === LEFTOVERS_AT_ONCE;
    }
  }

  /** Null if the thread has been replaced by another one with the same id. */
  private changeIn<T>(
    { threadPk }: StateScope,
    owner: StateOwner,
    caller: Principal,
    work: (drafts: UnitOfWork, scope: StateScope) => Promise<T>,
  ): Promise<T | null> {
    return this.change(owner, caller, async (drafts, now) => (now.threadPk === threadPk ? work(drafts, now) : null));
  }

  /** Null if there is no such thread. */
  private change<T>(
    { threadId, agentId }: StateOwner,
    { agentIds }: Principal,
    work: (drafts: UnitOfWork, scope: StateScope) => Promise<T>,
  ): Promise<T | null> {
    return this.journal.submit({
      ...{ name: 'delete states', threadIds: [threadId], bytes: JOB_BYTES, isAlone: true },
      run: async (drafts) => {
        const threadPk = this.runs.pkOf(drafts, threadId);
        return threadPk === null ? null : work(drafts, { threadPk, agent: agentId, agents: agentIds });
      },
    });
  }
}

function assertMayDelete({ threadId, agentId }: StateOwner, { agentIds, run }: Principal): void {
  assertStateIds({ threadId, agentId });
  if (agentIds !== null && agentId !== null && !speaksFor(agentIds, agentId))
    throw agentNotAllowed(agentId, 'delete states of');
  if (run !== null && run.threadId !== threadId) throw notOfTokensThread();
}
