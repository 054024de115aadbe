// Made by `npm run generate` from the JSON Schemas of the events: change those.
import type { ProviderReport } from './provider-report.ts';

/** Where a payment stands. */
type Status = 'AWAITING_DEPOSIT' | 'DEPOSIT_RECEIVED' | 'EXECUTING' | 'COMPLETED' | 'FAILED' | 'EXPIRED';

/** The attributes of every event: CloudEvents 1.0. */
interface Envelope {
  /** The version of CloudEvents. */
  readonly specversion: '1.0';
  /** The id of the event, the same by every way: deduplicate by this id. */
  readonly id: string;
  /** `EVENT_SOURCE`. */
  readonly source: string;
  /** When the event was recorded, UTC with milliseconds. */
  readonly time: string;
  /** The media type of `data`. */
  readonly datacontenttype: 'application/json';
}

/** The attributes of every event about a payment. */
interface PaymentEnvelope extends Envelope {
  /** The quote id of the payment. */
  readonly subject: string;
  /** The W3C trace context with which the payment began; only where tracing was on. */
  readonly traceparent?: string;
}

/** The data of every event about a payment. */
interface PaymentData {
  /** The provider's id of the quote. */
  readonly quoteId: string;
  /** The name of the provider that carries the payment. */
  readonly provider: string;
  /** The order id that the quote was given, then or later. */
  readonly orderId: string | null;
  /** The metadata that the quote was given, then or later. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The number of the event in its payment: 1, 2, 3, … */
  readonly sequence: number;
  /** Only after a database went back: the number that this event follows. Do not wait for those in between. */
  readonly previousSequence?: number;
  /** True: the change came after the payment had ended as EXPIRED or FAILED. */
  readonly late: boolean;
}

/** The quote is stored. */
interface PaymentCreated extends PaymentEnvelope {
  readonly type: 'payment.created';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: 'AWAITING_DEPOSIT';
    /** There was none before. */
    readonly previousStatus: null;
    /** There is no report yet. */
    readonly payment: null;
  };
}

/** The deposit was seen. */
interface PaymentDepositReceived extends PaymentEnvelope {
  readonly type: 'payment.deposit_received';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: 'DEPOSIT_RECEIVED';
    /** The status before this event; the same status where nothing changed. */
    readonly previousStatus: Status;
    /** From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
    readonly amounts?: {
      /** The deposit. */
      readonly send: {
        /** The requested amount. */
        readonly asked: string | null;
        /** The amount of this token that came. */
        readonly came: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The output. */
      readonly receive: {
        /** The least that the quote promises, or its estimate. */
        readonly promised: string | null;
        /** The amount of this token that arrived. */
        readonly arrived: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them. */
      readonly match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
    };
    /** The provider's status object as reported, verbatim; its fields are not checked. */
    readonly payment: ProviderReport;
    /** Only with VERIFY: the chain's finding about the output. */
    readonly verification?: {
      /** By the chain: proven or contradicted. unverified: the word of the provider is all there is. */
      readonly state: 'pending' | 'proven' | 'contradicted' | 'unverified';
      /** The chain of the output. */
      readonly chainId: number | null;
      /** The transaction of the output. */
      readonly txHash: string | null;
      /** The index of the transfer's log; null: the native coin, or no transfer was found. */
      readonly logIndex: number | null;
      /** The number of the block. */
      readonly block: number | null;
      /** The number of later blocks when the chain was read. */
      readonly confirmations: number | null;
      /** The checks in order. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name:
          | 'chain_id'
          | 'receipt'
          | 'token'
          | 'recipient'
          | 'amount'
          | 'unused'
          | 'time'
          | 'confirmations';
        /** Null: the check could not be made. */
        readonly passed: boolean | null;
        /** One sentence for a person. */
        readonly detail: string;
      }[];
      /** The hosts of the RPCs that answered; the second one of a host is host#2. */
      readonly sources: readonly string[];
      /** Only with output_used_before: the quote id of the payment that the transfer proves. */
      readonly usedBy: string;
    };
  };
}

