import { Injectable } from '@nestjs/common';

import type { KeyedRequest } from '../../platform/http/keyed-request.ts';
import { ApiKeyVerifier } from './api-key-verifier.ts';

const BEARER = /^bearer +(.+)$/i;
const HOW = 'Send it as "x-api-key: KEY" or as "Authorization: Bearer KEY".';

/** The request has no API key, or an unknown one. */
export class Unauthorized extends Error {
  readonly code = 'unauthorized';
}

/** Verifies the API key of a request, once: before its body is read, or in the guard. */
@Injectable()
export class KeyCheck {
  constructor(private readonly apiKeyVerifier: ApiKeyVerifier) {}

  /** Writes the key's name to the request. Throws Unauthorized and StoreUnavailable. */
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
