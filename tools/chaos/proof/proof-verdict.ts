import { breach, of, type ArrivedEvent, type Breach } from '../ledger.ts';
import type { Story } from '../stories.ts';
import type { ProofMode } from './proven-stories.ts';
import type { Transaction } from './scripted-chain.ts';

/** The chain's transactions, for a run whose completions are proven. */
export interface ProofEvidence {
  readonly mode: ProofMode;
  readonly transactions: ReadonlyMap<string, Transaction>;
}

export const PROOF_COUNTS = [
  'completed without proof',
  'proven lies',
  'wrongly contradicted',
  'proofs missing',
] as const;

interface Played {
  readonly quoteId: string;
  readonly story: Story;
}

interface PaymentLog {
  readonly events: readonly ArrivedEvent[];
  readonly played: Played | undefined;
}

/** Compares the chain's findings in events with the chain. */
export function judgeProof(
  proof: ProofEvidence | null,
  log: readonly PaymentLog[],
): Readonly<Record<(typeof PROOF_COUNTS)[number], readonly Breach[]>> {
  const isPaid = ({ quoteId, verification }: ArrivedEvent): boolean => {
    const transaction = proof?.transactions.get(verification?.txHash ?? '');
    return transaction?.quoteId === quoteId && transaction.deed === 'paid';
  };
  const events = proof === null ? [] : log.flatMap((each) => each.events);
  const found = (text: string, isBreach: (event: ArrivedEvent) => boolean): Breach[] =>
    events.filter(isBreach).map((event) => of(event, `${text}, by ${event.verification?.txHash}`));
  const lies = new Map(log.map(({ played }) => [played?.quoteId, liesOf(played)]));
  return {
    'completed without proof':
      proof?.mode === 'require'
        ? found('says COMPLETED', (event) => event.type === 'payment.completed' && !isProven(event))
        : [],
    'proven lies': found('is proven', (event) => isProven(event) && !isPaid(event)),
    'wrongly contradicted': found('is contradicted', (event) => {
      if (event.type !== 'payment.anomaly' || event.verification?.state !== 'contradicted') return false;
      return isPaid(event) || lies.get(event.quoteId)?.includes(event.reason) !== true;
    }),
    'proofs missing': (proof === null ? [] : log).flatMap(({ events, played }) =>
      played === undefined || !isPaidInTheEnd(played) || events.some(isProven)
        ? []
        : [breach(played.quoteId, 'was paid, and no event says that it is proven')],
    ),
  };
}

function isProven({ verification }: ArrivedEvent): boolean {
  return verification?.state === 'proven';
}

function liesOf(played: Played | undefined): (string | null)[] {
  return (played?.story.steps ?? []).flatMap(({ payout }) => payout?.deed ?? []);
}

function isPaidInTheEnd({ story }: Played): boolean {
  return story.steps.findLast(({ payout }) => payout !== undefined)?.payout?.deed === 'paid';
}
