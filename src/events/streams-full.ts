/** This process serves as many streams as it can, or is about to stop. */
export class StreamsFull extends Error {
  readonly code = 'streams_full';
  constructor() {
    super('This process serves no more streams now.');
  }
}
