import { createHash, randomBytes } from 'node:crypto';
import { memoryOf, resetPeakMemory } from '../../bench/support/process-stats.mjs';
import { DEPLOYED_HEAP } from '../support/heap-limit.mjs';

const MIB = 1024 * 1024;
/**
 * Concurrent graphs, steps of each, and bytes that a step adds to its conversation. A checkpoint has all of it, and a long constant value.
 */
const SIZES = {
  short: { graphs: 4, steps: 12, addedBytes: 32 * 1024, sharedBytes: MIB },
  full: { graphs: 8, steps: 40, addedBytes: 16 * 1024, sharedBytes: MIB },
};
/** Limit of memory beyond that at rest: the heap, bodies, caches, and the allocator's reserve. */
const LIMIT_MIB = 700;
/** Checkpoints per response. */
const PAGE = 20;

/** @type {import('./scenario.mjs').Scenario} */
export const graphStates = {
  name: 'graph-states',
  title: '100 MB of checkpoints of graphs, written, read and deleted by many at once',
  databases: ['sqlite', 'postgres'],
  run,
};

async function run(stage) {
  const { graphs: count, ...sizes } = stage.isShort ? SIZES.short : SIZES.full;
  const server = await stage.startServer(DEPLOYED_HEAP);
  const client = stage.client(server);
  const graphs = Array.from({ length: count }, (_, n) => new Graph(client, `graph-${n}`, sizes));
  await graphs[0].warmUp();
  resetPeakMemory(server.pid);
  const atRest = memoryOf(server.pid).nowBytes;
  const begun = performance.now();
  await Promise.all(graphs.map((graph) => graph.write()));
  const writtenS = (performance.now() - begun) / 1000;
  const sent = graphs.reduce((sum, graph) => sum + graph.bytes, 0);
  stage.tried(
    `${count} graphs of ${sizes.steps} steps, ${(sent / 1e6).toFixed(0)} MB of checkpoints in ${writtenS.toFixed(1)} s`,
  );
  const read = (await Promise.all(graphs.flatMap((graph) => [graph.read(), graph.read()]))).flat();
  const wrong = read.filter((fault) => fault !== null);
  stage.expect('Every checkpoint reads back exactly.', wrong.length === 0, wrong[0] ?? `${read.length} reads`);
  await Promise.all(graphs.map((graph) => graph.prune()));
  const left = await Promise.all(graphs.map((graph) => graph.left()));
  const isPruned = left.every((one) => one === null);
  stage.expect('Deleting all but the newest leaves it whole.', isPruned, left.find((one) => one !== null) ?? 'whole');
  const grown = (memoryOf(server.pid).peakBytes - atRest) / MIB;
  const seen = `${grown.toFixed(0)} MiB more at most than ${(atRest / MIB).toFixed(0)} MiB at rest`;
  stage.expect(`Memory grows by less than ${LIMIT_MIB} MiB.`, grown < LIMIT_MIB, seen);
  await stage.stop(server);
}

/** A conversation that each step stores in full. */
class Graph {
  #client;
  #id;
  #sizes;
  /** Digests of the conversation, by checkpoint. @type {string[]} */
  #digests = [];
  #shared;

  constructor(client, id, sizes) {
    this.#client = client;
    this.#id = id;
    this.#sizes = sizes;
    this.#shared = randomBytes(sizes.sharedBytes);
    /** Of all values sent. */
    this.bytes = 0;
  }

  /** Does everything once, so that memory for late loading counts as rest. */
  async warmUp() {
    await this.#put('warm', { said: { version: 1, type: 'bytes', data: 'AA==' } });
    await this.#client.json(this.#list(1));
    await this.#delete(['warm']);
  }

  async write() {
    let conversation = Buffer.alloc(0);
    for (let step = 0; step < this.#sizes.steps; step += 1) {
      conversation = Buffer.concat([conversation, randomBytes(this.#sizes.addedBytes)]);
      const data = conversation.toString('base64');
      const shared = step === 0 ? { data: this.#shared.toString('base64') } : { digest: digestOf(this.#shared) };
      await this.#put(idOf(step), {
        said: { version: step + 1, type: 'bytes', data },
        shared: { version: 1, type: 'bytes', ...shared },
      });
      this.#digests.push(digestOf(conversation));
      this.bytes += conversation.length + (step === 0 ? this.#shared.length : 0);
    }
  }

  /** @returns {Promise<(string | null)[]>} the fault of each checkpoint */
  async read() {
    const faults = [];
    let cursor = '';
    do {
      const { items, next_cursor } = await this.#client.json(`${this.#list(PAGE)}${cursor}`);
      for (const item of items) faults.push(this.#faultOf(item, this.#sizes.steps - 1 - faults.length));
      cursor = next_cursor === null ? null : `&cursor=${next_cursor}`;
    } while (cursor !== null);
    return faults.length === this.#sizes.steps ? faults : [...faults, `${faults.length} checkpoints of ${this.#id}`];
  }

  async prune() {
    await this.#delete(this.#digests.slice(0, -1).map((_, step) => idOf(step)));
  }

  /** @returns {Promise<string | null>} the fault of what is left */
  async left() {
    const { items } = await this.#client.json(this.#list(PAGE));
    if (items.length !== 1) return `${items.length} checkpoints of ${this.#id} are left`;
    return this.#faultOf(items[0], this.#sizes.steps - 1);
  }

  #faultOf({ checkpoint_id: id, values }, step) {
    if (id !== idOf(step)) return `${id} of ${this.#id} stands where ${idOf(step)} belongs`;
    const [said, shared] = [values.said, values.shared].map(({ data }) => digestOf(Buffer.from(data, 'base64')));
    return said === this.#digests[step] && shared === digestOf(this.#shared) ? null : `${id} of ${this.#id} differs`;
  }

  async #put(id, values) {
    const body = { checkpoint: { type: 'json', data: 'e30=' }, metadata: { source: 'loop' }, values };
    const headers = { 'content-type': 'application/json' };
    const { status } = await this.#client.send('PUT', `${this.#path}/${id}`, JSON.stringify(body), { headers });
    if (status !== 201) throw new Error(`not stored: ${status}`);
  }

  async #delete(ids) {
    const checkpoints = ids.map((checkpoint_id) => ({ checkpoint_id }));
    const { status } = await this.#client.post(`${this.#path}/delete`, { checkpoints });
    if (status !== 204) throw new Error(`not deleted: ${status}`);
  }

  get #path() {
    return `/v1/runners/threads/${this.#id}/state`;
  }

  #list(limit) {
    return `/v1/runners/state?thread_id=${this.#id}&limit=${limit}`;
  }
}

function idOf(step) {
  return `c${String(step).padStart(4, '0')}`;
}

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
