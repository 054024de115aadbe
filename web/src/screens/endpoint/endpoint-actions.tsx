import { useRefusal } from '../../access/whoami.ts';
import type { Endpoint } from '../../api/types.ts';
import { Panel } from '../../ui/panel.tsx';
import { DialogButton } from './dialog-button.tsx';
import styles from './endpoint.module.css';

/** The everyday actions on an endpoint. */
export function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const repair = useRefusal('repair');
  const manage = useRefusal('manage');
  return (
    <>
      <DialogButton name="change" endpoint={endpoint} refusal={manage}>
        Change…
      </DialogButton>
      <DialogButton
        name="recover"
        endpoint={endpoint}
        refusal={endpoint.enabled ? repair : (repair ?? 'Enable the endpoint first.')}
      >
        Recover…
      </DialogButton>
      <DialogButton
        name="test"
        kind={endpoint.enabled ? 'primary' : 'plain'}
        endpoint={endpoint}
        refusal={repair}
      >
        Send a test
      </DialogButton>
      {endpoint.enabled ? null : (
        <DialogButton name="enable" kind="primary" endpoint={endpoint} refusal={manage}>
          Enable…
        </DialogButton>
      )}
    </>
  );
}

/** Actions that break the shop's receiver when used by mistake, so they stand far from the others. */
export function RareActions({ endpoint }: { endpoint: Endpoint }) {
  const manage = useRefusal('manage');
  return (
    <Panel title="Secret and removal">
      <div className={styles['rare']}>
        <p>A new secret signs from now on, and for 24 hours the former one too.</p>
        <DialogButton name="rotate" endpoint={endpoint} refusal={manage}>
          Rotate secret…
        </DialogButton>
        <p>Nothing more is sent to a deleted endpoint, and what waits for it is discarded.</p>
        <DialogButton name="delete" kind="danger" endpoint={endpoint} refusal={manage}>
          Delete…
        </DialogButton>
      </div>
    </Panel>
  );
}
