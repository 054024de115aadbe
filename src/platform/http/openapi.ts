import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

import { ROLES_EXTENSION } from './access.ts';
import { EVENT_COMPONENTS } from './event-shapes.ts';
import type { OpenSetting } from './open-route.ts';
import { OpenPaths } from './open-paths.ts';
import { PublicOrigin } from './public-origin.ts';
import { VERSION } from '../version.ts';

const DESCRIPTION = [
  'Publishes every status change of a payment by webhook and RabbitMQ.',
  'A query parameter that an operation does not describe is refused with 400 `invalid_request`, which names those it has;',
  'the operations of "Payment service" ignore it. `x-roles` names the roles whose API keys may use an operation.',
].join(' ');
/** Paths that need no API key, with the setting that may close them. */
const OPEN_PATHS: readonly (readonly [RegExp, OpenSetting | null])[] = [
  [/^\/health/, null],
  [/^\/public/, null],
  [/^\/metrics/, 'metrics'],
  [/^\/(asyncapi\.json|schemas)/, 'docs'],
];
const CONTACT = { name: 'Paybell', url: 'https://github.com/paybell/paybell/issues' };
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const PROBLEM_REF = { $ref: '#/components/schemas/Problem' };

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'RFC 9457. `code` is stable; see docs/using/errors.md.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'success', 'error', 'code'],
  properties: {
    type: { type: 'string', example: 'urn:paybell:problem:invalid_request' },
    title: { type: 'string' },
    status: { type: 'integer', example: 400 },
    detail: { type: 'string' },
    instance: { type: 'string', example: '/api/quote' },
    success: { type: 'boolean', enum: [false] },
    error: { type: 'string', description: 'The same as `detail`.' },
    code: { type: 'string', example: 'invalid_request' },
    requestId: { type: 'string' },
    retryAfterSeconds: { type: 'integer', description: 'Only in one of many results: as `Retry-After`.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

export function openApiOf(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Paybell')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    // A path relative to this document, as long as PUBLIC_URL does not say how clients reach Paybell.
    .addServer(app.get(PublicOrigin).publicUrl ?? '/', 'This Paybell')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key' }, 'x-api-key')
    // addBearerAuth() would declare the key as a JWT.
    .addSecurity('bearer', { type: 'http', scheme: 'bearer' })
    .addSecurityRequirements('x-api-key')
    .addSecurityRequirements('bearer')
    .build();
  const info = { ...config.info, contact: CONTACT };
  const described = { ...config, info, tags: [...API_TAGS] };
  return withShapes(SwaggerModule.createDocument(app, described), app.get(OpenPaths));
}

/** Adds the shapes that no DTO describes: problems, events, and the refusal of a role. */
function withShapes(document: OpenAPIObject, { settings }: OpenPaths): OpenAPIObject {
  const content = { 'application/problem+json': { schema: PROBLEM_REF } };
  const problem = { description: 'A problem', content };
  const forbidden = { description: 'The role of the API key is none of `x-roles`', content };
  const open = OPEN_PATHS.filter(([, setting]) => setting === null || settings.has(setting));
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      operation.responses['default'] ??= problem;
      if (open.some(([pattern]) => pattern.test(path))) operation.security = [];
      else if (ROLES_EXTENSION in operation) operation.responses['403'] = forbidden;
    }
  }
  const described = withNulls(document.components?.schemas ?? {});
  const schemas = { ...described, ...EVENT_COMPONENTS, Problem: PROBLEM_SCHEMA };
  return { ...document, components: { ...document.components, schemas } };
}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/**
 * Makes `nullable` schemas accept null. Swagger writes `nullable` beside `allOf`, where a null would have to fit the
 * referenced object too, and beside `enum`, where null is not among the values.
 */
function withNulls(schemas: Schemas): Schemas {
  const change = (schema: Schemas[string]): Schemas[string] => {
    if ('$ref' in schema) return schema;
    const { type: _type, nullable, allOf, ...others } = schema;
    if (nullable === true && allOf !== undefined) return { ...others, oneOf: [...allOf, { enum: [null] }] };
    if (nullable === true && schema.enum !== undefined) return { ...schema, enum: [...schema.enum, null] };
    return schema.properties === undefined ? schema : { ...schema, properties: withNulls(schema.properties) };
  };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]));
}

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
