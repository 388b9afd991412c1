import { LONG_BYTES } from '../../../../common/long-text.js';
import type { BoundStatement, Dialect, ScriptPart } from '../../../../database/database.js';
import type { Message } from '../../entities/message.entity.js';
import type { NewMessage } from './new-messages.js';
import { RowScript } from './row-script.js';

const COLUMNS = ['thread_pk', 'list', 'seq', 'digest', 'body'] as const;
const INSERT = `INSERT INTO message(${COLUMNS.join(',')}) VALUES ($1,$2,$3,$4,CAST($5 AS TEXT))`;

/** Bytes of messages per statement: building longer text at once would delay other requests. */
const PART_BYTES = 512 * 1024;
const ROW_BYTES = 100;

/** @param rows the statements for all other rows; small messages join their texts */
export function scriptOf(rows: RowScript, threads: readonly (readonly NewMessage[])[]): Iterable<ScriptPart> | null {
  const messages: NewMessage[] = [];
  for (const ofThread of threads) for (const message of ofThread) messages.push(message);
  if (isLarge(messages)) return inParts(rows, messages);
  const parts = rows.insert('message', COLUMNS, messages.map(rowOf)).finish();
  return parts.length === 0 ? null : parts;
}

function isLarge(messages: readonly NewMessage[]): boolean {
  let bytes = 0;
  for (const message of messages) bytes += sizeOf(message);
  return bytes > PART_BYTES;
}

function* inParts(rows: RowScript, messages: readonly NewMessage[]): Generator<ScriptPart> {
  yield* rows.finish();
  let part: Message[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = sizeOf(message);
    if (size > LONG_BYTES) yield boundInsert(message);
    else part.push(rowOf(message));
    bytes += size > LONG_BYTES ? 0 : size;
    if (bytes < PART_BYTES) continue;
    yield* insertOf(part, rows.dialect);
    part = [];
    bytes = 0;
  }
  yield* insertOf(part, rows.dialect);
}

function insertOf(messages: readonly Message[], dialect: Dialect): readonly ScriptPart[] {
  return new RowScript(dialect).insert('message', COLUMNS, messages).finish();
}

function sizeOf({ source, index }: NewMessage): number {
  return source.lengthOf(index) + ROW_BYTES;
}

function rowOf({ thread_pk, list, seq, digest, source, index }: NewMessage): Message {
  return { thread_pk, list, seq, digest, body: source.text(index) };
}

function boundInsert({ thread_pk, list, seq, digest, source, index }: NewMessage): BoundStatement {
  return { sql: INSERT, params: [thread_pk, list, seq, digest, source.slice(index)] };
}
