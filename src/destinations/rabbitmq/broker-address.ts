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
    // As UTF-8, which amqplib's own parsing does not. The settings refuse a URL that can't be decoded.
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
