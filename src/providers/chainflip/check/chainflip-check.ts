import { isRecord, readInstant } from '../../../domain/payment/reading.ts';
import { ASSETS, namesOf } from '../assets.ts';
import { checkBy, CheckList, type ProviderCheck } from '../../shared/check-list.ts';
import {
  assetOf,
  ChainflipAsking,
  type ChainflipPlace,
  NOBODY,
  pairOf,
  readingOf,
  wordsOf,
} from './chainflip-asking.ts';
import { checkLimits } from './chainflip-limits.ts';

/** The doubts of the fact sheet that a request without money cannot settle: they need a payment, another service, or time. */
const NEEDS_MORE: readonly (readonly [string, string])[] = [
  ['most open channels', 'not provoked: whether 25 for each recipient and pair is the limit in production'],
  ['limit of quotes', 'not provoked: whether it is on'],
  ['lock after 404s', 'never to be tried from an address in use'],
  ['terms of use', 'not found: ask Chainflip'],
  [
    "a broker's channel",
    'needs CHAINFLIP_BROKER_URL and time: when its status is there, and whether a key is needed',
  ],
  ['delivered after an abort', 'needs money: whether FAILED then shows when it was witnessed'],
  ['late deposits', "needs money: whether a deposit after the channel's end ever comes back"],
  ['rejected deposits', 'needs money: whether deposits from exchanges or contracts are rejected'],
  ["Bitcoin's estimate", 'needs time: how much later than estimated a channel ends'],
  ['old statuses', 'needs time: for how long a status can be read'],
];
const HOUR_MS = 3_600_000;
/** Amounts of tokens, each worth more than the least deposit and too little for chunks. */
const SAMPLES: Readonly<Record<string, string>> = {
  Usdc: '100000000',
  Btc: '1000000',
  Sol: '1000000000',
  ArbEth: '50000000000000000',
  Trx: '1000000000',
  Cbbtc: '1000000',
  Bnb: '200000000000000000',
  HubDot: '500000000000',
};

/** The checks for the first day: some fifteen requests, one of which opens a channel that is never paid. */
export class ChainflipCheck {
  constructor(private readonly asking: ChainflipAsking) {}

  async run(): Promise<void> {
    const names = await this.checkTokens();
    if (names !== null) {
      this.checkNames(names);
      await this.checkQuotes();
      await this.checkRefusals();
      await this.checkChannel();
      const headers = [...this.asking.limitHeaders].join(', ') || 'none';
      this.asking.say('headers of limits', 'none', headers, this.asking.limitHeaders.size === 0);
    } else this.asking.list.notTried('all others', 'the tokens could not be read', true);
    await checkLimits(this.asking);
    for (const [check, why] of NEEDS_MORE) this.asking.list.notTried(check, why);
  }

  /** Returns the names of the tokens; null where nothing else can be asked. */
  async checkTokens(): Promise<ReadonlySet<string> | null> {
    const answer = await this.asking.ask('/api/networkInfo');
    const rows = isRecord(answer.json) && Array.isArray(answer.json['assets']) ? answer.json['assets'] : [];
    const names = new Set(rows.filter(isRecord).map(({ asset }) => String(asset)));
    const isGood = ['Usdc', 'ArbUsdc'].every((name) => names.has(name));
    this.asking.say(
      'tokens',
      'Usdc, ArbUsdc and others',
      isGood ? `${names.size} tokens` : wordsOf(answer),
      isGood,
      true,
    );
    return isGood ? names : null;
  }

  private checkNames(names: ReadonlySet<string>): void {
    const known = new Set(ASSETS.map(({ internal }) => internal));
    const unknown = [...names].filter((name) => !known.has(name));
    this.asking.say(
      'tokens that Paybell does not know',
      'none',
      unknown.join(', ') || 'none',
      unknown.length === 0,
    );
    const doubted = ['Bnb', 'BscUsdt', 'Cbbtc', 'HubDot'].filter((name) => names.has(name));
    this.asking.say(
      'BNB Chain, cbBTC, Asset Hub',
      'unknown: new, or on their way out',
      doubted.join(', ') || 'none',
      true,
    );
  }

