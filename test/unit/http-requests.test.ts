import { describe, expect, it, afterAll, beforeAll, beforeEach, afterEach } from '@jest/globals';
import type { Request, Response } from 'express';
import { clientAddress } from '../../src/platform/http/client-address.ts';
import { Controller, Get, Query } from '@nestjs/common';
import { ACCESS, Allow } from '../../src/platform/http/access.ts';
import { AnyParameters } from '../../src/platform/http/known-parameters.interceptor.ts';
import { IfGiven, PageLimit, Repeatable } from '../../src/platform/http/list-query.ts';
import { MustBe } from '../../src/platform/http/must-be.ts';
import { Open } from '../../src/platform/http/open-route.ts';
import { ShellApp } from '../support/shell-app.ts';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Socket } from 'node:net';
import {
  dropRequestsOfClosed,
  refusePipelinedBehind,
  serializePipelined,
} from '../../src/platform/http/serialize-pipelined.ts';
import { RawConnection } from '../support/raw-connection.ts';
import { AnswerAccess, MAX_UNCHECKED_MS, type LongAnswer } from '../../src/platform/http/answer-access.ts';
import { ReadTurns } from '../../src/platform/http/api-key-middleware.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';

it('lets one read begin in each turn of the event loop, in the order of their arrival', async () => {
  const turns = new ReadTurns();
  const seen: string[] = [];
  const reads = ['a', 'b', 'c'].map((name) => turns.next().then(() => seen.push(name)));
  const others = (async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push('-');
    }
  })();
  await Promise.all([...reads, others]);
  expect(seen.join('')).toBe('a-b-c-');
});

describe("a client's address", () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:443', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['[0:0:0:0:0:FFFF:C000:0207]:443', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:0:c000:207', '::ffff:0:c000:207'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['192.0.2.7:', null],
    ['unknown', null],
    ['', null],
    [undefined, null],
  ])('%p is %p: without the port that some proxies write, and IPv4 as people write it', (ip, address) => {
    expect(clientAddress({ ip } as Request)).toBe(address);
  });
});

describe('known parameters', () => {
  class ThingsQuery {
    @IfGiven()
    @Repeatable()
    @MustBe('a letter', () => true)
    letter?: string | string[];

    @PageLimit()
    limit?: string;
  }

  class MoreThingsQuery extends ThingsQuery {
    @IfGiven()
    @MustBe('a colour', () => true)
    colour?: string;
  }

  @Allow(ACCESS.read)
  @Controller('api/things')
  class Things {
    @Get()
    list(@Query() query: ThingsQuery): unknown {
      return query;
    }

    @Get('more')
    more(@Query() query: MoreThingsQuery): unknown {
      return query;
    }

    @Get('one')
    one(): unknown {
      return {};
    }

    @Get('any')
    @AnyParameters()
    any(): unknown {
      return {};
    }
  }

  @Open()
  @Controller('elsewhere')
  class Elsewhere {
    @Get()
    read(): unknown {
      return {};
    }
  }

  const THOSE = 'is not a parameter here; those are: letter, limit';

  let app: ShellApp;

  beforeAll(async () => {
    app = await ShellApp.start([Things, Elsewhere]);
  });
  afterAll(() => app.stop());

  async function errorsOf(path: string): Promise<unknown> {
    const answer = await app.ask(path);
    const { errors } = (await answer.json()) as { errors?: unknown };
    return [answer.status, errors];
  }

  describe('a query parameter', () => {
    it('that is known passes, and so does one that is repeated where it may be', async () => {
      expect(await errorsOf('/api/things?letter=a&letter=b&limit=1')).toEqual([200, undefined]);
      expect(await errorsOf('/api/things/more?letter=a&letter=b&colour=red')).toEqual([200, undefined]);
      expect(await errorsOf('/api/things?')).toEqual([200, undefined]);
    });

    it.each([
      ['letters=a', 'letters'],
      ['Letter=a', 'Letter'],
      ['letter[]=a', 'letter[]'],
      ['letter%5B0%5D=a', 'letter[0]'],
      ['constructor=1', 'constructor'],
      ['__proto__=1', '__proto__'],
      ['colour=red', 'colour'],
      ['letters=', 'letters'],
      ['letters', 'letters'],
      ['=1', 'query'],
    ])('that is not known is refused, and the known ones are named: %s', async (query, field) => {
      expect(await errorsOf(`/api/things?${query}`)).toEqual([400, [{ field, message: THOSE }]]);
      expect(await errorsOf(`/API/THINGS/?${query}`)).toEqual([400, [{ field, message: THOSE }]]);
    });

    it('is refused where there are none', async () => {
      expect(await errorsOf('/api/things/one?expand=all')).toEqual([
        400,
        [{ field: 'expand', message: 'is not a parameter here: there are none' }],
      ]);
    });

    it('is refused when it is repeated and may not be', async () => {
      expect(await errorsOf('/api/things?limit=1&limit=1')).toEqual([
        400,
        [{ field: 'limit', message: 'must be given once' }],
      ]);
    });

    it('is not repeated at length, and of many only some', async () => {
      const names = Array.from({ length: 60 }, (_none, index) => `${index}${'x'.repeat(200)}=`);
      const answer = await app.ask(`/api/things?${names.join('&')}`);
      const { errors } = (await answer.json()) as { errors: { field: string }[] };
      expect(errors).toHaveLength(10);
      for (const { field } of errors) expect(field).toHaveLength(100);
    });

    it('is ignored where a client of the spec may send it, at an unknown path, and outside /api', async () => {
      expect(await errorsOf('/api/things/any?x=1&x=2')).toEqual([200, undefined]);
      expect(await errorsOf('/elsewhere?x=1')).toEqual([200, undefined]);
    });

    it('is not checked before the key is', async () => {
      expect((await app.ask('/api/things?x=1', { headers: { 'x-api-key': 'wrong' } })).status).toBe(401);
    });
  });
});

