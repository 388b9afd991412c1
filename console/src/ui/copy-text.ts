/**
 * Copies a text to the clipboard. Over plain http from another host, the browser gives the page no clipboard: the text is then selected and
 * copied as a person would. @returns whether it worked
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (isSecureContext) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Not allowed, or the page is in the background.
  }
  return copySelected(text);
}

function copySelected(text: string): boolean {
  const focused = document.activeElement as HTMLElement | null;
  const area = document.createElement('textarea');
  area.className = 'unseen';
  area.readOnly = true;
  area.value = text;
  // A dialog traps the focus, so the text must be inside it.
  (focused?.closest('[role=dialog]') ?? document.body).append(area);
  try {
    area.select();
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    focused?.focus({ preventScroll: true });
  }
}
