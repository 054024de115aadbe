import type { Endpoint } from '../../api/types.ts';
import { ChangeEndpoint } from './change-endpoint.tsx';
import { DeleteEndpoint } from './delete-endpoint.tsx';
import { RecoverDialog } from './recover-dialog.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import { SendTest } from './send-test.tsx';

export type EndpointDialogName = 'test' | 'recover' | 'change' | 'rotate' | 'delete';

interface EndpointDialogProps {
  readonly name: EndpointDialogName;
  readonly endpoint: Endpoint;
  readonly onClose: () => void;
}

const DIALOGS = {
  test: SendTest,
  recover: RecoverDialog,
  change: ChangeEndpoint,
  rotate: RotateSecret,
  delete: DeleteEndpoint,
} as const;

/** The dialogs of the page, which are loaded when one is first opened. */
export function EndpointDialog({ name, endpoint, onClose }: EndpointDialogProps) {
  const Dialog = DIALOGS[name];
  return <Dialog endpoint={endpoint} onClose={onClose} />;
}
