import { runsWaitedFor } from '../run-sentence.js';
import type { Terminal } from '../terminal.js';
import type { AgentContainer } from './agent-containers.js';

/** An agent process that waits for runs says so at once. Another program may wait without a log line. */
const SILENT_MS = 5_000;
/** Limit for reading the log afterwards. */
const LOOK_MS = 1_000;
/** The engine's clock may differ, as it may run on another machine. Nothing logged so long before the stop is a current wait. */
const CLOCKS_APART_MS = 2_000;
const HINT = 'press Ctrl+C twice to end it at once';

/** While an engine stops a container, says what it waits for, and ends the agents at a second Ctrl+C. */
export class StopProgress {
  private readonly logs: { end(): void }[];
  private silence: NodeJS.Timeout;
  private said = '';
  private isOver = false;
  private interrupts = 0;

  constructor(
    private readonly container: Pick<AgentContainer, 'engine' | 'name'>,
    private readonly terminal: Pick<Terminal, 'printError'>,
  ) {
    // Selects by time: on a busy machine the process may have logged it before the engine follows.
    const since = new Date(Date.now() - CLOCKS_APART_MS).toISOString();
    this.logs = [this.follow('--follow', '--since', since)];
    this.silence = setTimeout(() => this.lookAgain(since), SILENT_MS);
    process.on('SIGINT', this.interrupt);
  }

  /** The container has stopped. */
  end(): void {
    this.isOver = true;
    clearTimeout(this.silence);
    for (const log of this.logs) log.end();
  }

  /** Restores the usual meaning of Ctrl+C. */
  close(): void {
    this.end();
    process.off('SIGINT', this.interrupt);
  }

  private follow(...flags: string[]): { end(): void } {
    const { engine, name } = this.container;
    return engine.follow(['logs', ...flags, name], (line) => this.read(line));
  }

  /** An engine with too much to follow sends a follower nothing, but still shows earlier log lines. */
  private lookAgain(since: string): void {
    this.logs.push(this.follow('--since', since));
    this.silence = setTimeout(() => this.say(`Waiting for ${this.container.name} to stop; ${HINT}.`), LOOK_MS);
  }

  private read(line: string): void {
    const waitedFor = runsWaitedFor(line);
    if (waitedFor !== null) this.say(`Waiting ${waitedFor}; ${HINT}.`);
  }

  private say(words: string): void {
    if (this.isOver || this.interrupts > 0 || words === this.said) return;
    clearTimeout(this.silence);
    this.said = words;
    this.terminal.printError(words);
  }

  /** A hanging engine or server must not block the terminal. */
  private giveUp(name: string): void {
    this.terminal.printError(`${name} is being removed; Ctrl+C again leaves what is left of it and its token behind.`);
    process.off('SIGINT', this.interrupt);
  }

  private readonly interrupt = (): void => {
    this.interrupts += 1;
    const { engine, name } = this.container;
    if (this.isOver || this.interrupts > 2) return this.giveUp(name);
    if (this.interrupts === 1) this.terminal.printError(`${name} is still stopping; Ctrl+C again ends it at once.`);
    // The waiting command reports a failure.
    else void engine.run(['kill', name], { ignoresInterrupt: true });
  };
}
