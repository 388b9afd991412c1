import { styleText } from 'node:util';

export type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Formats a text with a terminal colour or weight; without colours it stays as it is. */
export type Style = (format: Format, text: string) => string;

/** The style of an output with this `isColoured`. */
export function styleOf({ isColoured }: { readonly isColoured?: boolean }): Style {
  return (format, text) => (isColoured && text !== '' ? styleText(format, text, { validateStream: false }) : text);
}

/** A run's or approval's status in its usual colour. */
export function paintStatus(status: string, style: Style): string {
  if (['completed', 'approved'].includes(status)) return style('green', status);
  if (['error', 'budget_exceeded', 'rejected', 'cancelled', 'expired'].includes(status)) return style('red', status);
  return ['waiting_for_approval', 'pending'].includes(status) ? style('yellow', status) : status;
}
