import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';

import { beforeAll, expect, it } from '@jest/globals';

const run = promisify(execFile);
const BUILT_WITHIN_MS = 120_000;
const DEMO_WITHIN_MS = 130_000;
const CARRIERS = { 'A-2001': 'http', 'A-2003': 'relay', 'A-2005': 'oneclick', 'A-2007': 'chainflip' };
const SENT_BACK = { 'A-2002': 'http', 'A-2004': 'relay', 'A-2006': 'oneclick', 'A-2008': 'chainflip' };

beforeAll(() => run('npm', ['run', 'build:tools', '--silent']), BUILT_WITHIN_MS);

it(
  'npm run demo -- --providers plays eight payments over four providers, one of which dies on the way, and every event arrives',
  async () => {
    const { stdout } = await run(process.execPath, ['build/tools/demo/demo.js', '--providers']);
    const printed = stripVTControlCharacters(stdout);
    for (const [orderId, provider] of Object.entries(CARRIERS))
      expect(printed).toMatch(new RegExp(`^${orderId} +${provider} +COMPLETED .* ✓`, 'm'));
    for (const [orderId, provider] of Object.entries(SENT_BACK))
      expect(printed).toMatch(new RegExp(`^${orderId} +${provider} +FAILED .* ✓`, 'm'));
    const [dies, isBack] = ['oneclick dies', 'oneclick is back'].map((text) => printed.indexOf(text));
    const endOf = (orderId: string): number =>
      printed.search(new RegExp(`webhook +${orderId} .*payment\\.(?:completed|failed)`));
    for (const orderId of ['A-2001', 'A-2002', 'A-2003', 'A-2004', 'A-2007', 'A-2008']) {
      expect(endOf(orderId)).toBeGreaterThan(dies ?? 0);
      expect(endOf(orderId)).toBeLessThan(isBack ?? 0);
    }
    for (const orderId of ['A-2005', 'A-2006']) expect(endOf(orderId)).toBeGreaterThan(isBack ?? 0);
    expect(printed).toMatch(/All \d+ events arrived as a signed webhook.*, in order, without a gap\./);
  },
  DEMO_WITHIN_MS,
);
