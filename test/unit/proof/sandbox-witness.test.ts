import { expect, it } from '@jest/globals';

import { SandboxWitness } from '../../../src/chains/sandbox/sandbox-witness.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import {
  readSimulatedHash,
  simulatedDepositAddress,
  simulatedHash,
  type SimulatedKind,
} from '../../../src/domain/proof/simulated-output.ts';

const SEED = 'ab'.repeat(32);
const QUOTED = new Date('2026-11-20T12:00:00.000Z');
const MINED = after(30);
const TOKEN = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
const RECIPIENT = '0x2000000000000000000000000000000000000026';
const PROMISED: Omit<PromisedOutput, 'txHashes'> = {
  chainId: 42161,
  token: TOKEN,
  recipient: RECIPIENT,
  leastAmount: 100n,
  mostAmount: 200n,
  since: QUOTED,
};

function after(seconds: number): Date {
  return new Date(QUOTED.getTime() + seconds * 1_000);
}

function witnessAt(seconds: number): SandboxWitness {
  const clock = { now: () => after(seconds) };
  return new SandboxWitness({ speed: 1, confirmationsOf: () => 20, clock });
}

function wordOf(answer: OutputAnswer): string {
  return answer.state === 'proven' ? 'proven' : answer.reason;
}

async function shown(kind: SimulatedKind, seconds: number, more: Partial<PromisedOutput> = {}) {
  const amount = kind === 'amount_short' ? 60n : 101n;
  const txHashes = [simulatedHash({ kind, minedAt: MINED, amount }, SEED)];
  return witnessAt(seconds).inspectOutput({ ...PROMISED, txHashes, ...more });
}

/** Times before the block, at its first confirmation, after 20 and after 33. */
const SECONDS = [29, 31, 70, 96];
const DIFFERS = ['not_found', 'not_final', 'not_final'];

it.each<[SimulatedKind, string[]]>([
  ['as_said', ['not_found', 'not_confirmed', 'proven', 'proven']],
  ['mined_late', ['not_found', 'not_confirmed', 'proven', 'proven']],
  ['silent', Array<string>(4).fill('rpc_away')],
  ['output_missing', [...DIFFERS, 'output_missing']],
  ['output_reverted', [...DIFFERS, 'output_reverted']],
  ['other_recipient', [...DIFFERS, 'other_recipient']],
  ['other_token', [...DIFFERS, 'other_token']],
  ['amount_short', [...DIFFERS, 'amount_short']],
  ['output_used_before', ['not_found', 'not_confirmed', 'not_final', 'output_used_before']],
  ['double_spent', [...DIFFERS, 'double_spent']],
  ['output_reorged', ['not_found', 'not_confirmed', 'proven', 'proven']],
])('the chain of the sandbox answers %s so, for a token and for the native coin', async (kind, words) => {
  for (const token of [TOKEN, null]) {
    const answers = await Promise.all(SECONDS.map((second) => shown(kind, second, { token })));
    expect(answers.map(wordOf)).toEqual(words);
  }
});

it('says of a silent RPC no more than that it does not answer', async () => {
  const detail = 'The RPC that the sandbox plays does not answer.';
  expect((await shown('silent', 96)).checks).toEqual([{ name: 'receipt', passed: null, detail }]);
});

it('takes a proof back only once it was stored and its block would be final', async () => {
  const answer = await shown('output_reorged', 600);
  if (answer.state !== 'proven') throw new Error('not proven');
  const [provenBy] = answer.transfers;
  expect(provenBy.isFinal).toBe(false);
  expect(wordOf(await shown('output_reorged', 90, { provenBy }))).toBe('not_final');
  expect(wordOf(await shown('output_reorged', 96, { provenBy }))).toBe('output_reorged');
});

it.each([[['0x' + '5a'.repeat(32)]], [[]]])('knows no transaction of others: %j', async (txHashes) => {
  expect(wordOf(await witnessAt(96).inspectOutput({ ...PROMISED, txHashes }))).toBe('not_found');
});

it('reads a hash in capitals, and the largest amount of the sandbox', () => {
  const output = { kind: 'as_said', minedAt: MINED, amount: 10n ** 28n } as const;
  const hash = simulatedHash(output, SEED);
  expect(hash).toHaveLength(66);
  expect([hash, hash.toUpperCase().replace('0X', '0x')].map(readSimulatedHash)).toEqual([output, output]);
});

it('shows a deposit that its address promises, once its block is final', async () => {
  const depositAddress = simulatedDepositAddress(10n ** 28n, SEED);
  expect(depositAddress).toHaveLength(42);
  const watched = {
    chainId: 8453,
    token: null,
    depositAddress,
    asked: null,
    others: [],
    txHashes: [],
    since: QUOTED,
  };
  const at = (seconds: number) => witnessAt(seconds).inspectDeposit(watched);
  expect(await at(80)).toEqual([]);
  expect(await at(86)).toMatchObject([{ amount: 10n ** 28n, token: null }]);
  expect(await witnessAt(86).inspectDeposit({ ...watched, depositAddress: RECIPIENT })).toEqual([]);
});
