/** This process has reached its limit of streams, or is about to stop. */
export class StreamsFull extends Error {
  readonly code = 'streams_full';
  constructor() {
    super('This process serves no more streams now.');
  }
}

/** The clients of this API key have reached their limit of streams in this process. */
export class TooManyStreams extends Error {
  readonly code = 'too_many_streams';
  constructor() {
    super(
      'This API key has as many streams as one key may have. Close some, or share one among several readers.',
    );
  }
}
