import { describe, expect, it } from '@jest/globals';

import { nextPath } from '../../src/features/sessions/sign-in.controller.ts';
import { networkOf } from '../../src/platform/http/client-address.ts';

describe('the page after the sign-in', () => {
  it.each([
    ['/dashboard', '/dashboard'],
    ['/dashboard/', '/dashboard/'],
    [
      '/dashboard/payments?status=FAILED&search=a%20b#top',
      '/dashboard/payments?status=FAILED&search=a%20b#top',
    ],
    ['/dashboard?x=https://evil.example', '/dashboard?x=https://evil.example'],
    ['/dashboard//evil.example', '/dashboard//evil.example'],
  ])('is a path of the dashboard: %s', (given, path) => {
    expect(nextPath(given)).toBe(path);
  });

  it.each([
    '',
    '/',
    'dashboard',
    '/dashboards',
    '/api/payments',
    '//evil.example/dashboard',
    '/\\evil.example/dashboard',
    '/dashboard\\..\\..\\evil',
    'https://evil.example/dashboard',
    'javascript:alert(1)',
    '/dashboard/../api/payments',
    '/dashboard/%2e%2e/api/payments',
    '/dashboard/..//evil.example',
    '/dashboard/\r\nset-cookie: x=1',
    '/dashboard/\tx',
    '\t/dashboard',
    '/dashboard@evil.example',
    `/dashboard/${'x'.repeat(2_000)}`,
  ])('is nothing else: %j', (given) => {
    expect(nextPath(given)).toBeNull();
  });
});

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:0DB8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
