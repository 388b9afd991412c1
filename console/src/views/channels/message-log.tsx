import { Link } from '@tanstack/react-router';
import { formatBytes } from '../../lib/format.js';
import { Empty, Failure, Remedy, Skeleton } from '../../ui/states.js';
import { Status, type Tone } from '../../ui/status.js';
import { Age } from '../../ui/time.js';
import { VisibleText } from '../../ui/visible-text.js';
import { remedyFor, useMessages, type ChannelMessage, type Platform } from './channel-data.js';

const TONES: Record<ChannelMessage['status'], Tone> = {
  received: 'run',
  joined: 'done',
  started: 'run',
  queued: 'run',
  sending: 'run',
  done: 'done',
  sent: 'done',
  dropped: 'off',
  failed: 'bad',
  unknown: 'wait',
};

/** The newest messages in both directions, each with its outcome, and the reason if it failed. */
export function MessageLog({ channelId, platform }: { channelId: string; platform: Platform }) {
  const { data, error, refetch } = useMessages(channelId);
  return (
    <section className="card channel-part" aria-labelledby="messages">
      <h2 id="messages">Messages</h2>
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={4} />
      ) : data.length === 0 ? (
        <Empty title="Nothing yet">Write to the bot: the message appears here within seconds.</Empty>
      ) : (
        <ol className="channel-messages">
          {data.map((message) => (
            <Message key={message.id} message={message} platform={platform} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Message({ message, platform }: { message: ChannelMessage; platform: Platform }) {
  const {
    direction,
    kind,
    text,
    file,
    status,
    reason,
    user_name,
    user_id,
    agent_name,
    thread_id,
    part_of,
    created_at,
  } = message;
  const remedy = status === 'sent' ? null : remedyFor(platform, reason);
  const who = direction === 'in' ? (user_name ?? user_id ?? 'someone') : (agent_name ?? 'Waystation');
  return (
    <li className={direction}>
      <p className="who">
        <strong>
          <VisibleText text={who} />
        </strong>
        <Age time={created_at} />
        {kind !== 'message' && kind !== 'text' && <span>{kind}</span>}
        {part_of && <span>part of a message</span>}
        {thread_id && (
          <Link to="/threads/$threadId" params={{ threadId: thread_id }}>
            thread
          </Link>
        )}
        <Status status={status} tone={TONES[status]} />
      </p>
      {file && (
        <p className="text">
          <VisibleText text={file.name} />, {formatBytes(file.size_bytes)}
        </p>
      )}
      {text && (
        <p className="text">
          <VisibleText text={text} />
        </p>
      )}
      {reason && (
        <p className="reason">
          <VisibleText text={reason} />
        </p>
      )}
      {remedy && <Remedy text={remedy} />}
    </li>
  );
}
