import type { LookupAddress } from 'node:dns';

import { describe, expect, it } from '@jest/globals';

import { failureOf } from '../../src/destinations/webhook/webhook-outcome.ts';
import { HostLookup } from '../../src/platform/outbound/guarded-connector.ts';

const at = (address: string): LookupAddress[] => [{ address, family: 4 }];

describe('HostLookup', () => {
  it('asks once for all who ask at the same time', async () => {
    let asked = 0;
    const hosts = new HostLookup(async () => at(`192.0.2.${++asked}`));
    const answers = await Promise.all([hosts.find('a'), hosts.find('a'), hosts.find('b')]);
    expect(asked).toBe(2);
    expect(answers[0]).toEqual(answers[1]);
    expect(await hosts.find('a')).toEqual(answers[0]);
    expect(asked).toBe(2);
  });

  it('does not remember a failure', async () => {
    let isDown = true;
    const hosts = new HostLookup(async () => {
      if (isDown) throw new Error('no such host');
      return at('192.0.2.1');
    });
    await expect(hosts.find('a')).rejects.toThrow('no such host');
    isDown = false;
    expect(await hosts.find('a')).toEqual(at('192.0.2.1'));
  });

  it('goes on with the last known addresses while a look-up hangs', async () => {
    let isHanging = false;
    const hosts = new HostLookup(
      () => (isHanging ? new Promise(() => undefined) : Promise.resolve(at('192.0.2.1'))),
      0,
    );
    await hosts.find('a');
    isHanging = true;
    expect(await hosts.find('a')).toEqual(at('192.0.2.1'));
  });
});

describe('failureOf', () => {
  it.each([
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ECONNREFUSED', 'refused'],
    ['EHOSTUNREACH', 'refused'],
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ECONNRESET', 'reset'],
    ['UND_ERR_SOCKET', 'reset'],
    ['HPE_INVALID_CONSTANT', 'reset'],
    ['UND_ERR_HEADERS_OVERFLOW', 'too_large'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['EPROTO', 'tls'],
    ['EMFILE', null],
    ['ENOBUFS', null],
  ])('calls %s %s', (code, failure) => {
    expect(failureOf(Object.assign(new Error('x'), { code }))).toBe(failure);
  });

  it('calls dns whatever the look-up itself fails with, unless this process is at fault', () => {
    const ofLookup = (code: string): Error => Object.assign(new Error('x'), { code, syscall: 'getaddrinfo' });
    expect(failureOf(ofLookup('EINVAL'))).toBe('dns');
    expect(failureOf(ofLookup('EMFILE'))).toBeNull();
  });

  it('calls what it does not know a reset', () => {
    expect(failureOf(undefined)).toBe('reset');
    expect(failureOf(new Error('x'))).toBe('reset');
  });
});
