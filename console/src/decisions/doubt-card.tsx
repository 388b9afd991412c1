import { Link } from '@tanstack/react-router';
import { visibleString } from '../lib/visible-text.js';
import { readableJson } from '../lib/readable-json.js';
import { Icon } from '../ui/icon.js';
import { PlainText } from '../ui/plain-text.js';
import { Status } from '../ui/status.js';
import { VisibleText } from '../ui/visible-text.js';
import { CardActions, CardHead, type CardProps } from './card.js';
import type { Effect } from './inbox.js';
import { ResultEditor } from './result-editor.js';

interface DoubtCardProps extends CardProps {
  effect: Effect;
  /** Whether its result is being entered. */
  isEditing: boolean;
  onEditing: (isEditing: boolean) => void;
}

/** A started call that may or may not have happened: a person has to find out. */
export function DoubtCard({ effect, isEditing, onEditing, ...props }: DoubtCardProps) {
  const { agent_id, key, tool, args, started_at, holder, thread_id, trace_id } = effect;
  return (
    <>
      <CardHead agent={agent_id} since={started_at}>
        started{' '}
        <code>
          <VisibleText text={key} isValue />
        </code>{' '}
        and did not report the outcome <Status status="in doubt" tone="bad" />
      </CardHead>
      <div role="group" className="call" aria-label={`Call: ${visibleString(tool)}`}>
        <header>
          <b className="name mono">
            <VisibleText text={tool} isValue />
          </b>
          {holder !== null && (
            <span className="faint">
              by <VisibleText text={holder} isValue />
            </span>
          )}
          {!props.isInThread && (
            <span className="tools">
              <Link to="/threads/$threadId" params={{ threadId: thread_id }} search={{ run: trace_id, tab: 'effects' }}>
                Open the thread
              </Link>
            </span>
          )}
        </header>
        <div className="arguments mono" tabIndex={0} role="group" aria-label="Arguments">
          <PlainText text={typeof args === 'string' ? args : readableJson(args)} isValue />
        </div>
      </div>
      <p className="warning">
        <Icon name="warning" /> Its outcome is unknown. Check whether it happened, then say so.
      </p>
      {props.mayDecide && <ResultEditor {...props} isOpen={isEditing} onOpen={onEditing} />}
      <CardActions
        {...props}
        approveLabel="It happened"
        rejectLabel="It did not: run it again"
        acts={['completed', 'not_done']}
        keys={['y', 'n']}
        reasonLabel="How you know (optional)"
      />
    </>
  );
}
