/** The colours a person chose; `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'waystation-theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const listeners = new Set<() => void>();

export function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  show(theme);
  for (const listener of listeners) listener();
}

export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
}

// This module loads before the page is drawn, so the page does not flash in the wrong colours.
show(storedTheme());
