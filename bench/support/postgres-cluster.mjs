import pg from 'pg';
import { givenDatabaseUrl } from './environment.mjs';
import { cpuMsOfFamily } from './process-stats.mjs';

/** A PostgreSQL server: that of TEST_DATABASE_URL, otherwise an embedded one that ends with the benchmark. */
export class PostgresCluster {
  #databases = 0;

  /** Use `open` or `openEmbedded`. */
  constructor(url, embedded, description) {
    this.url = url;
    this.embedded = embedded;
    this.description = description;
  }

  /** Of the embedded server; null for a given one. */
  get postmasterPid() {
    return this.embedded?.pid ?? null;
  }

  /**
   * @param {{fsync: 'on' | 'off', cleanup: import('./cleanup.mjs').Cleanup}} options
   * @returns {Promise<PostgresCluster>}
   */
  static async open({ fsync, cleanup }) {
    const given = givenDatabaseUrl();
    if (given === null) return openEmbedded(fsync, cleanup);
    const [version, setting] = await settingsOf(given);
    return new PostgresCluster(given, null, `PostgreSQL ${version} of TEST_DATABASE_URL, fsync ${setting}`);
  }

  /** @returns {number} CPU milliseconds of all its processes; NaN for a given server */
  cpuMs() {
    return this.postmasterPid === null ? Number.NaN : cpuMsOfFamily(this.postmasterPid);
  }

  /** @returns {Promise<PostgresStorage>} on a fresh, empty database */
  async createDatabase() {
    this.#databases += 1;
    const name = `waystation_bench_${process.pid}_${this.#databases}`;
    await this.query(`CREATE DATABASE ${name}`);
    const storage = new PostgresStorage(this, name);
    storage.emptyBytes = await storage.sizeBytes();
    return storage;
  }

  /** @param {string} sql @returns {Promise<Record<string, any>[]>} */
  query(sql) {
    return queryOnce(this.url, sql);
  }
}

/** One database of the cluster. */
class PostgresStorage {
  emptyBytes = 0;

  constructor(cluster, name) {
    this.cluster = cluster;
    this.name = name;
    const url = new URL(cluster.url);
    url.pathname = `/${name}`;
    this.env = { DATABASE_URL: url.href };
  }

  cpuMs() {
    return this.cluster.cpuMs();
  }

  /** Runs ANALYZE, which the database otherwise does within a minute. */
  async settle() {
    await queryOnce(this.env.DATABASE_URL, 'ANALYZE');
  }

  /** @returns {Promise<number>} bytes beyond those of an empty database, without the write-ahead log */
  async diskBytes() {
    await this.cluster.query('CHECKPOINT');
    return (await this.sizeBytes()) - this.emptyBytes;
  }

  async sizeBytes() {
    const [row] = await this.cluster.query(`SELECT pg_database_size('${this.name}')::float8 AS bytes`);
    return row.bytes;
  }

  async drop() {
    await this.cluster.query(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
  }
}

/**
 * An embedded server of our own that may be stopped, killed and started again (`cluster.embedded`).
 * @param {'on' | 'off'} fsync @param {import('./cleanup.mjs').Cleanup} cleanup
 * @param {Parameters<typeof import('./embedded-server.mjs').EmbeddedServer.start>[2]} [options]
 * @returns {Promise<PostgresCluster>}
 */
export async function openEmbedded(fsync, cleanup, options) {
  const { EmbeddedServer } = await import('./embedded-server.mjs');
  const embedded = await EmbeddedServer.start(fsync, cleanup, options);
  const [version, setting] = await settingsOf(embedded.url);
  return new PostgresCluster(embedded.url, embedded, `PostgreSQL ${version}, embedded, fsync ${setting}`);
}

async function settingsOf(url) {
  const [row] = await queryOnce(
    url,
    "SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync",
  );
  return [row.version, row.fsync];
}

async function queryOnce(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