  /** A wrong decimal of ours shows as a price that does not fit the amounts. */
  private async checkQuotes(): Promise<void> {
    const to = assetOf('ArbUsdc');
    for (const [internal, amount] of Object.entries(SAMPLES)) {
      const from = assetOf(internal);
      const answer = await this.asking.ask(`/v2/quote?${pairOf(from, to)}&amount=${amount}`);
      const saw = answer.status === 200 ? readingOf(answer.json, from, to, amount) : wordsOf(answer);
      const check = `quote of ${from.symbol} on ${from.chain.name}`;
      this.asking.say(check, 'HTTP 200, as asked for', saw, saw === 'as asked for', internal === 'Usdc');
    }
  }

  private async checkRefusals(): Promise<void> {
    const tiny = await this.asking.ask(`/v2/quote?${pairOf(assetOf('Usdc'), assetOf('ArbUsdc'))}&amount=1`);
    const isNamed = /below minimum swap amount \(\d+\)/.test(tiny.text);
    this.asking.say('least amount', '400 "… below minimum swap amount" and a number', wordsOf(tiny), isNamed);
    const schema = await this.asking.ask('/api/openSwapDepositChannel', {
      srcAsset: { chain: 'Nowhere', asset: 'X' },
    });
    const issues = isRecord(schema.json) ? schema.json['issues'] : undefined;
    const isSchema = schema.status === 400 && Array.isArray(issues);
    this.asking.say('a body that fits no schema', '400 with "issues"', wordsOf(schema), isSchema);
    const unknown = await this.asking.ask('/v2/swaps/1-Ethereum-1');
    const is404 = unknown.status === 404 && /resource not found/.test(unknown.text);
    this.asking.say('unknown channel', '404 "resource not found", asked about once', wordsOf(unknown), is404);
  }

  /** Opens a channel, which costs nothing and ends by itself. */
  private async checkChannel(): Promise<void> {
    const beganAt = Date.now();
    const opened = await this.asking.ask('/api/openSwapDepositChannel', {
      srcAsset: namesOf(assetOf('Usdc')),
      destAsset: namesOf(assetOf('ArbUsdc')),
      destAddress: NOBODY,
      amount: SAMPLES['Usdc'],
      fillOrKillParams: {
        retryDurationBlocks: 50,
        refundAddress: NOBODY,
        minPriceX128: ((1n << 128n) - (1n << 121n)).toString(),
        maxOraclePriceSlippage: null,
        refundCcmMetadata: null,
      },
      takeCommission: false,
    });
    const { id = null, estimatedExpiryTime } = isRecord(opened.json) ? opened.json : {};
    const isOpen = opened.status === 201 && typeof id === 'string';
    const tookS = ((Date.now() - beganAt) / 1_000).toFixed(1);
    const saw = isOpen ? `HTTP 201 after ${tookS} s` : wordsOf(opened);
    this.asking.say('channel for anybody', 'HTTP 201, within 20 s', saw, isOpen, true);
    if (!isOpen) return this.asking.list.notTried('status', 'no channel was opened', true);
    const lives = readInstant(estimatedExpiryTime);
    const hours = lives === null ? 'not said' : `${((lives.getTime() - beganAt) / HOUR_MS).toFixed(1)} hours`;
    this.asking.say(
      'life of a channel',
      'about 24 hours',
      hours,
      lives !== null && lives.getTime() - beganAt > HOUR_MS,
    );
    await this.checkStatus(id);
  }

  private async checkStatus(id: string): Promise<void> {
    const status = await this.asking.ask(`/v2/swaps/${id}`);
    const { state, lastStatechainUpdateAt } = isRecord(status.json) ? status.json : {};
    const isWaiting = state === 'WAITING';
    const word = typeof state === 'string' ? state : wordsOf(status);
    this.asking.say('status', 'WAITING at once', word, isWaiting, true);
    const ageMs = Date.now() - (readInstant(lastStatechainUpdateAt)?.getTime() ?? 0);
    this.asking.say(
      'age of its data',
      'below a minute',
      `${Math.round(ageMs / 1_000)} s`,
      ageMs < HOUR_MS / 60,
    );
  }
}

/** The check of the Chainflip that these settings name. */
export function chainflipCheck({
  openTimeoutMs,
  ...place
}: Omit<ChainflipPlace, 'timeoutMs'> & { readonly openTimeoutMs: number }): ProviderCheck {
  return checkBy(async (isWhole) => {
    const list = new CheckList();
    const check = new ChainflipCheck(new ChainflipAsking({ ...place, timeoutMs: openTimeoutMs }, list));
    await (isWhole ? check.run() : check.checkTokens());
    return list;
  });
}
