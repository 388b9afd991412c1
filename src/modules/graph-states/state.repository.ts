import { Injectable } from '@nestjs/common';
import { Database, type BoundStatement, type SqlReader, type SqlValue } from '../../database/database.js';
import type { StateCheckpoint } from './state-checkpoint.entity.js';
import type { StatePosition } from './state-positions.repository.js';
import type { StateWrite } from './state-write.entity.js';

/** Digests per lookup statement. */
const MAX_KEYS = 500;
/** Characters up to which a value is read together with others; also the piece size of longer ones. */
export const SHORT = 64 * 1024;
const CHUNK = 1024 * 1024;

/** Data that may be too long to read at once. */
interface Stored {
  /** Characters. */
  length: number;
  /** Null if it is longer than `SHORT`. */
  data: string | null;
}

/** A checkpoint. Short data is read with it; long data only while the digest stays the same. */
export interface StateRow extends Omit<StateCheckpoint, 'data' | 'members' | 'created_at' | 'position'>, Stored {
  thread_id: string;
}

/** What is compared before a checkpoint is replaced. */
export type SentBefore = Pick<StateCheckpoint, 'digest' | 'channels'>;

/** A checkpoint without anything serialised. */
export type StateOutline = Pick<
  StateRow,
  'thread_id' | 'agent' | 'ns' | 'checkpoint_id' | 'parent_id' | 'metadata' | 'channels'
>;

export interface StoredValue extends Stored {
  digest: string;
}

/** What identifies and sorts writes. */
export type WriteHead = Pick<StateWrite, 'task_id' | 'idx' | 'task_path'>;

export type StoredWrite = WriteHead & Pick<StateWrite, 'channel' | 'type'> & Stored;

const CHECKPOINT = [
  ...['thread_pk', 'place', 'agent', 'ns', 'checkpoint_id', 'position', 'parent_id', 'type', 'data', 'metadata'],
  ...['members', 'channels', 'digest', 'created_at'],
] as const satisfies readonly (keyof StateCheckpoint)[];
const CHANGES = ['parent_id', 'type', 'data', 'metadata', 'members', 'channels', 'digest'] as const;
const WRITE = [
  ...['thread_pk', 'place', 'task_id', 'idx', 'agent', 'task_path', 'channel', 'type', 'data'],
] as const satisfies readonly (keyof StateWrite)[];
const WRITE_CHANGES = ['task_path', 'channel', 'type', 'data'] as const;

@Injectable()
export class StateRepository {
  constructor(private readonly database: Database) {}

  async sentAt(reader: SqlReader, threadPk: number, place: string): Promise<SentBefore | null> {
    const sql = 'SELECT digest, channels FROM state_checkpoint WHERE thread_pk = $1 AND place = $2';
    const [row] = await reader.query<SentBefore>(sql, [threadPk, place]);
    return row ?? null;
  }

  /** Which values are stored, and which are noted as leftovers. */
  async stored(
    reader: SqlReader,
    threadPk: number,
    agent: string,
    digests: readonly string[],
  ): Promise<{ stored: ReadonlySet<string>; leftOver: readonly string[] }> {
    const stored = new Set<string>();
    const leftOver: string[] = [];
    for (let from = 0; from < digests.length; from += MAX_KEYS) {
      const some = digests.slice(from, from + MAX_KEYS);
      const of = `WHERE thread_pk = $1 AND agent = $2 AND digest IN (${placesOf(some, 3)})`;
      const rows = await reader.query<{ digest: string; kind: string }>(
        `SELECT digest, 'stored' AS kind FROM state_value ${of} UNION ALL SELECT digest, 'left over' FROM state_leftover ${of}`,
        [threadPk, agent, ...some],
      );
      for (const { digest, kind } of rows) {
        if (kind === 'stored') stored.add(digest);
        else leftOver.push(digest);
      }
    }
    return { stored, leftOver };
  }

  valueStatement(threadPk: number, agent: string, digest: string, data: Buffer): BoundStatement {
    return {
      sql: `INSERT INTO state_value(thread_pk, agent, digest, data) VALUES ($1, $2, $3, CAST($4 AS TEXT)) ON CONFLICT DO NOTHING`,
      params: [threadPk, agent, digest, data],
    };
  }

  /** Adds the checkpoint or replaces the one with its name. */
  checkpointStatement(row: Record<(typeof CHECKPOINT)[number], SqlValue | Buffer>): BoundStatement {
    const sql = `INSERT INTO state_checkpoint(${CHECKPOINT.join(', ')}) VALUES (${boundTo(CHECKPOINT)})
      ON CONFLICT(thread_pk, place) DO UPDATE SET ${replaced(CHANGES)}`;
    return { sql, params: CHECKPOINT.map((column) => row[column]) };
  }

  /** Adds the write. An earlier write of the same index stays, unless the index is negative. */
  writeStatement(row: Record<(typeof WRITE)[number], SqlValue | Buffer>): BoundStatement {
    const onConflict = Number(row.idx) < 0 ? `DO UPDATE SET ${replaced(WRITE_CHANGES)}` : 'DO NOTHING';
    const sql = `INSERT INTO state_write(${WRITE.join(', ')}) VALUES (${boundTo(WRITE)})
      ON CONFLICT(thread_pk, place, task_id, idx) ${onConflict}`;
    return { sql, params: WRITE.map((column) => row[column]) };
  }

