import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { digestOf } from '../../common/digest.js';
import type { Principal } from '../../common/principal.js';
import { ThreadJournal, type UnitOfWork } from '../threads/journal/thread-journal.service.js';
import type { WorkBeside } from '../threads/journal/thread-recording.service.js';
import { ThreadRunsService } from '../threads/journal/thread-runs.service.js';
import type { SentCheckpoint, SentStep, SentWrites } from './state-body.js';
import { unknownDigest } from './state.errors.js';
import {
  assertStateIds,
  assertStateName,
  placeOf,
  positionOf,
  type StateAddress,
  type StateName,
} from './state-identity.js';
import { namedIn, StateLeftoversRepository } from './state-leftovers.repository.js';
import { StateRepository } from './state.repository.js';

/** Whose states are written. */
export type StateOwner = Pick<StateAddress, 'threadId' | 'agentId'>;

/** A change of states: a journal job, or part of one that shares its threads with no other. */
export interface StateWork<T> extends Omit<WorkBeside, 'run'> {
  run(drafts: UnitOfWork): Promise<T>;
}

export type StateTarget = StateAddress & { checkpointId: string };

export interface StoredCheckpoint {
  /** Whether there was none with this id. */
  isNew: boolean;
  checkpointId: string;
  /** The digest of each value, by channel. */
  digests: ReadonlyMap<string, string>;
}

export interface Body<T> {
  sent: T;
  bytes: number;
  /** Called once the queue counts the body's bytes. */
  onQueued: () => void;
}

/** Memory that a job holds besides its body. */
const JOB_BYTES = 4_000;
/** Memory of a statement besides its values. */
const STATEMENT_BYTES = 500;

/** Keeps graph states. Of racing writers of a checkpoint, the last under the thread's lock wins. */
@Injectable()
export class StateService {
  constructor(
    private readonly states: StateRepository,
    private readonly leftovers: StateLeftoversRepository,
    private readonly journal: ThreadJournal,
    private readonly runs: ThreadRunsService,
  ) {}

  /**
   * Stores a checkpoint durably, replacing one with the same id. Repeating it changes nothing.
   * @throws DomainError `conflict` for a digest that is not stored; `forbidden`; `invalid`
   */
  put(target: StateTarget, body: Body<SentCheckpoint>, caller: Principal): Promise<StoredCheckpoint> {
    const bytes = body.bytes + body.sent.values.length * STATEMENT_BYTES;
    return this.change(target, { ...body, bytes }, caller, (drafts, kept) => this.store(drafts, kept, body.sent));
  }

  /**
   * Stores a task's writes durably, whether or not their checkpoint exists. Existing writes stay, unless their number is negative.
   * @throws DomainError `forbidden`; `invalid`
   */
  addWrites(target: StateTarget, body: Body<SentWrites>, caller: Principal): Promise<void> {
    const bytes = body.bytes + body.sent.writes.length * STATEMENT_BYTES;
    return this.change(target, { ...body, bytes }, caller, (drafts, kept) => {
      this.write(drafts, kept, body.sent);
      return Promise.resolve();
    });
  }

  /**
   * The work that stores a step's writes and checkpoint: all or nothing. `run` returns null if the step has no checkpoint.
   * @throws DomainError as `put`
   */
  stepWork(
    owner: StateOwner,
    { checkpoint, writes }: Pick<SentStep, 'checkpoint' | 'writes'>,
    caller: Principal,
  ): Promise<StateWork<StoredCheckpoint | null>> {
    const statements = (checkpoint?.values.length ?? 0) + writes.reduce((sum, one) => sum + one.writes.length, 0);
    return this.workOf(owner, statements * STATEMENT_BYTES, caller, async (drafts, { threadPk, agent }) => {
      const keptAt = (name: StateName): Kept => {
        const place = placeOf(agent, name.ns, name.checkpointId);
        return { threadPk, agent, place, target: { ...owner, ...name } };
      };
      // First, because it may refuse: a job that refuses must not have changed anything.
      const stored = checkpoint && (await this.store(drafts, keptAt(checkpoint), checkpoint));
      for (const task of writes) this.write(drafts, keptAt(task), task);
      return stored;
    });
  }

  /** Does the work by itself, durably. */
  async submit<T>({ bytes, ...work }: StateWork<T>, body: Omit<Body<unknown>, 'sent'>): Promise<T> {
    const job = { name: 'change a state', bytes: bytes + body.bytes, isAlone: true, ...work };
    const changed = this.journal.submit(job);
    body.onQueued();
    return changed;
  }

