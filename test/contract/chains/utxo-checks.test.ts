import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { checkRpcs } from '../../../src/cli/provider/rpc-check.ts';
import type { OutputAnswer, PromisedOutput } from '../../../src/domain/proof/output.ts';
import {
  addressOf,
  BITCOIN,
  DOGECOIN,
  hashScript,
  keyScript,
  LITECOIN,
} from '../../../tools/utxo-stand-in/addresses.ts';
import { newRecipient, type Recipient, recipientOf } from '../../support/chain/utxo-recipients.ts';
import { FINAL, LEAST, UtxoScene } from '../../support/chain/utxo-scene.ts';
import { UtxoWitness, verdictOf } from '../../support/chain/utxo-witness.ts';
import { CONFIRMATIONS, type WitnessOptions } from '../../support/chain/witness.ts';
import { configOf } from '../../support/config-of.ts';
import { describeWith } from '../../support/describe-with.ts';

const HOURS = 3_600_000;
const MINUTES = 60_000;
const NONE = 'inconclusive: no_transfer_found';
/** More than a JavaScript number holds. */
const WHALE = 9_007_199_254_740_993n;

interface Paid {
  readonly what: string;
  /** Returns the transaction that the provider names. */
  readonly act: (scene: UtxoScene, to: Recipient) => Promise<string>;
  readonly named: string;
  readonly searched: string;
  /** How long after the blocks the quote was made, in milliseconds. */
  readonly quotedAfter?: number;
}

const half = LEAST / 2n;
const PAYMENTS: readonly Paid[] = [
  { what: 'exact', act: (scene, { script }) => scene.paid(script), named: 'proven', searched: 'proven' },
  {
    what: 'short by a unit',
    act: (scene, { script }) => scene.paid(script, LEAST - 1n),
    named: 'contradicted: amount_short',
    searched: NONE,
  },
  {
    what: 'a unit more',
    act: (scene, { script }) => scene.paid(script, LEAST + 1n),
    named: 'proven',
    searched: 'proven',
  },
  {
    what: 'three times as much',
    act: (scene, { script }) => scene.paid(script, 3n * LEAST),
    named: 'proven',
    searched: NONE,
  },
  {
    what: 'to another',
    act: (scene) => scene.paid(newRecipient().script),
    named: 'contradicted: other_recipient',
    searched: NONE,
  },
  {
    what: 'to the same hash as a key and not as a program',
    act: (scene, { script }) => scene.paid(keyScript(script.slice(4))),
    named: 'contradicted: other_recipient',
    searched: NONE,
  },
  {
    what: 'two halves in one transaction',
    act: async (scene, { script }) => {
      const txid = await scene.wallet.send([
        { script, value: half },
        { script, value: half },
      ]);
      await scene.node.mine(FINAL);
      return txid;
    },
    named: 'contradicted: amount_short',
    searched: NONE,
  },
  {
    what: 'among 300 outputs of dust',
    act: async (scene, { script }) => {
      const dust = Array.from({ length: 150 }, () => ({ script, value: 1n }));
      const txid = await scene.wallet.send([...dust, { script, value: LEAST }, ...dust]);
      await scene.node.mine(FINAL);
      return txid;
    },
    named: 'proven',
    searched: 'proven',
  },
  {
    what: 'a text without an address that is as large',
    act: (scene) => scene.paid('6a0548656c6c6f'),
    named: 'contradicted: other_recipient',
    searched: NONE,
  },
  {
    what: 'change of a transaction that the recipient pays',
    act: async (scene) => {
      const txid = await scene.wallet.send([{ script: newRecipient().script, value: 1_000n }]);
      await scene.node.mine(FINAL);
      return txid;
    },
    named: 'inconclusive: own_inputs',
    searched: NONE,
  },
  {
    what: 'in no block yet',
    act: (scene, { script }) => scene.pay(script),
    named: 'inconclusive: not_in_block',
    searched: NONE,
  },
  {
    what: 'a block too young',
    act: async (scene, { script }) => {
      const txid = await scene.pay(script);
      await scene.node.mine(CONFIRMATIONS - 1);
      return txid;
    },
    named: 'inconclusive: not_confirmed',
    searched: 'inconclusive: not_confirmed',
  },
  {
    what: 'to another, in a block that is not final',
    act: async (scene) => {
      const txid = await scene.pay(newRecipient().script);
      await scene.node.mine(FINAL - 1);
      return txid;
    },
    named: 'inconclusive: not_final',
    searched: NONE,
  },
  {
    what: 'ten minutes before the quote, by the clock of the block alone',
    act: async (scene, { script }) => {
      const txid = await scene.pay(script);
      await scene.node.mine();
      // The next block has the clock of another miner.
      await scene.node.at(new Date(Date.now() + 20 * MINUTES));
      await scene.node.mine();
      await scene.node.at(null);
      await scene.node.mine(FINAL - 2);
      return txid;
    },
    quotedAfter: 10 * MINUTES,
    named: 'proven',
    searched: 'proven',
  },
  {
    what: 'ten minutes before the quote, by the clock of the next block too',
    act: (scene, { script }) => scene.paid(script),
    quotedAfter: 10 * MINUTES,
    named: 'inconclusive: older_block',
    searched: NONE,
  },
  {
    what: 'three hours before the quote',
    act: (scene, { script }) => scene.paid(script),
    quotedAfter: 3 * HOURS,
    named: 'contradicted: output_missing',
    searched: NONE,
  },
];

