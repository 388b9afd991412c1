import { Injectable } from '@nestjs/common';
import { InjectRepository } from '../../../database/typeorm.module.js';
import { In, LessThan, MoreThan, Repository, type FindOptionsWhere } from 'typeorm';
import { Database } from '../../../database/database.js';
import { ChannelMessage, type MessagePayload } from './channel-message.entity.js';
import { ChannelSession } from './channel-session.entity.js';

export interface MessageFilter {
  /** Null for both directions. */
  direction: 'in' | 'out' | null;
  /** Null for all statuses. */
  status: string | null;
}

/** The columns of a log row that decide whether it may be deleted. */
export type AgedMessage = Pick<ChannelMessage, 'seq' | 'status' | 'created_at'>;

@Injectable()
export class ChannelMessagesRepository {
  constructor(
    @InjectRepository(ChannelMessage) private readonly messages: Repository<ChannelMessage>,
    @InjectRepository(ChannelSession) private readonly sessions: Repository<ChannelSession>,
    private readonly database: Database,
  ) {}

  /** The newest first. @param before the position before which the page begins; null for the end of the log */
  list(channelId: string, filter: MessageFilter, before: number | null, limit: number): Promise<ChannelMessage[]> {
    const where = { ...conditionsOf(channelId, filter), ...(before === null ? {} : { seq: LessThan(before) }) };
    return this.messages.find({ where, order: { seq: 'DESC' }, take: limit });
  }

  /** An inbound message, by its own id. */
  findInbound(id: string): Promise<ChannelMessage | null> {
    return this.messages.findOneBy({ id, direction: 'in', kind: 'message' });
  }

  /** Stores that the platform no longer has a file of the message. Agents may ask for several at once. */
  async noteGone({ seq }: ChannelMessage, fileId: string): Promise<void> {
    await this.database.transaction(async (session) => {
      const locking = this.database.dialect === 'postgres' ? 'FOR UPDATE' : '';
      const sql = `SELECT payload FROM channel_message WHERE seq = $1 ${locking}`;
      const [row] = await session.query<Pick<ChannelMessage, 'payload'>>(sql, [seq]);
      if (!row?.payload) return;
      const payload = JSON.parse(row.payload) as MessagePayload;
      const gone_files = [...(payload.gone_files ?? []), fileId];
      await session.query('UPDATE channel_message SET payload = $1 WHERE seq = $2', [
        JSON.stringify({ ...payload, gone_files }),
        seq,
      ]);
    });
  }

  count(channelId: string, filter: MessageFilter): Promise<number> {
    return this.messages.countBy(conditionsOf(channelId, filter));
  }

  /** Rows of all channels in log order, after a position. */
  findAfter(seq: number, limit: number): Promise<AgedMessage[]> {
    return this.messages.find({
      select: { seq: true, status: true, created_at: true },
      where: { seq: MoreThan(seq) },
      order: { seq: 'ASC' },
      take: limit,
    });
  }

  /** Deletes rows by position, except parts of a message that still waits. @returns how many */
  async delete(seqs: readonly number[]): Promise<number> {
    if (seqs.length === 0) return 0;
    const { affected } = await this.messages
      .createQueryBuilder()
      .delete()
      .where({ seq: In(seqs) })
      .andWhere(
        `NOT EXISTS (SELECT 1 FROM channel_message head WHERE head.id = channel_message.part_of AND head.status = 'received')`,
      )
      .execute();
    return affected ?? 0;
  }

  /** Deletes idle sessions from before `beforeMs` without messages in the log. The thread's next message creates the session again. */
  async deleteIdleSessions(beforeMs: number): Promise<void> {
    await this.sessions
      .createQueryBuilder()
      .delete()
      .where('work_at IS NULL AND created_at < :beforeMs', { beforeMs })
      .andWhere(
        'NOT EXISTS (SELECT 1 FROM channel_message WHERE channel_message.thread_id = channel_session.thread_id)',
      )
      .execute();
  }
}

function conditionsOf(channelId: string, { direction, status }: MessageFilter): FindOptionsWhere<ChannelMessage> {
  return {
    channel_id: channelId,
    ...(direction === null ? {} : { direction }),
    ...(status === null ? {} : { status: status as ChannelMessage['status'] }),
  };
}
