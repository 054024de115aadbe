import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { Anvil } from '../../../tools/testkit/anvil.ts';
import { JavaTron, TRON, tronOf } from '../../support/chain/java-tron.ts';
import { newAddress } from '../../support/chain/witness.ts';
import { describeWith } from '../../support/describe-with.ts';
import { jsonOf, Stage } from '../../support/stage.ts';
import type { SharedService } from '../../support/shared-process.ts';

const NATIVE = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb';

describeWith('anvil', 'payouts on Tron, with VERIFY=require', (path) => {
  let stage: Stage;
  let anvil: Anvil;
  let node: JavaTron;
  let token: string;
  let app: SharedService;

  beforeAll(async () => {
    [stage, anvil] = await Promise.all([Stage.open(), Anvil.start(path, TRON)]);
    node = await JavaTron.before(anvil);
    token = await anvil.deploy('Token');
    const rpc = { CHAIN_RPC: `${TRON}=${node.url}`, CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8' };
    app = await stage.startWarm({ VERIFY: 'require', ...rpc });
    await stage.addShop(app);
  });

  afterAll(async () => {
    expect(node.strange).toEqual([]);
    await node.close();
    await anvil.stop();
  });

  const ask = (recipient: string, toToken: string): Promise<Response> => {
    const usdt = { address: toToken, symbol: 'USDT', name: 'Tether USD', decimals: 6 };
    stage.provider.quoteWith({
      receive: {
        chain: { id: TRON, name: 'Tron' },
        token: usdt,
        estimatedAmount: '25',
        minimumAmount: '24.9',
      },
    });
    return stage.askQuote(app, { toChainId: TRON, toToken, recipient });
  };
  const quoted = async (recipient: string, toToken: string): Promise<string> =>
    String((await jsonOf(await ask(recipient, toToken), 200))['quoteId']);
  const completed = (quoteId: string, outputTxHash: string): void => {
    const execution = { startedAt: null, completedAt: null, outputTxHash, steps: [] };
    stage.provider.setStatus(quoteId, { status: 'COMPLETED', execution });
  };

  it('are completed by their proof, of USDT and of TRX, and no transfer proves two of them', async () => {
    const hex = newAddress();
    const [one, two] = [await quoted(tronOf(hex), tronOf(token)), await quoted(tronOf(hex), tronOf(token))];
    const trx = newAddress();
    const coin = await quoted(tronOf(trx), NATIVE);
    const paid = (await anvil.transfer(token, hex, 24_900_000n)).txHash.slice(2);
    const sent = (await anvil.send({ to: trx, value: 24_900_000n })).txHash.slice(2);
    await anvil.mine(30);
    completed(one, paid);
    completed(coin, sent);
    for (const [quoteId, txHash] of [
      [one, paid],
      [coin, sent],
    ] as const) {
      const events = await stage.published(app, quoteId, ['created', 'executing', 'completed']);
      expect(events.at(-1)).toMatchObject({
        data: { verification: { state: 'proven', chainId: TRON, txHash } },
      });
    }
    completed(two, paid);
    await stage.published(app, two, ['created', 'executing', 'anomaly output_used_before']);
  });

  it('are quoted in a token alone, by a node that lacks what shows TRX', async () => {
    node.hasWallet = false;
    await app.stop();
    const env = {
      VERIFY: 'require',
      CHAIN_RPC: `${TRON}=${node.url}`,
      CHAIN_RPC_ALLOWED_CIDRS: '127.0.0.0/8',
    };
    app = await stage.startWarm(env);
    const refused = await ask(tronOf(newAddress()), NATIVE);
    expect(await jsonOf(refused, 422)).toMatchObject({ code: 'unprovable_chain' });
    await quoted(tronOf(newAddress()), tronOf(token));
  });
});
