import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { newId } from '../../../common/ids.js';
import { decodeCursor, toPage, type Page } from '../../../common/pagination.js';
import { Database } from '../../../database/database.js';
import type { ChannelType } from '../platforms/platforms.js';
import { ChannelAgentsRepository } from './channel-agents.repository.js';
import { ChannelMapper, type ChannelView, type CreatedChannel } from './channel-mapper.js';
import { channelNotFound, identityTaken } from './channels.errors.js';
import { ChannelsRepository, type ChannelChanges } from './channels.repository.js';
import type { Channel, RoutingMode, SessionMode } from './channel.entity.js';

const LIST = 'channels';

export interface NewChannel {
  type: ChannelType;
  name: string;
  config: unknown;
  sessionMode: SessionMode;
  routingMode: RoutingMode;
}

/** The members that people may change; absent ones stay. */
export type ChannelPatch = Partial<Pick<Channel, 'name' | 'session_mode' | 'routing_mode' | 'enabled'>>;

/** Creates, lists, changes and deletes channels. */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly database: Database,
    private readonly repository: ChannelsRepository,
    private readonly agents: ChannelAgentsRepository,
    private readonly mapper: ChannelMapper,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `invalid` that names the faults in the config, `conflict` if the account already has a channel */
  async create({ type, name, config, sessionMode, routingMode }: NewChannel): Promise<CreatedChannel> {
    const { pending, ...account } = this.mapper.newAccount(newId(), type, config, this.clock.nowMs());
    const modes = { session_mode: sessionMode, routing_mode: routingMode };
    const channel: Channel = { ...account.columns, name, ...modes };
    await this.database.transaction(async (session) => {
      const isTaken = await this.repository.isIdentityTaken(session, type, channel.identity, channel.id);
      if (isTaken) throw identityTaken();
      await this.repository.insert(session, channel);
    });
    return { view: this.mapper.viewOf(channel, []), pending };
  }

  /** The newest first. @throws DomainError `invalid` for a cursor of another list */
  async list(limit: number, cursor: string | null): Promise<Page<ChannelView>> {
    const key = cursor === null ? null : decodeCursor(LIST, cursor, ['bigint', 'text']);
    const after = key === null ? null : { createdAtMs: Number(key[0]), id: String(key[1]) };
    const rows = await this.repository.list(limit + 1, after);
    const { items, next_cursor } = toPage(rows, limit, LIST, ({ created_at, id }) => [Number(created_at), id]);
    return { items: await this.viewsOf(items), next_cursor };
  }

  count(): Promise<number> {
    return this.repository.count();
  }

  /** @throws DomainError `not_found` */
  async get(id: string): Promise<ChannelView> {
    const channel = await this.repository.find(id);
    if (channel === null) throw channelNotFound();
    return (await this.viewsOf([channel]))[0]!;
  }

  /** @throws DomainError `not_found` */
  async change(id: string, patch: ChannelPatch): Promise<ChannelView> {
    await this.database.transaction(async (session) => {
      if ((await this.repository.lock(session, id)) === null) throw channelNotFound();
      if (Object.keys(patch).length === 0) return;
      await this.repository.update(session, id, { ...patch, updated_at: this.clock.nowMs() });
    });
    return this.get(id);
  }

  /**
   * Replaces the whole config, for example to rotate secrets. Agents, sessions and modes stay. For another account, what the platform said
   * about the old one is dropped, and the channel must be verified again.
   * @throws DomainError `invalid`, `not_found`, `conflict` if the account has another channel
   */
  async replaceConfig(id: string, config: unknown): Promise<ChannelView> {
    await this.database.transaction(async (session) => {
      const channel = await this.repository.lock(session, id);
      if (channel === null) throw channelNotFound();
      const changes: ChannelChanges = this.mapper.changesFor(channel, config, this.clock.nowMs());
      const { identity = channel.identity } = changes;
      if (await this.repository.isIdentityTaken(session, channel.channel_type, identity, id)) throw identityTaken();
      await this.repository.update(session, id, changes);
    });
    return this.get(id);
  }

  /** Deletes it with its agents, sessions and messages; the threads stay. @throws DomainError `not_found` */
  async delete(id: string): Promise<void> {
    const isDeleted = await this.database.transaction((session) => this.repository.delete(session, id));
    if (!isDeleted) throw channelNotFound();
  }

  private async viewsOf(channels: readonly Channel[]): Promise<ChannelView[]> {
    const agents = await this.agents.listOf(channels.map(({ id }) => id));
    return channels.map((channel) =>
      this.mapper.viewOf(
        channel,
        agents.filter(({ channel_id }) => channel_id === channel.id),
      ),
    );
  }
}
