const TABBABLE = 'a[href], button, input, select, textarea, summary, [tabindex]';

/** Moves the focus as Tab would from this element: to the next, the previous, or back to itself. */
export function focusNextTo(element: HTMLElement | null, by: -1 | 0 | 1): void {
  if (!element) return;
  // Waits until the element with the focus is gone: until then the page around it may be hidden from the keyboard.
  setTimeout(() => {
    const all = [...document.querySelectorAll<HTMLElement>(TABBABLE)].filter(
      (one) => one === element || (one.tabIndex >= 0 && one.offsetParent !== null && !one.matches(':disabled')),
    );
    (all[all.indexOf(element) + by] ?? element).focus();
  });
}
