import fc from 'fast-check';

/**
 * Milliseconds for which a generated test looks for a counterexample. `WAYSTATION_TEST_SEARCH_SECONDS` makes the search longer; combine it
 * with another `WAYSTATION_TEST_SEED`.
 */
export function searchMs(usualSeconds: number): number {
  return 1000 * Number(process.env.WAYSTATION_TEST_SEARCH_SECONDS ?? usualSeconds);
}

/**
 * Looks for an example that fails the check until the time is up, and awaits the last one. At least one is checked, however busy the
 * machine is: `fc.assert` fails if not even the first ends in time.
 * @param ms see `searchMs`
 */
export async function assertSearching<T>(
  examples: fc.Arbitrary<T>,
  check: (example: T) => Promise<void>,
  { seed, ms }: { seed: number; ms: number },
): Promise<void> {
  let last: Promise<void> | null = null;
  const property = fc.asyncProperty(examples, (example) => (last = check(example)));
  const limits = { seed, numRuns: 100_000, interruptAfterTimeLimit: ms, markInterruptAsFailure: false };
  const found = await fc.check(property, limits);
  if (found.counterexample !== null) throw new Error(await fc.asyncDefaultReportMessage(found));
  await (last ?? fc.assert(property, { seed, numRuns: 1 }));
}
