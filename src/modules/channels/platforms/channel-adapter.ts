import { OutsideError } from '../../../common/outside-error.js';
import type { InboundUpdate, ParsedWebhook, RepliedMessage } from './inbound-update.js';
import type { ChatAddress, OutboundFile, OutboundMessage, SendOutcome, UploadOutcome } from './outbound-message.js';
import type { OpenedFile } from './platform-file.js';

/** What a platform told about the account behind a channel; all null until it was asked. */
export interface AccountProfile {
  /** The bot's own user id. */
  userId: string | null;
  /** The name by which people mention the bot, without `@`. */
  userName: string | null;
  /** The workspace that the account belongs to, where the platform has such. */
  team: string | null;
}

/** A channel as its adapter sees it. `config` holds the secrets in the clear: it must never reach a log, an error or an answer. */
export interface ChannelAccount {
  channelId: string;
  /** Keeps to the platform's `fields`. */
  config: Readonly<Record<string, unknown>>;
  profile: AccountProfile;
  /** Digests (`digest` of common) of the secrets that a registered webhook may carry now: the confirmed one, and a fresh one that waits for its confirmation. */
  webhookSecrets: readonly string[];
}

/** A request at the receiver, before anybody has proved anything. */
export interface WebhookRequest {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The exact bytes, already without content coding. */
  rawBody: Buffer;
  receivedAtMs: number;
}

/** Which channels could have been meant; the proof decides. `none` is a request without any proof in it, which its headers tell. */
export type WebhookClaim =
  | { by: 'secret'; digest: string }
  | { by: 'identity'; identities: readonly string[] }
  | { by: 'type' }
  | { by: 'none' };

/** The result of a registration: done by the platform, or to be done by a person in the platform's console. */
export interface RegistrationResult {
  status: 'registered' | 'manual';
  /** What to paste where, for people; no secrets but those of the caller's own config are named, and none is shown. */
  instructions: readonly string[];
}

