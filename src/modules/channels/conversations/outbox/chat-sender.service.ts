import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { Clock } from '../../../../common/clock.js';
import { Logger } from '../../../../common/logger.js';
import { CallWatch } from '../../../../queue/call-watch.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import { PlatformError } from '../../platforms/channel-adapter.js';
import type { OutboundFile, OutboundMessage, SendOutcome } from '../../platforms/outbound-message.js';
import { SendPace } from './send-pace.js';

/** Longer than this no lane is held for its turn. */
const MAX_TURN_MS = 1_000;

/** Calls the platforms, at the pace that they bear. */
@Injectable()
export class ChatSenderService {
  /** By the channels' ids. */
  readonly calls = new CallWatch();
  /** A call whose request is out is not cut off, as then nobody would know what became of it: it has a limit of its own. */
  private readonly never = new AbortController().signal;

  constructor(
    private readonly pace: SendPace,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Waits for the chat's and the account's turn, if that is near.
   * @returns 0 if it has come; otherwise milliseconds after which to try again
   */
  async awaitTurn({ channel, adapter }: OpenChannel, chatId: string, stop: AbortSignal): Promise<number> {
    const nowMs = this.clock.nowMs();
    const waitMs = Math.max(this.pace.waitMs(channel.id, chatId, nowMs), this.pace.slotMs(channel.id, nowMs));
    if (waitMs > 0 && (stop.aborted || waitMs > MAX_TURN_MS)) return waitMs;
    const turnMs = Math.max(waitMs, this.pace.takeSlot(channel.id, adapter.sendsPerSecond, nowMs));
    if (turnMs > 0) await pause(turnMs, undefined, { signal: stop }).catch(() => undefined);
    return stop.aborted ? 1 : 0;
  }

  /** Hands the platform the bytes of a file, where it wants them before the message. @returns what is to be sent, or why it cannot be */
  async upload(
    { channel, account, adapter }: OpenChannel,
    file: OutboundFile,
    stop: AbortSignal,
  ): Promise<OutboundFile | SendOutcome> {
    try {
      const outcome = await this.calls.during(channel.id, () => adapter.upload(account, file, stop));
      return outcome.kind === 'uploaded' ? { ...file, uploadId: outcome.uploadId } : outcome;
    } catch (error) {
      this.logger.error({ err: error, channel_id: channel.id }, 'adapter failed');
      return { kind: 'later', reason: 'an internal error while the file was handed over', afterMs: null };
    }
  }

  /** @param stop ends it while bytes of a file are left to send: the platform cannot have taken that */
  async send(
    { channel, account, adapter }: OpenChannel,
    message: OutboundMessage,
    stop: AbortSignal,
  ): Promise<SendOutcome> {
    const sent = message.kind === 'file' ? { ...message, bytes: () => untilStop(message.bytes(), stop) } : message;
    try {
      return await this.calls.during(channel.id, () => adapter.send(account, sent, this.never));
    } catch (error) {
      this.logger.error({ err: error, channel_id: channel.id }, 'adapter failed');
      return { kind: 'unknown', reason: 'an internal error while it was being sent' };
    }
  }
}

async function* untilStop(bytes: AsyncIterable<Uint8Array>, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    if (stop.aborted) throw new PlatformError('the server stopped before the platform had the file', true);
    yield piece;
  }
}
