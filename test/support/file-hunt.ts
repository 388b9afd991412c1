import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SentFile } from '../fakes/platforms/form-data.js';
import { SlackFake } from '../fakes/platforms/slack-fake.js';
import { TelegramFake } from '../fakes/platforms/telegram-fake.js';
import { WhatsappFake } from '../fakes/platforms/whatsapp-fake.js';
import { AgentRunner } from './agent-runner.js';
import { connectWhatsapp, createReadyChannel, setUpWebhook, telegramOrder, type MessageRecord } from './channels.js';
import { freePort } from './free-port.js';
import { numbersFrom } from './part-hunt.js';
import { ServerProcess } from './server-process.js';
import { migratedStorage, type TestStorage } from './storage.js';
import { waitFor } from './wait.js';

/** People per platform who ask for files in a round. */
const AT_ONCE = 2;
const FILES = 2;
const LEASE = { WAYSTATION_LEASE_SECONDS: '2' };
/** A platform's longest pause before each part of its work, in milliseconds. */
const SLOWEST_MS = 250;
/** More calls than the platforms receive in a round. */
const CALLS = 40;

/** Writes identifiable files of several pieces each and sends them. Prints text if its message asks for it. */
const PROGRAM = `
  const fs = require('node:fs');
  const path = require('node:path');
  const { message } = JSON.parse(fs.readFileSync(0, 'utf8'));
  for (let n = 0; n < ${FILES}; n++) {
    const name = message.split(' ')[0] + '-' + n + '.txt';
    fs.writeFileSync(path.join(process.env.WAYSTATION_RUN_DIR, name), (name + ' ').repeat(25_000));
    console.log(JSON.stringify({ type: 'attachment', data: { path: name } }));
  }
  if (message.endsWith('words')) console.log('Here they are.');`;

/** A requested file. */
interface Wanted {
  name: string;
  channelId: string;
}

type FileRecord = MessageRecord & { file: { name: string } | null };

export interface FileHuntReport {
  rounds: number;
  files: number;
  kills: { server: number; agents: number; platforms: number };
  sent: number;
  unknown: number;
  /** Files that a chat shows twice or truncated. */
  twice: string[];
  damaged: string[];
  /** Files that no chat shows although the log does not call their outcome unknown, with the log's text. */
  lost: string[];
}

/**
 * Agents send files to three slow platforms while the server, the agent process, a platform or several of them are killed at any moment.
 */
export async function huntFiles(rounds: number, seed: number): Promise<FileHuntReport> {
  const hunt = new FileHunt(numbersFrom(seed));
  try {
    await hunt.start();
    for (let round = 0; round < rounds; round++) await hunt.round();
    return await hunt.report(rounds);
  } finally {
    await hunt.end();
  }
}

class FileHunt {
  private readonly wanted: Wanted[] = [];
  private readonly kills = { server: 0, agents: 0, platforms: 0 };
  private storage!: TestStorage;
  private port = 0;
  private server: ServerProcess | null = null;
  private agents: AgentRunner | null = null;
  /** The platforms' addresses, valid even while one is dead. */
  private urls!: Record<string, string>;
  private platforms!: { telegram: TelegramFake; whatsapp: WhatsappFake; slack: SlackFake };
  private channels!: Record<'telegram' | 'whatsapp' | 'slack', string>;
  private deliveries: Promise<unknown>[] = [];
  private people = 0;

  constructor(private readonly below: (limit: number) => number) {}

  async start(): Promise<void> {
    const [telegram, whatsapp, slack] = [
      await TelegramFake.start(),
      await WhatsappFake.start(),
      await SlackFake.start(),
    ];
    this.platforms = { telegram, whatsapp, slack };
    this.urls = {
      ...{ WAYSTATION_TELEGRAM_API_URL: telegram.url, WAYSTATION_WHATSAPP_API_URL: whatsapp.url },
      WAYSTATION_SLACK_API_URL: slack.url,
    };
    this.storage = await migratedStorage();
    this.port = await freePort();
    const { api } = await this.startServer();
    const { botToken: bot_token, signingSecret: signing_secret } = slack.app;
    const telegramChannel = await createReadyChannel(api, telegramOrder({ config: { bot_token: telegram.token } }));
    await setUpWebhook(api, telegramChannel.id, api.baseUrl);
    const order = { channel_type: 'slack', name: 'Team', config: { bot_token, signing_secret } };
    const slackChannel = await createReadyChannel(api, order);
    slack.receiverUrl = `${api.baseUrl}/v1/channels/webhook/slack`;
    // Slack retries for an hour.
    slack.retryMs = Array.from({ length: 600 }, () => 100);
    const whatsappChannel = await connectWhatsapp(api, whatsapp);
    this.channels = { telegram: telegramChannel.id, whatsapp: whatsappChannel.id, slack: slackChannel.id };
    for (const platform of [telegram, whatsapp, slack]) platform.slowDown(() => this.below(SLOWEST_MS));
    await this.startAgents();
  }

  async round(): Promise<void> {
    for (let i = 0; i < AT_ONCE; i++) this.ask();
    const target = this.calls() + this.below(CALLS);
    await waitFor('some of it', () => this.calls() >= target || this.shown().length === this.wanted.length);
    await pause(this.below(SLOWEST_MS));
    const victim = this.below(12);
    const revive = victim >= 10 || this.below(2) === 0 ? await this.killPlatform() : null;
    if (revive !== null) await pause(this.below(SLOWEST_MS));
    if (victim < 8) await this.killServer();
    if (victim >= 6 && victim < 10) await this.killAgents();
    if (this.server === null) await this.startServer();
    if (this.agents === null) await this.startAgents();
    await revive?.();
  }

