import { Clock } from '../../../src/common/clock.js';
import { checkpoint } from '../../factories/events.js';
import type { Answer, ApiClient } from '../api-client.js';
import { EventStream } from '../event-stream.js';
import { HeldWriter } from '../held-writer.js';
import { startApp, type InProcessApp } from '../in-process-app.js';
import { ok, record, threadPath } from '../recording.js';
import { migratedStorage, type TestStorage } from '../storage.js';
import { lastSeqOf, normalised, readingsOf, toldUpTo, whenever, withoutPassing, type Outcome } from './readings.js';
import { importsOf, ordersOf, titleOf, type Race } from './race.js';
import { prepare, ROUTES, type RacedThread } from './routes.js';

/** Requests of a batch of races that are held together: a commit group takes at most this many jobs. */
const MOST_JOBS = 60;
/** Between the story, the race and what follows. */
const PHASE_MS = 1_000;
/** Of a race whose outcome matches no order, the most similar ones shown. */
const SHOWN_ORDERS = 2;

/** The time of all servers of a track. It stands still, so that simultaneous actions have the same times everywhere. */
class StoppedClock extends Clock {
  ms = Date.now();

  override nowMs(): number {
    return this.ms;
  }
}

/** A server, and what its requests need besides the names of their thread. */
interface Side {
  server: InProcessApp;
  common: Pick<RacedThread, 'api' | 'bound' | 'lines'>;
  watch: EventStream;
}

/** A race with the names of its thread, which are the same on all servers. */
interface Entry {
  race: Race;
  names: Pick<RacedThread, 'id' | 'trace' | 'agent'>;
}

/** A raced thread on some servers. */
interface Course extends Entry {
  on: readonly RacedThread[];
  /** The events for a subscriber on each server; only for threads that existed before the race. */
  live: readonly EventStream[];
}

/** A race's outcome, to be compared again later. */
interface Finished extends Entry {
  outcome: Outcome;
  /** The server where the requests one by one had the same outcome; null if none. */
  like: Side | null;
}

/**
 * Runs races for threads on one storage, and the same requests one by one, in all orders, on others. They differ only in random values:
 * threads have the same names, and everything happens at the same time.
 */
export class RaceTrack {
  private readonly clock = new StoppedClock();
  private readonly storages: TestStorage[] = [];
  private readonly orders: Side[] = [];
  private readonly batches: { readAtMs: number; finished: Finished[] }[] = [];
  private racers: Side[] = [];
  private readers: Side[] = [];
  private count = 0;
  /** One export for all servers: it contains the times of the first. */
  private lines: string | null = null;

  /** @param servers that get the requests of a race in turn; more than one only on PostgreSQL, where a further one only reads */
  static async open(servers: number): Promise<RaceTrack> {
    const track = new RaceTrack();
    const storage = await track.newStorage();
    for (let at = 0; at < servers; at++) track.racers.push(await track.start(storage));
    if (storage.dialect === 'postgres') track.readers.push(await track.start(storage));
    return track;
  }

  /** Runs the races. @returns differences from one-by-one execution, or between servers */
  async race(races: readonly Race[]): Promise<string[]> {
    const found: string[] = [];
    for (const batch of batchesOf(races)) {
      const entries = batch.map((race): Entry => ({ race, names: this.newNames() }));
      found.push(...(await this.raceBatch(entries)));
      this.clock.ms += 3 * PHASE_MS;
    }
    return found;
  }

  /** Restarts the servers. @returns changes in their responses, and what watchers of all threads have missed */
  async end(): Promise<string[]> {
    const found = await this.missed();
    const [storage] = this.storages;
    for (const { server } of [...this.racers, ...this.readers].splice(0)) await server.stop();
    const again = await this.start(storage!);
    [this.racers, this.readers] = [[again], []];
    // Threads that were read at the same time are read together again.
    for (const { readAtMs, finished } of this.batches) {
      this.clock.ms = readAtMs;
      const outcomes = finished.map(({ outcome }) => outcome);
      found.push(...(await toldElsewhere(again, finished, { where: 'after a restart', outcomes })));
    }
    return found;
  }

