import { Injectable } from '@nestjs/common';
import { Backoff } from '../../../../common/backoff.js';
import { Logger } from '../../../../common/logger.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { AgentCallsService } from './agent-calls.service.js';
import { RollbackSafeClock } from '../../../../queue/rollback-safe-clock.js';
import type { Invocation } from './invocation.js';
import { AGENT_AWAY, AGENT_STAYED_AWAY, MESSAGE_REFUSED } from './notices.js';
import { RunFollowerService } from './run-follower.service.js';
import type { SessionLane } from './session-lanes.js';
import { SessionOutcomesService } from './session-outcomes.service.js';

/** How long after its receipt a message waits for its agent. */
const KEPT_MS = 15 * 60_000;
/** What it gets at least once its turn has come: it may have waited for the run before it. */
const TURN_MS = 60_000;
const BACKOFF = new Backoff({ firstMs: 1_000, longestMs: 30_000, hasJitter: true });

/** Starts the run of the message whose turn it is. */
@Injectable()
export class RunStarterService {
  constructor(
    private readonly calls: AgentCallsService,
    private readonly outcomes: SessionOutcomesService,
    private readonly follower: RunFollowerService,
    private readonly clock: RollbackSafeClock,
    private readonly logger: Logger,
  ) {}

  /** @returns when to look at the session next */
  async start(
    lane: SessionLane,
    message: ChannelMessage,
    open: OpenChannel,
    stop: AbortSignal,
  ): Promise<number | null> {
    const answer = await this.calls.call(message, open, stop);
    // Whether the agent was about to take it is not known; whoever goes on asks under the same key.
    if (stop.aborted && answer.kind === 'away') return this.outcomes.wait(lane, 0);
    this.note(message, answer);
    switch (answer.kind) {
      case 'started':
        return this.follow(lane, message, open, answer.runId);
      case 'refused':
        return this.outcomes.end(lane, message, open, {
          status: 'failed',
          reason: answer.reason,
          reply: MESSAGE_REFUSED,
        });
      case 'away':
        return this.postpone(lane, message, open, answer);
    }
  }

  private async follow(
    lane: SessionLane,
    message: ChannelMessage,
    open: OpenChannel,
    runId: string,
  ): Promise<number | null> {
    const lookMs = await this.follower.begin({ ...message, run_id: runId }, open);
    return this.outcomes.start(lane, message, runId, lookMs);
  }

  private async postpone(
    lane: SessionLane,
    message: ChannelMessage,
    open: OpenChannel,
    { reason, retryAfterMs }: Extract<Invocation, { kind: 'away' }>,
  ): Promise<number | null> {
    const keptMs = KEPT_MS - this.clock.sinceMs(Number(message.created_at));
    const leftMs = Math.max(keptMs, TURN_MS - this.clock.sinceMs(Number(message.turn_at)));
    if (leftMs <= 0) {
      return this.outcomes.end(lane, message, open, { status: 'failed', reason, reply: AGENT_STAYED_AWAY });
    }
    const waitMs = Math.min(BACKOFF.after(message.attempts + 1, retryAfterMs), leftMs);
    // One failure may be a matter of a second, and there is no use in telling that a message is kept which is soon given up.
    const isWorthTelling = message.attempts > 0 && keptMs > 0;
    return this.outcomes.delay(lane, message, { reason, waitMs, notice: isWorthTelling ? AGENT_AWAY : null });
  }

  private note(message: ChannelMessage, answer: Invocation): void {
    const { channel_id, thread_id, agent_name, id: message_id } = message;
    const facts = { channel_id, thread_id, agent_name, message_id };
    if (answer.kind === 'started') this.logger.debug({ ...facts, trace_id: answer.runId }, 'run started for a message');
    else this.logger.info({ ...facts, reason: answer.reason }, `agent ${answer.kind} for a message`);
  }
}
