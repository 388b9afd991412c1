import { Injectable } from '@nestjs/common';
import { CLOCK_TOLERANCE_MS } from '../../../common/clock-jumps.js';
import { In, IsNull, Not } from 'typeorm';
import { Database, type SqlSession } from '../../../database/database.js';
import { PortDataSource } from '../../../database/port-data-source.js';
import { Channel } from '../accounts/channel.entity.js';
import type { ChannelType } from '../platforms/platforms.js';

/** A channel that may need polling, depending on its config. */
export type PollCandidate = Pick<Channel, 'id' | 'updated_at' | 'poll_lease_until'>;

/** A version of a channel. */
export type PollVersion = Pick<PollCandidate, 'id' | 'updated_at'>;

/** The holder of a channel's lease, with its start and end. */
export interface PollLease {
  owner: string;
  nowMs: number;
  untilMs: number;
}

const FREE = { poll_owner: null, poll_lease_until: null };

/** Which instance polls a channel, and from which offset. */
@Injectable()
export class PollingRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: PortDataSource,
  ) {}

  /** Only PostgreSQL has other instances that lock rows. A lock that only prevents the channel's deletion does not matter. */
  private get skipLocked(): string {
    return this.database.dialect === 'postgres' ? 'FOR NO KEY UPDATE SKIP LOCKED' : '';
  }

  candidates(types: readonly ChannelType[]): Promise<PollCandidate[]> {
    return this.entities.manager.find(Channel, {
      select: { id: true, updated_at: true, poll_lease_until: true },
      where: { channel_type: In([...types]), enabled: true },
    });
  }

  /**
   * Leases the channel. Skips one that others have locked until the next look: waiting would delay all others.
   * @returns false if another instance has it, or it was changed
   */
  take(channel: PollVersion, lease: PollLease): Promise<boolean> {
    return this.lease(channel, lease, this.skipLocked);
  }

  /** Renews the lease. @returns false if another instance has it, or it was changed */
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

  /** For the start of the only possible process: frees what its predecessor held. */
  async freeAll(): Promise<void> {
    if (!this.database.isShared) await this.entities.manager.update(Channel, { poll_owner: Not(IsNull()) }, FREE);
  }

  /**
   * A lease that ends later than a new one would was taken before the clock was set back. Skips rows that others have locked.
   * @returns false if such a row's lease ends much later
   */
  async shortenLeases(untilMs: number): Promise<boolean> {
    return this.database.transaction(async (session) => {
      await session.query(
        `UPDATE channel SET poll_lease_until = $1
         WHERE id IN (SELECT id FROM channel WHERE poll_lease_until > $1 ${this.skipLocked})`,
        [untilMs],
      );
      // Leases taken since this began end somewhat later than `untilMs`.
      const left = await session.query('SELECT 1 AS held FROM channel WHERE poll_lease_until > $1 LIMIT 1', [
        untilMs + CLOCK_TOLERANCE_MS,
      ]);
      return left.length === 0;
    });
  }

  async findOffset(id: string): Promise<string | null> {
    return (await this.entities.manager.findOneBy(Channel, { id }))?.poll_offset ?? null;
  }

  /** Only the lease's holder may move the offset: a former holder's is behind. */
  async setOffset(session: SqlSession, id: string, owner: string, offset: string | null): Promise<void> {
    await this.entities.within(session).update(Channel, { id, poll_owner: owner }, { poll_offset: offset });
  }

  /** Stores why nothing arrives; null if it does. Only the lease's holder knows. */
  async setFault(id: string, owner: string, fault: string | null): Promise<void> {
    await this.entities.manager.update(Channel, { id, poll_owner: owner }, { fault });
  }
}
