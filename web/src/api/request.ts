import { parseExactly } from '../format/json.ts';
import { noteConnection } from './connection.ts';
import { Problem, problemOf, Unreachable } from './problem.ts';
import { signedInAgain } from './session-gate.ts';

export interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** If the session has ended, waits for a new sign-in and repeats the request: nothing that a person has typed is lost. */
export async function request(url: string, sent: Sent = {}): Promise<Response> {
  for (;;) {
    try {
      return await requestOnce(url, sent);
    } catch (error) {
      if (!(error instanceof Problem && error.status === 401)) throw error;
      await signedInAgain();
      sent.signal?.throwIfAborted();
    }
  }
}

/** The answer to one request. Throws Problem and Unreachable. */
export async function requestOnce(url: string, { method, body, accept, signal }: Sent): Promise<Response> {
  const response = await fetch(url, {
    method: method ?? 'GET',
    credentials: 'same-origin',
    headers: {
      accept: accept ?? 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause;
    noteConnection('unreachable');
    throw new Unreachable();
  });
  if (response.ok) {
    noteConnection('ok');
    return response;
  }
  const problem = await problemOf(response);
  noteConnection(isWithoutDatabase(problem) ? 'database' : 'ok');
  throw problem;
}

/** `/health/ready` returns no problem document: its answer names the failing part. */
function isWithoutDatabase({ code, members }: Problem): boolean {
  const checks = members['checks'] as Readonly<Record<string, { readonly status: string }>> | undefined;
  return code === 'database_unavailable' || checks?.['database']?.status === 'unavailable';
}

/** The parsed answer; numbers that JavaScript cannot hold are strings in it. */
export async function requestJson<Answer>(url: string, sent: Sent = {}): Promise<Answer> {
  const response = await request(url, sent);
  const text = await response.text();
  return (text === '' ? undefined : parseExactly(text)) as Answer;
}
