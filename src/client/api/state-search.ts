/** Which checkpoints `StateStore.each` finds; what is absent lets all through. */
export interface StateSearch {
  thread_id?: string | undefined;
  thread_prefix?: string | undefined;
  ns?: string | undefined;
  /** Only those with lower ids. */
  before?: string | undefined;
  /** Whole members of their metadata, as JSON. */
  filter?: Readonly<Record<string, unknown>> | undefined;
  /** Checkpoints in one answer. */
  page?: number;
}

/**
 * For a search that deletes: an absent value is a mistake, without it the search finds more.
 * @throws TypeError
 */
export function checkIsNarrow({ thread_id, thread_prefix, filter = {} }: StateSearch): void {
  if (Object.values(filter).includes(undefined)) throw new TypeError('A member of the filter is undefined.');
  if (!thread_id && !thread_prefix && Object.keys(filter).length === 0) {
    throw new TypeError(
      'The search needs a thread_id, a thread_prefix or a filter: without them it finds all threads.',
    );
  }
}