  async close(): Promise<void> {
    const sides = [...this.racers, ...this.readers, ...this.orders];
    for (const { watch, server } of sides) {
      watch.close();
      await server.stop();
    }
    for (const storage of this.storages) await storage.dispose();
  }

  private async raceBatch(entries: readonly Entry[]): Promise<string[]> {
    const startedMs = this.clock.ms;
    const raced = await this.play(this.racers, entries, (courses) => this.together(courses));
    const readAtMs = this.clock.ms;
    const found: string[] = [];
    for (const side of [...this.racers, ...this.readers].slice(1)) {
      found.push(...(await toldElsewhere(side, entries, { where: 'on another server', outcomes: raced })));
    }
    this.clock.ms = startedMs;
    const first = await this.order(0);
    const alone = await this.play([first], entries, (courses) => inTurn(courses));
    const finished: Finished[] = [];
    for (const [at, entry] of entries.entries()) {
      const outcome = raced[at]!;
      const { like, told } = await this.compare(entry, outcome, { startedMs, orders: [alone[at]!] });
      found.push(...told);
      finished.push({ ...entry, outcome, like });
    }
    this.batches.push({ readAtMs, finished });
    this.clock.ms = readAtMs;
    return found;
  }

  /** Tries further orders until one matches the race. */
  private async compare(
    entry: Entry,
    outcome: Outcome,
    { startedMs, orders }: { startedMs: number; orders: Outcome[] },
  ): Promise<{ like: Side | null; told: string[] }> {
    const all = ordersOf(entry.race.together.map((_, at) => at));
    for (const at of all.keys()) {
      const side = await this.order(at);
      if (at > 0) {
        this.clock.ms = startedMs;
        orders.push(...(await this.play([side], [entry], (courses) => inTurn(courses, all[at]))));
      }
      if (differences(entry.race, '', outcome, [orders[at]!]).length === 0) return { like: side, told: [] };
    }
    return { like: null, told: differences(entry.race, 'otherwise than in any order', outcome, orders) };
  }

  /** The threads' stories, the race, and what follows. */
  private async play(
    sides: readonly Side[],
    entries: readonly Entry[],
    make: (courses: readonly Course[]) => Promise<Answer[][]>,
  ): Promise<Outcome[]> {
    const courses = await Promise.all(entries.map((entry) => begin(sides, entry)));
    this.clock.ms += PHASE_MS;
    const made = await make(courses);
    this.clock.ms += PHASE_MS;
    return Promise.all(courses.map((course, at) => outcomeOf(course, made[at]!)));
  }

  /** Makes the requests of each race share one commit, or compete for it from several servers. */
  private async together(courses: readonly Course[]): Promise<Answer[][]> {
    const writers: HeldWriter[] = [];
    for (const { server } of this.racers) writers.push(await HeldWriter.hold(server));
    const queued: Promise<Answer>[][] = courses.map(() => []);
    try {
      for (const [at, { race, on }] of courses.entries()) {
        for (const [number, name] of race.together.entries()) {
          const { answer } = await writers[number % writers.length]!.queue(() => ROUTES[name]!(turn(on, number)));
          queued[at]!.push(answer);
        }
      }
    } finally {
      await Promise.all(writers.map((writer) => writer.goOn()));
    }
    return Promise.all(queued.map((answers) => Promise.all(answers)));
  }

