import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import type { AccountProfile, ChannelAccount, ChannelAdapter } from '../platforms/channel-adapter.js';
import { ChannelAdapters } from '../platforms/channel-adapters.js';
import type { ChannelType } from '../platforms/platforms.js';
import { ChannelVault } from './channel-vault.js';
import { channelNotFound, configUnreadable } from './channels.errors.js';
import { ChannelsRepository } from './channels.repository.js';
import type { Channel } from './channel.entity.js';

/** A channel with everything needed to call its platform. */
export interface OpenChannel {
  channel: Channel;
  /** Holds secrets in plain text: must never reach a log, an error or a response. */
  account: ChannelAccount;
  adapter: ChannelAdapter;
}

/** Channels of one platform to try in turn if nothing in a request says which is meant. */
const MAX_TRIED = 1000;
const UNKNOWN_PROFILE: AccountProfile = { userId: null, userName: null, team: null };

/** Opens channels for code that calls platforms. The `find` methods leave out channels sealed under another machine secret. */
@Injectable()
export class ChannelAccountsService {
  private readonly reported = new Set<string>();

  constructor(
    private readonly repository: ChannelsRepository,
    private readonly vault: ChannelVault,
    private readonly adapters: ChannelAdapters,
    private readonly logger: Logger,
  ) {}

  /** @throws DomainError `not_found`; `conflict` (`config_unreadable`) if it was sealed under another machine secret */
  async get(channelId: string): Promise<OpenChannel> {
    const channel = await this.repository.find(channelId);
    if (channel === null) throw channelNotFound();
    const opened = this.open(channel);
    if (opened === null) throw configUnreadable();
    return opened;
  }

  /** Null if it is gone, or sealed under another machine secret, which is logged. */
  async findUsable(channelId: string): Promise<OpenChannel | null> {
    const channel = await this.repository.find(channelId);
    return channel && this.open(channel);
  }

  /** @param digest of a secret in a request: the confirmed one, or a new one that awaits confirmation */
  async findByWebhookSecret(type: ChannelType, digest: string): Promise<OpenChannel[]> {
    return this.openAll(await this.repository.findByWebhookSecret(type, digest));
  }

  /** @param identities as the adapter's `identityOf` builds them */
  async findByIdentities(type: ChannelType, identities: readonly string[]): Promise<OpenChannel[]> {
    return this.openAll(await this.repository.findByIdentities(type, identities));
  }

  /** At most a thousand, the oldest first. */
  async findByType(type: ChannelType): Promise<OpenChannel[]> {
    return this.openAll(await this.repository.findByType(type, MAX_TRIED));
  }

  isInUse(type: ChannelType): Promise<boolean> {
    return this.repository.hasType(type);
  }

  private openAll(channels: readonly Channel[]): OpenChannel[] {
    return channels.map((channel) => this.open(channel)).filter((opened) => opened !== null);
  }

  private open(channel: Channel): OpenChannel | null {
    const config = this.vault.open(channel);
    if (config === null) {
      this.reportOnce(channel.id);
      return null;
    }
    const { id: channelId, profile, webhook_secret, fresh_webhook_secret } = channel;
    const webhookSecrets = [webhook_secret, fresh_webhook_secret].filter((secret) => secret !== null);
    const account = { channelId, config, profile: profileOf(profile), webhookSecrets };
    return { channel, account, adapter: this.adapters.get(channel.channel_type) };
  }

  /** Once per process: otherwise strangers could fill the log through the receiver. */
  private reportOnce(channelId: string): void {
    if (this.reported.has(channelId)) return;
    this.reported.add(channelId);
    this.logger.error({ channel_id: channelId }, 'channel config is sealed with another machine secret');
  }
}

function profileOf(text: string | null): AccountProfile {
  return text === null ? UNKNOWN_PROFILE : (JSON.parse(text) as AccountProfile);
}
