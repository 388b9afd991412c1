import { TokenUsesService } from '../../src/modules/tokens/token-uses.service.js';
import type { ApiClient } from '../support/api-client.js';
import { useClockedApp } from '../support/clocked-app.js';
import { startApp } from '../support/in-process-app.js';
import { migratedStorage } from '../support/storage.js';

const HOUR_MS = 3_600_000;

describe('The last use of a token', () => {
  const server = useClockedApp();

  async function lastUseOf(id: string, api: ApiClient = server.api): Promise<string | null> {
    const { items } = (await api.get('/v1/tokens?limit=200')).json<{
      items: { id: string; last_used_at: string | null }[];
    }>();
    return items.find((one) => one.id === id)!.last_used_at;
  }

  async function use(api: ApiClient): Promise<void> {
    expect((await api.get('/v1/tokens/self')).status).toBe(200);
    await server.app.get(TokenUsesService).store();
  }

  it('is in the list, and stored once an hour', async () => {
    const { id, api } = await server.tokenOf('reader');
    const other = await server.tokenOf('reader');
    expect(await lastUseOf(id)).toBeNull();
    const before = server.clock.nowMs();
    await use(api);
    const first = await lastUseOf(id);
    expect(Date.parse(first!)).toBeGreaterThanOrEqual(before);
    await server.later(HOUR_MS - 60_000, () => use(api));
    expect(await lastUseOf(id)).toBe(first);
    await server.later(HOUR_MS, () => use(api));
    expect(Date.parse((await lastUseOf(id))!)).toBeGreaterThanOrEqual(before + HOUR_MS);
    expect(await lastUseOf(other.id)).toBeNull();
  });

  it('is never replaced by an earlier one, which another instance may store later', async () => {
    const { id, api } = await server.tokenOf('reader');
    await server.later(HOUR_MS, () => use(api));
    const last = await lastUseOf(id);
    const uses = server.app.get(TokenUsesService);
    uses.note({ id, last_used_at: null });
    await uses.store();
    expect(await lastUseOf(id)).toBe(last);
  });

  it('is stored when the server stops', async () => {
    const storage = await migratedStorage();
    const first = await startApp({ storage });
    const { id, token } = (await first.api.post('/v1/tokens', { scope: 'reader' })).json<{
      id: string;
      token: string;
    }>();
    expect((await first.api.as(token).get('/v1/tokens/self')).status).toBe(200);
    await first.stop();
    const second = await startApp({ storage });
    expect(await lastUseOf(id, second.api)).not.toBeNull();
    await second.stop();
    await storage.dispose();
  });
});
