import { Fragment, type ReactNode } from 'react';
import { useSession } from '../../session/session.js';
import { Skeleton } from '../../ui/states.js';
import { SignIn } from './sign-in.js';

/** The views for who is signed in, begun again for another session; what to do for everybody else. */
export function SignedIn({ children }: { children: ReactNode }) {
  const state = useSession();
  if (state.at === 'in') return <Fragment key={state.session?.id ?? 'token'}>{children}</Fragment>;
  return state.at === 'out' ? <SignIn {...state} /> : <Skeleton />;
}
