import type { PrivateBroker } from '../testkit/private-broker.ts';

const NAME = 'replicas';
const PASSWORD = 'chaos';
const ALL = '.*';

/** The broker's user for the replicas' publishing, who may lose the permission for one type of events. */
export class BrokerUser {
  private constructor(
    private readonly broker: PrivateBroker,
    private readonly exchange: string,
  ) {}

  static async create(broker: PrivateBroker, exchange: string): Promise<BrokerUser> {
    await broker.control('add_user', NAME, PASSWORD);
    await broker.control('set_permissions', NAME, ALL, ALL, ALL);
    return new BrokerUser(broker, exchange);
  }

  get url(): string {
    const url = new URL(this.broker.url);
    url.username = NAME;
    url.password = PASSWORD;
    return url.href;
  }

  /** Null: the user may publish all types again. */
  async refuse(type: string | null): Promise<void> {
    const written = type === null ? ALL : `^(?!${type.replaceAll('.', '\\.')}$)`;
    await this.broker.control('set_topic_permissions', NAME, this.exchange, written, ALL);
  }
}
