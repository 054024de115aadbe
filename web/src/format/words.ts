export { providerName } from '../../../src/domain/story/provider-name.ts';

/** The colour of a word, by its meaning for the reader. */
export type Tone = 'ok' | 'warn' | 'bad' | 'wait' | 'busy';

export interface Word {
  readonly text: string;
  readonly tone: Tone;
}

export const STATUSES = [
  'AWAITING_DEPOSIT',
  'DEPOSIT_RECEIVED',
  'EXECUTING',
  'COMPLETED',
  'FAILED',
  'EXPIRED',
] as const;

/** Statuses in which money may still move before the provider has ended the payment. */
export const UNDER_WAY = ['AWAITING_DEPOSIT', 'DEPOSIT_RECEIVED', 'EXECUTING'] as const;

const STATUS_WORDS: Readonly<Record<string, Word>> = {
  AWAITING_DEPOSIT: { text: 'Awaiting deposit', tone: 'wait' },
  DEPOSIT_RECEIVED: { text: 'Deposit received', tone: 'busy' },
  EXECUTING: { text: 'Executing', tone: 'busy' },
  COMPLETED: { text: 'Completed', tone: 'ok' },
  FAILED: { text: 'Failed', tone: 'bad' },
  EXPIRED: { text: 'Expired', tone: 'wait' },
};

/** The known states of a payment's proof. */
export const PROOF_STATES = ['proven', 'contradicted', 'unverified', 'pending'] as const;

/** How the deposit compares with the requested sum. */
export const MATCHES = ['exact', 'underpaid', 'overpaid', 'unknown'] as const;

const MATCH_WORDS: Readonly<Record<string, Word>> = {
  exact: { text: 'As asked', tone: 'ok' },
  underpaid: { text: 'Underpaid', tone: 'bad' },
  overpaid: { text: 'Overpaid', tone: 'warn' },
  unknown: { text: 'Sum not known', tone: 'wait' },
};

const PROOF_WORDS: Readonly<Record<string, Word>> = {
  proven: { text: 'Proven on chain', tone: 'ok' },
  contradicted: { text: 'Contradicted by the chain', tone: 'bad' },
  unverified: { text: 'Word of the provider', tone: 'warn' },
  pending: { text: 'Not proven yet', tone: 'busy' },
};

const STATE_WORDS: Readonly<Record<string, Word>> = {
  pending: { text: 'Waiting', tone: 'warn' },
  delivered: { text: 'Delivered', tone: 'ok' },
  failed: { text: 'Given up', tone: 'bad' },
  discarded: { text: 'Discarded', tone: 'wait' },
};

/** An unknown status of a newer Paybell is shown unchanged. */
export function statusWord(status: string): Word {
  return STATUS_WORDS[status] ?? { text: status, tone: 'wait' };
}

export function proofWord(state: string): Word {
  return PROOF_WORDS[state] ?? { text: state, tone: 'wait' };
}

export function matchWord(match: string): Word {
  return MATCH_WORDS[match] ?? { text: match, tone: 'wait' };
}

export function stateWord(state: string): Word {
  return STATE_WORDS[state] ?? { text: state, tone: 'wait' };
}

export const EVENT_TYPES = [
  'payment.created',
  'payment.deposit_received',
  'payment.executing',
  'payment.completed',
  'payment.failed',
  'payment.expired',
  'payment.updated',
  'payment.stalled',
  'payment.anomaly',
  'payment.verified',
] as const;

/** Event types that are not about a payment: only endpoints that ask for them get them. */
export const OPERATIONAL_TYPES = ['attention.opened', 'attention.closed'] as const;

const EVENT_TONES: Readonly<Record<string, Tone>> = {
  'payment.completed': 'ok',
  'payment.verified': 'ok',
  'payment.failed': 'bad',
  'payment.anomaly': 'warn',
  'payment.stalled': 'warn',
  'payment.deposit_received': 'busy',
  'payment.executing': 'busy',
};

export function eventTone(type: string): Tone {
  return EVENT_TONES[type] ?? 'wait';
}

const WAITS: Readonly<Record<string, string>> = {
  earlier_event: 'behind an earlier event',
  retry: 'waits for its next attempt',
  circuit: 'held back while only probes go out',
  broker: 'the broker cannot be reached',
  disabled_endpoint: 'the endpoint is disabled',
  secret_unreadable: 'the secret cannot be decrypted',
};

export function waitWords(waitingFor: string): string {
  return WAITS[waitingFor] ?? waitingFor;
}

/** The reasons why payments need a person, each shown by one card of Attention. */
const NEED_WORDS = {
  payments_contradicted: 'The chain contradicts a completion',
  deposits_unseen: 'Deposits that the provider misses',
  payments_unverified: 'Not proven in time',
  order_paid_twice: 'Orders that were paid twice',
  payments_anomaly: 'The provider contradicts itself',
  payments_short: 'Came in part',
  payments_wrong_sum: 'Paid with another sum',
  payments_stalled: 'Stalled after the deposit',
  payments_late: 'Went on after expiry or failure',
  no_receiver: 'Events without a receiver',
} as const;

export type Need = keyof typeof NEED_WORDS;
export const NEEDS = Object.keys(NEED_WORDS) as readonly Need[];

export function needWord(need: Need): string {
  return NEED_WORDS[need];
}

export function isNeed(code: string): code is Need {
  return code in NEED_WORDS;
}
