import { createHash, randomBytes } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { SecretBox, SecretUnreadable } from '../../src/database/secrets/secret-box.ts';

const KEY = randomBytes(32);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('SecretBox', () => {
  const box = new SecretBox(KEY);

  it('opens what it sealed', () => {
    expect(box.open(box.seal(SECRET, 'a'), 'a')).toBe(SECRET);
    expect(box.open(box.seal('', 'a'), 'a')).toBe('');
    expect(new SecretBox(Buffer.from(KEY)).open(box.seal('ключ 🔑', 'a'), 'a')).toBe('ключ 🔑');
  });

  it('writes its version, the key id, 96 random bits and the sealed text, and nothing readable', () => {
    const [version, keyId, iv, sealed, ...rest] = box.seal(SECRET, 'a').split('.');
    expect([version, keyId, rest]).toEqual([
      'v1',
      createHash('sha256').update(KEY).digest('hex').slice(0, 8),
      [],
    ]);
    expect(Buffer.from(iv ?? '', 'base64url')).toHaveLength(12);
    expect(Buffer.from(sealed ?? '', 'base64url')).toHaveLength(SECRET.length + 16);
    expect(box.seal(SECRET, 'a')).not.toBe(box.seal(SECRET, 'a'));
  });

  it('does not open for another owner', () => {
    expect(() => box.open(box.seal(SECRET, 'a'), 'b')).toThrow(SecretUnreadable);
  });

  it('does not open when any one character was changed', () => {
    const sealed = box.seal(SECRET, 'a');
    for (let at = 0; at < sealed.length - 1; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(() => box.open(changed, 'a')).toThrow(SecretUnreadable);
    }
  });

  it.each(['', 'v1', 'v1.x.y', 'v2.a.b.c', SECRET])('does not open %j', (text) => {
    expect(() => box.open(text, 'a')).toThrow(SecretUnreadable);
  });

  it('does not open a sealed text whose end, tag included, was cut off', () => {
    const [version, keyId, iv] = box.seal(SECRET, 'a').split('.');
    expect(() => box.open(`${version}.${keyId}.${iv}.AAAA`, 'a')).toThrow(SecretUnreadable);
  });

  it('names both key ids when the key is another one, and neither key nor secret', () => {
    const other = new SecretBox(randomBytes(32));
    const sealed = other.seal(SECRET, 'a');
    const open = (): string => box.open(sealed, 'a');
    expect(open).toThrow(`encrypted with the key ${other.keyId}, but ENCRYPTION_KEY is the key ${box.keyId}`);
    expect(open).toThrow(expect.not.objectContaining({ message: expect.stringContaining(SECRET) }));
  });

  it('takes a key of 32 bytes only', () => {
    expect(() => new SecretBox(randomBytes(16))).toThrow('16 bytes, not 32');
  });

  describe('while its key is being changed', () => {
    const next = new SecretBox(randomBytes(32), KEY);

    it('opens what the previous key sealed and seals with the present one', () => {
      expect(next.open(box.seal(SECRET, 'a'), 'a')).toBe(SECRET);
      const sealed = next.seal(SECRET, 'a');
      expect(sealed.startsWith(next.prefix)).toBe(true);
      expect(next.open(sealed, 'a')).toBe(SECRET);
      expect(() => box.open(sealed, 'a')).toThrow(SecretUnreadable);
    });

    it('does not open for another owner with the previous key either', () => {
      expect(() => next.open(box.seal(SECRET, 'a'), 'b')).toThrow(SecretUnreadable);
    });

    it('names the ids of both keys when it was a third one', () => {
      const third = new SecretBox(randomBytes(32));
      expect(() => next.open(third.seal(SECRET, 'a'), 'a')).toThrow(
        `encrypted with the key ${third.keyId}, but ENCRYPTION_KEY is the key ${next.keyId} and ENCRYPTION_KEY_PREVIOUS the key ${box.keyId}`,
      );
    });
  });
});
