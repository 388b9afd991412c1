import { idIn, objectsIn, textIn } from '../../../../common/json-fields.js';
import {
  ChannelAdapter,
  type AccountProfile,
  type ChannelAccount,
  type FindingAdapter,
  type RegistrationResult,
  type WebhookRequest,
  type WebhookClaim,
} from '../channel-adapter.js';
import type { ParsedWebhook, RepliedMessage } from '../inbound-update.js';
import type { ChatAddress, OutboundFile, OutboundMessage, SendOutcome, UploadOutcome } from '../outbound-message.js';
import type { Platform } from '../platform.js';
import type { PlatformCalls } from '../platform-calls.js';
import { outcomeOfFailure, uploadFailure } from '../platform-failure.js';
import type { OpenedFile } from '../platform-file.js';
import { quotedOf } from './slack.event.js';
import { readBody, parseRequest } from './slack.parse.js';
import {
  bodyOf,
  fileBodyOf,
  MAX_QUESTION_LENGTH,
  MAX_TEXT_LENGTH,
  methodOf,
  outcomeOf,
  outcomeOfFile,
  SlackCalls,
} from './slack.calls.js';
import { SLACK_FAULTS, identityOf, pressOf, SLACK_FIELDS } from './slack.config.js';
import { createHmac } from 'node:crypto';
import { isSameSecret } from '../../../../common/constant-time.js';

/** Slack's Events API and Web API. */
export class SlackAdapter extends ChannelAdapter implements FindingAdapter {
  readonly maxTextLength = MAX_TEXT_LENGTH;
  readonly maxQuestionLength = MAX_QUESTION_LENGTH;
  /**
   * An actions block allows 25 (https://docs.slack.dev/reference/block-kit/blocks/actions-block); more than five wrap into several lines.
   */
  readonly maxButtons = 5;
  /** "No more than one message per second per channel" (docs.slack.dev/apis/web-api/rate-limits). */
  readonly sendIntervalMs = 1000;
  /** Slack documents a rate only per channel. */
  readonly sendsPerSecond = 30;
  /** A thread's status shows for 2 minutes. */
  readonly typingIntervalMs = 60_000;
  readonly identityOf = identityOf;
  readonly claimOf = claimOf;
  readonly isProven = isProven;
  private readonly api: SlackCalls;

  constructor(calls: PlatformCalls, baseUrl: string) {
    super();
    this.api = new SlackCalls(calls, baseUrl);
  }

  override isReadable(request: WebhookRequest): boolean {
    return readBody(request).kind !== 'none';
  }

  parse(request: WebhookRequest, { profile }: ChannelAccount): ParsedWebhook {
    return parseRequest(request, profile);
  }

  async fetchProfile(account: ChannelAccount, signal: AbortSignal): Promise<AccountProfile> {
    const me = await this.api.result(account, 'auth.test', {}, signal);
    return { userId: idIn(me, 'user_id'), userName: textIn(me, 'user'), team: idIn(me, 'team_id') };
  }

  async registerWebhook(_account: ChannelAccount, url: string): Promise<RegistrationResult> {
    return {
      status: 'manual',
      instructions: [
        'Open https://api.slack.com/apps, your app.',
        `Event Subscriptions, Request URL: ${url}`,
        'Subscribe to the bot events app_mention and message.im, and save.',
        `Interactivity & Shortcuts, Request URL: ${url}`,
        'OAuth & Permissions, bot token scopes: chat:write, app_mentions:read, im:history, channels:history for what a thread begins with, files:read for attachments, and files:write for the files of agents. Install the app again.',
      ],
    };
  }

  async send(account: ChannelAccount, message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    try {
      if (message.kind === 'file') return await this.show(account, message, signal);
      return outcomeOf(await this.api.call(account, methodOf(message), bodyOf(message), signal));
    } catch (error) {
      return outcomeOfFailure(error);
    }
  }

  override upload(account: ChannelAccount, file: OutboundFile, signal: AbortSignal): Promise<UploadOutcome> {
    return this.api.upload(account, file, signal).catch(uploadFailure);
  }

