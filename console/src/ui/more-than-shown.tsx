import { formatCount } from '../lib/format.js';
import type { Listed } from '../api/lists.js';

/** Says so if a list is not shown to its end. */
export function MoreThanShown({ list: { items, hasMore }, where }: { list: Listed<unknown>; where: string }) {
  if (!hasMore) return null;
  return (
    <p className="faint" role="status">
      Only the first {formatCount(items.length)} are shown. {where} gives all of them.
    </p>
  );
}
