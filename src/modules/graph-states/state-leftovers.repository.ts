import { Injectable } from '@nestjs/common';
import { SharedFeatures } from '../../common/shared-features.js';
import { Database, type SqlReader } from '../../database/database.js';
import { sqlLiteral, sqlTuple } from '../../database/sql-literal.js';
import type { StateCheckpoint } from './state-checkpoint.entity.js';
import { inScope, PIECE, type StateScope } from './state-scope.js';

export interface ValueName {
  agent: string;
  digest: string;
}

export interface ValueSize extends ValueName {
  bytes: number;
}

/** Values per search for checkpoints that name them. */
export const LEFTOVERS_AT_ONCE = 2_000;
/** Checkpoints whose sizes are read together, and bytes read of them at once. */
const CHECKPOINTS_AT_ONCE = 2_000;
const BYTES_AT_ONCE = 1024 * 1024;

/**
 * Notes of values whose checkpoint is gone, and their removal. If somebody stores a checkpoint with the value during the search, they
 * remove the note, and with it the right to delete the value.
 */
@Injectable()
export class StateLeftoversRepository {
  constructor(
    private readonly database: Database,
    private readonly features: SharedFeatures,
  ) {}

  noteStatements(threadPk: number, values: readonly ValueName[], mark: string): string[] {
    return piecesOf(values).map((some) => {
      const rows = some.map(({ agent, digest }) => sqlTuple([threadPk, agent, digest, mark], this.database.dialect));
      return `INSERT INTO state_leftover(thread_pk, agent, digest, mark) VALUES ${rows.join(',')}
        ON CONFLICT(thread_pk, agent, digest) DO UPDATE SET mark = excluded.mark;`;
    });
  }

  /** @param mark only notes with it; null for any */
  forgetStatements(threadPk: number, values: readonly ValueName[], mark: string | null): string[] {
    return piecesOf(values).map((some) => `DELETE FROM state_leftover WHERE ${this.noted(threadPk, some, mark)};`);
  }

  /** Deletes the values whose notes still have the mark, and the notes. */
  freeStatements(threadPk: number, values: readonly ValueName[], mark: string): string[] {
    const freed = piecesOf(values).map((some) => {
      const keys = `SELECT agent, digest FROM state_leftover WHERE ${this.noted(threadPk, some, mark)}`;
      return `DELETE FROM state_value WHERE thread_pk = ${threadPk} AND (agent, digest) IN (${keys});`;
    });
    return [...freed, ...this.forgetStatements(threadPk, values, mark)];
  }

  /**
   * Some leftovers, and statements that mark all of them, including those of others that did not finish. None while an older server is
   * running, because it removes no notes: a later deletion finds them.
   */
  async adopt(
    reader: SqlReader,
    scope: StateScope,
    mark: string,
  ): Promise<{ values: ValueName[]; statements: string[] }> {
    if (!this.features.hasStateLeftovers) return { values: [], statements: [] };
    const { conditions, params } = inScope(scope, this.database.dialect);
    const values = await reader.query<ValueName & { mark: string }>(
      `SELECT agent, digest, mark FROM state_leftover x WHERE ${conditions.join(' AND ')}
       ORDER BY agent, digest LIMIT ${LEFTOVERS_AT_ONCE}`,
      params,
    );
    const others = values.filter((value) => value.mark !== mark);
    return { values, statements: this.noteStatements(scope.threadPk, others, mark) };
  }

  /** The values among these that a checkpoint names. */
  async named(scope: StateScope, values: readonly ValueName[]): Promise<ReadonlySet<ValueName>> {
    const wanted = new Map(values.map((value) => [keyOf(value), value]));
    const named = new Set<ValueName>();
    for await (const checkpoint of this.checkpoints(scope)) {
      for (const value of namedIn(checkpoint)) {
        const key = keyOf(value);
        const found = wanted.get(key);
        if (found && wanted.delete(key)) named.add(found);
      }
      if (wanted.size === 0) break;
    }
    return named;
  }

  /** Values that are not stored count 0 bytes. */
  async sizesOf(threadPk: number, values: readonly ValueName[]): Promise<ValueSize[]> {
    const bytes = new Map<string, number>();
    for (const some of piecesOf(values)) {
      const rows = await this.database.read<ValueSize>(
        `SELECT agent, digest, octet_length(data) AS bytes FROM state_value
         WHERE thread_pk = ${threadPk} AND ${this.among(some)}`,
      );
      for (const row of rows) bytes.set(keyOf(row), Number(row.bytes));
    }
    return values.map((value) => ({ ...value, bytes: bytes.get(keyOf(value)) ?? 0 }));
  }

  /** What all checkpoints name, a few at a time in memory. */
  private async *checkpoints(
    scope: StateScope,
  ): AsyncGenerator<Pick<StateCheckpoint, 'agent' | 'channels'>, void, undefined> {
    const { conditions, params } = inScope(scope, this.database.dialect);
    for (let after = ''; ;) {
      const page = await this.database.read<{ place: string; bytes: number }>(
        `SELECT place, octet_length(channels) AS bytes FROM state_checkpoint x
         WHERE ${conditions.join(' AND ')} AND place > ${sqlTuple([after], this.database.dialect)} ORDER BY place LIMIT ${CHECKPOINTS_AT_ONCE}`,
        params,
      );
      for (let at = 0; at < page.length;) {
        const left = page.slice(at, at + PIECE.rows);
        const taken = takenOf(left, ({ bytes }) => bytes, BYTES_AT_ONCE);
        const places = sqlTuple(
          left.slice(0, taken).map(({ place }) => place),
          this.database.dialect,
        );
        yield* await this.database.read<Pick<StateCheckpoint, 'agent' | 'channels'>>(
          `SELECT agent, channels FROM state_checkpoint WHERE thread_pk = ${scope.threadPk} AND place IN ${places}`,
        );
        at += taken;
      }
      if (page.length < CHECKPOINTS_AT_ONCE) return;
      after = page.at(-1)!.place;
    }
  }

  private noted(threadPk: number, values: readonly ValueName[], mark: string | null): string {
    const marked = mark === null ? '' : ` AND mark = ${sqlLiteral(mark, this.database.dialect)}`;
    return `thread_pk = ${threadPk} AND ${this.among(values)}${marked}`;
  }

  private among(values: readonly ValueName[]): string {
    const tuples = values.map(({ agent, digest }) => sqlTuple([agent, digest], this.database.dialect));
    return `(agent, digest) IN (VALUES ${tuples.join(',')})`;
  }
}

/** The values that a checkpoint names, each once. */
export function* namedIn({ agent, channels }: Pick<StateCheckpoint, 'agent' | 'channels'>): Generator<ValueName> {
  const digests = (JSON.parse(channels) as [string, string, string, string][]).map(([, , , digest]) => digest);
  for (const digest of new Set(digests)) yield { agent, digest };
}

/** How many of these go together; at least one. */
export function takenOf<T>(all: readonly T[], bytesOf: (one: T) => number, most: number = PIECE.bytes): number {
  let bytes = 0;
  let taken = 0;
  while (taken < all.length && taken < PIECE.rows && bytes < most) bytes += bytesOf(all[taken++]!);
  return taken;
}

function piecesOf<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / PIECE.rows);
  return Array.from({ length: count }, (_, at) => all.slice(at * PIECE.rows, (at + 1) * PIECE.rows));
}

function keyOf({ agent, digest }: ValueName): string {
  return `${digest} ${agent}`;
}
