// Which tests run on which database, in `npm test` and `npm run test:long`: one Jest project per kind of test and database.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DECORATORS } from './decorators.mjs';

const PROJECT = path.resolve(import.meta.dirname, '../../..');
const DIALECTS = ['sqlite', 'postgres'];

const shared = {
  rootDir: PROJECT,
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/dist/', '<rootDir>/.tmp/', '<rootDir>/clients/'],
  testEnvironment: '<rootDir>/test/support/setup/environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', DECORATORS],
  },
};

/**
 * What must exist before the first test of a kind: PostgreSQL for that database, the built program for tests that start it.
 * Jest runs a set-up only if tests of its project were selected, and each set-up file once.
 */
const SET_UPS = {
  'medium-sqlite': 'in-process.mjs',
  'medium-postgres': 'in-process-and-postgres.mjs',
  'e2e-sqlite': 'build.mjs',
  'e2e-postgres': 'build-and-postgres.mjs',
  'plain-door-sqlite': 'build.mjs',
  'replay-sqlite': 'build.mjs',
  'replay-postgres': 'build-and-postgres.mjs',
};

/** Medium tests contain the application; in-process.mjs says why they load it from there. */
const IN_PROCESS = {
  testEnvironment: '<rootDir>/test/support/setup/in-process-environment.mjs',
  moduleNameMapper: {
    '^(?:\\.{1,2}/)+src/(.*)\\.js$': '<rootDir>/.tmp/in-process/stand-ins/src/$1.js',
    '^(@nestjs/.*|typeorm|reflect-metadata)$': '<rootDir>/.tmp/in-process/stand-ins/packages/$1.js',
    ...shared.moduleNameMapper,
  },
};

/** Independent of the database, or tested again elsewhere with several servers; run once, on SQLite. */
const WITHOUT_DATABASE = [
  '/test/e2e/agent/',
  '/test/e2e/agent-runs/',
  '/test/e2e/console/(?!sessions-of-instances)',
  '/test/e2e/container/',
  '/test/e2e/clients/',
  '/test/e2e/(command-line|documents)',
  '/test/e2e/notices/command-line',
  '/test/e2e/channels/(chat-approvals|command-line|faults|receiver-port|run-limit|typing)',
  '/test/e2e/channels/(slack|whatsapp)-answers',
  '/test/e2e/channels/(config-extras|file-shutdown|platforms|receiver|setup-webhook|stalled-files|strangers|unsigned)',
  '/test/e2e/effects/(client|examples)',
  '/test/e2e/leases/client',
  '/test/e2e/approvals/(client|command-line|hook-|races|scopes)',
  '/test/e2e/recording/(answers|client-bases|fragmented-batches|runs-on-one-base)',
  '/test/e2e/terminal/',
  '/test/e2e/threads/(long-logs|transfer-command)',
  '/test/e2e/http/(client-packages|docs-page|errors|fixed-paths|guides|root)',
  '/test/e2e/bad-input/(bodies|fields|hostile-bodies|large-elements|nulls|queries|unknown-parameters)',
  '/test/e2e/security/(foreign-folder|hosts|injection|scopes|strangers)',
  '/test/e2e/(agents-invoke|api-socket|built-program|first-start|packed-program|slow-pipe)',
  '/test/e2e/operations/(backup|sqlite-files)',
  '/test/medium/agent/',
  '/test/medium/channels/(hanging|outbox-faults|patience)',
  '/test/medium/console/serving',
  '/test/medium/http/both-doors',
  '/test/medium/public-routes',
];

/** Only for PostgreSQL, or harder there because of other instances. */
const POSTGRES_ONLY = [
  '/test/medium/postgres',
  '/test/e2e/operations/(console-of-two-servers|postgres-backup|postgres-starts)',
  '/test/e2e/channels/wrong-clock',
  '/test/e2e/http/stream-tokens',
];

/** Searches, loads, crashes at every point, and tests that first install packages, frameworks or containers. */
const LONG = [
  '/test/contract/model-history',
  '/test/replay/',
  '/test/e2e/(soak|documents|packed-program)',
  '/test/e2e/agent-runs/(crashes|kill-points|turns|two-processes)',
  '/test/e2e/approvals/rule-(crash|load|rehearsal)',
  '/test/e2e/bad-input/(hostile-bodies|large)',
  '/test/e2e/channels/(chat-crash|files-crash|parts-crash|retry-crash)',
  '/test/e2e/clients/(ai-sdk|claude-sessions|langgraph|openai-agents|packing|python|served)',
  '/test/e2e/container/',
  '/test/e2e/operations/(backup|migrate-data|postgres-starts|sqlite-files)',
  '/test/e2e/recording/(crowded-threads|fragmented|memory|runs-on-one-base)',
  '/test/e2e/security/foreign-folder',
  '/test/e2e/states/large',
  '/test/e2e/threads/(large|last-message|long-logs|watch-load)',
  '/test/medium/channels/(crowd|hanging)',
  '/test/medium/threads/raced-groups',
];

/** Of the files that start their own programs, `npm test` runs these: the first start, the built program, and the central promise. */
const FIRST_OF_ALL = '/test/e2e/(agents-invoke|built-program|crash|first-start|recording/model)';

/**
 * End-to-end files that start their own servers, agents, commands or browsers: 90 % of the time of all tests. `npm test` runs the files
 * that share a server, and few others.
 */
