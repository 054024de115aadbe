import { Link } from '@tanstack/react-router';

import type { AttentionItem } from '../../api/overview-types.ts';
import { endpointName } from '../../api/queries.ts';
import { count } from '../../format/amount.ts';
import { shortened } from '../../format/chains.ts';
import { cx } from '../../ui/cx.ts';
import { Said } from '../../ui/said.tsx';
import { Ago, Time } from '../../ui/time.tsx';
import { screenOf } from './attention-links.ts';
import { itemCount, itemTitle } from './attention-words.ts';
import styles from './attention.module.css';
import { ItemAction } from './item-action.tsx';
import { TokenSums } from './token-sums.tsx';

const SHOWN_ENDPOINTS = 3;

/** A card: the trouble, its first payments, and the button that helps. */
export function ItemCard({ item }: { item: AttentionItem }) {
  const { code, severity, href, since, detail, endpoints, payments } = item;
  const { to, search, params } = screenOf(href);
  return (
    <li className={cx(styles['card'], styles[severity])}>
      <Link to={to} params={params as never} search={search as never} className={styles['cover']}>
        <span className={styles['title']}>{itemTitle(code)}</span>
        <span className={styles['big']}>{itemCount(item)}</span>
      </Link>
      <Named item={item} />
      {payments ? <TokenSums payments={payments} /> : null}
      <p className={styles['detail']}>
        <Said text={detail} />
      </p>
      {endpoints.slice(0, SHOWN_ENDPOINTS).map((endpoint) => (
        <p key={endpoint.id} className={styles['endpoint']}>
          <Link to="/endpoints/$endpointId" params={{ endpointId: endpoint.id }}>
            {endpointName(endpoint)}
          </Link>
        </p>
      ))}
      {since === null ? null : (
        <p className={styles['since']}>
          since <Time at={since} />, <Ago at={since} />
        </p>
      )}
      <p className={styles['action']}>
        <ItemAction item={item} />
      </p>
    </li>
  );
}

/** `A-17, A-18, A-19 and 57 more`: by the order, or else by the quote. */
function Named({ item: { code, count: all, isMore, examples } }: { item: AttentionItem }) {
  if (examples.length === 0) return null;
  const isOfOrders = code === 'order_paid_twice';
  const orders = [...new Set(examples.map(({ orderId }) => orderId))];
  const named = isOfOrders ? orders.length : examples.length;
  return (
    <p className={styles['named']}>
      {isOfOrders
        ? orders.map((orderId) => (
            <Link key={orderId} to="/orders/$orderId" params={{ orderId: orderId ?? '' }}>
              {orderId}
            </Link>
          ))
        : examples.map(({ quoteId, orderId }) => (
            <Link key={quoteId} to="/payments/$quoteId" params={{ quoteId }}>
              {orderId ?? shortened(quoteId)}
            </Link>
          ))}
      {all > named ? (
        <span>
          and {count(all - named)} {isMore ? 'or more' : 'more'}
        </span>
      ) : null}
    </p>
  );
}
