import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { FaultList } from '../generator/fault-list.mjs';
import { summarise } from '../generator/latencies.mjs';
import { serverEnvironment } from '../support/environment.mjs';
import { pressUpdate } from './message-update.mjs';

/** Quiet time before a decision, so that a process's start-up work does not count. */
const QUIET_MS = 40;
const QUESTION_MS = 30_000;
/** The platform numbers its updates; repeated numbers count as duplicates. */
let lastUpdateId = 5_000_000;
/** From the platforms' documentation. */
const INPUTS = {
  claude: (command) => ({
    ...{ session_id: randomUUID(), prompt_id: randomUUID(), transcript_path: '/tmp/s.jsonl', cwd: '/tmp/shop' },
    ...{ permission_mode: 'default', hook_event_name: 'PermissionRequest', tool_name: 'Bash' },
    tool_input: { command, description: 'Publish the package' },
  }),
  codex: (command) => ({
    ...{ session_id: randomUUID(), turn_id: randomUUID(), transcript_path: null, cwd: '/tmp/shop', model: 'gpt-5' },
    ...{ permission_mode: 'default', hook_event_name: 'PermissionRequest', tool_name: 'Bash' },
    tool_input: { command, description: 'The tests need the network' },
  }),
};

/** Coding agents with waiting hooks, one in each chat, and the people who decide there. */
export class HookAgents {
  #faults = new FaultList();
  #latencies = [];
  #questions = new Map();
  #asked = 0;

  /**
   * @param {import('./chat-world.mjs').ChatWorld} world
   * @param {{cli: string, port: number, token: string, agent: string, channel: string}} hook where the hooks ask
   */
  constructor(world, hook) {
    this.world = world;
    this.hook = hook;
    world.telegram.onMessage = (_chatId, text, message) => this.#note(text, message);
    world.onFault = (fault) => this.#faults.add(fault);
  }

  /**
   * @param {'Approve' | 'Reject' | 'edit'} how `edit`: approved with other arguments, through the API
   * @param {number} count of decisions @returns {Promise<Record<string, any>>} what `Load.run` reports; times are from the decision to the
   *   first byte that the hook prints
   */
  async decide(how, count) {
    this.#latencies = [];
    this.#faults = new FaultList();
    const started = performance.now();
    const cpu = process.cpuUsage();
    while (this.#latencies.length + this.#faults.count < count) {
      const platform = how === 'edit' ? () => 'claude' : () => this.#platform();
      const waiting = this.world.chats.map((chat) => ({ ...chat, ...this.#ask(chat.chatId, platform()) }));
      for (const one of waiting) await this.#decideOne(how, one);
    }
    const used = process.cpuUsage(cpu);
    return {
      requests: this.#latencies.length,
      seconds: (performance.now() - started) / 1000,
      isCutShort: false,
      generatorCpuMs: (used.user + used.system) / 1000,
      ...summarise(this.#latencies),
      faultCount: this.#faults.count,
      faults: this.#faults.samples,
      summary: {},
    };
  }

  #platform() {
    return this.#asked % 2 === 0 ? 'claude' : 'codex';
  }

  #ask(chatId, platform) {
    const command = `npm publish ${(this.#asked += 1)}`;
    this.#questions.set(command, withResolver());
    const { cli, port, token, agent, channel } = this.hook;
    const args = [cli, 'hook', 'run', platform, '--agent', agent, '--channel', channel, '--chat', String(chatId)];
    const env = serverEnvironment({ WAYSTATION_API_URL: `http://127.0.0.1:${port}`, WAYSTATION_TOKEN: token });
    const child = spawn(process.execPath, [...args, '--patience', '30'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(JSON.stringify(INPUTS[platform](command)));
    const chunks = [];
    const printed = new Promise((resolve) => {
      child.stdout.on('data', (chunk) => {
        chunks.push(chunk);
        resolve(performance.now());
      });
      child.once('exit', () => resolve(null));
    });
    const ended = new Promise((resolve) => child.once('close', () => resolve(Buffer.concat(chunks).toString())));
    return { command, printed, ended };
  }

  async #decideOne(how, { command, printed, ended, chatId, secret }) {
    const question = await this.#questionOf(command);
    const decide = how === 'edit' ? await this.#edit(command) : () => this.#press(how, chatId, secret, question);
    await pause(QUIET_MS);
    const decidedMs = performance.now();
    await decide();
    const printedMs = await printed;
    const output = await ended;
    const expected = { Approve: '"behavior":"allow"', Reject: '"behavior":"deny"', edit: '"updatedInput"' }[how];
    if (printedMs === null || !output.includes(expected)) this.#faults.add(`${command}: the hook printed "${output}"`);
    else this.#latencies.push(printedMs - decidedMs);
  }

  #press(label, chatId, secret, { message_id, reply_markup }) {
    const button = reply_markup.inline_keyboard.flat().find(({ text }) => text === label);
    const body = pressUpdate((lastUpdateId += 1), chatId, message_id, button.callback_data);
    this.world.send(this.world.requests.telegramUpdate(secret, body));
  }

  async #edit(command) {
    const { items } = await this.world.call('GET', '/approvals?limit=200');
    const { trace_id, step } = items.find((one) => JSON.stringify(one.tool_calls).includes(`"${command}"`));
    const decisions = [{ index: 0, decision: 'approve', args: { command: `${command} --dry-run` } }];
    return () => this.world.call('POST', `/approvals/${trace_id}/${step}/approve`, { decisions });
  }

  #note(text, message) {
    const command = /npm publish \d+/.exec(text)?.[0];
    if (message.reply_markup?.inline_keyboard?.length > 0) this.#questions.get(command)?.resolve(message);
  }

  async #questionOf(command) {
    const message = await Promise.race([this.#questions.get(command).promise, pause(QUESTION_MS, null)]);
    if (message === null) throw new Error(`nobody was asked about ${command}`);
    return message;
  }
}

function withResolver() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
