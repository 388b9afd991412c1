const MEBIBYTE = 1024 * 1024;

/** US dollars in cents; below 10 cents, two significant digits. */
export function dollars(amountUsd: number): string {
  if (amountUsd === 0) return '$0';
  return amountUsd >= 0.1 ? `$${amountUsd.toFixed(2)}` : `$${Number(amountUsd.toPrecision(2))}`;
}

/** `1 step`, `1,280 steps`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

/** A size for people: `1200 bytes`, or `3.4 MiB` from a tenth of a mebibyte. */
export function byteSize(bytes: number): string {
  return bytes < MEBIBYTE / 10 ? `${bytes} bytes` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}
