/** Who is signed in, according to the server. */
export interface Session {
  id: string;
  scope: 'reader' | 'approver' | 'admin';
  name: string;
  expires_at: string;
}

/** The server's verdict on a key or a code. */
export type Verdict =
  | { is: 'in'; session: Session | null; key: string | null }
  /** `code` is the problem's; 0 and an empty text if the server did not respond. */
  | { is: 'out'; status: number; code: string; detail: string };

const KEY_HEADER = 'X-Waystation-Console';
const OWN = '/v1/console/session';

/**
 * Who has this key. Even without a key somebody may be signed in: `npm run console:dev` sends a bearer token with every request, so there
 * is no session and no need for one.
 */
export async function whoHas(key: string | null): Promise<Verdict> {
  const verdict = await call(OWN, { headers: headersOf(key) }, (session) => ({ session: session as Session, key }));
  return verdict.is === 'out' && verdict.code === 'no_session' ? { is: 'in', session: null, key: null } : verdict;
}

/** A code from a link, and a random text of this tab; with it the server repeats a response that was lost. */
export interface SigningIn {
  code: string;
  proof: string;
}

/** Uses up the code. */
export function exchange(signingIn: SigningIn): Promise<Verdict> {
  const request = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(signingIn),
  };
  return call('/v1/console/sessions', request, (begun) => begun as { session: Session; key: string });
}

/** Ends the session. @throws TypeError if the server does not respond */
export async function signOff(key: string): Promise<void> {
  await fetch(OWN, { method: 'DELETE', headers: headersOf(key) });
}

export function headersOf(key: string | null): Record<string, string> {
  return key === null ? {} : { [KEY_HEADER]: key };
}

async function call(
  path: string,
  request: RequestInit,
  read: (body: unknown) => { session: Session; key: string | null },
): Promise<Verdict> {
  try {
    const response = await fetch(path, { ...request, cache: 'no-store' });
    const body = (await response.json()) as { code?: string; detail?: string };
    if (response.ok) return { is: 'in', ...read(body) };
    return { is: 'out', status: response.status, code: body.code ?? '', detail: body.detail ?? '' };
  } catch {
    return { is: 'out', status: 0, code: '', detail: '' };
  }
}
