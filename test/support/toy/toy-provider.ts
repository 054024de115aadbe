import { randomUUID } from 'node:crypto';

import { type Chain, CHAINS } from '../../../src/domain/chains/chains.ts';
import type { CurrencySearch } from '../../../src/domain/payment/currency-search.ts';
import { NOTHING_SHOWN, outcomeOf } from '../../../src/domain/payment/outcome.ts';
import type { Quote, QuoteRequest } from '../../../src/domain/payment/quote.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import * as port from '../../../src/ports/payment-provider.ts';
import { UnfitQuote } from '../../../src/ports/unfit-quote.ts';
import { parseLongJson } from '../../../src/providers/connection/parse-provider-json.ts';
import type { Connection } from '../../../src/providers/connection/provider-connection.ts';
import { isSuccess, unavailable } from '../../../src/providers/connection/read-response.ts';
import * as lists from '../../../src/providers/shared/currencies.ts';
import { DirectProvider } from '../../../src/providers/shared/direct-provider.ts';
import { fieldsOf, listOf, readWord, type Fields } from '../../../src/providers/shared/fields.ts';
import { refused, refuseRecipient, unusableChain } from '../../../src/providers/shared/order-checks.ts';
import type { QuoteStore } from '../../../src/providers/shared/quote-store.ts';
import { fromRaw, readRaw, toRaw } from '../../../src/providers/shared/raw-amount.ts';
import { readEach, reportAnswer } from '../../../src/providers/shared/read-each.ts';
import { depositNote, sideOf } from '../../../src/providers/shared/spec-quote.ts';
import * as status from '../../../src/providers/shared/spec-status.ts';
import { isSameAddress } from '../../../src/providers/shared/vm-addresses.ts';

type ToyQuote = status.RoutedQuote & { readonly address: string };
type Token = status.RouteToken & { readonly id: string; readonly name: string; readonly chain: Chain };
type OnAnswer = (quoteId: string, answer: port.StatusAnswer) => unknown;

const LIVES_S = 300;
const WORDS: Readonly<Record<string, string>> = { paid: 'DEPOSIT_RECEIVED', back: 'FAILED' };

/** An adapter for a made-up service, with no more than a new provider has to write. */
export class ToyProvider extends DirectProvider {
  override readonly name = 'toy';
  override readonly limits = { maxConcurrency: 8, batchSize: 1, timeoutMs: 5_000, maxRpm: 0 };

  constructor(
    private readonly link: Connection,
    private readonly store: QuoteStore<ToyQuote>,
    private readonly clock: Clock,
  ) {
    super(link, store);
  }

  override async createQuote(request: QuoteRequest): Promise<Quote> {
    const tokens = await this.tokens();
    const [from, to] = [tokenAt(tokens, request, 'from'), tokenAt(tokens, request, 'to')];
    refuseRecipient(request.recipient, to.chain);
    const amount = toRaw(request.amount, from);
    const asked = { from: from.id, to: to.id, amount, recipient: request.recipient };
    const answer = fieldsOf(await this.read('/swaps', asked));
    const [address, out] = [readWord(answer['address']), readRaw(answer['out'])];
    if (address === null || out === null || answer['amount'] !== amount) throw new UnfitQuote('the order');
    if (out <= 0n) throw refused('The fees take all of it.', 'amount');
    const [quoteId, createdAt] = [randomUUID(), this.clock.now()];
    const expiresAt = new Date(createdAt.getTime() + LIVES_S * 1_000);
    const route = { from, to, amount, minAmountOut: null, recipient: request.recipient };
    await this.store.add(address, { quoteId, createdAt, expiresAt, address, ...route });
    const text = JSON.stringify({
      success: true,
      quoteId,
      expiresIn: LIVES_S,
      send: { depositAddress: address, ...sideOf(from.chain, from), amount: request.amount },
      receive: {
        ...sideOf(to.chain, to),
        estimatedAmount: fromRaw(out, to.decimals),
        estimatedAmountUsd: '1',
      },
      recipient: request.recipient,
      fees: { totalUsd: '0.1' },
      estimatedTime: '15s',
      steps: 1,
      statusUrl: `/api/status/${quoteId}`,
      depositNote: depositNote(request.amount, from.chain.name, LIVES_S, 'too little comes back'),
    });
    return { quoteId, expiresIn: LIVES_S, expectedMs: 15_000, depositAddress: address, text };
  }

