import bundleApplication from './in-process.mjs';
import startCluster from './postgres.mjs';

export default async function bundleAndStartCluster() {
  await bundleApplication();
  await startCluster();
}
