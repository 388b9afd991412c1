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

/** A code, shown once. */
export interface PendingCode {
  code: string;
  expiresAtMs: number;
}

/**
 * Proves that the operator of the server also controls the bot or number: a code goes from one to the other.
 * It lasts 15 minutes. After five wrong tries operators need a new code, and a person may not try again in that chat. After a hundred wrong
 * tries in all chats only people without a wrong try may still try there; after five hundred, nobody.
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

  /** A code for a channel, with the columns to store. */
  prepare(channelId: string, nowMs: number): { pending: PendingCode; columns: ReturnType<typeof awaitCode> } {
    const code = newVerificationCode();
    const columns = awaitCode(this.vault.codeDigest(channelId, code), nowMs);
    return { pending: { code, expiresAtMs: columns.code_expires_at }, columns };
  }

  /** Creates a new code, which replaces the old one. @throws DomainError `not_found` */
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
   * A try by an operator.
   * @throws DomainError `invalid` for a wrong or expired code, `rate_limited` after too many tries, `not_found`
   */
  async verify(channelId: string, code: string): Promise<void> {
    // A wrong try must be stored, so nothing is thrown within the transaction.
    const verdict = await this.database.transaction(async (session) => {
      const channel = await this.repository.lock(session, channelId);
      if (channel === null) throw channelNotFound();
      return this.attempt(session, channel, code, OPERATOR);
    });
    if (verdict === 'locked') throw codeLocked();
    if (verdict !== 'right') throw wrongCode();
  }

  /** Whether a message in a chat has to be compared with the channel's code. */
  isTry(channel: Channel, text: string): boolean {
    return isCodeShaped(text) && isCodePending(channel, this.clock.nowMs());
  }

  /**
   * One try, by an operator or in a chat.
   * @param channel locked; updated with the changes of the try
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
