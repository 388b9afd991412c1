const NEWLINE = 0x0a;
/** Some programs print a byte order mark first. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** One line of output without its end, and without a byte order mark. */
export interface OutputLine {
  bytes: Buffer;
  /** It exceeded the length limit. */
  isCut: boolean;
}

/** Cuts a stream of bytes into lines, in bounded memory. */
export class LineSplitter {
  private pieces: Buffer[] = [];
  private length = 0;
  private isCut = false;

  /** @param maxBytes bytes kept of a line */
  constructor(private readonly maxBytes: number) {}

  /** The lines that end in this chunk. */
  push(chunk: Buffer): OutputLine[] {
    const lines: OutputLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.keep(chunk.subarray(from, at));
      lines.push(this.take());
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
    return lines;
  }

  /** What follows the last line end, if anything. */
  rest(): OutputLine[] {
    return this.length > 0 ? [this.take()] : [];
  }

  private keep(bytes: Buffer): void {
    const room = this.maxBytes - this.length;
    if (bytes.length > room) this.isCut = true;
    const kept = bytes.subarray(0, room);
    if (kept.length === 0) return;
    this.pieces.push(kept);
    this.length += kept.length;
  }

  private take(): OutputLine {
    const bytes = Buffer.concat(this.pieces);
    const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    const line = { bytes: isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes, isCut: this.isCut };
    this.pieces = [];
    this.length = 0;
    this.isCut = false;
    return line;
  }
}

/** Collects a program's output that is not events, up to a limit: its answer. */
export class AnswerText {
  private text = '';
  private isFull = false;

  /** @param maxLength characters that are kept */
  constructor(private readonly maxLength: number) {}

  add(line: string): void {
    if (this.isFull) return;
    this.text += `${line}\n`;
    if (this.text.length <= this.maxLength) return;
    this.isFull = true;
    this.text = `${this.text.slice(0, this.maxLength).toWellFormed()}\n[the rest of the output was left out]`;
  }

  toString(): string {
    return this.text.trim();
  }
}

/** The last bytes written, in bounded memory. */
export class OutputTail {
  private bytes = Buffer.alloc(0);

  constructor(private readonly maxBytes: number) {}

  add(chunk: Buffer): void {
    const last = chunk.length >= this.maxBytes ? chunk : Buffer.concat([this.bytes, chunk]);
    this.bytes = Buffer.from(last.subarray(Math.max(0, last.length - this.maxBytes)));
  }

  toString(): string {
    return this.bytes.toString('utf8').trim();
  }
}
