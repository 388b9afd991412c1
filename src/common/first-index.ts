/** Binary search: the index of the first element that fits, or the list's length. All elements after it must fit too. */
export function firstIndex<T>(list: readonly T[], fits: (element: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(list[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
