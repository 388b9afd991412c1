import { Fragment, type ReactNode } from 'react';
import { useSession } from '../../session/session.js';
import { Skeleton } from '../../ui/states.js';
import { SignIn } from './sign-in.js';

/** The views if somebody is signed in, mounted again for each session; otherwise the sign-in page. */
export function SignedIn({ children }: { children: ReactNode }) {
  const state = useSession();
  if (state.at === 'in') return <Fragment key={state.session?.id ?? 'token'}>{children}</Fragment>;
  return state.at === 'out' ? <SignIn {...state} /> : <Skeleton />;
}
