const OK = 'HTTP/1.1 200 OK\r\n';

/** Odd heads that RFC 9110 and 9112 let a recipient read: each begins a final answer of status 200 with this body. */
export function spokenHttp(body: string): [string, string][] {
  const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
  const whole = `${OK}${length}\r\n${body}`;
  const chunks = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  return [
    ...interims().map(([name, head]): [string, string] => [name, head + whole]),
    ['empty lines before it', `\r\n\r\n${whole}`],
    ['a folded line', `${OK}x-a: b\r\n c\r\n\td\r\n${length}\r\n${body}`],
    ['white space before the first line', `${OK} x\r\n${length}\r\n${body}`],
    ['a folded length', `${OK}content-length:\r\n ${Buffer.byteLength(body)}\r\n\r\n${body}`],
    ['a space before a colon', `${OK}x : y\r\n${length.replace(':', ' :')}\r\n${body}`],
    ['line feeds alone', whole.replaceAll('\r\n', '\n')],
    ['line ends of both kinds', `${OK}${length}\n${body}`],
    ['a carriage return in a value', `${OK}x: a\rb\r\n${length}\r\n${body}`],
    ['control characters in a value', `${OK}x: a\0b\u0001\r\n${length}\r\n${body}`],
    ['a name that is none', `${OK}x y: z\r\n(x): z\r\n: z\r\n${length}\r\n${body}`],
    ['a line without a colon', `${OK}x\r\n${length}\r\n${body}`],
    ['no reason', `HTTP/1.1 200\r\n${length}\r\n${body}`],
    ['white space around the status', `HTTP/1.1  200\tOK\r\n${length}\r\n${body}`],
    ['a later minor version', `HTTP/1.2 200 OK\r\n${length}\r\n${body}`],
    ['HTTP/1.0, to the end of the connection', `HTTP/1.0 200 OK\r\n\r\n${body}`],
    ['no length, to the end of the connection', `${OK}\r\n${body}`],
    ['its length twice', `${OK}${length}${length}\r\n${body}`],
    ['its length as a list', `${OK}${length.trim()}, ${Buffer.byteLength(body)}\r\n\r\n${body}`],
    ['its length as a list with empty elements', `${OK}${length.trim()}, ,\r\n\r\n${body}`],
    ['a coding that is empty', `${OK}transfer-encoding:\r\n${length}\r\n${body}`],
    ['chunks as a list with empty elements', `${OK}transfer-encoding: , chunked,\r\n\r\n${chunks}`],
    ['the coding identity', `${OK}transfer-encoding: identity\r\n${length}\r\n${body}`],
    ['chunks and a length', `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`],
    ['a length and chunks', `${OK}Transfer-Encoding: Chunked\r\ncontent-length: 1\r\n\r\n${chunks}`],
    [
      'its content coding twice',
      `${OK}content-encoding: identity\r\nContent-Encoding: identity\r\n${length}\r\n${body}`,
    ],
    ['an offer to upgrade', `${OK}connection: upgrade\r\nupgrade: h2c\r\n${length}\r\n${body}`],
    ['its end announced', `${OK}connection: keep-alive, close\r\n${length}\r\n${body}`],
  ];
}

function interims(): [string, string][] {
  const interim = (status: string, ...lines: string[]): string =>
    [`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n');
  return [
    ['100 before it', interim('100 Continue')],
    ['100 with an empty line more', `${interim('100 Continue')}\r\n`],
    ['101 before it', interim('101 Switching Protocols', 'connection: upgrade', 'upgrade: websocket')],
    ['102 before it', interim('102 Processing')],
    ['103 before it', interim('103 Early Hints', 'link: </x>')],
    ['199 before it', interim('199')],
    ['a few of them', interim('100 Continue') + interim('103') + interim('100 Continue')],
    ['twenty of them', interim('100 Continue').repeat(20)],
    ['100 with a length', interim('100 Continue', 'content-length: 7')],
    ['100 that announces the end', interim('100 Continue', 'connection: close')],
    ['100 with a folded line', interim('100 Continue', 'x: y', ' z')],
    ['100 with line feeds alone', 'HTTP/1.1 100 Continue\n\n'],
    ['100 of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
  ];
}
