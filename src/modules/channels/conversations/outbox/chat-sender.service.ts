import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { Clock } from '../../../../common/clock.js';
import { Logger } from '../../../../common/logger.js';
import { CallWatch } from '../../../../queue/call-watch.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { OutboundFile, OutboundMessage, SendOutcome } from '../../platforms/outbound-message.js';
import { SendPace } from './send-pace.js';

/** The longest time to hold a lane while it waits for its turn. */
const MAX_TURN_MS = 1_000;

/** Calls the platforms at the rate that they allow. */
@Injectable()
export class ChatSenderService {
  /** By channel id. */
  readonly calls = new CallWatch();
  /** A call whose request is out is not aborted, as its outcome would be unknown: it has its own timeout. */
  private readonly never = new AbortController().signal;

  constructor(
    private readonly pace: SendPace,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Waits for the chat's and the account's turn, if it comes soon.
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

  /** Uploads a file's bytes, if the platform wants them before the message. @returns what to send, or why it cannot be sent */
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

  /** @param stop ends the call only while bytes of a file remain to be read: the platform cannot have accepted the message then */
  async send(
    { channel, account, adapter }: OpenChannel,
    message: OutboundMessage,
    stop: AbortSignal,
  ): Promise<SendOutcome> {
    const call =
      message.kind === 'file' && message.uploadId === null
        ? () => whileBytesRemain(message, stop, (file, signal) => adapter.send(account, file, signal))
        : () => adapter.send(account, message, this.never);
    try {
      return await this.calls.during(channel.id, call);
    } catch (error) {
      this.logger.error({ err: error, channel_id: channel.id }, 'adapter failed');
      return { kind: 'unknown', reason: 'an internal error while it was being sent' };
    }
  }
}

/** @param send gets a signal that `stop` aborts, unless all bytes of the file were read */
async function whileBytesRemain(
  file: OutboundFile,
  stop: AbortSignal,
  send: (file: OutboundFile, signal: AbortSignal) => Promise<SendOutcome>,
): Promise<SendOutcome> {
  const end = new AbortController();
  let isRead = false;
  const bytes = async function* () {
    isRead = false;
    yield* file.bytes();
    isRead = true;
  };
  const endIfUnread = () => isRead || end.abort();
  if (stop.aborted) end.abort();
  stop.addEventListener('abort', endIfUnread);
  try {
    return await send({ ...file, bytes }, end.signal);
  } finally {
    stop.removeEventListener('abort', endIfUnread);
  }
}
