import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { FailureLimiter } from '../../../common/failure-limiter.js';
import type { WebhookRequest } from '../platforms/channel-adapter.js';
import { CHANNEL_TYPES, type ChannelType } from '../platforms/platforms.js';
import {
  handshakeRefused,
  sentByPage,
  tooManyUnproven,
  unknownPlatform,
  unproven,
} from '../accounts/channels.errors.js';
import type { ParsedWebhook } from '../platforms/inbound-update.js';
import type { InboxDelivery } from './inbox-delivery.js';
import { InboxService } from './inbox.service.js';
import { WebhookReader, type Reading } from './webhook-reader.js';

export type ReceiverResponse = ParsedWebhook['response'];

export type WebhookMessage = Omit<WebhookRequest, 'receivedAtMs'>;

/** Stores what platforms deliver. Each request must prove its sender. */
@Injectable()
export class ReceiverService {
  constructor(
    private readonly reader: WebhookReader,
    private readonly inbox: InboxService,
    private readonly failures: FailureLimiter,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses a request before its body is read if the platform has no channels, or if it carries no proof and comes from a web page or from
   * an address that has sent too much without proof.
   * @throws DomainError `not_found` for an unknown platform, `unauthenticated` or `rate_limited` for one without channels; `forbidden` for
   * a page, `rate_limited` beyond the limit
   */
  async checkExpected(
    platform: string,
    headers: WebhookRequest['headers'],
    address: string | undefined,
  ): Promise<void> {
    const type = typeOf(platform);
    if (!(await this.reader.isExpected(type))) {
      this.countFailure(address);
      throw unproven();
    }
    if (this.reader.hasProof(type, headers)) return;
    if (isOfPage(headers)) throw sentByPage();
    const retryAfterSeconds = this.failures.overFor(address);
    if (retryAfterSeconds !== null) throw tooManyUnproven(retryAfterSeconds);
  }

  /**
   * Stores the request's content.
   * @param address the client's, to count requests without proof
   * @returns what the platform wants to read; null for nothing
   * @throws DomainError `not_found` for an unknown platform, `unauthenticated` or `rate_limited` without proof, `unavailable` if it could
   * not be stored
   */
  async receive(platform: string, message: WebhookMessage, address: string | undefined): Promise<ReceiverResponse> {
    const readings = await this.reader.read(typeOf(platform), { ...message, receivedAtMs: this.clock.nowMs() });
    if (readings.length === 0) {
      this.countFailure(address);
      throw unproven();
    }
    const deliveries = readings.map(toDelivery).filter(({ updates }) => updates.length > 0);
    if (deliveries.length > 0) await this.inbox.store(deliveries);
    return readings.find(({ parsed }) => parsed.response !== null)?.parsed.response ?? null;
  }

  /**
   * The response to a platform's verification of the receiver.
   * @throws DomainError `not_found` for an unknown platform, `forbidden` or `rate_limited` if no channel recognises it
   */
  async handshake(
    platform: string,
    query: Readonly<Record<string, unknown>>,
    address: string | undefined,
  ): Promise<string> {
    const response = await this.reader.respondToHandshake(typeOf(platform), query);
    if (response !== null) return response;
    this.countFailure(address);
    throw handshakeRefused();
  }

  private countFailure(address: string | undefined): void {
    const retryAfterSeconds = this.failures.note(address);
    if (retryAfterSeconds !== null) throw tooManyUnproven(retryAfterSeconds);
  }
}

function typeOf(platform: string): ChannelType {
  const type = CHANNEL_TYPES.find((known) => known === platform);
  if (type === undefined) throw unknownPlatform();
  return type;
}

/** Platforms send neither header. Browsers do when a page sends to a receiver that trusts requests without proof. */
function isOfPage(headers: WebhookRequest['headers']): boolean {
  return headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';
}

function toDelivery({ opened, parsed, dropReason }: Reading): InboxDelivery {
  return { channelId: opened.channel.id, updates: parsed.updates, dropReason };
}
