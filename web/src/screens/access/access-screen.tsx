import { useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';

import { useRefusal } from '../../access/whoami.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Empty } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import tabs from '../../ui/tabs.module.css';
import { AddKey } from './add-key.tsx';
import { Audit } from './audit.tsx';
import { Keys } from './keys.tsx';
import { Sessions } from './sessions.tsx';

const TABS = [
  { id: 'keys', name: 'API keys' },
  { id: 'sessions', name: 'Sessions' },
  { id: 'audit', name: 'Audit log' },
] as const;

/** Who may do what, who is signed in, and who changed what. Requests nothing that the role may not see. */
export function AccessScreen() {
  const refusal = useRefusal('manage');
  if (refusal === null) return <Access />;
  return (
    <Page title="Access">
      <Panel>
        <Empty title="This page is for administrators">{refusal}</Empty>
      </Panel>
    </Page>
  );
}

function Access() {
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button kind="primary" onClick={() => setIsAdding(true)}>
      Add a key
    </Button>
  );
  return (
    <Page title="Access" actions={add}>
      <Tabs>
        <TabList aria-label="Access" className={cx(tabs['list'])}>
          {TABS.map(({ id, name }) => (
            <Tab key={id} id={id} className={cx(tabs['tab'])}>
              {name}
            </Tab>
          ))}
        </TabList>
        <TabPanel id="keys" className={cx(tabs['panel'])}>
          <Keys />
        </TabPanel>
        <TabPanel id="sessions" className={cx(tabs['panel'])}>
          <Sessions />
        </TabPanel>
        <TabPanel id="audit" className={cx(tabs['panel'])}>
          <Audit />
        </TabPanel>
      </Tabs>
      {isAdding ? <AddKey onClose={() => setIsAdding(false)} /> : null}
    </Page>
  );
}
