import { FaultList } from '../../bench/generator/fault-list.mjs';
import { isRetryable } from '../support/client.mjs';
import { Reporters, whileReporting } from '../support/reporters.mjs';
import { until } from '../support/until.mjs';

/** @type {import('./scenario.mjs').Scenario} */
export const rollingRestart = {
  name: 'rolling-restart',
  title: 'one server after the other is stopped and started behind a proxy that knows nothing of it',
  databases: ['postgres'],
  run,
};

async function run(stage) {
  await stage.startServers(stage.sizes.instances);
  const proxy = await stage.proxy();
  const client = stage.client(proxy);
  const rounds = stage.isShort ? 1 : Math.min(stage.rounds, 5);
  stage.tried(
    `${rounds} times all of ${stage.servers.length} servers in turn, while 12 agents report and 2 people read`,
  );
  const reporters = new Reporters(() => client, { name: 'rolling', writers: 12 });
  const readers = new Readers(client, ['/threads?limit=20', '/v1/runners/threads/rolling-0/latest']);
  const exits = await whileReporting(reporters, () => restartAll(stage, proxy, reporters, rounds));
  await readers.stop();
  stage.expect(
    'A server that is asked to stop ends with code 0.',
    exits.every((end) => end === null),
    exits.find(Boolean) ?? 'all did',
  );
  stage.expectNoFault(
    'No report fails in a way that a client would not try again.',
    reporters.faults,
    reporters.againText,
  );
  stage.expectNoFault(
    'No question does either.',
    readers.faults,
    `${readers.answered} answered, ${readers.again} asked again`,
  );
  const faults = await reporters.verify(stage.client(stage.servers[0]));
  stage.expectNoFault('Nothing acknowledged is lost.', faults, `${reporters.total} steps read back`);
}

async function restartAll(stage, proxy, reporters, rounds) {
  const exits = [];
  const count = stage.servers.length;
  for (let turn = 0; turn < rounds * count; turn += 1) {
    const before = reporters.total;
    await until('reports to go on', () => reporters.total > before + 50);
    const [oldest] = stage.servers;
    exits.push(
      await stage.stop(oldest).then(
        () => null,
        (error) => error.message,
      ),
    );
    const fresh = await stage.startServer();
    proxy.replace(oldest, fresh);
  }
  return exits;
}

/** People who read repeatedly. */
class Readers {
  faults = new FaultList();
  answered = 0;
  again = 0;
  #isStopped = false;
  #ended;

  constructor(client, paths) {
    this.#ended = Promise.all(paths.map((path) => this.#ask(client, path)));
  }

  async stop() {
    this.#isStopped = true;
    await this.#ended;
  }

  async #ask(client, path) {
    while (!this.#isStopped) {
      const answer = await client.get(path).catch(() => null);
      const isUnknownYet = answer?.status === 404;
      if (answer?.status === 200 || isUnknownYet) this.answered += 1;
      else if (answer === null || isRetryable(answer)) this.again += 1;
      else this.faults.add(`${answer.status} ${answer.bytes.toString().slice(0, 200)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
