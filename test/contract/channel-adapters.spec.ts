import fc from 'fast-check';
import { PlatformError } from '../../src/modules/channels/platforms/channel-adapter.js';
import type { InboundUpdate } from '../../src/modules/channels/platforms/inbound-update.js';
import { CHANNEL_TYPES, PLATFORMS, type ChannelType } from '../../src/modules/channels/platforms/platforms.js';
import { cpuMsOf } from '../support/cpu-time.js';
import { bodyOf, fixturesOf, KITS, requestOf, type Fixture, type PlatformKit } from '../support/platform-kits.js';

const never = new AbortController().signal;
const kits = {} as Record<ChannelType, PlatformKit>;

beforeAll(async () => {
  for (const type of CHANNEL_TYPES) kits[type] = await KITS[type]();
});

afterAll(async () => {
  for (const type of CHANNEL_TYPES) await kits[type].close();
});

/** All texts anywhere in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function expectSound(updates: readonly InboundUpdate[]): void {
  for (const update of updates) {
    expect(update.key.length).toBeLessThanOrEqual(512);
    for (const text of textsIn(update)) expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
    if (update.kind === 'ignored') expect(update.what).toMatch(/^[a-z_]{1,64}$/);
  }
}

describe.each(CHANNEL_TYPES)('The adapter of %s', (type) => {
  const fixtures = fixturesOf(type);
  const updatesOf = (body: Buffer, headers?: Record<string, string>) =>
    kits[type].adapter.parse(requestOf(kits[type], body, headers), kits[type].account);

  it.each(fixtures.map((fixture): [string, Fixture] => [fixture.name, fixture]))('understands %s', (_name, fixture) => {
    const body = bodyOf(fixture);
    expect(updatesOf(body, fixture.request.headers)).toEqual(fixture.expected);
    expectSound(fixture.expected.updates);
  });

  it('has recorded payloads of many kinds, each under a name of its own', () => {
    expect(new Set(fixtures.map(({ name }) => name)).size).toBe(fixtures.length);
    expect(fixtures.length).toBeGreaterThanOrEqual(40);
  });

  it('takes every recorded payload for proven, but not for another account, and not with one byte changed', () => {
    const { adapter, account, stranger } = kits[type];
    for (const fixture of fixtures) {
      const request = requestOf(kits[type], bodyOf(fixture), fixture.request.headers);
      expect(adapter.isProven(request, account)).toBe(true);
      expect(adapter.isProven(request, stranger)).toBe(false);
      if (type === 'telegram') continue;
      const changed = { ...request, rawBody: Buffer.concat([request.rawBody, Buffer.from(' ')]) };
      expect(adapter.isProven(changed, account)).toBe(false);
    }
  });

  it('takes nothing for a proof that is malformed', () => {
    const { adapter, account, malformedProofs } = kits[type];
    for (const headers of malformedProofs) {
      const request = { headers, rawBody: Buffer.from('{}'), receivedAtMs: 0 };
      expect(adapter.isProven(request, account)).toBe(false);
    }
    expect(adapter.claimOf({ headers: {}, rawBody: Buffer.from('{}'), receivedAtMs: 0 })).toEqual({ by: 'none' });
  });

  it('bears bodies that are made to break it', () => {
    const { adapter } = kits[type];
    const depth = 100_000;
    const bombs = [
      '['.repeat(depth) + ']'.repeat(depth),
      '{"a":'.repeat(depth) + '1' + '}'.repeat(depth),
      `{"entry":[{"changes":${'['.repeat(depth)}`,
      `{"a":"${'\\\\'.repeat(1_900_000)}"}`,
      `{"update_id":${'9'.repeat(3_900_000)}}`,
      '"'.repeat(4_000_000),
      `payload=${'%5B'.repeat(depth)}`,
      `{"type":"event_callback","event_id":"E","event":{"type":"message","channel":"D1","user":"U","ts":"1763600000.1","text":"${'<@'.repeat(600_000)}"}}`,
      '',
      'null',
      '\ufeff{}',
    ].map((text) => Buffer.from(text));
    for (const body of [...bombs, Buffer.from([0xff, 0xfe, 0x00, 0xc3]), Buffer.alloc(4 * 1024 * 1024, 0x7b)]) {
      const tookMs = cpuMsOf(() => {
        const request = requestOf(kits[type], body);
        expect(() => adapter.claimOf(request)).not.toThrow();
        expectSound(updatesOf(body).updates);
      });
      expect(tookMs).toBeLessThan(2_000);
    }
  });

  it('parses nothing to find out whose secret fits, and tells by the headers alone that there is no proof', () => {
    const { adapter } = kits[type];
    const many = Buffer.from(`[${'{},'.repeat(1_300_000)}{}]`);
    const request = requestOf(kits[type], many);
    expect(cpuMsOf(() => adapter.claimOf(request))).toBeLessThan(100);
    expect(adapter.claimOf({ ...request, rawBody: Buffer.alloc(0) }).by).not.toBe('none');
    expect(adapter.claimOf({ ...request, headers: {} }).by).toBe('none');
  });

  it('never fails for payloads in which anything has become anything', () => {
    const bodies = fixtures.filter(({ request }) => request.body !== undefined);
    fc.assert(
      fc.property(
        fc.constantFrom(...bodies),
        fc.array(mutations, { minLength: 1, maxLength: 6 }),
        (fixture, changes) => {
          const value = structuredClone(fixture.request.body);
          for (const change of changes) mutate(value, change);
          const body = Buffer.from(JSON.stringify(value));
          kits[type].adapter.claimOf(requestOf(kits[type], body));
          expectSound(updatesOf(body).updates);
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it('never fails for payloads whose bytes were damaged', () => {
    fc.assert(
      fc.property(fc.constantFrom(...fixtures), fc.nat(), fc.uint8Array({ maxLength: 3 }), (fixture, at, bytes) => {
        const body = bodyOf(fixture);
        if (body.length > 0) Buffer.from(bytes).copy(body, at % body.length);
        expectSound(updatesOf(body, fixture.request.headers).updates);
      }),
      { numRuns: 500 },
    );
  });

  it('asks for what its fields say, and finds the account by what no other channel has', () => {
    const { adapter, account, secrets } = kits[type];
    const { fields } = PLATFORMS[type];
    const names = fields.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(account.config)));
    const secretFields = fields.filter(({ isSecret }) => isSecret).map(({ name }) => account.config[name]);
    expect(secrets).toEqual(expect.arrayContaining(secretFields));
    const identity = adapter.identityOf(account.config);
    expect(identity).not.toBe('');
    for (const secret of secrets) expect(identity).not.toContain(secret);
  });

  it('tells who the account is', async () => {
    const { adapter, account } = kits[type];
    const profile = await adapter.fetchProfile(account, never);
    expect(profile.userId).toMatch(/^\w+$/);
    expect(profile.userName).toMatch(/waystation/i);
  });

  it('keeps its secrets out of what it says when the token is wrong', async () => {
    const { adapter, account } = kits[type];
    const token = '123456789:wrong-token_that_must_not_show';
    const config = { ...account.config, bot_token: token, access_token: token };
    const failure = await adapter.fetchProfile({ ...account, config }, never).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PlatformError);
    expect(failure).toMatchObject({ isCertain: true });
    expect(JSON.stringify(failure) + String(failure) + String((failure as Error).stack)).not.toMatch(/wrong-token/);
  });
});

const mutations = fc.record({
  path: fc.array(fc.nat({ max: 30 }), { maxLength: 8 }),
  value: fc.oneof(
    fc.constantFrom(null, true, '', 0, -1, 1e308, [], {}, [null], '\0', '\ud800', 'x'.repeat(600), '__proto__'),
    fc.jsonValue({ maxDepth: 2 }),
  ),
});

/** Puts the value somewhere into the object; each step of the path chooses a member. */
function mutate(root: unknown, { path, value }: { path: number[]; value: unknown }): void {
  let at = root as Record<string, unknown>;
  for (const [i, step] of path.entries()) {
    const names = Object.keys(at);
    if (names.length === 0) return;
    const name = names[step % names.length]!;
    const next = at[name];
    if (i === path.length - 1 || typeof next !== 'object' || next === null)
      return void (at[name] = structuredClone(value));
    at = next as Record<string, unknown>;
  }
}
