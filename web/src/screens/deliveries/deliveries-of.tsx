import { useState } from 'react';

import { stateWord } from '../../format/words.ts';
import chip from '../../ui/chip.module.css';
import { cx } from '../../ui/cx.ts';
import { DELIVERY_STATES, type DeliveryState } from './deliveries-search.ts';
import { DeliveryList } from './delivery-list.tsx';
import styles from './deliveries.module.css';

const PAGE = 20;

/** The deliveries of one endpoint, inside its page. */
export function DeliveriesOf({ endpointId }: { endpointId: string }) {
  const [state, setState] = useState<DeliveryState | null>(null);
  const search = state === null ? { endpointId } : { endpointId, state: [state] };
  return (
    <>
      <div className={cx(chip['chips'], styles['inside'])} role="group" aria-label="State of the deliveries">
        {DELIVERY_STATES.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === state}
            className={cx(chip['chip'], one === state && chip['on'])}
            onClick={() => setState(one === state ? null : one)}
          >
            {stateWord(one).text}
          </button>
        ))}
      </div>
      <DeliveryList search={search} limit={PAGE} isOfOne />
    </>
  );
}
