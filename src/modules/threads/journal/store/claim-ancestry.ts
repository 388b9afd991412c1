import type { SqlReader } from '../../../../database/database.js';
import type { KindredRun } from '../../bindings/run-kinship.js';
import type { RunLease } from '../../leases/run-lease.entity.js';
import type { JournalRepository } from './journal.repository.js';

type Place = readonly [threadPk: number, traceId: string];

/** The runs with the claims' traces, their callers, and all their leases, in a few reads however many claims there are. */
export class ClaimAncestry {
  private readonly runs = new Map<string, KindredRun[]>();
  private readonly leases = new Map<string, RunLease[]>();

  private constructor() {}

  static async load(
    reader: SqlReader,
    repository: JournalRepository,
    claims: readonly { threadPk: number; traceId: string; leaseTrace: string }[],
  ): Promise<ClaimAncestry> {
    const kin = new ClaimAncestry();
    const pks = new Set(claims.map(({ threadPk }) => threadPk));
    // Most threads have no leases.
    const leased = await repository.leases.leasedThreads(reader, [...pks]);
    let wanted = claims
      .filter(({ threadPk }) => leased.has(threadPk))
      .flatMap(({ threadPk, traceId, leaseTrace }): Place[] => [
        [threadPk, traceId],
        [threadPk, leaseTrace],
      ]);
    while (wanted.length > 0) wanted = await kin.read(reader, repository, wanted);
    return kin;
  }

  runsOf(threadPk: number): (traceId: string) => Promise<readonly KindredRun[]> {
    return (traceId) => Promise.resolve(this.runs.get(keyOf([threadPk, traceId])) ?? []);
  }

  leasesOf(threadPk: number): (traceId: string) => Promise<readonly RunLease[]> {
    return (traceId) => Promise.resolve(this.leases.get(keyOf([threadPk, traceId])) ?? []);
  }

  private async read(reader: SqlReader, repository: JournalRepository, wanted: readonly Place[]): Promise<Place[]> {
    const places = [...new Map(wanted.map((place) => [keyOf(place), place])).entries()].filter(
      ([key]) => !this.runs.has(key),
    );
    for (const [key] of places) this.runs.set(key, []);
    const unread = places.map(([, place]) => place);
    for (const lease of await repository.leases.ofPlaces(reader, unread)) {
      const key = keyOf([lease.thread_pk, lease.trace_id]);
      this.leases.set(key, [...(this.leases.get(key) ?? []), lease]);
    }
    const found = await repository.kindredRunsOf(reader, unread);
    for (const run of found) this.runs.get(keyOf([run.thread_pk, run.trace_id]))?.push(run);
    return found.flatMap(({ thread_pk, parent_trace_id }): Place[] =>
      parent_trace_id === null ? [] : [[thread_pk, parent_trace_id]],
    );
  }
}

function keyOf([threadPk, traceId]: Place): string {
  return `${threadPk} ${traceId}`;
}
