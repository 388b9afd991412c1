import { Injectable } from '@nestjs/common';
import { isPolled } from '../platforms/channel-adapter.js';
import { ChannelAdapters } from '../platforms/channel-adapters.js';
import { PLATFORMS, type ChannelType } from '../platforms/platforms.js';
import { readChannelConfig, splitSecrets } from './channel-config.reader.js';
import { ChannelVault, type ChannelConfigValues } from './channel-vault.js';
import type { ChannelChanges } from './channels.repository.js';
import type { ChannelAgent } from './channel-agent.entity.js';
import type { Channel } from './channel.entity.js';
import { ChannelVerificationService, type PendingCode } from './verification/channel-verification.service.js';

/** A channel as responses show it. */
export interface ChannelView {
  channel: Channel;
  /** The config without secrets; null if it was sealed under another machine secret. */
  shown: ChannelConfigValues | null;
  /** The secrets that are set. */
  secretFields: readonly string[];
  agents: readonly ChannelAgent[];
}

export interface CreatedChannel {
  view: ChannelView;
  pending: PendingCode;
}

type AccountColumns = Omit<Channel, 'name' | 'session_mode' | 'routing_mode'>;

/** Unknown for a new account, and dropped with an old one. */
const UNKNOWN_ACCOUNT = {
  verified: false,
  verified_by: null,
  profile: null,
  webhook_url: null,
  webhook_secret: null,
  fresh_webhook_secret: null,
  code_digest: null,
  code_expires_at: null,
  code_tries: 0,
  fault: null,
  poll_offset: null,
  poll_owner: null,
  poll_lease_until: null,
};

/** Maps the given config to columns, and columns to responses. */
@Injectable()
export class ChannelMapper {
  constructor(
    private readonly adapters: ChannelAdapters,
    private readonly vault: ChannelVault,
    private readonly verification: ChannelVerificationService,
  ) {}

  /** @throws DomainError `invalid` that names every faulty member of the config */
  newAccount(
    id: string,
    type: ChannelType,
    given: unknown,
    nowMs: number,
  ): { columns: AccountColumns; pending: PendingCode } {
    const { config, identity } = this.sealed(id, type, given);
    const { pending, columns } = this.verification.prepare(id, nowMs);
    const times = { created_at: nowMs, updated_at: nowMs };
    const account = { id, channel_type: type, config, identity, enabled: true, ...times };
    return { columns: { ...UNKNOWN_ACCOUNT, ...account, ...columns }, pending };
  }

  /** @throws DomainError `invalid` that names every faulty member of the config */
  changesFor(channel: Channel, given: unknown, nowMs: number): ChannelChanges {
    const { isPolled, ...account } = this.sealed(channel.id, channel.channel_type, given);
    const changes = { ...account, fault: null, updated_at: nowMs };
    if (account.identity !== channel.identity) return { ...UNKNOWN_ACCOUNT, ...changes };
    // Polling removes the webhook. Its secret still counts for what the platform sends until then.
    return isPolled ? { ...changes, webhook_url: null } : changes;
  }

  viewOf(channel: Channel, agents: readonly ChannelAgent[]): ChannelView {
    const config = this.vault.open(channel);
    if (config === null) return { channel, shown: null, secretFields: [], agents };
    return { channel, agents, ...splitSecrets(PLATFORMS[channel.channel_type].fields, config) };
  }

  private sealed(id: string, type: ChannelType, given: unknown) {
    const adapter = this.adapters.get(type);
    const config = readChannelConfig(PLATFORMS[type].fields, given);
    const account = { config: this.vault.seal(config, id), identity: adapter.identityOf(config) };
    return { ...account, isPolled: isPolled(adapter, config) };
  }
}
