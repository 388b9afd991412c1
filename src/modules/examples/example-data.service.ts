import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { DomainError } from '../../common/domain-error.js';
import { ChannelAccountsService } from '../channels/accounts/channel-accounts.service.js';
import { ChannelAgentsService } from '../channels/accounts/channel-agents.service.js';
import { ChannelsService } from '../channels/accounts/channels.service.js';
import { AgentsService } from '../runners/agents/agents.service.js';
import { ThreadDeletionService } from '../threads/deletion/thread-deletion.service.js';
import { ThreadImportService } from '../threads/transfer/thread-import.service.js';
import { exampleThreads, type ExampleThread } from './example-recording.js';
import { EXAMPLE_CHANNELS, exampleAgents, isExampleAgent } from './example-surroundings.js';

/** Runs of a day in every state, with agents and channels, for people who want to look around; and their removal. */
@Injectable()
export class ExampleDataService {
  constructor(
    private readonly imports: ThreadImportService,
    private readonly deletion: ThreadDeletionService,
    private readonly agents: AgentsService,
    private readonly channels: ChannelsService,
    private readonly accounts: ChannelAccountsService,
    private readonly bindings: ChannelAgentsService,
    private readonly clock: Clock,
  ) {}

  /** How many example threads there are now, and how many there can be. */
  async count(): Promise<{ threads: number; available: number }> {
    const all = await exampleThreads(this.clock.nowMs());
    return { threads: (await this.there(all)).length, available: all.length };
  }

  /**
   * Adds what is not there. A thread, agent or channel that is there already stays as it is, whoever made it.
   * @throws DomainError `unavailable` while the server runs as many imports as it can
   */
  async load(): Promise<{ added: number; existing: number }> {
    const nowMs = this.clock.nowMs();
    const all = await exampleThreads(nowMs);
    let added = 0;
    for (const { rows } of all) added += Number(await this.add(rows));
    await this.addAgents(nowMs);
    for (const channel of EXAMPLE_CHANNELS) await this.addChannel(channel);
    return { added, existing: all.length - added };
  }

  /** Removes what `load` has added, and nothing else. */
  async remove(): Promise<{ removed: number }> {
    const all = await exampleThreads(this.clock.nowMs());
    let removed = 0;
    for (const { threadId, traceId } of await this.there(all))
      removed += Number(await this.deletion.erase(threadId, traceId));
    const names = exampleAgents(this.clock.nowMs()).map(({ agentId }) => agentId);
    await this.agents.forget(names, ({ triggers }) => isExampleAgent(triggers));
    for (const { order } of EXAMPLE_CHANNELS) {
      const found = (await this.accounts.findByType(order.type)).find(
        ({ account }) => account.config.bot_token === order.config.bot_token,
      );
      if (found) await ignoring('not_found', this.channels.delete(found.channel.id));
    }
    return { removed };
  }

  private async there(all: readonly ExampleThread[]): Promise<ExampleThread[]> {
    const found = new Set(await this.deletion.findByRuns(all.map(({ traceId }) => traceId)));
    return all.filter(({ threadId }) => found.has(threadId));
  }

  private async add(rows: ExampleThread['rows']): Promise<boolean> {
    return (await ignoring('conflict', this.imports.importRows(rows))) !== null;
  }

  private async addAgents(nowMs: number): Promise<void> {
    const known = new Set(await this.agents.knownAmong(exampleAgents(nowMs).map(({ agentId }) => agentId)));
    const beats = exampleAgents(nowMs)
      .filter(({ agentId }) => !known.has(agentId))
      .map((agent) => ({ ...agent, endpoint: null, invokeToken: null, processId: null, queuedRuns: [] }));
    await this.agents.recordHeartbeats(beats, null);
  }

  private async addChannel({ order, agents }: (typeof EXAMPLE_CHANNELS)[number]): Promise<void> {
    const created = await ignoring('conflict', this.channels.create(order));
    if (created === null) return;
    const { id } = created.view.channel;
    await this.channels.change(id, { enabled: false });
    for (const agent of agents) await this.bindings.bind(id, agent);
  }
}

/** The result; null if it failed for this reason. */
async function ignoring<Result>(kind: DomainError['kind'], work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError && error.kind === kind) return null;
    throw error;
  }
}
