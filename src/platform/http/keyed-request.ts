import type { Request } from 'express';

/** A request whose API key was accepted: `apiKeyName` is the key's name, never the key. */
export interface KeyedRequest extends Request {
  apiKeyName?: string;
  /** Whether the key is still accepted, for an answer that goes on for hours. Throws StoreUnavailable. */
  isKeyKnown?: () => Promise<boolean>;
}

/** Whose share of scarce requests to the provider it uses: the key's, apart from those who have no key. */
export function callerOf({ apiKeyName = '' }: KeyedRequest): string {
  return `key ${apiKeyName}`;
}
