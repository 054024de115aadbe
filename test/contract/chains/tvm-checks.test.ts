import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { ChainWitnesses } from '../../../src/chains/chain-witnesses.ts';
import { TVM } from '../../../src/chains/tvm/tvm-adapter.ts';
import { checkRpcs } from '../../../src/cli/provider/rpc-check.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import { Anvil, type Mined } from '../../../tools/testkit/anvil.ts';
import { JavaTron, TRON, tronOf } from '../../support/chain/java-tron.ts';
import {
  MovedTimers,
  newAddress,
  promised,
  witnessOf,
  type WitnessOptions,
} from '../../support/chain/witness.ts';
import { configOf } from '../../support/config-of.ts';
import { describeWith } from '../../support/describe-with.ts';

const UNTIL_FINAL = 30;
/** More than a JavaScript number holds. */
const WHALE = 9_007_199_254_740_993n;
/** A contract that answers every call with 6. */
const SIX = '0x600660005260206000f3';
const bare = (hash: string): string => hash.replace(/^0x/, '');

describeWith('anvil', 'a witness of Tron', (path) => {
  let anvil: Anvil;
  let node: JavaTron;
  let token: string;
  let likeness: string;
  const witnesses: ChainWitnesses[] = [];

  beforeAll(async () => {
    anvil = await Anvil.start(path, TRON);
    node = await JavaTron.before(anvil);
    token = await anvil.deploy('Token');
    likeness = await anvil.deploy('Token');
  });

  afterEach(() => {
    expect(node.strange.splice(0)).toEqual([]);
    node.asked.length = 0;
    node.instead = null;
    node.hasWallet = true;
    node.prefixesTopics = false;
    node.mostBlocks = 5_000;
  });

  afterAll(async () => {
    await Promise.all(witnesses.map((witness) => witness.close()));
    await node.close();
    await anvil.stop();
  });

  const witness = (options: WitnessOptions = {}): ChainWitnesses => {
    const made = witnessOf([node.url], { adapter: TVM, chainId: TRON, ...options });
    witnesses.push(made);
    return made;
  };
  const inspect = (output: Partial<PromisedOutput> & Pick<PromisedOutput, 'token' | 'recipient'>) =>
    witness().inspectOutput(promised({ chainId: TRON, ...output }));
  const final = async (mined: Promise<Mined>): Promise<Mined> => {
    const done = await mined;
    await anvil.mine(UNTIL_FINAL);
    return done;
  };
  const verdictOf = ({ state, ...answer }: OutputAnswer): string =>
    'reason' in answer ? `${state}: ${answer.reason}` : state;

  it('proves an exact transfer, and says what it has seen as people of Tron write it', async () => {
    const to = newAddress();
    const recipient = tronOf(to);
    const { txHash, blockNumber } = await final(anvil.transfer(token, to, 1_000n));
    const answer = await inspect({ token: tronOf(token), recipient, txHashes: [bare(txHash)] });
    expect(answer).toMatchObject({
      state: 'proven',
      askAgainMs: null,
      transfers: [{ txHash: bare(txHash), logIndex: 0, blockNumber, amount: 1_000n, isFinal: true }],
    });
    const details = answer.checks.map(({ detail }) => detail).join(' ');
    expect(details).toContain(`moves the token ${tronOf(token)}. It goes to ${recipient}.`);
    const [provenBy] = answer.state === 'proven' ? answer.transfers : [];
    const again = await inspect({ token: tronOf(token), recipient, provenBy: provenBy ?? null });
    expect(again).toMatchObject({ state: 'proven', transfers: [{ txHash: bare(txHash) }] });
  });

  it.each([
    ['20 bytes', (hex: string) => hex],
    ['20 bytes in capitals', (hex: string) => hex.toUpperCase().replace('0X', '0x')],
    ['21 bytes', (hex: string) => `41${bare(hex)}`],
    ['21 bytes with 0x', (hex: string) => `0x41${bare(hex)}`],
  ])('takes addresses as %s too', async (_form, write) => {
    const to = newAddress();
    const { txHash } = await final(anvil.transfer(token, to, 1_000n));
    const output = { token: write(token), recipient: write(to), txHashes: [txHash] };
    expect(await inspect(output)).toMatchObject({ state: 'proven' });
  });

  describe.each([
    ['its transaction', true],
    ['a search', false],
  ])('by %s', (_by, isNamed) => {
    const token20 = (what: string): string => (what === 'look-alike' ? likeness : token);

    it.each<[what: string, amount: bigint, named: string, searched: string]>([
      ['exact', 1_000n, 'proven', 'proven'],
      ['exact, with topics of an old compiler', 1_000n, 'proven', 'inconclusive: no_transfer_found'],
      ['short by a unit', 999n, 'contradicted: amount_short', 'inconclusive: no_transfer_found'],
      ['to another', 1_000n, 'contradicted: other_recipient', 'inconclusive: no_transfer_found'],
      ['look-alike', 1_000n, 'contradicted: other_token', 'inconclusive: no_transfer_found'],
      ['out of energy', 10n ** 40n, 'contradicted: output_reverted', 'inconclusive: no_transfer_found'],
      ['before the quote', 1_000n, 'contradicted: output_missing', 'inconclusive: no_transfer_found'],
      ['in a young block', 1_000n, 'inconclusive: not_confirmed', 'inconclusive: not_confirmed'],
    ])('judges a TRC-20 transfer: %s', async (what, amount, named, searched) => {
      const to = newAddress();
      const sent = anvil.transfer(token20(what), what === 'to another' ? newAddress() : to, amount);
      const { txHash } = what === 'in a young block' ? await sent : await final(sent);
      node.prefixesTopics = what.includes('old compiler');
      const since = what === 'before the quote' ? new Date(Date.now() + 3_600_000) : new Date(0);
      const txHashes = isNamed ? [bare(txHash)] : [];
      const answer = await inspect({ token: tronOf(token), recipient: tronOf(to), txHashes, since });
      expect(verdictOf(answer)).toBe(isNamed ? named : searched);
    });
  });

  it('waits for a transaction that is unknown, and for one that no block has', async () => {
    const recipient = tronOf(newAddress());
    const unknown = { token: tronOf(token), recipient, txHashes: ['ab'.repeat(32)] };
    expect(await inspect(unknown)).toMatchObject({ state: 'inconclusive', reason: 'not_found' });
    await anvil.call('evm_setAutomine', false);
    const to = newAddress();
    const data = { from: anvil.sender, to, value: '0x3e8' };
    const txHash = await anvil.call<string>('eth_sendTransaction', data);
    const pending = { token: null, recipient: tronOf(to), txHashes: [bare(txHash)] };
    expect(await inspect(pending)).toMatchObject({ state: 'inconclusive', reason: 'not_found' });
    await anvil.call('evm_setAutomine', true);
    await anvil.mine(UNTIL_FINAL);
    expect(await inspect(pending)).toMatchObject({ state: 'proven' });
  });

  it('searches in ranges that the node does not refuse, and passes over what proves another payment', async () => {
    const to = newAddress();
    const before = await anvil.head();
    const { txHash } = await final(anvil.transfer(token, to, 1_000n));
    node.mostBlocks = 20;
    const recipient = tronOf(to);
    expect(await inspect({ token: tronOf(token), recipient, since: before.at })).toMatchObject({
      state: 'proven',
    });
    expect(node.asked.filter((method) => method === 'eth_getLogs').length).toBeGreaterThan(1);
    const used = new Set([`${bare(txHash)}:0`]);
    const another = await inspect({ token: tronOf(token), recipient, since: before.at, used });
    expect(another).toMatchObject({ reason: 'no_transfer_found' });
  });

  it.each<[what: string, sun: bigint, least: bigint, contract: string | null, verdict: string]>([
    ['exact', 1_000n, 1_000n, null, 'proven'],
    ['of more than 2^53', WHALE, WHALE, null, 'proven'],
    ['of more than 2^53, short by a sun', WHALE, WHALE + 1n, null, 'contradicted: amount_short'],
    ['short', 999n, 1_000n, null, 'contradicted: amount_short'],
    ['to another', 1_000n, 1_000n, null, 'contradicted: other_recipient'],
    ['to itself', 1_000n, 1_000n, null, 'contradicted: output_missing'],
    ['units of a TRC-10', 1_000n, 1_000n, 'TransferAssetContract', 'contradicted: other_recipient'],
    ['votes', 1_000n, 1_000n, 'VoteWitnessContract', 'inconclusive: coin_through_contract'],
    [
      'a contract that may pay',
      1_000n,
      1_000n,
      'TriggerSmartContract',
      'inconclusive: coin_through_contract',
    ],
    ['two contracts', 1_000n, 1_000n, 'TransferContract twice', 'inconclusive: coin_through_contract'],
  ])('judges TRX: %s', async (what, value, leastAmount, contract, verdict) => {
    const to = what === 'to itself' ? anvil.sender : newAddress();
    const { txHash } = await final(anvil.send({ to: what === 'to another' ? newAddress() : to, value }));
    const [type = '', twice] = contract?.split(' ') ?? [];
    if (contract !== null) node.contracts.set(txHash, { type, times: twice === undefined ? 1 : 2 });
    const answer = await inspect({
      token: null,
      recipient: tronOf(to),
      leastAmount,
      txHashes: [bare(txHash)],
    });
    expect(verdictOf(answer)).toBe(verdict);
  });

  it('does not see TRX where the node has no HTTP API beside its JSON-RPC, until it has one', async () => {
    const to = newAddress();
    const { txHash } = await final(anvil.send({ to, value: 1_000n }));
    node.hasWallet = false;
    const timers = new MovedTimers();
    const lacking = witness({ timers });
    expect([await lacking.sees(TRON, token), await lacking.sees(TRON, null)]).toEqual([true, false]);
    const output = promised({ chainId: TRON, token: null, recipient: tronOf(to), txHashes: [txHash] });
    expect(await lacking.inspectOutput(output)).toMatchObject({ state: 'inconclusive', reason: 'rpc_error' });
    node.hasWallet = true;
    timers.pass(600_000);
    expect(await lacking.sees(TRON, null)).toBe(true);
    node.instead = { status: 500, body: '' };
    expect(await witness().sees(TRON, null)).toBe(true);
  });

  it.each<[string, number, string, number]>([
    [
      'of the node',
      200,
      '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}',
      1_000,
    ],
    [
      'of a gateway',
      403,
      '{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 30s"}',
      30_000,
    ],
    ['of an older gateway', 503, '{"Error":"The key exceeds the frequency limit(15)"}', 1_000],
    ['of any', 429, '', 1_000],
  ])('takes the limit %s, with status %i, for a limit', async (_whose, status, body, askAgainMs) => {
    node.instead = { status, body };
    const answer = await inspect({ token, recipient: newAddress(), txHashes: ['ab'.repeat(32)] });
    expect(answer).toMatchObject({
      state: 'inconclusive',
      reason: 'rpc_limited',
      askAgainMs: Math.max(askAgainMs, 2_000),
    });
  });

  it('says nothing by a node of another chain, or of an address that is mistyped', async () => {
    const output = { token: tronOf(token), recipient: tronOf(newAddress()), txHashes: ['ab'.repeat(32)] };
    const elsewhere = await witness({ chainId: 3_448_148_188 }).inspectOutput(
      promised({ ...output, chainId: 3_448_148_188 }),
    );
    expect(elsewhere).toMatchObject({ state: 'inconclusive', reason: 'wrong_chain' });
    const recipient = output.recipient.toLowerCase().replace('t', 'T');
    expect(await inspect({ ...output, recipient })).toMatchObject({ reason: 'unreadable_address' });
  });

  it('reads the fraction digits that a contract names', async () => {
    const of = newAddress();
    await anvil.setCode(of, SIX);
    expect(await witness().readDecimals(TRON, tronOf(of))).toBe(6);
  });

  it('finds a deposit of a token, and one of TRX by the transaction that a payer passes on', async () => {
    const to = newAddress();
    const tokens = await final(anvil.transfer(token, to, 5n));
    const coins = await final(anvil.send({ to, value: 7n }));
    const deposit = {
      chainId: TRON,
      depositAddress: tronOf(to),
      asked: null,
      others: [],
      since: new Date(0),
    };
    const seen = (more: object) =>
      witness().inspectDeposit({ ...deposit, token: null, txHashes: [], ...more });
    const [ofToken, ofCoin] = [
      { txHash: bare(tokens.txHash), token: tronOf(token), amount: 5n },
      { txHash: bare(coins.txHash), token: null, amount: 7n },
    ];
    expect(await seen({ token: tronOf(token) })).toMatchObject([ofToken]);
    expect(await seen({ txHashes: [bare(coins.txHash)] })).toMatchObject([ofCoin]);
    // The other tokens have the provider's spelling.
    const others = [
      { token: tronOf(token), least: 1n },
      { token: 'unreadable', least: 1n },
    ];
    expect(await seen({ others })).toMatchObject([ofToken]);
    expect(await seen({})).toEqual([]);
  });

  it('is checked by what Tron has, with the key of its host', async () => {
    const CHAIN_RPC = `${TRON}=${node.url}`;
    const env = { CHAIN_RPC, CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8' };
    const CHAIN_RPC_HEADERS = '127.0.0.1=TRON-PRO-API-KEY:hunter2';
    const [first] = await checkRpcs(configOf({ ...env, CHAIN_RPC_HEADERS }));
    const lines = first?.list.lines.map(({ check, outcome }) => [check, outcome]);
    expect(lines).toEqual(
      ['chain id', 'head', 'finalized', 'logs', 'wallet api'].map((check) => [check, 'ok']),
    );
    expect(node.headers.at(-1)?.['tron-pro-api-key']).toBe('hunter2');
    node.hasWallet = false;
    const [lacking] = await checkRpcs(configOf(env));
    expect(lacking?.list.lines.at(-1)).toMatchObject({ check: 'wallet api', outcome: 'differs' });
    expect(node.headers.at(-1)).not.toHaveProperty('tron-pro-api-key');
  });
});