  /** Differences between watchers of all threads and watchers of single ones. */
  private async missed(): Promise<string[]> {
    const sides = [...this.racers, ...this.readers, ...this.orders];
    await Promise.all(sides.map(waitForWatch));
    const watched = new Map(sides.map((side) => [side, watchedOf(side)]));
    const finished = this.batches.flatMap((batch) => batch.finished);
    return finished.flatMap(({ race, names: { id }, like }) => {
      if (like === null) return [];
      const expected = watched.get(like)!(id);
      return [...this.racers, ...this.readers].flatMap((side) =>
        differences(race, 'to who watches all threads', watched.get(side)!(id), [expected]),
      );
    });
  }

  private async order(at: number): Promise<Side> {
    while (this.orders.length <= at) this.orders.push(await this.start(await this.newStorage()));
    return this.orders[at]!;
  }

  private newNames(): Entry['names'] {
    this.count += 1;
    const key = String(this.count).padStart(6, '0');
    return { id: `raced-${key}`, trace: `trace-${key}`, agent: `agent-${key}` };
  }

  private async newStorage(): Promise<TestStorage> {
    const storage = await migratedStorage();
    this.storages.push(storage);
    return storage;
  }

  private async start(storage: TestStorage): Promise<Side> {
    const server = await startApp({ storage, clock: this.clock, env: { WAYSTATION_DATABASE_POOL_SIZE: '4' } });
    const { api } = server;
    // On a busy machine, a server would close connections just when the client reuses them.
    server.app.getHttpServer().keepAliveTimeout = 0;
    const made = await api.post('/v1/tokens', { scope: 'runner', agent_ids: ['guest'] });
    this.lines ??= await linesOf(api);
    const bound = api.as(made.json<{ token: string }>().token);
    return {
      server,
      common: { api, bound, lines: this.lines },
      watch: await EventStream.open(api, '/v1/threads/stream'),
    };
  }
}

/** Another thread as JSON lines. */
async function linesOf(api: ApiClient): Promise<string> {
  const source = 'imported-source';
  await record(api, checkpoint(source, 0));
  return ok(await api.get(`/v1/threads/${source}/export`)).text;
}

/** A server allows two imports at once. */
function batchesOf(races: readonly Race[]): Race[][] {
  const batches: Race[][] = [];
  let [jobs, imports] = [MOST_JOBS, 0];
  for (const race of races) {
    [jobs, imports] = [jobs + race.together.length, imports + importsOf(race)];
    if (jobs > MOST_JOBS || imports > 2) {
      batches.push([]);
      [jobs, imports] = [race.together.length, importsOf(race)];
    }
    batches.at(-1)!.push(race);
  }
  return batches;
}

async function begin(sides: readonly Side[], { race, names }: Entry): Promise<Course> {
  let on = sides.map(({ common }): RacedThread => ({ ...common, ...names, fence: 1 }));
  if (race.isKnown) {
    const { fence } = await prepare(on[0]!);
    on = on.map((thread) => ({ ...thread, fence }));
  }
  for (const [at, name] of race.before.entries()) await ROUTES[name]!(turn(on, at));
  const opened = await Promise.all(on.map(({ api, id }) => EventStream.open(api, threadPath(id, '/stream'))));
  const live = opened.filter(({ response }) => response.statusCode === 200);
  await Promise.all(live.map((stream) => stream.until('the latest checkpoint', ({ lastId }) => lastId !== null)));
  return { race, names, on, live };
}

/** Each thread's requests one by one. */
function inTurn(courses: readonly Course[], order?: readonly number[]): Promise<Answer[][]> {
  return Promise.all(
    courses.map(async ({ race, on }) => {
      const answers: Answer[] = [];
      for (const at of order ?? race.together.keys()) answers[at] = await ROUTES[race.together[at]!]!(turn(on, at));
      return answers;
    }),
  );
}

