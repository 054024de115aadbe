import { beforeAll, describe } from '@jest/globals';

import { describeWithChromium } from '../../support/dashboard/chromium.ts';
import { type DashboardStage, describeTheWhole, watchOver } from '../../support/dashboard/dashboard-stage.ts';
import { dailyStage } from './daily-work/daily-stage.ts';
import { keyboard } from './daily-work/keyboard.ts';
import { lists } from './daily-work/lists.ts';
import { orders } from './daily-work/orders.ts';
import { place } from './daily-work/place.ts';
import { proof } from './daily-work/proof.ts';

describeWithChromium('the daily work on the dashboard', () => {
  let paybell: DashboardStage;

  watchOver(() => paybell);
  beforeAll(async () => {
    paybell = await dailyStage();
  });

  // The order matters: each suite adds payments that are newer than those of the former suites.
  lists();
  orders();
  keyboard();
  proof();
  place();

  describe('and all of this together', () => {
    describeTheWhole(() => paybell);
  });
});
