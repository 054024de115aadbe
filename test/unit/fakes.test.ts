import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

const FAKES = 'test/support/fakes';

/** Why a fake is in no contract suite. */
const WITHOUT_SUITE: Readonly<Record<string, string>> = {
  'clock.fake.ts': 'it returns the time that a test has set, and there is no other clock to compare it with',
  'meter.fake.ts':
    'it keeps the calls for a test to read, and its port promises nothing that could be read back',
};

/** Contract suites, and the stages that open the implementations of a port side by side for one. */
const SUITES = [
  ...filesOf('test/contract').filter((file) => file.endsWith('.contract.test.ts')),
  ...filesOf('test/support').filter((file) => file.endsWith('-stages.ts')),
];

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `${folder}/${name}`);
}

function suitesOf(fake: string): string[] {
  return SUITES.filter((suite) => readFileSync(suite, 'utf8').includes(`/fakes/${fake}'`));
}

describe('a fake of a port', () => {
  const fakes = readdirSync(FAKES).filter((name) => name.endsWith('.fake.ts'));

  it.each(fakes.filter((fake) => !Object.hasOwn(WITHOUT_SUITE, fake)))(
    'is in a contract suite, which the real one passes too: %s',
    (fake) => {
      expect(suitesOf(fake)).not.toEqual([]);
    },
  );

  it('is exempt only while it exists', () => {
    expect(fakes).toEqual(expect.arrayContaining(Object.keys(WITHOUT_SUITE)));
  });

  it('stands with nothing but what fakes need', () => {
    const others = readdirSync(FAKES).filter((name) => !name.endsWith('.fake.ts'));
    const texts = fakes.map((fake) => readFileSync(`${FAKES}/${fake}`, 'utf8')).join('\n');
    for (const other of others) expect(texts).toContain(`'./${other}'`);
  });
});
