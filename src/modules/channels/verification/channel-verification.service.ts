import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Database, type SqlSession } from '../../../database/database.js';
import { ChannelVault } from '../channel-vault.js';
import { channelNotFound, codeLocked, wrongCode } from '../channels.errors.js';
import { ChannelsRepository } from '../channels.repository.js';
import type { Channel } from '../entities/channel.entity.js';
import {
  awaitCode,
  isCodePending,
  isCodeShaped,
  newVerificationCode,
  tryCode,
  type CodeVerdict,
} from './verification-code.js';

/** A code that is shown once. */
export interface PendingCode {
  code: string;
  expiresAtMs: number;
}

/**
 * Proves that who runs the server and who has the bot or number at hand are the same: a code goes from one to the other.
 * It lasts 15 minutes; five wrong tries lock it until a new one is made.
 */
@Injectable()
export class ChannelVerificationService {
  constructor(
    private readonly database: Database,
    private readonly repository: ChannelsRepository,
    private readonly vault: ChannelVault,
    private readonly clock: Clock,
  ) {}

  /** A code for a channel, with the columns that wait for it. */
  prepare(channelId: string, nowMs: number): { pending: PendingCode; columns: ReturnType<typeof awaitCode> } {
    const code = newVerificationCode();
    const columns = awaitCode(this.vault.codeDigest(channelId, code), nowMs);
    return { pending: { code, expiresAtMs: columns.code_expires_at }, columns };
  }

  /** Makes a new code; the one before is worth nothing any more. @throws DomainError `not_found` */
  async renew(channelId: string): Promise<PendingCode> {
    const { pending, columns } = this.prepare(channelId, this.clock.nowMs());
    await this.database.transaction(async (session) => {
      if ((await this.repository.lock(session, channelId)) === null) throw channelNotFound();
      await this.repository.update(session, channelId, columns);
    });
    return pending;
  }

  /**
   * An operator tries a code.
   * @throws DomainError `invalid` for a wrong or expired one, `rate_limited` when there were too many tries, `not_found`
   */
  async verify(channelId: string, code: string): Promise<void> {
    // A wrong try is stored, so it must not be thrown inside of the transaction.
    const verdict = await this.database.transaction(async (session) => {
      const channel = await this.repository.lock(session, channelId);
      if (channel === null) throw channelNotFound();
      return this.attempt(session, channel, code, null);
    });
    if (verdict === 'locked') throw codeLocked();
    if (verdict !== 'right') throw wrongCode();
  }

  /** Whether a message in a chat has to be held against the channel's code. */
  isTry(channel: Channel, text: string): boolean {
    return isCodeShaped(text) && isCodePending(channel, this.clock.nowMs());
  }

  /**
   * A person tries a code in the chat.
   * @param channel locked; brought up to date with what the try changed
   */
  async tryInChat(session: SqlSession, channel: Channel, text: string, userId: string): Promise<CodeVerdict> {
    return this.attempt(session, channel, text, userId);
  }

  private async attempt(
    session: SqlSession,
    channel: Channel,
    code: string,
    verifiedBy: string | null,
  ): Promise<CodeVerdict> {
    const { verdict, changes } = tryCode(channel, this.isRight(channel, code), verifiedBy, this.clock.nowMs());
    await this.repository.update(session, channel.id, changes);
    Object.assign(channel, changes);
    return verdict;
  }

  private isRight({ id, code_digest }: Channel, code: string): boolean {
    const [pending, given] = [Buffer.from(code_digest ?? ''), Buffer.from(this.vault.codeDigest(id, code))];
    return pending.length === given.length && timingSafeEqual(pending, given);
  }
}
