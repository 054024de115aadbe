import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TRANSFER } from '../../../src/chains/evm/evm-answers.ts';
import { newAddress } from '../../support/chain/witness.ts';
import { describeWith } from '../../support/describe-with.ts';
import type { Promised } from '../../support/chain-stage.ts';
import { ProofStage } from '../../support/proof-stage.ts';
import type { SharedService } from '../../support/shared-process.ts';

const PROMISED = 25_000_000n;
const NATIVE = `0x${'0'.repeat(40)}`;
const ETHER = { token: { address: NATIVE, symbol: 'ETH', name: 'Ether', decimals: 18 } };
const HONEST = 10;
const AT_ONE_WALLET = 20;
/** A contract that logs a transfer to a recipient, and a transfer of the same amount from that recipient. */
const IN_AND_OUT = `0x${'c1'.repeat(20)}`;

/** The transaction that the provider names; null: none. */
type Told = string | null;

interface Lie {
  readonly what: string;
  /** The reason of the anomaly; null: no final block contradicts it, and it is never proven. */
  readonly reason: string | null;
  readonly receive?: object;
  readonly recipient?: (stage: ProofStage) => string;
  /** Adds the chain's transactions; returns the provider's report. */
  readonly act: (stage: ProofStage, payment: Promised) => Promise<Told>;
}

const transfer = (stage: ProofStage, to: string, amount = PROMISED, token = stage.token) =>
  stage.anvil.transfer(token, to, amount).then(({ txHash }) => txHash);

const LIES: readonly Lie[] = [
  { what: 'a hash that is none of the chain', reason: null, act: async () => `0x${'ab'.repeat(32)}` },
  {
    what: 'no hash, and too little was paid',
    reason: null,
    act: (stage, { recipient }) => transfer(stage, recipient, 24_899_999n).then(() => null),
  },
  {
    what: 'a transaction that failed',
    reason: 'output_reverted',
    act: (stage, { recipient }) => transfer(stage, recipient, 10n ** 30n),
  },
  { what: 'another recipient', reason: 'other_recipient', act: (stage) => transfer(stage, newAddress()) },
  {
    what: 'a twin of the token',
    reason: 'other_token',
    act: async (stage, { recipient }) =>
      transfer(stage, recipient, PROMISED, await stage.anvil.deploy('Token')),
  },
  {
    what: 'a collectible under the address of a token that was promised',
    reason: 'output_missing',
    receive: {
      token: { address: `0x${'c0'.repeat(20)}`, symbol: 'NFT', name: 'NFT', decimals: 0 },
      minimumAmount: '7',
    },
    act: async (stage, { recipient }) => {
      const made = await stage.anvil.deploy('Collectible');
      const code = await stage.anvil.call<string>('eth_getCode', made, 'latest');
      await stage.anvil.call('anvil_setCode', `0x${'c0'.repeat(20)}`, code);
      return (await stage.anvil.transfer(`0x${'c0'.repeat(20)}`, recipient, 7n, 'Collectible')).txHash;
    },
  },
  {
    what: 'one unit less than the minimum',
    reason: 'amount_short',
    act: (stage, { recipient }) => transfer(stage, recipient, 24_899_999n),
  },
  {
    what: 'the native coin in place of the token',
    reason: 'output_missing',
    act: async (stage, { recipient }) => (await stage.anvil.send({ to: recipient, value: PROMISED })).txHash,
  },
  {
    what: 'the native coin for another',
    reason: 'other_recipient',
    receive: { ...ETHER, minimumAmount: '0.5' },
    act: async (stage) => (await stage.anvil.send({ to: newAddress(), value: 10n ** 18n })).txHash,
  },
  {
    what: 'an idle transaction of the block in which a plain one brought the coin',
    reason: null,
    receive: { ...ETHER, minimumAmount: '0.5' },
    act: async (stage, { recipient }) => {
      const [, idle] = await stage.anvil.inOneBlock(() => [
        stage.anvil.send({ to: recipient, value: 10n ** 18n }),
        stage.anvil.transfer(stage.token, recipient, 1n),
      ]);
      return idle?.txHash ?? null;
    },
  },
  {
    what: 'the recipient pays itself',
    reason: 'output_missing',
    recipient: (stage) => stage.anvil.sender,
    act: (stage) => transfer(stage, stage.anvil.sender),
  },
  {
    what: 'the recipient pays out what came in the same transaction',
    reason: 'amount_short',
    receive: { token: { address: IN_AND_OUT, symbol: 'IO', name: 'IO', decimals: 6 } },
    act: async (stage, { recipient }) => {
      await stage.anvil.setCode(IN_AND_OUT, inAndOut(recipient, PROMISED));
      return (await stage.anvil.send({ to: IN_AND_OUT, data: '0x00' })).txHash;
    },
  },
  {
    what: "no hash, and a treasury's top-up came",
    reason: null,
    act: (stage, { recipient }) => transfer(stage, recipient, 1_000n * PROMISED).then(() => null),
  },
];

