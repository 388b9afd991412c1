import { Injectable } from '@nestjs/common';
import { digestOf } from '../../../common/digest.js';
import { LongText } from '../../../common/long-text.js';
import { ApprovalsLookupService } from '../../approvals/approvals-lookup.service.js';
import { TimeSlices } from '../../../common/time-slices.js';
import {
  LatestCheckpointService,
  type LatestCheckpoint,
  type ResumedCheckpoint,
} from '../../threads/checkpoints/latest-checkpoint.service.js';
import type { ExtraMember, LatestFilter } from '../../threads/threads.contract.js';
import {
  agentEffectJson,
  AgentEffectsService,
  type AgentEffect,
  type AgentEffects,
} from '../../effects/agent-effects.service.js';
import type { AskedCall } from './call-outcomes.js';
import { arrayOf, elementsOf } from '../../../common/exact-values.js';
import { ModelHistory } from './model-history.js';

export interface ResumeRequest {
  threadId: string;
  filter: LatestFilter;
  /** The agents that the caller may speak for; null for all. */
  allowedAgents: readonly string[] | null;
}

/** What a resumed run needs besides its checkpoint. */
interface Beside {
  effects: AgentEffects;
  asked: readonly AskedCall[];
  /** Runs of the thread that wait for a person. */
  waiting: readonly { trace_id: string; agent_id: string; step_index: number }[];
}

const NONE: ReadonlySet<string> = new Set();
const [OPEN, CLOSE] = [Buffer.from('['), Buffer.from(']')];

/** Serves `latest?resume=safe`: the checkpoint, the outcomes of its tool calls, and a history that providers accept. */
@Injectable()
export class SafeResumeService {
  constructor(
    private readonly checkpoints: LatestCheckpointService,
    private readonly effects: AgentEffectsService,
    private readonly approvals: ApprovalsLookupService,
  ) {}

  /** @throws DomainError `not_found` as for the latest checkpoint */
  async get({ threadId, filter, allowedAgents }: ResumeRequest): Promise<LatestCheckpoint> {
    const checkpoint = await this.checkpoints.toResume(threadId, filter, allowedAgents);
    const { thread_pk, run_no, agent_id, version } = checkpoint;
    const verdicts = await this.approvals.verdictsOf({ thread_pk, run_no });
    const beside: Beside = {
      effects: await this.effects.outlinesOf(thread_pk, agent_id, allowedAgents),
      asked: [...verdicts].flatMap(([call_id, { status: state, answers }]) =>
        state === 'superseded' ? [] : { call_id, state, ...(answers && { answers }) },
      ),
      waiting: await this.waitingOf(thread_pk, threadId, allowedAgents),
    };
    const besideVersion = digestOf(JSON.stringify([beside.effects.version, beside.asked, beside.waiting]));
    return {
      threadPk: thread_pk,
      etag: `"${version}-${besideVersion.slice(0, 16)}"`,
      dueMs: beside.effects.dueMs,
      body: async () => checkpoint.bodyWith(await this.membersOf(checkpoint, beside), false),
      bodyWithoutLists: async () => checkpoint.bodyWith(await this.membersOf(checkpoint, beside), true),
    };
  }

  private async waitingOf(threadPk: number, threadId: string, allowedAgents: readonly string[] | null) {
    const pending = await this.approvals.waitingOf(threadId);
    const runNos = pending.map(({ runNo }) => runNo);
    const seen = await this.checkpoints.runsSeen(threadPk, runNos, allowedAgents);
    return pending
      .filter(({ runNo }) => seen.has(runNo))
      .map(({ traceId, agentId, step }) => ({ trace_id: traceId, agent_id: agentId, step_index: step }));
  }

  private async membersOf(checkpoint: ResumedCheckpoint, { effects, asked, waiting }: Beside): Promise<ExtraMember[]> {
    const text = await checkpoint.history();
    const slices = new TimeSlices();
    const history = elementsOf(Buffer.concat([OPEN, Buffer.from(text), CLOSE])) ?? [];
    await slices.pauseIfDue();
    const model = new ModelHistory(history);
    await slices.pauseIfDue();
    const answered = effects.effects.length === 0 ? NONE : model.answeredIds();
    const isOpen = ({ state, call_id }: AgentEffect) => state === 'started' || !answered.has(call_id ?? '');
    const told = await this.effects.withTexts(effects.effects.filter(isOpen));
    const isOfRun = ({ trace_id }: AgentEffect) => trace_id === checkpoint.trace_id;
    const claims = effects.isComplete ? effects.effects.map((one) => ({ ...one, isOfRun: isOfRun(one) })) : [];
    const { messages, repairs } = model.repaired({ claims, effects: told, asked });
    await slices.pauseIfDue();
    return [
      { name: '"effects"', value: LongText.stringOr(arrayOf(told.map((one) => Buffer.from(agentEffectJson(one))))) },
      { name: '"history_for_model"', value: LongText.stringOr(arrayOf(messages)) },
      { name: '"repairs"', value: JSON.stringify(repairs) },
      { name: '"waiting"', value: JSON.stringify(waiting) },
    ];
  }
}
