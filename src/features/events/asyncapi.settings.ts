/** The values of this installation in the AsyncAPI document. */
export class AsyncApiSettings {
  constructor(
    readonly version: string,
    /** The name of the RabbitMQ exchange. */
    readonly exchange: string,
    /** Null: no track queue is configured. */
    readonly trackQueue: string | null,
  ) {}
}
