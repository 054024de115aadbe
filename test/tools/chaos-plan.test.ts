import { describe, expect, it } from '@jest/globals';

import { readOptions } from '../../tools/chaos/options.ts';
import { planOf, type Fault } from '../../tools/chaos/plan.ts';

const plan = (args: string): Fault[] => planOf(readOptions(args.split(' '))).map(({ fault }) => fault);

describe('the plan of the chaos', () => {
  it('follows from the seed', () => {
    expect(plan('--seed 7 --minutes 3')).toEqual(plan('--seed 7 --minutes 3'));
    expect(plan('--seed 7 --minutes 3')).not.toEqual(plan('--seed 8 --minutes 3'));
  });

  it('has as many kills and other faults as it is asked for, in order, within the run', () => {
    const options = readOptions('--seed 1 --minutes 25 --kills 200 --faults 50'.split(' '));
    const planned = planOf(options);
    expect(planned.filter(({ fault }) => fault.kind === 'kill')).toHaveLength(200);
    expect(planned).toHaveLength(250);
    const times = planned.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(25 * 60_000);
  });

  it('has every kind of fault within some of them, whatever the seed', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const kinds = new Set(plan(`--seed ${seed} --minutes 6 --faults 18`).map(({ kind }) => kind));
      for (const kind of [
        'kill',
        'silent',
        'database',
        'failover',
        'broker',
        'topic',
        'clock',
        'log',
        'receiver',
        'provider',
      ] as const)
        expect(kinds).toContain(kind);
    }
  });

  it('has a provider die and come back where there are three, and is otherwise the same', () => {
    const alone = plan('--seed 7 --minutes 3');
    const three = plan('--seed 7 --minutes 3 --providers');
    expect(three.filter(({ kind }) => kind === 'death')).toEqual([
      { kind: 'death', forMs: expect.any(Number) },
    ]);
    expect(three.filter(({ kind }) => kind !== 'death')).toEqual(alone);
  });
});
