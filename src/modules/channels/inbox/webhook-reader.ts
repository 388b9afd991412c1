import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { TimeSlices } from '../../../common/time-slices.js';
import { mayBeUnsigned, type WebhookClaim, type WebhookRequest } from '../platforms/channel-adapter.js';
import { ChannelAdapters } from '../platforms/channel-adapters.js';
import type { ChannelType } from '../platforms/platforms.js';
import { ChannelAccountsService, type OpenChannel } from '../accounts/channel-accounts.service.js';
import type { ParsedWebhook } from '../platforms/inbound-update.js';
import { ReceiverFaultsService } from './receiver-faults.service.js';
import { DROP_REASONS, type DropReason } from './inbox-delivery.js';

const NO_BODY = Buffer.alloc(0);
/** The most values in unproven JSON, counted by the characters that precede them. */
const MAX_UNPROVEN_VALUES = 10_000;
const VALUE_MARKS = Buffer.from(',[{');
/** Bytes to hash in search of the matching secret: a thousand secrets for a body of 256 KiB. */
const MAX_HASHED_BYTES = 256 * 1024 * 1024;

/** A request as one channel reads it. */
export interface Reading {
  opened: OpenChannel;
  parsed: ParsedWebhook;
  dropReason: DropReason | null;
}

/** Finds the channels that a request is for, by what it proves. */
@Injectable()
export class WebhookReader {
  constructor(
    private readonly accounts: ChannelAccountsService,
    private readonly adapters: ChannelAdapters,
    private readonly faults: ReceiverFaultsService,
    private readonly logger: Logger,
  ) {}

  async isExpected(type: ChannelType): Promise<boolean> {
    return this.accounts.isInUse(type);
  }

  /** Whether the headers contain something that may be a proof. */
  hasProof(type: ChannelType, headers: WebhookRequest['headers']): boolean {
    return this.adapters.get(type).claimOf({ headers, rawBody: NO_BODY, receivedAtMs: 0 }).by !== 'none';
  }

  /** The content for each channel that the request is proven for, or taken from without proof; otherwise empty. */
  async read(type: ChannelType, request: WebhookRequest): Promise<Reading[]> {
    const claim = this.adapters.get(type).claimOf(request);
    if (claim.by === 'none') return isModest(request.rawBody) ? this.readUnsigned(type, request) : [];
    const readings = (await this.findProven(type, claim, request)).map((opened): Reading => {
      return { opened, parsed: opened.adapter.parse(request, opened.account), dropReason: null };
    });
    return claim.by === 'type' ? settled(readings) : readings;
  }

  /** The response of the channel that recognises the platform's verification request; null if none does. */
  async respondToHandshake(type: ChannelType, query: Readonly<Record<string, unknown>>): Promise<string | null> {
    const candidates = await this.accounts.findByType(type);
    for (const opened of candidates) {
      const response = opened.adapter.handshake(query, opened.account);
      if (response === null) continue;
      await this.faults.noteHandshake(opened, true);
      return response;
    }
    if (candidates.length === 1 && candidates[0]!.adapter.isHandshake(query))
      await this.faults.noteHandshake(candidates[0]!, false);
    return null;
  }

  private async findProven(
    type: ChannelType,
    claim: Exclude<WebhookClaim, { by: 'none' }>,
    request: WebhookRequest,
  ): Promise<OpenChannel[]> {
    if (claim.by === 'secret') {
      return provenTo(await this.accounts.findByWebhookSecret(type, claim.digest), request);
    }
    const named = claim.by === 'identity' ? await this.accounts.findByIdentities(type, claim.identities) : [];
    // An app may deliver for numbers without a channel here; a known sender is enough to acknowledge it.
    const meant = named.length > 0 ? named : await this.accounts.findByType(type);
    const proven = await provenTo(meant, request);
    this.reportRefused(named, proven);
    await this.faults.noteProofs(meant, proven);
    return proven;
  }

  /** A channel whose webhook was never set up has no secret to check. If there is exactly one such channel, the request is for it. */
  private async readUnsigned(type: ChannelType, request: WebhookRequest): Promise<Reading[]> {
    const adapter = this.adapters.get(type);
    if (!mayBeUnsigned(adapter)) return [];
    const policyOf = ({ account }: OpenChannel) => adapter.unsignedPolicy(account);
    const candidates = (await this.accounts.findByType(type)).filter((one) => policyOf(one) !== 'refuse');
    const [opened] = candidates;
    if (opened === undefined || candidates.length > 1) return [];
    const parsed = adapter.parse(request, opened.account);
    if (parsed.updates.length === 0) return [];
    return [{ opened, parsed, dropReason: policyOf(opened) === 'trust' ? null : DROP_REASONS.unproven }];
  }

  /** A request for several accounts may be proven for only some; updates for the others are lost. */
  private reportRefused(named: readonly OpenChannel[], proven: readonly OpenChannel[]): void {
    if (proven.length === 0) return;
    for (const { channel } of named.filter((one) => !proven.includes(one))) {
      this.logger.warn({ channel_id: channel.id }, 'the webhook proof fits only another channel; check the secrets');
    }
  }
}

/** Whether an unproven body has few enough values to parse; chat messages never have more. */
function isModest(body: Buffer): boolean {
  let values = 0;
  for (let at = 0; at < body.length && values <= MAX_UNPROVEN_VALUES; at++)
    if (VALUE_MARKS.includes(body[at]!)) values += 1;
  return values <= MAX_UNPROVEN_VALUES;
}

/**
 * The channels whose secrets prove the request. A stranger's body may be long and the secrets many, so this yields between tries, and tries
 * fewer secrets on a long body.
 */
async function provenTo(candidates: readonly OpenChannel[], request: WebhookRequest): Promise<OpenChannel[]> {
  const slices = new TimeSlices();
  const proven: OpenChannel[] = [];
  for (const opened of candidates.slice(0, MAX_HASHED_BYTES / Math.max(1, request.rawBody.length))) {
    await slices.pauseIfDue();
    const { adapter, account } = opened;
    if (adapter.isProven(request, account) && adapter.isReadable(request)) proven.push(opened);
  }
  return proven;
}

/** Of several workspaces with one secret, those with a known workspace count; among several unknown ones nothing distinguishes them. */
function settled(readings: readonly Reading[]): Reading[] {
  const spoken = readings.filter(({ parsed }) => parsed.updates.length > 0);
  const known = spoken.filter(({ opened }) => opened.account.profile.team !== null);
  if (spoken.length < 2) return [...readings];
  if (known.length > 0) return readings.filter((one) => known.includes(one) || !spoken.includes(one));
  return spoken.map((one) => ({ ...one, dropReason: DROP_REASONS.ambiguous }));
}
