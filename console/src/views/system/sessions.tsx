import { useState } from 'react';
import { api, read } from '../../api/client.js';
import { isForbidden } from '../../api/problem.js';
import { visibleString } from '../../lib/visible-text.js';
import { useSession } from '../../session/session.js';
import { Button } from '../../ui/button.js';
import { MoreThanShown } from '../../ui/more-than-shown.js';
import { Dialog } from '../../ui/dialog.js';
import { Failure, Skeleton } from '../../ui/states.js';
import { Age } from '../../ui/time.js';
import { VisibleText } from '../../ui/visible-text.js';
import { useAccessAct, useSessions, type Session } from './system-data.js';

/** Who is signed in to this console; revoking a session takes effect at once, even in open tabs. */
export function Sessions() {
  const { data, error, refetch } = useSessions();
  if (isForbidden(error)) return null;
  return (
    <section className="card system-part" aria-labelledby="sessions">
      <h2 id="sessions">Sessions of this console</h2>
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.items.length === 0 ? (
        <p className="system-note">Nobody is signed in.</p>
      ) : (
        <>
          <SessionList sessions={data.items} />
          <MoreThanShown list={data} where="GET /v1/console/sessions" />
        </>
      )}
    </section>
  );
}

function SessionList({ sessions }: { sessions: Session[] }) {
  const state = useSession();
  const own = state.at === 'in' ? state.session?.id : undefined;
  const [asked, setAsked] = useState<Session | null>(null);
  const revoke = useAccessAct((id: string) =>
    read(api.DELETE('/v1/console/sessions/{id}', { params: { path: { id } } })),
  );
  return (
    <>
      <ul className="records">
        {sessions.map((session) => (
          <li key={session.id}>
            <strong className="cut">
              <VisibleText text={session.name} />
              {session.id === own && <span className="own"> (this session)</span>}
            </strong>
            <span>{session.scope}</span>
            <span>
              signed in <Age time={session.created_at} suffix="ago" />
            </span>
            <span>
              used <Age time={session.last_used_at} suffix="ago" />
            </span>
            <Button
              kind="danger"
              onPress={() => setAsked(session)}
              aria-label={`Sign out ${visibleString(session.name)}${session.id === own ? ' (this session)' : ''}`}
            >
              Sign out
            </Button>
          </li>
        ))}
      </ul>
      <Dialog
        title={`Sign out ${visibleString(asked?.name ?? '')}?`}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        actions={
          <>
            <Button onPress={() => setAsked(null)}>Keep it</Button>
            <Button
              kind="danger"
              isDisabled={revoke.isPending}
              onPress={() => revoke.mutate(asked!.id, { onSuccess: () => setAsked(null) })}
            >
              Sign out
            </Button>
          </>
        }
      >
        <p>
          {asked?.id === own
            ? 'This is your own session: all its tabs are signed out.'
            : 'All tabs of this session are signed out at their next request.'}
        </p>
        {revoke.error && <Failure error={revoke.error} />}
      </Dialog>
    </>
  );
}
