import type { Find } from './finds.js';

/** What a person can press, follow or fill in; what only shows or hides something more belongs to it. */
const REACHABLE = 'button, a[href], summary, input, select, textarea, [role=tab], [role=switch]';
const PLACES = 'article, [role=group]';
/** The rows of long lists are found by their own names: as threads, channels, agents. */
const MOST = 300;

/** As much of a name as a find shows. All of it counts for the search. */
const NAME_LENGTH = 100;

/** What people who look for that may call it. */
const OF_CANCEL = 'stop end abort';

/** Everything on the page that can be reached by mouse, as it is now, in its order. To choose one presses it, or goes to the field. */
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

/** Of several with one name it says where each stands, and which one in its place it is. */
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

/** The names of what is around it, from the outside to the inside. */
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

/** After the search is gone, which gives the focus back to where it was. */
function activate(element: HTMLElement): void {
  setTimeout(() => {
    if (!element.isConnected) return;
    element.scrollIntoView({ block: 'nearest' });
    if (element.matches('input:not([type=checkbox], [type=radio]), select, textarea')) element.focus();
    else element.click();
  });
}
