import { createHmac } from 'node:crypto';
import type { SentFile } from './form-data.js';
import { setTimeout as pause } from 'node:timers/promises';
import {
  deliver,
  PlatformServer,
  type Delivery,
  type Mishap,
  type PlatformReply,
  type PlatformRequest,
} from './platform-server.js';

type Values = Record<string, unknown>;

export interface SlackMessage {
  channel: string;
  ts: string;
  threadTs: string | null;
  text: string;
  buttons: { text: string; value: string }[];
  /** What came with it; absent for a text. */
  file?: SentFile & { method: string };
}

export interface SlackApp {
  team: string;
  botUser: string;
  botToken: string;
  signingSecret: string;
}

const APP: SlackApp = {
  team: 'T0FAKETEAM',
  botUser: 'U0FAKEBOT1',
  botToken: 'xoxb-fake-bot-token-000',
  signingSecret: 'fake-signing-secret-8f742231b10e8888abcd99',
};

/** Slack for one app in one workspace: known channels only, limits of blocks, signed requests with their retries. */
export class SlackFake {
  readonly messages: SlackMessage[] = [];
  /** Addresses for bytes, by the id of the file. */
  readonly uploads = new Map<string, { length: number; bytes: Buffer | null }>();
  readonly ephemeral: { channel: string; user: string; text: string }[] = [];
  readonly statuses: { channel: string; threadTs: string }[] = [];
  readonly channels = new Set(['C0GENERAL', 'D0DIRECT01']);
  /** Messages that can be read, by channel and `ts`. */
  readonly history = new Map<string, Values>();
  receiverUrl: string | null = null;
  /** Milliseconds between the tries of a delivery; Slack waits none, a minute, five. */
  retryMs = [0, 50, 50];
  private readonly server = new PlatformServer((request) => this.handle(request));
  private nextTs = 1;

  constructor(readonly app: SlackApp = APP) {}

  static async start(port = 0, app?: SlackApp): Promise<SlackFake> {
    const fake = new SlackFake(app);
    await fake.server.listen(port);
    return fake;
  }

  get url(): string {
    return this.server.url;
  }

  get requests(): readonly PlatformRequest[] {
    return this.server.requests;
  }

  /** As if its process were killed. @returns brings it back */
  die(): Promise<() => Promise<void>> {
    return this.server.die();
  }

  /** @param pauseMs milliseconds before each part of its work */
  slowDown(pauseMs: () => number): void {
    this.server.pauseMs = pauseMs;
  }

  failNext(method: string, mishap: Mishap): void {
    this.server.failNext(new RegExp(`^/${method}(\\?|$)`), mishap);
  }

  async close(): Promise<void> {
    await this.server.close();
  }

  /** An event callback, for `deliver`. Each has an event id of its own, also where the event is the same. */
  callback(event: Values): string {
    const { team, botUser } = this.app;
    const authorizations = [{ enterprise_id: null, team_id: team, user_id: botUser, is_bot: true }];
    const envelope = { token: 'deprecated', team_id: team, api_app_id: 'A0FAKEAPP', type: 'event_callback' };
    const [eventId, eventTime] = [`Ev${String(this.nextTs).padStart(9, '0')}`, Math.floor(Date.now() / 1000)];
    return JSON.stringify({ ...envelope, event_id: eventId, event_time: eventTime, authorizations, event });
  }

  /** A message as an event; in the direct channel unless `more` says otherwise. */
  message(user: string, text: string, more: Values = {}): Values {
    const ts = this.ts();
    const place = { channel: 'D0DIRECT01', channel_type: 'im' };
    return { type: 'message', user, text, ts, event_ts: ts, team: this.app.team, ...place, ...more };
  }

  /** The form of a press on the button of that text. */
  pressForm(user: string, ts: string, text: string): string {
    const message = this.messages.find((candidate) => candidate.ts === ts);
    const button = message?.buttons.find((candidate) => candidate.text === text);
    if (!message || !button) throw new Error(`There is no button ${text} under message ${ts}.`);
    const container = { type: 'message', message_ts: ts, channel_id: message.channel, is_ephemeral: false };
    const action = { type: 'button', action_id: 'button_0', value: button.value, action_ts: this.ts() };
    const payload = {
      type: 'block_actions',
      user: { id: user, username: user.toLowerCase(), team_id: this.app.team },
      team: { id: this.app.team, domain: 'fake' },
      channel: { id: message.channel, name: 'directmessage' },
      container,
      message: { ts, ...(message.threadTs === null ? {} : { thread_ts: message.threadTs }) },
      trigger_id: `${this.nextTs}.trigger`,
      actions: [action],
    };
    return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  }

  headersFor(body: string, timestamp = Math.floor(Date.now() / 1000)): Record<string, string> {
    const hmac = createHmac('sha256', this.app.signingSecret).update(`v0:${timestamp}:${body}`);
    return {
      'content-type': body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': `v0=${hmac.digest('hex')}`,
    };
  }

  /** Delivers with up to three retries, which say that they are some. Answers the last answer of the receiver. */
  async deliver(body: string): Promise<Delivery> {
    let answer = await this.tryToDeliver(body, {});
    for (const [i, ms] of this.retryMs.entries()) {
      if (answer.status >= 200 && answer.status < 300) break;
      await pause(ms);
      const reason = answer.status === 0 ? 'http_timeout' : 'http_error';
      answer = await this.tryToDeliver(body, { 'x-slack-retry-num': String(i + 1), 'x-slack-retry-reason': reason });
    }
    return answer;
  }