/** The swap is on its way. */
interface PaymentExecuting extends PaymentEnvelope {
  readonly type: 'payment.executing';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: 'EXECUTING';
    /** The status before this event; the same status where nothing changed. */
    readonly previousStatus: Status;
    /** From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
    readonly amounts?: {
      /** The deposit. */
      readonly send: {
        /** The requested amount. */
        readonly asked: string | null;
        /** The amount of this token that came. */
        readonly came: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The output. */
      readonly receive: {
        /** The least that the quote promises, or its estimate. */
        readonly promised: string | null;
        /** The amount of this token that arrived. */
        readonly arrived: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them. */
      readonly match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
    };
    /** The provider's status object as reported, verbatim; its fields are not checked. */
    readonly payment: ProviderReport;
    /** Only with VERIFY: the chain's finding about the output. */
    readonly verification?: {
      /** By the chain: proven or contradicted. unverified: the word of the provider is all there is. */
      readonly state: 'pending' | 'proven' | 'contradicted' | 'unverified';
      /** The chain of the output. */
      readonly chainId: number | null;
      /** The transaction of the output. */
      readonly txHash: string | null;
      /** The index of the transfer's log; null: the native coin, or no transfer was found. */
      readonly logIndex: number | null;
      /** The number of the block. */
      readonly block: number | null;
      /** The number of later blocks when the chain was read. */
      readonly confirmations: number | null;
      /** The checks in order. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name:
          | 'chain_id'
          | 'receipt'
          | 'token'
          | 'recipient'
          | 'amount'
          | 'unused'
          | 'time'
          | 'confirmations';
        /** Null: the check could not be made. */
        readonly passed: boolean | null;
        /** One sentence for a person. */
        readonly detail: string;
      }[];
      /** The hosts of the RPCs that answered; the second one of a host is host#2. */
      readonly sources: readonly string[];
      /** Only with output_used_before: the quote id of the payment that the transfer proves. */
      readonly usedBy: string;
    };
  };
}

/** The funds are at the recipient: exactly one for each payment. */
interface PaymentCompleted extends PaymentEnvelope {
  readonly type: 'payment.completed';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: 'COMPLETED';
    /** The status before this event; the same status where nothing changed. */
    readonly previousStatus: Status;
    /** From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
    readonly amounts?: {
      /** The deposit. */
      readonly send: {
        /** The requested amount. */
        readonly asked: string | null;
        /** The amount of this token that came. */
        readonly came: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The output. */
      readonly receive: {
        /** The least that the quote promises, or its estimate. */
        readonly promised: string | null;
        /** The amount of this token that arrived. */
        readonly arrived: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them. */
      readonly match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
    };
    /** The provider's status object as reported, verbatim; its fields are not checked. */
    readonly payment: ProviderReport;
    /** Only where the order has other payments: the quote ids of those that are completed or open, newest first. */
    readonly order?: {
      /** Completed payments that are not resolved as a duplicate: the order is paid twice. */
      readonly completed: readonly string[];
      /** Payments that have not ended: the order may be paid again. */
      readonly open: readonly string[];
    };
    /** Only with VERIFY: the chain's finding about the output. */
    readonly verification?: {
      /** By the chain: proven or contradicted. unverified: the word of the provider is all there is. */
      readonly state: 'pending' | 'proven' | 'contradicted' | 'unverified';
      /** The chain of the output. */
      readonly chainId: number | null;
      /** The transaction of the output. */
      readonly txHash: string | null;
      /** The index of the transfer's log; null: the native coin, or no transfer was found. */
      readonly logIndex: number | null;
      /** The number of the block. */
      readonly block: number | null;
      /** The number of later blocks when the chain was read. */
      readonly confirmations: number | null;
      /** The checks in order. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name:
          | 'chain_id'
          | 'receipt'
          | 'token'
          | 'recipient'
          | 'amount'
          | 'unused'
          | 'time'
          | 'confirmations';
        /** Null: the check could not be made. */
        readonly passed: boolean | null;
        /** One sentence for a person. */
        readonly detail: string;
      }[];
      /** The hosts of the RPCs that answered; the second one of a host is host#2. */
      readonly sources: readonly string[];
      /** Only with output_used_before: the quote id of the payment that the transfer proves. */
      readonly usedBy: string;
    };
    /** The output, by the report. */
    readonly output: {
      /** The ground of the completion: a transaction to the recipient, an amount that arrived, or only the word of the provider. */
      readonly by: 'transaction' | 'amount' | 'word';
      /** The hashes of the transactions to the recipient, as far as the report has them. */
      readonly transactions: readonly string[];
      /** The amount in units of the token, a decimal; null: the report has none. */
      readonly amount: string | null;
      /** The address of the token; null: the report has none. */
      readonly token: string | null;
    };
    /** Only where a person released a payment whose completion was withheld: who, and why. */
    readonly resolution?: {
      /** The person's reason. */
      readonly reason:
        | 'refunded'
        | 'fulfilled_elsewhere'
        | 'written_off'
        | 'duplicate'
        | 'test'
        | 'other'
        | 'released';
      /** The person's note. */
      readonly note: string | null;
      /** The name of the API key. */
      readonly by: string;
      /** When it was resolved, UTC with milliseconds. */
      readonly at: string;
    };
  };
}

