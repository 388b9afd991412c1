import { useEffect, type ReactNode } from 'react';
import { asTyped, IS_OF_NPX } from '../../lib/as-typed.js';
import type { SignedOut } from '../../session/session.js';
import { Command } from '../../ui/states.js';
import { Brand } from '../brand.js';
import './sign-in.css';

const WORDS: Record<SignedOut, { title: string; say: ReactNode }> = {
  nobody: { title: 'Sign in', say: 'The command line opens this page for you. Run:' },
  'wrong-code': {
    title: 'This link no longer works',
    say: 'A link works once, for 10 minutes: it was used before, or has expired. Get a new one:',
  },
  'too-many-codes': {
    title: 'Too many links that do not work',
    say: 'They came from your address. A new link works at once. Run:',
  },
  ended: {
    title: 'Your session has ended',
    say: 'A session ends 12 hours after its last use, after 7 days, or when somebody revokes it or the token behind it. To sign in again, run:',
  },
  'signed-out': { title: 'You are signed out', say: 'You are signed out in all tabs. To sign in again, run:' },
  refused: { title: 'The server does not accept this page', say: 'To sign in at another address, run:' },
  unreachable: {
    title: 'Waystation does not answer',
    say: 'This page reconnects as soon as the server answers. To start the server, run:',
  },
};

/** Tells people how to sign in. Continues by itself once another tab is signed in. */
export function SignIn({ why, detail }: { why: SignedOut; detail: string }) {
  const { title, say } = WORDS[why];
  useEffect(() => {
    document.title = `${title} – Waystation`;
  }, [title]);
  return (
    <main className="sign-in">
      <Brand />
      <section>
        <div role={why === 'nobody' ? undefined : 'alert'}>
          <h1>{title}</h1>
        </div>
        {why === 'refused' && <p>{detail}</p>}
        <p>{say}</p>
        <Command text={asTyped(why === 'unreachable' ? 'serve' : 'open')} />
        {why === 'unreachable' ? null : <Elsewhere />}
      </section>
      <p className="place">{location.host}</p>
    </main>
  );
}

function Elsewhere() {
  return (
    <dl>
      {IS_OF_NPX && (
        <>
          <dt>In which folder?</dt>
          <dd>In the clone of Waystation, or the project in which it is installed.</dd>
        </>
      )}
      <dt>Is your browser on another machine?</dt>
      <dd>
        Run it where Waystation runs. It prints a link, and over SSH the tunnel that the link needs. Paste the link into
        the address bar.
      </dd>
      <dt>For somebody else</dt>
      <dd>
        <code>{asTyped('open --print --name Kim')}</code>
      </dd>
    </dl>
  );
}
