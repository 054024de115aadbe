import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';

import { clientAddress } from '../../src/platform/http/client-address.ts';

describe("a client's address", () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:443', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['[0:0:0:0:0:FFFF:C000:0207]:443', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:0:c000:207', '::ffff:0:c000:207'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['192.0.2.7:', null],
    ['unknown', null],
    ['', null],
    [undefined, null],
  ])('%p is %p: without the port that some proxies write, and IPv4 as people write it', (ip, address) => {
    expect(clientAddress({ ip } as Request)).toBe(address);
  });
});
