import type { NextFunction, Request, Response } from 'express';

import { InvalidField } from './invalid-field.ts';

/**
 * Refuses a request with several Host headers, as RFC 9112 (3.2) asks: Node reads the first, but a proxy may have checked
 * another. Throws InvalidField.
 */
export function requireOneHost({ rawHeaders }: Request, _response: Response, next: NextFunction): void {
  const names = rawHeaders.filter((_text, index) => index % 2 === 0);
  if (names.filter((name) => name.toLowerCase() === 'host').length > 1)
    throw new InvalidField('host', 'must be one header');
  next();
}