const REQUEST = 'GET /api/x HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a connection that sends thousands of requests at once', () => {
  let server: Server;
  let handled = 0;
  let started = 0;

  beforeEach(() => {
    handled = 0;
    started = 0;
  });
  afterEach(() => new Promise((closed) => server.close(closed)));

  async function open(start: (socket: Socket, response: Response) => void): Promise<RawConnection> {
    server = createServer((request, response) => {
      handled += 1;
      serializePipelined(request as Request, response as Response, () => {
        started += 1;
        start(request.socket, response as Response);
      });
    });
    dropRequestsOfClosed(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    return (await RawConnection.open(`http://127.0.0.1:${port}`)).read();
  }

  it('is answered as often as requests may wait, and closed then', async () => {
    const connection = await open((_socket, response) => {
      // More requests come at the moment of each answer, the last one included.
      setTimeout(() => {
        response.end('ok');
        connection.send(REQUEST.repeat(3));
      }, 5);
    });
    connection.send(REQUEST.repeat(1_900));
    await connection.whenClosed(5_000);
    expect(connection.statuses).toEqual(Array(17).fill(200));
    expect(started).toBe(17);
  });

  it('is closed at once behind an answer without an end, and the rest that Node has read reaches no handler', async () => {
    const connection = await open((socket) => refusePipelinedBehind(socket));
    connection.send(REQUEST.repeat(1_900));
    await connection.whenClosed(5_000);
    expect([started, handled]).toEqual([1, 2]);
  });
});

type Answer = () => Promise<boolean>;

function answerOf(accessId: string, isAllowed: Answer): LongAnswer {
  return { accessId, isAllowed };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Checks these answers at each of the times; returns the refused ones. */
async function refusedAt(clients: readonly LongAnswer[], ...times: number[]): Promise<LongAnswer[]> {
  const refused = new Set<LongAnswer>();
  const access = new AnswerAccess((client) => void refused.add(client));
  for (const now of times) {
    access.check(clients, now);
    await turn();
  }
  return [...refused];
}

describe('the long answers of a key', () => {
  it('are checked together, once, and end together', async () => {
    let asked = 0;
    const ask = async (): Promise<boolean> => {
      asked += 1;
      return false;
    };
    const [one, two, other] = [answerOf('a', ask), answerOf('a', ask), answerOf('b', async () => true)];
    expect(await refusedAt([one, two, other], 0)).toEqual([one, two]);
    expect(asked).toBe(1);
  });

  it('end when their key could not be checked for half a minute: the database does not answer, or fails', async () => {
    const failing = answerOf('a', () => Promise.reject(new StoreUnavailable()));
    const hanging = answerOf('b', () => new Promise(() => undefined));
    const known = answerOf('c', async () => true);
    const clients = [failing, hanging, known];
    expect(await refusedAt(clients, 0, 1_500, MAX_UNCHECKED_MS - 1)).toEqual([]);
    expect(await refusedAt(clients, 0, 1_500, MAX_UNCHECKED_MS)).toEqual([failing, hanging]);
  });

  it('go on after an outage that was shorter, which the next one does not continue', async () => {
    let isAway = true;
    const client = answerOf('a', () =>
      isAway ? Promise.reject(new StoreUnavailable()) : Promise.resolve(true),
    );
    const refused: LongAnswer[] = [];
    const access = new AnswerAccess((each) => void refused.push(each));
    for (const [now, away] of [
      [0, true],
      [20_000, false],
      [25_000, true],
      [49_000, true],
      [50_000, true],
    ] as const) {
      isAway = away;
      access.check([client], now);
      await turn();
      expect(refused).toEqual(now < 50_000 ? [] : [client]);
    }
  });
});
