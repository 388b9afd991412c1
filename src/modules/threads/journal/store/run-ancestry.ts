import type { SqlReader } from '../../../../database/database.js';
import { isEnded } from '../../../../common/contract/run-status.js';
import { MAX_LINKS, RunKinship, type KindredRun } from '../../bindings/run-kinship.js';
import type { CallerRow, JournalRepository } from './journal.repository.js';
import type { ThreadDraft } from './thread-draft.js';

/** Who called whom in a changing thread. It reads only rows, not the texts of runs, and each row once. */
export class RunAncestry {
  /** Runs that are not in memory, by trace: they do not change during the transaction. Null until one is read, as in most threads. */
  private read: Map<string, readonly CallerRow[]> | null = null;

  constructor(
    private readonly draft: ThreadDraft,
    private readonly reader: SqlReader,
    private readonly repository: JournalRepository,
  ) {}

  async rowsOf(traceId: string): Promise<readonly CallerRow[]> {
    const known = this.known(traceId);
    if (known) return known;
    await this.readAll([traceId]);
    return this.known(traceId)!;
  }

  /** The known callers of each run, the nearest first, by run number. */
  async callersOf(runs: readonly CallerRow[]): Promise<ReadonlyMap<number, readonly CallerRow[]>> {
    await this.readAbove(runs);
    const kinship = new RunKinship<CallerRow>((traceId) => this.rowsOf(traceId));
    const callers = new Map<number, readonly CallerRow[]>();
    for (const run of runs) callers.set(run.run_no, await kinship.callersOf(run));
    return callers;
  }

  /** The numbers of these runs' open sub-runs, oldest first. */
  async openBelow(runNos: ReadonlySet<number>): Promise<number[]> {
    const open = (await this.openRows()).filter(({ run_no }) => !runNos.has(run_no));
    const callers = await this.callersOf(open);
    const isBelow = ({ run_no }: CallerRow) => callers.get(run_no)!.some((caller) => runNos.has(caller.run_no));
    return open.filter(isBelow).map(({ run_no }) => run_no);
  }

  private async openRows(): Promise<CallerRow[]> {
    const { draft } = this;
    const stored = draft.isNew ? [] : await this.repository.openRuns(this.reader, draft.pk);
    const rows = new Map<number, CallerRow>(stored.map((row) => [row.run_no, row]));
    for (const [runNo, { row }] of draft.runs) rows.set(runNo, row);
    return [...rows.values()].filter(({ status }) => !isEnded(status)).sort((a, b) => a.run_no - b.run_no);
  }

  /** One query per level, however many chains there are. */
  private async readAbove(runs: readonly KindredRun[]): Promise<void> {
    const met = new Set<string>();
    let level: readonly KindredRun[] = runs;
    for (let links = 0; links < MAX_LINKS && level.length > 0; links += 1) {
      const named = new Set<string>();
      for (const { parent_trace_id: parent } of level) if (parent !== null && !met.has(parent)) named.add(parent);
      const unknown = [...named].filter((traceId) => this.known(traceId) === undefined);
      if (unknown.length > 0) await this.readAll(unknown);
      const above: KindredRun[] = [];
      for (const traceId of named) {
        met.add(traceId);
        above.push(...this.known(traceId)!);
      }
      level = above;
    }
  }

  private known(traceId: string): readonly CallerRow[] | undefined {
    const inMemory = this.draft.peekAt(traceId);
    if (inMemory.length > 0 || this.draft.isNew) return inMemory.map(({ row }) => row);
    return this.read?.get(traceId);
  }

  private async readAll(traceIds: readonly string[]): Promise<void> {
    const read = (this.read ??= new Map());
    for (const traceId of traceIds) read.set(traceId, []);
    const found = new Map<string, CallerRow[]>();
    for (const row of await this.repository.callersByTraces(this.reader, this.draft.pk, traceIds)) {
      const twins = found.get(row.trace_id);
      if (twins) twins.push(row);
      else found.set(row.trace_id, [row]);
    }
    for (const [traceId, rows] of found) read.set(traceId, rows);
  }
}
