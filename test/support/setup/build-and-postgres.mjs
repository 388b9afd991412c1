import buildWhenStale from './build.mjs';
import startCluster from './postgres.mjs';

export default async function buildAndStartCluster() {
  buildWhenStale();
  await startCluster();
}