/** The execution failed. */
interface PaymentFailed extends PaymentEnvelope {
  readonly type: 'payment.failed';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: 'FAILED';
    /** The status before this event; the same status where nothing changed. */
    readonly previousStatus: Status;
    /** From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
    readonly amounts?: {
      /** The deposit. */
      readonly send: {
        /** The requested amount. */
        readonly asked: string | null;
        /** The amount of this token that came. */
        readonly came: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The output. */
      readonly receive: {
        /** The least that the quote promises, or its estimate. */
        readonly promised: string | null;
        /** The amount of this token that arrived. */
        readonly arrived: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them. */
      readonly match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
    };
    /** The provider's status object as reported, verbatim; its fields are not checked. */
    readonly payment: ProviderReport;
    /** Only with VERIFY: the chain's finding about the output. */
    readonly verification?: {
      /** By the chain: proven or contradicted. unverified: the word of the provider is all there is. */
      readonly state: 'pending' | 'proven' | 'contradicted' | 'unverified';
      /** The chain of the output. */
      readonly chainId: number | null;
      /** The transaction of the output. */
      readonly txHash: string | null;
      /** The index of the transfer's log; null: the native coin, or no transfer was found. */
      readonly logIndex: number | null;
      /** The number of the block. */
      readonly block: number | null;
      /** The number of later blocks when the chain was read. */
      readonly confirmations: number | null;
      /** The checks in order. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name:
          | 'chain_id'
          | 'receipt'
          | 'token'
          | 'recipient'
          | 'amount'
          | 'unused'
          | 'time'
          | 'confirmations';
        /** Null: the check could not be made. */
        readonly passed: boolean | null;
        /** One sentence for a person. */
        readonly detail: string;
      }[];
      /** The hosts of the RPCs that answered; the second one of a host is host#2. */
      readonly sources: readonly string[];
      /** Only with output_used_before: the quote id of the payment that the transfer proves. */
      readonly usedBy: string;
    };
  };
}

/** No deposit arrived in time. */
interface PaymentExpired extends PaymentEnvelope {
  readonly type: 'payment.expired';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: 'EXPIRED';
    /** The status before this event; the same status where nothing changed. */
    readonly previousStatus: Status;
    /** From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
    readonly amounts?: {
      /** The deposit. */
      readonly send: {
        /** The requested amount. */
        readonly asked: string | null;
        /** The amount of this token that came. */
        readonly came: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The output. */
      readonly receive: {
        /** The least that the quote promises, or its estimate. */
        readonly promised: string | null;
        /** The amount of this token that arrived. */
        readonly arrived: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them. */
      readonly match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
    };
    /** The provider's status object as reported, verbatim; its fields are not checked. */
    readonly payment: ProviderReport;
    /** Only with VERIFY: the chain's finding about the output. */
    readonly verification?: {
      /** By the chain: proven or contradicted. unverified: the word of the provider is all there is. */
      readonly state: 'pending' | 'proven' | 'contradicted' | 'unverified';
      /** The chain of the output. */
      readonly chainId: number | null;
      /** The transaction of the output. */
      readonly txHash: string | null;
      /** The index of the transfer's log; null: the native coin, or no transfer was found. */
      readonly logIndex: number | null;
      /** The number of the block. */
      readonly block: number | null;
      /** The number of later blocks when the chain was read. */
      readonly confirmations: number | null;
      /** The checks in order. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name:
          | 'chain_id'
          | 'receipt'
          | 'token'
          | 'recipient'
          | 'amount'
          | 'unused'
          | 'time'
          | 'confirmations';
        /** Null: the check could not be made. */
        readonly passed: boolean | null;
        /** One sentence for a person. */
        readonly detail: string;
      }[];
      /** The hosts of the RPCs that answered; the second one of a host is host#2. */
      readonly sources: readonly string[];
      /** Only with output_used_before: the quote id of the payment that the transfer proves. */
      readonly usedBy: string;
    };
  };
}

