import { memo, useCallback, type ReactNode } from 'react';
import type { ToolCall } from '../../../lib/messages.js';
import { formatClock, formatCount, formatDuration, formatExact } from '../../../lib/format.js';
import { classes } from '../../../ui/classes.js';
import { MessageView } from '../../../ui/message.js';
import type { MessageMeta } from './message-meta.js';
import type { TranscriptRow } from './transcript-rows.js';

interface RowProps {
  row: TranscriptRow;
  callAside: (call: ToolCall, index: number) => ReactNode;
  /** The row matches the search: its calls are open, so that the match is visible. */
  isFound: boolean;
}

export const Row = memo(function Row({ row: { message, meta, index, isNew }, callAside, isFound }: RowProps) {
  const aside = useCallback((call: ToolCall) => callAside(call, index), [callAside, index]);
  const isCallOpen = useCallback(() => isFound, [isFound]);
  if (!message) return <div className="loading" aria-busy="true" />;
  return (
    <div className={classes('row', isNew && 'new', isFound && 'found')}>
      {isNew && <span className="unseen">New in this step</span>}
      <MessageView
        key={String(isFound)}
        message={message}
        meta={<Meta meta={meta} />}
        callAside={aside}
        isCallOpen={isCallOpen}
      />
    </div>
  );
});

/** When a message was written, and its tokens. */
export function Meta({ meta: { at, tokensIn, tokensOut } }: { meta: MessageMeta }) {
  const time = at === undefined ? null : new Date(at).toISOString();
  return (
    <>
      {time && (
        <time dateTime={time} title={formatExact(time)}>
          {formatClock(time)}
        </time>
      )}
      {(tokensIn !== undefined || tokensOut !== undefined) && (
        <span title="Tokens in and out">
          {formatCount(tokensIn ?? 0)} + {formatCount(tokensOut ?? 0)} tok
        </span>
      )}
    </>
  );
}

/** How long a call took, if the agent reported the times of both messages. */
export function CallTime({ call, index, metas }: { call: ToolCall; index: number; metas: readonly MessageMeta[] }) {
  const from = metas[index]?.at;
  const to = call.result && metas[call.result.message]?.at;
  return from !== undefined && to !== undefined && to >= from ? <span>{formatDuration(to - from)}</span> : null;
}
