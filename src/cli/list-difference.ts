export interface Change<Item> {
  kind: 'same' | 'added' | 'removed';
  item: Item;
}

/** Beyond so many comparisons what differs in the middle counts as replaced. */
const MAX_COMPARISONS = 4_000_000;

/** What became of the first list in the second, in their order: the fewest items added and removed. Same items have the same key. */
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
  const same = (items: readonly Item[]) => items.map((item): Change<Item> => ({ kind: 'same', item }));
  const middle = middleDifference(
    { items: before.slice(head, before.length - tail), keys: from.slice(head, from.length - tail) },
    { items: after.slice(head, after.length - tail), keys: to.slice(head, to.length - tail) },
  );
  return [...same(after.slice(0, head)), ...middle, ...same(after.slice(after.length - tail))];
}

interface Side<Item> {
  items: readonly Item[];
  keys: readonly string[];
}

function middleDifference<Item>(before: Side<Item>, after: Side<Item>): Change<Item>[] {
  const [rows, columns] = [before.keys.length, after.keys.length];
  const lengths = rows * columns > MAX_COMPARISONS ? null : commonLengths(before.keys, after.keys);
  const changes: Change<Item>[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (lengths && row < rows && column < columns && before.keys[row] === after.keys[column]) {
      changes.push({ kind: 'same', item: after.items[column]! });
      row += 1;
      column += 1;
    } else if (
      row < rows &&
      (column === columns || !lengths || lengths[row + 1]![column]! >= lengths[row]![column + 1]!)
    ) {
      changes.push({ kind: 'removed', item: before.items[row]! });
      row += 1;
    } else {
      changes.push({ kind: 'added', item: after.items[column]! });
      column += 1;
    }
  }
  return changes;
}

/** The length of the longest common part of what begins at each pair of places. */
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
