/** Where a text stops being JSON. */
export interface JsonFault {
  /** From 1. */
  line: number;
  /** From 1, in UTF-16 units. */
  column: number;
  /** In words, e.g. `a comma or } is missing`. */
  message: string;
}

/** Deepest nesting that is read; tool arguments are shallow. */
const MAX_LEVELS = 500;

/** Where and why a text is not JSON; null if it is. Browsers describe the place differently, or not at all. */
export function findJsonFault(text: string): JsonFault | null {
  try {
    new Reader(text).read();
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const before = text.slice(0, error.at);
    return { line: before.split('\n').length, column: error.at - before.lastIndexOf('\n'), message: error.message };
  }
}

class Fault extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

const WORDS = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.])/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): void {
    this.space();
    if (this.at === this.text.length) throw new Fault(this.at, 'it is empty');
    this.value(0);
    this.space();
    if (this.at < this.text.length) throw new Fault(this.at, 'the value has ended before');
  }

  private value(level: number): void {
    const first = this.text[this.at];
    if (first === '{') this.list(level, '}', () => this.member(level));
    else if (first === '[') this.list(level, ']', () => this.value(level + 1));
    else if (first === '"') this.string();
    else if (!this.take(WORDS) && !this.take(NUMBER)) throw new Fault(this.at, this.wrongValue());
  }

  private list(level: number, end: '}' | ']', element: () => void): void {
    if (level >= MAX_LEVELS) throw new Fault(this.at, `it is nested deeper than ${MAX_LEVELS} levels`);
    this.at += 1;
    this.space();
    if (this.text[this.at] === end) return void (this.at += 1);
    for (;;) {
      element();
      this.space();
      const next = this.text[this.at];
      if (next === end) return void (this.at += 1);
      if (next !== ',') throw new Fault(this.at, `a comma or ${end} is missing`);
      const comma = this.at;
      this.at += 1;
      this.space();
      if (this.text[this.at] === end) throw new Fault(comma, `nothing follows this comma`);
    }
  }

  private member(level: number): void {
    if (this.text[this.at] !== '"') throw new Fault(this.at, 'a name in double quotes is missing');
    this.string();
    this.space();
    if (this.text[this.at] !== ':') throw new Fault(this.at, 'a colon is missing');
    this.at += 1;
    this.space();
    this.value(level + 1);
  }

  private string(): void {
    const from = this.at;
    if (this.take(STRING)) return;
    const wrong = /\\(?!["\\/bfnrt]|u[\da-fA-F]{4})|[\u0000-\u001f]|$/g;
    wrong.lastIndex = from + 1;
    const found = wrong.exec(this.text);
    const isEscape = found?.[0] === '\\';
    const isEnd = found === null || found[0] === '' || found[0] === '\n' || found[0] === '\r';
    if (isEnd) throw new Fault(from, 'this text has no closing quote');
    throw new Fault(
      found.index,
      isEscape ? 'a backslash needs one of " \\ / b f n r t u behind it' : 'a control character must be escaped',
    );
  }

  private wrongValue(): string {
    const rest = this.text.slice(this.at);
    if (rest === '') return 'it ends too early';
    if (rest.startsWith("'")) return 'texts stand in double quotes';
    if (/^[-+.\d]/.test(rest)) return 'this is not a number of JSON';
    return 'a value is missing';
  }

  private space(): void {
    this.take(SPACE);
  }

  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return false;
    this.at += found[0].length;
    return true;
  }
}
