import type { Request } from 'express';

import { printable } from '../../domain/text/printable.ts';

const MAX_ECHO = 100;

/** A page of another origin, or a program that names no origin, asks for something that only our own pages may do. */
export class WrongOrigin extends Error {
  readonly code = 'wrong_origin';
  constructor(given: string | undefined, expected: string | null) {
    const what = given === undefined ? 'no Origin' : `the Origin ${printable(given.slice(0, MAX_ECHO), '?')}`;
    const right = expected === null ? 'that of its Host' : expected;
    super(
      `The request has ${what}; expected is ${right}. If browsers reach Paybell elsewhere, set PUBLIC_URL to that origin.`,
    );
  }
}

/** The origin of the pages: PUBLIC_URL, or if that is unset, the origin that a request names. */
export class PublicOrigin {
  constructor(readonly publicUrl: string | null) {}

  /** True when the browser speaks https, with Paybell's public address or with a trusted proxy. */
  isHttps(request: Request): boolean {
    return request.protocol === 'https' || (this.publicUrl?.startsWith('https:') ?? false);
  }

  /** Null: the request names no valid host. */
  of(request: Request): string | null {
    return this.publicUrl ?? ownOrigin(request);
  }

  /** Throws WrongOrigin unless one of our own pages sent the request. Browsers do not let a page choose this header. */
  check(request: Request): void {
    const { origin } = request.headers;
    const expected = this.of(request);
    if (expected === null || origin !== expected) throw new WrongOrigin(origin, expected);
  }
}

/** The scheme and host of the request. Forwarded values count only from a trusted proxy. */
function ownOrigin({ protocol, host }: Request): string | null {
  const isWeb = protocol === 'http' || protocol === 'https';
  const own = `${protocol}://${host}`;
  return isWeb && URL.canParse(own) ? new URL(own).origin : null;
}
