import { api, read } from '../../api/client.js';
import { isForbidden } from '../../api/problem.js';
import { asTyped } from '../../lib/as-typed.js';
import { formatCount } from '../../lib/format.js';
import { visibleString } from '../../lib/visible-text.js';
import { mayManage, useSession } from '../../session/session.js';
import { Button } from '../../ui/button.js';
import { Command, Failure, Skeleton } from '../../ui/states.js';
import { Age } from '../../ui/time.js';
import { Status, type Tone } from '../../ui/status.js';
import { VisibleText } from '../../ui/visible-text.js';
import { useNoticeAct, useNotices, type Notice } from './system-data.js';

/** The notices: who is notified of what, and whether deliveries succeed. */
export function Notices() {
  const { data, error, refetch } = useNotices();
  if (isForbidden(error)) return null;
  return (
    <section className="card system-part" aria-labelledby="notices">
      <h2 id="notices">Notices</h2>
      {error && !data ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.items.length === 0 ? (
        <>
          <p className="system-note">Nobody is told what happens. To call a service when a run fails:</p>
          <Command text={asTyped('notices create https://hooks.example.com/waystation --events run_failed')} />
        </>
      ) : (
        <ul className="records">
          {data.items.map((notice) => (
            <NoticeRow key={notice.id} notice={notice} />
          ))}
        </ul>
      )}
    </section>
  );
}

function NoticeRow({ notice }: { notice: Notice }) {
  const mayAct = mayManage(useSession());
  const test = useNoticeAct((id: string) => read(api.POST('/v1/notices/{id}/test', { params: { path: { id } } })));
  const enable = useNoticeAct((id: string) =>
    read(api.PATCH('/v1/notices/{id}', { params: { path: { id } }, body: { enabled: true } })),
  );
  const { id, name, url, chat, enabled, failing_since, waiting, events } = notice;
  const { word, tone, why } = stateOf(notice);
  const error = test.error ?? enable.error;
  return (
    <li>
      <strong className="cut">
        <VisibleText text={name} />
      </strong>
      <Status status={word} tone={tone} />
      {why !== null && <span>{visibleString(why)}</span>}
      {enabled && failing_since !== null && (
        <span>
          first failure <Age time={failing_since} suffix="ago" />
        </span>
      )}
      <span>{visibleString(url ?? `chat ${chat?.chat_id}`)}</span>
      <span>{events.join(', ')}</span>
      {waiting > 0 && <span>{formatCount(waiting)} waiting</span>}
      {test.data && <span role="status">{saidOf(test.data)}</span>}
      {error && <Failure error={error} />}
      {mayAct && (
        <Button isDisabled={test.isPending} onPress={() => test.mutate(id)} aria-label={`Test ${visibleString(name)}`}>
          Test
        </Button>
      )}
      {mayAct && !enabled && (
        <Button
          isDisabled={enable.isPending}
          onPress={() => enable.mutate(id)}
          aria-label={`Enable ${visibleString(name)}`}
        >
          Enable
        </Button>
      )}
    </li>
  );
}

function stateOf({ enabled, disabled_reason, last_error }: Notice): { word: string; tone: Tone; why: string | null } {
  if (!enabled) return { word: 'off', tone: disabled_reason === null ? 'off' : 'bad', why: disabled_reason };
  return last_error === null
    ? { word: 'on', tone: 'done', why: null }
    : { word: 'failing', tone: 'wait', why: last_error };
}

function saidOf({ delivered, ms, error }: { delivered: boolean; ms: number; error: string | null }): string {
  return delivered ? `Test delivered in ${formatCount(ms)} ms` : `Test failed: ${visibleString(error ?? '')}`;
}