function startingPrograms() {
  const folder = path.join(PROJECT, 'test/e2e');
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith('.spec.ts') && !readFileSync(file, 'utf8').includes('useSharedServer('))
    .filter((file) => !new RegExp(FIRST_OF_ALL).test(file));
}

/** Files that `npm test` leaves to `npm run test:long`. */
const LATER = [...LONG, ...startingPrograms()];

/**
 * Files where PostgreSQL may behave differently from SQLite: locks and races, several instances, dialect SQL, stored texts and numbers,
 * migrations, times of the database. `npm run test:long` runs the other files on PostgreSQL.
 */
const WHERE_POSTGRES_MATTERS = [
  '/test/.*(postgres|instances|races|crash|concurrency|migrat|clock|expiry|retention|lease)',
  '/test/e2e/(shutdown|effects/(claims|fences)|leases/claims|states/states|http/stream-tokens)',
  '/test/e2e/approvals/(decisions|hooks|list|model|replays)',
  '/test/e2e/bad-input/(any-request|fuzz|nul)\\.',
  '/test/e2e/channels/(bindings|channels|dispatch|outbox|polling)',
  '/test/e2e/operations/(console-of-two-servers|doctor|example-data|running-server)',
  '/test/e2e/recording/(bases|event-types|exactness|model|odd-ids|queue)',
  '/test/e2e/security/(bound-readers|secrets)',
  '/test/e2e/threads/(delete|list|own-threads|paging|stats|stream|transfer|watch)\\.',
  '/test/medium/(entities|queued-runs|rules|state-)',
  '/test/medium/notices/(telling|watching|sending|routes|chats)',
  '/test/medium/channels/(attachment-uploads|deletion|inbox|leases|parts|polling|questions|secrets|time)',
  '/test/medium/threads/(checkpoint-list|deletion|grouped-model|list-queries|listed-items|live|run-events|shared-commits|silent|status-names|thread-tables|turns)',
];

const named = (patterns) => `^(?=.*(?:${patterns.join('|')}))`;
const notNamed = (patterns) => `^(?!.*(?:${patterns.join('|')}))`;

/** Files that one of the two commands leaves to the other. */
function leftOut(isPostgres, isLong) {
  if (!isLong) return isPostgres ? [...LATER, notNamed(WHERE_POSTGRES_MATTERS)] : LATER;
  return isPostgres ? [`${named(WHERE_POSTGRES_MATTERS)}${notNamed(LATER).slice(1)}`] : [notNamed(LATER)];
}

function onDatabase(kind, dialect, isLong, name = kind) {
  const setUp = SET_UPS[`${name}-${dialect}`];
  const isPostgres = dialect === 'postgres';
  return {
    ...shared,
    displayName: `${name}-${dialect}`,
    ...(kind === 'medium' ? IN_PROCESS : {}),
    testMatch: [`<rootDir>/test/${kind}/**/*.spec.ts`],
    testPathIgnorePatterns: [
      '/node_modules/',
      ...(isPostgres ? WITHOUT_DATABASE : POSTGRES_ONLY),
      ...leftOut(isPostgres, isLong),
    ],
    globals: { WAYSTATION_TEST_DIALECT: dialect },
    ...(setUp ? { globalSetup: `<rootDir>/test/support/setup/${setUp}` } : {}),
    ...(isPostgres ? { globalTeardown: '<rootDir>/test/support/setup/stop-postgres.mjs' } : {}),
  };
}

/**
 * Files that measure the built program's memory, what the journal makes of very many events whatever their door, or that do not use the
 * fast lane's routes.
 */
const WITHOUT_DOORS =
  '/test/e2e/(recording/(crowded|fragmented|memory|runs-on-one-base)|security/foreign-folder|bad-input/large-pages)';

/**
 * The suites of routes with a fast lane, again on a server without it, where each request goes through Express and Nest. Only on SQLite,
 * because neither way depends on the database. `npm test` compares both with generated requests, in test/medium/http/both-doors.spec.ts.
 */
function throughPlainDoor() {
  const project = onDatabase('e2e', 'sqlite', true, 'plain-door');
  return {
    ...project,
    testMatch: ['recording', 'security', 'bad-input'].map((folder) => `<rootDir>/test/e2e/${folder}/*.spec.ts`),
    testPathIgnorePatterns: ['/node_modules/', ...POSTGRES_ONLY, WITHOUT_DOORS],
    globals: { ...project.globals, WAYSTATION_TEST_DOOR: 'plain' },
  };
}

export const settings = {
  maxWorkers: 5,
  // The contexts of finished files stay in the heap; collecting garbage around them took longer than the tests.
  workerIdleMemoryLimit: '400MB',
  testSequencer: '<rootDir>/test/support/setup/longest-first.mjs',
  testTimeout: 300_000,
};

/** The Jest projects of `npm test`, or of `npm run test:long`. */
export function projects({ isLong }) {
  const unit = {
    ...shared,
    displayName: 'unit',
    testMatch: [
      '<rootDir>/src/**/*.spec.ts',
      '<rootDir>/console/src/**/*.spec.ts',
      '<rootDir>/test/contract/**/*.spec.ts',
      '<rootDir>/test/support/**/*.spec.ts',
    ],
    testPathIgnorePatterns: ['/node_modules/', ...leftOut(false, isLong)],
  };
  const onBoth = (kind) => DIALECTS.map((dialect) => onDatabase(kind, dialect, isLong));
  return [unit, ...['medium', 'e2e', 'replay'].flatMap(onBoth), ...(isLong ? [throughPlainDoor()] : [])];
}
