import { describe, expect, it } from '@jest/globals';

import { RpcTrouble } from '../../../src/chains/rpc/rpc-trouble.ts';
import type { HistoryPage, ShownUtxoTransaction } from '../../../src/chains/utxo/utxo-api.ts';
import type { OutputAnswer, PromisedOutput, SeenTransfer } from '../../../src/domain/proof/output.ts';
import { sleep } from '../../../src/platform/scheduling/system-timers.ts';
import { VirtualClock } from '../../../tools/simulation/virtual-clock.ts';
import {
  chainOf,
  HEAD,
  hashNo,
  NOW,
  OTHER,
  promisedCoin,
  QUOTED,
  readerOf,
  SHOP,
  spends,
  timeOf,
  UtxoChain,
} from '../../support/chain/utxo-chain.ts';
import { MovedTimers } from '../../support/chain/witness.ts';

const FINAL = HEAD - 11;
/** Leads into an extension block. */
const MWEB = `5820${'cd'.repeat(32)}`;
const NEW_COINS = [{ spends: null, script: null }];
const EARLIER_MS = 2_400_000;

/** A server whose answers about its chain, a transaction and an address take this long. */
class SlowChain extends UtxoChain {
  waitMs = 0;

  constructor(private readonly timers: VirtualClock) {
    super();
  }

  private async wait(): Promise<void> {
    if (this.waitMs > 0) await sleep(this.timers, this.waitMs);
  }

  override async blockHashAt(number: number): Promise<string | null> {
    await this.wait();
    return super.blockHashAt(number);
  }

  override async transaction(hash: string): Promise<ShownUtxoTransaction | null> {
    await this.wait();
    return super.transaction(hash);
  }

  override async historyOf(script: string, next: string | null): Promise<HistoryPage> {
    await this.wait();
    return super.historyOf(script, next);
  }
}

/** Less than the lease of an inspection. */
const INSPECTED_AGAIN_MS = 115_000;

type Make = (chain: UtxoChain) => void;

/** The state, and the reason or the outputs that prove. */
function wordOf(answer: OutputAnswer): string {
  if (answer.state !== 'proven') return `${answer.state} ${answer.reason}`;
  const outputs = answer.transfers.map(
    ({ txHash, logIndex }) => `${Number.parseInt(txHash, 16)}:${logIndex}`,
  );
  return `proven by ${outputs.join(' ')}${answer.isSearched === true ? ', searched' : ''}`;
}

function inspected(make: Make, fields: Partial<PromisedOutput> = {}): Promise<OutputAnswer> {
  const chain = new UtxoChain();
  make(chain);
  return readerOf(chain).inspectOutput(promisedCoin(fields), NOW);
}

const wordFor = async (make: Make, fields: Partial<PromisedOutput> = {}): Promise<string> =>
  wordOf(await inspected(make, fields));
const to = (script: string, amount = 1_000n): readonly [string, bigint] => [script, amount];
const shop = (amount = 1_000n): readonly [string, bigint] => to(SHOP, amount);
const elsewhere = to(OTHER);

/** Pays the shop in a block that is older than the quote, as the next one is. */
function olderBy(chain: UtxoChain, ms: number): void {
  for (const block of [950, 951]) chain.times.set(block, new Date(timeOf(QUOTED).getTime() - ms));
  chain.add(1, [shop()], { block: 950 });
}

