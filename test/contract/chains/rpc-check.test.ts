import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';

import { Findings } from '../../../src/cli/doctor/findings.ts';
import { proofExamination } from '../../../src/cli/doctor/proof.ts';
import { asJson, asText } from '../../../src/cli/provider/check-text.ts';
import { checkRpcs } from '../../../src/cli/provider/rpc-check.ts';
import { witnessWith } from '../../../src/chains/chains.module.ts';
import { CorrectedClock } from '../../../src/platform/process/corrected-clock.ts';
import { SYSTEM_TIMERS } from '../../../src/platform/scheduling/system-timers.ts';
import { Anvil } from '../../../tools/testkit/anvil.ts';
import { type Lie, LyingRpc } from '../../support/chain/lying-rpc.ts';
import { newAddress, promised } from '../../support/chain/witness.ts';
import { FakeMeter } from '../../support/fakes/meter.fake.ts';
import { configOf } from '../../support/config-of.ts';
import { describeWith } from '../../support/describe-with.ts';

const ALLOWED = { CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8' };

describeWith('anvil', 'the check of RPCs', (path) => {
  let anvil: Anvil;
  let rpc: LyingRpc;

  beforeAll(async () => {
    anvil = await Anvil.start(path);
    rpc = await LyingRpc.before(anvil.url);
    await anvil.mine(100);
  });

  afterEach(() => {
    rpc.lie = {};
  });

  afterAll(async () => {
    await rpc.close();
    await anvil.stop();
  });

  const checked = async (env: Record<string, string> = {}): Promise<Map<string, unknown>> => {
    const [first] = await checkRpcs(configOf({ CHAIN_RPC: `8453=${rpc.url}/hunter2`, ...ALLOWED, ...env }));
    if (first === undefined) throw new Error('there is no RPC');
    const told = `${asText(first.list, first.name)}${asJson(first.list, first.name)}`;
    expect(told).not.toMatch(/hunter2|http:/);
    return new Map(first.list.lines.map(({ check, ...line }) => [check, line]));
  };

  it('says of a good one that it has all that a proof needs', async () => {
    const lines = await checked();
    expect([...lines.keys()]).toEqual(['chain id', 'head', 'finalized', 'logs', 'old balances']);
    expect(lines.get('chain id')).toMatchObject({ outcome: 'ok', detail: '8453' });
    expect(lines.get('finalized')).toMatchObject({
      outcome: 'ok',
      detail: expect.stringMatching(/, 64 behind the head$/),
    });
    expect(lines.get('logs')).toMatchObject({ outcome: 'ok', detail: 'answered for 2000 blocks at once' });
    expect(lines.get('old balances')).toMatchObject({ outcome: 'ok' });
  });

  it.each<[string, Lie, string, RegExp]>([
    [
      'of another chain',
      { reply: (asked, it) => (asked.method === 'eth_chainId' ? { result: '0x1' } : it) },
      'chain id',
      /^is on chain 1, not 8453$/,
    ],
    ['that is down', { whole: () => ({ status: 503, body: '' }) }, 'chain id', /^status 503$/],
    [
      'without the word finalized',
      {
        reply: ({ params }, it) =>
          params[0] === 'finalized' ? { error: { code: -32_602, message: 'invalid tag' } } : it,
      },
      'finalized',
      /names none/,
    ],
    [
      'without a final block',
      { reply: ({ params }, it) => (params[0] === 'finalized' ? { result: null } : it) },
      'finalized',
      /names none/,
    ],
    [
      'without logs',
      {
        reply: (asked, it) =>
          asked.method === 'eth_getLogs' ? { error: { code: -32_601, message: 'no' } } : it,
      },
      'logs',
      /answers error -32601 to eth_getLogs/,
    ],
    [
      'without old balances',
      {
        reply: (asked, it) =>
          asked.method === 'eth_getBalance' ? { error: { code: -32_000, message: 'missing trie node' } } : it,
      },
      'old balances',
      /not kept/,
    ],
    [
      'whose head is old',
      {
        reply: (asked, it) =>
          asked.method === 'eth_getBlockByNumber'
            ? { result: { ...(it.result as object), timestamp: '0x1' } }
            : it,
      },
      'head',
      /^is stuck at block \d+ of 1970/,
    ],
  ])('says of one %s what is missing', async (_, lie, check, detail) => {
    rpc.lie = lie;
    expect((await checked()).get(check)).toMatchObject({
      outcome: 'differs',
      detail: expect.stringMatching(detail),
    });
  });

  it('names the setting for one in a private range that is not listed', async () => {
    expect((await checked({ CHAIN_RPC_ALLOWED_CIDRS: '10.0.0.0/8' })).get('chain id')).toMatchObject({
      outcome: 'differs',
      detail: expect.stringContaining('CHAIN_RPC_ALLOWED_CIDRS'),
    });
  });

  it.each([
    { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' },
    { WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8', CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8' },
  ])('finds one on loopback good with %j, and a witness made of the settings proves by it', async (env) => {
    const config = configOf({ VERIFY: 'observe', CHAIN_RPC: `8453=${rpc.url}`, ...env });
    const [first] = await checkRpcs(config);
    expect(first?.list.isGood).toBe(true);
    const clock = new CorrectedClock();
    const witness = await witnessWith(config, { clock, timers: SYSTEM_TIMERS, meter: new FakeMeter() });
    const recipient = newAddress();
    const token = await anvil.deploy('Token');
    const { txHash } = await anvil.transfer(token, recipient, 1_000n);
    await anvil.mine(70);
    expect(await witness.inspectOutput(promised({ token, recipient, txHashes: [txHash] }))).toMatchObject({
      state: 'proven',
    });
    await witness.onApplicationShutdown();
  });

  it('is part of the doctor, a line for each RPC in trouble, with its host alone', async () => {
    const found = async (env: Record<string, string>): Promise<Findings['list']> => {
      const findings = new Findings('shell');
      await (
        await proofExamination(configOf(env))
      )(findings);
      return findings.list;
    };
    const good = await found({ CHAIN_RPC: `8453=${rpc.url}/hunter2|${anvil.url}`, ...ALLOWED });
    const detail = expect.stringContaining('chain 8453 127.0.0.1, chain 8453 127.0.0.1#2');
    expect(good).toMatchObject([{ check: 'proof', outcome: 'ok', detail }]);
    const bad = await found({
      CHAIN_RPC: `10=${rpc.url}/hunter2,792703809=https://solana.example/hunter2`,
      ...ALLOWED,
    });
    expect(bad).toMatchObject([
      { check: 'chain 10 127.0.0.1', outcome: 'wrong', detail: 'is on chain 8453, not 10' },
      {
        check: 'chain 792703809 solana.example',
        outcome: 'warning',
        advice: expect.not.stringContaining('another RPC') as unknown,
      },
    ]);
    expect(JSON.stringify([good, bad])).not.toContain('hunter2');
    expect(await found({})).toMatchObject([{ check: 'proof', outcome: 'off' }]);
    expect(await found({ VERIFY: 'observe' })).toMatchObject([{ check: 'proof', outcome: 'ok' }]);
    const real = { VERIFY: 'observe', PROVIDER_BASE_URL: 'http://127.0.0.1:1' };
    expect(await found(real)).toMatchObject([{ check: 'proof', outcome: 'warning' }]);
  });
});
