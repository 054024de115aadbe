import { Injectable } from '@nestjs/common';

import { KnownKeys } from '../../ports/api-keys.ts';
import { Clock } from '../../ports/clock.ts';
import { type PayerLink, PayerLinks } from '../../ports/payer-links.ts';
import { Payments, type StoredPayment } from '../../ports/payments.ts';
import type { PayerAnswer } from './payer-page.dto.ts';
import { readRoute } from '../../domain/payment/route.ts';

/** No link has this token: another installation created it, its key is revoked, or its payment is removed. */
export class LinkNotFound extends Error {
  readonly code = 'link_not_found';
  constructor() {
    super('This link is not known. Ask the shop for a new one.');
  }
}

export class LinkExpired extends Error {
  readonly code = 'link_expired';
  constructor() {
    super('This link has expired. Ask the shop for a new one.');
  }
}

/** Finds the payment of a payer's link. */
@Injectable()
export class PayerAccess {
  constructor(
    private readonly links: PayerLinks,
    private readonly keys: KnownKeys,
    private readonly clock: Clock,
    private readonly payments: Payments,
  ) {}

  /** `url` is the URL as requested. Throws LinkNotFound, LinkExpired and StoreUnavailable. */
  async linkOf(token: string, url: string): Promise<PayerLink> {
    // The log would not recognise and redact a token that is percent-encoded.
    const link = url.includes(token) ? this.links.open(token) : null;
    if (link === null) throw new LinkNotFound();
    if (this.leftMs(link) <= 0) throw new LinkExpired();
    if ((await this.keys.keyOfHash(link.keyHash)) === null) throw new LinkNotFound();
    return link;
  }

  /** Null: retention has removed the payment. Throws StoreUnavailable. */
  async viewOf({ quoteId }: PayerLink): Promise<PayerAnswer | null> {
    const payment = await this.payments.find(quoteId);
    return payment === null ? null : payerViewOf(payment);
  }

  /** Whether the key that created the link is still accepted. Throws StoreUnavailable. */
  isAllowed({ keyHash }: PayerLink): Promise<boolean> {
    return this.keys.isStillKnown(keyHash);
  }

  leftMs({ expiresAt }: PayerLink): number {
    return expiresAt.getTime() - this.clock.now().getTime();
  }
}

/** The facts about a payment that a payer is shown: no order, metadata, id or transaction. */
export function payerViewOf(payment: StoredPayment): PayerAnswer {
  const { origin, depositAddress: address, depositMemo: memo } = readRoute(payment);
  const { expiresAt, status, match } = payment;
  return {
    address,
    memo,
    amount: origin.amount,
    token: { symbol: origin.symbol, address: origin.token },
    chain: { id: chainIdOf(origin.chainId), name: origin.chainName },
    expiresAt,
    status,
    match,
  };
}

function chainIdOf(text: string | null): number | null {
  const id = Number(text ?? Number.NaN);
  return Number.isSafeInteger(id) ? id : null;
}
