/** The groups of operations, in the order in which `/docs` shows them. */
export const API_TAGS = [
  {
    name: 'Payment service',
    description: 'The four endpoints of the payment API, unchanged for its clients.',
  },
  { name: 'Payments', description: 'Payments with their orders, and what a person does about one.' },
  { name: 'Payers', description: 'A payment as its payer may see it, by a link and without a key.' },
  { name: 'Events', description: 'The log of all events, its streams, and the descriptions of events.' },
  { name: 'Webhook endpoints', description: 'To which URLs events are sent, and what they missed.' },
  { name: 'Webhook deliveries', description: 'Each event to each destination, with every attempt.' },
  { name: 'Destinations', description: 'Everything that events are sent to, and how each fares.' },
  { name: 'Access', description: 'API keys, sessions of the dashboard, and the audit log.' },
  { name: 'Operations', description: 'Health, metrics, figures, providers, and what needs a person.' },
  { name: 'Sandbox', description: 'The payer of a payment, with `PROVIDER=sandbox` alone.' },
] as const;