  /** Null if it or its thread is gone. */
  async find({ thread_pk, place }: StatePosition): Promise<StateRow | null> {
    const [row] = await this.database.read<StateRow>(
      `SELECT s.thread_pk, s.place, s.agent, s.ns, s.checkpoint_id, s.parent_id, s.type, s.metadata, s.channels,
         s.digest, ${storedOf('s.data')}, t.id AS thread_id
       FROM state_checkpoint s JOIN thread t ON t.pk = s.thread_pk WHERE s.thread_pk = $1 AND s.place = $2`,
      [thread_pk, place],
    );
    return row ?? null;
  }

  /** Null if it or its thread is gone. */
  async outline({ thread_pk, place }: StatePosition): Promise<StateOutline | null> {
    const [row] = await this.database.read<StateOutline>(
      `SELECT s.agent, s.ns, s.checkpoint_id, s.parent_id, s.metadata, s.channels, t.id AS thread_id
       FROM state_checkpoint s JOIN thread t ON t.pk = s.thread_pk WHERE s.thread_pk = $1 AND s.place = $2`,
      [thread_pk, place],
    );
    return row ?? null;
  }

  values({ thread_pk, agent }: StateRow, digests: readonly string[]): Promise<StoredValue[]> {
    return this.database.read<StoredValue>(
      `SELECT digest, ${storedOf('data')} FROM state_value
       WHERE thread_pk = $1 AND agent = $2 AND digest IN (${placesOf(digests, 3)})`,
      [thread_pk, agent, ...digests],
    );
  }

  /** Unordered. */
  writeHeads({ thread_pk, place }: StateRow): Promise<WriteHead[]> {
    return this.database.read<WriteHead>(
      'SELECT task_id, idx, task_path FROM state_write WHERE thread_pk = $1 AND place = $2',
      [thread_pk, place],
    );
  }

  /** Each consistent in itself. */
  writes({ thread_pk, place }: StateRow, heads: readonly WriteHead[]): Promise<StoredWrite[]> {
    const params: SqlValue[] = [thread_pk, place];
    const wanted = heads.map(({ task_id, idx }) => `(task_id = $${params.push(task_id)} AND idx = ${Number(idx)})`);
    return this.database.read<StoredWrite>(
      `SELECT task_id, idx, task_path, channel, type, ${storedOf('data')} FROM state_write WHERE thread_pk = $1 AND place = $2 AND (${wanted.join(' OR ')})`,
      params,
    );
  }

  checkpointData(row: StateRow): AsyncGenerator<string> {
    return this.chunks(
      'state_checkpoint',
      'place = $2 AND digest = $3',
      [row.thread_pk, row.place, row.digest],
      row.length,
    );
  }

  valueData({ thread_pk, agent }: StateRow, { digest, length }: StoredValue): AsyncGenerator<string> {
    return this.chunks('state_value', 'agent = $2 AND digest = $3', [thread_pk, agent, digest], length);
  }

  /** The data of a long write. One with a negative number may be replaced meanwhile, so it is read at once. */
  writeData({ thread_pk, place }: StateRow, write: StoredWrite): AsyncGenerator<string> {
    const { task_id, idx, task_path, channel, type, length } = write;
    const key = `place = $2 AND task_id = $3 AND idx = ${Number(idx)} AND task_path = $4 AND channel = $5 AND type = $6
      AND octet_length(data) = ${Number(length)}`;
    const params = [thread_pk, place, task_id, task_path, channel, type];
    return this.chunks('state_write', key, params, length, idx < 0 ? length : CHUNK);
  }

  private async *chunks(
    table: string,
    key: string,
    params: readonly SqlValue[],
    length: number,
    size = CHUNK,
  ): AsyncGenerator<string> {
    for (let from = 0; from < length; from += size) {
      const sql = `SELECT SUBSTR(data, ${from + 1}, ${size}) AS part FROM ${table} WHERE thread_pk = $1 AND ${key}`;
      const [row] = await this.database.read<{ part: string }>(sql, params);
      if (!row) throw new StateGoneError();
      yield row.part;
    }
  }
}

/** The data was deleted or replaced while being read. */
export class StateGoneError extends Error {}

function storedOf(column: string): string {
  const length = `octet_length(${column})`;
  return `${length} AS length, CASE WHEN ${length} <= ${SHORT} THEN ${column} END AS data`;
}

function placesOf(values: readonly unknown[], from = 1): string {
  return values.map((_, at) => `$${at + from}`).join(', ');
}

/** Texts bound as bytes, which SQLite would store as a blob. */
const BYTES: readonly string[] = ['data', 'metadata'];

function boundTo(columns: readonly string[]): string {
  return columns.map((column, at) => (BYTES.includes(column) ? `CAST($${at + 1} AS TEXT)` : `$${at + 1}`)).join(', ');
}

function replaced(columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ');
}
