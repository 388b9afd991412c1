/** A member of a JSON object, or an element of one of its arrays, as exact text. */
export interface JsonMember {
  name: string;
  text: string;
}

/**
 * Reads a JSON object as it arrives, so that it may be larger than memory. Members keep their order.
 * @param lists names of arrays whose elements are yielded one by one, under the array's name
 */
export async function* jsonMembers(
  chunks: AsyncIterable<Uint8Array>,
  lists: readonly string[],
): AsyncGenerator<JsonMember> {
  const decoder = new TextDecoder();
  const reader = new MemberReader(lists);
  for await (const chunk of chunks) yield* reader.read(decoder.decode(chunk, { stream: true }));
}

/** The same for an object that is already in memory. */
export function membersOf(json: string, lists: readonly string[] = []): JsonMember[] {
  return [...new MemberReader(lists).read(json)];
}

/** Exact JSON on one line. Line breaks occur only between tokens, where a space means the same. */
export function singleLine(json: string): string {
  return json.replaceAll(/[\r\n]+/g, ' ');
}

class MemberReader {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private isInList = false;
  private name: string | null = null;
  private text = '';

  constructor(private readonly lists: readonly string[]) {}

  *read(chunk: string): Generator<JsonMember> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const char = chunk[at]!;
      if (this.isInString || char === '"') {
        this.followString(char);
        continue;
      }
      if (!'{}[],:'.includes(char)) continue;
      const isPart = this.isPartOfValue(char);
      if (isPart) continue;
      this.text += chunk.slice(from, at);
      from = at + 1;
      yield* this.separate(char);
    }
    this.text += chunk.slice(from);
  }

  private followString(char: string): void {
    if (!this.isInString) this.isInString = true;
    else if (this.isEscaped) this.isEscaped = false;
    else if (char === '\\') this.isEscaped = true;
    else if (char === '"') this.isInString = false;
  }

  /** Tracks the depth of brackets, so that characters within a value do not separate values. */
  private isPartOfValue(char: string): boolean {
    const base = this.isInList ? 2 : 1;
    if (char === '{' || char === '[') {
      this.depth += 1;
      const isOuter = this.depth === 1;
      const isList = this.depth === 2 && char === '[' && this.name !== null && this.lists.includes(this.name);
      return !isOuter && !isList;
    }
    if (char === '}' || char === ']') {
      this.depth -= 1;
      return this.depth >= base;
    }
    return this.depth > base;
  }

  private *separate(char: string): Generator<JsonMember> {
    const text = this.text.trim();
    this.text = '';
    if (char === ':' && this.name === null) this.name = JSON.parse(text) as string;
    else if (char === '[') this.isInList = true;
    else if (text !== '' && this.name !== null) yield { name: this.name, text };
    if (char === ']') this.isInList = false;
    if (!this.isInList && char !== ':') this.name = char === ']' ? this.name : null;
    // After a list only a comma or brace follows, which is not taken for the list's value.
  }
}
