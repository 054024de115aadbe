import { credentials } from 'amqplib';

const HEARTBEAT_SECONDS = 10;

/** Where the broker is and who we are there, kept apart: amqplib never holds a URL with a password in it. */
export class BrokerAddress {
  readonly url: string;
  readonly credentials: ReturnType<typeof credentials.plain>;

  constructor(
    text: string,
    /** The authorities, as PEM, that are trusted instead of the well-known ones. */
    readonly ca: string | null = null,
  ) {
    // The error of `new URL` shows its input, and with it the password.
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

/** As UTF-8, which amqplib's own reading of a URL is not. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
