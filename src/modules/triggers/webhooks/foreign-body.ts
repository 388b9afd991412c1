import { createHash } from 'node:crypto';
import { decodeUtf8, parseJsonBody, textStart } from '../../../http/body/json-body.js';
import { invalidField } from '../../../common/domain-error.js';
import { startDigestOf, type StartBody } from '../../../common/contract/start-body.js';
import type { WebhookTrigger } from '../definition/definition.js';
import { fill, type Delivery, type Template } from '../definition/template.js';
import { refusingCondition, type Condition } from '../definition/webhook-filter.js';
import { readStartBody } from './start-body.js';

const FORM = 'application/x-www-form-urlencoded';
const MAX_KEY = 255;
const MAX_ID = 512;
/** Bytes of headers that a program gets. */
const MAX_HEADERS = 8 * 1024;
/** Names of headers with proof, of any service. */
const SECRET =
  /authorization|cookie|token|secret|signature|hmac|password|jwt|assertion|credential|(api|access|auth|functions|private)-?key/;

/** A request to a webhook whose sender has proven itself. */
export interface WebhookRequest {
  /** One value each, names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface WebhookStart extends StartBody {
  /** The service's id of the delivery; null for none. */
  readonly deliveryId: string | null;
  /** Distinguishes the request from others, whatever its headers. */
  readonly requestDigest: string;
}

export type WebhookRefusal =
  | { readonly status: 'ignored'; readonly reason: 'filter' | 'ping' | 'empty_message' }
  /** Slack checks whether its signed requests arrive. */
  | { readonly challenge: string };

/** What the definition file makes of a request. */
export interface WebhookReading {
  /** The condition that stops it; null if none does. */
  readonly refusedBy: Condition | null;
  readonly start: WebhookStart;
}

export function isForm(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === FORM;
}

/**
 * What a request to a webhook starts, or why it starts nothing.
 * @throws DomainError `invalid` for an unreadable body
 */
export function readWebhook(trigger: WebhookTrigger, request: WebhookRequest): WebhookStart | WebhookRefusal {
  const delivery = deliveryOf(request);
  const handshake = handshakeOf(trigger, delivery);
  if (handshake !== null) return handshake;
  if (refusingCondition(trigger.filter, delivery) !== null) return { status: 'ignored', reason: 'filter' };
  const start = startOf(trigger, request, delivery);
  return start.message.trim() === '' ? { status: 'ignored', reason: 'empty_message' } : start;
}

/** The same without services' special requests, for the file's author. @throws DomainError `invalid` */
export function previewWebhook(trigger: WebhookTrigger, request: WebhookRequest): WebhookReading {
  const delivery = deliveryOf(request);
  return { refusedBy: refusingCondition(trigger.filter, delivery), start: startOf(trigger, request, delivery) };
}

function deliveryOf({ headers, body }: WebhookRequest): Delivery {
  return {
    payload: isForm(headers.get('content-type')) ? formJson(body) : jsonOf(body),
    header: (name) => headers.get(name),
  };
}

function jsonOf(body: Buffer): Buffer {
  if (parseJsonBody(body) === undefined) throw invalidField('body', 'must be JSON');
  return body.subarray(textStart(body));
}

/** A form with only `payload` is the JSON in it; any other becomes an object of texts. */
function formJson(body: Buffer): Buffer {
  const fields = new Map(new URLSearchParams(decodeUtf8(body)));
  const payload = fields.get('payload');
  if (payload !== undefined && fields.size === 1) return jsonOf(Buffer.from(payload));
  const members = [...fields].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return Buffer.from(`{${members.join(',')}}`);
}

/** Signed requests that only check whether they arrive. */
function handshakeOf({ auth }: WebhookTrigger, { payload, header }: Delivery): WebhookRefusal | null {
  if (auth?.type === 'github' && header('x-github-event') === 'ping') return { status: 'ignored', reason: 'ping' };
  if (auth?.type !== 'slack') return null;
  const { type, challenge } = (parseJsonBody(payload) ?? {}) as Record<string, unknown>;
  return type === 'url_verification' && typeof challenge === 'string' ? { challenge } : null;
}

function startOf(trigger: WebhookTrigger, request: WebhookRequest, delivery: Delivery): WebhookStart {
  const deliveryId = deliveryIdOf(trigger.auth?.deliveryId ?? null, delivery);
  if (trigger.message === null) {
    const start = readStartBody(request.body);
    return { ...start, deliveryId, requestDigest: startDigestOf(start) };
  }
  // Programs also get it in their environment, where U+0000 is impossible.
  const message = fill(trigger.message, delivery).text.replaceAll('\0', '\ufffd');
  const threadId = trigger.threadId === null ? null : threadIdOf(trigger.threadId, delivery);
  const payload = delivery.payload.toString();
  return {
    ...{ message, threadId, deliveryId },
    context: contextOf(trigger, request, payload, deliveryId),
    requestDigest: startDigestOf({ message, threadId, context: payload }),
  };
}

function deliveryIdOf(template: Template | null, delivery: Delivery): string | null {
  if (template === null) return null;
  const { text, isWhole } = fill(template, delivery);
  return isWhole ? shortened(text, MAX_KEY) : null;
}

/** Null if a value is missing, so that the run gets its own thread. */
function threadIdOf(template: Template, delivery: Delivery): string | null {
  const { text, isWhole } = fill(template, delivery);
  if (!isWhole) return null;
  // Chats' threads begin like this; no payload may lead into one.
  const id = text.replaceAll(/\p{Cc}/gu, encodeURIComponent).replace(/^channel:/, 'channel%3A');
  return /^\.\.?$/.test(id) ? id.replaceAll('.', '%2E') : shortened(id, MAX_ID);
}

/** Texts that are too long end with their digest. */
function shortened(text: string, maxLength: number): string {
  const characters = [...text];
  if (characters.length <= maxLength) return text;
  const digest = createHash('sha256').update(text).digest('hex');
  return `${characters.slice(0, maxLength - digest.length - 1).join('')}~${digest}`;
}

/** Exact JSON that a program gets besides the message. */
function contextOf(
  { auth, endpoint }: WebhookTrigger,
  { headers }: WebhookRequest,
  payload: string,
  deliveryId: string | null,
): string {
  const about = {
    ...{ source: auth?.type ?? 'webhook', endpoint, delivery_id: deliveryId },
    headers: shownHeaders(headers, auth !== null && 'header' in auth ? auth.header : null),
  };
  return `${JSON.stringify(about).slice(0, -1)},"payload":${payload.trim()}}`;
}

function shownHeaders(headers: ReadonlyMap<string, string>, proof: string | null): Record<string, string> {
  let room = MAX_HEADERS;
  const shown = [...headers].filter(([name, value]) => {
    if (name === proof || SECRET.test(name)) return false;
    const size = Buffer.byteLength(name) + Buffer.byteLength(value);
    const fits = size <= room;
    if (fits) room -= size;
    return fits;
  });
  return Object.fromEntries(shown);
}