describe('a named transaction', () => {
  it.each<[string, Make, string]>([
    ['pays the promise', (chain) => chain.add(1, [shop()]), 'proven by 1:0'],
    ['pays it beside others', (chain) => chain.add(1, [to(OTHER, 9_000n), shop()]), 'proven by 1:1'],
    ['pays it twice', (chain) => chain.add(1, [shop(1_500n), shop()]), 'proven by 1:1 1:0'],
    ['is not there', () => undefined, 'inconclusive not_found'],
    ['waits', (chain) => chain.add(1, [shop()], { block: null }), 'inconclusive not_in_block'],
    ['waits for another', (chain) => chain.add(1, [elsewhere], { block: null }), 'inconclusive not_in_block'],
    ['is young', (chain) => chain.add(1, [shop()], { block: HEAD - 4 }), 'inconclusive not_confirmed'],
    ['has the confirmations', (chain) => chain.add(1, [shop()], { block: HEAD - 5 }), 'proven by 1:0'],
    ['pays another', (chain) => chain.add(1, [elsewhere], { block: FINAL }), 'contradicted other_recipient'],
    ['may still move', (chain) => chain.add(1, [elsewhere], { block: FINAL + 1 }), 'inconclusive not_final'],
    ['is a unit short', (chain) => chain.add(1, [shop(999n)], { block: FINAL }), 'contradicted amount_short'],
    [
      'pays the sum in two outputs',
      (chain) => chain.add(1, [shop(500n), shop(500n)], { block: FINAL }),
      'contradicted amount_short',
    ],
    [
      'has data alone',
      (chain) => chain.add(1, [to('6a0100')], { block: FINAL }),
      'contradicted other_recipient',
    ],
    [
      'is paid by the recipient too',
      (chain) => chain.add(1, [shop()], { inputs: [spends(7), spends(8, 0, SHOP)] }),
      'inconclusive own_inputs',
    ],
    [
      'is hidden in part',
      (chain) => chain.add(1, [shop()], { isHidden: true }),
      'inconclusive hidden_amounts',
    ],
    [
      'leads into an extension block',
      (chain) => chain.add(1, [shop(), to(MWEB)]),
      'inconclusive hidden_amounts',
    ],
    [
      'makes new coins',
      (chain) => chain.add(1, [shop()], { block: HEAD - 98, inputs: NEW_COINS }),
      'inconclusive not_confirmed',
    ],
    [
      'made coins that have matured',
      (chain) => chain.add(1, [shop()], { block: HEAD - 99, inputs: NEW_COINS }),
      'proven by 1:0',
    ],
    [
      'was in a block that is no more',
      (chain) => {
        chain.add(1, [shop()]);
        chain.replaced.set(990, hashNo(5));
      },
      'inconclusive block_replaced',
    ],
    [
      'is older by the clock of its block alone',
      (chain) => {
        chain.times.set(950, new Date(timeOf(900).getTime() - EARLIER_MS));
        chain.add(1, [shop()], { block: 950 });
      },
      'proven by 1:0',
    ],
    ['is 15 s older, by two blocks', (chain) => olderBy(chain, 15_000), 'proven by 1:0'],
    ['is older than that, by two blocks', (chain) => olderBy(chain, 15_001), 'inconclusive older_block'],
    ['is two hours older', (chain) => chain.add(1, [shop()], { block: 852 }), 'inconclusive older_block'],
    ['is older still', (chain) => chain.add(1, [shop()], { block: 851 }), 'contradicted output_missing'],
    [
      'fits in the history of the recipient alone',
      (chain) => {
        const fits = new UtxoChain().add(1, [shop()], { block: FINAL });
        chain.add(1, [shop(999n)], { block: FINAL });
        chain.listed.set(hashNo(1), fits);
      },
      'inconclusive rpc_contradicts_itself',
    ],
  ])('that %s', async (_what, make, word) => {
    expect(await wordFor(make)).toBe(word);
  });

  it('is final from the depth of its chain on', async () => {
    const states = await Promise.all(
      [FINAL + 1, FINAL].map(async (block) => {
        const answer = await inspected((chain) => chain.add(1, [shop()], { block }));
        return answer.state === 'proven' ? [answer.transfers[0].isFinal, answer.askAgainMs] : null;
      }),
    );
    expect(states).toEqual([
      [false, expect.any(Number)],
      [true, null],
    ]);
  });

  it('is proven by its output, the place in the transaction beside the hash', async () => {
    const answer = await inspected((chain) => chain.add(1, [elsewhere, shop()]));
    expect(answer).toMatchObject({
      transfers: [{ logIndex: 1, ordinal: 1, amount: 1_000n, confirmations: 11 }],
    });
  });

  it.each<[string, string[], string]>([
    ['in capitals and with 0x', [`0x${hashNo(10).toUpperCase()}`], 'proven by 10:0'],
    ['first of two, the other missing', [hashNo(10), hashNo(11)], 'proven by 10:0'],
    ['second of two', [hashNo(11), hashNo(10)], 'proven by 10:0'],
    ['in no form of a hash', ['no hash'], 'proven by 10:0, searched'],
  ])('is found where it is named %s', async (_what, txHashes, word) => {
    expect(await wordFor((chain) => chain.add(10, [shop()]), { txHashes })).toBe(word);
  });

  it('contradicts nothing where its name is no hash and nothing is found', async () => {
    expect(await wordFor(() => undefined, { txHashes: ['no hash'] })).toBe('inconclusive unreadable_hash');
  });
});

