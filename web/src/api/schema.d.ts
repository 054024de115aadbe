// Made by `npm run generate` from /openapi.json: change the API.
export interface paths {
  '/api/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** All API keys with their roles and last use */
    get: operations['listKeys'];
    put?: never;
    /** Make an API key; only this answer shows it */
    post: operations['createKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/keys/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** Revoke an API key; it stops working within 5 seconds */
    delete: operations['revokeKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/audit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read the audit log, newest first */
    get: operations['listAuditEntries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/whoami': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The API key of this request, and the session if there is one */
    get: operations['getWhoami'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The browsers that are signed in */
    get: operations['listSessions'];
    put?: never;
    post?: never;
    /** End all sessions, that of this request included: everyone has to sign in again */
    delete: operations['endAllSessions'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sessions/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** End one session */
    delete: operations['endSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/quote': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Create a quote with its one-time deposit address; it is tracked from then on */
    post: operations['createQuote'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/status/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** How a payment stands, as last reported; costs the provider nothing */
    get: operations['getStatus'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/chains': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The supported chains */
    get: operations['listChains'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/currencies': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Search tokens by address, symbol or name */
    post: operations['searchCurrencies'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/unanswered-quotes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Requests for quotes without an answer, newest first */
    get: operations['listUnansweredQuotes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List payments, newest first or oldest first */
    get: operations['listPayments'];
    put?: never;
    /**
     * Track quotes that were created elsewhere, or name the order of a payment
     * @description One quote, or up to 500 in `payments`, which are answered with a result each. To repeat it is harmless. Another order of a completed payment is 409 `order_already_named`; the roles operator and admin may name one, for one payment at a time. An operator tracks no quote.
     */
    post: operations['trackPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payments/{quoteId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One payment */
    get: operations['getPayment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payments/{quoteId}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A payment's events, in order */
    get: operations['listPaymentEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payments/{quoteId}/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Poll a payment now, at most once a second */
    post: operations['refreshPayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payment-count': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** How many payments the list has, exact up to 10,000 */
    get: operations['countPayments'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payments/{quoteId}/resolve': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say that a person has settled a payment otherwise
     * @description One `payment.updated` with `data.resolution` is recorded; the same reason and note again record none. The status stands and polling goes on: a new status takes the resolution back.
     */
    post: operations['resolvePayment'];
    /**
     * Take a resolution back
     * @description One `payment.updated` with `data.resolution` null is recorded, if there was a resolution.
     */
    delete: operations['unresolvePayment'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payments/{quoteId}/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Complete a payment whose completion is withheld
     * @description Where VERIFY waits for a proof that a person has no need of. `payment.completed` is recorded, with `data.verification` as it stands and `data.resolution`, whose reason is `released`. It cannot be taken back. 409 `not_withheld`: the payment waits for no proof.
     */
    post: operations['releasePayment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payments/{quoteId}/deposit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Tell the provider the transaction of a payer's deposit
     * @description For a deposit that the provider does not see. It is a hint: the status moves when the provider reports it. The hash is passed on, and stored only where VERIFY is on and a witness looks for it. 404 `no_deposit_hints`: neither takes it.
     */
    post: operations['submitDeposit'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/orders/{orderId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** An order: its payments, newest first, and how they stand */
    get: operations['getOrder'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-endpoints': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** All webhook endpoints */
    get: operations['listWebhookEndpoints'];
    put?: never;
    /** Add an endpoint, which gets every event from now on; only this answer shows its secret */
    post: operations['createWebhookEndpoint'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-endpoints/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One webhook endpoint */
    get: operations['getWebhookEndpoint'];
    put?: never;
    post?: never;
    /** Remove an endpoint and discard its pending events */
    delete: operations['deleteWebhookEndpoint'];
    options?: never;
    head?: never;
    /**
     * Change an endpoint
     * @description While it is disabled, its pending events wait, and new events are not queued for it: `unsent` counts them, and `recover` sends them.
     */
    patch: operations['updateWebhookEndpoint'];
    trace?: never;
  };
  '/api/webhook-endpoints/{id}/rotate-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a new secret or key pair
     * @description For 24 hours the previous one signs too, so that each webhook has both signatures.
     */
    post: operations['rotateWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-endpoints/{id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Send one `webhook.test` event, or an example of another type, now, even to a disabled endpoint, and return the result */
    post: operations['testWebhookEndpoint'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-endpoints/{id}/recover': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Send every event since then again that the endpoint subscribes to and has not acknowledged, or only count them */
    post: operations['createRecovery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-endpoints/{id}/recoveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The endpoint's recoveries, newest first, at most 100 */
    get: operations['listRecoveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-endpoints/{id}/recoveries/{recoveryId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One recovery with its progress */
    get: operations['getRecovery'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-endpoints/{id}/recoveries/{recoveryId}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End a running recovery: it queues no more events
     * @description What it has queued is delivered; a recovery that has ended stays as it is.
     */
    post: operations['cancelRecovery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List deliveries, newest first or oldest first: to webhook endpoints, or to all destinations */
    get: operations['listDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-deliveries/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One delivery, with its event and every attempt */
    get: operations['getDelivery'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-deliveries/{id}/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Try a delivery now, outside its schedule */
    post: operations['retryDelivery'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-delivery-count': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** How many deliveries the list has, exact up to 10,000 */
    get: operations['countDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/webhook-endpoints/{id}/failures': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Failed attempts by class, of the deliveries that are not acknowledged */
    get: operations['getEndpointFailures'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payment-progress': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The next polls of payments, and what their destinations have acknowledged */
    get: operations['listPaymentProgress'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/destinations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** All that events are sent to, and how each fares: RabbitMQ first, then endpoints */
    get: operations['listDestinations'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/destinations/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One destination: rabbitmq, or a webhook endpoint by its id */
    get: operations['getDestination'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Read the log of all events, in an order that never changes */
    get: operations['listEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/events/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** All events from now on, or after one, as Server-Sent Events */
    get: operations['streamEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payments/{quoteId}/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A payment's events from its first one, or after one, as Server-Sent Events */
    get: operations['streamPaymentEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/asyncapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The AsyncAPI 3 document: the events and their channels */
    get: operations['getAsyncApi'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/schemas': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** All event types, with the paths of their JSON Schemas */
    get: operations['listEventSchemas'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/schemas/{file}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The JSON Schema (draft 2020-12) of one event type */
    get: operations['getEventSchema'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/payments/{quoteId}/link': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a link that shows a payer the payment without a key
     * @description The link is stored nowhere. It ends at `expiresAt`, or when the API key that made it is revoked: docs/using/payer-page.md.
     */
    post: operations['createPaymentLink'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/public/payments/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The payment of a payer's link */
    get: operations['getPayerPayment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/public/payments/{token}/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The payment of a payer's link, now and after each change, as Server-Sent Events */
    get: operations['streamPayerPayment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The process runs */
    get: operations['getLiveness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The database answers and takes writes; the body says how everything else is */
    get: operations['getReadiness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Metrics in Prometheus' text format; docs/running/metrics.md explains each */
    get: operations['getMetrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/figures': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Polls, changes, deliveries and latencies over time */
    get: operations['getFigures'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/provider': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The state of a provider: circuit, budget, outcomes and refusals */
    get: operations['getProvider'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/providers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The state of every provider, the preferred one first */
    get: operations['listProviders'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/attention': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What needs a person: counts with links, the money in flight, and the running replicas */
    get: operations['getAttention'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/system': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Versions, schema and retention, as the replica that answers has them */
    get: operations['getSystem'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sandbox/payments/{quoteId}/deposit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Make the deposit of a sandbox payment now, and return its status object */
    post: operations['createSandboxDeposit'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    KeyView: {
      /** @example shop-eu */
      name: string;
      /** @enum {string} */
      role: 'shop' | 'viewer' | 'operator' | 'admin';
      /**
       * @description A key of the setting `API_KEYS` is changed and revoked there.
       * @enum {string}
       */
      source: 'database' | 'API_KEYS';
      /**
       * Format: date-time
       * @description Null for a key of the setting.
       */
      createdAt: string | null;
      /**
       * Format: date-time
       * @description The time of the last use, to a minute; null: never, or longer ago than the audit log goes back.
       */
      lastUsedAt: string | null;
      /** @description The address from which the key was used last. */
      lastUsedFrom: string | null;
    };
    KeyList: {
      data: components['schemas']['KeyView'][];
    };
    NewKeyBody: {
      /**
       * @description Letters, digits, dots, dashes and underscores. The audit log shows it for each change made with the key.
       * @example shop-eu
       */
      name: string;
      /**
       * @description The rights of the key; see docs/running/access.md.
       * @enum {string}
       */
      role: 'shop' | 'viewer' | 'operator' | 'admin';
    };
    CreatedKey: {
      /** @example shop-eu */
      name: string;
      /** @enum {string} */
      role: 'shop' | 'viewer' | 'operator' | 'admin';
      /**
       * @description A key of the setting `API_KEYS` is changed and revoked there.
       * @enum {string}
       */
      source: 'database' | 'API_KEYS';
      /**
       * Format: date-time
       * @description Null for a key of the setting.
       */
      createdAt: string | null;
      /**
       * Format: date-time
       * @description The time of the last use, to a minute; null: never, or longer ago than the audit log goes back.
       */
      lastUsedAt: string | null;
      /** @description The address from which the key was used last. */
      lastUsedFrom: string | null;
      /**
       * @description The key itself. Only this answer shows it: Paybell stores its hash.
       * @example pb_…
       */
      key: string;
    };
    AuditEntryAnswer: {
      /** @example 1042 */
      id: string;
      /**
       * Format: date-time
       * @description When it was requested.
       */
      time: string;
      /**
       * @description The role that the key had; null with `via` `cli`.
       * @enum {string|null}
       */
      role: 'shop' | 'viewer' | 'operator' | 'admin' | null;
      /** @description The address from which the change came; null with `via` `cli`. */
      address: string | null;
      /**
       * @description How the change was made: with an API key, from a session of the dashboard, or on the command line.
       * @enum {string}
       */
      via: 'api' | 'session' | 'cli';
      /** @example endpoint.create */
      action: string;
      /** @description The id or name of the changed object. */
      target: string | null;
      /** @description The fields of the request, without secrets, unless it was refused; a value that is too long is cut and ends in `…`. */
      values: {
        [key: string]: unknown;
      };
      /** @description The HTTP status of the answer, or the exit status of the command; null: the process ended before it was known. */
      status: number | null;
      /** @description The name of the API key; with `via` `cli` the name of the operating system's user. */
      who: string;
    };
    AuditAnswer: {
      data: components['schemas']['AuditEntryAnswer'][];
      nextCursor: string | null;
    };
    Whoami: {
      /** @enum {string} */
      role: 'shop' | 'viewer' | 'operator' | 'admin';
      /**
       * @description Whether the request sent an API key, or the cookie of a session that was opened with one.
       * @enum {string}
       */
      via: 'key' | 'session';
      /**
       * Format: date-time
       * @description When the session ends at the latest; null with a key.
       */
      expiresAt: string | null;
      /**
       * Format: date-time
       * @description When the session ends unless it is used before then; null with a key.
       */
      idleUntil: string | null;
      /** @description The providers whose payments Paybell tracks, the preferred one first. */
      providers: string[];
      /** @description The name of the API key. */
      name: string;
      /** @description True if the provider is the sandbox: no real money moves. */
      sandbox: boolean;
      /** @description The release of Paybell that answers. */
      version: string;
    };
    SessionView: {
      /**
       * @description The role that the API key has now; null: it was revoked, and the session is useless.
       * @enum {string|null}
       */
      role: 'shop' | 'viewer' | 'operator' | 'admin' | null;
      /** Format: date-time */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the session was last used, give or take a minute.
       */
      lastUsedAt: string;
      /**
       * Format: date-time
       * @description When the session ends unless it is used before then.
       */
      idleUntil: string;
      /**
       * Format: date-time
       * @description When the session ends at the latest.
       */
      expiresAt: string;
      id: string;
      /** @description The name that the API key had at the sign-in. */
      keyName: string;
      /** @description True for the session of this request. */
      current: boolean;
      /** @description The address that signed in. */
      address: string;
      /** @description The browser's own name, up to 200 characters. */
      userAgent: string;
    };
    SessionList: {
      /** @description The most recently used first, up to 1,000. */
      data: components['schemas']['SessionView'][];
    };
    EndedSessions: {
      /** @description How many sessions have ended. */
      count: number;
    };
    QuoteBody: {
      /**
       * @description Source chain id.
       * @example 8453
       */
      fromChainId: number;
      /**
       * @description Destination chain id.
       * @example 42161
       */
      toChainId: number;
      /**
       * @description Token address on the source chain; the zero address for the native token.
       * @example 0x833589fcd6edb6e08f4c7c32d4f71b54bda02913
       */
      fromToken: string;
      /**
       * @description Token address on the destination chain; the zero address for the native token.
       * @example 0x0000000000000000000000000000000000000000
       */
      toToken: string;
      /**
       * @description Amount in human-readable units, as a decimal string.
       * @example 25.5
       */
      amount: string;
      /**
       * @description Wallet address that receives funds on the destination chain.
       * @example 0x03508bb71268bba25ecacc8f620e01866650532c
       */
      recipient: string;
      /**
       * @description `receive`: the recipient gets exactly `amount` of the destination's token, if the provider can promise that.
       * @default send
       * @enum {string}
       */
      amountIs?: 'send' | 'receive';
      /** @description The wallet on the source chain for a refund, instead of the one in the settings. */
      refundTo?: string;
      /**
       * @description The provider that makes the quote; left out: Paybell chooses one of its providers.
       * @example relay
       */
      provider?: string;
      /**
       * @description The merchant's own id of the order; every event carries it.
       * @example A-1001
       */
      orderId?: string | null;
      /**
       * @description Up to 50 strings of up to 500 characters, with keys of up to 100; every event carries them.
       * @example {
       *       "shop": "eu"
       *     }
       */
      metadata?: {
        [key: string]: string;
      } | null;
    };
    QuoteChain: {
      id: number;
      name: string;
    };
    QuoteToken: {
      address?: string;
      symbol: string;
      name?: string;
      decimals: number;
    };
    QuoteSend: {
      /** @description One-time address on the source chain. */
      depositAddress: string;
      chain: components['schemas']['QuoteChain'];
      token: components['schemas']['QuoteToken'];
      /** @description Exact amount to send, in human-readable units. */
      amount: string;
      /** @description Part of the address: without it a deposit is lost. */
      depositMemo?: string;
    };
    QuoteReceive: {
      chain: components['schemas']['QuoteChain'];
      token: components['schemas']['QuoteToken'];
      estimatedAmount: string;
      estimatedAmountUsd: string;
    };
    QuoteFee: {
      amount: string;
      usd: string;
      currency: string;
    };
    QuoteFees: {
      totalUsd: string;
      gas?: components['schemas']['QuoteFee'];
      relayer?: components['schemas']['QuoteFee'];
      app?: components['schemas']['QuoteFee'];
    };
    QuoteAnswer: {
      success: boolean;
      quoteId: string;
      /** @description Seconds until the quote expires. */
      expiresIn: number;
      send: components['schemas']['QuoteSend'];
      receive: components['schemas']['QuoteReceive'];
      recipient?: string;
      fees: components['schemas']['QuoteFees'];
      estimatedTime: string;
      steps?: number;
      statusUrl: string;
      /** @description Instruction to show to the payer. */
      depositNote: string;
      /** @description Which provider made the quote, where Paybell has several. */
      provider?: string;
    };
    StatusExecution: {
      steps: ({
        type?: string | null;
        chainId?: number | null;
        txHash?: string | null;
        status?: string | null;
        /** @description Unix seconds. */
        timestamp?: number | null;
      } & {
        [key: string]: unknown;
      })[];
      /** @enum {string} */
      completedBy?: 'transaction' | 'amount' | 'word';
      output?: {
        /** @description In units of the token, a decimal. */
        amount?: string | null;
        /** @description In the token's smallest unit. */
        amountRaw?: string | null;
        /** @description The address of the token. */
        token?: string | null;
      } & {
        [key: string]: unknown;
      };
      refund?: {
        state?: string | null;
        /** @description In units of the token, a decimal. */
        amount?: string | null;
        /** @description In the token's smallest unit. */
        amountRaw?: string | null;
        /** @description The address of the token. */
        token?: string | null;
        reason?: string | null;
        /** @description The address that got it. */
        refundedTo?: string | null;
        chainId?: number | null;
        txHash?: string | null;
        /** @description Unix seconds. */
        timestamp?: number | null;
      } & {
        [key: string]: unknown;
      };
      startedAt: number | null;
      completedAt: number | null;
      outputTxHash: string | null;
    };
    StatusPlace: {
      chainId: number;
      chainName: string;
      token: string;
    };
    StatusRoute: {
      from: components['schemas']['StatusPlace'];
      to: components['schemas']['StatusPlace'];
      /** @description In the token's smallest unit. */
      amount: string;
      recipient: string;
    };
    PaymentStatusAnswer: {
      /**
       * @description A payment's first report may have a status that is none of these: then wait, as for any status that is not final.
       * @enum {string}
       */
      status: 'AWAITING_DEPOSIT' | 'DEPOSIT_RECEIVED' | 'EXECUTING' | 'COMPLETED' | 'FAILED' | 'EXPIRED';
      deposit:
        | ({
            txHash?: string | null;
            /** @description The address of the payer. */
            from?: string | null;
            /** @description In units of the token, a decimal. */
            amount?: string | null;
            /** @description In the token's smallest unit. */
            amountRaw?: string | null;
            /** @description The address of the token. */
            token?: string | null;
            expectedAmount?: string | null;
            expectedAmountRaw?: string | null;
            /** @description `exact`, `underpaid` or `overpaid`; null: it cannot be said. */
            match?: string | null;
            memo?: string | null;
            /** @description Unix seconds. */
            detectedAt?: number | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      gas:
        | ({
            /** @description In units of the token, a decimal. */
            amount?: string | null;
            /** @description In the token's smallest unit. */
            amountRaw?: string | null;
            /** @description The address of the token. */
            token?: string | null;
            symbol?: string | null;
            usd?: string | null;
            currency?: string | null;
          } & {
            [key: string]: unknown;
          })
        | null;
      /** @description Only with VERIFY, from the completion on: the chain's finding about the output. */
      verification?: {
        [key: string]: unknown;
      };
      success: boolean;
      quoteId: string;
      /** @description Unix seconds. */
      createdAt: number;
      /** @description Unix seconds. */
      expiresAt: number;
      depositAddress: string;
      execution: components['schemas']['StatusExecution'];
      route: components['schemas']['StatusRoute'];
      error: string | null;
    };
    ChainMetadata: {
      /** @description Which providers have the chain, the preferred one first. */
      providers: string[];
    };
    Chain: {
      id: number;
      name: string;
      shortName: string;
      nativeToken: string;
      metadata?: components['schemas']['ChainMetadata'];
    };
    ChainsAnswer: {
      success: boolean;
      chains: components['schemas']['Chain'][];
    };
    CurrenciesBody: {
      /**
       * @description Restrict the search to these chains.
       * @example [
       *       8453
       *     ]
       */
      chainIds?: number[];
      /** @description Token contract address, in any case. */
      address?: string;
      /**
       * @description Search by symbol or name.
       * @example usdc
       */
      term?: string;
      /** @description Only verified tokens. */
      verified?: boolean;
      /** @description Maximum number of results, 20 by default. */
      limit?: number;
      /** @description The provider's default list. */
      defaultList?: boolean;
      /** @description True: the result has all chains of the matched token. */
      includeAllChains?: boolean;
      /** @description Search other sources for tokens that are not listed. */
      useExternalSearch?: boolean;
    };
    CurrencyMetadata: {
      /** @description The number of fraction digits by provider, only if they differ. `decimals` has the one that counts, if any does. */
      decimals?: {
        [key: string]: number;
      };
      logoURI: string;
      verified: boolean;
      /** @description With several providers: the providers that have the token, the preferred one first. */
      providers?: string[];
    };
    Currency: {
      chainId: number;
      address: string;
      symbol: string;
      name: string;
      decimals: number;
      vmType: string;
      metadata: components['schemas']['CurrencyMetadata'];
    };
    CurrenciesAnswer: {
      success: boolean;
      currencies: components['schemas']['Currency'][];
    };
    UnansweredQuoteAnswer: {
      /** @example 1042 */
      id: string;
      /** Format: date-time */
      requestedAt: string;
      /** @example relay */
      provider: string;
      orderId: string | null;
      /** @description The requested fields. */
      request: {
        [key: string]: unknown;
      };
      /**
       * @description Why there was no answer.
       * @example timeout
       */
      reason: string;
      /** @description The quote, if its answer came later: it is tracked as a payment without an order. */
      quoteId: string | null;
    };
    UnansweredQuotesAnswer: {
      data: components['schemas']['UnansweredQuoteAnswer'][];
      nextCursor: string | null;
    };
    TrackBody: {
      /**
       * @description The quote's id at the provider.
       * @example 5af8532c-5bf4-45c2-b099-1b36e96e91a3
       */
      quoteId: string;
      /**
       * @description The quote object as the provider returned it. It is stored verbatim, unless the payment has one already. Its deposit
       *     address must be the one that the provider reports.
       */
      quote?: {
        [key: string]: unknown;
      } | null;
      /** @description The merchant's own id of the order; every event carries it. */
      orderId?: string | null;
      /** @description Up to 50 strings of up to 500 characters, with keys of up to 100; every event carries them. */
      metadata?: {
        [key: string]: string;
      } | null;
    };
    HandOverBody: {
      /** @description A refused quote does not affect the others. */
      payments: components['schemas']['TrackBody'][];
    };
    PaymentAnswer: {
      /**
       * @description The name of the provider that carries the payment; it never changes.
       * @example relay
       */
      provider: string;
      orderId: string | null;
      metadata: {
        [key: string]: string;
      } | null;
      /** @enum {string} */
      status: 'AWAITING_DEPOSIT' | 'DEPOSIT_RECEIVED' | 'EXECUTING' | 'COMPLETED' | 'FAILED' | 'EXPIRED';
      /** @description The number of the newest event. */
      sequence: number;
      /**
       * @description `watching`: the payment has ended but is still polled: expired, failed, or completed within a day.
       * @enum {string}
       */
      tracking: 'active' | 'watching' | 'closed';
      /** @description Why the payment stands still: each reason is reported by a `payment.stalled`, and leaves the list when it ends. */
      stalls: ('no_progress' | 'provider_silent' | 'unverified')[];
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      expiresAt: string | null;
      /** Format: date-time */
      updatedAt: string;
      /** Format: date-time */
      lastPolledAt: string | null;
      /** Format: date-time */
      nextPollAt: string | null;
      /** @description A person's settlement of the payment by hand; null if there is none for its present status. */
      resolution: {
        /** @enum {string} */
        reason:
          | 'refunded'
          | 'fulfilled_elsewhere'
          | 'written_off'
          | 'duplicate'
          | 'test'
          | 'other'
          | 'released';
        note: string | null;
        /** @description The name of the API key. */
        by: string;
        /** Format: date-time */
        at: string;
      } | null;
      /**
       * @description The chain's finding about the output, once the provider has reported the completion; null before, and while VERIFY is
       *     off. `unverified`: there is only the provider's word.
       */
      verification: {
        /** @enum {string} */
        state: 'pending' | 'proven' | 'contradicted' | 'unverified';
        chainId: number | null;
        txHash: string | null;
        /** @description Of a log, or of an output. Null: another native coin, or nothing. */
        logIndex: number | null;
        block: number | null;
        confirmations: number | null;
        checks: {
          /** @enum {string} */
          name:
            | 'chain_id'
            | 'receipt'
            | 'token'
            | 'recipient'
            | 'amount'
            | 'unused'
            | 'time'
            | 'confirmations';
          /** @description Null: it could not be checked. */
          passed: boolean | null;
          /** @description One sentence for a person. */
          detail: string;
        }[];
        /** @description The hosts of the RPCs that answered alike. */
        sources: string[];
      } | null;
      /**
       * @description The sums, as decimal strings in units of the tokens (null for a sum that neither quote nor report states), and how the
       *     deposit compares with the requested sum within AMOUNT_TOLERANCE_BPS; null before the deposit.
       */
      amounts: {
        send: {
          asked: string | null;
          came: string | null;
          token: string | null;
        };
        receive: {
          promised: string | null;
          arrived: string | null;
          token: string | null;
        };
        /** @enum {string} */
        match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
      } | null;
      /** @description The output of a completed payment, from its report; null before. */
      output: {
        /**
         * @description A transaction to the recipient, an amount that arrived, or the word of the provider alone.
         * @enum {string}
         */
        by: 'transaction' | 'amount' | 'word';
        transactions: string[];
        /** @description In units of the token, a decimal. */
        amount: string | null;
        /** @description The address of the token. */
        token: string | null;
      } | null;
      /** @description The provider's quote, verbatim; null for a quote that was made elsewhere and submitted without its object. */
      quote: {
        [key: string]: unknown;
      } | null;
      /**
       * @description The provider's last report, verbatim; null before the first. While a completion waits for its proof (VERIFY=require), the
       *     report has the payment's status.
       */
      report: {
        [key: string]: unknown;
      } | null;
      quoteId: string;
      /** @description True once the status has changed after the payment had expired or failed. */
      late: boolean;
    };
    HandedOverAnswer: {
      /** @description The submitted quote id; null if there was none. */
      quoteId: string | null;
      /**
       * @description `known`: the payment was tracked already, and now has the order of the body.
       * @enum {string}
       */
      result: 'created' | 'known' | 'refused';
      /** @description Why the quote was refused, with `retryAfterSeconds` if a retry may help; null otherwise. */
      problem: components['schemas']['Problem'] | null;
    };
    HandOverAnswer: {
      data: components['schemas']['HandedOverAnswer'][];
    };
    PaymentsAnswer: {
      data: components['schemas']['PaymentAnswer'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
    };
    EventsAnswer: {
      data: (
        | components['schemas']['payment.created']
        | components['schemas']['payment.deposit_received']
        | components['schemas']['payment.executing']
        | components['schemas']['payment.completed']
        | components['schemas']['payment.failed']
        | components['schemas']['payment.expired']
        | components['schemas']['payment.updated']
        | components['schemas']['payment.stalled']
        | components['schemas']['payment.anomaly']
        | components['schemas']['payment.verified']
      )[];
      /** @description The `cursor` of the next page; absent on the last one. */
      nextCursor?: string;
    };
    CountAnswer: {
      count: number;
      isMore: boolean;
    };
    ResolveBody: {
      /**
       * @description `refunded`: the payer has the money back. `fulfilled_elsewhere`: the order was fulfilled by other means. `written_off`:
       *     the money is given up. `duplicate`: another payment counts. `test`: it was not a customer's payment.
       * @enum {string}
       */
      reason: 'refunded' | 'fulfilled_elsewhere' | 'written_off' | 'duplicate' | 'test' | 'other';
      /** @description For your records; the event and the payment carry it. */
      note?: string | null;
    };
    ReleaseBody: {
      /**
       * @description How you know that the money has arrived: the audit log, the event and the payment carry it.
       * @example seen in the wallet, ticket 7
       */
      reason: string;
    };
    DepositBody: {
      /**
       * @description The hash of the transaction, as the source chain's explorers show it.
       * @example 0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a
       */
      txHash: string;
    };
    OrderAnswer: {
      /** @description The newest first, at most 100. */
      payments: components['schemas']['PaymentAnswer'][];
      /** @description The `cursor` for `GET /api/payments?orderId=…`, which lists the payments that follow; null: there are none. */
      nextCursor: string | null;
      /** @description Of `payments` from their deposit on, for each token of each chain: exact decimals; null: none of them says it. */
      sums: {
        send: {
          chainId: string | null;
          /** @description Its address. */
          token: string | null;
          symbol: string | null;
          asked: string | null;
          came: string | null;
        }[];
        receive: {
          chainId: string | null;
          /** @description Its address. */
          token: string | null;
          symbol: string | null;
          promised: string | null;
          arrived: string | null;
        }[];
      };
      orderId: string;
      /** @description Quote ids of `payments` that have not ended. */
      open: string[];
      /** @description Quote ids of completed payments, without those resolved as a duplicate: if there are several, the order is paid twice. */
      completed: string[];
      /** @description Quote ids of payments that a person has resolved, for whatever reason. */
      resolved: string[];
    };
    CreateWebhookEndpoint: {
      /**
       * @description The URL to which events are posted. Private, loopback and link-local targets must be allowed by configuration.
       * @example https://shop.example/webhooks/paybell
       */
      url: string;
      /** @description The event types that the endpoint gets; absent or empty: all types of payments, and no operational events. */
      eventTypes?:
        | (
            | 'payment.created'
            | 'payment.deposit_received'
            | 'payment.executing'
            | 'payment.completed'
            | 'payment.failed'
            | 'payment.expired'
            | 'payment.updated'
            | 'payment.stalled'
            | 'payment.anomaly'
            | 'payment.verified'
            | 'attention.opened'
            | 'attention.closed'
          )[]
        | null;
      /** @description The merchant's own description. */
      description?: string | null;
      /**
       * @description How Paybell signs the webhooks: HMAC-SHA256 with a shared secret, or ed25519, verified with a public key.
       * @default v1
       * @enum {string|null}
       */
      signature?: 'v1' | 'v1a' | null;
    };
    RefusedPaymentAnswer: {
      quoteId: string;
      orderId: string | null;
    };
    RefusedPaymentsAnswer: {
      payments: number;
      /** Format: date-time */
      since: string | null;
      examples: components['schemas']['RefusedPaymentAnswer'][];
    };
    UnsentEventsAnswer: {
      count: number;
      isMore: boolean;
      /** Format: date-time */
      since: string | null;
    };
    CreatedWebhookEndpoint: {
      eventTypes: (
        | 'payment.created'
        | 'payment.deposit_received'
        | 'payment.executing'
        | 'payment.completed'
        | 'payment.failed'
        | 'payment.expired'
        | 'payment.updated'
        | 'payment.stalled'
        | 'payment.anomaly'
        | 'payment.verified'
        | 'attention.opened'
        | 'attention.closed'
      )[];
      description: string | null;
      /** @description Why the endpoint is disabled; null while it is enabled. */
      disabledReason: string | null;
      /** @enum {string} */
      signature: 'v1' | 'v1a';
      /**
       * @description Verifies `v1a` signatures; null with `v1`, whose secret is shown only once.
       * @example whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=
       */
      publicKey: string | null;
      /**
       * Format: date-time
       * @description After a rotation: until when the previous secret signs too. Null: only the newest one signs.
       */
      previousSecretExpiresAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /**
       * @description `refusing`: it takes some payments and refuses others; `failing`: a payment whose first attempt came after the last
       *     success fails too; `open`: it gets only probes; `recovering`: it answers again, and gets its backlog little by little.
       * @enum {string}
       */
      state: 'ok' | 'refusing' | 'failing' | 'open' | 'recovering' | 'disabled';
      /**
       * @description `open` after ten failures in a row, of at least three payments: only probes are sent; `recovering`: waiting events are
       *     sent gradually.
       * @enum {string}
       */
      circuit: 'closed' | 'open' | 'recovering';
      /**
       * Format: date-time
       * @description When the endpoint first failed a payment that was first tried after the last success; null: it has failed none.
       */
      failingSince: string | null;
      /**
       * Format: date-time
       * @description The earliest time of the next probe; null while the circuit is not open.
       */
      nextProbeAt: string | null;
      /**
       * @description `secret_unreadable`: its secret cannot be decrypted, so that Paybell sends nothing to it. Null: no problem.
       * @enum {string|null}
       */
      problem: 'secret_unreadable' | null;
      /**
       * @description How many deliveries are pending, counted up to 10,000; in a list of more than ten endpoints up to 100,000 divided by their
       *     number.
       */
      pending: number;
      /**
       * Format: date-time
       * @description When the oldest pending delivery was recorded; null: none is pending.
       */
      oldestPendingAt: string | null;
      /**
       * Format: date-time
       * @description When the endpoint last acknowledged an event; null: never.
       */
      lastDeliveredAt: string | null;
      /**
       * @description The secret, which verifies the signature of every webhook and is not shown again. Null with `v1a`: `publicKey` verifies.
       * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
       */
      secret: string | null;
      id: string;
      url: string;
      enabled: boolean;
      /** @description The payments of which the endpoint did not acknowledge an event when it was tried, and that will be tried again. */
      refused: components['schemas']['RefusedPaymentsAnswer'];
      /** @description The events that were recorded while it was disabled, and that it was not sent since. */
      unsent: components['schemas']['UnsentEventsAnswer'];
    };
    WebhookEndpointView: {
      eventTypes: (
        | 'payment.created'
        | 'payment.deposit_received'
        | 'payment.executing'
        | 'payment.completed'
        | 'payment.failed'
        | 'payment.expired'
        | 'payment.updated'
        | 'payment.stalled'
        | 'payment.anomaly'
        | 'payment.verified'
        | 'attention.opened'
        | 'attention.closed'
      )[];
      description: string | null;
      /** @description Why the endpoint is disabled; null while it is enabled. */
      disabledReason: string | null;
      /** @enum {string} */
      signature: 'v1' | 'v1a';
      /**
       * @description Verifies `v1a` signatures; null with `v1`, whose secret is shown only once.
       * @example whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=
       */
      publicKey: string | null;
      /**
       * Format: date-time
       * @description After a rotation: until when the previous secret signs too. Null: only the newest one signs.
       */
      previousSecretExpiresAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /**
       * @description `refusing`: it takes some payments and refuses others; `failing`: a payment whose first attempt came after the last
       *     success fails too; `open`: it gets only probes; `recovering`: it answers again, and gets its backlog little by little.
       * @enum {string}
       */
      state: 'ok' | 'refusing' | 'failing' | 'open' | 'recovering' | 'disabled';
      /**
       * @description `open` after ten failures in a row, of at least three payments: only probes are sent; `recovering`: waiting events are
       *     sent gradually.
       * @enum {string}
       */
      circuit: 'closed' | 'open' | 'recovering';
      /**
       * Format: date-time
       * @description When the endpoint first failed a payment that was first tried after the last success; null: it has failed none.
       */
      failingSince: string | null;
      /**
       * Format: date-time
       * @description The earliest time of the next probe; null while the circuit is not open.
       */
      nextProbeAt: string | null;
      /**
       * @description `secret_unreadable`: its secret cannot be decrypted, so that Paybell sends nothing to it. Null: no problem.
       * @enum {string|null}
       */
      problem: 'secret_unreadable' | null;
      /**
       * @description How many deliveries are pending, counted up to 10,000; in a list of more than ten endpoints up to 100,000 divided by their
       *     number.
       */
      pending: number;
      /**
       * Format: date-time
       * @description When the oldest pending delivery was recorded; null: none is pending.
       */
      oldestPendingAt: string | null;
      /**
       * Format: date-time
       * @description When the endpoint last acknowledged an event; null: never.
       */
      lastDeliveredAt: string | null;
      id: string;
      url: string;
      enabled: boolean;
      /** @description The payments of which the endpoint did not acknowledge an event when it was tried, and that will be tried again. */
      refused: components['schemas']['RefusedPaymentsAnswer'];
      /** @description The events that were recorded while it was disabled, and that it was not sent since. */
      unsent: components['schemas']['UnsentEventsAnswer'];
    };
    WebhookEndpointList: {
      data: components['schemas']['WebhookEndpointView'][];
    };
    ChangeWebhookEndpoint: {
      /** @description The URL to which events are posted from now on, including pending ones. */
      url?: string;
      /**
       * @description The event types that the endpoint gets from now on; null or empty: all types of payments. Deliveries of other types that
       *     are still pending are removed: Paybell neither sends nor counts them.
       */
      eventTypes?:
        | (
            | 'payment.created'
            | 'payment.deposit_received'
            | 'payment.executing'
            | 'payment.completed'
            | 'payment.failed'
            | 'payment.expired'
            | 'payment.updated'
            | 'payment.stalled'
            | 'payment.anomaly'
            | 'payment.verified'
            | 'attention.opened'
            | 'attention.closed'
          )[]
        | null;
      /** @description The merchant's own description; null: none. */
      description?: string | null;
      /** @description False: Paybell sends nothing more to it; true: Paybell sends the pending events and all later ones. */
      enabled?: boolean;
      /**
       * @description True, together with `enabled: true`: Paybell also sends the events of `unsent`. A recovery that is running sends them too,
       *     and is the one in the answer.
       * @default false
       */
      recover?: boolean;
    };
    ReplayView: {
      /** Format: date-time */
      since: string;
      /**
       * @description `stopped`: it was cancelled, or the endpoint was deleted or disabled before the end.
       * @enum {string}
       */
      state: 'running' | 'done' | 'stopped';
      /**
       * @description How many events the recovery found at its start; more if it found further unacknowledged events later.
       * @example 1250
       */
      count: number;
      /**
       * @description How many events the recovery has queued again, without those that the endpoint acknowledged meanwhile.
       * @example 500
       */
      done: number;
      /** Format: date-time */
      createdAt: string;
      /**
       * Format: date-time
       * @description Null while it is running.
       */
      finishedAt: string | null;
      id: string;
      endpointId: string;
      /** @description False: there are more events, which the recovery counts while it runs. */
      exact: boolean;
    };
    ChangedWebhookEndpoint: {
      eventTypes: (
        | 'payment.created'
        | 'payment.deposit_received'
        | 'payment.executing'
        | 'payment.completed'
        | 'payment.failed'
        | 'payment.expired'
        | 'payment.updated'
        | 'payment.stalled'
        | 'payment.anomaly'
        | 'payment.verified'
        | 'attention.opened'
        | 'attention.closed'
      )[];
      description: string | null;
      /** @description Why the endpoint is disabled; null while it is enabled. */
      disabledReason: string | null;
      /** @enum {string} */
      signature: 'v1' | 'v1a';
      /**
       * @description Verifies `v1a` signatures; null with `v1`, whose secret is shown only once.
       * @example whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=
       */
      publicKey: string | null;
      /**
       * Format: date-time
       * @description After a rotation: until when the previous secret signs too. Null: only the newest one signs.
       */
      previousSecretExpiresAt: string | null;
      /** Format: date-time */
      createdAt: string;
      /**
       * @description `refusing`: it takes some payments and refuses others; `failing`: a payment whose first attempt came after the last
       *     success fails too; `open`: it gets only probes; `recovering`: it answers again, and gets its backlog little by little.
       * @enum {string}
       */
      state: 'ok' | 'refusing' | 'failing' | 'open' | 'recovering' | 'disabled';
      /**
       * @description `open` after ten failures in a row, of at least three payments: only probes are sent; `recovering`: waiting events are
       *     sent gradually.
       * @enum {string}
       */
      circuit: 'closed' | 'open' | 'recovering';
      /**
       * Format: date-time
       * @description When the endpoint first failed a payment that was first tried after the last success; null: it has failed none.
       */
      failingSince: string | null;
      /**
       * Format: date-time
       * @description The earliest time of the next probe; null while the circuit is not open.
       */
      nextProbeAt: string | null;
      /**
       * @description `secret_unreadable`: its secret cannot be decrypted, so that Paybell sends nothing to it. Null: no problem.
       * @enum {string|null}
       */
      problem: 'secret_unreadable' | null;
      /**
       * @description How many deliveries are pending, counted up to 10,000; in a list of more than ten endpoints up to 100,000 divided by their
       *     number.
       */
      pending: number;
      /**
       * Format: date-time
       * @description When the oldest pending delivery was recorded; null: none is pending.
       */
      oldestPendingAt: string | null;
      /**
       * Format: date-time
       * @description When the endpoint last acknowledged an event; null: never.
       */
      lastDeliveredAt: string | null;
      /** @description Only with `recover`: the recovery that sends the unsent events, with their `count`. */
      recovery?: components['schemas']['ReplayView'];
      id: string;
      url: string;
      enabled: boolean;
      /** @description The payments of which the endpoint did not acknowledge an event when it was tried, and that will be tried again. */
      refused: components['schemas']['RefusedPaymentsAnswer'];
      /** @description The events that were recorded while it was disabled, and that it was not sent since. */
      unsent: components['schemas']['UnsentEventsAnswer'];
    };
    RotatedSecret: {
      /**
       * @description The new secret, which signs every webhook from now on and is not shown again. Null with `v1a`: `publicKey` verifies.
       * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
       */
      secret: string | null;
      /**
       * @description The new public key; null with `v1`.
       * @example whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=
       */
      publicKey: string | null;
      /**
       * Format: date-time
       * @description Until when the previous secret signs too. Null: it could not be decrypted, and no longer signs.
       */
      previousSecretExpiresAt: string | null;
    };
    TestBody: {
      /**
       * @description The type of the event. Every type but `webhook.test` is sent as an example, about a payment or a trouble that does not
       *     exist.
       * @default webhook.test
       * @enum {string}
       */
      type?:
        | 'webhook.test'
        | 'payment.created'
        | 'payment.deposit_received'
        | 'payment.executing'
        | 'payment.completed'
        | 'payment.failed'
        | 'payment.expired'
        | 'payment.updated'
        | 'payment.stalled'
        | 'payment.anomaly'
        | 'payment.verified'
        | 'attention.opened'
        | 'attention.closed';
    };
    WebhookTestResult: {
      /**
       * @description Null without an answer.
       * @example 204
       */
      httpStatus: number | null;
      /** @example 38 */
      durationMs: number;
      /**
       * @description Why the event was not delivered; null after a success, or when this service could not try.
       * @example timeout
       */
      failure: string | null;
      /**
       * @description The cause within the class of failure, a code of Node, OpenSSL or Paybell; null: none is known.
       * @example CERT_HAS_EXPIRED
       */
      code: string | null;
      /** @description The remedy, in a sentence; null without a failure. */
      advice: string | null;
      /** @description The first KiB of the answer's body as text, as in a delivery; null without an answer. */
      body: string | null;
      /** @description Whether the endpoint answered with a 2xx, as it must for a delivery. */
      delivered: boolean;
    };
    RecoverBody: {
      /**
       * Format: date-time
       * @description Events from this instant on that the endpoint has not acknowledged are sent again.
       * @example 2026-11-20T12:00:00Z
       */
      since: string;
      /**
       * @description True: only counts the events.
       * @default false
       */
      dryRun?: boolean;
    };
    RecoverAnswer: {
      /**
       * @description How many events the recovery sends again.
       * @example 1250
       */
      count: number;
      /** @description The id of the recovery; null with `dryRun`. */
      id: string | null;
      /** Format: date-time */
      since: string;
      /**
       * @description Null with `dryRun`.
       * @enum {string|null}
       */
      state: 'running' | 'done' | 'stopped' | null;
      /** @example 0 */
      done: number;
      /**
       * Format: date-time
       * @description Null with `dryRun`.
       */
      createdAt: string | null;
      /** Format: date-time */
      finishedAt: string | null;
      /** @description False: there are more. */
      exact: boolean;
      endpointId: string;
    };
    ReplayList: {
      data: components['schemas']['ReplayView'][];
    };
    NamedDestinationAnswer: {
      id: string | null;
      /** @example webhook */
      kind: string;
      /** @example RabbitMQ (exchange payments) */
      name: string;
    };
    DeliveryAnswer: {
      /** @example 1042 */
      id: string;
      /**
       * @description The id of the webhook endpoint, or `rabbitmq`.
       * @example b9d2a0f4-6f0e-4f0b-9d83-0d7f1e1c7a51
       */
      endpointId: string;
      destination: components['schemas']['NamedDestinationAnswer'];
      orderId: string | null;
      /** @enum {string} */
      type:
        | 'payment.created'
        | 'payment.deposit_received'
        | 'payment.executing'
        | 'payment.completed'
        | 'payment.failed'
        | 'payment.expired'
        | 'payment.updated'
        | 'payment.stalled'
        | 'payment.anomaly'
        | 'payment.verified';
      /** @description The event's number among those of its payment. */
      sequence: number;
      /**
       * @description `failed`: the retry schedule is used up; `discarded`: the endpoint was deleted.
       * @enum {string}
       */
      state: 'pending' | 'delivered' | 'failed' | 'discarded';
      /** @description How many attempts were made. */
      attemptCount: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      lastAttemptAt: string | null;
      /**
       * Format: date-time
       * @description The earliest time of the next attempt. Null: no attempt is scheduled, one is under way, or the delivery waits for an
       *     earlier event.
       */
      nextAttemptAt: string | null;
      /**
       * @description How the last attempt failed; null after a success, or without an attempt.
       * @example timeout
       */
      lastFailure: string | null;
      /** @example 500 */
      lastHttpStatus: number | null;
      /**
       * @description Why the delivery is not sent now; null: nothing holds it back, an attempt is under way, or it is not pending.
       * @enum {string|null}
       */
      waitingFor: 'earlier_event' | 'retry' | 'circuit' | 'disabled_endpoint' | 'secret_unreadable' | null;
      quoteId: string;
      /** @description The event's id: the `webhook-id` of every attempt, or the `messageId` of the message. */
      eventId: string;
    };
    DeliveriesAnswer: {
      data: components['schemas']['DeliveryAnswer'][];
      /** @description Null on the last page. */
      nextCursor: string | null;
    };
    AttemptAnswer: {
      number: number;
      /** Format: date-time */
      at: string;
      /** @example 38 */
      durationMs: number;
      /**
       * @description The address and port of the connection; null without a connection.
       * @example 93.184.215.14:443
       */
      address: string | null;
      /** @example 500 */
      httpStatus: number | null;
      /**
       * @description Null when the receiver acknowledged the event.
       * @example status
       */
      failure: string | null;
      /**
       * @description The cause within the class of failure, a code of Node, OpenSSL or Paybell; null: none is known.
       * @example CERT_HAS_EXPIRED
       */
      code: string | null;
      /** @description The remedy, in a sentence; null without a failure. */
      advice: string | null;
      /**
       * @description The first KiB of the answer's body as text, decompressed and in its charset, with U+FFFD for invalid bytes; for a binary
       *     body its size; null without an answer.
       */
      body: string | null;
    };
    DeliveryDetailAnswer: {
      /** @example 1042 */
      id: string;
      /**
       * @description The id of the webhook endpoint, or `rabbitmq`.
       * @example b9d2a0f4-6f0e-4f0b-9d83-0d7f1e1c7a51
       */
      endpointId: string;
      destination: components['schemas']['NamedDestinationAnswer'];
      orderId: string | null;
      /** @enum {string} */
      type:
        | 'payment.created'
        | 'payment.deposit_received'
        | 'payment.executing'
        | 'payment.completed'
        | 'payment.failed'
        | 'payment.expired'
        | 'payment.updated'
        | 'payment.stalled'
        | 'payment.anomaly'
        | 'payment.verified';
      /** @description The event's number among those of its payment. */
      sequence: number;
      /**
       * @description `failed`: the retry schedule is used up; `discarded`: the endpoint was deleted.
       * @enum {string}
       */
      state: 'pending' | 'delivered' | 'failed' | 'discarded';
      /** @description How many attempts were made. */
      attemptCount: number;
      /** Format: date-time */
      createdAt: string;
      /** Format: date-time */
      lastAttemptAt: string | null;
      /**
       * Format: date-time
       * @description The earliest time of the next attempt. Null: no attempt is scheduled, one is under way, or the delivery waits for an
       *     earlier event.
       */
      nextAttemptAt: string | null;
      /**
       * @description How the last attempt failed; null after a success, or without an attempt.
       * @example timeout
       */
      lastFailure: string | null;
      /** @example 500 */
      lastHttpStatus: number | null;
      /**
       * @description Why the delivery is not sent now; null: nothing holds it back, an attempt is under way, or it is not pending.
       * @enum {string|null}
       */
      waitingFor: 'earlier_event' | 'retry' | 'circuit' | 'disabled_endpoint' | 'secret_unreadable' | null;
      /** @description The event as it is sent, verbatim. */
      event: {
        [key: string]: unknown;
      };
      /** @description The last 100 attempts, the newest last; for RabbitMQ the first 20 and the last one. */
      attempts: components['schemas']['AttemptAnswer'][];
      quoteId: string;
      /** @description The event's id: the `webhook-id` of every attempt, or the `messageId` of the message. */
      eventId: string;
    };
    FailureAnswer: {
      /** @example status */
      failure: string;
      /** @example CERT_HAS_EXPIRED */
      code: string | null;
      advice: string;
      /** @example 500 */
      httpStatus: number | null;
      attempts: number;
      payments: number;
      /** Format: date-time */
      firstAt: string;
      /** Format: date-time */
      lastAt: string;
      body: string | null;
    };
    FailuresAnswer: {
      data: components['schemas']['FailureAnswer'][];
      isMore: boolean;
    };
    UntoldEventsAnswer: {
      destination: components['schemas']['NamedDestinationAnswer'];
      /** @description How many events the destination was not told. */
      events: number;
      /** @description The number of the first untold event. */
      sequence: number;
      /**
       * Format: date-time
       * @description The time of the first untold event: a recovery since then sends all untold events.
       */
      since: string;
    };
    ProgressAnswer: {
      /** Format: date-time */
      lastPolledAt: string | null;
      /**
       * Format: date-time
       * @description The time of the next poll; null when the payment is no longer polled.
       */
      nextPollAt: string | null;
      /**
       * @description One delivery for each present endpoint that gets the payment's events: the first one that is not acknowledged, or else the
       *     last one.
       */
      deliveries: components['schemas']['DeliveryAnswer'][];
      /** @description The same delivery for the RabbitMQ exchange; null without RabbitMQ, or before the exchange got an event of the payment. */
      exchange: components['schemas']['DeliveryAnswer'] | null;
      /**
       * @description The destinations that have not acknowledged an event older than 30 s, for whatever reason; none for a payment that a
       *     person resolved, unless by a release.
       */
      untold: components['schemas']['UntoldEventsAnswer'][];
      quoteId: string;
    };
    ProgressesAnswer: {
      data: components['schemas']['ProgressAnswer'][];
    };
    LastFailureAnswer: {
      /** Format: date-time */
      at: string;
      /**
       * @description A failure class, or for a connection `away` or `refuses`.
       * @example status
       */
      failure: string;
      /**
       * @description The cause within the class; null: none is known.
       * @example CERT_HAS_EXPIRED
       */
      code: string | null;
      /** @description The remedy, in a sentence. */
      advice: string;
      /** @example 500 */
      httpStatus: number | null;
      /**
       * @description The first KiB of the answer, or the connection's message; null without either.
       * @example out of stock
       */
      text: string | null;
      /**
       * @description The delivery of the attempt; null: none.
       * @example 1042
       */
      deliveryId: string | null;
    };
    LatencyAnswer: {
      /** @example 512 */
      count: number;
      /** @example 41 */
      p50: number | null;
      /** @example 180 */
      p95: number | null;
      /** @example 900 */
      p99: number | null;
    };
    DestinationAnswer: {
      /**
       * @description The endpoint's id, or `rabbitmq`.
       * @example rabbitmq
       */
      id: string;
      /**
       * @description `webhook` or `rabbitmq`.
       * @example rabbitmq
       */
      kind: string;
      /** @example RabbitMQ (exchange payments) */
      name: string;
      /** @description Null for RabbitMQ. */
      url: string | null;
      /**
       * @description `refusing`: it takes some payments and refuses others; `failing`: a payment whose first attempt came after the last
       *     success fails too; `open`: it gets only probes, or the broker is away; `recovering`: it answers again, and gets its
       *     backlog little by little.
       * @enum {string}
       */
      state: 'ok' | 'refusing' | 'failing' | 'open' | 'recovering' | 'disabled';
      /**
       * Format: date-time
       * @description Since when it fails or refuses; null in the other states.
       */
      since: string | null;
      /** @description Null while it is enabled. */
      disabledReason: string | null;
      /**
       * @description `secret_unreadable`: the process that answers cannot sign for it.
       * @enum {string|null}
       */
      problem: 'secret_unreadable' | null;
      /**
       * Format: date-time
       * @description Null while the circuit is not open.
       */
      nextProbeAt: string | null;
      /** @description How many events wait, counted like `pending` in the list of webhook endpoints. */
      waiting: number;
      /** @description True: the number is a lower bound. */
      isMore: boolean;
      /**
       * Format: date-time
       * @description When the oldest pending event was recorded.
       */
      waitingSince: string | null;
      /**
       * Format: date-time
       * @description Null: never.
       */
      lastDeliveredAt: string | null;
      /** @description The last failure of deliveries that wait or were given up; null: no delivery failed. */
      lastFailure: components['schemas']['LastFailureAnswer'] | null;
      /** @description The events that were recorded while an endpoint was disabled; of another destination none. */
      unsent: components['schemas']['UnsentEventsAnswer'];
      /** @description The payments of which the destination did not acknowledge an event, and that are tried again. */
      refused: components['schemas']['RefusedPaymentsAnswer'];
      /** @description The time from the recording of an event to its acknowledgement, in the last hour. */
      latency: components['schemas']['LatencyAnswer'];
    };
    DestinationsAnswer: {
      data: components['schemas']['DestinationAnswer'][];
    };
    EventLogAnswer: {
      data: (
        | components['schemas']['payment.created']
        | components['schemas']['payment.deposit_received']
        | components['schemas']['payment.executing']
        | components['schemas']['payment.completed']
        | components['schemas']['payment.failed']
        | components['schemas']['payment.expired']
        | components['schemas']['payment.updated']
        | components['schemas']['payment.stalled']
        | components['schemas']['payment.anomaly']
        | components['schemas']['payment.verified']
      )[];
      /** @description The `after` of the next page, even when there are no more events yet. */
      nextCursor: string;
    };
    SchemaAnswer: {
      type: string;
      /** @description The meaning of the event. */
      summary: string;
      /** @description The path of the type's JSON Schema. */
      schema: string;
    };
    SchemasAnswer: {
      data: components['schemas']['SchemaAnswer'][];
    };
    LinkBody: {
      /** @description For how many seconds the link is valid; by default until a day after the quote expires. */
      expiresIn?: number | null;
    };
    LinkAnswer: {
      /**
       * Format: uri
       * @description The link gives access to every person who has it.
       * @example https://pay.example/public/payments/pbl_v1.Q2F4
       */
      url: string;
      /** Format: date-time */
      expiresAt: string;
    };
    PayerTokenAnswer: {
      /** @example USDC */
      symbol: string | null;
      /** @description The address of the token's contract; the zero address is the native coin. */
      address: string | null;
    };
    PayerChainAnswer: {
      /** @example 8453 */
      id: number | null;
      /** @example Base */
      name: string | null;
    };
    PayerAnswer: {
      /** @description Where to send the money. */
      address: string | null;
      /** @description The memo that must be sent with the money, which is lost otherwise. Null: the address needs none. */
      memo: string | null;
      /**
       * @description The exact sum to send, a decimal; null: the quote object is not known.
       * @example 25.42
       */
      amount: string | null;
      token: components['schemas']['PayerTokenAnswer'];
      chain: components['schemas']['PayerChainAnswer'];
      /**
       * Format: date-time
       * @description When the quote expires; a deposit after it may be lost.
       */
      expiresAt: string | null;
      /** @enum {string} */
      status: 'AWAITING_DEPOSIT' | 'DEPOSIT_RECEIVED' | 'EXECUTING' | 'COMPLETED' | 'FAILED' | 'EXPIRED';
      /**
       * @description Whether the received sum is the requested one; null: no money came yet.
       * @enum {string|null}
       */
      match: 'exact' | 'underpaid' | 'overpaid' | 'unknown' | null;
    };
    LivenessAnswer: {
      /** @enum {string} */
      status: 'ok';
    };
    DatabaseCheck: {
      /**
       * @description `degraded`: the database answers, but within the last 30 s it refused a request for lack of connections, disk or memory.
       * @enum {string}
       */
      status: 'ok' | 'degraded' | 'unavailable';
      /**
       * @description Which check fails: the start, any answer, the schema of this release, or the commit of a small write.
       * @enum {string}
       */
      failed?: 'start' | 'answer' | 'schema' | 'write';
      /** @description One line for an operator; for a day after a restore or a failover set the database back, it says so. */
      detail?: string;
    };
    NamedPartCheck: {
      /** @enum {string} */
      status: 'ok' | 'degraded' | 'off';
      /** @description One line for an operator. */
      detail?: string;
      /** @example relay */
      name: string;
    };
    ProviderCheck: {
      /** @enum {string} */
      status: 'ok' | 'degraded' | 'off';
      /** @description One line for an operator. */
      detail?: string;
      /** @description The health of each provider, in the order of PROVIDER; absent where there is only one. */
      providers?: components['schemas']['NamedPartCheck'][];
    };
    DeliveriesCheck: {
      /** @enum {string} */
      status: 'ok' | 'degraded' | 'off';
      /** @description One line for an operator. */
      detail?: string;
      /** @description How many are overdue, counted up to 10,000; null when the number is not known. */
      overdue: number | null;
    };
    PartCheck: {
      /** @enum {string} */
      status: 'ok' | 'degraded' | 'off';
      /** @description One line for an operator. */
      detail?: string;
    };
    RunningReplica: {
      /** Format: uuid */
      id: string;
      /**
       * @example [
       *       "api",
       *       "tracker",
       *       "dispatcher"
       *     ]
       */
      roles: string[];
      /** @example 1.0.0 */
      release: string;
    };
    ReplicasCheck: {
      /** @enum {string} */
      status: 'ok' | 'degraded' | 'off';
      /** @description One line for an operator. */
      detail?: string;
      running: components['schemas']['RunningReplica'][];
    };
    ReadinessParts: {
      database: components['schemas']['DatabaseCheck'];
      provider: components['schemas']['ProviderCheck'];
      deliveries: components['schemas']['DeliveriesCheck'];
      secrets: components['schemas']['PartCheck'];
      /** @description The event log: `degraded` while a transaction has kept new events out of it for more than 30 s. */
      log: components['schemas']['PartCheck'];
      clock: components['schemas']['PartCheck'];
      replicas: components['schemas']['ReplicasCheck'];
      rabbitmq: components['schemas']['PartCheck'];
    };
    ReadinessAnswer: {
      /** @enum {string} */
      status: 'ok' | 'degraded';
      checks: components['schemas']['ReadinessParts'];
    };
    PollCountsAnswer: {
      unchanged: number;
      changed: number;
      refused: number;
      foreign: number;
      throttled: number;
      credentials: number;
      unavailable: number;
    };
    PollsByClassAnswer: {
      /** @description Money is on its way. */
      in_flight: number;
      /** @description New, or requested by a client. */
      attended: number;
      unattended: number;
      /** @description Expired or failed. */
      watching: number;
    };
    DeliveryCountsAnswer: {
      delivered: number;
      /** @description Deliveries whose last attempt failed. */
      givenUp: number;
      /**
       * @description Failed attempts by class; only classes that occurred.
       * @example {
       *       "timeout": 2,
       *       "status": 1
       *     }
       */
      failed: {
        [key: string]: number;
      };
    };
    FigurePointAnswer: {
      /**
       * Format: date-time
       * @description The beginning of the step.
       */
      at: string;
      /**
       * @description Recorded events by type; only types that occurred.
       * @example {
       *       "payment.created": 2,
       *       "payment.completed": 1
       *     }
       */
      changes: {
        [key: string]: number;
      };
      polls: components['schemas']['PollCountsAnswer'];
      pollsByClass: components['schemas']['PollsByClassAnswer'];
      /** @description Status requests to the provider. */
      requests: components['schemas']['LatencyAnswer'];
      /** @description The time between the poll that found a new status and the one before it. */
      detectionGap: components['schemas']['LatencyAnswer'];
      deliveries: components['schemas']['DeliveryCountsAnswer'];
      /** @description The time from the recording of an event to its acknowledgement. */
      latency: components['schemas']['LatencyAnswer'];
      /** @description How long single attempts took, with any outcome. */
      attempts: components['schemas']['LatencyAnswer'];
    };
    DeliveryPointAnswer: {
      /**
       * Format: date-time
       * @description The beginning of the step.
       */
      at: string;
      deliveries: components['schemas']['DeliveryCountsAnswer'];
      /** @description The time from the recording of an event to its acknowledgement. */
      latency: components['schemas']['LatencyAnswer'];
      /** @description How long single attempts took, with any outcome. */
      attempts: components['schemas']['LatencyAnswer'];
    };
    EndpointFiguresAnswer: {
      /**
       * @description The id of the webhook endpoint, or `rabbitmq`.
       * @example rabbitmq
       */
      endpointId: string;
      /** @example webhook */
      destination: string;
      /** @description The destination's steps, if it was requested by `endpointId`; otherwise empty. */
      points: components['schemas']['DeliveryPointAnswer'][];
      deliveries: components['schemas']['DeliveryCountsAnswer'];
      latency: components['schemas']['LatencyAnswer'];
      attempts: components['schemas']['LatencyAnswer'];
    };
    FiguresAnswer: {
      /** Format: date-time */
      from: string;
      /** Format: date-time */
      to: string;
      /**
       * @description In seconds.
       * @example 60
       */
      step: number;
      /** @description All destinations and providers together, by steps. */
      all: components['schemas']['FigurePointAnswer'][];
      /** @description Destinations with activity, those with the most failed attempts first. */
      endpoints: components['schemas']['EndpointFiguresAnswer'][];
    };
    UrgencyClassAnswer: {
      /** @enum {string} */
      name: 'in_flight' | 'attended' | 'unattended' | 'watching';
      payments: number;
      /** @description Payments whose poll is due. */
      overdue: number;
      /**
       * @description The polls that the payments need at unscaled intervals.
       * @example 36
       */
      wantedPerMinute: number;
      /** @description The polls of the payments in the last complete minute. */
      polledLastMinute: number;
      /**
       * @description The factor by which intervals are longer so that the budget suffices; 1: intervals have their usual length.
       * @example 1
       */
      scale: number;
    };
    RefusalAnswer: {
      /** Format: date-time */
      at: string;
      /**
       * Format: uuid
       * @description The process that asked.
       */
      replicaId: string;
      /** @enum {string} */
      asked: 'status' | 'chains' | 'quote' | 'currencies';
      /** @enum {string} */
      kind: 'refused' | 'throttled' | 'credentials' | 'misconfigured' | 'unavailable';
      /** @example 503 */
      httpStatus: number | null;
      /** @description The provider's message or ours, without keys and addresses. */
      message: string;
    };
    ReconcileAnswer: {
      /** Format: date-time */
      reconciledTo: string | null;
      /** Format: date-time */
      nextAt: string;
    };
    ProviderReplicaAnswer: {
      /** Format: uuid */
      id: string;
      /**
       * @example [
       *       "api",
       *       "tracker",
       *       "dispatcher"
       *     ]
       */
      roles: string[];
      /** @example 1.0.0 */
      release: string;
      /** Format: date-time */
      startedAt: string;
      /** Format: date-time */
      seenAt: string;
      isAlive: boolean;
      /** @description The replica's trouble with the provider; null: none. */
      detail: string | null;
      keyRefused: boolean;
    };
    CircuitAnswer: {
      /**
       * @description `open`: the provider fails, and gets only probes; `credentials`: it does not accept our key, and gets only probes.
       * @enum {string}
       */
      state: 'closed' | 'open' | 'credentials';
      /**
       * Format: date-time
       * @description Null: it never opened.
       */
      since: string | null;
      /**
       * Format: date-time
       * @description The earliest time of the next probe; null while the circuit is closed.
       */
      nextProbeAt: string | null;
    };
    ProviderLimitsAnswer: {
      /**
       * @description Status requests of all replicas together.
       * @example 600
       */
      requestsPerMinute: number | null;
      quotesPerMinute: number | null;
      /**
       * @description Concurrent requests of each replica.
       * @example 64
       */
      maxConcurrency: number;
      /**
       * @description How many payments one request can cover.
       * @example 1
       */
      batchSize: number;
      /** @example 5000 */
      timeoutMs: number;
      /**
       * @description The interval of an open payment's polls while the budget suffices.
       * @example 7000
       */
      pollIntervalMs: number;
      /**
       * @description The shortest time between two polls of a payment.
       * @example 5000
       */
      minGapMs: number;
    };
    BudgetAnswer: {
      /**
       * @description Less than the limit after a 429 or 503; null: no limit.
       * @example 582.4
       */
      requestsPerMinuteNow: number | null;
      /**
       * @description Requests that may be sent at once; null: no limit.
       * @example 12
       */
      available: number | null;
      /**
       * @description Status requests of the last complete minute.
       * @example 280
       */
      usedLastMinute: number;
      /**
       * Format: date-time
       * @description No request is sent before this time, by the provider's Retry-After.
       */
      pausedUntil: string | null;
      /**
       * @description `asked`: the provider asked for fewer requests; null: the rate is the usual one.
       * @enum {string|null}
       */
      slowedBy: 'asked' | null;
    };
    LastHourAnswer: {
      polls: components['schemas']['PollCountsAnswer'];
      /** @description Status requests. */
      requests: components['schemas']['LatencyAnswer'];
      /** @description The time between the poll that found a new status and the one before it: the longest delay with which a change is seen. */
      detectionGap: components['schemas']['LatencyAnswer'];
    };
    ProviderAnswer: {
      /** Format: date-time */
      checkedAt: string;
      /**
       * @description The name in PROVIDER.
       * @example relay
       */
      name: string;
      /**
       * @description The host of the provider's address; null for the sandbox, and for an internal address.
       * @example api.provider.example
       */
      host: string | null;
      /**
       * @description `degraded` as soon as one replica has trouble with the provider.
       * @enum {string}
       */
      status: 'ok' | 'degraded';
      detail: string | null;
      /** @description True while the provider does not accept our key. */
      keyRefused: boolean;
      /** @description The most urgent first. */
      classes: components['schemas']['UrgencyClassAnswer'][];
      /** @description How long the payment that waits longest for its poll has been due; 0 when none is. */
      lagMs: number;
      /** @description Requests for quotes of the last day that the provider has not answered, counted up to 10,000. */
      unansweredQuotes: number;
      /** @description At most 20, the newest first. */
      lastRefusals: components['schemas']['RefusalAnswer'][];
      /** @description Absent for a provider without a list of changes. */
      reconcile?: components['schemas']['ReconcileAnswer'];
      /** @description The processes of the last hour; the last seen comes first. */
      replicas: components['schemas']['ProviderReplicaAnswer'][];
      circuit: components['schemas']['CircuitAnswer'];
      limits: components['schemas']['ProviderLimitsAnswer'];
      budget: components['schemas']['BudgetAnswer'];
      lastHour: components['schemas']['LastHourAnswer'];
    };
    ProvidersAnswer: {
      /** @description The providers in the order of PROVIDER, then those of PROVIDER_LEAVE. */
      data: components['schemas']['ProviderAnswer'][];
    };
    NeedyPaymentsAnswer: {
      /** @description The number of payments, each once, counted up to 10,000. */
      count: number;
      /** @description True: the number is a lower bound. */
      isMore: boolean;
    };
    TroubledEndpointAnswer: {
      /** Format: uuid */
      id: string;
      url: string;
      description: string | null;
      /** @enum {string} */
      circuit: 'closed' | 'open' | 'recovering';
      /**
       * Format: date-time
       * @description Since when every attempt has failed; null: the last one succeeded.
       */
      failingSince: string | null;
      /** @description Null while it is enabled. */
      disabledReason: string | null;
    };
    TokenSumAnswer: {
      /** @example 8453 */
      chainId: number | null;
      /** @example Base */
      chain: string | null;
      /** @example USDC */
      symbol: string | null;
      address: string | null;
      /**
       * @description The exact sum in human-readable units, of the amounts that the quotes state.
       * @example 1204.500000000000000001
       */
      amount: string;
      payments: number;
    };
    PaymentSumsAnswer: {
      /** @description Counted up to 10,000. */
      count: number;
      /** @description True: the number is a lower bound. */
      isMore: boolean;
      /** @description Sums of the counted payments, at most 20, the most payments first. */
      sums: components['schemas']['TokenSumAnswer'][];
      /** @description How many tokens are not listed. */
      otherTokens: number;
    };
    UntoldAtAnswer: {
      destination: components['schemas']['NamedDestinationAnswer'];
      /** @description Counted up to 10,000. */
      count: number;
      /** @description True: the number is a lower bound. */
      isMore: boolean;
      /**
       * Format: date-time
       * @description When the oldest event that the endpoint was not told was recorded.
       */
      since: string | null;
    };
    AttentionItemAnswer: {
      /** @enum {string} */
      code:
        | 'database_failing'
        | 'no_receiver'
        | 'broker_away'
        | 'broker_refuses'
        | 'undelivered'
        | 'endpoints_disabled'
        | 'endpoints_failing'
        | 'endpoints_refusing'
        | 'deliveries_failed'
        | 'order_paid_twice'
        | 'payments_contradicted'
        | 'deposits_unseen'
        | 'payments_stalled'
        | 'payments_anomaly'
        | 'payments_short'
        | 'payments_wrong_sum'
        | 'events_unroutable'
        | 'secrets_unreadable'
        | 'provider_key_refused'
        | 'provider_circuit_open'
        | 'provider_lists_unread'
        | 'log_held'
        | 'roles_missing'
        | 'settings_disagree'
        | 'rpc_disagrees'
        | 'payments_unverified'
        | 'rpc_stuck'
        | 'payments_late'
        | 'provider_slow'
        | 'provider_paused'
        | 'provider_slowed'
        | 'provider_capacity'
        | 'budget_short'
        | 'quotes_unanswered'
        | 'replicas_lost';
      /**
       * @description `bad`: payments or events are stuck; `warn`: everything works, but a person should know.
       * @enum {string}
       */
      severity: 'bad' | 'warn';
      /** @description The number of payments or other things concerned, counted up to 10,000; 1 for a state. */
      count: number;
      /** @description True: the number is a lower bound. */
      isMore: boolean;
      /**
       * @description The path of this API that lists what is counted, or has the one destination or provider.
       * @example /api/payments?stalled=true
       */
      href: string;
      /**
       * Format: date-time
       * @description When the oldest counted trouble began; null: not known.
       */
      since: string | null;
      /**
       * @description One sentence.
       * @example 3 payments make no progress.
       */
      detail: string;
      /** @description Only with the codes of endpoints: at most 20 endpoints; otherwise empty. */
      endpoints: components['schemas']['TroubledEndpointAnswer'][];
      /**
       * @description The first three counted payments. Each payment is named in one item, by its first need; `undelivered` names those without
       *     another need.
       */
      examples: components['schemas']['RefusedPaymentAnswer'][];
      /** @description Only with the codes of endpoints: paid payments whose newest event no destination has acknowledged. */
      payments?: components['schemas']['PaymentSumsAnswer'];
      /** @description Only with `undelivered`: at most 20 destinations, those with the most payments first. */
      destinations?: components['schemas']['UntoldAtAnswer'][];
    };
    ProofCountsAnswer: {
      pending: number;
      proven: number;
      contradicted: number;
      /** @description Payments that have completed by the word of the provider. */
      unverified: number;
    };
    FirstStepsAnswer: {
      /** @description There is a webhook endpoint, or RabbitMQ is on. */
      hasDestination: boolean;
      /** @description An endpoint has acknowledged a test. */
      isTested: boolean;
      /** @description A quote was submitted with `POST /api/payments`. */
      isHandedOver: boolean;
      /** @description A quote was requested or looked up here: the shop uses this base URL. */
      isAsked: boolean;
    };
    ReplicaAnswer: {
      /** Format: uuid */
      id: string;
      /**
       * @example [
       *       "api",
       *       "tracker",
       *       "dispatcher"
       *     ]
       */
      roles: string[];
      /** @example 1.0.0 */
      release: string;
      /** Format: date-time */
      startedAt: string;
      /** Format: date-time */
      seenAt: string;
      isAlive: boolean;
    };
    AttentionAnswer: {
      /**
       * Format: date-time
       * @description When the reading of the items began. They are kept for five seconds, or for up to ten where the reading takes long, and for
       *     longer while `database_failing` is an item. Where nothing was read yet, that item stands alone, and counts are lower bounds
       *     of 0.
       */
      checkedAt: string;
      /** @description The payments that need a person, each once, even if several items count them. */
      payments: components['schemas']['NeedyPaymentsAnswer'];
      /** @description The worst first. */
      items: components['schemas']['AttentionItemAnswer'][];
      /** @description Money in flight: payments in the statuses DEPOSIT_RECEIVED and EXECUTING that no person has resolved. */
      inFlight: components['schemas']['PaymentSumsAnswer'];
      /** @description The chains' findings; absent while VERIFY is off. */
      proofs?: components['schemas']['ProofCountsAnswer'];
      /** @description Absent once any destination was told of an event, or a payment has completed. */
      firstSteps?: components['schemas']['FirstStepsAnswer'];
      /** @description The processes of the last hour; the last seen comes first. */
      replicas: components['schemas']['ReplicaAnswer'][];
    };
    SystemDatabaseAnswer: {
      /**
       * @description The version of the PostgreSQL server.
       * @example 15.20
       */
      version: string;
      /**
       * @description The last migration of the database's tables; null: none.
       * @example InitialSchema
       */
      migration: string | null;
      /**
       * @description The newest release that has brought the schema up.
       * @example 1.0.0
       */
      schemaRelease: string;
      /** @description False: the schema has other migrations than this release makes, as while another release runs beside it. */
      isOwnSchema: boolean;
    };
    SystemRetentionAnswer: {
      /**
       * @description Payments with their events and deliveries, after they closed: `RETENTION_DAYS`.
       * @example 90
       */
      paymentsDays: number;
      /**
       * @description The audit log: `AUDIT_RETENTION_DAYS`.
       * @example 365
       */
      auditDays: number;
      /** @example 14 */
      figuresDays: number;
    };
    SystemAnswer: {
      /**
       * @description The release of the replica that answers.
       * @example 1.0.0
       */
      release: string;
      /** Format: uuid */
      replicaId: string;
      /**
       * @example [
       *       "api",
       *       "tracker",
       *       "dispatcher"
       *     ]
       */
      roles: string[];
      /**
       * @description The version of Node.js.
       * @example 20.20.2
       */
      node: string;
      database: components['schemas']['SystemDatabaseAnswer'];
      retention: components['schemas']['SystemRetentionAnswer'];
    };
    /** @description The quote is stored. */
    'payment.created': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.created';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'AWAITING_DEPOSIT';
        /**
         * @description There was none before.
         * @enum {object|null}
         */
        previousStatus: never | null;
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /**
         * @description There is no report yet.
         * @enum {object|null}
         */
        payment: never | null;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The deposit was seen. */
    'payment.deposit_received': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.deposit_received';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'DEPOSIT_RECEIVED';
        /**
         * @description The status before this event; the same status where nothing changed.
         * @enum {unknown}
         */
        previousStatus:
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED';
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /** @description From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
        amounts?: {
          /** @description The deposit. */
          send: {
            /** @description The requested amount. */
            asked: string | null;
            /** @description The amount of this token that came. */
            came: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /** @description The output. */
          receive: {
            /** @description The least that the quote promises, or its estimate. */
            promised: string | null;
            /** @description The amount of this token that arrived. */
            arrived: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /**
           * @description The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.
           * @enum {unknown}
           */
          match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        };
        /** @description The provider's status object as reported, verbatim; its fields are not checked. */
        payment: {
          [key: string]: unknown;
        };
        /** @description Only with VERIFY: the chain's finding about the output. */
        verification?: {
          /**
           * @description By the chain: proven or contradicted. unverified: the word of the provider is all there is.
           * @enum {unknown}
           */
          state: 'pending' | 'proven' | 'contradicted' | 'unverified';
          /** @description The chain of the output. */
          chainId: number | null;
          /** @description The transaction of the output. */
          txHash: string | null;
          /** @description The index of the transfer's log; null: the native coin, or no transfer was found. */
          logIndex: number | null;
          /** @description The number of the block. */
          block: number | null;
          /** @description The number of later blocks when the chain was read. */
          confirmations: number | null;
          /** @description The checks in order. */
          checks: {
            /**
             * @description The name of the check.
             * @enum {unknown}
             */
            name:
              | 'chain_id'
              | 'receipt'
              | 'token'
              | 'recipient'
              | 'amount'
              | 'unused'
              | 'time'
              | 'confirmations';
            /** @description Null: the check could not be made. */
            passed: boolean | null;
            /** @description One sentence for a person. */
            detail: string;
          }[];
          /** @description The hosts of the RPCs that answered; the second one of a host is host#2. */
          sources: string[];
          /** @description Only with output_used_before: the quote id of the payment that the transfer proves. */
          usedBy?: string;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The swap is on its way. */
    'payment.executing': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.executing';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'EXECUTING';
        /**
         * @description The status before this event; the same status where nothing changed.
         * @enum {unknown}
         */
        previousStatus:
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED';
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /** @description From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
        amounts?: {
          /** @description The deposit. */
          send: {
            /** @description The requested amount. */
            asked: string | null;
            /** @description The amount of this token that came. */
            came: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /** @description The output. */
          receive: {
            /** @description The least that the quote promises, or its estimate. */
            promised: string | null;
            /** @description The amount of this token that arrived. */
            arrived: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /**
           * @description The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.
           * @enum {unknown}
           */
          match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        };
        /** @description The provider's status object as reported, verbatim; its fields are not checked. */
        payment: {
          [key: string]: unknown;
        };
        /** @description Only with VERIFY: the chain's finding about the output. */
        verification?: {
          /**
           * @description By the chain: proven or contradicted. unverified: the word of the provider is all there is.
           * @enum {unknown}
           */
          state: 'pending' | 'proven' | 'contradicted' | 'unverified';
          /** @description The chain of the output. */
          chainId: number | null;
          /** @description The transaction of the output. */
          txHash: string | null;
          /** @description The index of the transfer's log; null: the native coin, or no transfer was found. */
          logIndex: number | null;
          /** @description The number of the block. */
          block: number | null;
          /** @description The number of later blocks when the chain was read. */
          confirmations: number | null;
          /** @description The checks in order. */
          checks: {
            /**
             * @description The name of the check.
             * @enum {unknown}
             */
            name:
              | 'chain_id'
              | 'receipt'
              | 'token'
              | 'recipient'
              | 'amount'
              | 'unused'
              | 'time'
              | 'confirmations';
            /** @description Null: the check could not be made. */
            passed: boolean | null;
            /** @description One sentence for a person. */
            detail: string;
          }[];
          /** @description The hosts of the RPCs that answered; the second one of a host is host#2. */
          sources: string[];
          /** @description Only with output_used_before: the quote id of the payment that the transfer proves. */
          usedBy?: string;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The funds are at the recipient: exactly one for each payment. */
    'payment.completed': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.completed';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'COMPLETED';
        /**
         * @description The status before this event; the same status where nothing changed.
         * @enum {unknown}
         */
        previousStatus:
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED';
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /** @description From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
        amounts?: {
          /** @description The deposit. */
          send: {
            /** @description The requested amount. */
            asked: string | null;
            /** @description The amount of this token that came. */
            came: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /** @description The output. */
          receive: {
            /** @description The least that the quote promises, or its estimate. */
            promised: string | null;
            /** @description The amount of this token that arrived. */
            arrived: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /**
           * @description The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.
           * @enum {unknown}
           */
          match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        };
        /** @description The provider's status object as reported, verbatim; its fields are not checked. */
        payment: {
          [key: string]: unknown;
        };
        /** @description Only where the order has other payments: the quote ids of those that are completed or open, newest first. */
        order?: {
          /** @description Completed payments that are not resolved as a duplicate: the order is paid twice. */
          completed: string[];
          /** @description Payments that have not ended: the order may be paid again. */
          open: string[];
        };
        /** @description Only with VERIFY: the chain's finding about the output. */
        verification?: {
          /**
           * @description By the chain: proven or contradicted. unverified: the word of the provider is all there is.
           * @enum {unknown}
           */
          state: 'pending' | 'proven' | 'contradicted' | 'unverified';
          /** @description The chain of the output. */
          chainId: number | null;
          /** @description The transaction of the output. */
          txHash: string | null;
          /** @description The index of the transfer's log; null: the native coin, or no transfer was found. */
          logIndex: number | null;
          /** @description The number of the block. */
          block: number | null;
          /** @description The number of later blocks when the chain was read. */
          confirmations: number | null;
          /** @description The checks in order. */
          checks: {
            /**
             * @description The name of the check.
             * @enum {unknown}
             */
            name:
              | 'chain_id'
              | 'receipt'
              | 'token'
              | 'recipient'
              | 'amount'
              | 'unused'
              | 'time'
              | 'confirmations';
            /** @description Null: the check could not be made. */
            passed: boolean | null;
            /** @description One sentence for a person. */
            detail: string;
          }[];
          /** @description The hosts of the RPCs that answered; the second one of a host is host#2. */
          sources: string[];
          /** @description Only with output_used_before: the quote id of the payment that the transfer proves. */
          usedBy?: string;
        };
        /** @description The output, by the report. */
        output: {
          /**
           * @description The ground of the completion: a transaction to the recipient, an amount that arrived, or only the word of the provider.
           * @enum {unknown}
           */
          by: 'transaction' | 'amount' | 'word';
          /** @description The hashes of the transactions to the recipient, as far as the report has them. */
          transactions: string[];
          /** @description The amount in units of the token, a decimal; null: the report has none. */
          amount: string | null;
          /** @description The address of the token; null: the report has none. */
          token: string | null;
        };
        /** @description Only where a person released a payment whose completion was withheld: who, and why. */
        resolution?: {
          /**
           * @description The person's reason.
           * @enum {unknown}
           */
          reason:
            | 'refunded'
            | 'fulfilled_elsewhere'
            | 'written_off'
            | 'duplicate'
            | 'test'
            | 'other'
            | 'released';
          /** @description The person's note. */
          note: string | null;
          /** @description The name of the API key. */
          by: string;
          /**
           * Format: date-time
           * @description When it was resolved, UTC with milliseconds.
           */
          at: string;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The execution failed. */
    'payment.failed': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.failed';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'FAILED';
        /**
         * @description The status before this event; the same status where nothing changed.
         * @enum {unknown}
         */
        previousStatus:
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED';
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /** @description From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
        amounts?: {
          /** @description The deposit. */
          send: {
            /** @description The requested amount. */
            asked: string | null;
            /** @description The amount of this token that came. */
            came: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /** @description The output. */
          receive: {
            /** @description The least that the quote promises, or its estimate. */
            promised: string | null;
            /** @description The amount of this token that arrived. */
            arrived: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /**
           * @description The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.
           * @enum {unknown}
           */
          match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        };
        /** @description The provider's status object as reported, verbatim; its fields are not checked. */
        payment: {
          [key: string]: unknown;
        };
        /** @description Only with VERIFY: the chain's finding about the output. */
        verification?: {
          /**
           * @description By the chain: proven or contradicted. unverified: the word of the provider is all there is.
           * @enum {unknown}
           */
          state: 'pending' | 'proven' | 'contradicted' | 'unverified';
          /** @description The chain of the output. */
          chainId: number | null;
          /** @description The transaction of the output. */
          txHash: string | null;
          /** @description The index of the transfer's log; null: the native coin, or no transfer was found. */
          logIndex: number | null;
          /** @description The number of the block. */
          block: number | null;
          /** @description The number of later blocks when the chain was read. */
          confirmations: number | null;
          /** @description The checks in order. */
          checks: {
            /**
             * @description The name of the check.
             * @enum {unknown}
             */
            name:
              | 'chain_id'
              | 'receipt'
              | 'token'
              | 'recipient'
              | 'amount'
              | 'unused'
              | 'time'
              | 'confirmations';
            /** @description Null: the check could not be made. */
            passed: boolean | null;
            /** @description One sentence for a person. */
            detail: string;
          }[];
          /** @description The hosts of the RPCs that answered; the second one of a host is host#2. */
          sources: string[];
          /** @description Only with output_used_before: the quote id of the payment that the transfer proves. */
          usedBy?: string;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description No deposit arrived in time. */
    'payment.expired': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.expired';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'EXPIRED';
        /**
         * @description The status before this event; the same status where nothing changed.
         * @enum {unknown}
         */
        previousStatus:
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED';
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /** @description From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
        amounts?: {
          /** @description The deposit. */
          send: {
            /** @description The requested amount. */
            asked: string | null;
            /** @description The amount of this token that came. */
            came: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /** @description The output. */
          receive: {
            /** @description The least that the quote promises, or its estimate. */
            promised: string | null;
            /** @description The amount of this token that arrived. */
            arrived: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /**
           * @description The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.
           * @enum {unknown}
           */
          match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        };
        /** @description The provider's status object as reported, verbatim; its fields are not checked. */
        payment: {
          [key: string]: unknown;
        };
        /** @description Only with VERIFY: the chain's finding about the output. */
        verification?: {
          /**
           * @description By the chain: proven or contradicted. unverified: the word of the provider is all there is.
           * @enum {unknown}
           */
          state: 'pending' | 'proven' | 'contradicted' | 'unverified';
          /** @description The chain of the output. */
          chainId: number | null;
          /** @description The transaction of the output. */
          txHash: string | null;
          /** @description The index of the transfer's log; null: the native coin, or no transfer was found. */
          logIndex: number | null;
          /** @description The number of the block. */
          block: number | null;
          /** @description The number of later blocks when the chain was read. */
          confirmations: number | null;
          /** @description The checks in order. */
          checks: {
            /**
             * @description The name of the check.
             * @enum {unknown}
             */
            name:
              | 'chain_id'
              | 'receipt'
              | 'token'
              | 'recipient'
              | 'amount'
              | 'unused'
              | 'time'
              | 'confirmations';
            /** @description Null: the check could not be made. */
            passed: boolean | null;
            /** @description One sentence for a person. */
            detail: string;
          }[];
          /** @description The hosts of the RPCs that answered; the second one of a host is host#2. */
          sources: string[];
          /** @description Only with output_used_before: the quote id of the payment that the transfer proves. */
          usedBy?: string;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The report changed in something that matters, orderId or metadata were set, or a person resolved the payment; the status did not change. */
    'payment.updated': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.updated';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'AWAITING_DEPOSIT' | 'DEPOSIT_RECEIVED' | 'EXECUTING' | 'COMPLETED' | 'FAILED' | 'EXPIRED';
        /**
         * @description The status before this event; the same status where nothing changed.
         * @enum {unknown}
         */
        previousStatus:
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED';
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /** @description From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
        amounts?: {
          /** @description The deposit. */
          send: {
            /** @description The requested amount. */
            asked: string | null;
            /** @description The amount of this token that came. */
            came: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /** @description The output. */
          receive: {
            /** @description The least that the quote promises, or its estimate. */
            promised: string | null;
            /** @description The amount of this token that arrived. */
            arrived: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /**
           * @description The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.
           * @enum {unknown}
           */
          match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        };
        /** @description The provider's status object as reported, verbatim; its fields are not checked. Null before the first report. */
        payment: {
          [key: string]: unknown;
        } | null;
        /** @description Only where the order has other payments: the quote ids of those that are completed or open, newest first. */
        order?: {
          /** @description Completed payments that are not resolved as a duplicate: the order is paid twice. */
          completed: string[];
          /** @description Payments that have not ended: the order may be paid again. */
          open: string[];
        };
        /**
         * @description Only when a payment that was completed without an order gets one: fulfil the order on this event.
         * @enum {boolean}
         */
        named?: true;
        /** @description Only when the payment had another order before: the id of that order. */
        previousOrderId?: string;
        /** @description Only when a person resolved the payment, or took that back (null): how it was settled. The status stands. */
        resolution?: {
          /**
           * @description The person's reason.
           * @enum {unknown}
           */
          reason:
            | 'refunded'
            | 'fulfilled_elsewhere'
            | 'written_off'
            | 'duplicate'
            | 'test'
            | 'other'
            | 'released';
          /** @description The person's note. */
          note: string | null;
          /** @description The name of the API key. */
          by: string;
          /**
           * Format: date-time
           * @description When it was resolved, UTC with milliseconds.
           */
          at: string;
        } | null;
        /** @description Only with VERIFY: the chain's finding about the output. */
        verification?: {
          /**
           * @description By the chain: proven or contradicted. unverified: the word of the provider is all there is.
           * @enum {unknown}
           */
          state: 'pending' | 'proven' | 'contradicted' | 'unverified';
          /** @description The chain of the output. */
          chainId: number | null;
          /** @description The transaction of the output. */
          txHash: string | null;
          /** @description The index of the transfer's log; null: the native coin, or no transfer was found. */
          logIndex: number | null;
          /** @description The number of the block. */
          block: number | null;
          /** @description The number of later blocks when the chain was read. */
          confirmations: number | null;
          /** @description The checks in order. */
          checks: {
            /**
             * @description The name of the check.
             * @enum {unknown}
             */
            name:
              | 'chain_id'
              | 'receipt'
              | 'token'
              | 'recipient'
              | 'amount'
              | 'unused'
              | 'time'
              | 'confirmations';
            /** @description Null: the check could not be made. */
            passed: boolean | null;
            /** @description One sentence for a person. */
            detail: string;
          }[];
          /** @description The hosts of the RPCs that answered; the second one of a host is host#2. */
          sources: string[];
          /** @description Only with output_used_before: the quote id of the payment that the transfer proves. */
          usedBy?: string;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description Nothing moves after the deposit, the provider says nothing, or a withheld completion is not proven in time. */
    'payment.stalled': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.stalled';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'AWAITING_DEPOSIT' | 'DEPOSIT_RECEIVED' | 'EXECUTING' | 'COMPLETED' | 'FAILED' | 'EXPIRED';
        /**
         * @description The status before this event; the same status where nothing changed.
         * @enum {unknown}
         */
        previousStatus:
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED';
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /** @description From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
        amounts?: {
          /** @description The deposit. */
          send: {
            /** @description The requested amount. */
            asked: string | null;
            /** @description The amount of this token that came. */
            came: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /** @description The output. */
          receive: {
            /** @description The least that the quote promises, or its estimate. */
            promised: string | null;
            /** @description The amount of this token that arrived. */
            arrived: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /**
           * @description The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.
           * @enum {unknown}
           */
          match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        };
        /** @description The provider's status object as reported, verbatim; its fields are not checked. Null before the first report. */
        payment: {
          [key: string]: unknown;
        } | null;
        /**
         * @description Nothing moves after the deposit, the provider says nothing, or a withheld completion is not proven in time.
         * @enum {unknown}
         */
        reason: 'no_progress' | 'provider_silent' | 'unverified';
        /** @description Only with VERIFY: the chain's finding about the output. */
        verification?: {
          /**
           * @description By the chain: proven or contradicted. unverified: the word of the provider is all there is.
           * @enum {unknown}
           */
          state: 'pending' | 'proven' | 'contradicted' | 'unverified';
          /** @description The chain of the output. */
          chainId: number | null;
          /** @description The transaction of the output. */
          txHash: string | null;
          /** @description The index of the transfer's log; null: the native coin, or no transfer was found. */
          logIndex: number | null;
          /** @description The number of the block. */
          block: number | null;
          /** @description The number of later blocks when the chain was read. */
          confirmations: number | null;
          /** @description The checks in order. */
          checks: {
            /**
             * @description The name of the check.
             * @enum {unknown}
             */
            name:
              | 'chain_id'
              | 'receipt'
              | 'token'
              | 'recipient'
              | 'amount'
              | 'unused'
              | 'time'
              | 'confirmations';
            /** @description Null: the check could not be made. */
            passed: boolean | null;
            /** @description One sentence for a person. */
            detail: string;
          }[];
          /** @description The hosts of the RPCs that answered; the second one of a host is host#2. */
          sources: string[];
          /** @description Only with output_used_before: the quote id of the payment that the transfer proves. */
          usedBy?: string;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description The provider contradicts itself, the chain contradicts it, or the payment came in part; the stored status stands. */
    'payment.anomaly': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.anomaly';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'AWAITING_DEPOSIT' | 'DEPOSIT_RECEIVED' | 'EXECUTING' | 'COMPLETED' | 'FAILED' | 'EXPIRED';
        /**
         * @description The status before this event; the same status where nothing changed.
         * @enum {unknown}
         */
        previousStatus:
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED';
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /** @description From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
        amounts?: {
          /** @description The deposit. */
          send: {
            /** @description The requested amount. */
            asked: string | null;
            /** @description The amount of this token that came. */
            came: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /** @description The output. */
          receive: {
            /** @description The least that the quote promises, or its estimate. */
            promised: string | null;
            /** @description The amount of this token that arrived. */
            arrived: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /**
           * @description The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.
           * @enum {unknown}
           */
          match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        };
        /** @description The report that says so, verbatim; the stored one, if any, where the chain says so. */
        payment: {
          [key: string]: unknown;
        } | null;
        /**
         * @description How the provider contradicts itself or the chain contradicts it, or what is odd about the end; the status stands.
         * @enum {unknown}
         */
        reason:
          | 'went_back'
          | 'changed_after_completed'
          | 'unknown_status'
          | 'other_address'
          | 'other_token_received'
          | 'underpaid'
          | 'overpaid'
          | 'partly_refunded'
          | 'short_output'
          | 'contradictory_output'
          | 'output_missing'
          | 'output_reverted'
          | 'other_recipient'
          | 'other_token'
          | 'amount_short'
          | 'output_used_before'
          | 'output_reorged'
          | 'double_spent'
          | 'deposit_unseen_by_provider';
        /** @description Only with VERIFY: the chain's finding about the output. */
        verification?: {
          /**
           * @description By the chain: proven or contradicted. unverified: the word of the provider is all there is.
           * @enum {unknown}
           */
          state: 'pending' | 'proven' | 'contradicted' | 'unverified';
          /** @description The chain of the output. */
          chainId: number | null;
          /** @description The transaction of the output. */
          txHash: string | null;
          /** @description The index of the transfer's log; null: the native coin, or no transfer was found. */
          logIndex: number | null;
          /** @description The number of the block. */
          block: number | null;
          /** @description The number of later blocks when the chain was read. */
          confirmations: number | null;
          /** @description The checks in order. */
          checks: {
            /**
             * @description The name of the check.
             * @enum {unknown}
             */
            name:
              | 'chain_id'
              | 'receipt'
              | 'token'
              | 'recipient'
              | 'amount'
              | 'unused'
              | 'time'
              | 'confirmations';
            /** @description Null: the check could not be made. */
            passed: boolean | null;
            /** @description One sentence for a person. */
            detail: string;
          }[];
          /** @description The hosts of the RPCs that answered; the second one of a host is host#2. */
          sources: string[];
          /** @description Only with output_used_before: the quote id of the payment that the transfer proves. */
          usedBy?: string;
        };
        /** @description Only with deposit_unseen_by_provider: the deposit on the chain. */
        deposit?: {
          /** @description The chain on which the payer sends. */
          chainId: number;
          /** @description The transaction; null: a contract sent the native coin, and its block does not tell in which one. */
          txHash: string | null;
          /** @description The address of the token that came; null: the native coin of the chain. */
          token: string | null;
          /** @description True: the quote asks for another token. */
          wrongToken: boolean;
          /** @description The amount in units of the token that came, a decimal; null: the decimals of the token are not known. */
          amount: string | null;
          /** @description The amount in the smallest unit of the token. */
          amountRaw: string;
          /** @description The sum of all such deposits that have come until then, in the token that the quote asks for; in the form of `amount`. */
          sum: string | null;
          /** @description The amount in the smallest unit of the token. */
          sumRaw: string;
          /** @description The number of the block. */
          block: number;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description Only with VERIFY=observe: the chain has proven the output of a completed payment. */
    'payment.verified': {
      /**
       * @description The version of CloudEvents.
       * @enum {unknown}
       */
      specversion: '1.0';
      /**
       * Format: uuid
       * @description The id of the event, the same by every way: deduplicate by this id.
       */
      id: string;
      /**
       * Format: uri-reference
       * @description `EVENT_SOURCE`.
       */
      source: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'payment.verified';
      /**
       * Format: date-time
       * @description When the event was recorded, UTC with milliseconds.
       */
      time: string;
      /**
       * @description The media type of `data`.
       * @enum {unknown}
       */
      datacontenttype: 'application/json';
      /** @description The quote id of the payment. */
      subject: string;
      /** @description The W3C trace context with which the payment began; only where tracing was on. */
      traceparent?: string;
      data: {
        /** @description The provider's id of the quote. */
        quoteId: string;
        /** @description The name of the provider that carries the payment. */
        provider: string;
        /** @description The order id that the quote was given, then or later. */
        orderId: string | null;
        /** @description The metadata that the quote was given, then or later. */
        metadata: {
          [key: string]: string;
        } | null;
        /** @description The number of the event in its payment: 1, 2, 3, … */
        sequence: number;
        /** @description Only after a database went back: the number that this event follows. Do not wait for those in between. */
        previousSequence?: number;
        /**
         * @description The status.
         * @enum {unknown}
         */
        status: 'COMPLETED';
        /**
         * @description The status before this event; the same status where nothing changed.
         * @enum {unknown}
         */
        previousStatus:
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED';
        /** @description True: the change came after the payment had ended as EXPIRED or FAILED. */
        late: boolean;
        /** @description From the deposit on: the sums, decimal strings in units of the token; null: neither quote nor report says it. */
        amounts?: {
          /** @description The deposit. */
          send: {
            /** @description The requested amount. */
            asked: string | null;
            /** @description The amount of this token that came. */
            came: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /** @description The output. */
          receive: {
            /** @description The least that the quote promises, or its estimate. */
            promised: string | null;
            /** @description The amount of this token that arrived. */
            arrived: string | null;
            /** @description The address of the token. */
            token: string | null;
          };
          /**
           * @description The deposit against the sum that was asked for, within AMOUNT_TOLERANCE_BPS. unknown: the provider does not say one of them.
           * @enum {unknown}
           */
          match: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        };
        /** @description The provider's status object as reported, verbatim; its fields are not checked. */
        payment: {
          [key: string]: unknown;
        };
        /** @description Only with VERIFY: the chain's finding about the output. */
        verification: {
          /**
           * @description By the chain: proven or contradicted. unverified: the word of the provider is all there is.
           * @enum {unknown}
           */
          state: 'pending' | 'proven' | 'contradicted' | 'unverified';
          /** @description The chain of the output. */
          chainId: number | null;
          /** @description The transaction of the output. */
          txHash: string | null;
          /** @description The index of the transfer's log; null: the native coin, or no transfer was found. */
          logIndex: number | null;
          /** @description The number of the block. */
          block: number | null;
          /** @description The number of later blocks when the chain was read. */
          confirmations: number | null;
          /** @description The checks in order. */
          checks: {
            /**
             * @description The name of the check.
             * @enum {unknown}
             */
            name:
              | 'chain_id'
              | 'receipt'
              | 'token'
              | 'recipient'
              | 'amount'
              | 'unused'
              | 'time'
              | 'confirmations';
            /** @description Null: the check could not be made. */
            passed: boolean | null;
            /** @description One sentence for a person. */
            detail: string;
          }[];
          /** @description The hosts of the RPCs that answered; the second one of a host is host#2. */
          sources: string[];
          /** @description Only with output_used_before: the quote id of the payment that the transfer proves. */
          usedBy?: string;
        };
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /** @description RFC 9457. `code` is stable; see docs/using/errors.md. */
    Problem: {
      /** @example urn:paybell:problem:invalid_request */
      type: string;
      title: string;
      /** @example 400 */
      status: number;
      detail: string;
      /** @example /api/quote */
      instance: string;
      /** @enum {boolean} */
      success: false;
      /** @description The same as `detail`. */
      error: string;
      /** @example invalid_request */
      code: string;
      requestId?: string;
      /** @description Only in one of many results: as `Retry-After`. */
      retryAfterSeconds?: number;
      errors?: {
        field: string;
        message: string;
      }[];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KeyList'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  createKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['NewKeyBody'];
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedKey'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  revokeKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listAuditEntries: {
    parameters: {
      query?: {
        /** @description Only changes with the API key of this name, or by this user of the operating system. */
        who?: string;
        /** @description Only changes of this kind, such as `endpoint.create`. */
        action?: string;
        /** @description Only changes of the object with this id or name. */
        target?: string;
        /** @description Only changes at this instant or after it. */
        after?: string;
        /** @description Only changes before this instant (exclusive). */
        before?: string;
        limit?: number;
        /** @description `nextCursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AuditAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getWhoami: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Whoami'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listSessions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SessionList'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  endAllSessions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EndedSessions'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  endSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  createQuote: {
    parameters: {
      query?: never;
      header?: {
        /** @description Same key and same body: the same quote again, for 24 h, with the `expiresIn` that is left; 409 `quote_no_longer_payable` with its `quoteId` once it is paid or over. Up to 255 printable ASCII characters. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['QuoteBody'];
      };
    };
    responses: {
      200: {
        headers: {
          /** @description `true` for the same quote again */
          'Idempotency-Replayed'?: string;
          /** @description The order has another payment, which completed or is under way: it may be paid twice */
          'Paybell-Warning'?: 'order_has_payment';
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['QuoteAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getStatus: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The quoteId. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          /** @description When the provider said so */
          'Last-Modified'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentStatusAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listChains: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChainsAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  searchCurrencies: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CurrenciesBody'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CurrenciesAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listUnansweredQuotes: {
    parameters: {
      query?: {
        /** @description Only requests to this provider, by its name, also where PROVIDER no longer has it; a repeated parameter allows any of several. */
        provider?: string[];
        orderId?: string;
        /** @description Only requests whose answer came later, so that the quote is tracked. `false`: only other requests. */
        tracked?: boolean;
        /** @description Only requests at this instant or after it. */
        requestedAfter?: string;
        /** @description Only requests before this instant (exclusive). */
        requestedBefore?: string;
        /** @description The order by the time of the request: the newest first, or the oldest. */
        sort?: 'newest' | 'oldest';
        limit?: number;
        /** @description `nextCursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UnansweredQuotesAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listPayments: {
    parameters: {
      query?: {
        /** @description Only payments in this status; a repeated parameter allows any of several. */
        status?: (
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED'
        )[];
        /** @description Only payments of this provider, by its name, also where PROVIDER no longer has it; a repeated parameter allows any of several. */
        provider?: string[];
        orderId?: string;
        /**
         * @description Only payments with this id, address, transaction or amount: quote id, order id (by its beginning, in any case of any script),
         *     deposit, recipient or refund address, transaction, Relay's request id, an amount that is sent or received. Values of quote
         *     and report are found by their beginning too, from 6 hexadecimal digits or 8 other characters on. UUIDs and EVM addresses
         *     match in any case, base58 exactly. Pages before the last may have fewer than
         *     `limit`.
         */
        search?: string;
        /** @description Only payments created at this instant or after it. */
        createdAfter?: string;
        /** @description Only payments created before this instant (exclusive): adjacent windows share no payment. */
        createdBefore?: string;
        /** @description Only payments whose status has changed after they had expired or failed; `false`: only other payments. */
        late?: boolean;
        /** @description Only payments with a stall that has not ended; without `resolved`, only unresolved ones. */
        stalled?: boolean;
        /** @description Only payments with a wrong sum or a contradiction of the provider; without `resolved`, only unresolved ones. */
        anomaly?: boolean;
        /** @description Only payments of an order that was paid more than once, until all but one are resolved as a duplicate. */
        paidTwice?: boolean;
        /**
         * @description Only payments with an event older than 30 s that a destination has not acknowledged, for whatever reason. Leaves out
         *     resolved ones, but not released ones. Pages may have fewer than `limit`.
         */
        undelivered?: boolean;
        /**
         * @description Only payments that need a person, and that stand in this item of `GET /api/attention`. Each payment stands in the item of
         *     its first need.
         */
        attention?:
          | 'payments_contradicted'
          | 'deposits_unseen'
          | 'payments_unverified'
          | 'order_paid_twice'
          | 'payments_anomaly'
          | 'payments_short'
          | 'payments_wrong_sum'
          | 'payments_stalled'
          | 'payments_late'
          | 'no_receiver';
        /** @description Only payments that wait for a proof on this chain, by its id; repeated, on any of these. Leaves out resolved ones. */
        awaitingProof?: string[];
        /** @description Only payments that a person has resolved and whose status has not changed since; `false`: only other payments. */
        resolved?: boolean;
        /**
         * @description Only payments whose deposit compares in this way with the requested sum; `unknown`: the provider does not state one of
         *     them.
         */
        match?: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        /** @description Only payments whose output is in this state: the chain shows it, contradicts it, or has not shown it. */
        verification?: 'pending' | 'proven' | 'contradicted' | 'unverified';
        /**
         * @description Only payments from or to this chain: its id, such as `8453`, or its name in any case. Pages before the last may have
         *     fewer than `limit`, or even none.
         */
        chain?: string;
        /**
         * @description Only payments from or to this token: its symbol in any case, or its address. Pages before the last may have fewer than
         *     `limit`, or even none.
         */
        token?: string;
        /** @description The order by creation: the newest first, or the oldest. */
        sort?: 'newest' | 'oldest';
        /** @description The length of a page. With `Accept: text/csv`, the length of the whole file, which otherwise has all payments. */
        limit?: number;
        /** @description `nextCursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page; with `Accept: text/csv` a file of all payments from the cursor on, by the same filters. A file that breaks off ends without its last chunk. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentsAnswer'];
          'text/csv': string;
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  trackPayment: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TrackBody'] | components['schemas']['HandOverBody'];
      };
    };
    responses: {
      /** @description It was tracked already; the orderId and metadata of the body, if any, are set, and its quote if there was none. Or the results of `payments`, in their order. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | components['schemas']['PaymentAnswer']
            | components['schemas']['HandOverAnswer'];
        };
      };
      /** @description It is tracked from now on. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getPayment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listPaymentEvents: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventsAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  refreshPayment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  countPayments: {
    parameters: {
      query?: {
        /** @description Only payments in this status; a repeated parameter allows any of several. */
        status?: (
          | 'AWAITING_DEPOSIT'
          | 'DEPOSIT_RECEIVED'
          | 'EXECUTING'
          | 'COMPLETED'
          | 'FAILED'
          | 'EXPIRED'
        )[];
        /** @description Only payments of this provider, by its name, also where PROVIDER no longer has it; a repeated parameter allows any of several. */
        provider?: string[];
        orderId?: string;
        /**
         * @description Only payments with this id, address, transaction or amount: quote id, order id (by its beginning, in any case of any script),
         *     deposit, recipient or refund address, transaction, Relay's request id, an amount that is sent or received. Values of quote
         *     and report are found by their beginning too, from 6 hexadecimal digits or 8 other characters on. UUIDs and EVM addresses
         *     match in any case, base58 exactly. Pages before the last may have fewer than
         *     `limit`.
         */
        search?: string;
        /** @description Only payments created at this instant or after it. */
        createdAfter?: string;
        /** @description Only payments created before this instant (exclusive): adjacent windows share no payment. */
        createdBefore?: string;
        /** @description Only payments whose status has changed after they had expired or failed; `false`: only other payments. */
        late?: boolean;
        /** @description Only payments with a stall that has not ended; without `resolved`, only unresolved ones. */
        stalled?: boolean;
        /** @description Only payments with a wrong sum or a contradiction of the provider; without `resolved`, only unresolved ones. */
        anomaly?: boolean;
        /** @description Only payments of an order that was paid more than once, until all but one are resolved as a duplicate. */
        paidTwice?: boolean;
        /**
         * @description Only payments with an event older than 30 s that a destination has not acknowledged, for whatever reason. Leaves out
         *     resolved ones, but not released ones. Pages may have fewer than `limit`.
         */
        undelivered?: boolean;
        /**
         * @description Only payments that need a person, and that stand in this item of `GET /api/attention`. Each payment stands in the item of
         *     its first need.
         */
        attention?:
          | 'payments_contradicted'
          | 'deposits_unseen'
          | 'payments_unverified'
          | 'order_paid_twice'
          | 'payments_anomaly'
          | 'payments_short'
          | 'payments_wrong_sum'
          | 'payments_stalled'
          | 'payments_late'
          | 'no_receiver';
        /** @description Only payments that wait for a proof on this chain, by its id; repeated, on any of these. Leaves out resolved ones. */
        awaitingProof?: string[];
        /** @description Only payments that a person has resolved and whose status has not changed since; `false`: only other payments. */
        resolved?: boolean;
        /**
         * @description Only payments whose deposit compares in this way with the requested sum; `unknown`: the provider does not state one of
         *     them.
         */
        match?: 'exact' | 'underpaid' | 'overpaid' | 'unknown';
        /** @description Only payments whose output is in this state: the chain shows it, contradicts it, or has not shown it. */
        verification?: 'pending' | 'proven' | 'contradicted' | 'unverified';
        /**
         * @description Only payments from or to this chain: its id, such as `8453`, or its name in any case. Pages before the last may have
         *     fewer than `limit`, or even none.
         */
        chain?: string;
        /**
         * @description Only payments from or to this token: its symbol in any case, or its address. Pages before the last may have fewer than
         *     `limit`, or even none.
         */
        token?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CountAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  resolvePayment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ResolveBody'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  unresolvePayment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  releasePayment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ReleaseBody'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  submitDeposit: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['DepositBody'];
      };
    };
    responses: {
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PaymentAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getOrder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        orderId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OrderAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listWebhookEndpoints: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookEndpointList'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  createWebhookEndpoint: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateWebhookEndpoint'];
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedWebhookEndpoint'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getWebhookEndpoint: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookEndpointView'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  deleteWebhookEndpoint: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  updateWebhookEndpoint: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ChangeWebhookEndpoint'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChangedWebhookEndpoint'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RotatedSecret'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  testWebhookEndpoint: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['TestBody'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['WebhookTestResult'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  createRecovery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RecoverBody'];
      };
    };
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecoverAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listRecoveries: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReplayList'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getRecovery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
        recoveryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReplayView'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  cancelRecovery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
        recoveryId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReplayView'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listDeliveries: {
    parameters: {
      query?: {
        /** @description Only deliveries to this webhook endpoint, or to `rabbitmq`. */
        endpointId?: string;
        /** @description `existing` leaves out deleted endpoints; `all` includes deliveries to RabbitMQ's exchange. */
        destinations?: 'webhook' | 'existing' | 'all';
        quoteId?: string;
        /** @description Only deliveries of the payments of this order. */
        orderId?: string;
        /** @description Only deliveries in this state; a repeated parameter allows any of several. */
        state?: ('pending' | 'delivered' | 'failed' | 'discarded')[];
        /** @description Only deliveries of payments that a person has resolved; `false`: only of other payments, and of released ones. */
        resolved?: boolean;
        /** @description The order by the time of recording: the newest first, or the oldest. */
        sort?: 'newest' | 'oldest';
        limit?: number;
        /** @description `nextCursor` of the page before. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeliveriesAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeliveryDetailAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  retryDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeliveryDetailAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  countDeliveries: {
    parameters: {
      query?: {
        /** @description Only deliveries to this webhook endpoint, or to `rabbitmq`. */
        endpointId?: string;
        /** @description `existing` leaves out deleted endpoints; `all` includes deliveries to RabbitMQ's exchange. */
        destinations?: 'webhook' | 'existing' | 'all';
        quoteId?: string;
        /** @description Only deliveries of the payments of this order. */
        orderId?: string;
        /** @description Only deliveries in this state; a repeated parameter allows any of several. */
        state?: ('pending' | 'delivered' | 'failed' | 'discarded')[];
        /** @description Only deliveries of payments that a person has resolved; `false`: only of other payments, and of released ones. */
        resolved?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CountAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getEndpointFailures: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FailuresAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listPaymentProgress: {
    parameters: {
      query: {
        quoteId: string[];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProgressesAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listDestinations: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DestinationsAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getDestination: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DestinationAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /** @description `nextCursor` of the page before, or the id of an event. Default: from the beginning. */
        after?: string;
        /** @description In place of `after`: the page begins with this number of last events. */
        last?: number;
        /** @description Only events of these types; the parameter may be repeated, or hold several types separated by commas. */
        type?: (
          | 'payment.created'
          | 'payment.deposit_received'
          | 'payment.executing'
          | 'payment.completed'
          | 'payment.failed'
          | 'payment.expired'
          | 'payment.updated'
          | 'payment.stalled'
          | 'payment.anomaly'
          | 'payment.verified'
        )[];
        /** @description Only events of this payment. */
        quoteId?: string;
        /** @description Only events of the payments of this order. */
        orderId?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EventLogAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  streamEvents: {
    parameters: {
      query?: {
        /** @description The stream begins after this position: an event's id, or a `nextCursor`. Default: from now on. */
        after?: string;
        /** @description Only events of these types; the parameter may be repeated, or hold several types separated by commas. */
        type?: (
          | 'payment.created'
          | 'payment.deposit_received'
          | 'payment.executing'
          | 'payment.completed'
          | 'payment.failed'
          | 'payment.expired'
          | 'payment.updated'
          | 'payment.stalled'
          | 'payment.anomaly'
          | 'payment.verified'
        )[];
      };
      header?: {
        /** @description The id of the last event that was received: the stream goes on after it. */
        'Last-Event-ID'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-Sent Events: `id`, `event` (its type) and `data` (the event). */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  streamPaymentEvents: {
    parameters: {
      query?: never;
      header?: {
        /** @description The id of the last event that was received: the stream goes on after it. */
        'Last-Event-ID'?: string;
      };
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-Sent Events: `id`, `event` (its type) and `data` (the event). */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getAsyncApi: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listEventSchemas: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SchemasAnswer'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getEventSchema: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        file:
          | 'payment.created.json'
          | 'payment.deposit_received.json'
          | 'payment.executing.json'
          | 'payment.completed.json'
          | 'payment.failed.json'
          | 'payment.expired.json'
          | 'payment.updated.json'
          | 'payment.stalled.json'
          | 'payment.anomaly.json'
          | 'payment.verified.json'
          | 'attention.opened.json'
          | 'attention.closed.json'
          | 'webhook.test.json';
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  createPaymentLink: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['LinkBody'];
      };
    };
    responses: {
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LinkAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getPayerPayment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['PayerAnswer'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  streamPayerPayment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-Sent Events without a name and an id: `data` is what the other operation answers, at the beginning and after each change. It ends after an hour, or with the link. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getLiveness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LivenessAnswer'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReadinessAnswer'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getMetrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All metrics, in Prometheus’ text format 0.0.4 */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getFigures: {
    parameters: {
      query?: {
        /** @description The first instant, rounded down to a whole step of UTC; left out: an hour before `to`. Figures are kept for 14 days. */
        from?: string;
        /** @description The end (exclusive), rounded up to a whole step of UTC; left out: now. */
        to?: string;
        /** @description The length of a step: whole minutes, in seconds. A range has at most 1,500 steps. */
        step?: number;
        /** @description If set, `endpoints` has only this destination, with its points: a webhook endpoint by its id, or `rabbitmq`. */
        endpointId?: string;
        /** @description If set, `all` has only this provider's figures: its polls, requests and detection gaps. */
        provider?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FiguresAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getProvider: {
    parameters: {
      query?: {
        /** @description A name in PROVIDER or PROVIDER_LEAVE; left out: the preferred provider. */
        name?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProviderAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listProviders: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProvidersAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getAttention: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AttentionAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getSystem: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SystemAnswer'];
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  createSandboxDeposit: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        quoteId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
      /** @description The role of the API key is none of `x-roles` */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description A problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
}

export type Method = 'get' | 'post' | 'patch' | 'delete';
/** The paths that have an operation of this method. */
export type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path][M] extends { responses: unknown } ? Path : never;
}[keyof paths];
export type Operation<Path extends keyof paths, M extends Method> = paths[Path][M];

type PathOf<O> = O extends { parameters: { path: infer Found } } ? Found : undefined;
type QueryOf<O> = O extends { parameters: { query?: infer Found } } ? Found : undefined;
type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer Found } } }
  ? Found
  : undefined;
type Json<R> = R extends { content: { 'application/json': infer Found } } ? Found : undefined;
/** The body of the answer to an operation that succeeded. */
export type AnswerOf<O> = O extends { responses: infer R }
  ? Json<R extends { 200: infer Found } ? Found : R extends { 201: infer Made } ? Made : undefined>
  : never;
/** The input of an operation: exactly the parts that the API's description names. */
export interface Asked<O> {
  readonly path?: PathOf<O>;
  readonly query?: QueryOf<O>;
  readonly body?: BodyOf<O>;
  readonly signal?: AbortSignal;
}
