import type { PaymentSums } from '../../api/overview-types.ts';
import { counted, money } from '../../format/amount.ts';
import styles from './attention.module.css';

/** How many tokens' amounts a card shows. */
const SHOWN_SUMS = 3;

/** The amounts that payers sent, by token; tokens with the most payments first. */
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
