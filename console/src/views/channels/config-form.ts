import type { PlatformField } from './channel-data.js';

/** A person's input, by field name. */
export type Entries = Readonly<Record<string, string | boolean>>;

/** Labels for fields whose names are unclear. */
const LABELS: Readonly<Record<string, string>> = { allow_unsigned: 'Accept unsigned updates (testing only)' };

/** `bot_token` as `Bot token`. */
export function labelOf(name: string): string {
  const label = LABELS[name];
  if (label !== undefined) return label;
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The `config` for the input; empty fields are absent, so the server's defaults apply. */
export function configOf(fields: readonly PlatformField[], entries: Entries): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const { name, kind } of fields) {
    const entry = entries[name];
    if (typeof entry === 'boolean') {
      if (entry) config[name] = true;
      continue;
    }
    const text = entry?.trim() ?? '';
    if (text === '') continue;
    config[name] = kind === 'user_ids' ? text.split(/[\s,;]+/).filter(Boolean) : text;
  }
  return config;
}

/** Faults found before asking the server, by field; the server checks again. */
export function faultsOf(fields: readonly PlatformField[], entries: Entries): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const { name, kind, required, pattern, format } of fields) {
    const entry = entries[name];
    const text = typeof entry === 'string' ? entry.trim() : '';
    if (text === '') {
      if (required) faults[name] = 'Enter it: the platform needs it.';
    } else if (kind === 'digits' && !/^\d+$/.test(text)) faults[name] = 'Digits only.';
    else if (pattern && !new RegExp(pattern).test(text)) faults[name] = `It has to be ${format ?? `like ${pattern}`}.`;
  }
  return faults;
}
