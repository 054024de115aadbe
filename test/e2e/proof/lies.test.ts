import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newAddress } from '../../support/chain/witness.ts';
import { describeWith } from '../../support/describe-with.ts';
import type { Promised } from '../../support/chain-stage.ts';
import { ProofStage } from '../../support/proof-stage.ts';
import type { SharedService } from '../../support/shared-process.ts';

const PROMISED = 25_000_000n;
const HONEST = 10;
const AT_ONE_WALLET = 20;
/** The transaction that the provider names; null: none. */
type Told = string | null;

interface Lie {
  readonly what: string;
  /** The reason of the anomaly; null: no final block contradicts it, and it is never proven. */
  readonly reason: string | null;
  /** Adds the chain's transactions; returns the provider's report. */
  readonly act: (stage: ProofStage, payment: Promised) => Promise<Told>;
}

const transfer = (stage: ProofStage, to: string, amount = PROMISED) =>
  stage.anvil.transfer(stage.token, to, amount).then(({ txHash }) => txHash);

const LIES: readonly Lie[] = [
  {
    what: 'no hash, and too little was paid',
    reason: null,
    act: (stage, { recipient }) => transfer(stage, recipient, 24_899_999n).then(() => null),
  },
  { what: 'another recipient', reason: 'other_recipient', act: (stage) => transfer(stage, newAddress()) },
  {
    what: 'one unit less than the minimum',
    reason: 'amount_short',
    act: (stage, { recipient }) => transfer(stage, recipient, 24_899_999n),
  },
];

describeWith('anvil', 'a provider that lies, with VERIFY=require,', (path) => {
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
    app = await stage.shop.startWarm(stage.env('require', { VERIFY_PATIENCE_SECONDS: '3' }));
    await stage.shop.addShop(app);
    const said: [Promised, Told][] = [];
    for (const { what, act } of LIES) {
      const payment = await stage.quote(app);
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
    expect(await stage.shop.at([payment.quoteId], 'COMPLETED')).toEqual([]);
  });

  it('is caught: the output of another payment', async () => {
    await stage.soon(async () => {
      const states = await Promise.all(reused.map((payment) => stage.stateOf(app, payment)));
      return states.includes('proven') && states.includes('contradicted');
    });
    const words = reused.flatMap((payment) => stage.toldOf(payment));
    expect(words).toContain('anomaly output_used_before');
    expect(words.filter((word) => word === 'completed')).toHaveLength(1);
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
    await stage.soon(() => others.every((payment) => stage.toldOf(payment).at(-1) === 'completed'));
    const words = others.flatMap((payment) => stage.toldOf(payment));
    expect(words.filter((word) => /anomaly|stalled/.test(word))).toEqual([]);
  });
});