  private async show(account: ChannelAccount, file: OutboundFile, signal: AbortSignal): Promise<SendOutcome> {
    return outcomeOfFile(await this.api.call(account, 'files.completeUploadExternal', fileBodyOf(file), signal));
  }

  /**
   * The parent of a thread. Needs the scope for the kind of channel, such as `channels:history`
   * (https://docs.slack.dev/reference/methods/conversations.replies, read 2026-11-26).
   */
  async findMessage(
    account: ChannelAccount,
    chatId: string,
    messageId: string,
    signal: AbortSignal,
  ): Promise<RepliedMessage | null> {
    const query = { channel: chatId, ts: messageId, limit: '1' };
    const body = await this.api.read(account, 'conversations.replies', query, signal);
    const found = objectsIn(body, 'messages').find((message) => idIn(message, 'ts') === messageId);
    return found ? quotedOf(found, account.profile.userId) : null;
  }

  openFile(account: ChannelAccount, fileId: string, signal: AbortSignal): Promise<OpenedFile> {
    return this.api.openFile(account, fileId, signal);
  }

  /** Only threads have a status, and only those of assistants show it. */
  async showTyping(
    account: ChannelAccount,
    { chatId, topic }: ChatAddress,
    _lastMessageId: string,
    signal: AbortSignal,
  ): Promise<void> {
    if (topic === null) return;
    const body = { channel_id: chatId, thread_ts: topic, status: 'is writing ...' };
    await this.api.call(account, 'assistant.threads.setStatus', body, signal).catch(() => null);
  }

  /** A message that only the person sees. */
  async answerPress(account: ChannelAccount, pressId: string, text: string, signal: AbortSignal): Promise<void> {
    if (text === '') return;
    const { channel, user, threadTs } = pressOf(pressId);
    const body = { channel, user, text, ...(threadTs === null ? {} : { thread_ts: threadTs }) };
    await this.api.call(account, 'chat.postEphemeral', body, signal).catch(() => null);
  }
}

export const SLACK: Platform = {
  title: 'Slack',
  apiUrl: 'https://slack.com/api',
  preparation: [
    'Create an app at api.slack.com/apps.',
    'Under OAuth & Permissions, add the bot scopes chat:write, app_mentions:read and im:history, assistant:write to show that the agent is working, channels:history for what a thread begins with, files:read for files that people send, and files:write for those of agents.',
    'Install the app in your workspace and copy the bot user OAuth token.',
    'Copy the signing secret from Basic Information.',
  ],
  fields: SLACK_FIELDS,
  faults: SLACK_FAULTS,
  connect: (calls, apiUrl) => new SlackAdapter(calls, apiUrl),
};

const SIGNATURE = /^v0=[0-9a-f]{64}$/;

/** Seconds in both directions: a clock that is ahead would let a request be replayed later. */
const MAX_AGE_SECONDS = 300;

/** Slack's requests name a workspace, but apps and tokens only by ids that no config holds, so the signature decides. */
export function claimOf(request: WebhookRequest): WebhookClaim {
  return { by: proofOf(request) === null ? 'none' : 'type' };
}

export function isProven(request: WebhookRequest, { config }: ChannelAccount): boolean {
  const proof = proofOf(request);
  if (proof === null || Math.abs(request.receivedAtMs / 1000 - Number(proof.timestamp)) > MAX_AGE_SECONDS) return false;
  const hmac = createHmac('sha256', String(config.signing_secret));
  const expected = hmac.update(`v0:${proof.timestamp}:`).update(request.rawBody).digest('hex');
  return isSameSecret(proof.signature, `v0=${expected}`);
}

function proofOf({ headers }: WebhookRequest): { signature: string; timestamp: string } | null {
  const signature = headers['x-slack-signature'];
  const timestamp = headers['x-slack-request-timestamp'];
  if (signature === undefined || !SIGNATURE.test(signature)) return null;
  return timestamp !== undefined && /^\d{1,12}$/.test(timestamp) ? { signature, timestamp } : null;
}
