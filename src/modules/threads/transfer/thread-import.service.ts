import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DomainError, invalidField } from '../../../common/domain-error.js';
import { idFault } from '../../../common/id-fault.js';
import { ChangeFeed } from '../../../database/change-feed.js';
import type { SqlValue } from '../../../database/database.js';
import { ThreadCleanupService } from '../deletion/thread-cleanup.service.js';
import { HISTORY } from '../entities/message.entity.js';
import { ThreadJournal } from '../journal/thread-journal.service.js';
import { ExportReader, type ExportedRow } from './export-lines.js';
import type { TableShape } from './table-shapes.js';
import { textFault } from './text-rules.js';
import { busy } from './thread-export.service.js';
import { isRepeatedRow, ThreadImportRepository, type TableRows } from './thread-import.repository.js';
import { ThreadShapes } from './thread-shapes.js';

const MAX_IMPORTS = 2;
/** Rows and bytes of text per transaction. */
const PAGE_ROWS = 500;
const PAGE_BYTES = 1024 * 1024;
/** Bytes of the rows that are stored at the very end, such as approvals; they stay in memory until then. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** A row's cost besides its texts. */
const ROW_BYTES = 200;

type Row = Record<string, SqlValue>;

interface RowReader {
  /** The next row; null at the end. */
  row(): Promise<ExportedRow | null>;
  /** An error for the last row read. */
  fault(detail: string): Error;
}

export interface ImportedThread {
  threadId: string;
  /** Rows by table; messages without metadata. */
  rows: ReadonlyMap<string, number>;
}

/** Imports threads. Nobody sees a thread before all of it is there. */
@Injectable()
export class ThreadImportService {
  private running = 0;

  constructor(
    private readonly repository: ThreadImportRepository,
    private readonly shapes: ThreadShapes,
    private readonly journal: ThreadJournal,
    private readonly remains: ThreadCleanupService,
    private readonly feed: ChangeFeed,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an export's thread durably. If it fails or the process is killed, nothing is left. Needs memory for one page of rows and the
   * thread's approvals.
   * @param as another id for the thread; null for its own
   * @throws DomainError `invalid` with the line, `conflict` if the thread exists, `unavailable`
   */
  async import(lines: AsyncGenerator<Buffer>, as: string | null): Promise<ImportedThread> {
    try {
      return await this.oneOfFew(async () => {
        const reader = new ExportReader(lines);
        await reader.begin();
        return this.read(reader, as);
      });
    } finally {
      await lines.return(undefined);
    }
  }

  /**
   * Stores a thread from rows in memory.
   * @throws DomainError as `import`
   */
  async importRows(rows: readonly ExportedRow[]): Promise<ImportedThread> {
    return this.oneOfFew(() => this.read(new RowsInMemory(rows), null));
  }

  private async oneOfFew<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running >= MAX_IMPORTS) throw busy('imports');
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
    }
  }

  private async read(reader: RowReader, as: string | null): Promise<ImportedThread> {
    const given = await this.readThread(reader, as);
    const thread = as === null ? given : { ...given, id: as };
    if (await this.repository.isThere(String(thread.id))) throw threadExists();
    return this.store(reader, thread, String(given.id));
  }

  private async readThread(reader: RowReader, as: string | null): Promise<Row> {
    const first = await reader.row();
    if (first?.table !== 'thread') throw reader.fault('The row of the thread must come first.');
    const thread = this.rowOf(reader, this.shapes.thread, first.members);
    const fault = idFault(as ?? String(thread.id));
    if (fault !== null && as !== null) throw invalidField('as', fault);
    if (fault !== null) throw reader.fault(`The thread's id ${fault}.`);
    return thread;
  }

  private async store(reader: RowReader, thread: Row, givenId: string): Promise<ImportedThread> {
    const pk = await this.repository.reserve(this.clock.nowMs());
    try {
      const { held, counts } = await this.storeRows(reader, pk, { thread, givenId });
      await this.show(pk, thread, held);
      return { threadId: String(thread.id), rows: counts };
    } catch (error) {
      if (await this.repository.giveUp(pk, this.clock.nowMs())) await this.remains.remove([pk]);
      throw error;
    }
  }

  /** Stores all rows except those that readers would see, and returns these. */
  private async storeRows(reader: RowReader, pk: number, { thread, givenId }: { thread: Row; givenId: string }) {
    const held = new HeldRows();
    const counts = new Map<string, number>();
    let page = new Page('');
    for (let next = await reader.row(); next; next = await reader.row()) {
      const { table, members } = next;
      if (table !== 'message' || members.list === HISTORY) counts.set(table, (counts.get(table) ?? 0) + 1);
      const small = this.shapes.small.find((shape) => shape.table === table);
      if (small) {
        const row = this.rowOf(reader, small, members);
        // Approvals repeat their thread's id.
        if (held.has(small, row)) throw reader.fault(`This row of ${table} is given twice.`);
        if (!held.add(small, 'thread_id' in row ? { ...row, thread_id: thread.id! } : row)) throw tooManyHeld();
        continue;
      }
      const shape = this.shapes.large.find((one) => one.table === table);
      if (!shape) throw reader.fault(`This server has no table ${table} of threads.`);
      if (page.table !== table || page.isFull) {
        await this.storePage(reader, pk, page);
        page = new Page(table);
      }
      page.add(renamed(this.rowOf(reader, shape, members), givenId, String(thread.id)));
    }
    await this.storePage(reader, pk, page);
    const fault = await this.repository.listFault(pk);
    if (fault !== null) throw reader.fault(fault);
    return { held, counts };
  }

  private async storePage(reader: RowReader, pk: number, page: Page): Promise<void> {
    if (page.rows.length === 0) return;
    try {
      await this.repository.store(pk, page, this.clock.nowMs());
    } catch (error) {
      throw isRepeatedRow(error) ? reader.fault(`A row of ${page.table} before this line is given twice.`) : error;
    }
  }

  private rowOf(reader: RowReader, shape: TableShape, members: Record<string, unknown>): Row {
    const read = shape.imported(members);
    if ('fault' in read) throw reader.fault(read.fault);
    const fault = textFaultIn(shape.table, read.row) ?? this.shapes.faultOf(shape.table, read.row);
    if (fault !== null) throw reader.fault(fault);
    return read.row;
  }

  /** Makes the thread visible at once. */
  private async show(pk: number, thread: Row, held: HeldRows): Promise<void> {
    await this.journal.submit({
      name: 'show an imported thread',
      threadIds: [String(thread.id)],
      bytes: held.bytes,
      isAlone: true,
      run: async (drafts) => {
        if (drafts.find(String(thread.id))) throw threadExists();
        const parts = [{ table: 'thread', rows: [thread] }, ...held.parts];
        drafts.write(...(await this.repository.showing(drafts.reader, pk, parts, drafts.nowMs)));
      },
    });
    this.feed.publish([pk]);
  }
}