/** The code of a contract that logs a transfer to an address, and the same transfer back from it. */
function inAndOut(recipient: string, amount: bigint): string {
  const word = (value: bigint): string => `7f${value.toString(16).padStart(64, '0')}`;
  const [to, payer] = [word(BigInt(recipient)), word(0xabcn)];
  const logged = (from: string, at: string): string => `${at}${from}${word(BigInt(TRANSFER))}60206000a3`;
  return `0x${word(amount)}600052${logged(payer, to)}${logged(to, payer)}00`;
}

describeWith('anvil', 'a provider that lies', (path) =>
  describe.each(['observe', 'require'] as const)('with VERIFY=%s', (verify) => {
    let stage: ProofStage;
    let app: SharedService;
    const told = new Map<string, Promised>();
    const honest: Promised[] = [];
    let reused: readonly Promised[] = [];
    const unnamed: Promised[] = [];
    const paymentOf = (what: string): Promised => told.get(what) as Promised;

    beforeAll(async () => {
      stage = await ProofStage.open(path);
      // After this time, a completion becomes unverified if no block contradicts it.
      app = await stage.shop.startWarm(stage.env(verify, { VERIFY_PATIENCE_SECONDS: '3' }));
      await stage.shop.addShop(app);
      const said: [Promised, Told][] = [];
      for (const { what, receive, recipient, act } of LIES) {
        const payment = await stage.quote(app, receive, recipient?.(stage));
        told.set(what, payment);
        said.push([payment, await act(stage, payment)]);
      }
      for (let n = 0; n < HONEST; n += 1) {
        const payment = await stage.quote(app);
        honest.push(payment);
        const hash = await transfer(stage, payment.recipient);
        said.push([payment, n % 2 === 0 ? hash : hash.slice(2).toUpperCase()]);
      }
      const wallet = newAddress();
      for (let n = 0; n < AT_ONE_WALLET; n += 1) {
        const payment = await stage.quote(app, {}, wallet);
        unnamed.push(payment);
        await transfer(stage, wallet);
        said.push([payment, null]);
      }
      // Two payments to one recipient name one output: one of the two lies.
      const [first] = honest as [Promised];
      reused = [first, await stage.quote(app, {}, first.recipient)];
      said.push([reused[1] as Promised, said.find(([payment]) => payment === first)?.[1] ?? null]);
      await stage.finalize();
      for (const [payment, hash] of said) stage.say(payment, 'COMPLETED', hash);
    });
    afterAll(() => stage.close());

    it.each(LIES)('is caught: $what', async ({ what, reason }) => {
      const payment = paymentOf(what);
      const isCaught = async () =>
        reason === null
          ? (await stage.stateOf(app, payment)) === 'unverified'
          : stage.toldOf(payment).includes(`anomaly ${reason}`);
      await stage.soon(isCaught);
      const words = stage.toldOf(payment);
      expect(words.filter((word) => word.startsWith('anomaly'))).toEqual(
        reason === null ? [] : [`anomaly ${reason}`],
      );
      expect(words).not.toContain('verified');
      const completed = verify === 'require' ? [] : [payment.quoteId];
      expect(await stage.shop.at([payment.quoteId], 'COMPLETED')).toEqual(completed);
    });

    it('is caught: the output of another payment', async () => {
      await stage.soon(async () => {
        const states = await Promise.all(reused.map((payment) => stage.stateOf(app, payment)));
        return states.includes('proven') && states.includes('contradicted');
      });
      const words = reused.flatMap((payment) => stage.toldOf(payment));
      expect(words).toContain('anomaly output_used_before');
      expect(words.filter((word) => word === (verify === 'require' ? 'completed' : 'verified'))).toHaveLength(
        1,
      );
    });

    it('is caught: the provider of another payment names the transfer that a search has found', async () => {
      const told = await stage.quote(app);
      const named = await stage.quote(app, {}, told.recipient);
      const hash = await transfer(stage, told.recipient);
      await stage.finalize();
      stage.say(told, 'COMPLETED');
      await stage.soon(async () => (await stage.stateOf(app, told)) === 'proven');
      stage.say(named, 'COMPLETED', hash);
      await stage.soon(() => stage.toldOf(told).includes('anomaly output_used_before'));
      const lost = stage.arrivalsOf(told.quoteId).find(({ data }) => data['reason'] === 'output_used_before');
      expect(lost?.data).toMatchObject({ verification: { state: 'contradicted', usedBy: named.quoteId } });
      await stage.soon(async () => (await stage.stateOf(app, named)) === 'proven');
    });

    it('raises no false alarm for those that tell the truth', async () => {
      const others = [...honest.slice(1), ...unnamed];
      const end = verify === 'require' ? 'completed' : 'verified';
      await stage.soon(() => others.every((payment) => stage.toldOf(payment).at(-1) === end));
      const words = others.flatMap((payment) => stage.toldOf(payment));
      expect(words.filter((word) => /anomaly|stalled/.test(word))).toEqual([]);
    });
  }),
);