describeWith('litecoind', 'a witness of Litecoin', (path) => {
  let scene: UtxoScene;
  let witness: UtxoWitness;
  beforeAll(async () => {
    scene = await UtxoScene.open(path);
    witness = new UtxoWitness(scene);
    await scene.node.mine();
  });
  afterEach(() => {
    expect(scene.recover()).toEqual([]);
  });
  afterAll(async () => {
    await witness.close();
    await scene.close();
  });

  describe.each(['esplora', 'blockbook'] as const)('by %s', (speech) => {
    const inspect = (
      output: Partial<PromisedOutput> & Pick<PromisedOutput, 'recipient'>,
      options: WitnessOptions = {},
    ) => witness.inspect(speech, output, options);
    const verdict = async (...asked: Parameters<typeof inspect>) => verdictOf(await inspect(...asked));

    it.each(PAYMENTS)('judges: $what', async ({ what, act, named, searched, quotedAfter = 0 }) => {
      const isOwn = what.startsWith('change');
      const to = isOwn ? recipientOf(scene.wallet.own) : newRecipient();
      const begun = new Date(Date.now() - (isOwn ? 0 : MINUTES));
      const txid = await act(scene, to);
      const since = new Date(begun.getTime() + quotedAfter);
      const output = { recipient: to.address, since, mostAmount: isOwn ? 3n : 2n * LEAST };
      expect(await verdict({ ...output, txHashes: [txid] })).toBe(named);
      expect(await verdict({ ...output, txHashes: [txid.toUpperCase()] })).toBe(named);
      expect(await verdict(output)).toBe(searched);
    });

    it('says which output of which block it was, and proves the payment by it again', async () => {
      const { script, address: recipient } = newRecipient();
      const txid = await scene.wallet.send([
        { script: newRecipient().script, value: LEAST },
        { script, value: LEAST },
      ]);
      const [blockHash] = await scene.node.mine(CONFIRMATIONS);
      const { number } = await scene.node.head();
      const answer = await inspect({ recipient, txHashes: [`0x${txid}`] });
      const blockNumber = number - CONFIRMATIONS + 1;
      const transfer = { txHash: txid, logIndex: 1, blockNumber, blockHash, amount: LEAST, isFinal: false };
      expect(answer).toMatchObject({ state: 'proven', transfers: [transfer] });
      expect(answer.checks.map(({ detail }) => detail).join(' ')).toContain(recipient);
      await scene.node.mine(FINAL - CONFIRMATIONS);
      const [provenBy = null] = answer.state === 'proven' ? answer.transfers : [];
      const again = await inspect({ recipient, txHashes: [txid], provenBy });
      expect(again).toMatchObject({ state: 'proven', transfers: [{ ...transfer, isFinal: true }] });
    });

    it('offers each of two outputs to one recipient, and passes over what proves another payment', async () => {
      const { script, address: recipient } = newRecipient();
      const txid = await scene.wallet.send([
        { script, value: LEAST },
        { script, value: LEAST },
      ]);
      await scene.node.mine(FINAL);
      const both = [{ logIndex: 0 }, { logIndex: 1 }];
      for (const txHashes of [[txid], []])
        expect(await inspect({ recipient, txHashes })).toMatchObject({ state: 'proven', transfers: both });
      const one = await inspect({ recipient, used: new Set([`${txid}:0`]) });
      expect(one).toMatchObject({ state: 'proven', transfers: [{ logIndex: 1 }] });
      expect(await verdict({ recipient, used: new Set([`${txid}:0`, `${txid}:1`]) })).toBe(NONE);
    });

    it('does not know a transaction, until a block has it', async () => {
      const { script, address: recipient } = newRecipient();
      const coins = [scene.wallet.coin()];
      const signed = await scene.wallet.sign([{ script, value: LEAST }], { coins });
      const { txid } = await scene.node.call<{ txid: string }>('decoderawtransaction', signed);
      const output = { recipient, txHashes: [txid] };
      expect(await verdict(output)).toBe('inconclusive: not_found');
      await scene.wallet.broadcast(signed);
      scene.servers[speech].hidesPool = true;
      expect(await verdict(output)).toBe('inconclusive: not_found');
      await scene.node.mine(CONFIRMATIONS);
      expect(await verdict(output)).toBe('proven');
    });

    it('searches by itself when a hash stays unknown', async () => {
      const { script, address: recipient } = newRecipient();
      const txid = await scene.paid(script);
      const output = { recipient, txHashes: ['ab'.repeat(32)], since: new Date(Date.now() - HOURS) };
      expect(await verdict(output)).toBe('inconclusive: not_found');
      const answer = await inspect({ ...output, namedForMs: 10 * MINUTES });
      expect(answer).toMatchObject({ state: 'proven', transfers: [{ txHash: txid }] });
    });

    it('finds the oldest of 26 transactions on the second page', async () => {
      const { script, address: recipient } = newRecipient();
      const first = await scene.pay(script);
      await scene.node.mine();
      for (let n = 0; n < 25; n += 1) await scene.pay(script, 1n);
      await scene.node.mine(FINAL);
      expect(await inspect({ recipient })).toMatchObject({ state: 'proven', transfers: [{ txHash: first }] });
    });

    it('finds an output that was spent in the same block', async () => {
      const script = await scene.wallet.newScript();
      const txid = await scene.pay(script);
      const coins = [await scene.wallet.coinOf(txid, 0)];
      await scene.wallet.send([], { coins, fee: 1_000n, changeTo: newRecipient().script });
      await scene.node.mine(FINAL);
      const { address: recipient } = recipientOf(script);
      for (const txHashes of [[txid], []]) expect(await verdict({ recipient, txHashes })).toBe('proven');
    });

    it('counts new coins after 100 blocks', async () => {
      const address = await scene.node.call<string>('getnewaddress');
      const [hash] = await scene.node.call<string[]>('generatetoaddress', 1, address);
      const { tx } = await scene.node.call<{ tx: string[] }>('getblock', hash, 1);
      const { scriptPubKey } = await scene.node.call<{ scriptPubKey: string }>('validateaddress', address);
      const { address: recipient } = recipientOf(scriptPubKey);
      const output = { recipient, leastAmount: 1n, mostAmount: 10n ** 10n };
      await scene.node.mine(98);
      expect(await verdict({ ...output, txHashes: tx })).toBe('inconclusive: not_confirmed');
      expect(await verdict(output)).toBe(NONE);
      await scene.node.mine();
      for (const txHashes of [tx, []]) expect(await verdict({ ...output, txHashes })).toBe('proven');
    });

    describe('of a transaction that may not stay', () => {
      /** As the database keeps it from one look to the next. */
      const kept = ({ seenInputs = [] }: OutputAnswer) => ({ seenInputs });
      const proofOf = (answer: OutputAnswer) => (answer.state === 'proven' ? answer.transfers[0] : null);

      it('contradicts one that another has replaced, when that is final', async () => {
        const { script, address: recipient } = newRecipient();
        const { txid, rival } = await scene.payWithRival(script);
        const output = { recipient, txHashes: [txid] };
        const seen = kept(await inspect(output));
        await scene.wallet.broadcast(rival);
        expect(await verdict({ ...output, ...seen })).toBe('inconclusive: not_found');
        await scene.node.mine(FINAL - 1);
        expect(await verdict({ ...output, ...seen })).toBe('inconclusive: not_final');
        await scene.node.mine();
        expect(await verdict({ ...output, ...seen })).toBe('contradicted: double_spent');
        // Without the first look it is a hash that is not known.
        expect(await verdict(output)).toBe('inconclusive: not_found');
      });

      it('takes the replacement that pays the recipient too', async () => {
        const { script, address: recipient } = newRecipient();
        const coins = [scene.wallet.coin()];
        const txid = await scene.wallet.send([{ script, value: LEAST }], { coins });
        const output = { recipient, txHashes: [txid] };
        const seen = kept(await inspect(output));
        const second = await scene.wallet.send([{ script, value: LEAST }], { coins, fee: 90_000n });
        await scene.node.mine(FINAL);
        const answer = await inspect({ ...output, ...seen });
        expect(answer).toMatchObject({ state: 'proven', transfers: [{ txHash: second }] });
      });

      it('takes the first one again, when the block of its replacement is taken back', async () => {
        const { script, address: recipient } = newRecipient();
        const { txid, rival } = await scene.payWithRival(script);
        const signed = await scene.node.call<string>('getrawtransaction', txid);
        const output = { recipient, txHashes: [txid] };
        const seen = kept(await inspect(output));
        await scene.wallet.broadcast(rival);
        const [hash = ''] = await scene.node.mine(3);
        expect(await verdict({ ...output, ...seen })).toBe('inconclusive: not_final');
        await scene.node.takeBack(hash);
        await scene.node.mineOnly(signed);
        await scene.node.mine(CONFIRMATIONS - 1);
        expect(await verdict({ ...output, ...seen })).toBe('proven');
      });

      it('proves one again that another block has, and nothing of one that is waiting again', async () => {
        const { script, address: recipient } = newRecipient();
        const txid = await scene.pay(script);
        await scene.node.mine(CONFIRMATIONS);
        const output = { recipient, txHashes: [txid] };
        const answer = await inspect(output);
        const again = { ...output, ...kept(answer), provenBy: proofOf(answer) };
        await scene.takeBack(CONFIRMATIONS, 1);
        expect(await verdict(again)).toBe('inconclusive: not_in_block');
        const [blockHash] = await scene.node.mine(CONFIRMATIONS);
        const moved = await inspect(again);
        expect(moved).toMatchObject({ state: 'proven', transfers: [{ txHash: txid, blockHash }] });
      });

      it('contradicts a proof whose input a final transaction spends elsewhere', async () => {
        const { script, address: recipient } = newRecipient();
        const { txid, rival } = await scene.payWithRival(script);
        await scene.node.mine(CONFIRMATIONS);
        const output = { recipient, txHashes: [txid] };
        const answer = await inspect(output);
        const again = { ...output, ...kept(answer), provenBy: proofOf(answer) };
        await scene.takeBack(CONFIRMATIONS);
        await scene.wallet.broadcast(rival);
        await scene.node.mine(FINAL - 1);
        expect((await inspect(again)).state).toBe('inconclusive');
        await scene.node.mine();
        expect(await inspect(again)).toMatchObject({
          state: 'contradicted',
          reason: 'double_spent',
          transfer: { txHash: txid },
        });
      });

      it('contradicts a proof that is gone from the chain for good', async () => {
        const { script, address: recipient } = newRecipient();
        const { txid, rival } = await scene.payWithRival(script);
        await scene.node.mine(CONFIRMATIONS);
        const output = { recipient, txHashes: [txid] };
        const answer = await inspect(output);
        const again = { ...output, provenBy: proofOf(answer) };
        await scene.takeBack(CONFIRMATIONS);
        await scene.wallet.broadcast(rival);
        await scene.node.mine(2 * FINAL);
        expect(await verdict(again)).toBe('contradicted: output_reorged');
      });
    });

    it.each([
      ['is far behind', { lag: 40 }, 'inconclusive: not_in_block'],
      [
        'limits',
        { instead: { status: 429, body: '', headers: { 'retry-after': '7' } } },
        'inconclusive: rpc_limited',
      ],
      ['is in trouble', { instead: { status: 502, body: '<html>' } }, 'inconclusive: rpc_away'],
      [
        'answers a text',
        { instead: { status: 200, body: 'Too many history entries' } },
        'inconclusive: rpc_error',
      ],
      ['refuses', { instead: { status: 400, body: 'Too many history entries' } }, 'inconclusive: rpc_error'],
      [
        'has another interface',
        { instead: { status: 200, body: '{"jsonrpc":"2.0"}' } },
        'inconclusive: rpc_error',
      ],
      ['breaks off', { instead: { status: 200, body: '{"txid":"', isCut: true } }, 'inconclusive: rpc_away'],
      ['is on another chain', { chainId: DOGECOIN }, 'inconclusive: wrong_chain'],
    ])('says nothing by a server that %s', async (_what, fault, expected) => {
      const { script, address: recipient } = newRecipient();
      const txid = await scene.paid(script);
      Object.assign(scene.servers[speech], fault);
      const answer = await inspect({ recipient, txHashes: [txid] });
      Object.assign(scene.servers[speech], { chainId: LITECOIN });
      expect(verdictOf(answer)).toBe(expected);
      if (answer.state === 'inconclusive') expect(answer.askAgainMs).toBeGreaterThan(0);
    });

    it('says nothing by a server that is stuck', async () => {
      const { script, address: recipient } = newRecipient();
      const txid = await scene.paid(script);
      const now = new Date(Date.now() + 6 * HOURS);
      expect(await verdict({ recipient, txHashes: [txid] }, { now })).toBe('inconclusive: rpc_stuck');
    });

    it('reads an amount that no number holds', async () => {
      const { script, address: recipient } = newRecipient();
      const txid = await scene.paid(script);
      scene.chain.values.set(`${txid}:0`, WHALE);
      const output = { recipient, txHashes: [txid], leastAmount: WHALE, mostAmount: 2n * WHALE };
      expect(await inspect(output)).toMatchObject({ state: 'proven', transfers: [{ amount: WHALE }] });
      expect(await verdict({ ...output, leastAmount: WHALE + 1n })).toBe('contradicted: amount_short');
    });

    it.each([
      ['bech32 in capitals', (of: Recipient) => of.address.toUpperCase(), newRecipient().script],
      ['M…', ({ script }: Recipient) => addressOf(LITECOIN, script, 0), hashScript('a1'.repeat(20))],
      [
        '3… of the same script',
        ({ script }: Recipient) => addressOf(LITECOIN, script, 1),
        hashScript('a2'.repeat(20)),
      ],
      ['L…', ({ script }: Recipient) => addressOf(LITECOIN, script), keyScript('a3'.repeat(20))],
      ['bech32m', ({ address }: Recipient) => address, `5120${'a4'.repeat(32)}`],
    ])('takes an address as %s', async (_form, write, script) => {
      // The same script for both interfaces: an output of each.
      const recipient = write(recipientOf(script)) ?? '';
      const txid = await scene.paid(script);
      expect(await verdict({ recipient, txHashes: [txid] })).toBe('proven');
      expect(await verdict({ recipient, since: new Date(Date.now() - HOURS) })).toBe('proven');
    });

    it('says nothing of an address of another chain, or that is mistyped', async () => {
      const { script, address } = newRecipient();
      for (const recipient of [addressOf(BITCOIN, script) ?? '', address.replace(/.$/, 'b'), `r${address}`])
        expect(await verdict({ recipient, txHashes: ['ab'.repeat(32)] })).toBe(
          'inconclusive: unreadable_address',
        );
    });

    it('finds deposits when they are final, or as a payer passes them on, and sums those of one transaction', async () => {
      const { script, address: depositAddress } = newRecipient();
      const txid = await scene.wallet.send([
        { script, value: 3n },
        { script, value: 4n },
      ]);
      const deposit = {
        chainId: LITECOIN,
        depositAddress,
        token: null,
        asked: null,
        others: [],
        txHashes: [],
      };
      const seen = (more: object = {}) =>
        witness.by(speech).inspectDeposit({ ...deposit, since: new Date(Date.now() - MINUTES), ...more });
      await scene.node.mine(FINAL - 1);
      expect(await seen()).toEqual([]);
      await scene.node.mine();
      const found = [{ txHash: txid, token: null, amount: 7n }];
      expect(await seen()).toMatchObject(found);
      expect(await seen({ txHashes: [txid] })).toMatchObject(found);
      expect(await seen({ since: new Date(Date.now() + 3 * HOURS) })).toEqual([]);
    });

    it('is checked by what its interface has', async () => {
      const CHAIN_RPC = `${LITECOIN}=${scene.servers[speech].url}`;
      const CHAIN_RPC_HEADERS = '127.0.0.1=api-key:hunter2';
      const [first] = await checkRpcs(
        configOf({ CHAIN_RPC, CHAIN_RPC_HEADERS, CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8' }),
      );
      const lines = first?.list.lines.map(({ check, outcome }) => [check, outcome]);
      expect(lines).toEqual(['chain id', 'head', 'transactions', 'addresses'].map((check) => [check, 'ok']));
      expect(scene.servers[speech].headers.at(-1)?.['api-key']).toBe('hunter2');
    });
  });

  describe('by two servers', () => {
    const both = ['esplora', 'blockbook'] as const;

    it('proves what both show, at the lower of two heights', async () => {
      const { script, address: recipient } = newRecipient();
      const txid = await scene.paid(script);
      scene.servers.blockbook.lag = 5;
      const answer = await witness.inspect(both, { recipient, txHashes: [txid] });
      expect(answer).toMatchObject({
        state: 'proven',
        sources: ['127.0.0.1', '127.0.0.1#2'],
        transfers: [{ confirmations: FINAL - 5, isFinal: false }],
      });
    });

    it.each<[string, (scene: UtxoScene, txid: string) => void | Promise<void>]>([
      [
        'does not have the transaction',
        ({ servers: { blockbook } }, txid) => {
          blockbook.lie = (asked, answer) =>
            asked.includes(txid)
              ? { status: 400, body: `{"error":"Transaction '${txid}' not found"}` }
              : answer;
        },
      ],
      [
        'shows another amount',
        ({ servers: { blockbook } }, txid) => {
          blockbook.lie = (asked, answer) =>
            asked.includes(txid) ? { ...answer, body: answer.body.replace(`"${LEAST}"`, '"99999"') } : answer;
        },
      ],
      [
        'shows it in another block',
        ({ servers: { blockbook } }, txid) => {
          blockbook.lie = (asked, answer) =>
            asked.includes(txid)
              ? { ...answer, body: answer.body.replace(/"blockHash":"...../, '"blockHash":"fffff') }
              : answer;
        },
      ],
    ])('names the one that differs: it %s', async (_what, lie) => {
      const { script, address: recipient } = newRecipient();
      const txid = await scene.paid(script);
      await lie(scene, txid);
      const answer = await witness.inspect(both, { recipient, txHashes: [txid] });
      expect(answer.state).toBe('inconclusive');
      expect(answer.checks.map(({ detail }) => detail).join(' ')).toContain('127.0.0.1#2');
    });

    it('proves by the one that answers, and names the other', async () => {
      const { script, address: recipient } = newRecipient();
      const txid = await scene.paid(script);
      scene.servers.esplora.instead = { status: 503, body: '' };
      const answer = await witness.inspect(both, { recipient, txHashes: [txid] });
      expect(answer).toMatchObject({ state: 'proven', sources: ['127.0.0.1#2'] });
    });

    it('says nothing while one still shows a chain that was taken back', async () => {
      const { script, address: recipient } = newRecipient();
      const coins = [scene.wallet.coin()];
      const txid = await scene.wallet.send([{ script, value: LEAST }], { coins });
      await scene.node.mine(FINAL);
      scene.servers.esplora.stuckAt = await scene.servers.esplora.see();
      await scene.takeBack(FINAL, 1);
      expect((await witness.inspect(both, { recipient, txHashes: [txid] })).state).toBe('inconclusive');
    });
  });
});
