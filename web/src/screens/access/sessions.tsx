import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, ProblemNote } from '../../ui/notes.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Ago, Time } from '../../ui/time.tsx';
import { sessionsQuery } from './access-queries.ts';
import { browserWords } from './browser-words.ts';

/** The browsers that are signed in. */
export function Sessions() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (id: string) => call('delete', '/api/sessions/{id}', { path: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={3} isTall />
    ) : (
      <ProblemNote error={error} onRetry={() => void refetch()} />
    );
  return (
    <>
      {end.isError ? <ProblemNote error={end.error} /> : null}
      <Panel isFlush>
        {data.length === 0 ? (
          <Empty title="Nobody is signed in" />
        ) : (
          <table className={table['table']}>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">From</th>
                <th scope="col" className={table['optional']}>
                  Signed in
                </th>
                <th scope="col" className={table['optional']}>
                  Last used
                </th>
                <th scope="col" className={table['number']}>
                  End
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ id, keyName, role, current, address, userAgent, createdAt, lastUsedAt }) => (
                <tr key={id}>
                  <td>
                    {keyName} <span className={table['dim']}>{role ?? 'revoked'}</span>{' '}
                    {current ? <Tag tone="busy">this one</Tag> : null}
                  </td>
                  <td title={userAgent}>
                    {address}{' '}
                    <span className={`${table['dim']} ${table['ellipsis']} ${table['optional']}`}>
                      {browserWords(userAgent)}
                    </span>
                  </td>
                  <td className={`${table['optional']} ${table['dim']}`}>
                    <Time at={createdAt} />
                  </td>
                  <td className={`${table['optional']} ${table['dim']}`}>
                    <Ago at={lastUsedAt} />
                  </td>
                  <td className={table['number']}>
                    <Button
                      kind="quiet"
                      size="s"
                      aria-label={`End the session of ${keyName} from ${address}`}
                      isBusy={end.isPending && end.variables === id}
                      onClick={() => end.mutate(id)}
                    >
                      End
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </>
  );
}
