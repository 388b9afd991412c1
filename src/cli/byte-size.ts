const MEBIBYTE = 1024 * 1024;

/** A size for people: `1200 bytes`, and from a tenth of it `3.4 MiB`. */
export function byteSize(bytes: number): string {
  return bytes < MEBIBYTE / 10 ? `${bytes} bytes` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}
