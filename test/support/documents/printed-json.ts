/** Marks in a parsed example that members or elements were left out, as `…` does in print. */
const MORE = '…';
/** Values that differ each time: times, durations, ids that a server creates. */
const VOLATILE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}-[0-9a-f-]{27}|ch_\w+|wst_\w+|\d{6})$|…/;

/** Parses JSON as documents print it: a bare `…` stands for an omission. */
export function parsePrinted(text: string): unknown {
  const open: string[] = [];
  let isString = false;
  let json = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (isString && char === '\\') json += char + text[++at]!;
    else {
      if (char === '"') isString = !isString;
      if (!isString && (char === '{' || char === '[')) open.push(char);
      if (!isString && (char === '}' || char === ']')) open.pop();
      json += char !== MORE || isString ? char : open.at(-1) === '{' ? `"${MORE}":0` : `"${MORE}"`;
    }
  }
  return JSON.parse(json);
}

/** The last complete JSON object in a program's output; null if there is none. */
export function lastObjectIn(output: string): unknown {
  let last: unknown = null;
  let depth = 0;
  let begin = 0;
  let isString = false;
  for (let at = 0; at < output.length; at++) {
    const char = output[at];
    if (depth > 0 && isString && char === '\\') at++;
    else if (depth > 0 && char === '"') isString = !isString;
    else if (isString) continue;
    else if (char === '{' && depth++ === 0) begin = at;
    else if (char === '}' && depth > 0 && --depth === 0) last = parsedOr(output.slice(begin, at + 1), last);
  }
  return last;
}

function parsedOr(text: string, other: unknown): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return other;
  }
}

/** Where a response differs from its printed example: in members, in types, and in values that are the same each time. */
export function differences(printed: unknown, actual: unknown, where = ''): string[] {
  if (Array.isArray(printed)) return differencesOfLists(printed, actual, where);
  if (typeof printed === 'object' && printed !== null) return differencesOfObjects(printed, actual, where);
  const isSame =
    typeof printed === typeof actual &&
    (printed === actual || where.endsWith('_ms') || (VOLATILE.test(String(printed)) && actual !== ''));
  return isSame ? [] : [`${where}: printed ${JSON.stringify(printed)}, is ${JSON.stringify(actual)}`];
}

function differencesOfLists(printed: unknown[], actual: unknown, where: string): string[] {
  const shown = printed.filter((element) => element !== MORE);
  if (!Array.isArray(actual)) return [`${where}: printed a list, is ${JSON.stringify(actual)}`];
  const isWhole = shown.length === printed.length;
  if (isWhole ? actual.length !== shown.length : actual.length < shown.length)
    return [`${where}: printed ${shown.length} elements, are ${actual.length}`];
  // If some are left out, the printed ones may be anywhere.
  if (!isWhole) {
    return shown.flatMap((element) => {
      const faults = actual.map((candidate) => differences(element, candidate, `${where}[]`));
      return faults.find((list) => list.length === 0) ?? faults[0] ?? [];
    });
  }
  return shown.flatMap((element, at) => differences(element, actual[at], `${where}[${at}]`));
}

function differencesOfObjects(printed: object, actual: unknown, where: string): string[] {
  if (typeof actual !== 'object' || actual === null)
    return [`${where}: printed an object, is ${JSON.stringify(actual)}`];
  const { [MORE]: more, ...shown } = printed as Record<string, unknown>;
  const members = actual as Record<string, unknown>;
  const unprinted = more === undefined ? Object.keys(members).filter((name) => !(name in shown)) : [];
  return [
    ...unprinted.map((name) => `${where}.${name}: is there, but not printed`),
    ...Object.entries(shown).flatMap(([name, value]) =>
      name in members
        ? differences(value, members[name], `${where}.${name}`)
        : [`${where}.${name}: printed, but not there`],
    ),
  ];
}