class RowsInMemory implements RowReader {
  private next = 0;

  constructor(private readonly rows: readonly ExportedRow[]) {}

  row(): Promise<ExportedRow | null> {
    return Promise.resolve(this.rows[this.next++] ?? null);
  }

  fault(detail: string): Error {
    return new Error(`Row ${this.next}: ${detail}`);
  }
}

/** Rows for one transaction. */
class Page implements TableRows {
  readonly rows: Row[] = [];
  private bytes = 0;

  constructor(readonly table: string) {}

  get isFull(): boolean {
    return this.rows.length >= PAGE_ROWS || this.bytes >= PAGE_BYTES;
  }

  add(row: Row): void {
    this.rows.push(row);
    this.bytes += sizeOf(row);
  }
}

/** Rows that wait for the last transaction. */
class HeldRows {
  bytes = 0;
  private readonly tables = new Map<string, Row[]>();
  private readonly keys = new Set<string>();

  get parts(): TableRows[] {
    return [...this.tables].map(([table, rows]) => ({ table, rows }));
  }

  has(shape: TableShape, row: Row): boolean {
    return this.keys.has(keyOf(shape, row));
  }

  /** Returns false if there is no room. */
  add(shape: TableShape, row: Row): boolean {
    this.keys.add(keyOf(shape, row));
    const { table } = shape;
    this.bytes += sizeOf(row);
    const rows = this.tables.get(table);
    if (rows) rows.push(row);
    else this.tables.set(table, [row]);
    return this.bytes <= MAX_HELD_BYTES;
  }
}

function textFaultIn(table: string, row: Row): string | null {
  for (const [column, value] of Object.entries(row)) {
    const fault = typeof value === 'string' ? textFault(table, column, value) : null;
    if (fault !== null) return fault;
  }
  return null;
}

function keyOf({ table, keys }: TableShape, row: Row): string {
  return JSON.stringify([table, ...keys.map((key) => row[key])]);
}

/** The events of approvals and effects name their thread, before any member that an agent has written. */
function renamed(row: Row, from: string, to: string): Row {
  if (from === to || typeof row.data !== 'string' || !['approval', 'effect'].includes(String(row.kind))) return row;
  const named = (id: string) => `"thread_id":${JSON.stringify(id)}`;
  return { ...row, data: row.data.replace(named(from), () => named(to)) };
}

function sizeOf(row: Row): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    ROW_BYTES,
  );
}

function threadExists(): DomainError {
  const hint = 'Delete it first, or import under another id with "as".';
  return new DomainError('conflict', 'thread_exists', `There is a thread with this id already. ${hint}`);
}

function tooManyHeld(): DomainError {
  return new DomainError(
    'too_large',
    'too_many_approvals',
    `The approvals of the thread exceed ${MAX_HELD_BYTES} bytes.`,
  );
}
