import { Injectable, Logger } from '@nestjs/common';

import { addressKey } from '../../domain/chains/address-key.ts';
import { type ListedToken, tokensIn } from '../../domain/payment/listed-token.ts';
import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { decideDecimals, isDisputed, type SaidDecimals } from '../../domain/payment/said-decimals.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';
import { within } from '../../platform/scheduling/within.ts';
import { ChainWitness } from '../../ports/chain-witness.ts';
import { ProviderRefused } from '../../ports/payment-provider.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { Timers } from '../../ports/timers.ts';
import { ChainLists } from './chain-lists.ts';
import { QuotesSettings } from './quotes.settings.ts';

const KEPT_MS = 600_000;
/**
 * After a failed read, the list counts as unknown for this time, so that not every quote waits for a provider that is away.
 */
const AFTER_FAILURE_MS = 10_000;
const MOST_KEPT = 20_000;
/** The share of a quote's time that each of the look-ups may take. */
const LOOKING = 0.15;
/** The provider has not answered yet, and never did before. */
const UNREAD = 'unread';

type TokenPlace = Pick<ListedToken, 'chainId' | 'address'>;

/** Null: the provider does not list the token, or no contract has it. */
type Answer = number | null | typeof UNREAD;

interface Kept {
  readonly answer: Answer;
  readonly untilMs: number;
}

/**
 * Compares the providers' statements about a token's fraction digits: with a wrong number, the payer would be asked for a
 * wrong amount.
 */
@Injectable()
export class AgreedDecimals {
  private readonly log = new Logger('Quotes');
  private readonly reads = new SharedWork<Answer>();
  private readonly kept = new Map<string, Kept>();
  private readonly logged = new Set<string>();

  constructor(
    private readonly cells: ProviderCells,
    private readonly chains: ChainLists,
    private readonly witness: ChainWitness,
    private readonly timers: Timers,
    private readonly settings: QuotesSettings,
  ) {}

  /**
   * The members of `cells` that are right about both tokens, as far as providers state it. Throws ProviderRefused if none is.
   */
  async among(request: QuoteRequest, cells: readonly ProviderCell[]): Promise<readonly ProviderCell[]> {
    const wrong = await Promise.all(
      (['from', 'to'] as const).map(async (side) => {
        const token = { chainId: request[`${side}ChainId`], address: request[`${side}Token`] };
        return { field: `${side}Token`, names: await this.wrongAbout(token) };
      }),
    );
    const isRight = ({ provider }: ProviderCell): boolean =>
      wrong.every(({ names }) => !names.has(provider.name));
    const right = cells.filter(isRight);
    if (right.length > 0) return right;
    const first = wrong.find(({ names }) => cells.some(({ provider }) => names.has(provider.name)));
    const why =
      'the providers disagree on the fraction digits of this token, and none that may be asked is right';
    throw new ProviderRefused(422, `${why}: POST /api/currencies shows what each says`, first?.field ?? null);
  }

  /** The number of fraction digits that counts if providers differ; null: nothing decides. Logs each dispute once. */
  async decide(token: TokenPlace, said: SaidDecimals): Promise<number | null> {
    const contract = await this.contractOf(token);
    const decided = decideDecimals(said, contract);
    const words = [...said].map(([name, decimals]) => `${name} ${decimals}`).join(', ');
    const by = contract === null ? 'what most say' : 'what its contract says';
    const outcome =
      decided === null
        ? 'no quote for it is made until they agree or CHAIN_RPC names the chain'
        : `quotes go through those with ${decided} only, ${by}`;
    this.warnOnce(
      `the providers differ on the fraction digits of ${token.address} on chain ${token.chainId} (${words}): ${outcome}`,
    );
    return decided;
  }

  /** The providers that differ. In doubt, also providers that cannot be asked: they may be wrong as well. */
  private async wrongAbout(token: TokenPlace): Promise<ReadonlySet<string>> {
    const { said, unread } = await this.saidOf(token);
    if (isDisputed(said)) return this.differing(said, await this.decide(token, said), unread);
    const contract = unread.length === 0 || said.size === 0 ? null : await this.contractOf(token);
    return contract === null ? new Set() : this.differing(said, contract, []);
  }

  private differing(said: SaidDecimals, right: number | null, more: readonly string[]): ReadonlySet<string> {
    const wrong = [...said].flatMap(([name, decimals]) => (decimals === right ? [] : [name]));
    return new Set([...wrong, ...more]);
  }

  /** `unread`: the providers whose answer is not known. */
  private async saidOf(
    token: TokenPlace,
  ): Promise<{ readonly said: SaidDecimals; readonly unread: readonly string[] }> {
    const having = this.cells.asked.filter(
      ({ provider }) => this.chains.supports(provider.name, token.chainId) !== false,
    );
    if (having.length < 2) return { said: new Map(), unread: [] };
    const answers = await Promise.all(
      having.map(async (cell) => {
        const { name } = cell.provider;
        const read = await this.keptOr(`${name} ${keyOf(token)}`, () => this.ask(cell, token));
        return { name, read };
      }),
    );
    const said = answers.flatMap(({ name, read }) =>
      typeof read === 'number' ? [[name, read] as const] : [],
    );
    const unread = answers.flatMap(({ name, read }) => (read === UNREAD ? [name] : []));
    return { said: new Map(said), unread };
  }

  private async contractOf({ chainId, address }: TokenPlace): Promise<number | null> {
    const read = await this.keptOr(`contract ${keyOf({ chainId, address })}`, () =>
      this.witness.readDecimals(chainId, address),
    );
    return read === UNREAD ? null : read;
  }

  /** Has no effect on the provider's health: a list that is read must not end the trouble of its quotes. */
  private async ask({ provider }: ProviderCell, { chainId, address }: TokenPlace): Promise<number | null> {
    const text = await provider.searchCurrencies({ chainIds: [chainId], address });
    const key = keyOf({ chainId, address });
    return tokensIn(text).find((listed) => keyOf(listed) === key)?.decimals ?? null;
  }

  /** The former answer if there is none now, or none in time. */
  private async keptOr(key: string, read: () => Promise<number | null>): Promise<Answer> {
    const kept = this.kept.get(key);
    if (kept !== undefined && this.timers.nowMs() < kept.untilMs) return kept.answer;
    const former = kept?.answer ?? UNREAD;
    const reading = this.reads.run(key, async () => {
      try {
        return this.keep(key, await read(), KEPT_MS);
      } catch {
        return this.keep(key, former, AFTER_FAILURE_MS);
      }
    });
    const { laggardWaitMs, timeoutMs } = this.settings;
    const limitMs = Math.min(laggardWaitMs, timeoutMs * LOOKING);
    return within(limitMs, this.timers, reading).catch(() => former);
  }

  private keep(key: string, answer: Answer, keptMs: number): Answer {
    this.kept.delete(key);
    const [oldest] = this.kept.keys();
    if (this.kept.size >= MOST_KEPT && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(key, { answer, untilMs: this.timers.nowMs() + keptMs });
    return answer;
  }

  private warnOnce(words: string): void {
    if (this.logged.has(words) || this.logged.size >= MOST_KEPT) return;
    this.logged.add(words);
    this.log.warn(words);
  }
}

function keyOf({ chainId, address }: TokenPlace): string {
  return `${chainId}:${addressKey(address)}`;
}
