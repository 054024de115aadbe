import { Link } from '@tanstack/react-router';

import { Empty } from '../ui/notes.tsx';
import { Page } from '../ui/page.tsx';
import { Panel } from '../ui/panel.tsx';
import styles from './not-found.module.css';

export function NotFound() {
  return (
    <Page title="There is no such page">
      <Panel>
        <Empty title="Nothing is at this address">
          The address may have a slip in it.{' '}
          <Link to="/" className={styles['link']}>
            Go to the start
          </Link>
        </Empty>
      </Panel>
    </Page>
  );
}
