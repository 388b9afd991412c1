/** US dollars: whole cents, or more digits where that would show nothing. */
export function dollars(amountUsd: number): string {
  if (amountUsd === 0) return '$0';
  return amountUsd >= 0.1 ? `$${amountUsd.toFixed(2)}` : `$${Number(amountUsd.toPrecision(2))}`;
}

/** `1 step`, `1,280 steps`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
