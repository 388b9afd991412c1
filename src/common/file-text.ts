import { isUtf8 } from 'node:buffer';

const UTF_16_MARKS = ['fffe', 'feff'];
const UTF_8_MARK = '\ufeff';

/** A text has an unsupported encoding. The message continues a sentence that begins with the file's name. */
export class EncodingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EncodingError';
  }
}

/** Removes the byte order mark that some editors and shells write. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(UTF_8_MARK) ? text.slice(UTF_8_MARK.length) : text;
}

/**
 * The text of a file that a person has written: UTF-8, with or without a byte order mark.
 * @throws EncodingError for UTF-16, which PowerShell 5 writes with `>`, and for anything else that is not UTF-8
 */
export function fileText(bytes: Buffer): string {
  const isUtf16 = UTF_16_MARKS.includes(bytes.toString('hex', 0, 2)) || bytes.includes(0);
  if (isUtf16) throw new EncodingError('is UTF-16 or binary; save it as UTF-8');
  if (!isUtf8(bytes)) throw new EncodingError('is not UTF-8; save it as UTF-8');
  return withoutByteOrderMark(bytes.toString('utf8'));
}
