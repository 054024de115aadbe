import { useMutation, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { destinationsQuery } from '../../api/queries.ts';
import type { Endpoint } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Check } from '../../ui/form.tsx';
import { unsentWords } from '../endpoints/endpoint-state.ts';
import { EndpointForm, type EndpointInput } from '../endpoints/endpoint-form.tsx';
import { endpointQuery } from './endpoint-queries.ts';

export function ChangeEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const client = useQueryClient();
  const { id, enabled, unsent } = endpoint;
  const change = useMutation({
    mutationFn: (body: EndpointInput & { enabled: boolean; recover: boolean }) =>
      call('patch', '/api/webhook-endpoints/{id}', { path: { id }, body }),
    onSuccess: (changed) => {
      client.setQueryData(endpointQuery(id).queryKey, changed);
      for (const queryKey of [['endpoint', id], destinationsQuery().queryKey])
        void client.invalidateQueries({ queryKey });
      onClose();
    },
  });
  return (
    <Dialog title="Change the endpoint" onClose={onClose} isWide>
      <EndpointForm
        endpoint={endpoint}
        error={change.error}
        onSubmit={(input, data) => {
          const isEnabled = data.get('enabled') === 'on';
          change.mutate({ ...input, enabled: isEnabled, recover: isEnabled && data.get('recover') === 'on' });
        }}
      >
        <Check name="enabled" defaultChecked={enabled}>
          Enabled: events are sent to it. While it is disabled, waiting events stay, and new ones are not
          queued.
        </Check>
        {enabled || unsent.count === 0 ? null : (
          <Check name="recover" defaultChecked>
            {unsentWords(unsent)}: send them once it is enabled.
          </Check>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Save
          </Button>
        </DialogActions>
      </EndpointForm>
    </Dialog>
  );
}
