import type { Request } from 'express';

import type { Role } from '../../domain/access/role.ts';
import type { Session } from '../../ports/sessions.ts';

/** A request whose API key was accepted: `apiKeyName` is the key's name, never the key. */
export interface KeyedRequest extends Request {
  /** By performance.now(), before its key was checked. */
  arrivedAtMs?: number;
  apiKeyName?: string;
  /** The key's role. */
  role?: Role;
  /** SHA-256 of the key in hex. */
  keyHash?: string;
  /** Whether the request sent the key, or the session that was opened with it. */
  via?: 'api' | 'session';
  /** The session of a request that sent no key. */
  session?: Session;
  /** The body as JSON text, while the parsed one does not say everything, such as the digits of a number. */
  bodyText?: () => string;
  /** Values that a handler adds to its entry in the audit log, beside the fields of the body. */
  changed?: Readonly<Record<string, unknown>>;
  /** Whether the key is still accepted, for an answer that takes minutes or hours. Throws StoreUnavailable. */
  isKeyKnown?: () => Promise<boolean>;
  /** By which that is known: requests with the same key, or of the same session, have the same. */
  accessId?: string;
}

/** The caller whose share of the provider's rate limit this request uses: its API key. Requests without a key share one. */
export function callerOf({ apiKeyName = '' }: KeyedRequest): string {
  return `key ${apiKeyName}`;
}
