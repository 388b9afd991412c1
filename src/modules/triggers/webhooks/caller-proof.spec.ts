import { createHmac } from 'node:crypto';
import type { SignatureAuth, TokenAuth, WebhookTrigger } from '../definition/definition.js';
import { parseDefinition } from '../definition/definition-reader.js';
import { checkSignature, checkToken } from './caller-proof.js';

function authOf<Auth>(auth: object): Auth {
  const triggers = [{ type: 'webhook', endpoint: '/hook', auth }];
  const text = JSON.stringify({ agents: { a: { command: ['node'] } }, triggers });
  const [webhook] = parseDefinition('agents.json', text, { variables: {}, defaultPort: 9100 }).webhooks;
  return (webhook as WebhookTrigger).auth as Auth;
}

type Sent = { headers: Record<string, string>; body: string | Buffer; nowMs?: number };

function refusal(auth: object, sent: Sent): string | null {
  return refusalBy(authOf(auth), sent);
}

function refusalBy(auth: SignatureAuth, { headers, body, nowMs = 0 }: Sent): string | null {
  const names = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  try {
    checkSignature(auth, {
      header: (name) => names.get(name),
      body: Buffer.from(body),
      nowMs,
    });
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const hmac = (secret: string | Buffer, signed: string) => createHmac('sha256', secret).update(signed).digest();

const SLACK_BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
const STRIPE_EVENT = '{"id":"evt_1NG8Du2eZvKYlo2CUI79vXWy","object":"event","type":"invoice.paid"}';
const ISSUE = '{"action":"create","type":"Issue","data":{"title":"Safari hangs"}}';
const ORDER = '{"id":820982911946154508,"email":"jon@example.com"}';

interface Example {
  auth: object;
  sent: Sent;
  /** When a proof with a time was signed. */
  timeMs?: number;
}

/** A page's complete example if it has one; otherwise computed here from its description. */
const EXAMPLES: Record<string, Example> = {
  // "Testing the webhook payload validation" of https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  github: {
    auth: { type: 'github', secret: "It's a Secret to Everybody" },
    sent: {
      headers: {
        'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
      body: 'Hello, World!',
    },
  },
  // "Validating a request" of https://docs.slack.dev/authentication/verifying-requests-from-slack
  slack: {
    auth: { type: 'slack', secret: '8f742231b10e8888abcd99yyyzzz85a5' },
    sent: {
      headers: {
        'X-Slack-Request-Timestamp': '1531420618',
        'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      },
      body: SLACK_BODY,
    },
    timeMs: 1_531_420_618_000,
  },
  // The vector of the libraries of https://github.com/standard-webhooks/standard-webhooks
  standard: {
    auth: { type: 'standard', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    sent: {
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      body: '{"test": 2432232314}',
    },
    timeMs: 1_614_265_330_000,
  },
  // https://docs.stripe.com/webhooks/signature#verify-manually: the layout of its example, with a signature that must be ignored
  stripe: {
    auth: { type: 'stripe', secret: 'whsec_stripe' },
    sent: {
      headers: {
        'Stripe-Signature': `t=1492774577,v1=${hmac('whsec_stripe', `1492774577.${STRIPE_EVENT}`).toString('hex')},v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39`,
      },
      body: STRIPE_EVENT,
    },
    timeMs: 1_492_774_577_000,
  },
  // https://linear.app/developers/webhooks#securing-webhooks
  linear: {
    auth: { type: 'linear', secret: 'lin_wh' },
    sent: { headers: { 'Linear-Signature': hmac('lin_wh', ISSUE).toString('hex') }, body: ISSUE },
  },
  // https://shopify.dev/docs/apps/build/webhooks/verify-deliveries
  shopify: {
    auth: { type: 'shopify', secret: 'hush' },
    sent: { headers: { 'X-Shopify-Hmac-SHA256': hmac('hush', ORDER).toString('base64') }, body: ORDER },
  },
  hmac: {
    auth: {
      type: 'hmac',
      secret: 's',
      header: 'X-Sig',
      signed: '{timestamp}|{header:X-Id}|{body}',
      timestamp: 'X-Time',
    },
    sent: {
      headers: { 'X-Sig': hmac('s', '1700000000|7|{}').toString('base64'), 'X-Id': '7', 'X-Time': '1700000000' },
      body: '{}',
    },
    timeMs: 1_700_000_000_000,
  },
};

describe.each(Object.entries(EXAMPLES))('A request that %s has signed', (_, { auth, sent, timeMs = 0 }) => {
  const parsed = authOf<SignatureAuth>(auth);
  const at = (nowMs: number, change: Partial<Sent> = {}) => refusalBy(parsed, { ...sent, nowMs, ...change });

  it('is let in', () => {
    expect(at(timeMs)).toBeNull();
  });

  it('is refused with any one byte changed', () => {
    const body = Buffer.from(sent.body);
    for (let i = 0; i < body.length; i++) {
      const changed = Buffer.from(body);
      changed[i] = changed[i]! ^ 1;
      expect(at(timeMs, { body: changed })).toBe('invalid_signature');
    }
    expect(at(timeMs, { body: Buffer.concat([body, Buffer.from(' ')]) })).toBe('invalid_signature');
  });

  it('is refused with another secret, or without its headers', () => {
    expect(refusal({ ...auth, secret: 'whsec_AAAA' }, { ...sent, nowMs: timeMs })).toBe('invalid_signature');
    const isIdentity = (name: string) => /-id$/i.test(name);
    for (const name of Object.keys(sent.headers)) {
      const { [name]: _gone, ...headers } = sent.headers;
      expect(at(timeMs, { headers })).toBe(isIdentity(name) ? 'invalid_signature' : 'signature_required');
    }
  });

  if (timeMs > 0) {
    it('is let in up to 300 s before and after', () => {
      expect([timeMs - 300_000, timeMs + 300_000].map((nowMs) => at(nowMs))).toEqual([null, null]);
      expect([timeMs - 301_000, timeMs + 301_000].map((nowMs) => at(nowMs))).toEqual([
        'signature_expired',
        'signature_expired',
      ]);
    });

    it('is refused with another time, which is signed', () => {
      const later = String(timeMs / 1000 + 1);
      const headers = Object.fromEntries(
        Object.entries(sent.headers).map(([name, value]) => [name, value.replace(String(timeMs / 1000), later)]),
      );
      expect(at(timeMs, { headers })).toBe('invalid_signature');
    });
  }

  it('is let in with an earlier secret, too, while there is a list', () => {
    const { secret } = auth as { secret: string };
    expect(refusal({ ...auth, secret: ['whsec_AAAA', secret] }, { ...sent, nowMs: timeMs })).toBeNull();
  });
});

describe('A signature by HMAC', () => {
  const body = '{"a":1}';
  const send = (signature: string, auth: object = {}) =>
    refusal({ type: 'hmac', secret: 's', header: 'X-Sig', ...auth }, { headers: { 'X-Sig': signature }, body });

  it.each(['sha256', 'sha512', 'sha1'])('may be hex or base64, bare or behind a label, of %s', (algorithm) => {
    const digest = createHmac(algorithm, 's').update(body).digest();
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      for (const label of ['', `${algorithm}=`, `${algorithm}= `, 'v1=', 'v1,', 'V1, ']) {
        expect([encoding, label, send(label + digest.toString(encoding), { algorithm })]).toEqual([
          encoding,
          label,
          null,
        ]);
      }
    }
  });

  it('counts among ten in its header, and not behind a label that means something else', () => {
    const right = hmac('s', body).toString('hex');
    const wrong = (count: number) => Array.from({ length: count }, () => `v1=${hmac('x', body).toString('hex')}`);
    expect(send([...wrong(9), `v1=${right}`].join(','))).toBeNull();
    expect(send([...wrong(9), `v1=${right}`].join(' '))).toBeNull();
    expect(send([...wrong(10), `v1=${right}`].join(','))).toBe('invalid_signature');
    expect(send(`v9=${right}`)).toBe('signature_required');
    expect(send(`md5=${right}`)).toBe('signature_required');
  });

  it('of Stripe counts only as v1', () => {
    const signed = hmac('s', `1700000000.${body}`).toString('hex');
    const nowMs = 1_700_000_000_000;
    const of = (label: string) =>
      refusal(
        { type: 'stripe', secret: 's' },
        { headers: { 'Stripe-Signature': `t=1700000000,${label}=${signed}` }, body, nowMs },
      );
    expect([of('v1'), of('v0')]).toEqual([null, 'signature_required']);
  });
});

describe('A secret that is sent as it is', () => {
  // https://docs.gitlab.com/user/project/integrations/webhooks/: "X-Gitlab-Token"
  const gitlab = authOf<TokenAuth>({ type: 'gitlab', secret: ['new', 'old'] });
  const other = authOf<TokenAuth>({ type: 'token', header: 'X-Api-Key', secret: 'ü' });

  it.each([
    [gitlab, 'new', null],
    [gitlab, 'old', null],
    [gitlab, 'other', 'invalid_token'],
    [gitlab, '', 'invalid_token'],
    [gitlab, undefined, 'token_required'],
    [other, 'ü', null],
  ])('lets in who has it (%#)', (auth, sent, code) => {
    expect(codeOf(() => checkToken(auth, sent))).toBe(code);
  });
});

function codeOf(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
}
