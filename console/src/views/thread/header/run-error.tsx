import { stringifyExact } from '../../../api/exact-json.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { PlainText } from '../../../ui/plain-text.js';
import { VisibleText } from '../../../ui/visible-text.js';
import { useThread } from '../data/thread-context.js';

const LINE_SHOWN = 160;

/** Why the selected run failed, or somebody cancelled it: its first line, and all of it on request. */
export function RunError() {
  const { run } = useThread();
  if (run.cancel_reason !== undefined)
    return (
      <div className="run-error cancelled">
        <p>
          <strong>Cancelled</strong> <PlainText text={run.cancel_reason} />
        </p>
      </div>
    );
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

function errorText(error: unknown): string {
  return typeof error === 'string' ? error : stringifyExact(error, 2);
}

/** What an error says that is an object; else its first line. */
function headline(error: unknown, line: string): string {
  const { message } = typeof error === 'object' ? (error as { message?: unknown }) : {};
  const text = typeof message === 'string' && message !== '' ? message.split('\n', 1)[0]! : line;
  return text.length > LINE_SHOWN ? `${text.slice(0, LINE_SHOWN)}…` : text;
}
