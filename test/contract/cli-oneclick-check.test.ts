import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { asText, type CheckLine } from '../../src/cli/provider/check-list.ts';
import { checkProvider } from '../../src/cli/provider/provider-check.ts';
import { OneClickStandIn } from '../../tools/oneclick-stand-in/oneclick-stand-in.ts';
import { configOf } from '../support/config-of.ts';

const KEY = 'key-that-nobody-may-see';
/** A part of each line; what is marked as uncertain in the fact sheet, sections 9.5 and 12. */
const TRIED = [
  'tokens',
  'Bitcoin',
  'dry quote',
  'dry quote of an exact output',
  'quote',
  'status',
  'signature in a status',
  'status with a wrong memo',
  'invented deposit',
  'status after an invented deposit',
  'wrong key',
  'fee without a key',
  'fee with the key',
  'key as a bearer token',
  'amount of one unit',
  'least amount of BNB Chain',
  'least amount of Tron',
  'app fees',
  'memo of XRP',
  'memo of TON',
  'letters of an echoed address',
  'wrong checksum of an address',
  'deadline in the past',
  'deadline in 90 days',
  'headers of limits',
];

describe('the check of 1Click', () => {
  let oneClick: OneClickStandIn;

  beforeAll(async () => {
    oneClick = await OneClickStandIn.start({ apiKeys: [KEY] });
  });

  afterAll(() => oneClick.close());

  async function checked(change: Record<string, string> = {}): Promise<{
    lines: readonly CheckLine[];
    isGood: boolean;
    text: string;
    lineOf: (check: string) => CheckLine;
  }> {
    const config = configOf({
      PROVIDER: 'oneclick',
      ONECLICK_BASE_URL: oneClick.url,
      ONECLICK_API_KEY: KEY,
      ONECLICK_QUOTE_KEY: oneClick.signer.publicKey,
      ONECLICK_REFUND_TO: `evm:0x${'ab'.repeat(20)},tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t,xrp:rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY,ton:EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs`,
      ONECLICK_APP_FEES: 'shop.near:30',
      ...change,
    });
    const list = await checkProvider(config, 'oneclick');
    const { lines, isGood } = list;
    const lineOf = (check: string): CheckLine => {
      const found = lines.find((line) => line.check === check);
      if (found === undefined) throw new Error(`no line about ${check}`);
      return found;
    };
    return { lines, isGood, text: asText(list, 'oneclick'), lineOf };
  }

  it('tries all that is uncertain and costs nothing, and says what was expected and what was seen', async () => {
    const { lines, isGood, text } = await checked();
    const tried = lines.filter(({ outcome }) => outcome !== 'not tried');
    expect(tried.map(({ check }) => check).sort()).toEqual([...TRIED].sort());
    for (const { detail } of tried) expect(detail).toMatch(/^expected .+; seen: ./);
    expect(tried.filter(({ outcome }) => outcome === 'differs').map(({ check }) => check)).toEqual([]);
    expect(isGood).toBe(true);
    expect(text).not.toContain(KEY);
    const untried = lines.filter(({ outcome }) => outcome === 'not tried');
    for (const { detail } of untried) expect(detail).toMatch(/\w{3}/);
  });

  it('pays nothing, and leaves quotes behind that nobody pays', async () => {
    const before = oneClick.requests.length;
    await checked();
    const asked = oneClick.requests.slice(before);
    expect(asked.length).toBeLessThan(40);
    const real = asked.filter(({ path, body }) => path === '/v0/quote' && !(body as { dry: boolean }).dry);
    expect(real.length).toBeLessThanOrEqual(3);
  });

  it('says which essential thing differs', async () => {
    oneClick.lie('another recipient');
    const { isGood, lineOf } = await checked();
    oneClick.recover();
    expect(isGood).toBe(false);
    expect(lineOf('quote')).toMatchObject({
      outcome: 'differs',
      detail: expect.stringContaining('it differs in: recipient'),
    });
    expect(lineOf('status')).toMatchObject({ outcome: 'not tried', isEssential: true });
  });

  it('checks the signature with the key of the settings', async () => {
    const { isGood, lineOf } = await checked({
      ONECLICK_QUOTE_KEY: 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc',
    });
    expect([isGood, lineOf('quote').detail]).toEqual([
      false,
      expect.stringContaining('differs in: signature'),
    ]);
  });

  it('works without a key, and says what it could not try', async () => {
    const { isGood, lineOf } = await checked({ ONECLICK_API_KEY: '', ONECLICK_APP_FEES: '' });
    expect(isGood).toBe(true);
    expect(lineOf('fee without a key').detail).toContain('seen: 20 bp');
    for (const check of ['fee with the key', 'key as a bearer token', 'app fees'])
      expect(lineOf(check).outcome).toBe('not tried');
  });

  it('tries nothing else where nothing answers', async () => {
    const { isGood, lines, lineOf } = await checked({ ONECLICK_BASE_URL: 'http://127.0.0.1:1' });
    expect(isGood).toBe(false);
    expect(lineOf('tokens')).toMatchObject({
      outcome: 'differs',
      detail: expect.stringContaining('no answer'),
    });
    expect(lines.filter(({ outcome }) => outcome !== 'not tried')).toHaveLength(1);
  });
});
