import { createHmac } from 'node:crypto';
import type { SentFile, SentForm } from './form-data.js';
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

export interface WhatsappMessage {
  id: string;
  /** Phone number, user id, or group. */
  to: string;
  isGroup: boolean;
  text: string;
  buttons: { id: string; title: string }[];
  /** What came with it; absent for a text. */
  file?: SentFile & { method: string };
}

export interface WhatsappNumber {
  phoneNumberId: string;
  displayNumber: string;
  accessToken: string;
  appSecret: string;
}

const NUMBER: WhatsappNumber = {
  phoneNumberId: '106540352242922',
  displayNumber: '15550783881',
  accessToken: 'EAAG-access-token-of-the-fake',
  appSecret: 'fake-app-secret-0123456789abcdef',
};

/** The Cloud API for one number: free-form messages only to people who wrote, limits enforced, batches signed over their bytes. */
export class WhatsappFake {
  readonly messages: WhatsappMessage[] = [];
  /** What was handed over, by its id. */
  readonly media = new Map<string, SentFile>();
  /** People and groups whose window of 24 hours is open. */
  readonly open = new Set<string>();
  /** Message ids that were marked as read, with a typing indicator. */
  readonly typing: string[] = [];
  readonly subscribed: string[] = [];
  receiverUrl: string | null = null;
  /** Milliseconds between two tries of a delivery. */
  retryMs = 50;
  private readonly server = new PlatformServer((request) => this.handle(request));
  private nextId = 1;
  private isClosed = false;

  constructor(readonly number: WhatsappNumber = NUMBER) {}

  static async start(port = 0, number?: WhatsappNumber): Promise<WhatsappFake> {
    const fake = new WhatsappFake(number);
    await fake.server.listen(port);
    return fake;
  }

  get url(): string {
    return this.server.url;
  }

