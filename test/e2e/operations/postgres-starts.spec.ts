import { checkpoint, newThreadId } from '../../factories/events.js';
import { runCommand } from '../../support/command.js';
import { freePort } from '../../support/free-port.js';
import { findProgram } from '../../support/find-program.js';
import { PgBouncer } from '../../support/pgbouncer.js';
import { EVENTS, latestOf, record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, postgresUrl, withPostgres, type TestStorage } from '../../support/storage.js';
import { TlsFront } from '../../support/tls-front.js';
import { waitFor } from '../../support/wait.js';

const PASSWORD = 'hidden-from-everybody';

let storage: TestStorage;
let database: string;
/** A role that owns nothing. */
let role: string;

beforeEach(async () => {
  storage = await freshStorage();
  database = new URL(storage.databaseUrl!).pathname.slice(1);
  role = `${database}_role`;
});
afterEach(async () => {
  await storage.dispose();
  await asAdmin(`DROP ROLE IF EXISTS ${role}`);
});

async function asAdmin(...statements: string[]): Promise<void> {
  await withPostgres(postgresUrl(), async (client) => {
    for (const sql of statements) await client.query(sql);
  });
}

function changed(change: (url: URL) => void): string {
  const url = new URL(storage.databaseUrl!);
  change(url);
  return url.href;
}

/** The message of a server that must not start: one line, without a password. */
async function refusal(databaseUrl: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(storage, ['serve', '--port', '0'], { DATABASE_URL: databaseUrl });
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).not.toMatch(/waystation:waystation@|Unexpected|Failed:|Warning/);
  expect(stderr).not.toContain(PASSWORD);
  expect(code).toBe(1);
  return stderr;
}

/** Runs a complete report through a server on this database. */
async function serves(databaseUrl: string, served: TestStorage = storage): Promise<void> {
  const server = await ServerProcess.start(served, { env: { DATABASE_URL: databaseUrl } });
  try {
    const id = newThreadId();
    await record(server.api, checkpoint(id, 0));
    expect(await latestOf(server.api, id)).toMatchObject({ step_index: 0 });
    expect(server.printed).not.toMatch(/"level":[4-6]0|Warning/);
  } finally {
    await server.stop();
  }
}

describe('A server on PostgreSQL does not start, and says what to do,', () => {
  it('where nobody answers at the address', async () => {
    const port = String(await freePort());
    const said = await refusal(changed((url) => Object.assign(url, { port, password: PASSWORD })));
    expect(said).toMatch(`PostgreSQL at 127.0.0.1:${port} does not answer`);
    expect(said).toMatch(/Start it, or correct .* DATABASE_URL/);
  });

  it('where nobody knows the host', async () => {
    const said = await refusal(changed((url) => Object.assign(url, { hostname: 'db.invalid', password: PASSWORD })));
    expect(said).toMatch(/db\.invalid.*DATABASE_URL|DATABASE_URL.*db\.invalid/);
  });

  it('where the user, its password or the database is unknown', async () => {
    expect(await refusal(changed((url) => Object.assign(url, { password: PASSWORD })))).toMatch(/refuses the user/);
    expect(await refusal(changed((url) => Object.assign(url, { password: '' })))).toMatch(/password/);
    expect(await refusal(changed((url) => Object.assign(url, { pathname: '/none' })))).toMatch(/no database none/);
  });

  it.each(['LATIN1', 'SQL_ASCII'])('where the database has the encoding %s, as the doctor says', async (encoding) => {
    await asAdmin(
      `DROP DATABASE ${database}`,
      `CREATE DATABASE ${database} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`,
    );
    const said = `The database has the encoding ${encoding}. Make one WITH ENCODING UTF8 and move to it.`;
    expect((await refusal(storage.databaseUrl!)).trim()).toBe(said);
    const { stdout } = await runCommand(storage, ['doctor', '--json']);
    const findings = JSON.parse(stdout) as { check: string; message: string; remedy: string }[];
    const { message, remedy } = findings.find(({ check }) => check === 'encoding')!;
    expect(`${message} ${remedy}`).toBe(said);
  });

  it('where its role may make no tables, and starts where it may', async () => {
    await asAdmin(`CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`);
    const url = changed((own) => Object.assign(own, { username: role, password: PASSWORD }));
    expect(await refusal(url)).toMatch(/GRANT CREATE/);
    await withPostgres(storage.databaseUrl!, (client) => client.query(`GRANT CREATE ON SCHEMA public TO ${role}`));
    await serves(url);
  });

  it('where its role sees no schema, and uses the one that it is given', async () => {
    await asAdmin(
      `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`,
      `ALTER ROLE ${role} SET search_path = own, public`,
    );
    const url = changed((own) => Object.assign(own, { username: role, password: PASSWORD }));
    await serves(storage.databaseUrl!); // another user's tables are in the schema public
    await withPostgres(storage.databaseUrl!, (client) => client.query('REVOKE ALL ON SCHEMA public FROM PUBLIC'));
    expect(await refusal(url)).toMatch(/sees no schema/);
    await withPostgres(storage.databaseUrl!, (client) => client.query(`CREATE SCHEMA own AUTHORIZATION ${role}`));
    await serves(url);
    await withPostgres(storage.databaseUrl!, async (client) => {
      const { rows } = await client.query(
        `SELECT (SELECT count(*) FROM own.thread) AS own, (SELECT count(*) FROM public.thread) AS other`,
      );
      expect(rows).toEqual([{ own: '1', other: '1' }]);
    });
  });
});

