import type { Endpoint } from '../../api/types.ts';
import { ChangeEndpoint } from './change-endpoint.tsx';
import { DeleteEndpoint } from './delete-endpoint.tsx';
import { EnableEndpoint } from './enable-endpoint.tsx';
import { RecoverDialog } from './recover-dialog.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import { SendTest } from './send-test.tsx';

export type EndpointDialogName = 'test' | 'enable' | 'recover' | 'change' | 'rotate' | 'delete';

interface EndpointDialogProps {
  readonly name: EndpointDialogName;
  readonly endpoint: Endpoint;
  /** The time from which to recover; absent: the beginning of the events that the endpoint lacks. */
  readonly since?: string | null;
  readonly onClose: () => void;
}

const DIALOGS = {
  test: SendTest,
  enable: EnableEndpoint,
  change: ChangeEndpoint,
  rotate: RotateSecret,
  delete: DeleteEndpoint,
} as const;

/** The dialogs of the page, which are loaded when one is first opened. */
export function EndpointDialog({ name, endpoint, since = null, onClose }: EndpointDialogProps) {
  if (name === 'recover') return <RecoverDialog endpoint={endpoint} since={since} onClose={onClose} />;
  const Dialog = DIALOGS[name];
  return <Dialog endpoint={endpoint} onClose={onClose} />;
}
