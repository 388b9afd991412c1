import { Injectable } from '@nestjs/common';
import type { SqlRow } from '../../../database/database.js';
import { PortDataSource } from '../../../database/port-data-source.js';
import { SMALL_THREAD_TABLES } from '../entities/thread-tables.js';
import { JournalParticipants } from '../journal/store/journal-participants.service.js';
import { TableShape } from './table-shapes.js';

/** All tables with rows of a thread, as the entities describe them. */
@Injectable()
export class ThreadShapes {
  private known: { thread: TableShape; large: TableShape[]; small: TableShape[] } | null = null;

  constructor(
    private readonly source: PortDataSource,
    private readonly participants: JournalParticipants,
  ) {}

  get thread(): TableShape {
    return this.all.thread;
  }

  /** Tables that nobody reads before the thread's row exists. */
  get large(): readonly TableShape[] {
    return this.all.large;
  }

  /** Tables whose rows must appear together with the thread's own, including other modules'. */
  get small(): readonly TableShape[] {
    return this.all.small;
  }

  faultOf(table: string, row: SqlRow): string | null {
    return this.participants.importFault(table, row);
  }

  private get all() {
    // Built on first use: other modules add theirs while the application starts.
    this.known ??= {
      thread: TableShape.of(this.source, 'thread', 'pk'),
      large: this.participants.largeTables.map(({ table }) => this.shapeOf(table)),
      small: [...SMALL_THREAD_TABLES, ...this.participants.tables].map((table) => this.shapeOf(table)),
    };
    return this.known;
  }

  private shapeOf(table: string): TableShape {
    return TableShape.of(this.source, table, 'thread_pk');
  }
}
