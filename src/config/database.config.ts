import path from 'node:path';
import { defaultHome } from '../common/user-home.js';

/** Where the data is stored: in PostgreSQL if there is a URL, otherwise in one SQLite file. */
export class DatabaseConfig {
  /** `postgres://` or `postgresql://` URL (`DATABASE_URL` or `DATABASE_URL_FILE`), a secret; null means SQLite. */
  url: string | null = null;

  /** Whether the `.env` of the working directory named it: such a file is untrusted. */
  isUrlFromFile = false;

  /** File of the embedded database (`WAYSTATION_SQLITE_PATH`, default `waystation.db` in the home directory). */
  sqlitePath = path.join(defaultHome() ?? '', 'waystation.db');

  /** Maximum number of PostgreSQL connections (`WAYSTATION_DATABASE_POOL_SIZE`), 2 to 1000. Ignored for SQLite. */
  poolSize = 10;
}
