import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Global, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { kindOf } from '../../../src/domain/chains/chain-kinds.ts';
import { ChainsModule } from '../../../src/chains/chains.module.ts';
import { SYSTEM_TIMERS } from '../../../src/platform/scheduling/system-timers.ts';
import { CorrectedClock } from '../../../src/platform/process/corrected-clock.ts';
import { ChainWitness } from '../../../src/ports/chain-witness.ts';
import { Clock } from '../../../src/ports/clock.ts';
import { Meter } from '../../../src/ports/meter.ts';
import { Timers } from '../../../src/ports/timers.ts';
import { configOf } from '../../support/config-of.ts';
import { FakeMeter } from '../../support/fakes/meter.fake.ts';
import { RpcThrottle } from '../../../src/chains/rpc/rpc-throttle.ts';
import { isAnyLimit, isRateLimit, isUnknownTag, RpcTrouble } from '../../../src/chains/rpc/rpc-trouble.ts';
import { fingerprintsOf } from '../../../src/platform/process/agreed-settings.ts';

const SURROUNDINGS = [
  { provide: Clock, useValue: new CorrectedClock() },
  { provide: Timers, useValue: SYSTEM_TIMERS },
  { provide: Meter, useValue: new FakeMeter() },
];

@Global()
@Module({ providers: SURROUNDINGS, exports: SURROUNDINGS })
class Surroundings {}

const BASE = 8453;
const SOLANA = 792703809;
const TRON = 728126428;
const BITCOIN = 8253038;
const LITECOIN = 2_100_000_002;
const DOGECOIN = 2_100_000_003;
const DASH = 2_100_000_005;
const ZCASH = 2_100_000_133;
const BITCOIN_CASH = 2_100_000_145;
const NEEDS_EITHER = 'that does not begin with esplora+https:// or blockbook+https://';
const RPCS = `${BASE}=https://base.example/hunter2,${SOLANA}=https://solana.example/hunter2,31337=http://10.0.0.1:8545,${TRON}=http://10.0.0.2/jsonrpc`;

async function witnessOf(env: Record<string, string>): Promise<ChainWitness> {
  const imports = [Surroundings, ChainsModule.with(configOf(env))];
  const module = await Test.createTestingModule({ imports }).compile();
  return module.get(ChainWitness);
}

describe('the witness of all chains', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  afterEach(() => void warn.mockClear());

  it('sees the EVM chains that CHAIN_RPC names, those that no table has too', async () => {
    const witness = await witnessOf({ VERIFY: 'observe', CHAIN_RPC: RPCS });
    const seen = [BASE, 31337, TRON, SOLANA, 1].map((chainId) => witness.sees(chainId, 'a token'));
    expect(await Promise.all(seen)).toEqual([true, true, true, false, false]);
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining(`cannot read, whatever their RPC: ${SOLANA}.`)],
    ]);
  });

  it('sees the coin alone of a chain without tokens', async () => {
    const witness = await witnessOf({
      VERIFY: 'observe',
      CHAIN_RPC: `${BITCOIN}=esplora+https://one.example/api`,
    });
    const seen = [null, 'a token'].map((token) => witness.sees(BITCOIN, token));
    expect(await Promise.all(seen)).toEqual([true, false]);
  });

  it.each([SOLANA, 1])(
    'proves nothing and contradicts nothing on chain %i, which it does not see',
    async (chainId) => {
      const witness = await witnessOf({ VERIFY: 'require', CHAIN_RPC: RPCS });
      const output = {
        chainId,
        token: null,
        recipient: 'anybody',
        leastAmount: 1n,
        mostAmount: 2n,
        txHashes: [],
        since: new Date(),
      };
      expect(await witness.inspectOutput(output)).toMatchObject({
        state: 'inconclusive',
        reason: 'no_witness',
        askAgainMs: null,
        sources: [],
      });
      const address = { chainId, token: null, depositAddress: 'anywhere', asked: null, others: [] };
      expect(await witness.inspectDeposit({ ...address, txHashes: [], since: new Date() })).toEqual([]);
    },
  );

  it.each([
    [{ CHAIN_RPC: RPCS }, 0],
    [{ VERIFY: 'off', CHAIN_RPC: RPCS }, 0],
    [{ VERIFY: 'observe', CHAIN_RPC: RPCS, ROLES: 'dispatcher' }, 0],
    [{ VERIFY: 'observe', PROVIDER_BASE_URL: 'http://127.0.0.1:1' }, 1],
  ])('sees nothing with %j', async (env, warnings) => {
    const witness = await witnessOf(env);
    expect(await witness.sees(BASE, null)).toBe(false);
    expect(warn.mock.calls).toHaveLength(warnings);
  });

  it.each(['observe', 'require'])(
    'is a chain that the sandbox plays, and says so, with %s',
    async (VERIFY) => {
      const witness = await witnessOf({ VERIFY, PROVIDER: 'sandbox' });
      const seen = [BASE, 1, TRON, SOLANA].map((chainId) => witness.sees(chainId, null));
      expect(await Promise.all(seen)).toEqual([true, true, false, false]);
      expect(warn.mock.calls).toEqual([
        [expect.stringContaining('It is simulated, and proves nothing of real')],
      ]);
    },
  );

  it('knows the kinds of chains by their table', () => {
    const ids = [1, BASE, SOLANA, TRON, 3448148188, 2494104990, 999_999];
    expect(ids.map(kindOf)).toEqual(['evm', 'evm', null, 'tvm', 'tvm', 'tvm', 'evm']);
    const siblings = [BITCOIN, LITECOIN, DOGECOIN, BITCOIN_CASH, DASH, ZCASH];
    expect(siblings.map(kindOf)).toEqual(['utxo', 'utxo', 'utxo', 'utxo', null, null]);
  });
});

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

