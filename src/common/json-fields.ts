/** A JSON object with unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Longer texts are not identifiers. */
const MAX_ID_LENGTH = 256;

/** The value if it is an object, otherwise null. */
export function objectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** The member if it is an object, otherwise null, so that chains through missing members end in null. */
export function objectIn(owner: JsonObject | null, name: string): JsonObject | null {
  return objectOf(owner?.[name]);
}

/** The objects of a member that is a list; empty for anything else. */
export function objectsIn(owner: JsonObject | null, name: string): JsonObject[] {
  const list = owner?.[name];
  return Array.isArray(list) ? list.map(objectOf).filter((item) => item !== null) : [];
}

/** The member if it is a string, cleaned for a database: without NUL and without halves of surrogate pairs. */
export function textIn(owner: JsonObject | null, name: string): string | null {
  const value = owner?.[name];
  return typeof value === 'string' ? storable(value) : null;
}

/** The member as text if it can be an identifier: a string of 1 to 256 characters without control characters, or an integer. */
export function idIn(owner: JsonObject | null, name: string): string | null {
  const value = owner?.[name];
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  const isId = typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH;
  return isId && !/\p{Cc}|\p{Cs}/u.test(value) ? value : null;
}

/** The member if it is a number or a string of digits. */
export function numberIn(owner: JsonObject | null, name: string): number | null {
  const value = owner?.[name];
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

/** Milliseconds of a time given in whole seconds, as a number or digits; null for 0 and anything else. */
export function secondsIn(owner: JsonObject | null, name: string): number | null {
  const ms = 1000 * (numberIn(owner, name) ?? 0);
  return Number.isSafeInteger(ms) && ms > 0 ? ms : null;
}

function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
