import { hash } from 'node:crypto';
import type { ColumnType, TextRow } from './postgres-texts.js';

/** The number of a table's rows, and a digest independent of their order: databases sort texts differently. */
export class TableDigest {
  rows = 0;
  private readonly sums = [0n, 0n];

  constructor(private readonly columns: readonly ColumnType[]) {}

  add(row: TextRow): void {
    this.rows += 1;
    const bytes = hash('sha256', JSON.stringify(row.map((text, at) => comparable(text, this.columns[at]!))), 'buffer');
    for (const part of [0, 1]) this.sums[part] = BigInt.asUintN(64, this.sums[part]! + bytes.readBigUInt64LE(part * 8));
  }

  equals(other: TableDigest): boolean {
    return this.rows === other.rows && this.sums.every((sum, part) => sum === other.sums[part]);
  }
}

/** One double has several texts. */
function comparable(text: string | null, { type }: ColumnType): string | null {
  return text !== null && type === 'double precision' ? String(Number(text)) : text;
}
