import { describe, expect, it } from '@jest/globals';

import { fingerprintsOf } from '../../../src/platform/process/agreed-settings.ts';
import { configOf } from '../../support/config-of.ts';

function refusal(env: Record<string, string>): string {
  try {
    configOf(env);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('the settings of the proof on chain', () => {
  it('prove nothing unless they are set', () => {
    expect(configOf({})).toMatchObject({
      verify: 'off',
      chainRpc: null,
      chainRpcAllowedCidrs: null,
      chainRpcAccess: { allowedCidrs: [], allowHttp: false },
      chainRpcMaxRps: 20,
      chainConfirmations: new Map(),
      verifyFromUsd: '0',
      verifyToleranceBps: 100,
      verifyPatienceMs: 1_800_000,
      verifyUnprovable: 'refuse',
      depositUnseenMs: 600_000,
    });
  });

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
    ['1=https://rpc.example|', 'has a URL of chain 1 that does not begin with http'],
    ['1=https://rpc.example/hunter2|https://rpc.example/hunter2', 'has a URL of chain 1 twice'],
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
    expect(configOf(webhooks).chainRpcAccess).toEqual({ allowedCidrs: ['127.0.0.0/8'], allowHttp: true });
    const own = configOf({ ...webhooks, CHAIN_RPC_ALLOWED_CIDRS: '10.0.0.0/8' });
    expect(own.chainRpcAccess).toEqual({ allowedCidrs: ['10.0.0.0/8'], allowHttp: false });
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
