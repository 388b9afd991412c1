import { Injectable } from '@nestjs/common';
import { ChannelAccountsService, type OpenChannel } from '../../accounts/channel-accounts.service.js';
import { ChatApprovalsService } from '../approvals/chat-approvals.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import { RunFollowerService } from './run-follower.service.js';
import { RunStarterService } from './run-starter.service.js';
import type { SessionLane } from './session-lanes.js';
import { SessionOutcomesService } from './session-outcomes.service.js';

/** Until somebody sets the channel right. */
const UNUSABLE_MS = 60_000;

/** Does what a session needs next: shows its approvals, starts the run of its next message, or looks how the run stands. */
@Injectable()
export class SessionWorkService {
  constructor(
    private readonly accounts: ChannelAccountsService,
    private readonly approvals: ChatApprovalsService,
    private readonly starter: RunStarterService,
    private readonly follower: RunFollowerService,
    private readonly outcomes: SessionOutcomesService,
  ) {}

  /** @returns when to look at the session next, null for when there is something new */
  async work(lane: SessionLane, stop: AbortSignal): Promise<number | null> {
    const { row } = lane;
    const open = await this.accounts.findUsable(row.channel_id);
    if (open === null) return this.outcomes.wait(lane, UNUSABLE_MS);
    const isAsked = await this.approvals.reconcile(open, row);
    const { head } = row;
    if (head === null) return this.outcomes.wait(lane, null);
    if (head.status === 'started') return this.follower.follow(lane, head, open, isAsked);
    if (!open.channel.enabled) return this.drop(lane, head, open);
    return this.starter.start(lane, head, open, stop);
  }

  private drop(lane: SessionLane, head: ChannelMessage, open: OpenChannel): Promise<number | null> {
    const reason = 'the channel was disabled before the message had its turn';
    return this.outcomes.end(lane, head, open, { status: 'dropped', reason, reply: null });
  }
}
