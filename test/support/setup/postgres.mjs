// One PostgreSQL for the whole Jest run, passed to the workers through the environment.
import { startPostgres } from './postgres-cluster.mjs';

export default async function startCluster() {
  if (process.env.TEST_DATABASE_URL || globalThis.waystationCluster) return;
  globalThis.waystationCluster = await startPostgres();
  process.env.WAYSTATION_TEST_CLUSTER_URL = globalThis.waystationCluster.url;
}
