import buildAndStartCluster from './build-and-postgres.mjs';
import bundlePlainDoor from './plain-door.mjs';

export default async function bundleAndStartCluster() {
  await bundlePlainDoor();
  await buildAndStartCluster();
}
