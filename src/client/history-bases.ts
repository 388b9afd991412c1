import { OutgoingReport, type ReportIds } from './outgoing-report.js';

/** Saving fewer bytes is not worth a base. */
const MIN_SPARED_BYTES = 512;
/** Limit of bytes of remembered reports; keeps those delivered last. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface PreparedBatch {
  texts: readonly string[];
  /** By position: the checkpoints among the events; null for others. Empty while bases are not in use. */
  reports: readonly (OutgoingReport | null)[];
  /** Positions of the events that got a base. */
  based: ReadonlySet<number>;
}

/**
 * Leaves out of reports what the server already has: a checkpoint names the last delivered one as its base. Only for servers that have
 * announced it.
 */
export class HistoryBases {
  /** Null before the first response. */
  private isAnnounced: boolean | null = null;
  /** The last delivered checkpoint of each run, and of each agent in a thread, least recently used first. */
  private readonly known = new Map<string, OutgoingReport>();
  private bytes = 0;

  /** Whether the server understands bases, by its last response. */
  get isOn(): boolean {
    return this.isAnnounced === true;
  }

  /** Whether the server has announced its features. */
  get isTold(): boolean {
    return this.isAnnounced !== null;
  }

  /** @param features the `Waystation-Features` header; null if absent */
  learn(features: string | null): void {
    this.isAnnounced = features?.split(/,\s*/).includes('history_base') === true;
    if (!this.isAnnounced) this.forgetAll();
  }

  /** @param texts of whole events, in order */
  prepare(texts: readonly string[]): PreparedBatch {
    if (!this.isOn) return { texts, reports: [], based: new Set() };
    const reports = texts.map((text) => OutgoingReport.read(text));
    const earlier = new Map<string, OutgoingReport>();
    const bases = reports.map((report) => {
      if (report === null) return null;
      const base = this.baseOf(report, earlier);
      if (report.hasMessages) for (const key of keysOf(report.ids)) earlier.set(key, report);
      return base;
    });
    dropBeforeWhole(reports, bases);
    const based = new Set<number>();
    const sent = texts.map((text, position) => {
      const base = bases[position];
      if (!base) return text;
      based.add(position);
      return reports[position]!.textFrom(base.report, base.length);
    });
    return { texts: sent, reports, based };
  }

  /**
   * Call it with the response to a batch.
   * @param refused positions of the events that were not stored
   */
  settled({ reports }: PreparedBatch, refused: ReadonlySet<number>): void {
    for (const [position, report] of reports.entries()) {
      if (!report?.hasMessages) continue;
      for (const key of keysOf(report.ids)) this.forget(key);
      if (!refused.has(position)) for (const key of keysOf(report.ids)) this.remember(key, report);
    }
  }

  private baseOf(
    report: OutgoingReport,
    earlier: ReadonlyMap<string, OutgoingReport>,
  ): { report: OutgoingReport; length: number } | null {
    for (const key of keysOf(report.ids)) {
      const base = earlier.get(key) ?? this.known.get(key);
      const length = base ? report.commonLength(base) : 0;
      if (base && report.sparedBytes(base, length) >= MIN_SPARED_BYTES) return { report: base, length };
    }
    return null;
  }

  private remember(key: string, report: OutgoingReport): void {
    this.known.set(key, report);
    this.bytes += report.size;
    for (const oldest of this.known.keys()) {
      if (this.bytes <= MAX_BYTES) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    const report = this.known.get(key);
    if (!report) return;
    this.known.delete(key);
    this.bytes -= report.size;
  }

  private forgetAll(): void {
    this.known.clear();
    this.bytes = 0;
  }
}

/** A run continues its own history; a new run that of its agent. */
function keysOf({ threadId, agentId, traceId }: ReportIds): string[] {
  const agent = JSON.stringify([threadId, agentId]);
  return traceId === '' ? [agent] : [JSON.stringify([threadId, agentId, traceId]), agent];
}

/**
 * Removes bases before whole reports of the same thread. A report whose base turns out to be missing is sent again after its batch, and
 * would otherwise arrive after later checkpoints.
 */
function dropBeforeWhole(reports: readonly (OutgoingReport | null)[], bases: unknown[]): void {
  const hasWhole = new Set<string>();
  for (let position = reports.length - 1; position >= 0; position--) {
    const report = reports[position];
    if (!report) continue;
    if (bases[position] === null) hasWhole.add(report.ids.threadId);
    else if (hasWhole.has(report.ids.threadId)) bases[position] = null;
  }
}
