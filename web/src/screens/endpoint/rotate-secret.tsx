import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import type { Endpoint, RotatedSecret } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/notes.tsx';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { Time, Until } from '../../ui/time.tsx';

export function RotateSecret({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const client = useQueryClient();
  const rotate = useMutation({
    mutationFn: () =>
      call('post', '/api/webhook-endpoints/{id}/rotate-secret', { path: { id: endpoint.id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['endpoint', endpoint.id] }),
  });
  const rotated = rotate.data;
  // One dialog for both steps, so that the focus returns to the button that opened it.
  if (rotated !== undefined)
    return (
      <Dialog title="The secret is rotated" onClose={onClose} isFirm>
        <Rotated rotated={rotated} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title="Rotate the secret?" onClose={onClose}>
      <DialogText>
        A new secret signs every webhook from now on. For 24 hours the present one signs too, so that the shop
        can change over without losing an event.
      </DialogText>
      {rotate.isError ? <ProblemNote error={rotate.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={rotate.isPending} onClick={() => rotate.mutate()}>
          Rotate the secret
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Rotated({ rotated, onClose }: { rotated: RotatedSecret; onClose: () => void }) {
  const { secret, publicKey, previousSecretExpiresAt } = rotated;
  return (
    <>
      <SecretOnce
        what={secret === null ? 'public key' : 'secret'}
        value={secret ?? publicKey ?? ''}
        isOnce={secret !== null}
      >
        {previousSecretExpiresAt === null ? (
          'The former secret could not be read and signs no more: give the shop the new one now.'
        ) : (
          <>
            Give the shop the new one before <Time at={previousSecretExpiresAt} />: the former signs until
            then, and ends <Until at={previousSecretExpiresAt} />.
          </>
        )}
      </SecretOnce>
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}
