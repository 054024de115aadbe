import { checkBy, CheckList, type ProviderCheck } from '../../shared/check-list.ts';
import { type RelayAnswer, RelayApi } from '../relay-api.ts';
import { checkChains, checkCurrencies } from './relay-lists.ts';
import {
  type AskedQuotes,
  checkAddresses,
  checkChanges,
  checkKey,
  checkOneRequest,
  checkType,
} from './relay-reads.ts';
import {
  NATIVE_OF_POLYGON,
  readSample,
  SMALL_QUOTE,
  REFUND_TO_PAYER,
  type SampleQuote,
} from './relay-samples.ts';

export interface RelayCheckSettings {
  readonly apiKey: string;
  /** The address for refunds on EVM chains; null: the payer's. */
  readonly refundTo: string | null;
}

/** The checks that need a payment, or an action of Relay. */
const NEEDS_MONEY: readonly (readonly [string, string])[] = [
  ['late deposits', 'needs a deposit after the expiry: without ttl Relay should still deliver it'],
  ['other amounts', 'needs deposits: less or more than quoted, and a second one to the same address'],
  [
    'notices',
    'sent by Relay only: set the webhook in its dashboard; paybell_provider_notices_total counts them',
  ],
  ['limits', 'not provoked: whether a 429 says when to come back'],
  ['test networks', 'not asked: whether this key works there too'],
];

/** The results that later steps need. */
interface Known {
  first: SampleQuote | null;
  second: SampleQuote | null;
  isLockedOut: boolean;
}

/** The checks for the first day with a real key: at most twelve requests, two of them for quotes that are never paid. */
export class RelayCheck {
  private readonly known: Known = { first: null, second: null, isLockedOut: false };

  constructor(
    private readonly api: Pick<RelayApi, 'get' | 'post'>,
    private readonly list: CheckList,
    private readonly settings: RelayCheckSettings,
  ) {}

  async run(): Promise<void> {
    const { api, list } = this;
    await this.step('chains', true, () => checkChains(api, list));
    await this.step('currencies', true, () => checkCurrencies(api, list));
    await this.step('quote', true, () => this.checkQuote());
    await this.step('second quote', true, () => this.checkSecondQuote());
    await this.step('unpayable token', false, () => this.checkUnpayable());
    await this.step('deposit address', false, () => this.withQuotes('deposit address', false, checkType));
    await this.step('status by id', false, () => this.withQuotes('status by id', false, checkOneRequest));
    await this.step('status by address', true, () =>
      this.withQuotes('status by address', true, checkAddresses),
    );
    await this.step('list of changes', false, () => checkChanges(api, list, this.settings.apiKey));
    for (const [check, why] of NEEDS_MONEY) this.list.notTried(check, why);
  }

  /** Sends two requests at once: Relay lists its chains whatever the key is. */
  async reach(): Promise<void> {
    const { api, list } = this;
    await Promise.all([
      this.step('chains', true, () => checkChains(api, list)),
      this.step('key', true, () => checkKey(api, list, this.settings.apiKey)),
    ]);
  }

  private async step(
    check: string,
    isEssential: boolean,
    work: () => Promise<RelayAnswer | null>,
  ): Promise<void> {
    if (this.known.isLockedOut) {
      this.list.notTried(check, 'Relay does not accept our key (RELAY_API_KEY)', isEssential);
      return;
    }
    const failed = await work();
    if (failed === null) return;
    this.known.isLockedOut = failed.kind === 'credentials';
    this.list.differs(check, wordsOf(failed), isEssential);
  }

