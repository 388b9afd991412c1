import { Status } from '../../../ui/status.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { useThread } from '../data/thread-context.js';

export function ThreadHeader() {
  const { id, thread } = useThread();
  return (
    <header>
      <h1>
        <VisibleText text={id} />
      </h1>
      <Status status={thread.status} />
    </header>
  );
}
