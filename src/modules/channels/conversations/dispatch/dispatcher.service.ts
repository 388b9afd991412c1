import { Injectable } from '@nestjs/common';
import { LaneWorker } from '../../../../queue/lane-worker.js';
import { WorkLoops } from '../../../../queue/work-loops.js';
import { AgentCallWatch } from './agent-call-watch.js';
import { SessionLanes, type SessionLane, type SessionRow } from './session-lanes.js';
import { SessionWorkService } from './session-work.service.js';

/** After a fault of our own. */
const RETRY_MS = 10_000;

/** Works the messages of all sessions off: beside each other, but those of one session one after the other. */
@Injectable()
export class DispatcherService extends LaneWorker<SessionRow> {
  readonly name = 'dispatch';

  constructor(
    private readonly lanes: SessionLanes,
    private readonly sessions: SessionWorkService,
    calls: AgentCallWatch,
    loops: WorkLoops,
  ) {
    super(lanes, calls, loops);
  }

  work(lane: SessionLane): Promise<number | null> {
    return this.sessions.work(lane, this.stop.signal);
  }

  async giveUp(lane: SessionLane): Promise<void> {
    await this.lanes.settle(lane, async (_session, nowMs) => nowMs + RETRY_MS);
  }
}
