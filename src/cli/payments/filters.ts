import { Option, type Command } from 'commander';

import { MATCHES, type Match } from '../../domain/payment/amounts.ts';
import { STATUSES, type Status } from '../../domain/payment/status.ts';
import { VERIFICATION_STATES, type VerificationState } from '../../domain/proof/verification.ts';
import { type ListedNeed, NEED_CODES } from '../../domain/attention/payment-troubles.ts';
import { LIST_SORTS, type ListSort } from '../../ports/list-sort.ts';
import { instant } from '../output/option-values.ts';

/** The filters of the API's list of payments, as options. */
export interface PaymentFilters {
  readonly search?: string;
  readonly status?: Status[];
  readonly provider?: string[];
  readonly orderId?: string;
  readonly chain?: string;
  readonly token?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly match?: Match;
  readonly verification?: VerificationState;
  readonly late?: boolean;
  readonly stalled?: boolean;
  readonly anomaly?: boolean;
  readonly paidTwice?: boolean;
  readonly undelivered?: boolean;
  readonly attention?: (typeof NEED_CODES)[ListedNeed];
  readonly awaitingProof?: string[];
  readonly resolved?: boolean;
  readonly sort?: ListSort;
}

const FLAGS = {
  late: 'only those that changed after they had expired or failed',
  stalled: 'only those with a stall',
  anomaly: 'only those with a wrong sum, or about which the provider contradicted itself',
  'paid-twice': 'only those of an order that was paid more than once',
  undelivered: 'only those with an event that a destination has not taken',
  resolved: 'only those that a person has settled otherwise',
} as const;

export function withPaymentFilters(command: Command): Command {
  command
    .option('--search <text>', 'any id, address or transaction, or its beginning')
    .addOption(new Option('--status <status...>', 'only in one of these').choices(STATUSES))
    .option('--provider <name...>', 'only of one of these providers')
    .option('--order-id <id>', 'only of this order')
    .option('--chain <chain>', 'only from or to this chain: its id or its name')
    .option('--token <token>', 'only from or to this token: its symbol or its address')
    .option('--created-after <time>', 'such as 2h, 7d or 2026-11-20T12:00:00Z', instant)
    .option('--created-before <time>', 'as --created-after', instant)
    .addOption(new Option('--match <match>', 'only with the deposit so').choices(MATCHES))
    .addOption(new Option('--verification <state>', 'only with the output so').choices(VERIFICATION_STATES))
    .addOption(
      new Option('--attention <code>', 'only those that stand in this item of Attention').choices(
        Object.values(NEED_CODES),
      ),
    )
    .option('--awaiting-proof <chain...>', 'only those that wait for a proof on this chain: its id')
    .addOption(new Option('--sort <order>', 'by creation; newest without it').choices(LIST_SORTS));
  for (const [name, words] of Object.entries(FLAGS)) command.option(`--${name}`, words);
  return command;
}

/** The query of the API. */
export function queryOf(filters: PaymentFilters): PaymentFilters {
  const { search, status, provider, orderId, chain, token, createdAfter, createdBefore } = filters;
  const {
    match,
    verification,
    late,
    stalled,
    anomaly,
    paidTwice,
    undelivered,
    attention,
    awaitingProof,
    resolved,
    sort,
  } = filters;
  const places = { search, status, provider, orderId, chain, token, createdAfter, createdBefore };
  const flags = { late, stalled, anomaly, paidTwice, undelivered, attention, awaitingProof, resolved };
  const query = { ...places, match, verification, ...flags, sort };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}
