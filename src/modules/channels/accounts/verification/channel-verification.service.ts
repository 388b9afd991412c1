import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { Database, type SqlSession } from '../../../../database/database.js';
import { ChannelVault } from '../channel-vault.js';
import { channelNotFound, codeLocked, wrongCode } from '../channels.errors.js';
import { ChannelsRepository } from '../channels.repository.js';
import type { Channel } from '../channel.entity.js';
import { CodeTriesRepository } from './code-tries.repository.js';
import {
  awaitCode,
  isCodePending,
  isCodeShaped,
  newVerificationCode,
  OPERATOR,
  tryCode,
  type CodeTrier,
  type CodeVerdict,
} from './verification-code.js';

/** A code that is shown once. */
export interface PendingCode {
  code: string;
  expiresAtMs: number;
}

/**
 * Proves that who runs the server and who has the bot or number at hand are the same: a code goes from one to the other.
 * It lasts 15 minutes. After five wrong tries operators have to make a new one, and a person may not try again in that chat. After a
 * hundred in all chats only people may try there who have not guessed wrong yet, after five hundred nobody.
 */
@Injectable()
export class ChannelVerificationService {
  constructor(
    private readonly database: Database,
    private readonly repository: ChannelsRepository,
    private readonly tries: CodeTriesRepository,
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
      await this.tries.forget(session, channelId);
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
      return this.attempt(session, channel, code, OPERATOR);
    });
    if (verdict === 'locked') throw codeLocked();
    if (verdict !== 'right') throw wrongCode();
  }

  /** Whether a message in a chat has to be held against the channel's code. */
  isTry(channel: Channel, text: string): boolean {
    return isCodeShaped(text) && isCodePending(channel, this.clock.nowMs());
  }

  /**
   * One try, by an operator or in a chat.
   * @param channel locked; brought up to date with what the try changed
   * @param by ids that can be stored
   */
  async attempt(session: SqlSession, channel: Channel, code: string, by: CodeTrier): Promise<CodeVerdict> {
    const before = await this.tries.count(session, channel.id, by);
    const isRight = this.isRight(channel, code);
    const { verdict, changes } = tryCode(channel, { isRight, before, by }, this.clock.nowMs());
    if (verdict === 'wrong') await this.tries.note(session, channel.id, by);
    if (verdict === 'right') await this.tries.forget(session, channel.id);
    await this.repository.update(session, channel.id, changes);
    Object.assign(channel, changes);
    return verdict;
  }

  private isRight({ id, code_digest }: Channel, code: string): boolean {
    const [pending, given] = [Buffer.from(code_digest ?? ''), Buffer.from(this.vault.codeDigest(id, code))];
    return pending.length === given.length && timingSafeEqual(pending, given);
  }
}
