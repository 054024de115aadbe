import type { KeyObject } from 'node:crypto';

import { isRecord } from '../../../domain/payment/reading.ts';
import { type Assets, parseAssets } from '../assets.ts';
import { readOrder, type Order } from '../order.ts';
import { type QuoteBody, quoteBody, type QuoteBodyOptions } from '../quote-body.ts';
import { readQuoteKey } from '../quote-signature.ts';
import { type CheckList, noAnswer } from '../../shared/check-list.ts';

type Json = Record<string, unknown>;

/** An answer, with the parts that the adapter does not read. */
export interface Seen {
  /** 0: there was no answer. */
  readonly status: number;
  readonly json: Json;
  readonly list: readonly unknown[];
  readonly text: string;
}

export const NOBODY = '0x000000000000000000000000000000000000dEaD';
const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const USDC_ON_ARBITRUM = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
const AMOUNT = '5';
const MAX_SHOWN = 120;
const LIMIT_HEADER = /rate-?limit|retry-after/i;

export interface OneClickPlace extends QuoteBodyOptions {
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly refundTo: ReadonlyMap<string, string>;
  readonly quoteKey: string;
  readonly timeoutMs: number;
}

/** Sends 1Click requests that the adapter never sends, and notes the expected and the seen results. */
export class OneClickAsking {
  readonly apiKey: string | null;
  /** Null: the value is no key. */
  readonly quoteKey: KeyObject | null;
  readonly options: QuoteBodyOptions;
  readonly limitHeaders = new Set<string>();
  assets: Assets = [];
  private readonly refundTo: ReadonlyMap<string, string>;
  private readonly base: string;
  private readonly timeoutMs: number;

  constructor(
    { baseUrl, apiKey, refundTo, quoteKey, timeoutMs, ...options }: OneClickPlace,
    private readonly list: CheckList,
  ) {
    this.base = `${baseUrl.replace(/\/$/, '')}/v0`;
    this.apiKey = apiKey;
    this.options = options;
    this.quoteKey = readQuoteKey(quoteKey);
    // A sample is never paid: where the settings have no refund address, an address without an owner is enough.
    this.refundTo = new Map([['evm', NOBODY], ...refundTo]);
    this.timeoutMs = timeoutMs;
  }

  /** Sends the key, if there is one, unless `headers` are given. */
  async ask(path: string, body: object | null = null, headers: Json = this.key): Promise<Seen> {
    try {
      const answer = await fetch(this.base + path, {
        method: body === null ? 'GET' : 'POST',
        headers: { ...(body === null ? {} : { 'content-type': 'application/json' }), ...headers },
        body: body === null ? null : JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      for (const name of answer.headers.keys()) if (LIMIT_HEADER.test(name)) this.limitHeaders.add(name);
      return seen(answer.status, await answer.text());
    } catch (error) {
      return seen(0, noAnswer(error));
    }
  }

  async readAssets(): Promise<Seen> {
    const answer = await this.ask('/tokens');
    this.assets = parseAssets(answer.list) ?? [];
    return answer;
  }

  /** 5 USDC from Base to Arbitrum. Throws ProviderRefused where these are not listed. */
  order(change: Partial<Parameters<typeof readOrder>[0]> = {}): Order {
    const request = {
      fromChainId: 8453,
      toChainId: 42161,
      fromToken: USDC_ON_BASE,
      toToken: USDC_ON_ARBITRUM,
      amount: AMOUNT,
      recipient: NOBODY,
      ...change,
    };
    return readOrder(request, this.assets, this.refundTo);
  }

  /** The body of a quote request, as the adapter sends it; a dry request opens no deposit address. */
  body(order = this.order(), isDry = true): QuoteBody {
    return quoteBody(order, new Date(Date.now() + this.ttlMs), this.options, isDry);
  }

  get key(): Json {
    return this.apiKey === null ? {} : { 'x-api-key': this.apiKey };
  }

  say(check: string, expected: string, saw: string, isAsExpected: boolean, isEssential = false): void {
    const words = `expected ${expected}; seen: ${saw}`;
    if (isAsExpected) this.list.ok(check, words, isEssential);
    else this.list.differs(check, words, isEssential);
  }

  notTried(check: string, why: string, isEssential = false): void {
    this.list.notTried(check, why, isEssential);
  }

  private readonly ttlMs = 300_000;
}

/** The status, and the words of an error. */
export function wordsOf({ status, json, text }: Seen): string {
  if (status === 0) return text;
  const { message } = json;
  const words =
    message === undefined ? text : typeof message === 'string' ? message : JSON.stringify(message);
  return `HTTP ${status}${status < 300 ? '' : ` ${words}`}`.slice(0, MAX_SHOWN);
}

export function isGood({ status }: Seen): boolean {
  return status >= 200 && status < 300;
}

function seen(status: number, text: string): Seen {
  const value = parsed(text);
  return { status, text, json: isRecord(value) ? value : {}, list: Array.isArray(value) ? value : [] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
