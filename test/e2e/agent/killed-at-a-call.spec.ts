import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { newThreadId } from '../../factories/events.js';
import { PROVIDER_SHAPES, type ProviderShape } from '../../support/pairing/provider-shapes.js';
import type { JsonObject } from '../../support/pairing/faults.js';
import { latestOf } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();

/**
 * An agent that asks a model, claims each tool call, makes it, settles it, and reports after each step. When started again, it continues
 * with the history for the model.
 */
const AGENT = `
import { WaystationClient } from '${path.resolve(import.meta.dirname, '../../../dist/client/waystation-client.js')}';
const { WORLD, API, TOKEN, THREAD, FIRST } = process.env;
const client = new WaystationClient({ apiUrl: API, token: TOKEN, agentId: 'support' });
const send = async (method, url, body) => {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + TOKEN };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(url + ' ' + answer.status + ' ' + await answer.text());
  return answer.json();
};
const saved = await client.latest(THREAD, { resume: 'safe' });
const run = await client.start({ thread_id: THREAD, trace_id: 'run-1' });
const history = saved?.history_for_model ?? [JSON.parse(FIRST)];
for (let step = saved ? saved.step_index + 1 : 0; ; step++) {
  const { message, call } = await send('POST', WORLD + '/model', history);
  history.push(message);
  await client.checkpoint({ ...run, step_index: step, history });
  while (!(await client.flush()));
  if (!call) break;
  const effects = API + '/v1/runners/threads/' + THREAD + '/effects';
  await send('POST', effects, { ...call, trace_id: run.trace_id, agent_id: 'support', key: 'refund:4711' });
  const result = await send('POST', WORLD + '/bank', call.args);
  await send('PUT', effects + '/refund:4711', { outcome: 'completed', result });
  await send('POST', WORLD + '/settled', {});
  throw new Error('it should be dead by now');
}
await client.complete(run);
await client.close();
`;

const CALL = { id: 'call_1', name: 'refund', args: { order: 4711 }, result: '' };

/** A model that refuses what its shape's provider would refuse, and a bank that may or may not respond in time. */
class World {
  readonly asked: JsonObject[][] = [];
  readonly faults: string[] = [];
  payments = 0;
  private readonly messages: readonly JsonObject[];
  private readonly http: Server;

  constructor(
    private readonly shape: ProviderShape,
    /** Where the agent is killed. */
    private readonly deadlyPath: string,
    private readonly kill: () => void,
  ) {
    const asked = [{ user: 'Refund it.' }, { model: null, calls: [CALL] }];
    const answered = shape.write([...asked, { results: [CALL] }, { model: 'Done.', calls: [] }]);
    this.messages = [...shape.write(asked), answered.at(-1)!];
    this.http = createServer((request, response) => {
      void this.answer(request).then((body) => response.end(JSON.stringify(body)));
    });
  }

  get first(): JsonObject {
    return this.messages[0]!;
  }

  async listen(): Promise<string> {
    this.http.listen(0, '127.0.0.1');
    await once(this.http, 'listening');
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  close(): void {
    this.http.closeAllConnections();
    this.http.close();
  }

  private async answer(request: IncomingMessage): Promise<unknown> {
    const body = JSON.parse(await text(request)) as unknown;
    if (request.url === '/bank') this.payments += 1;
    if (request.url === this.deadlyPath) this.kill();
    if (request.url !== '/model') return { transfer: 'T-1' };
    const history = body as JsonObject[];
    this.asked.push(history);
    this.faults.push(...this.shape.faultsOf(history));
    const isCalled = JSON.stringify(history).includes('refund');
    if (isCalled) return { message: this.messages.at(-1) };
    return { message: this.messages[1], call: { tool: 'refund', args: CALL.args, call_id: CALL.id } };
  }
}

/** Runs the agent until it is killed, then once more. @returns what the world saw */
async function killedAt(deadlyPath: string, shape: ProviderShape) {
  const threadId = newThreadId();
  const agents: ReturnType<typeof spawn>[] = [];
  const world = new World(shape, deadlyPath, () => agents.at(-1)!.kill('SIGKILL'));
  const program = path.join(server.storage.home, 'killed-agent.mjs');
  await writeFile(program, AGENT);
  const env = {
    ...{ PATH: process.env.PATH, WORLD: await world.listen(), THREAD: threadId, FIRST: JSON.stringify(world.first) },
    ...{ API: server.process.address, TOKEN: server.storage.secret },
  };
  const ends: (string | number | null)[] = [];
  for (let start = 0; start < 2; start++) {
    const agent = spawn(process.execPath, [program], {
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    agents.push(agent);
    const [code, signal] = (await once(agent, 'exit')) as [number | null, string | null];
    ends.push(signal ?? code);
  }
  world.close();
  return { world, ends, latest: await latestOf(server.api, threadId) };
}

describe('An agent that is killed between a tool call and its result', () => {
  it.each(PROVIDER_SHAPES)('goes on with the result of the ledger, in the shape of $name', async (shape) => {
    const { world, ends, latest } = await killedAt('/settled', shape);
    expect(ends).toEqual(['SIGKILL', 0]);
    expect(world.faults).toEqual([]);
    expect(JSON.stringify(world.asked.at(-1))).toContain('T-1');
    expect([world.payments, latest.status]).toEqual([1, 'completed']);
  });

  it('is told that it is not known where the call was still on its way', async () => {
    const { world, ends } = await killedAt('/bank', PROVIDER_SHAPES[0]!);
    expect(ends).toEqual(['SIGKILL', 0]);
    expect(world.faults).toEqual([]);
    expect(world.asked.at(-1)!.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringContaining('it is not known whether it took effect'),
    });
    expect(world.payments).toBe(1);
  });
});
