import { formatDuration, formatExact } from '../../lib/format.js';
import { useNow } from '../../ui/now.js';
import { Age } from '../../ui/time.js';
import { VisibleText } from '../../ui/visible-text.js';
import type { Rule } from './rules-data.js';

/** When a rule expires, or how it ended. */
export function Ends({ rule: { revoked_at, revoked_by, revoked_through, expires_at } }: { rule: Rule }) {
  const now = useNow();
  if (revoked_at !== null)
    return (
      <span>
        revoked by <VisibleText text={revoked_by ?? revoked_through ?? 'someone'} isValue />,{' '}
        <Age time={revoked_at} suffix="ago" />
      </span>
    );
  if (expires_at === null || expires_at === undefined) return <span>does not end</span>;
  const left = Date.parse(expires_at) - now;
  return (
    <time dateTime={expires_at} title={formatExact(expires_at)}>
      {left > 0 ? `ends in ${formatDuration(left)}` : 'ended'}
    </time>
  );
}
