/** The colours that a person chose; `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'waystation-theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
}

// This module loads before the page is drawn, so that the page does not flash in the other colours.
applyTheme(storedTheme());
