import { OutsideError } from '../../../common/outside-error.js';
import type { InboundUpdate, ParsedWebhook, RepliedMessage } from './inbound-update.js';
import type { ChatAddress, OutboundFile, OutboundMessage, SendOutcome, UploadOutcome } from './outbound-message.js';
import type { OpenedFile } from './platform-file.js';

/** What a platform says about the account behind a channel; all null until it was asked. */
export interface AccountProfile {
  /** The bot's own user id. */
  userId: string | null;
  /** The name by which people mention the bot, without `@`. */
  userName: string | null;
  /** The workspace of the account, if the platform has workspaces. */
  team: string | null;
}

/** A channel as its adapter sees it. `config` holds secrets in plain text: it must never reach a log, an error or a response. */
export interface ChannelAccount {
  channelId: string;
  /** Conforms to the platform's `fields`. */
  config: Readonly<Record<string, unknown>>;
  profile: AccountProfile;
  /**
   * Digests (`digest` of common) of the secrets that a webhook request may carry: the confirmed one, and a new one that awaits
   * confirmation.
   */
  webhookSecrets: readonly string[];
}

/** A request at the receiver, before anything is proven. */
export interface WebhookRequest {
  /** In lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The exact bytes, after content decoding. */
  rawBody: Buffer;
  receivedAtMs: number;
}

/** Which channels a request could be for; the proof decides. `none` is a request whose headers show that it carries no proof. */
export type WebhookClaim =
  | { by: 'secret'; digest: string }
  | { by: 'identity'; identities: readonly string[] }
  | { by: 'type' }
  | { by: 'none' };

/** The result of a registration: done by the platform, or left to a person in the platform's console. */
export interface RegistrationResult {
  status: 'registered' | 'manual';
  /** What to paste where, for people. They may name secrets of the caller's own config, but show none. */
  instructions: readonly string[];
}

