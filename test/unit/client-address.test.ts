import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';

import { clientAddress } from '../../src/platform/http/client-address.ts';

describe("a client's address", () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:443', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['192.0.2.7:', null],
    ['unknown', null],
    ['', null],
    [undefined, null],
  ])('%p is %p: a port that a proxy writes is no part of it', (ip, address) => {
    expect(clientAddress({ ip } as Request)).toBe(address);
  });
});
