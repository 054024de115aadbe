import { credentials } from 'amqplib';

const HEARTBEAT_SECONDS = 10;

/** The broker's URL and our credentials, kept apart so that amqplib never holds a URL with a password. */
export class BrokerAddress {
  readonly url: string;
  readonly credentials: ReturnType<typeof credentials.plain>;

  constructor(
    text: string,
    /** Certificate authorities, as PEM, in place of the well-known ones. */
    readonly ca: string | null = null,
  ) {
    // The error of `new URL` contains its input, and so the password.
    if (!URL.canParse(text)) throw new Error('The RabbitMQ URL cannot be read.');
    const url = new URL(text);
    // Decodes UTF-8, which amqplib's own parser does not. The settings refuse a URL that cannot be decoded.
    const isAnonymous = url.username === '' && url.password === '';
    this.credentials = isAnonymous
      ? credentials.plain('guest', 'guest')
      : credentials.plain(decodeURIComponent(url.username), decodeURIComponent(url.password));
    url.username = '';
    url.password = '';
    if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
    this.url = url.href;
  }
}
