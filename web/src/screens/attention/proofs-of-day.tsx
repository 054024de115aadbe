import { Link } from '@tanstack/react-router';

import type { Attention } from '../../api/overview-types.ts';
import { count } from '../../format/amount.ts';
import { PROOF_STATES, proofWord } from '../../format/words.ts';
import { Tag } from '../../ui/tag.tsx';
import styles from './attention.module.css';

type Proofs = NonNullable<Attention['proofs']>;

/** The proofs of the last day's completions. */
export function ProofsOfDay({ proofs }: { proofs: Proofs }) {
  const states = PROOF_STATES.filter((state) => state === 'proven' || proofs[state] > 0);
  return (
    <p className={styles['proofs']}>
      Reported as completed in the last day:
      {states.map((state) => {
        const { text, tone } = proofWord(state);
        return (
          <Link key={state} to="/payments" search={{ verification: state }}>
            <Tag tone={tone}>
              {count(proofs[state])} {text.slice(0, 1).toLowerCase() + text.slice(1)}
            </Tag>
          </Link>
        );
      })}
    </p>
  );
}
