/**
 * Seconds for which a generated test looks for a counterexample. `WAYSTATION_TEST_SEARCH_SECONDS` makes it a long hunt, best with another
 * `WAYSTATION_TEST_SEED`.
 */
export function searchMs(usualSeconds: number): number {
  return 1000 * Number(process.env.WAYSTATION_TEST_SEARCH_SECONDS ?? usualSeconds);
}
