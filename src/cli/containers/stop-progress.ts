import { runsWaitedFor } from '../run-sentence.js';
import type { Terminal } from '../terminal.js';
import type { AgentContainer } from './agent-containers.js';

/** An agent process that waits for runs says so at once. One that logs no such lines may wait, too. */
const SILENT_MS = 5_000;
/** How long the log may take that is read then. */
const LOOK_MS = 1_000;
/** The engine may run on another machine. What a process logged so long before it stops is never what it waits for. */
const CLOCKS_APART_MS = 2_000;
const HINT = 'press Ctrl+C twice to end it at once';

/** Stands by while an engine stops a container: says what it waits for, and ends the agents at a second Ctrl+C. */
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
    // By the time: on a busy machine the process says it before the engine follows.
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

  /** Gives Ctrl+C back its usual meaning. */
  close(): void {
    this.end();
    process.off('SIGINT', this.interrupt);
  }

  private follow(...flags: string[]): { end(): void } {
    const { engine, name } = this.container;
    return engine.follow(['logs', ...flags, name], (line) => this.read(line));
  }

  /** An engine that has too much to follow gives a follower nothing, but still shows what was logged. */
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

  /** An engine or a server that hangs must not hold the terminal. */
  private giveUp(name: string): void {
    this.terminal.printError(`${name} is being removed; Ctrl+C again leaves what is left of it and its token behind.`);
    process.off('SIGINT', this.interrupt);
  }

  private readonly interrupt = (): void => {
    this.interrupts += 1;
    const { engine, name } = this.container;
    if (this.isOver || this.interrupts > 2) return this.giveUp(name);
    if (this.interrupts === 1) this.terminal.printError(`${name} is still stopping; Ctrl+C again ends it at once.`);
    // A failure shows in the command that waits.
    else void engine.run(['kill', name], { ignoresInterrupt: true });
  };
}
