/** What the AsyncAPI document says of this Paybell. */
export class AsyncApiSettings {
  constructor(
    readonly version: string,
    /** The name of the RabbitMQ exchange. */
    readonly exchange: string,
    /** Null: none is configured. */
    readonly trackQueue: string | null,
  ) {}
}
