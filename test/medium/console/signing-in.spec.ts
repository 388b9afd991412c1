import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { useClockedApp } from '../../support/clocked-app.js';
import type { Answer } from '../../support/api-client.js';
import { ConsoleVisitor, exchange, exchangeWith, newCode } from '../../support/console-visitor.js';
import { testDialect } from '../../support/dialect.js';
import { startApp } from '../../support/in-process-app.js';
import { problemOf } from '../../support/problem.js';
import { rowsOf, signedInTo } from '../../support/table-contents.js';
import { waitFor } from '../../support/wait.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const app = useClockedApp();

const isIn = async (visitor: ConsoleVisitor) => (await visitor.get('/v1/console/session')).status === 200;

describe('A code', () => {
  it('has 256 random bits, and opens a session with the name and scope that it was made for', async () => {
    const made = (await app.api.post('/v1/console/codes', { scope: 'approver', name: 'Ada' })).json<{ code: string }>();
    expect(made.code).toMatch(/^[\w-]{43}$/);
    const visitor = await ConsoleVisitor.signInWith(app.api, made.code);
    expect(visitor.session).toMatchObject({ scope: 'approver', name: 'Ada', token_id: null });
    expect((await visitor.get('/v1/console/session')).json()).toEqual(visitor.session);
  });

  it('opens one session, however many ask for it at once', async () => {
    const code = await newCode(app.api);
    const answers = await Promise.all(Array.from({ length: 6 }, () => exchange(app.api, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401, 401]);
    expect(problemOf(await exchange(app.api, code), 401).code).toBe('invalid_code');
  });

  it('lives for a minute, or for the time that was asked for', async () => {
    const [short, long] = [await newCode(app.api), await newCode(app.api, { expires_in_seconds: 600 })];
    const toLong = await newCode(app.api, { expires_in_seconds: 600 });
    await app.later(MINUTE_MS + 1000, async () => {
      expect(problemOf(await exchange(app.api, short), 401).code).toBe('invalid_code');
      expect((await exchange(app.api, long)).status).toBe(201);
    });
    await app.later(10 * MINUTE_MS + 1000, async () => problemOf(await exchange(app.api, toLong), 401));
    problemOf(await app.api.post('/v1/console/codes', { expires_in_seconds: 601 }), 400);
  });

  it('gives never more than its maker has, and none to runners', async () => {
    for (const [scope, highest] of [
      ['reader', 0],
      ['approver', 1],
      ['admin', 2],
    ] as const) {
      const { api: maker } = await app.tokenOf(scope, { name: `a ${scope}` });
      for (const [rank, wanted] of ['reader', 'approver', 'admin'].entries()) {
        const answer = await maker.post('/v1/console/codes', { scope: wanted });
        if (rank > highest) expect(problemOf(answer, 403).code).toBe('wrong_scope');
        else expect(answer.status).toBe(201);
      }
      const visitor = await ConsoleVisitor.signIn(maker);
      expect(visitor.session).toMatchObject({ scope, name: `a ${scope}` });
    }
    for (const scope of ['runner', 'metrics']) {
      problemOf(await (await app.tokenOf(scope)).api.post('/v1/console/codes', {}), 403);
    }
  });

  it('is not made within a session, which would last for ever', async () => {
    const visitor = await ConsoleVisitor.signIn(app.api);
    expect(problemOf(await visitor.post('/v1/console/codes', {}), 403).code).toBe('bearer_token_required');
  });

  it('ends with the token that made it', async () => {
    const { id, api: maker } = await app.tokenOf('reader');
    const code = await newCode(maker);
    await app.api.delete(`/v1/tokens/${id}`);
    problemOf(await exchange(app.api, code), 401);
  });

  it('is only taken from a page of this server', async () => {
    const code = await newCode(app.api);
    const { host } = new URL(app.api.baseUrl);
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'null' },
      { origin: 'http://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: `https://${host}` },
      { origin: app.api.baseUrl, 'sec-fetch-site': 'same-site' },
      { origin: app.api.baseUrl, 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    ];
    for (const headers of foreign) problemOf(await exchange(app.api, code, headers), 403);
    const asForm = { origin: app.api.baseUrl, 'content-type': 'text/plain' };
    problemOf(await exchange(app.api, code, asForm), 415);
    expect((await exchange(app.api, code, { origin: app.api.baseUrl, 'sec-fetch-site': 'same-origin' })).status).toBe(
      201,
    );
  });
});

describe('The body of who signs in', () => {
  const announced = (headers: Record<string, string>) =>
    app.api.send('POST', '/v1/console/sessions', undefined, {
      token: null,
      headers: { 'content-type': 'application/json', 'content-length': '10', connection: 'close', ...headers },
    });

  it('is not waited for where a page of another origin sends it, or it is not called JSON', async () => {
    for (const origin of ['null', 'http://evil.example', 'http://127.0.0.1:1']) {
      expect(problemOf(await announced({ origin }), 403).code).toBe('origin_not_allowed');
    }
    problemOf(await announced({ origin: app.api.baseUrl, 'content-type': 'text/plain' }), 415);
  });

  it('has at most 4 KiB, compressed or not', async () => {
    const origin = { origin: app.api.baseUrl };
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`k${i}`, i])));
    const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
      app.api.post('/v1/console/sessions', body, { token: null, headers: { ...origin, ...headers } });
    problemOf(await send(many), 413);
    problemOf(await send(gzipSync('{"code":"'.padEnd(100_000, 'x') + '"}'), { 'content-encoding': 'gzip' }), 413);
    problemOf(await send(`{"code":"x"${' '.repeat(4096)}}`), 413);
    problemOf(await send(`{"code":"x"${' '.repeat(4000)}}`), 401);
    const unknown = problemOf(await send(many.slice(0, 4000).replace(/,[^,]*$/, '}')), 400);
    expect(unknown.errors).toHaveLength(20);
  });
});

