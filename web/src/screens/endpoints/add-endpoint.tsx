import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';

import { call } from '../../api/client.ts';
import { destinationsQuery } from '../../api/queries.ts';
import type { CreatedEndpoint } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import form from '../../ui/form.module.css';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { EndpointForm } from './endpoint-form.tsx';

export function AddEndpoint({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const add = useMutation({
    mutationFn: (body: Parameters<typeof create>[0]) => create(body),
    onSuccess: () => client.invalidateQueries({ queryKey: destinationsQuery().queryKey }),
  });
  if (add.data !== undefined) {
    const { id } = add.data;
    const close = (): void => {
      onClose();
      void navigate({ to: '/endpoints/$endpointId', params: { endpointId: id } });
    };
    return <AddedEndpoint endpoint={add.data} onClose={close} />;
  }
  return (
    <Dialog title="Add an endpoint" onClose={onClose} isWide>
      <EndpointForm
        error={add.error}
        onSubmit={(input, data) =>
          add.mutate({ ...input, signature: data.get('signature') === 'v1a' ? 'v1a' : 'v1' })
        }
      >
        <fieldset className={form['group']}>
          <legend>Signature</legend>
          <div className={form['checks']}>
            <label className={form['check']}>
              <input type="radio" name="signature" value="v1" defaultChecked />
              With a shared secret
            </label>
            <label className={form['check']}>
              <input type="radio" name="signature" value="v1a" />
              With a key pair
            </label>
          </div>
        </fieldset>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={add.isPending}>
            Add the endpoint
          </Button>
        </DialogActions>
      </EndpointForm>
    </Dialog>
  );
}

type NewEndpoint = Parameters<typeof call<'post', '/api/webhook-endpoints'>>[2];

function create(body: NonNullable<NonNullable<NewEndpoint>['body']>): Promise<CreatedEndpoint> {
  return call('post', '/api/webhook-endpoints', { body });
}

function AddedEndpoint({ endpoint, onClose }: { endpoint: CreatedEndpoint; onClose: () => void }) {
  const { secret, publicKey } = endpoint;
  return (
    <Dialog title="The endpoint is added" onClose={onClose} isFirm>
      {secret === null ? (
        <SecretOnce what="public key" value={publicKey ?? ''}>
          Every webhook to it is signed with a key pair. Give the shop this public key, with which it verifies
          them.
        </SecretOnce>
      ) : (
        <SecretOnce what="secret" value={secret} isOnce>
          Give the shop this secret, with which it verifies each webhook.
        </SecretOnce>
      )}
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
