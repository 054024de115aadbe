import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';

import { dropRequestsOfClosed, serializePipelined } from '../../src/platform/http/serialize-pipelined.ts';
import { RawConnection } from '../support/raw-connection.ts';

const REQUEST = 'GET /api/x HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a connection that sends thousands of requests at once', () => {
  let server: Server;

  afterEach(() => new Promise((closed) => server.close(closed)));

  it('is closed, and what Node has read of it already reaches no handler', async () => {
    let handled = 0;
    let answered = 0;
    server = createServer((request, response) => {
      handled += 1;
      // The first is never answered: the others wait behind it.
      serializePipelined(request as Request, response as Response, () => (answered += 1));
    });
    dropRequestsOfClosed(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const connection = await RawConnection.open(`http://127.0.0.1:${port}`);
    connection.read().send(REQUEST.repeat(1_900));
    await connection.whenClosed(5_000);
    expect(answered).toBe(1);
    expect(handled).toBeLessThan(20);
  });
});
