import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';

import type { ProviderState } from '../../api/overview-types.ts';
import { providerName } from '../../format/words.ts';
import { cx } from '../../ui/cx.ts';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import tabs from '../../ui/tabs.module.css';
import { Tag } from '../../ui/tag.tsx';
import { Ago } from '../../ui/time.tsx';
import { useNow } from '../../ui/use-now.ts';
import { ProviderCharts } from './provider-charts.tsx';
import { Classes, Refusals } from './provider-tables.tsx';
import { Budget, LastHour, Limits } from './provider-panels.tsx';
import { providersQuery } from './provider-query.ts';
import styles from './provider.module.css';
import { sayProvider } from './say-provider.ts';

const route = getRouteApi('/shell/provider');

/** A tab for each provider, if there are several: at first that of the address, or else of the first provider in trouble. */
export function ProviderScreen() {
  const asked = route.useSearch();
  const { data, error, refetch } = useQuery(providersQuery());
  const [first, ...others] = data ?? [];
  if (data === undefined || first === undefined)
    return (
      <Page title="Provider">
        {error === null ? (
          <Panel>
            <Skeleton lines={6} />
          </Panel>
        ) : (
          <ProblemNote error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  if (others.length === 0)
    return (
      <Page title="Provider" beside={<Beside state={first} />}>
        <State state={first} />
      </Page>
    );
  const shown =
    data.find(({ name }) => name === asked.name) ?? data.find(({ status }) => status !== 'ok') ?? first;
  return (
    <Page title="Providers">
      <Tabs key={asked.name ?? ''} defaultSelectedKey={shown.name}>
        <TabList aria-label="Providers" className={cx(tabs['list'])}>
          {data.map(({ name, status }) => (
            <Tab key={name} id={name} className={cx(tabs['tab'])}>
              {providerName(name)}
              {status === 'ok' ? null : <span className={styles['trouble']}> degraded</span>}
            </Tab>
          ))}
        </TabList>
        {data.map((state) => (
          <TabPanel key={state.name} id={state.name} className={cx(tabs['panel'])}>
            <p className={styles['beside']}>
              <Beside state={state} />
            </p>
            <State state={state} />
          </TabPanel>
        ))}
      </Tabs>
    </Page>
  );
}

function Beside({ state: { status, name, host, checkedAt } }: { state: ProviderState }) {
  return (
    <>
      <Tag tone={status === 'ok' ? 'ok' : 'bad'}>{status === 'ok' ? 'Works' : 'Degraded'}</Tag>
      <span>
        {providerName(name)}
        {host === null ? '' : ` · ${host}`} · updated <Ago at={checkedAt} />
      </span>
    </>
  );
}

function State({ state }: { state: ProviderState }) {
  return (
    <>
      <Saying state={state} />
      <div className={layout['columns']}>
        <div className={layout['stack']}>
          <ProviderCharts provider={state.name} limit={state.limits.requestsPerMinute} />
          <Classes classes={state.classes} />
          <Refusals state={state} />
        </div>
        <div className={layout['stack']}>
          <Budget state={state} />
          <LastHour state={state} />
          <Limits state={state} />
        </div>
      </div>
    </>
  );
}

function Saying({ state }: { state: ProviderState }) {
  return <p className={layout['sentence']}>{sayProvider(state, useNow())}</p>;
}