describe('A page that has lost the answer to its code', () => {
  const proof = () => randomBytes(16).toString('hex');
  /** A new session's id and both halves. */
  const begun = (answer: Answer) => {
    expect(answer.status).toBe(201);
    const { key, session } = answer.json<{ key: string; session: { id: string } }>();
    return [session.id, key, answer.headers['set-cookie']![0]];
  };

  it('gets it again with its proof, which differs for each code; nobody else does, with the code, the proof or another one', async () => {
    const [code, own] = [await newCode(app.api), proof()];
    const answers = await Promise.all([1, 2, 3].map(() => exchangeWith(app.api, code, own)));
    const [first, ...others] = answers.map(begun);
    for (const again of [...others, begun(await exchangeWith(app.api, code, own))]) expect(again).toEqual(first);
    problemOf(await exchange(app.api, code), 401);
    problemOf(await exchangeWith(app.api, code, proof()), 401);
    problemOf(await exchangeWith(app.api, randomBytes(32).toString('base64url'), own), 401);
    const foreign = await exchange(app.api, code, { origin: 'http://127.0.0.1:1' }, { proof: own });
    problemOf(foreign, 403);
    const another = begun(await exchangeWith(app.api, await newCode(app.api), own));
    for (const [place, part] of another.entries()) expect(part).not.toBe(first![place]);
  });

  it('begins one session, where pages with other proofs ask for it at once', async () => {
    const code = await newCode(app.api);
    const answers = await Promise.all([1, 2, 3, 4].map(() => exchangeWith(app.api, code, proof())));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
  });

  it('gets it for a minute, and not once the session has ended', async () => {
    const [code, own] = [await newCode(app.api, { expires_in_seconds: 600 }), proof()];
    begun(await exchangeWith(app.api, code, own));
    await app.later(MINUTE_MS + 1000, async () => {
      expect(problemOf(await exchangeWith(app.api, code, own), 401).code).toBe('invalid_code');
    });
    const ended = await newCode(app.api);
    const [id] = begun(await exchangeWith(app.api, ended, own));
    await app.api.delete(`/v1/console/sessions/${id}`);
    problemOf(await exchangeWith(app.api, ended, own), 401);
    const { id: tokenId, api: maker } = await app.tokenOf('reader');
    const orphan = await newCode(maker);
    begun(await exchangeWith(app.api, orphan, own));
    await app.api.delete(`/v1/tokens/${tokenId}`);
    problemOf(await exchangeWith(app.api, orphan, own), 401);
  });

  it('chooses no weak proof', async () => {
    const code = await newCode(app.api);
    for (const weak of ['', 'short', 'a'.repeat(201), `${'a'.repeat(40)}:`, 1]) {
      problemOf(await exchange(app.api, code, undefined, { proof: weak }), 400);
    }
  });
});

