import type { Replica } from '../../api/overview-types.ts';
import { Empty } from '../../ui/notes.tsx';
import { Panel } from '../../ui/panel.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Ago, Time } from '../../ui/time.tsx';

/** The processes that share the database. */
export function Replicas({ replicas }: { replicas: readonly Replica[] }) {
  return (
    <Panel title="Replicas" isFlush>
      {replicas.length === 0 ? (
        <Empty title="No replica has reported yet" />
      ) : (
        <table className={table['table']}>
          <thead>
            <tr>
              <th scope="col">Replica</th>
              <th scope="col">State</th>
              <th scope="col" className={table['optional']}>
                Does
              </th>
              <th scope="col">Release</th>
              <th scope="col" className={table['optional']}>
                Started
              </th>
              <th scope="col" className={table['optional']}>
                Seen
              </th>
            </tr>
          </thead>
          <tbody>
            {replicas.map(({ id, isAlive, roles, release, startedAt, seenAt }) => (
              <tr key={id}>
                <td>
                  <code title={id}>{id.slice(0, 8)}</code>
                </td>
                <td>
                  <Tag tone={isAlive ? 'ok' : 'bad'}>{isAlive ? 'alive' : 'gone'}</Tag>
                </td>
                <td className={table['optional']}>{roles.join(', ')}</td>
                <td>{release}</td>
                <td className={`${table['optional']} ${table['dim']}`}>
                  <Time at={startedAt} />
                </td>
                <td className={`${table['optional']} ${table['dim']}`}>
                  <Ago at={seenAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