/** The report changed in something that matters, orderId or metadata were set, or a person resolved the payment; the status did not change. */
interface PaymentUpdated extends PaymentEnvelope {
  readonly type: 'payment.updated';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: Status;
    /** The status before this event; the same status where nothing changed. */
    readonly previousStatus: Status;
    /** From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
    readonly amounts?: {
      /** The deposit. */
      readonly send: {
        /** The requested amount. */
        readonly asked: string | null;
        /** The amount of this token that came. */
        readonly came: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The output. */
      readonly receive: {
        /** The least that the quote promises, or its estimate. */
        readonly promised: string | null;
        /** The amount of this token that arrived. */
        readonly arrived: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them. */
      readonly match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
    };
    /** The provider's status object as reported, verbatim; its fields are not checked. Null before the first report. */
    readonly payment: ProviderReport | null;
    /** Only where the order has other payments: the quote ids of those that are completed or open, newest first. */
    readonly order?: {
      /** Completed payments that are not resolved as a duplicate: the order is paid twice. */
      readonly completed: readonly string[];
      /** Payments that have not ended: the order may be paid again. */
      readonly open: readonly string[];
    };
    /** Only when a payment that was completed without an order gets one: fulfil the order on this event. */
    readonly named?: true;
    /** Only when the payment had another order before: the id of that order. */
    readonly previousOrderId?: string;
    /** Only when a person resolved the payment, or took that back (null): how it was settled. The status stands. */
    readonly resolution?: {
      /** The person's reason. */
      readonly reason:
        | 'refunded'
        | 'fulfilled_elsewhere'
        | 'written_off'
        | 'duplicate'
        | 'test'
        | 'other'
        | 'released';
      /** The person's note. */
      readonly note: string | null;
      /** The name of the API key. */
      readonly by: string;
      /** When it was resolved, UTC with milliseconds. */
      readonly at: string;
    } | null;
    /** Only with VERIFY: the chain's finding about the output. */
    readonly verification?: {
      /** By the chain: proven or contradicted. unverified: the word of the provider is all there is. */
      readonly state: 'pending' | 'proven' | 'contradicted' | 'unverified';
      /** The chain of the output. */
      readonly chainId: number | null;
      /** The transaction of the output. */
      readonly txHash: string | null;
      /** The index of the transfer's log; null: the native coin, or no transfer was found. */
      readonly logIndex: number | null;
      /** The number of the block. */
      readonly block: number | null;
      /** The number of later blocks when the chain was read. */
      readonly confirmations: number | null;
      /** The checks in order. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name:
          | 'chain_id'
          | 'receipt'
          | 'token'
          | 'recipient'
          | 'amount'
          | 'unused'
          | 'time'
          | 'confirmations';
        /** Null: the check could not be made. */
        readonly passed: boolean | null;
        /** One sentence for a person. */
        readonly detail: string;
      }[];
      /** The hosts of the RPCs that answered; the second one of a host is host#2. */
      readonly sources: readonly string[];
      /** Only with output_used_before: the quote id of the payment that the transfer proves. */
      readonly usedBy: string;
    };
  };
}

/** Nothing moves after the deposit, the provider says nothing, or a withheld completion is not proven in time. */
interface PaymentStalled extends PaymentEnvelope {
  readonly type: 'payment.stalled';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: Status;
    /** The status before this event; the same status where nothing changed. */
    readonly previousStatus: Status;
    /** From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
    readonly amounts?: {
      /** The deposit. */
      readonly send: {
        /** The requested amount. */
        readonly asked: string | null;
        /** The amount of this token that came. */
        readonly came: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The output. */
      readonly receive: {
        /** The least that the quote promises, or its estimate. */
        readonly promised: string | null;
        /** The amount of this token that arrived. */
        readonly arrived: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them. */
      readonly match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
    };
    /** The provider's status object as reported, verbatim; its fields are not checked. Null before the first report. */
    readonly payment: ProviderReport | null;
    /** Nothing moves after the deposit, the provider says nothing, or a withheld completion is not proven in time. */
    readonly reason: 'no_progress' | 'provider_silent' | 'unverified';
    /** Only with VERIFY: the chain's finding about the output. */
    readonly verification?: {
      /** By the chain: proven or contradicted. unverified: the word of the provider is all there is. */
      readonly state: 'pending' | 'proven' | 'contradicted' | 'unverified';
      /** The chain of the output. */
      readonly chainId: number | null;
      /** The transaction of the output. */
      readonly txHash: string | null;
      /** The index of the transfer's log; null: the native coin, or no transfer was found. */
      readonly logIndex: number | null;
      /** The number of the block. */
      readonly block: number | null;
      /** The number of later blocks when the chain was read. */
      readonly confirmations: number | null;
      /** The checks in order. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name:
          | 'chain_id'
          | 'receipt'
          | 'token'
          | 'recipient'
          | 'amount'
          | 'unused'
          | 'time'
          | 'confirmations';
        /** Null: the check could not be made. */
        readonly passed: boolean | null;
        /** One sentence for a person. */
        readonly detail: string;
      }[];
      /** The hosts of the RPCs that answered; the second one of a host is host#2. */
      readonly sources: readonly string[];
      /** Only with output_used_before: the quote id of the payment that the transfer proves. */
      readonly usedBy: string;
    };
  };
}

