import { useEffect, useState, type ReactNode } from 'react';
import { UNREACHED_PLATFORM } from '../../../src/common/contract/unreached-platform.js';
import { Problem, Unreachable } from '../api/problem.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { CopyButton } from './copy-button.js';
import { VisibleText } from './visible-text.js';
import './states.css';

interface EmptyProps {
  title: string;
  children?: ReactNode;
  command?: string;
  /** A way to try something at once. */
  trial?: ReactNode;
}

/** An empty list or view, with a hint what to do. */
export function Empty({ title, children, command, trial }: EmptyProps) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <div className="say">{children}</div>}
      {command && <Command text={command} />}
      {trial}
    </div>
  );
}

/** A command or another text for pasting, with a copy button. */
export function Command({ text, label = 'Copy the command' }: { text: string; label?: string }) {
  return (
    <div className="command">
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} label={label}>
        Copy
      </CopyButton>
    </div>
  );
}

interface FailureProps {
  error: unknown;
  /** What to do about it, if known. */
  remedy?: string | null;
  /** Whose refusal it may be, e.g. `Telegram`. */
  platform?: string;
  onRetry?: () => void;
}

/** A failed request: the server's message, a remedy, and a retry. */
export function Failure({ error, remedy, platform = 'The platform', onRetry }: FailureProps) {
  return (
    <div className="failure" role="alert">
      <p>
        <strong>{titleOf(error, platform)}</strong>
      </p>
      <p>
        <VisibleText text={error instanceof Error ? error.message : String(error)} />
      </p>
      {error instanceof Problem && error.body.errors && (
        <ul>
          {error.body.errors.map(({ path, detail }) => (
            <li key={path + detail}>
              <code>
                <VisibleText text={path} isValue />
              </code>{' '}
              <VisibleText text={detail} />
            </li>
          ))}
        </ul>
      )}
      {remedy && <Remedy text={remedy} />}
      {onRetry && (
        <Button icon="retry" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** What a person can do about a failure. */
export function Remedy({ text }: { text: string }) {
  return (
    <p className="remedy">
      <Icon name="right" /> <VisibleText text={text} />
    </p>
  );
}

function titleOf(error: unknown, platform: string): string {
  if (error instanceof Problem && error.body.code === 'platform_refused')
    return UNREACHED_PLATFORM.test(error.message) ? `${platform} cannot be reached` : `${platform} refused`;
  if (error instanceof Problem) return error.body.title;
  return error instanceof Unreachable ? 'No answer' : 'This did not work';
}

const SKELETON_AFTER_MS = 200;

/** Grey lines while something loads, after a moment: most responses are faster, and a flash would only distract. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return <div aria-busy="true" />;
  return (
    <div className="skeleton" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
