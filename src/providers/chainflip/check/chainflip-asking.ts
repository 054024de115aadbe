import { isRecord } from '../../../domain/payment/reading.ts';
import { ASSETS, type Asset } from '../assets.ts';
import { readPrice } from '../price.ts';
import { type CheckList, noAnswer } from '../../shared/check-list.ts';

export const NOBODY = '0x000000000000000000000000000000000000dEaD';
const LIMIT_HEADER = /rate-?limit|retry-after|^cf-/i;
const MAX_SHOWN = 140;

export interface Seen {
  /** 0: there was no answer. */
  readonly status: number;
  readonly json: unknown;
  readonly text: string;
}

export interface ChainflipPlace {
  readonly baseUrl: string;
  /** Null: no state chain is asked for its limits. */
  readonly rpcUrl: string | null;
  readonly timeoutMs: number;
}

/** Sends Chainflip requests that the adapter never sends, and notes the expected and the seen results. */
export class ChainflipAsking {
  readonly rpcUrl: string | null;
  readonly limitHeaders = new Set<string>();
  private readonly base: string;
  private readonly timeoutMs: number;

  constructor(
    { baseUrl, rpcUrl, timeoutMs }: ChainflipPlace,
    readonly list: CheckList,
  ) {
    this.base = baseUrl.replace(/\/$/, '');
    this.rpcUrl = rpcUrl;
    this.timeoutMs = timeoutMs;
  }

  ask(path: string, body: object | null = null): Promise<Seen> {
    return this.fetch(this.base + path, body);
  }

  async fetch(url: string, body: object | null): Promise<Seen> {
    try {
      const answer = await fetch(url, {
        method: body === null ? 'GET' : 'POST',
        headers: body === null ? {} : { 'content-type': 'application/json' },
        body: body === null ? null : JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      for (const name of answer.headers.keys()) if (LIMIT_HEADER.test(name)) this.limitHeaders.add(name);
      const text = await answer.text();
      return { status: answer.status, text, json: parsed(text) };
    } catch (error) {
      return { status: 0, json: null, text: noAnswer(error) };
    }
  }

  say(check: string, expected: string, saw: string, isAsExpected: boolean, isEssential = false): void {
    const words = `expected ${expected}; seen: ${saw}`;
    if (isAsExpected) this.list.ok(check, words, isEssential);
    else this.list.differs(check, words, isEssential);
  }
}

export function assetOf(internal: string): Asset {
  const found = ASSETS.find((asset) => asset.internal === internal);
  if (found === undefined) throw new Error(`there is no token ${internal}`);
  return found;
}

export function pairOf(from: Asset, to: Asset): string {
  return `srcChain=${from.word}&srcAsset=${from.symbol}&destChain=${to.word}&destAsset=${to.symbol}`;
}

export function readingOf(value: unknown, from: Asset, to: Asset, amount: string): string {
  const order = { from, to, amount, recipient: NOBODY, refundTo: NOBODY };
  try {
    const reading = readPrice(value, order, { slippageBps: 0, oracleSlippageBps: 0, retryMinutes: 0 });
    return reading.kind === 'good' ? 'as asked for' : `it differs in: ${reading.check}`;
  } catch (error) {
    return (error as Error).message;
  }
}

export function fieldsIn(value: unknown, name: string): Record<string, unknown> {
  const inner = isRecord(value) ? value[name] : null;
  return isRecord(inner) ? inner : {};
}

/** The status, and the words of an error. */
export function wordsOf({ status, text }: Seen): string {
  return (status === 0 ? text : `HTTP ${status} ${text}`).slice(0, MAX_SHOWN);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
