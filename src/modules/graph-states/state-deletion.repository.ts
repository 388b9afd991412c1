import { Injectable } from '@nestjs/common';
import { Database, type SqlReader } from '../../database/database.js';
import { sqlTuple } from '../../database/sql-literal.js';
import type { StateCheckpoint } from './state-checkpoint.entity.js';
import { placeOf, positionOf, type StateName } from './state-identity.js';
import { namedIn, StateLeftoversRepository, takenOf, type ValueName } from './state-leftovers.repository.js';
import { inScope, PIECE, type StateScope } from './state-scope.js';
import { CHECKPOINTS, WRITES } from './state-tables.js';

/** Approximate bytes to change: each value that it names costs a row with its indexes. */
const WEIGHT = `${CHECKPOINTS.bytes} + 16 * octet_length(channels)`;

/** Deletes single checkpoints. */
@Injectable()
export class StateDeletionRepository {
  constructor(
    private readonly leftovers: StateLeftoversRepository,
    private readonly database: Database,
  ) {}

  /** For the scope's agent, also places with writes only. */
  async placesOf(reader: SqlReader, scope: StateScope, names: readonly StateName[]): Promise<string[]> {
    const { agent } = scope;
    if (agent !== null) return names.map(({ ns, checkpointId }) => placeOf(agent, ns, checkpointId));
    const { conditions, params } = inScope(scope, this.database.dialect);
    const wanted = names.map(({ ns, checkpointId }) => sqlTuple([ns, positionOf(checkpointId)], this.database.dialect));
    const rows = await reader.query<{ place: string }>(
      `SELECT place FROM state_checkpoint x WHERE ${conditions.join(' AND ')} AND (ns, position) IN (VALUES ${wanted.join(',')})`,
      params,
    );
    return rows.map(({ place }) => place);
  }

  /**
   * Deletes the first of these checkpoints, each together with its writes. Notes the values they named as leftovers in the same
   * transaction.
   * @returns how many places are done
   */
  async take(
    reader: SqlReader,
    threadPk: number,
    places: readonly string[],
    mark: string,
  ): Promise<{ statements: readonly string[]; taken: number }> {
    const some = places.slice(0, PIECE.rows);
    const of = `thread_pk = ${threadPk} AND place IN`;
    const { dialect } = this.database;
    const wanted = sqlTuple(some, dialect);
    const sizes = await reader.query<{ place: string; bytes: number }>(
      `SELECT place, ${WEIGHT} AS bytes FROM state_checkpoint WHERE ${of} ${wanted}
       UNION ALL SELECT place, SUM(${WRITES.bytes}) AS bytes FROM state_write WHERE ${of} ${wanted} GROUP BY place`,
    );
    if (sizes.length === 0) return { statements: [], taken: some.length };
    const bytes = new Map<string, number>();
    for (const size of sizes) bytes.set(size.place, (bytes.get(size.place) ?? 0) + Number(size.bytes));
    const taken = takenOf(some, (place) => bytes.get(place) ?? 0);
    const gone = sqlTuple(some.slice(0, taken), dialect);
    const checkpoints = await reader.query<Pick<StateCheckpoint, 'agent' | 'channels'>>(
      `SELECT agent, channels FROM state_checkpoint WHERE ${of} ${gone}`,
    );
    const named = new Map<string, ValueName>();
    for (const checkpoint of checkpoints)
      for (const value of namedIn(checkpoint)) named.set(`${value.digest} ${value.agent}`, value);
    const statements = ['state_checkpoint', 'state_write'].map((table) => `DELETE FROM ${table} WHERE ${of} ${gone};`);
    return {
      statements: [...statements, ...this.leftovers.noteStatements(threadPk, [...named.values()], mark)],
      taken,
    };
  }
}