describe('a search', () => {
  const search = { txHashes: [] };

  it.each<[string, Make, string]>([
    ['nothing', () => undefined, 'inconclusive no_transfer_found'],
    [
      'the smallest that is enough',
      (chain) => [1_500n, 1_200n, 900n].map((amount, at) => chain.add(at + 1, [shop(amount)])),
      'proven by 2:0 1:0',
    ],
    [
      'of equal ones the oldest',
      (chain) => [990, 970, 980].map((block, at) => chain.add(at + 1, [shop()], { block })),
      'proven by 2:0 3:0 1:0',
    ],
    ['at most twice the promise', (chain) => chain.add(1, [shop(2_001n)]), 'inconclusive no_transfer_found'],
    ['none that waits', (chain) => chain.add(1, [shop()], { block: null }), 'inconclusive no_transfer_found'],
    ['a young one', (chain) => chain.add(1, [shop()], { block: HEAD }), 'inconclusive not_confirmed'],
    [
      'none before the quote',
      (chain) => chain.add(1, [shop()], { block: 890 }),
      'inconclusive no_transfer_found',
    ],
    [
      'none that the recipient pays itself',
      (chain) => chain.add(1, [shop()], { inputs: [spends(8, 0, SHOP)] }),
      'inconclusive no_transfer_found',
    ],
    [
      'no new coins before they mature',
      (chain) => chain.add(1, [shop()], { inputs: NEW_COINS }),
      'inconclusive no_transfer_found',
    ],
    [
      'an older one by the clock of its block alone',
      (chain) => {
        chain.times.set(950, new Date(timeOf(900).getTime() - EARLIER_MS));
        chain.add(1, [shop()], { block: 950 });
        chain.add(2, [shop(900n)], { block: 890 });
        chain.add(3, [shop()], { block: 880 });
      },
      'proven by 1:0',
    ],
  ])('finds %s', async (_what, make, word) => {
    expect(await wordFor(make, search)).toBe(word);
  });

  it('skips outputs that prove other payments, and not those beside them', async () => {
    const used = new Set([`${hashNo(1)}:0`]);
    expect(await wordFor((chain) => chain.add(1, [shop(), shop()]), { ...search, used })).toBe(
      'proven by 1:1',
    );
  });

  it('reads page by page, and no further than the quote', async () => {
    const chain = new UtxoChain();
    for (let at = 0; at < 60; at += 1) chain.add(at + 100, [shop(1n)], { block: 999 - at });
    for (let at = 0; at < 60; at += 1) chain.add(at + 200, [shop(1n)], { block: 700 - at });
    chain.add(1, [shop()], { block: 930 });
    expect(wordOf(await readerOf(chain).inspectOutput(promisedCoin(search), NOW))).toBe('proven by 1:0');
    expect(chain.asked.filter((each) => each === 'history')).toHaveLength(3);
  });

  it('ends after twenty pages', async () => {
    const chain = new UtxoChain();
    for (let at = 0; at < 600; at += 1) chain.add(at + 100, [shop(1n)]);
    chain.add(1, [shop()], { block: 950 });
    const answer = await readerOf(chain).inspectOutput(promisedCoin(search), NOW);
    expect(wordOf(answer)).toBe('inconclusive no_transfer_found');
    expect(answer.checks.find(({ name }) => name === 'receipt')?.detail).toContain('too many transactions');
    expect(chain.asked.filter((each) => each === 'history')).toHaveLength(20);
  });
});

/** The proof of an earlier inspection. */
const PROOF: SeenTransfer = {
  txHash: hashNo(1),
  logIndex: 0,
  ordinal: 0,
  blockNumber: 990,
  blockHash: hashNo(1_000_990),
  amount: 1_000n,
  confirmations: 6,
  isFinal: false,
};
const seenInputs = [{ txHash: hashNo(1), spends: [`${hashNo(70)}:2`, `${hashNo(71)}:0`] }];
const replacing = [spends(71)];

