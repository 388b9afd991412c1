import { DECORATORS } from './test/support/setup/decorators.mjs';

/** One project a kind of test; the medium and e2e suites run the same files once per database. */
const shared = {
  rootDir: import.meta.dirname,
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/dist/', '<rootDir>/.tmp/', '<rootDir>/clients/'],
  testEnvironment: '<rootDir>/test/support/setup/environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', DECORATORS],
  },
};

/**
 * What has to be there before the first test of a kind: PostgreSQL for one database, the built program for the tests that start it.
 * Jest runs a set-up only when tests of its project were selected, and each file of them once.
 */
const SET_UPS = {
  'medium-sqlite': 'in-process.mjs',
  'medium-postgres': 'in-process-and-postgres.mjs',
  'e2e-sqlite': 'build.mjs',
  'e2e-postgres': 'build-and-postgres.mjs',
  'replay-sqlite': 'build.mjs',
  'replay-postgres': 'build-and-postgres.mjs',
};

/** Medium tests have the application inside; see test/support/setup/in-process.mjs for why it comes from there. */
const IN_PROCESS = {
  testEnvironment: '<rootDir>/test/support/setup/in-process-environment.mjs',
  moduleNameMapper: {
    '^(?:\\.{1,2}/)+src/(.*)\\.js$': '<rootDir>/.tmp/in-process/stand-ins/src/$1.js',
    '^(@nestjs/.*|typeorm|reflect-metadata)$': '<rootDir>/.tmp/in-process/stand-ins/packages/$1.js',
    ...shared.moduleNameMapper,
  },
};

/** What would be the same whatever the server stores to, or is there once more for several servers; run once, on SQLite. */
const WITHOUT_DATABASE = [
  '/test/e2e/agent/',
  '/test/e2e/agent-runs/',
  '/test/e2e/console/(?!sessions-of-instances)',
  '/test/e2e/container/',
  '/test/e2e/clients/(claude-sessions|langgraph|no-answer|openai-agents|packing|python|streams|typescript)',
  '/test/e2e/(command-line|documents)',
  '/test/e2e/channels/(chat-approvals|command-line|faults|receiver-port|run-limit|typing)',
  '/test/e2e/channels/(slack|whatsapp)-answers',
  '/test/e2e/channels/(config-extras|platforms|receiver|setup-webhook|strangers|unsigned)',
  '/test/e2e/effects/(client|examples)',
  '/test/e2e/leases/client',
  '/test/e2e/approvals/(client|command-line|hook-faults|hook-repository|hook-sessions|races|scopes)',
  '/test/e2e/recording/(answers|client-bases|fragmented-batches|runs-on-one-base)',
  '/test/e2e/terminal/',
  '/test/e2e/threads/(long-logs|transfer-command)',
  '/test/e2e/http/(docs-page|errors|fixed-paths|root)',
  '/test/e2e/bad-input/(bodies|fields|hostile-bodies|large-elements|nulls|queries|unknown-parameters)',
  '/test/e2e/security/(foreign-folder|hosts|injection|scopes|strangers)',
  '/test/e2e/(agents-invoke|built-program|first-start|packed-program|slow-pipe)',
  '/test/e2e/operations/(backup|demo-seed|sqlite-files)',
  '/test/medium/agent/',
  '/test/medium/channels/(hanging|outbox-faults|patience)',
  '/test/medium/console/serving',
  '/test/medium/public-routes',
];

/** What only PostgreSQL has, or what asks more of it, because other instances are there, too. */
const POSTGRES_ONLY = [
  '/test/medium/postgres',
  '/test/e2e/operations/(console-of-two-servers|postgres-backup|postgres-starts)',
  '/test/e2e/channels/wrong-clock',
  '/test/e2e/http/stream-tokens',
];

const onDatabase = (kind, dialect) => {
  const setUp = SET_UPS[`${kind}-${dialect}`];
  return {
    ...shared,
    displayName: `${kind}-${dialect}`,
    ...(kind === 'medium' ? IN_PROCESS : {}),
    testMatch: [`<rootDir>/test/${kind}/**/*.spec.ts`],
    testPathIgnorePatterns: ['/node_modules/', ...(dialect === 'postgres' ? WITHOUT_DATABASE : POSTGRES_ONLY)],
    globals: { WAYSTATION_TEST_DIALECT: dialect },
    ...(setUp ? { globalSetup: `<rootDir>/test/support/setup/${setUp}` } : {}),
    ...(dialect === 'postgres' ? { globalTeardown: '<rootDir>/test/support/setup/stop-postgres.mjs' } : {}),
  };
};

export default {
  maxWorkers: 5,
  // Contexts of files that were run stay in the heap; collecting garbage beside them took longer than the tests.
  workerIdleMemoryLimit: '400MB',
  testSequencer: '<rootDir>/test/support/setup/longest-first.mjs',
  testTimeout: 180_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/src/**/*.spec.ts',
        '<rootDir>/console/src/**/*.spec.ts',
        '<rootDir>/test/contract/**/*.spec.ts',
        '<rootDir>/test/support/**/*.spec.ts',
      ],
    },
    ...['medium', 'e2e', 'replay'].flatMap((kind) =>
      ['sqlite', 'postgres'].map((dialect) => onDatabase(kind, dialect)),
    ),
  ],
};