async function outcomeOf({ race, on, live }: Course, answers: readonly Answer[]): Promise<Outcome> {
  const named = [...race.together.entries()].map(([at, name]) => [`${at + 1} ${name}`, normalised(answers[at]!)]);
  for (const [at, name] of race.after.entries()) {
    const answer = await ROUTES[name]!(turn(on, at + 1));
    answers = [...answers, answer];
    named.push([`then ${at + 1} ${name}`, normalised(answer)]);
  }
  const [first] = on;
  const names = [...race.together, ...race.after];
  const isDeleted = names.some((name, at) => name === 'deletes the thread' && answers[at]!.status === 204);
  const told = await Promise.all(live.map((stream) => toldLive(stream, first!.api, first!.id, isDeleted)));
  const seen = told.map((text, at) => [`live events ${at === 0 ? '' : 'elsewhere'}`, text]);
  return { ...Object.fromEntries([...named, ...seen]), ...(await readingsOf(first!.api, first!)) };
}

/** A subscriber's events. For a deleted thread only its end, because how far the subscriber had come is unknown. */
async function toldLive(stream: EventStream, api: ApiClient, threadId: string, isDeleted: boolean): Promise<string> {
  try {
    if (isDeleted) {
      await stream.untilEnd();
      return 'ended';
    }
    return whenever(await toldUpTo(stream, (await lastSeqOf(api, threadId))!));
  } finally {
    stream.close();
  }
}

/** Sends requests to the servers in turn. */
function turn(on: readonly RacedThread[], number: number): RacedThread {
  return on[number % on.length]!;
}

/** Where a server's responses differ from these races' outcomes. */
async function toldElsewhere(
  { server, common }: Side,
  entries: readonly Entry[],
  { where, outcomes }: { where: string; outcomes: readonly Outcome[] },
): Promise<string[]> {
  const told = entries.map(async ({ race, names }, at) => {
    const readings = await readingsOf(server.api, { ...names, ...common, fence: 1 });
    return differences(race, where, readings, [outcomes[at]!]);
  });
  return (await Promise.all(told)).flat();
}

/** Differences from each of the orders; nothing if one of them matches. */
function differences(race: Race, where: string, outcome: Outcome, orders: readonly Outcome[]): string[] {
  const byOrder = orders.map((order) =>
    Object.keys(outcome).filter((name) => name in order && order[name] !== outcome[name]),
  );
  if (byOrder.some((names) => names.length === 0)) return [];
  const told = [...byOrder.entries()]
    .sort(([, one], [, other]) => one.length - other.length)
    .map(([at, names]) => `${names.join(', ')}: ${parted(outcome[names[0]!]!, orders[at]![names[0]!]!)}`);
  return [`${titleOf(race)}: ${where}\n  ${told.slice(0, SHOWN_ORDERS).join('\n  ')}`];
}

/** Both from a little before the place where they differ. */
function parted(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const from = Math.max(0, at - 60);
  return [one, other].map((text) => text.slice(from, at + 120)).join(' | ');
}

/** For each thread the last item, and everything else in order, but nothing from before its deletion, which later readers do not find. */
function watchedOf({ watch }: Side): (threadId: string) => Outcome {
  const byThread = new Map<string, { item: string; others: string[] }>();
  for (const { event, data } of watch.seen) {
    const { thread_id: threadId } = JSON.parse(data) as { thread_id: string };
    const { item, others } = byThread.get(threadId) ?? { item: '', others: [] };
    const told = `${event} ${withoutPassing(data)}`;
    if (event === 'thread') byThread.set(threadId, { item: told, others });
    else
      byThread.set(threadId, event === 'deleted' ? { item: '', others: [told] } : { item, others: [...others, told] });
  }
  return (threadId) => {
    const { item = '', others = [] } = byThread.get(threadId) ?? {};
    return { 'the last item': item, 'other changes': others.join('\n') };
  };
}

/** Waits until the stream has reported everything so far. */
async function waitForWatch({ server, watch }: Side): Promise<void> {
  const last = 'the-last-thread';
  await record(server.api, checkpoint(last, watch.seen.length));
  await watch.until('the last change', ({ seen }) => seen.some(({ data }) => data.includes(last)));
}
