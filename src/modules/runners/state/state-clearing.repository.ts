import { Injectable } from '@nestjs/common';
import { speaksForSql } from '../../../database/bound-agents.sql.js';
import type { SqlReader, SqlRow, SqlValue } from '../../../database/database.js';
import { sqlTuple } from '../../../database/sql-literal.js';
import { CHECKPOINTS, VALUES, WRITES, type STATE_TABLES } from './state-tables.js';

/** Whose rows go. */
export interface ClearedStates {
  threadPk: number;
  /** Null for all agents. */
  agent: string | null;
  /** Those that the caller may speak for; null for all. */
  agents: readonly string[] | null;
}

/** `values`: no checkpoint and no write is left, but values that none has. */
export type ClearingStage = 'states' | 'values' | 'done';

/** Statements that delete some rows, and what is left to do then. */
export interface ClearingPiece {
  statements: readonly string[];
  next: ClearingStage;
}

type StateTable = (typeof STATE_TABLES)[number];

/** Rows, and about how many bytes of them, that go in one transaction: others wait for it, some milliseconds. */
const PIECE = { rows: 500, bytes: 4 * 1024 * 1024 };
/** The digest is the last of what a checkpoint keeps of a value, and no name has a quotation mark that is not escaped. */
const IS_NAMED = `EXISTS (SELECT 1 FROM state_checkpoint s
  WHERE s.thread_pk = x.thread_pk AND s.agent = x.agent AND s.channels LIKE '%,"' || x.digest || '"]%')`;

/** Deletes states piece by piece. All of them are gone at one moment, at the end of the stage `states`. */
@Injectable()
export class StateClearingRepository {
  /** @param reader of the transaction that has locked the thread */
  async piece(reader: SqlReader, stage: ClearingStage, cleared: ClearedStates): Promise<ClearingPiece> {
    const clearing = new Clearing(reader, cleared);
    if (stage === 'states') {
      const isWhole = (await clearing.take(CHECKPOINTS)) && (await clearing.take(WRITES));
      if (!isWhole) return { statements: clearing.statements, next: 'states' };
    }
    // What is stored between two pieces may name a value that is still there.
    const isLast = await clearing.take(VALUES, stage === 'states' ? null : `NOT ${IS_NAMED}`);
    return { statements: clearing.statements, next: isLast ? 'done' : 'values' };
  }
}

class Clearing {
  readonly statements: string[] = [];
  private readonly left = { ...PIECE };

  constructor(
    private readonly reader: SqlReader,
    private readonly cleared: ClearedStates,
  ) {}

  /** Deletes rows of the table, as many as there is room for. Returns whether these are all. */
  async take({ table, keys, bytes }: StateTable, further: string | null = null): Promise<boolean> {
    const { left } = this;
    const { threadPk, agent, agents } = this.cleared;
    const params: SqlValue[] = [threadPk];
    const conditions = ['x.thread_pk = $1'];
    if (agent !== null) conditions.push(`x.agent = $${params.push(agent)}`);
    if (agents !== null) conditions.push(speaksForSql('x.agent', agents));
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
      taken.push(sqlTuple(keys.split(', ').map((key) => row[key] as SqlValue)));
    }
    if (taken.length > 0) {
      this.statements.push(
        `DELETE FROM ${table} WHERE thread_pk = ${threadPk} AND (${keys}) IN (VALUES ${taken.join(',')});`,
      );
    }
    return taken.length === found.length;
  }
}
