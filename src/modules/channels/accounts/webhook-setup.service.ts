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

/** Asks platforms about the account of a config, and tells them the receiver's address. */
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
   * The platform's profile of the account.
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
   * Registers the receiver with a new secret. Until the platform confirms it, requests with the old and the new secret both count; if it is
   * not known whether the platform took it, that stays so, and the next try uses the same secret.
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
      // An earlier try may have reached the platform after all, so its secret must still count.
      if (error.isCertain && pending === null) await this.repository.storeFreshSecret(id, null);
      throw platformRefused(error);
    }
  }

  /** Null if the platform does not say: the receiver works without it, but names and workspaces stay unknown. */
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
