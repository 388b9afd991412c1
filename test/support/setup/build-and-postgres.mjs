import buildWhenStale from './build.mjs';
import { migrateTemplate } from './migrated.mjs';
import startCluster from './postgres.mjs';

export default async function buildAndStartCluster() {
  await buildWhenStale();
  await startCluster();
  // Not on the caller's own server, where it would stay.
  if (!process.env.TEST_DATABASE_URL) await migrateTemplate(process.env.WAYSTATION_TEST_CLUSTER_URL);
}
