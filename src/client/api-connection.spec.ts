import { getEventListeners } from 'node:events';
import { types } from 'node:util';
import { EVENTS_TOKEN, EventsServer } from '../../test/fakes/events-server.js';
import { ApiConnection } from './api-connection.js';

let server: EventsServer;
let connection: ApiConnection;

beforeEach(async () => {
  server = await EventsServer.start();
  connection = new ApiConnection(server.url, EVENTS_TOKEN);
});
afterEach(() => server.stop());

const post = (signal: AbortSignal) => connection.send('/', { method: 'POST', body: '{"events":[]}', signal });

/** The signal's listeners, and the signals made from it with `AbortSignal.any` that it keeps. */
function heldBy(signal: AbortSignal): number {
  const inner = signal as unknown as Record<symbol, unknown>;
  const sets = Object.getOwnPropertySymbols(signal).map((key) => inner[key]);
  const dependants = sets.reduce<number>((sum, value) => sum + (types.isSet(value) ? value.size : 0), 0);
  return getEventListeners(signal, 'abort').length + dependants;
}

describe('A request', () => {
  it('leaves nothing behind in a signal that lives longer', async () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 3; count++) await post(signal);
    expect(heldBy(signal)).toBe(0);
  });

  it('ends with the signal, for its reason, whether that comes before or meanwhile', async () => {
    const early = AbortSignal.abort(new Error('too late'));
    await expect(post(early)).rejects.toThrow('too late');
    const controller = new AbortController();
    server.judge = () => {
      controller.abort(new Error('no longer wanted'));
      return undefined;
    };
    await expect(post(controller.signal)).rejects.toThrow('no longer wanted');
  });
});
