import { BEFORE_ALL, type CheckpointPlace } from './thread-checkpoints.repository.js';

/**
 * The rows after a place in checkpoint order.
 * @param runNos only rows of these runs, ascending; null for all runs
 * @param page the number of rows that `pageAfter` reads, unless fewer are left
 */
export async function* rowsInOrder<Row extends CheckpointPlace>(
  after: CheckpointPlace,
  runNos: readonly number[] | null,
  page: number,
  pageAfter: (place: CheckpointPlace) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (const runNo of runNos ?? [null]) {
    let place = runNo !== null && after.run_no < runNo ? { ...BEFORE_ALL, run_no: runNo } : after;
    for (let isMore = true; isMore;) {
      const rows = await pageAfter(place);
      const ofRun = runNo === null ? rows : rows.filter(({ run_no }) => run_no === runNo);
      yield* ofRun;
      isMore = ofRun.length === page;
      place = ofRun.at(-1) ?? place;
    }
  }
}