describe('a transaction that has vanished', () => {
  it.each<[string, Make, Partial<PromisedOutput>, string]>([
    [
      'unseen',
      (chain) => chain.add(2, [elsewhere], { inputs: replacing, block: FINAL }),
      {},
      'inconclusive not_found',
    ],
    ['seen', () => undefined, { seenInputs }, 'inconclusive not_found'],
    [
      'replaced by one that waits',
      (chain) => chain.add(2, [elsewhere], { inputs: replacing, block: null }),
      { seenInputs },
      'inconclusive not_found',
    ],
    [
      'replaced by one that may still move',
      (chain) => chain.add(2, [elsewhere], { inputs: replacing, block: FINAL + 1 }),
      { seenInputs },
      'inconclusive not_final',
    ],
    [
      'replaced',
      (chain) => chain.add(2, [elsewhere], { inputs: replacing, block: FINAL }),
      { seenInputs },
      'contradicted double_spent',
    ],
    [
      'replaced in a block that is no more',
      (chain) => {
        chain.add(2, [elsewhere], { inputs: replacing, block: FINAL });
        chain.replaced.set(FINAL, hashNo(5));
      },
      { seenInputs },
      'inconclusive not_found',
    ],
    [
      'replaced by one that pays too',
      (chain) => chain.add(2, [shop()], { inputs: replacing }),
      { seenInputs },
      'proven by 2:0, searched',
    ],
    [
      'replaced by one that pays another payment',
      (chain) => chain.add(2, [shop()], { inputs: replacing, block: FINAL }),
      { seenInputs, used: new Set([`${hashNo(2)}:0`]) },
      'contradicted double_spent',
    ],
    [
      'replaced, and paid in another way',
      (chain) => {
        chain.add(2, [elsewhere], { inputs: replacing, block: FINAL });
        chain.add(3, [shop()]);
      },
      { seenInputs },
      'proven by 3:0, searched',
    ],
    [
      'replaced, and being paid in another way',
      (chain) => {
        chain.add(2, [elsewhere], { inputs: replacing, block: FINAL });
        chain.add(3, [shop()], { block: HEAD });
      },
      { seenInputs },
      'inconclusive not_confirmed',
    ],
    [
      'replaced, of a recipient with too many transactions',
      (chain) => {
        chain.add(2, [elsewhere], { inputs: replacing, block: FINAL });
        for (let at = 0; at < 600; at += 1) chain.add(at + 100, [shop(1n)]);
      },
      { seenInputs },
      'inconclusive no_transfer_found',
    ],
  ])('contradicts nothing but where it was seen and replaced: %s', async (_what, make, fields, word) => {
    expect(await wordFor(make, fields)).toBe(word);
  });

  it('is kept by its inputs from its first sight on until its block is final', async () => {
    const inputs = Array.from({ length: 10 }, (_, at) => spends(70 + at, at));
    const kept = await Promise.all(
      [null, HEAD, FINAL].map(async (block) => {
        const answer = await inspected((chain) => chain.add(1, [shop()], { inputs, block }));
        return answer.seenInputs;
      }),
    );
    const seen = [
      { txHash: hashNo(1), spends: inputs.slice(0, 8).map((_, at) => `${hashNo(70 + at)}:${at}`) },
    ];
    expect(kept).toEqual([seen, seen, []]);
  });

  it('is kept where a search has found it', async () => {
    const answer = await inspected((chain) => chain.add(1, [shop()], { inputs: replacing }), {
      txHashes: [],
    });
    expect(answer.seenInputs).toEqual([{ txHash: hashNo(1), spends: [`${hashNo(71)}:0`] }]);
  });
});

