import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../../common/secret-box.js';
import { ApiSecret } from '../../../config/api-secret.js';
import type { Channel } from './channel.entity.js';

export type ChannelConfigValues = Readonly<Record<string, unknown>>;

/** Protects secrets in the database: configs are encrypted, verification codes are keyed digests. */
@Injectable()
export class ChannelVault {
  private readonly box: SecretBox;

  constructor(private readonly secret: ApiSecret) {
    this.box = new SecretBox(secret.value, 'channel configs');
  }

  seal(config: ChannelConfigValues, channelId: string): string {
    return this.box.seal(JSON.stringify(config), channelId);
  }

  /** Null if it was sealed under another machine secret. */
  open({ id, config }: Pick<Channel, 'id' | 'config'>): ChannelConfigValues | null {
    const text = this.box.open(config, id);
    return text === null ? null : (JSON.parse(text) as ChannelConfigValues);
  }

  /** Keyed with the machine secret: a plain digest of six digits is guessed at once. */
  codeDigest(channelId: string, code: string): string {
    return createHmac('sha256', this.secret.value).update(`verification code ${channelId} ${code}`).digest('base64url');
  }

  /** The secret to follow the confirmed one: the same until it is confirmed itself, so that a try with unknown outcome can be repeated. */
  nextWebhookSecret({ id, identity, webhook_secret }: Channel): string {
    const place = `webhook secret ${id} ${identity} ${webhook_secret ?? ''}`;
    return createHmac('sha256', this.secret.value).update(place).digest('base64url');
  }
}