/** Why a platform did not do what was asked; `message` has the platform's words, without secrets. */
export class PlatformError extends OutsideError {
  constructor(
    message: string,
    /** False if it is not known whether the platform did it. */
    readonly isCertain: boolean,
    /** Milliseconds to wait before the next call, if the platform said so. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
    this.name = 'PlatformError';
  }
}

/**
 * The port to a messaging platform. An adapter translates and calls; it has no state, no database and no routing rules.
 * No text that leaves it (errors, reasons, logs) contains a secret of the account.
 */
export abstract class ChannelAdapter {
  /** The longest message text, in UTF-16 units, before formatting. */
  abstract readonly maxTextLength: number;

  /** The longest text of a question with buttons, in UTF-16 units, before formatting. Longer text is cut, with an ellipsis. */
  abstract readonly maxQuestionLength: number;

  /** The most buttons under one question, at least 3. */
  abstract readonly maxButtons: number;

  /** Milliseconds between two messages to one chat that the platform allows in the long run. */
  abstract readonly sendIntervalMs: number;

  /** Messages a second from one account that the platform allows in the long run. */
  abstract readonly sendsPerSecond: number;

  /** Milliseconds after which to call `showTyping` again; 0 if the platform has no indicator. */
  abstract readonly typingIntervalMs: number;

  /** What only one channel may own: the bot, the phone number. Not secret: a secret is included as its digest. */
  abstract identityOf(config: Readonly<Record<string, unknown>>): string;

  /** How to find the channel of a request. Parses nothing, and never throws. */
  abstract claimOf(request: WebhookRequest): WebhookClaim;

  /** Whether the request proves that it comes from the platform, for this account. Compares in constant time; never throws. */
  abstract isProven(request: WebhookRequest, account: ChannelAccount): boolean;

  /** Whether the platform would send such a request; otherwise it is refused, even if signed. Called only for proven requests. */
  isReadable(_request: WebhookRequest): boolean {
    return true;
  }

  /**
   * The content of a request for an account that it is proven for, in order. Leaves out other accounts' updates. Never throws: an unknown
   * update becomes `ignored`, or is left out.
   */
  abstract parse(request: WebhookRequest, account: ChannelAccount): ParsedWebhook;

  /** Whether a GET request is the platform's verification of the receiver, with any token. */
  isHandshake(_query: Readonly<Record<string, unknown>>): boolean {
    return false;
  }

  /** The response to the platform's verification of the receiver; null if the token is wrong or it is no such request. */
  handshake(_query: Readonly<Record<string, unknown>>, _account: ChannelAccount): string | null {
    return null;
  }

  /** @throws PlatformError */
  abstract fetchProfile(account: ChannelAccount, signal: AbortSignal): Promise<AccountProfile>;

  /**
   * Tells the platform the receiver's address.
   * @param secret the new secret for the platform to send along, where it does that
   * @throws PlatformError if it refused
   */
  abstract registerWebhook(
    account: ChannelAccount,
    url: string,
    secret: string,
    signal: AbortSignal,
  ): Promise<RegistrationResult>;

  /** Sends or edits one message; a file only after `upload`. Never throws: the outcome says what happened. */
  abstract send(account: ChannelAccount, message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome>;

  /**
   * Uploads a file's bytes, if the platform wants them before the message that shows them. May be repeated. Never throws.
   * @returns the platform's id for them, null if they go with the message; or why the upload failed, never `sent`
   */
  upload(_account: ChannelAccount, _file: OutboundFile, _signal: AbortSignal): Promise<UploadOutcome> {
    return Promise.resolve({ kind: 'uploaded', uploadId: null });
  }

  /** Milliseconds after which the platform no longer serves a message's files. */
  readonly filesLastMs: number = Infinity;

  /**
   * The bytes of an attachment, by its id, each time through a new link. Aborting `signal` ends them.
   * @throws FileUnavailable if there are none; PlatformError
   */
  abstract openFile(account: ChannelAccount, fileId: string, signal: AbortSignal): Promise<OpenedFile>;

  /** Shows the typing indicator. Swallows failures: they have no consequence. */
  abstract showTyping(
    account: ChannelAccount,
    chat: ChatAddress,
    lastMessageId: string,
    signal: AbortSignal,
  ): Promise<void>;

  /** Tells the person who pressed a button that the press was noticed. Swallows failures: the press may be too old. */
  abstract answerPress(account: ChannelAccount, pressId: string, text: string, signal: AbortSignal): Promise<void>;
}

/** How to treat a request without proof: store it as if proven, only show it in the message log, or refuse it. */
export type UnsignedPolicy = 'trust' | 'show' | 'refuse';

/** For adapters whose channels have no secret to prove anything with until their webhook is set up. */
export interface UnsignedAdapter {
  unsignedPolicy(account: ChannelAccount): UnsignedPolicy;
}

export function mayBeUnsigned(adapter: ChannelAdapter): adapter is ChannelAdapter & UnsignedAdapter {
  return 'unsignedPolicy' in adapter;
}

/** For adapters whose platform sends only the id of a message that is replied to, but can look it up. */
export interface FindingAdapter {
  /** Null if there is no such message. @throws PlatformError */
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

/** For adapters whose platform can be polled for updates, so that no public address is needed. */
export interface PollingAdapter {
  /** Whether a channel with this config is polled; otherwise the platform calls its webhook. */
  isPolled(config: Readonly<Record<string, unknown>>): boolean;

  /**
   * Waits up to `waitSeconds` for updates after `offset`.
   * @param offset as the last response gave it; null the first time
   * @throws PlatformError
   */
  poll(
    account: ChannelAccount,
    offset: string | null,
    waitSeconds: number,
    signal: AbortSignal,
  ): Promise<{ updates: readonly InboundUpdate[]; nextOffset: string | null }>;

  /** Removes the webhook, which excludes polling. @throws PlatformError */
  stopWebhook(account: ChannelAccount, signal: AbortSignal): Promise<void>;
}

export function canPoll(adapter: ChannelAdapter): adapter is ChannelAdapter & PollingAdapter {
  return 'poll' in adapter;
}

/** Whether this server polls the platform for a channel with this config. */
export function isPolled(adapter: ChannelAdapter, config: Readonly<Record<string, unknown>>): boolean {
  return canPoll(adapter) && adapter.isPolled(config);
}
