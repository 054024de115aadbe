import { describe, expect, it } from '@jest/globals';

import { compareReleases } from '../../src/database/gate/compare-releases.ts';

describe('releases', () => {
  it('are ordered by their numbers, and pre-releases come first', () => {
    const ordered = ['0.1.0-rc.2', '0.1.0-rc.10', '0.1.0', '0.1.1', '0.2.0', '0.10.0', '1.0.0-beta', '1.0.0'];
    expect(ordered.toReversed().sort(compareReleases)).toEqual(ordered);
    expect(compareReleases('0.1.0+build.7', '0.1.0')).toBe(0);
  });
});
