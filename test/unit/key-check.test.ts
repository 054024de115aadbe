import { describe, expect, it, jest } from '@jest/globals';

import { hashOf } from '../../src/features/api-keys/env-keys.ts';
import { KeyCheck } from '../../src/features/api-keys/key-check.ts';
import type { NotedUses } from '../../src/features/api-keys/noted-uses.ts';
import type { KeyedRequest } from '../../src/platform/http/keyed-request.ts';
import { SessionKeys } from '../../src/platform/http/session-keys.ts';
import { KnownKeys, type KnownKey, type SentKeys } from '../../src/ports/api-keys.ts';

class Keys extends KnownKeys {
  known: readonly KnownKey[] = [
    { name: 'web', hash: hashOf('web-secret'), role: 'shop' },
    { name: 'eva', hash: hashOf('eva-secret'), role: 'operator' },
  ];
  override async keyOf(secret: string): Promise<KnownKey | null> {
    return this.keyOfHash(hashOf(secret).toString('hex'));
  }
  override async keyOfHash(hash: string): Promise<KnownKey | null> {
    return this.keyWhere((key) => key.hash.toString('hex') === hash);
  }
  override async isStillKnown(hash: string): Promise<boolean> {
    return (await this.keyOfHash(hash)) !== null;
  }
  override async keyWhere(isRight: (key: KnownKey) => boolean): Promise<KnownKey | null> {
    return this.known.find(isRight) ?? null;
  }
}

class Sessions extends SessionKeys {
  hash: string | null = null;
  override async keyHashOf(): Promise<string | null> {
    return this.hash;
  }
}

function open() {
  const [keys, sessions, note] = [new Keys(), new Sessions(), jest.fn<NotedUses['noteUse']>()];
  const sent: SentKeys = { keyOf: (secret) => keys.keyOf(secret) };
  return {
    keys,
    sessions,
    note,
    check: new KeyCheck(keys, sent, sessions, { noteUse: note } as unknown as NotedUses),
  };
}

function requestWith(headers: Record<string, string> = {}, ip = '::ffff:10.0.0.1'): KeyedRequest {
  return { headers, ip } as unknown as KeyedRequest;
}

const EVA = hashOf('eva-secret').toString('hex');

describe('the key of a request', () => {
  it('is that of its header, with its role, and its use is noted with the address', async () => {
    const { keys, note, check } = open();
    const request = requestWith({ 'x-api-key': 'web-secret' });
    await check.check(request);
    expect(request).toMatchObject({ apiKeyName: 'web', role: 'shop', via: 'api' });
    expect(note.mock.calls).toEqual([[keys.known[0], '10.0.0.1']]);
  });

  it('is that of its session where it sends no key', async () => {
    const { sessions, check } = open();
    sessions.hash = EVA;
    const request = requestWith({});
    await check.check(request);
    expect(request).toMatchObject({ apiKeyName: 'eva', role: 'operator', via: 'session' });
    const both = requestWith({ authorization: 'Bearer web-secret' });
    await check.check(both);
    expect(both).toMatchObject({ apiKeyName: 'web', via: 'api' });
  });

  it('is not replaced by a session where it is wrong', async () => {
    const { sessions, note, check } = open();
    sessions.hash = EVA;
    await expect(check.check(requestWith({ 'x-api-key': 'wrong' }))).rejects.toMatchObject({
      code: 'unauthorized',
    });
    expect(note).not.toHaveBeenCalled();
  });

  it('is missed where there is neither, and where the key of the session is revoked', async () => {
    const { keys, sessions, check } = open();
    await expect(check.check(requestWith())).rejects.toThrow('has no API key');
    sessions.hash = EVA;
    keys.known = [];
    await expect(check.check(requestWith())).rejects.toThrow('is not known');
  });

  it('is no longer known to a stream once the key is revoked or its session has ended', async () => {
    const { keys, sessions, check } = open();
    sessions.hash = EVA;
    const [ofKey, ofSession] = [requestWith({ 'x-api-key': 'eva-secret' }), requestWith()];
    for (const request of [ofKey, ofSession]) await check.check(request);
    const known = (): Promise<unknown[]> =>
      Promise.all([ofKey, ofSession].map(async (request) => request.isKeyKnown?.()));
    expect(await known()).toEqual([true, true]);
    sessions.hash = null;
    expect(await known()).toEqual([true, false]);
    sessions.hash = EVA;
    keys.known = [];
    expect(await known()).toEqual([false, false]);
  });
});
