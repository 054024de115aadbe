import type { Payment } from '../../api/types.ts';
import { count } from '../../format/amount.ts';
import { Identifier } from '../../ui/identifier.tsx';
import { Facts, Panel } from '../../ui/panel.tsx';
import { Said } from '../../ui/said.tsx';
import { ProofTag, Tag } from '../../ui/tag.tsx';
import styles from './payment.module.css';

type Verification = NonNullable<Payment['verification']>;
type Check = Verification['checks'][number];

const CHECKS: Readonly<Record<Check['name'], string>> = {
  chain_id: 'The chain',
  receipt: 'The transaction',
  token: 'The token',
  recipient: 'The recipient',
  amount: 'The amount',
  unused: 'No other payment',
  time: 'The time',
  confirmations: 'Confirmations',
};

/** The chain's findings about the output, check by check. */
export function ProofPanel({
  verification,
  isWithheld,
}: {
  verification: Verification;
  isWithheld: boolean;
}) {
  const { state, chainId, txHash, block, confirmations, checks, sources } = verification;
  return (
    <Panel title="Proof on chain">
      <Facts
        rows={[
          ['Output', <ProofTag key="state" state={state} isWithheld={isWithheld} />],
          txHash === null
            ? null
            : [
                'Transaction',
                <Identifier
                  key="tx"
                  value={txHash}
                  what={state === 'proven' ? 'proven transaction' : 'transaction on chain'}
                  chainId={chainId}
                  kind="transaction"
                />,
              ],
          block === null ? null : ['Block', count(block)],
          confirmations === null ? null : ['Confirmations then', count(confirmations)],
          sources.length === 0 ? null : ['Asked', sources.join(', ')],
        ]}
      />
      {checks.length === 0 ? null : (
        <ul className={styles['checks']}>
          {checks.map((check) => (
            <li key={check.name}>
              <CheckTag check={check} />{' '}
              <span>
                <Said text={check.detail} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The word, not only the colour, says whether the check passed. */
function CheckTag({ check: { name, passed } }: { check: Check }) {
  const what = CHECKS[name];
  if (passed === null) return <Tag tone="wait">{what}: unknown</Tag>;
  return passed ? <Tag tone="ok">{what}: right</Tag> : <Tag tone="bad">{what}: wrong</Tag>;
}
