import type { ReactNode } from 'react';

import { matchWord, proofWord, statusWord, stateWord, type Tone } from '../format/words.ts';
import { cx } from './cx.ts';
import styles from './tag.module.css';

/** A word with a colour; the colour never says more than the word. */
export function Tag({ tone, children, title }: { tone: Tone; children: ReactNode; title?: string }) {
  return (
    <span className={cx(styles['tag'], styles[tone])} title={title}>
      {children}
    </span>
  );
}

export function StatusTag({ status }: { status: string }) {
  const { text, tone } = statusWord(status);
  return <Tag tone={tone}>{text}</Tag>;
}

interface ProofTagProps {
  readonly state: string;
  /** The payment waits for the proof. */
  readonly isWithheld?: boolean;
}

export function ProofTag({ state, isWithheld = false }: ProofTagProps) {
  const { text, tone } = proofWord(state);
  return (
    <Tag tone={tone}>{isWithheld && state === 'unverified' ? 'Withheld: not proven in time' : text}</Tag>
  );
}

/** Shows nothing for an exact or an unknown sum. */
export function MatchTag({ match }: { match: string | null | undefined }) {
  if (match !== 'underpaid' && match !== 'overpaid') return null;
  const { text, tone } = matchWord(match);
  return <Tag tone={tone}>{text}</Tag>;
}

/** Shows nothing for a payment that no person has resolved. */
export function ResolutionTag({ resolution }: { resolution: { readonly reason: string } | null }) {
  if (resolution === null) return null;
  return <Tag tone="wait">{resolution.reason === 'released' ? 'released' : 'resolved'}</Tag>;
}

export function StateTag({ state }: { state: string }) {
  const { text, tone } = stateWord(state);
  return <Tag tone={tone}>{text}</Tag>;
}
