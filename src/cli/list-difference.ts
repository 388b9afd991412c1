export interface Change<Item> {
  kind: 'same' | 'added' | 'removed';
  item: Item;
}

/** Beyond this many comparisons, everything between the common ends counts as replaced. */
const MAX_COMPARISONS = 4_000_000;

/** Turns the first list into the second with the fewest items added and removed. Equal items have equal keys. */
export function listDifference<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): Change<Item>[] {
  const [from, to] = [before.map(keyOf), after.map(keyOf)];
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < from.length - head && tail < to.length - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const [rows, columns] = [from.length - tail, to.length - tail];
  const isComparable = (rows - head) * (columns - head) <= MAX_COMPARISONS;
  const lengths = isComparable ? commonLengths(from.slice(head, rows), to.slice(head, columns)) : null;
  /** The length of the longest common subsequence from this pair of positions on. */
  const common = (row: number, column: number) => lengths?.[row - head]![column - head] ?? 0;
  const changes = after.slice(0, head).map((item): Change<Item> => ({ kind: 'same', item }));
  for (let [row, column] = [head, head]; row < rows || column < columns;) {
    const isBoth = row < rows && column < columns;
    if (lengths && isBoth && from[row] === to[column]) {
      changes.push({ kind: 'same', item: after[column]! });
      row += 1;
      column += 1;
    } else if (!isBoth ? row < rows : common(row + 1, column) >= common(row, column + 1)) {
      changes.push({ kind: 'removed', item: before[row]! });
      row += 1;
    } else {
      changes.push({ kind: 'added', item: after[column]! });
      column += 1;
    }
  }
  return [...changes, ...after.slice(columns).map((item): Change<Item> => ({ kind: 'same', item }))];
}

function commonLengths(from: readonly string[], to: readonly string[]): Uint32Array[] {
  const lengths = Array.from({ length: from.length + 1 }, () => new Uint32Array(to.length + 1));
  for (let row = from.length - 1; row >= 0; row -= 1) {
    for (let column = to.length - 1; column >= 0; column -= 1) {
      lengths[row]![column] =
        from[row] === to[column]
          ? lengths[row + 1]![column + 1]! + 1
          : Math.max(lengths[row + 1]![column]!, lengths[row]![column + 1]!);
    }
  }
  return lengths;
}
