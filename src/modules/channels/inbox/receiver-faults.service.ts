import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import type { OpenChannel } from '../accounts/channel-accounts.service.js';
import { ChannelsRepository } from '../accounts/channels.repository.js';
import { FOREIGN_HANDSHAKE, UNPROVEN_REQUEST } from '../platforms/platform-failure.js';

/**
 * Shows on a channel that its requests are not proven, for example because of a wrong secret. Only changes are written: strangers cannot
 * cause repeated writes, and a healthy channel costs nothing.
 */
@Injectable()
export class ReceiverFaultsService {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly logger: Logger,
  ) {}

  /** @param meant the channels that a request may be for; if it is proven for none of several, it is not known which was meant */
  async noteProofs(meant: readonly OpenChannel[], proven: readonly OpenChannel[]): Promise<void> {
    for (const opened of proven) await this.note(opened, null);
    if (proven.length === 0 && meant.length === 1) await this.note(meant[0]!, UNPROVEN_REQUEST);
  }

  async noteHandshake(opened: OpenChannel, isKnown: boolean): Promise<void> {
    if (isKnown && opened.channel.fault !== FOREIGN_HANDSHAKE) return;
    await this.note(opened, isKnown ? null : FOREIGN_HANDSHAKE);
  }

  /** A failure to store it must not stop messages. */
  private async note({ channel }: OpenChannel, fault: string | null): Promise<void> {
    if (channel.fault === fault) return;
    try {
      await this.channels.noteFault(channel, fault);
    } catch (error) {
      this.logger.warn({ err: error, channel_id: channel.id }, 'a channel fault could not be stored');
    }
  }
}
