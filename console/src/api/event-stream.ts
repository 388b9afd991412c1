import { ServerEventParser, type ServerEvent } from '../../../src/common/server-event-parser.js';
import { send } from './client.js';
import { Problem, type ProblemBody } from './problem.js';
import { reportReachable } from './reachable.js';

export type StreamState = 'connecting' | 'open' | 'paused' | 'lost';

export interface StreamOptions {
  /** Path and query of the stream, e.g. `/threads/t-1/stream`. */
  path: string;
  /** The id to resume from; without it the server decides where to begin. */
  lastEventId?: string;
  onEvent: (event: ServerEvent) => void;
  onState?: (state: StreamState) => void;
  /** The server refused the stream permanently. */
  onRefused?: (problem: Problem) => void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Follows a stream of server-sent events until the returned function is called. Resumes from the last id after a lost connection, and
 * closes the connection while the tab is hidden: HTTP/1.1 allows all tabs of a browser six. Uses `fetch`, because EventSource sends no
 * headers.
 */
export function followStream(options: StreamOptions): () => void {
  const stopped = new AbortController();
  const parser = new ServerEventParser(options.lastEventId ?? '');
  void follow(options, parser, stopped.signal);
  return () => stopped.abort();
}

async function follow(options: StreamOptions, parser: ServerEventParser, stopped: AbortSignal): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  while (!stopped.aborted) {
    if (document.hidden) {
      options.onState?.('paused');
      await nextEvent(document, 'visibilitychange', stopped);
      continue;
    }
    const { end, seen } = await readOnce(options, parser, stopped);
    if (stopped.aborted) return;
    // A proxy's answer while the server restarts has no code.
    if (end instanceof Problem && end.status < 500 && typeof end.body.code === 'string') {
      options.onState?.('lost');
      options.onRefused?.(end);
      return;
    }
    if (document.hidden) continue;
    options.onState?.('lost');
    pause = seen ? FIRST_PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
    await wait(parser.retryMs ?? pause, stopped);
  }
}

/** One connection, until it ends. */
async function readOnce(
  { path, onEvent, onState }: StreamOptions,
  parser: ServerEventParser,
  stopped: AbortSignal,
): Promise<{ end: unknown; seen: boolean }> {
  const connection = new AbortController();
  const close = () => connection.abort();
  const closeHidden = () => {
    if (document.hidden) close();
  };
  stopped.addEventListener('abort', close);
  document.addEventListener('visibilitychange', closeHidden);
  let seen = false;
  try {
    onState?.('connecting');
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (parser.lastId !== '') headers['last-event-id'] = parser.lastId;
    const response = await send(new Request(path, { headers, signal: connection.signal, cache: 'no-store' }));
    if (!response.ok || !response.body) return { end: await problemOf(response), seen };
    onState?.('open');
    seen = true;
    // The next connection resends an event that was cut off.
    const events = new ServerEventParser(parser.lastId);
    for await (const text of texts(response.body)) {
      for (const event of events.read(text)) onEvent(event);
      parser.lastId = events.lastId;
      parser.retryMs = events.retryMs;
    }
    // The server ended the stream: it is stopping, or the thread is gone. The next request shows which.
    return { end: undefined, seen };
  } catch (error) {
    if (!connection.signal.aborted) reportReachable(false);
    return { end: error, seen };
  } finally {
    stopped.removeEventListener('abort', close);
    document.removeEventListener('visibilitychange', closeHidden);
  }
}

async function* texts(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => ({}))) as ProblemBody;
  return new Problem({ ...body, status: response.status });
}

function wait(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopped.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

function nextEvent(target: EventTarget, name: string, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    target.addEventListener(name, () => resolve(), { once: true, signal: stopped });
    stopped.addEventListener('abort', () => resolve(), { once: true });
  });
}
