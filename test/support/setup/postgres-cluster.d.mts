export interface PostgresCluster {
  /** The administrator's address, database `postgres`. */
  readonly url: string;
  readonly databaseDir: string;
  /** kill -9 of the whole database, without shutdown. */
  kill(): Promise<void>;
  /** Starts it again after a kill, on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a cluster that ends with this process. `durable` keeps fsync on. */
export function startPostgres(options?: { durable?: boolean }): Promise<PostgresCluster>;
