import { Agent, request } from 'undici';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The text of each cookie that the answer sets. */
  readonly cookies: readonly string[];
  readonly text: string;
  readonly json: any; // eslint-disable-line typescript/no-explicit-any -- tests read it freely
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Keeps cookies and names the origin of its page like a browser. It follows no redirection. */
export class Browser {
  private readonly jar = new Map<string, string>();
  private readonly agent: Agent;

  /**
   * `from`: the local address of its connections. `headers`: sent with every request, by the browser or by a proxy before
   * Paybell.
   */
  constructor(
    private readonly url: string,
    private readonly headers: Headers = {},
    from = '127.0.0.1',
  ) {
    this.agent = new Agent({ localAddress: from, pipelining: 0 });
  }

  /** The value of a cookie. */
  cookie(name = 'paybell_session'): string {
    return this.jar.get(name) ?? '';
  }

  get(path: string, headers: Headers = {}): Promise<Reply> {
    return this.send('GET', path, headers);
  }

  /** Posts a plain form of a page of this site. */
  post(path: string, form: Readonly<Record<string, string>>, headers: Headers = {}): Promise<Reply> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.send('POST', path, { ...type, ...headers }, new URLSearchParams(form).toString());
  }

  signIn(key: string, form: Readonly<Record<string, string>> = {}, headers: Headers = {}): Promise<Reply> {
    return this.post('/dashboard/session', { key, ...form }, headers);
  }

  /** A header that is undefined is left out. */
  async send(method: string, path: string, headers: Headers = {}, body?: string): Promise<Reply> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const own = { accept: 'text/html,*/*', ...(cookie === '' ? {} : { cookie }), ...this.headers };
    const origin = method === 'GET' ? {} : { origin: new URL(this.url).origin };
    const sent = Object.entries({ ...origin, ...own, ...headers }).filter(([, value]) => value !== undefined);
    const answer = await request(`${this.url}${path}`, {
      method: method as 'GET',
      headers: Object.fromEntries(sent) as Record<string, string>,
      dispatcher: this.agent,
      ...(body === undefined ? {} : { body }),
    });
    const cookies = [answer.headers['set-cookie'] ?? []].flat();
    for (const text of cookies) this.keep(text);
    const text = await answer.body.text();
    const isJson = text !== '' && /json/.test(String(answer.headers['content-type']));
    const json: unknown = isJson ? JSON.parse(text) : null;
    return { status: answer.statusCode, headers: answer.headers, cookies, text, json };
  }

  private keep(text: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    if (value === '') this.jar.delete(name);
    else this.jar.set(name, value);
  }
}
