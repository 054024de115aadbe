import { describe, expect, it } from '@jest/globals';

import { PendingCommits } from '../../src/features/polling/pending-commits.ts';

/** So many commits, each with what ends it. */
function begun(commits: PendingCommits, count: number): (() => void)[] {
  return Array.from({ length: count }, () => {
    let end = (): void => undefined;
    void commits.during(new Promise<void>((resolve) => (end = resolve)));
    return end;
  });
}

describe('changes that wait for their commit', () => {
  it('hold new requests from 300 on, until one is committed', async () => {
    const commits = new PendingCommits();
    const ends = begun(commits, 299);
    expect(commits.room()).toBeNull();
    const [last] = begun(commits, 1);
    let resumed = 0;
    const hold = async (): Promise<void> => {
      await commits.room();
      resumed += 1;
    };
    const held = [hold(), hold()];
    await Promise.resolve();
    expect(resumed).toBe(0);
    last?.();
    await Promise.all(held);
    expect([resumed, commits.room()]).toEqual([2, null]);
    for (const end of ends) end();
  });

  it('count no more once their commit has failed, and its error is passed on', async () => {
    const commits = new PendingCommits();
    const ends = begun(commits, 299);
    let fail = (_error: Error): void => undefined;
    const failing = commits.during(new Promise<void>((_resolve, reject) => (fail = reject)));
    const held = commits.room();
    fail(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    await held;
    expect(commits.room()).toBeNull();
    for (const end of ends) end();
  });

  it('hold nothing at a stop, so that it does not wait for a database that is away', async () => {
    const commits = new PendingCommits();
    begun(commits, 400);
    const held = commits.room();
    commits.stop();
    await held;
    expect(commits.room()).toBeNull();
  });
});