  override readStatuses(
    ids: readonly string[],
    onAnswer: OnAnswer,
    known?: port.KnownReports,
  ): Promise<void> {
    return readEach(this.store, ids, onAnswer, async (quote) => {
      const answer = await this.send(`/swaps/${quote.address}`, undefined, known?.onSent);
      if (answer.httpStatus === 401) return { kind: 'credentials' };
      if (answer.kind !== 'json') return answer;
      const { httpStatus, retryAfterMs, value } = answer;
      const word = readWord(fieldsOf(value)['word']);
      if (!isSuccess(httpStatus) || word === null) return unavailable('unusable', httpStatus, retryAfterMs);
      return reportAnswer(this.report(quote, word, fieldsOf(value)));
    });
  }

  override async readChains(): Promise<string> {
    return lists.chainsText(new Set((await this.tokens()).map(({ chain }) => chain)));
  }

  override async searchCurrencies(search: CurrencySearch): Promise<string> {
    const all = (await this.tokens()).map((token) => lists.listedCurrency(token.chain, token));
    return lists.currenciesText(lists.findCurrencies(all, search));
  }

  private report(quote: ToyQuote, said: string, swap: Fields): string {
    const [paid, back] = [readRaw(swap['paid']) ?? 0n, readRaw(swap['back']) ?? 0n];
    const hashes = [readWord(swap['outHash']) ?? []].flat();
    const moved = { ...NOTHING_SHOWN, transactions: hashes, returned: back };
    const word = said === 'done' ? (outcomeOf(moved).status ?? 'TOY_DONE') : WORDS[said];
    const known = word ?? `TOY_${said.toUpperCase()}`;
    const isDone = known === 'COMPLETED';
    const ends = { completedAt: isDone ? swap['at'] : null, outputTxHash: isDone ? swap['outHash'] : null };
    const parts = {
      depositAddress: swap['address'],
      deposit: paid === 0n ? null : status.depositPart(quote, { paid, txHash: swap['hash'] }),
      gas: null,
      execution: paid === 0n ? status.NO_EXECUTION : { startedAt: swap['at'], ...ends, steps: [] },
    };
    const shown = said === 'waiting' ? status.unpaidStatus(quote, this.clock.now()) : known;
    const error = shown === 'FAILED' ? `REFUNDED: ${fromRaw(back, quote.from.decimals)} went back` : null;
    return status.statusText(quote, shown, parts, { error });
  }

  private async tokens(): Promise<readonly Token[]> {
    return (listOf(await this.read('/tokens')) as (Token & { chain: unknown })[]).flatMap((token) => {
      const chain = CHAINS.find(({ id }) => id === (token.chain as unknown));
      return chain === undefined
        ? []
        : [{ ...token, chain, name: token.symbol, chainId: chain.id, chainName: chain.name }];
    });
  }

  private async read(path: string, body?: object): Promise<unknown> {
    const answer = await this.send(path, body);
    if (answer.httpStatus === 401) throw new port.ProviderCredentials();
    if (answer.kind === 'json' && isSuccess(answer.httpStatus)) return answer.value;
    throw new port.ProviderUnavailable(`no usable answer: ${answer.httpStatus ?? 'none'}`);
  }

  private send(path: string, body?: object, onSent?: () => void) {
    return this.link.send({ path, body, onSent, isUrgent: false, parse: parseLongJson });
  }
}

function tokenAt(tokens: readonly Token[], request: QuoteRequest, side: 'from' | 'to'): Token {
  const field = `${side}Token` as const;
  const there = tokens.filter(({ chain }) => chain.id === request[`${side}ChainId`]);
  if (there.length === 0) throw unusableChain(request[`${side}ChainId`], `${side}ChainId`);
  const found = there.find(({ address, chain }) => isSameAddress(address, request[field], chain.vmType));
  if (found === undefined) throw refused('This token is not listed.', field);
  return found;
}
