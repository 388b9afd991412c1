import { Firings1763700000000 } from './migrations/agent/1763700000000-firings.js';
import { AgentRuns1763700000001 } from './migrations/agent/1763700000001-agent-runs.js';
import { RunFences1763700000002 } from './migrations/agent/1763700000002-run-fences.js';
import { HandoversOfRuns1763700000003 } from './migrations/agent/1763700000003-handovers-of-runs.js';
import { KeysOfRetries1763700000004 } from './migrations/agent/1763700000004-keys-of-retries.js';
import { PlacesOfRetries1763700000005 } from './migrations/agent/1763700000005-places-of-retries.js';
import { DigestsOfRequests1763700000006 } from './migrations/agent/1763700000006-digests-of-requests.js';

/** All migrations of the agent process's state file, in time stamp order. */
export const AGENT_MIGRATIONS = [
  Firings1763700000000,
  AgentRuns1763700000001,
  RunFences1763700000002,
  HandoversOfRuns1763700000003,
  KeysOfRetries1763700000004,
  PlacesOfRetries1763700000005,
  DigestsOfRequests1763700000006,
];
