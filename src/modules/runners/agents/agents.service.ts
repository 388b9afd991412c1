import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { AgentTrigger } from '../../../common/contract/agent-trigger.js';
import { agentNotAllowed, speaksFor } from '../../../common/bound-agents.js';
import type { DomainError } from '../../../common/domain-error.js';
import { idFault } from '../../../common/id-fault.js';
import { decodeCursor, toPage, type Page } from '../../../common/pagination.js';
import { SecretBox } from '../../../common/secret-box.js';
import { ApiSecret } from '../../../config/api-secret.js';
import type { SignOfLife } from '../../threads/flags/flags.contract.js';
import { ThreadFlagsService } from '../../threads/flags/thread-flags.service.js';
import type { Agent } from './agent.entity.js';
import { agentNotFound, agentNotInvocable, agentOffline } from './agents.errors.js';
import { AgentsRepository } from './agents.repository.js';
import type { Heartbeat } from './heartbeat.js';
import { QueuedRunsService, type CancelledLaunch, type QueuedRunView } from './queued-runs.service.js';

const LIST = 'agents';
/** Heartbeats come every 15 seconds: two may be lost. */
const ONLINE_MS = 45_000;

export interface AgentView {
  agentId: string;
  isOnline: boolean;
  lastSeenMs: number;
  endpoint: string | null;
  triggers: AgentTrigger[];
  /** Accepted but not started, oldest first. */
  queuedRuns: QueuedRunView[];
}

export interface AgentSeen {
  agentId: string;
  lastSeenMs: number;
}

export interface HeartbeatResult {
  /** For each heartbeat the reason of its refusal, or null. */
  refusals: (DomainError | null)[];
  /** Queued runs in the heartbeats that a person has cancelled. */
  cancelled: CancelledLaunch[];
}

export interface AgentAddress {
  endpoint: string;
  /** A secret; null for none. */
  invokeToken: string | null;
  isOnline: boolean;
}

/** Knows agents and their addresses from their heartbeats. */
@Injectable()
export class AgentsService implements SignOfLife, OnModuleInit {
  private readonly box: SecretBox;
  private readonly listeners = new Set<(agentIds: readonly string[]) => void>();

  constructor(
    private readonly repository: AgentsRepository,
    private readonly queues: QueuedRunsService,
    private readonly clock: Clock,
    private readonly flags: ThreadFlagsService,
    secret: ApiSecret,
  ) {
    this.box = new SecretBox(secret.value, 'invoke tokens');
  }

  onModuleInit(): void {
    this.flags.addSign(this);
  }

  sql(agentId: string, sinceMs: string): string {
    return this.repository.wasSeenSql(agentId, sinceMs);
  }

  /**
   * Stores the heartbeats; an agent's last one counts.
   * @param allowedAgents the agents that the sender may speak for; null for all
   */
  async recordHeartbeats(
    heartbeats: readonly Heartbeat[],
    allowedAgents: readonly string[] | null,
  ): Promise<HeartbeatResult> {
    const isAllowed = ({ agentId }: Heartbeat) => allowedAgents === null || speaksFor(allowedAgents, agentId);
    const taken = new Map(heartbeats.filter(isAllowed).map((beat) => [beat.agentId, this.toAgent(beat)]));
    if (taken.size > 0) {
      await this.repository.upsert([...taken.values()]);
      for (const listener of this.listeners) listener([...taken.keys()]);
    }
    return {
      refusals: heartbeats.map((beat) => (isAllowed(beat) ? null : agentNotAllowed(beat.agentId))),
      cancelled: await this.queues.recordReported(heartbeats.filter(isAllowed), allowedAgents),
    };
  }

  /** The agents among these that have ever sent a heartbeat. */
  async knownAmong(agentIds: readonly string[]): Promise<string[]> {
    return (await this.repository.findAll(agentIds)).map(({ agent_id }) => agent_id);
  }

  /** Forgets the agents that `isMeant` accepts until their next heartbeats. */
  async forget(agentIds: readonly string[], isMeant: (agent: AgentView) => boolean): Promise<void> {
    const agents = (await this.repository.findAll(agentIds)).filter((agent) => isMeant(this.toView(agent, [])));
    for (const agent of agents) await this.repository.deleteUnchanged(agent);
  }

