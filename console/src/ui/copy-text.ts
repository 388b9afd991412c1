/**
 * Puts a text into the clipboard. By plain http from another host the browser gives no clipboard to the page: then the text is selected and
 * copied as a person would. @returns whether it worked
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (isSecureContext) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Not allowed, or the page is not in front.
  }
  return copySelected(text);
}

function copySelected(text: string): boolean {
  const focused = document.activeElement as HTMLElement | null;
  const area = document.createElement('textarea');
  area.className = 'unseen';
  area.readOnly = true;
  area.value = text;
  // A dialog lets the focus go nowhere else.
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
