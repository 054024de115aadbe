import { factsOf } from './payment-facts.ts';
import { capitalised, reportChange } from './report-changes.ts';
import { money } from './words.ts';

/** An event of a payment, as far as its words need it. */
export interface WordedEvent {
  readonly type: string;
  readonly data: {
    readonly orderId: string | null;
    readonly metadata: Readonly<Record<string, string>> | null;
    readonly sequence: number;
    readonly previousSequence?: number;
    readonly amounts?: { readonly send: { readonly came: string | null } };
    readonly reason?: string;
    readonly verification?: { readonly state: string };
    readonly payment: unknown;
    readonly previousOrderId?: string;
    readonly resolution?: SaidResolution | null;
    readonly deposit?: UnseenDeposit;
  };
}

interface UnseenDeposit {
  readonly wrongToken: boolean;
  readonly token: string | null;
  readonly amount: string | null;
  readonly sum: string | null;
}

interface SaidResolution {
  readonly reason: string;
  readonly note: string | null;
  readonly by: string;
}

const REASONS: Readonly<Record<string, string>> = {
  no_progress: 'nothing moves after the deposit',
  provider_silent: 'the provider says nothing usable about it',
  went_back: 'the report went back to an earlier status',
  underpaid: 'less came than the payer was asked for',
  overpaid: 'more came than the payer was asked for',
  other_token_received: 'another token came than the payer was asked for',
  partly_refunded: 'a part was delivered, and a part went back',
  contradictory_output: 'the provider reports a failure beside a delivery',
  short_output: 'less was delivered than the quote promised',
  changed_after_completed: 'the report changed after the completion',
  other_address: 'the provider named another deposit address',
  unverified: 'the provider reports a completion that no chain has proven in time',
  output_missing: 'the chain has no such transfer',
  output_reverted: 'the transaction on chain has failed',
  other_recipient: 'the chain shows another recipient',
  other_token: 'the chain shows another token',
  amount_short: 'the chain shows less than the quote promised',
  output_used_before: 'the transfer on chain belongs to another payment',
  output_reorged: 'the chain has taken back the block of the output',
  double_spent: 'another transaction on chain spends the coins of the output',
  deposit_unseen_by_provider: 'a deposit is on chain that the provider does not report',
  unknown_status: 'the report has a status that Paybell does not know',
};

const WITHHELD = 'The provider reports the completion, which waits for its proof on chain';

export const SETTLEMENT_REASONS = {
  refunded: 'Refunded',
  fulfilled_elsewhere: 'Fulfilled in another way',
  written_off: 'Written off',
  duplicate: 'A duplicate',
  test: 'Only a test',
  other: 'Something else',
} as const;

/** An unknown reason of a newer Paybell is shown unchanged. */
export function reasonWords(reason: string): string {
  const words: Readonly<Record<string, string>> = {
    ...SETTLEMENT_REASONS,
    released: 'Released without a proof',
  };
  return words[reason] ?? reason;
}

/** Says in a few words what an event means. `events`: all of the payment; `quote` has the symbol, which reports lack. */
export function eventWords(event: WordedEvent, events: readonly WordedEvent[], quote: unknown): string {
  const { type, data } = event;
  const { symbol, error, toChain } = factsOf({ quote, report: data.payment });
  const came = data.amounts?.send.came ?? null;
  switch (type) {
    case 'payment.created':
      return 'The quote is stored, the deposit address handed out';
    case 'payment.deposit_received':
      return came === null ? 'The deposit was seen' : `${money(came, symbol)} came in`;
    case 'payment.executing':
      return data.verification === undefined ? 'The swap is on its way' : WITHHELD;
    case 'payment.completed':
      if (data.resolution) return resolutionWords(data.resolution);
      return toChain === null
        ? 'The funds are at the recipient'
        : `The funds are at the recipient on ${toChain.name}`;
    case 'payment.failed':
      return error ?? 'The execution failed';
    case 'payment.expired':
      return data.amounts === undefined
        ? 'The provider saw no deposit in time'
        : 'The provider did not see the whole sum in time';
    case 'payment.verified':
      return 'The chain shows that the recipient has the funds';
    case 'payment.stalled':
    case 'payment.anomaly':
      if (data.deposit !== undefined) return capitalised(unseenWords(data.deposit, symbol));
      return capitalised(REASONS[data.reason ?? ''] ?? data.reason ?? '');
    case 'payment.updated':
      return updateWords(
        event,
        events.filter((each) => each.data.sequence < data.sequence),
      );
    default:
      return '';
  }
}

/** `symbol` is that of the quote's token. */
function unseenWords({ wrongToken, token, amount, sum }: UnseenDeposit, symbol: string | null): string {
  const end = 'on chain that the provider does not report';
  if (wrongToken)
    return `another token than asked is ${end}: ${amount ?? 'an unknown amount'} of ${token ?? 'the native coin'}`;
  if (amount === null) return `a deposit is ${end}`;
  const all = sum === amount || sum === null ? '' : `, ${money(sum, symbol)} in all`;
  return `a deposit of ${money(amount, symbol)} is ${end}${all}`;
}

/** Says what has changed since the event before. */
function updateWords(event: WordedEvent, before: readonly WordedEvent[]): string {
  const { resolution, verification, orderId, previousOrderId, metadata, previousSequence } = event.data;
  const former = before.at(-1)?.data;
  if (resolution === null) return 'The resolution was taken back';
  if (resolution !== undefined) return resolutionWords(resolution);
  if (previousOrderId !== undefined) return `The order was changed from ${previousOrderId} to ${orderId}`;
  if (former !== undefined && former.orderId !== orderId) return `The order ${orderId} was named`;
  if (former !== undefined && JSON.stringify(former.metadata) !== JSON.stringify(metadata))
    return 'The metadata were set';
  if (verification?.state === 'pending') return WITHHELD;
  const change = reportChange(event, before);
  if (change !== null) return change;
  return previousSequence === undefined ? 'The report changed' : 'Told again: the database went back';
}

function resolutionWords({ reason, by, note }: SaidResolution): string {
  return `Resolved by ${by}: ${reasonWords(reason)}${note === null ? '' : `, “${note}”`}`;
}
