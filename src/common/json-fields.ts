/** A JSON object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Longest identifier that is taken for one. */
const MAX_ID_LENGTH = 256;

/** The value where it is an object, else null. */
export function objectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** The member where it is an object, else null; so chains through what is not there end in null. */
export function objectIn(owner: JsonObject | null, name: string): JsonObject | null {
  return objectOf(owner?.[name]);
}

/** The objects of a member that is a list; empty for anything else. */
export function objectsIn(owner: JsonObject | null, name: string): JsonObject[] {
  const list = owner?.[name];
  return Array.isArray(list) ? list.map(objectOf).filter((item) => item !== null) : [];
}

/** The member where it is a string, as a database can hold it: without NUL and without halves of surrogate pairs. */
export function textIn(owner: JsonObject | null, name: string): string | null {
  const value = owner?.[name];
  return typeof value === 'string' ? storable(value) : null;
}

/** The member where it names something: a string of 1 to 256 characters without control characters, or an integer, as text. */
export function idIn(owner: JsonObject | null, name: string): string | null {
  const value = owner?.[name];
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  const isId = typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH;
  return isId && !/\p{Cc}|\p{Cs}/u.test(value) ? value : null;
}

/** The member where it is a number, or a string of digits. */
export function numberIn(owner: JsonObject | null, name: string): number | null {
  const value = owner?.[name];
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null;
}

function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
