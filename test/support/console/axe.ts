import axe from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { untilTrue } from './open-console.js';

/**
 * axe-core's findings for the current page, in light and in dark; a test expects an empty list. Each line has the rule, the element and the
 * fault.
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

/** Both themes have the same elements: only colour rules can differ in the dark one. */
const RULES = { light: {}, dark: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } } };

/** A dialog hides the page's main part from readers. Axe guesses from the topmost element whether one is open, and errs after a resize. */
const COVERED = { rules: { 'landmark-one-main': { enabled: false }, 'page-has-heading-one': { enabled: false } } };

async function violations(page: Page, rules: object): Promise<string[]> {
  // Injected through the debugger, because the page's policy allows no other script.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const isCovered = await page.evaluate<boolean>('document.querySelector("[role=dialog]") !== null');
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules, ...(isCovered && COVERED) });
  const results = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replaceAll(/\s+/g, ' ')}`),
  );
}

/** Colours change gradually; axe would measure one in between. */
function settle(page: Page): Promise<void> {
  return untilTrue(
    page,
    `document.getAnimations().every(({ effect, playState }) =>
      playState !== 'running' || effect?.getComputedTiming().iterations === Infinity)`,
  );
}
