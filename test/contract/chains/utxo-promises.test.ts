import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { namedHash } from '../../../src/chains/utxo/inspect-named.ts';
import { BITCOIN, scriptOf } from '../../../src/domain/chains/utxo-script.ts';
import { promisedOutput } from '../../../src/domain/payment/promised-output.ts';
import type { Quote, QuoteRequest } from '../../../src/domain/payment/quote.ts';
import type { PaymentProvider } from '../../../src/ports/payment-provider.ts';
import { quoteObject, statusObject } from '../../../tools/testkit/provider-objects.ts';
import { witnessScript } from '../../../tools/utxo-stand-in/addresses.ts';
import { type ChainflipWorld, openChainflipWorld } from '../../support/chainflip-world.ts';
import { type OneClickWorld, openOneClickWorld } from '../../support/oneclick-world.ts';
import { readAll } from '../../support/suites/status-answers.ts';

const ZERO = `0x${'0'.repeat(40)}`;
const NATIVES = [
  ZERO,
  'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8',
  'BC1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQMQL8K8',
];
/** The example of the standard of segregated witness, as a QR code has it. */
const RECIPIENT = 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4';
const SCRIPT = witnessScript('751e76e8199196d454941c45d1b3a323f1433bd6');
const REQUEST: QuoteRequest = {
  fromChainId: 1,
  fromToken: ZERO,
  toChainId: BITCOIN,
  toToken: ZERO,
  amount: '1',
  recipient: RECIPIENT.toLowerCase(),
};

/** The promised output that Paybell reads from a quote and a report of a provider, on a chain of outputs. */
function promiseOf(quoteText: string, reportText: string) {
  const output = promisedOutput({ quoteText, reportText, createdAt: new Date(), wasUnderWay: false }, 100);
  if (typeof output === 'string') throw new Error(output);
  const { recipient, txHashes, ...promise } = output;
  return { ...promise, script: scriptOf(BITCOIN, recipient), txHashes: txHashes.map(namedHash) };
}

describe('a payout of bitcoin', () => {
  let chainflip: ChainflipWorld;
  let oneClick: OneClickWorld;
  beforeAll(async () => {
    chainflip = await openChainflipWorld();
    oneClick = await openOneClickWorld('key');
  });
  afterAll(async () => {
    await Promise.all([chainflip.close(), oneClick.close()]);
  });

  const promised = async (provider: PaymentProvider, settle: (quote: Quote) => void) => {
    const quote = await provider.createQuote(REQUEST);
    settle(quote);
    const [[, answer] = []] = await readAll(provider, [quote.quoteId]);
    if (answer?.kind !== 'report') throw new Error(`no report, but ${JSON.stringify(answer)}`);
    const { receive } = JSON.parse(quote.text) as { receive: { minimumAmount: string } };
    const [whole = '', digits = ''] = receive.minimumAmount.split('.');
    const leastAmount = BigInt(whole + digits.padEnd(8, '0'));
    return { leastAmount, promise: promiseOf(quote.text, answer.report.text) };
  };
  const asked = (leastAmount: bigint) => ({
    chainId: BITCOIN,
    token: null,
    script: SCRIPT,
    leastAmount,
    txHashes: [expect.stringMatching(/^[\da-f]{64}$/)],
  });

  it('by Chainflip is asked of the chain by its script, in satoshis', async () => {
    const { lives } = chainflip.chainflip;
    const { leastAmount, promise } = await promised(chainflip.providerWith(), ({ depositAddress }) => {
      lives.deposit(depositAddress);
      lives.settle(depositAddress);
      chainflip.clock.pass(60);
    });
    expect(promise).toMatchObject(asked(leastAmount));
  });

  it('by 1Click is asked of the chain by its script, in satoshis', async () => {
    const { lives } = oneClick.oneClick;
    const { leastAmount, promise } = await promised(oneClick.providerWith(), ({ depositAddress }) => {
      lives.deposit(depositAddress);
      lives.settle(depositAddress);
    });
    expect(promise).toMatchObject(asked(leastAmount));
  });

  it.each(NATIVES)('by a provider of the spec is asked so, with the native token as %s', (address) => {
    const receive = {
      chain: { id: BITCOIN, name: 'Bitcoin' },
      token: { address, symbol: 'BTC', name: 'Bitcoin', decimals: 8 },
      estimatedAmount: '0.05000001',
      minimumAmount: '0.04999999',
    };
    const quote = { ...quoteObject('Q-1'), receive, recipient: RECIPIENT };
    const txHash = 'AB'.repeat(32);
    const report = { ...statusObject('Q-1'), execution: { outputTxHash: txHash, steps: [] } };
    expect(promiseOf(JSON.stringify(quote), JSON.stringify(report))).toMatchObject({
      ...asked(4_999_999n),
      mostAmount: 10_000_002n,
      txHashes: [txHash.toLowerCase()],
    });
  });
});
