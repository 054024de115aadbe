import { Problem } from '../api/problem.ts';
import { requestOnce } from '../api/request.ts';

export type SignInError = 'wrong' | 'wait' | 'origin' | 'unavailable' | 'unreachable';

const SIGN_IN_ERRORS: Readonly<Record<SignInError, string>> = {
  wrong: 'This key is not known here. Copy it whole, without spaces.',
  wait: 'Too many tries. Wait a minute, then try again.',
  origin:
    'Paybell expects another address than that of this page. Behind a proxy, set PUBLIC_URL to the address in the browser.',
  unavailable: 'Paybell runs and its database does not answer. Try again in a moment.',
  unreachable: 'Paybell does not answer. Try again in a moment.',
};

const REFUSALS: Readonly<Record<number, SignInError>> = {
  401: 'wrong',
  403: 'origin',
  429: 'wait',
  503: 'unavailable',
};

/** The words for an error's name; an unknown name may come from another release. */
export function signInWords(error: string): string {
  return Object.hasOwn(SIGN_IN_ERRORS, error)
    ? SIGN_IN_ERRORS[error as SignInError]
    : SIGN_IN_ERRORS.unreachable;
}

/** Exchanges a key for a session; null if that worked. The session is a cookie that scripts cannot read. */
export async function signIn(key: string): Promise<SignInError | null> {
  try {
    const body = new URLSearchParams({ key });
    const response = await fetch('/dashboard/session', {
      method: 'POST',
      credentials: 'same-origin',
      headers: { accept: 'application/json' },
      body,
    });
    if (response.ok) return null;
    return REFUSALS[response.status] ?? 'unreachable';
  } catch {
    return 'unreachable';
  }
}

/** Whether an error says that the session has ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof Problem && error.status === 401;
}

/** Ends this session, or all sessions of this key; the next page is the sign-in. */
export async function signOut(everywhere: boolean): Promise<void> {
  const body = new URLSearchParams(everywhere ? { everywhere: 'true' } : {});
  await fetch('/dashboard/sign-out', { method: 'POST', credentials: 'same-origin', body }).catch(
    () => undefined,
  );
  await requestOnce('/api/whoami', {}).catch(() => undefined);
  window.location.assign('/dashboard/sign-in');
}
