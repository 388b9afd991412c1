/** Scrolls the card to the top of the window and focuses it. @returns whether it exists */
export function showCard(place: string): boolean {
  const card = cardAt(place);
  card?.scrollIntoView({ block: 'start' });
  card?.focus({ preventScroll: true });
  return card !== null;
}

/** Whether enough of the card is visible to decide by a key. */
export function isCardInSight(place: string): boolean {
  const buttons = cardAt(place)?.querySelector('.actions')?.getBoundingClientRect();
  return buttons !== undefined && buttons.top >= 0 && buttons.bottom <= window.innerHeight;
}

function cardAt(place: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-place="${CSS.escape(place)}"]`);
}
