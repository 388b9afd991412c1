/** The last places of a text like `0-59,64`, in the same form. */
export function lastPlaces(places: string, count: number): string {
  const kept: string[] = [];
  let left = count;
  for (const range of places.split(',').reverse()) {
    if (left <= 0 || range === '') break;
    const [from, to = from] = range.split('-').map(Number) as [number, number?];
    const first = Math.max(from, to - left + 1);
    kept.unshift(first === to ? `${to}` : `${first}-${to}`);
    left -= to - first + 1;
  }
  return kept.join(',');
}
