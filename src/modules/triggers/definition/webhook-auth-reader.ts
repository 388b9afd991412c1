import type { Environment } from '../../../config/env-reader.js';
import type { HmacAlgorithm, SignatureAuth, SignedPart, TokenAuth, WebhookAuth } from './definition.js';
import { replaceVariables, type Fields } from './fields.js';
import { parsePlace, parseTemplate, type Template } from './template.js';
import { SIGNATURE_PRESETS, TOKEN_PRESETS, type SignaturePreset } from './webhook-presets.js';

const TYPES = ['bearer', ...Object.keys(TOKEN_PRESETS), ...Object.keys(SIGNATURE_PRESETS), 'hmac', 'token'];
/** The signature header of GitHub and its imitators. */
const DEFAULT_HEADER = 'X-Hub-Signature-256';
const ALGORITHMS: readonly HmacAlgorithm[] = ['sha256', 'sha512', 'sha1'];
const TOKEN = /^[\x21-\x7e]+$/;
const SIGNED = /\{(body|timestamp|header:[^{}]*)\}/;
const BASE64 = /^(?:whsec_)?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?)$/;

/** Reads a webhook's `auth`; null if there is none. An empty `auth` is a fault: it must never mean open access. */
export function readWebhookAuth(fields: Fields, variables: Environment): WebhookAuth | null {
  if (!fields.hasKey('auth')) return null;
  const auth = fields.section('auth');
  return auth === null ? null : new WebhookAuthReader(auth, variables).read();
}

class WebhookAuthReader {
  constructor(
    private readonly auth: Fields,
    private readonly variables: Environment,
  ) {}

  read(): WebhookAuth | null {
    const type = this.auth.get('type');
    if (type === 'bearer') return { type, proof: 'bearer', token: this.readToken(), deliveryId: null };
    if (type === 'token') return this.tokenAuth(type, this.readHeader('header', null), this.readDeliveryId());
    if (type === 'hmac') return this.readHmac();
    if (isKeyOf(TOKEN_PRESETS, type)) {
      const { header, deliveryId } = TOKEN_PRESETS[type];
      return this.tokenAuth(type, header, templateOf(deliveryId));
    }
    if (isKeyOf(SIGNATURE_PRESETS, type)) return this.signatureAuth(type, SIGNATURE_PRESETS[type], 'sha256');
    const allowed = `one of ${TYPES.join(', ')}`;
    return this.auth.fault('type', type === undefined ? `is missing: ${allowed}` : `must be ${allowed}`);
  }

  private readHmac(): SignatureAuth {
    const algorithm = this.auth.choice('algorithm', 'sha256', ALGORITHMS);
    const preset: SignaturePreset = {
      header: this.readHeader('header', DEFAULT_HEADER),
      signed: this.auth.text('signed') ?? '{body}',
      timestamp: this.auth.has('timestamp') ? this.readHeader('timestamp', null) : null,
      ...{ labels: ['', algorithm, 'v1'], key: 'text', deliveryId: null },
    };
    const hasTime = preset.signed.includes('{timestamp}');
    if (!preset.signed.includes('{body}')) this.auth.fault('signed', 'must have {body} in it');
    if (preset.timestamp !== null && !hasTime) this.auth.fault('timestamp', 'needs {timestamp} in `signed`');
    return { ...this.signatureAuth('hmac', preset, algorithm), deliveryId: this.readDeliveryId() };
  }

  private signatureAuth(
    type: SignatureAuth['type'],
    { header, signed, timestamp, labels, key, deliveryId }: SignaturePreset,
    algorithm: HmacAlgorithm,
  ): SignatureAuth {
    return {
      ...{ type, proof: 'signature', algorithm, labels },
      header: header.toLowerCase(),
      signed: this.signedParts(signed),
      timestampHeader: timestamp?.toLowerCase() ?? null,
      keys: this.readSecrets('secret').map((secret) => (key === 'text' ? Buffer.from(secret) : this.keyOf(secret))),
      deliveryId: deliveryId === null ? null : templateOf(deliveryId),
    };
  }

  private signedParts(signed: string): SignedPart[] {
    return signed.split(SIGNED).flatMap((part, index): SignedPart[] => {
      if (index % 2 === 0) return part === '' ? [] : [part];
      if (part === 'body' || part === 'timestamp') return [{ kind: part }];
      const place = parsePlace(part);
      if ('fault' in place) return this.auth.fault('signed', `has {${part}}, which ${place.fault}`) ?? [];
      return place.kind === 'header' ? [place] : [];
    });
  }

  /** Standard Webhooks: `whsec_` and base64. */
  private keyOf(secret: string): Buffer {
    const base64 = BASE64.exec(secret)?.[1];
    if (!base64) this.auth.fault('secret', 'must be the base64 that the service shows, with whsec_ before it');
    return Buffer.from(base64 ?? '', 'base64');
  }

  private tokenAuth(type: TokenAuth['type'], header: string, deliveryId: Template | null): TokenAuth {
    const secrets = this.readSecrets('secret');
    return { type, proof: 'token', header: header.toLowerCase(), secrets, deliveryId };
  }

  private readToken(): string {
    const token = this.readSecret('token', this.auth.text('token'));
    if (token !== '' && !TOKEN.test(token)) this.auth.fault('token', 'must be printable characters without spaces');
    return token;
  }

  /** One secret, or a list during a rotation. */
  private readSecrets(key: string): string[] {
    const value = this.auth.get(key);
    if (!Array.isArray(value)) return [this.readSecret(key, this.auth.text(key))];
    if (value.length === 0) this.auth.fault(key, 'must have at least one secret');
    return value.map((one) => {
      const isText = typeof one === 'string' && one.trim() !== '';
      return isText
        ? this.readSecret(key, one)
        : String(this.auth.fault(key, 'must be texts; put them in quotes') ?? '');
    });
  }

  /** @param written null if it is missing, or no text and already a fault */
  private readSecret(key: string, written: string | null): string {
    if (written === null) {
      if (!this.auth.has(key) && !this.auth.isBlank(key)) this.auth.fault(key, 'is missing');
      return '';
    }
    const { text, faults } = replaceVariables(written, this.variables);
    for (const fault of faults) this.auth.fault(key, fault);
    if (text === '' && faults.length === 0) this.auth.fault(key, 'must not be empty');
    return text;
  }

  private readHeader(key: string, fallback: string | null): string {
    const header = this.auth.text(key);
    if (header === null && fallback === null && !this.auth.has(key)) this.auth.fault(key, 'is missing: a header');
    const place = parsePlace(`header:${header ?? fallback ?? 'X'}`);
    if ('fault' in place) this.auth.fault(key, 'must be the name of a header');
    return header ?? fallback ?? '';
  }

  private readDeliveryId(): Template | null {
    const text = this.auth.text('delivery_id');
    if (text === null) return null;
    const template = parseTemplate(text);
    if ('fault' in template) return this.auth.fault('delivery_id', template.fault);
    if (template.every((part) => typeof part === 'string')) {
      return this.auth.fault('delivery_id', 'must name a header or a value, such as {header:X-Id}');
    }
    return template;
  }
}

function templateOf(text: string): Template {
  return parseTemplate(text) as Template;
}

function isKeyOf<T extends object>(map: T, key: unknown): key is keyof T & string {
  return typeof key === 'string' && Object.hasOwn(map, key);
}
