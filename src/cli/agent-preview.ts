import type { Definition } from '../modules/triggers/definition/definition.js';
import { previewOf, type Preview } from '../modules/triggers/definition/preview.js';
import { printable } from './printable.js';
import { table } from './table.js';
import type { Terminal } from './terminal.js';

export interface PreviewOptions {
  /** How many firings to print per schedule. */
  count: number;
  /** Milliseconds since 1970; now unless given. */
  from?: number;
  json?: boolean;
}

/** Prints when the schedules of a file fire next. */
export function printPreview(definition: Definition, options: PreviewOptions, terminal: Terminal): void {
  const previews = previewOf(definition.schedules, options.from ?? Date.now(), options.count);
  if (options.json) return terminal.print(JSON.stringify(previews, null, 2));
  if (previews.length === 0) return terminal.print('The file has no schedule.');
  for (const preview of previews) printOne(preview, terminal);
}

function printOne({ trigger, cron, timezone, next }: Preview, terminal: Terminal): void {
  terminal.print(printable(`${trigger}  ${cron}  (${timezone})`));
  const local = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: timezone, weekday: 'short', year: 'numeric', month: 'short', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  });
  const rows = next.map((time) => [`  ${time}`, local.format(new Date(time))]);
  terminal.print(table(['  UTC', timezone], rows));
}
