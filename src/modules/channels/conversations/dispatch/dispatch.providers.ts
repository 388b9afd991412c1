import { AgentInvoker } from './agent-invoker.js';
import { DispatchRepository } from './dispatch.repository.js';
import { DispatcherService } from './dispatcher.service.js';
import { HeartbeatWakesService } from './heartbeat-wakes.service.js';
import { RunFollowerService } from './run-follower.service.js';
import { RunProgressTimeout } from './run-progress-timeout.js';
import { RunStarterService } from './run-starter.service.js';
import { SessionAgentsService } from './session-agents.service.js';
import { SessionLanes } from './session-lanes.js';
import { ThreadWakesService } from './thread-wakes.service.js';
import { TypingService } from './typing.service.js';

/** What starting runs and following them takes. */
export const DISPATCH_PROVIDERS = [
  ...[DispatchRepository, SessionLanes, TypingService],
  ...[AgentInvoker, RunProgressTimeout, RunStarterService, RunFollowerService],
  ...[DispatcherService, ThreadWakesService, HeartbeatWakesService, SessionAgentsService],
];
