import type { Find } from './finds.js';

/** What a person can press, follow or fill in; what only shows or hides something more belongs to it. */
const REACHABLE = 'button, a[href], summary, input, select, textarea, [role=tab], [role=switch]';
/** The rows of long lists are found by their own names: as threads, channels, agents. */
const MOST = 300;

/** Everything on the page that can be reached by mouse, as it is now, in its order. To choose one presses it, or goes to the field. */
export function pageFinds(): Find[] {
  const elements = document.querySelectorAll<HTMLElement>(`#main :is(${REACHABLE}), .foot :is(${REACHABLE})`);
  const byName = new Map<string, HTMLElement>();
  for (const element of elements) {
    const name = nameOf(element);
    if (name !== '' && isUsable(element) && !byName.has(name)) byName.set(name, element);
    if (byName.size >= MOST) break;
  }
  return [...byName].map(([name, element]): Find => ({
    id: `page ${name}`,
    name,
    icon: 'right',
    target: { kind: 'act', act: () => activate(element) },
  }));
}

function isUsable(element: HTMLElement): boolean {
  return element.offsetParent !== null && !element.matches(':disabled, [aria-disabled=true], [type=hidden]');
}

function nameOf(element: HTMLElement): string {
  const labelled = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
  const by = labelled.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  const label = 'labels' in element ? ((element as HTMLInputElement).labels?.[0]?.textContent ?? '') : '';
  const text = element.getAttribute('aria-label') || by || label || element.innerText;
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 100);
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
