import { performance } from 'node:perf_hooks';
import { Connection } from './connection.mjs';
import { FaultList } from './fault-list.mjs';
import { summarise } from './latencies.mjs';

/** How long responses may still take once a job's time is up. */
const GRACE_MS = 60_000;
/** Milliseconds between checks for due requests. */
const PACE_MS = 1;

/**
 * One request and the check of its response.
 * @typedef {object} Exchange
 * @property {string} head           request line and headers with the empty line, latin1
 * @property {Buffer | null} body
 * @property {boolean} keepsBody     whether `accept` needs the body of the response
 * @property {(answer: import('./response-reader.mjs').Answer) => string | null} accept  returns the fault, or null
 */

/**
 * A job of the generator.
 * @typedef {object} Job
 * @property {() => Exchange | null} next        the next request; null while there is none, called again after a response
 * @property {() => object} [summary]            the job's own results at its end, besides the figures
 */

/** Drives the connections of one job. */
export class Load {
  #faults = new FaultList();
  #latencies = [];
  #busy = 0;
  #sent = 0;
  /** @type {NodeJS.Timeout | null} */
  #pause = null;
  /** @type {Connection[]} */
  #idle = [];
  /** @type {() => void} */
  #finish = () => {};

  /**
   * @param {Job} job
   * @param {{port: number, connections: number, maxSeconds: number, perSecond?: number}} options `perSecond`: limit of requests a
   *   second; absent = the next one as soon as a connection is free
   */
  constructor(job, options) {
    this.job = job;
    this.options = options;
  }

  /** Sends the job's requests until there are none left or the time is up. */
  async run() {
    const connections = Array.from({ length: this.options.connections }, () => new Connection(this.options.port));
    await Promise.all(connections.map((connection) => connection.opened()));
    this.#idle = [...connections];
    const started = performance.now();
    const cpu = process.cpuUsage();
    this.started = started;
    this.deadline = started + this.options.maxSeconds * 1000;
    await this.#untilFinished();
    const seconds = (performance.now() - started) / 1000;
    const used = process.cpuUsage(cpu);
    for (const connection of connections) connection.close();
    return this.#report(seconds, (used.user + used.system) / 1000);
  }

  #untilFinished() {
    return new Promise((resolve) => {
      const watchdog = setTimeout(() => this.#giveUp(), this.options.maxSeconds * 1000 + GRACE_MS);
      this.#finish = () => {
        clearTimeout(watchdog);
        resolve();
      };
      this.#feed();
    });
  }

  /** Gives due requests to idle connections. */
  #feed() {
    while (this.#idle.length > 0 && performance.now() < this.deadline) {
      if (this.#sent >= this.#due()) return this.#feedLater();
      const exchange = this.job.next();
      if (exchange === null) break;
      this.#sent += 1;
      this.#send(this.#idle.pop(), exchange);
    }
    if (this.#busy === 0) this.#finish();
  }

  /** How many requests may have been sent by now. */
  #due() {
    const { perSecond } = this.options;
    return perSecond === undefined ? Infinity : ((performance.now() - this.started) * perSecond) / 1000;
  }

  #feedLater() {
    this.#pause ??= setTimeout(() => {
      this.#pause = null;
      this.#feed();
    }, PACE_MS);
  }

  #send(connection, exchange) {
    this.#busy += 1;
    const sent = performance.now();
    const onAnswer = (answer) => {
      this.#latencies.push(performance.now() - sent);
      this.#busy -= 1;
      this.#faults.add(verdictOf(exchange, answer));
      this.#idle.push(connection);
      this.#feed();
    };
    connection.send(exchange, onAnswer, (error) => this.#lose(error));
  }

  #lose(error) {
    this.#busy -= 1;
    this.#faults.add(`connection lost: ${error.message}`);
    this.#feed();
  }

  #giveUp() {
    this.#faults.add(`${this.#busy} requests got no answer`);
    this.#finish();
  }

  #report(seconds, cpuMs) {
    const isCutShort = performance.now() >= this.deadline;
    return {
      requests: this.#latencies.length,
      seconds,
      isCutShort,
      generatorCpuMs: cpuMs,
      ...summarise(this.#latencies),
      faultCount: this.#faults.count,
      faults: this.#faults.samples,
      summary: this.job.summary?.() ?? {},
    };
  }
}

function verdictOf(exchange, answer) {
  try {
    return exchange.accept(answer);
  } catch (error) {
    return `unreadable answer: ${error.message}`;
  }
}
