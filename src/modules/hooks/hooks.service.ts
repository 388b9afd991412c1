import { Injectable } from '@nestjs/common';
import { agentNotAllowed, speaksFor } from '../../common/bound-agents.js';
import { callsDigestOf } from '../../common/digest.js';
import { DomainError } from '../../common/domain-error.js';
import { newId } from '../../common/ids.js';
import { Logger } from '../../common/logger.js';
import type { LongPoll } from '../../common/long-poll.js';
import type { Principal } from '../../common/principal.js';
import {
  ApprovalsLookupService,
  type ApprovalState,
  type WaitingPlace,
} from '../approvals/approvals-lookup.service.js';
import { RunCancellationService } from '../threads/journal/run-cancellation.service.js';
import { RunnersIngestionService } from '../runners/ingestion/runners-ingestion.service.js';
import { LongPollService, type PolledState } from '../../database/long-poll.service.js';
import type { HookBody } from './hook-body.js';
import { HookChatsService, type HookChat } from './hook-chats.service.js';
import { hookOutput } from './hook-output.js';
import {
  askedBy,
  batchOf,
  endOf,
  turnsEndedBy,
  threadOf,
  turnOf,
  type AskedCall,
  type HookReport,
} from './hook-events.js';
import { asksFor, saysToolUsed, saysTurnOver } from './terminal-decisions.js';

/** How a hook asks. */
export interface HookOptions {
  /** The header Idempotency-Key; null if there is none, and every request is another event. */
  key: string | null;
  /** Null for the token's only agent or, without one, the platform's name. */
  agentId: string | null;
  /** A chat to ask in, too; null for none. */
  chat: HookChat | null;
  /** How long the approval waits for a decision; null for as long as the platforms wait. */
  timeoutSeconds: number | null;
  /** How long to hold the request for a decision; 0 for no wait. */
  waitMs: number;
}

/** `waiting`: ask again with the same key. `silent`: the hook prints nothing. */
export type HookOutcome =
  { kind: 'decided'; output: string } | { kind: 'waiting'; asked: AskedCall } | { kind: 'silent' };

interface AnswerLook extends PolledState {
  answer: ApprovalState | null;
}

/** Both platforms end a hook after this time, by the settings that `waystation hook` prints. */
const PLATFORM_TIMEOUT_SECONDS = 600;
const PENDING = 'pending';
const NO_THREAD = -1;
const ALL_RUNS = { beforeTraceId: null, exceptTraceId: null };
const DATA = 'data.';
const NAMES = { claude: 'claude-code', codex: 'codex' } as const;
const SILENT: HookOutcome = { kind: 'silent' };

/** Records the events of coding agents, and answers their permission requests with people's decisions. */
@Injectable()
export class HooksService {
  constructor(
    private readonly ingestion: RunnersIngestionService,
    private readonly cancellation: RunCancellationService,
    private readonly approvals: ApprovalsLookupService,
    private readonly chats: HookChatsService,
    private readonly longPolls: LongPollService,
    private readonly logger: Logger,
  ) {}

  /**
   * The same key gets the same decision, whatever happened to the server in between.
   * @param request used only if it waits
   * @throws DomainError as ingestion; `agent_not_allowed` and `chat_not_allowed` before anything is stored; `unprocessable` if the key was
   * used with another call
   */
  async take(hook: HookBody, options: HookOptions, caller: Principal, request: LongPoll): Promise<HookOutcome> {
    const agentId = options.agentId ?? onlyAgentOf(caller) ?? NAMES[hook.platform];
    const key = JSON.stringify([hook.platform, agentId, options.key ?? newId()]);
    const report = { hook, agentId, key, timeoutSeconds: options.timeoutSeconds ?? PLATFORM_TIMEOUT_SECONDS };
    const asked = askedBy(report);
    const { chat } = options;
    // Before the chat: a caller that may not speak for an agent must not learn where that agent may ask.
    if (caller.agentIds && !speaksFor(caller.agentIds, agentId)) throw agentNotAllowed(agentId);
    if (asked && chat) await this.chats.assertAllowed(chat, agentId);
    await this.record(batchOf(report), caller);
    await this.endLeft(report, caller);
    await this.endDecided(report, caller);
    if (!asked) return SILENT;
    if (chat) await this.chats.ask(chat, agentId, asked);
    const wait = { waitMs: options.waitMs, knownEtags: [PENDING] };
    const { answer } = await this.longPolls.waitForChange(() => this.look(asked), wait, request);
    if (answer === null) return SILENT;
    if (answer.digest !== callsDigestOf(asked.calls)) throw otherCall();
    if (answer.status === PENDING) return { kind: 'waiting', asked };
    await this.close(asked, report, caller);
    const output = hookOutput(answer, hook);
    return output === null ? SILENT : { kind: 'decided', output };
  }

