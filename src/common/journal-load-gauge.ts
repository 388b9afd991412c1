export interface JournalLoad {
  jobs: number;
  /** Memory that they use, in bytes. */
  bytes: number;
}

/** How much waits for the journal: it sets the reading, and what shows the state of the server reads it. */
export class JournalLoadGauge {
  private reading: () => JournalLoad = () => ({ jobs: 0, bytes: 0 });

  setReading(reading: () => JournalLoad): void {
    this.reading = reading;
  }

  get current(): JournalLoad {
    return this.reading();
  }
}
