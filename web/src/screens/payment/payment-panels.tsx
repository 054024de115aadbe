import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import type { Delivery, Payment } from '../../api/types.ts';
import { money } from '../../format/amount.ts';
import { providerName } from '../../format/words.ts';
import {
  factsOf,
  isWithheld,
  routeOf,
  type PaymentFacts,
} from '../../../../src/domain/story/payment-facts.ts';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Identifier } from '../../ui/identifier.tsx';
import { MatchTag } from '../../ui/tag.tsx';
import { Time, Until } from '../../ui/time.tsx';
import { reasonWords } from '../../../../src/domain/story/event-words.ts';
import { Acknowledged } from './acknowledged.tsx';
import { ProofPanel } from './proof-panel.tsx';
import styles from './payment.module.css';

interface PaymentPanelsProps {
  readonly payment: Payment;
  /** Undefined while they are read. */
  readonly deliveries: readonly Delivery[] | undefined;
}

export function PaymentPanels({ payment, deliveries }: PaymentPanelsProps) {
  const facts = factsOf(payment);
  return (
    <div className={styles['side']}>
      <Money facts={facts} payment={payment} />
      <Where facts={facts} />
      {payment.verification === null ? null : (
        <ProofPanel verification={payment.verification} isWithheld={isWithheld(payment)} />
      )}
      <Acknowledged deliveries={deliveries} quoteId={payment.quoteId} />
      <Tracked payment={payment} />
    </div>
  );
}

type CompletedBy = NonNullable<Payment['output']>['by'];

const UNPAID: ReadonlySet<string> = new Set(['AWAITING_DEPOSIT', 'EXPIRED']);
const UNKNOWN_SUM = 'a sum that the provider does not say';

const COMPLETED_BY: Readonly<Record<CompletedBy, string>> = {
  transaction: 'a transaction to the recipient',
  amount: 'an amount, without a transaction',
  word: 'the word of the provider alone',
};

const ON_CHAIN = 'a transfer that the chain shows';

interface MoneyProps {
  readonly facts: PaymentFacts;
  readonly payment: Payment;
}

function Money({ facts, payment }: MoneyProps) {
  const { amounts, output, verification } = payment;
  const { amount, symbol, estimatedAmount, estimatedSymbol, feesUsd, refundedAmount } = facts;
  const arrived = amounts?.receive.arrived ?? null;
  const proof = verification?.state ?? null;
  const byChain = proof === 'proven' ? 'what was promised, by the chain' : null;
  const got = arrived === null ? byChain : money(arrived, estimatedSymbol);
  const isByWord = proof !== null && proof !== 'proven';
  return (
    <Panel title="Money">
      <Facts
        rows={[
          ['To send', amount === null ? '–' : money(amount, symbol)],
          ['Deposited', deposited(payment, facts)],
          refundedAmount === null ? null : ['Went back', money(refundedAmount, symbol)],
          estimatedAmount === null
            ? null
            : ['Recipient gets, as quoted', money(estimatedAmount, estimatedSymbol)],
          got === null ? null : [isByWord ? 'Delivered, the provider says' : 'Recipient got', got],
          output === null ? null : ['Completed by', proof === 'proven' ? ON_CHAIN : COMPLETED_BY[output.by]],
          feesUsd === null ? null : ['Fees', money(feesUsd, 'USD')],
        ]}
      />
    </Panel>
  );
}

function deposited({ amounts, status }: Payment, { symbol, isOtherToken }: PaymentFacts): ReactNode {
  // A provider that reports a step after the deposit has got the deposit.
  if (amounts === null) return UNPAID.has(status) ? 'nothing yet' : UNKNOWN_SUM;
  const { came } = amounts.send;
  if (came === null && isOtherToken) return 'another token';
  return (
    <>
      {came === null ? UNKNOWN_SUM : money(came, symbol)} <MatchTag match={amounts.match} />
    </>
  );
}

function Where({ facts }: { facts: PaymentFacts }) {
  const { fromChain, toChain, depositAddress, depositMemo, depositFrom, recipient } = facts;
  const from = fromChain?.id ?? null;
  const to = toChain?.id ?? null;
  const deposit = transaction(facts.depositTransaction, 'deposit transaction', from);
  const output = transaction(facts.outputTransaction, 'output transaction', to);
  return (
    <Panel title="Where">
      <Facts
        rows={[
          ['Route', routeOf(facts) ?? '–'],
          ['Deposit to', address(depositAddress, 'deposit address', from)],
          depositMemo === null
            ? null
            : ['With the memo', <Identifier key="memo" value={depositMemo} what="deposit memo" />],
          depositFrom === null ? null : ['Paid from', address(depositFrom, "payer's address", from)],
          deposit === null ? null : ['Deposit transaction', deposit],
          ['Recipient', address(recipient, 'recipient address', to)],
          output === null ? null : ['Output transaction', output],
        ]}
      />
    </Panel>
  );
}

function address(value: string | null, what: string, chainId: number | null): ReactNode {
  return value === null ? '–' : <Identifier value={value} what={what} chainId={chainId} kind="address" />;
}

function transaction(value: string | null, what: string, chainId: number | null): ReactNode {
  return value === null ? null : (
    <Identifier value={value} what={what} chainId={chainId} kind="transaction" />
  );
}

function OrderLink({ orderId }: { orderId: string }) {
  return (
    <Link to="/orders/$orderId" params={{ orderId }}>
      {orderId}
    </Link>
  );
}

function Tracked({ payment }: { payment: Payment }) {
  const { quoteId, orderId, metadata, provider, tracking, resolution } = payment;
  const { createdAt, expiresAt, lastPolledAt, nextPollAt } = payment;
  const labels = Object.entries((metadata ?? {}) as Record<string, string>);
  return (
    <Panel title="Tracking">
      <Facts
        rows={[
          ['Quote', <Identifier key="quote" value={quoteId} what="quote id" />],
          ['Order', orderId === null ? 'not named' : <OrderLink key="order" orderId={orderId} />],
          ['Provider', providerName(provider)],
          ...labels.map(([name, value]) => [name, value] as const),
          ['Created', <Time key="created" at={createdAt} />],
          ['Quote expires', <Time key="expires" at={expiresAt} />],
          ['Provider asked last', <Time key="polled" at={lastPolledAt} none="not yet" />],
          [
            'Provider asked again',
            tracking === 'closed' ? 'no more: the payment has ended' : <Until key="next" at={nextPollAt} />,
          ],
          resolution === null ? null : ['Resolved', `${reasonWords(resolution.reason)}, by ${resolution.by}`],
        ]}
      />
    </Panel>
  );
}