  /** A token for one run cannot end others. */
  private async endLeft({ hook, agentId }: HookReport, { run }: Principal): Promise<void> {
    const left = run === null ? turnsEndedBy(hook) : null;
    if (left === null) return;
    const { beforeTurn: beforeTraceId, exceptTurn: exceptTraceId, reason } = left;
    await this.cancellation.cancelLeft({ threadId: threadOf(hook), agentId, beforeTraceId, exceptTraceId, reason });
  }

  /** Ends requests that were decided on the terminal. No hook reports such a decision, but later events show it. */
  private async endDecided({ hook, agentId }: HookReport, { run }: Principal): Promise<void> {
    if (run !== null) return;
    const [threadId, turn] = [threadOf(hook), turnOf(hook)];
    const isOfTurn = (waiting: WaitingPlace) => waiting.agentId === agentId && waiting.parentTraceId === turn;
    const end = async (decided: readonly WaitingPlace[], reason: string) => {
      const traceIds = decided.map(({ traceId }) => traceId);
      if (traceIds.length > 0) await this.cancellation.cancelLeft({ ...ALL_RUNS, threadId, agentId, traceIds, reason });
    };
    if (saysTurnOver(hook)) {
      return end((await this.approvals.waitingOf(threadId)).filter(isOfTurn), 'The turn is over.');
    }
    if (!saysToolUsed(hook)) return;
    const used = await this.approvals.oldestPending(threadId, isOfTurn, (asked) => asksFor(asked, hook));
    if (used) await end([used], 'It was decided on the terminal.');
  }

  private async look(asked: AskedCall): Promise<AnswerLook> {
    const answer = await this.approvals.stateAt(asked);
    return { threadPk: answer?.threadPk ?? NO_THREAD, etag: answer?.status ?? 'gone', dueMs: null, answer };
  }

  /** The decision counts even if this fails. */
  private async close(asked: AskedCall, report: HookReport, caller: Principal): Promise<void> {
    try {
      await this.record(endOf(asked, report), caller);
    } catch (error) {
      this.logger.warn({ err: error, thread_id: asked.threadId }, 'the run of a permission request stays open');
    }
  }

  private async record(batch: string, caller: Principal): Promise<void> {
    const [first] = await this.ingestion.refusalsOf(Buffer.from(batch), caller);
    if (first) throw refused(first);
  }
}

function onlyAgentOf({ agentIds }: Principal): string | null {
  return agentIds?.length === 1 ? agentIds[0]! : null;
}

/** In terms of the hook, whose caller knows no batch. */
function refused(error: DomainError): DomainError {
  if (error.kind !== 'invalid') return error;
  const errors = error.errors.map(({ path, detail }) => ({ path: memberOf(path), detail }));
  const message = errors.map(({ path, detail }) => `${path}: ${detail}`).join('; ');
  return new DomainError('invalid', 'invalid_request', message, { errors });
}

/** The member of the hook's body from which a value of the event's data comes. */
function memberOf(path: string): string {
  const member = path.startsWith(DATA) ? path.slice(DATA.length) : path;
  return ['history', 'pending_tool_calls'].some((name) => member.startsWith(name)) ? 'tool_input' : member;
}

function otherCall(): DomainError {
  const message = 'Idempotency-Key: came with another tool call before. What was decided does not count for this one.';
  const errors = [{ path: 'Idempotency-Key', detail: 'came with another tool call before' }];
  return new DomainError('unprocessable', 'idempotency_key_reused', message, { errors });
}
