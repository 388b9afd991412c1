import { getRouteApi } from '@tanstack/react-router';
import { formatCount } from '../../../lib/format.js';
import { neighboursOf } from '../../../shell/last-list.js';
import { Button } from '../../../ui/button.js';
import { useShortcuts } from '../../../ui/shortcuts.js';
import { useThread } from '../data/thread-context.js';

const route = getRouteApi('/threads/$threadId');

/** Links to the previous and next thread of the list that the person came from, with its filters and order. */
export function NeighbourThreads() {
  const { id } = useThread();
  const navigate = route.useNavigate();
  const beside = neighboursOf(id);
  const go = (threadId: string | undefined) =>
    threadId !== undefined &&
    void navigate({
      to: '/threads/$threadId',
      params: { threadId },
      search: ({ tab }) => (tab === undefined ? {} : { tab }),
    });
  useShortcuts(beside ? { '[': () => go(beside.before), ']': () => go(beside.after) } : {});
  if (!beside) return null;
  const { before, after, position, total } = beside;
  return (
    <span className="neighbours" role="group" aria-label="Threads of the list">
      <Button
        kind="quiet"
        icon="before"
        aria-label="Previous thread"
        isDisabled={before === undefined}
        onPress={() => go(before)}
      />
      <span title="[ and ] lead to the threads beside it">
        {formatCount(position)} of {formatCount(total)}
      </span>
      <Button
        kind="quiet"
        icon="down"
        aria-label="Next thread"
        isDisabled={after === undefined}
        onPress={() => go(after)}
      />
    </span>
  );
}