describe('a proof whose block was not final', () => {
  const again = { provenBy: PROOF, seenInputs };

  it.each<[string, Make, string]>([
    ['is still there', (chain) => chain.add(1, [shop()]), 'proven by 1:0'],
    ['was mined again', (chain) => chain.add(1, [shop()], { block: 993 }), 'proven by 1:0'],
    [
      'waits again',
      (chain) => {
        chain.add(1, [shop()], { block: null });
        chain.replaced.set(990, hashNo(5));
      },
      'inconclusive not_in_block',
    ],
    [
      'has vanished from a block that may still move',
      (chain) => chain.replaced.set(990, hashNo(5)),
      'inconclusive not_final',
    ],
    [
      'was spent elsewhere',
      (chain) => {
        chain.add(2, [elsewhere], { inputs: replacing, block: FINAL });
        // A further payment to the recipient is not this one.
        chain.add(3, [shop()]);
      },
      'contradicted double_spent',
    ],
    [
      'was replaced by one that pays too',
      (chain) => chain.add(2, [shop()], { inputs: replacing }),
      'proven by 2:0, searched',
    ],
  ])('that %s', async (_what, make, word) => {
    expect(await wordFor(make, again)).toBe(word);
  });

  it('has gone once a final block is in the place of its own', async () => {
    const provenBy = { ...PROOF, blockNumber: FINAL, blockHash: hashNo(6) };
    const answer = await inspected(() => undefined, { provenBy });
    expect(wordOf(answer)).toBe('contradicted output_reorged');
    expect(answer).toMatchObject({ transfer: provenBy });
  });

  it('is not gone where the server lacks the transaction alone', async () => {
    await expect(inspected(() => undefined, { provenBy: PROOF })).rejects.toThrow(RpcTrouble);
  });
});

describe('a deposit', () => {
  const watched = {
    chainId: promisedCoin().chainId,
    token: null,
    depositAddress: SHOP,
    asked: 1_000n,
    others: [],
    txHashes: [hashNo(1)],
    since: timeOf(900),
  };

  it.each<[string, Make, string[]]>([
    ['in a final block', (chain) => chain.add(1, [shop()], { block: FINAL }), ['1: 1000']],
    ['in several outputs', (chain) => chain.add(1, [shop(), shop(500n)], { block: FINAL }), ['1: 1500']],
    ['in a block that may still move', (chain) => chain.add(1, [shop()], { block: FINAL + 1 }), []],
    ['that waits', (chain) => chain.add(1, [shop()], { block: null }), []],
    ['of dust', (chain) => chain.add(1, [shop(9n)], { block: FINAL }), []],
    ['of a hundredth', (chain) => chain.add(1, [shop(10n)], { block: FINAL }), ['1: 10']],
    ['before the payment', (chain) => chain.add(1, [shop()], { block: 890 }), []],
    ['from itself', (chain) => chain.add(1, [shop()], { block: FINAL, inputs: [spends(8, 0, SHOP)] }), []],
    ['of new coins', (chain) => chain.add(1, [shop()], { block: FINAL, inputs: NEW_COINS }), []],
    [
      'beside a nearer one',
      (chain) => [3_000n, 1_100n].map((amount, at) => chain.add(at + 2, [shop(amount)], { block: FINAL })),
      ['3: 1100', '2: 3000'],
    ],
    [
      'in a block that is no more',
      (chain) => {
        chain.add(1, [shop()], { block: FINAL });
        chain.replaced.set(FINAL, hashNo(5));
      },
      [],
    ],
  ])('%s', async (_what, make, found) => {
    const chain = new UtxoChain();
    make(chain);
    const deposits = await readerOf(chain).inspectDeposit(watched);
    expect(deposits.map(({ txHash, amount }) => `${Number.parseInt(txHash ?? '', 16)}: ${amount}`)).toEqual(
      found,
    );
  });

  it('of a token is not looked for', async () => {
    expect(await readerOf(new UtxoChain()).inspectDeposit({ ...watched, token: OTHER })).toEqual([]);
  });
});

