import { Injectable } from '@nestjs/common';
import { CLOCK_TOLERANCE_MS } from '../../../common/clock-jumps.js';
import { In, IsNull, Not } from 'typeorm';
import { Database, type SqlSession } from '../../../database/database.js';
import { PortDataSource } from '../../../database/port-data-source.js';
import { Channel } from '../accounts/channel.entity.js';
import type { ChannelType } from '../platforms/platforms.js';

/** A channel that may have to be polled; its transport stands in its config. */
export type PollCandidate = Pick<Channel, 'id' | 'updated_at' | 'poll_lease_until'>;

/** A channel as it was when it was read. */
export type PollVersion = Pick<PollCandidate, 'id' | 'updated_at'>;

/** The holder of a channel's lease, with its start and end. */
export interface PollLease {
  owner: string;
  nowMs: number;
  untilMs: number;
}

const FREE = { poll_owner: null, poll_lease_until: null };

/** The instance that polls a channel, and its offset. */
@Injectable()
export class PollingRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: PortDataSource,
  ) {}

  /** Only PostgreSQL has other instances that lock rows. A lock that merely prevents deleting a channel is no obstacle. */
  private get skipLocked(): string {
    return this.database.dialect === 'postgres' ? 'FOR NO KEY UPDATE SKIP LOCKED' : '';
  }

  /** Enabled channels of these platforms. */
  candidates(types: readonly ChannelType[]): Promise<PollCandidate[]> {
    return this.entities.manager.find(Channel, {
      select: { id: true, updated_at: true, poll_lease_until: true },
      where: { channel_type: In([...types]), enabled: true },
    });
  }

  /**
   * Takes the channel. One that others hold locked is left for the next look, as the wait for it would be at the cost of all others.
   * @returns false where another instance has it, or it is not as it was known any more
   */
  take(channel: PollVersion, lease: PollLease): Promise<boolean> {
    return this.lease(channel, lease, this.skipLocked);
  }

  /** Holds on to the channel. @returns false where another instance has it, or it is not as it was known any more */
  renew(channel: PollVersion, lease: PollLease): Promise<boolean> {
    return this.lease(channel, lease, '');
  }

  private async lease(
    { id, updated_at }: PollVersion,
    { owner, nowMs, untilMs }: PollLease,
    locking: string,
  ): Promise<boolean> {
    const rows = await this.database.transaction((session) =>
      session.query(
        `UPDATE channel SET poll_owner = $1, poll_lease_until = $2
         WHERE id IN (SELECT id FROM channel WHERE id = $3 ${locking}) AND updated_at = $4 AND enabled
           AND (poll_owner = $1 OR poll_lease_until IS NULL OR poll_lease_until <= $5) RETURNING id`,
        [owner, untilMs, id, updated_at, nowMs],
      ),
    );
    return rows.length > 0;
  }

  async release(id: string, owner: string): Promise<void> {
    await this.entities.manager.update(Channel, { id, poll_owner: owner }, FREE);
  }

  /** At the start of the only process that there can be: what the one before it held is free at once. */
  async freeAll(): Promise<void> {
    if (!this.database.isShared) await this.entities.manager.update(Channel, { poll_owner: Not(IsNull()) }, FREE);
  }

  /**
   * No lease lasts longer than one taken now: the clock was set back since. What others hold locked is left alone.
   * @returns false where that is held for much longer
   */
  async shortenLeases(untilMs: number): Promise<boolean> {
    return this.database.transaction(async (session) => {
      await session.query(
        `UPDATE channel SET poll_lease_until = $1
         WHERE id IN (SELECT id FROM channel WHERE poll_lease_until > $1 ${this.skipLocked})`,
        [untilMs],
      );
      // Leases that were taken since this began end somewhat later than one taken then.
      const left = await session.query('SELECT 1 AS held FROM channel WHERE poll_lease_until > $1 LIMIT 1', [
        untilMs + CLOCK_TOLERANCE_MS,
      ]);
      return left.length === 0;
    });
  }

  async findOffset(id: string): Promise<string | null> {
    return (await this.entities.manager.findOneBy(Channel, { id }))?.poll_offset ?? null;
  }

  /** Only its holder moves it: one that was taken over is behind. */
  async setOffset(session: SqlSession, id: string, owner: string, offset: string | null): Promise<void> {
    await this.entities.within(session).update(Channel, { id, poll_owner: owner }, { poll_offset: offset });
  }

  /** Why nothing arrives; null if it does. Only its holder knows. */
  async setFault(id: string, owner: string, fault: string | null): Promise<void> {
    await this.entities.manager.update(Channel, { id, poll_owner: owner }, { fault });
  }
}
