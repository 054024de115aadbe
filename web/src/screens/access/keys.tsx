import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { useWhoami } from '../../access/whoami.ts';
import type { ApiKey } from '../../api/types.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogText } from '../../ui/dialog.tsx';
import { Note, ProblemNote } from '../../ui/notes.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import table from '../../ui/table.module.css';
import { Ago, Time } from '../../ui/time.tsx';
import { keysQuery } from './access-queries.ts';
import styles from './access.module.css';

export function Keys() {
  const { data, error, refetch } = useQuery(keysQuery);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={4} isTall />
    ) : (
      <ProblemNote error={error} onRetry={() => void refetch()} />
    );
  return (
    <>
      <Panel isFlush>
        <table className={table['table']}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Role</th>
              <th scope="col" className={table['optional']}>
                Made
              </th>
              <th scope="col" className={table['optional']}>
                Last used
              </th>
              <th scope="col" className={table['number']}>
                Revoke
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((key) => (
              <tr key={`${key.source} ${key.name}`}>
                <td>{key.name}</td>
                <td>{key.role}</td>
                <td className={`${table['optional']} ${table['dim']}`}>
                  {key.source === 'API_KEYS' ? 'by the setting API_KEYS' : <Time at={key.createdAt} />}
                </td>
                <td className={`${table['optional']} ${table['dim']}`}>
                  <Ago at={key.lastUsedAt} />
                  {key.lastUsedFrom === null ? '' : ` from ${key.lastUsedFrom}`}
                </td>
                <td className={table['number']}>
                  {key.source === 'API_KEYS' ? (
                    <span className={styles['instead']}>take it out of API_KEYS, and restart</span>
                  ) : (
                    <Button
                      kind="quiet"
                      size="s"
                      aria-label={`Revoke ${key.name}`}
                      onClick={() => setRevoked(key)}
                    >
                      Revoke…
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      {revoked === null ? null : <Revoke apiKey={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}

function Revoke({ apiKey: { name }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const client = useQueryClient();
  const isOwn = useWhoami().name === name;
  const revoke = useMutation({
    mutationFn: () => call('delete', '/api/keys/{name}', { path: { name } }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: ['access'] });
    },
  });
  return (
    <Dialog title={`Revoke ${name}?`} onClose={onClose}>
      <DialogText>
        What uses it is refused within 5 seconds, and its sessions and streams end. This cannot be undone:
        make a new key instead.
      </DialogText>
      {isOwn ? (
        <Note tone="warn">You are signed in with this key: you will have to sign in with another.</Note>
      ) : null}
      {revoke.isError ? <ProblemNote error={revoke.error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" isBusy={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke the key
        </Button>
      </DialogActions>
    </Dialog>
  );
}
