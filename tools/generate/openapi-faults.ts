import { createConfig, lintFromString, type RawUniversalConfig } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

/** A `default` answer describes the problems of every operation. */
const REDOCLY: RawUniversalConfig = {
  extends: ['recommended-strict'],
  rules: { 'operation-4xx-response': 'off' },
};
/** The summary of an operation may be all its documentation. */
const SPECTRAL: RulesetDefinition = {
  extends: [[rulesets.oas as RulesetDefinition, 'recommended']],
  rules: { 'operation-description': 'off' },
};

/** Names the faults that Redocly, Spectral and a generated client find in the document, in a line each. */
export async function openApiFaults(document: object): Promise<string[]> {
  const text = JSON.stringify(document);
  const [redocly, other] = await Promise.all([redoclyFaults(text), spectralFaults(text)]);
  return [...redocly, ...other, ...emptyObjects(document, '#')].map((fault) => `/openapi.json: ${fault}`);
}

async function redoclyFaults(source: string): Promise<string[]> {
  const config = await createConfig(REDOCLY);
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(
    ({ ruleId, message, location }) => `${message} ${location[0]?.pointer} (redocly ${ruleId})`,
  );
}

async function spectralFaults(source: string): Promise<string[]> {
  const linter = new spectral.Spectral();
  linter.setRuleset(SPECTRAL);
  const results = await linter.run(source);
  return results.map(({ code, message, path }) => `${message} #/${path.join('/')} (spectral ${code})`);
}

/** Each of these members gives an object fields; in OpenAPI 3.0 null is an object with one value. */
const FIELDS = ['properties', 'additionalProperties', 'enum'];

/** Objects of whose fields a generated client can read none. */
function emptyObjects(part: unknown, place: string): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const isEmpty = 'type' in part && part.type === 'object' && !FIELDS.some((name) => name in part);
  const inside = Object.entries(part).flatMap(([name, value]) => emptyObjects(value, `${place}/${name}`));
  return isEmpty
    ? [`An object needs \`properties\` or \`additionalProperties\`. ${place}`, ...inside]
    : inside;
}
