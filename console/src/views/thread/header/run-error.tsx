import { useState } from 'react';
import { mayManage, useSession } from '../../../session/session.js';
import { readableJson } from '../../../lib/readable-json.js';
import { Button } from '../../../ui/button.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { PlainText } from '../../../ui/plain-text.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { Age } from '../../../ui/time.js';
import { cancellationOf } from './act-targets.js';
import { CancelDialog } from './cancel-dialog.js';
import { useThread } from '../data/thread-context.js';

const LINE_SHOWN = 160;

/** Why the selected run failed, was cancelled or is silent: the first line, and all of it on request. */
export function RunError() {
  const { run } = useThread();
  const cancellation = cancellationOf(run);
  if (run.cancel_reason !== undefined || cancellation)
    return (
      <div className="run-error cancelled">
        <p>
          <strong>Cancelled</strong>
          {typeof cancellation?.by === 'string' && (
            <>
              {' '}
              by <VisibleText text={cancellation.by} />
            </>
          )}
          {cancellation && (
            <>
              {' '}
              <Age time={cancellation.at} suffix="ago" />
            </>
          )}
        </p>
        {run.cancel_reason !== undefined && <PlainText text={run.cancel_reason} />}
      </div>
    );
  if (run.silent) return <Silent />;
  if (run.error === null || run.error === undefined) return null;
  const text = errorText(run.error);
  const line = text.split('\n', 1)[0]!;
  if (line === text && text.length <= LINE_SHOWN)
    return (
      <div className="run-error">
        <p>
          <strong>Failed</strong> <VisibleText text={text} />
        </p>
        <CopyButton text={text} label="Copy the error" />
      </div>
    );
  return (
    <details className="run-error">
      <summary>
        <strong>Failed</strong> <VisibleText text={headline(run.error, line)} />
      </summary>
      <div className="whole">
        <PlainText text={text} />
        <CopyButton text={text} label="Copy the error" />
      </div>
    </details>
  );
}

/** It is unknown whether the run's program still works. */
function Silent() {
  const { run } = useThread();
  const mayAct = mayManage(useSession());
  const [isAsking, setAsking] = useState(false);
  return (
    <div className="run-error silent">
      <p>
        <strong>Silent</strong> This run last reported <Age time={run.updated_at} suffix="ago" />, and its agent sends
        no heartbeat. If its program has stopped, cancel the run and retry it.
      </p>
      {mayAct && <Button onPress={() => setAsking(true)}>Cancel the run</Button>}
      {isAsking && <CancelDialog run={run} onClose={() => setAsking(false)} />}
    </div>
  );
}

function errorText(error: unknown): string {
  if (typeof error === 'string') return error;
  // Shows line breaks within its texts, such as those of a stack.
  return readableJson(error);
}

/** The message of an error object; otherwise its first line. */
function headline(error: unknown, line: string): string {
  const { message } = typeof error === 'object' ? (error as { message?: unknown }) : {};
  const text = typeof message === 'string' && message !== '' ? message.split('\n', 1)[0]! : line;
  return text.length > LINE_SHOWN ? `${text.slice(0, LINE_SHOWN)}…` : text;
}