describe('Who tries many codes', () => {
  it('is told to wait, while a good code still opens the console', async () => {
    const wrong = () => exchange(app.api, randomBytes(32).toString('base64url'));
    const limited = await waitFor('the limit', async () => {
      const answer = await wrong();
      return answer.status === 401 ? false : answer;
    });
    expect(problemOf(limited, 429).code).toBe('too_many_codes');
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await exchange(app.api, 'short')).status).toBe(429);
    await ConsoleVisitor.signIn(app.api);
    await app.later(MINUTE_MS, async () => problemOf(await wrong(), 401));
  });
});

if (testDialect() === 'postgres') {
  describe('Of two servers on one PostgreSQL', () => {
    it('each takes the codes and sessions of the other, and ends them for both', async () => {
      const other = await startApp({ clock: app.clock, storage: app.storage });
      try {
        const here = await ConsoleVisitor.signInWith(app.api, await newCode(other.api));
        const there = here.at(other.api);
        expect([await isIn(here), await isIn(there)]).toEqual([true, true]);
        const code = await newCode(app.api);
        const answers = await Promise.all([app.api, other.api, app.api, other.api].map((one) => exchange(one, code)));
        expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
        expect((await there.delete('/v1/console/session')).status).toBe(204);
        problemOf(await here.get('/threads'), 401);
      } finally {
        await other.stop();
      }
    });
  });
}

describe('What is stored of sessions', () => {
  it('opens none, and goes away when it has ended', async () => {
    const { id, api: maker } = await app.tokenOf('reader');
    const code = await newCode(maker);
    const visitor = await ConsoleVisitor.signIn(maker);
    const tables = async () =>
      JSON.stringify([await rowsOf(app.storage, 'console_code'), await rowsOf(app.storage, 'console_session')]);
    const stored = await tables();
    expect(stored).toContain(visitor.session.id);
    for (const secret of [code, visitor.key, visitor.cookie.split('=')[1]!]) expect(stored).not.toContain(secret);
    await app.api.delete(`/v1/tokens/${id}`);
    await newCode(app.api);
    expect(await tables()).not.toContain(visitor.session.id);
    await ConsoleVisitor.signIn(app.api);
    await app.later(8 * 24 * HOUR_MS, async () => {
      await newCode(app.api);
      expect(await signedInTo(app.storage)).toEqual([1, 0]);
    });
  });

  it('is listed for admins, newest first, without what has ended', async () => {
    const [older, newer] = [
      await ConsoleVisitor.signIn(app.api),
      await ConsoleVisitor.signIn(app.api, { scope: 'reader' }),
    ];
    const first = (await app.api.get('/v1/console/sessions?limit=1&count=true')).json<Listed>();
    expect(first.items.map(({ id }) => id)).toEqual([newer.session.id]);
    expect(first.total).toBeGreaterThan(1);
    const next = (await app.api.get(`/v1/console/sessions?limit=1&cursor=${first.next_cursor}`)).json<Listed>();
    expect(next.items.map(({ id }) => id)).toEqual([older.session.id]);
    await app.later(13 * HOUR_MS, async () => {
      const { items, total } = (await app.api.get('/v1/console/sessions?count=true')).json<Listed>();
      expect({ items, total }).toEqual({ items: [], total: 0 });
    });
  });
});

interface Listed {
  items: { id: string }[];
  next_cursor: string | null;
  total?: number;
}
