import { Link } from '@tanstack/react-router';

import type { Attention } from '../../api/overview-types.ts';
import { count } from '../../format/amount.ts';
import { PROOF_STATES, proofWord } from '../../format/words.ts';
import { Tag } from '../../ui/tag.tsx';
import type { PaymentsSearch } from '../payments/payments-search.ts';
import styles from './attention.module.css';

type Proofs = NonNullable<Attention['proofs']>;

/** The filters that find the payments of a count. A withheld payment has not completed by the word of the provider. */
function searchOf(verification: (typeof PROOF_STATES)[number]): PaymentsSearch {
  return { verification, last: '24h', ...(verification === 'unverified' ? { status: ['COMPLETED'] } : {}) };
}

/** The proofs of the last day's payments. */
export function ProofsOfDay({ proofs }: { proofs: Proofs }) {
  const states = PROOF_STATES.filter((state) => state === 'proven' || proofs[state] > 0);
  return (
    <p className={styles['proofs']}>
      Of the last day, reported as completed:
      {states.map((state) => {
        const { text, tone } = proofWord(state);
        return (
          <Link key={state} to="/payments" search={searchOf(state)}>
            <Tag tone={tone}>
              {count(proofs[state])} {text.slice(0, 1).toLowerCase() + text.slice(1)}
            </Tag>
          </Link>
        );
      })}
    </p>
  );
}
