import { describe, expect, it } from '@jest/globals';

import { eventLine, oneLine, readEvent } from '../../src/cli/events/event-line.ts';
import { forwardLine } from '../../src/cli/listen/listen.ts';
import { isPrintable } from '../../src/domain/text/printable.ts';

/** Clears the screen, changes colours, and writes from right to left. */
const HOSTILE = '\u001b[2J\u009b31m\u202e\n';

const BODY = JSON.stringify({
  id: HOSTILE,
  time: `time${HOSTILE}`,
  type: `type${HOSTILE}`,
  data: {
    quoteId: `quote${HOSTILE}`,
    orderId: `order${HOSTILE}`,
    sequence: `1${HOSTILE}`,
    status: `status${HOSTILE}`,
    reason: `reason${HOSTILE}`,
    late: false,
  },
});

describe('what a hostile server sends', () => {
  it('moves no cursor and changes no colour in the lines of "listen"', () => {
    const event = { id: HOSTILE, type: `type${HOSTILE}`, body: BODY };
    const forwarded = { delivered: false, httpStatus: null, failure: `failure${HOSTILE}`, durationMs: 7 };
    const line = forwardLine(event, forwarded);
    expect(line.split(/\s+/)).toEqual(expect.arrayContaining(['time', 'type', 'quote', '#1', 'failure']));
    expect(isPrintable(line.trimEnd())).toBe(true);
  });

  it('is escaped in JSON, which stays the same value', () => {
    const line = oneLine(`{\r\n\t"a": ${JSON.stringify(HOSTILE)}}`);
    expect(isPrintable(line)).toBe(true);
    expect(JSON.parse(line)).toEqual({ a: HOSTILE });
  });

  it('moves no cursor and changes no colour in the lines of "events tail"', () => {
    const line = eventLine(readEvent(BODY));
    expect(line.split(/\s+/)).toEqual(
      expect.arrayContaining(['time', 'type', 'quote', '#1', 'status', 'order']),
    );
    expect(isPrintable(line.trimEnd())).toBe(true);
  });
});
