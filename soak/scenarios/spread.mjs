import { EventStream } from '../support/event-stream.mjs';
import { checkpointText } from '../support/events.mjs';
import { Reporters, whileReporting } from '../support/reporters.mjs';

/** @type {import('./scenario.mjs').Scenario} */
export const spread = {
  name: 'spread',
  title: 'the events of one thread arrive at different servers; streams and long polls hang on others than the writes',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  await stage.startServers(stage.sizes.instances);
  await reportThroughAll(stage);
  await followElsewhere(stage);
  await waitElsewhere(stage);
}

async function reportThroughAll(stage) {
  const proxied = stage.client(await stage.proxy());
  const [writers, steps] = stage.isShort ? [8, 15] : [32, 100];
  stage.tried(`${writers} threads of ${steps} steps, each request to the next of ${stage.servers.length} servers`);
  const reporters = new Reporters(() => proxied, { name: 'spread', writers, steps });
  await whileReporting(reporters, () => reporters.ended());
  stage.expectNoFault('Any server takes any event of any thread.', reporters.faults, reporters.againText);
  for (const server of stage.servers) {
    const faults = await reporters.verify(stage.client(server));
    stage.expectNoFault('Each reads back every step in order, byte for byte.', faults, `${reporters.total} steps`);
  }
}

/** Streams at every server; each step is reported to the next one. */
async function followElsewhere(stage) {
  const clients = stage.servers.map((server) => stage.client(server));
  const steps = stage.isShort ? 20 : 300;
  stage.tried(
    `a stream at each server while ${steps} steps are reported to them in turn; the first is cut and resumed elsewhere`,
  );
  await clients[0].record(checkpointText('followed', 0));
  const streams = await Promise.all(clients.map((client) => EventStream.open(client, '/threads/followed/stream')));
  for (const stream of streams) await stream.until('its beginning', ({ seen }) => seen.length > 0);
  for (let step = 1; step <= steps; step += 1) {
    await clients[step % clients.length].record(checkpointText('followed', step));
    if (step === steps / 2) streams[0].close();
  }
  const resumed = await EventStream.open(clients[1], '/threads/followed/stream', streams[0].seen.at(-1).id);
  const stepsOf = (stream) => stream.ofType('checkpoint').map(({ data }) => data.step_index);
  for (const stream of [...streams.slice(1), resumed])
    await stream.until('the last step', () => stepsOf(stream).at(-1) === steps);
  const all = Array.from({ length: steps + 1 }, (_, step) => step).join();
  const told = [...streams.slice(1).map(stepsOf), [...stepsOf(streams[0]), ...stepsOf(resumed)]];
  stage.expect(
    'Every stream brings every step once and in order, also one that is resumed at another server.',
    told.every((list) => list.join() === all),
    told.map((list) => `${list.length} steps`).join(', '),
  );
  for (const stream of [...streams, resumed]) stream.close();
}

async function waitElsewhere(stage) {
  const clients = stage.servers.map((server) => stage.client(server));
  const rounds = stage.isShort ? 10 : 200;
  stage.tried(`${rounds} long polls at one server, answered by a write at another`);
  const path = '/v1/runners/threads/awaited/latest';
  await clients[0].record(checkpointText('awaited', 0));
  const delaysMs = [];
  for (let step = 1; step <= rounds; step += 1) {
    const [writer, reader] = [clients[step % clients.length], clients[(step + 1) % clients.length]];
    const { headers } = await reader.get(path);
    const held = reader.get(`${path}?wait=30`, { headers: { 'if-none-match': headers.etag } });
    const answered = held.then(({ status }) => ({ status, atMs: performance.now() }));
    await writer.record(checkpointText('awaited', step));
    const writtenMs = performance.now();
    const { status, atMs } = await answered;
    delaysMs.push(status === 200 ? atMs - writtenMs : Infinity);
  }
  const worst = Math.max(...delaysMs);
  stage.expect(
    `A long poll is answered within ${stage.patience(1000) / 1000} s of the write.`,
    worst < stage.patience(1000),
    `at most ${worst.toFixed(0)} ms after it`,
  );
}
