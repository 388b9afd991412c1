export interface JournalLoad {
  jobs: number;
  /** Memory that they use, in bytes. */
  bytes: number;
}

/** The load of the journal's queue. The journal sets it; the server's state reads it. */
export class JournalLoadGauge {
  private reading: () => JournalLoad = () => ({ jobs: 0, bytes: 0 });

  setReading(reading: () => JournalLoad): void {
    this.reading = reading;
  }

  get current(): JournalLoad {
    return this.reading();
  }
}
