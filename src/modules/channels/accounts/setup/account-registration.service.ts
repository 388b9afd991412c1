import { Injectable } from '@nestjs/common';
import { Logger } from '../../../../common/logger.js';
import { ShutdownSignal } from '../../../../common/shutdown-signal.js';
import { PlatformError, type AccountProfile, type RegistrationResult } from '../../platforms/channel-adapter.js';
import type { OpenChannel } from '../channel-accounts.service.js';
import { ChannelAdapters } from '../../platforms/channel-adapters.js';

/** Asks platforms for what a set-up needs. */
@Injectable()
export class AccountRegistrationService {
  constructor(
    private readonly adapters: ChannelAdapters,
    private readonly shutdown: ShutdownSignal,
    private readonly logger: Logger,
  ) {}

  /** @throws PlatformError where the platform refused or did not answer */
  async register({ account, channel }: OpenChannel, url: string, secret: string): Promise<RegistrationResult> {
    return this.adapters.get(channel.channel_type).registerWebhook(account, url, secret, this.shutdown.signal);
  }

  /** Null where the platform does not say: without it the receiver works, only names and workspaces are not known. */
  async findProfile({ account, channel }: OpenChannel): Promise<AccountProfile | null> {
    try {
      return await this.adapters.get(channel.channel_type).fetchProfile(account, this.shutdown.signal);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      this.logger.warn({ channel_id: channel.id, reason: error.message }, 'account profile not known');
      return null;
    }
  }
}
