import { beforeEach, describe, expect, it } from '@jest/globals';

import { RpcTrouble } from '../../../src/chains/rpc/rpc-trouble.ts';
import { RpcWatch } from '../../../src/chains/rpc/rpc-watch.ts';
import { inconclusive } from '../../../src/domain/proof/judge-output.ts';
import { checksOf } from '../../../src/domain/proof/output-checks.ts';
import { judge, output, transfer } from '../../support/chain/shown.ts';
import { FakeClock } from '../../support/fakes/clock.fake.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('the watch over the RPCs of a chain', () => {
  let clock: FakeClock;
  let disagreed: string[];
  let watch: RpcWatch;
  beforeEach(() => {
    clock = new FakeClock();
    disagreed = [];
    watch = new RpcWatch(8453, clock, (rpc) => disagreed.push(rpc));
  });
  const other = { ...output, recipient: `0x${'dd'.repeat(20)}` };
  const shown = judge([transfer()]);
  const hidden = inconclusive('not_found', 1_000, { source: 'b.example', checks: checksOf({}) });
  const seen = () => watch.troubles().map(({ problem, rpcs, since }) => [problem, rpcs, since]);

  it('tells of one that is stuck, or of another chain, from its first failure until it answers', () => {
    const since = clock.now();
    watch.failed({ host: 'a.example', trouble: new RpcTrouble('rpc_stuck', 'is stuck at block 12', 1_000) });
    clock.advance(MINUTE_MS);
    watch.failed({ host: 'a.example', trouble: new RpcTrouble('rpc_stuck', 'is stuck at block 13', 1_000) });
    watch.failed({
      host: 'b.example',
      trouble: new RpcTrouble('wrong_chain', 'is on chain 1, not 8453', 1_000),
    });
    watch.failed({ host: 'c.example', trouble: new RpcTrouble('rpc_away', 'timeout', 1_000) });
    expect(watch.troubles()).toEqual([
      {
        chainId: 8453,
        problem: 'stuck',
        rpcs: ['a.example'],
        since,
        detail: expect.stringContaining('block 13'),
      },
      expect.objectContaining({
        problem: 'disagrees',
        detail: 'Of chain 8453, b.example is on chain 1, not 8453.',
      }),
    ]);
    watch.answered('a.example');
    expect(seen()).toEqual([['disagrees', ['b.example'], clock.now()]]);
    clock.advance(DAY_MS);
    expect(seen()).toEqual([]);
  });

  it('tells of a disagreement that lasts for a minute, until the RPCs agree about each payment', () => {
    const since = clock.now();
    watch.compared(output, [shown, hidden], false);
    watch.compared(other, [shown, hidden], false);
    expect(seen()).toEqual([]);
    clock.advance(MINUTE_MS);
    watch.compared(output, [shown, hidden], false);
    expect(seen()).toEqual([['disagrees', ['a.example', 'b.example'], since]]);
    expect(watch.troubles()[0]?.detail).toBe(
      'On chain 8453, of one payment: a.example shows it in block 100; b.example does not have the transaction.',
    );
    watch.compared(output, [shown, shown], true);
    expect(seen()).toHaveLength(1);
    watch.compared(other, [shown, shown], true);
    expect(seen()).toEqual([]);
    expect(disagreed).toHaveLength(6);
  });
});
