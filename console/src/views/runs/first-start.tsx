import { Link } from '@tanstack/react-router';
import { Button } from '../../ui/button.js';
import { VisibleText } from '../../ui/visible-text.js';
import { classes } from '../../ui/classes.js';
import { firstStepCommand } from '../../shell/try-it/commands.js';
import { TryIt } from '../../shell/try-it/try-it.js';
import { LoadExamples } from './example-data.js';
import './first-start.css';

/** Instructions for an empty server; lights up when the first step arrives. */
export function FirstStart({ firstId, onDone }: { firstId: string | undefined; onDone: () => void }) {
  const hasArrived = firstId !== undefined;
  return (
    <section className={classes('card first-start', hasArrived && 'lit')} aria-label="First step">
      <Track />
      <div role="status">
        <h2>{hasArrived ? 'The first step has arrived' : 'No threads yet'}</h2>
        <p className="say">
          {hasArrived
            ? 'From now on every step shows here at once.'
            : 'Report a step as your agent would. It shows here at once.'}
        </p>
      </div>
      {hasArrived ? (
        <div className="acts">
          <Link className="button main" to="/threads/$threadId" params={{ threadId: firstId }}>
            <span className="cut">
              Open <VisibleText text={firstId} isValue />
            </span>
          </Link>
          <Button onPress={onDone}>Close</Button>
        </div>
      ) : (
        <>
          <TryIt commandOf={firstStepCommand} />
          <LoadExamples onLoaded={onDone} />
        </>
      )}
    </section>
  );
}

/** A stop on a track, with a waiting signal. */
function Track() {
  return (
    <svg className="track" viewBox="0 0 240 48" aria-hidden="true">
      <path className="rail" d="M4 24h100" />
      <path className="rail ahead" d="M136 24h100" />
      <circle className="wave" cx="120" cy="24" r="16" />
      <circle className="stop" cx="120" cy="24" r="16" />
      <circle className="signal" cx="120" cy="24" r="6" />
    </svg>
  );
}
