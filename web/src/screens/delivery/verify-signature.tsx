import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';

import page from '../../../../docs/using/verifying-webhooks.md?raw';
import { Code } from '../../ui/code.tsx';
import { cx } from '../../ui/cx.ts';
import { receiversOf } from './receivers.ts';
import styles from './delivery.module.css';

const RECEIVERS = receiversOf(page);

/** A verifying receiver in each language: the documentation's programs, which its tests run. */
export function VerifySignature() {
  return (
    <details className={styles['receivers']}>
      <summary>How to verify the signature, in six languages</summary>
      <p className={styles['lead']}>
        Each of these reads the endpoint’s secret from <code>WEBHOOK_SECRET</code> and verifies the raw body,
        before any parsing.
      </p>
      <Tabs>
        <TabList aria-label="Language" className={cx(styles['tabs'])}>
          {RECEIVERS.map(({ language }) => (
            <Tab key={language} id={language} className={cx(styles['tab'])}>
              {language}
            </Tab>
          ))}
        </TabList>
        {RECEIVERS.map(({ language, install, program }) => (
          <TabPanel key={language} id={language} className={cx(styles['receiver'])}>
            {install === null ? null : <Code text={install} what={`installation for ${language}`} />}
            <Code text={program} what={`receiver in ${language}`} />
          </TabPanel>
        ))}
      </Tabs>
    </details>
  );
}
