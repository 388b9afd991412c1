import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { untilTrue } from './open-console.js';

/**
 * What axe-core finds wrong with the page as it is now, in light and in dark; a test expects an empty list. Each line has the rule, the
 * element and what is wrong with it.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [colorScheme, rules] of Object.entries(RULES)) {
    await page.emulateMedia({ colorScheme: colorScheme as keyof typeof RULES });
    await settle(page);
    found.push(...(await violations(page, rules)).map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}

/** The two have the same elements: in dark only what axe says of colours can differ. */
const RULES = { light: {}, dark: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } } };

/** A dialog hides the page's main part from readers. Axe guesses whether one is open, by what lies on top, and errs after a resize. */
const COVERED = { rules: { 'landmark-one-main': { enabled: false }, 'page-has-heading-one': { enabled: false } } };

async function violations(page: Page, rules: object): Promise<string[]> {
  // By the debugger, not by an element: the policy of the page lets no other script in.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const isCovered = await page.evaluate<boolean>('document.querySelector("[role=dialog]") !== null');
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules, ...(isCovered && COVERED) });
  const results = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replaceAll(/\s+/g, ' ')}`),
  );
}

/** Colours change over a moment; axe would measure one between. */
function settle(page: Page): Promise<void> {
  return untilTrue(
    page,
    `document.getAnimations().every(({ effect, playState }) =>
      playState !== 'running' || effect?.getComputedTiming().iterations === Infinity)`,
  );
}