  async report(rounds: number): Promise<FileHuntReport> {
    await Promise.all(this.deliveries);
    const rows = await waitFor('all files to have an end', () => this.ended(), 300_000);
    const shown = this.shown();
    const countOf = (name: string) => shown.filter((file) => file.name === name).length;
    const saidOf = (name: string) => rows.filter(({ file }) => file?.name === name).map(({ status }) => status);
    const names = this.wanted.map(({ name }) => name);
    const said = names.flatMap(saidOf);
    return {
      ...{ rounds, files: names.length, kills: this.kills },
      ...{ sent: countIn(said, 'sent'), unknown: countIn(said, 'unknown') },
      twice: names.filter((name) => countOf(name) > 1 || saidOf(name).length > 1),
      damaged: shown.filter(({ name, bytes }) => digestOf(bytes) !== digestOf(contentOf(name))).map(({ name }) => name),
      lost: names
        .filter((name) => countOf(name) === 0 && saidOf(name).join() !== 'unknown')
        .map((name) => `${name} ${saidOf(name).join()}`),
    };
  }

  async end(): Promise<void> {
    await this.agents?.stop();
    await this.server?.stop();
    for (const platform of Object.values(this.platforms ?? {})) await platform.close();
    await this.storage?.dispose();
  }

  /** Somebody on each platform asks; each chat is used only once, so that none waits for another. */
  private ask(): void {
    const { telegram, whatsapp, slack } = this.platforms;
    const person = ++this.people;
    const words = this.below(2) === 0 ? 'words' : 'nothing';
    telegram.write(person, `t${person} ${words}`);
    const batch = whatsapp.batch([whatsapp.textFrom(`49${person}`, `w${person} ${words}`)]);
    const channel = `D${person}`;
    slack.channels.add(channel);
    const callback = slack.callback(slack.message(`U${person}`, `s${person} ${words}`, { channel }));
    this.deliveries.push(whatsapp.deliver(batch), slack.deliver(callback));
    for (const [letter, channelId] of [
      ['t', this.channels.telegram],
      ['w', this.channels.whatsapp],
      ['s', this.channels.slack],
    ] as const) {
      for (let n = 0; n < FILES; n++) this.wanted.push({ name: `${letter}${person}-${n}.txt`, channelId });
    }
  }

  /** The rows of all files, once none is waiting. */
  private async ended(): Promise<FileRecord[] | undefined> {
    const rows: FileRecord[] = [];
    for (const id of Object.values(this.channels)) rows.push(...(await this.rowsOf(id)));
    const isOpen = ({ status }: MessageRecord) => status === 'queued' || status === 'sending';
    return rows.length >= this.wanted.length && !rows.some(isOpen) ? rows : undefined;
  }

  private async rowsOf(channelId: string): Promise<FileRecord[]> {
    const rows: FileRecord[] = [];
    for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
      const more: Record<string, string> = cursor === null ? {} : { cursor };
      const query = new URLSearchParams({ direction: 'out', limit: '200', ...more });
      const page = (await this.server!.api.get(`/v1/channels/${channelId}/messages?${query}`)).json<{
        items: FileRecord[];
        next_cursor: string | null;
      }>();
      rows.push(...page.items.filter(({ kind }) => kind === 'file'));
      cursor = page.next_cursor;
    }
    return rows;
  }

  /** Calls that the platforms have read completely. */
  private calls(): number {
    const { telegram, whatsapp, slack } = this.platforms;
    return telegram.requests.length + whatsapp.requests.length + slack.requests.length;
  }

  private shown(): SentFile[] {
    const { telegram, whatsapp, slack } = this.platforms;
    const messages: { file?: SentFile }[] = [...telegram.messages, ...whatsapp.messages, ...slack.messages];
    return messages.flatMap(({ file }) => file ?? []);
  }

  private async startServer(): Promise<ServerProcess> {
    const env = { ...this.urls, WAYSTATION_PORT: String(this.port), ...LEASE };
    return (this.server = await ServerProcess.start(this.storage, { env }));
  }

  private async startAgents(): Promise<void> {
    const apiUrl = `http://127.0.0.1:${this.port}`;
    const support = { command: [process.execPath, '-e', PROGRAM], timeout_seconds: 60, concurrency: 6 };
    const env = { WAYSTATION_LEASE_TTL_SECONDS: '5' };
    this.agents = await AgentRunner.start({ storage: this.storage, apiUrl, agents: { support }, env });
  }

  private async killServer(): Promise<void> {
    await this.server?.kill();
    this.server = null;
    this.kills.server += 1;
  }

  /** @returns a function that restarts it */
  private killPlatform(): Promise<() => Promise<void>> {
    this.kills.platforms += 1;
    const platforms = Object.values(this.platforms);
    return platforms[this.below(platforms.length)]!.die();
  }

  private async killAgents(): Promise<void> {
    await this.agents?.kill();
    this.agents = null;
    this.kills.agents += 1;
  }
}

function contentOf(name: string): Buffer {
  return Buffer.from(`${name} `.repeat(25_000));
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function countIn(values: readonly string[], wanted: string): number {
  return values.filter((value) => value === wanted).length;
}
