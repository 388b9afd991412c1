import type { Page } from 'playwright-core';
import { waitFor } from '../wait.js';

/** The whole text of the transcript, from beginning to end, although only visible rows are drawn. */
export async function transcript(page: Page): Promise<[string, string][]> {
  return page.evaluate<[string, string][]>(`(async () => {
    const scroller = document.querySelector('.transcript .scroller');
    const found = new Map();
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const isDrawn = () => {
      if (scroller.querySelector('.nothing')) return true;
      const rows = [...scroller.querySelectorAll('[data-index]')].map((row) => row.getBoundingClientRect());
      const [sight, all] = [scroller, scroller.querySelector('.rows')].map((one) => one.getBoundingClientRect());
      const [top, bottom] = [Math.max(sight.top, all.top) + 1, Math.min(sight.bottom, all.bottom) - 1];
      return rows.some((row) => row.top <= top) && rows.some((row) => row.bottom >= bottom) && !scroller.querySelector('.loading');
    };
    // As a person does: it lets go of the place that the view keeps.
    scroller.dispatchEvent(new WheelEvent('wheel', { bubbles: true }));
    for (let top = 0; ; top += scroller.clientHeight / 2) {
      scroller.scrollTop = top;
      await frame();
      await frame();
      // Messages are loaded and drawn as time allows. What never comes is missing in what is found.
      for (const since = performance.now(); !isDrawn() && performance.now() - since < 30_000; ) await frame();
      for (const article of scroller.querySelectorAll('article')) {
        const said = [...article.querySelectorAll('.markdown, .tool-call b')].map((part) => part.innerText);
        found.set(article.ariaLabel.replace(/^.*, /, ''), said.join(''));
      }
      if (top >= scroller.scrollHeight) break;
    }
    return [...found].sort(([a], [b]) => Number(a.slice(8)) - Number(b.slice(8)));
  })()`);
}

/** Without characters and list marks that Markdown draws differently. */
export function letters(said: readonly [string, string][]): string[] {
  return said.map(([name, text]) => `${name}: ${text.replaceAll(/\P{L}/gu, '')}`);
}

/** The messages marked as new in the step. */
export async function freshMessages(page: Page): Promise<string[]> {
  await page.locator('.transcript .row.new').first().waitFor();
  const labels = await page
    .locator('.transcript .row.new article')
    .evaluateAll((articles) => articles.map((article) => (article as unknown as { ariaLabel: string }).ariaLabel));
  return labels.map((label) => label.replace(/^.*, /, ''));
}

/** The differences between two steps' messages. */
export async function differences(page: Page): Promise<string[]> {
  await page.locator('.changed .one').first().waitFor();
  // Messages that only the other step has are loaded separately.
  await page.locator('.changed:not(:has(.one))').first().waitFor({ state: 'detached' });
  const parts = await page.locator('.changed').allInnerTexts();
  return parts.map((text) => {
    const [kind, ...lines] = text.split('\n').map((line) => line.trim());
    return `${kind}: ${lines.filter((line) => line !== '' && line !== 'user').join(' ')}`;
  });
}

/** Scroll position of the transcript in pixels. */
export async function scrolledTo(page: Page): Promise<number> {
  return page.evaluate<number>(`document.querySelector('.transcript .scroller').scrollTop`);
}

/** The same once it is stable: the selection is shown before all rows are measured, and each measurement moves the others. */
export async function settledAt(page: Page): Promise<number> {
  let [last, looks] = [NaN, 0];
  return waitFor('the transcript to stand still', async () => {
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    const now = await scrolledTo(page);
    looks = now === last ? looks + 1 : 0;
    last = now;
    return looks >= 5 && now;
  });
}
