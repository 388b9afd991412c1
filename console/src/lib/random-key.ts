/** 128 random bits as text. `crypto.randomUUID` exists only on https and localhost; people also open the page over plain http. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