describe('A certificate that nobody has signed', () => {
  let front: TlsFront;

  beforeEach(async () => {
    front = await TlsFront.before(new URL(postgresUrl()));
  });
  afterEach(() => front.close());

  it.each(['require', 'verify-full'])(
    'is refused by sslmode=%s, in a sentence that names the ways out',
    async (mode) => {
      const said = await refusal(front.urlOf(storage.databaseUrl!, `sslmode=${mode}`));
      expect(said).toMatch(/sslrootcert=.*sslmode=no-verify/);
    },
  );

  it('is taken with its authority, and without a check', async () => {
    await serves(front.urlOf(storage.databaseUrl!, `sslmode=require&sslrootcert=${front.authority}`));
    await serves(front.urlOf(storage.databaseUrl!, 'sslmode=no-verify'));
  });

  it('is missed where PostgreSQL offers none, and the file of an authority where it is not', async () => {
    expect(await refusal(`${storage.databaseUrl}?sslmode=require`)).toMatch(/offers no TLS/);
    expect(await refusal(`${storage.databaseUrl}?sslmode=verify-full&sslrootcert=/none.crt`)).toMatch('/none.crt');
  });
});

describe('PgBouncer before PostgreSQL', () => {
  it('serves with connections of its own, and is refused where each transaction gets another one', async () => {
    const program = findProgram('pgbouncer', 'PostgreSQL behind PgBouncer', 'WAYSTATION_REQUIRE_PGBOUNCER');
    if (program === null) return;
    const transactions = await PgBouncer.before(program, new URL(postgresUrl()), 'transaction');
    try {
      expect(await refusal(transactions.urlOf(storage.databaseUrl!))).toMatch(/direct address/);
    } finally {
      await transactions.stop();
    }
    const sessions = await PgBouncer.before(program, new URL(postgresUrl()), 'session');
    try {
      await serves(sessions.urlOf(storage.databaseUrl!));
    } finally {
      await sessions.stop();
    }
  });
});

describe('A database that turns read-only while a server runs', () => {
  it('is answered with 503 until it can be written again', async () => {
    const server = await ServerProcess.start(storage, { env: { WAYSTATION_LOG_LEVEL: 'silent' } });
    const id = newThreadId();
    const report = () => server.api.post(EVENTS, { events: [checkpoint(id, 0)] });
    const reconnect = (value: string) =>
      asAdmin(
        `ALTER DATABASE ${database} SET default_transaction_read_only = ${value}`,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND application_name = 'waystation'`,
      );
    try {
      await reconnect('on');
      const refused = await waitFor('the refusal', async () => {
        const answer = await report();
        expect([200, 503]).toContain(answer.status);
        return answer.status === 503 && answer.text.includes('storage_read_only') ? answer : undefined;
      });
      expect(refused.headers['retry-after']).toBeDefined();
      // Read-only connections remain: none of them may be used twice.
      await asAdmin(`ALTER DATABASE ${database} SET default_transaction_read_only = off`);
      await waitFor('a report that counts', async () => {
        const { status } = await report();
        expect([200, 503]).toContain(status);
        return status === 200;
      });
      const { stderr } = await runCommand(storage, ['doctor']);
      expect(stderr).toBe('');
    } finally {
      await server.stop();
    }
  });

  it('is refused at the start', async () => {
    await serves(storage.databaseUrl!);
    await asAdmin(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    expect(await refusal(storage.databaseUrl!)).toMatch(/is read-only/);
  });
});
