import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';

import { useEvents, useFeedState, type FeedState } from '../../api/event-feed.ts';
import type { PaymentEvent } from '../../api/types.ts';
import { count, counted } from '../../format/amount.ts';
import { EVENT_TYPES, type Word } from '../../format/words.ts';
import { Button } from '../../ui/button.tsx';
import chip from '../../ui/chip.module.css';
import { cx } from '../../ui/cx.ts';
import { Empty, LeftOut } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tag } from '../../ui/tag.tsx';
import { formerQuery } from './former-query.ts';
import { EventRow } from './event-row.tsx';
import styles from './live.module.css';
import { leftOutOfLive, type LiveSearch, readLiveSearch } from './live-search.ts';

/** How many of the newest events are kept. */
const MAX_EVENTS = 500;
const route = getRouteApi('/shell/live');

const FEED_WORDS: Readonly<Record<FeedState, Word>> = {
  live: { text: 'Live', tone: 'ok' },
  broken: { text: 'Connecting again', tone: 'warn' },
  off: { text: 'Connecting', tone: 'wait' },
};

/** Events as they come. While the screen is paused, new events are counted and wait. */
export function LiveScreen() {
  const asked = route.useSearch();
  const search = readLiveSearch(asked);
  const [events, setEvents] = useState<readonly PaymentEvent[]>([]);
  const [held, setHeld] = useState<readonly PaymentEvent[] | null>(null);
  const { data: former, isPending } = useQuery(formerQuery);
  const [isCleared, setIsCleared] = useState(false);
  const { text, tone } = FEED_WORDS[useFeedState()];
  useEvents((event) => {
    if (held === null) setEvents((former) => [event, ...former].slice(0, MAX_EVENTS));
    else setHeld((former) => [event, ...(former ?? [])].slice(0, MAX_EVENTS));
  });
  const isPaused = held !== null;
  const known = new Set(events.map(({ id }) => id));
  const earlier = isCleared ? [] : (former ?? []).filter(({ id }) => !known.has(id));
  const shown = [...events, ...earlier].filter(
    ({ type }) => search.type === undefined || search.type.some((one) => one === type),
  );

  function toggle(): void {
    if (held !== null) setEvents([...held, ...events].slice(0, MAX_EVENTS));
    setHeld(held === null ? [] : null);
  }

  return (
    <Page
      title="Live"
      beside={
        <Tag tone={isPaused ? 'warn' : tone}>
          {isPaused ? `Paused, ${counted(held.length, 'event')} held` : text}
        </Tag>
      }
      actions={
        <>
          <Button
            kind="quiet"
            onClick={() => {
              setEvents([]);
              setIsCleared(true);
            }}
          >
            Clear
          </Button>
          <Button kind={isPaused ? 'primary' : 'plain'} onClick={toggle} aria-pressed={isPaused}>
            {isPaused ? 'Go on' : 'Pause'}
          </Button>
        </>
      }
    >
      <LeftOut sentences={leftOutOfLive(asked)} />
      <TypeFilter search={search} />
      <Panel isFlush>
        {shown.length === 0 && isPending ? (
          <Skeleton lines={4} isTall />
        ) : shown.length === 0 ? (
          <Empty title="Nothing has happened yet">
            Each event of every payment appears here in the moment in which it is recorded.
          </Empty>
        ) : (
          <ul
            className={styles['events']}
            aria-label={`The last ${count(shown.length)} events, the newest first`}
          >
            {shown.map((event) => (
              <EventRow key={event.id} event={event} />
            ))}
          </ul>
        )}
      </Panel>
    </Page>
  );
}

function TypeFilter({ search }: { search: LiveSearch }) {
  const chosen = search.type ?? [];
  return (
    <div className={chip['chips']} role="group" aria-label="Types of event">
      {EVENT_TYPES.map((type) => {
        const isOn = chosen.includes(type);
        const next = isOn ? chosen.filter((one) => one !== type) : [...chosen, type];
        return (
          <Link
            key={type}
            to="/live"
            search={next.length === 0 ? {} : { type: next }}
            className={cx(chip['chip'], isOn && chip['on'])}
            aria-current={isOn ? 'true' : undefined}
          >
            {type.replace('payment.', '')}
          </Link>
        );
      })}
    </div>
  );
}
