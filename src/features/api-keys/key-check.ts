import { Injectable } from '@nestjs/common';

import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { ApiKeyVerifier } from './api-key-verifier.ts';

const BEARER = /^bearer +(.+)$/i;
const HOW = 'Send it as "x-api-key: KEY" or as "Authorization: Bearer KEY".';

/** There is no API key in the request, or one that is not known. */
export class Unauthorized extends Error {
  readonly code = 'unauthorized';
}

/** Finds out whose API key a request has: before its body is read, or at last in the guard. */
@Injectable()
export class KeyCheck {
  constructor(private readonly apiKeyVerifier: ApiKeyVerifier) {}

  /** Notes the key's name in the request. Throws Unauthorized and StoreUnavailable. */
  async check(request: KeyedRequest): Promise<void> {
    if (request.apiKeyName !== undefined) return;
    const secret = secretOf(request);
    if (secret === null) throw new Unauthorized(`The request has no API key. ${HOW}`);
    const name = await this.apiKeyVerifier.nameOf(secret);
    if (name === null) throw new Unauthorized(`The API key is not known. ${HOW}`);
    request.apiKeyName = name;
    request.isKeyKnown = async () => (await this.apiKeyVerifier.nameOf(secret)) !== null;
  }
}

function secretOf(request: KeyedRequest): string | null {
  const own = request.headers['x-api-key'];
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  return BEARER.exec(request.headers.authorization ?? '')?.[1]?.trim() ?? null;
}
