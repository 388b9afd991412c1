export type JsonObject = Readonly<Record<string, unknown>>;

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsOf(value: unknown): JsonObject[] {
  return listOf(value).filter((one): one is JsonObject => typeof one === 'object' && one !== null);
}

/** Consecutive messages of one role, which an API reads as one turn. */
export function turnsOf(
  messages: readonly JsonObject[],
  roleOf: (message: JsonObject) => string,
): [role: string, JsonObject[]][] {
  const turns: [string, JsonObject[]][] = [];
  for (const message of messages) {
    const role = roleOf(message);
    const last = turns.at(-1);
    if (last?.[0] === role) last[1].push(message);
    else turns.push([role, [message]]);
  }
  return turns;
}

/** Whether both lists have the same elements, each once, in any order. */
export function isSameSet(one: readonly unknown[], other: readonly unknown[]): boolean {
  const [left, right] = [new Set(one), new Set(other)];
  return (
    left.size === one.length &&
    right.size === other.length &&
    left.size === right.size &&
    one.every((each) => right.has(each))
  );
}

/** Whether a text is only white space. */
export function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}
