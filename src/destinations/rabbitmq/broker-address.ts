import { credentials } from 'amqplib';

const HEARTBEAT_SECONDS = 10;

/** The broker's URL and our credentials, kept separately, so that amqplib never holds a URL with a password. */
export class BrokerAddress {
  readonly url: string;
  readonly credentials: ReturnType<typeof credentials.plain>;

  constructor(
    text: string,
    /** The certificate authorities, as PEM, that are trusted instead of the well-known ones. */
    readonly ca: string | null = null,
  ) {
    // The error of `new URL` contains its input, and with it the password.
    if (!URL.canParse(text)) throw new Error('The RabbitMQ URL can not be read.');
    const url = new URL(text);
    const isAnonymous = url.username === '' && url.password === '';
    this.credentials = isAnonymous
      ? credentials.plain('guest', 'guest')
      : credentials.plain(decoded(url.username), decoded(url.password));
    url.username = '';
    url.password = '';
    if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
    this.url = url.href;
  }
}

/** Decodes as UTF-8, which amqplib's own URL parsing does not. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
