import { Injectable } from '@nestjs/common';

import { clientAddress } from '../../platform/http/client-address.ts';
import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { SessionKeys } from '../../platform/http/session-keys.ts';
import { KnownKeys, SentKeys, type KnownKey } from '../../ports/api-keys.ts';
import { NotedUses } from './noted-uses.ts';

const BEARER = /^bearer +(.+)$/i;
const HOW = 'Send it as "x-api-key: KEY" or as "Authorization: Bearer KEY".';

/** The request has no API key, or an unknown one. */
export class Unauthorized extends Error {
  readonly code = 'unauthorized';
}

/** Verifies the API key of a request, once: before its body is read, or in the guard. */
@Injectable()
export class KeyCheck {
  constructor(
    private readonly keys: KnownKeys,
    private readonly sentKeys: SentKeys,
    private readonly sessions: SessionKeys,
    private readonly uses: NotedUses,
  ) {}

  /** Writes the key's name and role to the request. Throws Unauthorized, TooManyWrongKeys and StoreUnavailable. */
  async check(request: KeyedRequest): Promise<void> {
    if (request.apiKeyName !== undefined) return;
    const sent = secretOf(request);
    const address = clientAddress(request);
    const key = sent === null ? await this.keyOfSession(request) : await this.sentKeys.keyOf(sent, address);
    if (key === null) throw new Unauthorized(`The API key is not known. ${HOW}`);
    this.uses.noteUse(key, address);
    const hash = key.hash.toString('hex');
    request.apiKeyName = key.name;
    request.role = key.role;
    request.keyHash = hash;
    request.via = sent === null ? 'session' : 'api';
    request.isKeyKnown = () => this.isKnown(request, hash);
    request.accessId = request.session?.id ?? hash;
  }

  private async keyOfSession(request: KeyedRequest): Promise<KnownKey | null> {
    const hash = await this.sessions.keyHashOf(request);
    if (hash === null) throw new Unauthorized(`The request has no API key. ${HOW}`);
    return this.keys.keyOfHash(hash);
  }

  private async isKnown(request: KeyedRequest, hash: string): Promise<boolean> {
    if (request.via === 'session' && (await this.sessions.keyHashOf(request)) !== hash) return false;
    return this.keys.isStillKnown(hash);
  }
}

function secretOf(request: KeyedRequest): string | null {
  const own = request.headers['x-api-key'];
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  return BEARER.exec(request.headers.authorization ?? '')?.[1]?.trim() ?? null;
}
