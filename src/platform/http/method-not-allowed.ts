import type { Request } from 'express';

/** The path exists, but for other methods. */
export class MethodNotAllowed extends Error {
  readonly code = 'method_not_allowed';
  constructor(
    method: string,
    /** The methods of the path. */
    readonly allow: string,
  ) {
    super(`This path has no ${method}, but ${allow}.`);
  }
}

/** An entry of Express's router, whose types lack these members. */
interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/**
 * The methods of the path, for the header `Allow`, if it lacks the requested one; null: it has that one, or the path does not
 * exist.
 */
export function otherMethods({ app, path, method }: Request): string | null {
  const layers = app.router.stack as unknown as readonly Layer[];
  const routes = layers.filter((layer) => layer.match(path)).map(({ route }) => route?.methods ?? {});
  const taken = new Set(routes.flatMap((methods) => Object.keys(methods)));
  if (taken.has('get')) taken.add('head');
  if (taken.size === 0 || taken.has(method.toLowerCase())) return null;
  return [...taken.add('options')]
    .map((word) => word.toUpperCase())
    .toSorted()
    .join(', ');
}
