/** The environment of a measured server: ours without variables that would change its behaviour unnoticed. */
export function serverEnvironment(additions) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(WAYSTATION_|DATABASE_URL|NODE_OPTIONS|NODE_ENV)/.test(name),
  );
  return { ...Object.fromEntries(inherited), NODE_ENV: 'production', ...additions };
}

/** @returns {string | null} a PostgreSQL server to use instead of the embedded one */
export function givenDatabaseUrl() {
  return process.env.TEST_DATABASE_URL || null;
}
