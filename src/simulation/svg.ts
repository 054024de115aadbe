/** A few SVG elements as text, and the colours that all parts of the picture share. */
export const COLOUR = {
  ink: '#1f2937',
  quiet: '#6b7280',
  hair: '#e5e7eb',
  paybell: '#0d9488',
  paybellInk: '#0f766e',
  fixed: '#a8a29e',
  fixedInk: '#78716c',
  limit: '#dc2626',
  trouble: '#fde68a',
  troubleInk: '#92400e',
} as const;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function text(at: Point, content: string, attributes = ''): string {
  return `<text x="${short(at.x)}" y="${short(at.y)}" ${attributes}>${escaped(content)}</text>`;
}

export function line(from: Point, to: Point, colour: string, attributes = ''): string {
  const ends = `x1="${short(from.x)}" y1="${short(from.y)}" x2="${short(to.x)}" y2="${short(to.y)}"`;
  return `<line ${ends} stroke="${colour}" ${attributes}/>`;
}

export function rect(at: Point, width: number, height: number, attributes: string): string {
  const size = `width="${short(width)}" height="${short(height)}"`;
  return `<rect x="${short(at.x)}" y="${short(at.y)}" ${size} ${attributes}/>`;
}

export function path(points: readonly Point[], attributes: string): string {
  const steps = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${short(x)} ${short(y)}`);
  return `<path d="${steps.join('')}" ${attributes}/>`;
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
