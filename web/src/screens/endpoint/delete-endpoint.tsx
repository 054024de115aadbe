import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';

import { call } from '../../api/client.ts';
import { destinationsQuery, endpointName } from '../../api/queries.ts';
import type { Endpoint } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/notes.tsx';

export function DeleteEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { id, pending } = endpoint;
  const remove = useMutation({
    mutationFn: () => call('delete', '/api/webhook-endpoints/{id}', { path: { id } }),
    onSuccess: async () => {
      await navigate({ to: '/endpoints' });
      client.removeQueries({ queryKey: ['endpoint', id] });
      await client.invalidateQueries({ queryKey: destinationsQuery().queryKey });
    },
  });
  return (
    <Dialog title={`Delete ${endpointName(endpoint)}?`} onClose={onClose}>
      <DialogText>
        Nothing more is sent to it{pending === 0 ? '' : `, and the ${pending} waiting events are discarded`}.
        This cannot be undone. To pause it instead, change it and take “Enabled” off.
      </DialogText>
      {remove.isError ? <ProblemNote error={remove.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
          Delete the endpoint
        </Button>
      </DialogActions>
    </Dialog>
  );
}
