/** The places in a text like `0-59,64`, in its order. */
export function placesOf(text: string): number[] {
  const places: number[] = [];
  if (text === '') return places;
  for (const part of text.split(',')) {
    const [from, to] = part.split('-').map(Number);
    for (let place = from!; place <= (to ?? from!); place++) places.push(place);
  }
  return places;
}

/** A text with few ranges for places in any order, each place once. */
export function rangesText(places: Iterable<number>): string {
  const parts: string[] = [];
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  for (let at = 0; at < sorted.length;) {
    const from = sorted[at]!;
    let to = from;
    while (sorted[at + 1] === to + 1) to = sorted[(at += 1)]!;
    parts.push(from === to ? `${from}` : `${from}-${to}`);
    at += 1;
  }
  return parts.join(',');
}
