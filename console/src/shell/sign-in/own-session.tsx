import { signOut, useSession, type Session } from '../../session/session.js';
import { Button } from '../../ui/button.js';
import { VisibleText } from '../../ui/visible-text.js';
import './sign-in.css';

const MAY: Record<Session['scope'], string> = {
  reader: 'May read',
  approver: 'May read and decide',
  admin: 'May do everything',
};

/** Who is signed in, with the sign-out button. Empty if requests carry a bearer token. */
export function OwnSession() {
  const state = useSession();
  if (state.at !== 'in' || state.session === null) return null;
  const { name, scope } = state.session;
  return (
    <div className="own-session">
      <span className="who">
        <span>
          <VisibleText text={name} />
        </span>
        <span className="scope">{MAY[scope]}</span>
      </span>
      <Button kind="quiet" icon="out" aria-label="Sign out" onPress={() => void signOut().catch(() => undefined)} />
    </div>
  );
}
