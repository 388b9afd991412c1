import { ServerResponse } from 'node:http';

/** What Node calls once for each answer, with its first line and the headers that were set. Its types do not have it. */
interface HeadWriter {
  _storeHeader?: (this: ServerResponse, firstLine: string, headers: unknown) => void;
}

/** Its lines, each with its end; absent until there are some. */
interface FixedLines {
  fixedHeaderLines?: string;
}

const nodes: HeadWriter = ServerResponse.prototype as HeadWriter;

/** Has answers of a class begin with their fixed lines. */
export function writeFixedHeaderLines(prototype: ServerResponse): void {
  const { _storeHeader: store } = nodes;
  if (store === undefined) return;
  (prototype as HeadWriter)._storeHeader = function (this: ServerResponse & FixedLines, firstLine, headers) {
    store.call(this, this.fixedHeaderLines === undefined ? firstLine : firstLine + this.fixedHeaderLines, headers);
  };
}

/**
 * Puts header lines into an answer as they are, each with its end: nothing checks, shows or removes them. Setting seven headers one by one,
 * which Node checks, keeps and joins again, took a tenth of a small request.
 */
export function fixHeaderLines(response: ServerResponse & FixedLines, lines: string): void {
  if ((response as HeadWriter)._storeHeader !== nodes._storeHeader) {
    response.fixedHeaderLines = lines;
    return;
  }
  for (const line of lines.trimEnd().split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/, 2);
    response.setHeader(name, value);
  }
}
