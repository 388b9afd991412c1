/** The number of wrong letters allowed in a recognised name: one in three, at least one. */
function tolerance(name: string): number {
  return Math.max(1, Math.floor(name.length / 3));
}

/** The known name that was probably meant; null if none is similar. */
export function closestName(given: string, known: Iterable<string>): string | null {
  const plain = plainOf(given);
  if (plain === '') return null;
  let best: { name: string; distance: number } | null = null;
  for (const name of known) {
    const other = plainOf(name);
    if (other === plain || other === `${plain}id` || plain === `${other}s`) return name;
    const distance = distanceOf(plain, other);
    if (distance < other.length && distance <= tolerance(other) && (best === null || distance < best.distance))
      best = { name, distance };
  }
  return best?.name ?? null;
}

/** `threadId`, `thread-id` and `thread_id` are alike. */
function plainOf(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

/** How many letters to add, leave out, replace or swap with a neighbour (optimal string alignment). */
function distanceOf(one: string, other: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = last![j - 1]! + Number(one[i - 1] !== other[j - 1]);
      row[j] = Math.min(replaced, last![j]! + 1, row[j - 1]! + 1);
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwapped) row[j] = Math.min(row[j]!, before![j - 2]! + 1);
    }
    [before, last] = [last, row];
  }
  return last![other.length]!;
}
