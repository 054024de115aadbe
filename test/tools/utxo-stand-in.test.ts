import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { Litecoind } from '../../tools/testkit/litecoind.ts';
import { LitecoinWallet } from '../../tools/testkit/litecoin-wallet.ts';
import { addressOf, LITECOIN, scriptOf, witnessScript } from '../../tools/utxo-stand-in/addresses.ts';
import { BlockExplorer } from '../../tools/utxo-stand-in/block-explorer.ts';
import { ViewedChain } from '../../tools/utxo-stand-in/chain-view.ts';
import { describeWith } from '../support/describe-with.ts';

const SCRIPT = witnessScript('ab'.repeat(20));

describeWith('litecoind', 'the stand-in for block explorers', (path) => {
  let node: Litecoind;
  let wallet: LitecoinWallet;
  let explorer: BlockExplorer;
  let book: BlockExplorer;

  beforeAll(async () => {
    node = await Litecoind.start(path);
    wallet = await LitecoinWallet.open(node);
    const chain = new ViewedChain(node);
    [explorer, book] = [
      await BlockExplorer.before(chain, 'esplora'),
      await BlockExplorer.before(chain, 'blockbook'),
    ];
  });
  afterAll(async () => {
    await Promise.all([explorer.close(), book.close()]);
    await node.stop();
  });

  const get = async ({ url }: BlockExplorer, of: string): Promise<[number, unknown]> => {
    const answer = await fetch(url.replace(/^.*\+/, '') + of);
    const text = await answer.text();
    return [answer.status, /^[[{]/.test(text) ? JSON.parse(text) : text];
  };

  it('shows one transaction in both forms: in the memory pool, in a block, and taken back', async () => {
    const txid = await wallet.send([{ script: SCRIPT, value: 1_000n }]);
    const paid = { scriptpubkey: SCRIPT, value: 1_000, scriptpubkey_address: addressOf(LITECOIN, SCRIPT) };
    const shown = async (status: unknown, place: unknown): Promise<void> => {
      expect(await get(explorer, `/tx/${txid}`)).toMatchObject([200, { txid, vout: [paid, {}], status }]);
      const output = { n: 0, hex: SCRIPT, value: '1000', addresses: [addressOf(LITECOIN, SCRIPT)] };
      expect(await get(book, `/api/v2/tx/${txid}`)).toMatchObject([
        200,
        { txid, vout: [output, {}], ...Object(place) },
      ]);
    };
    await shown({ confirmed: false }, { blockHeight: -1, confirmations: 0 });
    const [hash = ''] = await node.mine();
    const { number, at } = await node.head();
    const [time, confirmations] = [at.getTime() / 1_000, 1];
    await shown(
      { confirmed: true, block_height: number, block_hash: hash, block_time: time },
      { blockHash: hash, blockHeight: number, blockTime: time, confirmations },
    );
    await node.takeBack(hash);
    await node.mineOnly();
    await shown({ confirmed: false }, { blockHeight: -1 });
    expect(await get(explorer, `/block/${hash}/status`)).toMatchObject([200, { in_best_chain: false }]);
    expect(await get(book, `/api/v2/block/${hash}`)).toMatchObject([200, { confirmations: -1 }]);
    await node.mine();
  });

  it('turns the pages of an address, and names what spent an output', async () => {
    const own = await wallet.newScript();
    const sent: string[] = [];
    for (let n = 0; n < 26; n += 1) sent.push(await wallet.send([{ script: own, value: 5_000n }]));
    await node.mine();
    const address = addressOf(LITECOIN, own);
    const [, first] = (await get(explorer, `/address/${address}/txs/chain`)) as [number, { txid: string }[]];
    const [, second] = await get(explorer, `/address/${address}/txs/chain/${first.at(-1)?.txid}`);
    expect([first.length, second]).toMatchObject([25, [{}]]);
    const page = `/api/v2/address/${address}?details=txs&from=1&pageSize=25&page=`;
    expect(await get(book, `${page}2`)).toMatchObject([200, { page: 2, totalPages: -1, transactions: [{}] }]);
    // After the last page, the explorer returns the last page again.
    expect(await get(book, `${page}3`)).toMatchObject([200, { page: 2, transactions: [{}] }]);
    const [txid = ''] = sent;
    const spender = await wallet.send([], {
      coins: [await wallet.coinOf(txid, 0)],
      fee: 1_000n,
      changeTo: SCRIPT,
    });
    const spending = [200, [{ spent: true, txid: spender, status: { confirmed: false } }, { spent: false }]];
    expect(await get(explorer, `/tx/${txid}/outspends`)).toMatchObject(spending);
  });

  it('plays the main network, may be behind or stuck, and lists a question that nothing documents', async () => {
    expect(await get(explorer, '/block-height/0')).toEqual([200, expect.stringMatching(/^12a765e31ffd4059/)]);
    const { number } = await node.head();
    explorer.lag = 2;
    expect(await get(explorer, '/blocks/tip/height')).toEqual([200, String(number - 2)]);
    explorer.recover();
    explorer.stuckAt = await explorer.see();
    await node.mine();
    expect(await get(explorer, '/blocks/tip/height')).toEqual([200, String(number)]);
    expect([await get(explorer, '/fee-estimates'), explorer.strange]).toEqual([
      [404, 'Not Found'],
      ['GET /fee-estimates'],
    ]);
  });

  it.each([
    'ltc1q4w46h2at4w46h2at4w46h2at4w46h2atwg76dq',
    'M9TQAWC2R2sGUmWodGk6DH6TNvVxiqXnU6',
    '33FFrcn4Tv1qgGEuXPkkPdr44DuWp3RzPo',
  ])('knows the script of %s', (address) => {
    const script = scriptOf(LITECOIN, address) ?? '';
    expect([addressOf(LITECOIN, script), addressOf(LITECOIN, script, 1)]).toContain(address);
  });
});
