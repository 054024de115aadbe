import { useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';

import { useRefusal } from '../../access/whoami.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Page } from '../../ui/page.tsx';
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

/** Who may do what, who is signed in, and who changed what. */
export function AccessScreen() {
  const [isAdding, setIsAdding] = useState(false);
  const add = (
    <Button kind="primary" refusal={useRefusal('manage')} onClick={() => setIsAdding(true)}>
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
