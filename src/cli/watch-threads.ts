import { connect } from './connect.js';
import { dollars } from './amounts.js';
import { EventFollower, Outage } from './event-follower.js';
import type { LiveScreen } from './live-screen.js';
import { localClock } from './local-time.js';
import { printable } from './printable.js';
import { paintStatus, styleOf } from './style.js';
import type { Terminal } from './terminal.js';
import { cut, wrapped } from './text-width.js';
import { filterQuery } from './thread-filters.js';
import { threadTable, type ListedThread } from './thread-table.js';
import { threadTexts, type ThreadsOptions } from './thread-list.js';

/** Ages grow, and many changes may come at once: so often the screen is drawn again. */
const DRAW_MS = 500;

/** What becomes of the list; the changes come only after the beginning is over. */
interface ListView {
  /** A thread that the list begins with, or that has changed. @param text exact JSON */
  set(thread: ListedThread, text: string): void;
  /** The list is complete for the first time. */
  begin(): void;
  /** A thread that the list does not show any more. @param text exact JSON */
  remove(threadId: string, event: string, text: string): void;
  complain(line: string): void;
}

/**
 * Prints the threads that match and keeps the list up to date, until the process is ended.
 * @throws CliError when the server is away at first, or refuses
 */
export async function watchThreads(options: ThreadsOptions, terminal: Terminal): Promise<void> {
  const client = connect();
  const view = viewOf(options, terminal);
  const follower = new EventFollower(client, `/v1/threads/stream?${filterQuery(options)}`, new Outage(view));
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const hearing = (async () => {
    for await (const { event, data } of follower.events()) {
      await begun;
      const thread = JSON.parse(data) as ListedThread;
      if (event === 'thread') view.set(thread, data);
      else if (event === 'left' || event === 'deleted') view.remove(thread.thread_id, event, data);
      await terminal.drained?.();
    }
  })();
  // What changes while the list is being read comes behind it.
  await Promise.race([follower.opened, hearing]);
  const texts: string[] = [];
  for await (const text of threadTexts(client, options)) texts.push(text);
  for (const text of texts.reverse()) view.set(JSON.parse(text) as ListedThread, text);
  view.begin();
  begin();
  await hearing;
}

function viewOf(options: ThreadsOptions, terminal: Terminal): ListView {
  if (options.json) return new JsonView(terminal);
  return terminal.screen ? new ScreenView(terminal.screen, options.limit, terminal) : new LineView(terminal);
}

/** A JSON line for each thread and each change. */
class JsonView implements ListView {
  constructor(private readonly terminal: Terminal) {}

  set(_thread: ListedThread, text: string): void {
    this.print('thread', text);
  }

  begin(): void {}

  remove(_threadId: string, event: string, text: string): void {
    this.print(event, text);
  }

  complain(line: string): void {
    this.terminal.complain(line);
  }

  private print(event: string, text: string): void {
    this.terminal.print(`{"event":"${event}","data":${text.replaceAll(/[\r\n]+/g, ' ')}}`);
  }
}

/** The list, then a line for each change. */
class LineView implements ListView {
  private readonly first: ListedThread[] = [];
  private readonly shown = new Set<string>();
  private hasBegun = false;

  constructor(private readonly terminal: Terminal) {}

  set(thread: ListedThread): void {
    const { thread_id: id, status, agent_id: agent, step_index: step, total_cost_usd: costUsd } = thread;
    this.shown.add(id);
    if (!this.hasBegun) this.first.unshift(thread);
    else this.line(thread.updated_at, id, this.painted(status), printable(agent), `step ${step}`, dollars(costUsd));
  }

  begin(): void {
    this.hasBegun = true;
    if (this.first.length > 0) this.terminal.print(threadTable(this.first, this.terminal));
    this.first.length = 0;
  }

  remove(threadId: string, event: string): void {
    const words = event === 'deleted' ? 'deleted' : 'does not match any more';
    if (this.shown.delete(threadId)) this.line(new Date().toISOString(), threadId, words);
  }

  complain(line: string): void {
    this.terminal.complain(line);
  }

  private line(time: string, id: string, ...cells: string[]): void {
    this.terminal.print([localClock(time), printable(id), ...cells].join('  '));
  }

  private painted(status: string): string {
    return paintStatus(printable(status), styleOf(this.terminal));
  }
}

/** The list on a screen, drawn again at every change. */
class ScreenView implements ListView {
  /** The last changed last. */
  private readonly threads = new Map<string, ListedThread>();
  private notice = '';

  constructor(
    private readonly screen: LiveScreen,
    private readonly limit: number,
    private readonly terminal: Terminal,
  ) {}

  set(thread: ListedThread): void {
    this.threads.delete(thread.thread_id);
    this.threads.set(thread.thread_id, thread);
    for (const oldest of this.threads.keys()) {
      if (this.threads.size <= this.limit) break;
      this.threads.delete(oldest);
    }
  }

  begin(): void {
    this.draw();
    setInterval(() => this.draw(), DRAW_MS);
  }

  remove(threadId: string): void {
    this.threads.delete(threadId);
  }

  /** It stays below the list until the next one. */
  complain(line: string): void {
    this.notice = line;
  }

  private draw(): void {
    const { width = Infinity, isColoured } = this.terminal;
    const notice = this.notice === '' ? [] : [...wrapped(this.notice, width)];
    const room = Math.max(1, this.screen.rows - 1 - notice.length);
    const threads = [...this.threads.values()].reverse();
    const lines =
      threads.length === 0 ? ['There are none yet.'] : threadTable(threads, { width, isColoured }).split('\n');
    // Lines with colours fit already.
    const fitting = (line: string) => (line.includes('\u001b') ? line : cut(line, width));
    this.screen.draw([...lines.slice(0, room), ...notice].map(fitting));
  }
}
