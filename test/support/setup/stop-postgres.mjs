export default async function stopCluster() {
  await globalThis.waystationCluster?.stop();
  globalThis.waystationCluster = undefined;
}
