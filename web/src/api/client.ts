import type { AnswerOf, Asked, components, Method, Operation, PathsWith } from './schema.d.ts';
import { requestJson } from './request.ts';

export type Schemas = components['schemas'];

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

/** `?a=1&b=2&b=3`; leaves out absent and empty values. */
export function queryText(query: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat())
      if (one !== undefined && one !== null && one !== '') params.append(name, String(one));
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