/** The provider contradicts itself, the chain contradicts it, or the payment came in part; the stored status stands. */
interface PaymentAnomaly extends PaymentEnvelope {
  readonly type: 'payment.anomaly';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: Status;
    /** The status before this event; the same status where nothing changed. */
    readonly previousStatus: Status;
    /** From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
    readonly amounts?: {
      /** The deposit. */
      readonly send: {
        /** The requested amount. */
        readonly asked: string | null;
        /** The amount of this token that came. */
        readonly came: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The output. */
      readonly receive: {
        /** The least that the quote promises, or its estimate. */
        readonly promised: string | null;
        /** The amount of this token that arrived. */
        readonly arrived: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them. */
      readonly match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
    };
    /** The report that says so, verbatim; the stored one, if any, where the chain says so. */
    readonly payment: ProviderReport | null;
    /** How the provider contradicts itself or the chain contradicts it, or what is odd about the end; the status stands. */
    readonly reason:
      | 'went_back'
      | 'changed_after_completed'
      | 'unknown_status'
      | 'other_address'
      | 'other_token_received'
      | 'underpaid'
      | 'overpaid'
      | 'partly_refunded'
      | 'short_output'
      | 'contradictory_output'
      | 'output_missing'
      | 'output_reverted'
      | 'other_recipient'
      | 'other_token'
      | 'amount_short'
      | 'output_used_before'
      | 'output_reorged'
      | 'double_spent'
      | 'deposit_unseen_by_provider';
    /** Only with VERIFY: the chain's finding about the output. */
    readonly verification?: {
      /** By the chain: proven or contradicted. unverified: the word of the provider is all there is. */
      readonly state: 'pending' | 'proven' | 'contradicted' | 'unverified';
      /** The chain of the output. */
      readonly chainId: number | null;
      /** The transaction of the output. */
      readonly txHash: string | null;
      /** The index of the transfer's log; null: the native coin, or no transfer was found. */
      readonly logIndex: number | null;
      /** The number of the block. */
      readonly block: number | null;
      /** The number of later blocks when the chain was read. */
      readonly confirmations: number | null;
      /** The checks in order. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name:
          | 'chain_id'
          | 'receipt'
          | 'token'
          | 'recipient'
          | 'amount'
          | 'unused'
          | 'time'
          | 'confirmations';
        /** Null: the check could not be made. */
        readonly passed: boolean | null;
        /** One sentence for a person. */
        readonly detail: string;
      }[];
      /** The hosts of the RPCs that answered; the second one of a host is host#2. */
      readonly sources: readonly string[];
      /** Only with output_used_before: the quote id of the payment that the transfer proves. */
      readonly usedBy: string;
    };
    /** Only with deposit_unseen_by_provider: the deposit on the chain. */
    readonly deposit?: {
      /** The chain on which the payer sends. */
      readonly chainId: number;
      /** The transaction; null: a contract sent the native coin, and its block does not tell in which one. */
      readonly txHash: string | null;
      /** The address of the token that came; null: the native coin of the chain. */
      readonly token: string | null;
      /** True: the quote asks for another token. */
      readonly wrongToken: boolean;
      /** The amount in units of the token that came, a decimal; null: the decimals of the token are not known. */
      readonly amount: string | null;
      /** The amount in the smallest unit of the token. */
      readonly amountRaw: string;
      /** The sum of all such deposits that have come until then, in the token that the quote asks for; in the form of `amount`. */
      readonly sum: string | null;
      /** The amount in the smallest unit of the token. */
      readonly sumRaw: string;
      /** The number of the block. */
      readonly block: number;
    };
  };
}

