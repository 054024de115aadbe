/** Concurrent callers with the same key share one run of the work and its result. */
export class SingleFlight<Result> {
  private readonly flights = new Map<string, Promise<Result>>();

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const flying = this.flights.get(key);
    if (flying !== undefined) return flying;
    const flight = work().finally(() => this.flights.delete(key));
    this.flights.set(key, flight);
    return flight;
  }
}
