type Values = Record<string, unknown>;

const meaningful = new WeakMap<object, Set<string>>();

/** Marks a query parameter for which an empty text differs from none. */
export function EmptyCounts(): PropertyDecorator {
  return (prototype, name) => {
    const names = meaningful.get(prototype) ?? new Set();
    meaningful.set(prototype, names.add(String(name)));
  };
}

/** A query without its empty parameters: forms and clients send filters that nobody has filled in. */
export function withoutEmpty(type: { prototype: unknown }, query: unknown): unknown {
  if (typeof query !== 'object' || query === null || !Object.values(query).some(hasEmpty)) return query;
  const kept: Values = Object.create(null) as Values;
  for (const [name, value] of Object.entries(query as Values)) {
    const filled = isMeaningful(type.prototype, name) ? value : filledOf(value);
    if (filled !== undefined) kept[name] = filled;
  }
  return kept;
}

function hasEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.includes(''));
}

function filledOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value === '' ? undefined : value;
  const filled = value.filter((one) => one !== '');
  return filled.length > 0 ? filled : undefined;
}

/** Also if a superclass declares it. */
function isMeaningful(prototype: unknown, name: string): boolean {
  for (let at = prototype; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at) as unknown) {
    if (meaningful.get(at)?.has(name)) return true;
  }
  return false;
}
