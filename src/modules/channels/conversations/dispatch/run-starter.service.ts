import { Injectable } from '@nestjs/common';
import { Backoff } from '../../../../common/backoff.js';
import { Logger } from '../../../../common/logger.js';
import type { CallWatch } from '../../../../queue/call-watch.js';
import { RollbackSafeClock } from '../../../../queue/rollback-safe-clock.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { AgentInvoker } from './agent-invoker.js';
import type { Invocation } from '../../../runners/agents/agent-calls.service.js';
import { AGENT_AWAY, AGENT_STAYED_AWAY, MESSAGE_REFUSED } from './notices.js';
import { ReplyFinderService } from './reply-finder.service.js';
import { RunFollowerService } from './run-follower.service.js';
import type { SessionTurn } from './session-turn.js';

/** How long after its receipt a message waits for its agent. */
const KEPT_MS = 15 * 60_000;
/** The minimum wait from the start of its turn: it may have waited long for the run before it. */
const TURN_MS = 60_000;
const BACKOFF = new Backoff({ firstMs: 1_000, longestMs: 30_000, hasJitter: true });

/** Starts the run of the message whose turn it is, or asks again for its retry. */
@Injectable()
export class RunStarterService {
  constructor(
    private readonly invoker: AgentInvoker,
    private readonly replies: ReplyFinderService,
    private readonly follower: RunFollowerService,
    private readonly clock: RollbackSafeClock,
    private readonly logger: Logger,
  ) {}

  /** Calls to agents, by agent name. */
  get calls(): CallWatch {
    return this.invoker.calls;
  }

  /** @returns when to look at the session next */
  async start(turn: SessionTurn, stop: AbortSignal): Promise<number | null> {
    const isRetry = turn.message.retry_asked_at !== null;
    if (!isRetry && !(await this.replies.complete(turn, stop))) return null;
    const { message, open } = turn;
    const answer = await (isRetry ? this.retry(message, stop) : this.invoker.invoke(message, open.channel, stop));
    // The agent may have taken the message; the next instance asks with the same key.
    if (stop.aborted && answer.kind === 'away') return turn.wait(0);
    this.log(message, answer);
    switch (answer.kind) {
      case 'started':
        return turn.start(answer.runId, await this.follower.begin(turn, answer.runId));
      case 'refused':
        return turn.end({ status: 'failed', reason: answer.reason, reply: isRetry ? null : MESSAGE_REFUSED });
      case 'away':
        return this.postpone(turn, answer);
    }
  }

  /** An ending reported since then shows that the agent had taken it. */
  private async retry(message: ChannelMessage, stop: AbortSignal): Promise<Invocation> {
    const runId = message.run_id ?? '';
    if (await this.follower.hasEnded(message, runId)) return { kind: 'started', runId, threadId: null };
    return this.invoker.retry(message, stop);
  }

  private async postpone(
    turn: SessionTurn,
    { reason, retryAfterMs }: Extract<Invocation, { kind: 'away' }>,
  ): Promise<number | null> {
    const { created_at, turn_at, retry_asked_at, attempts } = turn.message;
    const isRetry = retry_asked_at !== null;
    const keptMs = KEPT_MS - this.clock.sinceMs(Number(retry_asked_at ?? created_at));
    const leftMs = Math.max(keptMs, TURN_MS - this.clock.sinceMs(Number(turn_at)));
    // Somebody else requested the retry; the person in the chat already had a reply.
    if (leftMs <= 0) return turn.end({ status: 'failed', reason, reply: isRetry ? null : AGENT_STAYED_AWAY });
    const waitMs = Math.min(BACKOFF.after(attempts + 1, retryAfterMs), leftMs);
    // The first failure may last only a second, and a message about to be given up deserves no promise.
    const isWorthTelling = !isRetry && attempts > 0 && keptMs > 0;
    return turn.delay({ reason, waitMs, notice: isWorthTelling ? AGENT_AWAY : null });
  }

  private log(message: ChannelMessage, answer: Invocation): void {
    const { channel_id, thread_id, agent_name, id: message_id } = message;
    const facts = { channel_id, thread_id, agent_name, message_id };
    if (answer.kind === 'started') this.logger.debug({ ...facts, trace_id: answer.runId }, 'run started for a message');
    else this.logger.info({ ...facts, reason: answer.reason }, `agent ${answer.kind} for a message`);
  }
}
