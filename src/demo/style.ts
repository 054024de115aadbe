const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const;
const ESCAPE = '\u001B[';

export type Colour = keyof typeof CODES;

/** Paints text for a terminal, or leaves it plain. */
export class Style {
  constructor(readonly isColoured: boolean) {}

  paint(text: string, ...colours: Colour[]): string {
    if (!this.isColoured) return text;
    return `${colours.map((colour) => `${ESCAPE}${CODES[colour]}m`).join('')}${text}${ESCAPE}0m`;
  }
}

/** Cuts a painted line to so many visible characters. */
export function fit(line: string, columns: number): string {
  let visible = 0;
  let cut = '';
  // eslint-disable-next-line no-control-regex
  for (const part of line.split(/(\u001B\[\d+m)/)) {
    const text = part.startsWith(ESCAPE) ? part : part.slice(0, Math.max(columns - visible, 0));
    if (text === part && part.startsWith(ESCAPE)) cut += part;
    else {
      cut += text;
      visible += text.length;
    }
  }
  return cut;
}
