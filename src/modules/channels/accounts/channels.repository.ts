import { Injectable } from '@nestjs/common';
import { InjectRepository } from '../../../database/typeorm.module.js';
import { In, Not, Repository } from 'typeorm';
import { PortDataSource } from '../../../database/port-data-source.js';
import type { SqlSession } from '../../../database/database.js';
import type { ChannelType } from '../platforms/platforms.js';
import { Channel } from './channel.entity.js';

/** Where a page begins: after the channel with this creation time and id. */
export interface ChannelCursor {
  createdAtMs: number;
  id: string;
}

/** Columns that may change; the others are fixed. */
export type ChannelChanges = Partial<Omit<Channel, 'id' | 'channel_type' | 'created_at'>>;

/** Tables whose rows belong to a channel. Lanes come first: an instance that holds one may still write messages, so those go last. */
const PARTS = ['channel_agent', 'channel_session', 'channel_chat', 'channel_message', 'channel_code_try'];

@Injectable()
export class ChannelsRepository {
  constructor(
    @InjectRepository(Channel) private readonly channels: Repository<Channel>,
    private readonly entities: PortDataSource,
  ) {}

  async insert(session: SqlSession, channel: Channel): Promise<void> {
    await this.within(session).insert(channel);
  }

  /** The channel, locked until the transaction ends; null if there is none. */
  async lock(session: SqlSession, id: string): Promise<Channel | null> {
    const channels = this.within(session);
    const { affected } = await channels.update({ id }, { updated_at: () => 'updated_at' });
    return affected === 0 ? null : channels.findOneBy({ id });
  }

  async update(session: SqlSession, id: string, changes: ChannelChanges): Promise<void> {
    if (Object.keys(changes).length > 0) await this.within(session).update({ id }, changes);
  }

  /** Accepts this secret besides the confirmed one; null ends that. Returns false if there is no such channel. */
  async storeFreshSecret(id: string, digest: string | null): Promise<boolean> {
    const { affected } = await this.channels.update({ id }, { fresh_webhook_secret: digest });
    return affected !== 0;
  }

  /** Stores the result of a registration. Returns false, and stores nothing, if the channel is gone or was set up again meanwhile. */
  async settleRegistration(before: Channel, fresh: string, changes: ChannelChanges): Promise<boolean> {
    return this.entities.write(async (_manager, session) => {
      const now = await this.lock(session, before.id);
      if (now === null || now.identity !== before.identity) return false;
      if (now.webhook_secret !== before.webhook_secret && now.webhook_secret !== fresh) return false;
      await this.update(session, before.id, { ...changes, fresh_webhook_secret: null });
      return true;
    });
  }

  /**
   * Stores what the platform says about the account. Workers with the channel open read it again, because it may decide which messages
   * address the bot.
   */
  async storeProfile(before: Channel, profile: string, nowMs: number): Promise<void> {
    if (before.profile === profile) return;
    const { id, identity } = before;
    await this.channels.update({ id, identity }, { profile, updated_at: nowMs });
  }

  /** Stores why messages do not arrive, or null if they do. Skips a channel that was changed meanwhile. */
  async noteFault({ id, updated_at }: Channel, fault: string | null): Promise<void> {
    await this.channels.update({ id, updated_at }, { fault });
  }

  /** Deletes it with everything that belongs to it. Returns false if there was none. */
  async delete(session: SqlSession, id: string): Promise<boolean> {
    const { affected } = await this.within(session).delete({ id });
    for (const table of PARTS) await session.query(`DELETE FROM ${table} WHERE channel_id = $1`, [id]);
    return affected !== 0;
  }

  isIdentityTaken(session: SqlSession, type: ChannelType, identity: string, exceptId: string): Promise<boolean> {
    return this.within(session).existsBy({ channel_type: type, identity, id: Not(exceptId) });
  }

  find(id: string): Promise<Channel | null> {
    return this.channels.findOneBy({ id });
  }

  async findByIdentities(type: ChannelType, identities: readonly string[]): Promise<Channel[]> {
    if (identities.length === 0) return [];
    return this.channels.findBy({ channel_type: type, identity: In(identities) });
  }

  /** @param digest of a webhook's secret, confirmed or awaiting confirmation */
  findByWebhookSecret(type: ChannelType, digest: string): Promise<Channel[]> {
    return this.channels.findBy([
      { channel_type: type, webhook_secret: digest },
      { channel_type: type, fresh_webhook_secret: digest },
    ]);
  }

  hasType(type: ChannelType): Promise<boolean> {
    return this.channels.existsBy({ channel_type: type });
  }

  /** The oldest first. */
  findByType(type: ChannelType, limit: number): Promise<Channel[]> {
    return this.channels.find({
      where: { channel_type: type },
      order: { created_at: 'ASC', id: 'ASC' },
      take: limit,
    });
  }

  /** The newest first. */
  list(limit: number, after: ChannelCursor | null): Promise<Channel[]> {
    const page = this.channels
      .createQueryBuilder('channel')
      .orderBy({ 'channel.created_at': 'DESC', 'channel.id': 'DESC' })
      .limit(limit);
    if (after !== null) page.where('(channel.created_at, channel.id) < (:createdAtMs, :id)', after);
    return page.getMany();
  }

  count(): Promise<number> {
    return this.channels.count();
  }

  private within(session: SqlSession): Repository<Channel> {
    return this.entities.within(session).getRepository(Channel);
  }
}

/** Converts a row read with plain SQL: SQLite has no booleans. */
export function toChannel(row: Channel): Channel {
  return { ...row, enabled: Boolean(row.enabled), verified: Boolean(row.verified) };
}
