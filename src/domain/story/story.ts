import type { SaidDelivery } from './untold-events.ts';

/** A payment as the API shows it. */
export interface SaidPayment {
  readonly orderId?: string | null;
  readonly status: string;
  readonly late: boolean;
  readonly tracking: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly quote?: unknown;
  readonly report?: unknown;
  readonly amounts?: {
    readonly send: { readonly asked: string | null; readonly came: string | null };
    readonly match: string;
  } | null;
  readonly stalls?: readonly string[];
  readonly verification?: SaidVerification | null;
  readonly resolution?: SaidResolution | null;
}

export interface SaidVerification {
  readonly state: string;
  readonly txHash?: string | null;
  readonly block?: number | null;
  readonly checks?: readonly { readonly name: string; readonly detail: string }[];
}

export interface SaidResolution {
  readonly reason: string;
  readonly note: string | null;
  readonly by: string;
  readonly at: string;
}

export interface SaidEvent {
  readonly type: string;
  readonly time: string;
  readonly data: {
    readonly reason?: string | undefined;
    readonly deposit?: { readonly wrongToken: boolean; readonly sum?: string | null } | undefined;
    readonly verification?: { readonly state: string } | undefined;
  };
}

export interface Story {
  readonly payment: SaidPayment;
  readonly events: readonly SaidEvent[];
  readonly deliveries: readonly SaidDelivery[];
  /** The quote ids of the other payments that paid its order too; empty where the order was not paid twice. */
  readonly alsoPaidBy: readonly string[];
  /** The names of the present destinations by their ids; null where the reader may not see them. */
  readonly destinations: ReadonlyMap<string, string> | null;
  readonly now: number;
  /** A time of day for the reader, in the zone that the reader's other times have. */
  readonly clock: (instant: string) => string;
}
