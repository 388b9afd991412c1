import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { digestOf } from '../../../common/digest.js';
import { randomText } from '../../../common/ids.js';
import { PlatformError, type RegistrationResult } from '../channel-adapter.js';
import { ChannelAccountsService, type OpenChannel } from '../channel-accounts.service.js';
import { channelNotFound, channelPolls, platformRefused, setupOvertaken } from '../channels.errors.js';
import { ChannelsRepository } from '../channels.repository.js';
import { AccountRegistrationService } from './account-registration.service.js';

const SECRET_BYTES = 32;

export interface WebhookSetup extends RegistrationResult {
  webhookUrl: string;
}

/** Tells platforms where the receiver is. */
@Injectable()
export class WebhookSetupService {
  constructor(
    private readonly repository: ChannelsRepository,
    private readonly accounts: ChannelAccountsService,
    private readonly registration: AccountRegistrationService,
    private readonly clock: Clock,
  ) {}

  /**
   * Registers the receiver with a fresh secret. Until the platform has confirmed it, requests with the old secret count as well as those
   * with the new one; where nobody knows whether the platform took it, that stays so.
   * @param baseUrl public address of this server, without trailing slash
   * @throws DomainError `not_found`, `conflict` for a channel that polls, `upstream` with the platform's words
   */
  async setUp(channelId: string, baseUrl: string): Promise<WebhookSetup> {
    const opened = await this.accounts.get(channelId);
    if (opened.account.config.transport === 'polling') throw channelPolls();
    const webhookUrl = `${baseUrl}/v1/channels/webhook/${opened.channel.channel_type}`;
    const secret = randomText(SECRET_BYTES);
    const fresh = digestOf(secret);
    if (!(await this.repository.storeFreshSecret(channelId, fresh))) throw channelNotFound();
    const result = await this.register(opened, webhookUrl, secret);
    const profile = await this.registration.findProfile(opened);
    const isConfirmed = await this.repository.settleSecret(channelId, fresh, {
      ...(result.status === 'registered' ? { webhook_secret: fresh } : {}),
      ...(profile === null ? {} : { profile: JSON.stringify(profile) }),
      webhook_url: webhookUrl,
      updated_at: this.clock.nowMs(),
    });
    if (!isConfirmed) throw setupOvertaken();
    return { webhookUrl, ...result };
  }

  private async register(opened: OpenChannel, url: string, secret: string): Promise<RegistrationResult> {
    try {
      return await this.registration.register(opened, url, secret);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.isCertain) await this.repository.settleSecret(opened.channel.id, digestOf(secret), {});
      throw platformRefused(error);
    }
  }
}
