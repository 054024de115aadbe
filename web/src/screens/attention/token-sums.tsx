import type { PaymentSums } from '../../api/overview-types.ts';
import { counted, money } from '../../format/amount.ts';
import styles from './attention.module.css';

/** The amounts of so many tokens stand on a card. */
const SHOWN_SUMS = 3;

/** What payers sent, by token; the tokens with the most payments first. */
export function TokenSums({ payments }: { payments: PaymentSums }) {
  const { sums, otherTokens } = payments;
  if (sums.length === 0) return null;
  const others = sums.length - SHOWN_SUMS + otherTokens;
  return (
    <p className={styles['sums']}>
      {sums.slice(0, SHOWN_SUMS).map(({ amount, symbol, chain, address }) => (
        <span key={`${chain} ${address}`} title={chain ?? undefined}>
          {money(amount, symbol)}
        </span>
      ))}
      {others > 0 ? <span>and {counted(others, 'more token')}</span> : null}
    </p>
  );
}
