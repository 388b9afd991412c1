import { freePort } from './free-port.js';
import { ServerProcess } from './server-process.js';
import { migratedStorage, siblingHome, type TestStorage } from './storage.js';
import { TelegramWorld } from './telegram-world.js';
import { waitFor } from './wait.js';

type Values = Record<string, unknown>;

/** People who send something in parts between two kills. */
const AT_ONCE = 20;
const LEASE = { WAYSTATION_LEASE_SECONDS: '2' };
/** Longer than a busy machine takes between two parts. */
const GATHER_MS = '6000';
/** By this much a new server extends all waits; also how long a receiver may wait for whoever holds the chat. */
const RESTART_MS = 10_000;
const LOCKS_MS = 3_000;
const BOT = '@WaystationBot';

/** What one person sends: the platform's message ids, and the expected number of runs. */
interface Sent {
  user: number;
  kind: string;
  ids: number[];
}

export interface HuntReport {
  rounds: number;
  parts: number;
  kills: number;
  /** Parts in no run, and in more than one. */
  lost: number[];
  doubled: number[];
  /** What ended up in more than one run although the server had every part in time, with the waits between its parts. */
  split: string[];
  /** Runs whose parts are not in the order of sending. */
  disordered: string[];
}

/** Numbers that are the same in each hunt with this seed. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/**
 * People send albums and pastes while servers are killed between any two parts.
 * @param rounds how many people send something; a server is killed once for every 20
 * @param servers on one database
 */
export async function huntParts(rounds: number, servers: number, seed: number): Promise<HuntReport> {
  const hunt = new PartHunt(servers, numbersFrom(seed));
  try {
    await hunt.start();
    for (let begun = 0; begun < rounds; begun += AT_ONCE) await hunt.round(Math.min(AT_ONCE, rounds - begun));
    await hunt.workedOff();
    return await hunt.report(rounds);
  } finally {
    await hunt.end();
  }
}

class PartHunt {
  private world!: TelegramWorld;
  private storage!: TestStorage;
  private readonly running: ServerProcess[] = [];
  private readonly ports: number[] = [];
  private readonly homes: string[] = [];
  private readonly sent: Sent[] = [];
  private delivered = 0;
  /** When servers were killed. */
  private readonly kills: number[] = [];
  private person = 100;
  private nextId = 1_000_000;

  constructor(
    private readonly servers: number,
    private readonly random: (below: number) => number,
  ) {}

  async start(): Promise<void> {
    this.world = await TelegramWorld.start((run, agent) => agent.answer(run, 'Yes.'));
    this.storage = await migratedStorage();
    for (let at = 0; at < this.servers; at++) {
      this.ports.push(await freePort());
      this.homes.push(at === 0 ? this.storage.home : await siblingHome(this.storage));
    }
    await Promise.all(this.ports.map((_, at) => this.serve(at)));
    await this.world.connect(this.running[0]!.api);
    const { telegram } = this.world;
    telegram.isAnswerLost = () => (this.delivered++, this.random(5) === 0);
    telegram.nextReceiver = () =>
      `http://127.0.0.1:${this.ports[this.random(this.ports.length)]!}/v1/channels/webhook/telegram`;
  }

  /** Half of the parts are delivered, a server is killed and restarted, and the rest follows. */
  async round(people: number): Promise<void> {
    const { telegram, agent } = this.world;
    const before = this.sent.length;
    for (let at = 0; at < people; at++) this.send();
    const target = this.delivered + this.random(people * 4);
    await waitFor('some of it to be delivered', () => this.delivered >= target || telegram.pending === 0);
    const victim = this.random(this.servers);
    this.kills.push(Date.now());
    await this.running[victim]!.kill();
    await this.serve(victim);
    agent.api = this.running[victim]!.api;
    await agent.beat();
    const ids = this.sent.slice(before).flatMap((one) => one.ids.map(String));
    const missing = () => ids.filter((id) => this.runsOf(id) === 0);
    await waitFor('all to reach the agent', () => telegram.pending === 0 && missing().length === 0).catch(async () => {
      const log = await this.world.log(this.running[0]!.api);
      const rows = log.filter(({ direction, status }) => direction === 'in' && status !== 'done');
      const told = { round: this.kills.length, pending: telegram.pending, missing: missing(), rows };
      throw new Error(`Not all reached the agent: ${JSON.stringify(told)}`);
    });
  }

  /** An extra run may start after the last missing one. */
  async workedOff(): Promise<void> {
    await waitFor('all to be worked off', async () => {
      const rows = await this.world.log(this.running[0]!.api);
      return !rows.some(({ direction, status }) => direction === 'in' && ['received', 'started'].includes(status));
    });
  }

