import type { Quote, QuoteRequest } from '../../../src/domain/payment/quote.ts';
import type { Tamper, TamperedAnswer } from '../tampering-proxy.ts';

/** Unusual actions of a provider on a payment. */
export const CASES = [
  'success without output, all refunded',
  'success without output, nothing refunded',
  'success, a part delivered and a part refunded',
  'success with an amount and no transaction',
  'failure beside an output',
  "deposit's hash for the output's, on another chain",
  'refund after the success',
  'refund after the success, which is still said',
  'short deposit',
  'too large deposit',
  'several deposits',
  'deposit after the deadline',
  'deposit that the provider does not see',
  'memo',
  'deposit address of another quote',
  'other deposit address in a status',
  'bad signature of a quote',
  'quote that differs from its request',
  'unknown word',
  'known word in small letters',
  'times that change at each answer',
  'one bad answer among several payments',
  '429 with Retry-After',
  '429 without Retry-After',
  'HTML',
  'half a body',
  'number instead of a string',
  'null instead of a list',
] as const;

export type CaseName = (typeof CASES)[number];

/** The shop's view, in the words of the table in docs/running/provider-cases.md. */
export const SEEN = {
  completed: '`COMPLETED`',
  overpaid: '`overpaid`, then `COMPLETED`',
  refunded: '`FAILED`, `REFUNDED: …`',
  underpaid: '`amounts.match` `underpaid`, then `FAILED`, `REFUNDED: …`',
  deliveredShort: '`underpaid`, `short_output`, then `COMPLETED`; or `FAILED` (`UNDERPAID`)',
  partly: '`partly_refunded`, then `COMPLETED`',
  partlyShort: '`partly_refunded`, `short_output`, then `COMPLETED`',
  contradicted: '`contradictory_output`, then `COMPLETED`',
  byAmount: '`COMPLETED`, `data.output.by` `amount`',
  byWord: '`COMPLETED`, `data.output.by` `word`',
  afterCompleted: '`changed_after_completed`',
  unknownWord: '`unknown_status`',
  timesAlone: '`payment.updated` at most once a minute',
  otherAddress: '`other_address`',
  lateCompleted: '`EXPIRED`, then `COMPLETED` with `late: true`',
  lateRefunded: '`EXPIRED`, then `FAILED` with `late: true`, `REFUNDED: …`',
  hintTaken: '`EXPIRED`; `POST …/deposit` tells the provider',
  hintRefused: '`EXPIRED`; `POST …/deposit` is 404',
  memo: '`send.depositMemo`',
  memoInCapitals: '`send.depositMemo`; `depositNote` begins with it',
  notShown: '503, address not shown',
  othersGoOn: 'the others go on',
  askedLater: 'asked again when it says',
  askedAgain: 'asked again, ever slower',
  askedAfterLock: 'asked again after a pause',
  amountUnknown: 'goes on, `deposit.amount` null',
  passedOn: "goes on, with the provider's value",
} as const;

export type Seen = keyof typeof SEEN;

export interface Played {
  readonly quote: Quote;
  /** Asks for the status, as the tracker does. */
  readonly poll: () => Promise<void>;
}

/** A case that the stage plays, and the shop's view of it; or the reason why the provider cannot have it. */
export type Case =
  | {
      readonly seen: Seen;
      readonly request?: Partial<QuoteRequest>;
      /** Runs before the quote is requested; `other`: an open quote of the same provider. */
      readonly before?: (other: Quote) => unknown;
      readonly play?: (played: Played) => unknown;
    }
  | { readonly cannot: string };

/** Each provider says what it does in each case. */
export type ProviderCases = Readonly<Record<CaseName, Case>>;

type Json = Record<string, unknown>;

/** Changes the JSON of the answers at these paths. */
export function changed(paths: RegExp, change: (body: Json) => unknown): Tamper {
  return (answer, path) =>
    paths.test(path) ? { ...answer, body: JSON.stringify(change(JSON.parse(answer.body) as Json)) } : answer;
}

/** Makes the members of these names later in each further answer at these paths. */
export function withLaterTimes(paths: RegExp, names: RegExp): Tamper {
  let answers = 0;
  return changed(paths, (body) => {
    answers += 1;
    return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
      names.test(name) && value !== null ? Date.now() + 1_000 * answers : value,
    );
  });
}

/** Sends this answer at these paths in place of the provider's. */
export function instead(paths: RegExp, said: Partial<TamperedAnswer>): Tamper {
  return (answer, path) => (paths.test(path) ? { ...answer, ...said } : answer);
}

const TOO_MANY = { status: 429, body: '{"message":"Too Many Requests"}' };

export const RETRY_AFTER_S = 7;

/** Faults on the way from any provider with an API. */
export function transportCases(
  paths: RegExp,
  set: (tamper: Tamper) => void,
  throttled: Seen = 'askedAgain',
): Pick<ProviderCases, '429 with Retry-After' | '429 without Retry-After' | 'HTML' | 'half a body'> {
  const broken = (said: Partial<TamperedAnswer>): Case => ({
    seen: said.headers?.['retry-after'] === undefined ? 'askedAgain' : 'askedLater',
    play: () => set(instead(paths, said)),
  });
  return {
    '429 with Retry-After': broken({ ...TOO_MANY, headers: { 'retry-after': String(RETRY_AFTER_S) } }),
    '429 without Retry-After': { ...broken(TOO_MANY), seen: throttled },
    HTML: broken({ body: '<html><body>Welcome</body></html>', headers: { 'content-type': 'text/html' } }),
    'half a body': broken({ isCut: true }),
  };
}
