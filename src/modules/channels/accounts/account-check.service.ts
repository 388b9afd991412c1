import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { PlatformError, type AccountProfile } from '../platforms/channel-adapter.js';
import { ChannelAccountsService } from './channel-accounts.service.js';
import { platformRefused } from './channels.errors.js';
import { ChannelsRepository } from './channels.repository.js';

/** Asks platforms whether they know an account by its secrets. */
@Injectable()
export class AccountCheckService {
  constructor(
    private readonly repository: ChannelsRepository,
    private readonly accounts: ChannelAccountsService,
    private readonly clock: Clock,
    private readonly shutdown: ShutdownSignal,
  ) {}

  /**
   * Who the account is, as the platform says.
   * @throws DomainError `not_found`, `conflict` for a config that cannot be read, `upstream` with the platform's words
   */
  async check(channelId: string): Promise<AccountProfile> {
    const { channel, account, adapter } = await this.accounts.get(channelId);
    try {
      const profile = await adapter.fetchProfile(account, this.shutdown.signal);
      await this.repository.storeProfile(channel, JSON.stringify(profile), this.clock.nowMs());
      return profile;
    } catch (error) {
      if (error instanceof PlatformError) throw platformRefused(error);
      throw error;
    }
  }
}
