import { beforeAll, describe, expect, it } from '@jest/globals';

import { MIGRATIONS } from '../../src/database/schema/migrations.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { SharedProcess, type SharedService } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any -- tests read it freely

const shared = new SharedProcess();
let stage: Stage;
let app: SharedService;

const read = async (path: string): Promise<Json> => jsonOf(await app.fetch(path), 200);

beforeAll(async () => {
  stage = await Stage.open();
  app = await stage.startIn(shared);
  const quoteId = await stage.quote(app);
  stage.say([quoteId], 'COMPLETED');
  await waitFor(async () => (await stage.at([quoteId], 'COMPLETED')).length === 1);
  expect(await app.stop()).toBe(0);
  app = await stage.startIn(shared);
});

describe('figures', () => {
  it('of the process before are there after a restart', async () => {
    const { all } = await read('/api/figures');
    const sum = (pick: (point: Json) => number | undefined): number =>
      all.reduce((total: number, point: Json) => total + (pick(point) ?? 0), 0);
    expect(sum(({ changes }) => changes['payment.created'])).toBe(1);
    expect(sum(({ changes }) => changes['payment.completed'])).toBe(1);
    expect(sum(({ polls }) => polls.changed)).toBe(1);
    expect(sum(({ requests }) => requests.count)).toBeGreaterThanOrEqual(1);
  });
});

describe('the system', () => {
  it('has its versions, its schema and its retention', async () => {
    const system = await read('/api/system');
    expect(system).toMatchObject({
      roles: ['api', 'tracker', 'dispatcher', 'public'],
      node: process.versions.node,
      database: {
        version: expect.stringMatching(/^\d+\.\d+$/),
        isOwnSchema: true,
        migration: MIGRATIONS.at(-1)?.name.replace(/\d+$/, ''),
      },
      retention: { paymentsDays: 90, auditDays: 365, figuresDays: 14 },
    });
    expect(system['database'].schemaRelease).toBe(system['release']);
  });
});
