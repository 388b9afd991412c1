/** A value that is there at once, or comes later. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with the value, at once where it is there: an await for each of thousands of small steps costs more than the steps do. */
export function after<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
