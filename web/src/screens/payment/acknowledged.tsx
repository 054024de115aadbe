import { Link } from '@tanstack/react-router';

import { nameOf } from '../../api/queries.ts';
import type { Delivery } from '../../api/types.ts';
import { groupBy } from '../../format/group-by.ts';
import { Facts, Panel } from '../../ui/panel.tsx';
import { SkeletonText } from '../../ui/skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import styles from './payment.module.css';

interface AcknowledgedProps {
  /** Undefined while the deliveries are being read. */
  readonly deliveries: readonly Delivery[] | undefined;
  readonly quoteId: string;
}

/** For each destination, how many of the events it acknowledged. */
export function Acknowledged({ deliveries, quoteId }: AcknowledgedProps) {
  if (deliveries === undefined)
    return (
      <Panel title="Events acknowledged">
        <SkeletonText lines={2} />
      </Panel>
    );
  const byEndpoint = groupBy(deliveries, ({ endpointId }) => endpointId);
  if (byEndpoint.size === 0) return null;
  const rows = [...byEndpoint].map(([endpointId, own]) => {
    const done = own.filter(({ state }) => state === 'delivered').length;
    const tone = done === own.length ? 'ok' : own.some(({ state }) => state === 'failed') ? 'bad' : 'warn';
    const link = (
      <Link to="/deliveries" search={{ quoteId, endpointId }} className={styles['acknowledged']}>
        <Tag tone={tone}>
          {done} of {own.length}
        </Tag>
      </Link>
    );
    const [first] = own;
    return [first === undefined ? '' : nameOf(first), link] as const;
  });
  return (
    <Panel title="Events acknowledged">
      <Facts rows={rows} />
    </Panel>
  );
}