  async report(rounds: number): Promise<HuntReport> {
    const arrivals = await this.arrivals();
    const parts = this.sent.flatMap(({ ids }) => ids);
    const counts = parts.map((id) => [id, this.runsOf(String(id))] as const);
    const runs = this.world.agent.runs.map(({ context }) => (context.message_ids as string[]).map(Number));
    return {
      rounds,
      parts: parts.length,
      kills: this.kills.length,
      lost: counts.flatMap(([id, count]) => (count === 0 ? [id] : [])),
      doubled: counts.flatMap(([id, count]) => (count > 1 ? [id] : [])),
      split: this.sent.flatMap(({ kind, ids }) => {
        const count = runs.filter((run) => run.some((id) => ids.includes(id))).length;
        const times = ids.map((id) => arrivals.get(String(id)) ?? 0).sort((a, b) => a - b);
        return count <= 1 || this.isLate(times)
          ? []
          : [`${kind}: ${count} (${times.map((ms) => ms - times[0]!).join()})`];
      }),
      disordered: runs.filter((run) => run.some((id, at) => at > 0 && id < run[at - 1]!)).map(String),
    };
  }

  /** Whether a part arrived when the turn might have been taken, by a server with no reason to wait longer. */
  private isLate(times: readonly number[]): boolean {
    const [firstMs = 0] = times;
    return times.slice(1).some((atMs, i) => {
      let dueMs = Math.min(times[i]! + Number(GATHER_MS), firstMs + 5 * Number(GATHER_MS));
      // Whoever takes the turn next waits longer: the new server, or one that notices the death of another.
      for (const killedMs of this.kills)
        if (killedMs < atMs && dueMs > killedMs) dueMs = Math.max(dueMs, killedMs + RESTART_MS);
      return atMs + LOCKS_MS > dueMs;
    });
  }

  /** When the server received each message, by the platform's id. */
  private async arrivals(): Promise<Map<string, number>> {
    const rows = await this.world.log(this.running[0]!.api);
    return new Map(
      rows.flatMap(({ direction, external_id: id, created_at }) =>
        direction === 'in' && id !== null ? [[id, Date.parse(created_at)]] : [],
      ),
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.running.map((server) => server.stop()));
    await this.world?.close();
    await this.storage?.dispose();
  }

  private runsOf(id: string): number {
    return this.world.agent.runs.filter(({ context }) => (context.message_ids as string[]).includes(id)).length;
  }

  private async serve(at: number): Promise<void> {
    const place = { WAYSTATION_HOME: this.homes[at]!, WAYSTATION_PORT: String(this.ports[at]!) };
    const env = { ...this.world.env, ...LEASE, WAYSTATION_GATHER_MS: GATHER_MS, ...place };
    this.running[at] = await ServerProcess.start(this.storage, { env });
    this.world.agent.api = this.running[at].api;
  }

  private send(): void {
    const kinds = [() => this.album(), () => this.paste(), () => this.albumAmongOthers()];
    kinds[this.random(kinds.length)]!();
  }

  /** Its parts are sent at the same time, in any order. */
  private album(): void {
    const user = this.person++;
    const count = 2 + this.random(9);
    const ids = this.ids(count);
    for (const id of ids) this.push({ id, user, chat: user, lane: `part:${id}` }, pictureOf(`album-${user}`, id));
    this.sent.push({ user, kind: `album of ${count}`, ids });
  }

  /** One part after the other, as Telegram delivers the messages of a chat. */
  private paste(): void {
    const user = this.person++;
    const count = 2 + this.random(4);
    const ids = this.ids(count);
    for (const [at, id] of ids.entries()) {
      const text = String.fromCharCode(97 + at).repeat(at === count - 1 ? 30 : 4096 - this.random(2000));
      this.push({ id, user, chat: user, lane: `chat:${user}` }, { text });
    }
    this.sent.push({ user, kind: `paste of ${count}`, ids });
  }

  /** In a group, with others' messages between its parts. */
  private albumAmongOthers(): void {
    const [user, other] = [this.person++, this.person++];
    const chat = -1_000_000 - user;
    const count = 2 + this.random(9);
    const ids: number[] = [];
    for (let at = 0; at < count; at++) {
      const [id] = this.ids(1);
      const call = { caption: `${BOT} look`, caption_entities: [{ type: 'mention', offset: 0, length: BOT.length }] };
      const content = { ...pictureOf(`album-${user}`, id!), ...(at === 0 ? call : {}) };
      this.push({ id: id!, user, chat, lane: `chat:${chat}` }, content);
      ids.push(id!);
      if (this.random(2) === 0) continue;
      const [between] = this.ids(1);
      const entities = [{ type: 'mention', offset: 0, length: BOT.length }];
      this.push({ id: between!, user: other, chat, lane: `chat:${chat}` }, { text: `${BOT} and me`, entities });
      this.sent.push({ user: other, kind: 'text of another', ids: [between!] });
    }
    this.sent.push({ user, kind: `album of ${count} in a group`, ids });
  }

  private push(at: { id: number; user: number; chat: number; lane: string }, content: Values): void {
    const type = at.chat < 0 ? 'supergroup' : 'private';
    this.world.telegram.chats.add(String(at.chat));
    const message = {
      ...{
        message_id: at.id,
        date: Math.floor(Date.now() / 1000),
        from: { id: at.user, is_bot: false, first_name: 'P' },
      },
      ...{ chat: { id: at.chat, type }, ...content },
    };
    this.world.telegram.push({ message }, at.lane);
  }

  private ids(count: number): number[] {
    return Array.from({ length: count }, () => this.nextId++);
  }
}

function pictureOf(album: string, id: number): Values {
  return { media_group_id: album, photo: [{ file_id: `f${id}`, width: 1, height: 1, file_size: 5 }] };
}
