import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { format } from 'prettier';

const HEAD = '// Made by `npm run generate` from /openapi.json: change the API.\n';
const STYLE = { parser: 'typescript', singleQuote: true, printWidth: 110, trailingComma: 'all' } as const;

/** The TypeScript of the API as its OpenAPI document describes it, by which the dashboard calls it. */
export async function apiTypes(document: OpenAPI3): Promise<string> {
  const types = await openapiTypes(document, { silent: true, defaultNonNullable: false });
  return format(HEAD + astToString(types), STYLE);
}
