/** Colours and weights of a terminal; where there are none, the texts stay as they are. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** Of the output that `isColoured` says something about. */
export function styleOf({ isColoured }: { readonly isColoured?: boolean }): Style {
  const paint = (code: number) => (text: string) =>
    isColoured && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { bold: paint(1), dim: paint(2), red: paint(31), green: paint(32), yellow: paint(33), cyan: paint(36) };
}

/** The status of a run or of an approval in the colour that it has everywhere. */
export function paintStatus(status: string, style: Style): string {
  if (['completed', 'approved'].includes(status)) return style.green(status);
  if (['error', 'budget_exceeded', 'rejected', 'cancelled', 'expired'].includes(status)) return style.red(status);
  return ['waiting_for_approval', 'pending'].includes(status) ? style.yellow(status) : status;
}
