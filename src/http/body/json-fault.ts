/** Where and why a text is not JSON. */
export interface JsonFault {
  /** Index into the text, in UTF-16 units. */
  position: number;
  /** Both from 1. */
  line: number;
  column: number;
  /** What should stand there. */
  expected: string;
}

type Container = '{' | '[';

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const BLANKS = /[ \t\n\r]*/y;

/**
 * Finds the first fault of a text that JSON.parse refused. Only for that slow path: the engine's own messages name no
 * place in many cases and repeat parts of the text.
 */
export function findJsonFault(text: string): JsonFault {
  const { position, expected } = new JsonWalk(text).run();
  const before = text.slice(0, position).split('\n');
  return { position, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, expected };
}

/** Walks through the text with an explicit stack, so that deep nesting cannot exhaust the call stack. */
class JsonWalk {
  private position = 0;
  private readonly open: Container[] = [];

  constructor(private readonly text: string) {}

  run(): { position: number; expected: string } {
    let expected = this.value();
    while (expected === null && this.open.length > 0) expected = this.afterValue();
    if (expected === null) {
      this.skip(BLANKS);
      expected = 'the end of the text was expected';
    }
    return {
      position: this.position,
      expected: this.position < this.text.length ? expected : 'the text ends too early',
    };
  }

  /** Reads one value, or the beginning of a container up to its first value. Answers what was missing, or null. */
  private value(): string | null {
    for (;;) {
      this.skip(BLANKS);
      if (this.skip(NUMBER) || this.skip(WORD)) return null;
      const opener = this.text[this.position];
      if (opener === '"') return this.string();
      if (opener !== '{' && opener !== '[') return 'a value was expected';
      this.position += 1;
      this.skip(BLANKS);
      if (this.text[this.position] === (opener === '{' ? '}' : ']')) {
        this.position += 1;
        return null;
      }
      this.open.push(opener);
      const missing = opener === '{' ? this.key() : null;
      if (missing !== null) return missing;
    }
  }

  private afterValue(): string | null {
    this.skip(BLANKS);
    const container = this.open.at(-1);
    const found = this.text[this.position];
    const closer = container === '{' ? '}' : ']';
    if (found === closer) {
      this.position += 1;
      this.open.pop();
      return null;
    }
    if (found !== ',') return `"," or "${closer}" was expected`;
    this.position += 1;
    return (container === '{' ? this.key() : null) ?? this.value();
  }

  private key(): string | null {
    this.skip(BLANKS);
    if (this.text[this.position] !== '"') return 'a property name in double quotes was expected';
    const missing = this.string();
    if (missing !== null) return missing;
    this.skip(BLANKS);
    if (this.text[this.position] !== ':') return '":" was expected';
    this.position += 1;
    return null;
  }

  private string(): string | null {
    this.position += 1;
    while (this.position < this.text.length) {
      const unit = this.text.charCodeAt(this.position);
      if (unit === QUOTE) {
        this.position += 1;
        return null;
      }
      if (unit < FIRST_PRINTABLE) return 'an escape was expected instead of a control character';
      if (unit !== BACKSLASH) this.position += 1;
      else if (!this.skip(ESCAPE)) return 'a valid escape was expected';
    }
    return 'the end of a string was expected';
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    const isFound = pattern.test(this.text);
    if (isFound) this.position = pattern.lastIndex;
    return isFound;
  }
}
