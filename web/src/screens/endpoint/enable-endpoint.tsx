import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { destinationsQuery, endpointName } from '../../api/queries.ts';
import type { Endpoint } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/notes.tsx';
import { unsentWords } from '../endpoints/endpoint-state.ts';

/** Asks whether the events are sent that were recorded while the endpoint was disabled. */
export function EnableEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const client = useQueryClient();
  const { id, unsent } = endpoint;
  const enable = useMutation({
    mutationFn: (recover: boolean) =>
      call('patch', '/api/webhook-endpoints/{id}', { path: { id }, body: { enabled: true, recover } }),
    onSuccess: () => {
      for (const queryKey of [['endpoint', id], destinationsQuery().queryKey, ['attention']])
        void client.invalidateQueries({ queryKey });
      onClose();
    },
  });
  const hasUnsent = unsent.count > 0;
  return (
    <Dialog title={`Enable ${endpointName(endpoint)}?`} onClose={onClose}>
      <DialogText>
        It gets the events that wait, and every event from now on.
        {hasUnsent ? ` ${unsentWords(unsent)}: send them?` : ''}
      </DialogText>
      {enable.isError ? <ProblemNote error={enable.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        {hasUnsent ? (
          <Button isBusy={enable.isPending} onClick={() => enable.mutate(false)}>
            Enable without them
          </Button>
        ) : null}
        <Button kind="primary" isBusy={enable.isPending} onClick={() => enable.mutate(hasUnsent)}>
          {hasUnsent ? 'Enable and send them' : 'Enable'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
