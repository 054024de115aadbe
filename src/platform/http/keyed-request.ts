import type { Request } from 'express';

import type { Role } from '../../domain/access/role.ts';
import type { Session } from '../../ports/sessions.ts';

/** A request whose API key was accepted: `apiKeyName` is the key's name, never the key. */
export interface KeyedRequest extends Request {
  /** When the request arrived, by performance.now(), before its key was checked. */
  arrivedAtMs?: number;
  apiKeyName?: string;
  /** The key's role. */
  role?: Role;
  /** SHA-256 of the key in hex. */
  keyHash?: string;
  /** Whether the request sent the key, or the session that was opened with it. */
  via?: 'api' | 'session';
  /** The session of a request without a key. */
  session?: Session;
  /** The body as JSON text: the parsed body may have lost something, such as digits of a number. */
  bodyText?: () => string;
  /** Values that a handler adds to its audit entry, in addition to the fields of the body. */
  changed?: Readonly<Record<string, unknown>>;
  /** Whether the key is still accepted, asked for an answer that takes minutes or hours. Throws StoreUnavailable. */
  isKeyKnown?: () => Promise<boolean>;
  /** Equal for requests with the same key or of the same session, for which `isKeyKnown` is asked only once. */
  accessId?: string;
}

/**
 * The caller whose share of the provider's rate limit this request uses: its API key. All requests without a key share one.
 */
export function callerOf({ apiKeyName = '' }: KeyedRequest): string {
  return `key ${apiKeyName}`;
}
