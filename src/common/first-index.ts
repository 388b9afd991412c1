/** The index of the first element that fits, found by halves: all behind it must fit, too. The length of the list where none does. */
export function firstIndex<T>(list: readonly T[], fits: (element: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(list[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
