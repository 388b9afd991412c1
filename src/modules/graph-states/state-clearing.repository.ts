import { Injectable } from '@nestjs/common';
import { Database, type Dialect, type SqlReader, type SqlRow, type SqlValue } from '../../database/database.js';
import { sqlTuple } from '../../database/sql-literal.js';
import { inScope, PIECE, type StateScope } from './state-scope.js';
import { CHECKPOINTS, LEFTOVERS, VALUES, WRITES, type STATE_TABLES } from './state-tables.js';

/** `values`: no checkpoint or write is left, only values that no checkpoint names. */
export type ClearingStage = 'states' | 'values' | 'done';

/** Statements that delete some rows, and what remains to be done. */
export interface ClearingPiece {
  statements: readonly string[];
  next: ClearingStage;
}

type StateTable = (typeof STATE_TABLES)[number];

/** A checkpoint stores a value's digest last, and names escape their quotation marks. */
const IS_NAMED = `EXISTS (SELECT 1 FROM state_checkpoint s
  WHERE s.thread_pk = x.thread_pk AND s.agent = x.agent AND s.channels LIKE '%,"' || x.digest || '"]%')`;

/** Deletes states piece by piece. All of them disappear at one moment, at the end of the stage `states`. */
@Injectable()
export class StateClearingRepository {
  constructor(private readonly database: Database) {}

  /** @param reader of the transaction that has locked the thread */
  async piece(reader: SqlReader, stage: ClearingStage, cleared: StateScope): Promise<ClearingPiece> {
    const clearing = new Clearing(reader, cleared, this.database.dialect);
    if (stage === 'states') {
      const isWhole = (await clearing.take(CHECKPOINTS)) && (await clearing.take(WRITES));
      if (!isWhole) return { statements: clearing.statements, next: 'states' };
    }
    // Between two pieces somebody may store a checkpoint that names an existing value.
    const isLast = await clearing.take(VALUES, stage === 'states' ? null : `NOT ${IS_NAMED}`);
    return { statements: clearing.statements, next: isLast ? 'done' : 'values' };
  }
}

class Clearing {
  readonly statements: string[] = [];
  private readonly left: { rows: number; bytes: number } = { ...PIECE };

  constructor(
    private readonly reader: SqlReader,
    private readonly cleared: StateScope,
    private readonly dialect: Dialect,
  ) {}

  /** Deletes as many rows of the table as fit. Returns whether none are left. */
  async take({ table, keys, bytes }: StateTable, further: string | null = null): Promise<boolean> {
    const { left } = this;
    const { threadPk } = this.cleared;
    const { conditions, params } = inScope(this.cleared, this.dialect);
    if (further !== null) conditions.push(further);
    const found = await this.reader.query<SqlRow & { bytes: number }>(
      `SELECT ${keys}, ${bytes} AS bytes FROM ${table} x WHERE ${conditions.join(' AND ')} ORDER BY ${keys} LIMIT ${left.rows + 1}`,
      params,
    );
    const taken: string[] = [];
    for (const row of found) {
      if (left.rows <= 0 || left.bytes <= 0) break;
      left.rows -= 1;
      left.bytes -= row.bytes;
      const values = keys.split(', ').map((key) => row[key] as SqlValue);
      taken.push(sqlTuple(values, this.dialect));
    }
    if (taken.length > 0) {
      const gone = `thread_pk = ${threadPk} AND (${keys}) IN (VALUES ${taken.join(',')})`;
      this.statements.push(`DELETE FROM ${table} WHERE ${gone};`);
      if (table === VALUES.table) this.statements.push(`DELETE FROM ${LEFTOVERS.table} WHERE ${gone};`);
    }
    return taken.length === found.length;
  }
}