describe('a server', () => {
  /** As providers write the recipient. */
  const byAddress = promisedCoin({ recipient: 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9' });

  it.each<[string, Make, string]>([
    ['of another chain', (chain) => (chain.genesis = hashNo(1)), 'wrong_chain'],
    ['without its first block', (chain) => (chain.genesis = null), 'rpc_error'],
    [
      'with a head that stands still',
      (chain) => chain.times.set(HEAD, new Date(NOW.getTime() - 9_900_001)),
      'rpc_stuck',
    ],
    [
      'with a head of tomorrow',
      (chain) => chain.times.set(HEAD, new Date(NOW.getTime() + 14_400_001)),
      'rpc_stuck',
    ],
  ])('%s does not count', async (_what, make, failure) => {
    await expect(inspected(make)).rejects.toMatchObject({ failure });
  });

  it('counts after two hours without a block, which happens', async () => {
    const quiet = (chain: UtxoChain): unknown => chain.times.set(HEAD, new Date(NOW.getTime() - 7_200_000));
    expect(await wordFor(quiet)).toBe('inconclusive not_found');
  });

  it('is asked for its head and its chain once by all inspections at a time', async () => {
    const chain = new UtxoChain();
    const reader = readerOf(chain);
    await Promise.all([1, 2, 3].map(() => reader.inspectOutput(promisedCoin(), NOW)));
    expect(chain.asked).toEqual(['head', 'hash', 'transaction', 'transaction', 'transaction']);
  });

  it('is asked for its head once in two seconds, and for its chain with each new head', async () => {
    const chain = new UtxoChain();
    const timers = new MovedTimers();
    const reader = readerOf(chain, 'one.example', timers);
    for (const passedMs of [0, 0, 2_000]) {
      timers.pass(passedMs);
      await reader.inspectOutput(promisedCoin(), NOW);
    }
    expect(chain.asked).toEqual(['head', 'hash', 'transaction', 'transaction', 'head', 'transaction']);
  });

  it.each<[string, Make]>([
    ['higher', (chain) => (chain.newest = HEAD + 100)],
    ['lower', (chain) => (chain.newest = HEAD - 1)],
    ['as high', (chain) => chain.replaced.set(HEAD, hashNo(5))],
  ])('that changes to another chain, %s, does not count', async (_what, make) => {
    const chain = new UtxoChain();
    const timers = new MovedTimers();
    const reader = readerOf(chain, 'one.example', timers);
    await reader.inspectOutput(promisedCoin(), NOW);
    chain.genesis = hashNo(1);
    make(chain);
    timers.pass(2_000);
    await expect(reader.inspectOutput(promisedCoin(), NOW)).rejects.toMatchObject({ failure: 'wrong_chain' });
  });

  it('of a chain that changed since it was asked for holds nothing back that another one shows', async () => {
    const [good, changing] = [new UtxoChain(), new UtxoChain()];
    const chain = chainOf(good, changing);
    for (const each of [good, changing]) each.add(1, [shop()]);
    expect(wordOf(await chain.inspectOutput(byAddress))).toBe('proven by 1:0');
    changing.genesis = hashNo(1);
    changing.drop(1);
    expect(wordOf(await chain.inspectOutput(byAddress))).toBe('proven by 1:0');
    expect(chain.troubles()).toMatchObject([{ problem: 'disagrees', rpcs: ['two.example'] }]);
  });

  it('that cannot name its chain after it said something else still counts', async () => {
    const [good, lacking] = [new UtxoChain(), new UtxoChain()];
    const chain = chainOf(good, lacking);
    await chain.inspectOutput(byAddress);
    good.add(1, [shop()]);
    lacking.genesis = null;
    expect(wordOf(await chain.inspectOutput(byAddress))).toBe('inconclusive not_found');
  });

  it('that takes nearly too long for each answer has answered before its payment is inspected again', async () => {
    const timers = new VirtualClock();
    const [one, two] = [new SlowChain(timers), new SlowChain(timers)];
    const chain = chainOf(one, two, timers);
    await chain.inspectOutput(byAddress);
    two.add(1, [shop()], { block: null });
    for (const each of [one, two]) each.waitMs = 44_000;
    let answer: OutputAnswer | undefined;
    void chain.inspectOutput({ ...byAddress, namedForMs: 600_000 }).then((given) => (answer = given));
    await timers.runSettled(INSPECTED_AGAIN_MS, () => answer !== undefined);
    expect(answer && wordOf(answer)).toBe('inconclusive not_found');
  });

  it.each<[string, Make, string[]]>([
    ['as good', () => undefined, ['chain id', 'head', 'transactions', 'addresses']],
    ['as of another chain', (chain) => (chain.genesis = hashNo(1)), []],
    ['as stuck', (chain) => chain.times.set(HEAD, new Date(0)), ['chain id', 'transactions', 'addresses']],
    ['as inventing transactions', (chain) => chain.add(0, [shop()]), ['chain id', 'head', 'addresses']],
  ])('is examined %s', async (_what, make, good) => {
    const chain = new UtxoChain();
    make(chain);
    const findings = await readerOf(chain).examine(NOW);
    expect(findings.filter(({ isGood }) => isGood).map(({ check }) => check)).toEqual(good);
  });
});
