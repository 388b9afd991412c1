import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What axe-core finds wrong with the page as it is now, in light and in dark; a test expects an empty list. Each line has the rule, the
 * element and what is wrong with it.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await settle(page);
    found.push(...(await violations(page)).map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}

async function violations(page: Page): Promise<string[]> {
  // By the debugger, not by an element: the policy of the page lets no other script in.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replaceAll(/\s+/g, ' ')}`),
  );
}

/** Colours change over a moment; axe would measure one between. An animation of an element that left the page never finishes. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(`Promise.race([new Promise((resolve) => setTimeout(resolve, 2_000)), Promise.all(document.getAnimations()
    .filter((animation) => animation.effect?.getComputedTiming().iterations !== Infinity)
    .map((animation) => animation.finished.catch(() => undefined)))])`);
}
