import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';

import { typeScript } from './formatted.ts';

const HEAD = '// Made by `npm run generate` from /openapi.json: change the API.\n';
/** The types for clients of the API: the input and the answer of each operation, by path and method. */
const CALLS = `
export type Method = 'get' | 'post' | 'patch' | 'delete';
/** The paths that have an operation of this method. */
export type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path][M] extends { responses: unknown } ? Path : never;
}[keyof paths];
export type Operation<Path extends keyof paths, M extends Method> = paths[Path][M];

type PathOf<O> = O extends { parameters: { path: infer Found } } ? Found : undefined;
type QueryOf<O> = O extends { parameters: { query?: infer Found } } ? Found : undefined;
type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer Found } } } ? Found : undefined;
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
`;

/** The TypeScript of the API, by its OpenAPI document; the dashboard and the command line call the API by these types. */
export async function apiTypes(document: OpenAPI3): Promise<string> {
  const types = await openapiTypes(document, { silent: true, defaultNonNullable: false });
  return typeScript(HEAD + astToString(types) + CALLS);
}
