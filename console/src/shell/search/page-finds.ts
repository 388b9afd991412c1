import type { Find } from './finds.js';

/** Whatever a person can press, follow or fill in, including what shows or hides more. */
const REACHABLE = 'button, a[href], summary, input, select, textarea, [role=tab], [role=switch]';
const PLACES = 'article, [role=group]';
/** Rows of long lists are found by their own names: threads, channels, agents. */
const MOST = 300;

/** Characters of a name that a result shows. The search uses the whole name. */
const NAME_LENGTH = 100;

/** Synonyms for cancelling. */
const OF_CANCEL = 'stop end abort';

/** Everything on the current page that a mouse can reach, in order. Choosing a result presses it or focuses the field. */
export function pageFinds(): Find[] {
  const elements = document.querySelectorAll<HTMLElement>(`#main :is(${REACHABLE}), .foot :is(${REACHABLE})`);
  const byName = new Map<string, HTMLElement[]>();
  let count = 0;
  for (const element of elements) {
    const name = nameOf(element);
    if (name === '' || !isUsable(element)) continue;
    byName.set(name, [...(byName.get(name) ?? []), element]);
    if (++count >= MOST) break;
  }
  return [...byName].flatMap(([name, same]) => findsOf(name, same));
}

/** If several share a name, each result says where it is, and its number there. */
function findsOf(name: string, elements: readonly HTMLElement[]): Find[] {
  const seen = new Map<string, number>();
  return elements.map((element, index): Find => {
    const place = elements.length === 1 ? '' : placeOf(element);
    const nth = (seen.get(place) ?? 0) + 1;
    seen.set(place, nth);
    const detail = [place, nth > 1 ? `no. ${nth}` : ''].filter(Boolean).join(', ');
    return {
      ...{ id: `page ${index} ${name}`, name: name.slice(0, NAME_LENGTH), icon: 'right' },
      ...(detail !== '' && { detail }),
      words: `${name.slice(NAME_LENGTH)} ${name.startsWith('Cancel') ? OF_CANCEL : ''}`,
      target: { kind: 'act', act: () => activate(element) },
    };
  });
}

/** The names of its surroundings, from the outside in. */
function placeOf(element: HTMLElement): string {
  const names: string[] = [];
  for (let at = element.parentElement?.closest<HTMLElement>(PLACES); at; at = at.parentElement?.closest(PLACES)) {
    const name = labelOf(at);
    if (name !== '') names.unshift(name);
  }
  return names.join(', ').slice(0, NAME_LENGTH);
}

function isUsable(element: HTMLElement): boolean {
  return element.offsetParent !== null && !element.matches(':disabled, [aria-disabled=true], [type=hidden]');
}

function nameOf(element: HTMLElement): string {
  const label = 'labels' in element ? ((element as HTMLInputElement).labels?.[0]?.textContent ?? '') : '';
  return labelOf(element) || plain(label) || plain(element.innerText);
}

function labelOf(element: HTMLElement): string {
  const labelled = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
  const by = labelled.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  return plain(element.getAttribute('aria-label') || by);
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Runs after the search has closed and returned the focus. */
function activate(element: HTMLElement): void {
  setTimeout(() => {
    if (!element.isConnected) return;
    element.scrollIntoView({ block: 'nearest' });
    if (element.matches('input:not([type=checkbox], [type=radio]), select, textarea')) element.focus();
    else element.click();
  });
}
