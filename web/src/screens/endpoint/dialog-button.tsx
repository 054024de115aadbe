import { lazy, startTransition, Suspense, useState } from 'react';

import type { Endpoint } from '../../api/types.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import type { EndpointDialogName } from './endpoint-dialog.tsx';

const EndpointDialog = lazy(async () => ({
  default: (await import('./endpoint-dialog.tsx')).EndpointDialog,
}));

interface DialogButtonProps extends Pick<ButtonProps, 'kind' | 'size' | 'refusal' | 'children'> {
  readonly name: EndpointDialogName;
  readonly endpoint: Endpoint;
  readonly since?: string | null;
}

/** Opens one of the dialogs of an endpoint's page. */
export function DialogButton({ name, endpoint, since = null, ...button }: DialogButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      {/* In a transition the dialog appears as soon as its code is loaded: React delays updates that follow a fallback. */}
      <Button {...button} onClick={() => startTransition(() => setIsOpen(true))} />
      <Suspense>
        {isOpen ? (
          <EndpointDialog name={name} endpoint={endpoint} since={since} onClose={() => setIsOpen(false)} />
        ) : null}
      </Suspense>
    </>
  );
}
