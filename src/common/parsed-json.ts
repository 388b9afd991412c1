/** The value of a JSON text; undefined, which JSON cannot represent, for other texts. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
