import { lazy, Suspense, useState } from 'react';

import { useRefusal } from '../../access/whoami.ts';
import type { Endpoint } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import type { EndpointDialogName } from './endpoint-dialog.tsx';

const EndpointDialog = lazy(async () => ({
  default: (await import('./endpoint-dialog.tsx')).EndpointDialog,
}));

export function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const [opened, setOpened] = useState<EndpointDialogName | null>(null);
  const repair = useRefusal('repair');
  const manage = useRefusal('manage');
  const close = (): void => setOpened(null);
  return (
    <>
      <Button kind="quiet" refusal={manage} onClick={() => setOpened('delete')}>
        Delete…
      </Button>
      <Button kind="quiet" refusal={manage} onClick={() => setOpened('rotate')}>
        Rotate secret…
      </Button>
      <Button refusal={manage} onClick={() => setOpened('change')}>
        Change…
      </Button>
      <Button
        refusal={endpoint.enabled ? repair : (repair ?? 'Enable the endpoint first.')}
        onClick={() => setOpened('recover')}
      >
        Recover…
      </Button>
      <Button kind="primary" refusal={repair} onClick={() => setOpened('test')}>
        Send a test
      </Button>
      {opened === null ? null : (
        <Suspense>
          <EndpointDialog name={opened} endpoint={endpoint} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
