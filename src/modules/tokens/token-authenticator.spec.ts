import type { IncomingMessage } from 'node:http';
import { ApiSecret } from '../../config/api-secret.js';
import { Clock } from '../../common/clock.js';
import type { AccessToken } from './access-token.entity.js';
import type { SessionsService } from './sessions/sessions.service.js';
import { ChangeFeed } from '../../database/change-feed.js';
import type { TokenUsesService } from './token-uses.service.js';
import { TokenAuthenticator } from './token-authenticator.js';
import type { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

/** Keeps tokens in a list; the real SQL is tested on both databases. */
class ListOfTokens implements Pick<TokensRepository, 'insert' | 'findByHash' | 'deleteExpiredBefore'> {
  readonly rows: AccessToken[] = [];
  lookups = 0;

  async insert(token: AccessToken): Promise<boolean> {
    return this.rows.push(token) > 0;
  }

  async findByHash(hash: string): Promise<AccessToken | null> {
    this.lookups += 1;
    return this.rows.find((row) => row.token_hash === hash) ?? null;
  }

  async deleteExpiredBefore(): Promise<void> {}
}

class SetClock extends Clock {
  timeMs = 1_000_000;

  override nowMs(): number {
    return this.timeMs;
  }
}

const UNNOTED = { note: () => undefined } as unknown as TokenUsesService;
const SECRET = 'ab'.repeat(32);
const order = { scope: 'runner', name: 'laptop', agentIds: ['support'], expiresInSeconds: 60, run: null } as const;
const ADMIN = { scope: 'admin', tokenId: null, agentIds: null, run: null, name: 'machine secret' } as const;

describe('A bearer token', () => {
  let list: ListOfTokens;
  let clock: SetClock;
  let tokens: TokensService;
  let authenticator: TokenAuthenticator;

  beforeEach(() => {
    list = new ListOfTokens();
    clock = new SetClock();
    const feed = new ChangeFeed();
    tokens = new TokensService(list as unknown as TokensRepository, clock, feed, UNNOTED);
    authenticator = new TokenAuthenticator(new ApiSecret(SECRET, '/x'), tokens, {} as SessionsService, feed);
  });

  function authenticate(token: string) {
    return authenticator.authenticate({ headers: { authorization: `Bearer ${token}` } } as IncomingMessage);
  }

  it('that is the machine secret may do everything, without asking the database', async () => {
    expect(await authenticate(SECRET)).toMatchObject({ scope: 'admin', tokenId: null, agentIds: null });
    expect(list.lookups).toBe(0);
  });

  it.each(['x', 'ab'.repeat(31), `${SECRET}a`, SECRET.toUpperCase(), 'x'.repeat(10_000), `wst_${'a'.repeat(42)}`])(
    'that cannot be one is refused without asking the database (%#)',
    async (token) => {
      expect(await authenticate(token)).toBeNull();
      expect(list.lookups).toBe(0);
    },
  );

  it('is known by its digest only', async () => {
    const { record, token } = await tokens.mint(order, ADMIN);
    expect(token).toMatch(/^wst_[\w-]{43}$/);
    expect(JSON.stringify(list.rows)).not.toContain(token);
    expect(await authenticate(token)).toEqual({
      scope: 'runner',
      tokenId: record.id,
      agentIds: ['support'],
      run: null,
      name: 'laptop',
    });
  });

  it('ends at its expiry', async () => {
    const { token } = await tokens.mint(order, ADMIN);
    clock.timeMs += 59_999;
    expect(await authenticate(token)).not.toBeNull();
    clock.timeMs += 1;
    expect(await authenticate(token)).toBeNull();
  });

  it('is bound to agents only as a runner', async () => {
    await expect(tokens.mint({ ...order, scope: 'approver' }, ADMIN)).rejects.toMatchObject({
      errors: [{ path: 'agent_ids' }],
    });
  });
});
