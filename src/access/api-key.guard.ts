import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

import type { KeyedRequest } from '../http/keyed-request.ts';
import { OPEN } from '../http/open.ts';
import { KeyRing } from './key-ring.ts';

const BEARER = /^bearer +(.+)$/i;
const HOW = 'Send it as "x-api-key: KEY" or as "Authorization: Bearer KEY".';

/** There is no API key in the request, or one that is not known. */
export class Unauthorized extends Error {
  readonly code = 'unauthorized';
}

/** Lets a request pass that has a known API key. Whatever is not marked with `@Open()` needs one. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keyRing: KeyRing,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride<boolean>(OPEN, [context.getHandler(), context.getClass()]))
      return true;
    const request = context.switchToHttp().getRequest<KeyedRequest>();
    const secret = secretOf(request);
    if (secret === null) throw new Unauthorized(`The request has no API key. ${HOW}`);
    const name = await this.keyRing.nameOf(secret);
    if (name === null) throw new Unauthorized(`The API key is not known. ${HOW}`);
    request.apiKeyName = name;
    request.isKeyKnown = async () => (await this.keyRing.nameOf(secret)) !== null;
    return true;
  }
}

function secretOf(request: KeyedRequest): string | null {
  const own = request.headers['x-api-key'];
  if (typeof own === 'string' && own.trim() !== '') return own.trim();
  return BEARER.exec(request.headers.authorization ?? '')?.[1]?.trim() ?? null;
}
