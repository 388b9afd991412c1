import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, read } from '../../api/client.js';
import { isForbidden } from '../../api/problem.js';
import { asTyped } from '../../lib/as-typed.js';
import { formatDuration, formatExact } from '../../lib/format.js';
import { visibleString } from '../../lib/visible-text.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { CheckField } from '../../ui/field.js';
import { MoreThanShown } from '../../ui/more-than-shown.js';
import { ShortId } from '../../ui/short-id.js';
import { useNow } from '../../ui/now.js';
import { Failure, Skeleton } from '../../ui/states.js';
import { Age } from '../../ui/time.js';
import { VisibleText } from '../../ui/visible-text.js';
import { NewToken } from './new-token.js';
import { useAccessAct, useTokens, type Token } from './system-data.js';

const route = getRouteApi('/system');
/** An hour, plus the minutes until a use is stored. */
const LAST_HOUR_MS = 62 * 60_000;

function showIt(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'center' });
}

/** Tokens of programs and people: created here, shown once, revoked at once. */
export function Tokens() {
  const tokens = useTokens();
  const { new: making, token: found } = route.useSearch();
  const navigate = route.useNavigate();
  const setMaking = (isMaking: boolean) => void navigate({ search: isMaking ? { new: 'token' } : {} });
  // An accidental press must not close a token that cannot be shown again.
  const [isShown, setShown] = useState(false);
  const isOpen = making === 'token' && !isForbidden(tokens.error);
  if (isShown && !isOpen) setShown(false);
  return (
    <section className="card system-part" aria-labelledby="tokens">
      <header>
        <h2 id="tokens">Tokens</h2>
        {tokens.data && <Button onPress={() => setMaking(true)}>New token</Button>}
      </header>
      {isForbidden(tokens.error) ? (
        <p className="system-note">Only an admin sees the tokens. Sign in with the scope admin: {asTyped('open')}.</p>
      ) : tokens.error && !tokens.data ? (
        <Failure error={tokens.error} onRetry={() => void tokens.refetch()} />
      ) : !tokens.data ? (
        <Skeleton />
      ) : tokens.data.items.length === 0 ? (
        <p className="system-note">
          No tokens yet. The machine secret may do everything; a token only what its scope allows.
        </p>
      ) : (
        <>
          <TokenList tokens={tokens.data.items} found={found} />
          <MoreThanShown list={tokens.data} where="GET /v1/tokens" />
        </>
      )}
      <Dialog title="New token" isOpen={isOpen} onClose={() => setMaking(false)} keepsOpen={isShown}>
        <NewToken onMade={() => setShown(true)} onDone={() => setMaking(false)} />
      </Dialog>
    </section>
  );
}

function TokenList({ tokens, found }: { tokens: Token[]; found: string | undefined }) {
  const [asked, setAsked] = useState<Token | null>(null);
  return (
    <>
      <ul className="records">
        {tokens.map((token) => (
          <li
            key={token.id}
            className={token.id === found ? 'found' : undefined}
            ref={token.id === found ? showIt : undefined}
          >
            <strong className="cut">
              {token.name ? <VisibleText text={token.name} /> : <ShortId id={token.id} />}
            </strong>
            <span>{token.scope}</span>
            <span className="cut">
              <VisibleText text={token.agent_ids === null ? 'any agent' : token.agent_ids.join(', ')} />
            </span>
            <span>
              created <Age time={token.created_at} suffix="ago" />
            </span>
            <LastUse at={token.last_used_at} />
            {token.expires_at === null ? <span>never expires</span> : <Expiry at={token.expires_at} />}
            <Button
              kind="danger"
              onPress={() => setAsked(token)}
              aria-label={`Revoke ${visibleString(token.name || token.id)}`}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {asked !== null && <RevokeToken token={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

function RevokeToken({ token: { id, name, scope }, onClose }: { token: Token; onClose: () => void }) {
  const [withChildren, setWithChildren] = useState(false);
  const revoke = useAccessAct(() =>
    read(
      api.DELETE('/v1/tokens/{id}', {
        params: { path: { id }, query: { with_children: withChildren ? 'true' : 'false' } },
      }),
    ),
  );
  return (
    <ActDialog
      title={`Revoke ${visibleString(name || id)}?`}
      act="Revoke"
      acting="Revoking…"
      kind="danger"
      isPending={revoke.isPending}
      error={revoke.error}
      onAct={() => revoke.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        Anyone using it is refused at their next request. {scope === 'runner' ? 'Tokens' : 'Console sessions'} that it
        created end too.
      </p>
      {scope === 'admin' && (
        <CheckField
          label="Also revoke the tokens that it created"
          hint="And those that they created, with their console sessions. Otherwise all of these stay valid."
          isOn={withChildren}
          onChange={setWithChildren}
        />
      )}
    </ActDialog>
  );
}

/** The server stores it to within an hour. */
function LastUse({ at }: { at: string | null }) {
  const isRecent = useNow() - Date.parse(at ?? '') < LAST_HOUR_MS;
  if (at === null) return <span>never used</span>;
  return <span>used {isRecent ? 'in the last hour' : <Age time={at} suffix="ago" />}</span>;
}

function Expiry({ at }: { at: string }) {
  const left = Date.parse(at) - useNow();
  return (
    <time dateTime={at} title={formatExact(at)}>
      {left > 0 ? `expires in ${formatDuration(left)}` : 'expired'}
    </time>
  );
}
