import { Injectable } from '@nestjs/common';
import type { SqlReader, SqlValue } from '../../../database/database.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import { placeOf, positionOf, type StateName } from './state-identity.js';
import { inScope, PIECE, type StateScope } from './state-scope.js';
import { CHECKPOINTS, WRITES } from './state-tables.js';

/** A value, and about how many bytes it takes. */
export interface ValueSize {
  agent: string;
  digest: string;
  bytes: number;
}

/** Values that are looked at together. */
const VALUES_AT_ONCE = 5_000;
/** Checkpoints whose sizes are read together, and bytes of what is read of them at once. */
const CHECKPOINTS_AT_ONCE = 2_000;
const BYTES_AT_ONCE = 1024 * 1024;

/** Deletes single checkpoints, and values that none names any more. */
@Injectable()
export class StateDeletionRepository {
  /** Of the agent that the scope names also places at which only writes are stored. */
  async placesOf(reader: SqlReader, scope: StateScope, names: readonly StateName[]): Promise<string[]> {
    const { agent } = scope;
    if (agent !== null) return names.map(({ ns, checkpointId }) => placeOf(agent, ns, checkpointId));
    const { conditions, params } = inScope(scope);
    const wanted = names.map(({ ns, checkpointId }) => sqlTuple([ns, positionOf(checkpointId)]));
    const rows = await reader.query<{ place: string }>(
      `SELECT place FROM state_checkpoint x WHERE ${conditions.join(' AND ')} AND (ns, position) IN (VALUES ${wanted.join(',')})`,
      params,
    );
    return rows.map(({ place }) => place);
  }

  /**
   * Deletes the first of these checkpoints, each with all its writes: nobody reads a part of one.
   * @returns how many of the places are done
   */
  async take(
    reader: SqlReader,
    threadPk: number,
    places: readonly string[],
  ): Promise<{ statements: readonly string[]; taken: number }> {
    const some = places.slice(0, PIECE.rows);
    const of = `thread_pk = ${threadPk} AND place IN`;
    const sizes = await reader.query<{ place: string; bytes: number }>(
      `SELECT place, ${CHECKPOINTS.bytes} AS bytes FROM state_checkpoint WHERE ${of} ${sqlTuple(some)}
       UNION ALL SELECT place, SUM(${WRITES.bytes}) AS bytes FROM state_write WHERE ${of} ${sqlTuple(some)} GROUP BY place`,
    );
    if (sizes.length === 0) return { statements: [], taken: some.length };
    const bytes = new Map<string, number>();
    for (const size of sizes) bytes.set(size.place, (bytes.get(size.place) ?? 0) + Number(size.bytes));
    const taken = takenOf(some, (place) => bytes.get(place) ?? 0);
    const gone = sqlTuple(some.slice(0, taken));
    const tables = ['state_checkpoint', 'state_write'];
    return { statements: tables.map((table) => `DELETE FROM ${table} WHERE ${of} ${gone};`), taken };
  }

  /** Some values, in the order of their keys. */
  values(reader: SqlReader, scope: StateScope, after: ValueSize | null): Promise<ValueSize[]> {
    const { conditions, params } = inScope(scope);
    const from = after === null ? '' : `AND (x.agent, x.digest) > ${sqlTuple([after.agent, after.digest])}`;
    return reader.query<ValueSize & Record<string, SqlValue>>(
      `SELECT agent, digest, octet_length(data) AS bytes FROM state_value x WHERE ${conditions.join(' AND ')} ${from}
       ORDER BY agent, digest LIMIT ${VALUES_AT_ONCE}`,
      params,
    );
  }

  /** Those of the values that no checkpoint names. */
  async unnamed(reader: SqlReader, scope: StateScope, values: readonly ValueSize[]): Promise<ValueSize[]> {
    const unnamed = new Map(values.map((value) => [keyOf(value), value]));
    for await (const { agent, channels } of this.channels(reader, scope)) {
      for (const [, , , digest] of JSON.parse(channels) as [string, string, string, string][])
        unnamed.delete(keyOf({ agent, digest }));
      if (unnamed.size === 0) break;
    }
    return [...unnamed.values()];
  }

  valuesStatement(threadPk: number, values: readonly ValueSize[]): string {
    const keys = values.map(({ agent, digest }) => sqlTuple([agent, digest]));
    return `DELETE FROM state_value WHERE thread_pk = ${threadPk} AND (agent, digest) IN (VALUES ${keys.join(',')});`;
  }

  /** What all checkpoints name; not much of it is in memory at once. */
  private async *channels(
    reader: SqlReader,
    scope: StateScope,
  ): AsyncGenerator<{ agent: string; channels: string }, void, undefined> {
    const { conditions, params } = inScope(scope);
    for (let after = ''; ;) {
      const page = await reader.query<{ place: string; bytes: number }>(
        `SELECT place, octet_length(channels) AS bytes FROM state_checkpoint x
         WHERE ${conditions.join(' AND ')} AND place > ${sqlTuple([after])} ORDER BY place LIMIT ${CHECKPOINTS_AT_ONCE}`,
        params,
      );
      for (let at = 0; at < page.length;) {
        const left = page.slice(at, at + PIECE.rows);
        const taken = takenOf(left, ({ bytes }) => bytes, BYTES_AT_ONCE);
        const places = sqlTuple(left.slice(0, taken).map(({ place }) => place));
        yield* await reader.query<{ agent: string; channels: string }>(
          `SELECT agent, channels FROM state_checkpoint WHERE thread_pk = ${scope.threadPk} AND place IN ${places}`,
        );
        at += taken;
      }
      if (page.length < CHECKPOINTS_AT_ONCE) return;
      after = page.at(-1)!.place;
    }
  }
}

/** How many of these go together: one at least. */
export function takenOf<T>(all: readonly T[], bytesOf: (one: T) => number, most: number = PIECE.bytes): number {
  let bytes = 0;
  let taken = 0;
  while (taken < all.length && taken < PIECE.rows && bytes < most) bytes += bytesOf(all[taken++]!);
  return taken;
}

function keyOf({ agent, digest }: Pick<ValueSize, 'agent' | 'digest'>): string {
  return `${digest} ${agent}`;
}
