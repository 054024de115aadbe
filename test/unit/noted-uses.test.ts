import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { NotedUses } from '../../src/features/api-keys/noted-uses.ts';
import type { KeyUses, KnownKey } from '../../src/ports/api-keys.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';

function keyOf(name: string): KnownKey {
  return { name, hash: Buffer.from(name), role: 'shop' };
}

function open() {
  const clock = new FakeClock();
  const note = jest.fn<KeyUses['noteUse']>().mockResolvedValue(undefined);
  return { clock, note, uses: new NotedUses({ noteUse: note } as unknown as KeyUses, clock.timers) };
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the use of a key', () => {
  it('is noted once a minute for each key, by its hash, with the address', () => {
    const { clock, note, uses } = open();
    for (let request = 0; request < 100; request += 1) uses.noteUse(keyOf('one'), '10.0.0.1');
    uses.noteUse(keyOf('two'), '10.0.0.2');
    clock.advance(59_999);
    uses.noteUse(keyOf('one'), '10.0.0.3');
    clock.advance(1);
    uses.noteUse(keyOf('one'), null);
    const [one, two] = ['one', 'two'].map((name) => Buffer.from(name).toString('hex'));
    expect(note.mock.calls).toEqual([
      [one, '10.0.0.1'],
      [two, '10.0.0.2'],
      [one, null],
    ]);
  });

  it('is in no request’s way: a database that is away or hangs is not waited for', async () => {
    const debug = jest.spyOn(Logger.prototype, 'debug').mockImplementation(() => undefined);
    const { clock, note, uses } = open();
    note
      .mockRejectedValueOnce(new Error('connection refused'))
      .mockReturnValueOnce(new Promise(() => undefined));
    expect(uses.noteUse(keyOf('one'), '10.0.0.1')).toBeUndefined();
    clock.advance(60_000);
    expect(uses.noteUse(keyOf('one'), '10.0.0.1')).toBeUndefined();
    await new Promise(setImmediate);
    expect(debug).toHaveBeenCalledTimes(1);
  });
});
