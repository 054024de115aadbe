import type { components, paths } from './schema.d.ts';
import { requestJson } from './request.ts';

export type Schemas = components['schemas'];

type Method = 'get' | 'post' | 'patch' | 'delete';
type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path][M] extends { responses: unknown } ? Path : never;
}[keyof paths];
type Operation<Path extends keyof paths, M extends Method> = paths[Path][M];

type PathOf<O> = O extends { parameters: { path: infer Found } } ? Found : undefined;
type QueryOf<O> = O extends { parameters: { query?: infer Found } } ? Found : undefined;
type BodyOf<O> = O extends { requestBody?: { content: { 'application/json': infer Found } } }
  ? Found
  : undefined;
type Json<R> = R extends { content: { 'application/json': infer Found } } ? Found : undefined;
type AnswerOf<O> = O extends { responses: infer R }
  ? Json<R extends { 200: infer Found } ? Found : R extends { 201: infer Made } ? Made : undefined>
  : never;

/** What an operation takes: exactly the parts that the API's description names. */
interface Asked<O> {
  readonly path?: PathOf<O>;
  readonly query?: QueryOf<O>;
  readonly body?: BodyOf<O>;
  readonly signal?: AbortSignal;
}

/** Calls an operation of the API, typed by its description. */
export function call<M extends Method, Path extends PathsWith<M>>(
  method: M,
  path: Path,
  { path: names, query, body, signal }: Asked<Operation<Path, M>> = {},
): Promise<AnswerOf<Operation<Path, M>>> {
  const url = filled(path, names ?? {}) + queryText(query ?? {});
  return requestJson(url, { method: method.toUpperCase(), body, signal });
}

export function filled(path: string, names: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(names[name] ?? ''));
}

/** `?a=1&b=2&b=3`; what is absent or empty is left out. */
export function queryText(query: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat())
      if (one !== undefined && one !== null && one !== '') params.append(name, String(one));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
