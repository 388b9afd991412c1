import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { digestOf } from '../../../common/digest.js';
import { Logger } from '../../../common/logger.js';
import { ShutdownSignal } from '../../../common/shutdown-signal.js';
import { isPolled, PlatformError, type AccountProfile, type RegistrationResult } from '../platforms/channel-adapter.js';
import { ChannelVault } from './channel-vault.js';
import { ChannelAccountsService, type OpenChannel } from './channel-accounts.service.js';
import { channelNotFound, channelPolls, platformRefused, setupOvertaken } from './channels.errors.js';
import { ChannelsRepository } from './channels.repository.js';

export interface WebhookSetup extends RegistrationResult {
  webhookUrl: string;
}

/** Asks platforms whether they know an account by its secrets, and tells them where the receiver is. */
@Injectable()
export class WebhookSetupService {
  constructor(
    private readonly repository: ChannelsRepository,
    private readonly accounts: ChannelAccountsService,
    private readonly vault: ChannelVault,
    private readonly clock: Clock,
    private readonly shutdown: ShutdownSignal,
    private readonly logger: Logger,
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

  /**
   * Registers the receiver with a fresh secret. Until the platform has confirmed it, requests with the old secret count as well as those
   * with the new one; where nobody knows whether the platform took it, that stays so, and the next try uses the same one.
   * @param baseUrl public address of this server, without trailing slash
   * @throws DomainError `not_found`, `conflict` for a channel that polls, `upstream` with the platform's words
   */
  async setUp(channelId: string, baseUrl: string): Promise<WebhookSetup> {
    const opened = await this.accounts.get(channelId);
    if (isPolled(opened.adapter, opened.account.config)) throw channelPolls();
    const webhookUrl = `${baseUrl}/v1/channels/webhook/${opened.channel.channel_type}`;
    const secret = this.vault.nextWebhookSecret(opened.channel);
    const fresh = digestOf(secret);
    if (!(await this.repository.storeFreshSecret(channelId, fresh))) throw channelNotFound();
    const result = await this.register(opened, webhookUrl, secret);
    const profile = await this.findProfile(opened);
    const isSettled = await this.repository.settleRegistration(opened.channel, fresh, {
      ...(result.status === 'registered' ? { webhook_secret: fresh } : {}),
      ...(profile === null ? {} : { profile: JSON.stringify(profile) }),
      webhook_url: webhookUrl,
      updated_at: this.clock.nowMs(),
    });
    if (!isSettled) throw setupOvertaken();
    return { webhookUrl, ...result };
  }

  private async register(opened: OpenChannel, url: string, secret: string): Promise<RegistrationResult> {
    try {
      return await opened.adapter.registerWebhook(opened.account, url, secret, this.shutdown.signal);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const { id, fresh_webhook_secret: pending } = opened.channel;
      // An earlier try may have reached the platform after all: then its secret goes on to count.
      if (error.isCertain && pending === null) await this.repository.storeFreshSecret(id, null);
      throw platformRefused(error);
    }
  }

  /** Null if the platform does not say: the receiver works without it, only names and workspaces are not known. */
  private async findProfile({ channel, account, adapter }: OpenChannel): Promise<AccountProfile | null> {
    try {
      return await adapter.fetchProfile(account, this.shutdown.signal);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      this.logger.warn({ channel_id: channel.id, reason: error.message }, 'account profile unknown');
      return null;
    }
  }
}
