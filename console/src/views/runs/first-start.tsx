import { Link } from '@tanstack/react-router';
import { useMutation } from '@tanstack/react-query';
import { api, read } from '../../api/client.js';
import { Problem } from '../../api/problem.js';
import { Button } from '../../ui/button.js';
import { Command, Failure } from '../../ui/states.js';
import { VisibleText } from '../../ui/visible-text.js';
import { useSession } from '../../session/session.js';
import { classes } from '../../ui/classes.js';
import { firstStepCommand, TOKEN_COMMAND } from './first-step.js';
import './first-start.css';

/** Seconds for which the token of the first step works: long enough to try things, too short to be left in a shell's history. */
const TOKEN_SECONDS = 86_400;

/** What to do where nothing was ever recorded; it lights up when the first step arrives. */
export function FirstStart({ firstId, onDone }: { firstId: string | undefined; onDone: () => void }) {
  const hasArrived = firstId !== undefined;
  return (
    <section className={classes('card first-start', hasArrived && 'lit')} aria-label="First step">
      <Track />
      <div role="status">
        <h2>{hasArrived ? 'The first step has arrived' : 'Nothing is recorded yet'}</h2>
        <p className="say">
          {hasArrived
            ? 'From now on every step shows here at once.'
            : 'Report a step as your agent would. It shows here as soon as it arrives.'}
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
        <FirstCommand />
      )}
    </section>
  );
}

/** The command that reports a step. Its token is made on a press and stays in this view only. */
function FirstCommand() {
  const session = useSession();
  const isForbidden = session.at === 'in' && session.session !== null && session.session.scope !== 'admin';
  const {
    data: token,
    error,
    isPending,
    mutate,
  } = useMutation({
    mutationFn: async () => {
      const body = { scope: 'runner' as const, name: 'first step', expires_in_seconds: TOKEN_SECONDS };
      return (await read(api.POST('/v1/tokens', { body }))).token;
    },
  });
  if (token !== undefined) {
    return (
      <>
        <Command text={firstStepCommand(location.origin, token)} />
        <p className="say">
          The token in it reports and reads runs for 24 hours. It is shown only now: it is gone when you leave this
          page.
        </p>
      </>
    );
  }
  if (isForbidden || (error instanceof Problem && error.status === 403)) {
    return (
      <>
        <p className="say">You may not create tokens here. On the machine of the server, this command makes one:</p>
        <Command text={TOKEN_COMMAND} />
        <p className="say">With it, this command reports a step:</p>
        <Command text={firstStepCommand(location.origin, null)} />
      </>
    );
  }
  return (
    <>
      <Button kind="main" isDisabled={isPending} onPress={() => mutate()}>
        Create a token and show the command
      </Button>
      {error !== null && <Failure error={error} onRetry={() => mutate()} />}
    </>
  );
}

/** A stop on a track whose signal waits. */
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