  private write(
    drafts: UnitOfWork,
    { threadPk, agent, place, target }: Kept,
    { taskId, taskPath, writes }: SentWrites,
  ) {
    for (const { idx, channel, type, data } of writes) {
      const key = { thread_pk: threadPk, place, task_id: taskId, idx };
      drafts.write(this.states.writeStatement({ ...key, agent, task_path: taskPath, channel, type, data }));
    }
    this.runs.noteKept(drafts, target.threadId);
  }

  private async change<T>(
    target: StateTarget,
    body: Omit<Body<unknown>, 'sent'>,
    caller: Principal,
    work: (drafts: UnitOfWork, kept: Kept) => Promise<T>,
  ): Promise<T> {
    assertTarget(target);
    const { ns, checkpointId } = target;
    const own = await this.workOf(target, 0, caller, (drafts, { threadPk, agent }) =>
      work(drafts, { threadPk, agent, place: placeOf(agent, ns, checkpointId), target }),
    );
    return this.submit(own, body);
  }

  private async workOf<T>(
    owner: StateOwner,
    bytes: number,
    { agentIds, run: ownRun }: Principal,
    work: (drafts: UnitOfWork, kept: Pick<Kept, 'threadPk' | 'agent'>) => Promise<T>,
  ): Promise<StateWork<T>> {
    assertStateIds(owner);
    const { threadId, agentId } = owner;
    const mayBegin = await this.runs.mayBegin(threadId, agentIds);
    const run = async (drafts: UnitOfWork) => {
      const keeper = this.runs.keeper(drafts, { threadId, agentId, allowedAgents: agentIds, ownRun, mayBegin });
      return work(drafts, { threadPk: keeper.threadPk, agent: keeper.agentId });
    };
    return { threadIds: [threadId], bytes: JOB_BYTES + bytes, run };
  }

  private async store(drafts: UnitOfWork, kept: Kept, sent: SentCheckpoint): Promise<StoredCheckpoint> {
    const { threadPk, agent, place, target } = kept;
    const { reader, nowMs } = drafts;
    const digests = new Map(sent.values.map(({ channel, digest }) => [channel, digest]));
    const channels = JSON.stringify(
      sent.values.map(({ channel, version, type, digest }) => [channel, version, type, digest]),
    );
    const { parentId, type, metadata, dataDigest } = sent;
    const digest = digestOf(JSON.stringify([parentId, type, dataDigest, metadata.toString(), channels]));
    const before = await this.states.sentAt(reader, threadPk, place);
    const answer = { isNew: before === null, checkpointId: target.checkpointId, digests };
    if (before?.digest === digest) return answer;
    const wanted = new Set(digests.values());
    const { stored, leftOver } = await this.states.stored(reader, threadPk, agent, [...wanted]);
    const added = new Map<string, Buffer>();
    for (const { digest: one, data } of sent.values) if (data && !stored.has(one)) added.set(one, data);
    const missing = sent.values.filter(({ digest: one }) => !stored.has(one) && !added.has(one));
    if (missing.length > 0) throw unknownDigest(missing.map(({ channel }) => channel));
    // Values that this checkpoint names are no longer leftovers, whatever a search found.
    const named = leftOver.map((known) => ({ agent, digest: known }));
    drafts.write(...this.leftovers.forgetStatements(threadPk, named, null));
    if (before !== null) {
      const replaced = [...namedIn({ agent, channels: before.channels })].filter((old) => !wanted.has(old.digest));
      drafts.write(...this.leftovers.noteStatements(threadPk, replaced, randomUUID()));
    }
    for (const [one, data] of added) drafts.write(this.states.valueStatement(threadPk, agent, one, data));
    drafts.write(
      this.states.checkpointStatement({
        ...{ thread_pk: threadPk, place, agent, ns: target.ns, checkpoint_id: target.checkpointId },
        ...{ position: positionOf(target.checkpointId), parent_id: parentId, type, data: sent.data },
        ...{ metadata, members: sent.members.join(' '), channels, digest, created_at: nowMs },
      }),
    );
    this.runs.noteKept(drafts, target.threadId);
    return answer;
  }
}

interface Kept {
  threadPk: number;
  agent: string;
  place: string;
  target: StateTarget;
}

function assertTarget({ threadId, ns, checkpointId, agentId }: StateTarget): void {
  assertStateIds({ threadId, agentId });
  assertStateName({ ns, checkpointId });
}