  /** Calls `listener` with the agents of each batch of heartbeats stored by this process; it must not throw. */
  onHeartbeat(listener: (agentIds: readonly string[]) => void): void {
    this.listeners.add(listener);
  }

  /**
   * Sorted by id.
   * @param own only these agents, each with its sub-agents; null for all
   * @throws DomainError `invalid` for a cursor of another list
   */
  async list(limit: number, cursor: string | null, own: readonly string[] | null): Promise<Page<AgentView>> {
    const after = cursor === null ? null : String(decodeCursor(LIST, cursor, ['text'])[0]);
    const { items, next_cursor } = toPage(await this.repository.list(limit + 1, after, own), limit, LIST, (agent) => [
      agent.agent_id,
    ]);
    const queued = await this.queues.ofAgents(items.map(({ agent_id }) => agent_id));
    return { items: items.map((agent) => this.toView(agent, queued.get(agent.agent_id) ?? [])), next_cursor };
  }

  /** @param own only these agents, each with its sub-agents; null for all */
  count(own: readonly string[] | null): Promise<number> {
    return this.repository.count(own);
  }

  async silentSince(ms: number): Promise<AgentSeen[]> {
    return (await this.repository.findSeenBefore(ms)).map(toSeen);
  }

  /** The agents among these that are online. */
  async onlineAmong(agentIds: readonly string[]): Promise<AgentSeen[]> {
    return (await this.repository.findAll(agentIds)).filter((agent) => this.isOnline(agent)).map(toSeen);
  }

  async countByPresence(): Promise<{ online: number; offline: number }> {
    const total = await this.repository.count();
    const online = await this.repository.countSeenSince(this.clock.nowMs() - ONLINE_MS);
    return { online, offline: Math.max(0, total - online) };
  }

  /** Null for an unknown agent, or one without an address. */
  async findAddress(agentId: string): Promise<AgentAddress | null> {
    const agent = await this.repository.find(agentId);
    return agent && this.addressOf(agent);
  }

  /**
   * The address of an agent that is online.
   * @throws DomainError `not_found` for an unknown agent, `conflict` for one without an address, `unavailable` for one that is offline
   */
  async getOnlineAddress(agentId: string): Promise<AgentAddress> {
    const agent = idFault(agentId) === null ? await this.repository.find(agentId) : null;
    if (agent === null) throw agentNotFound(agentId);
    const address = this.addressOf(agent);
    if (address === null) throw agentNotInvocable(agentId);
    if (!address.isOnline) throw agentOffline(agentId, 'no heartbeat came from it in the last 45 seconds');
    return address;
  }

  private addressOf(agent: Agent): AgentAddress | null {
    const { agent_id, endpoint, invoke_token } = agent;
    if (endpoint === null) return null;
    const invokeToken = invoke_token === null ? null : this.box.open(invoke_token, agent_id);
    return { endpoint, invokeToken, isOnline: this.isOnline(agent) };
  }

  private toAgent({ agentId, endpoint, invokeToken, triggers }: Heartbeat): Agent {
    const sealed = invokeToken === null ? null : this.box.seal(invokeToken, agentId);
    return {
      agent_id: agentId,
      endpoint,
      invoke_token: sealed,
      triggers: triggers.length > 0 ? JSON.stringify(triggers) : null,
      last_seen: this.clock.nowMs(),
    };
  }

  private toView(agent: Agent, queuedRuns: QueuedRunView[]): AgentView {
    const { agent_id, last_seen, endpoint, triggers } = agent;
    return {
      agentId: agent_id,
      isOnline: this.isOnline(agent),
      lastSeenMs: Number(last_seen),
      endpoint,
      triggers: triggers === null ? [] : (JSON.parse(triggers) as AgentTrigger[]),
      queuedRuns,
    };
  }

  private isOnline({ last_seen }: Agent): boolean {
    return this.clock.nowMs() - Number(last_seen) <= ONLINE_MS;
  }
}

function toSeen({ agent_id, last_seen }: Agent): AgentSeen {
  return { agentId: agent_id, lastSeenMs: Number(last_seen) };
}
