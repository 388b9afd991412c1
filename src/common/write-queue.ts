export interface QueueLoad {
  jobs: number;
  /** Memory that they hold. */
  bytes: number;
}

/** What waits to be written: the journal tells it, and whoever shows the server's state asks for it. */
export class WriteQueue {
  private reading: () => QueueLoad = () => ({ jobs: 0, bytes: 0 });

  setReading(reading: () => QueueLoad): void {
    this.reading = reading;
  }

  get load(): QueueLoad {
    return this.reading();
  }
}