/** Only with VERIFY=observe: the chain has proven the output of a completed payment. */
interface PaymentVerified extends PaymentEnvelope {
  readonly type: 'payment.verified';
  readonly data: PaymentData & {
    /** The status. */
    readonly status: 'COMPLETED';
    /** The status before this event; the same status where nothing changed. */
    readonly previousStatus: Status;
    /** From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
    readonly amounts?: {
      /** The deposit. */
      readonly send: {
        /** The requested amount. */
        readonly asked: string | null;
        /** The amount of this token that came. */
        readonly came: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The output. */
      readonly receive: {
        /** The least that the quote promises, or its estimate. */
        readonly promised: string | null;
        /** The amount of this token that arrived. */
        readonly arrived: string | null;
        /** The address of the token. */
        readonly token: string | null;
      };
      /** The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them. */
      readonly match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
    };
    /** The provider's status object as reported, verbatim; its fields are not checked. */
    readonly payment: ProviderReport;
    /** Only with VERIFY: the chain's finding about the output. */
    readonly verification: {
      /** By the chain: proven or contradicted. unverified: the word of the provider is all there is. */
      readonly state: 'pending' | 'proven' | 'contradicted' | 'unverified';
      /** The chain of the output. */
      readonly chainId: number | null;
      /** The transaction of the output. */
      readonly txHash: string | null;
      /** The index of the transfer's log; null: the native coin, or no transfer was found. */
      readonly logIndex: number | null;
      /** The number of the block. */
      readonly block: number | null;
      /** The number of later blocks when the chain was read. */
      readonly confirmations: number | null;
      /** The checks in order. */
      readonly checks: readonly {
        /** The name of the check. */
        readonly name:
          | 'chain_id'
          | 'receipt'
          | 'token'
          | 'recipient'
          | 'amount'
          | 'unused'
          | 'time'
          | 'confirmations';
        /** Null: the check could not be made. */
        readonly passed: boolean | null;
        /** One sentence for a person. */
        readonly detail: string;
      }[];
      /** The hosts of the RPCs that answered; the second one of a host is host#2. */
      readonly sources: readonly string[];
      /** Only with output_used_before: the quote id of the payment that the transfer proves. */
      readonly usedBy: string;
    };
  };
}

/** The data of an operational event. */
interface AttentionData {
  /** The code of the item in `GET /api/attention`. */
  readonly code: string;
  /** `bad`: payments or events are stuck; `warn`: everything works, but a person should know. */
  readonly severity: 'bad' | 'warn';
  /** The number of payments or other things, counted up to 10,000; 0 once the trouble is over. */
  readonly count: number;
  /** True: `count` is a lower bound. */
  readonly isMore: boolean;
  /** When the oldest trouble began, or when the opening was reported; null: unknown. */
  readonly since: string | null;
  /** One sentence for a person. */
  readonly detail: string;
  /** The sums that payers sent in these payments, for each token; empty where no payments are counted. */
  readonly sums: readonly {
    /** The chain id. */
    readonly chainId: number | null;
    /** The chain's name. */
    readonly chain: string | null;
    /** The token's symbol. */
    readonly symbol: string | null;
    /** The exact sum in human-readable units. */
    readonly amount: string;
    /** The number of the payments. */
    readonly payments: number;
  }[];
  /** The page of Attention: a URL below `PUBLIC_URL`, or without it a path. */
  readonly link: string;
}

/** Something needs a person. */
interface AttentionOpened extends Envelope {
  readonly type: 'attention.opened';
  readonly data: AttentionData;
}

/** The matter no longer needs a person. */
interface AttentionClosed extends Envelope {
  readonly type: 'attention.closed';
  readonly data: AttentionData;
}

/** A test send to a webhook endpoint, about no payment. */
interface WebhookTest extends Envelope {
  readonly type: 'webhook.test';

  readonly data: {
    /** The webhook endpoint that is tested. */
    readonly endpointId: string;
  };
}

/** An event about a payment; `type` says which. */
export type PaymentEvent =
  | PaymentCreated
  | PaymentDepositReceived
  | PaymentExecuting
  | PaymentCompleted
  | PaymentFailed
  | PaymentExpired
  | PaymentUpdated
  | PaymentStalled
  | PaymentAnomaly
  | PaymentVerified;

/** An event of Paybell; a newer Paybell may send types that are not known here. */
export type PaybellEvent = PaymentEvent | AttentionOpened | AttentionClosed | WebhookTest;
