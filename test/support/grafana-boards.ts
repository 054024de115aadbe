import { readdirSync, readFileSync } from 'node:fs';

import type { Dashboard } from '@grafana/schema';

const FOLDER = new URL('../../deploy/grafana/', import.meta.url);

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: object;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly Target[];
}

export type Board = Omit<Dashboard, 'panels'> & { readonly panels: readonly Panel[] };

/** The boards of deploy/grafana, by file. */
export function grafanaBoards(): [file: string, board: Board][] {
  return readdirSync(FOLDER).map((file) => [
    file,
    JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Board,
  ]);
}

/** The queries of a board in the form for Prometheus, for one job. */
export function queriesOf({ panels }: Board, job: string): string[] {
  const all = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  return all.map((expr) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', job));
}