  private async checkQuote(): Promise<RelayAnswer | null> {
    const answer = await this.api.post('/quote/v2', this.quoteBody());
    const quote = answer.kind === 'json' ? readSample(answer.value) : null;
    if (quote === null) return answer;
    this.known.first = quote;
    if (quote.failedCheck === null)
      this.list.ok('quote', '5 USDC from Base to Arbitrum, with a deposit address', true);
    else
      this.list.differs(
        'quote',
        `the quote differs from the request, and Paybell would not show it: ${quote.failedCheck}`,
        true,
      );
    if (quote.hasFees) this.list.ok('fees', 'quotes still list them');
    else this.list.differs('fees', 'quotes no longer list them as before');
    if (this.settings.refundTo === null)
      this.list.differs(
        'refunds',
        'RELAY_REFUND_TO has no evm address: they go to the payer, but to no exchange',
      );
    else this.list.ok('refunds', 'go to the evm address of RELAY_REFUND_TO');
    return null;
  }

  private async checkSecondQuote(): Promise<RelayAnswer | null> {
    const { first } = this.known;
    if (first === null) return this.withoutQuote('second quote', true);
    const answer = await this.api.post('/quote/v2', this.quoteBody());
    const quote = answer.kind === 'json' ? readSample(answer.value) : null;
    if (quote === null) return answer;
    this.known.second = quote;
    const isApart = quote.depositAddress !== first.depositAddress && quote.requestId !== first.requestId;
    if (isApart) this.list.ok('second quote', 'the same order again has a deposit address of its own', true);
    else this.list.differs('second quote', 'the same order again has the same deposit address or id', true);
    return null;
  }

  private async checkUnpayable(): Promise<RelayAnswer | null> {
    // If Relay refuses every quote, a refusal of this one proves nothing.
    if (this.known.first === null) return this.withoutQuote('unpayable token', false);
    const answer = await this.api.post('/quote/v2', { ...NATIVE_OF_POLYGON, ...this.refund() });
    if (answer.kind === 'error') {
      this.list.ok('unpayable token', `POL by deposit address is refused: ${wordsOf(answer)}`);
      return null;
    }
    if (answer.kind !== 'json') return answer;
    this.list.differs('unpayable token', 'POL can be paid by deposit address now');
    return null;
  }

  private async withQuotes(
    check: string,
    isEssential: boolean,
    ask: (api: Pick<RelayApi, 'get'>, list: CheckList, quotes: AskedQuotes) => Promise<RelayAnswer | null>,
  ): Promise<RelayAnswer | null> {
    const { first, second } = this.known;
    return first === null
      ? this.withoutQuote(check, isEssential)
      : ask(this.api, this.list, { first, second });
  }

  private withoutQuote(check: string, isEssential: boolean): null {
    this.list.notTried(check, 'no quote was made', isEssential);
    return null;
  }

  private quoteBody(): object {
    return { ...SMALL_QUOTE, ...this.refund() };
  }

  private refund(): object {
    return { refundTo: this.settings.refundTo ?? REFUND_TO_PAYER };
  }
}

/** Describes why an answer is not as expected. */
function wordsOf(answer: RelayAnswer): string {
  if (answer.kind === 'unavailable') return `not available: ${answer.reason}`;
  if (answer.kind === 'credentials') return 'Relay does not accept our key (RELAY_API_KEY)';
  if (answer.kind === 'json') return 'an answer with unexpected fields';
  return `status ${answer.httpStatus} ${answer.code ?? ''} ${answer.message}`.replace(/ +/g, ' ').trim();
}
interface RelayPlace {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly refundTo: ReadonlyMap<string, string>;
}

/** The check of the Relay that these settings name. */
export function relayCheck(
  { baseUrl, refundTo, ...keys }: RelayPlace,
  { timeoutMs }: { readonly timeoutMs: number },
): ProviderCheck {
  const apiKey = keys.apiKey ?? '';
  return checkBy(async (isWhole) => {
    const list = new CheckList(apiKey);
    const api = new RelayApi({ baseUrl, apiKey, timeoutMs, maxConcurrency: 2 });
    const check = new RelayCheck(api, list, { apiKey, refundTo: refundTo.get('evm') ?? null });
    try {
      await (isWhole ? check.run() : check.reach());
    } finally {
      await api.close();
    }
    return list;
  });
}