/** Says why a platform did not do what was asked; `message` has the platform's words, without secrets. */
export class PlatformError extends OutsideError {
  constructor(
    message: string,
    /** False where it is not known whether the platform did it. */
    readonly isCertain: boolean,
    /** Milliseconds to wait before the next call, where the platform said so. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
    this.name = 'PlatformError';
  }
}

/**
 * The port to a messaging platform. An adapter translates and calls, and keeps nothing: no state, no database, no rules of routing.
 * No text that leaves it (errors, reasons, logs) holds a secret of the account.
 */
export abstract class ChannelAdapter {
  /** The longest text of one message, in UTF-16 units, before formatting. */
  abstract readonly maxTextLength: number;

  /** The longest text of a question with buttons, in UTF-16 units, before formatting. Longer text is cut, with an ellipsis. */
  abstract readonly maxQuestionLength: number;

  /** Buttons under one question, at least 3. */
  abstract readonly maxButtons: number;

  /** Milliseconds between two messages to one chat that the platform tolerates for long. */
  abstract readonly sendIntervalMs: number;

  /** Messages a second of one account that the platform tolerates for long. */
  abstract readonly sendsPerSecond: number;

  /** Milliseconds after which `showTyping` has to be called again; 0 if the platform shows nothing. */
  abstract readonly typingIntervalMs: number;

  /** What only one channel may own: the bot, the phone number. Not secret: a secret goes in as its digest. */
  abstract identityOf(config: Readonly<Record<string, unknown>>): string;

  /** By what the channel of a request is to be found. Parses nothing, and never throws, whatever the request holds. */
  abstract claimOf(request: WebhookRequest): WebhookClaim;

  /** Whether the request proves that it comes from the platform, for this account. Compares in constant time, never throws. */
  abstract isProven(request: WebhookRequest, account: ChannelAccount): boolean;

  /** Whether a request is such as the platform sends: one that is not is refused, whoever has signed it. Asked of proven ones only. */
  isReadable(_request: WebhookRequest): boolean {
    return true;
  }

  /**
   * What the request says, for one account that it proved, in the order of the request. Leaves out what belongs to other accounts. Never
   * throws: an unknown update becomes `ignored`, or nothing.
   */
  abstract parse(request: WebhookRequest, account: ChannelAccount): ParsedWebhook;

  /** Whether a request by GET is the platform's question for the receiver, whatever token it holds. */
  isHandshake(_query: Readonly<Record<string, unknown>>): boolean {
    return false;
  }

  /** The answer to the platform's question by GET whether the receiver is the one that was configured; null: it is not, or there is no such question. */
  handshake(_query: Readonly<Record<string, unknown>>, _account: ChannelAccount): string | null {
    return null;
  }

  /** @throws PlatformError */
  abstract fetchProfile(account: ChannelAccount, signal: AbortSignal): Promise<AccountProfile>;

  /**
   * Tells the platform where the receiver is.
   * @param secret the fresh secret that the platform shall send along, where it does that
   * @throws PlatformError where it refused
   */
  abstract registerWebhook(
    account: ChannelAccount,
    url: string,
    secret: string,
    signal: AbortSignal,
  ): Promise<RegistrationResult>;

  /** Sends or edits one message; a file only after `upload`. Never throws: what happened is the outcome. */
  abstract send(account: ChannelAccount, message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome>;

  /**
   * Hands the platform the bytes of a file, where it wants them before the message that shows them. May be done again. Never throws.
   * @returns what the platform calls them, null where they go with the message; or why they could not be handed over, never `sent`
   */
  upload(_account: ChannelAccount, _file: OutboundFile, _signal: AbortSignal): Promise<UploadOutcome> {
    return Promise.resolve({ kind: 'uploaded', uploadId: null });
  }

  /** Milliseconds after which the platform gives out the files of a message no more. */
  readonly filesLastMs: number = Infinity;

  /**
   * The bytes of an attachment, by its id; each time by a fresh link. They end with `signal`.
   * @throws FileUnavailable where there are none; PlatformError
   */
  abstract openFile(account: ChannelAccount, fileId: string, signal: AbortSignal): Promise<OpenedFile>;

  /** Shows that an answer is being written. A failure is of no consequence and is swallowed. */
  abstract showTyping(
    account: ChannelAccount,
    chat: ChatAddress,
    lastMessageId: string,
    signal: AbortSignal,
  ): Promise<void>;

  /** Tells the person who pressed a button that it was noticed. A failure is swallowed: the press may be too old. */
  abstract answerPress(account: ChannelAccount, pressId: string, text: string, signal: AbortSignal): Promise<void>;
}

/** How to treat a request without proof: store it as if proven, only show it in the message log, or nothing. */
export type UnsignedPolicy = 'trust' | 'show' | 'refuse';

/** What an adapter has in addition whose channels have no secret that could prove anything before their webhook was set up. */
export interface UnsignedAdapter {
  unsignedPolicy(account: ChannelAccount): UnsignedPolicy;
}

export function mayBeUnsigned(adapter: ChannelAdapter): adapter is ChannelAdapter & UnsignedAdapter {
  return 'unsignedPolicy' in adapter;
}

/** What an adapter has in addition whose platform tells of an answered message only its id, but can be asked for it. */
export interface FindingAdapter {
  /** Null where there is no such message. @throws PlatformError */
  findMessage(
    account: ChannelAccount,
    chatId: string,
    messageId: string,
    signal: AbortSignal,
  ): Promise<RepliedMessage | null>;
}

export function canFind(adapter: ChannelAdapter): adapter is ChannelAdapter & FindingAdapter {
  return 'findMessage' in adapter;
}

/** What an adapter has in addition whose platform can be asked for updates, so that no public address is needed. */
export interface PollingAdapter {
  /** Whether the channel with this config is polled; otherwise the platform delivers to its webhook. */
  isPolled(config: Readonly<Record<string, unknown>>): boolean;

  /**
   * Waits up to `waitSeconds` for updates after `offset`.
   * @param offset as the last answer gave it; null for the first time
   * @throws PlatformError
   */
  poll(
    account: ChannelAccount,
    offset: string | null,
    waitSeconds: number,
    signal: AbortSignal,
  ): Promise<{ updates: readonly InboundUpdate[]; nextOffset: string | null }>;

  /** Ends the delivery to a webhook, which excludes polling. @throws PlatformError */
  stopWebhook(account: ChannelAccount, signal: AbortSignal): Promise<void>;
}

export function canPoll(adapter: ChannelAdapter): adapter is ChannelAdapter & PollingAdapter {
  return 'poll' in adapter;
}

/** Whether this server asks the platform for the updates of a channel with this config. */
export function isPolled(adapter: ChannelAdapter, config: Readonly<Record<string, unknown>>): boolean {
  return canPoll(adapter) && adapter.isPolled(config);
}
