import { expect, it } from '@jest/globals';

import { readTraceparent } from '../../src/domain/text/traceparent.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it.each([
  [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
  // A later version is read as far as this one goes.
  [`cc-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-adds`, `00-${TRACE}-${SPAN}-01`],
])('reads %s', (header, read) => {
  expect(readTraceparent(header)).toBe(read);
});

it.each([
  undefined,
  '',
  'garbage',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01 `,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `cc-${TRACE}-${SPAN}-01.more`,
  [`00-${TRACE}-${SPAN}-01`],
])('ignores %j', (header) => {
  expect(readTraceparent(header)).toBeNull();
});
