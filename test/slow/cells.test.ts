import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { AppProcess } from '../support/app-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  firstArrivals,
  PLAIN_STORY,
  type PublishedEvent,
  storyOf,
  waitForStories,
} from '../support/published-events.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { StatusRequests } from '../support/status-requests.ts';
import { Subscriber } from '../support/subscriber.ts';

/** The provider's limit; each cell gets half. */
const PROVIDER_RPM = 1_200;
/** The size of a burst in each cell: a fiftieth of its minute's requests. */
const BURST = PROVIDER_RPM / 50;
/** Replicas hold taken requests for a moment, and the network may bunch them up. */
const HELD_S = 2;
const PAYMENTS_OF_A_CELL = 10;
const WITHIN_MS = 60_000;
const STEPS = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];

interface Cell {
  readonly source: string;
  readonly env: Record<string, string>;
  app: AppProcess;
  quoteIds: readonly string[];
}

describeWithBroker(
  'two cells, each with a database and an EVENT_SOURCE, on one broker and one provider',
  () => {
    const databases: TestDatabase[] = [];
    let stage: Stage;
    let merged: Subscriber;
    let cells: Cell[];
    let all: string[];

    async function openCell(source: string): Promise<Cell> {
      const database = await createTestDatabase();
      databases.push(database);
      const env = stage.env({
        DATABASE_URL: database.url,
        EVENT_SOURCE: source,
        PROVIDER_MAX_RPM: String(PROVIDER_RPM / 2),
        RABBITMQ_URL: brokerUrl(),
      });
      return { source, env, app: await AppProcess.startReady(env), quoteIds: [] };
    }

    beforeAll(async () => {
      stage = await Stage.open();
      merged = await Subscriber.open(brokerUrl(), stage.exchange);
      cells = await Promise.all(['cell-a', 'cell-b'].map(openCell));
      for (const cell of cells) cell.quoteIds = await stage.quotes(cell.app, PAYMENTS_OF_A_CELL);
      all = cells.flatMap(({ quoteIds }) => quoteIds);
      for (const [index, status] of STEPS.entries()) {
        stage.say(all, status);
        // The death of a cell in the middle loses nothing either, and the other cell goes on.
        if (status === 'EXECUTING') await restart(cells[0] as Cell);
        await waitForStories(() => merged.events, all, index + 2, WITHIN_MS);
      }
    }, 4 * WITHIN_MS);

    afterAll(async () => {
      await Promise.all(cells.map(({ app }) => app.remove()));
      for (const database of databases) await database.drop();
    });

    async function restart(cell: Cell): Promise<void> {
      await cell.app.kill9();
      cell.app = await AppProcess.startReady(cell.env);
    }

    async function feedOf({ app }: Cell): Promise<PublishedEvent[]> {
      return (await jsonOf(await app.fetch('/api/events?limit=100'), 200))['data'] as PublishedEvent[];
    }

    it('are read as one log: each payment in its order, and nothing is lost', async () => {
      expect(firstArrivals(merged.events)).toEqual(storyOf(all));
      const recorded = (await Promise.all(cells.map(feedOf))).flat();
      expect(recorded).toHaveLength(all.length * PLAIN_STORY.length);
      const ids = (events: readonly PublishedEvent[]): string[] =>
        [...new Set(events.map(({ id }) => id))].toSorted();
      expect(ids(merged.events)).toEqual(ids(recorded));
    });

    it('name themselves in each event', () => {
      for (const { source, quoteIds } of cells) {
        const sources = merged.events
          .filter(({ subject }) => quoteIds.includes(subject))
          .map((event) => event.source);
        expect([...new Set(sources)]).toEqual([source]);
      }
    });

    it('keep the provider’s budget together, and use it', () => {
      const requests = new StatusRequests(stage.provider);
      for (const seconds of [1, 2, 5, 10, 20]) {
        const share = (PROVIDER_RPM / 60) * (seconds + HELD_S);
        expect(requests.busiest(seconds * 1_000)).toBeLessThanOrEqual(share + 2 * BURST);
      }
      expect(requests.busiest(60_000)).toBeLessThanOrEqual(PROVIDER_RPM);
      for (const { quoteIds } of cells)
        expect(quoteIds.every((id) => stage.provider.calls.polls(id).length >= STEPS.length)).toBe(true);
    });
  },
);
