import { Controller, Get, Query } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ACCESS, Allow } from '../../src/platform/http/access.ts';
import { AnyParameters } from '../../src/platform/http/known-parameters.interceptor.ts';
import { IfGiven, PageLimit, Repeatable } from '../../src/platform/http/list-query.ts';
import { MustBe } from '../../src/platform/http/must-be.ts';
import { Open } from '../../src/platform/http/open-route.ts';
import { ShellApp } from '../support/shell-app.ts';

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
