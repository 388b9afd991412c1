/** An event of a stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface ServerEvent {
  /** The last id named by the stream. */
  id: string;
  event: string;
  data: string;
}

/** Reads server-sent events from text that arrives in pieces. */
export class ServerEventParser {
  /** Milliseconds to wait before reconnecting, as told by the server; null if it has not. */
  retryMs: number | null = null;
  /** Pieces of an unfinished line. */
  private begun: string[] = [];
  private endedWithReturn = false;
  private event = '';
  private data: string[] = [];

  /** @param lastId the last id read, also on an earlier connection; ids without an event count, too */
  constructor(public lastId = '') {}

  *read(text: string): Generator<ServerEvent> {
    // The line feed of a line end split between two pieces.
    let from = this.endedWithReturn && text.startsWith('\n') ? 1 : 0;
    if (text !== '') this.endedWithReturn = text.endsWith('\r');
    for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) {
      if (index < from) continue;
      const line = this.begun.join('') + text.slice(from, index);
      this.begun = [];
      from = index + end.length;
      if (line !== '') this.field(line);
      else yield* this.dispatch();
    }
    if (from < text.length) this.begun.push(text.slice(from));
  }

  private field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.data.push(value);
    else if (name === 'event') this.event = value;
    else if (name === 'id' && !value.includes('\0')) this.lastId = value;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  private *dispatch(): Generator<ServerEvent> {
    const { event, data } = this;
    this.event = '';
    this.data = [];
    if (data.length > 0) yield { id: this.lastId, event: event === '' ? 'message' : event, data: data.join('\n') };
  }
}
