import type { Socket } from 'node:net';

import { HeaderLimit } from '../../platform/bounded-reading/header-limit.ts';
import { type PieceWatch, watchPieces } from '../../platform/bounded-reading/read-in-pieces.ts';
import type { Written } from '../../platform/bounded-reading/sent-on.ts';

/** Bounds the headers of one answer. Its connection knows it until the next request, and through it nothing of the answer. */
export class HeaderWatch implements Written, PieceWatch {
  private readonly headers = new HeaderLimit();

  /** `onPassed` breaks the answer off. */
  constructor(private onPassed: (() => void) | null) {}

  sentOn(socket: Socket): void {
    watchPieces(socket, this);
  }

  beforePiece(): void {
    if (this.headers.isPassed) this.onPassed?.();
  }

  given(piece: Buffer): void {
    this.headers.given(piece);
  }

  /** What was given was no header, or its headers are done with. */
  reset(): void {
    this.headers.reset();
  }

  end(): void {
    this.onPassed = null;
  }
}
