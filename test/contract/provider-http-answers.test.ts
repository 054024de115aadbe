import { afterEach, describe, expect, it } from '@jest/globals';

import {
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderRefused,
  ProviderUnavailable,
  type StatusAnswer,
} from '../../src/ports/payment-provider.ts';
import {
  QUOTE_REQUEST,
  reportOf,
  ScriptedProviders,
  statusOf,
  unavailable,
} from '../support/scripted-provider.ts';

const providers = new ScriptedProviders();
afterEach(() => providers.stop());

const QUOTE = '{"success":true, "quoteId":"quote-1","expiresIn":300,"send":{"depositAddress":"0xabc"}}';

/** The results of a status request and a quote request to which the provider gives the same answer. */
const statusAndQuote = async (
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Promise<[StatusAnswer, unknown]> => {
  const provider = providers.client(await providers.answering(status, body, headers));
  return [
    await statusOf(provider),
    await provider.createQuote(QUOTE_REQUEST).catch((error: unknown) => error),
  ];
};

describe('what the http provider reads', () => {
  it('keeps a report verbatim: unknown fields, unknown statuses, digits beyond any double', async () => {
    const text =
      '{ "status":"REFUNDING","quoteId":"quote-1","new":{"a":[1]},"deposit":{"wei":123456789012345678901234567890},' +
      ' "rate":0.10000000000000000001 }\n';
    const provider = providers.client(await providers.answering(200, text, { 'content-type': 'text/plain' }));
    expect(await statusOf(provider)).toMatchObject({ kind: 'report', report: { status: 'REFUNDING', text } });
  });

  it('sees that an amount changed in its thirtieth digit', async () => {
    let last = 0;
    const base = await providers.http((_request, response) => {
      last += 1;
      response.end(`{"status":"EXECUTING","deposit":{"wei":12345678901234567890123456789${last}}}`);
    });
    const provider = providers.client(base);
    const [one, two] = [await statusOf(provider), await statusOf(provider)];
    if (one.kind !== 'report' || two.kind !== 'report') throw new Error('no reports');
    expect(one.report.partDigests.deposit).not.toBe(two.report.partDigests.deposit);
  });

  it('leaves it to the tracker to refuse a report about another quote', async () => {
    const provider = providers.client(await providers.answering(200, reportOf('quote-2')));
    expect(await statusOf(provider)).toMatchObject({ kind: 'report', report: { quoteId: 'quote-2' } });
  });

  it.each([200, 201])('keeps a quote verbatim that comes with status %i', async (status) => {
    const quote = await providers.client(await providers.answering(status, QUOTE)).createQuote(QUOTE_REQUEST);
    expect(quote).toEqual({
      quoteId: 'quote-1',
      expiresIn: 300,
      depositAddress: '0xabc',
      text: QUOTE,
      expectedMs: null,
    });
  });

  it.each([
    ['no id', '{"success":true,"send":{"depositAddress":"0xabc"}}'],
    ['an id that fits no path', '{"success":true,"quoteId":"../x","send":{"depositAddress":"0xabc"}}'],
    ['no deposit address', '{"success":true,"quoteId":"quote-1","send":{}}'],
    ['no JSON', '<html></html>'],
  ])('does not take a quote with %s', async (_name, body) => {
    const made = providers.client(await providers.answering(200, body)).createQuote(QUOTE_REQUEST);
    await expect(made).rejects.toBeInstanceOf(ProviderUnavailable);
  });

  it('takes success: false for a refusal, in the words of the provider', async () => {
    const base = await providers.answering(
      200,
      '{"success":false,"error":{"message":"No route for this pair"}}',
    );
    const refused = new ProviderRefused(422, 'No route for this pair');
    await expect(providers.client(base).createQuote(QUOTE_REQUEST)).rejects.toEqual(refused);
    await expect(providers.client(base).searchCurrencies({})).rejects.toEqual(refused);
  });

  it('hands the lists on verbatim, and refuses what is none', async () => {
    const text = '{"success":true,\n "chains":[{"id":1,"new":1.00}]}';
    expect(await providers.client(await providers.answering(200, text)).readChains()).toBe(text);
    for (const body of ['[]', '{"success":true}', '{"success":false,"chains":[]}', '{"chains":{}}']) {
      const read = providers.client(await providers.answering(200, body)).readChains();
      await expect(read).rejects.toEqual(new ProviderUnavailable('unreadable answer'));
    }
  });
});

describe('what the http provider makes of an HTTP status', () => {
  it.each([400, 404, 422] as const)('%i is a refusal in the words of the provider', async (status) => {
    const [answer, thrown] = await statusAndQuote(status, '{"message":"Nothing known of it"}');
    expect(answer).toEqual({ kind: 'refused', httpStatus: status, message: 'Nothing known of it' });
    expect(thrown).toEqual(new ProviderRefused(status, 'Nothing known of it'));
  });

  describe('404 to a quote or a list', () => {
    const NOT_THERE: [string, string][] = [
      ['a page', '<html><body>Cannot POST</body></html>'],
      ['nothing', ''],
      ['no object', '"Not found"'],
      ['an object without a word', '{"status":404}'],
      ['Express', '{"message":"Cannot POST /api/quote and GET /api/chains and POST /api/currencies"}'],
      ['Spring', '{"status":404,"error":"Not Found","path":"/api/quote,/api/chains,/api/currencies"}'],
      ['Starlette', '{"detail":"Not Found"}'],
      ['Rails', '{"status":404,"error":"Not Found"}'],
      [
        'another Paybell',
        '{"type":"urn:paybell:problem:not_found","success":false,"code":"not_found","detail":"There is nothing here."}',
      ],
    ];

    it.each(NOT_THERE)('from %s means that no API is there, and names the URL', async (_what, body) => {
      const base = await providers.answering(404, body);
      const provider = providers.client(`${base}/v1/`);
      const published = (asked: string): Error =>
        new ProviderMisconfigured(asked.replace(' ', ` ${base}/v1`));
      await expect(provider.createQuote(QUOTE_REQUEST)).rejects.toEqual(published('POST /api/quote'));
      await expect(provider.readChains()).rejects.toEqual(published('GET /api/chains'));
      await expect(provider.searchCurrencies({})).rejects.toEqual(published('POST /api/currencies'));
      await expect(provider.readChains()).rejects.toThrow(
        `GET ${base}/v1/api/chains answered 404. Check PROVIDER_BASE_URL (without /api).`,
      );
      expect(await statusOf(provider)).toMatchObject({ kind: 'refused', httpStatus: 404 });
    });

    it.each([
      '{"success":false,"error":"Not found"}',
      '{"success":false}',
      '{"error":"Token not found"}',
      '{"message":"No route for this pair"}',
      '{"success":false,"code":"not_found","detail":"There is no such token."}',
    ])('with the words of the provider is its own: %s', async (body) => {
      const provider = providers.client(await providers.answering(404, body));
      await expect(provider.createQuote(QUOTE_REQUEST)).rejects.toMatchObject({ httpStatus: 404 });
      await expect(provider.searchCurrencies({})).rejects.toBeInstanceOf(ProviderRefused);
    });
  });

  it.each([401, 403])('%i means that our key is not taken', async (status) => {
    const [answer, thrown] = await statusAndQuote(status, '{"message":"bad key"}');
    expect(answer).toEqual({ kind: 'credentials' });
    expect(thrown).toBeInstanceOf(ProviderCredentials);
  });

  it.each([429, 503, 304, 418])('%i is no answer', async (status) => {
    const [answer, thrown] = await statusAndQuote(status, '{"success":true}', { 'retry-after': '3' });
    expect(answer).toEqual(unavailable(`status ${status}`, status, 3_000));
    expect(thrown).toMatchObject({ reason: `status ${status}`, retryAfterMs: 3_000 });
  });

  it('reads Retry-After as a date too', async () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    const [answer] = await statusAndQuote(503, '', { 'retry-after': date });
    const { retryAfterMs } = answer as { retryAfterMs: number };
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it('never repeats the key, even where the provider echoes it', async () => {
    const [answer, thrown] = await statusAndQuote(
      400,
      '{"message":"the key key-of-the-provider is not for quotes"}',
    );
    expect(JSON.stringify(answer)).not.toContain('key-of-the-provider');
    expect(String(thrown)).toBe('Error: the key *** is not for quotes');
  });
});
