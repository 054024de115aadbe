import { lazy, startTransition, Suspense, useState } from 'react';

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
  // As a transition the dialog appears as soon as its program is there: React holds back what follows a fallback.
  const open = (name: EndpointDialogName): void => startTransition(() => setOpened(name));
  const close = (): void => setOpened(null);
  return (
    <>
      <Button kind="quiet" refusal={manage} onClick={() => open('delete')}>
        Delete…
      </Button>
      <Button kind="quiet" refusal={manage} onClick={() => open('rotate')}>
        Rotate secret…
      </Button>
      <Button refusal={manage} onClick={() => open('change')}>
        Change…
      </Button>
      <Button
        refusal={endpoint.enabled ? repair : (repair ?? 'Enable the endpoint first.')}
        onClick={() => open('recover')}
      >
        Recover…
      </Button>
      <Button kind="primary" refusal={repair} onClick={() => open('test')}>
        Send a test
      </Button>
      <Suspense>
        {opened === null ? null : <EndpointDialog name={opened} endpoint={endpoint} onClose={close} />}
      </Suspense>
    </>
  );
}
