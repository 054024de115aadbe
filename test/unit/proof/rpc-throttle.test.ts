import { describe, expect, it } from '@jest/globals';

import { RpcThrottle } from '../../../src/chains/evm/rpc-throttle.ts';
import { isAnyLimit, isRateLimit, isUnknownTag, RpcTrouble } from '../../../src/chains/evm/rpc-trouble.ts';

function gateOf(maxRps = 10): { throttle: RpcThrottle; pass: (ms: number) => void } {
  let now = 0;
  return { throttle: new RpcThrottle(maxRps, () => now), pass: (ms) => void (now += ms) };
}

function held(act: () => unknown): number {
  try {
    act();
  } catch (error) {
    if (error instanceof RpcTrouble && error.failure === 'rpc_held') return error.askAgainMs;
    throw error;
  }
  throw new Error('it was let in');
}

describe('the throttle of an RPC', () => {
  it('lets the calls of a second in at once, and then as many as a second has', () => {
    const { throttle, pass } = gateOf(10);
    const waits = Array.from({ length: 4 }, () => throttle.admit(5));
    expect(waits).toEqual([0, 0, 0, 500]);
    pass(5_000);
    expect(throttle.admit(5)).toBe(0);
  });

  it('sends away what would wait for longer than five seconds', () => {
    const { throttle, pass } = gateOf(1);
    for (let calls = 0; calls < 6; calls += 1) throttle.admit(1);
    expect(throttle.admit(1)).toBe(5_000);
    expect(held(() => throttle.admit(1))).toBe(6_000);
    pass(1_000);
    expect(throttle.admit(1)).toBe(5_000);
  });

  it('opens its circuit after five failures in a row, and probes ever more rarely', () => {
    const { throttle, pass } = gateOf(1_000);
    for (let failures = 0; failures < 4; failures += 1) throttle.failed();
    throttle.succeeded();
    for (let failures = 0; failures < 4; failures += 1) throttle.failed();
    expect(throttle.admit(1)).toBe(0);
    throttle.failed();
    const waits = [];
    for (let probes = 0; probes < 7; probes += 1) {
      const waitMs = held(() => throttle.admit(1));
      waits.push(waitMs);
      pass(waitMs);
      expect(throttle.admit(1)).toBe(0);
      // A second inspection waits for the probe.
      expect(held(() => throttle.admit(1))).toBeGreaterThan(0);
      throttle.failed();
    }
    expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
    pass(300_000);
    throttle.admit(1);
    throttle.succeeded();
    expect(throttle.isOpen).toBe(false);
    expect(throttle.admit(1)).toBe(0);
  });

  it('pauses as long as it is asked to, or ever longer, and for two minutes at most', () => {
    const { throttle, pass } = gateOf();
    expect(throttle.limited(7_000)).toBe(7_000);
    expect(held(() => throttle.admit(1))).toBe(7_000);
    pass(7_000);
    expect(throttle.admit(1)).toBe(0);
    expect([throttle.limited(null), throttle.limited(null)]).toEqual([2_000, 4_000]);
    expect(throttle.limited(3_600_000)).toBe(120_000);
    throttle.succeeded();
    expect(throttle.limited(null)).toBe(1_000);
  });
});

describe('an error of an RPC', () => {
  it.each([
    [429, '', true, true],
    [-32_005, 'limit exceeded', false, true],
    [-32_005, 'daily request count exceeded, request rate limited', true, true],
    [-32_005, 'query returned more than 10000 results', false, true],
    [-32_000, 'Your app has exceeded its compute units per second capacity', true, true],
    [-32_005, 'daily request count exceeded', true, true],
    [-32_602, 'block range is too wide', false, false],
    [-32_000, 'failed to generate logs', false, false],
  ])(
    '%i %j is a limit of the rate: %s; of a call without a range: %s',
    (code, message, ofRange, ofOthers) => {
      expect([isRateLimit({ code, message }), isAnyLimit({ code, message })]).toEqual([ofRange, ofOthers]);
    },
  );

  it.each([
    [-32_602, 'invalid argument 0: hex string without 0x prefix', true],
    [-32_602, 'Unsupported block tag', true],
    [-32_601, 'the tag finalized is not supported', true],
    [-39_001, 'finalized block not found', false],
    [-32_000, 'finalized block not found', false],
    [-32_603, 'internal error', false],
    [-32_000, 'header not found', false],
  ])('%i %j says that the word finalized is unknown: %s', (code, message, isUnknown) => {
    expect(isUnknownTag({ code, message })).toBe(isUnknown);
  });
});
