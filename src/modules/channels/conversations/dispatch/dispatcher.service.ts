import { Injectable } from '@nestjs/common';
import { LaneWorker } from '../../../../queue/lane-worker.js';
import { WorkLoops } from '../../../../queue/work-loop.js';
import { ChannelAccountsService } from '../../accounts/channel-accounts.service.js';
import { ChatApprovalsService } from '../approvals/chat-approvals.service.js';
import { RunFollowerService } from './run-follower.service.js';
import { RunStarterService } from './run-starter.service.js';
import { SessionLanes, type SessionLane, type SessionRow } from './session-lanes.js';
import { SessionTurn } from './session-turn.js';

/** After an internal error. */
const RETRY_MS = 10_000;
/** Until somebody repairs the channel. */
const UNUSABLE_MS = 60_000;

const DISABLED = 'the channel was disabled before the message had its turn';

/** Handles the messages of all sessions: sessions in parallel, the messages of one session in turn. */
@Injectable()
export class DispatcherService extends LaneWorker<SessionRow> {
  constructor(
    override readonly lanes: SessionLanes,
    private readonly accounts: ChannelAccountsService,
    private readonly approvals: ChatApprovalsService,
    private readonly starter: RunStarterService,
    private readonly follower: RunFollowerService,
    loops: WorkLoops,
  ) {
    super('dispatch', lanes, starter.calls, loops);
  }

  /** Shows the session's approvals, then starts the run of its next message or checks on the current run. */
  async work(lane: SessionLane): Promise<number | null> {
    const open = await this.accounts.findUsable(lane.row.channel_id);
    if (open === null) return this.lanes.giveBack(lane, UNUSABLE_MS);
    const { isAsked, lookMs } = await this.approvals.reconcile(open, lane.row);
    const turn = SessionTurn.of(lane, open, this.lanes);
    if (turn === null) return this.lanes.giveBack(lane, lookMs);
    if (turn.isFollowed) return this.follower.follow(turn, isAsked);
    if (!open.channel.enabled && turn.message.status === 'received')
      return turn.end({ status: 'dropped', reason: DISABLED, reply: null });
    return this.starter.start(turn, this.stop.signal);
  }

  async giveUp(lane: SessionLane): Promise<void> {
    await this.lanes.giveBack(lane, RETRY_MS);
  }
}
