import { styleText } from 'node:util';

export type Format = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Gives a text a colour or a weight of the terminal; where there are none, it stays as it is. */
export type Style = (format: Format, text: string) => string;

/** Of the output that `isColoured` says something about. */
export function styleOf({ isColoured }: { readonly isColoured?: boolean }): Style {
  return (format, text) => (isColoured && text !== '' ? styleText(format, text, { validateStream: false }) : text);
}

/** The status of a run or of an approval in the colour that it has everywhere. */
export function paintStatus(status: string, style: Style): string {
  if (['completed', 'approved'].includes(status)) return style('green', status);
  if (['error', 'budget_exceeded', 'rejected', 'cancelled', 'expired'].includes(status)) return style('red', status);
  return ['waiting_for_approval', 'pending'].includes(status) ? style('yellow', status) : status;
}
