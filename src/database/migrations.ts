import { Recording1763600000000 } from './migrations/1763600000000-recording.js';
import { AccessTokens1763600000001 } from './migrations/1763600000001-access-tokens.js';
import { Instances1763600000002 } from './migrations/1763600000002-instances.js';
import { Approvals1763600000003 } from './migrations/1763600000003-approvals.js';
import { Agents1763600000004 } from './migrations/1763600000004-agents.js';
import { Channels1763600000005 } from './migrations/1763600000005-channels.js';
import { CodeChatTries1795328279655 } from './migrations/1795328279655-code-chat-tries.js';
import { EndingsOfRuns1795328813000 } from './migrations/1795328813000-endings-of-runs.js';
import { ThreadsWithoutRuns1795330001861 } from './migrations/1795330001861-threads-without-runs.js';
import { BindingsOfRuns1795330639998 } from './migrations/1795330639998-bindings-of-runs.js';
import { WiderListIndexes1795337750425 } from './migrations/1795337750425-wider-list-indexes.js';
import { ChangesInOrder1795340927849 } from './migrations/1795340927849-changes-in-order.js';
import { TokensOfRuns1795349372228 } from './migrations/1795349372228-tokens-of-runs.js';
import { RunLeases1795349503459 } from './migrations/1795349503459-run-leases.js';
import { Effects1795350400000 } from './migrations/1795350400000-effects.js';
import { BasesOfReports1795350769319 } from './migrations/1795350769319-bases-of-reports.js';
import { ConsoleSessions1795360801116 } from './migrations/1795360801116-console-sessions.js';
import { LastMessages1795360846225 } from './migrations/1795360846225-last-messages.js';
import { RunSums1795362686065 } from './migrations/1795362686065-run-sums.js';
import { TriggersOfAgents1795363258187 } from './migrations/1795363258187-triggers-of-agents.js';
import { IdsInOrderOfCodePoints1795374314627 } from './migrations/1795374314627-ids-in-order-of-code-points.js';
import { ChannelFaults1795374688189 } from './migrations/1795374688189-channel-faults.js';
import { GraphStates1795377400000 } from './migrations/1795377400000-graph-states.js';
import { StateLists1795398458980 } from './migrations/1795398458980-state-lists.js';
import { QueuedRuns1795398500000 } from './migrations/1795398500000-queued-runs.js';
import { DigestsOfLists1795410316983 } from './migrations/1795410316983-digests-of-lists.js';
import { ContinuedLists1795410754916 } from './migrations/1795410754916-continued-lists.js';
import { StateLeftovers1795415945896 } from './migrations/1795415945896-state-leftovers.js';
import { KindsOfQueuedRuns1795426752992 } from './migrations/1795426752992-kinds-of-queued-runs.js';
import { OrphanedValues1795429650000 } from './migrations/1795429650000-orphaned-values.js';
import { NotedRetries1795446878160 } from './migrations/1795446878160-noted-retries.js';
import { MakersOfTokens1795691739948 } from './migrations/1795691739948-makers-of-tokens.js';
import { EffectsInDoubt1795713543451 } from './migrations/1795713543451-effects-in-doubt.js';
import { RetriesOfRuns1795714910131 } from './migrations/1795714910131-retries-of-runs.js';
import { Notices1795715513929 } from './migrations/1795715513929-notices.js';
import { Questions1795728937480 } from './migrations/1795728937480-questions.js';
import { PartsOfMessages1795729444017 } from './migrations/1795729444017-parts-of-messages.js';
import { LastUsesOfTokens1795731000001 } from './migrations/1795731000001-last-uses-of-tokens.js';
import { EffectsSettledByPeople1795731000002 } from './migrations/1795731000002-effects-settled-by-people.js';
import { StandingRules1795731000123 } from './migrations/1795731000123-standing-rules.js';
import { Attachments1795733621167 } from './migrations/1795733621167-attachments.js';
import { ActiveRules1795774000001 } from './migrations/1795774000001-active-rules.js';

/** All migrations, for both dialects, in time stamp order. */
export const MIGRATIONS = [
  Recording1763600000000,
  AccessTokens1763600000001,
  Instances1763600000002,
  Approvals1763600000003,
  Agents1763600000004,
  Channels1763600000005,
  CodeChatTries1795328279655,
  EndingsOfRuns1795328813000,
  ThreadsWithoutRuns1795330001861,
  BindingsOfRuns1795330639998,
  WiderListIndexes1795337750425,
  ChangesInOrder1795340927849,
  TokensOfRuns1795349372228,
  RunLeases1795349503459,
  Effects1795350400000,
  BasesOfReports1795350769319,
  ConsoleSessions1795360801116,
  LastMessages1795360846225,
  RunSums1795362686065,
  TriggersOfAgents1795363258187,
  IdsInOrderOfCodePoints1795374314627,
  ChannelFaults1795374688189,
  GraphStates1795377400000,
  StateLists1795398458980,
  QueuedRuns1795398500000,
  DigestsOfLists1795410316983,
  ContinuedLists1795410754916,
  StateLeftovers1795415945896,
  KindsOfQueuedRuns1795426752992,
  OrphanedValues1795429650000,
  NotedRetries1795446878160,
  MakersOfTokens1795691739948,
  EffectsInDoubt1795713543451,
  RetriesOfRuns1795714910131,
  Notices1795715513929,
  Questions1795728937480,
  PartsOfMessages1795729444017,
  LastUsesOfTokens1795731000001,
  EffectsSettledByPeople1795731000002,
  StandingRules1795731000123,
  Attachments1795733621167,
  ActiveRules1795774000001,
];
