import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { shippedPackages } from '../../tools/sbom/shipped-packages.js';

/**
 * Each of these licences lets a service be sold and run without its sources, and asks for no more than its text beside the
 * copy.
 */
const ALLOWED = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Python-2.0',
  'Unlicense',
]);
/** Packages without a licence in npm's field: the beginning or the terms of their LICENSE. */
const IN_THEIR_FILE: Readonly<Record<string, string>> = {
  'node_modules/busboy': 'Permission is hereby granted, free of charge',
  'node_modules/streamsearch': 'Permission is hereby granted, free of charge',
};

describe('the packages of a release', () => {
  const shipped = shippedPackages();

  it('are those of the service and those of the dashboard, and none that only builds or tests it', () => {
    const places = [...shipped.keys()];
    expect(places).toEqual(expect.arrayContaining(['node_modules/@nestjs/core', 'node_modules/react']));
    for (const tool of ['jest', 'vite', 'rolldown', 'playwright-core'])
      expect(places).not.toContain(`node_modules/${tool}`);
  });

  it('all have a licence of the list', () => {
    const others = [...shipped].filter(
      ([place, { license = '' }]) => !isAllowed(license) && IN_THEIR_FILE[place] === undefined,
    );
    expect(others.map(([place, { license }]) => `${place}: ${license}`)).toEqual([]);
  });

  it.each(Object.entries(IN_THEIR_FILE))('%s has it in its file', (place, terms) => {
    expect(shipped.get(place)?.license).toBeUndefined();
    expect(readFileSync(`${place}/LICENSE`, 'utf8')).toContain(terms);
  });
});

/** `MIT`, or `(MIT OR GPL-3.0)`, of which one licence is enough. */
function isAllowed(license: string): boolean {
  return license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((each) => ALLOWED.has(each.trim()));
}