  private async tryToDeliver(body: string, retry: Record<string, string>): Promise<Delivery> {
    if (this.receiverUrl === null) throw new Error('The fake was not told where the receiver is.');
    // 3 seconds, as Slack gives.
    return deliver(this.receiverUrl, { ...this.headersFor(body), ...retry }, body, 3_000);
  }

  private ts(): string {
    return `${Math.floor(Date.now() / 1000)}.${String(this.nextTs++).padStart(6, '0')}`;
  }

  private handle(request: PlatformRequest): PlatformReply {
    const { method, path, headers, body } = request;
    if (path.startsWith('/upload/')) return this.take(request);
    if (headers.authorization !== `Bearer ${this.app.botToken}`) return refused('invalid_auth');
    if (path === '/auth.test') {
      const { team, botUser } = this.app;
      return ok({ url: 'https://fake.slack.com/', team: 'Fake', user: 'waystation', team_id: team, user_id: botUser });
    }
    if (method === 'GET') return this.read(new URL(path, 'http://fake'));
    const channel = String(body.channel ?? body.channel_id);
    if (!this.channels.has(channel)) return refused('channel_not_found');
    if (path === '/files.completeUploadExternal') return this.share(channel, body);
    if (path === '/chat.postMessage') return this.post(channel, body);
    if (path === '/chat.update') return this.update(channel, body);
    if (path === '/chat.postEphemeral') {
      this.ephemeral.push({ channel, user: String(body.user), text: String(body.text) });
      return ok({ message_ts: this.ts() });
    }
    if (path !== '/assistant.threads.setStatus') return refused('unknown_method');
    this.statuses.push({ channel, threadTs: String(body.thread_ts) });
    return ok({});
  }

  /** The bytes of a file, at the address that was given for it; with a token they are refused. */
  private take({ path, headers, bytes }: PlatformRequest): PlatformReply {
    const place = this.uploads.get(path.split('/').at(-1)!);
    if (!place || headers.authorization !== undefined) return { status: 403, body: 'no' };
    if (bytes.length !== place.length) return { status: 400, body: 'length' };
    place.bytes = bytes;
    return { status: 200, body: `OK - ${bytes.length}` };
  }

  private share(channel: string, { files, thread_ts, initial_comment: text = '' }: Values): PlatformReply {
    const [{ id = '', title = '' } = {}] = files as { id?: string; title?: string }[];
    const place = this.uploads.get(id);
    if (!place?.bytes) return refused('file_not_found');
    const file = { name: title, mediaType: '', bytes: place.bytes, method: 'share' };
    const threadTs = thread_ts === undefined ? null : String(thread_ts);
    this.messages.push({ channel, ts: this.ts(), threadTs, text: String(text), buttons: [], file });
    return ok({ files: [{ id, title }] });
  }

  private read({ pathname, searchParams: query }: URL): PlatformReply {
    if (pathname === '/files.getUploadURLExternal') {
      const length = Number(query.get('length'));
      if (!query.get('filename') || !(length > 0)) return refused('missing_argument');
      const id = `F${String(this.uploads.size).padStart(9, '0')}`;
      this.uploads.set(id, { length, bytes: null });
      return ok({ upload_url: `${this.url}/upload/v1/${id}`, file_id: id });
    }
    if (pathname !== '/conversations.replies') return refused('unknown_method');
    const found = this.history.get(`${query.get('channel')}/${query.get('ts')}`);
    return found ? ok({ messages: [found], has_more: false }) : refused('thread_not_found');
  }

  private post(channel: string, body: Values): PlatformReply {
    const fault = contentFault(body);
    if (fault !== null) return refused(fault);
    const threadTs = body.thread_ts === undefined ? null : String(body.thread_ts);
    const message = { channel, ts: this.ts(), threadTs, text: String(body.text), buttons: buttonsOf(body) };
    this.messages.push(message);
    return ok({ channel, ts: message.ts, message: { text: message.text } });
  }

  private update(channel: string, body: Values): PlatformReply {
    const message = this.messages.find((one) => one.channel === channel && one.ts === body.ts);
    if (!message) return refused('message_not_found');
    const fault = Buffer.byteLength(String(body.text)) > 4_000 ? 'msg_too_long' : contentFault(body);
    if (fault !== null) return refused(fault);
    // With blocks, the text is only for notifications.
    const sections = ((body.blocks ?? []) as Block[]).flatMap(({ text }) => text?.text ?? []);
    message.text = sections.length > 0 ? sections.join('') : String(body.text);
    // Blocks stay unless new ones, or none, are given.
    if (body.blocks !== undefined) message.buttons = buttonsOf(body);
    return ok({ channel, ts: message.ts, text: message.text });
  }
}

function ok(body: Values): PlatformReply {
  return { status: 200, body: { ok: true, ...body } };
}

function refused(error: string): PlatformReply {
  return { status: 200, body: { ok: false, error } };
}

interface Block {
  type: string;
  text?: { text: string };
  elements?: { text: { text: string }; value: string }[];
}

function buttonsOf({ blocks = [] }: Values): { text: string; value: string }[] {
  return (blocks as Block[]).flatMap(({ elements = [] }) =>
    elements.map(({ text, value }) => ({ text: text.text, value })),
  );
}

function contentFault(body: Values): string | null {
  const text = String(body.text ?? '');
  if (text.trim() === '') return 'no_text';
  if (text.length > 40_000) return 'msg_too_long';
  const blocks = (body.blocks ?? []) as Block[];
  const areSectionsFine = blocks.every((block) => (block.text?.text.length ?? 1) <= 3_000 && block.text?.text !== '');
  const areButtonsFine = buttonsOf(body).every((button) => button.text.length <= 75 && button.value.length <= 2_000);
  return blocks.length <= 50 && areSectionsFine && areButtonsFine ? null : 'invalid_blocks';
}
