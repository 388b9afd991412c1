import { Link } from '@tanstack/react-router';
import { formatCount } from '../lib/format.js';
import { MessageView } from '../ui/message.js';
import { Failure, Skeleton } from '../ui/states.js';
import type { Approval } from './inbox.js';
import { useConversation } from './use-conversation.js';

/** Messages shown without opening the thread. */
const SHOWN = 4;

/** The end of the conversation that led to the calls, with a link to all of it. */
export function Conversation({ approval }: { approval: Approval }) {
  const { data, error, refetch } = useConversation(approval);
  const { thread_id, trace_id, attempt, step } = approval;
  return (
    <div role="group" className="conversation" aria-label="What led to it">
      <header>
        <h3>What led to it</h3>
        <Link
          to="/threads/$threadId"
          params={{ threadId: thread_id }}
          search={{ run: trace_id, step: `${attempt}-${step}`, tab: 'approval' }}
        >
          {data && data.total > 0
            ? data.total === 1
              ? 'Its one message'
              : `All ${formatCount(data.total)} messages`
            : 'Open the thread'}
        </Link>
      </header>
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Messages messages={data.messages} />
      ) : (
        <Skeleton lines={3} />
      )}
    </div>
  );
}

function Messages({ messages }: { messages: Parameters<typeof MessageView>[0]['message'][] }) {
  if (messages.length === 0) return <p className="faint">The agent reported no messages.</p>;
  return (
    <div className="last-messages" tabIndex={0} role="group" aria-label="Messages">
      {messages.slice(-SHOWN).map((message) => (
        <MessageView key={message.index} message={message} />
      ))}
    </div>
  );
}
