import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import styles from './chart.module.css';

export interface Series {
  readonly name: string;
  readonly color: 'accent' | 'ok' | 'bad' | 'warn' | 'wait';
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
  readonly isFilled?: boolean;
}

export interface PlotProps {
  /** Milliseconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const HEIGHT = 150;

/** Lines over time, drawn on a canvas. */
export function Plot({ times, series, format }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useColorScheme();
  const shape = series.map(({ name }) => name).join();
  const latest = useRef({ times, series, format });
  const plot = useRef<UPlot | null>(null);
  useEffect(() => {
    latest.current = { times, series, format };
    plot.current?.setData(dataOf(times, series));
  }, [times, series, format]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const { times, series, format } = latest.current;
    const made = new UPlot(optionsOf(element, series, format), dataOf(times, series), element);
    plot.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
    // The colours and the names of the lines make it anew; other figures only change its data.
    // eslint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [scheme, shape]);
  return <div ref={place} className={styles['plot']} aria-hidden="true" />;
}

function dataOf(times: readonly number[], series: readonly Series[]): UPlot.AlignedData {
  return [times.map((time) => time / 1_000), ...series.map(({ values }) => [...values])];
}

/** uPlot draws on a canvas, which knows no custom properties: colours are read from the page. */
function optionsOf(
  element: HTMLElement,
  series: readonly Series[],
  format: (value: number) => string,
): UPlot.Options {
  const color = (name: string): string => resolved(element, `var(--${name})`);
  const axis = { stroke: color('dim'), font: '11px system-ui', ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    // The label of the last tick is half outside.
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(max * 1.1, 4)] } },
    axes: [
      {
        ...axis,
        size: 26,
        grid: { show: false },
        values: [
          [3600 * 24, '{D} {MMM}'],
          [60, '{HH}:{mm}'],
          [1, '{ss}'],
        ].map(([incr, text]) => [incr, text, null, null, null, null, null, null, 1]) as UPlot.Axis.Values,
      },
      {
        ...axis,
        size: 56,
        space: 34,
        grid: { stroke: color('line'), width: 1 },
        values: (_plot, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      ...series.map(({ name, color: own, isDashed, isFilled }) => ({
        label: name,
        stroke: color(own),
        width: 1.5,
        ...(isDashed === true ? { dash: [4, 4] } : {}),
        ...(isFilled === true ? { fill: color(`${own}-soft`) } : {}),
        spanGaps: false,
        // A value without a neighbour has no line and is drawn as a dot.
        points: { show: true, size: 5, fill: color(own), filter: aloneIn },
      })),
    ],
  };
}

/** The indexes of values that stand alone. */
function aloneIn(plot: UPlot, index: number): number[] {
  const values = plot.data[index] ?? [];
  return [...values.keys()].filter(
    (at) => isKnown(values[at]) && !isKnown(values[at - 1]) && !isKnown(values[at + 1]),
  );
}

function isKnown(value: number | null | undefined): boolean {
  return value !== null && value !== undefined;
}

function resolved(element: HTMLElement, value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const DARK = '(prefers-color-scheme: dark)';

function useColorScheme(): boolean {
  const [isDark, setIsDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const list = matchMedia(DARK);
    const onChange = (): void => setIsDark(list.matches);
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, []);
  return isDark;
}
