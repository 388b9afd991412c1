import { api, read } from '../../../api/client.js';
import { placesOf, rangesText } from './places.js';

/** A message as the agent reported it, with its metadata. */
export interface StoredMessage {
  message: unknown;
  meta: unknown;
}

/** A message and its metadata by their places; -1 where there is no metadata. */
export interface MessagePlace {
  place: number;
  metaPlace: number;
}

/** A snapshot of what is loaded. */
export interface LoadedMessages {
  /** Undefined if it is not loaded yet. */
  get: (wish: MessagePlace) => StoredMessage | undefined;
  /** Why loading stopped; a new request tries again. */
  error: unknown;
}

const FIRST_CHUNK = 40;
const LARGEST_CHUNK = 400;
/** Target time to load and parse a chunk; the next one is made larger or smaller accordingly. */
const CHUNK_MS = 150;
const RANGES = 200;

/**
 * The messages of a thread by place. A place never changes, so each is loaded once. Visible messages come first; the rest follows in
 * chunks, so that a long thread does not freeze the page.
 */
export class MessageStore {
  private readonly messages = new Map<number, unknown>();
  private readonly metas = new Map<number, unknown>();
  private readonly listeners = new Set<() => void>();
  private wanted: readonly MessagePlace[] = [];
  private urgent: readonly MessagePlace[] = [];
  private chunk = FIRST_CHUNK;
  private isLoading = false;
  private stopped = new AbortController();
  private current: LoadedMessages = { get: (wish) => this.get(wish), error: null };

  constructor(private readonly threadId: string) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** A new object after each change. */
  readonly snapshot = (): LoadedMessages => this.current;

  private get({ place, metaPlace }: MessagePlace): StoredMessage | undefined {
    if (!this.messages.has(place)) return undefined;
    return { message: this.messages.get(place), meta: this.metas.get(metaPlace) };
  }

  /** Loads these, in order, instead of what an earlier call still waits for. */
  want(places: readonly MessagePlace[]): void {
    this.wanted = places;
    if (this.current.error !== null) this.changed(null);
    void this.load();
  }

  /** Loads these before everything that `want` requested, also later. */
  also(places: readonly MessagePlace[]): void {
    this.urgent = [...places, ...this.urgent];
    this.want(this.wanted);
  }

  stop(): void {
    this.stopped.abort();
    this.wanted = [];
    this.urgent = [];
  }

  /** Restarts after {@link stop}, because React mounts views twice in development. */
  start(): void {
    if (this.stopped.signal.aborted) this.stopped = new AbortController();
  }

  private async load(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      for (let next = this.next(); next.length > 0; next = this.next()) await this.loadChunk(next);
    } catch (error) {
      if (!this.stopped.signal.aborted) this.changed(error);
    } finally {
      this.isLoading = false;
    }
  }

  /** The next chunk; what is already loaded is dropped from the request. */
  private next(): MessagePlace[] {
    this.urgent = this.urgent.filter((wish) => !this.isThere(wish));
    this.wanted = this.wanted.filter((wish) => !this.isThere(wish));
    return [...this.urgent.slice(0, this.chunk), ...this.wanted].slice(0, this.chunk);
  }

  private isThere({ place, metaPlace }: MessagePlace): boolean {
    return this.messages.has(place) && (metaPlace < 0 || this.metas.has(metaPlace));
  }

  private async loadChunk(chunk: readonly MessagePlace[]): Promise<void> {
    const start = performance.now();
    const history = fewRanges(chunk.map(({ place }) => place).filter((place) => !this.messages.has(place)));
    const history_meta = fewRanges(
      chunk.map(({ metaPlace }) => metaPlace).filter((place) => place >= 0 && !this.metas.has(place)),
    );
    const found = await read(
      api.GET('/threads/{thread_id}/messages', {
        params: { path: { thread_id: this.threadId }, query: { history, history_meta } },
        signal: this.stopped.signal,
      }),
    );
    placesOf(history).forEach((place, index) => this.messages.set(place, found.history[index]));
    placesOf(history_meta).forEach((place, index) => this.metas.set(place, found.history_meta[index]));
    const factor = performance.now() - start < CHUNK_MS ? 2 : 0.5;
    this.chunk = Math.min(LARGEST_CHUNK, Math.max(FIRST_CHUNK, Math.round(this.chunk * factor)));
    this.changed(null);
  }

  private changed(error: unknown): void {
    this.current = { ...this.current, error };
    for (const listener of this.listeners) listener();
  }
}

/** As many as the API accepts at once. */
function fewRanges(places: readonly number[]): string {
  return rangesText(places).split(',').slice(0, RANGES).join(',');
}
