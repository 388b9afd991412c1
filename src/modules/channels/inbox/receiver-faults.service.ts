import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import type { OpenChannel } from '../accounts/channel-accounts.service.js';
import { ChannelsRepository } from '../accounts/channels.repository.js';
import { FOREIGN_HANDSHAKE, UNPROVEN_REQUEST } from '../platforms/platform-failure.js';

/**
 * Tells the people who look at a channel that requests for it do not prove themselves, as with a wrong secret. Only what changes is
 * written: strangers cannot make it write again and again, and what is fine costs nothing.
 */
@Injectable()
export class ReceiverFaultsService {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly logger: Logger,
  ) {}

  /** @param meant those that a request may be for; where it proves itself to none of several, nobody can tell which was meant */
  async noteProofs(meant: readonly OpenChannel[], proven: readonly OpenChannel[]): Promise<void> {
    for (const opened of proven) await this.note(opened, null);
    if (proven.length === 0 && meant.length === 1) await this.note(meant[0]!, UNPROVEN_REQUEST);
  }

  async noteHandshake(opened: OpenChannel, isKnown: boolean): Promise<void> {
    if (isKnown && opened.channel.fault !== FOREIGN_HANDSHAKE) return;
    await this.note(opened, isKnown ? null : FOREIGN_HANDSHAKE);
  }

  /** What cannot be noted stops no message. */
  private async note({ channel }: OpenChannel, fault: string | null): Promise<void> {
    if (channel.fault === fault) return;
    try {
      await this.channels.noteFault(channel, fault);
    } catch (error) {
      this.logger.warn({ err: error, channel_id: channel.id }, 'a channel fault could not be stored');
    }
  }
}
