import { given, leftOut, wordIn, wordsIn, type Search } from '../../format/search-params.ts';
import type { Sort } from '../../ui/sort-label.tsx';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'discarded'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** The filters of the list of deliveries, as in the address and in the API. */
export interface DeliveriesSearch {
  readonly endpointId?: string | undefined;
  readonly quoteId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly state?: DeliveryState[] | undefined;
  readonly resolved?: 'true' | 'false' | undefined;
  /** Left out: all destinations. */
  readonly destinations?: 'existing' | undefined;
  /** The order; left out: the newest come first. */
  readonly sort?: Sort;
}

export function readDeliveriesSearch(search: Search): DeliveriesSearch {
  return given(filtersIn(search));
}

export function leftOutOfDeliveries(search: object): string[] {
  return leftOut(search, readDeliveriesSearch(search as Search), Object.keys(filtersIn({})));
}

function filtersIn(search: Search): DeliveriesSearch {
  return {
    endpointId: wordIn(search, 'endpointId'),
    quoteId: wordIn(search, 'quoteId'),
    orderId: wordIn(search, 'orderId'),
    state: wordsIn(search, 'state', DELIVERY_STATES),
    resolved: wordsIn(search, 'resolved', ['true', 'false'])?.[0],
    destinations: wordsIn(search, 'destinations', ['existing'])?.[0],
    sort: wordsIn(search, 'sort', ['oldest'])?.[0],
  };
}
