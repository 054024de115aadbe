import { Problem } from '../api/problem.ts';
import { requestOnce } from '../api/request.ts';

export type SignInError = 'wrong' | 'wait' | 'unreachable';

export const SIGN_IN_ERRORS: Readonly<Record<SignInError, string>> = {
  wrong: 'This key is not known here. Copy it whole, without spaces.',
  wait: 'Too many wrong tries. Wait a minute, then try again.',
  unreachable: 'Paybell does not answer. Try again in a moment.',
};

/** Exchanges a key for a session; null where that worked. The session is a cookie that no script can read. */
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
    return response.status === 429 ? 'wait' : 'wrong';
  } catch {
    return 'unreachable';
  }
}

/** Whether an error says that nobody is signed in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof Problem && error.status === 401;
}

/** Ends this session, or all of this key; the next page is the sign-in. */
export async function signOut(everywhere: boolean): Promise<void> {
  const body = new URLSearchParams(everywhere ? { everywhere: 'true' } : {});
  await fetch('/dashboard/sign-out', { method: 'POST', credentials: 'same-origin', body }).catch(
    () => undefined,
  );
  await requestOnce('/api/whoami', {}).catch(() => undefined);
  window.location.assign('/dashboard/sign-in');
}
