import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';

import { destinationNames, destinationsQuery } from '../../api/queries.ts';
import { total } from '../../format/amount.ts';
import { shortened } from '../../format/chains.ts';
import { stateWord } from '../../format/words.ts';
import chip from '../../ui/chip.module.css';
import { cx } from '../../ui/cx.ts';
import { CloseIcon } from '../../ui/icons.tsx';
import { LeftOut } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { SortLabel } from '../../ui/sort-label.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { deliveryCountQuery } from './deliveries-query.ts';
import {
  DELIVERY_STATES,
  type DeliveriesSearch,
  leftOutOfDeliveries,
  readDeliveriesSearch,
} from './deliveries-search.ts';

const PAGE = 50;
const route = getRouteApi('/shell/deliveries');

/** Every delivery, the newest or the oldest first. */
export function DeliveriesScreen() {
  const asked = route.useSearch();
  const search = readDeliveriesSearch(asked);
  const names = destinationNames(useQuery(destinationsQuery()).data);
  return (
    <Page title="Deliveries" beside={<DeliveryTotal search={search} />}>
      <LeftOut sentences={leftOutOfDeliveries(asked)} />
      <div className={chip['chips']} role="group" aria-label="Filters and order">
        {DELIVERY_STATES.map((state) => (
          <StateToggle key={state} state={state} search={search} />
        ))}
        {search.endpointId === undefined ? null : (
          <Chosen
            name={names.get(search.endpointId) ?? 'a deleted endpoint'}
            without={{ ...search, endpointId: undefined }}
          />
        )}
        {search.resolved === undefined ? null : (
          <Chosen
            name={search.resolved === 'true' ? 'Resolved by a person' : 'Not resolved'}
            without={{ ...search, resolved: undefined }}
          />
        )}
        {search.destinations === undefined ? null : (
          <Chosen name="To an endpoint" without={{ ...search, destinations: undefined }} />
        )}
        {search.quoteId === undefined ? null : (
          <Chosen
            name={`Payment ${shortened(search.quoteId, 8, 4)}`}
            without={{ ...search, quoteId: undefined }}
          />
        )}
        {search.orderId === undefined ? null : (
          <Chosen name={`Order ${search.orderId}`} without={{ ...search, orderId: undefined }} />
        )}
        <Link
          to="/deliveries"
          search={{ ...search, sort: search.sort === 'oldest' ? undefined : 'oldest' }}
          className={cx(chip['chip'], chip['sort'])}
        >
          <SortLabel sort={search.sort} />
        </Link>
      </div>
      <Panel isFlush isTall>
        <DeliveryList search={search} limit={PAGE} />
      </Panel>
    </Page>
  );
}

/** The number of all deliveries, however many the list has read. */
function DeliveryTotal({ search }: { search: DeliveriesSearch }) {
  const { data } = useQuery(deliveryCountQuery(search));
  return data === undefined ? null : <span>{total(data, 'delivery', 'deliveries')}</span>;
}

function StateToggle({
  state,
  search,
}: {
  state: (typeof DELIVERY_STATES)[number];
  search: DeliveriesSearch;
}) {
  const chosen = search.state ?? [];
  const isOn = chosen.includes(state);
  const next = isOn ? chosen.filter((one) => one !== state) : [...chosen, state];
  return (
    <Link
      to="/deliveries"
      search={{ ...search, state: next.length === 0 ? undefined : next }}
      className={cx(chip['chip'], isOn && chip['on'])}
      aria-current={isOn ? 'true' : undefined}
    >
      {stateWord(state).text}
    </Link>
  );
}

function Chosen({ name, without }: { name: string; without: DeliveriesSearch }) {
  return (
    <Link
      to="/deliveries"
      search={without}
      className={cx(chip['chip'], chip['on'])}
      aria-label={`Take the filter off: ${name}`}
    >
      {name} <CloseIcon />
    </Link>
  );
}