  /** What a channel of its number is made with. */
  get config() {
    const { phoneNumberId, accessToken, appSecret } = this.number;
    return { phone_number_id: phoneNumberId, access_token: accessToken, app_secret: appSecret, verify_token: 'v' };
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

  failNext(path: string, mishap: Mishap): void {
    this.server.failNext(new RegExp(path), mishap);
  }

  static error(status: number, code: number, details: string): PlatformReply {
    const data = { messaging_product: 'whatsapp', details };
    const error = {
      message: `(#${code}) ${details}`,
      type: 'OAuthException',
      code,
      error_data: data,
      fbtrace_id: 'A1',
    };
    return { status, body: { error } };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.server.close();
  }

  /** A text as one `messages[]` element, for `batch`. */
  textFrom(from: string, body: string, more: Values = {}): Values {
    this.open.add(from);
    const timestamp = String(Math.floor(Date.now() / 1000));
    return { from, id: this.messageId(), timestamp, type: 'text', text: { body }, ...more };
  }

  /** A press on the button of that title, as one `messages[]` element. */
  pressFrom(from: string, messageId: string, title: string): Values {
    const button = this.messages.find(({ id }) => id === messageId)?.buttons.find((one) => one.title === title);
    if (!button) throw new Error(`There is no button ${title} under message ${messageId}.`);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const interactive = { type: 'button_reply', button_reply: button };
    const context = { from: this.number.displayNumber, id: messageId };
    return { from, id: this.messageId(), timestamp, type: 'interactive', context, interactive };
  }

  /** A batch with these messages and statuses for this number, as Meta writes it: slashes and beyond ASCII escaped. */
  batch(messages: readonly Values[], statuses: readonly Values[] = []): string {
    const metadata = { display_phone_number: this.number.displayNumber, phone_number_id: this.number.phoneNumberId };
    const senders = [...new Set(messages.map(({ from }) => from))];
    const contacts = senders.map((from) => ({ profile: { name: `User ${String(from)}` }, wa_id: from }));
    const value = { messaging_product: 'whatsapp', metadata, contacts, messages, statuses };
    const entry = [{ id: '102290129340398', changes: [{ value, field: 'messages' }] }];
    return escaped(JSON.stringify({ object: 'whatsapp_business_account', entry }));
  }

  signature(body: string): string {
    return `sha256=${createHmac('sha256', this.number.appSecret).update(body).digest('hex')}`;
  }

  /** Delivers until a 2xx, `copies` times. Answers the last answer of the receiver. */
  async deliver(body: string, copies = 1): Promise<Delivery> {
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': this.signature(body) };
    let answer: Delivery = { status: 0, body: '' };
    for (let delivered = 0; delivered < copies && !this.isClosed;) {
      if (this.receiverUrl === null) throw new Error('The fake was not told where the receiver is.');
      answer = await deliver(this.receiverUrl, headers, body);
      if (answer.status >= 200 && answer.status < 300) delivered += 1;
      else await pause(this.retryMs);
    }
    return answer;
  }

  private messageId(): string {
    return `wamid.HBgLMTY1MDM4Nzk0MzkVAgAR${String(this.nextId++).padStart(12, '0')}AA==`;
  }

  private handle({ method, path, headers, body, form }: PlatformRequest): PlatformReply {
    if (headers.authorization !== `Bearer ${this.number.accessToken}`) {
      return WhatsappFake.error(401, 190, 'Invalid OAuth access token - Cannot parse access token');
    }
    const { phoneNumberId, displayNumber } = this.number;
    if (method === 'POST' && path === `/${phoneNumberId}/messages`) return this.postMessage(body);
    if (method === 'POST' && path === `/${phoneNumberId}/media`) return this.postMedia(form);
    if (method === 'POST' && /^\/\d+\/subscribed_apps$/.test(path)) {
      this.subscribed.push(path.split('/')[1]!);
      return { status: 200, body: { success: true } };
    }
    if (method === 'GET' && path.startsWith(`/${phoneNumberId}?`)) {
      const verified = { display_phone_number: `+${displayNumber}`, verified_name: 'Waystation', id: phoneNumberId };
      return { status: 200, body: verified };
    }
    return WhatsappFake.error(404, 100, 'Unsupported request');
  }

  private fileOf(body: Values): Pick<WhatsappMessage, 'file'> {
    const method = String(body.type);
    const { id, filename } = (body[method] ?? {}) as { id?: string; filename?: string };
    const file = MEDIA_KINDS.includes(method) ? this.media.get(String(id)) : undefined;
    return file ? { file: { ...file, name: filename ?? file.name, method } } : {};
  }

  private mediaFault(body: Values): string | null {
    const media = body[String(body.type)] as { id?: string; caption?: string; filename?: string };
    if (!this.media.has(String(media.id))) return 'unknown media id';
    if (body.type === 'audio' && media.caption !== undefined) return 'audio has no caption';
    if (body.type !== 'document' && media.filename !== undefined) return 'filename is for documents';
    return (media.caption ?? '').length > 1024 ? 'caption is longer than 1024' : null;
  }

  private postMedia(form: SentForm | null): PlatformReply {
    const file = form?.files.file;
    if (!file || form.fields.messaging_product !== 'whatsapp') return WhatsappFake.error(400, 100, 'file is required');
    if (form.fields.type !== file.mediaType || !MEDIA_TYPES.test(file.mediaType)) {
      return WhatsappFake.error(400, 100, 'Param file must be a file with one of the following types');
    }
    const id = String(1_000_000 + this.media.size);
    this.media.set(id, file);
    return { status: 200, body: { id } };
  }

  private postMessage(body: Values): PlatformReply {
    if (body.messaging_product !== 'whatsapp') return WhatsappFake.error(400, 100, 'messaging_product is required');
    if (body.status === 'read') {
      if (body.typing_indicator) this.typing.push(String(body.message_id));
      return { status: 200, body: { success: true } };
    }
    const to = body.to ?? body.recipient;
    if (typeof to !== 'string') return WhatsappFake.error(400, 100, 'to is required');
    if (body.to !== undefined && body.recipient_type === 'individual' && !/^\d+$/.test(to)) {
      return WhatsappFake.error(400, 100, 'Invalid parameter: to');
    }
    const fault = MEDIA_KINDS.includes(String(body.type)) ? this.mediaFault(body) : contentFault(body);
    if (fault !== null) return WhatsappFake.error(400, 131009, fault);
    if (!this.open.has(to)) return WhatsappFake.error(400, 131047, 'More than 24 hours have passed');
    const isGroup = body.recipient_type === 'group';
    const message = { id: this.messageId(), to, isGroup, ...shownOf(body), ...this.fileOf(body) };
    this.messages.push(message);
    return {
      status: 200,
      body: { messaging_product: 'whatsapp', contacts: [{ input: to }], messages: [{ id: message.id }] },
    };
  }
}

const MEDIA_KINDS = ['image', 'audio', 'video', 'document'];
/** Of uploads, by the reference of media. */
const MEDIA_TYPES =
  /^(audio\/(aac|amr|mpeg|mp4|ogg)|image\/(jpeg|png|webp)|video\/(mp4|3gpp)|text\/plain|application\/(pdf|msword|vnd\.[\w.-]+))$/;

function shownOf(body: Values): { text: string; buttons: { id: string; title: string }[] } {
  const { text, interactive } = body as {
    text?: { body: string };
    interactive?: { body: { text: string }; action: { buttons: { reply: { id: string; title: string } }[] } };
  };
  const media = body[String(body.type)] as { caption?: string } | undefined;
  if (MEDIA_KINDS.includes(String(body.type))) return { text: media?.caption ?? '', buttons: [] };
  const buttons = interactive?.action.buttons.map(({ reply }) => reply) ?? [];
  return { text: text?.body ?? interactive?.body.text ?? '', buttons };
}

function contentFault(body: Values): string | null {
  const { text, buttons } = shownOf(body);
  if (text.trim() === '') return 'body is required';
  if (body.type === 'text') return text.length > 4096 ? 'text is longer than 4096' : null;
  if (text.length > 1024) return 'interactive body is longer than 1024';
  const titles = new Set(buttons.map(({ title }) => title));
  if (buttons.length < 1 || buttons.length > 3 || titles.size < buttons.length)
    return 'Invalid buttons count or titles';
  const areFine = buttons.every(({ id, title }) => title !== '' && title.length <= 20 && id !== '' && id.length <= 256);
  return areFine ? null : 'Button title length invalid. Min length: 1, Max length: 20';
}

function escaped(json: string): string {
  const ascii = json.replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return ascii.replaceAll('/', '\\/');
}