function refusal(env: Record<string, string>): string {
  try {
    configOf(env);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('the settings of the proof on chain', () => {
  it('take several RPCs of several chains, whose URLs may hold commas and keys', () => {
    expect(
      configOf({ CHAIN_RPC: '8453 = https://a.example/k?x=1,y | http://10.0.0.1:8545 , 1=https://b.example' })
        .chainRpc,
    ).toEqual(
      new Map([
        [8453, ['https://a.example/k?x=1,y', 'http://10.0.0.1:8545']],
        [1, ['https://b.example']],
      ]),
    );
    expect(configOf({ CHAIN_CONFIRMATIONS: '8453=30, 1=12' }).chainConfirmations).toEqual(
      new Map([
        [8453, 30],
        [1, 12],
      ]),
    );
    expect(configOf({ VERIFY_FROM_USD: '49.90' }).verifyFromUsd).toBe('49.90');
  });

  it.each([
    ['https://u:hunter2@rpc.example', 'is not a list like 8453='],
    ['base=https://rpc.example/hunter2', 'is not a list like'],
    ['0=https://rpc.example/hunter2', 'is not a list like'],
    ['99999999999=https://rpc.example/hunter2', 'is not a list like'],
    ['1=', 'has a URL of chain 1 that does not begin with http'],
    ['1=hunter2', 'has a URL of chain 1 that does not begin with http'],
    ['1=ws://rpc.example/hunter2', 'has a URL of chain 1 that does not begin with http'],
    [
      '1=https://rpc.example/#hunter2',
      'has a URL of chain 1 that does not begin with http:// or https://, or has a fragment',
    ],
    ['1=https://u:hunter2%@rpc.example', 'has a URL of chain 1 with a % that begins no encoded character'],
    [`1=esplora+https://rpc.example/hunter2`, 'has a URL of chain 1 that does not begin with http:// or'],
    [`${BITCOIN}=https://rpc.example/hunter2`, `has a URL of chain ${BITCOIN} ${NEEDS_EITHER}`],
    [`${BITCOIN}=electrum+https://rpc.example/hunter2`, `has a URL of chain ${BITCOIN} ${NEEDS_EITHER}`],
    [`${LITECOIN}=esplora+ws://rpc.example/hunter2`, `has a URL of chain ${LITECOIN} ${NEEDS_EITHER}`],
    [
      `${DOGECOIN}=blockbook+https://rpc.example|esplora+https://rpc.example/hunter2`,
      `has a URL of chain ${DOGECOIN} that does not begin with blockbook+https://`,
    ],
    [
      `${BITCOIN_CASH}=esplora+https://rpc.example/hunter2`,
      `has a URL of chain ${BITCOIN_CASH} that does not begin with blockbook+https://`,
    ],
    [
      `${BITCOIN}=esplora+https://rpc.example/hunter2|blockbook+https://RPC.example/hunter2`,
      `has a URL of chain ${BITCOIN} twice`,
    ],
    ['1=https://rpc.example|', 'has a URL of chain 1 that does not begin with http'],
    ['1=https://rpc.example/hunter2|https://rpc.example/hunter2', 'has a URL of chain 1 twice'],
    ['1=https://rpc.example/hunter2|https://rpc.example/hunter2/', 'has a URL of chain 1 twice'],
    ['1=https://rpc.example/hunter2,1=https://other.example', 'names chain 1 twice'],
    [
      `1=${[1, 2, 3, 4, 5, 6].map((n) => `https://r${n}.example`).join('|')}`,
      'has 6 URLs of chain 1, at most 5',
    ],
    [
      Array.from({ length: 101 }, (_, n) => `${n + 1}=https://rpc.example`).join(','),
      'names 101 chains, at most 100',
    ],
  ])('refuse CHAIN_RPC=%s without its secrets', (CHAIN_RPC, problem) => {
    expect(refusal({ CHAIN_RPC })).toContain(`CHAIN_RPC ${problem}`);
    expect(refusal({ CHAIN_RPC })).not.toContain('hunter2');
  });

  it.each([
    ['x', 'is not a list like host=Name:value|Name:value,host=Name:value'],
    ['rpc.example=hunter2', 'has a header that is not like Name:value, with printable ASCII characters'],
    ['rpc.example=Key:a\nhunter2', 'has a header that is not like Name:value'],
    ['rpc.example=Content-Length:hunter2', 'has a header that Paybell writes itself'],
    ['rpc.example=Key:1|KEY:hunter2', 'has one header of a host twice'],
    ['rpc.example=Key:1,RPC.example=Key:hunter2', 'names one host twice'],
    ['hunter2.example=Key:1', 'names a host that no URL of CHAIN_RPC has'],
  ])('refuse CHAIN_RPC_HEADERS=%s without its secrets', (CHAIN_RPC_HEADERS, problem) => {
    const told = refusal({ CHAIN_RPC: '1=https://rpc.example', CHAIN_RPC_HEADERS });
    expect(told).toContain(`CHAIN_RPC_HEADERS ${problem}`);
    expect(told).not.toContain('hunter2');
  });

  it('name the interface of a server where a chain has several', () => {
    const CHAIN_RPC = `${BITCOIN}=ESPLORA+https://A.example/api|blockbook+HTTPS://a.example:443/key`;
    const { chainRpc, chainRpcHeaders } = configOf({ CHAIN_RPC, CHAIN_RPC_HEADERS: 'a.example=api-key:1' });
    expect(chainRpc?.get(BITCOIN)).toEqual([
      'esplora+https://a.example/api',
      'blockbook+https://a.example/key',
    ]);
    expect(chainRpcHeaders?.get('a.example')).toEqual({ 'api-key': '1' });
  });

  it('have headers for each host, with commas and colons in them', () => {
    const CHAIN_RPC = `${TRON}=https://api.trongrid.io/jsonrpc,1=https://rpc.example:8443|https://b.example`;
    const CHAIN_RPC_HEADERS =
      'api.trongrid.io=TRON-PRO-API-KEY: abc, rpc.example=X-A:1,2|Authorization:Bearer a:b==';
    expect(configOf({ CHAIN_RPC, CHAIN_RPC_HEADERS }).chainRpcHeaders).toEqual(
      new Map([
        ['api.trongrid.io', { 'tron-pro-api-key': 'abc' }],
        ['rpc.example', { 'x-a': '1,2', authorization: 'Bearer a:b==' }],
      ]),
    );
  });

  it.each([
    [{ CHAIN_CONFIRMATIONS: '8453' }, 'CHAIN_CONFIRMATIONS has a part that is not like 8453=30'],
    [{ CHAIN_CONFIRMATIONS: '8453=0' }, 'CHAIN_CONFIRMATIONS has a part'],
    [{ CHAIN_CONFIRMATIONS: '8453=100001' }, 'CHAIN_CONFIRMATIONS has a part'],
    [{ CHAIN_CONFIRMATIONS: '1=2,1=3' }, 'CHAIN_CONFIRMATIONS names chain 1 twice'],
    [{ VERIFY_FROM_USD: '1e3' }, 'VERIFY_FROM_USD is not an amount such as 0 or 49.90'],
    [{ VERIFY_FROM_USD: '-1' }, 'VERIFY_FROM_USD is not an amount'],
    [{ CHAIN_RPC_ALLOWED_CIDRS: '10/8' }, 'CHAIN_RPC_ALLOWED_CIDRS has "10/8"'],
  ])('refuse %j', (env, problem) => {
    expect(refusal(env)).toContain(problem);
  });

  it('let RPCs be where webhooks may go, unless they have ranges of their own', () => {
    const webhooks = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', WEBHOOK_ALLOW_HTTP: 'true' };
    expect(configOf(webhooks).chainRpcAccess).toMatchObject({
      allowedCidrs: ['127.0.0.0/8'],
      allowHttp: true,
    });
    const own = configOf({ ...webhooks, CHAIN_RPC_ALLOWED_CIDRS: '10.0.0.0/8' });
    expect(own.chainRpcAccess).toMatchObject({ allowedCidrs: ['10.0.0.0/8'], allowHttp: false });
    expect(own.webhookAllowedCidrs).toEqual(['127.0.0.0/8']);
  });

  it('need not name the same nodes in all replicas, but the same confirmations', () => {
    const of = (env: Record<string, string>): Record<string, string> => fingerprintsOf(configOf(env));
    const one = of({ CHAIN_RPC: '1=https://a.example', CHAIN_CONFIRMATIONS: '1=2,10=3' });
    expect(of({ CHAIN_RPC: '1=https://b.example', CHAIN_CONFIRMATIONS: '10=3,1=2' })).toEqual(one);
    expect(of({ CHAIN_RPC: '1=https://a.example' })['CHAIN_CONFIRMATIONS']).not.toBe(
      one['CHAIN_CONFIRMATIONS'],
    );
    expect(of({})['CHAIN_RPC']).not.toBe(one['CHAIN_RPC']);
  });
});
