import { Clock } from '../../src/common/clock.js';
import type { ApiClient } from './api-client.js';
import { startApp, type InProcessApp } from './in-process-app.js';
import { migratedStorage, type TestStorage } from './storage.js';

/** The machine's time plus an offset that the test sets. */
class LaterClock extends Clock {
  laterMs = 0;

  override nowMs(): number {
    return super.nowMs() + this.laterMs;
  }
}

/** The application inside one file's tests, with a clock that can jump ahead. Its parts exist once the first test runs. */
export interface ClockedApp {
  readonly clock: { readonly laterMs: number } & Clock;
  readonly app: InProcessApp['app'];
  readonly api: ApiClient;
  readonly storage: TestStorage;
  /** Runs the work at a later time. */
  later(ms: number, work: () => Promise<unknown>): Promise<void>;
  tokenOf(scope: string, fields?: object): Promise<{ id: string; api: ApiClient }>;
}

export function useClockedApp(): ClockedApp {
  const clock = new LaterClock();
  let storage: TestStorage | undefined;
  let server: InProcessApp | undefined;
  beforeAll(async () => {
    storage = await migratedStorage();
    server = await startApp({ clock, storage });
  });
  afterAll(async () => {
    await server?.stop();
    await storage?.dispose();
  });
  return {
    clock,
    get app() {
      return server!.app;
    },
    get api() {
      return server!.api;
    },
    get storage() {
      return storage!;
    },
    async later(ms, work) {
      clock.laterMs += ms;
      try {
        await work();
      } finally {
        clock.laterMs -= ms;
      }
    },
    async tokenOf(scope, fields = {}) {
      const { api } = server!;
      const answer = await api.post('/v1/tokens', { scope, ...fields });
      const { id, token } = answer.json<{ id: string; token: string }>();
      return { id, api: api.as(token) };
    },
  };
}
